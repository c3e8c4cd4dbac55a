//! Lean of the body into bends, so that gravity and the push of the feet align.
//!
//! ```text
//! angle = atan(v²/(r·g))   v: speed (m/s), r: radius of the bend (m)
//! ```
//!
//! The body leans from the hips up and swings out over the ground; the feet stay in place.

use glam::{DAffine3, DQuat};

use super::body_placement::BodyPlacement;
use crate::locomotion::Input;
use crate::locomotion::clips::in_place_clip::{RootCarrier, move_body};
use portamento_anim::foot_place::move_separate_feet;
use portamento_anim::{Pose, RootKind, RootMotion};

/// Standard gravity, m/s².
const GRAVITY: f64 = 9.81;
/// Largest lean, radians. Runners on a track of 15 m lean 17°; more looks like a fall.
const LEAN_MAX_RADIANS: f64 = 0.3;
/// Half width of the lean filter, seconds, as a body takes a step to lean over. Tuned; no derivation recorded.
const FILTER_SECONDS: f64 = 0.15;
/// Smallest lean that is applied, radians.
const LEAN_MIN_RADIANS: f64 = 1e-4;

/// Returns the lean at each of `bodies` (`fps` per second) in radians, positive to the left. `share` (0…1) scales the
/// balancing angle.
pub(crate) fn angles(bodies: &[BodyPlacement], share: f64, fps: f64) -> Vec<f64> {
    let wanted: Vec<f64> = (0..bodies.len())
        .map(|i| {
            let (a, b) = (i.saturating_sub(1), (i + 1).min(bodies.len() - 1));
            let span = (b - a).max(1) as f64 / fps;
            let speed = (bodies[b].at - bodies[a].at).with_y(0.0).length() / span;
            let turning = portamento_anim::root_motion::wrap(bodies[b].heading - bodies[a].heading) / span;
            share * (speed * turning / GRAVITY).atan().clamp(-LEAN_MAX_RADIANS, LEAN_MAX_RADIANS)
        })
        .collect();
    let half = (FILTER_SECONDS * fps).round() as usize;
    moving_average(&moving_average(&wanted, half), half)
}

/// Returns each value's mean with up to `half` neighbours on either side. The window shrinks towards both ends, which
/// stay unchanged.
pub(crate) fn moving_average(values: &[f64], half: usize) -> Vec<f64> {
    let mut sums = vec![0.0];
    for value in values {
        sums.push(sums[sums.len() - 1] + value);
    }
    let mean = |i: usize| {
        let half = half.min(i).min(values.len() - 1 - i);
        if half == 0 { values[i] } else { (sums[i + half + 1] - sums[i - half]) / (2 * half + 1) as f64 }
    };
    (0..values.len()).map(mean).collect()
}

/// Leans the body of `pose` at `body` by `angle` (radians, positive to the left) about its heading.
pub(crate) fn lean(input: &Input, body: BodyPlacement, angle: f64, pose: &mut Pose) {
    let Some(hips) = input.roles.body(input.skeleton) else { return };
    if angle.abs() < LEAN_MIN_RADIANS {
        return;
    }
    let ahead = body.ahead();
    let foot = DAffine3::from_translation(body.at / input.metres_per_unit);
    let turn = DAffine3::from_quat(DQuat::from_axis_angle(ahead, -angle));
    let root = RootMotion { joint: hips, kind: RootKind::HipsGroundPart };
    let carrier = RootCarrier { root: Some(root), front: ahead };
    let shift = foot * turn * foot.inverse();
    move_body(input.skeleton, &carrier, &shift, pose);
    move_separate_feet(input.skeleton, &input.roles.legs, hips, &shift, pose);
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn a_bend_of_two_metres_at_walking_speed_takes_six_degrees_to_its_inside() {
        let fps = 60.0;
        let body_at = |i: usize| {
            let turned = 0.7 * i as f64 / fps;
            BodyPlacement { at: DVec3::new(2.0 * (1.0 - turned.cos()), 0.0, 2.0 * turned.sin()), heading: turned }
        };
        let bodies: Vec<BodyPlacement> = (0..120).map(body_at).collect();
        let middle = angles(&bodies, 1.0, fps)[60].to_degrees();
        assert!((middle - 5.7).abs() < 0.2, "{middle}");
        let mirror =
            |body: &BodyPlacement| BodyPlacement { at: body.at * DVec3::new(-1.0, 1.0, 1.0), heading: -body.heading };
        let mirrored: Vec<BodyPlacement> = bodies.iter().map(mirror).collect();
        assert!((angles(&mirrored, 1.0, fps)[60].to_degrees() + middle).abs() < 1e-9);
        let ahead = |i: usize| BodyPlacement { at: DVec3::Z * i as f64 * 0.1, heading: 0.3 };
        let straight: Vec<BodyPlacement> = (0..120).map(ahead).collect();
        assert!(angles(&straight, 1.0, fps).iter().all(|angle| *angle == 0.0));
    }

    #[test]
    fn averaging_keeps_the_ends_and_the_middle_of_a_line() {
        let line: Vec<f64> = (0..20).map(f64::from).collect();
        let averaged = moving_average(&line, 5);
        assert!(averaged.iter().zip(&line).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(moving_average(&[1.0, 9.0, 1.0], 5), [1.0, 11.0 / 3.0, 1.0]);
    }
}
