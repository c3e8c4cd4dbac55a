//! One clip to write.

use crate::anim::Clip;

/// One clip to write.
#[derive(Clone, Copy, Debug)]
pub struct ClipEdit<'a> {
    /// The clip; its name decides which one [`super::edits::Placement::Replace`] replaces.
    pub clip: &'a Clip,
    /// The clip of the file it was made from, and that clip's index there: curves still equal to the bit are not stored
    /// a second time.
    pub original: Option<(usize, &'a Clip)>,
}
