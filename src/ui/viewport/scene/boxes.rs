//! Drawing of the boxes that stand on the ground of walks.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use crate::theme;
use crate::viewport::look::{Look, linear};
use portamento_render::{LevelOverlay, Line, Scene};
use portamento_takes::document::ObstacleBox;

/// Brightness of sides along X, of tops and of sides along Z, so that the shape is visible without light.
const TONES: [f32; 3] = [0.7, 1.0, 0.5];

/// Adds `boxes`, each with the centre of its base in metres.
pub(super) fn draw(scene: &mut Scene, boxes: &[(DVec3, ObstacleBox)], look: &Look) {
    let boxes = boxes.iter().filter(|(base, _)| base.is_finite());
    let mut land = LevelOverlay::default();
    let [red, green, blue, alpha] = linear(theme::mix(theme::GROUND, theme::over_view().target, 0.35));
    for (base, shape) in boxes {
        for (corners, normal) in shape.faces(*base) {
            let shares = normal.abs().as_vec3();
            let tone = Vec3::from_array(TONES).dot(shares * shares);
            land.add_quad(corners.map(|corner| corner.as_vec3()), [red * tone, green * tone, blue * tone, alpha]);
            let outline = corners.iter().chain(&corners[..1]).map(|corner| (*corner / look.metres).as_vec3());
            let points: Vec<Vec3> = outline.collect();
            let color = linear(theme::over_view().target);
            let width = look.pixels_per_point;
            scene.lines.push(Line { colors: vec![color; points.len()], points, width, on_top: false });
        }
    }
    if !land.corners.is_empty() {
        scene.lands.push(Arc::new(land));
    }
}
