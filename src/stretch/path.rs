//! The stretched path and heading over all windows of a clip.

use glam::{DQuat, DVec3};

use super::edges::SoftEdges;
use super::report::{Warning, WarningKind, WindowReport};
use super::settings::{Facing, LengthMeasure, Method, Settings, Target, Window, ZeroMotion};
use super::{BuildError, Input, formula};
use portamento_anim::root_motion::{world_at, wrap};
use portamento_anim::{Clip, RootKind};

/// The source's motion at the frames. All slices have the same length and contain at least one frame.
pub(super) struct SourcePath<'a> {
    /// Time of each frame in seconds, rising.
    pub times: &'a [f64],
    /// World positions of the root.
    pub points: &'a [DVec3],
    /// Unwrapped headings, radians.
    pub headings: &'a [f64],
    /// Travelled length up to each frame.
    pub lengths: &'a [f64],
    /// World positions of the aligned joint; `None` if the root arrives at the target.
    pub aligner: Option<&'a [DVec3]>,
    /// Motion within this distance of the window's start is noise of capture or rounding, so the window counts as motionless.
    pub noise: f64,
}

/// A window as a range of frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowFrames {
    /// The first frame.
    pub first: usize,
    /// The last frame, inclusive.
    pub last: usize,
    /// Position at its end.
    pub target: Target,
    /// Heading at its end.
    pub facing: Facing,
    /// The soft edges.
    pub edges: SoftEdges,
    /// True if it is retimed to the source's speed.
    pub keep_speed: bool,
}

/// Rigid transform of the motion after a window: rotation about the window's end and translation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RigidCarry {
    /// Turn about +Y, radians.
    pub yaw: f64,
    /// World position of the source at the window's end.
    from: DVec3,
    /// World position to which it is moved.
    to: DVec3,
}

impl RigidCarry {
    /// Returns the source's world position `point` after the transform. The end of the window maps exactly to its target.
    pub fn apply(&self, point: DVec3) -> DVec3 {
        match self.yaw {
            _ if point == self.from => self.to,
            // A pure translation applies no rotation, so that it does not change bits.
            0.0 => point + (self.to - self.from),
            yaw => self.to + DQuat::from_rotation_y(yaw) * (point - self.from),
        }
    }
}

/// A stretched path with headings.
#[derive(Debug)]
pub(super) struct StretchedPath {
    /// World positions of the root, one per frame, in the file's unit.
    pub points: Vec<DVec3>,
    /// Radians added to the source's heading.
    pub yaws: Vec<f64>,
    /// Rigid transform of the source before each window, and after the last one.
    pub carries: Vec<RigidCarry>,
    pub windows: Vec<WindowReport>,
    pub warnings: Vec<Warning>,
}

/// Smallest total turn, in radians, by which a change of heading can be distributed; less is sway. Tuned; no derivation recorded.
const MIN_TURN_RADIANS: f64 = 1.0_f64 / 180.0 * std::f64::consts::PI;

/// Stretch ratio above which a warning is added, since the result has little to do with the source. Tuned; no derivation
/// recorded.
const WARNING_RATIO: f64 = 20.0;

/// Applies `windows` (sorted, not overlapping) to `source` with `method`, which overrides the method in `settings`. Returns `Err`
/// if the correction of a window cannot be distributed.
pub(super) fn stretch(
    source: &SourcePath,
    windows: &[WindowFrames],
    settings: &Settings,
    method: Method,
) -> Result<StretchedPath, BuildError> {
    let count = source.points.len();
    let mut stretched = StretchedPath {
        points: source.points.to_vec(),
        yaws: vec![0.0; count],
        carries: vec![RigidCarry::default()],
        windows: Vec::new(),
        warnings: Vec::new(),
    };
    for (k, window) in windows.iter().enumerate() {
        let carry = stretch_window(
            source,
            &WindowPath::new(source, window, stretched.carries[k], settings.measure),
            settings,
            method,
            &mut stretched,
        )?;
        stretched.carries.push(carry);
        let until = windows.get(k + 1).map_or(count, |next| next.first);
        for i in window.last + 1..until {
            stretched.points[i] = carry.apply(source.points[i]);
            stretched.yaws[i] = carry.yaw;
        }
    }
    Ok(stretched)
}

