//! Keyboard operation of the panels of every kind of take.

use std::collections::BTreeSet;

use egui_kittest::kittest::NodeT;

use super::keyboard::{Control, Ringed, Window, controls, focused, is_for_pointers, ring};
use crate::tests::*;
use portamento_session::command::stage::StageCommand;
use portamento_takes::document::{FileId, Stage, StageType, TakeId, TakeSource};

use crate::dock::{Panel, region};
use portamento_blend::{NodeKind, Settings};
use portamento_dynamics::cloth::ClothShape;
use portamento_session::{DynamicsMode, EditCommand, NewCollider};

/// Returns the controls of `panel` in Tab order.
fn controls_of(window: &Window<'_>, panel: Panel) -> Vec<Control> {
    let (own, all) = (region(panel), Panel::ALL.map(region));
    let from = controls(window).into_iter().skip_while(|control| control.name != own).skip(1);
    let own = from.take_while(|control| !all.contains(&control.name));
    // Controls that are not drawn have no position.
    own.filter(|control| control.rect.is_finite() && !is_for_pointers(control)).collect()
}

/// Opens every section of `panel`, including nested ones.
fn unfold(window: &mut Window<'_>, panel: Panel) {
    let words: serde_json::Value = serde_json::from_str(include_str!("../../locales/app.json")).unwrap();
    let keys = words.as_object().unwrap().keys().filter(|key| key.starts_with("section."));
    let titles: BTreeSet<String> = keys.map(|key| tr(key)).collect();
    let mut unfolded = BTreeSet::new();
    loop {
        let all = controls_of(window, panel);
        let is_folded = |control: &&Control| titles.contains(&control.name) && !unfolded.contains(&control.id);
        let Some(title) = all.iter().find(is_folded).cloned() else { return };
        unfolded.insert(title.id.clone());
        let open = app(window).session.selection.stage;
        press(window, &title);
        if app(window).session.selection.stage != open {
            // The focused control was a stage card with the same name as a section.
            app(window).session.selection.stage = open;
            window.run_steps(3);
        } else if controls_of(window, panel).len() < all.len() {
            press(window, &title);
        }
    }
}

fn press(window: &mut Window<'_>, control: &Control) {
    let is_it = |node: &egui_kittest::Node<'_>| format!("{:?}", node.accesskit_node().id()) == control.id;
    window.root().children_recursive().find(is_it).unwrap().click_accesskit();
    window.run_steps(12);
}

/// Tabs through `panel`. Returns the number of visited controls and appends the errors.
fn walk(window: &mut Window<'_>, panel: Panel, wrong: &mut Vec<String>) -> usize {
    app(window).dock.show_panel(panel);
    window.run_steps(4);
    unfold(window, panel);
    window.get_by_label(&region(panel)).focus();
    window.run_steps(3);
    let (mut seen_ids, all) = (BTreeSet::new(), Panel::ALL.map(region));
    for _ in 0..600 {
        window.key_press(Key::Tab);
        // Each nameless control takes one frame to skip, and the graph follows in the next frame.
        window.run_steps(if panel == Panel::Graph { 6 } else { 3 });
        let Some(now) = focused(window) else { continue };
        if all.contains(&now.name) || seen_ids.contains(&now.id) {
            break;
        }
        if now.name.trim().is_empty() {
            // The control is skipped in the next frames, or reported as wrong later.
            continue;
        }
        seen_ids.insert(now.id.clone());
        match ring(window, now.rect) {
            None => wrong.push(format!("{panel:?}: no ring: {}", now.description())),
            Some(seen) if seen.is_moved && !is_fully_visible(window, &seen) => {
                wrong.push(format!("{panel:?}: out of sight: {}", now.description()));
            }
            Some(_) => {}
        }
    }
    let left = controls_of(window, panel).into_iter().filter(|control| !seen_ids.contains(&control.id));
    wrong.extend(left.map(|control| format!("{panel:?}: not met: {}", control.description())));
    seen_ids.len()
}

/// Returns true if a control of the graph and its ring are completely visible.
fn is_fully_visible(window: &Window<'_>, seen: &Ringed) -> bool {
    let room = window.get_by_label(&region(Panel::Graph)).rect();
    room.contains_rect(seen.ring) && seen.ring.expand(0.5).contains_rect(seen.control)
}

/// Tabs through `panels` of the shown take.
fn walk_all(window: &mut Window<'_>, what: &str, panels: &[Panel]) {
    let mut wrong = Vec::new();
    window.run_steps(6);
    for panel in panels {
        let visited = walk(window, *panel, &mut wrong);
        assert!(visited > 0, "{what}: {panel:?} has {visited} controls");
    }
    assert!(wrong.is_empty(), "{what}: {} faults\n{}", wrong.len(), wrong.join("\n"));
}

fn take_named(window: &mut Window<'_>, name: &str) -> TakeId {
    app(window).session.document.takes.iter().find(|take| take.name == name).unwrap().id
}

fn show(window: &mut Window<'_>, name: &str) {
    let take = take_named(window, name);
    app(window).session.dynamics.mode = DynamicsMode::Recorded;
    app(window).session.selection.show(Shown::Take(take));
    window.run_steps(6);
}

fn edit(window: &mut Window<'_>, command: EditCommand) {
    app(window).session.perform(Command::Edit(command));
    window.run_steps(4);
}

/// Tabs through the inspector of each stage.
fn walk_stages(window: &mut Window<'_>, stages: Vec<Stage>) {
    for stage in stages {
        edit(window, EditCommand::Stage(StageCommand::Open(stage.id)));
        walk_all(window, stage.kind.name(), &[Panel::Inspector]);
    }
}

