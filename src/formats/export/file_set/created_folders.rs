//! Folders created for a set of files.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::export::file_system::FileSystem;

/// Folders created for one set or its siblings. Those still empty are removed with the last of the sets.
#[derive(Debug, Default)]
pub(super) struct CreatedFolders(Mutex<Vec<PathBuf>>);

impl CreatedFolders {
    /// Creates `folder` and its missing parents. Records those it created.
    pub(super) fn create(&self, system: &dyn FileSystem, folder: &Path) -> io::Result<()> {
        // Locked during the creation, so that a folder is recorded before another set creates one inside it.
        let mut folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if folder.exists() {
            return Ok(());
        }
        let missing: Vec<&Path> = folder.ancestors().take_while(|each| !each.exists()).collect();
        system.create_folder(folder)?;
        // Paths such as `a/..` are not created folders.
        let named = missing.into_iter().rev().filter(|each| each.file_name().is_some());
        folders.extend(named.map(Path::to_owned));
        Ok(())
    }
}

impl Drop for CreatedFolders {
    fn drop(&mut self) {
        let folders = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Inner folders first. Removing a folder with files fails, so those remain.
        folders.iter().rev().for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
}
