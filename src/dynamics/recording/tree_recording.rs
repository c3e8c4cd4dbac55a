//! Recordings of trees of bones that are simulated together.

use std::ops::Range;
use std::sync::Arc;

use glam::{DVec3, Quat};

use super::cycle_track::CycleTrack;
use super::driven_rows::{BrokenJoint, DrivenRows, RowReader};
use super::step_grid::StepGrid;
use crate::chains::keyed_rig::KeyedRig;
use crate::chains::rig::{DynamicsRig, STEP};
use crate::chains::state::State;
use crate::error::BuildError;
use crate::input::Input;
use crate::keyed::SettingsOverTime;
use crate::measure::measurements::{Measurements, MeasuringBuffers};
use crate::measure::report::{Report, Warning};
use crate::stepping::carry::carry_over_seam;
use crate::stepping::off_step::{OffStepPart, parts_of_step};
use crate::stepping::step::step_part;
use crate::stepping::step_factors::StepFactors;
use portamento_anim::math::mean::aligned;
use portamento_base::progress::Progress;

/// Recording of the bones of one tree.
#[derive(Debug)]
pub(crate) struct TreeRecording {
    /// Rotations step by step, one per bone.
    pub rotations: Vec<Quat>,
    /// Rotations of the next cycle if the loop does not repeat, otherwise empty.
    pub following: Vec<Quat>,
    /// Rotations of the frames between steps, frame by frame.
    pub off_step: Vec<Quat>,
    /// Measurements and warnings.
    pub report: Report,
    /// First joint that rests because its animation is not finite.
    pub broken: Option<BrokenJoint>,
}

/// Settings of the pre-roll and of the loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CycleSettings {
    /// True if the end continues at the start.
    pub looping: bool,
    /// True if a loop is run until it repeats.
    pub clean: bool,
    /// Seconds for which the first pose is held before the first frame.
    pub pre_roll: f64,
}

/// Inputs of the recording of a tree.
#[derive(Clone, Copy)]
pub(crate) struct TreeDrive<'a> {
    pub input: &'a Input<'a>,
    pub over_time: SettingsOverTime<'a>,
    pub grid: StepGrid,
    pub cycle_settings: CycleSettings,
    /// The animation at every substep.
    pub steps: &'a DrivenRows,
    /// Partial steps that lead to the frames between steps.
    pub parts: &'a [OffStepPart],
    /// Animation at the ends of those partial steps.
    pub off_step: &'a DrivenRows,
}

/// Maximum number of cycles of a loop. Tuned; no derivation recorded.
const MAX_CYCLES: usize = 64;
/// Difference of state as a share of a bone's length up to which a loop counts as repeating. No derivation recorded.
const REPEATS_MAX_RESIDUE: f64 = 1e-5;
/// Residue from which the next cycle may repeat. Tuned; no derivation recorded.
const NEARLY_REPEATS_MAX_RESIDUE: f64 = 1e-3;
/// Seconds within which most swings settle. Tuned; no derivation recorded.
const SETTLING_SECONDS: f64 = 3.0;

/// Records the bones of `rig`, which are those of `trees`. A looping recording must have only one tree. The recordings are in
/// the order of `trees`. Returns `Err` if `progress` is cancelled.
pub(crate) fn record(
    rig: &DynamicsRig,
    trees: &[usize],
    drive: &TreeDrive,
    progress: &Progress,
) -> Result<Vec<TreeRecording>, BuildError> {
    let (bones, steps) = (rig.bones.len(), drive.grid.steps);
    let frames = drive.parts.last().map_or(0, |part| part.frame + 1);
    let gauged = |&tree: &usize| GaugedTree {
        bones: (0..bones).filter(|&index| rig.bones[index].tree == tree).collect(),
        measured: vec![Measurements::default(); steps + 1],
        off_measured: vec![Measurements::default(); frames],
    };
    let mut recorder = Recorder {
        now: KeyedRig::new(rig, drive.over_time, drive.grid.substep()),
        drive,
        progress,
        steps: RowReader::new(drive.input, rig, drive.steps),
        off_steps: RowReader::new(drive.input, rig, drive.off_step),
        gauge: MeasuringBuffers::default(),
        track: CycleTrack::default(),
        report: Report { cycles: 1, ..Report::default() },
        rotations: vec![Quat::IDENTITY; (steps + 1) * bones],
        off_step: vec![Quat::IDENTITY; frames * bones],
        trees: trees.iter().map(gauged).collect(),
        following: Vec::new(),
    };
    recorder.run()?;
    Ok(recorder.into_recordings())
}

/// Recording in progress.
struct Recorder<'a> {
    /// Rig with the settings at the time of the current step.
    now: KeyedRig<'a>,
    drive: &'a TreeDrive<'a>,
    progress: &'a Progress,
    steps: RowReader<'a>,
    off_steps: RowReader<'a>,
    gauge: MeasuringBuffers,
    track: CycleTrack,
    report: Report,
    /// Rotations step by step, one for each bone of all trees.
    rotations: Vec<Quat>,
    off_step: Vec<Quat>,
    following: Vec<Quat>,
    trees: Vec<GaugedTree>,
}

