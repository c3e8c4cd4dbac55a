//! Files as bytes: only such as have an end, and never more than memory allows.

use std::path::Path;

use super::{ImportError, file_name};
use crate::budget::Budget;
pub(super) use crate::regular_file::{all, beginning, open};

/// All bytes of a file, taken from the budget.
pub(super) fn whole(path: &Path, budget: &Budget) -> Result<Vec<u8>, ImportError> {
    let unreadable = |reason| ImportError::Unreadable { file: path.display().to_string(), reason };
    let (_, length) = open(path).map_err(unreadable)?;
    budget.take(length, &|| file_name(path))?;
    beginning(path, length).map_err(unreadable)
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

    #[test]
    fn a_file_larger_than_the_budget_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long.bvh");
        std::fs::write(&path, [7; 100]).unwrap();
        assert_eq!(whole(&path, &Budget::of(100)).unwrap(), [7; 100]);
        assert_eq!(beginning(&path, 3).unwrap(), [7; 3]);
        let sentence = whole(&path, &Budget::of(99)).unwrap_err().to_string();
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
            let sentence = whole(&path, &Budget::new()).unwrap_err().to_string();
            assert!(sentence.contains("not a file"), "{sentence}");
        }
    }
}
