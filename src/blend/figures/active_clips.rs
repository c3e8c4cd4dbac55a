//! Lists the clips with a non-zero weight at some time. Clips that events name but that never get weight are not listed.

use std::collections::BTreeSet;

use crate::standard::timeline::{BodyParts, CompiledTimeline, active_layers};
use crate::{Built, Plan};
use portamento_anim::Clip;

impl Built {
    /// Returns the clips with weight before `length` seconds, each once. All clips for a drawn tree.
    pub fn active_clips(&self, length: f64) -> Vec<&Clip> {
        let Plan::Timeline(timeline) = &self.plan else { return self.bank.clips.iter().collect() };
        let is_reached = |&index: &usize| {
            let segment = &timeline.segments[index];
            let next = timeline.segments.get(index + 1).map_or(length, |next| next.start.min(length));
            segment.start < next
        };
        let clips = (0..timeline.segments.len()).filter(is_reached).flat_map(|index| timeline.clips_from(index));
        let clips: BTreeSet<usize> = clips.collect();
        clips.into_iter().map(|clip| &self.bank.clips[clip]).collect()
    }
}

impl CompiledTimeline {
    /// Returns the indices of the clips that segment `index` uses from its start on. Clips below a layer of full weight and a
    /// skill without weight are excluded.
    pub(crate) fn clips_from(&self, index: usize) -> BTreeSet<usize> {
        let segment = &self.segments[index];
        let weight = segment.weight.map(|ramps| ramps.map(|ramp| ramp.to.max(ramp.at(segment.start))));
        let shows_skill = weight.is_some_and(|weight| weight != BodyParts::ZERO);
        let upper_body = if shows_skill { active_layers(&segment.upper_body, segment.start) } else { &[] };
        let layers = active_layers(&segment.whole_body, segment.start).iter().chain(upper_body);
        layers.filter_map(|layer| layer.instance).map(|instance| self.instances[instance].clip).collect()
    }
}
