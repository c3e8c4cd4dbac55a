//! A clip to write.

use portamento_anim::Clip;

/// A clip to write.
#[derive(Clone, Copy, Debug)]
pub struct ClipEdit<'a> {
    /// The clip. Its name selects the clip that [`super::edits::Keep::Replace`] replaces.
    pub clip: &'a Clip,
    /// The clip of the file from which it was made, and its index there.
    /// Curves that are equal bit by bit are not stored a second time.
    pub original: Option<(usize, &'a Clip)>,
}

impl ClipEdit<'_> {
    /// True if the clip equals the one from which it was made.
    pub(super) fn is_unchanged(&self) -> bool {
        self.original.is_some_and(|(_, original)| self.clip == original)
    }
}
