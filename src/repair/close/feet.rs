//! Foot locking in a seam: planted feet keep their positions while the body above them is changed.
//!
//! A planted foot moves as in the incoming motion, shifted by one constant per stance. The constant is 0 if the stance extends
//! outside the seam, else the shift of the body at mid-stance. Between stances the correction is interpolated without speed
//! jumps. A foot planted across the loop point must have one position on both sides. If its stance extends outside the seam on
//! both sides, it slides with the body.
//!
//! The knee above a planted foot bends unevenly, so that its speed differs on the two sides of the loop point even if the hips
//! move evenly. A frame is therefore inserted a quarter of a frame next to the loop point, where the leg joints get the speed of
//! the other side. The foot deviates by a fraction of a millimetre in that frame. A foot that leaves the ground or comes down at
//! the loop point gets the speed of the other side in that frame too if it would jump over a full frame.

use std::ops::Range;

use glam::DVec3;

use super::Input;
use super::report::Warning;
use super::seam::{Seam, SeamPoses, inner_frames, turn_between};
use portamento_anim::foot_contacts::{FootMotion, foot_contacts};
use portamento_anim::foot_place::{FootTransform, move_foot_to, sole_heights};
use portamento_anim::math::bridge::fill_gaps;
use portamento_anim::{Leg, Pose, root_motion};

/// The result of foot locking, metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FeetReport {
    /// Largest distance between the incoming positions of a planted foot on both sides of the loop point.
    pub jump: f64,
    /// Largest slide of a planted foot that the closing causes.
    pub slide: f64,
    pub warnings: Vec<Warning>,
}

/// A leg with the stance intervals of its foot, in frames.
pub(crate) struct StanceLeg<'a> {
    /// The leg.
    pub leg: &'a Leg,
    /// Frames in which its foot is planted.
    pub stances: Vec<Range<usize>>,
}

/// Returns the legs of `input` that IK can bend, with the stances of their feet at `times`.
pub(crate) fn stance_legs<'a>(input: &Input<'a>, times: &[f64]) -> Vec<StanceLeg<'a>> {
    let legs: Vec<&Leg> = input.roles.legs.iter().filter(|leg| leg.is_bendable(input.skeleton)).collect();
    let path = |joint: usize| root_motion::path(input.skeleton, input.clip, joint, times);
    let soles: Vec<Vec<DVec3>> = legs.iter().map(|leg| path(leg.toe.unwrap_or(leg.foot))).collect();
    let Some(body) = input.root.map(|root| root.joint).or(input.roles.hips).filter(|_| !legs.is_empty()) else {
        return Vec::new();
    };
    let found = foot_contacts(&FootMotion {
        soles: &soles,
        heights: &sole_heights(input.skeleton, input.roles, &legs),
        body: &path(body),
        times,
        metres_per_unit: input.metres_per_unit,
    });
    legs.into_iter().zip(found).map(|(leg, stances)| StanceLeg { leg, stances }).collect()
}

/// Locks the planted feet in `poses`, the closed version of `incoming`, by IK. Returns jumps, slides and warnings.
pub(crate) fn lock(seam: &Seam, feet: &[StanceLeg], incoming: &SeamPoses, poses: &mut SeamPoses) -> FeetReport {
    let mut report = FeetReport::default();
    for foot in feet {
        let locked = LockedFoot::new(seam, foot, incoming, poses);
        report.jump = report.jump.max(locked.jump(seam));
        let corrections = locked.corrections(seam);
        let gap = locked.apply(seam, &corrections, poses);
        if locked.across.is_some() {
            match_speeds(seam, foot.leg, poses);
        }
        // The soft limit of the knee costs up to half a per cent of the leg length.
        let joint = foot.leg.foot;
        if gap
            > 0.005
                * portamento_anim::foot_place::leg_positions(seam.input.skeleton, foot.leg, &incoming.end[0]).length()
        {
            let metres = gap * seam.input.metres_per_unit;
            report.warnings.push(Warning::LegTooShort { joint, metres });
        }
        let after = LockedFoot::new(seam, foot, incoming, poses);
        let slide = after.slide(seam);
        report.slide = report.slide.max(slide);
        if slide > 1e-3 && locked.spans_seam() {
            report.warnings.push(Warning::FootSlides { joint, metres: slide, needs: locked.needed_seam(seam) });
        }
    }
    report
}

