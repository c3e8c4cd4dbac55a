//! Goals: joints that are pinned to a point or look at one, for a span of time.

use glam::{DQuat, DVec3};

use super::GoalReport;
use super::channel::on_frame;
use super::settings::{Goal, GoalKind};
use crate::close::Input;
use portamento_anim::chain_ik::{put_in_world, turn_in_world};
use portamento_anim::limb_ik::LimbBones;
use portamento_anim::pose_keys::{PoseSpan, write_poses};
use portamento_anim::rig::chains::{Chain, Limb};
use portamento_anim::root_motion::{frame_times, rest_at, turn_of};
use portamento_anim::{Clip, Pose};
use portamento_base::progress::{Cancelled, Progress};

/// Number of keys that a limb with a goal gets per frame, so that it stays on its goal between frames.
const KEYS_PER_FRAME: f64 = 4.0;

/// A goal with its joints.
struct Task {
    /// Index in the report.
    index: usize,
    /// The goal, with its span on frames.
    goal: Goal,
    /// Index of the joint that is brought to the target.
    joint: usize,
    /// The joint that the target moves with.
    of: Option<usize>,
    /// The joints that change.
    reach: Reach,
}

/// The joints that a goal changes.
enum Reach {
    /// The joint itself is moved.
    Move,
    /// Two bones are bent.
    Bend(LimbBones),
    /// The joints before the head turn by their fraction, and the head by the rest. The gaze is in the axes of the head.
    Look { joints: Vec<(usize, f64)>, gaze: DVec3 },
}

/// Brings the joints of `goals` to their targets in `clip`. Returns a report for each goal.
///
/// Returns `Err` if `progress` is cancelled.
pub(super) fn reach_goals(
    input: &Input,
    limbs: &[Chain],
    goals: &[Goal],
    clip: &mut Clip,
    progress: &Progress,
) -> Result<Vec<GoalReport>, Cancelled> {
    let mut reports: Vec<GoalReport> =
        goals.iter().map(|goal| GoalReport { joint: goal.joint.clone(), ..GoalReport::default() }).collect();
    let mut times = frame_times(clip, 0..input.skeleton.len(), KEYS_PER_FRAME * input.fps);
    let end = times.last().copied().unwrap_or(0.0);
    let mut tasks: Vec<Task> = Vec::new();
    for (index, goal) in goals.iter().enumerate() {
        let [start, stop] = [goal.start, goal.end].map(|time| on_frame(time, &times));
        let goal = Goal { start, end: stop, ..goal.clone() };
        tasks.extend(Task::new(input, limbs, index, goal));
        times.extend([start, stop].into_iter().filter(|time| (0.0..=end).contains(time)));
        times.sort_by(f64::total_cmp);
        times.dedup();
    }
    for (index, report) in reports.iter_mut().enumerate() {
        report.is_missing = tasks.iter().all(|task| task.index != index);
    }
    // A goal may move the limbs of those with joints below its own.
    tasks.sort_by_key(Task::first_joint);
    let before = clip.clone();
    let has_effect = |frame: &usize| tasks.iter().any(|task| task.goal.weight(times[*frame]) > 0.0);
    let mut at = 0;
    while let Some(first) = (at..times.len()).find(has_effect) {
        let end = (first..times.len()).find(|frame| !has_effect(frame)).unwrap_or(times.len());
        // The frames around keep their pose, so that the limb leaves it gradually.
        let (from, until) = (first.saturating_sub(1), (end + 1).min(times.len()));
        let mut poses = Vec::with_capacity(until - from);
        for (frame, &time) in times.iter().enumerate().take(until).skip(from) {
            progress.step(frame, times.len())?;
            poses.push(posed(input, &tasks, before.pose_at(input.skeleton, time), time, &mut reports));
        }
        write_poses(input.skeleton, clip, &PoseSpan { times: &times, first: from, poses: &poses });
        at = end;
    }
    for task in &tasks {
        reports[task.index].deviation = task.deviation(input, clip, &times);
    }
    Ok(reports)
}

/// Returns `pose` changed to meet the goals of all `tasks` at `time` (seconds). Records the largest remaining distance at full
/// weight (metres), and its time, in `reports`.
fn posed(input: &Input, tasks: &[Task], mut pose: Pose, time: f64, reports: &mut [GoalReport]) -> Pose {
    for task in tasks {
        let gap = task.apply(input, &mut pose, time) * input.metres_per_unit;
        let report = &mut reports[task.index];
        if task.goal.weight(time) >= 1.0 && gap > report.gap {
            (report.gap, report.at) = (gap, time);
        }
    }
    pose
}

impl Task {
    /// Returns the goal at `index`, or `None` if the skeleton lacks a joint of it.
    fn new(input: &Input, limbs: &[Chain], index: usize, goal: Goal) -> Option<Self> {
        let joint = input.skeleton.find(&goal.joint)?;
        let of = if goal.of.is_empty() { None } else { Some(input.skeleton.find(&goal.of)?) };
        let reach = match goal.kind {
            GoalKind::Pin => pinned(input, limbs, joint),
            GoalKind::Look => looking(input, limbs, joint, goal.spread),
        };
        Some(Self { index, goal, joint, of, reach })
    }

    /// Returns the topmost joint that the goal changes.
    fn first_joint(&self) -> usize {
        match &self.reach {
            Reach::Move => self.joint,
            Reach::Bend(bones) => bones.upper,
            Reach::Look { joints, .. } => joints.first().map_or(self.joint, |first| first.0),
        }
    }

