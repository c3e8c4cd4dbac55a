//! Steps of feet that are planted throughout the changed part but have another wanted position.

use std::f64::consts::PI;
use std::ops::Range;

use glam::DVec3;

use crate::close::feet::SeamSide;

/// Distance to the wanted position from which a foot steps, metres. Shorter ways are slid, at a few centimetres per second.
pub(super) const STEP_MIN_M: f64 = 0.01;
/// Height of a step, metres, for a body of normal size. Chosen: toes are clear of the ground from 0.026 m on.
pub(super) const STEP_HEIGHT_M: f64 = 0.05;
/// Smallest number of frames in which a foot steps.
const STEP_MIN_FRAMES: usize = 2;

/// The turn in which a foot steps: feet step one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// In the first half of the changed part.
    First,
    /// In the second half.
    Second,
}

impl Turn {
    /// Returns the turn of the leg at index `at`: left and right legs alternate.
    pub fn of_leg(at: usize) -> Self {
        if at.is_multiple_of(2) { Self::First } else { Self::Second }
    }

    /// Returns start and end of the part in which the foot swings, as fractions: 0 at the unchanged frame and 1 at the wanted
    /// pose.
    fn swing(self) -> [f64; 2] {
        match self {
            Self::First => [0.15, 0.5],
            Self::Second => [0.5, 0.85],
        }
    }
}

/// A step of a foot that is planted in all frames of a side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    /// The frames in which the foot swings.
    swing: Range<usize>,
    /// True if the foot does not come down before the end.
    moves_on: bool,
}

impl Step {
    /// Returns the step, in its `turn`, of a foot that is planted in all frames of `side`. If the foot `moves_on` at the end, it
    /// swings until then. Returns `None` for other feet, and if there are too few frames.
    pub fn find(side: &SeamSide, turn: Turn, moves_on: bool) -> Option<Self> {
        let count = side.times.len();
        if !side.stances.contains(&(0..count)) {
            return None;
        }
        let [from, to] = turn.swing();
        let frame = |share: f64| (share * (count - 1) as f64).round() as usize;
        // The last two frames give the velocity at the end.
        let swing = frame(from).max(1)..if moves_on { count - 2 } else { frame(to) + 1 };
        (swing.len() >= STEP_MIN_FRAMES && swing.end < count).then_some(Self { swing, moves_on })
    }

    /// Returns the frames in which the foot is planted with this step: those before it and, if it comes down, those after it.
    pub fn stances(&self, side: &SeamSide) -> Vec<Range<usize>> {
        let count = side.times.len();
        let after = (!self.moves_on).then_some(self.swing.end..count);
        std::iter::once(0..self.swing.start).chain(after).collect()
    }

    /// Raises `corrections`, the offsets of the foot per frame, during the swing by up to `height`, both in the file's unit.
    pub fn raise(&self, height: f64, corrections: &mut [DVec3]) {
        for frame in self.swing.clone() {
            let share = (frame - self.swing.start + 1) as f64 / (self.swing.len() + 1) as f64;
            corrections[frame].y += height * (PI * share).sin().powi(2);
        }
    }
}
