//! Whether any frame of a scenario pops: every joint's turn against what its sources turn and its weights change.
//!
//! A frame's bound is added up piece by piece between events. In a piece it is what the sources turn plus the arc between them
//! times the change of weight; an interrupted blend that dies away is a source of its own. At an event it is the arc times
//! whatever changes hands at once, which is nothing unless a transition has no length.

use serde::Serialize;

use super::meter::frames;
use super::rig::{Layer, Rig};
use super::score::{Moment, Score};
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
    /// Every frame's largest step from 0 to `length` seconds; empty for a drawn tree, whose weights do not change.
    pub fn pop_meter(&self, fps: f64, length: f64, progress: &Progress) -> Result<Vec<FrameStep>, Cancelled> {
        let Plan::Score { score, cut } = &self.plan else { return Ok(Vec::new()) };
        let (rig, mut scratch, mut reading) = (&self.rig, Scratch::default(), Vec::new());
        let mut pose_of = |score: &Score, time: f64| {
            let mut pose = Pose::rest(&rig.skeleton);
            score.sample(rig, time, &mut scratch, &mut pose);
            pose
        };
        let mut before: Option<(Sight, Pose, Pose)> = None;
        let total = frames(fps, length).count();
        for (i, time) in frames(fps, length).enumerate() {
            progress.step(i, total)?;
            // Before the first event nothing plays; a first clip starts at once by design.
            let Some(moment) = score.moment_at(time) else { continue };
            let (pose, hard) = (pose_of(score, time), pose_of(cut, time));
            let sight = Sight::at(rig, score, moment, time);
            if let Some((from, old, old_hard)) = before {
                let bounds = bounds_to(rig, score, from, &sight);
                reading.extend(worst(time, &bounds, [&old, &pose], [&old_hard, &hard]));
            }
            before = Some((sight, pose, hard));
        }
        Ok(reading)
    }
}

/// What is heard of each joint at a time.
struct Sight<'a> {
    time: f64,
    moment: &'a Moment,
    /// Per play (last: the rest pose), its own pose; empty where it has no part in the moment.
    sources: Vec<Pose>,
    /// Per joint and play, its share.
    voices: Vec<Vec<f32>>,
}

impl<'a> Sight<'a> {
    /// As `moment` has it, also at the time at which it ends.
    fn at(rig: &Rig, score: &Score, moment: &'a Moment, time: f64) -> Self {
        let mut layer = Layer::of(rig);
        let mut source = |play: usize| {
            if !moment.plays().any(|each| each == play) {
                return Pose::default();
            }
            score.play(rig, Some(play), time, &mut layer);
            let mut pose = Pose::default();
            rig.copy_out(&layer, &mut pose);
            pose
        };
        let mut sources: Vec<Pose> = (0..score.plays.len()).map(&mut source).collect();
        sources.push(Pose::rest(&rig.skeleton));
        let voices = (0..rig.skeleton.len()).map(|joint| score.voices(rig, moment, time, joint)).collect();
        Self { time, moment, sources, voices }
    }

    /// How far `joint` may turn from `self` to `then`, in the same moment.
    fn bound_to(&self, then: &Self, joint: usize) -> f64 {
        let (old, new) = (&self.voices[joint], &then.voices[joint]);
        let heard: Vec<usize> = (0..new.len()).filter(|&i| old[i] > 0.0 || new[i] > 0.0).collect();
        let sources: f64 = heard.iter().map(|&i| turn(&self.sources[i], &then.sources[i], joint)).sum();
        match change(old, new) {
            0.0 => sources,
            change => sources + arc(&self.sources, &heard, joint).max(arc(&then.sources, &heard, joint)) * change,
        }
    }
}

/// The bound of every joint up to `to`, over whatever events lie between.
fn bounds_to<'a>(rig: &Rig, score: &'a Score, mut from: Sight<'a>, to: &Sight) -> Vec<f64> {
    let mut bounds = vec![0.0; rig.skeleton.len()];
    let (start, end) = (from.time, to.time);
    let between = score.moments.iter().filter(|moment| moment.start > start && moment.start <= end);
    for moment in between {
        let old = Sight::at(rig, score, from.moment, moment.start);
        let new = Sight::at(rig, score, moment, moment.start);
        for (joint, bound) in bounds.iter_mut().enumerate() {
            *bound += from.bound_to(&old, joint) + handed_over(score, &old, &new, joint);
        }
        from = new;
    }
    bounds.iter_mut().enumerate().for_each(|(joint, bound)| *bound += from.bound_to(to, joint));
    bounds
}

/// How far `joint` may turn at an event by weights that change at once.
fn handed_over(score: &Score, old: &Sight, new: &Sight, joint: usize) -> f64 {
    let [before, after] = [old, new].map(|sight| score.spread(sight.voices[joint].clone(), joint));
    let change = change(&before, &after);
    if change < 1e-6 {
        return 0.0;
    }
    let heard = |sight: &Sight, i: usize| sight.voices[joint][i] > 0.0;
    let poses = [old, new].map(|sight| (0..before.len()).filter(|&i| heard(sight, i)).map(|i| &sight.sources[i]));
    let poses: Vec<&Pose> = poses.into_iter().flatten().collect();
    let arcs = poses.iter().flat_map(|a| poses.iter().map(|b| turn(a, b, joint)));
    arcs.fold(0.0, f64::max) * change
}

/// The largest arc between any two of the sources `heard`.
fn arc(sources: &[Pose], heard: &[usize], joint: usize) -> f64 {
    let pairs = heard.iter().enumerate().flat_map(|(i, &a)| heard[..i].iter().map(move |&b| (a, b)));
    pairs.map(|(a, b)| turn(&sources[a], &sources[b], joint)).fold(0.0, f64::max)
}

/// The share that changes hands.
fn change(old: &[f32], new: &[f32]) -> f64 {
    old.iter().zip(new).map(|(old, new)| f64::from((new - old).abs())).sum::<f64>() / 2.0
}

fn turn(a: &Pose, b: &Pose, joint: usize) -> f64 {
    angle_between(a.locals[joint].rotation, b.locals[joint].rotation)
}

/// The joint that is nearest to its bound, and the one that would be without transitions.
fn worst(time: f64, bounds: &[f64], poses: [&Pose; 2], hard: [&Pose; 2]) -> Option<FrameStep> {
    let mut worst: Option<FrameStep> = None;
    for (joint, bound) in bounds.iter().enumerate() {
        let bound = 1.05 * bound;
        let (step, cut_step) = (turn(poses[0], poses[1], joint), turn(hard[0], hard[1], joint));
        let most = worst.get_or_insert(FrameStep {
            time,
            joint,
            step,
            bound,
            largest: step,
            cut_joint: joint,
            cut_step,
            cut_bound: bound,
        });
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
