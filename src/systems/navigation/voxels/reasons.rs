//! Why one can or cannot walk somewhere, and the smallest change that would help.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use glam::DVec3;

use super::grid::Voxels;
use super::{Effect, State, VoxelError, VoxelMap, VoxelSettings, voxelise};
use crate::geometry::Level;
use crate::message::{message, tell};
use crate::progress::Progress;

/// The highest climb that is looked at, voxels; the settings allow no more.
const MOST_CLIMB: i32 = 250;
/// Changes on top of each other before giving up.
const MOST_CHANGES: usize = 8;

/// Why one can or cannot walk somewhere. Lengths in metres, angles in degrees, speeds in metres per second.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// Outside of the level.
    Outside,
    /// Nothing solid above or below.
    Nothing,
    /// The character can walk here.
    Walkable {
        /// Of the ground.
        slope: f64,
        /// Speed uphill, m/s.
        speed_up: f64,
        /// Speed downhill, m/s.
        speed_down: f64,
    },
    /// Over the slope limit; above 90 the face looks down.
    Steep {
        /// Of the ground.
        slope: f64,
        /// Steepest slope that is allowed.
        limit: f64,
    },
    /// The ceiling is too low.
    Ceiling {
        /// Head room there is.
        room: f64,
        /// Head room that is needed.
        height: f64,
    },
    /// At a drop or a step.
    Ledge {
        /// The climb there is.
        climb: f64,
        /// The smallest climb that is enough; `None` where the level ends.
        needed: Option<f64>,
    },
    /// Too near a border of the ground.
    Radius {
        /// Of the character.
        radius: f64,
        /// The largest radius that fits.
        fits: f64,
    },
    /// In a volume, or on a surface, that is not to be walked on.
    Blocked {
        /// The volume's name; `None` for a surface.
        volume: Option<String>,
    },
}

/// A change of one setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingChange {
    /// Another slope limit, degrees.
    SlopeLimit(f64),
    /// The character's height, metres.
    Height(f64),
    /// Another climb, metres.
    Climb(f64),
    /// The character's radius, metres.
    Radius(f64),
}

/// Why one can or cannot stand at a point, metres: on the span of its column whose top is nearest in height.
pub fn why(map: &VoxelMap, point: DVec3) -> Reason {
    let Some(column) = map.column_at(point.x, point.z) else { return Reason::Outside };
    let off = |index: usize| (map.metres(map.spans[index].high) - point.y).abs();
    let Some(index) = map.range(column).min_by(|&a, &b| off(a).total_cmp(&off(b))) else { return Reason::Nothing };
    reason(map, column, index)
}

/// The changes, one on top of the other, after which one can stand at a point, metres; `None` where no such change is known.
/// Empty where one can already. The level is made into voxels anew after each change; errors as [`voxelise`].
pub fn way_in(
    level: &Level,
    map: &VoxelMap,
    point: DVec3,
    progress: &Progress,
) -> Result<Option<Vec<SettingChange>>, VoxelError> {
    let mut settings = map.settings.clone();
    let mut changes = Vec::new();
    let mut reason = why(map, point);
    while !matches!(reason, Reason::Walkable { .. }) {
        let Some(change) = reason.change().filter(|_| changes.len() < MOST_CHANGES) else { return Ok(None) };
        change.apply(&mut settings);
        changes.push(change);
        reason = why(&voxelise(level, &settings, progress)?, point);
    }
    Ok(Some(changes))
}

/// Why a span is as it is.
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
            let at = map.middle(column);
            let within = |height: f64| {
                // The first volume that blocks is named, though several may.
                let mut holding = settings.volumes.iter().filter(|volume| volume.shape.contains([at.x, height, at.y]));
                holding.find(|volume| volume.effect == Effect::Blocked).map(|volume| volume.name.clone())
            };
            // The surface lies in the span, most likely at its top.
            Reason::Blocked { volume: within(map.metres(span.high)).or_else(|| within(map.metres(span.low))) }
        }
    }
}

/// Where the open room above a span ends, voxels.
fn ceiling(map: &VoxelMap, column: usize, index: usize) -> i32 {
    let above = (index + 1 < map.range(column).end).then(|| map.spans[index + 1].low);
    i32::from(above.unwrap_or(u16::MAX))
}

/// The column one step to -x, +z, +x or -z.
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

