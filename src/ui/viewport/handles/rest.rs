//! Rings for correcting the rest pose of a retargeted joint: one ring about each axis.
//!
//! The axes are those of the world at rest, rotated with the joint's motion. Turning the X ring changes the correction's X
//! value in every pose.

use egui::{Painter, Pos2, Rect, Response, Stroke, Ui};
use glam::{DAffine3, DQuat, DVec3, Mat4};

use crate::drag::{Drag, DragEnd};
use crate::theme;
use crate::viewport::projection::see;
use crate::viewport::{Viewport, readout};
use crate::widgets::number::Unit;
use portamento_anim::root_motion::turn_of;
use portamento_render::{Camera, pick};
use portamento_retarget::Settings;
use portamento_session::{Session, Shown};
use portamento_takes::document::{TakeId, TakeSource};
use portamento_takes::evaluate::Frame;

/// Radius of the rings and distance within which they are grabbed, points.
const RING_RADIUS: f32 = 54.0;
const GRAB_MAX_POINTS: f32 = 7.0;
/// Segments of a drawn ring.
const RING_SEGMENTS: usize = 48;
/// Snapping step with Ctrl, degrees.
const SNAP_STEP_DEGREES: f64 = 5.0;

/// The rings of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Rings {
    /// Name of the joint.
    pub joint: String,
    /// Position in the file's unit.
    at: DVec3,
    /// Rotation of the rest axes by the current pose.
    pose_rotation: DQuat,
}

/// A drag of a ring.
#[derive(Clone, Debug)]
pub struct RestDrag {
    rings: Rings,
    axis: usize,
    /// The joint's correction before the drag, degrees about X, Y and Z.
    before: [f64; 3],
    /// The last pointer position, and the angle in radians since the press.
    last: Pos2,
    swept: f64,
}

/// Returns the rings of the selected joint if it is retargeted. `None` until the frame shows the last edit.
pub fn rings(session: &Session, frame: &Frame) -> Option<Rings> {
    let (_, settings) = settings(session)?;
    let built = &frame.built.as_ref()?.retargeted.as_ref()?.built;
    let joint = session.selection.joint?;
    let link = built.links.iter().position(|link| link.joint == joint)?;
    let world = Mat4::from(*frame.world.get(joint)?).as_dmat4();
    let world = DAffine3::from_mat4(world);
    let name = &frame.character.model.skeleton.joints.get(joint)?.name;
    // The frame may not include an edit made since it was evaluated.
    let is_known = settings.turn(name) == built.turns[link];
    is_known.then(|| Rings {
        joint: name.clone(),
        at: world.translation,
        pose_rotation: turn_of(&world) * built.aligned[link].inverse(),
    })
}

/// Returns the retargeting settings of the shown take, unless a later stage is being edited, or `None` if it is no retarget.
fn settings(session: &Session) -> Option<(TakeId, &Settings)> {
    let Shown::Take(id) = session.selection.shown else { return None };
    let TakeSource::Retarget(retarget) = &session.document.take(id)?.source else { return None };
    session.selection.stage.is_none().then_some((id, &retarget.settings))
}

/// Handles the mouse. Returns true if a ring is hovered or dragged. Esc restores the correction.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) -> bool {
    let shown = session.frame().and_then(|frame| rings(session, frame));
    let before = shown.as_ref().and_then(|rings| Some(settings(session)?.1.turn(&rings.joint))).unwrap_or_default();
    let camera = viewport.camera;
    let under = |at: Pos2| Some((shown.clone()?, axis_under(shown.as_ref()?, &camera, rect, at)?));
    let begin = |at: Pos2| under(at).map(|(rings, axis)| RestDrag { rings, axis, before, last: at, swept: 0.0 });
    if let Some(DragEnd::Cancelled(drag)) = viewport.rest_drag.update(ui, response, begin) {
        set(session, &drag.rings.joint, drag.before);
    }
    if !viewport.rest_drag.is_dragging() {
        viewport.hovered_ring = response.hover_pos().and_then(under).map(|(_, axis)| axis);
    }
    if viewport.hovered_ring.is_some() {
        ui.set_cursor_icon(super::cursor_icon(&viewport.rest_drag));
    }
    if let Some(drag) = viewport.rest_drag.active_mut() {
        step(drag, &camera, rect);
        let turn = drag.subject.turn(drag.degrees());
        let joint = drag.subject.rings.joint.clone();
        set(session, &joint, turn);
    }
    viewport.rest_drag.is_dragging() || viewport.hovered_ring.is_some()
}

/// Writes the joint's correction, if it changed.
fn set(session: &mut Session, joint: &str, turn: [f64; 3]) {
    let Some((id, _)) = settings(session) else { return };
    let Some(TakeSource::Retarget(retarget)) = session.document.take_mut(id).map(|take| &mut take.source) else {
        return;
    };
    if retarget.settings.turn(joint) != turn {
        retarget.settings.set_turn(joint, turn);
    }
}

/// Applies one frame of the drag: accumulates the pointer's angle around the joint.
fn step(drag: &mut Drag<RestDrag>, camera: &Camera, rect: Rect) {
    if let Some(&axis) = drag.input.axes().last() {
        (drag.subject.axis, drag.subject.swept) = (axis, 0.0);
    }
    let [_, pointer] = drag.input.endpoints();
    let RestDrag { rings, axis, last, swept, .. } = &mut drag.subject;
    let Some(middle) = see(camera, rect, rings.at.as_vec3()) else { return };
    let (from, to) = (*last - middle, pointer - middle);
    // Window coordinates point down, so a clockwise drag is a positive rotation about the axis into the picture.
    let clockwise = f64::from((from.x * to.y - from.y * to.x).atan2(from.dot(to)));
    let faces = rings.axis(*axis).dot(camera.eye().as_dvec3() - rings.at) > 0.0;
    *swept += if faces { -clockwise } else { clockwise };
    *last = pointer;
}

