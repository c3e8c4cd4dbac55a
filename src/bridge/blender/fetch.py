"""Fetches takes from Portamento as actions of the armature that was sent."""

import json
import pathlib

import bpy
import numpy as np
from mathutils import Matrix

from . import connection, control_rig, curves, sampling, send, transforms
from .glb import Glb, sample
from .translations import said

TAKE_PROPERTY = "portamento_take"
FINGERPRINT_PROPERTY = "portamento_fingerprint"
TAKES_FOLDER = "takes"
# Largest difference between a take and its source at which the keys of the source are used, in units and as a sine.
UNCHANGED = 2e-5


def takes_of(armature, status):
    """Returns the takes of a status whose character is the armature."""
    sent = send.sent_file(armature)

    def is_sent(path):
        try:
            return bool(path) and pathlib.Path(path).samefile(sent)
        except OSError:
            return False

    return [take for take in status["takes"] if is_sent(take["character"])]


def was_sent(armature):
    """True if the armature was sent to Portamento."""
    return send.ID_PROPERTY in armature


def fetch(context, armature, takes, root_motion="BONE"):
    """Exports takes, given as in the status, and returns an action for each."""
    if not takes:
        return []
    folder = send.sent_file(armature).parent / TAKES_FOLDER
    result = connection.ask("export", folder=str(folder), takes=[take["id"] for take in takes], keep="motion", replace=True)
    actions = []
    for take, outcome in zip(takes, result["takes"]):
        files = [file for file in outcome["files"] if file.lower().endswith(".glb")]
        if not files:
            reason = outcome["reason"] and f"{take['name']}: {outcome['reason']}"
            raise connection.Refused(reason or said("{take}: the take has no animation", take=take["name"]))
        actions.append(action_of(context, armature, take, Glb.read(files[0]), root_motion))
    return actions


def action_of(context, armature, take, file, root_motion):
    """Returns the action of a take: the earlier one with new curves, or a new one."""
    clip = described_clip(armature, take["source_clip"])
    start = clip["frames"][0] if clip else context.scene.frame_start
    motion = Motion(file, armature, start, send.frame_rate(context.scene))
    source = source_curves(clip)
    action, bag = target(armature, take)
    root = take["root_motion_joint"] if root_motion == "OBJECT" else None
    if root is not None and root in motion.nodes:
        move_root_to_object(armature, motion, root)
    if send.has_controls(armature):
        control_rig.bake(context, armature, motion, control_rig.bone_map(armature), action)
    else:
        written = Writer(bag, motion, source)
        for name in motion.moving():
            written.add(armature, name)
    action.use_frame_range = True
    action.frame_start, action.frame_end = motion.range()
    action.use_cyclic = False
    action[FINGERPRINT_PROPERTY] = take["fingerprint"]
    return action


def described_clip(armature, name):
    """Returns the description of a clip that was sent; None for other clips."""
    try:
        description = json.loads(send.sent_file(armature).with_suffix(".json").read_text(encoding="utf-8"))
        return next((clip for clip in description["clips"] if clip["clip"] == name), None)
    except (OSError, ValueError, KeyError):
        return None


def source_curves(clip):
    """Returns the curves of the action from which a clip was sent, with its frames; None if it is gone."""
    action = bpy.data.actions.get(clip["action"]) if clip else None
    slot = action and next((slot for slot in action.slots if slot.identifier == clip["slot"]), None)
    return (sampling.Curves(action, slot), clip["frames"]) if slot else None


def take_key(armature, take):
    """Returns the text by which the action of a take is found again."""
    return f"{send.armature_id(armature)}:{take['id']}:{take['name']}"


def existing(armature, take):
    """Returns the action that was fetched for a take; None if there is none."""
    key = take_key(armature, take)
    return next((action for action in bpy.data.actions if action.get(TAKE_PROPERTY) == key), None)


def target(armature, take):
    """Returns the action of a take and its channels, without curves."""
    action = existing(armature, take)
    if action is None:
        action = bpy.data.actions.new(take["name"])
        action[TAKE_PROPERTY] = take_key(armature, take)
        action.use_fake_user = True
    slot = sampling.slot_of(action, armature) or action.slots.new(id_type="OBJECT", name=armature.name)
    bag = curves.channelbag(action, slot)
    for curve in list(bag.fcurves):
        bag.fcurves.remove(curve)
    for group in list(bag.groups):
        bag.groups.remove(group)
    return action, bag


def assign(armature, action):
    """Assigns an action. The earlier one stays in the file."""
    data = armature.animation_data or armature.animation_data_create()
    if data.action and data.action != action:
        data.action.use_fake_user = True
    data.action = action
    slot = sampling.slot_of(action, armature)
    if slot:
        data.action_slot = slot


