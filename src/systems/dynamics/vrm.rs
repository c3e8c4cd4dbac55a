//! Spring bones of avatars (`VRMC_springBone` 1.0): their own algorithm, and the way to and from these settings.
//!
//! Theirs adds `stiffness·dt` and `gravityPower·dt` to the tip per frame of any length; ours adds `a·h²`. At 60 frames per second
//! the two are equal for a = 60·stiffness and |g| = 60·gravityPower, and drag is the same number; at other rates theirs changes.
//! The format counts in the file's units where we count in metres, so all strengths and radii are measured in those.
//! Theirs pushes a tip out of a body and then restores the length, which leaves it partly inside; ours does not.

use glam::{DAffine3, DQuat, DVec3};

use super::place::swing;
use super::rig::{Bone, Rig, Tip};
use super::settings::{Chain, Collider, JointOverride, Limit, Profile, Settings, Shape};
use crate::anim::{Pose, Skeleton, Spring, SpringBones, SpringCollider, SpringGroup, SpringJoint, SpringShape};

/// The frame rate at which the two formulas agree.
const RATE: f64 = 60.0;
const EARTH: f64 = 9.81;

/// Settings that move as `bones` do at 60 frames per second, and sentences about what differs.
pub fn settings_from(bones: &SpringBones, skeleton: &Skeleton, metres_per_unit: f64) -> (Settings, Vec<String>) {
    let mut notes = Vec::new();
    let joints = || bones.springs.iter().flat_map(|spring| &spring.joints);
    let down =
        joints().find(|it| it.gravity_power > 0.0).map_or(DVec3::NEG_Y, |it| it.gravity_dir.normalize_or(DVec3::NEG_Y));
    if joints().any(|it| it.gravity_power > 0.0 && it.gravity_dir.normalize_or(down).dot(down) < 0.999) {
        notes.push("Joints have gravity in several directions; the first one's is used for all.".into());
    }
    let mut settings = Settings { gravity: down * EARTH, ..Default::default() };
    let rest = Pose::rest(skeleton);
    let mut taken = Vec::new();
    for (index, it) in bones.colliders.iter().enumerate() {
        let Some(joint) = skeleton.joint_of_node(it.node) else { continue };
        let stretch = stretch_of(&rest, skeleton, joint) * metres_per_unit;
        let shape = shape_from(it.shape, stretch, metres_per_unit);
        settings.colliders.push(Collider { name: format!("collider {index}"), joint: Some(joint), shape });
        taken.push(index);
    }
    for spring in &bones.springs {
        let groups = || spring.groups.iter().filter_map(|&group| bones.groups.get(group));
        let meets = |collider: usize| groups().any(|group| group.colliders.contains(&collider));
        let spared = (0..taken.len()).filter(|&at| !meets(taken[at])).collect();
        let chain = chain_from(spring, skeleton, metres_per_unit);
        settings.chains.extend(chain.map(|chain| Chain { spared, ..chain }));
    }
    (settings, notes)
}

/// The spring bones that at 60 frames per second move as `settings` do, and sentences about what is left out.
pub fn spring_bones_from(
    settings: &Settings,
    skeleton: &Skeleton,
    metres_per_unit: f64,
) -> Result<(SpringBones, Vec<String>), super::BuildError> {
    let rig = Rig::new(skeleton, settings, metres_per_unit)?;
    let always = [
        "Equal at 60 frames per second only; contact is not exact in other programs.",
        "Other programs pull bones to the pose of the file, not to the animation.",
    ];
    let mut notes = always.map(String::from).to_vec();
    if rig.bones.iter().any(|bone| matches!(bone.tip, Tip::Added(..))) {
        notes.push("Added end bones are left out: the format needs a node there.".into());
    }
    if rig.bones.iter().any(|bone| bone.limit != Limit::Free) {
        notes.push("Angle limits are left out: the format has none.".into());
    }
    if rig.wind.strength != 0.0 || rig.smoothing > 0.0 {
        notes.push("Wind and smoothing are left out: the format has none.".into());
    }
    let rest = Pose::rest(skeleton);
    let mut bones = SpringBones::default();
    let mut taken = Vec::new();
    for (index, (slot, shape)) in rig.colliders.iter().enumerate() {
        let Some(joint) = slot.map(|slot| rig.carriers[slot].0) else {
            notes.push("Colliders of the world are left out: the format needs a node.".into());
            continue;
        };
        let stretch = stretch_of(&rest, skeleton, joint) * metres_per_unit;
        bones.colliders.push(SpringCollider {
            node: skeleton.joints[joint].node,
            shape: shape_into(*shape, stretch, metres_per_unit),
        });
        taken.push(index);
    }
    let met = groups(&rig, &taken, &mut bones);
    for (index, bone) in rig.bones.iter().enumerate() {
        let continues = bone
            .parent
            .is_some_and(|it| rig.bones[it].tip == Tip::Joint(bone.joint) && rig.bones[it].chain == bone.chain);
        let joints = spring_from(&rig, skeleton, index);
        if !continues && joints.len() > 1 {
            let groups = (0..met.len()).filter(|&group| met[group][bone.chain]).collect();
            let center = center_of(settings.chains[bone.chain].centre, skeleton, bone.joint, &mut notes);
            bones.springs.push(Spring { name: settings.chains[bone.chain].name.clone(), joints, groups, center });
        }
    }
    Ok((bones, notes))
}

