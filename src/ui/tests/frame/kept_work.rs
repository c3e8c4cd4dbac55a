//! Questions before work is replaced or discarded, and automatic saving.

use std::path::PathBuf;

use egui::{Event, Key, Modifiers, ViewportEvent, ViewportId};
use egui_kittest::kittest::Queryable;

use crate::app::App;
use crate::i18n::tr;
use crate::tests::{app, in_window};
use portamento_formats::export::Replace;
use portamento_session::{Command, ExportRequest, FileCommand, Session};
use portamento_takes::document::SceneObject;

fn edit(session: &mut Session, name: &str) {
    session.document.objects.push(SceneObject::point(name, glam::DVec3::X));
}

fn autosaves(home: &std::path::Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "autosave")).collect()
}

#[test]
fn work_is_autosaved_when_the_window_loses_focus() {
    in_window("en", |window| {
        let home = tempfile::tempdir().unwrap();
        app(window).persists = true;
        app(window).session.project.keep_work(home.path());
        window.event(Event::WindowFocused(false));
        window.run_steps(2);
        assert_eq!(autosaves(home.path()), [] as [PathBuf; 0], "nothing was changed");
        edit(&mut app(window).session, "mark");
        window.run_steps(2);
        assert_eq!(autosaves(home.path()), [] as [PathBuf; 0], "it is not due yet");
        window.event(Event::WindowFocused(false));
        window.run_steps(2);
        assert_eq!(autosaves(home.path()).len(), 1);
    });
}

#[test]
fn work_is_autosaved_when_due_even_if_nothing_is_drawn() {
    in_window("en", |window| {
        let home = tempfile::tempdir().unwrap();
        let ctx = window.ctx.clone();
        let app = app(window);
        app.persists = true;
        app.session.project.keep_work(home.path());
        app.session.preferences.autosave_seconds = 1e-6;
        app.step(&ctx);
        edit(&mut app.session, "mark");
        app.step(&ctx);
        // The interval is measured with the wall clock.
        while autosaves(home.path()).is_empty() {
            app.step(&ctx);
        }
        assert_eq!(autosaves(home.path()).len(), 1);
        assert!(
            app.session
                .project
                .autosave_due(app.session.preferences.autosave_interval(), std::time::Instant::now())
                .is_some(),
            "nothing wakes the window"
        );
    });
}

#[test]
fn a_panicking_window_saves_the_work_and_a_report() {
    in_window("en", |window| {
        let home = tempfile::tempdir().unwrap();
        let app = app(window);
        app.persists = true;
        app.session.project.keep_work(home.path());
        edit(&mut app.session, "mark");
        let fails = std::panic::AssertUnwindSafe(|| app.save_work_on_panic(|_| panic!("on purpose")));
        assert!(std::panic::catch_unwind(fails).is_err(), "it goes on as if nothing had happened");
        assert_eq!(autosaves(home.path()).len(), 1);
        let names = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(names.into_iter().any(|name| name.to_string_lossy().starts_with("crash-")));
    });
}

fn is_exporting(app: &App) -> bool {
    app.session.exports.is_running(&app.session.jobs)
}

#[test]
fn existing_files_are_listed_and_replaced_by_one_answer_in_both_languages() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path().join("there.glb");
            std::fs::write(&out, b"somebody else's").unwrap();
            let session = &mut app(window).session;
            let takes = vec![session.document.takes[0].id];
            let request =
                ExportRequest { takes, destination: out.clone(), replace: Replace::Refuse, ..ExportRequest::default() };
            for (answer, is_replaced) in [("unsaved.cancel", false), ("replace.all", true)] {
                app(window).session.perform(Command::File(FileCommand::Export(request.clone())));
                window.run_steps(3);
                assert!(window.query_by_label(&tr("dialog.replace")).is_some(), "{language}");
                assert!(window.query_by_label(&out.display().to_string()).is_some(), "{language}");
                window.get_by_label(&tr(answer)).click();
                window.run_steps(3);
                assert!(window.query_by_label(&tr("dialog.replace")).is_none());
                assert_eq!(std::fs::read(&out).unwrap().starts_with(b"glTF"), is_replaced, "{language} {answer}");
            }
        });
    }
}

#[test]
fn quitting_during_an_export_asks_first_and_a_cancelled_export_writes_nothing() {
    in_window("en", |window| {
        let (_waiting, wait) = std::sync::mpsc::channel::<()>();
        // The export runs on its own thread and ends when the test does.
        let mut session = Session::default();
        let work = move |_: &portamento_base::progress::Progress| {
            let _ = wait.recv();
        };
        session.jobs.start(portamento_session::JobKey::Export, work, |_, ()| {});
        app(window).session = session;
        window.run_steps(2);
        let close = |window: &mut egui_kittest::Harness<'_, Option<crate::app::App>>| {
            let viewport = window.input_mut().viewports.get_mut(&ViewportId::ROOT).unwrap();
            viewport.events.push(ViewportEvent::Close);
            window.run_steps(3);
        };
        close(window);
        assert!(app(window).dialogs.exporting && is_exporting(app(window)));
        window.get_by_label(&tr("exporting.wait")).click();
        window.run_steps(3);
        assert!(!app(window).dialogs.exporting && is_exporting(app(window)));
        close(window);
        window.get_by_label(&tr("exporting.quit")).click();
        window.run_steps(3);
        assert!(!is_exporting(app(window)));
    });
}

