//! Root motion made for clips that walk on the spot: the body goes forward as fast as the standing foot slides back.

use glam::{DVec3, Vec3};

use super::root_motion::{frame_times, local_at, parent_at, path};
use super::{Clip, Curve, Leg, Roles, RootKind, RootMotion, Skeleton};
use crate::message::{message, tell};

/// Why no root motion could be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRootMotion {
    /// No feet to read it from.
    NoLegs,
    /// A parent squashed flat.
    FlatParent {
        /// The joint's name.
        joint: String,
    },
}

tell!(NoRootMotion {
    Self::NoLegs => message!(
        "error.root.no_legs",
        "This character has no legs that were recognised, so its motion cannot be read from its feet. Assign its legs."
    ),
    Self::FlatParent { joint } => message!(
        "error.root.flat_parent",
        "Something above joint %{joint} is scaled to zero, so the joint cannot be moved. Give it a size.",
        joint
    ),
});

/// A copy of `clip` that travels as its feet tell ([`FeetTravel::find`]), and what carries it. A clip whose feet already stand comes
/// back nearly as it is.
pub fn synthesize_root_motion(
    skeleton: &Skeleton,
    clip: &Clip,
    roles: &Roles,
    fps: f64,
    metres_per_unit: f64,
) -> Result<(Clip, RootMotion), NoRootMotion> {
    let travel = FeetTravel::find(skeleton, clip, roles, fps, metres_per_unit)?;
    Ok((travel.carry(skeleton, clip)?, travel.root))
}

/// How far a body has to be carried along so that its standing feet stand.
#[derive(Clone, Debug, PartialEq)]
pub struct FeetTravel {
    /// The nearest joint above the hips and all legs, or the hips where there is none.
    pub root: RootMotion,
    /// Seconds, rising.
    pub times: Vec<f64>,
    /// The way so far at each of them, world units along the ground; the first is zero.
    pub ways: Vec<DVec3>,
    steps: Vec<FootStep>,
    soles: Vec<Sole>,
}

/// How far standing feet tell of a velocity, seconds of all feet together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Agreement {
    /// In which they stand.
    pub standing: f64,
    /// In which they tell of that velocity.
    pub agreed: f64,
}

/// What one foot tells in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FootStep {
    /// World units per second at which the body would have to go for the foot to keep its place.
    velocity: DVec3,
    /// How surely it stands, 0 to 1.
    stands: f64,
    seconds: f64,
    /// Whether it is low enough to rest on something.
    is_low: bool,
    /// World units per second within which another velocity is the same.
    near: f64,
}

/// Seconds for which a foot that rests goes by evenly.
const EVEN_FOR: f64 = 0.25;
/// Seconds for which one that hardly shuffles does, and how many times as far apart its velocities may be: 2 cm/s.
const STEADY_FOR: f64 = 0.4;
const STEADY: f64 = 20.0;

impl FeetTravel {
    /// In every step the ground-plane motion of the standing feet is taken back; a foot counts the more, the nearer it is to its
    /// lowest place. While no foot stands, the speed goes evenly from the last to the next one. `fps` (1…1000) fills the gaps
    /// between far keys; `metres_per_unit` is the file's unit.
    pub fn find(
        skeleton: &Skeleton,
        clip: &Clip,
        roles: &Roles,
        fps: f64,
        metres_per_unit: f64,
    ) -> Result<Self, NoRootMotion> {
        let legs: Vec<&Leg> = usable_legs(skeleton, roles).collect();
        let hips = roles.hips.filter(|&hips| hips < skeleton.len()).ok_or(NoRootMotion::NoLegs)?;
        if legs.is_empty() {
            return Err(NoRootMotion::NoLegs);
        }
        let holds_all = |joint: usize| legs.iter().all(|leg| skeleton.is_within(leg.foot, joint));
        let carries = |joint: &usize| holds_all(*joint) && skeleton.is_within(hips, *joint);
        // Legs may hang beside the hips, from a joint higher up.
        let above = skeleton.ancestors(hips).skip(1).find(carries);
        let joint = above.or(skeleton.joints[hips].parent).unwrap_or(hips);
        let chains = legs.iter().flat_map(|leg| skeleton.ancestors(leg.toe.unwrap_or(leg.foot)));
        let times = frame_times(clip, chains, fps);
        let soles: Vec<Vec<DVec3>> =
            legs.iter().map(|leg| path(skeleton, clip, leg.toe.unwrap_or(leg.foot), &times)).collect();
        let kind = if joint == hips { RootKind::HipsGroundPart } else { RootKind::Root };
        let soles: Vec<Sole> = soles.into_iter().map(Sole::new).collect();
        let of_feet = |i: usize| soles.iter().map(|sole| sole.step(&times, i, metres_per_unit)).collect();
        let steps: Vec<Vec<FootStep>> = (1..times.len()).map(of_feet).collect();
        let ways = travelled(&steps, &times);
        Ok(Self { root: RootMotion { joint, kind }, times, ways, steps: steps.concat(), soles })
    }

