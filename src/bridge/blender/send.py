"""Sends an armature with its meshes and chosen actions: a GLB and a description in the exchange folder."""

import contextlib
import json
import os
import re
import time
import uuid

import bpy
import numpy as np

from . import connection, sampling, transforms
from .glb import Glb

ID_PROPERTY = "portamento_id"
# Differences below this are no motion; the files have single precision.
STILL = 1e-7
# Age of temporary files that no program writes any more.
REMAINS_SECONDS = 600
# Characters that are not allowed in file names of some system.
FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f]')


def armature_id(armature):
    """Returns the lasting id of an armature. A copied armature gets its own."""
    known = armature.get(ID_PROPERTY)
    others = [other for other in bpy.data.objects if other is not armature and other.get(ID_PROPERTY) == known]
    if not isinstance(known, str) or not re.fullmatch(r"[0-9a-f]{32}", known) or others:
        known = armature[ID_PROPERTY] = uuid.uuid4().hex
    return known


def sent_file(armature):
    """Returns the path of the GLB of an armature. It stays when the armature is renamed."""
    folder = connection.exchange_folder() / armature_id(armature)
    existing = sorted(folder.glob("*.glb"), key=os.path.getmtime) if folder.is_dir() else []
    sent = [path for path in existing if path.with_suffix(".json").exists()]
    return sent[-1] if sent else folder / (file_stem(armature.name) + ".glb")


def file_stem(name):
    """Returns a file name for a name of any kind."""
    stem = FORBIDDEN.sub("_", name).strip(" .")[:80]
    return stem if stem and not re.fullmatch(r"(?i)con|prn|aux|nul|com\d|lpt\d", stem) else f"_{stem}"


def write(context, armature, actions):
    """Writes the GLB and its description. `actions` has pairs of an action and a slot. Returns the path of the GLB."""
    path = sent_file(armature)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    remove_remains(path.parent)
    temporary = path.parent / f".{os.getpid()}.glb"
    export_mesh(context, armature, temporary)
    try:
        file = Glb.read(temporary)
    finally:
        temporary.unlink(missing_ok=True)
    nodes = joint_nodes(file, armature)
    rate = frame_rate(context.scene)
    clips = []
    for action, slot in actions:
        frames = sampling.frames_of(action, slot)
        if not len(frames):
            continue
        name = clip_name(action, slot, armature)
        file.add_animation(name, channels(file, armature, nodes, action, slot, frames, rate))
        clips.append({"clip": name, "action": action.name, "slot": slot.identifier, "frames": [frames[0], frames[-1]]})
    describe(context, armature, path, clips, rate)
    file.write(path)
    return path


def remove_remains(folder):
    """Removes temporary files of programs that ended while they wrote."""
    for path in [*folder.glob(".*"), *folder.glob("*.part")]:
        # Another program may remove it at the same time.
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > REMAINS_SECONDS:
                path.unlink()


def frame_rate(scene):
    """Returns the frames per second of a scene."""
    return scene.render.fps / scene.render.fps_base


def clip_name(action, slot, armature):
    """Returns the name of a clip: that of the action, with the slot if the action has several."""
    return action.name if len(sampling.slots_for(action, armature)) < 2 else f"{action.name}|{slot.name_display}"


def describe(context, armature, path, clips, rate):
    """Writes the description next to the GLB."""
    scene = context.scene
    description = {
        "version": 1,
        "blender": bpy.app.version_string,
        "file": bpy.data.filepath,
        "armature": armature.name,
        "fps": rate,
        "metres_per_unit": scene.unit_settings.scale_length,
        "axes": "glTF: +Y up; Blender: +Z up",
        "frame_range": [scene.frame_start, scene.frame_end],
        "control_rig": bool(armature.data.get("rig_id")),
        "clips": clips,
    }
    temporary = path.parent / f".{os.getpid()}.json"
    temporary.write_text(json.dumps(description, ensure_ascii=False, indent=1), encoding="utf-8")
    os.replace(temporary, path.with_suffix(".json"))


def meshes_of(armature):
    """Returns the meshes that the armature deforms or carries."""
    def belongs(item):
        modifiers = any(modifier.type == "ARMATURE" and modifier.object == armature for modifier in item.modifiers)
        return item.type == "MESH" and (modifiers or item.parent == armature)

    return [item for item in bpy.context.view_layer.objects if belongs(item)]


