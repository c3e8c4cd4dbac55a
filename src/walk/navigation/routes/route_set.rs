//! Routes of many seeds, with their differences and extra costs.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::search::{Scratch, SearchError, SearchGraph, SearchSettings, quickest_through, varied};
use super::{Route, route};
use portamento_base::progress::Progress;

/// Distance up to which routes share a corridor, metres. Tuned; no derivation recorded.
const CORRIDOR_M: f64 = 1.0;

/// Distance between compared points of a route, metres.
const SAMPLE_SPACING_M: f64 = 0.5;

/// Largest number of compared seeds.
const MAX_SEEDS: usize = 100;

/// Overlap from which all routes count as one corridor. Tuned; no derivation recorded.
const ONE_CORRIDOR_MIN_OVERLAP: f64 = 0.98;

/// Seeds and parameters of a route set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RouteSetSettings {
    /// First seed; the others follow as whole numbers.
    pub first: u64,
    /// Number of seeds, 1…100.
    pub count: usize,
    /// Allowed deviation from the quickest route, 0…1; see [`SearchSettings::variety`].
    pub variety: f64,
    /// Turning radius, metres, 0…100.
    pub radius: f64,
}

impl Default for RouteSetSettings {
    fn default() -> Self {
        Self { first: 1, count: 10, variety: 0.5, radius: 0.5 }
    }
}

/// The route of one seed with its comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteVariant {
    /// The seed.
    pub seed: u64,
    /// The route of that seed.
    pub route: Route,
    /// Share of the route within a metre of another route, averaged over the others, 0…1.
    pub overlap: f64,
    /// Extra time relative to the quickest route. It may be slightly negative, since taut lines differ from cells.
    pub extra: f64,
}

/// The routes of many seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteSet {
    /// The quickest route.
    pub quickest: Route,
    /// One variant per seed, in the order of the seeds.
    pub variants: Vec<RouteVariant>,
    /// Number of different routes.
    pub distinct: usize,
    /// Mean overlap of the variants, 0…1.
    pub overlap: f64,
    /// Mean extra time relative to the quickest route.
    pub extra: f64,
    /// Mean sum of heading changes, radians.
    pub turning: f64,
    /// True if all routes share one corridor, because no other route is nearly as quick.
    pub one_corridor: bool,
}

/// Returns the routes of many seeds through `stops`. They start and end at `ends` if these are in the first and last
/// cell. The result does not depend on the number of threads.
///
/// Returns `Err` if:
/// - `settings.count` is not within 1…100, or `settings.radius` not within 0…100 m;
/// - `settings.variety` is not within 0…1;
/// - a stop is not a cell of the ground, or there are fewer than two stops;
/// - `progress` was cancelled.
pub fn route_set(
    graph: &SearchGraph,
    stops: &[u32],
    ends: [DVec3; 2],
    settings: &RouteSetSettings,
    progress: &Progress,
) -> Result<RouteSet, SearchError> {
    check(settings)?;
    let best = quickest_through(graph, stops, true, &mut Scratch::default(), progress)?;
    let exact = SearchSettings { variety: 0.0, ..SearchSettings::default() };
    let quickest = route(graph, &best, &exact, settings.radius, ends);
    // Wraps around: a seed near the largest number is valid.
    let seeds: Vec<u64> = (0..settings.count as u64).map(|number| settings.first.wrapping_add(number)).collect();
    let done = AtomicUsize::new(0);
    let seed_route = |scratch: &mut Scratch, seed: &u64| -> Result<Route, SearchError> {
        let settings_of = SearchSettings { seed: *seed, variety: settings.variety, jumping: true };
        let found = varied(graph, &best, &settings_of, scratch, progress)?;
        let route = route(graph, &found, &settings_of, settings.radius, ends);
        progress.step(done.fetch_add(1, Ordering::Relaxed) + 1, seeds.len())?;
        Ok(route)
    };
    let routes: Result<Vec<Route>, SearchError> = seeds.par_iter().map_init(Scratch::default, seed_route).collect();
    Ok(compared(quickest, seeds, routes?))
}

