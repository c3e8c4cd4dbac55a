//! Foot locking: feet are planted where the source's feet are.

use std::ops::Range;

use glam::{DAffine3, DVec3};

use super::body_position::{PositionMap, move_body, soles, stances};
use super::leg_bend::{LegBend, bend_leg, knee_bend_for_lift, own_knee_bend};
use super::limited_speed::{raise_to_limit, with_limited_speed};
use super::measure::{FeetFigures, Report};
use super::rest_feet::{RestFeet, leg_length};
use super::toes::Toes;
use super::{Body, Input};
use portamento_anim::chain_ik::put_in_world;
use portamento_anim::foot_place::{
    FootTransform, STEP_MAX_DROP, drop_needed, leg_positions, move_separate_feet, smoothed_maximum, sole,
};
use portamento_anim::foot_shape::MeshSole;
use portamento_anim::foot_slide::{FootSlide, PlantedSoles};
use portamento_anim::ik::LegPositions;
use portamento_anim::math::bridge::fill_gaps_fading;
use portamento_anim::quality::WorstFrame;
use portamento_anim::root_motion::{rest_at, turn_of};
use portamento_anim::{Leg, Pose, Skeleton};

/// Time over which the hips are lowered and raised for a foot, and over which the correction of a foot fades after a stance,
/// seconds. Tuned; no derivation recorded.
const FADE_SECONDS: f64 = 0.1;

/// Speed at which a knee bends to raise a swinging foot out of the ground, radians per second: 10° in a frame at 30 fps, half of
/// which thigh and shin turn by. Chosen.
const LIFT_KNEE_RADIANS_PER_SECOND: f64 = 5.2;

/// Speed at which a swinging foot is raised where a bent knee does not suffice, leg lengths per second. Chosen: a half-bent knee then
/// turns by about 6° in a frame at 30 fps.
const LIFT_LEGS_PER_SECOND: f64 = 1.5;

/// Speed at which the correction of a planted leg may move its foot along the ground, leg lengths per second: a straight leg turns
/// by 4° in a frame at 30 fps. Chosen.
const STANCE_LEGS_PER_SECOND: f64 = 2.0;

/// Allowed depth of a planted foot in the ground, as a fraction of the leg length. Tuned; no derivation recorded.
const ALLOWED_DEPTH_RATIO: f64 = 0.005;
/// Depth in the ground that is capture noise rather than a step down, as a fraction of the leg length. Tuned; no derivation
/// recorded.
const NOISE_DEPTH_RATIO: f64 = 0.03;

/// The feet that both rigs have, over the full motion.
pub(super) struct Feet<'a> {
    input: &'a Input<'a>,
    /// Times of the poses, seconds.
    times: &'a [f64],
    feet: Vec<Foot<'a>>,
}

struct Foot<'a> {
    leg: &'a Leg,
    /// Offset from the ankle to the toe in the rest rotation; `None` if the rig has a toe, or the source has none.
    toe: Option<DVec3>,
    /// The stance intervals of the source foot.
    stances: Vec<Range<usize>>,
    /// Positions of the source's sole, in the character's unit.
    followed: Vec<DVec3>,
    /// Goals of the sole during stances, in the character's unit.
    wanted: Vec<Option<DVec3>>,
    /// Lowest allowed height of the sole at each frame: as deep below its rest height as the source.
    lowest: Vec<f64>,
    mesh: Option<MeshSole<'a>>,
    /// The toes of a foot with a mesh, which bend over the ground.
    toes: Option<Toes<'a>>,
    /// Allowed depth of the mesh at each frame relative to rest: as deep as that of the source, or as the sole.
    deepest: Vec<f64>,
    /// Height of the ground of the character's rest pose; that of the motion is 0.
    rest_ground: f64,
}

