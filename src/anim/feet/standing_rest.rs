//! Rest poses that stand, for skeletons whose own rest pose does not.
//!
//! Capture systems write rest poses whose bones all point along one axis or have no length. The frame of the motion in which
//! the body is most upright then takes the place of the rest pose.

use crate::chain_ik::put_in_world;
use crate::foot_place::{leg_positions, sole};
use crate::root_motion::turn_of;
use crate::{Clip, Leg, Pose, Roles, Skeleton};

/// Sampling rate of the search, frames per second.
const SAMPLING_FPS: f64 = 60.0;
/// Maximum number of frames among which the most upright one is searched.
const MAX_FRAMES: f64 = 600.0;

/// Angle between a leg and straight down from which a rest pose does not stand. Seated legs are below it.
const STANDING_LEG_MAX_DEGREES: f64 = 60.0;

/// Returns the pose of the frame of `clip` in which the body is most upright, as a rest pose with the hips above the origin. The
/// joints above animated hips rest. Returns `None` if the rest pose of `skeleton` stands, or if the rig has no hips or no legs.
pub fn standing_rest(skeleton: &Skeleton, roles: &Roles, clip: &Clip) -> Option<Pose> {
    let count = skeleton.len();
    let is_known =
        |leg: &Leg| [leg.thigh, leg.shin, leg.foot, leg.toe.unwrap_or(leg.foot)].iter().all(|&at| at < count);
    let hips = roles.hips.filter(|&hips| hips < count)?;
    let (rest, limit) = (Pose::rest(skeleton), STANDING_LEG_MAX_DEGREES.to_radians().cos());
    let stands = |leg: &Leg| downward(skeleton, leg, &rest) >= limit;
    if roles.legs.is_empty() || !roles.legs.iter().all(is_known) || roles.legs.iter().all(stands) {
        return None;
    }
    let frames = (clip.duration * SAMPLING_FPS).ceil().clamp(1.0, MAX_FRAMES);
    let poses = (0..=frames as usize).map(|frame| clip.pose_at(skeleton, clip.duration * frame as f64 / frames));
    let scored = poses.map(|pose| (uprightness(skeleton, roles, &pose), pose)).filter(|(score, _)| score.is_finite());
    let (_, mut pose) = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let is_moved = |joint: usize| clip.tracks.get(joint).is_some_and(|tracks| tracks.translation.is_some());
    let is_turned = |joint: usize| clip.tracks.get(joint).is_some_and(|tracks| tracks.rotation.is_some());
    let world = pose.world_from_joint(skeleton, hips);
    if is_moved(hips) && is_turned(hips) {
        for above in skeleton.ancestors(hips).skip(1) {
            pose.locals[above] = rest.locals[above];
        }
        put_in_world(skeleton, &mut pose, hips, world.translation.with_x(0.0).with_z(0.0), turn_of(&world));
    } else if let Some(carrier) = skeleton.ancestors(hips).filter(|&joint| is_moved(joint)).last() {
        // The clip replaces the rest pose of this joint only, so that no joint below it may take over its motion.
        let own = pose.world_from_joint(skeleton, carrier);
        let position = own.translation - world.translation.with_y(0.0);
        put_in_world(skeleton, &mut pose, carrier, position, turn_of(&own));
    }
    pose.locals.iter().all(|local| local.is_finite()).then_some(pose)
}

/// Returns `skeleton` with [`standing_rest`] as its rest pose; `None` if that is `None`.
pub fn standing_skeleton(skeleton: &Skeleton, roles: &Roles, clip: &Clip) -> Option<Skeleton> {
    let rest = standing_rest(skeleton, roles, clip)?;
    let mut standing = skeleton.clone();
    standing.joints.iter_mut().zip(rest.locals).for_each(|(joint, local)| joint.rest = local);
    Some(standing)
}

/// Returns the cosine of the angle between a leg and straight down, −1 for a leg without length.
fn downward(skeleton: &Skeleton, leg: &Leg, pose: &Pose) -> f64 {
    let place = leg_positions(skeleton, leg, pose);
    (place.ankle - place.hip).try_normalize().map_or(-1.0, |direction| -direction.y)
}

