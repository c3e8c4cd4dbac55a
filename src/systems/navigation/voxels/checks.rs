//! Whether settings and a level can become ground at all, and what to be warned of.

use glam::Vec3;

use super::grid::Voxels;
use super::{AreaStroke, Effect, Shape, SpeedCurve, VoxelError, VoxelSettings};
use crate::geometry::Level;

/// The most columns: a square of 848 m at cells of 0.3 m.
const MOST_COLUMNS: f64 = 8e6;
/// The most columns along one axis.
const MOST_ALONG: f64 = 65_535.0;
/// The most voxels upwards; a little less than two bytes hold, since head room is added to heights.
const MOST_UP: f64 = 65_000.0;

/// The largest voxel, metres.
const LARGEST: f64 = 10.0;

/// The lowest and highest corner of a level that can become ground; else why it cannot.
pub(super) fn level(level: &Level, settings: &VoxelSettings) -> Result<(Vec3, Vec3), VoxelError> {
    for triangle in &level.triangles {
        let mesh = || level.mesh_name(triangle);
        let corners = level.corners(triangle).ok_or_else(|| VoxelError::MissingCorner { mesh: mesh() })?;
        if !corners.iter().all(|corner| corner.is_finite()) {
            return Err(VoxelError::NotFinite { mesh: mesh() });
        }
    }
    let (low, high) = level.bounds().ok_or(VoxelError::Empty)?;
    let [wide, tall, deep] = (high.as_dvec3() - low.as_dvec3()).to_array();
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
    Ok((low, high))
}

/// Refuses settings that make no sense.
pub(super) fn settings(settings: &VoxelSettings) -> Result<(), VoxelError> {
    let VoxelSettings { cell, cell_height, radius, height, climb, slope_limit, .. } = *settings;
    let ranges = [
        ("cell size", cell, 0.01, LARGEST, "m"),
        ("voxel height", cell_height, 0.01, LARGEST, "m"),
        ("radius of the character", radius, 0.0, 120.0 * cell, "m"),
        ("height of the character", height, cell_height, 250.0 * cell_height, "m"),
        ("climb", climb, 0.0, 250.0 * cell_height, "m"),
        ("slope limit", slope_limit, 0.0, 89.9, "degrees"),
    ];
    for (name, value, low, high, unit) in ranges {
        within(name, value, [low, high], unit)?;
    }
    curve("uphill speed curve", &settings.speed_up)?;
    curve("downhill speed curve", &settings.speed_down)?;
    let named = settings.volumes.iter().map(|it| ("volume", &it.name, it.effect));
    for (kind, name, effect) in named.chain(settings.surfaces.iter().map(|it| ("surface", &it.name, it.effect))) {
        if let Effect::Speed(factor) = effect {
            let what = format!("speed factor of the {kind} \"{name}\"");
            if !(0.01..=100.0).contains(&factor) {
                let remedy = "Set it between 0.01 and 100, or block that ground to keep everybody out.";
                return Err(refuse(&what, &format!("is {factor}"), remedy));
            }
        }
    }
    settings.volumes.iter().try_for_each(|volume| shape(&volume.name, &volume.shape))
}

fn within(name: &str, value: f64, [low, high]: [f64; 2], unit: &str) -> Result<(), VoxelError> {
    // Written so that what is no number fails too.
    if value >= low && value <= high {
        return Ok(());
    }
    let (reason, remedy) =
        (format!("is {value} {unit}"), format!("Set it between {} and {} {unit}", shown(low), shown(high)));
    Err(refuse(name, reason.trim_end(), &format!("{}.", remedy.trim_end())))
}

