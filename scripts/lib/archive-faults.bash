# Breaks exports and imports, for scripts/faults. It uses the variables and functions of that script and of
# lib/site.bash, and a complete cache in $cache.

archive_faults() { # KILLS
    local kills=$1
    source_cache=$cache
    publish second
    "$feedsync" --cache "$cache" "$feed"
    forget_moments
    archive=$work/archive.tar
    "$feedsync" export --cache "$source_cache" "$archive"
    # A second archive of the feed, which was saved earlier and has other images, fills a cache before an import.
    cache=$work/earlier
    publish first
    "$feedsync" --cache "$cache" "$feed"
    forget_moments
    sqlite3 "$cache/feedsync.sqlite" 'UPDATE feeds SET saved_at = saved_at - 3600000000'
    "$feedsync" export --cache "$cache" "$work/earlier.tar"
    changed=0 leftovers=0 wrong_ends=0 imports_landed=0 exports_landed=0

    kill_imports "$kills"
    kill_exports "$kills"
    fill_disks
    break_calls

    echo "$kills kills of an import, $imports_landed before it had ended, as many of an export, $exports_landed, full" \
        "disks and failing calls: $changed archives or caches changed, $leftovers leftovers," \
        "$wrong_ends runs that ended in another way than they should, $damaged damaged images," \
        "$dangling rows without a file"
}

# Sets the time of every download to the same value, so that the archives can be compared byte by byte. An import keeps
# the earliest time of equal data.
forget_moments() { sqlite3 "$cache/feedsync.sqlite" 'UPDATE data SET fetched_at = 0'; }

problem() { # COUNTER MESSAGE
    printf -v "$1" '%d' "$((${!1} + 1))"
    echo "$2" >&2
}

# Checks that $cache contains all of $archive, or what it contained before: nothing, or the earlier archive.
check_import() { # WHAT
    local name=$1 export=$work/check.tar status=0
    check_images
    rm -f "$export"
    "$feedsync" export --cache "$cache" "$export" 2>"$work/error" || status=$?
    # 66 means that the cache is empty.
    case $status in
        66) [[ $name == none ]] || problem changed "the cache was emptied" ;;
        0)
            cmp -s "$export" "$archive" || { [[ $name == earlier ]] && cmp -s "$export" "$work/earlier.tar"; } ||
                problem changed "the cache holds a part of the import" ;;
        *) problem changed "the cache cannot be exported: $(cat "$work/error")" ;;
    esac
}

begin_import() { # none|earlier
    rm -rf "$cache"
    [[ $1 == none ]] || cp -a "$work/earlier-copy" "$cache"
}

seconds_of() { # COMMAND...
    local start=$EPOCHREALTIME
    "$@" >/dev/null
    awk -v start="$start" -v end="$EPOCHREALTIME" 'BEGIN { print (end - start) * 1.1 }'
}

# Kills a command at a random moment within SECONDS, and sets ended to its status.
kill_within() { # SECONDS COMMAND...
    local whole=$1
    shift
    "$@" 2>/dev/null &
    local pid=$!
    sleep "$(awk -v whole="$whole" -v random="$RANDOM" 'BEGIN { print whole * random / 32768 }')"
    kill -9 "$pid" 2>/dev/null || true
    ended=0
    wait "$pid" 2>/dev/null || ended=$?
}

kill_imports() { # KILLS
    local whole kill before
    cp -a "$cache" "$work/earlier-copy"
    cache=$work/imported
    whole=$(seconds_of "$feedsync" import --restore --cache "$cache" "$archive")
    for ((kill = 1; kill <= $1; kill++)); do
        ((kill % 2)) && before=none || before=earlier
        begin_import "$before"
        kill_within "$whole" "$feedsync" import --restore --cache "$cache" "$archive"
        ((ended != 137)) || imports_landed=$((imports_landed + 1))
        check_import "$before"
        if ((kill % 10 == 0)); then
            "$feedsync" import --restore --cache "$cache" "$archive" || problem wrong_ends "an import after a killed one failed"
            "$feedsync" validate --max-age forever --cache "$cache"
            "$feedsync" export --cache "$cache" "$work/check.tar"
            cmp -s "$work/check.tar" "$archive" || problem changed "an import after a killed one is not complete"
            no_leftovers
        fi
    done
}