    /// The way at a speed that does not change while the clip is not held, which is from one time until another: the middle one of
    /// all that feet tell while they go by evenly, which who drifts does while he rests, lies or sits, however high his feet are then;
    /// where none does, of one that hardly shuffles for longer, and else of all that each foot tells while it stands, so that steps in
    /// which it comes down, lifts or pushes off do not count.
    pub fn straight(&self, [from, to]: [f64; 2]) -> Vec<DVec3> {
        let velocity = self.even_velocity().or_else(|| self.steady_velocity()).unwrap_or_else(|| self.usual_velocity());
        self.times.iter().map(|time| velocity * (time.clamp(from, to) - from)).collect()
    }

    /// The middle one of all velocities that each foot tells while it stands, world units per second.
    pub(super) fn usual_velocity(&self) -> DVec3 {
        middle_of(&self.steps)
    }

    /// The middle one of all velocities that feet tell while they go by evenly, world units per second; `None` where they never do.
    pub(super) fn even_velocity(&self) -> Option<DVec3> {
        let even = self.even_steps();
        (!even.is_empty()).then(|| middle_of(&even))
    }

    /// The middle one of all velocities that a foot near the ground tells while it hardly shuffles for the longest, world units per
    /// second; `None` where all do.
    fn steady_velocity(&self) -> Option<DVec3> {
        let seconds = |run: &[FootStep]| run.iter().map(|step| step.seconds).sum::<f64>();
        let of_foot = |steps: Vec<FootStep>| (0..steps.len()).map(move |at| steady_around(&steps, at));
        let longest = self.feet().flat_map(of_foot).max_by(|a, b| seconds(a).total_cmp(&seconds(b)))?;
        (seconds(&longest) >= STEADY_FOR).then(|| middle_of(&longest))
    }

    /// The steps of feet near the ground that go by as fast for a while before and after, each as sure as any other.
    fn even_steps(&self) -> Vec<FootStep> {
        let is_same = |a: &FootStep, b: &FootStep| a.is_low && b.is_low && a.velocity.distance(b.velocity) <= a.near;
        let lasts = |run: &&[FootStep]| run[0].is_low && run.iter().map(|step| step.seconds).sum::<f64>() >= EVEN_FOR;
        let of_foot = |steps: Vec<FootStep>| {
            let runs = steps.chunk_by(is_same).filter(lasts);
            runs.flatten().map(|step| FootStep { stands: 1.0, ..*step }).collect::<Vec<_>>()
        };
        self.feet().flat_map(of_foot).collect()
    }

