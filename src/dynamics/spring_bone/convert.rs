//! Conversion of VRM spring bones to settings of this system, and back.

use glam::DVec3;

use crate::chains::bone::{Bone, Tip};
use crate::chains::rig::DynamicsRig;
use crate::error::BuildError;
use crate::settings::{AngleLimit, Chain, Collider, ColliderShape, JointOverride, LengthCorrection, Profile, Settings};
use portamento_anim::{
    Pose, Skeleton, Spring, SpringBoneFormat, SpringBones, SpringCollider, SpringColliderGroup, SpringJoint,
    SpringShape, VRM0_END_LENGTH,
};
use portamento_base::message::{Message, message};

/// Frame rate at which the two formulas agree, frames per second.
const AGREEMENT_FPS: f64 = 60.0;
/// Gravity, m/s², that relates the format's gravity strengths to factors.
const EARTH_GRAVITY: f64 = 9.81;

/// Maximum number of pairs of a spring and a collider; each takes 8 bytes. Avatars have some thousands.
const MAX_COLLIDER_PAIRS: usize = 1 << 24;

/// Returns settings that move as `bones` do at 60 frames per second, and notes about the differences.
pub fn settings_from_spring_bones(
    bones: &SpringBones,
    skeleton: &Skeleton,
    metres_per_unit: f64,
) -> (Settings, Vec<Message>) {
    let mut notes = Vec::new();
    let joints = || bones.springs.iter().flat_map(|spring| &spring.joints);
    let mut pulled = joints().filter(|joint| joint.gravity_power > 0.0);
    let down = pulled.next().map_or(DVec3::NEG_Y, |joint| joint.gravity_dir.normalize_or(DVec3::NEG_Y));
    if pulled.any(|joint| joint.gravity_dir.normalize_or(down).dot(down) < 0.999) {
        notes.push(message!(
            "notice.spring_bone.one_gravity",
            "The joints have gravity in different directions; the direction of the first joint is used for all."
        ));
    }
    // The format has no rotation buffer.
    let mut settings = Settings { gravity: down * EARTH_GRAVITY, slerp_buffer: 1.0, ..Default::default() };
    let rest = Pose::rest(skeleton);
    let mut written_indices = Vec::new();
    for (index, collider) in bones.colliders.iter().enumerate() {
        let Some(joint) = skeleton.joint_of_node(collider.node) else { continue };
        let metres_per_joint_unit = rest_scale(&rest, skeleton, joint) * metres_per_unit;
        let shape = shape_from(collider.shape, metres_per_joint_unit, metres_per_unit);
        settings.colliders.push(Collider { name: format!("collider {index}"), joint: Some(joint), shape });
        written_indices.push(index);
    }
    let (mut pairs, mut left_out) = (0_usize, 0_usize);
    for spring in &bones.springs {
        let groups = || spring.groups.iter().filter_map(|&group| bones.groups.get(group));
        pairs = groups().fold(pairs + bones.colliders.len(), |pairs, group| pairs + group.colliders.len());
        if pairs > MAX_COLLIDER_PAIRS {
            left_out += 1;
            continue;
        }
        let mut collides = vec![false; bones.colliders.len()];
        let named = groups().flat_map(|group| &group.colliders);
        named.for_each(|&collider| collides.get_mut(collider).into_iter().for_each(|collides| *collides = true));
        let ignored_colliders = (0..written_indices.len()).filter(|&at| !collides[written_indices[at]]).collect();
        let chain = chain_from(spring, skeleton, metres_per_unit);
        settings.chains.extend(chain.map(|chain| Chain { ignored_colliders, ..chain }));
    }
    if left_out > 0 {
        notes.push(message!(
            "notice.spring_bone.left_out",
            "%{count} spring bones were left out: with their colliders they need too much memory. Reduce the colliders of \
             the avatar.",
            count = left_out,
        ));
    }
    (settings, notes)
}

