"""Curves of actions: channels of slots, and keys."""

import bpy
import numpy as np

from . import sampling, transforms

# Times this close to a frame are on it, frames.
ON_FRAME = 1e-3
CHANNEL_OF = {"translation": "location", "rotation": "rotation", "scale": "scale"}
CONSTANT, LINEAR = 0, 1
# Number of values per key and their type; the types of handles come before the handles.
KEY_PROPERTIES = {
    "co": (2, np.float32),
    "interpolation": (1, np.int32),
    "easing": (1, np.int32),
    "handle_left_type": (1, np.int32),
    "handle_right_type": (1, np.int32),
    "handle_left": (2, np.float32),
    "handle_right": (2, np.float32),
    "amplitude": (1, np.float32),
    "back": (1, np.float32),
    "period": (1, np.float32),
}


def channelbag(action, slot):
    """Returns the channels of a slot. An action without a layer gets one."""
    layer = action.layers[0] if action.layers else action.layers.new("Portamento")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)


def write_transforms(bag, owner, name, frames, parts):
    """Writes locations, rotations and scales of a pose bone, one key per frame."""
    prefix = f'pose.bones["{bpy.utils.escape_identifier(name)}"].'
    group = bag.groups.new(name)
    for part, values in zip(CHANNEL_OF.values(), parts):
        if part == "rotation":
            values = sampling.from_quaternions(transforms.continuous(values), owner.rotation_mode)
            part = sampling.rotation_channel(owner)
        for index in range(values.shape[1]):
            curve = bag.fcurves.new(prefix + part, index=index)
            curve.group = group
            write_keys(curve, frames, values[:, index], "LINEAR")


def write_keys(curve, frames, values, interpolation):
    """Writes the keys of a curve."""
    points = curve.keyframe_points
    points.add(len(frames))
    points.foreach_set("co", np.stack([frames, values], 1).astype(np.float32).ravel())
    points.foreach_set("interpolation", np.full(len(frames), CONSTANT if interpolation == "STEP" else LINEAR, np.int32))
    curve.update()


def copy_curve(source, curve):
    """Copies keys with handles, interpolation and easing."""
    curve.extrapolation = source.extrapolation
    curve.keyframe_points.add(len(source.keyframe_points))
    for name, (width, kind) in KEY_PROPERTIES.items():
        values = np.empty(len(source.keyframe_points) * width, kind)
        source.keyframe_points.foreach_get(name, values)
        curve.keyframe_points.foreach_set(name, values)
    curve.update()
