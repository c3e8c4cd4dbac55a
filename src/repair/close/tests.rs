use super::*;
use glam::{DAffine3, DQuat, DVec3, Quat, Vec3};
use portamento_anim::root_motion::{rig_size, world_at};
use portamento_anim::{Curve, JointTracks, Pose, Roles, RootKind, RootMotion, Skeleton};
use portamento_formats::import::import;
use portamento_test_support::Figure;
use portamento_test_support::allocations::allocations;
use portamento_test_support::corpus;
use portamento_test_support::{LEGGED, skeleton_of};

mod carried;
mod feet;

/// Returns a clip of `frames` frames at `fps`, sampled from `pose`.
fn baked(skeleton: &Skeleton, frames: usize, fps: f64, pose: impl Fn(f64) -> Pose) -> Clip {
    let times: Vec<f64> = (0..frames).map(|i| f64::from((i as f64 / fps) as f32)).collect();
    let poses: Vec<Pose> = times.iter().map(|&time| pose(time)).collect();
    let tracks = vec![JointTracks::default(); skeleton.len()];
    let mut clip = Clip { name: "part".into(), duration: times[frames - 1], tracks };
    write_poses(skeleton, &mut clip, &PoseSpan { times: &times, first: 0, poses: &poses });
    clip
}

fn close(skeleton: &Skeleton, clip: &Clip, root: Option<RootMotion>, settings: &Settings) -> Result<Built, BuildError> {
    let roles = Roles::find(skeleton, std::slice::from_ref(clip));
    let input = Input { skeleton, clip, root, roles: &roles, fps: clip.fps(), metres_per_unit: 1.0 };
    build(&input, settings, &Progress::new())
}

#[test]
fn a_pose_is_closed_already_and_stays_as_it_is() {
    let skeleton = skeleton_of(&LEGGED);
    let turned = Quat::from_rotation_x(0.3);
    for (keys, duration) in
        [(vec![0.0], 0.0), (vec![0.5], 0.5), (vec![0.0, 1.0 / 30.0], 1.0 / 30.0), (vec![0.0, 2.0], 2.0)]
    {
        let mut tracks = vec![JointTracks::default(); skeleton.len()];
        tracks[0].rotation = Some(Curve::linear(keys.clone(), vec![turned; keys.len()]));
        let clip = Clip { name: "arms".into(), duration, tracks };
        let built = close(&skeleton, &clip, None, &Settings::default()).unwrap();
        assert!(built.report.closes_already && built.clip == clip, "{keys:?}");
    }
    let mut tracks = vec![JointTracks::default(); skeleton.len()];
    tracks[0].rotation = Some(Curve::linear(vec![0.0, 1.0 / 30.0], vec![Quat::IDENTITY, turned]));
    let clip = Clip { name: "step".into(), duration: 1.0 / 30.0, tracks };
    assert!(close(&skeleton, &clip, None, &Settings::default()).is_err());
}

#[test]
fn a_cycle_that_is_cut_at_a_heel_strike_loops_already_and_stays_as_it_is() {
    let cut_there = ["pack/Knight_Walking_A.fbx", "pack/running (2).fbx", "characters/knight.glb"];
    for (file, figure) in cut_there.into_iter().filter_map(|file| Some((file, Figure::open(file)?))) {
        let clips = &figure.model.clips;
        let clip = clips.iter().find(|clip| clip.name == "Walking_A").unwrap_or(&clips[0]);
        let (skeleton, roles) = (&figure.model.skeleton, &figure.roles);
        let root = RootMotion::find(skeleton, clip, roles);
        let built = close(skeleton, clip, root, &Settings::default()).unwrap();
        let report = &built.report;
        assert!(report.before.velocity > Gap::MAX_VELOCITY, "{file}: {report:?}");
        assert!(report.closes_already && built.clip == *clip, "{file}: {report:?}");
    }
    // This clip ends in its first pose, but a hand stops there faster than at any other frame.
    let skeleton = skeleton_of(&LEGGED);
    let times: Vec<f32> = (0..=30).map(|i| i as f32 / 30.0).collect();
    let turns = times.iter().map(|time| Quat::from_rotation_x(time * (1.0 - time))).collect();
    let mut tracks = vec![JointTracks::default(); skeleton.len()];
    tracks[1].rotation = Some(Curve::linear(times, turns));
    let clip = Clip { name: "bounce".into(), duration: 1.0, tracks };
    let built = close(&skeleton, &clip, None, &Settings::default()).unwrap();
    assert!(built.report.before.ends_meet() && !built.report.closes_already, "{:?}", built.report);
    assert!(built.report.after.is_closed(), "{:?}", built.report);
}

