//! A blend space made ready to play: which clips are mixed at a time, and where in them it is.
//!
//! *In step*: one phase counts the times the first leg's foot came down. From one to the next it takes the mean of the times that the
//! clips take there, by weight, so that each clip keeps its own pace where it plays alone. Where the parameter moves the phase is added up beforehand
//! in fixed steps; any time is looked up.

use super::blend_space::BlendSpace;
use super::clip_bank::ClipBank;
use super::layer::PoseLayer;
use super::mix::{coverage, mean, mix};
use super::parameter_track::ParameterTrack;
use super::space_map::{SpaceMap, WeightedSample};
use super::sync_markers::{marker_phase_at, time_at_marker_phase};
use crate::math::Transform;

/// A blend space ready to play.
#[derive(Clone, Debug)]
pub(super) struct SpaceStep {
    space: BlendSpace,
    parameter: ParameterTrack,
    map: SpaceMap,
    clips: Vec<SpaceClip>,
    /// Phase at every [`RATE`]th of a second while the parameter moves; a single one where it stays.
    phases: Vec<f64>,
}

/// The clip of a sample.
#[derive(Clone, Debug)]
pub(super) struct SpaceClip {
    /// Its index in the bank.
    pub clip: usize,
    /// Seconds of one cycle.
    pub duration: f64,
    /// When the first leg's foot comes down, seconds; empty where that is not known.
    pub markers: Vec<f64>,
}

/// A clip at work in a blend space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SpacePart {
    /// Index of the clip in the bank.
    pub clip: usize,
    /// Unlooped clip seconds.
    pub clip_time: f64,
    /// 0…1; those of weight 0 do not count.
    pub weight: f32,
}

/// What several clips in step are together: markers and length are the means of theirs.
struct MeanCycle {
    markers: [f64; MOST_MARKERS],
    count: usize,
    duration: f64,
}

impl MeanCycle {
    /// The phase `seconds` after it was `phase`.
    fn after(&self, phase: f64, seconds: f64) -> f64 {
        let markers = &self.markers[..self.count];
        if self.duration <= 0.0 {
            return phase;
        }
        marker_phase_at(markers, self.duration, time_at_marker_phase(markers, self.duration, phase) + seconds)
    }
}

/// Clips with more markers keep in step by their length alone.
const MOST_MARKERS: usize = 16;
/// Steps a second in which the phase is added up.
const RATE: f64 = 240.0;
/// Seconds within which a parameter may move.
const LONGEST: f64 = 3600.0;

impl SpaceStep {
    /// Layers of working memory that playing needs.
    pub(super) const SPARE_LAYERS: usize = 3;

    /// `clips` are those of the samples of `space`, in their order; there is at least one.
    pub fn new(space: &BlendSpace, parameter: ParameterTrack, mut clips: Vec<SpaceClip>) -> Self {
        let alike = clips.windows(2).all(|pair| pair[0].markers.len() == pair[1].markers.len());
        if !alike || clips.iter().any(|clip| !(1..=MOST_MARKERS).contains(&clip.markers.len())) {
            // The start of a clip is the one marker that all have.
            clips.iter_mut().for_each(|clip| clip.markers = vec![0.0]);
        }
        let mut step = Self { space: space.clone(), parameter, map: space.map(), clips, phases: Vec::new() };
        step.add_up_phases();
        step
    }

    fn add_up_phases(&mut self) {
        // At the start the heaviest clip is at its own start.
        let heavier = |a: WeightedSample, b: WeightedSample| if b.weight > a.weight { b } else { a };
        let first = self.active(0.0).into_iter().reduce(heavier).map_or(0, |active| active.sample);
        let SpaceClip { duration, markers, .. } = &self.clips[first];
        let mut phase = if *duration > 0.0 { marker_phase_at(markers, *duration, 0.0) } else { 0.0 };
        self.phases.push(phase);
        let moving = if self.space.synchronise { self.parameter.end().clamp(0.0, LONGEST) } else { 0.0 };
        for step in 0..(moving * RATE).ceil() as usize {
            phase = self.cycle((step as f64 + 0.5) / RATE).after(phase, 1.0 / RATE);
            self.phases.push(phase);
        }
    }

