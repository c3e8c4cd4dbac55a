//! Paths over the ground of whole levels, checked against an independent exhaustive search.
//!
//! The benches measure the time of queries, since a busy machine would fail such a check here.

use super::*;
use crate::navigation::voxels::{VoxelSettings, voxelise};

/// Number of starts on each level, and of goals from each.
const STARTS: usize = 8;
const GOALS: usize = 50;

const SLOPE: f64 = 45.0;
const CLIMB: f64 = 0.8;

/// Returns the ground of a level; `None` without the corpus.
fn ground_of(file: &str) -> Option<Ground> {
    let path = portamento_test_support::corpus(&format!("levels/{file}"))?;
    let level = portamento_formats::import::import(&path).unwrap().level.unwrap();
    let base = VoxelSettings { cell: 0.3, cell_height: 0.2, radius: 0.6, height: 2.0, ..VoxelSettings::default() };
    let settings = VoxelSettings { climb: CLIMB, slope_limit: SLOPE, ..base };
    Some(voxelise(&level, &settings, &Progress::new()).unwrap().ground)
}

/// Returns the travel time to every cell in whole nanoseconds, since this search needs ordered costs.
fn exhaustive(ground: &Ground, from: u32) -> impl Fn(u32) -> Option<f64> {
    let next = |&cell: &u32| {
        let links = ground.links[cell as usize].into_iter().filter(|to| *to != NONE);
        links.map(|next| (next, (ground.seconds(cell, next) * 1e9).round() as u64)).collect::<Vec<_>>()
    };
    let reached = pathfinding::prelude::dijkstra_all(&from, next);
    move |to| if to == from { Some(0.0) } else { reached.get(&to).map(|found| found.1 as f64 * 1e-9) }
}

/// Returns `count` cells spread evenly over the ground.
fn some(ground: &Ground, count: usize, shift: usize) -> impl Iterator<Item = u32> {
    let cells = ground.cells.len();
    (1..=count).map(move |number| ((number * 7919 + shift * 104_729) % cells) as u32)
}

fn assert_sound(ground: &Ground, cells: &[u32]) {
    for step in cells.windows(2) {
        let [a, b] = [step[0], step[1]].map(|cell| ground.cells[cell as usize]);
        let direction = ground.links[step[0] as usize].iter().position(|next| *next == step[1]).unwrap();
        assert_eq!([0, 1].map(|axis| b.column[axis] as i32 - a.column[axis] as i32), STEPS[direction]);
        assert!((b.height - a.height).abs() <= CLIMB + 1e-4 && f64::from(b.slope) <= SLOPE);
        let around = [(direction + 7) % 8, (direction + 1) % 8].map(|beside| ground.links[step[0] as usize][beside]);
        let open = |corner: u32| corner != NONE && ground.links[corner as usize].contains(&step[1]);
        assert!(direction % 2 == 0 || around.into_iter().all(open), "a corner is cut");
    }
}

#[test]
fn paths_over_levels_are_as_quick_as_an_exhaustive_search_finds_and_every_step_is_sound() {
    for file in ["nav_test.obj", "dungeon.obj", "undulating.obj"] {
        let Some(ground) = ground_of(file) else { return };
        let graph = SearchGraph::new(Arc::new(ground));
        let ground = &*graph.ground;
        let (mut scratch, mut unreachable) = (Scratch::default(), 0);
        for (index, from) in some(ground, STARTS, 0).enumerate() {
            let known = exhaustive(ground, from);
            for to in some(ground, GOALS, index + 1) {
                let jumping = !(from + to).is_multiple_of(4);
                let settings = SearchSettings { variety: 0.0, jumping, ..SearchSettings::default() };
                let found = search(&graph, &[from, to], &settings, &mut scratch, &Progress::new()).unwrap();
                assert_sound(ground, &found.cells);
                let end = found.cells[found.cells.len() - 1];
                assert_eq!((end == to, found.notices.is_empty()), (known(to).is_some(), known(to).is_some()), "{file}");
                unreachable += usize::from(end != to);
                let known = known(end).unwrap();
                assert!(
                    (found.seconds - known).abs() <= 1e-5 * known.max(0.1),
                    "{file}: {} for {known}",
                    found.seconds
                );
            }
        }
        println!("{file}: {} pairs, {unreachable} unreachable", STARTS * GOALS);
    }
}

#[test]
fn varied_paths_over_levels_are_sound_and_have_the_same_bits_on_any_thread() {
    for file in ["nav_test.obj", "undulating.obj"] {
        let Some(ground) = ground_of(file) else { return };
        let graph = SearchGraph::new(Arc::new(ground));
        let ends: Vec<[u32; 2]> =
            some(&graph.ground, 12, 3).zip(some(&graph.ground, 12, 8)).map(<[u32; 2]>::from).collect();
        let settings = SearchSettings { seed: 7, ..SearchSettings::default() };
        let find_path = |ends: &[u32; 2], scratch: &mut Scratch| {
            search(&graph, ends, &settings, scratch, &Progress::new()).unwrap()
        };
        let mut used = Scratch::default();
        let first: Vec<CellPath> = ends.iter().map(|pair| find_path(pair, &mut used)).collect();
        first.iter().for_each(|found| assert_sound(&graph.ground, &found.cells));
        for found in &first {
            assert!(found.seconds <= found.bound * found.optimal && found.seconds >= found.optimal * (1.0 - 1e-6));
        }
        std::thread::scope(|scope| {
            let workers = [0, 5].map(|shift| {
                let (find_path, ends, first) = (&find_path, &ends, &first);
                // The memory was used by other queries before, which must not matter.
                scope.spawn(move || {
                    let mut scratch = Scratch::default();
                    let order = (0..ends.len()).map(|index| (index + shift) % ends.len());
                    order.for_each(|index| assert_eq!(find_path(&ends[index], &mut scratch), first[index]));
                })
            });
            workers.into_iter().for_each(|worker| worker.join().unwrap());
        });
    }
}
