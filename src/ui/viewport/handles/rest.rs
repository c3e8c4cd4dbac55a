//! Rings for correcting the rest pose of a retargeted joint: one ring about each axis.
//!
//! The axes are those of the world at rest, rotated with the joint's motion. Turning the X ring changes the correction's X
//! value in every pose.

use egui::{Painter, Pos2, Rect, Response, Ui};
use glam::{DAffine3, DQuat, DVec3, Mat4};

use super::rings::{self, RingTurn, Rings};
use crate::drag::{Drag, DragEnd};
use crate::viewport::Viewport;
use portamento_anim::math::euler;
use portamento_anim::root_motion::turn_of;
use portamento_render::Camera;
use portamento_retarget::Settings;
use portamento_session::{Session, Shown};
use portamento_takes::document::{TakeId, TakeSource};
use portamento_takes::evaluate::Frame;

/// The rings of a joint, about its rest axes turned by the current pose.
#[derive(Clone, Debug, PartialEq)]
pub struct RestRings {
    /// Name of the joint.
    pub joint: String,
    /// The rings.
    pub rings: Rings,
}

/// A drag of a ring.
#[derive(Clone, Debug)]
pub struct RestDrag {
    joint: String,
    turn: RingTurn,
    /// The joint's correction before the drag, degrees about X, Y and Z.
    before: [f64; 3],
}

/// Returns the rings of the selected joint if it is retargeted. `None` until the frame shows the last edit.
pub fn rings(session: &Session, frame: &Frame) -> Option<RestRings> {
    let (_, settings) = settings(session)?;
    let built = &frame.built.as_ref()?.retargeted.as_ref()?.built;
    let joint = session.selection.joint?;
    let link = built.links.iter().position(|link| link.joint == joint)?;
    let world = Mat4::from(*frame.world.get(joint)?).as_dmat4();
    let world = DAffine3::from_mat4(world);
    let name = &frame.character.model.skeleton.joints.get(joint)?.name;
    // The frame may not include an edit made since it was evaluated.
    let is_known = settings.turn(name) == built.turns[link];
    let rotation = turn_of(&world) * built.aligned[link].inverse();
    is_known.then(|| RestRings { joint: name.clone(), rings: Rings { at: world.translation, rotation } })
}

/// Returns the id and the retargeting settings of the shown take; `None` if it is no retarget or a stage of it is open.
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
    let under = |at: Pos2| Some((shown.clone()?, shown.as_ref()?.rings.axis_under(&camera, rect, at)?));
    let begin = |at: Pos2| {
        let (RestRings { joint, rings }, axis) = under(at)?;
        Some(RestDrag { joint, turn: RingTurn::new(rings, axis, at), before })
    };
    if let Some(DragEnd::Cancelled(drag)) = viewport.rest_drag.update(ui, response, begin) {
        set(session, &drag.joint, drag.before);
    }
    if !viewport.rest_drag.is_dragging() {
        viewport.hovered_ring = response.hover_pos().and_then(under).map(|(_, axis)| axis);
    }
    if viewport.hovered_ring.is_some() {
        ui.set_cursor_icon(super::cursor_icon(&viewport.rest_drag));
    }
    if let Some(drag) = viewport.rest_drag.active_mut() {
        step(drag, &camera, rect);
        let turn = drag.subject.correction_after_turn(rings::degrees(drag, &drag.subject.turn));
        let joint = drag.subject.joint.clone();
        set(session, &joint, turn);
    }
    viewport.rest_drag.is_dragging() || viewport.hovered_ring.is_some()
}

/// Sets the joint's correction, in degrees about X, Y and Z, if it changed.
fn set(session: &mut Session, joint: &str, turn: [f64; 3]) {
    let Some((id, _)) = settings(session) else { return };
    let Some(TakeSource::Retarget(retarget)) = session.document.take_mut(id).map(|take| &mut take.source) else {
        return;
    };
    if retarget.settings.turn(joint) != turn {
        retarget.settings.set_turn(joint, turn);
    }
}

/// Applies one frame of mouse and keyboard input to the drag. An axis key changes the ring.
fn step(drag: &mut Drag<RestDrag>, camera: &Camera, rect: Rect) {
    if let Some(&axis) = drag.input.axes().last() {
        drag.subject.turn.bind(axis);
    }
    let [_, pointer] = drag.input.endpoints();
    drag.subject.turn.step(pointer, camera, rect);
}

impl RestDrag {
    /// Returns the correction, in degrees about X, Y and Z, after turning the ring by `degrees` from the start of the drag.
    fn correction_after_turn(&self, degrees: f64) -> [f64; 3] {
        if degrees == 0.0 {
            return self.before;
        }
        let axis = DVec3::AXES[self.turn.axis];
        let turned = DQuat::from_axis_angle(axis, degrees.to_radians()) * Settings::rotation(self.before);
        // Rounded to 0.001°, finer than any rig needs.
        euler::degrees(turned).map(|angle| (angle * 1e3).round() / 1e3)
    }
}

/// Draws the rings, and the angle of a drag next to the pointer.
pub fn paint(painter: &Painter, rect: Rect, viewport: &Viewport, session: &Session) {
    let drag = viewport.rest_drag.active();
    let shown = session.frame().and_then(|frame| rings(session, frame)).map(|shown| shown.rings);
    let turn = drag.map(|drag| drag.subject.turn);
    let Some(rings) = turn.map(|turn| turn.rings).or(shown) else { return };
    rings.paint(painter, rect, &viewport.camera, turn.map(|turn| turn.axis).or(viewport.hovered_ring));
    if let Some(drag) = drag {
        rings::readout(painter, drag, &drag.subject.turn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_about_an_axis_are_added_to_the_previous_correction() {
        let rings = Rings { at: DVec3::ZERO, rotation: DQuat::IDENTITY };
        let drag =
            |axis, before| RestDrag { joint: "arm".into(), turn: RingTurn::new(rings, axis, Pos2::ZERO), before };
        assert_eq!(drag(0, [10.0, 0.0, 0.0]).correction_after_turn(5.0), [15.0, 0.0, 0.0]);
        assert_eq!(drag(2, [10.0, 20.0, 30.0]).correction_after_turn(-12.5), [10.0, 20.0, 17.5]);
        assert_eq!(drag(1, [1.0 / 3.0, 0.0, 0.0]).correction_after_turn(0.0), [1.0 / 3.0, 0.0, 0.0]);
        let turned = drag(1, [40.0, 10.0, -25.0]).correction_after_turn(70.0);
        let wanted = DQuat::from_rotation_y(70.0_f64.to_radians()) * Settings::rotation([40.0, 10.0, -25.0]);
        assert!(Settings::rotation(turned).angle_between(wanted) < 1e-4, "{turned:?}");
    }
}
