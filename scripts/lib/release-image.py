#!/usr/bin/env python3
"""Writes an OCI image layout with one layer."""

import datetime
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys

layer, version, revision, directory = sys.argv[1:]
blobs = os.path.join(directory, "blobs", "sha256")
os.makedirs(blobs)
epoch = int(os.environ["SOURCE_DATE_EPOCH"])
created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
architecture = subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def store(path, kind, **members):
    """Moves a file to the blobs, and returns its descriptor."""
    name = digest(path)
    size = os.path.getsize(path)
    os.rename(path, os.path.join(blobs, name))
    return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{name}", "size": size, **members}


def write(name, value):
    path = os.path.join(directory, name)
    with open(path, "w") as file:
        json.dump(value, file, sort_keys=True, separators=(",", ":"))
    return path


compressed = os.path.join(directory, "layer.tar.gz")
with open(layer, "rb") as source, open(compressed, "wb") as target:
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=target, mtime=0) as stream:
        shutil.copyfileobj(source, stream, 1 << 20)

labels = {
    "org.opencontainers.image.title": "feedsync",
    "org.opencontainers.image.description": "mirror of image feeds",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.revision": revision,
    "org.opencontainers.image.created": created,
}
platform = {"architecture": architecture, "os": "linux"}
image = {
    "created": created,
    **platform,
    "config": {
        "User": "65532:65532",
        "Env": ["PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/cache", "FEEDSYNC_CACHE=/cache"],
        "Entrypoint": ["feedsync"],
        "WorkingDir": "/cache",
        "Volumes": {"/cache": {}},
        "Labels": labels,
    },
    "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest(layer)}"]},
    "history": [{"created": created, "created_by": "scripts/release"}],
}
manifest = {
    "schemaVersion": 2,
    "mediaType": "application/vnd.oci.image.manifest.v1+json",
    "config": store(write("config", image), "config.v1+json"),
    "layers": [store(compressed, "layer.v1.tar+gzip")],
    "annotations": labels,
}
names = {"org.opencontainers.image.ref.name": version}
reference = store(write("manifest", manifest), "manifest.v1+json", platform=platform, annotations=names)
index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [reference]}
write("index.json", index)
write("oci-layout", {"imageLayoutVersion": "1.0.0"})
