//! What paints, and all that it may change.

use super::{Canvas, Painter};
use crate::document::Document;
use crate::evaluate::Frame;
use crate::session::{Jobs, Notices, Selection, Session};

/// The painter before the canvas, which is what is shown.
pub struct Easel<'a> {
    pub(super) painter: &'a mut Painter,
    pub(super) document: &'a mut Document,
    pub(super) selection: &'a mut Selection,
    pub(super) frame: Option<&'a Frame>,
    pub(super) jobs: &'a mut Jobs,
    pub(super) notices: &'a mut Notices,
}

impl Session {
    /// What is shown, to be painted on.
    pub fn easel(&mut self) -> Easel<'_> {
        Easel {
            painter: &mut self.painter,
            document: &mut self.document,
            selection: &mut self.selection,
            frame: self.evaluation.frame(),
            jobs: &mut self.jobs,
            notices: &mut self.notices,
        }
    }
}

impl Easel<'_> {
    /// What is painted on.
    pub(super) fn canvas(&self) -> Canvas<'_> {
        Canvas { document: self.document, selection: self.selection, frame: self.frame }
    }
}
