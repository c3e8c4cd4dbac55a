//! Walks that cross obstacles and gaps.

use std::sync::Arc;

use super::*;
use crate::crossing::{ClipRange, CrossingKind, EdgeLine, Obstacle};
use crate::navigation::edges::edges;
use crate::navigation::edges::tests::generator::Generated;
use crate::navigation::links::{cheapest, links};
use crate::navigation::voxels::{VoxelMap, VoxelSettings, voxelise};
use portamento_anim::foot_shape::{SolePart, body_points};
use portamento_anim::math::random::SplitMix64;
use portamento_anim::rig::chains::{Chain, chains};
use portamento_test_support::random_below;

/// The sample character with what crossings need.
struct Crosser {
    roles: Roles,
    limbs: Vec<Chain>,
    mesh_joints: Vec<bool>,
    points: Vec<SolePart>,
}

impl Crosser {
    fn new(model: &Model) -> Self {
        let roles = roles_of(model);
        let (limbs, points) = (chains(model, &roles), body_points(model, &roles));
        Self { roles, limbs, mesh_joints: model.mesh_joints(), points }
    }

    fn body(&self) -> CrossingBody<'_> {
        CrossingBody { limbs: &self.limbs, mesh_joints: &self.mesh_joints, points: &self.points }
    }

    fn input<'a>(&'a self, ground: Option<GroundHeight<'a>>) -> Input<'a> {
        let (skeleton, clips) = (&HERO.skeleton, &HERO.clips[..]);
        Input { skeleton, clips, roles: &self.roles, metres_per_unit: 1.0, ground }
    }

    fn motions(&self) -> Vec<CrossingMotion> {
        crossing_clips(&self.input(None), &self.body(), &[], &Settings::default(), &Progress::new()).unwrap()
    }
}

/// Returns the obstacle of `motion` moved so that its near edge is at `z`, raised by `up` and with a landing raised by `rise`.
fn obstacle(motion: &CrossingMotion, z: f64, up: f64, rise: f64) -> Obstacle {
    let own = motion.crossing.obstacle;
    let shift = DVec3::Z * (z - own.near[0].z);
    let edge = |edge: EdgeLine| edge.map(|point| point + shift + DVec3::Y * up);
    let landing = own.landing + shift + DVec3::Y * rise;
    Obstacle { near: edge(own.near), far: own.far.map(edge), start: own.start + shift, landing, ..own }
}

/// Walks the hero 9 m along +Z to `motion` over its moved obstacle, and on to `beyond` metres behind the landing.
fn crossed(crosser: &Crosser, motion: &CrossingMotion, changes: [f64; 2], beyond: f64) -> Walk {
    let obstacle = obstacle(motion, 9.0, changes[0], changes[1]);
    let fitted = motion.fitted(&crosser.input(None), &crosser.body(), &obstacle, &Progress::new()).unwrap();
    let crossing = PathCrossing { point: 1, name: motion.name.clone(), fitted: Arc::new(fitted) };
    let landing = obstacle.landing;
    let points = vec![DVec3::ZERO, obstacle.start, landing, landing + DVec3::Z * beyond];
    let path = WalkPath { speed_limits: vec![4.0; 4], points };
    let ground = |at: DVec3| Some(if at.z < 9.0 + 0.1 { 0.0 } else { landing.y });
    let input = crosser.input(Some(&ground));
    build_crossing(&input, &path, &[crossing], &Settings::default(), &Progress::new()).unwrap()
}

/// Returns the world positions of a joint in every frame, metres.
fn positions(walk: &Walk, joint: usize) -> Vec<DVec3> {
    walk.frames().iter().map(|pose| pose.world_from_joint(&HERO.skeleton, joint).translation).collect()
}

