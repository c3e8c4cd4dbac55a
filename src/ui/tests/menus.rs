//! Menus of the bar.

use egui::Vec2;
use egui_kittest::kittest::NodeT;
use egui_material_icons::icons::ICON_CHEVRON_RIGHT;

use super::*;
use crate::ui::dock::Panel;

#[test]
fn every_panel_is_reached_from_the_menu_in_small_and_scaled_windows() {
    for (size, scale) in [([1024.0, 640.0], 1.0), ([1280.0, 800.0], 1.0), ([1920.0, 1080.0], 2.0)] {
        in_window("en", |window| {
            window.set_pixels_per_point(scale);
            window.set_size(Vec2::from(size) / scale);
            window.run_steps(4);
            let named = |window: &Harness<'_, Option<App>>, panel: Panel| {
                let name = tr(&format!("panel.{}", panel.name()));
                window.query_all_by_label(&name).map(|node| node.rect()).collect::<Vec<_>>()
            };
            let before = Panel::ALL.map(|panel| named(window, panel).len());
            window.get_by_label(&tr("menu.view")).click();
            window.run_steps(4);
            let panels = tr("menu.panels");
            let entry = window.get_by_label_contains(&panels);
            // The arrow that egui would put there is in none of the fonts.
            assert!(entry.accesskit_node().label().unwrap().contains(ICON_CHEVRON_RIGHT.codepoint));
            entry.click();
            window.run_steps(6);
            let screen = window.ctx.content_rect();
            for (panel, before) in Panel::ALL.into_iter().zip(before) {
                let rects = named(window, panel);
                assert_eq!(rects.len(), before + 1, "{size:?} × {scale}: {panel:?}");
                assert!(
                    rects.iter().all(|rect| screen.contains_rect(*rect)),
                    "{size:?} × {scale}: {panel:?} {rects:?}"
                );
            }
        });
    }
}
