//! Trees of bones, simulated together and each recorded by itself.

use std::ops::Range;
use std::sync::Arc;

use glam::{DVec3, Quat};

use super::carry::carry_over_seam;
use super::cycle_track::CycleTrack;
use super::driven_rows::{BrokenJoint, DrivenRows, RowReader};
use super::error::BuildError;
use super::input::Input;
use super::keyed::SettingsOverTime;
use super::keyed_rig::KeyedRig;
use super::measured::{Gauge, Measured};
use super::off_step::{OffStepPart, parts_of_step};
use super::report::{Report, Warning};
use super::rig::{DynamicsRig, STEP};
use super::state::State;
use super::step::step_part;
use super::step_factors::StepFactors;
use super::step_grid::StepGrid;
use crate::math::mean::aligned;
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
    /// What rests because its animation is not finite.
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
pub(super) struct TreeDrive<'a> {
    pub input: &'a Input<'a>,
    pub over_time: SettingsOverTime<'a>,
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
const REPEATS: f64 = 1e-5;
/// From a residue like this on the next cycle may repeat.
const NEARLY: f64 = 1e-3;
/// Seconds within which most swings settle.
const SETTLED: f64 = 3.0;

/// Records the bones of `rig`, which are those of `trees`: only one where it goes round.
pub(super) fn record(
    rig: &DynamicsRig,
    trees: &[usize],
    drive: &TreeDrive,
    progress: &Progress,
) -> Result<Vec<TreeRecording>, BuildError> {
    let (bones, steps) = (rig.bones.len(), drive.grid.steps);
    let frames = drive.parts.last().map_or(0, |part| part.frame + 1);
    let gauged = |&tree: &usize| GaugedTree {
        bones: (0..bones).filter(|&index| rig.bones[index].tree == tree).collect(),
        measured: vec![Measured::default(); steps + 1],
        off_measured: vec![Measured::default(); frames],
    };
    let mut recorder = Recorder {
        now: KeyedRig::new(rig, drive.over_time, drive.grid.substep()),
        drive,
        progress,
        steps: RowReader::new(drive.input, rig, drive.steps),
        off_steps: RowReader::new(drive.input, rig, drive.off_step),
        gauge: Gauge::default(),
        track: CycleTrack::default(),
        report: Report { cycles: 1, ..Report::default() },
        rotations: vec![Quat::IDENTITY; (steps + 1) * bones],
        off_step: vec![Quat::IDENTITY; frames * bones],
        trees: trees.iter().map(gauged).collect(),
        following: Vec::new(),
    };
    recorder.run()?;
    Ok(recorder.finished())
}

/// A recording being made.
struct Recorder<'a> {
    /// The rig as it is at the moment that is stepped to.
    now: KeyedRig<'a>,
    drive: &'a TreeDrive<'a>,
    progress: &'a Progress,
    steps: RowReader<'a>,
    off_steps: RowReader<'a>,
    gauge: Gauge,
    track: CycleTrack,
    report: Report,
    /// Step after step, one for each bone of all trees.
    rotations: Vec<Quat>,
    off_step: Vec<Quat>,
    following: Vec<Quat>,
    trees: Vec<GaugedTree>,
}

/// What is measured on one tree.
#[derive(Clone)]
struct GaugedTree {
    /// Indices of its bones, ascending.
    bones: Vec<usize>,
    /// One for each step.
    measured: Vec<Measured>,
    /// One for each frame between steps.
    off_measured: Vec<Measured>,
}

impl GaugedTree {
    /// The values of its bones out of `rows`, which have one for each of `count` bones.
    fn columns(&self, rows: &[Quat], count: usize) -> Vec<Quat> {
        rows.chunks_exact(count.max(1)).flat_map(|row| self.bones.iter().map(|&bone| row[bone])).collect()
    }
}

