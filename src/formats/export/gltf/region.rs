//! Appends bytes to a buffer, with accessors that describe them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Bytes to be appended to a buffer, with their accessors. Equal data is stored once.
pub(super) struct Region {
    /// The new bytes.
    pub bytes: Vec<u8>,
    first_accessor: usize,
    view: usize,
    accessors: Vec<Value>,
    known: BTreeMap<(&'static str, bool, Vec<u8>), usize>,
}

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
        let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
        let key = (kind, bounds, bytes);
        if let Some(&accessor) = self.known.get(&key) {
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
        self.bytes.extend_from_slice(&key.2);
        self.accessors.push(accessor);
        let index = self.first_accessor + self.accessors.len() - 1;
        self.known.insert(key, index);
        index
    }

    /// Adds the accessors to `json` and the bytes to `buffers`: to the GLB's own buffer if there is one, else as a new buffer.
    /// Existing bytes and entries do not move.
    pub(super) fn attach(self, json: &mut Value, buffers: &mut Vec<Vec<u8>>) {
        if self.bytes.is_empty() {
            return;
        }
        let own = |buffers: &Vec<Value>| buffers.first().is_some_and(|buffer| buffer.get("uri").is_none());
        let embedded = json.get("buffers").and_then(Value::as_array).is_some_and(own);
        let buffer = if embedded { 0 } else { buffers.len() };
        if !embedded {
            buffers.push(Vec::new());
            push(json, "buffers", json!({ "byteLength": 0 }));
        }
        let target = &mut buffers[buffer];
        target.resize(target.len().next_multiple_of(4), 0);
        let offset = target.len();
        target.extend_from_slice(&self.bytes);
        json["buffers"][buffer]["byteLength"] = json!(target.len());
        push(json, "bufferViews", json!({ "buffer": buffer, "byteOffset": offset, "byteLength": self.bytes.len() }));
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
