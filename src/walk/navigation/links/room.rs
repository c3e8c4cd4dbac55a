//! Free ground before and behind an edge, and free space over it.

use glam::{DVec2, DVec3};

use crate::navigation::voxels::VoxelMap;

/// Distance beyond the character's radius within which walkable ground must begin, voxels.
const GROUND_REACH_CELLS: f64 = 4.0;

/// Walkable ground along a line away from an edge.
pub(super) struct Room<'a> {
    map: &'a VoxelMap,
    /// Distance at which the ground begins, metres.
    pub first: f64,
    /// Distance up to which it continues, metres.
    pub length: f64,
    /// Start of the line.
    from: DVec3,
    heading: DVec2,
    /// Spacing of the heights, metres.
    step: f64,
    /// Heights of the ground from `first` on, metres.
    heights: Vec<f64>,
}

impl<'a> Room<'a> {
    /// Returns the walkable ground from `from` (on the ground, below the edge) in the direction `heading`, followed as
    /// far as `reach` metres; `None` if there is none.
    pub fn find(map: &'a VoxelMap, from: DVec3, heading: DVec2, reach: f64) -> Option<Self> {
        let settings = &map.settings;
        let step = 0.5 * settings.cell;
        let nearest = settings.radius + GROUND_REACH_CELLS * settings.cell;
        let at = |index: usize, height: f64| {
            let offset = heading * (step * index as f64);
            DVec3::new(from.x + offset.x, height, from.z + offset.y)
        };
        let height_at = |index: usize, height: f64| {
            let cell = map.ground.cell_at(at(index, height), settings.climb)?;
            Some(map.ground.cells[cell as usize].height)
        };
        let first = (0..=(nearest / step).ceil() as usize).find(|index| height_at(*index, from.y).is_some())?;
        let last = (reach / step).ceil().max(first as f64) as usize;
        let mut heights = Vec::new();
        // The ground may slope, so that each height is compared with the one before.
        for index in first..=last {
            let Some(height) = height_at(index, heights.last().copied().unwrap_or(from.y)) else { break };
            heights.push(height);
        }
        let length = step * (first + heights.len() - 1) as f64;
        Some(Self { map, first: step * first as f64, length, from, heading, step, heights })
    }

    /// Returns the point on the ground at a distance from the edge, metres, and its cell; at the nearest ground if the
    /// distance is outside.
    pub fn at(&self, distance: f64) -> Option<(DVec3, u32)> {
        let distance = distance.clamp(self.first, self.length);
        let index = ((distance - self.first) / self.step).round() as usize;
        let offset = self.heading * distance;
        let height = self.heights[index.min(self.heights.len() - 1)];
        let near = DVec3::new(self.from.x + offset.x, height, self.from.z + offset.y);
        let cell = self.map.ground.cell_at(near, self.map.settings.climb)?;
        Some((near.with_y(self.map.ground.cells[cell as usize].height), cell))
    }
}

/// The way over an edge.
pub(super) struct Corridor {
    /// Point on the near edge.
    pub from: DVec3,
    /// Point on the far edge.
    pub to: DVec3,
    pub heading: DVec2,
}

impl Corridor {
    /// True if no voxel is in the way over both edges, from `above` metres over them up to the character's height, and
    /// as far as the character's radius before and behind them.
    pub fn is_free(&self, map: &VoxelMap, above: f64) -> bool {
        let settings = &map.settings;
        let margin = DVec3::new(self.heading.x, 0.0, self.heading.y) * settings.radius;
        let (from, to) = (self.from - margin, self.to + margin);
        let count = (from.distance(to) / (0.5 * settings.cell)).ceil() as usize;
        (0..=count).all(|step| {
            let at = from.lerp(to, step as f64 / count.max(1) as f64);
            let Some(column) = map.column_at(at.x, at.z) else { return true };
            let (low, high) = (at.y + above, at.y + settings.height);
            map.column(column).iter().all(|span| map.metres(span.high) <= low || map.metres(span.low) >= high)
        })
    }
}
