//! A way made fit to be walked: cells become a taut line with rounded corners that never leaves walkable ground.

mod grid_line;
mod route_set;
mod tighten;

pub use route_set::{RouteSet, RouteSetSettings, RouteVariant, route_set};

use std::f64::consts::PI;

use glam::{DVec2, DVec3};

use tighten::{Bend, tighten};

use super::Ground;
use super::search::{BlockCosts, CellPath, SearchGraph, SearchNotice, SearchSettings};

/// Cells a straight piece may span at most; longer ones are made of several.
const SPAN: usize = 256;

/// Bends that may hide a straight piece before the search for a longer one ends.
const PATIENCE: usize = 6;

/// Heading changes within an arc, radians.
const ARC: f64 = PI / 18.0;

/// A line to walk along.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Every cell the line crosses, in order; each is linked to the next.
    pub cells: Vec<u32>,
    /// The line, metres; it lies on the ground.
    pub points: Vec<DVec3>,
    /// Seconds from the first point to each.
    pub times: Vec<f64>,
    /// Seconds along the whole line.
    pub seconds: f64,
    /// Length of the line, metres.
    pub length: f64,
    /// The way takes at most this many times `optimal`.
    pub bound: f64,
    /// Seconds of the quickest way from cell to cell, with the first and the last step to the very places asked for.
    pub optimal: f64,
    /// All changes of heading, radians.
    pub turning: f64,
    /// How often the line passes on to ground of another class of slope or speed.
    pub changes: usize,
    /// What the animator should know about the way.
    pub notices: Vec<SearchNotice>,
}

/// Pulls `found` taut and rounds its corners with a turning radius of `radius` metres, less where there is no room; 0 keeps
/// corners sharp, and the quickest way then goes round the very corners of what is in the way. By the taste of the seed that
/// found it no piece takes noticeably longer than the cells it replaces. The line begins and ends at `ends` where these lie in
/// the first and the last cell, else in the middle of the cell.
pub fn route(graph: &SearchGraph, found: &CellPath, settings: &SearchSettings, radius: f64, ends: [DVec3; 2]) -> Route {
    let ground = &*graph.ground;
    let costs = (settings.variety > 0.0).then(|| BlockCosts::new(graph, settings.seed, settings.variety));
    let mut corners = taut(graph, found, costs.as_ref());
    // Arcs need the room that the middles of cells leave, and ways of many tastes would become one at the corners.
    if radius == 0.0 && costs.is_none() {
        let seconds = |line: &[Bend]| line.windows(2).map(|ends| cost(graph, [ends[0], ends[1]], None)).sum();
        tighten(ground, &mut corners, seconds);
    }
    let ExtendedLine { line: flat, seconds: beside } =
        extended(ground, &found.cells, rounded(ground, &corners, radius), ends);
    let start = found.cells.first().copied().unwrap_or_default();
    let Draped { cells, points } = draped(ground, start, &flat);
    let (points, times): (Vec<DVec3>, Vec<f64>) = points.iter().map(|point| (point.at, point.seconds)).unzip();
    let seconds = times.last().copied().unwrap_or(0.0);
    let length = points.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
    let turning =
        (1..flat.len().saturating_sub(1)).map(|middle| turn([flat[middle - 1], flat[middle], flat[middle + 1]])).sum();
    let changes = cells.windows(2).filter(|step| graph.turns(step[0], step[1])).count();
    let (bound, optimal, notices) = (found.bound, found.optimal + beside, found.notices.clone());
    Route { cells, points, times, seconds, length, bound, optimal, turning, changes, notices }
}

fn flat(ground: &Ground, cell: u32) -> DVec2 {
    let place = ground.place(cell);
    DVec2::new(place.x, place.z)
}

fn middle(ground: &Ground, cell: u32) -> Bend {
    Bend { cell, at: flat(ground, cell), is_fixed: false }
}

/// Seconds of a straight line between two places by somebody's taste, or `None` where it leaves the ground.
fn cost(graph: &SearchGraph, [from, to]: [Bend; 2], costs: Option<&BlockCosts>) -> Option<f64> {
    let pieces = grid_line::pieces(&graph.ground, from.cell, [from.at, to.at])?;
    if pieces.last()?.cell != to.cell {
        return None;
    }
    let Some(costs) = costs else { return Some(pieces.iter().map(|piece| piece.seconds).sum()) };
    let last = pieces.len() - 1;
    // As with steps: a crossing sets the factor of the way to it and on from it, half a cell each.
    let share = |index: usize| if index == 0 || index == last { 1.0 } else { 0.5 };
    let crossing = |index: usize| {
        let [a, b] = [pieces[index], pieces[index + 1]];
        f64::from(costs.factor(graph, a.cell, b.cell)) * (a.seconds * share(index) + b.seconds * share(index + 1))
    };
    Some((0..last).map(crossing).sum())
}

