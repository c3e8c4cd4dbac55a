//! The levels: a yard to walk through and a course of obstacles to cross.
//!
//! The yard is 40 m by 30 m: hills, a ditch with bridge, stairs and ford, walls with gates, a terrace.
//!
//! Three routes connect its south-western and north-eastern corners: over the hills, along the road,
//! and over the stairs through the obstacle course.

mod surface;
mod solids;
mod ground;
mod terrain;
mod props;
pub mod course;

use glam::{DVec2, DVec3, dvec2, dvec3};

use portamento_anim::geometry::MeshInstance;
use portamento_anim::math::Transform;
use portamento_anim::{Joint, Model, Scene, Skeleton};

pub use surface::LevelSurface;

/// Returns the start and the end of a walk: on the ground in the south-west and north-east of the yard, metres.
pub(super) fn far_ends() -> [DVec3; 2] {
    [dvec2(-17.5, 11.0), dvec2(17.5, -7.5)].map(on_ground)
}

/// Returns the point on the ground at `at` (x and z), metres.
pub fn on_ground(at: DVec2) -> DVec3 {
    dvec3(at.x, ground::height(at), at.y)
}

/// Returns the yard with its bottom at height 0: one mesh per kind of object, one material per surface.
pub fn yard() -> Model {
    model("yard", terrain::terrain().into_iter().chain(props::all()))
}

