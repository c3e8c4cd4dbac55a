//! Whether any frame of a standard tree pops (of a drawn one: [`super::tree_pops`]): every joint's turn against what its sources turn and its weights change.
//!
//! A frame's bound is added up segment by segment between events. In a segment it is what the sources turn plus the arc between
//! them times the change of shares; an inertialisation is a source of its own. At an event it is the arc times whatever share
//! changes hands at once, which is 0 unless a transition has no length.

use serde::Serialize;

use super::clip_bank::ClipBank;
use super::timeline::{CompiledTimeline, TimelineSegment};
use super::weights::frame_times;
use super::{Built, Plan, Scratch};
use crate::anim::Pose;
use crate::math::mean::angle_between;
use crate::progress::{Cancelled, Progress};

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
    /// Every frame's largest step from 0 to `length` seconds.
    pub fn pop_meter(&self, fps: f64, length: f64, progress: &Progress) -> Result<Vec<FrameStep>, Cancelled> {
        let (timeline, hard_cut) = match &self.plan {
            Plan::Timeline { timeline, hard_cut } => (timeline, hard_cut),
            Plan::Tree { tree, hard_cut, .. } => {
                let times: Vec<f64> = frame_times(fps, length).collect();
                return tree.pop_meter(hard_cut.as_ref().unwrap_or(tree), &self.bank, &times, progress);
            }
        };
        let (bank, mut scratch, mut reading) = (&self.bank, Scratch::default(), Vec::new());
        let mut pose_of = |timeline: &CompiledTimeline, time: f64| {
            let mut pose = Pose::rest(&bank.skeleton);
            timeline.sample(bank, time, &mut scratch, &mut pose);
            pose
        };
        let mut before: Option<(Contributions, Pose, Pose)> = None;
        let total = frame_times(fps, length).count();
        for (i, time) in frame_times(fps, length).enumerate() {
            progress.step(i, total)?;
            // Before the first event nothing plays; a first clip starts at once by design.
            let Some(segment) = timeline.segment_at(time) else { continue };
            let (pose, cut_pose) = (pose_of(timeline, time), pose_of(hard_cut, time));
            let now = Contributions::at(bank, timeline, segment, time);
            if let Some((from, old, old_cut)) = before {
                let bounds = bounds_to(bank, timeline, from, &now);
                let (eased, cut) = (turns_between(&old, &pose), turns_between(&old_cut, &cut_pose));
                reading.extend(worst(time, [&bounds, &bounds], &Turns { eased, cut }));
            }
            before = Some((now, pose, cut_pose));
        }
        Ok(reading)
    }
}

/// What contributes to each joint at a time.
pub(super) struct Contributions<'a> {
    time: f64,
    segment: &'a TimelineSegment,
    /// Per clip instance (last: the rest pose), its own pose; empty where it has no part in the segment.
    poses: Vec<Pose>,
    /// Per joint, the share of each clip instance and of the rest pose.
    shares: Vec<Vec<f32>>,
}

impl<'a> Contributions<'a> {
    /// As `segment` has it, also at the time at which it ends.
    pub fn at(bank: &ClipBank, timeline: &CompiledTimeline, segment: &'a TimelineSegment, time: f64) -> Self {
        let mut layer = bank.rest_layer();
        let mut pose_of = |instance: usize| {
            if !segment.instances().any(|active| active == instance) {
                return Pose::default();
            }
            timeline.sample_instance(bank, Some(instance), time, &mut layer);
            let mut pose = Pose::default();
            bank.unpack(&layer, &mut pose);
            pose
        };
        let mut poses: Vec<Pose> = (0..timeline.instances.len()).map(&mut pose_of).collect();
        poses.push(Pose::rest(&bank.skeleton));
        let shares = |joint| timeline.segment_shares(bank, segment, time, joint);
        Self { time, segment, poses, shares: (0..bank.skeleton.len()).map(shares).collect() }
    }

