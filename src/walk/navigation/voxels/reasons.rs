//! Reasons why a position is walkable or blocked, and the smallest setting change that would help.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use glam::DVec3;

use super::grid::Voxels;
use super::{Effect, State, VoxelError, VoxelMap, VoxelSettings, voxelise};
use portamento_anim::geometry::Level;
use portamento_base::message::{Message, message, messages};
use portamento_base::progress::Progress;

/// Largest step height that is tried, voxels; the settings allow no more.
const MAX_CLIMB_VOXELS: i32 = 250;
/// Largest number of successive changes.
const MAX_CHANGES: usize = 8;

messages! {
/// Reason why a position is walkable or blocked. Lengths in metres, angles in degrees, speeds in m/s.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The position is outside the level.
    Outside => message!("why.outside", "Outside the level."),
    /// The column has no solid span.
    Nothing => message!("why.nothing", "No ground at this point."),
    /// The position is walkable.
    Walkable {
        /// Slope of the ground.
        slope: f64,
        /// Speed uphill, m/s.
        speed_up: f64,
        /// Speed downhill, m/s.
        speed_down: f64,
    } => message!(
        "why.walkable",
        "Walkable: %{slope}°, %{up} m/s uphill, %{down} m/s downhill.",
        slope = format!("{slope:.1}"), up = format!("{speed_up:.1}"), down = format!("{speed_down:.1}")
    ),
    /// The slope exceeds the limit; above 90 the face looks down.
    Steep {
        /// Slope of the ground.
        slope: f64,
        /// Steepest allowed slope.
        limit: f64,
    } => match *slope > 90.0 {
        true => message!("why.looks_down", "The face looks down. Check its normal."),
        false => message!(
            "why.steep",
            "Too steep: %{slope}°, the limit is %{limit}°.",
            slope = format!("{slope:.1}"), limit = format!("{limit:.1}")
        ),
    },
    /// The ceiling is too low.
    Ceiling {
        /// Available head room.
        room: f64,
        /// Required head room.
        height: f64,
    } => message!(
        "why.ceiling",
        "The ceiling is too low: %{room} m of head room, %{height} m required.",
        room = format!("{room:.2}"), height = format!("{height:.2}")
    ),
    /// The position is at a drop or a step.
    Ledge {
        /// Current step height.
        climb: f64,
        /// Smallest step height that is enough; `None` at the end of the level.
        needed: Option<f64>,
    } => match needed {
        Some(needed) => message!(
            "why.ledge",
            "Next to a drop or step of %{needed} m; the step height is %{climb} m.",
            needed = format!("{needed:.2}"), climb = format!("{climb:.2}")
        ),
        None => message!("why.level_ends", "At the edge of the level."),
    },
    /// The position is too near a border of the ground.
    Radius {
        /// Radius of the character.
        radius: f64,
        /// Largest radius that fits.
        fits: f64,
    } => message!(
        "why.radius",
        "Too near a wall or drop for a radius of %{radius} m; %{fits} m would fit.",
        radius = format!("{radius:.2}"), fits = format!("{fits:.2}")
    ),
    /// An area or a surface rule blocks the position.
    Blocked {
        /// Name of the area; `None` for a surface rule.
        volume: Option<String>,
    } => match volume {
        Some(name) => message!("why.blocked_by_volume", "Blocked by the area \"%{name}\".", name),
        None => message!("why.blocked_by_surface", "Blocked by a surface rule."),
    },
}
}

messages! {
/// A change of one setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingChange {
    /// New slope limit, degrees.
    SlopeLimit(degrees: f64) => message!(
        "change.slope_limit",
        "Raise the slope limit to %{degrees}°.",
        degrees = format!("{degrees:.1}")
    ),
    /// New height of the character, metres.
    Height(metres: f64) => message!(
        "change.height",
        "Lower the character's height to %{metres} m.",
        metres = format!("{metres:.2}")
    ),
    /// New step height, metres.
    Climb(metres: f64) => message!(
        "change.climb",
        "Raise the step height to %{metres} m.",
        metres = format!("{metres:.2}")
    ),
    /// New radius of the character, metres.
    Radius(metres: f64) => message!(
        "change.radius",
        "Lower the character's radius to %{metres} m.",
        metres = format!("{metres:.2}")
    ),
}
}

