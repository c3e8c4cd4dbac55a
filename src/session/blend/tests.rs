//! Blends in a session: proposals, errors and clips of other files.

mod guests;

use super::*;
use crate::command::tree::{NewNode, TreeCommand};
use crate::{Command, EditCommand, ExportRequest, FileCommand};
use portamento_anim::{MaskChoice, Pose};
use portamento_blend::{LayerSettings, Link, NodeKind, Source, Tree};
use portamento_takes::document::stage::Layer;
use portamento_takes::document::{Stage, StageKind};

fn with_hero(check: impl FnOnce(&mut Session)) {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.path().join("hero.glb")])));
    check(&mut session);
}

#[test]
fn run_stand_and_skill_clips_are_recognised_by_name() {
    with_hero(|session| {
        session.perform(Command::Edit(EditCommand::AddScenario { character: None, with: None }));
        session.update(0.0, true);
        let take = session.shown_take().unwrap();
        let wanted = Proposal { run: "run".into(), stand: "idle".into(), skill: "cast".into() };
        assert_eq!(take.blend().unwrap().clip_names(), [&*wanted.run, &wanted.stand, &wanted.skill]);
        assert_eq!(session.evaluation.failure(), None);
        assert!(session.frame().unwrap().built.as_ref().unwrap().blended.is_some());
    });
}

#[test]
fn a_blend_is_measured_on_request_as_soon_as_nothing_is_dragged() {
    with_hero(|session| {
        session.perform(Command::Edit(EditCommand::AddScenario { character: None, with: None }));
        let mut is_measured = |is_wanted: bool, calm: bool| {
            if is_wanted {
                session.evaluation.want_figures();
            }
            session.update(0.0, calm);
            session.frame().unwrap().built.as_ref().unwrap().blended.as_ref().unwrap().figures().is_some()
        };
        assert_eq!(
            [(false, true), (true, false), (true, true)].map(|(is_wanted, calm)| is_measured(is_wanted, calm)),
            [false, false, true]
        );
    });
}

#[test]
fn without_matching_names_the_fastest_runs_and_the_slowest_stands() {
    with_hero(|session| {
        let mut model = session.library.get(session.document.files[0].id).unwrap().model.clone();
        model.clips.retain(|clip| ["run", "walk", "idle"].contains(&&*clip.name));
        model.clips.iter_mut().enumerate().for_each(|(i, clip)| clip.name = format!("{i} {}", clip.name.len()));
        let roles = session.document.characters[0].roles.clone();
        let speeds: Vec<f64> = model.clips.iter().map(|clip| speed(&model, clip, &roles)).collect();
        let at = |wanted: &str| speeds[model.clips.iter().position(|clip| clip.name == wanted).unwrap()];
        let proposal = propose(&model, &roles, 1.0);
        assert_eq!(at(&proposal.run), speeds.iter().copied().fold(0.0, f64::max));
        assert_eq!(at(&proposal.stand), speeds.iter().copied().fold(f64::MAX, f64::min));
    });
}

#[test]
fn a_clip_takes_the_part_that_its_name_suggests() {
    let mut proposal = Proposal::default();
    for (clip, part) in [("Jog_Fwd", 0), ("Idle_01", 1), ("leap_strike", 2), ("wave", 2)] {
        *part_for(&mut proposal, clip) = clip.into();
        assert_eq!([&proposal.run, &proposal.stand, &proposal.skill][part], clip);
    }
}

/// Opens the sample character with a blend whose settings are `make` applied to the proposal, and shows it.
fn with_settings(make: impl FnOnce(Scenario) -> Settings, check: impl FnOnce(&mut Session, &str)) {
    with_hero(|session| {
        session.perform(Command::Edit(EditCommand::AddScenario { character: None, with: None }));
        let take = &mut session.document.takes[0];
        let blend = take.blend_mut().unwrap();
        let Settings::Scenario(scenario) = blend.settings.clone() else { panic!("no scenario") };
        blend.settings = make(scenario);
        session.update(0.0, true);
        let failure = session.evaluation.failure().map(ToString::to_string).unwrap_or_default();
        check(session, &failure);
    });
}

/// Returns a tree with run and stand in equal parts and a third connection that tests can damage. Nodes: A, B, C and
/// Mix.
fn tree_of_three(third: impl FnOnce(&mut Link, &mut Tree)) -> Tree {
    let mut tree = Tree::default();
    let leaf = |clip: &str| NodeKind::Source(Source { clip: clip.into(), ..Source::default() });
    let mut links: Vec<Link> = Vec::new();
    for (name, clip) in [("A", "run"), ("B", "idle"), ("C", "cast")] {
        links.push(Link { child: tree.add(name, leaf(clip)), ..Link::default() });
    }
    third(&mut links[2], &mut tree);
    tree.root = tree.add("Mix", NodeKind::Blend(links));
    tree
}

