//! The original glTF data that import keeps, so that export preserves everything.

use std::path::PathBuf;

use serde_json::Value;

use crate::SharedList;

/// An imported glTF file: JSON, buffers and path. Never modified.
#[derive(Clone, Debug, PartialEq)]
pub struct GltfSource {
    /// Path of the file.
    pub path: PathBuf,
    /// The complete JSON chunk, with key order.
    pub json: Value,
    /// Buffers in file order, as bytes. Clones share them.
    pub buffers: Vec<SharedList<u8>>,
    /// True if the file was a binary GLB.
    pub binary: bool,
    /// Further chunks of a GLB (type, bytes), which only other programs understand.
    pub chunks: Vec<(u32, Vec<u8>)>,
}
