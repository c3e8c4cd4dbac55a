//! Tests of blends as takes: contributions, measurements and warnings.

use super::*;
use crate::document::take::Blend;
use portamento_anim::{MaskChoice, Region};
use portamento_blend::{
    Action, Event, Link, Node, NodeKind, Scenario, Settings, Source, StateEvent, StateWeight, Tree,
};
use portamento_stretch::trim;

/// The file of a character who runs, stands and casts.
const FIGHTER: FileId = FileId(30);

/// Returns a clip in which joints rotate about X by `reach` (radians) times a sine with period `seconds`.
fn turning(name: &str, seconds: f64, reaches: &[(usize, f32)]) -> Clip {
    let frames = (seconds * 30.0).round() as usize;
    let times: Vec<f32> = (0..=frames).map(|frame| frame as f32 / 30.0).collect();
    let mut clip = Clip { duration: f64::from(times[frames]), ..still(name) };
    for &(joint, reach) in reaches {
        let turn = |frame: usize| (frame as f32 / frames as f32 * std::f32::consts::TAU).sin() * reach;
        let turns = (0..=frames).map(|frame| Quat::from_rotation_x(turn(frame))).collect();
        clip.tracks[joint].rotation = Some(Curve::linear(times.clone(), turns));
    }
    clip
}

/// Returns clips: run with legs and hair, stand with hair, cast with the full body.
fn fighter() -> Vec<Clip> {
    vec![
        turning("run", 0.6, &[(2, 0.6), (5, -0.6), (8, 0.2)]),
        turning("stand", 2.0, &[(8, 0.1)]),
        turning("cast", 1.0, &[(2, 1.0), (5, 1.0), (8, 1.2)]),
    ]
}

fn workshop() -> Workshop {
    let mut workshop = Workshop::new();
    workshop.open(FIGHTER, Loaded { model: model("fighter", hero(), fighter()), ..Loaded::default() });
    workshop
}

fn event(time: f64, action: Action) -> Event {
    Event { time, action, ..Event::default() }
}

/// Returns the take of these events; the upper body is the hair.
fn acting(events: Vec<Event>) -> Take {
    let [run, stand, skill] = ["run", "stand", "cast"].map(String::from);
    let upper = MaskChoice { from: Some("hair".into()), ..MaskChoice::from_region(Region::UpperBody) };
    let scenario = Scenario { run, stand, skill, upper, events, ..Scenario::default() };
    blended(Settings::Scenario(scenario))
}

fn blended(settings: Settings) -> Take {
    let source = TakeSource::Scenario(Box::new(Blend { settings, ..Blend::default() }));
    Take { character: FIGHTER, ..take(source, vec![]) }
}

/// Returns a blend node over one source for each of `clips`.
fn mixing(clips: &[&str]) -> Tree {
    let mut tree = Tree::default();
    let mut link = |clip: &&str| {
        let source = Source { clip: (*clip).into(), looping: true, ..Source::default() };
        Link { child: tree.add(clip, NodeKind::Source(source)), ..Link::default() }
    };
    let links = clips.iter().map(&mut link).collect();
    tree.root = tree.add("mix", NodeKind::Blend(links));
    tree
}

#[test]
fn the_standard_tree_converted_to_a_graph_gives_the_same_bytes() {
    let events =
        vec![event(0.0, Action::Run), event(0.5, Action::Cast), event(1.1, Action::Stop), event(1.5, Action::End)];
    let take = acting(events);
    let Settings::Scenario(scenario) = &take.blend().unwrap().settings else { panic!("a scenario") };
    let node = Node { name: "Standard".into(), kind: NodeKind::Standard(Box::new(scenario.clone())) };
    let tree = blended(Settings::Tree(Tree { nodes: vec![node], ..Tree::default() }));
    let (standard, own) = (workshop().build(&take).unwrap(), workshop().build(&tree).unwrap());
    assert_eq!((&standard.clip, &standard.events, standard.root), (&own.clip, &own.events, own.root));
    let [a, b] = [&standard, &own].map(|built| built.blended.as_ref().unwrap());
    assert_eq!((&a.weights, &a.foot_downs), (&b.weights, &b.foot_downs));
    let [a, b] = [a, b].map(|blended| blended.measured(&Progress::new()).unwrap());
    assert_eq!((&a.steps, &a.legs), (&b.steps, &b.legs));
}

