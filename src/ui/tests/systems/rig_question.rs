//! An uncertain rig role, asked in the viewport and answered by a click.

use egui::{Event as Input, Modifiers, PointerButton, Pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use glam::Vec3;

use crate::i18n::tr_with;
use crate::tests::{App, app, in_window, tr};
use portamento_anim::rig::question::{Answer, Question};
use portamento_session::{Command, FileCommand};

type Window<'a> = Harness<'a, Option<App>>;

/// Opens a body whose head joint is named like a hand. Returns the candidate joints: by name, by shape.
fn asked(window: &mut Window<'_>) -> [usize; 2] {
    let path = portamento_test_support::fixture("doubtful_head.bvh");
    app(window).session.perform(Command::File(FileCommand::Open(vec![path])));
    window.run_steps(6);
    let question = question(window).unwrap();
    match question.answers[..] {
        [Answer::Joint(named), Answer::Joint(shaped)] => [named, shaped],
        _ => panic!("{question:?}"),
    }
}

fn question(window: &mut Window<'_>) -> Option<Question> {
    let session = &app(window).session;
    session.rig_questions.open(&session.document, &session.selection.shown).cloned()
}

fn head(window: &mut Window<'_>) -> Option<usize> {
    app(window).session.document.characters.last().unwrap().roles.head
}

/// Returns the screen position of a joint.
fn joint_pos(window: &mut Window<'_>, joint: usize) -> Pos2 {
    let rect = window.get_by_label(&tr("panel.viewport")).rect();
    let app = app(window);
    let at = Vec3::from(app.session.frame().unwrap().world[joint].translation);
    let at = app.viewport.camera.project(at, glam::Vec2::new(rect.width(), rect.height())).unwrap();
    rect.min + egui::Vec2::new(at.x, at.y)
}

fn button(window: &mut Window<'_>, pos: Pos2, pressed: bool) {
    window.event(Input::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE });
    window.run_steps(2);
}

#[test]
fn a_click_on_the_figure_sets_the_head_joint() {
    in_window("en", |window| {
        let [named, shaped] = asked(window);
        assert_eq!(head(window), Some(named));
        let at = joint_pos(window, shaped);
        window.event(Input::PointerMoved(at));
        window.run_steps(2);
        button(window, at, true);
        // Dragging over a joint orbits the camera and answers nothing.
        window.event(Input::PointerMoved(at + egui::vec2(60.0, 0.0)));
        window.run_steps(2);
        button(window, at + egui::vec2(60.0, 0.0), false);
        assert!(question(window).is_some());
        let at = joint_pos(window, shaped);
        window.event(Input::PointerMoved(at));
        window.run_steps(2);
        button(window, at, true);
        button(window, at, false);
        assert_eq!((head(window), question(window)), (Some(shaped), None));
    });
}

#[test]
fn the_current_answer_can_be_confirmed_in_either_language() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let [named, _] = asked(window);
            let keep = tr_with("rig_question.keep", &[("answer", "head".into())]);
            window.get_by_label_contains(&keep).click();
            window.run_steps(4);
            assert_eq!((head(window), question(window)), (Some(named), None));
        });
    }
}

#[test]
fn messages_do_not_cover_the_question() {
    in_window("en", |window| {
        asked(window);
        let notice = portamento_base::message::Message::verbatim("The disk is full.");
        app(window).session.notices.add(portamento_session::Severity::Error, notice);
        window.run_steps(6);
        let cross = window.get_all_by_label(&tr("toast.close")).last().unwrap().rect();
        let label = tr_with("rig_question.keep", &[("answer", String::new())]);
        let keep = window.get_all_by_label_contains(&label).next();
        let question = keep.expect("the question has a button").rect();
        assert!(cross.max.y < question.min.y, "{cross} {question}");
    });
}
