#!/usr/bin/env bash
# Runs the files of a release on the systems that they are meant for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/lib/root.bash
become_root
made=$1 version=$2 architecture=$3
name=feedsync-$version
work=$(mktemp -d)
server=''
root=''
# feedsync needs /proc, which is unmounted before the root directory is deleted.
enter() { "${as_root[@]}" mkdir -p "$root/proc" && "${as_root[@]}" mount -t proc proc "$root/proc"; }
leave() {
    "${as_root[@]}" umount "$root/proc"
    "${as_root[@]}" rm -rf "$root"
    root=''
}
finish() {
    [[ ! $server ]] || kill "$server" 2>/dev/null || true
    [[ ! $root ]] || "${as_root[@]}" umount -q "$root/proc" || true
    "${as_root[@]}" rm -rf --one-file-system "$work"
}
trap finish EXIT
step() { printf '== %s\n' "$*" >&2; }

(cd "$made" && sha256sum --quiet -c SHA256SUMS)
for limit in "$name-linux-$architecture.tar.xz 30" "$name-$architecture.oci.tar 120"; do
    read -r file most <<<"$limit"
    size=$(stat -c %s "$made/$file")
    ((size <= most << 20)) || { echo "$file has $size bytes, more than $most MB" >&2; exit 1; }
done

