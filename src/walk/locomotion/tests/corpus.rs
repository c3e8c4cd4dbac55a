//! Stops of every corpus character that can walk, and the direction in which animals walk.

use super::*;
use portamento_anim::chain_ik::{Limb, step_limb_towards};

pub(super) fn characters() -> Vec<Model> {
    let folders = ["characters", "wild"].into_iter().filter_map(portamento_test_support::corpus);
    let mut files: Vec<_> =
        folders.flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())).collect();
    files.sort();
    files.iter().map(|file| portamento_formats::import::import(file).unwrap().model).collect()
}

#[test]
fn every_character_stops_on_the_goal_without_sliding() {
    let characters = characters();
    let mut walked = Vec::new();
    for model in &characters {
        // A character without gaits or legs returns an error and is skipped.
        let Ok(walk) = walk(model, &straight(6.0, 3.0), &Settings::default()) else { continue };
        // Hips that carry the root sway over the goal while they stand.
        let engines = &walk.report.stop.engines;
        assert!(engines.iter().all(|engine| engine.recorded.abs() < 1e-3), "{}: {engines:?}", model.name);
        let root = walk.root.unwrap().joint;
        let end = walk.frames().last().unwrap().world_from_joint(&model.skeleton, root).translation;
        let error = walk.stop_error(end);
        assert!(error.is_some_and(|error| error < 1e-3), "{}: {error:?}", model.name);
        let matched: Vec<f64> = walk.report.frames.iter().filter_map(|frame| frame.stop_time).collect();
        assert!(matched.is_sorted(), "{}: {matched:?}", model.name);
        assert!(walk.report.slide_after < 1.0, "{}: {}", model.name, walk.report.slide_after);
        assert!(walk.report.frames.iter().all(|frame| frame.speed.is_finite()), "{}", model.name);
        walked.push(model.name.as_str());
    }
    assert!(characters.is_empty() || walked.len() >= 5, "{walked:?}");
}

/// True if the legs of a pose carry it; those of a crawler do not.
fn is_upright(model: &Model, pose: &Pose) -> bool {
    let legs = roles_of(model).legs;
    let upright = |leg: &Leg| {
        let leg_at = portamento_anim::foot_place::leg_positions(&model.skeleton, leg, pose);
        leg_at.hip.y - leg_at.ankle.y > 0.6 * leg_at.length()
    };
    legs.len() == 2 && legs.iter().all(upright)
}

#[test]
fn a_stop_across_a_steep_slope_has_both_feet_on_it() {
    let characters = characters();
    let mut stood = 0;
    for model in &characters {
        let Ok(level) = walk(model, &straight(3.0, 1.2), &Settings::default()) else { continue };
        if !is_upright(model, &level.frames()[level.frames().len() - 1]) {
            continue;
        }
        let ends = |walk: &Walk, slope: f64| -> Vec<f64> {
            let over_slope = |point: &DVec3| point.y - point.x * slope;
            soles(model, walk)
                .iter()
                .flat_map(|path| [over_slope(&path[0]), over_slope(&path[path.len() - 1])])
                .collect()
        };
        for degrees in [20.0_f64, 30.0] {
            let slope = degrees.to_radians().tan();
            let ground = move |point: DVec3| Some(point.x * slope);
            let roles = roles_of(model);
            let (skeleton, clips) = (&model.skeleton, &model.clips[..]);
            let input = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: Some(&ground) };
            let walk = build(&input, &straight(3.0, 1.2), &Settings::default(), &Progress::new()).unwrap();
            let (flat, sloped) = (ends(&level, 0.0), ends(&walk, slope));
            let most = 0.015 * feet::near_ground::body_height(&input);
            let off: Vec<f64> = sloped.iter().zip(&flat).map(|(sloped, flat)| sloped - flat).collect();
            assert!(off.iter().all(|off| off.abs() < most), "{} at {degrees}°: {off:.3?}", model.name);
            stood += 1;
        }
    }
    assert!(characters.is_empty() || stood >= 8, "{stood}");
}

