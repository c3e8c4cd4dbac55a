use super::*;
use portamento_anim::foot_shape::{lowest, soles};
use portamento_anim::ik::{LegPositions, solve_leg};
use portamento_anim::root_motion::{self, world_at};
use portamento_anim::{Joint, JointTracks, Roles, RootKind, RootMotion, Skeleton};
use portamento_formats::import::import;
use portamento_test_support::corpus;
use portamento_test_support::{LEGGED, skeleton_of};

/// Time range that includes all stances.
const ALWAYS: [f64; 2] = [0.0, f64::INFINITY];

/// Returns the position of a foot that is planted for 0.6 s of each second, from `phase` on, with steps of 1 m.
fn foot(time: f64, phase: f64) -> DVec3 {
    let step = (time - phase).floor();
    let swing = ((time - phase - step - 0.6) / 0.4).clamp(0.0, 1.0);
    let along = step + phase + 0.3 + swing * swing * (3.0 - 2.0 * swing);
    DVec3::new(0.0, 0.1 * (std::f64::consts::PI * swing).sin().powi(2), along)
}

/// Returns three seconds of walking at 1 m/s on the plane y = 0. `moved` is applied to each pose afterwards.
fn walker(moved: impl Fn(f64, &mut Pose)) -> (Skeleton, Clip) {
    let mut skeleton = skeleton_of(&LEGGED);
    let rests = [[0.0, 0.0, 0.0], [0.0, 0.9, 0.0], [0.1, 0.0, 0.0], [0.0, -0.45, 0.05], [0.0, -0.45, -0.05]];
    let rests = rests.into_iter().chain([[-0.1, 0.0, 0.0], [0.0, -0.45, 0.05], [0.0, -0.45, -0.05]]);
    skeleton.joints.iter_mut().zip(rests).for_each(|(joint, rest)| joint.rest.translation = rest.into());
    let times: Vec<f64> = (0..=90).map(|i| f64::from(i as f32 / 30.0)).collect();
    let pose = |&time: &f64| {
        let mut pose = Pose::rest(&skeleton);
        pose.locals[0].translation = Vec3::Z * time as f32;
        pose.locals[1].translation.y -= 0.1;
        for (thigh, phase, x) in [(2, 0.0, 0.1), (5, 0.5, -0.1)] {
            let at = |joint: usize| pose.world_from_joint(&skeleton, joint).translation;
            let leg_positions = LegPositions { hip: at(thigh), knee: at(thigh + 1), ankle: at(thigh + 2) };
            let turns = solve_leg(&leg_positions, foot(time, phase) + DVec3::X * x, DVec3::X);
            assert!(turns.gap < 1e-9);
            portamento_anim::chain_ik::turn_in_world(&skeleton, &mut pose, thigh, turns.thigh);
            portamento_anim::chain_ik::turn_in_world(
                &skeleton,
                &mut pose,
                thigh + 1,
                turns.shin * turns.thigh.inverse(),
            );
        }
        moved(time, &mut pose);
        pose
    };
    let poses: Vec<Pose> = times.iter().map(pose).collect();
    let mut clip = Clip { name: "walk".into(), duration: 3.0, tracks: vec![JointTracks::default(); 8] };
    write_poses(&skeleton, &mut clip, &PoseSpan { times: &times, first: 0, poses: &poses });
    (skeleton, clip)
}

/// Returns the input of `clip` on the plane y = 0, in metres at 30 frames per second.
fn on_level<'a>(skeleton: &'a Skeleton, clip: &'a Clip, root: RootMotion, roles: &'a Roles) -> Input<'a> {
    let (fps, metres_per_unit, within) = (30.0, 1.0, ALWAYS);
    Input { skeleton, clip, root, roles, soles: &[], fps, metres_per_unit, within, ground: &level }
}

fn put(skeleton: &Skeleton, clip: &Clip, ground: &GroundHeight) -> Result<Built, BuildError> {
    let roles = Roles::find(skeleton, std::slice::from_ref(clip));
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let input = Input { ground, ..on_level(skeleton, clip, root, &roles) };
    build(&input, &Settings::default(), &Progress::new())
}

