//! The objects on the ground.

use std::f64::consts::PI;

use glam::{DVec2, DVec3, dvec2, dvec3};

use super::ground::{BRIDGE_Z, DITCH_DEPTH, DITCH_HALF_WIDTH, MEADOW_HEIGHT, STAIRS, STAIRS_LENGTH, ditch, height};
use super::solids::{LevelMesh, rectangle};
use super::surface::LevelSurface;

/// Depth to which objects extend into the ground, metres.
const SUNK_DEPTH: f64 = 0.4;

/// Returns every mesh on the ground.
pub fn all() -> [LevelMesh; 9] {
    [bridge(), stairs(), terrace(), cottage(), walls(), gates(), crates(), trees(), boulders()]
}

fn on_ground(at: DVec2) -> DVec3 {
    dvec3(at.x, height(at), at.y)
}

/// An arched bridge of planks with rails.
fn bridge() -> LevelMesh {
    const PLANKS: usize = 15;
    const LENGTH: f64 = 6.0;
    const WIDTH: f64 = 3.2;
    let mut piece = LevelMesh::new("bridge");
    let middle = dvec2(ditch(BRIDGE_Z), BRIDGE_Z);
    let rise = |share: f64| MEADOW_HEIGHT + 0.42 * (1.0 - (2.0 * share - 1.0).powi(2));
    for plank in 0..PLANKS {
        let share = (plank as f64 + 0.5) / PLANKS as f64;
        let foot = dvec3(middle.x + LENGTH * (share - 0.5), rise(share) - 0.12, middle.y);
        piece.block(LevelSurface::Wood, foot, dvec3(0.92 * LENGTH / PLANKS as f64, 0.16, WIDTH), 0.0);
    }
    for side in [-1.0, 1.0] {
        let z = middle.y + side * (0.5 * WIDTH - 0.06);
        for post in 0..=4 {
            let share = f64::from(post) / 4.0;
            let foot = dvec3(middle.x + (LENGTH - 0.2) * (share - 0.5), rise(share) - 0.2, z);
            piece.block(LevelSurface::Wood, foot, dvec3(0.12, 1.1, 0.12), 0.0);
        }
        rail(&mut piece, [middle.x - 0.5 * LENGTH, middle.x + 0.5 * LENGTH], z, rise);
    }
    piece
}

/// A hand rail that follows the arch.
fn rail(piece: &mut LevelMesh, [from, to]: [f64; 2], z: f64, rise: impl Fn(f64) -> f64) {
    const PARTS: usize = 8;
    let fraction = |part: usize| part as f64 / PARTS as f64;
    for part in 0..PARTS {
        let [a, b] = [fraction(part), fraction(part + 1)];
        let x = |share: f64| from + (to - from) * share;
        let outline = rectangle(dvec2(0.5 * (x(a) + x(b)), z), dvec2(x(b) - x(a), 0.08), 0.0);
        let top = |at: DVec2| rise((at.x - from) / (to - from)) + 0.95;
        piece.prism(LevelSurface::Wood, &outline, top(outline[0]).min(top(outline[1])) - 0.1, top);
    }
}

/// Stairs down into the ditch and up again, with side walls.
fn stairs() -> LevelMesh {
    const STEPS: usize = 9;
    let mut piece = LevelMesh::new("stairs");
    let [z, half] = STAIRS;
    for side in [-1.0, 1.0] {
        // The ditch curves, so every step is placed individually.
        let x = |out: f64| ditch(z) + side * (DITCH_HALF_WIDTH + out);
        for step in 0..STEPS {
            let top = MEADOW_HEIGHT - DITCH_DEPTH * (1.0 - (step as f64 + 1.0) / STEPS as f64);
            let out = STAIRS_LENGTH * (step as f64 + 0.5) / STEPS as f64;
            let size =
                dvec3(STAIRS_LENGTH / STEPS as f64, top - (MEADOW_HEIGHT - DITCH_DEPTH) + SUNK_DEPTH, 2.0 * half + 0.4);
            piece.block(LevelSurface::Stone, dvec3(x(out), MEADOW_HEIGHT - DITCH_DEPTH - SUNK_DEPTH, z), size, 0.0);
        }
        for cheek in [-1.0, 1.0] {
            let outline = rectangle(
                dvec2(x(0.5 * STAIRS_LENGTH), z + cheek * (half + 0.35)),
                dvec2(STAIRS_LENGTH + 0.3, 0.4),
                0.0,
            );
            let top = |at: DVec2| {
                MEADOW_HEIGHT + 0.35 - DITCH_DEPTH * (1.0 - ((at.x - x(0.0)) * side / STAIRS_LENGTH)).clamp(0.0, 1.0)
            };
            piece.prism(LevelSurface::Stone, &outline, MEADOW_HEIGHT - DITCH_DEPTH - SUNK_DEPTH, top);
        }
    }
    piece
}

