//! Routes on voxelised levels: a generated landscape, and corpus levels if they are available.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::search::grids::layer;
use super::voxels::{VoxelSettings, voxelise};
use super::*;
use portamento_anim::geometry::Level;
use portamento_base::progress::Progress;

/// Hills of several wavelengths with boulders, 60 m square.
fn landscape() -> Level {
    let (count, step) = (120_u32, 0.5_f32);
    let height = |x: f32, z: f32| {
        let hills = 0.9 * (x * 0.31).sin() * (z * 0.27).cos() + 0.5 * (x * 0.13 + z * 0.19).sin();
        let boulder = (x * 0.9).sin() * (z * 0.8).sin() > 0.86;
        hills + if boulder { 3.0 } else { 0.0 }
    };
    let at = |i: u32| Vec3::new((i % (count + 1)) as f32 * step, 0.0, (i / (count + 1)) as f32 * step);
    let points = (0..(count + 1) * (count + 1)).map(|i| at(i).with_y(height(at(i).x, at(i).z))).collect();
    let quads = (0..count * count).map(|i| i / count * (count + 1) + i % count);
    let faces = quads.flat_map(|a| [[a, a + count + 1, a + 1], [a + 1, a + count + 1, a + count + 2]]);
    Level::of_mesh("landscape", points, faces)
}

fn graph(level: &Level, settings: &VoxelSettings) -> SearchGraph {
    let map = voxelise(level, settings, &Progress::new()).unwrap();
    assert_eq!(map.warnings, []);
    SearchGraph::new(Arc::new(map.ground))
}

/// Returns a corpus level; `None` if it is missing.
fn foreign(name: &str) -> Option<SearchGraph> {
    let path = portamento_test_support::corpus("levels")?.join(format!("{name}.obj"));
    let level = portamento_formats::import::import(&path).unwrap().level.unwrap();
    Some(graph(&level, &VoxelSettings { climb: 0.6, cell: 0.3, ..VoxelSettings::default() }))
}

/// Returns every available open landscape.
fn open_ground() -> Vec<(&'static str, SearchGraph)> {
    let generated = ("landscape", graph(&landscape(), &VoxelSettings::default()));
    [Some(generated), foreign("undulating").map(|graph| ("undulating", graph))].into_iter().flatten().collect()
}

fn exact() -> SearchSettings {
    SearchSettings { variety: 0.0, ..SearchSettings::default() }
}

fn found(graph: &SearchGraph, ends: [u32; 2], settings: &SearchSettings) -> CellPath {
    search(graph, &ends, settings, &mut Scratch::default(), &Progress::new()).unwrap()
}

/// Returns connected pairs of cells more than 20 m apart, spread over the ground.
fn pairs(graph: &SearchGraph, count: usize) -> Vec<[u32; 2]> {
    let cells = graph.ground.cells.len() as u64;
    let spread = |number: u64, by: u64| (number * by % cells) as u32;
    let pairs = (1u64..).map(|number| [spread(number, 15_485_863), spread(number, 32_452_843)]);
    let far = pairs.filter(|ends| graph.ground.position(ends[0]).distance(graph.ground.position(ends[1])) > 20.0);
    far.filter(|ends| found(graph, *ends, &exact()).notices.is_empty()).take(count).collect()
}

fn spread(graph: &SearchGraph, ends: [u32; 2], settings: &RouteSetSettings) -> RouteSet {
    route_set(graph, &ends, ends.map(|end| graph.ground.position(end)), settings, &Progress::new()).unwrap()
}

#[test]
fn ten_seeds_on_open_ground_differ_for_little_time_and_few_turns() {
    for (name, graph) in open_ground() {
        let fans: Vec<RouteSet> =
            pairs(&graph, 8).into_iter().map(|ends| spread(&graph, ends, &RouteSetSettings::default())).collect();
        let routes = fans.iter().flat_map(|route_set| &route_set.variants).map(|variant| &variant.route);
        assert!(
            routes.into_iter().all(|route| route.bound == bound(0.5) && route.seconds <= route.bound * route.optimal)
        );
        // There may be a single passage between boulders.
        let wide: Vec<&RouteSet> = fans.iter().filter(|route_set| !route_set.one_corridor).collect();
        assert!(wide.len() >= 7, "{name}: {}", wide.len());
        let mean =
            |of: fn(&RouteSet) -> f64| wide.iter().map(|route_set| of(route_set)).sum::<f64>() / wide.len() as f64;
        let sums =
            [mean(|set| set.distinct as f64), mean(|set| set.overlap), mean(|set| set.extra), mean(|set| set.turning)];
        let shortest = mean(|set| set.quickest.turning);
        println!("{name}: distinct, overlap, extra, turning {sums:.3?} against turning {shortest:.3}");
        let [distinct, overlap, extra, turning] = sums;
        assert!(distinct >= 9.0 && overlap <= 0.80 && extra <= 0.05 && turning <= 1.5 * shortest, "{name}");
    }
}

