//! Whether any frame of a drawn tree pops, by the bound that the standard tree has ([`super::pop_meter`]).
//!
//! A joint may turn as far as the clips at work turn, and the arc between them times the share of the result that changes hands,
//! whatever blends lie between. What an additive node adds has a bound of its own: that of its clips and of the reference it is
//! measured from. A standard tree inside is one clip with the bound that it has by itself.
//!
//! Without transitions clips may be elsewhere for good: what cuts turn is held against what their own clips turn, too.

use glam::Quat;

use super::Scratch;
use super::clip_bank::ClipBank;
use super::compiled_tree::{CompiledTree, JointAt, Step};
use super::pop_meter::{Contributions, FrameStep, Turns, bounds_to, turns_between, worst};
use super::space_step::{SpacePart, SpaceStep};
use super::timeline::CompiledTimeline;
use crate::anim::Pose;
use crate::math::mean::angle_between;
use crate::progress::{Cancelled, Progress};

/// A clip at work in a node that plays clips, from one frame to the next.
struct Leaf {
    /// The step that plays it.
    step: usize,
    /// Of that step at both frames, per joint, 0…1.
    shares: [Vec<f32>; 2],
    /// At both frames, per joint.
    rotations: [Vec<Quat>; 2],
    /// Radians that each joint may turn between them.
    turned: Vec<f64>,
}

/// From one frame to the next.
struct Frame<'a> {
    /// Of the two frames, seconds.
    times: [f64; 2],
    leaves: &'a [Leaf],
    joint: usize,
    /// Whether shares that change hands count.
    changes: bool,
}

/// What a joint is made of: a clip or a pose that stays.
struct PopLeaf {
    shares: [f32; 2],
    rotations: [Quat; 2],
    turned: f64,
}

/// How far a layer may turn a joint.
#[derive(Clone, Copy, Default)]
struct TurnBound {
    /// Radians from one frame to the next.
    turn: f64,
    /// Radians from the pose that fills it up, at most.
    arc: f64,
}

/// Shares that sum to 1 but for so much sum to 1.
const ROUNDING: f32 = 1e-5;

impl CompiledTree {
    /// The largest step of every frame at `times` (seconds, rising); `hard_cut` is the same tree without transitions.
    pub fn pop_meter(
        &self,
        hard_cut: &Self,
        bank: &ClipBank,
        times: &[f64],
        progress: &Progress,
    ) -> Result<Vec<FrameStep>, Cancelled> {
        let [mut own, mut other] = [Scratch::default(), Scratch::default()];
        let mut reading = Vec::new();
        let mut before: Option<(f64, [Pose; 2])> = None;
        for (i, &time) in times.iter().enumerate() {
            progress.step(i, times.len())?;
            let mut poses = [Pose::rest(&bank.skeleton), Pose::rest(&bank.skeleton)];
            self.sample(bank, time, &mut own, &mut poses[0]);
            hard_cut.sample(bank, time, &mut other, &mut poses[1]);
            if let Some((then, old)) = before {
                let bounds = self.bounds(bank, [then, time], true);
                let own = hard_cut.bounds(bank, [then, time], false);
                let cut_bounds: Vec<f64> = bounds.iter().zip(own).map(|(bound, own)| bound.max(own)).collect();
                let [eased, cut] = [0, 1].map(|side| turns_between(&old[side], &poses[side]));
                reading.extend(worst(time, [&bounds, &cut_bounds], &Turns { eased, cut }));
            }
            before = Some((time, poses));
        }
        Ok(reading)
    }

    /// Per joint the radians that it may turn between two times, seconds; without `changes` by what clips turn alone.
    fn bounds(&self, bank: &ClipBank, times: [f64; 2], changes: bool) -> Vec<f64> {
        let steps = self.steps().iter().enumerate().filter(|(_, kind)| changes || !matches!(kind, Step::Standard(_)));
        let leaves: Vec<Leaf> = steps.flat_map(|(step, kind)| leaves(bank, step, kind, times)).collect();
        let bound = |joint: usize| self.bound(bank, &Frame { times, leaves: &leaves, joint, changes });
        (0..bank.skeleton.len()).map(bound).collect()
    }

