#!/bin/sh
# Installs feedsync from the directory of this script, or removes it.
set -eu
# What root installs is for every user to read, and for root to change.
umask 022

usage() {
    cat <<'TEXT'
Usage: ./install.sh [--prefix P] [--uninstall]

Copies feedsync with its libraries, manual page, completions, systemd units, examples and licences to P (/usr/local).
It starts nothing. Caches and config files are never touched.

  --prefix P    install below P; as root, or below a directory of your own, such as ~/.local
  --uninstall   remove what was installed with the same prefix, and nothing outside of it
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
# The installed list also names the directories that were made, each with a slash at its end.
list=lib/feedsync/files

# Prints the real path of a directory of the list, if that is the prefix or below it.
inside() {
    real=$(cd -P "$prefix/" && pwd -P)
    folder=$(cd -P "$prefix/$1" 2>/dev/null && pwd -P) || return 1
    case ${folder%/}/ in "${real%/}"/*) printf '%s\n' "$folder" ;; *) return 1 ;; esac
}

# Deletes a file of the list. The list may be old or damaged, and a directory may be a link that leads elsewhere.
delete() {
    [ -e "$prefix/$1" ] || [ -L "$prefix/$1" ] || return 0
    if folder=$(inside "$(dirname "$1")"); then
        path=$folder/$(basename "$1")
        case ${path#"$(inside .)"} in
            *feedsync*)
                rm -f "$path"
                return ;;
        esac
    fi
    echo "install.sh: $prefix/$1 stays: it is not a file of feedsync below $prefix" >&2
}

old=
[ ! -e "$prefix/$list" ] || old=$(cat "$prefix/$list")
if [ "$uninstall" ]; then
    [ "$old" ] || { echo "install.sh: feedsync is not installed in $prefix" >&2; exit 66; }
    printf '%s\n' "$old" | grep -v '/$' | while IFS= read -r file; do delete "$file"; done
    # Only empty directories are removed: those that were made, and every one of feedsync. Inner ones come first.
    printf '%s\n' "$old" |
        sed -n -e 's|/$||p; :above' -e 's|/[^/]*$||; t found' -e 'd; :found' -e '/feedsync/{ p; b above' -e '}' |
        LC_ALL=C sort -ru |
        while IFS= read -r made; do
            ! folder=$(inside "$made") || rmdir "$folder" 2>/dev/null || true
        done
    exit 0
fi

made=$(printf '%s\n' "$old" | grep '/$' || true)
make_folder() {
    [ ! -d "$prefix/$1" ] || return 0
    [ "$1" = . ] || make_folder "$(dirname "$1")"
    mkdir -p "$prefix/$1"
    made=$(printf '%s\n%s/' "$made" "$1")
}
save_list() {
    rm -f "$prefix/$list.new"
    printf '%s\n' "$@" | grep . | LC_ALL=C sort -u >"$prefix/$list.new"
    mv -f "$prefix/$list.new" "$prefix/$list"
}
while IFS= read -r file; do make_folder "$(dirname "$file")"; done <"$list"
# If this run is interrupted, --uninstall still finds every file.
save_list "$made" "$old" "$(cat "$list")"
bindir=$(printf '%s' "$prefix/bin" | sed 's/%/%%/g; s/[\\&|]/\\&/g')
# The new files replace the old ones by a rename, so that a running feedsync keeps its libraries. They belong to the user
# who installs them, whoever unpacked the archive.
while IFS= read -r file; do
    new=$prefix/$file.new
    rm -f "$new"
    case $file in
        "$list") continue ;;
        lib/systemd/*) sed "s|@BINDIR@|$bindir|g" "$file" >"$new" ;;
        *) cp -P "$file" "$new" ;;
    esac
    [ -L "$new" ] || chmod u=rwX,go=rX "$new"
    mv -f "$new" "$prefix/$file"
done <"$list"
# Deletes the files of an older version that this version does not have.
printf '%s\n' "$old" | while IFS= read -r file; do
    case $file in '' | */) ;; *) grep -qxF -e "$file" "$list" || delete "$file" ;; esac
done
save_list "$made" "$(cat "$list")"
echo "installed $prefix/bin/feedsync"
