//! Where feet shall stand: each stand on the ground under it, and how feet go from one to the next.

use std::ops::Range;

use glam::DVec3;

use super::frames::Frames;
use super::{BuildError, Input, Settings};
use crate::anim::clip_fit::BrokenClip;
use crate::anim::foot_contacts::{Walker, foot_contacts};
use crate::anim::foot_place::sole_heights;
use crate::anim::foot_shape::MeshSole;
use crate::anim::root_motion::{rest_at, rest_ground};
use crate::anim::{Leg, root_motion};
use crate::math::bridge::bridged;

/// One foot over the whole motion, world units.
pub(super) struct Foot<'a> {
    pub leg: &'a Leg,
    /// Where its sole comes in at each frame.
    pub soles: Vec<DVec3>,
    pub stands: Vec<Stand>,
    /// Its mesh, where it has one.
    pub mesh: Option<MeshSole<'a>>,
    /// Whether the motion ends as it begins, so that the foot is moved by as much at both ends.
    pub loops: bool,
}

/// A foot standing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stand {
    pub frames: Range<usize>,
    /// Where it stands along the ground, on average; its height is the ground's, with the sole above it.
    pub place: DVec3,
    /// The lowest its sole comes in.
    pub lowest: f64,
}

impl Stand {
    /// How far the ground is above where the foot came in.
    pub fn rise(&self) -> f64 {
        self.place.y - self.lowest
    }
}

/// How far a swinging foot is raised at most, as a share of the leg.
const HIGHEST: f64 = 0.35;

/// The feet of `input` and where they shall stand.
pub(super) fn feet<'a>(input: &Input<'a>, settings: &Settings, times: &[f64]) -> Result<Vec<Foot<'a>>, BuildError> {
    let count = input.skeleton.len();
    let usable = |leg: &&Leg| {
        let known = [leg.thigh, leg.shin, leg.foot].into_iter().chain(leg.toe).all(|joint| joint < count);
        known && (leg.is_chain(input.skeleton) || leg.has_foot_apart(input.skeleton))
    };
    let all = input.roles.legs.iter().enumerate().filter(|(_, leg)| usable(leg));
    let (of_leg, legs): (Vec<usize>, Vec<&Leg>) = all.unzip();
    if legs.is_empty() {
        return Err(BuildError::NoLegs);
    }
    let path = |joint: usize| root_motion::path(input.skeleton, input.clip, joint, times);
    let finite_path = |joint: usize| -> Result<Vec<DVec3>, BrokenClip> {
        let places = path(joint);
        let broken = places.iter().position(|place| !place.is_finite());
        let name = || input.skeleton.joints[joint].name.clone();
        broken.map_or(Ok(places), |at| Err(BrokenClip { joint: name(), time: times[at] }))
    };
    let soles: Vec<Vec<DVec3>> =
        legs.iter().map(|leg| finite_path(leg.toe.unwrap_or(leg.foot))).collect::<Result<_, BrokenClip>>()?;
    let body = finite_path(input.root.joint)?;
    let heights = sole_heights(input.skeleton, input.roles, &legs);
    let walker =
        Walker { soles: &soles, heights: &heights, body: &body, times, metres_per_unit: input.metres_per_unit };
    let [from, to] = input.within;
    let is_within = |frames: &Range<usize>| times[frames.start] <= to && times[frames.end - 1] >= from;
    let mut found = foot_contacts(&walker);
    found.iter_mut().for_each(|stands| stands.retain(is_within));
    check_body(input, &walker, &found)?;
    let mut feet: Vec<Foot> = Vec::new();
    let mut off: Option<OffGround> = None;
    for (((leg, soles), ranges), of_leg) in legs.into_iter().zip(soles).zip(found).zip(of_leg) {
        let mesh = MeshSole::find(input.skeleton, input.soles, of_leg);
        let mut foot = Foot { leg, soles, stands: Vec::new(), mesh, loops: false };
        for frames in ranges {
            match stand(input, settings, &foot, frames, times) {
                Ok(stand) => foot.stands.push(stand),
                Err(error) if off.is_none_or(|off| error.time < off.time) => off = Some(error),
                Err(_) => {}
            }
        }
        feet.push(foot);
    }
    off.map_or(Ok(feet), |off| Err(off.told(input)))
}

/// A joint where there is no ground.
#[derive(Clone, Copy, Debug)]
struct OffGround {
    /// In the world, metres.
    place: DVec3,
    time: f64,
    joint: usize,
}

impl OffGround {
    fn told(self, input: &Input) -> BuildError {
        let Self { place, time, joint } = self;
        BuildError::OffGround { place, time, joint: input.skeleton.joints[joint].name.clone() }
    }
}

