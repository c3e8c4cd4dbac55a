//! Blends in the window: creation, dragging of events, conversion to a free tree, undo.

use egui::{Event as Input, PointerButton, Pos2, Rect};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use crate::dock::Panel;
use crate::tests::{App, app, in_window, tr};
use crate::timeline::lanes::NAMES;
use portamento_blend::{Action, Interrupt, NodeKind, Scenario, Settings, Tree};
use portamento_session::painting::PaintTarget;
use portamento_session::{Command, EditCommand, Shown};

pub(crate) fn with_blend(check: impl FnOnce(&mut Harness<'_, Option<App>>)) {
    in_window("en", |window| {
        app(window).perform(Command::Edit(EditCommand::AddScenario { character: None, with: None }));
        window.run_steps(4);
        check(window);
    });
}

fn settings(window: &mut Harness<'_, Option<App>>) -> Settings {
    let session = &app(window).session;
    let Shown::Take(id) = session.selection.shown else { panic!("no take is shown") };
    session.document.take(id).unwrap().blend().unwrap().settings.clone()
}

pub(crate) fn scenario(window: &mut Harness<'_, Option<App>>) -> Scenario {
    let Settings::Scenario(scenario) = settings(window) else { panic!("no scenario") };
    scenario
}

pub(crate) fn tree(window: &mut Harness<'_, Option<App>>) -> Tree {
    let Settings::Tree(tree) = settings(window) else { panic!("no tree") };
    tree
}

fn free(window: &mut Harness<'_, Option<App>>) {
    app(window).dock.show_panel(Panel::Graph);
    window.run_steps(4);
    window.get_by_label(&tr("graph.free")).click();
    window.run_steps(4);
}

pub(crate) fn take_apart(window: &mut Harness<'_, Option<App>>) {
    free(window);
    window.get_by_label(&tr("graph.take_apart")).click_accesskit();
    window.run_steps(4);
}

#[test]
fn a_free_tree_keeps_its_events_and_its_motion() {
    with_blend(|window| {
        let pose = |window: &mut Harness<'_, Option<App>>| {
            app(window).session.playback.time = 1.3;
            window.run_steps(3);
            let built = app(window).session.frame().unwrap().built.clone().unwrap();
            built.clip.clone()
        };
        let (before, played) = (scenario(window), pose(window));
        free(window);
        let tree = tree(window);
        assert!(matches!(&tree.nodes[tree.root].kind, NodeKind::Standard(scenario) if **scenario == before));
        assert_eq!(pose(window), played);
        app(window).dock.show_panel(Panel::Inspector);
        window.run_steps(3);
        assert!(window.query_by_label(&tr("section.events")).is_some());
    });
}

#[test]
fn a_blend_space_is_added_filled_and_undone() {
    with_blend(|window| {
        free(window);
        let before = tree(window);
        window.get_by_label_contains(&tr("graph.add")).click();
        window.run_steps(3);
        window.event(Input::Text(tr("graph.space")));
        window.run_steps(2);
        window.key_press(egui::Key::Enter);
        window.run_steps(6);
        for clip in ["walk", "run"] {
            window.get_by_label_contains(&tr("graph.space_add")).click_accesskit();
            window.run_steps(4);
            window.event(Input::Text(clip.into()));
            window.run_steps(3);
            window.key_press(egui::Key::Enter);
            window.run_steps(4);
        }
        let nodes = tree(window).nodes;
        let NodeKind::Space(space) = &nodes.last().unwrap().kind else { panic!("a blend space") };
        assert_eq!((space.samples[0].at, space.samples[1].at), ([0.0, 0.0], [1.0, 0.0]));
        assert_eq!([&space.samples[0].clip, &space.samples[1].clip], ["walk", "run"], "the chosen clips");
        assert!(window.query_by_label(&tr("graph.space_plot")).is_some());
        for _ in 0..3 {
            app(window).perform(Command::Edit(EditCommand::Undo));
            window.run_steps(3);
        }
        assert_eq!(tree(window), before);
    });
}