/// Centre of the terrace, its size, and its height above the meadow; metres.
const TERRACE: (DVec2, DVec2, f64) = (dvec2(10.6, -11.4), dvec2(4.6, 3.6), 1.35);

/// A raised platform with stairs, a ramp, and a ramp too steep to walk.
fn terrace() -> LevelMesh {
    let (middle, size, tall) = TERRACE;
    let mut piece = LevelMesh::new("terrace");
    let top = MEADOW_HEIGHT + tall;
    piece.prism(LevelSurface::Stone, &rectangle(middle, size, 0.0), MEADOW_HEIGHT - SUNK_DEPTH, |_| top);
    let west = middle.x - 0.5 * size.x;
    for step in 0..8 {
        let rise = tall * f64::from(8 - step) / 9.0;
        let foot = dvec3(west - 0.34 * (f64::from(step) + 0.5), MEADOW_HEIGHT - SUNK_DEPTH, middle.y);
        piece.block(LevelSurface::Stone, foot, dvec3(0.34, rise + SUNK_DEPTH, 2.2), 0.0);
    }
    let (east, south) = (middle.x + 0.5 * size.x, middle.y + 0.5 * size.y);
    ramp(&mut piece, LevelSurface::Stone, [dvec2(east, middle.y - 0.5), dvec2(4.0, 0.0)], top);
    ramp(&mut piece, LevelSurface::SteepRamp, [dvec2(middle.x - 0.6, south), dvec2(0.0, 1.05)], top);
    piece
}

/// Adds a ramp from `edge` at height `top` down along `direction`.
fn ramp(piece: &mut LevelMesh, surface: LevelSurface, [edge, direction]: [DVec2; 2], top: f64) {
    const HALF_WIDTH: f64 = 1.1;
    let aside = direction.perp().normalize() * HALF_WIDTH;
    let outline = [edge + aside, edge - aside, edge - aside + direction, edge + aside + direction];
    let drop = (top - MEADOW_HEIGHT + SUNK_DEPTH) / direction.length() * (top - MEADOW_HEIGHT)
        / (top - MEADOW_HEIGHT + SUNK_DEPTH);
    piece
        .prism(surface, &outline, MEADOW_HEIGHT - SUNK_DEPTH, |at| top - drop * (at - edge).dot(direction.normalize()));
}

/// A small house with its ridge along x.
fn cottage() -> LevelMesh {
    const SIZE: DVec3 = dvec3(4.8, 2.3, 3.4);
    const EAVES: DVec2 = dvec2(0.3, 0.35);
    const RIDGE: f64 = 2.5;
    let mut piece = LevelMesh::new("cottage");
    let foot = dvec3(-8.4, MEADOW_HEIGHT, 4.0);
    piece.block(LevelSurface::Plaster, foot - DVec3::Y * SUNK_DEPTH, SIZE + DVec3::Y * SUNK_DEPTH, 0.0);
    piece.block(LevelSurface::Wood, foot + dvec3(0.6, -0.1, 0.5 * SIZE.z), dvec3(0.9, 1.9, 0.12), 0.0);
    piece.block(LevelSurface::Stone, foot + dvec3(-1.5, SIZE.y, -0.5), dvec3(0.6, 2.6, 0.6), 0.0);
    let at = |x: f64, y: f64, z: f64| foot + dvec3(0.5 * SIZE.x * x, SIZE.y + y, 0.5 * SIZE.z * z);
    let over = |x: f64, y: f64, z: f64| at(x, y, z) + dvec3(x * EAVES.x, 0.0, z * EAVES.y);
    for side in [-1.0, 1.0] {
        let gable = [at(side, 0.0, side), at(side, 0.0, -side), at(side, RIDGE - 0.1, 0.0)];
        piece.face(LevelSurface::Plaster, &gable);
        let low = -2.0 * RIDGE * EAVES.y / SIZE.z;
        let slope = [over(-side, low, side), over(side, low, side), over(side, RIDGE, 0.0), over(-side, RIDGE, 0.0)];
        piece.face(LevelSurface::Roof, &slope);
    }
    piece
}

