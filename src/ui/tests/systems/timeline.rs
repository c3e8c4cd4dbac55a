//! Lanes of the timeline: dragging and scrolling.

use egui::Pos2;

use super::blend::{drag, lanes, with_blend};
use crate::dock::{Panel, region};
use crate::tests::*;
use portamento_blend::Event;

type Window<'a> = Harness<'a, Option<App>>;

/// Returns the second event of the shown blend.
fn second(window: &mut Window<'_>) -> Event {
    let session = &app(window).session;
    session.shown_take().unwrap().lane_events(None).unwrap()[1].clone()
}

#[test]
fn an_event_is_dragged_by_the_body_of_its_block() {
    with_blend(|window| {
        let (before, (rect, x)) = (second(window), lanes(window));
        let fps = app(window).session.playback.fps;
        let y = rect.min.y + 24.0 + 11.0;
        // A time within the transition.
        let from = before.time + 0.6 * before.trans_time;
        drag(window, Pos2::new(x(from), y), Pos2::new(x(from + 0.3), y));
        let after = second(window);
        assert!((after.time - before.time - 0.3).abs() < 1.5 / fps, "{} {}", before.time, after.time);
        assert_eq!(after.trans_time, before.trans_time);
        assert_eq!(app(window).session.playback.time, 0.0, "the playhead stays");
        assert_eq!(app(window).session.selection.event, Some(1));
    });
}

#[test]
fn a_click_on_the_body_of_an_event_moves_the_playhead_and_not_the_event() {
    with_blend(|window| {
        let (before, (rect, x)) = (second(window), lanes(window));
        let fps = app(window).session.playback.fps;
        let at = before.time + 0.6 * before.trans_time;
        let press_pos = Pos2::new(x(at), rect.min.y + 24.0 + 11.0);
        drag(window, press_pos, press_pos);
        assert_eq!(second(window), before);
        assert!((app(window).session.playback.time - at).abs() < 1.0 / fps);
    });
}

#[test]
fn the_pointer_shows_what_can_be_dragged() {
    with_blend(|window| {
        let (event, (rect, x)) = (second(window), lanes(window));
        let at = event.time + 0.6 * event.trans_time;
        window.event(egui::Event::PointerMoved(Pos2::new(x(at), rect.min.y + 24.0 + 11.0)));
        window.run_steps(2);
        assert_eq!(window.output().platform_output.cursor_icon, egui::CursorIcon::Grab);
    });
}

#[test]
fn hidden_lanes_are_reached_with_a_scroll_bar() {
    in_window("en", |window| {
        let patrol = app(window).session.document.takes.iter().find(|take| take.name == "patrol").unwrap().id;
        app(window).session.selection.show(Shown::Take(patrol));
        window.run_steps(8);
        let (rect, _) = lanes(window);
        let written = |window: &Window<'_>, word: &str| {
            let texts = window.output().shapes.iter().filter_map(|clipped| match &clipped.shape {
                egui::Shape::Text(text) => Some((text.galley.text().to_owned(), text.pos)),
                _ => None,
            });
            texts.into_iter().any(|(text, at)| text == word && rect.contains(at) && at.x < rect.min.x + 90.0)
        };
        let feet = tr("lane.feet");
        assert!(!written(window, &feet), "all lanes are in sight: this test shows nothing");
        let bar = Pos2::new(rect.min.x + 3.0, rect.min.y + 24.0 + 6.0);
        drag(window, bar, Pos2::new(bar.x, rect.max.y));
        assert!(written(window, &feet));
    });
}

#[test]
fn the_timeline_gives_its_height_to_the_viewport_while_nothing_can_play() {
    in_window("en", |window| {
        let high = |window: &Window<'_>| window.get_by_label(&region(Panel::Timeline)).rect().height();
        let before = high(window);
        assert!(before > 100.0, "{before}");
        let (file, shown) = (app(window).session.document.files[0].id, app(window).session.selection.shown.clone());
        app(window).session.selection.show(Shown::File(file));
        window.run_steps(4);
        assert!(high(window) < 40.0, "{}", high(window));
        assert!(window.query_by_label(&tr("timeline.empty_hint")).is_some(), "what to do is told");
        app(window).session.selection.show(shown);
        window.run_steps(4);
        assert_eq!(high(window), before);
    });
}

#[test]
fn the_time_display_does_not_move_during_playback() {
    in_window("en", |window| {
        let last = format!(" / {}", app(window).session.playback.last_frame());
        let at = |window: &Window<'_>| window.get_by_label(&last).rect();
        let first = at(window);
        for frame in [9, 10, 66] {
            app(window).session.playback.time = f64::from(frame) / app(window).session.playback.fps;
            window.run_steps(2);
            assert_eq!(at(window), first, "{frame}");
        }
    });
}
