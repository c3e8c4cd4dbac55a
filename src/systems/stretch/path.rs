//! The stretched path and facing over all windows of a clip.

use glam::{DQuat, DVec3};

use super::report::{Warning, WarningKind, WindowReport};
use super::settings::{Facing, LengthMeasure, Method, Settings, Target, Window, ZeroMotion};
use super::{BuildError, Input, formula};
use crate::anim::root_motion::{world_at, wrap};
use crate::anim::{Clip, RootKind};

/// The source's motion at the frames; all slices are equally long and hold at least one frame.
pub(super) struct SourcePath<'a> {
    /// Seconds of each frame, rising.
    pub times: &'a [f64],
    /// World positions of the root.
    pub points: &'a [DVec3],
    /// Unwrapped headings, radians.
    pub headings: &'a [f64],
    /// Length travelled up to each frame.
    pub lengths: &'a [f64],
    /// World positions of the joint that shall arrive, where that is not the root.
    pub aligner: Option<&'a [DVec3]>,
    /// A window that stays within this distance of its start does not move: noise of capture and of rounding.
    pub noise: f64,
}

/// A window in frames: its first and its last.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowFrames {
    pub first: usize,
    pub last: usize,
    pub target: Target,
    pub facing: Facing,
}

/// Moves what comes after a window along with it, without changing its shape.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RigidCarry {
    pub yaw: f64,
    from: DVec3,
    to: DVec3,
}

impl RigidCarry {
    /// The carried place of a source point; the window's end itself goes exactly to where the window ends.
    pub fn apply(&self, point: DVec3) -> DVec3 {
        match self.yaw {
            _ if point == self.from => self.to,
            // Without a turn no rotation is multiplied in, so that what is only shifted keeps its bits.
            0.0 => point + (self.to - self.from),
            yaw => self.to + DQuat::from_rotation_y(yaw) * (point - self.from),
        }
    }
}

/// A path and its facing under the settings.
#[derive(Debug)]
pub(super) struct StretchedPath {
    pub points: Vec<DVec3>,
    /// Radians added to the source's heading.
    pub yaws: Vec<f64>,
    /// What carries the source before each window, and after the last one.
    pub carries: Vec<RigidCarry>,
    pub windows: Vec<WindowReport>,
    pub warnings: Vec<Warning>,
}

/// Turns smaller than this over a whole window are sway, not turning: they cannot carry a change of facing.
const LEAST_TURN: f64 = 1.0_f64 / 180.0 * std::f64::consts::PI;

/// Stretch ratios above this are no longer a change of the source but another motion, and always said.
const LARGE_RATIO: f64 = 20.0;

/// Brings `source` through `windows` (in order, not overlapping) with `method`, whatever the settings' own.
pub(super) fn stretch(
    source: &SourcePath,
    windows: &[WindowFrames],
    settings: &Settings,
    method: Method,
) -> Result<StretchedPath, BuildError> {
    let count = source.points.len();
    let mut made = StretchedPath {
        points: source.points.to_vec(),
        yaws: vec![0.0; count],
        carries: vec![RigidCarry::default()],
        windows: Vec::new(),
        warnings: Vec::new(),
    };
    for (k, window) in windows.iter().enumerate() {
        let carry = stretch_window(
            source,
            &WindowPath::new(source, window, made.carries[k], settings.measure),
            settings,
            method,
            &mut made,
        )?;
        made.carries.push(carry);
        let until = windows.get(k + 1).map_or(count, |next| next.first);
        for i in window.last + 1..until {
            made.points[i] = carry.apply(source.points[i]);
            made.yaws[i] = carry.yaw;
        }
    }
    Ok(made)
}

/// The part of the source that lies in a window, where the windows before have carried it.
struct WindowPath<'a> {
    window: &'a WindowFrames,
    carry: RigidCarry,
    times: &'a [f64],
    headings: &'a [f64],
    lengths: &'a [f64],
    /// World positions of the root at the window's frames; never empty.
    points: Vec<DVec3>,
    /// Length travelled; 0 where all of it is noise.
    length: f64,
}

impl<'a> WindowPath<'a> {
    fn new(source: &'a SourcePath, window: &'a WindowFrames, carry: RigidCarry, measure: LengthMeasure) -> Self {
        let frames = window.first..=window.last;
        let start = source.points[window.first];
        let from_start = |point: &DVec3| formula::step_length(*point - start, measure);
        // Not the length travelled: capture noise adds up to metres while the figure stands in one place.
        let extent = source.points[frames.clone()].iter().map(from_start).fold(0.0, f64::max);
        let length = source.lengths[window.last] - source.lengths[window.first];
        Self {
            length: if extent <= source.noise { 0.0 } else { length },
            window,
            carry,
            times: &source.times[frames.clone()],
            headings: &source.headings[frames.clone()],
            lengths: &source.lengths[frames.clone()],
            points: source.points[frames].iter().map(|&point| carry.apply(point)).collect(),
        }
    }