    fn active(&self, time: f64) -> [WeightedSample; 3] {
        self.map.weights(self.space.point(self.parameter.at(time)))
    }

    /// Where its parameter is at `time` (seconds).
    pub(super) fn parameter_at(&self, time: f64) -> [f64; 2] {
        self.parameter.at(time)
    }

    /// The mean of the clips by their weights at `time` (seconds).
    fn cycle(&self, time: f64) -> MeanCycle {
        let mut mean = MeanCycle { markers: [0.0; MOST_MARKERS], count: self.clips[0].markers.len(), duration: 0.0 };
        for WeightedSample { sample, weight } in self.active(time) {
            let SpaceClip { duration, markers, .. } = &self.clips[sample];
            mean.duration += weight * duration;
            mean.markers.iter_mut().zip(markers).for_each(|(mean, marker)| *mean += weight * marker);
        }
        mean
    }

    fn phase(&self, time: f64) -> f64 {
        let last = self.phases.len() - 1;
        let before = (time * RATE).clamp(0.0, last as f64) as usize;
        let start = before as f64 / RATE;
        // Within a step its own weights go on, so that its end is what was added up.
        let weighing = if before < last { (before as f64 + 0.5) / RATE } else { f64::INFINITY };
        self.cycle(weighing).after(self.phases[before], time - start)
    }

    /// The clips at work at `time` (seconds).
    pub fn parts(&self, time: f64) -> [SpacePart; 3] {
        self.parts_by_weights_of(time, time)
    }

    /// The clips at work by the weights of one time, each where it is at another, both in seconds.
    pub(super) fn parts_by_weights_of(&self, weighing: f64, time: f64) -> [SpacePart; 3] {
        let phase = self.phase(time);
        self.active(weighing).map(|WeightedSample { sample, weight }| {
            let SpaceClip { clip, duration, markers } = &self.clips[sample];
            let clip_time = match self.space.synchronise {
                true if *duration > 0.0 => time_at_marker_phase(markers, *duration, phase),
                _ => time,
            };
            SpacePart { clip: *clip, clip_time, weight: weight as f32 }
        })
    }

    /// Writes the pose at `time` (seconds); `spare` is working memory of [`Self::SPARE_LAYERS`] layers.
    pub fn run(&self, bank: &ClipBank, time: f64, spare: &mut [PoseLayer], out: &mut PoseLayer) {
        let parts = self.parts(time);
        for (part, layer) in parts.iter().zip(spare.iter_mut()).filter(|(part, _)| part.weight > 0.0) {
            bank.sample_clip(part.clip, part.clip_time, true, layer);
        }
        let largest = parts.iter().map(|part| part.weight).fold(0.0, f32::max);
        for (joint, row) in bank.skeleton.joints.iter().enumerate() {
            let weights = parts.map(|part| part.weight * bank.coverage[part.clip][joint]);
            let sum: f32 = weights.iter().sum();
            let covered = coverage(sum, largest);
            let posed = spare.iter().zip(weights).map(|(layer, weight)| (layer.get(joint), weight));
            out.set(
                joint,
                mean(posed, row.rest.rotation).map_or(row.rest, |posed| over_rest(row.rest, posed, covered)),
            );
            for i in row.first_morph..row.first_morph + row.morph_count {
                let posed = spare.iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
                let posed: f32 = posed.map(|(layer, weight)| layer.morphs[i] * (weight / sum)).sum();
                let rest = bank.skeleton.rest_morphs[i];
                out.morphs[i] = if covered < 1.0 { rest + (posed - rest) * covered } else { posed };
            }
        }
    }

    /// Per joint 1 where any of the clips has a track.
    pub(super) fn coverage(&self, bank: &ClipBank) -> Vec<f32> {
        let any = |joint: usize| self.clips.iter().map(|clip| bank.coverage[clip.clip][joint]).fold(0.0, f32::max);
        (0..bank.skeleton.len()).map(any).collect()
    }
}

