//! The dialogs that finish motions.

use crate::tests::*;
use egui::accesskit::Role;
use portamento_session::finish::FinishFigure;
use portamento_session::{Command, EditCommand, FileCommand, Shown};

#[test]
fn a_clip_is_finished_by_a_click_and_the_list_shows_what_was_done() {
    let Some(dying) = portamento_test_support::character("pack/Dying.fbx") else { return };
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            app(window).perform(Command::File(FileCommand::New));
            app(window).perform(Command::File(FileCommand::Open(vec![dying.clone()])));
            window.run_steps(2);
            let file = app(window).session.document.files[0].id;
            app(window).perform(Command::Edit(EditCommand::AskFinish(vec![(file, "Dying".into())])));
            window.run_steps(2);
            window.get_by_role_and_label(Role::Button, &tr("finish.start")).click();
            window.run_steps(4);
            let take = app(window).session.document.takes[0].id;
            let figure = tr(&format!("finish_figure.{}", FinishFigure::FootSkate.name()));
            assert!(window.query_by_label_contains(&figure).is_some());
            assert!(window.query_by_label(&tr("stage.cleanup")).is_some(), "done or left, every stage is listed");
            window.get_by_role_and_label(Role::Button, &tr("finished.show")).click();
            window.run_steps(2);
            assert!(app(window).session.finished.is_none());
            assert_eq!(app(window).session.selection.shown, Shown::Take(take));
            app(window).perform(Command::Edit(EditCommand::Undo));
            window.run_steps(2);
            assert!(app(window).session.document.takes.is_empty(), "one undo step");
        });
    }
}

#[test]
fn escape_closes_the_question_and_no_shortcut_works_behind_it() {
    let hero = portamento_test_support::character("hero").unwrap();
    in_window("en", |window| {
        app(window).perform(Command::File(FileCommand::New));
        app(window).perform(Command::File(FileCommand::Open(vec![hero])));
        window.run_steps(2);
        let file = app(window).session.document.files[0].id;
        app(window).perform(Command::Edit(EditCommand::AskFinish(vec![(file, "run".into())])));
        window.run_steps(2);
        let is_playing = app(window).session.playback.playing;
        window.key_press(Key::Space);
        window.run_steps(2);
        assert_eq!(app(window).session.playback.playing, is_playing);
        window.key_press(Key::Escape);
        window.run_steps(2);
        assert!(app(window).session.asked_finish.is_none());
        window.key_press(Key::Space);
        window.run_steps(2);
        assert_ne!(app(window).session.playback.playing, is_playing, "the shortcuts work again");
    });
}
