//! Feet that move along the ground with the body instead of standing: caused by a drifting root, or by one that
//! travels while the legs rest.

mod foot_skate;

pub use foot_skate::FootSkate;

use std::ops::Range;

use glam::DVec3;

use super::Input;
use super::frames::Frames;
use crate::contacts::{per_frame, runs};
use crate::root_motion::size_factor;

/// Maximum distance of a sole from its rest height at which it is on the ground. Tuned; no derivation recorded.
const GROUND_MAX_HEIGHT_M: f64 = 0.04;
/// Minimum visible speed of a foot on the ground, or of a mismatch between body and feet, metres per second. Scaled
/// down for small bodies.
const MIN_M_PER_SECOND: f64 = 0.1;
/// Maximum velocity difference between a carried foot and the body, as a fraction of the foot's speed. A swinging
/// foot passes this in a moment.
const CARRIED_MAX_DIFFERENCE: f64 = 0.25;
/// Minimum duration; anything shorter is a moment of a swing. Tuned; no derivation recorded.
const SKATE_MIN_SECONDS: f64 = 0.25;
/// Minimum fraction of all foot-on-ground frames in which a drifting body carries the feet. Tuned; no derivation
/// recorded.
const CARRIED_MIN_FRACTION: f64 = 0.2;
/// Maximum deviation of the velocities from their mean while a foot slides with the body, as a fraction of the mean.
/// An intended slide, as in a dodge, starts and stops. Tuned; no derivation recorded.
const WITH_BODY_MAX_SPREAD: f64 = 0.3;
/// Maximum deviation of the velocities from their mean while a foot slides independently of the body.
/// A swinging or shuffling foot starts and stops. Tuned; no derivation recorded.
const INDEPENDENT_MAX_SPREAD: f64 = 0.15;

/// Maximum velocity difference between hips and feet of a resting body that is carried along, metres per second, at
/// any height: it sits, lies or has finished. Tuned; no derivation recorded.
const AS_ONE_M_PER_SECOND: f64 = 0.03;
/// Minimum duration of such a rest; a dash passes through this in a moment. Tuned; no derivation recorded.
const REST_MIN_SECONDS: f64 = 0.15;

/// The frames in which feet skate.
pub(super) struct Skating {
    /// The skating frames of each foot, as half-open ranges in order.
    pub skates: Vec<Vec<Range<usize>>>,
    /// Speed of a body that travels evenly and carries its feet along, metres per second.
    pub drift: Option<f64>,
}

/// The soles of a body.
#[derive(Clone, Copy)]
pub(super) struct Soles<'a> {
    /// World positions of each sole in every frame.
    pub paths: &'a [Vec<DVec3>],
    /// Contact frames of each sole.
    pub standing: &'a [Vec<Range<usize>>],
    /// World positions of the hips in every frame; empty if unknown.
    pub hips: &'a [DVec3],
    /// Minimum visible speed, metres per second, see [`slowest`].
    pub slowest: f64,
}

impl Skating {
    /// Measures skating of `soles`. `ground` is the height of the lowest sole in the rest pose.
    /// Feet of a sitting or lying body are higher; they count as on the ground while they stand.
    pub fn measure(soles: &Soles, frames: &Frames, ground: f64, metres_per_unit: f64) -> Self {
        let Soles { paths, standing, hips, slowest } = *soles;
        let stand: Vec<Vec<bool>> =
            paths.iter().zip(standing).map(|(path, contacts)| per_frame(contacts, path.len())).collect();
        let velocities = |points: &[DVec3]| velocities(points, frames.step, metres_per_unit);
        let body = velocities(&frames.root);
        let feet: Vec<Vec<DVec3>> = paths.iter().map(|path| velocities(path)).collect();
        let limbs: Vec<&[DVec3]> = paths.iter().map(|path| &path[..]).chain([hips]).collect();
        let rests = rests(&limbs, frames.step, metres_per_unit, slowest);
        let is_resting = per_frame(&rests, frames.root.len());
        let is_low = |foot: usize, i: usize| {
            stand[foot][i]
                || is_resting[i]
                || ((paths[foot][i].y - ground) * metres_per_unit).abs() <= GROUND_MAX_HEIGHT_M
        };
        // The hips sway over feet that move together.
        let together = |i: usize| {
            let all_low = paths.len() > 1 && (0..paths.len()).all(|foot| is_low(foot, i));
            all_low.then(|| feet.iter().map(|velocities| velocities[i]).sum::<DVec3>() / feet.len() as f64)
        };
        let skates = |foot: usize, i: usize| {
            let velocity = feet[foot][i];
            let is_carried_by =
                |carrier: DVec3| (velocity - carrier).length() <= CARRIED_MAX_DIFFERENCE * velocity.length();
            is_low(foot, i)
                && velocity.length() >= slowest
                && (is_carried_by(body[i]) || together(i).is_some_and(is_carried_by))
        };
        let lasts = |range: &Range<usize>| (range.len() - 1) as f64 * frames.step >= SKATE_MIN_SECONDS;
        let parts = |foot: usize, spread: f64, condition: &dyn Fn(usize) -> bool| -> Vec<Range<usize>> {
            let frames: Vec<bool> = (0..paths[foot].len()).map(condition).collect();
            let steady = |range: Range<usize>| steady_parts(&feet[foot], range, spread).into_iter().filter(lasts);
            runs(&frames).into_iter().filter(lasts).flat_map(steady).collect()
        };
        let with_body: Vec<Vec<Range<usize>>> = (0..paths.len())
            .map(|foot| union(&parts(foot, WITH_BODY_MAX_SPREAD, &|i| skates(foot, i)), &rests, frames.root.len()))
            .collect();
        let independent = |foot: usize| {
            parts(foot, INDEPENDENT_MAX_SPREAD, &|i| is_low(foot, i) && feet[foot][i].length() >= slowest)
        };
        let both =
            |(foot, with_body): (usize, &Vec<Range<usize>>)| union(with_body, &independent(foot), paths[foot].len());
        let of_foot = |(foot, ranges): (usize, &Vec<Range<usize>>)| -> Vec<DVec3> {
            ranges.iter().flat_map(|range| &feet[foot][range.clone()]).copied().collect()
        };
        let all: Vec<DVec3> = with_body.iter().enumerate().flat_map(of_foot).collect();
        // Feet in the air are not carried along.
        let low = |foot: usize| (0..paths[foot].len()).filter(move |&i| is_low(foot, i)).count();
        let count: usize = (0..paths.len()).map(low).sum();
        let drift =
            steady(&all, WITH_BODY_MAX_SPREAD).filter(|_| all.len() as f64 >= CARRIED_MIN_FRACTION * count as f64);
        Self { drift, skates: with_body.iter().enumerate().map(both).collect() }
    }
}