#[test]
fn a_running_cast_does_not_change_the_legs_and_only_cuts_pop() {
    let events = vec![event(0.0, Action::Run), event(0.5, Action::Cast), event(1.5, Action::End)];
    let built = workshop().build(&acting(events)).unwrap();
    let blended = built.blended.as_ref().unwrap();
    // A second after the last event; the skill has weight in the frames after 0.5 s and before 1.7 s.
    assert_eq!((blended.length, blended.fps, built.clip_name.as_str()), (2.5, 30.0, "run, stand, cast"));
    assert!(blended.figures().is_none(), "a build only compiles the blend that plays");
    let figures = blended.measured(&Progress::new()).unwrap();
    assert!(std::ptr::eq(figures, blended.figures().unwrap()));
    assert_eq!((figures.legs.joints, figures.legs.frames), (6, 35));
    assert_eq!((figures.legs.different, figures.legs.largest_turn), (0, 0.0));
    assert_eq!((figures.pops(), blended.faults.len(), blended.weights.len()), (0, 0, 76));
    assert!(figures.cut_pops() > 0 && figures.largest_step() > 0.0);
    let report = &built.report()["blend"];
    assert_eq!((report["frames"].as_u64(), report["pop_count"].as_u64()), (Some(76), Some(0)));
    assert_eq!(report["hard_cut_pop_count"].as_u64(), Some(figures.cut_pops() as u64));
    let nearest = figures.nearest_to_a_pop().unwrap();
    assert!(figures.steps.iter().all(|step| step.step - step.bound <= nearest.step - nearest.bound));
    assert_eq!(report["nearest_to_a_pop"]["bound_radians"].as_f64(), Some(nearest.bound));
    let at = |time: f64| blended.built.weights(time).unwrap();
    assert_eq!((at(0.4).skill_on_upper, at(1.0).skill_on_upper, at(2.0).skill_on_upper), (0.0, 1.0, 0.0));
    assert_eq!((at(1.0).whole_on_upper, at(1.0).whole_on_lower), (0.0, 1.0));
}

#[test]
fn a_standing_cast_includes_the_legs() {
    let events = vec![event(0.0, Action::Stand), event(0.5, Action::Cast)];
    let built = workshop().build(&acting(events)).unwrap();
    let legs = built.blended.as_ref().unwrap().measured(&Progress::new()).unwrap().legs;
    assert_eq!((legs.frames, legs.different), (0, 0));
    // The transition has ended, so at the seventh frame of the cast the thigh is in the pose of the skill.
    let thigh = built.clip.pose_at(&hero(), 22.0 / 30.0).locals[2].rotation;
    let wanted = Quat::from_rotation_x((7.0 / 30.0 * std::f32::consts::TAU).sin());
    assert!(thigh.angle_between(wanted) < 1e-3, "{thigh}");
}

#[test]
fn a_blend_lasts_a_second_longer_than_its_events_or_as_long_as_its_longest_clip() {
    let mut workshop = workshop();
    let mut length = |take: Take| workshop.build(&take).unwrap().blended.as_ref().unwrap().length;
    assert_eq!(length(acting(vec![])), 1.0);
    assert_eq!(length(acting(vec![event(0.7, Action::Stand), event(0.2, Action::Run)])), 1.7);
    // The skill of 1 s ends the cast at 1.7 s.
    let cast = length(acting(vec![event(0.7, Action::Cast), event(0.2, Action::Run)]));
    assert!((cast - 2.7).abs() < 1e-9, "{cast}");
    assert_eq!(length(blended(Settings::Tree(mixing(&["run", "stand", "cast"])))), 2.0);
    let mut with_unused = mixing(&["run"]);
    with_unused.add("left over", NodeKind::Source(Source { clip: "stand".into(), ..Source::default() }));
    let run = length(blended(Settings::Tree(mixing(&["run"]))));
    assert_eq!(length(blended(Settings::Tree(with_unused))), run, "an unused node does not extend the blend");
    let TakeSource::Scenario(mut own) = acting(vec![event(3.0, Action::Run)]).source else { panic!("a blend") };
    own.length = Some(0.5);
    assert_eq!(length(Take { character: FIGHTER, ..take(TakeSource::Scenario(own), vec![]) }), 0.5);
}

