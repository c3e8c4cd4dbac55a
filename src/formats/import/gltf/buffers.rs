//! Reads the buffers of a glTF.

use std::ops::Range;
use std::path::Path;

use gltf::json::{self, Value};

use super::compressed;
use super::json_part::{list, part};
use super::{Fault, ImportError, file_name};
use crate::import::file::beginning;
use portamento_anim::SharedList;
use portamento_anim::uri::{Target, resolve};
use portamento_base::budget::Budget;
use portamento_base::message::{Message, message};

/// Loads all buffers, each cut to its announced length. `bin` is the binary chunk of a GLB, the content of the first
/// buffer. A missing file becomes an empty buffer and a warning. A fallback buffer of meshopt compression without a
/// reference becomes an empty buffer without a warning.
///
/// Returns `Err` in these cases:
///
/// - A buffer is shorter than announced.
/// - A buffer has neither a reference nor a binary chunk.
/// - A reference leaves the folder or cannot be decoded.
/// - The memory budget is exceeded.
pub(super) fn load(
    path: &Path,
    json: &Value,
    mut bin: Option<Vec<u8>>,
    budget: &Budget,
    warnings: &mut Vec<Message>,
) -> Result<Vec<SharedList<u8>>, ImportError> {
    let entries = list(json, "buffers").iter().enumerate();
    let read = |(index, entry): (usize, &Value)| {
        let name = format!("buffer {index}");
        if entry.get("uri").is_none() && compressed::is_fallback(entry) {
            return Ok(SharedList::default());
        }
        let entry = part(entry, || name.clone()).map_err(|fault| fault.in_file(path))?;
        let bin = bin.as_mut().filter(|_| index == 0).map(std::mem::take);
        buffer(Source { path, bin, budget }, &name, &entry, warnings).map(SharedList::from)
    };
    entries.map(read).collect()
}

/// Sources for the bytes of one buffer.
struct Source<'a> {
    /// Path of the glTF file, against which references are resolved.
    path: &'a Path,
    /// The GLB binary chunk, if it belongs to this buffer.
    bin: Option<Vec<u8>>,
    budget: &'a Budget,
}

/// Returns the bytes of one buffer, which messages call `name`. It has exactly the announced length. A file that
/// cannot be read gives an empty buffer and a warning. Returns `Err` as [`load`] does.
fn buffer(
    source: Source,
    name: &str,
    entry: &json::Buffer,
    warnings: &mut Vec<Message>,
) -> Result<Vec<u8>, ImportError> {
    let Source { path, bin, budget } = source;
    let length = usize::try_from(entry.byte_length.0).unwrap_or(usize::MAX);
    let short = |found: usize| Fault::new(name, format!("announces {length} bytes but has only {found}")).in_file(path);
    let neither = || Fault::new(name, "has neither a uri nor a GLB chunk").in_file(path);
    let mut bytes = match &entry.uri {
        None => bin.ok_or_else(neither)?,
        Some(uri) => match referenced((path, uri.as_str()), name, entry, budget)? {
            Ok(bytes) => bytes,
            Err(missing) => {
                warnings.push(missing);
                return Ok(Vec::new());
            }
        },
    };
    if bytes.len() < length {
        return Err(short(bytes.len()));
    }
    bytes.truncate(length);
    Ok(bytes)
}

/// Returns the bytes of a buffer with the reference `uri`, or the warning that its file cannot be read. Returns `Err` if
/// the reference leaves the folder of the glTF at `path` or cannot be decoded.
fn referenced(
    (path, uri): (&Path, &str),
    name: &str,
    entry: &json::Buffer,
    budget: &Budget,
) -> Result<Result<Vec<u8>, Message>, ImportError> {
    match resolve(path.parent().unwrap_or(Path::new("")), uri) {
        Target::Bytes(bytes) => Ok(Ok(bytes)),
        Target::Outside => Err(ImportError::OutsideFolder { file: file_name(path), uri: uri.to_owned() }),
        Target::Garbled => Err(Fault::new(name, "has a uri that cannot be decoded").in_file(path)),
        Target::File(file) => {
            let file_bytes = std::fs::metadata(&file).map_or(0, |about| about.len());
            budget.take(file_bytes.min(entry.byte_length.0), &|| format!("{uri} of {}", file_name(path)))?;
            Ok(beginning(&file, entry.byte_length.0).map_err(|reason| {
                message!(
                    "warning.import.no_buffer",
                    "%{uri} could not be read (%{reason}), so its content is left out. Copy it to the folder of %{from}.",
                    uri = uri,
                    reason = &reason,
                    from = file_name(path)
                )
            }))
        }
    }
}

/// Returns the bytes of `file` in `range`, in the same memory. A range beyond the end is cut.
pub(super) fn cut_to(mut file: Vec<u8>, range: Range<usize>) -> Vec<u8> {
    file.truncate(range.end);
    file.drain(..range.start.min(file.len()));
    file
}
