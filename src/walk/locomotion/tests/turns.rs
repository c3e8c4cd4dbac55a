//! Turns on the spot: at the start, at corners, at the goal.

use super::super::clips::in_place_clip::yaw;
use super::*;
use portamento_anim::root_motion::{turn_of, wrap};

/// Returns the root's yaw at a frame relative to its rest rotation, degrees.
fn heading(model: &Model, walk: &Walk, frame: usize) -> f64 {
    let root = walk.root.unwrap().joint;
    let turned = turn_of(&walk.frames()[frame].world_from_joint(&model.skeleton, root));
    (2.0 * turned.y.atan2(turned.w)).to_degrees()
}

fn apart(a: f64, b: f64) -> f64 {
    wrap((a - b).to_radians()).to_degrees().abs()
}

/// Checks that no joint of the body jumps between frames, at seams least of all.
fn assert_no_pops(model: &Model, walk: &Walk, most: f64) {
    let hips = roles_of(model).hips.unwrap();
    for (i, pair) in walk.frames().windows(2).enumerate() {
        let at = |pose: &Pose| pose.world_from_joint(&model.skeleton, hips).translation;
        let step = at(&pair[0]).distance(at(&pair[1])) * walk.fps;
        assert!(step < 3.0, "frame {i}: the hips go {step} m/s");
        for (joint, (a, b)) in pair[0].locals.iter().zip(&pair[1].locals).enumerate() {
            let turned = angle_between(a.rotation, b.rotation);
            assert!(turned < most, "frame {i}: joint {joint} turns {turned} rad");
        }
    }
}

fn turning(start: Option<f64>, goal: Option<f64>) -> Settings {
    Settings { start_facing: start, goal_facing: goal, ..Settings::default() }
}

/// Returns the hero with only these clips.
fn hero_with(names: &[&str]) -> Model {
    let clips = HERO.clips.iter().filter(|clip| names.contains(&clip.name.as_str())).cloned().collect();
    Model { clips, ..HERO.clone() }
}

#[test]
fn a_character_that_faces_away_turns_with_the_turn_clip_before_setting_off() {
    let cases = [
        (180.0, "turn"),
        (165.0, "turn"),
        (-170.0, "turn"),
        (-140.0, "turn"),
        (-100.0, "turn_left"),
        (70.0, "turn_right"),
    ];
    for (facing, clip) in cases {
        let walk = walk(&HERO, &straight(6.0, 1.4), &turning(Some(facing), None)).unwrap();
        let [turn] = &walk.report.turns[..] else { panic!("{:?}", walk.report.turns) };
        assert_eq!(turn.clip.as_deref(), Some(clip), "{facing}");
        let warp = turn.angle / turn.clip_angle.unwrap();
        assert!((0.6..=1.4).contains(&warp) && apart(facing + turn.angle, 0.0) < 1e-6, "{turn:?}");
        assert!(turn.error.abs() < 0.1 && turn.slide < 1.0, "{turn:?}");
        let turning = walk.report.frames.iter().filter(|frame| (turn.begins..turn.ends).contains(&frame.time));
        assert!(turning.clone().count() > 20 && turning.clone().all(|frame| (0.5..=1.0).contains(&frame.share)));
        assert!(apart(heading(&HERO, &walk, 0), facing) < 0.1);
        let end = (turn.ends * walk.fps).ceil() as usize;
        assert!(apart(heading(&HERO, &walk, end), 0.0) < 0.1, "{facing}: {}", heading(&HERO, &walk, end));
        assert!(walk.placement_at(turn.ends).at.distance(DVec3::ZERO) < 1e-9);
        assert_no_pops(&HERO, &walk, 0.5);
        assert!(walk.report.slide_after < 1.0 && walk.report.slide_walking < 1.0);
        assert!(gone(&HERO, &walk, walk.duration).distance(DVec3::Z * 6.0) < 1e-3);
    }
}

