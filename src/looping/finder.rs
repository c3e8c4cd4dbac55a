//! Finds starts Z and lengths X of good loops.
//!
//! A loop mixes D(Z+k) with D(Z+X+k), k = 0 … X. It is good if both have similar positions and speeds throughout; speed
//! distinguishes the two directions of a pendulum. The cost of (Z, X) is the mean difference along that diagonal of the
//! distance matrix (the diagonal filter of Schödl et al. 2000, Video Textures, with the length of the loop). It is
//! relative to the difference of unrelated frames of the same window: 0 is a perfect repetition, about 1 no similarity.
//! Fast and slow passages therefore count alike, and standing still counts as no similarity.
//!
//! All distances come from one matrix of dot products; each (Z, X) then costs a few look-ups.

use rayon::prelude::*;

use super::CycleWindow;
use super::frame_products::products;
use portamento_base::message::{message, messages};
use portamento_base::progress::{Cancelled, Progress};

/// Maximum number of frames that are compared; their matrices take 300 MB.
pub const MAX_FRAMES: usize = 2400;

/// Motion relative to that of the complete source below which a window counts as standing still.
const STILL_MAX_SHARE: f64 = 1e-3;

/// Parameters of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// Minimum number of frames in a loop, at least 1.
    pub shortest: usize,
    /// Maximum number of frames in a loop.
    pub longest: usize,
    /// Maximum number of candidates to return.
    pub most: usize,
    /// Weight of speed relative to position, 0 … 1.
    pub speed: f64,
}

impl Default for Search {
    fn default() -> Self {
        Self { shortest: 8, longest: usize::MAX, most: 10, speed: 0.5 }
    }
}

/// A start and length, with the difference of the cycles before they are mixed. Gaps are root mean squares over
/// coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// First frame of cycle A, Z.
    pub start: usize,
    /// Frames per cycle, X.
    pub length: usize,
    /// Relative difference: 0 for a perfect repetition, about 1 for no similarity.
    pub cost: f64,
    /// Distance between D(Z) and D(Z+X), in the file's unit.
    pub value_gap: f64,
    /// Difference of the speeds there, per frame.
    pub speed_gap: f64,
    /// Difference of the accelerations there, per frame².
    pub acceleration_gap: f64,
}

/// Candidates, best first, and the distance matrix of the frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundLoops {
    /// Candidates, best first, without near duplicates of better ones.
    pub candidates: Vec<Candidate>,
    /// Number of frames that were compared.
    pub frames: usize,
    /// `frames` × `frames` distances in position and speed: 0 for equal frames, 1 for the average of unrelated frames.
    pub distances: Vec<f32>,
}

messages! {
/// Error of a search.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FindError {
    /// No loop fits into the source.
    TooShort {
        /// Number of source frames.
        frames: usize,
        /// Minimum length of a loop, frames.
        shortest: usize,
    } => message!(
        "error.find.too_short",
        "%{frames} frames are too few for two cycles of %{shortest} frames. Search for shorter loops or use a longer source.",
        frames, shortest
    ),
    /// The source has too many frames to compare all pairs.
    TooLong {
        /// Number of source frames.
        frames: usize,
        /// Maximum number of frames.
        most: usize,
    } => message!(
        "error.find.too_long",
        "%{frames} frames are too many to compare; the maximum is %{most}. Search a part of the source.",
        frames, most
    ),
    /// Frames have different sizes or no content.
    UnequalSizes {
        /// Index of the frame, counted from 0.
        frame: usize,
        /// Number of coordinates of that frame.
        found: usize,
        /// Number of coordinates of frame 0.
        expected: usize,
    } => message!(
        "error.find.uneven",
        "Frame %{frame} has %{found} numbers, but frame 0 has %{expected}. All frames must have the same vertices, joints or pixels.",
        frame, found, expected
    ),
    /// Cancelled by the user.
    Cancelled(#[from] error: Cancelled) => error.message(),
}
}

