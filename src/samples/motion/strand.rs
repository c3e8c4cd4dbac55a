//! Hair and cape follow through: each link of a chain is a damped spring on a sphere.
//!
//! A link is drawn towards its resting direction, towards the ground, towards its parent link and against the wind of its own
//! motion; being a direction, it cannot stretch, and with these damping ratios it cannot run away either.

use glam::{DAffine3, DQuat, DVec3};

/// Steps for each frame.
const STEPS: usize = 8;
/// Seconds per step at 30 fps.
const STEP: f64 = 1.0 / 240.0;
/// Radians per second by which a link turns against the one above it at most: cloth that slips off a limb takes its time.
const QUICKEST: f64 = 7.0;

/// How a set of chains moves: how strongly each influence draws, and how fast links answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feel {
    /// Towards the resting shape, at the root and at the tip.
    pub rest: [f64; 2],
    /// Towards the ground.
    pub weight: f64,
    /// Towards the direction of the link above.
    pub bend: f64,
    /// Against the motion, for each m/s.
    pub air: f64,
    /// Radians per second of a free swing, at the root and at the tip.
    pub swing: [f64; 2],
    /// 1 comes to rest without a swing over.
    pub damping: f64,
    /// How much of the wind flutters.
    pub flutter: f64,
    /// Towards turning as the links beside it do.
    pub weave: f64,
}

/// A solid that chains stay out of: a segment of the body with a radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    /// Joints whose places are the ends.
    pub joints: [usize; 2],
    /// Offsets of the ends in their joints' frames.
    pub offsets: [DVec3; 2],
    /// Distance from the segment to the surface, metres.
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
    /// How far behind the anchor points stay, seen from it: metres at the root, and metres less for each joint further down.
    pub behind: [f64; 2],
    /// How far a link may turn from its resting direction (the first) or from the link above (the others), radians.
    pub bends: [f64; 2],
}

/// One chain at one moment.
#[derive(Clone, Debug, PartialEq)]
struct Chain {
    points: Vec<DVec3>,
    /// Unit direction of each link.
    links: Vec<DVec3>,
    /// Change of each link's direction per second.
    rates: Vec<DVec3>,
    /// Where the first link would rest.
    held: DVec3,
}

/// Where the body goes, and how the wind of it beats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrandDrive<'a> {
    /// Resting places of all joints.
    pub places: &'a [DVec3],
    /// World places of all joints for each frame.
    pub frames: &'a [Vec<DAffine3>],
    /// Frames that only warm up.
    pub before: usize,
    /// Frames between two beats of flutter.
    pub beat: f64,
}

/// Every point of every chain for each frame of `drive` after its warm-up.
pub fn simulate(strands: &Strands, drive: StrandDrive) -> Vec<Vec<Vec<DVec3>>> {
    let StrandDrive { places, frames, before, beat } = drive;
    let Some(first) = frames.first() else { return Vec::new() };
    let mut chains: Vec<Chain> = strands.rest.iter().map(|rest| at_rest(rest, strands.anchor, places, first)).collect();
    let mut out = Vec::new();
    for frame in 0..frames.len() {
        let from = &frames[frame.saturating_sub(1)];
        for step in 1..=STEPS {
            let world = between(from, &frames[frame], step as f64 / STEPS as f64);
            let beats = (frame as f64 + step as f64 / STEPS as f64) / beat;
            let rests = strands.rest.iter().map(|rest| at_rest(rest, strands.anchor, places, &world));
            let targets: Vec<Chain> = rests.collect();
            let carried = carried(&chains, &targets);
            for (i, (chain, target)) in chains.iter_mut().zip(&targets).enumerate() {
                // Neighbours beat a little apart, so that a sheet ripples across as well as along.
                advance(chain, target, &carried, strands, &world, beats - 0.13 * i as f64);
            }
        }
        if frame >= before {
            out.push(chains.iter().map(|chain| chain.points.clone()).collect());
        }
    }
    out
}

fn at_rest(rest: &[DVec3], anchor: usize, places: &[DVec3], world: &[DAffine3]) -> Chain {
    let points: Vec<DVec3> = rest.iter().map(|&point| world[anchor].transform_point3(point - places[anchor])).collect();
    let links: Vec<DVec3> = points.windows(2).map(|pair| (pair[1] - pair[0]).normalize_or(DVec3::NEG_Y)).collect();
    Chain { rates: vec![DVec3::ZERO; links.len()], held: links.first().copied().unwrap_or(DVec3::NEG_Y), points, links }
}

