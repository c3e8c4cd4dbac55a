//! Loops that repeat, jumps, and stopping on request.

use glam::Quat;

use super::super::*;
use super::{bake, hanging, loose, swaying};
use portamento_anim::Pose;
use portamento_anim::math::mean::angle_between;
use portamento_base::progress::Progress;

#[test]
fn a_loop_repeats_and_reports_its_number_of_cycles() {
    let skeleton = hanging(4, 0.1);
    for drag in [0.1, 0.2, 0.4] {
        let mut settings = loose(drag);
        settings.wind = Wind { strength: 1.0, period: 0.4, ..Default::default() };
        let input = Input { skeleton: &skeleton, driver: &swaying, duration: 1.0, looping: true, metres_per_unit: 1.0 };
        let built = build(&input, &settings, &Progress::new()).unwrap();
        let residue = built.report.residue.unwrap();
        assert!(residue <= 1e-5 && built.report.cycles <= 64, "{residue} after {}", built.report.cycles);
        assert!(built.report.cycles > 1 && built.report.warnings.is_empty());
        let (first, last) = (built.rows().next().unwrap(), built.rows().last().unwrap());
        assert!(first.iter().zip(last).all(|(a, b)| angle_between(*a, *b) < 1e-4));
    }
}

#[test]
fn a_travelling_loop_is_carried_over_its_seam() {
    let skeleton = hanging(4, 0.1);
    let walking = |time: f64, pose: &mut Pose| {
        swaying(time, pose);
        pose.locals[0].translation.z += 1.5 * time as f32;
    };
    let input = Input { skeleton: &skeleton, driver: &walking, duration: 1.0, looping: true, metres_per_unit: 1.0 };
    let built = build(&input, &loose(0.2), &Progress::new()).unwrap();
    assert!(built.report.residue.unwrap() <= 1e-5);
}

#[test]
fn a_jump_carries_or_resets_the_motion() {
    let skeleton = hanging(3, 0.1);
    let mut settings = loose(0.1);
    let jumping = |time: f64, pose: &mut Pose| {
        swaying(time, pose);
        if time > 0.5 {
            pose.locals[0].translation.x += 100.0;
        }
    };
    let plain = bake(&skeleton, &swaying, 1.0, &settings);
    let carried = bake(&skeleton, &jumping, 1.0, &settings);
    // Except for the step of the jump, the bones move as if there had been no jump.
    let apart = |a: &Built, b: &Built, i: usize| {
        let rows = |built: &Built| built.rows().nth(i).unwrap().to_vec();
        rows(a).iter().zip(rows(b)).map(|(a, b)| angle_between(*a, b)).fold(0.0, f64::max)
    };
    assert!((0..=240).all(|i| apart(&plain, &carried, i) < 0.1));
    settings.teleport.rule = TeleportRule::Reset;
    let fresh = bake(&skeleton, &jumping, 1.0, &settings);
    let first = fresh.rows().nth(121).unwrap();
    assert!(first.iter().all(|q| angle_between(*q, Quat::IDENTITY) < 0.02));
}

#[test]
fn a_cancelled_build_stops() {
    let skeleton = hanging(2, 0.1);
    let input = Input { skeleton: &skeleton, driver: &swaying, duration: 100.0, looping: false, metres_per_unit: 1.0 };
    let progress = Progress::new();
    progress.cancel();
    assert!(matches!(build(&input, &loose(0.1), &progress), Err(BuildError::Cancelled(_))));
}

#[test]
fn a_long_loop_repeats_without_a_full_warm_up_cycle() {
    let skeleton = hanging(4, 0.1);
    let steps = std::sync::atomic::AtomicUsize::new(0);
    // Sways once a second, and as a whole once in twelve seconds.
    let driver = |time: f64, pose: &mut Pose| {
        steps.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        swaying(time, pose);
        pose.locals[0].translation.z += 0.3 * (time / 12.0 * std::f64::consts::TAU).sin() as f32;
    };
    let input = Input { skeleton: &skeleton, driver: &driver, duration: 12.0, looping: true, metres_per_unit: 1.0 };
    for drag in [0.1, 0.3, 0.7] {
        let built = build(&input, &loose(drag), &Progress::new()).unwrap();
        let residue = built.report.residue.unwrap();
        assert!(residue <= 1e-5 && built.report.warnings.is_empty(), "{drag}: {residue}");
        let (first, last) = (built.rows().next().unwrap(), built.rows().last().unwrap());
        assert!(first.iter().zip(last).all(|(a, b)| angle_between(*a, *b) < 1e-4));
        // Equal to the result after any larger number of cycles.
        let mut often = loose(drag);
        often.loop_clean = false;
        let open = build(&input, &often, &Progress::new()).unwrap();
        let late = |built: &Built| built.rows().nth(11 * 240).unwrap().to_vec();
        assert!(late(&built).iter().zip(late(&open)).all(|(a, b)| angle_between(*a, b) < 1e-4), "{drag}");
    }
    assert!(
        steps.load(std::sync::atomic::Ordering::Relaxed) < 6 * (12 * 240 + 100),
        "the motion is sampled once a build"
    );
}

#[test]
fn a_long_loop_is_simulated_again_only_until_it_repeats() {
    let skeleton = hanging(4, 0.1);
    let input = Input { skeleton: &skeleton, driver: &swaying, duration: 12.0, looping: true, metres_per_unit: 1.0 };
    for drag in [0.1, 0.3] {
        let clean = build(&input, &loose(drag), &Progress::new()).unwrap();
        let mut once = loose(drag);
        once.loop_clean = false;
        let once = build(&input, &once, &Progress::new()).unwrap();
        let same: Vec<bool> = clean.rows().zip(once.rows()).map(|(a, b)| a == b).collect();
        let first_repeated_step = same.iter().rposition(|same| !same).unwrap() + 1;
        // From rest, the first steps cannot be those of a loop.
        assert!(!same[60] && (60..10 * 240).contains(&first_repeated_step), "{drag}: {first_repeated_step}");
        assert_eq!((clean.report.cycles, clean.report.contacts.len()), (2, clean.len()));
        let rotation_change = |k: usize| {
            let rows: Vec<&[Quat]> = clean.rows().skip(k).take(3).collect();
            // Difference between the rotations of consecutive steps.
            let turn = |i: usize, j: usize| angle_between(rows[i][j], rows[i + 1][j]);
            (0..4).map(|j| (turn(0, j) - turn(1, j)).abs()).fold(0.0, f64::max)
        };
        let elsewhere = (first_repeated_step + 20..first_repeated_step + 240).map(rotation_change).fold(0.0, f64::max);
        assert!(
            rotation_change(first_repeated_step - 2).max(rotation_change(first_repeated_step - 1)) <= elsewhere + 4e-5,
            "{drag}: {} {elsewhere}",
            rotation_change(first_repeated_step - 1)
        );
    }
}
