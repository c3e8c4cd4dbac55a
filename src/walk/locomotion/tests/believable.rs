//! Checks on the result alone: no joint jumps, no body spins, planted feet stay.

use super::*;

/// Returns a path along corners, x and z.
fn along(corners: &[[f64; 2]], limit: f64) -> WalkPath {
    let points: Vec<DVec3> = corners.iter().map(|&[x, z]| DVec3::new(x, 0.0, z)).collect();
    WalkPath { speed_limits: vec![limit; points.len()], points }
}

/// Paths that people do not take, but routes over cells do.
fn awkward() -> Vec<WalkPath> {
    vec![
        // A hook of five centimetres before the goal.
        along(&[[0.0, 0.0], [0.0, 7.0], [0.05, 7.0]], 4.0),
        // There and back.
        along(&[[0.0, 0.0], [0.0, 6.0], [0.1, 6.0], [0.2, 1.0]], 4.0),
        // A sharp corner, and another soon after it.
        along(&[[0.0, 0.0], [0.0, 5.0], [1.2, 4.0], [1.0, 9.0]], 4.0),
        // A goal to the side of the path.
        along(&[[0.0, 0.0], [0.0, 5.0], [0.4, 4.9]], 4.0),
    ]
}

/// Returns the highest turning speed of the body, degrees per second.
fn spin(walk: &Walk) -> f64 {
    let count = (walk.duration * walk.fps) as usize;
    let heading = |frame: usize| walk.placement_at(frame as f64 / walk.fps).heading;
    let turn = |frame: usize| portamento_anim::root_motion::wrap(heading(frame + 1) - heading(frame)).abs();
    (0..count).map(turn).fold(0.0, f64::max).to_degrees() * walk.fps
}

/// Returns the largest move of each joint between hips, head, hands and feet in one frame, in excess of the two frames
/// on either side, metres.
fn jumps(model: &Model, frames: &[Pose]) -> Vec<f64> {
    let roles = roles_of(model);
    let (skeleton, clips) = (&model.skeleton, &model.clips[..]);
    let body = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: None }.body_joints();
    let jump = |&joint: &usize| {
        let at = |pose: &Pose| pose.world_from_joint(&model.skeleton, joint).translation;
        let positions: Vec<DVec3> = frames.iter().map(at).collect();
        let step = |frame: usize| positions[frame].distance(positions[frame - 1]);
        let neighbours = |frame: usize| [frame - 2, frame - 1, frame + 1, frame + 2].map(step);
        let beyond = |frame: usize| step(frame) - neighbours(frame).into_iter().fold(0.0, f64::max);
        (3..frames.len().saturating_sub(3)).map(beyond).fold(0.0, f64::max)
    };
    body.iter().map(jump).collect()
}

/// Returns the largest jump of a walk in excess of 1.25 times the same joint's jump in the character's own clips,
/// metres.
fn jump(model: &Model, walk: &Walk) -> f64 {
    let own = |clip: &Clip| {
        let count = (clip.duration * walk.fps) as usize;
        let frames: Vec<Pose> =
            (0..=count).map(|frame| clip.pose_at(&model.skeleton, frame as f64 / walk.fps)).collect();
        jumps(model, &frames)
    };
    let of_clips: Vec<Vec<f64>> = model.clips.iter().map(own).collect();
    let own = |joint: usize| of_clips.iter().map(|jumps| jumps[joint]).fold(0.0, f64::max);
    jumps(model, walk.frames()).into_iter().enumerate().map(|(i, jump)| jump - 1.25 * own(i)).fold(0.0, f64::max)
}

#[test]
fn awkward_paths_are_walked_without_jumps_spins_or_slides() {
    for (i, path) in awkward().iter().enumerate() {
        let walk = walk(&HERO, path, &Settings::default()).unwrap();
        let end = walk.path.points.last().unwrap().distance(*path.points.last().unwrap());
        let (spin, jump) = (spin(&walk), jump(&HERO, &walk));
        println!("{i}: spin {spin:.0}, jump {jump:.4}, {:?} {:?}", walk.report.pop, walk.report.feet);
        assert!(spin <= 365.0 && jump < 0.035 && end < 1e-9, "{i}: {spin} {jump} {end}");
        assert!(walk.report.pop.as_ref().unwrap().degrees < 20.0, "{i}: {:?}", walk.report.pop);
        for foot in &walk.report.feet {
            assert!(foot.slide < 2.0 && foot.stands > 0.7 * foot.own, "{i}: {foot:?}");
        }
    }
}

