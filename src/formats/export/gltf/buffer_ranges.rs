//! Locates accessors in the buffers of a glTF.

use std::ops::Range;

use portamento_anim::GltfSource;
use serde_json::Value;

/// A byte range of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BufferRange {
    /// The buffer view that contains it.
    pub view: u64,
    /// The buffer.
    pub buffer: usize,
    /// The range from the start of the buffer.
    pub bytes: Range<usize>,
}

/// Returns the range of buffer view `view` of `json`, or `None` if it is not described.
pub(super) fn view_range(json: &Value, view: usize) -> Option<BufferRange> {
    let entry = json["bufferViews"].get(view)?;
    let buffer = number(entry, "buffer")?;
    json["buffers"].get(buffer)?;
    let start = number(entry, "byteOffset").unwrap_or(0);
    let end = start.checked_add(number(entry, "byteLength")?)?;
    Some(BufferRange { view: view as u64, buffer, bytes: start..end })
}

/// Returns the ranges of the values of `accessor` and of its sparse indices and values. `views` are its buffer views.
/// Returns `None` if a range is not described. `views` has the range of each buffer view in order.
pub(super) fn accessor_ranges(json: &Value, accessor: &Value, views: &[BufferRange]) -> Option<Vec<BufferRange>> {
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

/// Returns the bytes of an accessor of 32-bit values, or `None` if they are sparse, compressed or not one after another.
/// Unsigned integers of 32 bits are not told from floats.
pub(super) fn float_bytes<'a>(source: &'a GltfSource, accessor: &Value) -> Option<&'a [u8]> {
    let view = number(accessor, "bufferView")?;
    let entry = source.json["bufferViews"].get(view)?;
    let is_compressed = entry.get("extensions").is_some() || accessor.get("sparse").is_some();
    let element = element_bytes(accessor)?;
    let is_float = component_bytes(accessor) == Some(4);
    if is_compressed || !is_float || number(entry, "byteStride").is_some_and(|stride| stride != element) {
        return None;
    }
    let bytes = number(accessor, "count")?.checked_mul(element)?;
    let range = within(&view_range(&source.json, view)?, accessor, bytes)?;
    source.buffers.get(range.buffer)?.get(range.bytes)
}

/// Visits the parts of an accessor that refer to a buffer view: sparse indices and values, and the accessor itself.
pub(super) fn visit_parts(accessor: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    for key in ["indices", "values"] {
        accessor.get_mut("sparse").and_then(|sparse| sparse.get_mut(key)).into_iter().for_each(&mut *visit);
    }
    visit(accessor);
}

/// Returns the range of `bytes` bytes at the start of `part` in `view`; `None` if it does not fit the view.
fn within(view: &BufferRange, part: &Value, bytes: usize) -> Option<BufferRange> {
    let start = view.bytes.start.checked_add(number(part, "byteOffset").unwrap_or(0))?;
    let end = start.checked_add(bytes).filter(|end| *end <= view.bytes.end)?;
    Some(BufferRange { bytes: start..end, ..view.clone() })
}

/// Returns the bytes of one element of `accessor`; `None` for unknown types. Matrix columns start at multiples of 4.
fn element_bytes(accessor: &Value) -> Option<usize> {
    let component = component_bytes(accessor)?;
    let columns = |columns: usize| columns * (columns * component).next_multiple_of(4);
    Some(match accessor.get("type")?.as_str()? {
        "SCALAR" => component,
        "VEC2" => 2 * component,
        "VEC3" => 3 * component,
        "VEC4" => 4 * component,
        "MAT2" => columns(2),
        "MAT3" => columns(3),
        "MAT4" => columns(4),
        _ => return None,
    })
}

/// Returns the size of a component of accessor `part`; `None` for an unknown type. The size is in bytes.
fn component_bytes(part: &Value) -> Option<usize> {
    match number(part, "componentType")? {
        5120 | 5121 => Some(1),
        5122 | 5123 => Some(2),
        5125 | 5126 => Some(4),
        _ => None,
    }
}

/// Returns the whole number under `key`; `None` if it is missing or negative. `None` too for fractions and texts.
fn number(entry: &Value, key: &str) -> Option<usize> {
    usize::try_from(entry.get(key)?.as_u64()?).ok()
}
