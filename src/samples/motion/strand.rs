//! Secondary motion of hair and cape: each link of a chain is a damped spring on a sphere.
//!
//! A link is pulled towards its rest direction, the ground and its parent link, and by the wind of its own motion.
//! It is a unit direction, so it cannot stretch, and the damping keeps it stable.

use glam::{DAffine3, DQuat, DVec3};

use super::profile::Profile;

/// Simulation steps per frame.
const STEPS_PER_FRAME: usize = 8;
/// Seconds per step at 30 fps.
const STEP_SECONDS: f64 = 1.0 / 240.0;
/// Distance of the chains from the ground, metres.
const GROUND_MARGIN_M: f64 = 0.02;
/// Largest rotation rate of a link relative to its parent link, radians per second. Tuned; no derivation recorded.
const MAX_LINK_RATE: f64 = 7.0;

/// Parameters of a set of chains: the strength of each influence and the stiffness of the links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feel {
    /// Pull towards the rest shape, at the root and at the tip.
    pub rest: [f64; 2],
    /// Pull towards the ground.
    pub weight: f64,
    /// Pull towards the direction of the parent link.
    pub bend: f64,
    /// Pull against the motion, per m/s.
    pub air: f64,
    /// Natural frequency in radians per second, at the root and at the tip.
    pub swing: [f64; 2],
    /// Damping ratio; 1 is critical.
    pub damping: f64,
    /// Strength of the flutter relative to the wind.
    pub flutter: f64,
    /// Pull towards the mean deflection of the neighbouring chains.
    pub weave: f64,
}

/// A capsule that chains stay out of: a segment of the body with a radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    /// Joints at the ends.
    pub joints: [usize; 2],
    /// Offsets of the ends in the frames of their joints.
    pub offsets: [DVec3; 2],
    /// Distance from the segment to the surface, metres.
    pub radius: f64,
}

/// Parallel chains attached to one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Strands {
    /// The joint to which they are attached.
    pub anchor: usize,
    /// Rest points of each chain in model space, root first, tip last.
    pub rest: Vec<Vec<DVec3>>,
    /// Parameters of the motion.
    pub feel: Feel,
    /// Obstacles of the chains.
    pub obstacles: Vec<Obstacle>,
    /// Distance that points stay behind the anchor: metres at the root, and metres less per joint further down.
    pub behind: [f64; 2],
    /// Largest angle of the first link to its rest direction, and of the others to their parent link, radians.
    pub bends: [f64; 2],
}

/// One chain at one step.
#[derive(Clone, Debug, PartialEq)]
struct Chain {
    points: Vec<DVec3>,
    /// Unit direction of each link.
    links: Vec<DVec3>,
    /// Change of each link's direction per second.
    rates: Vec<DVec3>,
    /// Rest direction of the first link.
    root_direction: DVec3,
}

/// The motion of the body and the beat of the flutter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrandDrive<'a> {
    /// Rest positions of all joints.
    pub positions: &'a [DVec3],
    /// World transforms of all joints per frame.
    pub frames: &'a [Vec<DAffine3>],
    /// Number of warm-up frames.
    pub warm_up_frames: usize,
    /// Frames per beat of flutter.
    pub beat: f64,
    /// The ground, which the chains stay above.
    pub profile: &'a Profile,
}

/// The joints and the ground around a chain at one step.
#[derive(Clone, Copy)]
struct Surroundings<'a> {
    /// World transforms of all joints.
    world: &'a [DAffine3],
    profile: &'a Profile,
}

