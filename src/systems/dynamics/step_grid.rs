//! The moments at which a recording is made.

use super::rig::STEP;

/// Steps of one length, each in as many substeps as the forces need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StepGrid {
    /// Steps of the animation.
    pub steps: usize,
    /// Parts of each step.
    pub substeps: u32,
    /// Seconds of a step.
    pub h: f64,
}

impl StepGrid {
    /// The steps of an animation of `duration` seconds; of one that loops they end where it does.
    pub fn new(duration: f64, looping: bool, substeps: u32) -> Self {
        if looping {
            // A whole number of steps, so that the end of the loop is a step too.
            let steps = (duration / STEP).round() as usize;
            return Self { steps, substeps, h: duration / steps as f64 };
        }
        // The last step may lie past the end, where the animation holds still.
        Self { steps: (duration / STEP - 1e-6).ceil().max(0.0) as usize, substeps, h: STEP }
    }

    /// Seconds of a substep.
    pub(super) fn substep(&self) -> f64 {
        self.h / f64::from(self.substeps)
    }

    /// Seconds at `place` substeps (a part of one is meant) after the beginning of step `index`.
    pub fn time(&self, index: usize, place: f64) -> f64 {
        (index as f64 + place / f64::from(self.substeps)) * self.h
    }

    /// Which row a substep has in a table of all of them, the beginning being row 0; substeps of a step count from 1.
    pub fn row(&self, index: usize, substep: u32) -> usize {
        index * self.substeps as usize + substep as usize
    }

    /// Seconds of every row.
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