/// A joint that none of the heavy clips has is at rest.
fn over_rest(rest: Transform, posed: Transform, covered: f32) -> Transform {
    if covered < 1.0 { mix(&rest, &posed, covered, None) } else { posed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::blend::weight_track::StateTimeline;
    use crate::systems::blend::{ParameterKey, SpaceSample};

    fn clip(clip: usize, duration: f64, markers: &[f64]) -> SpaceClip {
        SpaceClip { clip, duration, markers: markers.to_vec() }
    }

    fn gaits(keys: &[(f64, f64)]) -> BlendSpace {
        let sample = |clip: &str, x: f64| SpaceSample { clip: clip.into(), at: [x, 0.0] };
        let keys = keys.iter().map(|&(time, x)| ParameterKey { time, at: [x, 0.0] }).collect();
        BlendSpace { samples: vec![sample("walk", 0.0), sample("run", 1.0)], keys, ..BlendSpace::default() }
    }

    fn step(keys: &[(f64, f64)]) -> SpaceStep {
        played(&gaits(keys), vec![clip(0, 1.2, &[0.1, 0.7]), clip(1, 0.6, &[0.05, 0.3])])
    }

    fn played(space: &BlendSpace, clips: Vec<SpaceClip>) -> SpaceStep {
        SpaceStep::new(space, ParameterTrack::new(space, "", &[], &StateTimeline::default()).unwrap(), clips)
    }

    #[test]
    fn where_a_clip_plays_alone_it_plays_at_its_own_pace_from_its_start() {
        for (x, duration) in [(0.0, 1.2), (1.0, 0.6)] {
            let step = step(&[(0.0, x)]);
            for time in [0.0, 0.25, duration, 3.3 * duration] {
                let parts = step.parts(time);
                assert_eq!(parts[0].weight, 1.0);
                assert!((parts[0].clip_time - time).abs() < 1e-9, "{x} {time}: {}", parts[0].clip_time);
            }
        }
    }

    #[test]
    fn between_samples_a_cycle_takes_the_mean_of_their_times() {
        let step = step(&[(0.0, 0.25)]);
        let cycle = 0.75 * 1.2 + 0.25 * 0.6;
        assert!((step.phase(cycle) - step.phase(0.0) - 2.0).abs() < 1e-9);
        assert!((step.phase(7.3 + cycle) - step.phase(7.3) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn clips_that_are_mixed_put_the_foot_down_together() {
        let step = step(&[(0.0, 0.3), (4.0, 0.9)]);
        for time in (0..1200).map(|i| f64::from(i) * 0.005) {
            let [walk, run, _] = step.parts(time);
            assert!(walk.weight > 0.0 && run.weight > 0.0);
            let [walk, run] = [(walk, 1.2, [0.1, 0.7]), (run, 0.6, [0.05, 0.3])]
                .map(|(part, duration, markers)| marker_phase_at(&markers, duration, part.clip_time));
            assert!((walk - run).abs() < 1e-9, "{time}: {walk} {run}");
        }
    }

    #[test]
    fn the_phase_never_jumps_or_goes_back_where_the_parameter_moves() {
        let step = step(&[(0.5, 0.0), (1.0, 1.0), (2.0, 0.2)]);
        let phases: Vec<f64> = (0..3000).map(|i| step.phase(f64::from(i) * 1e-3)).collect();
        for pair in phases.windows(2) {
            let pace = (pair[1] - pair[0]) / 1e-3;
            assert!((1.0 / 0.6 - 1e-6..=1.0 / 0.25 + 1e-6).contains(&pace), "{pace}");
        }
    }

    #[test]
    fn clips_with_other_numbers_of_steps_keep_in_step_by_their_length() {
        let step = played(&gaits(&[(0.0, 0.5)]), vec![clip(0, 1.2, &[0.1, 0.7]), clip(1, 0.6, &[])]);
        let [walk, run, _] = step.parts(0.45);
        assert!((walk.clip_time - 0.6).abs() < 1e-12 && (run.clip_time - 0.3).abs() < 1e-12, "{walk:?} {run:?}");
    }
}
