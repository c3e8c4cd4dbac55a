//! Conversion of simulated points to the vertices of the clip.

use glam::{DVec3, Vec3};

use super::body::ClothBody;
use super::{BuildError, ClothMesh, ClothShape, Settings};

/// Relation between points and vertices.
pub(super) enum Vertices<'s> {
    /// Each point is a vertex, raised by `top` metres.
    Shape { count: usize, top: f64 },
    /// Each vertex of the mesh has a point, or `None` if no face uses it.
    Mesh { mesh: &'s ClothMesh<'s>, point_of: Vec<Option<u32>> },
}

/// Creates the cloth at rest and the relation of its points to vertices. Returns `Err` if a mesh is wanted and `mesh` is
/// `None`, or if the cloth cannot be created.
pub(super) fn body_and_vertices<'s>(
    settings: &Settings,
    mesh: Option<&'s ClothMesh<'s>>,
) -> Result<(ClothBody, Vertices<'s>), BuildError> {
    match (settings.shape, mesh) {
        (ClothShape::Mesh, None) => Err(BuildError::NoMesh),
        (ClothShape::Mesh, Some(mesh)) => {
            let (body, point_of) = mesh.body(settings)?;
            Ok((body, Vertices::Mesh { mesh, point_of }))
        }
        (ClothShape::Flag | ClothShape::Strip | ClothShape::Cape, _) => {
            let body = ClothBody::new(settings)?;
            let count = body.points.len();
            Ok((body, Vertices::Shape { count, top: settings.top }))
        }
    }
}

impl Vertices<'_> {
    /// Returns the number of vertices.
    pub fn count(&self) -> usize {
        match self {
            Self::Shape { count, .. } => *count,
            Self::Mesh { point_of, .. } => point_of.len(),
        }
    }

    /// Appends the vertices of a frame to `positions`: those of a shape in metres, those of a mesh in its unit.
    pub fn write(&self, points: &[DVec3], pinned: &[bool], positions: &mut Vec<Vec3>) {
        match self {
            Self::Shape { top, .. } => positions.extend(points.iter().map(|point| (point + DVec3::Y * *top).as_vec3())),
            Self::Mesh { mesh, point_of } => {
                positions.extend(mesh.points.iter().zip(point_of).map(|(&rest, point)| {
                    // Pinned vertices keep exactly the position of the file.
                    let free = point.map(|point| point as usize).filter(|&point| !pinned[point]);
                    free.map_or(rest, |point| (points[point] / mesh.metres_per_unit).as_vec3())
                }))
            }
        }
    }

    /// Returns 1 for each pinned vertex and 0 for the others.
    pub fn pins(&self, pinned: &[bool]) -> Vec<f32> {
        let pin = |pinned: bool| f32::from(u8::from(pinned));
        match self {
            Self::Shape { .. } => pinned.iter().copied().map(pin).collect(),
            Self::Mesh { point_of, .. } => {
                point_of.iter().map(|point| pin(point.is_some_and(|point| pinned[point as usize]))).collect()
            }
        }
    }
}
