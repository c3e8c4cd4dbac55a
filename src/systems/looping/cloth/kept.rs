//! From the points that are simulated to the vertices that are kept.

use glam::{DVec3, Vec3};

use super::grid::Grid;
use super::{ClothError, Settings, Shape, Sheet};

/// How points become the vertices that are kept.
pub(super) enum Vertices<'s> {
    /// Each point is one, so much higher.
    Raised { count: usize, top: f64 },
    /// Each vertex of the mesh has its point.
    Sewn { sheet: &'s Sheet<'s>, point_of: Vec<Option<u32>> },
}

/// The cloth at rest, and what is kept of it.
pub(super) fn laid_out<'s>(
    settings: &Settings,
    sheet: Option<&'s Sheet<'s>>,
) -> Result<(Grid, Vertices<'s>), ClothError> {
    match (settings.shape, sheet) {
        (Shape::Mesh, None) => Err(ClothError::NoMesh),
        (Shape::Mesh, Some(sheet)) => {
            let (grid, point_of) = sheet.grid(settings)?;
            Ok((grid, Vertices::Sewn { sheet, point_of }))
        }
        (Shape::Flag | Shape::Strip | Shape::Cape, _) => {
            let grid = Grid::new(settings)?;
            let count = grid.places.len();
            Ok((grid, Vertices::Raised { count, top: settings.top }))
        }
    }
}

impl Vertices<'_> {
    pub fn count(&self) -> usize {
        match self {
            Self::Raised { count, .. } => *count,
            Self::Sewn { point_of, .. } => point_of.len(),
        }
    }

    pub fn write(&self, places: &[DVec3], held: &[bool], positions: &mut Vec<Vec3>) {
        match self {
            Self::Raised { top, .. } => {
                positions.extend(places.iter().map(|place| (place + DVec3::Y * *top).as_vec3()))
            }
            Self::Sewn { sheet, point_of } => {
                positions.extend(sheet.points.iter().zip(point_of).map(|(&rest, point)| {
                    // What is held stays where the file has it, to the last bit.
                    let free = point.map(|point| point as usize).filter(|&point| !held[point]);
                    free.map_or(rest, |point| (places[point] / sheet.metres_per_unit).as_vec3())
                }))
            }
        }
    }

    pub fn pins(&self, held: &[bool]) -> Vec<f32> {
        let pin = |held: bool| f32::from(u8::from(held));
        match self {
            Self::Raised { .. } => held.iter().copied().map(pin).collect(),
            Self::Sewn { point_of, .. } => {
                point_of.iter().map(|point| pin(point.is_some_and(|point| held[point as usize]))).collect()
            }
        }
    }

    /// A vertex at each point.
    pub fn of_points(&self) -> Vec<usize> {
        match self {
            Self::Raised { count, .. } => (0..*count).collect(),
            Self::Sewn { point_of, .. } => {
                let points = point_of.iter().flatten().max().map_or(0, |&last| last as usize + 1);
                let mut vertex_of = vec![0; points];
                point_of.iter().enumerate().filter_map(|(i, point)| Some((i, (*point)?))).for_each(|(i, point)| {
                    vertex_of[point as usize] = i;
                });
                vertex_of
            }
        }
    }

    pub fn metres_per_unit(&self) -> f64 {
        match self {
            Self::Raised { .. } => 1.0,
            Self::Sewn { sheet, .. } => sheet.metres_per_unit,
        }
    }
}
