//! Positions of the bones during a cycle, compared with those of the next cycle to detect repetition.

use glam::DVec3;

use super::step_grid::StepGrid;
use crate::chains::rig::STEP;
use crate::chains::state::State;

/// Seconds for which two cycles must agree before the rest of the cycle counts as known. A shorter match can be a
/// coincidence: different swings pass through the same rest position. Tuned; no derivation recorded.
const MIN_AGREEMENT_SECONDS: f64 = 0.25;

/// Ends of all bones after each step of a cycle.
#[derive(Debug, Default)]
pub(super) struct CycleTrack {
    /// Tips step by step, one pair per bone, metres: simulated and shown.
    tips: Vec<[DVec3; 2]>,
    /// True if the track holds the complete previous cycle.
    pub is_complete: bool,
    /// Number of consecutive steps for which the two cycles agree.
    agreeing: usize,
    /// Largest difference in these steps, as a share of a bone's length, and the bone.
    pub difference: (f64, Option<usize>),
}

impl CycleTrack {
    /// Records `state` after step `index`. Returns true if the bones have followed the previous cycle for at least
    /// [`MIN_AGREEMENT_SECONDS`]. Positions that differ by at most `max_difference` of a bone's length count as equal.
    pub fn repeats(&mut self, state: &State, grid: &StepGrid, index: usize, max_difference: f64) -> bool {
        let count = state.bones.len();
        self.tips.resize(grid.steps * count, [DVec3::ZERO; 2]);
        let (mut difference, mut at) = (0.0, None);
        let tips = self.tips[index * count..(index + 1) * count].iter_mut();
        for (bone, (known, (simulated, shown))) in tips.zip(state.bones.iter().zip(&state.shown)).enumerate() {
            let now = [simulated.tip(), shown.tip()];
            let before = std::mem::replace(known, now);
            if simulated.length > 0.0 {
                let far = before[0].distance(now[0]).max(before[1].distance(now[1])) / simulated.length;
                // Written so that NaN never agrees.
                (difference, at) = if far <= difference { (difference, at) } else { (far, Some(bone)) };
            }
        }
        let agrees = self.is_complete && difference <= max_difference;
        if !agrees {
            (self.agreeing, self.difference) = (0, (0.0, None));
            return false;
        }
        self.agreeing += 1;
        if difference > self.difference.0 {
            self.difference = (difference, at);
        }
        self.agreeing as f64 * STEP >= MIN_AGREEMENT_SECONDS
    }
}
