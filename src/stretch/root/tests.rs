use super::*;
use portamento_anim::root_motion::rig_size;
use portamento_anim::{Curve, Interpolation, JointTracks};
use portamento_anim::{Model, Rig};
use portamento_formats::import::import;
use portamento_test_support::character;

fn open(path: &str) -> Option<(Model, Roles)> {
    let model = import(&character(path)?).unwrap().model;
    let roles = Rig::of_model(&model).roles;
    Some((model, roles))
}

fn build_root(model: &Model, roles: &Roles, clip: &Clip, settings: Settings) -> Result<Built, BuildError> {
    let (skeleton, mesh_joints) = (&model.skeleton, &model.mesh_joints());
    let input = Input { skeleton, clip, roles, fps: clip.fps(), metres_per_unit: 1.0, mesh_joints };
    build(&input, &settings, &Progress::new())
}

/// Files, each with a clip that travels or turns.
const CHARACTERS: [(&str, &str); 5] = [
    ("hero", "run"),
    ("hero", "dash"),
    ("characters/mannequiny.glb", "run"),
    ("characters/knight.glb", "walking_a"),
    ("wild/robot_expressive.glb", "running"),
];

fn for_each_clip(mut look: impl FnMut(&Model, &Roles, &Clip)) {
    for (file, like) in CHARACTERS {
        let Some((model, roles)) = open(file) else { continue };
        let clip = model.clips.iter().find(|clip| clip.name.to_lowercase().contains(like)).unwrap();
        look(&model, &roles, clip);
    }
}

/// Returns the joints that move in `clip`, and those that carry a visible part of the character.
fn body(model: &Model, clip: &Clip) -> Vec<usize> {
    let (skeleton, visible) = (&model.skeleton, model.mesh_joints());
    let times = frame_times(clip, 0..skeleton.len(), clip.fps());
    let poses: Vec<Pose> = times.iter().map(|&time| clip.pose_at(skeleton, time)).collect();
    let moves = |joint: usize| poses.iter().any(|pose| pose.locals[joint] != poses[0].locals[joint]);
    (0..skeleton.len()).filter(|&joint| visible[joint] || skeleton.ancestors(joint).any(moves)).collect()
}

/// Returns the largest distance of a joint of the body other than the root from its original position on the frames of both clips,
/// relative to the rig size.
fn off(model: &Model, [before, after]: [&Clip; 2], root: Option<usize>) -> f64 {
    let mut worst = 0.0_f64;
    let joints = body(model, before);
    for time in frame_times(before, 0..model.skeleton.len(), before.fps()) {
        let [a, b] = [before, after].map(|clip| clip.pose_at(&model.skeleton, time));
        for &joint in joints.iter().filter(|&&joint| Some(joint) != root) {
            let [a, b] = [&a, &b].map(|pose| pose.world_from_joint(&model.skeleton, joint).translation);
            worst = worst.max(a.distance(b));
        }
    }
    worst / rig_size(&model.skeleton)
}

#[test]
fn travel_moves_into_the_root_and_back_and_the_body_keeps_its_position() {
    for_each_clip(|model, roles, clip| {
        let name = format!("{} {}", model.name, clip.name);
        let rooted = build_root(model, roles, clip, Settings::default());
        let rooted = match rooted {
            Err(BuildError::NoRoot { .. }) if model.skeleton.joints[roles.hips.unwrap()].parent.is_none() => return,
            rooted => rooted.unwrap(),
        };
        let root = rooted.root.joint;
        assert_ne!(Some(root), roles.hips, "{name}");
        let away = off(model, [clip, &rooted.clip], Some(root));
        assert!(away <= 1e-5, "{name}: {away} {:?}", rooted.report);
        for i in 0..=20 {
            let pose = rooted.clip.pose_at(&model.skeleton, clip.duration * f64::from(i) / 20.0);
            let [root, hips] =
                [root, roles.hips.unwrap()].map(|joint| pose.world_from_joint(&model.skeleton, joint).translation);
            let distance = (root - hips).with_y(0.0).length() / rig_size(&model.skeleton);
            assert!(distance < 1e-4, "{name}: the root is {distance} away from the hips");
        }
        let back =
            build_root(model, roles, &rooted.clip, Settings { travel: RootTravel::IntoHips, ..Settings::default() })
                .unwrap();
        let away = off(model, [clip, &back.clip], Some(root));
        assert!(away <= 2e-5, "{name}: {away}");
        let root_local = |pose: &Pose| pose.locals[root];
        let poses = [0.0, 0.4, 1.0].map(|share| root_local(&back.clip.pose_at(&model.skeleton, share * clip.duration)));
        assert!(poses.iter().all(|local| *local == poses[0]), "{name}: the root rests");
    });
}

