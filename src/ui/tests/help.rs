//! The help page: a drawing for each section and workspace, in windows of every size.

use egui::accesskit::Role;

use super::*;
use crate::ui::workspace::WORKSPACES;

#[test]
fn every_section_and_workspace_has_a_drawing_that_fits_into_small_windows_too() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            for size in [[1280.0, 800.0], [1024.0, 640.0], [512.0, 320.0]] {
                window.set_size(size.into());
                window.run_steps(4);
                window.key_press(Key::F1);
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
