//! Detects pops in a standard tree: compares every joint's rotation per frame with a bound. For drawn trees see
//! [`super::tree_pops`].
//!
//! The bound of a frame is summed over the segments between events. In a segment it is the rotation of the sources plus the arc
//! between them times the change of their shares. An inertialisation counts as a separate source. At an event the bound adds the
//! arc times the share that changes at once, which is 0 except for transitions without length.

use std::collections::BTreeMap;

use serde::Serialize;

use super::weights::frame_times;
use crate::clips::clip_bank::ClipBank;
use crate::standard::instance_shares::{InstanceShares, ShareSource};
use crate::standard::timeline::{CompiledTimeline, TimelineSegment};
use crate::{BuildError, Built, Plan, Scratch, Settings};
use portamento_anim::Pose;
use portamento_anim::math::mean::angle_between;
use portamento_base::progress::Progress;

/// The rotation of joints in one frame compared with its bound.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FrameStep {
    /// Time of the frame in seconds. The step is from the previous frame.
    pub time: f64,
    /// The joint with the largest step minus bound.
    pub joint: usize,
    /// Its step, radians.
    pub step: f64,
    /// Its bound in radians: 1.05 × (rotation of its sources + arc between them × change of shares).
    pub bound: f64,
    /// Largest step of any joint, radians.
    pub largest: f64,
    /// The joint with the largest step minus bound if all transitions are cuts.
    pub cut_joint: usize,
    /// Its step with cuts, radians.
    pub cut_step: f64,
    /// Its bound with cuts, radians.
    pub cut_bound: f64,
}

impl FrameStep {
    /// Tolerance for the rounding of f32 rotations, radians.
    const ROUNDING_RADIANS: f64 = 2e-5;

    /// True if a joint turned further than its bound.
    pub fn pops(&self) -> bool {
        self.step > self.bound + Self::ROUNDING_RADIANS
    }

    /// True if a joint would turn further than its bound with cuts.
    pub fn cut_pops(&self) -> bool {
        self.cut_step > self.cut_bound + Self::ROUNDING_RADIANS
    }
}

impl Built {
    /// Returns the largest step of every frame from 0 to `length` seconds. Compiles the blend again with cuts.
    ///
    /// Returns `Err` if `progress` is cancelled. The first frame and the frames before the first event have no entry.
    pub fn pop_meter(&self, fps: f64, length: f64, progress: &Progress) -> Result<Vec<FrameStep>, BuildError> {
        let cut = self.hard_cut()?;
        let timeline = match (&self.plan, &cut.plan) {
            (Plan::Timeline(timeline), _) => timeline,
            (Plan::Tree { tree, .. }, Plan::Tree { tree: cut_tree, .. }) => {
                let times: Vec<f64> = frame_times(fps, length).collect();
                return Ok(tree.pop_meter(&self.bank, (cut_tree, &cut.bank), &times, progress)?);
            }
            (Plan::Tree { .. }, Plan::Timeline(_)) => return Ok(Vec::new()),
        };
        let (bank, mut scratch, mut steps) = (&self.bank, Scratch::default(), Vec::new());
        let mut sample_pose = |built: &Self, time: f64| {
            let mut pose = Pose::rest(&bank.skeleton);
            built.sample(time, &mut scratch, &mut pose);
            pose
        };
        let mut previous: Option<(Contributions, Pose, Pose)> = None;
        let total = frame_times(fps, length).count();
        for (i, time) in frame_times(fps, length).enumerate() {
            progress.step(i, total)?;
            // Before the first event nothing plays; the first clip starts with a cut by design.
            let Some(segment) = timeline.segment_at(time) else { continue };
            let (pose, cut_pose) = (sample_pose(self, time), sample_pose(&cut, time));
            let now = Contributions::at(bank, timeline, segment, time);
            if let Some((previous_contributions, previous_pose, previous_cut)) = previous {
                let bounds = bounds_to(bank, timeline, previous_contributions, &now);
                let (eased, cut) = (turns_between(&previous_pose, &pose), turns_between(&previous_cut, &cut_pose));
                steps.extend(worst_step(time, [&bounds, &bounds], &Turns { eased, cut }));
            }
            previous = Some((now, pose, cut_pose));
        }
        Ok(steps)
    }

    /// Returns the blend with all transition times set to 0.
    fn hard_cut(&self) -> Result<Self, BuildError> {
        let cut = match (self.settings.as_standard(), &self.settings) {
            (Some(scenario), _) | (None, Settings::Scenario(scenario)) => Settings::Scenario(scenario.hard_cut()),
            (None, Settings::Tree(tree)) => Settings::Tree(tree.hard_cut()),
        };
        self.with_settings(&cut)
    }
}

/// The sources of each joint at one time.
pub(super) struct Contributions<'a> {
    /// Time, seconds.
    time: f64,
    segment: &'a TimelineSegment,
    /// Poses of the clip instances of the segment and of the rest pose.
    poses: BTreeMap<ShareSource, Pose>,
    /// Shares of each joint.
    shares: Vec<InstanceShares>,
}

impl<'a> Contributions<'a> {
    /// Returns the contributions at `time` (seconds) according to `segment`, even at its end time.
    pub fn at(bank: &ClipBank, timeline: &CompiledTimeline, segment: &'a TimelineSegment, time: f64) -> Self {
        let mut layer = bank.rest_layer();
        let mut pose_of = |instance: usize| {
            timeline.sample_instance(bank, Some(instance), time, &mut layer);
            let mut pose = Pose::default();
            bank.unpack(&layer, &mut pose);
            (ShareSource::Instance(instance), pose)
        };
        let mut poses: BTreeMap<ShareSource, Pose> = segment.instances().map(&mut pose_of).collect();
        poses.insert(ShareSource::Rest, Pose::rest(&bank.skeleton));
        let shares = |joint| timeline.segment_shares(bank, segment, time, joint);
        Self { time, segment, poses, shares: (0..bank.skeleton.len()).map(shares).collect() }
    }

