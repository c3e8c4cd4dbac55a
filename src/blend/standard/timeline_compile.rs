//! Compiles a scenario's events to a timeline of segments.

use glam::Quat;

use super::scenario::{Action, Event, Interrupt, Scenario, TimedEvent};
use super::timeline::{BodyParts, ClipInstance, CompiledTimeline, FadeLayer, TimelineSegment, TreeSide, active_layers};
use crate::clips::clip_bank::ClipBank;
use crate::clips::layer::PoseLayer;
use crate::fades::arc_track::ArcTrack;
use crate::fades::clock::PlaybackClock;
use crate::fades::inertialization::{self, Inertialization, Interruption};
use crate::fades::transitions::Ramp;
use crate::sync_markers::{marker_phase_at, time_at_marker_phase};
use crate::{BuildError, Input, Scratch};
use portamento_base::message::message;

/// Compiles `scenario` and copies the clips it plays into `bank`. The clips of `input` must have passed
/// [`crate::check_clip`]. Returns `Err` if the mask, an event or the clip of an event cannot be used.
pub(crate) fn compile(scenario: &Scenario, input: &Input, bank: &mut ClipBank) -> Result<CompiledTimeline, BuildError> {
    let upper_body = upper_body_mask(scenario, input)?;
    scenario.events.iter().try_for_each(Event::check)?;
    let duration_of = |name: &str| input.clips.iter().find(|clip| clip.name == name).map(|clip| clip.duration);
    let mut timeline = CompiledTimeline { upper_body, ..CompiledTimeline::default() };
    let mut scratch = Scratch::default();
    for TimedEvent { index, event } in scenario.timed_events(duration_of) {
        let event = &event;
        let clip = match scenario.clip_of(event) {
            None => None,
            Some(name) => {
                let missing = || BuildError::NoSuchClip { node: event.action.name().into(), clip: name.into() };
                Some(bank.intern(name, input.clips).ok_or_else(missing)?)
            }
        };
        let mut compiler = Compiler { scenario, input, bank, timeline: &mut timeline };
        let mut segment = compiler.segment_from(event, clip);
        segment.event = index;
        scratch.reserve(CompiledTimeline::SCRATCH_LAYERS, bank);
        timeline.record_arcs(bank, &mut segment, &mut scratch.layers);
        timeline.segments.push(segment);
    }
    Ok(timeline)
}

/// Returns the upper-body share of each joint, 0…1. Returns `Err` if the mask does not fit the rig or has a weight over 1.
pub(crate) fn upper_body_mask(scenario: &Scenario, input: &Input) -> Result<Vec<f32>, BuildError> {
    let refused = |reason| BuildError::BadMask { node: "UpperBody".into(), reason };
    let weights = scenario.upper.resolve(input.skeleton, input.roles).map_err(refused)?.weights;
    match weights.iter().position(|&weight| weight > 1.0) {
        None => Ok(weights),
        Some(joint) => {
            let node = format!("UpperBody, {}", input.skeleton.joints[joint].name);
            let what = message!("setting.blend.upper", "share of the upper body (0 to 1)");
            Err(BuildError::BadNumber { node, what, value: weights[joint].into() })
        }
    }
}

struct Compiler<'a, 'b> {
    scenario: &'a Scenario,
    input: &'a Input<'b>,
    bank: &'a ClipBank,
    timeline: &'a mut CompiledTimeline,
}

impl Compiler<'_, '_> {
    /// Returns the segment that `event` starts; `clip` is the clip that the event plays. Also adds the clip instances that it
    /// needs.
    fn segment_from(&mut self, event: &Event, clip: Option<usize>) -> TimelineSegment {
        let mut segment = self.timeline.segments.last().cloned().unwrap_or_default();
        segment.start = event.time;
        match (event.action, clip) {
            (Action::End, _) | (_, None) => segment.casting = false,
            (Action::Cast, Some(clip)) => self.cast(&mut segment, clip, event),
            (action, Some(clip)) => {
                segment.running = action == Action::Run;
                self.play_whole_body(&mut segment, clip, event);
            }
        }
        // The target follows from the state and not from the current weight, so that an event never stops another transition
        // half-way.
        let target = if segment.casting { casting_weight(segment.running) } else { BodyParts::ZERO };
        segment.weight = Some(weight_toward(target, segment.weight, event, self.scenario.interrupt));
        segment
    }