#[test]
fn overlap_falls_as_variety_rises_and_none_is_the_optimum() {
    for (name, graph) in open_ground() {
        let pairs = pairs(&graph, 4);
        let fans = |variety: f64| {
            let settings = RouteSetSettings { variety, ..RouteSetSettings::default() };
            pairs.iter().map(|ends| spread(&graph, *ends, &settings)).collect::<Vec<_>>()
        };
        let still = fans(0.0);
        for route_set in &still {
            assert!(route_set.distinct == 1 && route_set.overlap == 1.0 && route_set.extra == 0.0);
            assert!(
                route_set
                    .variants
                    .iter()
                    .all(|variant| variant.route == route_set.quickest && variant.route.bound == 1.0)
            );
            assert!(route_set.quickest.seconds <= route_set.quickest.optimal * (1.0 + 1e-6));
        }
        let mean = |fans: Vec<RouteSet>| fans.iter().map(|set| set.overlap).sum::<f64>() / fans.len() as f64;
        let overlaps = [still, fans(0.25), fans(0.5), fans(0.75), fans(1.0)].map(mean);
        println!("{name}: overlap {overlaps:.3?}");
        assert!(overlaps.windows(2).all(|pair| pair[1] <= pair[0] + 0.03) && overlaps[4] < 0.8, "{name}: {overlaps:?}");
    }
}

#[test]
fn varied_paths_seek_ground_that_changes() {
    for (name, graph) in open_ground() {
        let share = |found: &CellPath| {
            let turns = found.cells.windows(2).filter(|step| graph.turns(step[0], step[1])).count();
            turns as f64 / (found.cells.len() - 1) as f64
        };
        let pairs = pairs(&graph, 20);
        let (mut quickest, mut varied, mut not_worse) = (0.0, 0.0, 0);
        for &ends in &pairs {
            let seeds =
                (1..=10).map(|seed| share(&found(&graph, ends, &SearchSettings { seed, ..Default::default() })));
            let (seeds, best) = (seeds.sum::<f64>() / 10.0, share(&found(&graph, ends, &exact())));
            quickest += best;
            varied += seeds;
            not_worse += usize::from(seeds >= best - 1e-6);
        }
        println!(
            "{name}: {:.3} times the turning points, as many for {not_worse} of {}",
            varied / quickest,
            pairs.len()
        );
        assert!(
            varied >= 1.05 * quickest && 10 * not_worse >= 9 * pairs.len(),
            "{name}: {varied} {quickest} {not_worse}"
        );
    }
}

#[test]
fn full_variety_passes_over_far_more_changes_of_ground() {
    for (name, graph) in open_ground() {
        let per_metre = |routes: &mut dyn Iterator<Item = &Route>| {
            let (changes, length) =
                routes.fold((0, 0.0), |(changes, length), route| (changes + route.changes, length + route.length));
            changes as f64 / length
        };
        let settings = RouteSetSettings { variety: 1.0, ..RouteSetSettings::default() };
        let fans: Vec<RouteSet> = pairs(&graph, 6).into_iter().map(|ends| spread(&graph, ends, &settings)).collect();
        let without = per_metre(&mut fans.iter().map(|fan| &fan.quickest));
        let with = per_metre(&mut fans.iter().flat_map(|fan| &fan.variants).map(|variant| &variant.route));
        let routes = || fans.iter().flat_map(|fan| &fan.variants).map(|variant| &variant.route);
        let extra = fans.iter().map(|fan| fan.extra).sum::<f64>() / fans.len() as f64;
        println!("{name}: {:.1} → {:.1} changes per 100 m, extra time {extra:.3}", 100.0 * without, 100.0 * with);
        assert!(routes().all(|route| route.seconds <= route.bound * route.optimal));
        assert!(with >= 1.4 * without, "{name}: {without} → {with}");
    }
}

