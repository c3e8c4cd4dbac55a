//! The body of the hero: parts of one colour, each a smooth surface of shapes on joints.

use glam::{DVec3, dvec3};

use super::colours::{self, Srgb};
use super::rig::{self, positions};
use super::shape::{Shape, Solid, distance};

/// A part with a single surface and colour.
#[derive(Clone, Debug)]
pub struct BodyPart {
    /// Name of the part.
    pub name: &'static str,
    /// Flat sRGB colour of the part.
    pub colour: Srgb,
    /// Distance between vertices in metres.
    pub cell: f64,
    /// Width of the band in which joints share vertices, metres.
    pub softness: f64,
    /// The shapes of the part, blended in this order.
    pub shapes: Vec<Shape>,
}

/// Returns every part of the body except the cape.
pub fn parts() -> Vec<BodyPart> {
    let mut parts = vec![suit(), head(), hair(), hair_band(), ponytail(), scarf(), belt()];
    for side in 0..2 {
        parts.extend([glove(side), boot(side), eye(side)]);
    }
    parts
}

fn cone(joint: usize, blend: f64, ends: [DVec3; 2], radii: [f64; 2]) -> Shape {
    Shape { solid: Solid::Cone(ends, radii), joint, blend }
}

fn egg(joint: usize, blend: f64, centre: [f64; 3], radii: [f64; 3]) -> Shape {
    tilted(joint, blend, centre, radii, 0.0)
}

fn tilted(joint: usize, blend: f64, centre: [f64; 3], radii: [f64; 3], pitch: f64) -> Shape {
    Shape { solid: Solid::Egg(DVec3::from_array(centre), DVec3::from_array(radii), pitch), joint, blend }
}

/// Returns `left` for side 0, or mirrored shapes for side 1. `joints` lists the pairs of joints used.
fn on_side(side: usize, left: Vec<Shape>, joints: &[[usize; 2]]) -> Vec<Shape> {
    let other = |joint: usize| joints.iter().find(|pair| pair[0] == joint).map_or(joint, |pair| pair[1]);
    match side {
        0 => left,
        _ => left.into_iter().map(|shape| shape.mirrored(other(shape.joint))).collect(),
    }
}

/// Returns trunk, neck, arms and legs in one part.
fn suit() -> BodyPart {
    let mut shapes = vec![
        egg(rig::HIPS, 0.05, [0.0, 0.945, -0.005], [0.128, 0.09, 0.1]),
        egg(rig::HIPS, 0.05, [0.0, 0.855, -0.005], [0.07, 0.08, 0.082]),
        egg(rig::SPINE, 0.07, [0.0, 1.06, 0.0], [0.105, 0.12, 0.083]),
        tilted(rig::CHEST, 0.08, [0.0, 1.225, -0.004], [0.158, 0.135, 0.107], -0.12),
        cone(rig::NECK, 0.05, [dvec3(0.0, 1.34, -0.015), dvec3(0.0, 1.45, 0.005)], [0.05, 0.046]),
    ];
    for side in 0..2 {
        let joints = [rig::SHOULDER, rig::UPPER_ARM, rig::LOWER_ARM, rig::THIGH, rig::SHIN];
        shapes.extend(on_side(side, suit_left(), &joints));
    }
    BodyPart { name: "suit", colour: colours::SUIT, cell: 0.041, softness: 0.08, shapes }
}

