//! The body leans into bends, so that gravity and the push of the feet go through it together.
//!
//! At v metres a second in a bend of radius r that takes an angle of atan(v²/(r·g)) from upright. The body leans from the hips up
//! and swings out from the ground below them; the feet stay where they are.

use glam::{DAffine3, DQuat};

use super::Input;
use super::body_place::BodyPlace;
use super::in_place_clip::{RootCarrier, move_body};
use crate::anim::foot_place::carry_feet_apart;
use crate::anim::{Pose, RootKind, RootMotion};

/// Standard acceleration of a falling body, m/s².
const GRAVITY: f64 = 9.81;
/// Largest lean, radians: runners on a track of 15 m lean 17°, and more looks like a fall.
const MOST: f64 = 0.3;
/// Seconds on either side over which the lean is evened, as a body takes a step to lean over.
const EVENED: f64 = 0.15;
/// Radians below which nothing is done.
const LEAST: f64 = 1e-4;

/// The lean at each of `places`, `fps` a second: radians to the left, `share` (0…1) of what the bend takes.
pub(super) fn angles(places: &[BodyPlace], share: f64, fps: f64) -> Vec<f64> {
    let wanted: Vec<f64> = (0..places.len())
        .map(|i| {
            let (a, b) = (i.saturating_sub(1), (i + 1).min(places.len() - 1));
            let span = (b - a).max(1) as f64 / fps;
            let speed = (places[b].at - places[a].at).with_y(0.0).length() / span;
            let turning = crate::anim::root_motion::wrap(places[b].heading - places[a].heading) / span;
            share * (speed * turning / GRAVITY).atan().clamp(-MOST, MOST)
        })
        .collect();
    let half = (EVENED * fps).round() as usize;
    evened(&evened(&wanted, half), half)
}

/// Each value's mean with up to `half` on either side, fewer towards both ends, which so stay as they are.
pub(super) fn evened(values: &[f64], half: usize) -> Vec<f64> {
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

/// Leans the body of `pose`, which stands at `place` and looks to its heading, by `angle` (radians to the left).
pub(super) fn lean(input: &Input, place: BodyPlace, angle: f64, pose: &mut Pose) {
    let Some(hips) = input.roles.body(input.skeleton) else { return };
    if angle.abs() < LEAST {
        return;
    }
    let ahead = place.ahead();
    let foot = DAffine3::from_translation(place.at / input.metres_per_unit);
    let turn = DAffine3::from_quat(DQuat::from_axis_angle(ahead, -angle));
    let root = RootMotion { joint: hips, kind: RootKind::HipsGroundPart };
    let carrier = RootCarrier { root: Some(root), front: ahead };
    let shift = foot * turn * foot.inverse();
    move_body(input.skeleton, &carrier, &shift, pose);
    carry_feet_apart(input.skeleton, &input.roles.legs, hips, &shift, pose);
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn a_bend_of_two_metres_at_walking_speed_takes_six_degrees_to_its_inside() {
        let fps = 60.0;
        let place = |i: usize| {
            let turned = 0.7 * i as f64 / fps;
            BodyPlace { at: DVec3::new(2.0 * (1.0 - turned.cos()), 0.0, 2.0 * turned.sin()), heading: turned }
        };
        let places: Vec<BodyPlace> = (0..120).map(place).collect();
        let middle = angles(&places, 1.0, fps)[60].to_degrees();
        assert!((middle - 5.7).abs() < 0.2, "{middle}");
        let mirror =
            |place: &BodyPlace| BodyPlace { at: place.at * DVec3::new(-1.0, 1.0, 1.0), heading: -place.heading };
        let mirrored: Vec<BodyPlace> = places.iter().map(mirror).collect();
        assert!((angles(&mirrored, 1.0, fps)[60].to_degrees() + middle).abs() < 1e-9);
        let ahead = |i: usize| BodyPlace { at: DVec3::Z * i as f64 * 0.1, heading: 0.3 };
        let straight: Vec<BodyPlace> = (0..120).map(ahead).collect();
        assert!(angles(&straight, 1.0, fps).iter().all(|angle| *angle == 0.0));
    }

    #[test]
    fn evening_keeps_the_ends_and_the_middle_of_a_line() {
        let line: Vec<f64> = (0..20).map(f64::from).collect();
        let made = evened(&line, 5);
        assert!(made.iter().zip(&line).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(evened(&[1.0, 9.0, 1.0], 5), [1.0, 11.0 / 3.0, 1.0]);
    }
}
