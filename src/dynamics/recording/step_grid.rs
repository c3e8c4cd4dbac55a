//! Times of the steps of a recording.

use crate::chains::rig::STEP;

/// Steps of equal length, each divided into as many substeps as the forces need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StepGrid {
    /// Number of steps.
    pub steps: usize,
    /// Number of substeps per step.
    pub substeps: u32,
    /// Length of a step, seconds.
    pub h: f64,
}

impl StepGrid {
    /// Returns the steps of an animation of `duration` seconds. For a looping animation the last step ends exactly at its
    /// end.
    pub fn new(duration: f64, looping: bool, substeps: u32) -> Self {
        if looping {
            // A whole number of steps, so that a step ends at the end of the loop.
            let steps = (duration / STEP).round() as usize;
            return Self { steps, substeps, h: duration / steps as f64 };
        }
        // The last step may end after the animation, which then rests in its last pose.
        Self { steps: (duration / STEP - 1e-6).ceil().max(0.0) as usize, substeps, h: STEP }
    }

    /// Returns the length of a substep, seconds.
    pub(crate) fn substep(&self) -> f64 {
        self.h / f64::from(self.substeps)
    }

    /// Returns the time in seconds at `substep_offset` substeps, which may be fractional, after the beginning of step
    /// `index`.
    pub fn time(&self, index: usize, substep_offset: f64) -> f64 {
        (index as f64 + substep_offset / f64::from(self.substeps)) * self.h
    }

    /// Returns the row of a substep in a table of all substeps. Row 0 is the beginning; the substeps of a step count from
    /// 1.
    pub fn row(&self, index: usize, substep: u32) -> usize {
        index * self.substeps as usize + substep as usize
    }

    /// Returns the time of every row, seconds.
    pub fn times(&self) -> Vec<f64> {
        let steps = (0..self.steps).flat_map(|index| (1..=self.substeps).map(move |substep| (index, substep)));
        let first = std::iter::once(0.0);
        first.chain(steps.map(|(index, substep)| self.time(index, f64::from(substep)))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_cut_into_whole_steps_and_rows_lie_at_their_times() {
        let grid = StepGrid::new(1.003, true, 2);
        assert_eq!((grid.steps, grid.h * grid.steps as f64), (241, 1.003));
        let open = StepGrid::new(1.003, false, 2);
        assert_eq!((open.steps, open.h), (241, STEP));
        let times = grid.times();
        assert_eq!(times.len(), 2 * 241 + 1);
        assert_eq!(times[grid.row(7, 2)], grid.time(8, 0.0));
        assert!((times[grid.row(7, 1)] - 7.5 * grid.h).abs() < 1e-12);
    }
}
