//! Gait cycles: stride length, foot contacts, and blending of two gaits in phase.
//!
//! The phase of a cycle is 0 where the first foot comes down and ½ where the second does. Gaits 0 and 1 blended with
//! weight w have stride S and period T:
//!
//! ```text
//! S = S₀ + w·(S₁ − S₀)   metres
//! T = T₀ + w·(T₁ − T₀)   seconds
//! S = v·T                determines w at speed v (m/s)
//! ```
//!
//! The phase advances by distance, one cycle per stride, so feet stay in step with the ground at any speed.

use std::ops::Range;

use glam::DVec3;

use super::gait_clip;
use crate::locomotion::clips::in_place_clip::InPlaceClip;
use crate::locomotion::{Settings, WalkError};
use portamento_anim::contacts::{ContactLimits, contact_starts, contacts, per_frame};

/// A measured gait cycle.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gait {
    pub source: InPlaceClip,
    /// Stride length of one cycle, metres.
    pub stride: f64,
    /// Slope range of the gait, degrees along the path, uphill positive.
    pub slope: [f64; 2],
    /// Seconds at which the first and second foot come down; the second is within a cycle after the first.
    downs: [f64; 2],
    /// Per leg, true where it is planted, over the cycle's time.
    standing: Vec<Vec<bool>>,
}

/// The blend of gaits at one speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GaitBlend {
    /// The slower gait; `None` is the idle clip.
    pub low: Option<usize>,
    /// The faster gait.
    pub high: usize,
    /// The faster gait's weight, 0…1.
    pub weight: f64,
    /// Stride length, metres.
    pub stride: f64,
    /// Play rate of the clips.
    pub rate: f64,
    /// True if the rate was clamped, so the feet cannot keep up with the ground.
    pub limited: bool,
}

impl GaitBlend {
    /// Returns the gaits, by index, with their shares. The rest up to 1 is the idle clip's share.
    pub fn shares(&self) -> impl Iterator<Item = (usize, f64)> {
        [(Some(self.high), self.weight), (self.low, 1.0 - self.weight)]
            .into_iter()
            .filter_map(|(gait, w)| Some((gait?, w)))
    }

    /// Returns the cadence at `speed` (m/s), cycles per second.
    pub(super) fn cadence(&self, speed: f64, gaits: &[Gait]) -> f64 {
        let high = &gaits[self.high];
        match self.low {
            _ if speed <= 0.0 => 0.0,
            None if self.weight < 1.0 || self.limited => high.speed() * self.rate / high.stride,
            _ => speed / self.stride,
        }
    }
}

/// Samples per cycle for contact detection.
const SAMPLES: usize = 128;

impl Gait {
    /// Measures `source`. Returns `Err` if it travels less than 5 cm or lasts less than 0.1 s.
    pub fn measure(source: InPlaceClip, metres_per_unit: f64) -> Result<Self, WalkError> {
        let stride = source.travel();
        let duration = source.clip.duration;
        if stride < 0.05 || duration < 0.1 {
            return Err(WalkError::NoSpeed { clip: source.clip.name.clone() });
        }
        let (mut standing, mut downs) = (Vec::new(), Vec::new());
        // The middle one of three cycles is used, as a contact may cross the seam.
        let limits = limits(stride / duration);
        let times: Vec<f64> = (0..3 * SAMPLES).map(|i| i as f64 / SAMPLES as f64 * duration).collect();
        for leg in 0..source.leg_count() {
            let points: Vec<DVec3> = times.iter().map(|&time| source.sole_along_path(leg, time)).collect();
            let found = cycle_contacts(&points, &times, metres_per_unit, &limits);
            let first = contact_starts(&found).into_iter().find(|down| (SAMPLES..2 * SAMPLES).contains(down));
            downs.extend(first.map(|down| times[down] - duration));
            standing.push(per_frame(&found, 3 * SAMPLES)[SAMPLES..2 * SAMPLES].to_vec());
        }
        let first = downs.first().copied().unwrap_or(0.0);
        let second = downs.get(1).map_or(first + 0.5 * duration, |down| first + (down - first).rem_euclid(duration));
        // Feet that come down nearly together (a hop) give no second marker.
        let apart = (second - first) / duration;
        let second = if (0.2..=0.8).contains(&apart) { second } else { first + 0.5 * duration };
        let slope = gait_clip::proposed(&source.clip.name, source.climb.atan().to_degrees());
        Ok(Self { source, stride, slope, downs: [first, second], standing })
    }

    /// Returns the speed, m/s.
    pub fn speed(&self) -> f64 {
        self.stride / self.source.clip.duration
    }

    /// Returns the clip time of a phase (cycles, wraps around), seconds.
    pub fn time(&self, phase: f64) -> f64 {
        let duration = self.source.clip.duration;
        let phase = phase.rem_euclid(1.0);
        let [first, second] = self.downs;
        let time = if phase < 0.5 {
            first + (second - first) * 2.0 * phase
        } else {
            second + (first + duration - second) * (2.0 * phase - 1.0)
        };
        time.rem_euclid(duration)
    }

