//! Seeded costs by block: parts of the ground that a route prefers or avoids, always within [`super::bound`].
//!
//! A factor is shared by a block of ground, since one for each cell makes routes zigzag.

use super::super::STEPS;
use super::cells::rank;
use super::cost_bounds::{SLACK, halved, reward, spread};
use super::search_graph::SearchGraph;
use crate::math::random;

/// Edge of a block of ground, metres.
const BLOCK: f64 = 3.0;

/// The factors that one seed gives to blocks of ground.
pub struct BlockCosts {
    /// Block of each column along x and z, with one more on either side; blocks along z count in whole rows of blocks.
    blocks: [Vec<u32>; 2],
    /// Factor of each block, and the factors for turning points there by rank.
    factors: Vec<[f32; 4]>,
    /// The least any factor can be.
    pub(super) least: f64,
    /// A straight piece may cost this many times the cells it replaces, at least 1.
    pub slack: f64,
}

impl BlockCosts {
    /// The factors of `seed` on the ground of `graph` at `variety`, above 0 to 1.
    pub fn new(graph: &SearchGraph, seed: u64, variety: f64) -> Self {
        let ground = &*graph.ground;
        // Blocks have a size in metres: variety must not depend on the size of cells.
        let wide = (BLOCK / ground.cell).round().max(1.0) as u32;
        let [across, down] = ground.columns.map(|count| count.div_ceil(wide) + 1);
        // Every seed lays its blocks differently, so that no line of the ground is always a border.
        let shift = |salt: u64| (random::spread(seed ^ salt) % u64::from(wide)) as u32;
        let blocks = |count: u32, salt: u64, stride: u32| {
            let shift = shift(salt);
            (0..count + 2).map(|column| (column.saturating_sub(1) + shift) / wide * stride).collect()
        };
        let blocks = [blocks(ground.columns[0], 0x5eed, 1), blocks(ground.columns[1], 0xb10c, across)];
        let variety = variety.clamp(0.0, 1.0);
        let (spread, slack) = (spread(variety), 1.0 + SLACK * variety);
        let least = 1.0 / (1.0 + reward(variety));
        let factor = |block: u64| {
            let bits = random::spread(seed ^ random::spread(block.wrapping_add(1)));
            let even = random::unit_of(bits);
            // What straightening may add is taken off here, so that the bound holds for the line as well.
            let plain = 1.0 + ((1.0 + spread) / slack - 1.0) * even;
            // Three blocks in four. Of the largest changes around a cell one is taken at random, the same all over the block, since
            // one for each cell makes routes zigzag; the others are worth half of it.
            let liked = bits & 3 != 0;
            let taken = (bits >> 2) % 3 + 1;
            let turning = |rank: u64| match () {
                () if rank == 0 || !liked => plain,
                () if rank == taken => plain * least,
                () => plain * halved(least),
            };
            [0, 1, 2, 3].map(|rank| turning(rank) as f32)
        };
        let factors = (0..u64::from(across) * u64::from(down)).map(factor).collect();
        // The factors are f32, and the estimate may not exceed any of them.
        Self { blocks, factors, least: least * (1.0 - 1e-6), slack }
    }

    /// The factor of a step between two cells.
    pub fn factor(&self, graph: &SearchGraph, from: u32, to: u32) -> f32 {
        let [x, z] = graph.ground.cells[to as usize].column;
        let block = self.blocks[0][x as usize + 1] + self.blocks[1][z as usize + 1];
        let direction = graph.ground.links[from as usize].iter().position(|beside| *beside == to);
        self.factors[block as usize][direction.map_or(0, |direction| graph.rank(from, direction))]
    }

    /// The factors of steps from a cell, by direction.
    #[inline]
    pub(super) fn factors<'a>(&'a self, graph: &SearchGraph, from: u32) -> impl Fn(usize) -> f32 + use<'a> {
        let [x, z] = graph.column(from).map(|part| part as usize);
        let turning = graph.flags[from as usize].turning;
        let (across, along) = (&self.blocks[0][x..x + 3], &self.blocks[1][z..z + 3]);
        move |direction| {
            let [x, z] = STEPS[direction].map(|offset| (offset + 1) as usize);
            self.factors[(across[x] + along[z]) as usize][rank(turning, direction)]
        }
    }
}
