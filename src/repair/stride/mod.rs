//! Stride length: scales the steps of a gait, so that it is faster or slower at the same cadence.
//!
//! The travel of the character is scaled along its path, and each foot about its own mean position relative to that path:
//!
//! ```text
//! f = G⁻¹·p            position of the sole relative to the path G
//! p' = G'·(m + k·(f − m))
//! ```
//!
//! `m` is the mean of `f`, and `G'` the path with its distances scaled by `k`. A sole that rests on the ground (`p` constant)
//! rests after the change too. A gait in place has no path; its feet move `k` times as fast, and so does the game that moves
//! it. Heights of feet do not change. Legs are bent by IK. If a leg is too short for its stride, the hips are lowered by the least
//! that is needed, evenly over the cycle.

mod settings;

pub use settings::Settings;

use glam::{DAffine3, DVec3};
use serde::{Deserialize, Serialize};

use crate::close::cycle::CycleMap;
use crate::close::{BuildError, Cycle, Input, check};
use portamento_anim::chain_ik::put_in_world;
use portamento_anim::foot_place::{
    FootTransform, STEP_MAX_DROP, drop_needed, leg_positions, move_foot_to, move_separate_feet, smoothed_maximum,
};
use portamento_anim::pose_keys::{PoseSpan, write_poses};
use portamento_anim::root_motion::{frame_times, parent_at, turn_of, world_at};
use portamento_anim::{Clip, Leg, Pose};
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;

/// The motion with its new strides, and the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion.
    pub clip: Clip,
    /// Figures for panels and reports.
    pub report: Report,
}

/// Figures for the panel and the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Factor of the strides.
    pub scale: f64,
    /// Number of legs.
    pub legs: usize,
    /// Distance of the character from start to end before and after, metres.
    pub travel: [f64; 2],
    /// Largest distance by which a leg does not reach its foot, metres.
    pub gap: f64,
    /// Time of that distance, seconds.
    pub gap_at: f64,
}

/// Distance that a leg may be too short, as a fraction of its length: the soft limit of the knee costs that much.
const MAX_GAP_RATIO: f64 = 0.005;

/// Time over which the hips are lowered and raised for a stride, seconds. As in other stages that lower hips.
const LOWERING_SECONDS: f64 = 0.1;

impl Report {
    /// True if the report is a warning: there are no legs, or a leg is too short.
    pub fn warns(&self) -> bool {
        self.legs == 0 || self.gap > 0.0
    }
}

impl Tell for Report {
    fn message(&self) -> Message {
        if self.legs == 0 {
            return message!(
                "warning.stride.no_legs",
                "The character has no legs that can be bent, so only its travel is scaled. Assign legs under Rig."
            );
        }
        message!(
            "warning.stride.short",
            "At %{seconds} s a leg is %{millimetres} mm too short for its stride. Choose a smaller factor.",
            seconds = format!("{:.2}", self.gap_at),
            millimetres = format!("{:.1}", 1e3 * self.gap)
        )
    }
}

/// Scales the strides of `input` as `settings` say.
///
/// Returns `Err` if
/// - the clip belongs to another skeleton,
/// - `fps` is outside 1…1000, the unit is not positive, or the length is not in 0…3600 s,
/// - the factor is outside [`Settings::MIN_SCALE`] to [`Settings::MAX_SCALE`],
/// - the work was cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check(input)?;
    let scale = settings.scale;
    if !(Settings::MIN_SCALE..=Settings::MAX_SCALE).contains(&scale) {
        let (least, most) = (Settings::MIN_SCALE, Settings::MAX_SCALE);
        return Err(BuildError::BadFactor { factor: scale, least, most });
    }
    let times = frame_times(input.clip, 0..input.skeleton.len(), input.fps);
    let path = Path::new(input, &times, scale);
    let legs: Vec<&Leg> = input.roles.legs.iter().filter(|leg| leg.is_bendable(input.skeleton)).collect();
    let distance = input.metres_per_unit * path.cycle.world.transform_point3(path.start).distance(path.start);
    let mut report = Report { scale, legs: legs.len(), travel: [distance, scale * distance], ..Report::default() };
    if scale == 1.0 {
        return Ok(Built { clip: input.clip.clone(), report });
    }
    let incoming: Vec<Pose> = times.iter().map(|&time| input.clip.pose_at(input.skeleton, time)).collect();
    let mut poses = incoming.clone();
    poses.iter_mut().zip(&times).for_each(|(pose, &time)| path.carry(pose, time));
    progress.step(1, 3)?;
    let feet: Vec<Stepping> = legs.iter().map(|leg| path.stepping(leg, &times, &incoming)).collect();
    let carried = poses.clone();
    [report.gap, report.gap_at] = bend(input, &feet, &times, &mut poses);
    if report.gap > 0.0 {
        progress.step(2, 3)?;
        poses = carried;
        lower_hips(input, &feet, &times, &mut poses);
        [report.gap, report.gap_at] = bend(input, &feet, &times, &mut poses);
    }
    let mut clip = input.clip.clone();
    write_poses(input.skeleton, &mut clip, &PoseSpan { times: &times, first: 0, poses: &poses });
    Ok(Built { clip, report })
}

/// A leg and the goals of its foot, one at each frame.
struct Stepping<'a> {
    leg: &'a Leg,
    goals: Vec<FootTransform>,
    /// Length of the leg, world units.
    length: f64,
}

