//! Links on generated levels: they fit their clips, and routes over them are as quick as an exhaustive search finds.

use std::sync::Arc;

use glam::DVec3;

use super::*;
use crate::navigation::edges::edges;
use crate::navigation::edges::tests::generator::Generated;
use crate::navigation::voxels::{VoxelSettings, voxelise};
use crate::navigation::{
    CellPath, Ground, LinkPreference, LinkRule, NONE, RouteSetSettings, Scratch, SearchError, SearchGraph,
    SearchSettings, bound, route, route_set, search,
};
use portamento_anim::geometry::Level;

/// Returns one clip of each kind.
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
        clip(CrossingKind::HopUp, [0.3, 0.8], [0.0, 0.0], [0.3, 0.8], 0.8),
        clip(CrossingKind::JumpAcross, [-0.1, 0.1], [0.5, 4.0], [-0.7, 0.7], 1.3),
        clip(CrossingKind::DropDown, [-0.1, 0.1], [0.0, 0.0], [-3.0, -0.4], 0.9),
    ]
}

/// Returns the voxels, edges and links of a seed's level.
fn generated(seed: u64) -> (VoxelMap, Vec<Edge>, Vec<Link>) {
    prepared(&Generated::new(seed).level())
}

/// Returns the levels of the corpus and of the samples.
pub(crate) fn known_levels() -> Vec<(&'static str, Level)> {
    let import = |path: std::path::PathBuf| portamento_formats::import::import(&path).unwrap();
    let of_corpus = ["nav_test", "dungeon", "undulating"].into_iter().filter_map(|name| {
        let path = portamento_test_support::corpus(&format!("levels/{name}.obj"))?;
        Some((name, Level::clone(&import(path).level.unwrap())))
    });
    let of_samples = ["yard", "course"]
        .map(|name| (name, import(portamento_test_support::asset(&format!("{name}.glb"))).model.to_level()));
    of_corpus.chain(of_samples).collect()
}

/// Returns the voxels, edges and links of a level.
fn prepared(level: &Level) -> (VoxelMap, Vec<Edge>, Vec<Link>) {
    let map = voxelise(level, &VoxelSettings::default(), &Progress::new()).unwrap();
    let edges = edges(level, &map, &Progress::new()).unwrap();
    let links = links(&edges, &clips(), &map, &Progress::new()).unwrap();
    (map, edges, links)
}

fn graph(map: &VoxelMap, links: &[Link], preferences: &[LinkPreference]) -> SearchGraph {
    SearchGraph::with_links(Arc::new(map.ground.clone()), links.into(), preferences).unwrap()
}

/// Returns pairs of cells: both ends of links, and the ends of two links.
fn pairs(links: &[Link], count: usize) -> impl Iterator<Item = [u32; 2]> {
    let pair = |number: usize| {
        let first = number * 7919 % links.len();
        let last = if number.is_multiple_of(2) { first } else { number * 104_729 % links.len() };
        [links[first].from, links[last].to]
    };
    (1..=count).map(pair)
}

fn found(graph: &SearchGraph, ends: [u32; 2], settings: &SearchSettings) -> CellPath {
    search(graph, &ends, settings, &mut Scratch::default(), &Progress::new()).unwrap()
}

/// Returns the travel time of the quickest path over steps and links, from a search without any shortcuts.
fn exhaustive(ground: &Ground, links: &[Link], [from, to]: [u32; 2]) -> Option<f64> {
    let mut landings = vec![Vec::new(); ground.cells.len()];
    links.iter().for_each(|link| landings[link.from as usize].push((link.to, link.seconds)));
    let nanoseconds = |seconds: f64| (seconds * 1e9).round() as u64;
    let next = |&cell: &u32| {
        let steps = ground.links[cell as usize].into_iter().filter(|to| *to != NONE);
        let steps = steps.map(|to| (to, nanoseconds(ground.seconds(cell, to))));
        steps
            .chain(landings[cell as usize].iter().map(|(to, seconds)| (*to, nanoseconds(*seconds))))
            .collect::<Vec<_>>()
    };
    pathfinding::prelude::dijkstra(&from, next, |cell| *cell == to).map(|found| found.1 as f64 * 1e-9)
}

