//! Foot plants: one position per stance, and the offsets between stances.
//!
//! If one stance would follow another without a gap, a step is inserted, one foot after the other. A stance out of the
//! leg's reach is shortened.

use std::ops::Range;

use glam::DVec3;

use super::foot_plant::{FootPlant, ReleaseLimits, SAME_PLANT_MAX_M, frame_beside_end};
use super::swing::Swing;
use portamento_anim::math::easing::Easing;

/// Foot contacts before locking.
pub(crate) struct FootContacts<'a> {
    /// Per leg and frame, true if the active clips plant the leg.
    pub standing: &'a [Vec<bool>],
    /// Frames at which a stance of another clip begins, in order.
    pub breaks: &'a [usize],
    /// Frames at which a planted foot keeps its clip position, in order: the first and the last, and those between
    /// segments.
    pub anchors: &'a [usize],
    /// Frame ranges of last steps, which move straight to their final positions.
    pub last_steps: &'a [Range<usize>],
    /// Speed of the body into each frame, m/s.
    pub speeds: &'a [f64],
    /// Two heights at a world point and frame, in world units: the real ground, and the ground that the active clips
    /// assume.
    pub ground: &'a dyn Fn(usize, DVec3) -> [f64; 2],
}

/// Duration of an inserted step, seconds. Tuned; no derivation recorded.
const INSERTED_STEP_SECONDS: f64 = 0.3;
/// Shortest step, seconds. A shorter gap between two stances is contact flicker.
pub(crate) const STEP_MIN_SECONDS: f64 = 0.12;
/// Returns the stances of leg `k` in order, each with its position. Stances shorter than 0.05 s are left out, except at both
/// ends. `soles` has the position of its sole at each frame, world units; `release` is the duration of a fade, seconds.
pub(crate) fn find(
    contacts: &FootContacts,
    k: usize,
    soles: &[DVec3],
    [metres_per_unit, fps, release]: [f64; 3],
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
    let is_long_enough =
        |range: &Range<usize>| range.len() as f64 >= 0.05 * fps || range.start == 0 || range.end == count;
    ranges.retain(is_long_enough);
    let is_same = |a: DVec3, b: DVec3| a.distance(b) * metres_per_unit <= SAME_PLANT_MAX_M;
    let mut plants: Vec<FootPlant> = Vec::new();
    for plant in ranges.into_iter().flat_map(|frames| plants_in(contacts, frames, soles, &is_same, release * fps)) {
        match plants.last_mut() {
            Some(last) if last.frames.end == plant.frames.start && is_same(last.position, plant.position) => {
                let anchored = contacts.anchors.iter().any(|anchor| last.frames.contains(anchor));
                last.frames.end = plant.frames.end;
                last.position = if anchored { last.position } else { plant.position };
            }
            _ => plants.push(plant),
        }
    }
    let gap = (STEP_MIN_SECONDS * fps).ceil() as usize;
    without_flicker(plants, gap, &|frames| contacts.anchors.iter().any(|anchor| frames.contains(anchor)))
}

/// Removes flicker: of two successive plants with a gap of 1 to `gap` − 1 frames, in which no foot can step, it keeps the fixed
/// one, or the longer one if neither is fixed. It keeps both if both are fixed.
fn without_flicker(plants: Vec<FootPlant>, gap: usize, is_fixed: &dyn Fn(&Range<usize>) -> bool) -> Vec<FootPlant> {
    let mut retained: Vec<FootPlant> = Vec::new();
    for plant in plants {
        let close = |last: &&mut FootPlant| (1..gap).contains(&(plant.frames.start - last.frames.end));
        match retained.last_mut().filter(close) {
            Some(last) if is_fixed(&plant.frames) && is_fixed(&last.frames) => retained.push(plant),
            Some(last) if is_fixed(&last.frames) => {}
            Some(last) if is_fixed(&plant.frames) || plant.frames.len() > last.frames.len() => *last = plant,
            Some(_) => {}
            None => retained.push(plant),
        }
    }
    retained
}

/// Returns the plants during `frames`. They take their positions from the anchors among the frames, one after the
/// other if these differ. Without anchors there is one plant on the ground: at the mean sole position, or where the foot lands or
/// leaves less than `fade` frames from either end of all `soles`.
fn plants_in(
    contacts: &FootContacts,
    frames: Range<usize>,
    soles: &[DVec3],
    is_same: &dyn Fn(DVec3, DVec3) -> bool,
    fade: f64,
) -> Vec<FootPlant> {
    let on_ground = |i: usize, position: DVec3| {
        let [under_foot, assumed] = (contacts.ground)(i, position);
        position.with_y(under_foot + soles[i].y - assumed)
    };
    let mut plants: Vec<FootPlant> = Vec::new();
    let mut anchored: usize = 0;
    for &anchor in contacts.anchors.iter().filter(|anchor| frames.contains(*anchor)) {
        let position = on_ground(anchor, soles[anchor]);
        match plants.last_mut() {
            None => plants.push(FootPlant { frames: frames.clone(), position }),
            Some(last) if is_same(last.position, position) => {}
            Some(last) => {
                // The step is taken half-way between the two anchors.
                let middle = anchored.midpoint(anchor + 1);
                last.frames.end = middle;
                plants.push(FootPlant { frames: middle..frames.end, position });
            }
        }
        anchored = anchor;
    }
    if plants.is_empty() {
        let beside_end = frame_beside_end(&frames, soles.len(), fade);
        let mean = soles[frames.clone()].iter().sum::<DVec3>() / frames.len() as f64;
        let (frame, sole) = beside_end.map_or((frames.start + frames.len() / 2, mean), |frame| (frame, soles[frame]));
        let lowest = frames.clone().map(|i| on_ground(i, sole).y).fold(f64::INFINITY, f64::min);
        plants.push(FootPlant { position: on_ground(frame, sole).with_y(lowest), frames });
    }
    plants
}