/// Puts colliders that the same chains meet into one group each; answers per group which chains meet it. `taken` are those written.
fn groups(rig: &Rig, taken: &[usize], bones: &mut SpringBones) -> Vec<Vec<bool>> {
    let mut met: Vec<Vec<bool>> = Vec::new();
    for (written, &collider) in taken.iter().enumerate() {
        let by: Vec<bool> = rig.meets.iter().map(|meets| meets[collider]).collect();
        let known = met.iter().position(|it| *it == by);
        let group = known.unwrap_or_else(|| {
            met.push(by);
            bones.groups.push(SpringGroup::default());
            met.len() - 1
        });
        bones.groups[group].colliders.push(written);
    }
    met
}

/// The node of a chain's centre, if the format allows it there: at the first joint or above it.
fn center_of(centre: Option<usize>, skeleton: &Skeleton, first: usize, notes: &mut Vec<String>) -> Option<usize> {
    let joint = centre?;
    if skeleton.is_within(first, joint) {
        return Some(skeleton.joints[joint].node);
    }
    let name = &skeleton.joints[joint].name;
    notes.push(format!("The centre “{name}” is left out: the format wants one above the chain."));
    None
}

fn chain_from(spring: &Spring, skeleton: &Skeleton, metres_per_unit: f64) -> Option<Chain> {
    let joint_of = |it: &SpringJoint| skeleton.joint_of_node(it.node);
    let joints: Vec<usize> = spring.joints.iter().filter_map(joint_of).collect();
    let (&first, &last) = (joints.first()?, joints.last()?);
    let beside = joints.iter().flat_map(|&joint| skeleton.children(joint)).filter(|child| !joints.contains(child));
    let special = |(it, &joint): (&SpringJoint, &usize)| JointOverride {
        joint,
        drag: Some(it.drag_force),
        stiffness: Some(it.stiffness * RATE * metres_per_unit),
        gravity: Some(it.gravity_power * RATE * metres_per_unit / EARTH),
        radius: Some(it.hit_radius * metres_per_unit),
        limit: None,
    };
    Some(Chain {
        name: spring.name.clone(),
        joint: first,
        excluded: beside.chain([last]).collect(),
        radius: Profile::constant(0.0),
        overrides: spring.joints.iter().zip(&joints).map(special).collect(),
        centre: spring.center.and_then(|node| skeleton.joint_of_node(node)),
        ..Default::default()
    })
}

/// The joints from bone `index` outwards while each ends where the next begins.
fn spring_from(rig: &Rig, skeleton: &Skeleton, index: usize) -> Vec<SpringJoint> {
    let down = rig.gravity.normalize_or(DVec3::NEG_Y);
    let joint = |bone: &Bone| SpringJoint {
        node: skeleton.joints[bone.joint].node,
        hit_radius: bone.radius / rig.metres_per_unit,
        stiffness: bone.stiffness / (RATE * rig.metres_per_unit),
        gravity_power: rig.gravity.length() * bone.gravity.abs() / (RATE * rig.metres_per_unit),
        gravity_dir: down * bone.gravity.signum(),
        drag_force: bone.drag,
    };
    let mut joints: Vec<SpringJoint> = Vec::new();
    let mut at = Some(&rig.bones[index]);
    while let Some(bone) = at {
        let Tip::Joint(tip) = bone.tip else {
            // Without its added bone this joint is only the end of the one before.
            let before = joints.last().copied().unwrap_or_else(|| joint(bone));
            joints.push(SpringJoint { node: skeleton.joints[bone.joint].node, ..before });
            break;
        };
        joints.push(joint(bone));
        at = rig.bones.iter().find(|it| it.joint == tip && it.chain == bone.chain);
        if at.is_none() {
            joints.push(SpringJoint { node: skeleton.joints[tip].node, ..joint(bone) });
        }
    }
    joints
}

