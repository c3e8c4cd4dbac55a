//! Ruler: measures the distance between two points on joints, on the figure's surface or on the ground.

use egui::{
    Color32, CursorIcon, Event, Key, Modifiers, Painter, PointerButton, Pos2, Rect, Response, Stroke, Ui, Vec2,
};
use glam::Vec3;

use crate::theme;
use crate::units::Unit;
use crate::viewport::projection::{cursor, see, size};
use crate::viewport::subject::metres_per_unit;
use crate::viewport::walk::ground_view::GroundView;
use crate::viewport::{Viewport, posed_mesh, readout, walk};
use portamento_anim::geometry::triangle_bvh::Faces;
use portamento_render::pick;
use portamento_session::Session;
use portamento_takes::evaluate::Frame;

/// The ruler's state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ruler {
    /// True if the tool is active; clicks then set its ends.
    pub is_on: bool,
    ends: [Option<RulerEnd>; 2],
    /// The end under the pointer.
    hovered: Option<RulerEnd>,
}

/// An end of the ruler, in the shown file's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RulerEnd {
    /// A joint; the end moves with it.
    Joint(usize),
    /// A fixed point.
    Point(Vec3),
}

/// Distance in points within which a joint has priority over the surface in front of it. Tuned; no derivation recorded.
const JOINT_MAX_POINTS: f32 = 7.0;

impl Ruler {
    /// Switches the tool on or off and clears the measurement.
    pub fn toggle(&mut self) {
        *self = Self { is_on: !self.is_on, ..Self::default() };
    }

    /// Sets the first, then the second end; the third click starts a new measurement.
    fn click(&mut self, end: RulerEnd) {
        self.ends = match self.ends {
            [Some(first), None] => [Some(first), Some(end)],
            _ => [Some(end), None],
        };
    }

    /// Returns the world positions of both ends in `frame`, in the file's unit. An unset second end is at the pointer.
    pub fn end_positions(&self, frame: &Frame) -> [Option<Vec3>; 2] {
        let open = self.hovered.filter(|_| self.ends[0].is_some());
        [self.ends[0], self.ends[1].or(open)].map(|end| end.and_then(|end| end.position(frame)))
    }
}

impl RulerEnd {
    /// Returns the end's world position in `frame`, in scene units; `None` if the frame has no such joint.
    fn position(self, frame: &Frame) -> Option<Vec3> {
        match self {
            Self::Joint(joint) => frame.world.get(joint).map(|position| Vec3::from(position.translation)),
            Self::Point(at) => Some(at),
        }
    }
}

/// Handles Esc, which switches the tool off before it has any other effect, and clears the measurement.
pub fn keys(ctx: &egui::Context, viewport: &mut Viewport) {
    let is_busy = ctx.text_edit_focused() || egui::Popup::is_any_open(ctx);
    if viewport.ruler.is_on && !is_busy && ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        viewport.ruler.toggle();
    }
}

/// Handles the mouse. Returns true if a click set an end.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &Session, rect: Rect) -> bool {
    if !viewport.ruler.is_on {
        return false;
    }
    let under = |at: Pos2| end_at(viewport, session, rect, at);
    let hovered = response.hover_pos().and_then(under);
    let clicked = released_at(ui).filter(|_| response.clicked()).and_then(under);
    if hovered.is_some() {
        ui.set_cursor_icon(CursorIcon::Crosshair);
    }
    viewport.ruler.hovered = hovered;
    clicked.into_iter().for_each(|end| viewport.ruler.click(end));
    clicked.is_some()
}

/// Returns the position at which the left button was released in this frame; the pointer may have moved since. `None` if it was
/// not released.
fn released_at(ui: &Ui) -> Option<Pos2> {
    let released = |event: &Event| match event {
        Event::PointerButton { pos, button: PointerButton::Primary, pressed: false, .. } => Some(*pos),
        _ => None,
    };
    ui.input(|input| input.events.iter().find_map(released))
}