/// At most four digits after the point.
fn shown(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

fn refuse(name: &str, reason: &str, remedy: &str) -> VoxelError {
    VoxelError::Setting { name: name.into(), reason: reason.into(), remedy: remedy.into() }
}

fn curve(name: &str, curve: &SpeedCurve) -> Result<(), VoxelError> {
    let points = &curve.points;
    if points.is_empty() {
        return Err(refuse(name, "has no points", "Draw at least one."));
    }
    if !points.iter().all(|[slope, _]| (0.0..=90.0).contains(slope)) {
        return Err(refuse(name, "has a point outside 0 to 90 degrees", "Move it inside."));
    }
    if let Some([slope, speed]) = points.iter().find(|[_, speed]| !(*speed > 0.0 && *speed <= 100.0)) {
        let reason = format!(
            "has {speed} m/s at {slope} degrees, and a speed that is not above 0 and at most 100 m/s leads nowhere"
        );
        return Err(refuse(name, &reason, "Move that point; to close steep ground lower the slope limit instead."));
    }
    if !points.windows(2).all(|pair| pair[0][0] < pair[1][0]) {
        return Err(refuse(name, "has two points at one slope or out of order", "Put them in order of slope."));
    }
    Ok(())
}

fn shape(name: &str, shape: &Shape) -> Result<(), VoxelError> {
    let name = format!("volume \"{name}\"");
    let (numbers, upright, corners): (Vec<f64>, bool, usize) = match shape {
        Shape::Box { low, high } => ([*low, *high].concat(), low.iter().zip(high).all(|(low, high)| low <= high), 4),
        Shape::Prism { outline, low, high } => {
            (outline.iter().flatten().copied().chain([*low, *high]).collect(), low <= high, outline.len())
        }
        Shape::Painted { strokes } => return painted(&name, strokes),
    };
    if !numbers.iter().all(|number| number.is_finite()) {
        return Err(refuse(&name, "has a corner that is not a finite number", "Draw it again."));
    }
    if !upright || corners < 3 {
        return Err(refuse(&name, "has no inside", "Give it three corners or more, and its top above its bottom."));
    }
    match shape {
        Shape::Prism { outline, .. } if !is_convex(outline) => {
            Err(refuse(&name, "has an outline that bends inwards", "Split it into convex parts."))
        }
        _ => Ok(()),
    }
}

fn painted(name: &str, strokes: &[AreaStroke]) -> Result<(), VoxelError> {
    if strokes.iter().flat_map(|stroke| &stroke.points).flatten().any(|number| !number.is_finite()) {
        return Err(refuse(name, "has a place that is not a finite number", "Take it out and paint again."));
    }
    if strokes.is_empty() || strokes.iter().any(|stroke| stroke.points.is_empty()) {
        return Err(refuse(name, "has nothing painted", "Take it out and paint again."));
    }
    strokes.iter().try_for_each(|stroke| within(&format!("brush of the {name}"), stroke.radius, [0.05, 100.0], "m"))
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
pub(super) fn unknown_surfaces<'a>(settings: &'a VoxelSettings, level: &'a Level) -> impl Iterator<Item = String> + 'a {
    let unknown = settings.surfaces.iter().filter(|surface| !level.areas.contains(&surface.name));
    unknown.map(|surface| {
        format!("The level has no surface \"{}\", so its rule does nothing. Remove or rename the rule.", surface.name)
    })
}

/// Sentences about settings that work against each other.
pub(super) fn warnings(settings: &VoxelSettings, voxels: &Voxels) -> Vec<String> {
    let mut warnings = Vec::new();
    let climb = f64::from(voxels.climb) * settings.cell_height;
    let needed = 2.0 * settings.cell * settings.slope_limit.to_radians().tan();
    if climb + 1e-6 < needed {
        let reached = (climb / (2.0 * settings.cell)).atan().to_degrees();
        warnings.push(format!(
            "Slopes above {reached:.0}° are taken for ledges although the limit is {:.0}°: over two cells they rise more than the climb. Raise the climb to {needed:.2} m, make the cells {:.2} m, or lower the limit to {reached:.0}°.",
            settings.slope_limit,
            (climb / needed * settings.cell * 100.0).floor() / 100.0,
        ));
    }
    if settings.climb > 0.0 && voxels.climb == 0 {
        warnings.push(format!(
            "The climb of {:.2} m is less than one voxel of {:.2} m, so no step is taken. Make the voxels lower.",
            settings.climb, settings.cell_height
        ));
    }
    let kept = f64::from(voxels.radius) * settings.cell;
    if kept > 1.5 * settings.radius + 1e-6 {
        warnings.push(format!(
            "The radius of {:.2} m is rounded up to {kept:.2} m, which closes narrow passages. Make the cells {:.2} m.",
            settings.radius, settings.radius
        ));
    }
    warnings
}
