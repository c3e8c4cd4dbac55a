//! Root motion computed from foot contacts, for clips that walk on the spot: the body moves forward as fast as the
//! standing foot slides back.

use glam::{DVec3, Vec3};

use super::root_motion::{frame_times, local_at, parent_at, path};
use crate::{Clip, Curve, Leg, Roles, RootKind, RootMotion, Skeleton};
use portamento_base::message::{message, messages};

messages! {
/// Reasons for which root motion cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RootMotionError {
    /// The rig has no feet.
    NoLegs => message!(
        "error.root.no_legs",
        "No legs were recognised on this character, so root motion cannot be computed from foot contacts. Assign its legs."
    ),
    /// An ancestor is scaled to zero.
    FlatParent {
        /// The joint's name.
        joint: String,
    } => message!(
        "error.root.flat_parent",
        "A parent of joint %{joint} is scaled to zero, so the joint cannot be moved. Set a non-zero scale.",
        joint
    ),
}
}

/// Returns a copy of `clip` with root motion from its feet ([`FeetTravel::find`]), and the joint that carries it.
/// A clip whose feet already stand is nearly unchanged.
pub fn synthesize_root_motion(
    skeleton: &Skeleton,
    clip: &Clip,
    roles: &Roles,
    fps: f64,
    metres_per_unit: f64,
) -> Result<(Clip, RootMotion), RootMotionError> {
    let travel = FeetTravel::find(skeleton, clip, roles, fps, metres_per_unit)?;
    Ok((travel.carry(skeleton, clip)?, travel.root))
}

/// The root motion for which standing feet keep their position.
#[derive(Clone, Debug, PartialEq)]
pub struct FeetTravel {
    /// The nearest common ancestor of hips and legs, or the hips if there is none.
    pub root: RootMotion,
    /// Sample times, seconds, ascending.
    pub times: Vec<f64>,
    /// Displacement at each time, world units along the ground; the first is zero.
    pub displacements: Vec<DVec3>,
    /// Steps of all feet, step after step.
    steps: Vec<FootStep>,
    /// The sole of each foot.
    soles: Vec<Sole>,
}

/// Agreement between standing feet and a velocity, in seconds summed over all feet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Agreement {
    /// Seconds in which feet stand.
    pub standing: f64,
    /// Seconds in which they imply that velocity.
    pub agreed: f64,
}

/// One step of one foot: the body velocity that it implies, and its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FootStep {
    /// Body velocity for which the foot would keep its position, world units per second.
    velocity: DVec3,
    /// Confidence that the foot stands, 0 to 1.
    confidence: f64,
    /// Duration of the step.
    seconds: f64,
    /// True if it is low enough to rest on something.
    is_low: bool,
    /// Difference within which two velocities count as equal, world units per second.
    tolerance: f64,
}

/// Minimum duration for which a resting foot moves evenly.
const EVEN_SECONDS: f64 = 0.25;
/// Minimum duration for a slightly shuffling foot, and the factor by which its velocities may differ more: 20 × 1
/// mm/s = 2 cm/s.
const STEADY_SECONDS: f64 = 0.4;
const STEADY_TOLERANCE_FACTOR: f64 = 20.0;

impl FeetTravel {
    /// Computes the root motion of `clip`.
    ///
    /// In each step the ground-plane motion of the standing feet is reversed; a foot weighs more, the nearer it is to
    /// its lowest height. While no foot stands, the velocity is interpolated.
    ///
    /// `fps` (1…1000) fills gaps between distant keys; `metres_per_unit` is the file's unit.
    ///
    /// Returns `Err` if the rig has no hips or no usable legs.
    pub fn find(
        skeleton: &Skeleton,
        clip: &Clip,
        roles: &Roles,
        fps: f64,
        metres_per_unit: f64,
    ) -> Result<Self, RootMotionError> {
        let legs: Vec<&Leg> = usable_legs(skeleton, roles).collect();
        let hips = roles.hips.filter(|&hips| hips < skeleton.len()).ok_or(RootMotionError::NoLegs)?;
        if legs.is_empty() {
            return Err(RootMotionError::NoLegs);
        }
        let carries_legs = |joint: usize| legs.iter().all(|leg| skeleton.is_within(leg.foot, joint));
        let carries = |joint: &usize| carries_legs(*joint) && skeleton.is_within(hips, *joint);
        // Legs may be attached to an ancestor of the hips.
        let ancestor = skeleton.ancestors(hips).skip(1).find(carries);
        let joint = ancestor.or(skeleton.joints[hips].parent).unwrap_or(hips);
        let chains = legs.iter().flat_map(|leg| skeleton.ancestors(leg.toe.unwrap_or(leg.foot)));
        let times = frame_times(clip, chains, fps);
        let soles: Vec<Vec<DVec3>> =
            legs.iter().map(|leg| path(skeleton, clip, leg.toe.unwrap_or(leg.foot), &times)).collect();
        let kind = if joint == hips { RootKind::HipsGroundPart } else { RootKind::Root };
        let soles: Vec<Sole> = soles.into_iter().map(Sole::new).collect();
        let of_feet = |i: usize| soles.iter().map(|sole| sole.step(&times, i, metres_per_unit)).collect();
        let steps: Vec<Vec<FootStep>> = (1..times.len()).map(of_feet).collect();
        let displacements = travelled(&steps, &times);
        Ok(Self { root: RootMotion { joint, kind }, times, displacements, steps: steps.concat(), soles })
    }

