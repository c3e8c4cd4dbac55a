//! The algorithm of the format, used to measure the error of a conversion.

use glam::{DAffine3, DQuat, DVec3};

use crate::collide::world_collider::nearest_on_segment;
use crate::stepping::world_transform::shortest_arc;
use portamento_anim::{Pose, Skeleton, Spring, SpringBones, SpringJoint, SpringShape};

/// State of simulated spring bones.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringState {
    /// World positions of the tips in units of the file, spring by spring, one per simulated joint.
    pub tips: Vec<DVec3>,
    /// True to compute bone lengths with the parent's rotation of the previous frame, as @pixiv/three-vrm 3.5 does. Its
    /// lengths then change by a few millimetres in fast motion. If false, lengths are exact, as the specification
    /// requires.
    pub stale_lengths: bool,
    /// World positions of the tips one frame earlier, in units of the file.
    previous: Vec<DVec3>,
    /// Per tip, the transform of the center relative to which inertia counts.
    centers: Vec<Option<DAffine3>>,
    /// Pose of the previous frame, for `stale_lengths`.
    rotated: Option<Pose>,
}

impl SpringState {
    /// Returns the state at rest in `pose`.
    pub fn at(bones: &SpringBones, skeleton: &Skeleton, pose: &Pose) -> Self {
        let tips: Vec<DVec3> = simulated_joints(bones, skeleton).map(|each| each.world_tip(skeleton, pose)).collect();
        let centers = centers(bones, skeleton, pose);
        Self { previous: tips.clone(), tips, stale_lengths: false, centers, rotated: None }
    }

    /// Simulates one frame of `dt` seconds. `pose` is the animation and receives the simulated rotations.
    pub fn step(&mut self, bones: &SpringBones, skeleton: &Skeleton, pose: &mut Pose, dt: f64) {
        // Computed before any bone rotates, since a collider may be on a simulated joint.
        let carriers: Vec<DAffine3> = bones
            .colliders
            .iter()
            .map(|collider| skeleton.joint_of_node(collider.node))
            .map(|joint| joint.map_or(DAffine3::IDENTITY, |joint| pose.world_from_joint(skeleton, joint)))
            .collect();
        self.follow_centers(centers(bones, skeleton, pose));
        let stale = self.stale_tips(bones, skeleton, pose);
        for (index, each) in simulated_joints(bones, skeleton).enumerate() {
            let SimulatedJoint { spring, values, joint, .. } = each;
            let world = pose.world_from_joint(skeleton, joint);
            let axis = each.axis(pose);
            let rest = (world.matrix3 * axis).normalize_or(DVec3::Y);
            let exact = (world.matrix3 * axis).length();
            let length = stale.get(index).map_or(exact, |tip| tip.distance(world.translation));
            let start = world.translation;
            let on_reach = |tip: DVec3| start + (tip - start).normalize_or_zero() * length;
            let inertia = (self.tips[index] - self.previous[index]) * (1.0 - values.drag_force);
            let pull = rest * values.stiffness + values.gravity_dir * values.gravity_power;
            let mut end = on_reach(self.tips[index] + inertia + pull * dt);
            let groups = spring.groups.iter().filter_map(|&group| bones.groups.get(group));
            for &collider in groups.flat_map(|group| &group.colliders) {
                let shape = bones.colliders[collider].shape;
                if let Some(out) = push_out(shape, &carriers[collider], end, values.hit_radius) {
                    end = on_reach(end + out);
                }
            }
            self.previous[index] = std::mem::replace(&mut self.tips[index], end);
            let swing = shortest_arc(
                axis.normalize_or(DVec3::Y),
                world.inverse().transform_point3(end).normalize_or(DVec3::Y),
                DVec3::X,
            );
            let local: DQuat = pose.locals[joint].rotation.as_dquat() * swing;
            pose.locals[joint].rotation = local.as_quat().normalize();
        }
        self.rotated = self.stale_lengths.then(|| pose.clone());
    }

    /// Moves the tips along with their centers, whose new transforms are `now`.
    fn follow_centers(&mut self, now: Vec<Option<DAffine3>>) {
        let tips = self.tips.iter_mut().zip(&mut self.previous);
        for ((tip, previous), (from, to)) in tips.zip(self.centers.iter().zip(&now)) {
            if let (Some(from), Some(to)) = (from, to) {
                let motion = *to * from.inverse();
                (*tip, *previous) = (motion.transform_point3(*tip), motion.transform_point3(*previous));
            }
        }
        self.centers = now;
    }

