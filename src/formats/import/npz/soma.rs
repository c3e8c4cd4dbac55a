//! Motions as Kimodo saves them: positions and rotations of all joints of SOMA or of the body of SMPL-X.
//!
//! The rest pose is a T pose in which all rotations are zero, and +Y is up. The file holds no bone lengths and no frame rate.
//! The lengths are those that its positions have, and its models make 30 frames per second.

use glam::{Quat, Vec3};

use super::arrays::Arrays;
use super::layout::{self, BODY_JOINTS, Node};
use super::motion::Motion;
use super::points;
use super::rotations::{self, Rotations};
use crate::import::ImportError;
use portamento_anim::geometry::UpAxis;

const POSITIONS: &str = "posed_joints";
const LOCAL: &str = "local_rot_mats";
const GLOBAL: &str = "global_rot_mats";
const USUAL_FPS: f64 = 30.0;
const JOINT_COUNTS: [usize; 3] = [77, 30, BODY_JOINTS];

/// Reads the motion, or returns `None` if the file has no such arrays. Returns `Err` if positions and rotations do not fit
/// each other.
pub(super) fn read(arrays: &mut Arrays) -> Result<Option<Motion>, ImportError> {
    let Some(name) = arrays.first_of(&[LOCAL, GLOBAL]) else { return Ok(None) };
    if arrays.first_of(&[POSITIONS]).is_none() {
        return Ok(None);
    }
    let array = arrays.read(name)?;
    if let Some((frames, joints)) = rotations::layout(&array, &JOINT_COUNTS) {
        arrays.reserve_keys(2 * frames, joints)?;
    }
    let read = rotations::read(&array, &JOINT_COUNTS).map_err(|reason| arrays.fault(name, reason))?;
    let Rotations { frames, by_joint } = read;
    let joints = by_joint.len();
    let array = arrays.read(POSITIONS)?;
    let positions = points::read(&array, joints).filter(|points| points.len() == frames * joints && frames > 0);
    let positions = positions.ok_or_else(|| {
        let expected = format!("; {frames} frames of {joints} joints are expected");
        arrays.fault(POSITIONS, format!("has the shape {}{expected}", rotations::shape(&array)))
    })?;
    let Some(nodes) = layout::soma(joints).or_else(|| layout::smpl(joints)) else { return Ok(None) };
    let (local, global) = match name {
        LOCAL => (by_joint.clone(), composed(&nodes, &by_joint)),
        _ => (relative(&nodes, &by_joint), by_joint),
    };
    Ok(Some(Motion {
        offsets: offsets(&nodes, &global, &positions),
        rotations: local,
        path: positions.iter().copied().step_by(joints).collect(),
        up: UpAxis::Y,
        fps: super::rate(arrays, &["fps"]),
        usual_fps: USUAL_FPS,
        has_bone_lengths: true,
        nodes,
    }))
}

/// Returns rotations relative to the world from those relative to the parents. Both are by joint, then by frame. Parents
/// precede their children.
fn composed(nodes: &[Node], local: &[Vec<Quat>]) -> Vec<Vec<Quat>> {
    let mut global: Vec<Vec<Quat>> = Vec::with_capacity(nodes.len());
    for (node, turns) in nodes.iter().zip(local) {
        let of_frame = |(frame, &turn): (usize, &Quat)| {
            node.parent.map_or(turn, |parent| (global[parent][frame] * turn).normalize())
        };
        let turns = turns.iter().enumerate().map(of_frame).collect();
        global.push(turns);
    }
    global
}

/// Returns rotations relative to the parents from those relative to the world.
fn relative(nodes: &[Node], global: &[Vec<Quat>]) -> Vec<Vec<Quat>> {
    let of_joint = |(node, turns): (&Node, &Vec<Quat>)| {
        let of_frame = |(frame, &turn): (usize, &Quat)| {
            node.parent.map_or(turn, |parent| (global[parent][frame].conjugate() * turn).normalize())
        };
        turns.iter().enumerate().map(of_frame).collect()
    };
    nodes.iter().zip(global).map(of_joint).collect()
}

/// Returns the offset of each joint from its parent in the parent's axes: the median of all frames. That of the root is 0.
fn offsets(nodes: &[Node], global: &[Vec<Quat>], positions: &[Vec3]) -> Vec<Vec3> {
    let of_joint = |(joint, node): (usize, &Node)| {
        let Some(parent) = node.parent else { return Vec3::ZERO };
        let frames = positions.chunks_exact(nodes.len()).enumerate();
        let offsets = frames.map(|(frame, all)| global[parent][frame].conjugate() * (all[joint] - all[parent]));
        points::median(offsets.collect())
    };
    nodes.iter().enumerate().map(of_joint).collect()
}
