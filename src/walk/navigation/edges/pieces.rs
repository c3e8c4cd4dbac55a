//! Cuts candidate lines into the pieces at which the ground really falls, with even surroundings along each.

use super::candidates::Line;
use super::profile::{Fall, Profile, profile};
use super::surface::Surface;

/// Spacing of the samples along a line, metres.
const SPACING_M: f64 = 0.25;
/// Samples lie this far from an exact cut, metres.
const INSET_M: f64 = 1e-3;
/// Accuracy of a cut that is found by halving, metres.
const CUT_ACCURACY_M: f64 = 2e-3;
/// Largest deviation of a height from the straight line between the ends of a piece, metres.
const EVEN_MAX_M: f64 = 0.01;
/// Largest jump of a height between neighbouring samples, metres.
const JUMP_MAX_M: f64 = 0.02;
/// Largest change of a value per metre of line that is no jump.
const MAX_SLOPE: f64 = 1.0;
/// Largest number of faces that cut one line.
const MAX_CUTS: usize = 256;

/// A part of a line with a fall in front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ledge {
    /// The line.
    pub line: Line,
    /// Heights over the ground in front at both ends, metres; `None` if there is no ground.
    pub heights: Option<[f64; 2]>,
    /// Largest horizontal distance from the line to the ground in front, metres.
    pub foot: f64,
    /// Smallest free height above the line, metres.
    pub above: f64,
    /// Smallest free distance behind the line, metres.
    pub behind: f64,
}