/// Returns the spring bones that move as `settings` do at 60 frames per second, and notes about what `format` cannot store.
/// Returns `Err` if the settings are invalid.
pub fn spring_bones_from_settings(
    settings: &Settings,
    skeleton: &Skeleton,
    metres_per_unit: f64,
    format: SpringBoneFormat,
) -> Result<(SpringBones, Vec<Message>), BuildError> {
    let rig = DynamicsRig::new(skeleton, settings, metres_per_unit)?;
    let mut notes = notes_on(&rig, settings, format);
    let rest = Pose::rest(skeleton);
    let mut bones = SpringBones::default();
    let mut written_indices = Vec::new();
    for (index, collider) in rig.colliders.iter().enumerate() {
        let Some(joint) = collider.carrier.map(|carrier| rig.kinematic[carrier].joint) else {
            notes.push(message!(
                "notice.spring_bone.world_colliders",
                "World colliders are left out: the format requires a node."
            ));
            continue;
        };
        let metres_per_joint_unit = rest_scale(&rest, skeleton, joint) * metres_per_unit;
        let shape = shape_into(collider.shape, metres_per_joint_unit, metres_per_unit);
        bones.colliders.push(SpringCollider { node: skeleton.joints[joint].node, shape });
        written_indices.push(index);
    }
    let collides = group_colliders(&rig, &written_indices, &mut bones);
    for (index, bone) in rig.bones.iter().enumerate() {
        let parent = bone.parent.map(|parent| &rig.bones[parent]);
        let continues = parent.is_some_and(|parent| parent.tip == Tip::Joint(bone.joint) && parent.chain == bone.chain);
        if continues {
            continue;
        }
        let joints = spring_joints(&rig, skeleton, index, format);
        let end_length = match format {
            SpringBoneFormat::Vrm0 => VRM0_END_LENGTH / metres_per_unit,
            SpringBoneFormat::Vrm1 => 0.0,
        };
        if joints.len() > 1 || end_length > 0.0 {
            let groups = (0..collides.len()).filter(|&group| collides[group][bone.chain]).collect();
            let center = center_of(settings.chains[bone.chain].center, skeleton, bone.joint, &mut notes);
            let name = settings.chains[bone.chain].name.clone();
            bones.springs.push(Spring { name, joints, groups, center, end_length });
        }
    }
    Ok((bones, notes))
}

/// Returns notes about the settings that `format` cannot store.
fn notes_on(rig: &DynamicsRig, settings: &Settings, format: SpringBoneFormat) -> Vec<Message> {
    let any = |test: fn(&Bone) -> bool| rig.bones.iter().any(test);
    let old = format == SpringBoneFormat::Vrm0;
    let added = any(|bone| matches!(bone.tip, Tip::Added { .. }));
    let sentences = [
        (
            true,
            message!(
                "notice.spring_bone.sixty_hertz",
                "The motion matches only at 60 frames per second; contact is not exact in other programs."
            ),
        ),
        (
            true,
            message!(
                "notice.spring_bone.rest_pose",
                "Other programs pull bones towards the rest pose, not towards the animation."
            ),
        ),
        (
            !old && added,
            message!(
                "notice.spring_bone.no_added_ends",
                "Added end bones are left out: the format requires a node there."
            ),
        ),
        (
            old && added,
            message!(
                "notice.spring_bone.added_ends_7_cm",
                "Added end bones are 7 cm long: the format supports no other length."
            ),
        ),
        (
            any(|bone| bone.limit != AngleLimit::Free),
            message!("notice.spring_bone.no_limits", "Angle limits are left out: the format has none."),
        ),
        (
            rig.wind.strength != 0.0 || rig.smoothing > 0.0,
            message!("notice.spring_bone.no_wind", "Wind and smoothing are left out: the format has none."),
        ),
        (
            any(|bone| bone.length_correction == LengthCorrection::EnergyKeeping),
            message!(
                "notice.spring_bone.as_published",
                "Other programs damp wide swings: they correct the length as published, not energy-keeping."
            ),
        ),
        (
            rig.slerp_buffer < 1.0,
            message!("notice.spring_bone.no_buffer", "The rotation buffer is left out: the format has none."),
        ),
    ];
    let of_vrm0 = if old { notes_on_vrm0(rig, settings) } else { Vec::new() };
    sentences.into_iter().filter(|(applies, _)| *applies).map(|(_, sentence)| sentence).chain(of_vrm0).collect()
}

