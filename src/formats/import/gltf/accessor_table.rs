//! The accessors of a file as types of the `gltf` crate, with sparse accessors split.

use gltf::json::accessor::{GenericComponentType, Type};
use gltf::json::validation::{Checked, USize64};
use gltf::json::{self, Accessor, Index, Value, buffer::View};

use super::json_part::{list, part};
use crate::import::Fault;

/// The accessors and buffer views of a file as types of the `gltf` crate.
///
/// Each sparse accessor becomes a plain accessor. Two more at the end of the list hold its indices and values.
/// The crate requires sorted sparse indices; this way any order works, as in other programs.
pub(super) struct Table {
    pub gltf: gltf::Document,
    pub accessors: Vec<Result<(), Fault>>,
    pub views: Vec<Result<(), Fault>>,
    /// Number of accessors in the file, without those added for sparse ones.
    pub count: usize,
    /// For each accessor of the file, the index of the accessor that holds its sparse indices.
    pub sparse: Vec<Option<usize>>,
}

impl Table {
    /// Reads the accessors and buffer views of `json`. A damaged one becomes a blank entry and a fault at its index. `buffers`
    /// is the number of buffers.
    pub fn new(json: &Value, buffers: usize) -> Self {
        let mut root = json::Root::default();
        let views = parts(json, "bufferViews", "buffer view", &mut root.buffer_views, blank_view);
        let mut accessors = parts(json, "accessors", "accessor", &mut root.accessors, blank_accessor);
        let count = accessors.len();
        let mut sparse = Vec::with_capacity(count);
        for index in 0..count {
            let Some(entries) = root.accessors[index].sparse.take() else {
                sparse.push(None);
                continue;
            };
            sparse.push(Some(root.accessors.len()));
            let plain = &root.accessors[index];
            let (component, kind, normalized) = (plain.component_type, plain.type_, plain.normalized);
            let indices = match entries.indices.component_type {
                Checked::Valid(kind) => Checked::Valid(GenericComponentType(kind.0)),
                Checked::Invalid => Checked::Invalid,
            };
            root.accessors.push(Accessor {
                buffer_view: Some(entries.indices.buffer_view),
                byte_offset: Some(entries.indices.byte_offset),
                count: entries.count,
                component_type: indices,
                type_: Checked::Valid(Type::Scalar),
                ..blank_accessor()
            });
            root.accessors.push(Accessor {
                buffer_view: Some(entries.values.buffer_view),
                byte_offset: Some(entries.values.byte_offset),
                count: entries.count,
                component_type: component,
                type_: kind,
                normalized,
                ..blank_accessor()
            });
            accessors.extend([Ok(()), Ok(())]);
        }
        root.buffers = (0..buffers).map(|_| blank_buffer()).collect();
        Self { gltf: gltf::Document::from_json_without_validation(root), accessors, views, count, sparse }
    }
}

/// Parses the list under `key` into `out`. Returns the fault of each entry that cannot be read; its element is blank.
/// `kind` is the name of an entry in faults.
fn parts<T: serde::de::DeserializeOwned>(
    json: &Value,
    key: &str,
    kind: &str,
    out: &mut Vec<T>,
    blank: fn() -> T,
) -> Vec<Result<(), Fault>> {
    let entries = list(json, key).iter().enumerate();
    let mut read = |(index, entry)| match part(entry, || format!("{kind} {index}")) {
        Ok(part) => {
            out.push(part);
            Ok(())
        }
        Err(fault) => {
            out.push(blank());
            Err(fault)
        }
    };
    entries.map(&mut read).collect()
}

/// Returns an accessor without data and type.
fn blank_accessor() -> Accessor {
    Accessor {
        buffer_view: None,
        byte_offset: None,
        count: USize64(0),
        component_type: Checked::Invalid,
        extensions: None,
        extras: json::Extras::default(),
        type_: Checked::Invalid,
        min: None,
        max: None,
        name: None,
        normalized: false,
        sparse: None,
    }
}

/// Returns an empty buffer view of a buffer that does not exist.
fn blank_view() -> View {
    View {
        buffer: Index::new(u32::MAX),
        byte_length: USize64(0),
        byte_offset: None,
        byte_stride: None,
        name: None,
        target: None,
        extensions: None,
        extras: json::Extras::default(),
    }
}

/// Returns an empty buffer.
fn blank_buffer() -> json::Buffer {
    json::Buffer { byte_length: USize64(0), name: None, uri: None, extensions: None, extras: json::Extras::default() }
}
