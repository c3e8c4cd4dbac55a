//! One end of a motion that takes the pose and the velocity of another clip.

use std::ops::Range;

use glam::{DAffine3, DQuat, DVec3};

use super::step::{STEP_HEIGHT_M, STEP_MIN_M, Step, Turn};
use super::{ClipEnd, EndReport};
use crate::close::Input;
use crate::close::fade::Fade;
use crate::close::feet::{SeamSide, StanceLeg};
use crate::close::seam::{inner_frames, turn_between};
use portamento_anim::foot_place::{FootTransform, move_foot_to};
use portamento_anim::pose_keys::{PoseSpan, write_poses};
use portamento_anim::root_motion::{frame_times, headings, size_factor, turn_of};
use portamento_anim::{Clip, Pose};

/// One end of the motion `input`.
pub(super) struct End<'a> {
    pub input: &'a Input<'a>,
    /// Seconds of all frames; exact f32 values.
    pub times: &'a [f64],
    /// True for the start of the motion, false for its end.
    pub is_start: bool,
    /// Length of the changed part, seconds.
    pub seconds: f64,
}

/// Change of the velocity of a foot at the end up to which it stays planted there, metres per second. Chosen: half of the
/// difference of velocity that contracts allow.
const CONTACT_MAX_SPEED_CHANGE: f64 = 0.05;

/// The wanted local transforms of a joint: at the end of the motion, and at the frame next to it.
type Goal = [(DQuat, DVec3); 2];

