//! Inertialization: at a clip switch, the offset to the old motion is kept and decays.
//!
//! Method: Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC 2018, with the decay
//! of a critically damped spring (Holden, "Spring-It-On", 2021). Each joint starts with its offset and relative speed
//! at the switch and loses half of the offset every [`HALF_LIFE`].

use glam::{DQuat, DVec3, Quat};

use portamento_anim::Pose;

/// Half-life of an offset at rest, seconds. Short enough to end within two steps of a run.
const HALF_LIFE: f64 = 0.08;
/// Time after which an offset is invisible, seconds.
const DECAY_SECONDS: f64 = 0.7;
/// Largest offset that is kept, radians. A joint farther away would fold the wrong way.
const OFFSET_MAX_RADIANS: f64 = 1.6;
/// Ratio between a joint's deviation at a switch and in the neighbouring frames above which it counts as a jump.
const JUMP_MIN_RATIO: f64 = 1.5;
/// Smallest offset (radians, units) and speed (per second) that are corrected.
const MIN_OFFSET_AND_SPEED: [f64; 2] = [2e-3, 0.05];

/// Removes joint jumps at `switches` (frame indices in order) by adding decaying offsets to the later poses; `fps`
/// frames per second. Switches in the first two frames and in the last one are ignored.
pub(crate) fn smooth(poses: &mut [Pose], switches: &[usize], fps: f64) {
    decay(poses, switches, fps, JUMP_MIN_RATIO);
}

/// Joins different motions at `switches` as [`smooth`] does, also where their own frames deviate as much: after a landing every
/// joint is still shaken.
pub(crate) fn join(poses: &mut [Pose], switches: &[usize], fps: f64) {
    decay(poses, switches, fps, 0.0);
}

/// Adds decaying offsets where the deviation at a switch is more than `ratio` times that of the frames around it.
fn decay(poses: &mut [Pose], switches: &[usize], fps: f64, ratio: f64) {
    let inside = 2..poses.len().saturating_sub(1);
    for &switch in switches.iter().filter(|switch| inside.contains(*switch)) {
        let joints = poses[switch].locals.len();
        let rotations: Vec<Option<Spring>> =
            (0..joints).map(|joint| rotation(poses, switch, joint, fps, ratio)).collect();
        let translations: Vec<Option<Spring>> =
            (0..joints).map(|joint| translation(poses, switch, joint, fps, ratio)).collect();
        add(poses, switch, [&rotations, &translations], fps);
    }
}

/// Lets the motion begin in `pose` at the frame `start`: the offset of each joint to it decays in the later frames.
pub(crate) fn begin_in(pose: &Pose, poses: &mut [Pose], start: usize, fps: f64) {
    let pairs = || poses[start].locals.iter().zip(&pose.locals);
    let rotations: Vec<Option<Spring>> =
        pairs().map(|(own, wanted)| Spring::new(turn(own.rotation, wanted.rotation), DVec3::ZERO)).collect();
    let translations: Vec<Option<Spring>> = pairs()
        .map(|(own, wanted)| Spring::new((wanted.translation - own.translation).as_dvec3(), DVec3::ZERO))
        .collect();
    add(poses, start, [&rotations, &translations], fps);
}

/// Adds the decaying offsets of each joint, rotations and translations, from the frame `start` on.
fn add(poses: &mut [Pose], start: usize, [rotations, translations]: [&[Option<Spring>]; 2], fps: f64) {
    let last = poses.len().min(start + (DECAY_SECONDS * fps) as usize);
    for (i, pose) in poses[start..last].iter_mut().enumerate() {
        let time = i as f64 / fps;
        for (joint, local) in pose.locals.iter_mut().enumerate() {
            if let Some(spring) = &rotations[joint] {
                let turn = DQuat::from_scaled_axis(spring.at(time));
                local.rotation = (turn * local.rotation.as_dquat()).normalize().as_quat();
            }
            if let Some(spring) = &translations[joint] {
                local.translation += spring.at(time).as_vec3();
            }
        }
    }
}

/// A critically damped offset that decays without overshoot.
struct Spring {
    /// Offset at the switch: a rotation vector (radians), or a translation (units of the rig).
    offset: DVec3,
    /// Change of the offset per second.
    speed: DVec3,
}

impl Spring {
    /// Returns a spring, or `None` if offset and speed are too small to see or not finite. The offset is limited to
    /// [`OFFSET_MAX_RADIANS`]. A speed component that would increase it is removed.
    fn new(offset: DVec3, speed: DVec3) -> Option<Self> {
        let away = speed.dot(offset).max(0.0) / offset.length_squared().max(1e-12);
        let speed = if offset.length() > MIN_OFFSET_AND_SPEED[0] { speed - offset * away } else { speed };
        let offset = offset.clamp_length_max(OFFSET_MAX_RADIANS);
        let seen = offset.length() > MIN_OFFSET_AND_SPEED[0] || speed.length() > MIN_OFFSET_AND_SPEED[1];
        (seen && offset.is_finite() && speed.is_finite()).then_some(Self { offset, speed })
    }

    /// Returns the offset that is left after `time` seconds.
    fn at(&self, time: f64) -> DVec3 {
        let damping = 2.0 * std::f64::consts::LN_2 / HALF_LIFE;
        (self.offset + (self.speed + self.offset * damping) * time) * (-damping * time).exp()
    }
}

