//! Vertex attributes of a mesh that can be converted to weights: colours and texture coordinates.

use glam::Vec3;

use super::Canvas;
use super::surface::Surface;
use portamento_anim::Model;
use portamento_anim::geometry::{Primitive, weight_paint};

/// A number per vertex of a mesh file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexAttribute {
    /// A vertex colour channel: 0 red … 3 alpha.
    Channel(usize),
    /// The brightness of the vertex colour.
    Brightness,
    /// A texture coordinate: 0 is U from left to right, 1 is V from top to bottom.
    Coordinate(usize),
}

impl VertexAttribute {
    /// Every attribute, in menu order.
    pub const ALL: [Self; 7] = [
        Self::Channel(0),
        Self::Channel(1),
        Self::Channel(2),
        Self::Channel(3),
        Self::Brightness,
        Self::Coordinate(0),
        Self::Coordinate(1),
    ];

    /// Returns the suffix of its translation key.
    pub fn key(self) -> &'static str {
        match self {
            Self::Channel(0) => "red",
            Self::Channel(1) => "green",
            Self::Channel(2) => "blue",
            Self::Channel(_) => "alpha",
            Self::Brightness => "brightness",
            Self::Coordinate(0) => "u",
            Self::Coordinate(_) => "v",
        }
    }

    /// True if any part of `model` has the attribute.
    pub fn is_in(self, model: &Model) -> bool {
        model.placed_primitives().any(|(_, part)| match self {
            Self::Channel(_) | Self::Brightness => !part.colors.is_empty(),
            Self::Coordinate(_) => !part.uvs.is_empty(),
        })
    }

    /// Returns weights for the vertices of `model`, in the order of [`Model::placed_primitives`]. Colours are used
    /// unchanged; coordinates are normalised to 0…1. Parts without colours are white, parts without coordinates get
    /// 0.
    pub fn weights(self, model: &Model) -> Vec<f32> {
        let parts = || model.placed_primitives().map(|(_, part)| part);
        let mut weights = vec![0.0; parts().map(|part| part.positions.len()).sum()];
        match self {
            Self::Channel(channel) => {
                weight_paint::from_colours(&mut weights, &parts().flat_map(colours).collect::<Vec<_>>(), channel)
            }
            Self::Brightness => {
                weight_paint::from_brightness(&mut weights, &parts().flat_map(colours).collect::<Vec<_>>())
            }
            Self::Coordinate(axis) => {
                let known = parts().flat_map(|part| &part.uvs).map(|uv| uv.to_array()[axis.min(1)]);
                let least = known.filter(|value| value.is_finite()).fold(f32::INFINITY, f32::min);
                let points: Vec<Vec3> = parts().flat_map(|part| coordinates(part, axis.min(1), least)).collect();
                weight_paint::gradient_along(&mut weights, &points, Vec3::X);
            }
        }
        weights
    }
}

impl<'a> Canvas<'a> {
    /// Returns the attributes available for [`super::WeightOp::VertexAttribute`].
    pub fn vertex_attributes(self) -> Vec<VertexAttribute> {
        let Some(Surface::Mesh(mesh)) = self.surface() else { return Vec::new() };
        let built = self.frame.and_then(|frame| frame.built.as_ref());
        let Some(model) = built.map(|built| &built.character.model) else { return Vec::new() };
        let fits = model.placed_primitives().map(|(_, part)| part.positions.len()).sum::<usize>() == mesh.vertices;
        VertexAttribute::ALL.into_iter().filter(|attribute| fits && attribute.is_in(model)).collect()
    }

    /// Returns the weights of `attribute`; `None` if the shown mesh does not have it.
    pub(super) fn vertex_attribute(self, attribute: VertexAttribute) -> Option<Vec<f32>> {
        let built = self.frame?.built.as_ref()?;
        self.vertex_attributes().contains(&attribute).then(|| attribute.weights(&built.character.model))
    }
}

/// Returns the colour of each vertex of `part`; white if it has none.
fn colours(part: &Primitive) -> impl Iterator<Item = [f32; 4]> + '_ {
    (0..part.positions.len()).map(|vertex| part.colors.get(vertex).copied().unwrap_or([1.0; 4]))
}

