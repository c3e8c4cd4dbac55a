//! Routes: cells become a taut line with rounded corners that never leaves walkable ground.

mod grid_line;
mod route_set;
mod tighten;

pub use route_set::{RouteSet, RouteSetSettings, RouteVariant, route_set};

use std::f64::consts::PI;

use glam::{DVec2, DVec3};

use tighten::{Bend, tighten};

use super::Ground;
use super::search::{BlockCosts, CellPath, PathLink, SearchGraph, SearchNotice, SearchSettings};

/// Largest number of cells that one straight piece spans. Tuned; no derivation recorded.
const PIECE_MAX_CELLS: usize = 256;

/// Consecutive failed bends after which the search for a longer straight piece ends. Tuned; no derivation recorded.
const MAX_MISSES: usize = 6;

/// Heading change per segment of an arc, radians.
const ARC_STEP_RADIANS: f64 = PI / 18.0;

/// A route to walk along.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Every cell that the line crosses, in order; each is linked to the next, by a step or by a link.
    pub cells: Vec<u32>,
    /// Points of the line on the ground, metres.
    pub points: Vec<DVec3>,
    /// Travel time from the first point to each, seconds.
    pub times: Vec<f64>,
    /// The links on the route, in order.
    pub crossings: Vec<RouteCrossing>,
    /// Travel time along the whole line, seconds.
    pub seconds: f64,
    /// Length of the line, metres.
    pub length: f64,
    /// Guaranteed largest ratio of travel time to `optimal`.
    pub bound: f64,
    /// Travel time of the quickest cell path, including the first and last step to the requested end points, seconds.
    pub optimal: f64,
    /// Sum of all heading changes, radians.
    pub turning: f64,
    /// Number of changes to another class of slope or speed.
    pub changes: usize,
    /// Notices for the animator.
    pub notices: Vec<SearchNotice>,
}

/// A link on a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteCrossing {
    /// Index of the link in [`SearchGraph::links`].
    pub link: u32,
    /// Index of the point where it starts; it lands at the next point.
    pub point: usize,
}

/// Converts `found` to a route. It is pulled taut, and corners are rounded to `radius` (metres) or less where there is
/// no room. Radius 0 keeps corners sharp; the quickest route then touches the corners of obstacles. Measured with the
/// seed's block costs, no piece takes noticeably longer than the cells it replaces. The line starts and ends at `ends`
/// if these are in the first and last cell, otherwise at the cells' centres.
pub fn route(graph: &SearchGraph, found: &CellPath, settings: &SearchSettings, radius: f64, ends: [DVec3; 2]) -> Route {
    let costs = (settings.variety > 0.0).then(|| BlockCosts::new(graph, settings.seed, settings.variety));
    let mut route = Route {
        cells: Vec::new(),
        points: Vec::new(),
        times: Vec::new(),
        crossings: Vec::new(),
        seconds: 0.0,
        length: 0.0,
        bound: found.bound,
        optimal: found.optimal,
        turning: 0.0,
        changes: 0,
        notices: found.notices.clone(),
    };
    let mut flat: Vec<DVec2> = Vec::new();
    // Each leg is a separate line, so that no straight piece leads across a link.
    for leg in legs(graph, found, ends) {
        let line = leg_line(graph, &leg, costs.as_ref(), radius);
        route.optimal += line.end_seconds;
        route.changes += line.draped.cells.windows(2).filter(|step| graph.turns(step[0], step[1])).count();
        flat.extend(line.flat);
        route.cells.extend(line.draped.cells);
        let start = route.seconds;
        route.times.extend(line.draped.points.iter().map(|point| start + point.seconds));
        route.points.extend(line.draped.points.iter().map(|point| point.at));
        route.seconds = route.times.last().copied().unwrap_or(start);
        if let Some(link) = leg.link {
            route.crossings.push(RouteCrossing { link, point: route.points.len() - 1 });
            route.seconds += graph.links[link as usize].seconds;
        }
    }
    route.length = route.points.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
    route.turning =
        (1..flat.len().saturating_sub(1)).map(|middle| turn([flat[middle - 1], flat[middle], flat[middle + 1]])).sum();
    route
}

/// A part of a path that is walked without a link.
struct Leg<'a> {
    cells: &'a [u32],
    /// Indices in `cells` of the start, every stop and the end.
    stops: Vec<usize>,
    /// Requested start and end of the line, metres.
    ends: [DVec3; 2],
    /// The link that follows.
    link: Option<u32>,
}