    /// Returns the tips in `pose` with the rotations of the previous frame; empty if lengths are exact.
    fn stale_tips(&self, bones: &SpringBones, skeleton: &Skeleton, pose: &Pose) -> Vec<DVec3> {
        let Some(rotated) = &self.rotated else { return Vec::new() };
        let mut before = pose.clone();
        for SimulatedJoint { joint, .. } in simulated_joints(bones, skeleton) {
            before.locals[joint].rotation = rotated.locals[joint].rotation;
        }
        let tip = |each: SimulatedJoint| each.world_tip(skeleton, &before);
        simulated_joints(bones, skeleton).map(tip).collect()
    }
}

/// Returns, per tip, the transform of its spring's center; `None` for the world.
fn centers(bones: &SpringBones, skeleton: &Skeleton, pose: &Pose) -> Vec<Option<DAffine3>> {
    let world = |node: usize| Some(pose.world_from_joint(skeleton, skeleton.joint_of_node(node)?));
    simulated_joints(bones, skeleton).map(|each| each.spring.center.and_then(world)).collect()
}

/// A joint that a spring rotates.
pub struct SimulatedJoint<'a> {
    spring: &'a Spring,
    values: &'a SpringJoint,
    /// Index in the skeleton.
    pub joint: usize,
    tip: SpringTip,
}

/// End of a simulated joint.
#[derive(Clone, Copy)]
enum SpringTip {
    /// Index in the skeleton.
    Joint(usize),
    /// Added end, in the joint's axes.
    Added(DVec3),
}

impl SimulatedJoint<'_> {
    /// Returns the vector from the joint to its end, in the joint's axes.
    fn axis(&self, pose: &Pose) -> DVec3 {
        match self.tip {
            SpringTip::Joint(tip) => pose.locals[tip].translation.as_dvec3(),
            SpringTip::Added(end) => end,
        }
    }

    /// Returns the world position of the end, units of the file.
    pub fn world_tip(&self, skeleton: &Skeleton, pose: &Pose) -> DVec3 {
        pose.world_from_joint(skeleton, self.joint).transform_point3(self.axis(pose))
    }
}

/// Returns every joint that springs rotate, spring by spring. Nodes that are not joints are skipped, as is the last one of a
/// spring without end length, where its last bone ends.
pub fn simulated_joints<'a>(
    bones: &'a SpringBones,
    skeleton: &'a Skeleton,
) -> impl Iterator<Item = SimulatedJoint<'a>> {
    bones.springs.iter().flat_map(move |spring| {
        spring.joints.iter().enumerate().filter_map(move |(index, values)| {
            let joint = skeleton.joint_of_node(values.node)?;
            let tip = match spring.joints.get(index + 1) {
                Some(next) => SpringTip::Joint(skeleton.joint_of_node(next.node)?),
                None if spring.end_length > 0.0 => SpringTip::Added(added_end(skeleton, joint, spring.end_length)),
                None => return None,
            };
            Some(SimulatedJoint { spring, values, joint, tip })
        })
    })
}

/// Returns an end that continues the joint's own bone by `length` (units of the file), in the joint's axes.
fn added_end(skeleton: &Skeleton, joint: usize, length: f64) -> DVec3 {
    let rest = skeleton.joints[joint].rest;
    (rest.rotation.inverse() * rest.translation).as_dvec3().normalize_or(DVec3::Y) * length
}

/// Returns the displacement, in units of the file, that moves the world position `tip` out of a collider; `None` if it is
/// outside.
fn push_out(shape: SpringShape, carrier: &DAffine3, tip: DVec3, hit_radius: f64) -> Option<DVec3> {
    let (depth, outward) = match shape {
        SpringShape::Plane { offset, normal } => {
            // Normals are transformed by the inverse transpose, so that they stay normal under uneven scale.
            let normal = (carrier.matrix3.inverse().transpose() * normal).normalize_or(DVec3::Y);
            (hit_radius - (tip - carrier.transform_point3(offset)).dot(normal), normal)
        }
        SpringShape::Round { offset, tail, radius, inside } => {
            let a = carrier.transform_point3(offset);
            let b = tail.map_or(a, |tail| carrier.transform_point3(tail));
            let away = tip - nearest_on_segment(a, b, tip);
            let (far, outward) = (away.length(), away.normalize_or_zero());
            if inside { (far + hit_radius - radius, -outward) } else { (hit_radius + radius - far, outward) }
        }
    };
    (depth > 0.0).then(|| outward * depth)
}
