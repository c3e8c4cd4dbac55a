//! Rotations as the layouts write them: axis times angle, or 3 × 3 matrices.

use glam::{DMat3, DQuat, DVec3, Quat};

use super::array::Array;

/// Numbers per rotation of a rotation vector and of a matrix.
const VECTOR: usize = 3;
const MATRIX: usize = 9;

/// Largest difference between a matrix and the rotation nearest to it. Half precision and predicted matrices stay below.
const MAX_MATRIX_ERROR: f64 = 0.05;

/// The rotations of several joints in all frames.
#[derive(Debug)]
pub(super) struct Rotations {
    /// Number of frames.
    pub frames: usize,
    /// By joint, then by frame.
    pub by_joint: Vec<Vec<Quat>>,
}

/// Returns the numbers of frames and joints of `array`, or `None` if the number of joints is not one of `joint_counts`.
/// Both `frames × joints · 3` and `frames × joints × 3 × 3` are understood, also with a leading dimension of 1.
pub(super) fn layout(array: &Array, joint_counts: &[usize]) -> Option<(usize, usize)> {
    let batchless = array.shape.strip_prefix(&[1]).filter(|shape| shape.len() > 1);
    [Some(&array.shape[..]), batchless].into_iter().flatten().find_map(|shape| {
        let (&frames, rest) = shape.split_first()?;
        let per_frame: usize = rest.iter().product();
        let per_joint = if rest.ends_with(&[3, 3]) { MATRIX } else { VECTOR };
        let is_joint_count = |count: &&usize| **count * per_joint == per_frame;
        joint_counts.iter().find(is_joint_count).map(|&count| (frames, count))
    })
}

/// Reads the rotations of `array` in the layout of [`layout()`]. Returns `Err` with the reason if it has another shape or holds
/// a matrix that is no rotation.
pub(super) fn read(array: &Array, joint_counts: &[usize]) -> Result<Rotations, String> {
    let Some((frames, joints)) = layout(array, joint_counts) else {
        let counts =
            joint_counts.iter().map(|count| format!("{} or {count} × 3 × 3", VECTOR * count)).collect::<Vec<_>>();
        return Err(format!("has the shape {}; its frames should have {} numbers", shape(array), counts.join(", ")));
    };
    let per_joint = array.values.len().checked_div(frames * joints).unwrap_or(VECTOR);
    let mut by_joint = vec![Vec::with_capacity(frames); joints];
    for (index, numbers) in array.values.chunks_exact(per_joint).enumerate() {
        let turn = match numbers {
            [x, y, z] => Some(from_vector(DVec3::new(f64::from(*x), f64::from(*y), f64::from(*z)))),
            _ => from_matrix(numbers),
        };
        let frame = index / joints;
        by_joint[index % joints].push(turn.ok_or_else(|| format!("has a matrix in row {frame} that is no rotation"))?);
    }
    Ok(Rotations { frames, by_joint })
}

/// Returns the shape of `array` as text: `12 × 66`.
pub(super) fn shape(array: &Array) -> String {
    array.shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ")
}

/// Returns the rotation about `vector` by its length, radians.
fn from_vector(vector: DVec3) -> Quat {
    DQuat::from_scaled_axis(vector).normalize().as_quat()
}

/// Returns the rotation of a matrix in rows, or `None` if it is none.
fn from_matrix(rows: &[f32]) -> Option<Quat> {
    let mut nine = [0.0; MATRIX];
    nine.iter_mut().zip(rows).for_each(|(to, &from)| *to = f64::from(from));
    let matrix = DMat3::from_cols_array(&nine).transpose();
    let x = matrix.x_axis.try_normalize()?;
    let z = x.cross(matrix.y_axis).try_normalize()?;
    let rotation = DMat3::from_cols(x, z.cross(x), z);
    let is_near = rotation.abs_diff_eq(matrix, MAX_MATRIX_ERROR);
    is_near.then(|| DQuat::from_mat3(&rotation).normalize().as_quat())
}
