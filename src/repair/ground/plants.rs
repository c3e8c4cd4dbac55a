//! Foot goals: each stance on the ground below it, and the swings between stances.

use std::ops::Range;

use glam::DVec3;

use super::frames::Frames;
use super::{BuildError, Input, Settings};
use portamento_anim::clip_fit::BrokenClip;
use portamento_anim::foot_contacts::{FootMotion, foot_contacts};
use portamento_anim::foot_place::sole_heights;
use portamento_anim::foot_shape::MeshSole;
use portamento_anim::math::bridge::fill_gaps;
use portamento_anim::root_motion::{rest_at, rest_ground};
use portamento_anim::{Leg, root_motion};

/// One foot over the full motion, world units.
pub(super) struct Foot<'a> {
    pub leg: &'a Leg,
    /// The incoming position of its sole at each frame.
    pub soles: Vec<DVec3>,
    pub stances: Vec<Stance>,
    /// The foot mesh, if there is one.
    pub mesh: Option<MeshSole<'a>>,
    /// True if the motion loops, so that the foot is moved equally at both ends.
    pub loops: bool,
}

/// One stance of a foot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stance {
    /// The frames in which the foot rests.
    pub frames: Range<usize>,
    /// The mean horizontal position, and the height of the ground plus the sole, world units.
    pub position: DVec3,
    /// The lowest incoming height of its sole, world units.
    pub lowest: f64,
}

impl Stance {
    /// Returns the rise of the ground relative to the incoming foot.
    pub fn rise(&self) -> f64 {
        self.position.y - self.lowest
    }
}

/// Maximum raise of a swinging foot, as a fraction of the leg length. Tuned; no derivation recorded.
const MAX_SWING_RAISE_RATIO: f64 = 0.35;

/// Returns the feet of `input` with their stances on the ground.
///
/// Returns `Err` if the character has no legs, a position is not finite, or there is no ground under a planted foot or under
/// the body.
pub(super) fn feet<'a>(input: &Input<'a>, settings: &Settings, times: &[f64]) -> Result<Vec<Foot<'a>>, BuildError> {
    let all = input.roles.legs.iter().enumerate().filter(|(_, leg)| leg.is_bendable(input.skeleton));
    let (of_leg, legs): (Vec<usize>, Vec<&Leg>) = all.unzip();
    if legs.is_empty() {
        return Err(BuildError::NoLegs);
    }
    let path = |joint: usize| root_motion::path(input.skeleton, input.clip, joint, times);
    let finite_path = |joint: usize| -> Result<Vec<DVec3>, BrokenClip> {
        let positions = path(joint);
        let broken = positions.iter().position(|position| !position.is_finite());
        let name = || input.skeleton.joints[joint].name.clone();
        broken.map_or(Ok(positions), |at| Err(BrokenClip { joint: name(), time: times[at] }))
    };
    let soles: Vec<Vec<DVec3>> =
        legs.iter().map(|leg| finite_path(leg.toe.unwrap_or(leg.foot))).collect::<Result<_, BrokenClip>>()?;
    let body = finite_path(input.root.joint)?;
    let heights = sole_heights(input.skeleton, input.roles, &legs);
    let walker =
        FootMotion { soles: &soles, heights: &heights, body: &body, times, metres_per_unit: input.metres_per_unit };
    let [from, to] = input.within;
    let is_within = |frames: &Range<usize>| times[frames.start] <= to && times[frames.end - 1] >= from;
    let mut found = foot_contacts(&walker);
    found.iter_mut().for_each(|stances| stances.retain(is_within));
    check_body(input, &walker, &found)?;
    let mut feet: Vec<Foot> = Vec::new();
    let mut off: Option<OffGround> = None;
    for (((leg, soles), ranges), of_leg) in legs.into_iter().zip(soles).zip(found).zip(of_leg) {
        let mesh = MeshSole::find(input.skeleton, input.soles, of_leg);
        let mut foot = Foot { leg, soles, stances: Vec::new(), mesh, loops: false };
        for frames in ranges {
            match stance(input, settings, &foot, frames, times) {
                Ok(stance) => foot.stances.push(stance),
                Err(error) if off.is_none_or(|off| error.time < off.time) => off = Some(error),
                Err(_) => {}
            }
        }
        feet.push(foot);
    }
    off.map_or(Ok(feet), |off| Err(off.into_error(input)))
}

/// A joint without ground below it.
#[derive(Clone, Copy, Debug)]
struct OffGround {
    /// World position, metres.
    position: DVec3,
    /// Seconds.
    time: f64,
    /// Index of the joint in the skeleton.
    joint: usize,
}

impl OffGround {
    fn into_error(self, input: &Input) -> BuildError {
        let Self { position, time, joint } = self;
        BuildError::OffGround { place: position, time, joint: input.skeleton.joints[joint].name.clone() }
    }
}

