//! Round trips of VRM animations: every bone keeps its direction.

use std::path::Path;

use glam::DVec3;

use super::*;
use crate::import::gltf::from_bytes;
use portamento_anim::{Rig, Roles};
use portamento_test_support::corpus;

/// Returns the largest angle in degrees between the directions of bones known in both, over some times.
fn worst_angle(model: &Model, roles: &Roles, clip: &Clip) -> f64 {
    let person = Person { model, roles, metres_per_unit: 1.0 };
    let source = from_clips(&person, &[(clip.clone(), 30.0)]).unwrap();
    let again = from_bytes(Path::new("a.vrma"), &gltf::to_glb_bytes(&source).unwrap()).unwrap().model;
    assert_eq!(again.humanoid.len(), again.skeleton.len());
    assert!((again.clips[0].duration - clip.duration).abs() < 1e-5);
    let bones = bones(&person).unwrap();
    let body = HumanoidRest::new(&person, &bones);
    let mut worst = 0.0_f64;
    for step in 0..20 {
        // At keys only: between them the rotations interpolate on different bones than those of the source.
        let time = (clip.duration * f64::from(step) / 19.0 * 30.0).floor() / 30.0;
        let (pose, same) = (clip.pose_at(&model.skeleton, time), again.clips[0].pose_at(&again.skeleton, time));
        for bone in &bones {
            let Some(tip) = bone.tip.and_then(|tip| bones.iter().find(|other| other.joint == tip)) else { continue };
            let at = |joint: usize| body.facing * pose.world_from_joint(&model.skeleton, joint).translation;
            let position_of = |name: &str| {
                let joint = again.skeleton.find(name).unwrap();
                same.world_from_joint(&again.skeleton, joint).translation
            };
            let was: DVec3 = at(tip.joint) - at(bone.joint);
            let is = position_of(&tip.name) - position_of(&bone.name);
            worst = worst.max(was.angle_between(is).to_degrees());
        }
    }
    worst
}

#[test]
fn bones_keep_their_directions() {
    for name in ["characters/knight.glb", "characters/mannequiny.glb", "characters/minnyquinn.glb"] {
        let Some(path) = corpus(name) else { return };
        let model = crate::import::import(&path).unwrap().model;
        let roles = Rig::of_model(&model).roles;
        let worst = worst_angle(&model, &roles, &model.clips[1]);
        println!("{name}: {worst}°");
        assert!(worst < 0.05, "{name}: {worst}°");
    }
}

#[test]
fn a_figure_that_is_not_humanoid_is_refused_with_its_missing_bones() {
    let Some(path) = corpus("characters/fox.glb") else { return };
    let model = crate::import::import(&path).unwrap().model;
    let roles = Rig::of_model(&model).roles;
    let person = Person { model: &model, roles: &roles, metres_per_unit: 1.0 };
    let refused = from_clips(&person, &[(model.clips[0].clone(), 30.0)]).unwrap_err().to_string();
    assert!(refused.contains("leftUpperArm") && refused.contains("humanoid skeleton"), "{refused}");
}

#[test]
fn static_bones_have_at_most_one_key() {
    let hero = portamento_test_support::hero();
    let roles = Rig::of_model(&hero).roles;
    let person = Person { model: &hero, roles: &roles, metres_per_unit: 1.0 };
    let mut clip = hero.clip("cast").unwrap().clone();
    let hand = roles.hands[0];
    for joint in hero.skeleton.subtree(hand) {
        clip.tracks[joint] = JointTracks::default();
    }
    let source = from_clips(&person, &[(clip.clone(), 30.0)]).unwrap();
    let again = from_bytes(Path::new("a.vrma"), &gltf::to_glb_bytes(&source).unwrap()).unwrap().model;
    let keys = |bone: &str| {
        let tracks = &again.clips[0].tracks[again.skeleton.find(bone).unwrap()];
        tracks.rotation.as_ref().map_or(0, |curve| curve.times.len())
    };
    assert!(keys("leftHand").min(keys("rightHand")) <= 1, "{} {}", keys("leftHand"), keys("rightHand"));
    assert!(keys("leftUpperArm") > 30 && (again.clips[0].duration - clip.duration).abs() < 1e-5);
}
