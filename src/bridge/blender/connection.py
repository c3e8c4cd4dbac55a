"""The connection to a running Portamento: lines of JSON over the loopback interface."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import time

from .translations import said

ADDRESS_FILE = "remote.json"
EXCHANGE_FOLDER = "exchange"
# The longest line that Portamento reads, and the longest answer read here, bytes.
MAX_REQUEST_BYTES = 1 << 20
MAX_ANSWER_BYTES = 64 << 20
CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 120.0
START_SECONDS = 60.0


class Refused(Exception):
    """Portamento answered with an error, or does not answer."""


class NotRunning(Refused):
    """No window of Portamento has remote control on."""


def home():
    """Returns the folder of Portamento's preferences."""
    chosen = os.environ.get("PORTAMENTO_HOME")
    if chosen:
        return pathlib.Path(chosen)
    user = pathlib.Path.home()
    if sys.platform == "win32":
        roaming = os.environ.get("APPDATA", user / "AppData" / "Roaming")
        return pathlib.Path(roaming) / "Portamento" / "config"
    if sys.platform == "darwin":
        return user / "Library" / "Application Support" / "Portamento"
    return pathlib.Path(os.environ.get("XDG_CONFIG_HOME") or user / ".config") / "portamento"


def exchange_folder():
    """Returns the folder for exchanged files, which only its user can enter. Creates it if needed."""
    folder = home() / EXCHANGE_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    os.chmod(folder, 0o700)
    return folder


def ask(request, seconds=ANSWER_SECONDS, **fields):
    """Sends a request and returns its result. Raises Refused with the reason if there is none."""
    try:
        address = json.loads((home() / ADDRESS_FILE).read_text(encoding="utf-8"))
        port, token = int(address["port"]), str(address["token"])
    except (OSError, ValueError, KeyError, TypeError):
        raise NotRunning(said("Portamento is not running, or its remote control is off.")) from None
    line = json.dumps({"token": token, "request": request, **fields}).encode() + b"\n"
    if len(line) > MAX_REQUEST_BYTES:
        raise Refused(said("The request is too long for Portamento."))
    try:
        stream = socket.create_connection(("127.0.0.1", port), timeout=CONNECT_SECONDS)
    except OSError:
        raise NotRunning(said("Portamento is not running, or its remote control is off.")) from None
    with stream:
        stream.settimeout(seconds)
        try:
            stream.sendall(line)
            with stream.makefile("rb") as reader:
                answer = reader.readline(MAX_ANSWER_BYTES)
        except OSError as error:
            raise Refused(said("Portamento did not answer: {error}.", error=error)) from None
    try:
        answer = dict(json.loads(answer))
    except (ValueError, TypeError):
        raise Refused(said("Portamento ended the connection without an answer.")) from None
    if not answer.get("ok"):
        raise Refused(answer.get("error") or said("Portamento refused the request."))
    return answer.get("result")


def start(program, files):
    """Starts Portamento with remote control on and waits until it answers. Returns its status."""
    command = [program, "--remote-control", *map(str, files)]
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError as error:
        values = {"program": program, "error": error}
        raise Refused(said("{program} could not be started: {error}. Set its path in the preferences of the add-on.", **values)) from None
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        try:
            return ask("status")
        except NotRunning:
            if process.poll() is not None:
                raise Refused(said("{program} ended at once. Start it by hand to see why.", program=program)) from None
            time.sleep(0.2)
    raise Refused(said("{program} does not answer. Turn on File > Remote control in its window.", program=program))
