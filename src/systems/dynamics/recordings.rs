//! What was simulated on one motion, kept: a change to one chain leaves the others as they are.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::bake::Built;
use super::driven_rows::DrivenRows;
use super::error::{BuildError, check_length};
use super::input::Input;
use super::keyed::{KeyedNumber, SettingsOverTime};
use super::off_step::{OffStepFrames, OffStepPart};
use super::report::Report;
use super::rig::{DynamicsRig, STEP};
use super::step_grid::StepGrid;
use super::tree_part::TreePart;
use super::tree_recording::{Rounds, TreeDrive, TreeRecording, record};
use crate::math::four::FOUR;
use crate::progress::{Cancelled, Progress};

/// Rotations that one recording may hold: 1 GiB.
pub(super) const MOST_ROTATIONS: usize = 1 << 26;

/// Simulates `input` and records it; slow.
///
/// Refuses settings and lengths that cannot be simulated, recordings of more than 1 GiB, and stops when `progress` is cancelled.
pub fn build<'a>(
    input: &Input,
    settings: impl Into<SettingsOverTime<'a>>,
    progress: &Progress,
) -> Result<Built, BuildError> {
    Recordings::default().build(input, settings, &[], progress)
}

/// What was simulated on one motion; another motion needs another.
#[derive(Debug, Default)]
pub struct Recordings(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// Those used last come first.
    rows: Vec<Arc<DrivenRows>>,
    /// Those used last come first.
    trees: Vec<(TreeKey, Arc<TreeRecording>)>,
}

/// What a recording of a tree depends on, beside the motion.
#[derive(Clone, Debug, PartialEq)]
struct TreeKey {
    rig: DynamicsRig,
    grid: StepGrid,
    rounds: Rounds,
    /// Seconds of frames between steps.
    frames: Vec<f64>,
    /// What changes over time.
    keyed: Vec<KeyedNumber>,
}

/// Bytes of rows that are kept, and of recordings: those of a minute of a dressed character.
const KEPT: usize = 32 << 20;

impl Recordings {
    /// Bytes that are kept of trees and of what drives them.
    pub fn bytes(&self) -> usize {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rows: usize = kept.rows.iter().map(|rows| rows.bytes()).sum();
        rows + kept.trees.iter().map(|(_, tree)| tree.bytes()).sum::<usize>()
    }