#[test]
fn three_distant_inputs_are_reported_once_and_two_are_not() {
    let mut clips = fighter();
    // Distant: more than half a turn between run and cast.
    clips.push(turning("spin", 0.6, &[(8, 3.0)]));
    let mut workshop = Workshop::new();
    workshop.open(FIGHTER, Loaded { model: model("fighter", hero(), clips), ..Loaded::default() });
    let mut warnings = |clips: &[&str]| {
        let built = workshop.build(&blended(Settings::Tree(mixing(clips)))).unwrap();
        built.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let three = warnings(&["run", "cast", "spin"]);
    assert!(three.len() == 1 && three[0].contains("“mix”") && three[0].contains("hair differs by"), "{three:?}");
    assert_eq!(warnings(&["run", "spin"]), Vec::<String>::new());
}

#[test]
fn a_blend_finds_clips_in_other_files_and_changes_with_them() {
    let mut workshop = workshop();
    let with_files = |files: Vec<FileId>| {
        let settings = Settings::Tree(mixing(&["run", "wave"]));
        let source = TakeSource::Scenario(Box::new(Blend { settings, files, ..Blend::default() }));
        Take { character: FIGHTER, ..take(source, vec![]) }
    };
    let alone = workshop.build(&with_files(vec![])).unwrap();
    assert_eq!(alone.blended.as_ref().unwrap().faults.len(), 1);
    let both = workshop.build(&with_files(vec![COUSIN])).unwrap();
    assert!(both.blended.as_ref().unwrap().faults.is_empty() && both.clip.tracks[1].rotation.is_some());
    assert!(both.warnings[0].to_string().ends_with("were ignored: tail."), "{}", both.warnings[0]);
    // The run has no track for the hips, so the quarter radian that they rotate in half a second comes from the wave.
    let hips = both.clip.pose_at(&hero(), 0.5).locals[1].rotation;
    assert!(hips.angle_between(Quat::from_rotation_x(0.25)) < 1e-3, "{hips}");
    workshop.library.insert(COUSIN, Asset::new(Loaded { model: cousin(), ..Loaded::default() }));
    assert!(!Arc::ptr_eq(&both, &workshop.build(&with_files(vec![COUSIN])).unwrap()));
    let nothing = with_files(vec![STRANGER, FileId(99)]);
    assert!(workshop.refusal(&nothing).starts_with("the file of “result” is not loaded."));
}

#[test]
fn a_travelling_blend_has_root_motion_and_a_swaying_one_has_none() {
    let moving = |name: &str, metres: f32| {
        let mut clip = turning(name, 1.0, &[(8, 0.1)]);
        clip.tracks[0].translation = Some(Curve::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::Z * metres]));
        clip
    };
    let mut workshop = Workshop::new();
    let mut sway = turning("sway", 1.0, &[(8, 0.1)]);
    sway.tracks[1].translation =
        Some(Curve::linear(vec![0.0, 0.5, 1.0], [0.0, 0.02, 0.0].map(|x| Vec3::new(x, 1.0, 0.0)).into()));
    let clips = vec![moving("go", 1.0), moving("drift", 0.01), moving("still", 0.0), sway];
    workshop.open(FIGHTER, Loaded { model: model("fighter", hero(), clips), ..Loaded::default() });
    let mut end = |names: &[&str], seconds: f64| {
        let settings = Settings::Tree(mixing(names));
        let source = TakeSource::Scenario(Box::new(Blend { settings, length: Some(seconds), ..Blend::default() }));
        let built = workshop.build(&Take { character: FIGHTER, ..take(source, vec![]) }).unwrap();
        built.clip.pose_at(&hero(), seconds).locals[0].translation.z
    };
    // Looped three times: travel accumulates, but drift below a fiftieth of the figure restarts.
    assert!((end(&["go"], 3.0) - 3.0).abs() < 1e-3, "{}", end(&["go"], 3.0));
    assert!((end(&["go", "still"], 3.0) - 1.5).abs() < 1e-3, "{}", end(&["go", "still"], 3.0));
    assert!(end(&["drift"], 2.5).abs() < 0.011, "{}", end(&["drift"], 2.5));
    // The first clip does not travel, and its root would be the hips.
    assert!((end(&["sway", "go"], 3.0) - 3.0).abs() < 1e-3, "{}", end(&["sway", "go"], 3.0));
}

