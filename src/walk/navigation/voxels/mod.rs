//! Conversion of a level to walkable ground.
//!
//! The stages are those of Recast (Mikko Mononen, *Recast Navigation*) and give the same spans. Triangles become spans
//! of voxels. Spans that are too steep, at a drop, under a low ceiling or too near a border are removed one after the
//! other. The rest is the [`super::Ground`]. Every span records why it was removed.

#[cfg(test)]
mod rerecast_comparison;
mod surface;
mod spans;
mod checks;
mod error;
mod floors;
mod grid;
mod link;
mod map;
mod reasons;
mod settings;
#[cfg(test)]
mod tests;

use self::grid::Voxels;
use self::spans::bands::Band;
use self::surface::area::Rules;
use self::surface::speed::Speeds;
use portamento_anim::geometry::Level;
use portamento_base::message::{Message, message};
use portamento_base::progress::{Cancelled, Progress};

pub use checks::MAX_COLUMNS;
pub use error::VoxelError;
pub use floors::Floors;
pub use map::{State, VoxelMap, VoxelSpan};
pub use reasons::{
    Obstacle, Reason, SettingChange, changes_between, obstacle_between, reason_at, short_treads, suggested_changes,
};
pub use settings::{Effect, SpeedCurve, SurfaceRule, Volume, VolumeShape, VoxelSettings};
pub use spans::solid::SolidSpans;
pub use surface::area;
pub use surface::area_stroke::AreaStroke;
pub use surface::slope::SlopeCode;

/// Largest number of floors that the compact field can number.
const MAX_FLOORS: usize = 62;

/// Returns the walkable ground of a level, and the state of every span.
///
/// Returns `Err` if:
/// - the voxel size or height is outside 0.01…10 m, or the slope limit outside 0…89.9°;
/// - the character's radius is outside 0…120 voxels;
/// - its height is outside 1…250 voxel heights, or its climb outside 0…250;
/// - a speed curve has no points, a slope outside 0…90°, slopes that do not rise, or a speed outside 0…100 m/s (0 excluded);
/// - the speed factor of a volume or surface is outside 0.01…100;
/// - a volume has a number that is not finite, is empty, has no inside, or has a concave outline;
/// - a brush of a painted volume is outside 0.05…100 m;
/// - the level has no faces, a face without its vertex, or a vertex that is not finite;
/// - the level is narrower than a voxel, wider than 8 million columns or 65,534 along a side, or taller than 65,000 voxels;
/// - the level has more than 8 million spans, or more than 62 floors in a column;
/// - `progress` was cancelled.
///
/// A level without walkable ground gives a warning, not an error.
pub fn voxelise(level: &Level, settings: &VoxelSettings, progress: &Progress) -> Result<VoxelMap, VoxelError> {
    checks::settings(settings)?;
    let grid = grid::over(checks::level(level, settings)?, settings);
    let voxels = Voxels::from_settings(settings);
    let bands = spans::bands::over(level, &grid);
    let mut solid = spans::fill::spans(level, settings, &grid, &bands, progress)?;
    let mut map = VoxelMap::new(settings, &grid);
    map.warnings = checks::warnings(settings, &voxels);
    map.warnings.extend(checks::unknown_surfaces(settings, level));
    solid.keep_low_obstacles(voxels.climb, &bands);
    map.take_spans(&solid);
    stage(progress, 60)?;
    filter(&mut solid, &voxels, &bands, progress)?;
    map.take_filtered(&solid, &voxels);
    stage(progress, 72)?;
    surface::sample::steep_slopes(&mut map, level, &grid, progress)?;
    let surface = surface::sample::surface(&map, level, &bands, progress)?;
    surface.set_slopes(&mut map);
    stage(progress, 80)?;
    check_floors(&map)?;
    let floors = Floors::new(&solid, &voxels, &bands);
    drop(solid);
    map.take_eroded(&floors);
    stage(progress, 84)?;
    let rules = Rules::new(&settings.volumes);
    map.apply_rules(&rules, &surface, level);
    stage(progress, 90)?;
    let on_surfaces: Vec<f64> =
        level.areas.iter().map(|name| map.rules_of_surface(name).map(surface::speed::factor).product()).collect();
    map.ground = link::ground(&mut map, floors, &bands, &surface, &Speeds::new(&rules, &surface, &on_surfaces));
    map.warnings.extend(no_ground_warning(&map));
    stage(progress, 100)?;
    Ok(map)
}

