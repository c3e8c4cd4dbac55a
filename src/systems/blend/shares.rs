//! Whose share of a joint is how large in a compiled scenario.

use super::clip_bank::ClipBank;
use super::timeline::{BodyParts, ClipInstance, CompiledTimeline, FadeLayer, TimelineSegment, TreeSide, active};

/// The shares of one joint within a blend stack.
pub(super) struct StackShares {
    /// Each clip instance's share, then the rest pose's; they sum to 1 where anything has the joint.
    pub by_instance: Vec<f32>,
    /// How much of the joint the stack has, 0…1.
    pub coverage: f32,
}

impl CompiledTimeline {
    /// Each clip instance's share of `joint` at `time`, then the rest pose's; they sum to 1. What an inertialisation was made of
    /// has its share.
    pub fn shares(&self, bank: &ClipBank, time: f64, joint: usize) -> Vec<f32> {
        match self.segment_at(time) {
            Some(segment) => self.attribute(self.segment_shares(bank, segment, time, joint), joint),
            None => {
                let mut shares = self.no_shares();
                shares[self.instances.len()] = 1.0;
                shares
            }
        }
    }

    /// The same within `segment`, with inertialisations as instances of their own.
    pub(super) fn segment_shares(
        &self,
        bank: &ClipBank,
        segment: &TimelineSegment,
        time: f64,
        joint: usize,
    ) -> Vec<f32> {
        let mut shares = self.no_shares();
        let whole = self.stack_shares(bank, &segment.whole_body, time, joint);
        let upper = self.stack_shares(bank, &segment.upper_body, time, joint);
        let above = if segment.upper_body.is_empty() {
            0.0
        } else {
            segment.upper_body_weight(time).on_joint(self.upper_body[joint]) * upper.coverage
        };
        let below = (1.0 - above) * whole.coverage;
        if above + below <= 0.0 {
            // An end without anything before it: the rest pose.
            shares[self.instances.len()] = 1.0;
            return shares;
        }
        for (i, share) in shares.iter_mut().enumerate() {
            *share = (whole.by_instance[i] * below + upper.by_instance[i] * above) / (above + below);
        }
        shares
    }

    /// Each clip instance's share of `joint` within one side, then the rest pose's; none where UpperBody has no weight.
    pub(super) fn side_shares(&self, bank: &ClipBank, side: TreeSide, time: f64, joint: usize) -> Vec<f32> {
        let Some(segment) = self.segment_at(time) else { return Vec::new() };
        let layers = match side {
            TreeSide::WholeBody => &segment.whole_body,
            TreeSide::UpperBody if segment.upper_body_weight(time) != BodyParts::ZERO => &segment.upper_body,
            TreeSide::UpperBody => return Vec::new(),
        };
        self.attribute(self.stack_shares(bank, layers, time, joint).by_instance, joint)
    }

    /// The shares of `joint` within a blend stack.
    pub(super) fn stack_shares(&self, bank: &ClipBank, layers: &[FadeLayer], time: f64, joint: usize) -> StackShares {
        let mut by_instance = self.no_shares();
        let mut covered = 0.0;
        for (i, layer) in active(layers, time).iter().enumerate() {
            let weight = if i == 0 { 1.0 } else { layer.fade.at(time) };
            let has_joint = layer.instance.map_or(1.0, |instance| self.instance_coverage(bank, instance, joint));
            let (below, above) = ((1.0 - weight) * covered, weight * has_joint);
            if above > 0.0 {
                by_instance.iter_mut().for_each(|share| *share *= below / (below + above));
                by_instance[layer.instance.unwrap_or(self.instances.len())] += above / (below + above);
            }
            covered = below + above;
        }
        StackShares { by_instance, coverage: covered }
    }

    /// Gives what inertialisations have to the clip instances that they were made of.
    pub fn attribute(&self, mut shares: Vec<f32>, joint: usize) -> Vec<f32> {
        let rest = self.instances.len();
        for (i, instance) in self.instances.iter().enumerate() {
            let Some(inertialization) = &instance.inertialization else { continue };
            // An inertialisation plays nothing itself: its share goes to those that made the old pose.
            let share = std::mem::take(&mut shares[i]);
            let (of_rest, of_instances) = inertialization.shares[joint].split_last().unwrap_or((&0.0, &[]));
            of_instances.iter().enumerate().for_each(|(source, part)| shares[source] += share * part);
            shares[rest] += share * of_rest;
        }
        shares
    }

    /// 0 for every clip instance and for the rest pose.
    fn no_shares(&self) -> Vec<f32> {
        vec![0.0; self.instances.len() + 1]
    }

    fn instance_coverage(&self, bank: &ClipBank, instance: usize, joint: usize) -> f32 {
        match &self.instances[instance] {
            ClipInstance { inertialization: Some(inertialization), .. } => inertialization.coverage[joint],
            ClipInstance { side: TreeSide::WholeBody, .. } => 1.0,
            ClipInstance { side: TreeSide::UpperBody, clip, .. } => bank.coverage[*clip][joint],
        }
    }
}