/// Returns the joint, or the nearest point on the figure, level or ground, under the screen position `at`. A joint within
/// [`JOINT_MAX_POINTS`] comes first. `None` if there is none.
fn end_at(viewport: &Viewport, session: &Session, rect: Rect, at: Pos2) -> Option<RulerEnd> {
    let frame = session.frame()?;
    let deforming = frame.character.model.deforming_joints();
    let screen_distance = |joint: usize| {
        let position = Vec3::from(frame.world.get(joint)?.translation);
        Some(see(&viewport.camera, rect, position)?.distance(at))
    };
    let joints = (0..frame.world.len()).filter(|&joint| deforming.get(joint) == Some(&true));
    let near = joints.filter_map(|joint| Some((joint, screen_distance(joint)?))).min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((joint, _)) = near.filter(|(_, screen_distance)| *screen_distance <= JOINT_MAX_POINTS) {
        return Some(RulerEnd::Joint(joint));
    }
    let ray = viewport.camera.ray(cursor(rect, at), size(rect));
    let mut nearest = f32::INFINITY;
    posed_mesh::each_part(session, frame, |part, points| {
        let hit = Faces { positions: points, indices: &part.indices }.hit(ray.origin, ray.direction);
        nearest = hit.map_or(nearest, |hit| nearest.min(hit.distance));
    });
    let metres = metres_per_unit(session);
    let on_level = walk::walked(frame)
        .and_then(|walked| GroundView { camera: &viewport.camera, rect, metres, ground: &walked.ground }.hit(at));
    let ground_point = match walk::walked(frame) {
        Some(_) => on_level.map(|position| (position / metres).as_vec3()),
        None => pick::ground(ray, 0.0),
    };
    let ground_point = ground_point.filter(|position| (*position - ray.origin).dot(ray.direction) < nearest);
    let on_figure = nearest.is_finite().then(|| ray.origin + ray.direction * nearest);
    ground_point.or(on_figure).map(RulerEnd::Point)
}

/// Draws the ruler with its length and the components along the axes, if the tool is on.
pub fn paint(ui: &Ui, rect: Rect, viewport: &Viewport, session: &Session) {
    let ruler = &viewport.ruler;
    let Some(frame) = session.frame().filter(|_| ruler.is_on) else { return };
    let painter = ui.painter_at(rect);
    let color = theme::over_view().target;
    let end_positions = ruler.end_positions(frame);
    let seen = end_positions.map(|position| position.and_then(|position| see(&viewport.camera, rect, position)));
    if let [Some(from), Some(to)] = seen {
        line(&painter, [from, to], color);
    }
    let hovered = ruler.hovered.and_then(|end| see(&viewport.camera, rect, end.position(frame)?));
    seen.into_iter().chain([hovered]).flatten().for_each(|at| mark(&painter, at, color));
    if let ([Some(from), Some(to)], [Some(first), Some(second)]) = (seen, end_positions) {
        let displacement = (second - first).as_dvec3() * metres_per_unit(session);
        readout::at_pointer(&painter, from + (to - from) * 0.5, displacement_text(displacement));
    }
}

/// Returns the text of `displacement` (metres): its length and components, below a metre in centimetres.
fn displacement_text(displacement: glam::DVec3) -> String {
    let length = |metres: f64| match metres.abs() < 1.0 {
        true => Unit::Centimetres.text(metres * 100.0, 1),
        false => Unit::Metres.text(metres, 3),
    };
    let [x, y, z] = displacement.to_array().map(length);
    format!("{}\nX {x}   Y {y}   Z {z}", length(displacement.length()))
}

fn line(painter: &Painter, ends: [Pos2; 2], color: Color32) {
    painter.line_segment(ends, Stroke::new(3.0, theme::view().plate));
    painter.line_segment(ends, Stroke::new(1.5, color));
}

/// Draws a cross in a ring, which leaves the point itself visible.
fn mark(painter: &Painter, at: Pos2, color: Color32) {
    painter.circle_stroke(at, 5.0, Stroke::new(1.5, color));
    for arm in [Vec2::X, Vec2::Y] {
        painter.line_segment([at - arm * 3.0, at + arm * 3.0], Stroke::new(1.0, color));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_click_starts_a_new_measurement() {
        let point = |x: f32| RulerEnd::Point(Vec3::X * x);
        let mut ruler = Ruler { is_on: true, ..Ruler::default() };
        [1.0, 2.0].into_iter().for_each(|x| ruler.click(point(x)));
        assert_eq!(ruler.ends, [Some(point(1.0)), Some(point(2.0))]);
        ruler.click(point(3.0));
        assert_eq!(ruler.ends, [Some(point(3.0)), None]);
        ruler.toggle();
        assert_eq!(ruler, Ruler::default());
    }

    #[test]
    fn lengths_are_shown_in_a_readable_unit() {
        assert_eq!(displacement_text(glam::DVec3::new(3.0, 0.0, -4.0)), "5.000 m\nX 3.000 m   Y 0.0 cm   Z -4.000 m");
        assert_eq!(displacement_text(glam::DVec3::new(0.0, 0.125, 0.0)), "12.5 cm\nX 0.0 cm   Y 12.5 cm   Z 0.0 cm");
    }
}