    fn end(&self) -> DVec3 {
        self.points[self.points.len() - 1]
    }

    /// |target − P(N)|/S; 0 where the source does not move.
    fn ratio(&self, target: DVec3) -> f64 {
        if self.length > 0.0 { (target - self.end()).length() / self.length } else { 0.0 }
    }

    /// Whether `target` is where the source ends, but for the rounding of f32 keys.
    fn is_end(&self, target: DVec3) -> bool {
        let end = self.end();
        (target - end).length() <= 4.0 * f64::from(f32::EPSILON) * end.length().max(target.length())
    }
}

/// Writes the frames of a window to `made`; answers what carries the source from its end on.
fn stretch_window(
    source: &SourcePath,
    piece: &WindowPath,
    settings: &Settings,
    method: Method,
    made: &mut StretchedPath,
) -> Result<RigidCarry, BuildError> {
    let WindowFrames { first, last, target, .. } = *piece.window;
    let (carry, end) = (piece.carry, piece.end());
    let [start_time, end_time] = [first, last].map(|frame| source.times[frame]);
    // Where the arriving joint would end if this window changed nothing.
    let aimed = source.aligner.map_or(end, |aligner| carry.apply(aligner[last]));
    let wanted = target.in_world(source.points[0], source.headings[0]);
    let turn = turn_of(piece, aimed, wanted).unwrap_or_else(|| {
        made.warnings.push(Warning::new(WarningKind::NoDirection, last, (wanted - piece.points[0]).length()));
        0.0
    });
    // The root goes where the arriving joint, turned about it, meets the target.
    let mut target = wanted - DQuat::from_rotation_y(turn) * (aimed - end);
    // Axes that are not corrected keep the source's own end, so nothing is missing along them.
    (0..3).filter(|&axis| !settings.axes[axis]).for_each(|axis| target[axis] = end[axis]);
    if let Some(most) = settings.max_ratio.filter(|&most| piece.ratio(target) > most) {
        let nearer = end + (target - end) * (most / piece.ratio(target));
        made.warnings.push(Warning::new(WarningKind::TargetDrawnNearer, last, (target - nearer).length()));
        target = nearer;
    }
    let missing = (target - end).length();
    let shared = match share_out(piece, target, method, settings) {
        // A still source whose target is its own end has nothing to share out, which is no failure.
        None if piece.is_end(target) => {
            target = end;
            Some(Shared { points: piece.points.clone(), method })
        }
        shared => shared,
    };
    let shared = shared.ok_or(BuildError::NoMotion { start: start_time, end: end_time, missing })?;
    if shared.method != method {
        made.warnings.push(Warning::new(WarningKind::SpreadEvenly, first, missing));
    }
    made.points[first..=last].copy_from_slice(&shared.points);
    if piece.ratio(target) > LARGE_RATIO {
        made.warnings.push(Warning::new(WarningKind::LargeRatio, last, piece.ratio(target)));
    }
    // Facing is shared out on its own: a source may turn where it does not travel.
    let shares = turn_shares(piece, turn);
    made.yaws[first..=last].iter_mut().zip(shares).for_each(|(yaw, share)| *yaw = carry.yaw + turn * share);
    made.windows.push(WindowReport {
        start: start_time,
        end: end_time,
        last,
        wanted,
        target,
        ratio: piece.ratio(target),
        // Filled in by `measure_ends`, once the clip's f32 keys are written.
        end_error: 0.0,
        turn,
        method: shared.method,
    });
    Ok(RigidCarry { yaw: carry.yaw + turn, from: source.points[last], to: target })
}

