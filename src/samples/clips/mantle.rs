//! From the stance onto a ledge of 1 m: both hands on the edge, a push with legs and arms, a foot on top, standing up.

use super::idle::{STANCE, stance};
use super::raised;
use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::grip::Grip;
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};
use crate::motion::profile::Profile;
use crate::motion::spline::interpolate;

/// z of the edge, metres.
pub const EDGE_Z: f64 = 0.42;
/// Height of the ledge, metres.
pub const LEDGE_HEIGHT_M: f64 = 1.0;
/// Frames in which the left and the right hand hold the edge.
pub const HOLDS: [[f64; 2]; 2] = [[14.0, 38.0], [14.0, 35.0]];
/// z of the root in the last frame, metres.
const END_Z: f64 = 0.68;
/// Height of the root by frame, metres.
const HEIGHTS: [(f64, f64); 5] =
    [(0.0, 0.0), (20.0, 0.0), (33.0, 0.55), (46.0, LEDGE_HEIGHT_M), (68.0, LEDGE_HEIGHT_M)];

/// 68 frames, from the stance to the stance on the ledge.
pub fn plan() -> Plan {
    Plan {
        name: "mantle",
        frames: 68,
        keys: keys(),
        path: vec![
            (0.0, 0.0),
            (10.0, 0.03),
            (18.0, 0.06),
            (26.0, 0.09),
            (32.0, 0.12),
            (37.0, 0.22),
            (46.0, 0.52),
            (58.0, END_Z),
            (68.0, END_Z),
        ],
        heights: HEIGHTS.to_vec(),
        facing: vec![(0.0, 0.0)],
        feet: [left_foot(), right_foot()],
        hands: [hold(0), hold(1)],
        profile: Profile(vec![[EDGE_Z, LEDGE_HEIGHT_M]]),
        ..Plan::default()
    }
}

/// Returns the poses with their frames, ascending.
fn keys() -> Vec<(f64, Posing)> {
    let at = |frame: f64, height: f64, posing: Posing| raised(frame, height, &HEIGHTS, posing);
    vec![
        (0.0, stance()),
        at(8.0, 0.85, gather()),
        at(14.0, 0.83, touch()),
        at(18.0, 0.77, load()),
        at(23.0, 0.97, push()),
        at(30.0, 1.25, press()),
        at(37.0, 1.33, step()),
        at(43.0, 1.45, shift()),
        at(50.0, 1.68, rise()),
        at(58.0, 1.885, tall()),
        (65.0, stance()),
        (68.0, stance()),
    ]
}

/// Returns the pose that sinks and looks at the edge, with the arms coming up.
fn gather() -> Posing {
    let arm = Arm { swing: 14.0, spread: 36.0, twist: 24.0, elbow: 126.0, wrist: -30.0, ..Arm::default() };
    Posing {
        hips: [0.0, 0.0, -0.06],
        hips_turn: [18.0, 0.0, 0.0],
        torso: [14.0, 0.0, 0.0],
        head: [-8.0, 0.0, 0.0],
        left: arm,
        right: arm,
        knees: [6.0, 6.0],
        ..Posing::default()
    }
}

/// Returns the pose at the touch of the hands.
fn touch() -> Posing {
    let arm = Arm { swing: 28.0, spread: 34.0, twist: 30.0, elbow: 112.0, wrist: -60.0, ..Arm::default() };
    Posing {
        hips: [0.0, 0.0, -0.06],
        hips_turn: [24.0, 0.0, 0.0],
        torso: [16.0, 0.0, 0.0],
        head: [-14.0, 0.0, 0.0],
        left: arm,
        right: arm,
        knees: [8.0, 8.0],
        ..Posing::default()
    }
}

/// Returns the lowest pose, with the hands on the edge.
fn load() -> Posing {
    Posing {
        hips: [0.0, 0.0, -0.1],
        hips_turn: [30.0, 0.0, 0.0],
        torso: [12.0, 0.0, 0.0],
        head: [-18.0, 0.0, 0.0],
        ..touch()
    }
}

/// Returns the pose at the toe-off: legs long, weight coming onto the arms.
fn push() -> Posing {
    Posing {
        hips: [0.0, 0.0, -0.02],
        hips_turn: [26.0, 0.0, 0.0],
        torso: [12.0, 0.0, 0.0],
        head: [-24.0, 0.0, 0.0],
        ..touch()
    }
}

/// Returns the support on long arms.
fn press() -> Posing {
    let arm = Arm { swing: 50.0, spread: 14.0, twist: 24.0, elbow: 8.0, wrist: -60.0, shrug: -8.0, ..Arm::default() };
    Posing {
        hips: [0.02, 0.0, -0.04],
        hips_turn: [38.0, 4.0, -4.0],
        torso: [20.0, 0.0, 0.0],
        head: [-30.0, 0.0, 0.0],
        left: arm,
        right: arm,
        ..Posing::default()
    }
}

