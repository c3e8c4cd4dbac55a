//! Gaits whose feet never stand, because the body goes at another speed than they tell: those on the spot do so on purpose, those
//! that are taken along by something else do not.

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;

use super::Input;
use super::feet::Feet;
use super::frames::Frames;
use super::seam::Residue;
use super::skating::slowest;
use crate::anim::Clip;
use crate::anim::root_motion::path;
use crate::anim::root_synthesis::{Agreement, FeetTravel};
use crate::anim::travelling::travelling;
use crate::progress::{Cancelled, Progress};

/// Share of the time that a foot stands in a gait that goes as fast as its feet tell, at least.
const STANDING: f64 = 0.08;
/// Up to which part of that its feet stand in one that does not.
const LEFT: f64 = 0.5;
/// How many times as fast as a body that is slower than [`GALLOP`] the feet go by it where no walk is meant, though they hardly stand at
/// their own speed either.
const FAR: f64 = 3.0;
/// Metres per second that no gait is slower than whose feet hardly stand.
const GALLOP: f64 = 1.0;
/// Parts of the body's size up to which an end is the start of another cycle.
const CYCLE: f64 = 0.2;
/// How far a body that goes evenly sways beside where it would be at its mean speed, in parts of its whole way.
const SWAY: f64 = 0.12;
/// Share of its mean speed at which a body that goes on still goes in the first and the last eighth of the time: a dodge starts
/// and stops.
const GOES_ON: f64 = 0.5;
/// Part of its mean speed below which a body rests in the first or the last eighth of the time.
const AT_REST: f64 = 0.2;

/// Part of the way on which a body leaves its feet up to which these stay.
const STAYS: f64 = 0.1;

/// Metres per second within which speeds are one.
const NEAR: f64 = 0.1;
/// Share of the time in which they stand from which feet that tell of one speed are taken along by the body.
const AGREED: f64 = 0.5;
/// Share of the clip in which a foot, or several together, have to stand for that.
const STOOD: f64 = 0.3;

/// A gait on the spot, as it would travel.
pub(super) struct OnTheSpot {
    /// Metres per second along the ground.
    pub speed: f64,
    /// How its feet stand while it goes that fast.
    pub feet: Option<Feet>,
}

impl OnTheSpot {
    pub fn measure(input: &Input, frames: &Frames, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
        let Some(gait) = travelling(skeleton, clip, roles, 1.0 / frames.step, metres_per_unit) else { return Ok(None) };
        let input = Input { clip: &gait.clip, ..*input };
        let frames = Frames::sample(&input, progress)?;
        Ok(Some(Self { speed: gait.speed, feet: frames.and_then(|frames| Feet::measure(&input, &frames)) }))
    }
}

/// What was measured of a motion as it is.
pub(super) struct Standing {
    pub feet: Option<Feet>,
    pub residue: Residue,
}

