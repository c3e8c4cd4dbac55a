//! Reads regular files as bytes within the memory budget.

use std::io::{Error, Read as _};
use std::path::Path;

use super::{ImportError, file_name};
use portamento_base::progress::Progress;
pub(super) use portamento_base::regular_file::{all, beginning, open};

/// Bytes read between two checks for cancellation.
const CHUNK_BYTES: u64 = 8 << 20;

/// Reads all bytes of a regular file. Their memory is taken from the budget of `progress`. Returns `Err` if the file cannot
/// be read, if it is over the budget, or if the user cancels.
pub(super) fn read_within_budget(path: &Path, progress: &Progress) -> Result<Vec<u8>, ImportError> {
    let unreadable = |reason| ImportError::Unreadable { file: path.display().to_string(), reason };
    let (mut file, length) = open(path).map_err(unreadable)?;
    progress.budget().take(length, &|| file_name(path))?;
    let mut bytes = Vec::new();
    let reserved = bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX));
    reserved.map_err(Error::from).map_err(unreadable)?;
    while (bytes.len() as u64) < length {
        progress.step(0, 1)?;
        let piece = CHUNK_BYTES.min(length - bytes.len() as u64);
        // The file may have been truncated since its length was read.
        if (&mut file).take(piece).read_to_end(&mut bytes).map_err(unreadable)? == 0 {
            break;
        }
    }
    Ok(bytes)
}

/// Returns the free space for files in `folder` in bytes, or `None` if the system does not report it.
#[cfg(unix)]
pub(super) fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

/// Returns `None`: the free space is not reported on this system.
#[cfg(not(unix))]
pub(super) fn free_bytes(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_base::budget::Budget;

    #[test]
    fn a_file_larger_than_the_budget_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long.bvh");
        std::fs::write(&path, [7; 100]).unwrap();
        assert_eq!(read_within_budget(&path, &Progress::within(Budget::with_limit(100))).unwrap(), [7; 100]);
        assert_eq!(beginning(&path, 3).unwrap(), [7; 3]);
        let sentence = read_within_budget(&path, &Progress::within(Budget::with_limit(99))).unwrap_err().to_string();
        assert!(sentence.starts_with("long.bvh needs 100 bytes"), "{sentence}");
    }

    #[test]
    fn pipes_devices_and_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = vec![folder.path().to_owned()];
        if cfg!(unix) {
            let pipe = folder.path().join("pipe.bvh");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            paths.extend([pipe, "/dev/zero".into()]);
        }
        for path in paths {
            let sentence = read_within_budget(&path, &Progress::new()).unwrap_err().to_string();
            assert!(sentence.contains("not a file"), "{sentence}");
        }
    }
}
