use super::*;
use crate::document::take::{Blend, Vertices};
use portamento_blend as blend;
use portamento_dynamics::cloth;

#[test]
fn a_clip_of_the_own_file_is_unchanged() {
    let built = Workshop::new().build(&take(clip(HERO, "go"), vec![])).unwrap();
    assert_eq!(built.clip.tracks, go().tracks);
    assert_eq!((built.clip.name.as_str(), built.clip_name.as_str(), built.is_own_clip), ("result", "go", true));
    assert_eq!((built.fps, built.frames(), built.warnings.len()), (30.0, 11, 0));
    assert_eq!(built.root.map(|root| root.joint), Some(0));
}

#[test]
fn a_clip_of_another_file_is_matched_by_joint_names_with_a_warning() {
    let built = Workshop::new().build(&take(clip(COUSIN, "wave"), vec![])).unwrap();
    assert!(built.clip.tracks[1].rotation.is_some() && built.clip.tracks[0].is_empty() && !built.is_own_clip);
    let warnings: Vec<String> = built.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["Joints of “wave” that the character does not have were ignored: tail."]);
}

#[test]
fn many_unmatched_joints_are_counted() {
    let mut workshop = Workshop::new();
    let names = ["hips", "a", "b", "c", "d", "e", "f", "g", "h"];
    let rows: Vec<(&str, Option<usize>)> = names.iter().map(|&name| (name, None)).collect();
    let turn = || Some(Curve::linear(vec![0.0], vec![Quat::IDENTITY]));
    let tracks = names.iter().map(|_| JointTracks { rotation: turn(), ..JointTracks::default() }).collect();
    let model = model("crowd", skeleton_of(&rows), vec![Clip { name: "all".into(), duration: 0.0, tracks }]);
    workshop.open(FileId(20), Loaded { model, ..Loaded::default() });
    let built = workshop.build(&take(clip(FileId(20), "all"), vec![])).unwrap();
    assert!(built.warnings[0].to_string().ends_with("a, b, c, d, e, f and 2 more."), "{}", built.warnings[0]);
}

#[test]
fn a_missing_clip_is_reported_with_the_existing_ones() {
    let mut workshop = Workshop::new();
    let refused = [
        (clip(HERO, "fly"), "there is no clip “fly” in hero. Its clips: go, sway."),
        (clip(CACHE, "fly"), "there is no clip “fly” in flag, which contains no clips. Choose another file."),
        (clip(STRANGER, "spin"), "no joint of “spin” has the name of a joint of the character."),
        (clip(FileId(99), "go"), "the file of “result” is not loaded."),
    ];
    for (source, sentence) in refused {
        let refusal = workshop.refusal(&take(source, vec![]));
        assert!(refusal.starts_with(sentence), "{refusal}");
    }
}

#[test]
fn a_cache_has_its_own_rate_or_the_requested_one() {
    let mut workshop = Workshop::new();
    let source = |fps| TakeSource::Vertices(Vertices { file: CACHE, clip: None, mesh: None, fps });
    let own = workshop.build(&take(source(None), vec![])).unwrap();
    assert_eq!((own.fps, own.frames(), own.content.name()), (10.0, 12, "vertices"));
    assert!((own.clip.duration - 1.1).abs() < 1e-12 && own.clip_name == "flag" && own.roles == Roles::default());
    let asked = workshop.build(&take(source(Some(22.0)), vec![])).unwrap();
    assert_eq!((asked.fps, asked.clip.duration), (22.0, 0.5));
    for fps in [0.5, 1000.5, f64::NAN] {
        let refusal = workshop.refusal(&take(source(Some(fps)), vec![]));
        assert!(refusal.starts_with(&format!("{fps} keys per second cannot be baked.")), "{refusal}");
    }
}

#[test]
fn files_without_cache_images_or_matching_mesh_are_refused() {
    let mut workshop = Workshop::new();
    let cache = |file, mesh| TakeSource::Vertices(Vertices { file, clip: None, mesh, fps: None });
    let refusal = workshop.refusal(&take(cache(IMAGES, None), vec![]));
    assert!(refusal.starts_with("“fire” contains no vertex cache."), "{refusal}");
    let refusal =
        workshop.refusal(&take(TakeSource::Images { file: CACHE, fps: None, sheet: None, tag: None }, vec![]));
    assert!(refusal.starts_with("“flag” contains no images."), "{refusal}");
    let refusal = workshop.refusal(&take(cache(CACHE, Some(HERO)), vec![]));
    assert!(refusal.starts_with("the mesh has 0 vertices, but “flag” has 3."), "{refusal}");
    assert!(workshop.build(&take(cache(CACHE, Some(CACHE)), vec![])).is_ok());
}

#[test]
fn images_play_at_the_requested_rate() {
    let mut workshop = Workshop::new();
    let built = workshop
        .build(&take(TakeSource::Images { file: IMAGES, fps: Some(11.0), sheet: None, tag: None }, vec![]))
        .unwrap();
    assert_eq!((built.fps, built.frames(), built.clip.duration), (11.0, 12, 1.0));
    let Content::Images(images) = &built.content else { panic!("images") };
    assert_eq!((images.info().fps, images.info().frames), (11.0, 12));
}