/// Returns the world transforms of all joints.
fn world(skeleton: &Skeleton, clip: &Clip, time: f64) -> Vec<DAffine3> {
    let pose = clip.pose_at(skeleton, time);
    (0..skeleton.len()).map(|joint| pose.world_from_joint(skeleton, joint)).collect()
}

/// Returns the position gap relative to the size, and the velocity gap relative to the largest speed, measured from the clip
/// alone. `cycle` maps the root's start to its end.
fn gaps(skeleton: &Skeleton, clip: &Clip, root: usize, cycle: DAffine3) -> [f64; 2] {
    let (end, step) = (clip.duration, 2e-4);
    let [start, after, before, last] = [0.0, step, end - step, end].map(|time| world(skeleton, clip, time));
    let size = portamento_anim::root_motion::rig_size(skeleton);
    let frames = (end * 30.0) as usize;
    let path: Vec<Vec<DAffine3>> = (0..=frames).map(|i| world(skeleton, clip, i as f64 / 30.0)).collect();
    let steps = path.windows(2).flat_map(|pair| pair[0].iter().zip(&pair[1]));
    let quickest = steps.map(|(a, b)| a.translation.distance(b.translation) * 30.0).fold(0.0, f64::max);
    let (mut position, mut velocity) = (0.0, 0.0);
    for joint in skeleton.subtree(root) {
        let at = |world: &[DAffine3]| world[joint].translation;
        position = f64::max(position, cycle.transform_point3(at(&start)).distance(at(&last)) / size);
        let first = cycle.transform_vector3(at(&after) - at(&start));
        velocity = f64::max(velocity, first.distance(at(&last) - at(&before)) / step / quickest);
    }
    [position, velocity]
}

/// Returns the cycle transform of a clip from the root positions, with the rotation about +Y from `built`.
fn cycle_of(skeleton: &Skeleton, clip: &Clip, root: Option<RootMotion>, built: &Built) -> DAffine3 {
    if built.report.travel == DVec3::ZERO && built.report.turn == 0.0 {
        return DAffine3::IDENTITY;
    }
    let at = |time: f64| world(skeleton, clip, time)[root.unwrap().joint].translation;
    let turn = DAffine3::from_quat(DQuat::from_rotation_y(built.report.turn));
    DAffine3::from_translation(at(0.0) + built.report.travel) * turn * DAffine3::from_translation(-at(0.0))
}

fn check_closed(skeleton: &Skeleton, clip: &Clip, root: Option<RootMotion>, settings: &Settings, name: &str) -> Built {
    let built = close(skeleton, clip, root, settings).unwrap();
    let report = &built.report;
    let [position, velocity] =
        gaps(skeleton, &built.clip, root.map_or(0, |root| root.joint), cycle_of(skeleton, &built.clip, root, &built));
    assert!(
        position <= 1e-5 && velocity <= 0.01,
        "{name}: {position} of the size, {velocity} of the speed; {report:?}"
    );
    assert!(report.after.is_closed(), "{name}: {report:?}");
    assert!(report.after_start + report.before_end <= settings.seam + 2.5 / clip.fps(), "{name}: {report:?}");
    let frames = (clip.duration * clip.fps()).round() as usize;
    for i in 0..=frames {
        let time = f64::from((i as f64 / clip.fps()) as f32);
        if (report.after_start..=clip.duration - report.before_end).contains(&time) {
            assert_eq!(built.clip.pose_at(skeleton, time), clip.pose_at(skeleton, time), "{name} at {time}");
        }
    }
    let again = close(skeleton, &built.clip, root, settings).unwrap();
    assert!(again.report.closes_already && again.clip == built.clip, "{name}: {:?}", again.report);
    built
}

/// Returns a root that travels, turns and climbs, with joints that never repeat.
fn wanderer() -> (Skeleton, Clip) {
    let skeleton = skeleton_of(&[("root", None), ("spine", Some(0)), ("arm", Some(1)), ("hand", Some(2))]);
    let pose = |time: f64| {
        let mut pose = Pose::rest(&skeleton);
        let time = time as f32;
        pose.locals[0].translation = Vec3::new(0.3 * time * time, 0.2 * time, 1.1 * time + 0.05 * (9.0 * time).sin());
        pose.locals[0].rotation = Quat::from_rotation_y(0.35 * time) * Quat::from_rotation_x(0.2 * (4.0 * time).sin());
        pose.locals[1].rotation = Quat::from_rotation_z(0.6 * (5.0 * time).cos()) * Quat::from_rotation_x(0.3 * time);
        pose.locals[2].translation += Vec3::X * 0.2 * (7.0 * time).sin();
        pose.locals[2].rotation = Quat::from_rotation_x((3.0 * time).sin() + 0.4);
        pose.locals[3].scale = Vec3::splat(1.0 + 0.3 * (2.0 * time).sin());
        pose
    };
    let clip = baked(&skeleton, 52, 30.0, pose);
    (skeleton, clip)
}