    /// Returns the displacement at each of `times` for a body at one constant velocity, world units. The clip moves between the
    /// times `from` and `to` (seconds) only.
    pub fn straight(&self, [from, to]: [f64; 2]) -> Vec<DVec3> {
        let velocity = self.even_velocity().or_else(|| self.steady_velocity()).unwrap_or_else(|| self.usual_velocity());
        self.times.iter().map(|time| velocity * (time.clamp(from, to) - from)).collect()
    }

    /// Returns the median velocity implied by standing feet, world units per second; zero if no foot ever stands.
    pub(crate) fn usual_velocity(&self) -> DVec3 {
        median_velocity(&self.steps)
    }

    /// Returns the median velocity implied by feet that move evenly, world units per second; `None` if they never do.
    pub(crate) fn even_velocity(&self) -> Option<DVec3> {
        let even = self.even_steps();
        (!even.is_empty()).then(|| median_velocity(&even))
    }

    /// Returns the median velocity of the longest run in which a foot near the ground hardly shuffles, world units
    /// per second; `None` if every run is too short.
    fn steady_velocity(&self) -> Option<DVec3> {
        let seconds = |run: &[FootStep]| run.iter().map(|step| step.seconds).sum::<f64>();
        let of_foot = |steps: Vec<FootStep>| (0..steps.len()).map(move |at| steady_around(&steps, at));
        let longest = self.feet().flat_map(of_foot).max_by(|a, b| seconds(a).total_cmp(&seconds(b)))?;
        (seconds(&longest) >= STEADY_SECONDS).then(|| median_velocity(&longest))
    }

    /// Returns the steps of feet near the ground in runs of equal velocity that last long enough, with full
    /// confidence.
    fn even_steps(&self) -> Vec<FootStep> {
        let is_same =
            |a: &FootStep, b: &FootStep| a.is_low && b.is_low && a.velocity.distance(b.velocity) <= a.tolerance;
        let lasts =
            |run: &&[FootStep]| run[0].is_low && run.iter().map(|step| step.seconds).sum::<f64>() >= EVEN_SECONDS;
        let of_foot = |steps: Vec<FootStep>| {
            let runs = steps.chunk_by(is_same).filter(lasts);
            runs.flatten().map(|step| FootStep { confidence: 1.0, ..*step }).collect::<Vec<_>>()
        };
        self.feet().flat_map(of_foot).collect()
    }

