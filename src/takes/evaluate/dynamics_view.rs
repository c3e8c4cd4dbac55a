//! The viewport's view of dynamic bones: simulated and animated positions, colliders and angle limits.

use glam::{Affine3A, DQuat, DVec3};

use portamento_anim::{Pose, Skeleton};
use portamento_dynamics::{AngleLimit, Bone, ColliderShape, DynamicsRig, Tip, WorldCollider, WorldTransform};

/// Dynamic bones at one time, in world space and the file's unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DynamicsView {
    /// The simulated bones, parents first.
    pub bones: Vec<BoneView>,
    /// The colliders, in the order of the settings.
    pub colliders: Vec<ColliderView>,
    /// The constant wind, m/s².
    pub wind: DVec3,
}

/// A simulated bone for drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneView {
    /// The simulated joint.
    pub joint: usize,
    /// Start of the bone.
    pub head: DVec3,
    /// End of the bone.
    pub tip: DVec3,
    /// End of the bone as animated.
    pub rest_tip: DVec3,
    /// Collision radius at the end.
    pub radius: f64,
    /// True if the end touches a collider.
    pub touches: bool,
    /// The boundary of the reachable end positions, if limited: a ring for a cone, an arc for a hinge.
    pub limit: Vec<DVec3>,
}

/// A collider for drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderView {
    /// The shape in world space, in the file's unit.
    pub shape: ColliderShape,
    /// Rotation of the joint it is attached to.
    pub rotation: DQuat,
    /// Position of that joint.
    pub position: DVec3,
    /// True if a bone touches it.
    pub touched: bool,
}

/// A displayed pose, together with the animated pose of the simulated joints.
#[derive(Clone, Copy, Debug)]
pub struct ShownPose<'a> {
    /// The skeleton of the character. All slices here have one entry per joint.
    pub skeleton: &'a Skeleton,
    /// World transform of every joint as displayed.
    pub world: &'a [Affine3A],
    /// Local transforms without simulation.
    pub animated: &'a Pose,
    /// Metres per unit of the file.
    pub metres_per_unit: f64,
}

/// Distance below which a bone counts as touching, as a fraction of the radii. It hides rounding and is too small to see.
const TOUCH_TOLERANCE: f64 = 1e-3;
/// Number of segments of a limit ring or arc.
const LIMIT_SEGMENTS: usize = 24;

/// A collider of the rig at the transform of its joint.
struct PlacedCollider {
    carrier: WorldTransform,
    shape: ColliderShape,
    world: WorldCollider,
    touched: bool,
}

/// Returns the view of the bones and colliders of `rig` in a pose. Lengths are in the unit of the file.
pub fn view(rig: &DynamicsRig, shown: &ShownPose) -> DynamicsView {
    let mut colliders = placed_colliders(rig, shown);
    let bones = rig.bones.iter().filter_map(|bone| bone_view(rig, bone, shown, &mut colliders)).collect();
    let unit = 1.0 / shown.metres_per_unit;
    let collider_view = |collider: PlacedCollider| ColliderView {
        shape: in_world(collider.shape, &collider.carrier, unit),
        rotation: collider.carrier.rotation,
        position: collider.carrier.position * unit,
        touched: collider.touched,
    };
    let wind = rig.wind.direction.normalize_or_zero() * rig.wind.strength;
    DynamicsView { bones, colliders: colliders.into_iter().map(collider_view).collect(), wind }
}

/// Returns the colliders at their joints, in metres. They follow the animation, as in the simulation.
fn placed_colliders(rig: &DynamicsRig, shown: &ShownPose) -> Vec<PlacedCollider> {
    let metres = shown.metres_per_unit;
    let mut animated = Vec::new();
    shown.animated.world_from_joints(shown.skeleton, &mut animated);
    let placed = |carrier: Option<usize>, shape: ColliderShape| {
        let joint = carrier.and_then(|index| rig.kinematic.get(index)).map(|kinematic| kinematic.joint);
        let world = joint.and_then(|joint| animated.get(joint));
        let carrier =
            world.map_or_else(|| WorldTransform::world(metres), |world| WorldTransform::from_affine(world, metres));
        PlacedCollider { carrier, shape, world: WorldCollider::new(&shape, &carrier), touched: false }
    };
    rig.colliders.iter().map(|collider| placed(collider.carrier, collider.shape)).collect()
}

