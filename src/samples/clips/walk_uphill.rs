//! A walk up a slope of 14° at 1.1 m/s: short steps on the full sole, high knees, leaning into the hill.

use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};

/// Frames per two steps.
const CYCLE_FRAMES: f64 = 28.0;
/// Metres per two steps: 1.1 m/s.
const STRIDE_M: f64 = 1.1 * CYCLE_FRAMES / 30.0;
/// Half the distance between the ankles, metres.
const HALF_STEP_WIDTH_M: f64 = 0.075;
/// Distance of a touching heel ahead of the root, metres.
const TOUCH_AHEAD_M: f64 = 0.27;

/// 28 frames, cyclic, on ground that rises 0.25 m per metre.
pub fn plan() -> Plan {
    let left = [(0.0, contact()), (4.0, down()), (8.0, passing()), (11.5, up())];
    let right = left.map(|(at, posing)| (at + CYCLE_FRAMES / 2.0, posing.mirrored()));
    Plan {
        name: "walk_uphill",
        frames: CYCLE_FRAMES as usize,
        cyclic: true,
        rise: 0.25,
        keys: left.into_iter().chain(right).collect(),
        path: vec![(-2.0 * CYCLE_FRAMES, -2.0 * STRIDE_M), (3.0 * CYCLE_FRAMES, 3.0 * STRIDE_M)],
        facing: vec![(0.0, 0.0)],
        feet: [steps(0.0, HALF_STEP_WIDTH_M), steps(CYCLE_FRAMES / 2.0, -HALF_STEP_WIDTH_M)],
        ..Plan::default()
    }
}

/// The left foot touches the ground.
fn contact() -> Posing {
    Posing {
        hips: [0.0, -0.115, 0.035],
        hips_turn: [15.0, -8.0, 0.0],
        torso: [7.0, 16.0, 0.0],
        head: [-16.0, -9.0, 0.0],
        left: Arm { swing: -30.0, spread: 11.0, twist: 10.0, elbow: 26.0, ..Arm::default() },
        right: Arm { swing: 34.0, spread: 11.0, twist: 14.0, elbow: 48.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// The weight shifts to the left foot.
fn down() -> Posing {
    Posing {
        hips: [0.02, -0.125, 0.045],
        hips_turn: [18.0, -6.0, 4.0],
        torso: [9.0, 11.0, -4.0],
        head: [-18.0, -6.0, 0.0],
        left: Arm { swing: -28.0, spread: 12.0, twist: 10.0, elbow: 24.0, ..Arm::default() },
        right: Arm { swing: 34.0, spread: 11.0, twist: 14.0, elbow: 52.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// The right knee passes the left leg, which drives.
fn passing() -> Posing {
    Posing {
        hips: [0.03, -0.085, 0.05],
        hips_turn: [16.0, 0.0, 5.0],
        torso: [6.0, 0.0, -5.0],
        head: [-15.0, 0.0, 0.0],
        left: Arm { swing: -4.0, spread: 11.0, twist: 12.0, elbow: 30.0, ..Arm::default() },
        right: Arm { swing: 8.0, spread: 11.0, twist: 12.0, elbow: 38.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// The left leg has raised the body.
fn up() -> Posing {
    Posing {
        hips: [0.016, -0.075, 0.05],
        hips_turn: [14.0, 6.0, 1.0],
        torso: [5.0, -12.0, -1.0],
        head: [-14.0, 7.0, 0.0],
        left: Arm { swing: 20.0, spread: 11.0, twist: 14.0, elbow: 42.0, ..Arm::default() },
        right: Arm { swing: -20.0, spread: 11.0, twist: 10.0, elbow: 28.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the steps of the foot that touches at `frame`.
fn steps(frame: f64, x: f64) -> Steps {
    let position = [x, TOUCH_AHEAD_M + STRIDE_M * frame / CYCLE_FRAMES];
    let plant = Plant {
        strike: frame,
        flat: frame + 2.0,
        roll: frame + 10.0,
        off: frame + 16.0,
        position,
        height: 0.0,
        yaw: x.signum() * 7.0,
        strike_angle: 8.0,
        off_angle: 46.0,
    };
    let air =
        |at: f64, position: [f64; 3], pitch: f64| AirKey { frame: frame + at, position, pitch, yaw: x.signum() * 6.0 };
    let air =
        vec![air(19.5, [x, 0.23, -0.19], 44.0), air(23.0, [x, 0.24, 0.08], 12.0), air(26.0, [x, 0.17, 0.25], -8.0)];
    Steps { plants: vec![plant], air }
}
