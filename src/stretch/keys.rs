//! Writes a stretched path to the keys of the joints that carry it.

use glam::{DAffine3, DQuat, DVec3, Quat, Vec3};

use super::{BuildError, Input};
use portamento_anim::root_motion::{local_at, parent_at, path};
use portamento_anim::{Clip, Curve, Interpolation, RootKind};

/// Current and new position of a joint at each frame.
#[derive(Clone, Copy)]
pub(super) struct RootMoves<'a> {
    /// Time of each frame, seconds.
    pub times: &'a [f64],
    /// World positions in the source, in the file's unit.
    pub from: &'a [DVec3],
    /// World positions in the result.
    pub to: &'a [DVec3],
    /// Turn about +Y, radians.
    pub yaws: &'a [f64],
}

/// Returns a copy of the source in which `carriers` move the character along `moves`. Tracks without changes are those of the
/// source. Returns `Err` if the parent of a carrier is scaled to zero.
pub(super) fn write(input: &Input, carriers: &[usize], moves: &RootMoves) -> Result<Clip, BuildError> {
    let mut clip = input.clip.clone();
    for &carrier in carriers {
        if carrier == input.root.joint {
            write_joint(input, carrier, moves, &mut clip)?;
            continue;
        }
        // Rotated about the root-motion joint and translated with it.
        let from = path(input.skeleton, input.clip, carrier, moves.times);
        let moved = |(i, point): (usize, &DVec3)| {
            moves.to[i] + DQuat::from_rotation_y(moves.yaws[i]) * (*point - moves.from[i])
        };
        let is_moved = |i: usize| moves.to[i] != moves.from[i] || moves.yaws[i] != 0.0;
        let to: Vec<DVec3> = from.iter().enumerate().map(|at| if is_moved(at.0) { moved(at) } else { *at.1 }).collect();
        write_joint(input, carrier, &RootMoves { from: &from, to: &to, ..*moves }, &mut clip)?;
    }
    Ok(clip)
}

/// Writes the translation of `joint` to `clip` if it moves, and its rotation if it turns. Returns `Err` if its parent is scaled
/// to zero.
fn write_joint(input: &Input, joint: usize, moves: &RootMoves, clip: &mut Clip) -> Result<(), BuildError> {
    if moves.from != moves.to {
        clip.tracks[joint].translation = Some(translation(input, joint, moves)?);
    }
    if moves.yaws.iter().any(|&yaw| yaw != 0.0) {
        clip.tracks[joint].rotation = Some(rotation(input, joint, moves)?);
    }
    Ok(())
}

/// Returns the new translation curve of `joint`. Returns `Err` if its parent is scaled to zero at a frame that moves.
fn translation(input: &Input, joint: usize, moves: &RootMoves) -> Result<Curve<Vec3>, BuildError> {
    let keeps_height = input.root.kind == RootKind::HipsGroundPart && joint == input.root.joint;
    let mut values = Vec::with_capacity(moves.times.len());
    for (i, &time) in moves.times.iter().enumerate() {
        let local = local_at(input.skeleton, input.clip, joint, time).translation;
        let moved = moves.to[i] - moves.from[i];
        if moved == DVec3::ZERO {
            values.push(local);
            continue;
        }
        let parent = parent_of(input, joint, time)?;
        let placed = (local.as_dvec3() + parent.matrix3.inverse() * moved).as_vec3();
        values.push(if keeps_height { with_height_of(local, placed, &parent) } else { placed });
    }
    let source = input.clip.tracks[joint].translation.as_ref();
    Ok(Curve { interpolation: interpolation_of(source), times: key_times(moves.times).into(), values: values.into() })
}