/// How much longer the joint's own units are than the file's, at rest.
fn stretch_of(rest: &Pose, skeleton: &Skeleton, joint: usize) -> f64 {
    rest.world_from_joint(skeleton, joint).matrix3.determinant().abs().cbrt()
}

/// Points are `by` metres per unit of the node, radii `unit` metres per unit of the file.
fn shape_from(shape: SpringShape, by: f64, unit: f64) -> Shape {
    match shape {
        SpringShape::Plane { offset, normal } => Shape::Plane { point: offset * by, normal },
        SpringShape::Round { offset, tail, radius, inside } => {
            let (center, radius) = (offset * by, radius * unit);
            match (tail.map(|tail| tail * by), inside) {
                (None, false) => Shape::Sphere { center, radius },
                (None, true) => Shape::InsideSphere { center, radius },
                (Some(b), false) => Shape::Capsule { a: center, b, radius },
                (Some(b), true) => Shape::InsideCapsule { a: center, b, radius },
            }
        }
    }
}

fn shape_into(shape: Shape, by: f64, unit: f64) -> SpringShape {
    let round = |a: DVec3, b: Option<DVec3>, radius: f64, inside| SpringShape::Round {
        offset: a / by,
        tail: b.map(|b| b / by),
        radius: radius / unit,
        inside,
    };
    match shape {
        Shape::Sphere { center, radius } => round(center, None, radius, false),
        Shape::InsideSphere { center, radius } => round(center, None, radius, true),
        Shape::Capsule { a, b, radius } => round(a, Some(b), radius, false),
        Shape::InsideCapsule { a, b, radius } => round(a, Some(b), radius, true),
        Shape::Plane { point, normal } => SpringShape::Plane { offset: point / by, normal },
    }
}

/// Spring bones in motion by the algorithm of the format.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringState {
    /// World tips, spring after spring, one per joint but the last.
    pub tips: Vec<DVec3>,
    /// Measure bone lengths to where the tip was before its parent turned in this frame, as @pixiv/three-vrm 3.5 does (its lengths
    /// swim by a few millimetres in fast motion); off, lengths are exact as the specification asks.
    pub stale_lengths: bool,
    previous: Vec<DVec3>,
    /// Per tip, where the node is in whose space inertia counts.
    centres: Vec<Option<DAffine3>>,
    turned: Option<Pose>,
}

impl SpringState {
    /// At rest in `pose`.
    pub fn at(bones: &SpringBones, skeleton: &Skeleton, pose: &Pose) -> Self {
        let tips: Vec<DVec3> =
            pairs(bones, skeleton).map(|(_, _, tip)| pose.world_from_joint(skeleton, tip).translation).collect();
        let centres = centres(bones, skeleton, pose);
        Self { previous: tips.clone(), tips, stale_lengths: false, centres, turned: None }
    }

