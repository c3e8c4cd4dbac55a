//! Validation of settings and level, and warnings.

use rayon::prelude::*;

use super::grid::Voxels;
use super::{AreaStroke, Effect, SpeedCurve, VolumeShape, VoxelError, VoxelSettings};
use portamento_anim::geometry::Level;
use portamento_anim::math::Bounds;
use portamento_base::message::{Message, message};

/// Largest number of columns: a square of 848 m with voxels of 0.3 m.
pub const MAX_COLUMNS: f64 = 8e6;
/// Largest number of columns along one axis.
const MAX_COLUMNS_PER_AXIS: f64 = 65_535.0;
/// Largest number of voxels along the height. Slightly below two bytes, since head room is added to heights.
const MAX_HEIGHT_VOXELS: f64 = 65_000.0;

/// Largest voxel, metres.
const VOXEL_MAX_M: f64 = 10.0;

/// Returns the bounds of a level, or the reason why it cannot become ground.
pub(super) fn level(level: &Level, settings: &VoxelSettings) -> Result<Bounds, VoxelError> {
    let invalid = level.triangles.par_iter().find_map_first(|triangle| match level.corners(triangle) {
        None => Some(VoxelError::MissingCorner { mesh: level.mesh_name(triangle) }),
        Some(corners) => {
            let is_finite = corners.iter().all(|corner| corner.is_finite());
            (!is_finite).then(|| VoxelError::NotFinite { mesh: level.mesh_name(triangle) })
        }
    });
    invalid.map_or(Ok(()), Err)?;
    let bounds = level.bounds().ok_or(VoxelError::Empty)?;
    let [wide, tall, deep] = (bounds.high.as_dvec3() - bounds.low.as_dvec3()).to_array();
    let (cell, cell_height) = (settings.cell, settings.cell_height);
    let fits = (wide * deep / MAX_COLUMNS).sqrt().max(wide.max(deep) / (MAX_COLUMNS_PER_AXIS - 1.0));
    if fits.max(tall / MAX_HEIGHT_VOXELS) > VOXEL_MAX_M - 0.02 {
        return Err(VoxelError::TooLarge { size: wide.max(deep).max(tall), most: VOXEL_MAX_M });
    }
    if cell < fits {
        // Rounded up, so the printed advice works.
        let fits = (fits * 100.0).ceil() / 100.0 + 0.01;
        return Err(VoxelError::TooWide { wide, deep, cell, fits });
    }
    if tall / cell_height > MAX_HEIGHT_VOXELS {
        return Err(VoxelError::TooTall { tall, cell_height, fits: (tall / MAX_HEIGHT_VOXELS * 100.0).ceil() / 100.0 });
    }
    if wide.min(deep) < cell {
        return Err(VoxelError::TooSmall { wide, deep, cell });
    }
    Ok(bounds)
}