impl<'a> Feet<'a> {
    /// Detects the stances in `sources`, and computes the goals from the character's `poses`. `times` are in seconds.
    pub fn new(input: &'a Input<'a>, map: &PositionMap, times: &'a [f64], sources: &[Pose], poses: &[Pose]) -> Self {
        let (source, target) = (&input.source, &input.target);
        let from = soles(source, sources);
        let contacts = stances(source, &from, times, sources);
        let [source_rest, target_rest] = [source, target].map(RestFeet::measure);
        let foot = |(index, leg): (usize, &'a Leg)| {
            let other = counterpart(source, target, leg)?;
            let stances = contacts[other].clone();
            let toe = map.toe(leg, &source.roles.legs[other]);
            let rest = target_rest.heights[index] + toe.map_or(0.0, |toe| toe.y);
            let height_at = |i: usize| map.scale * (from[other][i].y - map.source_ground - source_rest.heights[other]);
            let heights: Vec<f64> = (0..times.len()).map(height_at).collect();
            let heights = without_noise(&heights, &stances, times, leg_length(target));
            let lowest = heights.iter().map(|height| rest + height.min(0.0)).collect();
            let followed = from[other].iter().map(|&sole| map.displacement(sole)).collect();
            let mesh = MeshSole::find(source.skeleton, source.soles, other);
            let sunk = map.source_ground - source_rest.ground;
            let depth = |pose: &Pose| mesh.as_ref().map_or(0.0, |mesh| mesh.depth(source.skeleton, pose) + sunk);
            let depths = sources.iter().map(|pose| map.scale * depth(pose).max(0.0));
            let deepest = depths.zip(&heights).map(|(depth, height)| depth.max(-height)).collect();
            let (mesh, wanted) = (MeshSole::find(target.skeleton, target.soles, index), vec![None; times.len()]);
            let toes = target.soles.get(index).and_then(|sole| Toes::find(target.skeleton, leg, sole));
            let rest_ground = target_rest.ground;
            let mut foot = Foot { leg, toe, stances, followed, wanted, lowest, mesh, toes, deepest, rest_ground };
            let to: Vec<DVec3> = poses.iter().map(|pose| foot.sole(target.skeleton, pose)).collect();
            for range in &foot.stances {
                let mean = |soles: &[DVec3]| soles[range.clone()].iter().sum::<DVec3>() / range.len() as f64;
                let (center, source_center) = (mean(&to), mean(&from[other]));
                for i in range.clone() {
                    let flat = center + map.displacement((from[other][i] - source_center).with_y(0.0));
                    foot.wanted[i] = Some(flat.with_y(rest + heights[i]));
                }
            }
            Some(foot)
        };
        let feet = target.roles.legs.iter().enumerate().filter_map(foot).collect();
        Self { input, times, feet }
    }

    /// Locks planted feet by bending the legs of `poses`. Between stances the legs turn from one correction to the next. Sets
    /// [`Report::hips_lowered`] and [`Report::short`].
    pub fn lock(&self, poses: &mut [Pose], report: &mut Report) {
        let skeleton = self.input.target.skeleton;
        for foot in &self.feet {
            let to_marks: Vec<_> = (0..poses.len()).map(|i| self.shift_to_mark(foot, i, &poses[i])).collect();
            let shifts = fill_gaps_fading(&to_marks, self.times, FADE_SECONDS);
            foot.bend_toes(skeleton, self.times, &shifts, poses);
        }
        self.yield_to_stances(poses);
        report.hips_lowered = self.lower_hips(poses) * self.input.target.metres_per_unit;
        for foot in &self.feet {
            let to_marks = (0..poses.len()).map(|i| self.shift_above_ground(foot, i, &poses[i])).collect();
            let swings = self.lifted(Swings::new(self, foot, poses, to_marks), poses);
            for (i, pose) in poses.iter_mut().enumerate() {
                let goal = FootTransform::from_pose(skeleton, foot.leg, pose).moved(swings.shift(i));
                let knee = if swings.to_marks[i].is_none() { swings.bends[i].knee } else { 0.0 };
                let gap = bend_leg(skeleton, foot.leg, knee, &goal, pose) * self.input.target.metres_per_unit;
                if foot.wanted[i].is_some() {
                    report.short = report.short.max(gap);
                }
            }
        }
    }