    fn bound(&self, bank: &ClipBank, frame: &Frame) -> f64 {
        // Steps read only steps before them: what additive ones add is known when it is asked for, and found once.
        let mut added = vec![TurnBound::default(); self.steps().len()];
        for (i, step) in self.steps().iter().enumerate() {
            if let Step::Additive(additive) = step {
                added[i] = self.reach(additive.delta, additive.reference[frame.joint].rotation, frame, &added);
            }
        }
        let rest = bank.skeleton.joints[frame.joint].rest.rotation;
        self.steps().len().checked_sub(1).map_or(0.0, |last| self.reach(last, rest, frame, &added).turn)
    }

    /// How far the layer of step `top` may turn a joint, of which `filler` has what no clip has.
    fn reach(&self, top: usize, filler: Quat, frame: &Frame, added: &[TurnBound]) -> TurnBound {
        let Frame { times, leaves, joint, changes } = *frame;
        let shares = times.map(|time| self.shares_below(top, JointAt { joint, time }, false, |_| {}));
        let part = |leaf: &Leaf| PopLeaf {
            shares: [0, 1].map(|side| shares[side][leaf.step] * leaf.shares[side][joint]),
            rotations: [0, 1].map(|side| leaf.rotations[side][joint]),
            turned: leaf.turned[joint],
        };
        let mut parts: Vec<PopLeaf> = leaves.iter().map(part).filter(|part| part.shares != [0.0; 2]).collect();
        let missing = [0, 1].map(|side| 1.0 - parts.iter().map(|part| part.shares[side]).sum::<f32>());
        if missing.iter().any(|&share| share > ROUNDING) {
            parts.push(PopLeaf { shares: missing, rotations: [filler; 2], turned: 0.0 });
        }
        let by_change = if changes { turn_by_change(&parts) } else { 0.0 };
        let turned: f64 = parts.iter().map(|part| part.turned).sum();
        let mut reach = TurnBound { turn: turned + by_change, arc: farthest(&parts, filler) };
        for (i, step) in self.steps().iter().enumerate().take(top + 1) {
            let Step::Additive(additive) = step else { continue };
            let [old, new] = [0, 1].map(|side| f64::from(shares[side][i] * additive.weight_on(joint, times[side])));
            if old.max(new) > 0.0 {
                let change = if changes { (new - old).abs() } else { 0.0 };
                reach.turn += added[i].turn * old.max(new).max(1.0) + added[i].arc * change;
                reach.arc += added[i].arc * old.max(new);
            }
        }
        reach
    }
}

/// The arc between `parts` times the share that changes hands.
fn turn_by_change(parts: &[PopLeaf]) -> f64 {
    let change: f64 = parts.iter().map(|part| f64::from((part.shares[1] - part.shares[0]).abs())).sum::<f64>() / 2.0;
    if change == 0.0 {
        return 0.0;
    }
    let pairs = parts.iter().enumerate().flat_map(|(i, a)| parts[..i].iter().map(move |b| (a, b)));
    let apart = |(a, b): (&PopLeaf, &PopLeaf)| {
        let [old, new] = [0, 1].map(|side| angle_between(a.rotations[side], b.rotations[side]));
        old.max(new)
    };
    pairs.map(apart).fold(0.0, f64::max) * change
}

fn farthest(parts: &[PopLeaf], from: Quat) -> f64 {
    let rotations = parts.iter().flat_map(|part| part.rotations);
    rotations.map(|rotation| angle_between(from, rotation)).fold(0.0, f64::max)
}

