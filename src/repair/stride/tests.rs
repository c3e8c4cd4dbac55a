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
    for (name, clip, scales) in [("hero", "walk", [0.7, 1.1]), ("hero", "run", [0.8, 1.1])] {
        let Some(figure) = Figure::open(name) else { continue };
        let source = figure.model.clip(clip).unwrap();
        let before = figure.quality(source);
        for scale in scales {
            let Built { clip: result, report } = scaled(&figure, source, scale).unwrap();
            let after = figure.quality(&result);
            let about = format!("{name} {clip} × {scale}: {report:?}\n{:?}\n{:?}", before.way, after.way);
            assert!((after.way.speed - scale * before.way.speed).abs() <= 0.005 * before.way.speed, "{about}");
            assert!((after.way.travel - scale * before.way.travel).abs() <= 1e-4, "{about}");
            let slide = |quality: &portamento_anim::quality::Quality| quality.feet.unwrap().slide.unwrap_or(0.0);
            assert!(slide(&after) <= slide(&before) + 0.5, "{about}: {} cm/s", slide(&after));
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
