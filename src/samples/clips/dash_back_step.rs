//! A step back, a pause and a low dash forward. The root moves backwards first.

use super::idle::{STANCE, stance};
use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};

/// Position after the step back, metres.
const BACK_Z: f64 = -0.7;
/// End of the dash, metres.
const END_Z: f64 = 2.6;

/// A step back, a pause and a dash forward, 66 frames.
pub fn plan() -> Plan {
    Plan {
        name: "dash_back_step",
        frames: 66,
        cyclic: false,
        rise: 0.0,
        keys: keys(),
        path: vec![(0.0, 0.0), (4.0, 0.0), (15.0, BACK_Z), (23.0, BACK_Z), (33.0, 2.25), (39.0, END_Z), (66.0, END_Z)],
        facing: vec![(0.0, 0.0)],
        feet: [left_foot(), right_foot()],
        ..Plan::default()
    }
}

/// Returns the poses with their frames, ascending.
fn keys() -> Vec<(f64, Posing)> {
    let hop = Posing { lift: 0.05, ..stepping() };
    let deep = Posing { hips: [-0.01, -0.31, -0.09], ..coil() };
    vec![
        (0.0, stance()),
        (4.0, dip()),
        (9.5, hop),
        (16.0, coil()),
        (22.0, deep),
        (25.5, burst()),
        (29.0, Posing { lift: 0.03, ..glide() }),
        (33.0, brake()),
        (38.0, overshoot()),
        (48.0, tall()),
        (60.0, stance()),
        (66.0, stance()),
    ]
}

/// Returns the small dip before the step back.
fn dip() -> Posing {
    Posing {
        hips: [0.0, -0.1, 0.0],
        hips_turn: [10.0, 0.0, 0.0],
        torso: [6.0, 0.0, 0.0],
        left: Arm { swing: 14.0, spread: 20.0, elbow: 40.0, ..stance().left },
        right: Arm { swing: 14.0, spread: 20.0, elbow: 40.0, ..stance().right },
        ..stance()
    }
}