/// The feet that get an extra frame next to the loop point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Planted {
    /// Feet planted on both sides of the loop point.
    AcrossLoopPoint,
    /// Feet planted on at least one side.
    AtLoopPoint,
}

/// Returns `times` with an extra frame a quarter of a frame next to the loop point on each changed side (`weight` as in
/// [`Seam`]). The frames are unchanged if no foot is `planted` there.
pub(crate) fn with_loop_point_frames(
    feet: &[StanceLeg],
    planted: Planted,
    times: &[f64],
    fps: f64,
    weight: f64,
) -> Vec<f64> {
    let last = times.len() - 1;
    let is_planted = |foot: &StanceLeg| {
        let ends = foot.stances.first().zip(foot.stances.last());
        let ends = ends.map(|(first, end)| [first.start == 0, end.end == last + 1]);
        ends.is_some_and(|ends| match planted {
            Planted::AcrossLoopPoint => ends == [true, true],
            Planted::AtLoopPoint => ends != [false, false],
        })
    };
    let mut result = times.to_vec();
    if feet.iter().any(is_planted) {
        // Key times are f32.
        let [after, before] = [0.25 / fps, times[last] - 0.25 / fps].map(|time| f64::from(time as f32));
        if weight < 1.0 && before > times[last - 1] {
            result.insert(last, before);
        }
        if weight > 0.0 && after < times[1] {
            result.insert(1, after);
        }
    }
    result
}

/// Sets the rotations of the joints of `leg` next to the loop point so that their speed equals that of the other side.
fn match_speeds(seam: &Seam, leg: &Leg, poses: &mut SeamPoses) {
    let [after, before] = inner_frames(seam.times, seam.input.fps);
    let last = seam.times.len() - 1;
    let steps = [seam.times[after] - seam.times[0], seam.times[last] - seam.times[before]];
    let unchanged = |frame: usize| seam.input.clip.pose_at(seam.input.skeleton, seam.times[frame]);
    let pick = |poses: &[Pose], at: Option<usize>, frame: usize| {
        at.and_then(|at| poses.get(at)).cloned().unwrap_or_else(|| unchanged(frame))
    };
    let start = [pick(&poses.start, Some(0), 0), pick(&poses.start, Some(after), after)];
    let end = [pick(&poses.end, before.checked_sub(seam.last), before), pick(&poses.end, Some(last - seam.last), last)];
    for joint in [leg.thigh, leg.shin, leg.foot] {
        let turn = |pose: &Pose| pose.locals[joint].rotation.as_dquat().normalize();
        let speed = |pair: &[Pose; 2], step: f64| turn_between(turn(&pair[0]), turn(&pair[1])) / step;
        let speed = speed(&start, steps[0]).lerp(speed(&end, steps[1]), seam.weight);
        let set = |pose: Option<&mut Pose>, from: &Pose, by: f64| {
            let turned = turn(from) * glam::DQuat::from_scaled_axis(speed * by);
            pose.into_iter().for_each(|pose| pose.locals[joint].rotation = turned.normalize().as_quat());
        };
        if seam.weight < 1.0 {
            let at = before.checked_sub(seam.last);
            set(at.and_then(|at| poses.end.get_mut(at)), &end[1], -steps[1]);
        }
        if seam.weight > 0.0 {
            set(poses.start.get_mut(after), &start[0], steps[0]);
        }
    }
}

/// One foot on both sides of a seam.
struct LockedFoot<'a> {
    leg: &'a Leg,
    /// Frames at the start, in reverse order.
    start: SeamSide,
    /// Frames at the end.
    end: SeamSide,
    /// The stances at the very start and end, if the foot is planted across the loop point.
    across: Option<[Range<usize>; 2]>,
}

