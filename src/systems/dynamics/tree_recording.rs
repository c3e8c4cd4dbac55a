//! One tree of bones, simulated and recorded.

use glam::{DVec3, Quat};

use super::bake::{Input, row};
use super::carry::carry_over_seam;
use super::driven_rows::{BrokenJoint, DrivenRows, RowReader};
use super::error::BuildError;
use super::off_step::{OffStepPart, parts_of_step};
use super::report::Report;
use super::rig::{DynamicsRig, STEP};
use super::state::State;
use super::step::{StepLength, step_part};
use super::step_grid::StepGrid;
use crate::progress::Progress;

/// A recording of the bones of one tree.
#[derive(Debug)]
pub(super) struct TreeRecording {
    /// Step after step, one rotation per bone.
    pub rotations: Vec<Quat>,
    /// The cycle after the recorded one, where a loop does not repeat; else empty.
    pub following: Vec<Quat>,
    /// Frame after frame between steps.
    pub off_step: Vec<Quat>,
    /// What was measured.
    pub report: Report,
    /// What rests because its animation is no number.
    pub broken: Option<BrokenJoint>,
}

/// How a recording begins and whether it goes round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rounds {
    /// Whether the end runs on into the start.
    pub looping: bool,
    /// Whether a loop is run until it repeats.
    pub clean: bool,
    /// Seconds for which the first pose is held before.
    pub pre_roll: f64,
}

/// What a tree is recorded from.
#[derive(Clone, Copy)]
pub(super) struct Drive<'a> {
    pub input: &'a Input<'a>,
    pub grid: StepGrid,
    pub rounds: Rounds,
    /// The animation at every substep.
    pub steps: &'a DrivenRows,
    /// What leads to frames between steps, and the animation there.
    pub parts: &'a [OffStepPart],
    pub off_step: &'a DrivenRows,
}

/// Loops are run at most this often.
const CYCLES: usize = 64;
/// A loop whose state differs by no more than this share of a bone's length repeats.
pub(super) const REPEATS: f64 = 1e-5;
/// From a residue like this on the next cycle may repeat.
const NEARLY: f64 = 1e-3;
/// Seconds within which most swings settle.
const SETTLED: f64 = 3.0;
/// Seconds before the end of a long loop from which it is run until its start is settled; the rest of the cycle would be forgotten.
const LEAD: f64 = 4.0;

/// Records the bones of `rig`, which are those of one tree.
pub(super) fn record(rig: &DynamicsRig, drive: &Drive, progress: &Progress) -> Result<TreeRecording, BuildError> {
    let mut recorder = Recorder {
        rig,
        drive,
        progress,
        steps: RowReader::new(drive.input, rig, drive.steps),
        off_steps: RowReader::new(drive.input, rig, drive.off_step),
        report: Report { cycles: 1, ..Report::default() },
        rotations: Vec::new(),
        following: Vec::new(),
        off_step: Vec::new(),
    };
    recorder.run()?;
    let broken = [recorder.steps.broken, recorder.off_steps.broken].into_iter().flatten();
    Ok(TreeRecording {
        broken: broken.min_by(|a, b| a.time.total_cmp(&b.time)),
        rotations: recorder.rotations,
        following: recorder.following,
        off_step: recorder.off_step,
        report: recorder.report,
    })
}

/// A recording being made.
struct Recorder<'a> {
    rig: &'a DynamicsRig,
    drive: &'a Drive<'a>,
    progress: &'a Progress,
    steps: RowReader<'a>,
    off_steps: RowReader<'a>,
    report: Report,
    rotations: Vec<Quat>,
    following: Vec<Quat>,
    off_step: Vec<Quat>,
}

impl TreeRecording {
    /// The cycle after the recorded one: the same where that repeats.
    pub fn second_cycle(&self) -> &[Quat] {
        if self.following.is_empty() { &self.rotations } else { &self.following }
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        (self.rotations.len() + self.following.len() + self.off_step.len()) * size_of::<Quat>()
    }
}