    /// True if the leg is planted at a phase.
    pub(crate) fn is_planted(&self, leg: usize, phase: f64) -> bool {
        let sample = self.time(phase) / self.source.clip.duration * SAMPLES as f64;
        self.standing.get(leg).is_some_and(|row| row[(sample as usize).min(SAMPLES - 1)])
    }

    /// Returns the phase at which the leg comes down, 0…1 of the cycle. Without contacts it is that of its pair: 0 or
    /// ½.
    pub fn lands(&self, leg: usize) -> f64 {
        let phase = |i: usize| i as f64 / SAMPLES as f64;
        let begins = |i: &usize| self.is_planted(leg, phase(*i)) && !self.is_planted(leg, phase(*i) - phase(1));
        (0..SAMPLES).find(begins).map_or(if leg.is_multiple_of(2) { 0.0 } else { 0.5 }, phase)
    }

    /// Returns the phase at which the leg lifts, 0…1 of the cycle. Without contacts it is the phase at which the
    /// other one comes down.
    pub fn lifts(&self, leg: usize) -> f64 {
        let phase = |i: usize| i as f64 / SAMPLES as f64;
        let ends = |i: &usize| !self.is_planted(leg, phase(*i)) && self.is_planted(leg, phase(*i) - phase(1));
        (0..SAMPLES).find(ends).map_or(if leg.is_multiple_of(2) { 0.5 } else { 0.0 }, phase)
    }

    /// Returns the share of the cycle in which the leg is planted.
    pub(crate) fn duty(&self, leg: usize) -> f64 {
        let row = &self.standing[leg];
        row.iter().filter(|planted| **planted).count() as f64 / row.len().max(1) as f64
    }
}

/// Returns the contacts of a sole at `points`. If the clip has hardly any, the frames where the sole is lowest and
/// moves backward under the body are used. In-place runs often dip the feet through the ground instead of planting
/// them.
fn cycle_contacts(points: &[DVec3], times: &[f64], metres_per_unit: f64, limits: &ContactLimits) -> Vec<Range<usize>> {
    // A sprinter's foot stands for 22 % of a cycle. Heights beyond 12 cm are steps for any character.
    const CONTACT_MIN_SHARE: f64 = 0.22;
    const CONTACT_MAX_HEIGHT_M: f64 = 0.12;
    let share = |found: &[Range<usize>]| {
        per_frame(found, points.len()).iter().filter(|planted| **planted).count() as f64 / points.len().max(1) as f64
    };
    let mut found = contacts(points, times, metres_per_unit, limits);
    let hardly_rests = share(&found) < CONTACT_MIN_SHARE;
    let mut height = limits.height;
    while share(&found) < CONTACT_MIN_SHARE && height < CONTACT_MAX_HEIGHT_M {
        height += 0.01;
        let release_height = limits.release_height.max(1.1 * height);
        let wider = ContactLimits {
            height,
            release_height,
            speed: 2.0 * limits.speed,
            release_speed: 1.5 * limits.release_speed,
            ..*limits
        };
        found = contacts(points, times, metres_per_unit, &wider);
    }
    if share(&found) < 0.05 {
        // A travel read from the feet is too uneven for speed thresholds; the lowest part of the step is the contact
        // then.
        let low = ContactLimits { height: 0.02, release_height: 0.03, speed: 1e3, release_speed: 1e3, ..*limits };
        found = contacts(points, times, metres_per_unit, &low);
    }
    if hardly_rests { extended(found, points, limits.height / metres_per_unit) } else { found }
}

/// Extends `stances` over the neighbouring frames in which the foot stays within `height` of its lowest position and
/// moves backward under the body. Its speed differs from the body's, but it is not lifted.
fn extended(stances: Vec<Range<usize>>, points: &[DVec3], height: f64) -> Vec<Range<usize>> {
    let highest = points.iter().map(|point| point.y).fold(f64::INFINITY, f64::min) + height;
    let ahead = (points[SAMPLES] - points[0]) / SAMPLES as f64;
    let moves_backward = |i: usize| (points[i] - points[i - 1]).dot(ahead) < ahead.length_squared();
    let mut longer: Vec<Range<usize>> = Vec::new();
    for Range { mut start, mut end } in stances {
        while start > 0 && points[start - 1].y <= highest && moves_backward(start) {
            start -= 1;
        }
        while end < points.len() && points[end].y <= highest && moves_backward(end) {
            end += 1;
        }
        match longer.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => longer.push(start..end),
        }
    }
    longer
}

/// Returns contact limits for a body at `speed` (m/s). The sole of a fast runner never quite rests, least of all if
/// the travel was read from it.
fn limits(speed: f64) -> ContactLimits {
    let usual = ContactLimits::default();
    let fast = ContactLimits { speed: 0.25 * speed, release_speed: 0.45 * speed, ..usual };
    ContactLimits {
        speed: fast.speed.max(usual.speed),
        release_speed: fast.release_speed.max(usual.release_speed),
        ..usual
    }
}

