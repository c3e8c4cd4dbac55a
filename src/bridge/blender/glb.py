"""GLB files: the JSON, the binary chunk, and the animations in them."""

import json
import os
import struct

import numpy as np

from .translations import said

MAGIC = 0x46546C67
JSON_CHUNK = 0x4E4F534A
BINARY_CHUNK = 0x004E4942
FLOAT = 5126
COMPONENTS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
# Decoders of the component types that animations may use; integers are normalized.
DTYPES = {5120: ("<i1", 127.0), 5121: ("<u1", 255.0), 5122: ("<i2", 32767.0), 5123: ("<u2", 65535.0), FLOAT: ("<f4", None)}
PATHS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}


class Glb:
    """A GLB file: `json` as a dictionary, `binary` as a bytearray."""

    def __init__(self, content, binary):
        self.json, self.binary = content, binary

    @classmethod
    def read(cls, path):
        """Reads a file. Raises ValueError if it is no GLB."""
        with open(path, "rb") as file:
            data = file.read()
        if len(data) < 20 or struct.unpack_from("<II", data) != (MAGIC, 2):
            raise ValueError(said("{path} is no GLB.", path=path))
        content, binary, at = {}, bytearray(), 12
        while at + 8 <= len(data):
            length, kind = struct.unpack_from("<II", data, at)
            chunk = data[at + 8 : at + 8 + length]
            if kind == JSON_CHUNK:
                content = json.loads(chunk)
            elif kind == BINARY_CHUNK:
                binary = bytearray(chunk)
            at += 8 + length
        return cls(content, binary)

    def write(self, path):
        """Writes the file to a temporary one and moves it into place."""
        if self.binary:
            self.json.setdefault("buffers", [{}])[0]["byteLength"] = len(self.binary)
        text = json.dumps(self.json, ensure_ascii=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        binary = bytes(self.binary) + b"\0" * (-len(self.binary) % 4)
        size = 12 + 8 + len(text) + (8 + len(binary) if binary else 0)
        temporary = f"{path}.{os.getpid()}.part"
        with open(temporary, "wb") as file:
            file.write(struct.pack("<III", MAGIC, 2, size))
            file.write(struct.pack("<II", len(text), JSON_CHUNK) + text)
            if binary:
                file.write(struct.pack("<II", len(binary), BINARY_CHUNK) + binary)
        os.replace(temporary, path)

    def parents(self):
        """Returns the parent of each node; None for roots."""
        nodes = self.json.get("nodes", [])
        parents = [None] * len(nodes)
        for index, node in enumerate(nodes):
            for child in node.get("children", []):
                parents[child] = index
        return parents

    def add_animation(self, name, channels):
        """Adds an animation. `channels` has tuples of node, path, times in seconds and values, one row per time."""
        animation = {"name": name, "channels": [], "samplers": []}
        times_seen = {}
        for node, path, times, values in channels:
            key = np.asarray(times, "<f4").tobytes()
            if key not in times_seen:
                times_seen[key] = self._add_accessor(times, "SCALAR", True)
            sampler = {"input": times_seen[key], "output": self._add_accessor(values, PATHS[path], False)}
            animation["channels"].append({"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}})
            animation["samplers"].append({**sampler, "interpolation": "LINEAR"})
        if animation["channels"]:
            self.json.setdefault("animations", []).append(animation)

    def _add_accessor(self, values, kind, with_bounds):
        values = np.ascontiguousarray(values, "<f4")
        self.binary.extend(b"\0" * (-len(self.binary) % 4))
        views = self.json.setdefault("bufferViews", [])
        views.append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": values.nbytes})
        self.json.setdefault("buffers", [{"byteLength": 0}])
        self.binary.extend(values.tobytes())
        accessor = {"bufferView": len(views) - 1, "componentType": FLOAT, "count": len(values), "type": kind}
        if with_bounds:
            accessor["min"], accessor["max"] = [float(values.min())], [float(values.max())]
        accessors = self.json.setdefault("accessors", [])
        accessors.append(accessor)
        return len(accessors) - 1

    def accessor(self, index):
        """Returns the values of an accessor: one row per element."""
        accessor = self.json["accessors"][index]
        width = COMPONENTS[accessor["type"]]
        dtype, scale = DTYPES[accessor["componentType"]]
        view = self.json["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        size = np.dtype(dtype).itemsize * width
        stride = view.get("byteStride", size)
        raw = np.frombuffer(self.binary, np.uint8, (accessor["count"] - 1) * stride + size, start)
        rows = np.lib.stride_tricks.as_strided(raw, (accessor["count"], size), (stride, 1))
        values = np.ascontiguousarray(rows).view(dtype).astype(float)
        return values if scale is None else np.maximum(values / scale, -1.0)

    def channels(self, animation):
        """Returns the curves of joints in an animation: (node, path) to (times, values, interpolation)."""
        curves = {}
        for channel in animation["channels"]:
            target, sampler = channel["target"], animation["samplers"][channel["sampler"]]
            if "node" not in target or target["path"] not in PATHS:
                continue
            times, values = self.accessor(sampler["input"])[:, 0], self.accessor(sampler["output"])
            interpolation = sampler.get("interpolation", "LINEAR")
            curves[target["node"], target["path"]] = (times, values, interpolation)
        return curves


def sample(curve, times, is_rotation):
    """Returns the values of a curve at `times`, as glTF defines them."""
    known, values, interpolation = curve
    after = np.clip(np.searchsorted(known, times, "right"), 1, max(len(known) - 1, 1))
    before, after = after - 1, np.minimum(after, len(known) - 1)
    span = np.maximum(known[after] - known[before], 1e-12)
    share = np.clip((times - known[before]) / span, 0.0, 1.0)[:, None]
    if interpolation == "STEP":
        return np.where(times[:, None] >= known[after][:, None], values[after], values[before])
    if interpolation == "CUBICSPLINE":
        keys = values.reshape(len(known), 3, -1)
        left, right, span = keys[before], keys[after], span[:, None]
        square, cube = share**2, share**3
        result = (2 * cube - 3 * square + 1) * left[:, 1] + (cube - 2 * square + share) * span * left[:, 2]
        result += (3 * square - 2 * cube) * right[:, 1] + (cube - square) * span * right[:, 0]
        return result / np.linalg.norm(result, axis=1, keepdims=True) if is_rotation else result
    first, second = values[before], values[after]
    if not is_rotation:
        return first + (second - first) * share
    cosine = np.sum(first * second, axis=1, keepdims=True)
    second, cosine = np.where(cosine < 0, -second, second), np.clip(np.abs(cosine), 0.0, 1.0)
    angle = np.arccos(cosine)
    sine = np.where(angle < 1e-6, 1.0, np.sin(angle))
    one = np.where(angle < 1e-6, 1.0 - share, np.sin((1.0 - share) * angle) / sine)
    two = np.where(angle < 1e-6, share, np.sin(share * angle) / sine)
    result = one * first + two * second
    return result / np.linalg.norm(result, axis=1, keepdims=True)