#[test]
fn a_dungeon_with_one_passage_between_rooms_reports_one_corridor() {
    let Some(graph) = foreign("dungeon") else { return };
    let (mut one_corridor, mut silent) = (0, 0);
    for ends in pairs(&graph, 12) {
        let route_set = spread(&graph, ends, &RouteSetSettings::default());
        println!(
            "{} distinct, overlap {:.3}, extra {:.3}: {}",
            route_set.distinct, route_set.overlap, route_set.extra, route_set.one_corridor
        );
        one_corridor += usize::from(route_set.one_corridor);
        silent += usize::from(!route_set.one_corridor);
        assert_eq!(route_set.one_corridor, route_set.overlap >= 0.98);
    }
    assert!(one_corridor > 0 && silent > 0, "{one_corridor} {silent}");
}

/// Returns the travel time along `points` in steps of a millimetre, from the cells below them.
fn stepped(ground: &Ground, points: &[DVec3]) -> f64 {
    let mut seconds = 0.0;
    for ends in points.windows(2) {
        let count = (ends[0].distance(ends[1]) / 1e-3).ceil().max(1.0);
        for step in 0..count as usize {
            let point = ends[0].lerp(ends[1], (step as f64 + 0.5) / count);
            let height_difference = |cell: &&Cell| (cell.height - point.y).abs();
            let cell = ground
                .under(point)
                .iter()
                .min_by(|a, b| height_difference(a).total_cmp(&height_difference(b)))
                .unwrap();
            seconds += ends[0].distance(ends[1]) / count / cell.speed(ends[1].y - ends[0].y);
        }
    }
    seconds
}

#[test]
fn a_route_starts_and_ends_at_the_requested_points_and_its_time_is_correct() {
    let graph = graph(&landscape(), &VoxelSettings::default());
    let ground = &*graph.ground;
    for (number, cells) in pairs(&graph, 12).into_iter().enumerate() {
        let shift = |by: f64| ground.cell * (by * 0.77).sin() * 0.49;
        let shifted = |cell: u32, by: f64| ground.position(cell) + DVec3::new(shift(by), 0.0, shift(by + 2.0));
        let ends = [shifted(cells[0], number as f64), shifted(cells[1], number as f64 + 5.0)];
        let route_set = route_set(&graph, &cells, ends, &RouteSetSettings::default(), &Progress::new()).unwrap();
        for route in route_set.variants.iter().map(|variant| &variant.route).chain([&route_set.quickest]) {
            let [first, last] = [route.points[0], route.points[route.points.len() - 1]];
            assert!((first - ends[0]).with_y(0.0).length() < 1e-9 && (last - ends[1]).with_y(0.0).length() < 1e-9);
            assert!((first.y - ends[0].y).abs() < 0.2 && (last.y - ends[1].y).abs() < 0.2);
            let length: f64 = route.points.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
            assert!((route.length - length).abs() < 1e-9);
            assert!(route.times.len() == route.points.len() && route.times.is_sorted() && route.times[0] == 0.0);
            assert_eq!(route.times[route.times.len() - 1], route.seconds);
            let seconds = stepped(ground, &route.points);
            assert!((route.seconds / seconds - 1.0).abs() < 0.01, "{} s, {seconds} s by steps", route.seconds);
            assert!(route.seconds <= route.bound * route.optimal * (1.0 + 1e-9));
            assert!(route.cells[0] == cells[0] && route.cells[route.cells.len() - 1] == cells[1]);
            let linked = |step: &[u32]| ground.links[step[0] as usize].contains(&step[1]);
            assert!(route.cells.windows(2).all(linked));
        }
    }
}

#[test]
fn end_points_on_cell_corners_are_reached() {
    let graph = graph(&landscape(), &VoxelSettings::default());
    let height = |x: f64, z: f64| graph.ground.under(DVec3::new(x + 0.01, 0.0, z + 0.01))[0].height;
    let ends = [[30.0, 31.0], [32.0, 28.0]].map(|[x, z]| DVec3::new(x, height(x, z), z));
    let cells = ends.map(|end| nearest(&graph.ground, end).unwrap());
    let route_set = route_set(&graph, &cells, ends, &RouteSetSettings::default(), &Progress::new()).unwrap();
    for route in route_set.variants.iter().map(|variant| &variant.route) {
        let off = [(0, 0), (route.points.len() - 1, 1)].map(|(at, end)| (route.points[at] - ends[end]).with_y(0.0));
        assert!(off.iter().all(|gap| gap.length() < 1e-5), "{off:?}");
    }
}

