//! Cache of recordings of one motion: a change to one chain leaves the recordings of the other chains valid.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::bake::Built;
use super::driven_rows::DrivenRows;
use super::step_grid::StepGrid;
use super::tree_recording::{CycleSettings, Recorder, TreeDrive, TreeRecording};
use super::window::{MAX_WINDOW_BYTES, Window};
use crate::chains::rig::{DynamicsRig, STEP};
use crate::chains::tree_part::TreePart;
use crate::error::{BuildError, check_length};
use crate::input::Input;
use crate::keyed::{KeyedNumber, SettingsOverTime};
use crate::measure::report::Report;
use crate::stepping::off_step::{OffStepFrames, OffStepPart, parts_of_step};
use portamento_anim::math::four::FOUR;
use portamento_base::progress::{Cancelled, Progress};

/// Maximum number of rotations in a recording: 1 GiB.
pub(super) const MAX_ROTATIONS: usize = 1 << 26;

/// Simulates `input` and records it; slow.
///
/// Returns `Err` if
/// - there is no chain, or two chains start at the same joint;
/// - a chain, override or collider names a joint that the skeleton does not have;
/// - a chain ignores a collider that does not exist;
/// - the unit, scale, period of the wind or a threshold of a jump is not above 0;
/// - a gust, turbulence, smoothing, pre-roll, drag, stiffness, radius or length is negative;
/// - a drag or the rotation buffer is above 1, the buffer is not above 0, or the pre-roll is above 600 s;
/// - the depths of a profile do not ascend;
/// - an angle limit is outside 0…π, or an axis or normal has no length;
/// - any number is not finite or is beyond ±10⁹, also at a key of a setting that changes over time;
/// - the duration is not within 0…10⁶ s, or the recording would need more than 1 GiB;
/// - `progress` is cancelled.
pub fn build<'a>(
    input: &Input,
    settings: impl Into<SettingsOverTime<'a>>,
    progress: &Progress,
) -> Result<Built, BuildError> {
    Recordings::default().build(input, settings, &[], progress)
}

/// Cache of the recordings of one motion. Use a new cache for another motion.
#[derive(Debug)]
pub struct Recordings {
    cache: Mutex<Cache>,
    /// Largest size of a window, bytes.
    max_window_bytes: usize,
}

#[derive(Debug, Default)]
struct Cache {
    /// Animation rows, most recently used first.
    rows: Vec<Arc<DrivenRows>>,
    /// Tree recordings, most recently used first.
    trees: Vec<(TreeKey, Arc<TreeRecording>)>,
}

/// Inputs that the recording of a tree depends on, except for the motion.
#[derive(Clone, Debug, PartialEq)]
struct TreeKey {
    rig: DynamicsRig,
    grid: StepGrid,
    cycle_settings: CycleSettings,
    /// Times of the frames between steps, seconds.
    frames: Vec<f64>,
    /// Settings that change over time.
    keyed: Vec<KeyedNumber>,
}

/// Capacity of each of the two caches in bytes: about a minute of a dressed character.
const MAX_CACHED_BYTES: usize = 32 << 20;

impl Default for Recordings {
    fn default() -> Self {
        Self { cache: Mutex::default(), max_window_bytes: MAX_WINDOW_BYTES }
    }
}

impl Recordings {
    /// Returns an empty cache with windows of at most `max_window_bytes`.
    #[cfg(test)]
    pub(crate) fn with_window_limit(max_window_bytes: usize) -> Self {
        Self { max_window_bytes, ..Self::default() }
    }

    /// Returns the size of the cache in bytes.
    pub fn bytes(&self) -> usize {
        let cache = self.cache();
        let rows: usize = cache.rows.iter().map(|rows| rows.bytes()).sum();
        rows + cache.trees.iter().map(|(_, tree)| tree.bytes()).sum::<usize>()
    }

