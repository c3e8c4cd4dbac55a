//! Texts about the program itself, for a folder of the system.

use std::path::Path;
use std::sync::Arc;

use super::{Failure, Force, refused};
use crate::export::FileSet;

/// A text and the name that its readers look for.
pub(super) struct PageFile {
    /// As in `portamento-stretch.1`.
    pub name: String,
    /// UTF-8.
    pub text: Vec<u8>,
}

/// Puts `pages` into `folder`, over others only with `force`.
pub fn write(folder: &Path, pages: &[PageFile], force: Force) -> Result<(), Failure> {
    let mut files = FileSet::new(Arc::default());
    for page in pages {
        files.write(&folder.join(&page.name), &page.text).map_err(refused)?;
    }
    files.commit(force.into()).map(|_| ()).map_err(refused)
}