/// Returns `Err` if there is no ground under the body while a foot is planted.
fn check_body(input: &Input, walker: &FootMotion, stances: &[Vec<Range<usize>>]) -> Result<(), BuildError> {
    let stances = |i: &usize| stances.iter().flatten().any(|frames| frames.contains(i));
    for i in (0..walker.times.len()).filter(stances) {
        // The foot height selects the floor, because the root may be at hip height above another floor.
        let lowest = walker.soles.iter().map(|soles| soles[i].y).fold(f64::INFINITY, f64::min);
        let position = walker.body[i].with_y(lowest) * input.metres_per_unit;
        if (input.ground)(position).is_none() {
            return Err(OffGround { position, time: walker.times[i], joint: input.root.joint }.into_error(input));
        }
    }
    Ok(())
}

/// Returns the stance of `foot` in the part of `frames` in which it rests; `times` are the seconds of all frames. Returns `Err`
/// if there is no ground below it.
fn stance(
    input: &Input,
    settings: &Settings,
    foot: &Foot,
    frames: Range<usize>,
    times: &[f64],
) -> Result<Stance, OffGround> {
    let soles = &foot.soles;
    let frames = resting(input, soles, frames, times);
    // Only the middle half is used, because a foot rolls at both ends.
    let quarter = frames.len() / 4;
    let middle = frames.start + quarter..frames.end - quarter;
    let mean = soles[middle.clone()].iter().sum::<DVec3>() / middle.len() as f64;
    let lowest = soles[frames.clone()].iter().map(|sole| sole.y).fold(f64::INFINITY, f64::min);
    let unit = input.metres_per_unit;
    let position = mean.with_y(lowest) * unit;
    let time = times[middle.start.midpoint(middle.end).min(times.len() - 1)];
    let joint = foot.sole();
    let height = (input.ground)(position).filter(|height| height.is_finite());
    let off = OffGround { position, time, joint };
    // A foot on its heel touches the ground with its mesh, while its toes are in the air. A foot on its side may be closer to the
    // ground than at rest, but it is not lowered for that.
    let mesh_depth = |i: usize| {
        let mesh = foot.mesh.as_ref()?;
        Some(
            lowest - rest_at(input.skeleton, joint).translation.y
                + mesh.depth(input.skeleton, &input.clip.pose_at(input.skeleton, times[i])),
        )
    };
    let mesh_offset = middle.filter_map(mesh_depth).fold(0.0, f64::max);
    let height = height.ok_or(off)? / unit + sole_height(input, settings, joint) + mesh_offset;
    Ok(Stance { frames, position: mean.with_y(height), lowest })
}

/// Returns the frames of a stance without the touchdown and lift-off at its ends, where the foot is faster or higher than in the
/// middle; at least two are left.
fn resting(input: &Input, soles: &[DVec3], frames: Range<usize>, times: &[f64]) -> Range<usize> {
    // Speed (m/s) and height (m) up to which captured feet count as resting.
    const RESTING_MAX_SPEED: f64 = 0.1;
    const RESTING_MAX_HEIGHT_M: f64 = 0.02;
    let unit = input.metres_per_unit;
    let speed = |i: usize| (soles[i] - soles[i - 1]).with_y(0.0).length() / (times[i] - times[i - 1]) * unit;
    let quarter = frames.len() / 4;
    let mut speeds: Vec<f64> = (frames.start.max(1) + quarter..frames.end - quarter).map(speed).collect();
    speeds.sort_by(f64::total_cmp);
    let median_speed = speeds.get(speeds.len() / 2).copied().unwrap_or(0.0);
    let lowest = soles[frames.clone()].iter().map(|sole| sole.y).fold(f64::INFINITY, f64::min);
    let is_quick = |i: usize| speed(i) > 1.5 * median_speed + RESTING_MAX_SPEED;
    let is_high = |i: usize| (soles[i].y - lowest) * unit > RESTING_MAX_HEIGHT_M;
    let Range { mut start, mut end } = frames;
    while end - start > 2 && (is_quick(start + 1) || is_high(start)) {
        start += 1;
    }
    while end - start > 2 && (is_quick(end - 1) || is_high(end - 1)) {
        end -= 1;
    }
    start..end
}

/// Returns the height of the sole's joint above the ground while it stands, world units: as set, else that of the rest pose.
pub(super) fn sole_height(input: &Input, settings: &Settings, joint: usize) -> f64 {
    if let Some(metres) = settings.sole {
        return metres / input.metres_per_unit;
    }
    (rest_at(input.skeleton, joint).translation.y - rest_ground(input.skeleton)).max(0.0)
}

/// Returns the rise of the body at each frame in world units, negative downwards, following the ground under the planted feet
/// smoothly over `softness` seconds.
pub(super) fn body_rise(feet: &[Foot], frames: Frames, softness: f64) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); frames.times.len()];
    for stance in feet.iter().flat_map(|foot| &foot.stances) {
        stance.frames.clone().for_each(|i| sums[i] = (sums[i].0 + stance.rise(), sums[i].1 + 1.0));
    }
    if let ([first, .., last], true) = (&mut sums[..], frames.loops) {
        *first = (first.0 + last.0, first.1 + last.1);
        *last = *first;
    }
    let known: Vec<Option<f64>> = sums.into_iter().map(|(sum, count)| (count > 0.0).then(|| sum / count)).collect();
    frames.over_seam(&known, |known, times| soft_rise(known, times, softness))
}

