//! Corrections of single joints by hand: keys that turn and move joints over any motion, like an animation layer.
//!
//! A key at time k corrects the joint by a rotation Δ and an offset d. Its weight w is 1 at k and falls to 0 over the fades:
//!
//! ```text
//! rotation     q(t) · slerp(1, Δ, w(t))
//! translation  p(t) + w(t) · d
//! Δ = q(k)⁻¹ · q*,  d = p* − p(k)        for a key with the absolute pose q*, p*
//! ```
//!
//! A fade ends at the neighbouring key of the same joint at the latest, so that the pose of every key is exact. Where the fades of
//! two keys overlap, their corrections are mixed. Elsewhere the motion is unchanged, bit for bit.
//!
//! Goals follow the keys: a joint pinned to a point by the two bones that end at it, or a head that looks at a point. With the weight w
//! of a goal g, the joint at p is brought to p + w · (g − p). A limb with a goal has four keys per frame, so that it also stays on
//! its goal between frames.

mod channel;
mod curves;
mod error;
mod goals;
mod settings;

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use crate::close::{Input, check};
use channel::{Channel, ChannelKey, Delta, on_frame};
use curves::{corrected, curve_or_rest};
pub use error::BuildError;
use portamento_anim::Clip;
use portamento_anim::rig::chains::Chain;
use portamento_anim::root_motion::{frame_times, local_at};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;
pub use settings::{Correction, Goal, GoalKind, Mode, PoseKey, Settings};

/// The corrected motion with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion.
    pub clip: Clip,
    /// Figures for panels and reports.
    pub report: Report,
}

/// Figures for the panel and the command line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Number of keys.
    pub keys: usize,
    /// Number of corrected joints.
    pub joints: usize,
    /// Largest turn of a joint by a key, degrees.
    pub turn: f64,
    /// Name of that joint.
    pub most_turned: Option<String>,
    /// Names of corrected joints that the character does not have.
    pub missing: Vec<String>,
    /// Number of corrections less than half a frame after another one of the same joint, which were not used.
    pub skipped: usize,
    /// The goals, in the order of the settings.
    pub goals: Vec<GoalReport>,
}

/// Figures of one goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoalReport {
    /// Name of the joint.
    pub joint: String,
    /// True if the character lacks the joint, or the joint that the target moves with.
    pub is_missing: bool,
    /// Largest distance from the goal at a key at full weight, metres: how far the limb is too short.
    pub gap: f64,
    /// Time of that distance, seconds.
    pub at: f64,
    /// Largest additional distance between two keys, metres.
    pub deviation: f64,
}

/// Distance from which a goal counts as missed, metres.
const MISSED_MIN_M: f64 = 1e-4;

impl GoalReport {
    /// Returns the warning about a missing joint or a missed goal; `None` if the goal is reached.
    fn warning(&self) -> Option<Message> {
        let joint = &self.joint;
        if self.is_missing {
            return Some(message!(
                "warning.pose.goal_missing",
                "The goal of “%{joint}” has no effect, because the character lacks a joint of it. Choose joints of this character.",
                joint
            ));
        }
        (self.gap > MISSED_MIN_M).then(|| {
            message!(
                "warning.pose.goal_missed",
                "“%{joint}” cannot reach its goal at %{seconds} s: %{millimetres} mm are missing. Move the goal, or shorten its span.",
                joint,
                seconds = format!("{:.2}", self.at),
                millimetres = format!("{:.1}", 1e3 * self.gap)
            )
        })
    }
}

impl Report {
    /// True if a key or a goal has no full effect.
    pub fn warns(&self) -> bool {
        !self.missing.is_empty() || self.skipped > 0 || self.goals.iter().any(|goal| goal.warning().is_some())
    }

    /// Returns the warnings.
    pub fn warnings(&self) -> Vec<Message> {
        let missing = self.missing.first().map(|first| {
            message!(
                "warning.pose.missing",
                "Pose keys correct %{count} %{count|joint|joints} that the character does not have, such as “%{first}”. They have no effect. \
                 Delete them, or key the joints of this character.",
                count = self.missing.len(),
                first
            )
        });
        let skipped = (self.skipped > 0).then(|| {
            message!(
                "warning.pose.skipped",
                "%{count} corrections are less than half a frame after another key of the same joint and have no effect. Move \
                 the keys apart, or delete one.",
                count = self.skipped
            )
        });
        missing.into_iter().chain(skipped).chain(self.goals.iter().filter_map(GoalReport::warning)).collect()
    }
}

/// Corrects the motion of `input` by the keys and then the goals of `settings`. `limbs` are those of the rig, for goals.
///
/// Returns `Err` if
/// - the clip does not fit the skeleton, or its frame rate, unit or length is out of range;
/// - a time, a fade, a turn or an offset is not finite or out of range;
/// - `progress` is cancelled.
pub fn build(input: &Input, limbs: &[Chain], settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check(input)?;
    check_keys(settings)?;
    let mut keys: Vec<&PoseKey> = settings.keys.iter().collect();
    keys.sort_by(|a, b| a.time.total_cmp(&b.time));
    let mut report = Report { keys: keys.len(), ..Report::default() };
    let mut clip = input.clip.clone();
    for name in joint_names(&keys) {
        let Some(joint) = input.skeleton.find(name) else {
            report.missing.push(name.to_owned());
            continue;
        };
        progress.step(report.joints, input.skeleton.len())?;
        correct_joint(input, joint, &keys, &mut clip, &mut report);
        report.joints += 1;
    }
    if settings.goals.iter().any(|goal| goal.influence > 0.0) {
        report.goals = goals::reach_goals(input, limbs, &settings.goals, &mut clip, progress)?;
    }
    Ok(Built { clip, report })
}

