//! Feet that stand in a seam: each keeps to its place while the body above it is led together.
//!
//! A standing foot moves as in the incoming motion, shifted by one constant per stand: none where the stand reaches out of the seam,
//! else as much as the body over it is shifted. In between, its correction runs on without a jump in speed. A foot that stands
//! across the moment of repeating has to be at one place on both sides of it; where its stand reaches out of the seam on both, it
//! cannot, and slides as little as the body takes it.
//!
//! The knee over a standing foot bends unevenly, so that its steps into and out of the moment of repeating differ even where the
//! hips go on evenly. There a frame is put in a quarter of a frame beside that moment, in which the leg turns as fast as on the
//! other side; the foot leaves its place by a fraction of a millimetre in it.

use std::ops::Range;

use glam::DVec3;

use super::Input;
use super::report::Warning;
use super::seam::{Seam, SeamPoses, inner_frames, turn_between};
use crate::anim::foot_contacts::{Walker, foot_contacts};
use crate::anim::foot_place::{FootPlace, put_foot, sole_heights};
use crate::anim::{Leg, Pose, root_motion};
use crate::math::bridge::bridged;

/// What came of holding feet, metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FeetReport {
    pub jump: f64,
    pub slide: f64,
    pub warnings: Vec<Warning>,
}

/// A leg and the frames in which its foot stands.
pub(super) struct Stander<'a> {
    leg: &'a Leg,
    stands: Vec<Range<usize>>,
}

/// The legs of `input` that can be bent, with the stands of their feet at `times`.
pub(super) fn standers<'a>(input: &Input<'a>, times: &[f64]) -> Vec<Stander<'a>> {
    let count = input.skeleton.len();
    let usable = |leg: &&Leg| {
        let known = [leg.thigh, leg.shin, leg.foot].into_iter().chain(leg.toe).all(|joint| joint < count);
        known && (leg.is_chain(input.skeleton) || leg.has_foot_apart(input.skeleton))
    };
    let legs: Vec<&Leg> = input.roles.legs.iter().filter(usable).collect();
    let path = |joint: usize| root_motion::path(input.skeleton, input.clip, joint, times);
    let soles: Vec<Vec<DVec3>> = legs.iter().map(|leg| path(leg.toe.unwrap_or(leg.foot))).collect();
    let Some(body) = input.root.map(|root| root.joint).or(input.roles.hips).filter(|_| !legs.is_empty()) else {
        return Vec::new();
    };
    let found = foot_contacts(&Walker {
        soles: &soles,
        heights: &sole_heights(input.skeleton, input.roles, &legs),
        body: &path(body),
        times,
        metres_per_unit: input.metres_per_unit,
    });
    legs.into_iter().zip(found).map(|(leg, stands)| Stander { leg, stands }).collect()
}

/// Holds the standing feet of `made`, which was led together from `incoming`.
pub(super) fn lock(seam: &Seam, feet: &[Stander], incoming: &SeamPoses, made: &mut SeamPoses) -> FeetReport {
    let mut report = FeetReport::default();
    for foot in feet {
        let held = HeldFoot::new(seam, foot, incoming, made);
        report.jump = report.jump.max(held.jump(seam));
        let corrections = held.corrections(seam);
        let gap = held.put(seam, &corrections, made);
        if held.across.is_some() {
            match_speeds(seam, foot.leg, made);
        }
        // Half a per cent of a leg is what the soft limit of the knee costs.
        let joint = foot.leg.foot;
        if gap > 0.005 * crate::anim::foot_place::leg_place(seam.input.skeleton, foot.leg, &incoming.end[0]).length() {
            let metres = gap * seam.input.metres_per_unit;
            report.warnings.push(Warning::LegTooShort { joint, metres });
        }
        let after = HeldFoot::new(seam, foot, incoming, made);
        let slide = after.slide(seam);
        report.slide = report.slide.max(slide);
        if slide > 1e-3 && held.is_caught() {
            report.warnings.push(Warning::FootSlides { joint, metres: slide, needs: held.needs(seam) });
        }
    }
    report
}