fn pose_of(session: &mut Session, settings: Settings) -> Pose {
    session.document.takes[0].blend_mut().unwrap().settings = settings;
    session.playback.time = 0.3;
    session.update(0.0, true);
    session.frame().unwrap().pose.clone()
}

#[test]
fn a_faulty_node_is_reported_by_name_while_the_rest_plays() {
    let no_joint = MaskChoice { overrides: vec![("no such joint".into(), 1.0)], ..MaskChoice::default() };
    type Spoil = Box<dyn FnOnce(&mut Link, &mut Tree)>;
    let faults: [(&str, Spoil); 7] = [
        ("\"Mix\"", Box::new(|link, _| link.child = 3)),
        ("\"Mix\"", Box::new(|link, _| link.child = 77)),
        ("\"C\"", Box::new(|_, tree| tree.nodes[2].kind = NodeKind::Source(Source::default()))),
        ("\"C\"", Box::new(|link, _| link.weight = -1.0)),
        ("\"C\"", Box::new(|link, _| link.weight = f32::NAN)),
        ("\"C\"", Box::new(move |link, _| link.mask = no_joint)),
        (
            "\"C\"",
            Box::new(|_, tree| {
                tree.nodes[2].kind =
                    NodeKind::Source(Source { clip: "cast".into(), speed: f64::INFINITY, ..Source::default() });
            }),
        ),
    ];
    for (named, spoil) in faults {
        let spoilt = tree_of_three(spoil);
        with_settings(
            |_| Settings::Tree(spoilt.clone()),
            |session, failure| {
                assert!(failure.contains(named), "{failure}");
                let shown = pose_of(session, Settings::Tree(spoilt.clone()));
                assert_eq!(shown, pose_of(session, Settings::Tree(tree_of_three(|link, _| link.muted = true))));
                assert_eq!(session.evaluation.failure(), None);
            },
        );
    }
}

#[test]
fn a_faulty_blend_is_not_exported_and_shows_the_rest_pose() {
    let spoilt = tree_of_three(|link, _| link.weight = -1.0);
    with_settings(
        |_| Settings::Tree(spoilt),
        |session, _| {
            let folder = tempfile::tempdir().unwrap();
            let destination = folder.path().join("out.glb");
            let request = ExportRequest {
                takes: vec![session.document.takes[0].id],
                destination: destination.clone(),
                ..ExportRequest::default()
            };
            session.perform(Command::File(FileCommand::Export(request)));
            assert!(!destination.exists());
            assert!(session.notices.all().iter().any(|notice| notice.text().contains("\"C\"")));
        },
    );
    let lost = Tree { root: 9, ..tree_of_three(|_, _| {}) };
    with_settings(
        |_| Settings::Tree(lost),
        |session, failure| {
            assert!(failure.contains("node number 9"), "{failure}");
            let frame = session.frame().unwrap();
            assert_eq!(frame.pose, Pose::rest(&frame.character.model.skeleton));
        },
    );
}

#[test]
fn a_project_with_a_faulty_blend_opens_and_plays_the_valid_parts() {
    let circle = tree_of_three(|link, _| link.child = 3);
    with_settings(
        |_| Settings::Tree(circle),
        |session, _| {
            let path = session.document.files[0].path.with_file_name("spoilt.portamento");
            session.perform(Command::File(FileCommand::SaveAs(path.clone())));
            let mut other = Session::inline();
            other.perform(Command::File(FileCommand::Open(vec![path])));
            other.selection.show(Shown::Take(other.document.takes[0].id));
            other.update(0.0, true);
            let failure = other.evaluation.failure().map(ToString::to_string).unwrap_or_default();
            assert!(failure.contains("\"Mix\""), "{failure}");
            assert!(other.frame().unwrap().built.is_some());
        },
    );
}

