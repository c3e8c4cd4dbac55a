//! A lane with obstacles across it: a low wall, a wall, a crate, a ditch and a ledge, each with a longer way round.
//!
//! The lane leads along +Z in the middle of the level. The first part of the ground is [`LEDGE_M`] above the last one.

use glam::{DVec2, DVec3, dvec2, dvec3};

use super::model;
use super::solids::{LevelMesh, rectangle};
use super::surface::LevelSurface;
use portamento_anim::Model;
use portamento_walk::crossing::CrossingKind;

/// Half the width of the level, metres.
const HALF_WIDTH_M: f64 = 9.0;
/// Length of the level, metres.
const LENGTH_M: f64 = 48.0;
/// Height of the upper ground over the lower one, metres.
pub const LEDGE_M: f64 = 1.2;
/// z of the edge between the upper and the lower ground, metres.
const LEDGE_Z: f64 = 38.0;
/// z of the edges of the ditch, and its depth; metres.
const DITCH_Z: [f64; 2] = [30.0, 32.0];
const DITCH_DEPTH_M: f64 = 1.0;
/// x of the bridge over the ditch and of the ramp at the ledge, metres.
const BRIDGE_X: [f64; 2] = [6.0, 8.5];
const RAMP_X: [f64; 2] = [-8.5, -6.0];
/// Length of the ramp, metres.
const RAMP_LENGTH_M: f64 = 4.5;

/// A block that stands on the upper ground across the lane. Metres.
struct Block {
    surface: LevelSurface,
    x: [f64; 2],
    z: [f64; 2],
    height: f64,
}

/// The low wall, the wall and the crate. The ways round are on alternating sides.
const BLOCKS: [Block; 3] = [
    Block { surface: LevelSurface::Stone, x: [-HALF_WIDTH_M, 4.0], z: [8.0, 8.3], height: 0.6 },
    Block { surface: LevelSurface::Stone, x: [-4.0, HALF_WIDTH_M], z: [14.0, 14.4], height: 1.0 },
    Block { surface: LevelSurface::Crate, x: [-HALF_WIDTH_M, 4.0], z: [21.0, 24.5], height: 1.0 },
];

/// An edge of the course that has to be crossed on the lane. Metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CourseEdge {
    /// The crossing on the way from start to end.
    pub kind: CrossingKind,
    /// Ends of the near edge.
    pub near: [DVec3; 2],
    /// Ends of the far edge of a wall or ditch.
    pub far: Option<[DVec3; 2]>,
    /// Height of the near edge over the ground before it.
    pub height: f64,
    /// Height of the ground after the crossing over the ground before it.
    pub rise: f64,
}

/// Returns the start and the end of the lane: on the ground, metres.
pub fn ends() -> [DVec3; 2] {
    [dvec3(0.0, LEDGE_M, 2.0), dvec3(0.0, 0.0, LENGTH_M - 2.0)]
}

/// Returns the edges on the lane in the order of the way.
pub fn edges() -> [CourseEdge; 6] {
    let line = |x: [f64; 2], y: f64, z: f64| x.map(|x| dvec3(x, LEDGE_M + y, z));
    let across = [-HALF_WIDTH_M, HALF_WIDTH_M];
    let wall = |Block { x, z, height, .. }: &Block| CourseEdge {
        kind: CrossingKind::Vault,
        near: line(*x, *height, z[0]),
        far: Some(line(*x, *height, z[1])),
        height: *height,
        rise: 0.0,
    };
    let [low, high, crate_block] = &BLOCKS;
    let (x, top) = (crate_block.x, crate_block.height);
    let level = |kind, near, far, rise| CourseEdge { kind, near, far, height: 0.0, rise };
    [
        wall(low),
        wall(high),
        CourseEdge {
            kind: CrossingKind::Mantle,
            near: line(x, top, crate_block.z[0]),
            far: None,
            height: top,
            rise: top,
        },
        level(CrossingKind::DropDown, line(x, top, crate_block.z[1]), None, -top),
        level(CrossingKind::JumpAcross, line(across, 0.0, DITCH_Z[0]), Some(line(across, 0.0, DITCH_Z[1])), 0.0),
        level(CrossingKind::DropDown, line(across, 0.0, LEDGE_Z), None, -LEDGE_M),
    ]
}

/// Returns the course with its bottom at height 0.
pub fn course() -> Model {
    model("course", [ground(), blocks(), bridge(), ramp()])
}

/// Returns the outline of the rectangle between two x and two z.
fn outline(x: [f64; 2], z: [f64; 2]) -> [DVec2; 4] {
    let [low, high] = [0, 1].map(|end| dvec2(x[end], z[end]));
    rectangle(low.midpoint(high), high - low, 0.0)
}

