//! Where in the buffers of a glTF its accessors lie.

use std::ops::Range;

use serde_json::Value;

/// Bytes of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    /// The buffer view in which they lie.
    pub view: u64,
    /// The buffer.
    pub buffer: usize,
    /// From its start.
    pub bytes: Range<usize>,
}

/// Where buffer view `view` of `json` lies; `None` where it does not say so.
pub(super) fn view_place(json: &Value, view: usize) -> Option<Place> {
    let entry = json["bufferViews"].get(view)?;
    let buffer = number(entry, "buffer")?;
    json["buffers"].get(buffer)?;
    let start = number(entry, "byteOffset").unwrap_or(0);
    let end = start.checked_add(number(entry, "byteLength")?)?;
    Some(Place { view: view as u64, buffer, bytes: start..end })
}

/// Where the values of `accessor` of `json` lie, and those of what it changes them by; `views` are its buffer views. `None` where
/// it does not say so.
pub(super) fn places(json: &Value, accessor: &Value, views: &[Place]) -> Option<Vec<Place>> {
    let (count, size) = (number(accessor, "count")?, element_bytes(accessor)?);
    let stride = |view: usize| number(&json["bufferViews"][view], "byteStride");
    let mut found = Vec::new();
    if let Some(view) = number(accessor, "bufferView") {
        let stride = stride(view).unwrap_or(size);
        let bytes = count.saturating_sub(1).checked_mul(stride)?.checked_add(size)?;
        found.push(within(views.get(view)?, accessor, bytes)?);
    }
    if let Some(sparse) = accessor.get("sparse") {
        let count = number(sparse, "count")?;
        let (indices, values) = (sparse.get("indices")?, sparse.get("values")?);
        let index = component_bytes(indices)?;
        for (part, size) in [(indices, index), (values, size)] {
            found.push(within(views.get(number(part, "bufferView")?)?, part, count.checked_mul(size)?)?);
        }
    }
    Some(found)
}

/// What of an accessor lies in buffer views: itself, and what its values are changed by.
pub(super) fn each_part(accessor: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    for key in ["indices", "values"] {
        accessor.get_mut("sparse").and_then(|sparse| sparse.get_mut(key)).into_iter().for_each(&mut *visit);
    }
    visit(accessor);
}

/// The `bytes` of `view` from where `part` begins.
fn within(view: &Place, part: &Value, bytes: usize) -> Option<Place> {
    let start = view.bytes.start.checked_add(number(part, "byteOffset").unwrap_or(0))?;
    let end = start.checked_add(bytes).filter(|end| *end <= view.bytes.end)?;
    Some(Place { bytes: start..end, ..view.clone() })
}

/// Bytes of one element; columns of matrices begin on multiples of 4.
fn element_bytes(accessor: &Value) -> Option<usize> {
    let one = component_bytes(accessor)?;
    let columns = |columns: usize| columns * (columns * one).next_multiple_of(4);
    Some(match accessor.get("type")?.as_str()? {
        "SCALAR" => one,
        "VEC2" => 2 * one,
        "VEC3" => 3 * one,
        "VEC4" => 4 * one,
        "MAT2" => columns(2),
        "MAT3" => columns(3),
        "MAT4" => columns(4),
        _ => return None,
    })
}

fn component_bytes(part: &Value) -> Option<usize> {
    match number(part, "componentType")? {
        5120 | 5121 => Some(1),
        5122 | 5123 => Some(2),
        5125 | 5126 => Some(4),
        _ => None,
    }
}

fn number(entry: &Value, key: &str) -> Option<usize> {
    usize::try_from(entry.get(key)?.as_u64()?).ok()
}
