//! Whether settings and a level can become ground at all, and what to be warned of.

use rayon::prelude::*;

use super::grid::Voxels;
use super::{AreaStroke, Effect, SpeedCurve, VolumeShape, VoxelError, VoxelSettings};
use crate::geometry::Level;
use crate::math::Bounds;
use crate::message::{Message, message};

/// The most columns: a square of 848 m at cells of 0.3 m.
pub const MOST_COLUMNS: f64 = 8e6;
/// The most columns along one axis.
const MOST_ALONG: f64 = 65_535.0;
/// The most voxels upwards; a little less than two bytes hold, since head room is added to heights.
const MOST_UP: f64 = 65_000.0;

/// The largest voxel, metres.
const LARGEST: f64 = 10.0;

/// The lowest and highest corner of a level that can become ground; else why it cannot.
pub(super) fn level(level: &Level, settings: &VoxelSettings) -> Result<Bounds, VoxelError> {
    let wrong = level.triangles.par_iter().find_map_first(|triangle| match level.corners(triangle) {
        None => Some(VoxelError::MissingCorner { mesh: level.mesh_name(triangle) }),
        Some(corners) => {
            let is_finite = corners.iter().all(|corner| corner.is_finite());
            (!is_finite).then(|| VoxelError::NotFinite { mesh: level.mesh_name(triangle) })
        }
    });
    wrong.map_or(Ok(()), Err)?;
    let bounds = level.bounds().ok_or(VoxelError::Empty)?;
    let [wide, tall, deep] = (bounds.high.as_dvec3() - bounds.low.as_dvec3()).to_array();
    let (cell, cell_height) = (settings.cell, settings.cell_height);
    let fits = (wide * deep / MOST_COLUMNS).sqrt().max(wide.max(deep) / (MOST_ALONG - 1.0));
    if fits.max(tall / MOST_UP) > LARGEST - 0.02 {
        return Err(VoxelError::TooLarge { size: wide.max(deep).max(tall), most: LARGEST });
    }
    if cell < fits {
        // Rounded up, so that the advice holds as printed.
        let fits = (fits * 100.0).ceil() / 100.0 + 0.01;
        return Err(VoxelError::TooWide { wide, deep, cell, fits });
    }
    if tall / cell_height > MOST_UP {
        return Err(VoxelError::TooTall { tall, cell_height, fits: (tall / MOST_UP * 100.0).ceil() / 100.0 });
    }
    if wide.min(deep) < cell {
        return Err(VoxelError::TooSmall { wide, deep, cell });
    }
    Ok(bounds)
}

/// Refuses settings that make no sense.
pub(super) fn settings(settings: &VoxelSettings) -> Result<(), VoxelError> {
    ranges(settings)?;
    curve(message!("setting.voxels.speed_up", "uphill speed curve"), &settings.speed_up)?;
    curve(message!("setting.voxels.speed_down", "downhill speed curve"), &settings.speed_down)?;
    for volume in &settings.volumes {
        let factor_of =
            || message!("setting.voxels.volume_factor", "speed factor of the volume \"%{name}\"", name = &volume.name);
        factor(factor_of, volume.effect)?;
    }
    for surface in &settings.surfaces {
        let factor_of = || {
            message!("setting.voxels.surface_factor", "speed factor of the surface \"%{name}\"", name = &surface.name)
        };
        factor(factor_of, surface.effect)?;
    }
    settings.volumes.iter().try_for_each(|volume| shape(&volume.name, &volume.shape))
}

fn ranges(settings: &VoxelSettings) -> Result<(), VoxelError> {
    let VoxelSettings { cell, cell_height, radius, height, climb, slope_limit, .. } = *settings;
    let metres = |name: Message, value: f64, range: [f64; 2]| within(name, value, range, LengthOrAngle::Metres);
    metres(message!("setting.voxels.cell", "cell size"), cell, [0.01, LARGEST])?;
    metres(message!("setting.voxels.cell_height", "voxel height"), cell_height, [0.01, LARGEST])?;
    metres(message!("setting.voxels.radius", "radius of the character"), radius, [0.0, 120.0 * cell])?;
    // Recast counts voxels of height and climb in bytes.
    let tallest = 250.0 * cell_height;
    metres(message!("setting.voxels.height", "height of the character"), height, [cell_height, tallest])?;
    metres(message!("setting.voxels.climb", "climb"), climb, [0.0, tallest])?;
    within(message!("setting.voxels.slope_limit", "slope limit"), slope_limit, [0.0, 89.9], LengthOrAngle::Degrees)
}

