//! Tests on every character of the corpus that has clips.

use super::*;
use portamento_anim::Model;

/// Returns every character of the corpus with at least one clip.
fn characters() -> Vec<Model> {
    let folders = ["characters", "wild"].into_iter().filter_map(portamento_test_support::corpus);
    let mut files: Vec<_> =
        folders.flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())).collect();
    files.sort();
    let models = files.iter().map(|file| portamento_formats::import::import(file).unwrap().model);
    models.filter(|model| model.clips.iter().any(|clip| clip.duration > 0.0)).collect()
}

/// Returns three clip names spread over the character's list; names repeat if it has fewer clips.
fn three(model: &Model) -> [&str; 3] {
    let count = model.clips.len();
    [0, count / 3, 2 * count / 3].map(|i| &*model.clips[i].name)
}

fn build_on(model: &Model, settings: Settings) -> Built {
    try_build_on(model, settings).unwrap_or_else(|error| panic!("{}: {error}", model.name))
}

fn try_build_on(model: &Model, settings: Settings) -> Result<Built, BuildError> {
    let roles = Roles::find(&model.skeleton, &model.clips);
    let clips: Vec<&Clip> = model.clips.iter().collect();
    let input = Input { skeleton: &model.skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] };
    build(&input, &settings, &Progress::new())
}

/// Returns the upper body of a character. Without a spine it starts at the joint in the middle of the joint list.
fn upper_body(model: &Model) -> MaskChoice {
    let roles = Roles::find(&model.skeleton, &model.clips);
    let upper = MaskChoice::from_region(Region::UpperBody);
    if upper.resolve(&model.skeleton, &roles).is_ok() {
        return upper;
    }
    let middle = &model.skeleton.joints[model.skeleton.len() / 2];
    MaskChoice { from: Some(middle.name.clone()), ..upper }
}

/// Returns random events, most of which interrupt the previous transition.
fn random_events(seed: u64) -> Vec<Event> {
    let mut random = portamento_anim::math::random::SplitMix64::new(seed);
    let mut time = 0.0;
    let mut next = |i: usize| {
        time += if i == 0 { 0.0 } else { 0.05 + 0.3 * random.unit() };
        let action = Action::ALL[(random.bits() % 5) as usize];
        Event { time, action, trans_time: 0.1 + 0.3 * random.unit(), ..Event::default() }
    };
    (0..7).map(&mut next).collect()
}

fn random_scenario(model: &Model, interrupt: Interrupt, seed: u64) -> Scenario {
    let [run, stand, skill] = three(model).map(str::to_owned);
    Scenario {
        run,
        stand,
        skill,
        upper: upper_body(model),
        events: random_events(seed),
        interrupt,
        ..Scenario::default()
    }
}

#[test]
fn no_random_events_pop_on_any_character() {
    let mut cut_pops = 0;
    let characters = characters();
    for model in &characters {
        for (seed, interrupt) in (0..4).flat_map(|seed| Interrupt::ALL.map(|interrupt| (seed, interrupt))) {
            let scenario = random_scenario(model, interrupt, seed);
            let end = scenario.events[6].time + 0.5;
            let built = build_on(model, Settings::Scenario(scenario.clone()));
            let meter = built.pop_meter(FPS, end, &Progress::new()).unwrap();
            let pop = meter.iter().find(|step| step.pops());
            let joint = pop.map(|step| &model.skeleton.joints[step.joint].name);
            assert!(pop.is_none(), "{} {interrupt:?} {seed}: {joint:?} {pop:?}\n{:?}", model.name, scenario.events);
            cut_pops += meter.iter().filter(|step| step.cut_pops()).count();
        }
    }
    assert!(characters.is_empty() || cut_pops > characters.len());
}

#[test]
fn every_character_ends_in_the_pose_of_its_state() {
    for model in &characters() {
        for (seed, interrupt) in (0..4).flat_map(|seed| Interrupt::ALL.map(|interrupt| (seed, interrupt))) {
            let mut scenario = random_scenario(model, interrupt, seed);
            let last = scenario.events[6].time;
            scenario.events.push(Event { time: last + 0.1, action: Action::End, ..Event::default() });
            scenario.events.push(Event { time: last + 0.15, action: Action::Stand, ..Event::default() });
            let stand = scenario.stand.clone();
            let built = build_on(model, Settings::Scenario(scenario));
            for joint in 0..model.skeleton.len() {
                let shares = built.shares(last + 1.0, joint);
                assert!(shares.iter().all(|share| share.from == stand), "{} {seed} {joint}: {shares:?}", model.name);
            }
        }
    }
}