class Motion:
    """The animation of a GLB on an armature: transforms of pose bones, and of the object by the name None."""

    def __init__(self, file, armature, start, rate):
        self.file, self.armature, self.start, self.rate = file, armature, start, rate
        self.nodes = send.joint_nodes(file, armature)
        self.names = {index: name for name, index in self.nodes.items()}
        self.parents = file.parents()
        animations = file.json.get("animations", [])
        self.curves = file.channels(animations[0]) if animations else {}
        self.replaced = {}

    def moving(self):
        """Returns the names of the bones with curves, parents first; None for the object."""
        names = {self.names[node] for node, _ in self.curves if node in self.names} | set(self.replaced)
        order = [None, *(bone.name for bone in self.armature.data.bones)]
        return [name for name in order if name in names]

    def range(self):
        """Returns the first and the last frame."""
        end = max((times[-1] for times, _, _ in self.curves.values()), default=0.0)
        return self.start, self.start + max(end * self.rate, 1.0)

    def all_times(self):
        """Returns the times of all keys, seconds."""
        return np.unique(np.concatenate([times for times, _, _ in self.curves.values()]))

    def parent(self, name):
        """Returns the name of the bone above another one in the file; None for the armature."""
        return self.names.get(self.parents[self.nodes[name]])

    def is_plain(self, name):
        """True if the pose of a bone follows from its node alone."""
        bone = self.armature.data.bones[name]
        above = bone.parent.name if bone.parent else None
        inherits = bone.use_inherit_rotation and bone.inherit_scale == "FULL" and bone.use_local_location
        return self.parent(name) == above and (inherits or above is None)

    def local(self, name, times):
        """Returns locations, rotations and scales of a node at `times`."""
        node = self.nodes[name]
        defaults = self.file.json["nodes"][node]
        result = []
        for path, rest in [("translation", (0, 0, 0)), ("rotation", (0, 0, 0, 1)), ("scale", (1, 1, 1))]:
            curve = self.curves.get((node, path))
            values = sample(curve, times, path == "rotation") if curve else np.tile(defaults.get(path, rest), (len(times), 1))
            result.append(values)
        result[1] = result[1][:, [3, 0, 1, 2]]
        return result

    def poses(self, times):
        """Returns the matrices of all bones in the space of the armature."""
        poses = {}
        for name in [bone.name for bone in self.armature.data.bones if bone.name in self.nodes]:
            chain = [name]
            while self.parent(chain[-1]) is not None and chain[-1] not in poses:
                chain.append(self.parent(chain[-1]))
            for link in reversed(chain):
                if link not in poses:
                    above = self.parent(link)
                    base = poses[above] if above is not None else transforms.inverse(transforms.TO_Y_UP)
                    poses[link] = base @ transforms.matrices(*self.local(link, times))
        return poses

    def basis(self, name):
        """Returns (property, times, values, interpolation) of a bone as Blender has them, for each curve."""
        if name in self.replaced:
            times, values = self.replaced[name]
            return [(part, times, rows, "LINEAR") for part, rows in zip(curves.CHANNEL_OF.values(), values)]
        if name is None:
            return self.object_basis()
        if not self.is_plain(name):
            return self.general_basis(name)
        rest = sampling.rest_local(self.armature, name, self.parent(name))
        _, turn, _ = transforms.decompose(rest[None])
        result = []
        for path, part in curves.CHANNEL_OF.items():
            curve = self.curves.get((self.nodes[name], path))
            if not curve:
                continue
            times, values, interpolation = self.key_values(curve, path)
            if part == "location":
                # Blender computes rest matrices of some bones with errors of 1e-5, so that the transpose is no inverse.
                values = (values - rest[:3, 3]) @ transforms.inverse(rest)[:3, :3].T
            elif part == "rotation":
                values = transforms.multiply(transforms.conjugate(turn), values[:, [3, 0, 1, 2]])
            result.append((part, times, values, interpolation))
        return result

    def key_values(self, curve, path):
        """Returns the keys of a curve. Those of splines are sampled on every frame."""
        times, values, interpolation = curve
        if interpolation != "CUBICSPLINE":
            return times, values, interpolation
        count = int(np.ceil((times[-1] - times[0]) * self.rate - curves.ON_FRAME)) + 1
        frames = np.minimum(times[0] + np.arange(count) / self.rate, times[-1])
        return frames, sample(curve, frames, path == "rotation"), "LINEAR"

    def general_basis(self, name):
        """Returns the curves of a bone whose parent in the file is another one, or that inherits only a part."""
        times = self.all_times()
        poses, bone = self.poses(times), self.armature.data.bones[name]
        values = transforms.decompose(pose_to_basis(bone, poses, name, len(times)))
        return [(part, times, rows, "LINEAR") for part, rows in zip(curves.CHANNEL_OF.values(), values)]

    def object_basis(self):
        """Returns the curves of the armature object."""
        result = []
        for path, part in curves.CHANNEL_OF.items():
            curve = self.curves.get((self.nodes[None], path))
            if not curve:
                continue
            times, values, interpolation = self.key_values(curve, path)
            if part == "location":
                values = values[:, [0, 2, 1]] * (1, -1, 1)
            elif part == "rotation":
                values = values[:, [3, 0, 2, 1]] * (1, 1, -1, 1)
            else:
                values = values[:, [0, 2, 1]]
            result.append((part, times, values, interpolation))
        return result


