//! Text over the viewport: joint and object names, legends of colours.

use egui::{Align2, Mesh, Painter, Pos2, Rect, Ui};
use glam::Vec3;

use crate::i18n::tr;
use crate::theme;
use crate::units::Unit;
use crate::viewport::overlays::Overlays;
use crate::viewport::projection::see;
use portamento_render::Camera;
use portamento_takes::evaluate::{Frame, TrailKind};

/// Draws the name of the joint `selected`, and with the overlay of names those of all deforming joints.
pub fn names(ui: &Ui, rect: Rect, frame: &Frame, camera: &Camera, overlays: &Overlays, selected: Option<usize>) {
    let painter = ui.painter_at(rect);
    let deforming = frame.character.model.deforming_joints();
    for (index, transform) in frame.world.iter().enumerate() {
        let on = selected == Some(index);
        if !(on || overlays.names && deforming.get(index) == Some(&true)) {
            continue;
        }
        let Some(at) = see(camera, rect, Vec3::from(transform.translation)) else { continue };
        let color = if on { theme::over_view().accent } else { theme::view().ink };
        let name = &frame.character.model.skeleton.joints[index].name;
        painter.text(at + egui::vec2(8.0, 0.0), Align2::LEFT_CENTER, name, theme::caption(), color);
    }
}

/// Draws the names of scene objects, given with their world positions in scene units.
pub fn objects<'n>(ui: &Ui, rect: Rect, camera: &Camera, objects: impl Iterator<Item = (&'n str, Vec3)>) {
    let painter = ui.painter_at(rect);
    for (name, at) in objects.filter_map(|(name, at)| Some((name, see(camera, rect, at)?))) {
        let label_pos = at + egui::vec2(10.0, -12.0);
        painter.text(label_pos, Align2::LEFT_CENTER, name, theme::caption(), theme::view().ink);
    }
}

/// Draws the speed legend in the lower left corner if the path of the result is visible.
pub fn speed(ui: &Ui, rect: Rect, frame: &Frame, overlays: &Overlays) {
    let result = frame.overlay.trails.iter().find(|trail| trail.kind == TrailKind::Result);
    let Some(trail) = result.filter(|_| overlays.trails) else { return };
    let fastest = trail.speeds.iter().copied().fold(0.0, f64::max);
    let foot = egui::pos2(rect.min.x + 12.0, rect.max.y - 12.0);
    ramp(&ui.painter_at(rect), foot, &tr("legend.speed"), &Unit::Speed.text(fastest, 1));
}

/// Draws a colour ramp with its name and the text of its largest value. `foot` is the lower left corner on screen.
pub fn ramp(painter: &Painter, foot: Pos2, name: &str, most: &str) {
    let bar = Rect::from_min_size(foot - egui::vec2(0.0, 6.0), egui::vec2(120.0, 6.0));
    ramp_in(painter, bar);
    let gap = egui::vec2(0.0, 3.0);
    let (ink, type_) = (theme::view().ink, theme::caption());
    painter.text(bar.left_top() - gap, Align2::LEFT_BOTTOM, name, type_.clone(), ink);
    painter.text(bar.right_top() - gap, Align2::RIGHT_BOTTOM, most, type_, ink);
}

/// Draws the ramp from left to right over `bar`.
pub(crate) fn ramp_in(painter: &Painter, bar: Rect) {
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
}
