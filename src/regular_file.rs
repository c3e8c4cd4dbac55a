//! Reading files that have an end: pipes and devices are refused, since reading one may wait for ever.

use std::fs::File;
use std::io::{Error, Read as _, Result};
use std::path::Path;

use crate::message::message;
use crate::system_reason::refused;

/// The file and its length in bytes. Pipes, devices and folders are refused.
pub(crate) fn open(path: &Path) -> Result<(File, u64)> {
    let kind = std::fs::metadata(path)?;
    if !kind.is_file() {
        let reason = message!("system.no_file", "it is a pipe, a device or a folder and not a file");
        return Err(refused(reason));
    }
    Ok((File::open(path)?, kind.len()))
}

/// The first `most` bytes of a file, or all where it has fewer.
pub(crate) fn beginning(path: &Path, most: u64) -> Result<Vec<u8>> {
    let (file, length) = open(path)?;
    let length = length.min(most);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX)).map_err(Error::from)?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// All bytes of a file.
pub(crate) fn all(path: &Path) -> Result<Vec<u8>> {
    beginning(path, u64::MAX)
}
