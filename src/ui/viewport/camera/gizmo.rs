//! The axis gizmo in the upper right corner. It shows the camera's orientation; a click looks along an axis.

use egui::{Align2, Pos2, Rect, Sense, Stroke, Ui, Vec2};
use glam::Vec3;

use crate::i18n::tr;
use crate::theme;
use crate::viewport::projection::corner;
use portamento_render::{Camera, View};

/// Diameter in points.
const SIZE: f32 = 72.0;

/// The view directions towards the positive and the negative end of X, Y and Z.
const VIEWS: [[View; 2]; 3] = [[View::Left, View::Right], [View::Top, View::Bottom], [View::Front, View::Back]];

/// One end of an axis in the current view.
struct End {
    /// Index of the axis, 0 … 2.
    axis: usize,
    positive: bool,
    /// Depth towards the viewer, -1 … 1.
    depth: f32,
    /// Position in the window, points.
    at: Pos2,
}

/// Handles the mouse over the gizmo: a click looks along an axis, a drag orbits. Returns true if it uses the pointer.
pub fn pointer_input(ui: &Ui, rect: Rect, camera: &mut Camera) -> bool {
    let rect_of_gizmo = corner(rect, SIZE);
    let response = ui.interact(rect_of_gizmo, ui.id().with("axes"), Sense::click_and_drag());
    let name = tr("viewport.axes");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, &name));
    if response.dragged() {
        let by = response.drag_delta();
        camera.orbit(glam::Vec2::new(by.x, by.y));
    }
    let clicked = response.interact_pointer_pos().filter(|_| response.clicked());
    let ends = ends(camera, rect_of_gizmo);
    let hit = clicked.and_then(|pointer| ends.iter().rev().find(|end| end.at.distance(pointer) < 10.0));
    if let Some(end) = hit {
        camera.look_from(VIEWS[end.axis][usize::from(!end.positive)]);
    }
    response.is_pointer_button_down_on() || response.clicked()
}

/// Draws the gizmo.
pub fn paint(ui: &Ui, rect: Rect, camera: &Camera) {
    let area = corner(rect, SIZE);
    let hovered = ui.rect_contains_pointer(area);
    if hovered {
        ui.painter().circle_filled(area.center(), SIZE * 0.5, theme::view().plate);
    }
    ends(camera, area).iter().for_each(|end| draw(ui, end, area));
}

/// Returns all six ends of the gizmo in `area`, the farthest first.
fn ends(camera: &Camera, area: Rect) -> Vec<End> {
    let seen = camera.rotation().inverse();
    let mut ends: Vec<End> = (0..6)
        .map(|i| {
            let (axis, positive) = (i / 2, i % 2 == 0);
            let direction = seen * if positive { Vec3::AXES[axis] } else { -Vec3::AXES[axis] };
            let at = area.center() + Vec2::new(direction.x, -direction.y) * (SIZE * 0.5 - 10.0);
            End { axis, positive, depth: direction.z, at }
        })
        .collect();
    ends.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    ends
}

/// Draws an end of an axis. Positive ends have a letter and a line to the centre of `area`.
fn draw(ui: &Ui, end: &End, area: Rect) {
    let color = theme::AXES[end.axis];
    let painter = ui.painter();
    if end.positive {
        painter.line_segment([area.center(), end.at], Stroke::new(1.5, color));
        painter.circle_filled(end.at, 8.0, color);
        let ink = theme::over_view().window;
        painter.text(end.at, Align2::CENTER_CENTER, ["X", "Y", "Z"][end.axis], theme::caption(), ink);
    } else {
        painter.circle_filled(end.at, 6.0, theme::mix(theme::view().sky, color, 0.25));
        painter.circle_stroke(end.at, 6.0, Stroke::new(1.0, theme::mix(theme::view().sky, color, 0.7)));
    }
}
