//! Tests of workflows: edits of a document and a take, the stages they rebuild, and the results.

use super::*;
use portamento_dynamics::cloth;
use portamento_test_support::skeleton_of;

/// A change to the document, to its files or to the take.
struct Edit {
    what: &'static str,
    /// Number of stages, from the first on, that the edit must not rebuild.
    reused: usize,
    apply: fn(&mut Workshop, &mut Take),
}

const EDITS: [Edit; 16] = [
    Edit { what: "another name", reused: 3, apply: |_, take| take.name = "leap".into() },
    Edit { what: "a longer loop", reused: 2, apply: |_, take| take.looped_mut(None).unwrap().settings.length = 5 },
    Edit { what: "no loop", reused: 2, apply: |_, take| drop(take.stages.pop()) },
    Edit { what: "wind", reused: 1, apply: |_, take| take.dynamics_mut(None).unwrap().settings.wind.strength = 3.0 },
    Edit { what: "mute", reused: 1, apply: |_, take| take.dynamics_mut(None).unwrap().settings.chains[0].muted = true },
    Edit { what: "another order", reused: 1, apply: |_, take| take.stages.swap(1, 2) },
    Edit { what: "one more stretch", reused: 3, apply: |_, take| _ = take.add_stage(to(DVec3::Z * 5.0)) },
    Edit { what: "another target", reused: 0, apply: |_, take| take.stages[0].kind = to(DVec3::Z * 4.0) },
    Edit { what: "no stretch", reused: 0, apply: |_, take| drop(take.stages.remove(0)) },
    Edit { what: "another unit", reused: 0, apply: |workshop, _| workshop.document.files[0].metres_per_unit = 0.5 },
    Edit { what: "unit elsewhere", reused: 3, apply: |workshop, _| workshop.document.files[1].metres_per_unit = 0.5 },
    Edit { what: "a role", reused: 0, apply: |workshop, _| workshop.document.characters[0].roles.head = Some(8) },
    Edit {
        what: "role elsewhere",
        reused: 3,
        apply: |workshop, _| workshop.document.characters[1].roles.head = Some(1),
    },
    Edit { what: "an object", reused: 3, apply: |workshop, _| workshop.document.objects.push(mark(1.0)) },
    Edit { what: "the file read again", reused: 0, apply: |workshop, _| workshop.read_again(HERO) },
    Edit { what: "another file read again", reused: 3, apply: |workshop, _| workshop.read_again(COUSIN) },
];

impl Workshop {
    /// Replaces a file by an equal copy, as after a change on disk.
    fn read_again(&mut self, id: FileId) {
        let model = self.library.get(id).unwrap().model.clone();
        self.library.insert(id, Asset::new(Loaded { model, ..Loaded::default() }));
    }
}

fn mark(z: f64) -> SceneObject {
    SceneObject::point("mark", DVec3::Z * z)
}

/// Returns a clip with stretch, dynamics and loop.
fn leap() -> Take {
    take(clip(HERO, "go"), vec![to(DVec3::Z * 3.0), swinging(false), looped(0, 4)])
}

/// Returns the number of stages of `after`, from the first on, that are the same objects as in `before`.
fn reused(before: &BuiltTake, after: &BuiltTake) -> usize {
    let same = |(one, other): &(&BuiltStage, &BuiltStage)| match (&one.result, &other.result) {
        (StageResult::Stretch(one), StageResult::Stretch(other)) => Arc::ptr_eq(one, other),
        (StageResult::Dynamics(one), StageResult::Dynamics(other)) => Arc::ptr_eq(one, other),
        (StageResult::Loop(one), StageResult::Loop(other)) => Arc::ptr_eq(one, other),
        _ => false,
    };
    before.stages.iter().zip(&after.stages).take_while(same).count()
}

#[test]
fn an_edit_rebuilds_only_affected_stages_and_undo_rebuilds_nothing() {
    for Edit { what, reused: wanted, apply } in EDITS {
        let (mut workshop, mut edited) = (Workshop::new(), leap());
        let before = workshop.build(&edited).unwrap();
        let (document, library) = (workshop.document.clone(), workshop.library.clone());
        apply(&mut workshop, &mut edited);
        let after = workshop.build(&edited).unwrap();
        assert_eq!(reused(&before, &after), wanted, "{what}");
        let fresh = TakeCache::default().take(&workshop.document, &workshop.library, &edited, &Progress::new());
        assert_eq!(fresh.unwrap().clip, after.clip, "{what} depends on what was built before");
        (workshop.document, workshop.library) = (document, library);
        assert!(Arc::ptr_eq(&before, &workshop.build(&leap()).unwrap()), "{what} is undone");
    }
}

