use super::*;
use crate::anim::foot_shape::{lowest, soles};
use crate::anim::ik::{LegPlace, solve_leg};
use crate::anim::root_motion::{self, world_at};
use crate::anim::skeleton::tests::{LEGGED, skeleton_of};
use crate::anim::{Joint, JointTracks, Roles, RootKind, RootMotion, Skeleton};
use crate::import::import;
use crate::support::corpus;

/// All stands count.
const ALWAYS: [f64; 2] = [0.0, f64::INFINITY];

/// Where a foot is that stands 0.6 s of each second, from `phase` on, in steps of 1 m.
fn foot(time: f64, phase: f64) -> DVec3 {
    let step = (time - phase).floor();
    let swing = ((time - phase - step - 0.6) / 0.4).clamp(0.0, 1.0);
    let along = step + phase + 0.3 + swing * swing * (3.0 - 2.0 * swing);
    DVec3::new(0.0, 0.1 * (std::f64::consts::PI * swing).sin().powi(2), along)
}

/// Three seconds of walking 1 m/s on the plane at height 0; `moved` is done to each pose afterwards.
fn walker(moved: impl Fn(f64, &mut Pose)) -> (Skeleton, Clip) {
    let mut skeleton = skeleton_of(&LEGGED);
    let rests = [[0.0, 0.0, 0.0], [0.0, 0.9, 0.0], [0.1, 0.0, 0.0], [0.0, -0.45, 0.05], [0.0, -0.45, -0.05]];
    let rests = rests.into_iter().chain([[-0.1, 0.0, 0.0], [0.0, -0.45, 0.05], [0.0, -0.45, -0.05]]);
    skeleton.joints.iter_mut().zip(rests).for_each(|(joint, place)| joint.rest.translation = place.into());
    let times: Vec<f64> = (0..=90).map(|i| f64::from(i as f32 / 30.0)).collect();
    let pose = |&time: &f64| {
        let mut pose = Pose::rest(&skeleton);
        pose.locals[0].translation = Vec3::Z * time as f32;
        pose.locals[1].translation.y -= 0.1;
        for (thigh, phase, x) in [(2, 0.0, 0.1), (5, 0.5, -0.1)] {
            let at = |joint: usize| pose.world_from_joint(&skeleton, joint).translation;
            let place = LegPlace { hip: at(thigh), knee: at(thigh + 1), ankle: at(thigh + 2) };
            let turns = solve_leg(&place, foot(time, phase) + DVec3::X * x, DVec3::X);
            assert!(turns.gap < 1e-9);
            crate::anim::chain_ik::turn_in_world(&skeleton, &mut pose, thigh, turns.thigh);
            crate::anim::chain_ik::turn_in_world(&skeleton, &mut pose, thigh + 1, turns.shin * turns.thigh.inverse());
        }
        moved(time, &mut pose);
        pose
    };
    let poses: Vec<Pose> = times.iter().map(pose).collect();
    let mut clip = Clip { name: "walk".into(), duration: 3.0, tracks: vec![JointTracks::default(); 8] };
    write_poses(&skeleton, &mut clip, &PoseSpan { times: &times, first: 0, poses: &poses });
    (skeleton, clip)
}

/// `clip` on the level plane, as a file in metres with a key thirty times a second.
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
fn a_foot_that_stands_over_the_seam_of_a_loop_keeps_its_place_there() {
    let sway = |time: f64| 0.03 * (time * std::f64::consts::TAU / 3.0 + 1.0).sin() as f32;
    let (skeleton, clip) = walker(|time, pose| pose.locals[0].translation.z += sway(time));
    let held = put(&skeleton, &clip, &level).unwrap().clip;
    let over_seam = |clip: &Clip, foot: usize| {
        let [start, end] = [0.0, 3.0].map(|time| world_at(&skeleton, clip, foot, time).translation);
        (end - start - DVec3::Z * 3.0).length()
    };
    for foot in [4, 7] {
        assert!(over_seam(&clip, foot) < 1e-5 && over_seam(&held, foot) < 1e-4, "{}", over_seam(&held, foot));
    }
}