/// Dry stone walls: start and end, metres.
const WALLS: [[DVec2; 2]; 7] = [
    // From the cottage to the south, with a narrow gate.
    [dvec2(-4.0, 3.4), dvec2(-4.0, 5.5)],
    [dvec2(-4.0, 7.6), dvec2(-4.0, 14.8)],
    [dvec2(-6.0, 3.6), dvec2(-4.2, 3.6)],
    // The obstacle course in the south-east.
    [dvec2(8.6, 2.6), dvec2(8.6, 5.0)],
    [dvec2(8.6, 6.6), dvec2(8.6, 10.6)],
    [dvec2(12.2, 1.6), dvec2(12.2, 4.6)],
    [dvec2(12.2, 6.0), dvec2(12.2, 10.4)],
];

/// Walls over a metre high that follow the ground.
fn walls() -> LevelMesh {
    let mut piece = LevelMesh::new("walls");
    for [from, to] in WALLS {
        let count = (from.distance(to) / 1.4).ceil().max(1.0) as usize;
        for part in 0..count {
            let middle = from.lerp(to, (part as f64 + 0.5) / count as f64);
            let along = (to - from).normalize() * from.distance(to) / count as f64;
            let size = along.abs().max(DVec2::splat(0.42));
            let tall = if part.is_multiple_of(2) { 1.15 } else { 1.05 };
            let foot = on_ground(middle) - DVec3::Y * SUNK_DEPTH;
            piece.block(LevelSurface::Stone, foot, dvec3(size.x, tall + SUNK_DEPTH, size.y), 0.0);
        }
    }
    piece
}

/// Gates: centre and clear width; metres.
const GATES: [(DVec2, f64); 3] = [(dvec2(-4.0, 6.55), 2.1), (dvec2(8.6, 5.8), 1.6), (dvec2(12.2, 5.3), 1.4)];

/// Two posts and a beam for each gate.
fn gates() -> LevelMesh {
    let mut piece = LevelMesh::new("gates");
    for (middle, clear) in GATES {
        for side in [-0.5, 0.5] {
            let foot = on_ground(middle + dvec2(0.0, side * (clear + 0.2))) - DVec3::Y * SUNK_DEPTH;
            piece.block(LevelSurface::Wood, foot, dvec3(0.26, 2.5 + SUNK_DEPTH, 0.26), 0.0);
        }
        let beam = on_ground(middle) + DVec3::Y * 2.35;
        piece.block(LevelSurface::Wood, beam, dvec3(0.2, 0.2, clear + 1.0), 0.0);
    }
    piece
}

/// Crates: base, edge, yaw; metres and radians.
const CRATES: [(DVec2, f64, f64); 9] = [
    (dvec2(10.1, 7.6), 1.0, 0.2),
    (dvec2(10.4, 8.8), 0.8, -0.5),
    (dvec2(10.2, 3.4), 1.1, 0.7),
    (dvec2(14.2, 3.2), 0.9, 0.1),
    (dvec2(14.0, 7.4), 1.1, -0.3),
    (dvec2(15.2, 7.0), 0.8, 0.5),
    (dvec2(-2.4, 9.0), 1.0, 0.3),
    (dvec2(-2.6, 10.1), 0.7, -0.4),
    (dvec2(12.0, -12.4), 0.8, 0.15),
];