#[test]
fn a_cloth_needs_no_file_and_keeps_its_pins() {
    let settings = cloth::Settings { columns: 4, rows: 4, frames: 6, ..cloth::Settings::default() };
    let source = TakeSource::Cloth(Box::new(settings));
    let built = Workshop::new().build(&take(source, vec![])).unwrap();
    let Content::Vertices(vertices) = &built.content else { panic!("vertices") };
    assert!(built.metres_per_unit == 1.0 && vertices.clip.frames() > 1);
    assert!(vertices.pins.values().contains(&1.0) && vertices.pins.values().contains(&0.0));
}

#[test]
fn a_blend_plays_existing_clips_and_names_missing_ones() {
    let tree = |second: &str| {
        let mut tree = blend::Tree::default();
        let links = ["go", second].map(|name| {
            let source = blend::Source { clip: name.into(), ..blend::Source::default() };
            blend::Link { child: tree.add(name, blend::NodeKind::Source(source)), ..blend::Link::default() }
        });
        tree.root = tree.add("mix", blend::NodeKind::Blend(links.to_vec()));
        let blend = Blend { settings: blend::Settings::Tree(tree), ..Blend::default() };
        take(TakeSource::Scenario(Box::new(blend)), vec![])
    };
    let mut workshop = Workshop::new();
    let complete = workshop.build(&tree("sway")).unwrap();
    let blended = complete.blended.as_ref().unwrap();
    assert!(blended.faults.is_empty() && complete.clip_name == "go, sway" && blended.length == 1.0);
    let partly = workshop.build(&tree("missing")).unwrap();
    let faults = &partly.blended.as_ref().unwrap().faults;
    assert!(faults.len() == 1 && faults[0].to_string().contains("missing"), "{faults:?}");
}

#[test]
fn an_empty_or_overlong_blend_is_refused() {
    let mut workshop = Workshop::new();
    for length in [0.0, -1.0, 601.0, f64::NAN] {
        let blend = Blend { length: Some(length), ..Blend::default() };
        let refusal = workshop.refusal(&take(TakeSource::Scenario(Box::new(blend)), vec![]));
        assert!(refusal.starts_with(&format!("a blend of {length} s cannot be baked.")), "{refusal}");
    }
}

#[test]
fn a_walk_shows_its_ground_before_it_can_be_walked() {
    let mut workshop = Workshop::new();
    let mut nobody = take(walk(&[]), vec![]);
    nobody.character = FileId(0);
    let built = workshop.build(&nobody).unwrap();
    let walked = built.walked.as_ref().unwrap();
    assert!(walked.routes.is_none() && walked.walk.is_none() && walked.missing.is_some());
    assert!(walked.ground.map.ground.cells.len() > 100 && built.clip.duration == 0.0);
    let ends = [DVec3::new(1.0, 0.0, 1.0), DVec3::new(5.0, 0.0, 5.0)];
    let mut alone = take(walk(&ends), vec![]);
    alone.character = FileId(0);
    let walked = workshop.build(&alone).unwrap().walked.clone().unwrap();
    assert_eq!((walked.routes.is_some(), &walked.missing), (true, &Some(TakeError::NoCharacter)));
    let height = |x: f64| walked.ground.height(DVec3::new(x, 0.2, 3.0));
    assert!(height(3.0).is_some_and(|height| height.abs() < 1e-6) && height(9.0).is_none());
}

#[test]
fn a_stop_far_from_the_ground_is_reported_with_the_nearest_ground() {
    let ends = [DVec3::new(1.0, 0.0, 1.0), DVec3::new(5.0, 9.0, 5.0)];
    let built = Workshop::new().build(&take(walk(&ends), vec![])).unwrap();
    let missing = built.walked.as_ref().unwrap().missing.as_ref().unwrap().to_string();
    assert!(missing.starts_with("The goal is 9.0") && missing.contains("y 0.0"), "{missing}");
}

#[test]
fn a_take_beyond_the_memory_limit_is_refused_before_it_is_built() {
    use crate::document::StageKind;
    use crate::document::stage::Dynamics;
    use portamento_dynamics::{Chain, Settings};
    let settings = Settings { chains: vec![Chain { joint: 1, ..Chain::default() }], ..Settings::default() };
    let dynamics = || StageKind::Dynamics(Box::new(Dynamics { settings: settings.clone(), ..Dynamics::default() }));
    let rest = |seconds: f64| TakeSource::Rest { seconds };
    let long_cloth = cloth::Settings { frames: usize::MAX / 2, ..cloth::Settings::default() };
    let long = [
        take(rest(1e12), vec![dynamics()]),
        take(rest(f64::MAX), vec![]),
        take(TakeSource::Cloth(Box::new(long_cloth)), vec![]),
    ];
    for take in long {
        let error = Workshop::new().build(&take).unwrap_err();
        assert!(matches!(error, TakeError::OverBudget(_)), "{error}");
        assert!(error.to_string().contains("” needs "), "{error}");
    }
}