    /// The steps of each foot.
    fn feet(&self) -> impl Iterator<Item = Vec<FootStep>> + '_ {
        let count = self.soles.len();
        (0..count).map(move |foot| self.steps.iter().skip(foot).step_by(count).copied().collect())
    }

    /// For how many seconds the feet stand, all of them together, and for how many of these they tell of a velocity within `near`
    /// of `velocity`, both world units per second.
    pub(super) fn agreement(&self, velocity: DVec3, near: f64) -> Agreement {
        let seconds = |counts: &dyn Fn(&&FootStep) -> bool| -> f64 {
            let steps = self.steps.iter().filter(|step| step.stands > 0.0);
            steps.filter(counts).map(|step| step.stands * step.seconds).sum()
        };
        Agreement { standing: seconds(&|_| true), agreed: seconds(&|step| step.velocity.distance(velocity) <= near) }
    }

    /// How much higher feet are while they come forward than while they go back, in parts of how far they do: who goes on lifts them.
    pub(super) fn lift(&self) -> f64 {
        let way = self.ways.last().copied().unwrap_or_default().normalize_or_zero();
        let heights = |sign: f64| {
            let steps = || self.soles.iter().flat_map(|sole| sole.steps(sign * way));
            let forward: f64 = steps().map(|step| step.forward).sum();
            steps().map(|step| step.forward * step.height).sum::<f64>() / forward.max(f64::MIN_POSITIVE)
        };
        let reach = self.soles.iter().map(|sole| sole.reach(way)).sum::<f64>() / self.soles.len().max(1) as f64;
        (heights(1.0) - heights(-1.0)) / reach.max(f64::MIN_POSITIVE)
    }

    /// A copy of `clip`, of which this was found, with its root carried along.
    pub fn carry(&self, skeleton: &Skeleton, clip: &Clip) -> Result<Clip, NoRootMotion> {
        let joint = self.root.joint;
        let mut values: Vec<Vec3> = Vec::with_capacity(self.times.len());
        for (&time, &moved) in self.times.iter().zip(&self.ways) {
            let inverse = parent_at(skeleton, clip, joint, time).matrix3.inverse();
            let local = local_at(skeleton, clip, joint, time).translation;
            let placed = (local.as_dvec3() + inverse * moved).as_vec3();
            if !placed.is_finite() {
                return Err(NoRootMotion::FlatParent { joint: skeleton.joints[joint].name.clone() });
            }
            values.push(placed);
        }
        let mut made = clip.clone();
        let times = self.times.iter().map(|&time| time as f32).collect();
        made.tracks[joint].translation = Some(Curve::linear(times, values));
        Ok(made)
    }
}

/// The legs whose feet are joints of `skeleton`.
pub(super) fn usable_legs<'a>(skeleton: &Skeleton, roles: &'a Roles) -> impl Iterator<Item = &'a Leg> {
    let count = skeleton.len();
    roles.legs.iter().filter(move |leg| leg.foot.max(leg.toe.unwrap_or(0)) < count)
}

/// Those of the `steps` of a foot around the one `at` a time in which it is near the ground and goes by about as fast, over
/// [`STEADY_FOR`] on either side at most, each as sure as any other.
fn steady_around(steps: &[FootStep], at: usize) -> Vec<FootStep> {
    let middle = steps[at];
    let is_same = |step: &&FootStep| step.is_low && step.velocity.distance(middle.velocity) <= STEADY * middle.near;
    let most = (STEADY_FOR / middle.seconds).ceil() as usize;
    let before = steps[..at].iter().rev().take(most).take_while(is_same);
    let after = steps[at..].iter().take(most).take_while(is_same);
    before.chain(after).map(|step| FootStep { stands: 1.0, ..*step }).collect()
}

/// How far the body has come at each of `times` so that standing feet stand; the first entry is zero. `steps` are those of the feet
/// before each time but the first.
fn travelled(steps: &[Vec<FootStep>], times: &[f64]) -> Vec<DVec3> {
    let velocities: Vec<Option<DVec3>> = steps.iter().map(|feet| body_velocity(feet)).collect();
    let mut place = DVec3::ZERO;
    let mut places = vec![place; times.len().min(1)];
    for i in 1..times.len() {
        place += filled(&velocities, i - 1) * (times[i] - times[i - 1]);
        places.push(place);
    }
    places
}