#[test]
fn a_foot_planted_across_the_seam_of_a_loop_keeps_its_position() {
    let sway = |time: f64| 0.03 * (time * std::f64::consts::TAU / 3.0 + 1.0).sin() as f32;
    let (skeleton, clip) = walker(|time, pose| pose.locals[0].translation.z += sway(time));
    let locked = put(&skeleton, &clip, &level).unwrap().clip;
    let over_seam = |clip: &Clip, foot: usize| {
        let [start, end] = [0.0, 3.0].map(|time| world_at(&skeleton, clip, foot, time).translation);
        (end - start - DVec3::Z * 3.0).length()
    };
    for foot in [4, 7] {
        assert!(over_seam(&clip, foot) < 1e-5 && over_seam(&locked, foot) < 1e-4, "{}", over_seam(&locked, foot));
    }
}

#[test]
fn a_frame_with_slightly_different_key_times_gets_one_key() {
    let sway = |time: f64| 0.03 * (time * std::f64::consts::TAU / 3.0 + 1.0).sin() as f32;
    let (skeleton, mut clip) = walker(|time, pose| pose.locals[0].translation.z += sway(time));
    // Only in one leg, as for curves whose times use another unit.
    for joint in 2..5 {
        clip.tracks[joint].rotation.iter_mut().flat_map(|turns| &mut turns.times).for_each(|time| *time *= 0.999_999);
    }
    let locked = put(&skeleton, &clip, &level).unwrap().clip;
    let gaps = |joint: usize| {
        let times = &locked.tracks[joint].rotation.as_ref().unwrap().times;
        times.windows(2).map(|pair| pair[1] - pair[0]).fold(f32::INFINITY, f32::min)
    };
    assert!((2..8).filter(|joint| locked.tracks[*joint].rotation.is_some()).all(|joint| gaps(joint) > 0.03));
    assert_ne!(locked.tracks[5], clip.tracks[5], "the feet are locked");
}

#[test]
fn hips_in_the_ground_are_raised_smoothly_while_feet_stay_planted() {
    let sits = |time: f64| f64::max(0.0, 1.0 - (time - 1.5).abs());
    let (skeleton, clip) = walker(|time, pose| pose.locals[1].translation.y -= (0.95 * sits(time)) as f32);
    let hips = |clip: &Clip| {
        let positions = root_motion::path(&skeleton, clip, 1, &frame_times(clip, 0..skeleton.len(), 30.0));
        positions.into_iter().map(|position| position.y).collect::<Vec<_>>()
    };
    assert!(hips(&clip)[45] < -0.1, "{:?}", hips(&clip));
    let built = put(&skeleton, &clip, &level).unwrap();
    let heights = hips(&built.clip);
    assert!(heights.iter().all(|height| *height >= -1e-6), "{heights:?}");
    // Smooth: never more than twice the speed of sitting down.
    let steps = heights.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
    assert!(steps <= 2.0 * 0.95 / 30.0, "{steps}");
    assert!(built.report.raised[1] >= 0.1, "{:?}", built.report);
}

#[test]
fn a_body_raised_across_the_seam_of_a_loop_still_closes() {
    // Down quickly before the seam, and up slowly after it.
    let sits = |time: f64| f64::max(1.0 - time, 1.0 - 10.0 * (3.0 - time)).max(0.0);
    let (skeleton, clip) = walker(|time, pose| pose.locals[1].translation.y -= (0.95 * sits(time)) as f32);
    let built = put(&skeleton, &clip, &level).unwrap();
    let [start, end] = [0.0, 3.0].map(|time| world_at(&skeleton, &built.clip, 1, time).translation.y);
    assert!(built.report.raised[1] >= 0.1 && (start - end).abs() < 1e-6, "{start} {end}");
}

#[test]
fn a_lying_body_is_not_pushed_into_the_ground_for_a_short_leg() {
    let (mut skeleton, clip) = walker(|_, _| {});
    let head = Joint { name: "head".into(), parent: Some(1), ..skeleton.joints[1].clone() };
    skeleton.joints.push(head);
    skeleton.joints[8].rest.translation = Vec3::new(0.0, -0.04, -0.5);
    let roles = Roles { head: Some(8), ..Roles::find(&skeleton, &[]) };
    let mut lying = Pose::rest(&skeleton);
    lying.locals[1].translation.y = 0.06;
    [2, 5].iter().for_each(|&thigh| lying.locals[thigh].rotation = glam::Quat::from_rotation_x(-1.57));
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let skeleton = &skeleton;
    let input = on_level(skeleton, &clip, root, &roles);
    let stance = plants::Stance { frames: 0..3, position: DVec3::ZERO, lowest: 0.0 };
    let foot = |leg| Foot { leg, soles: vec![DVec3::ZERO; 3], stances: vec![stance.clone()], mesh: None, loops: false };
    let feet: Vec<Foot> = roles.legs.iter().map(foot).collect();
    // The goal would lower the hips by 4 cm, while the head is 2 cm above the ground.
    let target = |leg: &portamento_anim::Leg| {
        let hip = lying.world_from_joint(skeleton, leg.thigh).translation;
        let foot_place = FootTransform::from_pose(skeleton, leg, &lying);
        let reach = 0.97 * leg_positions(skeleton, leg, &lying).length();
        vec![FootTransform { ankle: hip.with_y(0.0) + DVec3::Z * (reach - 2e-4), ..foot_place }; 3]
    };
    let targets: Vec<Vec<FootTransform>> = roles.legs.iter().map(target).collect();
    let mut poses = vec![lying.clone(); 3];
    let lowered = lower_hips(&input, &feet, &targets, Frames { times: &[0.0, 0.1, 0.2], loops: false }, &mut poses);
    let height = poses[1].world_from_joint(skeleton, 8).translation.y;
    assert!(lowered > 0.019 && height > -1e-6, "{lowered} {height}");
}