#[test]
fn each_stage_uses_the_output_of_the_previous_one() {
    let mut workshop = Workshop::new();
    let twice = workshop.build(&take(clip(HERO, "go"), vec![to(DVec3::Z * 4.0), to(DVec3::Z * 6.0)])).unwrap();
    let [Some(first), Some(second)] = [0, 1].map(|at| twice.stretch(Some(at))) else { panic!("two stretches") };
    assert_eq!(first.report.stretched.points.last(), Some(&(DVec3::Z * 4.0)));
    assert_eq!(second.report.source.points, first.report.stretched.points);
    // Both stretch in proportion to the step of each frame, so every step is three times that of the source and pauses remain.
    let positions = |clip: &Clip| clip.tracks[0].translation.as_ref().unwrap().values.clone();
    for (stretched, source) in positions(&twice.clip).iter().zip(positions(&go())) {
        assert!(stretched.abs_diff_eq(source * 3.0, 1e-5), "{stretched} {source}");
    }
    let kinds = |kinds: Vec<StageKind>| {
        let built = Workshop::new().build(&take(clip(HERO, "go"), kinds)).unwrap();
        let ends = built.clip.tracks[0].translation.as_ref().unwrap().values.last().unwrap().z;
        (matches!(built.stages[0].result, StageResult::Loop(_)), ends)
    };
    // A loop after the stretch keeps only the travel per frame; a stretch after the loop still reaches its target.
    let (loops_first, end) = kinds(vec![looped(0, 5), to(DVec3::Z * 5.0)]);
    assert!(loops_first && (end - 5.0).abs() < 1e-5, "{end}");
    let (loops_first, end) = kinds(vec![to(DVec3::Z * 5.0), looped(0, 5)]);
    assert!(!loops_first && end < 4.0, "{end}");
}

#[test]
fn a_target_in_metres_is_reached_in_the_unit_of_the_file() {
    let mut workshop = Workshop::new();
    workshop.document.files[0].metres_per_unit = 0.01;
    workshop.document.objects.push(mark(3.0));
    let aimed = StageKind::Stretch(Box::new(Stretch { aim_at: Some("mark".into()), ..Stretch::default() }));
    let built = workshop.build(&take(clip(HERO, "go"), vec![aimed])).unwrap();
    assert_eq!(built.clip.tracks[0].translation.as_ref().unwrap().values[10], Vec3::Z * 300.0);
    let report = built.report();
    assert_eq!(report["stretch"]["end"], serde_json::json!([0.0, 0.0, 300.0]));
    // 298 additional units of one centimetre. The speeds of the trail are in metres per second.
    let speeds = &built.overlay(None).trails[1].speeds;
    assert!((speeds[1] - 0.25 * 150.0 * 0.01 * 30.0).abs() < 1e-3, "{speeds:?}");
}

#[test]
fn the_chosen_root_joint_is_used() {
    use crate::document::stage::RootChoice;
    use portamento_anim::RootKind;
    let mut workshop = Workshop::new();
    let mut carried = |source: &str, root: RootChoice| {
        let mut stretch = Stretch { root, ..Stretch::default() };
        stretch.settings.target = Some(Target::World(DVec3::Z));
        stretch.settings.zero_motion = portamento_stretch::ZeroMotion::Uniform;
        let built = workshop.build(&take(clip(HERO, source), vec![StageKind::Stretch(Box::new(stretch))]));
        built.map(|built| built.root.map(|root| (root.joint, root.kind)).unwrap())
    };
    assert_eq!(carried("go", RootChoice::Found), Ok((0, RootKind::Root)));
    assert_eq!(carried("sway", RootChoice::Joint(1)), Ok((1, RootKind::HipsGroundPart)));
    assert_eq!(carried("sway", RootChoice::Joint(0)), Ok((0, RootKind::Root)));
    assert_eq!(carried("sway", RootChoice::Made), Ok((0, RootKind::Root)));
}

#[test]
fn a_missing_item_is_named_and_restored_unchanged() {
    let mut workshop = Workshop::new();
    let first = workshop.build(&leap()).unwrap();
    let library = std::mem::take(&mut workshop.library);
    assert!(workshop.refusal(&leap()).starts_with("the file of “result” is not loaded."));
    // The file was changed on disk and no longer contains the clip.
    workshop.library = library.clone();
    let model = model("hero", hero(), vec![sway()]);
    workshop.library.insert(HERO, Asset::new(Loaded { model, ..Loaded::default() }));
    assert!(workshop.refusal(&leap()).starts_with("there is no clip “go” in hero. Its clips: sway."));
    workshop.library = library;
    assert!(Arc::ptr_eq(&first, &workshop.build(&leap()).unwrap()));
}