/// Returns the rectangle of the timeline's lanes and a function from time to x.
pub(crate) fn lanes(window: &mut Harness<'_, Option<App>>) -> (Rect, impl Fn(f64) -> f32 + use<>) {
    let duration = app(window).session.playback.duration;
    let word = tr("panel.timeline");
    let find = |node: &egui_kittest::Node<'_>| node.rect();
    let rect = window.query_all_by(|node| node.label().is_some_and(|label| label.starts_with(&format!("{word} 0"))));
    let rect = rect.map(|node| find(&node)).next().unwrap();
    let (left, right) = (rect.min.x + NAMES + 12.0, rect.max.x - 12.0);
    (rect, move |time: f64| left + (right - left) * (time / duration) as f32)
}

pub(crate) fn drag(window: &mut Harness<'_, Option<App>>, from: Pos2, to: Pos2) {
    let button = |pos, pressed| Input::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Default::default(),
    };
    window.event(Input::PointerMoved(from));
    window.event(button(from, true));
    window.run_steps(2);
    for i in 1..=4 {
        window.event(Input::PointerMoved(from + (to - from) * (i as f32 / 4.0)));
        window.run_steps(1);
    }
    window.event(button(to, false));
    window.run_steps(3);
}

#[test]
fn an_event_is_dragged_to_a_whole_frame_and_undone_in_one_step() {
    with_blend(|window| {
        let before = scenario(window);
        let (rect, x) = lanes(window);
        let y = rect.min.y + 24.0 + 11.0;
        drag(window, Pos2::new(x(0.8), y), Pos2::new(x(1.0) + 1.0, y));
        let dragged = scenario(window).events[1].time;
        let fps = app(window).session.playback.fps;
        assert!((dragged - 1.0).abs() < 1.5 / fps, "{dragged}");
        assert!(((dragged * fps).round() / fps - dragged).abs() < 1e-9, "{dragged}");
        app(window).perform(Command::Edit(EditCommand::Undo));
        window.run_steps(3);
        assert_eq!(scenario(window), before);
    });
}

#[test]
fn escape_restores_a_dragged_event() {
    with_blend(|window| {
        let before = scenario(window);
        let (rect, x) = lanes(window);
        let y = rect.min.y + 24.0 + 11.0;
        for (from, to) in [(0.8, 1.2), (1.0, 1.3)] {
            let button = |time: f64, pressed| Input::PointerButton {
                pos: Pos2::new(x(time), y),
                button: PointerButton::Primary,
                pressed,
                modifiers: Default::default(),
            };
            let time = app(window).session.playback.time;
            window.event(Input::PointerMoved(Pos2::new(x(from), y)));
            window.event(button(from, true));
            window.run_steps(2);
            window.event(Input::PointerMoved(Pos2::new(x(to), y)));
            window.run_steps(2);
            assert_ne!(scenario(window), before);
            window.key_press(egui::Key::Escape);
            window.run_steps(2);
            assert_eq!(scenario(window), before);
            window.event(Input::PointerMoved(Pos2::new(x(0.3), y)));
            window.run_steps(2);
            window.event(button(0.3, false));
            window.run_steps(3);
            assert_eq!((scenario(window), app(window).session.playback.time), (before.clone(), time));
        }
    });
}

#[test]
fn a_node_is_added_from_the_menu_by_typing_and_pasted_next_to_it() {
    with_blend(|window| {
        free(window);
        let count = tree(window).nodes.len();
        window.get_by_label_contains(&tr("graph.add")).click();
        window.run_steps(3);
        window.event(Input::Text("wal".into()));
        window.run_steps(2);
        window.key_press(egui::Key::Enter);
        window.run_steps(4);
        assert_eq!(tree(window).nodes.len(), count + 1);
        assert_eq!(tree(window).nodes[count].name, "walk");
        let Shown::Take(id) = app(window).session.selection.shown else { panic!("no take is shown") };
        let layout = app(window).session.document.take(id).unwrap().blend().unwrap().layout.clone();
        assert_eq!(layout.len(), count + 1);
        let lowest = layout[..count].iter().map(|node_position| node_position[1]).fold(f32::MIN, f32::max);
        assert!(layout[count][1] > lowest);
    });
}