    /// Returns `swings` with the mesh of the foot out of the ground. A swinging leg bends its knee in time, and its foot is raised by
    /// what remains.
    fn lifted<'b>(&self, mut swings: Swings<'b>, poses: &[Pose]) -> Swings<'b> {
        let lift = |(i, shift): (usize, DVec3)| self.lift(swings.foot, i, &poses[i], shift);
        let lifts: Vec<f64> = swings.shifts().into_iter().enumerate().map(lift).collect();
        let is_swing = |i: usize| swings.to_marks[i].is_none();
        let seconds = |i: usize| self.times[i + 1] - self.times[i];
        // The limit applies to the sum with the own bend of the source.
        let own: Vec<f64> = swings.legs.iter().map(own_knee_bend).collect();
        let needed = |i: usize| knee_bend_for_lift(&swings.legs[i], &swings.bends[i], lifts[i]);
        let mut sums: Vec<f64> = (0..own.len()).map(|i| own[i] + if is_swing(i) { needed(i) } else { 0.0 }).collect();
        let change = |i: usize| LIFT_KNEE_RADIANS_PER_SECOND * seconds(i) + (own[i + 1] - own[i]).abs();
        raise_to_limit(&mut sums, change, is_swing);
        swings.bends.iter_mut().zip(sums.iter().zip(&own)).for_each(|(bend, (sum, own))| bend.knee += sum - own);
        let shifts = swings.shifts();
        let rest =
            |(i, &shift): (usize, &DVec3)| if is_swing(i) { self.lift(swings.foot, i, &poses[i], shift) } else { 0.0 };
        let mut rests: Vec<f64> = shifts.iter().enumerate().map(rest).collect();
        let speed = LIFT_LEGS_PER_SECOND * leg_length(&self.input.target);
        raise_to_limit(&mut rests, |i| speed * seconds(i), is_swing);
        swings.raised = rests;
        swings
    }

    /// Returns how far the foot of `pose`, moved by `shift`, must be raised at frame `i`, world units.
    fn lift(&self, foot: &Foot, i: usize, pose: &Pose, shift: DVec3) -> f64 {
        let skeleton = self.input.target.skeleton;
        foot.lift(skeleton, i, pose, &FootTransform::from_pose(skeleton, foot.leg, pose).moved(shift))
    }

    /// Returns the displacement of the foot in `pose` to its mark at frame `i`, raised out of the ground, world units; `None` in a
    /// swing.
    fn shift_above_ground(&self, foot: &Foot, i: usize, pose: &Pose) -> Option<DVec3> {
        let shift = self.shift_to_mark(foot, i, pose)?;
        Some(shift + DVec3::Y * self.lift(foot, i, pose, shift))
    }

    /// Returns the displacement of the foot in `pose` to its mark at frame `i`, world units; `None` in a swing.
    fn shift_to_mark(&self, foot: &Foot, i: usize, pose: &Pose) -> Option<DVec3> {
        Some(foot.wanted[i]? - foot.sole(self.input.target.skeleton, pose))
    }

    /// Moves the body of `poses` along the ground where its planted legs would turn much faster than in the source: where the
    /// source rolls over a longer foot, its body is too fast for the legs of the character.
    fn yield_to_stances(&self, poses: &mut [Pose]) {
        let body = &self.input.target;
        let speed = STANCE_LEGS_PER_SECOND * leg_length(body);
        let mut offsets: Vec<Vec<DVec3>> = vec![Vec::new(); poses.len()];
        for foot in &self.feet {
            for range in &foot.stances {
                let shift = |i: usize| self.shift_to_mark(foot, i, &poses[i]).unwrap_or_default().with_y(0.0);
                let shifts: Vec<DVec3> = range.clone().map(shift).collect();
                let limited = with_limited_speed(&shifts, &self.times[range.clone()], speed);
                for (i, (shift, limited)) in range.clone().zip(shifts.iter().zip(limited)) {
                    offsets[i].push(*shift - limited);
                }
            }
        }
        let mean =
            |offsets: &Vec<DVec3>| (!offsets.is_empty()).then(|| offsets.iter().sum::<DVec3>() / offsets.len() as f64);
        let known: Vec<Option<DVec3>> = offsets.iter().map(mean).collect();
        let offsets = fill_gaps_fading(&known, self.times, FADE_SECONDS);
        for (i, (pose, offset)) in poses.iter_mut().zip(offsets).enumerate() {
            // The body stays at both ends, so that a loop stays closed.
            let from_end = (self.times[i] - self.times[0]).min(self.times[self.times.len() - 1] - self.times[i]);
            self.move_body(offset * (from_end / FADE_SECONDS).min(1.0), pose);
        }
    }

    /// Lowers the hips of `poses` smoothly around frames in which a leg is too short for its mark. Returns the largest
    /// lowering, world units.
    fn lower_hips(&self, poses: &mut [Pose]) -> f64 {
        let skeleton = self.input.target.skeleton;
        let need = |(i, pose): (usize, &Pose)| {
            let need = |foot: &Foot| {
                let leg = leg_positions(skeleton, foot.leg, pose);
                drop_needed(&leg, leg.ankle + self.shift_above_ground(foot, i, pose)?, STEP_MAX_DROP)
            };
            self.feet.iter().filter_map(need).fold(0.0, f64::max)
        };
        let needs: Vec<f64> = poses.iter().enumerate().map(need).collect();
        let span = self.times.last().zip(self.times.first()).map_or(0.0, |(last, first)| last - first);
        let frame = span / self.times.len().max(2) as f64;
        let lowerings = smoothed_maximum(&needs, (FADE_SECONDS / frame.max(1e-3)).ceil() as usize);
        for (pose, &lowering) in poses.iter_mut().zip(&lowerings).filter(|(_, lowering)| **lowering > 0.0) {
            self.move_body(DVec3::NEG_Y * lowering, pose);
        }
        lowerings.into_iter().fold(0.0, f64::max)
    }

    /// Moves the full body of `pose`, with feet that hang elsewhere, by `displacement` in world space.
    fn move_body(&self, displacement: DVec3, pose: &mut Pose) {
        if displacement == DVec3::ZERO {
            return;
        }
        let target = &self.input.target;
        move_body(target, displacement, pose);
        let shift = DAffine3::from_translation(displacement);
        move_separate_feet(target.skeleton, &target.roles.legs, target.chains[0].bones[0].joint, &shift, pose);
    }

    /// Measures the speed of planted feet and the depth of feet in the ground.
    pub fn measure(&self, poses: &[Pose]) -> FeetFigures {
        let path = |foot: &Foot| poses.iter().map(|pose| foot.sole(self.input.target.skeleton, pose)).collect();
        let paths: Vec<Vec<DVec3>> = self.feet.iter().map(path).collect();
        let unit = self.input.target.metres_per_unit;
        let at = |foot: &Foot, frame: usize| {
            Some(WorstFrame { joint: foot.leg.toe.unwrap_or(foot.leg.foot), time: self.times[frame] })
        };
        let mut figures = FeetFigures::default();
        for foot in &self.feet {
            for (frame, pose) in poses.iter().enumerate() {
                let depth = foot.depth(self.input.target.skeleton, frame, pose) * unit;
                if depth > figures.sinking {
                    (figures.sinking, figures.sinks_at) = (depth, at(foot, frame));
                }
            }
        }
        if let Some(slide) = self.slide(&paths.iter().map(|path| &path[..]).collect::<Vec<_>>()) {
            figures.slide = slide.mean;
            figures.slides_at = at(&self.feet[slide.foot], slide.frame);
        }
        figures
    }

    /// Returns the speed of the source's planted feet in the character's size, as [`FeetFigures::slide`].
    pub fn slide_of_source(&self) -> f64 {
        let paths: Vec<&[DVec3]> = self.feet.iter().map(|foot| &foot.followed[..]).collect();
        self.slide(&paths).map_or(0.0, |slide| slide.mean)
    }

    /// Returns the number of stances.
    pub(super) fn plant_count(&self) -> usize {
        self.feet.iter().map(|foot| foot.stances.len()).sum()
    }

    /// Returns the slide of the feet along `paths` during the stances of the source; `None` without a stance that is long
    /// enough. There is one path in world units for each foot.
    fn slide(&self, paths: &[&[DVec3]]) -> Option<FootSlide> {
        let contacts: Vec<Vec<Range<usize>>> = self.feet.iter().map(|foot| foot.stances.clone()).collect();
        let (first, last) = (self.times.first()?, self.times.last()?);
        let step = (last - first) / (self.times.len() - 1) as f64;
        let metres_per_unit = self.input.target.metres_per_unit;
        FootSlide::measure(&PlantedSoles { paths, contacts: &contacts, step, metres_per_unit })
    }
}

