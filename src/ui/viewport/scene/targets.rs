//! Drawing of target handles with constant screen size: a ring for each target, and arrows for the chosen one.

use egui::Color32;
use glam::Vec3;

use crate::theme;
use crate::viewport::handles::object;
use crate::viewport::handles::target::TargetHandle;
use crate::viewport::look::{Look, linear};
use portamento_render::pick::{self, Handle};
use portamento_render::{Dot, Line, Scene, Solid};
use portamento_takes::evaluate::Frame;

/// Adds the targets of `frame` and the selected object's handles, of which the first has arrows.
pub(super) fn draw(scene: &mut Scene, frame: &Frame, object: &[Vec3], look: &Look) {
    for (part, &at) in object.iter().enumerate() {
        let ink = theme::over_view().selection;
        let mark = TargetMark { window: object::WINDOW - part, at, unit: look.unit_at(at), ink };
        ring(scene, &mark, look);
        if part == 0 {
            arrows(scene, &mark, true, look);
        }
    }
    let overlay = &frame.overlay;
    let ink = linear(theme::over_view().target);
    for outline in &overlay.outlines {
        let points: Vec<Vec3> = outline.iter().map(|point| point.as_vec3()).collect();
        let width = WIDTH * look.pixels_per_point;
        scene.lines.push(Line { colors: vec![ink; points.len()], points, width, on_top: false });
    }
    for (window, target) in overlay.targets.iter().enumerate() {
        let ink = theme::over_view().target;
        let target = TargetMark { window, at: target.as_vec3(), unit: look.unit_at(target.as_vec3()), ink };
        ring(scene, &target, look);
        if look.chosen_target.is_none_or(|chosen| chosen == window) {
            arrows(scene, &target, overlay.target_has_height, look);
        }
    }
}

/// A target or object to be drawn.
struct TargetMark {
    window: usize,
    at: Vec3,
    /// Scene units per point.
    unit: f32,
    /// The colour of the ring and the vertical arrow.
    ink: Color32,
}

impl TargetMark {
    fn color(&self, handle: Handle, color: Color32, look: &Look) -> [f32; 4] {
        let is_hovered = look.hovered == Some(TargetHandle { window: self.window, handle });
        linear(if is_hovered { theme::mix(color, theme::view().ink, 0.6) } else { color })
    }
}

/// Width of rings and arrows, points.
const WIDTH: f32 = 2.5;

/// Adds the ring on the ground and the dot of a target.
fn ring(scene: &mut Scene, target: &TargetMark, look: &Look) {
    let color = target.color(Handle::Ground, target.ink, look);
    let point = |i: u8| {
        let (sin, cos) = (f32::from(i) / 64.0 * std::f32::consts::TAU).sin_cos();
        target.at + Vec3::new(cos, 0.0, sin) * target.unit * pick::RING
    };
    let points: Vec<Vec3> = (0..=64).map(point).collect();
    let width = WIDTH * look.pixels_per_point;
    scene.lines.push(Line { colors: vec![color; points.len()], points, width, on_top: true });
    scene.dots.push(Dot { at: target.at, color, size: 8.0 * look.pixels_per_point, on_top: true });
}

/// Adds the arrows of a target along +X and +Z, and with `has_height` along +Y.
fn arrows(scene: &mut Scene, target: &TargetMark, has_height: bool, look: &Look) {
    let arrows = [
        (Handle::AxisX, Vec3::X, theme::AXES[0]),
        (Handle::AxisZ, Vec3::Z, theme::AXES[2]),
        (Handle::Height, Vec3::Y, target.ink),
    ];
    for (handle, axis, color) in arrows.into_iter().filter(|(handle, ..)| has_height || *handle != Handle::Height) {
        let color = target.color(handle, color, look);
        let at = |points: f32| target.at + axis * target.unit * points;
        let line = vec![at(pick::RING), at(pick::ARROW - 12.0)];
        scene.lines.push(Line {
            colors: vec![color; 2],
            points: line,
            width: WIDTH * look.pixels_per_point,
            on_top: true,
        });
        let (base, tip) = (at(pick::ARROW - 14.0), at(pick::ARROW));
        scene.solids.push(Solid { base, tip, radius: target.unit * 5.0, color });
    }
}
