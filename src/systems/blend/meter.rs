//! Measurements of a built blend: who moves a joint, how weights run, and whether any frame pops.

use serde::Serialize;

use super::rig::{Layer, Rig};
use super::score::Score;
use super::{Built, Plan, Scratch};
use crate::anim::Pose;
use crate::math::mean::angle_between;
use crate::progress::{Cancelled, Progress};

/// The weights of the standard tree at one time; each pair sums to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Weights {
    /// Seconds.
    pub time: f64,
    /// UpperBody's weight on upper-body joints.
    pub skill_on_upper: f32,
    /// WholeBody's weight on upper-body joints.
    pub whole_on_upper: f32,
    /// UpperBody's weight on lower-body joints.
    pub skill_on_lower: f32,
    /// WholeBody's weight on lower-body joints.
    pub whole_on_lower: f32,
    /// W of PreAni, the clip or blend on its way out.
    pub pre_ani: f32,
    /// W of CurAni.
    pub cur_ani: f32,
}

/// What part of a joint comes from where.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Name of the clip, or `rest pose`.
    pub from: String,
    /// 0…1; all shares of a joint sum to 1.
    pub share: f32,
}

/// What one connection of a drawn tree brings to the result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Wire {
    /// The node that is made from it.
    pub node: usize,
    /// Its place among the node's connections.
    pub slot: usize,
    /// 0…1 of one joint, or the mean over all joints.
    pub share: f32,
}

/// How far joints turned in one frame, against how far they may.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FrameStep {
    /// The frame's time, seconds; the step is from the frame before.
    pub time: f64,
    /// The joint nearest to (or farthest over) its bound.
    pub joint: usize,
    /// Radians it turned.
    pub step: f64,
    /// Radians it may turn: 1.05 × (what its sources turn + arc between them × change of weight).
    pub bound: f64,
    /// The largest turn of any joint, radians.
    pub largest: f64,
    /// The joint that would be farthest over the same bound without transitions.
    pub cut_joint: usize,
    /// Radians it would turn.
    pub cut_step: f64,
    /// Its bound, radians.
    pub cut_bound: f64,
}

impl FrameStep {
    /// Slack for rounding in f32 rotations, radians.
    const ROUNDING: f64 = 2e-5;

    /// Whether a joint turned too far in this frame.
    pub fn pops(&self) -> bool {
        self.step > self.bound + Self::ROUNDING
    }

    /// Whether it would without transitions.
    pub fn cut_pops(&self) -> bool {
        self.cut_step > self.cut_bound + Self::ROUNDING
    }
}

impl Built {
    /// Weights of the standard tree at `time` (seconds); `None` for a drawn tree.
    pub fn weights(&self, time: f64) -> Option<Weights> {
        let Plan::Score { score, .. } = &self.plan else { return None };
        let Some(moment) = score.moment_at(time) else {
            return Some(Weights { time, whole_on_upper: 1.0, whole_on_lower: 1.0, ..Weights::default() });
        };
        let [upper, lower] = moment.grip(time);
        let cur_ani = moment.whole.last().map_or(0.0, |strand| strand.fade.at(time));
        Some(Weights {
            time,
            skill_on_upper: upper,
            whole_on_upper: 1.0 - upper,
            skill_on_lower: lower,
            whole_on_lower: 1.0 - lower,
            pre_ani: if moment.whole.is_empty() { 0.0 } else { 1.0 - cur_ani },
            cur_ani,
        })
    }

    /// [`Built::weights`] at every frame from 0 to `length` seconds, for plots.
    pub fn weight_curves(&self, fps: f64, length: f64) -> Vec<Weights> {
        frames(fps, length).filter_map(|time| self.weights(time)).collect()
    }

    /// Tree or scenario, clips, joints and weight curves as plain JSON, for programs that rebuild the blend elsewhere.
    ///
    /// `joints` lists for each joint its share of the upper body, where there is a scenario.
    pub fn export_json(&self, fps: f64, length: f64) -> serde_json::Value {
        let clips =
            self.rig.clips.iter().map(|clip| serde_json::json!({ "name": clip.name, "duration": clip.duration }));
        let upper = match &self.plan {
            Plan::Score { score, .. } => Some(&score.upper),
            Plan::Program { .. } => None,
        };
        let joint = |(i, joint): (usize, &crate::anim::Joint)| serde_json::json!({ "name": joint.name, "upper_body": upper.map(|upper| upper[i]) });
        serde_json::json!({
            "blend": self.settings,
            "clips": clips.collect::<Vec<_>>(),
            "joints": self.rig.skeleton.joints.iter().enumerate().map(joint).collect::<Vec<_>>(),
            "weights": self.weight_curves(fps, length),
        })
    }

    /// Who moves `joint` at `time` (seconds), and how much; clips without a share are left out.
    pub fn shares(&self, time: f64, joint: usize) -> Vec<Share> {
        let by_clip = match &self.plan {
            Plan::Score { score, .. } => {
                let names = score.plays.iter().map(|play| &self.rig.clips[play.clip].name);
                let shares = score.shares(&self.rig, time, joint);
                names.cloned().chain(["rest pose".to_owned()]).zip(shares).collect::<Vec<_>>()
            }
            Plan::Program { program, names } => {
                let shares = program.shares(joint, names.len());
                let given: Vec<_> = names.iter().cloned().zip(shares).collect();
                return given
                    .into_iter()
                    .filter(|each| each.1 > 0.0)
                    .map(|(from, share)| Share { from, share })
                    .collect();
            }
        };
        by_clip.into_iter().filter(|each| each.1 > 0.0).map(|(from, share)| Share { from, share }).collect()
    }

