//! A path written back into the joints that carry it.

use glam::{DAffine3, DQuat, DVec3, Quat, Vec3};

use super::{BuildError, Input};
use crate::anim::root_motion::{local_at, parent_at, path};
use crate::anim::{Clip, Curve, Interpolation, RootKind};

/// Where a joint was and shall be at each frame.
#[derive(Clone, Copy)]
pub(super) struct RootMoves<'a> {
    pub times: &'a [f64],
    pub from: &'a [DVec3],
    pub to: &'a [DVec3],
    /// Radians about +Y.
    pub yaws: &'a [f64],
}

/// A copy of the source in which `carriers` take the character along `moves`. Tracks that nothing changes are the source's own.
pub(super) fn write(input: &Input, carriers: &[usize], moves: &RootMoves) -> Result<Clip, BuildError> {
    let mut clip = input.clip.clone();
    for &carrier in carriers {
        if carrier == input.root.joint {
            write_joint(input, carrier, moves, &mut clip)?;
            continue;
        }
        // Turned about the root-motion joint, and moved as it is.
        let from = path(input.skeleton, input.clip, carrier, moves.times);
        let carried = |(i, point): (usize, &DVec3)| {
            moves.to[i] + DQuat::from_rotation_y(moves.yaws[i]) * (*point - moves.from[i])
        };
        let is_moved = |i: usize| moves.to[i] != moves.from[i] || moves.yaws[i] != 0.0;
        let to: Vec<DVec3> =
            from.iter().enumerate().map(|at| if is_moved(at.0) { carried(at) } else { *at.1 }).collect();
        write_joint(input, carrier, &RootMoves { from: &from, to: &to, ..*moves }, &mut clip)?;
    }
    Ok(clip)
}

fn write_joint(input: &Input, joint: usize, moves: &RootMoves, clip: &mut Clip) -> Result<(), BuildError> {
    if moves.from != moves.to {
        clip.tracks[joint].translation = Some(translation(input, joint, moves)?);
    }
    if moves.yaws.iter().any(|&yaw| yaw != 0.0) {
        clip.tracks[joint].rotation = Some(rotation(input, joint, moves)?);
    }
    Ok(())
}

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
        values.push(if keeps_height { at_height_of(local, placed, &parent) } else { placed });
    }
    let source = input.clip.tracks[joint].translation.as_ref();
    Ok(Curve { interpolation: between_keys(source), times: as_keys(moves.times), values })
}

fn rotation(input: &Input, joint: usize, moves: &RootMoves) -> Result<Curve<Quat>, BuildError> {
    let mut values: Vec<Quat> = Vec::with_capacity(moves.times.len());
    for (&time, &yaw) in moves.times.iter().zip(moves.yaws) {
        let local = local_at(input.skeleton, input.clip, joint, time).rotation;
        let turn = DQuat::from_rotation_y(yaw);
        values.push(if yaw == 0.0 { local } else { turn_seen_from(&parent_of(input, joint, time)?, turn, local) });
    }
    Ok(rotation_curve(input.clip, joint, moves.times, values))
}

/// Keys for `joint` at `times`; neighbours lie in the same hemisphere.
pub(super) fn rotation_curve(clip: &Clip, joint: usize, times: &[f64], mut values: Vec<Quat>) -> Curve<Quat> {
    for i in 1..values.len() {
        if values[i - 1].dot(values[i]) < 0.0 {
            values[i] = -values[i];
        }
    }
    let source = clip.tracks[joint].rotation.as_ref();
    Curve { interpolation: between_keys(source), times: as_keys(times), values }
}

/// `local` under `parent` after a turn in world space.
pub(super) fn turn_seen_from(parent: &DAffine3, turn: DQuat, local: Quat) -> Quat {
    let seen = parent.matrix3.inverse() * glam::DMat3::from_quat(turn) * parent.matrix3;
    let [x, y] = [seen.x_axis.normalize_or(DVec3::X), seen.y_axis.normalize_or(DVec3::Y)];
    let y = (y - x * x.dot(y)).normalize_or(DVec3::Y);
    let seen = DQuat::from_mat3(&glam::DMat3::from_cols(x, y, x.cross(y)));
    let turned = (seen * local.as_dquat()).normalize().as_quat();
    if turned.is_finite() { turned } else { local }
}

/// The parent's world place at `time`; an error where it is squashed flat, for then no key can move the joint.
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

/// `placed` with its vertical component shifted by a few f32 steps until its world height, rounded to f32, is that of `local`:
/// turned parents let rounding leak into the height, which must stay the source's.
fn at_height_of(local: Vec3, mut placed: Vec3, parent: &DAffine3) -> Vec3 {
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

/// Stepped tracks stay stepped; everything else becomes straight pieces between the frames.
fn between_keys<T>(source: Option<&Curve<T>>) -> Interpolation {
    match source.map(|curve| curve.interpolation) {
        Some(Interpolation::Step) => Interpolation::Step,
        _ => Interpolation::Linear,
    }
}

/// Frame times are exact f32 values, so this loses nothing.
fn as_keys(times: &[f64]) -> Vec<f32> {
    times.iter().map(|&time| time as f32).collect()
}
