//! The export dialog: ticked takes, questions, remembered choices, and the position of messages.

use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use super::outliner::{choose, choose_with};
use crate::dock::Panel;
use crate::i18n::tr_with;
use crate::tests::{App, app, in_window, tr};
use portamento_base::message::Message;
use portamento_session::{Command, FileCommand, MeshFormat, Severity, Shown, WindowCommand};
use portamento_takes::document::TakeSource;

type Window<'a> = Harness<'a, Option<App>>;

fn open(window: &mut Window<'_>) {
    window.key_press_modifiers(Modifiers::COMMAND, Key::E);
    window.run_steps(3);
    assert!(app(window).dialogs.export);
}

fn close(window: &mut Window<'_>) {
    window.get_by_label(&tr("unsaved.cancel")).click();
    window.run_steps(3);
    assert!(!app(window).dialogs.export);
}

fn go_name(window: &Window<'_>, ticked: usize) -> egui::Rect {
    let name = tr_with("export.go", &[("count", ticked.to_string())]);
    window.get_by_role_and_label(Role::Button, &name).rect()
}

fn count(some: usize, all: usize) -> String {
    tr_with("export.count", &[("some", some.to_string()), ("all", all.to_string())])
}

/// Shows the first take whose source satisfies `wanted`.
fn show(window: &mut Window<'_>, wanted: impl Fn(&TakeSource) -> bool) {
    let session = &mut app(window).session;
    let id = session.document.takes.iter().find(|take| wanted(&take.source)).unwrap().id;
    session.selection.show(Shown::Take(id));
    window.run_steps(4);
}

#[test]
fn the_dialog_opens_with_the_shown_take_and_remembers_the_settings() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let all = app(window).session.document.takes.len();
            open(window);
            assert!(window.query_by_label(&count(1, all)).is_some());
            go_name(window, 1);
            let shown = app(window).session.shown_take().unwrap().id;
            assert!(app(window).session.exports.choice.has(shown));
            window.get_by_label(&tr("export.all")).click();
            window.run_steps(3);
            go_name(window, all);
            window.get_by_label(&tr("export.only")).click();
            window.run_steps(3);
            assert!(window.query_by_label(&count(1, all)).is_some());
            app(window).session.exports.choice.settings.meshes = MeshFormat::Pc2;
            app(window).session.exports.choice.folder = "somewhere".into();
            close(window);
            open(window);
            assert!(window.query_by_label(&count(1, all)).is_some());
            let choice = &app(window).session.exports.choice;
            assert_eq!((choice.settings.meshes, choice.folder.as_str()), (MeshFormat::Pc2, "somewhere"));
            window.get_by_label(&tr("export.all")).click();
            window.run_steps(3);
            assert!(window.query_by_label(&count(all, all)).is_some());
        });
    }
}

#[test]
fn an_export_as_i_work_is_begun_in_the_dialog_shown_in_the_status_line_and_turned_off_by_its_command() {
    let out = tempfile::tempdir().unwrap();
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let folder = out.path().join(language);
            app(window).session.perform(Command::File(FileCommand::ExportAsIWork));
            window.run_steps(3);
            assert!(app(window).dialogs.export && app(window).session.exports.choice.as_i_work);
            app(window).session.exports.choice.folder = folder.display().to_string();
            app(window).session.exports.choice.settings.per_character = true;
            window.run_steps(3);
            let is_enabled = |window: &Window<'_>| {
                !window.get_by_role_and_label(Role::CheckBox, &tr("export.as_i_work")).accesskit_node().is_disabled()
            };
            assert!(!is_enabled(window), "one file of all takes cannot repeat");
            app(window).session.exports.choice.settings.per_character = false;
            window.run_steps(3);
            assert!(is_enabled(window));
            let name = tr_with("export.go", &[("count", "1".into())]);
            window.get_by_role_and_label(Role::Button, &name).click();
            window.run_steps(8);
            assert!(app(window).session.exports.as_i_work().is_some_and(|work| work.finished().is_some()));
            let begin = tr_with("status.as_i_work", &[("time", String::new())]);
            // Hours, minutes and seconds follow.
            let is_shown = |window: &Window<'_>| {
                let is_status = |label: String| label.starts_with(&begin) && label.len() == begin.len() + 8;
                window.query_by(|node| node.label().is_some_and(is_status)).is_some()
            };
            assert!(is_shown(window));
            app(window).session.perform(Command::File(FileCommand::ExportAsIWork));
            window.run_steps(3);
            assert!(app(window).session.exports.as_i_work().is_none());
            assert!(!is_shown(window));
        });
    }
}

