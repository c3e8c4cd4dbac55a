//! In which phase the gaits are at each frame: in step with the ground, and meeting what comes before and after them.

use super::start_transition::StartTransition;
use super::gait::blend_at;
use super::stepped_stop::SteppedStop;
use super::plan::{SegmentPlan, GaitFrame};
use super::pose_match::{limbs, pose_distance};
use super::slope_sets::SlopeSelector;
use crate::anim::Pose;
use crate::math::easing::Easing;

impl SegmentPlan<'_> {
    /// The mix and the phase at every frame, the phase from 0.
    pub fn phases(&self, count: usize) -> Vec<GaitFrame> {
        // Finer than a frame, as weight and stride change within one.
        const FINE: usize = 4;
        let (gaits, sets) = (&self.clips.gaits, &self.clips.slopes);
        let blend = |set: usize, speed: f64| blend_at(gaits, &sets[set].gaits, speed, self.settings);
        let mut under = SlopeSelector::new(sets, self.path.slope(0.0));
        let step = 1.0 / (self.settings.fps * FINE as f64);
        let mut phase = 0.0;
        (0..count)
            .map(|frame| {
                let start = self.time(frame);
                let (place, speed) = self.profile.at(start);
                under.step(sets, self.path.slope(place), start);
                let fade = under.fade(start);
                let now = GaitFrame { blend: blend(under.now, speed), before: blend(under.before, speed), fade, phase, rest: 0.0 };
                for part in 0..FINE {
                    let speed = self.profile.at(start + (part as f64 + 0.5) * step).1;
                    let cadence = |set: usize| blend(set, speed).cadence(speed, gaits);
                    let (to, from) = (cadence(under.now), cadence(under.before));
                    // Strides are mixed, so it is the time of a cycle that goes from one to the other.
                    let blended = fade > 0.0 && to > 0.0 && from > 0.0;
                    let cadence = if blended { 1.0 / ((1.0 - fade) / to + fade / from) } else { to };
                    phase += cadence * step;
                }
                now
            })
            .collect()
    }

    /// Shifts all phases so that the stop clip is met in the phase whose pose is nearest to its entry pose.
    pub fn align(&mut self) {
        let Some(stop) = &self.clips.stop else { return };
        let at = self.profile.stop.begins;
        let mut target = Pose::default();
        stop.source.sample(self.input.skeleton, self.carrier, self.entry_time(stop), &mut target);
        let step = self.steps[self.frame(at)];
        let shift = self.nearest_phase(&step, at, &target) - step.phase;
        self.steps.iter_mut().for_each(|step| step.phase += shift);
    }

    /// Shifts all phases so that a foot comes down where it stands at the goal, and lets the others follow.
    pub fn end_in_steps(&mut self) {
        let Some(last) = SteppedStop::find(self) else { return };
        let frame = self.frame(last.begins);
        let shift = last.phase - self.steps[frame].phase;
        self.steps.iter_mut().for_each(|step| step.phase += shift);
        let from = self.steps[frame];
        for i in frame..self.steps.len() {
            self.steps[i] = last.step(&from, self.time(i));
        }
        self.stepped_stop = Some(last);
    }

    /// Meets the start: the gaits begin in the phase the start clip ends in, or with a foot that lifts.
    pub fn begin(&mut self) {
        self.start_transition = StartTransition::find(self);
        let (frame, wanted) = match (&self.start_transition, &self.clips.start) {
            (Some(first), Some(start)) => {
                let mut target = Pose::default();
                start.source.sample(self.input.skeleton, self.carrier, start.source.clip.duration, &mut target);
                let frame = self.frame(first.ends);
                (frame, vec![self.nearest_phase(&self.steps[frame], first.ends, &target)])
            }
            _ => {
                self.rise();
                let moving = |step: &GaitFrame| step.blend.low.is_some() || step.blend.weight > 0.5;
                let Some(frame) = self.steps.iter().position(moving) else { return };
                let legs = 0..self.input.legs().len();
                (frame, legs.map(|leg| self.clips.plain().lifts(leg)).collect())
            }
        };
        let turn = |wanted: f64| (wanted - self.steps[frame].phase + 0.5).rem_euclid(1.0) - 0.5;
        let nearest = wanted.into_iter().map(turn).min_by(|a, b| a.abs().total_cmp(&b.abs()));
        self.come_from(frame, nearest.unwrap_or(0.0));
    }

    /// Lets the standing pose go over into the gaits, which begin within a tenth of a second when the character speeds up fast.
    fn rise(&mut self) {
        const RISE: f64 = 0.35;
        for i in 0..self.steps.len().min(self.frame(RISE)) {
            self.steps[i].rest = self.steps[i].rest.max(1.0 - Easing::Smoothstep.at(self.time(i) / RISE));
        }
    }

    /// Changes the phase at `frame` by `turn` cycles, or as far as the play rates and a tenth of the cadence allow, evenly
    /// made up for until the stop.
    fn come_from(&mut self, frame: usize, turn: f64) {
        let last = self.stepped_stop.as_ref().map_or(self.profile.stop.begins, |last| last.begins);
        let last = self.frame(last);
        let cycles = self.steps[last].phase - self.steps[frame].phase;
        if last <= frame || cycles < 0.5 {
            return;
        }
        let [slowest, fastest] = self.settings.play_rates;
        let factor = (1.0 - turn / cycles).clamp(0.9, 1.1);
        let (mut after, mut phase) = (self.steps[last].phase, self.steps[last].phase);
        for step in self.steps[..last].iter_mut().rev() {
            let rate = step.blend.rate;
            let factor = factor.clamp((slowest / rate).min(1.0), (fastest / rate).max(1.0));
            phase -= (after - step.phase) * factor;
            after = step.phase;
            step.phase = phase;
            step.blend.rate *= factor;
        }
    }

    /// The phase in which the gaits of `step` are nearest to `target`.
    fn nearest_phase(&self, step: &GaitFrame, time: f64, target: &Pose) -> f64 {
        let limbs = limbs(self.input);
        let distance = |k: usize| {
            let mut pose = Pose::default();
            self.gait_pose(&GaitFrame { phase: k as f64 / 64.0, ..*step }, time, &mut pose);
            pose_distance(self.input, &limbs, &pose, target)
        };
        let distances: Vec<f64> = (0..64).map(distance).collect();
        let best = (0..64).min_by(|&a, &b| distances[a].total_cmp(&distances[b])).unwrap_or(0);
        best as f64 / 64.0
    }
}