#[test]
fn a_cancel_stores_nothing_and_the_work_can_be_repeated() {
    let cloth = cloth::Settings { columns: 4, rows: 4, frames: 6, ..cloth::Settings::default() };
    let ends = [DVec3::new(1.0, 0.0, 1.0), DVec3::new(5.0, 0.0, 5.0)];
    let asked = [
        leap(),
        take(clip(HERO, "go"), vec![swinging(false)]),
        take(TakeSource::Images { file: IMAGES, fps: None, sheet: None, tag: None }, vec![looped(0, 4)]),
        take(TakeSource::Vertices(Vertices { file: CACHE, clip: None, mesh: None, fps: None }), vec![looped(1, 4)]),
        take(TakeSource::Cloth(Box::new(cloth)), vec![]),
        take(walk(&ends), vec![]),
    ];
    for take in asked {
        let mut workshop = Workshop::new();
        let missing = |workshop: &mut Workshop| match workshop
            .cache
            .find(&workshop.document, &workshop.library, &take)
            .unwrap()
        {
            Lookup::Missing(work) => work,
            Lookup::Built(_) => panic!("{:?} was stored", take.source),
        };
        let stopped = Progress::new();
        stopped.cancel();
        let work = missing(&mut workshop);
        let message = work.clone().run(&stopped).unwrap_err().to_string();
        assert_eq!(message, "Cancelled. Nothing was changed.", "{:?}", take.source);
        assert_eq!(missing(&mut workshop), work);
        assert!(workshop.cache.take(&workshop.document, &workshop.library, &take, &stopped).is_err());
        let built = missing(&mut workshop).run(&Progress::new()).unwrap();
        workshop.cache.keep(built);
        assert!(matches!(workshop.cache.find(&workshop.document, &workshop.library, &take), Ok(Lookup::Built(_))));
    }
}

/// An edit of a walk, and whether it reuses the ground and the routes.
struct WalkEdit {
    what: &'static str,
    keeps_ground: bool,
    keeps_routes: bool,
    apply: fn(&mut Workshop, &mut Take),
}

const WALK_EDITS: [WalkEdit; 8] = [
    WalkEdit {
        what: "radius",
        keeps_ground: false,
        keeps_routes: false,
        apply: |_, take| walk_of(take).voxels.radius = 0.5,
    },
    WalkEdit {
        what: "the unit of the level",
        keeps_ground: false,
        keeps_routes: false,
        apply: |workshop, _| workshop.document.files[5].metres_per_unit = 0.9,
    },
    WalkEdit { what: "goal", keeps_ground: true, keeps_routes: false, apply: |_, take| walk_of(take).stops[1].x = 4.0 },
    WalkEdit {
        what: "variety",
        keeps_ground: true,
        keeps_routes: false,
        apply: |_, take| walk_of(take).routes.variety = 0.1,
    },
    WalkEdit { what: "far seed", keeps_ground: true, keeps_routes: false, apply: |_, take| walk_of(take).seed = 99 },
    WalkEdit { what: "compared seed", keeps_ground: true, keeps_routes: true, apply: |_, take| walk_of(take).seed = 3 },
    WalkEdit {
        what: "gait",
        keeps_ground: true,
        keeps_routes: true,
        apply: |_, take| walk_of(take).settings.fps = 15.0,
    },
    WalkEdit { what: "nobody", keeps_ground: true, keeps_routes: true, apply: |_, take| take.character = FileId(0) },
];

fn walk_of(take: &mut Take) -> &mut Walk {
    take.walk_mut().unwrap()
}

