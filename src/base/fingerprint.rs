//! Fingerprints of file contents: the first 32 hex digits of their BLAKE3 hash.

use std::io::{Read, Result};
use std::path::Path;

use crate::regular_file;

/// Returns the fingerprint of `bytes`.
pub fn fingerprint(bytes: &[u8]) -> String {
    shortened(blake3::hash(bytes))
}

/// Returns the fingerprint of `pieces` one after another.
pub fn fingerprint_of_pieces(pieces: &[&[u8]]) -> String {
    let mut hash = blake3::Hasher::new();
    for piece in pieces {
        hash.update(piece);
    }
    shortened(hash.finalize())
}

/// Returns the fingerprint of a stream, read in pieces of 1 MiB. `go_on` is called before each piece; its error ends the reading
/// and is returned.
pub fn fingerprint_of(mut content: impl Read, mut go_on: impl FnMut() -> Result<()>) -> Result<String> {
    let (mut hash, mut piece) = (blake3::Hasher::new(), vec![0; 1 << 20]);
    loop {
        go_on()?;
        match content.read(&mut piece)? {
            0 => return Ok(shortened(hash.finalize())),
            length => hash.update(&piece[..length]),
        };
    }
}

/// Returns the length of the file at `path` in bytes, and its fingerprint. Returns `Err` if it is not a regular file.
pub fn fingerprint_of_file(path: &Path) -> Result<(u64, String)> {
    let (file, length) = regular_file::open(path)?;
    // A file that grows while it is read has no fingerprint of its own; the reading must still end.
    Ok((length, fingerprint_of(file.take(length), || Ok(()))?))
}

/// Returns the first 32 hex digits.
fn shortened(hash: blake3::Hash) -> String {
    hash.to_hex()[..32].to_owned()
}
