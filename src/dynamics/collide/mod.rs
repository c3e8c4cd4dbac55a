//! Contact: colliders in world space, their broad phase, and the nearest bone direction outside them.

pub(super) mod broadphase;
pub(super) mod contact;
pub(super) mod spherical_cap;
pub(super) mod world_collider;
