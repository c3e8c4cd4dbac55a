//! Rows of the clip table: filters, measurements after a fix, and copying to other programs.

use egui::accesskit::Role;

use super::clips::{chosen, listed, shown};
use crate::i18n::tr_with;
use crate::tests::*;
use portamento_anim::quality::Finding;
use portamento_session::EditCommand;
use portamento_session::clip_library::Found;

/// Returns the index of `clip` among all rows.
fn at(window: &mut Harness<'_, Option<App>>, clip: &str) -> usize {
    app(window).session.clips.rows().iter().position(|row| row.clip == clip).unwrap()
}

#[test]
fn the_table_is_narrowed_to_one_finding_and_all_alike_are_chosen_by_the_menu_of_a_row() {
    in_window("en", |window| {
        let _folder = listed(window);
        let clips = &mut app(window).session.clips;
        ["cast", "leap_strike"].into_iter().for_each(|name| clips.find(name, Finding::Pops));
        clips.order.found = Found::One(Finding::Pops);
        window.run_steps(3);
        assert_eq!(shown(window), ["leap_strike", "cast"]);
        let row = window.get_by_label("hero.glb cast").rect().left_center() + egui::vec2(20.0, 0.0);
        window.event(Event::PointerMoved(row));
        for pressed in [true, false] {
            let (button, modifiers) = (egui::PointerButton::Secondary, Modifiers::NONE);
            window.event(Event::PointerButton { pos: row, button, pressed, modifiers });
            window.run_steps(2);
        }
        assert_eq!(chosen(window), ["cast"], "a row is chosen for its menu");
        let alike = tr_with("clips.choose_alike", &[("finding", tr("finding.pops"))]);
        window.get_by_role_and_label(Role::Button, &alike).click();
        window.run_steps(4);
        assert_eq!(chosen(window).len(), 2);
        app(window).session.clips.order.words = "no clip is called so".into();
        window.run_steps(3);
        window.get_by_role_and_label(Role::Button, &tr("clips.show_all")).click();
        window.run_steps(3);
        assert_eq!(shown(window).len(), app(window).session.clips.rows().len());
    });
}

#[test]
fn measurements_are_listed_before_and_after_a_fix_until_it_is_undone() {
    in_window("en", |window| {
        let _folder = listed(window);
        let row = at(window, "cast");
        app(window).session.clips.find("cast", Finding::DoesNotClose);
        app(window).session.clips.chosen = [row].into();
        window.run_steps(2);
        window.get_by_role_and_label(Role::Button, &tr("clips.mend")).click();
        window.run_steps(6);
        let mended = |window: &mut Harness<'_, Option<App>>| {
            let clips = &app(window).session.clips;
            clips.after(row).map(|after| after.quality.as_ref().unwrap().residue.place)
        };
        assert!(mended(window).unwrap() < 1e-5);
        app(window).session.clips.order.found = Found::Mended;
        window.run_steps(2);
        assert_eq!(shown(window), ["cast"]);
        let undo = |window: &mut Harness<'_, Option<App>>, command| {
            app(window).session.perform(Command::Edit(command));
            window.run_steps(2);
        };
        undo(window, EditCommand::Undo);
        assert!(mended(window).is_none() && shown(window).is_empty());
        undo(window, EditCommand::Redo);
        assert!(mended(window).is_some() && shown(window) == ["cast"]);
        let take = app(window).session.document.takes.last_mut().unwrap();
        take.stages[0].on = false;
        window.run_steps(2);
        assert!(mended(window).is_none(), "it is another take now");
    });
}

#[test]
fn hidden_columns_are_neither_drawn_nor_copied() {
    in_window("en", |window| {
        let _folder = listed(window);
        let row = at(window, "cast");
        app(window).session.clips.chosen = [row].into();
        app(window).session.preferences.hidden_columns.insert("findings".into());
        window.run_steps(3);
        let head = |window: &Harness<'_, Option<App>>, key: &str| {
            window.query_by_role_and_label(Role::Button, &tr(&format!("clips.column_{key}"))).is_some()
        };
        assert!(head(window, "clip") && !head(window, "findings"));
        window.get_by_label(&tr("clips.table")).focus();
        window.run_steps(2);
        window.event(Event::Copy);
        window.run_steps(2);
        let copied = window.output().platform_output.commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        });
        let copied = copied.expect("something was copied");
        let lines: Vec<&str> = copied.lines().collect();
        assert!(lines.len() == 2 && lines[0].starts_with("file,clip,slide cm/s"), "{copied}");
        assert!(lines[1].contains("hero.glb,cast,"), "{copied}");
    });
}

#[test]
fn a_folder_without_clips_says_so() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let folder = tempfile::tempdir().unwrap();
            app(window).list_clips(vec![folder.path().to_owned()]);
            window.run_steps(4);
            assert!(window.query_by_label(&tr("clips.none")).is_some(), "{language}");
            assert!(window.query_by_label_contains(&folder.path().display().to_string()).is_some(), "{language}");
        });
    }
}

#[test]
fn with_only_a_library_open_the_hint_points_to_its_clips() {
    in_window("en", |window| {
        app(window).session.perform(Command::File(FileCommand::New));
        let _folder = listed(window);
        let hints = window.query_all_by_label(&tr("clips.open_hint")).count();
        assert_eq!(hints, 4, "in outliner, view, inspector and timeline");
        assert!(window.query_by_label(&tr("outliner.empty")).is_some());
    });
}

#[test]
fn controls_over_the_table_do_not_overlap_in_a_narrow_window() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let folder = listed(window);
            std::fs::write(folder.path().join("broken.glb"), "no clip").unwrap();
            app(window).list_clips(vec![folder.path().to_owned()]);
            for width in [1024.0, 1280.0, 1920.0, 2560.0] {
                window.set_size(egui::vec2(width, 720.0));
                window.run_steps(6);
                let failures = tr_with("clips.failures", &[("count", "1".to_owned())]);
                let more = window.get_by_label(&tr("clips.more")).rect();
                let failures = window.get_by_label(&failures).rect();
                let inspector = window.query_all_by_label(&tr("panel.inspector")).next().unwrap().rect();
                assert!(more.max.x < failures.min.x, "{language} {width}: {more} {failures}");
                assert!(failures.max.x < inspector.min.x, "{language} {width}: {failures} {inspector}");
            }
        });
    }
}

#[test]
fn while_clips_are_measured_the_view_does_not_claim_to_load() {
    in_window("en", |window| {
        let folder = tempfile::tempdir().unwrap();
        let (_waiting, wait) = std::sync::mpsc::channel::<()>();
        // The job runs on its own thread and ends when the test does.
        app(window).session = portamento_session::Session::default();
        app(window).list_clips(vec![folder.path().to_owned()]);
        let work = move |_: &portamento_base::progress::Progress| {
            let _ = wait.recv();
        };
        app(window).session.jobs.start(portamento_session::JobKey::MeasureClips, work, |_, ()| {});
        window.run_steps(4);
        assert!(app(window).is_working());
        assert!(window.query_by_label(&tr("viewport.empty")).is_some());
        assert!(window.query_by_label(&tr("viewport.loading")).is_none());
    });
}