/// Returns the shapes of the left arm and leg, without hand and foot.
fn suit_left() -> Vec<Shape> {
    let at = positions();
    let [arm, elbow, wrist] = [rig::UPPER_ARM, rig::LOWER_ARM, rig::HAND].map(|pair| at[pair[0]]);
    let [thigh, knee, ankle] = [rig::THIGH, rig::SHIN, rig::FOOT].map(|pair| at[pair[0]]);
    let calf = knee.lerp(ankle, 0.32) + dvec3(0.004, 0.0, -0.018);
    vec![
        cone(rig::SHOULDER[0], 0.06, [dvec3(0.05, 1.315, -0.012), arm + dvec3(-0.02, 0.0, 0.0)], [0.062, 0.068]),
        cone(rig::UPPER_ARM[0], 0.045, [arm, elbow], [0.066, 0.044]),
        cone(rig::LOWER_ARM[0], 0.03, [elbow, elbow.lerp(wrist, 0.35)], [0.042, 0.046]),
        cone(rig::LOWER_ARM[0], 0.02, [elbow.lerp(wrist, 0.35), elbow.lerp(wrist, 0.75)], [0.046, 0.038]),
        cone(rig::THIGH[0], 0.05, [thigh + dvec3(0.004, -0.02, 0.0), knee], [0.09, 0.057]),
        cone(rig::SHIN[0], 0.03, [knee, ankle.lerp(knee, 0.62)], [0.056, 0.052]),
        cone(rig::SHIN[0], 0.04, [calf, calf + dvec3(0.0, -0.02, 0.0)], [0.052, 0.05]),
    ]
}

/// Enlarges and lowers the head and hair, which are modelled at natural size, for a more readable figure.
fn enlarged(shapes: Vec<Shape>) -> Vec<Shape> {
    const SCALE: f64 = 1.12;
    let enlarge = |p: DVec3| dvec3(0.0, 1.41, 0.0) + (p - dvec3(0.0, 1.43, 0.0)) * SCALE;
    let grown = |shape: Shape| Shape {
        solid: match shape.solid {
            Solid::Cone(ends, radii) => Solid::Cone(ends.map(enlarge), radii.map(|radius| radius * SCALE)),
            Solid::Egg(centre, radii, pitch) => Solid::Egg(enlarge(centre), radii * SCALE, pitch),
        },
        ..shape
    };
    shapes.into_iter().map(grown).collect()
}

/// Returns the head with its nose and the upper end of the neck.
fn head() -> BodyPart {
    let shapes = vec![
        egg(rig::HEAD, 0.03, [0.0, 1.562, 0.004], [0.093, 0.108, 0.108]),
        tilted(rig::HEAD, 0.05, [0.0, 1.49, 0.034], [0.062, 0.056, 0.068], 0.3),
        cone(rig::NECK, 0.03, [dvec3(0.0, 1.42, -0.01), dvec3(0.0, 1.47, 0.0)], [0.042, 0.045]),
        egg(rig::HEAD, 0.02, [0.0, 1.532, 0.112], [0.012, 0.016, 0.018]),
    ];
    BodyPart { name: "head", colour: colours::SKIN, cell: 0.034, softness: 0.05, shapes: enlarged(shapes) }
}

/// Returns the hair on the skull with two locks at the front, without the ponytail.
fn hair() -> BodyPart {
    let lock = |from: [f64; 3], to: [f64; 3], radii: [f64; 2]| {
        cone(rig::HEAD, 0.03, [DVec3::from_array(from), DVec3::from_array(to)], radii)
    };
    let shapes = vec![
        tilted(rig::HEAD, 0.03, [0.0, 1.588, -0.024], [0.108, 0.112, 0.112], -0.2),
        lock([0.035, 1.672, 0.045], [-0.062, 1.628, 0.078], [0.036, 0.026]),
        lock([-0.062, 1.628, 0.078], [-0.094, 1.565, 0.05], [0.026, 0.012]),
        lock([0.04, 1.668, 0.05], [0.08, 1.615, 0.066], [0.034, 0.024]),
        lock([0.08, 1.615, 0.066], [0.096, 1.545, 0.035], [0.024, 0.012]),
    ];
    BodyPart { name: "hair", colour: colours::HAIR, cell: 0.037, softness: 0.05, shapes: enlarged(shapes) }
}

