//! Feet that go along the ground with the body instead of standing on it: what a drifting root, or one that goes on while the legs
//! rest, does to them.

use std::ops::Range;

use glam::DVec3;

use super::Input;
use super::frames::Frames;
use crate::anim::contacts::{per_frame, runs};
use crate::anim::root_motion::smallness;

/// Metres over the ground that the soles stand on at rest up to which one is on it.
const HEIGHT: f64 = 0.04;
/// Metres per second from which a foot on the ground is seen to go, and a body at another speed than its feet; a small one by less.
const SLOWEST: f64 = 0.1;
/// How much of its own speed a foot that goes with the body goes beside it. A foot that swings passes this in a moment.
const BESIDE: f64 = 0.25;
/// Seconds; what is shorter is a moment of a swing.
const SHORTEST: f64 = 0.25;
/// Share of all frames of all feet on the ground in which a body that drifts takes them along, at least.
const LEAST: f64 = 0.2;
/// How far the speeds are from their mean, in parts of it, while a foot slides with the body: a dodge slides on purpose, and starts and
/// stops.
const STEADY: f64 = 0.3;
/// The same of a foot that slides by itself while the body goes its own way: one that swings, or shuffles, starts and stops.
const EVEN: f64 = 0.15;

/// Metres per second within which hips and feet of a body that rests go by as one, however high they are: who sits, lies or is done.
const AS_ONE: f64 = 0.03;
/// Seconds for which they do; a dash passes through that in a moment.
const RESTS: f64 = 0.15;

/// When feet skate.
pub(super) struct Skating {
    /// For each foot the frames in which it does, as half-open ranges in order.
    pub skates: Vec<Vec<Range<usize>>>,
    /// Metres per second of a body that goes on evenly while its feet go with it.
    pub drift: Option<f64>,
}

/// The soles of a body.
#[derive(Clone, Copy)]
pub(super) struct Soles<'a> {
    /// Where each is at each frame, world units.
    pub ways: &'a [Vec<DVec3>],
    /// When each stands.
    pub standing: &'a [Vec<Range<usize>>],
    /// Where the hips are; none where they are not known.
    pub hips: &'a [DVec3],
    /// Metres per second from which they are seen to go, see [`slowest`].
    pub slowest: f64,
}

impl Skating {
    /// Of soles that go `ways`, over `ground`, the height of the lowest one at rest; of a body that sits or lies they are higher, and then they
    /// are on it where they stand.
    pub fn measure(soles: &Soles, frames: &Frames, ground: f64, metres_per_unit: f64) -> Self {
        let Soles { ways, standing, hips, slowest } = *soles;
        let stand: Vec<Vec<bool>> =
            ways.iter().zip(standing).map(|(way, stands)| per_frame(stands, way.len())).collect();
        let velocities = |points: &[DVec3]| velocities(points, frames.step, metres_per_unit);
        let body = velocities(&frames.root);
        let feet: Vec<Vec<DVec3>> = ways.iter().map(|way| velocities(way)).collect();
        let limbs: Vec<&[DVec3]> = ways.iter().map(|way| &way[..]).chain([hips]).collect();
        let rests = rests(&limbs, frames.step, metres_per_unit, slowest);
        let is_resting = per_frame(&rests, frames.root.len());
        let is_low = |foot: usize, i: usize| {
            stand[foot][i] || is_resting[i] || ((ways[foot][i].y - ground) * metres_per_unit).abs() <= HEIGHT
        };
        // Hips that sway do so over feet that go together.
        let together = |i: usize| {
            let all_low = ways.len() > 1 && (0..ways.len()).all(|foot| is_low(foot, i));
            all_low.then(|| feet.iter().map(|goes| goes[i]).sum::<DVec3>() / feet.len() as f64)
        };
        let skates = |foot: usize, i: usize| {
            let goes = feet[foot][i];
            let is_beside = |with: DVec3| (goes - with).length() <= BESIDE * goes.length();
            is_low(foot, i) && goes.length() >= slowest && (is_beside(body[i]) || together(i).is_some_and(is_beside))
        };
        let lasts = |range: &Range<usize>| (range.len() - 1) as f64 * frames.step >= SHORTEST;
        let parts = |foot: usize, spread: f64, goes: &dyn Fn(usize) -> bool| -> Vec<Range<usize>> {
            let frames: Vec<bool> = (0..ways[foot].len()).map(goes).collect();
            let steady = |range: Range<usize>| steady_parts(&feet[foot], range, spread).into_iter().filter(lasts);
            runs(&frames).into_iter().filter(lasts).flat_map(steady).collect()
        };
        let with_body: Vec<Vec<Range<usize>>> = (0..ways.len())
            .map(|foot| union(&parts(foot, STEADY, &|i| skates(foot, i)), &rests, frames.root.len()))
            .collect();
        let by_itself = |foot: usize| parts(foot, EVEN, &|i| is_low(foot, i) && feet[foot][i].length() >= slowest);
        let both =
            |(foot, with_body): (usize, &Vec<Range<usize>>)| union(with_body, &by_itself(foot), ways[foot].len());
        let of_foot = |(foot, ranges): (usize, &Vec<Range<usize>>)| -> Vec<DVec3> {
            ranges.iter().flat_map(|range| &feet[foot][range.clone()]).copied().collect()
        };
        let all: Vec<DVec3> = with_body.iter().enumerate().flat_map(of_foot).collect();
        // In the air nothing is taken along.
        let low = |foot: usize| (0..ways[foot].len()).filter(move |&i| is_low(foot, i)).count();
        let count: usize = (0..ways.len()).map(low).sum();
        let drift = steady(&all, STEADY).filter(|_| all.len() as f64 >= LEAST * count as f64);
        Self { drift, skates: with_body.iter().enumerate().map(both).collect() }
    }
}

