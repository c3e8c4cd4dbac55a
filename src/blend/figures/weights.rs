//! Read-out of a built blend: the weights of the standard tree and the sources of a joint.

use serde::Serialize;

use crate::standard::instance_shares::ShareSource;
use crate::steps::compiled_tree::{JointAt, Step, Wire};
use crate::{Built, Plan};
use portamento_anim::Joint;

/// The weights of the standard tree at one time. Each pair sums to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Weights {
    /// Time, seconds.
    pub time: f64,
    /// UpperBody's weight on upper-body joints.
    pub skill_on_upper: f32,
    /// WholeBody's weight on upper-body joints.
    pub whole_on_upper: f32,
    /// UpperBody's weight on lower-body joints.
    pub skill_on_lower: f32,
    /// WholeBody's weight on lower-body joints.
    pub whole_on_lower: f32,
    /// W of PreAni, the outgoing clip or blend.
    pub pre_ani: f32,
    /// W of CurAni, the most recently started clip.
    pub cur_ani: f32,
}

/// A source of a joint's pose and its share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Name of the clip or node, or `rest pose`.
    pub from: String,
    /// Share 0…1; the shares of a scenario's joint sum to 1.
    pub share: f32,
}

impl Built {
    /// Returns the weights of the standard tree at `time` (seconds); `None` for a drawn tree. Before the first event
    /// WholeBody has the whole weight.
    pub fn weights(&self, time: f64) -> Option<Weights> {
        let Plan::Timeline(timeline) = &self.plan else { return None };
        let Some(segment) = timeline.segment_at(time) else {
            return Some(Weights { time, whole_on_upper: 1.0, whole_on_lower: 1.0, ..Weights::default() });
        };
        let skill = segment.upper_body_weight(time);
        let cur_ani = segment.whole_body.last().map_or(0.0, |layer| layer.fade.at(time));
        Some(Weights {
            time,
            skill_on_upper: skill.upper,
            whole_on_upper: 1.0 - skill.upper,
            skill_on_lower: skill.lower,
            whole_on_lower: 1.0 - skill.lower,
            pre_ani: if segment.whole_body.is_empty() { 0.0 } else { 1.0 - cur_ani },
            cur_ani,
        })
    }

    /// Returns [`Built::weights`] at every frame from 0 to `length` seconds, for plots. The result is empty for a drawn
    /// tree.
    pub fn weight_curves(&self, fps: f64, length: f64) -> Vec<Weights> {
        frame_times(fps, length).filter_map(|time| self.weights(time)).collect()
    }

    /// Returns the tree or scenario, clips, joints and weight curves as JSON, for programs that rebuild the blend. The curves
    /// have `fps` frames per second, from 0 to `length` seconds.
    ///
    /// For a scenario, `joints` lists the upper-body share of each joint.
    pub fn export_json(&self, fps: f64, length: f64) -> serde_json::Value {
        let clips =
            self.bank.clips.iter().map(|clip| serde_json::json!({ "name": clip.name, "duration": clip.duration }));
        let upper_body = match &self.plan {
            Plan::Timeline(timeline) => Some(&timeline.upper_body),
            Plan::Tree { .. } => None,
        };
        let joint = |(i, joint): (usize, &Joint)| serde_json::json!({ "name": joint.name, "upper_body": upper_body.map(|shares| shares[i]) });
        serde_json::json!({
            "blend": self.settings,
            "clips": clips.collect::<Vec<_>>(),
            "joints": self.bank.skeleton.joints.iter().enumerate().map(joint).collect::<Vec<_>>(),
            "weights": self.weight_curves(fps, length),
        })
    }

    /// Returns the sources of `joint` at `time` (seconds) with a share over 0: clips of a scenario, or nodes of a drawn tree.
    pub fn shares(&self, time: f64, joint: usize) -> Vec<Share> {
        let named: Vec<(String, f32)> = match &self.plan {
            Plan::Timeline(timeline) => {
                let name = |source: ShareSource| match source {
                    ShareSource::Instance(index) => self.bank.clips[timeline.instances[index].clip].name.clone(),
                    ShareSource::Rest => "rest pose".to_owned(),
                };
                timeline.shares(&self.bank, time, joint).iter().map(|(source, share)| (name(source), share)).collect()
            }
            Plan::Tree { tree, names, .. } => {
                names.iter().cloned().zip(tree.shares(joint, time, names.len())).collect()
            }
        };
        let nonzero = named.into_iter().filter(|(_, share)| *share > 0.0);
        nonzero.map(|(from, share)| Share { from, share }).collect()
    }

    /// Returns the parameter position of the blend space at node `node` of a drawn tree at `time` (seconds); `None` for other
    /// nodes.
    pub fn parameter(&self, node: usize, time: f64) -> Option<[f64; 2]> {
        let Plan::Tree { tree, .. } = &self.plan else { return None };
        match tree.step_of(node)? {
            Step::Space(space) => Some(space.parameter_at(time)),
            _ => None,
        }
    }

    /// Returns the share of every active connection of a drawn tree in `joint` at `time` (seconds), or the mean over
    /// all joints. The result is empty for a scenario.
    pub fn wires(&self, joint: Option<usize>, time: f64) -> Vec<Wire> {
        let Plan::Tree { tree, .. } = &self.plan else { return Vec::new() };
        let joints = joint.map_or(0..self.bank.skeleton.len(), |joint| joint..joint + 1);
        let count = joints.len().max(1) as f32;
        let mut wires: Vec<Wire> = Vec::new();
        for joint in joints {
            tree.propagate_shares(JointAt { joint, time }, true, |Wire { node, slot, share }| {
                match wires.iter_mut().find(|wire| (wire.node, wire.slot) == (node, slot)) {
                    Some(wire) => wire.share += share / count,
                    None => wires.push(Wire { node, slot, share: share / count }),
                }
            });
        }
        wires
    }
}

/// Returns the times of all frames from 0 to `length` seconds; empty if `fps` or `length` is invalid.
pub(crate) fn frame_times(fps: f64, length: f64) -> impl Iterator<Item = f64> {
    let usable = fps.is_finite() && fps > 0.0 && length.is_finite();
    let count = if usable { (length * fps + 1e-6).clamp(0.0, 1e7) as usize + 1 } else { 0 };
    (0..count).map(move |frame| frame as f64 / fps)
}