impl TreeRecording {
    /// The cycle after the recorded one: the same where that repeats.
    pub(super) fn second_cycle(&self) -> &[Quat] {
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
            let mut state = State::at(&self.now.rig, self.steps.at(0).pose);
            let still = (pre_roll / STEP).round() as usize;
            for done in 0..still {
                self.progress.step(done, still + self.drive.grid.steps)?;
                self.hold_step(&mut state);
            }
            return self.cycle(&mut state, true).map(|_| ());
        }
        let mut state = State::at(&self.now.rig, self.steps.at(0).pose);
        loop {
            // The cycle is simulated again and again from where it ended until one that is recorded repeats.
            let last = !clean || self.report.cycles >= CYCLES;
            let record = last || self.may_repeat();
            let before = state.clone();
            if self.cycle(&mut state, record)? {
                // The rest is as it was a cycle before.
                let (residue, bone) = self.track.apart;
                (self.report.residue, self.report.residue_joint) =
                    (Some(residue), bone.map(|bone| self.now.rig.bones[bone].joint));
                return Ok(());
            }
            self.track.is_whole = record && clean;
            carry_over_seam(&self.now.rig, &mut state, self.steps.at(0).pose);
            self.compare(&before, &state);
            if last || record && self.repeats() {
                break;
            }
            self.report.cycles += 1;
        }
        if clean && !self.repeats() { self.record_following_cycle(&mut state) } else { Ok(()) }
    }

    fn repeats(&self) -> bool {
        self.report.residue.is_some_and(|residue| residue <= REPEATS)
    }

    /// Whether the next cycle, or the end of it, is likely to be the one that repeats: the residue of the one before is small, or the
    /// cycle so long that what swings has settled by its end.
    fn may_repeat(&self) -> bool {
        let seconds = self.drive.grid.steps as f64 * self.drive.grid.h;
        seconds >= SETTLED || self.report.residue.is_some_and(|residue| residue <= NEARLY)
    }

    /// Runs the cycle after the recorded one, to mix the two; the report stays that of the recorded one.
    fn record_following_cycle(&mut self, state: &mut State) -> Result<(), BuildError> {
        let recorded = (self.rotations.clone(), self.off_step.clone(), self.trees.clone());
        self.track.is_whole = false;
        self.cycle(state, true)?;
        self.following = std::mem::replace(&mut self.rotations, recorded.0);
        (self.off_step, self.trees) = (recorded.1, recorded.2);
        Ok(())
    }

    /// Runs the cycle to its end, or until the bones go where they went in the cycle before, which is told.
    fn cycle(&mut self, state: &mut State, record: bool) -> Result<bool, BuildError> {
        let grid = self.drive.grid;
        self.now.go_to(0.0);
        if record {
            self.record(state, 0);
        }
        for index in 0..grid.steps {
            self.progress.step(index, grid.steps)?;
            if record {
                self.record_off_step(state, index);
            }
            for substep in 1..=grid.substeps {
                let moment = self.steps.at(grid.row(index, substep));
                self.now.go_to(moment.time);
                step_part(&self.now.rig, state, moment, &self.now.factors);
            }
            if record {
                self.record(state, index + 1);
            }
            let clean = self.drive.rounds.looping && self.drive.rounds.clean;
            if record && clean && self.track.meets(state, &grid, index, REPEATS) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A step in which the animation stands at its start.
    fn hold_step(&mut self, state: &mut State) {
        for _ in 0..self.drive.grid.substeps {
            step_part(&self.now.rig, state, self.steps.at(0), &self.now.factors);
        }
    }

    /// Records what `state` shows at step `index`.
    fn record(&mut self, state: &State, index: usize) {
        let moment = self.steps.at(self.drive.grid.row(index, 0));
        let time = index as f64 * self.drive.grid.h;
        self.gauge.place(&self.now.rig, state, moment.pose);
        for tree in &mut self.trees {
            let bones = tree.bones.iter().copied();
            tree.measured[index] = self.gauge.measured(&self.now.rig, state, moment.pose, time, bones);
        }
        let shown = self.rotations.iter_mut().skip(index * self.now.rig.bones.len());
        shown.zip(self.gauge.rotations()).for_each(|(to, rotation)| *to = aligned(rotation, Quat::IDENTITY));
    }

    /// The frames between step `index`, which `state` has, and the next.
    fn record_off_step(&mut self, state: &State, index: usize) {
        let TreeDrive { grid, parts, .. } = *self.drive;
        let range = parts_of_step(parts, index);
        let mut parts = range.clone().zip(&parts[range]).peekable();
        while let Some((first, part)) = parts.next() {
            // On a copy: the steps themselves must not depend on which frames are asked for between them.
            let mut state = state.clone();
            self.step_to_frame(&mut state, first, part, &grid);
            let mut last = first;
            while let Some((next, part)) = parts.next_if(|(_, next)| next.frame == part.frame) {
                self.step_to_frame(&mut state, next, part, &grid);
                last = next;
            }
            let moment = self.off_steps.at(last);
            self.gauge.place(&self.now.rig, &state, moment.pose);
            for tree in &mut self.trees {
                let bones = tree.bones.iter().copied();
                tree.off_measured[part.frame] =
                    self.gauge.measured(&self.now.rig, &state, moment.pose, moment.time, bones);
            }
            let shown = self.off_step.iter_mut().skip(part.frame * self.now.rig.bones.len());
            shown.zip(self.gauge.rotations()).for_each(|(to, rotation)| *to = aligned(rotation, Quat::IDENTITY));
        }
    }

    /// Steps `state` to the end of `part`, whose animation is row `row`.
    fn step_to_frame(&mut self, state: &mut State, row: usize, part: &OffStepPart, grid: &StepGrid) {
        let moment = self.off_steps.at(row);
        self.now.go_to(moment.time);
        let factors = StepFactors::new(&self.now.rig, grid.substep(), part.share);
        step_part(&self.now.rig, state, moment, &factors);
    }

    /// The recordings, with all that was measured on them.
    fn finished(mut self) -> Vec<TreeRecording> {
        let count = self.now.rig.bones.len();
        align_rows(&mut self.rotations, count);
        if let Some(last) = self.rotations.len().checked_sub(count).filter(|_| !self.following.is_empty()) {
            align(&self.rotations[last..], &mut self.following[..count]);
            align_rows(&mut self.following, count);
        }
        for index in 0..=self.drive.grid.steps {
            for frame in self.frames_after(index) {
                align(&self.rotations[index * count..], &mut self.off_step[frame * count..(frame + 1) * count]);
            }
        }
        self.trees.iter().map(|tree| self.recording(tree)).collect()
    }

    /// The frames between step `index` and the next.
    fn frames_after(&self, index: usize) -> Range<usize> {
        let parts = &self.drive.parts[parts_of_step(self.drive.parts, index)];
        parts.first().map_or(0..0, |first| first.frame..parts[parts.len() - 1].frame + 1)
    }

    fn recording(&self, tree: &GaugedTree) -> TreeRecording {
        let mut report = self.report.clone();
        for (index, measured) in tree.measured.iter().enumerate() {
            report.contacts.push(measured.touching);
            report.add(measured);
            self.frames_after(index).for_each(|frame| report.add(&tree.off_measured[frame]));
        }
        let broken = [self.steps.broken, self.off_steps.broken].into_iter().flatten();
        let columns = |rows: &[Quat]| tree.columns(rows, self.now.rig.bones.len());
        TreeRecording {
            broken: broken.min_by(|a, b| a.time.total_cmp(&b.time)),
            rotations: columns(&self.rotations),
            following: columns(&self.following),
            off_step: columns(&self.off_step),
            report,
        }
    }

    /// How far the state is from what it was a cycle before, relative to bone lengths.
    fn compare(&mut self, before: &State, after: &State) {
        let mut worst = (0.0, None);
        for (index, bone) in
            self.now.rig.bones.iter().enumerate().filter(|(index, _)| before.bones[*index].length > 0.0)
        {
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

/// Turns each of `rows` of `count` rotations into the hemisphere of the one before, or interpolation between them takes the long way.
fn align_rows(rows: &mut [Quat], count: usize) {
    for at in (count..rows.len()).step_by(count.max(1)) {
        let (before, after) = rows.split_at_mut(at);
        align(&before[at - count..], &mut after[..count]);
    }
}

/// Turns each rotation of `row` into the hemisphere of that in `before`.
pub(super) fn align(before: &[Quat], row: &mut [Quat]) {
    row.iter_mut().zip(before).for_each(|(rotation, &before)| *rotation = aligned(*rotation, before));
}

impl Report {
    /// Adds what was measured on the trees of a rig.
    pub(super) fn add_trees(&mut self, trees: &[Arc<TreeRecording>]) {
        for TreeRecording { report, .. } in trees.iter().map(Arc::as_ref) {
            self.length_error = self.length_error.max(report.length_error);
            self.position_error = self.position_error.max(report.position_error);
            self.penetration = self.penetration.max(report.penetration);
            self.twist = self.twist.max(report.twist);
            self.cycles = self.cycles.max(report.cycles);
            if report.residue > self.residue {
                (self.residue, self.residue_joint) = (report.residue, report.residue_joint);
            }
            self.contacts.resize(report.contacts.len(), 0);
            self.contacts.iter_mut().zip(&report.contacts).for_each(|(sum, count)| *sum += count);
        }
        let broken = trees.iter().filter_map(|tree| tree.broken).min_by(|a, b| a.time.total_cmp(&b.time));
        self.warnings.extend(broken.map(|BrokenJoint { joint, time }| Warning::NotANumber { joint, time }));
        let mut told: Vec<Warning> = trees.iter().flat_map(|tree| tree.report.warnings.clone()).collect();
        told.sort_by(|a, b| a.time().total_cmp(&b.time()));
        self.warnings.extend(told);
        if let Some(residue) = self.residue.filter(|&residue| residue > REPEATS) {
            self.warnings.push(Warning::LoopNotClean { residue });
        }
    }
}
