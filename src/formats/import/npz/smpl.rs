//! Poses of SMPL, SMPL-H and SMPL-X: rotations of the joints and the path of the pelvis.
//!
//! AMASS stores all rotations as `poses` (or SMPL-X's also as `root_orient`, `pose_body`, …), the `smplx` package and tools
//! that find motion in videos as `global_orient`, `body_pose`, …, and sets of dances as `smpl_poses`.
//! The shape of a body (`betas`) has a meaning only for the licensed models, so it is not read.

use glam::{Quat, Vec3};

use super::array::Array;
use super::arrays::Arrays;
use super::layout::{self, BODY_JOINTS, Node, SMPL_H_JOINTS, SMPL_JOINTS, SMPL_X_JOINTS};
use super::motion::Motion;
use super::rotations::{self, Rotations};
use super::{body, points};
use crate::import::ImportError;
use portamento_anim::geometry::UpAxis;

/// Names of an array with the rotations of all joints.
const ALL_JOINTS: [&str; 6] = ["poses", "smpl_poses", "fullpose", "full_pose", "pose", "smpl_pose"];
/// Names of the array with the rotation of the pelvis.
const ROOT: [&str; 3] = ["root_orient", "global_orient", "root_orientation"];
/// Names of the array with the rotations of the 21 joints after the pelvis, or 23 with the hands of SMPL.
const BODY: [&str; 2] = ["pose_body", "body_pose"];
/// Names of the array with the path of the pelvis.
const PATH: [&str; 6] = ["trans", "transl", "smpl_trans", "root_trans", "translation", "root_translation"];
/// Names of the array with the frame rate.
const RATE: [&str; 6] = ["mocap_framerate", "mocap_frame_rate", "fps", "framerate", "frame_rate", "mocap_fps"];
/// Names of the array with the positions of the joints at rest.
const REST: [&str; 4] = ["J", "joints_rest", "rest_joints", "joints"];
/// Divisor of the path in AIST++, whose recordings have 60 frames per second.
const SCALE: [&str; 1] = ["smpl_scaling"];
const SCALED_FPS: f64 = 60.0;
/// The frame rate of most generators and videos.
const USUAL_FPS: f64 = 30.0;

/// The optional parts of SMPL-X: names of the array, first joint and number of joints.
const PARTS: [(&[&str], usize, usize); 7] = [
    (&["pose_jaw", "jaw_pose"], 22, 1),
    (&["pose_eye"], 23, 2),
    (&["leye_pose", "left_eye_pose"], 23, 1),
    (&["reye_pose", "right_eye_pose"], 24, 1),
    (&["pose_hand", "hand_pose"], 25, 30),
    (&["left_hand_pose"], 25, 15),
    (&["right_hand_pose"], 40, 15),
];

/// Reads the motion, or returns `None` if the file has no such arrays. The names of arrays left out are added to
/// `left_out`. Returns `Err` if arrays do not fit one another.
pub(super) fn read(arrays: &mut Arrays, left_out: &mut Vec<&'static str>) -> Result<Option<Motion>, ImportError> {
    let (name, Rotations { frames, by_joint }) = match (arrays.first_of(&ALL_JOINTS), arrays.first_of(&ROOT)) {
        (Some(name), _) => {
            let counts = [SMPL_JOINTS, BODY_JOINTS, SMPL_H_JOINTS, SMPL_X_JOINTS];
            (name, rotations_of(arrays, name, &counts)?)
        }
        (None, Some(name)) if arrays.first_of(&BODY).is_some() => (name, assembled(arrays, name, left_out)?),
        _ => return Ok(None),
    };
    let Some(nodes) = layout::smpl(by_joint.len()) else { return Ok(None) };
    let path = pelvis_path(arrays, name, frames)?;
    let scale = arrays.number(&SCALE).filter(|&scale| scale > 0.0);
    let path = path.unwrap_or_else(|| vec![Vec3::ZERO; frames]);
    let path: Vec<Vec3> = path.into_iter().map(|position| position / scale.unwrap_or(1.0) as f32).collect();
    let is_amass = arrays.first_of(&RATE[..2]).is_some();
    let rest = rest(arrays, nodes.len())?;
    // A model turns about the pelvis of its rest pose, which the path does not contain.
    let pelvis = rest.as_ref().map_or(Vec3::ZERO, |positions| positions[0]);
    Ok(Some(Motion {
        offsets: rest.as_ref().map_or_else(|| body::offsets(&nodes), |positions| offsets(&nodes, positions)),
        rotations: by_joint,
        path: path.into_iter().map(|position| position + pelvis).collect(),
        up: if is_amass { UpAxis::Z } else { UpAxis::Y },
        fps: super::rate(arrays, &RATE),
        usual_fps: if scale.is_some() { SCALED_FPS } else { USUAL_FPS },
        has_bone_lengths: rest.is_some(),
        nodes,
    }))
}