#[test]
fn one_source_is_bit_equal_and_siblings_may_be_swapped_on_every_character() {
    for model in &characters() {
        let [first, second, _] = three(model);
        let leaf = |clip: &str| NodeKind::Source(Source { clip: clip.into(), ..Source::default() });
        let tree = |weights: [f32; 2], clips: [&str; 2]| {
            let mut tree = Tree::default();
            let children = clips.map(|clip| tree.add(clip, leaf(clip)));
            let link = |i: usize| Link { child: children[i], weight: weights[i], ..Link::default() };
            tree.root = tree.add("Mix", NodeKind::Blend(vec![link(0), link(1)]));
            build_on(model, Settings::Tree(tree))
        };
        let alone = model.clip(first).unwrap();
        let (single, mixed) = (tree([0.4, 0.0], [first, second]), tree([0.3, 0.7], [first, second]));
        let (swapped, scaled) = (tree([0.7, 0.3], [second, first]), tree([300.0, 700.0], [first, second]));
        for i in 0..10 {
            let time = alone.duration * f64::from(i) / 11.0;
            assert_eq!(pose(&single, time), alone.pose_at(&model.skeleton, time), "{} {time}", model.name);
            let [mixed, swapped, scaled] = [&mixed, &swapped, &scaled].map(|built| pose(built, time));
            for (joint, local) in mixed.locals.iter().enumerate() {
                let is_close = |other: &Pose| angle_between(local.rotation, other.locals[joint].rotation) < 4e-6;
                assert!(is_close(&scaled), "{} joint {joint} at {time}", model.name);
                // At half a turn apart no arc is shorter than the other.
                let other_pose = model.clip(second).unwrap().pose_at(
                    &model.skeleton,
                    fades::clock::local_time(time, model.clip(second).unwrap().duration, true),
                );
                let sides =
                    alone.pose_at(&model.skeleton, time).locals[joint].rotation.dot(other_pose.locals[joint].rotation);
                assert!(is_close(&swapped) || sides.abs() < 1e-3, "{} joint {joint} at {time}", model.name);
            }
        }
    }
}

#[test]
fn transitions_end_on_the_target_clip_and_casts_do_not_affect_running_legs_on_every_character() {
    // A single clip keeps playing, so it has no transition to test.
    for model in characters().iter().filter(|model| three(model)[0] != three(model)[1]) {
        let scenario = |events: &[(f64, Action)], trans_time: f64| {
            let event = |&(time, action): &(f64, Action)| Event { time, action, trans_time, ..Event::default() };
            let mut scenario = random_scenario(model, Interrupt::Captured, 0);
            scenario.events = events.iter().map(event).collect();
            build_on(model, Settings::Scenario(scenario))
        };
        let stand = scenario(&[(0.3, Action::Stand)], 0.2);
        let [faded, cut] = [0.2, 0.0].map(|time| scenario(&[(0.0, Action::Run), (0.3, Action::Stand)], time));
        for time in [0.5, 0.8, 1.3] {
            assert_eq!(pose(&faded, time), pose(&stand, time), "{} {time}", model.name);
        }
        assert_eq!(pose(&cut, 0.3), pose(&stand, 0.3), "{}", model.name);
        let (run, cast) =
            (scenario(&[(0.0, Action::Run)], 0.2), [(0.0, Action::Run), (0.2, Action::Cast), (0.9, Action::End)]);
        let cast = scenario(&cast, 0.2);
        let roles = Roles::find(&model.skeleton, &model.clips);
        let upper = upper_body(model).resolve(&model.skeleton, &roles).unwrap().weights;
        for frame in 0..40 {
            let (plain, casting) = (pose(&run, f64::from(frame) / FPS), pose(&cast, f64::from(frame) / FPS));
            let lower = (0..upper.len()).filter(|&joint| upper[joint] == 0.0);
            for joint in lower {
                assert_eq!(plain.locals[joint], casting.locals[joint], "{} {joint} at {frame}", model.name);
            }
        }
    }
}

/// Returns the first clip whose name contains one of `words`.
fn clip_like<'a>(model: &'a Model, words: &[&str]) -> Option<&'a Clip> {
    let is_like = |clip: &&Clip| words.iter().any(|word| clip.name.to_lowercase().contains(word));
    model.clips.iter().filter(|clip| clip.duration > 0.0).find(is_like)
}

