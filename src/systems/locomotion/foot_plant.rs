//! One foot standing in one place, and how it is let go.

use std::ops::Range;

use glam::DVec3;

/// One foot standing in one place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FootPlant {
    pub frames: Range<usize>,
    pub place: DVec3,
}

impl FootPlant {
    /// Goes by that of `shifts` with which the leg reaches it the longest, by the first of those that are as good; `ground` as in
    /// [`super::foot_plants::FootContacts`].
    pub(super) fn shift_within(
        &mut self,
        shifts: impl IntoIterator<Item = DVec3>,
        within: &dyn Fn(usize, DVec3) -> bool,
        ground: &dyn Fn(usize, DVec3) -> [f64; 2],
    ) {
        let middle = self.frames.start + self.frames.len() / 2;
        let shifted = |shift: DVec3| {
            let place = self.place + shift;
            place + DVec3::Y * (ground(middle, place)[0] - ground(middle, self.place)[0])
        };
        let reached = |place: DVec3| self.frames.clone().filter(|&i| within(i, place)).count();
        let mut best = (reached(self.place), self.place);
        for place in shifts.into_iter().map(shifted) {
            if best.0 == self.frames.len() {
                break;
            }
            let count = reached(place);
            best = if count > best.0 { (count, place) } else { best };
        }
        self.place = best.1;
    }
}

/// Metres between two stands up to which they are one.
pub(super) const SAME: f64 = 0.03;

/// How feet get back to their clips.
#[derive(Clone, Copy)]
pub(super) struct ReleaseLimits {
    /// Frames in which a lifted foot comes back to its clip, ≥ 1.
    pub release: f64,
    pub metres_per_unit: f64,
    /// How far a step is raised over the ground at most, world units.
    pub highest: f64,
    /// By how much more a step is raised in each frame away from its stands at most, world units.
    pub rise: f64,
}
