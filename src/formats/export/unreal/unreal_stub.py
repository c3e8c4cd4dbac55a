"""The classes, properties and functions of Unreal's editor Python that the import script uses, as documented.

Any other name fails. Calls are recorded and printed as JSON at the end.
"""

import atexit
import json
import os

CALLS = []
IMPORTED = os.environ.get("IMPORTED", "").split(",")
SELECTED = os.environ.get("SELECTED", "")
KNOWN = set(os.environ.get("KNOWN", "").split(","))


def record(name, *arguments):
    CALLS.append([name] + [plain(argument) for argument in arguments])


def plain(value):
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value if isinstance(value, (str, int, float, bool)) else repr(value)


class Object:
    PROPERTIES = {}

    def __init__(self, name=""):
        self.name = name
        self.values = {}

    def __repr__(self):
        return "{}({})".format(type(self).__name__, self.name)

    def get_name(self):
        return self.name

    def get_path_name(self):
        return "/Game/{0}.{0}".format(self.name)

    def get_editor_property(self, name):
        kind = self.PROPERTIES[name]
        return self.values.setdefault(name, kind())

    def set_editor_property(self, name, value):
        kind = self.PROPERTIES[name]
        assert value is None or isinstance(value, kind), (name, value, kind)
        self.values[name] = value
        record("{}.{}".format(type(self).__name__, name), value)


class Enum(str):
    pass


def enumeration(*names):
    return type("Enumeration", (), {name: Enum(name) for name in names})


FBXImportType = enumeration("FBXIT_STATIC_MESH", "FBXIT_SKELETAL_MESH", "FBXIT_ANIMATION")
FBXAnimationLengthImportType = enumeration("FBXALIT_EXPORTED_TIME", "FBXALIT_ANIMATED_KEY", "FBXALIT_SET_RANGE")
AdditiveAnimationType = enumeration("AAT_NONE", "AAT_LOCAL_SPACE_BASE", "AAT_ROTATION_OFFSET_MESH_SPACE")
AdditiveBasePoseType = enumeration("ABPT_NONE", "ABPT_REF_POSE", "ABPT_ANIM_SCALED", "ABPT_ANIM_FRAME", "ABPT_LOCAL_ANIM_FRAME")
RawCurveTrackTypes = enumeration("RCT_FLOAT", "RCT_VECTOR", "RCT_TRANSFORM")


class Skeleton(Object):
    pass


class SkeletalMesh(Object):
    PROPERTIES = {"skeleton": lambda: Skeleton("selected_Skeleton")}


class AnimSequence(Object):
    PROPERTIES = {"loop": bool, "enable_root_motion": bool, "ref_frame_index": int}


class Name(str):
    pass


class Vector:
    def __init__(self, x=0.0, y=0.0, z=0.0):
        self.x, self.y, self.z = x, y, z

    def __repr__(self):
        return "Vector({}, {}, {})".format(self.x, self.y, self.z)


NavLinkDirection = enumeration("BOTH_WAYS", "LEFT_TO_RIGHT", "RIGHT_TO_LEFT")


class NavigationLink(Object):
    PROPERTIES = {"left": Vector, "right": Vector, "direction": Enum}


class NavLinkProxy(Object):
    PROPERTIES = {"point_links": list, "tags": list}

    def set_actor_label(self, new_actor_label, mark_dirty=True):
        record("set_actor_label", new_actor_label)


class EditorActorSubsystem:
    def get_all_level_actors(self):
        old = NavLinkProxy("old")
        old.values["tags"] = [Name("Portamento.yard")]
        return [old, NavLinkProxy("another")] if os.environ.get("PROXIES") else []

    def destroy_actor(self, actor_to_destroy):
        record("destroy_actor", actor_to_destroy)
        return True

    def spawn_actor_from_class(self, actor_class, location, rotation=None, transient=False):
        record("spawn_actor_from_class", actor_class.__name__, location)
        return actor_class()


def get_editor_subsystem(subsystem):
    return subsystem()


class RootMotionModifier_SkewWarp(Object):
    PROPERTIES = {"warp_target_name": Name}


if not os.environ.get("NO_WARPING"):

    class AnimNotifyState_MotionWarping(Object):
        PROPERTIES = {"root_motion_modifier": RootMotionModifier_SkewWarp}


class FbxAnimSequenceImportData(Object):
    PROPERTIES = {
        "animation_length": Enum,
        "convert_scene": bool,
        "convert_scene_unit": bool,
        "custom_sample_rate": int,
        "use_default_sample_rate": bool,
    }


class FbxImportUI(Object):
    PROPERTIES = {
        "anim_sequence_import_data": FbxAnimSequenceImportData,
        "automated_import_should_detect_type": bool,
        "create_physics_asset": bool,
        "import_animations": bool,
        "import_as_skeletal": bool,
        "import_materials": bool,
        "import_mesh": bool,
        "import_textures": bool,
        "mesh_type_to_import": Enum,
        "skeleton": Skeleton,
    }


class FbxFactory(Object):
    pass


