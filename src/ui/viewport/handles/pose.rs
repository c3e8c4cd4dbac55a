//! Handles of the selected joint while a pose stage is open: rings that turn it, or arrows that move it.

use egui::{Align2, Painter, Pos2, Rect, Response, Stroke, Ui};
use glam::{DAffine3, DQuat, DVec3, Mat4};

use super::rings::{self, RingTurn, Rings};
use crate::drag::{Drag, DragEnd};
use crate::theme;
use crate::viewport::projection::{cursor, see, size};
use crate::viewport::subject::metres_per_unit;
use crate::viewport::{Viewport, readout};
use crate::widgets::number::Unit;
use portamento_anim::math::euler;
use portamento_anim::root_motion::turn_of;
use portamento_render::{Camera, pick};
use portamento_repair::pose::{Correction, Settings};
use portamento_session::Session;
use portamento_session::posing::{PoseAxes, PoseSite, PoseTool};

/// Distance in points within which an arrow or the centre is grabbed. Tuned; no derivation recorded.
const GRAB_MAX_POINTS: f32 = 9.0;
/// Snapping step of a move with Ctrl, metres.
const SNAP_STEP_M: f64 = 0.01;

/// The handles of a joint.
#[derive(Clone, Debug)]
pub struct PoseHandles {
    site: PoseSite,
    tool: PoseTool,
    /// Name of the joint.
    joint: String,
    /// Position and axes of the handles.
    pub rings: Rings,
    /// Rotation of the joint in the world.
    rotation: DQuat,
    /// The parent in the world.
    parent: DAffine3,
}

/// The dragged part.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// A ring.
    Ring(RingTurn),
    /// An arrow along an axis, or the centre, which moves parallel to the view.
    Arrow(Option<usize>),
}

/// A drag of a handle.
#[derive(Clone, Debug)]
pub struct PoseDrag {
    handles: PoseHandles,
    part: Part,
    /// The settings of the stage before the drag, restored on Esc.
    before: Settings,
    /// The correction of the joint before the drag, in full and as the key has it.
    start: Correction,
    keyed: Correction,
}

/// A part under the pointer: an axis, or the centre of the arrows.
pub type HoveredPart = Option<usize>;

/// Returns the handles of the selected joint if a pose stage is open and the joint is in the frame; otherwise `None`.
pub fn handles(session: &Session) -> Option<PoseHandles> {
    let site = session.pose_site()?;
    let frame = session.frame()?;
    let joint = session.selection.joint?;
    let skeleton = &frame.character.model.skeleton;
    let node = skeleton.joints.get(joint)?;
    let world = |joint: usize| Some(DAffine3::from_mat4(Mat4::from(*frame.world.get(joint)?).as_dmat4()));
    let own = world(joint)?;
    let parent = node.parent.map_or(Some(DAffine3::IDENTITY), world)?;
    let (tool, axes) = session.selection.posing;
    let rotation = turn_of(&own);
    let axes = match axes {
        PoseAxes::Local => rotation,
        PoseAxes::Parent => turn_of(&parent),
        PoseAxes::World => DQuat::IDENTITY,
    };
    let rings = Rings { at: own.translation, rotation: axes };
    Some(PoseHandles { site, tool, joint: node.name.clone(), rings, rotation, parent })
}

/// Handles the mouse. Returns true if a handle is hovered or dragged. Esc restores the stage.
pub fn pointer_input(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) -> bool {
    let shown = handles(session);
    let camera = viewport.camera;
    let under = |at: Pos2| shown.as_ref()?.part_under(&camera, rect, at);
    let begin = |at: Pos2| {
        let part = under(at)?;
        PoseDrag::new(shown.clone()?, part, at, session)
    };
    if let Some(DragEnd::Cancelled(drag)) = viewport.pose_drag.update(ui, response, begin)
        && let Some(settings) = session.pose_settings_mut(&drag.handles.site)
    {
        *settings = drag.before;
    }
    if !viewport.pose_drag.is_dragging() {
        viewport.hovered_pose = response.hover_pos().and_then(under);
    }
    if viewport.hovered_pose.is_some() {
        ui.set_cursor_icon(super::cursor_icon(&viewport.pose_drag));
    }
    if let Some(drag) = viewport.pose_drag.active_mut() {
        step(drag, &camera, rect);
        let moved = drag.corrected(&camera, rect, metres_per_unit(session));
        if let Some(correction) = moved.filter(|_| drag.input.has_moved() || drag.input.typed != Default::default()) {
            session.set_correction(&drag.subject.handles.site, correction);
        }
    }
    viewport.pose_drag.is_dragging() || viewport.hovered_pose.is_some()
}

