//! A clip node at work: its clip from the start of the take on, and anew from every event that starts it again.

use super::arc_track::ArcTrack;
use super::clip_bank::ClipBank;
use super::layer::PoseLayer;
use super::mix::mix;
use super::transitions::Ramp;

/// A playing clip.
#[derive(Clone, Debug, Default)]
pub(super) struct SourceStep {
    pub clip: usize,
    pub looping: bool,
    /// Clip seconds per second.
    pub speed: f64,
    /// Clip seconds at time 0, and where it is started again.
    pub offset: f64,
    /// When it is started again, rising.
    pub restarts: Vec<Restart>,
}

/// A clip that begins again over what it shows.
#[derive(Clone, Debug)]
pub(super) struct Restart {
    /// Its weight over what was there; 1 at once where that is not seen.
    pub fade: Ramp,
    /// Which way round to it from what was there.
    pub arcs: ArcTrack,
}

/// The clip as one of its starts has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SourcePart {
    /// Which restart; `None` is the start of the take.
    restart: Option<usize>,
    /// 0…1 over what lies below.
    pub weight: f32,
}

impl SourceStep {
    /// Layers of working memory that playing needs.
    pub(super) const SPARE_LAYERS: usize = 1;

    /// Unlooped clip seconds of `part` at `time` (seconds).
    pub(super) fn clip_time(&self, part: SourcePart, time: f64) -> f64 {
        let start = part.restart.map_or(0.0, |restart| self.restarts[restart].fade.start);
        self.offset + self.speed * (time - start)
    }

    /// What is seen at `time` (seconds), from below: the first has full weight, each lies over those before it.
    pub fn parts(&self, time: f64) -> impl Iterator<Item = SourcePart> {
        let count = self.restarts.partition_point(|restart| restart.fade.start <= time);
        let begun = &self.restarts[..count];
        let bottom = begun.iter().rposition(|restart| restart.fade.at(time) >= 1.0);
        let first = SourcePart { restart: bottom, weight: 1.0 };
        let above = bottom.map_or(0, |bottom| bottom + 1)..count;
        let over = move |restart: usize| SourcePart { restart: Some(restart), weight: begun[restart].fade.at(time) };
        std::iter::once(first).chain(above.map(over))
    }

    /// Each start that is seen at `time` (seconds), with its part of the whole instead of that over what lies below.
    pub fn shares(&self, time: f64) -> Vec<SourcePart> {
        let mut left = 1.0;
        let mut shares: Vec<SourcePart> = self.parts(time).collect();
        for part in shares.iter_mut().rev() {
            part.weight *= left;
            left -= part.weight;
        }
        shares
    }

    /// Each start that is seen at either of two times (seconds), with its part of the whole at both.
    pub(super) fn shares_at_both(&self, times: [f64; 2]) -> Vec<(SourcePart, [f32; 2])> {
        let [old, new] = times.map(|time| self.shares(time));
        let weight = |shares: &[SourcePart], restart| {
            shares.iter().filter(|part| part.restart == restart).map(|part| part.weight).sum()
        };
        let later = new.iter().filter(|part| old.iter().all(|known| known.restart != part.restart));
        let all = old.iter().chain(later);
        all.map(|part| (*part, [weight(&old, part.restart), weight(&new, part.restart)])).collect()
    }

    /// Writes the pose at `time` (seconds); `spare` is working memory of [`Self::SPARE_LAYERS`] layers.
    pub fn run(&self, bank: &ClipBank, time: f64, spare: &mut [PoseLayer], out: &mut PoseLayer) {
        let mut parts = self.parts(time);
        if let Some(first) = parts.next() {
            bank.sample_clip(self.clip, self.clip_time(first, time), self.looping, out);
        }
        let Some(over) = spare.first_mut() else { return };
        for part in parts.filter(|part| part.weight > 0.0) {
            bank.sample_clip(self.clip, self.clip_time(part, time), self.looping, over);
            let arcs = part.restart.map_or(&[][..], |restart| self.restarts[restart].arcs.at(time));
            for joint in 0..bank.skeleton.len() {
                out.set(joint, mix(&out.get(joint), &over.get(joint), part.weight, arcs.get(joint).copied()));
            }
            let morphs = out.morphs.iter_mut().zip(&over.morphs);
            morphs.for_each(|(below, above)| *below += (above - *below) * part.weight);
        }
    }

    /// Starts the clip again as `fade` has it, which lies after all others; the way round is recorded as long as it lasts.
    pub fn restart(&mut self, bank: &ClipBank, fade: Ramp) {
        let mut layers = [bank.rest_layer(), bank.rest_layer(), bank.rest_layer()];
        let part = SourcePart { restart: Some(self.restarts.len()), weight: 1.0 };
        let before = self.clone();
        self.restarts.push(Restart { fade, arcs: ArcTrack::default() });
        if fade.length <= 0.0 {
            return;
        }
        let relative_at = |time: f64| {
            let [below, above, spare] = &mut layers;
            before.run(bank, time, std::slice::from_mut(spare), below);
            bank.sample_clip(self.clip, self.clip_time(part, time), self.looping, above);
            (0..bank.skeleton.len())
                .map(|joint| below.get(joint).rotation.conjugate() * above.get(joint).rotation)
                .collect()
        };
        let arcs = ArcTrack::record(fade.start..fade.end(), |_| None, relative_at);
        if let Some(last) = self.restarts.last_mut() {
            last.arcs = arcs;
        }
    }
}
