//! Preconditions of [`build`] beyond those of [`Settings::check`] and [`WalkPath::check`], which have tests where they are.

use super::*;
use portamento_anim::root_synthesis::RootMotionError;

/// Returns the error of a walk of 5 m with the clips of the hero whose names are in `clips`.
fn refused_with(clips: &[&str], change: impl FnOnce(&mut Settings)) -> WalkError {
    let clips = HERO.clips.iter().filter(|clip| clips.contains(&clip.name.as_str())).cloned().collect();
    let mut settings = Settings::default();
    change(&mut settings);
    walk(&Model { clips, ..HERO.clone() }, &straight(5.0, 2.0), &settings).unwrap_err()
}

/// Returns the error of a walk of 5 m with all clips of the hero.
fn refused(change: impl FnOnce(&mut ClipRoles)) -> WalkError {
    let all: Vec<&str> = HERO.clips.iter().map(|clip| clip.name.as_str()).collect();
    refused_with(&all, |settings| change(&mut settings.clips))
}

#[test]
fn settings_and_path_are_checked_first() {
    let bad_settings = Settings { fps: 1.0, ..Settings::default() };
    assert!(matches!(walk(&HERO, &straight(5.0, 2.0), &bad_settings), Err(WalkError::BadNumber { value: 1.0, .. })));
    let broken = WalkPath { points: vec![DVec3::ZERO, DVec3::NAN], ..straight(5.0, 2.0) };
    assert_eq!(walk(&HERO, &broken, &Settings::default()).unwrap_err(), WalkError::BadPoint { point: 1 });
}

#[test]
fn a_unit_that_is_no_length_is_refused() {
    let roles = roles_of(&HERO);
    for metres_per_unit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let input =
            Input { skeleton: &HERO.skeleton, clips: &HERO.clips, roles: &roles, metres_per_unit, ground: None };
        let refused = build(&input, &straight(5.0, 2.0), &Settings::default(), &Progress::new());
        let Err(WalkError::BadNumber { what, .. }) = refused else { panic!("{metres_per_unit}") };
        assert_eq!(what.to_string(), "The unit scale");
    }
}

#[test]
fn a_character_without_clips_a_stand_or_a_walk_is_refused() {
    assert_eq!(refused_with(&[], |_| ()), WalkError::NoClips);
    assert!(matches!(refused_with(&["idle"], |_| ()), WalkError::NoGait { .. }));
    let instants = HERO.clips.iter().map(|clip| Clip { duration: 0.1, ..clip.clone() }).collect();
    let instants = walk(&Model { clips: instants, ..HERO.clone() }, &straight(5.0, 2.0), &Settings::default());
    assert_eq!(instants.unwrap_err(), WalkError::NoIdle);
    let idle: Vec<Clip> = HERO.clips.iter().filter(|clip| clip.name == "idle").cloned().collect();
    let roles = Roles { legs: Vec::new(), ..roles_of(&HERO) };
    let input = Input { skeleton: &HERO.skeleton, clips: &idle, roles: &roles, metres_per_unit: 1.0, ground: None };
    let legless = build(&input, &straight(5.0, 2.0), &Settings::default(), &Progress::new()).unwrap_err();
    assert_eq!(legless, WalkError::NoLegs(RootMotionError::NoLegs));
}

#[test]
fn an_assigned_clip_that_does_not_exist_is_refused_in_every_role() {
    let name = || Some("fly".to_owned());
    let errors = [
        refused(|roles| roles.idle = name()),
        refused(|roles| roles.gaits = vec!["fly".into()]),
        refused(|roles| roles.start = name()),
        refused(|roles| roles.stop = name()),
        refused(|roles| roles.turns = vec!["fly".into()]),
    ];
    for (error, role) in errors.iter().zip(["standing", "walking", "starting", "stopping", "turning"]) {
        let WalkError::NoSuchClip { name, role: told } = error else { panic!("{role}: {error:?}") };
        assert!(name == "fly" && told.to_string().contains(&role[..4]), "{role}: {error}");
    }
}

#[test]
fn an_assigned_clip_that_does_not_fit_its_role_is_refused() {
    let gait = refused(|roles| roles.gaits = vec!["idle".into()]);
    assert_eq!(gait, WalkError::NoSpeed { clip: "idle".into() });
    let [start, stop] =
        [refused(|roles| roles.start = Some("idle".into())), refused(|roles| roles.stop = Some("idle".into()))];
    for error in [start, stop] {
        assert!(matches!(&error, WalkError::NoTravel { clip, travel } if clip == "idle" && *travel < 0.1), "{error:?}");
    }
    let turn = refused(|roles| roles.turns = vec!["walk".into()]);
    assert_eq!(turn, WalkError::NoTurn { clip: "walk".into() });
}

#[test]
fn a_recording_of_more_than_an_hour_is_refused() {
    // 3 700 m at 1 m/s.
    let error = walk(&HERO, &straight(3_700.0, 1.0), &Settings::default()).unwrap_err();
    assert!(matches!(error, WalkError::TooLong { seconds } if seconds > 3_700.0), "{error:?}");
}

#[test]
fn laps_that_are_too_long_together_are_refused() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 0.0, 1.0), DVec3::Z, DVec3::ZERO];
    let yard = |metres: f64, speed: f64| WalkPath {
        points: corners.map(|corner| corner * metres).to_vec(),
        speed_limits: vec![speed; 5],
    };
    let settings = Settings { laps: 60, ..Settings::default() };
    let long = walk(&HERO, &yard(25.0, 1.0), &settings).unwrap_err();
    assert!(matches!(long, WalkError::LongPath { longest: 5_000.0, .. }), "{long:?}");
    let slow = walk(&HERO, &yard(15.0, 0.5), &settings).unwrap_err();
    assert!(matches!(slow, WalkError::TooLong { .. }), "{slow:?}");
}

#[test]
fn a_cancelled_walk_stops() {
    let roles = roles_of(&HERO);
    let cancelled = Progress::new();
    cancelled.cancel();
    let input =
        Input { skeleton: &HERO.skeleton, clips: &HERO.clips, roles: &roles, metres_per_unit: 1.0, ground: None };
    let stopped = build(&input, &straight(5.0, 2.0), &Settings::default(), &cancelled);
    assert!(matches!(stopped, Err(WalkError::Cancelled(_))));
}
