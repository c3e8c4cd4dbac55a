//! Hair and cape follow through: chains of points with drag, gravity and a pull back to their resting shape.
//!
//! Position-based dynamics (Jakobsen 2001, "Advanced Character Physics"), 8 steps for each frame at 30 fps.

use glam::{DAffine3, DVec3};

/// Steps for each frame.
const STEPS: usize = 8;
/// Seconds per step at 30 fps.
const STEP: f64 = 1.0 / 240.0;

/// How a set of chains moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feel {
    /// Velocity lost to the air, per second.
    pub drag: f64,
    /// Pull back to the resting shape, per second, at the root and at the tip.
    pub stiffness: [f64; 2],
    /// Share of gravity felt.
    pub weight: f64,
}

/// A solid that chains stay out of: a segment of the body with a radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    /// Joints whose places are the ends.
    pub joints: [usize; 2],
    /// Offsets of the ends in their joints' frames.
    pub offsets: [DVec3; 2],
    /// Metres.
    pub radius: f64,
}

/// Chains that hang on one joint, side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Strands {
    /// The joint that carries them.
    pub anchor: usize,
    /// Resting points of each chain in the model, root first, tip last.
    pub rest: Vec<Vec<DVec3>>,
    /// How they move.
    pub feel: Feel,
    /// What they stay out of.
    pub obstacles: Vec<Obstacle>,
    /// Points that lie side by side keep their distance.
    pub woven: bool,
    /// How far behind the anchor points stay, seen from it: metres at the root, and metres less for each joint further down.
    pub behind: [f64; 2],
}

/// Every point of every chain for each frame of `frames` (world places of all joints), which follow `before` frames of warm-up.
pub fn follow(strands: &Strands, places: &[DVec3], frames: &[Vec<DAffine3>], before: usize) -> Vec<Vec<Vec<DVec3>>> {
    let Some(first) = frames.first() else { return Vec::new() };
    let mut now = at_rest(strands, places, first);
    let mut last = now.clone();
    let mut out = Vec::new();
    for frame in 0..frames.len() {
        let from = &frames[frame.saturating_sub(1)];
        for step in 1..=STEPS {
            let world = between(from, &frames[frame], step as f64 / STEPS as f64);
            let next = stepped(strands, places, &world, [&last, &now]);
            last = std::mem::replace(&mut now, next);
        }
        if frame >= before {
            out.push(now.clone());
        }
    }
    out
}

fn at_rest(strands: &Strands, places: &[DVec3], world: &[DAffine3]) -> Vec<Vec<DVec3>> {
    let carry = |point: &DVec3| world[strands.anchor].transform_point3(*point - places[strands.anchor]);
    strands.rest.iter().map(|chain| chain.iter().map(carry).collect()).collect()
}

/// Places part-way from one frame to the next.
fn between(from: &[DAffine3], to: &[DAffine3], part: f64) -> Vec<DAffine3> {
    let mix = |(a, b): (&DAffine3, &DAffine3)| {
        let (_, turn_a, place_a) = a.to_scale_rotation_translation();
        let (_, turn_b, place_b) = b.to_scale_rotation_translation();
        DAffine3::from_rotation_translation(turn_a.slerp(turn_b, part), place_a.lerp(place_b, part))
    };
    from.iter().zip(to).map(mix).collect()
}

fn stepped(
    strands: &Strands,
    places: &[DVec3],
    world: &[DAffine3],
    [last, now]: [&Vec<Vec<DVec3>>; 2],
) -> Vec<Vec<DVec3>> {
    let target = at_rest(strands, places, world);
    let kept = (-strands.feel.drag * STEP).exp();
    let fall = DVec3::NEG_Y * (9.81 * strands.feel.weight * STEP * STEP);
    let mut next = target.clone();
    for (chain, points) in next.iter_mut().enumerate() {
        let tip = points.len() - 1;
        for i in 1..=tip {
            let free = now[chain][i] + (now[chain][i] - last[chain][i]) * kept + fall;
            let depth = (i - 1) as f64 / (tip.max(2) - 1) as f64;
            let [root, end] = strands.feel.stiffness;
            let pull = 1.0 - (-(root + (end - root) * depth) * STEP).exp();
            // Towards the resting direction seen from the present parent, so that a chain bends and does not shear.
            let aim = points[i - 1] + (target[chain][i] - target[chain][i - 1]);
            points[i] = free.lerp(aim, pull);
        }
    }
    for _ in 0..3 {
        if strands.woven {
            weave(&strands.rest, &mut next);
        }
        next.iter_mut().zip(&strands.rest).for_each(|(points, rest)| restrain(points, rest, strands, world));
    }
    next
}

