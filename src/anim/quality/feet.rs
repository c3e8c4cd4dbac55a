//! How feet stand.

use std::ops::Range;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::Input;
use super::frames::Frames;
use super::skating::{Skating, Soles};
use crate::anim::foot_contacts::{Walker, foot_contacts};
use crate::anim::root_motion::{path, rest_at};

/// Seconds in which a foot comes down before it stands, and lifts: a frame at the rate at which most clips are made.
const SETTLING: f64 = 1.0 / 30.0 - 1e-6;

/// Figures over all feet and all frames in which they stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Feet {
    /// Share of the time that a foot stands, the mean of all feet.
    pub standing: f64,
    /// How fast feet slide along the ground while they stand or go with the body: the ways from where each of these begins to where
    /// it ends, over the time of all, centimetres per second. A foot that turns or rolls on the spot does not slide.
    pub slide: f64,
    /// How far a sole comes below the height of the lowest one at rest, centimetres.
    pub sinking: f64,
    /// Metres per second of a body that goes on evenly while its feet go along the ground with it, and of a gait the difference to
    /// the speed that its feet tell, where none of them ever stands for it; else `None`.
    pub drift: Option<f64>,
}

impl Feet {
    pub(super) fn measure(input: &Input, frames: &Frames) -> Option<Self> {
        let Input { skeleton, clip, roles, metres_per_unit } = *input;
        let legs = roles.legs.iter().map(|leg| leg.toe.unwrap_or(leg.foot)).filter(|&sole| sole < skeleton.len());
        let soles: Vec<usize> = legs.collect();
        let ways: Vec<Vec<DVec3>> = soles.iter().map(|&sole| path(skeleton, clip, sole, &frames.times)).collect();
        let walker = Walker { soles: &ways, body: &frames.root, times: &frames.times, metres_per_unit };
        let standing = foot_contacts(&walker);
        let ground = soles.iter().map(|&sole| rest_at(skeleton, sole).translation.y).fold(f64::INFINITY, f64::min);
        let skating = Skating::measure(&Soles { ways: &ways, standing: &standing }, frames, ground, metres_per_unit);
        let settling = ((SETTLING / frames.step).ceil().max(1.0) as usize).min(frames.times.len());
        let on_ground = standing.iter().chain(&skating.skates).zip(ways.iter().chain(&ways));
        let slides: Vec<Slide> = on_ground.flat_map(|(stands, way)| slides(stands, way, settling)).collect();
        let seconds = slides.iter().map(|slide| slide.steps as f64).sum::<f64>() * frames.step;
        if seconds <= 0.0 {
            return None;
        }
        let count: usize = standing.iter().flatten().map(Range::len).sum();
        let lowest = ways.iter().flatten().map(|place| place.y).fold(f64::INFINITY, f64::min);
        Some(Self {
            standing: count as f64 / (frames.times.len() * soles.len()) as f64,
            slide: 100.0 * metres_per_unit * slides.iter().map(|slide| slide.way).sum::<f64>() / seconds,
            sinking: 100.0 * metres_per_unit * (ground - lowest).max(0.0),
            drift: skating.drift,
        })
    }
}

/// How a foot slides while it stands once.
struct Slide {
    /// From its first place to its last along the ground.
    way: f64,
    /// Frames between the two.
    steps: usize,
}

/// The stands of a foot, without the frames at either end, `settling` of them, in which it comes down and lifts.
fn slides<'a>(stands: &'a [Range<usize>], way: &'a [DVec3], settling: usize) -> impl Iterator<Item = Slide> + 'a {
    let inner = move |stand: &Range<usize>| (stand.start + settling, stand.end.saturating_sub(1 + settling));
    let slide = |(first, last): (usize, usize)| Slide {
        way: (way[last] - way[first]).with_y(0.0).length(),
        steps: last - first,
    };
    stands.iter().map(inner).filter(|(first, last)| first < last).map(slide)
}