/// The frames of one side, from the unchanged one to the loop point.
pub(crate) struct SeamSide {
    /// Seconds, rising towards the loop point; negative at the start.
    pub times: Vec<f64>,
    /// Incoming positions of the sole, world, in the file's unit.
    pub incoming: Vec<DVec3>,
    /// Changed positions of the sole.
    pub closed: Vec<DVec3>,
    /// Frames in which the foot is planted.
    pub stances: Vec<Range<usize>>,
}

impl<'a> LockedFoot<'a> {
    /// Collects the paths and stances of the sole on both sides of `seam`, before (`incoming`) and after closing (`poses`).
    /// Frames at the start are in reverse order.
    fn new(seam: &Seam, foot: &StanceLeg<'a>, incoming: &SeamPoses, poses: &SeamPoses) -> Self {
        let last = seam.times.len() - 1;
        let sole = foot.leg.toe.unwrap_or(foot.leg.foot);
        let path = |poses: &[Pose]| -> Vec<DVec3> {
            poses.iter().map(|pose| pose.world_from_joint(seam.input.skeleton, sole).translation).collect()
        };
        let inside = |frames: Range<usize>, range: &Range<usize>| {
            let (from, to) = (range.start.max(frames.start), range.end.min(frames.end));
            (from < to).then(|| from - frames.start..to - frames.start)
        };
        let end_stands = foot.stances.iter().filter_map(|range| inside(seam.last..last + 1, range)).collect();
        let end = SeamSide {
            times: seam.times[seam.last..].to_vec(),
            incoming: path(&incoming.end),
            closed: path(&poses.end),
            stances: end_stands,
        };
        let count = seam.first + 1;
        let back = |range: Range<usize>| count - range.end..count - range.start;
        let start_stands: Vec<Range<usize>> =
            foot.stances.iter().filter_map(|range| inside(0..count, range)).map(back).rev().collect();
        let reversed = |poses: &[Pose]| path(poses).into_iter().rev().collect();
        let start = SeamSide {
            times: seam.times[..count].iter().rev().map(|time| -time).collect(),
            incoming: reversed(&incoming.start),
            closed: reversed(&poses.start),
            stances: start_stands,
        };
        let across = match (foot.stances.first(), foot.stances.last()) {
            (Some(first), Some(end)) if first.start == 0 && end.end == last + 1 => Some([first.clone(), end.clone()]),
            _ => None,
        };
        Self { leg: foot.leg, start, end, across }
    }

    /// Returns the distance between the incoming foot positions on both sides of the loop point, metres; 0 unless the foot is
    /// planted across it.
    fn jump(&self, seam: &Seam) -> f64 {
        let [Some(start), Some(end)] = [self.start.incoming.last(), self.end.incoming.last()] else { return 0.0 };
        let apart = seam.cycle.world.transform_point3(*start).distance(*end) * seam.input.metres_per_unit;
        if self.across.is_some() { apart } else { 0.0 }
    }

    /// True if the foot is planted from before the seam until after it.
    fn spans_seam(&self) -> bool {
        self.across.is_some() && self.start.reaches_out() && self.end.reaches_out()
    }

    /// Returns the seam length in seconds with which the stance would start or end inside the seam; `None` if impossible.
    fn needed_seam(&self, seam: &Seam) -> Option<f64> {
        let [first, end] = self.across.as_ref()?;
        let (times, duration) = (seam.times, seam.times[seam.times.len() - 1]);
        let before = duration - times[end.start.saturating_sub(1)];
        let after = times[first.end.min(times.len() - 1)];
        // A seam on both sides needs twice the length.
        let needed = if seam.weight == 0.5 {
            2.0 * before.min(after)
        } else if seam.weight == 0.0 {
            before
        } else {
            after
        };
        (needed <= 0.5 * duration && !(first.end == times.len() || end.start == 0)).then_some(needed)
    }

