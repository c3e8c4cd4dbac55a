//! Keyboard and mouse operation of the outliner's rows.

use crate::dock::Panel;
use crate::i18n::{tr, tr_with};
use crate::tests::*;
use egui::Event;
use portamento_session::{EditCommand, Shown};
use portamento_takes::document::{TakeDestination, TakeId};

fn take_names(window: &mut Harness<'_, Option<App>>) -> Vec<String> {
    app(window).session.document.takes.iter().map(|take| take.name.clone()).collect()
}

/// Clicks the row `name`.
pub(crate) fn choose(window: &mut Harness<'_, Option<App>>, name: &str) {
    choose_with(window, name, Modifiers::NONE);
}

/// Clicks the row `name` while `modifiers` are pressed.
pub(super) fn choose_with(window: &mut Harness<'_, Option<App>>, name: &str, modifiers: Modifiers) {
    let at = window.query_all_by_label(name).map(|node| node.rect()).min_by(|a, b| a.min.x.total_cmp(&b.min.x));
    let at = at.unwrap().center();
    window.event(Event::PointerMoved(at));
    window.event(Event::ModifiersChanged(modifiers));
    for pressed in [true, false] {
        let button = egui::PointerButton::Primary;
        window.event(Event::PointerButton { pos: at, button, pressed, modifiers });
        window.run_steps(1);
    }
    window.event(Event::ModifiersChanged(Modifiers::NONE));
    window.run_steps(2);
}

#[test]
fn looking_from_any_take_at_any_other_changes_neither() {
    in_window("en", |window| {
        // A stretch window shorter than a frame, as a file may contain it.
        let takes = &mut app(window).session.document.takes;
        let other = takes.iter_mut().find(|take| take.name == "leap at the dummy").unwrap();
        other.stretch_mut(None).unwrap().settings.add_window(0.5, 0.505, glam::DVec3::Z);
        let document = app(window).session.document.clone();
        window.get_by_label("Windows").click();
        window.run_steps(3);
        let names = take_names(window);
        for name in names.iter().chain(names.iter().rev()) {
            // The outliner is drawn before the inspector, which then gets a new take with the previous frame.
            choose(window, name);
            window.run_steps(9);
            assert!(app(window).session.document == document, "{name}");
        }
    });
}

#[test]
fn f2_renames_a_take_in_its_row_and_esc_cancels() {
    in_window("en", |window| {
        let names = take_names(window);
        choose(window, &names[0]);
        window.key_press(Key::F2);
        window.run_steps(3);
        window.event(Event::Text("first leap".into()));
        window.run_steps(1);
        window.key_press(Key::Enter);
        window.run_steps(3);
        assert_eq!(take_names(window)[0], "first leap", "all of the old name was chosen and typed over");

        choose(window, &names[1]);
        window.key_press(Key::F2);
        window.run_steps(3);
        window.event(Event::Text("never".into()));
        window.run_steps(1);
        window.key_press(Key::Escape);
        window.run_steps(3);
        assert_eq!(take_names(window)[1], names[1]);
    });
}

#[test]
fn delete_removes_the_chosen_take_and_one_undo_brings_it_back() {
    in_window("en", |window| {
        let names = take_names(window);
        for chosen in [&names[0], names.last().unwrap()] {
            choose(window, chosen);
            window.key_press(Key::Delete);
            window.run_steps(3);
            assert!(!take_names(window).contains(chosen), "{chosen}");
            window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
            window.run_steps(3);
            assert_eq!(take_names(window), names);
        }
    });
}

#[test]
fn delete_removes_a_file_after_asking_and_its_takes_are_given_another() {
    in_window("en", |window| {
        let names = take_names(window);
        choose(window, "hero.glb");
        window.key_press(Key::Delete);
        window.run_steps(4);
        assert!(window.query_by_label(&tr("dialog.removal_file")).is_some(), "takes use it");
        window.get_by_label(&tr("removal.remove")).click_accesskit();
        window.run_steps(4);
        let session = &app(window).session;
        assert!(session.document.files.iter().all(|file| !file.path.ends_with("hero.glb")));
        assert_eq!(take_names(window), names, "takes are kept");
        let leap = app(window).session.document.takes[0].id;
        app(window).session.selection.show(Shown::Take(leap));
        window.run_steps(4);
        let gone = tr_with("missing.gone", &[("file", "hero.glb".into())]);
        assert!(window.query_by_label(&gone).is_some(), "the take names what it misses");
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.run_steps(4);
        assert!(app(window).session.document.files.iter().any(|file| file.path.ends_with("hero.glb")));
        assert_eq!(app(window).session.evaluation.failure(), None);
    });
}

