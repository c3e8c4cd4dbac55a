"""The motion of an armature as arrays: from actions, and from the evaluated scene."""

import contextlib

import bpy
import numpy as np
from mathutils import Euler, Quaternion

from . import transforms

CHANNELS = {"location": 3, "rotation_quaternion": 4, "rotation_euler": 3, "rotation_axis_angle": 4, "scale": 3}
REST = {"location": (0, 0, 0), "rotation_quaternion": (1, 0, 0, 0), "rotation_euler": (0, 0, 0), "rotation_axis_angle": (0, 0, 1, 0), "scale": (1, 1, 1)}
ROTATIONS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}


def rotation_channel(owner):
    """Returns the name of the rotation property that `owner`, an object or a pose bone, uses."""
    return ROTATIONS.get(owner.rotation_mode, "rotation_euler")


def curves_of(action, slot):
    """Returns the curves of a slot of an action."""
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot)
            if bag:
                return list(bag.fcurves)
    return []


def slots_for(action, armature):
    """Returns the slots of an action that move objects."""
    return [slot for slot in action.slots if slot.target_id_type in {"OBJECT", "UNSPECIFIED"}]


def slot_of(action, armature):
    """Returns the slot that moves the armature, otherwise the first one that moves objects; None without one."""
    data = armature.animation_data
    slots = slots_for(action, armature)
    if data and data.action == action and data.action_slot in slots:
        return data.action_slot
    last = data.last_slot_identifier if data else ""
    named = [slot for slot in slots if slot.identifier in {last, "OB" + armature.name}]
    return (named or slots or [None])[0]


class Curves:
    """The curves of a slot by bone; the object itself has the name None."""

    def __init__(self, action, slot):
        self.curves = {}
        for curve in curves_of(action, slot):
            bone, channel = split_path(curve.data_path)
            if channel in CHANNELS and not curve.mute:
                self.curves.setdefault(bone, {})[channel, curve.array_index] = curve

    def moves(self, bone, channel):
        """True if the channel of the bone has a curve."""
        return any(name == channel for name, _ in self.curves.get(bone, {}))

    def values(self, bone, channel, frames):
        """Returns the values of a channel: one row per frame."""
        known = self.curves.get(bone, {})
        result = np.empty((len(frames), CHANNELS[channel]))
        for index in range(CHANNELS[channel]):
            curve = known.get((channel, index))
            result[:, index] = [curve.evaluate(frame) for frame in frames] if curve else REST[channel][index]
        return result

    def transforms(self, owner, bone, frames):
        """Returns locations, rotations and scales of a pose bone, or of the object itself if `bone` is None."""
        channel = rotation_channel(owner)
        rotations = to_quaternions(self.values(bone, channel, frames), owner.rotation_mode)
        return self.values(bone, "location", frames), rotations, self.values(bone, "scale", frames)


def split_path(path):
    """Returns the bone and the property of a data path: `pose.bones["hips"].location` is ("hips", "location")."""
    if not path.startswith("pose.bones["):
        return None, path
    start, end = path.find('"') + 1, path.rfind('"]')
    return bpy.utils.unescape_identifier(path[start:end]), path[end + 3 :]


def to_quaternions(values, mode):
    """Returns rotations of a mode as normalized quaternions."""
    if mode == "QUATERNION":
        lengths = np.linalg.norm(values, axis=1, keepdims=True)
        return np.where(lengths > 0, values / np.where(lengths == 0, 1, lengths), (1.0, 0, 0, 0))
    if mode == "AXIS_ANGLE":
        return np.array([Quaternion(row[1:], row[0]) for row in values])
    return np.array([Euler(row, mode).to_quaternion() for row in values])


def from_quaternions(rotations, mode):
    """Returns quaternions as rotations of a mode, without jumps."""
    if mode == "QUATERNION":
        return rotations
    if mode == "AXIS_ANGLE":
        pairs = [Quaternion(row).to_axis_angle() for row in rotations]
        return np.array([(angle, *axis) for axis, angle in pairs])
    result, before = [], Euler((0, 0, 0), mode)
    for row in rotations:
        before = Quaternion(row).to_euler(mode, before)
        result.append(before)
    return np.array(result)


def frames_of(action, slot):
    """Returns the whole frames of an action: its manual range, otherwise that of the slot's keys."""
    if action.use_frame_range:
        return range(round(action.frame_start), round(action.frame_end) + 1)
    ends = [curve.range() for curve in curves_of(action, slot)]
    if not ends:
        return range(0)
    return range(int(np.floor(min(start for start, _ in ends))), int(np.ceil(max(end for _, end in ends))) + 1)


def is_driven(armature):
    """True if the pose depends on more than its action: constraints, drivers or a control rig."""
    drivers = armature.animation_data and armature.animation_data.drivers
    return bool(drivers) or any(bone.constraints for bone in armature.pose.bones)


@contextlib.contextmanager
def played(armature, action, slot):
    """Assigns an action for a while and restores the earlier one, the frame and the pose."""
    scene = bpy.context.scene
    data = armature.animation_data or armature.animation_data_create()
    before = (data.action, data.action_slot, data.use_nla, scene.frame_current, scene.frame_subframe)
    basis = [(bone, bone.matrix_basis.copy()) for bone in armature.pose.bones]
    try:
        data.use_nla = False
        data.action = action
        data.action_slot = slot
        yield
    finally:
        data.action = before[0]
        if before[1] is not None:
            data.action_slot = before[1]
        data.use_nla = before[2]
        scene.frame_set(before[3], subframe=before[4])
        for bone, matrix in basis:
            bone.matrix_basis = matrix


def evaluated_poses(armature, action, slot, frames, names):
    """Returns the matrices of bones in the space of the armature: name to an array with one matrix per frame."""
    poses = {name: np.empty((len(frames), 4, 4)) for name in names}
    with played(armature, action, slot):
        for index, frame in enumerate(frames):
            bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1))
            evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
            for name, rows in poses.items():
                rows[index] = evaluated.pose.bones[name].matrix
    return poses


def rest_matrix(bone):
    """Returns the rest matrix of a bone in the space of the armature."""
    return np.array(bone.matrix_local, float)


def rest_local(armature, name, parent):
    """Returns the rest matrix of a bone as glTF has it: relative to the bone `parent`, or to the armature without one."""
    rest = rest_matrix(armature.data.bones[name])
    if parent is None:
        return transforms.TO_Y_UP @ rest
    return transforms.inverse(rest_matrix(armature.data.bones[parent])) @ rest