    /// Returns the steps of each foot.
    fn feet(&self) -> impl Iterator<Item = Vec<FootStep>> + '_ {
        let count = self.soles.len();
        (0..count).map(move |foot| self.steps.iter().skip(foot).step_by(count).copied().collect())
    }

    /// Returns for how many seconds feet stand, summed over all feet, and for how many of them they imply a velocity
    /// within `tolerance` of `velocity`; both in world units per second.
    pub(crate) fn agreement(&self, velocity: DVec3, tolerance: f64) -> Agreement {
        let seconds = |counts: &dyn Fn(&&FootStep) -> bool| -> f64 {
            let steps = self.steps.iter().filter(|step| step.confidence > 0.0);
            steps.filter(counts).map(|step| step.confidence * step.seconds).sum()
        };
        Agreement {
            standing: seconds(&|_| true),
            agreed: seconds(&|step| step.velocity.distance(velocity) <= tolerance),
        }
    }

    /// Returns how much higher feet are while they move forward than while they move back, as a fraction of their
    /// reach. Walking lifts them.
    pub(super) fn lift(&self) -> f64 {
        let direction = self.displacements.last().copied().unwrap_or_default().normalize_or_zero();
        let heights = |sign: f64| {
            let steps = || self.soles.iter().flat_map(|sole| sole.steps(sign * direction));
            let forward: f64 = steps().map(|step| step.forward).sum();
            steps().map(|step| step.forward * step.height).sum::<f64>() / forward.max(f64::MIN_POSITIVE)
        };
        let reach = self.soles.iter().map(|sole| sole.reach(direction)).sum::<f64>() / self.soles.len().max(1) as f64;
        (heights(1.0) - heights(-1.0)) / reach.max(f64::MIN_POSITIVE)
    }

    /// Returns a copy of `clip`, from which this was computed, with the displacements added to the translation of its root. That
    /// curve is linear with a key at each of `times`. Returns `Err` if a parent of the root is scaled to zero.
    pub fn carry(&self, skeleton: &Skeleton, clip: &Clip) -> Result<Clip, RootMotionError> {
        let joint = self.root.joint;
        let mut values: Vec<Vec3> = Vec::with_capacity(self.times.len());
        for (&time, &moved) in self.times.iter().zip(&self.displacements) {
            let inverse = parent_at(skeleton, clip, joint, time).matrix3.inverse();
            let local = local_at(skeleton, clip, joint, time).translation;
            let placed = (local.as_dvec3() + inverse * moved).as_vec3();
            if !placed.is_finite() {
                return Err(RootMotionError::FlatParent { joint: skeleton.joints[joint].name.clone() });
            }
            values.push(placed);
        }
        let mut result = clip.clone();
        let times = self.times.iter().map(|&time| time as f32).collect();
        result.tracks[joint].translation = Some(Curve::linear(times, values));
        Ok(result)
    }
}

/// Returns the legs whose feet are joints of `skeleton`.
pub(super) fn usable_legs<'a>(skeleton: &Skeleton, roles: &'a Roles) -> impl Iterator<Item = &'a Leg> {
    let count = skeleton.len();
    roles.legs.iter().filter(move |leg| leg.foot.max(leg.toe.unwrap_or(0)) < count)
}

/// Returns the steps around the index `at` in which the foot is near the ground and its velocity is about that of
/// step `at`, at most [`STEADY_SECONDS`] on either side, with full confidence.
fn steady_around(steps: &[FootStep], at: usize) -> Vec<FootStep> {
    let center = steps[at];
    let is_same = |step: &&FootStep| {
        step.is_low && step.velocity.distance(center.velocity) <= STEADY_TOLERANCE_FACTOR * center.tolerance
    };
    let max_steps = (STEADY_SECONDS / center.seconds).ceil() as usize;
    let before = steps[..at].iter().rev().take(max_steps).take_while(is_same);
    let after = steps[at..].iter().take(max_steps).take_while(is_same);
    before.chain(after).map(|step| FootStep { confidence: 1.0, ..*step }).collect()
}

/// Returns the displacement of the body at each of `times` for which standing feet keep their position; the first is
/// zero. `steps` are those of the feet before each time but the first.
fn travelled(steps: &[Vec<FootStep>], times: &[f64]) -> Vec<DVec3> {
    let velocities: Vec<Option<DVec3>> = steps.iter().map(|feet| body_velocity(feet)).collect();
    let mut position = DVec3::ZERO;
    let mut positions = vec![position; times.len().min(1)];
    for i in 1..times.len() {
        position += interpolated(&velocities, i - 1) * (times[i] - times[i - 1]);
        positions.push(position);
    }
    positions
}

/// The world positions of a sole over all sample times, in the file's unit.
#[derive(Clone, Debug, PartialEq)]
struct Sole {
    path: Vec<DVec3>,
    /// The lowest height of the sole.
    ground: f64,
}

impl Sole {
    /// Takes the path of a sole, whose lowest position counts as the ground.
    fn new(path: Vec<DVec3>) -> Self {
        let ground = path.iter().map(|point| point.y).fold(f64::INFINITY, f64::min);
        Self { path, ground }
    }

