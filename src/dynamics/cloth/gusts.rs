//! Gusts of wind: sums of sines that travel through space.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};

use portamento_anim::math::random::SplitMix64;

/// Sum of sines that travel through space. Each has an angular frequency (radians per second), a phase (radians), and a
/// direction in x and y.
pub(super) struct Gusts([[f64; 4]; 10]);

impl Gusts {
    /// Creates gusts whose frequencies, phases and directions follow from `seed`.
    pub(super) fn new(seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let mut sines = [[0.0; 4]; 10];
        for (i, sine) in sines.iter_mut().enumerate() {
            // From a gust every five seconds to three per second.
            let pace = TAU * 0.2 * 1.35f64.powi(i as i32) * (0.8 + 0.4 * random.unit());
            *sine = [pace, TAU * random.unit(), 2.0 * random.unit() - 1.0, 2.0 * random.unit() - 1.0];
        }
        Self(sines)
    }

    /// Returns two numbers of about −1…1 at `point` (metres) and `time` (seconds): the change of the wind's strength, and the
    /// wind from the side.
    pub(super) fn at(&self, point: DVec3, time: f64) -> DVec2 {
        let value = |which: usize| {
            let sine = |&[pace, phase, x, y]: &[f64; 4]| {
                (pace * time + phase + pace * 0.4 * (x * point.x + y * point.y + 0.5 * point.z)).sin()
            };
            self.0.iter().skip(which).step_by(2).map(sine).sum::<f64>() / 5f64.sqrt()
        };
        DVec2::new(value(0), value(1))
    }
}