/// Returns the pose at the touch of the right foot on the ledge, leaning on the left arm.
fn step() -> Posing {
    Posing {
        hips: [0.04, 0.0, 0.02],
        hips_turn: [48.0, 8.0, -14.0],
        torso: [22.0, -4.0, 4.0],
        head: [-34.0, 0.0, 4.0],
        knees: [0.0, 24.0],
        ..press()
    }
}

/// Returns the pose with the weight on the right foot; the right hand lets go.
fn shift() -> Posing {
    Posing {
        hips: [-0.05, 0.0, 0.06],
        hips_turn: [50.0, 2.0, -4.0],
        torso: [24.0, 0.0, 2.0],
        head: [-36.0, 0.0, 0.0],
        left: Arm { swing: 80.0, spread: 24.0, twist: 16.0, elbow: 56.0, ..Arm::default() },
        right: Arm { swing: 64.0, spread: 26.0, twist: 16.0, elbow: 60.0, ..Arm::default() },
        knees: [4.0, 16.0],
        ..press()
    }
}

/// Returns the pose on the way up, on the right leg.
fn rise() -> Posing {
    Posing {
        hips: [-0.06, 0.0, 0.0],
        hips_turn: [30.0, -4.0, 2.0],
        torso: [20.0, 0.0, -2.0],
        head: [-24.0, 0.0, 0.0],
        left: Arm { swing: 46.0, spread: 24.0, twist: 16.0, elbow: 46.0, ..Arm::default() },
        right: Arm { swing: 30.0, spread: 26.0, twist: 14.0, elbow: 40.0, ..Arm::default() },
        knees: [6.0, 10.0],
        ..Posing::default()
    }
}

/// Returns the upright pose just before the stance.
fn tall() -> Posing {
    Posing {
        hips: [-0.02, 0.0, -0.01],
        hips_turn: [4.0, -5.0, 2.0],
        torso: [-6.0, 3.0, -2.0],
        head: [0.0, 3.0, 0.0],
        left: Arm { swing: -8.0, spread: 20.0, elbow: 18.0, ..stance().left },
        right: Arm { swing: -10.0, spread: 20.0, elbow: 16.0, ..stance().right },
        ..stance()
    }
}

/// Returns the hold of the hand of `side`.
fn hold(side: usize) -> Vec<Grip> {
    let out = [1.0, -1.0][side];
    let [from, to] = HOLDS[side];
    let wrist = [out * 0.24, LEDGE_HEIGHT_M + 0.084, EDGE_Z + 0.06];
    vec![Grip { from, to, fades: [6.0, 7.0], arc: 0.1, wrist, fingers: [10.0, 14.0], elbow: 40.0 }]
}

fn left_foot() -> Steps {
    let (position, yaw) = STANCE[0];
    let start = Plant { roll: 18.5, off: 23.5, off_angle: 60.0, ..Plant::flat(-99.0, 23.5, position, yaw) };
    let up = Plant {
        strike: 53.0,
        flat: 54.5,
        strike_angle: -8.0,
        height: LEDGE_HEIGHT_M,
        ..Plant::flat(53.0, 199.0, [position[0], END_Z + position[1]], yaw)
    };
    let air = |frame: f64, [y, z]: [f64; 2], pitch: f64| {
        let ground = interpolate(&HEIGHTS, frame);
        AirKey { frame, position: [0.11, y - ground, z], pitch, yaw: 8.0 }
    };
    let air = vec![
        air(28.0, [0.42, -0.08], 62.0),
        air(33.0, [0.53, -0.16], 60.0),
        air(38.0, [0.6, -0.22], 58.0),
        air(42.0, [0.84, -0.38], 60.0),
        air(46.5, [1.2, -0.36], 60.0),
        air(50.5, [1.2, -0.06], 22.0),
    ];
    Steps { plants: vec![start, up], air }
}

fn right_foot() -> Steps {
    let (position, yaw) = STANCE[1];
    let start = Plant { roll: 18.0, off: 23.0, off_angle: 62.0, ..Plant::flat(-99.0, 23.0, position, yaw) };
    let up = Plant {
        strike: 37.0,
        flat: 39.0,
        strike_angle: -16.0,
        height: LEDGE_HEIGHT_M,
        ..Plant::flat(37.0, 199.0, [position[0], END_Z + position[1]], yaw)
    };
    let air = |frame: f64, [y, z]: [f64; 2], pitch: f64| {
        let ground = interpolate(&HEIGHTS, frame);
        AirKey { frame, position: [-0.13, y - ground, z], pitch, yaw: -16.0 }
    };
    let air = vec![
        air(26.0, [0.42, -0.1], 64.0),
        air(29.5, [0.7, -0.18], 70.0),
        air(32.5, [1.0, -0.1], 52.0),
        air(35.0, [1.2, 0.18], 20.0),
    ];
    Steps { plants: vec![start, up], air }
}
