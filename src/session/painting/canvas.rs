//! What weights are painted on, and what is painted there so far.

use crate::document::Document;
use crate::evaluate::Frame;
use crate::session::{Selection, Session};

/// What is shown, as something to paint on.
#[derive(Clone, Copy, Debug)]
pub struct Canvas<'a> {
    pub(super) document: &'a Document,
    pub(super) selection: &'a Selection,
    pub(super) frame: Option<&'a Frame>,
}

impl Session {
    /// What is shown, as something to paint on.
    pub fn canvas(&self) -> Canvas<'_> {
        Canvas { document: &self.document, selection: &self.selection, frame: self.frame() }
    }
}
