//! Walking: a character follows a path with its own clips and stops on the goal.
//!
//! [`build`] works in these steps:
//! 1. Rounds the path to a [`SmoothPath`] and plans the speed along it.
//! 2. Plays gaits for that speed and slope, their phase advanced by the distance travelled.
//! 3. Turns on the spot at corners that are too sharp for a bend.
//! 4. Enters the stop clip where the remaining distance matches its [`DistanceCurve`], and drives it by distance
//!    (distance matching in Paragon, Laurent Delayen, GDC 2016).
//! 5. Fades the moving pose into the stop clip's entry pose, and locks feet during stance.
//!
//! All frames are recorded at a regular rate, so a walk can be sampled at any time.

mod active_clip;
mod ankle_sweep;
mod body_place;
mod braking;
mod clip_roles;
mod crouch;
mod distance_curve;
mod error;
mod foot_lock;
mod foot_plant;
mod foot_plants;
mod swing;
mod foot_yaw;
mod gait;
mod gait_clip;
mod gait_phase;
mod ground_beside;
mod held_stand;
mod in_place_clip;
mod inertialization;
mod input;
mod knee_swing;
mod lean;
mod measure;
mod near_ground;
mod sole_tracks;
mod stance;
mod path;
mod pitch;
mod plan;
mod pose_match;
mod raw_frame;
mod recording;
mod report;
mod round;
mod segment;
mod settings;
mod slope_sets;
mod smooth_path;
mod speed_profile;
mod start_transition;
mod start_way;
mod step_time;
mod stepped_stop;
#[cfg(test)]
mod tests;
mod transition_clip;
mod turn_clip;
mod turn_in_place;
mod walk;
mod walk_recorder;

pub use body_place::BodyPlacement;
pub use braking::Braking;
pub use distance_curve::{DistanceCurve, Measure, Sign};
pub use error::{NotProposed, WalkError};
pub use gait_clip::GaitClip;
pub use input::{GroundHeight, Input};
pub use path::WalkPath;
pub use report::{
    ClipSpan, Drag, EngineStop, FootDrift, FootFigure, FrameReport, GaitReport, Pop, Report, StopReport, TurnReport,
};
pub use settings::{ClipRoles, Settings};
pub use smooth_path::SmoothPath;
pub use stance::NoStance;
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
/// - no clip serves as a gait, or an assigned clip does not fit its role;
/// - the recording would be longer than an hour;
/// - laps are set and the path is not a smooth closed loop;
/// - `progress` was cancelled.
pub fn build(input: &Input, path: &WalkPath, settings: &Settings, progress: &Progress) -> Result<Walk, WalkError> {
    settings.check()?;
    path.check()?;
    if !(input.metres_per_unit > 0.0 && input.metres_per_unit.is_finite()) {
        let what = message!("setting.walk.unit", "The unit scale");
        let rule = message!("rule.walk.unit", "Use the length of the file's unit in metres.");
        return Err(WalkError::BadNumber { what: what.into(), value: input.metres_per_unit, rule: rule.into() });
    }
    let alike = with_equal_signs(input.skeleton, &input.clips.iter().collect::<Vec<_>>());
    if alike.iter().all(|clip| matches!(clip, Cow::Borrowed(_))) {
        return walk_recorder::record(input, path, settings, progress);
    }
    let clips: Vec<Clip> = alike.into_iter().map(Cow::into_owned).collect();
    walk_recorder::record(&Input { clips: &clips, ..*input }, path, settings, progress)
}
