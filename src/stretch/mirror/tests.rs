use super::*;
use portamento_anim::{Model, Rig, Roles};
use portamento_formats::import::import;
use portamento_test_support::character;

fn open(path: &str) -> Option<(Model, Roles)> {
    let model = import(&character(path)?).unwrap().model;
    let roles = Rig::of_model(&model).roles;
    Some((model, roles))
}

/// Metres per unit matter only for the hero, whose file is in metres.
fn input<'a>(model: &'a Model, roles: &'a Roles, clip: &'a Clip) -> Input<'a> {
    let front = roles.front.unwrap_or_default();
    Input { skeleton: &model.skeleton, clip, pairs: &roles.pairs, front, metres_per_unit: 1.0, shapes: &[] }
}

fn mirrored(model: &Model, roles: &Roles, clip: &Clip, settings: Settings) -> Built {
    build(&input(model, roles, clip), &settings, &Progress::new()).unwrap()
}

/// Returns the largest distance of a joint of `mirrored` from the mirror image of its partner in `clip`, relative to the rig
/// size.
fn distance_from_image(model: &Model, roles: &Roles, [clip, mirrored]: [&Clip; 2], plane: &Plane) -> f64 {
    let skeleton = &model.skeleton;
    let partner = |joint: usize| {
        let other =
            |&(left, right): &(usize, usize)| (left == joint).then_some(right).or((right == joint).then_some(left));
        roles.pairs.iter().find_map(other).unwrap_or(joint)
    };
    let mut worst = 0.0_f64;
    for i in 0..=30 {
        let time = clip.duration * f64::from(i) / 30.0;
        let [before, after] = [clip, mirrored].map(|clip| clip.pose_at(skeleton, time));
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
        let built = mirrored(&model, &roles, clip, Settings::default());
        assert!(built.report.asymmetry < 1e-5, "{:?}", built.report);
        let off = distance_from_image(&model, &roles, [clip, &built.clip], &plane);
        assert!(off < 1e-5, "{name}: {off}");
        assert_eq!(
            clip.key_times().map(<[f32]>::len).sum::<usize>(),
            built.clip.key_times().map(<[f32]>::len).sum::<usize>()
        );
    }
}

