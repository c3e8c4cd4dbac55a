//! Camera control by mouse and commands.

use egui::{PointerButton, Rect, Response, Ui};
use glam::{Vec2, Vec3};

use crate::i18n::tr_with;
use crate::shortcuts;
use crate::viewport::Viewport;
use crate::viewport::camera::bounds::mesh;
use crate::viewport::projection::{cursor, size};
use crate::viewport::references::{self, Reference};
use crate::viewport::subject::metres_per_unit;
use portamento_anim::math::Bounds;
use portamento_render::{Camera, View, pick};
use portamento_session::keymap::{MouseButton, MouseHold, MouseMotion};
use portamento_session::{Command, EditCommand, NewCollider, Session, WindowCommand};
use portamento_takes::evaluate::FrameContent;

/// Handles orbit, pan, zoom and picking. A click selects the joint under the pointer, or else the object, or deselects both. A
/// right-click on a joint selects it.
pub fn mouse(ui: &Ui, response: &Response, viewport: &mut Viewport, session: &mut Session, rect: Rect) {
    turn(ui, response, &mut viewport.camera, rect);
    if response.clicked()
        && let Some(at) = response.interact_pointer_pos()
    {
        let joint = joint_at(viewport, session, rect, at);
        let ray = viewport.camera.ray(cursor(rect, at), size(rect));
        let object = || references::object_at(session, metres_per_unit(session), ray);
        session.selection.object = if joint.is_none() { object() } else { None };
        session.selection.joint = joint;
    }
    if response.secondary_clicked()
        && let Some(at) = response.interact_pointer_pos()
        && let Some(joint) = joint_at(viewport, session, rect, at)
    {
        session.selection.joint = Some(joint);
    }
    joint_menu(response, session);
}

/// Handles orbit, pan and zoom by the buttons of the navigation preset, and zoom by the wheel.
pub fn turn(ui: &Ui, response: &Response, camera: &mut Camera, rect: Rect) {
    let modifiers = ui.input(|input| input.modifiers);
    let by = response.drag_delta();
    let pixels = glam::Vec2::new(by.x, by.y);
    let buttons = [
        (PointerButton::Middle, MouseButton::Middle),
        (PointerButton::Primary, MouseButton::Primary),
        (PointerButton::Secondary, MouseButton::Secondary),
    ];
    let pressed = buttons.into_iter().find(|(button, _)| response.dragged_by(*button));
    let motion = pressed.and_then(|(_, button)| {
        let hold = MouseHold { button, alt: modifiers.alt, shift: modifiers.shift, ctrl: modifiers.command };
        shortcuts::mouse().motion(hold)
    });
    match motion {
        Some(MouseMotion::Orbit) => camera.orbit(pixels),
        Some(MouseMotion::Pan) => camera.pan(pixels, rect.height()),
        Some(MouseMotion::Zoom) => {
            camera.zoom((-(by.x - by.y) * 0.01).exp(), cursor(rect, rect.center()), size(rect));
        }
        None => {}
    }
    if let Some(at) = response.hover_pos() {
        let (scroll, zoom) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
        let factor = (-scroll * 0.003).exp() / zoom;
        if factor != 1.0 {
            camera.zoom(factor, cursor(rect, at), size(rect));
        }
    }
}

/// Draws the context menu of the selected joint.
fn joint_menu(response: &Response, session: &mut Session) {
    let Some(joint) = session.selection.joint else { return };
    response.context_menu(|ui| {
        let Some(frame) = session.frame() else { return };
        let name = frame.character.model.skeleton.joints.get(joint).map(|joint| joint.name.clone()).unwrap_or_default();
        let swings = frame.dynamics.is_some();
        let mut asked = None;
        if ui.button(tr_with("dynamics.make_dynamic_named", &[("joint", name.clone())])).clicked() {
            asked = Some(EditCommand::MakeDynamic { character: None, joint });
        }
        if swings && ui.button(tr_with("collider.fit_named", &[("joint", name)])).clicked() {
            asked = Some(EditCommand::AddCollider(NewCollider::Fitted(joint)));
        }
        if let Some(asked) = asked {
            session.perform(Command::Edit(asked));
            ui.close();
        }
    });
}

/// Returns the deforming joint nearest to the screen position `at` within reach; `None` if there is none. `rect` is the view.
fn joint_at(viewport: &Viewport, session: &Session, rect: Rect, at: egui::Pos2) -> Option<usize> {
    let frame = session.frame()?;
    let deforming = frame.character.model.deforming_joints();
    let joints: Vec<usize> = (0..frame.world.len()).filter(|&joint| deforming.get(joint) == Some(&true)).collect();
    let heads: Vec<Vec3> = joints.iter().map(|&joint| Vec3::from(frame.world[joint].translation)).collect();
    pick::joint_at(&viewport.camera, size(rect), &heads, cursor(rect, at)).map(|index| joints[index])
}