/// Reports the progress of a finished stage.
fn stage(progress: &Progress, percent: usize) -> Result<(), Cancelled> {
    progress.step(percent, 100)
}

/// Applies Recast's filters for drops and low ceilings. Returns `Err` if cancelled.
fn filter(solid: &mut SolidSpans, voxels: &Voxels, bands: &[Band], progress: &Progress) -> Result<(), Cancelled> {
    solid.drop_ledges(voxels, bands);
    stage(progress, 68)?;
    solid.drop_low_rooms(voxels, bands);
    Ok(())
}

/// Returns `Err` if a column has more floors than maps can number.
fn check_floors(map: &VoxelMap) -> Result<(), VoxelError> {
    let walkable = |column: usize| map.column(column).iter().filter(|span| span.state == State::Walkable).count();
    let columns = map.columns[0] as usize * map.columns[1] as usize;
    let (floors, worst) = (0..columns).map(|column| (walkable(column), column)).max().unwrap_or_default();
    if floors <= MAX_FLOORS {
        return Ok(());
    }
    let position = map.middle(worst);
    Err(VoxelError::TooManyFloors { floors, most: MAX_FLOORS, x: position.x, z: position.y })
}

/// Returns a warning if there is no ground, with the most frequent reason.
fn no_ground_warning(map: &VoxelMap) -> Option<Message> {
    if !map.ground.cells.is_empty() {
        return None;
    }
    let counted = [
        (State::Steep, message!("state.steep", "too steep or facing down (check the face normals)")),
        (State::Ledge, message!("state.ledge", "at a drop")),
        (State::Ceiling, message!("state.ceiling", "under a low ceiling")),
        (State::Radius, message!("state.radius", "too near a wall or drop")),
        (State::Blocked, message!("state.blocked", "blocked by an area or a surface rule")),
    ]
    .map(|(state, reason)| (map.spans.iter().filter(|span| span.state == state).count(), reason));
    let (_, reason) = counted.into_iter().max_by_key(|(count, _)| *count)?;
    Some(message!(
        "warning.voxels.no_ground",
        "The level has no walkable ground. Most of it is %{place}.",
        place = reason
    ))
}

/// Runs the first stage alone: the solid spans of all triangles with their slopes. Returns `Err` as [`voxelise`].
pub fn rasterise(level: &Level, settings: &VoxelSettings, progress: &Progress) -> Result<SolidSpans, VoxelError> {
    checks::settings(settings)?;
    let grid = grid::over(checks::level(level, settings)?, settings);
    spans::fill::spans(level, settings, &grid, &spans::bands::over(level, &grid), progress)
}

/// Runs the stages up to eroded floors; [`Floors::clear`] gives those that are left. Returns `Err` as [`voxelise`].
pub fn floors(level: &Level, settings: &VoxelSettings, progress: &Progress) -> Result<Floors, VoxelError> {
    checks::settings(settings)?;
    let grid = grid::over(checks::level(level, settings)?, settings);
    let (voxels, bands) = (Voxels::from_settings(settings), spans::bands::over(level, &grid));
    let mut solid = spans::fill::spans(level, settings, &grid, &bands, progress)?;
    solid.keep_low_obstacles(voxels.climb, &bands);
    filter(&mut solid, &voxels, &bands, progress)?;
    Ok(Floors::new(&solid, &voxels, &bands))
}