/// Returns `Err` if the number of seeds or the radius is out of range.
fn check(settings: &RouteSetSettings) -> Result<(), SearchError> {
    let RouteSetSettings { count, radius, .. } = *settings;
    if !(1..=MAX_SEEDS).contains(&count) {
        return Err(SearchError::BadCount { count, most: MAX_SEEDS });
    }
    if !(0.0..=100.0).contains(&radius) {
        return Err(SearchError::BadRadius { radius });
    }
    Ok(())
}

/// Compares the routes of all seeds with each other and with the quickest one.
fn compared(quickest: Route, seeds: Vec<u64>, routes: Vec<Route>) -> RouteSet {
    let overlaps = overlaps(&routes);
    let mut different: Vec<&[u32]> = routes.iter().map(|route| &route.cells[..]).collect();
    // Equal routes are neighbours after sorting.
    different.sort_unstable();
    different.dedup();
    let distinct = different.len();
    let extra = |route: &Route| if quickest.seconds > 0.0 { route.seconds / quickest.seconds - 1.0 } else { 0.0 };
    let variant = |((seed, route), overlap)| RouteVariant { seed, extra: extra(&route), route, overlap };
    let variants: Vec<RouteVariant> = seeds.into_iter().zip(routes).zip(overlaps).map(variant).collect();
    let mean = |value: fn(&RouteVariant) -> f64| variants.iter().map(value).sum::<f64>() / variants.len().max(1) as f64;
    let (overlap, extra, turning) =
        (mean(|variant| variant.overlap), mean(|variant| variant.extra), mean(|variant| variant.route.turning));
    let one_corridor = variants.len() > 1 && overlap >= ONE_CORRIDOR_MIN_OVERLAP;
    RouteSet { quickest, distinct, overlap, extra, turning, one_corridor, variants }
}

/// Returns for each route its share near another route, averaged over the others; 1 without others.
fn overlaps(routes: &[Route]) -> Vec<f64> {
    let samples: Vec<Vec<DVec3>> = routes.iter().map(|route| sampled(&route.points)).collect();
    let blocks: Vec<Vec<([i64; 2], DVec3)>> = samples.par_iter().map(|samples| sorted(samples)).collect();
    let share = |one: usize| {
        let others = (0..routes.len()).filter(|other| *other != one);
        let near = |other: usize| samples[one].iter().filter(|sample| is_near(&blocks[other], **sample)).count();
        let shares: f64 = others.map(|other| near(other) as f64 / samples[one].len().max(1) as f64).sum();
        if routes.len() > 1 { shares / (routes.len() - 1) as f64 } else { 1.0 }
    };
    (0..routes.len()).into_par_iter().map(share).collect()
}

/// Returns evenly spaced points along a line.
fn sampled(points: &[DVec3]) -> Vec<DVec3> {
    let mut samples: Vec<DVec3> = points.first().copied().into_iter().collect();
    let mut carry = 0.0;
    for ends in points.windows(2) {
        let length = ends[0].distance(ends[1]);
        let mut at = SAMPLE_SPACING_M - carry;
        // The rest of one piece is carried over to the next, so that samples do not accumulate at corners.
        while at <= length {
            samples.push(ends[0].lerp(ends[1], at / length));
            at += SAMPLE_SPACING_M;
        }
        carry = length - (at - SAMPLE_SPACING_M);
    }
    samples
}

/// Returns the block of a point; blocks are as wide as a corridor.
fn block(point: DVec3) -> [i64; 2] {
    [(point.x / CORRIDOR_M).floor() as i64, (point.z / CORRIDOR_M).floor() as i64]
}

/// Returns the samples with their blocks, sorted by block.
fn sorted(samples: &[DVec3]) -> Vec<([i64; 2], DVec3)> {
    let mut blocks: Vec<_> = samples.iter().map(|sample| (block(*sample), *sample)).collect();
    blocks.sort_by_key(|entry| entry.0);
    blocks
}