#[test]
fn a_turn_fades_into_a_start_clip_and_follows_a_stop_clip() {
    let walk = walk(&HERO, &straight(14.0, 4.0), &turning(Some(180.0), Some(90.0))).unwrap();
    assert_eq!(walk.report.start.as_deref(), Some("start_run"));
    assert_eq!(walk.report.stop.clip.as_deref(), Some("run_to_stop"));
    let clips: Vec<&str> = walk.report.turns.iter().filter_map(|turn| turn.clip.as_deref()).collect();
    assert_eq!(clips, ["turn", "turn_left"]);
    assert!(walk.report.slide_after < 1.0 && walk.report.slide_walking < 1.0 && walk.report.slide_turning < 1.0);
    assert!(walk.report.drift.worst < 1e-3, "{:?}", walk.report.drift);
    assert!(walk.report.stop.engines.iter().all(|engine| engine.recorded < 1e-3));
    assert!(gone(&HERO, &walk, walk.duration).distance(DVec3::Z * 14.0) < 1e-3);
    let last = walk.frames().len() - 1;
    assert!(apart(heading(&HERO, &walk, last), 90.0) < 0.1);
    let pops = |joint: usize| {
        let turned = |pair: &[Pose]| angle_between(pair[0].locals[joint].rotation, pair[1].locals[joint].rotation);
        walk.frames().windows(2).map(turned).fold(0.0, f64::max)
    };
    let worst = (0..HERO.skeleton.len()).map(pops).fold(0.0, f64::max);
    assert!(worst < 0.6, "{worst}");
}

#[test]
fn without_a_turn_clip_the_feet_step_around_and_stand_where_they_step() {
    let knight = knight();
    let hero = hero_with(&["idle", "walk", "run"]);
    for model in knight.iter().chain([&hero]) {
        for facing in [30.0, -90.0, 135.0, 180.0] {
            let mut settings = turning(Some(facing), Some(-facing));
            settings.clips.propose_turns = false;
            let walk = walk(model, &straight(4.0, 1.2), &settings).unwrap();
            assert_eq!(walk.report.turns.len(), 2);
            for turn in &walk.report.turns {
                assert!(turn.clip.is_none() && turn.error.abs() < 0.1 && turn.slide < 1.0, "{facing}: {turn:?}");
                assert!(turn.fastest <= settings.turn_speed + 1e-6);
            }
            let last = walk.frames().len() - 1;
            assert!(apart(walk.report.frames[last].facing, -facing) < 1e-6);
            let turned = heading(model, &walk, last) - heading(model, &walk, 0);
            assert!(apart(turned, -2.0 * facing) < 0.1, "{facing}: {turned}");
            assert_no_pops(model, &walk, 0.5);
        }
    }
}

#[test]
fn the_heading_never_turns_faster_than_the_limit() {
    let corner = [DVec3::ZERO, DVec3::Z * 3.0, DVec3::new(3.0, 0.0, 3.0)];
    let path = WalkPath { points: corner.to_vec(), speed_limits: vec![1.4; 3] };
    for (speed, model) in [(60.0, &*HERO), (90.0, &hero_with(&["idle", "walk", "run"]))] {
        let settings = Settings { turn_speed: speed, ..turning(Some(180.0), Some(-45.0)) };
        let walk = walk(model, &path, &settings).unwrap();
        let facings = walk.report.frames.windows(2).map(|pair| apart(pair[0].facing, pair[1].facing) * walk.fps);
        let fastest = facings.fold(0.0, f64::max);
        assert!(fastest <= speed * (1.0 + 1e-9) && fastest > 0.6 * speed, "{fastest} of {speed}");
    }
}