#[test]
fn shift_chooses_many_takes_and_delete_removes_them_all() {
    in_window("en", |window| {
        let names = take_names(window);
        choose(window, &names[0]);
        choose_with(window, &names[2], Modifiers::SHIFT);
        window.key_press(Key::Delete);
        window.run_steps(3);
        assert_eq!(take_names(window), names[3..]);
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.run_steps(3);
        assert_eq!(take_names(window), names);
    });
}

#[test]
fn takes_are_dragged_into_a_folder_and_out_of_it_and_f2_names_it() {
    let folders = |window: &mut Harness<'_, Option<App>>| -> Vec<(String, usize)> {
        app(window).session.document.folders.iter().map(|folder| (folder.name.clone(), folder.takes.len())).collect()
    };
    in_window("en", |window| {
        let names = take_names(window);
        let ids: Vec<TakeId> = app(window).session.document.takes.iter().map(|take| take.id).collect();
        let destination = TakeDestination { folder: Some("fights".into()), before: Some(ids[0]) };
        app(window).session.perform(Command::Edit(EditCommand::Place { takes: vec![ids[0]], place: destination }));
        window.run_steps(3);
        let row = window.get_by_label("fights").rect().center();
        drag_row(window, &names[3], row);
        assert_eq!(folders(window), [("fights".into(), 2)]);
        assert_eq!(take_names(window).len(), names.len());

        choose(window, "fights");
        window.key_press(Key::F2);
        window.run_steps(3);
        window.event(Event::Text("combat".into()));
        window.run_steps(1);
        window.key_press(Key::Enter);
        window.run_steps(3);
        assert_eq!(folders(window), [("combat".into(), 2)]);

        // A take dropped on the row of all takes is in no folder.
        let takes =
            window.query_all_by_label("Takes").map(|node| node.rect()).min_by(|a, b| a.min.x.total_cmp(&b.min.x));
        drag_row(window, &names[3], takes.unwrap().center());
        assert_eq!(folders(window), [("combat".into(), 1)]);
    });
}

/// Drags the row `name` to `to`.
fn drag_row(window: &mut Harness<'_, Option<App>>, name: &str, to: egui::Pos2) {
    let at = window.query_all_by_label(name).map(|node| node.rect()).min_by(|a, b| a.min.x.total_cmp(&b.min.x));
    let from = at.unwrap().center();
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.event(Event::PointerMoved(from));
    window.event(button(from, true));
    window.run_steps(2);
    // Slow start, like a human drag: the dragged row is the one where the drag is detected.
    for share in [0.01, 0.02, 0.3, 0.6, 0.9, 1.0] {
        window.event(Event::PointerMoved(from + (to - from) * share));
        window.run_steps(2);
    }
    window.event(button(to, false));
    window.run_steps(3);
}

#[test]
fn a_take_dragged_onto_a_clip_slot_replaces_the_clip() {
    in_window("en", |window| {
        let session = &mut app(window).session;
        let [leap, blend] = ["leap to 5 m", "run, cast, stop, end"]
            .map(|name| session.document.takes.iter().find(|take| take.name == name).unwrap().id);
        session.selection.show(Shown::Take(blend));
        window.run_steps(3);
        // The graph also names the clips of its nodes.
        app(window).dock.show_panel(Panel::Plots);
        window.run_steps(3);
        let skill =
            |window: &mut Harness<'_, Option<App>>| match &app(window).session.document.take(blend).unwrap().source {
                portamento_takes::document::TakeSource::Scenario(blend) => {
                    blend.clip_names().iter().map(|name| name.to_string()).collect()
                }
                _ => Vec::new(),
            };
        let before: Vec<String> = skill(window);
        // The graph panel also has one; the inspector's is farther right.
        let slots = window.query_all_by_value("cast").map(|node| node.rect());
        let slot = slots.max_by(|a, b| a.left().total_cmp(&b.left()));
        let slot = slot.expect("the slot of the skill is in sight").center();
        let rows = |window: &Harness<'_, Option<App>>| window.query_all_by_label_contains("leap to 5 m").count();
        let rows_before = rows(window);
        drag_row(window, "leap to 5 m", slot);
        assert_eq!(rows(window), rows_before + 1, "a row below the take that uses it");
        let mark = format!("leap to 5 m  {}", egui_material_icons::icons::ICON_LINK.codepoint);
        assert!(window.query_by_label_contains(&mark).is_some(), "a mark on the take that is used");
        let after: Vec<String> = skill(window);
        assert_eq!(app(window).session.selection.shown, Shown::Take(blend), "what is dragged is not shown");
        assert!(
            !before.contains(&format!("take:{}", leap.0)) && after.contains(&format!("take:{}", leap.0)),
            "{after:?}"
        );
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.run_steps(3);
        assert_eq!((skill(window), rows(window)), (before, rows_before));
    });
}

