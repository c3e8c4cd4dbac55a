//! What import keeps of a glTF so that export can give every byte of meaning back.

use std::path::PathBuf;

use serde_json::Value;

/// A glTF file as it was read: its JSON, its buffers and where they came from. Never edited.
#[derive(Clone, Debug, PartialEq)]
pub struct GltfSource {
    /// Where the file was read from.
    pub path: PathBuf,
    /// The whole JSON chunk, key order kept.
    pub json: Value,
    /// Buffers in the file's order, resolved to bytes.
    pub buffers: Vec<Vec<u8>>,
    /// Whether the file was a binary GLB.
    pub binary: bool,
    /// Further chunks of a GLB (type, bytes) that only other programs understand.
    pub chunks: Vec<(u32, Vec<u8>)>,
}
