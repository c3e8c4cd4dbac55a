//! Tests of twist joints.

use glam::{DQuat, DVec3};

use super::*;
use portamento_anim::math::Transform;
use portamento_anim::{Curve, Joint};

/// Adds a twist joint to the hero at a fraction of the bone from `bone` to `next`. Returns the joint.
fn add_twist_joint(figure: &mut Figure, bone: usize, next: usize, fraction: f32) -> usize {
    let skeleton = &mut figure.model.skeleton;
    let (name, offset) = (format!("{}_twist", skeleton.joints[bone].name), skeleton.joints[next].rest.translation);
    let first_morph = skeleton.rest_morphs.len();
    let rest = Transform::from_translation(fraction * offset);
    skeleton.joints.push(Joint { name, parent: Some(bone), rest, node: 1000 + bone, first_morph, morph_count: 0 });
    skeleton.len() - 1
}

/// Returns the rotation of `joint` between the two frames of `clip`, in the space of its parent.
fn turned(figure: &Figure, clip: &Clip, joint: usize) -> DQuat {
    let at = |time: f64| clip.pose_at(&figure.model.skeleton, time).locals[joint].rotation.as_dquat();
    at(clip.duration) * at(0.0).inverse()
}

#[test]
fn twist_joints_take_their_fraction_of_the_twist() {
    let source = Figure::open("hero").unwrap();
    let [upper, lower] = [0, 1].map(|bone| {
        let arm = source.limb(|limb| matches!(limb, Limb::Arm(_))).next().unwrap();
        arm.bones[bone].joint
    });
    let hand = source.limb(|limb| matches!(limb, Limb::Arm(_))).next().unwrap().tip.unwrap();
    let mut target = Figure::open("hero").unwrap();
    let [on_upper, on_lower] = [(upper, lower, 0.25), (lower, hand, 0.5)]
        .map(|(bone, next, fraction)| add_twist_joint(&mut target, bone, next, fraction));
    let skeleton = &source.model.skeleton;
    let rest = |joint: usize| skeleton.joints[joint].rest;
    let axis_of = |joint: usize| rest(joint).translation.as_dvec3().normalize();
    let about = |axis: DVec3, degrees: f64| DQuat::from_axis_angle(axis, degrees.to_radians()).as_quat();
    let mut clip = Clip { name: "wring".into(), duration: 1.0, tracks: vec![JointTracks::default(); skeleton.len()] };
    let mut turn = |joint: usize, end: glam::Quat| {
        clip.tracks[joint].rotation = Some(Curve::linear(vec![0.0, 1.0], vec![rest(joint).rotation, end]));
    };
    // The upper arm twists, and the hand twists and bends.
    turn(upper, rest(upper).rotation * about(axis_of(lower), 60.0));
    turn(hand, about(axis_of(hand), 80.0) * about(axis_of(hand).any_orthonormal_vector(), 30.0) * rest(hand).rotation);
    let built = put_on(&source, &clip, &target, &Settings { hold_feet: false, ..Settings::default() });
    let is = |joint: usize, axis: DVec3, degrees: f64| {
        let off = turned(&target, &built.clip, joint).angle_between(about(axis, degrees).as_dquat()).to_degrees();
        assert!(off < 0.1, "{}: {off}°", target.model.skeleton.joints[joint].name);
    };
    is(on_lower, axis_of(hand), 40.0);
    // Its parent twists by 60°, of which it keeps 15°.
    is(on_upper, axis_of(lower), -45.0);
}