/// Returns notes about the settings that only VRM 0.x cannot store.
fn notes_on_vrm0(rig: &DynamicsRig, settings: &Settings) -> Vec<Message> {
    let has_shape = |test: fn(&ColliderShape) -> bool| rig.colliders.iter().any(|collider| test(&collider.shape));
    let sentences = [
        (
            has_shape(|shape| matches!(shape, ColliderShape::Capsule { .. })),
            message!(
                "notice.spring_bone.capsules",
                "Capsules are exported as rows of spheres: VRM 0.x has only spheres."
            ),
        ),
        (
            has_shape(|shape| !matches!(shape, ColliderShape::Capsule { .. } | ColliderShape::Sphere { .. })),
            message!(
                "notice.spring_bone.balls_only",
                "Planes and inside colliders are left out: VRM 0.x has only spheres."
            ),
        ),
        (
            differs_within_chains(rig),
            message!(
                "notice.spring_bone.one_set",
                "Each chain uses the values of its first joint: VRM 0.x has one set of values per chain."
            ),
        ),
        (
            settings.chains.iter().any(|chain| !chain.excluded.is_empty()),
            message!(
                "notice.spring_bone.all_move",
                "Joints excluded from a chain move too: VRM 0.x moves all descendants of a root."
            ),
        ),
    ];
    sentences.into_iter().filter(|(applies, _)| *applies).map(|(_, sentence)| sentence).collect()
}

/// True if two bones of a chain have a different drag, stiffness, gravity or radius.
fn differs_within_chains(rig: &DynamicsRig) -> bool {
    let values = |bone: &Bone| (bone.drag, bone.stiffness, bone.gravity, bone.radius);
    rig.bones.iter().any(|bone| {
        let first = rig.bones.iter().find(|first| first.chain == bone.chain);
        first.is_some_and(|first| values(first) != values(bone))
    })
}

/// Groups the colliders that collide with the same chains and adds the groups to `bones`. Returns, per group and chain,
/// true if they collide. `written_indices` are the indices of the written colliders.
fn group_colliders(rig: &DynamicsRig, written_indices: &[usize], bones: &mut SpringBones) -> Vec<Vec<bool>> {
    let mut by_group: Vec<Vec<bool>> = Vec::new();
    for (written, &collider) in written_indices.iter().enumerate() {
        let by_chain: Vec<bool> = rig.collides.iter().map(|collides| collides[collider]).collect();
        let known = by_group.iter().position(|group| *group == by_chain);
        let group = known.unwrap_or_else(|| {
            by_group.push(by_chain);
            bones.groups.push(SpringColliderGroup::default());
            by_group.len() - 1
        });
        bones.groups[group].colliders.push(written);
    }
    by_group
}

/// Returns the node of a chain's center; `None` for a chain without one. The format requires the first joint or an
/// ancestor of it: for another joint, returns `None` and adds a note to `notes`.
fn center_of(center: Option<usize>, skeleton: &Skeleton, first: usize, notes: &mut Vec<Message>) -> Option<usize> {
    let joint = center?;
    if skeleton.is_within(first, joint) {
        return Some(skeleton.joints[joint].node);
    }
    let name = &skeleton.joints[joint].name;
    notes.push(message!(
        "notice.spring_bone.center",
        "The centre “%{name}” is left out: the format requires a joint above the chain.",
        name = name
    ));
    None
}

/// Returns the chain of a spring in metres, with an override for each of its joints. It ignores no collider yet. Returns `None`
/// if none of the spring's nodes is a joint.
fn chain_from(spring: &Spring, skeleton: &Skeleton, metres_per_unit: f64) -> Option<Chain> {
    let joint_of = |joint: &SpringJoint| skeleton.joint_of_node(joint.node);
    let joints: Vec<usize> = spring.joints.iter().filter_map(joint_of).collect();
    let (&first, &last) = (joints.first()?, joints.last()?);
    let other_children =
        joints.iter().flat_map(|&joint| skeleton.children(joint)).filter(|child| !joints.contains(child));
    let own = |(values, &joint): (&SpringJoint, &usize)| JointOverride {
        joint,
        drag: Some(values.drag_force),
        stiffness: Some(values.stiffness * AGREEMENT_FPS * metres_per_unit),
        gravity: Some(values.gravity_power * AGREEMENT_FPS * metres_per_unit / EARTH_GRAVITY),
        radius: Some(values.hit_radius * metres_per_unit),
        limit: None,
    };
    Some(Chain {
        name: if spring.name.is_empty() { skeleton.joints[first].name.clone() } else { spring.name.clone() },
        joint: first,
        excluded: other_children.chain((spring.end_length == 0.0).then_some(last)).collect(),
        end_length: spring.end_length * metres_per_unit,
        radius: Profile::constant(0.0),
        overrides: spring.joints.iter().zip(&joints).map(own).collect(),
        center: spring.center.and_then(|node| skeleton.joint_of_node(node)),
        ..Default::default()
    })
}