/// Returns the largest deviation from constant velocity among the frames around the switch, as the length of `bend` of three
/// frames. A deviation at the switch up to this size is no jump.
fn bends(poses: &[Pose], switch: usize, bend: impl Fn([usize; 3]) -> DVec3) -> f64 {
    let before = (switch.saturating_sub(4)..switch - 2).map(|i| [i, i + 1, i + 2]);
    let after = (switch..(switch + 2).min(poses.len().saturating_sub(2))).map(|i| [i, i + 1, i + 2]);
    before.chain(after).map(|frames| bend(frames).length()).fold(0.0, f64::max)
}
/// Returns the decaying rotation offset of a joint at a switch, or `None` if the joint does not jump.
fn rotation(poses: &[Pose], switch: usize, joint: usize, fps: f64, ratio: f64) -> Option<Spring> {
    let at = |frame: usize| poses[frame].locals[joint].rotation;
    let bend = |[a, b, c]: [usize; 3]| {
        let expected = DQuat::from_scaled_axis(turn(at(a), at(b))) * at(b).as_dquat();
        turn(at(c), expected.as_quat())
    };
    let offset = bend([switch - 2, switch - 1, switch]);
    if offset.length() <= ratio * bends(poses, switch, bend) + MIN_OFFSET_AND_SPEED[0] {
        return None;
    }
    let speed = turn(at(switch - 2), at(switch - 1)) - turn(at(switch), at(switch + 1));
    Spring::new(offset, speed * fps)
}
/// Returns the decaying translation offset of a joint at a switch, or `None` if the joint does not jump.
fn translation(poses: &[Pose], switch: usize, joint: usize, fps: f64, ratio: f64) -> Option<Spring> {
    let at = |frame: usize| poses[frame].locals[joint].translation.as_dvec3();
    let bend = |[a, b, c]: [usize; 3]| at(b) + at(b) - at(a) - at(c);
    let offset = bend([switch - 2, switch - 1, switch]);
    if offset.length() <= ratio * bends(poses, switch, bend) + MIN_OFFSET_AND_SPEED[0] {
        return None;
    }
    let speed = (at(switch - 1) - at(switch - 2)) - (at(switch + 1) - at(switch));
    Spring::new(offset, speed * fps)
}

/// Returns the rotation vector from `from` to `to` along the shorter arc, radians.
fn turn(from: Quat, to: Quat) -> DVec3 {
    let turn = (to.as_dquat() * from.as_dquat().inverse()).normalize();
    (if turn.w < 0.0 { -turn } else { turn }).to_scaled_axis()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::math::Transform;

    fn row(angle: f64, position: f64) -> Pose {
        let rotation = DQuat::from_rotation_x(angle).as_quat();
        let local =
            Transform { rotation, translation: DVec3::new(position, 0.0, 0.0).as_vec3(), ..Transform::IDENTITY };
        Pose { locals: vec![local], ..Pose::default() }
    }

    fn angle(pose: &Pose) -> f64 {
        turn(Quat::IDENTITY, pose.locals[0].rotation).x
    }

    #[test]
    fn a_jump_becomes_a_smooth_change_that_ends_in_the_new_motion() {
        let raw = |i: usize| if i < 30 { row(0.02 * i as f64, 0.0) } else { row(-0.5 + 0.01 * i as f64, 0.3) };
        let mut poses: Vec<Pose> = (0..120).map(raw).collect();
        smooth(&mut poses, &[30], 60.0);
        let steps: Vec<f64> = poses.windows(2).map(|pair| angle(&pair[1]) - angle(&pair[0])).collect();
        let jerks = steps.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
        assert!(jerks < 0.045, "{jerks}");
        let steps =
            poses.windows(2).map(|pair| (pair[1].locals[0].translation - pair[0].locals[0].translation).length());
        assert!(steps.fold(0.0, f32::max) < 0.05);
        assert!((0..30).all(|i| poses[i] == raw(i)) && poses[119] == raw(119));
        assert!((angle(&poses[70]) - angle(&raw(70))).abs() < 2e-3);
    }

    #[test]
    fn continuous_motion_is_unchanged() {
        let rows: Vec<Pose> = (0..60).map(|i| row((i as f64 * 0.05).sin() * 0.2, 0.01 * i as f64)).collect();
        let mut poses = rows.clone();
        smooth(&mut poses, &[0, 1, 20, 59], 60.0);
        let off = poses.iter().zip(&rows).map(|(a, b)| (angle(a) - angle(b)).abs()).fold(0.0, f64::max);
        assert!(off < 2e-3, "{off}");
    }

    #[test]
    fn a_small_jump_of_a_fast_motion_is_found() {
        let raw = |i: usize| row(0.0, 0.05 * i as f64 + if i < 30 { 0.0 } else { 0.02 });
        let poses: Vec<Pose> = (0..60).map(raw).collect();
        let spring = translation(&poses, 30, 0, 60.0, JUMP_MIN_RATIO).unwrap();
        assert!((spring.at(0.0) - DVec3::NEG_X * 0.02).length() < 1e-6, "{}", spring.at(0.0));
        assert!((spring.at(HALF_LIFE).length() / 0.02 - 0.25 * (1.0 + 2.0 * std::f64::consts::LN_2)).abs() < 1e-4);
    }

    #[test]
    fn a_limb_that_turns_when_the_clip_changes_slows_down_and_does_not_stop_dead() {
        let position = |i: usize| if i < 30 { 0.03 * i as f64 } else { 0.95 };
        let mut poses: Vec<Pose> = (0..60).map(|i| row(position(i), position(i))).collect();
        smooth(&mut poses, &[30], 60.0);
        let angles: Vec<f64> = poses.iter().map(angle).collect();
        let positions: Vec<f64> = poses.iter().map(|pose| f64::from(pose.locals[0].translation.x)).collect();
        for values in [angles, positions] {
            let [before, after] = [29, 30].map(|i| values[i + 1] - values[i]);
            assert!((before - 0.03).abs() < 1e-4 && after > 0.015, "{before} and then {after}");
        }
    }
}
