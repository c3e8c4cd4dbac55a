//! Tests of the window without a display. Controls are found by their accessible names.

use std::path::PathBuf;

use egui::{Event, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::app::{App, Start};
use super::capture::picture::Outcome;
use super::i18n::{self, tr};
use portamento_session::{Command, FileCommand, Session, Shown};

mod frame;
mod systems;
mod files;
mod view;
mod input;

/// Opens a window on the sample project, with jobs that finish immediately.
fn window<'a>(language: &str, folder: &std::path::Path) -> Harness<'a, Option<App>> {
    i18n::use_language(language);
    portamento_session::samples::write_all(folder).unwrap();
    let project: PathBuf = folder.join("samples.portamento");
    let language = language.to_owned();
    let make = move |ctx: &egui::Context| {
        let context = eframe::CreationContext::_new_kittest(ctx.clone());
        let mut app = App::new(&context, Start::Picture(no_picture()), Outcome::default());
        app.picture = None;
        app.dialogs = Default::default();
        app.session = Session::inline();
        app.session.preferences.language = language.clone();
        app.has_chinese = true;
        app.session.perform(Command::File(FileCommand::Open(vec![project.clone()])));
        app
    };
    // Fonts take effect one frame after their installation.
    let frame = move |ui: &mut egui::Ui, app: &mut Option<App>| match app {
        None => *app = Some(make(ui.ctx())),
        Some(app) => {
            app.step(ui.ctx());
            app.draw(ui);
        }
    };
    let builder = Harness::builder().with_size([1280.0, 800.0]);
    let mut harness = builder.build_ui_state(frame, None);
    harness.run_steps(6);
    harness
}

/// Runs `check` in a window on the sample project.
pub(super) fn in_window(language: &str, check: impl FnOnce(&mut Harness<'_, Option<App>>)) {
    // Tests must not read or write the user's preferences.
    let folder = tempfile::tempdir().unwrap();
    check(&mut window(language, folder.path()));
}

/// Returns the application of the test window.
pub(super) fn app<'h>(window: &'h mut Harness<'_, Option<App>>) -> &'h mut App {
    window.state_mut().as_mut().unwrap()
}

fn no_picture() -> portamento_cli::Screenshot {
    portamento_cli::Screenshot {
        project: None,
        panel: None,
        size: (1280, 800),
        theme: "dark".into(),
        lang: "en".into(),
        time: None,
        take: Vec::new(),
        film: false,
        follow: false,
        out: PathBuf::new(),
        force: portamento_cli::Force::default(),
    }
}

#[test]
fn every_panel_is_translated_to_both_languages() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            for key in ["panel.outliner", "panel.inspector", "panel.viewport", "panel.plots"] {
                assert!(window.query_all_by_label(&tr(key)).next().is_some(), "{key} in {language}");
            }
            assert!(window.query_by_label(&tr("section.target")).is_some(), "{language}");
            assert!(window.query_by_label(&tr("overlays.title")).is_some(), "{language}");
        });
    }
}

#[test]
fn the_palette_finds_a_command_and_enter_performs_it() {
    in_window("en", |window| {
        window.key_press_modifiers(Modifiers::COMMAND, Key::P);
        window.run_steps(3);
        assert!(app(window).palette.is_some());
        window.event(egui::Event::Text("next frame".into()));
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(3);
        assert!(app(window).palette.is_none());
        assert_eq!(app(window).session.playback.frame(), 1);
    });
}

#[test]
fn text_typed_while_the_palette_opens_is_its_query_and_triggers_no_shortcut() {
    in_window("en", |window| {
        let key = |key: Key, modifiers| Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
        let (takes, at_end) = (app(window).session.document.takes.len(), app(window).session.playback.loop_mode);
        // All events in one frame, as on a busy machine. L alone is also a shortcut.
        let typed = [key(Key::L, Modifiers::NONE), Event::Text("next frame".into())];
        let (open, enter) = (key(Key::P, Modifiers::COMMAND), key(Key::Enter, Modifiers::NONE));
        window.input_mut().events.extend([open].into_iter().chain(typed).chain([enter]));
        window.run_steps(3);
        assert_eq!(app(window).session.document.takes.len(), takes, "a new project was begun");
        assert_eq!(app(window).session.playback.loop_mode, at_end);
        assert_eq!(app(window).session.playback.frame(), 1);
    });
}

#[test]
fn shortcuts_move_the_playhead_and_undo_an_edit() {
    in_window("en", |window| {
        window.key_press_modifiers(Modifiers::SHIFT, Key::ArrowRight);
        window.run_steps(2);
        assert_eq!(app(window).session.playback.frame(), 10);
        window.key_press(Key::Home);
        window.run_steps(2);
        assert_eq!(app(window).session.playback.frame(), 0);
        let before = app(window).session.document.clone();
        let Shown::Take(id) = app(window).session.selection.shown else { panic!("no take is shown") };
        app(window).session.document.take_mut(id).unwrap().name = "changed".into();
        window.run_steps(2);
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.run_steps(2);
        assert_eq!(app(window).session.document, before);
    });
}

#[test]
fn a_new_project_asks_before_it_drops_changes() {
    in_window("en", |window| {
        app(window).session.document.takes.pop();
        window.run_steps(2);
        window.key_press_modifiers(Modifiers::COMMAND, Key::N);
        window.run_steps(3);
        assert!(app(window).dialogs.unsaved.is_some());
        window.get_by_label(&tr("unsaved.cancel")).click();
        window.run_steps(3);
        assert!(app(window).dialogs.unsaved.is_none());
        assert!(!app(window).session.document.takes.is_empty());
    });
}

#[test]
fn the_transport_buttons_have_names_and_play() {
    in_window("en", |window| {
        window.get_by_label(&super::shell::menu::label_with_shortcut("play_pause")).click();
        window.run_steps(3);
        assert!(app(window).session.playback.playing);
    });
}

/// A file as the system hands it over.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &std::path::Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

#[test]
fn files_dropped_on_the_window_are_opened() {
    in_window("en", |window| {
        let folder = tempfile::tempdir().unwrap();
        portamento_session::samples::write_all(folder.path()).unwrap();
        let hero = folder.path().join("hero.glb");
        let before = app(window).session.document.files.len();
        window.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(hero)));
        window.run_steps(3);
        assert_eq!(app(window).session.document.files.len(), before + 1);
    });
}

#[test]
fn a_role_is_corrected_by_choosing_another_joint() {
    in_window("en", |window| {
        let file = app(window).session.document.files[0].id;
        app(window).session.selection.shown = Shown::File(file);
        window.run_steps(3);
        app(window).session.document.characters[0].roles.head = None;
        window.run_steps(3);
        window.get_by_label(&tr("rig.find_again")).click();
        window.run_steps(3);
        assert!(app(window).session.document.characters[0].roles.head.is_some());
    });
}

#[test]
fn a_scene_object_is_added_by_command_and_removed_by_its_button() {
    in_window("en", |window| {
        let count = app(window).session.document.objects.len();
        app(window).perform(Command::Edit(portamento_session::EditCommand::AddObject));
        window.run_steps(3);
        assert_eq!(app(window).session.document.objects.len(), count + 1);
        window.get_by_label(&tr("object.remove")).click();
        window.run_steps(3);
        assert_eq!(app(window).session.document.objects.len(), count);
    });
}