/// The ground has to be under the body wherever a foot stands.
fn check_body(input: &Input, walker: &Walker, stands: &[Vec<Range<usize>>]) -> Result<(), BuildError> {
    let stands = |i: &usize| stands.iter().flatten().any(|frames| frames.contains(i));
    for i in (0..walker.times.len()).filter(stands) {
        // From the height of the feet: the root may be hips a metre above another floor.
        let lowest = walker.soles.iter().map(|soles| soles[i].y).fold(f64::INFINITY, f64::min);
        let place = walker.body[i].with_y(lowest) * input.metres_per_unit;
        if (input.ground)(place).is_none() {
            return Err(OffGround { place, time: walker.times[i], joint: input.root.joint }.told(input));
        }
    }
    Ok(())
}

fn stand(
    input: &Input,
    settings: &Settings,
    foot: &Foot,
    frames: Range<usize>,
    times: &[f64],
) -> Result<Stand, OffGround> {
    let soles = &foot.soles;
    let frames = resting(input, soles, frames, times);
    // The middle half: at either end a foot still rolls.
    let quarter = frames.len() / 4;
    let middle = frames.start + quarter..frames.end - quarter;
    let mean = soles[middle.clone()].iter().sum::<DVec3>() / middle.len() as f64;
    let lowest = soles[frames.clone()].iter().map(|sole| sole.y).fold(f64::INFINITY, f64::min);
    let unit = input.metres_per_unit;
    let place = mean.with_y(lowest) * unit;
    let time = times[middle.start.midpoint(middle.end).min(times.len() - 1)];
    let joint = foot.sole();
    let height = (input.ground)(place).filter(|height| height.is_finite());
    let off = OffGround { place, time, joint };
    // A foot that stands on its heel has its toes in the air: it touches the ground where its mesh does. One on its side is nearer to
    // the ground than its joint at rest, but is let down no farther than that.
    let touches = |i: usize| {
        let mesh = foot.mesh.as_ref()?;
        Some(
            lowest - rest_at(input.skeleton, joint).translation.y
                + mesh.depth(input.skeleton, &input.clip.pose_at(input.skeleton, times[i])),
        )
    };
    let below = middle.filter_map(touches).fold(0.0, f64::max);
    let height = height.ok_or(off)? / unit + sole_height(input, settings, joint) + below;
    Ok(Stand { frames, place: mean.with_y(height), lowest })
}

/// The frames of a stand without those at its ends in which the foot comes down and lifts: it goes quicker there than in the middle,
/// where a foot that slides goes evenly.
fn resting(input: &Input, soles: &[DVec3], frames: Range<usize>, times: &[f64]) -> Range<usize> {
    // Metres per second and metres that are still rest: what captured feet tremble.
    const QUICK: f64 = 0.1;
    const HIGH: f64 = 0.02;
    let unit = input.metres_per_unit;
    let speed = |i: usize| (soles[i] - soles[i - 1]).with_y(0.0).length() / (times[i] - times[i - 1]) * unit;
    let quarter = frames.len() / 4;
    let mut speeds: Vec<f64> = (frames.start.max(1) + quarter..frames.end - quarter).map(speed).collect();
    speeds.sort_by(f64::total_cmp);
    let usual = speeds.get(speeds.len() / 2).copied().unwrap_or(0.0);
    let lowest = soles[frames.clone()].iter().map(|sole| sole.y).fold(f64::INFINITY, f64::min);
    let is_quick = |i: usize| speed(i) > 1.5 * usual + QUICK;
    let is_high = |i: usize| (soles[i].y - lowest) * unit > HIGH;
    let Range { mut start, mut end } = frames;
    while end - start > 2 && (is_quick(start + 1) || is_high(start)) {
        start += 1;
    }
    while end - start > 2 && (is_quick(end - 1) || is_high(end - 1)) {
        end -= 1;
    }
    start..end
}

/// How far the sole's joint is above the ground on which the rest pose stands, world units.
pub(super) fn sole_height(input: &Input, settings: &Settings, joint: usize) -> f64 {
    if let Some(metres) = settings.sole {
        return metres / input.metres_per_unit;
    }
    (rest_at(input.skeleton, joint).translation.y - rest_ground(input.skeleton)).max(0.0)
}

/// How far the body rises at each frame: as the ground under the standing feet, softly over `softness` seconds.
pub(super) fn body_rise(feet: &[Foot], frames: Frames, softness: f64) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); frames.times.len()];
    for stand in feet.iter().flat_map(|foot| &foot.stands) {
        stand.frames.clone().for_each(|i| sums[i] = (sums[i].0 + stand.rise(), sums[i].1 + 1.0));
    }
    if let ([first, .., last], true) = (&mut sums[..], frames.loops) {
        *first = (first.0 + last.0, first.1 + last.1);
        *last = *first;
    }
    let known: Vec<Option<f64>> = sums.into_iter().map(|(sum, count)| (count > 0.0).then(|| sum / count)).collect();
    frames.over_seam(&known, |known, times| soft_rise(known, times, softness))
}

