# Measures the same feeds in one part, in two and in four, for scripts/bench. The parts run one after the other, so that
# each has the whole machine, like a node of a cluster. It uses functions of bench-feeds.bash.

bench_cluster() {
    local rounds=${asked_rounds:-3} count=$(((feeds + 4) / 5)) round parts part
    clear_away
    site_serve "$(feeds_server "$count")"
    site_images "$((10 * feeds + feeds / 100))" 400
    make_feeds
    for ((round = 1; round <= rounds; round++)); do
        for parts in 1 2 4; do cluster_round "$parts"; done
        # One archive contains the feeds of all four.
        "$feedsync" export --cache "$work/merged" "$work/whole.tar"
        rm -rf "$work/merged"
        measure cluster.whole "$feedsync" import --restore --cache "$work/merged" "$work/whole.tar"
        rm -rf "$work/merged"
    done
    printf '\n%s feeds of 10 small images on %s hosts, in parts; medians of %s rounds\n\n%-8s %14s %10s %9s %9s %9s %9s\n' \
        "$feeds" "$count" "$rounds" parts 'feeds' 'longest s' 'export s' 'merge s' 'in all s' 'peak MB'
    for parts in 1 2 4; do cluster_row "$parts"; done
    cluster_night
    cluster_of_one
    printf '\nan import of the four archives takes %.2f times as long as one of a single archive of all\n' \
        "$(ratio cluster.4.merge cluster.whole 1)"
}

# Measures the next night of four parts, whose caches the last round has left: one feed of a hundred has a new image, and
# thin archives bring it.
cluster_night() {
    local part thin=() full=()
    perl -e '
        my ($folder, $feeds) = @ARGV;
        local $/;
        for my $new (1 .. $feeds / 100) {
            open my $file, "+<", sprintf "$folder/%d.json", 100 * $new or die;
            my $text = <$file>;
            my ($base) = $text =~ m{"image":"(http://[^/]*)};
            my $number = 10 * $feeds + $new;
            my $id = sprintf "%08X-0000-4000-8000-000000000000", $number;
            $text =~ s|\]\}$|,{"id":"$id","image":"$base/img/$number.png"}]}|;
            seek $file, 0, 0;
            print $file $text;
        }' "$work/site/feeds" "$feeds"
    for ((part = 0; part < 4; part++)); do
        full+=("$work/part-$part.tar")
        thin+=("$work/thin-$part.tar")
        measure cluster.night "$feedsync" --config "$work/config" --cache "$work/part-$part" --shard "$part/4"
        measure cluster.thin "$feedsync" export --cache "$work/part-$part" --without "${full[part]}" "${thin[part]}"
    done
    "$feedsync" import --restore --cache "$work/merged" "${full[@]}"
    measure cluster.morning "$feedsync" import --restore --cache "$work/merged" "${thin[@]}"
    longest cluster.night >"$work/figures.cluster.night.sync"
    longest cluster.thin >"$work/figures.cluster.night.export"
    printf '\nthe next night of four parts, with one new image in one feed of a hundred: sync %.2f s, thin export %.2f s, %s\n' \
        "$(median cluster.night.sync 1)" "$(median cluster.night.export 1)" \
        "merge $(printf %.2f "$(median cluster.morning 1)") s"
}

# Measures one feed of all the images, whole and as one of eight parts, and an import of large images.
cluster_of_one() {
    rm -rf "$work"/part-* "$work"/*.tar "$work/cache"
    site_feed 1 "$((10 * feeds))" >"$work/site/feed.json"
    measure cluster.one "$feedsync" --cache "$work/cache" "$base/feed.json"
    measure cluster.eighth "$feedsync" --cache "$work/part-0" --shard 0/8 --shard-by image "$base/feed.json"
    rm -rf "$work"/{cache,part-0,site/img}
    site_images 1000 600000
    site_feed 1 1000 >"$work/site/feed.json"
    "$feedsync" --cache "$work/cache" "$base/feed.json"
    "$feedsync" export --cache "$work/cache" "$work/large.tar"
    rm -rf "$work/cache"
    measure cluster.large "$feedsync" import --restore --cache "$work/cache" "$work/large.tar"
    printf '\nby image: all of a feed of %s pictures %.2f s, one of eight parts %.2f s\n' \
        "$((10 * feeds))" "$(median cluster.one 1)" "$(median cluster.eighth 1)"
    awk -v bytes="$(stat -c %s "$work/large.tar")" -v wall="$(median cluster.large 1)" 'BEGIN {
        printf "an import of %.2f GB of large pictures: %.2f s\n", bytes / 1e9, wall }'
}

cluster_round() { # PARTS
    local part archives=()
    rm -rf "$work"/part-* "$work"/figures.cluster.part "$work"/figures.cluster.export
    for ((part = 0; part < $1; part++)); do
        measure cluster.part "$feedsync" --config "$work/config" --cache "$work/part-$part" --shard "$part/$1"
        measure cluster.export "$feedsync" export --cache "$work/part-$part" "$work/part-$part.tar"
        "$feedsync" status --json --cache "$work/part-$part" | jq '.feeds | length' >>"$work/part-sizes"
        archives+=("$work/part-$part.tar")
    done
    sort -g "$work/part-sizes" | sed -n '1p;$p' | paste -sd ' ' >"$work/figures.cluster.$1.feeds"
    rm "$work/part-sizes"
    # A cluster needs the time of its longest part, and the memory of its largest.
    longest cluster.part >>"$work/figures.cluster.$1.sync"
    longest cluster.export >>"$work/figures.cluster.$1.export"
    rm -rf "$work/merged"
    measure "cluster.$1.merge" "$feedsync" import --restore --cache "$work/merged" "${archives[@]}"
}

longest() { # NAME
    awk '{ for (i = 1; i <= 3; i++) if ($i > most[i]) most[i] = $i } END { print most[1], most[2], most[3] }' \
        "$work/figures.$1"
}

cluster_row() { # PARTS
    awk -v parts="$1" -v sync="$(median "cluster.$1.sync" 1)" -v export="$(median "cluster.$1.export" 1)" \
        -v merge="$(median "cluster.$1.merge" 1)" -v memory="$(median "cluster.$1.sync" 3)" '{
        # A single machine has nothing to merge.
        all = parts > 1 ? sync + export + merge : sync
        printf "%-8d %14s %10.2f %9.2f %9.2f %9.2f %9.1f\n", parts, $1 == $2 ? $1 : $1 " to " $2, sync, export, merge, all,
            memory / 1024 }' "$work/figures.cluster.$1.feeds"
}