#[test]
fn without_travel_the_body_stays_in_place_and_its_pose_is_unchanged() {
    for_each_clip(|model, roles, clip| {
        let name = format!("{} {}", model.name, clip.name);
        let in_place =
            build_root(model, roles, clip, Settings { travel: RootTravel::Away, ..Settings::default() }).unwrap();
        let hips = roles.hips.unwrap();
        let times = frame_times(clip, [hips], 30.0);
        let hips_path = path(&model.skeleton, &in_place.clip, hips, &times);
        let size = rig_size(&model.skeleton);
        let farthest =
            hips_path.iter().map(|position| (*position - hips_path[0]).with_y(0.0).length()).fold(0.0, f64::max) / size;
        assert!(farthest < 1e-4, "{name}: {farthest}");
        let heights = path(&model.skeleton, clip, hips, &times);
        assert!(hips_path.iter().zip(&heights).all(|(a, b)| (a.y - b.y).abs() < 1e-4 * size), "{name}");
        // Between the source's frames a curve becomes a chord: 1.8·10⁻³ of the body in the liveliest run, which is reported.
        assert!(in_place.report.moved <= 2.0 * in_place.report.bound, "{name}: {:?}", in_place.report);
    });
}

#[test]
fn a_smoothed_path_leaves_the_sway_in_the_body() {
    let (model, roles) = open("hero").unwrap();
    let clip = model.clip("run").unwrap();
    let smoothed = build_root(&model, &roles, clip, Settings { evened: 0.4, ..Settings::default() }).unwrap();
    let exact = build_root(&model, &roles, clip, Settings::default()).unwrap();
    assert!(smoothed.report.length < exact.report.length, "{:?} {:?}", smoothed.report, exact.report);
    assert!(off(&model, [clip, &smoothed.clip], Some(smoothed.root.joint)) <= 1e-5);
}

#[test]
fn a_constant_drift_is_removed_and_the_motion_on_top_stays() {
    let (model, roles) = open("hero").unwrap();
    let clip = model.clip("idle").unwrap();
    let mut drifts = clip.clone();
    let root = portamento_anim::RootMotion::find(&model.skeleton, clip, &roles).unwrap().joint;
    let sways = |time: f32| {
        clip.tracks[root].translation.as_ref().map_or(Vec3::ZERO, |curve| curve.sample(f64::from(time)).unwrap())
    };
    use RootTravel::{Away, FromFeet};
    // Many programs begin with frame 1. The clip is constant before it, including its sway, which is a thousandth of the rig
    // size.
    for (first, travel, tolerance) in [(0, Away, 3e-4), (1, Away, 1.5e-3), (0, FromFeet, 3e-3), (1, FromFeet, 4.2e-3)] {
        let times: Vec<f32> = (first..=30).map(|i| i as f32 * clip.duration as f32 / 30.0).collect();
        let values = times.iter().map(|&time| sways(time) + 0.3 * (time - times[0]) * Vec3::X).collect();
        drifts.tracks[root].translation = Some(Curve::linear(times, values));
        let settings = Settings { travel, heading: false, evened: Settings::MAX_SMOOTHING_SECONDS };
        let built = build_root(&model, &roles, &drifts, settings).unwrap();
        // The drift is 0.3 of the rig size, with keys at other times than the clip's. No joint may move against a drifting one,
        // since later stages would take that for travel.
        let off = off(&model, [clip, &built.clip], None);
        assert!(off <= tolerance, "{travel:?} from frame {first}: {off}");
    }
}

#[test]
fn a_clip_in_place_travels_by_its_foot_contacts() {
    let Some((model, roles)) = open("wild/mannequiny_in_place.glb") else { return };
    let clip = model.clips.iter().find(|clip| clip.name.to_lowercase().contains("run")).unwrap_or(&model.clips[0]);
    let built =
        build_root(&model, &roles, clip, Settings { travel: RootTravel::FromFeet, ..Settings::default() }).unwrap();
    assert!(built.report.length > 0.5 * clip.duration, "{:?}", built.report);
}

