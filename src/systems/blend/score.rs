//! A scenario written out: between two events, who is heard and how each weight runs. Any time is looked up, none is replayed.

use glam::Quat;

use super::arcs::Arcs;
use super::echo::Echo;
use super::mix::{cover, mix};
use super::rig::{Layer, Rig};
use super::scenario::{Action, Event, Interrupt, Scenario};
use super::transitions::{Clock, Ramp, steps_at, time_of_steps};
use super::{BuildError, Input, Scratch, echo};
use crate::anim::{Pose, Skeleton};

/// The written-out scenario.
#[derive(Clone, Debug, Default)]
pub(super) struct Score {
    pub plays: Vec<Play>,
    pub moments: Vec<Moment>,
    /// Per joint, 1 for the upper body, 0 for the lower.
    pub upper: Vec<f32>,
}

/// A clip that was started.
#[derive(Clone, Debug)]
pub(super) struct Play {
    pub clip: usize,
    pub looping: bool,
    pub clock: Clock,
    /// What is let go in front of this clip; `None` is the clip itself.
    pub echo: Option<Echo>,
}

/// One of several that follow each other; over the ones before it by its fade.
#[derive(Clone, Debug)]
pub(super) struct Strand {
    /// Index of the play; `None` is the rest pose.
    pub play: Option<usize>,
    pub fade: Ramp,
    /// The way round from what is below to this.
    arcs: Arcs,
}

/// What holds from one event to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Moment {
    pub start: f64,
    /// What WholeBody plays, oldest first.
    pub whole: Vec<Strand>,
    /// What UpperBody plays, oldest first.
    pub skill: Vec<Strand>,
    /// UpperBody's weight on upper-body and on lower-body joints.
    pub grips: Option<[Ramp; 2]>,
    /// The way round from WholeBody to UpperBody.
    arcs: Arcs,
    casting: bool,
    running: bool,
}

impl Moment {
    /// UpperBody's weight on upper-body and lower-body joints at `time`.
    pub fn grip(&self, time: f64) -> [f32; 2] {
        self.grips.map_or([0.0; 2], |ramps| ramps.map(|ramp| ramp.at(time)))
    }

    /// Every play that may be heard.
    pub fn plays(&self) -> impl Iterator<Item = usize> {
        self.whole.iter().chain(&self.skill).filter_map(|strand| strand.play)
    }
}

/// UpperBody's weight on a joint that belongs to the upper body by `upper`.
pub(super) fn grip_on(grip: [f32; 2], upper: f32) -> f32 {
    // Equal grips must come out untouched, whatever the mask.
    if grip[0] == grip[1] { grip[0] } else { upper * grip[0] + (1.0 - upper) * grip[1] }
}

/// The strands of `strands` that are heard at `time`: from the last one with full weight on.
pub(super) fn heard(strands: &[Strand], time: f64) -> &[Strand] {
    let first = strands.iter().rposition(|strand| strand.fade.at(time) >= 1.0).unwrap_or(0);
    &strands[first..]
}

/// Writes out `scenario`, taking the clips it plays into `rig`.
pub(super) fn write(scenario: &Scenario, input: &Input, rig: &mut Rig) -> Result<Score, BuildError> {
    let upper = upper(scenario, input)?;
    let mut events: Vec<&Event> = scenario.events.iter().collect();
    events.iter().try_for_each(|event| event.check())?;
    events.sort_by(|a, b| a.time.total_cmp(&b.time));
    let mut score = Score { upper, ..Score::default() };
    let mut scratch = Scratch::default();
    for event in events {
        let clip = match scenario.clip_of(event) {
            None => None,
            Some(name) => {
                let missing = || BuildError::NoSuchClip { node: event.action.name().into(), clip: name.into() };
                Some(rig.take_in(name, input.clips).ok_or_else(missing)?)
            }
        };
        let moment = score.after(scenario, event, clip, (input, rig));
        score.moments.push(moment);
        score.choose_arcs(rig, event.time, &mut scratch);
    }
    Ok(score)
}