#[test]
fn pasting_selects_the_copy_instead_of_the_original() {
    with_blend(|window| {
        take_apart(window);
        let before = tree(window);
        let part = before.extract(&[0]).tree;
        let copied = serde_json::json!({ "tree": part, "places": [[0.0, 0.0]] }).to_string();
        let middle = app(window).graph.room().center();
        window.event(Input::PointerMoved(middle));
        window.run_steps(2);
        for _ in 0..2 {
            window.event(Input::Paste(copied.clone()));
            window.run_steps(6);
        }
        assert_eq!(tree(window).nodes.len(), before.nodes.len() + 2);
        window.key_press(egui::Key::Delete);
        window.run_steps(4);
        assert_eq!(tree(window).nodes.len(), before.nodes.len() + 1, "one paste is selected");
        window.key_press(egui::Key::Delete);
        window.run_steps(4);
        assert_eq!(tree(window).nodes.len(), before.nodes.len() + 1, "nothing is selected any more");
    });
}

#[test]
fn a_stroke_that_starts_next_to_a_joint_does_not_orbit_the_camera() {
    with_blend(|window| {
        let turned = |window: &mut Harness<'_, Option<App>>| {
            let at = window.get_by_label(&tr("panel.viewport")).rect().center() + egui::vec2(120.0, -100.0);
            let before = app(window).viewport.camera.yaw;
            drag(window, at, at + egui::vec2(60.0, 0.0));
            app(window).viewport.camera.yaw != before
        };
        assert!(turned(window), "else the left button turns the camera");
        app(window).session.selection.painting.toggle(PaintTarget::JointWeights);
        window.run_steps(3);
        assert!(!turned(window));
    });
}

#[test]
fn what_an_interrupted_transition_does_is_chosen_in_the_panel() {
    with_blend(|window| {
        let combo = |word: &str| tr(&format!("interrupt.{word}"));
        window.get_by(|node| node.value().is_some_and(|value| value == combo("captured"))).click();
        window.run_steps(3);
        window.get_by_label(&combo("inertial")).click();
        window.run_steps(3);
        assert_eq!(scenario(window).interrupt, Interrupt::Inertial);
    });
}

#[test]
fn the_end_of_a_transition_is_dragged() {
    with_blend(|window| {
        let (rect, x) = lanes(window);
        let y = rect.min.y + 24.0 + 11.0;
        drag(window, Pos2::new(x(1.0), y), Pos2::new(x(1.2), y));
        let event = scenario(window).events[1].clone();
        assert_eq!(event.action, Action::Cast);
        assert!((event.time - 0.8).abs() < 1e-9 && (event.trans_time - 0.4).abs() < 0.05, "{event:?}");
    });
}

#[test]
fn the_standard_tree_is_converted_to_a_free_tree_and_back_by_undo() {
    with_blend(|window| {
        let before = scenario(window);
        take_apart(window);
        let tree = tree(window);
        assert_eq!(tree.nodes.len(), 5);
        assert!(matches!(&tree.nodes[tree.root].kind, NodeKind::Blend(links) if links.len() == 2));
        assert_eq!(app(window).session.evaluation.failure(), None);
        for _ in 0..2 {
            app(window).perform(Command::Edit(EditCommand::Undo));
            window.run_steps(3);
        }
        assert_eq!(scenario(window), before);
    });
}

#[test]
fn a_missing_clip_is_reported_with_its_node_and_the_last_valid_blend_keeps_playing() {
    with_blend(|window| {
        take_apart(window);
        let Shown::Take(id) = app(window).session.selection.shown else { panic!("no take is shown") };
        let blend = app(window).session.document.take_mut(id).unwrap().blend_mut().unwrap();
        let Settings::Tree(tree) = &mut blend.settings else { panic!("no tree") };
        let NodeKind::Source(source) = &mut tree.nodes[3].kind else { panic!("no source") };
        source.clip = "no such clip".into();
        window.run_steps(3);
        assert!(app(window).session.evaluation.failure().unwrap().to_string().contains("Current"));
        app(window).session.playback.time = 0.5;
        window.run_steps(3);
        assert_eq!(app(window).session.frame().unwrap().time, 0.5);
    });
}

#[test]
fn weights_of_the_selected_joint_are_shown_in_the_inspector() {
    with_blend(|window| {
        app(window).session.selection.joint = Some(0);
        app(window).dock.show_panel(Panel::Plots);
        window.run_steps(4);
        assert!(window.query_by_label(&tr("section.shares")).is_some());
        assert!(window.query_by_label(&tr("weights.cur_ani")).is_some());
    });
}
