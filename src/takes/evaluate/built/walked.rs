//! A walk as far as it could be built: the voxelized level, the routes across it, the character on one of them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use glam::DVec3;

use super::LevelGraph;
use crate::document::{Asset, Loaded, ObstacleBox};
use crate::evaluate::TakeError;
use portamento_anim::geometry::triangle_bvh::{Faces, TriangleBvh};
use portamento_anim::geometry::{Level, UpAxis};
use portamento_anim::math::Bounds;
use portamento_base::message::Message;
use portamento_base::progress::{Cancelled, Progress};
use portamento_walk::crossing::Fitted;
use portamento_walk::locomotion;
use portamento_walk::navigation::edges::{Edge, edges};
use portamento_walk::navigation::links::Link;
use portamento_walk::navigation::voxels::{VoxelMap, VoxelSettings, voxelise};
use portamento_walk::navigation::{RouteSet, RouteVariant};

/// A walk as far as it could be built.
#[derive(Clone, Debug)]
pub struct Walked {
    /// The level, shared with other walks over the same file.
    pub ground: Arc<LevelGround>,
    /// The ground as a search graph, shared with other walks that cross the same; `None` if it could not be built.
    pub graph: Option<Arc<LevelGraph>>,
    /// The routes between the stops; `None` if there is none.
    pub routes: Option<Arc<LevelRoutes>>,
    /// The walking character; `None` if it cannot walk.
    pub walk: Option<Arc<locomotion::Walk>>,
    /// The reason for a missing part.
    pub missing: Option<TakeError>,
}

/// A level prepared for walking.
#[derive(Debug)]
pub struct LevelGround {
    /// The level for drawing.
    pub scenery: Scenery,
    /// The triangles, in metres, Y up.
    pub level: Level,
    /// Three indices per triangle of `level`.
    pub indices: Vec<u32>,
    /// A bounding volume hierarchy of the triangles, for picking.
    pub tree: TriangleBvh,
    /// The voxels, with the reason why a voxel is not walkable.
    pub map: VoxelMap,
    /// The edges that can be crossed, once they were needed.
    edges: OnceLock<Vec<Edge>>,
}

/// A level for drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenery {
    /// The file of the level, as imported.
    pub file: Asset<Loaded>,
    /// The up axis of the file.
    pub up: UpAxis,
    /// Metres per unit of the file.
    pub metres_per_unit: f64,
}

/// Distance of a box from the level up to which it is part of the ground, metres. One farther away belongs to another level.
const BOX_MAX_DISTANCE_M: f64 = 10.0;

/// Offset behind a hit face at which the ray continues, metres.
const RAY_OFFSET_M: f64 = 1e-3;

impl LevelGround {
    /// Voxelizes `scenery` with boxes on it, each with the centre of its base in metres. Boxes farther than [`BOX_MAX_DISTANCE_M`] from
    /// the level are left out. Returns `Err` if the level or the settings are invalid, or on a cancel.
    pub fn voxelised(
        scenery: Scenery,
        boxes: &[(DVec3, ObstacleBox)],
        voxels: &VoxelSettings,
        progress: &Progress,
    ) -> Result<Self, TakeError> {
        let mut level = scenery.file.to_level().placed(scenery.metres_per_unit, scenery.up);
        let bounds = level.bounds();
        let distance = |base: DVec3| {
            let nearest = bounds.map(|Bounds { low, high }| base.clamp(low.as_dvec3(), high.as_dvec3()));
            nearest.map_or(f64::INFINITY, |nearest| nearest.distance(base))
        };
        let near = boxes.iter().filter(|(base, _)| distance(*base) <= BOX_MAX_DISTANCE_M);
        near.for_each(|(base, shape)| shape.add_to(*base, &mut level));
        let map = voxelise(&level, voxels, progress)?;
        let indices: Vec<u32> = level.triangles.iter().flat_map(|triangle| triangle.corners).collect();
        let tree = TriangleBvh::build(Faces { positions: &level.points, indices: &indices });
        Ok(Self { scenery, level, indices, tree, map, edges: OnceLock::new() })
    }

