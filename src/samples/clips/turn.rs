//! A half turn to the left in three steps: the head leads, the shoulders follow, the hips come last.

use super::idle::{STANCE, stance};
use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};

/// 52 frames, 180° in position.
pub fn plan() -> Plan {
    Plan {
        name: "turn",
        frames: 52,
        cyclic: false,
        rise: 0.0,
        keys: vec![
            (0.0, stance()),
            (6.0, look()),
            (13.0, wind()),
            (22.0, swing()),
            (32.0, arrive()),
            (41.0, beyond()),
            (50.0, stance()),
        ],
        path: vec![(0.0, 0.0)],
        facing: vec![(0.0, 0.0), (5.0, 0.0), (18.0, 92.0), (32.0, 180.0), (52.0, 180.0)],
        feet: [left_foot(), right_foot()],
        ..Plan::default()
    }
}

/// Returns the pose in which the head leads to the left.
fn look() -> Posing {
    Posing {
        hips: [-0.034, -0.045, -0.005],
        hips_turn: [5.0, -3.0, 2.0],
        torso: [0.0, 12.0, -2.0],
        head: [6.0, 46.0, -4.0],
        ..stance()
    }
}

/// Returns the pose in which the shoulders follow the head.
fn wind() -> Posing {
    Posing {
        hips: [-0.02, -0.07, 0.0],
        hips_turn: [6.0, 6.0, 0.0],
        torso: [4.0, 20.0, 0.0],
        head: [4.0, 34.0, -2.0],
        left: Arm { swing: -24.0, spread: 22.0, elbow: 28.0, ..stance().left },
        right: Arm { swing: 26.0, spread: 20.0, elbow: 40.0, ..stance().right },
        ..stance()
    }
}

/// Returns the pose in the middle of the turn, with the arms spread by it.
fn swing() -> Posing {
    Posing {
        hips: [0.02, -0.06, 0.0],
        hips_turn: [5.0, 4.0, -2.0],
        torso: [2.0, 14.0, 2.0],
        head: [2.0, 22.0, 0.0],
        left: Arm { swing: -16.0, spread: 26.0, elbow: 24.0, ..stance().left },
        right: Arm { swing: 20.0, spread: 26.0, elbow: 30.0, ..stance().right },
        ..stance()
    }
}

/// Returns the pose at the end of the turn, with the torso still turned to the left.
fn arrive() -> Posing {
    Posing {
        hips: [-0.02, -0.055, 0.0],
        hips_turn: [4.0, 2.0, 1.0],
        torso: [0.0, 10.0, 0.0],
        head: [2.0, 4.0, 0.0],
        left: Arm { swing: -10.0, spread: 24.0, ..stance().left },
        right: Arm { swing: 14.0, spread: 22.0, ..stance().right },
        ..stance()
    }
}

/// Returns the pose that swings a little past the final direction.
fn beyond() -> Posing {
    Posing { torso: [-5.0, 7.0, -3.0], head: [3.0, -2.0, 0.0], hips: [-0.02, -0.02, -0.01], ..stance() }
}

/// Returns the stance of `side` rotated about the root by `degrees` to the left: ankle position and toe direction.
fn turned(side: usize, degrees: f64) -> ([f64; 2], f64) {
    let ([x, z], yaw) = STANCE[side];
    let (sin, cos) = degrees.to_radians().sin_cos();
    ([x * cos + z * sin, z * cos - x * sin], yaw + degrees)
}

/// Returns a contact of the foot of `side` from frame `from` to `to`, rotated by `degrees`.
pub(super) fn standing(side: usize, degrees: f64, [from, to]: [f64; 2]) -> Plant {
    let (position, yaw) = turned(side, degrees);
    Plant::flat(from, to, position, yaw)
}

fn left_foot() -> Steps {
    let start = Plant { roll: 4.0, off: 7.0, off_angle: 22.0, ..standing(0, 0.0, [-99.0, 7.0]) };
    let half = Plant {
        strike: 13.0,
        flat: 14.0,
        strike_angle: -6.0,
        roll: 21.0,
        off: 25.0,
        off_angle: 34.0,
        ..standing(0, 96.0, [0.0; 2])
    };
    let end = Plant { strike: 32.0, flat: 33.0, strike_angle: -4.0, ..standing(0, 180.0, [32.0, 199.0]) };
    let air = vec![
        AirKey { frame: 10.0, position: [0.13, 0.16, 0.08], pitch: 16.0, yaw: 30.0 },
        AirKey { frame: 28.5, position: [0.14, 0.17, -0.02], pitch: 22.0, yaw: 4.0 },
    ];
    Steps { plants: vec![start, half, end], air }
}

fn right_foot() -> Steps {
    let start = Plant { roll: 9.0, off: 15.0, off_angle: 44.0, ..standing(1, 0.0, [-99.0, 15.0]) };
    let end = Plant { strike: 23.0, flat: 24.0, strike_angle: -6.0, ..standing(1, 180.0, [23.0, 199.0]) };
    let air = vec![AirKey { frame: 19.0, position: [-0.15, 0.19, 0.04], pitch: 20.0, yaw: -20.0 }];
    Steps { plants: vec![start, end], air }
}