/// Returns `Err` if a setting is out of its range or a volume is invalid.
pub(super) fn settings(settings: &VoxelSettings) -> Result<(), VoxelError> {
    ranges(settings)?;
    curve(message!("setting.voxels.speed_up", "uphill speed curve"), &settings.speed_up)?;
    curve(message!("setting.voxels.speed_down", "downhill speed curve"), &settings.speed_down)?;
    for volume in &settings.volumes {
        let factor_of =
            || message!("setting.voxels.volume_factor", "speed factor of the area \"%{name}\"", name = &volume.name);
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

/// Returns `Err` if a number is out of its range.
fn ranges(settings: &VoxelSettings) -> Result<(), VoxelError> {
    let VoxelSettings { cell, cell_height, radius, height, climb, slope_limit, .. } = *settings;
    let metres = |name: Message, value: f64, range: [f64; 2]| within(name, value, range, LengthOrAngle::Metres);
    metres(message!("setting.voxels.cell", "voxel size"), cell, [0.01, VOXEL_MAX_M])?;
    metres(message!("setting.voxels.cell_height", "voxel height"), cell_height, [0.01, VOXEL_MAX_M])?;
    metres(message!("setting.voxels.radius", "character radius"), radius, [0.0, 120.0 * cell])?;
    // Recast stores voxels of height and climb in bytes.
    let tallest = 250.0 * cell_height;
    metres(message!("setting.voxels.height", "character height"), height, [cell_height, tallest])?;
    metres(message!("setting.voxels.climb", "step height"), climb, [0.0, tallest])?;
    within(message!("setting.voxels.slope_limit", "slope limit"), slope_limit, [0.0, 89.9], LengthOrAngle::Degrees)
}

/// Returns `Err` if a speed factor is out of its range.
fn factor(name: impl Fn() -> Message, effect: Effect) -> Result<(), VoxelError> {
    match effect {
        Effect::Speed(factor) if !(0.01..=100.0).contains(&factor) => Err(invalid_setting(
            name(),
            message!("reason.voxels.is", "is %{value}", value = factor.to_string()),
            message!("remedy.voxels.factor", "Set it between 0.01 and 100, or block that ground instead."),
        )),
        _ => Ok(()),
    }
}

/// Returns the error for a setting.
fn invalid_setting(name: Message, reason: Message, remedy: Message) -> VoxelError {
    VoxelError::Setting { name, reason: Box::new(reason), remedy: Box::new(remedy) }
}

/// Unit in which a setting is shown.
#[derive(Clone, Copy)]
enum LengthOrAngle {
    Metres,
    Degrees,
}

/// Returns `Err` if `value` is outside `low`…`high`.
fn within(name: Message, value: f64, [low, high]: [f64; 2], unit: LengthOrAngle) -> Result<(), VoxelError> {
    // The comparison also rejects NaN.
    if value >= low && value <= high {
        return Ok(());
    }
    let [value, low, high] = [value, rounded(low), rounded(high)].map(|number| number.to_string());
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
    Err(invalid_setting(name, reason, remedy))
}

/// Rounds to at most four decimal places.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Returns `Err` if a speed curve has no points, bad values or a bad order.
fn curve(name: Message, curve: &SpeedCurve) -> Result<(), VoxelError> {
    let points = &curve.points;
    let refuse = |reason: Message, remedy: Message| Err(invalid_setting(name, reason, remedy));
    if points.is_empty() {
        return refuse(
            message!("reason.voxels.no_points", "has no points"),
            message!("remedy.voxels.draw_one", "Draw at least one."),
        );
    }
    if !points.iter().all(|[slope, _]| (0.0..=90.0).contains(slope)) {
        return refuse(
            message!("reason.voxels.slope_range", "has a point outside 0 to 90 degrees"),
            message!("remedy.voxels.inside", "Move it into that range."),
        );
    }
    if let Some([slope, speed]) = points.iter().find(|[_, speed]| !(*speed > 0.0 && *speed <= 100.0)) {
        return refuse(
            message!(
                "reason.voxels.speed_range",
                "has %{speed} m/s at %{slope} degrees; speeds must be above 0 and at most 100 m/s",
                speed,
                slope
            ),
            message!("remedy.voxels.speed", "Move that point. To exclude steep ground, lower the slope limit instead."),
        );
    }
    if !points.windows(2).all(|pair| pair[0][0] < pair[1][0]) {
        return refuse(
            message!("reason.voxels.order", "has points out of order or with the same slope"),
            message!("remedy.voxels.order", "Sort them by slope."),
        );
    }
    Ok(())
}

/// Returns `Err` if a volume has no valid shape.
fn shape(name: &str, shape: &VolumeShape) -> Result<(), VoxelError> {
    let name = message!("setting.voxels.volume", "area \"%{name}\"", name = name);
    let (numbers, upright, corners): (Vec<f64>, bool, usize) = match shape {
        VolumeShape::Box { low, high } => {
            ([*low, *high].concat(), low.iter().zip(high).all(|(low, high)| low <= high), 4)
        }
        VolumeShape::Prism { outline, low, high } => {
            (outline.iter().flatten().copied().chain([*low, *high]).collect(), low <= high, outline.len())
        }
        VolumeShape::Painted { strokes } => return painted(name, strokes),
    };
    let refuse = |reason: Message, remedy: Message| Err(invalid_setting(name, reason, remedy));
    if !numbers.iter().all(|number| number.is_finite()) {
        return refuse(
            message!("reason.voxels.corner", "has a corner that is not a finite number"),
            message!("remedy.voxels.redraw", "Draw it again."),
        );
    }
    if !upright || corners < 3 {
        return refuse(
            message!("reason.voxels.no_inside", "has no volume"),
            message!("remedy.voxels.corners", "Give it at least three corners, and a top above its bottom."),
        );
    }
    match shape {
        VolumeShape::Prism { outline, .. } if !is_convex(outline) => refuse(
            message!("reason.voxels.concave", "has a concave outline"),
            message!("remedy.voxels.split", "Split it into convex parts."),
        ),
        _ => Ok(()),
    }
}

/// Returns `Err` if a painted area has no points or bad values.
fn painted(name: Message, strokes: &[AreaStroke]) -> Result<(), VoxelError> {
    let again = || message!("remedy.voxels.paint_again", "Remove it and paint again.");
    if strokes.iter().flat_map(|stroke| &stroke.points).flatten().any(|number| !number.is_finite()) {
        let reason = message!("reason.voxels.place", "has a point that is not a finite number");
        return Err(invalid_setting(name, reason, again()));
    }
    if strokes.is_empty() || strokes.iter().any(|stroke| stroke.points.is_empty()) {
        let reason = message!("reason.voxels.nothing_painted", "is empty");
        return Err(invalid_setting(name, reason, again()));
    }
    let brush = |volume: &Message| message!("setting.voxels.brush", "brush of the %{volume}", volume = volume);
    strokes.iter().try_for_each(|stroke| within(brush(&name), stroke.radius, [0.05, 100.0], LengthOrAngle::Metres))
}

/// True if an outline turns to one side only, and once around.
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

/// Returns warnings about rules for surfaces that the level does not have.
pub(super) fn unknown_surfaces<'a>(
    settings: &'a VoxelSettings,
    level: &'a Level,
) -> impl Iterator<Item = Message> + 'a {
    let unknown = settings.surfaces.iter().filter(|surface| !level.areas.contains(&surface.name));
    unknown.map(|surface| {
        message!(
            "warning.voxels.unknown_surface",
            "The level has no surface \"%{surface}\", so its rule has no effect. Remove or rename the rule.",
            surface = &surface.name
        )
    })
}

