//! The animation at the moments of a recording, shared by all trees and cycles: sampling it costs as much as many bones.

use std::sync::Arc;

use rayon::prelude::*;

use crate::chains::bone::Tip;
use crate::chains::rig::{DynamicsRig, KinematicJoint, RigCollider};
use crate::chains::state::{place_colliders, place_kinematic};
use crate::collide::world_collider::WorldCollider;
use crate::input::Input;
use crate::stepping::world_transform::WorldTransform;
use portamento_anim::math::Transform;
use portamento_anim::{Pose, Skeleton};
use portamento_base::progress::{Cancelled, Progress};

/// The part of the animation that the simulation reads, at a list of moments.
#[derive(Debug)]
pub(crate) struct DrivenRows {
    /// Seconds, ascending.
    times: Vec<f64>,
    /// Joints that bones or colliders hang on, with all their ancestors.
    kinematic_joints: Vec<KinematicJoint>,
    /// Those joints, the bones' joints and the joints at their ends; ascending.
    joints: Vec<usize>,
    metres_per_unit: f64,
    /// World transforms row by row, one for each of `kinematic_joints`.
    kinematic: Vec<WorldTransform>,
    /// Local transforms, one column for each of `joints`.
    locals: Vec<Column>,
    /// Shapes of `placed` in the axes of the joints that carry them.
    colliders: Vec<RigCollider>,
    /// World shapes row by row, one for each of `colliders`.
    placed: Vec<WorldCollider>,
    /// First joint that was replaced by its rest pose because its animation is not finite.
    broken: Option<BrokenJoint>,
}

/// Local transforms of one joint at all moments.
#[derive(Clone, Debug)]
struct Column {
    first: Transform,
    /// Row by row; empty if the joint never moves, as most simulated joints.
    rows: Vec<Transform>,
}

/// A joint whose animation is not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BrokenJoint {
    pub joint: usize,
    /// First time, seconds.
    pub time: f64,
}

/// The animation at one moment.
#[derive(Clone, Copy)]
pub(crate) struct DrivenFrame<'a> {
    /// Pose of the simulated joints, their ends, and all joints that they and the colliders hang on.
    pub pose: &'a Pose,
    /// World transforms of [`DynamicsRig::kinematic`].
    pub kinematic: &'a [WorldTransform],
    /// World shapes of [`DynamicsRig::colliders`].
    pub colliders: &'a [WorldCollider],
    /// Clip time in seconds.
    pub time: f64,
}

/// Reader of a window of rows.
pub(super) struct RowReader {
    rows: Arc<DrivenRows>,
    /// Number of rows before the window.
    first: usize,
    /// Joints that the rig reads, ascending.
    joints: Vec<usize>,
    /// Those of them that move within the window, each with its index in [`DrivenRows::joints`].
    moving: Vec<(usize, usize)>,
    pose: Pose,
    /// First joint of all windows read that rests because its animation is not finite.
    pub broken: Option<BrokenJoint>,
}

/// Number of chunks after which their size is compared with the largest allowed.
const CHUNKS_PER_CHECK: usize = 8;
/// Number of rows that one thread computes at a time: of 2 000 moving joints 20 MB. Tuned.
const ROWS_PER_CHUNK: usize = 64;

/// Consecutive rows, and the first joint that was not finite in them.
#[derive(Default)]
struct Chunk {
    kinematic: Vec<WorldTransform>,
    locals: Vec<Column>,
    placed: Vec<WorldCollider>,
    broken: Option<BrokenJoint>,
}

impl Column {
    /// Appends the transform at row `row`; all earlier rows must be present.
    fn push(&mut self, row: usize, local: Transform) {
        if !self.rows.is_empty() {
            self.rows.push(local);
        } else if local != self.first {
            self.rows.extend(std::iter::repeat_n(self.first, row));
            self.rows.push(local);
        }
    }

    /// Returns the transform at row `row`.
    fn at(&self, row: usize) -> Transform {
        self.rows.get(row).copied().unwrap_or(self.first)
    }
}