    /// One frame of `dt` seconds; `pose` is the animation and receives the swung rotations.
    pub fn step(&mut self, bones: &SpringBones, skeleton: &Skeleton, pose: &mut Pose, dt: f64) {
        let bodies: Vec<(DAffine3, SpringShape)> = bones
            .colliders
            .iter()
            .map(|it| {
                (
                    skeleton
                        .joint_of_node(it.node)
                        .map_or(DAffine3::IDENTITY, |at| pose.world_from_joint(skeleton, at)),
                    it.shape,
                )
            })
            .collect();
        self.follow_centres(centres(bones, skeleton, pose));
        let stale = self.stale_tips(bones, skeleton, pose);
        for (index, (spring, at, tip)) in pairs(bones, skeleton).enumerate() {
            let (spring, it) = (spring.0, spring.1);
            let world = pose.world_from_joint(skeleton, at);
            let axis = pose.locals[tip].translation.as_dvec3();
            let rest = (world.matrix3 * axis).normalize_or(DVec3::Y);
            let exact = (world.matrix3 * axis).length();
            let len = stale.get(index).map_or(exact, |tip| tip.distance(world.translation));
            let reach = (world.translation, len);
            let on_reach = |tip: DVec3| reach.0 + (tip - reach.0).normalize_or_zero() * reach.1;
            let inertia = (self.tips[index] - self.previous[index]) * (1.0 - it.drag_force);
            let pull = rest * it.stiffness + it.gravity_dir * it.gravity_power;
            let mut end = on_reach(self.tips[index] + inertia + pull * dt);
            let groups = spring.groups.iter().filter_map(|&group| bones.groups.get(group));
            for &collider in groups.flat_map(|group| &group.colliders) {
                if let Some(out) = push(&bodies[collider], end, it.hit_radius) {
                    end = on_reach(end + out);
                }
            }
            self.previous[index] = std::mem::replace(&mut self.tips[index], end);
            let turned = swing(
                axis.normalize_or(DVec3::Y),
                world.inverse().transform_point3(end).normalize_or(DVec3::Y),
                DVec3::X,
            );
            let local: DQuat = pose.locals[at].rotation.as_dquat() * turned;
            pose.locals[at].rotation = local.as_quat().normalize();
        }
        self.turned = self.stale_lengths.then(|| pose.clone());
    }

    /// Carries tips along with their centres, which are now here.
    fn follow_centres(&mut self, now: Vec<Option<DAffine3>>) {
        let tips = self.tips.iter_mut().zip(&mut self.previous);
        for ((tip, previous), (from, to)) in tips.zip(self.centres.iter().zip(&now)) {
            if let (Some(from), Some(to)) = (from, to) {
                let way = *to * from.inverse();
                (*tip, *previous) = (way.transform_point3(*tip), way.transform_point3(*previous));
            }
        }
        self.centres = now;
    }

    /// The tips on the moved scene with the rotations of the frame before; none where lengths are exact.
    fn stale_tips(&self, bones: &SpringBones, skeleton: &Skeleton, pose: &Pose) -> Vec<DVec3> {
        let Some(turned) = &self.turned else { return Vec::new() };
        let mut before = pose.clone();
        pairs(bones, skeleton).for_each(|(_, at, _)| before.locals[at].rotation = turned.locals[at].rotation);
        pairs(bones, skeleton).map(|(_, _, tip)| before.world_from_joint(skeleton, tip).translation).collect()
    }
}

/// Per tip, where its spring's centre is; `None` where the world is.
fn centres(bones: &SpringBones, skeleton: &Skeleton, pose: &Pose) -> Vec<Option<DAffine3>> {
    let place = |node: usize| Some(pose.world_from_joint(skeleton, skeleton.joint_of_node(node)?));
    pairs(bones, skeleton).map(|((spring, _), ..)| spring.center.and_then(place)).collect()
}

/// Every swinging joint of every spring: (spring, values), joint, tip.
pub(super) fn pairs<'a>(
    bones: &'a SpringBones,
    skeleton: &'a Skeleton,
) -> impl Iterator<Item = ((&'a Spring, &'a SpringJoint), usize, usize)> {
    bones.springs.iter().flat_map(move |spring| {
        spring.joints.windows(2).filter_map(move |pair| {
            Some(((spring, &pair[0]), skeleton.joint_of_node(pair[0].node)?, skeleton.joint_of_node(pair[1].node)?))
        })
    })
}

/// The push that takes a tip straight out of a body, if it is in.
fn push((place, shape): &(DAffine3, SpringShape), tip: DVec3, hit_radius: f64) -> Option<DVec3> {
    let (depth, way) = match *shape {
        SpringShape::Plane { offset, normal } => {
            let normal = (place.matrix3.inverse().transpose() * normal).normalize_or(DVec3::Y);
            (hit_radius - (tip - place.transform_point3(offset)).dot(normal), normal)
        }
        SpringShape::Round { offset, tail, radius, inside } => {
            let a = place.transform_point3(offset);
            let b = tail.map_or(a, |tail| place.transform_point3(tail));
            let away = tip - super::contact::nearest_on(a, b, tip);
            let (far, way) = (away.length(), away.normalize_or_zero());
            if inside { (far + hit_radius - radius, -way) } else { (hit_radius + radius - far, way) }
        }
    };
    (depth > 0.0).then(|| way * depth)
}
