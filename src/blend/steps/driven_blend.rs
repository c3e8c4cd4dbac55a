//! A blend node with weights that events change, or with such a node among its descendants.

use glam::Quat;

use super::weight_track::WeightTrack;
use crate::clips::clip_bank::ClipBank;
use crate::clips::layer::PoseLayer;
use crate::clips::mix::{coverage, mean, mix};
use crate::fades::arc_track::ArcTrack;
use portamento_anim::math::Transform;

/// A blend with weights or coverage that change over time.
#[derive(Clone, Debug)]
pub(crate) struct DrivenBlend {
    pub inputs: Vec<DrivenInput>,
    /// Rotation arcs between two inputs, for each time span in which both have weight; empty for more than two inputs.
    pub arcs: Vec<ArcSpan>,
}

/// An input of a blend.
#[derive(Clone, Debug)]
pub(crate) struct DrivenInput {
    pub layer: usize,
    /// Connection index in the node, muted ones included.
    pub slot: usize,
    /// W over time.
    pub weight: WeightTrack,
    /// BW: the weight per joint.
    pub mask: Vec<f32>,
}

/// The rotation arcs for a time span in which both inputs have weight.
#[derive(Clone, Debug)]
pub(crate) struct ArcSpan {
    /// Start of the span, seconds.
    start: f64,
    /// End of the span, seconds; infinite after the last change.
    end: f64,
    track: ArcTrack,
}

impl DrivenInput {
    /// Returns the weight of the input on `joint` at `time` (seconds). `covered` is its layer's coverage of the joint, 0…1.
    pub(crate) fn weight_on(&self, joint: usize, time: f64, covered: f32) -> f32 {
        self.weight.at(time) * self.mask[joint] * covered
    }
}

impl DrivenBlend {
    /// Seconds after the last weight change for which arcs are recorded. Tuned; no derivation recorded.
    const RECORDED_SECONDS_AFTER_CHANGE: f64 = 10.0;

    /// Returns the coverage of a joint, 0…1, whose input weights sum to `sum` at `time` (seconds).
    pub(crate) fn coverage(&self, sum: f32, time: f64) -> f32 {
        coverage(sum, self.inputs.iter().map(|input| input.weight.at(time)).fold(0.0, f32::max))
    }

    /// Writes the pose and the coverage at `time` (seconds).
    pub fn run(&self, bank: &ClipBank, time: f64, done: &[PoseLayer], out: &mut PoseLayer) {
        let arcs = self.arcs_at(time);
        for (joint, row) in bank.skeleton.joints.iter().enumerate() {
            let weight = |input: &DrivenInput| input.weight_on(joint, time, done[input.layer].coverage[joint]);
            let parts = self.inputs.iter().map(|input| (done[input.layer].get(joint), weight(input)));
            let sum: f32 = self.inputs.iter().map(weight).sum();
            out.set(joint, mean_along(parts, arcs.get(joint), row.rest));
            out.coverage[joint] = self.coverage(sum, time);
            for i in row.first_morph..row.first_morph + row.morph_count {
                let parts = self.inputs.iter().filter(|input| weight(input) > 0.0);
                let value = parts.map(|input| done[input.layer].morphs[i] * (weight(input) / sum)).sum();
                out.morphs[i] = if sum > 0.0 { value } else { bank.skeleton.rest_morphs[i] };
            }
        }
    }

    /// Returns the arcs recorded for `time` (seconds), one per joint; empty if there are none.
    fn arcs_at(&self, time: f64) -> &[Quat] {
        let span = self.arcs.iter().find(|span| (span.start..span.end).contains(&time));
        span.map_or(&[], |span| span.track.at(time))
    }

