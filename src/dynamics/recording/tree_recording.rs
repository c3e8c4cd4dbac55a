//! Recordings of trees of bones that are simulated together.

use std::ops::Range;
use std::sync::Arc;

use glam::{DVec3, Quat};

use super::cycle_track::CycleTrack;
use super::driven_rows::{BrokenJoint, RowReader};
use super::step_grid::StepGrid;
use super::window::Window;
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
use portamento_anim::Pose;
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
    /// Partial steps that lead to the frames between steps.
    pub parts: &'a [OffStepPart],
}

/// Maximum number of cycles of a loop. Tuned; no derivation recorded.
const MAX_CYCLES: usize = 64;
/// Difference of state as a share of a bone's length up to which a loop counts as repeating. No derivation recorded.
const REPEATS_MAX_RESIDUE: f64 = 1e-5;
/// Residue from which the next cycle may repeat. Tuned; no derivation recorded.
const NEARLY_REPEATS_MAX_RESIDUE: f64 = 1e-3;
/// Seconds within which most swings settle. Tuned; no derivation recorded.
const SETTLING_SECONDS: f64 = 3.0;

/// Recording in progress.
pub(super) struct Recorder<'a> {
    /// Rig with the settings at the time of the current step.
    now: KeyedRig<'a>,
    drive: &'a TreeDrive<'a>,
    progress: &'a Progress,
    steps: RowReader,
    off_steps: RowReader,
    state: State,
    /// State at the beginning of the current cycle.
    cycle_start: State,
    /// Animated pose at the beginning of the motion.
    first_pose: Pose,
    phase: Phase,
    /// True if the current cycle is recorded.
    records: bool,
    gauge: MeasuringBuffers,
    track: CycleTrack,
    report: Report,
    /// Rotations step by step, one for each bone of all trees.
    rotations: Vec<Quat>,
    off_step: Vec<Quat>,
    following: Vec<Quat>,
    trees: Vec<GaugedTree>,
}

/// The next task of a recorder.
enum Phase {
    /// The only cycle, or cycles until one repeats.
    Cycles,
    /// The cycle after the recorded one, whose rotations, frames between steps and measurements these are.
    Following(Vec<Quat>, Vec<Quat>, Vec<GaugedTree>),
    Done,
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

impl<'a> Recorder<'a> {
    /// Returns a recorder of the bones of `rig`, which are those of `trees`, at the beginning of the motion, where `first` is the
    /// window. A looping recording must have only one tree. Without a loop, the pre-roll is simulated. Returns `Err` if
    /// `progress` is cancelled.
    pub fn begin(
        rig: &'a DynamicsRig,
        trees: &[usize],
        drive: &'a TreeDrive,
        first: &Window,
        progress: &'a Progress,
    ) -> Result<Self, BuildError> {
        let (bones, steps) = (rig.bones.len(), drive.grid.steps);
        let frames = drive.parts.last().map_or(0, |part| part.frame + 1);
        let gauged = |&tree: &usize| GaugedTree {
            bones: (0..bones).filter(|&index| rig.bones[index].tree == tree).collect(),
            measured: vec![Measurements::default(); steps + 1],
            off_measured: vec![Measurements::default(); frames],
        };
        let reader = |rows, row| RowReader::new(drive.input.skeleton, rig, rows, row);
        let mut steps_reader = reader(first.rows.clone(), 0);
        let first_pose = steps_reader.at(0).pose.clone();
        let now = KeyedRig::new(rig, drive.over_time, drive.grid.substep());
        let state = State::at(&now.rig, &first_pose);
        let mut recorder = Self {
            now,
            drive,
            progress,
            steps: steps_reader,
            off_steps: reader(first.off_step_rows.clone(), 0),
            cycle_start: state.clone(),
            state,
            first_pose,
            phase: Phase::Cycles,
            records: true,
            gauge: MeasuringBuffers::default(),
            track: CycleTrack::default(),
            report: Report { cycles: 1, ..Report::default() },
            rotations: vec![Quat::IDENTITY; (steps + 1) * bones],
            off_step: vec![Quat::IDENTITY; frames * bones],
            trees: trees.iter().map(gauged).collect(),
            following: Vec::new(),
        };
        recorder.run_pre_roll()?;
        Ok(recorder)
    }

    /// True if the recording is complete: one pass without a loop, one cycle of a loop, or cycles of a clean loop until one
    /// repeats. If none repeats within [`MAX_CYCLES`], the cycle after the recorded one is recorded too.
    pub fn is_done(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }

    /// Simulates the steps of `window`, which follows the previous one; after the end of the motion it is the first again.
    /// Returns `Err` if cancelled.
    pub fn advance(&mut self, window: &Window) -> Result<(), BuildError> {
        let grid = self.drive.grid;
        self.steps.read(window.rows.clone(), grid.row(window.steps.start, 0));
        self.off_steps.read(window.off_step_rows.clone(), parts_of_step(self.drive.parts, window.steps.start).start);
        if window.steps.start == 0 {
            self.begin_cycle();
        }
        for index in window.steps.clone() {
            self.progress.step(index, grid.steps)?;
            self.run_step(index);
            let clean = self.drive.cycle_settings.looping && self.drive.cycle_settings.clean;
            if self.records && clean && self.track.repeats(&self.state, &grid, index, REPEATS_MAX_RESIDUE) {
                // The rest of the cycle equals the previous one.
                let (residue, bone) = self.track.difference;
                self.set_residue((residue, bone));
                self.phase = Phase::Done;
                return Ok(());
            }
        }
        if window.steps.end == grid.steps {
            self.end_cycle();
        }
        Ok(())
    }

