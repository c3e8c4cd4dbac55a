//! Tests of feet with meshes.

use super::*;
use glam::DQuat;
use portamento_anim::chain_ik::turn_in_world;
use portamento_anim::foot_shape::SolePart;

/// The sample hero with the underside of its feet.
struct Hero {
    skeleton: Skeleton,
    roles: Roles,
    soles: Vec<Vec<SolePart>>,
    root: RootMotion,
}

impl Hero {
    fn new() -> Self {
        let hero = portamento_test_support::hero();
        let roles = Roles::find(&hero.skeleton, &hero.clips);
        let root = RootMotion { joint: roles.root_motion.unwrap(), kind: RootKind::Root };
        Self { soles: soles(&hero, &roles.legs), root, roles, skeleton: hero.skeleton }
    }

    /// Returns the height of the lowest point of its feet in `pose` relative to the rest pose.
    fn low(&self, pose: &Pose) -> f64 {
        let low = |pose: &Pose| {
            let heights = self.soles.iter().filter_map(|sole| lowest(&self.skeleton, sole, pose));
            heights.fold(f64::INFINITY, f64::min)
        };
        low(pose) - low(&Pose::rest(&self.skeleton))
    }

    /// Returns a clip of `poses` at 30 frames per second.
    fn clip(&self, poses: &[Pose]) -> Clip {
        let times: Vec<f64> = (0..poses.len()).map(|i| i as f64 / 30.0).collect();
        let tracks = vec![JointTracks::default(); self.skeleton.len()];
        let mut clip = Clip { name: "feet".into(), duration: times[times.len() - 1], tracks };
        write_poses(&self.skeleton, &mut clip, &PoseSpan { times: &times, first: 0, poses });
        clip
    }

    fn put(&self, clip: &Clip, settings: &Settings) -> Built {
        let input = Input { soles: &self.soles, ..on_level(&self.skeleton, clip, self.root, &self.roles) };
        build(&input, settings, &Progress::new()).unwrap()
    }

    /// Returns the rest pose with `feet` rotated by `turn` and the root raised by `up`.
    fn pose(&self, feet: &[usize], turn: f64, up: f64) -> Pose {
        let mut pose = Pose::rest(&self.skeleton);
        for &foot in feet {
            turn_in_world(&self.skeleton, &mut pose, self.roles.legs[foot].foot, DQuat::from_rotation_x(turn));
        }
        pose.locals[self.root.joint].translation.y += up as f32;
        pose
    }
}

#[test]
fn feet_on_their_heels_stay_on_them() {
    let hero = Hero::new();
    for sunk in [0.0, 0.08] {
        let pose = hero.pose(&[0, 1], -0.5, -hero.low(&hero.pose(&[0, 1], -0.5, 0.0)) - sunk);
        let clip = hero.clip(&vec![pose; 31]);
        let built = hero.put(&clip, &Settings::default());
        let off = hero.low(&built.clip.pose_at(&hero.skeleton, 0.5));
        assert!(built.report.stands >= 2 && off.abs() < 2e-3, "sunk {sunk}: {off} off the ground, {:?}", built.report);
        // With own heights, nothing is moved.
        let own = hero.put(&clip, &Settings { own_heights: true, ..Settings::default() });
        assert_eq!(own.clip, clip);
    }
}

#[test]
fn a_rig_resting_above_the_ground_is_placed_on_it() {
    let mut hero = Hero::new();
    hero.skeleton.joints[hero.root.joint].rest.translation.y += 0.3;
    for turn in [0.0, -0.5] {
        let pose = hero.pose(&[0, 1], turn, -hero.low(&hero.pose(&[0, 1], turn, 0.0)));
        let built = hero.put(&hero.clip(&vec![pose; 31]), &Settings::default());
        let off = hero.low(&built.clip.pose_at(&hero.skeleton, 0.5));
        assert!(built.report.stands >= 2 && off.abs() < 2e-3, "{turn}: {off} off the ground, {:?}", built.report);
    }
}

#[test]
fn the_tip_of_a_shoe_stays_out_of_the_ground_while_the_other_foot_is_planted() {
    let hero = Hero::new();
    let swings = |i: u32| {
        let (mut pose, leg) = (hero.pose(&[0], 0.4, 0.0), &hero.roles.legs[0]);
        for (joint, turn) in [(leg.thigh, 0.5 - f64::from(i) / 30.0), (leg.shin, 0.6)] {
            turn_in_world(&hero.skeleton, &mut pose, joint, DQuat::from_rotation_x(turn));
        }
        pose
    };
    let poses: Vec<Pose> = (0..=30).map(swings).collect();
    let clip = hero.clip(&poses);
    let built = hero.put(&clip, &Settings::default());
    let [before, after] = built.report.in_ground;
    let low = |clip: &Clip| {
        let lows = (0..=30).map(|i| hero.low(&clip.pose_at(&hero.skeleton, f64::from(i) / 30.0)));
        lows.fold(f64::INFINITY, f64::min)
    };
    assert!((before + low(&clip)).abs() < 1e-3 && before > 0.03, "{before} for {}", -low(&clip));
    assert!(after < 1e-3 && low(&built.clip) > -1e-3, "{after}, {}", low(&built.clip));
    let other = &hero.roles.legs[1];
    for joint in [other.thigh, other.shin, other.foot, hero.root.joint] {
        assert_eq!(built.clip.tracks[joint], clip.tracks[joint]);
    }
}

#[test]
fn a_single_pose_is_raised_to_the_ground() {
    let hero = Hero::new();
    let clip = hero.clip(&[hero.pose(&[], 0.0, -0.1)]);
    assert_eq!(clip.duration, 0.0);
    let built = hero.put(&clip, &Settings::default());
    let low = hero.low(&built.clip.pose_at(&hero.skeleton, 0.0));
    assert!(low.abs() < 1e-6, "{low}, {:?}", built.report);
}

#[test]
fn a_motion_without_stances_is_raised_until_its_shoes_are_out() {
    let hero = Hero::new();
    // It falls at 3 m/s, so that no foot rests, and ends with only its toes in the ground.
    let lowest = -hero.low(&hero.pose(&[0, 1], 0.9, 0.0)) - 0.05;
    let poses: Vec<Pose> = (0..=10).map(|i| hero.pose(&[0, 1], 0.9, lowest + 0.1 * f64::from(10 - i))).collect();
    let built = hero.put(&hero.clip(&poses), &Settings::default());
    assert_eq!(built.report.stands, 0);
    let low = hero.low(&built.clip.pose_at(&hero.skeleton, 1.0 / 3.0));
    assert!(low.abs() < 1e-4 && (built.report.raised[1] - 0.05).abs() < 1e-4, "{low}, {:?}", built.report);
}

#[test]
fn a_body_is_raised_for_a_leg_folded_to_its_limit() {
    let Some(path) = corpus("wild/horse.glb") else { return };
    let model = import(&path).unwrap().model;
    let (skeleton, roles) = (&model.skeleton, portamento_anim::Rig::of_model(&model).roles);
    let clip = model.clips.iter().find(|clip| clip.name == "lay_to_idle").unwrap();
    let root = RootMotion::find(skeleton, clip, &roles).unwrap();
    let input = Input { soles: &soles(&model, &roles.legs), ..on_level(skeleton, clip, root, &roles) };
    let report = build(&input, &Settings::default(), &Progress::new()).unwrap().report;
    assert!(report.in_ground[0] > 0.1 && report.in_ground[1] < body::depth_threshold(&input), "{report:?}");
}
