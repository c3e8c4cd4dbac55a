//! A quarter turn to either side in two steps: the foot on that side opens, the other follows.

use super::idle::stance;
use super::turn::standing;
use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};

/// 30 frames, 90° to the left in position.
pub fn left() -> Plan {
    Plan {
        name: "turn_left",
        frames: 30,
        cyclic: false,
        rise: 0.0,
        keys: vec![(0.0, stance()), (4.0, look()), (12.0, open()), (20.0, close()), (28.0, stance())],
        path: vec![(0.0, 0.0)],
        facing: vec![(0.0, 0.0), (4.0, 0.0), (13.0, 50.0), (22.0, 90.0), (30.0, 90.0)],
        feet: [outer(0), inner(1)],
        ..Plan::default()
    }
}

/// The quarter turn to the right, with the same steps. It is not a mirror image, because the stance is asymmetric.
pub fn right() -> Plan {
    let left = left();
    Plan {
        name: "turn_right",
        keys: vec![
            (0.0, stance()),
            (4.0, look().mirrored()),
            (12.0, open().mirrored()),
            (20.0, close().mirrored()),
            (28.0, stance()),
        ],
        facing: left.facing.iter().map(|&(frame, yaw)| (frame, -yaw)).collect(),
        feet: [inner(0), outer(1)],
        ..left
    }
}

/// Returns the pose of the turn to the left in which the head leads.
fn look() -> Posing {
    Posing {
        hips: [-0.03, -0.05, 0.0],
        hips_turn: [4.0, -2.0, 2.0],
        torso: [0.0, 9.0, -1.0],
        head: [3.0, 34.0, -3.0],
        ..stance()
    }
}

/// Returns the pose of the turn to the left while the first foot steps out.
fn open() -> Posing {
    Posing {
        hips: [0.0, -0.06, 0.0],
        hips_turn: [5.0, 4.0, 0.0],
        torso: [2.0, 14.0, 1.0],
        head: [2.0, 22.0, 0.0],
        left: Arm { swing: -14.0, spread: 20.0, elbow: 26.0, ..stance().left },
        right: Arm { swing: 16.0, spread: 18.0, elbow: 30.0, ..stance().right },
        ..stance()
    }
}

/// Returns the pose of the turn to the left while the second foot follows.
fn close() -> Posing {
    Posing {
        hips: [0.0, -0.04, 0.0],
        hips_turn: [3.0, 2.0, 0.0],
        torso: [0.0, 5.0, 0.0],
        head: [1.0, 3.0, 0.0],
        left: Arm { swing: -6.0, spread: 18.0, ..stance().left },
        right: Arm { swing: 8.0, spread: 18.0, ..stance().right },
        ..stance()
    }
}

/// Returns the rotation to the left in degrees of the foot of `side`, which steps first or second.
fn degrees(side: usize, first: bool) -> f64 {
    if (side == 0) == first { 90.0 } else { -90.0 }
}

/// Returns the steps of the foot that steps first, to its own side.
fn outer(side: usize) -> Steps {
    let out = if side == 0 { 1.0 } else { -1.0 };
    let start = Plant { roll: 3.0, off: 6.0, off_angle: 24.0, ..standing(side, 0.0, [-99.0, 6.0]) };
    let end =
        Plant { strike: 13.0, flat: 14.0, strike_angle: -6.0, ..standing(side, degrees(side, true), [13.0, 199.0]) };
    let air = vec![AirKey { frame: 9.5, position: [out * 0.14, 0.165, 0.05], pitch: 18.0, yaw: out * 34.0 }];
    Steps { plants: vec![start, end], air }
}

/// Returns the steps of the foot that follows.
fn inner(side: usize) -> Steps {
    let out = if side == 0 { 1.0 } else { -1.0 };
    let start = Plant { roll: 10.0, off: 15.0, off_angle: 36.0, ..standing(side, 0.0, [-99.0, 15.0]) };
    let end =
        Plant { strike: 23.0, flat: 24.0, strike_angle: -6.0, ..standing(side, degrees(side, false), [23.0, 199.0]) };
    let air = vec![AirKey { frame: 19.0, position: [out * 0.13, 0.18, 0.02], pitch: 20.0, yaw: out * -8.0 }];
    Steps { plants: vec![start, end], air }
}