#[test]
fn a_corner_too_sharp_to_follow_is_turned_on_the_spot() {
    let points = vec![DVec3::ZERO, DVec3::Z * 4.0, DVec3::new(0.3, 0.0, 0.5)];
    let path = WalkPath { speed_limits: vec![1.4; points.len()], points };
    let walk = walk(&HERO, &path, &Settings::default()).unwrap();
    let [turn] = &walk.report.turns[..] else { panic!("{:?}", walk.report.turns) };
    let wanted = yaw(path.points[2] - path.points[1]).to_degrees();
    assert!(apart(turn.angle, wanted) < 0.5 && turn.error.abs() < 0.1 && turn.slide < 1.0, "{turn:?} {wanted}");
    let at = walk.placement_at(0.5 * (turn.begins + turn.ends)).at;
    assert!(at.distance(path.points[1]) < 1e-6, "{at}");
    assert!(gone(&HERO, &walk, walk.duration).distance(path.points[2]) < 1e-3);
    assert!(walk.report.slide_after < 1.0 && walk.report.slide_walking < 1.0, "{}", walk.report.slide_after);
    assert_no_pops(&HERO, &walk, 0.5);
    assert!((walk.path.length() - 4.0 - path.points[1].distance(path.points[2])).abs() < 1e-3);
    let remaining: Vec<f64> = walk.report.frames.iter().map(|frame| frame.remaining).collect();
    assert!(remaining.is_sorted_by(|a, b| a >= &(b - 1e-9)) && remaining[remaining.len() - 1] < 1e-6);
    let times: Vec<f64> = walk.report.frames.iter().map(|frame| frame.time).collect();
    assert!(times.windows(2).all(|pair| (pair[1] - pair[0] - 1.0 / walk.fps).abs() < 1e-9));
    assert_eq!(walk.report.frames.len(), walk.frames().len());
}

#[test]
fn a_clip_that_does_not_turn_is_rejected_and_a_facing_must_be_an_angle() {
    let mut settings = turning(Some(90.0), None);
    settings.clips.turns = vec!["idle".into()];
    let sentence = walk(&HERO, &straight(3.0, 1.0), &settings).unwrap_err().to_string();
    assert!(sentence.contains("'idle' does not turn"), "{sentence}");
    let sentence = walk(&HERO, &straight(3.0, 1.0), &turning(Some(f64::NAN), None)).unwrap_err().to_string();
    assert!(sentence.contains("facing at the start"), "{sentence}");
}

#[test]
fn a_stepping_turn_keeps_the_idle_motion_and_lifts_both_feet() {
    let hero = hero_with(&["idle", "walk"]);
    let walk = walk(&hero, &straight(1.0, 1.2), &turning(Some(120.0), None)).unwrap();
    let turn = &walk.report.turns[0];
    assert!(turn.clip.is_none(), "{turn:?}");
    let frames = &walk.frames()[..(turn.ends * walk.fps) as usize];
    let roles = roles_of(&hero);
    for leg in &roles.legs {
        let heights = frames.iter().map(|pose| pose.world_from_joint(&hero.skeleton, leg.foot).translation.y);
        let [low, high] = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], y| [low.min(y), high.max(y)]);
        assert!(high - low > 0.01, "foot {}: {low} to {high}", leg.foot);
    }
    let head = roles.head.unwrap();
    let moves = |pose: &Pose| angle_between(pose.locals[head].rotation, frames[0].locals[head].rotation);
    assert!(frames.iter().map(moves).fold(0.0, f64::max) > 1e-3);
}

#[test]
fn a_stepping_turn_does_not_twist_the_legs() {
    let hero = hero_with(&["idle", "walk"]);
    let legs = roles_of(&hero).legs;
    for facing in [120.0, -170.0] {
        let walk = walk(&hero, &straight(1.0, 1.2), &turning(Some(facing), None)).unwrap();
        let frames = (walk.report.turns[0].ends * walk.fps) as usize;
        // Returns the change of a foot's yaw relative to the body since the first frame.
        let wrung = |frame: usize, leg: &Leg| {
            let looks = |frame: usize| {
                let at = |joint: usize| walk.frames()[frame].world_from_joint(&hero.skeleton, joint).translation;
                yaw(at(leg.toe.unwrap()) - at(leg.foot)).to_degrees() - heading(&hero, &walk, frame)
            };
            apart(looks(frame), looks(0))
        };
        let worst = (0..frames).flat_map(|frame| legs.iter().map(move |leg| wrung(frame, leg))).fold(0.0, f64::max);
        // If feet stayed planted until a leg is at its limit, they would reach 40°.
        assert!(worst < 30.0, "{facing}: {worst}");
    }
}
