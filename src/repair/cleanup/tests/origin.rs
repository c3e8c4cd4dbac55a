//! Tests of motions that do not start at the origin.

use super::*;
use portamento_anim::root_motion::{rest_at, rig_size};

#[test]
fn a_motion_starts_at_the_origin_on_every_character() {
    for name in ["hero", "characters/knight.glb", "characters/minnyquinn.glb", "wild/horse.glb"] {
        let Some(figure) = Figure::open(name) else { continue };
        let skeleton = &figure.model.skeleton;
        let mut clip = figure.model.clips[0].clone();
        let root = RootMotion::find(skeleton, &clip, &figure.roles).unwrap().joint;
        let rest = skeleton.joints[root].rest.translation;
        let curve = clip.tracks[root].translation.get_or_insert_with(|| Curve::linear(vec![0.0], vec![rest]));
        let values = curve.values.iter_mut().enumerate();
        let is_spline = curve.interpolation == portamento_anim::Interpolation::CubicSpline;
        values.filter(|(i, _)| !is_spline || i % 3 == 1).for_each(|(_, value)| *value += Vec3::new(3.0, 0.5, -2.0));
        let built = figure.cleaned(&clip, &Settings { origin: true, pops: false, ..ONLY_POPS });
        assert!(built.report.moved > 0.0, "{name}");
        let [before, after] = [&clip, &built.clip].map(|clip| path(skeleton, clip, root, &times(clip)));
        let wanted = rest_at(skeleton, root).translation;
        let size = rig_size(skeleton);
        assert!((after[0] - wanted).with_y(0.0).length() < 1e-5 * size, "{name}");
        let moved: Vec<DVec3> = before.iter().zip(&after).map(|(before, after)| *after - *before).collect();
        assert!(moved.iter().all(|by| by.distance(moved[0]) < 1e-5 * size && by.y.abs() < 1e-5 * size), "{name}");
    }
}

#[test]
fn a_motion_below_a_rotating_parent_starts_at_the_origin() {
    let hero = Figure::open("hero").unwrap();
    let skeleton = &hero.model.skeleton;
    let clip = hero.model.clip("run").unwrap();
    let root = RootMotion::find(skeleton, clip, &hero.roles).unwrap().joint;
    let child = skeleton.joints.iter().position(|joint| joint.parent == Some(root)).unwrap();
    // The hips travel, and their parent rotates.
    let roles = portamento_anim::Roles { root_motion: None, hips: Some(child), ..hero.roles.clone() };
    let mut turning = clip.clone();
    let travel = turning.tracks[root].translation.take().unwrap();
    let rest = skeleton.joints[child].rest.translation;
    let values = travel.values.iter().map(|position| *position + rest + Vec3::X).collect();
    let turns = (0..travel.times.len()).map(|key| Quat::from_rotation_y(0.02 * key as f32)).collect();
    turning.tracks[root].rotation = Some(Curve::linear(travel.times.to_vec(), turns));
    turning.tracks[child].translation = Some(Curve::linear(travel.times.to_vec(), values));
    let input = Input { roles: &roles, ..hero.input(&turning) };
    assert_eq!(RootMotion::find(skeleton, &turning, &roles).unwrap().joint, child);
    let built = build(&input, &Settings { origin: true, pops: false, ..ONLY_POPS }, &Progress::new()).unwrap();
    let [before, after] = [&turning, &built.clip].map(|clip| path(skeleton, clip, child, &times(clip)));
    let wanted = rest_at(skeleton, child).translation;
    assert!((after[0] - wanted).with_y(0.0).length() < 1e-5 && built.report.moved > 0.9, "{:?}", after[0]);
    let moved: Vec<DVec3> = before.iter().zip(&after).map(|(before, after)| *after - *before).collect();
    assert!(moved.iter().all(|by| by.distance(moved[0]) < 1e-5), "{moved:?}");
}

#[test]
fn a_shifted_parent_of_the_hips_is_moved_back() {
    let hero = Figure::open("hero").unwrap();
    let skeleton = &hero.model.skeleton;
    let mut clip = hero.model.clip("idle").or(hero.model.clip("run")).unwrap().clone();
    let top = RootMotion::find(skeleton, &clip, &hero.roles).unwrap().joint;
    let hips = skeleton.joints.iter().position(|joint| joint.parent == Some(top)).unwrap();
    let roles = portamento_anim::Roles { root_motion: None, hips: Some(hips), ..hero.roles.clone() };
    // The parent of the hips is shifted; the hips sway.
    let rest = skeleton.joints.iter().map(|joint| joint.rest.translation).collect::<Vec<_>>();
    let sway = [0.01, 0.03, 0.01].map(|x| rest[hips] + Vec3::X * x);
    clip.tracks[top].rotation = None;
    clip.tracks[top].translation = Some(Curve::linear(vec![0.0], vec![rest[top] + Vec3::new(1.5, 0.0, -0.5)]));
    clip.tracks[hips].translation = Some(Curve::linear(vec![0.0, 0.5, 1.0], sway.to_vec()));
    let input = Input { roles: &roles, ..hero.input(&clip) };
    assert_eq!(RootMotion::find(skeleton, &clip, &roles).unwrap().joint, hips);
    let built = build(&input, &Settings { origin: true, ..NOTHING }, &Progress::new()).unwrap();
    assert!(built.report.moved > 1.0);
    assert_eq!(built.clip.tracks[hips].translation, clip.tracks[hips].translation);
    let restored = built.clip.tracks[top].translation.as_ref().unwrap().sample(0.0).unwrap();
    assert!(restored.distance(rest[top]) < 0.02, "{restored} {}", rest[top]);
}
