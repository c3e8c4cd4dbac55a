//! Rest pose correction of a retargeted joint with rings, and the roles of both rigs in one panel.

use egui::accesskit::Role;
use egui::{Event as Input, Key, Modifiers, PointerButton, Pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use crate::i18n::tr_with;
use crate::tests::{App, app, in_window, tr};
use crate::viewport::handles::rest;
use portamento_session::{Command, EditCommand, FileCommand};
use portamento_takes::document::{FileId, TakeSource};

type Window<'a> = Harness<'a, Option<App>>;

/// Opens a window with the hero's run retargeted to the hero and the left upper arm selected.
fn with_a_followed_arm(language: &str, check: impl FnOnce(&mut Window<'_>)) {
    in_window(language, |window| {
        let session = &mut app(window).session;
        let file = session.document.files[0].id;
        let arm = session.library.get(file).unwrap().model.skeleton.find("upper_arm.L").unwrap();
        let retarget = EditCommand::AddRetarget { character: file, file, clip: "run".into() };
        session.perform(Command::Edit(retarget));
        session.selection.joint = Some(arm);
        window.run_steps(6);
        check(window);
    });
}

fn turn(window: &mut Window<'_>) -> [f64; 3] {
    match &app(window).session.shown_take().unwrap().source {
        TakeSource::Retarget(retarget) => retarget.settings.turn("upper_arm.L"),
        other => panic!("{other:?}"),
    }
}

/// Returns two points on the ring about `axis`, one eighth of a turn apart.
fn ring_points(window: &mut Window<'_>, axis: usize) -> [Pos2; 2] {
    let rect = window.get_by_label(&tr("panel.viewport")).rect();
    let app = app(window);
    let rings = rest::rings(&app.session, app.session.frame().unwrap()).unwrap().rings;
    let points = rings.points(axis, &app.viewport.camera, rect);
    // Points where no other ring is as near.
    [points[4], points[10]]
}

fn button(window: &mut Window<'_>, pos: Pos2, pressed: bool) {
    window.event(Input::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE });
    window.run_steps(2);
}

fn grab(window: &mut Window<'_>, axis: usize) -> Pos2 {
    let [from, to] = ring_points(window, axis);
    window.event(Input::PointerMoved(from));
    window.run_steps(2);
    button(window, from, true);
    for i in 1..=4 {
        window.event(Input::PointerMoved(from + (to - from) * (i as f32 / 4.0)));
        window.run_steps(1);
    }
    assert!(app(window).viewport.is_dragging(), "the ring about {axis} was not grabbed");
    to
}

#[test]
fn a_ring_turns_the_rest_pose_about_its_axis_and_a_drag_is_one_undo_step() {
    with_a_followed_arm("en", |window| {
        for axis in 0..3 {
            let at = grab(window, axis);
            button(window, at, false);
            window.run_steps(4);
            let turned = turn(window);
            assert!(turned[axis] > 5.0, "{axis}: {turned:?}");
            let others = (0..3).filter(|&other| other != axis).map(|other| turned[other].abs());
            assert!(others.fold(0.0, f64::max) < 1e-9, "{axis}: {turned:?}");
            window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
            window.run_steps(4);
            assert_eq!(turn(window), [0.0; 3]);
        }
    });
}

#[test]
fn degrees_can_be_typed_and_escape_restores_the_rest_pose() {
    with_a_followed_arm("en", |window| {
        let at = grab(window, 1);
        for c in "z-30".chars() {
            window.event(Input::Text(c.to_string()));
            window.run_steps(1);
        }
        button(window, at, false);
        window.run_steps(4);
        assert_eq!(turn(window), [0.0, 0.0, -30.0]);
        let at = grab(window, 0);
        assert_ne!(turn(window), [0.0, 0.0, -30.0]);
        window.key_press(Key::Escape);
        window.run_steps(2);
        button(window, at, false);
        assert_eq!(turn(window), [0.0, 0.0, -30.0]);
    });
}

/// Types `text` into the panel's field of the axis.
fn type_turn(window: &mut Window<'_>, axis: &str, text: &str) {
    let field = window.get_all_by_label(axis).map(|node| node.rect()).next_back().unwrap();
    window.event(Input::PointerMoved(field.center()));
    button(window, field.center(), true);
    button(window, field.center(), false);
    window.run_steps(4);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    for c in text.chars() {
        window.event(Input::Text(c.to_string()));
        window.run_steps(1);
    }
    window.key_press(Key::Enter);
    window.run_steps(6);
}

#[test]
fn degrees_of_the_rest_are_typed_in_the_panel_and_turn_the_arm() {
    for language in ["en", "zh-CN"] {
        with_a_followed_arm(language, |window| {
            window.set_size(egui::vec2(1600.0, 1600.0));
            window.run_steps(30);
            let hand = |window: &mut Window<'_>| {
                let frame = app(window).session.frame().unwrap();
                let skeleton = &frame.built.as_ref().unwrap().character.model.skeleton;
                frame.pose.world_from_joint(skeleton, skeleton.find("hand.L").unwrap()).translation
            };
            let before = hand(window);
            type_turn(window, "Z", "-30");
            assert_eq!(turn(window), [0.0, 0.0, -30.0], "{language}");
            // Other units are accepted, and angles outside a joint's range are clamped.
            type_turn(window, "X", "0.125turn");
            assert_eq!(turn(window), [45.0, 0.0, -30.0], "{language}");
            type_turn(window, "Y", "400");
            assert_eq!(turn(window), [45.0, 180.0, -30.0], "{language}");
            assert!(hand(window).distance(before) > 0.1, "{language}");
            for left in [[45.0, 0.0, -30.0], [0.0, 0.0, -30.0], [0.0; 3]] {
                window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
                window.run_steps(4);
                assert_eq!(turn(window), left, "{language}");
            }
            assert!(hand(window).distance(before) < 1e-6, "{language}");
        });
    }
}