/// Returns the reason at a point (metres), for the span of its column whose top is nearest in height.
pub fn reason_at(map: &VoxelMap, point: DVec3) -> Reason {
    let Some(column) = map.column_at(point.x, point.z) else { return Reason::Outside };
    let distance = |index: usize| (map.metres(map.spans[index].high) - point.y).abs();
    let Some(index) = map.range(column).min_by(|&a, &b| distance(a).total_cmp(&distance(b))) else {
        return Reason::Nothing;
    };
    reason(map, column, index)
}

/// A point that keeps a route from a stop.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// The point, metres.
    pub at: DVec3,
    /// The reason why it is not walkable.
    pub reason: Reason,
}

/// Returns the first point on the straight line between two points (metres) that is not walkable; a point too near a border
/// counts only if nothing else bars the line. Returns `None` if the whole line is walkable.
pub fn obstacle_between(map: &VoxelMap, [from, to]: [DVec3; 2]) -> Option<Obstacle> {
    let steps = (from.distance(to) / (0.5 * map.settings.cell)).ceil().clamp(1.0, MAX_LINE_STEPS) as usize;
    let points = (0..=steps).map(|step| from.lerp(to, step as f64 / steps as f64));
    let barred = points.map(|at| Obstacle { at, reason: reason_at(map, at) });
    let mut barred: Vec<Obstacle> = barred.filter(|point| !point.reason.is_walkable()).collect();
    let at = barred.iter().position(|point| !matches!(point.reason, Reason::Radius { .. }));
    (!barred.is_empty()).then(|| barred.swap_remove(at.unwrap_or(0)))
}

/// Maximum number of points examined on a line: 500 m in steps of 5 cm.
const MAX_LINE_STEPS: f64 = 10_000.0;

/// Returns successive setting changes that make a point (metres) walkable; `None` if none are known, empty if it is
/// walkable already. The level is voxelised after each change. Returns `Err` as [`voxelise`].
pub fn suggested_changes(
    level: &Level,
    map: &VoxelMap,
    point: DVec3,
    progress: &Progress,
) -> Result<Option<Vec<SettingChange>>, VoxelError> {
    let fault = |map: &VoxelMap| Some(reason_at(map, point)).filter(|reason| !reason.is_walkable());
    changes_until_sound(level, map, progress, fault)
}

/// Returns successive setting changes that make the straight line between two points (metres) walkable, as
/// [`suggested_changes`].
pub fn changes_between(
    level: &Level,
    map: &VoxelMap,
    ends: [DVec3; 2],
    progress: &Progress,
) -> Result<Option<Vec<SettingChange>>, VoxelError> {
    changes_until_sound(level, map, progress, |map| Some(obstacle_between(map, ends)?.reason))
}

/// Returns the changes to the settings of `map` after which `fault` finds no reason any more. Each is tried by voxelising
/// `level` again. Returns `None` if no setting removes a reason, or after [`MAX_CHANGES`].
///
/// Returns `Err` if a new map cannot be built or `progress` is cancelled.
fn changes_until_sound(
    level: &Level,
    map: &VoxelMap,
    progress: &Progress,
    fault: impl Fn(&VoxelMap) -> Option<Reason>,
) -> Result<Option<Vec<SettingChange>>, VoxelError> {
    let mut settings = map.settings.clone();
    let mut changes = Vec::new();
    let mut reason = fault(map);
    while let Some(barring) = reason {
        let Some(change) = barring.change().filter(|_| changes.len() < MAX_CHANGES) else { return Ok(None) };
        change.apply(&mut settings);
        changes.push(change);
        reason = fault(&voxelise(level, &settings, progress)?);
    }
    Ok(Some(changes))
}

