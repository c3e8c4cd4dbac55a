//! Every precondition of [`build`].

use super::*;

/// Returns the error of a blend of run and cast, after `change`.
fn refused(change: impl FnOnce(&mut Tree)) -> BuildError {
    let mut tree = two([0.5, 0.5], Default::default());
    change(&mut tree);
    built(&clips(), &Settings::Tree(tree)).unwrap_err()
}

/// Returns the error of a scenario of run, cast and stop, after `change`.
fn refused_scenario(change: impl FnOnce(&mut Scenario)) -> BuildError {
    let mut scenario = scenario(&[(0.0, Action::Run), (0.5, Action::Cast), (1.0, Action::Stop)]);
    change(&mut scenario);
    built(&clips(), &Settings::Scenario(scenario)).unwrap_err()
}

/// Returns the error of a blend space of run and stand, after `change`.
fn refused_space(change: impl FnOnce(&mut BlendSpace)) -> BuildError {
    let sample = |clip: &str, x: f64| SpaceSample { clip: clip.into(), at: [x, 0.0] };
    let mut space = BlendSpace { samples: vec![sample("stand", 0.0), sample("run", 4.0)], ..BlendSpace::default() };
    change(&mut space);
    let mut tree = Tree::default();
    tree.root = tree.add("Gaits", NodeKind::Space(Box::new(space)));
    built(&clips(), &Settings::Tree(tree)).unwrap_err()
}

fn links(tree: &mut Tree) -> &mut Vec<Link> {
    let NodeKind::Blend(links) = &mut tree.nodes[2].kind else { panic!("a blend") };
    links
}

fn first_source(tree: &mut Tree) -> &mut Source {
    let NodeKind::Source(source) = &mut tree.nodes[0].kind else { panic!("a source") };
    source
}

/// Asserts that `error` is a refused number of a setting called `what`.
fn assert_bad_number(error: &BuildError, what: &str, number: f64) {
    let BuildError::BadNumber { what: name, value, .. } = error else { panic!("{what}: {error:?}") };
    assert_eq!(name.to_string(), what);
    assert!(*value == number || number.is_nan() && value.is_nan(), "{what}: {number} is reported as {value}");
}

#[test]
fn a_clip_that_does_not_fit_the_skeleton_is_refused() {
    let with = |change: &dyn Fn(&mut Clip)| {
        let mut clips = clips();
        change(&mut clips[2]);
        built(&clips, &Settings::Tree(two([0.5, 0.5], Default::default()))).map(|_| ())
    };
    assert_eq!(with(&|_| ()), Ok(()));
    let missing_value = |clip: &mut Clip| {
        clip.tracks[3].rotation.as_mut().unwrap().values.pop();
    };
    let changes: [&dyn Fn(&mut Clip); 4] = [
        &|clip| clip.tracks.truncate(11),
        &|clip| clip.duration = -0.1,
        &|clip| clip.duration = f64::NAN,
        &missing_value,
    ];
    for change in changes {
        assert!(matches!(with(change), Err(BuildError::BadClip { clip, .. }) if clip == "cast"));
    }
}

#[test]
fn a_clip_that_does_not_exist_is_refused() {
    let by_speed = |space: &mut BlendSpace| {
        space.drive = Drive::Speed(SpeedDrive { clip: "run".into(), ..SpeedDrive::default() });
    };
    let cases = [
        (refused(|tree| first_source(tree).clip = "fly".into()), "A", "fly"),
        (refused_space(|space| space.samples[1].clip = "fly".into()), "Gaits", "fly"),
        (refused_space(by_speed), "Gaits", "run"),
        (refused_scenario(|scenario| scenario.skill = "fly".into()), Action::Cast.name(), "fly"),
        (refused_scenario(|scenario| scenario.events[0].clip = Some("fly".into())), Action::Run.name(), "fly"),
    ];
    for (error, node, clip) in cases {
        assert_eq!(error, BuildError::NoSuchClip { node: node.into(), clip: clip.into() });
    }
}

#[test]
fn a_weight_that_is_negative_or_no_number_is_refused() {
    for value in [-0.1_f32, f32::NAN, f32::INFINITY] {
        let state = |tree: &mut Tree| {
            tree.add_state("hurt");
            links(tree)[1].in_states = vec![StateWeight { state: "hurt".into(), weight: value }];
        };
        let additive = |tree: &mut Tree| {
            let layer = Additive {
                base: 0,
                delta: 1,
                reference: Reference::Rest,
                weight: value,
                in_states: Vec::new(),
                mask: MaskChoice::default(),
                muted: false,
            };
            tree.root = tree.add("Plus", NodeKind::Additive(layer));
        };
        for error in [refused(|tree| links(tree)[0].weight = value), refused(state), refused(additive)] {
            assert_bad_number(&error, "weight", value.into());
        }
    }
}

#[test]
fn a_mask_that_does_not_fit_is_refused() {
    let wing = || MaskChoice { overrides: vec![("wing".into(), 1.0)], ..MaskChoice::default() };
    let negative = MaskChoice { overrides: vec![("head".into(), -1.0)], ..MaskChoice::default() };
    let errors = [
        refused(|tree| links(tree)[0].mask = wing()),
        refused(|tree| links(tree)[0].mask = negative),
        refused_scenario(|scenario| scenario.upper = wing()),
    ];
    assert!(errors.iter().all(|error| matches!(error, BuildError::BadMask { .. })), "{errors:?}");
    let more = refused_scenario(|scenario| scenario.upper.overrides = vec![("head".into(), 1.5)]);
    assert_bad_number(&more, "share of the upper body (0 to 1)", 1.5);
}

