//! Foot contacts, sliding and penetration of a clip.

use std::ops::Range;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::frames::Frames;
use super::skating::{Skating, Soles, slowest, union};
use super::{Input, WorstFrame};
use crate::foot_contacts::{FootMotion, foot_contacts};
use crate::foot_place::sole_heights;
use crate::foot_shape::lowest;
use crate::root_motion::{path, rest_at, rest_ground};
use crate::{Leg, Pose};

/// Seconds at the start and the end of a contact in which a foot comes down or lifts: one frame at the usual rate of
/// 30.
const SETTLING_SECONDS: f64 = 1.0 / 30.0 - 1e-6;

/// Figures over all feet and all frames in which they stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Feet {
    /// Fraction of the time for which a foot stands, mean of all feet.
    pub standing: f64,
    /// Speed at which feet slide while they stand or are carried along by the body, centimetres per second; `None` if
    /// no contact is longer than it takes to come down and lift.
    ///
    /// ```text
    /// slide = Σ |last position − first position| / Σ duration      over all contacts
    /// ```
    /// A foot that turns or rolls on the spot does not slide.
    pub slide: Option<f64>,
    /// Largest depth of a sole below the lowest sole in the rest pose, or of another joint of the body below the
    /// ground there, centimetres. Soles use their mesh if they have one.
    pub sinking: f64,
    /// Drift of the body, metres per second.
    ///
    /// The speed of a body that travels evenly while its feet are carried along or stay behind. For a gait whose feet
    /// never stand at the body's speed, the difference to the speed that they imply. Else `None`.
    pub drift: Option<f64>,
    /// True if `drift` comes from feet at rest, on the ground or of a lying or sitting body. They pass evenly, so the
    /// value is exact.
    #[serde(default)]
    pub drifts_at_rest: bool,
    /// The fastest frame of the longest slide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slides_at: Option<WorstFrame>,
    /// The frame of the deepest penetration, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sinks_at: Option<WorstFrame>,
}

impl Feet {
    /// Measures contacts, sliding and depth of all feet; `None` if the rig has no legs. `drifts_at_rest` is false here.
    pub(super) fn measure(input: &Input, frames: &Frames) -> Option<Self> {
        let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
        let legs = roles.legs.iter().enumerate().filter(|(_, leg)| leg.toe.unwrap_or(leg.foot) < skeleton.len());
        let (of_leg, legs): (Vec<usize>, Vec<&Leg>) = legs.unzip();
        let soles: Vec<usize> = legs.iter().map(|leg| leg.toe.unwrap_or(leg.foot)).collect();
        let paths: Vec<Vec<DVec3>> = soles.iter().map(|&sole| path(skeleton, clip, sole, &frames.times)).collect();
        let heights = sole_heights(skeleton, roles, &legs);
        let walker =
            FootMotion { soles: &paths, heights: &heights, body: &frames.root, times: &frames.times, metres_per_unit };
        let standing = foot_contacts(&walker);
        let ground = soles.iter().map(|&sole| rest_at(skeleton, sole).translation.y).fold(f64::INFINITY, f64::min);
        let hips = roles.hips.filter(|&hips| hips < skeleton.len());
        let hips = hips.map(|hips| path(skeleton, clip, hips, &frames.times)).unwrap_or_default();
        let soles_at = Soles { paths: &paths, standing: &standing, hips: &hips, slowest: slowest(input) };
        let skating = Skating::measure(&soles_at, frames, ground, metres_per_unit);
        let settling = ((SETTLING_SECONDS / frames.step).ceil().max(1.0) as usize).min(frames.times.len());
        let feet = || soles.iter().zip(&paths).map(|(&sole, path)| SolePath { sole, path });
        let both = standing.iter().zip(&skating.skates);
        let on_ground: Vec<_> = both.map(|(stands, skates)| union(stands, skates, frames.times.len())).collect();
        let slides: Vec<Slide> =
            on_ground.iter().zip(feet()).flat_map(|(ranges, foot)| slides(ranges, foot, settling)).collect();
        let seconds = slides.iter().map(|slide| slide.steps as f64).sum::<f64>() * frames.step;
        if soles.is_empty() {
            return None;
        }
        let count: usize = standing.iter().flatten().map(Range::len).sum();
        let meshes = SoleMeshes::of(input, frames);
        let of_feet = feet().zip(&of_leg).filter_map(|(foot, &leg)| foot.deepest(ground, &meshes, leg));
        let deepest = of_feet.chain(Deepest::of_body(input, frames)).max_by(|a, b| a.depth.total_cmp(&b.depth));
        let depth = deepest.as_ref().map_or(0.0, |deepest| deepest.depth).max(0.0);
        let at = |joint: usize, frame: usize| WorstFrame { joint, time: frames.times[frame] };
        let distance: f64 = slides.iter().map(|slide| slide.distance).sum();
        let farthest = slides.iter().max_by(|a, b| a.distance.total_cmp(&b.distance));
        Some(Self {
            standing: count as f64 / (frames.times.len() * soles.len()) as f64,
            slide: (seconds > 0.0).then(|| 100.0 * metres_per_unit * distance / seconds),
            sinking: 100.0 * metres_per_unit * depth,
            drift: skating.drift,
            drifts_at_rest: false,
            slides_at: farthest.map(|slide| at(slide.sole, slide.fastest)),
            sinks_at: deepest.filter(|_| depth > 0.0).map(|deepest| at(deepest.joint, deepest.frame)),
        })
    }
}

