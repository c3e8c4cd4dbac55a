//! How feet stand.

use std::ops::Range;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::frames::Frames;
use super::skating::{Skating, Soles};
use super::{Input, WorstFrame};
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
    /// it ends, over the time of all, centimetres per second. A foot that turns or rolls on the spot does not slide; `None` where no
    /// foot stands for longer than it comes down and lifts.
    pub slide: Option<f64>,
    /// How far a sole comes below the height of the lowest one at rest, centimetres.
    pub sinking: f64,
    /// Metres per second of a body that goes on evenly while its feet go along the ground with it, and of a gait the difference to
    /// the speed that its feet tell, where none of them ever stands for it; else `None`.
    pub drift: Option<f64>,
    /// Where a foot slides farthest while it stands once, at its fastest there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slides_at: Option<WorstFrame>,
    /// Where a sole is lowest, if that is below the ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sinks_at: Option<WorstFrame>,
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
        let feet = || soles.iter().zip(&ways).map(|(&sole, way)| SolePath { sole, way });
        let on_ground = standing.iter().chain(&skating.skates).zip(feet().chain(feet()));
        let slides: Vec<Slide> = on_ground.flat_map(|(stands, foot)| slides(stands, foot, settling)).collect();
        let seconds = slides.iter().map(|slide| slide.steps as f64).sum::<f64>() * frames.step;
        if soles.is_empty() {
            return None;
        }
        let count: usize = standing.iter().flatten().map(Range::len).sum();
        let lowest = feet().filter_map(|foot| foot.lowest()).min_by(|a, b| a.height.total_cmp(&b.height));
        let depth = lowest.as_ref().map_or(0.0, |lowest| ground - lowest.height).max(0.0);
        let at = |joint: usize, frame: usize| WorstFrame { joint, time: frames.times[frame] };
        let way: f64 = slides.iter().map(|slide| slide.way).sum();
        let farthest = slides.iter().max_by(|a, b| a.way.total_cmp(&b.way));
        Some(Self {
            standing: count as f64 / (frames.times.len() * soles.len()) as f64,
            slide: (seconds > 0.0).then(|| 100.0 * metres_per_unit * way / seconds),
            sinking: 100.0 * metres_per_unit * depth,
            drift: skating.drift,
            slides_at: farthest.map(|slide| at(slide.sole, slide.fastest)),
            sinks_at: lowest.filter(|_| depth > 0.0).map(|lowest| at(lowest.sole, lowest.frame)),
        })
    }
}

/// A foot's sole and where it is in every frame.
#[derive(Clone, Copy)]
struct SolePath<'a> {
    sole: usize,
    way: &'a [DVec3],
}

/// A foot at its lowest.
struct Lowest {
    sole: usize,
    frame: usize,
    height: f64,
}

impl SolePath<'_> {
    fn lowest(&self) -> Option<Lowest> {
        let lowest = self.way.iter().enumerate().min_by(|a, b| a.1.y.total_cmp(&b.1.y));
        lowest.map(|(frame, place)| Lowest { sole: self.sole, frame, height: place.y })
    }
}

/// How a foot slides while it stands once.
struct Slide {
    /// From its first place to its last along the ground.
    way: f64,
    /// Frames between the two.
    steps: usize,
    sole: usize,
    /// The frame into which it slides farthest.
    fastest: usize,
}

/// The stands of a foot, without the frames at either end, `settling` of them, in which it comes down and lifts.
fn slides<'a>(
    stands: &'a [Range<usize>],
    SolePath { sole, way }: SolePath<'a>,
    settling: usize,
) -> impl Iterator<Item = Slide> + 'a {
    let inner = move |stand: &Range<usize>| (stand.start + settling, stand.end.saturating_sub(1 + settling));
    let along = |from: usize, to: usize| (way[to] - way[from]).with_y(0.0).length();
    let slide = move |(first, last): (usize, usize)| {
        let fastest = (first + 1..=last).max_by(|&a, &b| along(a - 1, a).total_cmp(&along(b - 1, b)));
        Slide { way: along(first, last), steps: last - first, sole, fastest: fastest.unwrap_or(last) }
    };
    stands.iter().map(inner).filter(|(first, last)| first < last).map(slide)
}