/// Returns the largest height of the ankle above `ground` at mid-stance, and its largest horizontal motion in the surrounding
/// frames.
fn drift_of_plants(skeleton: &Skeleton, clip: &Clip, ground: &GroundHeight) -> [f64; 2] {
    let (mut off, mut slid) = (0.0, 0.0);
    for (joint, phase) in [(4, 0.0), (7, 0.5)] {
        for step in 0..2 {
            let frame = ((phase + 0.3 + f64::from(step)) * 30.0) as usize;
            let at = |i: usize| world_at(skeleton, clip, joint, i as f64 / 30.0).translation;
            let position = at(frame);
            off = f64::max(off, (position.y - ground(position).unwrap()).abs());
            slid = (frame - 4..frame + 4).map(|i| (at(i) - position).with_y(0.0).length()).fold(slid, f64::max);
        }
    }
    [off, slid]
}

#[test]
fn a_walk_on_its_ground_is_unchanged() {
    let (skeleton, clip) = walker(|_, _| {});
    let built = put(&skeleton, &clip, &level).unwrap();
    assert_eq!(built.clip, clip);
    assert!(built.report.stands >= 6 && built.report.off_ground[0] < 1e-5, "{:?}", built.report);
}

#[test]
fn a_floating_walk_is_lowered_and_sliding_feet_are_planted() {
    // As after a stretch: a third farther along the ground, and floating.
    let (skeleton, clip) = walker(|time, pose| pose.locals[0].translation += Vec3::new(0.0, 0.12, 0.3 * time as f32));
    let [off, slid] = drift_of_plants(&skeleton, &clip, &level);
    assert!(off > 0.11 && slid > 0.03, "{off} {slid}");
    let built = put(&skeleton, &clip, &level).unwrap();
    let [off, slid] = drift_of_plants(&skeleton, &built.clip, &level);
    assert!(off < 1e-3 && slid < 1e-3, "{off} {slid} {:?}", built.report);
    assert!((built.report.raised[0] + 0.12).abs() < 0.01 && built.report.off_ground[1] < 1e-3, "{:?}", built.report);
    assert!(built.report.slide[0] > 0.05 && built.report.slide[1] < 5e-3, "{:?}", built.report);
}

#[test]
fn a_sunken_gait_in_place_is_raised_and_stays_in_place() {
    let on_the_spot =
        |height: f32| walker(move |time, pose| pose.locals[0].translation += Vec3::new(0.0, height, -time as f32));
    let (skeleton, clip) = on_the_spot(-0.08);
    let built = put(&skeleton, &clip, &level).unwrap();
    let off = |clip: &Clip| drift_of_plants(&skeleton, clip, &level)[0];
    assert!(off(&clip) > 0.07 && off(&built.clip) < 2e-3, "{} {} {:?}", off(&clip), off(&built.clip), built.report);
    for frame in 0..=90 {
        let position = world_at(&skeleton, &built.clip, 0, f64::from(frame) / 30.0).translation;
        assert!(position.with_y(0.0).length() < 1e-5 && (position.y - 0.0).abs() < 0.02, "{frame}: {position}");
    }
    // The ground is only a metre wide, which is enough for a gait in place.
    let narrow = |position: DVec3| (position.with_y(0.0).length() < 0.5).then_some(0.0);
    assert_eq!(put(&skeleton, &clip, &narrow).map(|built| built.clip), Ok(built.clip));
    let (_, sound) = on_the_spot(0.0);
    let unchanged = put(&skeleton, &sound, &level).unwrap();
    assert!(unchanged.clip == sound && unchanged.report.stands >= 6, "{:?}", unchanged.report);
}

