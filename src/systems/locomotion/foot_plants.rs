//! Where and when feet stand: one place for each stand, and how a foot goes from one to the next.
//!
//! Where a foot would have to go from one stand straight into another, it takes a step in between, one foot after the other.
//! A stand out of the leg's reach is let go earlier or taken later.

use std::ops::Range;

use glam::DVec3;

use crate::math::easing::Easing;

/// What is known of the feet before they are held.
pub(super) struct FootContacts<'a> {
    /// Per leg and frame whether the playing clips let it stand.
    pub standing: &'a [Vec<bool>],
    /// Frames at which another clip's stand begins.
    pub breaks: &'a [usize],
    /// The frame from which the last steps are taken, which go straight to where the feet stay.
    pub stepped_stop: Option<usize>,
    /// Height of the ground under a world point at a frame, and what the playing clips take it to be there; world units.
    pub ground: &'a dyn Fn(usize, DVec3) -> [f64; 2],
}

/// One foot standing in one place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FootPlant {
    pub frames: Range<usize>,
    pub place: DVec3,
}

/// Seconds a step takes that no clip has.
const STEP: f64 = 0.3;
/// Metres between two stands up to which they are one.
const SAME: f64 = 0.03;

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
    let mut plants: Vec<FootPlant> = Vec::new();
    for frames in ranges {
        let place = stand(contacts, &frames, soles);
        match plants.last_mut() {
            Some(last) if last.frames.end == frames.start && last.place.distance(place) * metres_per_unit <= SAME => {
                last.frames.end = frames.end;
                last.place = if last.frames.start == 0 { last.place } else { place };
            }
            _ => plants.push(FootPlant { frames, place }),
        }
    }
    plants
}

/// Where a foot stands during `frames`: as at the first or last frame of all, else where it is on average, on the ground.
fn stand(contacts: &FootContacts, frames: &Range<usize>, soles: &[DVec3]) -> DVec3 {
    let on_ground = |i: usize, place: DVec3| {
        let [under_foot, taken] = (contacts.ground)(i, place);
        place.with_y(under_foot + soles[i].y - taken)
    };
    if frames.end == soles.len() {
        return on_ground(soles.len() - 1, soles[soles.len() - 1]);
    }
    if frames.start == 0 {
        return on_ground(0, soles[0]);
    }
    let mean = soles[frames.clone()].iter().sum::<DVec3>() / frames.len() as f64;
    let middle = frames.start + frames.len() / 2;
    let placed = frames.clone().map(|i| on_ground(i, mean).y).fold(f64::INFINITY, f64::min);
    on_ground(middle, mean).with_y(placed)
}

/// Makes room for a step where one stand follows another at once.
pub(super) fn part(plants: &mut [FootPlant], free_from: &mut usize, fps: f64) {
    let frames = (STEP * fps).ceil() as usize;
    for i in 1..plants.len() {
        if plants[i].frames.start > plants[i - 1].frames.end {
            continue;
        }
        let start = plants[i].frames.start.max(*free_from);
        if start + frames < plants[i].frames.end {
            plants[i - 1].frames.end = start;
            plants[i].frames.start = start + frames;
            *free_from = start + frames;
        }
    }
}

/// Leaves of each stand the longest run of frames in which the leg reaches it; a stand at the very end stays to the end.
pub(super) fn keep_reachable(plants: &mut Vec<FootPlant>, count: usize, within: &dyn Fn(usize, DVec3) -> bool) {
    for plant in plants.iter_mut() {
        let mut best = plant.frames.start..plant.frames.start;
        let mut from = plant.frames.start;
        for i in plant.frames.clone() {
            if !within(i, plant.place) {
                from = i + 1;
            } else if i + 1 - from > best.len() || plant.frames.end == count {
                best = from..i + 1;
            }
        }
        plant.frames = best;
    }
    plants.retain(|plant| !plant.frames.is_empty());
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
        let is_last = after.is_some_and(|plant| {
            plant.frames.end == soles.len() && contacts.stepped_stop.is_some_and(|first| plant.frames.start >= first)
        });
        match (before, after) {
            (Some(before), Some(after)) if is_last => straight([before, after], frames.clone(), soles, &mut offsets),
            _ => ease([before, after], frames.clone(), soles, &mut offsets, release),
        }
        if let (Some(before), Some(after)) = (before, after) {
            let swing = Swing { start: before.place, end: after.place, frames };
            swing.lift(soles, &mut offsets, release.metres_per_unit);
            swing.clear(soles, &mut offsets, contacts, release.metres_per_unit);
        }
    }
    offsets
}

/// How feet get back to their clips.
#[derive(Clone, Copy)]
pub(super) struct ReleaseLimits {
    /// Frames in which a lifted foot comes back to its clip, ≥ 1.
    pub release: f64,
    pub metres_per_unit: f64,
}

/// The way of a foot from one stand to the next.
struct Swing {
    start: DVec3,
    end: DVec3,
    frames: Range<usize>,
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

/// Goes straight from one stand to the next, as high as the clip lifts it.
fn straight([before, after]: [&FootPlant; 2], frames: Range<usize>, soles: &[DVec3], offsets: &mut [DVec3]) {
    let gap = (frames.len() + 1) as f64;
    let [leave, arrive] =
        [before.place.y - soles[before.frames.end - 1].y, after.place.y - soles[after.frames.start].y];
    for i in frames.clone() {
        let share = Easing::Smoothstep.at((i + 1 - frames.start) as f64 / gap);
        let place = before.place.lerp(after.place, share);
        offsets[i] = (place - soles[i]).with_y(leave + (arrive - leave) * share);
    }
}

impl Swing {
    /// How far along a frame lies, 0…1.
    fn share(&self, frame: usize) -> f64 {
        (frame + 1 - self.frames.start) as f64 / (self.frames.len() + 1) as f64
    }

    /// Raises a step that its clip hardly lifts: a seventh of its length, 1 to 6 cm, above the line between its stands.
    fn lift(&self, soles: &[DVec3], offsets: &mut [DVec3], metres_per_unit: f64) {
        let way = self.start.distance(self.end) * metres_per_unit;
        if way < SAME {
            return;
        }
        let wanted = (way / 7.0).clamp(0.01, 0.06) / metres_per_unit;
        let line = |i: usize| self.start.y + (self.end.y - self.start.y) * self.share(i);
        let highest = self.frames.clone().map(|i| soles[i].y + offsets[i].y - line(i)).fold(0.0, f64::max);
        for i in self.frames.clone() {
            offsets[i].y += (wanted - highest).max(0.0) * (std::f64::consts::PI * self.share(i)).sin();
        }
    }

    /// Raises a step over the ground it would pass through, half a metre at most.
    fn clear(&self, soles: &[DVec3], offsets: &mut [DVec3], contacts: &FootContacts, metres_per_unit: f64) {
        // Rises and falls quickly at the ends, so that the edge of a stair is cleared too.
        let shape = |i: usize| (std::f64::consts::PI * self.share(i)).sin().sqrt();
        // Toes hang a little in a swing: half their height when they stand is enough.
        let above = 0.5 * (self.start.y - (contacts.ground)(self.frames.start, self.start)[0]).max(0.0);
        let missing = |i: usize| {
            let place = soles[i] + offsets[i];
            ((contacts.ground)(i, place)[0] + above - place.y) / shape(i)
        };
        let most = self.frames.clone().map(missing).fold(0.0, f64::max).min(0.5 / metres_per_unit);
        for i in self.frames.clone() {
            offsets[i].y += most * shape(i);
        }
    }
}
