//! The help page: a drawing for each section and workspace, at every window size.

use egui::accesskit::Role;

use crate::shell::workspace::WORKSPACES;
use crate::tests::*;

#[test]
fn the_help_page_is_scrolled_by_keys_and_closed_by_escape() {
    in_window("en", |window| {
        window.key_press_modifiers(Modifiers::SHIFT, Key::F1);
        window.run_steps(10);
        let title = tr("workspace.walk");
        let top = |window: &Harness<'_, Option<App>>| window.get_by_role_and_label(Role::Image, &title).rect().top();
        let first = top(window);
        for (key, is_further) in [(Key::PageDown, true), (Key::PageUp, false), (Key::End, true), (Key::Home, false)] {
            window.key_press(key);
            window.run_steps(4);
            assert_eq!(top(window) < first - 40.0, is_further, "{key:?}: {} after {first}", top(window));
        }
        window.key_press(Key::End);
        window.run_steps(4);
        window.key_press(Key::Escape);
        window.run_steps(3);
        assert!(!app(window).dialogs.help);
        window.key_press_modifiers(Modifiers::SHIFT, Key::F1);
        window.run_steps(10);
        assert_eq!(top(window), first, "it opens at its top");
    });
}

#[test]
fn every_help_section_and_workspace_has_a_drawing_that_fits_small_windows() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            for size in [[1280.0, 800.0], [1024.0, 640.0], [512.0, 320.0]] {
                window.set_size(size.into());
                window.run_steps(4);
                window.key_press_modifiers(Modifiers::SHIFT, Key::F1);
                window.run_steps(10);
                let sections =
                    ["menu.file", "menu.edit", "menu.view", "menu.playback", "help.fields"].map(String::from);
                let workspaces = WORKSPACES.map(|(_, name)| format!("workspace.{name}"));
                for key in sections.into_iter().chain(workspaces) {
                    let name = tr(&key);
                    let drawn = window.query_by_role_and_label(Role::Image, &name);
                    let rect = drawn.unwrap_or_else(|| panic!("no drawing: {key}")).rect();
                    assert!(rect.left() > 16.0 && rect.right() < size[0] - 16.0, "{key} at {size:?}: {rect}");
                    assert!(rect.width() > 100.0, "{key} at {size:?}: {rect}");
                }
                window.key_press(Key::Escape);
                window.run_steps(3);
                assert!(!app(window).dialogs.help);
            }
        });
    }
}
