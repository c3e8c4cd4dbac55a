//! The folders that requests may write to.

use std::path::{Path, PathBuf};

use portamento_base::message::{Message, message};
use portamento_takes::document::file::absolute;

/// The folders that requests may write to, with their subfolders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writable {
    folders: Vec<PathBuf>,
}

impl Writable {
    /// Allows `folders` and their subfolders.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self { folders }
    }

    /// Returns the folders.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Returns `Err` if `path` is relative or outside of all folders. Symbolic links count as their targets.
    pub fn check(&self, path: &Path) -> Result<(), Message> {
        let real = path.is_absolute().then(|| real(path));
        let is_inside = |folder: &PathBuf| real.as_ref().is_some_and(|path| path.starts_with(self::real(folder)));
        if self.folders.iter().any(is_inside) {
            return Ok(());
        }
        Err(message!(
            "error.remote.outside",
            "%{file} is outside of the folders that the user gave. Add its folder in the dialog “Remote control”.",
            file = path.display().to_string(),
        ))
    }
}

/// Returns the absolute form of `path` with symbolic links in its existing part resolved.
fn real(path: &Path) -> PathBuf {
    let path = absolute(path);
    for existing in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (existing.canonicalize(), path.strip_prefix(existing)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path
}
