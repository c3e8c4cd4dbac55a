//! Joint positions of HumanML3D: 22 joints in metres, or the 263 features of a frame from which they follow.
//!
//! Positions do not say how a bone turns about its own axis. Hips and chest get their rotation from three points, every other
//! joint the shortest turn from the T pose that points its bone as in the frame.

use glam::{Quat, Vec3};

use super::array::Array;
use super::arrays::{Arrays, UNNAMED};
use super::layout::{self, BODY_JOINTS, Node, SMPL_JOINTS};
use super::motion::Motion;
use super::rotations::shape;
use super::{body, points};
use crate::import::ImportError;
use portamento_anim::geometry::UpAxis;

/// Names of an array with positions or features.
const NAMES: [&str; 7] = [UNNAMED, "joints", "positions", "joint_positions", "posed_joints", "keypoints3d", "motion"];
/// Frame rate of the data set.
const USUAL_FPS: f64 = 20.0;

/// Reads the motion, or returns `None` if the file has no such array. Returns `Err` if it has another shape, no frames, or
/// needs too much memory.
pub(super) fn read(arrays: &mut Arrays) -> Result<Option<Motion>, ImportError> {
    let Some(name) = arrays.first_of(&NAMES) else { return Ok(None) };
    let array = arrays.read(name)?;
    let known = |joints| points::read(&array, joints).map(|points| (joints, points));
    let features = || features(&array).map(|points| (BODY_JOINTS, points));
    let Some((joints, positions)) = known(BODY_JOINTS).or_else(|| known(SMPL_JOINTS)).or_else(features) else {
        let expected =
            "joint positions N × 22 × 3 or N × 24 × 3, or N × 263 features that are not normalized, are expected";
        return Err(arrays.fault(name, format!("has the shape {}; {expected}", shape(&array))));
    };
    let frames = positions.len() / joints;
    if frames == 0 {
        return Err(arrays.fault(name, "has no frames".into()));
    }
    arrays.reserve_keys(2 * frames, joints)?;
    let Some(nodes) = layout::smpl(joints) else { return Ok(None) };
    let figure = Figure::new(nodes, positions);
    Ok(Some(Motion {
        rotations: figure.rotations(),
        path: figure.positions.iter().copied().step_by(joints).collect(),
        offsets: figure.offsets,
        nodes: figure.nodes,
        up: UpAxis::Y,
        fps: super::rate(arrays, &["fps"]),
        usual_fps: USUAL_FPS,
        has_bone_lengths: true,
    }))
}

/// Numbers of a frame: turn, two steps and height of the root; 21 positions, 21 rotations of six numbers, 22 velocities,
/// and four foot contacts.
const FEATURES: usize = 4 + 21 * 3 + 21 * 6 + 22 * 3 + 4;
/// Range of the median height of the root, metres. Normalized features have a median near 0.
const ROOT_HEIGHTS_M: std::ops::Range<f32> = 0.2..2.5;

/// Returns the positions that the features describe, or `None` if `array` holds no features in metres.
///
/// ```text
/// a[i] = Σ turn[k], k < i;    Q[i] = rotation about Y by −2 a[i]
/// root[i] = Σ Q[k] (step[k − 1].x, 0, step[k − 1].z), k ≤ i, at height[i]
/// joint[i] = Q[i] local[i] + (root[i].x, 0, root[i].z)
/// ```
///
/// They are frame after frame, 22 joints each.
pub(super) fn features(array: &Array) -> Option<Vec<Vec3>> {
    let frames = match array.shape[..] {
        [frames, FEATURES] | [1, frames, FEATURES] => frames,
        _ => return None,
    };
    let rows = array.values.chunks_exact(FEATURES);
    let heights = rows.clone().map(|row| Vec3::splat(row[3])).collect();
    if !ROOT_HEIGHTS_M.contains(&points::median(heights).x) {
        return None;
    }
    let mut positions = Vec::with_capacity(frames * BODY_JOINTS);
    let (mut angle, mut root, mut step) = (0.0_f64, glam::DVec3::ZERO, glam::DVec3::ZERO);
    for row in rows {
        let turn = glam::DQuat::from_rotation_y(-2.0 * angle);
        root += turn * step;
        positions.push(Vec3::new(root.x as f32, row[3], root.z as f32));
        for local in row[4..].chunks_exact(3).take(BODY_JOINTS - 1) {
            let local = turn * Vec3::new(local[0], local[1], local[2]).as_dvec3();
            positions.push((local + root).as_vec3());
        }
        angle += f64::from(row[0]);
        step = glam::DVec3::new(f64::from(row[1]), 0.0, f64::from(row[2]));
    }
    Some(positions)
}