/// Largest turn in degrees and largest offset or coordinate.
const MAX_NUMBER: f64 = 1e6;

/// Returns `Err` for the first number that is out of range.
fn check_keys(settings: &Settings) -> Result<(), BuildError> {
    for (at, key) in settings.keys.iter().enumerate() {
        let times = 0.0..=PoseKey::MAX_SECONDS;
        let bad_time = [key.time, key.fade_in, key.fade_out].into_iter().find(|time| !times.contains(time));
        let mut numbers = key.joints.iter().flat_map(|joint| joint.turn.into_iter().chain(joint.translation)).flatten();
        // NaN is no number within the range either.
        let bad = bad_time.or_else(|| numbers.find(|number| !(-MAX_NUMBER..=MAX_NUMBER).contains(number)));
        if let Some(value) = bad {
            return Err(BuildError::BadKey { key: at + 1, value });
        }
    }
    for (at, goal) in settings.goals.iter().enumerate() {
        let mut times = [goal.start, goal.end, goal.fade_in, goal.fade_out].into_iter();
        let bad_time = times.find(|time| !(0.0..=PoseKey::MAX_SECONDS).contains(time));
        let numbers = goal.target.into_iter().chain([goal.limit, goal.spread]);
        let bad = bad_time.or_else(|| numbers.into_iter().find(|number| !(-MAX_NUMBER..=MAX_NUMBER).contains(number)));
        if let Some(value) = bad {
            return Err(BuildError::BadGoal { goal: at + 1, value });
        }
    }
    Ok(())
}

/// Returns the names of the corrected joints, sorted, each once.
fn joint_names<'a>(keys: &[&'a PoseKey]) -> Vec<&'a str> {
    let corrections = keys.iter().flat_map(|key| &key.joints).filter(|correction| !correction.is_empty());
    let mut names: Vec<&str> = corrections.map(|correction| correction.joint.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Writes the corrected curves of `joint` into `clip`, and adds its figures to `report`.
fn correct_joint(input: &Input, joint: usize, keys: &[&PoseKey], clip: &mut Clip, report: &mut Report) {
    let frames = frame_times(input.clip, [joint], input.fps);
    let node = &input.skeleton.joints[joint];
    let (mut turns, mut moves) = (Vec::new(), Vec::new());
    for key in keys {
        let Some(correction) = key.correction(&node.name) else { continue };
        let time = on_frame(key.time, &frames);
        let incoming = local_at(input.skeleton, input.clip, joint, time);
        if correction.turn.is_some() {
            let delta = match key.mode {
                Mode::Additive => correction.rotation(),
                Mode::Absolute => incoming.rotation.as_dquat().normalize().inverse() * correction.rotation(),
            };
            report_turn(report, &node.name, delta);
            turns.push(ChannelKey::new(key, time, delta, &frames));
        }
        if correction.translation.is_some() {
            let delta = match key.mode {
                Mode::Additive => correction.offset(),
                Mode::Absolute => correction.offset() - incoming.translation.as_dvec3(),
            };
            moves.push(ChannelKey::new(key, time, delta, &frames));
        }
    }
    let (turns, moves) = (channel(turns, input.fps, report), channel(moves, input.fps, report));
    let tracks = &mut clip.tracks[joint];
    if turns.ranges().iter().any(|range| range[0] < input.clip.duration) {
        let source = curve_or_rest(&tracks.rotation, node.rest.rotation);
        tracks.rotation = Some(corrected(&source, &turns, &frames));
    }
    if moves.ranges().iter().any(|range| range[0] < input.clip.duration) {
        let source = curve_or_rest(&tracks.translation, node.rest.translation);
        tracks.translation = Some(corrected(&source, &moves, &frames));
    }
}

/// Returns the channel of `keys` without those less than half a frame after another, which `report` counts as skipped. More keys
/// than two per frame would make the motion grow without limit.
fn channel<D: Delta>(keys: Vec<ChannelKey<D>>, fps: f64, report: &mut Report) -> Channel<D> {
    let mut used: Vec<ChannelKey<D>> = Vec::with_capacity(keys.len());
    for key in keys {
        if used.last().is_some_and(|last| key.time - last.time < 0.5 / fps) {
            report.skipped += 1;
        } else {
            used.push(key);
        }
    }
    Channel::new(used)
}

/// Records the turn `delta` of the joint named `joint` in `report` if it is the largest so far.
fn report_turn(report: &mut Report, joint: &str, delta: DQuat) {
    let turn = (2.0 * DVec3::new(delta.x, delta.y, delta.z).length().atan2(delta.w.abs())).to_degrees();
    if turn > report.turn {
        (report.turn, report.most_turned) = (turn, Some(joint.to_owned()));
    }
}

#[cfg(test)]
mod tests;