#[test]
fn a_frame_that_curves_round_differently_gets_one_key() {
    let sway = |time: f64| 0.03 * (time * std::f64::consts::TAU / 3.0 + 1.0).sin() as f32;
    let (skeleton, mut clip) = walker(|time, pose| pose.locals[0].translation.z += sway(time));
    // Of one leg only, as of curves whose times were counted in another unit.
    for joint in 2..5 {
        clip.tracks[joint].rotation.iter_mut().flat_map(|turns| &mut turns.times).for_each(|time| *time *= 0.999_999);
    }
    let held = put(&skeleton, &clip, &level).unwrap().clip;
    let gaps = |joint: usize| {
        let times = &held.tracks[joint].rotation.as_ref().unwrap().times;
        times.windows(2).map(|pair| pair[1] - pair[0]).fold(f32::INFINITY, f32::min)
    };
    assert!((2..8).filter(|joint| held.tracks[*joint].rotation.is_some()).all(|joint| gaps(joint) > 0.03));
    assert_ne!(held.tracks[5], clip.tracks[5], "its feet are held");
}

#[test]
fn hips_that_are_in_the_ground_are_raised_out_of_it_softly_while_the_feet_stand() {
    let sits = |time: f64| f64::max(0.0, 1.0 - (time - 1.5).abs());
    let (skeleton, clip) = walker(|time, pose| pose.locals[1].translation.y -= (0.95 * sits(time)) as f32);
    let hips = |clip: &Clip| {
        let places = root_motion::path(&skeleton, clip, 1, &frame_times(clip, 0..skeleton.len(), 30.0));
        places.into_iter().map(|place| place.y).collect::<Vec<_>>()
    };
    assert!(hips(&clip)[45] < -0.1, "{:?}", hips(&clip));
    let made = put(&skeleton, &clip, &level).unwrap();
    let heights = hips(&made.clip);
    assert!(heights.iter().all(|height| *height >= -1e-6), "{heights:?}");
    // Softly: nowhere more than twice as quickly as they sat down.
    let steps = heights.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
    assert!(steps <= 2.0 * 0.95 / 30.0, "{steps}");
    assert!(made.report.raised[1] >= 0.1, "{:?}", made.report);
}

#[test]
fn a_body_that_is_raised_over_the_seam_of_a_loop_still_closes() {
    // Down quickly before the seam, and up slowly after it.
    let sits = |time: f64| f64::max(1.0 - time, 1.0 - 10.0 * (3.0 - time)).max(0.0);
    let (skeleton, clip) = walker(|time, pose| pose.locals[1].translation.y -= (0.95 * sits(time)) as f32);
    let made = put(&skeleton, &clip, &level).unwrap();
    let [start, end] = [0.0, 3.0].map(|time| world_at(&skeleton, &made.clip, 1, time).translation.y);
    assert!(made.report.raised[1] >= 0.1 && (start - end).abs() < 1e-6, "{start} {end}");
}

#[test]
fn who_lies_is_not_pushed_into_the_ground_where_a_leg_is_too_short() {
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
    let stand = plants::Stand { frames: 0..3, place: DVec3::ZERO, lowest: 0.0 };
    let foot = |leg| Foot { leg, soles: vec![DVec3::ZERO; 3], stands: vec![stand.clone()], mesh: None, loops: false };
    let feet: Vec<Foot> = roles.legs.iter().map(foot).collect();
    // So far away that the hips would have to come down by 4 cm, with the head 2 cm above the ground.
    let target = |leg: &crate::anim::Leg| {
        let hip = lying.world_from_joint(skeleton, leg.thigh).translation;
        let place = FootPlace::from_pose(skeleton, leg, &lying);
        let reach = 0.97 * leg_place(skeleton, leg, &lying).length();
        vec![FootPlace { ankle: hip.with_y(0.0) + DVec3::Z * (reach - 2e-4), ..place }; 3]
    };
    let targets: Vec<Vec<FootPlace>> = roles.legs.iter().map(target).collect();
    let mut poses = vec![lying.clone(); 3];
    let lowered = lower_hips(&input, &feet, &targets, Frames { times: &[0.0, 0.1, 0.2], loops: false }, &mut poses);
    let height = poses[1].world_from_joint(skeleton, 8).translation.y;
    assert!(lowered > 0.019 && height > -1e-6, "{lowered} {height}");
}