#[test]
fn unsaved_work_is_listed_and_stays_until_it_is_discarded() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let home = tempfile::tempdir().unwrap();
            let mut lost = Session::inline();
            lost.project.keep_work(home.path());
            edit(&mut lost, "mark");
            lost.autosave_now().unwrap();
            drop(lost);
            app(window).session.project.keep_work(home.path());
            let recover = Command::Window(portamento_session::WindowCommand::AskRecover);
            app(window).session.perform(recover.clone());
            window.run_steps(4);
            assert!(window.query_by_label(&tr("recovery.untitled")).is_some(), "{language}");
            window.key_press_modifiers(Modifiers::NONE, Key::Escape);
            window.run_steps(4);
            assert!(!app(window).dialogs.recovery.is_open());
            assert_eq!(autosaves(home.path()).len(), 1, "closing the list removes nothing");
            app(window).session.perform(recover.clone());
            window.run_steps(4);
            window.get_by_label(&tr("recovery.open")).click();
            window.run_steps(4);
            let opened = &app(window).session;
            assert_eq!((opened.document.objects.last().unwrap().name.as_str(), opened.is_unsaved()), ("mark", true));
            assert_eq!(autosaves(home.path()).len(), 1, "opening removes nothing");
            app(window).session.perform(recover.clone());
            window.run_steps(4);
            window.get_by_label(&tr("recovery.discard")).click();
            window.run_steps(4);
            assert_eq!(autosaves(home.path()), [] as [PathBuf; 0]);
            app(window).session.perform(recover);
            window.run_steps(4);
            assert!(window.query_by_label(&tr("recovery.none")).is_some(), "{language}");
            assert!(window.query_by_label(&tr("dialog.recovery")).is_none(), "none was found");
        });
    }
}

/// Returns the plates in the colour of the default button.
fn primary_buttons(window: &egui_kittest::Harness<'_, Option<App>>) -> usize {
    let accent = crate::theme::tokens(true).accent;
    let mut shapes: Vec<&egui::Shape> = window.output().shapes.iter().map(|clipped| &clipped.shape).collect();
    let mut count = 0;
    while let Some(shape) = shapes.pop() {
        match shape {
            egui::Shape::Vec(inner) => shapes.extend(inner),
            egui::Shape::Rect(rect) => count += usize::from(rect.fill == accent && rect.rect.height() > 16.0),
            _ => {}
        }
    }
    count
}

#[test]
fn a_dialog_has_one_highlighted_button() {
    in_window("en", |window| {
        let home = tempfile::tempdir().unwrap();
        for name in ["one", "two", "three"] {
            let mut lost = Session::inline();
            lost.project.keep_work(home.path());
            edit(&mut lost, name);
            lost.autosave_now().unwrap();
        }
        app(window).session.project.keep_work(home.path());
        let before = primary_buttons(window);
        let open = |window: &mut egui_kittest::Harness<'_, Option<App>>, asks: portamento_session::WindowCommand| {
            app(window).session.perform(Command::Window(asks));
            window.run_steps(4);
        };
        open(window, portamento_session::WindowCommand::AskRecover);
        assert_eq!(window.query_all_by_label(&tr("recovery.open")).count(), 3);
        assert_eq!(primary_buttons(window), before + 1);
        window.key_press(Key::Escape);
        window.run_steps(4);
        for asks in [portamento_session::WindowCommand::AskExport, portamento_session::WindowCommand::AskVariants] {
            open(window, asks);
            assert_eq!(primary_buttons(window), before + 1, "{asks:?}");
            window.key_press(Key::Escape);
            window.run_steps(4);
        }
    });
}

#[test]
fn operating_system_errors_are_translated() {
    for (language, words) in [("en", "there is no such file or folder"), ("zh-CN", "没有此文件或文件夹")] {
        in_window(language, |window| {
            let folder = tempfile::tempdir().unwrap();
            for name in ["gone.glb", "gone.portamento", "gone.bvh", "gone.png"] {
                let path = folder.path().join(name);
                app(window).session.perform(Command::File(FileCommand::Open(vec![path])));
                let notice = app(window).session.notices.all().last().unwrap().message.clone();
                let text = crate::i18n::localized(&notice);
                assert!(text.contains(words) && !text.contains("os error"), "{name}: {text}");
            }
        });
    }
}

#[test]
fn the_window_asks_whether_to_finish_an_interrupted_export() {
    in_window("en", |window| {
        for (answer, texts) in [
            ("interrupted.later", ["new a", "old b"]),
            ("interrupted.undo", ["old a", "old b"]),
            ("interrupted.finish", ["new a", "new b"]),
        ] {
            let (home, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let journal = portamento_test_support::half_new_export(out.path());
            let note = format!("{{ \"journal\": {:?} }}", journal.display().to_string());
            std::fs::write(home.path().join("0.export"), note).unwrap();
            app(window).session.exports.ask_about_noted(home.path());
            window.run_steps(3);
            window.get_by_label(&tr(answer)).click();
            window.run_steps(3);
            let now = ["a.txt", "b.txt"].map(|name| std::fs::read_to_string(out.path().join(name)).unwrap());
            assert_eq!(now, texts, "{answer}");
            assert!(app(window).session.exports.interrupted().is_empty());
        }
    });
}
