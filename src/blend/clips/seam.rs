//! Smooths the seam of looped clips whose end does not match their beginning.
//!
//! A looped clip is not always a cycle: one that leads from one stance to another jumps where it restarts. After such a seam the
//! motion of the clip's end continues and slows down, while the clip fades in over it ("dead blending", D. Holden 2023). An
//! offset added to the clip instead would show a quick beginning in full, at the wrong position. The result depends on clip time
//! only; clips that close are unchanged bit for bit.

use glam::{Quat, Vec3};

use super::layer::PoseLayer;
use super::mix::mix;
use crate::fades::transitions::decayed_distance;
use portamento_anim::math::Transform;
use portamento_anim::math::easing::Easing;
use portamento_anim::math::mean::{aligned, angle_between};
use portamento_anim::{Clip, Pose, Skeleton};

/// Longest fade-in of the clip after the seam, seconds. Tuned; no derivation recorded.
const MAX_FADE_SECONDS: f64 = 0.3;

/// Longest decay of the end's speed, seconds, and the largest angle in radians that it adds. Tuned; no derivation recorded.
const MAX_DECAY_SECONDS: f64 = 0.1;
const MAX_ADDED_RADIANS: f64 = 0.25;

/// A seam is open if a joint's gap exceeds both this angle (radians) and this multiple of its largest turn per frame. Tuned; no
/// derivation recorded.
const MIN_GAP_RADIANS: f64 = 0.17;
const MIN_GAP_PER_FRAME_TURN: f64 = 2.0;

/// A larger translation gap, as a fraction of the longest bone, is root travel, which is handled by the root trajectory. Tuned;
/// no derivation recorded.
const MAX_SHIFT_BONE_FRACTION: f32 = 0.5;

/// The seam of a loop that does not close.
#[derive(Clone, Debug)]
pub(crate) struct OpenSeam {
    /// The joint with the widest gap.
    pub joint: usize,
    /// Radians between the joint's last and first rotation.
    pub gap: f64,
    /// Seconds until the clip has fully faded in.
    length: f64,
    ends: Vec<JointEnd>,
}

/// State of one joint at the end of the clip.
#[derive(Clone, Copy, Debug)]
struct JointEnd {
    /// First rotation of the clip. The fade follows the arc on its side.
    first: Quat,
    last: Quat,
    /// Rotation vector per second at the end, in the joint's local axes.
    speed: Vec3,
    /// Decay time of the speed, seconds.
    decay_time: f64,
    /// Last translation of the clip; `None` if the joint travels.
    translation: Option<Vec3>,
}

impl OpenSeam {
    /// Returns the seam of `clip` on `skeleton`, or `None` if the clip closes or has fewer than two frames.
    pub fn find(clip: &Clip, skeleton: &Skeleton) -> Option<Self> {
        let fps = clip.fps();
        // A clip with fewer than two frames has no seam. The clamp bounds the work for a broken frame rate.
        let frames = (clip.duration * fps).round().clamp(0.0, 1e5) as u32;
        if frames < 2 {
            return None;
        }
        let pose = |frame: u32| clip.pose_at(skeleton, clip.duration * f64::from(frame) / f64::from(frames));
        let (first, last) = (pose(0), pose(frames));
        let turn = |a: &Pose, b: &Pose, joint: usize| angle_between(a.locals[joint].rotation, b.locals[joint].rotation);
        let gaps: Vec<f64> = (0..skeleton.len()).map(|joint| turn(&first, &last, joint)).collect();
        if gaps.iter().all(|&gap| gap < MIN_GAP_RADIANS) {
            return None;
        }
        let mut steps = vec![0.0_f64; skeleton.len()];
        let mut before = first.clone();
        for now in (1..=frames).map(pose) {
            steps.iter_mut().enumerate().for_each(|(joint, step)| *step = step.max(turn(&before, &now, joint)));
            before = now;
        }
        let is_open =
            |&joint: &usize| gaps[joint] >= MIN_GAP_RADIANS && gaps[joint] > MIN_GAP_PER_FRAME_TURN * steps[joint];
        let joint = (0..skeleton.len()).filter(is_open).max_by(|&a, &b| gaps[a].total_cmp(&gaps[b]))?;
        let length = MAX_FADE_SECONDS.min(0.5 * clip.duration);
        let step = clip.duration / f64::from(frames);
        let ends = ends(skeleton, &first, [&pose(frames - 1), &last], step);
        Some(Self { joint, gap: gaps[joint], length, ends })
    }

    /// True if the seam fades the translation of `joint`, which means that the joint does not travel.
    pub fn fades_translation(&self, joint: usize) -> bool {
        self.ends[joint].translation.is_some()
    }

    /// Blends the remaining motion of the clip's end into `layer`, the clip's pose at unlooped clip time `time`. `duration`
    /// is the clip's length, seconds. The first cycle is unchanged.
    pub fn apply(&self, time: f64, duration: f64, layer: &mut PoseLayer) {
        let since = time.rem_euclid(duration);
        // The first cycle starts like the clip.
        if time < duration || since >= self.length {
            return;
        }
        let faded_in = Easing::Smoother.at(since / self.length) as f32;
        for (joint, end) in self.ends.iter().enumerate() {
            let now = layer.get(joint);
            layer.set(joint, end.faded(&now, since, faded_in));
        }
    }
}

