//! Playback of a source node: its clip from time 0 on, and a new start at every event that restarts it.

use crate::clips::clip_bank::ClipBank;
use crate::clips::layer::PoseLayer;
use crate::clips::mix::mix;
use crate::fades::arc_track::ArcTrack;
use crate::fades::transitions::Ramp;

/// A source node with its clip and restarts.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceStep {
    /// Index of the clip in the bank.
    pub clip: usize,
    pub looping: bool,
    /// Playback speed, clip seconds per second.
    pub speed: f64,
    /// Clip time in seconds at time 0 and at every restart.
    pub offset: f64,
    /// The restarts, rising by time.
    pub restarts: Vec<Restart>,
}

/// A restart of the clip over its previous playback.
#[derive(Clone, Debug)]
pub(crate) struct Restart {
    /// Weight over the previous playback; 1 at once if the clip is invisible at that time.
    pub fade: Ramp,
    /// Rotation arcs from the previous playback to this one.
    pub arcs: ArcTrack,
}

/// The clip as played since one of its starts, with a weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SourcePart {
    /// Index of the restart; `None` for the start at time 0.
    restart: Option<usize>,
    /// Weight over the earlier parts, 0…1.
    pub weight: f32,
}

impl SourceStep {
    /// Number of scratch layers that [`Self::run`] needs.
    pub(crate) const SPARE_LAYERS: usize = 1;

    /// Returns the unlooped clip time of `part` at `time`, both in seconds.
    pub(crate) fn clip_time(&self, part: SourcePart, time: f64) -> f64 {
        let start = part.restart.map_or(0.0, |restart| self.restarts[restart].fade.start);
        self.offset + self.speed * (time - start)
    }

    /// Returns the visible parts at `time` (seconds), oldest first. The first has full weight; each other one covers the earlier
    /// ones by its weight.
    pub fn parts(&self, time: f64) -> impl Iterator<Item = SourcePart> {
        let count = self.restarts.partition_point(|restart| restart.fade.start <= time);
        let started = &self.restarts[..count];
        let bottom = started.iter().rposition(|restart| restart.fade.at(time) >= 1.0);
        let first = SourcePart { restart: bottom, weight: 1.0 };
        let later = bottom.map_or(0, |bottom| bottom + 1)..count;
        let fading_part =
            move |restart: usize| SourcePart { restart: Some(restart), weight: started[restart].fade.at(time) };
        std::iter::once(first).chain(later.map(fading_part))
    }

    /// Returns the visible parts at `time` (seconds), with shares that sum to 1 as weights.
    pub fn shares(&self, time: f64) -> Vec<SourcePart> {
        let mut remaining = 1.0;
        let mut shares: Vec<SourcePart> = self.parts(time).collect();
        for part in shares.iter_mut().rev() {
            part.weight *= remaining;
            remaining -= part.weight;
        }
        shares
    }

    /// Returns the parts that are visible at either of two times (seconds), with their shares at both.
    pub(crate) fn shares_at_both(&self, times: [f64; 2]) -> Vec<(SourcePart, [f32; 2])> {
        let [old, new] = times.map(|time| self.shares(time));
        let weight = |shares: &[SourcePart], restart| {
            shares.iter().filter(|part| part.restart == restart).map(|part| part.weight).sum()
        };
        let later = new.iter().filter(|part| old.iter().all(|known| known.restart != part.restart));
        let all = old.iter().chain(later);
        all.map(|part| (*part, [weight(&old, part.restart), weight(&new, part.restart)])).collect()
    }

    /// Writes the pose at `time` (seconds). `spare` are [`Self::SPARE_LAYERS`] scratch layers. The coverage of `out` is not
    /// changed.
    pub fn run(&self, bank: &ClipBank, time: f64, spare: &mut [PoseLayer], out: &mut PoseLayer) {
        let mut parts = self.parts(time);
        if let Some(first) = parts.next() {
            bank.sample_clip(self.clip, self.clip_time(first, time), self.looping, out);
        }
        let Some(upper) = spare.first_mut() else { return };
        for part in parts.filter(|part| part.weight > 0.0) {
            bank.sample_clip(self.clip, self.clip_time(part, time), self.looping, upper);
            let arcs = part.restart.map_or(&[][..], |restart| self.restarts[restart].arcs.at(time));
            for joint in 0..bank.skeleton.len() {
                out.set(joint, mix(&out.get(joint), &upper.get(joint), part.weight, arcs.get(joint).copied()));
            }
            let morphs = out.morphs.iter_mut().zip(&upper.morphs);
            morphs.for_each(|(lower, upper)| *lower += (upper - *lower) * part.weight);
        }
    }

    /// Adds a restart with the given fade, which must be later than all others. Records the rotation arcs for the duration of the
    /// fade.
    pub fn restart(&mut self, bank: &ClipBank, fade: Ramp) {
        let mut layers = [bank.rest_layer(), bank.rest_layer(), bank.rest_layer()];
        let part = SourcePart { restart: Some(self.restarts.len()), weight: 1.0 };
        let earlier = self.clone();
        self.restarts.push(Restart { fade, arcs: ArcTrack::default() });
        if fade.length <= 0.0 {
            return;
        }
        let relative_at = |time: f64| {
            let [previous, restarted, spare] = &mut layers;
            earlier.run(bank, time, std::slice::from_mut(spare), previous);
            bank.sample_clip(self.clip, self.clip_time(part, time), self.looping, restarted);
            (0..bank.skeleton.len())
                .map(|joint| previous.get(joint).rotation.conjugate() * restarted.get(joint).rotation)
                .collect()
        };
        let arcs = ArcTrack::record(fade.start..fade.end(), |_| None, relative_at);
        if let Some(last) = self.restarts.last_mut() {
            last.arcs = arcs;
        }
    }
}
