mod on_levels;

use std::sync::Arc;

use super::grids::{benchmark, cell, hills, layer};
use super::*;

fn exact() -> SearchSettings {
    SearchSettings { variety: 0.0, ..SearchSettings::default() }
}

fn find_path(graph: &SearchGraph, ends: [u32; 2], settings: &SearchSettings) -> CellPath {
    search(graph, &ends, settings, &mut Scratch::default(), &Progress::new()).unwrap()
}

fn assert_linked(ground: &Ground, found: &CellPath) {
    for step in found.cells.windows(2) {
        assert!(ground.links[step[0] as usize].contains(&step[1]), "{step:?} is no step");
    }
}

/// Returns distant pairs of cells spread evenly over the ground.
fn pairs(ground: &Ground, count: u32, apart: f64) -> Vec<[u32; 2]> {
    let cells = ground.cells.len() as u64;
    let spread = |number: u32, by: u64| (u64::from(number) * by % cells) as u32;
    let pairs = (1u32..).map(|number| [spread(number, 7919), spread(number, 104_729)]);
    pairs
        .filter(|ends| ground.position(ends[0]).distance(ground.position(ends[1])) > apart)
        .take(count as usize)
        .collect()
}

fn dijkstra(ground: &Ground, from: u32, to: u32) -> Option<f64> {
    // Whole nanoseconds, since this search needs ordered costs.
    let next = |&cell: &u32| {
        let links = ground.links[cell as usize].into_iter().filter(|to| *to != NONE);
        links.map(|next| (next, (ground.seconds(cell, next) * 1e9) as u64)).collect::<Vec<_>>()
    };
    pathfinding::prelude::dijkstra(&from, next, |cell| *cell == to).map(|found| found.1 as f64 * 1e-9)
}

#[test]
fn paths_on_the_grid_benchmark_are_as_short_as_known() {
    let Some(maps) = benchmark() else { return };
    let (mut scratch, progress, mut count) = (Scratch::default(), Progress::new(), 0usize);
    let (mut jumped, mut stepped) = (0, 0);
    for (ground, queries) in maps {
        let graph = SearchGraph::new(Arc::new(ground));
        for query in queries {
            count += 1;
            if !count.is_multiple_of(30) {
                continue;
            }
            let ends = [query.from, query.to].map(|column| cell(&graph.ground, column));
            let found = search(&graph, &ends, &exact(), &mut scratch, &progress).unwrap();
            assert_linked(&graph.ground, &found);
            if query.length == 0.0 && query.from != query.to {
                assert!(matches!(found.notices[..], [SearchNotice::Unreachable { .. }]));
                continue;
            }
            let wrong = (found.seconds - query.length).abs();
            assert!(wrong <= 1e-5 * query.length.max(1.0), "{} for {}", found.seconds, query.length);
            if count.is_multiple_of(300) {
                let plainly = SearchSettings { jumping: false, ..exact() };
                let plainly = search(&graph, &ends, &plainly, &mut scratch, &progress).unwrap();
                let wrong = (found.seconds - plainly.seconds).abs();
                assert!(wrong <= 1e-9 * plainly.seconds.max(1.0), "{} stepping {}", found.seconds, plainly.seconds);
                jumped += found.expanded;
                stepped += plainly.expanded;
            }
        }
    }
    println!("{count} queries, {stepped} cells without jumps, {jumped} with");
    assert!(stepped >= 8 * jumped, "{stepped} against {jumped}");
}

#[test]
fn paths_over_hills_are_as_quick_as_an_exhaustive_search_finds() {
    let graph = SearchGraph::new(Arc::new(hills(60, 0.3, 0.8, true)));
    assert!(graph.flags.iter().any(|cell| cell.plain) && graph.flags.iter().any(|cell| !cell.plain));
    for [from, to] in pairs(&graph.ground, 1000, 0.0) {
        let found = find_path(&graph, [from, to], &exact());
        let known = dijkstra(&graph.ground, from, to).unwrap();
        assert!((found.seconds - known).abs() <= 1e-5 * known.max(0.1), "{} for {known}", found.seconds);
        assert_linked(&graph.ground, &found);
    }
}

