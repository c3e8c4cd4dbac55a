//! Which start Z and length X make a good loop.
//!
//! A loop mixes D(Z+k) with D(Z+X+k), k = 0 … X. It is good when both are alike in place and in speed all the way: speed
//! tells a pendulum's way out from its way back. The cost of (Z, X) is the mean difference along that diagonal of the
//! distance matrix (the diagonal filter of Schödl et al. 2000, Video Textures, as long as the loop), in parts of what
//! unlike frames of the same window would give: 0 a perfect repetition, about 1 no likeness at all. So neither fast nor slow
//! passages are favoured, and standing still counts as no likeness.
//!
//! All distances come from one matrix of dot products; each (Z, X) then costs a few look-ups.

use rayon::prelude::*;

use super::CycleWindow;
use super::frame_products::products;
use crate::message::{message, tell};
use crate::progress::{Cancelled, Progress};

/// Most frames that are compared with each other; the matrices of so many take 300 MB.
pub const MOST_FRAMES: usize = 2400;

/// Motion this small, in parts of the whole source's, is standing still.
const STILL: f64 = 1e-3;

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// Fewest frames in a loop, at least 1.
    pub shortest: usize,
    /// Most frames in a loop.
    pub longest: usize,
    /// How many candidates to return.
    pub most: usize,
    /// How much speed counts beside place, 0 … 1.
    pub speed: f64,
}

impl Default for Search {
    fn default() -> Self {
        Self { shortest: 8, longest: usize::MAX, most: 10, speed: 0.5 }
    }
}

/// One start and length, with how unlike the cycles are before they are mixed. Gaps are root mean squares over coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// First frame of cycle A, Z.
    pub start: usize,
    /// Frames per cycle, X.
    pub length: usize,
    /// 0 a perfect repetition, about 1 no likeness.
    pub cost: f64,
    /// Distance between D(Z) and D(Z+X), in the file's unit.
    pub value_gap: f64,
    /// The same of speeds, per frame.
    pub speed_gap: f64,
    /// The same of accelerations, per frame².
    pub acceleration_gap: f64,
}

/// Candidates, best first, and the matrix they were found in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundLoops {
    /// Best first; neighbours of a better one are left out.
    pub candidates: Vec<Candidate>,
    /// Number of frames that were compared.
    pub frames: usize,
    /// `frames` × `frames` distances in place and speed between frames, 0 equal … 1 as unlike as frames are on average.
    pub distances: Vec<f32>,
}

/// Why nothing was searched.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FindError {
    /// No loop fits.
    TooShort {
        /// Frames there are.
        frames: usize,
        /// Fewest frames that hold a loop.
        shortest: usize,
    },
    /// Too many frames to compare each with each.
    TooLong {
        /// Frames there are.
        frames: usize,
        /// Most frames that can be compared.
        most: usize,
    },
    /// Frames of different sizes or without content.
    Uneven {
        /// Counted from 0.
        frame: usize,
        /// Numbers in that frame.
        found: usize,
        /// Numbers in frame 0.
        expected: usize,
    },
    /// Stopped on request.
    Cancelled(#[from] Cancelled),
}

tell!(FindError {
    Self::TooShort { frames, shortest } => message!(
        "error.find.too_short",
        "%{frames} frames hold no two cycles of %{shortest} frames. Ask for shorter loops or take a longer source.",
        frames, shortest
    ),
    Self::TooLong { frames, most } => message!(
        "error.find.too_long",
        "%{frames} frames are too many to compare each with each; %{most} are possible. Search in a part of the source.",
        frames, most
    ),
    Self::Uneven { frame, found, expected } => message!(
        "error.find.uneven",
        "Frame %{frame} has %{found} numbers but frame 0 has %{expected}. Every frame needs the same units.",
        frame, found, expected
    ),
    Self::Cancelled(error) => error.message(),
});