/// For each link of a chain, how far all chains together are from their resting directions.
fn carried(chains: &[Chain], targets: &[Chain]) -> Vec<DVec3> {
    let turned =
        |i: usize| chains.iter().zip(targets).map(|(chain, target)| chain.links[i] - target.links[i]).sum::<DVec3>();
    let links = chains.first().map_or(0, |chain| chain.links.len());
    (0..links).map(|i| turned(i) / chains.len() as f64).collect()
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

/// One step of one chain, root to tip.
fn advance(chain: &mut Chain, target: &Chain, carried: &[DVec3], strands: &Strands, world: &[DAffine3], beats: f64) {
    let feel = strands.feel;
    let old = chain.clone();
    chain.points[0] = target.points[0];
    chain.held = target.held;
    for (i, &carried) in carried.iter().enumerate() {
        let depth = i as f64 / (chain.links.len().max(2) - 1) as f64;
        let along = |[root, tip]: [f64; 2]| root + (tip - root) * depth;
        let wind = (old.points[i] - chain.points[i]) / STEP;
        let above_before = old.above(i);
        let above = chain.above(i);
        let wave = (std::f64::consts::TAU * (beats - 0.2 * i as f64)).sin() * feel.flutter * wind.length();
        let across = chain.links[i].cross(world[strands.anchor].x_axis);
        let held = target.links[i] * along(feel.rest) + above * feel.bend + (target.links[i] + carried) * feel.weave;
        // The air brakes a link that swings as well as one that is carried along; without that the chain cracks like a whip.
        let length = target.points[i].distance(target.points[i + 1]);
        let air = (wind - chain.rates[i] * length) * feel.air;
        let drawn = held + DVec3::NEG_Y * feel.weight + air;
        let swing = along(feel.swing);
        let pull = (drawn + across * wave - chain.links[i] * drawn.dot(chain.links[i])) * (swing * swing);
        let rate = (chain.rates[i] + pull * STEP) / (1.0 + 2.0 * feel.damping * swing * STEP);
        let before = chain.links[i];
        let free = chain.points[i] + (before + rate * STEP).normalize_or(before) * length;
        let clear = strands.outside(free, i + 1, world);
        let bends = strands.bends[usize::from(i > 0)];
        let bent = within_cone((clear - chain.points[i]).normalize_or(before), above, bends);
        let followed = DQuat::from_rotation_arc(above_before, above) * before;
        chain.links[i] = within_cone(bent, followed, QUICKEST * STEP);
        // What the body stopped is no motion of the link's own.
        let moved = (chain.links[i] - before) / STEP;
        let rate = if chain.points[i] + chain.links[i] * length == free {
            rate
        } else {
            moved * (rate.length() / moved.length().max(1e-9)).min(1.0)
        };
        chain.rates[i] = rate - chain.links[i] * rate.dot(chain.links[i]);
        chain.points[i + 1] = chain.points[i] + chain.links[i] * length;
    }
}

/// `link`, or where it turns further than `most` (radians) from `from`, the nearest direction that does not.
fn within_cone(link: DVec3, from: DVec3, most: f64) -> DVec3 {
    let side = (link - from * link.dot(from)).normalize_or(from.any_orthonormal_vector());
    if link.dot(from) >= most.min(std::f64::consts::PI).cos() { link } else { from * most.cos() + side * most.sin() }
}

impl Chain {
    /// Direction of what link `i` hangs on.
    fn above(&self, i: usize) -> DVec3 {
        if i == 0 { self.held } else { self.links[i - 1] }
    }
}

impl Strands {
    /// `point` or, where the body is in its way, a near place outside.
    fn outside(&self, point: DVec3, depth: usize, world: &[DAffine3]) -> DVec3 {
        let clear = self.obstacles.iter().fold(point, |point, obstacle| obstacle.outside(point, world));
        let seen = world[self.anchor].inverse().transform_point3(clear);
        let most = self.behind[1] * depth as f64 - self.behind[0];
        let kept = DVec3 { z: seen.z.min(most), ..seen };
        let back = if kept == seen { clear } else { world[self.anchor].transform_point3(kept) };
        if back.y < 0.02 { DVec3 { y: 0.02, ..back } } else { back }
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
        let feel = Feel {
            rest: [0.0; 2],
            weight: 1.0,
            bend: 0.0,
            air: 0.1,
            swing: [9.0, 6.0],
            damping: 0.6,
            flutter: 0.0,
            weave: 0.0,
        };
        let strands = Strands {
            anchor: 0,
            rest: vec![rest],
            feel,
            obstacles: Vec::new(),
            behind: [-9.0, 0.0],
            bends: [3.2, 3.2],
        };
        let frames = vec![vec![DAffine3::from_translation(DVec3::Y)]; 200];
        let recorded = simulate(&strands, StrandDrive { places: &[DVec3::Y], frames: &frames, before: 0, beat: 10.0 });
        let chain = &recorded[199][0];
        assert!(chain.windows(2).all(|pair| (pair[0].distance(pair[1]) - 0.1).abs() < 1e-9));
        assert!((chain[3] - chain[0]).normalize().abs_diff_eq(DVec3::NEG_Y, 0.02));
    }
}
