//! Gaits chosen by speed and slope.

use super::super::gaits::slope_sets::{FADE_SECONDS, HYSTERESIS_DEGREES};
use super::*;

/// Flat, up to `top` metres over `run` metres, flat, down again, flat.
fn hill(top: f64, run: f64) -> impl Fn(DVec3) -> Option<f64> {
    move |point: DVec3| {
        let up = ((point.z - 3.0) / run).clamp(0.0, 1.0);
        let down = ((point.z - 6.0 - run) / run).clamp(0.0, 1.0);
        Some(top * (up - down))
    }
}

fn over(model: &Model, ground: GroundHeight, length: f64, settings: &Settings) -> Walk {
    let roles = roles_of(model);
    let (skeleton, clips) = (&model.skeleton, &model.clips[..]);
    let input = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: Some(ground) };
    build(&input, &straight(length, 1.3), settings, &Progress::new()).unwrap()
}

/// Checks that every gait frame has a gait for its slope, or had one within a cross-fade, or reports that there is
/// none.
fn assert_frames_match_slopes(walk: &Walk) {
    let late = ((FADE_SECONDS * 2.0) * walk.fps).ceil() as usize;
    let frames = &walk.report.frames;
    let mut seen = 0;
    for (i, frame) in frames.iter().enumerate() {
        let Some(gait) = walk.report.gaits.iter().find(|gait| gait.clip == frame.clip) else { continue };
        seen += 1;
        let holds =
            |slope: f64| slope >= gait.slope[0] - HYSTERESIS_DEGREES && slope <= gait.slope[1] + HYSTERESIS_DEGREES;
        let recent = frames[i.saturating_sub(late)..=i].iter().any(|frame| holds(frame.slope));
        assert!(recent || frame.off_slopes, "{frame:?}");
        assert!(frame.limited || (0.6..=1.4 + 1e-9).contains(&frame.rate), "{frame:?}");
    }
    assert!(seen > frames.len() / 2);
}

fn clips_played(walk: &Walk) -> Vec<&str> {
    walk.report.plan.iter().map(|part| part.clip.as_str()).collect()
}

#[test]
fn the_hill_is_walked_with_the_clip_made_for_it_up_and_with_the_plain_one_down() {
    let hill = hill(1.6, 6.0);
    let walk = over(&HERO, &hill, 21.0, &Settings::default());
    assert_frames_match_slopes(&walk);
    assert_eq!(clips_played(&walk)[..5], ["idle", "walk", "walk_uphill", "walk", "run_to_stop"]);
    let uphill = walk.report.gaits.iter().find(|gait| gait.clip == "walk_uphill").unwrap();
    assert!((uphill.rise - 14.04).abs() < 0.1 && (uphill.speed - 1.1).abs() < 0.01, "{uphill:?}");
    assert!((uphill.slope[0] - 0.5 * uphill.rise).abs() < 1e-9 && uphill.slope[1] == 90.0);
    assert_eq!(walk.report.off_slopes, 0.0);
    assert!(walk.report.slide_walking < 1.0 && walk.report.slide_after < 1.0, "{}", walk.report.slide_walking);
    assert!(walk.report.knee_step < 0.45, "{}", walk.report.knee_step);
}

#[test]
fn feet_stand_on_the_hill_whatever_ground_the_clip_was_made_for() {
    for top in [0.9, 1.6, 2.2] {
        let hill = hill(top, 6.0);
        let walk = over(&HERO, &hill, 21.0, &Settings::default());
        assert!(clips_played(&walk).contains(&"walk_uphill"), "{top}");
        for path in soles(&HERO, &walk) {
            let height_over_ground = |point: DVec3| point.y - hill(point).unwrap();
            let deepest = path.iter().map(|point| height_over_ground(*point)).fold(f64::INFINITY, f64::min);
            assert!(deepest > -0.005, "{top}: {deepest}");
            let resting = path.windows(2).filter(|pair| pair[0].distance(pair[1]) < 1e-4);
            let off = resting.map(|pair| (height_over_ground(pair[1]) - path[0].y).abs()).fold(0.0, f64::max);
            assert!(off < 0.02, "{top}: {off}");
        }
        assert!(walk.report.leg_too_short < 0.005, "{top}: {}", walk.report.leg_too_short);
    }
}

#[test]
fn feet_stand_on_ground_that_slopes_to_the_side() {
    // 31°, first to one side and then to the other.
    let bank = |point: DVec3| Some(0.6 * point.x);
    let other = |point: DVec3| Some(-0.6 * point.x);
    let banks: [GroundHeight; 2] = [&bank, &other];
    for model in [Some(HERO.clone()), wild("wild/mage.glb")].into_iter().flatten() {
        for ground in banks {
            let walk = over(&model, ground, 8.0, &Settings::default());
            assert!(walk.report.feet.iter().all(|foot| !foot.skates()), "{}: {:?}", model.name, walk.report.feet);
        }
    }
}

#[test]
fn stairs_count_as_the_slope_they_climb() {
    let stairs = |point: DVec3| Some(((point.z - 2.0) / 0.4).floor().clamp(0.0, 12.0) * 0.12);
    let walk = over(&HERO, &stairs, 10.0, &Settings::default());
    assert_frames_match_slopes(&walk);
    assert_eq!(clips_played(&walk).iter().filter(|clip| **clip == "walk_uphill").count(), 1, "{:?}", walk.report.plan);
    assert!(walk.report.slide_walking < 1.0, "{}", walk.report.slide_walking);
}

#[test]
fn assigned_slopes_overrule_the_proposal_and_uncovered_slopes_are_reported() {
    let hill = hill(1.6, 6.0);
    let mut settings = Settings::default();
    let gait = |clip: &str, slope| GaitClip { clip: clip.into(), slope: Some(slope) };
    settings.clips.gaits = vec![gait("walk", GaitClip::ANY), gait("walk_uphill", GaitClip::DOWNHILL)];
    let walk = over(&HERO, &hill, 21.0, &settings);
    assert_frames_match_slopes(&walk);
    let part = walk.report.plan.iter().find(|part| part.clip == "walk_uphill").unwrap();
    assert!(part.slope < -10.0 && walk.report.off_slopes == 0.0, "{part:?}");
    settings.clips.gaits = vec![gait("walk", [-5.0, 5.0])];
    let walk = over(&HERO, &hill, 21.0, &settings);
    assert!(walk.report.off_slopes > 5.0);
    assert!(!clips_played(&walk).contains(&"walk_uphill"));
    assert_frames_match_slopes(&walk);
}
