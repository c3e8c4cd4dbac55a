//! Arguments that several commands share.

pub(super) mod aim;
pub(super) mod collider;
pub(super) mod export;
pub(super) mod image_layout;
pub(super) mod retargeting;
pub(super) mod rig;
pub(super) mod up;