#[test]
fn the_dialog_stops_moving_before_the_pointer_reaches_it() {
    in_window("en", |window| {
        app(window).session.perform(Command::Window(WindowCommand::AskExport));
        // Runs until no frame is requested.
        assert!((0..20).any(|_| window.run_ok().is_some()));
        let at_rest = go_name(window, 1);
        window.run_steps(6);
        assert_eq!(go_name(window, 1), at_rest);
    });
}

#[test]
fn every_take_of_the_samples_has_a_row_without_scrolling() {
    in_window("en", |window| {
        open(window);
        let names: Vec<String> = app(window).session.document.takes.iter().map(|take| take.name.clone()).collect();
        let bottom = go_name(window, 1).max.y;
        assert!(bottom < 800.0, "{bottom}");
        let mut last = 0.0;
        for name in names {
            let boxes = window
                .query_all_by(|node| node.role() == Role::CheckBox && node.label().as_deref() == Some(name.as_str()));
            let rect = boxes.map(|node| node.rect()).next().unwrap();
            assert!(rect.min.y > last && rect.max.y < bottom, "{name} {rect}");
            last = rect.min.y;
        }
    });
}

#[test]
fn rows_that_have_room_are_not_scrolled_away() {
    in_window("en", |window| {
        open(window);
        window.get_by_label(&tr("export.only")).click();
        window.run_steps(4);
        let row = |window: &Window<'_>| window.query_all_by_label(&tr("form.format")).next().unwrap().rect();
        let before = row(window);
        window.event(egui::Event::PointerMoved(before.center()));
        for _ in 0..6 {
            let (unit, phase, delta) = (egui::MouseWheelUnit::Point, egui::TouchPhase::Move, egui::vec2(0.0, -120.0));
            window.event(egui::Event::MouseWheel { unit, delta, phase, modifiers: Modifiers::NONE });
            window.run_steps(3);
        }
        assert_eq!(row(window), before);
    });
}

#[test]
fn rows_follow_the_ticked_takes() {
    let rows = ["format", "keep", "keys", "meshes", "images", "weights_json", "routes", "closing"];
    let shown = |window: &mut Window<'_>| -> Vec<&str> {
        open(window);
        window.get_by_label(&tr("export.only")).click();
        window.run_steps(3);
        let panels = |key: &str| window.query_all_by_label(&tr(&format!("form.{key}"))).next().is_some();
        let shown = rows.into_iter().filter(|key| panels(key)).collect();
        close(window);
        shown
    };
    in_window("en", |window| {
        show(window, |source| matches!(source, TakeSource::Images { .. }));
        assert_eq!(shown(window), ["images", "closing"]);
        show(window, |source| matches!(source, TakeSource::Scenario(_)));
        assert_eq!(shown(window), ["format", "keep", "keys", "weights_json"]);
        show(window, |source| matches!(source, TakeSource::Walk(_)));
        assert_eq!(shown(window), ["format", "keep", "keys", "routes"]);
    });
}

#[test]
fn toasts_are_in_the_corner_of_the_viewport_and_cover_no_panel() {
    in_window("en", |window| {
        app(window).dock.show_panel(Panel::Log);
        app(window).session.notices.add(Severity::Error, Message::verbatim("It failed because of this. Do that."));
        window.run_steps(4);
        let view = window.get_by_label(&tr("panel.viewport")).rect();
        let cross = window.get_by_label(&tr("toast.close")).rect();
        assert!(view.contains_rect(cross), "{cross} in {view}");
        assert!(view.max.x - cross.max.x < 40.0 && view.max.y - cross.max.y < 80.0, "{cross} in {view}");
    });
}

#[test]
fn in_a_low_window_rows_scroll_and_the_buttons_stay_visible() {
    in_window("en", |window| {
        window.set_size(egui::vec2(1024.0, 640.0));
        window.run_steps(2);
        open(window);
        for preset in [None, Some(portamento_session::Preset::Unreal)] {
            app(window).session.exports.choice.set_clips(preset.map(|preset| preset.settings()).unwrap_or_default());
            window.run_steps(3);
            let go = go_name(window, 1);
            assert!(go.max.y < 640.0 && go.min.y > 0.0, "{preset:?}: {go}");
        }
    });
}

#[test]
fn takes_that_are_chosen_together_are_those_that_are_ticked() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let names: Vec<String> = app(window).session.document.takes.iter().map(|take| take.name.clone()).collect();
            choose(window, &names[1]);
            open(window);
            assert!(window.query_by_label(&count(1, names.len())).is_some(), "one is what is shown");
            close(window);
            choose_with(window, &names[3], Modifiers::SHIFT);
            open(window);
            assert!(window.query_by_label(&count(3, names.len())).is_some());
            window.get_by_label(&tr("export.all")).click();
            window.run_steps(3);
            window.get_by_label(&tr("export.only_chosen")).click();
            window.run_steps(3);
            let session = &app(window).session;
            let ticked: Vec<&str> =
                session.exports.choice.takes(&session.document).map(|take| take.name.as_str()).collect();
            assert_eq!(ticked, names[1..=3]);
        });
    }
}