#[test]
fn invalid_input_is_refused_with_the_matching_error() {
    let (model, roles) = open("hero").unwrap();
    let clip = &model.clips[0];
    let without_hips = Roles { hips: None, ..roles.clone() };
    assert_eq!(build_root(&model, &without_hips, clip, Settings::default()), Err(BuildError::NoHips));
    let top = model.skeleton.roots().next().unwrap();
    let without_root = Roles { hips: Some(top), root_motion: None, ..roles.clone() };
    assert!(matches!(build_root(&model, &without_root, clip, Settings::default()), Err(BuildError::NoRoot { .. })));
    let long = Settings { evened: f64::INFINITY, ..Settings::default() };
    assert!(matches!(build_root(&model, &roles, clip, long), Err(BuildError::BadNumber { .. })));
}

/// Returns the number of keys of the longest curve.
fn longest(clip: &Clip) -> usize {
    clip.key_times().map(<[f32]>::len).max().unwrap_or(0)
}

#[test]
fn keys_stay_on_the_frames_of_the_source() {
    for_each_clip(|model, roles, clip| {
        let frames = frame_times(clip, 0..model.skeleton.len(), clip.fps()).len();
        for travel in [RootTravel::IntoRoot, RootTravel::IntoHips, RootTravel::Away] {
            let Ok(built) = build_root(model, roles, clip, Settings { travel, ..Settings::default() }) else {
                continue;
            };
            let keys = longest(&built.clip);
            assert!(keys <= frames, "{} {} {travel:?}: {keys} keys for {frames} frames", model.name, clip.name);
        }
    });
}

/// Returns a clip of the hero whose root follows `root`, with its hips on `hips` keys of a sway.
fn travels(root: Curve<Vec3>, hips: Vec<f32>) -> (Model, Roles, Clip) {
    let (model, roles) = open("hero").unwrap();
    let mut tracks = vec![JointTracks::default(); model.skeleton.len()];
    let hips_joint = roles.hips.unwrap();
    let rest = model.skeleton.joints[hips_joint].rest.translation;
    let sway = hips.iter().map(|time| rest + 0.05 * (9.0 * time).sin() * Vec3::ONE).collect();
    tracks[hips_joint].translation = Some(Curve::linear(hips, sway));
    tracks[roles.root(&model.skeleton).unwrap()].translation = Some(root);
    (model, roles, Clip { name: "go".into(), duration: 2.0, tracks })
}

const UNEVEN_TIMES: [f32; 9] = [0.0, 0.1, 0.37, 0.5, 0.81, 1.2, 1.33, 1.7, 2.0];

#[test]
fn uneven_poses_get_keys_at_the_usual_rate_and_not_as_fine_as_their_times() {
    let row = |&time: &f32| [Vec3::Z, Vec3::Z * (time + 0.1 * (3.0 * time).sin()), Vec3::Z];
    let values: Vec<Vec3> = UNEVEN_TIMES.iter().flat_map(row).collect();
    let root =
        Curve { interpolation: Interpolation::CubicSpline, times: UNEVEN_TIMES.to_vec().into(), values: values.into() };
    let (model, roles, clip) = travels(root, UNEVEN_TIMES.to_vec());
    assert_eq!(clip.fps(), 100.0);
    for travel in [RootTravel::IntoHips, RootTravel::Away] {
        let built = build_root(&model, &roles, &clip, Settings { travel, ..Settings::default() }).unwrap();
        // Two seconds at 30 frames per second, and the nine keys.
        let keys = longest(&built.clip);
        assert!(keys > 9 && keys <= 61 + 9, "{travel:?}: {keys} keys");
        assert!(built.report.moved <= built.report.bound, "{travel:?}: {:?}", built.report);
    }
}

#[test]
fn jumps_of_the_root_stay_jumps_of_the_body() {
    let values: Vec<Vec3> = UNEVEN_TIMES.iter().map(|time| Vec3::Z * *time).collect();
    let steps =
        Curve { interpolation: Interpolation::Step, times: UNEVEN_TIMES.to_vec().into(), values: values.into() };
    let (model, roles, clip) = travels(steps, (0..=60).map(|i| i as f32 / 30.0).collect());
    let hips = roles.hips.unwrap();
    for travel in [RootTravel::IntoHips, RootTravel::IntoRoot] {
        let built = build_root(&model, &roles, &clip, Settings { travel, ..Settings::default() }).unwrap();
        let times: Vec<f64> = (0..480).map(|i| f64::from(i) / 240.0 + 1e-3).collect();
        let paths = [&clip, &built.clip].map(|clip| path(&model.skeleton, clip, hips, &times));
        let off = paths[0].iter().zip(&paths[1]).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(off < 1e-5, "{travel:?}: {off}");
    }
}