/// Returns the view of `bone`, and marks the `colliders` that it touches. Returns `None` if a joint is missing. Its lengths
/// are in the unit of the file.
fn bone_view(rig: &DynamicsRig, bone: &Bone, shown: &ShownPose, colliders: &mut [PlacedCollider]) -> Option<BoneView> {
    let metres = shown.metres_per_unit;
    let parent = shown.skeleton.joints.get(bone.joint)?.parent.and_then(|parent| shown.world.get(parent));
    let parent_transform =
        parent.map_or_else(|| WorldTransform::world(metres), |parent| WorldTransform::from_affine(parent, metres));
    let animated = parent_transform.child(shown.animated.locals.get(bone.joint)?);
    let joint = WorldTransform::from_affine(shown.world.get(bone.joint)?, metres);
    let tip = tip_of(bone, &joint, shown)?;
    let rest_tip = tip_of(bone, &animated, shown)?;
    let length = tip.distance(joint.position);
    let mut touches = false;
    for (collider, collides) in colliders.iter_mut().zip(&rig.collides[bone.chain]) {
        let unit = collider.world.depth_unit(bone.radius, length);
        if *collides && collider.world.depth(tip, bone.radius) > -TOUCH_TOLERANCE * unit {
            (touches, collider.touched) = (true, true);
        }
    }
    let unit = 1.0 / metres;
    Some(BoneView {
        joint: bone.joint,
        head: joint.position * unit,
        tip: tip * unit,
        rest_tip: rest_tip * unit,
        radius: bone.radius * unit,
        touches,
        limit: limit_edge(bone.limit, &animated, rest_tip).into_iter().map(|point| point * unit).collect(),
    })
}

/// Returns the end of the bone in metres, with its joint at `joint`. `None` if the joint at the end does not exist.
fn tip_of(bone: &Bone, joint: &WorldTransform, shown: &ShownPose) -> Option<DVec3> {
    Some(match bone.tip {
        Tip::Joint(tip) => {
            joint.position + joint.transform_vector(shown.animated.locals.get(tip)?.translation.as_dvec3())
        }
        Tip::Added { direction, length } => {
            joint.position + joint.transform_vector(direction).normalize_or(DVec3::Y) * length
        }
    })
}

/// Returns the boundary of the end positions that `limit` allows, metres; empty without a limit or for a bone without length.
fn limit_edge(limit: AngleLimit, animated: &WorldTransform, rest_tip: DVec3) -> Vec<DVec3> {
    let arm = rest_tip - animated.position;
    let Some(direction) = arm.try_normalize() else { return Vec::new() };
    let rotated = |axis: DVec3, angle: f64| animated.position + DQuat::from_axis_angle(axis, angle) * arm;
    let fraction = |i: usize| i as f64 / LIMIT_SEGMENTS as f64;
    match limit {
        AngleLimit::Free => Vec::new(),
        AngleLimit::Cone { angle } => {
            let across = direction.any_orthonormal_vector();
            let axis = |i| DQuat::from_axis_angle(direction, fraction(i) * std::f64::consts::TAU) * across;
            (0..=LIMIT_SEGMENTS).map(|i| rotated(axis(i), angle)).collect()
        }
        AngleLimit::Hinge { axis, low, high } => {
            let axis = animated.rotation * axis;
            let Some(axis) = (axis - direction * direction.dot(axis)).try_normalize() else { return Vec::new() };
            (0..=LIMIT_SEGMENTS).map(|i| rotated(axis, low + (high - low) * fraction(i))).collect()
        }
    }
}

/// Converts `shape` from the axes of its joint, `carrier`, to world space. Lengths in metres are multiplied by `unit`, the
/// number of file units per metre.
fn in_world(shape: ColliderShape, carrier: &WorldTransform, unit: f64) -> ColliderShape {
    let world = |local: DVec3| (carrier.position + carrier.rotation * local) * unit;
    match shape {
        ColliderShape::Sphere { center, radius } => {
            ColliderShape::Sphere { center: world(center), radius: radius * unit }
        }
        ColliderShape::InsideSphere { center, radius } => {
            ColliderShape::InsideSphere { center: world(center), radius: radius * unit }
        }
        ColliderShape::Capsule { a, b, radius } => {
            ColliderShape::Capsule { a: world(a), b: world(b), radius: radius * unit }
        }
        ColliderShape::InsideCapsule { a, b, radius } => {
            ColliderShape::InsideCapsule { a: world(a), b: world(b), radius: radius * unit }
        }
        ColliderShape::Plane { point, normal } => {
            ColliderShape::Plane { point: world(point), normal: carrier.rotation * normal }
        }
    }
}