/// Inserts a step between plants without a gap, after the `steps` (frame ranges) of other feet and faster if there is
/// little room. Two plants without room become the longer one. New steps are added to `steps`.
pub(super) fn insert_steps(plants: &mut Vec<FootPlant>, steps: &mut Vec<Range<usize>>, fps: f64) {
    let [full_step, shortest] =
        [INSERTED_STEP_SECONDS, STEP_MIN_SECONDS].map(|seconds| (seconds * fps).ceil() as usize);
    for i in 1..plants.len() {
        let (from, until) = (plants[i - 1].frames.start, plants[i].frames.end);
        if plants[i].frames.start > plants[i - 1].frames.end {
            continue;
        }
        let step = full_step.min((until - from).saturating_sub(2));
        if step < shortest {
            let [earlier, later] = [plants[i - 1].frames.len(), plants[i].frames.len()];
            let position = if later >= earlier { plants[i].position } else { plants[i - 1].position };
            plants[i] = FootPlant { frames: from..until, position };
            plants[i - 1].frames.end = from;
            continue;
        }
        let mut start = plants[i].frames.start;
        while let Some(other_step) =
            steps.iter().find(|other_step| other_step.start < start + step && start < other_step.end)
        {
            start = other_step.end;
        }
        let start = start.min((until - 1).saturating_sub(step)).max(from + 1);
        plants[i - 1].frames.end = start;
        plants[i].frames.start = start + step;
        steps.push(start..start + step);
    }
    plants.retain(|plant| !plant.frames.is_empty());
}

/// Reach of a leg, both by frame and world position of the sole: where the body stoops as for a step, and where it crouches.
pub(super) struct Reach<'a> {
    pub stooping: &'a dyn Fn(usize, DVec3) -> bool,
    pub crouching: &'a dyn Fn(usize, DVec3) -> bool,
}

/// Shortens each plant to the longest run of frames in which the leg reaches it; a plant at the very end stays to the end. At
/// `anchors` the body crouches to reach it. Plants that it never reaches are removed.
pub(super) fn keep_reachable(plants: &mut Vec<FootPlant>, count: usize, anchors: &[usize], reach: &Reach) {
    for plant in plants.iter_mut() {
        let stays = |frames: &Range<usize>| anchors.iter().any(|anchor| frames.contains(anchor));
        let stooping = longest_run(plant, count, &|i| (reach.stooping)(i, plant.position));
        plant.frames = if stays(&plant.frames) && !stays(&stooping) {
            longest_run(plant, count, &|i| (reach.crouching)(i, plant.position))
        } else {
            stooping
        };
    }
    plants.retain(|plant| !plant.frames.is_empty());
}

/// Returns the longest run of frames of `plant` that are `reached`; for a plant at the very end, the last run.
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

/// Returns the sole offset at each frame in world units, so that the sole rests in `plants` and steps from one to the next.
pub(crate) fn offsets(
    plants: &[FootPlant],
    soles: &[DVec3],
    contacts: &FootContacts,
    release: ReleaseLimits,
) -> Vec<DVec3> {
    let mut offsets = vec![DVec3::ZERO; soles.len()];
    for plant in plants {
        plant.frames.clone().for_each(|i| offsets[i] = plant.position - soles[i]);
    }
    let ends = [None].into_iter().chain(plants.iter().map(Some));
    let starts = plants.iter().map(Some).chain([None]);
    for (before, after) in ends.zip(starts) {
        let frames = before.map_or(0, |plant| plant.frames.end)..after.map_or(soles.len(), |plant| plant.frames.start);
        let (Some(before), Some(after)) = (before, after) else {
            ease([before, after], frames, soles, &mut offsets, release);
            continue;
        };
        let swing = Swing { start: before.position, end: after.position, frames: frames.clone() };
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

/// Sets the offsets in `frames` between two plants: fades out the offset of one and fades in that of the next; in between the
/// clip is unchanged.
fn ease(
    ends: [Option<&FootPlant>; 2],
    frames: Range<usize>,
    soles: &[DVec3],
    offsets: &mut [DVec3],
    release: ReleaseLimits,
) {
    let [before, after] = ends;
    let leave = before.map_or(DVec3::ZERO, |plant| plant.position - soles[plant.frames.end - 1]);
    let arrive = after.map_or(DVec3::ZERO, |plant| plant.position - soles[plant.frames.start]);
    let gap = (frames.end + 1).saturating_sub(frames.start) as f64;
    // A large offset takes more time to fade: a decimetre per release time. Where the motion begins or ends in the air, as beside a
    // crossing, the foot is where it was.
    let soft = |offset: DVec3| (release.release * (10.0 * offset.length() * release.metres_per_unit).max(1.0)).min(gap);
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
    fn a_gap_too_short_for_a_step_leaves_the_longer_or_the_fixed_plant() {
        let plant = |frames: Range<usize>| FootPlant { position: DVec3::X * frames.start as f64, frames };
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
    fn adjacent_plants_get_a_step_between_them_one_foot_after_the_other() {
        let plants = || {
            vec![FootPlant { frames: 0..40, position: DVec3::ZERO }, FootPlant { frames: 40..100, position: DVec3::X }]
        };
        let (mut left, mut right, mut steps) = (plants(), plants(), Vec::new());
        insert_steps(&mut left, &mut steps, 60.0);
        insert_steps(&mut right, &mut steps, 60.0);
        assert_eq!(left[0].frames.end..left[1].frames.start, 40..58);
        assert_eq!(right[0].frames.end..right[1].frames.start, 58..76);
    }
}