    /// How far `joint` may turn from `self` to `then`, in the same segment.
    fn bound_to(&self, then: &Self, joint: usize) -> f64 {
        let (old, new) = (&self.shares[joint], &then.shares[joint]);
        let active: Vec<usize> = (0..new.len()).filter(|&i| old[i] > 0.0 || new[i] > 0.0).collect();
        let turned: f64 = active.iter().map(|&i| turn(&self.poses[i], &then.poses[i], joint)).sum();
        match change(old, new) {
            0.0 => turned,
            change => {
                turned
                    + largest_turn(&self.poses, &active, joint).max(largest_turn(&then.poses, &active, joint)) * change
            }
        }
    }
}

/// The bound of every joint up to `to`, over whatever events lie between.
pub(super) fn bounds_to<'a>(
    bank: &ClipBank,
    timeline: &'a CompiledTimeline,
    mut from: Contributions<'a>,
    to: &Contributions,
) -> Vec<f64> {
    let mut bounds = vec![0.0; bank.skeleton.len()];
    let (start, end) = (from.time, to.time);
    // Shares may jump at an event that falls between two frames; the bound is taken piece by piece.
    let between = timeline.segments.iter().filter(|segment| segment.start > start && segment.start <= end);
    for segment in between {
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

/// How far `joint` may turn at an event by shares that change at once.
fn bound_at_event(timeline: &CompiledTimeline, old: &Contributions, new: &Contributions, joint: usize) -> f64 {
    let [before, after] = [old, new].map(|side| timeline.attribute(side.shares[joint].clone(), joint));
    let change = change(&before, &after);
    // Sums of f32 shares that did not change differ by rounding.
    if change < 1e-6 {
        return 0.0;
    }
    let poses =
        [old, new].map(|side| (0..before.len()).filter(|&i| side.shares[joint][i] > 0.0).map(|i| &side.poses[i]));
    let poses: Vec<&Pose> = poses.into_iter().flatten().collect();
    let arcs = poses.iter().flat_map(|a| poses.iter().map(|b| turn(a, b, joint)));
    arcs.fold(0.0, f64::max) * change
}

/// The largest arc between any two of the `active` poses.
fn largest_turn(poses: &[Pose], active: &[usize], joint: usize) -> f64 {
    let pairs = active.iter().enumerate().flat_map(|(i, &a)| active[..i].iter().map(move |&b| (a, b)));
    pairs.map(|(a, b)| turn(&poses[a], &poses[b], joint)).fold(0.0, f64::max)
}

/// The share that changes hands.
fn change(old: &[f32], new: &[f32]) -> f64 {
    old.iter().zip(new).map(|(old, new)| f64::from((new - old).abs())).sum::<f64>() / 2.0
}

fn turn(a: &Pose, b: &Pose, joint: usize) -> f64 {
    angle_between(a.locals[joint].rotation, b.locals[joint].rotation)
}

/// Per joint the radians from one pose to the other.
pub(super) fn turns_between(old: &Pose, new: &Pose) -> Vec<f64> {
    (0..old.locals.len()).map(|joint| turn(old, new, joint)).collect()
}

/// Per joint the radians it turned in a frame, with transitions and with hard cuts.
pub(super) struct Turns {
    pub eased: Vec<f64>,
    pub cut: Vec<f64>,
}

/// The joint that is nearest to its bound, and the one that would be without transitions, by the bounds of both; `None` without joints.
pub(super) fn worst(time: f64, [bounds, cut_bounds]: [&[f64]; 2], turns: &Turns) -> Option<FrameStep> {
    let mut worst: Option<FrameStep> = None;
    for joint in 0..bounds.len() {
        // A twentieth more, since the bound is taken at the frames and shares bend between them.
        let [bound, cut_bound] = [bounds, cut_bounds].map(|bounds| 1.05 * bounds[joint]);
        let (step, cut_step) = (turns.eased[joint], turns.cut[joint]);
        let most = worst.get_or_insert(FrameStep {
            time,
            joint,
            step,
            bound,
            largest: step,
            cut_joint: joint,
            cut_step,
            cut_bound,
        });
        most.largest = most.largest.max(step);
        if step - bound > most.step - most.bound {
            (most.joint, most.step, most.bound) = (joint, step, bound);
        }
        if cut_step - cut_bound > most.cut_step - most.cut_bound {
            (most.cut_joint, most.cut_step, most.cut_bound) = (joint, cut_step, cut_bound);
        }
    }
    worst
}
