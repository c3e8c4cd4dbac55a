//! Removal of jitter while the body or a single joint rests or moves slowly.

use std::ops::Range;

use glam::{DQuat, DVec3, DVec4, Quat};

use super::Input;
use super::smoothing::smoothed;
use portamento_anim::Pose;
use portamento_anim::contacts::{per_frame, runs};
use portamento_anim::math::mean::aligned;
use portamento_anim::quality::{Pauses, rest_half_width, tremors, turns_of};
use portamento_anim::root_motion::rest_at;
use portamento_base::progress::{Cancelled, Progress};

/// Deviation from a smooth curve above which a translation jitters, metres. Smaller deviations are rounding in files.
const JITTER_MIN_M: f64 = 2e-4;
/// Speed above which a joint with steady direction is moving, degrees per second. Tuned; no derivation recorded.
const MOVING_MIN_DEGREES_PER_SECOND: f64 = 30.0;
/// Speed down to which that motion extends, degrees per second. Tuned; no derivation recorded.
const SETTLING_MIN_DEGREES_PER_SECOND: f64 = 10.0;
/// Minimum cosine of the angle between two steps in the same direction. Tuned; no derivation recorded.
const SAME_DIRECTION_MIN_COSINE: f64 = 0.5;
/// Number of consecutive frames for which noise does not keep one direction. Tuned; no derivation recorded.
const MIN_DIRECTED_FRAMES: usize = 3;

/// Smooths jitter of the joints `turning`, and of translations, while the body rests (see [`Pauses`] and [`smoothed`]). All other
/// frames and joints stay bit-identical. Frames are `step` seconds apart. Returns `Err` if `progress` is cancelled.
pub(super) fn smooth_body(
    input: &Input,
    poses: &mut [Pose],
    turning: &[usize],
    step: f64,
    progress: &Progress,
) -> Result<(), Cancelled> {
    let resting = Pauses::find(poses, turning, step, &progress.part())?;
    let width = resting.width;
    let mut pauses = vec![false; poses.len()];
    for &frame in &resting.frames {
        pauses[frame - width..=frame + width].fill(true);
    }
    let before = poses.to_vec();
    for pause in runs(&pauses) {
        for &joint in turning {
            if resting.trembles(&before, joint, pause.clone(), &progress.part())? {
                smooth_rotations(poses, &turns_of(&before, joint), joint, &pause, step);
            }
        }
        for joint in 0..input.skeleton.len() {
            let positions: Vec<DVec3> = before.iter().map(|pose| pose.locals[joint].translation.as_dvec3()).collect();
            let least = JITTER_MIN_M / metres_per_local_unit(input, joint);
            if resting.shakes(&positions, least, pause.clone(), &progress.part())? {
                let positions: Vec<DVec4> = positions.iter().map(|position| position.extend(0.0)).collect();
                let smooth = smoothed(&positions, pause.clone(), step);
                for (pose, position) in poses[pause.clone()].iter_mut().zip(smooth) {
                    pose.locals[joint].translation = position.truncate().as_vec3();
                }
            }
        }
    }
    Ok(())
}

/// Returns the length of a unit of the joint's translation, metres.
fn metres_per_local_unit(input: &Input, joint: usize) -> f64 {
    let parent = input.skeleton.joints[joint].parent.map(|parent| rest_at(input.skeleton, parent).matrix3);
    input.metres_per_unit * parent.map_or(1.0, |matrix| matrix.determinant().abs().cbrt()).max(f64::MIN_POSITIVE)
}

/// Smooths the rotation of each of the joints `turning` in `poses`, which are `step` seconds apart, while that joint rests and
/// jitters (see [`tremors`]), independently of other joints. Returns `Err` if `progress` is cancelled. `poses` must
/// not be empty unless `turning` is.
pub(super) fn smooth_joints(
    poses: &mut [Pose],
    turning: &[usize],
    step: f64,
    progress: &Progress,
) -> Result<(), Cancelled> {
    let before = poses.to_vec();
    for &joint in turning {
        progress.step(joint, before[0].locals.len())?;
        let turns = turns_of(&before, joint);
        for tremor in tremors(&turns, step) {
            smooth_rotations(poses, &turns, joint, &tremor.frames, step);
        }
    }
    Ok(())
}

