//! Feet that stand where the source's do.

use std::ops::Range;

use glam::{DAffine3, DVec3};

use super::measure::{FeetFigures, Report, percentile};
use super::place::{PlaceMap, hips_path, move_body, soles, standing_heights};
use super::rest_feet::{RestFeet, leg_length};
use super::{Body, Input};
use crate::anim::chain_ik::put_in_world;
use crate::anim::foot_contacts::{Walker, foot_contacts};
use crate::anim::foot_place::{FootPlace, STOOP, carry_feet_apart, drop_needed, evened, leg_place, put_foot, sole};
use crate::anim::foot_shape::MeshSole;
use crate::anim::quality::WorstFrame;
use crate::anim::root_motion::{rest_at, turn_of};
use crate::anim::{Leg, Pose, Skeleton};
use crate::math::bridge::faded;

/// A swinging foot that is led by less than this share of the leg goes where it went.
const LED: f64 = 0.01;

/// Seconds over which the hips come down to a foot and rise again, and within which a foot that leaves goes its own way.
const SETTLE: f64 = 0.1;

/// How deep in the ground a foot may stand, and how deep one is that is taken for standing on it, as shares of the leg.
const SUNK: f64 = 0.005;
const NOISE: f64 = 0.03;

/// The feet that both have, over the whole motion.
pub(super) struct Feet<'a> {
    input: &'a Input<'a>,
    times: &'a [f64],
    feet: Vec<Foot<'a>>,
}

struct Foot<'a> {
    leg: &'a Leg,
    /// Where its sole is, seen from its ankle while the foot is not turned; `None` where the rig has a toe or the source none.
    toe: Option<DVec3>,
    /// When it stands.
    stands: Vec<Range<usize>>,
    /// Where the source's sole is, in the character's unit.
    followed: Vec<DVec3>,
    /// Where its sole shall be while it stands, character's unit.
    wanted: Vec<Option<DVec3>>,
    /// The lowest that its sole may be at each frame: as deep below where it rests as that of the source.
    lowest: Vec<f64>,
    mesh: Option<MeshSole<'a>>,
    /// How much deeper its mesh may be than at rest: as deep as that of the source, or as its sole.
    deepest: Vec<f64>,
}

impl<'a> Feet<'a> {
    /// Reads off `sources` when feet stand, and off `poses` where those of the character are meanwhile.
    pub fn new(input: &'a Input<'a>, place: &PlaceMap, times: &'a [f64], sources: &[Pose], poses: &[Pose]) -> Self {
        let (source, target) = (&input.source, &input.target);
        let from = soles(source, sources);
        let standing = foot_contacts(&Walker {
            soles: &from,
            heights: &standing_heights(source),
            body: &hips_path(source, sources),
            times,
            metres_per_unit: source.metres_per_unit,
        });
        let [source_rest, target_rest] = [source, target].map(|body| RestFeet::measure(body).heights);
        let foot = |(index, leg): (usize, &'a Leg)| {
            let other = counterpart(source, target, leg)?;
            let stands = standing[other].clone();
            let toe = place.toe(leg, &source.roles.legs[other]);
            let rest = target_rest[index] + toe.map_or(0.0, |toe| toe.y);
            let over = |i: usize| place.scale * (from[other][i].y - place.source_ground - source_rest[other]);
            let heights: Vec<f64> = (0..times.len()).map(over).collect();
            let heights = out_of_the_ground(&heights, &stands, times, leg_length(target));
            let lowest = heights.iter().map(|height| rest + height.min(0.0)).collect();
            let followed = from[other].iter().map(|&sole| place.way(sole)).collect();
            let mesh = MeshSole::find(source.skeleton, source.soles, other);
            let depth =
                |pose: &Pose| mesh.as_ref().map_or(0.0, |mesh| mesh.depth(source.skeleton, pose) + place.source_ground);
            let depths = sources.iter().map(|pose| place.scale * depth(pose).max(0.0));
            let deepest = depths.zip(&heights).map(|(depth, height)| depth.max(-height)).collect();
            let (mesh, wanted) = (MeshSole::find(target.skeleton, target.soles, index), vec![None; times.len()]);
            let mut foot = Foot { leg, toe, stands, followed, wanted, lowest, mesh, deepest };
            let to: Vec<DVec3> = poses.iter().map(|pose| foot.sole(target.skeleton, pose)).collect();
            for range in &foot.stands {
                let middle = |soles: &[DVec3]| soles[range.clone()].iter().sum::<DVec3>() / range.len() as f64;
                let (here, there) = (middle(&to), middle(&from[other]));
                for i in range.clone() {
                    let flat = here + place.way((from[other][i] - there).with_y(0.0));
                    foot.wanted[i] = Some(flat.with_y(rest + heights[i]));
                }
            }
            Some(foot)
        };
        let feet = target.roles.legs.iter().enumerate().filter_map(foot).collect();
        Self { input, times, feet }
    }

