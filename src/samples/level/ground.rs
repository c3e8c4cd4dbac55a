//! The shape of the ground: hills in the north-west, a ditch from north to south, a road between opposite corners.

use glam::{DVec2, dvec2};

use super::surface::LevelSurface;

/// Half the size of the yard along x and z, metres.
pub const HALF: DVec2 = dvec2(20.0, 15.0);
/// Height of the meadow in metres. The bottom of the yard is at 0.
pub(super) const MEADOW_HEIGHT: f64 = 2.0;
/// Depth of the ditch, metres.
pub const DITCH_DEPTH: f64 = 1.5;
/// Half the width of the ditch's floor, metres.
pub(super) const DITCH_HALF_WIDTH: f64 = 0.8;
/// z of the bridge across the ditch, metres.
pub(super) const BRIDGE_Z: f64 = -1.5;
/// z of the stairs through the ditch, and half their width, metres.
pub(super) const STAIRS: [f64; 2] = [5.6, 1.6];
/// Width of a bank with stairs, metres.
pub(super) const STAIRS_LENGTH: f64 = 3.2;
/// z of the ford through the ditch, metres.
const FORD_Z: f64 = -7.4;
/// Half the width of the road, metres.
const ROAD_HALF_WIDTH: f64 = 1.1;
/// Steepest slope that is still meadow, metres per metre.
const MAX_MEADOW_SLOPE: f64 = 0.95;

/// Hills: centre, radius, height; metres.
const HILLS: [(DVec2, f64, f64); 6] = [
    (dvec2(-14.5, -8.0), 6.5, 2.3),
    (dvec2(-8.0, -10.4), 4.6, 3.3),
    (dvec2(-16.8, 1.2), 3.8, 0.9),
    (dvec2(-10.4, -5.2), 3.6, 0.8),
    (dvec2(18.5, -13.5), 4.5, 1.3),
    (dvec2(15.5, 9.0), 6.0, 1.9),
];
/// Puddles: centre, radii; metres.
const PUDDLES: [(DVec2, DVec2); 2] = [(dvec2(1.2, FORD_Z), dvec2(2.4, 1.7)), (dvec2(-10.5, 11.6), dvec2(2.4, 1.2))];
/// Points on the middle of the road.
const ROAD_BENDS: [DVec2; 9] = [
    dvec2(-21.0, 9.0),
    dvec2(-16.5, 7.4),
    dvec2(-12.8, 3.0),
    dvec2(-8.0, 0.0),
    dvec2(-2.6, -1.0),
    dvec2(1.8, BRIDGE_Z),
    dvec2(8.0, -1.6),
    dvec2(14.2, -3.6),
    dvec2(21.0, -8.0),
];

/// Returns the height of the ground in metres.
pub fn height(at: DVec2) -> f64 {
    let hills: f64 = HILLS.iter().map(|(middle, radius, tall)| tall * bump(at.distance(*middle) / radius)).sum();
    let swell = 0.08 * (0.55 * at.x + 0.2 * at.y).sin() * (0.45 * at.y).cos();
    MEADOW_HEIGHT + hills + swell * (1.0 - swell_near(at, BRIDGE_Z, 3.0)) - DITCH_DEPTH * sunk(at)
}

/// Returns 1 at distance 0, falling smoothly to 0 at distance 1.
fn bump(distance: f64) -> f64 {
    (1.0 - distance * distance).max(0.0).powi(3)
}

/// Returns x of the middle of the ditch.
pub(super) fn ditch(z: f64) -> f64 {
    2.0 + 1.2 * (0.24 * (z - BRIDGE_Z)).sin()
}

/// Returns the width of the bank in metres: wide where it can be walked.
fn bank(z: f64) -> f64 {
    let at_stairs = 1.0 - smooth((z - STAIRS[0]).abs(), STAIRS[1] + 0.1, STAIRS[1] + 0.7);
    0.85 + (STAIRS_LENGTH - 0.85) * at_stairs + 4.4 * at_ford(z)
}

/// Returns 1 at the ford and 0 away from it.
fn at_ford(z: f64) -> f64 {
    1.0 - smooth((z - FORD_Z).abs(), 1.2, 3.8)
}

