//! From the run across a gap: take-off on the right foot, landing on the left, two steps on.

use super::run;
use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};
use crate::motion::profile::Profile;

/// The near and the far edge of the gap: z in metres.
pub const GAP_Z: [f64; 2] = [1.95, 3.95];
/// Depth of the gap, metres.
pub const GAP_DEPTH_M: f64 = 1.0;
/// First and last frame of the flight.
pub const FLIGHT: [f64; 2] = [16.0, 30.0];
/// The last frame, equal to frame 0 of the run.
const LAST_FRAME: f64 = 50.0;
/// z of the root at the landing and in the last frame, metres.
const LANDING_Z: f64 = 3.87;
const END_Z: f64 = 6.46;

/// 50 frames. Frame 0 and the last one are frame 0 of the run.
pub fn plan() -> Plan {
    Plan {
        name: "jump",
        frames: LAST_FRAME as usize,
        keys: keys(),
        path: path(),
        facing: vec![(0.0, 0.0)],
        feet: [left_foot(), right_foot()],
        flights: vec![FLIGHT],
        profile: Profile(vec![[GAP_Z[0], -GAP_DEPTH_M], [GAP_Z[1], 0.0]]),
        ..Plan::default()
    }
}

fn path() -> Vec<(f64, f64)> {
    let before = [-90.0, 0.0, 6.0, 10.0].map(|frame| (frame, frame * run::METRES_PER_FRAME));
    let flight = [16.0, 20.0, 25.0, 30.0].map(|frame| (frame, LANDING_Z + (frame - 30.0) * 0.128));
    let running = [45.0, LAST_FRAME, 140.0].map(|frame| (frame, END_Z + (frame - LAST_FRAME) * run::METRES_PER_FRAME));
    before.into_iter().chain(flight).chain([(35.0, 4.5), (40.0, 5.13)]).chain(running).collect()
}

/// Returns the poses with their frames, ascending.
fn keys() -> Vec<(f64, Posing)> {
    let before = (-1..=0).flat_map(|turn| run::keys(f64::from(turn) * run::CYCLE_FRAMES)).filter(|key| key.0 < 5.0);
    let across = [
        (6.5, gather()),
        (11.5, plant()),
        (16.0, take_off()),
        (20.5, rise()),
        (25.0, stride()),
        (30.0, land()),
        (34.5, absorb()),
    ];
    let after = (-1..=1).flat_map(|turn| run::keys(LAST_FRAME + f64::from(turn) * run::CYCLE_FRAMES));
    before.chain(across).chain(after.filter(|key| key.0 > 39.0)).collect()
}

