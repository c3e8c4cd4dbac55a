//! A body on four legs goes along slopes as they rise and fall: its trunk lies over the line through the ground under its hind and its
//! fore feet, so that its legs swing under it as they do on level ground. A body on two legs stays upright.

use glam::{DAffine3, DQuat, DVec3};

use super::Input;
use super::body_place::BodyPlace;
use super::in_place_clip::{RootCarrier, move_body};
use super::lean::evened;
use crate::anim::Pose;
use crate::anim::root_motion::rest_at;

/// Steepest that a body lies, radians: on steeper ground its hind legs fold and its fore legs reach up.
const STEEPEST: f64 = 0.7;
/// Seconds on either side over which it is evened: a trunk comes over an edge within a step, and does not nod on every stair.
const EVENED: f64 = 0.25;
/// Radians below which nothing is done.
const LEAST: f64 = 1e-4;

/// What a body stands on.
pub(super) struct Slopes<'a> {
    pub places: &'a [BodyPlace],
    /// Height of the ground under a world point at a frame, world units.
    pub ground: &'a dyn Fn(usize, DVec3) -> f64,
    /// Metres that what plays at a frame rises by itself per metre ahead.
    pub climb: &'a dyn Fn(usize) -> f64,
    pub fps: f64,
}

/// Radians by which the body lies at each frame, above 0 with its front up; all 0 for a body on two legs.
pub(super) fn angles(input: &Input, carrier: &RootCarrier, slopes: &Slopes) -> Vec<f64> {
    let Some(feet) = FeetAhead::at_rest(input, carrier) else { return vec![0.0; slopes.places.len()] };
    let unit = input.metres_per_unit;
    let angle = |(frame, place): (usize, &BodyPlace)| {
        let height = |metres: f64| (slopes.ground)(frame, (place.at + place.ahead() * metres) / unit) * unit;
        let slope = (height(feet.fore) - height(feet.hind)).atan2(feet.fore - feet.hind);
        left_over(slope, (slopes.climb)(frame).atan()).clamp(-STEEPEST, STEEPEST)
    };
    let wanted: Vec<f64> = slopes.places.iter().enumerate().map(angle).collect();
    let half = (EVENED * slopes.fps).round() as usize;
    evened(&evened(&wanted, half), half)
}

/// Whether a body lies along the ground: on more legs than two.
pub(super) fn lies_along_ground(input: &Input) -> bool {
    input.legs().len() > 2
}

/// Share of what a body goes along a way that rises by `slope` (degrees) that is seen from above, as far as it lies along it.
pub(super) fn shortened(slope: f64) -> f64 {
    slope.to_radians().clamp(-STEEPEST, STEEPEST).cos()
}

/// What is left of a `slope` after what a clip climbs by itself; on level ground a clip goes as it does.
fn left_over(slope: f64, climb: f64) -> f64 {
    slope.signum() * (slope.abs() - (climb * slope.signum()).max(0.0)).max(0.0)
}

/// Metres that the rearmost and the foremost feet are ahead of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FeetAhead {
    hind: f64,
    fore: f64,
}

impl FeetAhead {
    /// Where they are at rest; `None` for a body that does not stand on feet one behind the other.
    fn at_rest(input: &Input, carrier: &RootCarrier) -> Option<Self> {
        let root = carrier.root?;
        if !lies_along_ground(input) {
            return None;
        }
        let legs = input.legs();
        let place = |joint: usize| rest_at(input.skeleton, joint).translation;
        let ahead = |leg: &&crate::anim::Leg| (place(leg.foot) - place(root.joint)).dot(carrier.front);
        let all = legs.iter().map(ahead).map(|ahead| ahead * input.metres_per_unit);
        let (hind, fore) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
        (fore > hind).then_some(Self { hind, fore })
    }
}

/// Metres per metre ahead that the ground of a clip rises more where its body lies at `angle`, over the `climb` of its own.
pub(super) fn rise(climb: f64, angle: f64) -> f64 {
    if angle.abs() < LEAST { 0.0 } else { (climb.atan() + angle).tan() - climb }
}

/// Lays the body of `pose`, which stands at `place`, along a slope of `angle`. Its carrier stays where it is seen from above.
pub(super) fn lay(input: &Input, carrier: &RootCarrier, place: BodyPlace, angle: f64, pose: &mut Pose) {
    let Some(root) = carrier.root.filter(|_| angle.abs() >= LEAST) else { return };
    let ahead = place.ahead();
    let foot = DAffine3::from_translation(place.at / input.metres_per_unit);
    let turned = foot * DAffine3::from_quat(DQuat::from_axis_angle(ahead.cross(DVec3::Y), angle)) * foot.inverse();
    let before = pose.world_from_joint(input.skeleton, root.joint).translation;
    let back = (before - turned.transform_point3(before)).dot(ahead);
    let along = DAffine3::from_translation((ahead + DVec3::Y * angle.tan()) * back);
    move_body(input.skeleton, carrier, &(along * turned), pose);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::Pose;

    #[test]
    fn a_clip_that_climbs_by_itself_is_not_laid_on_top_of_it_and_goes_as_it_does_on_level_ground() {
        assert_eq!([left_over(0.0, 0.2), left_over(0.3, 0.3), left_over(0.1, 0.3)], [0.0; 3]);
        assert!((left_over(0.5, 0.2) - 0.3).abs() < 1e-12 && (left_over(-0.5, -0.2) + 0.3).abs() < 1e-12);
        assert_eq!(left_over(-0.5, 0.2), -0.5);
        assert!((rise(0.2, 0.3) - ((0.2_f64.atan() + 0.3).tan() - 0.2)).abs() < 1e-12);
        assert_eq!(rise(0.2, 0.0), 0.0);
    }

    #[test]
    fn a_body_laid_along_a_slope_keeps_its_carrier_over_its_place_and_its_feet_on_the_ground() {
        let hero = crate::samples::hero();
        let roles = crate::anim::Roles::find(&hero.skeleton, &hero.clips);
        let (skeleton, clips) = (&hero.skeleton, &hero.clips[..]);
        let input = Input { skeleton, clips, roles: &roles, metres_per_unit: 1.0, ground: None };
        let found = RootCarrier::find(&input);
        let rest = Pose::rest(skeleton);
        let slopes =
            Slopes { places: &[BodyPlace::default()], ground: &|_, place| place.z, climb: &|_| 0.0, fps: 60.0 };
        assert_eq!(angles(&input, &found, &slopes), [0.0], "two legs stay upright");
        let root = crate::anim::RootMotion { joint: roles.hips.unwrap(), kind: crate::anim::RootKind::HipsGroundPart };
        let carrier = RootCarrier { root: Some(root), ..found };
        let mut laid = rest.clone();
        lay(&input, &carrier, BodyPlace::default(), 0.4, &mut laid);
        let at = |pose: &Pose, joint: usize| pose.world_from_joint(skeleton, joint).translation;
        let [before, after] = [&rest, &laid].map(|pose| at(pose, root.joint));
        assert!((after - before).with_y(0.0).length() < 1e-6 && after.y > before.y, "{before} {after}");
        for leg in &roles.legs {
            let [before, after] = [&rest, &laid].map(|pose| at(pose, leg.foot));
            let over_slope = after.y - 0.4_f64.tan() * after.z;
            assert!((over_slope * 0.4_f64.cos() - before.y).abs() < 1e-6, "{before} {after}");
        }
        let mut same = rest.clone();
        lay(&input, &carrier, BodyPlace::default(), 0.0, &mut same);
        assert_eq!(same, rest);
    }
}