    /// Returns the offsets of the sole on both sides, start first.
    fn corrections(&self, seam: &Seam) -> [Vec<DVec3>; 2] {
        let zero = [DVec3::ZERO; 2];
        let [at_start, at_end] = match (&self.across, seam.weight == 0.5) {
            (Some(_), true) => {
                let turn = glam::DQuat::from_rotation_y(seam.cycle.turn);
                let [start, end] = [&self.start, &self.end].map(SeamSide::back_to_incoming);
                match [self.start.reaches_out(), self.end.reaches_out()] {
                    [true, false] => [start, turn * start],
                    [false, true] => [turn.inverse() * end, end],
                    _ => zero,
                }
            }
            _ => zero,
        };
        let stays = self.across.is_some();
        [self.start.corrections(at_start, stays), self.end.corrections(at_end, stays)]
    }

    /// Applies the offsets to the legs of `poses` by IK. Returns the largest remaining distance, world units.
    fn apply(&self, seam: &Seam, [start, end]: &[Vec<DVec3>; 2], poses: &mut SeamPoses) -> f64 {
        let skeleton = seam.input.skeleton;
        let apply = |pose: &mut Pose, offset: DVec3| {
            let goal = FootTransform::from_pose(skeleton, self.leg, pose);
            move_foot_to(skeleton, self.leg, &goal.moved(offset), pose)
        };
        let starts = poses.start.iter_mut().zip(start.iter().rev());
        let all = starts.chain(poses.end.iter_mut().zip(end));
        all.filter(|(_, offset)| **offset != DVec3::ZERO).map(|(pose, offset)| apply(pose, *offset)).fold(0.0, f64::max)
    }

    /// Returns the largest deviation of a planted foot from the incoming motion during a stance, metres.
    fn slide(&self, seam: &Seam) -> f64 {
        self.start.slide().max(self.end.slide()) * seam.input.metres_per_unit
    }
}

impl SeamSide {
    /// True if a stance extends from outside the seam to the loop point.
    fn reaches_out(&self) -> bool {
        self.stances.contains(&(0..self.times.len()))
    }

    /// Returns the offset (world) that restores the incoming sole position at the loop point.
    fn back_to_incoming(&self) -> DVec3 {
        self.incoming.last().zip(self.closed.last()).map_or(DVec3::ZERO, |(incoming, closed)| *incoming - *closed)
    }

    /// Returns the offset (world) of the sole at each frame that keeps it planted in its stances, with `inner` at the loop point.
    /// `stays` is true if the foot is planted across the loop point.
    pub fn corrections(&self, inner: DVec3, stays: bool) -> Vec<DVec3> {
        let last = self.times.len() - 1;
        let shift = |i: usize| self.closed[i] - self.incoming[i];
        let mut known: Vec<Option<DVec3>> = vec![None; last + 1];
        // A moving foot repeats its speed, so the frame next to the end is changed like the end.
        let first_inner = if stays { last + 1 } else { last.saturating_sub(1) };
        for range in &self.stances {
            let (start, end) = (range.start, range.end.min(first_inner));
            if start >= end {
                continue;
            }
            let constant = match (start == 0, stays && end == last + 1) {
                (true, true) if (shift(last) + inner).length() > 0.0 => continue,
                (true, _) => DVec3::ZERO,
                (_, true) => shift(last) + inner,
                _ => shift(start.midpoint(end)),
            };
            (start..end).for_each(|i| known[i] = Some(constant - shift(i)));
        }
        known[0] = known[0].or(Some(DVec3::ZERO));
        let inner_frames = first_inner.max(1).min(last)..last + 1;
        inner_frames.for_each(|i| known[i] = known[i].or(Some(inner)));
        fill_gaps(&known, &self.times)
    }

    /// Returns the largest change of the shift of the sole within a stance, world units.
    pub fn slide(&self) -> f64 {
        let shift = |i: usize| self.closed[i] - self.incoming[i];
        let deviation =
            |range: &Range<usize>| range.clone().map(|i| (shift(i) - shift(range.start)).length()).fold(0.0, f64::max);
        self.stances.iter().map(deviation).fold(0.0, f64::max)
    }
}
