//! The painting index of a mesh: neighbours and mirrored vertices, and a triangle tree for rays and distances.
//! Building it for a large mesh takes long and runs as a job.

use std::sync::Arc;

use glam::Vec3;

use super::surface::Surface;
use super::tool::{BrushReach, Painting};
use portamento_anim::geometry::Adjacency;
use portamento_anim::geometry::geodesic::{GeodesicSearch, SurfacePoint};
use portamento_anim::geometry::triangle_bvh::{Faces, Hit, TriangleBvh};
use portamento_anim::geometry::weight_paint::{self, BrushMode};
use portamento_anim::media::VertexClip;
use portamento_base::progress::{Cancelled, Progress};

/// The painting index of a mesh.
#[derive(Debug)]
pub(super) struct SurfaceIndex {
    adjacency: Adjacency,
    opposites: Vec<u32>,
    tree: TriangleBvh,
    search: GeodesicSearch,
    posed: Option<Arc<[Vec3]>>,
}

/// A ray hit on the surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceHit {
    /// The hit face and barycentric weights.
    pub hit: Hit,
    /// The hit position, file units.
    pub at: Vec3,
}

impl SurfaceIndex {
    /// Builds the index of `mesh` in its first frame. Returns `Err` if cancelled.
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

    /// Refits the tree to moved vertices. Does nothing if they are the positions of the last call.
    pub fn pose(&mut self, mesh: &VertexClip, positions: &Arc<[Vec3]>) {
        if !self.posed.as_ref().is_some_and(|known| Arc::ptr_eq(known, positions)) {
            self.tree.refit(Faces { positions, indices: &mesh.faces });
            self.posed = Some(positions.clone());
        }
    }

    /// Returns the nearest hit of a ray from `origin` in `direction`, in the unit of the mesh; `None` if it hits no face.
    /// `direction` need not be normalised.
    pub fn hit(&self, faces: Faces, origin: Vec3, direction: Vec3) -> Option<SurfaceHit> {
        let hit = self.tree.hit(faces, origin, direction)?;
        Some(SurfaceHit { hit, at: origin + direction * hit.distance })
    }

    /// Applies one dab at `center` to `weights`, mirrored at x = 0 if the tool mirrors. `faces` must be those of the last
    /// [`SurfaceIndex::pose`].
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