    /// What every heard connection of a drawn tree brings to `joint`, or on average to all; none for a scenario.
    pub fn wires(&self, joint: Option<usize>) -> Vec<Wire> {
        let Plan::Program { program, .. } = &self.plan else { return Vec::new() };
        let joints = joint.map_or(0..self.rig.skeleton.len(), |joint| joint..joint + 1);
        let count = joints.len().max(1) as f32;
        let mut wires: Vec<Wire> = Vec::new();
        for joint in joints {
            program.flow(
                joint,
                |_, _| {},
                |node, slot, share| match wires.iter_mut().find(|wire| (wire.node, wire.slot) == (node, slot)) {
                    Some(wire) => wire.share += share / count,
                    None => wires.push(Wire { node, slot, share: share / count }),
                },
            );
        }
        wires
    }

    /// Every frame's largest step from 0 to `length` seconds; empty for a drawn tree, whose weights do not change.
    pub fn pop_meter(&self, fps: f64, length: f64, progress: &Progress) -> Result<Vec<FrameStep>, Cancelled> {
        let Plan::Score { score, cut } = &self.plan else { return Ok(Vec::new()) };
        let mut reading = Vec::new();
        let mut scratch = Scratch::default();
        let mut look = |time: f64| Look::at(&self.rig, score, cut, time, &mut scratch);
        let mut before: Option<Look> = None;
        let total = frames(fps, length).count();
        for (i, time) in frames(fps, length).enumerate() {
            progress.step(i, total)?;
            let now = look(time);
            // Before the first event nothing plays; a first clip starts at once by design.
            if let Some(before) = before.filter(|before| score.moment_at(before.time).is_some()) {
                reading.extend(now.step_from(&before));
            }
            before = Some(now);
        }
        Ok(reading)
    }
}

fn frames(fps: f64, length: f64) -> impl Iterator<Item = f64> {
    let usable = fps.is_finite() && fps > 0.0 && length.is_finite();
    let count = if usable { (length * fps + 1e-6).clamp(0.0, 1e7) as usize + 1 } else { 0 };
    (0..count).map(move |frame| frame as f64 / fps)
}

/// Everything that is true at one frame.
struct Look {
    time: f64,
    pose: Pose,
    cut: Pose,
    /// Per play (last: the rest pose), its own pose.
    sources: Vec<Pose>,
    /// Per joint and play.
    shares: Vec<Vec<f32>>,
}

impl Look {
    fn at(rig: &Rig, score: &Score, cut: &Score, time: f64, scratch: &mut Scratch) -> Self {
        let rest = Pose::rest(&rig.skeleton);
        let (mut pose, mut hard) = (rest.clone(), rest.clone());
        score.sample(rig, time, scratch, &mut pose);
        cut.sample(rig, time, scratch, &mut hard);
        let mut layer = Layer::of(rig);
        let mut sources = Vec::new();
        for play in &score.plays {
            rig.play(play.clip, play.clock.at(time), play.looping, &mut layer);
            let mut source = Pose::default();
            rig.copy_out(&layer, &mut source);
            sources.push(source);
        }
        sources.push(rest);
        let shares = (0..rig.skeleton.len()).map(|joint| score.shares(rig, time, joint)).collect();
        Self { time, pose, cut: hard, sources, shares }
    }

    fn step_from(&self, before: &Self) -> Option<FrameStep> {
        let turned =
            |a: &Pose, b: &Pose, joint: usize| angle_between(a.locals[joint].rotation, b.locals[joint].rotation);
        let mut worst: Option<FrameStep> = None;
        for joint in 0..self.shares.len() {
            let bound = self.bound_from(before, joint);
            let step = turned(&self.pose, &before.pose, joint);
            let cut_step = turned(&self.cut, &before.cut, joint);
            let here = FrameStep {
                time: self.time,
                joint,
                step,
                bound,
                largest: step,
                cut_joint: joint,
                cut_step,
                cut_bound: bound,
            };
            let Some(most) = &mut worst else {
                worst = Some(here);
                continue;
            };
            most.largest = most.largest.max(step);
            if step - bound > most.step - most.bound {
                (most.joint, most.step, most.bound) = (joint, step, bound);
            }
            if cut_step - bound > most.cut_step - most.cut_bound {
                (most.cut_joint, most.cut_step, most.cut_bound) = (joint, cut_step, bound);
            }
        }
        worst
    }

    fn bound_from(&self, before: &Self, joint: usize) -> f64 {
        let (now, then) = (&self.shares[joint], &before.shares[joint]);
        let sounding: Vec<usize> = (0..now.len()).filter(|&i| now[i] > 0.0 || then[i] > 0.0).collect();
        let turn = |look: &Self, a: usize, other: &Self, b: usize| {
            angle_between(look.sources[a].locals[joint].rotation, other.sources[b].locals[joint].rotation)
        };
        let sources: f64 = sounding.iter().map(|&i| turn(self, i, before, i)).sum();
        let change: f64 = sounding.iter().map(|&i| f64::from((now[i] - then[i]).abs())).sum::<f64>() / 2.0;
        let arcs = sounding.iter().flat_map(|&a| sounding.iter().map(move |&b| (a, b)));
        let arc = arcs.map(|(a, b)| turn(self, a, self, b).max(turn(before, a, before, b))).fold(0.0, f64::max);
        1.05 * (sources + arc * change)
    }
}
