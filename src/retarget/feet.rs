//! Foot locking: feet are planted where the source's feet are.

use std::ops::Range;

use glam::{DAffine3, DVec3};

use super::body_position::{PositionMap, move_body, soles, stances};
use super::measure::{FeetFigures, Report};
use super::rest_feet::{RestFeet, leg_length};
use super::toes::Toes;
use super::{Body, Input};
use portamento_anim::chain_ik::put_in_world;
use portamento_anim::foot_place::{
    FootTransform, STEP_MAX_DROP, drop_needed, leg_positions, move_foot_to, move_separate_feet, smoothed_maximum, sole,
};
use portamento_anim::foot_shape::MeshSole;
use portamento_anim::foot_slide::{FootSlide, PlantedSoles};
use portamento_anim::math::bridge::fill_gaps_fading;
use portamento_anim::quality::WorstFrame;
use portamento_anim::root_motion::{rest_at, turn_of};
use portamento_anim::{Leg, Pose, Skeleton};

/// Displacement above which a swinging foot counts as moved, as a fraction of the leg length. Tuned; no derivation recorded.
const MOVED_MIN_LEG_RATIO: f64 = 0.01;

/// Time over which the hips are lowered and raised for a foot, and over which the correction of a foot fades after a stance,
/// seconds. Tuned; no derivation recorded.
const FADE_SECONDS: f64 = 0.1;

/// Speed at which a swinging foot is raised out of the ground and lowered again, leg lengths per second. Chosen: a half-bent knee then
/// turns by about 6° in a frame at 30 fps.
const LIFT_LEGS_PER_SECOND: f64 = 1.5;

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

    /// Locks planted feet by bending the legs of `poses`. Between stances, a foot moves without speed jumps. Sets
    /// [`Report::hips_lowered`] and [`Report::short`].
    pub fn lock(&self, poses: &mut [Pose], report: &mut Report) {
        let skeleton = self.input.target.skeleton;
        let shifts: Vec<Vec<DVec3>> = self.feet.iter().map(|foot| self.shifts(foot, poses)).collect();
        for (foot, shifts) in self.feet.iter().zip(&shifts) {
            foot.bend_toes(skeleton, self.times, shifts, poses);
        }
        let lifts = self.feet.iter().zip(shifts).map(|(foot, shifts)| self.lifted(foot, shifts, poses));
        let shifts: Vec<Vec<DVec3>> = lifts.collect();
        let goals: Vec<Vec<FootTransform>> = self
            .feet
            .iter()
            .zip(&shifts)
            .map(|(foot, shifts)| {
                let moved =
                    |(pose, &shift): (&Pose, &DVec3)| FootTransform::from_pose(skeleton, foot.leg, pose).moved(shift);
                poses.iter().zip(shifts).map(moved).collect()
            })
            .collect();
        report.hips_lowered = self.lower_hips(&goals, poses) * self.input.target.metres_per_unit;
        for (foot, goals) in self.feet.iter().zip(&goals) {
            for (i, pose) in poses.iter_mut().enumerate() {
                let gap = move_foot_to(skeleton, foot.leg, &goals[i], pose) * self.input.target.metres_per_unit;
                if foot.wanted[i].is_some() {
                    report.short = report.short.max(gap);
                }
            }
        }
    }

    /// Returns the displacement of the sole to its goal in each frame, world units, faded between stances.
    fn shifts(&self, foot: &Foot, poses: &[Pose]) -> Vec<DVec3> {
        let sole = |pose: &Pose| foot.sole(self.input.target.skeleton, pose);
        let known = foot.wanted.iter().zip(poses).map(|(wanted, pose)| Some((*wanted)? - sole(pose)));
        fill_gaps_fading(&known.collect::<Vec<_>>(), self.times, FADE_SECONDS)
    }

    /// Returns `shifts` (world units) with a swinging foot and the tip of its shoe raised out of the ground. In a swing the
    /// raise changes slowly, so that the knee does not turn faster than in the source.
    fn lifted(&self, foot: &Foot, mut shifts: Vec<DVec3>, poses: &[Pose]) -> Vec<DVec3> {
        let skeleton = self.input.target.skeleton;
        let goals: Vec<FootTransform> = poses
            .iter()
            .zip(&shifts)
            .map(|(pose, &shift)| FootTransform::from_pose(skeleton, foot.leg, pose).moved(shift))
            .collect();
        let lift = |(i, pose): (usize, &Pose)| foot.lift(skeleton, i, pose, &goals[i]);
        let needed: Vec<f64> = poses.iter().enumerate().map(lift).collect();
        let speed = LIFT_LEGS_PER_SECOND * leg_length(&self.input.target);
        let change = |i: usize| speed * (self.times[i + 1] - self.times[i]);
        let mut lifts = needed.clone();
        for i in 1..lifts.len() {
            if foot.wanted[i].is_none() {
                lifts[i] = lifts[i].max(lifts[i - 1] - change(i - 1));
            }
        }
        for i in (1..lifts.len()).rev() {
            if foot.wanted[i - 1].is_none() {
                lifts[i - 1] = lifts[i - 1].max(lifts[i] - change(i - 1));
            }
        }
        for (i, pose) in poses.iter().enumerate() {
            let room = leg_positions(skeleton, foot.leg, pose).room_above(goals[i].ankle);
            shifts[i].y += needed[i].max(lifts[i].min(room));
        }
        shifts
    }

    /// Lowers the hips of `poses` smoothly around frames in which a leg is too short for its goal. Returns the largest
    /// lowering, world units.
    fn lower_hips(&self, goals: &[Vec<FootTransform>], poses: &mut [Pose]) -> f64 {
        let skeleton = self.input.target.skeleton;
        let hips = self.input.target.chains[0].bones[0].joint;
        let need = |(i, pose): (usize, &Pose)| {
            // Swinging legs count too: a nearly straight leg whose foot is moved would snap at the knee.
            let need = |(foot, goals): (&Foot, &Vec<FootTransform>)| {
                let leg = leg_positions(skeleton, foot.leg, pose);
                let is_moved = leg.ankle.distance(goals[i].ankle) > MOVED_MIN_LEG_RATIO * leg.length();
                drop_needed(&leg, goals[i].ankle, STEP_MAX_DROP).filter(|_| is_moved || foot.wanted[i].is_some())
            };
            self.feet.iter().zip(goals).filter_map(need).fold(0.0, f64::max)
        };
        let needs: Vec<f64> = poses.iter().enumerate().map(need).collect();
        let frame = self.times.last().copied().unwrap_or(0.0) / self.times.len().max(2) as f64;
        let lowerings = smoothed_maximum(&needs, (FADE_SECONDS / frame.max(1e-3)).ceil() as usize);
        for (pose, &lowering) in poses.iter_mut().zip(&lowerings).filter(|(_, lowering)| **lowering > 0.0) {
            move_body(&self.input.target, DVec3::NEG_Y * lowering, pose);
            let shift = DAffine3::from_translation(DVec3::NEG_Y * lowering);
            move_separate_feet(skeleton, &self.input.target.roles.legs, hips, &shift, pose);
        }
        lowerings.into_iter().fold(0.0, f64::max)
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
