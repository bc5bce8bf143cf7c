# Measures programs in rounds and computes medians and ratios, for scripts/bench.

# Runs a command and appends "wall cpu memory" (seconds, seconds, KB) to the figures of NAME.
measure() { # NAME COMMAND...
    local name=$1 start end
    shift
    start=$EPOCHREALTIME
    if ! /usr/bin/time -q -o "$work/time" -f '%U %S %M' "$@" >"$work/output" 2>&1; then
        echo "$name failed:" >&2
        cat "$work/output" >&2
        exit 1
    fi
    end=$EPOCHREALTIME
    awk -v start="$start" -v end="$end" '{ print end - start, $1 + $2, $3 }' "$work/time" >>"$work/figures.$name"
}

# Runs `measure`, and appends the number of connections that the command made to NAME.connections.
measure_connections() { # NAME COMMAND...
    local before
    before=$(connections)
    measure "$@"
    # The request for the status is a connection, too.
    echo "$(($(connections) - before - 1))" >>"$work/figures.$1.connections"
}

connections() { curl -sS "$base/status" | awk '$1 ~ /^[0-9]+$/ { print $1 }'; }

# Runs a command in the output directory. With the path as an option, wget2 would check each part of it for each image.
there() { (cd "$work/out" && "$@"); }

empty_folder() { rm -rf "$work/out"; mkdir "$work/out"; }

median() { # NAME COLUMN
    awk -v column="$2" '{ print $column }' "$work/figures.$1" | sort -g | awk '{ v[NR] = $1 } END {
        print (NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2) }'
}

# Prints the median of the ratios within the rounds: the speed of the machine changes more between rounds.
ratio() { # NAME OTHER COLUMN
    paste -d ' ' "$work/figures.$1" "$work/figures.$2" |
        awk -v column="$3" '{ print $column / ($(column + 3) > 0 ? $(column + 3) : 0.01), 0, 0 }' >"$work/figures.ratio"
    median ratio 1
}

# Turns the URLs on standard input into a config file for curl -K, which needs a name for each file.
curl_settings() { sed 's|.*/\(.*\)|url = "&"\noutput = "\1"|'; }

# Removes the files of the previous part of the benchmark.
clear_away() {
    site_stop
    rm -rf "$work"/{site,out,cache,copy,gallery} "$work"/figures.*
}

# Prints the loopback address of a host.
address() { echo "127.0.$((($1 - 1) / 250)).$((($1 - 1) % 250 + 1))"; } # HOST, from 1