class AssetImportTask(Object):
    PROPERTIES = {
        "automated": bool,
        "destination_name": str,
        "destination_path": str,
        "factory": FbxFactory,
        "filename": str,
        "imported_object_paths": list,
        "options": FbxImportUI,
        "replace_existing": bool,
        "save": bool,
    }


class AssetTools:
    def import_asset_tasks(self, import_tasks):
        for task in import_tasks:
            assert os.path.isfile(task.get_editor_property("filename"))
            task.values["imported_object_paths"] = ["/Game/" + name for name in IMPORTED]


class AssetToolsHelpers:
    @staticmethod
    def get_asset_tools():
        return AssetTools()


class EditorUtilityLibrary:
    @staticmethod
    def get_selected_assets():
        return [SkeletalMesh(SELECTED)] if SELECTED else []


class EditorAssetLibrary:
    @staticmethod
    def list_assets(directory_path, recursive=True, include_folder=False):
        return [path for path in KNOWN if path.startswith(directory_path + "/")]

    @staticmethod
    def save_loaded_asset(asset_to_save, only_if_is_dirty=True):
        record("save_loaded_asset", asset_to_save)
        return True


class AnimationLibrary:
    @staticmethod
    def set_root_motion_enabled(animation_sequence, enabled):
        record("set_root_motion_enabled", animation_sequence, enabled)

    @staticmethod
    def set_additive_animation_type(animation_sequence, additive_animation_type):
        record("set_additive_animation_type", animation_sequence, additive_animation_type)

    @staticmethod
    def set_additive_base_pose_type(animation_sequence, additive_base_pose_type):
        record("set_additive_base_pose_type", animation_sequence, additive_base_pose_type)

    @staticmethod
    def get_sequence_length(animation_sequence_base):
        return 1.0

    @staticmethod
    def is_valid_anim_notify_track_name(animation_sequence_base, notify_track_name):
        return notify_track_name in KNOWN

    @staticmethod
    def add_animation_notify_track(animation_sequence_base, notify_track_name, track_color=None):
        record("add_animation_notify_track", animation_sequence_base, notify_track_name)

    @staticmethod
    def remove_animation_sync_markers_by_track(animation_sequence, notify_track_name):
        record("remove_animation_sync_markers_by_track", animation_sequence, notify_track_name)
        return 1

    @staticmethod
    def add_animation_sync_marker(animation_sequence, marker_name, time, notify_track_name):
        assert 0.0 <= time <= 1.0
        record("add_animation_sync_marker", animation_sequence, marker_name, time, notify_track_name)

    @staticmethod
    def remove_animation_notify_events_by_track(animation_sequence_base, notify_track_name):
        record("remove_animation_notify_events_by_track", animation_sequence_base, notify_track_name)
        return 1

    @staticmethod
    def add_animation_notify_state_event(animation_sequence_base, notify_track_name, start_time, duration, notify_state_class):
        assert 0.0 <= start_time and 0.0 < duration and start_time + duration <= 1.0
        record("add_animation_notify_state_event", notify_track_name, start_time, duration, notify_state_class.__name__)
        return notify_state_class()

    @staticmethod
    def does_curve_exist(animation_sequence_base, curve_name, curve_type):
        return curve_name in KNOWN

    @staticmethod
    def remove_curve(animation_sequence_base, curve_name, remove_name_from_skeleton=False):
        record("remove_curve", animation_sequence_base, curve_name)

    @staticmethod
    def add_curve(animation_sequence_base, curve_name, curve_type=RawCurveTrackTypes.RCT_FLOAT, meta_data_curve=False):
        record("add_curve", animation_sequence_base, curve_name, curve_type)

    @staticmethod
    def add_float_curve_keys(animation_sequence_base, curve_name, times, values):
        assert len(times) == len(values) and list(times) == sorted(times)
        record("add_float_curve_keys", animation_sequence_base, curve_name, times, values)


def load_asset(name):
    name = name.rsplit("/", 1)[-1].rsplit(".", 1)[-1]
    if name.endswith("_Skeleton"):
        return Skeleton(name)
    return AnimSequence(name) if name in IMPORTED else SkeletalMesh(name) if name.startswith("SK_") else None


def log(text):
    record("log", text)


def log_warning(text):
    record("log_warning", text)


def log_error(text):
    record("log_error", text)


TICKS = {}


def register_slate_post_tick_callback(callable):
    TICKS[len(TICKS)] = callable
    return len(TICKS) - 1


def unregister_slate_post_tick_callback(handle):
    del TICKS[handle]


def play():
    """Lets the editor draw, then makes the edits of the variable EDITS one after another: pairs of a file and its new text."""
    for name, text in [("", "")] + json.loads(os.environ.get("EDITS", "[]")):
        if name:
            record("edit", name)
            with open(os.path.join(os.path.dirname(__file__), name), "w") as file:
                file.write(text)
        for _ in range(20):
            for callable in list(TICKS.values()):
                callable(0.1)
    print(json.dumps(CALLS))


atexit.register(play)
