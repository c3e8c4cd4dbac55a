//! Skin and morph influences of a part's vertices, laid out for the vertex shader.
//!
//! One list of four-float entries serves all vertices:
//! - joints: `joint, weight, joint, weight`, two influences per entry;
//! - morph targets: two entries each, the position offset with the index of the morph weight, then the normal offset.
//!
//! Each vertex stores its ranges in the list, so vertices without influences cost nothing.

use glam::Vec3;

use super::pose_table::matrix_count;
use portamento_anim::Model;
use portamento_anim::geometry::{MeshInstance, MorphTarget, Primitive};

/// The influences of one part.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Influences {
    /// Per vertex: first joint entry, number of joint entries, first morph entry, number of morph targets.
    pub spans: Vec<[u32; 4]>,
    pub entries: Vec<[f32; 4]>,
}

impl Influences {
    /// Builds the influences of all vertices of `part` for the placement `instance`. A part without skin follows the first matrix
    /// with full weight.
    pub fn new(model: &Model, instance: &MeshInstance, part: &Primitive) -> Self {
        let mut list = Self::default();
        let joints = matrix_count(model, instance.skin);
        // A part without joints follows the first matrix with full weight.
        let rigid = (part.influences == 0 || instance.skin.is_none()).then(|| list.add_joints(&[0], &[1.0], joints));
        let placed = &model.skeleton.joints[instance.joint];
        let shapes: Vec<_> = part.morphs.iter().take(placed.morph_count).zip(placed.first_morph..).collect();
        for vertex in 0..part.positions.len() {
            let own = vertex * part.influences..(vertex + 1) * part.influences;
            let [carried, carriers] = rigid.unwrap_or_else(|| {
                let (joints_of, weights) = (part.joints.get(own.clone()), part.weights.get(own));
                list.add_joints(joints_of.unwrap_or_default(), weights.unwrap_or_default(), joints)
            });
            let [moved, movers] = list.add_morphs(&shapes, vertex);
            list.spans.push([carried, carriers, moved, movers]);
        }
        list
    }

    /// Appends the non-zero offsets of `shapes`, each with the index of its weight, for one vertex. Returns the first entry and
    /// the number of shapes.
    fn add_morphs(&mut self, shapes: &[(&MorphTarget, usize)], vertex: usize) -> [u32; 2] {
        let first = self.entries.len();
        let of = |offsets: &[Vec3]| offsets.get(vertex).copied().unwrap_or_default();
        for &(shape, weight_index) in shapes {
            let [position, normal] = [&shape.positions, &shape.normals].map(|offsets| of(offsets));
            if position != Vec3::ZERO || normal != Vec3::ZERO {
                self.entries.push(position.extend(weight_index as f32).to_array());
                self.entries.push(normal.extend(0.0).to_array());
            }
        }
        [first, (self.entries.len() - first) / 2].map(|number| number as u32)
    }

    /// Appends the positive weights of valid joints (index below `joint_count`). Returns the first entry and the number of
    /// entries.
    fn add_joints(&mut self, joints: &[u16], weights: &[f32], joint_count: usize) -> [u32; 2] {
        let first = self.entries.len();
        let pairs = joints.iter().zip(weights).map(|(&joint, &weight)| [f32::from(joint), weight]);
        let mut counted = pairs.filter(|[joint, weight]| *weight > 0.0 && (*joint as usize) < joint_count);
        while let Some([joint, weight]) = counted.next() {
            let [other, its_weight] = counted.next().unwrap_or_default();
            self.entries.push([joint, weight, other, its_weight]);
        }
        [first as u32, (self.entries.len() - first) as u32]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Affine3A;
    use portamento_anim::geometry::{Mesh, Skin};
    use portamento_anim::math::Transform;
    use portamento_anim::{Joint, Skeleton};

    /// Two vertices of five influences each under a skin of three joints, with two shapes.
    fn model() -> Model {
        let shape = |positions: [Vec3; 2]| MorphTarget { positions: positions.into(), normals: vec![Vec3::ZERO; 2] };
        let part = Primitive {
            positions: vec![Vec3::X, Vec3::Y],
            influences: 5,
            joints: vec![2, 1, 9, 0, 1, 0, 0, 0, 0, 0],
            weights: vec![0.5, 0.0, 1.0, 0.25, 0.125, 0.0, 0.0, 0.0, 0.0, 0.0],
            morphs: vec![shape([Vec3::ZERO, Vec3::Z]), shape([Vec3::X, Vec3::X]), shape([Vec3::Y; 2])],
            ..Primitive::default()
        };
        let (name, rest) = (String::new(), Transform::IDENTITY);
        let joint = Joint { name, parent: None, rest, node: 0, first_morph: 6, morph_count: 2 };
        Model {
            skeleton: Skeleton { joints: vec![joint], rest_morphs: vec![0.0; 8] },
            meshes: vec![Mesh { primitives: vec![part], ..Mesh::default() }],
            skins: vec![Skin { joints: vec![0; 3], inverse_bind: vec![Affine3A::IDENTITY; 3] }],
            instances: [Some(0), None].map(|skin| MeshInstance { joint: 0, mesh: 0, skin }).into(),
            ..Model::default()
        }
    }

    #[test]
    fn a_vertex_has_only_its_non_zero_influences_and_shapes() {
        let model = model();
        let list = Influences::new(&model, &model.instances[0], &model.meshes[0].primitives[0]);
        assert_eq!(list.spans, [[0, 2, 2, 1], [4, 0, 4, 2]]);
        assert_eq!(list.entries[..2], [[2.0, 0.5, 0.0, 0.25], [1.0, 0.125, 0.0, 0.0]]);
        assert_eq!(list.entries[2], [1.0, 0.0, 0.0, 7.0], "the second shape, which has the last weight");
        assert_eq!(list.entries[4], [0.0, 0.0, 1.0, 6.0]);
        assert_eq!(list.entries.len(), 8, "the third shape has no weight");
    }

    #[test]
    fn a_part_without_a_skin_follows_one_matrix_with_full_weight() {
        let model = model();
        let list = Influences::new(&model, &model.instances[1], &model.meshes[0].primitives[0]);
        assert_eq!(list.entries[0], [0.0, 1.0, 0.0, 0.0]);
        assert!(list.spans.iter().all(|span| span[..2] == [0, 1]));
    }
}
