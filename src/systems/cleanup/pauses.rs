//! Trembling while the body, or a joint by itself, rests or moves slowly, stilled.

use std::ops::Range;

use glam::{DQuat, DVec3, DVec4, Quat};

use super::Input;
use super::even::evened;
use crate::anim::Pose;
use crate::anim::contacts::{per_frame, runs};
use crate::anim::quality::{Pauses, neighbours, tremors, turns_of};
use crate::anim::root_motion::rest_at;
use crate::math::mean::aligned;
use crate::progress::{Cancelled, Progress};

/// Metres off a smooth curve from which a translation shakes: less is how files round.
const SHAKES: f64 = 2e-4;
/// Degrees per second from which a joint that goes on the same way moves, and down to which it then comes to rest.
const FAST: f64 = 30.0;
const COMES_TO_REST: f64 = 10.0;
/// Cosine of the angle up to which two steps go the same way.
const STRAIGHT: f64 = 0.5;
/// Frames in a row for which noise does not go one way.
const ONE_WAY: usize = 3;

/// Where the body rests, see [`Pauses`], those of `turning` joints that tremble, and translations that shake there, go evenly, see
/// [`evened`]. All other frames and joints keep their bits. Frames are `step` seconds apart.
pub(super) fn still(
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
                still_turns(poses, &turns_of(&before, joint), joint, &pause, step);
            }
        }
        for joint in 0..input.skeleton.len() {
            let places: Vec<DVec3> = before.iter().map(|pose| pose.locals[joint].translation.as_dvec3()).collect();
            let least = SHAKES / metres_per_local_unit(input, joint);
            if resting.shakes(&places, least, pause.clone(), &progress.part())? {
                let places: Vec<DVec4> = places.iter().map(|place| place.extend(0.0)).collect();
                let made = evened(&places, pause.clone(), step);
                for (pose, place) in poses[pause.clone()].iter_mut().zip(made) {
                    pose.locals[joint].translation = place.truncate().as_vec3();
                }
            }
        }
    }
    Ok(())
}

/// How long a unit of the joint's translation is, metres.
fn metres_per_local_unit(input: &Input, joint: usize) -> f64 {
    let parent = input.skeleton.joints[joint].parent.map(|parent| rest_at(input.skeleton, parent).matrix3);
    input.metres_per_unit * parent.map_or(1.0, |matrix| matrix.determinant().abs().cbrt()).max(f64::MIN_POSITIVE)
}

/// Where one of `turning` joints rests and trembles by itself, see [`tremors`], it is turned so evenly, whatever the others do.
pub(super) fn still_joints(
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
            still_turns(poses, &turns, joint, &tremor.frames, step);
        }
    }
    Ok(())
}

/// Turns `joint`, which comes turned by `turns`, evenly within `pause`; where it does not turn for a while, or moves, it stays bit for
/// bit.
fn still_turns(poses: &mut [Pose], turns: &[Quat], joint: usize, pause: &Range<usize>, step: f64) {
    let mut before = turns[0];
    let values: Vec<DVec4> = turns
        .iter()
        .map(|&turn| {
            before = aligned(turn, before);
            before.as_dquat().into()
        })
        .collect();
    let reach = neighbours(step);
    let turns_near = |frame: usize| {
        let near = frame.saturating_sub(reach)..(frame + reach + 1).min(values.len());
        values[near].iter().any(|value| *value != values[frame])
    };
    let is_moving = moving(&values, pause, step);
    let is_free: Vec<bool> =
        (0..pause.end).map(|frame| frame >= pause.start && turns_near(frame) && !is_moving[frame]).collect();
    for frames in runs(&is_free) {
        let made = frames.clone().zip(evened(&values, frames, step));
        // What stays may be no unit quaternion, or have the other sign.
        for (frame, value) in made.filter(|(frame, value)| *value != values[*frame]) {
            poses[frame].locals[joint].rotation = DQuat::from_vec4(value).normalize().as_quat();
        }
    }
}

/// The frames of `pause` in which a joint moves: it goes on the same way before and after them, fast at least once, from or to what is
/// beside the pause, or for longer than noise goes one way.
fn moving(values: &[DVec4], pause: &Range<usize>, step: f64) -> Vec<bool> {
    let goes = |frame: usize, per_second: f64| {
        let (from, to) = (values[frame] - values[frame - 1], values[frame + 1] - values[frame]);
        // Half a turn's angle is the distance of its quaternions.
        let is_quick = from.length().min(to.length()) >= 0.5 * per_second.to_radians() * step;
        is_quick && from.dot(to) >= STRAIGHT * from.length() * to.length()
    };
    let inner = pause.start.max(1)..pause.end.min(values.len() - 1);
    let goes_on = |frame: usize| inner.contains(&frame) && goes(frame, COMES_TO_REST);
    let mut moves = runs(&(0..pause.end).map(goes_on).collect::<Vec<_>>());
    let is_long = |moves: &Range<usize>| moves.start == inner.start || moves.end == inner.end || moves.len() >= ONE_WAY;
    moves.retain(|moves| is_long(moves) && moves.clone().any(|frame| goes(frame, FAST)));
    per_frame(&moves, pause.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;

    #[test]
    fn frames_that_stay_keep_their_bits_though_they_are_no_unit_and_have_the_other_sign() {
        let noise = |frame: usize| 0.02 * [1.0, -1.0, 0.5, -0.7][frame % 4];
        let sign = |frame: usize| if frame.is_multiple_of(2) { 1.003 } else { -0.998 };
        let turns: Vec<Quat> = (0..20).map(|frame| Quat::from_rotation_x(noise(frame)) * sign(frame)).collect();
        let local = |&rotation: &Quat| vec![Transform { rotation, ..Transform::IDENTITY }];
        let pose = |turn: &Quat| Pose { locals: local(turn), morphs: Vec::new() };
        let mut poses: Vec<Pose> = turns.iter().map(pose).collect();
        still_turns(&mut poses, &turns, 0, &(0..20), 1.0 / 30.0);
        let made = turns_of(&poses, 0);
        assert_eq!([made[0], made[19]], [turns[0], turns[19]]);
        assert!((1..19).all(|frame| made[frame] != turns[frame]));
    }

    #[test]
    fn frames_that_move_within_a_pause_keep_their_bits() {
        let noise = |frame: usize| 1.5 * [1.0, -1.0, 0.5, -0.7][frame % 4];
        let swing = |frame: f32| 2.5 * (frame - 12.0).clamp(0.0, 6.0) - 3.0 * (4.0 - frame).max(0.0);
        let is_moving = |frame: usize| [0..4, 13..18].iter().any(|frames: &Range<usize>| frames.contains(&frame));
        let degrees = |frame: usize| swing(frame as f32) + if is_moving(frame) { 0.0 } else { noise(frame) };
        let turns: Vec<Quat> = (0..30).map(|frame| Quat::from_rotation_x(degrees(frame).to_radians())).collect();
        let local = |&rotation: &Quat| vec![Transform { rotation, ..Transform::IDENTITY }];
        let mut poses: Vec<Pose> = turns.iter().map(|turn| Pose { locals: local(turn), morphs: Vec::new() }).collect();
        still_turns(&mut poses, &turns, 0, &(1..30), 1.0 / 30.0);
        let made = turns_of(&poses, 0);
        let stays = |frame: &usize| made[*frame] == turns[*frame];
        assert!([1, 2, 14, 15, 16].iter().all(stays), "{:?}", (0..30).filter(stays).collect::<Vec<_>>());
        assert!((5..12).chain(18..29).all(|frame| !stays(&frame)));
    }
}