#[test]
fn on_slopes_and_steps_every_stance_is_on_the_ground_without_knee_pops() {
    let (skeleton, clip) = walker(|_, _| {});
    let ramp = |position: DVec3| Some(0.15 * position.z);
    let stairs = |position: DVec3| Some(0.12 * (position.z / 0.5).floor());
    let grounds: [&GroundHeight; 2] = [&ramp, &stairs];
    for ground in grounds {
        let built = put(&skeleton, &clip, ground).unwrap();
        let [off, slid] = drift_of_plants(&skeleton, &built.clip, ground);
        assert!(off < 2e-3 && slid < 2e-3, "{off} {slid} {:?}", built.report);
        assert!(built.report.raised[1] > 0.3 && built.report.short < 0.005, "{:?}", built.report);
        for knee in [3, 6] {
            let turn = |clip: &Clip, i: usize| clip.pose_at(&skeleton, i as f64 / 30.0).locals[knee].rotation;
            let step = |clip: &Clip, i: usize| turn(clip, i).angle_between(turn(clip, i + 1));
            let largest = |clip: &Clip| (0..90).map(|i| step(clip, i)).fold(0.0, f32::max);
            let (before, after) = (largest(&clip), largest(&built.clip));
            assert!(after < before + 0.25, "{after} before {before}");
        }
        // Swinging feet clear obstacles between stances.
        for foot in [4, 7] {
            let at = |i: usize| world_at(&skeleton, &built.clip, foot, i as f64 / 30.0).translation;
            let deepest = (0..=90).map(|i| ground(at(i)).unwrap() - at(i).y).fold(0.0, f64::max);
            assert!(deepest < 0.03, "{deepest}");
        }
    }
}

#[test]
fn a_walk_uphill_keeps_its_slope_with_own_heights() {
    let uphill = |time: f64, pose: &mut Pose| pose.locals[0].translation.y += 0.25 * time as f32;
    let (skeleton, sound) = walker(uphill);
    let (_, clip) = walker(|time, pose| {
        uphill(time, pose);
        pose.locals[0].translation.z += 0.3 * time as f32;
    });
    let roles = Roles::find(&skeleton, std::slice::from_ref(&clip));
    let root = RootMotion { joint: 0, kind: RootKind::Root };
    let settings = Settings { own_heights: true, ..Settings::default() };
    let put = |clip: &Clip| {
        let input = on_level(&skeleton, clip, root, &roles);
        build(&input, &settings, &Progress::new()).unwrap()
    };
    let built = put(&clip);
    assert!(built.report.slide[0] > 5e-3 && built.report.slide[1] < 1e-5, "{:?}", built.report);
    let height = |clip: &Clip, time: f64| world_at(&skeleton, clip, 0, time).translation.y;
    for time in [0.0, 1.0, 2.0, 3.0] {
        assert!((height(&built.clip, time) - height(&sound, time)).abs() < 1e-4, "at {time}");
    }
    assert!(put(&sound).report.off_ground[1] < 1e-3);
}

#[test]
fn missing_ground_is_refused_with_position_and_time() {
    let (skeleton, clip) = walker(|_, _| {});
    let hole = |place: DVec3| (place.z < 1.6).then_some(0.0);
    let Err(BuildError::OffGround { place, time, .. }) = put(&skeleton, &clip, &hole) else {
        panic!("there is a hole")
    };
    assert!(place.z >= 1.6 && (1.5..2.0).contains(&time), "{place} {time}");
    let (skeleton, still) = walker(|time, pose| pose.locals[0].translation.z -= time as f32);
    assert_eq!(put(&skeleton, &still, &level).map(|built| built.clip), Ok(still), "a gait in place stays off the hole");
    // Three times as fast as its feet: no foot is ever planted.
    let (skeleton, slides) = walker(|time, pose| pose.locals[0].translation.z += 2.0 * time as f32);
    let built = put(&skeleton, &slides, &level).unwrap();
    assert!(built.clip == slides && built.report.warnings() == [Warning::NeverStands], "{:?}", built.report);
}