/// The part of the source within a window, after the rigid transform of the previous windows.
struct WindowPath<'a> {
    window: &'a WindowFrames,
    carry: RigidCarry,
    times: &'a [f64],
    headings: &'a [f64],
    /// Travelled length up to each frame, weighted by the soft edges.
    lengths: Vec<f64>,
    /// World positions of the root at the window's frames; never empty.
    points: Vec<DVec3>,
    /// Travelled length; 0 if all of it is noise.
    length: f64,
}

impl<'a> WindowPath<'a> {
    /// Cuts the window out of the source and applies the rigid transform `carry`.
    fn new(source: &'a SourcePath, window: &'a WindowFrames, carry: RigidCarry, measure: LengthMeasure) -> Self {
        let frames = window.first..=window.last;
        let start = source.points[window.first];
        let from_start = |point: &DVec3| formula::step_length(*point - start, measure);
        // Extent and not travelled length, since capture noise of a standing figure can add up to metres.
        let extent = source.points[frames.clone()].iter().map(from_start).fold(0.0, f64::max);
        let length = source.lengths[window.last] - source.lengths[window.first];
        Self {
            length: if extent <= source.noise { 0.0 } else { length },
            window,
            carry,
            times: &source.times[frames.clone()],
            headings: &source.headings[frames.clone()],
            lengths: window.edges.soften(&source.lengths[frames.clone()], &source.times[frames.clone()]),
            points: source.points[frames].iter().map(|&point| carry.apply(point)).collect(),
        }
    }

    /// Returns the position of the root at the window's end.
    fn end(&self) -> DVec3 {
        self.points[self.points.len() - 1]
    }

    /// Returns |target − P(N)|/S; 0 if the source does not move.
    fn ratio(&self, target: DVec3) -> f64 {
        if self.length > 0.0 { (target - self.end()).length() / self.length } else { 0.0 }
    }

    /// True if `target` is the source's end, except for the rounding of f32 keys.
    fn is_end(&self, target: DVec3) -> bool {
        let end = self.end();
        (target - end).length() <= 4.0 * f64::from(f32::EPSILON) * end.length().max(target.length())
    }
}

/// Writes the frames, the report and the warnings of a window to `stretched`; returns the rigid transform after its end. Returns
/// `Err` if the correction cannot be distributed.
fn stretch_window(
    source: &SourcePath,
    piece: &WindowPath,
    settings: &Settings,
    method: Method,
    stretched: &mut StretchedPath,
) -> Result<RigidCarry, BuildError> {
    let WindowFrames { first, last, target, .. } = *piece.window;
    let (carry, end) = (piece.carry, piece.end());
    let [start_time, end_time] = [first, last].map(|frame| source.times[frame]);
    // End of the aligned joint if the window changed nothing.
    let aimed = source.aligner.map_or(end, |aligner| carry.apply(aligner[last]));
    let wanted = target.in_world(source.points[0], source.headings[0]);
    let turn = turn_of(piece, aimed, wanted).unwrap_or_else(|| {
        stretched.warnings.push(Warning::new(WarningKind::NoDirection, last, (wanted - piece.points[0]).length()));
        0.0
    });
    // Root position at which the aligned joint, turned about the root, meets the target.
    let mut target = wanted - DQuat::from_rotation_y(turn) * (aimed - end);
    // Along axes that are not corrected the target is the source's end.
    (0..3).filter(|&axis| !settings.axes[axis]).for_each(|axis| target[axis] = end[axis]);
    if let Some(limit) = settings.max_ratio.filter(|&limit| piece.ratio(target) > limit) {
        let nearer = end + (target - end) * (limit / piece.ratio(target));
        stretched.warnings.push(Warning::new(WarningKind::TargetDrawnNearer, last, (target - nearer).length()));
        target = nearer;
    }
    let missing = (target - end).length();
    let distributed = match distribute(piece, target, method, settings) {
        // A motionless source whose target is its own end needs no correction and is not an error.
        None if piece.is_end(target) => {
            target = end;
            Some(Distributed { points: piece.points.clone(), method })
        }
        distributed => distributed,
    };
    let refused = match piece.times {
        [_] => BuildError::SingleFrame { missing },
        _ => BuildError::NoMotion { start: start_time, end: end_time, missing },
    };
    let distributed = distributed.ok_or(refused)?;
    if distributed.method != method {
        stretched.warnings.push(Warning::new(WarningKind::SpreadEvenly, first, missing));
    }
    stretched.points[first..=last].copy_from_slice(&distributed.points);
    if piece.ratio(target) > WARNING_RATIO {
        stretched.warnings.push(Warning::new(WarningKind::LargeRatio, last, piece.ratio(target)));
    }
    // The turn is distributed separately, since a source may turn without travelling.
    let fractions = turn_fractions(piece, turn);
    stretched.yaws[first..=last]
        .iter_mut()
        .zip(fractions)
        .for_each(|(yaw, fraction)| *yaw = carry.yaw + turn * fraction);
    stretched.windows.push(WindowReport {
        start: start_time,
        end: end_time,
        last,
        wanted,
        target,
        ratio: piece.ratio(target),
        // Set by `measure_ends` after the clip's f32 keys are written.
        end_error: 0.0,
        added_seconds: 0.0,
        turn,
        method: distributed.method,
    });
    Ok(RigidCarry { yaw: carry.yaw + turn, from: source.points[last], to: target })
}

