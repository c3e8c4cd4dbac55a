//! No joint turns further in a frame than its clips plus the transitions between clips and stances allow.

use super::corpus::characters;
use super::*;

/// Largest rotation speed of a transition, radians per second: the knee limit where feet are released.
const TRANSITION_MAX_RAD_PER_S: f64 = 18.0;

/// Returns the largest rotation of every joint between two of `frames`, radians.
fn turns<'a>(skeleton: &Skeleton, frames: impl Iterator<Item = &'a Pose>) -> Vec<f64> {
    let mut largest = vec![0.0_f64; skeleton.len()];
    let mut last: Option<&Pose> = None;
    for pose in frames {
        for (joint, largest) in largest.iter_mut().enumerate().filter(|_| last.is_some()) {
            let before = last.map_or(pose, |last| last).locals[joint].rotation;
            *largest = largest.max(angle_between(before, pose.locals[joint].rotation));
        }
        last = Some(pose);
    }
    largest
}

/// Returns the same figures over all clips of `model`, each played once at a walk's highest rate.
fn own_turns(model: &Model, fps: f64) -> Vec<f64> {
    let rate = Settings::default().play_rates[1];
    let of_clip = |clip: &Clip| {
        let count = (clip.duration / rate * fps) as usize;
        let pose = |frame: usize| clip.pose_at(&model.skeleton, frame as f64 * rate / fps);
        let poses: Vec<Pose> = (0..=count).map(pose).collect();
        turns(&model.skeleton, poses.iter())
    };
    let all: Vec<Vec<f64>> = model.clips.iter().map(of_clip).collect();
    (0..model.skeleton.len()).map(|joint| all.iter().map(|turns| turns[joint]).fold(0.0, f64::max)).collect()
}

#[test]
fn no_joint_of_any_character_pops_on_flat_ground_in_bends_or_on_slopes() {
    let characters = characters();
    let bend = WalkPath {
        points: [[0.0, 0.0], [0.0, 5.0], [1.2, 4.0], [1.0, 9.0]].map(|[x, z]| DVec3::new(x, 0.0, z)).to_vec(),
        speed_limits: vec![3.0; 4],
    };
    let (mut walked, mut popped) = (0, Vec::new());
    for model in &characters {
        let roles = roles_of(model);
        let (skeleton, clips) = (&model.skeleton, &model.clips[..]);
        let mut own = None;
        for (path, slope) in [
            (straight(6.0, 3.0), DVec3::ZERO),
            (bend.clone(), DVec3::ZERO),
            (straight(6.0, 1.5), DVec3::Z * 0.45),
            (straight(6.0, 1.5), DVec3::Z * -0.45),
            (straight(6.0, 1.5), DVec3::X * 0.45),
        ] {
            let ground = move |point: DVec3| Some(point.dot(slope));
            let input = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: Some(&ground) };
            let Ok(walk) = build(&input, &path, &Settings::default(), &Progress::new()) else { continue };
            let own = own.get_or_insert_with(|| own_turns(model, walk.fps));
            let rotations = turns(skeleton, walk.frames().iter());
            let over = |joint: usize| rotations[joint] - 1.25 * own[joint] - TRANSITION_MAX_RAD_PER_S / walk.fps;
            let worst = (0..skeleton.len()).max_by(|&a, &b| over(a).total_cmp(&over(b))).unwrap();
            let over = over(worst);
            let [turned, own] = [rotations[worst], own[worst]].map(f64::to_degrees);
            // A joint that turns too far must be reported.
            let is_reported = walk.report.thrown.is_some();
            let finding =
                format!("{} on {slope}: {} {turned:.1}° of {own:.1}°", model.name, skeleton.joints[worst].name);
            assert!(over <= 0.0 || is_reported, "{finding}: {:?}", walk.report.thrown);
            popped.extend((over > 0.0).then_some(finding));
            walked += 1;
        }
    }
    assert!(popped.is_empty(), "{popped:#?}");
    assert!(characters.is_empty() || walked >= 40, "{walked}");
}