/// Returns the blend at `speed` (m/s) of the gaits in `members`, which are sorted by speed.
pub(super) fn blend_at(gaits: &[Gait], members: &[usize], speed: f64, settings: &Settings) -> GaitBlend {
    let (first, last) = (members[0], members[members.len() - 1]);
    let [slowest, fastest] = settings.play_rates;
    let slow_end = gaits[first].speed() * slowest;
    if speed < slow_end {
        let weight = (speed / slow_end).max(0.0);
        // The cadence stays, and strides shrink with the idle clip's share.
        let stride = gaits[first].stride * weight;
        return GaitBlend { low: None, high: first, weight, stride, rate: slowest, limited: false };
    }
    let single_gait = |high: usize| {
        let rate = speed / gaits[high].speed();
        let limited = rate > fastest * (1.0 + 1e-9);
        GaitBlend { low: None, high, weight: 1.0, stride: gaits[high].stride, rate: rate.min(fastest), limited }
    };
    if speed <= gaits[first].speed() {
        return single_gait(first);
    }
    let Some(pair) = members.windows(2).find(|pair| gaits[pair[1]].speed() >= speed) else { return single_gait(last) };
    let (low, high) = (pair[0], pair[1]);
    let (a, b) = (&gaits[low], &gaits[high]);
    let [a_time, b_time] = [a, b].map(|gait| gait.source.clip.duration);
    let weight = (speed * a_time - a.stride) / ((b.stride - a.stride) - speed * (b_time - a_time));
    let weight = if weight.is_finite() { weight.clamp(0.0, 1.0) } else { 0.5 };
    let stride = a.stride + (b.stride - a.stride) * weight;
    GaitBlend { low: Some(low), high, weight, stride, rate: 1.0, limited: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locomotion::Input;
    use crate::locomotion::clips::in_place_clip::{ClipRole, RootCarrier};
    use portamento_anim::{Model, Roles};

    #[test]
    fn a_foot_that_slides_under_its_body_is_planted_until_it_lifts() {
        // A cycle of 1 m. From a quarter to three quarters the sole is down and slides by up to two body speeds.
        let low = |share: f64| (0.25..0.75).contains(&share);
        let point = |i: usize| {
            let share = i as f64 / SAMPLES as f64;
            let under_body = 0.6 * (std::f64::consts::TAU * share).sin();
            DVec3::new(0.0, if low(share.fract()) { 0.01 } else { 0.3 }, share + under_body)
        };
        let points: Vec<DVec3> = (0..3 * SAMPLES).map(point).collect();
        let times: Vec<f64> = (0..3 * SAMPLES).map(|i| i as f64 / SAMPLES as f64).collect();
        let usual = limits(1.0);
        let rests = per_frame(&contacts(&points, &times, 1.0, &usual), points.len());
        let found = per_frame(&cycle_contacts(&points, &times, 1.0, &usual), points.len());
        let count = |row: &[bool]| row[SAMPLES..2 * SAMPLES].iter().filter(|planted| **planted).count();
        assert!(count(&rests) < SAMPLES / 4, "{}", count(&rests));
        assert!(count(&found).abs_diff(SAMPLES / 2) <= 2, "{} of {SAMPLES}", count(&found));
    }

    #[test]
    fn uneven_landings_are_marked_at_their_times() {
        let mut hero = portamento_test_support::hero();
        let roles = Roles::find(&hero.skeleton, &hero.clips);
        let index = hero.clips.iter().position(|clip| clip.name == "walk").unwrap();
        let length = hero.clips[index].duration;
        // The first half of the cycle takes 60 % of its time.
        let warped = |time: f64| if time < 0.5 * length { 1.2 * time } else { length - 0.8 * (length - time) };
        let measured = |hero: &Model| {
            let (skeleton, clips) = (&hero.skeleton, &hero.clips[..]);
            let input = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: None };
            let clip = InPlaceClip::new(&input, &RootCarrier::find(&input), &clips[index], ClipRole::Cycle);
            Gait::measure(clip, 1.0).unwrap().downs
        };
        let [first, second] = measured(&hero).map(warped);
        for track in &mut hero.clips[index].tracks {
            let times = track.translation.iter_mut().map(|curve| &mut curve.times);
            let times = times.chain(track.rotation.iter_mut().map(|curve| &mut curve.times));
            times.flatten().for_each(|time| *time = warped(f64::from(*time)) as f32);
        }
        let found = measured(&hero);
        let apart = (second - first).rem_euclid(length);
        assert!((apart - 0.5 * length).abs() > 0.05 * length, "{apart} of {length}");
        assert!(((found[1] - found[0]) - apart).abs() < 0.03 * length, "{found:?}, not {first} and {second}");
    }
}
