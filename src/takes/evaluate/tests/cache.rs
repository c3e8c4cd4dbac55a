use super::*;
use portamento_dynamics as dynamics;
use portamento_dynamics::{Collider, ColliderShape};

fn stage(built: &BuiltTake) -> &StageResult {
    &built.stages[0].result
}

#[test]
fn equal_inputs_are_built_once_and_a_rename_builds_nothing() {
    let mut workshop = Workshop::new();
    let mut asked = take(clip(HERO, "go"), vec![to(DVec3::Z * 3.0)]);
    let first = workshop.build(&asked).unwrap();
    assert!(Arc::ptr_eq(&first, &workshop.build(&asked).unwrap()));
    asked.name = "renamed".into();
    let renamed = workshop.build(&asked).unwrap();
    let (StageResult::Stretch(one), StageResult::Stretch(other)) = (stage(&first), stage(&renamed)) else {
        panic!("stretches")
    };
    assert!(Arc::ptr_eq(one, other) && renamed.clip.name == "renamed" && renamed.clip.tracks == first.clip.tracks);
}

#[test]
fn a_reloaded_file_is_rebuilt() {
    let mut workshop = Workshop::new();
    let asked = take(clip(HERO, "go"), vec![]);
    let first = workshop.build(&asked).unwrap();
    let again = Loaded { model: model("hero", hero(), vec![go()]), ..Loaded::default() };
    workshop.library.insert(HERO, Asset::new(again));
    assert!(!Arc::ptr_eq(&first, &workshop.build(&asked).unwrap()));
}

#[test]
fn a_change_reuses_earlier_stages() {
    let mut workshop = Workshop::new();
    let mut asked = |target| {
        let kinds = vec![swinging(false), to(target)];
        workshop.build(&take(clip(HERO, "go"), kinds)).unwrap()
    };
    let (first, second) = (asked(DVec3::X), asked(DVec3::Z));
    let (StageResult::Dynamics(one), StageResult::Dynamics(other)) = (stage(&first), stage(&second)) else {
        panic!("dynamics")
    };
    assert!(Arc::ptr_eq(one, other));
    assert_ne!(first.clip.tracks, second.clip.tracks);
}

#[test]
fn changed_wind_or_colliders_reuse_the_input_and_match_a_fresh_build() {
    let mut workshop = Workshop::new();
    let with = |change: fn(&mut dynamics::Settings)| {
        let StageKind::Dynamics(mut swing) = swinging(false) else { panic!("dynamics") };
        let shape = ColliderShape::Sphere { center: DVec3::ZERO, radius: 0.25 };
        swing.settings.colliders.push(Collider { name: "ball".into(), joint: Some(1), shape });
        change(&mut swing.settings);
        take(clip(HERO, "go"), vec![to(DVec3::Z * 3.0), StageKind::Dynamics(swing)])
    };
    let calm = workshop.build(&with(|_| {})).unwrap();
    let wind: fn(&mut dynamics::Settings) = |settings| {
        (settings.wind.direction, settings.wind.strength) = (DVec3::X, 5.0);
    };
    let collider: fn(&mut dynamics::Settings) = |settings| {
        settings.colliders[0].shape = ColliderShape::Sphere { center: DVec3::ZERO, radius: 0.4 };
    };
    for change in [wind, collider, |_| {}] {
        let here = workshop.build(&with(change)).unwrap();
        let alone = TakeCache::default();
        let alone = Workshop { cache: alone, ..Workshop::new() }.build(&with(change)).unwrap();
        assert_eq!(here.clip, alone.clip);
        let [StageResult::Dynamics(one), StageResult::Dynamics(other)] =
            [&here, &alone].map(|built| &built.stages[1].result)
        else {
            panic!("dynamics")
        };
        assert_eq!(one, other);
        assert!(Arc::ptr_eq(&here.stages[0].clip, &calm.stages[0].clip), "only the last stage was built");
        assert_eq!(here.clip == calm.clip, Arc::ptr_eq(&here, &calm), "each of the two changes something");
    }
}

#[test]
fn muted_chains_are_not_built() {
    let mut workshop = Workshop::new();
    let muted = workshop.build(&take(clip(HERO, "go"), vec![swinging(true)])).unwrap();
    assert!(muted.stages.is_empty() && muted.dynamics(None).is_none());
    assert!(Arc::ptr_eq(&muted, &workshop.build(&take(clip(HERO, "go"), vec![])).unwrap()));
}