/// The cells where the line bends, with the first, the last and every stop.
fn taut(graph: &SearchGraph, found: &CellPath, costs: Option<&BlockCosts>) -> Vec<Bend> {
    let cells = &found.cells;
    let bend = |index: usize| middle(&graph.ground, cells[index]);
    let mut so_far = vec![0.0];
    for step in 1..cells.len() {
        let step = cost(graph, [bend(step - 1), bend(step)], costs).unwrap_or(f64::INFINITY);
        so_far.push(so_far[so_far.len() - 1] + step);
    }
    let slack = costs.map_or(1.0, |costs| costs.slack) + 1e-9;
    let mut kept: Vec<Bend> = cells.first().map(|_| bend(0)).into_iter().collect();
    for ends in found.stops.windows(2) {
        let bends = bends(graph, cells, ends[0], ends[1]);
        let mut anchor = 0;
        while anchor + 1 < bends.len() {
            let from = bends[anchor];
            let (mut best, mut misses) = (anchor + 1, 0);
            for (next, &to) in bends.iter().enumerate().skip(anchor + 2) {
                if misses > PATIENCE || to - from > SPAN {
                    break;
                }
                let least = (so_far[to] - so_far[from]) * slack;
                let good = cost(graph, [bend(from), bend(to)], costs).is_some_and(|cost| cost <= least);
                (best, misses) = if good { (next, 0) } else { (best, misses + 1) };
            }
            anchor = best;
            kept.push(bend(bends[anchor]));
        }
        kept.last_mut().into_iter().for_each(|stop| stop.is_fixed = true);
    }
    kept
}

/// Where the way changes direction between two of its cells, and every few cells between.
fn bends(graph: &SearchGraph, cells: &[u32], first: usize, last: usize) -> Vec<usize> {
    let column = |index: usize| graph.ground.cells[cells[index] as usize].column.map(i64::from);
    let step = |index: usize| [0, 1].map(|axis| column(index + 1)[axis] - column(index)[axis]);
    let bend = |index: &usize| {
        *index == first || *index == last || (index - first).is_multiple_of(16) || step(index - 1) != step(*index)
    };
    (first..=last).filter(bend).collect()
}

/// Change of heading at the middle of three places, radians.
fn turn([a, b, c]: [DVec2; 3]) -> f64 {
    let (before, after) = (b - a, c - b);
    before.perp_dot(after).atan2(before.dot(after)).abs()
}

fn rounded(ground: &Ground, corners: &[Bend], radius: f64) -> Vec<DVec2> {
    let at: Vec<DVec2> = corners.iter().map(|corner| corner.at).collect();
    let mut points: Vec<DVec2> = at.first().copied().into_iter().collect();
    for index in 1..at.len().saturating_sub(1) {
        let [a, b, c] = [at[index - 1], at[index], at[index + 1]];
        let bend = turn([a, b, c]);
        let mut reach = (radius * (0.5 * bend).tan()).min(0.5 * a.distance(b)).min(0.5 * b.distance(c));
        // Nearly turning back, or nearly straight on, leaves no arc worth walking.
        let worth = bend > 1e-6 && bend < 0.95 * PI;
        let mut best = vec![b];
        while worth && reach > 0.02 * ground.cell {
            let arc = arc([a, b, c], bend, reach);
            if fits(ground, corners[index].cell, b, &arc) {
                best = arc;
                break;
            }
            reach *= 0.5;
        }
        points.extend(best);
    }
    // Arcs that meet half-way share a place.
    points.dedup_by(|next, before| next.distance(*before) < 1e-9);
    points.extend(at.iter().skip(1).last());
    points
}

/// Places along the arc that touches both sides of a corner `reach` metres from it.
fn arc([a, b, c]: [DVec2; 3], bend: f64, reach: f64) -> Vec<DVec2> {
    let (along, out) = ((b - a).normalize_or_zero(), (c - b).normalize_or_zero());
    let inward = (out - along * along.dot(out)).normalize_or_zero();
    let radius = reach / (0.5 * bend).tan();
    let count = (bend / ARC).ceil().max(2.0) as usize;
    let place = |step: usize| {
        let angle = bend * step as f64 / count as f64;
        b - along * reach + radius * (along * angle.sin() + inward * (1.0 - angle.cos()))
    };
    (0..=count).map(place).collect()
}

/// Whether an arc stays on the ground and is no slower than the corner it replaces.
fn fits(ground: &Ground, corner: u32, place: DVec2, arc: &[DVec2]) -> bool {
    let [Some(first), Some(last)] = [arc.first(), arc.last()] else { return false };
    let end = |to: DVec2| grid_line::walk(ground, corner, [place, to], |_, _, _| ());
    let (Some(start), Some(goal)) = (end(*first), end(*last)) else { return false };
    let (Some(round), Some(sharp)) = (along(ground, start, arc), along(ground, start, &[*first, place, *last])) else {
        return false;
    };
    round.cell == goal && sharp.cell == goal && round.seconds <= sharp.seconds * (1.0 + 1e-9)
}

