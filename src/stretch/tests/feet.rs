use super::*;
use portamento_test_support::LEGGED;

/// Returns hips at 0.78 m with two bent legs, walking 1 m along Z. The left foot swings in the first half, the right foot in the
/// second.
fn walker() -> (Skeleton, Clip) {
    let mut skeleton = skeleton_of(&LEGGED);
    let set_position =
        |skeleton: &mut Skeleton, joint: usize, at: [f32; 3]| skeleton.joints[joint].rest.translation = at.into();
    set_position(&mut skeleton, 0, [0.0; 3]);
    set_position(&mut skeleton, 1, [0.0, 0.78, 0.0]);
    for (first, x) in [(2, 0.1), (5, -0.1)] {
        set_position(&mut skeleton, first, [x, 0.0, 0.0]);
        set_position(&mut skeleton, first + 1, [0.0, -0.45, 0.05]);
        set_position(&mut skeleton, first + 2, [0.0, -0.45, -0.05]);
    }
    let points: Vec<Vec3> = (0..=20).map(|i| Vec3::Z * 0.02 * i as f32).collect();
    let clip = clip_of(&skeleton, &points, |leg, i| {
        let phase = (i as f64 - 10.0 * leg as f64).clamp(0.0, 10.0) / 10.0;
        DVec3::new(0.0, 0.08 * (phase * std::f64::consts::PI).sin(), 0.4 * phase)
    });
    (skeleton, clip)
}

/// Returns a clip with the root at `points` (20 per second) and the feet at `foot(leg, frame)`, for leg 0 or 1. The legs are
/// posed by the IK solver and baked.
fn clip_of(skeleton: &Skeleton, points: &[Vec3], foot: impl Fn(usize, usize) -> DVec3) -> Clip {
    let times: Vec<f32> = (0..points.len()).map(|i| i as f32 / 20.0).collect();
    let duration = f64::from(times[times.len() - 1]);
    let mut clip = Clip { name: "step".into(), duration, tracks: vec![JointTracks::default(); skeleton.len()] };
    clip.tracks[0].translation = Some(Curve::linear(times.clone(), points.to_vec()));
    for (leg, first, x) in [(0, 2, 0.1), (1, 5, -0.1)] {
        let mut keys: [Vec<Quat>; 2] = Default::default();
        for (i, &time) in times.iter().enumerate() {
            let at = |joint| world_at(skeleton, &clip, joint, f64::from(time)).translation;
            let leg_positions =
                portamento_anim::ik::LegPositions { hip: at(first), knee: at(first + 1), ankle: at(first + 2) };
            let turns = portamento_anim::ik::solve_leg(&leg_positions, foot(leg, i) + DVec3::X * x, DVec3::X);
            assert!(turns.gap < 1e-9);
            keys[0].push(turns.thigh.as_quat());
            keys[1].push((turns.thigh.inverse() * turns.shin).as_quat());
        }
        let [thigh, shin] = keys;
        clip.tracks[first].rotation = Some(Curve::linear(times.clone(), thigh));
        clip.tracks[first + 1].rotation = Some(Curve::linear(times.clone(), shin));
    }
    clip
}

/// Returns a standing leap of 1.2 m: 0.5 s on the ground, 1.5 s in the air with the feet under the body, 0.5 s on the ground.
fn leaper() -> (Skeleton, Clip) {
    let skeleton = walker().0;
    let flight = |i: usize| ((i as f64 - 10.0) / 30.0).clamp(0.0, 1.0);
    let height = |i: usize| 1.6 * flight(i) * (1.0 - flight(i));
    let points: Vec<Vec3> = (0..=50).map(|i| DVec3::new(0.0, height(i), 1.2 * flight(i)).as_vec3()).collect();
    // Both feet trail the body at first and lead it before landing.
    let clip = clip_of(&skeleton, &points, |_, i| {
        let lead = -0.2 * (std::f64::consts::TAU * flight(i)).sin();
        DVec3::new(0.0, height(i), 1.2 * flight(i) + lead)
    });
    (skeleton, clip)
}

/// Returns the largest distance that a foot slides in a frame, over frames in which it moves less than `standing` in `source`.
fn slide(skeleton: &Skeleton, source: &Clip, stretched: &Clip, (foot, standing): (usize, f64), times: &[f64]) -> f64 {
    let at = |clip: &Clip, i: usize| world_at(skeleton, clip, foot, times[i]).translation;
    let is_planted = |&i: &usize| (at(source, i) - at(source, i - 1)).length() < standing;
    (1..times.len()).filter(is_planted).map(|i| (at(stretched, i) - at(stretched, i - 1)).length()).fold(0.0, f64::max)
}