/// Returns the pose that sinks in the last step before the take-off.
fn gather() -> Posing {
    Posing {
        hips: [0.008, -0.09, 0.0],
        hips_turn: [9.0, 6.0, 1.0],
        torso: [5.0, -12.0, -1.0],
        head: [-12.0, 6.0, 0.0],
        left: Arm { swing: 14.0, spread: 12.0, twist: 8.0, elbow: 86.0, ..Arm::default() },
        right: Arm { swing: -36.0, spread: 18.0, twist: 12.0, elbow: 74.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the lowest pose, on the right foot, the trunk upright.
fn plant() -> Posing {
    Posing {
        hips: [-0.016, -0.145, -0.02],
        hips_turn: [2.0, 6.0, -3.0],
        torso: [4.0, -12.0, 2.0],
        head: [-4.0, 4.0, 0.0],
        left: Arm { swing: -10.0, spread: 18.0, twist: 8.0, elbow: 74.0, ..Arm::default() },
        right: Arm { swing: -12.0, spread: 22.0, twist: 8.0, elbow: 64.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the pose at the take-off: the left knee and the right arm lead.
fn take_off() -> Posing {
    Posing {
        hips: [0.0, -0.005, -0.02],
        hips_turn: [8.0, -12.0, 0.0],
        torso: [-6.0, 22.0, 0.0],
        head: [-4.0, -8.0, 0.0],
        left: Arm { swing: -40.0, spread: 26.0, twist: 8.0, elbow: 56.0, ..Arm::default() },
        right: Arm { swing: 66.0, spread: 14.0, twist: 10.0, elbow: 70.0, shrug: 8.0, reach: 8.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the pose on the way up, with open arms.
fn rise() -> Posing {
    Posing {
        hips: [0.0, 0.0, 0.02],
        hips_turn: [10.0, -16.0, 0.0],
        torso: [-8.0, 26.0, 0.0],
        head: [0.0, -10.0, 0.0],
        left: Arm { swing: -30.0, spread: 58.0, elbow: 30.0, shrug: 6.0, ..Arm::default() },
        right: Arm { swing: 92.0, spread: 40.0, elbow: 40.0, shrug: 10.0, reach: 8.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the stride over the gap, on the way down.
fn stride() -> Posing {
    Posing {
        hips: [0.0, 0.0, 0.0],
        hips_turn: [12.0, -16.0, 0.0],
        torso: [4.0, 22.0, 0.0],
        head: [-4.0, -8.0, 0.0],
        left: Arm { swing: -20.0, spread: 72.0, elbow: 22.0, wrist: -10.0, shrug: 10.0, ..Arm::default() },
        right: Arm { swing: 66.0, spread: 56.0, elbow: 26.0, wrist: -10.0, shrug: 10.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the pose at the touch of the left foot.
fn land() -> Posing {
    Posing {
        hips: [0.008, -0.11, 0.0],
        hips_turn: [8.0, -10.0, 1.0],
        torso: [12.0, 16.0, -2.0],
        head: [-10.0, -8.0, 0.0],
        left: Arm { swing: -22.0, spread: 50.0, twist: 4.0, elbow: 34.0, ..Arm::default() },
        right: Arm { swing: 34.0, spread: 40.0, twist: 4.0, elbow: 44.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the lowest pose after the landing.
fn absorb() -> Posing {
    Posing {
        hips: [0.018, -0.19, 0.0],
        hips_turn: [20.0, -2.0, 3.0],
        torso: [18.0, 6.0, -4.0],
        head: [-24.0, -2.0, 0.0],
        left: Arm { swing: -10.0, spread: 28.0, twist: 10.0, elbow: 60.0, ..Arm::default() },
        right: Arm { swing: 0.0, spread: 26.0, twist: 10.0, elbow: 66.0, ..Arm::default() },
        ..Posing::default()
    }
}

fn left_foot() -> Steps {
    let x = 0.05;
    let air = |frame: f64, [y, z]: [f64; 2], pitch: f64| AirKey { frame, position: [x, y, z], pitch, yaw: 3.0 };
    let across = [
        air(16.0, [0.5, 0.34], 14.0),
        air(20.0, [0.76, 0.44], 2.0),
        air(24.0, [0.72, 0.5], -2.0),
        air(27.5, [0.4, 0.42], -8.0),
    ];
    let land = Plant {
        flat: FLIGHT[1] + 1.5,
        roll: FLIGHT[1] + 3.8,
        off: FLIGHT[1] + 6.6,
        off_angle: 58.0,
        position: [x, LANDING_Z + 0.32],
        strike_angle: 14.0,
        ..run::plant(FLIGHT[1], x, 0.0)
    };
    let end = run::plant(LAST_FRAME, x, END_Z - LAST_FRAME * run::METRES_PER_FRAME);
    let before = run::air(0.0, x).into_iter().filter(|key| key.frame < 14.0);
    let after = run::air(FLIGHT[1], x).into_iter().filter(|key| key.frame > FLIGHT[1] + 9.0);
    Steps { plants: vec![run::plant(0.0, x, 0.0), land, end], air: before.chain(across).chain(after).collect() }
}

fn right_foot() -> Steps {
    let x = -0.05;
    let air = |frame: f64, [y, z]: [f64; 2], pitch: f64| AirKey { frame, position: [x, y, z], pitch, yaw: -3.0 };
    let across = [
        air(19.0, [0.47, -0.53], 86.0),
        air(22.5, [0.62, -0.56], 96.0),
        air(26.0, [0.6, -0.54], 98.0),
        air(30.0, [0.5, -0.46], 94.0),
    ];
    let start = Plant { off: FLIGHT[0], off_angle: 58.0, ..run::plant(10.0, x, 0.0) };
    let next = Plant { position: [x, 5.13 + 0.33], ..run::plant(40.0, x, 0.0) };
    let last = run::plant(60.0, x, END_Z - LAST_FRAME * run::METRES_PER_FRAME);
    let after = run::air(20.0, x).into_iter().filter(|key| key.frame > 32.0);
    let before = run::air(-10.0, x).into_iter();
    Steps {
        plants: vec![run::plant(-10.0, x, 0.0), start, next, last],
        air: before.chain(across).chain(after).chain(run::air(40.0, x)).collect(),
    }
}
