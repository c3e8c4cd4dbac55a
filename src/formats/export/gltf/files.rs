//! Writes a glTF as one GLB, or as a .gltf with buffer and image files in the same folder.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::pack::{is_missing, pack};
use crate::export::{ExportError, FileBytes, FileSet};
use portamento_anim::uri::{Target, resolve};
use portamento_anim::{GltfSource, SharedList};

/// Adds `source` to `set` at `path` in the format of the extension: `.glb` and `.vrm` are one GLB, `.gltf` adds its
/// buffers and images.
///
/// Returns `Err` for other extensions, for a GLB above 4 GiB, and if a file cannot be written.
pub fn save(set: &mut FileSet, path: &Path, source: &GltfSource) -> Result<(), ExportError> {
    encode(path, source)?.iter().try_for_each(|(path, bytes)| set.write_pieces(path, &bytes.pieces()))
}

/// Returns the paths and bytes that [`save`] writes. The extension decides the format: `.glb` and `.vrm` are one GLB,
/// `.gltf` has buffers and images in the same folder.
///
/// Returns `Err` for other extensions, and for a GLB above 4 GiB.
pub fn encode(path: &Path, source: &GltfSource) -> Result<Vec<(PathBuf, FileBytes)>, ExportError> {
    let extension = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "glb" | "vrm" => Ok(vec![(path.to_owned(), glb(source)?)]),
        "gltf" => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let folder = path.parent().unwrap_or(Path::new(""));
            Ok(files(source, &stem).into_iter().map(|(name, bytes)| (folder.join(name), bytes)).collect())
        }
        _ => Err(ExportError::UnknownKind { file: path.display().to_string() }),
    }
}

/// Returns the file as one GLB. External buffers and images are embedded; missing ones remain references.
///
/// Returns `Err` if it would exceed the limit of a GLB (4 GiB).
pub fn to_glb_bytes(source: &GltfSource) -> Result<Vec<u8>, ExportError> {
    Ok(glb(source)?.pieces().concat())
}

/// Returns the file as one GLB like [`to_glb_bytes`], with the buffer of `source` as a piece. Returns `Err` as it does.
fn glb(source: &GltfSource) -> Result<FileBytes, ExportError> {
    let packed = pack(source);
    let mut json = packed.json.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let own = packed.json.pointer("/buffers/0").filter(|buffer| buffer.get("uri").is_none());
    let mut chunks: Vec<(u32, SharedList<u8>)> = vec![(0x4E4F_534A, json.into())];
    if let (Some(_), Some(bytes)) = (own, packed.buffers.first()) {
        chunks.push((0x004E_4942, bytes.clone()));
    }
    chunks.extend(packed.chunks.iter().map(|(kind, bytes)| (*kind, bytes.clone().into())));
    let body: usize = chunks.iter().map(|(_, bytes)| 8 + bytes.len().next_multiple_of(4)).sum();
    let total = u32::try_from(12 + body).map_err(|_| ExportError::TooLarge { bytes: 12 + body })?;
    let mut out = FileBytes::from([*b"glTF", 2_u32.to_le_bytes(), total.to_le_bytes()].concat());
    for (kind, bytes) in chunks {
        let padded = bytes.len().next_multiple_of(4);
        // The total fits 32 bits, so every part does.
        out.push([(padded as u32).to_le_bytes(), kind.to_le_bytes()].concat());
        let padding = vec![0; padded - bytes.len()];
        out.push(bytes);
        out.push(padding);
    }
    Ok(out)
}

/// Returns the files of a .gltf named `stem`: buffers and images first, the .gltf last, each with its name in the folder.
///
/// All names start with `stem`: names from the source might collide with other files.
/// References to files that cannot be read are kept. Embedded buffers that a `data:` URI holds stay embedded.
pub fn files(source: &GltfSource, stem: &str) -> Vec<(String, FileBytes)> {
    let mut json = source.json.clone();
    let mut files = Vec::new();
    for (index, bytes) in source.buffers.iter().enumerate() {
        let uri = json["buffers"][index].get("uri").and_then(Value::as_str);
        let is_file_of_its_own = uri.is_none_or(is_file) && !is_missing(&json, index, bytes);
        if is_file_of_its_own {
            let name = if index == 0 { format!("{stem}.bin") } else { format!("{stem}_{index}.bin") };
            json["buffers"][index]["uri"] = json!(percent_encoded(&name));
            files.push((name, FileBytes::from(bytes.clone())));
        }
    }
    let folder = source.path.parent().unwrap_or(Path::new(""));
    for (index, image) in json.get_mut("images").and_then(Value::as_array_mut).into_iter().flatten().enumerate() {
        let Some(Target::File(file)) = image.get("uri").and_then(Value::as_str).map(|uri| resolve(folder, uri)) else {
            continue;
        };
        // An image missing from the source remains a reference.
        let Ok(bytes) = portamento_base::regular_file::all(&file) else { continue };
        let name = format!("{stem}_{index}.{}", image_extension(&file));
        image["uri"] = json!(percent_encoded(&name));
        files.push((name, bytes.into()));
    }
    let text = serde_json::to_vec_pretty(&json).unwrap_or_else(|_| json.to_string().into_bytes());
    files.push((format!("{stem}.gltf"), text.into()));
    files
}

/// True if `uri` refers to a file, not to embedded bytes or a location outside the folder.
fn is_file(uri: &str) -> bool {
    matches!(resolve(Path::new(""), uri), Target::File(_))
}

/// Returns the extension of an image. Unknown extensions become `png`, because they might be executable.
fn image_extension(file: &Path) -> String {
    let extension = file.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
    let known = ["png", "jpg", "jpeg", "webp", "ktx2", "basis", "dds", "avif"];
    known.into_iter().find(|known| *known == extension).unwrap_or("png").to_owned()
}

/// Percent-encodes a file name for use as a URI. Characters that RFC 3986 allows in a first path segment are kept.
fn percent_encoded(name: &str) -> String {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~()!,'+=@$&".contains(&byte);
    name.bytes()
        .map(|byte| if is_allowed(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
