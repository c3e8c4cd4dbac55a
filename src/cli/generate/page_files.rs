//! Generated text files about the program, such as manual pages.

use std::path::Path;
use std::sync::Arc;

use crate::{Failure, Force, commit, refused};
use portamento_formats::export::FileSet;

/// A text file.
pub(crate) struct PageFile {
    /// File name, such as `portamento-stretch.1`.
    pub name: String,
    /// UTF-8 content.
    pub text: Vec<u8>,
}

/// Writes `pages` to `folder`; replaces existing files only with `force`.
pub fn write(folder: &Path, pages: &[PageFile], force: Force) -> Result<(), Failure> {
    let mut files = FileSet::new(Arc::default());
    for page in pages {
        files.write(&folder.join(&page.name), &page.text).map_err(refused)?;
    }
    commit(files, force)
}
