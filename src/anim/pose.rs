//! A pose: the state of a skeleton at one time.

use glam::{Affine3A, DAffine3, Vec4};

use super::{Joint, Skeleton};
use crate::math::Transform;
use crate::math::lanes::{Eight, LaneKernel, Vectors, dispatch_lanes};
use crate::math::transform::rotation_axes;

/// Local transforms and morph weights of all joints. Buffers are reused: sampling into a pose allocates nothing.
#[derive(Debug, Default, PartialEq)]
pub struct Pose {
    /// Transform of each joint relative to its parent.
    pub locals: Vec<Transform>,
    /// Morph weights, joint after joint ([`super::Joint::first_morph`]).
    pub morphs: Vec<f32>,
}

impl Clone for Pose {
    fn clone(&self) -> Self {
        Self { locals: self.locals.clone(), morphs: self.morphs.clone() }
    }

    /// Copies `other` into the buffers of this pose. The derived implementation would allocate new ones.
    fn clone_from(&mut self, other: &Self) {
        self.locals.clone_from(&other.locals);
        self.morphs.clone_from(&other.morphs);
    }
}

impl Pose {
    /// Returns the rest pose of `skeleton`.
    pub fn rest(skeleton: &Skeleton) -> Self {
        let mut pose = Self::default();
        pose.set_rest(skeleton);
        pose
    }

    /// Sets the rest pose of `skeleton`, reusing the buffers.
    pub fn set_rest(&mut self, skeleton: &Skeleton) {
        self.locals.clear();
        self.locals.extend(skeleton.joints.iter().map(|joint| joint.rest));
        self.morphs.clear();
        self.morphs.extend_from_slice(&skeleton.rest_morphs);
    }

    /// Computes the world transforms of all joints into `world`, which is resized.
    pub fn world_from_joints(&self, skeleton: &Skeleton, world: &mut Vec<Affine3A>) {
        world.resize(skeleton.len().min(self.locals.len()), Affine3A::IDENTITY);
        dispatch_lanes(WorldFromLocals { joints: &skeleton.joints, locals: &self.locals, world });
    }

    /// Returns the world transform of one joint in f64; evaluates its ancestors only.
    pub fn world_from_joint(&self, skeleton: &Skeleton, joint: usize) -> DAffine3 {
        skeleton.ancestors(joint).fold(DAffine3::IDENTITY, |local, each| self.locals[each].to_affine_f64() * local)
    }
}

/// The arguments of [`Pose::world_from_joints`]: reads local transforms and writes world transforms, parents first.
struct WorldFromLocals<'a> {
    joints: &'a [Joint],
    locals: &'a [Transform],
    /// One entry per joint that has a local transform.
    world: &'a mut [Affine3A],
}

impl LaneKernel for WorldFromLocals<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Self { joints, locals, world } = self;
        // Most joints are children of the previous one, whose transform is still in a register; this halves the
        // latency along a chain.
        let mut previous = Affine3A::IDENTITY;
        for (block, (joints, locals)) in joints.chunks(8).zip(locals.chunks(8)).enumerate() {
            let rotations = std::array::from_fn(|lane| locals.get(lane).map_or(Vec4::W, |local| local.rotation.into()));
            let turns = rotation_axes(Eight::transposed(vectors, &rotations)).map(Eight::store);
            for (lane, (joint, local)) in joints.iter().zip(locals).enumerate() {
                let i = 8 * block + lane;
                let parent = match joint.parent {
                    None => Affine3A::IDENTITY,
                    Some(parent) if parent + 1 == i => previous,
                    Some(parent) => world[parent],
                };
                let axes = turns.each_ref().map(|number| number.0[lane]);
                previous = local.within(axes, &parent);
                world[i] = previous;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::lanes::run_narrow;
    use crate::small_inputs::skeleton_of;
    use glam::{Quat, Vec3};

    #[test]
    fn a_rotated_parent_carries_its_child() {
        let skeleton = skeleton_of(&[("hip", None), ("knee", Some(0))]);
        let mut pose = Pose::rest(&skeleton);
        pose.locals[0].rotation = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let mut world = Vec::new();
        pose.world_from_joints(&skeleton, &mut world);
        let knee = Vec3::from(world[1].translation);
        assert!(knee.abs_diff_eq(Vec3::new(-1.0, 1.0, 0.0), 1e-6), "{knee}");
        assert!(pose.world_from_joint(&skeleton, 1).translation.as_vec3().abs_diff_eq(knee, 1e-6));
    }
    #[test]
    fn world_transforms_are_matrix_products_with_the_same_bits_without_wide_vectors() {
        let rows: Vec<(String, Option<usize>)> =
            (0..21_usize).map(|i| (format!("j{i}"), i.checked_sub(1 + i % 3))).collect();
        let rows: Vec<(&str, Option<usize>)> = rows.iter().map(|(name, parent)| (&name[..], *parent)).collect();
        let skeleton = skeleton_of(&rows);
        let mut pose = Pose::rest(&skeleton);
        for (i, local) in pose.locals.iter_mut().enumerate() {
            local.rotation = Quat::from_euler(glam::EulerRot::XYZ, i as f32, 0.7 * i as f32, -0.3);
            local.scale = if i % 5 == 2 { Vec3::new(1.0, 1.5, 0.5) } else { Vec3::ONE };
        }
        let mut world = Vec::new();
        pose.world_from_joints(&skeleton, &mut world);
        for (joint, transform) in world.iter().enumerate() {
            let exact = pose.world_from_joint(&skeleton, joint);
            assert!(transform.translation.as_dvec3().abs_diff_eq(exact.translation, 1e-4), "{joint}");
        }
        let mut narrow = vec![Affine3A::IDENTITY; 21];
        run_narrow(WorldFromLocals { joints: &skeleton.joints, locals: &pose.locals, world: &mut narrow });
        assert_eq!(world, narrow);
    }
}
