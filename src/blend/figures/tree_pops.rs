//! Detects pops in a drawn tree with the same kind of bound as for the standard tree ([`super::pop_meter`]).
//!
//! A joint may turn as far as the active clips turn it, plus the arc between them times the change of their shares. The blends
//! between clips and result do not matter. An additive layer has a separate bound, from its clips and its reference. A standard
//! tree inside counts as one clip with its own bound.
//!
//! Without transitions, clips may stay at different times after a cut. The cut bound therefore includes the rotation of the
//! hard-cut clips.

use glam::Quat;

use super::pop_meter::{Contributions, FrameStep, Turns, bounds_to, turns_between, worst_step};
use crate::Scratch;
use crate::clips::clip_bank::ClipBank;
use crate::space::space_step::{SpacePart, SpaceStep};
use crate::standard::timeline::CompiledTimeline;
use crate::steps::compiled_tree::{CompiledTree, JointAt, Step};
use portamento_anim::Pose;
use portamento_anim::math::mean::angle_between;
use portamento_base::progress::{Cancelled, Progress};

/// A clip that a node plays between two frames.
struct Leaf {
    /// Step that plays the clip.
    step: usize,
    /// Share of the clip within that step at both frames, per joint, 0…1.
    shares: [Vec<f32>; 2],
    /// Rotation at both frames, per joint.
    rotations: [Vec<Quat>; 2],
    /// Angle in radians that each joint may turn between the frames.
    turned: Vec<f64>,
}

/// Two consecutive frames and one joint.
struct Frame<'a> {
    /// Times of both frames, seconds.
    times: [f64; 2],
    leaves: &'a [Leaf],
    joint: usize,
    /// True if changes of shares contribute to the bound.
    changes: bool,
}

/// One source of a joint's rotation: a clip or a constant pose.
struct PopLeaf {
    /// Share at both frames, 0…1.
    shares: [f32; 2],
    /// Rotation at both frames.
    rotations: [Quat; 2],
    /// Angle in radians that it may turn between the frames.
    turned: f64,
}

/// Bound for the rotation of a joint in one layer.
#[derive(Clone, Copy, Default)]
struct TurnBound {
    /// Largest angle from one frame to the next, radians.
    turn: f64,
    /// Largest angle from the filler pose (rest or reference), radians.
    arc: f64,
}

/// Tolerance for a sum of shares that should be 1.
const SHARE_TOLERANCE: f32 = 1e-5;

impl CompiledTree {
    /// Returns the largest step of every frame at `times` (seconds, rising) but the first. `hard_cut` is the same tree
    /// without transitions, with the bank of its clips.
    ///
    /// Returns `Err` if `progress` is cancelled.
    pub fn pop_meter(
        &self,
        bank: &ClipBank,
        (hard_cut, cut_bank): (&Self, &ClipBank),
        times: &[f64],
        progress: &Progress,
    ) -> Result<Vec<FrameStep>, Cancelled> {
        let [mut eased_scratch, mut cut_scratch] = [Scratch::default(), Scratch::default()];
        let mut reading = Vec::new();
        let mut previous: Option<(f64, [Pose; 2])> = None;
        for (i, &time) in times.iter().enumerate() {
            progress.step(i, times.len())?;
            let mut poses = [Pose::rest(&bank.skeleton), Pose::rest(&bank.skeleton)];
            self.sample(bank, time, &mut eased_scratch, &mut poses[0]);
            hard_cut.sample(cut_bank, time, &mut cut_scratch, &mut poses[1]);
            if let Some((previous_time, old)) = previous {
                let bounds = self.bounds(bank, [previous_time, time], true);
                let cut_turns = hard_cut.bounds(cut_bank, [previous_time, time], false);
                let cut_bounds: Vec<f64> = bounds.iter().zip(cut_turns).map(|(bound, turn)| bound.max(turn)).collect();
                let [eased, cut] = [0, 1].map(|side| turns_between(&old[side], &poses[side]));
                reading.extend(worst_step(time, [&bounds, &cut_bounds], &Turns { eased, cut }));
            }
            previous = Some((time, poses));
        }
        Ok(reading)
    }

