//! Flights: the body falls freely between two contacts.
//!
//! With the rise Δy, the distance D along the heading and the airtime T of a flight
//!
//! ```text
//! v = Δy / T + g·T / 2      vertical speed at take-off
//! u = D / T                 horizontal speed
//! ```
//!
//! A flight of another distance D′ = k·D keeps its angle: T′ = T·√k, and both speeds change by √k. A higher landing keeps the airtime and
//! needs a higher speed v′. A lower landing keeps the speed at take-off, and the airtime is the later root of Δy′ = v·T′ − g·T′²/2.

use glam::DVec3;

use super::BuildError;
use super::limits::{
    GRAVITY, MAX_AIRTIME_FACTOR, MAX_FLIGHT_SPEED, MAX_LANDING_SPEED, MAX_SPEED_FACTOR, MAX_TAKE_OFF_SPEED,
    OWN_LIMIT_FACTOR,
};
use portamento_base::message::{Message, message};

/// Distance below which a flight goes straight up and its airtime does not depend on the distance, metres.
const DISTANCE_MIN_M: f64 = 0.2;

/// A part of the clip without any contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flight {
    /// Start, seconds.
    pub start: f64,
    /// End, seconds.
    pub end: f64,
    /// Position of the body at the start, metres.
    pub from: DVec3,
    /// Position of the body at the end, metres.
    pub to: DVec3,
    pub(super) heading: DVec3,
}

/// A ballistic arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// Airtime, seconds.
    pub seconds: f64,
    /// Rise of the body, metres.
    pub rise: f64,
    /// Distance along the heading, metres.
    pub distance: f64,
}

impl Arc {
    /// Returns the vertical speed at take-off, metres per second.
    pub fn take_off_speed(&self) -> f64 {
        self.rise / self.seconds + 0.5 * GRAVITY * self.seconds
    }

    /// Returns the vertical speed at landing, metres per second; negative downwards.
    pub fn landing_speed(&self) -> f64 {
        self.take_off_speed() - GRAVITY * self.seconds
    }

    /// Returns the horizontal speed, metres per second.
    pub fn speed(&self) -> f64 {
        self.distance / self.seconds
    }

    /// Returns the height above the take-off after `seconds`, metres.
    pub fn height(&self, seconds: f64) -> f64 {
        self.take_off_speed() * seconds - 0.5 * GRAVITY * seconds * seconds
    }
}

impl Flight {
    /// Returns the arc of free fall with the clip's own ends and airtime.
    pub fn arc(&self) -> Arc {
        let travel = self.to - self.from;
        Arc { seconds: self.end - self.start, rise: travel.y, distance: travel.dot(self.heading) }
    }

    /// Returns the arc if the landing moves by `change` (metres) relative to the take-off.
    ///
    /// Returns `Err` if no airtime leads there, or a speed or the airtime exceeds its limit.
    pub(super) fn adapted(&self, change: DVec3) -> Result<Arc, BuildError> {
        let own = self.arc();
        if change == DVec3::ZERO {
            return Ok(own);
        }
        let (rise, distance) = (own.rise + change.y, own.distance + change.dot(self.heading));
        let scale = if own.distance < DISTANCE_MIN_M { 1.0 } else { (distance / own.distance).max(0.0).sqrt() };
        let arc = Arc { seconds: own.seconds * scale, rise, distance };
        if arc.seconds <= 0.0 {
            return Err(BuildError::NoArc);
        }
        // The clip's own speed, for a landing that is lower than it would need.
        let kept = own.take_off_speed() * scale;
        let arc = if arc.take_off_speed() < kept && kept < GRAVITY * arc.seconds {
            let root = kept * kept - 2.0 * GRAVITY * rise;
            Arc { seconds: (kept + root.max(0.0).sqrt()) / GRAVITY, ..arc }
        } else {
            arc
        };
        check(&own, &arc)?;
        Ok(arc)
    }
}

/// Returns `Err` if `arc`, an arc changed from `own`, exceeds a limit of a person.
fn check(own: &Arc, arc: &Arc) -> Result<(), BuildError> {
    let [least, most] = [own.seconds / MAX_AIRTIME_FACTOR, own.seconds * MAX_AIRTIME_FACTOR];
    if !(least..=most).contains(&arc.seconds) {
        return Err(BuildError::Airtime { seconds: arc.seconds, least, most });
    }
    let person = |limit: f64, own: f64| limit.max(own * OWN_LIMIT_FACTOR);
    let horizontal = person(MAX_FLIGHT_SPEED, own.speed());
    let horizontal =
        if own.distance < DISTANCE_MIN_M { horizontal } else { horizontal.min(own.speed() * MAX_SPEED_FACTOR) };
    let speeds: [(Message, f64, f64); 3] = [
        (
            message!("cross.take_off_speed", "The vertical speed at take-off"),
            arc.take_off_speed(),
            person(MAX_TAKE_OFF_SPEED, own.take_off_speed()),
        ),
        (
            message!("cross.landing_speed", "The vertical speed at landing"),
            -arc.landing_speed(),
            person(MAX_LANDING_SPEED, -own.landing_speed()),
        ),
        (message!("cross.flight_speed", "The horizontal speed in flight"), arc.speed().abs(), horizontal),
    ];
    match speeds.into_iter().find(|(_, speed, most)| speed.is_nan() || speed > most) {
        Some((what, speed, most)) => Err(BuildError::Speed { what: Box::new(what), speed, most }),
        None => Ok(()),
    }
}