    /// Returns the edges of the level, found at the first call. Returns `Err` on a cancel.
    pub fn edges(&self, progress: &Progress) -> Result<&[Edge], Cancelled> {
        if let Some(known) = self.edges.get() {
            return Ok(known);
        }
        let found = edges(&self.level, &self.map, progress)?;
        Ok(self.edges.get_or_init(|| found))
    }

    /// Returns the edges of the level if they were found already.
    pub fn known_edges(&self) -> Option<&[Edge]> {
        self.edges.get().map(Vec::as_slice)
    }

    /// Returns the size of its triangles, voxels, cells and links, in bytes.
    pub fn bytes(&self) -> usize {
        let triangles = size_of_val(&self.level.points[..]) + size_of_val(&self.indices[..]);
        let ground = &self.map.ground;
        let cells = size_of_val(&ground.cells[..]) + size_of_val(&ground.links[..]);
        triangles + size_of_val(&self.map.spans[..]) + cells
    }

    /// Returns the first point where a ray hits the front of a face, metres. `None` if it hits none. `direction` is of
    /// length 1.
    pub fn hit(&self, origin: DVec3, direction: DVec3) -> Option<DVec3> {
        let faces = Faces { positions: &self.level.points, indices: &self.indices };
        let mut from = origin;
        loop {
            let hit = self.tree.hit(faces, from.as_vec3(), direction.as_vec3())?;
            let at = from + direction * f64::from(hit.distance);
            let [a, b, c] = faces.corners(hit.face)?;
            if (b - a).cross(c - a).dot(direction.as_vec3()) < 0.0 {
                return Some(at);
            }
            // Back faces, such as ceilings seen from above, are transparent: the ray continues behind them.
            let past = at + direction * RAY_OFFSET_M.max(f64::from(hit.distance) * 1e-6);
            from = past;
        }
    }

    /// Returns the height of the first triangle at most 0.5 m above or below `position`, metres. `None` if there is none.
    /// Faces seen from below do not count.
    pub fn height(&self, position: DVec3) -> Option<f64> {
        let hit = self.hit(position + DVec3::Y * 0.5, DVec3::NEG_Y)?;
        Some(hit.y).filter(|height| position.y - height <= 0.5)
    }
}

/// A clip of the character, fitted to a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkFit {
    /// Name of the clip.
    pub clip: String,
    /// The fitted clip.
    pub fitted: Arc<Fitted>,
}

/// The routes of several seeds across a level.
#[derive(Clone, Debug)]
pub struct LevelRoutes {
    /// The compared routes.
    pub compared: RouteSet,
    /// Routes of seeds outside the compared range: the walked route and pinned routes.
    pub additional: Vec<RouteVariant>,
    /// The nearest ground to each stop, metres.
    pub stops: Vec<DVec3>,
    /// The links that routes may use; none without crossings.
    pub links: Arc<[Link]>,
    /// The character's clips on the links of the routes, by the index of the link; none if no character crosses.
    pub fits: BTreeMap<u32, LinkFit>,
    /// Notices for the user.
    pub notices: Vec<Message>,
}

impl LevelRoutes {
    /// Returns the route of this seed, if it was built.
    pub fn of_seed(&self, seed: u64) -> Option<&RouteVariant> {
        self.variants().find(|variant| variant.seed == seed)
    }

