//! How a start clip sets the character going: what comes before its first move plays by time, the rest by the distance gone.

use super::casting::{Cast, Passage};
use super::plan::{Plan, Play};
use super::{Course, Motion, Settings};
use crate::math::easing::Easing;

/// The start clip on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FirstSteps {
    /// When the clip is over, seconds.
    pub ends: f64,
}

/// Seconds in which the start clip goes over into the gaits.
const OVER: f64 = 0.15;
/// By how much the speed at the start clip's end may differ from its own, as a factor.
const MEETS: f64 = 1.25;

/// The motion along `course`: where a start clip fits, it begins when that clip's root does.
pub(super) fn motion(course: &Course, settings: &Settings, cast: &Cast) -> Motion {
    let motion = Motion::plan(course, settings, 0.0);
    match cast.start.as_ref().filter(|start| fits(start, &motion)) {
        Some(start) => Motion::plan(course, settings, lead(start)),
        None => motion,
    }
}

/// Seconds of the start clip before it moves.
fn lead(start: &Passage) -> f64 {
    start.curve.time_for(start.curve.length())
}

/// Whether the motion is about as fast as the start clip where that ends.
fn fits(start: &Passage, motion: &Motion) -> bool {
    let speed = motion.speed_at(start.curve.length()).unwrap_or(0.0);
    (start.last_speed() / MEETS..=start.last_speed() * MEETS).contains(&speed)
}

impl FirstSteps {
    /// The start clip of `plan`, where it fits.
    pub fn find(plan: &Plan) -> Option<Self> {
        let start = plan.cast.start.as_ref().filter(|start| fits(start, &plan.motion))?;
        Some(Self { ends: plan.motion.time_at(start.curve.length())? })
    }

    /// What plays at `time` (seconds) before the end.
    pub fn play(&self, plan: &Plan, time: f64) -> Play {
        let Some(start) = &plan.cast.start else { return Play::Gait };
        let gone = plan.motion.at(time).0;
        let lead = lead(start);
        let matched = start.curve.time_for(start.curve.length() - gone);
        let clip = if time < lead { time } else { matched.max(lead) };
        Play::Start(clip, Easing::Smoothstep.at(1.0 - (self.ends - time) / OVER))
    }
}
