//! The animation at the moments of a recording, for every tree and every cycle: sampling it costs as much as many bones do.

use rayon::prelude::*;

use super::bone::Tip;
use super::input::Input;
use super::rig::{DynamicsRig, KinematicJoint, RigCollider};
use super::state::{place_colliders, place_kinematic};
use super::world_collider::WorldCollider;
use super::world_transform::WorldTransform;
use crate::anim::{Pose, Skeleton};
use crate::math::Transform;
use crate::progress::{Cancelled, Progress};

/// What the simulation reads of the animation at each of some moments.
#[derive(Debug)]
pub(super) struct DrivenRows {
    /// In seconds, rising.
    times: Vec<f64>,
    /// The joints that bones or colliders hang on, with all above them.
    above: Vec<KinematicJoint>,
    /// Those, the bones' own joints and their ends.
    joints: Vec<usize>,
    metres_per_unit: f64,
    /// Row after row, one for each of `above`; empty where there are too many rows to keep.
    kinematic: Vec<WorldTransform>,
    /// One for each of `joints`; empty as `kinematic`.
    locals: Vec<Column>,
    /// What `placed` are in the axes of the joints that carry them.
    colliders: Vec<RigCollider>,
    /// Row after row, one for each of `colliders`.
    placed: Vec<WorldCollider>,
    /// What rests because its animation is not finite.
    broken: Option<BrokenJoint>,
}

/// One joint at all moments.
#[derive(Clone, Debug)]
struct Column {
    first: Transform,
    /// Row after row; empty where it never moves, as most joints that are simulated.
    rows: Vec<Transform>,
}

/// A joint whose animation is not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BrokenJoint {
    pub joint: usize,
    /// When first, seconds.
    pub time: f64,
}

/// The animation at one moment.
#[derive(Clone, Copy)]
pub(super) struct DrivenFrame<'a> {
    /// Has the simulated joints, their ends and all that they and colliders hang on.
    pub pose: &'a Pose,
    /// World places of [`DynamicsRig::kinematic`].
    pub kinematic: &'a [WorldTransform],
    /// World places of [`DynamicsRig::colliders`].
    pub colliders: &'a [WorldCollider],
    /// Clip time in seconds.
    pub time: f64,
}

/// Rows looked up one after the other.
pub(super) struct RowReader<'a> {
    input: &'a Input<'a>,
    rig: &'a DynamicsRig,
    rows: &'a DrivenRows,
    /// The moving joints that the rig reads, and their places among all.
    read: Vec<(usize, usize)>,
    pose: Pose,
    kinematic: Vec<WorldTransform>,
    colliders: Vec<WorldCollider>,
    /// What rests because its animation is not finite, first of all rows read.
    pub broken: Option<BrokenJoint>,
}

/// Bytes of rows that are made at most; the animation is sampled again and again where there are more.
const MOST: usize = 160 << 20;
/// Rows that one thread makes at a time.
const AT_ONCE: usize = 256;

/// Some rows one after the other, and what was wrong in them.
#[derive(Default)]
struct Chunk {
    kinematic: Vec<WorldTransform>,
    locals: Vec<Column>,
    placed: Vec<WorldCollider>,
    broken: Option<BrokenJoint>,
}

impl Column {
    /// Adds what the joint has at row `row`, all before being there.
    fn push(&mut self, row: usize, local: Transform) {
        if !self.rows.is_empty() {
            self.rows.push(local);
        } else if local != self.first {
            self.rows.extend(std::iter::repeat_n(self.first, row));
            self.rows.push(local);
        }
    }

    /// What it has at row `row`.
    fn at(&self, row: usize) -> Transform {
        self.rows.get(row).copied().unwrap_or(self.first)
    }
}

impl DrivenRows {
    /// The animation of `input` at `times`, for `rig`.
    pub fn record(input: &Input, rig: &DynamicsRig, times: Vec<f64>, progress: &Progress) -> Result<Self, Cancelled> {
        let joints = read_joints(rig);
        let (above, metres_per_unit) = (rig.kinematic.clone(), rig.metres_per_unit);
        let (kinematic, locals, placed, colliders) = (Vec::new(), Vec::new(), Vec::new(), rig.colliders.clone());
        let broken = None;
        let mut rows = Self { times, above, joints, metres_per_unit, kinematic, locals, colliders, placed, broken };
        if rows.row_bytes().saturating_mul(rows.times.len()) > MOST {
            return Ok(rows);
        }
        let chunk = |times: &[f64]| rows.chunk(input, times, progress);
        let chunks: Vec<Chunk> = rows.times.par_chunks(AT_ONCE).map(chunk).collect::<Result<_, _>>()?;
        rows.broken = chunks.iter().find_map(|chunk| chunk.broken);
        rows.locals = (0..rows.joints.len()).map(|at| joined(&chunks, at, &rows.times)).collect();
        for chunk in chunks {
            rows.kinematic.extend(chunk.kinematic);
            rows.placed.extend(chunk.placed);
        }
        Ok(rows)
    }