/// The smallest climb, metres, at which a span is no ledge.
fn climb_needed(map: &VoxelMap, column: usize, index: usize) -> Option<f64> {
    let steps = steps_beside(map, column, index)?;
    let climb = (0..=MOST_CLIMB).find(|&climb| !is_ledge(&steps, climb))?;
    Some(f64::from(climb) * map.settings.cell_height)
}

/// Whether the steps, voxels, from a span to its neighbours make it a ledge: one leads down by more than the climb, or those
/// within the climb are further apart than it.
pub(super) fn is_ledge(steps: &[i32], climb: i32) -> bool {
    let within = || steps.iter().copied().filter(|step| step.abs() <= climb).chain([0]);
    let spread = within().max().unwrap_or(0) - within().min().unwrap_or(0);
    spread > climb || steps.iter().any(|&step| step < -climb)
}

/// The steps, voxels, to all floors beside a span with room to pass; `None` where the level ends beside it.
pub(super) fn steps_beside(map: &VoxelMap, column: usize, index: usize) -> Option<Vec<i32>> {
    let height = i32::from(Voxels::from_settings(&map.settings).height);
    let (floor, top) = (i32::from(map.spans[index].high), ceiling(map, column, index));
    let mut steps = Vec::new();
    for direction in 0..4 {
        let column = neighbour(map, column, direction)?;
        let lowest = map.column(column).first().map_or(u16::MAX, |span| span.low);
        // As in Recast: room below the lowest neighbour counts as a drop out of the level.
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
    /// Of the span, in the whole map.
    index: usize,
}

/// The floor beside a floor in a direction, as the compact field links them.
fn linked(map: &VoxelMap, Floor { column, index }: Floor, direction: usize) -> Option<Floor> {
    let voxels = Voxels::from_settings(&map.settings);
    // The field keeps head room in one byte.
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
    // The lowest that fits, as the compact field links it.
    map.range(column).find(fits).map(|index| Floor { column, index })
}

/// Whether a span was left by all filters.
fn is_floor(map: &VoxelMap, index: usize) -> bool {
    matches!(map.spans[index].state, State::Walkable | State::Radius | State::Blocked)
}

/// Half cells from a floor to the nearest floor without all four neighbours: 2 a step, 3 a diagonal, as the erosion counts.
fn border_distance(map: &VoxelMap, floor: Floor) -> u32 {
    let mut open = BinaryHeap::from([Reverse((0, floor))]);
    let mut done = BTreeSet::new();
    while let Some(Reverse((distance, floor))) = open.pop() {
        if !done.insert(floor.index) {
            continue;
        }
        let beside = [0, 1, 2, 3].map(|direction| linked(map, floor, direction));
        if beside.contains(&None) {
            return distance;
        }
        for (direction, floor) in beside.into_iter().enumerate() {
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
    /// The smallest change that takes this reason away, if a setting of the character can; another reason may lie behind it.
    pub fn change(&self) -> Option<SettingChange> {
        match self {
            // A tenth of a degree up: at the limit itself ground is out.
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
    /// Makes the change.
    pub fn apply(self, settings: &mut VoxelSettings) {
        match self {
            Self::SlopeLimit(degrees) => settings.slope_limit = degrees,
            Self::Height(metres) => settings.height = metres,
            Self::Climb(metres) => settings.climb = metres,
            Self::Radius(metres) => settings.radius = metres,
        }
    }
}

tell!(Reason {
    Self::Outside => message!("why.outside", "This is outside of the level."),
    Self::Nothing => message!("why.nothing", "There is nothing to stand on here."),
    Self::Walkable { slope, speed_up, speed_down } => message!(
        "why.walkable",
        "Walkable: %{slope}°, %{up} m/s uphill, %{down} m/s downhill.",
        slope = format!("{slope:.1}"), up = format!("{speed_up:.1}"), down = format!("{speed_down:.1}")
    ),
    Self::Steep { slope, .. } if *slope > 90.0 => message!(
        "why.looks_down",
        "The face looks down; it may be the wrong way around."
    ),
    Self::Steep { slope, limit } => message!(
        "why.steep",
        "Too steep: %{slope}°, the limit is %{limit}°.",
        slope = format!("{slope:.1}"), limit = format!("{limit:.1}")
    ),
    Self::Ceiling { room, height } => message!(
        "why.ceiling",
        "The ceiling is too low: %{room} m of head room, %{height} m are needed.",
        room = format!("{room:.2}"), height = format!("{height:.2}")
    ),
    Self::Ledge { climb, needed: Some(needed) } => message!(
        "why.ledge",
        "At a drop or step of %{needed} m, higher than the climb of %{climb} m.",
        needed = format!("{needed:.2}"), climb = format!("{climb:.2}")
    ),
    Self::Ledge { needed: None, .. } => message!("why.level_ends", "The level ends beside this place."),
    Self::Radius { radius, fits } => message!(
        "why.radius",
        "Too near a wall or drop for a radius of %{radius} m; %{fits} m would fit.",
        radius = format!("{radius:.2}"), fits = format!("{fits:.2}")
    ),
    Self::Blocked { volume: Some(name) } => message!(
        "why.blocked_by_volume",
        "In \"%{name}\", which is not to be walked on.",
        name = name
    ),
    Self::Blocked { volume: None } => message!(
        "why.blocked_by_surface",
        "On a surface that is not to be walked on."
    ),
});

tell!(SettingChange {
    Self::SlopeLimit(degrees) => message!(
        "change.slope_limit",
        "Raise the slope limit to %{degrees}°.",
        degrees = format!("{degrees:.1}")
    ),
    Self::Height(metres) => message!(
        "change.height",
        "Lower the character's height to %{metres} m.",
        metres = format!("{metres:.2}")
    ),
    Self::Climb(metres) => message!(
        "change.climb",
        "Raise the climb to %{metres} m.",
        metres = format!("{metres:.2}")
    ),
    Self::Radius(metres) => message!(
        "change.radius",
        "Lower the character's radius to %{metres} m.",
        metres = format!("{metres:.2}")
    ),
});

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn on_a_level_longer_than_wide_the_drop_and_the_rims_are_told() {
        let slab = |left: f32, height: f32| {
            [[left, 0.0], [left + 3.0, 0.0], [left, 12.0], [left + 3.0, 12.0]].map(|[x, z]| Vec3::new(x, height, z))
        };
        let points = [slab(0.0, 1.0), slab(3.0, 0.0)].concat();
        let level = Level::of_mesh("steps", points, [[0, 2, 1], [1, 2, 3], [4, 6, 5], [5, 6, 7]]);
        let settings =
            VoxelSettings { cell: 0.3, cell_height: 0.2, radius: 0.6, climb: 0.8, ..VoxelSettings::default() };
        let map = voxelise(&level, &settings, &Progress::new()).unwrap();
        for z in [0.5, 1.0, 3.0, 5.9, 9.3, 11.5] {
            let Reason::Ledge { needed: Some(drop), .. } = why(&map, DVec3::new(2.9, 1.0, z)) else {
                panic!("no drop")
            };
            assert!((drop - 1.0).abs() < 1e-9, "{drop} at {z}");
            for (x, height) in [(0.1, 1.0), (5.9, 0.0)] {
                let rim = why(&map, DVec3::new(x, height, z));
                assert!(matches!(rim, Reason::Ledge { needed: None, .. }), "{rim} at {x} {z}");
            }
        }
        for z in [0.1, 11.9] {
            assert!(matches!(why(&map, DVec3::new(4.5, 0.0, z)), Reason::Ledge { needed: None, .. }), "{z}");
        }
    }

    #[test]
    fn the_radius_that_is_told_to_fit_beside_a_rim_does_and_no_wider_one() {
        let points = [[0.0, 0.0], [6.0, 0.0], [0.0, 12.0], [6.0, 12.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
        let level = Level::of_mesh("floor", points.to_vec(), [[0, 2, 1], [1, 2, 3]]);
        let settings = VoxelSettings { cell: 0.3, cell_height: 0.2, radius: 1.2, ..VoxelSettings::default() };
        let at =
            |settings: &VoxelSettings, point: DVec3| why(&voxelise(&level, settings, &Progress::new()).unwrap(), point);
        for point in [DVec3::new(0.7, 0.0, 6.0), DVec3::new(3.0, 0.0, 11.0), DVec3::new(5.0, 0.0, 1.0)] {
            let Reason::Radius { fits, .. } = at(&settings, point) else { panic!("{}", at(&settings, point)) };
            let stands = |radius: f64| {
                matches!(at(&VoxelSettings { radius, ..settings.clone() }, point), Reason::Walkable { .. })
            };
            assert!(stands(fits) && !stands(fits + settings.cell), "{fits} at {point}");
        }
    }
}
