//! Measurements of the seam.
//!
//! A loop S of X frames has steps s(k) and changes of step c(k), all modulo X; the seam is at frame 0. Lengths are root
//! mean squares over all coordinates of all units.
//!
//! ```text
//! s(k) = S(k+1) − S(k),   c(k) = s(k) − s(k−1)
//! seam ratio ρ       = |c(0)| / mean of |c(k)|, k ≠ 0
//! acceleration ratio = the same with the change of c, at the two differences that include frame 0
//! dip                = min |S(k) − m| / |D − m|,  m the mean of the source D
//! ```

use std::ops::Range;

use rayon::prelude::*;

/// Number of coordinates per parallel task. No derivation recorded.
const CHUNK: usize = 16_384;

/// Maximum of all ratios: a jump in an otherwise even motion would give infinity. No derivation recorded.
const MAX_RATIO: f64 = 1e6;

/// Measurements of the seam.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeamReport {
    /// Largest difference between the loop's first frame and the one dropped at its end; 0 by construction.
    pub value_gap: f64,
    /// Change of step at the seam relative to the mean step length.
    pub step_change: f64,
    /// Change of step at the seam divided by the mean change elsewhere; 1 is natural. `None` for a single frame.
    pub ratio: Option<f64>,
    /// Ratio of the change of acceleration, in the same way; `None` for fewer than three frames.
    pub acceleration_ratio: Option<f64>,
    /// Smallest amplitude of a frame of the loop relative to the source; about 0.7 where unlike cycles are mixed. `None`
    /// if the source does not move.
    pub dip: Option<f64>,
    /// Smallest amplitude of a frame of the source itself. Every motion passes nearer to its mean at times, so `dip` is
    /// judged against it.
    pub source_dip: Option<f64>,
    /// Change of edge lengths, if there are faces.
    pub edges: Option<EdgeStretch>,
}

/// Lengths of edges in the loop relative to the source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeStretch {
    /// First percentile of the ratios.
    pub low: f64,
    /// 99th percentile of the ratios.
    pub high: f64,
}

/// Rating of a loop or of one of its figures, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeamRating {
    /// Invisible.
    Green,
    /// ρ could not be measured.
    Unmeasured,
    /// Visible only to viewers who know what to look for.
    Yellow,
    /// Visible.
    Red,
}

/// A rated figure of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeamFigure {
    /// [`SeamReport::ratio`].
    Ratio,
    /// [`SeamReport::motion_kept`].
    Motion,
    /// [`SeamReport::edges`].
    Edges,
}

/// Largest seam ratio ρ that is invisible, and largest that is barely visible.
const RATIO_LIMITS: [f64; 2] = [1.2, 2.0];
/// Smallest share of motion or edge length that is kept well, and smallest that is barely visible. Mixing two unlike
/// cycles keeps 0.7. Tuned; no derivation recorded.
const KEPT_LIMITS: [f64; 2] = [0.8, 0.6];

impl SeamReport {
    /// Returns the rating of the worst figure.
    pub fn rating(&self) -> SeamRating {
        self.worst().1
    }

    /// Returns the share of the motion that mixing keeps: the dip relative to that of the source, at most 1. `None`
    /// if the source does not move.
    pub fn motion_kept(&self) -> Option<f64> {
        let (dip, natural) = (self.dip?, self.source_dip?);
        Some(if dip < natural { dip / natural } else { 1.0 })
    }

    /// Returns the figure with the worst rating. The seam ratio comes before others with an equal rating.
    pub fn worst(&self) -> (SeamFigure, SeamRating) {
        let ratio = self.ratio.map_or(SeamRating::Unmeasured, |ratio| rated(ratio, RATIO_LIMITS));
        let share_rating = |share: f64| rated(-share, KEPT_LIMITS.map(|limit| -limit));
        let others = [
            (SeamFigure::Motion, self.motion_kept().map(share_rating)),
            (SeamFigure::Edges, self.edges.map(|edges| share_rating(edges.low))),
        ];
        let others = others.into_iter().filter_map(|(figure, rating)| Some((figure, rating?)));
        others.fold((SeamFigure::Ratio, ratio), |worst, next| if next.1 > worst.1 { next } else { worst })
    }
}

