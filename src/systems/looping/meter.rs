//! How good a seam is, in numbers.
//!
//! A loop S of X frames has steps s(k) = S(k+1) − S(k) and changes of step c(k) = s(k) − s(k−1), all modulo X. The seam lies
//! at frame 0. Lengths are root mean squares over all coordinates of all units.
//! *Seam ratio* ρ = |c(0)| / mean of |c(k)|, k ≠ 0. *Acceleration ratio*: the same with the change of c, at the two places that
//! hold frame 0. *Dip*: the smallest |S(k) − m| / |D − m|, m the source's mean.

use std::ops::Range;

use rayon::prelude::*;

/// Coordinates per piece of parallel work.
const CHUNK: usize = 16_384;

/// Ratios beyond this are told as this: a jump in something that otherwise moves evenly.
const MOST: f64 = 1e6;

/// The seam in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeamReport {
    /// Largest difference between the loop's first frame and the one dropped at its end; 0 by construction.
    pub value_gap: f64,
    /// Change of step at the seam, in parts of the mean step length.
    pub step_change: f64,
    /// Change of step at the seam / mean change elsewhere; 1 is natural.
    pub ratio: f64,
    /// The same one derivative higher.
    pub acceleration_ratio: f64,
    /// Least liveliness of a frame of the loop in parts of the source's; about 0.7 where unlike things are mixed.
    pub dip: f64,
    /// How edges changed in length, where there are faces.
    pub edges: Option<EdgeStretch>,
}

/// Lengths of edges in the loop in parts of the source's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeStretch {
    /// One edge in a hundred is shorter than this.
    pub low: f64,
    /// One edge in a hundred is longer than this.
    pub high: f64,
}

/// A lamp for the seam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lamp {
    /// ρ ≤ 1.2: not to be seen.
    Green,
    /// ρ ≤ 2: to be seen by who knows where.
    Yellow,
    /// A visible hitch.
    Red,
}

impl SeamReport {
    /// The lamp that ρ lights.
    pub fn lamp(&self) -> Lamp {
        match self.ratio {
            ratio if ratio <= 1.2 => Lamp::Green,
            ratio if ratio <= 2.0 => Lamp::Yellow,
            _ => Lamp::Red,
        }
    }
}

/// Step change, seam ratio and acceleration ratio of a loop of `length` frames; `read` gives a frame's coordinates.
pub fn seam<E>(length: usize, mut read: impl FnMut(usize, &mut Vec<f32>) -> Result<(), E>) -> Result<SeamReport, E> {
    let mut frames: [Vec<f32>; 4] = Default::default();
    for (back, frame) in frames.iter_mut().skip(1).enumerate() {
        read((3 * length + back - 2) % length, frame)?;
    }
    let mut sums = Vec::with_capacity(length);
    for newest in 1..=length {
        frames.rotate_left(1);
        read(newest % length, &mut frames[3])?;
        sums.push(differences(&frames));
    }
    let root = |order: usize| -> Vec<f64> {
        sums.iter().map(|sums: &[f64; 3]| (sums[order] / frames[0].len().max(1) as f64).sqrt()).collect()
    };
    let (steps, changes, jolts) = (root(0), root(1), root(2));
    let step = (steps.iter().map(|it| it * it).sum::<f64>() / length as f64).sqrt();
    let floor = 1e-6 * step;
    let jolt = ((jolts[0].powi(2) + jolts[1 % length].powi(2)) / 2.0).sqrt();
    Ok(SeamReport {
        step_change: quotient(changes[0], step, 0.0),
        ratio: quotient(changes[0], mean(&changes[1..]), floor),
        acceleration_ratio: quotient(jolt, mean(jolts.get(2..).unwrap_or(&[])), floor),
        dip: 1.0,
        ..SeamReport::default()
    })
}

