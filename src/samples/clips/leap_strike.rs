//! A crouch, a leap, a hang in the air with the fist drawn back, and a strike on landing.
//!
//! The root rests during the crouch, the hang and after the landing: three exact pauses.

use super::idle::{STANCE, stance};
use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};

/// Travel of the root in metres.
const LEAP_M: f64 = 3.0;
/// Position of the hang in metres.
const HANG_Z: f64 = 1.75;

/// 76 frames, 3 m forward.
pub fn plan() -> Plan {
    Plan {
        name: "leap_strike",
        frames: 76,
        cyclic: false,
        rise: 0.0,
        keys: keys(),
        // At rest until 18, moving to the hang at 28–38, landed at 43, then at rest.
        path: vec![(0.0, 0.0), (18.0, 0.0), (28.0, HANG_Z), (38.0, HANG_Z), (43.0, LEAP_M), (76.0, LEAP_M)],
        facing: vec![(0.0, 0.0)],
        feet: [left_foot(), right_foot()],
        ..Plan::default()
    }
}

/// Returns the poses with their frames, ascending. Those in the air have their lift in metres.
fn keys() -> Vec<(f64, Posing)> {
    vec![
        (0.0, stance()),
        (4.0, rise()),
        (11.0, crouch()),
        (16.0, Posing { hips: [0.0, -0.32, -0.05], ..crouch() }),
        (20.0, launch()),
        (24.0, Posing { lift: 0.72, ..hang_in() }),
        (29.0, Posing { lift: 0.98, ..hang() }),
        (34.0, Posing { lift: 1.02, ..hang() }),
        (38.0, Posing { lift: 0.97, ..wind_up() }),
        (41.0, Posing { lift: 0.5, ..swing() }),
        (43.0, strike()),
        (46.0, settle()),
        (54.0, Posing { hips: [0.0, -0.4, 0.05], ..settle() }),
        (66.0, up()),
        (74.0, stance()),
    ]
}

/// Returns the small stretch upwards before the crouch.
fn rise() -> Posing {
    Posing {
        hips: [0.0, -0.012, 0.01],
        torso: [-9.0, 0.0, 0.0],
        head: [-4.0, 0.0, 0.0],
        left: Arm { swing: 14.0, spread: 22.0, twist: 15.0, elbow: 30.0, shrug: 6.0, ..Arm::default() },
        right: Arm { swing: 12.0, spread: 22.0, twist: 15.0, elbow: 30.0, shrug: 6.0, ..Arm::default() },
        ..stance()
    }
}

/// Returns the deep crouch with both arms behind the body.
fn crouch() -> Posing {
    Posing {
        hips: [0.0, -0.34, -0.06],
        hips_turn: [32.0, 0.0, 0.0],
        torso: [30.0, -14.0, 0.0],
        head: [-44.0, 10.0, 0.0],
        left: Arm { swing: -38.0, spread: 26.0, twist: 10.0, elbow: 28.0, ..Arm::default() },
        right: Arm { swing: -58.0, spread: 30.0, twist: 10.0, elbow: 40.0, reach: -8.0, ..Arm::default() },
        knees: [14.0, 14.0],
        ..Posing::default()
    }
}

/// Returns the pose at the moment of the jump, with the arms thrown up.
fn launch() -> Posing {
    Posing {
        hips: [0.0, 0.0, 0.06],
        hips_turn: [16.0, 4.0, 0.0],
        torso: [-14.0, 6.0, 0.0],
        head: [-14.0, 0.0, 0.0],
        left: Arm { swing: 120.0, spread: 18.0, elbow: 24.0, shrug: 14.0, ..Arm::default() },
        right: Arm { swing: 70.0, spread: 30.0, elbow: 60.0, shrug: 10.0, ..Arm::default() },
        lift: 0.1,
        ..Posing::default()
    }
}