/// `times` with a frame a quarter of a frame beside the moment of repeating on the sides that give way, `weight` as in [`Seam`];
/// as they are where no foot stands across it.
pub(super) fn with_frames_beside(feet: &[Stander], times: &[f64], fps: f64, weight: f64) -> Vec<f64> {
    let last = times.len() - 1;
    let is_across = |foot: &Stander| {
        let ends = foot.stands.first().zip(foot.stands.last());
        ends.is_some_and(|(first, end)| first.start == 0 && end.end == last + 1)
    };
    let mut with = times.to_vec();
    if feet.iter().any(is_across) {
        // Keys are f32.
        let [after, before] = [0.25 / fps, times[last] - 0.25 / fps].map(|time| f64::from(time as f32));
        if weight < 1.0 && before > times[last - 1] {
            with.insert(last, before);
        }
        if weight > 0.0 && after < times[1] {
            with.insert(1, after);
        }
    }
    with
}

/// Turns the joints of `leg` beside the moment of repeating as fast as on the other side of it.
fn match_speeds(seam: &Seam, leg: &Leg, made: &mut SeamPoses) {
    let [after, before] = inner_frames(seam.times, seam.input.fps);
    let last = seam.times.len() - 1;
    let steps = [seam.times[after] - seam.times[0], seam.times[last] - seam.times[before]];
    let unchanged = |frame: usize| seam.input.clip.pose_at(seam.input.skeleton, seam.times[frame]);
    let pick = |poses: &[Pose], at: Option<usize>, frame: usize| {
        at.and_then(|at| poses.get(at)).cloned().unwrap_or_else(|| unchanged(frame))
    };
    let start = [pick(&made.start, Some(0), 0), pick(&made.start, Some(after), after)];
    let end = [pick(&made.end, before.checked_sub(seam.last), before), pick(&made.end, Some(last - seam.last), last)];
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
            set(at.and_then(|at| made.end.get_mut(at)), &end[1], -steps[1]);
        }
        if seam.weight > 0.0 {
            set(made.start.get_mut(after), &start[0], steps[0]);
        }
    }
}

/// One foot over both sides of a seam.
struct HeldFoot<'a> {
    leg: &'a Leg,
    start: SeamSide,
    end: SeamSide,
    /// The stand at the very start and at the very end, of a foot that stands across the moment of repeating.
    across: Option<[Range<usize>; 2]>,
}

/// The frames of one side, from the unchanged one to the moment of repeating.
struct SeamSide {
    times: Vec<f64>,
    incoming: Vec<DVec3>,
    led: Vec<DVec3>,
    stands: Vec<Range<usize>>,
}

impl<'a> HeldFoot<'a> {
    fn new(seam: &Seam, foot: &Stander<'a>, incoming: &SeamPoses, made: &SeamPoses) -> Self {
        let last = seam.times.len() - 1;
        let sole = foot.leg.toe.unwrap_or(foot.leg.foot);
        let path = |poses: &[Pose]| -> Vec<DVec3> {
            poses.iter().map(|pose| pose.world_from_joint(seam.input.skeleton, sole).translation).collect()
        };
        let inside = |frames: Range<usize>, range: &Range<usize>| {
            let (from, to) = (range.start.max(frames.start), range.end.min(frames.end));
            (from < to).then(|| from - frames.start..to - frames.start)
        };
        let end_stands = foot.stands.iter().filter_map(|range| inside(seam.last..last + 1, range)).collect();
        let end = SeamSide {
            times: seam.times[seam.last..].to_vec(),
            incoming: path(&incoming.end),
            led: path(&made.end),
            stands: end_stands,
        };
        let count = seam.first + 1;
        let back = |range: Range<usize>| count - range.end..count - range.start;
        let start_stands: Vec<Range<usize>> =
            foot.stands.iter().filter_map(|range| inside(0..count, range)).map(back).rev().collect();
        let reversed = |poses: &[Pose]| path(poses).into_iter().rev().collect();
        let start = SeamSide {
            times: seam.times[..count].iter().rev().map(|time| -time).collect(),
            incoming: reversed(&incoming.start),
            led: reversed(&made.start),
            stands: start_stands,
        };
        let across = match (foot.stands.first(), foot.stands.last()) {
            (Some(first), Some(end)) if first.start == 0 && end.end == last + 1 => Some([first.clone(), end.clone()]),
            _ => None,
        };
        Self { leg: foot.leg, start, end, across }
    }

