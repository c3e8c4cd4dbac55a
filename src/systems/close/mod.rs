//! Closing: a motion of any length made to repeat, by a seam of chosen length around the moment at which it does.
//!
//! The end of a motion is some turn, way and climb from its start, which each cycle carries on ([`cycle`]). But for that, every
//! joint's place relative to its parent shall be the same at both ends, and so shall its speed. What is missing is added over the
//! seam by a curve without value, speed or acceleration where it begins ([`fade`]): at the end, at the start, or half of it at
//! each. Every frame outside the seam stays what it was, bit for bit.
//!
//! *Frames* are the motion's own keys, and a point every 1/fps where keys are further apart. The speed closed is that of the
//! curves themselves: between the last two frames every joint turns and moves as fast as between the first two.
//!
//! *Side*: a correction over a seam adds about the same speeds wherever it lies, so that it is seen least where feet need not slide
//! for it and where the motion is quick anyway. [`ChangedSide::Least`] measures all three and takes the best.
//!
//! *Feet* that stand in the seam are held by their legs ([`feet`]).

mod cycle;
mod error;
mod fade;
mod feet;
mod input;
mod measure;
mod report;
mod seam;
mod settings;

pub use error::BuildError;
pub use input::Input;
pub use report::{Gap, Report, Warning};
pub use settings::{ChangedSide, Cycle, Settings};

use crate::anim::Clip;
use crate::anim::pose_keys::{PoseSpan, write_poses};
use crate::anim::root_motion::frame_times;
use crate::progress::Progress;
use cycle::CycleMap;
use feet::{FeetReport, Stander};
use seam::{Seam, SeamPoses, inner_frames};

/// A motion that repeats and what was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion; as it came in where it repeats already.
    pub clip: Clip,
    /// Numbers for panels and reports.
    pub report: Report,
}

/// The longest motion, seconds.
const LONGEST: f64 = 3600.0;

/// Closes `input` as `settings` say.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check(input, settings)?;
    let times = frame_times(input.clip, 0..input.skeleton.len(), input.fps);
    if times.len() < Settings::FEWEST_FRAMES {
        return Err(BuildError::TooShort { frames: times.len(), least: Settings::FEWEST_FRAMES });
    }
    progress.step(0, 5)?;
    let cycle = CycleMap::new(input, settings.cycle, &times);
    let quickest = measure::quickest(input, &times);
    let before = measure::gap(input, input.clip, &cycle, quickest);
    let travel = (cycle.world.translation + cycle.world.matrix3 * start(input) - start(input)) * input.metres_per_unit;
    let report = Report { before, after: before, travel, turn: cycle.turn, side: settings.side, ..Report::default() };
    if before.is_closed() {
        return Ok(Built { clip: input.clip.clone(), report: Report { closes_already: true, ..report } });
    }
    progress.step(1, 5)?;
    let sides = match settings.side {
        ChangedSide::Least => vec![ChangedSide::End, ChangedSide::Both, ChangedSide::Start],
        chosen => vec![chosen],
    };
    let feet = |times: &[f64]| if settings.feet { feet::standers(input, times) } else { Vec::new() };
    let frames = |side: ChangedSide| feet::with_frames_beside(&feet(&times), &times, input.fps, side.weight());
    let frames: Vec<Vec<f64>> = sides.iter().map(|&side| frames(side)).collect();
    let mut best: Option<Candidate> = None;
    for (i, (&side, times)) in sides.iter().zip(&frames).enumerate() {
        progress.step(1 + i, 5)?;
        let seam = seam_of(input, settings, times, cycle, side);
        let candidate = Candidate::new(seam, side, &feet(times), quickest)?;
        if best.as_ref().is_none_or(|best| candidate.is_better(best)) {
            best = Some(candidate);
        }
    }
    let Some(best) = best else { return Ok(Built { clip: input.clip.clone(), report }) };
    progress.step(4, 5)?;
    let clip = best.written();
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

/// One way to close the motion.
struct Candidate<'a> {
    seam: Seam<'a>,
    side: ChangedSide,
    poses: SeamPoses,
    feet: FeetReport,
    /// How much it is seen.
    seen: f64,
    /// Farthest that a joint is moved, world units.
    moved: f64,
}

impl<'a> Candidate<'a> {
    fn new(seam: Seam<'a>, side: ChangedSide, feet: &[Stander], quickest: f64) -> Result<Self, BuildError> {
        let incoming = seam.incoming()?;
        let mut poses = seam.closed(&incoming);
        let feet = feet::lock(&seam, feet, &incoming, &mut poses);
        let [seen, moved] = measure::change(&seam, &incoming, &poses, quickest);
        Ok(Self { seam, side, poses, feet, seen, moved })
    }

    /// Feet first, to a millimetre; then what is seen.
    fn is_better(&self, other: &Self) -> bool {
        let slides = [self, other].map(|candidate| (candidate.feet.slide * 1e3).round());
        slides[0] < slides[1] || (slides[0] == slides[1] && self.seen < other.seen)
    }

    /// The incoming clip with the seam's poses.
    fn written(&self) -> Clip {
        let Seam { input, times, first, last, .. } = self.seam;
        let mut clip = input.clip.clone();
        if first > 0 {
            write_poses(input.skeleton, &mut clip, &PoseSpan { times, first: 0, poses: &self.poses.start });
        }
        write_poses(input.skeleton, &mut clip, &PoseSpan { times, first: last, poses: &self.poses.end });
        clip
    }
}

/// Which frames give way on which side.
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
    // A hair, so that a seam of whole frames begins on a frame.
    let slack = 1e-3 / input.fps;
    let [after, before] = inner_frames(times, input.fps);
    let [into, out] = share.map(|share| share * settings.seam + slack);
    // The frame beside the end has to lie inside.
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

/// World place of the root at the start.
fn start(input: &Input) -> glam::DVec3 {
    let root = input.root.map_or(0, |root| root.joint);
    crate::anim::root_motion::world_at(input.skeleton, input.clip, root, 0.0).translation
}

fn check(input: &Input, settings: &Settings) -> Result<(), BuildError> {
    input.clip.check_fits_with_root(input.skeleton, input.root.map_or(0, |root| root.joint))?;
    let unit = input.metres_per_unit;
    let length = input.clip.duration;
    let good = [
        (input.fps, (1.0..=1000.0).contains(&input.fps)),
        (unit, unit > 0.0 && unit.is_finite()),
        (length, length > 0.0 && length <= LONGEST),
    ];
    if let Some(&(value, _)) = good.iter().find(|(_, is_good)| !is_good) {
        return Err(BuildError::BadNumber { value });
    }
    let (seam, most) = (settings.seam, 0.5 * length);
    let least = Settings::SHORTEST.min(most);
    if seam >= least && seam <= most + 1e-6 { Ok(()) } else { Err(BuildError::BadSeam { seam, least, most }) }
}

#[cfg(test)]
mod tests;
