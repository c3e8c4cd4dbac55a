//! How a rig stands at rest.

use super::Body;
use crate::anim::foot_place::{leg_place, sole};
use crate::anim::{Leg, Pose};

/// A rest pose whose soles lie within this share of the legs from height 0 stands on the ground there.
pub(super) const STANDS_AT_REST: f64 = 0.2;

/// A ground nearer to height 0 than this share of the legs is height 0, and feet that differ by less stand on one ground.
pub(super) const LEVEL: f64 = 0.1;

/// Height of a toe and of an ankle over the ground as shares of the leg, where the rest pose does not show them.
const USUAL_TOE: f64 = 0.03;
const USUAL_ANKLE: f64 = 0.1;

/// How a rig stands at rest.
pub(super) struct RestFeet {
    /// Height of each leg's sole over the ground when it stands, the file's unit.
    pub heights: Vec<f64>,
    /// Whether all feet stand; rest poses of captured motion may be a frame of it.
    pub stand: bool,
}

impl RestFeet {
    pub fn measure(body: &Body) -> Self {
        let rest = Pose::rest(body.skeleton);
        let length = leg_length(body);
        let soles: Vec<f64> = body.roles.legs.iter().map(|leg| sole(body.skeleton, leg, &rest).y).collect();
        let lowest = soles.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = soles.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let stand = highest - lowest <= LEVEL * length;
        let ground = if lowest.abs() <= STANDS_AT_REST * length { 0.0 } else { lowest };
        let usual = |leg: &Leg| length * if leg.toe.is_some() { USUAL_TOE } else { USUAL_ANKLE };
        let height = |(leg, sole): (&Leg, f64)| if stand { sole - ground } else { usual(leg) };
        Self { heights: body.roles.legs.iter().zip(soles).map(height).collect(), stand }
    }
}

pub(super) fn leg_length(body: &Body) -> f64 {
    let rest = Pose::rest(body.skeleton);
    body.roles.legs.iter().map(|leg| leg_place(body.skeleton, leg, &rest).length()).fold(0.0, f64::max)
}