/// Returns warnings about conflicting settings.
pub(super) fn warnings(settings: &VoxelSettings, voxels: &Voxels) -> Vec<Message> {
    let mut warnings = Vec::new();
    let climb = f64::from(voxels.climb) * settings.cell_height;
    let needed = 2.0 * settings.cell * settings.slope_limit.to_radians().tan();
    if climb + 1e-6 < needed {
        let reached = (climb / (2.0 * settings.cell)).atan().to_degrees();
        // Rounded down, so that voxels of the printed size pass.
        let cell = (climb / needed * settings.cell * 100.0).floor() / 100.0;
        warnings.push(message!(
            "warning.voxels.slope_over_climb",
            "Slopes above %{reached}° count as ledges although the slope limit is %{limit}°: over two voxels they rise more than \
             the step height. Raise the step height to %{needed} m, set the voxel size to %{cell} m, or lower the slope limit to \
             %{reached}°.",
            reached = format!("{reached:.0}"),
            limit = format!("{:.0}", settings.slope_limit),
            needed = format!("{needed:.2}"),
            cell = format!("{cell:.2}"),
        ));
    }
    if settings.climb > 0.0 && voxels.climb == 0 {
        warnings.push(message!(
            "warning.voxels.climb_below_voxel",
            "The step height of %{climb} m is less than the voxel height of %{voxel} m, so no step is climbed. \
             Reduce the voxel height.",
            climb = format!("{:.2}", settings.climb),
            voxel = format!("{:.2}", settings.cell_height),
        ));
    }
    let rounded_up = f64::from(voxels.radius) * settings.cell;
    if rounded_up > 1.5 * settings.radius + 1e-6 {
        warnings.push(message!(
            "warning.voxels.radius_rounded",
            "The radius of %{radius} m is rounded up to %{kept} m, which closes narrow passages. Set the voxel size \
             to %{radius} m.",
            radius = format!("{:.2}", settings.radius),
            kept = format!("{rounded_up:.2}"),
        ));
    }
    warnings
}
