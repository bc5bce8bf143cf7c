# Compares downloads from a server on the same machine, and archives, for scripts/bench.

bench_loopback() {
    rounds=${asked_rounds:-5}
    compare_downloads
    compare_archives
    sync_small_images
}

compare_downloads() {
    clear_away
    site_serve
    site_images "$images"
    site_feed 1 "$images" >"$work/site/feed.json"
    for ((n = 1; n <= images; n++)); do echo "$base/img/$n.png"; done >"$work/urls"
    curl_settings <"$work/urls" >"$work/curl.conf"

    sync=("$feedsync" --cache "$work/cache" -j 16 --max-per-host 16 "$base/feed.json")
    for ((round = 0; round <= rounds; round++)); do
        # The gallery is deleted together with the cache, so that every round starts with the same free memory.
        rm -rf "$work/cache" "$work/gallery"
        measure feedsync "${sync[@]}"
        measure again "${sync[@]}"
        measure gallery "$feedsync" --cache "$work/cache" gallery "$work/gallery"
        empty_folder
        there measure curl curl -sS -Z --parallel-max 16 -K "$work/curl.conf"
        empty_folder
        there measure wget2 wget2 -q --max-threads=16 -i "$work/urls"
        measure revalidate "${sync[@]}" --revalidate
        there measure wget2-N wget2 -q -N --max-threads=16 -i "$work/urls"
        empty_folder
        measure aria2c aria2c -q -j 16 -x 1 -s 1 --file-allocation=none -d "$work/out" -i "$work/urls"
        # The first round warms up the caches and does not count.
        ((round)) || rm "$work"/figures.*
    done

    printf '\n%s images, %s; medians of %s interleaved rounds\n\n' \
        "$images" "$(du -sh --apparent-size "$work/site/img" | cut -f1)" "$rounds"
    printf '%-22s %8s %8s %9s %14s %13s\n' '' 'wall s' 'CPU s' 'peak MB' 'feedsync wall' 'feedsync CPU'
    row feedsync 'feedsync'
    row curl 'curl -Z'
    row wget2 'wget2'
    row aria2c 'aria2c'
    row again 'feedsync, unchanged'
    row revalidate 'feedsync --revalidate'
    row wget2-N 'wget2 -N'
    row gallery 'feedsync gallery'
}

row() { # NAME LABEL
    awk -v label="$2" -v wall="$(median "$1" 1)" -v cpu="$(median "$1" 2)" -v memory="$(median "$1" 3)" \
        -v of_wall="$(ratio feedsync "$1" 1)" -v of_cpu="$(ratio feedsync "$1" 2)" 'BEGIN {
        printf "%-22s %8.3f %8.3f %9.1f %13.2fx %12.2fx\n", label, wall, cpu, memory / 1024, of_wall, of_cpu }'
}

archive_round() {
    rm -f "$work/images.tar"; measure pack tar -cf "$work/images.tar" -C "$work/cache" images
    rm -f "$work/cache.tar"; measure export "$feedsync" export --cache "$work/cache" "$work/cache.tar"
    empty_folder; measure unpack tar -xf "$work/images.tar" -C "$work/out"
    rm -rf "$work/copy"; measure import "$feedsync" import --restore --cache "$work/copy" "$work/cache.tar"
}

compare_archives() {
    for ((round = 0; round <= rounds; round++)); do
        archive_round
        ((round)) || rm "$work"/figures.{pack,export,unpack,import}
    done

    printf '\nthe same images in an archive\n\n%-22s %8s %8s %9s %14s\n' '' 'wall s' 'CPU s' 'peak MB' "tar's wall"
    archive_row pack pack 'tar -c'
    archive_row export pack 'feedsync export'
    archive_row unpack unpack 'tar -x'
    archive_row import unpack 'feedsync import'
}

archive_row() { # NAME OTHER LABEL
    awk -v label="$3" -v wall="$(median "$1" 1)" -v cpu="$(median "$1" 2)" -v memory="$(median "$1" 3)" \
        -v of_wall="$(ratio "$1" "$2" 1)" 'BEGIN {
        printf "%-22s %8.3f %8.3f %9.1f %13.2fx\n", label, wall, cpu, memory / 1024, of_wall }'
}

sync_small_images() {
    rm -rf "$work/site/img" "$work/cache" "$work/copy" "$work/out" "$work"/figures.*
    site_images "$many" 400
    printf '\nsyncs of small images\n\n%-22s %8s %9s\n' '' 'wall s' 'peak MB'
    for count in $((many / 100)) $((many / 10)) "$many"; do
        site_feed 1 "$count" >"$work/site/feed.json"
        rm -rf "$work/cache"
        measure "of-$count" "${sync[@]}"
        awk -v count="$count" '{ printf "%-22s %8.3f %9.1f\n", count " images", $1, $3 / 1024 }' "$work/figures.of-$count"
    done
    archive_round
    printf '\n%s small images: peak memory %s\n' "$many" \
        "$(awk -v export="$(median export 3)" -v import="$(median import 3)" 'BEGIN {
            printf "%.1f MB of an export, %.1f MB of an import", export / 1024, import / 1024 }')"
    thin_round
}

# Measures a thin archive of the small images, a hundred of which are new, next to the full one.
thin_round() {
    rm -rf "$work/cache" "$work/copy"
    site_feed 1 $((many - 100)) >"$work/site/feed.json"
    "${sync[@]}"
    "$feedsync" export --cache "$work/cache" "$work/old.tar"
    "$feedsync" import --restore --cache "$work/copy" "$work/old.tar"
    site_feed 1 "$many" >"$work/site/feed.json"
    "${sync[@]}"
    measure thin-export "$feedsync" export --cache "$work/cache" --without "$work/old.tar" "$work/thin.tar"
    measure thin-import "$feedsync" import --restore --cache "$work/copy" "$work/thin.tar"
    rm "$work/old.tar" "$work/thin.tar"
    printf 'a thin archive of them with 100 new ones takes %.2f of the time of a full export, and %.2f of an import\n' \
        "$(ratio thin-export export 1)" "$(ratio thin-import import 1)"
}
