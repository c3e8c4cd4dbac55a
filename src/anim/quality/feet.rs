//! How feet stand.

use std::ops::Range;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::frames::Frames;
use super::skating::{Skating, Soles, slowest, union};
use super::{Input, WorstFrame};
use crate::anim::foot_contacts::{Walker, foot_contacts};
use crate::anim::foot_place::sole_heights;
use crate::anim::foot_shape::lowest;
use crate::anim::root_motion::{path, rest_at, rest_ground};
use crate::anim::{Leg, Pose};

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
    /// How far a sole, with its mesh where it has one, comes below the height of the lowest one at rest, or another joint of the body
    /// below the ground there, centimetres.
    pub sinking: f64,
    /// Metres per second of a body that goes on evenly while its feet go along the ground with it, or hang beside it and stay behind,
    /// and of a gait the difference to the speed that its feet tell, where none of them ever stands for it; else `None`.
    pub drift: Option<f64>,
    /// Whether feet tell that which rest, on the ground or of who lies or sits: they go by evenly, and it is known exactly.
    #[serde(default)]
    pub drifts_at_rest: bool,
    /// Where a foot slides farthest while it is on the ground once, at its fastest there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slides_at: Option<WorstFrame>,
    /// Where that is, if it is below the ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sinks_at: Option<WorstFrame>,
}

impl Feet {
    pub(super) fn measure(input: &Input, frames: &Frames) -> Option<Self> {
        let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
        let legs = roles.legs.iter().enumerate().filter(|(_, leg)| leg.toe.unwrap_or(leg.foot) < skeleton.len());
        let (of_leg, legs): (Vec<usize>, Vec<&Leg>) = legs.unzip();
        let soles: Vec<usize> = legs.iter().map(|leg| leg.toe.unwrap_or(leg.foot)).collect();
        let ways: Vec<Vec<DVec3>> = soles.iter().map(|&sole| path(skeleton, clip, sole, &frames.times)).collect();
        let heights = sole_heights(skeleton, roles, &legs);
        let walker =
            Walker { soles: &ways, heights: &heights, body: &frames.root, times: &frames.times, metres_per_unit };
        let standing = foot_contacts(&walker);
        let ground = soles.iter().map(|&sole| rest_at(skeleton, sole).translation.y).fold(f64::INFINITY, f64::min);
        let hips = roles.hips.filter(|&hips| hips < skeleton.len());
        let hips = hips.map(|hips| path(skeleton, clip, hips, &frames.times)).unwrap_or_default();
        let soles_at = Soles { ways: &ways, standing: &standing, hips: &hips, slowest: slowest(input) };
        let skating = Skating::measure(&soles_at, frames, ground, metres_per_unit);
        let settling = ((SETTLING / frames.step).ceil().max(1.0) as usize).min(frames.times.len());
        let feet = || soles.iter().zip(&ways).map(|(&sole, way)| SolePath { sole, way });
        let both = standing.iter().zip(&skating.skates);
        let on_ground: Vec<_> = both.map(|(stands, skates)| union(stands, skates, frames.times.len())).collect();
        let slides: Vec<Slide> =
            on_ground.iter().zip(feet()).flat_map(|(ranges, foot)| slides(ranges, foot, settling)).collect();
        let seconds = slides.iter().map(|slide| slide.steps as f64).sum::<f64>() * frames.step;
        if soles.is_empty() {
            return None;
        }
        let count: usize = standing.iter().flatten().map(Range::len).sum();
        let shoes = Shoes::of(input, frames);
        let of_feet = feet().zip(&of_leg).filter_map(|(foot, &leg)| foot.lowest(ground, &shoes, leg));
        let deepest = of_feet.chain(Deepest::of_body(input, frames)).max_by(|a, b| a.depth.total_cmp(&b.depth));
        let depth = deepest.as_ref().map_or(0.0, |deepest| deepest.depth).max(0.0);
        let at = |joint: usize, frame: usize| WorstFrame { joint, time: frames.times[frame] };
        let way: f64 = slides.iter().map(|slide| slide.way).sum();
        let farthest = slides.iter().max_by(|a, b| a.way.total_cmp(&b.way));
        Some(Self {
            standing: count as f64 / (frames.times.len() * soles.len()) as f64,
            slide: (seconds > 0.0).then(|| 100.0 * metres_per_unit * way / seconds),
            sinking: 100.0 * metres_per_unit * depth,
            drift: skating.drift,
            drifts_at_rest: false,
            slides_at: farthest.map(|slide| at(slide.sole, slide.fastest)),
            sinks_at: deepest.filter(|_| depth > 0.0).map(|deepest| at(deepest.joint, deepest.frame)),
        })
    }
}

