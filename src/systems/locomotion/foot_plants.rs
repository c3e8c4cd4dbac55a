//! Where and when feet stand: one place for each stand, and how a foot goes from one to the next.
//!
//! Where a foot would have to go from one stand straight into another, it takes a step in between, one foot after the other.
//! A stand out of the leg's reach is let go earlier or taken later.

use std::ops::Range;

use glam::DVec3;

use super::foot_plant::{FootPlant, ReleaseLimits, SAME};
use super::swing::Swing;
use crate::math::easing::Easing;

/// What is known of the feet before they are held.
pub(super) struct FootContacts<'a> {
    /// Per leg and frame whether the playing clips let it stand.
    pub standing: &'a [Vec<bool>],
    /// Frames at which another clip's stand begins, in order.
    pub breaks: &'a [usize],
    /// Frames at which a standing foot stands just where it is, in order: the first and the last, and those between segments.
    pub anchors: &'a [usize],
    /// Frames of last steps, which go straight to where the feet stay.
    pub last_steps: &'a [Range<usize>],
    /// Metres a second that the body goes into each frame.
    pub speeds: &'a [f64],
    /// Height of the ground under a world point at a frame, and what the playing clips take it to be there; world units.
    pub ground: &'a dyn Fn(usize, DVec3) -> [f64; 2],
}

/// Seconds a step takes that no clip has.
const STEP: f64 = 0.3;
/// Seconds that the quickest step takes; a shorter pause between two stands is a flicker of what plays.
pub(super) const QUICKEST: f64 = 0.12;
/// The stands of leg `k` in order, each at its own place.
pub(super) fn find(
    contacts: &FootContacts,
    k: usize,
    soles: &[DVec3],
    metres_per_unit: f64,
    fps: f64,
) -> Vec<FootPlant> {
    let standing = &contacts.standing[k];
    let count = soles.len();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for i in (0..count).filter(|&i| standing[i]) {
        match ranges.last_mut() {
            Some(range) if range.end == i && !contacts.breaks.contains(&i) => range.end = i + 1,
            _ => ranges.push(i..i + 1),
        }
    }
    let lasts = |range: &Range<usize>| range.len() as f64 >= 0.05 * fps || range.start == 0 || range.end == count;
    ranges.retain(lasts);
    let same = |a: DVec3, b: DVec3| a.distance(b) * metres_per_unit <= SAME;
    let mut plants: Vec<FootPlant> = Vec::new();
    for plant in ranges.into_iter().flat_map(|frames| planted(contacts, frames, soles, &same)) {
        match plants.last_mut() {
            Some(last) if last.frames.end == plant.frames.start && same(last.place, plant.place) => {
                let anchored = contacts.anchors.iter().any(|anchor| last.frames.contains(anchor));
                last.frames.end = plant.frames.end;
                last.place = if anchored { last.place } else { plant.place };
            }
            _ => plants.push(plant),
        }
    }
    let gap = (QUICKEST * fps).ceil() as usize;
    without_flicker(plants, gap, &|frames| contacts.anchors.iter().any(|anchor| frames.contains(anchor)))
}

/// Of two plants with fewer than `gap` frames between them, in which no foot can step, the longer one, or the one that is fixed.
fn without_flicker(plants: Vec<FootPlant>, gap: usize, is_fixed: &dyn Fn(&Range<usize>) -> bool) -> Vec<FootPlant> {
    let mut kept: Vec<FootPlant> = Vec::new();
    for plant in plants {
        let close = |last: &&mut FootPlant| (1..gap).contains(&(plant.frames.start - last.frames.end));
        match kept.last_mut().filter(close) {
            Some(last) if is_fixed(&plant.frames) && is_fixed(&last.frames) => kept.push(plant),
            Some(last) if is_fixed(&last.frames) => {}
            Some(last) if is_fixed(&plant.frames) || plant.frames.len() > last.frames.len() => *last = plant,
            Some(_) => {}
            None => kept.push(plant),
        }
    }
    kept
}

