"""Tests of the Blender add-on, run by a Python that has Blender as the module `bpy`.

PORTAMENTO_HOME is an empty folder; with its address file a running Portamento answers. The arguments are the folder of
the add-on and character files.
"""

import ast
import importlib.util
import json
import os
import pathlib
import socket
import string
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import bpy
import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
CHARACTERS = sys.argv[2:]
LARGEST_ERROR = 1e-5


def load():
    """Loads the add-on from its folder under its name."""
    init = FOLDER / "__init__.py"
    spec = importlib.util.spec_from_file_location("portamento", init, submodule_search_locations=[str(FOLDER)])
    module = importlib.util.module_from_spec(spec)
    sys.modules["portamento"] = module
    spec.loader.exec_module(module)
    return module


portamento = load()
from portamento import connection, control_rig, curves, fetch, live, panel, sampling, send, transforms, translations  # noqa: E402
from portamento.glb import Glb  # noqa: E402

IS_SERVED = (connection.home() / connection.ADDRESS_FILE).exists()


def opened(path):
    """Imports a character into an empty scene. Returns its armature and its actions with their slots."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types.Object, "portamento"):
        portamento.register()
    if path.lower().endswith(".fbx"):
        bpy.ops.import_scene.fbx(filepath=path)
    else:
        bpy.ops.import_scene.gltf(filepath=path)
    armatures = [item for item in bpy.data.objects if item.type == "ARMATURE"]
    if not armatures:
        return None, []
    armature = max(armatures, key=lambda item: len(item.data.bones))
    return armature, panel.actions_of(armature)


def shown_texts(node):
    """Returns the texts in a node of a syntax tree that a user sees: of labels, descriptions and reports."""
    named = {"name", "description", "text", "heading"}
    parts = []
    if isinstance(node, ast.Call):
        parts = [word.value for word in node.keywords if word.arg in named]
        if getattr(node.func, "id", "") == "said":
            parts += node.args[:1]
    elif isinstance(node, ast.Assign):
        target = getattr(node.targets[0], "id", "")
        if target in {"bl_label", "bl_description"}:
            parts = [node.value]
        elif target == "ROOT_MOTION":
            parts = [part for row in node.value.elts for part in row.elts[1:]]
    texts = {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
    return texts - {"Portamento"}


def rig(bones=3):
    """Returns an armature of a chain of bones with a mesh and an action with Bezier keys."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types.Object, "portamento"):
        portamento.register()
    data = bpy.data.armatures.new("rig")
    armature = bpy.data.objects.new("rig", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for index in range(bones):
        bone = data.edit_bones.new(f"bone.{index}")
        bone.head, bone.tail, bone.roll = (0, index * 0.1, index), (0.2, 0, index + 1), 0.3 * index
        bone.parent = data.edit_bones[index - 1] if index else None
    bpy.ops.object.mode_set(mode="OBJECT")
    action, slot = acted(armature, "wave")
    return armature, action, slot


def acted(armature, name):
    """Returns an action with three Bezier keys on rotation and location of every bone."""
    action = bpy.data.actions.new(name)
    slot = action.slots.new(id_type="OBJECT", name=armature.name)
    bag = curves.channelbag(action, slot)
    for number, bone in enumerate(armature.pose.bones):
        bone.rotation_mode = ["QUATERNION", "XYZ", "AXIS_ANGLE"][number % 3]
        channel = sampling.rotation_channel(bone)
        for part in ("location", channel):
            for index in range(sampling.CHANNELS[part]):
                curve = bag.fcurves.new(f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].{part}', index=index)
                for frame in (5, 12, 30):
                    value = np.sin(frame + index + number) * 0.4 + (1 if part != "location" and index in (0, 3) else 0)
                    curve.keyframe_points.insert(frame, value).interpolation = "BEZIER"
    armature.animation_data_create().action = action
    armature.animation_data.action_slot = slot
    return action, slot


def error(armature, first, second, frames):
    """Returns the largest difference between two actions on `frames`: of locations, scales and quaternions."""
    sets = [sampling.Curves(action, sampling.slot_of(action, armature)) for action in (first, second)]
    largest = 0.0
    for bone in [None, *(bone.name for bone in armature.data.bones)]:
        owner = armature if bone is None else armature.pose.bones[bone]
        for one, other in zip(*(each.transforms(owner, bone, frames) for each in sets)):
            if one.shape[1] == 4:
                other = np.where(np.sum(one * other, axis=1, keepdims=True) < 0, -other, other)
            largest = max(largest, float(np.abs(one - other).max() / max(1.0, np.abs(one).max())))
    return largest


def take(armature, clip, fingerprint="1"):
    """Returns the status of a take of a clip."""
    path = str(send.sent_file(armature))
    return {"id": 7, "name": f"{clip} take", "character": path, "source_clip": clip, "root_motion_joint": None, "is_shown": True, "fingerprint": fingerprint}


def returned(armature, clip, change=lambda file: None, **options):
    """Returns the action of the sent clip as if Portamento had returned it unchanged, or after `change`."""
    file = Glb.read(send.sent_file(armature))
    file.json["animations"] = [each for each in file.json["animations"] if each["name"] == clip]
    change(file)
    return fetch.action_of(bpy.context, armature, {**take(armature, clip), **options}, file, options.get("root", "BONE"))


class Local(unittest.TestCase):
    """Without Portamento: what is written is read again."""

    def test_every_clip_of_every_character_comes_back(self):
        for path in CHARACTERS:
            armature, actions = opened(path)
            if armature is None:
                # Nodes without a skin are no armature in Blender.
                continue
            if not actions:
                actions = [acted(armature, "acted")]
            actions = actions[:4]
            send.write(bpy.context, armature, actions)
            for action, slot in actions:
                frames = sampling.frames_of(action, slot)
                clip = send.clip_name(action, slot, armature)
                # Without the source every curve is written anew.
                name, action.name = action.name, "renamed"
                again = returned(armature, clip)
                action.name = name
                difference = error(armature, action, again, frames)
                self.assertLess(difference, LARGEST_ERROR, f"{path} {clip}")
                self.assertEqual(tuple(again.frame_range)[0], frames[0])

    def test_curves_that_a_take_leaves_alone_keep_their_keys(self):
        armature, action, _ = rig()
        send.write(bpy.context, armature, panel.chosen_actions(armature))

        def bend(file):
            node = send.joint_nodes(file, armature)["bone.1"]
            channels = file.json["animations"][0]["channels"]
            bent = [each for each in channels if each["target"] != {"node": node, "path": "rotation"}]
            file.json["animations"][0]["channels"] = bent

        again = returned(armature, "wave", bend)
        counts = {}
        for curve in sampling.curves_of(again, again.slots[0]):
            counts.setdefault(sampling.split_path(curve.data_path), set()).add(len(curve.keyframe_points))
        self.assertEqual(counts["bone.0", "rotation_quaternion"], {3})
        self.assertEqual(counts["bone.2", "rotation_axis_angle"], {3})
        self.assertNotIn(("bone.1", "rotation_euler"), counts)
        source = next(c for c in sampling.curves_of(action, action.slots[0]) if "bone.0" in c.data_path)
        copy = next(c for c in sampling.curves_of(again, again.slots[0]) if c.data_path == source.data_path)
        for key, known in zip(copy.keyframe_points, source.keyframe_points):
            self.assertEqual((key.co[:], key.handle_left[:], key.interpolation), (known.co[:], known.handle_left[:], "BEZIER"))

    def test_inverses_are_exact_and_those_of_bones_scaled_to_0_are_finite(self):
        random = np.random.default_rng(1)
        affine = np.concatenate([random.uniform(-1, 1, (9, 3, 4)), np.tile([[[0, 0, 0, 1.0]]], (9, 1, 1))], axis=1)
        for each in (affine, affine[0], affine[:, :3, :3], affine[0, :3, :3]):
            self.assertLess(np.abs(transforms.inverse(each) @ each - np.eye(each.shape[-1])).max(), 1e-12)
        self.assertFalse(transforms.inverse(np.diag([0.0, 0, 0, 1]))[:3].any())

    def test_the_earlier_action_stays_and_a_take_is_updated_in_place(self):
        armature, action, slot = rig()
        send.write(bpy.context, armature, [(action, slot)])
        before = [list(key.co) for curve in sampling.curves_of(action, slot) for key in curve.keyframe_points]
        first = returned(armature, "wave")
        fetch.assign(armature, first)
        self.assertTrue(action.use_fake_user)
        self.assertIs(returned(armature, "wave"), first)
        self.assertEqual(len(bpy.data.actions), 2)
        self.assertIsNot(returned(armature, "wave", name="other"), first, "another name is another take")
        after = [list(key.co) for curve in sampling.curves_of(action, slot) for key in curve.keyframe_points]
        self.assertEqual(before, after)
        self.assertEqual(armature.animation_data.action_slot.identifier, first.slots[0].identifier)

    def test_root_motion_moves_the_object_and_the_bones_stay_in_the_world(self):
        armature, action, slot = rig()
        send.write(bpy.context, armature, [(action, slot)])
        frames = sampling.frames_of(action, slot)
        names = [bone.name for bone in armature.data.bones]
        world = lambda action: world_poses(armature, action, frames, names)
        before = world(returned(armature, "wave"))
        moved = returned(armature, "wave", root_motion_joint="bone.0", root="OBJECT", name="moved")
        after = world(moved)
        self.assertLess(max(np.abs(before[name] - after[name]).max() for name in names), 2e-5)
        owner = sampling.Curves(moved, moved.slots[0])
        path = owner.values(None, "location", frames)
        self.assertGreater(np.ptp(path[:, 0]) + np.ptp(path[:, 1]), 0.1)
        self.assertLess(np.ptp(path[:, 2]), 1e-6, "the height stays on the bone")

    def test_each_slot_of_an_action_is_a_clip_and_comes_back_on_its_frames(self):
        armature, action, first = rig()
        second = action.slots.new(id_type="OBJECT", name="second")
        bag = curves.channelbag(action, second)
        for index in range(3):
            curve = bag.fcurves.new('pose.bones["bone.1"].location', index=index)
            for frame in (3, 9):
                curve.keyframe_points.insert(frame, frame * 0.1 * (index + 1))
        path = send.write(bpy.context, armature, panel.chosen_actions(armature))
        names = [each["name"] for each in Glb.read(path).json["animations"]]
        self.assertEqual(names, ["wave|rig", "wave|second"])
        ranges = [tuple(returned(armature, name, name=name).frame_range) for name in names]
        self.assertEqual(ranges, [(5, 30), (3, 9)])
        again = next(each for each in bpy.data.actions if each.get(fetch.TAKE_PROPERTY, "").endswith("second"))
        frames = range(3, 10)
        values = [sampling.Curves(*pair).values("bone.1", "location", frames) for pair in ((action, second), (again, again.slots[0]))]
        self.assertLess(np.abs(values[0] - values[1]).max(), LARGEST_ERROR)

    def test_names_of_every_kind_are_files_and_clips(self):
        names = ['a/b\\c:d*e?"<>|', "  .", "", "走路 🏃", "CON", "x" * 63, "..", 'quo"te\\n', "new\nline"]
        for name in names:
            armature, action, slot = rig(2)
            armature.name, action.name = name or "empty", name or "empty"
            armature.data.bones[1].name = name or "empty"
            action, slot = acted(armature, name or "empty")
            path = send.write(bpy.context, armature, [(action, slot)])
            self.assertEqual(path.parent.parent, connection.exchange_folder())
            again = returned(armature, action.name)
            self.assertLess(error(armature, action, again, range(5, 31)), LARGEST_ERROR, name)
            self.assertEqual(send.write(bpy.context, armature, [(action, slot)]), path)

    def test_one_undo_takes_a_fetch_back(self):
        armature, action, slot = rig()
        path = str(send.write(bpy.context, armature, [(action, slot)]))
        answers = {
            "status": {"takes": [take(armature, "wave")], "is_being_edited": False},
            "export": {"takes": [{"files": [path], "reason": None}]},
        }
        bpy.ops.ed.undo_push(message="before")
        state = lambda: (sorted(each.name for each in bpy.data.actions), bpy.data.objects["rig"].animation_data.action.name)
        before = state()
        with unittest.mock.patch.object(connection, "ask", lambda request, **_: answers[request]):
            self.assertEqual(bpy.ops.portamento.fetch("EXEC_DEFAULT", True), {"FINISHED"})
        self.assertEqual(state(), (["wave", "wave take"], "wave take"))
        bpy.ops.ed.undo()
        self.assertEqual(state(), before)

    def test_a_copied_armature_is_another_character(self):
        armature, action, slot = rig()
        path = send.write(bpy.context, armature, [(action, slot)])
        copy = armature.copy()
        bpy.context.scene.collection.objects.link(copy)
        self.assertNotEqual(send.write(bpy.context, copy, [(action, slot)]).parent, path.parent)
        self.assertEqual(send.write(bpy.context, copy, [(action, slot)]).parent, send.sent_file(copy).parent)

    def test_selection_and_mode_stay(self):
        armature, action, slot = rig()
        other = bpy.data.objects.new("other", None)
        bpy.context.scene.collection.objects.link(other)
        other.select_set(True)
        armature.select_set(False)
        bpy.context.view_layer.objects.active = other
        send.write(bpy.context, armature, [(action, slot)])
        self.assertEqual((other.select_get(), armature.select_get()), (True, False))
        self.assertIs(bpy.context.view_layer.objects.active, other)

    def test_every_text_is_there_in_chinese_with_the_same_values(self):
        rig()
        texts = set()
        for path in FOLDER.glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                texts |= shown_texts(node)
        self.assertEqual(texts, set(translations.CHINESE))
        for text, chinese in translations.CHINESE.items():
            fields = lambda text: sorted(field for _, field, _, _ in string.Formatter().parse(text) if field)
            self.assertEqual(fields(text), fields(chinese))

    def test_a_blender_that_is_killed_while_it_sends_leaves_a_whole_file(self):
        armature, action, slot = rig(2)
        path = send.write(bpy.context, armature, [(action, slot)])
        with tempfile.TemporaryDirectory() as folder:
            scene = os.path.join(folder, "scene.blend")
            bpy.ops.wm.save_as_mainfile(filepath=scene)
            words = [sys.executable, __file__, str(FOLDER), scene]
            environment = {**os.environ, "PORTAMENTO_TESTS": "Sender"}
            for number in range(5):
                sender = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                for line in sender.stdout:
                    if b"sends" in line:
                        break
                time.sleep(0.02 + 0.03 * number)
                self.assertIsNone(sender.poll())
                sender.kill()
                sender.communicate()
                self.assertEqual([each["name"] for each in Glb.read(path).json["animations"]], ["wave"])
                json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        remains = [each for each in path.parent.iterdir() if each not in {path, path.with_suffix(".json")}]
        for each in remains:
            os.utime(each, (0, 0))
        send.write(bpy.context, armature, [(action, slot)])
        self.assertEqual(sorted(path.parent.iterdir()), [path, path.with_suffix(".json")], remains)

    def test_an_answer_that_ends_early_is_refused_and_changes_nothing(self):
        if IS_SERVED:
            self.skipTest("Portamento answers")
        armature, action, slot = rig(2)
        send.write(bpy.context, armature, [(action, slot)])
        address = connection.home() / connection.ADDRESS_FILE
        for half in [b"", b'{"ok":true,"result":{"takes":[', b"{}\n", b"[]\n", b"\xff\n"]:
            with socket.create_server(("127.0.0.1", 0)) as server:
                address.write_text(json.dumps({"port": server.getsockname()[1], "token": "x"}))

                def answer():
                    stream, _ = server.accept()
                    stream.makefile("rb").readline()
                    stream.sendall(half)
                    stream.close()

                thread = threading.Thread(target=answer)
                thread.start()
                with self.assertRaises(connection.Refused):
                    fetch.fetch(bpy.context, armature, [take(armature, "wave")])
                thread.join()
        address.unlink()
        self.assertEqual(list(bpy.data.actions), [action])

    def test_nobody_answers(self):
        if IS_SERVED:
            self.skipTest("Portamento answers")
        with self.assertRaises(connection.NotRunning):
            connection.ask("status")
        with self.assertRaisesRegex(connection.Refused, "could not be started"):
            connection.start("/no/such/program", [])


def world_poses(armature, action, frames, names):
    """Returns the matrices of bones in the world while an action plays."""
    poses = {name: np.empty((len(frames), 4, 4)) for name in names}
    with sampling.played(armature, action, sampling.slot_of(action, armature)):
        for index, frame in enumerate(frames):
            bpy.context.scene.frame_set(frame)
            evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
            for name, rows in poses.items():
                rows[index] = np.array(evaluated.matrix_world @ evaluated.pose.bones[name].matrix)
    armature.location, armature.rotation_euler = (0, 0, 0), (0, 0, 0)
    return poses


class ControlRigs(unittest.TestCase):
    def check(self, armature, action, slot, deforming):
        """Sends the rig, bakes the motion onto its controls and compares the deforming bones."""
        frames = sampling.frames_of(action, slot)
        before = world_poses(armature, action, frames, deforming)
        constraints = sum(len(bone.constraints) for bone in armature.pose.bones)
        send.write(bpy.context, armature, [(action, slot)])
        baked = returned(armature, action.name)
        after = world_poses(armature, baked, frames, deforming)
        self.assertEqual(constraints, sum(len(bone.constraints) for bone in armature.pose.bones))
        self.assertFalse([item for item in bpy.data.objects if item.name.startswith(control_rig.CONSTRAINT)])
        wrong = {}
        for name in deforming:
            distance = np.linalg.norm(before[name][:, :3, 3] - after[name][:, :3, 3], axis=1).max()
            rotations = [transforms.decompose(poses[name])[1] for poses in (before, after)]
            turned = transforms.multiply(rotations[0], transforms.conjugate(rotations[1]))
            # The arc cosine of a matrix would lose half of the digits.
            angle = np.degrees(2 * np.arcsin(np.clip(np.linalg.norm(turned[:, 1:], axis=1), 0, 1))).max()
            if distance >= 0.001 or angle >= 0.1:
                wrong[name] = f"{distance:.5f} m, {angle:.3f}°"
        self.assertEqual(wrong, {})

    def test_a_rig_with_a_bone_map(self):
        armature, _, _ = rig(3)
        bpy.context.view_layer.objects.active = armature
        bpy.ops.object.mode_set(mode="EDIT")
        for index in range(3):
            deform = armature.data.edit_bones[f"bone.{index}"]
            control = armature.data.edit_bones.new(f"control.{index}")
            # Controls lie elsewhere than what they move.
            control.head, control.tail, control.roll = deform.head, deform.head + deform.vector.orthogonal(), 1.1
            control.parent = armature.data.edit_bones[f"control.{index - 1}"] if index else None
            control.use_deform = False
        bpy.ops.object.mode_set(mode="OBJECT")
        for index in range(3):
            constraint = armature.pose.bones[f"bone.{index}"].constraints.new("CHILD_OF")
            constraint.target, constraint.subtarget = armature, f"control.{index}"
            rest = armature.data.bones[f"control.{index}"].matrix_local
            constraint.inverse_matrix = (armature.matrix_world @ rest).inverted()
        for bone in armature.pose.bones:
            bone.bone.use_deform = bone.name.startswith("bone")
            if bone.parent and bone.name.startswith("bone"):
                bone.bone.use_inherit_rotation = True
        bpy.context.view_layer.objects.active = armature
        bpy.ops.object.mode_set(mode="EDIT")
        for index in range(3):
            armature.data.edit_bones[f"bone.{index}"].parent = None
        bpy.ops.object.mode_set(mode="OBJECT")
        armature[control_rig.MAP_PROPERTY] = json.dumps({f"control.{index}": f"bone.{index}" for index in range(3)})
        armature.animation_data.action = None
        for bone in armature.pose.bones:
            bone.location, bone.scale, bone.rotation_mode = (0, 0, 0), (1, 1, 1), "QUATERNION"
            bone.rotation_quaternion = (1, 0, 0, 0)
        action = bpy.data.actions.new("controlled")
        slot = action.slots.new(id_type="OBJECT", name=armature.name)
        bag = curves.channelbag(action, slot)
        for index in range(3):
            armature.pose.bones[f"control.{index}"].rotation_mode = "XYZ"
            for axis in range(3):
                curve = bag.fcurves.new(f'pose.bones["control.{index}"].rotation_euler', index=axis)
                for frame in (1, 10, 25):
                    curve.keyframe_points.insert(frame, np.sin(frame * (axis + 1) + index))
        fetch.assign(armature, action)
        self.check(armature, action, slot, [f"bone.{index}" for index in range(3)])

    def test_rigify(self):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        if not hasattr(bpy.types.Object, "portamento"):
            panel.register()
        import addon_utils

        if addon_utils.enable("rigify", default_set=True) is None:
            self.skipTest("Rigify is not installed")
        bpy.ops.object.armature_human_metarig_add()
        metarig = bpy.context.object
        bpy.ops.pose.rigify_generate()
        armature = next(item for item in bpy.data.objects if item.type == "ARMATURE" and item is not metarig and item.data.get("rig_id"))
        action = bpy.data.actions.new("step")
        slot = action.slots.new(id_type="OBJECT", name=armature.name)
        bag = curves.channelbag(action, slot)
        moved = {"torso": ("location", 0.2), "upper_arm_fk.L": ("rotation_quaternion", 0.5), "thigh_fk.R": ("rotation_quaternion", 0.4), "spine_fk.001": ("rotation_quaternion", 0.2), "head": ("rotation_quaternion", 0.3), "foot_fk.R": ("rotation_quaternion", 0.3)}
        for name, (part, size) in moved.items():
            bone = armature.pose.bones[name]
            bone.rotation_mode = "QUATERNION"
            for index in range(sampling.CHANNELS[part]):
                curve = bag.fcurves.new(f'pose.bones["{name}"].{part}', index=index)
                for frame in (1, 8, 16):
                    base = 1.0 if part != "location" and index == 0 else 0.0
                    curve.keyframe_points.insert(frame, base + size * np.sin(frame + index) * (index > 0 or part == "location"))
        control_rig.switch_to_forward_kinematics(armature, bag, 1)
        fetch.assign(armature, action)
        deforming = [bone.name for bone in armature.data.bones if bone.use_deform]
        self.check(armature, action, slot, deforming)


class Sender(unittest.TestCase):
    """The program that another test kills: sends the armature of a scene again and again."""

    def test_sending(self):
        if len(CHARACTERS) != 1 or not CHARACTERS[0].endswith(".blend"):
            self.skipTest("there is no scene")
        portamento.register()
        bpy.ops.wm.open_mainfile(filepath=CHARACTERS[0])
        armature = next(item for item in bpy.data.objects if item.type == "ARMATURE")
        print("sends", flush=True)
        while True:
            send.write(bpy.context, armature, panel.actions_of(armature))


@unittest.skipUnless(IS_SERVED, "no Portamento answers")
class Served(unittest.TestCase):
    """With Portamento: takes without stages come back equal."""

    def send(self, armature):
        bpy.context.view_layer.objects.active = armature
        self.assertEqual(bpy.ops.portamento.send(), {"FINISHED"})

    def add_take(self, armature, clip, stages=()):
        recipe = {"takes": [{"name": "{clip} take", "source": "slot:clip", "stages": list(stages)}]}
        clips = [{"file": str(send.sent_file(armature)), "clip": clip}]
        return connection.ask("make", recipe=recipe, clips=clips)["takes"][0]["id"]

    def test_characters_make_the_round_trip_through_portamento(self):
        for path in CHARACTERS:
            armature, actions = opened(path)
            if armature is None:
                # Nodes without a skin are no armature in Blender.
                continue
            if not actions:
                actions = [acted(armature, "acted")]
            action, slot = actions[0]
            fetch.assign(armature, action)
            action.name = "sent"
            self.send(armature)
            self.add_take(armature, send.clip_name(action, slot, armature))
            action.name = "renamed"
            self.assertEqual(bpy.ops.portamento.fetch(), {"FINISHED"})
            again = armature.animation_data.action
            self.assertIsNot(again, action)
            difference = error(armature, action, again, sampling.frames_of(action, slot))
            self.assertLess(difference, LARGEST_ERROR, path)

    def test_a_changed_take_updates_its_action(self):
        armature, action, slot = rig()
        self.send(armature)
        self.add_take(armature, "wave")
        bpy.ops.portamento.fetch()
        self.assertEqual(live.update(bpy.context), [])
        curve = sampling.curves_of(action, slot)[0]
        curve.keyframe_points[1].co[1] += 0.5
        curve.update()
        fetch.assign(armature, action)
        self.send(armature)
        self.assertEqual(len(live.update(bpy.context)), 1)
        self.assertEqual(live.update(bpy.context), [])

    def test_two_blenders_send_and_fetch_two_hundred_times_each(self):
        if os.environ.get("PORTAMENTO_SECOND"):
            return self.send_and_fetch_two_hundred_times()
        words = [sys.executable, __file__, str(FOLDER)]
        environment = {**os.environ, "PORTAMENTO_SECOND": "1", "PORTAMENTO_TESTS": self.id().removeprefix("__main__.")}
        second = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.send_and_fetch_two_hundred_times()
        said, _ = second.communicate(timeout=300)
        self.assertEqual(second.returncode, 0, said)

    def send_and_fetch_two_hundred_times(self):
        armature, action, slot = rig()
        self.send(armature)
        self.add_take(armature, "wave")
        curve = sampling.curves_of(action, slot)[0]
        for count in range(200):
            curve.keyframe_points[1].co[1] = np.sin(count)
            curve.update()
            fetch.assign(armature, action)
            self.send(armature)
            self.assertEqual(bpy.ops.portamento.fetch(), {"FINISHED"})
            self.assertLess(error(armature, action, armature.animation_data.action, range(5, 31)), LARGEST_ERROR, count)
        self.assertEqual(len(bpy.data.actions), 2)


if __name__ == "__main__":
    names = os.environ.get("PORTAMENTO_TESTS", "").split()
    program = unittest.main(argv=["add_on"], defaultTest=names or None, verbosity=2, exit=False)
    sys.stdout.flush()
    sys.stderr.flush()
    # Blender as a module may hang while Python ends.
    os._exit(not program.result.wasSuccessful())
