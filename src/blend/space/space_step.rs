//! Playback of a blend space: the active clips, their weights and their clip times.
//!
//! Synchronised clips share one phase, which counts the foot-down times of the first leg. The time from one foot-down to the next
//! is the weighted mean of the times in the clips. A clip that plays alone therefore keeps its own speed. While the parameter
//! moves, the phase is integrated in advance in fixed steps, so that any time can be looked up.

use super::blend_space::BlendSpace;
use super::parameter_track::ParameterTrack;
use super::space_map::{SpaceMap, WeightedSample};
use crate::clips::clip_bank::ClipBank;
use crate::clips::layer::PoseLayer;
use crate::clips::mix::{coverage, mean, mix};
use crate::sync_markers::{marker_phase_at, time_at_marker_phase};
use portamento_anim::math::Transform;

/// A blend space, ready to play.
#[derive(Clone, Debug)]
pub(crate) struct SpaceStep {
    space: BlendSpace,
    parameter: ParameterTrack,
    map: SpaceMap,
    clips: Vec<SpaceClip>,
    /// Phase at every step of 1/[`STEPS_PER_SECOND`] s while the parameter moves; a single value if it does not move.
    phases: Vec<f64>,
}

/// The clip of a sample.
#[derive(Clone, Debug)]
pub(crate) struct SpaceClip {
    /// Index of the clip in the bank.
    pub clip: usize,
    /// Duration of one cycle, seconds.
    pub duration: f64,
    /// Foot-down times of the first leg, seconds; empty if unknown.
    pub markers: Vec<f64>,
}

/// An active clip of a blend space at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SpacePart {
    /// Index of the clip in the bank.
    pub clip: usize,
    /// Unlooped clip time, seconds.
    pub clip_time: f64,
    /// Weight 0…1; parts of weight 0 are ignored.
    pub weight: f32,
}

/// The mean cycle of several synchronised clips: weighted means of their markers and durations.
struct MeanCycle {
    /// Foot-down times, seconds; the first `count` are used.
    markers: [f64; MAX_MARKERS],
    count: usize,
    /// Duration, seconds.
    duration: f64,
}

impl MeanCycle {
    /// Returns the phase `seconds` later than `phase`, or `phase` itself if the cycle has no duration.
    fn after(&self, phase: f64, seconds: f64) -> f64 {
        let markers = &self.markers[..self.count];
        if self.duration <= 0.0 {
            return phase;
        }
        marker_phase_at(markers, self.duration, time_at_marker_phase(markers, self.duration, phase) + seconds)
    }
}

/// Largest number of markers per clip; clips with more are synchronised by their length only.
const MAX_MARKERS: usize = 16;
/// Integration steps of the phase per second.
const STEPS_PER_SECOND: f64 = 240.0;
/// Longest integration of the phase, seconds.
const MAX_SECONDS: f64 = 3600.0;

impl SpaceStep {
    /// Number of scratch layers that [`Self::run`] needs.
    pub(crate) const SPARE_LAYERS: usize = 3;

    /// Returns the step of `space`. `clips` are the clips of its samples, in the same order; there is at least one. Without
    /// the same number of markers in all clips, at most 16, they are synchronised by their length only.
    pub fn new(space: &BlendSpace, parameter: ParameterTrack, mut clips: Vec<SpaceClip>) -> Self {
        let same_marker_count = clips.windows(2).all(|pair| pair[0].markers.len() == pair[1].markers.len());
        if !same_marker_count || clips.iter().any(|clip| !(1..=MAX_MARKERS).contains(&clip.markers.len())) {
            // The start of a clip is the only marker that all clips have.
            clips.iter_mut().for_each(|clip| clip.markers = vec![0.0]);
        }
        let mut step = Self { space: space.clone(), parameter, map: space.map(), clips, phases: Vec::new() };
        step.integrate_phases();
        step
    }

    /// Integrates the phase while the parameter moves.
    fn integrate_phases(&mut self) {
        // At time 0 the clip with the largest weight is at its start.
        let heavier = |a: WeightedSample, b: WeightedSample| if b.weight > a.weight { b } else { a };
        let first = self.active(0.0).into_iter().reduce(heavier).map_or(0, |active| active.sample);
        let SpaceClip { duration, markers, .. } = &self.clips[first];
        let mut phase = if *duration > 0.0 { marker_phase_at(markers, *duration, 0.0) } else { 0.0 };
        self.phases.push(phase);
        let moving_seconds = if self.space.synchronise { self.parameter.end().clamp(0.0, MAX_SECONDS) } else { 0.0 };
        for step in 0..(moving_seconds * STEPS_PER_SECOND).ceil() as usize {
            phase = self.cycle((step as f64 + 0.5) / STEPS_PER_SECOND).after(phase, 1.0 / STEPS_PER_SECOND);
            self.phases.push(phase);
        }
    }

    /// Returns the samples with weight at `time` (seconds).
    fn active(&self, time: f64) -> [WeightedSample; 3] {
        self.map.weights(self.space.point(self.parameter.at(time)))
    }

    /// Returns the parameter position at `time` (seconds).
    pub(crate) fn parameter_at(&self, time: f64) -> [f64; 2] {
        self.parameter.at(time)
    }

    /// Returns the mean cycle of the clips by their weights at `time` (seconds).
    fn cycle(&self, time: f64) -> MeanCycle {
        let mut mean = MeanCycle { markers: [0.0; MAX_MARKERS], count: self.clips[0].markers.len(), duration: 0.0 };
        for WeightedSample { sample, weight } in self.active(time) {
            let SpaceClip { duration, markers, .. } = &self.clips[sample];
            mean.duration += weight * duration;
            mean.markers.iter_mut().zip(markers).for_each(|(mean, marker)| *mean += weight * marker);
        }
        mean
    }