/// Smooths the rotation of `joint` in `poses` within the frames `pause`. `turns` are its rotations in all frames, which are `step`
/// seconds apart. Frames in which it is constant or moving stay bit-identical.
fn smooth_rotations(poses: &mut [Pose], turns: &[Quat], joint: usize, pause: &Range<usize>, step: f64) {
    let mut before = turns[0];
    let values: Vec<DVec4> = turns
        .iter()
        .map(|&turn| {
            before = aligned(turn, before);
            before.as_dquat().into()
        })
        .collect();
    let reach = rest_half_width(step);
    let is_changing_near = |frame: usize| {
        let neighbourhood = frame.saturating_sub(reach)..(frame + reach + 1).min(values.len());
        values[neighbourhood].iter().any(|value| *value != values[frame])
    };
    let is_moving = moving(&values, pause, step);
    let is_free: Vec<bool> =
        (0..pause.end).map(|frame| frame >= pause.start && is_changing_near(frame) && !is_moving[frame]).collect();
    for frames in runs(&is_free) {
        let smooth = frames.clone().zip(smoothed(&values, frames, step));
        // Unchanged rotations may be of other length or opposite sign.
        for (frame, value) in smooth.filter(|(frame, value)| *value != values[*frame]) {
            poses[frame].locals[joint].rotation = DQuat::from_vec4(value).normalize().as_quat();
        }
    }
}

/// Returns for each frame up to the end of `pause` whether the joint with the rotations `values` moves in it; frames are `step`
/// seconds apart. It moves if its direction is steady and its speed high at least once. The motion must connect to the frames
/// outside the pause, or last longer than noise keeps a direction.
fn moving(values: &[DVec4], pause: &Range<usize>, step: f64) -> Vec<bool> {
    let is_directed = |frame: usize, per_second: f64| {
        let (from, to) = (values[frame] - values[frame - 1], values[frame + 1] - values[frame]);
        // The distance of two unit quaternions is about half the angle between them.
        let is_quick = from.length().min(to.length()) >= 0.5 * per_second.to_radians() * step;
        is_quick && from.dot(to) >= SAME_DIRECTION_MIN_COSINE * from.length() * to.length()
    };
    let inner = pause.start.max(1)..pause.end.min(values.len() - 1);
    let is_part_of_motion =
        |frame: usize| inner.contains(&frame) && is_directed(frame, SETTLING_MIN_DEGREES_PER_SECOND);
    let mut moves = runs(&(0..pause.end).map(is_part_of_motion).collect::<Vec<_>>());
    let is_long = |moves: &Range<usize>| {
        moves.start == inner.start || moves.end == inner.end || moves.len() >= MIN_DIRECTED_FRAMES
    };
    moves
        .retain(|moves| is_long(moves) && moves.clone().any(|frame| is_directed(frame, MOVING_MIN_DEGREES_PER_SECOND)));
    per_frame(&moves, pause.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::math::Transform;

    #[test]
    fn unchanged_frames_keep_their_bits_even_if_not_unit_or_of_other_sign() {
        let noise = |frame: usize| 0.02 * [1.0, -1.0, 0.5, -0.7][frame % 4];
        let sign = |frame: usize| if frame.is_multiple_of(2) { 1.003 } else { -0.998 };
        let turns: Vec<Quat> = (0..20).map(|frame| Quat::from_rotation_x(noise(frame)) * sign(frame)).collect();
        let local = |&rotation: &Quat| vec![Transform { rotation, ..Transform::IDENTITY }];
        let pose = |turn: &Quat| Pose { locals: local(turn), morphs: Vec::new() };
        let mut poses: Vec<Pose> = turns.iter().map(pose).collect();
        smooth_rotations(&mut poses, &turns, 0, &(0..20), 1.0 / 30.0);
        let smooth = turns_of(&poses, 0);
        assert_eq!([smooth[0], smooth[19]], [turns[0], turns[19]]);
        assert!((1..19).all(|frame| smooth[frame] != turns[frame]));
    }

    #[test]
    fn moving_frames_within_a_pause_keep_their_bits() {
        let noise = |frame: usize| 1.5 * [1.0, -1.0, 0.5, -0.7][frame % 4];
        let swing = |frame: f32| 2.5 * (frame - 12.0).clamp(0.0, 6.0) - 3.0 * (4.0 - frame).max(0.0);
        let is_moving = |frame: usize| [0..4, 13..18].iter().any(|frames: &Range<usize>| frames.contains(&frame));
        let degrees = |frame: usize| swing(frame as f32) + if is_moving(frame) { 0.0 } else { noise(frame) };
        let turns: Vec<Quat> = (0..30).map(|frame| Quat::from_rotation_x(degrees(frame).to_radians())).collect();
        let local = |&rotation: &Quat| vec![Transform { rotation, ..Transform::IDENTITY }];
        let mut poses: Vec<Pose> = turns.iter().map(|turn| Pose { locals: local(turn), morphs: Vec::new() }).collect();
        smooth_rotations(&mut poses, &turns, 0, &(1..30), 1.0 / 30.0);
        let smooth = turns_of(&poses, 0);
        let stays = |frame: &usize| smooth[*frame] == turns[*frame];
        assert!([1, 2, 14, 15, 16].iter().all(stays), "{:?}", (0..30).filter(stays).collect::<Vec<_>>());
        assert!((5..12).chain(18..29).all(|frame| !stays(&frame)));
    }
}
