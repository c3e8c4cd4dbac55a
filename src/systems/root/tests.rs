use super::*;
use crate::anim::{Model, Rig};
use crate::import::import;
use crate::support::character;

fn open(path: &str) -> Option<(Model, Roles)> {
    let model = import(&character(path)?).unwrap().model;
    let roles = Rig::of_model(&model).roles;
    Some((model, roles))
}

fn changed(model: &Model, roles: &Roles, clip: &Clip, settings: Settings) -> Result<Built, BuildError> {
    let input = Input { skeleton: &model.skeleton, clip, roles, fps: clip.fps(), metres_per_unit: 1.0 };
    build(&input, &settings, &Progress::new())
}

/// Each file with a clip that travels or turns.
const STRANGERS: [(&str, &str); 5] = [
    ("hero", "run"),
    ("hero", "dash"),
    ("characters/mannequiny.glb", "run"),
    ("characters/knight.glb", "walking_a"),
    ("wild/robot_expressive.glb", "running"),
];

fn each(mut look: impl FnMut(&Model, &Roles, &Clip)) {
    for (file, like) in STRANGERS {
        let Some((model, roles)) = open(file) else { continue };
        let clip = model.clips.iter().find(|clip| clip.name.to_lowercase().contains(like)).unwrap();
        look(&model, &roles, clip);
    }
}

/// The farthest that a joint but the root is from where it was, over the body's size.
fn off(model: &Model, [before, after]: [&Clip; 2], root: Option<usize>) -> f64 {
    let mut worst = 0.0_f64;
    for i in 0..=97 {
        let time = before.duration * f64::from(i) / 97.0;
        let [a, b] = [before, after].map(|clip| clip.pose_at(&model.skeleton, time));
        for joint in (0..model.skeleton.len()).filter(|&joint| Some(joint) != root) {
            let [a, b] = [&a, &b].map(|pose| pose.world_from_joint(&model.skeleton, joint).translation);
            worst = worst.max(a.distance(b));
        }
    }
    worst / rig_size(&model.skeleton)
}

#[test]
fn travel_goes_into_the_root_and_back_and_the_body_stays() {
    each(|model, roles, clip| {
        let name = format!("{} {}", model.name, clip.name);
        let made = changed(model, roles, clip, Settings::default());
        let made = match made {
            Err(BuildError::NoRoot { .. }) if model.skeleton.joints[roles.hips.unwrap()].parent.is_none() => return,
            made => made.unwrap(),
        };
        let root = made.root.joint;
        assert_ne!(Some(root), roles.hips, "{name}");
        let away = off(model, [clip, &made.clip], Some(root));
        assert!(away <= 1e-5, "{name}: {away} {:?}", made.report);
        for i in 0..=20 {
            let pose = made.clip.pose_at(&model.skeleton, clip.duration * f64::from(i) / 20.0);
            let [root, hips] =
                [root, roles.hips.unwrap()].map(|joint| pose.world_from_joint(&model.skeleton, joint).translation);
            let beside = (root - hips).with_y(0.0).length() / rig_size(&model.skeleton);
            assert!(beside < 1e-4, "{name}: the root is {beside} beside the hips");
        }
        let back = changed(model, roles, &made.clip, Settings { travel: RootTravel::IntoHips, ..Settings::default() })
            .unwrap();
        let away = off(model, [clip, &back.clip], Some(root));
        assert!(away <= 2e-5, "{name}: {away}");
        let still = |pose: &Pose| pose.locals[root];
        let poses = [0.0, 0.4, 1.0].map(|share| still(&back.clip.pose_at(&model.skeleton, share * clip.duration)));
        assert!(poses.iter().all(|local| *local == poses[0]), "{name}: the root rests");
    });
}

#[test]
fn without_travel_the_body_stays_on_the_spot_and_moves_as_before() {
    each(|model, roles, clip| {
        let name = format!("{} {}", model.name, clip.name);
        let made = changed(model, roles, clip, Settings { travel: RootTravel::Away, ..Settings::default() }).unwrap();
        let hips = roles.hips.unwrap();
        let times = frame_times(clip, [hips], 30.0);
        let way = path(&model.skeleton, &made.clip, hips, &times);
        let size = rig_size(&model.skeleton);
        let farthest = way.iter().map(|place| (*place - way[0]).with_y(0.0).length()).fold(0.0, f64::max) / size;
        assert!(farthest < 1e-4, "{name}: {farthest}");
        let heights = path(&model.skeleton, clip, hips, &times);
        assert!(way.iter().zip(&heights).all(|(a, b)| (a.y - b.y).abs() < 1e-4 * size), "{name}");
        assert!(made.report.moved <= made.report.bound, "{name}: {:?}", made.report);
    });
}

