//! Folders that were made for files that are written together.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::export::file_system::FileSystem;

/// Folders that were made for one set or for several that are filled side by side; those still empty go with the last of the sets.
#[derive(Debug, Default)]
pub(super) struct MadeFolders(Mutex<Vec<PathBuf>>);

impl MadeFolders {
    /// Makes `folder` and what it lies in, where they are missing.
    pub(super) fn make(&self, system: &dyn FileSystem, folder: &Path) -> io::Result<()> {
        // Held meanwhile, so that a folder is noted before another set makes one inside it.
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if folder.exists() {
            return Ok(());
        }
        let missing: Vec<&Path> = folder.ancestors().take_while(|each| !each.exists()).collect();
        system.create_folder(folder)?;
        // `a/..` is not a folder that was made.
        let named = missing.into_iter().rev().filter(|each| each.file_name().is_some());
        made.extend(named.map(Path::to_owned));
        Ok(())
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        let made = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Inner ones first; those with files stay.
        made.iter().rev().for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
}
