//! Where in a clip a motion is entered best: the frame nearest to it in pose and velocity (as motion matching compares them).

use glam::{DQuat, DVec3};

use super::root_motion::yaw_of;
use crate::anim::root_motion::rest_at;
use crate::anim::{Clip, Pose, Skeleton};

/// A motion at the moment at which a clip shall be entered.
#[derive(Clone, Copy, Debug)]
pub struct PoseSearch<'a> {
    /// The skeleton of both.
    pub skeleton: &'a Skeleton,
    /// The motion that comes in.
    pub motion: &'a Clip,
    /// When the clip is entered, seconds of the motion.
    pub time: f64,
    /// The joint from which places and heading are seen.
    pub hips: usize,
    /// Metres per unit of the clips.
    pub metres_per_unit: f64,
}

/// A frame at which a clip may be entered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Seconds of the clip.
    pub time: f64,
    /// Metres that joints are off on average, as the hips see them.
    pub distance: f64,
}

/// Seconds over which velocities are measured: about a frame, so that fast swings are told from slow ones.
const SPAN: f64 = 1.0 / 30.0;
/// Seconds by which a difference of velocity counts as one of place.
const VELOCITY: f64 = 0.1;
/// Frames a second that are looked at.
const RATE: f64 = 60.0;

impl PoseSearch<'_> {
    /// The frame of `clip` nearest to the motion; the first of equals, the start of a clip without length.
    pub fn entry(&self, clip: &Clip) -> Entry {
        let wanted = self.moving(self.motion, self.time);
        let last = (clip.duration.max(0.0) * RATE + 1e-6).floor() as usize;
        let entry = |frame: usize| {
            let time = frame as f64 / RATE;
            let found = self.moving(clip, time);
            let rms = |of: &dyn Fn(&Moving, usize) -> DVec3| {
                let count = wanted.places.len().max(1) as f64;
                let squares =
                    (0..wanted.places.len()).map(|joint| of(&found, joint).distance_squared(of(&wanted, joint)));
                (squares.sum::<f64>() / count).sqrt() * self.metres_per_unit
            };
            let distance = rms(&|moving, joint| moving.places[joint]);
            let faster = rms(&|moving, joint| moving.velocities[joint]);
            (distance.hypot(VELOCITY * faster), Entry { time, distance })
        };
        let nearer = |best: (f64, Entry), next: (f64, Entry)| if next.0 < best.0 { next } else { best };
        (1..=last).map(entry).fold(entry(0), nearer).1
    }

    fn moving(&self, clip: &Clip, time: f64) -> Moving {
        // At the start of a clip its velocity is that of its first frames.
        let (before, now) = if time >= SPAN { (time - SPAN, time) } else { (time, time + SPAN) };
        let [from, to, places] = [before, now, time].map(|time| self.places(&clip.pose_at(self.skeleton, time)));
        let velocities = from.iter().zip(&to).map(|(from, to)| (*to - *from) / SPAN).collect();
        Moving { places, velocities }
    }

    /// Where the joints are, seen from the ground under the hips in the direction that they face.
    fn places(&self, pose: &Pose) -> Vec<DVec3> {
        let mut world = Vec::new();
        pose.world_from_joints(self.skeleton, &mut world);
        let hips = pose.world_from_joint(self.skeleton, self.hips);
        let turn = DQuat::from_rotation_y(-yaw_of(&hips, &rest_at(self.skeleton, self.hips)));
        let ground = hips.translation.with_y(0.0);
        world.iter().map(|joint| turn * (joint.translation.as_dvec3() - ground)).collect()
    }
}

/// Places of all joints and how fast they move, units and units a second.
struct Moving {
    places: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use crate::anim::{Curve, JointTracks};

    fn skeleton() -> Skeleton {
        let mut skeleton = skeleton_of(&[("hips", None), ("thigh", Some(0)), ("foot", Some(1))]);
        skeleton.joints[2].rest.translation = Vec3::NEG_Y;
        skeleton
    }

    /// A leg that swings to and fro once in `duration` seconds, from a phase on, on hips that are turned and elsewhere.
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
    fn the_same_moment_of_another_clip_is_found_wherever_the_character_stands() {
        let (skeleton, motion) = (skeleton(), swing(1.0, 0.0, 0.7));
        for time in [0.1, 0.3, 0.55, 0.8] {
            let search = PoseSearch { skeleton: &skeleton, motion: &motion, time, hips: 0, metres_per_unit: 1.0 };
            let found = search.entry(&swing(1.0, 0.25, -1.9));
            // Forwards and backwards pass the same poses; the velocity tells which is meant.
            let wanted = (time - 0.25_f64).rem_euclid(1.0);
            assert!((found.time - wanted).abs() <= 0.5 / RATE + 1e-6, "{time}: {found:?}, not {wanted}");
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
