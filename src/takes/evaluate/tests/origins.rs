//! Walks of characters whose file has its origin away from their feet.

use super::*;
use portamento_anim::Rig;
use portamento_anim::foot_shape::{body_points, lowest, soles};
use portamento_anim::root_motion::{frame_times, world_at};

/// Moves all roots of `model` by `offset`, at rest and in its clips.
fn move_origin(model: &mut Model, offset: Vec3) {
    for root in model.skeleton.roots().collect::<Vec<_>>() {
        model.skeleton.joints[root].rest.translation += offset;
        let tracks = model.clips.iter_mut().filter_map(|clip| clip.tracks[root].translation.as_mut());
        tracks.for_each(|curve| curve.values.iter_mut().for_each(|value| *value += offset));
    }
}

/// Returns a walk of `model`, and the lowest height of its body and of its feet, metres.
fn walked(model: &Model) -> (Arc<BuiltTake>, [f64; 2]) {
    let mut workshop = Workshop::new();
    let file = FileId(30);
    workshop.open(file, Loaded { model: model.clone(), ..Loaded::default() });
    let ends = [DVec3::new(1.0, 0.0, 1.0), DVec3::new(5.0, 0.0, 4.0)];
    let built = workshop.build(&Take { character: file, ..take(walk(&ends), vec![]) }).unwrap();
    let roles = Rig::of_model(model).roles;
    let body = body_points(model, &roles);
    let feet: Vec<_> = soles(model, &roles.legs).into_iter().flatten().collect();
    let heights = [body, feet].map(|parts| {
        let height = |time: &f64| lowest(&model.skeleton, &parts, &built.clip.pose_at(&model.skeleton, *time)).unwrap();
        frame_times(&built.clip, [], 60.0).iter().map(height).fold(f64::INFINITY, f64::min)
    });
    (built, heights)
}

fn is_about_origin(warning: &portamento_base::message::Message) -> bool {
    warning.to_string().contains("not at the origin")
}

#[test]
fn a_character_walks_on_the_ground_wherever_its_file_has_the_origin() {
    let usual = portamento_test_support::hero();
    let (built, on_ground) = walked(&usual);
    assert!(on_ground.iter().all(|height| height.abs() < 0.05), "{on_ground:?}");
    assert!(built.warnings.iter().all(|warning| !is_about_origin(warning)));
    let hips = Rig::of_model(&usual).roles.hips.unwrap();
    for offset in [[0.0, -0.95, 0.0], [0.0, -1.3, 0.0], [0.9, 0.0, 0.4], [-0.9, -1.8, 0.4], [0.0, 0.8, 0.0]] {
        let mut model = usual.clone();
        move_origin(&mut model, Vec3::from_array(offset));
        let (moved, heights) = walked(&model);
        for (height, wanted) in heights.iter().zip(on_ground) {
            assert!((height - wanted).abs() < 0.03, "{offset:?}: {height} instead of {wanted}");
        }
        let warned = moved.warnings.iter().filter(|warning| is_about_origin(warning));
        assert_eq!(warned.count(), 1, "{offset:?}");
        for time in [0.0, 0.5 * built.clip.duration, built.clip.duration] {
            let at = |skeleton: &Skeleton, clip: &Clip| world_at(skeleton, clip, hips, time).translation;
            let apart = at(&usual.skeleton, &built.clip).distance(at(&model.skeleton, &moved.clip));
            // The height is found from the clips, up to a shoe's tip. Chosen.
            assert!(apart < 0.05, "{offset:?}: the hips are {apart} m off at {time} s");
        }
    }
}

#[test]
fn an_animal_walks_on_its_route_if_its_file_has_the_origin_at_a_corner() {
    let Some(path) = portamento_test_support::corpus("characters/quadruped.glb") else { return };
    let usual = portamento_formats::import::import(&path).unwrap().model;
    let (built, _) = walked(&usual);
    let hips = Rig::of_model(&usual).roles.hips.unwrap();
    // A corner of the box around its mesh, and a combined shift.
    for offset in [[0.25, 0.0, 2.12], [0.25, 0.0, -1.47], [-0.9, -1.8, 0.4]] {
        let mut model = usual.clone();
        move_origin(&mut model, Vec3::from_array(offset));
        let (moved, _) = walked(&model);
        for time in [0.0, 0.5 * built.clip.duration, built.clip.duration] {
            let at = |skeleton: &Skeleton, clip: &Clip| world_at(skeleton, clip, hips, time).translation;
            let apart = at(&usual.skeleton, &built.clip).distance(at(&model.skeleton, &moved.clip));
            assert!(apart < 0.02, "{offset:?}: the hips are {apart} m off at {time} s");
        }
    }
}
