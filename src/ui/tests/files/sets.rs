//! The dialog of clip sets.

use crate::tests::*;
use egui::accesskit::Role;
use portamento_session::{Command, EditCommand, FileCommand, WindowCommand};
use portamento_sets::Verdict;

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
        assert!(app(window).session.document.sets.is_empty());
    });
}
