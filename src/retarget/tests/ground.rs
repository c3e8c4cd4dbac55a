//! Tests of the ground of a source whose file has its origin away from the feet.

use super::*;
use portamento_anim::foot_place::sole;

/// Returns the times of the frames of `clip`.
pub(super) fn frames(clip: &Clip) -> Vec<f64> {
    let count = (clip.duration * clip.fps()).round().max(1.0) as usize;
    (0..=count).map(|frame| clip.duration * frame as f64 / count as f64).collect()
}

/// Returns `figure` and its clip with all roots moved `by` units: the same body in a file with another origin.
fn moved(figure: &Figure, clip: &Clip, by: Vec3) -> (Figure, Clip) {
    let (mut model, mut clip) = (figure.model.clone(), clip.clone());
    for root in model.skeleton.roots().collect::<Vec<_>>() {
        model.skeleton.joints[root].rest.translation += by;
        let curve = clip.tracks[root].translation.as_mut();
        curve.into_iter().flat_map(|curve| &mut curve.values).for_each(|value| *value += by);
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
    // They walk in place, so that their feet slide and have no stances.
    for like in ["walking_a", "running_a", "idle"] {
        let clip = knight.clip(like);
        let usual = lowest_sole(&hero, &put_on(&knight, clip, &hero, &Settings::default()).clip);
        for up in [-0.4, -0.56, 0.4] {
            let (moved, moved_clip) = moved(&knight, clip, up * Vec3::Y);
            let height = lowest_sole(&hero, &put_on(&moved, &moved_clip, &hero, &Settings::default()).clip);
            assert!((height - usual).abs() < 0.02, "{like} {up}: {height} instead of {usual}");
        }
    }
}

#[test]
fn a_motion_is_the_same_wherever_the_files_of_both_bodies_have_their_origin() {
    for (file, like) in
        [("hero", "run"), ("hero", "walk"), ("hero", "idle"), ("hero", "jump"), ("characters/knight.glb", "walking_a")]
    {
        let (Some(source), Some(hero)) = (Figure::open(file), Figure::open("hero")) else { continue };
        let clip = source.clip(like);
        let usual = put_on(&source, clip, &hero, &Settings::default());
        let heights = |figure: &Figure, built: &Built| -> Vec<f64> {
            let hips = figure.chains[0].bones[0].joint;
            let poses = frames(clip).into_iter().map(|time| built.clip.pose_at(&figure.model.skeleton, time));
            poses.map(|pose| pose.world_from_joint(&figure.model.skeleton, hips).translation.y).collect()
        };
        let lowest = lowest_sole(&hero, &usual.clip);
        for by in [
            Vec3::new(0.0, -0.96, 0.0),
            Vec3::new(0.7, -0.96, -0.4),
            Vec3::new(0.5, 0.0, 0.5),
            Vec3::new(0.0, 0.3, 0.0),
        ] {
            let (other, other_clip) = moved(&source, clip, by);
            let (target, _) = moved(&hero, clip, by);
            for (about, built, target) in [
                ("source", put_on(&other, &other_clip, &hero, &Settings::default()), &hero),
                ("target", put_on(&source, clip, &target, &Settings::default()), &target),
            ] {
                let off = heights(&hero, &usual)
                    .iter()
                    .zip(heights(target, &built))
                    .map(|(a, b)| (a - b).abs())
                    .fold(0.0, f64::max);
                let sole = lowest_sole(target, &built.clip);
                assert!(
                    off < 1e-3 && (sole - lowest).abs() < 1e-3,
                    "{file} {like}, {about} moved by {by}: {off} {sole}"
                );
            }
        }
    }
}
