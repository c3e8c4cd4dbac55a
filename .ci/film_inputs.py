#!/usr/bin/env python3
"""Notes what a film was made from: `film_inputs.py NAME TAKE…` writes a hash to film_inputs.json. A test compares it with today's.

The inputs are the takes in films.json or in the sample project, the files of that project, and the tables of settings of the stages."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent


def leaves(value, path=""):
    """Returns a line for each value in a JSON value, with six decimals, in the order of the names."""
    if isinstance(value, dict):
        return [line for key in sorted(value) for line in leaves(value[key], f"{path}/{key}")]
    if isinstance(value, list):
        return [line for index, entry in enumerate(value) for line in leaves(entry, f"{path}/{index}")]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return [f"{path} {value:.6f}" if is_number else f"{path} {value if isinstance(value, str) else json.dumps(value)}"]


def takes(names):
    """Returns the entries of films.json with these names and the sample takes that they or the names refer to."""
    entries = json.loads((HERE / "films.json").read_text())
    samples = json.loads((ROOT / "assets/samples.portamento").read_text())["document"]
    named = [entry for entry in entries if entry["name"] in names]
    names = [entry.get("sample") for entry in named] + [name for name in names if name not in [e["name"] for e in named]]
    return named + [take for take in samples["takes"] if take["name"] in names], samples["files"]


def tables(shown):
    """Returns the tables of settings of all stages of the takes."""
    kinds = {key for take in shown for stage in take.get("stages", []) for key in stage}
    pages = [page.read_text() for page in sorted((ROOT / "assets/guide/en").glob("*.md"))]
    found = []
    for kind in sorted(kinds):
        mark = f"<!-- settings {kind} -->"
        found += [page.split(mark)[1].split("<!-- end -->")[0] for page in pages if mark in page]
    return found


def hashed(text):
    """Returns the 64-bit FNV-1a hash of a text."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def main():
    name, *names = sys.argv[1:]
    shown, files = takes(names)
    inputs = hashed("\n".join([*names, *leaves(shown), *leaves(files), *tables(shown)]))
    path = HERE / "film_inputs.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known[name] = inputs
    path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


main()
