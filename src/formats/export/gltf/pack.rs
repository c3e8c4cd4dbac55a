//! Packs all bytes of a file into one buffer, as a GLB requires.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::region::push;
use portamento_anim::uri::{Target, resolve};
use portamento_anim::{GltfSource, SharedList};

/// Joins all available buffers into buffer 0 and embeds external images. Missing files remain references.
/// Returns the source unchanged if it already has one buffer and only embedded images.
pub(super) fn pack(source: &GltfSource) -> Cow<'_, GltfSource> {
    let mut images = source.json.get("images").and_then(Value::as_array).into_iter().flatten();
    if has_one_buffer(source) && images.all(|image| image.get("uri").is_none()) {
        return Cow::Borrowed(source);
    }
    let mut out = source.clone();
    join_buffers(&mut out);
    embed_images(&mut out);
    Cow::Owned(out)
}

/// True if `source` has at most one buffer and that one is in the GLB itself.
fn has_one_buffer(source: &GltfSource) -> bool {
    source.buffers.len() <= 1 && source.json.pointer("/buffers/0/uri").is_none()
}

/// True if the file of buffer `index` could not be read. A buffer of length 0 is not missing.
pub(super) fn is_missing(json: &Value, index: usize, bytes: &[u8]) -> bool {
    bytes.is_empty() && json["buffers"][index]["byteLength"].as_u64() != Some(0)
}

/// Joins all buffers into one and updates the buffer views. Buffers whose file is missing stay separate, behind it.
fn join_buffers(out: &mut GltfSource) {
    if has_one_buffer(out) {
        return;
    }
    let (mut joined, mut entries, mut lost) = (Vec::<u8>::new(), Vec::new(), Vec::new());
    // For each buffer its new index and the offset of its bytes.
    let mut moved = vec![(0, 0); out.buffers.len()];
    for (index, bytes) in out.buffers.iter().enumerate() {
        if is_missing(&out.json, index, bytes) {
            lost.push(index);
            continue;
        }
        joined.resize(joined.len().next_multiple_of(4), 0);
        moved[index] = (0, joined.len());
        joined.extend_from_slice(bytes);
    }
    let mut buffers = Vec::new();
    if !joined.is_empty() {
        entries.push(json!({ "byteLength": joined.len() }));
        buffers.push(joined.into());
    }
    for index in lost {
        moved[index] = (buffers.len(), 0);
        buffers.push(SharedList::default());
        entries.push(out.json["buffers"][index].clone());
    }
    for view in out.json.get_mut("bufferViews").and_then(Value::as_array_mut).into_iter().flatten() {
        repoint(view, &moved);
        // Compression extensions of buffer views refer to buffers with the same fields.
        let extensions = view.get_mut("extensions").and_then(Value::as_object_mut);
        extensions.into_iter().flatten().for_each(|(_, extension)| repoint(extension, &moved));
    }
    out.json["buffers"] = Value::Array(entries);
    out.buffers = buffers;
}

/// Updates the buffer and offset of `reference` according to `moved`. `moved` has the new index of each buffer and the
/// offset of its bytes there. Does nothing for unknown buffers.
fn repoint(reference: &mut Value, moved: &[(usize, usize)]) {
    let buffer = reference.get("buffer").and_then(Value::as_u64).map(|index| index as usize);
    if let Some(&(buffer, offset)) = buffer.and_then(|known| moved.get(known)) {
        let old = reference.get("byteOffset").and_then(Value::as_u64).unwrap_or(0);
        reference["buffer"] = json!(buffer);
        if old as usize + offset > 0 {
            reference["byteOffset"] = json!(old as usize + offset);
        }
    }
}

/// Embeds external images as buffer views of buffer 0. Images that cannot be read or have another format than glTF knows
/// stay references, and all do if buffer 0 is an external file.
fn embed_images(out: &mut GltfSource) {
    let folder = out.path.parent().map(ToOwned::to_owned).unwrap_or_default();
    let count = out.json.get("images").and_then(Value::as_array).map_or(0, Vec::len);
    for index in 0..count {
        let uri = out.json["images"][index].get("uri").and_then(Value::as_str);
        let Some(Target::File(file)) = uri.map(|uri| resolve(&folder, uri)) else { continue };
        let Ok(bytes) = portamento_base::regular_file::all(&file) else { continue };
        let Some(mime) = mime(&bytes) else { continue };
        if out.buffers.is_empty() {
            out.buffers.push(SharedList::default());
            push(&mut out.json, "buffers", json!({ "byteLength": 0 }));
        }
        if out.json.pointer("/buffers/0/uri").is_some() {
            return;
        }
        let buffer: &mut Vec<u8> = &mut out.buffers[0];
        buffer.resize(buffer.len().next_multiple_of(4), 0);
        let offset = buffer.len();
        buffer.extend_from_slice(&bytes);
        out.json["buffers"][0]["byteLength"] = json!(buffer.len());
        let view = out.json.get("bufferViews").and_then(Value::as_array).map_or(0, Vec::len);
        push(&mut out.json, "bufferViews", json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }));
        let image = &mut out.json["images"][index];
        image.as_object_mut().and_then(|image| image.shift_remove("uri"));
        image["bufferView"] = json!(view);
        image["mimeType"] = json!(mime);
    }
}

/// Returns the MIME type of an image by its first bytes; `None` for formats that glTF does not have.
fn mime(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [0xAB, b'K', b'T', b'X', b' ', b'2', b'0', 0xBB, ..] => Some("image/ktx2"),
        _ => None,
    }
}