#[test]
fn any_motion_closes_on_every_side_in_position_speed_heading_and_climb() {
    let (skeleton, clip) = wanderer();
    let root = Some(RootMotion { joint: 0, kind: RootKind::Root });
    for side in ChangedSide::ALL {
        for seam in [0.1, 0.3, 0.5 * clip.duration] {
            let settings = Settings { side, seam, ..Settings::default() };
            let built = check_closed(&skeleton, &clip, root, &settings, &format!("{side:?} {seam}"));
            let report = &built.report;
            assert!(report.before.place > 0.02 && report.before.velocity > 0.1, "{report:?}");
            assert!((report.turn - 0.35 * clip.duration).abs() < 1e-4, "{report:?}");
            let end = clip.duration;
            let travel = DVec3::new(0.3 * end * end, 0.2 * end, 1.1 * end + 0.05 * (9.0 * end).sin());
            assert!(report.travel.abs_diff_eq(travel, 1e-5), "{} {travel}", report.travel);
            let ends = [0.0, end].map(|time| world(&skeleton, &built.clip, time)[0].translation);
            assert!((ends[1] - ends[0]).abs_diff_eq(travel, 1e-5), "the travel is kept");
            assert!(side == ChangedSide::Least || report.side == side);
        }
    }
}

#[test]
fn a_sampled_frame_allocates_nothing() {
    let (skeleton, clip) = wanderer();
    let root = Some(RootMotion { joint: 0, kind: RootKind::Root });
    let closed = close(&skeleton, &clip, root, &Settings::default()).unwrap().clip;
    let mut pose = Pose::rest(&skeleton);
    let count = allocations(|| (0..90).for_each(|step| closed.sample(&skeleton, f64::from(step) / 50.0, &mut pose)));
    assert_eq!(count, 0);
}

#[test]
fn a_body_tilted_by_its_parent_does_not_travel() {
    let skeleton = skeleton_of(&LEGGED);
    let clip = baked(&skeleton, 61, 30.0, |time| {
        let mut pose = Pose::rest(&skeleton);
        pose.locals[0].rotation = Quat::from_rotation_x(0.05 * (time * time) as f32);
        pose.locals[1].translation.y += 0.9 + 0.01 * (std::f64::consts::PI * time).sin() as f32;
        pose
    });
    let hips = RootMotion { joint: 1, kind: RootKind::HipsGroundPart };
    let built = close(&skeleton, &clip, Some(hips), &Settings::default()).unwrap();
    assert!(built.report.travel == DVec3::ZERO && built.report.turn == 0.0, "{:?}", built.report);
    let [start, end] = [0.0, clip.duration].map(|time| world(&skeleton, &built.clip, time)[1].translation);
    assert!(start.distance(end) < 1e-5, "{start} {end}");
}

#[test]
fn in_place_the_character_ends_at_its_start() {
    let (skeleton, clip) = wanderer();
    let root = Some(RootMotion { joint: 0, kind: RootKind::Root });
    let settings = Settings { cycle: Cycle::InPlace, seam: 0.5, ..Settings::default() };
    let built = check_closed(&skeleton, &clip, root, &settings, "in place");
    let ends = [0.0, clip.duration].map(|time| world(&skeleton, &built.clip, time)[0]);
    assert!(ends[0].abs_diff_eq(ends[1], 1e-5) && built.report.travel == DVec3::ZERO);
}

#[test]
fn the_default_seam_shrinks_with_a_short_motion() {
    let (skeleton, clip) = wanderer();
    let root = Some(RootMotion { joint: 0, kind: RootKind::Root });
    for frames in [6, 8, 12, 17, 19, 30] {
        let part = baked(&skeleton, frames, 30.0, |time| clip.pose_at(&skeleton, time + 0.2));
        let built = check_closed(&skeleton, &part, root, &Settings::default(), &format!("{frames} frames"));
        let seam = built.report.after_start + built.report.before_end;
        assert!(seam <= 0.5 * part.duration + 2.5 / 30.0, "{frames}: {seam} s of {} s", part.duration);
    }
}

