#!/usr/bin/env python3
"""Writes the project that most films show: `films.py SAMPLES_FOLDER` puts the takes of films.json over the sample files."""

import json
import pathlib
import sys

# Files of other sample projects, with the numbers that films.json gives them.
OTHERS = {101: ("mocap", "mocap.bvh"), 102: ("loop", "jog_on_the_spot.bvh")}


def document(folder, name):
    return json.loads((folder / f"{name}.portamento").read_text())["document"]


def add_file(target, number, source, path):
    """Adds the file `path` of the project `source` with the joint roles that it has there. It stands up."""
    file = next(file for file in source["files"] if file["path"] == path)
    target["files"].append({**file, "id": number, "up": None})
    roles = next(character for character in source["characters"] if character["file"] == file["id"])
    target["characters"].append({**roles, "file": number})


def take(number, wanted, samples):
    """Returns a take of films.json: of a clip of the first file, of any source, or a sample take with further stages. `part` is the
    range of it that is shown, in seconds."""
    stages = wanted.get("stages", [])
    if "sample" in wanted:
        sample = next(take for take in samples if take["name"] == wanted["sample"])
        wanted, stages = sample | wanted, sample["stages"] + stages
    source = wanted["source"]
    if isinstance(source, str):
        source = {"clip": {"file": 1, "clip": source}}
    if "part" in wanted:
        start, end = wanted["part"]
        stages = [*stages, {"trim": {"from": start, "to": end}}]
    stages = [{**stage, "id": index} for index, stage in enumerate(stages, 1)]
    return {"id": number, "name": wanted["name"], "character": wanted.get("character", 1), "source": source, "stages": stages}


def main():
    folder = pathlib.Path(sys.argv[1])
    target = document(folder, "samples")
    for number, (project, path) in OTHERS.items():
        add_file(target, number, document(folder, project), path)
    wanted = json.loads((pathlib.Path(__file__).parent / "films.json").read_text())
    target["takes"] = [take(number, one, target["takes"]) for number, one in enumerate(wanted, 200)]
    target["next_id"], target["objects"] = 1000, []
    project = {"format": "portamento", "version": 4, "document": target}
    (folder / "films.portamento").write_text(json.dumps(project))


main()