#[test]
fn a_slope_is_walked_at_the_paths_speed_limit_along_the_ground() {
    let points = [[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [0.0, 4.0, 10.0], [0.0, 4.0, 14.0]].map(DVec3::from);
    let walk = walk(&HERO, &WalkPath { points: points.to_vec(), speed_limits: vec![1.2; 4] }, &Settings::default());
    let walk = walk.unwrap();
    let on_slope: Vec<&FrameReport> = walk.report.frames.iter().filter(|frame| frame.slope > 33.0).collect();
    assert!(on_slope.iter().all(|frame| (frame.speed - 1.2).abs() < 0.02), "{:?}", on_slope.first());
    let [from, to] = [on_slope[0], on_slope[on_slope.len() - 1]].map(|frame| walk.placement_at(frame.time).at);
    let seconds = (on_slope.len() - 1) as f64 / walk.fps;
    assert!((from.distance(to) / seconds - 1.2).abs() < 0.02, "{} m in {seconds} s", from.distance(to));
}

#[test]
fn in_place_clips_whose_hips_sway_travel_as_fast_as_their_feet() {
    let Some(model) = wild("wild/mannequiny_in_place.glb") else { return };
    let walk = walk(&model, &straight(8.0, 1.5), &Settings::default()).unwrap();
    assert!(walk.report.gaits.iter().any(|gait| gait.in_place && gait.speed > 0.5), "{:?}", walk.report.gaits);
    assert!(walk.report.stop.engines.iter().all(|engine| engine.recorded < 1e-3), "{:?}", walk.report.stop.engines);
    let report = &walk.report;
    assert!(report.leg_too_short < 0.02 && report.feet.iter().all(|foot| !foot.skates()), "{:?}", report.feet);
    // Its thighs stretch by up to a tenth, which shears shins and feet.
    for limit in [1.2, 4.0] {
        let report = self::walk(&model, &straight(12.0, limit), &Settings::default()).unwrap().report;
        assert!(report.feet.iter().all(|foot| foot.slide < 2.0), "{limit}: {:?}", report.feet);
    }
}

#[test]
fn feet_detached_from_their_legs_are_locked_too() {
    let Some(model) = wild("wild/robot_expressive.glb") else { return };
    let roles = roles_of(&model);
    assert!(roles.legs.len() == 2 && roles.legs.iter().all(|leg| leg.has_separate_foot(&model.skeleton)), "{roles:?}");
    let (skeleton, clips) = (&model.skeleton, &model.clips[..]);
    let input = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: None };
    let walk = build(&input, &straight(20.0, 3.0), &Settings::default(), &Progress::new()).unwrap();
    // The robot is 4.6 m tall.
    assert!(walk.report.leg_too_short < 0.1, "{}", walk.report.leg_too_short);
    assert!(walk.report.feet.iter().all(|foot| foot.stance_ratio() > 0.7), "{:?}", walk.report.feet);
}

#[test]
fn the_first_stride_after_a_turn_does_not_drag_a_foot() {
    let Some(model) = wild("wild/robot_expressive.glb") else { return };
    for degrees in [105.0_f64, -67.0] {
        let path = straight(12.0, 3.0);
        let settings = Settings { start_facing: Some(degrees.to_radians()), ..Settings::default() };
        let report = self::walk(&model, &path, &settings).unwrap().report;
        assert!(report.turns.len() == 1 && report.feet.iter().all(|foot| foot.drag.metres < 0.02), "{:?}", report.feet);
    }
}

