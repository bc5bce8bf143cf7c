#!/usr/bin/env bash
# Makes the portable directory: the program, its libraries and their loader, and the files that an installation has.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
program=$1 directory=$2
libraries=$directory/lib/feedsync
documents=$directory/share/doc/feedsync

mkdir -p "$directory/bin" "$libraries/gconv" "$documents/licences" "$documents/cluster" "$directory/lib/systemd/system"
install -m 755 "$program" "$libraries/program"
clang -static -Os -Wall -Wextra -Werror -o "$directory/bin/feedsync" scripts/lib/portable/launcher.c
strip --remove-section=.comment --remove-section=.note.gnu.build-id "$directory/bin/feedsync"

# Copies a library, and remembers the package that it belongs to.
packages=()
copy() {
    local source=$1 target=$2 found
    install -m 644 "$(realpath "$source")" "$target"
    # dpkg knows a library by its path in /lib or in /usr/lib.
    found=$(dpkg -S "$(realpath "$source")" 2>/dev/null || dpkg -S "${source#/usr}" 2>/dev/null) ||
        { echo "no package contains $source" >&2; exit 1; }
    packages+=("${found%%:*}")
}
# ldd prints "NAME => PATH (ADDRESS)" for a library, and "PATH (ADDRESS)" for the loader.
while read -r first arrow path _; do
    case $first in
        linux-vdso*) ;;
        /*)
            copy "$first" "$libraries/feedsync"
            chmod 755 "$libraries/feedsync"
            # The libraries name the loader among the libraries that they need.
            ln -s feedsync "$libraries/${first##*/}" ;;
        *)
            [[ $arrow == '=>' && $path == /* ]] || { echo "ldd finds no $first" >&2; exit 1; }
            copy "$path" "$libraries/$first"
            [[ $first != libc.so.6 ]] || tables=$(dirname "$(realpath "$path")")/gconv ;;
    esac
done < <(ldd "$program")

# The tables of iconv, because feeds are written in many encodings.
[[ -d $tables ]] || tables=/usr$tables
cp "$tables"/*.so "$tables/gconv-modules" "$libraries/gconv"
cp -r "$tables/gconv-modules.d" "$libraries/gconv"

mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
printf '%s\n' "${packages[@]}" >"$libraries/packages"
for package in "${packages[@]}"; do
    cp "/usr/share/doc/$package/copyright" "$documents/licences/$package"
done
cat >"$documents/licences/feedsync" <<'EOF'
The sources of feedsync state no licence.

The program contains the Swift standard library, Copyright 2014-2026 Apple Inc. and the Swift project authors, under the
Apache License 2.0 with Runtime Library Exception.
EOF
mkdir "$documents/licences/common"
cp -L /usr/share/common-licenses/* "$documents/licences/common"

# The manual page and the completions are those of a usual installation.
scripts/install --binary "$program" --prefix /p --destdir "$directory/installed" >/dev/null
cp -r "$directory/installed/p/share/." "$directory/share"
rm -r "$directory/installed"
cp scripts/lib/systemd/feedsync.{service,timer} "$directory/lib/systemd/system"
cp fixtures/cluster/* "$documents/cluster"
cp .github/CHANGELOG.md "$documents"
install -m 755 scripts/lib/portable/install.sh "$directory"
# install.sh installs and removes the files of this list.
(cd "$directory" && { echo lib/feedsync/files; find bin lib share \( -type f -o -type l \); } | LC_ALL=C sort) \
    >"$directory/list"
mv "$directory/list" "$libraries/files"
find "$directory" -type f -exec chmod u=rwX,go=rX {} +