    /// Puts the skill `clip` on top of UpperBody, or in its place while UpperBody has no weight. An empty WholeBody gets the
    /// rest pose. Also marks the segment as casting.
    fn cast(&mut self, segment: &mut TimelineSegment, clip: usize, event: &Event) {
        let is_inactive = segment.upper_body_weight(event.time) == BodyParts::ZERO;
        let instance = self.start_instance(clip, TreeSide::UpperBody, event);
        // Layers of UpperBody at weight 0 are invisible; fading over them would make them visible again.
        if is_inactive {
            segment.upper_body = vec![FadeLayer::new(Some(instance), Ramp::constant(1.0))];
        } else {
            self.push_layer(&mut segment.upper_body, instance, event);
        }
        if segment.whole_body.is_empty() {
            segment.whole_body = vec![FadeLayer::new(None, Ramp::constant(1.0))];
        }
        segment.casting = true;
    }

    /// Plays a run or stand clip on top of WholeBody, unless it is already on top. A clip that is still active goes on from
    /// its phase. A new one is synchronised to the previous clip if the scenario says so.
    fn play_whole_body(&mut self, segment: &mut TimelineSegment, clip: usize, event: &Event) {
        let Some(top) = segment.whole_body.last() else {
            let instance = self.start_instance(clip, TreeSide::WholeBody, event);
            segment.whole_body = vec![FadeLayer::new(Some(instance), Ramp::constant(1.0))];
            return;
        };
        let before = top.instance;
        if before.is_some_and(|instance| self.timeline.instances[instance].clip == clip) {
            return;
        }
        let plays_clip = |&instance: &usize| {
            let ClipInstance { clip: own, inertialization, .. } = &self.timeline.instances[instance];
            *own == clip && inertialization.is_none()
        };
        // A clip that is still active keeps its phase, so that the legs do not restart.
        let resumed =
            active_layers(&segment.whole_body, event.time).iter().filter_map(|layer| layer.instance).find(plays_clip);
        for instance in segment.whole_body.iter().filter_map(|layer| layer.instance) {
            self.timeline.instances[instance].clock.truncate(event.time);
        }
        let instance = resumed.unwrap_or_else(|| self.start_instance(clip, TreeSide::WholeBody, event));
        if let (true, Some(before), None) = (self.scenario.synchronise, before, resumed) {
            self.sync_to_markers(before, instance, event);
        }
        self.push_layer(&mut segment.whole_body, instance, event);
    }

    /// Puts `instance` on top of the current mix of `layers` and fades it in as `event` says.
    ///
    /// A single active layer keeps playing below it. Several active layers play on with their present shares, or are
    /// replaced by their inertialisation if the scenario interrupts so. A hard cut is never inertialised.
    fn push_layer(&mut self, layers: &mut Vec<FadeLayer>, instance: usize, event: &Event) {
        let mut fade = Ramp::of_event(event, 0.0, 1.0);
        let first = layers.len() - active_layers(layers, event.time).len();
        // A single clip keeps playing under the fade. Only a mix of several clips needs treatment.
        let is_blend = layers.len() - first > 1;
        if self.scenario.interrupt == Interrupt::Inertial && is_blend && event.trans_time > 0.0 {
            let inertialization = Some(self.inertialize(layers, instance, event));
            let instances = &mut self.timeline.instances;
            // The inertialised instance is a copy of the next clip's instance, so that both have the same clock.
            instances.push(ClipInstance { inertialization, ..instances[instance].clone() });
            *layers = vec![FadeLayer::new(Some(instances.len() - 1), Ramp::constant(1.0))];
            fade.easing = inertialization::FADE;
        } else {
            layers.drain(..first);
            layers.iter_mut().for_each(|layer| layer.fade = Ramp::constant(layer.fade.at(event.time)));
            // The bottom layer has nothing to fade over. At weight 1 the shares of the layers on top stay the same.
            if let Some(bottom) = layers.first_mut() {
                bottom.fade = Ramp::constant(1.0);
            }
        }
        layers.push(FadeLayer::new(Some(instance), fade));
    }

