use super::*;
use portamento_anim::ik::{LegPositions, solve_leg};
use portamento_anim::root_motion::world_at;

/// Returns the position of a foot that is planted for 0.6 s of each second, from `phase` on, with steps of 1.2 m. Steps after the
/// first land `further` ahead.
fn foot(time: f64, phase: f64, further: f64) -> DVec3 {
    let step = (time - phase).floor();
    let swing = ((time - phase - step - 0.6) / 0.4).clamp(0.0, 1.0);
    let contact = |step: f64| 1.2 * (step + phase + 0.3) + if step > 0.5 { further } else { 0.0 };
    let along = contact(step) + (contact(step + 1.0) - contact(step)) * swing * swing * (3.0 - 2.0 * swing);
    DVec3::new(0.0, 0.1 * (std::f64::consts::PI * swing).sin().powi(2), along)
}

/// Returns a second of walking at 1.2 m/s. The left foot is planted from 0.8 s before to 0.4 s after the start. Its last step
/// lands 3 cm too far, and the hips sway.
fn walker() -> (Skeleton, Clip) {
    walking(1.0, [-0.2, 0.3], |time, phase| foot(time, phase, if phase < 0.0 { 0.03 } else { 0.0 }))
}

/// Returns a second of walking at 1.2 m/s with hips that sway by `sway`. `foot` returns the position of the foot with that phase.
fn walking(sway: f32, phases: [f64; 2], foot: impl Fn(f64, f64) -> DVec3) -> (Skeleton, Clip) {
    let mut skeleton = skeleton_of(&LEGGED);
    let rests = [[0.0, 0.0, 0.0], [0.0, 0.85, 0.0], [0.1, 0.0, 0.0], [0.0, -0.45, 0.05], [0.0, -0.45, -0.05]];
    let rests = rests.into_iter().chain([[-0.1, 0.0, 0.0], [0.0, -0.45, 0.05], [0.0, -0.45, -0.05]]);
    skeleton.joints.iter_mut().zip(rests).for_each(|(joint, contact)| joint.rest.translation = contact.into());
    let clip = baked(&skeleton, 31, 30.0, |time| {
        let mut pose = Pose::rest(&skeleton);
        pose.locals[0].translation = Vec3::Z * 1.2 * time as f32;
        let sway = sway * time as f32;
        pose.locals[1].translation += Vec3::new(0.03 * sway, -0.1 - 0.02 * sway * sway, 0.0);
        pose.locals[1].rotation = Quat::from_rotation_y(0.05 * sway);
        for (thigh, phase, x) in [(2, phases[0], 0.1), (5, phases[1], -0.1)] {
            let at = |joint: usize| pose.world_from_joint(&skeleton, joint);
            let contact = LegPositions {
                hip: at(thigh).translation,
                knee: at(thigh + 1).translation,
                ankle: at(thigh + 2).translation,
            };
            let turns = solve_leg(&contact, foot(time, phase) + DVec3::X * x, DVec3::X);
            portamento_anim::chain_ik::turn_in_world(&skeleton, &mut pose, thigh, turns.thigh);
            portamento_anim::chain_ik::turn_in_world(
                &skeleton,
                &mut pose,
                thigh + 1,
                turns.shin * turns.thigh.inverse(),
            );
        }
        pose
    });
    (skeleton, clip)
}

fn root() -> Option<RootMotion> {
    Some(RootMotion { joint: 0, kind: RootKind::Root })
}

/// Returns the largest horizontal step of the left foot between frames in which it is planted, metres.
fn slides(skeleton: &Skeleton, clip: &Clip, from: usize, to: usize) -> f64 {
    let at = |i: usize| world_at(skeleton, clip, 4, i as f64 / 30.0).translation.with_y(0.0);
    (from..to).map(|i| at(i + 1).distance(at(i))).fold(0.0, f64::max)
}