#[test]
fn the_menu_of_several_takes_exports_them() {
    in_window("en", |window| {
        let names: Vec<String> = app(window).session.document.takes.iter().map(|take| take.name.clone()).collect();
        choose(window, &names[0]);
        choose_with(window, &names[1], Modifiers::SHIFT);
        let at =
            window.query_all_by_label(&names[1]).map(|node| node.rect()).min_by(|a, b| a.min.x.total_cmp(&b.min.x));
        let (pos, button, modifiers) = (at.unwrap().center(), egui::PointerButton::Secondary, Modifiers::NONE);
        window.event(egui::Event::PointerMoved(pos));
        for pressed in [true, false] {
            window.event(egui::Event::PointerButton { pos, button, pressed, modifiers });
            window.run_steps(1);
        }
        window.run_steps(3);
        window.get_by_label_contains(&tr_with("outliner.export_takes", &[("count", "2".to_owned())])).click();
        window.run_steps(4);
        assert!(app(window).dialogs.export);
        assert!(window.query_by_label(&count(2, names.len())).is_some());
    });
}

#[test]
fn the_first_ticked_take_is_visible() {
    in_window("en", |window| {
        let takes = &mut app(window).session.document.takes;
        for copy in 0..20_u32 {
            let mut take = takes[0].clone();
            (take.id, take.name) = (portamento_takes::document::TakeId(900 + copy), format!("copy {copy}"));
            takes.push(take);
        }
        let last = takes.last().unwrap().id;
        app(window).session.selection.show(Shown::Take(last));
        window.run_steps(4);
        open(window);
        window.get_by_label(&tr("export.only")).click();
        window.run_steps(4);
        let row =
            window.query_all_by(|node| node.role() == Role::CheckBox && node.label().as_deref() == Some("copy 19"));
        let row = row.map(|node| node.rect()).next().unwrap();
        let format = window.query_all_by_label(&tr("form.engine")).map(|node| node.rect().min.y).fold(0.0, f32::max);
        assert!(row.max.y < format, "{row} above {format}");
    });
}

#[test]
fn the_export_button_does_not_move_when_takes_are_ticked_and_a_missed_click_closes_nothing() {
    in_window("en", |window| {
        show(window, |source| matches!(source, TakeSource::Images { .. }));
        open(window);
        let (before, all) = (go_name(window, 1), app(window).session.document.takes.len());
        window.get_by_label(&tr("export.all")).click();
        window.run_steps(4);
        let bottom = (go_name(window, all).min.y, go_name(window, all).max);
        assert_eq!(bottom, (before.min.y, before.max));
        close(window);
        open(window);
        assert_eq!(go_name(window, 1), before, "also where few are ticked when it opens");
        for pressed in [true, false] {
            let (pos, button, modifiers) = (egui::pos2(30.0, 400.0), egui::PointerButton::Primary, Modifiers::NONE);
            window.event(egui::Event::PointerMoved(pos));
            window.event(egui::Event::PointerButton { pos, button, pressed, modifiers });
            window.run_steps(2);
        }
        assert!(app(window).dialogs.export);
        window.key_press(Key::Escape);
        window.run_steps(3);
        assert!(!app(window).dialogs.export);
    });
}

#[test]
fn every_box_of_the_dialog_has_words() {
    in_window("en", |window| {
        open(window);
        let words = tr("export.reduce");
        assert!(window.query_by_role_and_label(Role::CheckBox, &words).is_some());
    });
}

#[test]
fn enter_exports_unless_a_control_takes_it_and_the_folder_is_never_that_of_an_opened_file() {
    in_window("en", |window| {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        // An unsaved project: no folder of its own.
        app(window).session.project.path = None;
        app(window).session.preferences.export_folder = out.display().to_string();
        open(window);
        let field = window.query_all_by_role(Role::TextInput).find(|node| node.value().as_deref() == out.to_str());
        field.expect("the folder of the last export").focus();
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(4);
        assert!(!app(window).dialogs.export);
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1, "the shown take");
        let elsewhere = folder.path().join("elsewhere");
        open(window);
        app(window).session.exports.choice.folder = elsewhere.display().to_string();
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(4);
        assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 1);
        assert_eq!(app(window).session.preferences.export_folder, elsewhere.display().to_string());
    });
}