impl DrivenRows {
    /// Samples the animation of `input` for `rig` at the first of `times` (seconds, ascending): as many as fit into
    /// `max_bytes`, but at least [`CHUNKS_PER_CHECK`] chunks. Returns `Err` if `progress` is cancelled.
    pub fn record(
        input: &Input,
        rig: &DynamicsRig,
        times: Vec<f64>,
        max_bytes: usize,
        progress: &Progress,
    ) -> Result<Self, Cancelled> {
        let joints = read_joints(rig);
        let (kinematic_joints, metres_per_unit) = (rig.kinematic.clone(), rig.metres_per_unit);
        let (kinematic, locals, placed, colliders) = (Vec::new(), Vec::new(), Vec::new(), rig.colliders.clone());
        let broken = None;
        let mut rows =
            Self { times, kinematic_joints, joints, metres_per_unit, kinematic, locals, colliders, placed, broken };
        let chunk = |times: &[f64]| rows.chunk(input, times, progress);
        let rows_per_check = CHUNKS_PER_CHECK * ROWS_PER_CHUNK;
        let mut chunks: Vec<Chunk> = Vec::new();
        let mut moves = vec![false; rows.joints.len()];
        let mut recorded = 0;
        for times in rows.times.chunks(rows_per_check) {
            let more: Vec<Chunk> = times.par_chunks(ROWS_PER_CHUNK).map(chunk).collect::<Result<_, _>>()?;
            let first = chunks.len();
            chunks.extend(more);
            recorded += times.len();
            moves.iter_mut().enumerate().for_each(|(at, moves)| *moves |= !is_still(&chunks, first, at));
            if rows.row_bytes(&moves).saturating_mul(recorded + rows_per_check) > max_bytes {
                break;
            }
        }
        rows.times.truncate(recorded);
        rows.broken = chunks.iter().find_map(|chunk| chunk.broken);
        let column = |(at, &moves): (usize, &bool)| join_columns(&chunks, at, moves, &rows.times);
        rows.locals = moves.iter().enumerate().map(column).collect();
        for chunk in chunks {
            rows.kinematic.extend(chunk.kinematic);
            rows.placed.extend(chunk.placed);
        }
        Ok(rows)
    }

    /// Samples the animation at `times` (seconds). Times after the end of the clip give its last pose. Returns `Err` if
    /// `progress` is cancelled.
    fn chunk(&self, input: &Input, times: &[f64], progress: &Progress) -> Result<Chunk, Cancelled> {
        let mut chunk = Chunk::default();
        let (mut pose, mut in_world, mut placed) = (Pose::rest(input.skeleton), Vec::new(), Vec::new());
        for (row, &time) in times.iter().enumerate() {
            progress.step(0, 1)?;
            let broken = drive(input.driver, input.skeleton, time.min(input.duration), &mut pose);
            chunk.broken = chunk.broken.or(broken.map(|joint| BrokenJoint { joint, time }));
            place_kinematic(&self.kinematic_joints, self.metres_per_unit, &pose, &mut in_world);
            place_colliders(&self.colliders, &in_world, &mut placed);
            chunk.kinematic.extend(&in_world);
            chunk.placed.extend(&placed);
            if row == 0 {
                let column = |&joint: &usize| Column { first: pose.locals[joint], rows: Vec::new() };
                chunk.locals.extend(self.joints.iter().map(column));
            } else {
                let columns = chunk.locals.iter_mut().zip(&self.joints);
                columns.for_each(|(column, &joint)| column.push(row, pose.locals[joint]));
            }
        }
        Ok(chunk)
    }

    /// Returns the size of a row in bytes, where `moves` says of each joint if it moves.
    fn row_bytes(&self, moves: &[bool]) -> usize {
        let moving = moves.iter().filter(|&&moves| moves).count();
        let placed = self.colliders.len() * size_of::<WorldCollider>();
        self.kinematic_joints.len() * size_of::<WorldTransform>() + moving * size_of::<Transform>() + placed
    }

    /// Returns the size of the rows in bytes.
    pub fn bytes(&self) -> usize {
        let rows = size_of_val(&self.kinematic[..]) + size_of_val(&self.placed[..]);
        rows + self.locals.iter().map(|column| size_of::<Column>() + size_of_val(&column.rows[..])).sum::<usize>()
    }

    /// True if these are the rows of `rig` at `times` (seconds). The caller ensures that the animation is the same.
    pub fn fits(&self, rig: &DynamicsRig, times: &[f64]) -> bool {
        let has_bones = read_joints(rig).iter().all(|joint| self.joints.binary_search(joint).is_ok());
        let same = self.kinematic_joints == rig.kinematic && self.colliders == rig.colliders;
        has_bones && same && self.metres_per_unit == rig.metres_per_unit && self.times == times
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.times.len()
    }
}