#[test]
fn mirroring_twice_restores_the_motion_of_other_characters() {
    for file in [
        "characters/knight.glb",
        "characters/mannequiny.glb",
        "characters/fox.glb",
        "wild/horse.glb",
        "wild/robot_expressive.glb",
    ] {
        let Some((model, roles)) = open(file) else { continue };
        for clip in model.clips.iter().take(4) {
            let once = mirrored(&model, &roles, clip, Settings::default());
            let twice = mirrored(&model, &roles, &once.clip, Settings::default());
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
fn feet_of_other_characters_swap_sides_and_keep_their_height() {
    for file in ["characters/knight.glb", "characters/mannequiny.glb", "wild/mage.glb"] {
        let Some((model, roles)) = open(file) else { continue };
        let clip = model.clips.iter().find(|clip| clip.name.to_lowercase().contains("run")).unwrap();
        let built = mirrored(&model, &roles, clip, Settings::default());
        let [a, b] = [roles.legs[0].foot, roles.legs[1].foot];
        for i in 0..=20 {
            let time = clip.duration * f64::from(i) / 20.0;
            let [before, after] = [clip, &built.clip].map(|clip| clip.pose_at(&model.skeleton, time));
            let height =
                |pose: &portamento_anim::Pose, joint| pose.world_from_joint(&model.skeleton, joint).translation.y;
            let off = (height(&before, a) - height(&after, b)).abs() / rig_size(&model.skeleton);
            assert!(off < 5e-3, "{file}: {off} {:?}", built.report);
        }
    }
}

#[test]
fn the_image_at_any_plane_is_exact() {
    let (model, roles) = open("hero").unwrap();
    let clip = model.clip("run").unwrap();
    let front = roles.front.unwrap_or_default();
    let left = Plane::from_front(front).normal;
    let planes = [
        (Settings { angle: 30.0, ..Settings::default() }, DQuat::from_rotation_y(30.0_f64.to_radians()) * left),
        (
            Settings { angle: 90.0, offset: 2.5, ..Settings::default() },
            DQuat::from_rotation_y(90.0_f64.to_radians()) * left,
        ),
        (Settings { tilt: 90.0, offset: 0.25, ..Settings::default() }, front.direction().cross(left)),
        (Settings { angle: 180.0, ..Settings::default() }, -left),
        (
            Settings { angle: -40.0, tilt: 25.0, offset: -1.2 },
            DQuat::from_rotation_y(-40.0_f64.to_radians())
                * DQuat::from_axis_angle(front.direction(), 25.0_f64.to_radians())
                * left,
        ),
    ];
    for (settings, normal) in planes {
        let plane = Plane { normal, distance: settings.offset };
        let built = mirrored(&model, &roles, clip, settings);
        let off = distance_from_image(&model, &roles, [clip, &built.clip], &plane);
        assert!(off < 2e-5, "{settings:?}: {off}");
        let back = mirrored(&model, &roles, &built.clip, settings);
        let off = distance_from_image(&model, &roles, [&built.clip, &back.clip], &plane);
        assert!(off < 2e-5, "{settings:?} back: {off}");
    }
}

#[test]
fn a_rig_without_sides_and_a_bad_angle_are_refused() {
    let (model, roles) = open("hero").unwrap();
    let clip = &model.clips[0];
    let valid = input(&model, &roles, clip);
    let input = Input { pairs: &[], ..valid };
    assert_eq!(build(&input, &Settings::default(), &Progress::new()), Err(BuildError::NoPairs));
    let error = |settings| build(&valid, &settings, &Progress::new()).unwrap_err();
    let bad = [Settings { angle: f64::NAN, ..Settings::default() }, Settings { tilt: 181.0, ..Settings::default() }];
    assert!(bad.into_iter().map(error).all(|error| matches!(error, BuildError::BadAngle { .. })));
    let far = Settings { offset: f64::INFINITY, ..Settings::default() };
    assert_eq!(error(far), BuildError::BadOffset { value: f64::INFINITY });
    let short = Clip { tracks: Vec::new(), ..clip.clone() };
    let input = Input { clip: &short, ..input };
    assert!(matches!(build(&input, &Settings::default(), &Progress::new()), Err(BuildError::OtherSkeleton(_))));
}

#[test]
fn left_and_right_blend_shapes_are_swapped() {
    let (mut model, roles) = open("hero").unwrap();
    let joint = model.skeleton.len() - 1;
    (model.skeleton.joints[joint].first_morph, model.skeleton.joints[joint].morph_count) = (0, 3);
    model.skeleton.rest_morphs = vec![0.0; 3];
    let mut clip = model.clips[0].clone();
    let curve =
        Curve { times: vec![0.0, 1.0].into(), values: vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6].into(), ..Curve::default() };
    clip.tracks[joint].morphs = Some(curve.clone());
    let mut shapes = vec![Vec::new(); model.skeleton.len()];
    let mirrored_with = |shapes: &[Vec<usize>]| {
        build(&Input { shapes, ..input(&model, &roles, &clip) }, &Settings::default(), &Progress::new()).unwrap()
    };
    let unnamed = mirrored_with(&shapes);
    assert_eq!((unnamed.report.morphs, unnamed.clip.tracks[joint].morphs.as_ref()), (1, Some(&curve)));
    shapes[joint] = vec![1, 0, 2];
    let named = mirrored_with(&shapes);
    let values = &named.clip.tracks[joint].morphs.as_ref().unwrap().values;
    assert_eq!((named.report.morphs, &values[..]), (0, &[0.2, 0.1, 0.3, 0.5, 0.4, 0.6][..]));
}

#[test]
fn single_values_are_mirrored_as_whole_motions_are_and_twice_gives_them_again() {
    for path in ["hero", "characters/knight.glb", "characters/fox.glb"] {
        let Some((model, roles)) = open(path) else { continue };
        let skeleton = &model.skeleton;
        let front = roles.front.unwrap_or_default();
        let clip = model.clips.iter().find(|clip| clip.duration > 0.3).unwrap();
        let mirrored_clip = mirrored(&model, &roles, clip, Settings::default()).clip;
        let [pose, image] = [clip, &mirrored_clip].map(|clip| clip.pose_at(skeleton, 0.25));
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.4, -0.7, 0.2);
        let step = DVec3::new(0.3, -0.1, 0.7);
        for joint in 0..skeleton.len() {
            let mirror = JointMirror::new(skeleton, &roles.pairs, front, joint);
            let back = JointMirror::new(skeleton, &roles.pairs, front, mirror.partner);
            assert_eq!(back.partner, joint, "{path}");
            let (from, to) = (pose.locals[joint], image.locals[mirror.partner]);
            let rotation = mirror.rotation(from.rotation.as_dquat());
            assert!(rotation.dot(to.rotation.as_dquat()).abs() > 1.0 - 1e-6, "{path} {joint}");
            let size = from.translation.length().max(1e-3);
            let moved = mirror.translation(from.translation.as_dvec3()).as_vec3();
            assert!(moved.distance(to.translation) < 1e-5 * size, "{path} {joint}");
            // The image of a turned and displaced joint is the image of the joint, turned and displaced on its side.
            let turned = mirror.rotation(from.rotation.as_dquat() * turn);
            let expected = rotation * mirror.turn(turn);
            // Rotations of files are unit quaternions of 32-bit numbers.
            assert!(turned.normalize().dot(expected.normalize()).abs() > 1.0 - 1e-9, "{path} {joint}");
            let displaced = mirror.translation(from.translation.as_dvec3() + step);
            let expected = mirror.translation(from.translation.as_dvec3()) + mirror.displacement(step);
            assert!(displaced.abs_diff_eq(expected, 1e-9), "{path} {joint}");
            assert!(back.turn(mirror.turn(turn)).normalize().dot(turn).abs() > 1.0 - 1e-9, "{path} {joint}");
            assert!(back.displacement(mirror.displacement(step)).abs_diff_eq(step, 1e-6), "{path} {joint}");
        }
    }
}