/// Returns the largest distance in metres by which a route moves away from its goal within its last metre.
fn overrun(points: &[DVec3]) -> f64 {
    let goal = points[points.len() - 1];
    let fine = points.windows(2).flat_map(|ends| (0..=20).map(|part| ends[0].lerp(ends[1], f64::from(part) / 20.0)));
    let distances = fine.map(|point| (point - goal).with_y(0.0).length());
    let (mut nearest, mut worst) = (f64::INFINITY, 0.0_f64);
    for distance in distances {
        nearest = nearest.min(distance);
        if nearest < 1.0 {
            worst = worst.max(distance - nearest);
        }
    }
    worst
}

#[test]
fn goals_on_cell_borders_are_neither_overrun_nor_approached_from_behind() {
    // Whole and half metres and the snapped tenths, on cells of which they are borders, or every third one.
    for (cell, step) in [(0.25, 0.5), (0.3, 0.5), (0.5, 0.5), (0.2, 0.1)] {
        let columns = (16.0 / cell) as u32;
        let ground = layer([columns; 2], cell, |_, _| Some((0.0, 0.0, 1.5)));
        let graph = SearchGraph::new(Arc::new(ground));
        for (number, start) in [[4.0, 4.0], [12.5, 3.5], [8.0, 12.0]].into_iter().enumerate() {
            for goal in 0..64 {
                let goal = [6.0 + step * f64::from(goal % 8), 6.0 + step * f64::from(goal / 8)];
                let ends = [start, goal].map(|[x, z]| DVec3::new(x, 0.0, z));
                let cells = ends.map(|end| nearest(&graph.ground, end).unwrap());
                let settings =
                    RouteSetSettings { count: 2, radius: 0.5 * (number % 2) as f64, ..RouteSetSettings::default() };
                let routes = route_set(&graph, &cells, ends, &settings, &Progress::new()).unwrap();
                let straight = ends[0].distance(ends[1]);
                let length = routes.quickest.length;
                assert!((length - straight).abs() < 1e-6, "{length} m for {straight} m: {ends:?} on cells of {cell}");
                for route in routes.variants.iter().map(|variant| &variant.route).chain([&routes.quickest]) {
                    let reversed: Vec<DVec3> = route.points.iter().rev().copied().collect();
                    let over = overrun(&route.points).max(overrun(&reversed));
                    assert!(over < 1e-6, "{over} m over: {ends:?} on cells of {cell}, {:?}", route.points);
                    let [first, last] = [route.points[0], route.points[route.points.len() - 1]];
                    assert!(first.distance(ends[0]) < 1e-9 && last.distance(ends[1]) < 1e-9);
                }
            }
        }
    }
}

#[test]
fn eight_metres_to_a_goal_on_a_border_are_eight_metres_and_edges_of_the_ground_are_reached() {
    let ground = layer([48, 40], 0.25, |_, _| Some((0.0, 0.0, 1.5)));
    let graph = SearchGraph::new(Arc::new(ground));
    let to = |ends: [[f64; 2]; 2]| {
        let ends = ends.map(|[x, z]| DVec3::new(x, 0.0, z));
        let cells = ends.map(|end| nearest(&graph.ground, end).unwrap());
        let exact = RouteSetSettings { variety: 0.0, count: 1, ..RouteSetSettings::default() };
        let route = route_set(&graph, &cells, ends, &exact, &Progress::new()).unwrap().quickest;
        assert!(route.points[route.points.len() - 1].distance(ends[1]) < 1e-9, "{:?}", route.points);
        route
    };
    for ends in [[[2.0, 3.0], [10.0, 3.0]], [[10.0, 3.0], [2.0, 3.0]], [[3.0, 1.0], [3.0, 9.0]]] {
        let route = to(ends);
        assert!((route.length - 8.0).abs() < 1e-9 && route.turning < 1e-9, "{} m", route.length);
    }
    // The ground is 12 m by 10 m.
    for goal in [[12.0, 3.0], [0.0, 3.1], [5.3, 10.0], [5.0, 0.0], [12.0, 10.0]] {
        let from = [5.1, 4.7];
        let (route, straight) = (to([from, goal]), (goal[0] - from[0]).hypot(goal[1] - from[1]));
        assert!((route.length - straight).abs() < 1e-6, "{} m for {straight} m", route.length);
    }
}

