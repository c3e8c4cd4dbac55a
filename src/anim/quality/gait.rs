//! Gaits whose feet never stand because the body travels at another speed than they imply. On the spot this is
//! intended; with a drifting body it is a fault.

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;

use super::Input;
use super::feet::Feet;
use super::frames::Frames;
use super::seam::LoopGap;
use super::skating::slowest;
use crate::Clip;
use crate::root_motion::path;
use crate::root_synthesis::{Agreement, FeetTravel};
use crate::travelling::travelling;
use portamento_base::progress::{Cancelled, Progress};

/// Minimum fraction of the time for which a foot stands in a gait that matches its feet. Tuned; no derivation
/// recorded.
const STANDING_MIN_FRACTION: f64 = 0.08;
/// Maximum standing time of a mismatched gait, as a fraction of its standing time at the matching speed. Tuned; no
/// derivation recorded.
const MISMATCH_MAX_RATIO: f64 = 0.5;
/// Minimum ratio of foot slip to body speed for a body slower than [`GALLOP_MIN_M_PER_SECOND`] whose feet hardly
/// stand at their own speed either. Tuned; no derivation recorded.
const SLIP_MIN_RATIO: f64 = 3.0;
/// Minimum speed of a gait whose feet hardly stand, metres per second.
const GALLOP_MIN_M_PER_SECOND: f64 = 1.0;
/// Maximum loop gap at which the end is the start of another cycle, as a fraction of the body's size. Tuned; no
/// derivation recorded.
const CYCLE_MAX_GAP: f64 = 0.2;
/// Maximum sway of evenly travelling body around its mean motion, as a fraction of its path. Tuned; no derivation
/// recorded.
const SWAY_MAX_FRACTION: f64 = 0.12;
/// Minimum speed of an evenly travelling body in the first and the last eighth of the clip, as a fraction of its mean
/// speed.
/// A dodge starts and stops. Tuned; no derivation recorded.
const END_SPEED_MIN_FRACTION: f64 = 0.5;
/// Speed in the first or the last eighth of the clip below which a body rests, as a fraction of its mean speed.
/// Tuned; no derivation recorded.
const REST_MAX_SPEED_FRACTION: f64 = 0.2;

/// Maximum movement of feet that stay behind, as a fraction of the distance by which the body leaves them. Tuned; no
/// derivation recorded.
const LEFT_BEHIND_MAX_FRACTION: f64 = 0.1;

/// Speed difference within which speeds count as equal, metres per second. Tuned; no derivation recorded.
const SAME_SPEED_M_PER_SECOND: f64 = 0.1;
/// Fraction of their standing time for which feet must share one velocity for the body to carry them. Tuned; no
/// derivation recorded.
const AGREED_MIN_FRACTION: f64 = 0.5;
/// Minimum fraction of the clip for which feet must stand for that. Tuned; no derivation recorded.
const STOOD_MIN_FRACTION: f64 = 0.3;

/// A gait on the spot, measured at the speed at which it would travel.
pub(super) struct OnTheSpot {
    /// Speed along the ground, metres per second.
    pub speed: f64,
    /// Figures of its feet at that speed.
    pub feet: Option<Feet>,
    /// World positions of the joint that carries the body at that speed, in the file's unit, one per frame.
    pub root: Vec<DVec3>,
}

impl OnTheSpot {
    /// Measures a gait on the spot; `Ok(None)` if the clip is none. Returns `Err` if `progress` is cancelled.
    pub fn measure(input: &Input, frames: &Frames, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
        let Some(gait) = travelling(skeleton, clip, roles, 1.0 / frames.step, metres_per_unit) else { return Ok(None) };
        let input = Input { clip: &gait.clip, ..*input };
        let frames = Frames::sample(&input, progress)?;
        let feet = frames.as_ref().and_then(|frames| Feet::measure(&input, frames));
        Ok(Some(Self { speed: gait.speed, feet, root: frames.map_or_else(Vec::new, |frames| frames.root) }))
    }
}

/// Feet and loop gap of a clip as it is, before a gait on the spot or a drift is considered.
pub(super) struct Standing {
    pub feet: Option<Feet>,
    pub residue: LoopGap,
}

