# Prints the results of bench_networks as a table and draws them as a chart, for scripts/bench.

networks_table() {
    local protocol version
    : >"$work/chart"
    printf '\n%s pictures of one host, and %s feeds on as many hosts, with 5 pictures each\n' "$pictures" "$hosts"
    printf 'over TLS, with %s ms of round trip; medians of %s interleaved rounds\n\n' "$((2 * far))" "$rounds"
    printf '%-26s %8s %8s %9s %12s %14s\n' '' 'wall s' 'CPU s' 'peak MB' 'connections' 'feedsync wall'
    for protocol in h2 h1; do
        version=HTTP/2; [[ $protocol == h2 ]] || version=HTTP/1.1
        networks_group "$version, as they come" "$protocol" ''
        networks_group "$version, 16 in flight" "$protocol" 16
        networks_group "$version, $hosts hosts, as they come" "$protocol" .hosts
    done
    [[ -z $chart ]] || draw_chart
}

networks_group() { # TITLE PROTOCOL SUFFIX
    local program label
    echo "$1"
    for program in feedsync curl wget2 aria2c; do
        label=$program; [[ $program != curl ]] || label='curl -Z'
        [[ ! -e $work/figures.$2.$program$3 ]] || networks_row "$1" "$label" "$2.$program$3" "$2.feedsync$3"
    done
}

networks_row() { # TITLE LABEL NAME FEEDSYNC'S
    local wall connections
    wall=$(median "$3" 1)
    connections=$(median "$3.connections" 1)
    awk -v label="$2" -v wall="$wall" -v cpu="$(median "$3" 2)" -v memory="$(median "$3" 3)" \
        -v connections="$connections" -v of_wall="$(ratio "$4" "$3" 1)" 'BEGIN {
        printf "  %-24s %8.3f %8.3f %9.1f %12d %13.2fx\n", label, wall, cpu, memory / 1024, connections, of_wall }'
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$wall" "$connections" >>"$work/chart"
}

draw_chart() {
    awk -f scripts/lib/chart.awk -v title="Seconds to download pictures from $((2 * far)) ms away" \
        -v note="$pictures of one host, and $hosts feeds of 5 pictures on $hosts hosts; over TLS; fewer are better" \
        "$work/chart" >"$work/chart.svg"
    cp "$work/chart.svg" "$chart"
    echo "drawn: $chart" >&2
}
