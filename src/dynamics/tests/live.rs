//! Settings that change while the bones move.

use super::*;

#[test]
fn adding_a_chain_keeps_the_motion_of_the_others() {
    let rows = [("root", None), ("a", Some(0)), ("a2", Some(1)), ("a3", Some(2)), ("b", Some(0)), ("b2", Some(4))];
    let mut skeleton = skeleton_of(&rows);
    skeleton.joints[1..].iter_mut().for_each(|joint| joint.rest.translation = Vec3::NEG_Y * 0.1);
    let mut live = LiveSimulation::new(&skeleton, &loose(0.1), 1.0, Pose::rest(&skeleton)).unwrap();
    live.advance(&skeleton, &swaying, 0.6, 1000);
    let shown = |live: &LiveSimulation| {
        let mut pose = Pose::rest(&skeleton);
        live.write(&mut pose);
        [pose.locals[1].rotation, pose.locals[2].rotation]
    };
    let before = shown(&live);
    assert!(angle_between(before[0], Quat::IDENTITY) > 0.05, "it swings: {before:?}");
    let mut both = loose(0.1);
    both.chains.insert(0, Chain { joint: 4, ..both.chains[0].clone() });
    live.change(&skeleton, &both).unwrap();
    let after = shown(&live);
    assert!(before.iter().zip(&after).all(|(a, b)| angle_between(*a, *b) < 1e-6), "{before:?} {after:?}");
}