fn hair_band() -> BodyPart {
    let shapes = vec![tilted(rig::HAIR, 0.01, [0.0, 1.615, -0.138], [0.036, 0.036, 0.02], -0.25)];
    BodyPart { name: "hair band", colour: colours::ACCENT, cell: 0.025, softness: 0.05, shapes: enlarged(shapes) }
}

/// Returns the ponytail: a cone for each joint of the hair strand.
fn ponytail() -> BodyPart {
    const RADII: [f64; 6] = [0.026, 0.044, 0.05, 0.046, 0.034, 0.008];
    let at = positions();
    let point = |i: usize| if i < rig::STRAND_JOINTS { at[rig::HAIR + i] } else { rig::HAIR_TIP };
    let shapes = (0..rig::STRAND_JOINTS)
        .map(|i| cone(rig::HAIR + i, 0.02, [point(i), point(i + 1)], [RADII[i], RADII[i + 1]]))
        .collect();
    BodyPart { name: "tail", colour: colours::HAIR, cell: 0.037, softness: 0.06, shapes }
}

/// Returns a rolled rim around a limb: cones in a circle about `centre`.
fn cuff(joint: usize, centre: DVec3, along: DVec3, Rim { radius, thickness }: Rim) -> Vec<Shape> {
    let (u, v) = along.normalize().any_orthonormal_pair();
    let point = |a: f64| centre + (u * a.cos() + v * a.sin()) * radius;
    ring(joint, 10, thickness, point)
}

/// Dimensions of a rolled rim in metres.
struct Rim {
    radius: f64,
    thickness: f64,
}

/// Returns a ring of `count` cones. `point` gives its centre line by the angle from the front.
fn ring(joint: usize, count: usize, radius: f64, point: impl Fn(f64) -> DVec3) -> Vec<Shape> {
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / count as f64;
    (0..count).map(|i| cone(joint, 0.015, [point(angle(i)), point(angle(i + 1))], [radius; 2])).collect()
}

/// Returns the scarf: two rings around the neck.
fn scarf() -> BodyPart {
    let line = |a: f64| dvec3(0.096 * a.sin(), 1.378 - 0.022 * a.cos(), -0.012 + 0.086 * a.cos());
    let upper = |a: f64| line(a) * dvec3(0.86, 1.0, 0.84) + dvec3(0.0, 0.034, -0.002);
    let mut shapes = ring(rig::CHEST, 18, 0.036, line);
    shapes.extend(ring(rig::CHEST, 18, 0.026, upper));
    BodyPart { name: "scarf", colour: colours::ACCENT, cell: 0.036, softness: 0.05, shapes }
}

/// Returns the belt and its buckle. It follows the surface of the suit at the waist.
fn belt() -> BodyPart {
    let suit = suit().shapes;
    // The belt follows the waist: the surface of the suit in every direction.
    let waist = |a: f64| {
        let ray = |out: f64| dvec3(out * a.sin(), 0.99 - 0.012 * a.cos(), out * a.cos());
        let (mut inside, mut outside) = (0.0, 0.3);
        for _ in 0..30 {
            let middle = (inside + outside) / 2.0;
            if distance(&suit, ray(middle)) < 0.0 { inside = middle } else { outside = middle }
        }
        ray(inside - 0.01)
    };
    let mut shapes = ring(rig::HIPS, 16, 0.027, waist);
    shapes.push(egg(rig::HIPS, 0.012, (waist(0.0) + dvec3(0.0, 0.0, 0.018)).to_array(), [0.034, 0.03, 0.018]));
    BodyPart { name: "belt", colour: colours::LEATHER, cell: 0.025, softness: 0.05, shapes }
}

