//! A level to walkable ground.
//!
//! The stages are Recast's (Mikko Mononen, *Recast Navigation*), span by span what it makes:
//! triangles become spans of voxels; spans that are too steep, at a drop, under a low ceiling or too near a border are taken
//! out one after the other; what is left is the [`super::Ground`]. Every span remembers what took it out.

#[cfg(test)]
mod against_the_crate;
pub mod area;
mod area_stroke;
mod bands;
mod checks;
mod columns;
mod error;
mod fill;
mod floors;
mod grid;
mod link;
mod map;
mod rasterise;
mod reasons;
mod sample;
mod settings;
mod slope;
mod solid;
mod speed;
mod stairs;
#[cfg(test)]
mod tests;

use self::area::Rules;
use self::bands::Band;
use self::grid::Voxels;
use self::speed::Speeds;
use crate::geometry::Level;
use crate::message::{Message, message};
use crate::progress::{Cancelled, Progress};

pub use area_stroke::AreaStroke;
pub use checks::MOST_COLUMNS;
pub use error::VoxelError;
pub use floors::Floors;
pub use map::{State, VoxelMap, VoxelSpan};
pub use reasons::{Reason, SettingChange, way_in, why};
pub use settings::{Effect, SpeedCurve, SurfaceRule, Volume, VolumeShape, VoxelSettings};
pub use slope::SlopeCode;
pub use solid::SolidSpans;

/// Floors above one another that the compact field can number.
const MOST_FLOORS: usize = 62;

/// The walkable ground of a level, and what became of every span.
///
/// Errors when the level or a setting makes no sense, when the level has too many voxels or floors, or when `progress` was
/// cancelled. A level on which nothing can be walked is no error but a warning.
pub fn voxelise(level: &Level, settings: &VoxelSettings, progress: &Progress) -> Result<VoxelMap, VoxelError> {
    checks::settings(settings)?;
    let grid = grid::over(checks::level(level, settings)?, settings);
    let voxels = Voxels::from_settings(settings);
    let bands = bands::over(level, &grid);
    let mut solid = fill::spans(level, settings, &grid, &bands, progress)?;
    let mut map = VoxelMap::new(settings, &grid);
    map.warnings = checks::warnings(settings, &voxels);
    map.warnings.extend(checks::unknown_surfaces(settings, level));
    solid.keep_low_obstacles(voxels.climb, &bands);
    map.take_spans(&solid);
    stage(progress, 60)?;
    filter(&mut solid, &voxels, &bands, progress)?;
    map.take_filtered(&solid, &voxels);
    stage(progress, 72)?;
    sample::steep_slopes(&mut map, level, &grid, progress)?;
    let surface = sample::surface(&map, level, &bands, progress)?;
    surface.give_slopes(&mut map);
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
        level.areas.iter().map(|name| map.rules_of_surface(name).map(speed::factor).product()).collect();
    map.ground = link::ground(&mut map, floors, &bands, &surface, &Speeds::new(&rules, &surface, &on_surfaces));
    map.warnings.extend(what_is_missing(&map));
    stage(progress, 100)?;
    Ok(map)
}

fn stage(progress: &Progress, percent: usize) -> Result<(), Cancelled> {
    progress.step(percent, 100)
}

/// Recast's filters for drops and low ceilings.
fn filter(solid: &mut SolidSpans, voxels: &Voxels, bands: &[Band], progress: &Progress) -> Result<(), Cancelled> {
    solid.drop_ledges(voxels, bands);
    stage(progress, 68)?;
    solid.drop_low_rooms(voxels, bands);
    Ok(())
}

/// Refuses more floors above one another than maps can number.
fn check_floors(map: &VoxelMap) -> Result<(), VoxelError> {
    let walkable = |column: usize| map.column(column).iter().filter(|span| span.state == State::Walkable).count();
    let columns = map.columns[0] as usize * map.columns[1] as usize;
    let (floors, worst) = (0..columns).map(|column| (walkable(column), column)).max().unwrap_or_default();
    if floors <= MOST_FLOORS {
        return Ok(());
    }
    let at = map.middle(worst);
    Err(VoxelError::TooManyFloors { floors, most: MOST_FLOORS, x: at.x, z: at.y })
}

/// A sentence about ground that is not there.
fn what_is_missing(map: &VoxelMap) -> Option<Message> {
    if !map.ground.cells.is_empty() {
        return None;
    }
    let counted = [
        (State::Steep, message!("state.steep", "too steep, or facing down: the faces may be the wrong way around")),
        (State::Ledge, message!("state.ledge", "at a drop")),
        (State::Ceiling, message!("state.ceiling", "under a ceiling that is too low")),
        (State::Radius, message!("state.radius", "too near a wall or drop")),
        (State::Blocked, message!("state.blocked", "in a part that is not to be walked on")),
    ]
    .map(|(state, place)| (map.spans.iter().filter(|span| span.state == state).count(), place));
    let (_, place) = counted.into_iter().max_by_key(|(count, _)| *count)?;
    Some(message!(
        "warning.voxels.no_ground",
        "There is no walkable ground: most of the level is %{place}.",
        place = place
    ))
}

/// The first stage alone: the solid spans of all triangles, each with its slope. Errors as [`voxelise`].
pub fn rasterise(level: &Level, settings: &VoxelSettings, progress: &Progress) -> Result<SolidSpans, VoxelError> {
    checks::settings(settings)?;
    let grid = grid::over(checks::level(level, settings)?, settings);
    fill::spans(level, settings, &grid, &bands::over(level, &grid), progress)
}

/// The stages to eroded floors alone; [`Floors::clear`] tells which are left. Errors as [`voxelise`].
pub fn floors(level: &Level, settings: &VoxelSettings, progress: &Progress) -> Result<Floors, VoxelError> {
    checks::settings(settings)?;
    let grid = grid::over(checks::level(level, settings)?, settings);
    let (voxels, bands) = (Voxels::from_settings(settings), bands::over(level, &grid));
    let mut solid = fill::spans(level, settings, &grid, &bands, progress)?;
    solid.keep_low_obstacles(voxels.climb, &bands);
    filter(&mut solid, &voxels, &bands, progress)?;
    Ok(Floors::new(&solid, &voxels, &bands))
}