/// Neighbours at the same depth keep their distance; the first row is held by the body.
fn weave(rest: &[Vec<DVec3>], chains: &mut [Vec<DVec3>]) {
    for chain in 1..chains.len() {
        for i in 1..chains[chain].len() {
            let (a, b) = (chains[chain - 1][i], chains[chain][i]);
            let wanted = rest[chain - 1][i].distance(rest[chain][i]);
            let apart = (b - a).length().max(1e-9);
            // Cloth folds more easily than it stretches.
            let give = if apart > wanted { 0.5 } else { 0.3 };
            let shift = (b - a) * (give * (apart - wanted) / apart);
            chains[chain - 1][i] += shift;
            chains[chain][i] -= shift;
        }
    }
}

/// Out of the body, then back to bone length, root to tip.
fn restrain(points: &mut [DVec3], rest: &[DVec3], strands: &Strands, world: &[DAffine3]) {
    for i in 1..points.len() {
        for obstacle in &strands.obstacles {
            points[i] = obstacle.outside(points[i], world);
        }
        points[i] = strands.behind_anchor(points[i], i, world);
        points[i].y = points[i].y.max(0.02);
        let parent = points[i - 1];
        points[i] = parent + (points[i] - parent).normalize_or(DVec3::NEG_Y) * rest[i].distance(rest[i - 1]);
    }
}

impl Strands {
    /// `point` or, where it would come forward over the anchor, the nearest point that does not.
    fn behind_anchor(&self, point: DVec3, depth: usize, world: &[DAffine3]) -> DVec3 {
        let seen = world[self.anchor].inverse().transform_point3(point);
        let most = self.behind[1] * depth as f64 - self.behind[0];
        if seen.z > most { world[self.anchor].transform_point3(DVec3 { z: most, ..seen }) } else { point }
    }
}

impl Obstacle {
    /// `point`, or the nearest point on the surface when it lies inside.
    fn outside(&self, point: DVec3, world: &[DAffine3]) -> DVec3 {
        let [a, b] = [0, 1].map(|end| world[self.joints[end]].transform_point3(self.offsets[end]));
        let along = ((point - a).dot(b - a) / (b - a).length_squared().max(1e-12)).clamp(0.0, 1.0);
        let nearest = a.lerp(b, along);
        let away = point - nearest;
        if away.length() < self.radius { nearest + away.normalize_or(DVec3::NEG_Z) * self.radius } else { point }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_keeps_its_length_and_comes_to_hang() {
        let rest: Vec<DVec3> = (0..4).map(|i| DVec3::Y * 2.0 + DVec3::Z * 0.1 * f64::from(i)).collect();
        let feel = Feel { drag: 3.0, stiffness: [0.0, 0.0], weight: 1.0 };
        let strands =
            Strands { anchor: 0, rest: vec![rest], feel, obstacles: Vec::new(), woven: false, behind: [-9.0, 0.0] };
        let frames = vec![vec![DAffine3::from_translation(DVec3::Y)]; 200];
        let recorded = follow(&strands, &[DVec3::Y], &frames, 0);
        let chain = &recorded[199][0];
        assert!(chain.windows(2).all(|pair| (pair[0].distance(pair[1]) - 0.1).abs() < 1e-9));
        assert!((chain[3] - chain[0]).normalize().abs_diff_eq(DVec3::NEG_Y, 0.02));
    }
}
