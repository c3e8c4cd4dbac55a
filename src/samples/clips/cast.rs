//! A standing cast: both hands gather at the hip, then drive forward over a step.

use super::idle::{STANCE, stance};
use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};

/// 72 frames in position.
pub fn plan() -> Plan {
    let held_pose = Posing { hips: [-0.055, -0.15, -0.065], torso: [8.0, -36.0, 2.0], ..gather() };
    Plan {
        name: "cast",
        frames: 72,
        cyclic: false,
        rise: 0.0,
        keys: vec![
            (0.0, stance()),
            (5.0, open()),
            (15.0, gather()),
            (24.0, held_pose),
            (29.0, thrust()),
            (32.0, beyond()),
            (38.0, thrust()),
            (45.0, Posing { hips: [0.02, -0.125, 0.085], ..thrust() }),
            (57.0, back()),
            (68.0, stance()),
            (72.0, stance()),
        ],
        path: vec![(0.0, 0.0)],
        facing: vec![(0.0, 0.0)],
        feet: [left_foot(), right_foot()],
        ..Plan::default()
    }
}

/// Returns the pose with open arms before the hands gather.
fn open() -> Posing {
    Posing {
        hips: [-0.01, -0.02, 0.015],
        torso: [-8.0, 10.0, 0.0],
        left: Arm { swing: 30.0, spread: 34.0, elbow: 30.0, shrug: 6.0, ..Arm::default() },
        right: Arm { swing: 22.0, spread: 38.0, elbow: 34.0, shrug: 6.0, ..Arm::default() },
        ..stance()
    }
}

/// Returns the pose with both hands at the hip.
fn gather() -> Posing {
    Posing {
        hips: [-0.05, -0.13, -0.06],
        hips_turn: [8.0, -22.0, 2.0],
        torso: [6.0, -32.0, 2.0],
        head: [-8.0, 44.0, -2.0],
        left: Arm { swing: 34.0, spread: -16.0, twist: 34.0, elbow: 84.0, reach: 16.0, ..Arm::default() },
        right: Arm { swing: -22.0, spread: 26.0, twist: 26.0, elbow: 92.0, reach: -6.0, ..Arm::default() },
        knees: [8.0, 12.0],
        ..Posing::default()
    }
}

/// Returns the pose with both arms pushed forward over the step.
fn thrust() -> Posing {
    Posing {
        hips: [0.02, -0.14, 0.1],
        hips_turn: [10.0, 4.0, 0.0],
        torso: [10.0, 2.0, 0.0],
        head: [-18.0, -5.0, 0.0],
        left: Arm { swing: 86.0, spread: 13.0, elbow: 14.0, wrist: 52.0, palm: -30.0, reach: 12.0, ..Arm::default() },
        right: Arm { swing: 88.0, spread: 25.0, elbow: 12.0, wrist: 52.0, palm: -30.0, reach: 12.0, ..Arm::default() },
        knees: [6.0, 6.0],
        ..Posing::default()
    }
}

/// Returns the pose at the end of the push, a little farther forward than `thrust`.
fn beyond() -> Posing {
    Posing {
        hips: [0.02, -0.17, 0.125],
        torso: [15.0, 5.0, 0.0],
        head: [-23.0, -8.0, 0.0],
        left: Arm { elbow: 5.0, reach: 18.0, ..thrust().left },
        right: Arm { elbow: 4.0, reach: 18.0, spread: 28.0, ..thrust().right },
        ..thrust()
    }
}

/// Returns the pose on the way back to the stance.
fn back() -> Posing {
    Posing {
        hips: [-0.02, -0.05, 0.0],
        torso: [-2.0, 4.0, -2.0],
        left: Arm { swing: 24.0, spread: 18.0, twist: 16.0, elbow: 40.0, ..Arm::default() },
        right: Arm { swing: 20.0, spread: 18.0, twist: 16.0, elbow: 38.0, ..Arm::default() },
        ..stance()
    }
}

fn left_foot() -> Steps {
    let (position, yaw) = STANCE[0];
    let start = Plant { roll: 18.0, off: 22.0, off_angle: 20.0, ..Plant::flat(-99.0, 22.0, position, yaw) };
    let lunge = Plant {
        strike: 28.0,
        flat: 29.5,
        strike_angle: 12.0,
        roll: 48.0,
        off: 51.0,
        off_angle: 16.0,
        ..Plant::flat(0.0, 0.0, [0.13, 0.36], 6.0)
    };
    let again = Plant { strike: 57.0, flat: 58.5, strike_angle: -8.0, ..Plant::flat(57.0, 99.0, position, yaw) };
    let air = vec![
        AirKey { frame: 25.0, position: [0.14, 0.19, 0.22], pitch: 0.0, yaw: 10.0 },
        AirKey { frame: 54.0, position: [0.14, 0.15, 0.2], pitch: 12.0, yaw: 10.0 },
    ];
    Steps { plants: vec![start, lunge, again], air }
}

fn right_foot() -> Steps {
    let (position, yaw) = STANCE[1];
    Steps { plants: vec![Plant::flat(-99.0, 199.0, position, yaw)], air: Vec::new() }
}
