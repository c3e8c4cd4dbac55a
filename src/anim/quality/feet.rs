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
use crate::foot_slide::{FootSlide, PlantedSoles, dragged};
use crate::root_motion::{path, rest_at, rest_ground, size_factor};
use crate::{Leg, Pose};

/// Height above the line between two contacts up to which a foot that moves from one to the other is dragged, metres. Scaled
/// down for small bodies. Chosen: the toes of a walk rise by 3 cm and more.
const DRAG_MAX_LIFT_M: f64 = 0.02;

/// Acceleration of free fall, metres per second squared.
const GRAVITY_M_S2: f64 = 9.81;
/// Smallest speed of a fall to lower ground, as a fraction of that of a free fall. Chosen: feet reach ahead while the body falls.
const FALL_MIN_FRACTION: f64 = 0.6;
/// Depth from which lower ground is another one, metres. A sole in the ground is less deep.
const LANDING_MIN_DEPTH_M: f64 = 0.15;
/// Largest distance from the ground of a foot that stands on it before it drops, metres.
const LANDING_MAX_START_M: f64 = 0.05;

/// Figures over all feet and all frames in which they stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Feet {
    /// Fraction of the time for which a foot stands, mean of all feet.
    pub standing: f64,
    /// Mean speed at which feet slide while they stand, are dragged or are carried along by the body, centimetres per
    /// second, see [`foot_slide`](crate::foot_slide); `None` if no contact is longer than it takes to come down and lift.
    pub slide: Option<f64>,
    /// Highest speed of such a slide over half a second, centimetres per second; `None` where `slide` comes from the
    /// speed of the body alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slide_peak: Option<f64>,
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
        let feet = || soles.iter().zip(&paths).map(|(&sole, path)| SolePath { sole, path });
        let max_lift = DRAG_MAX_LIFT_M * size_factor(skeleton, metres_per_unit) / metres_per_unit;
        let on_ground = |foot: usize| {
            let (path, count) = (&paths[foot], frames.times.len());
            let contacts = union(&standing[foot], &skating.skates[foot], count);
            let rest = ground + heights[foot];
            union(&contacts, &dragged(path, &contacts, frames.step, [rest, max_lift]), count)
        };
        let on_ground: Vec<_> = (0..paths.len()).map(on_ground).collect();
        let slices: Vec<&[DVec3]> = paths.iter().map(|path| &path[..]).collect();
        let planted = PlantedSoles { paths: &slices, contacts: &on_ground, step: frames.step, metres_per_unit };
        let slide = FootSlide::measure(&planted);
        if soles.is_empty() {
            return None;
        }
        let count: usize = standing.iter().flatten().map(Range::len).sum();
        let meshes = SoleMeshes::of(input, frames);
        let of_feet = feet().zip(&of_leg).filter_map(|(foot, &leg)| foot.deepest(ground, &meshes, leg));
        let deepest = of_feet.chain(Deepest::of_body(input, frames)).max_by(|a, b| a.depth.total_cmp(&b.depth));
        let landed = lower_ground(&walker, &standing, ground);
        let depth = (deepest.as_ref().map_or(0.0, |deepest| deepest.depth) - landed).max(0.0);
        let at = |joint: usize, frame: usize| WorstFrame { joint, time: frames.times[frame] };
        Some(Self {
            standing: count as f64 / (frames.times.len() * soles.len()) as f64,
            slide: slide.map(|slide| 100.0 * slide.mean),
            slide_peak: slide.map(|slide| 100.0 * slide.peak),
            sinking: 100.0 * metres_per_unit * depth,
            drift: skating.drift,
            drifts_at_rest: false,
            slides_at: slide.map(|slide| at(soles[slide.foot], slide.frame)),
            sinks_at: deepest.filter(|_| depth > 0.0).map(|deepest| at(deepest.joint, deepest.frame)),
        })
    }
}

/// Returns how far below `ground` (height of the lowest sole joint at rest) the feet stand at the end after they fell there from
/// the ground; 0 if they did not. World units. A character that drops from a ledge does not sink.
fn lower_ground(walker: &FootMotion, standing: &[Vec<Range<usize>>], ground: f64) -> f64 {
    let unit = walker.metres_per_unit;
    let height = |foot: usize, frame: usize| walker.soles[foot][frame].y - walker.heights[foot] - ground;
    let lowest = |frame: usize| (0..walker.soles.len()).map(|foot| height(foot, frame)).fold(f64::INFINITY, f64::min);
    let contacts = standing.iter().enumerate().flat_map(|(foot, ranges)| ranges.iter().map(move |range| (foot, range)));
    let Some((foot, last)) = contacts.max_by_key(|(_, range)| range.end) else { return 0.0 };
    let depth = -last.clone().map(|frame| height(foot, frame)).sum::<f64>() / last.len() as f64;
    if lowest(0).abs() * unit > LANDING_MAX_START_M || depth * unit < LANDING_MIN_DEPTH_M {
        return 0.0;
    }
    let pairs = walker.times.windows(2).enumerate();
    let speeds = pairs.map(|(frame, pair)| (lowest(frame) - lowest(frame + 1)) * unit / (pair[1] - pair[0]));
    let fall = (2.0 * GRAVITY_M_S2 * depth * unit).sqrt();
    if speeds.fold(0.0, f64::max) >= FALL_MIN_FRACTION * fall { depth } else { 0.0 }
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