#[test]
fn planted_feet_stay_planted_while_the_body_goes_further() {
    let (skeleton, clip) = walker();
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let with = |feet| stretch_as(&skeleton, &clip, root, &Settings { feet, ..to(0.05, 0.0, 0.6) }).unwrap();
    let (plain, planted) = (with(false), with(true));
    for foot in [4, 7] {
        let slid = |built: &Built| slide(&skeleton, &clip, built.clip(), (foot, 1e-5), &built.report.times);
        assert!(slid(&plain) > 5e-3 && slid(&planted) < 1e-5, "{} {}", slid(&plain), slid(&planted));
    }
    assert_eq!(planted.report.stretched, plain.report.stretched);
    assert!(planted.report.warnings.is_empty(), "{:?}", planted.report.warnings);
}

#[test]
fn a_leg_that_is_too_short_is_reported_and_its_knee_does_not_pop() {
    let (skeleton, clip) = walker();
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let built = stretch_as(&skeleton, &clip, root, &Settings { feet: true, ..to(0.0, 0.0, 3.0) }).unwrap();
    let short = built.report.warnings.iter().find(|warning| warning.kind == WarningKind::LegTooShort).unwrap();
    let times = &built.report.times;
    let message = short.message(&DisplayUnits { times, fps: 20.0, metres_per_unit: 0.01, skeleton: &skeleton });
    let foot = &skeleton.joints[short.joint.unwrap()].name;
    let millimetres = format!("{:.1} mm", 10.0 * short.amount);
    assert!(
        short.amount > 0.1 && message.to_string().contains(foot) && message.to_string().contains(&millimetres),
        "{message}"
    );
    assert_eq!(message.moment.as_ref().map(|moment| moment.seconds), Some(times[short.frame]));
    for knee in [3, 6] {
        let turned = built.clip().tracks[knee].rotation.as_ref().unwrap();
        let steps = turned.values.windows(2).map(|pair| pair[0].angle_between(pair[1]));
        let steps: Vec<f32> = steps.collect();
        assert!(steps.iter().all(|&step| step < 0.5), "{steps:?}");
    }
}

#[test]
fn without_a_change_the_legs_are_those_of_the_source() {
    let (skeleton, clip) = walker();
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let built = stretch_as(&skeleton, &clip, root, &Settings { feet: true, ..Settings::default() }).unwrap();
    assert_eq!(built.clip(), &clip);
}

#[test]
fn feet_in_the_air_follow_the_body() {
    let (skeleton, clip) = leaper();
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let built = stretch_as(&skeleton, &clip, root, &Settings { feet: true, ..to(0.0, 0.0, 3.0) }).unwrap();
    assert!(built.report.warnings.is_empty(), "{:?}", built.report.warnings);
    let turned = |clip: &Clip, joint: usize, i: usize| {
        let mut pose = Pose::default();
        pose.set_rest(&skeleton);
        clip.sample(&skeleton, i as f64 / 20.0, &mut pose);
        pose.locals[joint].rotation
    };
    // In the air from frame 10 to frame 40; 0.2 s are 4 frames.
    for joint in [2, 3, 5, 6] {
        // The sine of half the angle, since the cosine is too coarse for small angles.
        let half = |i: usize| (turned(&clip, joint, i).conjugate() * turned(built.clip(), joint, i)).xyz().length();
        let off = (16..=34).map(half).fold(0.0, f32::max);
        assert!(off < 1e-6, "joint {joint} is turned by {off} half-radians in the air");
    }
    for foot in [4, 7] {
        let slid = slide(&skeleton, &clip, built.clip(), (foot, 1e-5), &built.report.times);
        assert!(slid < 1e-5, "{slid}");
    }
}

#[test]
fn a_contact_set_by_hand_replaces_the_detected_ones() {
    let (skeleton, clip) = walker();
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let found = stretch_as(&skeleton, &clip, root, &Settings { feet: true, ..to(0.05, 0.0, 0.6) }).unwrap();
    assert_eq!(found.report.plants.iter().map(|plants| plants.foot).collect::<Vec<_>>(), [4, 7]);
    // The left foot swings in the first 0.5 s. A contact set by hand from 0.1 s to 0.3 s plants it in the middle of its swing.
    let spans = vec![PlantSpan { start: 0.1, end: 0.3 }];
    let plants = vec![FootPlants { foot: 4, spans: spans.clone() }];
    let by_hand = stretch_as(&skeleton, &clip, root, &Settings { feet: true, plants, ..to(0.05, 0.0, 0.6) }).unwrap();
    let distance = |built: &Built, [from, until]: [f64; 2]| {
        let at = |time: f64| world_at(&skeleton, built.clip(), 4, time).translation.with_y(0.0);
        at(from).distance(at(until))
    };
    assert!(distance(&found, [0.1, 0.3]) > 0.1, "{}", distance(&found, [0.1, 0.3]));
    assert!(distance(&by_hand, [0.1, 0.3]) < 1e-3, "{}", distance(&by_hand, [0.1, 0.3]));
    assert!(
        distance(&by_hand, [0.8, 1.0]) > 1e-3,
        "the detected contact is replaced, so the foot follows the body there"
    );
    assert_eq!(by_hand.report.plants[0].spans, spans);
    assert_eq!(by_hand.report.plants[1], found.report.plants[1], "the other foot's contacts are detected");
}