    /// Returns the bound of `joint` from `self` to `then`, both in the same segment, radians.
    fn bound_to(&self, then: &Self, joint: usize) -> f64 {
        let (old, new) = (&self.shares[joint], &then.shares[joint]);
        let mut active = old.sources_of_both(new);
        active.retain(|&source| old.get(source) > 0.0 || new.get(source) > 0.0);
        let [from, to]: [Vec<&Pose>; 2] =
            [self, then].map(|side| active.iter().filter_map(|source| side.poses.get(source)).collect());
        let turned: f64 = from.iter().zip(&to).map(|(from, to)| joint_angle(from, to, joint)).sum();
        match old.change_to(new) {
            0.0 => turned,
            change => turned + largest_angle(&from, joint).max(largest_angle(&to, joint)) * change,
        }
    }
}

/// Returns the bound of every joint from `from` to `to` in radians, across all events in between.
pub(super) fn bounds_to<'a>(
    bank: &ClipBank,
    timeline: &'a CompiledTimeline,
    mut from: Contributions<'a>,
    to: &Contributions,
) -> Vec<f64> {
    let mut bounds = vec![0.0; bank.skeleton.len()];
    let (start, end) = (from.time, to.time);
    // Shares may jump at an event between two frames, so the bound is computed piece by piece.
    let [first, after] = [start, end].map(|time| timeline.segments.partition_point(|segment| segment.start <= time));
    for segment in timeline.segments.get(first..after).unwrap_or_default() {
        let old = Contributions::at(bank, timeline, from.segment, segment.start);
        let new = Contributions::at(bank, timeline, segment, segment.start);
        for (joint, bound) in bounds.iter_mut().enumerate() {
            *bound += from.bound_to(&old, joint) + bound_at_event(timeline, &old, &new, joint);
        }
        from = new;
    }
    bounds.iter_mut().enumerate().for_each(|(joint, bound)| *bound += from.bound_to(to, joint));
    bounds
}

/// Returns the bound of `joint` for the shares that change at once at an event, radians.
fn bound_at_event(timeline: &CompiledTimeline, old: &Contributions, new: &Contributions, joint: usize) -> f64 {
    let [before, after] = [old, new].map(|side| timeline.attribute(side.shares[joint].clone(), joint));
    let change = before.change_to(&after);
    // Below this, unchanged sums of f32 shares differ by rounding only.
    if change < 1e-6 {
        return 0.0;
    }
    let present = |side: &'_ Contributions| -> Vec<ShareSource> {
        side.shares[joint].iter().filter(|(_, share)| *share > 0.0).map(|(source, _)| source).collect()
    };
    let poses = [old, new].map(|side| present(side).into_iter().filter_map(move |source| side.poses.get(&source)));
    let poses: Vec<&Pose> = poses.into_iter().flatten().collect();
    let arcs = poses.iter().flat_map(|a| poses.iter().map(|b| joint_angle(a, b, joint)));
    arcs.fold(0.0, f64::max) * change
}

/// Returns the largest angle of `joint` between any two of `poses`, radians; 0 with fewer than two.
fn largest_angle(poses: &[&Pose], joint: usize) -> f64 {
    let pairs = poses.iter().enumerate().flat_map(|(i, &a)| poses[..i].iter().map(move |&b| (a, b)));
    pairs.map(|(a, b)| joint_angle(a, b, joint)).fold(0.0, f64::max)
}

/// Returns the angle between the local rotations of `joint` in two poses, radians.
fn joint_angle(a: &Pose, b: &Pose, joint: usize) -> f64 {
    angle_between(a.locals[joint].rotation, b.locals[joint].rotation)
}

/// Returns the angle between the local rotations of each joint in two poses, radians.
pub(super) fn turns_between(old: &Pose, new: &Pose) -> Vec<f64> {
    (0..old.locals.len()).map(|joint| joint_angle(old, new, joint)).collect()
}

/// Rotation of each joint in one frame, radians: with transitions and with cuts.
pub(crate) struct Turns {
    pub eased: Vec<f64>,
    pub cut: Vec<f64>,
}

/// Returns the step of the joint that is furthest over (or least under) its bound, with and without transitions. The bounds
/// are in radians per joint and are widened by 5 %. Returns `None` without joints.
pub(crate) fn worst_step(time: f64, [bounds, cut_bounds]: [&[f64]; 2], turns: &Turns) -> Option<FrameStep> {
    let mut worst: Option<FrameStep> = None;
    for joint in 0..bounds.len() {
        // 5 % tolerance, since the bound is computed at frames only and shares are not linear in between.
        let [bound, cut_bound] = [bounds, cut_bounds].map(|bounds| 1.05 * bounds[joint]);
        let (step, cut_step) = (turns.eased[joint], turns.cut[joint]);
        let step_of_frame = worst.get_or_insert(FrameStep {
            time,
            joint,
            step,
            bound,
            largest: step,
            cut_joint: joint,
            cut_step,
            cut_bound,
        });
        step_of_frame.largest = step_of_frame.largest.max(step);
        if step - bound > step_of_frame.step - step_of_frame.bound {
            (step_of_frame.joint, step_of_frame.step, step_of_frame.bound) = (joint, step, bound);
        }
        if cut_step - cut_bound > step_of_frame.cut_step - step_of_frame.cut_bound {
            (step_of_frame.cut_joint, step_of_frame.cut_step, step_of_frame.cut_bound) = (joint, cut_step, cut_bound);
        }
    }
    worst
}