#[test]
fn a_looping_motion_is_unchanged_and_bad_seams_are_refused() {
    let skeleton = skeleton_of(&[("root", None)]);
    let values = [0.0, 1.0, 2.0, 2.0, 1.0, 0.0, 1.0, 2.0].map(|x: f32| Vec3::X * x).to_vec();
    let mut curve = Curve::linear((0..8).map(|i| i as f32 / 10.0).collect(), values);
    curve.values.splice(6..8, [Vec3::X, Vec3::X * 2.0]);
    let clip = |curve: &Curve<Vec3>, end: usize| {
        let cut = Curve::linear(curve.times[..end].to_vec(), curve.values[..end].to_vec());
        let duration = f64::from(cut.times[end - 1]);
        let tracks = vec![JointTracks { translation: Some(cut), ..JointTracks::default() }];
        Clip { name: "swing".into(), duration, tracks }
    };
    // Starts upwards from 0 and comes down to 0: the same position at another speed.
    let down = close(&skeleton, &clip(&curve, 6), None, &Settings { seam: 0.2, ..Settings::default() }).unwrap();
    assert!(down.report.before.place < 1e-6 && down.report.before.velocity > 1.9 && !down.report.closes_already);
    let ramp: Vec<Vec3> = [0.0, 1.0, 0.0, -1.0, -2.0, -1.0, 0.0].map(|x: f32| Vec3::X * x).to_vec();
    let ramp = clip(&Curve::linear((0..7).map(|i| i as f32 / 10.0).collect(), ramp), 7);
    let unchanged = close(&skeleton, &ramp, None, &Settings { seam: 0.2, ..Settings::default() }).unwrap();
    assert!(unchanged.report.closes_already && unchanged.clip == ramp, "{:?}", unchanged.report);
    for seam in [0.0, 0.09, 0.31, f64::NAN] {
        let refused = close(&skeleton, &ramp, None, &Settings { seam, ..Settings::default() });
        assert!(matches!(refused, Err(BuildError::BadSeam { .. })), "{seam}");
    }
    let mut short = clip(&curve, 4);
    let curve = short.tracks[0].translation.as_mut().unwrap();
    curve.times = (0..4).map(|i| i as f32 / 30.0).collect();
    short.duration = 0.1;
    let few = close(&skeleton, &short, None, &Settings { seam: 0.05, ..Settings::default() });
    assert!(matches!(few, Err(BuildError::TooShort { frames: 4, .. })), "{few:?}");
}

#[test]
fn third_party_walks_and_runs_close_wherever_they_are_cut() {
    let (Some(characters), Some(wild)) = (corpus("characters"), corpus("wild")) else { return };
    let files = ["knight.glb", "fox.glb", "quadruped.glb", "mannequiny.glb", "minnyquinn.glb"]
        .map(|name| characters.join(name));
    let others = ["horse.glb", "robot_expressive.glb", "gdbot.glb"].map(|name| wild.join(name));
    let mut closed = 0;
    for file in files.iter().chain(&others) {
        let model = import(file).unwrap().model;
        let is_gait = |clip: &&Clip| {
            let name = clip.name.to_lowercase();
            clip.duration > 0.5 && ["walk", "run", "gallop", "survey"].iter().any(|word| name.contains(word))
        };
        let Some(clip) = model.clips.iter().find(is_gait) else { continue };
        let skeleton = &model.skeleton;
        let frames = (clip.duration * 30.0 * 0.72) as usize;
        let part = baked(skeleton, frames, 30.0, |time| clip.pose_at(skeleton, time));
        let root = RootMotion::find(skeleton, &part, &Roles::find(skeleton, &model.clips));
        let seam = (0.4 * part.duration).min(0.3);
        for side in ChangedSide::ALL {
            let settings = Settings { seam, side, ..Settings::default() };
            let name = format!("{} {} {side:?}", file.display(), clip.name);
            let built = check_closed(skeleton, &part, root, &settings, &name);
            closed += 1;
            let Report { before, after, side, foot_jump, foot_slide, .. } = &built.report;
            println!("{name}: {side:?} {before:?} {after:?} jump {foot_jump} slide {foot_slide}");
        }
    }
    assert!(closed >= 20, "{closed}");
}

#[test]
fn independent_feet_of_a_turning_body_end_at_their_start_relative_to_it() {
    let Some(gdbot) = Figure::open("wild/gdbot.glb") else { return };
    let (skeleton, roles) = (&gdbot.model.skeleton, &gdbot.roles);
    for name in ["walk", "Idle"] {
        let mut clip = gdbot.model.clip(name).unwrap().clone();
        clip.duration *= 0.88;
        let root = RootMotion::find(skeleton, &clip, roles);
        let (fps, metres_per_unit) = (30.0, gdbot.metres_per_unit);
        let input = Input { skeleton, clip: &clip, root, roles, fps, metres_per_unit };
        let closed = build(&input, &Settings::default(), &Progress::new()).unwrap().clip;
        for leg in &roles.legs {
            let at = |joint: usize, time: f64| world_at(skeleton, &closed, joint, time);
            let foot = |time: f64| at(leg.foot, time).translation;
            let relative = |time: f64| at(root.unwrap().joint, time).inverse().transform_point3(foot(time));
            let gap = relative(0.0).distance(relative(closed.duration));
            assert!(gap < 1e-5 * rig_size(skeleton), "{name}: {gap}");
        }
    }
}
