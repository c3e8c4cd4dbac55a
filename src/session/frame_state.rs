//! Of what the present frame is.

use super::{Session, Shown};
use crate::evaluate::Frame;

/// Of what [`Session::frame`] is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameState {
    /// What it shows; while something else is chosen and still being read, what was shown before.
    pub shown: Shown,
    /// Whether all of it is built, or as much as can be.
    pub is_whole: bool,
}

impl Session {
    /// Of what the present frame is, and whether of all of it.
    pub fn frame_state(&self) -> &FrameState {
        &self.frame_state
    }

    /// The present frame, where it is of what is chosen.
    pub fn frame_of_shown(&self) -> Option<&Frame> {
        self.frame().filter(|_| self.frame_state.shown == self.selection.shown)
    }

    pub(super) fn note_frame(&mut self, is_whole: bool) {
        if self.frame_state.shown != self.selection.shown {
            self.frame_state.shown = self.selection.shown.clone();
        }
        self.frame_state.is_whole = is_whole;
    }
}