fn head(window: &mut Window<'_>, file: FileId) -> String {
    let session = &app(window).session;
    let head = session.document.character(file).unwrap().roles.head.unwrap();
    session.library.get(file).unwrap().model.skeleton.joints[head].name.clone()
}

/// Returns the head role's drop-down under the caption `caption`.
fn press_head_below(window: &mut Window<'_>, caption: &str) {
    let top = window.get_by_label(caption).rect().bottom();
    let label = tr("form.head");
    let rows = window.get_all_by_label(&label).map(|node| node.rect().center().y);
    let row = rows.filter(|y| *y > top).fold(f32::INFINITY, f32::min);
    let combos = window.get_all_by_role(Role::ComboBox);
    combos.into_iter().find(|node| node.rect().y_range().contains(row)).unwrap().click();
    window.run_steps(4);
}

#[test]
fn roles_of_both_rigs_are_shown_and_changed_apart_in_either_language() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            // Selects the hero's twin as the source rig.
            let folder = tempfile::tempdir().unwrap();
            let twin = folder.path().join("twin.glb");
            std::fs::copy(portamento_test_support::character("hero").unwrap(), &twin).unwrap();
            window.set_size(egui::vec2(1600.0, 1600.0));
            app(window).session.perform(Command::File(FileCommand::Open(vec![twin])));
            let [hero, file] = [0, app(window).session.document.files.len() - 1]
                .map(|index| app(window).session.document.files[index].id);
            let retarget = EditCommand::AddRetarget { character: hero, file, clip: "run".into() };
            app(window).session.perform(Command::Edit(retarget));
            window.run_steps(8);
            window.get_by_label(&tr("section.retarget_rigs")).click();
            // Opens the section.
            window.run_steps(30);
            let captions = ["retarget.followed", "retarget.follows"]
                .into_iter()
                .zip([file, hero])
                .map(|(key, file)| {
                    let name = app(window).session.library.get(file).unwrap().model.name.clone();
                    (tr_with(key, &[("rig", name)]), file)
                })
                .collect::<Vec<_>>();
            for (caption, changed) in &captions {
                let other = if *changed == file { hero } else { file };
                assert_eq!([head(window, file), head(window, hero)], ["head", "head"], "{language}");
                press_head_below(window, caption);
                for letter in "chest".chars() {
                    window.event(Input::Text(letter.to_string()));
                    window.run_steps(1);
                }
                let chosen = window.get_all_by_label("chest").map(|node| node.rect()).next_back().unwrap();
                window.event(Input::PointerMoved(chosen.center()));
                button(window, chosen.center(), true);
                button(window, chosen.center(), false);
                assert_eq!([head(window, *changed), head(window, other)], ["chest", "head"], "{language} {caption}");
                window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
                window.run_steps(4);
            }
        });
    }
}
