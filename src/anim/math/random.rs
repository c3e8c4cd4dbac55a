//! Pseudorandom numbers that are the same in every run on every machine: SplitMix64 (Steele, Lea & Flood, "Fast
//! Splittable Pseudorandom Number Generators", OOPSLA 2014).

/// The odd step between states: 2⁶⁴ divided by the golden ratio, which gives the full period.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A sequence of pseudorandom numbers; equal seeds give equal sequences.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Creates the sequence of `seed`; all seeds are equally good.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        let bits = spread(self.0);
        self.0 = self.0.wrapping_add(STEP);
        bits
    }

    /// Returns the next number in [0, 1), a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        unit_of(self.bits())
    }
}

/// Hashes a number to well-distributed bits: adjacent numbers give unrelated bits.
pub fn spread(number: u64) -> u64 {
    let mut bits = number.wrapping_add(STEP);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Converts the upper 53 of `bits` to a number in [0, 1).
pub fn unit_of(bits: u64) -> f64 {
    // 53 bits are the precision of an f64 between ½ and 1.
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_published_generator() {
        // Values of the authors' own C code for seed 1234567, as listed by Rosetta Code and other ports.
        let mut random = SplitMix64::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn numbers_stay_below_one_and_spread_evenly() {
        assert_eq!((unit_of(0), unit_of(u64::MAX) < 1.0), (0.0, true));
        let mut random = SplitMix64::new(7);
        let mean = (0..10_000).map(|_| random.unit()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
    }
}
