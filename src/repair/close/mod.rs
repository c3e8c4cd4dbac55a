//! Closing of loops: a motion of any length is changed in a seam around its loop point so that it repeats.
//!
//! The end of a motion differs from its start by a rotation and a translation, which each cycle repeats ([`cycle`]). Apart from
//! that, the local transform and the speed of every joint must be equal at both ends. The difference is added over the seam by a
//! curve with value, speed and acceleration 0 at its outer end ([`fade`]): before the end, after the start, or half on each side.
//! Frames outside the seam stay bit-identical.
//!
//! *Frames* are the keys of the motion, plus a point every 1/fps where keys are sparser. The closed speed is that of the curves:
//! between the last two frames, every joint moves as fast as between the first two.
//!
//! *Side*: the same correction is less visible where feet need not slide, and where the motion is fast. [`ChangedSide::Least`]
//! evaluates all three choices and takes the best.
//!
//! A motion that ends in its first pose and changes its velocities there no more than between two of its frames loops already, such
//! as a walk that is cut at a heel strike. It stays as it is.
//!
//! *Feet* planted in the seam are locked by leg IK ([`feet`]).

pub(crate) mod cycle;
mod error;
pub(crate) mod fade;
pub(crate) mod feet;
mod input;
pub(crate) mod measure;
mod report;
pub(crate) mod seam;
mod settings;

pub use error::BuildError;
pub use input::Input;
pub use report::{Gap, Report, Warning};
pub use settings::{ChangedSide, Cycle, Settings};

use cycle::CycleMap;
use feet::{FeetReport, Planted, StanceLeg};
use portamento_anim::Clip;
use portamento_anim::pose_keys::{PoseSpan, write_poses};
use portamento_anim::quality::ComparedBody;
use portamento_anim::root_motion::frame_times;
use portamento_base::progress::Progress;
use seam::{Seam, SeamPoses, inner_frames};

/// A closed motion with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion; unchanged if it already loops.
    pub clip: Clip,
    /// Figures for panels and reports.
    pub report: Report,
}

/// Maximum length of a motion, seconds.
const MAX_LENGTH_SECONDS: f64 = 3600.0;

/// Closes `input` as `settings` say. A clip in which nothing moves is a pose, which is closed already.
///
/// Returns `Err` if
/// - the clip belongs to another skeleton or contains numbers that are not finite,
/// - `fps` is outside 1…1000, the unit is not positive, or the length is not in 0…3600 s,
/// - the motion has fewer than [`Settings::MIN_FRAMES`] frames,
/// - the seam is shorter than [`Settings::MIN_SEAM_SECONDS`], or longer than half of the motion (the default seam, and any
///   shorter one, is shortened instead),
/// - the work was cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check(input)?;
    let times = frame_times(input.clip, 0..input.skeleton.len(), input.fps);
    if is_pose(input, &times) {
        let report = Report { closes_already: true, side: settings.side, ..Report::default() };
        return Ok(Built { clip: input.clip.clone(), report });
    }
    let settings = &with_fitting_seam(input.clip, settings)?;
    if times.len() < Settings::MIN_FRAMES {
        return Err(BuildError::TooShort { frames: times.len(), least: Settings::MIN_FRAMES });
    }
    progress.step(0, 5)?;
    let cycle = CycleMap::new(input, settings.cycle, &times);
    let quickest = measure::quickest(input, &times);
    let before = measure::gap(input, input.clip, &cycle, quickest);
    let travel = (cycle.world.translation + cycle.world.matrix3 * start(input) - start(input)) * input.metres_per_unit;
    let report = Report { before, after: before, travel, turn: cycle.turn, side: settings.side, ..Report::default() };
    if before.is_closed() || before.ends_meet() && measure::continues(input, &times, &cycle) {
        return Ok(Built { clip: input.clip.clone(), report: Report { closes_already: true, ..report } });
    }
    progress.step(1, 5)?;
    let sides = match settings.side {
        ChangedSide::Least => vec![ChangedSide::End, ChangedSide::Both, ChangedSide::Start],
        chosen => vec![chosen],
    };
    let feet = |times: &[f64]| if settings.feet { feet::stance_legs(input, times) } else { Vec::new() };
    let frames = |side: ChangedSide| {
        let frames = |planted| feet::with_loop_point_frames(&feet(&times), planted, &times, input.fps, side.weight());
        [Planted::AcrossLoopPoint, Planted::AtLoopPoint].map(frames)
    };
    let frames: Vec<[Vec<f64>; 2]> = sides.iter().map(|&side| frames(side)).collect();
    let mut best: Option<Candidate> = None;
    for (i, (&side, [across, at_one_end])) in sides.iter().zip(&frames).enumerate() {
        progress.step(1 + i, 5)?;
        let with_frames =
            |times| Candidate::new(seam_of(input, settings, times, cycle, side), side, &feet(times), quickest);
        let mut candidate = with_frames(across)?;
        if across != at_one_end {
            candidate = candidate.or_with_loop_frames(with_frames(at_one_end)?);
        }
        if best.as_ref().is_none_or(|best| candidate.is_better(best)) {
            best = Some(candidate);
        }
    }
    let Some(best) = best else { return Ok(Built { clip: input.clip.clone(), report }) };
    progress.step(4, 5)?;
    let clip = best.to_clip();
    let frames = best.seam.times;
    let report = Report {
        side: best.side,
        after_start: frames[best.seam.first],
        before_end: frames[frames.len() - 1] - frames[best.seam.last],
        after: measure::gap(input, &clip, &cycle, quickest),
        foot_jump: best.feet.jump,
        foot_slide: best.feet.slide,
        moved: best.moved * input.metres_per_unit,
        warnings: best.feet.warnings,
        ..report
    };
    Ok(Built { clip, report })
}