/// Simulates the chains. Returns every point of every chain for each frame after the warm-up.
pub fn simulate(strands: &Strands, drive: StrandDrive) -> Vec<Vec<Vec<DVec3>>> {
    let StrandDrive { positions, frames, warm_up_frames, beat, profile } = drive;
    let Some(first) = frames.first() else { return Vec::new() };
    let mut chains: Vec<Chain> =
        strands.rest.iter().map(|rest| at_rest(rest, strands.anchor, positions, first)).collect();
    let mut out = Vec::new();
    for frame in 0..frames.len() {
        let from = &frames[frame.saturating_sub(1)];
        for step in 1..=STEPS_PER_FRAME {
            let world = between(from, &frames[frame], step as f64 / STEPS_PER_FRAME as f64);
            let beats = (frame as f64 + step as f64 / STEPS_PER_FRAME as f64) / beat;
            let rests = strands.rest.iter().map(|rest| at_rest(rest, strands.anchor, positions, &world));
            let targets: Vec<Chain> = rests.collect();
            let mean_deflections = mean_deflections(&chains, &targets);
            for (i, (chain, target)) in chains.iter_mut().zip(&targets).enumerate() {
                // Neighbouring chains have a phase offset, so that a sheet ripples across as well as along.
                let surroundings = Surroundings { world: &world, profile };
                advance(chain, target, &mean_deflections, strands, surroundings, beats - 0.13 * i as f64);
            }
        }
        if frame >= warm_up_frames {
            out.push(chains.iter().map(|chain| chain.points.clone()).collect());
        }
    }
    out
}

/// Returns a chain at its rest points under the transforms `world`, without speed.
fn at_rest(rest: &[DVec3], anchor: usize, positions: &[DVec3], world: &[DAffine3]) -> Chain {
    let points: Vec<DVec3> =
        rest.iter().map(|&point| world[anchor].transform_point3(point - positions[anchor])).collect();
    let links: Vec<DVec3> = points.windows(2).map(|pair| (pair[1] - pair[0]).normalize_or(DVec3::NEG_Y)).collect();
    Chain {
        rates: vec![DVec3::ZERO; links.len()],
        root_direction: links.first().copied().unwrap_or(DVec3::NEG_Y),
        points,
        links,
    }
}

/// Returns the mean deflection of all chains from their rest direction, for each link.
fn mean_deflections(chains: &[Chain], targets: &[Chain]) -> Vec<DVec3> {
    let turned =
        |i: usize| chains.iter().zip(targets).map(|(chain, target)| chain.links[i] - target.links[i]).sum::<DVec3>();
    let links = chains.first().map_or(0, |chain| chain.links.len());
    (0..links).map(|i| turned(i) / chains.len() as f64).collect()
}

/// Interpolates the transforms of two frames.
fn between(from: &[DAffine3], to: &[DAffine3], part: f64) -> Vec<DAffine3> {
    let mix = |(a, b): (&DAffine3, &DAffine3)| {
        let (_, turn_a, place_a) = a.to_scale_rotation_translation();
        let (_, turn_b, place_b) = b.to_scale_rotation_translation();
        DAffine3::from_rotation_translation(turn_a.slerp(turn_b, part), place_a.lerp(place_b, part))
    };
    from.iter().zip(to).map(mix).collect()
}

