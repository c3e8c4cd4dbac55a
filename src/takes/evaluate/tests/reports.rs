use super::*;
use portamento_stretch::ZeroMotion;
use portamento_walk::crossing::CrossingKind;

#[test]
fn a_stretch_reports_measurements_of_the_exported_clip() {
    let built = Workshop::new().build(&take(clip(HERO, "go"), vec![to(DVec3::Z * 5.0)])).unwrap();
    let report = built.report();
    let stretch = &report["stretch"];
    assert_eq!((&report["clip"], &report["source"], &report["fps"]), (&"result".into(), &"go".into(), &30.0.into()));
    assert_eq!((stretch["root_joint"].as_str(), stretch["frames"].as_u64()), (Some("root"), Some(11)));
    assert_eq!((stretch["still_frames"].as_u64(), stretch["still_frames_that_move"].as_u64()), (Some(2), Some(0)));
    assert!((stretch["stretch_ratio"].as_f64().unwrap() - 1.5).abs() < 1e-9);
    assert!((stretch["source_length_m"].as_f64().unwrap() - 2.0).abs() < 1e-9);
    assert!(stretch["end_error_m"].as_f64().unwrap() < 1e-6);
    assert_eq!(stretch["reversed_frames"].as_u64(), Some(0));
    assert!(report.get("loop").is_none() && report.get("walk").is_none() && report.get("blend").is_none());
}

#[test]
fn a_stretch_followed_by_a_loop_reports_its_own_output() {
    let built = Workshop::new().build(&take(clip(HERO, "go"), vec![to(DVec3::Z * 5.0), looped(0, 5)])).unwrap();
    let report = built.report();
    assert!(report["stretch"]["end_error_m"].as_f64().unwrap() < 1e-6, "{}", report["stretch"]);
    assert_eq!(report["stretch"]["still_frames_that_move"].as_u64(), Some(0));
    assert!(report["loop"]["seam_ratio"].is_number() && report["loop"]["length"].as_u64() == Some(5));
}

#[test]
fn lengths_are_reported_in_metres_for_any_unit() {
    let mut workshop = Workshop::new();
    workshop.document.files[0].metres_per_unit = 0.01;
    let report = workshop.build(&take(clip(HERO, "go"), vec![to(DVec3::Z * 5.0)])).unwrap().report();
    assert!((report["stretch"]["source_length_m"].as_f64().unwrap() - 0.02).abs() < 1e-9);
    assert_eq!(report["stretch"]["target"], serde_json::json!([0.0, 0.0, 5.0]));
}

#[test]
fn an_applied_limit_is_a_warning_in_the_report() {
    let mut workshop = Workshop::new();
    let StageKind::Stretch(mut stretch) = to(DVec3::Z * 4.0) else { panic!("a stretch") };
    let refused = take(clip(HERO, "sway"), vec![StageKind::Stretch(stretch.clone())]);
    assert!(workshop.refusal(&refused).starts_with("The source does not move between 0.000 s and 1.000 s"));
    stretch.settings.zero_motion = ZeroMotion::Uniform;
    let built = workshop.build(&take(clip(HERO, "sway"), vec![StageKind::Stretch(stretch)])).unwrap();
    let warnings = built.report()["warnings"].clone();
    assert!(warnings[0].as_str().unwrap().contains("distributed evenly over time"), "{warnings}");
    assert_eq!(built.report()["stretch"]["warnings"][0]["kind"], "spread_evenly");
}

#[test]
fn a_loop_reports_its_window_and_how_it_closes() {
    let images = TakeSource::Images { file: IMAGES, fps: Some(10.0), sheet: None, tag: None };
    let report = Workshop::new().build(&take(images, vec![looped(1, 5)])).unwrap().report();
    let looped = &report["loop"];
    assert_eq!((looped["of"].as_str(), looped["source_frames"].as_u64()), (Some("images"), Some(12)));
    assert_eq!(
        (looped["start"].as_u64(), looped["length"].as_u64(), looped["latest_start"].as_u64()),
        (Some(1), Some(5), Some(1))
    );
    assert_eq!(looped["value_gap"].as_f64(), Some(0.0));
}