#[test]
fn third_party_walks_are_placed_on_a_slope() {
    let Some(characters) = corpus("characters") else { return };
    let mut seen = 0;
    for (file, name) in
        [("knight.glb", "Walk"), ("mannequiny.glb", "walk"), ("minnyquinn.glb", "walk"), ("fox.glb", "Walk")]
    {
        let model = import(&characters.join(file)).unwrap().model;
        let skeleton = &model.skeleton;
        let has_name = |clip: &&Clip| clip.name.to_lowercase().contains(&name.to_lowercase());
        let Some(clip) = model.clips.iter().find(has_name) else { continue };
        let roles = Roles::find(skeleton, &model.clips);
        let unit = if portamento_anim::root_motion::rig_size(skeleton) > 20.0 { 0.01 } else { 1.0 };
        let synthesized = portamento_anim::root_synthesis::synthesize_root_motion(skeleton, clip, &roles, 30.0, unit);
        let Ok((clip, root)) = synthesized else { continue };
        let slope = |position: DVec3| Some(0.1 * position.z + 0.05);
        let input = Input { metres_per_unit: unit, ground: &slope, ..on_level(skeleton, &clip, root, &roles) };
        let built = build(&input, &Settings::default(), &Progress::new()).unwrap();
        if built.report.stands == 0 {
            continue;
        }
        println!("{file}: {:?}", built.report);
        seen += 1;
        let report = &built.report;
        assert!(report.off_ground[1] < 0.01 + report.short, "{file}: {report:?}");
        assert!(report.slide[1] <= report.slide[0].max(0.005) + report.short, "{file}: {report:?}");
        let pose = built.clip.pose_at(skeleton, 0.4 * clip.duration);
        assert!(pose.locals.iter().all(|local| local.is_finite()));
    }
    assert!(seen >= 2, "{seen}");
}

#[test]
fn a_lying_body_with_raised_feet_is_not_pushed_into_the_ground() {
    let Some(characters) = corpus("characters") else { return };
    let model = import(&characters.join("knight.glb")).unwrap().model;
    let skeleton = &model.skeleton;
    let roles = Roles::find(skeleton, &model.clips);
    let clip = model.clips.iter().find(|clip| clip.name == "Lie_StandUp").unwrap();
    let root = RootMotion::find(skeleton, clip, &roles).unwrap();
    let input = on_level(skeleton, clip, root, &roles);
    let Built { clip: corrected, report } = build(&input, &Settings::default(), &Progress::new()).unwrap();
    let times = frame_times(clip, 0..skeleton.len(), 30.0);
    let heights = |clip: &Clip, joint: usize| root_motion::path(skeleton, clip, joint, &times);
    let body = roles.trunk_and_limbs(skeleton);
    let deepest = |clip: &Clip| {
        let all = body.iter().flat_map(|&joint| heights(clip, joint));
        all.map(|position| -position.y).fold(0.0, f64::max)
    };
    assert!(deepest(clip) < 0.01 && deepest(&corrected) < 0.01, "{} {}", deepest(clip), deepest(&corrected));
    // The reported lowering is not larger than that of the hips.
    let hips = roles.hips.unwrap();
    let down = heights(clip, hips)
        .iter()
        .zip(heights(&corrected, hips))
        .map(|(before, after)| before.y - after.y)
        .fold(0.0, f64::max);
    assert!(-report.raised[0] <= down + 1e-4, "{report:?} {down}");
}

#[test]
fn a_motion_without_stances_is_raised_out_of_the_ground_but_not_moved_above_it() {
    let slides =
        |height: f32| walker(move |time, pose| pose.locals[0].translation += Vec3::new(0.0, height, 2.0 * time as f32));
    let (skeleton, sunken) = slides(-0.08);
    let built = put(&skeleton, &sunken, &level).unwrap();
    let lowest = |clip: &Clip| {
        let heights = (0..=90)
            .flat_map(|i| [4, 7].map(|foot| world_at(&skeleton, clip, foot, f64::from(i) / 30.0).translation.y));
        heights.fold(f64::INFINITY, f64::min)
    };
    assert!(
        lowest(&sunken) < -0.079 && lowest(&built.clip).abs() < 1e-4,
        "{} {}",
        lowest(&sunken),
        lowest(&built.clip)
    );
    assert!(built.report.warnings().is_empty() && (built.report.raised[1] - 0.08).abs() < 1e-4, "{:?}", built.report);
    let turns = |clip: &Clip| clip.tracks.iter().map(|tracks| tracks.rotation.clone()).collect::<Vec<_>>();
    assert!(turns(&built.clip) == turns(&sunken));
    let (_, floating) = slides(0.3);
    assert!(put(&skeleton, &floating, &level).unwrap().clip == floating);
}

mod shoes;
mod reports;