/// Sets the end error of each window: the distance of the arriving joint in `clip` from the requested position, on the corrected
/// axes. Adds warnings about ends that are missed.
pub(super) fn measure_ends(input: &Input, settings: &Settings, clip: &Clip, stretched: &mut StretchedPath) {
    let joint = settings.aligner.unwrap_or(input.root.joint);
    let scale = portamento_anim::root_motion::rig_size(input.skeleton);
    for window in &mut stretched.windows {
        let error = world_at(input.skeleton, clip, joint, window.end).translation - window.wanted;
        let corrected_error = |axis: usize| if settings.axes[axis] { error[axis] } else { 0.0 };
        window.end_error = DVec3::new(corrected_error(0), corrected_error(1), corrected_error(2)).length();
        let frame = window.last;
        // f32 keys round by up to 6e-8 of their size, at every joint of the chain.
        let tolerance = 1e-5 * scale.max(window.wanted.length());
        if input.root.kind == RootKind::HipsGroundPart && error.y.abs() > tolerance {
            stretched.warnings.push(Warning::new(WarningKind::HeightIgnored, frame, error.y.abs()));
        }
        if settings.aligner.is_some() && window.end_error > tolerance {
            let missed = Warning::new(WarningKind::AlignerMissed, frame, window.end_error);
            stretched.warnings.push(settings.aligner.map_or(missed, |joint| missed.of(joint)));
        }
    }
}

/// The new points of a window and the method that produced them.
struct Distributed {
    points: Vec<DVec3>,
    method: Method,
}

/// Returns the points of the window with its end moved to `target` by `method`. If `method` is impossible, the
/// correction is distributed evenly over time, or the result is `None`, as `settings.zero_motion` says.
///
/// Displacement and shear need a source that moves; shear also needs a start and an end that do not coincide. A path
/// that already ends at `target` needs neither. Another window of a single frame always gives `None`.
fn distribute(piece: &WindowPath, target: DVec3, method: Method, settings: &Settings) -> Option<Distributed> {
    let path = &piece.points[..];
    let has_arrived = piece.end() == target;
    if piece.times.len() == 1 && !has_arrived {
        return None;
    }
    let points = match method {
        Method::Displacement if piece.length > 0.0 || has_arrived => {
            Some(formula::displacement(path, &piece.lengths, target))
        }
        Method::Displacement => None,
        Method::Uniform => Some(evenly(piece, target)),
        // The shear is undefined if start and end coincide; a path that has arrived needs none.
        Method::Shear if has_arrived => Some(path.to_vec()),
        Method::Shear if piece.length > 0.0 => {
            formula::shear(path, target, settings.measure).map(|sheared| softened_shear(piece, &sheared, target))
        }
        Method::Shear => None,
    };
    match (points, settings.zero_motion) {
        (Some(points), _) => Some(Distributed { points, method }),
        (None, ZeroMotion::Uniform) => Some(Distributed { points: evenly(piece, target), method: Method::Uniform }),
        (None, ZeroMotion::Refuse) => None,
    }
}

/// Returns the points with the correction distributed evenly over time.
fn evenly(piece: &WindowPath, target: DVec3) -> Vec<DVec3> {
    formula::uniform(&piece.points, &piece.window.edges.soften(piece.times, piece.times), target)
}

