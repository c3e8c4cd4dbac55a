//! The pose table: joint matrices and morph weights of all figures of a picture, in one texture.

use glam::Affine3A;
use three_d::core::{Context, Texture2D};

use crate::gpu::table;
use crate::scene::Actor;
use portamento_anim::Model;

/// Texels per matrix: its three rows.
const ROWS: usize = 3;
/// Morph weights per texel.
const WEIGHTS: usize = 4;

/// The layout of one figure's numbers: matrices, then morph weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PoseLayout {
    /// The skins and joints whose matrices are stored, in order.
    carriers: Vec<Carrier>,
    /// The first texel of the matrices of each mesh instance.
    pub matrices: Vec<usize>,
    /// The first texel of the morph weights.
    pub weights: usize,
    /// Number of texels.
    pub count: usize,
}

/// The skin or joint that moves a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Carrier {
    Skin(usize),
    Joint(usize),
}

/// The pose table of one picture.
#[derive(Default)]
pub(super) struct PoseTable {
    numbers: Vec<[f32; 4]>,
    table: Option<Texture2D>,
}

impl PoseLayout {
    /// Creates the layout of figures of `model`. A skin or joint that moves several meshes is stored once.
    pub fn new(model: &Model) -> Self {
        let mut layout = Self::default();
        let mut starts = Vec::new();
        for instance in &model.instances {
            let carrier = instance.skin.map_or(Carrier::Joint(instance.joint), Carrier::Skin);
            let known = layout.carriers.iter().position(|each| *each == carrier);
            let at = known.unwrap_or_else(|| {
                starts.push(layout.weights);
                layout.weights += ROWS * matrix_count(model, carrier.skin());
                layout.carriers.push(carrier);
                layout.carriers.len() - 1
            });
            layout.matrices.push(starts[at]);
        }
        layout.count = layout.weights + model.skeleton.rest_morphs.len().div_ceil(WEIGHTS);
        layout
    }

    /// Appends the matrices and morph weights of `actor` in this layout. Missing weights are 0.
    fn write(&self, actor: &Actor, numbers: &mut Vec<[f32; 4]>) {
        let (model, first) = (&actor.shape.0, numbers.len());
        for carrier in &self.carriers {
            match *carrier {
                Carrier::Joint(joint) => numbers.extend(rows(actor.world[joint])),
                Carrier::Skin(skin) => {
                    let skin = &model.skins[skin];
                    let bound = skin.joints.iter().zip(&skin.inverse_bind);
                    numbers.extend(bound.flat_map(|(&joint, &inverse)| rows(actor.world[joint] * inverse)));
                }
            }
        }
        let weight = |index: usize| actor.morphs.get(index).copied().unwrap_or_default();
        let four = |texel: usize| std::array::from_fn(|each| weight(WEIGHTS * texel + each));
        numbers.extend((0..self.count - self.weights).map(four));
        assert_eq!(numbers.len() - first, self.count);
    }
}

impl Carrier {
    /// Returns the skin's index, or `None` for a joint.
    fn skin(self) -> Option<usize> {
        match self {
            Self::Skin(skin) => Some(skin),
            Self::Joint(_) => None,
        }
    }
}

impl PoseTable {
    /// Removes the numbers of the last picture. The uploaded table stays.
    pub fn clear(&mut self) {
        self.numbers.clear();
    }

    /// Appends `actor`. Returns its first texel, or `None` if the table is full.
    pub fn add(&mut self, layout: &PoseLayout, actor: &Actor) -> Option<usize> {
        let first = self.numbers.len();
        table::has_room(first + layout.count).then(|| layout.write(actor, &mut self.numbers))?;
        Some(first)
    }

    /// Uploads the table; does nothing if no actor was added.
    pub fn send(&mut self, context: &Context) {
        if !self.numbers.is_empty() {
            self.table = Some(table::filled(context, self.table.take(), &mut self.numbers));
        }
    }

    /// Returns the uploaded table, or `None` before the first upload.
    pub fn table(&self) -> Option<&Texture2D> {
        self.table.as_ref()
    }
}

/// Returns the number of matrices of a mesh with the skin of index `skin`; 1 without a skin.
pub(super) fn matrix_count(model: &Model, skin: Option<usize>) -> usize {
    skin.map_or(1, |skin| model.skins[skin].joints.len().min(model.skins[skin].inverse_bind.len()))
}

/// Returns the three rows of a matrix, each with its part of the translation last.
fn rows(matrix: Affine3A) -> [[f32; 4]; ROWS] {
    let axes = matrix.matrix3;
    [0, 1, 2].map(|row| [axes.x_axis[row], axes.y_axis[row], axes.z_axis[row], matrix.translation[row]])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{Quat, Vec3};

    use super::*;
    use crate::DrawnModel;
    use portamento_anim::Skeleton;
    use portamento_anim::geometry::{MeshInstance, Skin};

    /// Two meshes of one skin, and one on a separate joint.
    fn actor() -> Actor {
        let placed = |joint: usize, skin: Option<usize>| MeshInstance { joint, mesh: 0, skin };
        let skin = Skin { joints: vec![1, 0], inverse_bind: vec![Affine3A::from_translation(Vec3::X); 2] };
        let model = Model {
            skeleton: Skeleton { joints: Vec::new(), rest_morphs: vec![0.0; 5] },
            skins: vec![skin],
            instances: vec![placed(0, Some(0)), placed(1, None), placed(1, Some(0))],
            ..Model::default()
        };
        let turn = Affine3A::from_rotation_translation(Quat::from_rotation_z(std::f32::consts::FRAC_PI_2), Vec3::Z);
        Actor {
            shape: Arc::new(DrawnModel(model)),
            world: vec![Affine3A::IDENTITY, turn],
            morphs: vec![0.1, 0.2, 0.3, 0.4, 0.5],
            cloud: None,
            hidden: Vec::new(),
            has_shadow: true,
            fades_in_front: false,
            ghost: None,
        }
    }

    #[test]
    fn a_figure_is_stored_as_skin_matrices_joint_matrices_and_weights() {
        let actor = actor();
        let layout = PoseLayout::new(&actor.shape.0);
        assert_eq!((&layout.matrices[..], layout.weights, layout.count), (&[0, 6, 0][..], 9, 11));
        let mut poses = PoseTable::default();
        assert_eq!([poses.add(&layout, &actor), poses.add(&layout, &actor)], [Some(0), Some(11)]);
        let carried = |texel: usize| {
            let row = |row: usize| glam::Vec4::from(poses.numbers[texel + row]).dot(Vec3::Y.extend(1.0));
            Vec3::new(row(0), row(1), row(2))
        };
        // Bound a metre to the right, then turned to the left and moved ahead.
        assert!(carried(0).abs_diff_eq(Vec3::new(-1.0, 1.0, 1.0), 1e-6), "{}", carried(0));
        assert!(carried(14).abs_diff_eq(Vec3::new(1.0, 1.0, 0.0), 1e-6), "{}", carried(14));
        assert!(carried(6).abs_diff_eq(Vec3::new(-1.0, 0.0, 1.0), 1e-6), "{}", carried(6));
        assert_eq!(poses.numbers[20..], [[0.1, 0.2, 0.3, 0.4], [0.5, 0.0, 0.0, 0.0]]);
    }

    #[test]
    fn a_figure_that_does_not_fit_the_table_is_skinned_on_the_cpu() {
        let actor = actor();
        let layout = PoseLayout { count: 1 << 30, ..PoseLayout::new(&actor.shape.0) };
        assert_eq!(PoseTable::default().add(&layout, &actor), None);
    }
}