/// Returns a level of `pieces`.
fn model(name: &str, pieces: impl IntoIterator<Item = solids::LevelMesh>) -> Model {
    let meshes: Vec<_> = pieces.into_iter().map(solids::LevelMesh::mesh).collect();
    let joint = |(node, name): (usize, &str)| Joint {
        name: name.into(),
        parent: (node > 0).then_some(0),
        rest: Transform::IDENTITY,
        node,
        first_morph: 0,
        morph_count: 0,
    };
    let names = [name].into_iter().chain(meshes.iter().map(|mesh| mesh.name.as_str()));
    let joints = names.enumerate().map(joint).collect();
    let instance = |mesh: usize| MeshInstance { joint: mesh + 1, mesh, skin: None };
    Model {
        name: name.into(),
        skeleton: Skeleton { joints, ..Skeleton::default() },
        instances: (0..meshes.len()).map(instance).collect(),
        meshes,
        materials: LevelSurface::ALL.map(LevelSurface::material).to_vec(),
        scenes: vec![Scene { name: "scene".into(), roots: vec![0] }],
        default_scene: Some(0),
        ..Model::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_base::progress::Progress;
    use portamento_walk::crossing::{ClipRange, CrossingKind};
    use portamento_walk::navigation::edges::{Edge, EdgeKind, edges};
    use portamento_walk::navigation::links::links;
    use portamento_walk::navigation::voxels::{Effect, Volume, VolumeShape, VoxelSettings, voxelise};
    use portamento_walk::navigation::{RouteSet, RouteSetSettings, SearchGraph, nearest, route_set};

    /// Returns ten routes from end to end that cannot cross the ditch in the ranges `blocked`, metres along it.
    fn routes(blocked: &[[f64; 2]]) -> RouteSet {
        let volume = |&[from, to]: &[f64; 2]| Volume {
            name: format!("ditch from {from} to {to}"),
            shape: VolumeShape::Box { low: [-2.0, -1.0, from], high: [6.0, 9.0, to] },
            effect: Effect::Blocked,
        };
        let settings = VoxelSettings { volumes: blocked.iter().map(volume).collect(), ..VoxelSettings::default() };
        let map = voxelise(&yard().to_level(), &settings, &Progress::new()).unwrap();
        assert_eq!(map.warnings, []);
        let stops = far_ends().map(|end| nearest(&map.ground, end).unwrap());
        assert!(stops.iter().zip(far_ends()).all(|(&stop, end)| map.ground.position(stop).distance(end) < 0.2));
        route_set(
            &SearchGraph::new(map.ground.into()),
            &stops,
            far_ends(),
            &RouteSetSettings::default(),
            &Progress::new(),
        )
        .unwrap()
    }

    #[test]
    fn three_routes_of_similar_length_lead_from_end_to_end() {
        let (north, bridge, south) = ([-15.0, -4.0], [-4.0, 2.0], [2.0, 15.0]);
        let crossings = [[north, bridge], [north, south], [bridge, south]].map(|blocked| routes(&blocked));
        let seconds = crossings.each_ref().map(|routes| routes.quickest.seconds);
        assert!(crossings.iter().all(|routes| routes.quickest.notices.is_empty()));
        let most = seconds.iter().fold(0.0, |most: f64, value| most.max(*value));
        assert!(seconds.iter().all(|value| most <= 1.1 * value), "{seconds:?}");
        let nowhere = routes(&[north, bridge, south]);
        assert_eq!(nowhere.quickest.notices.len(), 1);
    }

    #[test]
    fn ten_seeds_give_different_routes_of_similar_time() {
        let routes = routes(&[]);
        println!("{} distinct, overlap {:.3}, extra {:.3}", routes.distinct, routes.overlap, routes.extra);
        assert!(routes.distinct >= 9 && routes.overlap <= 0.80 && routes.extra <= 0.05);
        assert!(!routes.one_corridor);
    }

    #[test]
    fn the_yard_starts_at_height_zero_and_every_normal_is_a_unit() {
        let yard = yard();
        let portamento_anim::math::Bounds { low, high } = yard.rest_bounds();
        assert!(low.y == 0.0 && high.y < 10.0, "{low} {high}");
        assert_eq!((low.x, high.x, low.z, high.z), (-20.0, 20.0, -15.0, 15.0));
        let parts = yard.meshes.iter().flat_map(|mesh| &mesh.primitives);
        assert!(parts.clone().all(|part| part.normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-5)));
        assert!(parts.clone().all(|part| part.material.is_some_and(|index| index < yard.materials.len())));
        assert_eq!(yard, super::yard());
    }

    #[test]
    fn the_yard_has_edges_and_links_and_the_links_make_routes_shorter() {
        let clip = |kind, height: [f64; 2], distance: [f64; 2], rise: [f64; 2], seconds| ClipRange {
            kind,
            height: height[0]..=height[1],
            distance: distance[0]..=distance[1],
            rise: rise[0]..=rise[1],
            run_up: 0.6..=2.0,
            landing_room: 0.6,
            seconds,
        };
        let clips = [
            clip(CrossingKind::Vault, [0.4, 1.3], [0.0, 1.0], [-0.6, 0.6], 1.1),
            clip(CrossingKind::Mantle, [0.8, 2.2], [0.0, 0.0], [0.8, 2.2], 2.4),
            clip(CrossingKind::JumpAcross, [-0.2, 0.2], [0.5, 4.0], [-0.7, 0.7], 1.3),
            clip(CrossingKind::DropDown, [-0.2, 0.2], [0.0, 0.0], [-3.0, -0.4], 0.9),
        ];
        let level = yard().to_level();
        let map = voxelise(&level, &VoxelSettings::default(), &Progress::new()).unwrap();
        let start = std::time::Instant::now();
        let edges = edges(&level, &map, &Progress::new()).unwrap();
        let after_edges = start.elapsed();
        let links = links(&edges, &clips, &map, &Progress::new()).unwrap();
        let usable = edges.iter().filter(|edge| edge.problem.is_none()).count();
        println!(
            "{} edges, {usable} usable, in {after_edges:?}; {} links, in {:?}",
            edges.len(),
            links.len(),
            start.elapsed()
        );
        // Most edges stand on the terrain, whose height is a formula; the others have an object in front.
        let up = edges.iter().filter(|edge| edge.kind == EdgeKind::LedgeUp && edge.problem.is_none());
        let error = |edge: &Edge| {
            let point = edge.at(0.5);
            let foot = dvec2(point.near.x, point.near.z) - edge.heading * edge.foot;
            (point.near.y - point.height.unwrap() - ground::height(foot)).abs()
        };
        let errors: Vec<f64> = up.map(error).collect();
        let on_terrain = errors.iter().filter(|error| **error < 0.03).count();
        println!("{on_terrain} of {} ledges have the height of the formula", errors.len());
        assert!(usable > 40 && on_terrain > 20 && links.len() > 50);
        let stops = far_ends().map(|end| nearest(&map.ground, end).unwrap());
        let seconds = |graph: &SearchGraph| {
            route_set(graph, &stops, far_ends(), &RouteSetSettings::default(), &Progress::new()).unwrap()
        };
        let ground: std::sync::Arc<_> = map.ground.into();
        let over = seconds(&SearchGraph::with_links(ground.clone(), links.into(), &[]).unwrap());
        let around = seconds(&SearchGraph::new(ground));
        println!("{:.2} s over obstacles, {:.2} s around", over.quickest.seconds, around.quickest.seconds);
        assert!(!over.quickest.crossings.is_empty() && over.quickest.seconds < around.quickest.seconds);
        assert!(
            over.variants.iter().all(|variant| variant.route.seconds <= variant.route.bound * variant.route.optimal)
        );
    }
}
