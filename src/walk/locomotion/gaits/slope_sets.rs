//! Gait sets per slope range, and the changes between them along a path.
//!
//! Gaits with the same slope range form a set. If several ranges contain the slope, the narrowest is used. Gaits of
//! wider ranges fill the speeds for which a set has no clip. A set stays until the slope is well out of its range, and
//! a cross-fade completes before the next change. This avoids flicker on uneven ground.

use super::gait::Gait;
use portamento_anim::math::easing::Easing;

/// The gaits of one slope range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SlopeSet {
    /// Slope range of the set, degrees.
    pub range: [f64; 2],
    /// Indices of its gaits by rising speed; at least one.
    pub gaits: Vec<usize>,
}

/// Hysteresis: degrees beyond its range up to which a set stays. Tuned; no derivation recorded.
pub(crate) const HYSTERESIS_DEGREES: f64 = 2.0;
/// Cross-fade time between two sets, seconds. Tuned; no derivation recorded.
pub(crate) const FADE_SECONDS: f64 = 0.4;
/// A gait of a wider range is skipped if a gait of the narrower range has a speed within this ratio. Tuned; no
/// derivation recorded.
const SPEED_MAX_RATIO: f64 = 1.6;

/// Returns the sets of `gaits`, narrowest range first.
pub(crate) fn sets(gaits: &[Gait]) -> Vec<SlopeSet> {
    let mut ranges: Vec<[f64; 2]> = Vec::new();
    for gait in gaits {
        if !ranges.contains(&gait.slope) {
            ranges.push(gait.slope);
        }
    }
    ranges.sort_by(|a, b| width(*a).total_cmp(&width(*b)).then(a[0].total_cmp(&b[0])));
    ranges.iter().map(|&range| SlopeSet { range, gaits: members(gaits, range) }).collect()
}
/// Returns the width of a slope range, degrees.
fn width([low, high]: [f64; 2]) -> f64 {
    high - low
}

/// Returns the indices of the gaits of `range` (degrees), and of those of wider ranges whose speed is far from all of its
/// own, by rising speed.
fn members(gaits: &[Gait], range: [f64; 2]) -> Vec<usize> {
    let own = |gait: &Gait| gait.slope == range;
    let around = |gait: &Gait| gait.slope[0] <= range[0] && gait.slope[1] >= range[1];
    let ratio = |a: f64, b: f64| (a / b).max(b / a);
    let missing = |gait: &Gait| {
        gaits.iter().filter(|other| own(other)).all(|other| ratio(other.speed(), gait.speed()) > SPEED_MAX_RATIO)
    };
    let is_member = |gait: &Gait| own(gait) || (around(gait) && missing(gait));
    let mut members: Vec<usize> = (0..gaits.len()).filter(|&i| is_member(&gaits[i])).collect();
    members.sort_by(|&a, &b| gaits[a].speed().total_cmp(&gaits[b].speed()));
    members
}

impl SlopeSet {
    /// Returns the degrees by which `slope` is outside the range; 0 within.
    pub fn beyond(&self, slope: f64) -> f64 {
        (self.range[0] - slope).max(slope - self.range[1]).max(0.0)
    }
}

/// Returns the index of the set for `slope` (degrees): the narrowest that contains it, otherwise the nearest.
fn best(sets: &[SlopeSet], slope: f64) -> usize {
    let nearest = |a: &usize, b: &usize| sets[*a].beyond(slope).total_cmp(&sets[*b].beyond(slope));
    (0..sets.len()).min_by(nearest).unwrap_or(0)
}

/// Selection of the slope set from frame to frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlopeSelector {
    /// Index of the current set.
    pub now: usize,
    /// Index of the previous set.
    pub before: usize,
    /// Time of the last change, seconds.
    changed: f64,
}

impl SlopeSelector {
    /// Starts on ground of `slope` degrees.
    pub fn new(sets: &[SlopeSet], slope: f64) -> Self {
        let now = best(sets, slope);
        Self { now, before: now, changed: f64::NEG_INFINITY }
    }

    /// Switches to the set for `slope` (degrees) at `time` (seconds). The set stays while the slope is only a little beyond
    /// its range, and until the last change has faded in.
    pub fn step(&mut self, sets: &[SlopeSet], slope: f64, time: f64) {
        let best = best(sets, slope);
        let (known, beyond) = (&sets[self.now], sets[self.now].beyond(slope));
        let is_narrower = width(sets[best].range) < width(known.range);
        let stays = beyond <= HYSTERESIS_DEGREES && (beyond > 0.0 || !is_narrower);
        if best != self.now && !stays && time >= self.changed + FADE_SECONDS {
            *self = Self { now: best, before: self.now, changed: time };
        }
    }

    /// Returns the share of the previous set at `time` (seconds), 0…1.
    pub fn fade(&self, time: f64) -> f64 {
        1.0 - Easing::Smoothstep.at((time - self.changed) / FADE_SECONDS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn up_and_any() -> Vec<SlopeSet> {
        let set = |range, gaits: &[usize]| SlopeSet { range, gaits: gaits.to_vec() };
        vec![set([8.0, 90.0], &[1]), set([-90.0, 90.0], &[0])]
    }

    fn changes(slopes: impl Fn(f64) -> f64) -> usize {
        let sets = up_and_any();
        let mut selector = SlopeSelector::new(&sets, slopes(0.0));
        let mut count = 0;
        for frame in 1..600 {
            let (time, before) = (f64::from(frame) / 60.0, selector.now);
            selector.step(&sets, slopes(time), time);
            count += usize::from(selector.now != before);
        }
        count
    }

    #[test]
    fn a_slope_that_wavers_about_the_edge_changes_the_gait_once() {
        assert_eq!(changes(|time| 7.9 + 1.5 * (time * 20.0).sin()), 1);
        assert_eq!(changes(|time| time), 1);
        assert_eq!(changes(|time| if time < 5.0 { 12.0 } else { 3.0 }), 1);
        let sets = [[-90.0, 0.0], [0.0, 90.0]].map(|range| SlopeSet { range, gaits: vec![0] });
        let mut selector = SlopeSelector::new(&sets, 1.0);
        (1..600).for_each(|i| selector.step(&sets, (f64::from(i) * 0.3).sin() * 1.9, f64::from(i) / 60.0));
        assert_eq!(selector.now, 1);
    }

    #[test]
    fn a_cross_fade_completes_before_the_next_change() {
        let fastest = (9.99 / FADE_SECONDS).ceil() as usize;
        let count = changes(|time| if ((time * 7.0) as usize).is_multiple_of(2) { 0.0 } else { 20.0 });
        assert!(count <= fastest && count > 5, "{count}");
        let mut selector = SlopeSelector::new(&up_and_any(), 0.0);
        assert_eq!(selector.fade(0.0), 0.0);
        selector.step(&up_and_any(), 20.0, 1.0);
        assert!(
            selector.fade(1.0) == 1.0
                && selector.fade(1.0 + FADE_SECONDS) == 0.0
                && selector.now == 0
                && selector.before == 1
        );
    }

    #[test]
    fn a_slope_outside_all_ranges_takes_the_nearest() {
        let set = |range| SlopeSet { range, gaits: vec![0] };
        let sets = [set([10.0, 20.0]), set([-20.0, 5.0])];
        assert_eq!([best(&sets, 6.0), best(&sets, 9.0), best(&sets, 40.0), best(&sets, -90.0)], [1, 0, 0, 1]);
        assert!((sets[0].beyond(40.0) - 20.0).abs() < 1e-12 && sets[0].beyond(15.0) == 0.0);
    }
}