#[test]
fn variety_stays_within_its_bound_and_repeats_itself() {
    let graph = SearchGraph::new(Arc::new(hills(100, 0.3, 0.8, true)));
    let mut scratch = Scratch::default();
    for (seed, ends) in pairs(&graph.ground, 20, 15.0).into_iter().enumerate() {
        for variety in [0.1, 0.5, 1.0] {
            let settings = SearchSettings { seed: seed as u64, variety, ..SearchSettings::default() };
            let found = search(&graph, &ends, &settings, &mut scratch, &Progress::new()).unwrap();
            assert_eq!(found, find_path(&graph, ends, &settings), "used memory changes nothing");
            assert!(found.seconds <= found.bound * found.optimal && found.bound == bound(variety));
            assert!(found.seconds >= found.optimal * (1.0 - 1e-6));
            assert_linked(&graph.ground, &found);
        }
    }
}

#[test]
fn few_cells_could_be_jumped_over_in_a_varied_search() {
    let share = |ground: Ground| {
        let graph = SearchGraph::new(Arc::new(ground));
        let costs = BlockCosts::new(&graph, 1, 0.5);
        // Blocks have different random factors, and plain ground has no turning points.
        let is_inside = |cell: u32| {
            let links = graph.ground.links[cell as usize];
            let factor = |step: [u32; 2]| costs.factor(&graph, step[0], step[1]);
            graph.flags[cell as usize].plain
                && links.iter().all(|&to| to != NONE && factor([cell, to]) == factor([to, cell]))
        };
        let cells = graph.ground.cells.len() as u32;
        (0..cells).filter(|&cell| is_inside(cell)).count() as f64 / f64::from(cells)
    };
    let [hills, flat] = [share(hills(150, 0.3, 0.4, true)), share(layer([150; 2], 0.3, |_, _| Some((0.0, 0.0, 1.0))))];
    assert!(hills < 0.25 && (0.55..=0.65).contains(&flat), "{hills} {flat}");
}

#[test]
fn varied_paths_are_optimal_for_their_costs() {
    let graph = SearchGraph::new(Arc::new(hills(60, 0.3, 0.8, true)));
    let ground = &*graph.ground;
    for (seed, [from, to]) in pairs(ground, 100, 5.0).into_iter().enumerate() {
        let seed = seed as u64;
        for variety in [0.1, 0.5, 1.0] {
            let costs = BlockCosts::new(&graph, seed, variety);
            let cost = |from: u32, to: u32| ground.seconds(from, to) * f64::from(costs.factor(&graph, from, to));
            let next = |&cell: &u32| {
                let links = ground.links[cell as usize].into_iter().filter(|to| *to != NONE);
                links.map(|next| (next, (cost(cell, next) * 1e9) as u64)).collect::<Vec<_>>()
            };
            let known = pathfinding::prelude::dijkstra(&from, next, |cell| *cell == to).unwrap().1 as f64 * 1e-9;
            let settings = SearchSettings { seed, variety, ..SearchSettings::default() };
            let found = find_path(&graph, [from, to], &settings);
            let found: f64 = found.cells.windows(2).map(|step| cost(step[0], step[1])).sum();
            assert!((found - known).abs() <= 1e-5 * known, "{found} for {known}");
        }
    }
}

#[test]
fn most_turns_are_pruned_and_a_path_may_begin_in_any_direction() {
    let graph = SearchGraph::new(Arc::new(hills(60, 0.3, 0.8, true)));
    let (mut all, mut left) = (0, 0);
    for (links, flags) in graph.ground.links.iter().zip(&graph.flags) {
        let open = links.iter().filter(|to| **to != NONE).count() as u32;
        let entered = flags.after[..8].iter().filter(|worth| **worth != 0);
        left += entered.clone().map(|worth| worth.count_ones()).sum::<u32>();
        all += open * entered.count() as u32;
        assert_eq!(flags.after[8].count_ones(), open);
    }
    println!("{left} of {all} turns are left");
    assert!(2 * left < all, "{left} of {all}");
}

#[test]
fn varied_paths_seek_turning_points() {
    let graph = SearchGraph::new(Arc::new(hills(160, 0.3, 0.8, false)));
    let share = |found: &CellPath| {
        let turns = found.cells.windows(2).filter(|step| graph.turns(step[0], step[1])).count();
        turns as f64 / (found.cells.len() - 1) as f64
    };
    let (mut quickest, mut varied, mut not_worse) = (0.0, 0.0, 0);
    for ends in pairs(&graph.ground, 30, 20.0) {
        let seeds = (0..10).map(|seed| share(&find_path(&graph, ends, &SearchSettings { seed, ..Default::default() })));
        let (seeds, best) = (seeds.sum::<f64>() / 10.0, share(&find_path(&graph, ends, &exact())));
        quickest += best;
        varied += seeds;
        not_worse += usize::from(seeds >= best - 1e-6);
    }
    println!("share of turning points {quickest} → {varied}, not worse for {not_worse} of 30");
    assert!(varied >= 1.05 * quickest && not_worse >= 27, "{varied} against {quickest}, {not_worse}");
}