/// A line from and to the very places asked for.
struct ExtendedLine {
    line: Vec<DVec2>,
    /// Seconds between these places and the middles of their cells.
    seconds: f64,
}

fn extended(ground: &Ground, cells: &[u32], mut line: Vec<DVec2>, ends: [DVec3; 2]) -> ExtendedLine {
    let (Some(&first), Some(&last)) = (cells.first(), cells.last()) else { return ExtendedLine { line, seconds: 0.0 } };
    let [start, goal] = [within(ground, first, ends[0]), within(ground, last, ends[1])];
    let seconds = |cell: u32, line: &[DVec2]| along(ground, cell, line).map_or(0.0, |end| end.seconds);
    let beside = seconds(first, &[start, flat(ground, first)]) + seconds(last, &[flat(ground, last), goal]);
    line.insert(0, start);
    line.push(goal);
    // Straight past the middles of the cells where that is no slower.
    for at_goal in [false, true] {
        if line.len() > 2 {
            let mut straight = line.clone();
            straight.remove(if at_goal { line.len() - 2 } else { 1 });
            let [old, new] = [&line, &straight].map(|line| along(ground, first, line));
            let good = |(old, new): (LineEnd, LineEnd)| new.cell == last && new.seconds <= old.seconds * (1.0 + 1e-9);
            line = if old.zip(new).is_some_and(good) { straight } else { line };
        }
    }
    ExtendedLine { line, seconds: beside }
}

/// `place` if it lies in the column of `cell` or on its border, else the middle of it.
fn within(ground: &Ground, cell: u32, place: DVec3) -> DVec2 {
    let (middle, place) = (flat(ground, cell), DVec2::new(place.x, place.z));
    let half = 0.5 * ground.cell;
    // Round numbers lie on borders, and rounding must not move them by half a cell.
    let inside = (place - middle).abs().max_element() <= half + 1e-6;
    if inside { place.clamp(middle - half, middle + half) } else { middle }
}

/// Where a line over the ground ends.
#[derive(Clone, Copy)]
struct LineEnd {
    cell: u32,
    /// Seconds from the start of the line.
    seconds: f64,
}

/// Walks along a line from `cell`; `None` where it leaves the ground.
fn along(ground: &Ground, mut cell: u32, line: &[DVec2]) -> Option<LineEnd> {
    let mut seconds = 0.0;
    for ends in line.windows(2) {
        let pieces = grid_line::pieces(ground, cell, [ends[0], ends[1]])?;
        seconds += pieces.iter().map(|piece| piece.seconds).sum::<f64>();
        cell = pieces.last()?.cell;
    }
    Some(LineEnd { cell, seconds })
}

/// A line laid on the ground.
struct Draped {
    /// The cells under it, from first to last.
    cells: Vec<u32>,
    points: Vec<TimedPoint>,
}

/// A point of a route and the seconds from the first one to it.
#[derive(Clone, Copy)]
struct TimedPoint {
    at: DVec3,
    seconds: f64,
}

fn draped(ground: &Ground, start: u32, flat: &[DVec2]) -> Draped {
    let on = |cell: u32, place: DVec2| DVec3::new(place.x, grid_line::height(ground, cell, place), place.y);
    let (mut cells, mut seconds) = (vec![start], 0.0);
    let first = flat.first().map(|place| TimedPoint { at: on(start, *place), seconds: 0.0 });
    let mut points: Vec<TimedPoint> = first.into_iter().collect();
    for ends in flat.windows(2) {
        let mut laid = Vec::new();
        for piece in grid_line::pieces(ground, cells[cells.len() - 1], [ends[0], ends[1]]).into_iter().flatten() {
            let place = |share: f64| on(piece.cell, ends[0].lerp(ends[1], share));
            // The middle of a long piece counts too: ground bends at the middles of cells.
            let middle = place(0.5 * (piece.enter + piece.leave));
            laid.push(TimedPoint { at: middle, seconds: seconds + 0.5 * piece.seconds });
            seconds += piece.seconds;
            laid.push(TimedPoint { at: place(piece.leave), seconds });
            if cells.last() != Some(&piece.cell) {
                cells.push(piece.cell);
            }
        }
        thinned(&mut points, &laid);
    }
    Draped { cells, points }
}

/// Adds a straight piece without the places that lie within a tenth of a millimetre of it anyway.
fn thinned(points: &mut Vec<TimedPoint>, laid: &[TimedPoint]) {
    let Some(last) = laid.last().map(|point| point.at) else { return };
    for (index, point) in laid.iter().enumerate() {
        let Some(from) = points.last().map(|point| point.at) else { break };
        let (place, to) = (point.at, laid.get(index + 1).map_or(last, |next| next.at));
        let way = to - from;
        let share = if way.length_squared() > 0.0 { (place - from).dot(way) / way.length_squared() } else { 1.0 };
        let bent = (from + way * share).distance(place) > 1e-4;
        if (bent && place.distance(from) > 1e-9) || index + 1 == laid.len() {
            points.push(*point);
        }
    }
}