/// Per joint its share of the upper body, 0…1.
pub(super) fn upper(scenario: &Scenario, input: &Input) -> Result<Vec<f32>, BuildError> {
    let refused = |reason| BuildError::BadMask { node: "UpperBody".into(), reason };
    let upper = scenario.upper.resolve(input.skeleton, input.roles).map_err(refused)?.weights;
    match upper.iter().position(|&weight| weight > 1.0) {
        None => Ok(upper),
        Some(joint) => {
            let node = format!("UpperBody, joint {}", input.skeleton.joints[joint].name);
            let what = "share of the upper body (0 to 1)";
            Err(BuildError::BadNumber { node, what, value: upper[joint].into() })
        }
    }
}

impl Score {
    /// The moment that `event` begins.
    fn after(&mut self, scenario: &Scenario, event: &Event, clip: Option<usize>, stage: (&Input, &Rig)) -> Moment {
        let mut moment = self.moments.last().cloned().unwrap_or_default();
        moment.start = event.time;
        let [mut upper, mut lower] = moment.grip(event.time);
        match (event.action, clip) {
            (Action::End, _) | (_, None) => {
                (upper, lower) = (0.0, 0.0);
                moment.casting = false;
            }
            (Action::Cast, Some(clip)) => {
                let silent = upper == 0.0 && lower == 0.0;
                let play = self.start(clip, scenario.skill_loops, event.time);
                if silent {
                    moment.skill = vec![strand(Some(play), Ramp::constant(1.0))];
                } else {
                    self.follow(&mut moment.skill, play, event, (scenario.interrupt, stage.1));
                }
                if moment.whole.is_empty() {
                    moment.whole = vec![strand(None, Ramp::constant(1.0))];
                }
                (upper, lower) = (1.0, if moment.running { 0.0 } else { 1.0 });
                moment.casting = true;
            }
            (action, Some(clip)) => {
                moment.running = action == Action::Run;
                if moment.casting {
                    (upper, lower) = (1.0, if moment.running { 0.0 } else { 1.0 });
                }
                self.move_on(&mut moment, clip, event, (scenario, stage));
            }
        }
        moment.grips = Some(regrip(moment.grips, [upper, lower], event, scenario.interrupt));
        moment
    }

    /// Run, stand, stop: the clip follows what WholeBody plays, unless it is the one that is playing.
    fn move_on(
        &mut self,
        moment: &mut Moment,
        clip: usize,
        event: &Event,
        (scenario, stage): (&Scenario, (&Input, &Rig)),
    ) {
        let Some(top) = moment.whole.last() else {
            let play = self.start(clip, true, event.time);
            moment.whole = vec![strand(Some(play), Ramp::constant(1.0))];
            return;
        };
        let before = top.play;
        if before.is_some_and(|play| self.plays[play].clip == clip) {
            return;
        }
        let still_heard = heard(&moment.whole, event.time).iter().filter_map(|strand| strand.play);
        let plays_it = |play: &Play| play.clip == clip && play.echo.is_none();
        let again = still_heard.into_iter().find(|&play| plays_it(&self.plays[play]));
        for strand in &moment.whole {
            strand.play.iter().for_each(|&play| self.plays[play].clock.cut_at(event.time));
        }
        let play = again.unwrap_or_else(|| self.start(clip, true, event.time));
        if let (true, Some(before), None) = (scenario.synchronise, before, again) {
            self.synchronise([before, play], event, stage);
        }
        self.follow(&mut moment.whole, play, event, (scenario.interrupt, stage.1));
    }

    /// Puts `play` on top of what `strands` play at the event: a blend whose shares are kept as they are, or its echo.
    fn follow(&mut self, strands: &mut Vec<Strand>, play: usize, event: &Event, (interrupt, rig): (Interrupt, &Rig)) {
        let mut fade = Ramp::new([0.0, 1.0], event.time, event.trans_time, event.easing);
        let first = strands.len() - heard(strands, event.time).len();
        if interrupt == Interrupt::Inertial && strands.len() - first > 1 && event.trans_time > 0.0 {
            let echo = self.echo(rig, strands, play, event);
            self.plays.push(Play { echo: Some(echo), ..self.plays[play].clone() });
            *strands = vec![strand(Some(self.plays.len() - 1), Ramp::constant(1.0))];
            fade.easing = echo::FADE;
        } else {
            strands.drain(..first);
            strands.iter_mut().for_each(|strand| strand.fade = Ramp::constant(strand.fade.at(event.time)));
            if let Some(bottom) = strands.first_mut() {
                bottom.fade = Ramp::constant(1.0);
            }
        }
        strands.push(strand(Some(play), fade));
    }

