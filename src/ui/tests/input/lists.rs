//! Keyboard operation of drop-down lists.

use crate::tests::*;
use egui::Event;
use egui::accesskit::Role;
use egui_kittest::kittest::NodeT;
use portamento_session::Keep;

type Window<'a> = Harness<'a, Option<App>>;

/// Returns true if the row's list is open.
fn is_open(window: &Window<'_>) -> bool {
    window.query_by_role_and_label(Role::Button, &tr("keep.alone")).is_some()
        || window.query_all_by_label(&tr("keep.alone")).count() > 1
}

fn press(window: &mut Window<'_>, name: &str) {
    let pos =
        window.query_all_by_role(Role::ComboBox).find(|node| node.accesskit_node().label().as_deref() == Some(name));
    let pos = pos.unwrap().rect().center();
    window.event(Event::PointerMoved(pos));
    for pressed in [true, false] {
        let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
        window.event(Event::PointerButton { pos, button, pressed, modifiers });
        window.run_steps(2);
    }
}

#[test]
fn a_list_opened_by_mouse_accepts_arrows_and_enter() {
    in_window("en", |window| {
        let playhead = app(window).session.playback.time;
        app(window).dialogs.export = true;
        window.run_steps(6);
        assert_eq!(app(window).session.exports.choice.settings.keep, Keep::Append);
        press(window, &tr("form.keep"));
        assert!(is_open(window));
        for _ in 0..2 {
            window.key_press(Key::ArrowDown);
            window.run_steps(3);
        }
        window.key_press(Key::Enter);
        window.run_steps(4);
        assert_eq!(app(window).session.exports.choice.settings.keep, Keep::Alone);
        assert!(app(window).dialogs.export, "Enter was for the list");
        assert_eq!(app(window).session.playback.time, playhead);
        window.key_press(Key::ArrowUp);
        window.run_steps(3);
        assert_eq!(app(window).session.exports.choice.settings.keep, Keep::Alone, "the list is closed");
    });
}

#[test]
fn a_list_opened_by_keyboard_starts_at_the_current_item_and_closes() {
    in_window("en", |window| {
        app(window).dialogs.export = true;
        window.run_steps(6);
        window.key_press(Key::Tab);
        window.run_steps(2);
        let list = |window: &Window<'_>| {
            let mut lists = window.query_all_by_role(Role::ComboBox);
            lists.find(|node| node.accesskit_node().label().as_deref() == Some(&*tr("form.keep"))).unwrap().is_focused()
        };
        for _ in 0..60 {
            if list(window) {
                break;
            }
            window.key_press(Key::Tab);
            window.run_steps(2);
        }
        assert!(list(window));
        for key in [Key::Space, Key::ArrowDown, Key::Enter] {
            window.key_press(key);
            window.run_steps(4);
        }
        assert_eq!(app(window).session.exports.choice.settings.keep, Keep::Replace);
        assert!(!is_open(window));
    });
}

#[test]
fn no_tooltip_of_a_panel_covers_a_dialog() {
    in_window("en", |window| {
        let tip = tr("tip.outcome_figure_pops");
        let tooltip_count = |window: &Window<'_>| {
            window.query_all_by(|node| node.label().or(node.value()).is_some_and(|text| text.contains(&tip))).count()
        };
        let name = tr("outcome.figure_pops");
        window.query_all_by_label(&name).next().unwrap().scroll_to_me();
        window.run_steps(6);
        let at = window.query_all_by_label(&name).map(|node| node.rect()).next().unwrap();
        window.event(Event::PointerMoved(at.center()));
        window.run_steps(30);
        assert!(tooltip_count(window) > 0, "the tooltip is shown: {at}");
        window.key_press_modifiers(Modifiers::COMMAND, Key::E);
        window.run_steps(6);
        assert!(app(window).dialogs.export);
        assert_eq!(tooltip_count(window), 0);
    });
}

#[test]
fn typing_a_name_selects_its_clip_in_a_long_list() {
    crate::tests::systems::blend::with_blend(|window| {
        let skill = |window: &mut Window<'_>| crate::tests::systems::blend::scenario(window).skill.clone();
        let (before, name) = (skill(window), tr("form.skill_clip"));
        assert_ne!(before, "leap_strike");
        press(window, &name);
        for typed in ["str", "ike", " LEAP"] {
            window.event(Event::Text(typed.into()));
            window.run_steps(3);
        }
        window.key_press(Key::Enter);
        window.run_steps(4);
        assert_eq!(skill(window), "leap_strike");
        // The search text starts empty each time, and arrow keys move from the field into the list.
        press(window, &name);
        window.event(Event::Text(before.clone()));
        window.run_steps(3);
        for key in [Key::ArrowDown, Key::Enter] {
            window.key_press(key);
            window.run_steps(4);
        }
        assert_eq!(skill(window), before);
    });
}