/// Returns the local depth of the ditch relative to [`DITCH_DEPTH`].
fn sunk(at: DVec2) -> f64 {
    let down = 1.0 - (((at.x - ditch(at.y)).abs() - DITCH_HALF_WIDTH) / bank(at.y)).clamp(0.0, 1.0);
    down * (1.0 - 0.4 * at_ford(at.y))
}

fn swell_near(at: DVec2, z: f64, reach: f64) -> f64 {
    bump((at.y - z) / (2.0 * reach)) * bump((at.x - ditch(z)) / (4.0 * reach))
}

/// Returns a smooth step from 0 at `low` to 1 at `high`.
fn smooth(value: f64, low: f64, high: f64) -> f64 {
    let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// Returns the slope of the ground in metres per metre along x and z.
pub fn rise(at: DVec2) -> DVec2 {
    const REACH: f64 = 0.15;
    let along = |direction: DVec2| (height(at + direction * REACH) - height(at - direction * REACH)) / (2.0 * REACH);
    dvec2(along(DVec2::X), along(DVec2::Y))
}

/// Returns the surface of the ground.
pub fn surface(at: DVec2) -> LevelSurface {
    let [road, mud, cliff, ..] = borders(at);
    match () {
        () if cliff < 0.0 => LevelSurface::Rock,
        () if mud < 0.0 => LevelSurface::Mud,
        () if road < 0.0 => LevelSurface::Road,
        () => LevelSurface::Meadow,
    }
}

/// Returns approximate distances in metres to the edges that the faces of the ground must follow, negative inside:
/// road, mud, steep ground, and the lower and upper edge of the ditch.
pub fn borders(at: DVec2) -> [f64; 5] {
    let from_ditch = (at.x - ditch(at.y)).abs() - DITCH_HALF_WIDTH;
    let (lower, upper) = (from_ditch, from_ditch - bank(at.y));
    let puddle = |(middle, radii): &(DVec2, DVec2)| (((at - middle) / radii).length() - 1.0) * radii.min_element();
    let mud = PUDDLES.iter().map(puddle).fold(f64::INFINITY, f64::min);
    let steep = DITCH_DEPTH / bank(at.y) > MAX_MEADOW_SLOPE;
    let bank = if steep { (0.5 * (lower + upper)).abs() - 0.5 * bank(at.y) } else { 1.0 };
    let hill = if upper > 0.3 { 2.0 * (MAX_MEADOW_SLOPE - rise(at).length()) } else { 1.0 };
    let road = (road(at) - ROAD_HALF_WIDTH).max(0.2 - upper);
    [road, mud, bank.min(hill), lower, upper]
}

/// Returns the distance to the middle of the road, metres.
fn road(at: DVec2) -> f64 {
    let mut nearest = f64::INFINITY;
    let mut previous = ROAD_BENDS[0];
    for span in 0..ROAD_BENDS.len() - 1 {
        for step in 1..=SEGMENTS_PER_BEND {
            let next = between(span, step as f64 / SEGMENTS_PER_BEND as f64);
            nearest = nearest.min(to_segment(at, [previous, next]));
            previous = next;
        }
    }
    nearest
}

/// Straight segments between two bends.
const SEGMENTS_PER_BEND: usize = 8;

/// Returns a point on the road after bend `span` (Catmull–Rom spline).
fn between(span: usize, t: f64) -> DVec2 {
    let bend = |index: usize| ROAD_BENDS[index.min(ROAD_BENDS.len() - 1)];
    let [a, b, c, d] = [bend(span.saturating_sub(1)), bend(span), bend(span + 1), bend(span + 2)];
    0.5 * (2.0 * b + (c - a) * t + (2.0 * a - 5.0 * b + 4.0 * c - d) * t * t + (3.0 * b - a - 3.0 * c + d) * t * t * t)
}

/// Returns the distance from `at` to the segment from `a` to `b`, metres.
fn to_segment(at: DVec2, [a, b]: [DVec2; 2]) -> f64 {
    let share = (at - a).dot(b - a) / a.distance_squared(b).max(1e-12);
    at.distance(a.lerp(b, share.clamp(0.0, 1.0)))
}
