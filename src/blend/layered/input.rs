//! Input of a layer.

use portamento_anim::{Clip, RootMotion, Skeleton};

/// The motion, clips and rig that a layer works on.
#[derive(Clone, Copy, Debug)]
pub struct LayerInput<'a> {
    /// Skeleton of the motion and the clips.
    pub skeleton: &'a Skeleton,
    /// The incoming motion.
    pub motion: &'a Clip,
    /// The joint that carries the root motion; `None` if the motion has no root motion.
    pub root: Option<RootMotion>,
    /// Clips that events may name.
    pub clips: &'a [&'a Clip],
    /// Joint roles, from which the body-part mask is resolved.
    pub roles: &'a portamento_anim::Roles,
    /// Frame rate of the result, frames per second.
    pub fps: f64,
    /// Metres per unit of the clips.
    pub metres_per_unit: f64,
}

/// Returns the frame times in seconds from 0 to `duration`, rounded to f32. The last is `duration`, even if it is between two
/// frames.
pub(super) fn frame_times(duration: f64, fps: f64) -> Vec<f64> {
    let frames = (duration * fps + 1e-6).floor() as usize;
    let mut times: Vec<f64> = (0..=frames).map(|frame| (frame as f64 / fps).min(duration)).collect();
    // A frame less than a thousandth of a frame before the end is replaced by the end.
    times.retain(|time| duration - time > 1e-3 / fps);
    times.push(duration);
    // Rounded like stored key times, so that the motion is sampled exactly at its keys.
    times.into_iter().map(|time| f64::from(time as f32)).collect()
}
