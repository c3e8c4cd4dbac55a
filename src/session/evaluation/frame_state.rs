//! Of what the present frame is.

use crate::session::Shown;

/// Of what the frame of an [`Evaluation`](super::Evaluation) is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameState {
    /// What it shows; while something else is chosen and still being read, what was shown before.
    pub shown: Shown,
    /// Whether all of it is built, or as much as can be.
    pub is_whole: bool,
}

impl FrameState {
    pub(super) fn note(&mut self, shown: &Shown, is_whole: bool) {
        if self.shown != *shown {
            self.shown = shown.clone();
        }
        self.is_whole = is_whole;
    }
}