#[test]
fn dynamics_report_their_joints_by_name() {
    let report = Workshop::new().build(&take(clip(HERO, "go"), vec![swinging(false)])).unwrap().report();
    let dynamics = &report["dynamics"];
    assert_eq!(dynamics["joints"], serde_json::json!(["hair"]));
    assert!(dynamics["length_error"].as_f64().unwrap() <= 1e-6, "{dynamics}");
}

#[test]
fn a_walk_reports_its_routes_and_the_missing_character() {
    let ends = [DVec3::new(1.0, 0.0, 1.0), DVec3::new(5.0, 0.0, 5.0)];
    let mut alone = take(walk(&ends), vec![]);
    alone.character = FileId(0);
    let report = Workshop::new().build(&alone).unwrap().report();
    let walk = &report["walk"];
    assert!(walk["cells"].as_u64().unwrap() > 100 && walk.get("steps").is_none());
    assert_eq!(walk["missing"].as_str(), Some("no character is assigned. Choose one that has a skeleton and clips."));
    assert!(walk["routes"]["quickest_metres"].as_f64().unwrap() > 5.0);
}

#[test]
fn a_walk_over_a_gap_reports_its_crossings_and_no_character_walks_it() {
    let mut workshop = Workshop::new();
    let strip = |z: f32| [[0.0, z], [0.0, z + 5.0], [6.0, z + 5.0], [6.0, z]].map(|[x, z]| Vec3::new(x, 0.0, z));
    let faces = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
    let level = Level::of_mesh("banks", [strip(0.0), strip(7.0)].concat(), faces);
    workshop.library.insert(LEVEL, Asset::new(Loaded { level: Some(Arc::new(level)), ..Loaded::default() }));
    let crossing = |low: f64| CrossingRange {
        kind: CrossingKind::JumpAcross,
        height: [-0.1, 0.1],
        distance: [low, 3.0],
        rise: [-0.5, 0.5],
        run_up: [0.5, 2.0],
        landing_room: 0.6,
        seconds: 1.2,
    };
    let mut over = |low: f64| {
        let stops = vec![DVec3::new(3.0, 0.0, 1.0), DVec3::new(3.0, 0.0, 11.0)];
        let walk = Walk { level: LEVEL, stops, crossings: vec![crossing(low)], ..Walk::default() };
        workshop.build(&take(TakeSource::Walk(Box::new(walk)), vec![])).unwrap().report()["walk"].clone()
    };
    let report = over(1.0);
    assert!(report["routes"]["links"].as_u64().unwrap() > 10, "{report}");
    let seeds = report["routes"]["seeds"].as_array().unwrap();
    assert!(seeds.iter().all(|seed| seed["crossings"] == 1), "{report}");
    assert!(report["missing"].as_str().unwrap().starts_with("the route crosses an obstacle or a gap"), "{report}");
    let too_wide = over(2.5);
    assert!(too_wide["routes"]["notices"][0].as_str().unwrap().starts_with("The goal cannot be reached"), "{too_wide}");
}

#[test]
fn the_end_error_by_key_rounding_is_reported_in_metres() {
    let mut workshop = Workshop::new();
    workshop.document.files[0].metres_per_unit = 0.01;
    let report = workshop.build(&take(clip(HERO, "go"), vec![to(DVec3::Z * 10.0 / 3.0)])).unwrap().report();
    // Keys are 32-bit floats, and none is exactly 10/3. A unit of the file is a centimetre.
    let off = f64::from((10.0_f64 / 3.0) as f32) - 10.0 / 3.0;
    assert!(off != 0.0 && report["stretch"]["end"][2].as_f64() == Some(10.0 / 3.0 + off), "{}", report["stretch"]);
    let reported = report["stretch"]["end_error_m"].as_f64().unwrap();
    assert!((reported / (off.abs() * 0.01) - 1.0).abs() < 1e-6, "{reported} {off}");
}
