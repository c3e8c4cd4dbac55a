mod believable;
mod contact;
mod corpus;
mod closed_path;
mod crossings;
mod preconditions;
mod slope_sets;
mod turns;
mod turns_of_joints;

use std::sync::LazyLock;

use glam::DVec3;

use super::*;
use portamento_anim::math::mean::angle_between;
use portamento_anim::resample::{ResampleGrid, resampled};
use portamento_anim::{Clip, Leg, Model, Pose, Roles, Skeleton};
use portamento_test_support::allocations::allocations;

static HERO: LazyLock<Model> = LazyLock::new(portamento_test_support::hero);

/// A character of the corpus with only the roles that its file gives.
fn wild(file: &str) -> Option<Model> {
    Some(portamento_formats::import::import(&portamento_test_support::corpus(file)?).unwrap().model)
}

fn straight(length: f64, limit: f64) -> WalkPath {
    WalkPath { points: vec![DVec3::ZERO, DVec3::Z * length], speed_limits: vec![limit; 2] }
}

/// Returns the roles as the program finds them: those of the whole file including its meshes.
fn roles_of(model: &Model) -> Roles {
    portamento_anim::rig::Rig::of_model(model).roles.fitting(&model.skeleton)
}

fn walk(model: &Model, path: &WalkPath, settings: &Settings) -> Result<Walk, WalkError> {
    let roles = roles_of(model);
    let input =
        Input { skeleton: &model.skeleton, clips: &model.clips, roles: &roles, metres_per_unit: 1.0, ground: None };
    build(&input, path, settings, &Progress::new())
}

fn knight() -> Option<Model> {
    let file = portamento_test_support::corpus("characters/knight.glb")?;
    Some(portamento_formats::import::import(&file).unwrap().model)
}

fn root_at(model: &Model, walk: &Walk, time: f64) -> DVec3 {
    let mut pose = Pose::rest(&model.skeleton);
    walk.sample(time, &mut pose);
    pose.world_from_joint(&model.skeleton, walk.root.unwrap().joint).translation.with_y(0.0)
}

/// Returns the root's displacement since the first frame: the travelled path, as the first root is over its rest
/// position.
fn gone(model: &Model, walk: &Walk, time: f64) -> DVec3 {
    root_at(model, walk, time) - root_at(model, walk, 0.0)
}

fn assert_stops_on_goal(model: &Model, walk: &Walk, length: f64) {
    for rate in [30.0, 60.0, 120.0] {
        let end = (walk.report.stop.ends * rate).ceil() / rate;
        for time in [end, walk.duration] {
            assert!(
                gone(model, walk, time).distance(DVec3::Z * length) < 1e-3,
                "{rate}: {:?}",
                gone(model, walk, time)
            );
        }
        let distances: Vec<f64> = (0..=(end * rate) as usize).map(|i| gone(model, walk, i as f64 / rate).z).collect();
        assert!(distances.windows(2).all(|pair| pair[1] >= pair[0] - 1e-6));
        assert!(distances.iter().all(|&z| z <= length + 1e-3));
    }
    assert!(walk.report.stop.engines.iter().all(|engine| engine.recorded < 1e-3));
}

#[test]
fn the_hero_stops_on_the_goal_with_a_stop_clip_whose_feet_do_not_slide() {
    let walk = walk(&HERO, &straight(12.0, 4.0), &Settings::default()).unwrap();
    let report = &walk.report;
    assert_eq!(report.idle, "idle");
    let gaits: Vec<(&str, f64)> = report.gaits.iter().map(|gait| (gait.clip.as_str(), gait.speed)).collect();
    assert!(gaits[0].0 == "walk" && (gaits[0].1 - 1.4).abs() < 1e-3 && gaits[1].0 == "run", "{gaits:?}");
    assert_eq!(report.stop.clip.as_deref(), Some("run_to_stop"));
    assert!(report.stop.entry_time.unwrap() > 0.0 && report.stop.stretch == 1.0);
    assert_stops_on_goal(&HERO, &walk, 12.0);
    assert!(report.slide_before > 20.0 && report.slide_after < 1.0, "{} {}", report.slide_before, report.slide_after);
    let distances = &report.stop.pose_distances;
    assert!(distances[0] > 0.01 && *distances.last().unwrap() < 1e-3, "{distances:?}");
    let matched: Vec<f64> = report.frames.iter().filter_map(|frame| frame.stop_time).collect();
    assert!(matched.len() > 60 && matched.is_sorted());
}

