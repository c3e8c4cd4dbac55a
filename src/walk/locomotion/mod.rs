//! Walking: a character follows a path with its own clips and stops on the goal.
//!
//! [`build`] works in these steps:
//! 1. Rounds the path to a [`SmoothPath`] and plans the speed along it.
//! 2. Plays gaits for that speed and slope, their phase advanced by the distance travelled.
//! 3. Turns on the spot at corners that are too sharp for a bend.
//! 4. Enters the stop clip where the remaining distance matches its [`DistanceCurve`], and drives it by distance
//!    (distance matching in Paragon, Laurent Delayen, GDC 2016).
//! 5. Plays the clips that cross obstacles as they were fitted ([`crate::crossing`]): the gaits arrive in the phase and at the
//!    speed in which such a clip begins, and go on in those in which it ends.
//! 6. Fades the moving pose into the stop clip's entry pose, and locks feet during stance.
//!
//! All frames are recorded at a regular rate, so a walk can be sampled at any time.

mod clips;
mod feet;
mod body;
mod paths;
mod error;
mod gaits;
mod input;
mod measure;
mod segments;
mod recording;
mod report;
mod settings;
#[cfg(test)]
mod tests;
mod walk;
mod walk_recorder;

pub use body::body_placement::BodyPlacement;
pub use clips::crossing_clips::{CrossingBody, CrossingMotion, crossing_clips};
pub use clips::distance_curve::{DistanceCurve, Measure, Sign};
pub use error::{NotProposed, WalkError};
pub use gaits::gait_clip::GaitClip;
pub use gaits::stance::NoStance;
pub use input::{GroundHeight, Input};
pub use paths::braking::Braking;
pub use paths::crossed_path::PathCrossing;
pub use paths::path::WalkPath;
pub use paths::smooth_path::SmoothPath;
pub use report::{
    ClipSpan, CrossingReport, Drag, EngineStop, FootDrift, FootFigure, FrameReport, GaitReport, OpenGait, Pop, Report,
    StopReport, TurnReport,
};
pub use settings::{ClipRoles, Settings};
pub use walk::Walk;

use std::borrow::Cow;

use portamento_anim::Clip;
use portamento_anim::mirrored_scale::with_equal_signs;
use portamento_base::message::message;
use portamento_base::progress::Progress;

/// Records the walk along `path`. `progress` may cancel it.
///
/// Returns `Err` if:
/// - a setting is out of its range ([`Settings::check`]);
/// - the path has bad points or limits, or a bad length ([`WalkPath::check`]);
/// - `input.metres_per_unit` is not a positive finite number;
/// - the character has no clips, none that stands still, or none that walks;
/// - no clip walks and the character has no legs, by which a clip on the spot would show its speed;
/// - an assigned clip does not exist;
/// - an assigned gait travels less than 5 cm, or is shorter than 0.1 s;
/// - an assigned start or stop clip travels less than 10 cm;
/// - an assigned turn clip does not turn by 20° or more on the spot;
/// - the recording would be longer than an hour;
/// - laps are set, and the path is open or has a corner that requires a turn on the spot;
/// - laps are set, and the path is longer than 5 km with the laps before and after them;
/// - `progress` was cancelled.
pub fn build(input: &Input, path: &WalkPath, settings: &Settings, progress: &Progress) -> Result<Walk, WalkError> {
    build_crossing(input, path, &[], settings, progress)
}

/// Records the walk along `path` with `crossings` in their order. The clips of the crossings must be those of the character
/// of `input`.
///
/// Returns `Err` as [`build`], and if
/// - a crossing is not between two points of the path, or they are not in order;
/// - laps are set together with crossings.
pub fn build_crossing(
    input: &Input,
    path: &WalkPath,
    crossings: &[PathCrossing],
    settings: &Settings,
    progress: &Progress,
) -> Result<Walk, WalkError> {
    settings.check()?;
    path.check()?;
    path.check_crossings(crossings)?;
    if settings.laps > 0 && !crossings.is_empty() {
        return Err(WalkError::CrossingLoop);
    }
    if !(input.metres_per_unit > 0.0 && input.metres_per_unit.is_finite()) {
        let what = message!("setting.walk.unit", "The unit scale");
        let rule = message!("rule.walk.unit", "Use the length of the file's unit in metres.");
        return Err(WalkError::BadNumber { what: what.into(), value: input.metres_per_unit, rule: rule.into() });
    }
    let alike = with_equal_signs(input.skeleton, &input.clips.iter().collect::<Vec<_>>());
    if alike.iter().all(|clip| matches!(clip, Cow::Borrowed(_))) {
        return walk_recorder::record(input, path, crossings, settings, progress);
    }
    let clips: Vec<Clip> = alike.into_iter().map(Cow::into_owned).collect();
    walk_recorder::record(&Input { clips: &clips, ..*input }, path, crossings, settings, progress)
}
