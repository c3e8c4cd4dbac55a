//! Reads the buffers of a glTF.

use std::path::Path;

use gltf::json::{self, Value};

use super::compressed;
use super::json_part::{list, part};
use super::{Fault, ImportError, file_name};
use crate::import::file::beginning;
use portamento_anim::uri::{Target, resolve};
use portamento_base::budget::Budget;
use portamento_base::message::{Message, message};

/// Loads all buffers. A missing file becomes an empty buffer and a warning.
pub(super) fn load(
    path: &Path,
    json: &Value,
    bin: Option<&[u8]>,
    budget: &Budget,
    warnings: &mut Vec<Message>,
) -> Result<Vec<Vec<u8>>, ImportError> {
    let entries = list(json, "buffers").iter().enumerate();
    let read = |(index, entry): (usize, &Value)| {
        let name = format!("buffer {index}");
        if entry.get("uri").is_none() && compressed::is_fallback(entry) {
            return Ok(Vec::new());
        }
        let entry = part(entry, || name.clone()).map_err(|fault| fault.in_file(path))?;
        let source = Source { path, bin: bin.filter(|_| index == 0), budget };
        buffer(source, &name, &entry, warnings)
    };
    entries.map(read).collect()
}

/// Sources for the bytes of one buffer.
struct Source<'a> {
    /// Path of the glTF file, against which references are resolved.
    path: &'a Path,
    /// The GLB binary chunk, if it belongs to this buffer.
    bin: Option<&'a [u8]>,
    budget: &'a Budget,
}

/// Returns the bytes of one buffer, which messages call `name`.
fn buffer(
    source: Source,
    name: &str,
    entry: &json::Buffer,
    warnings: &mut Vec<Message>,
) -> Result<Vec<u8>, ImportError> {
    let Source { path, bin, budget } = source;
    let length = usize::try_from(entry.byte_length.0).unwrap_or(usize::MAX);
    let short = |found: usize| Fault::new(name, format!("announces {length} bytes but has only {found}")).in_file(path);
    let Some(uri) = &entry.uri else {
        let bytes = bin.ok_or_else(|| Fault::new(name, "has neither a uri nor a GLB chunk").in_file(path))?;
        return Ok(bytes.get(..length).ok_or_else(|| short(bytes.len()))?.to_vec());
    };
    let mut bytes = match resolve(path.parent().unwrap_or(Path::new("")), uri) {
        Target::Bytes(bytes) => bytes,
        Target::Outside => return Err(ImportError::OutsideFolder { file: file_name(path), uri: uri.to_owned() }),
        Target::Garbled => return Err(Fault::new(name, "has a uri that cannot be decoded").in_file(path)),
        Target::File(file) => {
            let file_bytes = std::fs::metadata(&file).map_or(0, |about| about.len());
            budget.take(file_bytes.min(entry.byte_length.0), &|| format!("{uri} of {}", file_name(path)))?;
            match beginning(&file, length as u64) {
                Ok(bytes) => bytes,
                Err(reason) => {
                    let from = file_name(path);
                    warnings.push(message!(
                        "warning.import.no_buffer",
                        "%{uri} could not be read (%{reason}), so its content is left out. Copy it to the folder of %{from}.",
                        uri = uri, reason = &reason, from
                    ));
                    return Ok(Vec::new());
                }
            }
        }
    };
    if bytes.len() < length {
        return Err(short(bytes.len()));
    }
    bytes.truncate(length);
    Ok(bytes)
}