/// Where a sole is at each time, world units.
#[derive(Clone, Debug, PartialEq)]
struct Sole {
    way: Vec<DVec3>,
    /// Its lowest height.
    ground: f64,
}

impl Sole {
    fn new(way: Vec<DVec3>) -> Self {
        let ground = way.iter().map(|point| point.y).fold(f64::INFINITY, f64::min);
        Self { way, ground }
    }

    fn steps(&self, way: DVec3) -> impl Iterator<Item = SoleStep> + '_ {
        self.way.windows(2).map(move |pair| SoleStep {
            forward: (pair[1] - pair[0]).dot(way).max(0.0),
            height: 0.5 * (pair[0].y + pair[1].y) - self.ground,
        })
    }

    /// How far it comes along `way`.
    fn reach(&self, way: DVec3) -> f64 {
        let along = || self.way.iter().map(|place| place.dot(way));
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    }

    /// What it tells from the time before `times[i]` to that.
    fn step(&self, times: &[f64], i: usize, metres_per_unit: f64) -> FootStep {
        // A foot higher than 5 cm above its lowest place does not stand: the usual limit of skating measures.
        const HIGHEST: f64 = 0.05;
        // Feet of who lies rest higher than they are at their lowest on the way there.
        const RESTS: f64 = 0.15;
        // Metres per second by which a foot that rests and drifts changes its speed from frame to frame.
        const EVEN: f64 = 0.001;
        let [before, here] = [self.way[i - 1], self.way[i]];
        let height = (here.y.max(before.y) - self.ground) * metres_per_unit;
        let seconds = times[i] - times[i - 1];
        let velocity = (before - here).with_y(0.0) / seconds;
        let stands = if velocity.is_finite() { (1.0 - height / HIGHEST).max(0.0).powi(2) } else { 0.0 };
        let is_low = velocity.is_finite() && height <= RESTS;
        FootStep { velocity, stands, seconds, is_low, near: EVEN / metres_per_unit }
    }
}

/// How a sole moves between two times, world units.
struct SoleStep {
    /// Along a way; what goes against it is 0.
    forward: f64,
    /// Above its lowest.
    height: f64,
}

/// Velocity that keeps the standing ones of `feet` in place during a step; `None` while none stands.
fn body_velocity(feet: &[FootStep]) -> Option<DVec3> {
    let standing = || feet.iter().filter(|foot| foot.stands > 0.0);
    let weights: f64 = standing().map(|foot| foot.stands).sum();
    let sum: DVec3 = standing().map(|foot| foot.velocity * foot.stands).sum();
    (weights > 1e-6).then(|| sum / weights)
}

/// Entry `i`, or the mix of the nearest ones before and after it; zero where there is none.
fn filled(velocities: &[Option<DVec3>], i: usize) -> DVec3 {
    let before = (0..=i).rev().find_map(|k| Some((k, velocities[k]?)));
    let after = (i..velocities.len()).find_map(|k| Some((k, velocities[k]?)));
    match (before, after) {
        (Some((a, from)), Some((b, to))) if a < b => from.lerp(to, (i - a) as f64 / (b - a) as f64),
        (Some((_, only)), _) | (None, Some((_, only))) => only,
        (None, None) => DVec3::ZERO,
    }
}

/// The middle one of the velocities of `steps`, axis by axis.
fn middle_of(steps: &[FootStep]) -> DVec3 {
    DVec3::new(middle(steps, |velocity| velocity.x), 0.0, middle(steps, |velocity| velocity.z))
}

/// The middle one of the values of `steps`, each of which counts as long and as surely as its foot stands.
fn middle(steps: &[FootStep], of: fn(DVec3) -> f64) -> f64 {
    let standing = steps.iter().filter(|step| step.stands > 0.0);
    let mut values: Vec<(f64, f64)> = standing.map(|step| (of(step.velocity), step.stands * step.seconds)).collect();
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
pub(crate) mod tests;
