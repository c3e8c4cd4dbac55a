//! A character that turns on the spot, with a clip that turns or by stepping.
//!
//! With a clip, its own heading is brought to the asked angle. Without one the body turns smoothly while the feet step one after
//! the other, the inner one first, each to where it stands in the middle of what the body turns until its next step. Either way
//! standing feet keep place and direction, and the heading never turns faster than the limit.

use std::f64::consts::PI;

use glam::{DAffine3, DQuat, DVec3};

use super::clip_roles::ClipSet;
use super::ground_beside::ground_beside;
use super::in_place_clip::{RootCarrier, move_body, yaw};
use super::raw_frame::RawFrame;
use super::segment::Rig;
use super::turn_clip::{self, TurnClip};
use super::walk::mix_into;
use super::{Input, Settings};
use crate::anim::Pose;
use crate::anim::root_motion::wrap;
use crate::math::easing::Easing;

/// Where, from where to where, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TurnRequest {
    /// Where the character stands meanwhile, metres.
    pub place: DVec3,
    /// Heading before, radians.
    pub from: f64,
    /// Heading asked for, radians.
    pub to: f64,
    /// When it begins, seconds.
    pub begins: f64,
    /// Seconds it stands afterwards.
    pub rest: f64,
}

/// A turn as planned.
pub(super) struct TurnInPlace<'a> {
    input: &'a Input<'a>,
    settings: &'a Settings,
    carrier: &'a RootCarrier,
    clips: &'a ClipSet,
    pub turning: TurnRequest,
    /// Radians, to the left above 0.
    pub angle: f64,
    how: TurnMethod<'a>,
    /// Seconds until the heading is reached.
    pub lasts: f64,
}

enum TurnMethod<'a> {
    /// A clip at a play rate, its heading brought to the angle.
    Clip { turn: &'a TurnClip, yaws: Vec<f64>, rate: f64 },
    /// So many steps of each foot.
    Steps(usize),
}

/// Headings nearer than this, radians, are the same.
pub(super) const SAME: f64 = 1e-4;
/// Radians that one step of each foot turns at most.
const STEP_ANGLE: f64 = PI / 3.0;
/// Seconds of one step.
const STEP: f64 = 0.3;
/// Seconds in which standing goes over into a clip and back.
const OVER: f64 = 0.2;

impl<'a> TurnInPlace<'a> {
    /// Plans `turning`; `None` where the heading is as asked already.
    pub fn plan(rig: Rig<'a>, clips: &'a ClipSet, turning: TurnRequest) -> Option<Self> {
        let Rig { input, settings, carrier } = rig;
        let asked = wrap(turning.to - turning.from);
        if asked.abs() < SAME {
            return None;
        }
        let limit = settings.turn_speed.to_radians();
        let (angle, how, lasts) = match turn_clip::choose(&clips.turns, asked) {
            Some((turn, angle)) => {
                let yaws = turn.warped(angle);
                let speed = |(yaws, times): (&[f64], &[f64])| (yaws[1] - yaws[0]).abs() / (times[1] - times[0]);
                let fastest = yaws.windows(2).zip(turn.times.windows(2)).map(speed).fold(0.0, f64::max);
                let rate = (limit / fastest).min(1.0);
                (angle, TurnMethod::Clip { turn, yaws, rate }, turn.clip.duration / rate)
            }
            None => {
                let steps = (asked.abs() / STEP_ANGLE - 1e-9).ceil().max(1.0) as usize;
                // The easing is one and a half times as fast in its middle as on average.
                let slowest = 1.5 * asked.abs() / limit;
                (asked, TurnMethod::Steps(steps), (2.0 * STEP * steps as f64).max(slowest))
            }
        };
        Some(Self { input, settings, carrier, clips, turning, angle, how, lasts })
    }

    /// The clip that turns, its own angle in radians, and how fast it plays.
    pub fn clip(&self) -> Option<(&TurnClip, f64)> {
        match &self.how {
            TurnMethod::Clip { turn, rate, .. } => Some((turn, *rate)),
            TurnMethod::Steps(_) => None,
        }
    }

    /// Radians turned after `time` seconds.
    fn turned(&self, time: f64) -> f64 {
        match &self.how {
            _ if time >= self.lasts => self.angle,
            TurnMethod::Clip { turn, yaws, rate } => turn_clip::mix(&turn.times, yaws, time * rate),
            TurnMethod::Steps(_) => self.angle * Easing::Smoothstep.at(time / self.lasts),
        }
    }

