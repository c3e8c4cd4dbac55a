//! Moving air as an acceleration that repeats.
//!
//! Gusts and turbulence are sums of a few waves whose periods divide the wind's period, with random phases. The wind of a
//! looping clip therefore loops too. Each chain feels them with a different delay.

use glam::DVec3;

use crate::settings::Wind;
use portamento_anim::math::random::SplitMix64;

/// Waves per channel: enough to look irregular. Tuned; no derivation recorded.
const WAVES_PER_CHANNEL: usize = 5;

/// Waves of one channel, one for each multiple of the wind's frequency.
type Waves = [Wave; WAVES_PER_CHANNEL];

/// A wave as sine and cosine components, so that all channels share the sines of a moment.
#[derive(Clone, Copy, Debug, Default)]
struct Wave {
    sin: f64,
    cos: f64,
}

/// A wind with its random waves, for evaluation at many times.
#[derive(Clone, Debug)]
pub(crate) struct WindField {
    wind: Wind,
    gusts: Waves,
    /// Turbulence along each axis of the world.
    turbulence: [Waves; 3],
}

impl Wind {
    /// Returns the wind with a period of which a whole number fits into `duration` seconds.
    pub(crate) fn fitted_to_loop(self, duration: f64) -> Self {
        // A fractional number of periods would make the wind jump at the seam of the loop.
        let times = (duration / self.period).round().max(1.0);
        Self { period: duration / times, ..self }
    }
}

impl WindField {
    /// Creates the waves of `wind`.
    pub fn new(wind: Wind) -> Self {
        if wind.strength == 0.0 {
            return Self { wind, gusts: Waves::default(), turbulence: Default::default() };
        }
        let channel = |channel: u64| waves(wind.seed.wrapping_mul(8).wrapping_add(channel));
        Self { wind, gusts: channel(0), turbulence: [channel(1), channel(2), channel(3)] }
    }

    /// Returns the acceleration of chain `chain` at `time` seconds, m/s².
    pub fn at(&self, time: f64, chain: usize) -> DVec3 {
        let wind = &self.wind;
        if wind.strength == 0.0 {
            return DVec3::ZERO;
        }
        // The golden ratio spreads any number of chains evenly over the lag of up to 0.05 periods.
        let lag = 0.05 * (chain as f64 * 0.618_033_988_749_894_9).fract();
        let turn = time / wind.period - lag;
        let angle = std::f64::consts::TAU * (turn - turn.floor());
        let moment: [(f64, f64); WAVES_PER_CHANNEL] = std::array::from_fn(|k| ((k + 1) as f64 * angle).sin_cos());
        let noise = |waves: &Waves| -> f64 {
            waves.iter().zip(&moment).map(|(wave, (sin, cos))| wave.sin * sin + wave.cos * cos).sum()
        };
        let ahead = wind.direction.normalize_or_zero() * (1.0 + wind.gust * noise(&self.gusts));
        let aside = DVec3::from_array(self.turbulence.each_ref().map(noise));
        (ahead + aside * wind.turbulence) * wind.strength
    }
}

/// Returns waves with random phases whose sum stays in −1…1.
fn waves(seed: u64) -> Waves {
    let mut random = SplitMix64::new(seed);
    // The first number is skipped: existing recordings start with the second.
    random.bits();
    let total: f64 = (1..=WAVES_PER_CHANNEL).map(|k| 1.0 / k as f64).sum();
    std::array::from_fn(|k| {
        let (sin, cos) = (std::f64::consts::TAU * random.unit()).sin_cos();
        let share = 1.0 / ((k + 1) as f64 * total);
        Wave { sin: share * cos, cos: share * sin }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wind_of_a_loop_loops_and_another_seed_is_another_wind() {
        let wind = Wind { strength: 3.0, period: 0.7, ..Wind::default() }.fitted_to_loop(1.5);
        let air = WindField::new(wind);
        assert_eq!(wind.period, 0.75);
        for i in 0..50 {
            let time = f64::from(i) * 0.03;
            assert!(air.at(time, 1).abs_diff_eq(air.at(time + 1.5, 1), 1e-12));
            assert!(air.at(time, 0).length() <= 3.0 * (1.0 + 0.3 + 0.2 * 3.0_f64.sqrt()) + 1e-9);
        }
        assert_ne!(air.at(0.1, 0), WindField::new(Wind { seed: 2, ..wind }).at(0.1, 0));
        assert_ne!(air.at(0.1, 0), air.at(0.1, 1));
        assert_eq!(WindField::new(Wind { strength: 0.0, ..wind }).at(0.1, 0), DVec3::ZERO);
    }

    #[test]
    fn gusts_are_a_sum_of_sines_with_phases_drawn_from_the_seed() {
        let wind = Wind { strength: 1.0, gust: 1.0, turbulence: 0.0, direction: DVec3::X, ..Wind::default() };
        let mut random = SplitMix64::new(wind.seed * 8);
        random.bits();
        let phases: Vec<f64> = (0..5).map(|_| random.unit()).collect();
        for time in [0.0, 0.3, 1.7] {
            let turn = time / wind.period;
            let part = |(phase, k): (&f64, f64)| (std::f64::consts::TAU * (k * turn + phase)).sin() / k;
            let sum: f64 = phases.iter().zip([1.0, 2.0, 3.0, 4.0, 5.0]).map(part).sum();
            let wanted = 1.0 + sum / (1.0 + 0.5 + 1.0 / 3.0 + 0.25 + 0.2);
            assert!((WindField::new(wind).at(time, 0).x - wanted).abs() < 1e-12);
        }
    }
}