    /// Returns the steps between frames: the distance along the unit vector `direction`, 0 if backwards, and the height above
    /// the lowest position.
    fn steps(&self, direction: DVec3) -> impl Iterator<Item = SoleStep> + '_ {
        self.path.windows(2).map(move |pair| SoleStep {
            forward: (pair[1] - pair[0]).dot(direction).max(0.0),
            height: 0.5 * (pair[0].y + pair[1].y) - self.ground,
        })
    }

    /// Returns the distance that the sole covers along the unit vector `direction`.
    fn reach(&self, direction: DVec3) -> f64 {
        let along = || self.path.iter().map(|point| point.dot(direction));
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    }

    /// Returns the step from `times[i - 1]` to `times[i]` (seconds). Velocities are in the file's unit per second, and
    /// `metres_per_unit` is its length.
    fn step(&self, times: &[f64], i: usize, metres_per_unit: f64) -> FootStep {
        // A foot higher than 5 cm above its lowest height does not stand: the usual limit of skating measures.
        const STANDING_MAX_HEIGHT_M: f64 = 0.05;
        // Feet of a lying body rest higher than their lowest height on the way down.
        const RESTING_MAX_HEIGHT_M: f64 = 0.15;
        // Speed variation of a resting, drifting foot between frames, metres per second.
        const EVEN_M_PER_SECOND: f64 = 0.001;
        let [before, here] = [self.path[i - 1], self.path[i]];
        let height = (here.y.max(before.y) - self.ground) * metres_per_unit;
        let seconds = times[i] - times[i - 1];
        let velocity = (before - here).with_y(0.0) / seconds;
        let confidence =
            if velocity.is_finite() { (1.0 - height / STANDING_MAX_HEIGHT_M).max(0.0).powi(2) } else { 0.0 };
        let is_low = velocity.is_finite() && height <= RESTING_MAX_HEIGHT_M;
        FootStep { velocity, confidence, seconds, is_low, tolerance: EVEN_M_PER_SECOND / metres_per_unit }
    }
}

/// The movement of a sole between two times, world units.
struct SoleStep {
    /// Distance along the direction of travel; 0 for backward motion.
    forward: f64,
    /// Height above the sole's lowest height.
    height: f64,
}

/// Returns the velocity that keeps the standing `feet` in place during a step, weighted by their confidence and in
/// the unit of [`FootStep::velocity`]. `None` if none stands.
fn body_velocity(feet: &[FootStep]) -> Option<DVec3> {
    let standing = || feet.iter().filter(|foot| foot.confidence > 0.0);
    let weights: f64 = standing().map(|foot| foot.confidence).sum();
    let sum: DVec3 = standing().map(|foot| foot.velocity * foot.confidence).sum();
    (weights > 1e-6).then(|| sum / weights)
}

/// Returns entry `i` of `velocities`. If it is unknown, returns the interpolation by index between the nearest known ones before
/// and after it, or zero if there are none.
fn interpolated(velocities: &[Option<DVec3>], i: usize) -> DVec3 {
    let before = (0..=i).rev().find_map(|k| Some((k, velocities[k]?)));
    let after = (i..velocities.len()).find_map(|k| Some((k, velocities[k]?)));
    match (before, after) {
        (Some((a, from)), Some((b, to))) if a < b => from.lerp(to, (i - a) as f64 / (b - a) as f64),
        (Some((_, only)), _) | (None, Some((_, only))) => only,
        (None, None) => DVec3::ZERO,
    }
}

/// Returns the median velocity of `steps`, per axis.
fn median_velocity(steps: &[FootStep]) -> DVec3 {
    DVec3::new(weighted_median(steps, |velocity| velocity.x), 0.0, weighted_median(steps, |velocity| velocity.z))
}

/// Returns the weighted median of a `component` of the velocities of `steps`, 0 without standing feet. The weight is the
/// confidence times the duration.
fn weighted_median(steps: &[FootStep], component: fn(DVec3) -> f64) -> f64 {
    let standing = steps.iter().filter(|step| step.confidence > 0.0);
    let mut values: Vec<(f64, f64)> =
        standing.map(|step| (component(step.velocity), step.confidence * step.seconds)).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = 0.5 * values.iter().map(|value| value.1).sum::<f64>();
    let mut so_far = 0.0;
    let reaches_half = |value: &&(f64, f64)| {
        so_far += value.1;
        so_far > half
    };
    values.iter().find(reaches_half).map_or(0.0, |value| value.0)
}

#[cfg(test)]
mod tests;
