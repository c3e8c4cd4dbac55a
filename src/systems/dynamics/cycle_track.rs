//! Where the bones went in a cycle, to tell in the next one that they go there again.

use glam::DVec3;

use super::rig::STEP;
use super::state::State;
use super::step_grid::StepGrid;

/// Seconds for which two cycles must agree until the rest of them is the same: what swings passes through its rest once in a while, and
/// another swing may meet it there.
const AGREED: f64 = 0.25;

/// The ends of all bones after each step of a cycle.
#[derive(Debug, Default)]
pub(super) struct CycleTrack {
    /// Step after step, one per bone, metres: as simulated and as shown.
    tips: Vec<[DVec3; 2]>,
    /// Whether it holds a whole cycle, the one before.
    pub is_whole: bool,
    /// Steps for which the two cycles agree by now.
    agreeing: usize,
    /// Largest difference in these steps, as a share of a bone's length, and the bone.
    pub apart: (f64, Option<usize>),
}

impl CycleTrack {
    /// Notes where `state` is after step `index`, and tells whether it was there a cycle before for long enough that the rest of the
    /// cycle is known; places that differ by no more than `same` of a bone's length are one.
    pub fn meets(&mut self, state: &State, grid: &StepGrid, index: usize, same: f64) -> bool {
        let count = state.bones.len();
        self.tips.resize(grid.steps * count, [DVec3::ZERO; 2]);
        let (mut apart, mut at) = (0.0, None);
        let tips = self.tips[index * count..(index + 1) * count].iter_mut();
        for (bone, (known, (simulated, shown))) in tips.zip(state.bones.iter().zip(&state.shown)).enumerate() {
            let now = [simulated.tip(), shown.tip()];
            let before = std::mem::replace(known, now);
            if simulated.length > 0.0 {
                let far = before[0].distance(now[0]).max(before[1].distance(now[1])) / simulated.length;
                // Written so that NaN never agrees.
                (apart, at) = if far <= apart { (apart, at) } else { (far, Some(bone)) };
            }
        }
        let agrees = self.is_whole && apart <= same;
        if !agrees {
            (self.agreeing, self.apart) = (0, (0.0, None));
            return false;
        }
        self.agreeing += 1;
        if apart > self.apart.0 {
            self.apart = (apart, at);
        }
        self.agreeing as f64 * STEP >= AGREED
    }
}
