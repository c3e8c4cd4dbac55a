//! Displacement stretching: a clip that travels is brought to another end, and what stood still keeps still.
//!
//! A clip moves its character along a path P(1..N). To make it end at D, each frame gets a share of D − P(N) in proportion to
//! how far the source itself moved in that frame, Q(i) = P(i) + (D − P(N))·s(i)/S ([`formula`]). Engines that spread the
//! difference evenly over time make a character that hangs in the air glide; here a pause stays a pause, the end is exact
//! and the result does not depend on axes.
//!
//! *Frames* are the source's own keys of the root joint and all joints above it, and a point every 1/fps where keys are
//! further apart ([`crate::anim::root_motion::frame_times`]). The laws hold at these frames, and the changed tracks have
//! their keys exactly there; every other track is the source's own. Smooth (cubic) tracks of the changed joint become
//! straight pieces between frames.
//!
//! *Windows*: the step between two frames belongs to the window [a, b) that holds its start; a and b become frames. The
//! character arrives when the window ends, and everything outside windows is carried rigidly.
//!
//! *Facing*: a turn about +Y is shared out by the angle the source itself turns in each frame. A source that turns less
//! than 1° in all has nothing to share by; then the way travelled decides.
//!
//! *Carrier*: the path is that of the root-motion joint; what is moved is the lowest joint at or above it that carries every
//! joint with a mesh on it, so that limbs that hang beside the hips come along ([`carriers`]).
//!
//! Limits: where root motion is the ground-plane part of the hips, the target's height is ignored and the source's kept. A window
//! that stays within a thousandth of the rig's size does not move; what then happens is the settings' choice.

mod carriers;
mod error;
mod feet;
pub mod formula;
mod input;
mod keys;
mod path;
mod report;
mod settings;

use glam::DVec3;

pub use error::{BuildError, Quantity};
pub use input::Input;
pub use report::{Measures, PathReport, Report, Warning, WarningKind, WindowReport};
pub use settings::{Facing, FootPlants, LengthMeasure, Method, PlantSpan, Settings, Target, Window, ZeroMotion};

use crate::anim::clip_fit::BrokenClip;
use crate::anim::root_motion;
use crate::anim::{Clip, Pose, RootKind, Skeleton};
use crate::progress::Progress;
use path::{SourcePath, StretchedPath};

/// A stretched clip and what was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    clip: Clip,
    skeleton: Skeleton,
    /// The joint that arrives at the target.
    pub arriving: usize,
    /// Numbers for plots and reports.
    pub report: Report,
}

impl Built {
    /// Writes the whole pose at `time` (seconds, clamped) over `pose`, which must have the skeleton's size: exactly what the
    /// exported clip plays.
    pub fn sample(&self, time: f64, pose: &mut Pose) {
        pose.set_rest(&self.skeleton);
        self.clip.sample(&self.skeleton, time, pose);
    }

    /// The stretched clip. Tracks that did not have to change are the source's, bit for bit.
    pub fn clip(&self) -> &Clip {
        &self.clip
    }
}

