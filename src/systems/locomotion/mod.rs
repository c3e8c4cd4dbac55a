//! A character walks a way with its own clips and stops on the mark.
//!
//! [`build`] rounds the path to a [`SmoothPath`], plans speed along it, plays gaits for that speed and slope in step with the ground,
//! turns on the spot where the way cannot be followed in a bend, enters the
//! stop clip where the distance left meets its [`DistanceCurve`] and drives it by distance (as distance matching does in Paragon,
//! Laurent Delayen, GDC 2016), leads the moving pose to the entry pose, and holds standing feet. All is recorded at a
//! regular rate, so that any time can be asked for.

mod braking;
mod clip_roles;
mod distance_curve;
mod error;
mod foot_lock;
mod foot_plants;
mod swing;
mod foot_yaw;
mod gait;
mod gait_clip;
mod gait_phase;
mod held_stand;
mod in_place_clip;
mod inertialization;
mod lean;
mod measure;
mod near_ground;
mod sole_tracks;
mod stance;
mod path;
mod plan;
mod pose_match;
mod recording;
mod report;
mod round;
mod segment;
mod settings;
mod slope_sets;
mod smooth_path;
mod speed_profile;
mod start_transition;
mod stepped_stop;
#[cfg(test)]
mod tests;
mod transition_clip;
mod turn_clip;
mod turn_in_place;
mod walk_recorder;

pub use braking::Braking;
pub use distance_curve::{DistanceCurve, Measure, Sign};
pub use error::{NotProposed, WalkError};
pub use gait_clip::GaitClip;
pub use path::WalkPath;
pub use report::{
    ClipSpan, EngineStop, FootDrift, FootFigure, FrameReport, GaitReport, Pop, Report, StopReport, TurnReport,
};
pub use settings::{ClipRoles, Settings};
pub use smooth_path::SmoothPath;
pub use stance::NoStance;

use glam::DVec3;
use speed_profile::SpeedProfile;

use crate::anim::{Clip, Leg, Pose, Roles, RootMotion, Skeleton};
use crate::math::Transform;
use crate::math::mean::slerp;
use crate::progress::Progress;

/// Height of the ground in metres under a place (metres) or a step above it; `None` where there is none.
pub type GroundHeight<'a> = &'a dyn Fn(DVec3) -> Option<f64>;

/// The character that walks: its rig, its clips and the unit they are in.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The joints that all clips of the character move.
    pub skeleton: &'a Skeleton,
    /// All its clips; roles are given to some of them.
    pub clips: &'a [Clip],
    /// Which joint is what.
    pub roles: &'a Roles,
    /// Length of the file's unit, metres.
    pub metres_per_unit: f64,
    /// The ground under body and feet; without it they follow the heights of the way.
    pub ground: Option<GroundHeight<'a>>,
}

/// A character on its way, at any time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walk {
    /// Frames a second of the recording.
    pub fps: f64,
    /// Seconds from the first to the last frame.
    pub duration: f64,
    /// The joint that carries the character.
    pub root: Option<RootMotion>,
    /// The rounded way.
    pub path: SmoothPath,
    /// How far the stop clip still goes, by its time; empty without one.
    pub distance_curve: DistanceCurve,
    /// What was chosen and measured.
    pub report: Report,
    poses: Vec<Pose>,
    /// Place and heading at each frame.
    places: Vec<(DVec3, f64)>,
}

impl Input<'_> {
    /// The legs whose joints exist.
    fn legs(&self) -> Vec<&Leg> {
        let count = self.skeleton.len();
        let whole = |leg: &&Leg| leg.thigh.max(leg.shin).max(leg.foot).max(leg.toe.unwrap_or(0)) < count;
        self.roles.legs.iter().filter(whole).collect()
    }

    /// The hips, what lies between them and the head and hands, and the legs: the joints that tell a pose.
    fn body_joints(&self) -> Vec<usize> {
        let legs = self.roles.legs.iter().map(|leg| leg.foot);
        let ends = self.roles.head.into_iter().chain(self.roles.hands.iter().copied()).chain(legs);
        let hips = self.roles.hips.unwrap_or(0);
        let inside = |joint: &usize| *joint < self.skeleton.len();
        let mut joints: Vec<usize> = ends.filter(inside).flat_map(|end| self.skeleton.ancestors(end)).collect();
        joints.retain(|&joint| hips < self.skeleton.len() && self.skeleton.is_within(joint, hips));
        joints.sort_unstable();
        joints.dedup();
        joints
    }
}

/// Walks `way`. Errors name what is missing or unusable; `progress` may cancel.
pub fn build(input: &Input, way: &WalkPath, settings: &Settings, progress: &Progress) -> Result<Walk, WalkError> {
    settings.check()?;
    way.check()?;
    if !(input.metres_per_unit > 0.0 && input.metres_per_unit.is_finite()) {
        let rule = "Use the length of the file's unit in metres.";
        return Err(WalkError::BadNumber { what: "The unit", value: input.metres_per_unit, rule });
    }
    walk_recorder::record(input, way, settings, progress)
}

impl Walk {
    /// The pose at `time` (seconds, clamped) in the world.
    pub fn sample(&self, time: f64, pose: &mut Pose) {
        let last = self.poses.len().saturating_sub(1);
        let place = (time * self.fps).clamp(0.0, last as f64);
        let (before, after) = (place.floor() as usize, place.ceil() as usize);
        let fraction = (place - before as f64) as f32;
        let (Some(from), Some(to)) = (self.poses.get(before), self.poses.get(after)) else { return };
        pose.clone_from(from);
        mix_into(pose, to, fraction);
    }

    /// The recorded frames, `fps` a second.
    pub fn frames(&self) -> &[Pose] {
        &self.poses
    }

    /// Where the character is and which way it goes at `time`: metres, and radians about +Y from +Z towards +X.
    pub fn place_at(&self, time: f64) -> (DVec3, f64) {
        let last = self.places.len().saturating_sub(1);
        let at = (time * self.fps).clamp(0.0, last as f64);
        let [before, after] = [at.floor(), at.ceil()].map(|i| self.places.get(i as usize).copied().unwrap_or_default());
        let turned = crate::anim::root_motion::wrap(after.1 - before.1);
        (before.0.lerp(after.0, at.fract()), before.1 + turned * at.fract())
    }
}

/// Brings `pose` the `fraction` (0…1) of the way to `other`.
fn mix_into(pose: &mut Pose, other: &Pose, fraction: f32) {
    if fraction <= 0.0 {
        return;
    }
    for (a, b) in pose.locals.iter_mut().zip(&other.locals) {
        *a = Transform {
            translation: a.translation.lerp(b.translation, fraction),
            rotation: slerp(a.rotation, b.rotation, fraction),
            scale: a.scale.lerp(b.scale, fraction),
        };
    }
    for (a, b) in pose.morphs.iter_mut().zip(&other.morphs) {
        *a += (b - *a) * fraction;
    }
}
