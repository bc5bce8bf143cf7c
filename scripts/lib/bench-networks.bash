# Measures downloads from distant servers, for scripts/bench. Their speed depends on the number of requests in flight.

source scripts/lib/bench-networks-table.bash
far=25 # Milliseconds each way.

bench_networks() {
    local rounds=${asked_rounds:-3} round protocol
    clear_away
    make_certificate
    site_serve "$(networks_servers)"
    start_relay
    site_images "$((pictures > 5 * hosts ? pictures : 5 * hosts))" 22000
    for protocol in h1 h2; do networks_lists "$protocol"; done
    for ((round = 1; round <= rounds; round++)); do
        for protocol in h1 h2; do
            one_host "$protocol" ''
            one_host "$protocol" 16 -j 16 --max-per-host 16
            many_hosts "$protocol"
        done
    done
    networks_table
}

make_certificate() {
    local names
    names=$(for ((n = 1; n <= hosts; n++)); do printf ',IP:%s' "$(address "$n")"; done)
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=bench \
        -addext "subjectAltName=${names#,}" -keyout "$work/key.pem" -out "$work/cert.pem" 2>"$work/output" ||
        { cat "$work/output" >&2; exit 1; }
}

# Prints the nginx servers. They allow TLS 1.3 explicitly, because old versions of nginx have it off by default.
networks_servers() {
    cat <<EOF
ssl_certificate $work/cert.pem; ssl_certificate_key $work/key.pem; ssl_protocols TLSv1.2 TLSv1.3;
       server { listen 127.0.0.1:PORT1 ssl; }
       server { listen 127.0.0.1:PORT2 ssl http2; }
EOF
}

# Starts the relay, and sets relay_h1 and relay_h2, the ports through which it delays the bytes of nginx.
start_relay() {
    local relay=$(dirname "$feedsync")/delaying-relay
    # The relay runs in a session of its own, like nginx.
    exec {ports}< <(raise_limit; exec setsid "$relay" "$far" "$((port + 1))" "$((port + 2))")
    relay_pid=$!
    trap 'kill "$relay_pid" 2>/dev/null || true; site_end' EXIT
    read -r relay_h1 <&"$ports" && read -r relay_h2 <&"$ports" || { echo "the relay did not start" >&2; exit 1; }
}

# Makes the images of one host, and the feeds of many hosts with five images each: as feeds, as URLs, and for curl.
networks_lists() { # PROTOCOL
    local relay=relay_$1 base host first
    base=https://127.0.0.1:${!relay}
    site_feed 1 "$pictures" >"$work/site/$1.json"
    for ((n = 1; n <= pictures; n++)); do echo "$base/img/$n.png"; done >"$work/urls.$1"
    mkdir "$work/site/$1"
    for ((host = 1; host <= hosts; host++)); do
        first=$((5 * host - 4))
        base=https://$(address "$host"):${!relay}
        site_feed "$first" "$((5 * host))" >"$work/site/$1/$host.json"
        echo "$base/$1/$host.json" >&3
        for ((n = first; n <= 5 * host; n++)); do echo "$base/img/$n.png"; done
    done 3>"$work/feeds.$1" >"$work/pictures.$1"
    curl_settings <"$work/urls.$1" >"$work/curl.$1"
    cat "$work/feeds.$1" "$work/pictures.$1" | curl_settings >"$work/curl.hosts.$1"
}

one_host() { # PROTOCOL SUFFIX
    local relay=relay_$1 many=("${@:3}") most=() threads=() jobs=()
    if [[ -n $2 ]]; then
        most=(--parallel-max "$2")
        # Each thread of wget2 has a connection, and over HTTP/2 would request up to 30 files at once.
        threads=("--max-threads=$2" --http2-request-window=1)
        jobs=(-j "$2" -x 1 -s 1)
    fi
    from_afar "$1.feedsync$2" "$feedsync" --cacert "$work/cert.pem" --cache cache "${many[@]}" \
        "https://127.0.0.1:${!relay}/$1.json"
    from_afar "$1.curl$2" curl -sS -Z "${most[@]}" --cacert "$work/cert.pem" -K "$work/curl.$1"
    from_afar "$1.wget2$2" wget2 -q "${threads[@]}" --ca-certificate="$work/cert.pem" -i "$work/urls.$1"
    # aria2c does not support HTTP/2.
    [[ $1 == h2 ]] ||
        from_afar "$1.aria2c$2" aria2c -q "${jobs[@]}" --ca-certificate="$work/cert.pem" -i "$work/urls.$1"
}

# Measures feedsync and curl. curl gets the URLs of the images, which feedsync finds in the feeds.
many_hosts() { # PROTOCOL
    local feeds
    mapfile -t feeds <"$work/feeds.$1"
    from_afar "$1.feedsync.hosts" "$feedsync" --cacert "$work/cert.pem" --cache cache "${feeds[@]}"
    from_afar "$1.curl.hosts" curl -sS -Z --cacert "$work/cert.pem" -K "$work/curl.hosts.$1"
}

from_afar() { # NAME COMMAND...
    empty_folder
    there measure_connections "$@"
}
