//! What can be asked of the document and its files without changing either.

use super::Session;
use crate::document::{Document, Library};

/// The document with the files that are open.
#[derive(Clone, Copy, Debug)]
pub struct OpenDocument<'a> {
    /// What the user is making.
    pub document: &'a Document,
    /// The opened files.
    pub library: &'a Library,
}

impl Session {
    /// The document with the files that are open, to ask about.
    pub fn opened(&self) -> OpenDocument<'_> {
        OpenDocument { document: &self.document, library: &self.library }
    }
}