const PELVIS: usize = 0;
const HIPS: [usize; 2] = [1, 2];
const SPINE: usize = 3;
const CHEST: usize = 9;
const NECK: usize = 12;
const COLLARS: [usize; 2] = [13, 14];

/// A figure with the joints of SMPL and its positions in all frames.
struct Figure {
    nodes: Vec<Node>,
    /// Frame after frame.
    positions: Vec<Vec3>,
    offsets: Vec<Vec3>,
}

impl Figure {
    /// Measures the bones. Those of hips and chest keep their directions in the frames; all others point as in the T pose.
    /// Lengths and directions are medians over the frames.
    fn new(nodes: Vec<Node>, positions: Vec<Vec3>) -> Self {
        let rest = body::offsets(&nodes);
        let offset = |(joint, node): (usize, &Node)| {
            let Some(parent) = node.parent else { return Vec3::ZERO };
            let bones = positions.chunks_exact(nodes.len()).map(|frame| match three_points(frame, parent) {
                Some(turn) => turn.conjugate() * (frame[joint] - frame[parent]),
                None => Vec3::splat(frame[joint].distance(frame[parent])),
            });
            let bone = points::median(bones.collect());
            if is_branch(parent) { bone } else { bone.x * rest[joint].normalize_or_zero() }
        };
        let offsets = nodes.iter().enumerate().map(offset).collect();
        Self { nodes, positions, offsets }
    }

    /// Returns the rotation of each joint relative to its parent: by joint, then by frame.
    fn rotations(&self) -> Vec<Vec<Quat>> {
        let count = self.nodes.len();
        let mut by_joint = vec![Vec::with_capacity(self.positions.len() / count); count];
        for frame in self.positions.chunks_exact(count) {
            let global = self.global_rotations(frame);
            for (joint, turns) in by_joint.iter_mut().enumerate() {
                let parent = self.nodes[joint].parent.map_or(Quat::IDENTITY, |parent| global[parent]);
                turns.push((parent.conjugate() * global[joint]).normalize());
            }
        }
        by_joint
    }

    /// Returns the rotations relative to the world in a frame with joints at `positions`.
    fn global_rotations(&self, positions: &[Vec3]) -> Vec<Quat> {
        let mut global: Vec<Quat> = Vec::with_capacity(self.nodes.len());
        for (joint, node) in self.nodes.iter().enumerate() {
            let inherited = node.parent.map_or(Quat::IDENTITY, |parent| global[parent]);
            let child = self.nodes.iter().position(|child| child.parent == Some(joint));
            let turn = three_points(positions, joint).or_else(|| {
                let rest = (inherited * self.offsets[child?]).try_normalize()?;
                let posed = (positions[child?] - positions[joint]).try_normalize()?;
                Some((Quat::from_rotation_arc(rest, posed) * inherited).normalize())
            });
            global.push(turn.unwrap_or(inherited));
        }
        global
    }
}

/// True for hips and chest, whose rotation follows from three points.
fn is_branch(joint: usize) -> bool {
    matches!(joint, PELVIS | CHEST)
}

/// Returns the rotation of the hips or of the chest, or `None` for other joints. Points on one line give no turn.
fn three_points(positions: &[Vec3], joint: usize) -> Option<Quat> {
    let (sides, top) = match joint {
        PELVIS => (HIPS, SPINE),
        CHEST => (COLLARS, NECK),
        _ => return None,
    };
    let left = (positions[sides[0]] - positions[sides[1]]).normalize_or(Vec3::X);
    let front = left.cross(positions[top] - positions[joint]).normalize_or(left.any_orthonormal_vector());
    let axes = glam::Mat3::from_cols(left, front.cross(left), front);
    Some(Quat::from_mat3(&axes).normalize())
}
