//! Share of each clip instance in a joint of a compiled scenario.

use super::timeline::{BodyParts, ClipInstance, CompiledTimeline, FadeLayer, TimelineSegment, TreeSide, active};
use crate::clips::clip_bank::ClipBank;

/// The shares of one joint within a blend stack.
pub(super) struct StackShares {
    /// Each clip instance's share, followed by the rest pose's. They sum to 1 if anything covers the joint.
    pub by_instance: Vec<f32>,
    /// Coverage of the joint by the stack, 0…1.
    pub coverage: f32,
}

impl CompiledTimeline {
    /// Returns each clip instance's share of `joint` at `time`, followed by the rest pose's; they sum to 1. The share of an
    /// inertialisation is given to the clips of its old pose.
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

    /// Returns the shares within `segment`. Inertialisations count as separate instances.
    pub(crate) fn segment_shares(
        &self,
        bank: &ClipBank,
        segment: &TimelineSegment,
        time: f64,
        joint: usize,
    ) -> Vec<f32> {
        let mut shares = self.no_shares();
        let whole_body = self.stack_shares(bank, &segment.whole_body, time, joint);
        let upper_body = self.stack_shares(bank, &segment.upper_body, time, joint);
        let upper = if segment.upper_body.is_empty() {
            0.0
        } else {
            segment.upper_body_weight(time).on_joint(self.upper_body[joint]) * upper_body.coverage
        };
        let lower = (1.0 - upper) * whole_body.coverage;
        if upper + lower <= 0.0 {
            // An end event without anything before it: the rest pose.
            shares[self.instances.len()] = 1.0;
            return shares;
        }
        for (i, share) in shares.iter_mut().enumerate() {
            *share = (whole_body.by_instance[i] * lower + upper_body.by_instance[i] * upper) / (upper + lower);
        }
        shares
    }

    /// Returns each clip instance's share of `joint` within one side, followed by the rest pose's. Empty if UpperBody has no
    /// weight.
    pub(crate) fn side_shares(&self, bank: &ClipBank, side: TreeSide, time: f64, joint: usize) -> Vec<f32> {
        let Some(segment) = self.segment_at(time) else { return Vec::new() };
        let layers = match side {
            TreeSide::WholeBody => &segment.whole_body,
            TreeSide::UpperBody if segment.upper_body_weight(time) != BodyParts::ZERO => &segment.upper_body,
            TreeSide::UpperBody => return Vec::new(),
        };
        self.attribute(self.stack_shares(bank, layers, time, joint).by_instance, joint)
    }

    /// Returns the shares of `joint` within a blend stack.
    pub(super) fn stack_shares(&self, bank: &ClipBank, layers: &[FadeLayer], time: f64, joint: usize) -> StackShares {
        let mut by_instance = self.no_shares();
        let mut covered = 0.0;
        for (i, layer) in active(layers, time).iter().enumerate() {
            let weight = if i == 0 { 1.0 } else { layer.fade.at(time) };
            let has_joint = layer.instance.map_or(1.0, |instance| self.instance_coverage(bank, instance, joint));
            let (lower, upper) = ((1.0 - weight) * covered, weight * has_joint);
            if upper > 0.0 {
                by_instance.iter_mut().for_each(|share| *share *= lower / (lower + upper));
                by_instance[layer.instance.unwrap_or(self.instances.len())] += upper / (lower + upper);
            }
            covered = lower + upper;
        }
        StackShares { by_instance, coverage: covered }
    }

    /// Redistributes the share of each inertialisation to the clip instances of its old pose.
    pub fn attribute(&self, mut shares: Vec<f32>, joint: usize) -> Vec<f32> {
        let rest = self.instances.len();
        for (i, instance) in self.instances.iter().enumerate() {
            let Some(inertialization) = &instance.inertialization else { continue };
            // An inertialisation plays no clip itself, so its share goes to the sources of the old pose.
            let share = std::mem::take(&mut shares[i]);
            let (of_rest, of_instances) = inertialization.shares[joint].split_last().unwrap_or((&0.0, &[]));
            of_instances.iter().enumerate().for_each(|(source, part)| shares[source] += share * part);
            shares[rest] += share * of_rest;
        }
        shares
    }

    /// Returns a share of 0 for every clip instance and for the rest pose.
    fn no_shares(&self) -> Vec<f32> {
        vec![0.0; self.instances.len() + 1]
    }

    /// Returns the coverage of `joint` by a clip instance, 0…1.
    fn instance_coverage(&self, bank: &ClipBank, instance: usize, joint: usize) -> f32 {
        match &self.instances[instance] {
            ClipInstance { inertialization: Some(inertialization), .. } => inertialization.coverage[joint],
            ClipInstance { side: TreeSide::WholeBody, .. } => 1.0,
            ClipInstance { side: TreeSide::UpperBody, clip, .. } => bank.coverage[*clip][joint],
        }
    }
}