/// True if the joint at index `at` does not move in `chunks` from index `from` on, nor from the first one to them.
fn is_still(chunks: &[Chunk], from: usize, at: usize) -> bool {
    let mut parts = chunks[from..].iter().map(|chunk| &chunk.locals[at]);
    chunks.first().is_none_or(|start| parts.all(|part| part.rows.is_empty() && part.first == start.locals[at].first))
}

/// Joins the column of the joint at index `at` in all of `chunks`, which together cover `times`. `moves` is false if the joint
/// has the same transform in all of them.
fn join_columns(chunks: &[Chunk], at: usize, moves: bool, times: &[f64]) -> Column {
    let Some(first) = chunks.first().map(|chunk| chunk.locals[at].first) else {
        return Column { first: Transform::IDENTITY, rows: Vec::new() };
    };
    if !moves {
        return Column { first, rows: Vec::new() };
    }
    let mut parts = chunks.iter().map(|chunk| &chunk.locals[at]);
    let rows = times.chunks(ROWS_PER_CHUNK).flat_map(|times| {
        let part = parts.next();
        (0..times.len()).map(move |row| part.map_or(first, |part| part.at(row)))
    });
    Column { first, rows: rows.collect() }
}

/// Returns the joints that `rig` reads, ascending: bones, their ends, and the joints that they and the colliders hang on.
fn read_joints(rig: &DynamicsRig) -> Vec<usize> {
    let own = rig.bones.iter().map(|bone| bone.joint);
    let tips = rig.bones.iter().filter_map(|bone| if let Tip::Joint(tip) = bone.tip { Some(tip) } else { None });
    let kinematic_joints = rig.kinematic.iter().map(|each| each.joint);
    let mut joints: Vec<usize> = own.chain(tips).chain(kinematic_joints).collect();
    joints.sort_unstable();
    joints.dedup();
    joints
}

impl RowReader {
    /// Returns a reader of `rows`, which begin at row `first`, for `rig` or a part of it.
    pub fn new(skeleton: &Skeleton, rig: &DynamicsRig, rows: Arc<DrivenRows>, first: usize) -> Self {
        let (joints, moving, pose) = (read_joints(rig), Vec::new(), Pose::rest(skeleton));
        let mut reader = Self { rows: rows.clone(), first, joints, moving, pose, broken: None };
        reader.read(rows, first);
        reader
    }

    /// Continues with `rows`, which begin at row `first`.
    pub fn read(&mut self, rows: Arc<DrivenRows>, first: usize) {
        self.moving.clear();
        for (at, &joint) in rows.joints.iter().enumerate() {
            if self.joints.binary_search(&joint).is_ok() {
                self.pose.locals[joint] = rows.locals[at].first;
                self.moving.extend((!rows.locals[at].rows.is_empty()).then_some((joint, at)));
            }
        }
        self.broken = self.broken.or(rows.broken);
        (self.rows, self.first) = (rows, first);
    }

    /// Returns the animation at row `row`, which the window holds.
    pub fn at(&mut self, row: usize) -> DrivenFrame<'_> {
        let (rows, row) = (&*self.rows, row - self.first);
        let (kinematic_count, placed) = (rows.kinematic_joints.len(), rows.colliders.len());
        self.moving.iter().for_each(|&(joint, at)| self.pose.locals[joint] = rows.locals[at].at(row));
        let kinematic = &rows.kinematic[row * kinematic_count..(row + 1) * kinematic_count];
        let colliders = &rows.placed[row * placed..(row + 1) * placed];
        DrivenFrame { pose: &self.pose, kinematic, colliders, time: rows.times[row] }
    }
}

/// Computes the animated pose at `time` (seconds). Joints that are not finite are set to their rest pose. Returns the first
/// of them, or `None` if all are finite.
pub(crate) fn drive(
    driver: &(dyn Fn(f64, &mut Pose) + Sync),
    skeleton: &Skeleton,
    time: f64,
    pose: &mut Pose,
) -> Option<usize> {
    // The driver writes only the joints that its clip animates.
    pose.set_rest(skeleton);
    driver(time, pose);
    let mut first = None;
    for (joint, local) in pose.locals.iter_mut().enumerate().filter(|(_, local)| !local.is_finite()) {
        *local = skeleton.joints[joint].rest;
        first = first.or(Some(joint));
    }
    first
}
