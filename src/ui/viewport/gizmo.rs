//! The axes in the upper right corner: they show how the camera stands, and a click looks along one.

use egui::{Align2, Rect, Sense, Stroke, Ui, Vec2};
use glam::Vec3;

use super::{Camera, corner};
use crate::ui::i18n::tr;
use crate::ui::theme;

/// Size in pixels.
const SIZE: f32 = 72.0;

/// Draws the axes; answers whether they were used.
pub fn ui(ui: &mut Ui, rect: Rect, camera: &mut Camera) -> bool {
    let place = corner(rect, SIZE);
    let response = ui.interact(place, ui.id().with("axes"), Sense::click_and_drag());
    let name = tr("viewport.axes");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, &name));
    if response.dragged() {
        camera.orbit(response.drag_delta());
    }
    let view = camera.view();
    let mut ends: Vec<(usize, bool, Vec3)> = (0..6)
        .map(|i| {
            let (axis, positive) = (i / 2, i % 2 == 0);
            let direction = Vec3::from_array(std::array::from_fn(|j| if j == axis { 1.0 } else { 0.0 }));
            (axis, positive, view.transform_vector3(if positive { direction } else { -direction }))
        })
        .collect();
    ends.sort_by(|a, b| a.2.z.total_cmp(&b.2.z));
    let at = |seen: Vec3| place.center() + Vec2::new(seen.x, -seen.y) * (SIZE * 0.5 - 10.0);
    if response.hovered() {
        ui.painter().circle_filled(place.center(), SIZE * 0.5, theme::PLATE);
    }
    for &(axis, positive, seen) in &ends {
        end(ui, axis, positive, at(seen), place);
    }
    let clicked = response.interact_pointer_pos().filter(|_| response.clicked());
    let hit = clicked.and_then(|pointer| ends.iter().rev().find(|(_, _, seen)| at(*seen).distance(pointer) < 10.0));
    if let Some(&(axis, positive, _)) = hit {
        look_along(camera, axis, positive);
    }
    response.is_pointer_button_down_on() || response.clicked()
}

fn end(ui: &Ui, axis: usize, positive: bool, at: egui::Pos2, place: Rect) {
    let color = theme::AXES[axis];
    let painter = ui.painter();
    if positive {
        painter.line_segment([place.center(), at], Stroke::new(1.5, color));
        painter.circle_filled(at, 8.0, color);
        let ink = theme::tokens(true).window;
        painter.text(at, Align2::CENTER_CENTER, ["X", "Y", "Z"][axis], theme::caption(), ink);
    } else {
        painter.circle_filled(at, 6.0, theme::mix(theme::SKY, color, 0.25));
        painter.circle_stroke(at, 6.0, Stroke::new(1.0, theme::mix(theme::SKY, color, 0.7)));
    }
}

fn look_along(camera: &mut Camera, axis: usize, positive: bool) {
    use std::f32::consts::{FRAC_PI_2, PI};
    let sign = if positive { 1.0 } else { -1.0 };
    (camera.yaw, camera.pitch) = match axis {
        0 => (sign * FRAC_PI_2, 0.0),
        1 => (camera.yaw, sign * FRAC_PI_2),
        _ => (if positive { 0.0 } else { PI }, 0.0),
    };
}