#[test]
fn a_speed_or_an_offset_that_is_no_number_is_refused() {
    for value in [f64::NAN, f64::INFINITY] {
        assert_bad_number(&refused(|tree| first_source(tree).speed = value), "speed", value);
        assert_bad_number(&refused(|tree| first_source(tree).offset = value), "start offset", value);
    }
}

#[test]
fn an_event_with_a_bad_time_or_midpoint_is_refused() {
    for value in [-0.1, f64::NAN, f64::INFINITY] {
        let changed = |change: &dyn Fn(&mut Event)| refused_scenario(|scenario| change(&mut scenario.events[1]));
        assert_bad_number(&changed(&|event| event.time = value), "time", value);
        assert_bad_number(&changed(&|event| event.trans_time = value), "transition time", value);
        assert_bad_number(&changed(&|event| event.start = value), "entry into the clip", value);
        let of_tree = |time: f64, trans_time: f64| {
            refused(|tree| {
                tree.add_state("hurt");
                let trans_time = Some(trans_time);
                tree.events = vec![StateEvent { time, state: "hurt".into(), trans_time, ..StateEvent::default() }];
            })
        };
        assert_bad_number(&of_tree(value, 0.2), "time", value);
        assert_bad_number(&of_tree(1.0, value), "transition time", value);
    }
    for value in [0.0, 1.0, f64::NAN] {
        let error = refused_scenario(|scenario| scenario.events[2].midpoint = value);
        assert_bad_number(&error, "midpoint (between 0 and 1)", value);
    }
}

#[test]
fn an_event_to_a_state_that_does_not_exist_is_refused() {
    let event = StateEvent { time: 1.0, state: "hurt".into(), ..StateEvent::default() };
    let drawn = refused(|tree| tree.events = vec![event]);
    let standard = refused_scenario(|scenario| {
        (scenario.events[0].action, scenario.events[0].state) = (Action::Go, Some("hurt".into()));
    });
    assert!([drawn, standard].iter().all(|error| *error == BuildError::NoSuchState { state: "hurt".into() }));
}

#[test]
fn a_missing_node_a_cycle_and_a_tree_too_deep_are_refused() {
    let missing = refused(|tree| links(tree)[1].child = 9);
    assert!(matches!(missing, BuildError::NoSuchNode { child: 9, .. }), "{missing:?}");
    let no_root = refused(|tree| tree.root = 9);
    assert!(matches!(no_root, BuildError::NoSuchNode { child: 9, .. }), "{no_root:?}");
    let cycle = refused(|tree| links(tree)[1].child = 2);
    assert_eq!(cycle, BuildError::Cycle { node: "Mix".into() });
    let levels = |count: usize| {
        let mut tree = two([0.5, 0.5], Default::default());
        for _ in 2..count {
            let link = Link { child: tree.root, ..Link::default() };
            tree.root = tree.add("Level", NodeKind::Blend(vec![link]));
        }
        built(&clips(), &Settings::Tree(tree)).map(|_| ())
    };
    assert_eq!(levels(256), Ok(()));
    assert!(matches!(levels(257), Err(BuildError::TooDeep { most: 256, .. })), "{:?}", levels(257));
}

#[test]
fn a_blend_space_with_too_few_too_many_or_equal_samples_is_refused() {
    let none = refused_space(|space| space.samples.clear());
    assert_eq!(none, BuildError::NoSamples { node: "Gaits".into() });
    let same = refused_space(|space| space.samples[1].at = space.samples[0].at);
    let (one, other) = ("stand".to_owned(), "run".to_owned());
    assert_eq!(same, BuildError::SamePosition { node: "Gaits".into(), one, other });
    let many = |count: u32| {
        let samples = (0..count).map(|i| SpaceSample { clip: "run".into(), at: [f64::from(i), 0.0] }).collect();
        let mut tree = Tree::default();
        tree.root = tree.add("Gaits", NodeKind::Space(Box::new(BlendSpace { samples, ..BlendSpace::default() })));
        built(&clips(), &Settings::Tree(tree)).map(|_| ())
    };
    assert_eq!(many(64), Ok(()));
    assert_eq!(many(65), Err(BuildError::TooManySamples { node: "Gaits".into(), most: 64 }));
}

#[test]
fn a_number_of_a_blend_space_that_is_none_is_refused() {
    let nan = f64::NAN;
    let smoothing = |value: f64| {
        refused_space(|space| {
            space.drive = Drive::Speed(SpeedDrive { clip: "run".into(), smoothing: value });
        })
    };
    let key = |time: f64, at: [f64; 2]| refused_space(|space| space.keys = vec![ParameterKey { time, at }]);
    let state = refused_space(|space| space.in_states = vec![StatePosition { state: String::new(), at: [0.0, nan] }]);
    assert_bad_number(&refused_space(|space| space.samples[0].at[0] = nan), "position of a clip", nan);
    assert_bad_number(&key(nan, [0.0; 2]), "time of a key", nan);
    assert_bad_number(&key(0.0, [nan, 0.0]), "parameter", nan);
    assert_bad_number(&state, "parameter", nan);
    assert_bad_number(&smoothing(-1.0), "time over which speed is measured", -1.0);
    assert_bad_number(&smoothing(nan), "time over which speed is measured", nan);
}

#[test]
fn a_cancelled_build_stops() {
    let (skeleton, roles, progress) = (skeleton(), roles(), Progress::new());
    progress.cancel();
    let input = Input { skeleton: &skeleton, clips: &[], roles: &roles, markers: &[], travels: &[] };
    let stopped = build(&input, &Settings::default(), &progress);
    assert!(matches!(stopped, Err(BuildError::Cancelled(_))));
}
