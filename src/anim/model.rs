//! One opened file.

use glam::Affine3A;

use super::{Clip, Skeleton};
use crate::geometry::{Material, Mesh, MeshInstance, Skin, Texture};
use crate::math::Bounds;

/// Everything a file holds that can be posed, drawn or played. Immutable once imported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// The file's name without folder and extension.
    pub name: String,
    /// Every node of the file.
    pub skeleton: Skeleton,
    /// Meshes; drawn where [`Model::instances`] place them.
    pub meshes: Vec<Mesh>,
    /// Joints and inverse bind matrices that skinned meshes refer to.
    pub skins: Vec<Skin>,
    /// Which mesh hangs on which joint, with which skin.
    pub instances: Vec<MeshInstance>,
    /// Materials that primitives refer to by index.
    pub materials: Vec<Material>,
    /// Decoded images that materials refer to by index.
    pub textures: Vec<Texture>,
    /// Every animation of the file, in its order.
    pub clips: Vec<Clip>,
    /// Scenes; empty when the file has none.
    pub scenes: Vec<Scene>,
    /// The scene shown on opening.
    pub default_scene: Option<usize>,
    /// Which joint is which part of a person, where the file says so (VRM); empty otherwise.
    pub humanoid: Vec<HumanBone>,
}

/// One entry of a file's own map of a person's bones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HumanBone {
    /// The bone as VRM 1.0 names it: `hips`, `leftUpperLeg`, `rightHand`.
    pub name: String,
    /// Its joint in the skeleton.
    pub joint: usize,
}

/// A named selection of roots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The file's name, or `scene 0`.
    pub name: String,
    /// Joints at the top of the scene, by index.
    pub roots: Vec<usize>,
}

impl Model {
    /// The clip of that exact name.
    pub fn clip(&self, name: &str) -> Option<&Clip> {
        self.clips.iter().find(|clip| clip.name == name)
    }

    /// Joints that carry a mesh through some skin; `true` per skeleton joint. Without skins, every joint.
    pub fn deforming_joints(&self) -> Vec<bool> {
        let mut deforming = vec![self.skins.is_empty(); self.skeleton.len()];
        self.skins.iter().flat_map(|skin| &skin.joints).for_each(|&joint| deforming[joint] = true);
        deforming
    }

    /// Joints that a visible part of the character hangs on, one entry per joint: those with skin weights, and those with a mesh of
    /// their own. Beside a skinned mesh, a rigid one in another tree is scenery and left out.
    pub fn mesh_joints(&self) -> Vec<bool> {
        let mut meshed = vec![false; self.skeleton.len()];
        for instance in &self.instances {
            let Some(skin) = instance.skin.and_then(|skin| self.skins.get(skin)) else { continue };
            for part in &self.meshes[instance.mesh].primitives {
                let weighted = part.joints.iter().zip(&part.weights).filter(|(_, weight)| **weight > 0.0);
                let joints = weighted.filter_map(|(&slot, _)| skin.joints.get(usize::from(slot)));
                joints.for_each(|&joint| meshed[joint] = true);
            }
        }
        let tree = |joint: usize| self.skeleton.ancestors(joint).last();
        let skinned: Vec<_> = (0..meshed.len()).filter(|&joint| meshed[joint]).map(tree).collect();
        for instance in self.instances.iter().filter(|instance| instance.skin.is_none()) {
            if skinned.is_empty() || skinned.contains(&tree(instance.joint)) {
                meshed[instance.joint] = true;
            }
        }
        meshed
    }

    /// Nodes that do nothing but hold a mesh: those of skinned meshes, whose place is their joints', and in a file without clips
    /// those of rigid ones; `true` per skeleton joint. What a skin or another node hangs on is none.
    pub fn mesh_nodes(&self) -> Vec<bool> {
        let mut holds = vec![false; self.skeleton.len()];
        self.instances.iter().for_each(|instance| holds[instance.joint] = true);
        let rigid = self.instances.iter().filter(|instance| instance.skin.is_none() && !self.clips.is_empty());
        let joints =
            rigid.map(|instance| instance.joint).chain(self.skins.iter().flat_map(|skin| skin.joints.iter().copied()));
        joints.for_each(|joint| holds[joint] = false);
        for joint in (0..holds.len()).rev() {
            if let Some(parent) = self.skeleton.joints[joint].parent {
                holds[parent] &= holds[joint];
            }
        }
        holds
    }

    /// The box around all rest-pose mesh vertices, or around the joints when there is no mesh; at the origin without either.
    pub fn rest_bounds(&self) -> Bounds {
        let mut world = Vec::new();
        super::Pose::rest(&self.skeleton).world_from_joints(&self.skeleton, &mut world);
        let joints = world.iter().map(|joint: &Affine3A| glam::Vec3::from(joint.translation));
        let placed = self.instances.iter().flat_map(|instance| {
            let place = match instance.skin {
                // At rest a skinned mesh stands where its bind pose put it, taken from its first joint.
                Some(skin) => self.skins[skin]
                    .joints
                    .first()
                    .zip(self.skins[skin].inverse_bind.first())
                    .map_or(Affine3A::IDENTITY, |(&joint, &inverse)| world[joint] * inverse),
                None => world[instance.joint],
            };
            let points = self.meshes[instance.mesh].primitives.iter().flat_map(|part| &part.positions);
            points.map(move |&point| place.transform_point3(point))
        });
        Bounds::around(placed).or_else(|| Bounds::around(joints)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;

    #[test]
    fn a_node_that_holds_only_a_mesh_is_no_joint_and_what_moves_or_carries_is() {
        // A body that is skinned to hips and head, and a hat.
        let rows = [("root", None), ("hips", Some(0)), ("head", Some(1)), ("body", Some(0)), ("hat", Some(2))];
        let skin = Skin { joints: vec![1, 2], inverse_bind: Vec::new() };
        let placed = |joint: usize, skin: Option<usize>| MeshInstance { joint, mesh: 0, skin };
        let instances = vec![placed(3, Some(0)), placed(4, None), placed(2, Some(0))];
        let mut model = Model { skeleton: skeleton_of(&rows), skins: vec![skin], instances, ..Model::default() };
        assert_eq!(model.mesh_nodes(), [false, false, false, true, true]);
        model.clips.push(Clip::default());
        assert_eq!(model.mesh_nodes(), [false, false, false, true, false], "a clip may move what is rigid");
        model.skeleton = skeleton_of(&[&rows[..], &[("tip", Some(3))]].concat());
        assert!(!model.mesh_nodes()[3], "another node hangs on it");
    }
}
