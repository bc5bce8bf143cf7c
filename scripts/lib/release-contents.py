#!/usr/bin/env python3
"""Prints the contents of the files of a release as a CycloneDX list."""

import datetime
import json
import os
import re
import subprocess
import sys
import uuid

version, revision, directory, image_packages = sys.argv[1:]
epoch = int(os.environ["SOURCE_DATE_EPOCH"])
architecture = subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()


def installed(packages):
    """Returns the versions of packages on this machine."""
    form = "${Package} ${Version}\n"
    lines = subprocess.check_output(["dpkg-query", "-W", "-f", form, *packages], text=True)
    return dict(line.split() for line in lines.splitlines())


def licences(package):
    """Returns the names of the licences in the copyright file of a package."""
    try:
        with open(f"/usr/share/doc/{package}/copyright", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        text = ""
    names = sorted({name.strip() for name in re.findall(r"^License: *(\S[^\n]{0,80})$", text, re.MULTILINE)})
    return [{"license": {"name": name}} for name in names or [f"see the copyright file of {package}"]]


def component(name, number, licence_list, contained_in, **members):
    return {
        "type": "library",
        "name": name,
        "version": number,
        **members,
        "licenses": licence_list,
        "properties": [{"name": "feedsync:contained-in", "value": place} for place in contained_in],
    }


with open(os.path.join(directory, "lib/feedsync/packages")) as file:
    bundled = installed(file.read().split())
with open(image_packages) as file:
    image = dict(line.split() for line in file)
image.pop("feedsync", None)

components = []
for package in sorted(bundled | image):
    for number in sorted({places[package] for places in (bundled, image) if package in places}):
        contained_in = [
            place for place, found in (("directory", bundled), ("image", image)) if found.get(package) == number
        ]
        url = f"pkg:deb/debian/{package}@{number}?arch={architecture}"
        components.append(component(package, number, licences(package), contained_in, purl=url, **{"bom-ref": url}))
output = subprocess.check_output(["swift", "--version"], text=True, stderr=subprocess.DEVNULL)
swift = re.search(r"Swift version (\S+)", output)
components.append(
    component(
        "swift-standard-library",
        swift.group(1) if swift else "unknown",
        [{"license": {"name": "Apache-2.0 WITH Swift-exception"}}],
        ["package", "directory", "image"],
        **{"bom-ref": "swift-standard-library"},
    )
)
made = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
document = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'feedsync {revision} {architecture}')}",
    "version": 1,
    "metadata": {
        "timestamp": made,
        "component": {
            "type": "application",
            "bom-ref": "feedsync",
            "name": "feedsync",
            "version": version,
            "properties": [{"name": "feedsync:revision", "value": revision}],
        },
    },
    "components": components,
}
json.dump(document, sys.stdout, indent=2)
print()
