#!/bin/sh
# Installs feedsync from the directory of this script, or removes it.
set -eu

usage() {
    cat <<'TEXT'
Usage: ./install.sh [--prefix P] [--uninstall]

Copies feedsync with its libraries, manual page, completions, systemd units, examples and licences to P (/usr/local).
It starts nothing. Caches and config files are never touched.

  --prefix P    install below P; as root, or below a directory of your own, such as ~/.local
  --uninstall   remove what was installed with the same prefix
TEXT
}

prefix=/usr/local
uninstall=
while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ "${2:-}" ] || { echo "install.sh: --prefix needs a value" >&2; exit 64; }
            prefix=$2
            shift 2 ;;
        --prefix=*) prefix=${1#*=}; shift ;;
        --uninstall) uninstall=1; shift ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 64 ;;
    esac
done
case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
esac
prefix=${prefix%/}
cd "$(dirname "$0")"
list=lib/feedsync/files

if [ "$uninstall" ]; then
    [ -e "$prefix/$list" ] || { echo "install.sh: feedsync is not installed in $prefix" >&2; exit 66; }
    while read -r file; do rm -f "$prefix/$file"; done <"$prefix/$list"
    # Only empty directories are removed, and only those of feedsync.
    for folder in lib/feedsync/gconv lib/feedsync share/doc/feedsync/cluster share/doc/feedsync/licences share/doc/feedsync; do
        rmdir "$prefix/$folder" 2>/dev/null || true
    done
    exit 0
fi

old=
[ ! -e "$prefix/$list" ] || old=$(cat "$prefix/$list")
bindir=$(printf '%s' "$prefix/bin" | sed 's/%/%%/g; s/[\\&|]/\\&/g')
# The new files replace the old ones by a rename, so that a running feedsync keeps its libraries.
while read -r file; do
    mkdir -p "$prefix/$(dirname "$file")"
    case $file in
        lib/systemd/*) sed "s|@BINDIR@|$bindir|g" "$file" >"$prefix/$file.new" ;;
        *) cp -p "$file" "$prefix/$file.new" ;;
    esac
    mv -f "$prefix/$file.new" "$prefix/$file"
done <"$list"
# Deletes the files of an older version that this version does not have.
printf '%s\n' "$old" | while read -r file; do
    [ ! "$file" ] || grep -qxF "$file" "$list" || rm -f "$prefix/$file"
done
echo "installed $prefix/bin/feedsync"
