//! One moment of a skeleton.

use glam::{Affine3A, DAffine3};

use super::Skeleton;
use crate::math::Transform;

/// Local transforms and morph weights of every joint. Buffers are reused: sampling into a pose allocates nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// Per joint, relative to its parent.
    pub locals: Vec<Transform>,
    /// Morph weights, joint after joint ([`super::Joint::first_morph`]).
    pub morphs: Vec<f32>,
}

impl Pose {
    /// The rest pose of `skeleton`.
    pub fn rest(skeleton: &Skeleton) -> Self {
        let mut pose = Self::default();
        pose.set_rest(skeleton);
        pose
    }

    /// Makes this the rest pose of `skeleton`, keeping the buffers.
    pub fn set_rest(&mut self, skeleton: &Skeleton) {
        self.locals.clear();
        self.locals.extend(skeleton.joints.iter().map(|joint| joint.rest));
        self.morphs.clear();
        self.morphs.extend_from_slice(&skeleton.rest_morphs);
    }

    /// World place of every joint, written to `world` (resized to fit).
    pub fn world_from_joints(&self, skeleton: &Skeleton, world: &mut Vec<Affine3A>) {
        world.resize(skeleton.len().min(self.locals.len()), Affine3A::IDENTITY);
        // Most joints hang on the one before them: its place is still at hand, which halves the wait along a chain.
        let mut before = Affine3A::IDENTITY;
        for (i, (joint, local)) in skeleton.joints.iter().zip(&self.locals).enumerate() {
            before = match joint.parent {
                None => local.to_affine(),
                Some(parent) if parent + 1 == i => local.within(&before),
                Some(parent) => local.within(&world[parent]),
            };
            world[i] = before;
        }
    }

    /// World place of one joint in f64, by its chain only.
    pub fn world_from_joint(&self, skeleton: &Skeleton, joint: usize) -> DAffine3 {
        skeleton.ancestors(joint).fold(DAffine3::IDENTITY, |below, each| self.locals[each].to_affine_f64() * below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use glam::{Quat, Vec3};

    #[test]
    fn a_turned_parent_carries_its_child() {
        let skeleton = skeleton_of(&[("hip", None), ("knee", Some(0))]);
        let mut pose = Pose::rest(&skeleton);
        pose.locals[0].rotation = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let mut world = Vec::new();
        pose.world_from_joints(&skeleton, &mut world);
        let knee = Vec3::from(world[1].translation);
        assert!(knee.abs_diff_eq(Vec3::new(-1.0, 1.0, 0.0), 1e-6), "{knee}");
        assert!(pose.world_from_joint(&skeleton, 1).translation.as_vec3().abs_diff_eq(knee, 1e-6));
    }
}