/// The corrections of one leg: to the marks of its stances, and between them.
struct Swings<'a> {
    foot: &'a Foot<'a>,
    /// The leg before the correction in each frame.
    legs: Vec<LegPositions>,
    /// Displacement of the foot to its mark in each frame, world units; `None` in a swing.
    to_marks: Vec<Option<DVec3>>,
    bends: Vec<LegBend>,
    /// Additional height of the foot in each frame, world units.
    raised: Vec<f64>,
}

impl<'a> Swings<'a> {
    /// Computes the corrections of `poses` from the displacements `to_marks` of the foot in stances. A swinging leg turns smoothly
    /// from the correction of one stance to that of the next. Before the first and after the last stance, it fades out.
    fn new(feet: &Feet, foot: &'a Foot<'a>, poses: &[Pose], to_marks: Vec<Option<DVec3>>) -> Self {
        let skeleton = feet.input.target.skeleton;
        let legs: Vec<LegPositions> = poses.iter().map(|pose| leg_positions(skeleton, foot.leg, pose)).collect();
        let bend = |(leg, shift): (&LegPositions, &Option<DVec3>)| Some(LegBend::from_shift(leg, (*shift)?));
        let known: Vec<Option<LegBend>> = legs.iter().zip(&to_marks).map(bend).collect();
        let filled = |part: &dyn Fn(&LegBend) -> DVec3| {
            let mut known: Vec<Option<DVec3>> = known.iter().map(|bend| bend.as_ref().map(part)).collect();
            fade_ends(&mut known, feet.times);
            fill_gaps_fading(&known, feet.times, FADE_SECONDS)
        };
        let turns = filled(&|bend| bend.turn).into_iter().zip(filled(&|bend| DVec3::X * bend.reach));
        let bends = turns.map(|(turn, reach)| LegBend { turn, reach: reach.x, knee: 0.0 }).collect();
        let raised = vec![0.0; poses.len()];
        Self { foot, legs, to_marks, bends, raised }
    }