/// Returns `pose` with the rotations of the simulated joints replaced by those of `animation`.
pub(super) fn with_animated_joints(rig: &DynamicsRig, pose: &Pose, animation: &Pose) -> Pose {
    let mut animated = pose.clone();
    for bone in &rig.bones {
        if let (Some(to), Some(from)) = (animated.locals.get_mut(bone.joint), animation.locals.get(bone.joint)) {
            to.rotation = from.rotation;
        }
    }
    animated
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_dynamics::{Chain, Collider, Settings};
    use portamento_test_support::skeleton_of;

    #[test]
    fn a_rotated_bone_shows_its_animated_end_and_its_contacts() {
        let skeleton = skeleton_of(&[("head", None), ("hair", Some(0)), ("tip", Some(1))]);
        let collider = |center| Collider {
            name: "ball".into(),
            joint: Some(0),
            shape: ColliderShape::Sphere { center, radius: 0.2 },
        };
        let settings = Settings {
            chains: vec![Chain { joint: 1, limit: AngleLimit::Cone { angle: 1.0 }, ..Chain::default() }],
            colliders: vec![collider(DVec3::new(-0.1, 0.1, 0.0)), collider(DVec3::new(-1.0, 1.22, 0.0))],
            ..Settings::default()
        };
        let rig = DynamicsRig::new(&skeleton, &Settings { colliders: Vec::new(), ..settings.clone() }, 1.0).unwrap();
        assert!(view(&rig, &shown(&skeleton, &Pose::rest(&skeleton), &[])).bones.is_empty());
        let rig = DynamicsRig::new(&skeleton, &settings, 1.0).unwrap();
        let rest = Pose::rest(&skeleton);
        let mut pose = rest.clone();
        pose.locals[1].rotation = glam::Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let mut world = Vec::new();
        pose.world_from_joints(&skeleton, &mut world);
        let view = view(&rig, &shown(&skeleton, &rest, &world));
        let bone = &view.bones[0];
        assert!(bone.tip.abs_diff_eq(DVec3::new(-1.0, 2.0, 0.0), 1e-6), "{}", bone.tip);
        assert!(bone.rest_tip.abs_diff_eq(DVec3::new(0.0, 3.0, 0.0), 1e-6), "{}", bone.rest_tip);
        assert!(bone.limit.iter().all(|point| (point.distance(bone.head) - 1.0).abs() < 1e-9));
        assert_eq!(view.colliders.iter().map(|collider| collider.touched).collect::<Vec<_>>(), [false, true]);
        assert!(bone.touches);
    }

    #[test]
    fn lengths_use_the_unit_of_the_file_and_shapes_follow_their_joint() {
        let mut skeleton = skeleton_of(&[("head", None), ("hair", Some(0)), ("tip", Some(1))]);
        skeleton.joints.iter_mut().for_each(|joint| joint.rest.translation *= 100.0);
        skeleton.joints[0].rest.rotation = glam::Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let (a, b, radius) = (DVec3::X * 0.1, DVec3::Y * 0.2, 0.3);
        let shapes = [
            ColliderShape::Sphere { center: a, radius },
            ColliderShape::InsideSphere { center: a, radius },
            ColliderShape::Capsule { a, b, radius },
            ColliderShape::InsideCapsule { a, b, radius },
            ColliderShape::Plane { point: a, normal: DVec3::X },
        ];
        let collider = |shape| Collider { name: "form".into(), joint: Some(0), shape };
        let limit = AngleLimit::Hinge { axis: DVec3::Z, low: -0.5, high: 0.25 };
        let settings = Settings {
            chains: vec![Chain { joint: 1, limit, ..Chain::default() }],
            colliders: shapes.map(collider).to_vec(),
            wind: portamento_dynamics::Wind { direction: DVec3::X * 4.0, strength: 3.0, ..Default::default() },
            ..Settings::default()
        };
        let rig = DynamicsRig::new(&skeleton, &settings, 0.01).unwrap();
        let rest = Pose::rest(&skeleton);
        let mut world = Vec::new();
        rest.world_from_joints(&skeleton, &mut world);
        let view = view(&rig, &ShownPose { metres_per_unit: 0.01, ..shown(&skeleton, &rest, &world) });
        // The head is 100 units up and rotated by 90°: its X is up, its Y to the left.
        let near = |found: DVec3, wanted: DVec3| assert!(found.abs_diff_eq(wanted, 1e-4), "{found} {wanted}");
        let (up, left) = (DVec3::Y * 110.0, DVec3::new(-20.0, 100.0, 0.0));
        for collider in &view.colliders {
            near(collider.position, DVec3::Y * 100.0);
            match collider.shape {
                ColliderShape::Sphere { center, radius } | ColliderShape::InsideSphere { center, radius } => {
                    near(center, up);
                    assert_eq!(radius, 30.0);
                }
                ColliderShape::Capsule { a, b, radius } | ColliderShape::InsideCapsule { a, b, radius } => {
                    near(a, up);
                    near(b, left);
                    assert_eq!(radius, 30.0);
                }
                ColliderShape::Plane { point, normal } => {
                    near(point, up);
                    near(normal, DVec3::Y);
                }
            }
        }
        let bone = &view.bones[0];
        near(bone.head, DVec3::new(-100.0, 100.0, 0.0));
        near(bone.tip, DVec3::new(-200.0, 100.0, 0.0));
        near(view.wind, DVec3::X * 3.0);
        // A hinge limit is an arc from its low to its high angle about its axis, with the bone length as radius.
        let along = |angle: f64| bone.head + DQuat::from_rotation_z(angle) * (bone.rest_tip - bone.head);
        assert_eq!(bone.limit.len(), LIMIT_SEGMENTS + 1);
        near(bone.limit[0], along(-0.5));
        near(bone.limit[LIMIT_SEGMENTS / 2], along(-0.125));
        near(bone.limit[LIMIT_SEGMENTS], along(0.25));
    }

    fn shown<'a>(skeleton: &'a Skeleton, animated: &'a Pose, world: &'a [Affine3A]) -> ShownPose<'a> {
        ShownPose { skeleton, world, animated, metres_per_unit: 1.0 }
    }
}