def pose_to_basis(bone, poses, name, count):
    """Returns the basis matrices of a bone from the poses of the armature."""
    above = bone.parent
    result = np.empty((count, 4, 4))
    for index in range(count):
        options = {}
        if above:
            # A parent that the file does not have is at rest.
            matrix = poses[above.name][index] if above.name in poses else sampling.rest_matrix(above)
            options = {"parent_matrix": Matrix(matrix), "parent_matrix_local": above.matrix_local}
        pose = Matrix(poses[name][index])
        result[index] = bone.convert_local_to_pose(pose, bone.matrix_local, invert=True, **options)
    return result


def move_root_to_object(armature, motion, root):
    """Moves the path and the heading of the bone `root` to the object. The other motion of the bone stays."""
    times = motion.all_times()
    poses = motion.poses(times)
    # Deviations from the first frame, about the upward axis of the armature.
    turned = poses[root][:, :3, :3] @ transforms.inverse(poses[root][0, :3, :3])
    heading = np.unwrap(np.arctan2(turned[:, 1, 0] - turned[:, 0, 1], turned[:, 0, 0] + turned[:, 1, 1]))
    half = heading / 2
    rotations = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], 1)
    moves = transforms.matrices(np.zeros((len(times), 3)), rotations, np.ones((len(times), 3)))
    first, path = poses[root][0, :3, 3], poses[root][:, :3, 3]
    offset = path - np.einsum("nij,j->ni", moves[:, :3, :3], first)
    offset[:, 2] = 0
    moves[:, :3, 3] = offset
    back = transforms.inverse(moves)
    for bone in armature.data.bones:
        if bone.name in poses and motion.parent(bone.name) is None:
            poses[bone.name] = back @ poses[bone.name]
            basis = pose_to_basis(bone, {bone.name: poses[bone.name]}, bone.name, len(times))
            motion.replaced[bone.name] = (times, transforms.decompose(basis))
    placed = transforms.matrices([armature.location], [armature.matrix_basis.to_quaternion()], [armature.scale]) @ moves
    motion.replaced[None] = (times, transforms.decompose(placed))


class Writer:
    """Writes curves to the channels of a slot."""

    def __init__(self, bag, motion, source):
        self.bag, self.motion, self.source = bag, motion, source

    def add(self, armature, name):
        """Writes the curves of a bone, or of the object if `name` is None."""
        owner = armature if name is None else armature.pose.bones[name]
        prefix = "" if name is None else f'pose.bones["{bpy.utils.escape_identifier(name)}"].'
        group = self.bag.groups.new(armature.name if name is None else name)
        for part, times, values, interpolation in self.motion.basis(name):
            channel = sampling.rotation_channel(owner) if part == "rotation" else part
            frames = self.motion.start + np.asarray(times) * self.motion.rate
            whole = np.round(frames)
            frames = np.where(np.abs(frames - whole) < curves.ON_FRAME, whole, frames)
            if self.is_unchanged(owner, name, part, frames, values):
                self.copy(name, channel, prefix, group)
                continue
            if part == "rotation":
                values = sampling.from_quaternions(transforms.continuous(values), owner.rotation_mode)
            for index in range(values.shape[1]):
                curve = self.bag.fcurves.new(prefix + channel, index=index)
                curve.group = group
                curves.write_keys(curve, frames, values[:, index], interpolation)

    def is_unchanged(self, owner, name, part, frames, values):
        """True if the take has the values of its source on every frame of it."""
        if not self.source or name in self.motion.replaced:
            return False
        known_curves, (first, last) = self.source
        channel = sampling.rotation_channel(owner) if part == "rotation" else part
        if not known_curves.moves(name, channel):
            return False
        # A still curve has one key, which must be true for all frames.
        still = len(frames) == 1
        if not still and (abs(frames[0] - first) > curves.ON_FRAME or abs(frames[-1] - last) > curves.ON_FRAME):
            return False
        compared = np.arange(first, last + 1, dtype=float) if still else frames
        locations, rotations, scales = known_curves.transforms(owner, name, compared)
        known = {"location": locations, "rotation": rotations, "scale": scales}[part]
        if part == "rotation":
            differences = np.sqrt(np.maximum(1 - np.minimum(np.sum(known * values, axis=1) ** 2, 1), 0))
            # Its own rounding is the square root of the precision.
            return bool(differences.max() < 5e-4 and np.abs(np.abs(known) - np.abs(values)).max() < UNCHANGED)
        return bool(np.abs(known - values).max() < UNCHANGED * max(1.0, np.abs(known).max()))

    def copy(self, name, channel, prefix, group):
        """Copies the curves of the source with all properties of their keys."""
        for (other, index), source in self.source[0].curves[name].items():
            if other != channel:
                continue
            curve = self.bag.fcurves.new(prefix + channel, index=index)
            curve.group = group
            curves.copy_curve(source, curve)
