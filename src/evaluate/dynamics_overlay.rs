//! Dynamic bones as the viewport shows them: where each bone is and would be without swinging, what it may not enter or pass.

use glam::{Affine3A, DQuat, DVec3};

use crate::anim::{Pose, Skeleton};
use crate::math::Transform;
use crate::systems::dynamics::contact::Body;
use crate::systems::dynamics::place::Place;
use crate::systems::dynamics::rig::{Bone, Tip};
use crate::systems::dynamics::{Limit, Rig, Shape};

/// Dynamic bones at one time, world space, in the file's unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Swing {
    /// Parents first.
    pub bones: Vec<SwingBone>,
    /// In the order of the settings.
    pub bodies: Vec<SwingBody>,
    /// The steady wind, m/s².
    pub wind: DVec3,
}

/// One bone.
#[derive(Clone, Debug, PartialEq)]
pub struct SwingBone {
    /// The joint that turns.
    pub joint: usize,
    /// Where it starts.
    pub head: DVec3,
    /// Where it ends.
    pub tip: DVec3,
    /// Where it would end as animated.
    pub rest_tip: DVec3,
    /// Radius around its end.
    pub radius: f64,
    /// Whether its end touches a collider.
    pub touches: bool,
    /// The edge of what its end can reach, where that is limited: a ring for a cone, an arc for a hinge.
    pub limit: Vec<DVec3>,
}

/// One collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwingBody {
    /// Its form in world space, in the file's unit.
    pub shape: Shape,
    /// Turn of the joint that carries it.
    pub rotation: DQuat,
    /// Where that joint is.
    pub position: DVec3,
    /// Whether a bone touches it.
    pub touched: bool,
}

/// The moment of a rig: the pose as shown, and the joints that swing as the animation alone has them.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The skeleton.
    pub skeleton: &'a Skeleton,
    /// World place of every joint as shown.
    pub world: &'a [Affine3A],
    /// Local places as animated.
    pub animated: &'a Pose,
    /// Metres per unit of the file.
    pub metres_per_unit: f64,
}

/// Share of the radii by which a bone may be clear and still count as touching: it hides rounding, nobody sees it.
const TOUCH: f64 = 1e-3;
/// Corners of a ring.
const SIDES: usize = 24;

/// The bones and bodies of `rig` at `moment`.
pub fn at(rig: &Rig, moment: &Moment) -> Swing {
    let mut world = Vec::new();
    moment.animated.world_from_joints(moment.skeleton, &mut world);
    let places: Vec<Place> =
        rig.colliders.iter().map(|(slot, _)| carrier(rig, *slot, &world, moment.metres_per_unit)).collect();
    let bodies: Vec<Body> =
        rig.colliders.iter().zip(&places).map(|((_, shape), place)| Body::new(shape, place)).collect();
    let mut touched = vec![false; bodies.len()];
    let meets = |bone: &Bone| &rig.meets[bone.chain][..];
    let bones = rig.bones.iter();
    let bones = bones.filter_map(|bone| swing_bone(bone, moment, (&bodies, meets(bone)), &mut touched)).collect();
    let unit = 1.0 / moment.metres_per_unit;
    let body = |(index, ((_, shape), place)): (usize, (&(Option<usize>, Shape), &Place))| SwingBody {
        shape: placed(*shape, place, unit),
        rotation: place.rotation,
        position: place.position * unit,
        touched: touched[index],
    };
    Swing {
        bones,
        bodies: rig.colliders.iter().zip(&places).enumerate().map(body).collect(),
        wind: rig.wind.direction.normalize_or_zero() * rig.wind.strength,
    }
}

fn carrier(rig: &Rig, slot: Option<usize>, world: &[Affine3A], metres: f64) -> Place {
    let joint = slot.and_then(|slot| rig.carriers.get(slot)).map(|carrier| carrier.0);
    joint.and_then(|joint| world.get(joint)).map_or_else(|| Place::world(metres), |place| place_of(place, metres))
}

fn place_of(world: &Affine3A, metres: f64) -> Place {
    let (scale, rotation, position) = world.to_scale_rotation_translation();
    Place {
        rotation: rotation.as_dquat().normalize(),
        position: position.as_dvec3() * metres,
        scale: scale.as_dvec3() * metres,
    }
}

fn swing_bone(
    bone: &Bone,
    moment: &Moment,
    (bodies, meets): (&[Body], &[bool]),
    touched: &mut [bool],
) -> Option<SwingBone> {
    let metres = moment.metres_per_unit;
    let world = moment.world.get(bone.joint)?;
    let above = moment.skeleton.joints.get(bone.joint)?.parent.and_then(|parent| moment.world.get(parent));
    let animated = above.map_or_else(|| Place::world(metres), |above| place_of(above, metres));
    let animated = animated.child(moment.animated.locals.get(bone.joint)?);
    let shown = place_of(world, metres);
    let tip = tip_of(bone, &shown, moment)?;
    let rest_tip = tip_of(bone, &animated, moment)?;
    let mut touches = false;
    for ((body, touched), _) in bodies.iter().zip(touched).zip(meets).filter(|(_, meets)| **meets) {
        let len = tip.distance(shown.position);
        if body.depth(tip, bone.radius) > -TOUCH * body.measure(bone.radius, len) {
            (touches, *touched) = (true, true);
        }
    }
    let unit = 1.0 / metres;
    Some(SwingBone {
        joint: bone.joint,
        head: shown.position * unit,
        tip: tip * unit,
        rest_tip: rest_tip * unit,
        radius: bone.radius * unit,
        touches,
        limit: edge(bone.limit, &animated, rest_tip).into_iter().map(|point| point * unit).collect(),
    })
}