#[test]
fn end_points_within_one_cell_make_a_route() {
    let graph = graph(&landscape(), &VoxelSettings::default());
    let cell = pairs(&graph, 1)[0][0];
    let ends = [-0.05, 0.05].map(|x| graph.ground.position(cell) + DVec3::X * x);
    let route_set = route_set(&graph, &[cell, cell], ends, &RouteSetSettings::default(), &Progress::new()).unwrap();
    assert!(
        (route_set.quickest.length - 0.1).abs() < 0.01 && route_set.quickest.seconds > 0.0,
        "{:?}",
        route_set.quickest
    );
    assert!(route_set.quickest.seconds <= route_set.quickest.optimal * (1.0 + 1e-9));
}

#[test]
fn a_bad_count_radius_or_variety_is_rejected() {
    let graph = graph(&landscape(), &VoxelSettings::default());
    let refused = |settings: RouteSetSettings| {
        route_set(&graph, &[0, 1], [DVec3::ZERO; 2], &settings, &Progress::new()).unwrap_err().to_string()
    };
    let base = RouteSetSettings::default;
    assert!(refused(RouteSetSettings { count: 0, ..base() }).starts_with("0 routes cannot be compared"));
    assert!(refused(RouteSetSettings { count: 1000, ..base() }).contains("between 1 and 100"));
    assert!(refused(RouteSetSettings { radius: -1.0, ..base() }).contains("radius is -1 m"));
    assert!(refused(RouteSetSettings { radius: f64::NAN, ..base() }).contains("radius is NaN m"));
    assert!(refused(RouteSetSettings { variety: 1.5, ..base() }).contains("variety is 1.5"));
}

/// Returns a flight of stairs that rises by 2.52 m over 4.2 m between level ends of 4 m, 6 m wide. `corners` gives z
/// and height of its profile.
fn flight(corners: &[[f32; 2]]) -> Level {
    let points = corners.iter().flat_map(|&[z, y]| [0.0, 6.0].map(|x| Vec3::new(x, y, z))).collect();
    let faces = (0..corners.len() as u32 - 1).map(|i| 2 * i).flat_map(|a| [[a, a + 2, a + 1], [a + 1, a + 2, a + 3]]);
    Level::of_mesh("flight", points, faces)
}

#[test]
fn stairs_cost_what_a_ramp_of_their_slope_costs() {
    let ends = |middle: Vec<[f32; 2]>| [vec![[0.0, 0.0], [4.0, 0.0]], middle, vec![[8.2, 2.52], [12.2, 2.52]]].concat();
    let step = |i: u8| {
        [[4.0 + 0.3 * f32::from(i), 0.18 * f32::from(i + 1)], [4.3 + 0.3 * f32::from(i), 0.18 * f32::from(i + 1)]]
    };
    for cell in [0.1, 0.15, 0.3] {
        let settings = VoxelSettings { cell, cell_height: 0.05, radius: 0.3, climb: 0.4, ..VoxelSettings::default() };
        let seconds = |corners: Vec<[f32; 2]>, up: bool| {
            let graph =
                SearchGraph::new(Arc::new(voxelise(&flight(&corners), &settings, &Progress::new()).unwrap().ground));
            let at = |z: f64, y: f64| nearest(&graph.ground, DVec3::new(3.0, y, z)).unwrap();
            let [bottom, top] = [at(2.0, 0.0), at(10.2, 2.52)];
            found(&graph, if up { [bottom, top] } else { [top, bottom] }, &exact()).seconds
        };
        for up in [true, false] {
            let (ramp, stairs) = (seconds(ends(Vec::new()), up), seconds(ends((0..14).flat_map(step).collect()), up));
            assert!((stairs / ramp - 1.0).abs() < 0.06, "{cell} {up}: {stairs} s, {ramp} s on the ramp");
        }
    }
}
