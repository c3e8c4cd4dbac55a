//! The triangles of a level, prepared for rays.

use glam::{DVec2, DVec3};

use portamento_anim::geometry::triangle_bvh::Faces;
use portamento_anim::geometry::{Level, TriangleBvh};

/// Horizontal direction as a vector in space.
pub(super) fn level_vector(direction: DVec2) -> DVec3 {
    DVec3::new(direction.x, 0.0, direction.y)
}

/// A level with a tree for rays.
pub(super) struct Surface<'a> {
    pub level: &'a Level,
    indices: Vec<u32>,
    tree: TriangleBvh,
    /// Unit normal of each face, zero for a face without an area.
    normals: Vec<DVec3>,
    /// Smallest vertical part of the normal of a walkable face.
    min_walkable_y: f64,
}

/// The first face along a ray.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceHit {
    /// Distance from the start of the ray, metres.
    pub distance: f64,
    /// True if the face is no steeper than the slope limit and looks up.
    pub is_walkable: bool,
    /// Cosine between the ray and the normal of the face, negative on its outside.
    pub cosine: f64,
}

impl SurfaceHit {
    /// True if the ray meets the outside of the face.
    pub fn is_outside(&self) -> bool {
        self.cosine < 0.0
    }
}

impl<'a> Surface<'a> {
    /// Prepares `level`. Faces up to `slope_limit` degrees are walkable.
    pub fn new(level: &'a Level, slope_limit: f64) -> Self {
        let indices: Vec<u32> = level.triangles.iter().flat_map(|face| face.corners).collect();
        let tree = TriangleBvh::build(Faces { positions: &level.points, indices: &indices });
        let normal = |corners: [glam::Vec3; 3]| {
            let [a, b, c] = corners.map(|corner| corner.as_dvec3());
            (b - a).cross(c - a).normalize_or_zero()
        };
        let normals = level.triangles.iter().map(|face| level.corners(face).map_or(DVec3::ZERO, normal)).collect();
        // A face exactly at the limit is walkable, whatever its rounding.
        let min_walkable_y = slope_limit.to_radians().cos() - 1e-6;
        Self { level, indices, tree, normals, min_walkable_y }
    }

    /// True if a character can stand on `face`.
    pub fn is_walkable(&self, face: usize) -> bool {
        self.normals[face].y >= self.min_walkable_y
    }

    /// Returns the first face from `from` in the unit direction `direction`.
    pub fn cast(&self, from: DVec3, direction: DVec3) -> Option<SurfaceHit> {
        let faces = Faces { positions: &self.level.points, indices: &self.indices };
        let hit = self.tree.hit(faces, from.as_vec3(), direction.as_vec3())?;
        let cosine = self.normals[hit.face].dot(direction);
        Some(SurfaceHit { distance: f64::from(hit.distance), is_walkable: self.is_walkable(hit.face), cosine })
    }

    /// Returns the free distance from `from` in the unit direction `direction`, at most `most` metres.
    pub fn free(&self, from: DVec3, direction: DVec3, most: f64) -> f64 {
        self.cast(from, direction).map_or(most, |hit| hit.distance.min(most))
    }
}