#[test]
fn detached_feet_move_with_a_trunk_that_carries_the_root() {
    let Some(model) = wild("wild/gdbot.glb") else { return };
    let legs = roles_of(&model).legs;
    let walk = walk(&model, &straight(6.0, 3.0), &Settings::default()).unwrap();
    let longest = |pose: &Pose| {
        let length = |leg: &Leg| {
            let [hip, ankle] = [leg.thigh, leg.foot].map(|joint| pose.world_from_joint(&model.skeleton, joint));
            hip.translation.distance(ankle.translation)
        };
        legs.iter().map(length).fold(0.0, f64::max)
    };
    let longest_in = |clip: &Clip| {
        let times = (0..=60).map(|i| clip.duration * f64::from(i) / 60.0);
        times.map(|time| longest(&clip.pose_at(&model.skeleton, time))).fold(0.0, f64::max)
    };
    let report = &walk.report;
    let is_played = |clip: &&Clip| clip.name == report.idle || report.gaits.iter().any(|gait| gait.clip == clip.name);
    let longest_in_clips = model.clips.iter().filter(is_played).map(longest_in).fold(0.0, f64::max);
    let longest_in_walk = walk.frames().iter().map(longest).fold(0.0, f64::max);
    // The feet hang beside the legs, so only the clips say how far from the hips they belong.
    assert!(legs.len() == 2 && longest_in_walk < 1.005 * longest_in_clips, "{longest_in_walk} {longest_in_clips}");
    assert!(gone(&model, &walk, walk.duration).distance(DVec3::Z * 6.0) < 1e-3);
}

#[test]
fn feet_of_an_in_place_run_stand_as_long_as_in_its_clip() {
    let Some(knight) = knight() else { return };
    let mut settings = Settings::default();
    settings.clips.gaits = ["Walking_C", "Walking_A", "Running_B", "Running_A"].map(Into::into).to_vec();
    let walk = walk(&knight, &straight(20.0, 4.0), &settings).unwrap();
    for foot in &walk.report.feet {
        assert!(foot.stands > 0.7 * foot.own && foot.stands > 0.05 && foot.slide < 2.0, "{foot:?}");
    }
}

#[test]
fn a_character_that_only_retreats_reports_the_closest_clip_and_walks_with_it_if_assigned() {
    let Some(model) = wild("characters/minnyquinn.glb") else { return };
    let path = straight(8.0, 1.5);
    let error = walk(&model, &path, &Settings::default()).unwrap_err();
    let WalkError::NoGait { nearest: Some((clip, NotProposed::OffFront { degrees })) } = &error else {
        panic!("{error:?}")
    };
    assert!(clip == "retreat" && *degrees > 120.0, "{error}");
    let mut settings = Settings::default();
    settings.clips.gaits = vec![GaitClip { clip: "retreat".into(), slope: None }];
    let walked = walk(&model, &path, &settings).unwrap();
    assert!(gone(&model, &walked, walked.duration).length() > 7.99, "{:?}", walked.report.gaits);
}

#[test]
fn gaits_without_stance_walk_at_the_speed_of_their_contacts_and_are_reported() {
    let hero = walk(&HERO, &straight(8.0, 4.0), &Settings::default()).unwrap();
    assert_eq!(hero.report.no_stance, []);
    for file in ["characters/knight.glb", "wild/mage.glb"] {
        let Some(model) = wild(file) else { return };
        let run = walk(&model, &straight(20.0, 4.0), &Settings::default()).unwrap();
        let clips: Vec<&str> = run.report.no_stance.iter().map(|each| each.clip.as_str()).collect();
        assert_eq!(clips, ["Running_A", "Running_B"], "{file}");
        let is_expected =
            |each: &NoStance| each.stands < 0.1 && each.walks && each.instead.as_deref() == Some("Walking_A");
        assert!(run.report.no_stance.iter().all(is_expected), "{file}: {:?}", run.report.no_stance);
        assert!(run.report.gaits.iter().any(|gait| gait.clip == "Running_A"), "{file}: {:?}", run.report.gaits);
        assert!(20.0 / run.duration > 2.0, "{file}: {} s for 20 m", run.duration);
        let mut settings = Settings::default();
        settings.clips.gaits = vec!["Running_A".into()];
        let assigned = walk(&model, &straight(8.0, 4.0), &settings).unwrap().report;
        let [each] = &assigned.no_stance[..] else { panic!("{file}: {:?}", assigned.no_stance) };
        assert!(each.clip == "Running_A" && is_expected(each), "{file}: {each:?}");
        settings.clips.gaits = vec!["Walking_A".into()];
        let walking = walk(&model, &straight(8.0, 1.0), &settings).unwrap().report;
        assert!(walking.no_stance.is_empty() && !walking.walks_without_stance(), "{file}");
        assert!(walking.feet.iter().all(|foot| foot.stands > 0.15 && !foot.skates()), "{file}: {:?}", walking.feet);
    }
}
