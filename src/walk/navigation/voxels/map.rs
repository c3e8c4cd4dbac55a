//! The voxel map: the state of every span.

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use super::floors::Floors;
use super::grid::Voxels;
use super::spans::rasterise::RasterGrid;
use super::spans::solid::SolidSpans;
use super::surface::slope::SlopeScale;
use super::{Effect, VoxelSettings};
use crate::navigation::{Ground, NONE};
use portamento_base::message::Message;

/// A level as voxels: every solid span with slope and state, and the walkable ground.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelMap {
    /// The walkable ground.
    pub ground: Ground,
    /// Warnings about conflicting settings and missing ground.
    pub warnings: Vec<Message>,
    /// The settings of the conversion.
    pub settings: VoxelSettings,
    /// Lowest corner, metres.
    pub origin: DVec3,
    /// Number of columns along x and z.
    pub columns: [u32; 2],
    /// Index of each column's first span (x fastest, then z), with one final entry.
    pub starts: Vec<u32>,
    /// All spans, each column bottom up.
    pub spans: Vec<VoxelSpan>,
}

/// A solid span of a column; its top may be walkable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelSpan {
    /// Bottom, voxels above the map's lowest corner.
    pub low: u16,
    /// Top, voxels above the map's lowest corner.
    pub high: u16,
    /// Slope in degrees from level, above 90 if facing down: of the top triangle, or on stairs of the plane through
    /// the steps.
    pub slope: f32,
    /// Walkable, or the reason why not.
    pub state: State,
    /// Index of the ground's cell, or `NONE`.
    pub cell: u32,
}

/// State of a span: walkable, or the first reason in this order why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Part of the ground.
    Walkable,
    /// The slope exceeds the limit, or the face looks down.
    Steep,
    /// Too little head room.
    Ceiling,
    /// At a drop or step higher than the climb.
    Ledge,
    /// Closer to a border of the ground than the character's radius.
    Radius,
    /// Blocked by a volume or a surface rule.
    Blocked,
}

impl VoxelMap {
    /// Returns an empty map.
    pub(super) fn new(settings: &VoxelSettings, grid: &RasterGrid) -> Self {
        Self {
            ground: Ground::default(),
            warnings: Vec::new(),
            settings: settings.clone(),
            origin: grid.low.as_dvec3(),
            columns: grid.columns.map(|count| count as u32),
            starts: vec![0],
            spans: Vec::new(),
        }
    }

    /// Returns the spans of a column, bottom up.
    pub fn column(&self, column: usize) -> &[VoxelSpan] {
        &self.spans[self.range(column)]
    }

    /// Returns the indices of a column's spans.
    pub(super) fn range(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }

    /// Returns the centre of a column along x and z, metres.
    pub fn middle(&self, column: usize) -> DVec2 {
        let (x, z) = (column % self.columns[0] as usize, column / self.columns[0] as usize);
        DVec2::new(self.origin.x, self.origin.z) + (DVec2::new(x as f64, z as f64) + 0.5) * self.settings.cell
    }

    /// Returns the column that contains (x, z), metres; `None` outside the map.
    pub(in crate::navigation) fn column_at(&self, x: f64, z: f64) -> Option<usize> {
        let cell = |coordinate: f64, origin: f64, count: u32| {
            let cell = ((coordinate - origin) / self.settings.cell).floor();
            (cell >= 0.0 && cell < f64::from(count)).then_some(cell as usize)
        };
        Some(
            cell(x, self.origin.x, self.columns[0])?
                + cell(z, self.origin.z, self.columns[1])? * self.columns[0] as usize,
        )
    }

    /// Returns the world height of `voxels`, metres.
    pub fn metres(&self, voxels: u16) -> f64 {
        self.origin.y + f64::from(voxels) * self.settings.cell_height
    }

    /// Copies the spans of a level and marks the steep ones.
    pub(super) fn take_spans(&mut self, solid: &SolidSpans) {
        let slopes = SlopeScale::new(self.settings.slope_limit);
        self.starts.clone_from(&solid.starts);
        let taken = solid.heights.par_iter().zip(&solid.slopes).map(|(&[low, high], &code)| {
            let is_walkable = code.is_walkable();
            let state = if is_walkable { State::Walkable } else { State::Steep };
            VoxelSpan { low, high, slope: if is_walkable { slopes.degrees(code) } else { 90.0 }, state, cell: NONE }
        });
        taken.collect_into_vec(&mut self.spans);
    }

    /// Marks spans that the filters removed as ledges or low ceilings.
    pub(super) fn take_filtered(&mut self, solid: &SolidSpans, voxels: &Voxels) {
        for column in 0..self.starts.len() - 1 {
            let range = self.range(column);
            for index in range.clone() {
                if self.spans[index].state != State::Walkable || solid.slopes[index].is_walkable() {
                    continue;
                }
                // Both filters clear the slope; the room above distinguishes them.
                let room = solid.ceiling(index, range.end).saturating_sub(self.spans[index].high);
                self.spans[index].state = if room < voxels.height { State::Ceiling } else { State::Ledge };
            }
        }
    }

    /// Marks spans that are closer to a border than the character's radius. `floors` has one entry per walkable span.
    pub(super) fn take_eroded(&mut self, floors: &Floors) {
        let walkable = self.spans.iter_mut().filter(|span| span.state == State::Walkable);
        for (is_clear, span) in floors.clear.iter().zip(walkable) {
            if !is_clear {
                span.state = State::Radius;
            }
        }
    }

    /// Returns the rules of a material.
    pub(super) fn rules_of_surface<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Effect> + 'a {
        self.settings.surfaces.iter().filter(move |surface| surface.name == name).map(|surface| surface.effect)
    }

    /// Returns the centre of a column at a height, metres.
    pub(super) fn point_at(&self, column: usize, height: f64) -> [f64; 3] {
        let centre = self.middle(column);
        [centre.x, height, centre.y]
    }
}