    /// Returns the displacement of the foot at frame `i`, world units.
    fn shift(&self, i: usize) -> DVec3 {
        let shift = self.to_marks[i].unwrap_or_else(|| self.bends[i].shift(&self.legs[i]));
        shift + DVec3::Y * self.raised[i]
    }

    /// Returns the displacement of the foot in each frame, world units.
    fn shifts(&self) -> Vec<DVec3> {
        (0..self.legs.len()).map(|i| self.shift(i)).collect()
    }
}

impl Foot<'_> {
    /// Bends the toes of `poses` whose feet are moved by `shifts` (world units) so that the tip of the shoe stays out of the
    /// ground.
    fn bend_toes(&self, skeleton: &Skeleton, times: &[f64], shifts: &[DVec3], poses: &mut [Pose]) {
        let Some((toes, mesh)) = self.toes.as_ref().zip(self.mesh.as_ref()) else { return };
        let floor = |(deepest, shift): (&f64, &DVec3)| mesh.rest_height() - self.rest_ground - deepest - shift.y;
        let floors: Vec<f64> = self.deepest.iter().zip(shifts).map(floor).collect();
        toes.bend(skeleton, times, &floors, poses);
    }

    /// Returns the world position of the sole in `pose`, world units.
    fn sole(&self, skeleton: &Skeleton, pose: &Pose) -> DVec3 {
        let Some(toe) = self.toe else { return sole(skeleton, self.leg, pose) };
        let foot = pose.world_from_joint(skeleton, self.leg.foot);
        let turn = turn_of(&foot) * turn_of(&rest_at(skeleton, self.leg.foot)).inverse();
        foot.translation + turn * toe
    }

    /// Returns the depth of the foot in the ground beyond what is allowed at frame `i`, world units.
    fn depth(&self, skeleton: &Skeleton, i: usize, pose: &Pose) -> f64 {
        self.depth_of_mesh(skeleton, i, pose).max(self.lowest[i] - self.sole(skeleton, pose).y)
    }

    /// Returns the depth of the foot's mesh in the ground beyond what is allowed at frame `i`, world units; −∞ without a mesh.
    fn depth_of_mesh(&self, skeleton: &Skeleton, i: usize, pose: &Pose) -> f64 {
        let depth = |mesh: &MeshSole| mesh.depth(skeleton, pose) - self.rest_ground - self.deepest[i];
        self.mesh.as_ref().map_or(f64::NEG_INFINITY, depth)
    }

    /// Returns how far the foot of `pose`, with goal `goal` at frame `i`, must be raised, world units. The mesh never raises it
    /// so far that the knee would flip.
    fn lift(&self, skeleton: &Skeleton, i: usize, pose: &Pose, goal: &FootTransform) -> f64 {
        let rise = goal.ankle.y - FootTransform::from_pose(skeleton, self.leg, pose).ankle.y;
        let room = leg_positions(skeleton, self.leg, pose).room_above(goal.ankle);
        let of_mesh = (self.depth_of_mesh(skeleton, i, pose) - rise).min(room);
        of_mesh.max(self.lowest[i] - self.sole(skeleton, pose).y - rise).max(0.0)
    }
}

