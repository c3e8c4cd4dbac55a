"""Imports the FBX of the same name into Unreal and sets what an FBX cannot store.

Written by Portamento and rewritten with the FBX. Run it in the editor:

    py "PATH/NAME.import.py" [--folder /Game/FOLDER] [--skeleton /Game/PATH/SKELETON] [--watch | --stop]

Without --skeleton it uses the skeleton selected in the Content Browser, then the skeleton of an earlier import, then the
mesh in the FBX. --watch imports all files of the folder that have such a script, and again whenever one is written, until
the editor closes or the script is run with --stop.
"""

import argparse
import json
import os
import runpy
import sys

import unreal

DATA = json.loads(%DATA%)

LIBRARY = unreal.AnimationLibrary
FEET_TRACK = "Feet"
EVENTS_TRACK = "Events"
WARPS_TRACK = "Warping"

SCRIPT_END = ".import.py"
# Seconds between two looks at the folder. A file must not change from one to the next before it is imported.
LOOK_SECONDS = 0.5


def main(arguments):
    parser = argparse.ArgumentParser(prog="NAME.import.py")
    parser.add_argument("--folder", default="/Game/Portamento")
    parser.add_argument("--skeleton")
    parser.add_argument("--watch", action="store_true")
    parser.add_argument("--stop", action="store_true")
    options = parser.parse_args(arguments)
    place = os.path.dirname(os.path.abspath(__file__))
    if options.watch or options.stop:
        end_watch(place)
        if options.watch:
            begin_watch(place, options)
        return
    stem = os.path.splitext(DATA["file"])[0]
    skeleton = find_skeleton(options.folder, stem, options.skeleton)
    sequences = import_file(options.folder, stem, skeleton)
    for clip, sequence in pairs(sequences):
        configure(sequence, clip)
        unreal.EditorAssetLibrary.save_loaded_asset(sequence)
        unreal.log("imported {} as {}".format(clip["clip"], sequence.get_path_name()))


def watches():
    """The callbacks of all watches by folder. They outlive the run of a script."""
    return unreal.__dict__.setdefault("portamento_watches", {})


def end_watch(place):
    handle = watches().pop(place, None)
    if handle is not None:
        unreal.unregister_slate_post_tick_callback(handle)
        unreal.log("no longer watching {}".format(place))


def begin_watch(place, options):
    """Imports all files of a folder now and whenever one of them or its script has changed and is at rest."""
    arguments = ["--folder", options.folder]
    skeleton = options.skeleton or selected_path()
    if skeleton:
        arguments += ["--skeleton", skeleton]
    imported, seen = {}, {}
    waited = [LOOK_SECONDS]

    def look(seconds):
        waited[0] += seconds
        if waited[0] < LOOK_SECONDS:
            return
        waited[0] = 0.0
        now = stamps(place)
        for script, stamp in sorted(now.items()):
            if seen.get(script) == stamp and imported.get(script) != stamp:
                imported[script] = stamp
                import_again(script, arguments)
        seen.clear()
        seen.update(now)

    watches()[place] = unreal.register_slate_post_tick_callback(look)
    unreal.log("watching {}".format(place))


def selected_path():
    """The path of the skeleton, or of the mesh with one, that is selected in the Content Browser; None without one."""
    for asset in unreal.EditorUtilityLibrary.get_selected_assets():
        if isinstance(asset, (unreal.Skeleton, unreal.SkeletalMesh)):
            return asset.get_path_name()
    return None


def stamps(place):
    """Times and sizes of each script of the folder and its FBX. A script without its FBX is left out."""
    found = {}
    for entry in os.scandir(place):
        if entry.name.endswith(SCRIPT_END):
            try:
                pair = [os.stat(path) for path in (entry.path, entry.path[: -len(SCRIPT_END)] + ".fbx")]
            except OSError:
                continue
            found[entry.path] = [(file.st_mtime_ns, file.st_size) for file in pair]
    return found


def import_again(script, arguments):
    """Runs a script; a failure is logged and does not end the watch."""
    before, sys.argv = sys.argv, [script] + arguments
    try:
        runpy.run_path(script, run_name="__main__")
    except (Exception, SystemExit) as error:
        unreal.log_error("{}: {}".format(os.path.basename(script), error))
    finally:
        sys.argv = before