/// True if a sample in `blocks` is within a corridor of `point`.
fn is_near(blocks: &[([i64; 2], DVec3)], point: DVec3) -> bool {
    let [x, z] = block(point);
    // Blocks are as wide as a corridor, so only neighbouring blocks can contain near points.
    (x - 1..=x + 1).any(|x| {
        let first = blocks.partition_point(|entry| entry.0 < [x, z - 1]);
        let candidates = blocks[first..].iter().take_while(|entry| entry.0 <= [x, z + 1]);
        candidates.into_iter().any(|entry| entry.1.distance_squared(point) <= CORRIDOR_M * CORRIDOR_M)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::DVec2;

    use super::*;
    use crate::navigation::search::grids::{cell, hills, layer};
    use crate::navigation::{Ground, NONE};

    fn graph(ground: Ground) -> SearchGraph {
        SearchGraph::new(Arc::new(ground))
    }

    fn spread(graph: &SearchGraph, ends: [[u32; 2]; 2], settings: &RouteSetSettings) -> RouteSet {
        let stops = ends.map(|column| cell(&graph.ground, column));
        let end_points = stops.map(|stop| graph.ground.position(stop));
        route_set(graph, &stops, end_points, settings, &Progress::new()).unwrap()
    }

    /// Checks that a route is on ground at every tenth of a cell, and that its cells are linked.
    fn assert_walkable(ground: &Ground, route: &Route) {
        for step in route.cells.windows(2) {
            assert!(ground.links[step[0] as usize].contains(&step[1]), "{step:?} is no step");
        }
        for ends in route.points.windows(2) {
            let count = (ends[0].distance(ends[1]) / ground.cell * 10.0).ceil() as usize;
            for step in 0..=count {
                let point = ends[0].lerp(ends[1], step as f64 / count.max(1) as f64);
                let column = (DVec2::new(point.x, point.z) - ground.origin) / ground.cell;
                // On a border either side is accepted.
                let open = [-1e-6, 1e-6].iter().any(|shift| {
                    let column = (column + shift).floor();
                    let index = column.y as usize * ground.columns[0] as usize + column.x as usize;
                    ground.starts[index] < ground.starts[index + 1]
                });
                assert!(open, "{point} is off the ground");
            }
        }
    }

    #[test]
    fn ten_seeds_on_open_ground_differ_for_little_time() {
        let graph = graph(hills(150, 0.3, 0.4, true));
        let pairs = [[[3, 3], [140, 120]], [[5, 140], [145, 8]], [[75, 4], [60, 145]], [[4, 70], [146, 80]]];
        let (mut sums, mut shortest) = ([0.0; 4], 0.0);
        for ends in pairs {
            let route_set = spread(&graph, ends, &RouteSetSettings::default());
            for variant in &route_set.variants {
                assert_walkable(&graph.ground, &variant.route);
                assert!(variant.route.seconds <= variant.route.bound * variant.route.optimal);
            }
            let seen = [route_set.distinct as f64, route_set.overlap, route_set.extra, route_set.turning];
            println!("{seen:.3?} against turning {:.3}", route_set.quickest.turning);
            sums = std::array::from_fn(|index| sums[index] + seen[index] / pairs.len() as f64);
            shortest += route_set.quickest.turning / pairs.len() as f64;
        }
        let [distinct, overlap, extra, turning] = sums;
        assert!(distinct >= 9.0 && overlap <= 0.80 && extra <= 0.05, "{distinct} {overlap} {extra}");
        assert!(turning <= 1.5 * shortest, "{turning} against {shortest}");
    }

    #[test]
    fn overlap_falls_as_variety_rises() {
        let graph = graph(hills(150, 0.3, 0.4, true));
        let overlap = |variety: f64| {
            let settings = RouteSetSettings { variety, ..RouteSetSettings::default() };
            let pairs = [[[3, 3], [140, 120]], [[5, 140], [145, 8]], [[75, 4], [60, 145]]];
            pairs.map(|ends| spread(&graph, ends, &settings).overlap).iter().sum::<f64>() / 3.0
        };
        let overlaps = [0.0, 0.25, 0.5, 0.75, 1.0].map(overlap);
        println!("{overlaps:.3?}");
        assert!(overlaps.windows(2).all(|pair| pair[1] <= pair[0] + 0.03), "{overlaps:?}");
        assert!(overlaps[0] == 1.0 && overlaps[4] < 0.8, "{overlaps:?}");
    }

    #[test]
    fn a_single_corridor_is_reported() {
        let ground = layer([80, 9], 0.3, |x, z| ((3..5).contains(&z) && x > 0).then_some((0.0, 0.0, 2.0)));
        let graph = graph(ground);
        let route_set = spread(&graph, [[2, 3], [77, 4]], &RouteSetSettings::default());
        assert!(route_set.one_corridor && route_set.extra < 0.02, "{} {}", route_set.overlap, route_set.extra);
    }

    #[test]
    fn each_precondition_is_checked() {
        let graph = graph(hills(10, 0.3, 0.5, false));
        let ends = [0, 99].map(|stop| graph.ground.position(stop));
        let with = |change: &dyn Fn(&mut RouteSetSettings), stops: &[u32], progress: &Progress| {
            let mut settings = RouteSetSettings::default();
            change(&mut settings);
            route_set(&graph, stops, ends, &settings, progress).map(|_| ())
        };
        let free = Progress::new();
        for count in [1, 100] {
            assert_eq!(with(&|settings| settings.count = count, &[0, 99], &free), Ok(()));
        }
        for count in [0, 101] {
            let refused = with(&|settings| settings.count = count, &[0, 99], &free);
            assert_eq!(refused, Err(SearchError::BadCount { count, most: 100 }));
        }
        assert_eq!(with(&|settings| settings.radius = 100.0, &[0, 99], &free), Ok(()));
        for radius in [-0.01, 100.01, f64::NAN] {
            let refused = with(&|settings| settings.radius = radius, &[0, 99], &free);
            assert!(matches!(refused, Err(SearchError::BadRadius { .. })), "{radius}");
        }
        let varied = with(&|settings| settings.variety = 1.01, &[0, 99], &free);
        assert_eq!(varied, Err(SearchError::BadVariety { variety: 1.01 }));
        assert_eq!(with(&|_| (), &[0, 100], &free), Err(SearchError::NoSuchCell { cell: 100, cells: 100 }));
        assert_eq!(with(&|_| (), &[0], &free), Err(SearchError::TooFewStops));
        free.cancel();
        assert!(matches!(with(&|_| (), &[0, 99], &free), Err(SearchError::Cancelled(_))));
    }

    #[test]
    fn one_thread_and_many_give_the_same_routes() {
        let graph = graph(hills(80, 0.3, 0.8, true));
        let ends = [[3, 3], [70, 60]];
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let route_set = |threads| pool(threads).install(|| spread(&graph, ends, &RouteSetSettings::default()));
        assert_eq!(route_set(1), route_set(3));
    }

    #[test]
    fn a_taut_route_is_shorter_and_turns_less_than_its_cells() {
        let ground = layer([60, 60], 0.3, |x, z| (x != 30 || z > 50).then_some((0.0, 0.0, 2.0)));
        let graph = graph(ground);
        let route_set =
            spread(&graph, [[5, 5], [55, 12]], &RouteSetSettings { variety: 0.0, ..RouteSetSettings::default() });
        let route = &route_set.quickest;
        assert!(route.seconds < route.optimal && route.length < 2.0 * route.optimal);
        assert_walkable(&graph.ground, route);
        // Around one end of a wall: no turn is sharper than the arc of the turning radius allows.
        let flat = |point: &DVec3| DVec2::new(point.x, point.z);
        let sharpest = route.points.windows(3).map(|corner| {
            let (a, b) = (flat(&corner[1]) - flat(&corner[0]), flat(&corner[2]) - flat(&corner[1]));
            a.perp_dot(b).atan2(a.dot(b)).abs()
        });
        assert!(sharpest.fold(0.0, f64::max) < 0.2);
        assert!(graph.ground.links.iter().flatten().any(|link| *link == NONE));
    }
}
