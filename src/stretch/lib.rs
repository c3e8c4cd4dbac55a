//! Displacement stretching: moves the end of a travelling clip to a target without turning pauses into glides.
//!
//! ```
//! use glam::{DVec3, Vec3};
//! use portamento_anim::math::Transform;
//! use portamento_anim::{Clip, Curve, Joint, JointTracks, Pose, Roles, RootKind, RootMotion, Skeleton};
//! use portamento_base::progress::Progress;
//! use portamento_stretch::{Input, Settings, Target, build};
//!
//! // A leap of 2 m: the character crouches for half a second, then jumps.
//! let joint = |name: &str, parent: Option<usize>, at: Vec3| Joint {
//!     name: name.into(),
//!     parent,
//!     rest: Transform::from_translation(at),
//!     node: 0,
//!     first_morph: 0,
//!     morph_count: 0,
//! };
//! let skeleton = Skeleton { joints: vec![joint("root", None, Vec3::ZERO)], rest_morphs: Vec::new() };
//! let path = Curve::linear(vec![0.0, 0.5, 1.0], vec![Vec3::ZERO, Vec3::ZERO, Vec3::Z * 2.0]);
//! let tracks = vec![JointTracks { translation: Some(path), ..JointTracks::default() }];
//! let clip = Clip { name: "leap".into(), duration: 1.0, tracks };
//!
//! // The target is known only now, when the player jumps.
//! let enemy = DVec3::new(1.0, 0.0, 3.0);
//! let settings = Settings { target: Some(Target::World(enemy)), ..Settings::default() };
//! let input = Input {
//!     skeleton: &skeleton,
//!     clip: &clip,
//!     roles: &Roles::default(),
//!     root: RootMotion { joint: 0, kind: RootKind::Root },
//!     fps: 30.0,
//!     metres_per_unit: 1.0,
//!     mesh_joints: &[],
//! };
//! let leap = build(&input, &settings, &Progress::new())?;
//!
//! // Each frame samples the stretched clip into the same pose, without an allocation.
//! let mut pose = Pose::rest(&skeleton);
//! for frame in 0..=60 {
//!     leap.sample(f64::from(frame) / 60.0, &mut pose);
//!     let is_crouching = frame <= 30;
//!     assert_eq!(is_crouching, pose.locals[0].translation == Vec3::ZERO);
//! }
//! assert_eq!(pose.locals[0].translation.as_dvec3(), enemy);
//! # Ok::<(), portamento_stretch::BuildError>(())
//! ```
//!
//! A clip moves its character along a path P(1..N). To end at D, each frame gets a share of D − P(N) in proportion to how far the
//! source moved in that frame ([`formula`]):
//!
//! ```text
//! Q(i) = P(i) + (D − P(N)) · s(i) / S
//! ```
//!
//! Engines that spread the difference evenly over time make a resting character glide. Here a pause stays a pause, the end is
//! exact, and the result does not depend on the axes.
//!
//! *Frames* are the source's keys of the root joint and all its ancestors, plus a point every 1/fps where keys are further apart
//! ([`portamento_anim::root_motion::frame_times`]). The guarantees apply at these frames, and changed tracks have their keys exactly
//! there. Every other track is that of the source. Cubic tracks of a changed joint become linear between frames.
//!
//! *Windows*: a step between two frames belongs to the window [a, b) that contains its start. Both a and b become frames. The
//! character arrives at the end of the window. Motion outside windows is moved rigidly.
//!
//! *Edges*: the correction of a window sets in and fades out over [`Window::soft_edges`], so that the speed does not jump (module
//! `edges`). A window with [`Window::keep_speed`] takes the time that its new path needs at the source's speed (module `speed`).
//!
//! *Facing*: a turn about +Y is distributed by the angle that the source turns in each frame. If the source turns less than 1° in
//! total, the turn is distributed by travelled distance.
//!
//! *Carrier*: the path is that of the root-motion joint. The moved joint is its lowest ancestor (or itself) that has every mesh
//! joint in its subtree, so that separate limbs move along ([`carriers`]).
//!
//! Limits: if the root motion is the ground part of the hips, the target's height is ignored and the source's height is kept. A
//! window that stays within a thousandth of the rig's size counts as motionless; [`Settings::zero_motion`] then decides.