    /// Returns the bound of each joint between two times (seconds), in radians. Without `changes` only the rotation of clips
    /// counts.
    fn bounds(&self, bank: &ClipBank, times: [f64; 2], changes: bool) -> Vec<f64> {
        let steps = self.steps().iter().enumerate().filter(|(_, kind)| changes || !matches!(kind, Step::Standard(_)));
        let leaves: Vec<Leaf> = steps.flat_map(|(step, kind)| leaves(bank, step, kind, times)).collect();
        let bound = |joint: usize| self.bound(bank, &Frame { times, leaves: &leaves, joint, changes });
        (0..bank.skeleton.len()).map(bound).collect()
    }

    /// Returns the bound of one joint in the result of the tree, radians.
    fn bound(&self, bank: &ClipBank, frame: &Frame) -> f64 {
        // Steps read only earlier steps, so each additive bound is computed once before it is needed.
        let mut additive_bounds = vec![TurnBound::default(); self.steps().len()];
        for (i, step) in self.steps().iter().enumerate() {
            if let Step::Additive(additive) = step {
                additive_bounds[i] =
                    self.layer_bound(additive.delta, additive.reference[frame.joint].rotation, frame, &additive_bounds);
            }
        }
        let rest = bank.skeleton.joints[frame.joint].rest.rotation;
        self.steps().len().checked_sub(1).map_or(0.0, |last| self.layer_bound(last, rest, frame, &additive_bounds).turn)
    }

    /// Returns the bound of a joint in the layer of step `top`. `filler` is the rotation that fills up missing shares.
    /// `additive_bounds` has the bounds of the earlier steps, by step.
    fn layer_bound(&self, top: usize, filler: Quat, frame: &Frame, additive_bounds: &[TurnBound]) -> TurnBound {
        let Frame { times, leaves, joint, changes } = *frame;
        let shares = times.map(|time| self.shares_below(top, JointAt { joint, time }, false, |_| {}));
        let part = |leaf: &Leaf| PopLeaf {
            shares: [0, 1].map(|side| shares[side][leaf.step] * leaf.shares[side][joint]),
            rotations: [0, 1].map(|side| leaf.rotations[side][joint]),
            turned: leaf.turned[joint],
        };
        let mut parts: Vec<PopLeaf> = leaves.iter().map(part).filter(|part| part.shares != [0.0; 2]).collect();
        let missing = [0, 1].map(|side| 1.0 - parts.iter().map(|part| part.shares[side]).sum::<f32>());
        if missing.iter().any(|&share| share > SHARE_TOLERANCE) {
            parts.push(PopLeaf { shares: missing, rotations: [filler; 2], turned: 0.0 });
        }
        let by_change = if changes { turn_by_change(&parts) } else { 0.0 };
        let turned: f64 = parts.iter().map(|part| part.turned).sum();
        let mut bound = TurnBound { turn: turned + by_change, arc: farthest(&parts, filler) };
        for (i, step) in self.steps().iter().enumerate().take(top + 1) {
            let Step::Additive(additive) = step else { continue };
            let share = |side: usize| self.delta_share(additive, JointAt { joint, time: times[side] });
            let [old, new] = [0, 1].map(|side| f64::from(shares[side][i] * share(side)));
            if old.max(new) > 0.0 {
                let change = if changes { (new - old).abs() } else { 0.0 };
                bound.turn += additive_bounds[i].turn * old.max(new).max(1.0) + additive_bounds[i].arc * change;
                bound.arc += additive_bounds[i].arc * old.max(new);
            }
        }
        bound
    }
}

/// Returns the bound for changed shares in radians: the largest angle between any two of `parts` times half the sum of all
/// changes.
fn turn_by_change(parts: &[PopLeaf]) -> f64 {
    let change: f64 = parts.iter().map(|part| f64::from((part.shares[1] - part.shares[0]).abs())).sum::<f64>() / 2.0;
    if change == 0.0 {
        return 0.0;
    }
    let pairs = parts.iter().enumerate().flat_map(|(i, a)| parts[..i].iter().map(move |b| (a, b)));
    let largest_angle = |(a, b): (&PopLeaf, &PopLeaf)| {
        let [old, new] = [0, 1].map(|side| angle_between(a.rotations[side], b.rotations[side]));
        old.max(new)
    };
    pairs.map(largest_angle).fold(0.0, f64::max) * change
}

