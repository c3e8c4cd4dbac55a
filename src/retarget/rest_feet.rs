//! The feet of a rig in its rest pose.

use super::Body;
use portamento_anim::foot_place::{leg_positions, sole};
use portamento_anim::foot_shape::standing_ground;
use portamento_anim::{Leg, Pose};

/// Height difference below which a ground is at height 0, and feet are level, as a fraction of the leg length. Tuned; no
/// derivation recorded.
pub(super) const LEVEL_RATIO: f64 = 0.1;

/// Default height of a toe above the ground, as a fraction of the leg length, if the rest pose does not show it.
const DEFAULT_TOE_RATIO: f64 = 0.03;
/// Default height of an ankle above the ground, as a fraction of the leg length.
const DEFAULT_ANKLE_RATIO: f64 = 0.1;

/// The feet of a rig in its rest pose.
pub(super) struct RestFeet {
    /// Height of each leg's sole above the ground during a stance, in the file's unit.
    pub heights: Vec<f64>,
    /// Height of the ground on which the rest pose stands, in the file's unit.
    pub ground: f64,
    /// True if all feet are level at rest. The rest pose of captured motion may be any frame.
    pub are_level: bool,
}

impl RestFeet {
    /// Measures the soles of all legs at rest. If the feet are not level, the heights are defaults for the leg length.
    pub fn measure(body: &Body) -> Self {
        let rest = Pose::rest(body.skeleton);
        let length = leg_length(body);
        let soles: Vec<f64> = body.roles.legs.iter().map(|leg| sole(body.skeleton, leg, &rest).y).collect();
        let lowest = soles.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = soles.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let are_level = highest - lowest <= LEVEL_RATIO * length;
        let ground = standing_ground(body.skeleton, &body.roles.legs, body.soles);
        let default_height =
            |leg: &Leg| length * if leg.toe.is_some() { DEFAULT_TOE_RATIO } else { DEFAULT_ANKLE_RATIO };
        let height = |(leg, sole): (&Leg, f64)| if are_level { sole - ground } else { default_height(leg) };
        Self { heights: body.roles.legs.iter().zip(soles).map(height).collect(), ground, are_level }
    }
}

/// Returns the length of the longest leg at rest, in the file's unit; 0 without legs.
pub(super) fn leg_length(body: &Body) -> f64 {
    let rest = Pose::rest(body.skeleton);
    body.roles.legs.iter().map(|leg| leg_positions(body.skeleton, leg, &rest).length()).fold(0.0, f64::max)
}
