//! The content of one imported file.

use glam::Affine3A;

use crate::clip::is_generic_name;
use crate::geometry::{Material, Mesh, MeshInstance, Skin, Texture};
use crate::math::Bounds;
use crate::{Clip, Skeleton};

/// Everything of a file that can be posed, drawn or played. Immutable after import.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// The file name without folder and extension.
    pub name: String,
    /// All nodes of the file.
    pub skeleton: Skeleton,
    /// Meshes; drawn where [`Model::instances`] place them.
    pub meshes: Vec<Mesh>,
    /// Joints and inverse bind matrices that skinned meshes refer to.
    pub skins: Vec<Skin>,
    /// Mesh instances: meshes placed on joints, with an optional skin.
    pub instances: Vec<MeshInstance>,
    /// Materials that primitives refer to by index.
    pub materials: Vec<Material>,
    /// Decoded images that materials refer to by index.
    pub textures: Vec<Texture>,
    /// All animations of the file, in file order.
    pub clips: Vec<Clip>,
    /// Scenes; empty if the file has none.
    pub scenes: Vec<Scene>,
    /// The scene shown first.
    pub default_scene: Option<usize>,
    /// The file's own map of human bones (VRM); empty if it has none.
    pub humanoid: Vec<HumanBone>,
}

/// An entry of a file's own map of human bones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HumanBone {
    /// The bone name in VRM 1.0: `hips`, `leftUpperLeg`, `rightHand`.
    pub name: String,
    /// The joint in the skeleton.
    pub joint: usize,
}

/// A named set of root joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The name in the file, or `scene 0`.
    pub name: String,
    /// The root joints.
    pub roots: Vec<usize>,
}

impl Model {
    /// Returns the first clip with that name. A name that exporters give every clip ([`is_generic_name`]) also finds the only clip
    /// of a file with another name, that of the file. `None` if there is no such clip.
    pub fn clip(&self, name: &str) -> Option<&Clip> {
        let only = || {
            let is_named = |clip: &&Clip| self.clips.len() == 1 || !is_generic_name(&clip.name);
            let mut named = self.clips.iter().filter(is_named);
            named.next().filter(|_| is_generic_name(name) && named.next().is_none())
        };
        self.clips.iter().find(|clip| clip.name == name).or_else(only)
    }

    /// Returns for each joint whether it deforms a mesh through a skin; all true without skins.
    pub fn deforming_joints(&self) -> Vec<bool> {
        let mut deforming = vec![self.skins.is_empty(); self.skeleton.len()];
        self.skins.iter().flat_map(|skin| &skin.joints).for_each(|&joint| deforming[joint] = true);
        deforming
    }

    /// Returns for each joint whether it carries a visible part of the character: skin weights, or its own mesh.
    /// If there is a skinned mesh, rigid meshes in other node trees are scenery and do not count.
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

    /// Returns for each joint whether it only holds a mesh: nodes of skinned meshes, which follow other joints, and
    /// in a file without clips nodes of rigid meshes. A node that carries a skin or another node does not count.
    pub fn mesh_nodes(&self) -> Vec<bool> {
        let mut is_mesh_node = vec![false; self.skeleton.len()];
        self.instances.iter().for_each(|instance| is_mesh_node[instance.joint] = true);
        let rigid = self.instances.iter().filter(|instance| instance.skin.is_none() && !self.clips.is_empty());
        let joints =
            rigid.map(|instance| instance.joint).chain(self.skins.iter().flat_map(|skin| skin.joints.iter().copied()));
        joints.for_each(|joint| is_mesh_node[joint] = false);
        for joint in (0..is_mesh_node.len()).rev() {
            if let Some(parent) = self.skeleton.joints[joint].parent {
                is_mesh_node[parent] &= is_mesh_node[joint];
            }
        }
        is_mesh_node
    }

    /// Returns the bounding box of all mesh vertices as drawn in the rest pose, or of the joints without meshes, in world space
    /// and the file's unit. It is empty at the origin without either.
    pub fn rest_bounds(&self) -> Bounds {
        let parts = self.rest_parts();
        let drawn = Bounds::around(parts.iter().flat_map(|part| part.positions.iter().copied()));
        let mut world = Vec::new();
        crate::Pose::rest(&self.skeleton).world_from_joints(&self.skeleton, &mut world);
        let joints = world.iter().map(|joint: &Affine3A| glam::Vec3::from(joint.translation));
        drawn.or_else(|| Bounds::around(joints)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_inputs::skeleton_of;

    #[test]
    fn the_bounds_of_a_skinned_mesh_do_not_depend_on_the_order_of_its_joints() {
        use crate::geometry::Primitive;
        // Hips scaled to a hundredth carry a mesh in centimetres; the root moves no vertex.
        let mut skeleton = skeleton_of(&[("root", None), ("hips", Some(0))]);
        skeleton.joints[1].rest.scale = glam::Vec3::splat(0.01);
        let bounds = |root_first: bool| {
            let order = if root_first { [0, 1] } else { [1, 0] };
            let hips = u16::from(root_first);
            let part = Primitive {
                positions: vec![glam::Vec3::ZERO, glam::Vec3::new(0.0, 170.0, 0.0)],
                influences: 4,
                joints: vec![hips, 0, 0, 0, hips, 0, 0, 0],
                weights: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
                ..Primitive::default()
            };
            let model = Model {
                skeleton: skeleton.clone(),
                meshes: vec![Mesh { primitives: vec![part], ..Mesh::default() }],
                skins: vec![Skin { joints: order.to_vec(), inverse_bind: vec![Affine3A::IDENTITY; 2] }],
                instances: vec![MeshInstance { joint: 0, mesh: 0, skin: Some(0) }],
                ..Model::default()
            };
            model.rest_bounds().size()
        };
        for root_first in [true, false] {
            assert!(bounds(root_first).abs_diff_eq(glam::Vec3::new(0.0, 1.7, 0.0), 1e-5), "{}", bounds(root_first));
        }
    }

    #[test]
    fn a_node_that_only_holds_a_mesh_is_no_joint_and_a_moving_or_carrying_node_is() {
        // A body skinned to hips and head, and a hat.
        let rows = [("root", None), ("hips", Some(0)), ("head", Some(1)), ("body", Some(0)), ("hat", Some(2))];
        let skin = Skin { joints: vec![1, 2], inverse_bind: Vec::new() };
        let placed = |joint: usize, skin: Option<usize>| MeshInstance { joint, mesh: 0, skin };
        let instances = vec![placed(3, Some(0)), placed(4, None), placed(2, Some(0))];
        let mut model = Model { skeleton: skeleton_of(&rows), skins: vec![skin], instances, ..Model::default() };
        assert_eq!(model.mesh_nodes(), [false, false, false, true, true]);
        model.clips.push(Clip::default());
        assert_eq!(model.mesh_nodes(), [false, false, false, true, false], "a clip may move a rigid mesh");
        model.skeleton = skeleton_of(&[&rows[..], &[("tip", Some(3))]].concat());
        assert!(!model.mesh_nodes()[3], "another node is its child");
    }
}