/// Returns the reason for the state of a span.
pub(super) fn reason(map: &VoxelMap, column: usize, index: usize) -> Reason {
    let span = &map.spans[index];
    let settings = &map.settings;
    match span.state {
        State::Walkable => {
            let [speed_up, speed_down] = map
                .ground
                .cells
                .get(span.cell as usize)
                .map_or([0.0; 2], |cell| [cell.speed_up, cell.speed_down].map(f64::from));
            Reason::Walkable { slope: f64::from(span.slope), speed_up, speed_down }
        }
        State::Steep => Reason::Steep { slope: f64::from(span.slope), limit: settings.slope_limit },
        State::Ceiling => {
            let room = f64::from(ceiling(map, column, index) - i32::from(span.high)) * settings.cell_height;
            Reason::Ceiling { room, height: settings.height }
        }
        State::Ledge => Reason::Ledge { climb: settings.climb, needed: climb_needed(map, column, index) },
        State::Radius => {
            let fits = f64::from(border_distance(map, Floor { column, index }) / 2) * settings.cell;
            Reason::Radius { radius: settings.radius, fits }
        }
        State::Blocked => {
            let centre = map.middle(column);
            let blocking_volume = |height: f64| {
                // The first blocking volume is named, though several may block.
                let mut holding =
                    settings.volumes.iter().filter(|volume| volume.shape.contains([centre.x, height, centre.y]));
                holding.find(|volume| volume.effect == Effect::Blocked).map(|volume| volume.name.clone())
            };
            // The surface is within the span, most likely at its top.
            Reason::Blocked {
                volume: blocking_volume(map.metres(span.high)).or_else(|| blocking_volume(map.metres(span.low))),
            }
        }
    }
}

/// Returns the lower end of the next span above a span, voxels; `u16::MAX` if there is none.
fn ceiling(map: &VoxelMap, column: usize, index: usize) -> i32 {
    let above_low = (index + 1 < map.range(column).end).then(|| map.spans[index + 1].low);
    i32::from(above_low.unwrap_or(u16::MAX))
}

/// Returns the column one step to -x, +z, +x or -z for direction 0, 1, 2 or 3; `None` outside of the map.
fn neighbour(map: &VoxelMap, column: usize, direction: usize) -> Option<usize> {
    let width = map.columns[0] as usize;
    let (x, z) = (column % width, column / width);
    match direction {
        0 => (x > 0).then(|| column - 1),
        1 => (z + 1 < map.columns[1] as usize).then(|| column + width),
        2 => (x + 1 < width).then(|| column + 1),
        _ => (z > 0).then(|| column - width),
    }
}

/// Returns the smallest step height in metres at which a span is no ledge; `None` at the end of the level or above
/// [`MAX_CLIMB_VOXELS`].
fn climb_needed(map: &VoxelMap, column: usize, index: usize) -> Option<f64> {
    let steps = neighbour_steps(map, column, index)?;
    let climb = (0..=MAX_CLIMB_VOXELS).find(|&climb| !is_ledge(&steps, climb))?;
    Some(f64::from(climb) * map.settings.cell_height)
}

/// True if the height differences (voxels) to the neighbours make a span a ledge. This is so if one leads down by more
/// than the climb, or those within the climb differ by more than it.
pub(super) fn is_ledge(steps: &[i32], climb: i32) -> bool {
    let within = || steps.iter().copied().filter(|step| step.abs() <= climb).chain([0]);
    let spread = within().max().unwrap_or(0) - within().min().unwrap_or(0);
    spread > climb || steps.iter().any(|&step| step < -climb)
}

/// Smallest area of treads that are reported as stairs, square metres.
const SHORT_TREADS_MIN_M2: f64 = 0.25;
/// Largest slope of a tread, degrees.
const TREAD_MAX_DEGREES: f32 = 10.0;

/// Returns a message about stairs whose steps are within the climb but whose treads are shorter than two voxels. The
/// ledge filter takes two such steps for one. Steep banks may look the same, so it is of use only where a goal cannot
/// be reached. Returns `None` if there are less than 0.25 m² of them.
pub fn short_treads(map: &VoxelMap) -> Option<Message> {
    let climb = i32::from(Voxels::from_settings(&map.settings).climb);
    let rise_at = |column: usize, index: usize| {
        let span = &map.spans[index];
        let steps = neighbour_steps(map, column, index).filter(|_| span.slope <= TREAD_MAX_DEGREES)?;
        let (low, high) = steps
            .iter()
            .filter(|step| step.abs() <= climb)
            .fold((0, 0), |(low, high), &step| (i32::min(low, step), i32::max(high, step)));
        let is_tread = steps.iter().all(|&step| step >= -climb) && low < 0 && high > 0 && high - low > climb;
        is_tread.then_some(high - low)
    };
    let is_ledge = |index: &usize| map.spans[*index].state == State::Ledge;
    let ledges = (0..map.starts.len().saturating_sub(1))
        .flat_map(|column| map.range(column).filter(is_ledge).map(move |index| (column, index)));
    let treads: Vec<(usize, i32)> =
        ledges.filter_map(|(column, index)| Some((column, rise_at(column, index)?))).collect();
    let (cell, highest) = (map.settings.cell, treads.iter().map(|(_, rise)| *rise).max()?);
    if (treads.len() as f64) * cell * cell < SHORT_TREADS_MIN_M2 {
        return None;
    }
    let position = map.middle(treads[treads.len() / 2].0);
    Some(message!(
        "warning.voxels.short_treads",
        "Stairs near x %{x} m, z %{z} m cannot be walked although their steps are within the step height of %{climb} m: their \
         treads are shorter than two voxels, so two steps count as one of %{rise} m. Set the voxel size to at most half a tread, or \
         raise the step height to %{rise} m.",
        x = format!("{:.1}", position.x),
        z = format!("{:.1}", position.y),
        climb = format!("{:.2}", map.settings.climb),
        rise = format!("{:.2}", f64::from(highest) * map.settings.cell_height),
    ))
}