/// Advances one chain by one step, from root to tip.
fn advance(
    chain: &mut Chain,
    target: &Chain,
    mean_deflections: &[DVec3],
    strands: &Strands,
    surroundings: Surroundings,
    beats: f64,
) {
    let (feel, world) = (strands.feel, surroundings.world);
    let old = chain.clone();
    chain.points[0] = target.points[0];
    chain.root_direction = target.root_direction;
    for (i, &mean_deflection) in mean_deflections.iter().enumerate() {
        let depth = i as f64 / (chain.links.len().max(2) - 1) as f64;
        let along = |[root, tip]: [f64; 2]| root + (tip - root) * depth;
        let wind = (old.points[i] - chain.points[i]) / STEP_SECONDS;
        let previous_parent_direction = old.parent_direction(i);
        let parent_direction = chain.parent_direction(i);
        let wave = (std::f64::consts::TAU * (beats - 0.2 * i as f64)).sin() * feel.flutter * wind.length();
        let across = chain.links[i].cross(world[strands.anchor].x_axis);
        let pull_to_shape = target.links[i] * along(feel.rest)
            + parent_direction * feel.bend
            + (target.links[i] + mean_deflection) * feel.weave;
        // Air drag applies to the swing of the link too. Without it the chain would crack like a whip.
        let length = target.points[i].distance(target.points[i + 1]);
        let air = (wind - chain.rates[i] * length) * feel.air;
        let drawn = pull_to_shape + DVec3::NEG_Y * feel.weight + air;
        let swing = along(feel.swing);
        let pull = (drawn + across * wave - chain.links[i] * drawn.dot(chain.links[i])) * (swing * swing);
        let rate = (chain.rates[i] + pull * STEP_SECONDS) / (1.0 + 2.0 * feel.damping * swing * STEP_SECONDS);
        let old_link = chain.links[i];
        let free = chain.points[i] + (old_link + rate * STEP_SECONDS).normalize_or(old_link) * length;
        let clear = strands.outside(free, i + 1, surroundings);
        // A link across an edge has both ends outside.
        let middle = chain.points[i].midpoint(clear);
        let clear = clear + (surroundings.profile.outside(middle, GROUND_MARGIN_M) - middle) * 2.0;
        let bends = strands.bends[usize::from(i > 0)];
        let bent = within_cone((clear - chain.points[i]).normalize_or(old_link), parent_direction, bends);
        let followed = DQuat::from_rotation_arc(previous_parent_direction, parent_direction) * old_link;
        chain.links[i] = within_cone(bent, followed, MAX_LINK_RATE * STEP_SECONDS);
        // The part of the motion stopped by an obstacle does not count as the link's rate.
        let moved = (chain.links[i] - old_link) / STEP_SECONDS;
        let rate = if chain.points[i] + chain.links[i] * length == free {
            rate
        } else {
            moved * (rate.length() / moved.length().max(1e-9)).min(1.0)
        };
        chain.rates[i] = rate - chain.links[i] * rate.dot(chain.links[i]);
        chain.points[i + 1] = chain.points[i] + chain.links[i] * length;
    }
}

/// Limits the angle of `link` to `from` to `max_angle` radians.
fn within_cone(link: DVec3, from: DVec3, max_angle: f64) -> DVec3 {
    let side = (link - from * link.dot(from)).normalize_or(from.any_orthonormal_vector());
    if link.dot(from) >= max_angle.min(std::f64::consts::PI).cos() {
        link
    } else {
        from * max_angle.cos() + side * max_angle.sin()
    }
}

impl Chain {
    /// Returns the direction of the parent of link `i`.
    fn parent_direction(&self, i: usize) -> DVec3 {
        if i == 0 { self.root_direction } else { self.links[i - 1] }
    }
}

impl Strands {
    /// Moves `point` out of the body, behind the anchor and above the ground. `depth` is its index in the chain.
    fn outside(&self, point: DVec3, depth: usize, Surroundings { world, profile }: Surroundings) -> DVec3 {
        let clear = self.obstacles.iter().fold(point, |point, obstacle| obstacle.outside(point, world));
        let seen = world[self.anchor].inverse().transform_point3(clear);
        let max_angle = self.behind[1] * depth as f64 - self.behind[0];
        let limited = DVec3 { z: seen.z.min(max_angle), ..seen };
        let back = if limited == seen { clear } else { world[self.anchor].transform_point3(limited) };
        profile.outside(back, GROUND_MARGIN_M)
    }
}

impl Obstacle {
    /// Moves `point` to the surface if it is inside the obstacle.
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
    fn a_chain_keeps_its_length_and_settles() {
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
        let profile = Profile::default();
        let drive =
            StrandDrive { positions: &[DVec3::Y], frames: &frames, warm_up_frames: 0, beat: 10.0, profile: &profile };
        let recorded = simulate(&strands, drive);
        let chain = &recorded[199][0];
        assert!(chain.windows(2).all(|pair| (pair[0].distance(pair[1]) - 0.1).abs() < 1e-9));
        assert!((chain[3] - chain[0]).normalize().abs_diff_eq(DVec3::NEG_Y, 0.02));
    }
}