/// Returns the figures of a gait whose body travels elsewhere than its feet imply, so that they slide all the time; `None` for
/// every other motion. Returns `Err` if `progress` is cancelled.
pub(super) fn skating_feet(
    input: &Input,
    frames: &Frames,
    Standing { feet, residue }: &Standing,
    progress: &Progress,
) -> Result<Option<Feet>, Cancelled> {
    let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
    let per_second = metres_per_unit / clip.duration.max(f64::MIN_POSITIVE);
    // A dodge or a fall does not travel evenly; one cycle of a gait may count, however far the body sways. A body
    // that spins or comes to rest is in no cycle.
    let last = frames.root.len() - 1;
    let spins = frames.headings.iter().any(|heading| (heading - frames.headings[0]).abs() > FRAC_PI_2);
    let is_cycle = residue.place <= CYCLE_MAX_GAP && !spins && !comes_to_rest(&frames.root);
    let cycle = is_cycle.then(|| (frames.root[last] - frames.root[0]).with_y(0.0).length());
    let speed = per_second * even_travel(&frames.root).or(cycle).unwrap_or(0.0);
    let standing = feet.map_or(0.0, |feet| feet.standing);
    if speed < slowest(input) || feet.is_some_and(|feet| feet.drift.is_some()) {
        return Ok(None);
    }
    let Ok(feet_travel) = FeetTravel::find(skeleton, clip, roles, 1.0 / frames.step, metres_per_unit) else {
        return Ok(None);
    };
    // Resting feet do not move with the body, although it leaves them.
    let Agreement { standing: down, agreed: rests } =
        feet_travel.agreement(DVec3::ZERO, slowest(input) / metres_per_unit);
    // Feet that are hardly ever down in a motion that is no cycle are unreliable: sitting down lifts them off the
    // ground.
    let is_reliable = rests < AGREED_MIN_FRACTION * down && (is_cycle || down >= STOOD_MIN_FRACTION * clip.duration);
    let Some(carried) = feet_travel.carry(skeleton, clip).ok().filter(|_| is_reliable) else { return Ok(None) };
    let input = Input { clip: &carried, ..*input };
    let Some(carried) = Frames::sample(&input, progress)? else { return Ok(None) };
    // The joint that drifts may be an ancestor of the one that the feet carry.
    let carried = Frames { root: path(skeleton, input.clip, feet_travel.root.joint, &carried.times), ..carried };
    // Not every joint that travels carries the computed motion.
    let body = roles.hips.unwrap_or(frames.carrier);
    let travel = |clip: &Clip| {
        let ends = path(skeleton, clip, body, &[0.0, clip.duration]);
        (ends[1] - ends[0]).with_y(0.0)
    };
    let slip = per_second * (travel(input.clip) - travel(clip)).length();
    let is_far = cycle.is_some()
        && standing < STANDING_MIN_FRACTION
        && speed < GALLOP_MIN_M_PER_SECOND
        && slip >= SLIP_MIN_RATIO * speed;
    let matches_feet =
        |carried: &Feet| carried.standing >= STANDING_MIN_FRACTION && standing < MISMATCH_MAX_RATIO * carried.standing;
    let feet = Feet::measure(&input, &carried).filter(|carried| is_far || matches_feet(carried));
    let skates =
        |carried: Feet| Feet { standing, slide: Some(100.0 * slip), slide_peak: None, drift: Some(slip), ..carried };
    Ok(feet.filter(|_| slip >= slowest(&input)).map(skates))
}

/// Returns the figures of a motion whose feet move along the ground at one speed whenever they stand, because its
/// body drifts.
/// Returns `None` for every other motion; gaits on the spot are excluded by the caller.
pub(super) fn drifting_feet(input: &Input, frames: &Frames, feet: &Feet) -> Option<Feet> {
    let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
    let travel = FeetTravel::find(skeleton, clip, roles, 1.0 / frames.step, metres_per_unit).ok()?;
    let usual = travel.usual_velocity();
    let drift = metres_per_unit * usual.length();
    let Agreement { standing, agreed } = travel.agreement(usual, SAME_SPEED_M_PER_SECOND / metres_per_unit);
    let drifts = drift >= slowest(input)
        && standing >= STOOD_MIN_FRACTION * clip.duration
        && agreed >= AGREED_MIN_FRACTION * standing;
    let slide = feet.slide.unwrap_or(0.0).max(100.0 * drift);
    drifts.then_some(Feet { slide: Some(slide), drift: Some(drift), ..*feet })
}

/// Returns the figures of a body that travels evenly and leaves resting feet behind, because they are not its
/// descendants; `None` for every other motion.
pub(super) fn left_behind(input: &Input, frames: &Frames, feet: &Feet) -> Option<Feet> {
    let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
    let soles = roles.legs.iter().map(|leg| leg.toe.unwrap_or(leg.foot)).filter(|&sole| sole < skeleton.len());
    let paths: Vec<Vec<DVec3>> = soles
        .map(|sole| (!skeleton.is_within(sole, frames.carrier)).then(|| path(skeleton, clip, sole, &frames.times)))
        .collect::<Option<_>>()?;
    let middle = |frame: usize| paths.iter().map(|path| path[frame]).sum::<DVec3>() / paths.len() as f64;
    let relative: Vec<DVec3> = (0..frames.root.len()).map(|frame| frames.root[frame] - middle(frame)).collect();
    let left = even_travel(&relative).filter(|_| !paths.is_empty())?;
    let stays =
        |path: &Vec<DVec3>| (path[path.len() - 1] - path[0]).with_y(0.0).length() <= LEFT_BEHIND_MAX_FRACTION * left;
    let drift = left * metres_per_unit / clip.duration.max(f64::MIN_POSITIVE);
    let slide = feet.slide.unwrap_or(0.0).max(100.0 * drift);
    let drifts = drift >= slowest(input) && paths.iter().all(stays);
    drifts.then_some(Feet { slide: Some(slide), drift: Some(drift), ..*feet })
}