/// Measurements of one tree.
#[derive(Clone)]
struct GaugedTree {
    /// Indices of its bones, ascending.
    bones: Vec<usize>,
    /// Measurements by step.
    measured: Vec<Measurements>,
    /// Measurements by frame between steps.
    off_measured: Vec<Measurements>,
}

impl GaugedTree {
    /// Returns the values of its bones from `rows`, which have one value for each of `count` bones.
    fn columns(&self, rows: &[Quat], count: usize) -> Vec<Quat> {
        rows.chunks_exact(count.max(1)).flat_map(|row| self.bones.iter().map(|&bone| row[bone])).collect()
    }
}

impl TreeRecording {
    /// Returns the cycle after the recorded one, which is the same if it repeats.
    pub(super) fn second_cycle(&self) -> &[Quat] {
        if self.following.is_empty() { &self.rotations } else { &self.following }
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        (self.rotations.len() + self.following.len() + self.off_step.len()) * size_of::<Quat>()
    }
}

impl Recorder<'_> {
    /// Simulates and records the motion: the pre-roll and one pass without a loop, one cycle of a loop, or cycles of a clean
    /// loop until one repeats. If none repeats within [`MAX_CYCLES`], the cycle after the recorded one is recorded too.
    /// Returns `Err` if cancelled.
    fn run(&mut self) -> Result<(), BuildError> {
        let CycleSettings { looping, clean, pre_roll } = self.drive.cycle_settings;
        if !looping {
            // Holding the first pose lets the bones settle before the first frame.
            let mut state = State::at(&self.now.rig, self.steps.at(0).pose);
            let held_steps = (pre_roll / STEP).round() as usize;
            for done in 0..held_steps {
                self.progress.step(done, held_steps + self.drive.grid.steps)?;
                self.hold_step(&mut state);
            }
            return self.run_cycle(&mut state, true).map(|_| ());
        }
        let mut state = State::at(&self.now.rig, self.steps.at(0).pose);
        loop {
            // Each cycle starts from the end of the previous one, until a recorded cycle repeats.
            let last = !clean || self.report.cycles >= MAX_CYCLES;
            let record = last || self.may_repeat();
            let before = state.clone();
            if self.run_cycle(&mut state, record)? {
                // The rest of the cycle equals the previous one.
                let (residue, bone) = self.track.difference;
                (self.report.residue, self.report.residue_joint) =
                    (Some(residue), bone.map(|bone| self.now.rig.bones[bone].joint));
                return Ok(());
            }
            self.track.is_complete = record && clean;
            carry_over_seam(&self.now.rig, &mut state, self.steps.at(0).pose);
            self.set_residue(&before, &state);
            if last || record && self.is_repeating() {
                break;
            }
            self.report.cycles += 1;
        }
        if clean && !self.is_repeating() { self.record_following_cycle(&mut state) } else { Ok(()) }
    }

    fn is_repeating(&self) -> bool {
        self.report.residue.is_some_and(|residue| residue <= REPEATS_MAX_RESIDUE)
    }

    /// True if the next cycle, or its end, is likely to repeat: the last residue is small, or the cycle is long enough to
    /// settle.
    fn may_repeat(&self) -> bool {
        let seconds = self.drive.grid.steps as f64 * self.drive.grid.h;
        seconds >= SETTLING_SECONDS || self.report.residue.is_some_and(|residue| residue <= NEARLY_REPEATS_MAX_RESIDUE)
    }

    /// Records the cycle after the recorded one. The report stays that of the recorded one. Returns `Err` if cancelled.
    fn record_following_cycle(&mut self, state: &mut State) -> Result<(), BuildError> {
        let recorded = (self.rotations.clone(), self.off_step.clone(), self.trees.clone());
        self.track.is_complete = false;
        self.run_cycle(state, true)?;
        self.following = std::mem::replace(&mut self.rotations, recorded.0);
        (self.off_step, self.trees) = (recorded.1, recorded.2);
        Ok(())
    }

    /// Runs a cycle. Returns true if it stopped early because the bones follow the previous cycle. Records it if `record` is
    /// true. Returns `Err` if cancelled.
    fn run_cycle(&mut self, state: &mut State, record: bool) -> Result<bool, BuildError> {
        let grid = self.drive.grid;
        self.now.set_time(0.0);
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
                self.now.set_time(moment.time);
                step_part(&self.now.rig, state, moment, &self.now.factors);
            }
            if record {
                self.record(state, index + 1);
            }
            let clean = self.drive.cycle_settings.looping && self.drive.cycle_settings.clean;
            if record && clean && self.track.repeats(state, &grid, index, REPEATS_MAX_RESIDUE) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs one step with the animation at its start.
    fn hold_step(&mut self, state: &mut State) {
        for _ in 0..self.drive.grid.substeps {
            step_part(&self.now.rig, state, self.steps.at(0), &self.now.factors);
        }
    }

    /// Records the shown rotations of `state` at step `index`.
    fn record(&mut self, state: &State, index: usize) {
        let moment = self.steps.at(self.drive.grid.row(index, 0));
        let time = index as f64 * self.drive.grid.h;
        self.gauge.update_bones(&self.now.rig, state, moment.pose);
        for tree in &mut self.trees {
            let bones = tree.bones.iter().copied();
            tree.measured[index] = self.gauge.measure_bones(&self.now.rig, state, moment.pose, time, bones);
        }
        let shown = self.rotations.iter_mut().skip(index * self.now.rig.bones.len());
        shown.zip(self.gauge.rotations()).for_each(|(to, rotation)| *to = aligned(rotation, Quat::IDENTITY));
    }

    /// Records the frames between step `index`, at which `state` is, and the next step.
    fn record_off_step(&mut self, state: &State, index: usize) {
        let TreeDrive { grid, parts, .. } = *self.drive;
        let range = parts_of_step(parts, index);
        let mut parts = range.clone().zip(&parts[range]).peekable();
        while let Some((first, part)) = parts.next() {
            // A copy of the state: the steps must not depend on the frames between them.
            let mut state = state.clone();
            self.step_to_frame(&mut state, first, part, &grid);
            let mut last = first;
            while let Some((next, part)) = parts.next_if(|(_, next)| next.frame == part.frame) {
                self.step_to_frame(&mut state, next, part, &grid);
                last = next;
            }
            let moment = self.off_steps.at(last);
            self.gauge.update_bones(&self.now.rig, &state, moment.pose);
            for tree in &mut self.trees {
                let bones = tree.bones.iter().copied();
                tree.off_measured[part.frame] =
                    self.gauge.measure_bones(&self.now.rig, &state, moment.pose, moment.time, bones);
            }
            let shown = self.off_step.iter_mut().skip(part.frame * self.now.rig.bones.len());
            shown.zip(self.gauge.rotations()).for_each(|(to, rotation)| *to = aligned(rotation, Quat::IDENTITY));
        }
    }

    /// Advances `state` to the end of `part`, whose animation is row `row`.
    fn step_to_frame(&mut self, state: &mut State, row: usize, part: &OffStepPart, grid: &StepGrid) {
        let moment = self.off_steps.at(row);
        self.now.set_time(moment.time);
        let factors = StepFactors::new(&self.now.rig, grid.substep(), part.share);
        step_part(&self.now.rig, state, moment, &factors);
    }

    /// Returns the recordings with all measurements.
    fn into_recordings(mut self) -> Vec<TreeRecording> {
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

    /// Returns the frames between step `index` and the next step.
    fn frames_after(&self, index: usize) -> Range<usize> {
        let parts = &self.drive.parts[parts_of_step(self.drive.parts, index)];
        parts.first().map_or(0..0, |first| first.frame..parts[parts.len() - 1].frame + 1)
    }

    /// Returns the recording of `tree`, whose report has the measurements of steps and frames in order of time.
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

    /// Sets the residue: the largest difference of the state from that of the previous cycle, relative to bone length.
    fn set_residue(&mut self, before: &State, after: &State) {
        let mut worst = (0.0, None);
        for (index, bone) in
            self.now.rig.bones.iter().enumerate().filter(|(index, _)| before.bones[*index].length > 0.0)
        {
            let distance = |a: DVec3, b: DVec3| a.distance(b) / before.bones[index].length;
            let shown = distance(before.shown[index].tip(), after.shown[index].tip());
            // Position and speed must both repeat; the speed is the difference from the previous position.
            let tips = distance(before.bones[index].tip(), after.bones[index].tip());
            let difference = distance(before.previous_tips[index], after.previous_tips[index]).max(tips).max(shown);
            if difference > worst.0 {
                worst = (difference, Some(bone.joint));
            }
        }
        (self.report.residue, self.report.residue_joint) = (Some(worst.0), worst.1);
    }
}

/// Moves the `count` rotations of each of `rows` to the hemisphere of the previous row, so that interpolation takes the
/// short arc.
fn align_rows(rows: &mut [Quat], count: usize) {
    for at in (count..rows.len()).step_by(count.max(1)) {
        let (before, after) = rows.split_at_mut(at);
        align(&before[at - count..], &mut after[..count]);
    }
}

/// Moves each rotation of `row` to the hemisphere of that in `before`.
pub(super) fn align(before: &[Quat], row: &mut [Quat]) {
    row.iter_mut().zip(before).for_each(|(rotation, &before)| *rotation = aligned(*rotation, before));
}

impl Report {
    /// Adds the measurements and warnings of the trees of a rig.
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
        let mut tree_warnings: Vec<Warning> = trees.iter().flat_map(|tree| tree.report.warnings.clone()).collect();
        tree_warnings.sort_by(|a, b| a.time().total_cmp(&b.time()));
        self.warnings.extend(tree_warnings);
        if let Some(residue) = self.residue.filter(|&residue| residue > REPEATS_MAX_RESIDUE) {
            self.warnings.push(Warning::LoopNotClean { residue });
        }
    }
}
