//! Pitch of bodies on four legs along slopes.
//!
//! The trunk follows the line through the ground under hind and fore feet, so the legs swing under it as on level
//! ground. Bodies on two legs stay upright.

use glam::{DAffine3, DQuat, DVec3};

use super::body_placement::BodyPlacement;
use super::lean::moving_average;
use crate::locomotion::Input;
use crate::locomotion::clips::in_place_clip::{RootCarrier, move_body};
use portamento_anim::Pose;
use portamento_anim::root_motion::rest_at;

/// Largest pitch, radians. On steeper ground the hind legs fold and the fore legs reach up. Tuned; no derivation
/// recorded.
const PITCH_MAX_RADIANS: f64 = 0.7;
/// Half width of the pitch filter, seconds. The trunk passes an edge within a step and does not nod on every stair.
const FILTER_SECONDS: f64 = 0.25;
/// Smallest pitch that is applied, radians.
const PITCH_MIN_RADIANS: f64 = 1e-4;

/// The ground under a body over all frames.
pub(crate) struct Slopes<'a> {
    pub placements: &'a [BodyPlacement],
    /// Height of the ground under a world point at a frame, world units.
    pub ground: &'a dyn Fn(usize, DVec3) -> f64,
    /// Ground slope of the active clips at a frame: metres up per metre forward.
    pub climb: &'a dyn Fn(usize) -> f64,
    pub fps: f64,
}

/// Returns the body's pitch at each frame in radians, positive with its front up. All are 0 for a body on two legs.
pub(crate) fn angles(input: &Input, carrier: &RootCarrier, slopes: &Slopes) -> Vec<f64> {
    let Some(feet) = FeetAhead::at_rest(input, carrier) else { return vec![0.0; slopes.placements.len()] };
    let unit = input.metres_per_unit;
    let angle = |(frame, body): (usize, &BodyPlacement)| {
        let height = |metres: f64| (slopes.ground)(frame, (body.at + body.ahead() * metres) / unit) * unit;
        let slope = (height(feet.fore) - height(feet.hind)).atan2(feet.fore - feet.hind);
        uncovered(slope, (slopes.climb)(frame).atan()).clamp(-PITCH_MAX_RADIANS, PITCH_MAX_RADIANS)
    };
    let wanted: Vec<f64> = slopes.placements.iter().enumerate().map(angle).collect();
    let half = (FILTER_SECONDS * slopes.fps).round() as usize;
    moving_average(&moving_average(&wanted, half), half)
}

/// True if the body follows the slope, that is, if it has more than two legs.
pub(crate) fn follows_slope(input: &Input) -> bool {
    input.legs().len() > 2
}

/// Returns the ratio of ground-plane speed to speed along a path that rises by `slope` degrees. The slope is limited to
/// [`PITCH_MAX_RADIANS`].
pub(crate) fn ground_speed_ratio(slope: f64) -> f64 {
    slope.to_radians().clamp(-PITCH_MAX_RADIANS, PITCH_MAX_RADIANS).cos()
}

/// Returns the part of `slope` that the clip's own climb does not cover, radians. Level ground gives 0.
fn uncovered(slope: f64, climb: f64) -> f64 {
    slope.signum() * (slope.abs() - (climb * slope.signum()).max(0.0)).max(0.0)
}

/// Distances from the body forward to its rearmost and foremost feet, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FeetAhead {
    hind: f64,
    fore: f64,
}

impl FeetAhead {
    /// Returns the distances in the rest pose; `None` for a body whose feet are not one behind the other.
    fn at_rest(input: &Input, carrier: &RootCarrier) -> Option<Self> {
        let root = carrier.root?;
        if !follows_slope(input) {
            return None;
        }
        let legs = input.legs();
        let rest_position = |joint: usize| rest_at(input.skeleton, joint).translation;
        let ahead =
            |leg: &&portamento_anim::Leg| (rest_position(leg.foot) - rest_position(root.joint)).dot(carrier.front);
        let all = legs.iter().map(ahead).map(|ahead| ahead * input.metres_per_unit);
        let (hind, fore) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
        (fore > hind).then_some(Self { hind, fore })
    }
}