# Checks that every image file has a row, and that incoming/ is empty.
no_leftovers() {
    local files rows
    files=$(ls "$cache/images/sha256" | wc -l)
    rows=$(sqlite3 "$cache/feedsync.sqlite" 'SELECT count(DISTINCT digest) FROM data')
    ((files == rows)) || problem leftovers "$files images and $rows rows"
    [[ -z $(ls "$cache/incoming") ]] || problem leftovers "incoming/ is not empty"
}

kill_exports() { # KILLS
    local whole kill folder=$work/exports
    mkdir "$folder"
    whole=$(seconds_of "$feedsync" export --cache "$source_cache" "$folder/x.tar")
    for ((kill = 1; kill <= $1; kill++)); do
        echo old >"$folder/x.tar"
        kill_within "$whole" "$feedsync" export --cache "$source_cache" "$folder/x.tar"
        ((ended != 137)) || exports_landed=$((exports_landed + 1))
        [[ $(cat "$folder/x.tar" | head -c 4) == "old" ]] || cmp -s "$folder/x.tar" "$archive" ||
            problem changed "a killed export left a part of itself"
        [[ $(ls "$folder") == x.tar ]] || problem leftovers "a killed export left $(ls "$folder")"
        rm -f "$folder"/*
    done
}

expect_end() { # STATUS COMMAND...
    local expected=$1 status=0
    shift
    "$@" >"$work/output" 2>"$work/error" || status=$?
    ((status == expected)) || problem wrong_ends "$* ended with $status: $(cat "$work/error")"
}

# Exports and imports onto disks that become full after 10 to 90 % of the bytes.
fill_disks() {
    local size whole disk=$work/disk part
    mkdir "$disk"
    whole=$(($(stat -c %s "$archive") / 1024))
    for part in 10 25 50 75 90; do
        size=$((whole * part / 100))
        if ! mount -t tmpfs -o "size=${size}k" none "$disk" 2>/dev/null; then
            [[ -z ${CI:-} ]] || problem wrong_ends "no small disk could be mounted"
            echo "the tests of full disks are skipped, because only root can mount a small disk" >&2
            return 0
        fi
        expect_end 74 "$feedsync" export --cache "$source_cache" "$disk/x.tar"
        [[ -z $(ls "$disk") ]] || problem leftovers "an export left $(ls "$disk") on a full disk"
        cache=$disk/cache
        expect_end 74 "$feedsync" import --restore --cache "$cache" "$archive"
        [[ -z $(ls "$cache/incoming" "$cache/images/sha256" | grep -v : | grep .) ]] ||
            problem leftovers "an import left files on a full disk"
        expect_end 66 "$feedsync" export --cache "$cache" "$work/none.tar"
        umount "$disk"
    done
    cache=$work/imported
}

# Lets the Nth call of a system call fail.
break_calls() {
    local n
    for n in 1 2 5; do
        begin_import earlier
        expect_end 74 strace -qq -f -o /dev/null -P "$archive" -e inject=read:error=EIO:when="$n" \
            "$feedsync" import --restore --cache "$cache" "$archive"
        check_import earlier
        no_leftovers
    done
    # strace counts the calls of each thread.
    for n in 1 2 3; do
        begin_import earlier
        expect_end 74 strace -qq -f -o /dev/null -e inject=fsync:error=EIO:when="$n" \
            "$feedsync" import --restore --cache "$cache" "$archive"
        check_import earlier
        no_leftovers
    done
    for n in 1 7 50; do
        begin_import earlier
        expect_end 74 strace -qq -f -o /dev/null -e inject=renameat2:error=EIO:when="$n" \
            "$feedsync" import --restore --cache "$cache" "$archive"
        check_import earlier
        no_leftovers
    done
    mkdir "$work/broken"
    expect_end 74 strace -qq -f -o /dev/null -e inject=fsync:error=EIO "$feedsync" export --cache "$source_cache" \
        "$work/broken/x.tar"
    expect_end 73 strace -qq -f -o /dev/null -e inject=linkat:error=EACCES "$feedsync" export --cache "$source_cache" \
        "$work/broken/x.tar"
    [[ -z $(ls "$work/broken") ]] || problem leftovers "a failed export left $(ls "$work/broken")"
}
