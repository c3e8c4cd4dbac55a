//! From the points that are simulated to the vertices that are written.

use glam::{DVec3, Vec3};

use super::body::ClothBody;
use super::{BuildError, ClothMesh, ClothShape, Settings};

/// How points become vertices.
pub(super) enum Vertices<'s> {
    /// Each point is one, so much higher.
    Shape { count: usize, top: f64 },
    /// Each vertex of the mesh has its point.
    Mesh { mesh: &'s ClothMesh<'s>, point_of: Vec<Option<u32>> },
}

/// The cloth at rest, and how its points become vertices.
pub(super) fn lay_out<'s>(
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
    pub fn count(&self) -> usize {
        match self {
            Self::Shape { count, .. } => *count,
            Self::Mesh { point_of, .. } => point_of.len(),
        }
    }

    pub fn write(&self, points: &[DVec3], held: &[bool], positions: &mut Vec<Vec3>) {
        match self {
            Self::Shape { top, .. } => positions.extend(points.iter().map(|place| (place + DVec3::Y * *top).as_vec3())),
            Self::Mesh { mesh, point_of } => {
                positions.extend(mesh.points.iter().zip(point_of).map(|(&rest, point)| {
                    // What is held stays where the file has it, to the last bit.
                    let free = point.map(|point| point as usize).filter(|&point| !held[point]);
                    free.map_or(rest, |point| (points[point] / mesh.metres_per_unit).as_vec3())
                }))
            }
        }
    }

    pub fn pins(&self, held: &[bool]) -> Vec<f32> {
        let pin = |held: bool| f32::from(u8::from(held));
        match self {
            Self::Shape { .. } => held.iter().copied().map(pin).collect(),
            Self::Mesh { point_of, .. } => {
                point_of.iter().map(|point| pin(point.is_some_and(|point| held[point as usize]))).collect()
            }
        }
    }
}
