//! What became of every span of voxels.

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use super::floors::Floors;
use super::grid::Voxels;
use super::rasterise::RasterGrid;
use super::slope::SlopeScale;
use super::solid::SolidSpans;
use super::{Effect, VoxelSettings};
use crate::message::Message;
use crate::systems::navigation::{Ground, NONE};

/// A level as voxels: every solid span with its slope and what took it out, and the ground that is left.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelMap {
    /// What is left to walk on.
    pub ground: Ground,
    /// Sentences about settings that work against each other and ground that is not there.
    pub warnings: Vec<Message>,
    /// The settings that made it.
    pub settings: VoxelSettings,
    /// The lowest corner, metres.
    pub origin: DVec3,
    /// Columns along x and along z.
    pub columns: [u32; 2],
    /// Where the spans of each column (x fastest, then z) begin; one entry more than there are columns.
    pub starts: Vec<u32>,
    /// Every span, each column bottom up.
    pub spans: Vec<VoxelSpan>,
}

/// A solid stretch of a column; one may stand on its top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelSpan {
    /// Bottom, voxels above the map's lowest corner.
    pub low: u16,
    /// Top, voxels above the map's lowest corner.
    pub high: u16,
    /// Of the triangle at the top, or in stairs of the plane through their steps: degrees from level; above 90 where it looks down.
    pub slope: f32,
    /// Whether one can walk there, or what is in the way.
    pub state: State,
    /// The cell of the ground, or `NONE`.
    pub cell: u32,
}

/// Whether one can walk on a span, or what is in the way: the first of these that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Part of the ground.
    Walkable,
    /// Over the slope limit, or looking down.
    Steep,
    /// Too little head room.
    Ceiling,
    /// At a drop or step that is higher than the climb.
    Ledge,
    /// Nearer to a border of the ground than the character's radius.
    Radius,
    /// In a volume or on a surface that is not to be walked on.
    Blocked,
}

impl VoxelMap {
    /// Room for spans.
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

    /// The spans of a column, bottom up.
    pub fn column(&self, column: usize) -> &[VoxelSpan] {
        &self.spans[self.range(column)]
    }

    /// The indices of a column's spans.
    pub(super) fn range(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }

    /// The middle of a column along x and z, metres.
    pub fn middle(&self, column: usize) -> DVec2 {
        let (x, z) = (column % self.columns[0] as usize, column / self.columns[0] as usize);
        DVec2::new(self.origin.x, self.origin.z) + (DVec2::new(x as f64, z as f64) + 0.5) * self.settings.cell
    }

    /// The column that holds a place, metres; `None` off the map.
    pub(super) fn column_at(&self, x: f64, z: f64) -> Option<usize> {
        let cell = |at: f64, origin: f64, count: u32| {
            let cell = ((at - origin) / self.settings.cell).floor();
            (cell >= 0.0 && cell < f64::from(count)).then_some(cell as usize)
        };
        Some(
            cell(x, self.origin.x, self.columns[0])?
                + cell(z, self.origin.z, self.columns[1])? * self.columns[0] as usize,
        )
    }

    /// The height of voxels above the lowest corner, metres.
    pub fn metres(&self, voxels: u16) -> f64 {
        self.origin.y + f64::from(voxels) * self.settings.cell_height
    }

    /// Copies the spans of a level.
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

    /// Tells from filtered spans which are at ledges or under low ceilings.
    pub(super) fn take_filtered(&mut self, solid: &SolidSpans, voxels: &Voxels) {
        for column in 0..self.starts.len() - 1 {
            let range = self.range(column);
            for index in range.clone() {
                if self.spans[index].state != State::Walkable || solid.slopes[index].is_walkable() {
                    continue;
                }
                // Both reasons clear the slope; the room above tells them apart.
                let room = solid.ceiling(index, range.end).saturating_sub(self.spans[index].high);
                self.spans[index].state = if room < voxels.height { State::Ceiling } else { State::Ledge };
            }
        }
    }

    /// Tells from floors, one for each walkable span, which spans are nearer to a border than the character's radius.
    pub(super) fn take_eroded(&mut self, floors: &Floors) {
        let walkable = self.spans.iter_mut().filter(|span| span.state == State::Walkable);
        for (is_clear, span) in floors.clear.iter().zip(walkable) {
            if !is_clear {
                span.state = State::Radius;
            }
        }
    }

    /// What the settings say of a material.
    pub(super) fn rules_of_surface<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Effect> + 'a {
        self.settings.surfaces.iter().filter(move |surface| surface.name == name).map(|surface| surface.effect)
    }

    /// The middle of a column at a height, metres.
    pub(super) fn place(&self, column: usize, height: f64) -> [f64; 3] {
        let at = self.middle(column);
        [at.x, height, at.y]
    }
}