/// The feet of a gait whose body goes elsewhere than they tell, so that they slide all the time; `None` for every other motion.
pub(super) fn skating_feet(
    input: &Input,
    frames: &Frames,
    Standing { feet, residue }: &Standing,
    progress: &Progress,
) -> Result<Option<Feet>, Cancelled> {
    let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
    let per_second = metres_per_unit / clip.duration.max(f64::MIN_POSITIVE);
    // Who dodges or falls does not go evenly; one cycle of a gait may, however far the body sways. Who spins, or comes to rest, is in
    // none.
    let last = frames.root.len() - 1;
    let spins = frames.headings.iter().any(|heading| (heading - frames.headings[0]).abs() > FRAC_PI_2);
    let is_cycle = residue.place <= CYCLE && !spins && !comes_to_rest(&frames.root);
    let cycle = is_cycle.then(|| (frames.root[last] - frames.root[0]).with_y(0.0).length());
    let goes = per_second * even_travel(&frames.root).or(cycle).unwrap_or(0.0);
    let standing = feet.map_or(0.0, |feet| feet.standing);
    if goes < slowest(input) || feet.is_some_and(|feet| feet.drift.is_some()) {
        return Ok(None);
    }
    let Ok(told) = FeetTravel::find(skeleton, clip, roles, 1.0 / frames.step, metres_per_unit) else { return Ok(None) };
    // Feet that rest do not go with a body, though it leaves them.
    let Agreement { standing: down, agreed: rests } = told.agreement(DVec3::ZERO, slowest(input) / metres_per_unit);
    // Nor do those that are hardly ever down in what does not come round: who sits down takes them off the ground.
    let tells = rests < AGREED * down && (is_cycle || down >= STOOD * clip.duration);
    let Some(made) = told.carry(skeleton, clip).ok().filter(|_| tells) else { return Ok(None) };
    let input = Input { clip: &made, ..*input };
    let Some(made) = Frames::sample(&input, progress)? else { return Ok(None) };
    // What drifts may be above what the feet carry along.
    let made = Frames { root: path(skeleton, input.clip, told.root.joint, &made.times), ..made };
    // Not every joint that travels carries what was made.
    let body = roles.hips.unwrap_or(frames.carrier);
    let travel = |clip: &Clip| {
        let ends = path(skeleton, clip, body, &[0.0, clip.duration]);
        (ends[1] - ends[0]).with_y(0.0)
    };
    let slip = per_second * (travel(input.clip) - travel(clip)).length();
    let is_far = cycle.is_some() && standing < STANDING && goes < GALLOP && slip >= FAR * goes;
    let stands = |made: &Feet| made.standing >= STANDING && standing < LEFT * made.standing;
    let feet = Feet::measure(&input, &made).filter(|made| is_far || stands(made));
    let skates = |made: Feet| Feet { standing, slide: Some(100.0 * slip), drift: Some(slip), ..made };
    Ok(feet.filter(|_| slip >= slowest(&input)).map(skates))
}

/// The feet of a motion that is no gait on the spot, though whenever they stand they go along the ground at one speed: its body
/// drifts. `None` for every other motion.
pub(super) fn drifting_feet(input: &Input, frames: &Frames, feet: &Feet) -> Option<Feet> {
    let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
    let travel = FeetTravel::find(skeleton, clip, roles, 1.0 / frames.step, metres_per_unit).ok()?;
    let usual = travel.usual_velocity();
    let drift = metres_per_unit * usual.length();
    let Agreement { standing, agreed } = travel.agreement(usual, NEAR / metres_per_unit);
    let drifts = drift >= slowest(input) && standing >= STOOD * clip.duration && agreed >= AGREED * standing;
    let slide = feet.slide.unwrap_or(0.0).max(100.0 * drift);
    drifts.then_some(Feet { slide: Some(slide), drift: Some(drift), ..*feet })
}

/// The feet of a body that goes on evenly and leaves them where they rest, since they hang beside it. `None` for every other motion.
pub(super) fn left_behind(input: &Input, frames: &Frames, feet: &Feet) -> Option<Feet> {
    let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
    let soles = roles.legs.iter().map(|leg| leg.toe.unwrap_or(leg.foot)).filter(|&sole| sole < skeleton.len());
    let ways: Vec<Vec<DVec3>> = soles
        .map(|sole| (!skeleton.is_within(sole, frames.carrier)).then(|| path(skeleton, clip, sole, &frames.times)))
        .collect::<Option<_>>()?;
    let middle = |frame: usize| ways.iter().map(|way| way[frame]).sum::<DVec3>() / ways.len() as f64;
    let beside: Vec<DVec3> = (0..frames.root.len()).map(|frame| frames.root[frame] - middle(frame)).collect();
    let left = even_travel(&beside).filter(|_| !ways.is_empty())?;
    let stays = |way: &Vec<DVec3>| (way[way.len() - 1] - way[0]).with_y(0.0).length() <= STAYS * left;
    let drift = left * metres_per_unit / clip.duration.max(f64::MIN_POSITIVE);
    let slide = feet.slide.unwrap_or(0.0).max(100.0 * drift);
    let drifts = drift >= slowest(input) && ways.iter().all(stays);
    drifts.then_some(Feet { slide: Some(slide), drift: Some(drift), ..*feet })
}

