//! Tests of the ground of a source: files with their origin away from the feet, and bodies that lie.

use super::*;
use portamento_anim::foot_place::sole;
use portamento_anim::math::Transform;

/// Returns the times of the frames of `clip`.
fn frames(clip: &Clip) -> Vec<f64> {
    let count = (clip.duration * clip.fps()).round().max(1.0) as usize;
    (0..=count).map(|frame| clip.duration * frame as f64 / count as f64).collect()
}

/// Returns `clip` with the whole body turned onto its back.
fn on_its_back(figure: &Figure, clip: &Clip) -> Clip {
    let skeleton = &figure.model.skeleton;
    let hips = figure.chains[0].bones[0].joint;
    let turn = DAffine3::from_rotation_x(-std::f64::consts::FRAC_PI_2);
    let times = frames(clip);
    let mut lying = clip.clone();
    let local = |time: f64| -> Transform {
        let pose = clip.pose_at(skeleton, time);
        let parent =
            skeleton.joints[hips].parent.map_or(DAffine3::IDENTITY, |parent| pose.world_from_joint(skeleton, parent));
        let up = DAffine3::from_translation(DVec3::Y * 0.1 * rig_size(skeleton));
        let wanted = up * turn * pose.world_from_joint(skeleton, hips);
        let (scale, rotation, translation) = (parent.inverse() * wanted).to_scale_rotation_translation();
        Transform {
            translation: translation.as_vec3(),
            rotation: rotation.as_quat().normalize(),
            scale: scale.as_vec3(),
        }
    };
    let locals: Vec<Transform> = times.iter().map(|&time| local(time)).collect();
    let keys: Vec<f32> = times.iter().map(|&time| time as f32).collect();
    let rotations = locals.iter().map(|local| local.rotation).collect();
    lying.tracks[hips].rotation = Some(Curve::linear(keys.clone(), rotations));
    lying.tracks[hips].translation = Some(Curve::linear(keys, locals.iter().map(|local| local.translation).collect()));
    lying
}

/// Returns `figure` and its clip with all roots `up` units higher.
fn raised(figure: &Figure, clip: &Clip, up: f32) -> (Figure, Clip) {
    let (mut model, mut clip) = (figure.model.clone(), clip.clone());
    for root in model.skeleton.roots().collect::<Vec<_>>() {
        model.skeleton.joints[root].rest.translation.y += up;
        let curve = clip.tracks[root].translation.as_mut();
        curve.into_iter().flat_map(|curve| &mut curve.values).for_each(|value| value.y += up);
    }
    (Figure::new(model, figure.metres_per_unit), clip)
}

/// Returns the lowest height of a sole in `clip`, world units.
fn lowest_sole(figure: &Figure, clip: &Clip) -> f64 {
    let poses = frames(clip).into_iter().map(|time| clip.pose_at(&figure.model.skeleton, time));
    let lowest = poses.flat_map(|pose| {
        let heights = figure.roles.legs.iter().map(|leg| sole(&figure.model.skeleton, leg, &pose).y);
        heights.collect::<Vec<f64>>()
    });
    lowest.fold(f64::INFINITY, f64::min)
}

#[test]
fn feet_are_on_the_ground_wherever_the_file_of_the_motion_has_its_origin() {
    let Some(hero) = Figure::open("hero") else { return };
    let Some(knight) = Figure::open("characters/knight.glb") else { return };
    for (source, like) in
        [(&hero, "walk"), (&hero, "run"), (&hero, "idle"), (&hero, "leap"), (&knight, "walking_a"), (&knight, "jump")]
    {
        let clip = source.clip(like);
        let usual = lowest_sole(&hero, &put_on(source, clip, &hero, &Settings::default()).clip);
        for share in [-0.43, -0.6, 0.35] {
            let (moved, moved_clip) = raised(source, clip, share * rig_size(&source.model.skeleton) as f32);
            let height = lowest_sole(&hero, &put_on(&moved, &moved_clip, &hero, &Settings::default()).clip);
            assert!((height - usual).abs() < 0.02, "{like} {share}: {height} instead of {usual}");
        }
    }
}

#[test]
fn a_body_that_lies_with_raised_legs_does_not_sink() {
    for (file, like) in [("hero", "run"), ("hero", "idle"), ("mocap/cmu_01_01.bvh", "cmu")] {
        let Some(figure) = Figure::open(file) else { return };
        let lying = on_its_back(&figure, figure.clip(like));
        let built = put_on(&figure, &lying, &figure, &Settings::default());
        let hips = figure.chains[0].bones[0].joint;
        for time in frames(&lying).into_iter().step_by(10) {
            let height = |clip: &Clip| {
                clip.pose_at(&figure.model.skeleton, time).world_from_joint(&figure.model.skeleton, hips).translation.y
            };
            let off = (height(&lying) - height(&built.clip)) / rig_size(&figure.model.skeleton);
            assert!(off.abs() < 0.02, "{file} {like}: the hips are {off} of the body off at {time} s");
        }
    }
}