    /// Returns the inertialisation of the pose of `layers` at the event over `instance`.
    fn inertialize(&self, layers: &[FadeLayer], instance: usize, event: &Event) -> Inertialization {
        let (timeline, bank) = (&*self.timeline, self.bank);
        let (mut out, mut single) = (bank.rest_layer(), bank.rest_layer());
        let mut stack_at = |time: f64| {
            timeline.sample_stack(bank, layers, time, &mut out, &mut single);
            out.clone()
        };
        let [now, step] = [event.time, inertialization::STEP];
        // One-sided differences on each side of the event, since the speed may change there.
        let outgoing = [now - 2.0 * step, now - step, now].map(&mut stack_at);
        let instance_at = |time: f64| {
            let mut out = bank.rest_layer();
            timeline.sample_instance(bank, Some(instance), time, &mut out);
            out
        };
        let incoming = [now, now + step, now + 2.0 * step].map(instance_at);
        let shares =
            |joint| timeline.attribute(timeline.stack_shares(bank, layers, event.time, joint).by_source, joint);
        let shares = (0..bank.skeleton.len()).map(shares).collect();
        Inertialization::new(instance, &bank.skeleton, Interruption { event, outgoing, incoming, shares })
    }

    /// Adds a clip instance that starts at `event`; returns its index. Run and stand clips loop; a skill loops if the
    /// scenario says so.
    fn start_instance(&mut self, clip: usize, side: TreeSide, event: &Event) -> usize {
        let looping = side == TreeSide::WholeBody || self.scenario.skill_loops;
        let clock = PlaybackClock::new(event.time, event.start);
        self.timeline.instances.push(ClipInstance { clip, looping, side, clock, inertialization: None });
        self.timeline.instances.len() - 1
    }

    /// Keeps the clocks of the instances `before` and `after` at the same marker phase until the fade is over, with a blended
    /// step duration. Does nothing if the clips have no markers or different numbers of them.
    fn sync_to_markers(&mut self, before: usize, after: usize, event: &Event) {
        let instances = &mut self.timeline.instances;
        let [old, new] = [before, after].map(|instance| &self.bank.clips[instances[instance].clip]);
        let markers_of = |clip: &portamento_anim::Clip| self.input.markers_of(&clip.name, clip.duration);
        let (Some(old_markers), Some(new_markers)) = (markers_of(old), markers_of(new)) else { return };
        // Clips with different numbers of steps have no common phase.
        if old_markers.len() != new_markers.len() {
            return;
        }
        let mut phase = marker_phase_at(old_markers, old.duration, instances[before].clock.at(event.time));
        let fade = Ramp::of_event(event, 0.0, 1.0);
        // With 240 knots per second the error of the integrated rate stays well under a tenth of a frame.
        let count = (event.trans_time * 240.0).ceil().min(100_000.0) as usize;
        // A cut has no knots; the divisor must not be 0.
        let span = event.trans_time / count.max(1) as f64;
        let start = time_at_marker_phase(new_markers, new.duration, phase);
        instances[after].clock = PlaybackClock::new(event.time, start);
        for knot in 0..count {
            let weight = f64::from(fade.at(event.time + (knot as f64 + 0.5) * span));
            phase += span * old_markers.len() as f64 / (old.duration + (new.duration - old.duration) * weight);
            let time = event.time + (knot + 1) as f64 * span;
            if knot == 0 {
                instances[before].clock.push_current(event.time);
            }
            instances[before].clock.push(time, time_at_marker_phase(old_markers, old.duration, phase));
            instances[after].clock.push(time, time_at_marker_phase(new_markers, new.duration, phase));
        }
    }
}

