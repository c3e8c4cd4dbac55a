//! The left side's chains and colliders, made for the right side too.

use glam::DVec3;

use super::place::Place;
use super::settings::{Chain, Collider, JointOverride, Limit, Settings, Shape};
use crate::anim::{Pose, Skeleton};

/// The settings with a mirrored copy of every chain and collider whose joint is in one of `pairs` (left, right) and whose
/// counterpart has none yet. Collider offsets and hinge axes are mirrored across x = 0 of the rest pose.
pub fn mirrored(settings: &Settings, skeleton: &Skeleton, pairs: &[(usize, usize)], metres_per_unit: f64) -> Settings {
    let other = |joint: usize| {
        let both = pairs.iter().flat_map(|&(left, right)| [(left, right), (right, left)]);
        both.into_iter().find(|&(from, _)| from == joint).map(|(_, to)| to)
    };
    let places = rest_places(skeleton, metres_per_unit);
    let mut result = settings.clone();
    for collider in &settings.colliders {
        let (Some(from), Some(to)) = (collider.joint, collider.joint.and_then(other)) else { continue };
        let shape = mirror_shape(collider.shape, &places[from], &places[to]);
        let name = format!("{} (mirrored)", collider.name);
        if settings.colliders.iter().all(|it| it.joint != Some(to)) {
            result.colliders.push(Collider { name, joint: Some(to), shape });
        }
    }
    let across = |index: usize| {
        let to = settings.colliders.get(index).and_then(|it| it.joint).and_then(other);
        result.colliders.iter().position(|it| it.joint == to && to.is_some()).unwrap_or(index)
    };
    for chain in &settings.chains {
        let Some(joint) = other(chain.joint) else { continue };
        if settings.chains.iter().all(|it| it.joint != joint) {
            let spared = chain.spared.iter().map(|&index| across(index)).collect();
            result.chains.push(Chain { spared, ..mirror_chain(chain, skeleton, &other, &places) });
        }
    }
    result
}

fn rest_places(skeleton: &Skeleton, metres_per_unit: f64) -> Vec<Place> {
    let pose = Pose::rest(skeleton);
    let mut places: Vec<Place> = Vec::with_capacity(skeleton.len());
    for (joint, local) in skeleton.joints.iter().zip(&pose.locals) {
        let above = joint.parent.map_or_else(|| Place::world(metres_per_unit), |parent| places[parent]);
        places.push(above.child(local));
    }
    places
}

fn mirror_chain(
    chain: &Chain,
    skeleton: &Skeleton,
    other: &impl Fn(usize) -> Option<usize>,
    places: &[Place],
) -> Chain {
    let across = |joint: usize| other(joint).unwrap_or(joint);
    let turn = |limit: Limit, joint: usize| match limit {
        Limit::Hinge { axis, low, high } => {
            let world = places[joint].rotation * axis;
            // A mirror turns rotations round: the axis is mirrored as a pseudo-vector.
            let world = DVec3::new(world.x, -world.y, -world.z);
            Limit::Hinge { axis: places[across(joint)].rotation.conjugate() * world, low, high }
        }
        same => same,
    };
    let joint = across(chain.joint);
    let special = |it: &JointOverride| JointOverride {
        joint: across(it.joint),
        limit: it.limit.map(|limit| turn(limit, it.joint)),
        ..it.clone()
    };
    Chain {
        name: skeleton.joints[joint].name.clone(),
        joint,
        excluded: chain.excluded.iter().map(|&joint| across(joint)).collect(),
        limit: turn(chain.limit, chain.joint),
        overrides: chain.overrides.iter().map(special).collect(),
        centre: chain.centre.map(across),
        ..chain.clone()
    }
}

fn mirror_shape(shape: Shape, from: &Place, to: &Place) -> Shape {
    let flip = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
    let point = |p: DVec3| to.rotation.conjugate() * (flip(from.position + from.rotation * p) - to.position);
    let direction = |d: DVec3| to.rotation.conjugate() * flip(from.rotation * d);
    match shape {
        Shape::Sphere { center, radius } => Shape::Sphere { center: point(center), radius },
        Shape::InsideSphere { center, radius } => Shape::InsideSphere { center: point(center), radius },
        Shape::Capsule { a, b, radius } => Shape::Capsule { a: point(a), b: point(b), radius },
        Shape::InsideCapsule { a, b, radius } => Shape::InsideCapsule { a: point(a), b: point(b), radius },
        Shape::Plane { point: on, normal } => Shape::Plane { point: point(on), normal: direction(normal) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use glam::{Quat, Vec3};

    #[test]
    fn the_left_ear_becomes_the_right_ear_once() {
        let mut skeleton = skeleton_of(&[("head", None), ("ear_L", Some(0)), ("ear_R", Some(0))]);
        skeleton.joints[1].rest.translation = Vec3::new(0.1, 0.2, 0.0);
        skeleton.joints[2].rest.translation = Vec3::new(-0.1, 0.2, 0.0);
        skeleton.joints[2].rest.rotation = Quat::from_rotation_y(1.0);
        let shape = Shape::Sphere { center: DVec3::new(0.05, 0.0, 0.02), radius: 0.1 };
        let settings = Settings {
            chains: vec![Chain { joint: 1, ..Default::default() }],
            colliders: vec![Collider { name: "ear".into(), joint: Some(1), shape }],
            ..Default::default()
        };
        let both = mirrored(&settings, &skeleton, &[(1, 2)], 1.0);
        assert_eq!(both.chains.iter().map(|it| it.joint).collect::<Vec<_>>(), [1, 2]);
        let Shape::Sphere { center, .. } = both.colliders[1].shape else { panic!() };
        let world = rest_places(&skeleton, 1.0)[2];
        let seen = world.position + world.rotation * center;
        assert!(seen.abs_diff_eq(DVec3::new(-0.15, 1.2, 0.02), 1e-6), "{seen}");
        assert_eq!(mirrored(&both, &skeleton, &[(1, 2)], 1.0), both);
    }
}
