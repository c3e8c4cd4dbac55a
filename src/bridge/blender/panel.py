"""Operators, properties and the panel in the sidebar of the 3D viewport."""

import bpy
from bpy.props import BoolProperty, EnumProperty, PointerProperty, StringProperty

from . import connection, fetch, live, sampling, send
from .translations import said

ROOT_MOTION = [
    ("BONE", "Bone", "The root motion stays on its bone"),
    ("OBJECT", "Object", "Path and heading of the root move the armature object"),
]


class Preferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    program: StringProperty(name="Portamento", description="The program that is started if none is open", subtype="FILE_PATH", default="portamento")

    def draw(self, _context):
        self.layout.prop(self, "program")


class ArmatureSettings(bpy.types.PropertyGroup):
    root_motion: EnumProperty(name="Root Motion", description="What the root motion of fetched takes moves", items=ROOT_MOTION)


class ActionSettings(bpy.types.PropertyGroup):
    is_sent: BoolProperty(name="Send", description="Send this action with the armature", default=False)


class Settings(bpy.types.PropertyGroup):
    live: BoolProperty(
        name="Live",
        description="Update fetched actions whenever their takes change in Portamento",
        update=lambda settings, _context: live.start() if settings.live else live.stop(),
        options={"SKIP_SAVE"},
    )
    report: StringProperty(options={"SKIP_SAVE"})


def armature_of(context):
    """Returns the active armature, or that of the active mesh; None without one."""
    item = context.object
    return item if item and item.type == "ARMATURE" else item and item.find_armature()


def actions_of(armature):
    """Returns the actions with curves of the armature: pairs with their slots."""
    bones = armature.data.bones
    pairs = []
    for action in bpy.data.actions:
        for slot in sampling.slots_for(action, armature):
            # The object itself has the name None.
            names = set(sampling.Curves(action, slot).curves) - {None}
            if any(name in bones for name in names):
                pairs.append((action, slot))
    return pairs


def chosen_actions(armature):
    """Returns the actions to send: those that are ticked, and the one that is assigned."""
    data = armature.animation_data
    return [pair for pair in actions_of(armature) if pair[0].portamento.is_sent or data and pair[0] == data.action]


class ArmatureOperator(bpy.types.Operator):
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return armature_of(context) is not None

    def execute(self, context):
        try:
            message = self.perform(context, armature_of(context))
        except (connection.Refused, ValueError, OSError, RuntimeError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, message)
        return {"FINISHED"}


class Send(ArmatureOperator):
    bl_idname = "portamento.send"
    bl_label = "Send to Portamento"
    bl_description = "Sends the armature with its meshes, its action and the ticked actions. Starts Portamento if it is not open"

    def perform(self, context, armature):
        actions = chosen_actions(armature)
        path = send.write(context, armature, actions)
        try:
            connection.ask("open", files=[str(path)])
        except connection.NotRunning:
            connection.start(program(context), [path])
        return said("Sent {armature} with {count} actions", armature=armature.name, count=len(actions))


class Fetch(ArmatureOperator):
    bl_idname = "portamento.fetch"
    bl_label = "Fetch Takes"
    bl_description = "Fetches the takes of this armature as actions. Earlier actions stay in the file"

    def perform(self, context, armature):
        status = connection.ask("status")
        takes = fetch.takes_of(armature, status)
        if not takes:
            raise connection.Refused(said("Portamento has no take of {armature}. Send it, and add a take there.", armature=armature.name))
        actions = fetch.fetch(context, armature, takes, armature.portamento.root_motion)
        shown = [action for take, action in zip(takes, actions) if take["is_shown"]]
        fetch.assign(armature, (shown or actions)[-1])
        return said("Fetched {count} takes", count=len(actions))


def program(context):
    """Returns the path of Portamento in the preferences of the add-on."""
    known = context.preferences.addons.get(__package__)
    return bpy.path.abspath(known.preferences.program) if known and known.preferences else "portamento"


class Panel(bpy.types.Panel):
    bl_idname = "VIEW3D_PT_portamento"
    bl_label = "Portamento"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Portamento"

    def draw(self, context):
        layout, armature = self.layout, armature_of(context)
        layout.use_property_split = True
        if armature is None:
            layout.label(text="Choose an armature", icon="INFO")
            return
        layout.operator(Send.bl_idname, icon="EXPORT")
        actions = layout.column(align=True, heading="Actions")
        for action, _ in actions_of(armature)[:20]:
            actions.prop(action.portamento, "is_sent", text=action.name, translate=False)
        layout.operator(Fetch.bl_idname, icon="IMPORT")
        layout.prop(armature.portamento, "root_motion")
        layout.prop(context.window_manager.portamento, "live")
        report = context.window_manager.portamento.report
        if report:
            layout.label(text=report, icon="ERROR", translate=False)


CLASSES = (Preferences, ArmatureSettings, ActionSettings, Settings, Send, Fetch, Panel)
OWNERS = ((bpy.types.Object, ArmatureSettings), (bpy.types.Action, ActionSettings), (bpy.types.WindowManager, Settings))


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    for owner, group in OWNERS:
        owner.portamento = PointerProperty(type=group)


def unregister():
    live.stop()
    for owner, _ in OWNERS:
        del owner.portamento
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
