//! Painting area rules on the level of the shown walk.

use super::PaintContext;
use crate::Shown;
use portamento_walk::navigation::voxels::{AreaStroke, Volume, area};

/// Minimum and maximum brush radius on the ground, metres.
pub const GROUND_RADIUS: (f64, f64) = (0.1, 50.0);

impl PaintContext<'_> {
    /// Paints the brush's area rule along `points`, metres; a new area gets the name `name`. Does nothing if no walk is
    /// shown.
    pub(super) fn paint_area(&mut self, points: Vec<[f64; 3]>, name: &str) {
        let (effect, radius) = (self.selection.painting.effect, self.selection.painting.ground_radius);
        if let Some(volumes) = self.volumes_mut() {
            area::paint(volumes, AreaStroke { points, radius }, effect, name);
        }
    }

    /// Erases painted areas along `points`, metres. Does nothing if no walk is shown.
    pub(super) fn erase_area(&mut self, points: Vec<[f64; 3]>) {
        let radius = self.selection.painting.ground_radius;
        if let Some(volumes) = self.volumes_mut() {
            area::erase(volumes, &AreaStroke { points, radius });
        }
    }

    /// Returns the volumes of the shown walk; `None` if no walk is shown.
    fn volumes_mut(&mut self) -> Option<&mut Vec<Volume>> {
        let Shown::Take(id) = self.selection.shown else { return None };
        Some(&mut self.document.take_mut(id)?.walk_mut()?.voxels.volumes)
    }
}
