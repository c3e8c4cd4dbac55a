//! Share of each clip instance in a joint of a compiled scenario.

use super::instance_shares::{InstanceShares, ShareSource};
use super::timeline::{BodyParts, ClipInstance, CompiledTimeline, FadeLayer, TimelineSegment, TreeSide, active_layers};
use crate::clips::clip_bank::ClipBank;

/// The shares of one joint within a blend stack.
pub(super) struct StackShares {
    /// The shares of clip instances and the rest pose. They sum to 1 if anything covers the joint.
    pub by_source: InstanceShares,
    /// Coverage of the joint by the stack, 0…1.
    pub coverage: f32,
}

impl CompiledTimeline {
    /// Returns the shares of `joint` at `time` (seconds); they sum to 1. The share of an inertialisation is given to the
    /// clips of its old pose. Before the first event all is rest pose.
    pub fn shares(&self, bank: &ClipBank, time: f64, joint: usize) -> InstanceShares {
        match self.segment_at(time) {
            Some(segment) => self.attribute(self.segment_shares(bank, segment, time, joint), joint),
            None => InstanceShares::of_rest(),
        }
    }

    /// Returns the shares of `joint` within `segment` at `time` (seconds); they sum to 1. Inertialisations count as separate
    /// instances.
    pub(crate) fn segment_shares(
        &self,
        bank: &ClipBank,
        segment: &TimelineSegment,
        time: f64,
        joint: usize,
    ) -> InstanceShares {
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
            return InstanceShares::of_rest();
        }
        let [of_whole, of_upper] = [&whole_body.by_source, &upper_body.by_source];
        let share = |source| (of_whole.get(source) * lower + of_upper.get(source) * upper) / (upper + lower);
        of_whole.sources_of_both(of_upper).into_iter().map(|source| (source, share(source))).collect()
    }

    /// Returns the shares of `joint` within one side at `time` (seconds). The result is empty before the first event, and if
    /// UpperBody has no weight.
    pub(crate) fn side_shares(&self, bank: &ClipBank, side: TreeSide, time: f64, joint: usize) -> InstanceShares {
        let Some(segment) = self.segment_at(time) else { return InstanceShares::default() };
        let layers = match side {
            TreeSide::WholeBody => &segment.whole_body,
            TreeSide::UpperBody if segment.upper_body_weight(time) != BodyParts::ZERO => &segment.upper_body,
            TreeSide::UpperBody => return InstanceShares::default(),
        };
        self.attribute(self.stack_shares(bank, layers, time, joint).by_source, joint)
    }

    /// Returns the shares of `joint` within a blend stack at `time` (seconds), and the coverage of the joint by it.
    pub(super) fn stack_shares(&self, bank: &ClipBank, layers: &[FadeLayer], time: f64, joint: usize) -> StackShares {
        let mut by_source = InstanceShares::default();
        let mut covered = 0.0;
        for (i, layer) in active_layers(layers, time).iter().enumerate() {
            let weight = if i == 0 { 1.0 } else { layer.fade.at(time) };
            let has_joint = layer.instance.map_or(1.0, |instance| self.instance_coverage(bank, instance, joint));
            let (lower, upper) = ((1.0 - weight) * covered, weight * has_joint);
            if upper > 0.0 {
                by_source.scale(lower / (lower + upper));
                let source = layer.instance.map_or(ShareSource::Rest, ShareSource::Instance);
                by_source.add(source, upper / (lower + upper));
            }
            covered = lower + upper;
        }
        StackShares { by_source, coverage: covered }
    }

    /// Redistributes the share of each inertialisation to the clip instances of its old pose.
    pub fn attribute(&self, mut shares: InstanceShares, joint: usize) -> InstanceShares {
        let sources: Vec<ShareSource> = shares.iter().map(|(source, _)| source).collect();
        for source in sources {
            let ShareSource::Instance(instance) = source else { continue };
            let Some(inertialization) = &self.instances[instance].inertialization else { continue };
            // An inertialisation plays no clip itself, so its share goes to the sources of the old pose.
            let share = shares.take(source);
            for (of_old_pose, part) in inertialization.shares[joint].iter() {
                shares.add(of_old_pose, share * part);
            }
        }
        shares
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