    fn chunk(&self, input: &Input, times: &[f64], progress: &Progress) -> Result<Chunk, Cancelled> {
        let mut chunk = Chunk::default();
        let (mut pose, mut places, mut placed) = (Pose::rest(input.skeleton), Vec::new(), Vec::new());
        for (row, &time) in times.iter().enumerate() {
            progress.step(0, 1)?;
            let broken = drive(input.driver, input.skeleton, time.min(input.duration), &mut pose);
            chunk.broken = chunk.broken.or(broken.map(|joint| BrokenJoint { joint, time }));
            place_kinematic(&self.above, self.metres_per_unit, &pose, &mut places);
            place_colliders(&self.colliders, &places, &mut placed);
            chunk.kinematic.extend(&places);
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

    fn row_bytes(&self) -> usize {
        let placed = self.colliders.len() * size_of::<WorldCollider>();
        self.above.len() * size_of::<WorldTransform>() + self.joints.len() * size_of::<Transform>() + placed
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        let rows = size_of_val(&self.kinematic[..]) + size_of_val(&self.placed[..]);
        rows + self.locals.iter().map(|column| size_of::<Column>() + size_of_val(&column.rows[..])).sum::<usize>()
    }

    /// Whether these are the rows of `rig` at `times`, of one and the same animation.
    pub fn fits(&self, rig: &DynamicsRig, times: &[f64]) -> bool {
        let has_bones = read_joints(rig).iter().all(|joint| self.joints.binary_search(joint).is_ok());
        let same = self.above == rig.kinematic && self.colliders == rig.colliders;
        has_bones && same && self.metres_per_unit == rig.metres_per_unit && self.times == times
    }

    /// Whether rows are looked up and not made again for every reader.
    pub fn is_kept(&self) -> bool {
        self.locals.len() == self.joints.len()
    }
}

/// The column of the joint at `at` through all of `chunks`, which together have all of `times`.
fn joined(chunks: &[Chunk], at: usize, times: &[f64]) -> Column {
    let Some(first) = chunks.first().map(|chunk| chunk.locals[at].first) else {
        return Column { first: Transform::IDENTITY, rows: Vec::new() };
    };
    let mut parts = chunks.iter().map(|chunk| &chunk.locals[at]);
    if parts.clone().all(|part| part.rows.is_empty() && part.first == first) {
        return Column { first, rows: Vec::new() };
    }
    let rows = times.chunks(AT_ONCE).flat_map(|times| {
        let part = parts.next();
        (0..times.len()).map(move |row| part.map_or(first, |part| part.at(row)))
    });
    Column { first, rows: rows.collect() }
}

/// The joints that `rig` reads, ascending: bones, their ends, and what they and colliders hang on.
fn read_joints(rig: &DynamicsRig) -> Vec<usize> {
    let own = rig.bones.iter().map(|bone| bone.joint);
    let tips = rig.bones.iter().filter_map(|bone| if let Tip::Joint(tip) = bone.tip { Some(tip) } else { None });
    let above = rig.kinematic.iter().map(|each| each.joint);
    let mut joints: Vec<usize> = own.chain(tips).chain(above).collect();
    joints.sort_unstable();
    joints.dedup();
    joints
}

impl<'a> RowReader<'a> {
    /// Reads `rows` of `input` for `rig` or a part of it.
    pub fn new(input: &'a Input<'a>, rig: &'a DynamicsRig, rows: &'a DrivenRows) -> Self {
        let wanted = read_joints(rig);
        let joints = rows.joints.iter().copied().enumerate();
        let read = joints.filter(|(_, joint)| wanted.binary_search(joint).is_ok()).map(|(at, joint)| (joint, at));
        let (mut read, mut pose): (Vec<_>, _) = (read.collect(), Pose::rest(input.skeleton));
        if rows.is_kept() {
            read.iter().for_each(|&(joint, at)| pose.locals[joint] = rows.locals[at].first);
            read.retain(|&(_, at)| !rows.locals[at].rows.is_empty());
        }
        let (kinematic, colliders) = (Vec::new(), Vec::new());
        Self { input, rig, rows, read, pose, kinematic, colliders, broken: rows.broken }
    }

    /// The animation at row `row`.
    pub fn at(&mut self, row: usize) -> DrivenFrame<'_> {
        let rows = self.rows;
        let time = rows.times[row];
        if !rows.is_kept() {
            let broken = drive(self.input.driver, self.input.skeleton, time.min(self.input.duration), &mut self.pose);
            self.broken = self.broken.or(broken.map(|joint| BrokenJoint { joint, time }));
            place_kinematic(&self.rig.kinematic, self.rig.metres_per_unit, &self.pose, &mut self.kinematic);
            place_colliders(&self.rig.colliders, &self.kinematic, &mut self.colliders);
            return DrivenFrame { pose: &self.pose, kinematic: &self.kinematic, colliders: &self.colliders, time };
        }
        let (above, placed) = (rows.above.len(), rows.colliders.len());
        self.read.iter().for_each(|&(joint, at)| self.pose.locals[joint] = rows.locals[at].at(row));
        let kinematic = &rows.kinematic[row * above..(row + 1) * above];
        DrivenFrame { pose: &self.pose, kinematic, colliders: &rows.placed[row * placed..(row + 1) * placed], time }
    }
}

/// The animated pose at `time` over the rest pose; a joint that is not finite rests, and the first such joint is returned.
pub(super) fn drive(
    driver: &(dyn Fn(f64, &mut Pose) + Sync),
    skeleton: &Skeleton,
    time: f64,
    pose: &mut Pose,
) -> Option<usize> {
    // The driver writes only what its clip moves.
    pose.set_rest(skeleton);
    driver(time, pose);
    let mut first = None;
    for (joint, local) in pose.locals.iter_mut().enumerate().filter(|(_, local)| !local.is_finite()) {
        *local = skeleton.joints[joint].rest;
        first = first.or(Some(joint));
    }
    first
}