/// Ranks the loops in `frames`, each the coordinates of all units of one moment.
pub fn find(frames: &[Vec<f32>], search: &Search, progress: &Progress) -> Result<FoundLoops, FindError> {
    let count = frames.len();
    let width = frames.first().map_or(0, Vec::len);
    if count > MOST_FRAMES {
        return Err(FindError::TooLong { frames: count, most: MOST_FRAMES });
    }
    if let Some(frame) = frames.iter().position(|frame| frame.len() != width || width == 0) {
        return Err(FindError::Uneven { frame, found: frames[frame].len(), expected: width });
    }
    let shortest = search.shortest.max(1);
    // Two cycles of X frames end on frame 2X, which has to exist.
    if count < 3 || shortest > (count - 1) / 2 {
        return Err(FindError::TooShort { frames: count, shortest });
    }
    let place = products(frames, progress)?;
    let [speed, acceleration] =
        // Central differences: first and second derivative per frame.
        [[-0.5, 0.0, 0.5], [1.0, -2.0, 1.0]].map(|weights| differentiated(&place, count, weights));
    progress.step(9, 10)?;
    let share = search.speed.clamp(0.0, 1.0);
    let kinds = [Likeness::new(place, count), Likeness::new(speed, count)];
    let cost = |start: usize, length: usize| {
        (1.0 - share) * kinds[0].cost(start, length) + share * kinds[1].cost(start, length)
    };
    let longest = search.longest.min((count - 1) / 2);
    let of_length =
        |length: usize| (0..count - 2 * length).map(move |start| CycleWindow { start, length }).collect::<Vec<_>>();
    let windows: Vec<CycleWindow> = (shortest..=longest).flat_map(of_length).collect();
    let costs: Vec<f64> = windows.par_iter().map(|window| cost(window.start, window.length)).collect();
    let gap = |products: &[f64], start: usize, length: usize| {
        // Per coordinate, so that gaps compare between meshes of different size.
        (apart(products, count, start, start + length) / width as f64).sqrt()
    };
    let candidates =
        best(&windows, &costs, search.most).into_iter().map(|RankedWindow { start, length, cost }| Candidate {
            start,
            length,
            cost,
            value_gap: gap(&kinds[0].products, start, length),
            speed_gap: gap(&kinds[1].products, start, length),
            acceleration_gap: gap(&acceleration, start, length),
        });
    let candidates = candidates.collect();
    let distances = heat(&kinds, share, count);
    progress.step(1, 1)?;
    Ok(FoundLoops { candidates, frames: count, distances })
}

/// A start and a length with their cost.
#[derive(Clone, Copy)]
struct RankedWindow {
    start: usize,
    length: usize,
    cost: f64,
}

/// The `most` cheapest windows, each apart from better ones by a tenth of its length.
fn best(windows: &[CycleWindow], costs: &[f64], most: usize) -> Vec<RankedWindow> {
    let mut order: Vec<usize> = (0..windows.len()).collect();
    // Equal costs keep the shorter, earlier loop first.
    order.sort_by(|&i, &j| costs[i].total_cmp(&costs[j]));
    let mut kept: Vec<RankedWindow> = Vec::new();
    for i in order {
        if kept.len() >= most {
            break;
        }
        let CycleWindow { start, length } = windows[i];
        let near = |a: usize, b: usize| a.abs_diff(b) <= (length / 10).max(1);
        if !kept.iter().any(|other| near(other.start, start) && near(other.length, length)) {
            kept.push(RankedWindow { start, length, cost: costs[i] });
        }
    }
    kept
}

/// Squared distance of frames `i` and `j` from their products.
fn apart(products: &[f64], count: usize, i: usize, j: usize) -> f64 {
    (products[i * count + i] + products[j * count + j] - 2.0 * products[i * count + j]).max(0.0)
}

/// Products of the frames' differences Σ w(d)·D(i+d), d = −1, 0, 1; at the ends the frame next to them stands in.
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