/// Returns the loops in `frames`, ranked. Each frame has the coordinates of all units at one moment.
///
/// Returns `Err` if there are too few or too many frames, frames of different or zero size, or `progress` is cancelled.
pub fn find(frames: &[Vec<f32>], search: &Search, progress: &Progress) -> Result<FoundLoops, FindError> {
    let count = frames.len();
    let width = frames.first().map_or(0, Vec::len);
    if count > MAX_FRAMES {
        return Err(FindError::TooLong { frames: count, most: MAX_FRAMES });
    }
    if let Some(frame) = frames.iter().position(|frame| frame.len() != width || width == 0) {
        return Err(FindError::UnequalSizes { frame, found: frames[frame].len(), expected: width });
    }
    let shortest = search.shortest.max(1);
    // Two cycles of X frames end at frame 2X, which must exist.
    if count < 3 || shortest > (count - 1) / 2 {
        return Err(FindError::TooShort { frames: count, shortest });
    }
    let position = products(frames, progress)?;
    let [speed, acceleration] =
        // Central differences: first and second derivative per frame.
        [[-0.5, 0.0, 0.5], [1.0, -2.0, 1.0]].map(|weights| differentiated(&position, count, weights));
    progress.step(9, 10)?;
    let share = search.speed.clamp(0.0, 1.0);
    let kinds = [Likeness::new(position, count), Likeness::new(speed, count)];
    let cost = |start: usize, length: usize| {
        (1.0 - share) * kinds[0].cost(start, length) + share * kinds[1].cost(start, length)
    };
    let longest = search.longest.min((count - 1) / 2);
    let of_length =
        |length: usize| (0..count - 2 * length).map(move |start| CycleWindow { start, length }).collect::<Vec<_>>();
    let windows: Vec<CycleWindow> = (shortest..=longest).flat_map(of_length).collect();
    let costs: Vec<f64> = windows.par_iter().map(|window| cost(window.start, window.length)).collect();
    let gap = |products: &[f64], start: usize, length: usize| {
        // Per coordinate, so that gaps are comparable between meshes of different size.
        (squared_distance(products, count, start, start + length) / width as f64).sqrt()
    };
    let candidates =
        best_windows(&windows, &costs, search.most).into_iter().map(|RankedWindow { start, length, cost }| Candidate {
            start,
            length,
            cost,
            value_gap: gap(&kinds[0].products, start, length),
            speed_gap: gap(&kinds[1].products, start, length),
            acceleration_gap: gap(&acceleration, start, length),
        });
    let candidates = candidates.collect();
    let distances = distance_matrix(&kinds, share, count);
    progress.step(1, 1)?;
    Ok(FoundLoops { candidates, frames: count, distances })
}

/// A start and length with their cost.
#[derive(Clone, Copy)]
struct RankedWindow {
    start: usize,
    length: usize,
    cost: f64,
}

/// Returns the `most` windows with the lowest of `costs`, cheapest first. Each differs from better ones by more than a tenth of
/// its length.
fn best_windows(windows: &[CycleWindow], costs: &[f64], most: usize) -> Vec<RankedWindow> {
    let mut order: Vec<usize> = (0..windows.len()).collect();
    // The sort is stable: of equal costs, the shorter and earlier loop comes first.
    order.sort_by(|&i, &j| costs[i].total_cmp(&costs[j]));
    let mut ranked: Vec<RankedWindow> = Vec::new();
    for i in order {
        if ranked.len() >= most {
            break;
        }
        let CycleWindow { start, length } = windows[i];
        let near = |a: usize, b: usize| a.abs_diff(b) <= (length / 10).max(1);
        if !ranked.iter().any(|other| near(other.start, start) && near(other.length, length)) {
            ranked.push(RankedWindow { start, length, cost: costs[i] });
        }
    }
    ranked
}

/// Returns the squared distance of frames `i` and `j`, computed from their products.
fn squared_distance(products: &[f64], count: usize, i: usize, j: usize) -> f64 {
    (products[i * count + i] + products[j * count + j] - 2.0 * products[i * count + j]).max(0.0)
}