/// Returns the parts of a path between its links.
fn legs<'a>(graph: &SearchGraph, found: &'a CellPath, [start, goal]: [DVec3; 2]) -> Vec<Leg<'a>> {
    let (mut legs, mut first, mut from) = (Vec::new(), 0, start);
    let mut leg = |first: usize, last: usize, ends: [DVec3; 2], link: Option<u32>| {
        let mut stops: Vec<usize> =
            found.stops.iter().filter(|stop| (first..=last).contains(*stop)).map(|stop| stop - first).collect();
        if stops.first() != Some(&0) {
            stops.insert(0, 0);
        }
        if stops.len() < 2 || stops.last() != Some(&(last - first)) {
            stops.push(last - first);
        }
        legs.push(Leg { cells: &found.cells[first..=last], stops, ends, link });
    };
    for PathLink { at, link } in &found.links {
        let obstacle = &graph.links[*link as usize].obstacle;
        leg(first, *at, [from, obstacle.start], Some(*link));
        (first, from) = (at + 1, obstacle.landing);
    }
    leg(first, found.cells.len().saturating_sub(1), [from, goal], None);
    legs
}

/// The line of a leg.
struct LegLine {
    draped: Draped,
    flat: Vec<DVec2>,
    /// Travel time between the requested ends and the centres of their cells, seconds.
    end_seconds: f64,
}

/// Returns the taut line of a leg with rounded corners.
fn leg_line(graph: &SearchGraph, leg: &Leg, costs: Option<&BlockCosts>, radius: f64) -> LegLine {
    let ground = &*graph.ground;
    let mut corners = taut(graph, leg, costs);
    let end_seconds = extend(ground, &mut corners, leg.ends);
    // Arcs need the room that cell centres leave, and varied routes would merge at the obstacles' corners.
    if radius == 0.0 && costs.is_none() {
        let seconds = |line: &[Bend]| line.windows(2).map(|ends| cost(graph, [ends[0], ends[1]], None)).sum();
        tighten(ground, &mut corners, seconds);
    }
    let flat = rounded(ground, &corners, radius);
    let start = leg.cells.first().copied().unwrap_or_default();
    LegLine { draped: draped(ground, start, &flat), flat, end_seconds }
}

/// Returns a cell's centre in the ground plane.
fn flat(ground: &Ground, cell: u32) -> DVec2 {
    let position = ground.position(cell);
    DVec2::new(position.x, position.z)
}
/// Returns a bend at a cell's centre.
fn middle(ground: &Ground, cell: u32) -> Bend {
    Bend { cell, at: flat(ground, cell), is_fixed: false }
}

/// Returns the cost of a straight line between two bends, seconds times block factors; `None` if it leaves the ground.
fn cost(graph: &SearchGraph, [from, to]: [Bend; 2], costs: Option<&BlockCosts>) -> Option<f64> {
    let pieces = grid_line::pieces(&graph.ground, from.cell, [from.at, to.at])?;
    if pieces.last()?.cell != to.cell {
        return None;
    }
    let Some(costs) = costs else { return Some(pieces.iter().map(|piece| piece.seconds).sum()) };
    let last = pieces.len() - 1;
    // A crossing, like a step, applies its factor to the half cells before and after it.
    let share = |index: usize| if index == 0 || index == last { 1.0 } else { 0.5 };
    let crossing = |index: usize| {
        let [a, b] = [pieces[index], pieces[index + 1]];
        f64::from(costs.factor(graph, a.cell, b.cell)) * (a.seconds * share(index) + b.seconds * share(index + 1))
    };
    Some((0..last).map(crossing).sum())
}

/// Returns the bends of the taut line: the first cell, the last, every stop, and the corners between.
fn taut(graph: &SearchGraph, leg: &Leg, costs: Option<&BlockCosts>) -> Vec<Bend> {
    let cells = leg.cells;
    let bend = |index: usize| middle(&graph.ground, cells[index]);
    let mut elapsed = vec![0.0];
    for step in 1..cells.len() {
        let step = cost(graph, [bend(step - 1), bend(step)], costs).unwrap_or(f64::INFINITY);
        elapsed.push(elapsed[elapsed.len() - 1] + step);
    }
    let slack = costs.map_or(1.0, |costs| costs.slack) + 1e-9;
    let mut retained: Vec<Bend> = cells.first().map(|_| bend(0)).into_iter().collect();
    for ends in leg.stops.windows(2) {
        let bends = bends(graph, cells, ends[0], ends[1]);
        let mut anchor = 0;
        while anchor + 1 < bends.len() {
            let from = bends[anchor];
            let (mut best, mut misses) = (anchor + 1, 0);
            for (next, &to) in bends.iter().enumerate().skip(anchor + 2) {
                if misses > MAX_MISSES || to - from > PIECE_MAX_CELLS {
                    break;
                }
                let max_cost = (elapsed[to] - elapsed[from]) * slack;
                let good = cost(graph, [bend(from), bend(to)], costs).is_some_and(|cost| cost <= max_cost);
                (best, misses) = if good { (next, 0) } else { (best, misses + 1) };
            }
            anchor = best;
            retained.push(bend(bends[anchor]));
        }
        retained.last_mut().into_iter().for_each(|stop| stop.is_fixed = true);
    }
    retained
}

