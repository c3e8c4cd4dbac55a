//! What the brush needs to know of a mesh before it can paint: what lies beside and opposite each vertex, and a tree of boxes
//! for rays and distances. Takes long on large meshes, so it is made in a job.

use std::sync::Arc;

use glam::Vec3;

use super::surface::Surface;
use super::tool::{BrushReach, Painting};
use crate::geometry::Adjacency;
use crate::geometry::geodesic::{GeodesicSearch, SurfacePoint};
use crate::geometry::triangle_bvh::{Faces, Hit, TriangleBvh};
use crate::geometry::weight_paint::{self, BrushMode};
use crate::media::VertexClip;
use crate::progress::{Cancelled, Progress};

/// A mesh made ready for the brush.
#[derive(Debug)]
pub(super) struct SurfaceIndex {
    adjacency: Adjacency,
    opposites: Vec<u32>,
    tree: TriangleBvh,
    search: GeodesicSearch,
    posed: Option<Arc<[Vec3]>>,
}

/// Where a ray meets the surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceHit {
    /// The face and the shares of its corners.
    pub hit: Hit,
    /// The place, in the file's unit.
    pub at: Vec3,
}

impl SurfaceIndex {
    /// The index of `mesh` as it is in its first frame.
    pub fn build(mesh: &Arc<VertexClip>, progress: &Progress) -> Result<Self, Cancelled> {
        let surface = Surface::Mesh(mesh.clone());
        progress.step(0, 3)?;
        let adjacency = surface.adjacency();
        progress.step(1, 3)?;
        let opposites = surface.opposites();
        progress.step(2, 3)?;
        let tree = TriangleBvh::build(Faces { positions: mesh.frame(0), indices: &mesh.faces });
        progress.step(3, 3)?;
        Ok(Self { adjacency, opposites, tree, search: GeodesicSearch::default(), posed: None })
    }

    /// Adapts the boxes to vertices that have moved.
    pub fn pose(&mut self, mesh: &VertexClip, positions: &Arc<[Vec3]>) {
        if !self.posed.as_ref().is_some_and(|known| Arc::ptr_eq(known, positions)) {
            self.tree.refit(Faces { positions, indices: &mesh.faces });
            self.posed = Some(positions.clone());
        }
    }

    /// The nearest place of the surface from `origin` in `direction`.
    pub fn hit(&self, faces: Faces, origin: Vec3, direction: Vec3) -> Option<SurfaceHit> {
        let hit = self.tree.hit(faces, origin, direction)?;
        Some(SurfaceHit { hit, at: origin + direction * hit.distance })
    }

    /// One dab at `center` on `weights`, and on the other side of x = 0 where the tool mirrors.
    pub fn dab(
        &mut self,
        weights: &mut [f32],
        faces: Faces,
        center: SurfaceHit,
        painting: &Painting,
        stroke: BrushMode,
    ) {
        let radius = painting.brush.radius;
        let reached = match painting.reach {
            BrushReach::Volume => self.tree.points_near(faces, center.at, radius),
            BrushReach::Surface => {
                let from = SurfacePoint { face: center.hit.face, at: center.at };
                self.search.around(faces, &self.adjacency, from, radius)
            }
        };
        weight_paint::dab(weights, &reached, &painting.brush, stroke, &self.adjacency);
        if painting.mirrors {
            let across = weight_paint::mirrored_dab(&reached, &self.opposites, faces.positions, &self.adjacency);
            weight_paint::dab(weights, &across, &painting.brush, stroke, &self.adjacency);
        }
    }
}
