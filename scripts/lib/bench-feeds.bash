# Measures very many feeds on very many hosts, for scripts/bench.

bench_feeds() {
    local rounds=${asked_rounds:-3} count=$(((feeds + 4) / 5)) round
    clear_away
    site_serve "$(feeds_server "$count")"
    site_images "$((10 * feeds))" 400
    make_feeds
    for ((round = 1; round <= rounds; round++)); do
        rm -rf "$work/cache"
        measure_connections feeds.first "$feedsync" --config "$work/config" --cache "$work/cache"
        measure_connections feeds.again "$feedsync" --config "$work/config" --cache "$work/cache"
    done
    printf '\n%s feeds of 10 small images on %s hosts; medians of %s rounds\n\n%-22s %8s %8s %9s %12s\n' \
        "$feeds" "$count" "$rounds" '' 'wall s' 'CPU s' 'peak MB' 'connections'
    feeds_row feeds.first 'first sync'
    feeds_row feeds.again 'unchanged'
}

feeds_row() { # NAME LABEL
    awk -v label="$2" -v wall="$(median "$1" 1)" -v cpu="$(median "$1" 2)" -v memory="$(median "$1" 3)" \
        -v connections="$(median "$1.connections" 1)" 'BEGIN {
        printf "%-22s %8.3f %8.3f %9.1f %12d\n", label, wall, cpu, memory / 1024, connections }'
}

# Prints an nginx server that listens on the address of each host. An address for all of them would be open to other
# machines.
feeds_server() { # HOSTS
    local host
    echo 'server {'
    for ((host = 1; host <= $1; host++)); do echo "listen $(address "$host"):PORT1;"; done
    echo '}'
}

# Makes the feeds and the config file. The five feeds of a host follow one another.
make_feeds() {
    mkdir "$work/site/feeds"
    perl -e '
        my ($folder, $port, $feeds) = @ARGV;
        for my $feed (1 .. $feeds) {
            my $host = int(($feed - 1) / 5);
            my $base = sprintf "http://127.0.%d.%d:$port", $host / 250, $host % 250 + 1;
            print "feed = $base/feeds/$feed.json\n";
            open my $file, ">", "$folder/$feed.json" or die;
            print $file "{\"items\":[", join(",", map { sprintf
                "{\"id\":\"%08X-0000-4000-8000-000000000000\",\"image\":\"$base/img/%d.png\"}", $_, $_ }
                10 * $feed - 9 .. 10 * $feed), "]}" }' "$work/site/feeds" "$((port + 1))" "$feeds" >"$work/config"
}