/// Returns the texture coordinate `axis` of each vertex of `part` as x; `least` if it has none.
fn coordinates(part: &Primitive, axis: usize, least: f32) -> impl Iterator<Item = Vec3> + '_ {
    let at = move |vertex: usize| part.uvs.get(vertex).map(|uv| uv.to_array()[axis]).filter(|value| value.is_finite());
    (0..part.positions.len()).map(move |vertex| Vec3::X * at(vertex).unwrap_or(least))
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::Session;
    use crate::looping::cloth::shown_cloth;
    use crate::painting::WeightOp;
    use crate::{Command, EditCommand, FileCommand, Shown};
    use portamento_anim::geometry::{Mesh, MeshInstance};
    use portamento_dynamics::cloth::ClothShape;

    /// One part with colours and coordinates, one with neither.
    fn model() -> Model {
        let known = Primitive {
            positions: vec![Vec3::ZERO; 3],
            colors: vec![[0.0, 0.5, 2.0, 0.25], [1.0, 0.5, f32::NAN, 0.5], [0.0, 0.0, 0.0, 1.0]],
            uvs: vec![Vec2::new(-1.0, 7.0), Vec2::new(1.0, 9.0), Vec2::new(0.0, 7.5)],
            ..Primitive::default()
        };
        let plain = Primitive { positions: vec![Vec3::ZERO; 2], ..Primitive::default() };
        let meshes = vec![Mesh { name: "leaf".into(), primitives: vec![known, plain], ..Mesh::default() }];
        Model { meshes, instances: vec![MeshInstance { joint: 0, mesh: 0, skin: None }], ..Model::default() }
    }

    #[test]
    fn colours_are_used_unchanged_and_coordinates_are_normalised() {
        let model = model();
        assert!(VertexAttribute::ALL.iter().all(|attribute| attribute.is_in(&model)));
        let weights = |attribute: VertexAttribute| attribute.weights(&model);
        assert_eq!(weights(VertexAttribute::Channel(0)), [0.0, 1.0, 0.0, 1.0, 1.0]);
        assert_eq!(weights(VertexAttribute::Channel(2)), [1.0, 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(weights(VertexAttribute::Channel(3)), [0.25, 0.5, 1.0, 1.0, 1.0]);
        assert_eq!(weights(VertexAttribute::Coordinate(0)), [0.0, 1.0, 0.5, 0.0, 0.0]);
        assert_eq!(weights(VertexAttribute::Coordinate(1)), [0.0, 1.0, 0.25, 0.0, 0.0]);
        let bright = weights(VertexAttribute::Brightness);
        assert!((bright[0] - 0.502).abs() < 1e-6 && bright[2] == 0.0 && (bright[4] - 1.0).abs() < 1e-6, "{bright:?}");
    }

    #[test]
    fn a_mesh_without_attributes_offers_none() {
        let mut model = model();
        model.meshes[0].primitives.remove(0);
        assert!(!VertexAttribute::ALL.iter().any(|attribute| attribute.is_in(&model)));
        assert_eq!(VertexAttribute::Coordinate(0).weights(&model), [0.0, 0.0]);
    }

    #[test]
    fn cloth_has_no_vertex_attributes() {
        let mut session = shown_cloth(ClothShape::Flag);
        session.update(0.0, true);
        let surface = session.canvas().surface().unwrap();
        assert!(session.canvas().vertex_attributes().is_empty());
        session.easel().apply(WeightOp::VertexAttribute(VertexAttribute::Brightness));
        assert_eq!(session.canvas().weights(surface.units()).unwrap(), vec![0.5; surface.units()]);
    }

    /// Opens the model at `path` and loops the vertices of its first clip.
    fn vertices_of(path: std::path::PathBuf) -> (Session, Model) {
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![path])));
        session.update(0.0, true);
        let file = session.document.files[0].id;
        let model = session.library.get(file).unwrap().model.clone();
        session.selection.shown = Shown::Clip { character: file, file, clip: model.clips[0].name.clone() };
        session.perform(Command::Edit(EditCommand::AddVertices));
        session.update(0.0, true);
        (session, model)
    }

    #[test]
    fn colours_of_the_vertices_become_weights_where_there_are_any() {
        let (mut session, model) = vertices_of(portamento_test_support::asset("hero.glb"));
        let units = session.canvas().surface().unwrap().units();
        assert_eq!(session.canvas().vertex_attributes(), VertexAttribute::ALL[..5]);
        session.easel().apply(WeightOp::VertexAttribute(VertexAttribute::Channel(0)));
        session.update(0.0, true);
        let parts = model.placed_primitives().flat_map(|(_, part)| &part.colors);
        let red: Vec<f32> = parts.map(|colour| colour[0]).collect();
        assert_eq!(session.canvas().weights(units).unwrap(), red);
        assert!(red.iter().any(|&value| value != red[0]));
        session.easel().apply(WeightOp::VertexAttribute(VertexAttribute::Coordinate(0)));
        assert_eq!(session.canvas().weights(units).unwrap(), red);
        session.perform(Command::Edit(EditCommand::Undo));
        assert_eq!(session.canvas().weights(units).unwrap(), vec![0.5; units]);
    }

    #[test]
    fn texture_coordinates_become_weights_from_0_to_1() {
        let Some(fox) = portamento_test_support::corpus("characters/fox.glb") else { return };
        let (mut session, model) = vertices_of(fox);
        let units = session.canvas().surface().unwrap().units();
        for (axis, attribute) in
            [VertexAttribute::Coordinate(0), VertexAttribute::Coordinate(1)].into_iter().enumerate()
        {
            assert!(session.canvas().vertex_attributes().contains(&attribute));
            session.easel().apply(WeightOp::VertexAttribute(attribute));
            let weights = session.canvas().weights(units).unwrap();
            assert!(weights.contains(&0.0) && weights.contains(&1.0));
            let uvs: Vec<f32> =
                model.placed_primitives().flat_map(|(_, primitive)| &primitive.uvs).map(|uv| uv[axis]).collect();
            let (low, high) =
                uvs.iter().fold((f32::MAX, f32::MIN), |(low, high), &value| (low.min(value), high.max(value)));
            assert!(uvs.iter().zip(&weights).all(|(uv, weight)| (low + (high - low) * weight - uv).abs() < 1e-5));
        }
    }
}