impl JointEnd {
    /// Returns the local transform of the joint `since` seconds after the seam. `now` is the clip's local transform and
    /// `faded_in` its weight, 0…1.
    fn faded(&self, now: &Transform, since: f64, faded_in: f32) -> Transform {
        let added_rotation = self.speed * decayed_distance(since, self.decay_time) as f32;
        let end_pose = Transform {
            rotation: (self.last * Quat::from_scaled_axis(added_rotation)).normalize(),
            translation: self.translation.unwrap_or(now.translation),
            scale: now.scale,
        };
        // Stays on the side of the first pose; past half a turn the shortest arc would flip.
        let to = Transform { rotation: aligned(now.rotation, aligned(self.first, self.last)), ..*now };
        Transform {
            scale: now.scale,
            ..mix(&end_pose, &to, faded_in, Some(end_pose.rotation.conjugate() * to.rotation))
        }
    }
}

/// Returns the end state of each joint from the first pose and the last two, which are `step` seconds apart.
fn ends(skeleton: &Skeleton, first: &Pose, [before, last]: [&Pose; 2], step: f64) -> Vec<JointEnd> {
    let longest_bone = skeleton.joints.iter().map(|joint| joint.rest.translation.length()).fold(0.0, f32::max);
    let end = |joint: usize| {
        let [first, before, last] = [first, before, last].map(|pose| pose.locals[joint]);
        let turn = before.rotation.conjugate() * last.rotation;
        let speed = aligned(turn, Quat::IDENTITY).to_scaled_axis() / step as f32;
        // The decaying speed adds at most 16/81 × speed × decay time.
        let decay_time = 81.0 / 16.0 * MAX_ADDED_RADIANS / f64::from(speed.length());
        let is_travel = last.translation.distance(first.translation) > MAX_SHIFT_BONE_FRACTION * longest_bone;
        JointEnd {
            first: first.rotation,
            last: last.rotation,
            speed,
            decay_time: if decay_time < MAX_DECAY_SECONDS { decay_time } else { MAX_DECAY_SECONDS },
            translation: (!is_travel).then_some(last.translation),
        }
    };
    (0..skeleton.len()).map(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::{Curve, JointTracks};
    use portamento_test_support::skeleton_of;

    /// Returns a skeleton and a clip of 31 keys in which a joint turns by `angle` in one second.
    fn turning(angle: f32) -> (Skeleton, Clip) {
        let skeleton = skeleton_of(&[("root", None), ("arm", Some(0))]);
        let times: Vec<f32> = (0..=30).map(|key| key as f32 / 30.0).collect();
        let turns = times.iter().map(|time| Quat::from_rotation_x(time * angle)).collect();
        let arm = JointTracks { rotation: Some(Curve::linear(times, turns)), ..JointTracks::default() };
        let tracks = vec![JointTracks::default(), arm];
        (skeleton, Clip { name: "turn".into(), duration: 1.0, tracks })
    }

    #[test]
    fn an_open_seam_fades_out_without_a_jump_and_the_first_cycle_is_unchanged() {
        let (skeleton, clip) = turning(1.2);
        let seam = OpenSeam::find(&clip, &skeleton).unwrap();
        assert!(seam.joint == 1 && (seam.gap - 1.2).abs() < 1e-5, "{seam:?}");
        let bank = super::super::clip_bank::ClipBank::new(&skeleton);
        let shown = |time: f64| {
            let mut layer = bank.rest_layer();
            let plain = clip.pose_at(&skeleton, time.rem_euclid(1.0)).locals;
            plain.iter().enumerate().for_each(|(joint, &local)| layer.set(joint, local));
            seam.apply(time, 1.0, &mut layer);
            (layer.get(1).rotation, plain[1].rotation)
        };
        assert!(angle_between(shown(1.0 - 1e-6).0, shown(1.0).0) < 1e-4);
        for i in 0..900 {
            let time = f64::from(i) / 300.0;
            let turned = angle_between(shown(time).0, shown(time + 1.0 / 300.0).0);
            assert!(turned < 0.03 || i == 299, "{turned} at {time}");
            let (smoothed, plain) = shown(time);
            assert_eq!(smoothed == plain, time < 1.0 || time.rem_euclid(1.0) >= 0.3 - 1e-9, "{time}");
        }
    }

    #[test]
    fn a_quick_beginning_is_not_seen_in_full_while_the_end_fades() {
        let (skeleton, mut clip) = turning(0.0);
        // At rest, 0.3 rad in the second frame, then slowly to an end 1 rad away.
        let angle = |key: usize| if key < 2 { 0.0 } else { 0.3 + 0.7 * (key - 2) as f32 / 28.0 };
        let turns = (0..=30).map(|key| Quat::from_rotation_x(angle(key))).collect();
        let times = (0..=30).map(|key| key as f32 / 30.0).collect();
        clip.tracks[1].rotation = Some(Curve::linear(times, turns));
        let seam = OpenSeam::find(&clip, &skeleton).unwrap();
        let bank = super::super::clip_bank::ClipBank::new(&skeleton);
        let shown = |frame: u32| {
            let (mut layer, time) = (bank.rest_layer(), f64::from(frame) / 30.0);
            let plain = clip.pose_at(&skeleton, time.rem_euclid(1.0)).locals;
            plain.iter().enumerate().for_each(|(joint, &local)| layer.set(joint, local));
            seam.apply(time, 1.0, &mut layer);
            layer.get(1).rotation
        };
        let largest = (30..50).map(|frame| angle_between(shown(frame), shown(frame + 1))).fold(0.0, f64::max);
        assert!(largest < 0.2, "{largest}");
    }

    #[test]
    fn a_cycle_and_one_that_lacks_its_last_frame_are_closed() {
        for angle in [0.0, std::f32::consts::TAU, std::f32::consts::TAU * 29.0 / 30.0] {
            let (skeleton, clip) = turning(angle);
            assert!(OpenSeam::find(&clip, &skeleton).is_none(), "{angle}");
        }
    }
}
