//! Measurements of a built blend: who moves a joint, and how weights run.

use serde::Serialize;

use super::{Built, Plan};

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

    /// Where in its clip each source of a scenario is that may be heard at `time` (seconds): name and unlooped clip seconds.
    pub fn clip_times(&self, time: f64) -> Vec<(&str, f64)> {
        let Plan::Score { score, .. } = &self.plan else { return Vec::new() };
        let plays = score.moment_at(time).into_iter().flat_map(|moment| moment.plays()).map(|play| &score.plays[play]);
        let sounding = plays.filter(|play| play.echo.is_none());
        sounding.map(|play| (&*self.rig.clips[play.clip].name, play.clock.at(time))).collect()
    }

    /// What every heard connection of a drawn tree brings to `joint`, or on average to all; none for a scenario.
    pub fn wires(&self, joint: Option<usize>) -> Vec<Wire> {
        let Plan::Program { program, .. } = &self.plan else { return Vec::new() };
        let joints = joint.map_or(0..self.rig.skeleton.len(), |joint| joint..joint + 1);
        let count = joints.len().max(1) as f32;
        let mut wires: Vec<Wire> = Vec::new();
        for joint in joints {
            program.flow(joint, true, |node, slot, share| {
                match wires.iter_mut().find(|wire| (wire.node, wire.slot) == (node, slot)) {
                    Some(wire) => wire.share += share / count,
                    None => wires.push(Wire { node, slot, share: share / count }),
                }
            });
        }
        wires
    }
}

/// The times of frames from 0 to `length` seconds.
pub(super) fn frames(fps: f64, length: f64) -> impl Iterator<Item = f64> {
    let usable = fps.is_finite() && fps > 0.0 && length.is_finite();
    let count = if usable { (length * fps + 1e-6).clamp(0.0, 1e7) as usize + 1 } else { 0 };
    (0..count).map(move |frame| frame as f64 / fps)
}