#[test]
fn a_sampled_frame_allocates_nothing() {
    let walk = walk(&HERO, &straight(3.0, 1.4), &Settings::default()).unwrap();
    let mut pose = Pose::rest(&HERO.skeleton);
    let mut play = || {
        for step in 0..120 {
            let time = f64::from(step) / 50.0;
            walk.sample(time, &mut pose);
            std::hint::black_box((walk.placement_at(time), walk.distance_curve.time_for(walk.distance_curve.at(time))));
        }
    };
    play();
    assert_eq!(allocations(play), 0);
}

#[test]
fn a_character_without_a_stop_clip_slows_down_through_its_gaits_onto_the_goal() {
    let Some(model) = knight() else { return };
    let walk = walk(&model, &straight(8.0, 3.0), &Settings::default()).unwrap();
    let report = &walk.report;
    assert_eq!(report.stop.clip, None);
    assert!(report.gaits.len() >= 2 && report.gaits.iter().all(|gait| gait.in_place), "{:?}", report.gaits);
    assert_stops_on_goal(&model, &walk, 8.0);
    assert!(report.slide_before > 20.0 && report.slide_after < 1.0, "{} {}", report.slide_before, report.slide_after);
}

#[test]
fn without_a_stop_clip_the_hero_too_comes_to_a_stand_without_sliding() {
    let mut settings = Settings::default();
    settings.clips.propose_stop = false;
    for limit in [1.0, 2.5, 4.0] {
        let walk = walk(&HERO, &straight(7.0, limit), &settings).unwrap();
        assert_stops_on_goal(&HERO, &walk, 7.0);
        assert!(walk.report.slide_after < 1.0, "{limit}: {}", walk.report.slide_after);
    }
}

#[test]
fn where_no_frame_fits_the_stop_clip_is_stretched_and_still_ends_on_the_goal() {
    let braking = Braking { friction: 0.0, deceleration: 2.0 };
    let walk = walk(&HERO, &straight(15.0, 4.0), &Settings { braking, ..Settings::default() }).unwrap();
    let stop = &walk.report.stop;
    assert!((stop.predicted - 4.0).abs() < 0.01 && stop.stretch > 1.4);
    // Stretching and time-matching together cover the full distance.
    assert!((stop.stretched + walk.distance_curve.length() - stop.predicted).abs() < 1e-9);
    let [slowest, fastest] = stop.rates;
    assert!(slowest > 0.0 && slowest < fastest && fastest.is_finite(), "{:?}", stop.rates);
    assert_stops_on_goal(&HERO, &walk, 15.0);
    assert!(walk.report.slide_after < 1.0, "{}", walk.report.slide_after);
}

#[test]
fn an_engines_own_step_is_predicted_and_recorded() {
    for rate in [30.0, 60.0, 120.0] {
        let settings = Settings { engine_rate: Some(rate), ..Settings::default() };
        let walk = walk(&HERO, &straight(12.0, 4.0), &settings).unwrap();
        assert_stops_on_goal(&HERO, &walk, 12.0);
        let predicted = settings.braking.stepped_distance(walk.report.stop.speed, rate);
        assert!((predicted - walk.report.stop.predicted).abs() < 1e-3);
    }
}

#[test]
fn feet_are_locked_and_knees_do_not_pop() {
    let model = &*HERO;
    let legs = roles_of(model).legs;
    let path = straight(10.0, 4.0);
    let largest = |settings: &Settings| {
        let walk = walk(model, &path, settings).unwrap();
        let turn =
            |pair: &[Pose], joint: usize| angle_between(pair[0].locals[joint].rotation, pair[1].locals[joint].rotation);
        let knees =
            legs.iter().map(|leg| walk.frames().windows(2).map(|pair| turn(pair, leg.shin)).fold(0.0, f64::max));
        knees.fold(0.0, f64::max)
    };
    let (free, locked) =
        (largest(&Settings { lock_feet: false, ..Settings::default() }), largest(&Settings::default()));
    assert!(locked < 1.5 * free + 0.05 && locked < 0.45, "{free} {locked}");
}

