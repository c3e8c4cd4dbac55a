//! Turn on the spot, with a turn clip or by stepping.
//!
//! A clip's own heading is warped to the requested angle. Without a clip the body turns smoothly while the feet step
//! one after the other, the inner one first. Each foot lands where it stands in the middle of the body's turn until
//! its next step. In both cases planted feet keep position and direction, and the heading never turns faster than the
//! limit.

use std::f64::consts::PI;

use glam::{DAffine3, DQuat, DVec3};

use super::plan::RawFrame;
use super::segment::Rig;
use crate::locomotion::clips::clip_roles::ClipSet;
use crate::locomotion::clips::in_place_clip::{RootCarrier, move_body, yaw};
use crate::locomotion::clips::turn_clip::{self, TurnClip};
use crate::locomotion::feet::foot_ground::ground_at_foot;
use crate::locomotion::walk::mix_into;
use crate::locomotion::{Input, Settings};
use portamento_anim::Pose;
use portamento_anim::math::easing::Easing;
use portamento_anim::root_motion::wrap;

/// Request of a turn: position, headings and time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TurnRequest {
    /// Position of the character, metres.
    pub position: DVec3,
    /// Heading before, radians.
    pub from: f64,
    /// Requested heading, radians.
    pub to: f64,
    /// Start of the turn, seconds.
    pub begins: f64,
    /// Time it stands afterwards, seconds.
    pub rest: f64,
}

/// A planned turn.
pub(crate) struct TurnInPlace<'a> {
    input: &'a Input<'a>,
    settings: &'a Settings,
    carrier: &'a RootCarrier,
    clips: &'a ClipSet,
    pub turning: TurnRequest,
    /// Angle to turn, radians, positive to the left.
    pub angle: f64,
    method: TurnMethod<'a>,
    /// Time until the heading is reached, seconds.
    pub duration: f64,
}

enum TurnMethod<'a> {
    /// A clip at a play rate, its heading warped to the angle.
    Clip { turn: &'a TurnClip, yaws: Vec<f64>, rate: f64 },
    /// Number of steps of each foot.
    Steps(usize),
}

/// Headings closer than this are equal, radians.
pub(crate) const SAME_HEADING_RADIANS: f64 = 1e-4;
/// Largest turn per step of each foot, radians. Tuned; no derivation recorded.
const STEP_ANGLE: f64 = PI / 3.0;
/// Duration of one step, seconds. Tuned; no derivation recorded.
const STEP_SECONDS: f64 = 0.3;
/// Cross-fade time between standing and the clip, seconds. Tuned; no derivation recorded.
const FADE_SECONDS: f64 = 0.2;

impl<'a> TurnInPlace<'a> {
    /// Plans `turning`; `None` if the heading is already reached.
    pub fn plan(rig: Rig<'a>, clips: &'a ClipSet, turning: TurnRequest) -> Option<Self> {
        let Rig { input, settings, carrier } = rig;
        let requested = wrap(turning.to - turning.from);
        if requested.abs() < SAME_HEADING_RADIANS {
            return None;
        }
        let limit = settings.turn_speed.to_radians();
        let (angle, method, duration) = match turn_clip::choose(&clips.turns, requested) {
            Some((turn, angle)) => {
                let yaws = turn.warped(angle);
                let speed = |(yaws, times): (&[f64], &[f64])| (yaws[1] - yaws[0]).abs() / (times[1] - times[0]);
                let fastest = yaws.windows(2).zip(turn.times.windows(2)).map(speed).fold(0.0, f64::max);
                let rate = (limit / fastest).min(1.0);
                (angle, TurnMethod::Clip { turn, yaws, rate }, turn.clip.duration / rate)
            }
            None => {
                let steps = (requested.abs() / STEP_ANGLE - 1e-9).ceil().max(1.0) as usize;
                // A smoothstep's peak speed is one and a half times its mean.
                let slowest = 1.5 * requested.abs() / limit;
                (requested, TurnMethod::Steps(steps), (2.0 * STEP_SECONDS * steps as f64).max(slowest))
            }
        };
        Some(Self { input, settings, carrier, clips, turning, angle, method, duration })
    }

    /// Returns the turn clip and its play rate, a factor; `None` for a turn by steps.
    pub fn clip(&self) -> Option<(&TurnClip, f64)> {
        match &self.method {
            TurnMethod::Clip { turn, rate, .. } => Some((turn, *rate)),
            TurnMethod::Steps(_) => None,
        }
    }

