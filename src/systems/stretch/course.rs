//! The stretched path and facing over all windows of a clip.

use glam::{DQuat, DVec3};

use super::report::{Warning, WarningKind, WindowReport};
use super::settings::{Facing, LengthMeasure, Method, Settings, Target, ZeroMotion};
use super::{BuildError, Input, formula};
use crate::anim::root_motion::{world_at, wrap};
use crate::anim::{Clip, RootKind};

/// The source's motion at the frames.
pub(super) struct Source<'a> {
    /// Seconds.
    pub times: &'a [f64],
    /// World positions.
    pub points: &'a [DVec3],
    /// Unwrapped headings, radians.
    pub headings: &'a [f64],
    /// Where the joint that shall arrive stands, if it is another one.
    pub aligner: Option<&'a [DVec3]>,
}

/// A window in frames: its first and its last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub first: usize,
    pub last: usize,
    pub target: Target,
    pub facing: Facing,
}

/// Moves what comes after a window along with it, without changing its shape.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Carry {
    pub yaw: f64,
    from: DVec3,
    to: DVec3,
}

impl Carry {
    /// The carried place of a source point; the window's end itself goes exactly to where the window ends.
    pub fn apply(&self, point: DVec3) -> DVec3 {
        match self.yaw {
            _ if point == self.from => self.to,
            0.0 => point + (self.to - self.from),
            yaw => self.to + DQuat::from_rotation_y(yaw) * (point - self.from),
        }
    }
}

/// A path and its facing under the settings.
#[derive(Debug)]
pub(super) struct Course {
    pub points: Vec<DVec3>,
    /// Radians added to the source's heading.
    pub yaws: Vec<f64>,
    /// What carries the source before each window, and after the last one.
    pub carries: Vec<Carry>,
    pub windows: Vec<WindowReport>,
    pub warnings: Vec<Warning>,
}

/// Turns smaller than this over a whole window are sway, not turning: they cannot carry a change of facing.
const LEAST_TURN: f64 = 1.0_f64 / 180.0 * std::f64::consts::PI;

/// Drives `source` through `spans` (in order, not overlapping) with `method`; `lengths` is the length up to each frame.
pub(super) fn drive(
    source: &Source,
    spans: &[Span],
    lengths: &[f64],
    settings: &Settings,
    method: Method,
) -> Result<Course, BuildError> {
    let count = source.points.len();
    let mut course = Course {
        points: source.points.to_vec(),
        yaws: vec![0.0; count],
        carries: vec![Carry::default()],
        windows: Vec::new(),
        warnings: Vec::new(),
    };
    let mut carry = Carry::default();
    for (k, span) in spans.iter().enumerate() {
        carry = drive_span(source, span, lengths, settings, (method, carry), &mut course)?;
        course.carries.push(carry);
        let until = spans.get(k + 1).map_or(count, |next| next.first);
        for i in span.last + 1..until {
            course.points[i] = carry.apply(source.points[i]);
            course.yaws[i] = carry.yaw;
        }
    }
    Ok(course)
}

fn drive_span(
    source: &Source,
    span: &Span,
    lengths: &[f64],
    settings: &Settings,
    (method, carry): (Method, Carry),
    course: &mut Course,
) -> Result<Carry, BuildError> {
    let range = span.first..=span.last;
    let carried: Vec<DVec3> = source.points[range.clone()].iter().map(|&point| carry.apply(point)).collect();
    let (start, end) = (carried[0], carried[carried.len() - 1]);
    let times = &source.times[range.clone()];
    let lengths = &lengths[range.clone()];
    let length = lengths[lengths.len() - 1] - lengths[0];

    let aimed = source.aligner.map_or(end, |aligner| carry.apply(aligner[span.last]));
    let wanted = span.target.in_world(source.points[0], source.headings[0]);
    let turn = turn_of(span, source, &carry, [start, aimed, wanted]).unwrap_or_else(|| {
        course.warnings.push(Warning::new(WarningKind::NoDirection, span.last, (wanted - start).length()));
        0.0
    });
    let mut target = wanted - DQuat::from_rotation_y(turn) * (aimed - end);
    (0..3).filter(|&axis| !settings.axes[axis]).for_each(|axis| target[axis] = end[axis]);
    let full_ratio = if length > 0.0 { (target - end).length() / length } else { 0.0 };
    if let Some(most) = settings.max_ratio.filter(|&most| full_ratio > most) {
        let nearer = end + (target - end) * (most / full_ratio);
        course.warnings.push(Warning::new(WarningKind::TargetDrawnNearer, span.last, (target - nearer).length()));
        target = nearer;
    }
    let shared = share_out(&carried, times, lengths, target, (method, settings.zero_motion));
    let (points, used) = shared.ok_or(BuildError::NoMotion {
        start: times[0],
        end: times[times.len() - 1],
        missing: (target - end).length(),
    })?;
    if used != method {
        course.warnings.push(Warning::new(WarningKind::SpreadEvenly, span.first, (target - end).length()));
    }
    course.points[range.clone()].copy_from_slice(&points);
    let turned = turn_shares(&source.headings[range.clone()], lengths, times, turn);
    course.yaws[range].iter_mut().zip(turned).for_each(|(yaw, share)| *yaw = carry.yaw + turn * share);
    course.windows.push(WindowReport {
        start: times[0],
        end: times[times.len() - 1],
        last: span.last,
        wanted,
        target,
        ratio: if length > 0.0 { (target - end).length() / length } else { 0.0 },
        end_error: 0.0,
        turn,
        method: used,
    });
    Ok(Carry { yaw: carry.yaw + turn, from: source.points[span.last], to: target })
}