#[test]
fn a_winding_path_over_a_ramp_is_followed_with_the_feet_on_the_ground() {
    let points = [[0.0, 0.0, 0.0], [0.0, 0.0, 3.0], [3.0, 0.0, 3.0], [6.0, 0.6, 3.0], [6.0, 0.6, 7.0]].map(DVec3::from);
    let path = WalkPath { points: points.to_vec(), speed_limits: vec![1.4; 5] };
    let walk = walk(&HERO, &path, &Settings::default()).unwrap();
    let end = root_at(&HERO, &walk, walk.duration);
    assert!(end.distance(DVec3::new(6.0, 0.0, 7.0)) < 1e-3, "{end}");
    let off = |point: DVec3| {
        let near = |pair: &[DVec3]| {
            let along =
                ((point - pair[0]).dot(pair[1] - pair[0]) / (pair[1] - pair[0]).length_squared()).clamp(0.0, 1.0);
            point.distance(pair[0].lerp(pair[1], along))
        };
        points.windows(2).map(near).fold(f64::INFINITY, f64::min)
    };
    let farthest = walk.path.points.iter().map(|&point| off(point)).fold(0.0, f64::max);
    assert!(farthest <= 0.2, "{farthest}");
    assert!(walk.report.frames.iter().all(|frame| frame.slide_after < 1.0 && frame.leg_too_short < 0.02));
    assert!(walk.frames().iter().all(|pose| pose.locals.iter().all(|local| local.is_finite())));
}

#[test]
fn every_frame_plays_the_clip_of_its_speed_within_the_play_rates_or_says_so() {
    let settings = Settings::default();
    for limit in [1.0, 2.5, 4.0, 7.0] {
        let walk = walk(&HERO, &straight(20.0, limit), &settings).unwrap();
        let by_gaits = |frame: &&FrameReport| frame.stop_time.is_none() && frame.start_time.is_none();
        for frame in walk.report.frames.iter().filter(by_gaits).filter(|frame| frame.speed > 0.0) {
            let [low, high] = settings.play_rates;
            assert!(frame.rate >= low - 1e-9 && frame.rate <= high + 1e-9);
            assert_eq!(frame.limited, frame.speed > 4.0 * high + 1e-6, "{frame:?}");
            let expected = if frame.speed < 0.3 {
                "idle"
            } else if frame.speed < 1.9 {
                "walk"
            } else {
                "run"
            };
            let near = [0.42, 2.4].iter().any(|edge| (frame.speed - edge).abs() < 0.55);
            assert!(near || frame.clip == expected, "{frame:?}");
        }
        assert_eq!(walk.report.too_fast > 0.0, limit > 5.6);
    }
}

#[test]
fn a_character_with_a_walk_but_no_stand_holds_a_pose_of_the_walk() {
    let only = |names: &[&str]| {
        let clips = HERO.clips.iter().filter(|clip| names.contains(&clip.name.as_str())).cloned().collect();
        walk(&Model { clips, ..HERO.clone() }, &straight(5.0, 2.0), &Settings::default()).unwrap().report
    };
    let without_idle = only(&["walk", "run"]);
    assert!(
        without_idle.holds_stand && without_idle.idle == "walk" && without_idle.feet.iter().all(|foot| !foot.skates()),
        "{without_idle:?}"
    );
    assert!(!only(&["idle", "walk"]).holds_stand);
}

#[test]
fn a_slow_cycle_is_a_gait_if_it_is_called_one() {
    let slowed = |name: &str| {
        let of = |clip: &Clip| {
            let end = 3.6 * clip.duration;
            let grid = ResampleGrid { fps: 30.0, end, pace: end / clip.duration };
            Clip { name: clip.name.replace("walk", name), ..resampled(&HERO.skeleton, clip, grid) }
        };
        let clips = HERO.clips.iter().filter(|clip| ["idle", "walk"].contains(&clip.name.as_str())).map(of).collect();
        walk(&Model { clips, ..HERO.clone() }, &straight(3.0, 2.0), &Settings::default())
    };
    assert_eq!(slowed("Walk RM").unwrap().report.gaits[0].clip, "Walk RM");
    assert!(matches!(slowed("cycle"), Err(WalkError::NoGait { nearest: None })));
}