    /// Holds the first pose, so that the bones settle before the first frame. Does nothing for a loop. Returns `Err` if
    /// cancelled.
    fn run_pre_roll(&mut self) -> Result<(), BuildError> {
        let CycleSettings { looping, pre_roll, .. } = self.drive.cycle_settings;
        let held_steps = if looping { 0 } else { (pre_roll / STEP).round() as usize };
        for done in 0..held_steps {
            self.progress.step(done, held_steps + self.drive.grid.steps)?;
            for _ in 0..self.drive.grid.substeps {
                step_part(&self.now.rig, &mut self.state, self.steps.at(0), &self.now.factors);
            }
        }
        Ok(())
    }

    /// Begins a cycle at the end of the previous one.
    fn begin_cycle(&mut self) {
        let is_following = matches!(self.phase, Phase::Following(..));
        self.records = is_following || self.is_last_cycle() || self.may_repeat();
        self.cycle_start.clone_from(&self.state);
        self.now.set_time(0.0);
        if self.records {
            self.record(0);
        }
    }

    /// Ends a cycle: decides if it is the recorded one.
    fn end_cycle(&mut self) {
        let CycleSettings { looping, clean, .. } = self.drive.cycle_settings;
        if let Phase::Following(rotations, off_step, trees) = std::mem::replace(&mut self.phase, Phase::Done) {
            self.following = std::mem::replace(&mut self.rotations, rotations);
            (self.off_step, self.trees) = (off_step, trees);
            return;
        }
        if !looping {
            return;
        }
        let is_last = self.is_last_cycle();
        self.track.is_complete = self.records && clean;
        carry_over_seam(&self.now.rig, &mut self.state, &self.first_pose);
        self.set_residue(residue(&self.now.rig, &self.cycle_start, &self.state));
        if is_last || self.records && self.is_repeating() {
            if clean && !self.is_repeating() {
                // The report stays that of the recorded cycle.
                self.track.is_complete = false;
                self.phase = Phase::Following(self.rotations.clone(), self.off_step.clone(), self.trees.clone());
            }
            return;
        }
        self.report.cycles += 1;
        self.phase = Phase::Cycles;
    }

    /// True if no cycle is run to see if this one repeats.
    fn is_last_cycle(&self) -> bool {
        let CycleSettings { looping, clean, .. } = self.drive.cycle_settings;
        !looping || !clean || self.report.cycles >= MAX_CYCLES
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

    /// Simulates step `index`, and records its end and the frames within it if the cycle is recorded.
    fn run_step(&mut self, index: usize) {
        let grid = self.drive.grid;
        if self.records {
            self.record_off_step(index);
        }
        for substep in 1..=grid.substeps {
            let moment = self.steps.at(grid.row(index, substep));
            self.now.set_time(moment.time);
            step_part(&self.now.rig, &mut self.state, moment, &self.now.factors);
        }
        if self.records {
            self.record(index + 1);
        }
    }

    /// Records the shown rotations of the state at step `index`.
    fn record(&mut self, index: usize) {
        let moment = self.steps.at(self.drive.grid.row(index, 0));
        let time = index as f64 * self.drive.grid.h;
        self.gauge.update_bones(&self.now.rig, &self.state, moment.pose);
        for tree in &mut self.trees {
            let bones = tree.bones.iter().copied();
            tree.measured[index] = self.gauge.measure_bones(&self.now.rig, &self.state, moment.pose, time, bones);
        }
        let shown = self.rotations.iter_mut().skip(index * self.now.rig.bones.len());
        shown.zip(self.gauge.rotations()).for_each(|(to, rotation)| *to = aligned(rotation, Quat::IDENTITY));
    }

    /// Records the frames between step `index`, at which the state is, and the next step.
    fn record_off_step(&mut self, index: usize) {
        let TreeDrive { grid, parts, .. } = *self.drive;
        let range = parts_of_step(parts, index);
        let mut parts = range.clone().zip(&parts[range]).peekable();
        while let Some((first, part)) = parts.next() {
            // A copy of the state: the steps must not depend on the frames between them.
            let mut state = self.state.clone();
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
    pub fn into_recordings(mut self) -> Vec<TreeRecording> {
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

    /// Sets the residue and the bone that it belongs to.
    fn set_residue(&mut self, (residue, bone): (f64, Option<usize>)) {
        let joint = bone.map(|bone| self.now.rig.bones[bone].joint);
        (self.report.residue, self.report.residue_joint) = (Some(residue), joint);
    }
}

/// Returns the largest difference between two states of `rig`, relative to bone length, and its bone.
fn residue(rig: &DynamicsRig, before: &State, after: &State) -> (f64, Option<usize>) {
    let mut worst = (0.0, None);
    for index in (0..rig.bones.len()).filter(|&index| before.bones[index].length > 0.0) {
        let distance = |a: DVec3, b: DVec3| a.distance(b) / before.bones[index].length;
        let shown = distance(before.shown[index].tip(), after.shown[index].tip());
        // Position and speed must both repeat; the speed is the difference from the previous position.
        let tips = distance(before.bones[index].tip(), after.bones[index].tip());
        let difference = distance(before.previous_tips[index], after.previous_tips[index]).max(tips).max(shown);
        if difference > worst.0 {
            worst = (difference, Some(index));
        }
    }
    worst
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
