//! Conversion of a recorded walk to a clip.

use glam::Quat;

use crate::document::Loaded;
use portamento_anim::math::Transform;
use portamento_anim::math::mean::aligned;
use portamento_anim::resample::frame_times;
use portamento_anim::{Clip, Curve, JointTracks, Pose, Skeleton};
use portamento_walk::locomotion::Walk;

/// Returns every recorded frame of `walk` as linear keys of a clip called `name`.
pub(super) fn clip(walk: &Walk, name: &str, character: &Loaded) -> Clip {
    let skeleton = &character.model.skeleton;
    let times: Vec<f32> = frame_times(walk.duration, walk.fps).into_iter().map(|time| time as f32).collect();
    let mut pose = Pose::rest(skeleton);
    let mut rows: Vec<Pose> = Vec::with_capacity(times.len());
    for &time in &times {
        walk.sample(f64::from(time), &mut pose);
        rows.push(pose.clone());
    }
    let tracks = (0..skeleton.len()).map(|joint| joint_tracks(character, joint, &rows, &times)).collect();
    Clip { name: name.into(), duration: walk.duration, tracks }
}

/// Returns the curves of a joint that change over the rows. Curves that other clips of the character animate get keys too, so
/// that no pose of a preceding clip remains.
fn joint_tracks(character: &Loaded, joint: usize, rows: &[Pose], times: &[f32]) -> JointTracks {
    let skeleton = &character.model.skeleton;
    let rest = skeleton.joints[joint].rest;
    let known = |has: fn(&JointTracks) -> bool| character.model.clips.iter().any(|clip| has(&clip.tracks[joint]));
    let moves = |moved: &dyn Fn(&Transform) -> bool| rows.iter().any(|row| moved(&row.locals[joint]));
    let column = |part: fn(&Transform) -> glam::Vec3| {
        Curve::linear(times.to_vec(), rows.iter().map(|row| part(&row.locals[joint])).collect())
    };
    let turns = moves(&|local| local.rotation != rest.rotation) || known(|tracks| tracks.rotation.is_some());
    let shifts = moves(&|local| local.translation != rest.translation) || known(|tracks| tracks.translation.is_some());
    let scales = moves(&|local| local.scale != rest.scale) || known(|tracks| tracks.scale.is_some());
    JointTracks {
        rotation: turns.then(|| rotations(joint, rows, times)),
        translation: shifts.then(|| column(|local| local.translation)),
        scale: scales.then(|| column(|local| local.scale)),
        morphs: morphs(rows, skeleton, joint, times),
        ..JointTracks::default()
    }
}

/// Returns the rotations of a joint over the rows.
fn rotations(joint: usize, rows: &[Pose], times: &[f32]) -> Curve<Quat> {
    let mut turns: Vec<Quat> = Vec::with_capacity(rows.len());
    for turn in rows.iter().map(|row| row.locals[joint].rotation) {
        // Players disagree on the direction of rotation between quaternion keys of opposite sign.
        turns.push(aligned(turn, turns.last().copied().unwrap_or(turn)));
    }
    Curve::linear(times.to_vec(), turns)
}

/// Returns the morph weights of a joint over the rows; `None` if all equal the rest pose.
fn morphs(rows: &[Pose], skeleton: &Skeleton, joint: usize, times: &[f32]) -> Option<Curve<f32>> {
    let joint = &skeleton.joints[joint];
    let weights = joint.first_morph..joint.first_morph + joint.morph_count;
    let rest = Pose::rest(skeleton);
    let moves = rows.iter().any(|row| row.morphs[weights.clone()] != rest.morphs[weights.clone()]);
    let values = || rows.iter().flat_map(|row| row.morphs[weights.clone()].iter().copied()).collect();
    moves.then(|| Curve::linear(times.to_vec(), values()))
}