/// Returns the pose in the air of the step back; the caller adds the lift.
fn stepping() -> Posing {
    Posing {
        hips: [0.0, -0.15, -0.04],
        hips_turn: [-2.0, -8.0, 0.0],
        torso: [14.0, -6.0, 0.0],
        head: [-10.0, 8.0, 0.0],
        left: Arm { swing: 48.0, spread: 30.0, elbow: 36.0, shrug: 8.0, ..Arm::default() },
        right: Arm { swing: 34.0, spread: 34.0, elbow: 44.0, shrug: 8.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the deep pose before the dash.
fn coil() -> Posing {
    Posing {
        hips: [-0.01, -0.27, -0.08],
        hips_turn: [28.0, -18.0, 0.0],
        torso: [26.0, -16.0, 0.0],
        head: [-42.0, 32.0, 0.0],
        left: Arm { swing: 66.0, spread: 14.0, twist: 24.0, elbow: 56.0, reach: 10.0, ..Arm::default() },
        right: Arm { swing: -46.0, spread: 30.0, twist: 10.0, elbow: 44.0, reach: -8.0, ..Arm::default() },
        knees: [8.0, 12.0],
        ..Posing::default()
    }
}

/// Returns the pose at the start of the dash, leaning forward.
fn burst() -> Posing {
    Posing {
        hips: [0.0, -0.2, 0.12],
        hips_turn: [40.0, -4.0, 0.0],
        torso: [18.0, -6.0, 0.0],
        head: [-46.0, 8.0, 0.0],
        left: Arm { swing: -20.0, spread: 24.0, elbow: 30.0, ..Arm::default() },
        right: Arm { swing: -50.0, spread: 26.0, elbow: 24.0, ..Arm::default() },
        knees: [4.0, 4.0],
        ..Posing::default()
    }
}

/// Returns the pose in flight with the arms trailing; the caller adds the lift.
fn glide() -> Posing {
    Posing {
        hips: [0.0, -0.22, 0.08],
        hips_turn: [38.0, 6.0, 0.0],
        torso: [20.0, 8.0, 0.0],
        head: [-48.0, -6.0, 0.0],
        left: Arm { swing: -66.0, spread: 26.0, elbow: 12.0, wrist: -12.0, reach: -8.0, ..Arm::default() },
        right: Arm { swing: -72.0, spread: 26.0, elbow: 12.0, wrist: -12.0, reach: -8.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the pose at the first contact after the dash.
fn brake() -> Posing {
    Posing {
        hips: [0.01, -0.24, -0.02],
        hips_turn: [10.0, -10.0, 0.0],
        torso: [4.0, 8.0, 0.0],
        head: [-12.0, 4.0, 0.0],
        left: Arm { swing: -30.0, spread: 44.0, elbow: 30.0, ..Arm::default() },
        right: Arm { swing: -24.0, spread: 44.0, elbow: 34.0, ..Arm::default() },
        knees: [4.0, 8.0],
        ..Posing::default()
    }
}

/// Returns the pose in which the body sinks forward after braking.
fn overshoot() -> Posing {
    Posing {
        hips: [0.0, -0.3, 0.02],
        hips_turn: [24.0, -6.0, 0.0],
        torso: [22.0, 6.0, 0.0],
        head: [-30.0, 0.0, 0.0],
        left: Arm { swing: 26.0, spread: 26.0, twist: 12.0, elbow: 40.0, ..Arm::default() },
        right: Arm { swing: 30.0, spread: 26.0, twist: 12.0, elbow: 44.0, ..Arm::default() },
        knees: [8.0, 10.0],
        ..Posing::default()
    }
}

/// Returns the upright pose before the stance, leaning back slightly.
fn tall() -> Posing {
    let rest = stance();
    Posing {
        hips: [-0.014, -0.018, -0.02],
        torso: [-8.0, 3.0, -2.0],
        left: Arm { swing: -10.0, ..rest.left },
        right: Arm { swing: -14.0, ..rest.right },
        ..rest
    }
}

fn left_foot() -> Steps {
    let (position, yaw) = STANCE[0];
    let start = Plant { roll: 5.0, off: 8.5, off_angle: 40.0, ..Plant::flat(-99.0, 8.5, position, yaw) };
    let coil = Plant {
        strike: 14.0,
        strike_angle: -14.0,
        flat: 15.0,
        roll: 22.0,
        off: 25.0,
        off_angle: 50.0,
        position: [0.12, BACK_Z + 0.24],
        height: 0.0,
        yaw: 6.0,
    };
    let land = Plant {
        strike: 33.0,
        flat: 35.0,
        strike_angle: 16.0,
        ..Plant::flat(33.0, 99.0, [position[0], END_Z + position[1]], yaw)
    };
    let air = vec![
        AirKey { frame: 11.0, position: [0.12, 0.2, 0.3], pitch: 22.0, yaw: 10.0 },
        AirKey { frame: 28.0, position: [0.1, 0.36, 0.1], pitch: 30.0, yaw: 4.0 },
        AirKey { frame: 31.0, position: [0.11, 0.24, 0.42], pitch: -8.0, yaw: 8.0 },
    ];
    Steps { plants: vec![start, coil, land], air }
}

fn right_foot() -> Steps {
    let (position, yaw) = STANCE[1];
    let start = Plant { roll: 3.5, off: 6.0, off_angle: 24.0, ..Plant::flat(-99.0, 6.0, position, yaw) };
    let coil = Plant {
        strike: 11.0,
        strike_angle: -24.0,
        flat: 14.0,
        roll: 20.0,
        off: 24.4,
        off_angle: 70.0,
        position: [-0.12, BACK_Z - 0.3],
        height: 0.0,
        yaw: -26.0,
    };
    let close = Plant {
        strike: 39.0,
        flat: 40.0,
        strike_angle: 4.0,
        ..Plant::flat(39.0, 99.0, [position[0], END_Z + position[1]], yaw)
    };
    let air = vec![
        AirKey { frame: 9.0, position: [-0.12, 0.18, -0.42], pitch: 24.0, yaw: -24.0 },
        AirKey { frame: 30.0, position: [-0.08, 0.4, -0.52], pitch: 86.0, yaw: -10.0 },
        AirKey { frame: 35.0, position: [-0.1, 0.24, -0.34], pitch: 46.0, yaw: -16.0 },
    ];
    Steps { plants: vec![start, coil, close], air }
}
