//! Clips that are looped though their end does not meet their beginning.
//!
//! What plays in a loop is not always a cycle: a clip that leads from one stance to another jumps where it starts again. After such
//! a seam the clip's end goes on, slowing down, and the clip fades in over it ("dead blending", D. Holden 2023). Laid over the clip
//! as an offset, the end would show a quick beginning in full and in the wrong place. A function of the clip's time; clips that close
//! are untouched, bit for bit.

use glam::{Quat, Vec3};

use super::layer::PoseLayer;
use super::mix::mix;
use super::transitions::decayed_distance;
use crate::anim::{Clip, Pose, Skeleton};
use crate::math::Transform;
use crate::math::easing::Easing;
use crate::math::mean::{aligned, angle_between};

/// Seconds in which the clip fades in again, at most.
const LONGEST: f64 = 0.3;

/// Seconds in which the speed of the clip's end decays, at most, and radians by which it may carry a joint on.
const LONGEST_DECAY: f64 = 0.1;
const LARGEST_TURN: f64 = 0.25;

/// Radians by which a joint must turn at the seam to be open, and how many times its largest turn in a frame of the clip.
const LEAST_GAP: f64 = 0.17;
const LEAST_RATIO: f64 = 2.0;

/// Larger jumps of a joint, as parts of the longest bone, are travel of the root, which goes on over the seam elsewhere.
const LARGEST_SHIFT: f32 = 0.5;

/// A loop that does not close.
#[derive(Clone, Debug)]
pub(super) struct OpenSeam {
    /// The joint with the widest gap.
    pub joint: usize,
    /// Radians between the joint's last and first rotation.
    pub gap: f64,
    /// Seconds until the clip has faded in.
    length: f64,
    ends: Vec<JointEnd>,
}

/// How a clip leaves one joint.
#[derive(Clone, Copy, Debug)]
struct JointEnd {
    /// Where it begins again, which says on what side the fade goes.
    first: Quat,
    last: Quat,
    /// Rotation vector a second at the end, in the joint's own axes.
    speed: Vec3,
    /// Seconds in which that decays.
    decay_time: f64,
    /// The last translation; `None` where the joint travels, so that its way goes on over the seam elsewhere.
    translation: Option<Vec3>,
}

impl OpenSeam {
    /// The seam of `clip`, which was made for `skeleton`; `None` where it closes.
    pub fn find(clip: &Clip, skeleton: &Skeleton) -> Option<Self> {
        let fps = clip.fps();
        // A pose has no seam; a broken rate would take for ever.
        let frames = (clip.duration * fps).round().clamp(0.0, 1e5) as u32;
        if frames < 2 {
            return None;
        }
        let pose = |frame: u32| clip.pose_at(skeleton, clip.duration * f64::from(frame) / f64::from(frames));
        let (first, last) = (pose(0), pose(frames));
        let turn = |a: &Pose, b: &Pose, joint: usize| angle_between(a.locals[joint].rotation, b.locals[joint].rotation);
        let gaps: Vec<f64> = (0..skeleton.len()).map(|joint| turn(&first, &last, joint)).collect();
        if gaps.iter().all(|&gap| gap < LEAST_GAP) {
            return None;
        }
        let mut steps = vec![0.0_f64; skeleton.len()];
        let mut before = first.clone();
        for now in (1..=frames).map(pose) {
            steps.iter_mut().enumerate().for_each(|(joint, step)| *step = step.max(turn(&before, &now, joint)));
            before = now;
        }
        let is_open = |&joint: &usize| gaps[joint] >= LEAST_GAP && gaps[joint] > LEAST_RATIO * steps[joint];
        let joint = (0..skeleton.len()).filter(is_open).max_by(|&a, &b| gaps[a].total_cmp(&gaps[b]))?;
        let length = LONGEST.min(0.5 * clip.duration);
        let step = clip.duration / f64::from(frames);
        let ends = ends(skeleton, &first, [&pose(frames - 1), &last], step);
        Some(Self { joint, gap: gaps[joint], length, ends })
    }

    /// Whether the seam brings back the place of `joint`, which so does not travel.
    pub fn holds(&self, joint: usize) -> bool {
        self.ends[joint].translation.is_some()
    }

    /// Lays what is left of the clip's end over the clip as `layer` has it at `time`, unlooped seconds of a clip of `duration`.
    pub fn apply(&self, time: f64, duration: f64, layer: &mut PoseLayer) {
        let since = time.rem_euclid(duration);
        // The first round begins as the clip does.
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
    /// The joint `since` seconds after the seam, where the clip has it at `now` and has faded in so far.
    fn faded(&self, now: &Transform, since: f64, faded_in: f32) -> Transform {
        let carried = self.speed * decayed_distance(since, self.decay_time) as f32;
        let held = Transform {
            rotation: (self.last * Quat::from_scaled_axis(carried)).normalize(),
            translation: self.translation.unwrap_or(now.translation),
            scale: now.scale,
        };
        // On the side of the first pose all along: past half a turn the shortest way would flip.
        let to = Transform { rotation: aligned(now.rotation, aligned(self.first, self.last)), ..*now };
        Transform { scale: now.scale, ..mix(&held, &to, faded_in, Some(held.rotation.conjugate() * to.rotation)) }
    }
}

/// The ends of all joints, from the first pose and the last two, `step` seconds apart.
fn ends(skeleton: &Skeleton, first: &Pose, [before, last]: [&Pose; 2], step: f64) -> Vec<JointEnd> {
    let longest_bone = skeleton.joints.iter().map(|joint| joint.rest.translation.length()).fold(0.0, f32::max);
    let end = |joint: usize| {
        let [first, before, last] = [first, before, last].map(|pose| pose.locals[joint]);
        let turn = before.rotation.conjugate() * last.rotation;
        let speed = aligned(turn, Quat::IDENTITY).to_scaled_axis() / step as f32;
        // The decaying speed adds at most 16/81 of speed × time.
        let longest = 81.0 / 16.0 * LARGEST_TURN / f64::from(speed.length());
        let is_travel = last.translation.distance(first.translation) > LARGEST_SHIFT * longest_bone;
        JointEnd {
            first: first.rotation,
            last: last.rotation,
            speed,
            decay_time: if longest < LONGEST_DECAY { longest } else { LONGEST_DECAY },
            translation: (!is_travel).then_some(last.translation),
        }
    };
    (0..skeleton.len()).map(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use crate::anim::{Curve, JointTracks};

    /// A joint that turns by `whole` in a second, with 31 keys.
    fn turning(whole: f32) -> (Skeleton, Clip) {
        let skeleton = skeleton_of(&[("root", None), ("arm", Some(0))]);
        let times: Vec<f32> = (0..=30).map(|key| key as f32 / 30.0).collect();
        let turns = times.iter().map(|time| Quat::from_rotation_x(time * whole)).collect();
        let arm = JointTracks { rotation: Some(Curve::linear(times, turns)), ..JointTracks::default() };
        let tracks = vec![JointTracks::default(), arm];
        (skeleton, Clip { name: "turn".into(), duration: 1.0, tracks })
    }

    #[test]
    fn an_open_seam_fades_out_without_a_jump_and_the_first_round_is_untouched() {
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
        // At rest, 0.3 rad in the second frame, and slowly on to where the clip ends a radian off.
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
        for whole in [0.0, std::f32::consts::TAU, std::f32::consts::TAU * 29.0 / 30.0] {
            let (skeleton, clip) = turning(whole);
            assert!(OpenSeam::find(&clip, &skeleton).is_none(), "{whole}");
        }
    }
}
