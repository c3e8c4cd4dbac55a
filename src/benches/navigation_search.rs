//! Path search on the public grid benchmark and on sloped ground, compared with the `pathfinding` crate on the same
//! cells and costs.

use std::hint::black_box;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use portamento::progress::Progress;
use portamento::systems::navigation::{
    Cell, Ground, NONE, RouteSetSettings, STEPS, Scratch, SearchGraph, SearchSettings, route, route_set, search,
};

#[allow(dead_code, missing_docs)]
#[path = "../walk/navigation/search/grids.rs"]
mod grids;

#[path = "navigation_search/any_angle.rs"]
mod any_angle;
#[allow(dead_code, reason = "the table reads what is kept here")]
#[path = "shared/measured.rs"]
mod measured;

/// The other crate solves only every n-th query, because it is slow.
const SHARED: usize = 20;

/// Number of runs per query.
const RUNS: usize = 3;

/// Runs all parts, or only those named by arguments.
fn main() {
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let parts: [(&str, fn()); 5] = [
        ("sloped 45k", || slopes("search, 45k", 220)),
        ("sloped 180k", || slopes("search, 180k", 440)),
        ("largest", largest),
        ("any angle", any_angles),
        ("benchmark", whole_benchmark),
    ];
    for (_, run) in
        parts.iter().filter(|part| named.is_empty() || named.iter().any(|name| part.0.contains(name.as_str())))
    {
        run();
    }
}

fn keep(name: &str, milliseconds: f64) {
    measured::keep(name, Duration::from_secs_f64(milliseconds * 1e-3));
}

/// Returns the other crate's shortest time in microseconds, with an equally good heuristic.
fn other(ground: &Ground, from: u32, to: u32) -> Option<u64> {
    let fastest = ground.cells.iter().fold(0.0f32, |most, cell| most.max(cell.speed_up).max(cell.speed_down));
    let goal = ground.cells[to as usize].column;
    let pace = ground.cell * 1e6 / f64::from(fastest);
    let next = |&cell: &u32| {
        let links = ground.links[cell as usize].into_iter().filter(|to| *to != NONE);
        links.map(move |next| (next, (ground.seconds(cell, next) * 1e6).ceil() as u64))
    };
    let rest = |&cell: &u32| {
        let [x, z] = [0, 1].map(|axis| f64::from(ground.cells[cell as usize].column[axis].abs_diff(goal[axis])));
        ((x.max(z) + 0.41421 * x.min(z)) * pace) as u64
    };
    pathfinding::prelude::astar(&from, next, rest, |cell| *cell == to).map(|found| found.1)
}

fn quickest() -> SearchSettings {
    SearchSettings { variety: 0.0, ..SearchSettings::default() }
}

fn ask(graph: &SearchGraph, ends: [u32; 2], settings: &SearchSettings, scratch: &mut Scratch) -> f64 {
    shortest(|| search(graph, &ends, settings, scratch, &Progress::new()))
}

fn theirs(ground: &Ground, ends: [u32; 2]) -> f64 {
    shortest(|| other(ground, ends[0], ends[1]))
}

/// Returns the shortest of a few runs in milliseconds, which is least disturbed by other processes.
fn shortest<T>(mut run: impl FnMut() -> T) -> f64 {
    let timed = |_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..RUNS).map(timed).fold(f64::INFINITY, f64::min)
}

fn print_mean(what: &str, times: Vec<f64>) -> f64 {
    print_mean_and_p95(what, times)[0]
}

/// Prints times in milliseconds; returns their mean and 95th percentile.
fn print_mean_and_p95(what: &str, mut times: Vec<f64>) -> [f64; 2] {
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let (count, worst) = (times.len(), at(1.0));
    println!(
        "{what}: {count} queries, mean {mean:.3} ms, median {:.3}, p95 {:.3}, worst {worst:.3}",
        at(0.5),
        at(0.95)
    );
    [mean, at(0.95)]
}

fn whole_benchmark() {
    let Some(maps) = grids::benchmark() else { return };
    let (mut all, mut shared, mut scratch) = (vec![], [vec![], vec![], vec![]], Scratch::default());
    for (ground, queries) in maps {
        let graph = SearchGraph::new(Arc::new(ground));
        for query in queries {
            let ends = [query.from, query.to].map(|column| grids::cell(&graph.ground, column));
            let time = ask(&graph, ends, &quickest(), &mut scratch);
            if all.len() % SHARED == 0 {
                let stepping = SearchSettings { jumping: false, ..quickest() };
                shared[0].push(time);
                shared[1].push(ask(&graph, ends, &stepping, &mut scratch));
                shared[2].push(theirs(&graph.ground, ends));
            }
            all.push(time);
        }
    }
    print_mean("grid benchmark, all", all);
    let [ours, stepping, other] = shared;
    let ours = print_mean("grid benchmark, shared", ours);
    let stepping = print_mean("the same, no jumps", stepping);
    let other = print_mean("the same, pathfinding crate", other);
    println!("ratio {:.1}, of jumping to stepping {:.1}", other / ours, stepping / ours);
    keep("grids → quickest", ours);
    keep("grids → pathfinding", other);
}

