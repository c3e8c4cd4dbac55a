//! A run at 4 m/s: leaning forward, with high knees and a flight phase after every step.

use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};

/// Frames per two steps.
pub const CYCLE_FRAMES: f64 = 20.0;
/// Metres per two steps: 4 m/s.
pub(super) const STRIDE_M: f64 = 4.0 * CYCLE_FRAMES / 30.0;
/// Metres per frame.
pub const METRES_PER_FRAME: f64 = 4.0 / 30.0;
/// Half the distance between the ankles, metres.
const HALF_STEP_WIDTH_M: f64 = 0.05;
/// Distance of a touching foot ahead of the root, metres.
const TOUCH_AHEAD_M: f64 = 0.34;

/// 20 frames, cyclic.
pub fn plan() -> Plan {
    Plan {
        name: "run",
        frames: CYCLE_FRAMES as usize,
        cyclic: true,
        rise: 0.0,
        keys: keys(0.0),
        path: vec![(-2.0 * CYCLE_FRAMES, -2.0 * STRIDE_M), (3.0 * CYCLE_FRAMES, 3.0 * STRIDE_M)],
        facing: vec![(0.0, 0.0)],
        feet: [steps(0.0, HALF_STEP_WIDTH_M, 0.0), steps(CYCLE_FRAMES / 2.0, -HALF_STEP_WIDTH_M, 0.0)],
        ..Plan::default()
    }
}

/// Returns the key poses of one cycle that starts at `frame`.
pub fn keys(frame: f64) -> Vec<(f64, Posing)> {
    let left = [(0.0, contact()), (2.5, down()), (5.5, push()), (8.0, flight())];
    let right = left.map(|(at, posing)| (at + CYCLE_FRAMES / 2.0, posing.mirrored()));
    left.into_iter().chain(right).map(|(at, posing)| (at + frame, posing)).collect()
}

/// The left foot touches the ground.
fn contact() -> Posing {
    Posing {
        hips: [0.006, -0.06, 0.0],
        hips_turn: [12.0, -10.0, 1.0],
        torso: [8.0, 22.0, -2.0],
        head: [-16.0, -10.0, 0.0],
        left: Arm { swing: -44.0, spread: 18.0, twist: 10.0, elbow: 84.0, ..Arm::default() },
        right: Arm { swing: 34.0, spread: 10.0, twist: 10.0, elbow: 96.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// The left leg takes the weight.
fn down() -> Posing {
    Posing {
        hips: [0.018, -0.112, 0.0],
        hips_turn: [14.0, -5.0, 4.0],
        torso: [10.0, 12.0, -5.0],
        head: [-15.0, -6.0, 0.0],
        left: Arm { swing: -32.0, spread: 18.0, twist: 12.0, elbow: 88.0, ..Arm::default() },
        right: Arm { swing: 20.0, spread: 12.0, twist: 10.0, elbow: 88.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// The left leg drives, the right knee leads.
fn push() -> Posing {
    Posing {
        hips: [0.012, -0.05, 0.0],
        hips_turn: [13.0, 8.0, 1.0],
        torso: [5.0, -14.0, -2.0],
        head: [-16.0, 6.0, 0.0],
        left: Arm { swing: 16.0, spread: 12.0, twist: 8.0, elbow: 92.0, ..Arm::default() },
        right: Arm { swing: -28.0, spread: 16.0, twist: 12.0, elbow: 86.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// In the air.
fn flight() -> Posing {
    Posing {
        hips: [0.0, -0.02, 0.0],
        hips_turn: [11.0, 12.0, -1.0],
        torso: [5.0, -25.0, 1.0],
        head: [-16.0, 12.0, 0.0],
        left: Arm { swing: 38.0, spread: 10.0, twist: 10.0, elbow: 100.0, ..Arm::default() },
        right: Arm { swing: -48.0, spread: 18.0, twist: 10.0, elbow: 82.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the contact that starts at `frame`, for a root at z = `shift` metres in frame 0.
pub fn plant(frame: f64, x: f64, shift: f64) -> Plant {
    Plant {
        strike: frame,
        flat: frame + 1.0,
        roll: frame + 3.0,
        off: frame + 6.2,
        position: [x, TOUCH_AHEAD_M + METRES_PER_FRAME * frame + shift],
        height: 0.0,
        yaw: x.signum() * 3.0,
        strike_angle: 10.0,
        off_angle: 66.0,
    }
}

/// Returns the flight after the contact that starts at `frame`.
pub fn air(frame: f64, x: f64) -> Vec<AirKey> {
    let air =
        |at: f64, position: [f64; 3], pitch: f64| AirKey { frame: frame + at, position, pitch, yaw: x.signum() * 3.0 };
    vec![
        air(9.5, [x, 0.47, -0.5], 96.0),
        air(13.0, [x, 0.44, -0.02], 50.0),
        air(16.3, [x, 0.36, 0.36], 2.0),
        air(18.5, [x, 0.2, 0.4], -10.0),
    ]
}

fn steps(frame: f64, x: f64, shift: f64) -> Steps {
    Steps { plants: vec![plant(frame, x, shift)], air: air(frame, x) }
}