#[test]
fn a_cast_of_the_upper_body_moves_no_leg_of_an_animal_that_runs() {
    let mut animals = 0;
    for model in &characters() {
        let roles = Roles::find(&model.skeleton, &model.clips);
        let run = clip_like(model, &["run", "gallop", "walk"]);
        let skills = ["attack", "idle", "eat", "survey", "death", "stand"].map(|word| clip_like(model, &[word]));
        let Some(run) = run.filter(|_| roles.legs.len() > 2) else { continue };
        animals += 1;
        for skill in skills.into_iter().flatten() {
            let scenario = |casts: bool| {
                let cast = Event { time: 0.2, action: Action::Cast, ..Event::default() };
                build_on(
                    model,
                    Settings::Scenario(Scenario {
                        run: run.name.clone(),
                        stand: run.name.clone(),
                        skill: skill.name.clone(),
                        skill_holds: true,
                        upper: MaskChoice::from_region(Region::UpperBody),
                        events: std::iter::once(Event::default()).chain(casts.then_some(cast)).collect(),
                        ..Scenario::default()
                    }),
                )
            };
            let [running, casting] = [false, true].map(scenario);
            let head = roles.head.unwrap();
            let (mut moved, mut head_turn) = (0.0_f64, 0.0_f64);
            for frame in 0..45 {
                let [before, after] = [&running, &casting].map(|built| pose(built, f64::from(frame) / FPS));
                for leg in &roles.legs {
                    for joint in [leg.thigh, leg.shin, leg.foot, leg.toe.unwrap_or(leg.foot)] {
                        let at = |pose: &Pose| pose.world_from_joint(&model.skeleton, joint).translation;
                        moved = moved.max(at(&before).distance(at(&after)));
                    }
                }
                let turn =
                    |pose: &Pose| portamento_anim::root_motion::turn_of(&pose.world_from_joint(&model.skeleton, head));
                head_turn = head_turn.max(turn(&before).angle_between(turn(&after)));
            }
            let size = portamento_anim::root_motion::rig_size(&model.skeleton);
            assert!(moved < 1e-5 * size, "{}, {}: a leg moves by {moved}", model.name, skill.name);
            assert!(head_turn > 0.01, "{}, {}: the cast turns no head", model.name, skill.name);
        }
    }
    assert!(animals == 0 || animals >= 4, "{animals}");
}

#[test]
fn a_joint_missing_in_a_clip_follows_its_sibling_on_every_character() {
    for model in &characters() {
        let [first, second, _] = three(model).map(str::to_owned);
        let moved = |clip: &Clip, joint: usize| !clip.tracks[joint].is_empty();
        let Some(joint) = (0..model.skeleton.len()).find(|&joint| moved(model.clip(&first).unwrap(), joint)) else {
            continue;
        };
        if first == second {
            continue;
        }
        let mut model = model.clone();
        model
            .clips
            .iter_mut()
            .filter(|clip| clip.name == second)
            .for_each(|clip| clip.tracks[joint] = JointTracks::default());
        let mut tree = Tree::default();
        let leaf = |clip: &str| NodeKind::Source(Source { clip: clip.into(), ..Source::default() });
        let children = [&first, &second].map(|clip| tree.add(clip, leaf(clip)));
        let link = |child: usize| Link { child, ..Link::default() };
        tree.root = tree.add("Mix", NodeKind::Blend(children.map(link).to_vec()));
        let (mixed, alone) = (build_on(&model, Settings::Tree(tree)), model.clip(&first).unwrap());
        for i in 0..5 {
            let time = alone.duration * f64::from(i) / 5.0;
            let expected = alone.pose_at(&model.skeleton, time).locals[joint];
            assert_eq!(pose(&mixed, time).locals[joint], expected, "{} {joint} at {time}", model.name);
        }
    }
}

#[test]
fn invalid_weights_and_cycles_are_refused_by_name_on_every_character() {
    for model in &characters() {
        let [first, second, _] = three(model);
        let leaf = |clip: &str| NodeKind::Source(Source { clip: clip.into(), ..Source::default() });
        let refused = |damage: &dyn Fn(&mut Vec<Link>)| {
            let mut tree = Tree::default();
            let children = [("A", first), ("B", second)].map(|(name, clip)| tree.add(name, leaf(clip)));
            let mut links = children.map(|child| Link { child, ..Link::default() }).to_vec();
            damage(&mut links);
            tree.root = tree.add("Mix", NodeKind::Blend(links));
            try_build_on(model, Settings::Tree(tree)).err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert_eq!(refused(&|_| ()), "", "{}", model.name);
        for weight in [-1.0, f32::NAN, f32::INFINITY] {
            assert!(refused(&|links| links[1].weight = weight).contains("\"B\""), "{} {weight}", model.name);
            let joint = model.skeleton.joints[model.skeleton.len() - 1].name.clone();
            let mask = MaskChoice { overrides: vec![(joint, weight)], ..MaskChoice::default() };
            assert!(refused(&|links| links[1].mask = mask.clone()).contains("\"B\""), "{} {weight}", model.name);
        }
        // Makes the blend its own child.
        assert!(refused(&|links| links[1].child = 2).contains("\"Mix\""), "{}", model.name);
    }
}
