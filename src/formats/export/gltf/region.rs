//! Appends bytes to a buffer, with accessors that describe them.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher as _};
use std::ops::Range;

use portamento_anim::SharedList;
use serde_json::{Value, json};

/// Bytes to be appended to a buffer, with their accessors. Equal data is stored once.
pub(super) struct Region {
    /// The new bytes.
    pub bytes: Vec<u8>,
    first_accessor: usize,
    view: usize,
    accessors: Vec<Value>,
    /// Accessors by type, bounds and hash of their bytes, with the range of the bytes.
    known: BTreeMap<(&'static str, bool, u64), Vec<KnownAccessor>>,
}

/// The index of an accessor and the range of its bytes.
type KnownAccessor = (usize, Range<usize>);

impl Region {
    /// Creates an empty region for the file in `json`.
    pub fn new(json: &Value) -> Self {
        let count = |key: &str| json.get(key).and_then(Value::as_array).map_or(0, Vec::len);
        Self {
            bytes: Vec::new(),
            first_accessor: count("accessors"),
            view: count("bufferViews"),
            accessors: Vec::new(),
            known: BTreeMap::new(),
        }
    }

    /// Adds an accessor of key times, with the bounds that the format requires, and returns its index.
    pub fn times(&mut self, times: &[f32]) -> usize {
        self.add("SCALAR", times, true)
    }

    /// Adds an accessor of values and returns its index. `kind` is the glTF type and `floats` are the components.
    pub fn values(&mut self, kind: &'static str, floats: &[f32]) -> usize {
        self.add(kind, floats, false)
    }

    /// Adds an accessor for `floats`, or returns the index of the one with equal data. `bounds` adds the first and the last number
    /// as bounds, so `floats` must increase.
    fn add(&mut self, kind: &'static str, floats: &[f32], bounds: bool) -> usize {
        let mut hasher = DefaultHasher::new();
        floats.iter().for_each(|float| hasher.write_u32(float.to_bits()));
        let same_hash = self.known.entry((kind, bounds, hasher.finish())).or_default();
        let is_equal = |(_, range): &&(usize, Range<usize>)| {
            range.len() == 4 * floats.len()
                && self.bytes[range.clone()]
                    .chunks_exact(4)
                    .zip(floats)
                    .all(|(known, float)| *known == float.to_le_bytes())
        };
        if let Some(&(accessor, _)) = same_hash.iter().find(is_equal) {
            return accessor;
        }
        let width = match kind {
            "VEC4" => 4,
            "VEC3" => 3,
            _ => 1,
        };
        let mut accessor = json!({ "bufferView": self.view, "byteOffset": self.bytes.len(), "componentType": 5126,
            "count": floats.len() / width, "type": kind });
        if let (true, Some(first), Some(last)) = (bounds, floats.first(), floats.last()) {
            // Key times increase, so the first and the last are the bounds.
            accessor["min"] = json!([first]);
            accessor["max"] = json!([last]);
        }
        let start = self.bytes.len();
        self.bytes.extend(floats.iter().flat_map(|float| float.to_le_bytes()));
        self.accessors.push(accessor);
        let index = self.first_accessor + self.accessors.len() - 1;
        same_hash.push((index, start..self.bytes.len()));
        index
    }

    /// Adds the accessors to `json` and the bytes to `buffers`: to the GLB's own buffer if there is one, else as a new buffer.
    /// Existing bytes and entries do not move. Does nothing without bytes.
    pub(super) fn attach(self, json: &mut Value, buffers: &mut Vec<SharedList<u8>>) {
        let own = |buffers: &Vec<Value>| buffers.first().is_some_and(|buffer| buffer.get("uri").is_none());
        let is_embedded = json.get("buffers").and_then(Value::as_array).is_some_and(own);
        let buffer = if is_embedded { 0 } else { buffers.len() };
        self.attach_to(buffer, json, buffers);
    }

    /// Adds the accessors to `json` and the bytes to `buffers` as a new buffer. Does nothing without bytes.
    pub(super) fn attach_apart(self, json: &mut Value, buffers: &mut Vec<SharedList<u8>>) {
        self.attach_to(buffers.len(), json, buffers);
    }

    /// Adds the accessors to `json` and the bytes to the buffer at index `buffer`, which is created if it is the next one.
    fn attach_to(self, buffer: usize, json: &mut Value, buffers: &mut Vec<SharedList<u8>>) {
        if self.bytes.is_empty() {
            return;
        }
        if buffer == buffers.len() {
            buffers.push(SharedList::default());
            push(json, "buffers", json!({ "byteLength": 0 }));
        }
        let (offset, length) = (buffers[buffer].len().next_multiple_of(4), self.bytes.len());
        buffers[buffer] = match offset {
            0 => self.bytes.into(),
            _ => {
                // The exact capacity avoids another copy while the list grows.
                let mut joined = Vec::with_capacity(offset + length);
                joined.extend_from_slice(&buffers[buffer]);
                joined.resize(offset, 0);
                joined.extend_from_slice(&self.bytes);
                joined.into()
            }
        };
        json["buffers"][buffer]["byteLength"] = json!(offset + length);
        push(json, "bufferViews", json!({ "buffer": buffer, "byteOffset": offset, "byteLength": length }));
        self.accessors.into_iter().for_each(|accessor| push(json, "accessors", accessor));
    }
}

/// Appends `entry` to the top-level list `key`, which is created if missing.
pub(super) fn push(json: &mut Value, key: &str, entry: Value) {
    match json.get_mut(key).and_then(Value::as_array_mut) {
        Some(list) => list.push(entry),
        None => json[key] = json!([entry]),
    }
}
