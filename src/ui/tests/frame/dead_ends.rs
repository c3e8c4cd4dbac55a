//! Impossible actions are not offered, and items that cannot be shown give the reason.

use crate::dock::{Panel, region};
use crate::tests::*;
use portamento_session::{EditCommand, Shown};
use portamento_takes::document::take::Vertices;
use portamento_takes::document::{Take, TakeId, TakeSource};

type Window<'a> = Harness<'a, Option<App>>;

/// Opens a window whose only file is a recording without a mesh.
fn with_recording(check: impl FnOnce(&mut Window<'_>)) {
    in_window("en", |window| {
        let recording = portamento_test_support::fixture("doubtful_head.bvh");
        app(window).session.perform(Command::File(FileCommand::New));
        app(window).session.perform(Command::File(FileCommand::Open(vec![recording])));
        window.run_steps(8);
        check(window);
    });
}

#[test]
fn a_clip_without_a_mesh_offers_no_vertex_loop() {
    with_recording(|window| {
        assert!(window.query_by_label_contains(&tr("command.add_loop")).is_some());
        assert!(window.query_by_label_contains(&tr("command.add_vertices")).is_none());
        app(window).session.perform(Command::Edit(EditCommand::AddVertices));
        assert!(app(window).session.document.takes.is_empty());
        let said = app(window).session.notices.all().last().unwrap().text();
        assert!(said.contains("does not move a mesh"), "{said}");
    });
}

#[test]
fn a_static_clip_offers_no_loop() {
    in_window("en", |window| {
        let level = app(window).session.document.files.last().unwrap().id;
        app(window).dock.show_panel(Panel::Seams);
        app(window).session.selection.show(Shown::File(level));
        window.run_steps(6);
        assert!(window.query_by_label_contains(&tr("command.add_loop")).is_none());
    });
}

#[test]
fn a_take_that_cannot_be_shown_gives_the_reason_in_the_viewport() {
    with_recording(|window| {
        let session = &mut app(window).session;
        let file = session.document.files[0].id;
        let source = TakeSource::Vertices(Vertices { file, clip: Some("gone".into()), mesh: None, fps: None });
        let (id, name) = (TakeId(90), "lost".to_owned());
        session.document.takes.push(Take { id, name, character: file, source, stages: Vec::new(), loops: None });
        session.selection.show(Shown::Take(id));
        window.run_steps(6);
        assert!(window.query_by_label(&tr("viewport.failed")).is_some());
        let why = app(window).session.evaluation.failure().unwrap().to_string();
        let message_count = |window: &Window<'_>| window.query_all_by_label_contains(&why).count();
        assert!(message_count(window) > 0, "{why}");
        app(window).session.document.takes.clear();
        app(window).session.selection.show(Shown::Nothing);
        window.run_steps(6);
        assert_eq!(message_count(window), 0, "no message speaks of it any more");
    });
}

#[test]
fn empty_panels_offer_what_would_fill_them() {
    in_window("en", |window| {
        let before = app(window).session.document.takes.len();
        let file = app(window).session.document.files[0].id;
        for (panel, offer) in [(Panel::Graph, "inspector.blend_this"), (Panel::Plots, "inspector.stretch_this")] {
            app(window).session.selection.show(Shown::Clip { character: file, file, clip: "leap_strike".into() });
            app(window).dock.show_panel(panel);
            window.run_steps(6);
            let panel_rect = window.get_by_label(&region(panel)).rect();
            let word = tr(offer);
            let is_here = |button: &egui_kittest::Node<'_>| panel_rect.contains(button.rect().center());
            window.query_all_by_label_contains(&word).find(is_here).expect(offer).click();
            window.run_steps(6);
        }
        let new_takes = &app(window).session.document.takes[before..];
        assert!(
            new_takes.len() == 2 && new_takes[0].blend().is_some() && new_takes[1].stretch(None).is_some(),
            "{new_takes:?}"
        );
    });
}
