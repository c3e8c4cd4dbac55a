//! What an animation programmer wants to know of a clip before it is used: its way, its seam, its feet, its noise and its keys.
//!
//! A clip is looked at on every frame of its own key rate. Ways and heights are metres, turns degrees. Directions are those of
//! the file: +Y is up. What cannot be measured, such as the feet of what has none, is `None` and not 0.

mod feet;
mod findings;
mod frames;
mod keys;
mod pauses;
mod pops;
mod seam;
mod skating;
mod body_travel;

pub use body_travel::BodyTravel;
pub use feet::Feet;
pub use findings::Finding;
pub use keys::Keys;
pub use pauses::{Jitter, mean_turn, neighbours, pause_weights, rests, turning_joints};
pub use pops::{Jump, Pop, Pops, jumps, quick_runs};
pub use seam::Residue;

use serde::{Deserialize, Serialize};

use super::root_synthesis::travelling;
use super::{Clip, Roles, Skeleton};
use crate::progress::{Cancelled, Progress};
use frames::Frames;

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The joints that move.
    pub skeleton: &'a Skeleton,
    /// A clip of that skeleton.
    pub clip: &'a Clip,
    /// Hips, legs and what carries the body.
    pub roles: &'a Roles,
    /// Length of the file's unit in metres.
    pub metres_per_unit: f64,
}

/// The figures of one clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// The clip's length.
    pub seconds: f64,
    /// Frames per second that all keys lie on; `None` where there is no such rate, and it is then looked at 30 times a second.
    pub key_rate: Option<f64>,
    /// Joints with a curve.
    pub animated_joints: usize,
    /// Where the body goes.
    pub way: BodyTravel,
    /// How far the end is from the start, one cycle on.
    pub residue: Residue,
    /// How feet stand, on the spot while the gait goes as fast as they tell; `None` where no foot was found or none ever stands.
    pub feet: Option<Feet>,
    /// Jumps of single frames.
    pub pops: Pops,
    /// Noise while the body rests; `None` where it never does.
    pub jitter: Option<Jitter>,
    /// What the curves are made of.
    pub keys: Keys,
    /// What of all this is worth a look.
    pub findings: Vec<Finding>,
}

/// Measures `input`; stops where `progress` says so. `None` for a clip of another skeleton, one longer than an hour and one with
/// numbers that are none.
pub fn quality(input: &Input, progress: &Progress) -> Result<Option<Quality>, Cancelled> {
    // The gauge is that of the work of which this is a part.
    let progress = &progress.part();
    let Some(frames) = Frames::sample(input, progress)? else { return Ok(None) };
    let clip = input.clip;
    let on_the_spot = OnTheSpot::measure(input, &frames, progress)?;
    let mut quality = Quality {
        seconds: clip.duration,
        key_rate: clip.key_rate(),
        animated_joints: clip.tracks.iter().filter(|tracks| !tracks.is_empty()).count(),
        way: BodyTravel::measure(input, &frames, on_the_spot.as_ref()),
        residue: Residue::measure(input, &frames),
        feet: on_the_spot.as_ref().map_or_else(|| Feet::measure(input, &frames), |gait| gait.feet),
        pops: Pops::measure(input, &frames, progress)?,
        jitter: Jitter::measure(input, &frames, progress)?,
        keys: Keys::measure(input),
        findings: Vec::new(),
    };
    quality.findings = findings::judge(&quality);
    Ok(Some(quality))
}

/// What the standing feet of a gait on the spot tell.
struct OnTheSpot {
    /// Metres per second along the ground.
    speed: f64,
    /// How its feet stand while it goes that fast.
    feet: Option<Feet>,
}

impl OnTheSpot {
    fn measure(input: &Input, frames: &Frames, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let Input { skeleton, clip, roles, metres_per_unit } = *input;
        let Some(gait) = travelling(skeleton, clip, roles, 1.0 / frames.step, metres_per_unit) else { return Ok(None) };
        let input = Input { clip: &gait.clip, ..*input };
        let frames = Frames::sample(&input, progress)?;
        Ok(Some(Self { speed: gait.speed, feet: frames.and_then(|frames| Feet::measure(&input, &frames)) }))
    }
}

#[cfg(test)]
pub(crate) mod tests;