/// Returns the largest change of the velocity of `joint` from frame to frame near `times` and anywhere else, metres per second.
fn jolts(walk: &Walk, joint: usize, times: &[f64]) -> [f64; 2] {
    let at = positions(walk, joint);
    let mut worst = [0.0_f64; 2];
    for frame in 1..at.len() - 1 {
        let jolt = (at[frame + 1] - 2.0 * at[frame] + at[frame - 1]).length() * walk.fps;
        let is_near = times.iter().any(|time| (frame as f64 - time * walk.fps).abs() <= 2.0);
        let worst = &mut worst[usize::from(!is_near)];
        *worst = worst.max(jolt);
    }
    worst
}

#[test]
fn the_clips_that_cross_are_found_and_cut_at_poses_of_the_run() {
    let crosser = Crosser::new(&HERO);
    let motions = crosser.motions();
    let kinds: Vec<(&str, CrossingKind)> =
        motions.iter().map(|motion| (motion.name.as_str(), motion.crossing.kind)).collect();
    let [vault, mantle, jump, drop] =
        [CrossingKind::Vault, CrossingKind::Mantle, CrossingKind::JumpAcross, CrossingKind::DropDown];
    assert_eq!(kinds, [("vault", vault), ("mantle", mantle), ("jump", jump), ("drop", drop)]);
    for motion in &motions {
        let whole = HERO.clip(&motion.name).unwrap().duration;
        let stands = ["mantle", "drop"].contains(&motion.name.as_str());
        let seconds = motion.clip.duration;
        assert!(if stands { seconds == whole } else { seconds < whole - 0.2 }, "{}: {seconds} of {whole}", motion.name);
    }
    let named = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        crossing_clips(&crosser.input(None), &crosser.body(), &names, &Settings::default(), &Progress::new())
    };
    assert_eq!(named(&["jump"]).unwrap().len(), 1);
    assert!(matches!(named(&["walk"]), Err(WalkError::NoCrossing { .. })));
    assert!(matches!(named(&["fly"]), Err(WalkError::NoSuchClip { .. })));
}

#[test]
fn the_hero_walks_over_each_obstacle_without_a_jolt_and_stops_on_the_goal() {
    let crosser = Crosser::new(&HERO);
    let changes = [[-0.1, 0.0], [0.1, 0.1], [0.0, -0.1], [0.0, -0.2]];
    for (motion, changes) in crosser.motions().iter().zip(changes) {
        let name = &motion.name;
        let walk = crossed(&crosser, motion, changes, 8.0);
        let report = &walk.report;
        let [crossing] = &report.crossings[..] else { panic!("{name}: {:?}", report.crossings) };
        for contact in [&crossing.fit.edge, &crossing.fit.landing].into_iter().flatten() {
            assert!(contact.error <= 0.01, "{name}: {contact:?}");
        }
        let landing = walk.path.points.last().unwrap();
        let root = positions(&walk, walk.root.unwrap().joint);
        assert!(root.last().unwrap().distance(*landing) < 0.01, "{name}: {} {landing}", root.last().unwrap());
        let joints = [crossing.begins, crossing.ends];
        for joint in crosser.roles.trunk_and_limbs(&HERO.skeleton) {
            let [at_joints, elsewhere] = jolts(&walk, joint, &joints);
            // The speed of a joint that moves away from the new motion is not kept.
            let limit = 1.6 * elsewhere.max(0.5);
            assert!(at_joints <= limit, "{name} {}: {at_joints} {elsewhere}", HERO.skeleton.joints[joint].name);
        }
        assert!(report.thrown.is_none(), "{name}: {:?}", report.thrown);
    }
}

#[test]
fn hands_hold_the_true_edge_and_feet_land_on_the_true_ground_in_the_walk() {
    let crosser = Crosser::new(&HERO);
    for (motion, change) in crosser.motions().iter().take(2).zip([[-0.1, 0.0], [0.1, 0.1]]) {
        let walk = crossed(&crosser, motion, change, 8.0);
        let crossing = &walk.report.crossings[0];
        let [_, near, far, lands] = crossing.moments();
        let frame = |time: f64| (time * walk.fps).round() as usize;
        let held = frame(near + 0.05)..frame(far.min(lands) - 0.05);
        for &hand in &crosser.roles.hands {
            let at = &positions(&walk, hand)[held.clone()];
            let moved = at.iter().map(|point| point.distance(at[0])).fold(0.0, f64::max);
            assert!(at.len() > 3 && moved < 0.01, "{}: {moved} m in {} frames", motion.name, at.len());
        }
    }
}