/// Share of the view that a fitted box fills. Tuned; no derivation recorded.
const FILLED_SHARE: f32 = 0.78;

/// Centres a box (scene units) and moves the camera as close as its corners allow. `size` is that of the view in points.
pub fn fit(camera: &mut Camera, bounds: Bounds, size: Vec2) {
    camera.frame(bounds.low, bounds.high);
    let corners = bounds.corners();
    // The projection is not linear in the distance, so several small steps are taken.
    for _ in 0..4 {
        let seen = corners.iter().filter_map(|&corner| camera.project(corner, size));
        let spread = seen.map(|at| ((at - size * 0.5).abs() / (size * 0.5)).max_element()).fold(0.0, f32::max);
        camera.distance *= (spread / FILLED_SHARE).clamp(0.5, 2.0);
    }
}

/// Performs view commands: directions, framing, overlays. `bounds` are those of everything shown, `size` is that of the view in
/// points. Other commands do nothing.
pub fn carry_out(viewport: &mut Viewport, session: &Session, command: WindowCommand, bounds: Bounds, size: Vec2) {
    let (camera, overlays) = (&mut viewport.camera, &mut viewport.overlays);
    match command {
        WindowCommand::FrameAll => fit(camera, with_references(session, bounds), size),
        WindowCommand::FrameSelection => frame_selection(viewport, session, bounds, size),
        WindowCommand::ViewFront => camera.look_from(View::Front),
        WindowCommand::ViewBack => camera.look_from(View::Back),
        WindowCommand::ViewRight => camera.look_from(View::Right),
        WindowCommand::ViewLeft => camera.look_from(View::Left),
        WindowCommand::ViewTop => camera.look_from(View::Top),
        WindowCommand::ViewBottom => camera.look_from(View::Bottom),
        WindowCommand::ToggleOrthographic => camera.orthographic = !camera.orthographic,
        WindowCommand::ToggleGhosts => overlays.ghosts = !overlays.ghosts,
        WindowCommand::ToggleTrails => overlays.trails = !overlays.trails,
        WindowCommand::ToggleJoints => overlays.joints = !overlays.joints,
        WindowCommand::ToggleTurntable => overlays.turntable = !overlays.turntable,
        WindowCommand::ToggleRuler => viewport.ruler.toggle(),
        WindowCommand::TogglePairOverlay => viewport.pair.is_laid_over = !viewport.pair.is_laid_over,
        _ => {}
    }
}

/// Returns `bounds` (scene units) extended by the reference meshes of the scene.
fn with_references(session: &Session, bounds: Bounds) -> Bounds {
    let references = references::visible_references(session, metres_per_unit(session));
    let corners = references.iter().filter_map(Reference::bounds).flat_map(|each| [each.low, each.high]);
    Bounds::around(corners.chain([bounds.low, bounds.high])).unwrap_or(bounds)
}

/// Returns the box around the selected reference mesh in scene units, if it is visible.
fn selected_reference(session: &Session) -> Option<Bounds> {
    let selected = session.selection.object?;
    let references = references::visible_references(session, metres_per_unit(session));
    references.iter().find(|each| each.object == selected)?.bounds()
}

/// Frames the selected reference mesh, else the selected joint with its descendants, else the visible character at its current
/// position. Content without a pose is framed by `bounds`.
fn frame_selection(viewport: &mut Viewport, session: &Session, bounds: Bounds, size: Vec2) {
    let Some(frame) = session.frame() else { return };
    if let Some(mesh) = selected_reference(session) {
        return fit(&mut viewport.camera, mesh, size);
    }
    let skeleton = &frame.character.model.skeleton;
    if frame.content != FrameContent::Posed {
        return fit(&mut viewport.camera, bounds, size);
    }
    let chosen = session.selection.joint.filter(|&joint| joint < skeleton.len());
    if let Some(mesh) = mesh(session, frame).filter(|_| chosen.is_none()) {
        return fit(&mut viewport.camera, mesh, size);
    }
    let joints: Vec<usize> = match chosen {
        Some(joint) => skeleton.subtree(joint),
        // A node that carries the figure may remain at the origin; only deforming joints count.
        None => {
            let deforming = frame.character.model.deforming_joints();
            (0..skeleton.len()).filter(|&joint| deforming.get(joint) == Some(&true)).collect()
        }
    };
    let positions =
        joints.iter().filter_map(|&joint| frame.world.get(joint)).map(|transform| Vec3::from(transform.translation));
    let Bounds { low, high } = Bounds::around(positions).unwrap_or(bounds);
    // Joints lie inside the body, so a margin is added.
    let figure = frame.character.rest_bounds();
    let room = Vec3::splat(figure.size().length() * 0.05);
    fit(&mut viewport.camera, Bounds { low: low - room, high: high + room }, size);
}
