//! Reads regular files. Pipes and devices are refused, because reading one may block without end.

use std::fs::File;
use std::io::{Error, Read as _, Result};
use std::path::Path;

use crate::message::message;
use crate::system_reason::refused;

/// Opens a file and returns it with its length in bytes. Returns `Err` for pipes, devices and folders.
pub fn open(path: &Path) -> Result<(File, u64)> {
    let kind = std::fs::metadata(path)?;
    if !kind.is_file() {
        let reason = message!("system.no_file", "it is a pipe, a device or a folder, not a file");
        return Err(refused(reason));
    }
    Ok((File::open(path)?, kind.len()))
}

/// Returns the first `most` bytes of a file, or all if it has fewer.
pub fn beginning(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let (file, length) = open(path)?;
    let length = length.min(max_bytes);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX)).map_err(Error::from)?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns all bytes of a file.
pub fn all(path: &Path) -> Result<Vec<u8>> {
    beginning(path, u64::MAX)
}