# An https server with a certificate authority of its own.
site=$work/site
mkdir -p "$site"
cp fixtures/images/lake.jpg "$site"
# A large image, which gets thumbnails: noise does not compress.
python3 - "$site/noise.png" <<'EOF'
import random, struct, sys, zlib
random.seed(1)
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\0" + random.randbytes(3 * 600) for _ in range(600))
with open(sys.argv[1], "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 600, 600, 8, 2, 0, 0, 0)))
    file.write(chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
EOF
cat >"$site/feed.xml" <<'EOF'
<rss version="2.0"><channel><title>Landscapes</title>
<item><guid>lake</guid><enclosure url="lake.jpg" type="image/jpeg"/></item>
<item><guid>noise</guid><enclosure url="noise.png" type="image/png"/></item>
</channel></rss>
EOF
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$work/key.pem" -out "$work/authority.pem" 2>/dev/null
cat >"$work/server.py" <<'EOF'
import functools, http.server, ssl, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[2], sys.argv[3])
server.socket = context.wrap_socket(server.socket, server_side=True)
with open(sys.argv[4], "w") as port:
    print(server.server_address[1], file=port)
server.serve_forever()
EOF
mkfifo "$work/port"
python3 "$work/server.py" "$site" "$work/authority.pem" "$work/key.pem" "$work/port" 2>/dev/null &
server=$!
read -r port <"$work/port"
feed=https://localhost:$port/feed.xml

# Runs each step in a root directory: $1 is the root, $2 the user, and the rest is the command.
inside() {
    local root=$1 user=$2
    shift 2
    "${as_root[@]}" env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/data \
        chroot --userspec="$user:$user" "$root" "$@"
}
use() {
    local root=$1 user=$2 program=$3 data=$4
    local run=(inside "$root" "$user" "$program")
    "${run[@]}" --version -v
    "${run[@]}" sync --cache "$data/cache" "$feed"
    "${run[@]}" show --offline --cache "$data/cache" "$feed" | grep -q lake.jpg
    "${run[@]}" export --cache "$data/cache" "$data/a.tar.zst"
    "${run[@]}" import --restore --cache "$data/other" "$data/a.tar.zst"
    "${run[@]}" gallery --cache "$data/other" "$data/gallery"
    "${as_root[@]}" test -s "$root$data/gallery/index.html"
    # Text in another encoding needs the tables of iconv.
    {
        printf '<?xml version="1.0" encoding="windows-1251"?><rss><channel><title>'
        printf '\xcf\xf0\xe8\xe2\xe5\xf2</title></channel></rss>'
    } | "${as_root[@]}" tee "$root$data/legacy.xml" >/dev/null
    "${run[@]}" show --json --cache "$data/legacy" "$data/legacy.xml" | grep -q 'Привет' ||
        { echo "windows-1251 cannot be read" >&2; return 1; }
}
has_thumbnails() {
    "${as_root[@]}" test -d "$root$1/other/thumbnails" || { echo "the gallery has no thumbnails" >&2; return 1; }
}
certificates() { "${as_root[@]}" install -D -m 644 "$work/authority.pem" "$1/$2"; }
data() { "${as_root[@]}" install -d -m 700 -o "$2" -g "$2" "$1/data"; }
debian() {
    "${as_root[@]}" mmdebstrap --quiet --mode=root --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' \
        "${@:3}" "$1" "$2" >&2
}

cp "$made/feedsync_${version}_$architecture.deb" "$work/feedsync.deb"
for release in bookworm trixie; do
    step "package in Debian $release"
    root=$work/$release
    debian "$release" "$root" --customize-hook="copy-in $work/feedsync.deb /tmp" \
        --customize-hook='chroot "$1" apt-get --quiet --yes install /tmp/feedsync.deb libvips-tools >&2'
    certificates "$root" usr/local/share/ca-certificates/own.crt
    inside "$root" 0 update-ca-certificates >/dev/null
    data "$root" 1234
    enter
    use "$root" 1234 feedsync /data
    has_thumbnails /data
    leave
done

step "directory in the coming Debian"
root=$work/forky
debian forky "$root"
"${as_root[@]}" tar -xJf "$made/$name-linux-$architecture.tar.xz" -C "$root/opt"
certificates "$root" etc/pki/tls/certs/ca-bundle.crt
data "$root" 1234
enter
use "$root" 1234 "/opt/$name-linux-$architecture/bin/feedsync" /data
usual=$(cd "$root/usr/local" && find . | sort)
inside "$root" 0 "/opt/$name-linux-$architecture/install.sh" --prefix /usr/local
# An update deletes the files that only the older version has.
echo lib/feedsync/libolder.so | "${as_root[@]}" tee -a "$root/usr/local/lib/feedsync/files" >/dev/null
"${as_root[@]}" touch "$root/usr/local/lib/feedsync/libolder.so"
inside "$root" 0 "/opt/$name-linux-$architecture/install.sh"
[[ ! -e $root/usr/local/lib/feedsync/libolder.so ]] || { echo "an update leaves files behind" >&2; exit 1; }
"${as_root[@]}" install -d -m 700 -o 1234 -g 1234 "$root/data/installed"
use "$root" 1234 /usr/local/bin/feedsync /data/installed
inside "$root" 0 "/opt/$name-linux-$architecture/install.sh" --uninstall
[[ $(cd "$root/usr/local" && find . | sort) == "$usual" ]] || { echo "files remain after --uninstall" >&2; exit 1; }
leave

step "directory without a C library"
root=$work/bare
mkdir -p "$root/tmp"
"${as_root[@]}" tar -xJf "$made/$name-linux-$architecture.tar.xz" -C "$root"
certificates "$root" etc/ssl/ca-bundle.pem
data "$root" 1234
enter
use "$root" 1234 "/$name-linux-$architecture/bin/feedsync" /data
leave

step "image as its user"
mkdir "$work/image"
tar -xf "$made/$name-$architecture.oci.tar" -C "$work/image"
skopeo inspect "oci-archive:$made/$name-$architecture.oci.tar" >/dev/null
layer=$(jq -r '.manifests[0].digest' "$work/image/index.json")
layer=$(jq -r '.layers[0].digest' "$work/image/blobs/sha256/${layer#sha256:}")
root=$work/unpacked
mkdir "$root"
"${as_root[@]}" tar -xzf "$work/image/blobs/sha256/${layer#sha256:}" -C "$root"
certificates "$root" etc/ssl/certs/ca-certificates.crt
enter
use "$root" 65532 feedsync /cache
has_thumbnails /cache
leave
step "every file of the release runs where it is meant to"