/// Returns the largest step of a joint from frame to frame in the half second after `time`, beyond the larger of those two steps
/// before and after it, metres, with its frame.
fn spike(walk: &Walk, joint: usize, time: f64) -> (f64, usize) {
    let steps: Vec<f64> = positions(walk, joint).windows(2).map(|pair| pair[0].distance(pair[1])).collect();
    let beyond = |i: usize| (steps[i] - steps[i - 2].max(steps[i + 2]), i);
    let near = (0.5 * walk.fps) as usize;
    let frame = (time * walk.fps) as usize;
    (frame..frame + near).map(beyond).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
}

#[test]
fn a_bend_right_after_a_landing_throws_no_foot() {
    let crosser = Crosser::new(&HERO);
    for motion in crosser.motions() {
        for turn in [-60.0_f64, -30.0, 30.0, 60.0] {
            let obstacle = obstacle(&motion, 9.0, 0.0, 0.0);
            let fitted = motion.fitted(&crosser.input(None), &crosser.body(), &obstacle, &Progress::new()).unwrap();
            let crossing = PathCrossing { point: 1, name: motion.name.clone(), fitted: Arc::new(fitted) };
            let landing = obstacle.landing;
            let aside = DVec3::new(turn.to_radians().sin(), 0.0, turn.to_radians().cos());
            let points = vec![DVec3::ZERO, obstacle.start, landing, landing + DVec3::Z * 0.5, landing + aside * 8.0];
            let path = WalkPath { speed_limits: vec![4.0; 5], points };
            let ground = |at: DVec3| Some(if at.z < 9.0 + 0.1 { 0.0 } else { landing.y });
            let input = crosser.input(Some(&ground));
            let walk = build_crossing(&input, &path, &[crossing], &Settings::default(), &Progress::new()).unwrap();
            for foot in crosser.roles.legs.iter().flat_map(|leg| [Some(leg.foot), leg.toe]).flatten() {
                let (worst, frame) = spike(&walk, foot, walk.report.crossings[0].ends);
                let name = &HERO.skeleton.joints[foot].name;
                assert!(worst < 0.03, "{} {turn}: {name} by {worst} m at frame {frame}", motion.name);
            }
        }
    }
}

#[test]
fn a_crossing_off_the_path_and_one_in_laps_are_refused() {
    let crosser = Crosser::new(&HERO);
    let motion = &crosser.motions()[0];
    let own = obstacle(motion, 9.0, 0.0, 0.0);
    let fitted = motion.fitted(&crosser.input(None), &crosser.body(), &own, &Progress::new()).unwrap();
    let crossing = |point| PathCrossing { point, name: motion.name.clone(), fitted: Arc::new(fitted.clone()) };
    let points = vec![DVec3::ZERO, own.start, own.landing, DVec3::Z * 20.0];
    let path = WalkPath { speed_limits: vec![4.0; 4], points };
    let build = |crossings: &[PathCrossing], laps: u32| {
        let settings = Settings { laps, ..Settings::default() };
        build_crossing(&crosser.input(None), &path, crossings, &settings, &Progress::new())
    };
    for crossings in [vec![crossing(0)], vec![crossing(3)], vec![crossing(1), crossing(1)]] {
        assert!(matches!(build(&crossings, 0), Err(WalkError::OffCrossing { .. })));
    }
    assert!(matches!(build(&[crossing(1)], 2), Err(WalkError::CrossingLoop)));
}

