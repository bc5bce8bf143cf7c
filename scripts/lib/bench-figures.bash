# Sourced by scripts/bench: takes the figures of programs in rounds, and says what they come to.

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

# Also takes the number of connections.
measure_connections() { # NAME COMMAND...
    local before
    before=$(connections)
    measure "$@"
    # The question is one too.
    echo "$(($(connections) - before - 1))" >>"$work/figures.$1.connections"
}

connections() { curl -sS "$base/status" | awk '$1 ~ /^[0-9]+$/ { print $1 }'; }

# The others are quickest in the folder: given its path instead, wget2 makes sure of each part of it for each image.
there() { (cd "$work/out" && "$@"); }

empty_folder() { rm -rf "$work/out"; mkdir "$work/out"; }

median() { # NAME COLUMN
    awk -v column="$2" '{ print $column }' "$work/figures.$1" | sort -g | awk '{ v[NR] = $1 } END {
        print (NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2) }'
}

# The median of what the rounds say: the machine's own pace changes between one and the next, and within one much less.
ratio() { # NAME OTHER COLUMN
    paste -d ' ' "$work/figures.$1" "$work/figures.$2" |
        awk -v column="$3" '{ print $column / ($(column + 3) > 0 ? $(column + 3) : 0.01), 0, 0 }' >"$work/figures.ratio"
    median ratio 1
}

# For curl -K, which has to be told each file's name: the URLs on standard input.
curl_settings() { sed 's|.*/\(.*\)|url = "&"\noutput = "\1"|'; }

# Each part begins with nothing.
clear_away() {
    site_stop
    rm -rf "$work"/{site,out,cache,copy,gallery} "$work"/figures.*
}

# Each is a host of its own, and this machine.
address() { echo "127.0.$((($1 - 1) / 250)).$((($1 - 1) % 250 + 1))"; } # HOST, from 1
