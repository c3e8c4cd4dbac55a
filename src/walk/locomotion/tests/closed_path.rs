//! Closed paths: the end of the recording is its start.

use super::corpus::characters;
use super::*;
use portamento_anim::root_motion::rig_size;

/// A rectangular path of these sides, starting in the middle of its first side.
fn yard(width: f64, depth: f64, limit: f64) -> WalkPath {
    let corners = [[0.0, 0.5], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.5]];
    let points: Vec<DVec3> = corners.map(|[x, z]| DVec3::new(x * width, 0.0, z * depth)).to_vec();
    WalkPath { speed_limits: vec![limit; points.len()], points }
}

fn joint_positions(model: &Model, pose: &Pose) -> Vec<DVec3> {
    (0..model.skeleton.len()).map(|joint| pose.world_from_joint(&model.skeleton, joint).translation).collect()
}

/// Returns the largest distance of a joint between the last and the first frame, relative to the body's size. Also
/// returns the largest difference of its speed there, relative to the highest speed.
fn residues(model: &Model, walk: &Walk) -> [f64; 2] {
    let frames = walk.frames();
    let last = frames.len() - 1;
    let [first, second, before, end] = [0, 1, last - 1, last].map(|i| joint_positions(model, &frames[i]));
    let size = rig_size(&model.skeleton);
    let gap = first.iter().zip(&end).map(|(a, b)| a.distance(*b) / size).fold(0.0, f64::max);
    let all: Vec<Vec<DVec3>> = frames.iter().map(|pose| joint_positions(model, pose)).collect();
    let steps = all.windows(2).flat_map(|pair| pair[0].iter().zip(&pair[1]).map(|(a, b)| a.distance(*b)));
    let quickest = steps.fold(0.0, f64::max);
    let speed = (0..first.len()).map(|j| ((second[j] - first[j]) - (end[j] - before[j])).length() / quickest);
    [gap, speed.fold(0.0, f64::max)]
}

/// Checks that `walk` continues into its start at the same speed and phase. Speeds at the seam may differ by as much
/// as between two other frames.
fn check_closed(model: &Model, walk: &Walk, name: &str) {
    let [gap, speed] = residues(model, walk);
    assert!(gap <= 1e-5, "{name}: {gap} of the body");
    let frames = walk.frames();
    let (from, to) = (walk.placement_at(0.0), walk.placement_at(walk.duration));
    assert!(from.at.distance(to.at) < 1e-6, "{name}: {from:?} {to:?}");
    let turned = (to.heading - from.heading) / std::f64::consts::TAU;
    assert!((turned - turned.round()).abs() < 1e-9 && turned.abs() > 0.5, "{name}: {turned} turns");
    let bend = |i: usize| {
        let [a, b, c] = [i - 1, i, i + 1].map(|i| joint_positions(model, &frames[i]));
        (0..a.len()).map(|j| (c[j] + a[j] - 2.0 * b[j]).length()).fold(0.0, f64::max)
    };
    let quickest = (1..frames.len())
        .flat_map(|i| {
            let [a, b] = [i - 1, i].map(|i| joint_positions(model, &frames[i]));
            (0..a.len()).map(move |j| a[j].distance(b[j])).collect::<Vec<_>>()
        })
        .fold(0.0, f64::max);
    let usual = (1..frames.len() - 1).map(bend).fold(0.0, f64::max) / quickest;
    assert!(speed <= usual * 1.05, "{name}: speeds differ by {speed} over the seam, by {usual} within");
    assert!((walk.duration * walk.fps - (frames.len() - 1) as f64).abs() < 1e-6);
}

#[test]
fn laps_end_as_they_begin_in_position_speed_and_phase_for_any_number() {
    for (laps, limit, width) in [(1, 1.4, 5.0), (3, 1.4, 4.0), (2, 3.5, 9.0)] {
        let settings = Settings { laps, ..Settings::default() };
        let walk = walk(&HERO, &yard(width, 6.0, limit), &settings).unwrap();
        let name = format!("{laps} laps at {limit} m/s");
        check_closed(&HERO, &walk, &name);
        let length = walk.path.length() / f64::from(laps);
        assert!((length - 2.0 * (width + 6.0)).abs() < 2.0, "{name}: {length} m");
        let report = &walk.report;
        assert!(report.slide_walking < 1.0, "{name}: {} cm/s", report.slide_walking);
        assert!(report.frames.iter().all(|frame| frame.speed > 0.2), "{name} stands");
        assert!(report.stop.clip.is_none() && report.start.is_none() && report.turns.is_empty());
        assert_eq!(report.frames.len(), walk.frames().len());
        let remaining: Vec<f64> = report.frames.iter().map(|frame| frame.remaining).collect();
        assert!(
            remaining[0] > 0.0 && remaining.last() == Some(&0.0) && remaining.windows(2).all(|two| two[1] < two[0])
        );
        assert!(
            report.frames[0].time.abs() < 1e-9 && (report.frames.last().unwrap().time - walk.duration).abs() < 1e-9
        );
    }
}

#[test]
fn every_character_that_walks_walks_laps() {
    let characters = characters();
    let mut walked = 0;
    for model in &characters {
        let settings = Settings { laps: 1, ..Settings::default() };
        let Ok(walk) = walk(model, &yard(5.0, 5.0, 2.0), &settings) else { continue };
        check_closed(model, &walk, &model.name);
        walked += 1;
    }
    assert!(characters.is_empty() || walked >= 5, "{walked}");
}

#[test]
fn an_open_loop_or_one_with_a_sharp_corner_is_rejected() {
    let settings = Settings { laps: 1, ..Settings::default() };
    let open = walk(&HERO, &straight(4.0, 2.0), &settings).unwrap_err();
    assert!(matches!(open, WalkError::OpenLoop { gap } if (gap - 4.0).abs() < 1e-9), "{open}");
    let points = vec![DVec3::ZERO, DVec3::Z * 4.0, DVec3::ZERO];
    let there_and_back = WalkPath { speed_limits: vec![2.0; 3], points };
    let sharp = walk(&HERO, &there_and_back, &settings).unwrap_err();
    assert!(matches!(sharp, WalkError::SharpLoop { .. }), "{sharp}");
    let most = Settings { laps: 101, ..Settings::default() };
    assert!(walk(&HERO, &yard(4.0, 4.0, 2.0), &most).unwrap_err().to_string().contains("laps"));
}
