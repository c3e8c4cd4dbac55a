//! Every buffer of the file as bytes.

use std::io::Read as _;
use std::path::Path;

use gltf::json::{self, Value};

use super::document::{list, part};
use super::{Fault, ImportError, file_name};
use crate::anim::uri::{Target, resolve};

/// Resolves all buffers; a missing file becomes an empty buffer and a warning.
pub(super) fn load(
    path: &Path,
    json: &Value,
    bin: Option<&[u8]>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Vec<u8>>, ImportError> {
    let entries = list(json, "buffers").iter().enumerate();
    let read = |(index, entry)| {
        let name = format!("buffer {index}");
        let entry = part(entry, || name.clone()).map_err(|fault| fault.in_file(path))?;
        buffer(path, &name, &entry, bin.filter(|_| index == 0), warnings)
    };
    entries.map(read).collect()
}

/// The bytes of one buffer, which sentences call `name`; `bin` is the GLB chunk where it is this buffer's.
fn buffer(
    path: &Path,
    name: &str,
    entry: &json::Buffer,
    bin: Option<&[u8]>,
    warnings: &mut Vec<String>,
) -> Result<Vec<u8>, ImportError> {
    let length = usize::try_from(entry.byte_length.0).unwrap_or(usize::MAX);
    let short =
        |found: usize| Fault::new(name, format!("says {length} bytes where only {found} are there")).in_file(path);
    let Some(uri) = &entry.uri else {
        let bytes = bin.ok_or_else(|| Fault::new(name, "has neither a uri nor a GLB chunk").in_file(path))?;
        return Ok(bytes.get(..length).ok_or_else(|| short(bytes.len()))?.to_vec());
    };
    let mut bytes = match resolve(path.parent().unwrap_or(Path::new("")), uri) {
        Target::Bytes(bytes) => bytes,
        Target::Outside => return Err(ImportError::OutsideFolder { file: file_name(path), uri: uri.to_owned() }),
        Target::Garbled => return Err(Fault::new(name, "has a uri that cannot be decoded").in_file(path)),
        Target::File(file) => match read(&file, length) {
            Ok(bytes) => bytes,
            Err(reason) => {
                let from = file_name(path);
                warnings.push(format!(
                    "{uri} could not be read ({reason}), so what it holds is left out. Copy it beside {from}."
                ));
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

fn read(file: &Path, length: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