#[test]
fn an_additionally_opened_file_is_scrolled_to_and_announced() {
    for (language, words) in [("en", "Opened other.glb with 16 clips."), ("zh-CN", "other.glb")] {
        in_window(language, |window| {
            let folder = tempfile::tempdir().unwrap();
            portamento_session::samples::write_all(folder.path()).unwrap();
            let other = folder.path().join("other.glb");
            std::fs::copy(folder.path().join("hero.glb"), &other).unwrap();
            assert!(window.query_by_label("other.glb").is_none());
            app(window).perform(Command::File(FileCommand::Open(vec![other])));
            window.run_steps(8);
            let row = window.query_all_by_label("other.glb").map(|node| node.rect()).next().expect("its row is drawn");
            let tree = window.query_all_by_label(&tr("outliner.filter")).map(|node| node.rect()).next().unwrap();
            assert!(row.min.y > tree.max.y && row.max.y < 640.0, "{row}");
            let matching = window.query_all_by(|node| {
                node.label().or(node.value()).is_some_and(|text| text.contains(words) && text != "other.glb")
            });
            assert!(matching.count() > 0);
        });
    }
}

#[test]
fn all_takes_of_a_folder_are_exported_from_its_menu() {
    in_window("en", |window| {
        let ids: Vec<TakeId> = app(window).session.document.takes[..2].iter().map(|take| take.id).collect();
        let destination = TakeDestination { folder: Some("fights".into()), before: Some(ids[0]) };
        app(window).session.perform(Command::Edit(EditCommand::Place { takes: ids.clone(), place: destination }));
        window.run_steps(3);
        let pos = window.get_by_label("fights").rect().center();
        window.event(Event::PointerMoved(pos));
        for pressed in [true, false] {
            let (button, modifiers) = (egui::PointerButton::Secondary, Modifiers::NONE);
            window.event(Event::PointerButton { pos, button, pressed, modifiers });
            window.run_steps(2);
        }
        window.run_steps(4);
        let export = crate::i18n::tr_with("outliner.export_takes", &[("count", "2".to_owned())]);
        window.get_by_label_contains(&export).click();
        window.run_steps(4);
        assert!(app(window).dialogs.export);
        let session = &app(window).session;
        let ticked: Vec<TakeId> = session.exports.choice.takes(&session.document).map(|take| take.id).collect();
        assert_eq!(ticked, ids);
    });
}

#[test]
fn delete_acts_on_the_rows_that_were_clicked_and_not_on_a_take_that_the_filter_hides() {
    in_window("en", |window| {
        let names = take_names(window);
        choose(window, &names[0]);
        let joint = {
            let session = &app(window).session;
            let frame = session.frame().unwrap();
            let joints = frame.character.model.skeleton.joints.iter().map(|joint| joint.name.clone());
            joints.into_iter().find(|name| name.to_lowercase().contains("arm")).unwrap()
        };
        window.get_by_label("Filter").click();
        window.run_steps(2);
        window.event(Event::Text(joint.clone()));
        window.run_steps(3);
        choose(window, &joint);
        window.key_press(Key::Delete);
        window.run_steps(3);
        assert_eq!(take_names(window), names, "a joint was clicked");
        window.key_press_modifiers(Modifiers::COMMAND, Key::D);
        window.run_steps(3);
        assert_eq!(take_names(window), names, "a joint was clicked");
    });
}

#[test]
fn ctrl_d_duplicates_the_clicked_takes() {
    in_window("en", |window| {
        let names = take_names(window);
        choose(window, &names[0]);
        choose_with(window, &names[1], Modifiers::COMMAND);
        window.key_press_modifiers(Modifiers::COMMAND, Key::D);
        window.run_steps(3);
        assert_eq!(take_names(window).len(), names.len() + 2);
    });
}