    /// Returns the phase at `time` (seconds), as the count of markers passed.
    fn phase(&self, time: f64) -> f64 {
        let last = self.phases.len() - 1;
        let before = (time * STEPS_PER_SECOND).clamp(0.0, last as f64) as usize;
        let start = before as f64 / STEPS_PER_SECOND;
        // The weights of the middle of the step apply throughout the step, so that its end matches the integrated phase.
        let weight_time = if before < last { (before as f64 + 0.5) / STEPS_PER_SECOND } else { f64::INFINITY };
        self.cycle(weight_time).after(self.phases[before], time - start)
    }

    /// Returns the active clips at `time` (seconds).
    pub fn parts(&self, time: f64) -> [SpacePart; 3] {
        self.parts_by_weights_of(time, time)
    }

    /// Returns the clips with their weights at `weight_time` and their clip times at `time`, both in seconds. Without
    /// synchronisation the clip time is `time`.
    pub(crate) fn parts_by_weights_of(&self, weight_time: f64, time: f64) -> [SpacePart; 3] {
        let phase = self.phase(time);
        self.active(weight_time).map(|WeightedSample { sample, weight }| {
            let SpaceClip { clip, duration, markers } = &self.clips[sample];
            let clip_time = match self.space.synchronise {
                true if *duration > 0.0 => time_at_marker_phase(markers, *duration, phase),
                _ => time,
            };
            SpacePart { clip: *clip, clip_time, weight: weight as f32 }
        })
    }

    /// Writes the pose at `time` (seconds). `spare` are [`Self::SPARE_LAYERS`] scratch layers. The coverage of `out` is not
    /// changed.
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
                mean(posed, row.rest.rotation).map_or(row.rest, |posed| mix_with_rest(row.rest, posed, covered)),
            );
            for i in row.first_morph..row.first_morph + row.morph_count {
                let posed = spare.iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
                let posed: f32 = posed.map(|(layer, weight)| layer.morphs[i] * (weight / sum)).sum();
                let rest = bank.skeleton.rest_morphs[i];
                out.morphs[i] = if covered < 1.0 { rest + (posed - rest) * covered } else { posed };
            }
        }
    }

    /// Returns 1 for each joint that any of the clips has a track for, otherwise 0.
    pub(crate) fn coverage(&self, bank: &ClipBank) -> Vec<f32> {
        let covered = |joint: usize| self.clips.iter().map(|clip| bank.coverage[clip.clip][joint]).fold(0.0, f32::max);
        (0..bank.skeleton.len()).map(covered).collect()
    }
}

/// Blends from rest to `posed` by the coverage of the joint.
fn mix_with_rest(rest: Transform, posed: Transform, covered: f32) -> Transform {
    if covered < 1.0 { mix(&rest, &posed, covered, None) } else { posed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::weight_track::StateTimeline;
    use crate::{ParameterKey, SpaceSample};

    fn clip(clip: usize, duration: f64, markers: &[f64]) -> SpaceClip {
        SpaceClip { clip, duration, markers: markers.to_vec() }
    }

    fn gaits(keys: &[(f64, f64)]) -> BlendSpace {
        let sample = |clip: &str, x: f64| SpaceSample { clip: clip.into(), at: [x, 0.0] };
        let keys = keys.iter().map(|&(time, x)| ParameterKey { time, at: [x, 0.0] }).collect();
        BlendSpace { samples: vec![sample("walk", 0.0), sample("run", 1.0)], keys, ..BlendSpace::default() }
    }

    fn step(keys: &[(f64, f64)]) -> SpaceStep {
        step_of(&gaits(keys), vec![clip(0, 1.2, &[0.1, 0.7]), clip(1, 0.6, &[0.05, 0.3])])
    }

    fn step_of(space: &BlendSpace, clips: Vec<SpaceClip>) -> SpaceStep {
        SpaceStep::new(space, ParameterTrack::new(space, "", &[], &StateTimeline::default()).unwrap(), clips)
    }

    #[test]
    fn a_clip_that_plays_alone_starts_at_its_start_and_keeps_its_speed() {
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
    fn between_samples_the_cycle_duration_is_the_weighted_mean() {
        let step = step(&[(0.0, 0.25)]);
        let cycle = 0.75 * 1.2 + 0.25 * 0.6;
        assert!((step.phase(cycle) - step.phase(0.0) - 2.0).abs() < 1e-9);
        assert!((step.phase(7.3 + cycle) - step.phase(7.3) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn mixed_clips_have_the_same_marker_phase() {
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
    fn the_phase_never_jumps_or_decreases_while_the_parameter_moves() {
        let step = step(&[(0.5, 0.0), (1.0, 1.0), (2.0, 0.2)]);
        let phases: Vec<f64> = (0..3000).map(|i| step.phase(f64::from(i) * 1e-3)).collect();
        for pair in phases.windows(2) {
            let pace = (pair[1] - pair[0]) / 1e-3;
            assert!((1.0 / 0.6 - 1e-6..=1.0 / 0.25 + 1e-6).contains(&pace), "{pace}");
        }
    }

    #[test]
    fn clips_with_different_numbers_of_steps_are_synchronised_by_length() {
        let step = step_of(&gaits(&[(0.0, 0.5)]), vec![clip(0, 1.2, &[0.1, 0.7]), clip(1, 0.6, &[])]);
        let [walk, run, _] = step.parts(0.45);
        assert!((walk.clip_time - 0.6).abs() < 1e-12 && (run.clip_time - 0.3).abs() < 1e-12, "{walk:?} {run:?}");
    }
}