/// Difference of two foot slides that is not seen, metres.
const FEET_EQUAL_M: f64 = 1e-3;

/// One of the possible closings: a seam with its closed poses, and the measures by which closings are compared.
struct Candidate<'a> {
    seam: Seam<'a>,
    side: ChangedSide,
    poses: SeamPoses,
    feet: FeetReport,
    /// Visibility of the change, see [`measure::change`].
    visibility: f64,
    /// Largest displacement of a joint, world units.
    moved: f64,
}

impl<'a> Candidate<'a> {
    /// Closes `seam` with its feet locked, and measures the change. `quickest` is that of [`measure::change`]. Returns `Err` if
    /// an incoming pose is not finite.
    fn new(seam: Seam<'a>, side: ChangedSide, feet: &[StanceLeg], quickest: f64) -> Result<Self, BuildError> {
        let incoming = seam.incoming()?;
        let mut poses = seam.closed(&incoming);
        let feet = feet::lock(&seam, feet, &incoming, &mut poses);
        let [visibility, moved] = measure::change(&seam, &incoming, &poses, quickest);
        Ok(Self { seam, side, poses, feet, visibility, moved })
    }

    /// True if planted feet slide less than in `other`, rounded to millimetres, or as far with a less visible change.
    fn is_better(&self, other: &Self) -> bool {
        let slides = [self, other].map(|candidate| (candidate.feet.slide * 1e3).round());
        slides[0] < slides[1] || (slides[0] == slides[1] && self.visibility < other.visibility)
    }

    /// Returns `other`, the same closing with frames next to the loop point, if its feet slide at least 1 mm less, or if a joint
    /// jumps or a knee flips in this one. Returns this one otherwise.
    fn or_with_loop_frames(self, other: Self) -> Self {
        let slides = other.feet.slide + FEET_EQUAL_M < self.feet.slide;
        if slides || self.makes_a_joint_jump() { other } else { self }
    }

    /// True if a joint jumps or a knee flips that did not before.
    fn makes_a_joint_jump(&self) -> bool {
        let Input { skeleton, roles, metres_per_unit, clip, fps, .. } = *self.seam.input;
        let body = ComparedBody { skeleton, roles, points: &[], metres_per_unit, ground: &|_| None };
        body.side_effect(clip, &self.to_clip(), fps).is_some()
    }