#[test]
fn every_link_fits_its_clip_and_starts_and_lands_on_its_cells() {
    let mut counts = [0; 5];
    for seed in 1..=6 {
        let (map, edges, links) = generated(seed);
        for link in &links {
            let (obstacle, clip, edge) = (&link.obstacle, &clips()[link.clip], &edges[link.edge]);
            counts[link.clip] += 1;
            assert_eq!(obstacle.kind, clip.kind);
            for (at, cell) in [(obstacle.start, link.from), (obstacle.landing, link.to)] {
                let offset = (at - map.ground.position(cell)).abs();
                let half = 0.5 * map.ground.cell + 1e-9;
                assert!(offset.x <= half && offset.z <= half && offset.y < 1e-9, "{link:?}");
            }
            // From the triangles: where the straight line from start to landing crosses the edges.
            let across = flat(obstacle.landing - obstacle.start).normalize();
            assert!(across.dot(edge.heading) > 1.0 - 1e-6, "{link:?}");
            let crossing = |line: [DVec3; 2]| {
                let (from, along) = (flat(line[0]), flat(line[1] - line[0]));
                let share = (flat(obstacle.start) - from).perp_dot(across) / along.perp_dot(across);
                line[0].lerp(line[1], share)
            };
            let near = crossing(obstacle.near);
            let last = obstacle.far.map_or(near, crossing);
            let distance = |from: DVec3, to: DVec3| flat(to - from).dot(across);
            let run_up = distance(obstacle.start, near);
            assert!(*clip.run_up.start() - 1e-9 <= run_up && run_up <= *clip.run_up.end() + 1e-9, "{link:?}");
            assert!(distance(last, obstacle.landing) >= clip.landing_room - 1e-9, "{link:?}");
            assert!(obstacle.far.is_none() || clip.distance.contains(&distance(near, last)), "{link:?}");
            assert!(is_near(&clip.height, near.y - obstacle.start.y), "{link:?}");
            assert!(is_near(&clip.rise, obstacle.landing.y - obstacle.start.y), "{link:?}");
        }
    }
    println!("{counts:?} links");
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}

#[test]
fn paths_with_links_are_as_quick_as_an_exhaustive_search_finds_and_obey_the_bound() {
    let (mut with_links, mut shorter) = (0, 0);
    for seed in 1..=5 {
        let (map, _, links) = generated(seed);
        let (graph, plain) = (graph(&map, &links, &[]), SearchGraph::new(Arc::new(map.ground.clone())));
        for ends in pairs(&links, 16) {
            let Some(known) = exhaustive(&graph.ground, &links, ends) else { continue };
            for jumping in [true, false] {
                let exact = SearchSettings { variety: 0.0, jumping, ..SearchSettings::default() };
                let path = found(&graph, ends, &exact);
                assert!((path.seconds - known).abs() <= 1e-5 * known.max(0.1), "{seed} {ends:?}: {path:?} for {known}");
                if jumping {
                    with_links += usize::from(!path.links.is_empty());
                    shorter += usize::from(path.seconds < found(&plain, ends, &exact).seconds - 0.01);
                }
            }
            let varied = found(&graph, ends, &SearchSettings { seed, ..SearchSettings::default() });
            assert!(varied.seconds <= bound(0.5) * known * (1.0 + 1e-9), "{} for {known}", varied.seconds);
        }
    }
    println!("{with_links} with links, {shorter} shorter");
    assert!(with_links > 20 && shorter > 20, "{with_links} {shorter}");
}