/// Where the arriving joint stands in `clip` at each window's end, against what was asked for on the corrected axes.
pub(super) fn measure_ends(input: &Input, settings: &Settings, clip: &Clip, made: &mut StretchedPath) {
    let joint = settings.aligner.unwrap_or(input.root.joint);
    let scale = crate::anim::root_motion::rig_size(input.skeleton);
    for window in &mut made.windows {
        let beside = world_at(input.skeleton, clip, joint, window.end).translation - window.wanted;
        let counted = |axis: usize| if settings.axes[axis] { beside[axis] } else { 0.0 };
        window.end_error = DVec3::new(counted(0), counted(1), counted(2)).length();
        let frame = window.last;
        // f32 keys round by up to 6e-8 of their size, at every joint down the chain.
        let most = 1e-5 * scale.max(window.wanted.length());
        if input.root.kind == RootKind::HipsGroundPart && beside.y.abs() > most {
            made.warnings.push(Warning::new(WarningKind::HeightIgnored, frame, beside.y.abs()));
        }
        if settings.aligner.is_some() && window.end_error > most {
            let missed = Warning::new(WarningKind::AlignerMissed, frame, window.end_error);
            made.warnings.push(settings.aligner.map_or(missed, |joint| missed.of(joint)));
        }
    }
}

/// A window's new points and the method that made them.
struct Shared {
    points: Vec<DVec3>,
    method: Method,
}

/// The points under `method`, or evenly spread where the user allows it; `None` where the source has nothing to share by.
fn share_out(piece: &WindowPath, target: DVec3, method: Method, settings: &Settings) -> Option<Shared> {
    let path = &piece.points[..];
    let arrived = piece.end() == target;
    let points = match method {
        Method::Displacement if piece.length > 0.0 || arrived => {
            Some(formula::displacement(path, piece.lengths, target))
        }
        Method::Displacement => None,
        Method::Uniform => Some(formula::uniform(path, piece.times, target)),
        // The shear is undefined where start and end coincide; what has arrived needs none.
        Method::Shear if arrived => Some(path.to_vec()),
        Method::Shear if piece.length > 0.0 => formula::shear(path, target, settings.measure),
        Method::Shear => None,
    };
    match (points, settings.zero_motion) {
        (Some(points), _) => Some(Shared { points, method }),
        (None, ZeroMotion::Uniform) => {
            Some(Shared { points: formula::uniform(path, piece.times, target), method: Method::Uniform })
        }
        (None, ZeroMotion::Refuse) => None,
    }
}

/// Radians to turn within a window whose aligner would arrive at `aimed` and shall arrive at `wanted`; `None` where the
/// character shall look along its way and that has no direction in the ground plane.
fn turn_of(piece: &WindowPath, aimed: DVec3, wanted: DVec3) -> Option<f64> {
    // Below a nanometre of a metre file the direction is only rounding.
    let bearing = |way: DVec3| (way.x.hypot(way.z) > 1e-9).then(|| way.x.atan2(way.z));
    let start = piece.points[0];
    match piece.window.facing {
        Facing::Keep => Some(0.0),
        Facing::Heading(heading) => Some(wrap(heading - piece.headings[piece.headings.len() - 1] - piece.carry.yaw)),
        Facing::Target => Some(wrap(bearing(wanted - start)? - bearing(aimed - start)?)),
    }
}

/// How much of the turn each frame has made: by angle turned so far; where the source does not turn, by the way travelled;
/// where it does not move either, by time.
fn turn_shares(piece: &WindowPath, turn: f64) -> Vec<f64> {
    let WindowPath { headings, lengths, times, .. } = piece;
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
        // The first gauge that measures anything decides for the whole window, so that shares never jump between gauges.
        () if turned[last] >= LEAST_TURN => &turned[..],
        () if piece.length > 0.0 => lengths,
        () => times,
    };
    let whole = gauge[last] - gauge[0];
    gauge.iter().map(|&at| if whole > 0.0 { (at - gauge[0]) / whole } else { 1.0 }).collect()
}

/// The settings' windows as frames of `times`, which must hold every window's start and end; one over everything without windows.
pub(super) fn window_frames(settings: &Settings, times: &[f64]) -> Vec<WindowFrames> {
    let nearest = |time: f64| {
        let after = times.partition_point(|&t| t < time).min(times.len() - 1);
        let before = after.saturating_sub(1);
        if (times[before] - time).abs() <= (times[after] - time).abs() { before } else { after }
    };
    if settings.windows.is_empty() {
        let whole = |&target| WindowFrames { first: 0, last: times.len() - 1, target, facing: settings.facing };
        return settings.target.iter().map(whole).collect();
    }
    let frames = |window: &Window| WindowFrames {
        first: nearest(window.start),
        last: nearest(window.end),
        target: window.target,
        facing: window.facing,
    };
    let mut windows: Vec<WindowFrames> = settings.windows.iter().map(frames).collect();
    // Each window starts where those before it have carried the source.
    windows.sort_by_key(|window| window.first);
    windows
}