    /// Bends the legs of `poses` so that standing feet stand; between two stands a foot goes on without a jump in speed.
    pub fn lock(&self, poses: &mut [Pose], report: &mut Report) {
        let skeleton = self.input.target.skeleton;
        let shifts: Vec<Vec<DVec3>> = self.feet.iter().map(|foot| self.shifts(foot, poses)).collect();
        let places: Vec<Vec<FootPlace>> = self
            .feet
            .iter()
            .zip(&shifts)
            .map(|(foot, shifts)| {
                let moved =
                    |(pose, &shift): (&Pose, &DVec3)| FootPlace::from_pose(skeleton, foot.leg, pose).moved(shift);
                poses.iter().zip(shifts).map(moved).collect()
            })
            .collect();
        report.hips_lowered = self.lower_hips(&places, poses) * self.input.target.metres_per_unit;
        for (foot, places) in self.feet.iter().zip(&places) {
            for (i, pose) in poses.iter_mut().enumerate() {
                let gap = put_foot(skeleton, foot.leg, &places[i], pose) * self.input.target.metres_per_unit;
                if foot.wanted[i].is_some() {
                    report.short = report.short.max(gap);
                }
            }
        }
    }

    /// How far each frame's sole has to go.
    fn shifts(&self, foot: &Foot, poses: &[Pose]) -> Vec<DVec3> {
        let skeleton = self.input.target.skeleton;
        let here = |pose: &Pose| foot.sole(skeleton, pose);
        let known = foot.wanted.iter().zip(poses).map(|(wanted, pose)| Some((*wanted)? - here(pose)));
        let mut shifts = faded(&known.collect::<Vec<_>>(), self.times, SETTLE);
        // A swinging foot does not go through the ground, nor does the tip of its shoe.
        for (i, (shift, pose)) in shifts.iter_mut().zip(poses).enumerate() {
            let place = FootPlace::from_pose(skeleton, foot.leg, pose).moved(*shift);
            shift.y += foot.lift(skeleton, i, pose, &place);
        }
        shifts
    }

    fn lower_hips(&self, places: &[Vec<FootPlace>], poses: &mut [Pose]) -> f64 {
        let skeleton = self.input.target.skeleton;
        let hips = self.input.target.chains[0].bones[0].joint;
        let need = |(i, pose): (usize, &Pose)| {
            // Swinging legs too: one that is led while it is nearly straight would snap at the knee.
            let need = |(foot, places): (&Foot, &Vec<FootPlace>)| {
                let leg = leg_place(skeleton, foot.leg, pose);
                let is_led = leg.ankle.distance(places[i].ankle) > LED * leg.length();
                drop_needed(&leg, places[i].ankle, STOOP).filter(|_| is_led || foot.wanted[i].is_some())
            };
            self.feet.iter().zip(places).filter_map(need).fold(0.0, f64::max)
        };
        let needs: Vec<f64> = poses.iter().enumerate().map(need).collect();
        let frame = self.times.last().copied().unwrap_or(0.0) / self.times.len().max(2) as f64;
        let downs = evened(&needs, (SETTLE / frame.max(1e-3)).ceil() as usize);
        for (pose, &down) in poses.iter_mut().zip(&downs).filter(|(_, down)| **down > 0.0) {
            move_body(&self.input.target, DVec3::NEG_Y * down, pose);
            let shift = DAffine3::from_translation(DVec3::NEG_Y * down);
            carry_feet_apart(skeleton, &self.input.target.roles.legs, hips, &shift, pose);
        }
        downs.into_iter().fold(0.0, f64::max)
    }

    /// How fast standing feet go and how deep feet are in the ground.
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
        let speeds = self.speeds(paths.iter());
        let fastest = speeds.iter().max_by(|a, b| a.speed.total_cmp(&b.speed));
        figures.slides_at = fastest.and_then(|fastest| at(&self.feet[fastest.foot], fastest.frame));
        FeetFigures { slide: slide(&speeds), ..figures }
    }

    /// How fast the feet of the source go while they stand, in the character's size.
    pub fn slide_of_source(&self) -> f64 {
        slide(&self.speeds(self.feet.iter().map(|foot| &foot.followed)))
    }

    /// How often a foot stands.
    pub(super) fn plant_count(&self) -> usize {
        self.feet.iter().map(|foot| foot.stands.len()).sum()
    }

    /// How fast feet go along the ground while they stand, with a path for each foot.
    fn speeds<'p>(&self, paths: impl Iterator<Item = &'p Vec<DVec3>>) -> Vec<StandingSpeed> {
        let mut speeds = Vec::new();
        for (foot, path) in paths.enumerate() {
            for frame in self.feet[foot].stands.iter().flat_map(|range| range.start + 1..range.end) {
                let way = (path[frame] - path[frame - 1]).with_y(0.0).length() * self.input.target.metres_per_unit;
                speeds.push(StandingSpeed { foot, frame, speed: way / (self.times[frame] - self.times[frame - 1]) });
            }
        }
        speeds
    }
}