#[test]
fn the_same_walk_has_the_same_bits_every_time() {
    let path = straight(4.0, 2.0);
    let once = walk(&HERO, &path, &Settings::default()).unwrap();
    assert_eq!(once, walk(&HERO, &path, &Settings::default()).unwrap());
}

fn soles(model: &Model, walk: &Walk) -> Vec<Vec<DVec3>> {
    let legs = roles_of(model).legs;
    let joint = |leg: &Leg| leg.toe.unwrap_or(leg.foot);
    let path = |joint: usize| {
        walk.frames().iter().map(|pose| pose.world_from_joint(&model.skeleton, joint).translation).collect()
    };
    legs.iter().map(|leg| path(joint(leg))).collect()
}

/// Returns the frames in which a sole rests: it moves less than 0.1 mm to the next frame, for five frames at least.
fn stands(path: &[DVec3]) -> Vec<std::ops::Range<usize>> {
    let rests: Vec<bool> = path.windows(2).map(|pair| pair[0].distance(pair[1]) < 1e-4).collect();
    let mut stands: Vec<std::ops::Range<usize>> = Vec::new();
    for frame in (0..rests.len()).filter(|&frame| rests[frame]) {
        match stands.last_mut() {
            Some(stand) if stand.end == frame => stand.end = frame + 1,
            _ => stands.push(frame..frame + 1),
        }
    }
    stands.retain(|stand| stand.len() >= 5);
    stands
}

#[test]
fn the_last_steps_put_each_foot_down_once_at_its_final_position() {
    let knight = knight();
    let mut of_knight = Settings::default();
    of_knight.clips.gaits = vec!["Walking_A".into(), "Running_A".into()];
    of_knight.clips.idle = Some("Idle".into());
    let mut of_hero = Settings::default();
    of_hero.clips.propose_stop = false;
    for (model, settings) in knight.iter().map(|model| (model, &of_knight)).chain([(&*HERO, &of_hero)]) {
        for (limit, length) in [(0.6, 3.0), (1.0, 5.0), (2.5, 8.0), (4.0, 8.0)] {
            let walk = walk(model, &straight(length, limit), settings).unwrap();
            let report = &walk.report;
            assert_eq!(report.stop.clip, None);
            assert_stops_on_goal(model, &walk, length);
            assert!(report.slide_after < 1.0, "{limit}: {}", report.slide_after);
            assert!(report.leg_too_short < 1e-3, "{limit}: {}", report.leg_too_short);
            let free =
                super::tests::walk(model, &straight(length, limit), &Settings { lock_feet: false, ..settings.clone() });
            let free = free.unwrap().report.knee_step;
            assert!(report.knee_step < (1.2 * free).max(0.45), "{limit}: {} {free}", report.knee_step);
            for path in soles(model, &walk) {
                let (stands, end) = (stands(&path), path[path.len() - 1]);
                let distances: Vec<f64> = stands.iter().map(|stand| path[stand.start].distance(end)).collect();
                let [earlier @ .., last] = &distances[..] else { panic!("{limit}: a foot never rests") };
                assert!(*last < 1e-3 && stands[earlier.len()].end == path.len() - 1, "{limit}: {stands:?}");
                // A foot that came down twice near its final position would have shuffled there.
                assert!(earlier.iter().all(|distance| *distance > 0.3), "{limit}: {distances:?}");
                let away = path.iter().map(|point| point.distance(end) > 2e-3);
                let arrives = away.collect::<Vec<_>>().iter().rposition(|away| *away).unwrap();
                let late = arrives as f64 / walk.fps - report.stop.ends;
                assert!((-1.5..0.6).contains(&late), "{limit}: a foot comes to rest {late} s after the body");
            }
        }
    }
}