    /// Simulates `input` and records it, equally exact at each of `frames` (seconds, ascending) and at the steps. Slow,
    /// except for trees of bones that are cached with the same settings. `input` must be the same motion at every call.
    ///
    /// Returns `Err` as [`build`].
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
        // Room for two cycles: a loop that does not repeat is recorded together with the next cycle.
        let rows = frames.len() + if looping { 2 * (grid.steps + 1) } else { grid.steps + 1 };
        if rig.bones.len().saturating_mul(rows) > MAX_ROTATIONS {
            return Err(BuildError::TooLong { seconds: input.duration, bones: rig.bones.len() });
        }
        if looping {
            rig.wind = rig.wind.fitted_to_loop(input.duration);
        }
        let cycle_settings = CycleSettings { looping, clean: settings.loop_clean, pre_roll: settings.pre_roll };
        let off_step = OffStepFrames::new(frames, &grid);
        let parts = rig.tree_parts();
        let work = TreeWork { input, over_time, rig: &rig, grid, cycle_settings, off_step: &off_step };
        let trees = self.trees(&work, &parts, progress)?;
        let mut report = Report::for_rig(&rig, settings.colliders.iter().map(|collider| collider.joint));
        report.add_trees(&trees);
        let gather = |of: fn(&TreeRecording) -> &[_]| merge_rows(&parts, &trees, of);
        let repeats = trees.iter().all(|tree| tree.following.is_empty());
        Ok(Built {
            joints: rig.bones.iter().map(|bone| bone.joint).collect(),
            step: grid.h,
            report,
            rotations: gather(|tree| &tree.rotations),
            // If the cycle repeats, the next one is identical and not stored.
            following: if repeats { Vec::new() } else { gather(TreeRecording::second_cycle) },
            off_step: OffStepFrames { rotations: gather(|tree| &tree.off_step), ..off_step },
        })
    }

    /// Returns a recording for each of `parts`, cached or new. New ones are cached. Returns `Err` if `progress` is cancelled.
    fn trees(
        &self,
        work: &TreeWork,
        parts: &[TreePart],
        progress: &Progress,
    ) -> Result<Vec<Arc<TreeRecording>>, BuildError> {
        let keys: Vec<TreeKey> = parts.iter().map(|part| work.key(part)).collect();
        let known: Vec<_> = keys.iter().map(|key| self.cached_tree(key)).collect();
        if let Some(known) = known.iter().cloned().collect() {
            return Ok(known);
        }
        let between = work.off_step.parts(&work.grid);
        let TreeWork { input, over_time, grid, cycle_settings, .. } = *work;
        let drive = TreeDrive { input, over_time, grid, cycle_settings, parts: &between };
        let groups = groups_of_new(parts, &known, cycle_settings);
        let new = self.record(work, &drive, &groups, progress)?;
        let mut trees = known;
        new.into_iter().for_each(|(tree, recording)| trees[tree] = Some(Arc::new(recording)));
        let trees: Vec<Arc<TreeRecording>> = trees.into_iter().flatten().collect();
        keys.into_iter().zip(&trees).for_each(|(key, tree)| self.cache_tree(key, tree));
        Ok(trees)
    }

    /// Records the trees of `groups`, each with its index. Returns `Err` if `progress` is cancelled.
    fn record(
        &self,
        work: &TreeWork,
        drive: &TreeDrive,
        groups: &[Vec<usize>],
        progress: &Progress,
    ) -> Result<Vec<(usize, TreeRecording)>, BuildError> {
        let rigs: Vec<TreePart> = groups.iter().map(|trees| work.rig.part_of(trees)).collect();
        let mut window = self.window(work, drive.parts, 0, progress)?;
        let mut recorders: Vec<Recorder> = rigs
            .par_iter()
            .zip(groups)
            .map(|(part, trees)| Recorder::begin(&part.rig, trees, drive, &window, progress))
            .collect::<Result<_, _>>()?;
        loop {
            let running = recorders.par_iter_mut().filter(|recorder| !recorder.is_done());
            running.try_for_each(|recorder| recorder.advance(&window))?;
            if recorders.iter().all(Recorder::is_done) {
                break;
            }
            let next = window.steps.end % work.grid.steps;
            if window.steps != (0..work.grid.steps) {
                window = self.window(work, drive.parts, next, progress)?;
            }
        }
        let recordings = recorders.into_par_iter().map(Recorder::into_recordings).collect::<Vec<_>>();
        Ok(groups.iter().flatten().copied().zip(recordings.into_iter().flatten()).collect())
    }

    /// Returns the animation from step `first` on, for as many steps as fit into a window. Returns `Err` if not even one does,
    /// or if `progress` is cancelled.
    fn window(
        &self,
        work: &TreeWork,
        parts: &[OffStepPart],
        first: usize,
        progress: &Progress,
    ) -> Result<Window, BuildError> {
        let grid = work.grid;
        let rows = self.rows(work, grid.times().split_off(grid.row(first, 0)), progress)?;
        let end = first + (rows.len() - 1) / grid.substeps as usize;
        let range = parts_of_step(parts, first).start..parts_of_step(parts, end).start;
        let times = parts[range.clone()].iter().map(|part| part.time).collect();
        let off_step_rows = self.rows(work, times, progress)?;
        // The parts of a step count only together.
        let end = parts.get(range.start + off_step_rows.len()).map_or(end, |part| part.step.min(end));
        if end == first && first < grid.steps {
            return Err(BuildError::TooLong { seconds: work.input.duration, bones: work.rig.bones.len() });
        }
        Ok(Window { steps: first..end, rows, off_step_rows })
    }

    /// Returns the animation at the first of `times` (seconds), as many as fit into a window, cached or new. New rows are cached
    /// if they are complete. Returns `Err` if `progress` is cancelled.
    fn rows(&self, work: &TreeWork, times: Vec<f64>, progress: &Progress) -> Result<Arc<DrivenRows>, Cancelled> {
        let known = self.cache().rows.iter().find(|rows| rows.fits(work.rig, &times)).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let count = times.len();
        let rows = Arc::new(DrivenRows::record(work.input, work.rig, times, self.max_window_bytes, progress)?);
        if rows.len() == count {
            let cache = &mut self.cache().rows;
            cache.insert(0, rows.clone());
            evict_oldest(cache, |rows| rows.bytes());
        }
        Ok(rows)
    }

    fn cached_tree(&self, key: &TreeKey) -> Option<Arc<TreeRecording>> {
        self.cache().trees.iter().find(|(known, _)| known == key).map(|(_, tree)| tree.clone())
    }

    /// Stores `tree` as the newest recording for `key`, and removes the oldest beyond the capacity.
    fn cache_tree(&self, key: TreeKey, tree: &Arc<TreeRecording>) {
        let cache = &mut self.cache().trees;
        cache.retain(|(known, _)| *known != key);
        cache.insert(0, (key, tree.clone()));
        evict_oldest(cache, |(_, tree)| tree.bytes());
    }

    /// Returns the number of cached tree recordings.
    #[cfg(test)]
    pub(crate) fn cached_trees(&self) -> usize {
        self.cache().trees.len()
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the trees of `parts` that are not cached, in groups that are stepped in parallel lanes.
fn groups_of_new(
    parts: &[TreePart],
    known: &[Option<Arc<TreeRecording>>],
    cycle_settings: CycleSettings,
) -> Vec<Vec<usize>> {
    let mut new: Vec<usize> = (0..parts.len()).filter(|&tree| known[tree].is_none()).collect();
    // Trees of similar size share a group: otherwise a long one would run alone at its end.
    new.sort_by_key(|&tree| parts[tree].bones.len());
    // The trees of a loop take different numbers of cycles until they repeat.
    let together = if cycle_settings.looping { 1 } else { FOUR };
    new.chunks(together).map(<[usize]>::to_vec).collect()
}

/// Inputs that all trees of a rig share.
#[derive(Clone, Copy)]
struct TreeWork<'a> {
    input: &'a Input<'a>,
    over_time: SettingsOverTime<'a>,
    rig: &'a DynamicsRig,
    grid: StepGrid,
    cycle_settings: CycleSettings,
    off_step: &'a OffStepFrames,
}