def export_mesh(context, armature, path):
    """Writes armature and meshes at rest with Blender's own exporter. The selection stays."""
    layer = context.view_layer
    selected, active = [item for item in layer.objects if item.select_get()], layer.objects.active
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    try:
        for item in selected:
            item.select_set(False)
        for item in [armature, *meshes_of(armature)]:
            item.select_set(True)
        layer.objects.active = armature
        options = {
            "export_animations": False,
            "export_rest_position_armature": True,
            "export_def_bones": has_controls(armature),
            "use_selection": True,
            "use_visible": False,
        }
        bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLB", **options)
    finally:
        for item in layer.objects:
            item.select_set(item in selected)
        layer.objects.active = active


def has_controls(armature):
    """True if some bones only control others, so that only those that deform are sent."""
    bones = armature.data.bones
    return sampling.is_driven(armature) and 0 < sum(bone.use_deform for bone in bones) < len(bones)


def joint_nodes(file, armature):
    """Returns the node of each bone in a GLB by the bone's name, and that of the armature by None."""
    nodes = file.json.get("nodes", [])
    joints = {joint for skin in file.json.get("skins", []) for joint in skin["joints"]}
    bones, parents, found = armature.data.bones, file.parents(), {}
    for index, node in enumerate(nodes):
        name = node.get("name", "")
        # The armature itself is on top and may have the name of a bone.
        is_joint = index in joints or not joints and "mesh" not in node and parents[index] is not None
        if is_joint and name in bones:
            found[name] = index
    tops = {parents[index] for index in found.values() if parents[index] not in found.values()}
    if len(tops) == 1 and None not in tops:
        found[None] = tops.pop()
    return found


def channels(file, armature, nodes, action, slot, frames, rate):
    """Returns the channels of an action, sampled on every frame; curves that do not move have one key."""
    times = (np.array(frames, float) - frames[0]) / rate
    parents, names = file.parents(), {index: name for name, index in nodes.items()}
    curves = sampling.Curves(action, slot)
    bones = [name for name in nodes if name is not None]
    if sampling.is_driven(armature):
        poses = sampling.evaluated_poses(armature, action, slot, frames, bones)
    else:
        poses = None
    result = []
    for name in bones:
        parent = names.get(parents[nodes[name]])
        local = from_poses(poses, name, parent) if poses else from_curves(armature, curves, name, parent, frames)
        if local:
            result += moving(nodes[name], times, *local)
    if None in nodes and None in curves.curves:
        result += moving(nodes[None], times, *object_channels(armature, curves, frames))
    return result


def from_curves(armature, curves, name, parent, frames):
    """Returns the local transforms of a bone as glTF has them; None if the action does not move it."""
    if name not in curves.curves:
        return None
    locations, rotations, scales = curves.transforms(armature.pose.bones[name], name, frames)
    rest = sampling.rest_local(armature, name, parent)
    _, turn, _ = transforms.decompose(rest[None])
    moved = locations @ rest[:3, :3].T + rest[:3, 3]
    return moved, transforms.multiply(turn, rotations), scales


def from_poses(poses, name, parent):
    """Returns the local transforms of a bone as glTF has them, from matrices in the space of the armature."""
    base = transforms.inverse(poses[parent]) if parent in poses else transforms.TO_Y_UP
    return transforms.decompose(base @ poses[name])


def object_channels(armature, curves, frames):
    """Returns the transforms of the armature object as glTF has them."""
    locations, rotations, scales = curves.transforms(armature, None, frames)
    if not curves.moves(None, "location"):
        locations = np.tile(armature.location, (len(frames), 1))
    if not curves.moves(None, "scale"):
        scales = np.tile(armature.scale, (len(frames), 1))
    if not curves.moves(None, sampling.rotation_channel(armature)):
        rotations = np.tile(armature.matrix_basis.to_quaternion(), (len(frames), 1))
    x, y, z = locations.T
    w, i, j, k = rotations.T
    return np.stack([x, z, -y], 1), np.stack([w, i, k, -j], 1), scales[:, [0, 2, 1]]


def moving(node, times, locations, rotations, scales):
    """Returns the channels of a node. Rotations are written as x, y, z, w."""
    result = []
    rotations = transforms.continuous(rotations)[:, [1, 2, 3, 0]]
    for path, values in [("translation", locations), ("rotation", rotations), ("scale", scales)]:
        is_still = np.ptp(values, axis=0).max() < STILL
        result.append((node, path, times[:1] if is_still else times, values[:1] if is_still else values))
    # A clip of still curves keeps its length.
    if len(times) > 1 and all(len(channel[2]) == 1 for channel in result):
        result[1] = (node, "rotation", times[[0, -1]], rotations[[0, -1]])
    return result