/// Metres per second from which the body of `input` is seen to go.
pub(super) fn slowest(input: &Input) -> f64 {
    SLOWEST * smallness(input.skeleton, input.metres_per_unit)
}

/// All frames of both, of `count`.
pub(super) fn union(some: &[Range<usize>], others: &[Range<usize>], count: usize) -> Vec<Range<usize>> {
    runs(&per_frame(&[some, others].concat(), count))
}

/// When all `limbs` go along the ground as one, evenly and at one height, for a part of the time; never where the way of one is not
/// known.
fn rests(limbs: &[&[DVec3]], step: f64, metres_per_unit: f64, slowest: f64) -> Vec<Range<usize>> {
    let goes: Vec<Vec<DVec3>> = limbs.iter().map(|way| velocities_in_space(way, step, metres_per_unit)).collect();
    let Some(first) = goes.first().filter(|first| goes.iter().all(|way| way.len() == first.len())) else {
        return Vec::new();
    };
    let as_one = |a: DVec3, b: DVec3| a.distance(b) <= AS_ONE;
    let is_carried = |i: usize| {
        let along = first[i].with_y(0.0);
        along.length() >= slowest && goes.iter().all(|way| as_one(way[i], along))
    };
    let carried: Vec<bool> = (0..first.len()).map(is_carried).collect();
    // Who does so from the first frame to the last may glide.
    let lasts = |range: &Range<usize>| (range.len() - 1) as f64 * step >= RESTS && range.len() < first.len();
    runs(&carried).into_iter().flat_map(|range| steady_parts(first, range, EVEN)).filter(lasts).collect()
}

/// `range` where its velocities differ by no more than `spread`, else the parts of it in which they hardly differ from the middle
/// one: who is hit while he drifts is thrown back for a moment.
fn steady_parts(velocities: &[DVec3], range: Range<usize>, spread: f64) -> Vec<Range<usize>> {
    let is_steady = |range: &Range<usize>| steady(&velocities[range.clone()], spread).is_some();
    if is_steady(&range) {
        return vec![range];
    }
    let middle = |of: fn(&DVec3) -> f64| {
        let mut values: Vec<f64> = velocities[range.clone()].iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let usual = DVec3::new(middle(|v| v.x), 0.0, middle(|v| v.z));
    let is_near: Vec<bool> =
        velocities[range.clone()].iter().map(|v| v.distance(usual) <= spread * usual.length()).collect();
    let part = |near: Range<usize>| range.start + near.start..range.start + near.end;
    runs(&is_near).into_iter().map(part).filter(is_steady).collect()
}

/// Metres per second of `velocities` that differ from their mean by no more than `spread`, in parts of it.
fn steady(velocities: &[DVec3], spread: f64) -> Option<f64> {
    let count = velocities.len() as f64;
    let mean = velocities.iter().sum::<DVec3>() / count;
    let squares = velocities.iter().map(|velocity| velocity.distance_squared(mean)).sum::<f64>();
    Some(mean.length()).filter(|mean| (squares / count).sqrt() <= spread * mean)
}

/// Along the ground, metres per second at each point, over both neighbours.
pub(super) fn velocities(points: &[DVec3], step: f64, metres_per_unit: f64) -> Vec<DVec3> {
    velocities_in_space(points, step, metres_per_unit).into_iter().map(|velocity| velocity.with_y(0.0)).collect()
}

/// The same, up and down too.
fn velocities_in_space(points: &[DVec3], step: f64, metres_per_unit: f64) -> Vec<DVec3> {
    let last = points.len().saturating_sub(1);
    let velocity = |i: usize| {
        let (from, to) = (i.saturating_sub(1), (i + 1).min(last));
        let seconds = (to - from) as f64 * step;
        if seconds > 0.0 { (points[to] - points[from]) * metres_per_unit / seconds } else { DVec3::ZERO }
    };
    (0..points.len()).map(velocity).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hasty_frame_does_not_cut_a_steady_way_in_two() {
        let mut velocities = vec![DVec3::Z; 40];
        velocities[20] *= 1.3;
        let whole = steady_parts(&velocities, 0..40, 0.1);
        assert!(whole.len() == 1 && whole[0] == (0..40), "{whole:?}");
        // Thrown back it is another matter.
        velocities[20] *= -4.0;
        assert_eq!(steady_parts(&velocities, 0..40, 0.1), [0..20, 21..40]);
    }
}
