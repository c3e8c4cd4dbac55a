//! The phase of a stride: when the left foot is highest above the right one.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use portamento_anim::Leg;
use portamento_anim::quality::Input;
use portamento_anim::root_motion::path;

/// Largest number of strides in a clip that are distinguished.
const MAX_STRIDES: usize = 32;
/// Smallest number of samples per stride at that number.
const SAMPLES_PER_STRIDE: usize = 8;

/// The stride of a left and a right leg.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stride {
    /// Joints of the left and the right foot.
    pub feet: [usize; 2],
    /// Number of strides in the clip.
    pub count: usize,
    /// Time at which the left foot is highest above the right one, as a fraction of a stride; 0 … 1.
    pub phase: f64,
    /// Amplitude of the height difference, metres.
    pub amplitude: f64,
}

/// Returns the strides of all pairs of a left and a right leg, in joint order.
///
/// The height difference of both feet is periodic. Its strongest harmonic has as many periods as the clip has strides,
/// and its phase is that of the stride, whatever the height of the steps.
pub fn strides(input: &Input) -> Vec<Stride> {
    let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
    let count = MAX_STRIDES * SAMPLES_PER_STRIDE;
    let times: Vec<f64> = (0..count).map(|sample| clip.duration * sample as f64 / count as f64).collect();
    let heights = |leg: &Leg| -> Vec<f64> {
        let sole = leg.toe.unwrap_or(leg.foot);
        path(skeleton, clip, sole, &times).iter().map(|position| position.y * metres_per_unit).collect()
    };
    let leg_at = |thigh: usize| roles.legs.iter().find(|leg| leg.thigh == thigh);
    let pairs = roles.pairs.iter().filter_map(|&(left, right)| Some([leg_at(left)?, leg_at(right)?]));
    pairs
        .map(|pair| {
            let [left, right] = pair.map(heights);
            let apart: Vec<f64> = left.iter().zip(&right).map(|(left, right)| left - right).collect();
            stride(pair.map(|leg| leg.foot), &apart)
        })
        .collect()
}

/// Returns the stride of `feet` whose height difference has these evenly spaced `values`; the value after the last is the first.
fn stride(feet: [usize; 2], values: &[f64]) -> Stride {
    let harmonic = |periods: usize| {
        let angle = |sample: usize| TAU * (periods * sample % values.len()) as f64 / values.len() as f64;
        let sum = |part: fn(f64) -> f64| -> f64 {
            values.iter().enumerate().map(|(sample, value)| value * part(angle(sample))).sum()
        };
        [sum(f64::cos), sum(f64::sin)].map(|sum| 2.0 * sum / values.len() as f64)
    };
    let all = (1..=MAX_STRIDES).map(|periods| (periods, harmonic(periods)));
    let size = |[cos, sin]: [f64; 2]| cos.hypot(sin);
    let (count, strongest) = all.max_by(|a, b| size(a.1).total_cmp(&size(b.1))).unwrap_or((1, [0.0; 2]));
    Stride { feet, count, phase: (strongest[1].atan2(strongest[0]) / TAU).rem_euclid(1.0), amplitude: size(strongest) }
}

/// Returns the length of the shortest arc that contains all `phases` (0…1 cycle), as a fraction of the circle.
pub fn phase_spread(phases: &[f64]) -> f64 {
    let mut sorted = phases.to_vec();
    sorted.sort_by(f64::total_cmp);
    let inner = sorted.windows(2).map(|pair| pair[1] - pair[0]);
    let around = sorted.first().zip(sorted.last()).map(|(first, last)| first + 1.0 - last);
    1.0 - inner.chain(around).reduce(f64::max).unwrap_or(1.0).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_phase_of_a_stride_is_that_of_its_highest_step() {
        for (strides, phase) in [(1, 0.0), (1, 0.25), (2, 0.9), (5, 0.4)] {
            let value = |sample: usize| {
                let turn = TAU * (f64::from(strides) * sample as f64 / 256.0 - phase);
                // A step is higher than it is deep: harmonics above do not move the phase of an even function.
                0.1 * turn.cos() + 0.03 * (2.0 * turn).cos()
            };
            let measured = stride([0, 1], &(0..256).map(value).collect::<Vec<_>>());
            assert_eq!(measured.count, strides as usize);
            assert!((measured.phase - phase).abs() < 1e-9 && (measured.amplitude - 0.1).abs() < 1e-9, "{measured:?}");
        }
    }

    #[test]
    fn phases_on_both_sides_of_the_seam_are_near() {
        for (phases, wanted) in [
            (vec![0.98, 0.01], 0.03),
            (vec![0.25, 0.75], 0.5),
            (vec![0.4], 0.0),
            (vec![], 0.0),
            (vec![0.9, 0.1, 0.0], 0.2),
        ] {
            assert!((phase_spread(&phases) - wanted).abs() < 1e-12, "{phases:?}: {}", phase_spread(&phases));
        }
    }
}
