//! The clip table: layout of visible rows, scrolling and keyboard navigation.

use super::clips::{chosen, listed, shown};
use crate::shell::workspace::Workspace;
use crate::tests::*;
use portamento_anim::quality::Finding;
use portamento_session::EditCommand;

#[test]
fn ten_thousand_rows_lay_out_only_the_visible_ones() {
    in_window("en", |window| {
        let _folder = listed(window);
        let clips = &mut app(window).session.clips;
        clips.repeat_rows(10_000);
        window.run_steps(3);
        assert_eq!(shown(window).len(), 10_000);
        let laid_out = window.query_all_by_label_contains("hero.glb ").count();
        assert!((5..100).contains(&laid_out), "{laid_out} rows");
    });
}

#[test]
fn file_and_clip_columns_stay_while_the_measurements_scroll() {
    in_window("en", |window| {
        let _folder = listed(window);
        let head = |window: &Harness<'_, Option<App>>, key: &str| {
            let name = tr(&format!("clips.column_{key}"));
            window.query_by_role_and_label(egui::accesskit::Role::Button, &name).map(|head| head.rect())
        };
        let before = head(window, "clip").unwrap();
        assert_eq!(head(window, "flips"), None);
        window.event(egui::Event::PointerMoved(before.center_bottom() + egui::vec2(0.0, 40.0)));
        for _ in 0..30 {
            let (unit, phase, delta) = (egui::MouseWheelUnit::Point, egui::TouchPhase::Move, egui::vec2(-120.0, 0.0));
            window.event(egui::Event::MouseWheel { unit, delta, phase, modifiers: Modifiers::NONE });
            window.run_steps(1);
        }
        window.run_steps(10);
        assert_eq!(head(window, "clip"), Some(before));
        assert!(head(window, "flips").is_some_and(|flips| flips.min.x >= before.max.x));
        assert_eq!(window.query_all_by_label("hero.glb idle").count(), 1);
    });
}

#[test]
fn two_measurements_are_plotted_next_to_the_table() {
    in_window("en", |window| {
        let _folder = listed(window);
        let choices = |window: &Harness<'_, Option<App>>| {
            window.query_all_by_role(egui::accesskit::Role::ComboBox).map(|choice| choice.rect()).collect::<Vec<_>>()
        };
        let before = choices(window);
        window.get_by_label(&tr("clips.plot")).click();
        window.run_steps(4);
        let of_plot: Vec<_> = choices(window).into_iter().filter(|choice| !before.contains(choice)).collect();
        assert!(of_plot.len() == 2 && of_plot[0].min.y == of_plot[1].min.y, "{of_plot:?}");
    });
}

#[test]
fn a_clip_chosen_in_the_plot_is_scrolled_to_in_the_table_and_a_box_chooses_all_dots_in_it() {
    in_window("en", |window| {
        let _folder = listed(window);
        window.get_by_label(&tr("clips.plot")).click();
        window.run_steps(4);
        let panel = window.get_by_label(&crate::dock::region(crate::dock::Panel::Clips)).rect();
        let table = window.get_by_label(&tr("clips.table")).rect();
        let plot = egui::Rect::from_min_max(
            egui::pos2(table.max.x + 48.0, table.min.y + 34.0),
            panel.max - egui::vec2(6.0, 28.0),
        );
        let button = |window: &mut Harness<'_, Option<App>>, pos: egui::Pos2, pressed: bool| {
            window.event(egui::Event::PointerMoved(pos));
            let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
            window.event(egui::Event::PointerButton { pos, button, pressed, modifiers });
            window.run_steps(1);
        };
        let mut hovered = std::collections::BTreeSet::new();
        for (x, y) in (0..12).flat_map(|x| (0..10).map(move |y| (x as f32 / 11.0, y as f32 / 9.0))) {
            let at = plot.lerp_inside(egui::vec2(x, y));
            [true, false].into_iter().for_each(|pressed| button(window, at, pressed));
            window.run_steps(3);
            for clip in chosen(window) {
                assert!(window.query_by_label(&format!("hero.glb {clip}")).is_some(), "{clip} is out of sight");
                hovered.insert(clip);
            }
        }
        assert!(hovered.len() > 2, "{hovered:?}");
        // To the lower right, outside the plot, because dots at zero are on its axes.
        let (from, to) = (plot.right_top() + egui::vec2(-2.0, 6.0), egui::pos2(table.max.x + 14.0, panel.max.y - 2.0));
        button(window, from, true);
        for at in [plot.center(), to] {
            window.event(egui::Event::PointerMoved(at));
            window.run_steps(1);
        }
        button(window, to, false);
        window.run_steps(2);
        assert!(chosen(window).len() >= hovered.len(), "{:?} of {hovered:?}", chosen(window));
    });
}

