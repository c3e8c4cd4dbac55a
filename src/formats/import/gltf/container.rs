//! The container of a glTF file: GLB chunks (glTF 2.0 §4.4) or plain JSON text.

use std::ops::Range;

use serde_json::Value;

use crate::import::Fault;

const MAGIC: u32 = 0x4654_6C67;
const JSON: u32 = 0x4E4F_534A;
/// Bytes before the first chunk: magic number, version, length.
const HEADER_BYTES: usize = 12;
const BIN: u32 = 0x004E_4942;

/// The parts of a glTF file before any reference is followed.
pub(super) struct Container {
    pub json: Value,
    /// Range of the binary chunk in the file.
    pub bin: Option<Range<usize>>,
    pub chunks: Vec<(u32, Vec<u8>)>,
    pub binary: bool,
}

/// Splits a glTF or GLB file into its JSON and binary chunks. Returns `Err` if the header, a chunk or the JSON is damaged.
pub(super) fn open(bytes: &[u8]) -> Result<Container, Fault> {
    if word(bytes, 0) != Some(MAGIC) {
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        return Ok(Container { json: parse(text)?, bin: None, chunks: Vec::new(), binary: false });
    }
    let version = word(bytes, 4).ok_or_else(|| Fault::new("the GLB header", "is cut short"))?;
    if version != 2 {
        return Err(Fault::new("the GLB header", format!("has version {version}; only version 2 can be read")));
    }
    let length = word(bytes, 8).ok_or_else(|| Fault::new("the GLB header", "is cut short"))? as usize;
    let file = bytes.get(..length).filter(|file| file.len() >= HEADER_BYTES).ok_or_else(|| {
        Fault::new("the GLB header", format!("announces {length} bytes but the file has {}", bytes.len()))
    })?;
    chunks(file)
}

/// Reads the chunks of a GLB file behind its header. Chunks of unknown type and repeated ones are kept; a missing JSON chunk is
/// an error.
fn chunks(file: &[u8]) -> Result<Container, Fault> {
    let (mut json, mut bin, mut chunks) = (None, None, Vec::new());
    let (mut number, mut start) = (0, HEADER_BYTES);
    // Fewer than 8 bytes cannot be a chunk. Exporters that pad the end of the file are tolerated.
    while let (Some(length), Some(kind)) = (word(file, start), word(file, start + 4)) {
        let range = start + 8..(start + 8).saturating_add(length as usize);
        let data = file.get(range.clone()).ok_or_else(|| {
            Fault::new(format!("GLB chunk {number}"), format!("announces {length} bytes, more than are left"))
        })?;
        match kind {
            JSON if json.is_none() => json = Some(parse(data)?),
            BIN if bin.is_none() => bin = Some(range.clone()),
            _ => chunks.push((kind, data.to_vec())),
        }
        // Chunks start on multiples of 4, even if the stored length is not one.
        start = range.end.next_multiple_of(4);
        number += 1;
    }
    let json = json.ok_or_else(|| Fault::new("the GLB", "has no JSON chunk"))?;
    Ok(Container { json, bin, chunks, binary: true })
}

/// Parses the JSON of a file, which may be padded with zeros. Returns `Err` if it is not an object.
fn parse(text: &[u8]) -> Result<Value, Fault> {
    // Some exporters pad the JSON chunk with zeros instead of spaces.
    let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let json: Value = portamento_base::json::parse(&text[..end])
        .map_err(|error| Fault::new("the JSON", format!("cannot be read ({error})")))?;
    if json.is_object() { Ok(json) } else { Err(Fault::new("the JSON", "is not an object")) }
}

/// Returns the little-endian number in the four bytes from `at`; `None` beyond the end.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|four| u32::from_le_bytes(*four))
}