#[test]
fn state_events_are_reported_and_mapped_through_later_stages() {
    let mut tree = mixing(&["run", "cast"]);
    tree.add_state("act");
    let root = tree.root;
    let NodeKind::Blend(links) = &mut tree.nodes[root].kind else { panic!("a blend") };
    links[1].weight = 0.0;
    links[1].in_states = vec![StateWeight { state: "act".into(), weight: 3.0 }];
    tree.events = vec![StateEvent { time: 1.5, state: "act".into(), ..StateEvent::default() }];
    let mut take = blended(Settings::Tree(tree));
    let uncut = workshop().build(&take).unwrap();
    // A second after the last event; only the run before it.
    assert_eq!(uncut.clip.duration, 2.5);
    let run = fighter()[0].pose_at(&hero(), 0.3);
    let shown = uncut.clip.pose_at(&hero(), 1.2 + 0.3 - 0.6);
    assert!((0..9).all(|joint| shown.locals[joint].rotation.angle_between(run.locals[joint].rotation) < 2e-3));
    let wire = |time| uncut.blended.as_ref().unwrap().built.wires(Some(8), time)[1].share;
    assert_eq!((wire(1.0), wire(2.0)), (0.0, 0.75));
    take.stages = Stage::numbered(vec![StageKind::Trim(Box::new(trim::Settings { from: 0.5, to: Some(2.0) }))]);
    let cut = workshop().build(&take).unwrap();
    let events: Vec<_> = cut.events.iter().map(|event| (event.time, event.action, event.state.as_deref())).collect();
    assert_eq!(events, [(1.0, Action::Go, Some("act"))]);
    assert_eq!(cut.report()["events"][0]["state"], "act");
}

#[test]
fn a_fade_between_clips_of_different_facing_warns_of_a_spin() {
    let mut away = still("stand");
    away.tracks[1].rotation = Some(Curve::linear(vec![0.0, 1.0], vec![Quat::from_rotation_y(2.4); 2]));
    let mut workshop = workshop();
    let clips = vec![turning("run", 0.6, &[(2, 0.6), (5, -0.6)]), away, turning("cast", 1.0, &[(8, 1.2)])];
    workshop.open(FIGHTER, Loaded { model: model("fighter", hero(), clips), ..Loaded::default() });
    let mut warnings = |trans_time: f64| {
        let stop = Event { trans_time, ..event(0.3, Action::Stop) };
        let built = workshop.build(&acting(vec![event(0.0, Action::Run), stop])).unwrap();
        let spins = built.warnings.iter().map(ToString::to_string).filter(|warning| warning.contains("spins"));
        spins.collect::<Vec<_>>()
    };
    let found = warnings(0.2);
    let hips = &hero().joints[1].name;
    assert!(found.len() == 1 && found[0].contains(&**hips) && found[0].contains("event at 0.30 s"), "{found:?}");
    // The proposed length avoids the warning.
    let enough = found[0].split("to about ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert_eq!(warnings(enough.parse::<f64>().unwrap() + 0.01), Vec::<String>::new(), "{found:?}");
}