impl Recorder<'_> {
    fn run(&mut self) -> Result<(), BuildError> {
        let Rounds { looping, clean, pre_roll } = self.drive.rounds;
        if !looping {
            // The first pose is held, so that the bones hang from it as if they always had.
            let mut state = State::at(self.rig, self.steps.at(0).pose);
            let still = (pre_roll / STEP).round() as usize;
            for done in 0..still {
                self.progress.step(done, still + self.drive.grid.steps)?;
                self.hold_step(&mut state);
            }
            return self.cycle(&mut state, 0, true);
        }
        let mut state = self.settled()?;
        loop {
            // The cycle is simulated again and again from where it ended until one that is recorded repeats.
            let last = !clean || self.report.cycles >= CYCLES;
            let record = last || self.may_repeat();
            if record {
                self.rotations.clear();
                self.off_step.clear();
                self.report.reset_measurements();
            }
            let before = state.clone();
            self.cycle(&mut state, 0, record)?;
            carry_over_seam(self.rig, &mut state, self.steps.at(0).pose);
            self.compare(&before, &state);
            if last || record && self.repeats() {
                break;
            }
            self.report.cycles += 1;
        }
        if clean && !self.repeats() { self.record_following_cycle(&mut state) } else { Ok(()) }
    }

    /// The state in which the first cycle of a loop begins: of a long one, what the end of the cycle before leaves.
    fn settled(&mut self) -> Result<State, BuildError> {
        let grid = self.drive.grid;
        let lead = (LEAD / grid.h).round() as usize;
        if !self.drive.rounds.clean || grid.steps < 2 * lead {
            return Ok(State::at(self.rig, self.steps.at(0).pose));
        }
        let first = grid.steps - lead;
        let mut state = State::at(self.rig, self.steps.at(grid.row(first, 0)).pose);
        self.cycle(&mut state, first, false)?;
        carry_over_seam(self.rig, &mut state, self.steps.at(0).pose);
        self.report.cycles += 1;
        // Nothing is known of how well it repeats; the cycle that is recorded next tells.
        self.report.residue = Some(f64::INFINITY);
        Ok(state)
    }

    fn repeats(&self) -> bool {
        self.report.residue.is_some_and(|residue| residue <= REPEATS)
    }

    /// Whether the cycle after one with such a residue is likely to repeat: the residue is small, or the cycle so long that what swings
    /// has settled by its end.
    fn may_repeat(&self) -> bool {
        let seconds = self.drive.grid.steps as f64 * self.drive.grid.h;
        self.report.residue.is_some_and(|residue| residue <= NEARLY || seconds >= SETTLED)
    }

    /// Runs the cycle after the recorded one, to mix the two; the report stays that of the recorded one.
    fn record_following_cycle(&mut self, state: &mut State) -> Result<(), BuildError> {
        let recorded = (self.rotations.len(), self.report.clone());
        let off_step = std::mem::take(&mut self.off_step);
        self.cycle(state, 0, true)?;
        self.off_step = off_step;
        self.following = self.rotations.split_off(recorded.0);
        self.report = recorded.1;
        Ok(())
    }

    /// Runs the cycle from step `first` to its end.
    fn cycle(&mut self, state: &mut State, first: usize, record: bool) -> Result<(), BuildError> {
        let grid = self.drive.grid;
        if record {
            self.record(state, grid.row(first, 0));
        }
        for index in first..grid.steps {
            self.progress.step(index, grid.steps)?;
            if record {
                self.record_off_step(state, index);
            }
            for substep in 1..=grid.substeps {
                let moment = self.steps.at(grid.row(index, substep));
                step_part(self.rig, state, moment, StepLength { whole: grid.substep(), share: 1.0 });
            }
            if record {
                self.record(state, grid.row(index + 1, 0));
            }
        }
        Ok(())
    }

    /// A step in which the animation stands at its start.
    fn hold_step(&mut self, state: &mut State) {
        for _ in 0..self.drive.grid.substeps {
            step_part(self.rig, state, self.steps.at(0), StepLength { whole: self.drive.grid.substep(), share: 1.0 });
        }
    }

    fn record(&mut self, state: &State, at: usize) {
        let moment = self.steps.at(at);
        let time = (at / self.drive.grid.substeps as usize) as f64 * self.drive.grid.h;
        self.report.measure(self.rig, state, moment.pose, time);
        self.report.count_contacts(state);
        self.rotations.extend(row(self.rig, state, &self.rotations));
    }

    /// The frames between step `index`, which `state` has, and the next.
    fn record_off_step(&mut self, state: &State, index: usize) {
        let Drive { grid, parts, .. } = *self.drive;
        let whole = grid.substep();
        let range = parts_of_step(parts, index);
        let mut parts = range.clone().zip(&parts[range]).peekable();
        while let Some((first, part)) = parts.next() {
            // On a copy: the steps themselves must not depend on which frames are asked for between them.
            let mut state = state.clone();
            step_part(self.rig, &mut state, self.off_steps.at(first), StepLength { whole, share: part.share });
            let mut last = first;
            while let Some((next, part)) = parts.next_if(|(_, next)| next.frame == part.frame) {
                step_part(self.rig, &mut state, self.off_steps.at(next), StepLength { whole, share: part.share });
                last = next;
            }
            let moment = self.off_steps.at(last);
            self.report.measure(self.rig, &state, moment.pose, moment.time);
            self.off_step.extend(row(self.rig, &state, &self.rotations));
        }
    }

    /// How far the state is from what it was a cycle before, relative to bone lengths.
    fn compare(&mut self, before: &State, after: &State) {
        let mut worst = (0.0, None);
        for (index, bone) in self.rig.bones.iter().enumerate().filter(|(index, _)| before.bones[*index].length > 0.0) {
            let apart = |a: DVec3, b: DVec3| a.distance(b) / before.bones[index].length;
            let shown = apart(before.shown[index].tip(), after.shown[index].tip());
            // Place and speed both have to repeat, the speed being the difference from the place before.
            let tips = apart(before.bones[index].tip(), after.bones[index].tip());
            let difference = apart(before.previous_tips[index], after.previous_tips[index]).max(tips).max(shown);
            if difference > worst.0 {
                worst = (difference, Some(bone.joint));
            }
        }
        (self.report.residue, self.report.residue_joint) = (Some(worst.0), worst.1);
    }
}