/// Bends the legs of `poses` so that `feet` are at their goals. Returns the largest distance of a foot from its goal in metres, 0
/// below [`MAX_GAP_RATIO`], and its time in seconds.
fn bend(input: &Input, feet: &[Stepping], times: &[f64], poses: &mut [Pose]) -> [f64; 2] {
    let mut largest = [0.0; 2];
    for foot in feet {
        for ((goal, &time), pose) in foot.goals.iter().zip(times).zip(poses.iter_mut()) {
            let gap = move_foot_to(input.skeleton, foot.leg, goal, pose);
            let metres = gap * input.metres_per_unit;
            if gap > MAX_GAP_RATIO * foot.length && metres > largest[0] {
                largest = [metres, time];
            }
        }
    }
    largest
}

/// Lowers the hips of `poses`, a cycle, so that the legs reach the goals of `feet`.
fn lower_hips(input: &Input, feet: &[Stepping], times: &[f64], poses: &mut [Pose]) {
    let Some(hips) = input.roles.body(input.skeleton) else { return };
    let need = |(i, pose): (usize, &Pose)| {
        let of_foot = |foot: &Stepping| {
            drop_needed(&leg_positions(input.skeleton, foot.leg, pose), foot.goals[i].ankle, STEP_MAX_DROP)
        };
        feet.iter().filter_map(of_foot).fold(0.0, f64::max)
    };
    let needs: Vec<f64> = poses.iter().enumerate().map(need).collect();
    let frame = times.last().copied().unwrap_or(0.0) / times.len().max(2) as f64;
    let width = (LOWERING_SECONDS / frame.max(1e-3)).ceil() as usize;
    // The last frame of a cycle is the first of the next.
    let cycle = &needs[..needs.len().saturating_sub(1)];
    let lowered = smoothed_maximum(&[cycle, cycle, &needs].concat(), width);
    for (pose, &down) in poses.iter_mut().zip(&lowered[cycle.len()..]).filter(|(_, down)| **down > 0.0) {
        let world = pose.world_from_joint(input.skeleton, hips);
        put_in_world(input.skeleton, pose, hips, world.translation - DVec3::Y * down, turn_of(&world));
        let shift = DAffine3::from_translation(DVec3::NEG_Y * down);
        move_separate_feet(input.skeleton, &input.roles.legs, hips, &shift, pose);
    }
}

/// The path of the character over one cycle at constant speed, and the factor of its travel.
struct Path<'a> {
    input: &'a Input<'a>,
    cycle: CycleMap,
    /// Position of the root at the start.
    start: DVec3,
    scale: f64,
}

impl<'a> Path<'a> {
    /// Returns the path through the start of the motion. `scale` multiplies its travel.
    fn new(input: &'a Input, times: &[f64], scale: f64) -> Self {
        let cycle = CycleMap::new(input, Cycle::Found, times);
        let root = input.root.map_or(0, |root| root.joint);
        let start = world_at(input.skeleton, input.clip, root, 0.0).translation;
        Self { input, cycle, start, scale }
    }

    /// Returns the fraction of the clip at `time` (seconds).
    fn share(&self, time: f64) -> f64 {
        if self.input.clip.duration > 0.0 { time / self.input.clip.duration } else { 0.0 }
    }

    /// Returns the translation of the scaled path relative to the incoming one at `time` (seconds), world units.
    fn offset(&self, time: f64) -> DVec3 {
        let travelled = self.cycle.part(self.share(time)).transform_point3(self.start) - self.start;
        (self.scale - 1.0) * travelled.with_y(0.0)
    }

    /// Returns the world position `point` relative to the path at `time` (seconds).
    fn relative(&self, point: DVec3, time: f64) -> DVec3 {
        self.cycle.part(self.share(time)).inverse().transform_point3(point)
    }

    /// Returns the goals of the foot of `leg` at `times` (seconds), whose incoming poses are `incoming`.
    fn stepping<'b>(&self, leg: &'b Leg, times: &[f64], incoming: &[Pose]) -> Stepping<'b> {
        let skeleton = self.input.skeleton;
        let feet: Vec<FootTransform> =
            incoming.iter().map(|pose| FootTransform::from_pose(skeleton, leg, pose)).collect();
        let mean = feet.iter().zip(times).map(|(foot, &time)| self.relative(foot.sole, time)).sum::<DVec3>()
            / feet.len().max(1) as f64;
        let goals = feet.iter().zip(times).map(|(foot, &time)| foot.moved(self.shift(foot.sole, mean, time))).collect();
        let length = incoming.first().map_or(0.0, |pose| leg_positions(skeleton, leg, pose).length());
        Stepping { leg, goals, length }
    }

    /// Returns the world shift at `time` (seconds) of a foot with its sole at `sole`. `mean` is the mean position of
    /// the sole relative to the path. All are in the file's unit.
    fn shift(&self, sole: DVec3, mean: DVec3, time: f64) -> DVec3 {
        let from_mean = (self.relative(sole, time) - mean).with_y(0.0);
        self.offset(time) + self.cycle.part(self.share(time)).transform_vector3((self.scale - 1.0) * from_mean)
    }

    /// Moves the root of `pose`, the pose at `time` (seconds), to the scaled path.
    fn carry(&self, pose: &mut Pose, time: f64) {
        let Some(root) = self.input.root else { return };
        let parent = parent_at(self.input.skeleton, self.input.clip, root.joint, time);
        let offset = parent.matrix3.inverse() * self.offset(time);
        if offset.is_finite() && offset != DVec3::ZERO {
            let local = &mut pose.locals[root.joint].translation;
            *local = (local.as_dvec3() + offset).as_vec3();
        }
    }
}

#[cfg(test)]
mod tests;