/// Stretches `input` as `settings` say.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check_input(input, settings)?;
    check_windows(input, settings)?;
    progress.step(0, 4)?;
    let times = frames_of(input, settings);
    let points = root_motion::path(input.skeleton, input.clip, input.root.joint, &times);
    let headings = root_motion::headings(input.skeleton, input.clip, input.root.joint, &times);
    if let Some(i) = (0..times.len()).find(|&i| !points[i].is_finite() || !headings[i].is_finite()) {
        let joint = input.skeleton.joints[input.root.joint].name.clone();
        return Err(BrokenClip { joint, time: times[i] }.into());
    }
    let aligner = settings.aligner.map(|joint| root_motion::path(input.skeleton, input.clip, joint, &times));
    progress.step(1, 4)?;

    let settings = &effective(input, settings);
    let dead_zone = settings.dead_zone / input.metres_per_unit;
    let lengths = formula::lengths(&points, &times, settings.measure, dead_zone);
    let source = SourcePath {
        times: &times,
        points: &points,
        headings: &headings,
        lengths: &lengths,
        aligner: aligner.as_deref(),
        noise: NOISE * root_motion::rig_size(input.skeleton),
    };
    let windows = path::window_frames(settings, &times);
    let mut made = path::stretch(&source, &windows, settings, settings.method)?;
    // The even spread is only shown beside the result, for comparison.
    let even = path::stretch(&source, &windows, settings, Method::Uniform)?;
    progress.step(2, 4)?;

    let moves = keys::RootMoves { times: &times, from: &points, to: &made.points, yaws: &made.yaws };
    let mut clip = keys::write(input, &carriers::carriers(input), &moves)?;
    progress.step(3, 4)?;
    let plants = if settings.feet { feet::plants(input, settings, &times, dead_zone) } else { Vec::new() };
    // A clip that did not change has its feet where they belong.
    if settings.feet && clip != *input.clip {
        let (windows, carries, yaws) = (&windows[..], &made.carries[..], &made.yaws[..]);
        let body = feet::BodyMotion {
            times: &times,
            windows,
            carries,
            yaws,
            dead_zone,
            plants: &plants,
            by_hand: &settings.plants,
        };
        feet::plant(input, &body, &mut clip, &mut made.warnings);
    }
    // After the feet: they may not move what arrives, and this would show it.
    path::measure_ends(input, settings, &clip, &mut made);
    progress.step(4, 4)?;
    let report = Report { plants, ..report(&source, made, even.points) };
    let arriving = settings.aligner.unwrap_or(input.root.joint);
    Ok(Built { clip, skeleton: input.skeleton.clone(), arriving, report })
}

/// The settings with what the kind of root motion decides.
fn effective(input: &Input, settings: &Settings) -> Settings {
    let ground_only = input.root.kind == RootKind::HipsGroundPart;
    let [x, y, z] = settings.axes;
    Settings {
        measure: if ground_only { LengthMeasure::Horizontal } else { settings.measure },
        // Root motion in the ground plane leaves height to the pose, which stretching does not touch.
        axes: [x, y && !ground_only, z],
        ..settings.clone()
    }
}

fn frames_of(input: &Input, settings: &Settings) -> Vec<f64> {
    let carriers = carriers::carriers(input).into_iter().filter(|&carrier| carrier != input.root.joint);
    let joints = std::iter::once(input.root.joint).chain(carriers);
    let mut chain: Vec<usize> = joints.flat_map(|joint| input.skeleton.ancestors(joint)).collect();
    if settings.feet {
        let feet = input.roles.legs.iter().map(|leg| leg.foot).filter(|&foot| foot < input.skeleton.len());
        // The law for feet holds at frames, so keys of the legs have to be frames too.
        chain.extend(feet.flat_map(|foot| input.skeleton.ancestors(foot)));
    }
    let mut times = root_motion::frame_times(input.clip, chain, input.fps);
    // A window's ends become frames, except where a key is so near that only rounding separates them.
    let near = 1e-3 / input.fps;
    for time in settings.windows.iter().flat_map(|window| [window.start, window.end]) {
        // Keys are f32: a frame between two of them could not be written.
        let time = f64::from(time.min(input.clip.duration) as f32);
        let at = times.partition_point(|&t| t < time);
        let is_near = |i: usize| times.get(i).is_some_and(|t| (t - time).abs() <= near);
        if !is_near(at) && !at.checked_sub(1).is_some_and(is_near) {
            times.insert(at, time);
        }
    }
    times
}

