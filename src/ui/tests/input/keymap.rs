//! Keyboard shortcuts and mouse navigation as set by the user.

use egui::{Event as Input, Key, Modifiers, PointerButton};
use egui_kittest::kittest::Queryable;

use crate::dialogs::keymap::KeymapEditor;
use crate::i18n::tr_with;
use crate::menu::label_with_shortcut;
use crate::tests::{App, app, in_window, tr};
use portamento_session::keymap::KeymapPreset;

type Window<'a> = egui_kittest::Harness<'a, Option<App>>;

#[test]
fn a_shortcut_is_changed_by_pressing_another_and_a_conflict_is_shown() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            app(window).dialogs.keymap = Some(KeymapEditor::default());
            window.run_steps(4);
            assert!(window.query_by_label(&tr("keymap.no_clash")).is_some());
            let press = |window: &mut Window<'_>, key: Key| {
                let name = tr_with("keymap.key_of", &[("command", tr("command.toggle_ruler"))]);
                window.get_by_label(&name).click_accesskit();
                window.run_steps(3);
                window.key_press(key);
                window.run_steps(3);
            };
            press(window, Key::L);
            assert_eq!(app(window).session.preferences.keymap.clashes().len(), 1);
            assert!(window.query_by_label(&tr("keymap.no_clash")).is_none(), "{language}");
            press(window, Key::K);
            assert!(app(window).session.preferences.keymap.clashes().is_empty());
            window.key_press(Key::Escape);
            window.run_steps(3);
            assert!(app(window).dialogs.keymap.is_none());
            assert!(label_with_shortcut("toggle_ruler").ends_with("(K)"));
            window.key_press(Key::M);
            window.run_steps(2);
            assert!(!app(window).viewport.ruler.is_on);
            window.key_press(Key::K);
            window.run_steps(2);
            assert!(app(window).viewport.ruler.is_on);
        });
    }
}

#[test]
fn the_camera_turns_by_the_buttons_of_the_chosen_program() {
    in_window("en", |window| {
        let turned_by = |window: &mut Window<'_>, button: PointerButton, modifiers: Modifiers| {
            let before = app(window).viewport.camera.yaw;
            let at = window.get_by_label(&tr("panel.viewport")).rect().center() + egui::vec2(120.0, -120.0);
            window.event(Input::ModifiersChanged(modifiers));
            for (pos, pressed) in [(at, Some(true)), (at + egui::vec2(60.0, 0.0), None), (at, Some(false))] {
                window.event(Input::PointerMoved(pos));
                if let Some(pressed) = pressed {
                    window.event(Input::PointerButton { pos, button, pressed, modifiers });
                }
                window.run_steps(2);
                if pressed.is_none() {
                    let turned = app(window).viewport.camera.yaw != before;
                    window.event(Input::PointerButton { pos, button, pressed: false, modifiers });
                    window.event(Input::ModifiersChanged(Modifiers::NONE));
                    window.run_steps(2);
                    return turned;
                }
            }
            false
        };
        let orbit_inputs = [
            (PointerButton::Middle, Modifiers::NONE),
            (PointerButton::Primary, Modifiers::NONE),
            (PointerButton::Primary, Modifiers::ALT),
            (PointerButton::Secondary, Modifiers::NONE),
        ];
        for (preset, expected) in [
            (KeymapPreset::Industry, [true, true, true, false]),
            (KeymapPreset::Blender, [true, false, false, false]),
            (KeymapPreset::Maya, [false, false, true, false]),
            (KeymapPreset::Unreal, [false, false, true, true]),
        ] {
            app(window).session.preferences.keymap.preset = preset;
            window.run_steps(2);
            let turned = orbit_inputs.map(|(button, modifiers)| turned_by(window, button, modifiers));
            assert_eq!(turned, expected, "{preset:?}");
        }
    });
}
