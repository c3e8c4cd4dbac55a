//! Meshes and where their parts come from.

use serde_json::Value;

use super::nodes::label;
use super::primitive::primitive;
use super::reader::{Document, list, name};
use crate::geometry::Mesh;

/// Every mesh of the file; `uv_sets` gives for each material the texture coordinates it uses.
pub(super) fn load(document: &Document, uv_sets: &[usize], warnings: &mut Vec<String>) -> Vec<Mesh> {
    let entries = list(document.json, "meshes").iter().enumerate();
    entries.map(|(index, entry)| mesh(document, (index, entry), uv_sets, warnings)).collect()
}

fn mesh(document: &Document, (index, entry): (usize, &Value), uv_sets: &[usize], warnings: &mut Vec<String>) -> Mesh {
    let mut primitives = Vec::new();
    for (number, value) in list(entry, "primitives").iter().enumerate() {
        let part = || format!("part {number} of {}", label("mesh", entry, index));
        match primitive(document, value, uv_sets, &part, warnings) {
            Ok(primitive) => primitives.push(primitive),
            Err(fault) => warnings.push(format!("A part of {} is left out: {fault}.", label("mesh", entry, index))),
        }
    }
    Mesh { name: name(entry, "mesh", index), primitives }
}
