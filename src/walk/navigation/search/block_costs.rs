//! Block costs: each seed prefers or avoids blocks of ground, always within [`super::bound`].
//!
//! A block of several cells shares one factor, since one factor per cell makes routes zigzag.

use super::super::STEPS;
use super::cells::rank;
use super::cost_bounds::{SLACK, halved, reward, spread};
use super::search_graph::SearchGraph;
use portamento_anim::math::random;

/// Edge of a block of ground, metres. Tuned; no derivation recorded.
const BLOCK: f64 = 3.0;

/// The block factors of one seed.
pub struct BlockCosts {
    /// Block index of each column along x and z, with a margin of one on either side. Indices along z are multiples of
    /// a row of blocks.
    blocks: [Vec<u32>; 2],
    /// Factor of each block, and its factors for turning points by rank.
    factors: Vec<[f32; 4]>,
    /// Lower bound of all factors.
    pub(super) least: f64,
    /// Largest cost ratio of a straight piece to the cells it replaces, ≥ 1.
    pub slack: f64,
}

impl BlockCosts {
    /// Returns the factors of `seed` on the ground of `graph` at `variety`, above 0 to 1.
    pub fn new(graph: &SearchGraph, seed: u64, variety: f64) -> Self {
        let ground = &*graph.ground;
        // Blocks have a size in metres, so that variety does not depend on the size of cells.
        let wide = (BLOCK / ground.cell).round().max(1.0) as u32;
        let [across, down] = ground.columns.map(|count| count.div_ceil(wide) + 1);
        // Every seed shifts its blocks, so that no line of the ground is always a border.
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
            // The extra cost of straightening is subtracted here, so that the bound holds for the line as well.
            let plain = 1.0 + ((1.0 + spread) / slack - 1.0) * even;
            // Three blocks in four prefer turning points. One of the three largest changes around a cell is chosen at
            // random for the whole block; the others get half of the reward.
            let is_preferred = bits & 3 != 0;
            let chosen_rank = (bits >> 2) % 3 + 1;
            let turning = |rank: u64| match () {
                () if rank == 0 || !is_preferred => plain,
                () if rank == chosen_rank => plain * least,
                () => plain * halved(least),
            };
            [0, 1, 2, 3].map(|rank| turning(rank) as f32)
        };
        let factors = (0..u64::from(across) * u64::from(down)).map(factor).collect();
        // Factors are f32, and the heuristic must not exceed any of them.
        Self { blocks, factors, least: least * (1.0 - 1e-6), slack }
    }

    /// Returns the factor of a step between two cells.
    pub fn factor(&self, graph: &SearchGraph, from: u32, to: u32) -> f32 {
        let [x, z] = graph.ground.cells[to as usize].column;
        let block = self.blocks[0][x as usize + 1] + self.blocks[1][z as usize + 1];
        let direction = graph.ground.links[from as usize].iter().position(|neighbour| *neighbour == to);
        self.factors[block as usize][direction.map_or(0, |direction| graph.rank(from, direction))]
    }

    /// Returns the factor of a crossing that lands on a cell.
    pub(super) fn landing_factor(&self, graph: &SearchGraph, to: u32) -> f32 {
        let [x, z] = graph.ground.cells[to as usize].column;
        self.factors[(self.blocks[0][x as usize + 1] + self.blocks[1][z as usize + 1]) as usize][0]
    }

    /// Returns the factors of steps from a cell, by direction.
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
