//! Contact of joints with the ground, at rest and in motion.

use super::body::Body;
use crate::Clip;
use crate::root_motion::{frame_times, path};

/// Maximum height of a foot on the ground, as a fraction of the body's height: ankles of people and hocks of animals.
const FOOT_MAX_HEIGHT: f64 = 0.25;
/// Maximum number of clips examined, and frames per second.
const MAX_CLIPS: usize = 32;
const RATE: f64 = 10.0;

/// True if `foot` is near the ground at rest, or in at least half of all frames of `clips`.
pub(super) fn is_standing(body: &Body, clips: &[Clip], foot: usize) -> bool {
    let is_low = |height: f64| height < body.bottom + FOOT_MAX_HEIGHT * body.height;
    if is_low(body.positions[foot].y) {
        return true;
    }
    let heights = clips.iter().take(MAX_CLIPS).flat_map(|clip| {
        let times = frame_times(clip, [], RATE);
        path(body.skeleton, clip, foot, &times).into_iter().map(|position| position.y)
    });
    let (all, low) = heights.fold((0, 0), |(all, low), height| (all + 1, low + usize::from(is_low(height))));
    all > 0 && 2 * low >= all
}
