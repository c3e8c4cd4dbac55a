//! A walk at 1.4 m/s: heel strike first, hips over the planted foot, shoulders against the hips.

use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};

/// Frames per two steps.
pub const CYCLE_FRAMES: f64 = 26.0;
/// Metres per two steps: 1.4 m/s.
pub(super) const STRIDE_M: f64 = 1.4 * CYCLE_FRAMES / 30.0;
/// Half the distance between the ankles, metres.
const HALF_STEP_WIDTH_M: f64 = 0.068;
/// Distance of a touching heel ahead of the root, metres.
const TOUCH_AHEAD_M: f64 = 0.285;

/// 26 frames, cyclic.
pub fn plan() -> Plan {
    Plan {
        name: "walk",
        frames: CYCLE_FRAMES as usize,
        cyclic: true,
        rise: 0.0,
        keys: keys(0.0),
        path: vec![(-2.0 * CYCLE_FRAMES, -2.0 * STRIDE_M), (3.0 * CYCLE_FRAMES, 3.0 * STRIDE_M)],
        facing: vec![(0.0, 0.0)],
        feet: [steps(0.0, HALF_STEP_WIDTH_M), steps(CYCLE_FRAMES / 2.0, -HALF_STEP_WIDTH_M)],
        ..Plan::default()
    }
}

/// Returns the key poses of one cycle that starts at `frame`.
pub fn keys(frame: f64) -> Vec<(f64, Posing)> {
    let left = [(0.0, contact()), (3.5, down()), (7.0, passing()), (10.5, up())];
    let right = left.map(|(at, posing)| (at + CYCLE_FRAMES / 2.0, posing.mirrored()));
    left.into_iter().chain(right).map(|(at, posing)| (at + frame, posing)).collect()
}

/// The left heel touches the ground.
fn contact() -> Posing {
    Posing {
        hips: [0.0, -0.062, 0.0],
        hips_turn: [4.0, -7.0, 0.0],
        torso: [1.0, 15.0, 0.0],
        head: [-2.0, -8.0, 0.0],
        left: Arm { swing: -26.0, spread: 9.0, twist: 10.0, elbow: 14.0, ..Arm::default() },
        right: Arm { swing: 22.0, spread: 9.0, twist: 14.0, elbow: 30.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// The weight shifts to the left foot.
fn down() -> Posing {
    Posing {
        hips: [0.016, -0.07, 0.0],
        hips_turn: [5.0, -5.0, 3.0],
        torso: [3.0, 11.0, -3.0],
        head: [-1.0, -6.0, 0.0],
        left: Arm { swing: -29.0, spread: 10.0, twist: 10.0, elbow: 12.0, ..Arm::default() },
        right: Arm { swing: 25.0, spread: 9.0, twist: 14.0, elbow: 34.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// The right foot passes the left one.
fn passing() -> Posing {
    Posing {
        hips: [0.026, -0.042, 0.0],
        hips_turn: [4.0, 0.0, 4.0],
        torso: [0.0, 0.0, -4.0],
        head: [-2.0, 0.0, 0.0],
        left: Arm { swing: -6.0, spread: 10.0, twist: 12.0, elbow: 18.0, ..Arm::default() },
        right: Arm { swing: 3.0, spread: 10.0, twist: 12.0, elbow: 24.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// The left leg pushes off.
fn up() -> Posing {
    Posing {
        hips: [0.014, -0.036, 0.0],
        hips_turn: [3.0, 5.0, 1.0],
        torso: [-1.0, -11.0, -1.0],
        head: [-3.0, 6.0, 0.0],
        left: Arm { swing: 13.0, spread: 9.0, twist: 14.0, elbow: 26.0, ..Arm::default() },
        right: Arm { swing: -18.0, spread: 9.0, twist: 10.0, elbow: 18.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the steps of the foot that touches at `frame`.
fn steps(frame: f64, x: f64) -> Steps {
    let position = [x, TOUCH_AHEAD_M + STRIDE_M * frame / CYCLE_FRAMES];
    let plant = Plant {
        strike: frame,
        flat: frame + 3.0,
        roll: frame + 9.0,
        off: frame + 15.0,
        position,
        height: 0.0,
        yaw: x.signum() * 6.0,
        strike_angle: 20.0,
        off_angle: 58.0,
    };
    let air =
        |at: f64, position: [f64; 3], pitch: f64| AirKey { frame: frame + at, position, pitch, yaw: x.signum() * 5.0 };
    let air =
        vec![air(18.5, [x, 0.245, -0.24], 52.0), air(22.0, [x, 0.175, 0.09], 4.0), air(24.3, [x, 0.14, 0.27], -18.0)];
    Steps { plants: vec![plant], air }
}
