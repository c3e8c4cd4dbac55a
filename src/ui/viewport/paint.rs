//! Drawing over the character: ground, trails, ghosts, joints.

use egui::{Align2, Color32, Mesh, Pos2, Rect, Shape, Stroke, Ui};
use glam::{Affine3A, Vec3};

use super::{Camera, Overlays};
use crate::anim::Skeleton;
use crate::evaluate::{Frame, GhostKind, Trail, TrailKind};
use crate::session::Session;
use crate::ui::i18n::tr;
use crate::ui::theme;

/// From file units to pixels.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// Where the viewport is on screen.
    pub rect: Rect,
    /// Where it looks from.
    pub camera: Camera,
    /// Metres per file unit.
    pub metres: f32,
}

impl Scene {
    /// Where a point in file units appears.
    pub fn see(&self, point: Vec3) -> Option<Pos2> {
        self.camera.project(self.rect, point * self.metres).map(|(at, _)| at)
    }
}

/// Background and ground grid.
pub fn ground(ui: &Ui, rect: Rect, camera: &Camera, grid: bool) {
    let painter = ui.painter_at(rect);
    let mut mesh = Mesh::default();
    for (corner, color) in [
        (rect.left_top(), theme::SKY),
        (rect.right_top(), theme::SKY),
        (rect.left_bottom(), theme::FLOOR),
        (rect.right_bottom(), theme::FLOOR),
    ] {
        mesh.colored_vertex(corner, color);
    }
    mesh.add_triangle(0, 1, 2);
    mesh.add_triangle(2, 1, 3);
    painter.add(mesh);
    if !grid {
        return;
    }
    let reach = (camera.distance * 2.5).clamp(2.0, 40.0);
    let step = if reach > 20.0 { 5.0 } else { 1.0 };
    let lines = (reach / step) as i32;
    let (cx, cz) = ((camera.focus.x / step).round(), (camera.focus.z / step).round());
    for i in -lines..=lines {
        let fade = 1.0 - (i.abs() as f32 / lines as f32);
        let (x, z) = ((cx + i as f32) * step, (cz + i as f32) * step);
        let (far_x, far_z) = (cx * step, cz * step);
        let is_axis = |value: f32| value.abs() < 1e-3;
        let color = |axis: usize, on_axis: bool| {
            if on_axis { theme::mix(theme::FLOOR, theme::AXES[axis], 0.55 * fade) } else { theme::mix(theme::FLOOR, theme::GRID, fade) }
        };
        line(&painter, camera, rect, [Vec3::new(x, 0.0, far_z - reach), Vec3::new(x, 0.0, far_z + reach)], color(2, is_axis(x)));
        line(&painter, camera, rect, [Vec3::new(far_x - reach, 0.0, z), Vec3::new(far_x + reach, 0.0, z)], color(0, is_axis(z)));
    }
}

/// A line in space, cut where it passes behind the eye.
fn line(painter: &egui::Painter, camera: &Camera, rect: Rect, ends: [Vec3; 2], color: Color32) {
    const PIECES: usize = 24;
    let point = |i: usize| ends[0].lerp(ends[1], i as f32 / PIECES as f32);
    for i in 0..PIECES {
        if let (Some((a, _)), Some((b, _))) = (camera.project(rect, point(i)), camera.project(rect, point(i + 1))) {
            painter.line_segment([a, b], Stroke::new(1.0, color));
        }
    }
}

/// Trails, ghosts and joints of `frame`.
pub fn frame(ui: &Ui, scene: &Scene, frame: &Frame, overlays: &Overlays, selected: Option<usize>) {
    let painter = ui.painter_at(scene.rect);
    let skeleton = &frame.character.model.skeleton;
    let deforming = frame.character.model.deforming_joints();
    let tokens = theme::tokens(true);
    if overlays.ghosts {
        for ghost in &frame.overlay.ghosts {
            let color = match ghost.kind {
                GhostKind::SourceEnd => tokens.source,
                GhostKind::ResultEnd => tokens.accent,
            };
            bones(&painter, scene, skeleton, &deforming, &ghost.world, color.gamma_multiply(0.35));
        }
    }
    bones(&painter, scene, skeleton, &deforming, &frame.world, tokens.text);
    if overlays.trails {
        frame.overlay.trails.iter().for_each(|each| trail(&painter, scene, each));
    }
    joint_marks(&painter, scene, frame, &deforming, overlays, selected);
}