/// Returns the `known` rises at `times` (seconds), interpolated linearly and then smoothed over `softness` seconds; all 0 if none
/// is known.
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
    // Two moving averages of half the width give a smooth curve without kinks.
    let smoothed = mean_around(&filled, times, 0.25 * softness);
    mean_around(&smoothed, times, 0.25 * softness)
}

/// Returns the moving average of `values` within `seconds` of each of `times` (seconds). Equal values are returned exactly.
pub(super) fn mean_around(values: &[f64], times: &[f64], seconds: f64) -> Vec<f64> {
    let (mut from, mut until) = (0, 0);
    let mean = |&time: &f64| {
        while times[from] < time - seconds {
            from += 1;
        }
        while times.get(until).is_some_and(|&next| next <= time + seconds) {
            until += 1;
        }
        let window = &values[from..until];
        let base = window[0];
        base + window.iter().map(|value| value - base).sum::<f64>() / window.len() as f64
    };
    times.iter().map(mean).collect()
}

impl Foot<'_> {
    /// Returns the joint of its sole: the toe, else the foot.
    pub fn sole(&self) -> usize {
        self.leg.toe.unwrap_or(self.leg.foot)
    }

    /// Returns the largest horizontal slide during a stance, world units.
    pub fn slide(&self) -> f64 {
        let of_stance = |stance: &Stance| {
            let from = self.soles[stance.frames.start];
            self.soles[stance.frames.clone()].iter().map(|sole| (*sole - from).with_y(0.0).length()).fold(0.0, f64::max)
        };
        self.stances.iter().map(of_stance).fold(0.0, f64::max)
    }

    /// Returns the goal of the sole at each frame. `rises` are those of the body, one per frame; `leg` is the leg length, which
    /// limits the raise of swings. All are world units.
    pub fn path(&self, input: &Input, settings: &Settings, frames: Frames, rises: &[f64], leg: f64) -> Vec<DVec3> {
        let times = frames.times;
        let mut known: Vec<Option<DVec3>> = vec![None; times.len()];
        for stance in &self.stances {
            for i in stance.frames.clone() {
                let along = if settings.hold_feet { stance.position - self.soles[i] } else { DVec3::ZERO };
                known[i] = Some(along.with_y(stance.rise() - rises[i]));
            }
        }
        let last = times.len() - 1;
        let seam_offset =
            known[0].or(known[last]).filter(|_| self.loops).map_or(DVec3::ZERO, |offset| offset.with_y(0.0));
        for (i, stance) in [(0, self.stances.first()), (last, self.stances.last())] {
            known[i] = known[i]
                .or(stance.map(|stance| seam_offset + self.relative_height(input, i, stance) - DVec3::Y * rises[i]));
        }
        let offsets = fill_gaps(&known, times);
        let mut path: Vec<DVec3> = (0..times.len()).map(|i| self.soles[i] + DVec3::Y * rises[i] + offsets[i]).collect();
        for pair in self.stances.windows(2) {
            let swing = pair[0].frames.end..pair[1].frames.start;
            let sole = pair[0].position.y - ground_below(input, pair[0].position).unwrap_or(pair[0].position.y);
            clear(input, &mut path[swing], sole, MAX_SWING_RAISE_RATIO * leg);
        }
        if settings.hold_feet && settings.clear_swings {
            self.clear_swings(input, frames, MAX_SWING_RAISE_RATIO * leg, &mut path);
        }
        path
    }

    /// Returns the vertical offset that puts the sole at frame `i` as high above the ground there as it was above the ground of
    /// `stance`.
    fn relative_height(&self, input: &Input, i: usize, stance: &Stance) -> DVec3 {
        let ground = ground_below(input, self.soles[i].with_y(stance.position.y));
        let rise = ground
            .zip(ground_below(input, stance.position))
            .map_or(0.0, |(ground, stance_ground)| ground - stance_ground);
        DVec3::Y * (stance.rise() + rise)
    }
}

/// Returns the ground height below a world position, both in the file's unit; `None` without ground.
pub(super) fn ground_below(input: &Input, position: DVec3) -> Option<f64> {
    (input.ground)(position * input.metres_per_unit).map(|height| height / input.metres_per_unit)
}

/// Raises the swing `path` over higher ground between two stances, by at most `max_raise`. `sole` is the height of the sole
/// above its ground; all are world units.
fn clear(input: &Input, path: &mut [DVec3], sole: f64, max_raise: f64) {
    let count = path.len();
    let bump = |i: usize| (std::f64::consts::PI * (i as f64 + 1.0) / (count as f64 + 1.0)).sin().powi(2);
    let needed = |(i, position): (usize, &DVec3)| {
        let ground = ground_below(input, *position)?;
        // Near its ends, a swing is as low as a stance.
        (bump(i) > 0.15).then(|| (ground + sole - position.y) / bump(i))
    };
    let raise = path.iter().enumerate().filter_map(needed).fold(0.0, f64::max).min(max_raise);
    if raise > 0.0 {
        path.iter_mut().enumerate().for_each(|(i, position)| position.y += raise * bump(i));
    }
}
