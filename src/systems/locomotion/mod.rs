//! A character walks a way with its own clips and stops on the mark.
//!
//! [`build`] rounds the path to a [`SmoothPath`], plans speed along it, plays gaits for that speed and slope in step with the ground,
//! turns on the spot where the way cannot be followed in a bend, enters the
//! stop clip where the distance left meets its [`DistanceCurve`] and drives it by distance (as distance matching does in Paragon,
//! Laurent Delayen, GDC 2016), leads the moving pose to the entry pose, and holds standing feet. All is recorded at a
//! regular rate, so that any time can be asked for.

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

pub use body_place::BodyPlace;
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

use crate::message::message;
use crate::progress::Progress;

/// Walks `way`. Errors name what is missing or unusable; `progress` may cancel.
pub fn build(input: &Input, way: &WalkPath, settings: &Settings, progress: &Progress) -> Result<Walk, WalkError> {
    settings.check()?;
    way.check()?;
    if !(input.metres_per_unit > 0.0 && input.metres_per_unit.is_finite()) {
        let what = message!("setting.walk.unit", "The unit");
        let rule = message!("rule.walk.unit", "Use the length of the file's unit in metres.");
        return Err(WalkError::BadNumber { what: what.into(), value: input.metres_per_unit, rule: rule.into() });
    }
    walk_recorder::record(input, way, settings, progress)
}
