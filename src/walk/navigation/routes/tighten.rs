//! Tightens a line of straight pieces: bends move from cell centres to the corners of obstacles.
//!
//! Each bend is replaced by the chain of obstacle corners within the triangle of the bend and its neighbours. This is
//! the shortest connection on that side (gift wrapping; Jarvis, "On the Identification of the Convex Hull of a Finite
//! Set of Points in the Plane", 1973). Corners are found by grid traversal, so ground with several floors works like
//! ground with one.

use glam::DVec2;

use super::super::{Ground, NONE, STEPS};
use super::grid_line;

/// Distance at which the line passes a corner, in cells. No line may follow a border that is open on one side only.
const CLEARANCE_CELLS: f64 = 1e-3;
/// Passes over all bends; most lines are stable after the second.
const MAX_PASSES: usize = 8;
/// Largest number of corners that one bend may become, and of attempts to pass one corner.
const MAX_CORNERS: usize = 64;

/// A point where a line bends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bend {
    pub cell: u32,
    pub at: DVec2,
    /// True for a requested stop.
    pub is_fixed: bool,
}

/// Tightens `line`. `cost` returns the cost of a chain of bends, or `None` if it leaves the ground; only cheaper
/// chains are accepted.
pub(super) fn tighten(ground: &Ground, line: &mut Vec<Bend>, cost: impl Fn(&[Bend]) -> Option<f64>) {
    for _ in 0..MAX_PASSES {
        let mut is_taut = true;
        let mut index = 1;
        while index + 1 < line.len() {
            let piece = [line[index - 1], line[index], line[index + 1]];
            let chain = (!line[index].is_fixed).then(|| chain(ground, piece)).flatten();
            let Some(chain) = chain.filter(|chain| is_less(&cost, chain, &piece)) else {
                index += 1;
                continue;
            };
            is_taut = false;
            let corners = chain.len() - 2;
            line.splice(index..=index, chain[1..=corners].iter().copied());
            index += corners.max(1);
        }
        if is_taut {
            break;
        }
    }
}

/// True if `new` is noticeably cheaper than `old`.
fn is_less(cost: impl Fn(&[Bend]) -> Option<f64>, new: &[Bend], old: &[Bend]) -> bool {
    cost(new).zip(cost(old)).is_some_and(|(new, old)| new < old * (1.0 - 1e-9))
}

/// Returns the ends of `piece` with obstacle corners in place of its middle; `None` if the ground has no such chain.
fn chain(ground: &Ground, piece: [Bend; 3]) -> Option<Vec<Bend>> {
    let ([start, middle, goal], clearance) = (piece, CLEARANCE_CELLS * ground.cell);
    let side = (goal.at - start.at).perp_dot(middle.at - start.at).signum();
    let mut chain = vec![start];
    while chain.len() < MAX_CORNERS {
        let anchor = chain[chain.len() - 1];
        let next = tangent(ground, [anchor, goal], side * clearance)?;
        chain.push(next);
        if next.at == goal.at {
            return (next.cell == goal.cell).then_some(chain);
        }
        let is_inside = |[from, to]: [Bend; 2]| {
            side * (to.at - from.at).normalize_or_zero().perp_dot(next.at - from.at) <= 2.0 * clearance
        };
        if !is_inside([start, middle]) || !is_inside([middle, goal]) {
            return None;
        }
    }
    None
}

/// Returns the furthest point towards `goal` that is visible from `anchor` on the side given by the sign of `offset`.
/// It is the goal itself or a point `offset` metres away from a corner.
fn tangent(ground: &Ground, [anchor, goal]: [Bend; 2], offset: f64) -> Option<Bend> {
    let mut aim = goal.at;
    for _ in 0..MAX_CORNERS {
        let mut last = (anchor.cell, 0.0);
        let end = grid_line::walk(ground, anchor.cell, [anchor.at, aim], |cell, _, leave| last = (cell, leave));
        if let Some(cell) = end {
            return Some(Bend { cell, at: aim, is_fixed: goal.is_fixed && aim == goal.at });
        }
        let corner = corner(ground, last.0, [anchor.at, anchor.at.lerp(aim, last.1)], offset);
        let next = corner + (corner - anchor.at).perp().normalize_or_zero() * offset;
        // Each attempt turns further to the same side, never back.
        if offset * (aim - anchor.at).perp_dot(next - anchor.at) <= 0.0 {
            return None;
        }
        aim = next;
    }
    None
}

