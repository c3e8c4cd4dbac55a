//! Searches the best entry frame of a clip: the one nearest to a motion in pose and velocity (as in motion matching).

use glam::{DQuat, DVec3};

use crate::root::root_motion::yaw_of;
use portamento_anim::root_motion::rest_at;
use portamento_anim::{Clip, Pose, Skeleton};

/// A motion and the time at which another clip starts.
#[derive(Clone, Copy, Debug)]
pub struct PoseSearch<'a> {
    /// Skeleton of the motion and the clip.
    pub skeleton: &'a Skeleton,
    /// The incoming motion.
    pub motion: &'a Clip,
    /// Time at which the clip starts, seconds of the motion.
    pub time: f64,
    /// Joint that defines the reference frame of positions and heading.
    pub hips: usize,
    /// Metres per unit of the clips.
    pub metres_per_unit: f64,
}

/// An entry frame of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Clip time, seconds.
    pub time: f64,
    /// Root mean square distance of the joint positions in metres, in the frame of the hips. Velocities, which also decide
    /// the search, do not count.
    pub distance: f64,
}

/// Seconds over which velocities are measured: about one frame, short enough to separate fast swings from slow ones.
const VELOCITY_SPAN_SECONDS: f64 = 1.0 / 30.0;
/// Weight of a velocity difference against a position difference, in seconds. Tuned; no derivation recorded.
const VELOCITY_WEIGHT_SECONDS: f64 = 0.1;
/// Search resolution, frames per second.
const FRAMES_PER_SECOND: f64 = 60.0;

impl PoseSearch<'_> {
    /// Returns the frame of `clip` whose joint positions and velocities are nearest to those of the motion. Frames are
    /// searched at 60 per second. The first of equal frames wins.
    pub fn entry(&self, clip: &Clip) -> Entry {
        let target = self.pose_and_velocity(self.motion, self.time);
        let last = (clip.duration.max(0.0) * FRAMES_PER_SECOND + 1e-6).floor() as usize;
        let entry = |frame: usize| {
            let time = frame as f64 / FRAMES_PER_SECOND;
            let candidate = self.pose_and_velocity(clip, time);
            let rms = |vectors: &dyn Fn(&PoseAndVelocity, usize) -> DVec3| {
                let count = target.positions.len().max(1) as f64;
                let squares = (0..target.positions.len())
                    .map(|joint| vectors(&candidate, joint).distance_squared(vectors(&target, joint)));
                (squares.sum::<f64>() / count).sqrt() * self.metres_per_unit
            };
            let distance = rms(&|pose_and_velocity, joint| pose_and_velocity.positions[joint]);
            let velocity_distance = rms(&|pose_and_velocity, joint| pose_and_velocity.velocities[joint]);
            (distance.hypot(VELOCITY_WEIGHT_SECONDS * velocity_distance), Entry { time, distance })
        };
        let nearer = |best: (f64, Entry), next: (f64, Entry)| if next.0 < best.0 { next } else { best };
        (1..=last).map(entry).fold(entry(0), nearer).1
    }

    /// Returns the joint positions and velocities at `time`. `time` is in seconds of `clip`.
    fn pose_and_velocity(&self, clip: &Clip, time: f64) -> PoseAndVelocity {
        // At the start of a clip the velocity is taken from its first frames.
        let (before, now) = if time >= VELOCITY_SPAN_SECONDS {
            (time - VELOCITY_SPAN_SECONDS, time)
        } else {
            (time, time + VELOCITY_SPAN_SECONDS)
        };
        let [from, to, positions] = [before, now, time].map(|time| self.positions(&clip.pose_at(self.skeleton, time)));
        let velocities = from.iter().zip(&to).map(|(from, to)| (*to - *from) / VELOCITY_SPAN_SECONDS).collect();
        PoseAndVelocity { positions, velocities }
    }

    /// Returns the joint positions relative to the ground under the hips, in the direction that the hips face, in the unit of
    /// the clips.
    fn positions(&self, pose: &Pose) -> Vec<DVec3> {
        let mut world = Vec::new();
        pose.world_from_joints(self.skeleton, &mut world);
        let hips = pose.world_from_joint(self.skeleton, self.hips);
        let turn = DQuat::from_rotation_y(-yaw_of(&hips, &rest_at(self.skeleton, self.hips)));
        let ground = hips.translation.with_y(0.0);
        world.iter().map(|joint| turn * (joint.translation.as_dvec3() - ground)).collect()
    }
}

/// Joint positions and velocities, in units and units per second.
struct PoseAndVelocity {
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use portamento_anim::{Curve, JointTracks};
    use portamento_test_support::skeleton_of;

    fn skeleton() -> Skeleton {
        let mut skeleton = skeleton_of(&[("hips", None), ("thigh", Some(0)), ("foot", Some(1))]);
        skeleton.joints[2].rest.translation = Vec3::NEG_Y;
        skeleton
    }

    /// Returns a clip of a swinging leg with a period of `duration` seconds and a phase offset. The hips are turned and
    /// displaced.
    fn swing(duration: f64, phase: f32, turned: f32) -> Clip {
        let count = 60;
        let times: Vec<f32> = (0..=count).map(|i| i as f32 / count as f32 * duration as f32).collect();
        let angle = |i: i32| 0.6 * (std::f32::consts::TAU * (i as f32 / count as f32 + phase)).sin();
        let mut tracks = vec![JointTracks::default(); 3];
        tracks[1].rotation = Some(Curve::linear(times, (0..=count).map(|i| Quat::from_rotation_x(angle(i))).collect()));
        tracks[0].rotation = Some(Curve::linear(vec![0.0], vec![Quat::from_rotation_y(turned)]));
        tracks[0].translation = Some(Curve::linear(vec![0.0], vec![Vec3::new(9.0 * turned, 1.0, 2.0)]));
        Clip { name: "swing".into(), duration, tracks }
    }

    #[test]
    fn the_same_phase_of_another_clip_is_found_at_any_position_and_heading() {
        let (skeleton, motion) = (skeleton(), swing(1.0, 0.0, 0.7));
        for time in [0.1, 0.3, 0.55, 0.8] {
            let search = PoseSearch { skeleton: &skeleton, motion: &motion, time, hips: 0, metres_per_unit: 1.0 };
            let found = search.entry(&swing(1.0, 0.25, -1.9));
            // Each pose occurs both in the forward and the backward swing; the velocity decides between them.
            let wanted = (time - 0.25_f64).rem_euclid(1.0);
            assert!((found.time - wanted).abs() <= 0.5 / FRAMES_PER_SECOND + 1e-6, "{time}: {found:?}, not {wanted}");
            assert!(found.distance < 0.03, "{found:?}");
        }
    }

    #[test]
    fn a_clip_without_length_is_entered_at_its_start() {
        let (skeleton, motion) = (skeleton(), swing(1.0, 0.0, 0.0));
        let search = PoseSearch { skeleton: &skeleton, motion: &motion, time: 0.5, hips: 0, metres_per_unit: 1.0 };
        let pose = Clip { name: "pose".into(), duration: 0.0, tracks: vec![JointTracks::default(); 3] };
        assert_eq!(search.entry(&pose).time, 0.0);
    }
}