/// Returns the indices from `first` to `last` where the path changes direction. Both ends and every 16th index
/// between them are included.
fn bends(graph: &SearchGraph, cells: &[u32], first: usize, last: usize) -> Vec<usize> {
    let column = |index: usize| graph.ground.cells[cells[index] as usize].column.map(i64::from);
    let step = |index: usize| [0, 1].map(|axis| column(index + 1)[axis] - column(index)[axis]);
    let bend = |index: &usize| {
        *index == first || *index == last || (index - first).is_multiple_of(16) || step(index - 1) != step(*index)
    };
    (first..=last).filter(bend).collect()
}

/// Returns the change of heading at `b`, radians, 0…π.
fn turn([a, b, c]: [DVec2; 3]) -> f64 {
    let (before, after) = (b - a, c - b);
    before.perp_dot(after).atan2(before.dot(after)).abs()
}

/// Returns the line with corners rounded to `radius` (metres) where there is room.
fn rounded(ground: &Ground, corners: &[Bend], radius: f64) -> Vec<DVec2> {
    let at: Vec<DVec2> = corners.iter().map(|corner| corner.at).collect();
    let mut points: Vec<DVec2> = at.first().copied().into_iter().collect();
    for index in 1..at.len().saturating_sub(1) {
        let [a, b, c] = [at[index - 1], at[index], at[index + 1]];
        let bend = turn([a, b, c]);
        let mut reach = (radius * (0.5 * bend).tan()).min(0.5 * a.distance(b)).min(0.5 * b.distance(c));
        // A bend that nearly reverses or is nearly straight gives no useful arc.
        let has_arc = bend > 1e-6 && bend < 0.95 * PI;
        let mut best = vec![b];
        while has_arc && reach > 0.02 * ground.cell {
            let arc = arc([a, b, c], bend, reach);
            if fits(ground, corners[index].cell, b, &arc) {
                best = arc;
                break;
            }
            reach *= 0.5;
        }
        points.extend(best);
    }
    // Adjacent arcs that meet half-way share a point.
    points.dedup_by(|next, before| next.distance(*before) < 1e-9);
    points.extend(at.iter().skip(1).last());
    points
}

/// Returns points along the arc that touches both sides of the corner `b` at `reach` metres from it, both touching points
/// included. `bend` is the change of heading at `b`, radians, above 0 and below π.
fn arc([a, b, c]: [DVec2; 3], bend: f64, reach: f64) -> Vec<DVec2> {
    let (along, out) = ((b - a).normalize_or_zero(), (c - b).normalize_or_zero());
    let inward = (out - along * along.dot(out)).normalize_or_zero();
    let radius = reach / (0.5 * bend).tan();
    let count = (bend / ARC_STEP_RADIANS).ceil().max(2.0) as usize;
    let point = |step: usize| {
        let angle = bend * step as f64 / count as f64;
        b - along * reach + radius * (along * angle.sin() + inward * (1.0 - angle.cos()))
    };
    (0..=count).map(point).collect()
}

/// True if an arc stays on the ground and is no slower than the corner it replaces.
fn fits(ground: &Ground, corner: u32, corner_point: DVec2, arc: &[DVec2]) -> bool {
    let [Some(first), Some(last)] = [arc.first(), arc.last()] else { return false };
    let end = |to: DVec2| grid_line::walk(ground, corner, [corner_point, to], |_, _, _| ());
    let (Some(start), Some(goal)) = (end(*first), end(*last)) else { return false };
    let (Some(round), Some(sharp)) = (along(ground, start, arc), along(ground, start, &[*first, corner_point, *last]))
    else {
        return false;
    };
    round.cell == goal && sharp.cell == goal && round.seconds <= sharp.seconds * (1.0 + 1e-9)
}

/// Connects a line to the requested end points. Returns the travel time between these points and the centres of their
/// cells, seconds.
fn extend(ground: &Ground, line: &mut Vec<Bend>, ends: [DVec3; 2]) -> f64 {
    let (Some(&first), Some(&last)) = (line.first(), line.last()) else { return 0.0 };
    let end = |bend: Bend, end: DVec3| Bend { at: within(ground, bend.cell, end), is_fixed: true, ..bend };
    let [start, goal] = [end(first, ends[0]), end(last, ends[1])];
    let seconds = |from: Bend, to: Bend| along(ground, from.cell, &[from.at, to.at]).map_or(0.0, |end| end.seconds);
    let end_seconds = seconds(start, first) + seconds(last, goal);
    line.iter_mut().rev().take(1).for_each(|centre| centre.is_fixed = false);
    line.insert(0, start);
    line.push(goal);
    // Skip the centres of the end cells if that is no slower.
    for at_goal in [false, true] {
        if line.len() > 2 {
            let mut straight = line.clone();
            straight.remove(if at_goal { line.len() - 2 } else { 1 });
            let along = |line: &[Bend]| along(ground, first.cell, &line.iter().map(|bend| bend.at).collect::<Vec<_>>());
            let is_good = |(old, new): &(LineEnd, LineEnd)| {
                new.seconds <= old.seconds * (1.0 + 1e-9) && is_same_ground(ground, new.cell, last.cell)
            };
            if let Some((_, end)) = along(line).zip(along(&straight)).filter(is_good) {
                straight.last_mut().into_iter().for_each(|goal| goal.cell = end.cell);
                *line = straight;
            }
        }
    }
    end_seconds
}