    /// Returns the target in the world, in the file's unit.
    fn target(&self, input: &Input, pose: &Pose) -> DVec3 {
        let target = DVec3::from(self.goal.target) / input.metres_per_unit;
        self.of.map_or(target, |of| {
            let of = pose.world_from_joint(input.skeleton, of);
            of.translation + turn_of(&of) * target
        })
    }

    /// Brings the joint to its goal in `pose`, by the weight at `time`. Returns the remaining distance, in the file's unit.
    fn apply(&self, input: &Input, pose: &mut Pose, time: f64) -> f64 {
        let weight = self.goal.weight(time);
        if weight <= 0.0 {
            return 0.0;
        }
        let target = self.target(input, pose);
        let now = pose.world_from_joint(input.skeleton, self.joint);
        let wanted = if weight >= 1.0 { target } else { now.translation.lerp(target, weight) };
        match &self.reach {
            Reach::Look { joints, gaze } => {
                self.look(input, pose, (joints, *gaze), target, weight);
                return 0.0;
            }
            Reach::Move => put_in_world(input.skeleton, pose, self.joint, wanted, turn_of(&now)),
            Reach::Bend(bones) => bones.reach(input.skeleton, pose, wanted),
        }
        pose.world_from_joint(input.skeleton, self.joint).translation.distance(wanted)
    }

    /// Turns the joints of a look towards the world position `target` by `weight` (0…1): each by its fraction, and the head by
    /// the rest of the turn.
    fn look(
        &self,
        input: &Input,
        pose: &mut Pose,
        (joints, gaze): (&[(usize, f64)], DVec3),
        target: DVec3,
        weight: f64,
    ) {
        let limit = self.goal.limit.to_radians();
        let incoming = self.gaze(input, pose, gaze);
        // The limit counts from the incoming gaze.
        let turn_to_target = |pose: &Pose| {
            let head = pose.world_from_joint(input.skeleton, self.joint).translation;
            limited(DQuat::from_rotation_arc(incoming, (target - head).normalize_or(incoming)), limit)
        };
        let full_turn = turn_to_target(pose);
        for &(joint, share) in joints {
            turn_in_world(input.skeleton, pose, joint, DQuat::IDENTITY.slerp(full_turn, share * weight));
        }
        // The neck has moved the head, so the direction to the target is another.
        let wanted = DQuat::IDENTITY.slerp(turn_to_target(pose), weight) * incoming;
        let turn = DQuat::from_rotation_arc(self.gaze(input, pose, gaze), wanted.normalize_or(incoming));
        turn_in_world(input.skeleton, pose, self.joint, turn);
    }

    /// Returns the direction of the gaze in the world, a unit vector.
    fn gaze(&self, input: &Input, pose: &Pose, gaze: DVec3) -> DVec3 {
        (turn_of(&pose.world_from_joint(input.skeleton, self.joint)) * gaze).normalize_or(DVec3::Z)
    }

    /// Returns the largest distance by which a pinned joint leaves its goal between two keys at full weight, beyond its distance
    /// at the keys, metres; 0 for a look.
    fn deviation(&self, input: &Input, clip: &Clip, times: &[f64]) -> f64 {
        if matches!(self.reach, Reach::Look { .. }) {
            return 0.0;
        }
        let distance = |time: f64| {
            let pose = clip.pose_at(input.skeleton, time);
            let at = pose.world_from_joint(input.skeleton, self.joint).translation;
            at.distance(self.target(input, &pose)) * input.metres_per_unit
        };
        let is_full = |pair: &&[f64]| pair.iter().all(|&time| self.goal.weight(time) >= 1.0);
        let between = times.windows(2).filter(is_full).map(|pair| {
            let at_keys = distance(pair[0]).max(distance(pair[1]));
            distance(0.5 * (pair[0] + pair[1])) - at_keys
        });
        between.fold(0.0, f64::max)
    }
}

/// Returns `turn` with an angle of at most `limit` radians.
fn limited(turn: DQuat, limit: f64) -> DQuat {
    let angle = 2.0 * turn.xyz().length().atan2(turn.w.abs());
    if angle <= limit { turn } else { DQuat::IDENTITY.slerp(turn, limit / angle) }
}

/// Returns the joints that pin `joint`: two bones that end there. The hips, and a joint without two bones above it, are moved
/// themselves.
fn pinned(input: &Input, limbs: &[Chain], joint: usize) -> Reach {
    if input.roles.body(input.skeleton) == Some(joint) || input.roles.hips == Some(joint) {
        return Reach::Move;
    }
    LimbBones::of(input.skeleton, input.roles, limbs, joint).map_or(Reach::Move, Reach::Bend)
}

/// Returns the joints that turn for a look of `head`: those of spine and neck, which share the fraction `spread` of the turn
/// equally, and the gaze of the head.
fn looking(input: &Input, limbs: &[Chain], head: usize, spread: f64) -> Reach {
    let is_above = |joint: &usize| *joint != head && input.skeleton.is_within(head, *joint);
    let chains = limbs.iter().filter(|chain| matches!(chain.limb, Limb::Spine | Limb::Neck));
    let joints: Vec<usize> = chains.flat_map(|chain| &chain.bones).map(|bone| bone.joint).filter(is_above).collect();
    let share = spread / joints.len().max(1) as f64;
    let front = input.roles.front.unwrap_or_default().direction();
    let gaze = turn_of(&rest_at(input.skeleton, head)).inverse() * front;
    Reach::Look { joints: joints.into_iter().map(|joint| (joint, share)).collect(), gaze }
}