/// Applies one frame of mouse and keyboard input to the drag. An axis key constrains it.
fn step(drag: &mut Drag<PoseDrag>, camera: &Camera, rect: Rect) {
    let [_, pointer] = drag.input.endpoints();
    let axis = drag.input.axes().last().copied();
    match &mut drag.subject.part {
        Part::Ring(turn) => {
            axis.into_iter().for_each(|axis| turn.bind(axis));
            turn.step(pointer, camera, rect);
        }
        Part::Arrow(bound) => {
            // The same axis again removes the constraint.
            axis.into_iter().for_each(|axis| *bound = (*bound != Some(axis)).then_some(axis));
        }
    }
}

impl PoseHandles {
    /// Returns the part under the screen position `at`; `None` if there is none.
    fn part_under(&self, camera: &Camera, rect: Rect, at: Pos2) -> Option<HoveredPart> {
        if self.tool == PoseTool::Turn {
            return self.rings.axis_under(camera, rect, at).map(Some);
        }
        let middle = see(camera, rect, self.rings.at.as_vec3())?;
        if middle.distance(at) <= GRAB_MAX_POINTS {
            return Some(None);
        }
        let along = |axis: usize| {
            let tip = self.tip(axis, camera, rect)?;
            let share = ((at - middle).dot(tip - middle) / (tip - middle).length_sq().max(1e-6)).clamp(0.0, 1.0);
            Some((axis, (middle + (tip - middle) * share).distance(at)))
        };
        let near = (0..3).filter_map(along).filter(|(_, distance)| *distance <= GRAB_MAX_POINTS);
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(axis, _)| Some(axis))
    }

    /// Returns the tip of the arrow along `axis` in window coordinates, points. `None` if it is behind the camera.
    pub fn tip(&self, axis: usize, camera: &Camera, rect: Rect) -> Option<Pos2> {
        let unit = camera.units_per_pixel(rect.height()) * pick::depth_factor(camera, self.rings.at.as_vec3());
        see(camera, rect, (self.rings.at + self.rings.axis(axis) * f64::from(unit * pick::ARROW)).as_vec3())
    }
}

impl PoseDrag {
    /// Starts a drag of `part`, grabbed at the screen position `at`. `None` if the stage no longer has such a correction.
    fn new(handles: PoseHandles, part: HoveredPart, at: Pos2, session: &Session) -> Option<Self> {
        let before = session.pose_settings(&handles.site)?.clone();
        let start = session.correction_at(&handles.site, &handles.joint)?;
        let key = handles.site.key.and_then(|key| before.keys.get(key));
        let keyed = key.and_then(|key| key.correction(&handles.joint)).cloned();
        let keyed = keyed.unwrap_or_else(|| Correction::of(&handles.joint));
        let part = match (handles.tool, part) {
            (PoseTool::Turn, Some(axis)) => Part::Ring(RingTurn::new(handles.rings, axis, at)),
            (_, part) => Part::Arrow(part),
        };
        Some(Self { handles, part, before, start, keyed })
    }

    /// Returns the correction after a turn of the ring by `degrees` from the start of the drag.
    fn correction_after_turn(&self, turn: &RingTurn, degrees: f64) -> Correction {
        // The axis in the joint's own axes, in which corrections are applied after the motion.
        let axis = self.handles.rotation.inverse() * turn.rings.axis(turn.axis);
        let turned = self.start.rotation() * DQuat::from_axis_angle(axis.normalize_or(DVec3::X), degrees.to_radians());
        // Rounded to 0.001°, finer than any rig needs.
        let angles = euler::degrees(turned.normalize()).map(|angle| (angle * 1e3).round() / 1e3);
        Correction { turn: Some(angles), ..self.keyed.clone() }
    }

    /// Returns the correction after `displacement` from the start of the drag, in the world and in the file's unit.
    fn correction_after_move(&self, displacement: DVec3) -> Correction {
        let local = self.handles.parent.matrix3.inverse() * displacement;
        let offset = self.start.offset() + if local.is_finite() { local } else { displacement };
        Correction { translation: Some(offset.to_array()), ..self.keyed.clone() }
    }
}