def find_skeleton(folder, stem, path):
    """The skeleton to import onto; None makes one from the mesh."""
    candidates = [unreal.load_asset(path)] if path else list(unreal.EditorUtilityLibrary.get_selected_assets())
    if not path:
        for known in unreal.EditorAssetLibrary.list_assets(folder, recursive=False):
            if known.rsplit(".", 1)[-1] == object_name(stem) + "_Skeleton":
                candidates.append(unreal.load_asset(known))
    for asset in candidates:
        if isinstance(asset, unreal.SkeletalMesh):
            asset = asset.get_editor_property("skeleton")
        if isinstance(asset, unreal.Skeleton):
            return asset
    if path:
        raise RuntimeError("{} is not a skeleton or a skeletal mesh. Name one with --skeleton.".format(path))
    if not DATA["has_mesh"]:
        raise RuntimeError("The FBX has no mesh. Select a skeleton in the Content Browser, or name one with --skeleton.")
    return None


def import_file(folder, stem, skeleton):
    """Imports the FBX and returns its animation sequences."""
    options = unreal.FbxImportUI()
    options.set_editor_property("automated_import_should_detect_type", False)
    options.set_editor_property("import_as_skeletal", True)
    options.set_editor_property("import_mesh", skeleton is None)
    options.set_editor_property("import_animations", True)
    options.set_editor_property("import_materials", skeleton is None)
    options.set_editor_property("import_textures", skeleton is None)
    options.set_editor_property("create_physics_asset", False)
    options.set_editor_property("skeleton", skeleton)
    kind = unreal.FBXImportType.FBXIT_SKELETAL_MESH if skeleton is None else unreal.FBXImportType.FBXIT_ANIMATION
    options.set_editor_property("mesh_type_to_import", kind)
    motion = options.get_editor_property("anim_sequence_import_data")
    motion.set_editor_property("animation_length", unreal.FBXAnimationLengthImportType.FBXALIT_EXPORTED_TIME)
    motion.set_editor_property("use_default_sample_rate", False)
    motion.set_editor_property("custom_sample_rate", int(round(DATA["fps"])))
    motion.set_editor_property("convert_scene", True)
    motion.set_editor_property("convert_scene_unit", True)
    task = unreal.AssetImportTask()
    task.set_editor_property("filename", os.path.join(os.path.dirname(os.path.abspath(__file__)), DATA["file"]))
    task.set_editor_property("destination_path", folder)
    task.set_editor_property("destination_name", object_name(stem))
    task.set_editor_property("replace_existing", True)
    task.set_editor_property("automated", True)
    task.set_editor_property("save", True)
    task.set_editor_property("options", options)
    task.set_editor_property("factory", unreal.FbxFactory())
    unreal.AssetToolsHelpers.get_asset_tools().import_asset_tasks([task])
    assets = [unreal.load_asset(path) for path in task.get_editor_property("imported_object_paths")]
    sequences = [asset for asset in assets if isinstance(asset, unreal.AnimSequence)]
    if not sequences:
        raise RuntimeError("Unreal imported no animation from {}. Read the message log.".format(DATA["file"]))
    return sequences


def pairs(sequences):
    """Clips with their sequences: of several, the sequence whose name ends with that of the clip."""
    clips = DATA["clips"]
    if len(clips) == 1 and len(sequences) == 1:
        return [(clips[0], sequences[0])]
    found = []
    free = list(sequences)
    # A longer name first, because "fast walk" ends with "walk".
    for clip in sorted(clips, key=lambda clip: -len(clip["clip"])):
        named = [sequence for sequence in free if sequence.get_name().endswith(object_name(clip["clip"]))]
        if not named:
            unreal.log_warning("The clip {} has no sequence, so nothing was set for it.".format(clip["clip"]))
            continue
        free.remove(named[0])
        found.append((clip, named[0]))
    return found


def object_name(text):
    """The name of an asset: letters, digits and underscores."""
    return "".join(letter if letter.isalnum() else "_" for letter in text)