/// Returns the products of the differences Σ w(d)·D(i+d), d = −1, 0, 1, from the `products` of `count` frames. `weights` are the
/// w. The first and last frame use the difference of their neighbour.
fn differentiated(products: &[f64], count: usize, weights: [f64; 3]) -> Vec<f64> {
    // Each derivative needs a neighbour on either side.
    let inner = |i: usize| i.clamp(1, count - 2);
    let entry = |i: usize, j: usize| {
        let mut sum = 0.0;
        for (di, wi) in weights.iter().enumerate() {
            for (dj, wj) in weights.iter().enumerate() {
                sum += wi * wj * products[(inner(i) + di - 1) * count + inner(j) + dj - 1];
            }
        }
        sum
    };
    (0..count * count).into_par_iter().map(|at| entry(at / count, at % count)).collect()
}

/// Dot products of the frames in position or speed, with prefix sums that make the cost of every window cheap.
struct Likeness {
    /// Number of frames.
    count: usize,
    /// Dot products of all pairs of frames, row by row.
    products: Vec<f64>,
    /// Two-dimensional prefix sums of the products, (count + 1)².
    corner: Vec<f64>,
    /// Prefix sums of the main diagonal.
    trace: Vec<f64>,
    /// Prefix sums of squared distances along each diagonal, indexed by its offset.
    diagonals: Vec<Vec<f64>>,
    /// Mean squared distance of a frame from the mean frame.
    spread: f64,
}

impl Likeness {
    /// Computes the sums over `products`, the `count` × `count` dot products of all frames, row by row.
    fn new(products: Vec<f64>, count: usize) -> Self {
        let side = count + 1;
        let mut corner = vec![0.0; side * side];
        for i in 0..count {
            let mut row = 0.0;
            for j in 0..count {
                row += products[i * count + j];
                corner[(i + 1) * side + j + 1] = corner[i * side + j + 1] + row;
            }
        }
        let running = |values: &mut dyn Iterator<Item = f64>| {
            let mut sum = 0.0;
            std::iter::once(0.0)
                .chain(values.map(|value| {
                    sum += value;
                    sum
                }))
                .collect::<Vec<f64>>()
        };
        let trace = running(&mut (0..count).map(|i| products[i * count + i]));
        let along = |offset: usize| {
            running(&mut (0..count - offset).map(|i| squared_distance(&products, count, i, i + offset)))
        };
        let diagonals = (0..=count / 2).map(along).collect();
        let spread = trace[count] / count as f64 - corner[count * side + count] / (count * count) as f64;
        Self { count, corner, trace, diagonals, spread: spread.max(0.0), products }
    }

    /// Returns the mean difference of both cycles relative to that of unrelated frames of the window: 0 for a perfect
    /// repetition, about 1 for no similarity. The window is 2 · `length` + 1 frames long.
    fn cost(&self, start: usize, length: usize) -> f64 {
        let (side, end, n) = (self.count + 1, start + 2 * length + 1, (2 * length + 1) as f64);
        let sum = |i: usize, j: usize| self.corner[i * side + j];
        let square = sum(end, end) - sum(start, end) - sum(end, start) + sum(start, start);
        let spread = ((self.trace[end] - self.trace[start]) / n - square / (n * n)).max(0.0);
        let diagonal = &self.diagonals[length];
        let mean_distance = (diagonal[start + length + 1] - diagonal[start]) / (length + 1) as f64;
        // Added to numerator and denominator: without motion the quotient is 1, no similarity, and never 0/0.
        let floor = STILL_MAX_SHARE * self.spread + f64::MIN_POSITIVE;
        // The squared distance of two unrelated frames is twice their variance, hence the half.
        (mean_distance / 2.0 + floor) / (spread + floor)
    }
}