/// For the middle of each stand of both feet: how far the ankle is above `ground`, and how far it goes in the four frames around.
fn drift_of_plants(skeleton: &Skeleton, clip: &Clip, ground: &GroundHeight) -> [f64; 2] {
    let (mut off, mut slid) = (0.0, 0.0);
    for (joint, phase) in [(4, 0.0), (7, 0.5)] {
        for step in 0..2 {
            let frame = ((phase + 0.3 + f64::from(step)) * 30.0) as usize;
            let at = |i: usize| world_at(skeleton, clip, joint, i as f64 / 30.0).translation;
            let place = at(frame);
            off = f64::max(off, (place.y - ground(place).unwrap()).abs());
            slid = (frame - 4..frame + 4).map(|i| (at(i) - place).with_y(0.0).length()).fold(slid, f64::max);
        }
    }
    [off, slid]
}

#[test]
fn a_walk_that_stands_on_its_ground_stays_as_it_is() {
    let (skeleton, clip) = walker(|_, _| {});
    let built = put(&skeleton, &clip, &level).unwrap();
    assert_eq!(built.clip, clip);
    assert!(built.report.stands >= 6 && built.report.off_ground[0] < 1e-5, "{:?}", built.report);
}

#[test]
fn a_floating_walk_comes_down_and_sliding_feet_stand_again() {
    // As a stretch leaves it: a third further along the ground, and over it.
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
fn a_sunken_gait_on_the_spot_comes_up_and_stays_on_the_spot() {
    let on_the_spot =
        |height: f32| walker(move |time, pose| pose.locals[0].translation += Vec3::new(0.0, height, -time as f32));
    let (skeleton, clip) = on_the_spot(-0.08);
    let built = put(&skeleton, &clip, &level).unwrap();
    let off = |clip: &Clip| drift_of_plants(&skeleton, clip, &level)[0];
    assert!(off(&clip) > 0.07 && off(&built.clip) < 2e-3, "{} {} {:?}", off(&clip), off(&built.clip), built.report);
    for frame in 0..=90 {
        let place = world_at(&skeleton, &built.clip, 0, f64::from(frame) / 30.0).translation;
        assert!(place.with_y(0.0).length() < 1e-5 && (place.y - 0.0).abs() < 0.02, "{frame}: {place}");
    }
    // Only a metre of level: on the spot nobody leaves it.
    let narrow = |place: DVec3| (place.with_y(0.0).length() < 0.5).then_some(0.0);
    assert_eq!(put(&skeleton, &clip, &narrow).map(|built| built.clip), Ok(built.clip));
    let (_, sound) = on_the_spot(0.0);
    let kept = put(&skeleton, &sound, &level).unwrap();
    assert!(kept.clip == sound && kept.report.stands >= 6, "{:?}", kept.report);
}

#[test]
fn uphill_and_over_steps_every_stand_is_on_the_ground_and_no_knee_pops() {
    let (skeleton, clip) = walker(|_, _| {});
    let ramp = |place: DVec3| Some(0.15 * place.z);
    let stairs = |place: DVec3| Some(0.12 * (place.z / 0.5).floor());
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
            assert!(after < before + 0.25, "{after} was {before}");
        }
        // Swinging feet go over what lies between two stands.
        for foot in [4, 7] {
            let at = |i: usize| world_at(&skeleton, &built.clip, foot, i as f64 / 30.0).translation;
            let deepest = (0..=90).map(|i| ground(at(i)).unwrap() - at(i).y).fold(0.0, f64::max);
            assert!(deepest < 0.03, "{deepest}");
        }
    }
}