/// Returns the rating of `value`, of which less is better: invisible up to the first limit, barely visible up to the second.
fn rated(value: f64, [invisible, barely_visible]: [f64; 2]) -> SeamRating {
    match () {
        () if value <= invisible => SeamRating::Green,
        () if value <= barely_visible => SeamRating::Yellow,
        () => SeamRating::Red,
    }
}

/// Result of [`seam`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) report: SeamReport,
    /// Mean change of step away from the seam, a root mean square over coordinates.
    pub(super) mean_change: f64,
}

/// Measures step change, seam ratio and acceleration ratio of a loop of `length` frames, at least 1. `read` writes a frame's
/// coordinates to its buffer; its error is returned.
pub(super) fn seam<E>(
    length: usize,
    mut read: impl FnMut(usize, &mut Vec<f32>) -> Result<(), E>,
) -> Result<Measured, E> {
    let mut frames: [Vec<f32>; 4] = Default::default();
    for (back, frame) in frames.iter_mut().skip(1).enumerate() {
        // The two frames before the seam and frame 0; adding three lengths keeps the index positive for loops of one
        // frame.
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
    let step = (steps.iter().map(|length| length * length).sum::<f64>() / length as f64).sqrt();
    // Smaller changes are rounding errors of a motion of that size.
    let floor = 1e-6 * step;
    let jolt = ((jolts[0].powi(2) + jolts[1 % length].powi(2)) / 2.0).sqrt();
    let mean_change = mean(&changes[1..]);
    let report = SeamReport {
        step_change: quotient(changes[0], step, 0.0),
        // A loop of one frame has no change away from the seam to compare with.
        ratio: (length > 1).then(|| quotient(changes[0], mean_change, floor)),
        acceleration_ratio: (length > 2).then(|| quotient(jolt, mean(&jolts[2..]), floor)),
        ..SeamReport::default()
    };
    Ok(Measured { report, mean_change })
}

/// Returns `a`/`b`, limited to [`MAX_RATIO`]; 0 if `a` is at most `floor`.
fn quotient(a: f64, b: f64, floor: f64) -> f64 {
    if a <= floor { 0.0 } else { (a / b.max(a / MAX_RATIO)).min(MAX_RATIO) }
}

/// Returns the mean of `values`; 0 without any.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Returns the sums of squares of the first, second and third difference that end in the newest frame.
fn differences([oldest, older, old, new]: &[Vec<f32>; 4]) -> [f64; 3] {
    chunked_sum(new.len(), |range| {
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

/// Returns sums over `0..count`, added in pieces that do not depend on the number of threads. `sum` returns those of a range.
pub(super) fn chunked_sum<const N: usize>(count: usize, sum: impl Fn(Range<usize>) -> [f64; N] + Sync) -> [f64; N] {
    let pieces = count.div_ceil(CHUNK);
    let piece = |i: usize| sum(i * CHUNK..((i + 1) * CHUNK).min(count));
    let parts: Vec<[f64; N]> = (0..pieces).into_par_iter().map(piece).collect();
    parts.iter().fold([0.0; N], |mut total, part| {
        total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
        total
    })
}

/// Returns the minima of |S(k) − m| and of |D(k) − m| relative to |D − m|. The source D is `source` frames of `read_source`, the
/// loop S is `length` frames of `read_loop`.
///
/// `None` if the source does not move at all. The functions write a frame's coordinates to their buffer; an error of theirs is
/// returned.
pub(super) fn dips<E>(
    source: usize,
    mut read_source: impl FnMut(usize, &mut Vec<f32>) -> Result<(), E>,
    length: usize,
    mut read_loop: impl FnMut(usize, &mut Vec<f32>) -> Result<(), E>,
) -> Result<[Option<f64>; 2], E> {
    let (mut frame, mut sums) = (Vec::new(), Vec::<f64>::new());
    // Two passes: the frames are too large to store, and the mean must be known first.
    for index in 0..source {
        read_source(index, &mut frame)?;
        sums.resize(frame.len(), 0.0);
        sums.iter_mut().zip(&frame).for_each(|(sum, &value)| *sum += f64::from(value));
    }
    let means: Vec<f32> = sums.iter().map(|sum| (sum / source as f64) as f32).collect();
    let energy = |frame: &[f32]| {
        let [sum] = chunked_sum(frame.len(), |range| {
            [range.map(|i| (f64::from(frame[i]) - f64::from(means[i])).powi(2)).sum::<f64>()]
        });
        sum
    };
    let (mut source_energy, mut min_source_energy) = (0.0, f64::INFINITY);
    for index in 0..source {
        read_source(index, &mut frame)?;
        let energy = energy(&frame);
        source_energy += energy / source as f64;
        min_source_energy = energy.min(min_source_energy);
    }
    let mut min_energy = f64::INFINITY;
    for index in 0..length {
        read_loop(index, &mut frame)?;
        min_energy = min_energy.min(energy(&frame));
    }
    let is_measured = source_energy > 0.0 && min_energy.is_finite();
    Ok([min_energy, min_source_energy].map(|energy| is_measured.then(|| (energy / source_energy).sqrt())))
}

/// Seam ratio up to which a source counts as a loop.
const CLOSED_MAX_RATIO: f64 = 2.0;

/// Value of [`unlikeness`] above which mixing both cycles changes the motion visibly. Tuned; no derivation recorded.
pub(super) const UNLIKENESS_MIN: f64 = 0.05;

/// Largest gap between the end and the start of a loop, as a fraction of the root mean square distance of two frames of the
/// source. The steps of noise, whose frames are all unlike, are as long as that distance.
const CLOSED_MAX_GAP: f64 = 0.6;

/// Smallest number of frames of the fastest cycle in a source that counts as a loop. Frames of a faster flutter are one step apart
/// by chance.
const CLOSED_MIN_CYCLE: usize = 16;

/// Maximum number of pairs of frames from which the distance of any two frames is estimated.
const MAX_PAIRS: usize = 24;

/// Returns the root mean square distance of two frames of a source of as many `frames`, estimated from frames at all distances; 0
/// if nothing moves. `read` writes a frame's coordinates to its buffer; its error is returned.
fn typical_distance<E>(frames: usize, mut read: impl FnMut(usize, &mut Vec<f32>) -> Result<(), E>) -> Result<f64, E> {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let count = MAX_PAIRS.min(frames.saturating_sub(1));
    let mut sum = 0.0;
    for pair in 0..count {
        // Distances 1 … frames − 1 evenly, each from another start.
        let apart = 1 + pair * (frames - 1) / count;
        let start = pair * 7 % (frames - apart);
        read(start, &mut a)?;
        read(start + apart, &mut b)?;
        sum += squared_distance(&a, &b);
    }
    Ok((sum / count.max(1) as f64).sqrt())
}

/// Returns the mean square of the coordinate differences.
fn squared_distance(a: &[f32], b: &[f32]) -> f64 {
    let [sum] = chunked_sum(a.len(), |range| [range.map(|i| (f64::from(b[i]) - f64::from(a[i])).powi(2)).sum::<f64>()]);
    sum / a.len().max(1) as f64
}

/// Returns the seam ratio of a complete source of `frames` frames played as a loop; `None` if it is too large for a loop, or if
/// its ends are as far apart as any two frames. The last frame may equal the first or precede it. `mean_change` is the mean
/// change of step elsewhere. `read` writes a frame's coordinates to its buffer; its error is returned.
pub(super) fn closing_ratio<E>(
    frames: usize,
    mean_change: f64,
    mut read: impl FnMut(usize, &mut Vec<f32>) -> Result<(), E>,
) -> Result<Option<f64>, E> {
    if frames < 4 || mean_change <= 0.0 {
        return Ok(None);
    }
    let mut around: [Vec<f32>; 4] = Default::default();
    for (frame, out) in [frames - 2, frames - 1, 0, 1].into_iter().zip(&mut around) {
        read(frame, out)?;
    }
    let [before, last, first, second] = &around;
    let length = |sum: f64| (sum / first.len().max(1) as f64).sqrt();
    let change = |a: &[f32], b: &[f32], c: &[f32]| {
        let [sum] = chunked_sum(b.len(), |range| {
            [range.map(|i| (f64::from(c[i]) - 2.0 * f64::from(b[i]) + f64::from(a[i])).powi(2)).sum::<f64>()]
        });
        length(sum)
    };
    // Both cases: the last frame repeats the first and is dropped, or all frames belong to the cycle.
    let closed = change(before, first, second);
    let open = change(before, last, first).max(change(last, first, second));
    let ratio = closed.min(open) / mean_change;
    let gap = squared_distance(last, first).sqrt();
    let is_closed = ratio <= CLOSED_MAX_RATIO && gap <= closed_max_gap(frames) * typical_distance(frames, read)?;
    Ok(is_closed.then_some(ratio))
}

/// Returns the largest gap of a loop of `frames` frames, as a fraction of the typical distance: a tenth more than a step of evenly
/// spaced frames on a circle, whose typical distance is √2 radii.
fn closed_max_gap(frames: usize) -> f64 {
    let step = 2.0 * (std::f64::consts::PI / frames.min(CLOSED_MIN_CYCLE) as f64).sin();
    CLOSED_MAX_GAP.min(1.1 * step / std::f64::consts::SQRT_2)
}

/// Returns the difference of two cycles of `length` frames: 0 if equal, about 1 if unrelated. `read` writes the coordinates of
/// one of the frames 0 … 2·`length` to its buffer; its error is returned.
pub(super) fn unlikeness<E>(
    length: usize,
    mut read: impl FnMut(usize, &mut Vec<f32>) -> Result<(), E>,
) -> Result<f64, E> {
    let (mut a, mut b, mut sums) = (Vec::new(), Vec::new(), Vec::<[f64; 2]>::new());
    let (mut difference, count) = (0.0, (length + 1) as f64);
    for k in 0..=length {
        read(k, &mut a)?;
        read(k + length, &mut b)?;
        sums.resize(a.len(), [0.0; 2]);
        for ((sum, &a), &b) in sums.iter_mut().zip(&a).zip(&b) {
            let [a, b] = [a, b].map(f64::from);
            sum[0] += a + b;
            sum[1] += a * a + b * b;
            difference += (a - b).powi(2);
        }
    }
    // Variance of both cycles together: the mean of squares minus the square of the mean.
    let spread: f64 = sums.iter().map(|[sum, squares]| squares / (2.0 * count) - (sum / (2.0 * count)).powi(2)).sum();
    Ok(if spread > 0.0 { difference / count / (2.0 * spread) } else { 0.0 })
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
        .report
    }

    #[test]
    fn the_worst_figure_decides_the_rating() {
        let report = |ratio, dip, low| SeamReport {
            ratio: Some(ratio),
            dip: Some(dip),
            source_dip: Some(1.0),
            edges: Some(EdgeStretch { low, high: 1.0 }),
            ..SeamReport::default()
        };
        assert_eq!(report(1.0, 0.95, 0.99).worst(), (SeamFigure::Ratio, SeamRating::Green));
        assert_eq!(report(1.0, 0.37, 0.66).worst(), (SeamFigure::Motion, SeamRating::Red));
        assert_eq!(report(1.0, 0.9, 0.66).worst(), (SeamFigure::Edges, SeamRating::Yellow));
        assert_eq!(report(5.0, 0.1, 0.1).worst(), (SeamFigure::Ratio, SeamRating::Red));
        let short = SeamReport { ratio: None, ..report(0.0, 0.9, 0.9) };
        assert_eq!(short.worst(), (SeamFigure::Ratio, SeamRating::Unmeasured));
        assert_eq!(SeamReport { dip: Some(0.2), ..short }.rating(), SeamRating::Red);
        // A swing passes its middle in every cycle.
        let swing = SeamReport { dip: Some(0.05), source_dip: Some(0.05), ..report(1.0, 0.0, 1.0) };
        assert_eq!((swing.motion_kept(), swing.rating()), (Some(1.0), SeamRating::Green));
    }

    #[test]
    fn a_full_sine_has_a_natural_seam_and_a_saw_a_bad_one() {
        let sine: Vec<f32> = (0..48).map(|k| (k as f32 / 48.0 * std::f32::consts::TAU).sin() + 1.0).collect();
        // A sine has the least curvature at its zero crossing, which is at this seam.
        assert!(report(&sine).ratio.unwrap() < 0.1 && report(&sine).rating() == SeamRating::Green);
        let saw: Vec<f32> = (0..48).map(|k| k as f32).collect();
        assert_eq!(report(&saw).rating(), SeamRating::Red);
        assert!(report(&saw).ratio.unwrap().is_finite() && report(&saw).acceleration_ratio.unwrap().is_finite());
    }

    #[test]
    fn a_motionless_loop_has_no_seam() {
        for length in 3..6 {
            let resting = report(&vec![3.0; length]);
            assert_eq!((resting.ratio, resting.step_change, resting.acceleration_ratio), (Some(0.0), 0.0, Some(0.0)));
        }
    }

    #[test]
    fn the_seam_is_frame_zero_and_its_change_is_relative_to_the_mean_step() {
        // Steps 1, 1, −3, 1: at frame 0 the step goes from 1 to 1.
        let bent = report(&[0.0, 1.0, 2.0, -1.0]);
        let step = ((1.0f64 + 1.0 + 9.0 + 1.0) / 4.0).sqrt();
        assert!((bent.step_change - 0.0 / step).abs() < 1e-12);
        let bent = report(&[2.0, -1.0, 0.0, 1.0]);
        assert!(
            (bent.step_change - 4.0 / step).abs() < 1e-12 && (bent.ratio.unwrap() - 4.0 / (4.0 / 3.0)).abs() < 1e-12
        );
    }

    #[test]
    fn ratios_without_a_reference_are_not_measured() {
        let one = report(&[3.0]);
        assert_eq!((one.ratio, one.acceleration_ratio, one.rating()), (None, None, SeamRating::Unmeasured));
        let two = report(&[3.0, 4.0]);
        assert!(two.ratio.is_some() && two.acceleration_ratio.is_none());
    }

    #[test]
    fn a_full_cycle_closes_with_and_without_its_closing_frame_and_a_partial_one_does_not() {
        let sine = |frame: usize| ((frame as f32 + 3.0) / 24.0 * std::f32::consts::TAU).sin();
        let mean_change =
            (0..24).map(|k| f64::from(sine(k + 2) - 2.0 * sine(k + 1) + sine(k)).abs()).sum::<f64>() / 24.0;
        let closing = |frames: usize| {
            closing_ratio(frames, mean_change, |frame, out| -> Result<(), Infallible> {
                out.clear();
                out.push(sine(frame));
                Ok(())
            })
            .unwrap()
        };
        assert!(closing(24).is_some() && closing(25).is_some() && closing(49).is_some());
        assert_eq!((closing(20), closing(34), closing(3)), (None, None, None));
    }

    #[test]
    fn noise_does_not_loop_however_small_its_seam_and_eight_frames_of_a_circle_do() {
        let closing = |frames: &[Vec<f32>]| {
            let change = |k: usize| -> f64 {
                let parts = frames[k].iter().zip(&frames[k + 1]).zip(&frames[k + 2]);
                let squares = parts.map(|((a, b), c)| f64::from(c - 2.0 * b + a).powi(2));
                (squares.sum::<f64>() / frames[k].len() as f64).sqrt()
            };
            let mean_change = (0..frames.len() - 2).map(change).sum::<f64>() / (frames.len() - 2) as f64;
            closing_ratio(frames.len(), mean_change, |k, out| -> Result<(), Infallible> {
                out.clear();
                out.extend(&frames[k]);
                Ok(())
            })
            .unwrap()
        };
        // A linear congruential generator: its frames are unlike, so its seam is like any other step.
        let mut state = 1_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 16_777_216.0
        };
        for _ in 0..20 {
            let noise: Vec<Vec<f32>> = (0..60).map(|_| (0..32).map(|_| random()).collect()).collect();
            assert_eq!(closing(&noise), None);
        }
        let circle = |count: usize| -> Vec<Vec<f32>> {
            let angle = |k: usize| k as f32 / count as f32 * std::f32::consts::TAU;
            (0..count).map(|k| vec![angle(k).cos(), angle(k).sin()]).collect()
        };
        assert!([8, 12, 60].iter().all(|&count| closing(&circle(count)).is_some()));
    }
}
