//! The dialog of clip sets.

use super::outliner::{choose, choose_with};
use crate::i18n::tr_with;
use crate::tests::input::tab_to;
use crate::tests::*;
use egui::accesskit::Role;
use egui::{Event, PointerButton};
use portamento_session::{Command, EditCommand, FileCommand, Shown, WindowCommand};
use portamento_sets::Verdict;
use portamento_takes::document::clip_set::ClipSet;

/// Returns the number of broken requirements of the set at `index`.
fn broken(window: &mut Harness<'_, Option<App>>, index: usize) -> usize {
    let cells = app(window).session.set_cells(index).unwrap();
    cells.iter().filter(|cell| cell.row.verdict() == Verdict::Broken).count()
}

#[test]
fn sets_are_proposed_shown_with_their_figures_and_brought_to_their_contract_by_a_click() {
    let Some(knight) = portamento_test_support::character("characters/knight.glb") else { return };
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            app(window).perform(Command::File(FileCommand::New));
            app(window).perform(Command::File(FileCommand::Open(vec![knight.clone()])));
            window.run_steps(2);
            app(window).perform(Command::Window(WindowCommand::AskSets));
            window.run_steps(4);
            let names: Vec<String> = app(window).session.document.sets.iter().map(|set| set.name.clone()).collect();
            assert_eq!(names, ["jump", "running", "strikes", "walking"]);
            assert!(window.query_by_label("Jump_Start").is_some() && window.query_by_label("Jump_Land").is_some());
            // The walks begin at different moments of their strides.
            let walking = 3;
            app(window).dialogs.sets.as_mut().unwrap().chosen = walking;
            window.run_steps(4);
            assert!(window.query_by_label("Walking_A").is_some() && window.query_by_label("Jump_Land").is_none());
            let proposed = broken(window, walking);
            assert!(proposed > 0);
            window.get_by_role_and_label(Role::Button, &tr("sets.export")).click();
            window.run_steps(4);
            let session = &app(window).session;
            let members = session.document.sets[walking].members.len();
            let request = session.exports.choice.request(&session.document);
            assert!(request.settings.set_index);
            assert!(app(window).dialogs.sets.is_none(), "the dialog of sets is still open");
            assert!(app(window).dialogs.export, "the export dialog did not open");
            assert_eq!((request.takes.len(), app(window).session.document.takes.len()), (members, members));
            app(window).dialogs.export = false;
            app(window).perform(Command::Edit(EditCommand::Undo));
            app(window).perform(Command::Window(WindowCommand::AskSets));
            window.run_steps(4);
            assert_eq!(app(window).session.document.takes, [], "one undo step");
            app(window).dialogs.sets.as_mut().unwrap().chosen = walking;
            window.run_steps(4);
            window.get_by_role_and_label(Role::Button, &tr("sets.bring")).click();
            window.run_steps(4);
            assert_eq!(broken(window, walking), 0);
            assert!(!app(window).session.document.takes.is_empty());
            // The dialog has grown by a row and comes to rest.
            window.run_steps(8);
            window.get_by_role_and_label(Role::Button, &tr("dialog.close")).click();
            window.run_steps(2);
            assert!(app(window).dialogs.sets.is_none() && !app(window).session.sets.is_shown);
            app(window).perform(Command::Edit(EditCommand::Undo));
            app(window).perform(Command::Window(WindowCommand::AskSets));
            window.run_steps(4);
            let takes = app(window).session.document.takes.len();
            assert_eq!((broken(window, walking), takes), (proposed, 0), "one undo step");
        });
    }
}

#[test]
fn without_clips_that_belong_together_the_dialog_says_what_to_open() {
    in_window("en", |window| {
        app(window).perform(Command::File(FileCommand::New));
        window.run_steps(1);
        app(window).perform(Command::Window(WindowCommand::AskSets));
        window.run_steps(3);
        assert!(window.query_by_label(&tr("sets.none")).is_some());
        let note = app(window).session.sets.note.clone().unwrap();
        assert!(window.query_by_label(&crate::i18n::localized(&note)).is_some());
        assert!(app(window).session.document.sets.is_empty());
    });
}

/// Returns the names of the members of the set at `index`.
fn member_names(window: &mut Harness<'_, Option<App>>, index: usize) -> Vec<String> {
    let session = &app(window).session;
    session.document.sets[index].members.iter().map(|member| session.member_name(&member.clip)).collect()
}

#[test]
fn takes_that_are_selected_become_a_set_from_their_menu_and_members_are_removed_and_added() {
    in_window("en", |window| {
        let movers = app(window).session.document.takes.iter().filter(|take| take.moves_joints());
        let names: Vec<String> = movers.take(2).map(|take| take.name.clone()).collect();
        choose(window, &names[0]);
        choose_with(window, &names[1], Modifiers::COMMAND);
        let pos = window.query_all_by_label(&names[1]).map(|node| node.rect().center()).next().unwrap();
        for pressed in [true, false] {
            let (button, modifiers) = (PointerButton::Secondary, Modifiers::NONE);
            window.event(Event::PointerButton { pos, button, pressed, modifiers });
            window.run_steps(2);
        }
        window.run_steps(4);
        window.get_by_label_contains(&tr("outliner.make_set")).click();
        window.run_steps(6);
        assert!(app(window).dialogs.sets.is_some(), "the new set is shown");
        assert_eq!(member_names(window, 0), names);
        let remove = tr_with("sets.remove_member", &[("member", names[0].clone())]);
        window.get_by_role_and_label(Role::Button, &remove).click();
        window.run_steps(4);
        assert_eq!(member_names(window, 0), names[1..]);
        window.get_by_role_and_label(Role::Button, &tr("sets.add_selected")).click();
        window.run_steps(4);
        assert_eq!(member_names(window, 0), [names[1].clone(), names[0].clone()]);
        for count in [1, 2] {
            app(window).perform(Command::Edit(EditCommand::Undo));
            window.run_steps(2);
            assert_eq!(member_names(window, 0).len(), count);
        }
        app(window).perform(Command::Edit(EditCommand::Undo));
        window.run_steps(2);
        assert!(app(window).session.document.sets.is_empty(), "each change is one undo step");
    });
}

#[test]
fn an_empty_set_is_added_and_filled_with_the_keyboard_alone() {
    let Some(knight) = portamento_test_support::character("characters/knight.glb") else { return };
    in_window("en", |window| {
        app(window).perform(Command::File(FileCommand::New));
        app(window).perform(Command::File(FileCommand::Open(vec![knight])));
        window.run_steps(2);
        let file = app(window).session.document.files[0].id;
        app(window).session.selection.show(Shown::Clip { character: file, file, clip: "Idle".into() });
        app(window).session.document.add_set(ClipSet { name: "known".into(), ..ClipSet::default() });
        window.run_steps(2);
        app(window).perform(Command::Window(WindowCommand::AskSets));
        window.run_steps(4);
        let remove = tr_with("sets.remove_member", &[("member", "Idle".to_owned())]);
        for name in [tr("sets.new"), tr("sets.add_selected"), remove] {
            tab_to(window, &name);
            window.key_press(Key::Space);
            window.run_steps(6);
            let sets = &app(window).session.document.sets;
            let members = usize::from(name == tr("sets.add_selected"));
            assert_eq!((sets.len(), sets[1].members.len()), (2, members), "{name}");
        }
        assert_eq!(app(window).dialogs.sets.as_ref().unwrap().chosen, 1);
        assert!(window.query_by_label(&tr("sets.empty")).is_some());
    });
}