    /// Returns the angle turned after `time` seconds, radians.
    fn turned(&self, time: f64) -> f64 {
        match &self.method {
            _ if time >= self.duration => self.angle,
            TurnMethod::Clip { turn, yaws, rate } => turn_clip::mix(&turn.times, yaws, time * rate),
            TurnMethod::Steps(_) => self.angle * Easing::Smoothstep.at(time / self.duration),
        }
    }

    /// Returns the clip's share over standing after `time` seconds, 0…1.
    pub fn share(&self, time: f64) -> f64 {
        if matches!(self.method, TurnMethod::Clip { .. }) { share_of_clip(time, self.duration) } else { 0.0 }
    }
    /// Returns the world pose after `time` seconds of the turn.
    fn pose(&self, time: f64) -> Pose {
        let skeleton = self.input.skeleton;
        let idle = &self.clips.idle;
        let mut pose = Pose::default();
        let idle_time = (self.turning.begins + time).rem_euclid(idle.clip.duration.max(1e-3));
        idle.sample(skeleton, self.carrier, idle_time, &mut pose);
        let share = self.share(time);
        if let (TurnMethod::Clip { turn, rate, .. }, true) = (&self.method, share > 0.0) {
            let mut turning = Pose::default();
            turn.sample(self.input, self.carrier, time * rate, &mut turning);
            mix_into(&mut pose, &turning, share as f32);
        }
        let heading = self.turning.from + self.turned(time) - yaw(self.carrier.front);
        let position = DAffine3::from_translation(self.turning.position / self.input.metres_per_unit);
        move_body(skeleton, self.carrier, &(position * DAffine3::from_rotation_y(heading)), &mut pose);
        pose
    }

    /// True if the active motion plants the leg after `time` seconds.
    fn is_planted(&self, leg: usize, time: f64) -> bool {
        match &self.method {
            _ if time <= 0.0 || time >= self.duration => true,
            TurnMethod::Clip { turn, rate, .. } => turn.standing.at(leg, time * rate),
            TurnMethod::Steps(steps) => {
                let legs = self.clips.idle.leg_count().max(1);
                let slots = legs * steps;
                let slot = ((time / self.duration * slots as f64) as usize).min(slots - 1) % legs;
                (self.first_leg() + slot) % legs != leg
            }
        }
    }

    /// Returns the leg on the side of the turn, which steps first.
    fn first_leg(&self) -> usize {
        let idle = &self.clips.idle;
        let side = DQuat::from_rotation_y(0.5 * PI.copysign(self.angle)) * self.carrier.front;
        let out = |leg: &usize| idle.sole(*leg, 0.0).dot(side);
        (0..idle.leg_count()).max_by(|a, b| out(a).total_cmp(&out(b))).unwrap_or(0)
    }

    /// Returns the number of frames, including the shared first one.
    pub fn count(&self) -> usize {
        ((self.duration + self.turning.rest) * self.settings.fps).ceil() as usize + 1
    }

    /// Returns a frame before feet are locked.
    pub fn frame(&self, frame: usize) -> RawFrame {
        let time = frame as f64 / self.settings.fps;
        let legs = 0..self.input.legs().len();
        RawFrame {
            pose: self.pose(time),
            standing: legs.map(|leg| self.is_planted(leg, time)).collect(),
            position: self.turning.position,
            heading: self.turning.from + self.turned(time),
        }
    }

    /// Returns the ground height under a world point and under the body, world units.
    pub fn ground(&self, point: DVec3) -> [f64; 2] {
        let unit = self.input.metres_per_unit;
        let body = self.turning.position;
        let height = self.input.ground.and_then(|ground| ground_at_foot(ground, body, point * unit));
        [height.unwrap_or(body.y) / unit, body.y / unit]
    }
}

/// Returns the share over standing of a clip that plays for `duration` seconds, 0…1; 1 in the middle even of a short
/// clip.
fn share_of_clip(time: f64, duration: f64) -> f64 {
    Easing::Smoothstep.at(time.min(duration - time) / FADE_SECONDS.min(0.4 * duration))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_fades_in_from_standing_plays_alone_and_fades_out() {
        for duration in [0.1, 3.0] {
            let shares = [0.0, 0.05, 0.5, 0.95, 1.0].map(|part| share_of_clip(part * duration, duration));
            assert_eq!([shares[0], shares[2], shares[4]], [0.0, 1.0, 0.0], "{duration} s");
            assert!(shares[1] > 0.0 && (shares[1] - shares[3]).abs() < 1e-9, "{shares:?}");
        }
        assert!(share_of_clip(0.5 * FADE_SECONDS, 3.0) < 1.0 && share_of_clip(FADE_SECONDS, 3.0) == 1.0);
    }
}