impl End<'_> {
    /// Writes this end to `clip`, aligned with the end `at` of `other`. `clip` is the clip of the input, or that with its other
    /// end aligned. `legs` are the legs with their contacts.
    pub fn align(&self, other: &Clip, at: ClipEnd, legs: &[StanceLeg], clip: &mut Clip) -> EndReport {
        let frames = self.frames();
        let pose = |frame: usize| self.input.clip.pose_at(self.input.skeleton, self.times[frame]);
        let incoming: Vec<Pose> = frames.clone().map(pose).collect();
        let goals = self.goals(other, at);
        let mut poses = incoming.clone();
        for (joint, goal) in self.body().into_iter().zip(&goals) {
            self.fade(joint, goal, &frames, &mut poses);
        }
        let wanted = if self.is_start { poses[0].clone() } else { poses[poses.len() - 1].clone() };
        let feet = legs.iter().enumerate();
        let slides = feet.map(|(at, leg)| self.keep_contacts(leg, Turn::of_leg(at), &frames, &incoming, &mut poses));
        let slide = slides.fold(0.0, f64::max) * self.input.metres_per_unit;
        let span = PoseSpan { times: self.times, first: frames.start, poses: &poses };
        write_poses(self.input.skeleton, clip, &span);
        let end = if self.is_start { 0 } else { self.times.len() - 1 };
        let seconds = self.times[frames.end - 1] - self.times[frames.start];
        let result = clip.pose_at(self.input.skeleton, self.times[end]);
        let distance = [&pose(end), &result].map(|pose| self.distance(pose, &wanted));
        EndReport { seconds, distance, slide }
    }

    /// Returns the range of the changed frames and the unchanged one next to them.
    fn frames(&self) -> Range<usize> {
        let (times, last) = (self.times, self.times.len() - 1);
        let slack = 1e-3 / self.input.fps;
        let length = self.seconds.min(0.5 * times[last]) + slack;
        let [after, before] = inner_frames(times, self.input.fps);
        if self.is_start {
            // The frame next to the end is changed too.
            let outer = times.partition_point(|&time| time <= length).saturating_sub(1);
            0..outer.max(after + 1).min(last) + 1
        } else {
            let outer = times.partition_point(|&time| time < times[last] - length);
            outer.min(before.saturating_sub(1))..last + 1
        }
    }

    /// Returns the joints that are aligned: the root and all joints below. Cameras and props do not have to meet.
    fn body(&self) -> Vec<usize> {
        match self.input.root {
            Some(root) => self.input.skeleton.subtree(root.joint),
            None => (0..self.input.skeleton.len()).collect(),
        }
    }

    /// Returns the goal of each joint of the body.
    fn goals(&self, other: &Clip, at: ClipEnd) -> Vec<Goal> {
        let Input { skeleton, clip, fps, .. } = *self.input;
        let [after, before] = inner_frames(self.times, fps);
        let last = self.times.len() - 1;
        let (end, own_step) = match self.is_start {
            true => (0.0, self.times[after]),
            false => (self.times[last], self.times[before] - self.times[last]),
        };
        let steps = frame_times(other, 0..skeleton.len(), fps);
        let [next, previous] = inner_frames(&steps, fps);
        let [moment, neighbour] = match at {
            ClipEnd::Start => [0.0, steps[next]],
            ClipEnd::End => [other.duration, steps[previous]],
        };
        let share = if neighbour == moment { 0.0 } else { own_step / (neighbour - moment) };
        let poses = [moment, neighbour].map(|time| other.pose_at(skeleton, time));
        let onto_ground = self.ground(clip, end) * self.ground(other, moment).inverse();
        let own = clip.pose_at(skeleton, end);
        let goal = |joint: usize| {
            let is_root = self.input.root.is_some_and(|root| root.joint == joint);
            let carry = |local: DAffine3| match (is_root, skeleton.joints[joint].parent) {
                (true, Some(parent)) => {
                    let [own, others] = [&own, &poses[0]].map(|pose| pose.world_from_joint(skeleton, parent));
                    own.inverse() * onto_ground * others * local
                }
                (true, None) => onto_ground * local,
                _ => local,
            };
            let [here, there] = [0, 1].map(|at| {
                let local = carry(poses[at].locals[joint].to_affine_f64());
                (turn_of(&local), local.translation)
            });
            let turn = turn_between(here.0, there.0) * share;
            [here, (here.0 * DQuat::from_scaled_axis(turn), here.1 + (there.1 - here.1) * share)]
        };
        self.body().into_iter().map(goal).collect()
    }

    /// Returns the transform from the ground under the root of `clip` at `time` (seconds), with its heading, to the world; the
    /// identity without a root.
    fn ground(&self, clip: &Clip, time: f64) -> DAffine3 {
        let skeleton = self.input.skeleton;
        let Some(root) = self.input.root else { return DAffine3::IDENTITY };
        let heading = headings(skeleton, clip, root.joint, &[time]).first().copied().unwrap_or(0.0);
        let position = clip.pose_at(skeleton, time).world_from_joint(skeleton, root.joint).translation;
        DAffine3::from_rotation_translation(DQuat::from_rotation_y(heading), position.with_y(0.0))
    }

    /// Changes `joint` in `poses`, which are those of `frames`, towards `goal`: fully at this end, and not at all at the outer
    /// frame.
    fn fade(&self, joint: usize, goal: &Goal, frames: &Range<usize>, poses: &mut [Pose]) {
        let [after, before] = inner_frames(self.times, self.input.fps);
        let (end, neighbour) = if self.is_start { (0, after) } else { (self.times.len() - 1, before) };
        let outer = if self.is_start { frames.end - 1 } else { frames.start };
        let length = (self.times[outer] - self.times[end]).abs();
        let step = (self.times[neighbour] - self.times[end]).abs() / length;
        let local = |frame: usize| poses[frame - frames.start].locals[joint];
        let at = [end, neighbour].map(local);
        let turns = [0, 1].map(|i| turn_between(at[i].rotation.as_dquat().normalize(), goal[i].0));
        let moves = [0, 1].map(|i| goal[i].1 - at[i].translation.as_dvec3());
        // Equal poses stay bit-identical.
        let size = at[0].translation.as_dvec3().length();
        let turn = is_seen(turns, 1e-7).then(|| Fade::through(turns[0], turns[1], step));
        let shift = is_seen(moves, 1e-7 * size).then(|| Fade::through(moves[0], moves[1], step));
        for (frame, pose) in frames.clone().zip(poses.iter_mut()).filter(|&(frame, _)| frame != outer) {
            let s = 1.0 - (self.times[frame] - self.times[end]).abs() / length;
            let local = &mut pose.locals[joint];
            if let Some(turn) = &turn {
                let turned = local.rotation.as_dquat().normalize() * DQuat::from_scaled_axis(turn.at(s));
                local.rotation = turned.normalize().as_quat();
            }
            if let Some(shift) = &shift {
                local.translation = (local.translation.as_dvec3() + shift.at(s)).as_vec3();
            }
        }
    }

    /// Keeps the foot of `leg` planted in `poses`, the changed version of `incoming`. A foot that cannot stay where it is steps
    /// in its `turn`. Returns its largest slide, world units.
    fn keep_contacts(
        &self,
        leg: &StanceLeg,
        turn: Turn,
        frames: &Range<usize>,
        incoming: &[Pose],
        poses: &mut [Pose],
    ) -> f64 {
        let Input { skeleton, metres_per_unit, .. } = *self.input;
        let mut before = self.side(leg, frames, incoming, poses);
        let count = before.times.len();
        let shift = |frame: usize| before.closed[frame] - before.incoming[frame];
        let change = shift(count - 1) - shift(count - 2);
        let speed = change.length() * metres_per_unit / (before.times[count - 1] - before.times[count - 2]);
        let distance = shift(count - 1).with_y(0.0).length() * metres_per_unit;
        let moves_on = speed > CONTACT_MAX_SPEED_CHANGE;
        let step = Step::find(&before, turn, moves_on).filter(|_| moves_on || distance > STEP_MIN_M);
        match &step {
            Some(step) => before.stances = step.stances(&before),
            // A foot that moves on in the other clip cannot stay planted until the end.
            None if moves_on => before.stances.retain(|stance| stance.end != count),
            None => {}
        }
        let stays = before.stances.iter().any(|stance| stance.end == count);
        let mut corrections = before.corrections(DVec3::ZERO, stays);
        if let Some(step) = step.filter(|_| distance > STEP_MIN_M) {
            step.raise(STEP_HEIGHT_M * size_factor(skeleton, metres_per_unit) / metres_per_unit, &mut corrections);
        }
        if self.is_start {
            corrections.reverse();
        }
        for (pose, &correction) in poses.iter_mut().zip(&corrections).filter(|(_, by)| **by != DVec3::ZERO) {
            let goal = FootTransform::from_pose(skeleton, leg.leg, pose);
            move_foot_to(skeleton, leg.leg, &goal.moved(correction), pose);
        }
        SeamSide { stances: before.stances, ..self.side(leg, frames, incoming, poses) }.slide()
    }

    /// Returns the positions of the foot of `leg` in both versions of the poses, from the unchanged frame to the end.
    fn side(&self, leg: &StanceLeg, frames: &Range<usize>, incoming: &[Pose], poses: &[Pose]) -> SeamSide {
        let sole = leg.leg.toe.unwrap_or(leg.leg.foot);
        let path = |poses: &[Pose]| -> Vec<DVec3> {
            poses.iter().map(|pose| pose.world_from_joint(self.input.skeleton, sole).translation).collect()
        };
        let inside = |stance: &Range<usize>| {
            let (from, to) = (stance.start.max(frames.start), stance.end.min(frames.end));
            (from < to).then(|| from - frames.start..to - frames.start)
        };
        let times = self.times[frames.clone()].to_vec();
        let stances = leg.stances.iter().filter_map(inside).collect();
        let mut side = SeamSide { times, incoming: path(incoming), closed: path(poses), stances };
        if self.is_start {
            let count = side.times.len();
            side.times = side.times.iter().rev().map(|time| -time).collect();
            side.incoming.reverse();
            side.closed.reverse();
            side.stances = side.stances.iter().rev().map(|range| count - range.end..count - range.start).collect();
        }
        side
    }

    /// Returns the largest distance between the joints of the body in two poses, metres.
    fn distance(&self, a: &Pose, b: &Pose) -> f64 {
        let at = |pose: &Pose, joint: usize| pose.world_from_joint(self.input.skeleton, joint).translation;
        let apart = self.body().into_iter().map(|joint| at(a, joint).distance(at(b, joint)));
        apart.fold(0.0, f64::max) * self.input.metres_per_unit
    }
}

/// True if one of `offsets` is longer than `rounding`.
fn is_seen(offsets: [DVec3; 2], rounding: f64) -> bool {
    offsets.iter().any(|offset| offset.length() > rounding)
}
