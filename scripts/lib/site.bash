# Sourced by scripts that need a server with images: makes them on tmpfs and serves them with nginx on loopback.
# Sets work (removed at the end, with the server), feedsync (a release build), base (the server's URL) and port.

source scripts/lib/release.bash

site_begin() { # NAME [PRODUCT...]: others to build
    local product
    scripts/dependencies bench
    for product in feedsync "${@:2}"; do swift build "${release[@]}" --product "$product" 2>&1 | tail -n 1; done
    feedsync=$(release_binary)
    work=$(mktemp -d "/dev/shm/feedsync-$1.XXXXXX")
    nginx_pid=
    trap site_end EXIT
    no_own_settings
}

# Servers have more connections than the one who asks them.
raise_limit() { ulimit -Sn "$(ulimit -Hn)"; }

site_stop() {
    [[ -z $nginx_pid ]] || kill "$nginx_pid" 2>/dev/null || true
    nginx_pid=
}

site_end() {
    site_stop
    # A script that mounts something mounts it there.
    umount "$work"/* 2>/dev/null || true
    rm -rf "$work"
}

# The images begin as PNGs do and differ in length and content; nobody looks at them. They have 20,000 to 34,000 bytes,
# or LEAST to 1.7 times that.
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

# A feed of the images FIRST to LAST on standard output.
site_feed() { # FIRST LAST
    perl -e '
        my ($base, $first, $last) = @ARGV;
        print "{\"items\":[", join(",", map { sprintf
            "{\"id\":\"%08X-0000-4000-8000-000000000000\",\"description\":\"Picture %d\",\"image\":\"$base/img/%d.png\"}",
            $_, $_, $_ } $first .. $last), "]}"' "$base" "$1" "$2"
}

# nginx can't choose a free port itself: a port that is taken makes it stop, and another is tried. Whoever has taken it may
# answer too, though not with what is asked for.
site_serve() { # [SERVERS]: further ones, which may listen on PORT1 and those after it, the ports next to this one
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
        # In a session of its own, as it is wherever it runs as a daemon: Linux shares the processors out among sessions, and
        # in that of the programs that ask it it would be one thread among all of theirs.
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
