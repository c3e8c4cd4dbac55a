"""Lays out a Debian package's files as `package.metadata.packager` in Cargo.toml describes them; prints the package's file name.

Usage: deb_tree.py PROGRAM FOLDER
"""

import gzip
import json
import pathlib
import shutil
import struct
import subprocess
import sys


def metadata():
    text = subprocess.check_output(["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"])
    return next(package for package in json.loads(text)["packages"] if package["name"] == "portamento")


def put(source, place, root):
    """A file, or all of a folder; manual pages are packed as Debian wants them."""
    source, place = pathlib.Path(source), root / place.lstrip("/")
    if source.is_dir():
        for file in sorted(source.iterdir()):
            put(file, str(place.relative_to(root) / file.name), root)
    elif "/man/" in f"/{place.relative_to(root)}":
        place.parent.mkdir(parents=True, exist_ok=True)
        place.with_name(place.name + ".gz").write_bytes(gzip.compress(source.read_bytes(), mtime=0))
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place)


def icon_place(file):
    width, height = struct.unpack(">II", pathlib.Path(file).read_bytes()[16:24])
    return f"usr/share/icons/hicolor/{width}x{height}/apps/portamento.png"


def desktop_entry(packager):
    values = {
        "name": packager["product-name"],
        "comment": packager["description"],
        "exec": "portamento",
        "exec_arg": "%F",
        "icon": "portamento",
        "mime_type": ";".join(kind["mime-type"] for kind in packager["file-associations"]),
    }
    text = pathlib.Path(packager["deb"]["desktop-template"]).read_text()
    for key, value in values.items():
        text = text.replace("{{" + key + "}}", value)
    return text


def control(package, packager, architecture, kilobytes):
    deb = packager["deb"]
    return "\n".join([
        "Package: portamento",
        f"Version: {package['version']}",
        f"Architecture: {architecture}",
        f"Maintainer: {packager['authors'][0]}",
        f"Installed-Size: {kilobytes}",
        f"Depends: {', '.join(deb['depends'])}",
        f"Section: {deb['section']}",
        "Priority: optional",
        f"Description: {packager['description']}",
        f" {packager['long-description']}",
        "",
    ])


def main(program, folder):
    package = metadata()
    packager = package["metadata"]["packager"]
    root = pathlib.Path(folder)
    shutil.rmtree(root, ignore_errors=True)
    put(program, "usr/bin/portamento", root)
    for icon in packager["icons"]:
        put(icon, icon_place(icon), root)
    for source, place in packager["deb"]["files"].items():
        put(source, place, root)
    entry = root / "usr/share/applications/portamento.desktop"
    entry.parent.mkdir(parents=True, exist_ok=True)
    entry.write_text(desktop_entry(packager))
    kilobytes = sum(file.stat().st_size for file in root.rglob("*") if file.is_file()) // 1024
    architecture = subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN/control").write_text(control(package, packager, architecture, kilobytes))
    print(f"portamento_{package['version']}_{architecture}.deb")


main(*sys.argv[1:])