/// Where a foot stands during `frames`: as at the anchors among them, one place after the other where these differ; else where it
/// is on average, on the ground.
fn planted(
    contacts: &FootContacts,
    frames: Range<usize>,
    soles: &[DVec3],
    same: &dyn Fn(DVec3, DVec3) -> bool,
) -> Vec<FootPlant> {
    let on_ground = |i: usize, place: DVec3| {
        let [under_foot, taken] = (contacts.ground)(i, place);
        place.with_y(under_foot + soles[i].y - taken)
    };
    let mut plants: Vec<FootPlant> = Vec::new();
    let mut anchored: usize = 0;
    for &anchor in contacts.anchors.iter().filter(|anchor| frames.contains(*anchor)) {
        let place = on_ground(anchor, soles[anchor]);
        match plants.last_mut() {
            None => plants.push(FootPlant { frames: frames.clone(), place }),
            Some(last) if same(last.place, place) => {}
            Some(last) => {
                // The step is taken half-way between the two.
                let middle = anchored.midpoint(anchor + 1);
                last.frames.end = middle;
                plants.push(FootPlant { frames: middle..frames.end, place });
            }
        }
        anchored = anchor;
    }
    if plants.is_empty() {
        let mean = soles[frames.clone()].iter().sum::<DVec3>() / frames.len() as f64;
        let middle = frames.start + frames.len() / 2;
        let lowest = frames.clone().map(|i| on_ground(i, mean).y).fold(f64::INFINITY, f64::min);
        plants.push(FootPlant { place: on_ground(middle, mean).with_y(lowest), frames });
    }
    plants
}

/// Makes room for a step where one stand follows another at once: after the `steps` (frames) that other feet take then, and a
/// quicker one where there is little room; two stands without room for any become the longer one. The new steps are added to
/// `steps`.
pub(super) fn part(plants: &mut Vec<FootPlant>, steps: &mut Vec<Range<usize>>, fps: f64) {
    let [whole, quickest] = [STEP, QUICKEST].map(|seconds| (seconds * fps).ceil() as usize);
    for i in 1..plants.len() {
        let (from, until) = (plants[i - 1].frames.start, plants[i].frames.end);
        if plants[i].frames.start > plants[i - 1].frames.end {
            continue;
        }
        let step = whole.min((until - from).saturating_sub(2));
        if step < quickest {
            let [earlier, later] = [plants[i - 1].frames.len(), plants[i].frames.len()];
            let place = if later >= earlier { plants[i].place } else { plants[i - 1].place };
            plants[i] = FootPlant { frames: from..until, place };
            plants[i - 1].frames.end = from;
            continue;
        }
        let mut start = plants[i].frames.start;
        while let Some(taken) = steps.iter().find(|taken| taken.start < start + step && start < taken.end) {
            start = taken.end;
        }
        let start = start.min((until - 1).saturating_sub(step)).max(from + 1);
        plants[i - 1].frames.end = start;
        plants[i].frames.start = start + step;
        steps.push(start..start + step);
    }
    plants.retain(|plant| !plant.frames.is_empty());
}

/// Whether a leg reaches a place at a frame where the body comes down as for a step, and where it crouches.
pub(super) struct Reach<'a> {
    pub stooping: &'a dyn Fn(usize, DVec3) -> bool,
    pub crouching: &'a dyn Fn(usize, DVec3) -> bool,
}

/// Leaves of each stand the longest run of frames in which the leg reaches it; a stand at the very end stays to the end. Where a
/// foot stays, at `anchors`, the body crouches for it.
pub(super) fn keep_reachable(plants: &mut Vec<FootPlant>, count: usize, anchors: &[usize], reach: &Reach) {
    for plant in plants.iter_mut() {
        let stays = |frames: &Range<usize>| anchors.iter().any(|anchor| frames.contains(anchor));
        let stooping = longest_run(plant, count, &|i| (reach.stooping)(i, plant.place));
        plant.frames = if stays(&plant.frames) && !stays(&stooping) {
            longest_run(plant, count, &|i| (reach.crouching)(i, plant.place))
        } else {
            stooping
        };
    }
    plants.retain(|plant| !plant.frames.is_empty());
}

/// The longest run of frames of `plant` that are `reached`, the last one of a plant at the very end.
fn longest_run(plant: &FootPlant, count: usize, reached: &dyn Fn(usize) -> bool) -> Range<usize> {
    let mut best = plant.frames.start..plant.frames.start;
    let mut from = plant.frames.start;
    for i in plant.frames.clone() {
        if !reached(i) {
            from = i + 1;
        } else if i + 1 - from > best.len() || plant.frames.end == count {
            best = from..i + 1;
        }
    }
    best
}

