# Measures how fast feeds are decoded, for scripts/bench.

bench_decoding() {
    printf '\n%-22s %8s %8s %9s %9s %9s\n' 'decoding' 'items' 'MB' 'seconds' 'MB/s' 'peak MB'
    for format in essential jsonfeed rss atom; do decode "$format" 100000; done
    decode essential 1000000
}

decode() { # FORMAT ITEMS
    "$(dirname "$feedsync")/feed-decoding-bench" "$1" "$2" | awk -v items="$2" '{
        printf "%-22s %8d %8.1f %9.3f %9.1f %9.1f\n", $1, items, $2 / 1e6, $3, $2 / 1e6 / $3, $5 / 1024 }'
}