pub mod additive;
pub mod retime;
pub mod trim;
pub mod mirror;
pub mod root;
pub mod carriers;
mod curve_rows;
mod edges;
mod error;
mod feet;
pub mod formula;
mod input;
mod keys;
mod path;
mod report;
mod settings;
mod speed;

use glam::DVec3;

pub use error::{BuildError, Quantity};
pub use input::Input;
pub use report::{DisplayUnits, PathReport, Report, Warning, WarningKind, WindowReport};
pub use settings::{Facing, FootPlants, LengthMeasure, Method, PlantSpan, Settings, Target, Window, ZeroMotion};

use path::{SourcePath, StretchedPath, WindowFrames};
use portamento_anim::clip_fit::BrokenClip;
use portamento_anim::root_motion;
use portamento_anim::travelling::travelling;
use portamento_anim::{Clip, Pose, RootKind, Skeleton};
use portamento_base::progress::Progress;
use retime::TimeMap;

/// A stretched clip with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    clip: Clip,
    skeleton: Skeleton,
    /// The joint that arrives at the target.
    pub arriving_joint: usize,
    /// The map from the source's time to that of the clip; `None` if they are equal.
    pub map: Option<TimeMap>,
    /// Numbers for plots and reports.
    pub report: Report,
}

impl Built {
    /// Returns `clip`, another motion in the source's time, retimed as this one is. Returns `None` if the time is unchanged.
    pub fn in_time(&self, clip: &Clip) -> Option<Clip> {
        self.map.as_ref().map(|map| retime::retimed_clip(&self.skeleton, clip, map))
    }

    /// Writes the pose of the exported clip at `time` (seconds, clamped) to `pose`, which must have the skeleton's size.
    pub fn sample(&self, time: f64, pose: &mut Pose) {
        pose.set_rest(&self.skeleton);
        self.clip.sample(&self.skeleton, time, pose);
    }

    /// Returns the stretched clip. Unchanged tracks are those of the source, bit for bit.
    pub fn clip(&self) -> &Clip {
        &self.clip
    }
}

/// Stretches the clip of `input` according to `settings`.
///
/// Returns `Err` if
/// - the clip has another number of tracks than the skeleton has joints;
/// - the root joint or the aligner is not a joint of the skeleton;
/// - the frame rate is outside 1…1000, or the unit is not positive and finite;
/// - the dead zone is negative or not finite, or the stretch limit is negative;
/// - the clip's length is negative or not finite, or the clip has more than 2,000,000 frames;
/// - the absolute coordinates of a target add up to more than 10⁹, or a heading at a target is not finite;
/// - a position or heading of the root is not finite;
/// - a window is shorter than a frame or outside the clip, or two windows overlap;
/// - the soft edges of a window are negative or not finite, or a window that keeps its speed would last more than a day;
/// - the source does not move in a window whose target is elsewhere, and [`ZeroMotion::Refuse`] is set; a gait on the spot is named;
/// - a parent of a moved joint is scaled to zero;
/// - `progress` is cancelled.
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
        noise: NOISE_RIG_FRACTION * root_motion::rig_size(input.skeleton),
    };
    let windows = path::window_frames(settings, &times);
    let stretched = path::stretch(&source, &windows, settings, settings.method);
    let mut stretched = stretched.map_err(|error| on_the_spot(input, error))?;
    // The even distribution is computed for comparison in plots only.
    let even = path::stretch(&source, &windows, settings, Method::Uniform)?;
    progress.step(2, 4)?;

    let moves = keys::RootMoves { times: &times, from: &points, to: &stretched.points, yaws: &stretched.yaws };
    let mut clip = keys::write(input, &carriers::carriers(input), &moves)?;
    progress.step(3, 4)?;
    let plants = if settings.feet { feet::plants(input, settings, &times, dead_zone) } else { Vec::new() };
    if clip != *input.clip
        && let Some(gait) = travelling(input.skeleton, input.clip, input.roles, input.fps, input.metres_per_unit)
    {
        stretched.warnings.push(Warning::new(WarningKind::OnTheSpot, 0, gait.speed));
    }
    // An unchanged clip already has its feet in the right positions.
    if settings.feet && clip != *input.clip {
        let (windows, carries, yaws) = (&windows[..], &stretched.carries[..], &stretched.yaws[..]);
        let body = feet::BodyMotion { times: &times, windows, carries, yaws, dead_zone, plants: &plants };
        feet::plant(input, &body, &mut clip, &mut stretched.warnings);
    }
    // Measured after the feet, which must not move the arriving joint; a violation would show here.
    path::measure_ends(input, settings, &clip, &mut stretched);
    stretched.warnings.extend(speed::jumps(input, &source, &windows, &stretched.points));
    let retimed = speed::keep_speed(input, &source, &windows, &stretched.points, &clip)?;
    let (clip, map) = retimed.map_or((clip, None), |retimed| (retimed.clip, Some(retimed.map)));
    progress.step(4, 4)?;
    let report = Report { plants, ..report(&source, &windows, stretched, even.points, map.as_ref()) };
    let arriving_joint = settings.aligner.unwrap_or(input.root.joint);
    Ok(Built { clip, skeleton: input.skeleton.clone(), arriving_joint, map, report })
}