/// Returns the new rotation curve of `joint`. Returns `Err` if its parent is scaled to zero at a frame that turns.
fn rotation(input: &Input, joint: usize, moves: &RootMoves) -> Result<Curve<Quat>, BuildError> {
    let mut values: Vec<Quat> = Vec::with_capacity(moves.times.len());
    for (&time, &yaw) in moves.times.iter().zip(moves.yaws) {
        let local = local_at(input.skeleton, input.clip, joint, time).rotation;
        let turn = DQuat::from_rotation_y(yaw);
        values.push(if yaw == 0.0 { local } else { turned_in_world(&parent_of(input, joint, time)?, turn, local) });
    }
    Ok(rotation_curve(input.clip, joint, moves.times, values))
}

/// Returns a rotation curve of `joint` with the keys `values` at `times` (seconds), each negated if it is then nearer to the
/// previous one. It has steps if the curve of `joint` in `clip` has them, else it is linear.
pub(super) fn rotation_curve(clip: &Clip, joint: usize, times: &[f64], mut values: Vec<Quat>) -> Curve<Quat> {
    for i in 1..values.len() {
        if values[i - 1].dot(values[i]) < 0.0 {
            values[i] = -values[i];
        }
    }
    let source = clip.tracks[joint].rotation.as_ref();
    Curve { interpolation: interpolation_of(source), times: key_times(times).into(), values: values.into() }
}

/// Returns the rotation `local` under `parent` after `turn` in world space; `local` itself if the result is not finite.
pub(super) fn turned_in_world(parent: &DAffine3, turn: DQuat, local: Quat) -> Quat {
    let parent_space_turn = parent.matrix3.inverse() * glam::DMat3::from_quat(turn) * parent.matrix3;
    let [x, y] = [parent_space_turn.x_axis.normalize_or(DVec3::X), parent_space_turn.y_axis.normalize_or(DVec3::Y)];
    let y = (y - x * x.dot(y)).normalize_or(DVec3::Y);
    let parent_space_turn = DQuat::from_mat3(&glam::DMat3::from_cols(x, y, x.cross(y)));
    let turned = (parent_space_turn * local.as_dquat()).normalize().as_quat();
    if turned.is_finite() { turned } else { local }
}

/// Returns the world transform of the parent of `joint` at `time` (seconds). Returns `Err` if its scale is zero, since no key
/// could then move the joint.
fn parent_of(input: &Input, joint: usize, time: f64) -> Result<DAffine3, BuildError> {
    let parent = parent_at(input.skeleton, input.clip, joint, time);
    let size = parent.matrix3.to_cols_array().iter().fold(0.0_f64, |size, value| size.max(value.abs()));
    let volume = parent.matrix3.determinant().abs();
    if volume > (size * 1e-6).powi(3) && volume.is_finite() {
        Ok(parent)
    } else {
        Err(BuildError::FlatParent { joint: input.skeleton.joints[joint].name.clone(), time })
    }
}

/// Returns `placed` with the vertical component adjusted by a few f32 steps until its world height equals that of `local` as f32.
/// Rotated parents otherwise let rounding change the height, which must be the source's.
fn with_height_of(local: Vec3, mut placed: Vec3, parent: &DAffine3) -> Vec3 {
    let height = |point: Vec3| parent.transform_point3(point.as_dvec3()).y;
    let up = parent.matrix3.row(1);
    let axis = (0..3).max_by(|&a, &b| up[a].abs().total_cmp(&up[b].abs())).unwrap_or(1);
    let wanted = height(local);
    for _ in 0..8 {
        let excess = height(placed) - wanted;
        if height(placed) as f32 == wanted as f32 {
            break;
        }
        let down = (excess > 0.0) == (up[axis] > 0.0);
        placed[axis] = if down { placed[axis].next_down() } else { placed[axis].next_up() };
    }
    placed
}

/// Keeps stepped interpolation; every other interpolation becomes linear.
fn interpolation_of<T>(source: Option<&Curve<T>>) -> Interpolation {
    match source.map(|curve| curve.interpolation) {
        Some(Interpolation::Step) => Interpolation::Step,
        _ => Interpolation::Linear,
    }
}

/// Converts frame times to key times without loss, since they are exact f32 values.
fn key_times(times: &[f64]) -> Vec<f32> {
    times.iter().map(|&time| time as f32).collect()
}
