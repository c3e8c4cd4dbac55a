//! Where what plays changes from one frame to the next, the difference is carried over and fades.
//!
//! This is inertialization (Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC 2018) with the
//! fade of a critically damped spring (Holden, "Spring-It-On", 2021): each joint keeps the offset and the speed that it had
//! against the new motion, and loses half of it every [`HALF_LIFE`].

use glam::{DQuat, DVec3, Quat};

use crate::anim::Pose;

/// Seconds in which a spring at rest loses half of its offset: quick enough to be over within two steps of a run.
const HALF_LIFE: f64 = 0.08;
/// Seconds after which nothing can be seen of an offset.
const LONGEST: f64 = 0.7;
/// Largest offset that is carried, radians: a joint that is farther off would fold the wrong way round.
const LARGEST: f64 = 1.6;
/// How much more than the motion beside it a joint has to bend at a switch to count as jumping.
const JUMP: f64 = 1.5;
/// Offsets (radians, units) and speeds (per second) below which nothing is changed.
const LEAST: [f64; 2] = [2e-3, 0.05];

/// Changes `poses` from each of the `switches` (frames, in order) on so that no joint jumps there; `fps` frames a second. A switch
/// in the first two frames or in the last one stays as it is.
pub(super) fn smooth(poses: &mut [Pose], switches: &[usize], fps: f64) {
    let inside = 2..poses.len().saturating_sub(1);
    for &switch in switches.iter().filter(|switch| inside.contains(*switch)) {
        let joints = poses[switch].locals.len();
        let rotations: Vec<Option<Spring>> = (0..joints).map(|joint| rotation(poses, switch, joint, fps)).collect();
        let translations: Vec<Option<Spring>> =
            (0..joints).map(|joint| translation(poses, switch, joint, fps)).collect();
        let last = poses.len().min(switch + (LONGEST * fps) as usize);
        for (i, pose) in poses[switch..last].iter_mut().enumerate() {
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
}

/// An offset that comes to rest without swinging over.
struct Spring {
    offset: DVec3,
    /// How fast the offset changes, its units per second.
    speed: DVec3,
}

impl Spring {
    /// The spring from an offset and its speed; `None` where both are too small to be seen. A speed that leads further away is
    /// left out, so that an offset never grows.
    fn new(offset: DVec3, speed: DVec3) -> Option<Self> {
        let away = speed.dot(offset).max(0.0) / offset.length_squared().max(1e-12);
        let speed = if offset.length() > LEAST[0] { speed - offset * away } else { speed };
        let offset = offset.clamp_length_max(LARGEST);
        let seen = offset.length() > LEAST[0] || speed.length() > LEAST[1];
        (seen && offset.is_finite() && speed.is_finite()).then_some(Self { offset, speed })
    }

    /// What is left after `time` seconds.
    fn at(&self, time: f64) -> DVec3 {
        let damping = 2.0 * std::f64::consts::LN_2 / HALF_LIFE;
        (self.offset + (self.speed + self.offset * damping) * time) * (-damping * time).exp()
    }
}

/// How far the motion on both sides of the switch bends from one frame to the next, at most: what is no more than that is no jump.
fn bends(poses: &[Pose], switch: usize, bend: impl Fn([usize; 3]) -> DVec3) -> f64 {
    let before = (switch.saturating_sub(4)..switch - 2).map(|i| [i, i + 1, i + 2]);
    let after = (switch..(switch + 2).min(poses.len().saturating_sub(2))).map(|i| [i, i + 1, i + 2]);
    before.chain(after).map(|frames| bend(frames).length()).fold(0.0, f64::max)
}

fn rotation(poses: &[Pose], switch: usize, joint: usize, fps: f64) -> Option<Spring> {
    let at = |frame: usize| poses[frame].locals[joint].rotation;
    let bend = |[a, b, c]: [usize; 3]| {
        let expected = DQuat::from_scaled_axis(turn(at(a), at(b))) * at(b).as_dquat();
        turn(at(c), expected.as_quat())
    };
    let offset = bend([switch - 2, switch - 1, switch]);
    if offset.length() <= JUMP * bends(poses, switch, bend) + LEAST[0] {
        return None;
    }
    let speed = turn(at(switch - 2), at(switch - 1)) - turn(at(switch), at(switch + 1));
    Spring::new(offset, speed * fps)
}

fn translation(poses: &[Pose], switch: usize, joint: usize, fps: f64) -> Option<Spring> {
    let at = |frame: usize| poses[frame].locals[joint].translation.as_dvec3();
    let bend = |[a, b, c]: [usize; 3]| at(b) + at(b) - at(a) - at(c);
    let offset = bend([switch - 2, switch - 1, switch]);
    if offset.length() <= JUMP * bends(poses, switch, bend) + LEAST[0] {
        return None;
    }
    let speed = (at(switch - 1) - at(switch - 2)) - (at(switch + 1) - at(switch));
    Spring::new(offset, speed * fps)
}

/// The rotation vector that turns `from` into `to` the shorter way, radians.
fn turn(from: Quat, to: Quat) -> DVec3 {
    let turn = (to.as_dquat() * from.as_dquat().inverse()).normalize();
    (if turn.w < 0.0 { -turn } else { turn }).to_scaled_axis()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;

    fn row(angle: f64, place: f64) -> Pose {
        let rotation = DQuat::from_rotation_x(angle).as_quat();
        let local = Transform { rotation, translation: DVec3::new(place, 0.0, 0.0).as_vec3(), ..Transform::IDENTITY };
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
        let places =
            poses.windows(2).map(|pair| (pair[1].locals[0].translation - pair[0].locals[0].translation).length());
        assert!(places.fold(0.0, f32::max) < 0.05);
        assert!((0..30).all(|i| poses[i] == raw(i)) && poses[119] == raw(119));
        assert!((angle(&poses[70]) - angle(&raw(70))).abs() < 2e-3);
    }

    #[test]
    fn motion_that_goes_on_stays_as_it_is() {
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
        let spring = translation(&poses, 30, 0, 60.0).unwrap();
        assert!((spring.at(0.0) - DVec3::NEG_X * 0.02).length() < 1e-6, "{}", spring.at(0.0));
        assert!((spring.at(HALF_LIFE).length() / 0.02 - 0.25 * (1.0 + 2.0 * std::f64::consts::LN_2)).abs() < 1e-4);
    }

    #[test]
    fn a_limb_that_turns_when_the_clip_changes_slows_down_and_does_not_stop_dead() {
        let way = |i: usize| if i < 30 { 0.03 * i as f64 } else { 0.95 };
        let mut poses: Vec<Pose> = (0..60).map(|i| row(way(i), way(i))).collect();
        smooth(&mut poses, &[30], 60.0);
        let angles: Vec<f64> = poses.iter().map(angle).collect();
        let places: Vec<f64> = poses.iter().map(|pose| f64::from(pose.locals[0].translation.x)).collect();
        for way in [angles, places] {
            let [before, after] = [29, 30].map(|i| way[i + 1] - way[i]);
            assert!((before - 0.03).abs() < 1e-4 && after > 0.015, "{before} and then {after}");
        }
    }
}