#[test]
fn a_walk_is_built_as_ground_routes_steps_and_each_part_is_reused() {
    let asked = || take(walk(&[DVec3::new(1.0, 0.0, 1.0), DVec3::new(5.0, 0.0, 5.0)]), vec![]);
    for WalkEdit { what, keeps_ground, keeps_routes, apply } in WALK_EDITS {
        let (mut workshop, mut edited) = (Workshop::new(), asked());
        let before = workshop.build(&edited).unwrap().walked.clone().unwrap();
        apply(&mut workshop, &mut edited);
        let after = workshop.build(&edited).unwrap().walked.clone().unwrap();
        assert_eq!(Arc::ptr_eq(&before.ground, &after.ground), keeps_ground, "{what}");
        let [old, new] = [&before, &after].map(|walked| walked.routes.as_ref().unwrap());
        assert_eq!(Arc::ptr_eq(old, new), keeps_routes, "{what}");
    }
    // The name of a pinned route is not an input; the set of pinned routes is.
    let (mut workshop, mut named) = (Workshop::new(), asked());
    walk_of(&mut named).toggle_pin(42);
    let before = workshop.build(&named).unwrap();
    let routes = before.walked.as_ref().unwrap().routes.clone().unwrap();
    assert!(routes.of_seed(42).is_some() && routes.of_seed(1).is_some() && routes.of_seed(43).is_none());
    walk_of(&mut named).pins[0].name = "by the wall".into();
    assert!(Arc::ptr_eq(&before, &workshop.build(&named).unwrap()));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let build = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut workshop = Workshop::new();
            let leap = workshop.build(&leap()).unwrap();
            let flag = cloth::Settings { columns: 6, rows: 6, frames: 8, ..cloth::Settings::default() };
            let flag = workshop.build(&take(TakeSource::Cloth(Box::new(flag)), vec![])).unwrap();
            let Content::Vertices(flag) = &flag.content else { panic!("vertices") };
            let route_walk = workshop.build(&take(walk(&[DVec3::ONE, DVec3::new(5.0, 0.0, 5.0)]), vec![])).unwrap();
            (leap.clip.clone(), flag.clip.clone(), route_walk.report()["walk"]["routes"].clone())
        })
    };
    assert_eq!(build(1), build(3));
}

#[test]
fn a_loop_under_a_rotated_and_scaled_root_travels_in_world_space() {
    let mut skeleton = skeleton_of(&[("Armature", None), ("root", Some(0)), ("hips", Some(1))]);
    skeleton.joints[0].rest.rotation = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
    skeleton.joints[0].rest.scale = Vec3::splat(0.01);
    let times: Vec<f32> = (0..=20).map(|frame| frame as f32 / 30.0).collect();
    let tracks = vec![JointTracks::default(); skeleton.len()];
    let mut clip = Clip { name: "go".into(), duration: f64::from(times[20]), tracks };
    // In the rotated joint, 10 cm per frame along the world's Z are −10 units of Y.
    let steps = (0..=20).map(|frame| Vec3::Y * frame as f32 * -10.0).collect();
    clip.tracks[1].translation = Some(Curve::linear(times, steps));
    let mut workshop = Workshop::new();
    workshop.open(FileId(20), Loaded { model: model("turned", skeleton, vec![clip]), ..Loaded::default() });
    let asked = Take { character: FileId(20), ..take(super::clip(FileId(20), "go"), vec![looped(0, 10)]) };
    let built = workshop.build(&asked).unwrap();
    let overlay = built.overlay(None);
    let position = |time: f64| frame_at(&built, &overlay, time).world[1].translation;
    let length = built.clip.duration;
    for rounds in [1.0, 2.0, 7.0] {
        let travel = position(0.1 + rounds * length) - position(0.1);
        assert!(travel.abs_diff_eq(glam::Vec3A::Z * rounds as f32, 1e-4), "{rounds}: {travel}");
    }
}

#[test]
fn a_looped_cache_blends_its_cycles_by_the_fade_weights() {
    let mut workshop = Workshop::new();
    let cache = TakeSource::Vertices(Vertices { file: CACHE, clip: None, mesh: None, fps: None });
    let built = workshop.build(&take(cache, vec![looped(1, 4)])).unwrap();
    let overlay = built.overlay(None);
    let height = |time: f64| match frame_at(&built, &overlay, time).content {
        FrameContent::Vertices { positions, .. } => positions[0].y,
        other => panic!("{other:?}"),
    };
    // Frame k of A is 1 + k metres high, of B 5 + k. A has the weight 3w² − 2w³ at w = k / 4.
    for k in 0..4 {
        let w = f64::from(k) / 4.0;
        let rises = w * w * (3.0 - 2.0 * w);
        let wanted = rises * f64::from(1 + k) + (1.0 - rises) * f64::from(5 + k);
        assert!((f64::from(height(f64::from(k) / 10.0)) - wanted).abs() < 1e-5, "{k}");
        assert!((height(f64::from(k) / 10.0 + 0.8) - height(f64::from(k) / 10.0)).abs() < 1e-4, "{k}");
    }
    assert_eq!(height(0.0), 5.0);
    assert_eq!(built.looped(None).unwrap().report().value_gap, 0.0);
}