    /// Returns the incoming clip with the closed poses at the frames of the seam.
    fn to_clip(&self) -> Clip {
        let Seam { input, times, first, last, .. } = self.seam;
        let mut clip = input.clip.clone();
        if first > 0 {
            write_poses(input.skeleton, &mut clip, &PoseSpan { times, first: 0, poses: &self.poses.start });
        }
        write_poses(input.skeleton, &mut clip, &PoseSpan { times, first: last, poses: &self.poses.end });
        clip
    }
}

/// Returns the seam for one choice of side.
fn seam_of<'a>(
    input: &'a Input<'a>,
    settings: &Settings,
    times: &'a [f64],
    cycle: CycleMap,
    side: ChangedSide,
) -> Seam<'a> {
    let last = times.len() - 1;
    let weight = side.weight();
    let share = match side {
        ChangedSide::Start => [1.0, 0.0],
        ChangedSide::Both => [0.5, 0.5],
        ChangedSide::End | ChangedSide::Least => [0.0, 1.0],
    };
    // A tolerance, so that a seam of full frames starts exactly on a frame.
    let slack = 1e-3 / input.fps;
    let [after, before] = inner_frames(times, input.fps);
    let [into, out] = share.map(|share| share * settings.seam + slack);
    // The frame next to the end must be inside the seam.
    let first = (times.partition_point(|&time| time <= into) - 1).max(after + 1).min(last);
    let start = times.partition_point(|&time| time < times[last] - out).min(before.saturating_sub(1));
    Seam {
        input,
        times,
        cycle,
        weight,
        first: if share[0] > 0.0 { first } else { 0 },
        last: if share[1] > 0.0 { start } else { last },
    }
}

/// Returns the world position of the root at the start, in the file's unit; that of the first joint without a root.
fn start(input: &Input) -> glam::DVec3 {
    let root = input.root.map_or(0, |root| root.joint);
    portamento_anim::root_motion::world_at(input.skeleton, input.clip, root, 0.0).translation
}

/// True if nothing moves at `times` (seconds) or halfway between them, such as in a clip of one key.
fn is_pose(input: &Input, times: &[f64]) -> bool {
    let first = input.clip.pose_at(input.skeleton, times[0]);
    let between = times.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
    times.iter().copied().chain(between).all(|time| input.clip.pose_at(input.skeleton, time) == first)
}

/// Returns `Err` if a stage on whole loops cannot use `input`; see [`build`].
pub(crate) fn check(input: &Input) -> Result<(), BuildError> {
    input.clip.check_fits_with_root(input.skeleton, input.root.map_or(0, |root| root.joint))?;
    let unit = input.metres_per_unit;
    let length = input.clip.duration;
    let checks = [
        (input.fps, (1.0..=1000.0).contains(&input.fps)),
        (unit, unit > 0.0 && unit.is_finite()),
        (length, (0.0..=MAX_LENGTH_SECONDS).contains(&length)),
    ];
    if let Some(&(value, _)) = checks.iter().find(|(_, is_valid)| !is_valid) {
        return Err(BuildError::BadNumber { value });
    }
    Ok(())
}

/// Returns `settings` with a seam that fits into `clip`: a seam up to the default length is shortened to half of a short clip.
/// Returns `Err` if the seam is too short or longer than half of the clip.
fn with_fitting_seam(clip: &Clip, settings: &Settings) -> Result<Settings, BuildError> {
    let max = 0.5 * clip.duration;
    let seam = if settings.seam <= Settings::default().seam { settings.seam.min(max) } else { settings.seam };
    let min = Settings::MIN_SEAM_SECONDS.min(max);
    if seam >= min && seam <= max + 1e-6 {
        Ok(Settings { seam, ..settings.clone() })
    } else {
        Err(BuildError::BadSeam { seam, least: min, most: max })
    }
}

#[cfg(test)]
mod tests;