/// Returns the additional ground slope (metres up per metre forward) of a clip with slope `climb` when its body is
/// pitched by `angle` (radians).
pub(crate) fn additional_climb(climb: f64, angle: f64) -> f64 {
    if angle.abs() < PITCH_MIN_RADIANS { 0.0 } else { (climb.atan() + angle).tan() - climb }
}

/// Pitches the body of `pose` at `body` by `angle` (radians, positive lifts the front). The carrier keeps its
/// ground-plane position.
pub(crate) fn pitch_body(input: &Input, carrier: &RootCarrier, body: BodyPlacement, angle: f64, pose: &mut Pose) {
    let Some(root) = carrier.root.filter(|_| angle.abs() >= PITCH_MIN_RADIANS) else { return };
    let ahead = body.ahead();
    let foot = DAffine3::from_translation(body.at / input.metres_per_unit);
    let turned = foot * DAffine3::from_quat(DQuat::from_axis_angle(ahead.cross(DVec3::Y), angle)) * foot.inverse();
    let before = pose.world_from_joint(input.skeleton, root.joint).translation;
    let back = (before - turned.transform_point3(before)).dot(ahead);
    let along = DAffine3::from_translation((ahead + DVec3::Y * angle.tan()) * back);
    move_body(input.skeleton, carrier, &(along * turned), pose);
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::Pose;

    #[test]
    fn the_pitch_excludes_the_clips_own_climb_and_is_zero_on_level_ground() {
        assert_eq!([uncovered(0.0, 0.2), uncovered(0.3, 0.3), uncovered(0.1, 0.3)], [0.0; 3]);
        assert!((uncovered(0.5, 0.2) - 0.3).abs() < 1e-12 && (uncovered(-0.5, -0.2) + 0.3).abs() < 1e-12);
        assert_eq!(uncovered(-0.5, 0.2), -0.5);
        assert!((additional_climb(0.2, 0.3) - ((0.2_f64.atan() + 0.3).tan() - 0.2)).abs() < 1e-12);
        assert_eq!(additional_climb(0.2, 0.0), 0.0);
    }

    #[test]
    fn a_pitched_body_keeps_its_carrier_position_and_its_feet_on_the_ground() {
        let hero = portamento_test_support::hero();
        let roles = portamento_anim::Roles::find(&hero.skeleton, &hero.clips);
        let (skeleton, clips) = (&hero.skeleton, &hero.clips[..]);
        let input = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: None };
        let found = RootCarrier::find(&input);
        let rest = Pose::rest(skeleton);
        let slopes =
            Slopes { placements: &[BodyPlacement::default()], ground: &|_, point| point.z, climb: &|_| 0.0, fps: 60.0 };
        assert_eq!(angles(&input, &found, &slopes), [0.0], "two legs stay upright");
        let root =
            portamento_anim::RootMotion { joint: roles.hips.unwrap(), kind: portamento_anim::RootKind::HipsGroundPart };
        let carrier = RootCarrier { root: Some(root), ..found };
        let mut pitched = rest.clone();
        pitch_body(&input, &carrier, BodyPlacement::default(), 0.4, &mut pitched);
        let at = |pose: &Pose, joint: usize| pose.world_from_joint(skeleton, joint).translation;
        let [before, after] = [&rest, &pitched].map(|pose| at(pose, root.joint));
        assert!((after - before).with_y(0.0).length() < 1e-6 && after.y > before.y, "{before} {after}");
        for leg in &roles.legs {
            let [before, after] = [&rest, &pitched].map(|pose| at(pose, leg.foot));
            let over_slope = after.y - 0.4_f64.tan() * after.z;
            assert!((over_slope * 0.4_f64.cos() - before.y).abs() < 1e-6, "{before} {after}");
        }
        let mut same = rest.clone();
        pitch_body(&input, &carrier, BodyPlacement::default(), 0.0, &mut same);
        assert_eq!(same, rest);
    }
}