/// A foot's sole and where it is in every frame.
#[derive(Clone, Copy)]
struct SolePath<'a> {
    sole: usize,
    way: &'a [DVec3],
}

/// A joint where it is deepest in the ground.
struct Deepest {
    joint: usize,
    frame: usize,
    /// World units; below 0 over the ground.
    depth: f64,
}

/// Feet as their meshes have them.
struct Shoes<'a> {
    input: &'a Input<'a>,
    poses: &'a [Pose],
    /// Height of the lowest one at rest; `None` without meshes.
    ground: Option<f64>,
}

impl<'a> Shoes<'a> {
    fn of(input: &'a Input, frames: &'a Frames) -> Self {
        let rest = Pose::rest(input.skeleton);
        let heights = input.soles.iter().filter_map(|sole| lowest(input.skeleton, sole, &rest));
        Self { input, poses: &frames.poses, ground: heights.min_by(f64::total_cmp) }
    }

    /// How far the foot of `leg` is under the ground at `frame`, world units, below 0 over it; `None` where it has no mesh.
    fn depth(&self, leg: usize, frame: usize) -> Option<f64> {
        Some(self.ground? - lowest(self.input.skeleton, self.input.soles.get(leg)?, &self.poses[frame])?)
    }
}

impl Deepest {
    /// Of trunk and limbs.
    fn of_body(input: &Input, frames: &Frames) -> Option<Self> {
        let body = input.roles.trunk_and_limbs(input.skeleton);
        let ground = rest_ground(input.skeleton);
        let mut world = Vec::new();
        let mut deepest: Option<Self> = None;
        for (frame, pose) in frames.poses.iter().enumerate() {
            pose.world_from_joints(input.skeleton, &mut world);
            for &joint in &body {
                let depth = ground - f64::from(world[joint].translation.y);
                if deepest.as_ref().is_none_or(|deepest| depth > deepest.depth) {
                    deepest = Some(Self { joint, frame, depth });
                }
            }
        }
        deepest
    }
}

impl SolePath<'_> {
    /// Where it is deepest under the ground: by its mesh, or by its joint under `ground`, its height at rest, where it has none.
    fn lowest(&self, ground: f64, shoes: &Shoes, leg: usize) -> Option<Deepest> {
        let depth = |(frame, place): (usize, &DVec3)| {
            let depth = shoes.depth(leg, frame).unwrap_or(ground - place.y);
            Deepest { joint: self.sole, frame, depth }
        };
        self.way.iter().enumerate().map(depth).max_by(|a, b| a.depth.total_cmp(&b.depth))
    }
}

/// How a foot slides while it is on the ground once.
struct Slide {
    /// From its first place to its last along the ground.
    way: f64,
    /// Frames between the two.
    steps: usize,
    sole: usize,
    /// The frame into which it slides farthest.
    fastest: usize,
}

/// The times of a foot on the ground, without the frames at either end, `settling` of them, in which it comes down and lifts.
fn slides<'a>(
    times: &'a [Range<usize>],
    SolePath { sole, way }: SolePath<'a>,
    settling: usize,
) -> impl Iterator<Item = Slide> + 'a {
    let inner = move |time: &Range<usize>| (time.start + settling, time.end.saturating_sub(1 + settling));
    let along = |from: usize, to: usize| (way[to] - way[from]).with_y(0.0).length();
    let slide = move |(first, last): (usize, usize)| {
        let fastest = (first + 1..=last).max_by(|&a, &b| along(a - 1, a).total_cmp(&along(b - 1, b)));
        Slide { way: along(first, last), steps: last - first, sole, fastest: fastest.unwrap_or(last) }
    };
    times.iter().map(inner).filter(|(first, last)| first < last).map(slide)
}