#[test]
fn a_walk_uphill_keeps_its_hill_where_only_its_feet_shall_hold() {
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
fn off_the_ground_is_refused_with_place_and_time() {
    let (skeleton, clip) = walker(|_, _| {});
    let hole = |place: DVec3| (place.z < 1.6).then_some(0.0);
    let Err(BuildError::OffGround { place, time, .. }) = put(&skeleton, &clip, &hole) else {
        panic!("there is a hole")
    };
    assert!(place.z >= 1.6 && (1.5..2.0).contains(&time), "{place} {time}");
    let (skeleton, still) = walker(|time, pose| pose.locals[0].translation.z -= time as f32);
    assert_eq!(put(&skeleton, &still, &level).map(|built| built.clip), Ok(still), "on the spot nobody walks into it");
    // Three times as fast as its feet: none ever stands.
    let (skeleton, slides) = walker(|time, pose| pose.locals[0].translation.z += 2.0 * time as f32);
    let built = put(&skeleton, &slides, &level).unwrap();
    assert!(built.clip == slides && built.report.warnings() == [Warning::NeverStands], "{:?}", built.report);
}

#[test]
fn walks_that_others_made_come_onto_a_slope() {
    let Some(characters) = corpus("characters") else { return };
    let mut seen = 0;
    for (file, name) in
        [("knight.glb", "Walk"), ("mannequiny.glb", "walk"), ("minnyquinn.glb", "walk"), ("fox.glb", "Walk")]
    {
        let model = import(&characters.join(file)).unwrap().model;
        let skeleton = &model.skeleton;
        let goes = |clip: &&Clip| clip.name.to_lowercase().contains(&name.to_lowercase());
        let Some(clip) = model.clips.iter().find(goes) else { continue };
        let roles = Roles::find(skeleton, &model.clips);
        let unit = if crate::anim::root_motion::rig_size(skeleton) > 20.0 { 0.01 } else { 1.0 };
        let made = crate::anim::root_synthesis::synthesize_root_motion(skeleton, clip, &roles, 30.0, unit);
        let Ok((clip, root)) = made else { continue };
        let slope = |place: DVec3| Some(0.1 * place.z + 0.05);
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
fn who_lies_with_his_feet_in_the_air_is_not_brought_into_the_ground_for_them() {
    let Some(characters) = corpus("characters") else { return };
    let model = import(&characters.join("knight.glb")).unwrap().model;
    let skeleton = &model.skeleton;
    let roles = Roles::find(skeleton, &model.clips);
    let clip = model.clips.iter().find(|clip| clip.name == "Lie_StandUp").unwrap();
    let root = RootMotion::find(skeleton, clip, &roles).unwrap();
    let input = on_level(skeleton, clip, root, &roles);
    let Built { clip: made, report } = build(&input, &Settings::default(), &Progress::new()).unwrap();
    let times = frame_times(clip, 0..skeleton.len(), 30.0);
    let heights = |clip: &Clip, joint: usize| root_motion::path(skeleton, clip, joint, &times);
    let body = roles.trunk_and_limbs(skeleton);
    let deepest = |clip: &Clip| {
        let all = body.iter().flat_map(|&joint| heights(clip, joint));
        all.map(|place| -place.y).fold(0.0, f64::max)
    };
    assert!(deepest(clip) < 0.01 && deepest(&made) < 0.01, "{} {}", deepest(clip), deepest(&made));
    // Nothing is told to have come down farther than the hips did.
    let hips = roles.hips.unwrap();
    let down = heights(clip, hips).iter().zip(heights(&made, hips)).map(|(was, is)| was.y - is.y).fold(0.0, f64::max);
    assert!(-report.raised[0] <= down + 1e-4, "{report:?} {down}");
}

#[test]
fn who_never_stands_is_raised_out_of_the_ground_evenly_and_not_moved_above_it() {
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
    let (_, above) = slides(0.3);
    assert!(put(&skeleton, &above, &level).unwrap().clip == above);
}

mod shoes;
mod told;