#[test]
fn faulty_events_are_ignored_and_the_others_happen() {
    let spoil = |mut scenario: Scenario| {
        let event = |time: f64, action, clip: Option<&str>| Event {
            time,
            action,
            clip: clip.map(Into::into),
            ..Event::default()
        };
        let events = [
            event(0.3, Action::Stand, Some("fly")),
            event(f64::NAN, Action::Stop, None),
            event(-1.0, Action::End, None),
        ];
        scenario.events.extend(events);
        scenario.upper.from = Some("wing".into());
        Settings::Scenario(scenario)
    };
    with_settings(spoil, |session, failure| {
        for says in ["\"fly\"", "\"stop\" is NaN", "\"end\" is -1", "\"wing\""] {
            assert!(failure.contains(says), "{says}: {failure}");
        }
        let shown = session.frame().unwrap().clone();
        let built = shown.built.unwrap();
        assert_eq!(built.blended.as_ref().unwrap().faults.len(), 4);
        assert_eq!(built.blend().unwrap().weights(0.5).unwrap().cur_ani, 1.0);
    });
}

#[test]
fn blending_three_distant_poses_warns_with_the_node_name() {
    let far = |session: &mut Session| {
        let built = session.frame().unwrap().built.clone().unwrap();
        built.warnings.iter().filter(|warning| warning.to_string().contains("“Mix”")).count()
    };
    with_settings(
        |_| Settings::Tree(tree_of_three(|_, _| {})),
        |session, _| {
            let found = session.frame().unwrap().built.clone().unwrap();
            let frames = (0..60).map(|frame| f64::from(frame) / 30.0);
            let disagree = frames.flat_map(|time| found.blend().unwrap().disagreements(time)).count();
            assert_eq!(far(session) > 0, disagree > 0);
        },
    );
    with_settings(
        |_| Settings::Tree(tree_of_three(|link, _| link.muted = true)),
        |session, _| assert_eq!(far(session), 0),
    );
}

#[test]
fn commands_convert_a_tree_with_its_events_and_add_nodes_and_can_be_undone() {
    with_hero(|session| {
        let tree = |session: &mut Session, command: TreeCommand| {
            session.perform(Command::Edit(EditCommand::Tree(command)));
            session.update(1.0 / 60.0, true);
        };
        let before = session.document.clone();
        tree(session, TreeCommand::Free);
        assert_eq!(session.document, before, "there is no blend to change");
        session.perform(Command::Edit(EditCommand::AddScenario { character: None, with: None }));
        session.update(1.0 / 60.0, true);
        let built = |session: &Session| session.frame().unwrap().built.clone().unwrap();
        let (driven, plain) = (session.document.clone(), built(session));
        tree(session, TreeCommand::Free);
        let nodes = |session: &Session| match &session.shown_take().unwrap().blend().unwrap().settings {
            Settings::Tree(tree) => tree.nodes.iter().map(|node| node.name.clone()).collect(),
            Settings::Scenario(_) => Vec::new(),
        };
        assert_eq!(nodes(session), ["Standard"]);
        assert_eq!(built(session).clip.tracks, plain.clip.tracks, "its events drive it as before");
        tree(session, TreeCommand::Add(NewNode::Space));
        assert_eq!(nodes(session), ["Standard", "Blend space"]);
        session.perform(Command::Edit(EditCommand::Undo));
        session.perform(Command::Edit(EditCommand::Undo));
        assert_eq!(session.document.takes, driven.takes);
        // Adding a node converts the tree first.
        tree(session, TreeCommand::Add(NewNode::Additive));
        assert_eq!(nodes(session), ["Standard", "Additive"]);
        assert_eq!(session.evaluation.failure(), None);
    });
}

#[test]
fn the_entry_of_a_layered_skill_is_its_nearest_frame() {
    with_hero(|session| {
        let file = session.document.files[0].id;
        // For the motion layered over itself, the nearest frame is the event's own time.
        let event = Event { time: 0.3, action: Action::Cast, ..Event::default() };
        let settings = LayerSettings { skill: "idle".into(), events: vec![event], ..LayerSettings::default() };
        let stages = Stage::numbered(vec![StageKind::Layer(Box::new(Layer { settings, ..Layer::default() }))]);
        let (id, stage) = (TakeId(900), stages[0].id);
        let source = TakeSource::Clip { file, clip: "idle".into() };
        session.document.takes.push(Take { id, name: "twice".into(), character: file, source, stages, loops: None });
        session.selection.show(Shown::Take(id));
        session.selection.stage = Some(stage);
        session.update(0.0, true);
        session.perform(Command::Edit(EditCommand::FindEntry(0)));
        let start = session.document.take(id).unwrap().events(Some(stage)).unwrap()[0].start;
        assert!((start - 0.3).abs() < 0.05, "{start} {:?}", session.notices.take_new());
    });
}