#[test]
fn a_foot_planted_across_the_seam_keeps_its_position() {
    let (skeleton, clip) = walker();
    assert!(slides(&skeleton, &clip, 24, 30) < 1e-5 && slides(&skeleton, &clip, 0, 12) < 1e-5, "it is planted");
    for (side, seam) in [(ChangedSide::End, 0.4), (ChangedSide::Both, 0.5), (ChangedSide::Least, 0.4)] {
        let settings = Settings { side, seam, cycle: Cycle::Kept, ..Settings::default() };
        let built = check_closed(&skeleton, &clip, root(), &settings, "held");
        let slid = slides(&skeleton, &built.clip, 24, 30).max(slides(&skeleton, &built.clip, 0, 12));
        assert!(slid < 1e-4 && built.report.foot_slide < 1e-3, "{side:?}: {slid} {:?}", built.report);
        assert!((built.report.foot_jump - 0.03).abs() < 1e-3, "{:?}", built.report);
        assert!(built.report.warnings.is_empty(), "{:?}", built.report.warnings);
        let loose = close(&skeleton, &clip, root(), &Settings { feet: false, ..settings }).unwrap();
        let slid = slides(&skeleton, &loose.clip, 24, 30).max(slides(&skeleton, &loose.clip, 0, 12));
        assert!(slid > 2e-3, "without locking it slides: {slid}");
    }
}

/// Returns the largest step of the left foot beyond those of two frames on either side, metres.
fn jump(skeleton: &Skeleton, clip: &Clip) -> f64 {
    let path: Vec<DVec3> = (0..=30).map(|i| world_at(skeleton, clip, 4, f64::from(i) / 30.0).translation).collect();
    let steps: Vec<f64> = path.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
    let beyond = |i: usize| {
        let others = (i.saturating_sub(2)..steps.len().min(i + 3)).filter(|&other| other != i);
        steps[i] - others.map(|other| steps[other]).fold(0.0, f64::max)
    };
    (0..steps.len()).map(beyond).fold(0.0, f64::max)
}

#[test]
fn a_foot_that_leaves_the_ground_at_the_loop_point_neither_jumps_nor_slides() {
    // The left foot swings evenly. It reaches 3 m/s at once, which is 0.1 m in a frame. The right one is in the air then.
    let swinging = |time: f64, phase: f64| {
        let step = (time - phase).floor();
        let swing = ((time - phase - step - 0.6) / 0.4).clamp(0.0, 1.0);
        DVec3::new(0.0, 0.1 * (std::f64::consts::PI * swing).sin(), 1.2 * (step + phase + 0.3 + swing))
    };
    let (skeleton, clip) = walking(0.0, [0.4, 0.2], swinging);
    assert!(slides(&skeleton, &clip, 14, 30) < 1e-5 && jump(&skeleton, &clip) < 0.01, "{}", jump(&skeleton, &clip));
    for side in [ChangedSide::End, ChangedSide::Both, ChangedSide::Start, ChangedSide::Least] {
        let built =
            close(&skeleton, &clip, root(), &Settings { side, cycle: Cycle::Kept, ..Settings::default() }).unwrap();
        let report = &built.report;
        assert!(!report.closes_already && report.after.is_closed(), "{report:?}");
        let jump = jump(&skeleton, &built.clip);
        assert!(jump < 0.02, "{side:?} jumps by {jump} m");
        let slid = slides(&skeleton, &built.clip, 21, 30);
        assert!(slid < 5e-3, "{side:?} slides by {slid} m: {report:?}");
    }
}

#[test]
fn a_foot_that_cannot_step_in_the_seam_is_reported_with_the_needed_length() {
    let (skeleton, clip) = walker();
    let settings = Settings { side: ChangedSide::End, seam: 0.12, cycle: Cycle::Kept, ..Settings::default() };
    let built = check_closed(&skeleton, &clip, root(), &settings, "caught");
    let [Warning::FootSlides { joint: 4, metres, needs: Some(needs) }] = built.report.warnings[..] else {
        panic!("{:?}", built.report)
    };
    assert!((metres - 0.03).abs() < 1e-3 && (0.2..0.3).contains(&needs), "{metres} {needs}");
    let longer = close(&skeleton, &clip, root(), &Settings { seam: needs, ..settings }).unwrap();
    assert!(longer.report.warnings.is_empty() && longer.report.foot_slide < 1e-3, "{:?}", longer.report);
}