impl Drag<RestDrag> {
    /// Returns the angle of the drag in degrees, snapped or typed.
    fn degrees(&self) -> f64 {
        let swept = self.subject.swept.to_degrees();
        let snapped = if self.input.snaps() { (swept / SNAP_STEP_DEGREES).round() * SNAP_STEP_DEGREES } else { swept };
        self.input.typed.value(Unit::Degrees).unwrap_or(snapped)
    }
}

impl RestDrag {
    /// Returns the correction after turning the ring by `degrees`.
    fn turn(&self, degrees: f64) -> [f64; 3] {
        if degrees == 0.0 {
            return self.before;
        }
        let axis = [DVec3::X, DVec3::Y, DVec3::Z][self.axis];
        let turned = DQuat::from_axis_angle(axis, degrees.to_radians()) * Settings::rotation(self.before);
        let (z, y, x) = turned.to_euler(glam::EulerRot::ZYX);
        // Rounded to 0.001°, finer than any rig needs.
        [x, y, z].map(|angle| (angle.to_degrees() * 1e3).round() / 1e3)
    }
}

impl Rings {
    /// Returns the direction of an axis in the current pose; `axis` is 0…2 for X, Y, Z.
    fn axis(&self, axis: usize) -> DVec3 {
        self.pose_rotation * [DVec3::X, DVec3::Y, DVec3::Z][axis]
    }

    /// Returns the points of a ring in window coordinates, without those behind the camera.
    pub fn points(&self, axis: usize, camera: &Camera, rect: Rect) -> Vec<Pos2> {
        let unit = camera.units_per_pixel(rect.height()) * pick::depth_factor(camera, self.at.as_vec3());
        let [across, up] = [1, 2].map(|next| self.axis((axis + next) % 3) * f64::from(unit * RING_RADIUS));
        let corner = |i: usize| {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / RING_SEGMENTS as f64).sin_cos();
            see(camera, rect, (self.at + across * cos + up * sin).as_vec3())
        };
        (0..=RING_SEGMENTS).filter_map(corner).collect()
    }
}

/// Returns the axis whose ring is nearest to the screen position `at`, within [`GRAB_MAX_POINTS`]; `None` if there is none.
fn axis_under(rings: &Rings, camera: &Camera, rect: Rect, at: Pos2) -> Option<usize> {
    let away = |axis: usize| {
        let points = rings.points(axis, camera, rect);
        let middle = |pair: &[Pos2]| pair[0] + (pair[1] - pair[0]) * 0.5;
        points.windows(2).map(|pair| middle(pair).distance(at)).fold(f32::INFINITY, f32::min)
    };
    let near = (0..3).map(|axis| (axis, away(axis))).filter(|(_, away)| *away <= GRAB_MAX_POINTS);
    near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(axis, _)| axis)
}

/// Draws the rings, and the angle of a drag next to the pointer.
pub fn paint(painter: &Painter, rect: Rect, viewport: &Viewport, session: &Session) {
    let drag = viewport.rest_drag.active();
    let shown = session.frame().and_then(|frame| rings(session, frame));
    let active = drag.map(|drag| &drag.subject);
    let Some(rings) = active.map(|active| &active.rings).or(shown.as_ref()) else { return };
    for axis in 0..3 {
        let is_highlighted = active.map_or(viewport.hovered_ring, |active| Some(active.axis)) == Some(axis);
        let stroke = Stroke::new(if is_highlighted { 3.0 } else { 1.5 }, theme::AXES[axis]);
        painter.add(egui::Shape::line(rings.points(axis, &viewport.camera, rect), stroke));
    }
    if let Some(drag) = drag {
        let (axis, turned) = (["X", "Y", "Z"][drag.subject.axis], Unit::Degrees.text(drag.degrees(), 1));
        let words = format!("{axis} {turned}{}", drag.input.typed.shown());
        readout::at_pointer(painter, drag.input.pointer(), words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_about_an_axis_are_added_to_the_previous_correction() {
        let rings = Rings { joint: "arm".into(), at: DVec3::ZERO, pose_rotation: DQuat::IDENTITY };
        let drag = |axis, before| RestDrag { rings: rings.clone(), axis, before, last: Pos2::ZERO, swept: 0.0 };
        assert_eq!(drag(0, [10.0, 0.0, 0.0]).turn(5.0), [15.0, 0.0, 0.0]);
        assert_eq!(drag(2, [10.0, 20.0, 30.0]).turn(-12.5), [10.0, 20.0, 17.5]);
        assert_eq!(drag(1, [1.0 / 3.0, 0.0, 0.0]).turn(0.0), [1.0 / 3.0, 0.0, 0.0]);
        let turned = drag(1, [40.0, 10.0, -25.0]).turn(70.0);
        let wanted = DQuat::from_rotation_y(70.0_f64.to_radians()) * Settings::rotation([40.0, 10.0, -25.0]);
        assert!(Settings::rotation(turned).angle_between(wanted) < 1e-4, "{turned:?}");
    }
}