#[test]
fn paths_over_known_levels_are_as_quick_as_an_exhaustive_search_finds() {
    for (name, level) in known_levels() {
        let (map, edges, links) = prepared(&level);
        let (graph, mut with_links) = (graph(&map, &links, &[]), 0);
        for ends in pairs(&links, if links.is_empty() { 0 } else { 8 }) {
            let Some(known) = exhaustive(&graph.ground, &links, ends) else { continue };
            let exact = SearchSettings { variety: 0.0, ..SearchSettings::default() };
            let path = found(&graph, ends, &exact);
            assert!((path.seconds - known).abs() <= 1e-5 * known.max(0.1), "{name} {ends:?}: {path:?} for {known}");
            let varied = found(&graph, ends, &SearchSettings::default());
            assert!(varied.seconds <= bound(0.5) * known * (1.0 + 1e-9), "{name}: {} for {known}", varied.seconds);
            with_links += usize::from(!path.links.is_empty());
        }
        println!("{name}: {} edges, {} links, {with_links} paths with links", edges.len(), links.len());
        assert!(with_links > 0 || !["yard", "course"].contains(&name), "{name} has links");
    }
}

#[test]
fn a_route_crosses_at_its_links_only_and_stays_on_the_ground_between_them() {
    let mut crossings = 0;
    for seed in 1..=4 {
        let (map, _, links) = generated(seed);
        let graph = graph(&map, &links, &[]);
        for (ends, radius) in pairs(&links, 12).zip([0.0, 0.5].into_iter().cycle()) {
            for variety in [0.0, 0.5] {
                let settings = SearchSettings { variety, seed, ..SearchSettings::default() };
                let path = found(&graph, ends, &settings);
                let ends = ends.map(|end| graph.ground.position(end));
                let route = route(&graph, &path, &settings, radius, ends);
                assert_eq!(route.crossings.len(), path.links.len());
                assert!(route.seconds <= route.bound * route.optimal * (1.0 + 1e-9));
                assert!(route.times.windows(2).all(|times| times[0] <= times[1]));
                for (index, line) in route.points.windows(2).enumerate() {
                    let Some(crossing) = route.crossings.iter().find(|crossing| crossing.point == index) else {
                        assert_on_ground(&graph.ground, [line[0], line[1]]);
                        continue;
                    };
                    crossings += 1;
                    let link = &graph.links[crossing.link as usize];
                    let expected = [link.obstacle.start, link.obstacle.landing];
                    let is_end = |end: usize| flat(line[end]).distance(flat(expected[end])) < 1e-6;
                    assert!(is_end(0) && is_end(1), "{line:?} for {expected:?}");
                    let seconds = route.times[index + 1] - route.times[index];
                    assert!((seconds - link.seconds).abs() < 1e-9);
                }
            }
        }
    }
    println!("{crossings} crossings");
    assert!(crossings > 20, "{crossings}");
}

fn assert_on_ground(ground: &Ground, [from, to]: [DVec3; 2]) {
    let count = (from.distance(to) / (0.2 * ground.cell)).ceil() as usize;
    for step in 0..=count {
        let point = from.lerp(to, step as f64 / count.max(1) as f64);
        // On a border either side is accepted.
        let is_open =
            [-1e-6, 1e-6].iter().any(|shift| ground.cell_at(point + DVec3::new(*shift, 0.0, *shift), 0.5).is_some());
        assert!(is_open, "{point} is off the ground");
    }
}

#[test]
fn the_routes_of_a_set_obey_the_bound_with_links_and_preferences() {
    let (map, _, links) = generated(2);
    let rule = |kind, rule| LinkPreference { kind, rule };
    let preferences =
        [rule(CrossingKind::Vault, LinkRule::Factor(0.5)), rule(CrossingKind::DropDown, LinkRule::Factor(2.0))];
    let graph = graph(&map, &links, &preferences);
    for stops in pairs(&links, 6) {
        let ends = stops.map(|stop| graph.ground.position(stop));
        let set = route_set(&graph, &stops, ends, &RouteSetSettings::default(), &Progress::new()).unwrap();
        for variant in &set.variants {
            assert!((variant.route.bound - 4.0 * bound(0.5)).abs() < 1e-9);
            assert!(variant.route.seconds <= variant.route.bound * variant.route.optimal);
        }
    }
}

