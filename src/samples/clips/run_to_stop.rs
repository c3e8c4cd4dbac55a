//! From the run to the stance: a heel dug in, the body overshooting, and a closing step.

use super::idle::{STANCE, stance};
use super::run;
use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};

/// Final position of the root, metres.
const END_Z: f64 = 2.56;

/// 52 frames. Frame 0 is frame 0 of the run.
pub fn plan() -> Plan {
    let path = [
        (-90.0, -90.0 * run::METRES_PER_FRAME),
        (0.0, 0.0),
        (8.0, 8.0 * run::METRES_PER_FRAME),
        (14.0, 1.8),
        (18.0, 2.2),
        (24.0, 2.49),
    ];
    Plan {
        name: "run_to_stop",
        frames: 52,
        cyclic: false,
        rise: 0.0,
        keys: keys(),
        path: path.into_iter().chain([(30.0, END_Z), (52.0, END_Z)]).collect(),
        facing: vec![(0.0, 0.0)],
        feet: [left_foot(), right_foot()],
        ..Plan::default()
    }
}

fn keys() -> Vec<(f64, Posing)> {
    let running = (-4..=0).flat_map(|turn| run::keys(f64::from(turn) * run::CYCLE_FRAMES)).filter(|key| key.0 < 10.0);
    let stopping =
        [(12.0, brace()), (18.0, dig()), (24.0, overshoot()), (33.0, rebound()), (44.0, stance()), (52.0, stance())];
    running.chain(stopping).collect()
}

/// Returns the upright pose of the last running step, before the heel digs in.
fn brace() -> Posing {
    Posing {
        hips: [-0.014, -0.1, -0.01],
        hips_turn: [4.0, 4.0, -3.0],
        torso: [0.0, -10.0, 3.0],
        head: [-6.0, 4.0, 0.0],
        left: Arm { swing: 24.0, spread: 18.0, twist: 18.0, elbow: 76.0, ..Arm::default() },
        right: Arm { swing: -24.0, spread: 22.0, twist: 12.0, elbow: 70.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the pose with the left heel dug in, leaning back with open arms.
fn dig() -> Posing {
    Posing {
        hips: [0.01, -0.17, -0.05],
        hips_turn: [-14.0, -12.0, 2.0],
        torso: [-8.0, 12.0, 0.0],
        head: [10.0, 0.0, 0.0],
        left: Arm { swing: 6.0, spread: 46.0, twist: 10.0, elbow: 46.0, wrist: -14.0, shrug: 8.0, ..Arm::default() },
        right: Arm { swing: 26.0, spread: 44.0, twist: 10.0, elbow: 52.0, wrist: -14.0, shrug: 8.0, ..Arm::default() },
        knees: [4.0, 8.0],
        ..Posing::default()
    }
}

/// Returns the pose in which the body sinks forward over the feet.
fn overshoot() -> Posing {
    Posing {
        hips: [0.012, -0.23, 0.03],
        hips_turn: [18.0, -6.0, 1.0],
        torso: [20.0, 6.0, 0.0],
        head: [-22.0, 0.0, 0.0],
        left: Arm { swing: 40.0, spread: 24.0, twist: 14.0, elbow: 38.0, wrist: 10.0, ..Arm::default() },
        right: Arm { swing: 46.0, spread: 24.0, twist: 14.0, elbow: 44.0, wrist: 10.0, ..Arm::default() },
        knees: [6.0, 10.0],
        ..Posing::default()
    }
}

/// Returns the upright pose after the overshoot, leaning back slightly.
fn rebound() -> Posing {
    let rest = stance();
    Posing {
        hips: [-0.01, -0.02, -0.02],
        hips_turn: [0.0, -5.0, 1.0],
        torso: [-9.0, 3.0, -2.0],
        head: [7.0, 2.0, 0.0],
        left: Arm { swing: -16.0, spread: 22.0, elbow: 14.0, ..rest.left },
        right: Arm { swing: -20.0, spread: 22.0, elbow: 12.0, ..rest.right },
        ..rest
    }
}

fn left_foot() -> Steps {
    let (position, yaw) = STANCE[0];
    let dig = Plant {
        strike: 18.0,
        flat: 21.0,
        strike_angle: 26.0,
        ..Plant::flat(18.0, 99.0, [position[0], position[1] + END_Z], yaw)
    };
    let before = run::air(0.0, 0.05).into_iter().take(2);
    let reach = AirKey { frame: 16.0, position: [0.09, 0.27, 0.4], pitch: -14.0, yaw: 8.0 };
    Steps { plants: vec![run::plant(0.0, 0.05, 0.0), dig], air: before.chain([reach]).collect() }
}

fn right_foot() -> Steps {
    let (position, yaw) = STANCE[1];
    let last = Plant { roll: 14.0, off: 19.0, ..run::plant(10.0, -0.05, -0.04) };
    let close = Plant {
        strike: 29.0,
        flat: 30.0,
        strike_angle: 4.0,
        ..Plant::flat(29.0, 99.0, [position[0], position[1] + END_Z], yaw)
    };
    let drag = AirKey { frame: 24.0, position: [-0.11, 0.19, -0.24], pitch: 30.0, yaw: -14.0 };
    let air = run::air(-10.0, -0.05).into_iter().chain([drag]).collect();
    Steps { plants: vec![run::plant(-10.0, -0.05, 0.0), last, close], air }
}
