//! Text of dialogs and of panels behind tabs is completely visible in small windows, in both languages.

use egui::epaint::{ClippedShape, Shape};
use egui::{Rect, Vec2};

use super::layout::{faults, faults_of};
use crate::dialogs::Leave;
use crate::dock::Panel;
use crate::tests::*;
use portamento_base::message::Message;
use portamento_session::{EditCommand, Severity, WindowCommand};

type Window<'a> = Harness<'a, Option<App>>;
/// The name of a dialog in messages of tests, and how it is opened.
type Opening = (&'static str, fn(&mut App));

/// Window sizes in pixels with their UI scale.
const SIZES: [([f32; 2], f32); 2] = [([1024.0, 640.0], 1.0), ([1280.0, 800.0], 2.0)];

const DIALOGS: [Opening; 12] = [
    ("export", |app| ask(app, WindowCommand::AskExport)),
    ("variants", |app| ask(app, WindowCommand::AskVariants)),
    ("sets", |app| ask(app, WindowCommand::AskSets)),
    ("remote control", |app| ask(app, WindowCommand::RemoteControl)),
    ("preferences", |app| ask(app, WindowCommand::Preferences)),
    ("guide", |app| ask(app, WindowCommand::Guide)),
    ("help", |app| ask(app, WindowCommand::Help)),
    ("shortcuts", |app| ask(app, WindowCommand::Shortcuts)),
    ("recovery", |app| ask(app, WindowCommand::AskRecover)),
    ("unsaved", |app| app.dialogs.unsaved = Some(Leave::Quit)),
    ("finish", |app| app.session.perform(Command::Edit(EditCommand::AskFinish(Vec::new())))),
    ("removal of a file", |app| app.session.perform(Command::Edit(EditCommand::RemoveFile(None)))),
];

fn ask(app: &mut App, command: WindowCommand) {
    app.session.perform(Command::Window(command));
}

/// Returns the shapes of the dialog at `rect` and what it contains, without those below it.
fn shapes_of<'a>(window: &'a Window<'_>, rect: Rect) -> &'a [ClippedShape] {
    let shapes = &window.output().shapes;
    let begins = shapes.iter().rposition(|clipped| has_frame(&clipped.shape, rect));
    &shapes[begins.expect("the frame of the dialog is drawn")..]
}

/// True if `shape` draws the rectangle `wanted`.
fn has_frame(shape: &Shape, wanted: Rect) -> bool {
    let is_near = |rect: Rect| (rect.min - wanted.min).length() < 3.0 && (rect.max - wanted.max).length() < 3.0;
    match shape {
        Shape::Rect(drawn) => is_near(drawn.rect),
        Shape::Vec(shapes) => shapes.iter().any(|shape| has_frame(shape, wanted)),
        _ => false,
    }
}

/// Returns the layout errors of the open dialog; one of them is that there is none.
fn faults_of_dialog(window: &Window<'_>, names: &[String]) -> Vec<String> {
    let layer = window.ctx.memory(|memory| memory.top_modal_layer());
    let Some(rect) = layer.and_then(|layer| window.ctx.memory(|memory| memory.area_rect(layer.id))) else {
        return vec!["no dialog is open".into()];
    };
    let mut wrong = faults_of(window, shapes_of(window, rect), names, |_| true);
    let screen = window.ctx.content_rect();
    if !screen.contains_rect(rect) {
        wrong.push(format!("the dialog {rect} leaves the window {screen}"));
    }
    wrong
}

#[test]
fn no_text_of_a_dialog_is_cut_broken_or_overlapped_in_a_small_window() {
    let mut wrong = Vec::new();
    for language in ["en", "zh-CN"] {
        for (size, scale) in SIZES {
            in_window(language, |window| {
                window.set_pixels_per_point(scale);
                window.set_size(Vec2::from(size) / scale);
                let names: Vec<String> =
                    app(window).session.document.takes.iter().map(|take| take.name.clone()).collect();
                for (name, open) in DIALOGS {
                    open(app(window));
                    window.run_steps(8);
                    let found = faults_of_dialog(window, &names);
                    wrong.extend(
                        found.into_iter().map(|fault| format!("{language} {size:?} × {scale} {name}: {fault}")),
                    );
                    app(window).dialogs = Default::default();
                    (app(window).session.asked_finish, app(window).session.asked_file_removal) = (None, None);
                    window.run_steps(3);
                }
            });
        }
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_text_of_a_panel_is_cut_broken_or_overlapped_in_a_small_window() {
    let mut wrong = Vec::new();
    for language in ["en", "zh-CN"] {
        for (size, scale) in SIZES {
            in_window(language, |window| {
                window.set_pixels_per_point(scale);
                window.set_size(Vec2::from(size) / scale);
                let session = &mut app(window).session;
                let takes = session.document.takes.iter().map(|take| take.name.clone());
                let files = session.document.files.iter().filter_map(|file| session.library.get(file.id));
                let clips = files.flat_map(|file| file.model.clips.iter().map(|clip| clip.name.clone()));
                let names: Vec<String> = takes.chain(clips).collect();
                session
                    .notices
                    .add(Severity::Warning, Message::verbatim("A file has no skeleton. Choose another one."));
                // The table of clips scrolls sideways.
                for panel in Panel::ALL.into_iter().filter(|panel| *panel != Panel::Clips) {
                    app(window).dock.show_panel(panel);
                    window.run_steps(8);
                    let found = faults(window, &names);
                    let fault = |fault| format!("{language} {size:?} × {scale} {}: {fault}", panel.name());
                    wrong.extend(found.into_iter().map(fault));
                }
                app(window).session.perform(Command::File(FileCommand::New));
                window.run_steps(8);
                let found = faults(window, &[]);
                wrong.extend(found.into_iter().map(|fault| format!("{language} {size:?} × {scale} start: {fault}")));
            });
        }
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}