/// Returns `settings` for the kind of root motion: if that is the ground-plane part of the hips, lengths are horizontal and the
/// height is not corrected. Otherwise the settings are unchanged.
fn effective(input: &Input, settings: &Settings) -> Settings {
    let ground_only = input.root.kind == RootKind::HipsGroundPart;
    let [x, y, z] = settings.axes;
    Settings {
        measure: if ground_only { LengthMeasure::Horizontal } else { settings.measure },
        // For root motion in the ground plane the height is part of the pose, which stretching does not change.
        axes: [x, y && !ground_only, z],
        ..settings.clone()
    }
}

/// Returns the frame times of the stretch, seconds.
fn frames_of(input: &Input, settings: &Settings) -> Vec<f64> {
    let carriers = carriers::carriers(input).into_iter().filter(|&carrier| carrier != input.root.joint);
    let joints = std::iter::once(input.root.joint).chain(carriers);
    let mut chain: Vec<usize> = joints.flat_map(|joint| input.skeleton.ancestors(joint)).collect();
    if settings.feet {
        let feet = input.roles.legs.iter().map(|leg| leg.foot).filter(|&foot| foot < input.skeleton.len());
        // The foot guarantee applies at frames, so keys of the legs must be frames too.
        chain.extend(feet.flat_map(|foot| input.skeleton.ancestors(foot)));
    }
    let mut times = root_motion::frame_times(input.clip, chain, input.fps);
    // A window's ends become frames, unless a key is so close that only rounding separates them.
    let tolerance = 1e-3 / input.fps;
    for time in settings.windows.iter().flat_map(|window| [window.start, window.end]) {
        // Keys are f32; a frame between two adjacent f32 values could not be written.
        let time = f64::from(time.min(input.clip.duration) as f32);
        let at = times.partition_point(|&t| t < time);
        let is_frame = |i: usize| times.get(i).is_some_and(|t| (t - time).abs() <= tolerance);
        if !is_frame(at) && !at.checked_sub(1).is_some_and(is_frame) {
            times.insert(at, time);
        }
    }
    times
}

/// Returns [`BuildError::OnTheSpot`] for [`BuildError::NoMotion`] if the source is a gait on the spot, and every other error
/// unchanged.
fn on_the_spot(input: &Input, error: BuildError) -> BuildError {
    let gait = matches!(error, BuildError::NoMotion { .. })
        .then(|| travelling(input.skeleton, input.clip, input.roles, input.fps, input.metres_per_unit));
    gait.flatten().map_or(error, |gait| BuildError::OnTheSpot { speed: gait.speed })
}