/// Returns the distances of all pairs of frames, row by row. `share` is the weight of speed relative to position, 0…1.
fn distance_matrix(kinds: &[Likeness; 2], share: f64, count: usize) -> Vec<f32> {
    let scaled = |kind: &Likeness, i: usize, j: usize| {
        squared_distance(&kind.products, count, i, j) / (2.0 * kind.spread).max(f64::MIN_POSITIVE)
    };
    let entry = |at: usize| {
        let (i, j) = (at / count, at % count);
        ((1.0 - share) * scaled(&kinds[0], i, j) + share * scaled(&kinds[1], i, j)).sqrt() as f32
    };
    (0..count * count).into_par_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::noise;

    fn search(shortest: usize) -> Search {
        Search { shortest, ..Search::default() }
    }

    #[test]
    fn a_loop_planted_in_noise_is_found_first() {
        for (planted, length, seed) in [(37, 24, 1), (5, 31, 2), (80, 18, 3)] {
            let mut frames = noise(160, 90, seed);
            let shake = noise(160, 90, seed + 50);
            for k in 0..=length {
                let again =
                    frames[planted + k].iter().zip(&shake[k]).map(|(value, shake)| value + 0.05 * shake).collect();
                frames[planted + length + k] = again;
            }
            let found = find(&frames, &search(10), &Progress::new()).unwrap();
            let first = found.candidates[0];
            assert_eq!((first.start, first.length), (planted, length), "{:?}", &found.candidates[..3]);
            assert!(found.candidates.is_sorted_by(|a, b| a.cost <= b.cost) && found.candidates.len() <= 10);
            assert!(found.candidates[1].cost > 2.0 * first.cost);
            assert!(
                found
                    .candidates
                    .iter()
                    .all(|candidate| candidate.length >= 10 && candidate.start + 2 * candidate.length < 160)
            );
        }
    }

    #[test]
    fn nearly_equal_windows_are_listed_once() {
        let windows: Vec<CycleWindow> =
            [(10, 40), (11, 41), (10, 60), (30, 40)].map(|(start, length)| CycleWindow { start, length }).into();
        let ranked = best_windows(&windows, &[0.2, 0.1, 0.3, 0.4], 10);
        let ranked: Vec<(usize, usize)> = ranked.iter().map(|window| (window.start, window.length)).collect();
        assert_eq!(ranked, [(11, 41), (10, 60), (30, 40)]);
    }

    #[test]
    fn a_pendulum_is_never_matched_with_its_opposite_direction() {
        let period = 40;
        let angle = |frame: usize| (frame as f32 / period as f32 * std::f32::consts::TAU).sin();
        let frames: Vec<Vec<f32>> = (0..200).map(|frame| vec![angle(frame).sin(), -angle(frame).cos()]).collect();
        let found = find(&frames, &search(8), &Progress::new()).unwrap();
        for candidate in found.candidates.iter().filter(|candidate| candidate.cost < 0.1) {
            let off = candidate.length % period;
            assert!(off.min(period - off) <= 3, "{candidate:?}");
        }
        let first = found.candidates[0];
        assert!(
            first.length == period && first.value_gap < 1e-3 && first.speed_gap < 1e-3 && first.acceleration_gap < 1e-3
        );
        // Ten frames before and after an end of the swing the positions agree and the speeds are opposite.
        let at = |i: usize, j: usize| found.distances[i * 200 + j];
        assert!(at(55, 65) > 0.5 && at(55, 95) < 0.01, "{} {}", at(55, 65), at(55, 95));
    }

    #[test]
    fn standing_still_is_no_loop() {
        let mut frames = noise(120, 30, 7);
        let resting = frames[30].clone();
        frames[30..70].fill(resting);
        let found = find(&frames, &search(8), &Progress::new()).unwrap();
        let inside = |candidate: &Candidate| candidate.start >= 30 && candidate.start + 2 * candidate.length < 70;
        assert!(
            found.candidates.iter().all(|candidate| !inside(candidate) || candidate.cost > 0.5),
            "{:?}",
            found.candidates
        );
    }

    #[test]
    fn invalid_sources_are_refused_with_a_message() {
        let find = |frames: &[Vec<f32>]| find(frames, &search(8), &Progress::new()).unwrap_err().to_string();
        assert!(find(&noise(16, 3, 1)).contains("16 frames"));
        assert!(find(&[]).contains("0 frames"));
        let mut uneven = noise(40, 3, 1);
        uneven[7].pop();
        assert!(find(&uneven).contains("Frame 7"));
    }
}