    fn start(&mut self, clip: usize, looping: bool, time: f64) -> usize {
        self.plays.push(Play { clip, looping, clock: Clock::new(time, 0.0, 1.0), echo: None });
        self.plays.len() - 1
    }

    /// Brings both clocks to the same step and lets them keep it until the fade is over; the length of a step is blended.
    fn synchronise(&mut self, [before, after]: [usize; 2], event: &Event, (input, rig): (&Input, &Rig)) {
        let clips = [before, after].map(|play| &rig.clips[self.plays[play].clip]);
        let [Some(old), Some(new)] = clips.map(|clip| input.markers_of(&clip.name, clip.duration)) else { return };
        if old.len() != new.len() {
            return;
        }
        let lengths = clips.map(|clip| clip.duration);
        let mut steps = steps_at(old, lengths[0], self.plays[before].clock.at(event.time));
        let ramp = Ramp::new([0.0, 1.0], event.time, event.trans_time, event.easing);
        // 240 knots a second keep the blended rate well under a tenth of a frame from its integral.
        let count = (event.trans_time * 240.0).ceil().min(100_000.0) as usize;
        let span = event.trans_time / count.max(1) as f64;
        self.plays[after].clock = Clock::new(event.time, time_of_steps(new, lengths[1], steps), 1.0);
        for knot in 0..count {
            let weight = f64::from(ramp.at(event.time + (knot as f64 + 0.5) * span));
            steps += span * old.len() as f64 / (lengths[0] + (lengths[1] - lengths[0]) * weight);
            let time = event.time + (knot + 1) as f64 * span;
            if knot == 0 {
                self.plays[before].clock.hold(event.time);
            }
            self.plays[before].clock.knots.push((time, time_of_steps(old, lengths[0], steps)));
            self.plays[after].clock.knots.push((time, time_of_steps(new, lengths[1], steps)));
        }
    }

    /// Follows, per joint, the way round of every mix from `time` until its weights rest: at first the shortest arc.
    fn choose_arcs(&mut self, rig: &Rig, time: f64, scratch: &mut Scratch) {
        scratch.reserve(LAYERS, rig);
        let Some(mut moment) = self.moments.pop() else { return };
        let [whole, skill, single, ..] = &mut scratch.layers[..] else { return };
        for strands in [&mut moment.whole, &mut moment.skill] {
            let end = strands.last().map_or(time, |top| top.fade.start + top.fade.length);
            for upper in 1..strands.len() {
                let old = strands[upper].arcs.at(time).to_vec();
                let turns_at = |time: f64| {
                    self.chain(rig, &strands[..upper], time, (whole, single));
                    self.play(rig, strands[upper].play, time, single);
                    turns(whole, single)
                };
                strands[upper].arcs = Arcs::follow([time, end], |joint| old.get(joint).copied(), turns_at);
            }
        }
        if !moment.whole.is_empty() && !moment.skill.is_empty() {
            let (grip, old) = (moment.grip(time), moment.arcs.at(time).to_vec());
            let end = moment.grips.iter().flatten().map(|ramp| ramp.start + ramp.length).fold(time, f64::max);
            let kept = |joint: usize| {
                let weight = grip_on(grip, self.upper[joint]);
                old.get(joint).copied().filter(|_| weight > 0.0 && weight < 1.0)
            };
            let turns_at = |time: f64| {
                self.chain(rig, &moment.whole, time, (whole, single));
                self.chain(rig, &moment.skill, time, (skill, single));
                turns(whole, skill)
            };
            moment.arcs = Arcs::follow([time, end], kept, turns_at);
        }
        self.moments.push(moment);
    }

    /// The moment that holds `time`; `None` before the first event.
    pub fn moment_at(&self, time: f64) -> Option<&Moment> {
        let next = self.moments.partition_point(|moment| moment.start <= time);
        next.checked_sub(1).map(|i| &self.moments[i])
    }