    /// How far apart the incoming places are across the moment of repeating, metres.
    fn jump(&self, seam: &Seam) -> f64 {
        let [Some(start), Some(end)] = [self.start.incoming.last(), self.end.incoming.last()] else { return 0.0 };
        let apart = seam.cycle.world.transform_point3(*start).distance(*end) * seam.input.metres_per_unit;
        if self.across.is_some() { apart } else { 0.0 }
    }

    /// Whether the foot stands on one ground from before the seam until after it.
    fn is_caught(&self) -> bool {
        self.across.is_some() && self.start.reaches_out() && self.end.reaches_out()
    }

    /// Seconds that a seam before the end, or after the start, has to last so that the stand begins or ends in it.
    fn needs(&self, seam: &Seam) -> Option<f64> {
        let [first, end] = self.across.as_ref()?;
        let (times, duration) = (seam.times, seam.times[seam.times.len() - 1]);
        let before = duration - times[end.start.saturating_sub(1)];
        let after = times[first.end.min(times.len() - 1)];
        // Shared between both sides a seam is twice as long.
        let needed = if seam.weight == 0.5 {
            2.0 * before.min(after)
        } else if seam.weight == 0.0 {
            before
        } else {
            after
        };
        (needed <= 0.5 * duration && !(first.end == times.len() || end.start == 0)).then_some(needed)
    }

    /// What is added to the sole on both sides, start first.
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

    /// Bends the legs of `made`; answers the largest way left, world units.
    fn put(&self, seam: &Seam, [start, end]: &[Vec<DVec3>; 2], made: &mut SeamPoses) -> f64 {
        let skeleton = seam.input.skeleton;
        let put = |pose: &mut Pose, offset: DVec3| {
            let place = FootPlace::from_pose(skeleton, self.leg, pose);
            put_foot(skeleton, self.leg, &place.moved(offset), pose)
        };
        let starts = made.start.iter_mut().zip(start.iter().rev());
        let all = starts.chain(made.end.iter_mut().zip(end));
        all.filter(|(_, offset)| **offset != DVec3::ZERO).map(|(pose, offset)| put(pose, *offset)).fold(0.0, f64::max)
    }

    /// The farthest that the standing foot goes otherwise than in the incoming motion, metres.
    fn slide(&self, seam: &Seam) -> f64 {
        self.start.slide().max(self.end.slide()) * seam.input.metres_per_unit
    }
}

impl SeamSide {
    /// Whether a stand reaches from before the seam to the moment of repeating.
    fn reaches_out(&self) -> bool {
        self.stands.contains(&(0..self.times.len()))
    }

    /// What leads the sole at the moment of repeating back to where it came in.
    fn back_to_incoming(&self) -> DVec3 {
        self.incoming.last().zip(self.led.last()).map_or(DVec3::ZERO, |(incoming, led)| *incoming - *led)
    }

    /// What is added to the led sole at each frame, `inner` at the moment of repeating; `stays` says whether the foot stands across it.
    fn corrections(&self, inner: DVec3, stays: bool) -> Vec<DVec3> {
        let last = self.times.len() - 1;
        let shift = |i: usize| self.led[i] - self.incoming[i];
        let mut known: Vec<Option<DVec3>> = vec![None; last + 1];
        // A foot that moves on repeats its speed: the frame beside the end is led as the end is.
        let beside = if stays { last + 1 } else { last.saturating_sub(1) };
        for range in &self.stands {
            let (start, end) = (range.start, range.end.min(beside));
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
        let inner_frames = beside.max(1).min(last)..last + 1;
        inner_frames.for_each(|i| known[i] = known[i].or(Some(inner)));
        bridged(&known, &self.times)
    }

    fn slide(&self) -> f64 {
        let shift = |i: usize| self.led[i] - self.incoming[i];
        let way =
            |range: &Range<usize>| range.clone().map(|i| (shift(i) - shift(range.start)).length()).fold(0.0, f64::max);
        self.stands.iter().map(way).fold(0.0, f64::max)
    }
}
