//! Substitute stand for characters without an idle clip: one frozen pose of their calmest clip.

use super::in_place_clip::{ClipRole, InPlaceClip, RootCarrier};
use crate::locomotion::Input;
use portamento_anim::math::mean::angle_between;
use portamento_anim::{Clip, Curve, JointTracks, Pose};

/// Poses sampled per clip.
const POSES_PER_CLIP: u32 = 32;

/// Returns a clip that freezes one pose, or `None` if every clip is too short. It takes the clip with the least joint
/// rotation per second, and from it the pose nearest to the rest pose.
pub(crate) fn find(input: &Input, carrier: &RootCarrier) -> Option<InPlaceClip> {
    let body = input.body_joints();
    let apart = |a: &Pose, b: &Pose| -> f64 {
        body.iter().map(|&joint| angle_between(a.locals[joint].rotation, b.locals[joint].rotation)).sum()
    };
    let poses = |clip: &Clip| -> Vec<Pose> {
        let source = InPlaceClip::new(input, carrier, clip, ClipRole::Cycle);
        let pose = |index: u32| {
            let mut pose = Pose::default();
            source.sample(
                input.skeleton,
                carrier,
                clip.duration * f64::from(index) / f64::from(POSES_PER_CLIP),
                &mut pose,
            );
            pose
        };
        (0..POSES_PER_CLIP).map(pose).collect()
    };
    let unrest = |clip: &Clip, poses: &[Pose]| {
        poses.windows(2).map(|pair| apart(&pair[0], &pair[1])).sum::<f64>() / clip.duration
    };
    let lasting = input.clips.iter().filter(|clip| clip.duration > 0.2);
    let sampled = lasting.map(|clip| (clip, poses(clip)));
    let (calmest, poses) = sampled.min_by(|a, b| unrest(a.0, &a.1).total_cmp(&unrest(b.0, &b.1)))?;
    let rest = Pose::rest(input.skeleton);
    let pose = poses.iter().min_by(|a, b| apart(a, &rest).total_cmp(&apart(b, &rest)))?;
    Some(InPlaceClip::new(input, carrier, &frozen(pose, &calmest.name), ClipRole::Cycle))
}

/// Returns a clip of one second that holds `pose`.
fn frozen(pose: &Pose, name: &str) -> Clip {
    let tracks = pose.locals.iter().map(|local| JointTracks {
        translation: Some(Curve::linear(vec![0.0], vec![local.translation])),
        rotation: Some(Curve::linear(vec![0.0], vec![local.rotation])),
        scale: Some(Curve::linear(vec![0.0], vec![local.scale])),
        ..JointTracks::default()
    });
    Clip { name: name.to_owned(), duration: 1.0, tracks: tracks.collect() }
}
