"""Live: fetched actions follow their takes while Portamento is open."""

import bpy

from . import connection, fetch

# Seconds between two looks, and while nothing answers. A look at the revision costs little on both sides.
INTERVAL = 0.1
PAUSE = 3.0
ANSWER_SECONDS = 10.0
# The revision of the status up to which the actions are updated.
updated_to = None


def start():
    """Begins to look for changed takes."""
    global updated_to
    updated_to = None
    if not bpy.app.timers.is_registered(look):
        bpy.app.timers.register(look, first_interval=INTERVAL)


def stop():
    """Ends looking."""
    if bpy.app.timers.is_registered(look):
        bpy.app.timers.unregister(look)


def look():
    """Fetches the takes that changed. Returns the seconds to the next look; None to end."""
    context = bpy.context
    if not context.window_manager.portamento.live:
        return None
    try:
        update(context)
    except connection.NotRunning:
        return PAUSE
    except (connection.Refused, ValueError, OSError) as error:
        context.window_manager.portamento.report = str(error)
        return PAUSE
    return INTERVAL


def update(context):
    """Fetches the takes that changed since they were fetched. Returns their actions."""
    global updated_to
    if connection.ask("revision", seconds=ANSWER_SECONDS) == updated_to:
        return []
    status = connection.ask("status", seconds=ANSWER_SECONDS)
    if status["is_being_edited"]:
        return []
    actions = []
    for armature in [item for item in context.scene.objects if item.type == "ARMATURE" and fetch.was_sent(item)]:
        changed = []
        for take in fetch.takes_of(armature, status):
            action = fetch.existing(armature, take)
            if action and action.get(fetch.FINGERPRINT_PROPERTY) != take["fingerprint"]:
                changed.append(take)
        actions += fetch.fetch(context, armature, changed, armature.portamento.root_motion)
    updated_to = status["revision"]
    return actions