    /// Share of the clip over standing after `time` seconds, 0…1.
    pub fn share(&self, time: f64) -> f64 {
        if matches!(self.how, TurnMethod::Clip { .. }) { share_of_clip(time, self.lasts) } else { 0.0 }
    }

    fn pose(&self, time: f64) -> Pose {
        let skeleton = self.input.skeleton;
        let idle = &self.clips.idle;
        let mut pose = Pose::default();
        let at = (self.turning.begins + time).rem_euclid(idle.clip.duration.max(1e-3));
        idle.sample(skeleton, self.carrier, at, &mut pose);
        let share = self.share(time);
        if let (TurnMethod::Clip { turn, rate, .. }, true) = (&self.how, share > 0.0) {
            let mut turning = Pose::default();
            turn.sample(self.input, self.carrier, time * rate, &mut turning);
            mix_into(&mut pose, &turning, share as f32);
        }
        let heading = self.turning.from + self.turned(time) - yaw(self.carrier.front);
        let place = DAffine3::from_translation(self.turning.place / self.input.metres_per_unit);
        move_body(skeleton, self.carrier, &(place * DAffine3::from_rotation_y(heading)), &mut pose);
        pose
    }

    /// Whether what plays after `time` seconds lets the leg stand.
    fn is_planted(&self, leg: usize, time: f64) -> bool {
        match &self.how {
            _ if time <= 0.0 || time >= self.lasts => true,
            TurnMethod::Clip { turn, rate, .. } => turn.standing.at(leg, time * rate),
            TurnMethod::Steps(steps) => {
                let legs = self.clips.idle.soles().max(1);
                let slots = legs * steps;
                let slot = ((time / self.lasts * slots as f64) as usize).min(slots - 1) % legs;
                (self.first_leg() + slot) % legs != leg
            }
        }
    }

    /// The leg on the side it turns to, which steps first.
    fn first_leg(&self) -> usize {
        let idle = &self.clips.idle;
        let side = DQuat::from_rotation_y(0.5 * PI.copysign(self.angle)) * self.carrier.front;
        let out = |leg: &usize| idle.sole(*leg, 0.0).dot(side);
        (0..idle.soles()).max_by(|a, b| out(a).total_cmp(&out(b))).unwrap_or(0)
    }

    /// How many frames it takes, the one in which it begins and the last one included.
    pub fn count(&self) -> usize {
        ((self.lasts + self.turning.rest) * self.settings.fps).ceil() as usize + 1
    }

    /// A frame before feet are locked.
    pub fn frame(&self, frame: usize) -> RawFrame {
        let time = frame as f64 / self.settings.fps;
        let legs = 0..self.input.legs().len();
        RawFrame {
            pose: self.pose(time),
            standing: legs.map(|leg| self.is_planted(leg, time)).collect(),
            place: self.turning.place,
            heading: self.turning.from + self.turned(time),
        }
    }

    /// Height of the ground under a world point, and under the body, world units.
    pub fn ground(&self, point: DVec3) -> [f64; 2] {
        let unit = self.input.metres_per_unit;
        let body = self.turning.place;
        let height = self.input.ground.and_then(|ground| ground_beside(ground, body, point * unit));
        [height.unwrap_or(body.y) / unit, body.y / unit]
    }
}

/// Share over standing of a clip that plays for `lasts` seconds, 0…1: whole in the middle, however short it is.
fn share_of_clip(time: f64, lasts: f64) -> f64 {
    Easing::Smoothstep.at(time.min(lasts - time) / OVER.min(0.4 * lasts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_comes_in_from_standing_plays_alone_and_goes_out() {
        for lasts in [0.1, 3.0] {
            let shares = [0.0, 0.05, 0.5, 0.95, 1.0].map(|part| share_of_clip(part * lasts, lasts));
            assert_eq!([shares[0], shares[2], shares[4]], [0.0, 1.0, 0.0], "{lasts} s");
            assert!(shares[1] > 0.0 && (shares[1] - shares[3]).abs() < 1e-9, "{shares:?}");
        }
        assert!(share_of_clip(0.5 * OVER, 3.0) < 1.0 && share_of_clip(OVER, 3.0) == 1.0);
    }
}