fn factor(name: impl Fn() -> Message, effect: Effect) -> Result<(), VoxelError> {
    match effect {
        Effect::Speed(factor) if !(0.01..=100.0).contains(&factor) => Err(refused(
            name(),
            message!("reason.voxels.is", "is %{value}", value = factor.to_string()),
            message!(
                "remedy.voxels.factor",
                "Set it between 0.01 and 100, or block that ground to keep everybody out."
            ),
        )),
        _ => Ok(()),
    }
}

fn refused(name: Message, reason: Message, remedy: Message) -> VoxelError {
    VoxelError::Setting { name, reason: Box::new(reason), remedy: Box::new(remedy) }
}

/// The unit that a setting is shown in.
#[derive(Clone, Copy)]
enum LengthOrAngle {
    Metres,
    Degrees,
}

fn within(name: Message, value: f64, [low, high]: [f64; 2], unit: LengthOrAngle) -> Result<(), VoxelError> {
    // Written so that what is not a number fails too.
    if value >= low && value <= high {
        return Ok(());
    }
    let [value, low, high] = [value, shown(low), shown(high)].map(|number| number.to_string());
    let (reason, remedy) = match unit {
        LengthOrAngle::Metres => (
            message!("reason.voxels.metres", "is %{value} m", value = value),
            message!("remedy.voxels.metres", "Set it between %{low} m and %{high} m.", low = low, high = high),
        ),
        LengthOrAngle::Degrees => (
            message!("reason.voxels.degrees", "is %{value} degrees", value = value),
            message!("remedy.voxels.degrees", "Set it between %{low}° and %{high}°.", low = low, high = high),
        ),
    };
    Err(refused(name, reason, remedy))
}

/// At most four digits after the point.
fn shown(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

fn curve(name: Message, curve: &SpeedCurve) -> Result<(), VoxelError> {
    let points = &curve.points;
    let refuse = |reason: Message, remedy: Message| Err(refused(name, reason, remedy));
    if points.is_empty() {
        return refuse(
            message!("reason.voxels.no_points", "has no points"),
            message!("remedy.voxels.draw_one", "Draw at least one."),
        );
    }
    if !points.iter().all(|[slope, _]| (0.0..=90.0).contains(slope)) {
        return refuse(
            message!("reason.voxels.slope_range", "has a point outside 0 to 90 degrees"),
            message!("remedy.voxels.inside", "Move it inside."),
        );
    }
    if let Some([slope, speed]) = points.iter().find(|[_, speed]| !(*speed > 0.0 && *speed <= 100.0)) {
        return refuse(
            message!(
                "reason.voxels.speed_range",
                "has %{speed} m/s at %{slope} degrees, and a speed that is not above 0 and at most 100 m/s leads nowhere",
                speed,
                slope
            ),
            message!("remedy.voxels.speed", "Move that point; to close steep ground lower the slope limit instead."),
        );
    }
    if !points.windows(2).all(|pair| pair[0][0] < pair[1][0]) {
        return refuse(
            message!("reason.voxels.order", "has two points at one slope or out of order"),
            message!("remedy.voxels.order", "Put them in order of slope."),
        );
    }
    Ok(())
}

fn shape(name: &str, shape: &VolumeShape) -> Result<(), VoxelError> {
    let name = message!("setting.voxels.volume", "volume \"%{name}\"", name = name);
    let (numbers, upright, corners): (Vec<f64>, bool, usize) = match shape {
        VolumeShape::Box { low, high } => {
            ([*low, *high].concat(), low.iter().zip(high).all(|(low, high)| low <= high), 4)
        }
        VolumeShape::Prism { outline, low, high } => {
            (outline.iter().flatten().copied().chain([*low, *high]).collect(), low <= high, outline.len())
        }
        VolumeShape::Painted { strokes } => return painted(name, strokes),
    };
    let refuse = |reason: Message, remedy: Message| Err(refused(name, reason, remedy));
    if !numbers.iter().all(|number| number.is_finite()) {
        return refuse(
            message!("reason.voxels.corner", "has a corner that is not a finite number"),
            message!("remedy.voxels.redraw", "Draw it again."),
        );
    }
    if !upright || corners < 3 {
        return refuse(
            message!("reason.voxels.no_inside", "has no inside"),
            message!("remedy.voxels.corners", "Give it three corners or more, and its top above its bottom."),
        );
    }
    match shape {
        VolumeShape::Prism { outline, .. } if !is_convex(outline) => refuse(
            message!("reason.voxels.concave", "has an outline that bends inwards"),
            message!("remedy.voxels.split", "Split it into convex parts."),
        ),
        _ => Ok(()),
    }
}

fn painted(name: Message, strokes: &[AreaStroke]) -> Result<(), VoxelError> {
    let again = || message!("remedy.voxels.paint_again", "Take it out and paint again.");
    if strokes.iter().flat_map(|stroke| &stroke.points).flatten().any(|number| !number.is_finite()) {
        let reason = message!("reason.voxels.place", "has a place that is not a finite number");
        return Err(refused(name, reason, again()));
    }
    if strokes.is_empty() || strokes.iter().any(|stroke| stroke.points.is_empty()) {
        let reason = message!("reason.voxels.nothing_painted", "has nothing painted");
        return Err(refused(name, reason, again()));
    }
    let brush = |volume: &Message| message!("setting.voxels.brush", "brush of the %{volume}", volume = volume);
    strokes.iter().try_for_each(|stroke| within(brush(&name), stroke.radius, [0.05, 100.0], LengthOrAngle::Metres))
}

/// Whether an outline turns to one side only, and once around.
fn is_convex(outline: &[[f64; 2]]) -> bool {
    let edges = outline.iter().zip(outline.iter().cycle().skip(1)).map(|(a, b)| [b[0] - a[0], b[1] - a[1]]);
    let edges: Vec<[f64; 2]> = edges.filter(|edge| *edge != [0.0, 0.0]).collect();
    let turns = edges.iter().zip(edges.iter().cycle().skip(1)).map(|(a, b)| {
        let (cross, dot) = (a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
        cross.atan2(dot)
    });
    let (mut sum, mut size) = (0.0, 0.0);
    for turn in turns {
        sum += turn;
        size += f64::abs(turn);
    }
    (sum.abs() - size).abs() < 1e-9 && (size - std::f64::consts::TAU).abs() < 1e-6
}

/// Sentences about rules for surfaces that the level does not have.
pub(super) fn unknown_surfaces<'a>(
    settings: &'a VoxelSettings,
    level: &'a Level,
) -> impl Iterator<Item = Message> + 'a {
    let unknown = settings.surfaces.iter().filter(|surface| !level.areas.contains(&surface.name));
    unknown.map(|surface| {
        message!(
            "warning.voxels.unknown_surface",
            "The level has no surface \"%{surface}\", so its rule does nothing. Remove or rename the rule.",
            surface = &surface.name
        )
    })
}

