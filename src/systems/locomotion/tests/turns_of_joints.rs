//! No joint of anybody turns further in a frame than its clips turn it and the way over from clip to clip and from stand to stand may.

use super::corpus::characters;
use super::*;

/// How fast the way over turns a joint at most, radians a second: knees bend so where feet are let go.
const WAY_OVER: f64 = 18.0;

/// The largest turn of every joint from one of `frames` to the next, radians.
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

/// The same over all clips of `model`, each played through once at the fastest rate of a walk.
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
fn no_joint_of_anybody_pops_on_flat_ground_in_bends_or_on_slopes() {
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
        for (way, slope) in [
            (straight(6.0, 3.0), DVec3::ZERO),
            (bend.clone(), DVec3::ZERO),
            (straight(6.0, 1.5), DVec3::Z * 0.45),
            (straight(6.0, 1.5), DVec3::Z * -0.45),
            (straight(6.0, 1.5), DVec3::X * 0.45),
        ] {
            let ground = move |place: DVec3| Some(place.dot(slope));
            let input = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: Some(&ground) };
            let Ok(walk) = build(&input, &way, &Settings::default(), &Progress::new()) else { continue };
            let own = own.get_or_insert_with(|| own_turns(model, walk.fps));
            let made = turns(skeleton, walk.frames().iter());
            let over = |joint: usize| made[joint] - 1.25 * own[joint] - WAY_OVER / walk.fps;
            let worst = (0..skeleton.len()).max_by(|&a, &b| over(a).total_cmp(&over(b))).unwrap();
            let over = over(worst);
            let [turned, own] = [made[worst], own[worst]].map(f64::to_degrees);
            // What turns too far is told.
            let is_told = walk.report.thrown.is_some();
            let said = format!("{} on {slope}: {} {turned:.1}° of {own:.1}°", model.name, skeleton.joints[worst].name);
            assert!(over <= 0.0 || is_told, "{said}: {:?}", walk.report.thrown);
            popped.extend((over > 0.0).then_some(said));
            walked += 1;
        }
    }
    assert!(popped.is_empty(), "{popped:#?}");
    assert!(characters.is_empty() || walked >= 40, "{walked}");
}