/// Returns the height differences (voxels) to all adjacent floors with room to pass; `None` if the level ends next to
/// the span.
pub(super) fn neighbour_steps(map: &VoxelMap, column: usize, index: usize) -> Option<Vec<i32>> {
    let height = i32::from(Voxels::from_settings(&map.settings).height);
    let (floor, top) = (i32::from(map.spans[index].high), ceiling(map, column, index));
    let mut steps = Vec::new();
    for direction in 0..4 {
        let column = neighbour(map, column, direction)?;
        let lowest = map.column(column).first().map_or(u16::MAX, |span| span.low);
        // Recast rule: room below the lowest neighbour counts as a drop out of the level.
        if top.min(i32::from(lowest)) - floor >= height {
            return None;
        }
        for other in map.range(column) {
            let other_floor = i32::from(map.spans[other].high);
            if top.min(ceiling(map, column, other)) - floor.max(other_floor) >= height {
                steps.push(other_floor - floor);
            }
        }
    }
    Some(steps)
}

/// A span that can be stood on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Floor {
    column: usize,
    /// Index of the span in the whole map.
    index: usize,
}

/// Returns the adjacent floor in a direction (as in [`neighbour`]), linked as in the compact field; `None` if none can be
/// stepped on.
fn linked(map: &VoxelMap, Floor { column, index }: Floor, direction: usize) -> Option<Floor> {
    let voxels = Voxels::from_settings(&map.settings);
    // The field stores head room in one byte.
    let room = |column: usize, index: usize| {
        let floor = i32::from(map.spans[index].high);
        (floor, floor + (ceiling(map, column, index) - floor).min(255))
    };
    let (floor, top) = room(column, index);
    let column = neighbour(map, column, direction)?;
    let fits = |&other: &usize| {
        let (other_floor, other_top) = room(column, other);
        let gap = top.min(other_top) - floor.max(other_floor);
        is_floor(map, other)
            && gap >= i32::from(voxels.height)
            && (other_floor - floor).abs() <= i32::from(voxels.climb)
    };
    // The lowest floor that fits, as in the compact field.
    map.range(column).find(fits).map(|index| Floor { column, index })
}

/// True if all filters kept the span.
fn is_floor(map: &VoxelMap, index: usize) -> bool {
    matches!(map.spans[index].state, State::Walkable | State::Radius | State::Blocked)
}

/// Returns the distance from a floor to the nearest floor without all four neighbours in half cells: 2 per step, 3 per
/// diagonal, as in the erosion.
fn border_distance(map: &VoxelMap, floor: Floor) -> u32 {
    let mut open = BinaryHeap::from([Reverse((0, floor))]);
    let mut done = BTreeSet::new();
    while let Some(Reverse((distance, floor))) = open.pop() {
        if !done.insert(floor.index) {
            continue;
        }
        let neighbours = [0, 1, 2, 3].map(|direction| linked(map, floor, direction));
        if neighbours.contains(&None) {
            return distance;
        }
        for (direction, floor) in neighbours.into_iter().enumerate() {
            let Some(floor) = floor else { continue };
            open.push(Reverse((distance + 2, floor)));
            if let Some(corner) = linked(map, floor, (direction + 3) % 4) {
                open.push(Reverse((distance + 3, corner)));
            }
        }
    }
    0
}