/// Returns the end, on the given side, of the wall that blocks a line from a cell.
fn corner(ground: &Ground, mut cell: u32, [from, to]: [DVec2; 2], side: f64) -> DVec2 {
    let offset_from_centre = |cell: u32| {
        let column = ground.cells[cell as usize].column;
        (to - ground.origin) / ground.cell - DVec2::new(f64::from(column[0]), f64::from(column[1])) - 0.5
    };
    let offset = offset_from_centre(cell);
    // Direction to the wall, and direction along it to the side.
    let ahead =
        if offset.x.abs() > offset.y.abs() { DVec2::X * offset.x.signum() } else { DVec2::Y * offset.y.signum() };
    let along = ahead.perp() * ((to - from).perp_dot(ahead.perp()) * side).signum();
    let link = |cell: u32, direction: DVec2| {
        let step = [direction.x as i32, direction.y as i32];
        STEPS.iter().position(|known| *known == step).map_or(NONE, |step| ground.links[cell as usize][step])
    };
    // If the cell ahead is open, only the corner is blocked.
    while link(cell, ahead) == NONE {
        match link(cell, along) {
            next if next != NONE && link(next, ahead) == NONE => cell = next,
            _ => break,
        }
    }
    to + (0.5 * (ahead + along) - offset_from_centre(cell)) * ground.cell
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::navigation::search::grids::{cell, layer};
    use proptest::prelude::*;

    fn drawn(rows: &[&str]) -> Ground {
        let open = |x: u32, z: u32| rows[z as usize].as_bytes()[x as usize] == b'.';
        layer([rows[0].len() as u32, rows.len() as u32], 0.5, |x, z| open(x, z).then_some((0.0, 0.0, 1.0)))
    }

    fn bend(ground: &Ground, column: [u32; 2]) -> Bend {
        let cell = cell(ground, column);
        let centre = ground.position(cell);
        Bend { cell, at: DVec2::new(centre.x, centre.z), is_fixed: false }
    }

    fn seconds(ground: &Ground, line: &[Bend]) -> Option<f64> {
        let piece = |ends: &[Bend]| {
            let pieces = grid_line::pieces(ground, ends[0].cell, [ends[0].at, ends[1].at])?;
            (pieces.last()?.cell == ends[1].cell).then(|| pieces.iter().map(|piece| piece.seconds).sum::<f64>())
        };
        line.windows(2).map(piece).sum()
    }

    #[test]
    fn a_bend_becomes_the_corners_of_the_obstacle() {
        let ground = drawn(&[".......", "..###..", "..###..", "......."]);
        let at = |column| bend(&ground, column);
        let mut line = vec![at([0, 2]), at([1, 0]), at([5, 0]), at([6, 2])];
        tighten(&ground, &mut line, |line| seconds(&ground, line));
        // Half metres: from (0.5, 2.5) by (2, 1) and (5, 1) to (6.5, 2.5).
        let shortest = 0.5 * (3.0 + 2.0 * 1.5_f64.hypot(1.5));
        let length = line.windows(2).map(|ends| ends[0].at.distance(ends[1].at)).sum::<f64>();
        assert!(length >= shortest && length < shortest + 0.01, "{length} for {shortest}");
        assert_eq!(line.len(), 4);
    }

    #[test]
    fn a_bend_without_an_obstacle_is_removed_and_a_stop_stays() {
        let ground = drawn(&["....", "....", "...."]);
        let line = [[0, 0], [2, 2], [3, 0]].map(|column| bend(&ground, column));
        let mut free = line.to_vec();
        tighten(&ground, &mut free, |line| seconds(&ground, line));
        assert_eq!(free, [line[0], line[2]]);
        let mut with_stop = vec![line[0], Bend { is_fixed: true, ..line[1] }, line[2]];
        let before = with_stop.clone();
        tighten(&ground, &mut with_stop, |line| seconds(&ground, line));
        assert_eq!(with_stop, before);
    }

    proptest! {
        #[test]
        fn a_line_stays_on_the_ground_and_takes_no_longer(
            blocked in prop::collection::hash_set((0_u32..9, 0_u32..9), 0..30),
            columns in prop::collection::vec([0_u32..9, 0_u32..9], 2..8),
        ) {
            let is_open = |x: u32, z: u32| !blocked.contains(&(x, z)) || columns.contains(&[x, z]);
            let ground = layer([9, 9], 0.5, |x, z| is_open(x, z).then_some((0.1 * f64::from(x), 11.0, 1.5)));
            let line: Vec<Bend> = columns.iter().map(|&column| bend(&ground, column)).collect();
            let before = seconds(&ground, &line);
            prop_assume!(before.is_some());
            let mut tight = line.clone();
            tighten(&ground, &mut tight, |line| seconds(&ground, line));
            let after = seconds(&ground, &tight);
            prop_assert!(after.is_some_and(|after| after <= before.unwrap_or(0.0)), "{before:?} {after:?}");
            prop_assert_eq!((tight[0], tight[tight.len() - 1]), (line[0], line[line.len() - 1]));
        }
    }
}