/// Returns the report of a stretch that is played by `map`; `even` is the path with the correction distributed evenly.
fn report(
    source: &SourcePath,
    windows: &[WindowFrames],
    mut stretched: StretchedPath,
    even: Vec<DVec3>,
    map: Option<&TimeMap>,
) -> Report {
    let SourcePath { times, points, lengths, .. } = source;
    let played: Vec<f64> = times.iter().map(|&time| map.map_or(time, |map| map.at(time))).collect();
    for (window, report) in windows.iter().zip(&mut stretched.windows) {
        report.added_seconds = (played[window.last] - played[window.first]) - (report.end - report.start);
    }
    let to = &stretched.points;
    let reversed: Vec<bool> =
        (0..times.len()).map(|i| i > 0 && (to[i] - to[i - 1]).dot(points[i] - points[i - 1]) < 0.0).collect();
    let still = (0..times.len()).map(|i| i > 0 && lengths[i] == lengths[i - 1]).collect();
    let mut warnings = stretched.warnings;
    if let Some(first) = reversed.iter().position(|&back| back) {
        let count = reversed.iter().filter(|&&back| back).count();
        warnings.push(Warning::new(WarningKind::Reversed, first, count as f64));
    }
    let largest = |value: fn(&WindowReport) -> f64| stretched.windows.iter().map(value).fold(0.0, f64::max);
    Report {
        ratio: largest(|window| window.ratio),
        end_error: largest(|window| window.end_error),
        source: PathReport::new(points.to_vec(), points, times),
        stretched: PathReport::new(stretched.points, points, &played),
        uniform: PathReport::new(even, points, times),
        yaws: stretched.yaws,
        windows: stretched.windows,
        lengths: lengths.to_vec(),
        reversed,
        still,
        plants: Vec::new(),
        warnings,
        times: times.to_vec(),
    }
}

/// A path that stays within this fraction of the rig's size is motionless: 2 mm for a person, more than the error of capture and
/// exporters.
const NOISE_RIG_FRACTION: f64 = 1e-3;

/// Largest coordinate. Positions beyond it leave no millimetre precision in f64, and less in the file's f32.
const MAX_COORDINATE: f64 = 1e9;

/// Returns `Err` if the joints, clip, numbers or targets are invalid.
fn check_input(input: &Input, settings: &Settings) -> Result<(), BuildError> {
    const MAX_FRAMES: u64 = 2_000_000;
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
    if frames > MAX_FRAMES {
        return Err(BuildError::TooLong { frames, most: MAX_FRAMES });
    }
    check_target(settings.target, settings.facing)?;
    let soft_edges = |window: &Window| {
        Quantity::SoftEdges.check(window.soft_edges, window.soft_edges >= 0.0 && window.soft_edges.is_finite())?;
        check_target(Some(window.target), window.facing)
    };
    settings.windows.iter().try_for_each(soft_edges)
}

/// Returns `Err` if the heading or the coordinates of a target are invalid.
fn check_target(target: Option<Target>, facing: Facing) -> Result<(), BuildError> {
    if let (Some(_), Facing::Heading(heading)) = (target, facing) {
        Quantity::Heading.check(heading, heading.is_finite())?;
    }
    let Some(Target::World(point) | Target::Start(point)) = target else { return Ok(()) };
    let extent = point.x.abs() + point.y.abs() + point.z.abs();
    Quantity::Target.check(extent, extent <= MAX_COORDINATE)
}

/// Returns `Err` if a window is too short, outside the clip or overlaps another one.
fn check_windows(input: &Input, settings: &Settings) -> Result<(), BuildError> {
    let length = input.clip.duration;
    let mut windows = settings.windows.clone();
    let slack = 1e-3 / input.fps;
    for window in &windows {
        let Window { start, end, .. } = *window;
        // A window shorter than a frame has no step to change. The condition is written so that NaN fails too.
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

/// Counts the allocations of the tests.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: portamento_test_support::allocations::CountingAllocator =
    portamento_test_support::allocations::CountingAllocator;