/// Returns the pose on the way up, before the hang; the caller sets the lift.
fn hang_in() -> Posing {
    Posing {
        hips: [0.0, 0.0, 0.06],
        hips_turn: [-4.0, -14.0, 0.0],
        torso: [-16.0, -22.0, 0.0],
        head: [14.0, 26.0, 0.0],
        left: Arm { swing: 100.0, spread: 22.0, elbow: 20.0, shrug: 10.0, reach: 12.0, ..Arm::default() },
        right: Arm { swing: 122.0, spread: 46.0, twist: 0.0, elbow: 76.0, shrug: 20.0, reach: -12.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the pose in the air with the right fist drawn back; the caller sets the lift.
fn hang() -> Posing {
    Posing {
        hips: [0.0, 0.0, 0.03],
        hips_turn: [-10.0, -18.0, 4.0],
        torso: [-26.0, -30.0, 4.0],
        head: [30.0, 40.0, -4.0],
        left: Arm { swing: 82.0, spread: 26.0, elbow: 14.0, wrist: -10.0, shrug: 6.0, reach: 16.0, ..Arm::default() },
        right: Arm { swing: 128.0, spread: 58.0, elbow: 92.0, shrug: 24.0, reach: -18.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the hang with the fist drawn back farthest.
fn wind_up() -> Posing {
    Posing {
        hips_turn: [-14.0, -24.0, 4.0],
        torso: [-32.0, -36.0, 4.0],
        right: Arm { swing: 136.0, spread: 56.0, elbow: 108.0, shrug: 26.0, reach: -22.0, ..Arm::default() },
        ..hang()
    }
}

/// Returns the pose in mid-strike, while falling; the caller sets the lift.
fn swing() -> Posing {
    Posing {
        hips: [0.0, -0.06, 0.0],
        hips_turn: [22.0, 4.0, 0.0],
        torso: [20.0, 14.0, 0.0],
        head: [-12.0, -6.0, 0.0],
        left: Arm { swing: -10.0, spread: 44.0, elbow: 40.0, ..Arm::default() },
        right: Arm { swing: 128.0, spread: 14.0, elbow: 30.0, shrug: 14.0, reach: 18.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the pose at the landing, with the right arm stretched out.
fn strike() -> Posing {
    Posing {
        hips: [0.0, -0.44, 0.02],
        hips_turn: [36.0, 14.0, 0.0],
        torso: [34.0, 18.0, 0.0],
        head: [-34.0, -14.0, 0.0],
        left: Arm { swing: -62.0, spread: 42.0, elbow: 22.0, reach: -10.0, ..Arm::default() },
        right: Arm { swing: 80.0, spread: 2.0, elbow: 4.0, shrug: -6.0, reach: 22.0, ..Arm::default() },
        knees: [16.0, 16.0],
        ..Posing::default()
    }
}

/// Returns the deepest pose after the landing.
fn settle() -> Posing {
    Posing {
        hips: [0.0, -0.47, 0.03],
        hips_turn: [38.0, 14.0, 0.0],
        torso: [35.0, 18.0, 0.0],
        head: [-42.0, -14.0, 0.0],
        left: Arm { swing: -70.0, spread: 46.0, elbow: 16.0, reach: -12.0, ..Arm::default() },
        ..strike()
    }
}

/// Returns the pose on the way up from the landing to the stance.
fn up() -> Posing {
    Posing {
        hips: [0.0, -0.1, 0.0],
        hips_turn: [12.0, 0.0, 0.0],
        torso: [4.0, 4.0, 0.0],
        head: [-14.0, 0.0, 0.0],
        left: Arm { swing: -14.0, spread: 26.0, twist: 14.0, elbow: 30.0, ..Arm::default() },
        right: Arm { swing: 20.0, spread: 20.0, twist: 14.0, elbow: 36.0, ..Arm::default() },
        ..stance()
    }
}

fn left_foot() -> Steps {
    let (position, yaw) = STANCE[0];
    let start = Plant { roll: 16.0, off: 19.0, off_angle: 62.0, ..Plant::flat(-99.0, 19.0, position, yaw) };
    let landed = Plant::flat(43.0, 63.0, [0.15, LEAP_M + 0.18], 10.0);
    let land = Plant { flat: 43.5, strike_angle: 6.0, roll: 60.5, off_angle: 24.0, ..landed };
    let close =
        Plant { flat: 69.0, strike_angle: -6.0, ..Plant::flat(68.0, 99.0, [position[0], LEAP_M + position[1]], yaw) };
    let air = vec![
        AirKey { frame: 24.0, position: [0.1, 0.93, -0.1], pitch: 50.0, yaw: 4.0 },
        AirKey { frame: 30.0, position: [0.1, 1.32, 0.12], pitch: 38.0, yaw: 4.0 },
        AirKey { frame: 37.0, position: [0.1, 1.34, 0.14], pitch: 34.0, yaw: 4.0 },
        AirKey { frame: 40.0, position: [0.12, 0.98, 0.2], pitch: 12.0, yaw: 6.0 },
        AirKey { frame: 41.6, position: [0.13, 0.48, 0.26], pitch: 0.0, yaw: 6.0 },
        AirKey { frame: 65.5, position: [0.145, 0.16, 0.12], pitch: 14.0, yaw: 12.0 },
    ];
    Steps { plants: vec![start, land, close], air }
}

fn right_foot() -> Steps {
    let (position, yaw) = STANCE[1];
    let start = Plant { roll: 16.5, off: 19.3, off_angle: 66.0, ..Plant::flat(-99.0, 19.3, position, yaw) };
    let landed = Plant::flat(43.0, 55.0, [-0.14, LEAP_M - 0.24], -18.0);
    // The rear foot lands on its ball and stays there while the body is down.
    let land = Plant { strike: 43.0, flat: 43.5, strike_angle: -30.0, roll: 43.5, off_angle: 44.0, ..landed };
    let close =
        Plant { flat: 62.0, strike_angle: -6.0, ..Plant::flat(61.0, 99.0, [position[0], LEAP_M + position[1]], yaw) };
    let air = vec![
        AirKey { frame: 24.0, position: [-0.1, 0.95, -0.28], pitch: 66.0, yaw: -6.0 },
        AirKey { frame: 30.0, position: [-0.11, 1.25, -0.38], pitch: 80.0, yaw: -8.0 },
        AirKey { frame: 37.0, position: [-0.11, 1.27, -0.4], pitch: 84.0, yaw: -8.0 },
        AirKey { frame: 40.0, position: [-0.12, 1.0, -0.2], pitch: 60.0, yaw: -10.0 },
        AirKey { frame: 41.6, position: [-0.13, 0.48, -0.24], pitch: 44.0, yaw: -12.0 },
        AirKey { frame: 58.0, position: [-0.13, 0.17, -0.16], pitch: 26.0, yaw: -20.0 },
    ];
    Steps { plants: vec![start, land, close], air }
}