def configure(sequence, clip):
    sequence.set_editor_property("loop", clip["loop"])
    LIBRARY.set_root_motion_enabled(sequence, clip["root_motion"])
    set_additive(sequence, clip.get("additive"))
    length = LIBRARY.get_sequence_length(sequence)
    for track in (FEET_TRACK, EVENTS_TRACK):
        if LIBRARY.is_valid_anim_notify_track_name(sequence, track):
            LIBRARY.remove_animation_sync_markers_by_track(sequence, track)
        else:
            LIBRARY.add_animation_notify_track(sequence, track)
    spans = {}
    for marker in clip["markers"]:
        track = FEET_TRACK if marker["name"].endswith("_stands") else EVENTS_TRACK
        LIBRARY.add_animation_sync_marker(sequence, marker["name"], min(marker["time"], length), track)
        if "until" in marker:
            spans.setdefault(marker["name"], []).append((marker["time"], min(marker["until"], length)))
    for name, parts in sorted(spans.items()):
        set_curve(sequence, name, *switched(parts, length, 1.0 / clip["fps"]))
    set_warps(sequence, clip.get("warps", []), length)


def set_warps(sequence, warps, length):
    """Windows of motion warping: within each, the root is moved to the target of its name at the end. The curves NAME_x, NAME_y and
    NAME_z hold the root at the end relative to the point of the obstacle, in Unreal's centimetres: added to the point of another
    obstacle, they are the target."""
    if not warps:
        return
    if LIBRARY.is_valid_anim_notify_track_name(sequence, WARPS_TRACK):
        LIBRARY.remove_animation_notify_events_by_track(sequence, WARPS_TRACK)
    else:
        LIBRARY.add_animation_notify_track(sequence, WARPS_TRACK)
    state = getattr(unreal, "AnimNotifyState_MotionWarping", None)
    if state is None:
        unreal.log_warning("The plugin Motion Warping is off, so its windows were not set. Enable it and import again.")
    for warp in warps:
        name, start, end = warp["name"], warp["time"], min(warp["until"], length)
        if state is not None and end > start:
            window = LIBRARY.add_animation_notify_state_event(sequence, WARPS_TRACK, start, end - start, state)
            modifier = window.get_editor_property("root_motion_modifier")
            modifier.set_editor_property("warp_target_name", unreal.Name(name))
        x, y, z = [100.0 * (root - point) for root, point in zip(warp["root"], warp["point"])]
        for axis, value in (("x", x), ("y", z), ("z", y)):
            set_curve(sequence, name + "_" + axis, [0.0, length], [value, value])


def set_additive(sequence, additive):
    """The clip is the rest pose with the difference applied, so the base pose is the skeleton's own."""
    kind, base = unreal.AdditiveAnimationType.AAT_NONE, unreal.AdditiveBasePoseType.ABPT_NONE
    if additive:
        base = unreal.AdditiveBasePoseType.ABPT_REF_POSE
        is_character = additive["space"] == "character"
        kinds = unreal.AdditiveAnimationType
        kind = kinds.AAT_ROTATION_OFFSET_MESH_SPACE if is_character else kinds.AAT_LOCAL_SPACE_BASE
    LIBRARY.set_additive_animation_type(sequence, kind)
    LIBRARY.set_additive_base_pose_type(sequence, base)


def switched(parts, length, step):
    """Keys of a curve that is 1 within the parts and 0 elsewhere."""
    keys = {0.0: 0.0, length: 0.0}
    for start, end in parts:
        for time in (start - step, end + step):
            if 0.0 < time < length:
                keys.setdefault(time, 0.0)
    for start, end in parts:
        inside = [time for time in keys if start <= time <= end]
        keys.update({time: 1.0 for time in inside + [start, end]})
    times = sorted(keys)
    return times, [keys[time] for time in times]


def set_curve(sequence, name, times, values):
    kind = unreal.RawCurveTrackTypes.RCT_FLOAT
    if LIBRARY.does_curve_exist(sequence, name, kind):
        LIBRARY.remove_curve(sequence, name)
    LIBRARY.add_curve(sequence, name, kind, False)
    LIBRARY.add_float_curve_keys(sequence, name, list(times), list(values))


if __name__ == "__main__":
    main(sys.argv[1:])
