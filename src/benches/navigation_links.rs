//! Time of edges, links and routes over links: in the yard of the samples, and in a town of one square kilometre. And the time in which
//! a walk of the sample character with crossings follows a drag of its goal and of a box in the yard.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::{DVec2, DVec3, Vec3};
use portamento::document::{ObstacleBox, TakeId, Walk};
use portamento::geometry::Level;
use portamento::math::random::SplitMix64;
use portamento::progress::Progress;
use portamento::session::{Command, EditCommand, FileCommand, Session};
use portamento::systems::navigation::edges::edges;
use portamento::systems::navigation::links::{Link, links};
use portamento::systems::navigation::voxels::{VoxelMap, VoxelSettings, voxelise};
use portamento::systems::navigation::{Scratch, SearchGraph, SearchSettings, nearest, search};
use portamento_walk::crossing::{ClipRange, CrossingKind};

use portamento_test_support as support;

/// Side of the town, and of a tile with one block; metres.
const TOWN_M: f32 = 1000.0;
const TILE_M: f32 = 10.0;
/// Number of routes of which the times are compared.
const ROUTES: u64 = 20;

/// Returns a plain with a block on each tile, at any angle: walls of 0.3 to 2.2 m, thin or thick.
fn town() -> Level {
    let mut random = SplitMix64::new(1);
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
    let plain = [[0.0, 0.0], [0.0, TOWN_M], [TOWN_M, TOWN_M], [TOWN_M, 0.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    let mut level = Level::of_mesh("plain", plain.to_vec(), [[0, 1, 2], [0, 2, 3]]);
    let tiles = (TOWN_M / TILE_M) as u32;
    for tile in 0..tiles * tiles {
        let middle = DVec2::new(f64::from(tile % tiles) + 0.5, f64::from(tile / tiles) + 0.5) * f64::from(TILE_M);
        let half = DVec2::new(between(1.0, 3.5), between(0.1, 1.5));
        let [height, turn] = [between(0.3, 2.2), between(0.0, 3.0)];
        let corner = |x: f64, z: f64, y: f64| {
            let at = middle + DVec2::from_angle(turn).rotate(half * DVec2::new(x, z));
            DVec3::new(at.x, y, at.y).as_vec3()
        };
        let sides = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]];
        let points: Vec<Vec3> = [-0.5, height].iter().flat_map(|&y| sides.map(|[x, z]| corner(x, z, y))).collect();
        let faces = [[4, 5, 6], [4, 6, 7]].into_iter();
        let walls = (0..4).flat_map(|side| {
            let next = (side + 1) % 4;
            [[side, next, next + 4], [side, next + 4, side + 4]]
        });
        level.add_mesh("block", &points, faces.chain(walls));
    }
    level
}

/// Returns one clip of each kind with usual limits.
fn clips() -> Vec<ClipRange> {
    let clip = |kind, height: [f64; 2], distance: [f64; 2], rise: [f64; 2], seconds| ClipRange {
        kind,
        height: height[0]..=height[1],
        distance: distance[0]..=distance[1],
        rise: rise[0]..=rise[1],
        run_up: 0.6..=2.0,
        landing_room: 0.6,
        seconds,
    };
    vec![
        clip(CrossingKind::Vault, [0.4, 1.3], [0.0, 1.0], [-0.6, 0.6], 1.1),
        clip(CrossingKind::Mantle, [0.8, 2.2], [0.0, 0.0], [0.8, 2.2], 2.4),
        clip(CrossingKind::JumpAcross, [-0.1, 0.1], [0.5, 4.0], [-0.7, 0.7], 1.3),
        clip(CrossingKind::DropDown, [-0.1, 0.1], [0.0, 0.0], [-3.0, -0.4], 0.9),
    ]
}

/// Prints the time of `run` and returns its result.
fn timed<T>(name: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = black_box(run());
    println!("{name}: {:.3} s", start.elapsed().as_secs_f64());
    result
}