    /// The pose at `time` (seconds).
    pub fn sample(&self, rig: &Rig, time: f64, scratch: &mut Scratch, out: &mut Pose) {
        scratch.reserve(LAYERS, rig);
        let ([whole, skill, single, ..], Some(moment)) = (&mut scratch.layers[..], self.moment_at(time)) else {
            out.set_rest(&rig.skeleton);
            return;
        };
        self.chain(rig, &moment.whole, time, (whole, single));
        let grip = moment.grip(time);
        if !moment.skill.is_empty() && grip != [0.0; 2] {
            self.chain(rig, &moment.skill, time, (skill, single));
            let weight = |joint: usize| grip_on(grip, self.upper[joint]) * skill.cover[joint];
            lay_over(&rig.skeleton, whole, (skill, moment.arcs.at(time)), |joint| [1.0 - weight(joint), weight(joint)]);
        }
        whole.cover.iter_mut().for_each(|each| *each = cover(*each, 1.0));
        rig.finish(whole, &whole.cover, out);
    }

    /// Writes what `play` shows at `time`.
    pub fn play(&self, rig: &Rig, play: Option<usize>, time: f64, out: &mut Layer) {
        match play.map(|play| &self.plays[play]) {
            Some(Play { echo: Some(echo), .. }) => {
                self.play(rig, Some(echo.of), time, out);
                echo.apply(time, out);
            }
            Some(play) => {
                rig.play(play.clip, play.clock.at(time), play.looping, out);
                out.cover.copy_from_slice(&rig.has[play.clip]);
            }
            None => rig.rest(out),
        }
    }

    /// The strands laid over each other, oldest first.
    pub fn chain(&self, rig: &Rig, strands: &[Strand], time: f64, (out, single): (&mut Layer, &mut Layer)) {
        let Some((first, others)) = heard(strands, time).split_first() else {
            rig.rest(out);
            return;
        };
        self.play(rig, first.play, time, out);
        for strand in others {
            let weight = strand.fade.at(time);
            if weight > 0.0 {
                self.play(rig, strand.play, time, single);
                let single = &*single;
                lay_over(&rig.skeleton, out, (single, strand.arcs.at(time)), |joint| {
                    [1.0 - weight, weight * single.cover[joint]]
                });
            }
        }
    }
}

/// Layers a scenario needs: WholeBody, UpperBody, and one clip.
const LAYERS: usize = 3;

fn strand(play: Option<usize>, fade: Ramp) -> Strand {
    Strand { play, fade, arcs: Arcs::default() }
}

/// Grips on their way to `targets`; one that already goes there goes on undisturbed.
fn regrip(grips: Option<[Ramp; 2]>, targets: [f32; 2], event: &Event, interrupt: Interrupt) -> [Ramp; 2] {
    let old = grips.unwrap_or([Ramp::constant(0.0); 2]);
    let turned = |old: Ramp, to: f32| {
        if old.to == to {
            old
        } else if interrupt == Interrupt::Inertial {
            old.turned(to, event.time, event.trans_time, event.easing)
        } else {
            Ramp::new([old.at(event.time), to], event.time, event.trans_time, event.easing)
        }
    };
    [turned(old[0], targets[0]), turned(old[1], targets[1])]
}

/// The turn from each joint of `a` to the same of `b`.
fn turns(a: &Layer, b: &Layer) -> Vec<Quat> {
    (0..a.cover.len())
        .map(|joint| a.get(joint).rotation.conjugate() * b.get(joint).rotation)
        .map(|turn| if turn.w < 0.0 { -turn } else { turn })
        .collect()
}

/// Mixes `over` into `out`; `weights` gives each joint's weight of what is below (times its cover) and of what comes over it.
fn lay_over(skeleton: &Skeleton, out: &mut Layer, over: (&Layer, &[Quat]), weights: impl Fn(usize) -> [f32; 2]) {
    let (over, arcs) = over;
    for (joint, place) in skeleton.joints.iter().enumerate() {
        let [below, above] = weights(joint);
        let below = below * out.cover[joint];
        if above > 0.0 {
            let fraction = if below > 0.0 { above / (below + above) } else { 1.0 };
            let arc = arcs.get(joint).copied();
            out.set(joint, mix(&out.get(joint), &over.get(joint), fraction, arc));
            for i in place.first_morph..place.first_morph + place.morph_count {
                let (from, to) = (out.morphs[i], over.morphs[i]);
                out.morphs[i] = if fraction < 1.0 { from + (to - from) * fraction } else { to };
            }
        }
        out.cover[joint] = below + above;
    }
}