/// Returns the `heights` of a sole above rest, without capture noise: a stance slightly below the ground is lifted onto it.
/// `leg` is the length of the leg in the same unit, and `times` are in seconds.
fn without_noise(heights: &[f64], stances: &[Range<usize>], times: &[f64], leg: f64) -> Vec<f64> {
    let mut lifts = vec![None; heights.len()];
    for range in stances {
        let mut own = heights[range.clone()].to_vec();
        own.sort_by(f64::total_cmp);
        let depth = -own[own.len() / 2] / leg;
        // A larger depth is a step down.
        let weight = ((2.0 * NOISE_DEPTH_RATIO - depth) / NOISE_DEPTH_RATIO).clamp(0.0, 1.0);
        lifts[range.clone()].fill(Some(DVec3::Y * leg * weight * (depth - ALLOWED_DEPTH_RATIO).max(0.0)));
    }
    fill_gaps_fading(&lifts, times, FADE_SECONDS).iter().zip(heights).map(|(lift, height)| height + lift.y).collect()
}

/// Sets an unknown first or last entry of `known` at `times` (seconds) to the nearest known one, as far as that has not faded out.
fn fade_ends(known: &mut [Option<DVec3>], times: &[f64]) {
    let indices: Vec<usize> = (0..known.len()).filter(|&i| known[i].is_some()).collect();
    let Some((&first, &last)) = indices.first().zip(indices.last()) else { return };
    for (end, nearest) in [(0, first), (known.len() - 1, last)] {
        let faded = (times[end] - times[nearest]).abs() / FADE_SECONDS;
        known[end] = known[nearest].map(|value| value * (1.0 - faded).max(0.0));
    }
}

/// Moves feet that are not parented to their shin along with it.
pub(super) fn carry_loose_feet(body: &Body, pose: &mut Pose) {
    for leg in body.roles.legs.iter().filter(|leg| leg.has_separate_foot(body.skeleton)) {
        let [shin, foot] = [leg.shin, leg.foot].map(|joint| rest_at(body.skeleton, joint));
        let ankle = pose.world_from_joint(body.skeleton, leg.shin) * shin.inverse() * foot;
        let turn = turn_of(&pose.world_from_joint(body.skeleton, leg.foot));
        put_in_world(body.skeleton, pose, leg.foot, ankle.translation, turn);
    }
}

/// Returns the index of the source leg that `leg` follows; `None` if the source has no such leg.
fn counterpart(source: &Body, target: &Body, leg: &Leg) -> Option<usize> {
    let limb = target.chains.iter().find(|chain| chain.bones[0].joint == leg.thigh)?.limb;
    let thigh = source.chains.iter().find(|chain| chain.limb == limb)?.bones[0].joint;
    source.roles.legs.iter().position(|leg| leg.thigh == thigh)
}