/// Measures edges, links and routes of `level`.
fn measure(name: &str, level: &Level, settings: &VoxelSettings) {
    let progress = Progress::new();
    let map = timed(&format!("{name}, voxels"), || voxelise(level, settings, &progress).expect("a level"));
    let found = timed(&format!("{name}, edges"), || edges(level, &map, &progress).expect("no cancel"));
    let links = timed(&format!("{name}, links"), || links(&found, &clips(), &map, &progress).expect("clips"));
    println!("{name}: {} cells, {} edges, {} links", map.ground.cells.len(), found.len(), links.len());
    let plain = SearchGraph::new(Arc::new(map.ground.clone()));
    let preferences = &[];
    let build = || SearchGraph::with_links(Arc::new(map.ground.clone()), links.clone().into(), preferences);
    let linked = timed(&format!("{name}, graph with links"), build).expect("links on cells");
    let [without, with] = [&plain, &linked].map(|graph| routes(graph, &map, &links));
    println!(
        "{name}: {ROUTES} routes in {without:?} without links, {with:?} with: {:.2} times",
        with.as_secs_f64() / without.as_secs_f64()
    );
}

/// Returns the time of the searches between random links.
fn routes(graph: &SearchGraph, map: &VoxelMap, links: &[Link]) -> Duration {
    let mut random = SplitMix64::new(7);
    let mut end = || {
        let link = &links[support::random_below(&mut random, links.len())];
        nearest(&map.ground, link.obstacle.start).expect("ground")
    };
    let ends: Vec<[u32; 2]> = (0..ROUTES).map(|_| [end(), end()]).collect();
    let (mut scratch, settings) = (Scratch::default(), SearchSettings::default());
    let start = Instant::now();
    for pair in &ends {
        // A block may enclose a start, which then has no route.
        _ = black_box(search(graph, pair, &settings, &mut scratch, &Progress::new()));
    }
    start.elapsed()
}

/// Prints the times in which the walk of the sample character follows drags of `steps` steps.
fn live() {
    let yard = [support::asset("hero.glb"), support::asset("yard.glb")];
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(yard.to_vec())));
    session.perform(Command::Edit(EditCommand::AddWalk));
    let id = session.document.takes.last().expect("a walk").id;
    // On the terrace and in the yard below it.
    let [start, goal] = [DVec3::new(-10.9, 3.0, -7.9), DVec3::new(12.0, 2.07, -8.0)];
    edit(&mut session, id, |walk| {
        walk.stops = vec![start, goal];
        walk.own_crossings.on = true;
    });
    session.update(0.0, true);
    session.perform(Command::Edit(EditCommand::AddObject));
    let wall = ObstacleBox { width: 0.4, height: 1.0, depth: 8.0, heading: 0.0 };
    session.document.objects[0].obstacle = Some(wall);
    session.update(0.0, true);
    let [by_step, meters] = [0.05, 0.01];
    let goals =
        follow(&mut session, |session, step| edit(session, id, |walk| walk.stops[1].z = goal.z + by_step * step));
    let boxes = follow(&mut session, |session, step| session.document.objects[0].position.x += by_step * step.min(1.0));
    let heights = follow(&mut session, |session, step| {
        session.document.objects[0].obstacle = Some(ObstacleBox { height: wall.height - meters * step, ..wall });
    });
    for (name, mut times) in [("goal", goals), ("box", boxes), ("height", heights)] {
        times.sort_by(f64::total_cmp);
        println!(
            "walk after a drag of the {name}: median {:.0} ms, longest {:.0} ms",
            times[times.len() / 2],
            times[times.len() - 1]
        );
    }
    let walked = session.frame().and_then(|frame| frame.built.as_ref()?.walked.clone()).expect("a walk");
    let crossings = walked.walk.as_ref().map_or(0, |walk| walk.report.crossings.len());
    assert!(walked.missing.is_none(), "a walk that is missing was timed: {:?}", walked.missing);
    println!("{crossings} crossings");
}

/// Changes the walk of the take `id`.
fn edit(session: &mut Session, id: TakeId, change: impl FnOnce(&mut Walk)) {
    if let Some(walk) = session.document.take_mut(id).and_then(|take| take.walk_mut()) {
        change(walk);
    }
}

/// Returns the milliseconds from each of 20 changes to the walk that follows it.
fn follow(session: &mut Session, mut change: impl FnMut(&mut Session, f64)) -> Vec<f64> {
    let mut timed = |step: u32| {
        change(session, f64::from(step));
        let start = Instant::now();
        session.update(0.0, true);
        start.elapsed().as_secs_f64() * 1000.0
    };
    (1..=20).map(&mut timed).collect()
}

fn main() {
    live();
    let yard = portamento::import::import(&support::asset("yard.glb")).expect("the sample").model.to_level();
    measure("yard", &yard, &VoxelSettings::default());
    // Smaller voxels of a square kilometre are refused.
    measure("square kilometre", &town(), &VoxelSettings { cell: 0.4, ..VoxelSettings::default() });
}
