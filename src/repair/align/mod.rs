//! Alignment of both ends of a motion with poses of other clips, so that one clip continues another.
//!
//! The wanted pose is moved to the position on the ground and the heading at which the motion ends, because a game moves the
//! character there. The difference is added over the changed part by a curve with value, speed and acceleration 0 at its outer
//! end ([`Fade`]); it also passes through the frame next to the end, so that the velocity of every joint is that of the other
//! clip. Frames outside the changed part stay bit-identical.
//!
//! *Feet* that are planted within the changed part stay planted: their difference is distributed over the frames in which they
//! swing. A foot that is planted throughout steps to its wanted position, one foot after the other. If that is nearer than
//! 1 cm, or if there are too few frames, the foot slides, and the report says how far.

mod end;
mod settings;
mod step;

pub use settings::{ClipEnd, Settings};

use serde::{Deserialize, Serialize};

use crate::close::feet::stance_legs;
use crate::close::{BuildError, Input, check};
use end::End;
use portamento_anim::Clip;
use portamento_anim::root_motion::frame_times;
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;

#[cfg(doc)]
use crate::close::fade::Fade;

/// The clips that the settings name, with the same joints as the motion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// The clip of [`Settings::begin`].
    pub begin: Option<&'a Clip>,
    /// The clip of [`Settings::end`].
    pub end: Option<&'a Clip>,
}

/// The aligned motion with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The motion.
    pub clip: Clip,
    /// Figures for panels and reports.
    pub report: Report,
}

/// Figures of one end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EndReport {
    /// Length of the changed part, seconds.
    pub seconds: f64,
    /// Largest distance of a joint from the wanted pose, before and after, metres.
    pub distance: [f64; 2],
    /// Largest slide of a planted foot that the change causes, metres.
    pub slide: f64,
}

/// Figures for the panel and the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Figures of the start; `None` if it was not changed.
    pub begin: Option<EndReport>,
    /// Figures of the end; `None` if it was not changed.
    pub end: Option<EndReport>,
}

/// Slide of a planted foot from which a warning is reported, metres.
const SLIDE_MIN_M: f64 = 1e-3;

impl Report {
    /// Returns the largest slide of both ends, metres.
    pub fn slide(&self) -> f64 {
        [self.begin, self.end].into_iter().flatten().map(|end| end.slide).fold(0.0, f64::max)
    }

    /// Returns the largest distance from a wanted pose, before and after, metres.
    pub fn distance(&self) -> [f64; 2] {
        let ends = [self.begin, self.end].into_iter().flatten().map(|end| end.distance);
        ends.fold([0.0; 2], |all, end| [all[0].max(end[0]), all[1].max(end[1])])
    }

    /// True if the report is a warning: a planted foot slides.
    pub fn warns(&self) -> bool {
        self.slide() > SLIDE_MIN_M
    }
}

impl Tell for Report {
    fn message(&self) -> Message {
        message!(
            "warning.align.slides",
            "A foot that is planted throughout the changed part slides %{millimetres} mm to its wanted position. Choose a longer \
             part, so that the foot can step.",
            millimetres = format!("{:.1}", 1e3 * self.slide())
        )
    }
}

/// Aligns the ends of `input` with the clips `wanted` as `settings` say. An end without a clip stays as it is.
///
/// Returns `Err` if
/// - a clip belongs to another skeleton,
/// - `fps` is outside 1…1000, the unit is not positive, or the length is not in 0…3600 s,
/// - the changed part is outside [`Settings::MIN_SECONDS`] to [`Settings::MAX_SECONDS`],
/// - the motion has fewer than two frames on each side,
/// - the work was cancelled.
pub fn build(input: &Input, wanted: &Wanted, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    check(input)?;
    let range = Settings::MIN_SECONDS..=Settings::MAX_SECONDS;
    if !range.contains(&settings.seconds) {
        let (least, most) = (Settings::MIN_SECONDS, Settings::MAX_SECONDS);
        return Err(BuildError::BadPart { seconds: settings.seconds, least, most });
    }
    let times = frame_times(input.clip, 0..input.skeleton.len(), input.fps);
    if times.len() < MIN_FRAMES {
        return Err(BuildError::TooShort { frames: times.len(), least: MIN_FRAMES });
    }
    let legs = if settings.feet { stance_legs(input, &times) } else { Vec::new() };
    let (mut clip, mut report) = (input.clip.clone(), Report::default());
    if let Some(other) = wanted.begin {
        other.check_fits(input.skeleton)?;
        let part = End { input, times: &times, is_start: true, seconds: settings.seconds };
        report.begin = Some(part.align(other, settings.begin_at, &legs, &mut clip));
    }
    progress.step(1, 2)?;
    if let Some(other) = wanted.end {
        other.check_fits(input.skeleton)?;
        let part = End { input, times: &times, is_start: false, seconds: settings.seconds };
        report.end = Some(part.align(other, settings.end_at, &legs, &mut clip));
    }
    Ok(Built { clip, report })
}

/// Smallest number of frames: two on each side of an unchanged one.
const MIN_FRAMES: usize = 5;

#[cfg(test)]
mod tests;