/// The bone's end, metres, where its joint is at `place`.
fn tip_of(bone: &Bone, place: &Place, moment: &Moment) -> Option<DVec3> {
    Some(match bone.tip {
        Tip::Joint(tip) => place.position + place.arm(moment.animated.locals.get(tip)?.translation.as_dvec3()),
        Tip::Added(way, len) => place.position + place.rotation * way * len,
    })
}

/// What the end of a bone can reach at most, metres.
fn edge(limit: Limit, animated: &Place, rest_tip: DVec3) -> Vec<DVec3> {
    let arm = rest_tip - animated.position;
    let Some(way) = arm.try_normalize() else { return Vec::new() };
    let turned = |axis: DVec3, angle: f64| animated.position + DQuat::from_axis_angle(axis, angle) * arm;
    let share = |i: usize| i as f64 / SIDES as f64;
    match limit {
        Limit::Free => Vec::new(),
        Limit::Cone { angle } => {
            let across = way.any_orthonormal_vector();
            let axis = |i| DQuat::from_axis_angle(way, share(i) * std::f64::consts::TAU) * across;
            (0..=SIDES).map(|i| turned(axis(i), angle)).collect()
        }
        Limit::Hinge { axis, low, high } => {
            let axis = animated.rotation * axis;
            let Some(axis) = (axis - way * way.dot(axis)).try_normalize() else { return Vec::new() };
            (0..=SIDES).map(|i| turned(axis, low + (high - low) * share(i))).collect()
        }
    }
}

/// A shape in world space, in units of which one metre is `unit`.
fn placed(shape: Shape, place: &Place, unit: f64) -> Shape {
    let point = |local: DVec3| (place.position + place.rotation * local) * unit;
    match shape {
        Shape::Sphere { center, radius } => Shape::Sphere { center: point(center), radius: radius * unit },
        Shape::InsideSphere { center, radius } => Shape::InsideSphere { center: point(center), radius: radius * unit },
        Shape::Capsule { a, b, radius } => Shape::Capsule { a: point(a), b: point(b), radius: radius * unit },
        Shape::InsideCapsule { a, b, radius } => {
            Shape::InsideCapsule { a: point(a), b: point(b), radius: radius * unit }
        }
        Shape::Plane { point: on, normal } => Shape::Plane { point: point(on), normal: place.rotation * normal },
    }
}

/// `pose` with the joints that swing as `animation` has them.
pub fn animated(rig: &Rig, pose: &Pose, animation: &Pose) -> Pose {
    let mut animated = pose.clone();
    for bone in &rig.bones {
        let local: Option<&Transform> = animation.locals.get(bone.joint);
        if let (Some(to), Some(from)) = (animated.locals.get_mut(bone.joint), local) {
            to.rotation = from.rotation;
        }
    }
    animated
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use crate::systems::dynamics::{Chain, Collider, Settings};

    #[test]
    fn a_turned_bone_is_seen_beside_its_rest_with_what_it_touches() {
        let skeleton = skeleton_of(&[("head", None), ("hair", Some(0)), ("tip", Some(1))]);
        let collider =
            |center| Collider { name: "ball".into(), joint: Some(0), shape: Shape::Sphere { center, radius: 0.2 } };
        let settings = Settings {
            chains: vec![Chain { joint: 1, limit: Limit::Cone { angle: 1.0 }, ..Chain::default() }],
            colliders: vec![collider(DVec3::new(-0.1, 0.1, 0.0)), collider(DVec3::new(-1.0, 1.22, 0.0))],
            ..Settings::default()
        };
        let rig = Rig::new(&skeleton, &Settings { colliders: Vec::new(), ..settings.clone() }, 1.0).unwrap();
        assert!(at(&rig, &moment(&skeleton, &Pose::rest(&skeleton), &[])).bones.is_empty());
        let rig = Rig::new(&skeleton, &settings, 1.0).unwrap();
        let rest = Pose::rest(&skeleton);
        let mut pose = rest.clone();
        pose.locals[1].rotation = glam::Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let mut world = Vec::new();
        pose.world_from_joints(&skeleton, &mut world);
        let swing = at(&rig, &moment(&skeleton, &rest, &world));
        let bone = &swing.bones[0];
        assert!(bone.tip.abs_diff_eq(DVec3::new(-1.0, 2.0, 0.0), 1e-6), "{}", bone.tip);
        assert!(bone.rest_tip.abs_diff_eq(DVec3::new(0.0, 3.0, 0.0), 1e-6), "{}", bone.rest_tip);
        assert!(bone.limit.iter().all(|point| (point.distance(bone.head) - 1.0).abs() < 1e-9));
        assert_eq!(swing.bodies.iter().map(|body| body.touched).collect::<Vec<_>>(), [false, true]);
        assert!(bone.touches);
    }

    fn moment<'a>(skeleton: &'a Skeleton, animated: &'a Pose, world: &'a [Affine3A]) -> Moment<'a> {
        Moment { skeleton, world, animated, metres_per_unit: 1.0 }
    }
}
