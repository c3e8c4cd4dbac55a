//! A glTF as bytes: one GLB, or a .gltf with its buffers and images beside it.

use std::path::Path;

use serde_json::{Value, json};

use super::pack::{is_missing, pack};
use crate::anim::GltfSource;
use crate::anim::uri::{Target, resolve};
use crate::export::{ExportError, whole_file};

/// Writes `source` to `path` as the extension says (.glb, .vrm or .gltf); a .gltf brings its buffers and images along.
///
/// Errors when the extension is another one or the disk refuses.
pub fn save(path: &Path, source: &GltfSource) -> Result<(), ExportError> {
    let extension = path.extension().map(|it| it.to_string_lossy().to_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "glb" | "vrm" => whole_file::write(path, &to_glb_bytes(source)?),
        "gltf" => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let folder = path.parent().unwrap_or(Path::new(""));
            for (name, bytes) in files(source, &stem) {
                let file = folder.join(&name);
                let parent = file.parent().unwrap_or(folder);
                std::fs::create_dir_all(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })
                    .map_err(|reason| ExportError::Unwritable { file: file.display().to_string(), reason })?;
                whole_file::write(&file, &bytes)?;
            }
            Ok(())
        }
        _ => Err(ExportError::UnknownKind { file: path.display().to_string() }),
    }
}

/// The whole file as one GLB; buffers and images from other files are brought in, missing ones stay referred to.
///
/// Errors when it would be larger than a GLB can be (4 GiB).
pub fn to_glb_bytes(source: &GltfSource) -> Result<Vec<u8>, ExportError> {
    let packed = pack(source);
    let mut json = packed.json.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let own = packed.json.pointer("/buffers/0").filter(|buffer| buffer.get("uri").is_none());
    let mut chunks = vec![(0x4E4F_534A, json)];
    if let (Some(_), Some(bytes)) = (own, packed.buffers.first()) {
        chunks.push((0x004E_4942, bytes.clone()));
    }
    chunks.extend(packed.chunks);
    let body: usize = chunks.iter().map(|(_, bytes)| 8 + bytes.len().next_multiple_of(4)).sum();
    let total = u32::try_from(12 + body).map_err(|_| ExportError::TooLarge { bytes: 12 + body })?;
    let mut out = Vec::with_capacity(12 + body);
    out.extend_from_slice(b"glTF");
    out.extend_from_slice(&2_u32.to_le_bytes());
    out.extend_from_slice(&total.to_le_bytes());
    for (kind, bytes) in chunks {
        // The total fits 32 bits, so every part does.
        out.extend_from_slice(&(bytes.len().next_multiple_of(4) as u32).to_le_bytes());
        out.extend_from_slice(&u32::to_le_bytes(kind));
        out.extend_from_slice(&bytes);
        out.resize(out.len().next_multiple_of(4), 0);
    }
    Ok(out)
}

/// The files of a .gltf named `stem`: buffers and images first, the .gltf last, each with its path relative to the folder.
///
/// What the source referred to by a relative path keeps that path and is copied where it can be read.
pub fn files(source: &GltfSource, stem: &str) -> Vec<(String, Vec<u8>)> {
    let mut json = source.json.clone();
    let mut files = Vec::new();
    let taken: Vec<String> = uris(&json).map(ToOwned::to_owned).collect();
    for (index, bytes) in source.buffers.iter().enumerate() {
        let uri = json["buffers"][index].get("uri").and_then(Value::as_str).map(ToOwned::to_owned);
        match uri {
            Some(uri) => {
                if let (Some(name), false) = (relative(&uri), is_missing(&json, index, bytes)) {
                    files.push((name, bytes.clone()));
                }
            }
            None => {
                let names = std::iter::once(format!("{stem}.bin")).chain((1..).map(|i| format!("{stem}_{i}.bin")));
                let free = |name: &String| !taken.contains(name) && files.iter().all(|(other, _)| other != name);
                let name = names.into_iter().find(free).unwrap_or_default();
                json["buffers"][index]["uri"] = json!(escaped(&name));
                files.push((name, bytes.clone()));
            }
        }
    }
    let folder = source.path.parent().unwrap_or(Path::new(""));
    for uri in images(&json) {
        if let (Some(name), Target::File(file)) = (relative(uri), resolve(folder, uri)) {
            // An image missing from the source is missing from the copy: nothing is lost that was there.
            files.extend(std::fs::read(file).ok().map(|bytes| (name, bytes)));
        }
    }
    let text = serde_json::to_vec_pretty(&json).unwrap_or_else(|_| json.to_string().into_bytes());
    files.push((format!("{stem}.gltf"), text));
    files
}

fn images(json: &Value) -> impl Iterator<Item = &str> {
    let images = json.get("images").and_then(Value::as_array).into_iter().flatten();
    images.filter_map(|image| image.get("uri").and_then(Value::as_str))
}

fn uris(json: &Value) -> impl Iterator<Item = &str> {
    let buffers = json.get("buffers").and_then(Value::as_array).into_iter().flatten();
    buffers.filter_map(|buffer| buffer.get("uri").and_then(Value::as_str)).chain(images(json))
}

/// The path that `uri` stands for, relative to the folder; `None` for bytes and places outside.
fn relative(uri: &str) -> Option<String> {
    match resolve(Path::new(""), uri) {
        Target::File(path) => Some(path.to_string_lossy().into_owned()),
        _ => None,
    }
}

/// A file name as a URI: what would end or change it is percent-encoded (RFC 3986).
fn escaped(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~()!,'+=@$&".contains(&byte);
    name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
