#!/usr/bin/env bash
# Makes the container image as an OCI archive: a minimal Debian with the package and libvips-tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/lib/root.bash
become_root
package=$1 version=$2 revision=$3 packages=$4 archive=$5
source /etc/os-release
work=$(mktemp -d)
trap '"${as_root[@]}" rm -rf "$work"' EXIT

cp "$package" "$work/feedsync.deb"
# The file names the package with its full path, so that apt takes it for a file.
"${as_root[@]}" mmdebstrap --quiet --mode=root --variant=apt \
    --include=ca-certificates,libvips-tools --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --customize-hook="copy-in $work/feedsync.deb /tmp" \
    --customize-hook='chroot "$1" apt-get --quiet --yes install /tmp/feedsync.deb >&2' \
    --customize-hook='rm "$1/tmp/feedsync.deb"' \
    --customize-hook='install -d -m 700 -o 65532 -g 65532 "$1/cache"' \
    --customize-hook='echo "feedsync:x:65532:65532::/cache:/usr/sbin/nologin" >>"$1/etc/passwd"' \
    --customize-hook='echo "feedsync:x:65532:" >>"$1/etc/group"' \
    --customize-hook="chroot \"\$1\" dpkg-query -W -f '\${Package} \${Version}\\n' >$work/packages" \
    --customize-hook='cd "$1" && rm -rf var/log/* var/cache/* var/lib/apt/lists/* var/lib/dpkg/*-old etc/*- etc/machine-id' \
    "$VERSION_CODENAME" "$work/layer.tar" >&2
cp "$work/packages" "$packages"

scripts/lib/release-image.py "$work/layer.tar" "$version" "$revision" "$work/image"
tar --directory "$work/image" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    --format=ustar --create oci-layout index.json blobs >"$archive"