    /// Records the rotation arcs. `layers_at` returns the poses of both inputs at a time in seconds. Does nothing unless
    /// there are two inputs and one of their weights changes.
    pub(crate) fn record_arcs(&mut self, mut layers_at: impl FnMut(f64) -> [PoseLayer; 2]) {
        let [first, second] = &self.inputs[..] else { return };
        if !(first.weight.is_animated() || second.weight.is_animated()) {
            return;
        }
        let mut change_times: Vec<f64> =
            [0.0].into_iter().chain(first.weight.change_times()).chain(second.weight.change_times()).collect();
        change_times.sort_by(f64::total_cmp);
        change_times.dedup();
        let both_have_weight = |time: f64| first.weight.at(time) > 0.0 && second.weight.at(time) > 0.0;
        let mut spans: Vec<[f64; 2]> = Vec::new();
        for (i, &start) in change_times.iter().enumerate() {
            let end = change_times.get(i + 1).copied().unwrap_or(f64::INFINITY);
            let middle = if end.is_finite() { 0.5 * (start + end) } else { start };
            if !both_have_weight(middle) {
                continue;
            }
            match spans.last_mut() {
                // The side of the arc stays the same as long as both inputs have weight.
                Some(last) if last[1] == start && both_have_weight(start) => last[1] = end,
                _ => spans.push([start, end]),
            }
        }
        let last_change = change_times.last().copied().unwrap_or(0.0);
        let mut record_span = |[start, end]: [f64; 2]| {
            // After the last change arcs are recorded for a limited time; the side is kept after that.
            let recorded = end.min(last_change + Self::RECORDED_SECONDS_AFTER_CHANGE);
            let relative_at = |time: f64| {
                let [a, b] = layers_at(time);
                let relative = |joint: usize| a.get(joint).rotation.conjugate() * b.get(joint).rotation;
                (0..a.coverage.len()).map(relative).collect()
            };
            ArcSpan { start, end, track: ArcTrack::record(start..recorded, |_| None, relative_at) }
        };
        self.arcs = spans.into_iter().map(&mut record_span).collect();
    }
}

/// Returns the mean of `parts`; two parts are mixed along `arc`. Returns `rest` if there are no parts.
fn mean_along(parts: impl Iterator<Item = (Transform, f32)> + Clone, arc: Option<&Quat>, rest: Transform) -> Transform {
    let mut pair = parts.clone();
    if let (Some(arc), Some(a), Some(b)) = (arc, pair.next(), pair.next())
        && a.1 > 0.0
        && b.1 > 0.0
    {
        return mix(&a.0, &b.0, b.1 / (a.1 + b.1), Some(*arc));
    }
    mean(parts, rest.rotation).unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::weight_track::StateTimeline;
    use crate::{State, StateEvent, StateWeight, Tree};

    #[test]
    fn the_arc_is_chosen_again_after_one_input_had_no_weight() {
        let state = |name: &str| State { name: name.into(), trans_time: 0.5, ..State::default() };
        let event = |(time, state): (f64, &str)| StateEvent { time, state: state.into(), ..StateEvent::default() };
        let events = [(1.0, "gone"), (1.5, "seen"), (4.0, "gone"), (6.0, "seen")].map(event).to_vec();
        let tree = Tree { states: vec![state("gone"), state("seen")], events, ..Tree::default() };
        let in_states =
            [("gone", 0.0), ("seen", 2.0)].map(|(state, weight)| StateWeight { state: state.into(), weight });
        let weights =
            [WeightTrack::constant(1.0), WeightTrack::new(1.0, &in_states, &StateTimeline::new(&tree).unwrap())];
        let inputs = weights.into_iter().enumerate();
        let inputs = inputs.map(|(slot, weight)| DrivenInput { layer: slot, slot, weight, mask: Vec::new() }).collect();
        let mut blend = DrivenBlend { inputs, arcs: Vec::new() };
        blend.record_arcs(|_| [PoseLayer::default(), PoseLayer::default()]);
        let spans: Vec<[f64; 2]> = blend.arcs.iter().map(|span| [span.start, span.end]).collect();
        assert_eq!(spans, [[0.0, 1.5], [1.5, 4.5], [6.0, f64::INFINITY]]);
    }
}
