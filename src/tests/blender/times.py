"""Times from an edit in Blender to the window and the engine's folder, and from a drag in the window to Blender.

Runs on a display with a framebuffer file. The arguments are the folder of the add-on, a character, the program, the
framebuffer file and the number of edits. PORTAMENTO_HOME is an empty folder.
"""

import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import time
import traceback

from add_on import bpy, connection, fetch, live, np, opened, panel, sampling, send

PROGRAM, SCREEN, COUNT = sys.argv[3], sys.argv[4], int(sys.argv[5])
CLIP = "leap_strike"
TAKE = {"name": "{clip} take", "stages": [{"stretch": {"settings": {"target": {"world": [0, 0, 6]}}}}]}
# Columns and rows of the view without messages, and of the outliner's first take, pixels.
VIEW = (slice(230, 980), slice(90, 400))
FIRST_TAKE = (82, 145)
# The colour of the target.
RING = (0x4C, 0xC2, 0xFF)
PATIENCE = 20.0
REST = 1.0


def picture():
    """Returns the pixels of the view, one row of red, green and blue per line."""
    data = np.memmap(SCREEN, np.uint8, "r")
    header, pitch, colours = data[:100].view(">u4")[[0, 12, 19]].astype(int)
    rows = data[header + 12 * colours :].reshape(-1, pitch)
    columns, lines = VIEW
    return np.array(rows[lines].reshape(lines.stop - lines.start, -1, 4)[:, columns, 2::-1])


def press(*words):
    """Gives keys and pointer movements to the window."""
    subprocess.run(["xdotool", *map(str, words)], check=True)


def wait(what, is_so):
    """Waits until something is so. Returns the seconds."""
    begun = time.monotonic()
    while not is_so():
        if time.monotonic() - begun > PATIENCE:
            raise TimeoutError(what)
        time.sleep(0.01)
    return time.monotonic() - begun


def still():
    """Waits until the view rests. Returns its picture."""
    before, since = picture(), time.monotonic()
    while time.monotonic() - since < REST:
        time.sleep(0.05)
        now = picture()
        if not np.array_equal(now, before):
            before, since = now, time.monotonic()
    return before


def report(name, seconds):
    """Prints median and worst of the times."""
    print(f"{name}: median {statistics.median(seconds):.2f} s, worst {max(seconds):.2f} s of {len(seconds)}", flush=True)


class Trial:
    """An armature in Blender, sent to the window, with a stretched take of its clip that is shown there."""

    def __init__(self, character):
        self.armature, actions = opened(character)
        self.action, self.slot = next(pair for pair in actions if pair[0].name == CLIP)
        fetch.assign(self.armature, self.action)
        bpy.context.view_layer.objects.active = self.armature
        panel.program = lambda _: PROGRAM
        self.send()
        self.sent = send.sent_file(self.armature)
        recipe = {"takes": [{**TAKE, "source": "slot:clip"}]}
        clips = [{"file": str(self.sent), "clip": CLIP}]
        self.take = connection.ask("make", recipe=recipe, clips=clips)["takes"][0]["id"]
        found = ["xdotool", "search", "--name", "Portamento", "windowfocus", "windowmove", "0", "0"]
        wait("the window opens", lambda: subprocess.run(found, stderr=subprocess.DEVNULL).returncode == 0)
        press("mousemove", *FIRST_TAKE, "sleep", 0.3, "click", 1)
        still()

    def send(self):
        if bpy.ops.portamento.send() != {"FINISHED"}:
            raise RuntimeError("not sent")

    def edit(self, number):
        """Moves the whole character to and fro."""
        path = f'pose.bones["{self.armature.data.bones[0].name}"].location'
        for curve in sampling.curves_of(self.action, self.slot):
            if curve.data_path == path:
                for key in curve.keyframe_points:
                    key.co[1] += 0.3 * (-1) ** number
                curve.update()

    def seconds_to_picture(self, number):
        before = still()
        self.edit(number)
        begun = time.monotonic()
        self.send()
        sent = time.monotonic() - begun
        wait("the picture changes", lambda: not np.array_equal(picture(), before))
        return time.monotonic() - begun, sent

    def seconds_to_file(self, number, file):
        before = file.stat().st_mtime_ns
        time.sleep(REST)
        self.edit(number)
        begun = time.monotonic()
        self.send()
        wait("the file changes", lambda: file.stat().st_mtime_ns != before)
        return time.monotonic() - begun

    def seconds_to_action(self, number):
        """Drags the target and lets Blender look as its timer does."""
        rows, columns = np.nonzero((np.abs(still().astype(int) - RING) < 24).all(axis=2))
        x, y = VIEW[0].start + columns[0], VIEW[1].start + rows[0]
        action = self.armature.animation_data.action
        before = action[fetch.FINGERPRINT_PROPERTY]
        step = 4 * (-1) ** number
        press("mousemove", x, y, "sleep", 0.3, "mousedown", 1)
        for part in range(1, 6):
            press("mousemove", x + step * part, y, "sleep", 0.04)
        press("mouseup", 1)
        begun = time.monotonic()
        while action[fetch.FINGERPRINT_PROPERTY] == before:
            time.sleep(live.look())
            if time.monotonic() - begun > PATIENCE:
                raise TimeoutError("the action does not follow")
        return time.monotonic() - begun


def watched(trial, folder):
    """Starts a watch that exports the take to a folder. Returns the process and the file."""
    source = {"clip": {"file": 1, "clip": CLIP}}
    recipe = {"files": [str(trial.sent)], "takes": [{**TAKE, "name": "take", "character": 1, "source": source}]}
    path = folder / "recipe.json"
    path.write_text(json.dumps(recipe))
    words = [PROGRAM, "watch", path, "--files-in", trial.sent.parent, "--out", folder / "engine", "--preset", "godot"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    file = folder / "engine" / "take.glb"
    wait("the first export", file.exists)
    return process, file


def main():
    trial = Trial(sys.argv[2])
    pairs = [trial.seconds_to_picture(number) for number in range(COUNT)]
    report("edit in Blender to the picture of the take", [seconds for seconds, _ in pairs])
    report("of it until the add-on has sent", [sent for _, sent in pairs])
    process, file = watched(trial, connection.home())
    report("edit in Blender to the file of the watch", [trial.seconds_to_file(number, file) for number in range(COUNT)])
    process.terminate()
    if bpy.ops.portamento.fetch() != {"FINISHED"}:
        raise RuntimeError("not fetched")
    bpy.context.window_manager.portamento.live = True
    report("drag in the window to the action in Blender", [trial.seconds_to_action(number) for number in range(COUNT)])


def end_window():
    """Ends the program that the add-on started."""
    with contextlib.suppress(OSError, ValueError):
        address = json.loads((connection.home() / connection.ADDRESS_FILE).read_text())
        os.kill(address["process"], signal.SIGTERM)


if __name__ == "__main__":
    code = 1
    try:
        main()
        code = 0
    except Exception:
        traceback.print_exc()
    finally:
        end_window()
        sys.stdout.flush()
        # Blender as a module may hang while Python ends.
        os._exit(code)
