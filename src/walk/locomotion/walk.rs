//! A recorded walk, sampled at any time.

use glam::DVec3;

use super::body::body_placement::BodyPlacement;
use super::clips::distance_curve::DistanceCurve;
use super::paths::smooth_path::SmoothPath;
use super::report::Report;
use portamento_anim::math::Transform;
use portamento_anim::math::mean::slerp;
use portamento_anim::{Pose, RootMotion};

/// A recorded walk of one character.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walk {
    /// Frames per second of the recording.
    pub fps: f64,
    /// Seconds from the first to the last frame.
    pub duration: f64,
    /// The joint that carries the character.
    pub root: Option<RootMotion>,
    /// The smoothed path.
    pub path: SmoothPath,
    /// Remaining distance of the stop clip over its time; empty without one.
    pub distance_curve: DistanceCurve,
    /// Chosen clips and measurements.
    pub report: Report,
    pub(super) poses: Vec<Pose>,
    pub(super) placements: Vec<BodyPlacement>,
}

impl Walk {
    /// Returns the ground-plane distance between the goal and the final stand, metres. `root` is the carrier joint's
    /// final world position in metres. Returns `None` if the path is empty.
    pub fn stop_error(&self, root: DVec3) -> Option<f64> {
        let goal = *self.path.points.last()?;
        Some((root - self.report.stop.standing_root - goal).with_y(0.0).length())
    }

    /// Samples the world pose at `time` (seconds, clamped). Does nothing if the walk has no poses.
    pub fn sample(&self, time: f64, pose: &mut Pose) {
        let last = self.poses.len().saturating_sub(1);
        let frame = (time * self.fps).clamp(0.0, last as f64);
        let (before, after) = (frame.floor() as usize, frame.ceil() as usize);
        let fraction = (frame - before as f64) as f32;
        let (Some(from), Some(to)) = (self.poses.get(before), self.poses.get(after)) else { return };
        pose.clone_from(from);
        mix_into(pose, to, fraction);
    }

    /// Returns the recorded poses, [`Walk::fps`] per second.
    pub fn frames(&self) -> &[Pose] {
        &self.poses
    }

    /// Returns the position and heading of the character at `time` (seconds, clamped).
    pub fn placement_at(&self, time: f64) -> BodyPlacement {
        let last = self.placements.len().saturating_sub(1);
        let frame = (time * self.fps).clamp(0.0, last as f64);
        let [before, after] =
            [frame.floor(), frame.ceil()].map(|i| self.placements.get(i as usize).copied().unwrap_or_default());
        let turned = portamento_anim::root_motion::wrap(after.heading - before.heading);
        BodyPlacement { at: before.at.lerp(after.at, frame.fract()), heading: before.heading + turned * frame.fract() }
    }
}

/// Blends `pose` towards `other`: 0 keeps it, 1 is `other`.
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
