//! Painting rules on the level of the shown walk.

use super::{Session, Shown};
use crate::systems::navigation::voxels::{AreaStroke, Effect, Volume, area};

/// The brush that paints rules; not part of the document.
#[derive(Clone, Debug, PartialEq)]
pub struct AreaBrush {
    /// Whether the left button paints.
    pub on: bool,
    /// What it paints.
    pub effect: Effect,
    /// Along the ground, metres.
    pub radius: f64,
}

/// The least and greatest radius, metres.
pub const RADIUS: (f64, f64) = (0.1, 50.0);

impl Default for AreaBrush {
    fn default() -> Self {
        Self { on: false, effect: Effect::Blocked, radius: 1.0 }
    }
}

impl Session {
    /// Paints the rule of the brush along `points`, metres; a new area is called `name`.
    pub fn paint_area(&mut self, points: Vec<[f64; 3]>, name: &str) {
        let AreaBrush { effect, radius, .. } = self.selection.area;
        if let Some(volumes) = self.volumes_mut() {
            area::paint(volumes, AreaStroke { points, radius }, effect, name);
        }
    }

    /// Takes what the brush passes over along `points`, metres, out of everything painted.
    pub fn erase_area(&mut self, points: Vec<[f64; 3]>) {
        let radius = self.selection.area.radius;
        if let Some(volumes) = self.volumes_mut() {
            area::erase(volumes, &AreaStroke { points, radius });
        }
    }

    fn volumes_mut(&mut self) -> Option<&mut Vec<Volume>> {
        let Shown::Take(id) = self.selection.shown else { return None };
        Some(&mut self.document.take_mut(id)?.walk_mut()?.voxels.volumes)
    }
}
