//! Foot contacts and stops against measures from the literature.
//!
//! Tested elsewhere: the distance curve next to [`DistanceCurve`]; the stopping formulas against a simulation next to
//! [`Braking`]; the damped Jacobian next to `chain_ik`; contact flicker next to `contacts`.
//!
//! Not tested:
//! - A limit on the stop clip's play rate. The remaining distance drives the clip, so a limit could only make it miss
//!   the goal; the rates are reported instead.
//! - Blocked characters, which do not occur in a recording.
//! - A leg never straighter than in its clip. A step that no clip has stretches the rear leg to at most 99.5 % of its
//!   length. Knee pops are bounded by the tests of knees.
//! - Weights of single joints, which the pose match does not have.

use super::*;
use portamento_anim::ik::LegPositions;

/// Walks with and without a stop clip, by the hero and the knight.
fn stops() -> Vec<(Model, Settings)> {
    let mut plain = Settings::default();
    plain.clips.propose_stop = false;
    let knight = knight().map(|knight| (knight, Settings::default()));
    [(HERO.clone(), Settings::default()), (HERO.clone(), plain)].into_iter().chain(knight).collect()
}

#[test]
fn an_engines_preview_stops_at_the_predicted_point() {
    for speed in [1.0, 2.5, 4.0] {
        let settings = Settings { engine_rate: Some(60.0), ..Settings::default() };
        let walk = walk(&HERO, &straight(12.0, speed), &settings).unwrap();
        let stop = &walk.report.stop;
        // Stepped again from the recording, as an engine would at its own rate.
        let mut left = stop.predicted;
        let mut speed = stop.speed;
        while speed > 1e-9 {
            speed = (speed - (settings.braking.friction * speed + settings.braking.deceleration) / 60.0).max(0.0);
            left -= speed / 60.0;
        }
        assert!(left.abs() < 5e-3, "{left}");
        let gone = gone(&HERO, &walk, walk.duration).z - gone(&HERO, &walk, stop.begins).z;
        assert!((gone - stop.predicted).abs() < 5e-3, "{gone}");
    }
}

#[test]
fn the_reported_stance_share_of_the_clips_is_correct() {
    // The soles of the run rest in 7 of its 20 frames, whose ends are not detected; those of the walk in more than
    // half.
    for (limit, wanted) in [(4.0, 0.2..0.4), (1.4, 0.4..0.7)] {
        let walk = walk(&HERO, &straight(20.0, limit), &Settings::default()).unwrap();
        assert_eq!(walk.report.feet.len(), 2);
        for foot in &walk.report.feet {
            assert!(wanted.contains(&foot.own) && foot.stance_ratio() > 0.7, "{limit}: {foot:?}");
        }
    }
}

#[test]
fn planted_feet_stay_where_they_came_down() {
    for (model, settings) in stops() {
        let walk = walk(&model, &straight(9.0, 2.5), &settings).unwrap();
        let drift = walk.report.drift;
        assert!(drift.stands > 8 && drift.worst < 1e-3 && drift.mean <= drift.worst, "{drift:?}");
        let free = Settings { lock_feet: false, ..settings };
        let loose = super::walk(&model, &straight(9.0, 2.5), &free).unwrap().report.drift;
        assert!(drift.worst < 0.2 * loose.worst, "{drift:?} {loose:?}");
    }
}

#[test]
fn no_frame_of_the_stop_skates() {
    for (model, settings) in stops() {
        let walk = walk(&model, &straight(12.0, 4.0), &settings).unwrap();
        let first = (walk.report.stop.begins * walk.fps) as usize;
        for path in soles(&model, &walk) {
            let ground = path.iter().map(|point| point.y).fold(f64::INFINITY, f64::min);
            // A low step passes within a few centimetres of the ground; contact is within one.
            let low = |i: usize| path[i].y - ground < 0.01;
            let mean = |i: usize| (path[i + 2] - path[i - 3]).with_y(0.0).length() / 5.0 * walk.fps;
            let now = |i: usize| (path[i] - path[i - 1]).with_y(0.0).length() * walk.fps;
            let skates = |i: usize| low(i) && low(i - 1) && mean(i).min(now(i)) > 0.5;
            // The frame in which a foot lands still moves.
            let skating: Vec<usize> = (first.max(4)..path.len() - 2).filter(|&i| skates(i) && skates(i - 1)).collect();
            assert!(skating.is_empty(), "{skating:?}");
        }
    }
}

#[test]
fn locked_feet_move_no_faster_than_twice_their_clips() {
    for (model, settings) in stops() {
        let fastest = |settings: &Settings| {
            let walk = walk(&model, &straight(9.0, 2.5), settings).unwrap();
            let step = |path: &Vec<DVec3>| path.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f64::max);
            soles(&model, &walk).iter().map(step).fold(0.0, f64::max)
        };
        let (locked, free) = (fastest(&settings), fastest(&Settings { lock_feet: false, ..settings.clone() }));
        assert!(locked <= 2.0 * free, "{locked} {free}");
    }
}

#[test]
fn no_leg_is_pulled_straight() {
    for (model, settings) in stops() {
        let path = straight(9.0, 2.5);
        let legs = roles_of(&model).legs;
        let walked = |settings: &Settings| walk(&model, &path, settings).unwrap();
        let (locked, free) = (walked(&settings), walked(&Settings { lock_feet: false, ..settings.clone() }));
        let extension = |pose: &Pose, leg: &Leg| {
            let at = |joint: usize| pose.world_from_joint(&model.skeleton, joint).translation;
            let leg_at = LegPositions { hip: at(leg.thigh), knee: at(leg.shin), ankle: at(leg.foot) };
            (leg_at.ankle - leg_at.hip).length() / leg_at.length()
        };
        for leg in &legs {
            let straightest = |walk: &Walk| walk.frames().iter().map(|pose| extension(pose, leg)).fold(0.0, f64::max);
            let (after, before) = (straightest(&locked), straightest(&free));
            assert!(after <= before.max(0.995), "{after} {before}");
        }
    }
}

#[test]
fn without_a_level_the_feet_follow_the_heights_of_the_path() {
    let points = vec![DVec3::ZERO, DVec3::Z * 2.0, DVec3::new(0.0, 0.9, 5.0), DVec3::new(0.0, 0.9, 8.0)];
    let walk_path = WalkPath { speed_limits: vec![1.2; 4], points };
    let walk = walk(&HERO, &walk_path, &Settings { turning_radius: 0.25, ..Settings::default() }).unwrap();
    for path in soles(&HERO, &walk) {
        let resting = path.windows(2).filter(|pair| pair[0].distance(pair[1]) < 1e-4);
        let height = |z: f64| ((z - 2.0) * 0.3).clamp(0.0, 0.9);
        let off = resting.map(|pair| (pair[1].y - path[0].y - height(pair[1].z)).abs()).fold(0.0, f64::max);
        assert!(off < 0.02, "{off}");
    }
}
