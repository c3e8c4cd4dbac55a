//! Drawing of dynamic bones: radii, colliders, contacts, limits, the animated pose and the wind.

use egui::Color32;
use glam::{DVec3, Vec3};

use crate::theme;
use crate::viewport::handles::handle::{DynamicsHandle, HandlePart};
use crate::viewport::look::{Look, linear};
use portamento_dynamics::ColliderShape;
use portamento_render::{Dot, Line, Scene, Solid, wires};
use portamento_takes::evaluate::{BoneView, ColliderView, DynamicsView};

/// Adds bones and colliders to the scene, as far as their overlays are on. `selected` is the index of the collider with handles.
pub fn draw(scene: &mut Scene, dynamics: &DynamicsView, look: &Look, selected: Option<usize>) {
    let tokens = theme::over_view();
    let overlays = look.overlays;
    if overlays.colliders {
        for (index, body) in dynamics.colliders.iter().enumerate() {
            collider(scene, body, look, selected == Some(index));
        }
    }
    for bone in &dynamics.bones {
        if overlays.rest {
            line(scene, vec![bone.head.as_vec3(), bone.rest_tip.as_vec3()], tokens.ok, 1.5, look);
            line(scene, vec![bone.head.as_vec3(), bone.tip.as_vec3()], tokens.accent, 2.0, look);
        }
        if overlays.radii && bone.radius > 0.0 {
            let ring = wires::outline(bone.tip.as_vec3(), bone.radius as f32, look.camera.eye());
            line(scene, ring, theme::mix(theme::view().sky, tokens.accent, 0.75), 1.0, look);
        }
        if overlays.limits {
            limit(scene, bone, look);
        }
        if overlays.contacts && bone.touches {
            let size = 7.0 * look.pixels_per_point;
            scene.dots.push(Dot { at: bone.tip.as_vec3(), color: linear(tokens.warning), size, on_top: true });
        }
    }
}

/// Adds the wires of a collider. It is marked if selected (`on`) or touched.
fn collider(scene: &mut Scene, body: &ColliderView, look: &Look, on: bool) {
    let tokens = theme::over_view();
    let color = match (on, body.touched && look.overlays.contacts) {
        (_, true) => tokens.warning,
        (true, false) => tokens.target,
        (false, false) => theme::mix(theme::view().sky, tokens.target, 0.7),
    };
    let faint = theme::mix(theme::view().sky, color, 0.45);
    let eye = look.camera.eye();
    let turn = body.rotation.as_quat();
    let (outline, inner) = match body.shape {
        ColliderShape::Sphere { center, radius } | ColliderShape::InsideSphere { center, radius } => {
            let (center, radius) = (center.as_vec3(), radius as f32);
            (wires::outline(center, radius, eye), wires::ball(center, radius, turn))
        }
        ColliderShape::Capsule { a, b, radius } | ColliderShape::InsideCapsule { a, b, radius } => {
            let (a, b, radius) = (a.as_vec3(), b.as_vec3(), radius as f32);
            (wires::capsule_outline(a, b, radius, eye), wires::capsule(a, b, radius))
        }
        ColliderShape::Plane { point, normal } => {
            let (point, normal) = (point.as_vec3(), normal.as_vec3());
            let size = scene.units_per_metre;
            let mut lines = wires::plane(point, normal, size);
            arrow(scene, point, normal * size * 0.3, color, look);
            (lines.remove(0), lines)
        }
    };
    line(scene, outline, color, if on { 2.5 } else { 1.5 }, look);
    inner.into_iter().for_each(|points| line(scene, points, faint, 1.0, look));
}

/// Adds the edge of a bone's angle limit, with spokes; nothing without a limit.
fn limit(scene: &mut Scene, bone: &BoneView, look: &Look) {
    let color = theme::mix(theme::view().sky, theme::over_view().ok, 0.6);
    let edge: Vec<Vec3> = bone.limit.iter().map(|point| point.as_vec3()).collect();
    for spoke in edge.iter().step_by(6) {
        line(scene, vec![bone.head.as_vec3(), *spoke], color, 1.0, look);
    }
    if !edge.is_empty() {
        line(scene, edge, color, 1.5, look);
    }
}

fn line(scene: &mut Scene, points: Vec<Vec3>, color: Color32, width: f32, look: &Look) {
    let colors = vec![linear(color); points.len()];
    scene.lines.push(Line { points, colors, width: width * look.pixels_per_point, on_top: true });
}

/// Adds an arrow from `from` along `vector` (scene units), whose head has constant screen size. Adds nothing for a zero vector.
pub fn arrow(scene: &mut Scene, from: Vec3, vector: Vec3, color: Color32, look: &Look) {
    let unit = look.unit_at(from + vector);
    let Some(along) = vector.try_normalize() else { return };
    let tip = from + vector;
    let base = tip - along * unit * 14.0;
    line(scene, vec![from, base], color, 2.5, look);
    scene.solids.push(Solid { base, tip, radius: unit * 5.0, color: linear(color) });
}

/// Adds the draggable dots, rings and arrows of `handles`. `hovered` is highlighted.
pub fn handles(scene: &mut Scene, handles: &[DynamicsHandle], look: &Look, hovered: Option<HandlePart>) {
    let tokens = theme::over_view();
    for handle in handles {
        let highlighted = hovered == Some(handle.part);
        let color = if highlighted { theme::mix(tokens.target, theme::view().ink, 0.6) } else { tokens.target };
        let at = handle.at.as_vec3();
        match handle.part {
            HandlePart::Body => {
                let color = if highlighted { tokens.target } else { theme::view().ink };
                body_handle(scene, at, color, look);
            }
            HandlePart::Wind => {
                arrow(scene, handle.from.as_vec3(), at - handle.from.as_vec3(), color, look);
            }
            HandlePart::Normal | HandlePart::Center | HandlePart::A | HandlePart::B => {
                dot(scene, handle.at, color, 11.0, look)
            }
            HandlePart::Radius => {
                line(scene, vec![handle.from.as_vec3(), at], color, 1.0, look);
                dot(scene, handle.at, color, 9.0, look);
            }
        }
    }
}

/// Adds the handle of the character: a ring with four arrow heads, distinct from colliders, with constant screen size.
fn body_handle(scene: &mut Scene, at: Vec3, color: Color32, look: &Look) {
    let (unit, turn) = (look.unit_at(at), look.camera.rotation());
    line(scene, wires::ring(at, unit * 14.0, look.camera.eye() - at), color, 2.5, look);
    for direction in [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y].map(|direction| turn * direction) {
        let (base, tip) = (at + direction * unit * 18.0, at + direction * unit * 26.0);
        scene.solids.push(Solid { base, tip, radius: unit * 5.0, color: linear(color) });
    }
    dot(scene, at.as_dvec3(), color, 7.0, look);
}

fn dot(scene: &mut Scene, at: DVec3, color: Color32, size: f32, look: &Look) {
    let size = size * look.pixels_per_point;
    scene.dots.push(Dot { at: at.as_vec3(), color: linear(color), size, on_top: true });
}