impl Reason {
    /// True if the position is walkable.
    pub fn is_walkable(&self) -> bool {
        matches!(self, Self::Walkable { .. })
    }

    /// Returns the smallest change that removes this reason, if a setting of the character can; another reason may
    /// follow.
    pub fn change(&self) -> Option<SettingChange> {
        match self {
            // A tenth of a degree more, as ground at the limit itself is excluded.
            Self::Steep { slope, .. } => {
                let limit = (slope * 10.0 + 1e-3).ceil() / 10.0;
                (limit <= 89.9).then_some(SettingChange::SlopeLimit(limit))
            }
            Self::Ceiling { room, .. } => (*room > 0.0).then_some(SettingChange::Height(*room)),
            Self::Ledge { needed, .. } => needed.map(SettingChange::Climb),
            Self::Radius { fits, .. } => Some(SettingChange::Radius(*fits)),
            Self::Outside | Self::Nothing | Self::Walkable { .. } | Self::Blocked { .. } => None,
        }
    }
}

impl SettingChange {
    /// Applies the change to `settings`.
    pub fn apply(self, settings: &mut VoxelSettings) {
        match self {
            Self::SlopeLimit(degrees) => settings.slope_limit = degrees,
            Self::Height(metres) => settings.height = metres,
            Self::Climb(metres) => settings.climb = metres,
            Self::Radius(metres) => settings.radius = metres,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn on_a_level_longer_than_wide_the_drop_and_the_rims_are_reported() {
        let slab = |left: f32, height: f32| {
            [[left, 0.0], [left + 3.0, 0.0], [left, 12.0], [left + 3.0, 12.0]].map(|[x, z]| Vec3::new(x, height, z))
        };
        let points = [slab(0.0, 1.0), slab(3.0, 0.0)].concat();
        let level = Level::of_mesh("steps", points, [[0, 2, 1], [1, 2, 3], [4, 6, 5], [5, 6, 7]]);
        let settings =
            VoxelSettings { cell: 0.3, cell_height: 0.2, radius: 0.6, climb: 0.8, ..VoxelSettings::default() };
        let map = voxelise(&level, &settings, &Progress::new()).unwrap();
        for z in [0.5, 1.0, 3.0, 5.9, 9.3, 11.5] {
            let Reason::Ledge { needed: Some(drop), .. } = reason_at(&map, DVec3::new(2.9, 1.0, z)) else {
                panic!("no drop")
            };
            assert!((drop - 1.0).abs() < 1e-9, "{drop} at {z}");
            for (x, height) in [(0.1, 1.0), (5.9, 0.0)] {
                let rim = reason_at(&map, DVec3::new(x, height, z));
                assert!(matches!(rim, Reason::Ledge { needed: None, .. }), "{rim} at {x} {z}");
            }
        }
        for z in [0.1, 11.9] {
            assert!(matches!(reason_at(&map, DVec3::new(4.5, 0.0, z)), Reason::Ledge { needed: None, .. }), "{z}");
        }
    }

    #[test]
    fn the_suggested_radius_next_to_a_rim_fits_and_no_wider_one() {
        let points = [[0.0, 0.0], [6.0, 0.0], [0.0, 12.0], [6.0, 12.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
        let level = Level::of_mesh("floor", points.to_vec(), [[0, 2, 1], [1, 2, 3]]);
        let settings = VoxelSettings { cell: 0.3, cell_height: 0.2, radius: 1.2, ..VoxelSettings::default() };
        let at = |settings: &VoxelSettings, point: DVec3| {
            reason_at(&voxelise(&level, settings, &Progress::new()).unwrap(), point)
        };
        for point in [DVec3::new(0.7, 0.0, 6.0), DVec3::new(3.0, 0.0, 11.0), DVec3::new(5.0, 0.0, 1.0)] {
            let Reason::Radius { fits, .. } = at(&settings, point) else { panic!("{}", at(&settings, point)) };
            let is_walkable = |radius: f64| {
                matches!(at(&VoxelSettings { radius, ..settings.clone() }, point), Reason::Walkable { .. })
            };
            assert!(is_walkable(fits) && !is_walkable(fits + settings.cell), "{fits} at {point}");
        }
    }
}