/// Reads the rotations of the array `name`, whose frames have one of the numbers of joints in `counts`. Returns `Err` if
/// they have not, or if there are no frames.
fn rotations_of(arrays: &mut Arrays, name: &str, counts: &[usize]) -> Result<Rotations, ImportError> {
    let array = arrays.read(name)?;
    if let Some((frames, joints)) = rotations::layout(&array, counts) {
        arrays.reserve_keys(frames, joints)?;
    }
    let read = rotations::read(&array, counts).map_err(|reason| arrays.fault(name, reason))?;
    if read.frames == 0 { Err(arrays.fault(name, "has no frames".into())) } else { Ok(read) }
}

/// Puts the rotations together from an array for the pelvis, `root`, one for the body and those for hands and face. Joints
/// without an array stay at rest. Names of arrays that do not fit are added to `left_out`.
fn assembled(
    arrays: &mut Arrays,
    root: &'static str,
    left_out: &mut Vec<&'static str>,
) -> Result<Rotations, ImportError> {
    let Rotations { frames, mut by_joint } = rotations_of(arrays, root, &[1])?;
    let name = arrays.first_of(&BODY).unwrap_or(BODY[0]);
    let body = rotations_of(arrays, name, &[BODY_JOINTS - 1, SMPL_JOINTS - 1])?;
    same_frames(arrays, name, body.frames, root, frames)?;
    by_joint.extend(body.by_joint);
    let has_parts = PARTS.iter().any(|(names, ..)| arrays.first_of(names).is_some());
    if by_joint.len() == SMPL_JOINTS || !has_parts {
        return Ok(Rotations { frames, by_joint });
    }
    arrays.reserve_keys(frames, SMPL_X_JOINTS)?;
    by_joint.resize(SMPL_X_JOINTS, vec![Quat::IDENTITY; frames]);
    for (names, first, count) in PARTS {
        let Some(name) = arrays.first_of(names) else { continue };
        let array = arrays.read(name)?;
        // Hands may be given by coefficients that only the licensed models can expand.
        match rotations::read(&array, &[count]) {
            Ok(part) if part.frames == frames => {
                by_joint.splice(first..first + count, part.by_joint);
            }
            _ => left_out.push(name),
        }
    }
    Ok(Rotations { frames, by_joint })
}

/// Reads the positions of the pelvis per frame, in the file's unit, or returns `None` if the file has none.
///
/// Returns `Err` if their number is not `frames`, that of the array `rotations_name`, or if a position has not 3 numbers.
fn pelvis_path(arrays: &mut Arrays, rotations_name: &str, frames: usize) -> Result<Option<Vec<Vec3>>, ImportError> {
    let Some(name) = arrays.first_of(&PATH) else { return Ok(None) };
    let array = arrays.read(name)?;
    let points = points::read(&array, 1).ok_or_else(|| {
        arrays.fault(name, format!("has the shape {}; its frames should have 3 numbers", rotations::shape(&array)))
    })?;
    same_frames(arrays, name, points.len(), rotations_name, frames)?;
    Ok(Some(points))
}

/// Returns `Err` if the array `name` has another number of frames than `expected`, that of the array `other`.
fn same_frames(arrays: &Arrays, name: &str, frames: usize, other: &str, expected: usize) -> Result<(), ImportError> {
    let reason = || format!("has {frames} frames, but \"{other}\" has {expected}");
    if frames == expected { Ok(()) } else { Err(arrays.fault(name, reason())) }
}

/// Reads the positions of `joints` joints at rest, in the file's unit. Returns `None` if the file has none or fewer,
/// or not 3 numbers for each. Returns `Err` if the array cannot be read.
fn rest(arrays: &mut Arrays, joints: usize) -> Result<Option<Vec<Vec3>>, ImportError> {
    let Some(name) = arrays.first_of(&REST) else { return Ok(None) };
    let Array { shape, values } = arrays.read(name)?;
    let is_rest = match shape[..] {
        [count, 3] | [1, count, 3] => count >= joints,
        _ => false,
    };
    let positions = values.chunks_exact(3).take(joints).map(|xyz| Vec3::new(xyz[0], xyz[1], xyz[2]));
    Ok(is_rest.then(|| positions.collect()))
}

/// Returns the offset of each position from that of its parent; for a root, the position.
fn offsets(nodes: &[Node], positions: &[Vec3]) -> Vec<Vec3> {
    let parents = nodes.iter().map(|node| node.parent.map_or(Vec3::ZERO, |parent| positions[parent]));
    positions.iter().zip(parents).map(|(position, parent)| position - parent).collect()
}
