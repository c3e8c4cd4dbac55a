use glam::Quat;
use portamento_anim::foot_shape::*;
use portamento_anim::joint_capsule::carried_vertices;
use portamento_anim::{Leg, Pose, Roles};

#[test]
fn the_lowest_vertex_of_a_turned_foot_is_one_of_its_points() {
    let hero = portamento_test_support::hero();
    let roles = Roles::find(&hero.skeleton, &hero.clips);
    let turns = [Quat::IDENTITY, Quat::from_rotation_x(0.7), Quat::from_rotation_x(-0.5), Quat::from_rotation_z(0.4)];
    for (leg, sole) in roles.legs.iter().zip(soles(&hero, &roles.legs)) {
        let whole = |joint| SolePart { joint, points: carried_vertices(&hero, joint) };
        let whole: Vec<SolePart> = hero.skeleton.subtree(leg.foot).into_iter().map(whole).collect();
        let [few, all] = [&sole, &whole].map(|parts| parts.iter().map(|part| part.points.len()).sum::<usize>());
        assert!(few >= 8 && 3 * few <= all, "{few} of {all}");
        for turn in turns {
            let mut pose = Pose::rest(&hero.skeleton);
            pose.locals[leg.foot].rotation = turn * pose.locals[leg.foot].rotation;
            let [felt, real] = [&sole, &whole].map(|parts| lowest(&hero.skeleton, parts, &pose).unwrap());
            assert!((felt - real).abs() < 2e-3, "{turn}: {felt} for {real}");
        }
    }
    assert_eq!(lowest(&hero.skeleton, &[], &Pose::rest(&hero.skeleton)), None);
    let gone = Leg { thigh: 0, shin: 1, foot: hero.skeleton.len(), toe: None };
    assert_eq!(soles(&hero, &[gone]), [vec![]]);
}
