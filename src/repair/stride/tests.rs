use super::*;
use portamento_anim::RootMotion;
use portamento_test_support::Figure;

fn scaled(figure: &Figure, clip: &Clip, scale: f64) -> Result<Built, BuildError> {
    let skeleton = &figure.model.skeleton;
    let root = RootMotion::find(skeleton, clip, &figure.roles);
    let (roles, metres_per_unit) = (&figure.roles, figure.metres_per_unit);
    let input = Input { skeleton, clip, root, roles, fps: clip.fps(), metres_per_unit };
    build(&input, &Settings { scale }, &Progress::new())
}

#[test]
fn speed_and_travel_follow_the_factor_and_planted_feet_stay_planted() {
    for (name, clip, scales) in [
        ("hero", "walk", [0.7, 1.1]),
        ("hero", "run", [0.8, 1.1]),
        ("characters/knight.glb", "Running_B", [0.75, 1.05]),
        ("characters/knight.glb", "Walking_C", [0.66, 1.1]),
        ("characters/fox.glb", "Walk", [0.75, 1.1]),
        ("characters/minnyquinn.glb", "retreat", [0.9, 1.1]),
    ] {
        let Some(figure) = Figure::open(name) else { continue };
        let source = figure.model.clip(clip).unwrap();
        let before = figure.quality(source);
        for scale in scales {
            let Built { clip: result, report } = scaled(&figure, source, scale).unwrap();
            let after = figure.quality(&result);
            let about = format!("{name} {clip} × {scale}: {report:?}\n{:?}\n{:?}", before.way, after.way);
            // On the spot the speed is measured from the feet, in the frames in which they stand.
            let most = if name != "hero" && before.way.on_the_spot { 0.02 } else { 0.005 };
            let is_exact = (after.way.speed - scale * before.way.speed).abs() <= most * before.way.speed;
            // Only the longest steps of the knight go beyond its legs, which it says.
            assert!(is_exact || (clip == "Walking_C" && scale > 1.0 && report.warns()), "{about}");
            assert!((after.way.travel - scale * before.way.travel).abs() <= 1e-4, "{about}");
            let slide = |quality: &portamento_anim::quality::Quality| quality.feet.unwrap().slide.unwrap_or(0.0);
            // A sole that slides relative to the path does so by the factor. The hero's soles stand.
            let slid = if name == "hero" { 1.0 } else { scale.max(1.0) };
            assert!(slide(&after) <= slid * slide(&before) + 0.5, "{about}: {} cm/s", slide(&after));
            assert!(after.residue.place <= before.residue.place + 1e-5, "{about}");
        }
    }
}

#[test]
fn the_factor_one_changes_nothing_and_others_out_of_range_are_refused() {
    let figure = Figure::open("hero").unwrap();
    let walk = figure.model.clip("walk").unwrap();
    assert_eq!(scaled(&figure, walk, 1.0).unwrap().clip, *walk);
    for scale in [0.0, -1.0, 100.0, f64::NAN] {
        assert!(matches!(scaled(&figure, walk, scale), Err(BuildError::BadFactor { .. })), "{scale}");
    }
}