#[test]
fn the_seed_chooses_between_equal_paths() {
    let ground = layer([40, 40], 0.5, |_, _| Some((0.0, 0.0, 2.0)));
    let ends = [cell(&ground, [3, 3]), cell(&ground, [37, 20])];
    let graph = SearchGraph::new(Arc::new(ground));
    // A variety so small that no block costs more than another.
    let of = |seed: u64| find_path(&graph, ends, &SearchSettings { seed, variety: 1e-12, ..Default::default() });
    let mut paths: Vec<Vec<u32>> = (0..10).map(|seed| of(seed).cells).collect();
    assert!((0..10).all(|seed| (of(seed).seconds - of(0).optimal).abs() < 1e-6 && of(seed) == of(seed)));
    paths.sort_unstable();
    paths.dedup();
    assert!(paths.len() >= 9, "{} paths of 10 seeds", paths.len());
}

#[test]
fn an_unreachable_goal_ends_at_the_nearest_ground_with_a_notice() {
    let ground = layer([30, 10], 0.5, |x, _| (x != 20).then_some((0.0, 0.0, 1.0)));
    let (from, to) = (cell(&ground, [2, 5]), cell(&ground, [25, 4]));
    let graph = SearchGraph::new(Arc::new(ground));
    let found = find_path(&graph, [from, to], &SearchSettings::default());
    let end = graph.ground.cells[found.cells[found.cells.len() - 1] as usize].column;
    assert_eq!(end, [19, 4]);
    let [SearchNotice::Unreachable { stop: 1, metres, .. }] = found.notices[..] else { panic!("{:?}", found.notices) };
    assert!((metres - 3.0).abs() < 1e-9);
}

#[test]
fn a_path_passes_every_stop_in_order() {
    let graph = SearchGraph::new(Arc::new(hills(40, 0.3, 0.5, false)));
    let stops = [[2, 2], [35, 4], [35, 4], [5, 30]].map(|column| cell(&graph.ground, column));
    let settings = SearchSettings::default();
    let found = search(&graph, &stops, &settings, &mut Scratch::default(), &Progress::new()).unwrap();
    assert_linked(&graph.ground, &found);
    let at = |stop: u32| found.cells.iter().position(|cell| *cell == stop).unwrap();
    assert!(at(stops[0]) == 0 && at(stops[1]) > 0 && at(stops[3]) == found.cells.len() - 1);
    assert!(at(stops[1]) < at(stops[3]));
}

#[test]
fn bad_queries_are_rejected_with_a_sentence() {
    let graph = SearchGraph::new(Arc::new(hills(10, 0.3, 0.5, false)));
    let ask = |stops: &[u32], variety: f64, progress: &Progress| {
        let settings = SearchSettings { variety, ..SearchSettings::default() };
        search(&graph, stops, &settings, &mut Scratch::default(), progress).unwrap_err()
    };
    let (free, cancelled) = (Progress::new(), Progress::new());
    cancelled.cancel();
    assert_eq!(ask(&[0, 100], 0.0, &free), SearchError::NoSuchCell { cell: 100, cells: 100 });
    assert_eq!(ask(&[0], 0.0, &free), SearchError::TooFewStops);
    assert_eq!(ask(&[], 0.0, &free), SearchError::TooFewStops);
    for variety in [-0.01, 1.01, f64::NAN] {
        assert!(matches!(ask(&[0, 1], variety, &free), SearchError::BadVariety { .. }), "{variety}");
    }
    assert!([0.0, 1.0].iter().all(|&variety| {
        let settings = SearchSettings { variety, ..SearchSettings::default() };
        search(&graph, &[0, 99], &settings, &mut Scratch::default(), &free).is_ok()
    }));
    assert!(matches!(ask(&[0, 99], 0.0, &cancelled), SearchError::Cancelled(_)));
}
