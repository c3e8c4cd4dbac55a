//! Which clips carry a joint over a while: what root motion is added up from.

use std::ops::Range;

use super::clip_bank::ClipBank;
use super::compiled_tree::{CompiledTree, JointAt, Step};
use super::root_motion::RootMotionOwner;
use super::timeline::{CompiledTimeline, TreeSide};

/// A clip that carries the character for a while.
pub(super) struct PlayedSpan {
    pub clip: usize,
    pub looping: bool,
    /// Unlooped clip seconds; they fall where the clip plays backwards.
    pub clip_times: Range<f64>,
    /// Its part of the pose, 0…1.
    pub share: f32,
}

impl CompiledTimeline {
    /// The clip instances that carry `joint` over `span` (seconds), those left out that `posed` marks.
    pub fn played(
        &self,
        bank: &ClipBank,
        owner: RootMotionOwner,
        joint: usize,
        span: &Range<f64>,
        posed: &[bool],
    ) -> Vec<PlayedSpan> {
        // Midpoint rule: shares change slowly against steps of 1/240 s.
        let middle = 0.5 * (span.start + span.end);
        let shares = match owner {
            RootMotionOwner::Shares => self.shares(bank, middle, joint),
            RootMotionOwner::WholeBody => self.side_shares(bank, TreeSide::WholeBody, middle, joint),
            RootMotionOwner::UpperBody => self.side_shares(bank, TreeSide::UpperBody, middle, joint),
        };
        let is_posed = |instance: usize| posed.get(instance).copied().unwrap_or(false);
        let shares = shares.into_iter().enumerate().map(|(i, share)| if is_posed(i) { 0.0 } else { share });
        let present = self.instances.iter().zip(shares).filter(|(_, share)| *share > 0.0);
        let played = present.map(|(instance, share)| PlayedSpan {
            clip: instance.clip,
            looping: instance.looping,
            clip_times: instance.clock.at(span.start)..instance.clock.at(span.end),
            share,
        });
        played.collect()
    }
}

impl CompiledTree {
    /// The clips that carry `joint` over `span` (seconds).
    pub fn played(&self, bank: &ClipBank, owner: RootMotionOwner, joint: usize, span: &Range<f64>) -> Vec<PlayedSpan> {
        // Midpoint rule, as for scenarios.
        let at = JointAt { joint, time: 0.5 * (span.start + span.end) };
        let mut shares = self.propagate_shares(at, owner != RootMotionOwner::WholeBody, |_| {});
        if owner == RootMotionOwner::UpperBody {
            // What remains without the base is what additive nodes add.
            let base = self.propagate_shares(at, false, |_| {});
            // A standard tree has an upper body of its own.
            let has_own = |step: usize| matches!(self.steps()[step], Step::Standard(_));
            let own = base.into_iter().enumerate().map(|(step, base)| if has_own(step) { 0.0 } else { base });
            shares.iter_mut().zip(own).for_each(|(all, base)| *all -= base);
        }
        let present = shares.into_iter().enumerate().filter(|(_, share)| *share > 0.0);
        let played = present.flat_map(|(step, share)| {
            let mut played = played_by(&self.steps()[step], bank, owner, joint, span);
            played.iter_mut().for_each(|each| each.share *= share);
            played
        });
        played.collect()
    }
}

/// What one step plays, by shares of itself.
fn played_by(step: &Step, bank: &ClipBank, owner: RootMotionOwner, joint: usize, span: &Range<f64>) -> Vec<PlayedSpan> {
    match step {
        Step::Source(source) => {
            let parts = source.shares(0.5 * (span.start + span.end)).into_iter();
            let played = parts.map(|part| PlayedSpan {
                clip: source.clip,
                looping: source.looping,
                clip_times: source.clip_time(part, span.start)..source.clip_time(part, span.end),
                share: part.weight,
            });
            played.collect()
        }
        Step::Space(space) => {
            let middle = 0.5 * (span.start + span.end);
            let [from, to] = [span.start, span.end].map(|time| space.parts_by_weights_of(middle, time));
            let has = |part: usize| from[part].weight * bank.coverage[from[part].clip][joint];
            let sum: f32 = (0..from.len()).map(has).sum();
            let moving = (0..from.len()).filter(|&part| has(part) > 0.0);
            let played = moving.map(|part| PlayedSpan {
                clip: from[part].clip,
                looping: true,
                clip_times: from[part].clip_time..to[part].clip_time,
                share: has(part) / sum,
            });
            played.collect()
        }
        Step::Standard(timeline) => timeline.played(bank, owner, joint, span, &[]),
        Step::Blend { .. } | Step::Driven(_) | Step::Additive(_) => Vec::new(),
    }
}