#[test]
fn feet_far_apart_on_a_steep_slope_stand_on_ground_that_is_not_visible_from_the_path() {
    let Some(model) = wild("wild/robot_expressive.glb") else { return };
    let roles = roles_of(&model);
    let (skeleton, clips) = (&model.skeleton, &model.clips[..]);
    for (slope, degrees) in [(DVec3::X, 38.0_f64), (DVec3::NEG_X, 38.0), (DVec3::X, 42.0)] {
        let slope = slope * degrees.to_radians().tan();
        let height = |point: DVec3| point.dot(slope);
        // Half a metre above and below a point, as far as levels show the ground.
        let ground = move |point: DVec3| Some(height(point)).filter(|height| (height - point.y).abs() <= 0.5);
        let input = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: Some(&ground) };
        let walk = build(&input, &straight(4.0, 1.2), &Settings::default(), &Progress::new()).unwrap();
        let off = |path: &Vec<DVec3>| [path[0], path[path.len() - 1]].map(|sole| sole.y - height(sole));
        let off: Vec<f64> = soles(&model, &walk).iter().flat_map(off).collect();
        assert!(
            off.iter().all(|each| (each - off[0]).abs() < 0.01 && each.abs() < 0.05),
            "{degrees}° {slope}: {off:.3?}"
        );
    }
}

#[test]
fn no_leg_turns_more_than_the_limit_per_iteration_whether_it_reaches_or_not() {
    let characters = characters();
    let mut led = 0;
    for model in &characters {
        let roles = roles_of(model);
        for leg in roles.legs.iter().filter(|leg| leg.is_chain(&model.skeleton)) {
            let limb = Limb { joints: vec![leg.thigh, leg.shin], tip: leg.foot };
            let rest = Pose::rest(&model.skeleton);
            let [hip, ankle] =
                [leg.thigh, leg.foot].map(|joint| rest.world_from_joint(&model.skeleton, joint).translation);
            // The leg stretches for the first target, folds for the second and swings for the third.
            for target in [hip + (ankle - hip) * 3.0, hip, hip + DVec3::Z * hip.distance(ankle), DVec3::NAN] {
                let mut pose = rest.clone();
                for _ in 0..40 {
                    let before = pose.clone();
                    step_limb_towards(&model.skeleton, &mut pose, &limb, target, 1.0);
                    let turn =
                        |&joint: &usize| angle_between(before.locals[joint].rotation, pose.locals[joint].rotation);
                    let turns: Vec<f64> = limb.joints.iter().map(turn).collect();
                    assert!(turns.iter().all(|&turn| turn <= 0.35 + 1e-3), "{} {target}: {turns:?}", model.name);
                    assert!(pose.locals.iter().all(|local| local.is_finite()), "{} {target}", model.name);
                }
                let stays =
                    |&joint: &usize| angle_between(rest.locals[joint].rotation, pose.locals[joint].rotation) < 1e-5;
                assert!(target.is_finite() || limb.joints.iter().all(stays), "{}", model.name);
                led += 1;
            }
        }
    }
    assert!(characters.is_empty() || led >= 100, "{led}");
}

#[test]
fn animals_walk_with_the_head_in_front_and_the_tail_behind() {
    for file in ["wild/horse.glb", "characters/fox.glb", "characters/dragon.glb", "characters/quadruped.glb"] {
        let Some(model) = wild(file) else { return };
        let roles = roles_of(&model);
        let [Some(hips), Some(head), Some(tail)] = [roles.hips, roles.head, roles.tail.last().copied()] else {
            panic!("{file}: {roles:?}")
        };
        let unit = if file.contains("fox") { 0.01 } else { 1.0 };
        let (skeleton, clips) = (&model.skeleton, &model.clips[..]);
        let input = Input { skeleton, clips, roles: &roles, metres_per_unit: unit, ground: None };
        let walk = build(&input, &straight(10.0, 1.5), &Settings::default(), &Progress::new())
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        let along = |pose: &Pose, joint: usize| pose.world_from_joint(skeleton, joint).translation.z * unit;
        let size = feet::near_ground::body_height(&input);
        for pose in walk.frames() {
            let [tail, hips, head] = [tail, hips, head].map(|joint| along(pose, joint));
            assert!(head - hips > 0.1 * size && hips - tail > 0.1 * size, "{file}: {tail} {hips} {head} of {size}");
        }
        let gone = walk.placement_at(walk.duration).at.z - walk.placement_at(0.0).at.z;
        assert!((gone - 10.0).abs() < 1e-3, "{file}: {gone}");
        // A planted foot stays on the ground while the body moves over it.
        assert!(walk.report.feet.iter().all(|foot| foot.slide < 2.0), "{file}: {:?}", walk.report.feet);
    }
}
