//! What binds a part's vertices to its pose, laid out for the vertex shader: which joints carry each and which shapes move it.
//!
//! One list for all vertices, of four numbers each: pairs of `joint, weight` with two influences in an entry, and of each shape two
//! entries, the position's offset followed by the shape's place among all weights, and the normal's offset. A vertex is told where
//! its own begin and how many they are, so that none pays for what does not move it.

use glam::Vec3;

use super::pose_table::matrix_count;
use portamento_anim::Model;
use portamento_anim::geometry::{MeshInstance, MorphTarget, Primitive};

/// The list of one part.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Influences {
    /// Per vertex: the first entry of influences and how many entries, the first entry of shapes and how many shapes.
    pub spans: Vec<[u32; 4]>,
    pub entries: Vec<[f32; 4]>,
}

impl Influences {
    /// Of `part` where `instance` places it.
    pub fn new(model: &Model, instance: &MeshInstance, part: &Primitive) -> Self {
        let mut list = Self::default();
        let joints = matrix_count(model, instance.skin);
        // What has no joints of its own is carried whole by the first matrix, whichever that is.
        let whole = (part.influences == 0 || instance.skin.is_none()).then(|| list.add_joints(&[0], &[1.0], joints));
        let placed = &model.skeleton.joints[instance.joint];
        let shapes: Vec<_> = part.morphs.iter().take(placed.morph_count).zip(placed.first_morph..).collect();
        for vertex in 0..part.positions.len() {
            let own = vertex * part.influences..(vertex + 1) * part.influences;
            let [carried, carriers] = whole.unwrap_or_else(|| {
                let (joints_of, weights) = (part.joints.get(own.clone()), part.weights.get(own));
                list.add_joints(joints_of.unwrap_or_default(), weights.unwrap_or_default(), joints)
            });
            let [moved, movers] = list.add_morphs(&shapes, vertex);
            list.spans.push([carried, carriers, moved, movers]);
        }
        list
    }

    /// Adds what `shapes`, each with the place of its weight, do to a vertex; where it begins and how many they are.
    fn add_morphs(&mut self, shapes: &[(&MorphTarget, usize)], vertex: usize) -> [u32; 2] {
        let first = self.entries.len();
        let of = |offsets: &[Vec3]| offsets.get(vertex).copied().unwrap_or_default();
        for &(shape, place) in shapes {
            let [position, normal] = [&shape.positions, &shape.normals].map(|offsets| of(offsets));
            if position != Vec3::ZERO || normal != Vec3::ZERO {
                self.entries.push(position.extend(place as f32).to_array());
                self.entries.push(normal.extend(0.0).to_array());
            }
        }
        [first, (self.entries.len() - first) / 2].map(|number| number as u32)
    }

    /// Adds the influences that count, of `most` joints, in their order; where they begin and how many entries they are.
    fn add_joints(&mut self, joints: &[u16], weights: &[f32], most: usize) -> [u32; 2] {
        let first = self.entries.len();
        let pairs = joints.iter().zip(weights).map(|(&joint, &weight)| [f32::from(joint), weight]);
        let mut counted = pairs.filter(|[joint, weight]| *weight > 0.0 && (*joint as usize) < most);
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
    fn a_vertex_has_the_influences_and_shapes_that_count_and_no_others() {
        let model = model();
        let list = Influences::new(&model, &model.instances[0], &model.meshes[0].primitives[0]);
        assert_eq!(list.spans, [[0, 2, 2, 1], [4, 0, 4, 2]]);
        assert_eq!(list.entries[..2], [[2.0, 0.5, 0.0, 0.25], [1.0, 0.125, 0.0, 0.0]]);
        assert_eq!(list.entries[2], [1.0, 0.0, 0.0, 7.0], "the second shape, which has the last weight");
        assert_eq!(list.entries[4], [0.0, 0.0, 1.0, 6.0]);
        assert_eq!(list.entries.len(), 8, "the third shape has no weight");
    }

    #[test]
    fn what_has_no_skin_is_carried_whole() {
        let model = model();
        let list = Influences::new(&model, &model.instances[1], &model.meshes[0].primitives[0]);
        assert_eq!(list.entries[0], [0.0, 1.0, 0.0, 0.0]);
        assert!(list.spans.iter().all(|span| span[..2] == [0, 1]));
    }
}