fn report(source: &SourcePath, made: StretchedPath, even: Vec<DVec3>) -> Report {
    let SourcePath { times, points, lengths, .. } = source;
    let to = &made.points;
    let reversed: Vec<bool> =
        (0..times.len()).map(|i| i > 0 && (to[i] - to[i - 1]).dot(points[i] - points[i - 1]) < 0.0).collect();
    let still = (0..times.len()).map(|i| i > 0 && lengths[i] == lengths[i - 1]).collect();
    let mut warnings = made.warnings;
    if let Some(first) = reversed.iter().position(|&back| back) {
        let count = reversed.iter().filter(|&&back| back).count();
        warnings.push(Warning::new(WarningKind::Reversed, first, count as f64));
    }
    let largest = |value: fn(&WindowReport) -> f64| made.windows.iter().map(value).fold(0.0, f64::max);
    Report {
        ratio: largest(|window| window.ratio),
        end_error: largest(|window| window.end_error),
        source: PathReport::new(points.to_vec(), points, times),
        stretched: PathReport::new(made.points, points, times),
        uniform: PathReport::new(even, points, times),
        yaws: made.yaws,
        windows: made.windows,
        lengths: lengths.to_vec(),
        reversed,
        still,
        plants: Vec::new(),
        warnings,
        times: times.to_vec(),
    }
}

/// A path that stays within this share of the rig's size does not move: 2 mm for a person, more than capture and exporters err.
const NOISE: f64 = 1e-3;

/// Positions beyond this leave no room for millimetres in the f64 arithmetic, let alone in the file's f32.
const FARTHEST: f64 = 1e9;

fn check_input(input: &Input, settings: &Settings) -> Result<(), BuildError> {
    const MOST_FRAMES: u64 = 2_000_000;
    let count = input.skeleton.len();
    for joint in [input.root.joint].into_iter().chain(settings.aligner) {
        if joint >= count {
            return Err(BuildError::NoSuchJoint { joint, count });
        }
    }
    input.clip.check_fits(input.skeleton)?;
    let length = input.clip.duration;
    Quantity::FrameRate.check(input.fps, (1.0..=1000.0).contains(&input.fps))?;
    let unit = input.metres_per_unit;
    Quantity::Unit.check(unit, unit > 0.0 && unit.is_finite())?;
    Quantity::DeadZone.check(settings.dead_zone, settings.dead_zone >= 0.0 && settings.dead_zone.is_finite())?;
    let most = settings.max_ratio.unwrap_or(0.0);
    Quantity::MaxRatio.check(most, most >= 0.0)?;
    Quantity::ClipLength.check(length, length >= 0.0 && length.is_finite())?;
    let frames = (length * input.fps) as u64;
    if frames > MOST_FRAMES {
        return Err(BuildError::TooLong { frames, most: MOST_FRAMES });
    }
    check_target(settings.target, settings.facing)?;
    settings.windows.iter().try_for_each(|window| check_target(Some(window.target), window.facing))
}

fn check_target(target: Option<Target>, facing: Facing) -> Result<(), BuildError> {
    if let (Some(_), Facing::Heading(heading)) = (target, facing) {
        Quantity::Heading.check(heading, heading.is_finite())?;
    }
    let Some(Target::World(point) | Target::Start(point)) = target else { return Ok(()) };
    let farthest = point.x.abs() + point.y.abs() + point.z.abs();
    Quantity::Target.check(farthest, farthest <= FARTHEST)
}

fn check_windows(input: &Input, settings: &Settings) -> Result<(), BuildError> {
    let length = input.clip.duration;
    let mut windows = settings.windows.clone();
    let slack = 1e-3 / input.fps;
    for window in &windows {
        let Window { start, end, .. } = *window;
        // Shorter than a frame, a window would have nothing to share out. Written so that a NaN fails too.
        if !(start >= 0.0 && end > start && end.min(length) - start >= 1.0 / input.fps - slack) {
            return Err(BuildError::BadWindow { start, end, length });
        }
    }
    windows.sort_by(|a, b| a.start.total_cmp(&b.start));
    match windows.windows(2).find(|pair| pair[0].end > pair[1].start) {
        Some(pair) => Err(BuildError::Overlap { first: pair[0].start, second: pair[1].start }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
