//! What a layer begins with.

use crate::anim::{Clip, RootMotion, Skeleton};

/// What a layer begins with.
#[derive(Clone, Copy, Debug)]
pub struct LayerInput<'a> {
    /// The skeleton of the motion and of the clips.
    pub skeleton: &'a Skeleton,
    /// The motion that comes in.
    pub motion: &'a Clip,
    /// What carries the character in it.
    pub root: Option<RootMotion>,
    /// The clips that events name.
    pub clips: &'a [&'a Clip],
    /// Where the body parts of the mask begin.
    pub roles: &'a crate::anim::Roles,
    /// Frames per second of what comes out.
    pub fps: f64,
    /// Metres per unit of the clips.
    pub metres_per_unit: f64,
}

pub(super) fn frame_times(duration: f64, fps: f64) -> Vec<f64> {
    let frames = (duration * fps + 1e-6).floor() as usize;
    let mut times: Vec<f64> = (0..=frames).map(|frame| (frame as f64 / fps).min(duration)).collect();
    // Frames closer to the end than a thousandth of a frame are the end.
    times.retain(|time| duration - time > 1e-3 / fps);
    times.push(duration);
    // As keys hold them, so that the motion is read at its own keys and not beside them.
    times.into_iter().map(|time| f64::from(time as f32)).collect()
}
