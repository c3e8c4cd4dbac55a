//! A stand for characters without a clip that stands still: one pose of their calmest clip, held.

use super::Input;
use super::in_place_clip::{ClipRole, InPlaceClip, RootCarrier};
use crate::anim::{Clip, Curve, JointTracks, Pose};
use crate::math::mean::angle_between;

/// Poses of a clip that are looked at.
const LOOKS: u32 = 32;

/// The pose nearest to rest of the clip that turns its joints the least in a second; `None` where no clip lasts.
pub(super) fn find(input: &Input, carrier: &RootCarrier) -> Option<InPlaceClip> {
    let body = input.body_joints();
    let apart = |a: &Pose, b: &Pose| -> f64 {
        body.iter().map(|&joint| angle_between(a.locals[joint].rotation, b.locals[joint].rotation)).sum()
    };
    let poses = |clip: &Clip| -> Vec<Pose> {
        let source = InPlaceClip::new(input, carrier, clip, ClipRole::Cycle);
        let pose = |look: u32| {
            let mut pose = Pose::default();
            source.sample(input.skeleton, carrier, clip.duration * f64::from(look) / f64::from(LOOKS), &mut pose);
            pose
        };
        (0..LOOKS).map(pose).collect()
    };
    let unrest = |clip: &Clip, poses: &[Pose]| {
        poses.windows(2).map(|pair| apart(&pair[0], &pair[1])).sum::<f64>() / clip.duration
    };
    let lasting = input.clips.iter().filter(|clip| clip.duration > 0.2);
    let looked = lasting.map(|clip| (clip, poses(clip)));
    let (calmest, poses) = looked.min_by(|a, b| unrest(a.0, &a.1).total_cmp(&unrest(b.0, &b.1)))?;
    let rest = Pose::rest(input.skeleton);
    let pose = poses.iter().min_by(|a, b| apart(a, &rest).total_cmp(&apart(b, &rest)))?;
    Some(InPlaceClip::new(input, carrier, &holding(pose, &calmest.name), ClipRole::Cycle))
}

/// A second of `pose`.
fn holding(pose: &Pose, name: &str) -> Clip {
    let tracks = pose.locals.iter().map(|local| JointTracks {
        translation: Some(Curve::linear(vec![0.0], vec![local.translation])),
        rotation: Some(Curve::linear(vec![0.0], vec![local.rotation])),
        scale: Some(Curve::linear(vec![0.0], vec![local.scale])),
        ..JointTracks::default()
    });
    Clip { name: name.to_owned(), duration: 1.0, tracks: tracks.collect() }
}
