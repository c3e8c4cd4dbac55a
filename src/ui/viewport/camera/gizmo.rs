//! The axes in the upper right corner: they show how the camera stands, and a click looks along one.

use egui::{Align2, Pos2, Rect, Sense, Stroke, Ui, Vec2};
use glam::Vec3;

use crate::i18n::tr;
use crate::theme;
use crate::viewport::projection::corner;
use portamento_render::{Camera, View};

/// Size in pixels.
const SIZE: f32 = 72.0;

/// The view that looks at the end of an axis, X, Y, Z, from its positive and its negative side.
const VIEWS: [[View; 2]; 3] = [[View::Left, View::Right], [View::Top, View::Bottom], [View::Front, View::Back]];

/// One end of an axis as it is seen.
struct End {
    axis: usize,
    positive: bool,
    depth: f32,
    at: Pos2,
}

/// Follows the mouse over the axes; answers whether they were used.
pub fn pointer_input(ui: &Ui, rect: Rect, camera: &mut Camera) -> bool {
    let place = corner(rect, SIZE);
    let response = ui.interact(place, ui.id().with("axes"), Sense::click_and_drag());
    let name = tr("viewport.axes");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, &name));
    if response.dragged() {
        let by = response.drag_delta();
        camera.orbit(glam::Vec2::new(by.x, by.y));
    }
    let clicked = response.interact_pointer_pos().filter(|_| response.clicked());
    let ends = ends(camera, place);
    let hit = clicked.and_then(|pointer| ends.iter().rev().find(|end| end.at.distance(pointer) < 10.0));
    if let Some(end) = hit {
        camera.look_from(VIEWS[end.axis][usize::from(!end.positive)]);
    }
    response.is_pointer_button_down_on() || response.clicked()
}

/// Draws the axes.
pub fn paint(ui: &Ui, rect: Rect, camera: &Camera) {
    let place = corner(rect, SIZE);
    let hovered = ui.rect_contains_pointer(place);
    if hovered {
        ui.painter().circle_filled(place.center(), SIZE * 0.5, theme::view().plate);
    }
    ends(camera, place).iter().for_each(|end| draw(ui, end, place));
}

/// All six ends, the farthest first.
fn ends(camera: &Camera, place: Rect) -> Vec<End> {
    let seen = camera.rotation().inverse();
    let mut ends: Vec<End> = (0..6)
        .map(|i| {
            let (axis, positive) = (i / 2, i % 2 == 0);
            let way = seen * if positive { Vec3::AXES[axis] } else { -Vec3::AXES[axis] };
            let at = place.center() + Vec2::new(way.x, -way.y) * (SIZE * 0.5 - 10.0);
            End { axis, positive, depth: way.z, at }
        })
        .collect();
    ends.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    ends
}

fn draw(ui: &Ui, end: &End, place: Rect) {
    let color = theme::AXES[end.axis];
    let painter = ui.painter();
    if end.positive {
        painter.line_segment([place.center(), end.at], Stroke::new(1.5, color));
        painter.circle_filled(end.at, 8.0, color);
        let ink = theme::over_view().window;
        painter.text(end.at, Align2::CENTER_CENTER, ["X", "Y", "Z"][end.axis], theme::caption(), ink);
    } else {
        painter.circle_filled(end.at, 6.0, theme::mix(theme::view().sky, color, 0.25));
        painter.circle_stroke(end.at, 6.0, Stroke::new(1.0, theme::mix(theme::view().sky, color, 0.7)));
    }
}