#[test]
fn an_evened_path_leaves_the_sway_in_the_body() {
    let (model, roles) = open("hero").unwrap();
    let clip = model.clip("run").unwrap();
    let made = changed(&model, &roles, clip, Settings { evened: 0.4, ..Settings::default() }).unwrap();
    let exact = changed(&model, &roles, clip, Settings::default()).unwrap();
    assert!(made.report.length < exact.report.length, "{:?} {:?}", made.report, exact.report);
    assert!(off(&model, [clip, &made.clip], Some(made.root.joint)) <= 1e-5);
}

#[test]
fn a_drift_of_the_whole_clip_is_taken_away_and_the_motion_over_it_stays() {
    let (model, roles) = open("hero").unwrap();
    let clip = model.clip("idle").unwrap();
    let mut drifts = clip.clone();
    let root = crate::anim::RootMotion::find(&model.skeleton, clip, &roles).unwrap().joint;
    let sways = |time: f32| {
        clip.tracks[root].translation.as_ref().map_or(glam::Vec3::ZERO, |curve| curve.sample(f64::from(time)).unwrap())
    };
    use RootTravel::{Away, FromFeet};
    // Many programs begin with frame 1, before which a clip is held; its sway is then, too, which is a thousandth of the body.
    for (first, travel, near) in [(0, Away, 3e-4), (1, Away, 1.5e-3), (0, FromFeet, 3e-3), (1, FromFeet, 4.2e-3)] {
        let times: Vec<f32> = (first..=30).map(|i| i as f32 * clip.duration as f32 / 30.0).collect();
        let values = times.iter().map(|&time| sways(time) + 0.3 * (time - times[0]) * glam::Vec3::X).collect();
        drifts.tracks[root].translation = Some(crate::anim::Curve::linear(times, values));
        let settings = Settings { travel, heading: false, evened: Settings::LONGEST };
        let made = changed(&model, &roles, &drifts, settings).unwrap();
        // The drift itself is 0.3 of the body; its keys are laid on other times than those of the clip.
        // No joint may go against one that drifts: what comes after would take that for the body's way.
        let off = off(&model, [clip, &made.clip], None);
        assert!(off <= near, "{travel:?} from frame {first}: {off}");
    }
}

#[test]
fn a_clip_on_the_spot_travels_by_its_feet() {
    let Some((model, roles)) = open("wild/mannequiny_in_place.glb") else { return };
    let clip = model.clips.iter().find(|clip| clip.name.to_lowercase().contains("run")).unwrap_or(&model.clips[0]);
    let made = changed(&model, &roles, clip, Settings { travel: RootTravel::FromFeet, ..Settings::default() }).unwrap();
    assert!(made.report.length > 0.5 * clip.duration, "{:?}", made.report);
}

#[test]
fn what_cannot_be_done_is_said() {
    let (model, roles) = open("hero").unwrap();
    let clip = &model.clips[0];
    let nobody = Roles { hips: None, ..roles.clone() };
    assert_eq!(changed(&model, &nobody, clip, Settings::default()), Err(BuildError::NoHips));
    let top = model.skeleton.roots().next().unwrap();
    let bare = Roles { hips: Some(top), root_motion: None, ..roles.clone() };
    assert!(matches!(changed(&model, &bare, clip, Settings::default()), Err(BuildError::NoRoot { .. })));
    let long = Settings { evened: f64::INFINITY, ..Settings::default() };
    assert!(matches!(changed(&model, &roles, clip, long), Err(BuildError::BadNumber { .. })));
}

/// The measure that engines are given: the body stays in the world to a hundred-thousandth of its size, whoever it is.
#[test]
fn whoever_it_is_the_body_stays_to_a_hundred_thousandth_of_its_size() {
    let wild = ["robot_expressive.glb", "mage.glb", "horse.glb", "gdbot.glb", "mannequiny_in_place.glb"];
    let wild = wild.iter().filter_map(|file| crate::support::corpus(&format!("wild/{file}")));
    for path in crate::support::gltf_files().into_iter().chain(wild) {
        let Ok(asset) = import(&path) else { continue };
        let (model, roles) = (&asset.model, Rig::of_model(&asset.model).roles);
        // Longer ones take long and turn no faster.
        for clip in model.clips.iter().filter(|clip| clip.duration > 0.0 && clip.duration < 4.0).take(8) {
            for travel in [RootTravel::IntoRoot, RootTravel::IntoHips, RootTravel::Away] {
                let Ok(made) = changed(model, &roles, clip, Settings { travel, ..Settings::default() }) else {
                    continue;
                };
                let Report { moved, bound, .. } = made.report;
                let name = format!("{} {} {travel:?}", path.display(), clip.name);
                assert!(moved <= bound, "{name}: {moved} of {bound}");
                if travel == RootTravel::IntoRoot {
                    // Where nobody looked when it was made.
                    let off = off(model, [clip, &made.clip], Some(made.root.joint));
                    assert!(off <= 1e-5, "{name}: {off}");
                }
                let keys = made.clip.tracks.iter().filter_map(|tracks| tracks.translation.as_ref());
                let most = keys.map(|curve| curve.times.len()).max().unwrap_or(0);
                assert!(most <= 1000, "{name}: {most} keys");
            }
        }
    }
}
