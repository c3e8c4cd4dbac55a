//! Feet: plants during stance, swings between them, the ground under them, and perceived contact.

pub(super) mod ankle_sweep;
pub(super) mod foot_lock;
pub(super) mod foot_plant;
pub(super) mod foot_plants;
mod swing;
pub(super) mod foot_yaw;
pub(super) mod foot_ground;
pub(super) mod knee_swing;
pub(super) mod leg_turns;
pub(super) mod near_ground;
pub(super) mod sole_tracks;