/// True if a point in the columns of both cells is on the same ground: a goal on a border belongs to all cells there, and
/// a line to it ends in the first of them.
fn is_same_ground(ground: &Ground, end: u32, goal: u32) -> bool {
    end == goal || ground.links[end as usize].contains(&goal)
}

/// Returns `point` if it is within the column of `cell` or on its border, otherwise the cell's centre.
fn within(ground: &Ground, cell: u32, point: DVec3) -> DVec2 {
    let (middle, point) = (flat(ground, cell), DVec2::new(point.x, point.z));
    let half = 0.5 * ground.cell;
    // Round numbers are on borders, and rounding must not move them by half a cell.
    let inside = (point - middle).abs().max_element() <= half + 1e-6;
    if inside { point.clamp(middle - half, middle + half) } else { middle }
}

/// End of a line over the ground.
#[derive(Clone, Copy)]
struct LineEnd {
    cell: u32,
    /// Travel time from the start of the line, seconds.
    seconds: f64,
}

/// Follows a line from `cell`; `None` if it leaves the ground.
fn along(ground: &Ground, mut cell: u32, line: &[DVec2]) -> Option<LineEnd> {
    let mut seconds = 0.0;
    for ends in line.windows(2) {
        let pieces = grid_line::pieces(ground, cell, [ends[0], ends[1]])?;
        seconds += pieces.iter().map(|piece| piece.seconds).sum::<f64>();
        cell = pieces.last()?.cell;
    }
    Some(LineEnd { cell, seconds })
}

/// A line projected onto the ground.
struct Draped {
    /// The cells below it, from first to last.
    cells: Vec<u32>,
    points: Vec<TimedPoint>,
}

/// A point of a route and the travel time from the start.
#[derive(Clone, Copy)]
struct TimedPoint {
    at: DVec3,
    seconds: f64,
}
/// Projects a line onto the ground, with travel times.
fn draped(ground: &Ground, start: u32, flat: &[DVec2]) -> Draped {
    let on = |cell: u32, point: DVec2| DVec3::new(point.x, grid_line::height(ground, cell, point), point.y);
    let (mut cells, mut seconds) = (vec![start], 0.0);
    let first = flat.first().map(|point| TimedPoint { at: on(start, *point), seconds: 0.0 });
    let mut points: Vec<TimedPoint> = first.into_iter().collect();
    for ends in flat.windows(2) {
        let mut projected = Vec::new();
        for piece in grid_line::pieces(ground, cells[cells.len() - 1], [ends[0], ends[1]]).into_iter().flatten() {
            let point_at = |share: f64| on(piece.cell, ends[0].lerp(ends[1], share));
            // The centre of a long piece is included, as the ground bends at the centres of cells.
            let middle = point_at(0.5 * (piece.enter + piece.leave));
            projected.push(TimedPoint { at: middle, seconds: seconds + 0.5 * piece.seconds });
            seconds += piece.seconds;
            projected.push(TimedPoint { at: point_at(piece.leave), seconds });
            if cells.last() != Some(&piece.cell) {
                cells.push(piece.cell);
            }
        }
        thinned(&mut points, &projected);
    }
    Draped { cells, points }
}

/// Appends a straight piece, without points that are within a tenth of a millimetre of the line.
fn thinned(points: &mut Vec<TimedPoint>, projected: &[TimedPoint]) {
    let Some(last) = projected.last().map(|point| point.at) else { return };
    for (index, point) in projected.iter().enumerate() {
        let Some(from) = points.last().map(|point| point.at) else { break };
        let (position, to) = (point.at, projected.get(index + 1).map_or(last, |next| next.at));
        let segment = to - from;
        let share = if segment.length_squared() > 0.0 {
            (position - from).dot(segment) / segment.length_squared()
        } else {
            1.0
        };
        let bent = (from + segment * share).distance(position) > 1e-4;
        if (bent && position.distance(from) > 1e-9) || index + 1 == projected.len() {
            points.push(*point);
        }
    }
}
