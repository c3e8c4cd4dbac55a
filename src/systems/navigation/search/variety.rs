//! Seeded taste: blocks of ground that a route likes more or less, always within a bound.
//!
//! A step costs its seconds times a factor from `1 / (1 + a)` to `1 + b`. The route that is best by such costs takes at most
//! `(1 + a)(1 + b)` times the seconds of the truly best one. The choice is shared by a block of ground, since one for
//! each cell makes routes tremble.

use super::super::STEPS;
use super::terrain::Terrain;

/// Edge of a block of ground, metres.
const BLOCK: f64 = 3.0;

/// The most that variety 1 takes off turning points: a favoured one costs `1 / (1 + REWARD)` of its seconds.
const REWARD: f64 = 0.45;

/// The most that variety 1 puts on blocks out of favour, as a share of their seconds.
const SPREAD: f64 = 0.55;

/// What a straight piece may cost more than the cells it replaces, at variety 1 as a share: fewer bends for little time.
const SLACK: f64 = 0.03;

/// The most any block costs, as a factor.
pub(super) const DEAREST: f64 = (1.0 + SPREAD) / (1.0 + SLACK);

/// The least any turning point costs, as a factor.
pub(super) const LEAST: f64 = 1.0 / (1.0 + REWARD);

/// How many times the optimum a route may take at `variety`, 0…1; 1 at variety 0.
pub fn bound(variety: f64) -> f64 {
    let variety = variety.clamp(0.0, 1.0);
    (1.0 + REWARD * variety) * (1.0 + SPREAD * variety)
}

/// One seed's taste.
pub struct Taste {
    /// Block of each column along x and z, with one more on either side; blocks along z count in whole rows of blocks.
    blocks: [Vec<u32>; 2],
    /// Factor of each block, and the factor for a turning point there.
    factors: Vec<[f32; 2]>,
    /// The least any factor can be.
    pub(super) least: f64,
    /// A straight piece may cost this many times the cells it replaces, at least 1.
    pub slack: f64,
}

impl Taste {
    /// The taste of `seed` for `terrain` at `variety` above 0.
    pub fn new(terrain: &Terrain, seed: u64, variety: f64) -> Self {
        let ground = &*terrain.ground;
        let wide = (BLOCK / ground.cell).round().max(1.0) as u32;
        let [across, down] = ground.columns.map(|it| it.div_ceil(wide) + 1);
        // Every seed lays its blocks differently, so that no line of the ground is always a border.
        let shift = |salt: u64| (mixed(seed ^ salt) % u64::from(wide)) as u32;
        let blocks = |count: u32, salt: u64, stride: u32| {
            let shift = shift(salt);
            (0..count + 2).map(|it| (it.saturating_sub(1) + shift) / wide * stride).collect()
        };
        let blocks = [blocks(ground.columns[0], 0x5eed, 1), blocks(ground.columns[1], 0xb10c, across)];
        let variety = variety.clamp(0.0, 1.0);
        let (spread, slack) = (SPREAD * variety, 1.0 + SLACK * variety);
        let least = 1.0 / (1.0 + REWARD * variety);
        let factor = |block: u64| {
            let bits = mixed(seed ^ mixed(block.wrapping_add(1)));
            let even = (bits >> 11) as f64 / (1u64 << 53) as f64;
            // What straightening may add is taken off here, so that the bound holds for the line as well.
            let plain = 1.0 + ((1.0 + spread) / slack - 1.0) * even;
            let liked = bits & 3 != 0;
            // A favoured turning point is cheap whatever its block; others cost what the block costs.
            [plain as f32, if liked { (plain * least) as f32 } else { plain as f32 }]
        };
        let factors = (0..u64::from(across) * u64::from(down)).map(factor).collect();
        Self { blocks, factors, least: least * (1.0 - 1e-6), slack }
    }

    /// The factor of a step between two cells.
    pub fn factor(&self, terrain: &Terrain, from: u32, to: u32) -> f32 {
        let [x, z] = terrain.ground.cells[to as usize].column;
        let block = self.blocks[0][x as usize + 1] + self.blocks[1][z as usize + 1];
        self.factors[block as usize][usize::from(terrain.turns(from, to))]
    }

    /// The factors of steps from a cell, by direction.
    #[inline]
    pub(super) fn factors<'a>(&'a self, terrain: &Terrain, from: u32) -> impl Fn(usize) -> f32 + use<'a> {
        let [x, z] = terrain.column(from).map(|it| it as usize);
        let turning = usize::from(terrain.marks[from as usize].turning);
        let (across, along) = (&self.blocks[0][x..x + 3], &self.blocks[1][z..z + 3]);
        move |direction| {
            let [x, z] = STEPS[direction].map(|it| (it + 1) as usize);
            self.factors[(across[x] + along[z]) as usize][turning >> direction & 1]
        }
    }
}

/// Well-spread bits from a number (the finaliser of SplitMix64, Steele, Lea & Flood 2014).
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_one_without_variety_and_grows_with_it() {
        assert_eq!(bound(0.0), 1.0);
        assert!((bound(0.5) - 1.225 * 1.275).abs() < 1e-12 && bound(1.0) > bound(0.5));
    }
}