/// What is added to the sole at each frame, so that it stands in `plants` and steps from one to the next.
pub(super) fn offsets(
    plants: &[FootPlant],
    soles: &[DVec3],
    contacts: &FootContacts,
    release: ReleaseLimits,
) -> Vec<DVec3> {
    let mut offsets = vec![DVec3::ZERO; soles.len()];
    for plant in plants {
        plant.frames.clone().for_each(|i| offsets[i] = plant.place - soles[i]);
    }
    let ends = [None].into_iter().chain(plants.iter().map(Some));
    let starts = plants.iter().map(Some).chain([None]);
    for (before, after) in ends.zip(starts) {
        let frames = before.map_or(0, |plant| plant.frames.end)..after.map_or(soles.len(), |plant| plant.frames.start);
        let (Some(before), Some(after)) = (before, after) else {
            ease([before, after], frames, soles, &mut offsets, release);
            continue;
        };
        let swing = Swing { start: before.place, end: after.place, frames: frames.clone() };
        let is_last = contacts.last_steps.iter().any(|last| last.contains(&after.frames.start));
        match () {
            () if !swing.is_lifted(soles, release.metres_per_unit) => swing.step_over(soles, &mut offsets),
            () if is_last => swing.straight([before, after], soles, &mut offsets),
            () => ease([Some(before), Some(after)], frames, soles, &mut offsets, release),
        }
        swing.lift(soles, &mut offsets, release.metres_per_unit);
        swing.clear(soles, &mut offsets, contacts.ground, release);
    }
    offsets
}

/// Leaves one stand and arrives at the next, in between as the clip goes.
fn ease(
    ends: [Option<&FootPlant>; 2],
    frames: Range<usize>,
    soles: &[DVec3],
    offsets: &mut [DVec3],
    release: ReleaseLimits,
) {
    let [before, after] = ends;
    let leave = before.map_or(DVec3::ZERO, |plant| plant.place - soles[plant.frames.end - 1]);
    let arrive = after.map_or(DVec3::ZERO, |plant| plant.place - soles[plant.frames.start]);
    let gap = (frames.end + 1).saturating_sub(frames.start) as f64;
    let most = if before.is_some() && after.is_some() { gap } else { f64::INFINITY };
    // A long way back to the clip takes more time: a decimetre per release time.
    let soft =
        |offset: DVec3| (release.release * (10.0 * offset.length() * release.metres_per_unit).max(1.0)).min(most);
    let [leaving, arriving] = [soft(leave), soft(arrive)];
    for i in frames.clone() {
        let past = (i + 1 - frames.start) as f64;
        let out = 1.0 - Easing::Smoothstep.at(past / leaving);
        let into = Easing::Smoothstep.at(1.0 - (gap - past) / arriving);
        offsets[i] = leave * out + arrive * into;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_too_short_for_a_step_leaves_the_longer_stand_and_what_is_fixed() {
        let plant = |frames: Range<usize>| FootPlant { place: DVec3::X * frames.start as f64, frames };
        let plants = || vec![plant(0..20), plant(22..30), plant(50..54), plant(57..80), plant(120..140)];
        let starts = |fixed: usize| -> Vec<usize> {
            let is_fixed = |frames: &Range<usize>| frames.contains(&fixed);
            without_flicker(plants(), 8, &is_fixed).iter().map(|plant| plant.frames.start).collect()
        };
        assert_eq!(starts(999), [0, 57, 120]);
        assert_eq!(starts(51), [0, 50, 120]);
        assert_eq!(starts(25), [22, 57, 120]);
    }

    #[test]
    fn stands_that_meet_get_a_step_between_them_one_foot_after_the_other() {
        let plants =
            || vec![FootPlant { frames: 0..40, place: DVec3::ZERO }, FootPlant { frames: 40..100, place: DVec3::X }];
        let (mut left, mut right, mut steps) = (plants(), plants(), Vec::new());
        part(&mut left, &mut steps, 60.0);
        part(&mut right, &mut steps, 60.0);
        assert_eq!(left[0].frames.end..left[1].frames.start, 40..58);
        assert_eq!(right[0].frames.end..right[1].frames.start, 58..76);
    }
}