/// Returns the glove of `side`: hand, forearm and cuff. Side 0 is left.
fn glove(side: usize) -> BodyPart {
    let at = positions();
    let [elbow, wrist] = [rig::LOWER_ARM, rig::HAND].map(|pair| at[pair[0]]);
    let along = (wrist - elbow).normalize();
    // The palm faces the body when the arm hangs.
    let palm = dvec3(-rig::ARM_SPREAD.cos(), -rig::ARM_SPREAD.sin(), 0.0);
    let hand = |a: f64, p: f64, z: f64| wrist + along * a + palm * p + DVec3::Z * z;
    let [joint, lower] = [rig::HAND[0], rig::LOWER_ARM[0]];
    let mut left = vec![
        cone(lower, 0.01, [elbow.lerp(wrist, 0.5), elbow.lerp(wrist, 0.95)], [0.053, 0.043]),
        cone(joint, 0.03, [hand(0.03, 0.0, 0.014), hand(0.075, 0.004, 0.02)], [0.041, 0.04]),
        cone(joint, 0.03, [hand(0.03, 0.0, -0.014), hand(0.07, 0.004, -0.022)], [0.039, 0.037]),
        cone(joint, 0.02, [hand(0.1, 0.01, 0.018), hand(0.125, 0.032, 0.016)], [0.032, 0.03]),
        cone(joint, 0.02, [hand(0.095, 0.01, -0.018), hand(0.118, 0.032, -0.016)], [0.031, 0.029]),
        cone(joint, 0.02, [hand(0.03, 0.01, 0.04), hand(0.085, 0.03, 0.05)], [0.022, 0.02]),
    ];
    left.extend(cuff(lower, elbow.lerp(wrist, 0.36), along, Rim { radius: 0.045, thickness: 0.021 }));
    let shapes = on_side(side, left, &[rig::HAND, rig::LOWER_ARM]);
    BodyPart { name: ["glove left", "glove right"][side], colour: colours::LEATHER, cell: 0.03, softness: 0.05, shapes }
}

/// Returns the boot of `side`: shin, foot, toes and cuff. Side 0 is left.
fn boot(side: usize) -> BodyPart {
    let at = positions();
    let [knee, ankle] = [rig::SHIN, rig::FOOT].map(|pair| at[pair[0]]);
    let shift = dvec3(0.002, 0.0, -0.01);
    let mut left = vec![
        cone(rig::SHIN[0], 0.01, [knee.lerp(ankle, 0.42) + shift, knee.lerp(ankle, 0.9)], [0.074, 0.054]),
        cone(rig::FOOT[0], 0.03, [dvec3(0.1, 0.085, -0.02), dvec3(0.1, 0.05, -0.034)], [0.052, 0.05]),
        cone(rig::FOOT[0], 0.03, [dvec3(0.1, 0.052, -0.03), dvec3(0.102, 0.042, 0.1)], [0.05, 0.044]),
        cone(rig::TOE[0], 0.02, [dvec3(0.096, 0.042, 0.11), dvec3(0.096, 0.036, 0.155)], [0.044, 0.036]),
        cone(rig::TOE[0], 0.02, [dvec3(0.112, 0.04, 0.11), dvec3(0.112, 0.034, 0.145)], [0.04, 0.033]),
    ];
    left.extend(cuff(
        rig::SHIN[0],
        knee.lerp(ankle, 0.28) + shift,
        ankle - knee,
        Rim { radius: 0.066, thickness: 0.027 },
    ));
    let shapes = on_side(side, left, &[rig::SHIN, rig::FOOT, rig::TOE]);
    BodyPart { name: ["boot left", "boot right"][side], colour: colours::LEATHER, cell: 0.035, softness: 0.05, shapes }
}

/// Returns the eye of `side`. Side 0 is left.
fn eye(side: usize) -> BodyPart {
    let left = vec![egg(rig::HEAD, 0.01, [0.037, 1.55, 0.097], [0.016, 0.027, 0.017])];
    BodyPart {
        name: ["eye left", "eye right"][side],
        colour: colours::EYES,
        cell: 0.0145,
        softness: 0.05,
        shapes: enlarged(on_side(side, left, &[])),
    }
}