impl Foot<'_> {
    /// World place of the sole in `pose`.
    fn sole(&self, skeleton: &Skeleton, pose: &Pose) -> DVec3 {
        let Some(toe) = self.toe else { return sole(skeleton, self.leg, pose) };
        let foot = pose.world_from_joint(skeleton, self.leg.foot);
        let turn = turn_of(&foot) * turn_of(&rest_at(skeleton, self.leg.foot)).inverse();
        foot.translation + turn * toe
    }

    /// How much deeper in the ground than it may be it is in `pose` at frame `i`; world units.
    fn depth(&self, skeleton: &Skeleton, i: usize, pose: &Pose) -> f64 {
        self.depth_of_mesh(skeleton, i, pose).max(self.lowest[i] - self.sole(skeleton, pose).y)
    }

    fn depth_of_mesh(&self, skeleton: &Skeleton, i: usize, pose: &Pose) -> f64 {
        self.mesh.as_ref().map_or(f64::NEG_INFINITY, |mesh| mesh.depth(skeleton, pose) - self.deepest[i])
    }

    /// How far the foot of `pose`, which goes to `place` at frame `i`, has to go up from there. The tip of a shoe folds no leg so far
    /// that its knee turns over.
    fn lift(&self, skeleton: &Skeleton, i: usize, pose: &Pose, place: &FootPlace) -> f64 {
        let up = place.ankle.y - FootPlace::from_pose(skeleton, self.leg, pose).ankle.y;
        let room = leg_place(skeleton, self.leg, pose).room_above(place.ankle);
        let of_mesh = (self.depth_of_mesh(skeleton, i, pose) - up).min(room);
        of_mesh.max(self.lowest[i] - self.sole(skeleton, pose).y - up).max(0.0)
    }
}

/// `heights` of a sole over where it rests, without what captured feet of one ground differ by: a stand in it by little is lifted.
fn out_of_the_ground(heights: &[f64], stands: &[Range<usize>], times: &[f64], leg: f64) -> Vec<f64> {
    let mut lifts = vec![None; heights.len()];
    for range in stands {
        let mut own = heights[range.clone()].to_vec();
        own.sort_by(f64::total_cmp);
        let deep = -own[own.len() / 2] / leg;
        // What is deeper is a step down.
        let share = ((2.0 * NOISE - deep) / NOISE).clamp(0.0, 1.0);
        lifts[range.clone()].fill(Some(DVec3::Y * leg * share * (deep - SUNK).max(0.0)));
    }
    faded(&lifts, times, SETTLE).iter().zip(heights).map(|(lift, height)| height + lift.y).collect()
}

/// How fast a standing foot comes into a frame, metres per second.
struct StandingSpeed {
    foot: usize,
    frame: usize,
    speed: f64,
}

/// Metres per second that 95 % of all standing frames stay below.
fn slide(speeds: &[StandingSpeed]) -> f64 {
    percentile(&mut speeds.iter().map(|standing| standing.speed).collect::<Vec<_>>(), 0.95)
}

/// Carries feet that hang beside their legs along with the shins.
pub(super) fn carry_loose_feet(body: &Body, pose: &mut Pose) {
    for leg in body.roles.legs.iter().filter(|leg| leg.has_foot_apart(body.skeleton)) {
        let [shin, foot] = [leg.shin, leg.foot].map(|joint| rest_at(body.skeleton, joint));
        let ankle = pose.world_from_joint(body.skeleton, leg.shin) * shin.inverse() * foot;
        let turn = turn_of(&pose.world_from_joint(body.skeleton, leg.foot));
        put_in_world(body.skeleton, pose, leg.foot, ankle.translation, turn);
    }
}

/// The place among the source's legs of the one that `leg` follows.
fn counterpart(source: &Body, target: &Body, leg: &Leg) -> Option<usize> {
    let limb = target.chains.iter().find(|chain| chain.bones[0].joint == leg.thigh)?.limb;
    let thigh = source.chains.iter().find(|chain| chain.limb == limb)?.bones[0].joint;
    source.roles.legs.iter().position(|leg| leg.thigh == thigh)
}