/// Returns the target weight of UpperBody while a skill plays: during a run the legs stay with WholeBody.
fn casting_weight(is_running: bool) -> BodyParts<f32> {
    BodyParts { upper: 1.0, lower: if is_running { 0.0 } else { 1.0 } }
}

/// Returns ramps to `target`. A ramp that already has this target is kept. Other ramps start from the weight at `event`.
fn weight_toward(
    target: BodyParts<f32>,
    old: Option<BodyParts<Ramp>>,
    event: &Event,
    interrupt: Interrupt,
) -> BodyParts<Ramp> {
    let old = old.unwrap_or(BodyParts { upper: Ramp::constant(0.0), lower: Ramp::constant(0.0) });
    let toward = |old: Ramp, to: f32| match interrupt {
        // Restarting a ramp to the same target would lengthen it with every event.
        _ if old.to == to => old,
        Interrupt::Inertial => old.redirected(event, to),
        Interrupt::Captured => Ramp::of_event(event, old.at(event.time), to),
    };
    BodyParts { upper: toward(old.upper, target.upper), lower: toward(old.lower, target.lower) }
}

impl CompiledTimeline {
    /// Records the rotation arcs of every mix in `segment`, from its start until its weights are constant. `segment` is not yet
    /// part of the timeline. Needs [`CompiledTimeline::SCRATCH_LAYERS`] layers of scratch memory.
    fn record_arcs(&self, bank: &ClipBank, segment: &mut TimelineSegment, scratch: &mut [PoseLayer]) {
        let [whole_body, upper_body, single, ..] = scratch else { return };
        let start = segment.start;
        for layers in [&mut segment.whole_body, &mut segment.upper_body] {
            let end = layers.last().map_or(start, |top| top.fade.end());
            for top in 1..layers.len() {
                let initial = layers[top].arcs.at(start).to_vec();
                let relative_at = |time: f64| {
                    self.sample_stack(bank, &layers[..top], time, whole_body, single);
                    self.sample_instance(bank, layers[top].instance, time, single);
                    relative_rotations(whole_body, single)
                };
                layers[top].arcs = ArcTrack::record(start..end, |joint| initial.get(joint).copied(), relative_at);
            }
        }
        if !segment.whole_body.is_empty() && !segment.upper_body.is_empty() {
            let (weight, known) = (segment.upper_body_weight(start), segment.arcs.at(start).to_vec());
            let ramps = segment.weight.iter().flat_map(|ramps| [ramps.upper, ramps.lower]);
            let end = ramps.map(|ramp| ramp.end()).fold(start, f64::max);
            // A joint that only one side moves may choose the shortest arc again.
            let initial = |joint: usize| {
                let weight = weight.on_joint(self.upper_body[joint]);
                known.get(joint).copied().filter(|_| weight > 0.0 && weight < 1.0)
            };
            let relative_at = |time: f64| {
                self.sample_stack(bank, &segment.whole_body, time, whole_body, single);
                self.sample_stack(bank, &segment.upper_body, time, upper_body, single);
                relative_rotations(whole_body, upper_body)
            };
            segment.arcs = ArcTrack::record(start..end, initial, relative_at);
        }
    }
}

/// Returns the rotation from each joint of `a` to the same joint of `b`, along the shortest arc.
fn relative_rotations(a: &PoseLayer, b: &PoseLayer) -> Vec<Quat> {
    let relative = |joint: usize| a.get(joint).rotation.conjugate() * b.get(joint).rotation;
    let shortest = |rotation: Quat| if rotation.w < 0.0 { -rotation } else { rotation };
    (0..a.coverage.len()).map(relative).map(shortest).collect()
}