/// Returns the path over `link` with run-ups as long as the ground of `map` allows, at most 4 m.
fn path_over(map: &VoxelMap, obstacle: &Obstacle, ahead: DVec3) -> WalkPath {
    let reach = |from: DVec3, direction: DVec3| {
        let mut at = from;
        for step in 1..=20 {
            let next = from + direction * (0.2 * f64::from(step));
            let Some(cell) = map.ground.cell_at(next.with_y(at.y), 0.3) else { break };
            at = next.with_y(map.ground.cells[cell as usize].height);
        }
        at
    };
    let points = vec![reach(obstacle.start, -ahead), obstacle.start, obstacle.landing, reach(obstacle.landing, ahead)];
    WalkPath { speed_limits: vec![4.0; 4], points }
}

#[test]
fn random_crossings_of_generated_levels_touch_the_true_edges_and_do_not_jolt() {
    let crosser = Crosser::new(&HERO);
    let motions = crosser.motions();
    let ranges: Vec<ClipRange> = motions.iter().map(|motion| motion.crossing.range()).collect();
    let wanted = portamento_test_support::mutants(20).min(200) as usize;
    let (mut done, mut refused, mut worst) = (0, 0, 0.0_f64);
    for seed in 1..=60 {
        let level = Generated::new(seed).level();
        let map = voxelise(&level, &VoxelSettings::default(), &Progress::new()).unwrap();
        let edges = edges(&level, &map, &Progress::new()).unwrap();
        let links = links(&edges, &ranges, &map, &Progress::new()).unwrap();
        let links = cheapest(links, |link| motions[link.clip].cost(&link.obstacle).ok());
        let ground = |at: DVec3| Some(map.ground.cells[map.ground.cell_at(at, 0.6)? as usize].height);
        let input = crosser.input(Some(&ground));
        let mut random = SplitMix64::new(seed);
        for _ in 0..5.min(links.len()) {
            let link = &links[random_below(&mut random, links.len())];
            let motion = &motions[link.clip];
            let Ok(fitted) = motion.fitted(&input, &crosser.body(), &link.obstacle, &Progress::new()) else {
                refused += 1;
                continue;
            };
            let path = path_over(&map, &link.obstacle, DVec3::new(fitted.heading.sin(), 0.0, fitted.heading.cos()));
            let crossing = PathCrossing { point: 1, name: motion.name.clone(), fitted: Arc::new(fitted) };
            let walk = build_crossing(&input, &path, &[crossing], &Settings::default(), &Progress::new()).unwrap();
            worst = worst.max(checked(&crosser, &walk, &format!("seed {seed} {}", motion.name)));
            done += 1;
            if done == wanted {
                assert!(worst < JOLT_MAX_EXCESS, "{done} crossings, {refused} refused: {worst} m/s");
                return;
            }
        }
    }
    panic!("only {done} crossings");
}

/// Largest excess of a jolt at a joint of a crossing, m/s. Of 200 crossings the worst had 2.2, in a walk that begins with the
/// crossing; those with a run-up had at most 0.8. Where a joint leaves the old motion against the new one, its old speed is not kept
/// (see [`super::body::inertialization`]).
const JOLT_MAX_EXCESS: f64 = 2.5;

/// Checks contacts and joints of a walk with one crossing. Returns the largest change of a joint's velocity at the joints of the
/// crossing beyond that elsewhere, m/s per frame.
fn checked(crosser: &Crosser, walk: &Walk, what: &str) -> f64 {
    let crossing = &walk.report.crossings[0];
    for contact in [&crossing.fit.edge, &crossing.fit.landing].into_iter().flatten() {
        assert!(contact.error <= 0.01, "{what}: {contact:?}");
    }
    let joints = [crossing.begins, crossing.ends];
    let excess = |joint: usize| {
        let [at_joints, elsewhere] = jolts(walk, joint, &joints);
        (at_joints - 1.6 * elsewhere.max(0.5), joint)
    };
    let all = crosser.roles.trunk_and_limbs(&HERO.skeleton).into_iter().map(excess);
    let (worst, joint) = all.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    if worst > 0.0 {
        let name = &HERO.skeleton.joints[joint].name;
        eprintln!("{what}: {name} jolts by {worst:.2} m/s too much at {joints:?} s of {:.2}", walk.duration);
    }
    worst.max(0.0)
}