/// Returns the minimum visible speed for the body of `input`, metres per second.
pub(super) fn slowest(input: &Input) -> f64 {
    MIN_M_PER_SECOND * size_factor(input.skeleton, input.metres_per_unit)
}

/// Returns the union of both sets of ranges over `count` frames.
pub(super) fn union(some: &[Range<usize>], others: &[Range<usize>], count: usize) -> Vec<Range<usize>> {
    runs(&per_frame(&[some, others].concat(), count))
}

/// Returns the frame ranges in which all `limbs` move along the ground as one, evenly and at one height, for part of the
/// clip. `limbs` are paths in the file's unit with points `step` seconds apart. Returns none if the path of one is unknown.
fn rests(limbs: &[&[DVec3]], step: f64, metres_per_unit: f64, slowest: f64) -> Vec<Range<usize>> {
    let velocities: Vec<Vec<DVec3>> =
        limbs.iter().map(|path| velocities_in_space(path, step, metres_per_unit)).collect();
    let Some(first) = velocities.first().filter(|first| velocities.iter().all(|path| path.len() == first.len())) else {
        return Vec::new();
    };
    let as_one = |a: DVec3, b: DVec3| a.distance(b) <= AS_ONE_M_PER_SECOND;
    let is_carried = |i: usize| {
        let along = first[i].with_y(0.0);
        along.length() >= slowest && velocities.iter().all(|path| as_one(path[i], along))
    };
    let carried: Vec<bool> = (0..first.len()).map(is_carried).collect();
    // A body that does so in every frame may be gliding.
    let lasts = |range: &Range<usize>| (range.len() - 1) as f64 * step >= REST_MIN_SECONDS && range.len() < first.len();
    runs(&carried)
        .into_iter()
        .flat_map(|range| steady_parts(first, range, INDEPENDENT_MAX_SPREAD))
        .filter(lasts)
        .collect()
}

/// Returns `range` if its `velocities` deviate by at most the fraction `spread`, else the parts of it in which they are close to
/// the median. A hit during a drift throws the body back for a moment only.
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
    let part = |inner: Range<usize>| range.start + inner.start..range.start + inner.end;
    runs(&is_near).into_iter().map(part).filter(is_steady).collect()
}

/// Returns the mean speed of `velocities`, in their unit. `None` if they deviate from their mean by more than the
/// fraction `spread` of it, or if there are none.
fn steady(velocities: &[DVec3], spread: f64) -> Option<f64> {
    let count = velocities.len() as f64;
    let mean = velocities.iter().sum::<DVec3>() / count;
    let squares = velocities.iter().map(|velocity| velocity.distance_squared(mean)).sum::<f64>();
    Some(mean.length()).filter(|mean| (squares / count).sqrt() <= spread * mean)
}

/// Returns the ground velocity at each of `points` (the file's unit, `step` seconds apart), metres per second, from both
/// neighbours.
pub(super) fn velocities(points: &[DVec3], step: f64, metres_per_unit: f64) -> Vec<DVec3> {
    velocities_in_space(points, step, metres_per_unit).into_iter().map(|velocity| velocity.with_y(0.0)).collect()
}

/// Returns the velocity at each point as [`velocities`] does, including its vertical part.
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
    fn one_fast_frame_does_not_split_a_steady_slide() {
        let mut velocities = vec![DVec3::Z; 40];
        velocities[20] *= 1.3;
        let parts = steady_parts(&velocities, 0..40, 0.1);
        assert!(parts.len() == 1 && parts[0] == (0..40), "{parts:?}");
        // A throw backwards does cut it.
        velocities[20] *= -4.0;
        assert_eq!(steady_parts(&velocities, 0..40, 0.1), [0..20, 21..40]);
    }
}