/// Returns prepared sloped ground with that many columns per side.
fn sloped(columns: u32) -> SearchGraph {
    let ground = grids::hills(columns, 0.3, 0.8, true);
    let count = ground.cells.len();
    let start = Instant::now();
    let graph = SearchGraph::new(Arc::new(ground));
    println!("{count} sloped cells made ready in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    graph
}

/// Returns start and goal pairs, evenly spread over the ground.
fn pairs(graph: &SearchGraph, count: u64) -> impl Iterator<Item = [u32; 2]> {
    let cells = graph.ground.cells.len() as u64;
    (1..=count).map(move |number| [7919, 104_729].map(|by| (number * by % cells) as u32))
}

fn slopes(name: &str, columns: u32) {
    let graph = sloped(columns);
    let mut scratch = Scratch::default();
    let (mut exact, mut varied, mut other) = (vec![], vec![], vec![]);
    // Alternate the variants, so that other processes disturb all equally.
    for ends in pairs(&graph, 200) {
        exact.push(ask(&graph, ends, &quickest(), &mut scratch));
        other.push(theirs(&graph.ground, ends));
        varied.push(ask(&graph, ends, &SearchSettings::default(), &mut scratch));
    }
    let exact = print_mean("quickest", exact);
    let (varied, other) = (print_mean("varied", varied), print_mean("pathfinding crate", other));
    println!("ratio {:.1}", other / exact);
    for (what, time) in [("quickest", exact), ("varied", varied), ("pathfinding", other)] {
        keep(&format!("{name} → {what}"), time);
    }
    fans(&graph);
}

/// Returns opposite corners, which have the longest search.
fn corners(graph: &SearchGraph) -> [u32; 2] {
    let [x, z] = graph.ground.columns;
    [[3, 3], [x - 4, z - 4]].map(|column| grids::cell(&graph.ground, column))
}

fn fans(graph: &SearchGraph) {
    let stops = corners(graph);
    let ends = stops.map(|stop| graph.ground.position(stop));
    let settings = RouteSetSettings::default();
    let time = shortest(|| route_set(graph, &stops, ends, &settings, &Progress::new()));
    println!("route_set of {} seeds from corner to corner: {time:.1} ms", settings.count);
}

/// Measures the largest ground: hills of 512 m.
fn largest() {
    let graph = sloped(1707);
    let mut scratch = Scratch::default();
    let (mut exact, mut varied) = (vec![], vec![]);
    for ends in pairs(&graph, 2000).step_by(100) {
        exact.push(ask(&graph, ends, &quickest(), &mut scratch));
        varied.push(ask(&graph, ends, &SearchSettings::default(), &mut scratch));
    }
    keep("search, 2700k → quickest", print_mean("quickest", exact));
    let [mean, p95] = print_mean_and_p95("varied", varied);
    keep("search, 2700k → varied", mean);
    keep("search, 2700k → varied, p95", p95);
    let progress = Progress::new();
    let ends = corners(&graph);
    let waited = thread::scope(|scope| {
        let search = || search(&graph, &ends, &quickest(), &mut scratch, &progress).is_err();
        let worker = scope.spawn(search);
        thread::sleep(Duration::from_millis(20));
        let start = Instant::now();
        progress.cancel();
        (worker.join().unwrap_or(false), start.elapsed())
    });
    println!("cancelled after 20 ms: stopped {} in {:.3} ms", waited.0, waited.1.as_secs_f64() * 1e3);
}

/// Compares smoothed shortest grid paths with the true any-angle shortest paths, on maps with few corners.
fn any_angles() {
    let Some(maps) = grids::benchmark() else { return };
    let (mut ours, mut shortest, mut scratch, mut worst) = (vec![], vec![], Scratch::default(), 0.0f64);
    for (ground, queries) in maps {
        let corners = any_angle::Corners::of(&ground);
        if corners.count() > 600 || ours.len() >= 200 {
            continue;
        }
        let graph = SearchGraph::new(Arc::new(ground));
        // The longest paths of each map and a few short ones.
        for query in queries.iter().rev().step_by(queries.len().div_ceil(20)) {
            let stops = [query.from, query.to].map(|column| grids::cell(&graph.ground, column));
            let found = search(&graph, &stops, &quickest(), &mut scratch, &Progress::new());
            let (Ok(found), Some(least)) = (found, corners.shortest(query.from, query.to)) else { continue };
            if least == 0.0 || !found.notices.is_empty() {
                continue;
            }
            let ends = stops.map(|stop| graph.ground.position(stop));
            let length = route(&graph, &found, &quickest(), 0.0, ends).length;
            assert!(length >= least * (1.0 - 1e-9), "{length} for {least}");
            worst = worst.max(length / least - 1.0);
            ours.push(length);
            shortest.push(least);
        }
    }
    let longer: f64 = ours.iter().zip(&shortest).map(|(ours, least)| ours / least).sum::<f64>() / ours.len() as f64;
    println!(
        "{} ways at any angle: {:.3} % longer in the mean, {:.3} % at worst",
        ours.len(),
        100.0 * (longer - 1.0),
        100.0 * worst
    );
    // Relative lengths, stored as if they were times.
    keep("any angle → ours", longer);
    keep("any angle → shortest", 1.0);
}