/// Returns `feet` of a drifting body with the drift of the feet that rest, lie or sit, if any, since the others may
/// move on their own.
pub(super) fn with_drift_of_resting_feet(input: &Input, frames: &Frames, feet: Feet) -> Feet {
    let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
    let travel =
        feet.drift.and_then(|_| FeetTravel::find(skeleton, clip, roles, 1.0 / frames.step, metres_per_unit).ok());
    let even = travel.and_then(|travel| travel.even_velocity()).map(|velocity| metres_per_unit * velocity.length());
    let even = even.filter(|&speed| speed >= slowest(input));
    Feet { drift: even.or(feet.drift), drifts_at_rest: even.is_some(), ..feet }
}

/// Returns the distance along the ground from the first of `positions` to the last, in their unit, if the body travels evenly;
/// `None` if it sways, stops or turns back. There is at least one position, and they are equally spaced in time.
pub(super) fn even_travel(positions: &[DVec3]) -> Option<f64> {
    let last = positions.len() - 1;
    let travel = (positions[last] - positions[0]).with_y(0.0);
    let part = |i: usize| i as f64 / last.max(1) as f64;
    let sways =
        |(i, position): (usize, &DVec3)| (*position - positions[0] - travel * part(i)).with_y(0.0).length_squared();
    let sway = positions.iter().enumerate().map(sways).sum::<f64>() / positions.len() as f64;
    let eighth = last.div_ceil(8);
    let keeps_moving = |from: usize, to: usize| {
        (positions[to] - positions[from]).dot(travel)
            >= END_SPEED_MIN_FRACTION * part(to - from) * travel.length_squared()
    };
    let is_even = sway.sqrt() <= SWAY_MAX_FRACTION * travel.length()
        && keeps_moving(0, eighth)
        && keeps_moving(last - eighth, last);
    is_even.then_some(travel.length())
}

/// True if a body at `positions`, equally spaced in time, rests in the first or the last eighth of the time: its speed along the
/// ground is then less than [`REST_MAX_SPEED_FRACTION`] of its mean speed.
fn comes_to_rest(positions: &[DVec3]) -> bool {
    let last = positions.len() - 1;
    let eighth = last.div_ceil(8);
    let length = |from: usize, to: usize| -> f64 {
        positions[from..=to].windows(2).map(|pair| (pair[1] - pair[0]).with_y(0.0).length()).sum()
    };
    let slower = length(0, eighth).min(length(last - eighth, last));
    slower * (last as f64) < REST_MAX_SPEED_FRACTION * length(0, last) * eighth as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn travels_evenly(position: impl Fn(f64) -> DVec3) -> bool {
        even_travel(&(0..=40).map(|i| position(f64::from(i) / 40.0)).collect::<Vec<_>>()).is_some()
    }

    #[test]
    fn a_swaying_body_travels_evenly_and_a_dodging_one_does_not() {
        let turn = std::f64::consts::TAU;
        let sways = |t: f64| DVec3::new(0.3 * t, 0.0, 0.04 * (turn * t).sin());
        let lurches = |t: f64| DVec3::new(0.3 * t + 0.012 * (2.0 * turn * t).sin(), 0.0, 0.0);
        let dodges = |t: f64| DVec3::X * 0.5 * t * t * (3.0 - 2.0 * t);
        let turns_back = |t: f64| DVec3::X * (turn * t).sin();
        let found =
            [travels_evenly(sways), travels_evenly(lurches), travels_evenly(dodges), travels_evenly(turns_back)];
        assert_eq!(found, [true, true, false, false]);
        assert_eq!(even_travel(&[DVec3::ZERO]), Some(0.0), "a clip of one frame travels nowhere");
        let hops = |t: f64| dodges((t / 0.8).min(1.0));
        let rests = |position: &dyn Fn(f64) -> DVec3| {
            comes_to_rest(&(0..=40).map(|i| position(f64::from(i) / 40.0)).collect::<Vec<_>>())
        };
        assert_eq!([rests(&sways), rests(&lurches), rests(&hops), rests(&turns_back)], [false, false, true, false]);
        assert!(!comes_to_rest(&[DVec3::ZERO]));
    }
}