/// Where the arriving joint stands in `clip` at each window's end, against what was asked for on the corrected axes.
pub(super) fn measure_ends(input: &Input, settings: &Settings, clip: &Clip, course: &mut Course) {
    let joint = settings.aligner.unwrap_or(input.root.joint);
    let scale = crate::anim::root_motion::rig_size(input.skeleton);
    for window in &mut course.windows {
        let beside = world_at(input.skeleton, clip, joint, window.end).translation - window.wanted;
        let counted = |axis: usize| if settings.axes[axis] { beside[axis] } else { 0.0 };
        window.end_error = DVec3::new(counted(0), counted(1), counted(2)).length();
        let frame = window.last;
        let most = 1e-5 * scale.max(window.wanted.length());
        if input.root.kind == RootKind::HipsGroundPart && beside.y.abs() > most {
            course.warnings.push(Warning::new(WarningKind::HeightIgnored, frame, beside.y.abs()));
        }
        if settings.aligner.is_some() && window.end_error > most {
            course.warnings.push(Warning::new(WarningKind::AlignerMissed, frame, window.end_error));
        }
    }
}

/// The points under `method`, or evenly spread where the user allows it; with the method that was used.
fn share_out(
    path: &[DVec3],
    times: &[f64],
    lengths: &[f64],
    target: DVec3,
    (method, zero_motion): (Method, ZeroMotion),
) -> Option<(Vec<DVec3>, Method)> {
    let length = lengths[lengths.len() - 1] - lengths[0];
    let arrived = path.last() == Some(&target);
    let made = match method {
        Method::Displacement if length > 0.0 || arrived => Some(formula::displacement(path, lengths, target)),
        Method::Displacement => None,
        Method::Uniform => Some(formula::uniform(path, times, target)),
        Method::Shear if arrived => Some(path.to_vec()),
        Method::Shear => formula::shear(path, target),
    };
    match (made, zero_motion) {
        (Some(points), _) => Some((points, method)),
        (None, ZeroMotion::Uniform) => Some((formula::uniform(path, times, target), Method::Uniform)),
        (None, ZeroMotion::Refuse) => None,
    }
}

/// Radians to turn within a window; `[start, aimed, wanted]` are where it starts, would arrive and shall arrive. `None` where
/// a way to look along is wanted and there is none.
fn turn_of(span: &Span, source: &Source, carry: &Carry, [start, aimed, wanted]: [DVec3; 3]) -> Option<f64> {
    let bearing = |way: DVec3| (way.x.hypot(way.z) > 1e-9).then(|| way.x.atan2(way.z));
    match span.facing {
        Facing::Keep => Some(0.0),
        Facing::Heading(heading) => Some(wrap(heading - source.headings[span.last] - carry.yaw)),
        Facing::Target => Some(wrap(bearing(wanted - start)? - bearing(aimed - start)?)),
    }
}

/// How much of the turn each frame has made: by angle turned so far; where the source does not turn, by the way travelled;
/// where it does not move either, by time.
fn turn_shares(headings: &[f64], lengths: &[f64], times: &[f64], turn: f64) -> Vec<f64> {
    let mut sum = 0.0;
    let step = |i: usize| if i == 0 { 0.0 } else { (headings[i] - headings[i - 1]).abs() };
    let turned: Vec<f64> = (0..headings.len())
        .map(|i| {
            sum += step(i);
            sum
        })
        .collect();
    let last = headings.len() - 1;
    let gauge = match () {
        () if turn == 0.0 => return vec![0.0; headings.len()],
        () if turned[last] >= LEAST_TURN => &turned[..],
        () if lengths[last] > lengths[0] => lengths,
        () => times,
    };
    let whole = gauge[last] - gauge[0];
    gauge.iter().map(|&at| if whole > 0.0 { (at - gauge[0]) / whole } else { 1.0 }).collect()
}

/// The settings' windows as frames of `times`, which must hold every window's start and end; one over everything without windows.
pub(super) fn spans(settings: &Settings, times: &[f64]) -> Vec<Span> {
    let nearest = |time: f64| {
        let after = times.partition_point(|&t| t < time).min(times.len() - 1);
        let before = after.saturating_sub(1);
        if (times[before] - time).abs() <= (times[after] - time).abs() { before } else { after }
    };
    let span = |first, last, target, facing| Span { first, last, target, facing };
    if settings.windows.is_empty() {
        return settings.target.iter().map(|&target| span(0, times.len() - 1, target, settings.facing)).collect();
    }
    let mut spans: Vec<Span> =
        settings.windows.iter().map(|w| span(nearest(w.start), nearest(w.end), w.target, w.facing)).collect();
    spans.sort_by_key(|span| span.first);
    spans
}

/// Metric by which steps count for this kind of root motion.
pub(super) fn measure_for(ground_only: bool, measure: LengthMeasure) -> LengthMeasure {
    if ground_only { LengthMeasure::Horizontal } else { measure }
}