fn ground() -> LevelMesh {
    let mut piece = LevelMesh::new("ground");
    let across = [-HALF_WIDTH_M, HALF_WIDTH_M];
    piece.prism(LevelSurface::Meadow, &outline(across, [0.0, DITCH_Z[0]]), 0.0, |_| LEDGE_M);
    piece.prism(LevelSurface::Mud, &outline(across, DITCH_Z), 0.0, |_| LEDGE_M - DITCH_DEPTH_M);
    piece.prism(LevelSurface::Meadow, &outline(across, [DITCH_Z[1], LEDGE_Z]), 0.0, |_| LEDGE_M);
    let mut corners = outline(across, [LEDGE_Z, LENGTH_M]).map(|corner| dvec3(corner.x, 0.0, corner.y));
    corners.reverse();
    piece.face(LevelSurface::Meadow, &corners);
    piece
}

fn blocks() -> LevelMesh {
    let mut piece = LevelMesh::new("obstacles");
    for Block { surface, x, z, height } in BLOCKS {
        piece.prism(surface, &outline(x, z), LEDGE_M, |_| LEDGE_M + height);
    }
    piece
}

/// The bridge over the ditch, level with the ground.
fn bridge() -> LevelMesh {
    let mut piece = LevelMesh::new("bridge");
    piece.prism(LevelSurface::Wood, &outline(BRIDGE_X, DITCH_Z), LEDGE_M - 0.15, |_| LEDGE_M);
    piece
}

/// The ramp from the upper to the lower ground.
fn ramp() -> LevelMesh {
    let mut piece = LevelMesh::new("ramp");
    let foot = LEDGE_Z + RAMP_LENGTH_M;
    let [left, right] = RAMP_X.map(|x| [dvec3(x, 0.0, LEDGE_Z), dvec3(x, LEDGE_M, LEDGE_Z), dvec3(x, 0.0, foot)]);
    piece.face(LevelSurface::Road, &[left[1], left[2], right[2], right[1]]);
    piece.face(LevelSurface::Road, &[left[0], left[2], left[1]]);
    piece.face(LevelSurface::Road, &right);
    piece
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_base::progress::Progress;
    use portamento_formats::import;
    use portamento_walk::navigation::voxels::{VoxelSettings, voxelise};
    use portamento_walk::navigation::{RouteSetSettings, SearchGraph, nearest, route_set};

    /// Returns the course as its file holds it.
    fn read() -> Model {
        import::import(&portamento_test_support::asset("course.glb")).unwrap().model
    }

    #[test]
    fn every_edge_is_where_two_faces_of_the_file_meet() {
        let course = read();
        let parts = course.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let vertices: Vec<DVec3> = parts.flat_map(|part| &part.positions).map(|vertex| vertex.as_dvec3()).collect();
        for edge in edges() {
            for end in [Some(edge.near), edge.far].into_iter().flatten().flatten() {
                let corners = vertices.iter().filter(|vertex| vertex.distance(end) < 1e-6).count();
                assert!(corners >= 2, "{edge:?}: {corners} corners at {end}");
            }
        }
        let [low, wall, onto, off, ditch, ledge] = edges();
        let width = |edge: CourseEdge| edge.far.unwrap()[0].z - edge.near[0].z;
        assert!((low.height - 0.6).abs() < 1e-12 && (wall.height - 1.0).abs() < 1e-12);
        assert!((width(wall) - 0.4).abs() < 1e-12 && (width(ditch) - 2.0).abs() < 1e-12);
        assert_eq!((onto.rise, off.rise, ledge.rise), (1.0, -1.0, -1.2));
    }

    #[test]
    fn every_normal_is_a_unit() {
        let course = read();
        let mut parts = course.meshes.iter().flat_map(|mesh| &mesh.primitives);
        assert!(parts.all(|part| part.normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-5)));
    }

    #[test]
    fn the_edges_follow_each_other_across_the_lane() {
        let [start, end] = ends();
        let along: Vec<f64> = edges().iter().map(|edge| edge.near[0].z).collect();
        assert!(along.windows(2).all(|pair| pair[0] < pair[1]) && start.z < along[0] && along[5] < end.z);
        for edge in edges() {
            assert!(edge.near[0].x < start.x && start.x < edge.near[1].x, "{edge:?}");
        }
        let rise: f64 = edges().iter().map(|edge| edge.rise).sum();
        assert!((end.y - start.y - rise).abs() < 1e-12, "{rise}");
    }

    #[test]
    fn a_walk_takes_the_long_way_round() {
        let map = voxelise(&read().to_level(), &VoxelSettings::default(), &Progress::new()).unwrap();
        let stops = ends().map(|end| nearest(&map.ground, end).unwrap());
        let graph = SearchGraph::new(map.ground.into());
        let routes = route_set(&graph, &stops, ends(), &RouteSetSettings::default(), &Progress::new()).unwrap();
        let route = &routes.quickest;
        let [start, end] = ends();
        assert!(route.notices.is_empty() && route.length > 1.15 * start.distance(end), "{} m", route.length);
    }
}