impl Drag<PoseDrag> {
    /// Returns the correction at the current position of the pointer. `camera` is in the unit of the file. `metres`
    /// is the length of that unit, by which snap steps and typed values are converted. `None` if an arrow is dragged
    /// and the pointer is beyond the horizon.
    fn corrected(&self, camera: &Camera, rect: Rect, metres: f64) -> Option<Correction> {
        match &self.subject.part {
            Part::Ring(turn) => Some(self.subject.correction_after_turn(turn, rings::degrees(self, turn))),
            Part::Arrow(_) => self.displacement(camera, rect, metres).map(|by| self.subject.correction_after_move(by)),
        }
    }

    /// Returns the displacement of the joint in the world, in the file's unit: dragged, snapped or typed. `metres` is
    /// the length of that unit. `None` for a ring, or if the pointer is beyond the horizon.
    fn displacement(&self, camera: &Camera, rect: Rect, metres: f64) -> Option<DVec3> {
        let Part::Arrow(bound) = self.subject.part else { return None };
        let rings = &self.subject.handles.rings;
        let path = self.input.endpoints().map(|at| cursor(rect, at));
        let snapped = |length: f64| {
            let step = SNAP_STEP_M / metres;
            if self.input.snaps() { (length / step).round() * step } else { length }
        };
        if let Some(value) = self.input.typed.value(Unit::Metres) {
            return Some(rings.axis(bound.unwrap_or(0)) * (value / metres));
        }
        match bound {
            Some(axis) => {
                let axis = rings.axis(axis);
                let moved = pick::drag_along(camera, size(rect), rings.at, path, axis)?;
                Some(axis * snapped((moved - rings.at).dot(axis)))
            }
            None => {
                let moved = pick::drag_in_view(camera, size(rect), rings.at, path)? - rings.at;
                let in_axes = (rings.rotation.inverse() * moved).to_array().map(snapped);
                Some(rings.rotation * DVec3::from(in_axes))
            }
        }
    }
}

/// Draws the handles, and the turn or move of a drag next to the pointer.
pub fn paint(painter: &Painter, rect: Rect, viewport: &Viewport, session: &Session) {
    let Some(handles) = handles(session) else { return };
    let (camera, drag) = (&viewport.camera, viewport.pose_drag.active());
    let part = drag.map(|drag| &drag.subject.part);
    if handles.tool == PoseTool::Turn {
        let turn = part.and_then(|part| if let Part::Ring(turn) = part { Some(*turn) } else { None });
        let highlighted = turn.map(|turn| turn.axis).or(viewport.hovered_pose.flatten());
        turn.map_or(handles.rings, |turn| turn.rings).paint(painter, rect, camera, highlighted);
        if let Some((drag, turn)) = drag.zip(turn) {
            rings::readout(painter, drag, &turn);
        }
        return;
    }
    let bound = part.and_then(|part| if let Part::Arrow(bound) = part { Some(*bound) } else { None });
    arrows(painter, rect, &handles, camera, bound.or(viewport.hovered_pose));
    let metres = metres_per_unit(session);
    if let Some((drag, by)) = drag.and_then(|drag| Some((drag, drag.displacement(camera, rect, metres)?))) {
        let words = format!("Δ {}{}", Unit::Metres.text(by.length() * metres, 3), drag.input.typed.shown());
        readout::at_pointer(painter, drag.input.pointer(), words);
    }
}

/// Draws the arrows and the centre.
fn arrows(painter: &Painter, rect: Rect, handles: &PoseHandles, camera: &Camera, highlighted: Option<HoveredPart>) {
    let Some(middle) = see(camera, rect, handles.rings.at.as_vec3()) else { return };
    for axis in 0..3 {
        let Some(tip) = handles.tip(axis, camera, rect) else { continue };
        let width = if highlighted == Some(Some(axis)) { 3.0 } else { 1.5 };
        painter.arrow(middle, tip - middle, Stroke::new(width, theme::AXES[axis]));
    }
    let square = Align2::CENTER_CENTER.anchor_size(middle, egui::Vec2::splat(9.0));
    let width = if highlighted == Some(None) { 3.0 } else { 1.5 };
    painter.rect_stroke(square, 1.0, Stroke::new(width, theme::view().ink), egui::StrokeKind::Middle);
}