/// The sole joint of a foot and its position in every frame.
#[derive(Clone, Copy)]
struct SolePath<'a> {
    /// Index of the joint in the skeleton.
    sole: usize,
    /// World positions, in the file's unit.
    path: &'a [DVec3],
}

/// The frame at which a joint is deepest in the ground.
struct Deepest {
    joint: usize,
    frame: usize,
    /// Depth in world units; negative above the ground.
    depth: f64,
}

/// Soles with the shape of their meshes.
struct SoleMeshes<'a> {
    input: &'a Input<'a>,
    poses: &'a [Pose],
    /// Height of the lowest sole in the rest pose, world units; `None` without meshes.
    ground: Option<f64>,
}

impl<'a> SoleMeshes<'a> {
    /// Measures the ground at rest: the lowest point of all foot meshes.
    fn of(input: &'a Input, frames: &'a Frames) -> Self {
        let rest = Pose::rest(input.skeleton);
        let heights = input.soles.iter().filter_map(|sole| lowest(input.skeleton, sole, &rest));
        Self { input, poses: &frames.poses, ground: heights.min_by(f64::total_cmp) }
    }

    /// Returns the depth of the foot of `leg` in the ground at `frame`, world units, negative above it; `None`
    /// without a mesh.
    fn depth(&self, leg: usize, frame: usize) -> Option<f64> {
        Some(self.ground? - lowest(self.input.skeleton, self.input.soles.get(leg)?, &self.poses[frame])?)
    }
}

impl Deepest {
    /// Returns the frame in which a joint of trunk or limbs is deepest in the ground of the rest pose, or nearest to it if they
    /// are always above; `None` without hips.
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
    /// Returns the frame in which the sole is deepest in the ground, or nearest to it if it is always above; `None` without
    /// frames. Without a mesh the joint is compared with `ground`, its height in the rest pose, world units. `leg` is
    /// the index of the foot in `meshes`.
    fn deepest(&self, ground: f64, meshes: &SoleMeshes, leg: usize) -> Option<Deepest> {
        let depth = |(frame, position): (usize, &DVec3)| {
            let depth = meshes.depth(leg, frame).unwrap_or(ground - position.y);
            Deepest { joint: self.sole, frame, depth }
        };
        self.path.iter().enumerate().map(depth).max_by(|a, b| a.depth.total_cmp(&b.depth))
    }
}

/// The slide of a foot during one contact.
struct Slide {
    /// Ground distance from the first position to the last, in the file's unit.
    distance: f64,
    /// Frames between the two.
    steps: usize,
    sole: usize,
    /// The frame reached by the largest step.
    fastest: usize,
}

/// Returns the slide of a foot in each of `contacts` (frame ranges), without the `settling` frames at either end in which the foot
/// comes down and lifts. Contacts that are not longer than that are left out.
fn slides<'a>(
    contacts: &'a [Range<usize>],
    SolePath { sole, path }: SolePath<'a>,
    settling: usize,
) -> impl Iterator<Item = Slide> + 'a {
    let inner = move |contact: &Range<usize>| (contact.start + settling, contact.end.saturating_sub(1 + settling));
    let along = |from: usize, to: usize| (path[to] - path[from]).with_y(0.0).length();
    let slide = move |(first, last): (usize, usize)| {
        let fastest = (first + 1..=last).max_by(|&a, &b| along(a - 1, a).total_cmp(&along(b - 1, b)));
        Slide { distance: along(first, last), steps: last - first, sole, fastest: fastest.unwrap_or(last) }
    };
    contacts.iter().map(inner).filter(|(first, last)| first < last).map(slide)
}