impl TreeWork<'_> {
    /// Returns the inputs of the tree `part`. Equal keys mean equal recordings of one motion.
    fn key(&self, part: &TreePart) -> TreeKey {
        let has_chain = |chain: usize| part.rig.bones.iter().any(|bone| bone.chain == chain);
        TreeKey {
            rig: part.rig.clone(),
            grid: self.grid,
            cycle_settings: self.cycle_settings,
            frames: self.off_step.times.clone(),
            keyed: self.over_time.keyed_for(&has_chain),
        }
    }
}

/// Removes the oldest entries beyond [`MAX_CACHED_BYTES`].
fn evict_oldest<T>(newest_first: &mut Vec<T>, bytes: impl Fn(&T) -> usize) {
    let mut total = 0;
    newest_first.retain(|each| {
        total += bytes(each);
        total <= MAX_CACHED_BYTES
    });
}

/// Merges the rows of all trees into rows of the complete rig.
fn merge_rows<T: Copy + Default>(
    parts: &[TreePart],
    trees: &[Arc<TreeRecording>],
    of: impl Fn(&TreeRecording) -> &[T],
) -> Vec<T> {
    let count: usize = parts.iter().map(|part| part.bones.len()).sum();
    let rows = parts.iter().zip(trees).map(|(part, tree)| of(tree).len() / part.bones.len().max(1)).max();
    let mut merged = vec![T::default(); count * rows.unwrap_or(0)];
    for (part, tree) in parts.iter().zip(trees) {
        for (row, values) in merged.chunks_exact_mut(count).zip(of(tree).chunks_exact(part.bones.len().max(1))) {
            part.bones.iter().zip(values).for_each(|(&bone, &value)| row[bone] = value);
        }
    }
    merged
}
