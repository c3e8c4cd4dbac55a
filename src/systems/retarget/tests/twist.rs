//! Twist joints that hang beside their limb.

use glam::{DQuat, DVec3};

use super::*;
use crate::anim::{Curve, Joint};
use crate::math::Transform;

/// The hero with a leaf at that share of the bone from `bone` to `next`; answers the leaf.
fn with_leaf(figure: &mut Figure, bone: usize, next: usize, share: f32) -> usize {
    let skeleton = &mut figure.model.skeleton;
    let (name, way) = (format!("{}_twist", skeleton.joints[bone].name), skeleton.joints[next].rest.translation);
    let first_morph = skeleton.rest_morphs.len();
    let rest = Transform::from_translation(share * way);
    skeleton.joints.push(Joint { name, parent: Some(bone), rest, node: 1000 + bone, first_morph, morph_count: 0 });
    skeleton.len() - 1
}

/// What `joint` turns by between both frames of `clip`, as its parent sees it.
fn turned(figure: &Figure, clip: &Clip, joint: usize) -> DQuat {
    let at = |time: f64| clip.pose_at(&figure.model.skeleton, time).locals[joint].rotation.as_dquat();
    at(clip.duration) * at(0.0).inverse()
}

#[test]
fn leaves_on_a_limb_take_their_share_of_its_turn_about_itself() {
    let source = Figure::open("hero").unwrap();
    let [upper, lower] = [0, 1].map(|bone| {
        let arm = source.limb(|limb| matches!(limb, Limb::Arm(_))).next().unwrap();
        arm.bones[bone].joint
    });
    let hand = source.limb(|limb| matches!(limb, Limb::Arm(_))).next().unwrap().tip.unwrap();
    let mut target = Figure::open("hero").unwrap();
    let [on_upper, on_lower] =
        [(upper, lower, 0.25), (lower, hand, 0.5)].map(|(bone, next, share)| with_leaf(&mut target, bone, next, share));
    let skeleton = &source.model.skeleton;
    let rest = |joint: usize| skeleton.joints[joint].rest;
    let way = |joint: usize| rest(joint).translation.as_dvec3().normalize();
    let about = |axis: DVec3, degrees: f64| DQuat::from_axis_angle(axis, degrees.to_radians()).as_quat();
    let mut clip = Clip { name: "wring".into(), duration: 1.0, tracks: vec![JointTracks::default(); skeleton.len()] };
    let mut turn = |joint: usize, end: glam::Quat| {
        clip.tracks[joint].rotation = Some(Curve::linear(vec![0.0, 1.0], vec![rest(joint).rotation, end]));
    };
    // The upper arm about itself, the hand about the forearm and down.
    turn(upper, rest(upper).rotation * about(way(lower), 60.0));
    turn(hand, about(way(hand), 80.0) * about(way(hand).any_orthonormal_vector(), 30.0) * rest(hand).rotation);
    let built = put_on(&source, &clip, &target, &Settings { hold_feet: false, ..Settings::default() });
    let is = |joint: usize, axis: DVec3, degrees: f64| {
        let off = turned(&target, &built.clip, joint).angle_between(about(axis, degrees).as_dquat()).to_degrees();
        assert!(off < 0.1, "{}: {off}°", target.model.skeleton.joints[joint].name);
    };
    is(on_lower, way(hand), 40.0);
    // It hangs on what turns by 60°, of which 15° are its own.
    is(on_upper, way(lower), -45.0);
}
