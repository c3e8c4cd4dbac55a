//! Which clips really play: those that events name but no time shows do not count.

use std::collections::BTreeSet;

use super::timeline::{BodyParts, CompiledTimeline, active};
use super::{Built, Plan};
use crate::anim::Clip;

impl Built {
    /// The clips that play before `length` seconds, each once.
    pub fn clips_in_play(&self, length: f64) -> Vec<&Clip> {
        let Plan::Timeline { timeline, .. } = &self.plan else { return self.bank.clips.iter().collect() };
        let seen = |&index: &usize| {
            let segment = &timeline.segments[index];
            let next = timeline.segments.get(index + 1).map_or(length, |next| next.start.min(length));
            segment.start < next
        };
        let found = (0..timeline.segments.len()).filter(seen).flat_map(|index| timeline.clips_from(index));
        let found: BTreeSet<usize> = found.collect();
        found.into_iter().map(|clip| &self.bank.clips[clip]).collect()
    }
}

impl CompiledTimeline {
    /// Indices of the clips that the `index`-th segment shows from its start on; those under a layer of full weight, and a skill
    /// without weight, are not seen.
    pub(super) fn clips_from(&self, index: usize) -> BTreeSet<usize> {
        let segment = &self.segments[index];
        let weight = segment.weight.map(|ramps| ramps.map(|ramp| ramp.to.max(ramp.at(segment.start))));
        let shows_skill = weight.is_some_and(|weight| weight != BodyParts::ZERO);
        let upper_body = if shows_skill { active(&segment.upper_body, segment.start) } else { &[] };
        let layers = active(&segment.whole_body, segment.start).iter().chain(upper_body);
        layers.filter_map(|layer| layer.instance).map(|instance| self.instances[instance].clip).collect()
    }
}
