//! A recorded walk, asked for at any time.

use glam::DVec3;

use super::body_place::BodyPlace;
use super::distance_curve::DistanceCurve;
use super::report::Report;
use super::smooth_path::SmoothPath;
use crate::anim::{Pose, RootMotion};
use crate::math::Transform;
use crate::math::mean::slerp;

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
    pub(super) poses: Vec<Pose>,
    pub(super) places: Vec<BodyPlace>,
}

impl Walk {
    /// Metres along the ground between the goal and where the character stands whose carrying joint ends at `root` (world, metres).
    pub fn stop_error(&self, root: DVec3) -> Option<f64> {
        let goal = *self.path.points.last()?;
        Some((root - self.report.stop.standing_root - goal).with_y(0.0).length())
    }

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

    /// Where the character is and which way it goes at `time`.
    pub fn place_at(&self, time: f64) -> BodyPlace {
        let last = self.places.len().saturating_sub(1);
        let at = (time * self.fps).clamp(0.0, last as f64);
        let [before, after] = [at.floor(), at.ceil()].map(|i| self.places.get(i as usize).copied().unwrap_or_default());
        let turned = crate::anim::root_motion::wrap(after.heading - before.heading);
        BodyPlace { at: before.at.lerp(after.at, at.fract()), heading: before.heading + turned * at.fract() }
    }
}

/// Brings `pose` the `fraction` (0…1) of the way to `other`.
pub(super) fn mix_into(pose: &mut Pose, other: &Pose, fraction: f32) {
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
