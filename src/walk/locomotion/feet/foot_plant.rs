//! Stance of one foot at a fixed position, and its release.

use std::ops::Range;

use glam::DVec3;

/// Stance of one foot at a fixed position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FootPlant {
    pub frames: Range<usize>,
    /// Position of the sole, world units.
    pub position: DVec3,
}

/// Returns the landing frame of a foot that stands during `frames` of `count` if it lands less than `fade` frames after the first
/// frame. Otherwise returns its last standing frame if that is less than `fade` frames before the last. Next to a crossing there
/// is no time to correct the foot in the air.
pub(super) fn frame_beside_end(frames: &Range<usize>, count: usize, fade: f64) -> Option<usize> {
    let ends = [(frames.start, frames.start), (count - frames.end, frames.end - 1)];
    ends.into_iter().find(|(away, _)| (*away as f64) < fade).map(|(_, frame)| frame)
}

impl FootPlant {
    /// Moves the plant by the one of `shifts` (world units) with which the leg reaches it in the most frames; ties keep the
    /// earlier one, first of all the present position. `within` is true if the leg reaches a position at a frame. `ground` is
    /// as in [`super::foot_plants::FootContacts`].
    pub(super) fn shift_within(
        &mut self,
        shifts: impl IntoIterator<Item = DVec3>,
        within: &dyn Fn(usize, DVec3) -> bool,
        ground: &dyn Fn(usize, DVec3) -> [f64; 2],
    ) {
        let middle = self.frames.start + self.frames.len() / 2;
        let shifted = |shift: DVec3| {
            let position = self.position + shift;
            position + DVec3::Y * (ground(middle, position)[0] - ground(middle, self.position)[0])
        };
        let reached = |position: DVec3| self.frames.clone().filter(|&i| within(i, position)).count();
        let mut best = (reached(self.position), self.position);
        for position in shifts.into_iter().map(shifted) {
            if best.0 == self.frames.len() {
                break;
            }
            let count = reached(position);
            best = if count > best.0 { (count, position) } else { best };
        }
        self.position = best.1;
    }
}

/// Distance up to which two plants count as one, metres. Tuned; no derivation recorded.
pub(super) const SAME_PLANT_MAX_M: f64 = 0.03;

/// Limits of how feet return to their clips.
#[derive(Clone, Copy)]
pub(crate) struct ReleaseLimits {
    /// Frames in which a lifted foot returns to its clip, ≥ 1.
    pub release: f64,
    pub metres_per_unit: f64,
    /// Largest height by which a step is raised over the ground, world units.
    pub highest: f64,
    /// Largest change of that height per frame next to a stance, world units.
    pub rise: f64,
}