/// What is `known` of a rise, and evenly from one to the next in between.
fn soft_rise(known: &[Option<f64>], times: &[f64], softness: f64) -> Vec<f64> {
    let mut filled = Vec::with_capacity(times.len());
    let mut last: Option<(usize, f64)> = None;
    let mut next = 0;
    for i in 0..times.len() {
        next = (i.max(next)..times.len()).find(|&at| known[at].is_some()).unwrap_or(times.len());
        let after = known.get(next).copied().flatten();
        let value = match (last, after) {
            (Some((from, before)), Some(after)) => {
                before
                    + (after - before) * (times[i] - times[from]) / (times[next] - times[from]).max(f64::MIN_POSITIVE)
            }
            (before, after) => after.or(before.map(|(_, before)| before)).unwrap_or(0.0),
        };
        let value = known[i].unwrap_or(value);
        last = if known[i].is_some() { Some((i, value)) } else { last };
        filled.push(value);
    }
    // Twice a mean over half of it is a mean without kinks.
    let once = mean_around(&filled, times, 0.25 * softness);
    mean_around(&once, times, 0.25 * softness)
}

/// The mean of `values` within `seconds` of each time. Where all are equal it is that value to the last bit.
pub(super) fn mean_around(values: &[f64], times: &[f64], seconds: f64) -> Vec<f64> {
    let (mut from, mut until) = (0, 0);
    let mean = |&time: &f64| {
        while times[from] < time - seconds {
            from += 1;
        }
        while times.get(until).is_some_and(|&next| next <= time + seconds) {
            until += 1;
        }
        let near = &values[from..until];
        let base = near[0];
        base + near.iter().map(|value| value - base).sum::<f64>() / near.len() as f64
    };
    times.iter().map(mean).collect()
}

impl Foot<'_> {
    /// The joint that stands for its sole.
    pub fn sole(&self) -> usize {
        self.leg.toe.unwrap_or(self.leg.foot)
    }

    /// The farthest that it slides along the ground while it stands, world units.
    pub fn slide(&self) -> f64 {
        let of_stand = |stand: &Stand| {
            let from = self.soles[stand.frames.start];
            self.soles[stand.frames.clone()].iter().map(|sole| (*sole - from).with_y(0.0).length()).fold(0.0, f64::max)
        };
        self.stands.iter().map(of_stand).fold(0.0, f64::max)
    }

    /// Where the sole shall be at each frame of a body that has risen by `rises`; `highest` is the most a step is raised.
    pub fn path(&self, input: &Input, settings: &Settings, times: &[f64], rises: &[f64], leg: f64) -> Vec<DVec3> {
        let mut known: Vec<Option<DVec3>> = vec![None; times.len()];
        for stand in &self.stands {
            for i in stand.frames.clone() {
                let along = if settings.hold_feet { stand.place - self.soles[i] } else { DVec3::ZERO };
                known[i] = Some(along.with_y(stand.rise() - rises[i]));
            }
        }
        let last = times.len() - 1;
        let held = known[0].or(known[last]).filter(|_| self.loops).map_or(DVec3::ZERO, |offset| offset.with_y(0.0));
        for (i, stand) in [(0, self.stands.first()), (last, self.stands.last())] {
            known[i] = known[i].or(stand.map(|stand| held + self.as_high(input, i, stand) - DVec3::Y * rises[i]));
        }
        let offsets = bridged(&known, times);
        let mut path: Vec<DVec3> = (0..times.len()).map(|i| self.soles[i] + DVec3::Y * rises[i] + offsets[i]).collect();
        for pair in self.stands.windows(2) {
            let swing = pair[0].frames.end..pair[1].frames.start;
            let sole = pair[0].place.y - under(input, pair[0].place).unwrap_or(pair[0].place.y);
            clear(input, &mut path[swing], sole, HIGHEST * leg);
        }
        path
    }

    /// What brings the sole at frame `i` as high over the ground there as it comes in over that of `stand`.
    fn as_high(&self, input: &Input, i: usize, stand: &Stand) -> DVec3 {
        let here = under(input, self.soles[i].with_y(stand.place.y));
        let rise = here.zip(under(input, stand.place)).map_or(0.0, |(here, there)| here - there);
        DVec3::Y * (stand.rise() + rise)
    }
}

/// The ground under a stand's sole, world units.
pub(super) fn under(input: &Input, place: DVec3) -> Option<f64> {
    (input.ground)(place * input.metres_per_unit).map(|height| height / input.metres_per_unit)
}

/// Raises the swing `path` where the ground between two stands is higher than the way over it, by `most` at most.
fn clear(input: &Input, path: &mut [DVec3], sole: f64, most: f64) {
    let count = path.len();
    let bump = |i: usize| (std::f64::consts::PI * (i as f64 + 1.0) / (count as f64 + 1.0)).sin().powi(2);
    let needed = |(i, place): (usize, &DVec3)| {
        let ground = under(input, *place)?;
        // Near its ends a swing is as low as a stand.
        (bump(i) > 0.15).then(|| (ground + sole - place.y) / bump(i))
    };
    let raise = path.iter().enumerate().filter_map(needed).fold(0.0, f64::max).min(most);
    if raise > 0.0 {
        path.iter_mut().enumerate().for_each(|(i, place)| place.y += raise * bump(i));
    }
}