impl Ledge {
    /// Returns the height over the ground in front at `t` metres along the line.
    pub fn height(&self, t: f64) -> Option<f64> {
        let share = (t / self.line.length().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        self.heights.map(|[from, to]| from + (to - from) * share)
    }
}

/// A point along a line with its surroundings.
#[derive(Clone, Copy, Debug)]
struct Sample {
    t: f64,
    profile: Option<Profile>,
}

/// Returns the ledges along `line`, in order.
pub(super) fn ledges(surface: &Surface, line: &Line) -> Vec<Ledge> {
    let sample = |t: f64| Sample { t, profile: profile(surface, line.at(t), line.front) };
    let cuts = cuts(surface, line);
    let mut samples: Vec<Sample> = sample_positions(line.length(), &cuts).into_iter().map(sample).collect();
    let Some(last) = samples.pop() else { return Vec::new() };
    let mut runs: Vec<Run> = Vec::new();
    let mut run = Run { start: 0.0, end: 0.0, samples: Vec::new() };
    let next = samples.iter().skip(1).copied().chain([last]);
    for (mut from, to) in samples.iter().copied().zip(next) {
        run.samples.push(from);
        // Several jumps may follow each other between two samples.
        while !is_similar(&from, &to) {
            let (cut, after) = match cuts.iter().find(|cut| from.t < **cut && **cut < to.t) {
                Some(&cut) if to.t - from.t <= 2.5 * INSET_M => (cut, to),
                _ => jump([from, to], sample),
            };
            run.end = cut;
            let start = Run { start: cut, end: cut, samples: Vec::new() };
            runs.push(std::mem::replace(&mut run, start));
            from = after;
            if from.t < to.t {
                run.samples.push(from);
            }
        }
    }
    run.samples.push(last);
    run.end = line.length();
    runs.push(run);
    runs.iter().flat_map(|run| run.ledges(line)).collect()
}

/// Returns the distances along a line at which faces cross it, ascending.
fn cuts(surface: &Surface, line: &Line) -> Vec<f64> {
    let length = line.length();
    let along = (line.ends[1] - line.ends[0]).normalize_or_zero();
    let (mut cuts, mut t) = (Vec::new(), 0.0);
    while cuts.len() < MAX_CUTS {
        let Some(hit) = surface.cast(line.at(t), along) else { break };
        t += hit.distance;
        if t >= length - 2.0 * INSET_M {
            break;
        }
        if t > 2.0 * INSET_M && cuts.last().is_none_or(|last| t - last > 4.0 * INSET_M) {
            cuts.push(t);
        }
        t += INSET_M;
    }
    cuts
}

/// Returns the positions of the samples: on both sides of each cut, and between at most [`SPACING_M`] apart.
fn sample_positions(length: f64, cuts: &[f64]) -> Vec<f64> {
    let ends = cuts.iter().copied().chain([length]);
    let mut positions = Vec::new();
    let mut start = 0.0;
    for end in ends {
        let [from, to] = [start + INSET_M, end - INSET_M];
        if to > from {
            let count = ((to - from) / SPACING_M).ceil().max(2.0) as usize;
            positions.extend((0..=count).map(|step| from + (to - from) * step as f64 / count as f64));
        }
        start = end;
    }
    positions
}

/// True if no jump lies between two samples.
fn is_similar(from: &Sample, to: &Sample) -> bool {
    let most = JUMP_MAX_M + MAX_SLOPE * (to.t - from.t);
    let is_near = |a: f64, b: f64| (a - b).abs() <= most;
    match (from.profile, to.profile) {
        (None, None) => true,
        (Some(a), Some(b)) => {
            let falls = match (a.fall, b.fall) {
                (Fall::Ground { height: a, .. }, Fall::Ground { height: b, .. }) => is_near(a, b),
                (Fall::Bottomless, Fall::Bottomless) => true,
                _ => false,
            };
            falls && is_near(a.above, b.above)
        }
        _ => false,
    }
}

/// Returns the position of the first jump between two samples, and the sample behind it.
fn jump([mut from, mut to]: [Sample; 2], sample: impl Fn(f64) -> Sample) -> (f64, Sample) {
    while to.t - from.t > CUT_ACCURACY_M {
        let middle = sample(0.5 * (from.t + to.t));
        if is_similar(&from, &middle) {
            from = middle;
        } else {
            to = middle;
        }
    }
    (0.5 * (from.t + to.t), to)
}

/// A part of a line without jumps.
struct Run {
    start: f64,
    end: f64,
    samples: Vec<Sample>,
}

impl Run {
    /// Returns the run as ledges with straight heights.
    fn ledges(&self, line: &Line) -> Vec<Ledge> {
        let profiles: Vec<(f64, Profile)> =
            self.samples.iter().filter_map(|sample| Some((sample.t, sample.profile?))).collect();
        let mut ledges = Vec::new();
        if !profiles.is_empty() && profiles.len() == self.samples.len() {
            straight(&profiles, [self.start, self.end], line, &mut ledges);
        }
        ledges
    }
}

/// Appends the ledges of `profiles`, cut at the largest deviation until all heights are straight.
fn straight(profiles: &[(f64, Profile)], [start, end]: [f64; 2], line: &Line, ledges: &mut Vec<Ledge>) {
    let height = |profile: &Profile| match profile.fall {
        Fall::Ground { height, .. } => Some(height),
        Fall::Bottomless => None,
    };
    let points: Vec<[f64; 2]> = profiles.iter().filter_map(|(t, profile)| Some([*t, height(profile)?])).collect();
    let ends = points.first().zip(points.last());
    let at = |t: f64| {
        let (first, last) = ends?;
        let length = last[0] - first[0];
        Some(if length > 0.0 { first[1] + (last[1] - first[1]) * (t - first[0]) / length } else { first[1] })
    };
    let deviation = |point: &[f64; 2]| at(point[0]).map_or(0.0, |height| (point[1] - height).abs());
    let worst =
        (1..points.len().saturating_sub(1)).max_by(|a, b| deviation(&points[*a]).total_cmp(&deviation(&points[*b])));
    if let Some(worst) = worst.filter(|worst| deviation(&points[*worst]) > EVEN_MAX_M) {
        let cut = profiles[worst].0;
        straight(&profiles[..=worst], [start, cut], line, ledges);
        straight(&profiles[worst..], [cut, end], line, ledges);
        return;
    }
    let foot = |profile: &Profile| match profile.fall {
        Fall::Ground { foot, .. } => foot,
        Fall::Bottomless => 0.0,
    };
    let least =
        |value: fn(&Profile) -> f64| profiles.iter().map(|(_, profile)| value(profile)).fold(f64::INFINITY, f64::min);
    ledges.push(Ledge {
        line: Line { ends: [start, end].map(|t| line.at(t)), front: line.front },
        heights: at(start).zip(at(end)).map(|(from, to)| [from, to]),
        foot: profiles.iter().map(|(_, profile)| foot(profile)).fold(0.0, f64::max),
        above: least(|profile| profile.above),
        behind: least(|profile| profile.behind),
    });
}
