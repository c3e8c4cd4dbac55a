//! Mutable access for painting.

use super::{Canvas, Painter};
use crate::{Jobs, Notices, Selection, Session};
use portamento_takes::document::Document;
use portamento_takes::evaluate::Frame;

/// Mutable access to everything that painting changes.
pub struct PaintContext<'a> {
    pub(super) painter: &'a mut Painter,
    pub(super) document: &'a mut Document,
    pub(super) selection: &'a mut Selection,
    pub(super) frame: Option<&'a Frame>,
    pub(super) jobs: &'a mut Jobs,
    pub(super) notices: &'a mut Notices,
}

impl Session {
    /// Returns mutable access for painting.
    pub fn easel(&mut self) -> PaintContext<'_> {
        PaintContext {
            painter: &mut self.painter,
            document: &mut self.document,
            selection: &mut self.selection,
            frame: self.evaluation.frame(),
            jobs: &mut self.jobs,
            notices: &mut self.notices,
        }
    }
}

impl PaintContext<'_> {
    /// Returns the painting surface.
    pub(super) fn canvas(&self) -> Canvas<'_> {
        Canvas { document: self.document, selection: self.selection, frame: self.frame }
    }
}
