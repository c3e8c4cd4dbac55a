//! Moving air as an acceleration that repeats.
//!
//! Gusts and turbulence are sums of a few waves whose periods divide the wind's period, with phases drawn from the seed; so the
//! air of a looping clip loops too. Each chain feels them a little later than the one before.

use glam::DVec3;

use super::settings::Wind;
use crate::math::random::SplitMix64;

/// Waves per channel: enough not to look regular.
const WAVES: u64 = 5;

impl Wind {
    /// The wind whose period fits a whole number of times into `duration` seconds.
    pub(super) fn fitted_to_loop(self, duration: f64) -> Self {
        // A whole number of periods, or the wind would jump where the loop begins again.
        let times = (duration / self.period).round().max(1.0);
        Self { period: duration / times, ..self }
    }

    /// Acceleration of chain `chain` at `time` seconds, m/s².
    pub fn at(&self, time: f64, chain: usize) -> DVec3 {
        if self.strength == 0.0 {
            return DVec3::ZERO;
        }
        // The golden ratio spreads any number of chains evenly over the period.
        let lag = 0.05 * (chain as f64 * 0.618_033_988_749_894_9).fract();
        let turn = time / self.period - lag;
        let noise = |channel: u64| wave(self.seed.wrapping_mul(8).wrapping_add(channel), turn);
        let ahead = self.direction.normalize_or_zero() * (1.0 + self.gust * noise(0));
        (ahead + DVec3::new(noise(1), noise(2), noise(3)) * self.turbulence) * self.strength
    }
}

/// A sum of waves in −1…1 that repeats with every whole `turn`.
fn wave(seed: u64, turn: f64) -> f64 {
    let turn = turn - turn.floor();
    let mut random = SplitMix64::new(seed);
    // The first number is left out: recordings made so far begin with the second.
    random.bits();
    let total: f64 = (1..=WAVES).map(|k| 1.0 / k as f64).sum();
    let part = |k: u64| (std::f64::consts::TAU * (k as f64 * turn + random.unit())).sin() / k as f64;
    (1..=WAVES).map(part).sum::<f64>() / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wind_of_a_loop_loops_and_another_seed_is_another_wind() {
        let wind = Wind { strength: 3.0, period: 0.7, ..Wind::default() }.fitted_to_loop(1.5);
        assert_eq!(wind.period, 0.75);
        for i in 0..50 {
            let time = f64::from(i) * 0.03;
            assert!(wind.at(time, 1).abs_diff_eq(wind.at(time + 1.5, 1), 1e-12));
            assert!(wind.at(time, 0).length() <= 3.0 * (1.0 + 0.3 + 0.2 * 3.0_f64.sqrt()) + 1e-9);
        }
        assert_ne!(wind.at(0.1, 0), Wind { seed: 2, ..wind }.at(0.1, 0));
        assert_ne!(wind.at(0.1, 0), wind.at(0.1, 1));
    }
}