/// Crates as obstacles; two are stacked.
fn crates() -> LevelMesh {
    let mut piece = LevelMesh::new("crates");
    for (at, edge, yaw) in CRATES {
        let foot = if on_terrace(at) { dvec3(at.x, MEADOW_HEIGHT + TERRACE.2, at.y) } else { on_ground(at) };
        crate_of(&mut piece, foot - DVec3::Y * 0.03, edge, yaw);
    }
    crate_of(&mut piece, on_ground(dvec2(10.15, 7.65)) + DVec3::Y * 0.97, 0.7, 0.6);
    piece
}

fn on_terrace(at: DVec2) -> bool {
    (at - TERRACE.0).abs().cmplt(0.5 * TERRACE.1).all()
}

/// A box with lighter boards around its upper and lower edge.
fn crate_of(piece: &mut LevelMesh, foot: DVec3, edge: f64, yaw: f64) {
    piece.block(LevelSurface::Crate, foot, DVec3::splat(edge), yaw);
    for low in [0.0, 0.86] {
        let foot = foot + DVec3::Y * (low * edge);
        piece.block(LevelSurface::Wood, foot, dvec3(1.06, 0.15, 1.06) * edge, yaw);
    }
}

/// Trees: base, height; metres.
const TREES: [(DVec2, f64); 16] = [
    (dvec2(-18.2, -12.8), 4.2),
    (dvec2(-16.8, -13.9), 3.4),
    (dvec2(-11.8, -13.6), 3.8),
    (dvec2(-18.6, -4.2), 3.6),
    (dvec2(-12.2, -3.6), 3.3),
    (dvec2(-5.6, -13.8), 3.9),
    (dvec2(-2.4, -13.6), 3.5),
    (dvec2(-18.4, 3.2), 3.6),
    (dvec2(-15.6, 14.0), 3.4),
    (dvec2(-6.2, 12.9), 4.2),
    (dvec2(-7.5, 13.9), 3.2),
    (dvec2(-5.6, 11.0), 3.3),
    (dvec2(4.6, -12.6), 3.7),
    (dvec2(17.2, -13.6), 4.1),
    (dvec2(18.6, 13.4), 3.8),
    (dvec2(17.9, -2.2), 3.6),
];

/// Firs with two crowns.
fn trees() -> LevelMesh {
    let mut piece = LevelMesh::new("trees");
    for (at, tall) in TREES {
        let foot = on_ground(at) - DVec3::Y * 0.2;
        let girth = 0.3 * tall;
        piece.cone(LevelSurface::Wood, foot, [0.2, 0.13], 0.45 * tall, 7);
        piece.cone(LevelSurface::Leaves, foot + DVec3::Y * (0.3 * tall), [girth, 0.35 * girth], 0.4 * tall, 7);
        piece.cone(LevelSurface::Leaves, foot + DVec3::Y * (0.55 * tall), [0.75 * girth, 0.0], 0.5 * tall, 7);
    }
    piece
}

/// Boulders: base, radius; metres.
const BOULDERS: [(DVec2, f64); 8] = [
    (dvec2(-3.6, -11.4), 0.9),
    (dvec2(-4.4, -12.2), 0.5),
    (dvec2(-13.6, 13.2), 0.7),
    (dvec2(-1.0, 10.6), 0.6),
    (dvec2(-1.2, -12.0), 0.8),
    (dvec2(15.6, -9.0), 0.6),
    (dvec2(6.4, 11.6), 0.8),
    (dvec2(15.4, 12.0), 0.5),
];

/// Stones with six uneven sides.
fn boulders() -> LevelMesh {
    let mut piece = LevelMesh::new("boulders");
    for (index, (at, radius)) in BOULDERS.into_iter().enumerate() {
        let foot = on_ground(at) - DVec3::Y * SUNK_DEPTH;
        let corner = |side: usize| {
            let uneven = 1.0 + 0.22 * (2.3 * (index * 6 + side) as f64).sin();
            at + DVec2::from_angle(PI / 3.0 * side as f64) * radius * uneven
        };
        let outline: [DVec2; 6] = std::array::from_fn(corner);
        let lean = DVec2::from_angle(1.7 * index as f64) * 0.35;
        piece.prism(LevelSurface::Rock, &outline, foot.y, |corner| {
            foot.y + SUNK_DEPTH + 0.9 * radius + (corner - at).dot(lean)
        });
    }
    piece
}
