//! Tests of hand contacts.

use super::*;
use crate::hands::put_hand;
use portamento_anim::pose_keys::{PoseSpan, write_poses};
use portamento_anim::rig::chains::Side;

const FPS: f64 = 30.0;

fn arm(figure: &Figure, side: Side) -> &Chain {
    figure.limb(|limb| matches!(limb, Limb::Arm(_))).find(|chain| chain.limb == Limb::Arm(side)).unwrap()
}

/// Returns the world positions of a joint in every frame.
fn wrists(figure: &Figure, clip: &Clip, side: Side) -> Vec<DVec3> {
    let hand = arm(figure, side).tip.unwrap();
    let frames = (clip.duration * FPS).round() as i32;
    path(&figure.model.skeleton, clip, hand, &(0..=frames).map(|i| f64::from(i) / FPS).collect::<Vec<f64>>())
}

/// Returns a clip of two seconds in which the figure travels at `speed` metres per second and its wrists are at `position_of`, a
/// function of side, travel and time.
fn acted(figure: &Figure, speed: f64, position_of: impl Fn(Side, DVec3, f64) -> DVec3) -> Clip {
    let skeleton = &figure.model.skeleton;
    let hips = figure.roles.hips.unwrap();
    let times: Vec<f64> = (0..=60).map(|i| f64::from(i as f32 / FPS as f32)).collect();
    let pose = |&time: &f64| {
        let mut pose = Pose::rest(skeleton);
        let travel = figure.roles.front.unwrap_or_default().direction() * speed * time;
        let world = pose.world_from_joint(skeleton, hips);
        portamento_anim::chain_ik::put_in_world(skeleton, &mut pose, hips, world.translation + travel, turn_of(&world));
        for side in [Side::Left, Side::Right] {
            put_hand(&figure.body(), arm(figure, side), position_of(side, travel, time), &mut pose);
        }
        pose
    };
    let poses: Vec<Pose> = times.iter().map(pose).collect();
    let tracks = vec![JointTracks::default(); skeleton.len()];
    let mut clip = Clip { name: "acted".into(), duration: 2.0, tracks };
    write_poses(skeleton, &mut clip, &PoseSpan { times: &times, first: 0, poses: &poses });
    clip
}

/// Returns the hero with scaled arm lengths.
fn with_arms(longer: f32) -> Figure {
    let mut figure = Figure::open("hero").unwrap();
    for side in [Side::Left, Side::Right] {
        let chain = arm(&figure, side).clone();
        for joint in [chain.bones[1].joint, chain.tip.unwrap()] {
            figure.model.skeleton.joints[joint].rest.translation *= longer;
        }
    }
    figure
}

fn with_locked_hands(source: &Figure, clip: &Clip, target: &Figure) -> Built {
    put_on(source, clip, target, &Settings { hold_hands: true, ..Settings::default() })
}

#[test]
fn two_hands_on_one_object_keep_their_relative_distance() {
    let hero = Figure::open("hero").unwrap();
    let front = hero.roles.front.unwrap_or_default().direction();
    let left = DVec3::Y.cross(front);
    let position_of = |side, travel: DVec3, time: f64| {
        let out = if side == Side::Left { 0.09 } else { -0.09 };
        travel + front * 0.3 + left * out + DVec3::Y * (1.2 + 0.1 * (3.0 * time).sin())
    };
    let clip = acted(&hero, 0.0, position_of);
    let target = with_arms(1.25);
    let distances = |figure: &Figure, clip: &Clip| {
        let [left, right] = [Side::Left, Side::Right].map(|side| wrists(figure, clip, side));
        left.iter().zip(&right).map(|(left, right)| left.distance(*right)).collect::<Vec<f64>>()
    };
    let loose = put_on(&hero, &clip, &target, &Settings::default());
    assert!(distances(&target, &loose.clip).iter().any(|distance| (distance - 1.25 * 0.18).abs() > 0.03));
    assert_eq!((loose.report.hand_contacts, loose.report.hands_before), (0, 0.0));
    let built = with_locked_hands(&hero, &clip, &target);
    let worst =
        distances(&target, &built.clip).iter().map(|distance| (distance - 1.25 * 0.18).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-3, "{worst} {:?}", built.report);
    assert_eq!(built.report.hand_contacts, 2);
    assert!(built.report.hands_before > 0.015 && built.report.hands_after < 1e-3, "{:?}", built.report);
}

#[test]
fn a_hand_on_a_hold_stays_there_and_a_short_arm_is_reported() {
    let hero = Figure::open("hero").unwrap();
    let front = hero.roles.front.unwrap_or_default().direction();
    let left = DVec3::Y.cross(front);
    // The left hand holds a rail next to the path from 0.5 s to 1.2 s; the right one hangs.
    let rail = front * 0.45 + left * 0.4 + DVec3::Y * 1.15;
    let position_of = |side, travel: DVec3, time: f64| match side {
        Side::Left => {
            let off = (0.5 - time).max(time - 1.2).max(0.0);
            rail + DVec3::Y * 0.4 * off + front * (time - 0.85).signum() * off * 0.5
        }
        Side::Right => travel - left * 0.3 + DVec3::Y * 0.9,
    };
    let clip = acted(&hero, 0.5, position_of);
    let frames = 17..36;
    let drift = |figure: &Figure, clip: &Clip| {
        let path = &wrists(figure, clip, Side::Left)[frames.clone()];
        path.iter().map(|position| position.distance(path[0])).fold(0.0, f64::max)
    };
    assert!(drift(&hero, &clip) < 2e-3, "{}", drift(&hero, &clip));
    let longer = with_arms(1.2);
    let loose = put_on(&hero, &clip, &longer, &Settings::default());
    assert!(drift(&longer, &loose.clip) > 0.02, "{}", drift(&longer, &loose.clip));
    let built = with_locked_hands(&hero, &clip, &longer);
    assert_eq!(built.report.hand_contacts, 1, "{:?}", built.report);
    assert!(drift(&longer, &built.clip) < 3e-3, "{} {:?}", drift(&longer, &built.clip), built.report);
    // The other arm is unchanged, and the corrected one moves without jumps.
    let right = [&loose, &built].map(|built| wrists(&longer, &built.clip, Side::Right));
    assert!(right[0].iter().zip(&right[1]).all(|(a, b)| a.distance(*b) < 1e-6));
    let path = wrists(&longer, &built.clip, Side::Left);
    let jump = path.windows(3).map(|at| (at[2] - 2.0 * at[1] + at[0]).length()).fold(0.0, f64::max);
    assert!(jump < 0.03, "{jump}");
    let shorter = with_arms(0.25);
    let built = with_locked_hands(&hero, &clip, &shorter);
    assert!(built.report.hands_after > 0.02, "{:?}", built.report);
}

#[test]
fn hands_of_a_crawl_have_contacts_and_those_of_a_walk_have_none() {
    let (Some(source), Some(knight)) =
        (Figure::open("characters/crawl_clip_for_human_male.glb"), Figure::open("characters/knight.glb"))
    else {
        return;
    };
    let crawl = source.clip("crawl");
    let built = with_locked_hands(&source, crawl, &knight);
    assert!(built.report.hand_contacts >= 2 && built.report.hands_before > 0.008, "{:?}", built.report);
    assert!(built.report.hands_after < 2e-3, "{:?}", built.report);
    for clip in ["walking_a", "running_a", "idle"] {
        let clip = knight.clip(clip);
        let built = with_locked_hands(&knight, clip, &source);
        assert_eq!(built.report.hand_contacts, 0, "{}: {:?}", clip.name, built.report);
    }
}
