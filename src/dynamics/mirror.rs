//! Copies chains and colliders of one side of the body to the other.

use glam::DVec3;

use super::settings::{AngleLimit, Chain, Collider, ColliderShape, JointOverride, Settings};
use super::stepping::world_transform::WorldTransform;
use portamento_anim::{Pose, Skeleton};

/// Returns the settings with mirrored copies of chains and colliders. `pairs` are the (left, right) joints. A chain or
/// collider is copied if its joint is in a pair and the other joint has none yet. Collider offsets and hinge axes are
/// mirrored across x = 0 of the rest pose.
pub fn mirrored(settings: &Settings, skeleton: &Skeleton, pairs: &[(usize, usize)], metres_per_unit: f64) -> Settings {
    let other = |joint: usize| {
        let both = pairs.iter().flat_map(|&(left, right)| [(left, right), (right, left)]);
        both.into_iter().find(|&(from, _)| from == joint).map(|(_, to)| to)
    };
    let rest = rest_transforms(skeleton, metres_per_unit);
    let mut result = settings.clone();
    for collider in &settings.colliders {
        let (Some(from), Some(to)) = (collider.joint, collider.joint.and_then(other)) else { continue };
        let shape = mirror_shape(collider.shape, &rest[from], &rest[to]);
        let name = format!("{} (mirrored)", collider.name);
        if settings.colliders.iter().all(|known| known.joint != Some(to)) {
            result.colliders.push(Collider { name, joint: Some(to), shape });
        }
    }
    let across = |index: usize| {
        let to = settings.colliders.get(index).and_then(|collider| collider.joint).and_then(other);
        result.colliders.iter().position(|known| known.joint == to && to.is_some()).unwrap_or(index)
    };
    for chain in &settings.chains {
        let Some(joint) = other(chain.joint) else { continue };
        if settings.chains.iter().all(|known| known.joint != joint) {
            let ignored_colliders = chain.ignored_colliders.iter().map(|&index| across(index)).collect();
            result.chains.push(Chain { ignored_colliders, ..mirror_chain(chain, skeleton, &other, &rest) });
        }
    }
    result
}

/// Returns the world transform of every joint in the rest pose, metres.
fn rest_transforms(skeleton: &Skeleton, metres_per_unit: f64) -> Vec<WorldTransform> {
    let pose = Pose::rest(skeleton);
    let mut rest: Vec<WorldTransform> = Vec::with_capacity(skeleton.len());
    for (joint, local) in skeleton.joints.iter().zip(&pose.locals) {
        let parent = joint.parent.map_or_else(|| WorldTransform::world(metres_per_unit), |parent| rest[parent]);
        rest.push(parent.child(local));
    }
    rest
}

/// Returns `chain` on the joints of the other side, named after its first joint. Joints without a counterpart stay. The ignored
/// colliders are still those of `chain`.
fn mirror_chain(
    chain: &Chain,
    skeleton: &Skeleton,
    other: &impl Fn(usize) -> Option<usize>,
    rest: &[WorldTransform],
) -> Chain {
    let across = |joint: usize| other(joint).unwrap_or(joint);
    let mirrored_limit = |limit: AngleLimit, joint: usize| match limit {
        AngleLimit::Hinge { axis, low, high } => {
            let world = rest[joint].rotation * axis;
            // A mirror reverses rotations, so the axis is mirrored as a pseudo-vector.
            let world = DVec3::new(world.x, -world.y, -world.z);
            AngleLimit::Hinge { axis: rest[across(joint)].rotation.conjugate() * world, low, high }
        }
        same => same,
    };
    let joint = across(chain.joint);
    let mirrored_override = |values: &JointOverride| JointOverride {
        joint: across(values.joint),
        limit: values.limit.map(|limit| mirrored_limit(limit, values.joint)),
        ..values.clone()
    };
    Chain {
        name: skeleton.joints[joint].name.clone(),
        joint,
        excluded: chain.excluded.iter().map(|&joint| across(joint)).collect(),
        limit: mirrored_limit(chain.limit, chain.joint),
        overrides: chain.overrides.iter().map(mirrored_override).collect(),
        center: chain.center.map(across),
        ..chain.clone()
    }
}

/// Returns `shape` of the joint at `from` mirrored across the world's x = 0, in the axes of the joint at `to`; metres.
fn mirror_shape(shape: ColliderShape, from: &WorldTransform, to: &WorldTransform) -> ColliderShape {
    let flip = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
    let point = |p: DVec3| to.rotation.conjugate() * (flip(from.position + from.rotation * p) - to.position);
    let direction = |d: DVec3| to.rotation.conjugate() * flip(from.rotation * d);
    match shape {
        ColliderShape::Sphere { center, radius } => ColliderShape::Sphere { center: point(center), radius },
        ColliderShape::InsideSphere { center, radius } => ColliderShape::InsideSphere { center: point(center), radius },
        ColliderShape::Capsule { a, b, radius } => ColliderShape::Capsule { a: point(a), b: point(b), radius },
        ColliderShape::InsideCapsule { a, b, radius } => {
            ColliderShape::InsideCapsule { a: point(a), b: point(b), radius }
        }
        ColliderShape::Plane { point: on, normal } => {
            ColliderShape::Plane { point: point(on), normal: direction(normal) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};
    use portamento_test_support::skeleton_of;

    #[test]
    fn the_left_ear_becomes_the_right_ear_once() {
        let mut skeleton = skeleton_of(&[("head", None), ("ear_L", Some(0)), ("ear_R", Some(0))]);
        skeleton.joints[1].rest.translation = Vec3::new(0.1, 0.2, 0.0);
        skeleton.joints[2].rest.translation = Vec3::new(-0.1, 0.2, 0.0);
        skeleton.joints[2].rest.rotation = Quat::from_rotation_y(1.0);
        let shape = ColliderShape::Sphere { center: DVec3::new(0.05, 0.0, 0.02), radius: 0.1 };
        let settings = Settings {
            chains: vec![Chain { joint: 1, ..Default::default() }],
            colliders: vec![Collider { name: "ear".into(), joint: Some(1), shape }],
            ..Default::default()
        };
        let both = mirrored(&settings, &skeleton, &[(1, 2)], 1.0);
        assert_eq!(both.chains.iter().map(|chain| chain.joint).collect::<Vec<_>>(), [1, 2]);
        let ColliderShape::Sphere { center, .. } = both.colliders[1].shape else { panic!() };
        let world = rest_transforms(&skeleton, 1.0)[2];
        let seen = world.position + world.rotation * center;
        assert!(seen.abs_diff_eq(DVec3::new(-0.15, 1.2, 0.02), 1e-6), "{seen}");
        assert_eq!(mirrored(&both, &skeleton, &[(1, 2)], 1.0), both);
    }
}