/// Converts bone `index`, and the bones of its chain that continue it, to the joints of a spring in the file's units. If the
/// last bone ends at a joint, that joint comes last with the values of the bone.
fn spring_joints(rig: &DynamicsRig, skeleton: &Skeleton, index: usize, format: SpringBoneFormat) -> Vec<SpringJoint> {
    let down = rig.gravity.normalize_or(DVec3::NEG_Y);
    let joint = |bone: &Bone| SpringJoint {
        node: skeleton.joints[bone.joint].node,
        hit_radius: bone.radius / rig.metres_per_unit,
        stiffness: bone.stiffness / (AGREEMENT_FPS * rig.metres_per_unit),
        gravity_power: rig.gravity.length() * bone.gravity.abs() / (AGREEMENT_FPS * rig.metres_per_unit),
        gravity_dir: down * bone.gravity.signum(),
        drag_force: bone.drag,
    };
    let mut joints: Vec<SpringJoint> = Vec::new();
    let mut at = Some(&rig.bones[index]);
    while let Some(bone) = at {
        let is_end = matches!(bone.tip, Tip::Added { .. }) && format == SpringBoneFormat::Vrm1;
        // Without its added bone this joint is only the end of the previous one.
        let before = joints.last().filter(|_| is_end).map(|before| SpringJoint { node: joint(bone).node, ..*before });
        joints.push(before.unwrap_or_else(|| joint(bone)));
        let Tip::Joint(tip) = bone.tip else { break };
        at = rig.bones.iter().find(|next| next.joint == tip && next.chain == bone.chain);
        if at.is_none() {
            joints.push(SpringJoint { node: skeleton.joints[tip].node, ..joint(bone) });
        }
    }
    joints
}

/// Returns the scale of the joint's units relative to the file's units in the rest pose.
fn rest_scale(rest: &Pose, skeleton: &Skeleton, joint: usize) -> f64 {
    rest.world_from_joint(skeleton, joint).matrix3.determinant().abs().cbrt()
}

/// Converts a shape to metres: the format scales points with their node, but not radii.
fn shape_from(shape: SpringShape, metres_per_joint_unit: f64, metres_per_unit: f64) -> ColliderShape {
    match shape {
        SpringShape::Plane { offset, normal } => ColliderShape::Plane { point: offset * metres_per_joint_unit, normal },
        SpringShape::Round { offset, tail, radius, inside } => {
            let (center, radius) = (offset * metres_per_joint_unit, radius * metres_per_unit);
            match (tail.map(|tail| tail * metres_per_joint_unit), inside) {
                (None, false) => ColliderShape::Sphere { center, radius },
                (None, true) => ColliderShape::InsideSphere { center, radius },
                (Some(b), false) => ColliderShape::Capsule { a: center, b, radius },
                (Some(b), true) => ColliderShape::InsideCapsule { a: center, b, radius },
            }
        }
    }
}

/// Converts a shape from metres; the inverse of [`shape_from`].
fn shape_into(shape: ColliderShape, metres_per_joint_unit: f64, metres_per_unit: f64) -> SpringShape {
    let round = |a: DVec3, b: Option<DVec3>, radius: f64, inside| SpringShape::Round {
        offset: a / metres_per_joint_unit,
        tail: b.map(|b| b / metres_per_joint_unit),
        radius: radius / metres_per_unit,
        inside,
    };
    match shape {
        ColliderShape::Sphere { center, radius } => round(center, None, radius, false),
        ColliderShape::InsideSphere { center, radius } => round(center, None, radius, true),
        ColliderShape::Capsule { a, b, radius } => round(a, Some(b), radius, false),
        ColliderShape::InsideCapsule { a, b, radius } => round(a, Some(b), radius, true),
        ColliderShape::Plane { point, normal } => SpringShape::Plane { offset: point / metres_per_joint_unit, normal },
    }
}
