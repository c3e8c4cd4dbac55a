use super::*;
use crate::anim::{Model, Rig, Roles};
use crate::import::import;
use crate::support::character;

fn open(path: &str) -> Option<(Model, Roles)> {
    let model = import(&character(path)?).unwrap().model;
    let roles = Rig::of_model(&model).roles;
    Some((model, roles))
}

fn mirrored(model: &Model, roles: &Roles, clip: &Clip, angle: f64) -> Built {
    let (skeleton, front) = (&model.skeleton, roles.front.unwrap_or_default());
    let input = Input { skeleton, clip, pairs: &roles.pairs, front, shapes: &[] };
    build(&input, &Settings { angle }, &Progress::new()).unwrap()
}

/// The farthest that a joint of `made` is from the mirror image of its partner in `clip`, over the body's size.
fn off_the_image(model: &Model, roles: &Roles, [clip, made]: [&Clip; 2], plane: &Plane) -> f64 {
    let skeleton = &model.skeleton;
    let partner = |joint: usize| {
        let other =
            |&(left, right): &(usize, usize)| (left == joint).then_some(right).or((right == joint).then_some(left));
        roles.pairs.iter().find_map(other).unwrap_or(joint)
    };
    let mut worst = 0.0_f64;
    for i in 0..=30 {
        let time = clip.duration * f64::from(i) / 30.0;
        let [before, after] = [clip, made].map(|clip| clip.pose_at(skeleton, time));
        for joint in 0..skeleton.len() {
            let image = plane.point(before.world_from_joint(skeleton, partner(joint)).translation);
            worst = worst.max(image.distance(after.world_from_joint(skeleton, joint).translation));
        }
    }
    worst / rig_size(skeleton)
}

#[test]
fn the_mirror_image_of_a_symmetric_character_is_exact() {
    let (model, roles) = open("hero").unwrap();
    let plane = Plane::from_front(roles.front.unwrap_or_default());
    for name in ["run", "cast", "idle"] {
        let clip = model.clip(name).unwrap_or_else(|| panic!("{name}"));
        let built = mirrored(&model, &roles, clip, 0.0);
        assert!(built.report.asymmetry < 1e-5, "{:?}", built.report);
        let off = off_the_image(&model, &roles, [clip, &built.clip], &plane);
        assert!(off < 1e-5, "{name}: {off}");
        assert_eq!(
            clip.key_times().map(<[f32]>::len).sum::<usize>(),
            built.clip.key_times().map(<[f32]>::len).sum::<usize>()
        );
    }
}

#[test]
fn mirrored_twice_is_the_motion_itself_on_strangers() {
    for file in [
        "characters/knight.glb",
        "characters/mannequiny.glb",
        "characters/fox.glb",
        "wild/horse.glb",
        "wild/robot_expressive.glb",
    ] {
        let Some((model, roles)) = open(file) else { continue };
        for clip in model.clips.iter().take(4) {
            let once = mirrored(&model, &roles, clip, 0.0);
            let twice = mirrored(&model, &roles, &once.clip, 0.0);
            let mut worst = 0.0_f64;
            for i in 0..=20 {
                let time = clip.duration * f64::from(i) / 20.0;
                let [a, b] = [clip, &twice.clip].map(|clip| clip.pose_at(&model.skeleton, time));
                for joint in 0..model.skeleton.len() {
                    let [a, b] = [&a, &b].map(|pose| pose.world_from_joint(&model.skeleton, joint).translation);
                    worst = worst.max(a.distance(b) / rig_size(&model.skeleton));
                }
            }
            assert!(worst < 2e-5, "{file} {}: {worst}", clip.name);
        }
    }
}

#[test]
fn feet_of_strangers_change_sides_and_keep_their_height() {
    for file in ["characters/knight.glb", "characters/mannequiny.glb", "wild/mage.glb"] {
        let Some((model, roles)) = open(file) else { continue };
        let clip = model.clips.iter().find(|clip| clip.name.to_lowercase().contains("run")).unwrap();
        let built = mirrored(&model, &roles, clip, 0.0);
        let [a, b] = [roles.legs[0].foot, roles.legs[1].foot];
        for i in 0..=20 {
            let time = clip.duration * f64::from(i) / 20.0;
            let [before, after] = [clip, &built.clip].map(|clip| clip.pose_at(&model.skeleton, time));
            let height = |pose: &crate::anim::Pose, joint| pose.world_from_joint(&model.skeleton, joint).translation.y;
            let off = (height(&before, a) - height(&after, b)).abs() / rig_size(&model.skeleton);
            assert!(off < 5e-3, "{file}: {off} {:?}", built.report);
        }
    }
}

#[test]
fn a_turned_plane_turns_the_image() {
    let (model, roles) = open("hero").unwrap();
    let clip = model.clip("run").unwrap();
    let normal = DQuat::from_rotation_y(0.5) * Plane::from_front(roles.front.unwrap_or_default()).normal;
    let built = mirrored(&model, &roles, clip, 0.5_f64.to_degrees());
    let off = off_the_image(&model, &roles, [clip, &built.clip], &Plane { normal });
    assert!(off < 1e-5, "{off}");
}

#[test]
fn a_rig_without_sides_and_a_bad_angle_are_refused() {
    let (model, roles) = open("hero").unwrap();
    let clip = &model.clips[0];
    let input = Input { skeleton: &model.skeleton, clip, pairs: &[], front: Front::default(), shapes: &[] };
    assert_eq!(build(&input, &Settings::default(), &Progress::new()), Err(BuildError::NoPairs));
    let input = Input { pairs: &roles.pairs, ..input };
    assert!(matches!(build(&input, &Settings { angle: f64::NAN }, &Progress::new()), Err(BuildError::BadAngle { .. })));
    let short = Clip { tracks: Vec::new(), ..clip.clone() };
    let input = Input { clip: &short, ..input };
    assert!(matches!(build(&input, &Settings::default(), &Progress::new()), Err(BuildError::OtherSkeleton(_))));
}

#[test]
fn shapes_of_the_left_and_the_right_change_places() {
    let (mut model, roles) = open("hero").unwrap();
    let joint = model.skeleton.len() - 1;
    (model.skeleton.joints[joint].first_morph, model.skeleton.joints[joint].morph_count) = (0, 3);
    model.skeleton.rest_morphs = vec![0.0; 3];
    let mut clip = model.clips[0].clone();
    let curve = Curve { times: vec![0.0, 1.0], values: vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6], ..Curve::default() };
    clip.tracks[joint].morphs = Some(curve.clone());
    let mut shapes = vec![Vec::new(); model.skeleton.len()];
    let made = |shapes: &[Vec<usize>]| {
        let input =
            Input { skeleton: &model.skeleton, clip: &clip, pairs: &roles.pairs, front: Front::default(), shapes };
        build(&input, &Settings { angle: 0.0 }, &Progress::new()).unwrap()
    };
    let unnamed = made(&shapes);
    assert_eq!((unnamed.report.morphs, unnamed.clip.tracks[joint].morphs.as_ref()), (1, Some(&curve)));
    shapes[joint] = vec![1, 0, 2];
    let named = made(&shapes);
    let values = &named.clip.tracks[joint].morphs.as_ref().unwrap().values;
    assert_eq!((named.report.morphs, &values[..]), (0, &[0.2, 0.1, 0.3, 0.5, 0.4, 0.6][..]));
}
