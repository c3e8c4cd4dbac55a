"""Bakes a take on deforming bones onto the controls of a rig: Rigify, or any rig with a bone map."""

import json

import bpy
import numpy as np

from . import curves, sampling, transforms
from .translations import said

MAP_PROPERTY = "portamento_bone_map"
CONSTRAINT = "Portamento"
DEFORM = "DEF-"
SPINE = "DEF-spine"


def bone_map(armature):
    """Returns the deforming bone of each control, parents first: the map of the armature, otherwise that of Rigify."""
    bones = armature.data.bones
    stored = armature.get(MAP_PROPERTY)
    pairs = json.loads(stored) if isinstance(stored, str) else rigify_map(armature)
    unknown = [name for pair in pairs.items() for name in pair if name not in bones]
    if unknown:
        bones = ", ".join(unknown[:5])
        raise ValueError(said("The bone map names {bones}, which {armature} does not have.", bones=bones, armature=armature.name))
    return {bone.name: pairs[bone.name] for bone in bones if bone.name in pairs}


def rigify_map(armature):
    """Returns the map of a rig by the names that Rigify gives: forward kinematics, and tweaks of the spine."""
    bones, pairs = armature.data.bones, {}
    deforming = [bone.name for bone in bones if bone.name.startswith(DEFORM)]
    for deform in deforming:
        name = deform[len(DEFORM) :]
        stem, dot, side = name.partition(".")
        for control in (f"{stem}_fk{dot}{side}", f"tweak_{name}", name):
            if control in bones and not bones[control].use_deform:
                pairs[control] = deform
    # The names of the neck and the head are not those of the spine bones that they move.
    spine = [bones[name] for name in deforming if name.startswith(SPINE)]
    for control in [bones[name] for name in ("neck", "head") if name in bones and name not in pairs]:
        if spine:
            nearest = min(spine, key=lambda bone: (bone.head_local - control.head_local).length)
            pairs[control.name] = nearest.name
    return pairs


def bake(context, armature, motion, pairs, action):
    """Writes the controls to `action` so that their deforming bones move as in `motion`: constraints on a follower, one
    key per frame, and removal of both. Returns the slot."""
    first, last = motion.range()
    frames = np.arange(round(first), int(np.ceil(last - curves.ON_FRAME)) + 1)
    poses = motion.poses((frames - motion.start) / motion.rate)
    missing = [deform for deform in pairs.values() if deform not in poses]
    if missing:
        raise ValueError(said("The take has no bone {bone}. Send {armature} again.", bone=missing[0], armature=armature.name))
    slot = sampling.slot_of(action, armature) or action.slots.new(id_type="OBJECT", name=armature.name)
    bag = curves.channelbag(action, slot)
    switch_to_forward_kinematics(armature, bag, frames[0])
    follower = follower_of(context, armature, poses, pairs, frames)
    constraints = []
    try:
        for control in pairs:
            constraints.append((control, constrain(armature, follower, control)))
        basis = baked_basis(armature, action, slot, pairs, frames)
    finally:
        for control, constraint in constraints:
            armature.pose.bones[control].constraints.remove(constraint)
        remove(follower)
    for control, matrices in basis.items():
        curves.write_transforms(bag, armature.pose.bones[control], control, frames, transforms.decompose(matrices))
    return slot


def follower_of(context, armature, poses, pairs, frames):
    """Returns a new armature with a bone for each control, at its rest, that moves as its deforming bone does."""
    data = bpy.data.armatures.new(CONSTRAINT)
    follower = bpy.data.objects.new(CONSTRAINT, data)
    context.scene.collection.objects.link(follower)
    layer, active = context.view_layer, context.view_layer.objects.active
    if active and active.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    layer.objects.active = follower
    bpy.ops.object.mode_set(mode="EDIT")
    for control in pairs:
        bone = data.edit_bones.new(control)
        bone.head, bone.tail = (0, 0, 0), (0, max(armature.data.bones[control].length, 1e-3), 0)
        bone.matrix = armature.data.bones[control].matrix_local
    bpy.ops.object.mode_set(mode="OBJECT")
    layer.objects.active = active
    action = bpy.data.actions.new(CONSTRAINT)
    slot = action.slots.new(id_type="OBJECT", name=CONSTRAINT)
    bag = curves.channelbag(action, slot)
    # The scale of Rigify's deforming bones is the stretch between two controls.
    keeps_scale = MAP_PROPERTY in armature
    for control, deform in pairs.items():
        bone = follower.pose.bones[control]
        bone.rotation_mode = "QUATERNION"
        offset = transforms.inverse(sampling.rest_matrix(armature.data.bones[deform]))
        offset = offset @ sampling.rest_matrix(armature.data.bones[control])
        rest = sampling.rest_matrix(data.bones[control])
        basis = transforms.inverse(rest) @ poses[deform] @ offset
        locations, rotations, scales = transforms.decompose(basis)
        if not keeps_scale:
            scales = np.ones_like(scales)
        curves.write_transforms(bag, bone, control, frames, (locations, rotations, scales))
    follower.animation_data_create().action = action
    follower.animation_data.action_slot = slot
    return follower


def constrain(armature, follower, control):
    """Makes a control follow its bone of the follower."""
    constraint = armature.pose.bones[control].constraints.new("COPY_TRANSFORMS")
    constraint.name = CONSTRAINT
    constraint.target, constraint.subtarget = follower, control
    constraint.owner_space = constraint.target_space = "POSE"
    return constraint


def switch_to_forward_kinematics(armature, bag, frame):
    """Writes keys that switch the limbs of Rigify to forward kinematics."""
    for bone in armature.pose.bones:
        if "IK_FK" in bone:
            path = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"]["IK_FK"]'
            curves.write_keys(bag.fcurves.new(path), np.array([frame], float), np.ones(1), "STEP")


def baked_basis(armature, action, slot, pairs, frames):
    """Returns the basis matrices of the controls as they are evaluated: one per frame."""
    result = {control: np.empty((len(frames), 4, 4)) for control in pairs}
    with sampling.played(armature, action, slot):
        for index, frame in enumerate(frames):
            bpy.context.scene.frame_set(int(frame))
            evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
            for control, rows in result.items():
                bone = evaluated.pose.bones[control]
                spaces = {"from_space": "POSE", "to_space": "LOCAL"}
                rows[index] = evaluated.convert_space(pose_bone=bone, matrix=bone.matrix, **spaces)
    return result


def remove(follower):
    """Removes the follower with its data."""
    action, data = follower.animation_data.action, follower.data
    bpy.data.objects.remove(follower)
    bpy.data.armatures.remove(data)
    bpy.data.actions.remove(action)