#[test]
fn a_clip_that_needs_no_change_keeps_its_curves_bit_for_bit() {
    let (model, roles) = open("hero").unwrap();
    let clip = model.clip("run").unwrap();
    for travel in [RootTravel::IntoRoot, RootTravel::IntoHips, RootTravel::Away] {
        let settings = Settings { travel, ..Settings::default() };
        let once = build_root(&model, &roles, clip, settings).unwrap();
        let twice = build_root(&model, &roles, &once.clip, settings).unwrap();
        assert!(twice.clip == once.clip, "{travel:?}");
    }
    // The hips carry the travel, in cubic splines with 61 keys.
    let Some(path) = portamento_test_support::corpus("cases/root_stage_keys/smooth.glb") else { return };
    let model = import(&path).unwrap().model;
    let roles = Rig::of_model(&model).roles;
    let settings = Settings { travel: RootTravel::IntoHips, ..Settings::default() };
    let built = build_root(&model, &roles, &model.clips[0], settings).unwrap();
    assert!(built.clip == model.clips[0] && longest(&built.clip) == 61);
}

#[test]
fn a_rest_with_all_joints_at_the_origin_keeps_the_keys_too() {
    let Some(path) = portamento_test_support::corpus("cases/root_stage_keys/no_rest.glb") else { return };
    let model = import(&path).unwrap().model;
    let (clip, roles) = (&model.clips[0], Rig::of_model(&model).roles);
    let settings = Settings { travel: RootTravel::IntoHips, ..Settings::default() };
    let built = build_root(&model, &roles, clip, settings).unwrap();
    assert!(longest(&built.clip) <= longest(clip) && built.report.bound > 1e-3, "{:?}", built.report);
    for &time in &clip.tracks[roles.hips.unwrap()].rotation.as_ref().unwrap().times {
        let [before, after] = [clip, &built.clip].map(|clip| clip.pose_at(&model.skeleton, f64::from(time)));
        for joint in model.skeleton.subtree(roles.hips.unwrap()) {
            let [a, b] = [&before, &after].map(|pose| pose.world_from_joint(&model.skeleton, joint).translation);
            assert!(a.distance(b) < 1e-5, "{joint} at {time}");
        }
    }
}

/// The guarantee for game engines: the body keeps its position on every frame, to 10⁻⁵ of its size, for every character.
#[test]
fn the_body_keeps_its_position_on_every_frame_for_every_character() {
    let wild = ["robot_expressive.glb", "mage.glb", "horse.glb", "gdbot.glb", "mannequiny_in_place.glb"];
    let wild = wild.iter().filter_map(|file| portamento_test_support::corpus(&format!("wild/{file}")));
    for path in portamento_test_support::gltf_files().into_iter().chain(wild) {
        let Ok(asset) = import(&path) else { continue };
        let (model, roles) = (&asset.model, Rig::of_model(&asset.model).roles);
        // Longer clips take long and do not turn faster.
        for clip in model.clips.iter().filter(|clip| clip.duration > 0.0 && clip.duration < 4.0).take(8) {
            for travel in [RootTravel::IntoRoot, RootTravel::IntoHips, RootTravel::Away] {
                let Ok(built) = build_root(model, &roles, clip, Settings { travel, ..Settings::default() }) else {
                    continue;
                };
                let name = format!("{} {} {travel:?}", path.display(), clip.name);
                if travel == RootTravel::IntoRoot {
                    let off = off(model, [clip, &built.clip], Some(built.root.joint));
                    assert!(off <= 1e-5, "{name}: {off}");
                }
                // A jump has a key on either side.
                let curves = clip.tracks.iter().flat_map(|tracks| &tracks.translation);
                let jumps: usize = curves.map(|curve| jumps(curve, 1).len()).sum();
                let frames = frame_times(clip, 0..model.skeleton.len(), clip.fps()).len() + jumps;
                assert!(longest(&built.clip) <= frames, "{name}: {} keys for {frames} frames", longest(&built.clip));
            }
        }
    }
}
