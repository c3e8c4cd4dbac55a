//! Chains of bones as they are simulated: the rig with resolved values, its groups and trees, limits and state.

pub(super) mod keyed_rig;
pub(super) mod bone;
pub(super) mod bone_group;
pub(super) mod bone_pose;
pub(super) mod limit;
pub(super) mod rig;
pub(super) mod state;
pub(super) mod tree_part;