/// Returns the points `sheared` with soft edges; the end is exactly at `target`. A path that runs so far back and forth that its
/// edges are most of its travel stays as it is.
fn softened_shear(piece: &WindowPath, sheared: &[DVec3], target: DVec3) -> Vec<DVec3> {
    /// Smallest share of the travel between the ramps.
    const MIN_SHARE: f64 = 0.1;
    let excess = target - piece.end();
    if piece.window.edges.is_hard() || excess == DVec3::ZERO {
        return sheared.to_vec();
    }
    let shares: Vec<f64> = sheared
        .iter()
        .zip(&piece.points)
        .map(|(to, from)| (*to - *from).dot(excess) / excess.length_squared())
        .collect();
    let shares = piece.window.edges.soften(&shares, piece.times);
    let last = shares.len() - 1;
    if shares[last] < MIN_SHARE {
        return sheared.to_vec();
    }
    let moved = |i: usize| if i == last { target } else { piece.points[i] + excess * (shares[i] / shares[last]) };
    (0..=last).map(moved).collect()
}

/// Returns the turn within a window in radians. `aimed` is the unchanged end of the aligned joint and `wanted` its target.
/// Returns `None` if the character should face its travel and that has no direction in the ground plane.
fn turn_of(piece: &WindowPath, aimed: DVec3, wanted: DVec3) -> Option<f64> {
    // Below 1e-9 units the direction consists of rounding errors.
    let direction = |offset: DVec3| (offset.x.hypot(offset.z) > 1e-9).then(|| offset.x.atan2(offset.z));
    let start = piece.points[0];
    match piece.window.facing {
        Facing::Keep => Some(0.0),
        Facing::Heading(heading) => Some(wrap(heading - piece.headings[piece.headings.len() - 1] - piece.carry.yaw)),
        Facing::Target => Some(wrap(direction(wanted - start)? - direction(aimed - start)?)),
    }
}

/// Returns the fraction of `turn` (radians) completed at each frame; all 0 if it is 0. It is measured by turned angle, or by
/// travelled length if the source does not turn, or by time if it does not move either.
fn turn_fractions(piece: &WindowPath, turn: f64) -> Vec<f64> {
    let WindowPath { headings, lengths, times, .. } = piece;
    let mut sum = 0.0;
    let step = |i: usize| if i == 0 { 0.0 } else { (headings[i] - headings[i - 1]).abs() };
    let turned_angle: Vec<f64> = (0..headings.len())
        .map(|i| {
            sum += step(i);
            sum
        })
        .collect();
    let last = headings.len() - 1;
    let edges = &piece.window.edges;
    let measure = match () {
        () if turn == 0.0 => return vec![0.0; headings.len()],
        // One measure applies to the whole window, so that fractions never jump between measures.
        () if turned_angle[last] >= MIN_TURN_RADIANS => edges.soften(&turned_angle, times),
        () if piece.length > 0.0 => lengths.clone(),
        () => edges.soften(times, times),
    };
    let total = measure[last] - measure[0];
    measure.iter().map(|&at| if total > 0.0 { (at - measure[0]) / total } else { 1.0 }).collect()
}

/// Returns the windows as frame ranges of `times`, which must contain every start and end. Without windows, returns one range
/// over the clip.
pub(super) fn window_frames(settings: &Settings, times: &[f64]) -> Vec<WindowFrames> {
    let nearest = |time: f64| {
        let after = times.partition_point(|&t| t < time).min(times.len() - 1);
        let before = after.saturating_sub(1);
        if (times[before] - time).abs() <= (times[after] - time).abs() { before } else { after }
    };
    if settings.windows.is_empty() {
        let last = times.len() - 1;
        let edges = SoftEdges::new(0.0, [times[0], times[last]], [false; 2]);
        let full_range =
            |&target| WindowFrames { first: 0, last, target, facing: settings.facing, edges, keep_speed: false };
        return settings.target.iter().map(full_range).collect();
    }
    let frames = |window: &Window| {
        let (first, last) = (nearest(window.start), nearest(window.end));
        let is_open = [first > 0, last + 1 < times.len()];
        WindowFrames {
            first,
            last,
            target: window.target,
            facing: window.facing,
            edges: SoftEdges::new(window.soft_edges, [times[first], times[last]], is_open),
            keep_speed: window.keep_speed,
        }
    };
    let mut windows: Vec<WindowFrames> = settings.windows.iter().map(frames).collect();
    // Each window starts at the end of the rigid transform of the previous ones.
    windows.sort_by_key(|window| window.first);
    windows
}