/// Returns the walker with feet that slide by `slide` metres during each contact.
fn slider(slide: f64) -> (Skeleton, Clip) {
    let skeleton = walker().0;
    let points: Vec<Vec3> = (0..=20).map(|i| Vec3::Z * 0.02 * i as f32).collect();
    let clip = clip_of(&skeleton, &points, |leg, i| {
        let frame = i as f64 - 10.0 * leg as f64;
        let phase = frame.clamp(0.0, 10.0) / 10.0;
        let slid = slide * if leg == 0 { (frame - 10.0).max(0.0) } else { frame.min(0.0) + 10.0 } / 10.0;
        DVec3::new(0.0, 0.08 * (phase * std::f64::consts::PI).sin(), 0.4 * phase + slid)
    });
    (skeleton, clip)
}

#[test]
fn a_slide_of_the_source_is_removed_from_contacts_and_not_stretched() {
    let (skeleton, clip) = slider(0.03);
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let built = stretch_as(&skeleton, &clip, root, &Settings { feet: true, ..to(0.0, 0.0, 0.5) }).unwrap();
    let plants = &built.report.plants;
    for (leg, foot) in [(0, 4), (1, 7)] {
        let span = plants[leg].spans.iter().max_by(|a, b| (a.end - a.start).total_cmp(&(b.end - b.start))).unwrap();
        assert!(span.end - span.start > 0.3, "{plants:?}");
        let at = |clip: &Clip, time: f64| world_at(&skeleton, clip, foot, time).translation.with_y(0.0);
        let slide = |clip: &Clip| at(clip, span.start).distance(at(clip, span.end));
        assert!(slide(&clip) > 0.02 && slide(built.clip()) < 1e-3, "{} {}", slide(&clip), slide(built.clip()));
    }
    // The swings make up for it, so the clip ends with the feet under the body as in the source.
    let rest = |clip: &Clip, joint: usize| world_at(&skeleton, clip, joint, clip.duration).translation;
    assert!((rest(built.clip(), 0) - DVec3::Z * 0.5).length() < 1e-6);
    assert!((rest(built.clip(), 7) - rest(&clip, 7)).z > 0.05);
}

#[test]
fn a_foot_beyond_reach_follows_the_body_without_a_pop() {
    // Both feet stand while the body lunges 0.3 m in two frames, which becomes 1.2 m.
    let skeleton = walker().0;
    let lunge = |i: usize| 0.3 * (i as f64 - 9.0).clamp(0.0, 2.0) / 2.0;
    let points: Vec<Vec3> = (0..=20).map(|i| Vec3::Z * lunge(i) as f32).collect();
    let clip = clip_of(&skeleton, &points, |leg, i| {
        let step = if leg == 0 { 0.4 * (i as f64 / 8.0).min(1.0) } else { 0.0 };
        DVec3::new(0.0, 0.05 * (step / 0.4 * std::f64::consts::PI).sin(), step - 0.1)
    });
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let built = stretch_as(&skeleton, &clip, root, &Settings { feet: true, ..to(0.0, 0.0, 1.2) }).unwrap();
    assert!(built.report.warnings.iter().any(|warning| warning.kind == WarningKind::LegTooShort));
    let steps = |clip: &Clip, joint: usize| -> Vec<f64> {
        let at = |i: usize| clip.pose_at(&skeleton, i as f64 / 20.0).locals[joint].rotation.as_dquat();
        (0..20).map(|i| at(i).angle_between(at(i + 1)).to_degrees()).collect()
    };
    for joint in [2, 3, 5, 6] {
        let [before, after] = [&clip, built.clip()].map(|clip| steps(clip, joint));
        let excess = before.iter().zip(&after).map(|(before, after)| after - before).fold(0.0, f64::max);
        assert!(excess < 20.0, "joint {joint}: {excess:.1}° more than the source in a frame");
    }
}
