//! The item that the current frame shows.

use crate::Shown;

/// The item that the frame of an [`Evaluation`](super::Evaluation) shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameState {
    /// The shown item; the previous one while a newly selected item is loading.
    pub shown: Shown,
    /// True if all of it is built, or as much as possible.
    pub is_whole: bool,
}

impl FrameState {
    /// Notes the item in the frame, and if it is completely built.
    pub(super) fn note(&mut self, shown: &Shown, is_whole: bool) {
        if self.shown != *shown {
            self.shown = shown.clone();
        }
        self.is_whole = is_whole;
    }
}