#[test]
fn the_table_is_navigated_and_opened_by_keyboard() {
    in_window("en", |window| {
        let _folder = listed(window);
        let names = shown(window);
        let playhead = app(window).session.playback.time;
        window.get_by_label(&tr("clips.table")).focus();
        window.run_steps(2);
        let press = |window: &mut Harness<'_, Option<App>>, modifiers: Modifiers, key: Key| {
            window.key_press_modifiers(modifiers, key);
            window.run_steps(3);
        };
        press(window, Modifiers::NONE, Key::ArrowDown);
        press(window, Modifiers::NONE, Key::ArrowDown);
        assert_eq!(chosen(window), names[1..=1]);
        press(window, Modifiers::SHIFT, Key::ArrowDown);
        press(window, Modifiers::SHIFT, Key::ArrowDown);
        assert_eq!(chosen(window), names[1..=3]);
        press(window, Modifiers::SHIFT, Key::ArrowUp);
        assert_eq!(chosen(window), names[1..=2]);
        press(window, Modifiers::NONE, Key::PageDown);
        press(window, Modifiers::NONE, Key::PageDown);
        press(window, Modifiers::NONE, Key::ArrowUp);
        let last = names.len() - 2;
        assert_eq!(chosen(window), names[last..=last]);
        assert!(window.query_by_label(&format!("hero.glb {}", names[last])).is_some(), "it came into view");
        assert_eq!(app(window).session.playback.time, playhead, "the playhead stays");
        press(window, Modifiers::NONE, Key::Enter);
        let shown = &app(window).session.selection.shown;
        assert!(matches!(shown, Shown::Clip { clip, .. } if *clip == names[last]));
    });
}

#[test]
fn fixing_clips_stays_in_the_library_and_shows_the_first_take() {
    let languages = [("en", "fixed", "1 of 3 clips"), ("zh-CN", "已修复", "3 个动画中有 1 个")];
    for (language, mended, expected) in languages {
        in_window(language, |window| {
            let _folder = listed(window);
            let clips = &mut app(window).session.clips;
            let at = |name: &str| clips.rows().iter().position(|row| row.clip == name).unwrap();
            clips.chosen = ["cast", "leap_strike", "idle"].map(at).into();
            ["cast", "leap_strike"].into_iter().for_each(|name| clips.find(name, Finding::DoesNotClose));
            window.run_steps(2);
            let head = |window: &Harness<'_, Option<App>>| {
                let name = tr("clips.column_pops");
                window.query_by_role_and_label(egui::accesskit::Role::Button, &name).map(|head| head.rect())
            };
            let clip = window.get_by_role_and_label(egui::accesskit::Role::Button, &tr("clips.column_clip")).rect();
            window.event(egui::Event::PointerMoved(clip.center_bottom() + egui::vec2(0.0, 40.0)));
            let unmoved = head(window);
            for _ in 0..3 {
                let (unit, phase, delta) =
                    (egui::MouseWheelUnit::Point, egui::TouchPhase::Move, egui::vec2(-60.0, 0.0));
                window.event(egui::Event::MouseWheel { unit, delta, phase, modifiers: Modifiers::NONE });
                window.run_steps(1);
            }
            window.run_steps(10);
            let (before, workspace, scrolled) =
                (app(window).session.document.takes.len(), app(window).workspace, head(window));
            assert!(scrolled.is_some() && scrolled != unmoved && workspace != Workspace::Loop, "{scrolled:?}");
            window.get_by_role_and_label(egui::accesskit::Role::Button, &tr("clips.mend")).click();
            window.run_steps(6);
            assert_eq!((app(window).workspace, head(window)), (workspace, scrolled), "{language}");
            let Session { document, selection, notices, .. } = &app(window).session;
            let new_takes = &document.takes[before..];
            assert!(
                new_takes.len() == 2 && new_takes.iter().all(|take| take.name.ends_with(&format!(" {mended}"))),
                "{new_takes:?}"
            );
            assert!(new_takes.iter().all(|take| take.stages.iter().any(|stage| stage.kind.name() == "close")));
            assert_eq!(document.folders.last().unwrap().name, mended);
            assert_eq!(selection.shown, Shown::Take(new_takes[0].id));
            let said = crate::i18n::localized(&notices.all().last().unwrap().message);
            assert!(said.contains(expected), "{said}");
        });
    }
}

#[test]
fn a_take_chosen_next_to_the_library_opens_its_workspace() {
    in_window("en", |window| {
        let _folder = listed(window);
        let before = app(window).workspace;
        app(window).perform(Command::Edit(EditCommand::AddWalk));
        window.run_steps(6);
        assert_eq!((before, app(window).workspace), (Workspace::Stretch, Workspace::Walk));
    });
}
