//! Clips that are looped though their end does not meet their beginning.
//!
//! What plays in a loop is not always a cycle: a clip that leads from one stance to another jumps where it starts again. Such a
//! seam is inertialised: after it the offset of the clip's end from its beginning fades out. A function of the clip's time; clips
//! that close are untouched, bit for bit.

use glam::{Quat, Vec3};

use super::layer::Layer;
use crate::anim::{Clip, Pose, Skeleton};
use crate::math::easing::Easing;
use crate::math::mean::angle_between;

/// Seconds in which the offset fades out, at most.
const LONGEST: f64 = 0.3;

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
    /// Radians.
    pub gap: f64,
    /// Seconds until the offset is gone.
    length: f64,
    offsets: Vec<SeamOffset>,
}

/// From the beginning of a clip to its end.
#[derive(Clone, Copy, Debug)]
struct SeamOffset {
    /// Rotation vector in the joint's own axes, radians.
    rotation: Vec3,
    translation: Vec3,
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
        Some(Self { joint, gap: gaps[joint], length, offsets: offsets(skeleton, &first, &last) })
    }

    /// Lays what is left of the offset over the clip as `layer` has it at `time`, unlooped seconds of a clip of `duration`.
    pub fn apply(&self, time: f64, duration: f64, layer: &mut Layer) {
        let since = time.rem_euclid(duration);
        // The first round begins as the clip does.
        if time < duration || since >= self.length {
            return;
        }
        let left = (1.0 - Easing::Smoother.at(since / self.length)) as f32;
        for (joint, offset) in self.offsets.iter().enumerate() {
            let mut local = layer.get(joint);
            local.rotation = (local.rotation * Quat::from_scaled_axis(offset.rotation * left)).normalize();
            local.translation += offset.translation * left;
            layer.set(joint, local);
        }
    }
}

fn offsets(skeleton: &Skeleton, first: &Pose, last: &Pose) -> Vec<SeamOffset> {
    let longest_bone = skeleton.joints.iter().map(|joint| joint.rest.translation.length()).fold(0.0, f32::max);
    let offset = |joint: usize| {
        let (from, to) = (first.locals[joint], last.locals[joint]);
        let rotation = from.rotation.conjugate() * to.rotation;
        let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
        let translation = to.translation - from.translation;
        let is_travel = translation.length() > LARGEST_SHIFT * longest_bone;
        SeamOffset {
            rotation: rotation.to_scaled_axis(),
            translation: if is_travel { Vec3::ZERO } else { translation },
        }
    };
    (0..skeleton.len()).map(offset).collect()
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
    fn a_cycle_and_one_that_lacks_its_last_frame_are_closed() {
        for whole in [0.0, std::f32::consts::TAU, std::f32::consts::TAU * 29.0 / 30.0] {
            let (skeleton, clip) = turning(whole);
            assert!(OpenSeam::find(&clip, &skeleton).is_none(), "{whole}");
        }
    }
}
