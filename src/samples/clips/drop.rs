//! From the stance off a ledge of 1.2 m: a step over the edge, the fall, a landing with bent knees, the stance.

use super::idle::{STANCE, stance};
use super::raised;
use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};
use crate::motion::profile::Profile;
use crate::motion::spline::interpolate;

/// z of the edge, metres.
pub const EDGE_Z: f64 = 0.3;
/// Height of the ledge over the ground below it, metres.
pub const DROP_M: f64 = 1.2;
/// First and last frame of the fall.
pub const FLIGHT: [f64; 2] = [18.0, 32.0];
/// z of the root in the last frame, metres.
const END_Z: f64 = 1.04;
/// Height of the root by frame, metres: it falls as a body does.
const HEIGHTS: [(f64, f64); 9] = [
    (0.0, 0.0),
    (18.0, 0.0),
    (20.0, -0.024),
    (22.0, -0.098),
    (25.0, -0.3),
    (28.0, -0.612),
    (30.0, -0.882),
    (32.0, -DROP_M),
    (64.0, -DROP_M),
];

/// 64 frames, from the stance on the ledge to the stance below it.
pub fn plan() -> Plan {
    Plan {
        name: "drop",
        frames: 64,
        keys: keys(),
        path: vec![
            (0.0, 0.0),
            (8.0, 0.03),
            (13.0, 0.12),
            (18.0, 0.3),
            (25.0, 0.62),
            (32.0, 0.94),
            (39.0, END_Z),
            (64.0, END_Z),
        ],
        heights: HEIGHTS.to_vec(),
        facing: vec![(0.0, 0.0)],
        feet: [left_foot(), right_foot()],
        flights: vec![FLIGHT],
        profile: Profile(vec![[EDGE_Z, -DROP_M]]),
        ..Plan::default()
    }
}

/// Returns the poses with their frames, ascending.
fn keys() -> Vec<(f64, Posing)> {
    let at = |frame: f64, height: f64, posing: Posing| raised(frame, height, &HEIGHTS, posing);
    vec![
        (0.0, stance()),
        at(7.0, 0.9, gather()),
        at(12.5, 0.87, swing()),
        at(FLIGHT[0], 0.8, step_off()),
        at(25.0, 0.5, fall()),
        at(FLIGHT[1], 0.88 - DROP_M, land()),
        at(38.0, 0.52 - DROP_M, absorb()),
        at(42.0, 0.53 - DROP_M, settle()),
        at(51.0, 0.84 - DROP_M, rise()),
        (60.0, stance()),
        (64.0, stance()),
    ]
}

/// Returns the pose that looks down and takes the weight onto the left foot.
fn gather() -> Posing {
    Posing {
        hips: [0.05, 0.0, -0.01],
        hips_turn: [8.0, 0.0, -3.0],
        torso: [10.0, 0.0, 3.0],
        head: [22.0, 0.0, 0.0],
        left: Arm { swing: -6.0, spread: 24.0, twist: 16.0, elbow: 30.0, ..Arm::default() },
        right: Arm { swing: -8.0, spread: 24.0, twist: 16.0, elbow: 30.0, ..Arm::default() },
        knees: [6.0, 6.0],
        ..Posing::default()
    }
}

/// Returns the pose in which the right leg swings over the edge.
fn swing() -> Posing {
    Posing {
        hips: [0.06, 0.0, 0.02],
        hips_turn: [6.0, 6.0, -4.0],
        torso: [12.0, -6.0, 3.0],
        head: [26.0, 0.0, 0.0],
        left: Arm { swing: 8.0, spread: 34.0, twist: 10.0, elbow: 30.0, ..Arm::default() },
        right: Arm { swing: -18.0, spread: 34.0, twist: 10.0, elbow: 26.0, ..Arm::default() },
        knees: [8.0, 6.0],
        ..Posing::default()
    }
}