#[test]
fn a_muted_stage_has_no_effect_and_no_cost() {
    let mut workshop = Workshop::new();
    let mut asked = take(clip(HERO, "go"), vec![to(DVec3::Z * 3.0), swinging(false), looped(0, 4)]);
    let without = take(clip(HERO, "go"), vec![to(DVec3::Z * 3.0), looped(0, 4)]);
    let without = workshop.build(&without).unwrap();
    asked.stages[1].on = false;
    let muted = workshop.build(&asked).unwrap();
    // Ids of stages differ, inputs do not.
    assert!(Arc::ptr_eq(&muted, &without));
    assert_eq!(asked.built_index(asked.stages[2].id), Some(1));
    asked.stages[1].on = true;
    assert_eq!(workshop.build(&asked).unwrap().stages.len(), 3);
}

#[test]
fn an_unknown_stage_is_refused_by_name_until_it_is_muted() {
    let mut workshop = Workshop::new();
    let fields = serde_json::json!({ "levitate": { "height": 2.0 } }).as_object().unwrap().clone();
    let mut asked = take(clip(HERO, "go"), vec![StageKind::Unknown(fields)]);
    assert_eq!(workshop.build(&asked).unwrap_err(), TakeError::UnknownStage("levitate".into()));
    asked.stages[0].on = false;
    assert!(workshop.build(&asked).is_ok());
}

#[test]
fn a_moved_object_rebuilds_only_takes_that_aim_at_it() {
    let mut workshop = Workshop::new();
    workshop.document.objects.push(SceneObject::point("mark", DVec3::Z * 3.0));
    let aimed = StageKind::Stretch(Box::new(Stretch { aim_at: Some("mark".into()), ..Stretch::default() }));
    let (aimed, plain) = (take(clip(HERO, "go"), vec![aimed]), take(clip(HERO, "go"), vec![to(DVec3::Z)]));
    let before = (workshop.build(&aimed).unwrap(), workshop.build(&plain).unwrap());
    workshop.document.objects[0].position = DVec3::Z * 5.0;
    let after = (workshop.build(&aimed).unwrap(), workshop.build(&plain).unwrap());
    let end = |built: &BuiltTake| built.stretch(None).unwrap().report.stretched.points.last().unwrap().z;
    assert_eq!((end(&before.0), end(&after.0)), (3.0, 5.0));
    assert!(Arc::ptr_eq(&before.1, &after.1));
    workshop.document.objects.clear();
    assert_eq!(workshop.refusal(&aimed), "there is no scene object “mark”. Choose another target.");
}

#[test]
fn a_moved_goal_reuses_the_ground_and_another_gait_reuses_the_routes() {
    let mut workshop = Workshop::new();
    let ends = |x: f64| [DVec3::new(1.0, 0.0, 1.0), DVec3::new(x, 0.0, 5.0)];
    let mut walked = |source: TakeSource| workshop.build(&take(source, vec![])).unwrap().walked.clone().unwrap();
    let first = walked(walk(&ends(5.0)));
    let moved = walked(walk(&ends(4.0)));
    assert!(Arc::ptr_eq(&first.ground, &moved.ground));
    let TakeSource::Walk(mut other) = walk(&ends(5.0)) else { panic!("a walk") };
    other.settings.turning_radius *= 0.5;
    let gait = walked(TakeSource::Walk(other));
    let routes = |walked: &Walked| walked.routes.clone().unwrap();
    assert!(Arc::ptr_eq(&routes(&first), &routes(&gait)) && !Arc::ptr_eq(&routes(&first), &routes(&moved)));
}

#[test]
fn a_moved_goal_reuses_the_graph_and_a_moved_box_the_clips_that_cross() {
    let mut workshop = Workshop::new();
    let hero = portamento_formats::import::import(&portamento_test_support::asset("hero.glb")).unwrap();
    workshop.document.characters.retain(|character| character.file != HERO);
    workshop.document.files.retain(|file| file.id != HERO);
    workshop.open(HERO, Loaded { model: hero.model, ..Loaded::default() });
    let wall = SceneObject { obstacle: Some(ObstacleBox::default()), ..SceneObject::point("wall", DVec3::splat(3.0)) };
    workshop.document.objects.push(wall);
    let over = |x: f64| {
        let TakeSource::Walk(mut over) = walk(&[DVec3::new(1.0, 0.0, 1.0), DVec3::new(x, 0.0, 5.0)]) else {
            panic!("a walk")
        };
        over.own_crossings.on = true;
        TakeSource::Walk(over)
    };
    let mut graph = |x: f64, wall: f64| {
        workshop.document.objects[0].position = DVec3::new(wall, 0.0, 3.0);
        let walked = workshop.build(&take(over(x), vec![])).unwrap().walked.clone().unwrap();
        walked.graph.clone().unwrap()
    };
    let [first, goal, wall] = [graph(5.0, 3.0), graph(4.0, 3.0), graph(4.0, 3.2)];
    let clips = |graph: &LevelGraph| graph.crosser.clone().unwrap();
    assert!(clips(&first).motions.len() > 2 && Arc::ptr_eq(&first, &goal));
    assert!(!Arc::ptr_eq(&goal, &wall) && Arc::ptr_eq(&clips(&goal), &clips(&wall)));
}

