//! Keyed settings in the window: diamonds in the inspector, lanes on the timeline, curves in the plot.

use egui::accesskit::Role;
use egui::{Event, PointerButton, Pos2, Rect};
use egui_kittest::kittest::NodeT;

use crate::i18n::tr_with;
use crate::tests::*;
use crate::timeline::lanes::Lanes;
use crate::timeline::lanes::NAMES;
use crate::timeline::read;
use portamento_takes::document::Stage;
use portamento_takes::document::keyed::INFLUENCE;

type Window<'a> = Harness<'a, Option<App>>;

/// Shows a stretched take with the playhead at frame 0.
fn show_leap(window: &mut Window<'_>) {
    let session = &mut app(window).session;
    let take = session.document.takes.iter().find(|take| take.name == "leap to 5 m").unwrap().id;
    session.selection.show(Shown::Take(take));
    session.playback.playing = false;
    window.run_steps(6);
    go_to(window, 0.0);
}

fn go_to(window: &mut Window<'_>, frame: f64) {
    let playback = &mut app(window).session.playback;
    (playback.playing, playback.time) = (false, frame / playback.fps);
    window.run_steps(3);
}

fn stage(window: &mut Window<'_>) -> Stage {
    app(window).session.shown_take().unwrap().stages[0].clone()
}

/// Returns frame and value of every key of the influence.
fn keys(window: &mut Window<'_>) -> Vec<(f64, f64)> {
    let fps = app(window).session.playback.fps;
    let stage = stage(window);
    let keys = stage.curve(INFLUENCE).map(|curve| curve.keys().to_vec()).unwrap_or_default();
    keys.iter().map(|key| ((key.time * fps * 100.0).round() / 100.0, key.value)).collect()
}

fn diamond() -> String {
    tr_with("keys.diamond", &[("name", tr("form.influence"))])
}

fn is_here(window: &Window<'_>) -> bool {
    window.get_by_label(&diamond()).accesskit_node().toggled() == Some(egui::accesskit::Toggled::True)
}

fn click_diamond(window: &mut Window<'_>) {
    window.get_by_label(&diamond()).click();
    window.run_steps(4);
}

fn type_influence(window: &mut Window<'_>, value: &str) {
    window.get_by_role_and_label(Role::SpinButton, &tr("form.influence")).focus();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(Event::Text(value.to_owned()));
    window.run_steps(2);
    window.key_press(Key::Tab);
    window.run_steps(4);
}

/// Returns the rectangle of the lanes and a function from frame to x.
fn lanes(window: &mut Window<'_>) -> (Rect, impl Fn(f64) -> f32 + use<>) {
    let playback = &app(window).session.playback;
    let (fps, duration) = (playback.fps, playback.duration);
    let word = format!("{} ", tr("panel.timeline"));
    // The panel around the lanes has no frame numbers in its name.
    let is_marker_label = |label: String| label.starts_with(&word) && label.contains('/');
    let all = window.query_all_by(|node| node.label().is_some_and(is_marker_label));
    let rect = all.map(|node| node.rect()).next().unwrap();
    let (left, right) = (rect.min.x + NAMES + 12.0, rect.max.x - 12.0);
    (rect, move |frame: f64| left + (right - left) * (frame / fps / duration) as f32)
}

fn button(pos: Pos2, pressed: bool, modifiers: Modifiers) -> Event {
    Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers }
}

fn drag(window: &mut Window<'_>, from: Pos2, to: Pos2) {
    window.event(Event::PointerMoved(from));
    window.event(button(from, true, Modifiers::NONE));
    window.run_steps(2);
    for i in 1..=4 {
        window.event(Event::PointerMoved(from + (to - from) * (i as f32 / 4.0)));
        window.run_steps(1);
    }
    window.event(button(to, false, Modifiers::NONE));
    window.run_steps(3);
}

fn press(window: &mut Window<'_>, at: Pos2, modifiers: Modifiers) {
    window.event(Event::ModifiersChanged(modifiers));
    window.event(Event::PointerMoved(at));
    window.event(button(at, true, modifiers));
    window.run_steps(1);
    window.event(button(at, false, modifiers));
    window.run_steps(2);
    window.event(Event::ModifiersChanged(Modifiers::NONE));
    window.run_steps(1);
}

fn undo(window: &mut Window<'_>) {
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(3);
}

/// Plays slowly from frame 0.
fn play(window: &mut Window<'_>) {
    let playback = &mut app(window).session.playback;
    (playback.playing, playback.speed) = (true, 0.25);
    window.run_steps(7);
    assert!(app(window).session.playback.playing);
}