/// Returns how upright a body stands: straight legs downward, feet level, trunk upward. Larger is better.
fn uprightness(skeleton: &Skeleton, roles: &Roles, pose: &Pose) -> f64 {
    let legs = || roles.legs.iter().map(|leg| leg_positions(skeleton, leg, pose));
    let longest = legs().map(|leg| leg.length()).fold(f64::MIN_POSITIVE, f64::max);
    let straight = legs().map(|leg| (leg.hip.y - leg.ankle.y) / leg.length().max(f64::MIN_POSITIVE)).sum::<f64>();
    let heights = || roles.legs.iter().map(|leg| sole(skeleton, leg, pose).y);
    let unlevel = heights().fold(f64::NEG_INFINITY, f64::max) - heights().fold(f64::INFINITY, f64::min);
    let at = |joint: usize| pose.world_from_joint(skeleton, joint).translation;
    let head = roles.head.filter(|&head| head < skeleton.len());
    let trunk = roles.hips.zip(head).and_then(|(hips, head)| (at(head) - at(hips)).try_normalize());
    straight / roles.legs.len() as f64 - unlevel / longest + trunk.map_or(0.0, |direction| direction.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::small_inputs::skeleton_of;
    use crate::{Curve, JointTracks};
    use glam::{Quat, Vec3};

    /// Returns a body of two legs and a head whose rest pose is at the origin, and a clip that lies, then stands, then lies.
    fn body() -> (Skeleton, Roles, Clip) {
        let rows = [
            ("hips", None),
            ("thigh l", Some(0)),
            ("shin l", Some(1)),
            ("foot l", Some(2)),
            ("thigh r", Some(0)),
            ("shin r", Some(4)),
            ("foot r", Some(5)),
            ("head", Some(0)),
        ];
        let mut skeleton = skeleton_of(&rows);
        skeleton.joints.iter_mut().for_each(|joint| joint.rest = Transform::IDENTITY);
        let offsets =
            [Vec3::Y, Vec3::X * 0.1, Vec3::Y * -0.5, Vec3::Y * -0.45, Vec3::X * -0.1, Vec3::Y * -0.5, Vec3::Y * -0.45];
        let mut tracks = vec![JointTracks::default(); skeleton.len()];
        for (joint, offset) in offsets.into_iter().chain([Vec3::Y * 0.6]).enumerate() {
            tracks[joint].translation = Some(Curve::linear(vec![0.0], vec![offset]));
        }
        let lying = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
        tracks[0].rotation = Some(Curve::linear(vec![0.0, 1.0, 2.0], vec![lying, Quat::IDENTITY, lying]));
        let leg = |thigh: usize| Leg { thigh, shin: thigh + 1, foot: thigh + 2, toe: None };
        let roles = Roles { hips: Some(0), legs: vec![leg(1), leg(4)], head: Some(7), ..Roles::default() };
        (skeleton, roles, Clip { name: "get up".into(), duration: 2.0, tracks })
    }

    #[test]
    fn a_body_that_an_ancestor_of_the_hips_carries_is_raised_once() {
        let (skeleton, roles, mut clip) = body();
        let mut rows: Vec<(&str, Option<usize>)> = vec![("root", None)];
        let names: Vec<&str> = skeleton.joints.iter().map(|joint| joint.name.as_str()).collect();
        rows.extend(
            names.iter().zip(&skeleton.joints).map(|(name, joint)| (*name, Some(joint.parent.map_or(0, |up| up + 1)))),
        );
        let mut carried = skeleton_of(&rows);
        carried.joints.iter_mut().for_each(|joint| joint.rest = Transform::IDENTITY);
        let mut root = std::mem::take(&mut clip.tracks[0]);
        let moved = vec![Vec3::new(2.0, 1.0, 0.0), Vec3::new(3.0, 1.0, 0.0)];
        root.translation = Some(Curve::linear(vec![0.0, 2.0], moved));
        clip.tracks.insert(0, root);
        let leg = |leg: &Leg| Leg { thigh: leg.thigh + 1, shin: leg.shin + 1, foot: leg.foot + 1, toe: None };
        let roles = Roles { hips: Some(1), legs: roles.legs.iter().map(leg).collect(), head: Some(8), ..roles };
        let standing = standing_skeleton(&carried, &roles, &clip).unwrap();
        let height = |pose: &Pose| pose.world_from_joint(&standing, 8).translation.y;
        assert!((height(&Pose::rest(&standing)) - 1.6).abs() < 1e-3);
        assert!((height(&clip.pose_at(&standing, 1.0)) - 1.6).abs() < 1e-3);
    }

    #[test]
    fn the_most_upright_frame_becomes_the_rest_pose() {
        let (skeleton, roles, clip) = body();
        let standing = standing_skeleton(&skeleton, &roles, &clip).unwrap();
        let rest = Pose::rest(&standing);
        let at = |joint: usize| rest.world_from_joint(&standing, joint).translation;
        assert!((at(7).y - 1.6).abs() < 1e-3 && (at(3).y - 0.05).abs() < 1e-3, "{} {}", at(7), at(3));
        assert_eq!(standing_rest(&standing, &roles, &clip), None, "a rest pose that stands is kept");
        assert_eq!(standing_rest(&skeleton, &Roles::default(), &clip), None);
    }
}
