//! Clips that contribute to a joint over a time span. Root motion is the sum of their contributions.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::clips::clip_bank::ClipBank;
use crate::standard::instance_shares::ShareSource;
use crate::standard::timeline::{CompiledTimeline, TreeSide};
use crate::steps::compiled_tree::{CompiledTree, JointAt, Step};

/// The clips whose root motion moves the character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootMotionOwner {
    /// The run and stand clips, by weight. The root motion of a skill and of additive nodes is ignored. Hips that carry the root
    /// motion follow a skill's pose by its share, but the skill does not move the character.
    #[default]
    WholeBody,
    /// The skill while it has weight, or the additive nodes of a drawn tree. Otherwise the character does not move.
    UpperBody,
    /// All clips, by their share of the root joint.
    Shares,
}

portamento_base::named!(RootMotionOwner { WholeBody: "whole_body", UpperBody: "upper_body", Shares: "shares" });

/// A clip's contribution to the root motion of one time span.
pub(crate) struct PlayedSpan {
    /// Index of the clip in the bank.
    pub clip: usize,
    pub looping: bool,
    /// Unlooped clip time at both ends of the span, seconds; decreasing if the clip plays backwards.
    pub clip_times: Range<f64>,
    /// The clip's share of the pose, 0…1.
    pub share: f32,
}

impl CompiledTimeline {
    /// Returns the clip instances that contribute to `joint` over `span` (seconds), without the instances marked in `posed`.
    /// Shares are those at the middle of the span.
    pub fn contributions(
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
        let played = |(source, share): (ShareSource, f32)| {
            let ShareSource::Instance(index) = source else { return None };
            let instance = self.instances.get(index).filter(|_| share > 0.0 && !is_posed(index))?;
            let clip_times = instance.clock.at(span.start)..instance.clock.at(span.end);
            Some(PlayedSpan { clip: instance.clip, looping: instance.looping, clip_times, share })
        };
        shares.iter().filter_map(played).collect()
    }
}

impl CompiledTree {
    /// Returns the clips that contribute to `joint` over `span` (seconds). Shares are those at the middle of the span.
    pub fn contributions(
        &self,
        bank: &ClipBank,
        owner: RootMotionOwner,
        joint: usize,
        span: &Range<f64>,
    ) -> Vec<PlayedSpan> {
        // Midpoint rule, as for scenarios.
        let at = JointAt { joint, time: 0.5 * (span.start + span.end) };
        let mut shares = self.propagate_shares(at, owner != RootMotionOwner::WholeBody, |_| {});
        if owner == RootMotionOwner::UpperBody {
            // The difference to the shares without additive layers is the additive part.
            let base = self.propagate_shares(at, false, |_| {});
            // A standard node has its own upper body, so its share is kept.
            let has_upper_body = |step: usize| matches!(self.steps()[step], Step::Standard(_));
            let own = base.into_iter().enumerate().map(|(step, base)| if has_upper_body(step) { 0.0 } else { base });
            shares.iter_mut().zip(own).for_each(|(all, base)| *all -= base);
        }
        let present = shares.into_iter().enumerate().filter(|(_, share)| *share > 0.0);
        let spans = present.flat_map(|(step, share)| {
            let mut spans = step_contributions(&self.steps()[step], bank, owner, joint, span);
            spans.iter_mut().for_each(|each| each.share *= share);
            spans
        });
        spans.collect()
    }
}

/// Returns the clips that one step plays, with shares relative to the step, taken at the middle of `span` (seconds). A step
/// with inputs plays none itself.
fn step_contributions(
    step: &Step,
    bank: &ClipBank,
    owner: RootMotionOwner,
    joint: usize,
    span: &Range<f64>,
) -> Vec<PlayedSpan> {
    match step {
        Step::Source(source) => {
            let parts = source.shares(0.5 * (span.start + span.end)).into_iter();
            let spans = parts.map(|part| PlayedSpan {
                clip: source.clip,
                looping: source.looping,
                clip_times: source.clip_time(part, span.start)..source.clip_time(part, span.end),
                share: part.weight,
            });
            spans.collect()
        }
        Step::Space(space) => {
            let middle = 0.5 * (span.start + span.end);
            let [from, to] = [span.start, span.end].map(|time| space.parts_by_weights_of(middle, time));
            let joint_weight = |part: usize| from[part].weight * bank.coverage[from[part].clip][joint];
            let sum: f32 = (0..from.len()).map(joint_weight).sum();
            let moving = (0..from.len()).filter(|&part| joint_weight(part) > 0.0);
            let spans = moving.map(|part| PlayedSpan {
                clip: from[part].clip,
                looping: true,
                clip_times: from[part].clip_time..to[part].clip_time,
                share: joint_weight(part) / sum,
            });
            spans.collect()
        }
        Step::Standard(timeline) => timeline.contributions(bank, owner, joint, span, &[]),
        Step::Blend { .. } | Step::Driven(_) | Step::Additive(_) => Vec::new(),
    }
}