#[test]
fn work_on_bones_cloth_pixels_routes_or_captures_is_slow() {
    let mut workshop = Workshop::new();
    let mut capture = still("capture");
    let times: Vec<f32> = (0..140_000).map(|key| key as f32 / 120.0).collect();
    let values = vec![Vec3::ZERO; times.len()];
    capture.tracks[0].translation = Some(Curve::linear(times, values));
    let file = FileId(7);
    workshop.open(file, Loaded { model: model("captured", hero(), vec![capture]), ..Loaded::default() });
    let mut is_slow = |source: TakeSource, kinds: Vec<StageKind>| {
        let asked = take(source, kinds);
        match workshop.cache.find(&workshop.document, &workshop.library, &asked).unwrap() {
            Lookup::Missing(work) => work.is_slow(),
            Lookup::Built(_) => panic!("nothing was built"),
        }
    };
    assert!(is_slow(clip(file, "capture"), vec![]) && is_slow(clip(file, "capture"), vec![to(DVec3::X)]));
    let images = || TakeSource::Images { file: IMAGES, fps: None, sheet: None, tag: None };
    assert!(!is_slow(clip(HERO, "go"), vec![to(DVec3::X), looped(0, 4)]));
    assert!(!is_slow(images(), vec![]) && is_slow(images(), vec![looped(0, 4)]));
    assert!(is_slow(clip(HERO, "go"), vec![swinging(false)]) && !is_slow(clip(HERO, "go"), vec![swinging(true)]));
    assert!(is_slow(walk(&[]), vec![]) && is_slow(TakeSource::Cloth(Box::default()), vec![]));
    let cache = |clip| TakeSource::Vertices(Vertices { file: CACHE, clip, mesh: None, fps: None });
    assert!(!is_slow(cache(None), vec![]) && is_slow(cache(Some("a".into())), vec![]));
}

#[test]
fn external_results_are_cached_and_cancelled_work_is_not() {
    let mut workshop = Workshop::new();
    let asked = take(clip(HERO, "go"), vec![to(DVec3::Z)]);
    let missing = |workshop: &mut Workshop| match workshop.cache.find(&workshop.document, &workshop.library, &asked) {
        Ok(Lookup::Missing(work)) => Some(work),
        _ => None,
    };
    let work = missing(&mut workshop).unwrap();
    let stopped = Progress::new();
    stopped.cancel();
    assert!(matches!(work.clone().run(&stopped), Err(TakeError::Stretch(_) | TakeError::Cancelled(_))));
    assert_eq!(missing(&mut workshop).as_ref(), Some(&work));
    let done = work.run(&Progress::new()).unwrap();
    workshop.cache.keep(done);
    assert!(missing(&mut workshop).is_none());
}

#[test]
fn the_oldest_takes_are_dropped_and_the_newest_retained() {
    let mut workshop = Workshop::new();
    let asked = |z: usize| take(clip(HERO, "go"), vec![to(DVec3::Z * z as f64)]);
    let first = workshop.build(&asked(1)).unwrap();
    // Each take is cached with its name and without: two entries.
    (2..60).for_each(|z| drop(workshop.build(&asked(z)).unwrap()));
    let newest = workshop.build(&asked(59)).unwrap();
    assert!(Arc::ptr_eq(&newest, &workshop.build(&asked(59)).unwrap()));
    assert!(!Arc::ptr_eq(&first, &workshop.build(&asked(1)).unwrap()));
}

#[test]
fn large_takes_are_dropped_sooner_than_small_ones() {
    let mut workshop = Workshop::new();
    let long = |number: usize| {
        let times: Vec<f32> = (0..500_000).map(|key| key as f32).collect();
        let turns = vec![Quat::IDENTITY; times.len()];
        let mut clip = Clip { duration: 5e5, ..still(&format!("long {number}")) };
        clip.tracks[1].rotation = Some(Curve::linear(times, turns));
        clip
    };
    let clips = (0..10).map(long).collect();
    workshop.open(HERO, Loaded { model: model("hero", hero(), clips), ..Loaded::default() });
    let asked = |number: usize| take(clip(HERO, &format!("long {number}")), vec![]);
    let built: Vec<_> = (0..10).map(|number| workshop.build(&asked(number)).unwrap()).collect();
    // Ten megabytes with the take's name and as many without.
    let mut is_cached = |number: usize| Arc::ptr_eq(&built[number], &workshop.build(&asked(number)).unwrap());
    assert!((4..10).all(&mut is_cached), "the last few are cached whatever their size");
    assert!(!is_cached(0));
}