fn bones(
    painter: &egui::Painter,
    scene: &Scene,
    skeleton: &Skeleton,
    deforming: &[bool],
    world: &[Affine3A],
    color: Color32,
) {
    let place = |joint: usize| world.get(joint).map(|place| Vec3::from(place.translation));
    for (index, joint) in skeleton.joints.iter().enumerate() {
        let Some(parent) = joint.parent.filter(|&parent| deforming.get(index) == Some(&true) && deforming[parent]) else { continue };
        let (Some(from), Some(to)) = (place(parent), place(index)) else { continue };
        octahedron(painter, scene, from, to, color);
    }
}

/// A slim octahedron from parent to child, as seen from the camera.
fn octahedron(painter: &egui::Painter, scene: &Scene, from: Vec3, to: Vec3, color: Color32) {
    let (Some(a), Some(b)) = (scene.see(from), scene.see(to)) else { return };
    let along = b - a;
    let length = along.length();
    if length < 1.0 {
        return;
    }
    let side = along.rot90() * (0.09_f32.min(5.0 / length));
    let waist = a + along * 0.18;
    let fill = color.gamma_multiply(0.35);
    painter.add(Shape::convex_polygon(vec![a, waist + side, b, waist - side], fill, Stroke::new(1.0, color)));
}

fn trail(painter: &egui::Painter, scene: &Scene, trail: &Trail) {
    let tokens = theme::tokens(true);
    let fastest = trail.speeds.iter().copied().fold(1e-9, f64::max);
    let seen: Vec<Option<Pos2>> = trail.points.iter().map(|point| scene.see(point.as_vec3())).collect();
    for i in 1..seen.len() {
        let (Some(a), Some(b)) = (seen[i - 1], seen[i]) else { continue };
        let color = match trail.kind {
            TrailKind::Source => tokens.source,
            TrailKind::Result => theme::ramp((trail.speeds.get(i).copied().unwrap_or_default() / fastest) as f32),
        };
        let width = if trail.kind == TrailKind::Source { 1.0 } else { 2.0 };
        painter.line_segment([a, b], Stroke::new(width, color));
        painter.circle_filled(b, width, color);
        if trail.reversed.get(i) == Some(&true) {
            painter.circle_stroke(b, 4.0, Stroke::new(1.5, tokens.error));
        }
    }
}

fn joint_marks(
    painter: &egui::Painter,
    scene: &Scene,
    frame: &Frame,
    deforming: &[bool],
    overlays: &Overlays,
    selected: Option<usize>,
) {
    let tokens = theme::tokens(true);
    for (index, place) in frame.world.iter().enumerate() {
        let on = selected == Some(index);
        let shown = on || (overlays.joints && deforming.get(index) == Some(&true));
        let Some(at) = scene.see(Vec3::from(place.translation)).filter(|_| shown) else { continue };
        let (radius, color) = if on { (4.0, tokens.accent) } else { (2.5, tokens.text) };
        painter.circle_filled(at, radius, color);
        if on || overlays.names {
            let name = &frame.character.model.skeleton.joints[index].name;
            painter.text(at + egui::vec2(7.0, 0.0), Align2::LEFT_CENTER, name, theme::caption(), color);
        }
    }
}

/// What the colours of the trail mean, lower left.
pub fn legend(ui: &Ui, rect: Rect, session: &Session, overlays: &Overlays) {
    let Some(frame) = session.frame() else { return };
    let result = frame.overlay.trails.iter().find(|trail| trail.kind == TrailKind::Result);
    let Some(trail) = result.filter(|_| overlays.trails) else { return };
    let fastest = trail.speeds.iter().copied().fold(0.0, f64::max);
    let painter = ui.painter_at(rect);
    let bar = Rect::from_min_size(egui::pos2(rect.min.x + 12.0, rect.max.y - 20.0), egui::vec2(120.0, 6.0));
    let mut mesh = Mesh::default();
    for i in 0..=16_u32 {
        let at = i as f32 / 16.0;
        let x = bar.min.x + bar.width() * at;
        mesh.colored_vertex(Pos2::new(x, bar.min.y), theme::ramp(at));
        mesh.colored_vertex(Pos2::new(x, bar.max.y), theme::ramp(at));
        if i > 0 {
            mesh.add_triangle(2 * i - 2, 2 * i - 1, 2 * i);
            mesh.add_triangle(2 * i - 1, 2 * i, 2 * i + 1);
        }
    }
    painter.add(mesh);
    let ink = theme::OVER_VIEW;
    painter.text(bar.left_top() - egui::vec2(0.0, 3.0), Align2::LEFT_BOTTOM, tr("legend.speed"), theme::caption(), ink);
    painter.text(bar.right_top() - egui::vec2(0.0, 3.0), Align2::RIGHT_BOTTOM, format!("{fastest:.1} m/s"), theme::caption(), ink);
}