/// Returns the largest angle between `from` and any rotation of `parts`, radians.
fn farthest(parts: &[PopLeaf], from: Quat) -> f64 {
    let rotations = parts.iter().flat_map(|part| part.rotations);
    rotations.map(|rotation| angle_between(from, rotation)).fold(0.0, f64::max)
}

/// Returns the clips that step `kind` (index `step`) plays at either of `times` (seconds). A step with inputs plays none
/// itself.
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

/// Returns the clips of a blend space that have weight at either time.
fn leaves_of_space(bank: &ClipBank, step: usize, space: &SpaceStep, times: [f64; 2]) -> Vec<Leaf> {
    let weighted_parts = |weight_time: f64| space.parts(weight_time).into_iter().filter(|part| part.weight > 0.0);
    let parts_at = times.map(|time| weighted_parts(time).collect::<Vec<SpacePart>>());
    let mut clips: Vec<(usize, f64)> =
        parts_at.iter().zip(times).flat_map(|(parts, time)| parts.iter().map(move |part| (part.clip, time))).collect();
    clips.sort_by_key(|(clip, _)| *clip);
    clips.dedup_by_key(|(clip, _)| *clip);
    let leaf = |(clip, weight_time): (usize, f64)| {
        let share = |parts: &[SpacePart], joint: usize| {
            let of = |part: &SpacePart| part.weight * bank.coverage[part.clip][joint];
            let sum: f32 = parts.iter().map(of).sum();
            let own: f32 = parts.iter().filter(|part| part.clip == clip).map(of).sum();
            if sum > 0.0 { own / sum } else { 0.0 }
        };
        let shares = [0, 1]
            .map(|side| (0..bank.skeleton.len()).map(|joint| share(&parts_at[side], joint)).collect::<Vec<f32>>());
        // Also sampled at the time without weight: the clips of a space are synchronised.
        let rotations = times.map(|time| {
            let parts = space.parts_by_weights_of(weight_time, time);
            let own = parts.iter().find(|part| part.clip == clip && part.weight > 0.0);
            rotations_of_clip(bank, clip, own.map_or(time, |part| part.clip_time), true)
        });
        Leaf::new(step, shares, rotations)
    };
    clips.into_iter().map(leaf).collect()
}

/// Returns the standard tree at `times` (seconds) as a single clip with its own bound.
fn leaf_of_standard(bank: &ClipBank, step: usize, timeline: &CompiledTimeline, times: [f64; 2]) -> Leaf {
    let mut scratch = Scratch::default();
    let rotations = times.map(|time| {
        let mut pose = Pose::rest(&bank.skeleton);
        timeline.sample(bank, time, &mut scratch, &mut pose);
        pose.locals.iter().map(|local| local.rotation).collect()
    });
    let shares = [0, 1].map(|_| vec![1.0; bank.skeleton.len()]);
    let mut leaf = Leaf::new(step, shares, rotations);
    // Before the first event nothing plays; the first clip starts with a cut by design.
    if let [Some(old), Some(new)] = times.map(|time| timeline.segment_at(time)) {
        let [from, to] =
            [(old, times[0]), (new, times[1])].map(|(segment, time)| Contributions::at(bank, timeline, segment, time));
        leaf.turned = bounds_to(bank, timeline, from, &to);
    }
    leaf
}

/// Returns the local rotation of each joint in `clip` at unlooped clip time `time`, seconds.
fn rotations_of_clip(bank: &ClipBank, clip: usize, time: f64, looping: bool) -> Vec<Quat> {
    let mut layer = bank.rest_layer();
    bank.sample_clip(clip, time, looping, &mut layer);
    (0..bank.skeleton.len()).map(|joint| layer.get(joint).rotation).collect()
}

impl Leaf {
    /// Returns a leaf; its allowed turn is the angle between both rotations, per joint.
    fn new(step: usize, shares: [Vec<f32>; 2], rotations: [Vec<Quat>; 2]) -> Self {
        let [old, new] = &rotations;
        let turned = old.iter().zip(new).map(|(old, new)| angle_between(*old, *new)).collect();
        Self { step, shares, rotations, turned }
    }
}
