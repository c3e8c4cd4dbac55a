//! A window of 1280 × 800 pixels at 200 %: everything is legible and reachable in a quarter of the area.

use egui::{Event, PointerButton, Rect, Vec2};

use super::layout::written_in;
use crate::dock::{Panel, region};
use crate::tests::*;
use crate::theme;
use portamento_session::Shown;

type Window<'a> = Harness<'a, Option<App>>;

fn at_200(check: impl Fn(&mut Window<'_>, &str)) {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            window.set_pixels_per_point(2.0);
            window.set_size(Vec2::new(640.0, 400.0));
            let id = app(window).session.document.takes[0].id;
            app(window).session.selection.show(Shown::Take(id));
            window.run_steps(8);
            check(window, language);
        });
    }
}

fn panel(window: &Window<'_>, panel: Panel) -> Rect {
    window.get_by_label(&region(panel)).rect()
}

/// Presses `button` on the row `name` of the outliner.
fn press(window: &mut Window<'_>, name: &str, button: PointerButton) {
    let outliner = panel(window, Panel::Outliner);
    let rows = window.query_all_by_label(name).map(|node| node.rect()).filter(|rect| outliner.contains(rect.center()));
    let pos = rows.min_by(|a, b| a.min.y.total_cmp(&b.min.y)).unwrap().left_center() + Vec2::new(8.0, 0.0);
    window.event(Event::PointerMoved(pos));
    for pressed in [true, false] {
        window.event(Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE });
        window.run_steps(2);
    }
    window.run_steps(4);
}

#[test]
fn take_names_are_legible_and_the_plot_under_the_viewport_is_visible() {
    at_200(|window, language| {
        let name = app(window).session.document.takes[0].name.clone();
        let outliner = written_in(window, panel(window, Panel::Outliner));
        assert!(outliner.contains(&name), "{language}: {outliner:?}");
        let (view, plots) = (panel(window, Panel::Viewport), panel(window, Panel::Plots));
        assert!(plots.height() >= 80.0 && view.height() >= plots.height(), "{language}: {view} above {plots}");
        // Under the row of plot choices, the axis numbers are visible.
        let plotted = plots.with_min_y(plots.min.y + theme::ROW + theme::GAP_SMALL);
        assert!(!written_in(window, plotted).is_empty(), "{language}");
    });
}

#[test]
fn the_menu_of_a_row_is_completely_visible_and_works() {
    at_200(|window, language| {
        let names = |window: &mut Window<'_>| {
            app(window).session.document.takes.iter().map(|take| take.name.clone()).collect::<Vec<_>>()
        };
        let before = names(window);
        press(window, &before[0], PointerButton::Secondary);
        let screen = window.ctx.content_rect();
        let entries = ["outliner.rename", "take.duplicate", "take.remove"].map(|key| {
            window
                .query_all_by_label_contains(&tr(key))
                .map(|node| node.rect())
                .next()
                .unwrap_or_else(|| panic!("{language} {key}"))
        });
        assert!(entries.iter().all(|entry| screen.contains_rect(*entry)), "{language}: {entries:?}");
        let duplicate = entries[1].center();
        window.event(Event::PointerMoved(duplicate));
        for pressed in [true, false] {
            let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
            window.event(Event::PointerButton { pos: duplicate, button, pressed, modifiers });
            window.run_steps(2);
        }
        assert_eq!(names(window).len(), before.len() + 1, "{language}");
    });
}

#[test]
fn a_stage_is_muted_by_its_eye_icon_which_covers_no_text() {
    at_200(|window, language| {
        let stage = app(window).session.document.takes[0].stages[0].kind.name();
        let word = tr(&format!("stage.{stage}"));
        let [mute, more] = ["stack.mute", "stack.more"].map(|key| format!("{}: {word}", tr(key)));
        if window.query_by_label(&mute).is_none() {
            window.get_by_label(&more).click();
            window.run_steps(4);
        } else {
            let eye = window.get_by_label(&mute).rect();
            let title = window
                .get_all_by_label(&word)
                .map(|node| node.rect())
                .find(|rect| rect.y_range().contains(eye.center().y));
            assert!(!title.unwrap().shrink(1.0).intersects(eye), "{language}: {title:?} {eye}");
        }
        let eye = window.get_by_label_contains(&mute);
        assert!(window.ctx.content_rect().contains_rect(eye.rect()), "{language}: {}", eye.rect());
        eye.click();
        window.run_steps(4);
        assert!(!app(window).session.document.takes[0].stages[0].on, "{language}");
    });
}
