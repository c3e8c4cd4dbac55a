//! The recorded frames of a walk as a clip.

use crate::anim::{Clip, Curve, JointTracks, Pose, Skeleton};
use crate::document::Loaded;
use crate::evaluate::bake;
use crate::math::Transform;
use crate::math::mean::aligned;
use crate::systems::pathing::walk::Walk;

/// Every recorded frame of `walk` as linear keys.
pub(super) fn clip(walk: &Walk, name: &str, character: &Loaded) -> Clip {
    let skeleton = &character.model.skeleton;
    let times: Vec<f32> = bake::frame_times(walk.duration, walk.fps).into_iter().map(|time| time as f32).collect();
    let mut pose = Pose::rest(skeleton);
    let mut tracks: Vec<JointTracks> = vec![JointTracks::default(); skeleton.len()];
    let mut rows: Vec<Pose> = Vec::with_capacity(times.len());
    for &time in &times {
        walk.sample(f64::from(time), &mut pose);
        rows.push(pose.clone());
    }
    for (joint, tracks) in tracks.iter_mut().enumerate() {
        let rest = skeleton.joints[joint].rest;
        // What other clips move has keys here too, so that none of their poses is left over where one follows the other.
        let known = |has: fn(&JointTracks) -> bool| character.model.clips.iter().any(|clip| has(&clip.tracks[joint]));
        let moves = |moved: &dyn Fn(&Transform) -> bool| rows.iter().any(|row| moved(&row.locals[joint]));
        if moves(&|local| local.rotation != rest.rotation) || known(|tracks| tracks.rotation.is_some()) {
            let mut turns: Vec<glam::Quat> = Vec::with_capacity(rows.len());
            for turn in rows.iter().map(|row| row.locals[joint].rotation) {
                // Players differ in which way round they turn between keys of opposite signs.
                turns.push(aligned(turn, turns.last().copied().unwrap_or(turn)));
            }
            tracks.rotation = Some(Curve::linear(times.clone(), turns));
        }
        let column = |part: fn(&Transform) -> glam::Vec3| {
            Some(Curve::linear(times.clone(), rows.iter().map(|row| part(&row.locals[joint])).collect()))
        };
        if moves(&|local| local.translation != rest.translation) || known(|tracks| tracks.translation.is_some()) {
            tracks.translation = column(|local| local.translation);
        }
        if moves(&|local| local.scale != rest.scale) || known(|tracks| tracks.scale.is_some()) {
            tracks.scale = column(|local| local.scale);
        }
        tracks.morphs = morphs(&rows, skeleton, joint, &times);
    }
    Clip { name: name.into(), duration: walk.duration, tracks }
}

/// The morph weights of a joint over the rows, where any of them leaves the rest.
fn morphs(rows: &[Pose], skeleton: &Skeleton, joint: usize, times: &[f32]) -> Option<Curve<f32>> {
    let joint = &skeleton.joints[joint];
    let weights = joint.first_morph..joint.first_morph + joint.morph_count;
    let rest = Pose::rest(skeleton);
    let moves = rows.iter().any(|row| row.morphs[weights.clone()] != rest.morphs[weights.clone()]);
    let values = || rows.iter().flat_map(|row| row.morphs[weights.clone()].iter().copied()).collect();
    moves.then(|| Curve::linear(times.to_vec(), values()))
}
