//! Tests of the ground of a source whose file has its origin away from the feet.

use super::*;
use portamento_anim::foot_place::sole;

/// Returns the times of the frames of `clip`.
pub(super) fn frames(clip: &Clip) -> Vec<f64> {
    let count = (clip.duration * clip.fps()).round().max(1.0) as usize;
    (0..=count).map(|frame| clip.duration * frame as f64 / count as f64).collect()
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
    // They walk in place, so that their feet slide and have no stances.
    for like in ["walking_a", "running_a", "idle"] {
        let clip = knight.clip(like);
        let usual = lowest_sole(&hero, &put_on(&knight, clip, &hero, &Settings::default()).clip);
        for up in [-0.4, -0.56, 0.4] {
            let (moved, moved_clip) = raised(&knight, clip, up);
            let height = lowest_sole(&hero, &put_on(&moved, &moved_clip, &hero, &Settings::default()).clip);
            assert!((height - usual).abs() < 0.02, "{like} {up}: {height} instead of {usual}");
        }
    }
}