#[test]
fn during_playback_a_number_is_keyed_at_the_time_its_edit_began() {
    in_window("en", |window| {
        show_leap(window);
        click_diamond(window);
        play(window);
        let field = window.get_by_role_and_label(Role::SpinButton, &tr("form.influence")).rect();
        drag(window, field.center(), field.center() - egui::vec2(40.0, 0.0));
        assert!(app(window).session.playback.playing, "it plays on");
        let after_drag = keys(window);
        assert_eq!(after_drag.len(), 2, "{after_drag:?}");
        assert!(after_drag[1].0.fract() == 0.0 && after_drag[1].1 < 0.9, "on a frame: {after_drag:?}");
        window.run_steps(5);
        type_influence(window, "0.25");
        let typed: Vec<(f64, f64)> = keys(window).into_iter().filter(|key| key.1 == 0.25).collect();
        assert_eq!((keys(window).len(), typed.len()), (3, 1), "{:?}", keys(window));
        assert_eq!(typed[0].0.fract(), 0.0, "{typed:?}");
        undo(window);
        assert_eq!(keys(window), after_drag, "what was typed is one step");
        undo(window);
        assert_eq!(keys(window), [(0.0, 1.0)], "what was dragged is one step");
    });
}

#[test]
fn a_number_is_keyed_by_its_diamond_and_then_by_typing() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            show_leap(window);
            assert!(!is_here(window));
            click_diamond(window);
            assert_eq!(keys(window), [(0.0, 1.0)]);
            assert!(is_here(window));
            go_to(window, 6.0);
            assert!(!is_here(window), "keyed elsewhere");
            type_influence(window, "0.3");
            assert_eq!(keys(window), [(0.0, 1.0), (6.0, 0.3)]);
            assert!(is_here(window) && stage(window).influence == 1.0);
            // Between two keys the field shows the interpolated value.
            go_to(window, 3.0);
            let field = window.get_by_role_and_label(Role::SpinButton, &tr("form.influence")).value();
            assert_eq!(field.as_deref(), Some("0.65"));
            assert_eq!(keys(window).len(), 2, "looking changes nothing");
            undo(window);
            assert_eq!(keys(window), [(0.0, 1.0)], "what was typed is one step");
            undo(window);
            assert_eq!(keys(window), []);
            window.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
            window.run_steps(3);
            assert_eq!(keys(window), [(0.0, 1.0)]);
            go_to(window, 0.0);
            click_diamond(window);
            assert_eq!((keys(window), stage(window).keys.len()), (vec![], 0), "a click takes it out again");
        });
    }
}

#[test]
fn keys_are_dragged_chosen_copied_and_removed_on_their_lane() {
    in_window("en", |window| {
        show_leap(window);
        click_diamond(window);
        go_to(window, 6.0);
        type_influence(window, "0.5");
        go_to(window, 12.0);
        let (rect, x) = lanes(window);
        let y = Lanes::within(rect, &read::model(&app(window).session), 0.0).keyed[0].center().y;
        let at = |frame: f64| Pos2::new(x(frame), y);
        drag(window, at(6.0), at(9.0));
        assert_eq!(keys(window), [(0.0, 1.0), (9.0, 0.5)]);
        undo(window);
        assert_eq!(keys(window), [(0.0, 1.0), (6.0, 0.5)], "a drag is one step");
        // Moves both keys separately, then together.
        press(window, at(0.0), Modifiers::NONE);
        press(window, at(6.0), Modifiers::SHIFT);
        assert_eq!(keys(window), [(0.0, 1.0), (6.0, 0.5)], "choosing moves nothing");
        drag(window, at(6.0), at(8.0));
        assert_eq!(keys(window), [(2.0, 1.0), (8.0, 0.5)]);
        window.event(Event::Copy);
        window.step();
        let copied = window.output().platform_output.commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        });
        let copied = copied.unwrap();
        window.event(Event::Paste(copied));
        window.run_steps(3);
        let now = keys(window);
        assert_eq!(now[..3], [(2.0, 1.0), (8.0, 0.5), (12.0, 1.0)]);
        assert_eq!(now[3], (18.0, 0.5), "at the playhead, as far apart as they were");
        window.key_press(Key::Delete);
        window.run_steps(3);
        assert_eq!(keys(window), [(2.0, 1.0), (8.0, 0.5)], "what was pasted is chosen");
        undo(window);
        assert_eq!(keys(window).len(), 4);
    });
}

#[test]
fn escape_cancels_a_name_or_number_edit_and_does_not_stop_playback() {
    in_window("en", |window| {
        let typed = |window: &mut Window<'_>, role: Role, label: &str, text: &str, key: Key| {
            window.get_by_role_and_label(role, label).focus();
            window.run_steps(2);
            window.key_press_modifiers(Modifiers::COMMAND, Key::A);
            window.event(Event::Text(text.to_owned()));
            window.run_steps(2);
            window.key_press(key);
            window.run_steps(4);
        };
        show_leap(window);
        app(window).session.playback.playing = true;
        let name = |window: &mut Window<'_>| app(window).session.shown_take().unwrap().name.clone();
        let before = (name(window), app(window).session.document.clone());
        typed(window, Role::TextInput, &tr("inspector.take"), "another", Key::Escape);
        typed(window, Role::SpinButton, &tr("form.influence"), "0.25", Key::Escape);
        assert!((name(window), app(window).session.document.clone()) == before);
        assert!(app(window).session.playback.playing, "Esc was for the text");
        typed(window, Role::TextInput, &tr("inspector.take"), "another", Key::Enter);
        assert_eq!(name(window), "another");
        window.key_press(Key::Escape);
        window.run_steps(2);
        assert!(!app(window).session.playback.playing, "and with no text under way it stops");
    });
}