/// `feet` of a body that drifts: as fast as those tell that rest, lie or sit, where some do, since the others may move by themselves.
pub(super) fn told_by_rest(input: &Input, frames: &Frames, feet: Feet) -> Feet {
    let Input { skeleton, clip, roles, metres_per_unit, .. } = *input;
    let travel =
        feet.drift.and_then(|_| FeetTravel::find(skeleton, clip, roles, 1.0 / frames.step, metres_per_unit).ok());
    let even = travel.and_then(|travel| travel.even_velocity()).map(|velocity| metres_per_unit * velocity.length());
    let even = even.filter(|&speed| speed >= slowest(input));
    Feet { drift: even.or(feet.drift), drifts_at_rest: even.is_some(), ..feet }
}

/// The way along the ground from the first of `places`, which are equally far apart in time, to the last, where the body goes evenly.
pub(super) fn even_travel(places: &[DVec3]) -> Option<f64> {
    let last = places.len() - 1;
    let way = (places[last] - places[0]).with_y(0.0);
    let part = |i: usize| i as f64 / last.max(1) as f64;
    let sways = |(i, place): (usize, &DVec3)| (*place - places[0] - way * part(i)).with_y(0.0).length_squared();
    let sway = places.iter().enumerate().map(sways).sum::<f64>() / places.len() as f64;
    let eighth = last.div_ceil(8);
    let goes_on = |from: usize, to: usize| {
        (places[to] - places[from]).dot(way) >= GOES_ON * part(to - from) * way.length_squared()
    };
    let is_even = sway.sqrt() <= SWAY * way.length() && goes_on(0, eighth) && goes_on(last - eighth, last);
    is_even.then_some(way.length())
}

/// Whether a body at `places`, which are equally far apart in time, rests in the first eighth of the time or in the last, though not
/// in between.
fn comes_to_rest(places: &[DVec3]) -> bool {
    let last = places.len() - 1;
    let eighth = last.div_ceil(8);
    let length = |from: usize, to: usize| -> f64 {
        places[from..=to].windows(2).map(|pair| (pair[1] - pair[0]).with_y(0.0).length()).sum()
    };
    let slower = length(0, eighth).min(length(last - eighth, last));
    slower * (last as f64) < AT_REST * length(0, last) * eighth as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goes_evenly(place: impl Fn(f64) -> DVec3) -> bool {
        even_travel(&(0..=40).map(|i| place(f64::from(i) / 40.0)).collect::<Vec<_>>()).is_some()
    }

    #[test]
    fn a_body_that_sways_goes_evenly_and_one_that_dodges_does_not() {
        let turn = std::f64::consts::TAU;
        let sways = |t: f64| DVec3::new(0.3 * t, 0.0, 0.04 * (turn * t).sin());
        let lurches = |t: f64| DVec3::new(0.3 * t + 0.012 * (2.0 * turn * t).sin(), 0.0, 0.0);
        let dodges = |t: f64| DVec3::X * 0.5 * t * t * (3.0 - 2.0 * t);
        let turns_back = |t: f64| DVec3::X * (turn * t).sin();
        let found = [goes_evenly(sways), goes_evenly(lurches), goes_evenly(dodges), goes_evenly(turns_back)];
        assert_eq!(found, [true, true, false, false]);
        assert_eq!(even_travel(&[DVec3::ZERO]), Some(0.0), "a clip of one frame goes nowhere");
        let hops = |t: f64| dodges((t / 0.8).min(1.0));
        let rests = |place: &dyn Fn(f64) -> DVec3| {
            comes_to_rest(&(0..=40).map(|i| place(f64::from(i) / 40.0)).collect::<Vec<_>>())
        };
        assert_eq!([rests(&sways), rests(&lurches), rests(&hops), rests(&turns_back)], [false, false, true, false]);
        assert!(!comes_to_rest(&[DVec3::ZERO]));
    }
}
