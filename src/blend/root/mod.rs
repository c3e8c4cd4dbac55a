//! Root motion of a blend: the clips that move the character, and the part of the hips' motion that is travel.

pub(super) mod contributions;
pub(super) mod root_motion;
pub(super) mod posed_root;