/// Returns the pose in which the left toes leave the edge.
fn step_off() -> Posing {
    Posing {
        hips: [0.04, 0.0, 0.04],
        hips_turn: [10.0, 4.0, -2.0],
        torso: [10.0, -4.0, 2.0],
        head: [24.0, 0.0, 0.0],
        left: Arm { swing: 10.0, spread: 54.0, twist: 4.0, elbow: 34.0, shrug: 6.0, ..Arm::default() },
        right: Arm { swing: -4.0, spread: 52.0, twist: 4.0, elbow: 30.0, shrug: 6.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the pose in the fall: arms up, eyes on the ground.
fn fall() -> Posing {
    let arm = Arm { swing: 20.0, spread: 82.0, elbow: 34.0, wrist: -10.0, shrug: 14.0, ..Arm::default() };
    Posing {
        hips: [0.0, 0.0, 0.02],
        hips_turn: [4.0, 0.0, 0.0],
        torso: [4.0, 0.0, 0.0],
        head: [24.0, 0.0, 0.0],
        left: arm,
        right: Arm { swing: 14.0, spread: 78.0, ..arm },
        knees: [4.0, 6.0],
        ..Posing::default()
    }
}

/// Returns the pose at the touch of both feet.
fn land() -> Posing {
    let arm = Arm { swing: 24.0, spread: 60.0, elbow: 34.0, shrug: 6.0, ..Arm::default() };
    Posing {
        hips: [0.0, 0.0, -0.02],
        hips_turn: [10.0, 0.0, 0.0],
        torso: [8.0, 0.0, 0.0],
        head: [10.0, 0.0, 0.0],
        left: arm,
        right: arm,
        knees: [10.0, 10.0],
        ..Posing::default()
    }
}

/// Returns the deepest pose.
fn absorb() -> Posing {
    let arm = Arm { swing: 46.0, spread: 26.0, twist: 10.0, elbow: 30.0, ..Arm::default() };
    Posing {
        hips: [0.0, 0.0, -0.08],
        hips_turn: [40.0, 0.0, 0.0],
        torso: [26.0, 0.0, 0.0],
        head: [-40.0, 0.0, 0.0],
        left: arm,
        right: Arm { swing: 40.0, ..arm },
        knees: [14.0, 14.0],
        ..Posing::default()
    }
}

/// Returns the pose just after the deepest one, the arms swinging through.
fn settle() -> Posing {
    let arm = Arm { swing: 30.0, spread: 20.0, twist: 14.0, elbow: 34.0, ..Arm::default() };
    Posing {
        hips: [0.0, 0.0, -0.08],
        hips_turn: [42.0, 0.0, 0.0],
        torso: [30.0, 0.0, 0.0],
        head: [-42.0, 0.0, 0.0],
        left: arm,
        right: Arm { swing: 24.0, ..arm },
        ..absorb()
    }
}

/// Returns the pose on the way up.
fn rise() -> Posing {
    Posing {
        hips: [-0.01, 0.0, -0.04],
        hips_turn: [16.0, -3.0, 1.0],
        torso: [4.0, 2.0, -2.0],
        head: [-12.0, 2.0, 0.0],
        left: Arm { swing: -12.0, spread: 22.0, twist: 18.0, elbow: 22.0, ..Arm::default() },
        right: Arm { swing: -16.0, spread: 22.0, twist: 16.0, elbow: 20.0, ..Arm::default() },
        ..stance()
    }
}

/// Returns the contact after the fall of a foot that lands on its ball.
fn landing(side: usize, frame: f64) -> Plant {
    let (position, yaw) = STANCE[side];
    Plant {
        flat: frame + 2.0,
        strike_angle: -24.0,
        height: -DROP_M,
        ..Plant::flat(frame, 199.0, [position[0], END_Z + position[1]], yaw)
    }
}

fn left_foot() -> Steps {
    let (position, yaw) = STANCE[0];
    let start = Plant { roll: 10.0, off: FLIGHT[0], off_angle: 58.0, ..Plant::flat(-99.0, FLIGHT[0], position, yaw) };
    let air = |frame: f64, [y, z]: [f64; 2], pitch: f64| AirKey {
        frame,
        position: [0.12, y - interpolate(&HEIGHTS, frame), z],
        pitch,
        yaw: 8.0,
    };
    let air = vec![air(21.5, [0.16, -0.04], 62.0), air(25.0, [-0.22, 0.0], 50.0), air(29.0, [-0.65, 0.08], 32.0)];
    Steps { plants: vec![start, landing(0, FLIGHT[1])], air }
}

fn right_foot() -> Steps {
    let (position, yaw) = STANCE[1];
    let start = Plant { roll: 5.0, off: 9.0, off_angle: 30.0, ..Plant::flat(-99.0, 9.0, position, yaw) };
    let air = |frame: f64, [y, z]: [f64; 2], pitch: f64| AirKey {
        frame,
        position: [-0.11, y - interpolate(&HEIGHTS, frame), z],
        pitch,
        yaw: -8.0,
    };
    let air = vec![
        air(12.5, [0.22, 0.18], 0.0),
        air(18.0, [0.06, 0.3], 16.0),
        air(22.0, [-0.03, 0.24], 28.0),
        air(26.0, [-0.3, 0.16], 30.0),
        air(29.0, [-0.69, 0.06], 28.0),
    ];
    Steps { plants: vec![start, landing(1, FLIGHT[1])], air }
}