/// The clips that `kind`, the step at `step`, plays at either time.
fn leaves(bank: &ClipBank, step: usize, kind: &Step, times: [f64; 2]) -> Vec<Leaf> {
    let joints = bank.skeleton.len();
    match kind {
        Step::Source(source) => {
            let parts = source.shares_at_both(times).into_iter();
            let leaf = |(part, shares): (_, [f32; 2])| {
                let rotations = times
                    .map(|time| rotations_of_clip(bank, source.clip, source.clip_time(part, time), source.looping));
                Leaf::new(step, shares.map(|share| vec![share; joints]), rotations)
            };
            parts.map(leaf).collect()
        }
        Step::Space(space) => leaves_of_space(bank, step, space, times),
        Step::Standard(timeline) => vec![leaf_of_standard(bank, step, timeline, times)],
        Step::Blend { .. } | Step::Driven(_) | Step::Additive(_) => Vec::new(),
    }
}

fn leaves_of_space(bank: &ClipBank, step: usize, space: &SpaceStep, times: [f64; 2]) -> Vec<Leaf> {
    let seen = |weighing: f64| space.parts(weighing).into_iter().filter(|part| part.weight > 0.0);
    let weigh = times.map(|time| seen(time).collect::<Vec<SpacePart>>());
    let mut clips: Vec<(usize, f64)> =
        weigh.iter().zip(times).flat_map(|(parts, time)| parts.iter().map(move |part| (part.clip, time))).collect();
    clips.sort_by_key(|(clip, _)| *clip);
    clips.dedup_by_key(|(clip, _)| *clip);
    let leaf = |(clip, weighing): (usize, f64)| {
        let share = |parts: &[SpacePart], joint: usize| {
            let of = |part: &SpacePart| part.weight * bank.coverage[part.clip][joint];
            let sum: f32 = parts.iter().map(of).sum();
            let own: f32 = parts.iter().filter(|part| part.clip == clip).map(of).sum();
            if sum > 0.0 { own / sum } else { 0.0 }
        };
        let shares =
            [0, 1].map(|side| (0..bank.skeleton.len()).map(|joint| share(&weigh[side], joint)).collect::<Vec<f32>>());
        // Where it is also at the time at which it has no weight: the clips of a space keep in step.
        let rotations = times.map(|time| {
            let parts = space.parts_by_weights_of(weighing, time);
            let own = parts.iter().find(|part| part.clip == clip && part.weight > 0.0);
            rotations_of_clip(bank, clip, own.map_or(time, |part| part.clip_time), true)
        });
        Leaf::new(step, shares, rotations)
    };
    clips.into_iter().map(leaf).collect()
}

fn leaf_of_standard(bank: &ClipBank, step: usize, timeline: &CompiledTimeline, times: [f64; 2]) -> Leaf {
    let mut scratch = Scratch::default();
    let rotations = times.map(|time| {
        let mut pose = Pose::rest(&bank.skeleton);
        timeline.sample(bank, time, &mut scratch, &mut pose);
        pose.locals.iter().map(|local| local.rotation).collect()
    });
    let shares = [0, 1].map(|_| vec![1.0; bank.skeleton.len()]);
    let mut leaf = Leaf::new(step, shares, rotations);
    // Before the first event nothing plays; a first clip starts at once by design.
    if let [Some(old), Some(new)] = times.map(|time| timeline.segment_at(time)) {
        let [from, to] =
            [(old, times[0]), (new, times[1])].map(|(segment, time)| Contributions::at(bank, timeline, segment, time));
        leaf.turned = bounds_to(bank, timeline, from, &to);
    }
    leaf
}

fn rotations_of_clip(bank: &ClipBank, clip: usize, time: f64, looping: bool) -> Vec<Quat> {
    let mut layer = bank.rest_layer();
    bank.sample_clip(clip, time, looping, &mut layer);
    (0..bank.skeleton.len()).map(|joint| layer.get(joint).rotation).collect()
}

impl Leaf {
    fn new(step: usize, shares: [Vec<f32>; 2], rotations: [Vec<Quat>; 2]) -> Self {
        let [old, new] = &rotations;
        let turned = old.iter().zip(new).map(|(old, new)| angle_between(*old, *new)).collect();
        Self { step, shares, rotations, turned }
    }
}
