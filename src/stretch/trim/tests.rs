use super::*;
use portamento_anim::math::mean::angle_between;
use portamento_formats::import::import;
use portamento_test_support::corpus;

fn cut(skeleton: &Skeleton, clip: &Clip, from: f64, to: Option<f64>) -> Result<Built, BuildError> {
    build(&Input { skeleton, clip }, &Settings { from, to }, &Progress::new())
}

#[test]
fn the_cut_motion_equals_the_source_between_the_cuts_and_keeps_its_keys() {
    let Some(file) = corpus("characters/knight.glb") else { return };
    let model = import(&file).unwrap().model;
    for clip in model.clips.iter().filter(|clip| clip.duration > 0.6).take(6) {
        let built = cut(&model.skeleton, clip, 0.13, Some(0.57)).unwrap();
        assert!((built.clip.duration - 0.44).abs() < 1e-6 && built.report.keys_after < built.report.keys_before);
        for i in 0..=100 {
            let time = 0.44 * f64::from(i) / 100.0;
            let (source_pose, cut_pose) =
                (clip.pose_at(&model.skeleton, time + 0.13), built.clip.pose_at(&model.skeleton, time));
            for (a, b) in source_pose.locals.iter().zip(&cut_pose.locals) {
                assert!(angle_between(a.rotation, b.rotation) < 2e-4 && a.translation.distance(b.translation) < 1e-4);
            }
        }
        // A key between the cuts keeps its value bit for bit.
        for (before, after) in clip.tracks.iter().zip(&built.clip.tracks) {
            let (Some(before), Some(after)) = (&before.rotation, &after.rotation) else { continue };
            let inside = (0..before.times.len()).filter(|&key| (0.14..0.56).contains(&before.times[key]));
            assert!(inside.clone().all(|key| after.values.contains(&before.key(key))));
        }
    }
}

#[test]
fn two_equal_cuts_give_the_pose_at_that_time_as_single_keys() {
    for name in ["characters/knight.glb", "morph/interpolation_test.gltf"] {
        let Some(file) = corpus(name) else { continue };
        let model = import(&file).unwrap().model;
        for clip in model.clips.iter().filter(|clip| clip.duration > 0.4).take(8) {
            for at in [0.0, 0.37, clip.duration] {
                let pose = cut(&model.skeleton, clip, at, Some(at)).unwrap().clip;
                assert!(pose.duration == 0.0 && pose.key_times().all(|times| times == [0.0]));
                let (wanted, found) = (clip.pose_at(&model.skeleton, at), pose.pose_at(&model.skeleton, 0.0));
                for (a, b) in wanted.locals.iter().zip(&found.locals) {
                    let apart = [
                        angle_between(a.rotation, b.rotation),
                        f64::from(a.translation.distance(b.translation)),
                        f64::from(a.scale.distance(b.scale)),
                    ];
                    assert!(apart.iter().all(|apart| *apart < 2e-4), "{name} {at}: {apart:?}");
                }
            }
        }
    }
}

#[test]
fn the_full_range_is_the_motion_itself_and_an_empty_range_is_refused() {
    let Some(file) = corpus("characters/knight.glb") else { return };
    let model = import(&file).unwrap().model;
    let clip = model.clips.iter().find(|clip| clip.key_times().all(|times| times.first() == Some(&0.0))).unwrap();
    let length = clip.duration;
    let uncut = cut(&model.skeleton, clip, 0.0, None).unwrap().clip;
    let pose = |clip: &Clip, time: f64| clip.pose_at(&model.skeleton, time);
    assert!((0..50).all(|i| pose(&uncut, length * f64::from(i) / 49.0) == pose(clip, length * f64::from(i) / 49.0)));
    for (from, to) in [(-0.1, None), (length, None), (0.2, Some(0.1)), (0.0, Some(length + 1.0)), (f64::NAN, None)] {
        assert!(matches!(cut(&model.skeleton, clip, from, to), Err(BuildError::BadSpan { .. })), "{from} {to:?}");
    }
}