/// `a`/`b`, where both are not above `floor` 0, and never infinite.
fn quotient(a: f64, b: f64, floor: f64) -> f64 {
    if a <= floor { 0.0 } else { (a / b.max(a / MOST)).min(MOST) }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Sums of squares of the first, second and third difference that end in the newest frame.
fn differences([oldest, older, old, new]: &[Vec<f32>; 4]) -> [f64; 3] {
    chunked(new.len(), |range| {
        let mut sums = [0.0; 3];
        for i in range {
            let [a, b, c, d] = [oldest[i], older[i], old[i], new[i]].map(f64::from);
            let (first, second, third) = (d - c, d - 2.0 * c + b, d - 3.0 * c + 3.0 * b - a);
            sums[0] += first * first;
            sums[1] += second * second;
            sums[2] += third * third;
        }
        sums
    })
}

/// Sums over `0..count` in pieces that do not depend on the number of threads.
pub(super) fn chunked<const N: usize>(count: usize, sum: impl Fn(Range<usize>) -> [f64; N] + Sync) -> [f64; N] {
    let pieces = count.div_ceil(CHUNK);
    let piece = |i: usize| sum(i * CHUNK..((i + 1) * CHUNK).min(count));
    let parts: Vec<[f64; N]> = (0..pieces).into_par_iter().map(piece).collect();
    parts.iter().fold([0.0; N], |mut total, part| {
        total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
        total
    })
}

/// Least |S(k) − m| in parts of |D − m|: the source is `source` frames of `read_source`, the loop `length` of `read_loop`.
///
/// 1 where the source does not move at all.
pub fn dip<E>(
    source: usize,
    mut read_source: impl FnMut(usize, &mut Vec<f32>) -> Result<(), E>,
    length: usize,
    mut read_loop: impl FnMut(usize, &mut Vec<f32>) -> Result<(), E>,
) -> Result<f64, E> {
    let (mut frame, mut sums) = (Vec::new(), Vec::<f64>::new());
    for index in 0..source {
        read_source(index, &mut frame)?;
        sums.resize(frame.len(), 0.0);
        sums.iter_mut().zip(&frame).for_each(|(sum, &value)| *sum += f64::from(value));
    }
    let means: Vec<f32> = sums.iter().map(|sum| (sum / source as f64) as f32).collect();
    let energy = |frame: &[f32]| {
        let [sum] = chunked(frame.len(), |range| {
            [range.map(|i| (f64::from(frame[i]) - f64::from(means[i])).powi(2)).sum::<f64>()]
        });
        sum
    };
    let mut whole = 0.0;
    for index in 0..source {
        read_source(index, &mut frame)?;
        whole += energy(&frame) / source as f64;
    }
    let mut least = f64::INFINITY;
    for index in 0..length {
        read_loop(index, &mut frame)?;
        least = least.min(energy(&frame));
    }
    Ok(if whole > 0.0 && least.is_finite() { (least / whole).sqrt() } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn report(values: &[f32]) -> SeamReport {
        seam(values.len(), |k, out| -> Result<(), Infallible> {
            out.clear();
            out.push(values[k]);
            Ok(())
        })
        .unwrap()
    }

    #[test]
    fn a_whole_sine_has_a_natural_seam_and_a_saw_a_bad_one() {
        let sine: Vec<f32> = (0..48).map(|k| (k as f32 / 48.0 * std::f32::consts::TAU).sin() + 1.0).collect();
        // A sine bends least at its zero crossing, where this seam lies.
        assert!(report(&sine).ratio < 0.1 && report(&sine).lamp() == Lamp::Green);
        let saw: Vec<f32> = (0..48).map(|k| k as f32).collect();
        assert_eq!(report(&saw).lamp(), Lamp::Red);
        assert!(report(&saw).ratio.is_finite() && report(&saw).acceleration_ratio.is_finite());
    }

    #[test]
    fn what_stands_still_has_no_seam() {
        for length in 1..6 {
            let still = report(&vec![3.0; length]);
            assert_eq!((still.ratio, still.step_change, still.acceleration_ratio), (0.0, 0.0, 0.0));
        }
    }

    #[test]
    fn the_seam_is_frame_zero_and_its_change_is_counted_in_steps() {
        // Steps 1, 1, −3, 1 …: the only places without change are 1; at 0 the step goes from 1 to 1 as well.
        let bent = report(&[0.0, 1.0, 2.0, -1.0]);
        let step = ((1.0f64 + 1.0 + 9.0 + 1.0) / 4.0).sqrt();
        assert!((bent.step_change - 0.0 / step).abs() < 1e-12);
        let bent = report(&[2.0, -1.0, 0.0, 1.0]);
        assert!((bent.step_change - 4.0 / step).abs() < 1e-12 && (bent.ratio - 4.0 / (4.0 / 3.0)).abs() < 1e-12);
    }
}