#[test]
fn a_banned_kind_is_not_used_and_a_factor_changes_the_choice() {
    let (map, _, links) = generated(1);
    let count = |rule: Option<LinkRule>| {
        let preferences: Vec<LinkPreference> =
            rule.into_iter().map(|rule| LinkPreference { kind: CrossingKind::Vault, rule }).collect();
        let graph = graph(&map, &links, &preferences);
        let exact = SearchSettings { variety: 0.0, ..SearchSettings::default() };
        let vaults = |path: CellPath| {
            path.links.iter().filter(|link| links[link.link as usize].obstacle.kind == CrossingKind::Vault).count()
        };
        pairs(&links, 60).map(|ends| vaults(found(&graph, ends, &exact))).sum::<usize>()
    };
    let counts = [Some(LinkRule::Banned), Some(LinkRule::Factor(10.0)), None, Some(LinkRule::Factor(0.2))].map(count);
    println!("{counts:?} vaults");
    assert!(counts[0] == 0 && counts[1] <= counts[2] && counts[2] < counts[3], "{counts:?}");
    for factor in [0.09, 10.1, f64::NAN] {
        let preferences = [LinkPreference { kind: CrossingKind::Vault, rule: LinkRule::Factor(factor) }];
        let refused = SearchGraph::with_links(Arc::new(map.ground.clone()), links.clone().into(), &preferences);
        assert!(matches!(refused, Err(SearchError::BadLinkFactor { .. })), "{factor}");
    }
    let beyond = Link { to: map.ground.cells.len() as u32, ..links[0].clone() };
    let refused = SearchGraph::with_links(Arc::new(map.ground.clone()), [beyond].into(), &[]);
    assert!(matches!(refused, Err(SearchError::NoSuchCell { .. })));
}

#[test]
fn without_links_paths_are_the_same() {
    let (map, _, links) = generated(1);
    let (with, without) = (graph(&map, &[], &[]), SearchGraph::new(Arc::new(map.ground.clone())));
    for ends in pairs(&links, 20) {
        for variety in [0.0, 0.5] {
            let settings = SearchSettings { variety, ..SearchSettings::default() };
            assert_eq!(found(&with, ends, &settings), found(&without, ends, &settings));
        }
    }
}

#[test]
fn each_precondition_of_the_clips_is_checked() {
    let (map, edges, _) = generated(1);
    let refused = |change: &dyn Fn(&mut ClipRange)| {
        let mut clips = clips();
        change(&mut clips[1]);
        links(&edges, &clips, &map, &Progress::new()).err()
    };
    let name = |error: Option<SearchError>| match error {
        Some(SearchError::BadCrossing { clip: 2, name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(refused(&|clip| clip.height = 1.0..=20.1)), "height");
    assert_eq!(name(refused(&|clip| clip.distance = -0.1..=1.0)), "distance");
    assert_eq!(name(refused(&|clip| clip.rise = f64::NAN..=1.0)), "rise");
    assert_eq!(name(refused(&|clip| clip.run_up = RangeInclusive::new(2.0, 1.0))), "run_up");
    assert_eq!(name(refused(&|clip| clip.landing_room = 20.1)), "landing_room");
    assert_eq!(name(refused(&|clip| clip.seconds = 0.0)), "seconds");
    assert_eq!(refused(&|clip| clip.seconds = 60.0), None);
    let many = vec![clips()[0].clone(); 101];
    let refused = links(&edges, &many, &map, &Progress::new()).err();
    assert_eq!(refused, Some(SearchError::TooManyCrossings { count: 101, most: 100 }));
    let cancelled = Progress::new();
    cancelled.cancel();
    assert!(matches!(links(&edges, &clips(), &map, &cancelled), Err(SearchError::Cancelled(_))));
}

#[test]
fn there_are_no_more_links_than_announced() {
    let (_, edges, links) = generated(3);
    assert!(links.len() <= largest_count(&edges, &clips()));
}