/// Products of one kind (place or speed) with sums that make every window cheap.
struct Likeness {
    count: usize,
    products: Vec<f64>,
    /// Sum of all products above and left of an entry, (count + 1)².
    corner: Vec<f64>,
    /// Sum of the diagonal before an entry.
    trace: Vec<f64>,
    /// Sums of squared distances down each diagonal, row after row of the upper triangle by offset.
    diagonals: Vec<Vec<f64>>,
    /// Mean squared distance of a frame from the mean frame.
    spread: f64,
}

impl Likeness {
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
        let along = |offset: usize| running(&mut (0..count - offset).map(|i| apart(&products, count, i, i + offset)));
        let diagonals = (0..=count / 2).map(along).collect();
        let whole = trace[count] / count as f64 - corner[count * side + count] / (count * count) as f64;
        Self { count, corner, trace, diagonals, spread: whole.max(0.0), products }
    }

    /// Mean difference of both cycles in parts of what unlike frames of the window differ by.
    fn cost(&self, start: usize, length: usize) -> f64 {
        let (side, end, n) = (self.count + 1, start + 2 * length + 1, (2 * length + 1) as f64);
        let sum = |i: usize, j: usize| self.corner[i * side + j];
        let square = sum(end, end) - sum(start, end) - sum(end, start) + sum(start, start);
        let spread = ((self.trace[end] - self.trace[start]) / n - square / (n * n)).max(0.0);
        let diagonal = &self.diagonals[length];
        let apart = (diagonal[start + length + 1] - diagonal[start]) / (length + 1) as f64;
        // Added above and below: where nothing moves the quotient becomes 1, no likeness, and never 0/0.
        let still = STILL * self.spread + f64::MIN_POSITIVE;
        // Two unrelated frames are twice their variance apart, hence the half.
        (apart / 2.0 + still) / (spread + still)
    }
}

fn heat(kinds: &[Likeness; 2], share: f64, count: usize) -> Vec<f32> {
    let scaled = |kind: &Likeness, i: usize, j: usize| {
        apart(&kind.products, count, i, j) / (2.0 * kind.spread).max(f64::MIN_POSITIVE)
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
    use crate::systems::looping::tests::noise;

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
    fn windows_that_are_nearly_the_same_are_told_once() {
        let windows: Vec<CycleWindow> =
            [(10, 40), (11, 41), (10, 60), (30, 40)].map(|(start, length)| CycleWindow { start, length }).into();
        let kept = best(&windows, &[0.2, 0.1, 0.3, 0.4], 10);
        let kept: Vec<(usize, usize)> = kept.iter().map(|window| (window.start, window.length)).collect();
        assert_eq!(kept, [(11, 41), (10, 60), (30, 40)]);
    }

    #[test]
    fn a_pendulum_is_never_matched_with_its_way_back() {
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
        // Ten frames to either side of an end of the swing the places agree and the speeds are opposite.
        let at = |i: usize, j: usize| found.distances[i * 200 + j];
        assert!(at(55, 65) > 0.5 && at(55, 95) < 0.01, "{} {}", at(55, 65), at(55, 95));
    }

    #[test]
    fn standing_still_is_no_loop() {
        let mut frames = noise(120, 30, 7);
        let still = frames[30].clone();
        frames[30..70].fill(still);
        let found = find(&frames, &search(8), &Progress::new()).unwrap();
        let inside = |candidate: &Candidate| candidate.start >= 30 && candidate.start + 2 * candidate.length < 70;
        assert!(
            found.candidates.iter().all(|candidate| !inside(candidate) || candidate.cost > 0.5),
            "{:?}",
            found.candidates
        );
    }

    #[test]
    fn what_cannot_be_searched_is_refused_in_words() {
        let find = |frames: &[Vec<f32>]| find(frames, &search(8), &Progress::new()).unwrap_err().to_string();
        assert!(find(&noise(16, 3, 1)).contains("16 frames"));
        assert!(find(&[]).contains("0 frames"));
        let mut uneven = noise(40, 3, 1);
        uneven[7].pop();
        assert!(find(&uneven).contains("Frame 7"));
    }
}
