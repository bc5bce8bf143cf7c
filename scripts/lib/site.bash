# Makes images on tmpfs and serves them with nginx on the loopback interface, for other scripts. It sets work (a
# directory that is removed at the end), feedsync (a release build), base (the URL of the server) and port.

source scripts/lib/release.bash

site_begin() { # NAME [PRODUCT...]: further products to build
    local product
    scripts/dependencies bench
    for product in feedsync "${@:2}"; do swift build "${release[@]}" --product "$product" 2>&1 | tail -n 1; done
    feedsync=$(release_binary)
    work=$(mktemp -d "/dev/shm/feedsync-$1.XXXXXX")
    nginx_pid=
    trap site_end EXIT
    no_own_settings
}

# Raises the limit of open files, because a server has many connections.
raise_limit() { ulimit -Sn "$(ulimit -Hn)"; }

site_stop() {
    [[ -z $nginx_pid ]] || kill "$nginx_pid" 2>/dev/null || true
    nginx_pid=
}

site_end() {
    site_stop
    # A script may have mounted disks there.
    umount "$work"/* 2>/dev/null || true
    rm -rf "$work"
}

# Makes files that begin like a PNG and differ in length and content. They have 20,000 to 34,000 bytes, or LEAST to 1.7
# times LEAST.
site_images() { # COUNT [LEAST]
    mkdir -p "$work/site/img"
    perl -e '
        my ($folder, $count, $least) = @ARGV;
        srand 7;
        open my $noise, "<:raw", "/dev/urandom" or die; read $noise, my $pool, 1 << 20;
        for my $n (1 .. $count) {
            open my $file, ">:raw", "$folder/$n.png" or die;
            my $size = $least + int rand 0.7 * $least;
            print $file "\x89PNG\r\n\x1a\n", pack("N", $n), substr($pool, int rand((1 << 20) - $size), $size);
        }' "$work/site/img" "$1" "${2:-20000}"
}

# Prints a feed of the images FIRST to LAST.
site_feed() { # FIRST LAST
    perl -e '
        my ($base, $first, $last) = @ARGV;
        print "{\"items\":[", join(",", map { sprintf
            "{\"id\":\"%08X-0000-4000-8000-000000000000\",\"description\":\"Picture %d\",\"image\":\"$base/img/%d.png\"}",
            $_, $_, $_ } $first .. $last), "]}"' "$base" "$1" "$2"
}

# Starts nginx. It cannot choose a free port by itself, so the function tries random ports until one is free. The
# response for /served proves that this nginx has sent it.
site_serve() { # [SERVERS]: further servers, which may listen on PORT1 and PORT2, the next two ports
    local try servers next
    site_stop
    mkdir -p "$work/site"
    echo "$work" >"$work/site/served"
    for try in 1 2 3 4 5 6 7 8; do
        port=$((20000 + RANDOM % 20000))
        base=http://127.0.0.1:$port
        servers=${1:-}
        for next in 1 2; do servers=${servers//PORT$next/$((port + next))}; done
        cat >"$work/nginx.conf" <<EOF
daemon off; worker_processes 1; pid $work/nginx.pid; error_log $work/error.log; user $(id -un);
events { worker_connections 16384; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; default_type image/png;
       client_body_temp_path $work/t1; proxy_temp_path $work/t2; fastcgi_temp_path $work/t3; uwsgi_temp_path $work/t4;
       scgi_temp_path $work/t5;
       root $work/site;
       server { listen 127.0.0.1:$port; location = /status { stub_status; } }
       $servers }
EOF
        # nginx runs in a session of its own, like a daemon. Linux divides the processors among sessions, so in the
        # session of its clients nginx would be one thread among many.
        (raise_limit; exec setsid nginx -p "$work" -c "$work/nginx.conf" 2>/dev/null) &
        nginx_pid=$!
        for _ in {1..100}; do
            [[ $(curl -s -m 5 "$base/served") != "$work" ]] || return 0
            kill -0 "$nginx_pid" 2>/dev/null || break
            sleep 0.05
        done
    done
    echo "nginx did not start: $(cat "$work/error.log")" >&2
    exit 1
}