    /// Simulates `input` and records it, as exact at each of `frames` (seconds, ascending) as at the steps; slow but for trees of
    /// bones that were simulated alike before. `input` must be the same motion every time.
    ///
    /// Refuses settings and lengths that cannot be simulated, recordings of more than 1 GiB, and stops when `progress` is cancelled.
    pub fn build<'a>(
        &self,
        input: &Input,
        settings: impl Into<SettingsOverTime<'a>>,
        frames: &[f64],
        progress: &Progress,
    ) -> Result<Built, BuildError> {
        check_length(input.duration)?;
        let over_time: SettingsOverTime = settings.into();
        let settings = over_time.settings;
        let mut rig = over_time.rig(input.skeleton, input.duration, input.metres_per_unit)?;
        let looping = input.looping && input.duration > STEP;
        let grid = StepGrid::new(input.duration, looping, rig.substeps);
        // A loop is recorded twice where it does not repeat: the cycle and the one after it.
        let rows = frames.len() + if looping { 2 * (grid.steps + 1) } else { grid.steps + 1 };
        if rig.bones.len().saturating_mul(rows) > MOST_ROTATIONS {
            return Err(BuildError::TooLong { seconds: input.duration, bones: rig.bones.len() });
        }
        if looping {
            rig.wind = rig.wind.fitted_to_loop(input.duration);
        }
        let rounds = Rounds { looping, clean: settings.loop_clean, pre_roll: settings.pre_roll };
        let off_step = OffStepFrames::new(frames, &grid);
        let parts = rig.tree_parts();
        let work = TreeWork { input, over_time, rig: &rig, grid, rounds, off_step: &off_step };
        let trees = self.trees(&work, &parts, progress)?;
        let mut report = Report::for_rig(&rig, settings.colliders.iter().map(|collider| collider.joint));
        report.add_trees(&trees);
        let gather = |of: fn(&TreeRecording) -> &[_]| gathered(&parts, &trees, of);
        let repeats = trees.iter().all(|tree| tree.following.is_empty());
        Ok(Built {
            joints: rig.bones.iter().map(|bone| bone.joint).collect(),
            step: grid.h,
            report,
            rotations: gather(|tree| &tree.rotations),
            // The cycle after one that repeats is that cycle.
            following: if repeats { Vec::new() } else { gather(TreeRecording::second_cycle) },
            off_step: OffStepFrames { rotations: gather(|tree| &tree.off_step), ..off_step },
        })
    }

    /// A recording for each of `parts`, known or new.
    fn trees(
        &self,
        work: &TreeWork,
        parts: &[TreePart],
        progress: &Progress,
    ) -> Result<Vec<Arc<TreeRecording>>, BuildError> {
        let keys: Vec<TreeKey> = parts.iter().map(|part| work.key(part)).collect();
        let known: Vec<_> = keys.iter().map(|key| self.known_tree(key)).collect();
        if let Some(known) = known.iter().cloned().collect() {
            return Ok(known);
        }
        let between = work.off_step.parts(&work.grid);
        let steps = self.rows(work, work.grid.times(), progress)?;
        let off_step = self.rows(work, between.iter().map(|part: &OffStepPart| part.time).collect(), progress)?;
        let TreeWork { input, over_time, grid, rounds, .. } = *work;
        let drive = TreeDrive { input, over_time, grid, rounds, steps: &steps, parts: &between, off_step: &off_step };
        let groups = groups_of_new(parts, &known, rounds);
        let group = |trees: &Vec<usize>| {
            let part = work.rig.part_of(trees);
            let new = record(&part.rig, trees, &drive, progress)?;
            Ok(trees.iter().copied().zip(new.into_iter().map(Arc::new)).collect::<Vec<_>>())
        };
        let new: Vec<Vec<_>> = groups.par_iter().map(group).collect::<Result<_, BuildError>>()?;
        let mut trees = known;
        new.into_iter().flatten().for_each(|(tree, recording)| trees[tree] = Some(recording));
        let trees: Vec<Arc<TreeRecording>> = trees.into_iter().flatten().collect();
        keys.into_iter().zip(&trees).for_each(|(key, tree)| self.keep_tree(key, tree));
        Ok(trees)
    }

    /// The animation at `times`, known or new.
    fn rows(&self, work: &TreeWork, times: Vec<f64>, progress: &Progress) -> Result<Arc<DrivenRows>, Cancelled> {
        let known = self.kept().rows.iter().find(|rows| rows.fits(work.rig, &times)).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let rows = Arc::new(DrivenRows::record(work.input, work.rig, times, progress)?);
        let kept = &mut self.kept().rows;
        kept.insert(0, rows.clone());
        keep_newest(kept, |rows| rows.bytes());
        Ok(rows)
    }

    fn known_tree(&self, key: &TreeKey) -> Option<Arc<TreeRecording>> {
        self.kept().trees.iter().find(|(known, _)| known == key).map(|(_, tree)| tree.clone())
    }

    fn keep_tree(&self, key: TreeKey, tree: &Arc<TreeRecording>) {
        let kept = &mut self.kept().trees;
        kept.retain(|(known, _)| *known != key);
        kept.insert(0, (key, tree.clone()));
        keep_newest(kept, |(_, tree)| tree.bytes());
    }

    /// How many recordings of trees are kept.
    #[cfg(test)]
    pub(super) fn kept_trees(&self) -> usize {
        self.kept().trees.len()
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The trees of `parts` that are not known, in groups whose bones are stepped side by side.
fn groups_of_new(parts: &[TreePart], known: &[Option<Arc<TreeRecording>>], rounds: Rounds) -> Vec<Vec<usize>> {
    let mut new: Vec<usize> = (0..parts.len()).filter(|&tree| known[tree].is_none()).collect();
    // Like beside like: a long one would be alone at its end.
    new.sort_by_key(|&tree| parts[tree].bones.len());
    // Each loop is run until it repeats by itself.
    let together = if rounds.looping { 1 } else { FOUR };
    new.chunks(together).map(<[usize]>::to_vec).collect()
}

/// What all trees of a rig share.
#[derive(Clone, Copy)]
struct TreeWork<'a> {
    input: &'a Input<'a>,
    over_time: SettingsOverTime<'a>,
    rig: &'a DynamicsRig,
    grid: StepGrid,
    rounds: Rounds,
    off_step: &'a OffStepFrames,
}

impl TreeWork<'_> {
    fn key(&self, part: &TreePart) -> TreeKey {
        let has_chain = |chain: usize| part.rig.bones.iter().any(|bone| bone.chain == chain);
        TreeKey {
            rig: part.rig.clone(),
            grid: self.grid,
            rounds: self.rounds,
            frames: self.off_step.times.clone(),
            keyed: self.over_time.keyed_for(&has_chain),
        }
    }
}

/// Drops what is oldest beyond [`KEPT`] bytes.
fn keep_newest<T>(newest_first: &mut Vec<T>, bytes: impl Fn(&T) -> usize) {
    let mut held = 0;
    newest_first.retain(|each| {
        held += bytes(each);
        held <= KEPT
    });
}

/// The rows of all trees as rows of the whole rig.
fn gathered<T: Copy + Default>(
    parts: &[TreePart],
    trees: &[Arc<TreeRecording>],
    of: impl Fn(&TreeRecording) -> &[T],
) -> Vec<T> {
    let count: usize = parts.iter().map(|part| part.bones.len()).sum();
    let rows = parts.iter().zip(trees).map(|(part, tree)| of(tree).len() / part.bones.len().max(1)).max();
    let mut whole = vec![T::default(); count * rows.unwrap_or(0)];
    for (part, tree) in parts.iter().zip(trees) {
        for (row, values) in whole.chunks_exact_mut(count).zip(of(tree).chunks_exact(part.bones.len().max(1))) {
            part.bones.iter().zip(values).for_each(|(&bone, &value)| row[bone] = value);
        }
    }
    whole
}
