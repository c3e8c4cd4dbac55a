//! Files as bytes: only such as have an end, and never more than memory allows.

use std::io::{Error, Read as _};
use std::path::Path;

use super::{ImportError, file_name};
use crate::progress::Progress;
pub(super) use crate::regular_file::{all, beginning, open};

/// Bytes that are read between two looks at whether to go on.
const PIECE: u64 = 8 << 20;

/// All bytes of a file, taken from the budget of `progress`.
pub(super) fn whole(path: &Path, progress: &Progress) -> Result<Vec<u8>, ImportError> {
    let unreadable = |reason| ImportError::Unreadable { file: path.display().to_string(), reason };
    let (mut file, length) = open(path).map_err(unreadable)?;
    progress.budget().take(length, &|| file_name(path))?;
    let mut bytes = Vec::new();
    let reserved = bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX));
    reserved.map_err(Error::from).map_err(unreadable)?;
    while (bytes.len() as u64) < length {
        progress.step(0, 1)?;
        let piece = PIECE.min(length - bytes.len() as u64);
        // It may have become shorter since.
        if (&mut file).take(piece).read_to_end(&mut bytes).map_err(unreadable)? == 0 {
            break;
        }
    }
    Ok(bytes)
}

/// Bytes that can still be written in `folder`; `None` where the system does not say.
#[cfg(unix)]
pub(super) fn room(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

/// Bytes that can still be written in `folder`; `None` where the system does not say.
#[cfg(not(unix))]
pub(super) fn room(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;

    #[test]
    fn a_file_larger_than_the_budget_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long.bvh");
        std::fs::write(&path, [7; 100]).unwrap();
        assert_eq!(whole(&path, &Progress::within(Budget::with_limit(100))).unwrap(), [7; 100]);
        assert_eq!(beginning(&path, 3).unwrap(), [7; 3]);
        let sentence = whole(&path, &Progress::within(Budget::with_limit(99))).unwrap_err().to_string();
        assert!(sentence.starts_with("long.bvh needs 100 bytes"), "{sentence}");
    }

    #[test]
    fn what_has_no_end_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = vec![folder.path().to_owned()];
        if cfg!(unix) {
            let pipe = folder.path().join("pipe.bvh");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            paths.extend([pipe, "/dev/zero".into()]);
        }
        for path in paths {
            let sentence = whole(&path, &Progress::new()).unwrap_err().to_string();
            assert!(sentence.contains("not a file"), "{sentence}");
        }
    }
}