#[test]
fn a_start_clip_sets_off_by_distance_and_fades_into_the_gait() {
    let walk = walk(&HERO, &straight(14.0, 4.0), &Settings::default()).unwrap();
    assert_eq!(walk.report.start.as_deref(), Some("start_run"));
    assert_stops_on_goal(&HERO, &walk, 14.0);
    let started: Vec<f64> = walk.report.frames.iter().filter_map(|frame| frame.start_time).collect();
    assert!(started.len() > 30 && started.is_sorted() && *started.last().unwrap() > 1.2, "{started:?}");
    assert!(walk.report.slide_walking < 1.0, "{}", walk.report.slide_walking);
    assert!(walk.report.knee_step < 0.45, "{}", walk.report.knee_step);
    let slow = super::tests::walk(&HERO, &straight(6.0, 1.4), &Settings::default()).unwrap();
    assert_eq!(slow.report.start, None);
}

#[test]
fn a_start_clip_is_stretched_to_where_its_own_speed_is_reached() {
    for (acceleration, longer) in [(1.7, true), (4.0, false)] {
        let settings = Settings { acceleration, ..Settings::default() };
        let walk = walk(&HERO, &straight(16.0, 4.0), &settings).unwrap();
        assert_eq!(walk.report.start.as_deref(), Some("start_run"), "{acceleration}");
        let stretched = walk.report.start_stretched;
        assert!(if longer { stretched > 0.2 } else { stretched == 0.0 }, "{acceleration}: {stretched}");
        assert_stops_on_goal(&HERO, &walk, 16.0);
        let started: Vec<f64> = walk.report.frames.iter().filter_map(|frame| frame.start_time).collect();
        assert!(started.len() > 30 && started.is_sorted());
        assert!(walk.report.slide_walking < 1.0 && walk.report.knee_step < 0.5, "{}", walk.report.knee_step);
    }
}

#[test]
fn feet_stand_on_a_ramp_and_on_stairs_and_never_in_them() {
    let ramp = |point: DVec3| Some((point.z - 2.0).clamp(0.0, 3.0) * 0.3);
    let stairs = |point: DVec3| Some(((point.z - 2.0) / 0.3).floor().clamp(0.0, 8.0) * 0.15);
    let model = &*HERO;
    let roles = roles_of(model);
    let grounds: [(&str, GroundHeight); 2] = [("ramp", &ramp), ("stairs", &stairs)];
    for (name, ground) in grounds {
        let (skeleton, clips) = (&model.skeleton, &model.clips[..]);
        let input = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: Some(ground) };
        let walk = build(&input, &straight(8.0, 1.4), &Settings::default(), &Progress::new()).unwrap();
        let top = ground(DVec3::Z * 8.0).unwrap();
        assert!((walk.path.points.last().unwrap().y - top).abs() < 1e-9);
        for path in soles(model, &walk) {
            let flat = path[0].y;
            let height_over_ground = |point: DVec3| point.y - ground(point).unwrap();
            let deepest = path.iter().map(|point| height_over_ground(*point)).fold(f64::INFINITY, f64::min);
            assert!(deepest > -0.005, "{name}: {deepest}");
            let resting = path.windows(2).filter(|pair| pair[0].distance(pair[1]) < 1e-4);
            let off = resting.map(|pair| (height_over_ground(pair[1]) - flat).abs()).fold(0.0, f64::max);
            assert!(off < 0.02, "{name}: {off}");
        }
        assert!(walk.report.slide_after < 1.0 && walk.report.slide_walking < 1.0);
        assert!(walk.report.leg_too_short < 0.005, "{name}: {}", walk.report.leg_too_short);
    }
}

#[test]
fn an_engine_that_is_moved_by_the_recording_stops_within_a_frame_of_its_end() {
    let walk = walk(&HERO, &straight(12.0, 4.0), &Settings::default()).unwrap();
    for engine in &walk.report.stop.engines {
        let frame = walk.report.stop.speed / engine.rate;
        assert!((0.0..=frame * 1.01).contains(&engine.by_own_steps), "{engine:?}");
        assert!(engine.by_closed_form < engine.by_own_steps + 1e-9, "{engine:?}");
        assert!(engine.recorded < 1e-3, "{engine:?}");
    }
}