#[test]
fn tab_visits_the_controls_of_a_stretch_and_of_every_stage_without_a_workspace() {
    in_window("en", |window| {
        show(window, "leap to 5 m");
        let simple = [StageType::Retime, StageType::Trim, StageType::Mirror, StageType::Root, StageType::Cleanup];
        for stage in simple.into_iter().chain([
            StageType::Layer,
            StageType::Ground,
            StageType::Close,
            StageType::Offset,
            StageType::Stride,
            StageType::Align,
            StageType::Additive,
            StageType::Pose,
        ]) {
            edit(window, EditCommand::Stage(StageCommand::Add(stage)));
        }
        let stages = app(window).session.shown_take().unwrap().stages;
        assert_eq!(stages.len(), 14);
        walk_stages(window, stages);
        walk_all(window, "stretch", &[Panel::Timeline, Panel::Plots, Panel::Clips]);
    });
}

#[test]
fn tab_visits_the_controls_of_a_walk() {
    in_window("en", |window| {
        show(window, "patrol");
        app(window).session.selection.stop = Some(1);
        walk_all(window, "walk", &[Panel::Inspector, Panel::Timeline, Panel::Plots, Panel::Viewport]);
    });
}

#[test]
fn tab_visits_the_controls_of_event_blends_and_of_a_free_tree() {
    in_window("en", |window| {
        show(window, "run, cast, stop, end");
        app(window).session.selection.event = Some(1);
        walk_all(window, "events", &[Panel::Inspector, Panel::Graph, Panel::Timeline]);
        show(window, "half a cast over a stand");
        window.get_by_label(&tr("graph.state_add")).click_accesskit();
        window.run_steps(4);
        add_space(window);
        app(window).session.selection.link = Some((2, 1));
        walk_all(window, "tree", &[Panel::Inspector, Panel::Graph]);
    });
}

/// Adds a blend space node driven by the speed of one clip.
fn add_space(window: &mut Window<'_>) {
    use portamento_blend::{BlendSpace, Drive, Link, Node, SpaceSample, SpeedDrive};
    let Shown::Take(id) = app(window).session.selection.shown else { panic!("no take") };
    let take = app(window).session.document.take_mut(id).unwrap();
    let TakeSource::Scenario(blend) = &mut take.source else { panic!("no blend") };
    let Settings::Tree(tree) = &mut blend.settings else { panic!("no tree") };
    let sample = |clip: &str, at| SpaceSample { clip: clip.into(), at };
    let samples = vec![sample("walk", [1.4, 0.0]), sample("run", [4.0, 0.0])];
    let drive = Drive::Speed(SpeedDrive { clip: "run".into(), ..SpeedDrive::default() });
    for (name, drive) in [("by speed", drive), ("by keys", Drive::Keys)] {
        let space = BlendSpace { samples: samples.clone(), drive, ..BlendSpace::default() };
        tree.nodes.push(Node { name: name.into(), kind: NodeKind::Space(Box::new(space)) });
        let child = tree.nodes.len() - 1;
        if let NodeKind::Blend(links) = &mut tree.nodes[2].kind {
            links.push(Link { child, ..Link::default() });
        }
    }
    window.run_steps(6);
}

#[test]
fn tab_visits_the_controls_of_chains_colliders_and_joints() {
    in_window("en", |window| {
        show(window, "run with swinging hair and cape");
        let session = &mut app(window).session;
        let file = session.document.files[0].id;
        session.selection.joint = session.library.get(file).unwrap().model.skeleton.find("hair.1");
        session.selection.chain = Some(0);
        walk_all(window, "chain", &[Panel::Inspector, Panel::Timeline]);
        for collider in [NewCollider::Sphere(None), NewCollider::Capsule(None), NewCollider::Plane(None)] {
            edit(window, EditCommand::AddCollider(collider));
            app(window).session.selection.chain = None;
            walk_all(window, "collider", &[Panel::Inspector]);
        }
    });
}

#[test]
fn tab_visits_the_controls_of_cloth_image_and_cache_loops() {
    in_window("en", |window| {
        show(window, "flag in the wind");
        walk_all(window, "cloth", &[Panel::Inspector, Panel::Seams]);
        edit(window, EditCommand::AddCloth(ClothShape::Cape));
        walk_all(window, "cape", &[Panel::Inspector]);
        show(window, "flame");
        walk_all(window, "images", &[Panel::Inspector, Panel::Seams]);
        let file = app(window).session.document.files[0].id;
        let run = |file: FileId| Shown::Clip { character: file, file, clip: "run".into() };
        app(window).session.selection.show(run(file));
        window.run_steps(4);
        edit(window, EditCommand::AddVertices);
        walk_all(window, "vertices", &[Panel::Inspector, Panel::Seams]);
    });
}

#[test]
fn tab_visits_the_controls_of_a_retargeted_clip_files_clips_and_objects() {
    in_window("en", |window| {
        let file = app(window).session.document.files[0].id;
        edit(window, EditCommand::AddRetarget { character: file, file, clip: "run".into() });
        let skeleton = &app(window).session.library.get(file).unwrap().model.skeleton;
        app(window).session.selection.joint = skeleton.find("upper_arm.L");
        walk_all(window, "retarget", &[Panel::Inspector]);
        app(window).session.selection.object = Some(0);
        for shown in [Shown::Clip { character: file, file, clip: "run".into() }, Shown::File(file)] {
            app(window).session.selection.show(shown.clone());
            walk_all(window, &format!("{shown:?}"), &[Panel::Inspector]);
        }
        for level in app(window).session.document.files.clone() {
            app(window).session.selection.show(Shown::File(level.id));
            walk_all(window, &format!("{:?}", level.path), &[Panel::Inspector]);
        }
    });
}