    /// Returns all routes: the compared ones, then the additional ones.
    pub fn variants(&self) -> impl Iterator<Item = &RouteVariant> {
        self.compared.variants.iter().chain(&self.additional)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    /// Returns a floor of 6 × 6 m at height 0, half covered by a ceiling at 2 m whose faces point down.
    fn cellar() -> LevelGround {
        let corners = |x: f32, y: f32| {
            [Vec3::new(0.0, y, 0.0), Vec3::new(0.0, y, 6.0), Vec3::new(x, y, 6.0), Vec3::new(x, y, 0.0)]
        };
        let points = [corners(6.0, 0.0), corners(3.0, 2.0)].concat();
        let level = Level::of_mesh("cellar", points, [[0, 1, 2], [0, 2, 3], [4, 6, 5], [4, 7, 6]]);
        let file = Asset::new(Loaded { level: Some(Arc::new(level)), ..Loaded::default() });
        let scenery = Scenery { file, up: UpAxis::Y, metres_per_unit: 1.0 };
        LevelGround::voxelised(scenery, &[], &VoxelSettings::default(), &Progress::new()).unwrap()
    }

    #[test]
    fn a_ray_passes_the_back_of_a_face_and_stops_at_its_front() {
        let ground = cellar();
        let height = |x: f64, from: f64, direction: DVec3| Some(ground.hit(DVec3::new(x, from, 3.0), direction)?.y);
        assert!(height(1.5, 5.0, DVec3::NEG_Y).is_some_and(|y| y.abs() < 1e-5));
        assert!(height(1.5, 1.0, DVec3::Y).is_some_and(|y| (y - 2.0).abs() < 1e-5));
        assert!(height(1.5, -1.0, DVec3::Y).is_some_and(|y| (y - 2.0).abs() < 1e-5));
        assert_eq!(height(4.5, 1.0, DVec3::Y), None);
        assert_eq!(height(9.0, 5.0, DVec3::NEG_Y), None);
        let slanting = ground.hit(DVec3::new(1.5, 3.0, 3.0), DVec3::new(0.6, -0.8, 0.0)).unwrap();
        assert!(slanting.abs_diff_eq(DVec3::new(3.75, 0.0, 3.0), 1e-4), "{slanting}");
    }

    #[test]
    fn a_box_on_the_ground_is_ground_and_one_far_away_is_left_out() {
        let scenery = cellar().scenery;
        let with = |boxes: &[(DVec3, ObstacleBox)]| {
            LevelGround::voxelised(scenery.clone(), boxes, &VoxelSettings::default(), &Progress::new()).unwrap()
        };
        let [near, far] = [DVec3::new(4.5, 0.0, 3.0), DVec3::new(500.0, 0.0, 0.0)];
        let ground = with(&[(near, ObstacleBox::default()), (far, ObstacleBox::default())]);
        assert!(ground.height(near + DVec3::Y).is_some_and(|top| (top - 0.9).abs() < 1e-6));
        assert_eq!(ground.map.columns, with(&[]).map.columns);
    }

    #[test]
    fn ground_is_found_within_half_a_metre_of_a_position() {
        let ground = cellar();
        let height = |y: f64| ground.height(DVec3::new(4.5, y, 3.0));
        assert!([-0.45, 0.0, 0.45].iter().all(|&y| height(y).is_some_and(|height| height.abs() < 1e-6)));
        assert_eq!([-0.55, 0.55].map(height), [None, None]);
    }

    #[test]
    fn a_level_in_another_unit_with_z_up_is_ground_in_metres() {
        let corners =
            [Vec3::ZERO, Vec3::new(600.0, 0.0, 0.0), Vec3::new(600.0, 600.0, 50.0), Vec3::new(0.0, 600.0, 50.0)];
        let level = Level::of_mesh("ramp", corners.to_vec(), [[0, 1, 2], [0, 2, 3]]);
        let file = Asset::new(Loaded { level: Some(Arc::new(level)), ..Loaded::default() });
        let scenery = Scenery { file, up: UpAxis::Z, metres_per_unit: 0.01 };
        let ground = LevelGround::voxelised(scenery, &[], &VoxelSettings::default(), &Progress::new()).unwrap();
        // Half way up the ramp, which climbs 0.5 m over 6 m along −Z.
        let height = ground.height(DVec3::new(3.0, 0.25, -3.0)).unwrap();
        assert!((height - 0.25).abs() < 1e-4, "{height}");
        let broken = VoxelSettings { cell: 0.0, ..VoxelSettings::default() };
        let again = LevelGround::voxelised(ground.scenery.clone(), &[], &broken, &Progress::new());
        assert!(matches!(again, Err(TakeError::Voxel(_))));
    }
}