/// Sentences about settings that work against each other.
pub(super) fn warnings(settings: &VoxelSettings, voxels: &Voxels) -> Vec<Message> {
    let mut warnings = Vec::new();
    let climb = f64::from(voxels.climb) * settings.cell_height;
    let needed = 2.0 * settings.cell * settings.slope_limit.to_radians().tan();
    if climb + 1e-6 < needed {
        let reached = (climb / (2.0 * settings.cell)).atan().to_degrees();
        // Rounded down, so that cells of the size that is named do pass.
        let cell = (climb / needed * settings.cell * 100.0).floor() / 100.0;
        warnings.push(message!(
            "warning.voxels.slope_over_climb",
            "Slopes above %{reached}° are taken for ledges although the limit is %{limit}°: over two cells they rise more than \
             the climb. Raise the climb to %{needed} m, make the cells %{cell} m, or lower the limit to %{reached}°.",
            reached = format!("{reached:.0}"),
            limit = format!("{:.0}", settings.slope_limit),
            needed = format!("{needed:.2}"),
            cell = format!("{cell:.2}"),
        ));
    }
    if settings.climb > 0.0 && voxels.climb == 0 {
        warnings.push(message!(
            "warning.voxels.climb_below_voxel",
            "The climb of %{climb} m is less than one voxel of %{voxel} m, so no step is taken. Make the voxels lower.",
            climb = format!("{:.2}", settings.climb),
            voxel = format!("{:.2}", settings.cell_height),
        ));
    }
    let kept = f64::from(voxels.radius) * settings.cell;
    if kept > 1.5 * settings.radius + 1e-6 {
        warnings.push(message!(
            "warning.voxels.radius_rounded",
            "The radius of %{radius} m is rounded up to %{kept} m, which closes narrow passages. Make the cells %{radius} m.",
            radius = format!("{:.2}", settings.radius),
            kept = format!("{kept:.2}"),
        ));
    }
    warnings
}
