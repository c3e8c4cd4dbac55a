//! From the run over a wall on both hands, with the legs drawn through between the arms, back to the run.

use super::run;
use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::grip::Grip;
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};
use crate::motion::profile::Profile;

/// The near and the far edge of the wall: z in metres.
pub const WALL_Z: [f64; 2] = [3.26, 3.66];
/// Height of the wall, metres.
pub const WALL_HEIGHT_M: f64 = 1.0;
/// Frames in which both hands hold the wall.
pub const HOLD: [f64; 2] = [21.0, 26.0];
/// The flights before and after the hold, frames.
pub const FLIGHTS: [[f64; 2]; 2] = [[16.0, HOLD[0]], [HOLD[1], LANDING]];
/// Frame of the landing on the left foot.
const LANDING: f64 = 37.0;
/// The last frame, equal to frame 0 of the run.
const LAST_FRAME: f64 = 57.0;
/// z of the root at the landing and in the last frame, metres.
const LANDING_Z: f64 = 4.41;
const END_Z: f64 = 6.93;
/// z of the root at the next touch of the right foot, metres.
const NEXT_Z: f64 = 5.6;

/// 57 frames. Frame 0 and the last one are frame 0 of the run.
pub fn plan() -> Plan {
    Plan {
        name: "vault",
        frames: LAST_FRAME as usize,
        keys: keys(),
        path: path(),
        facing: vec![(0.0, 0.0)],
        feet: [left_foot(), right_foot()],
        hands: [hold(1.0), hold(-1.0)],
        flights: FLIGHTS.to_vec(),
        profile: Profile(vec![[WALL_Z[0], WALL_HEIGHT_M], [WALL_Z[1], 0.0]]),
        ..Plan::default()
    }
}

fn path() -> Vec<(f64, f64)> {
    let before = [-90.0, 0.0, 6.0, 10.0].map(|frame| (frame, frame * run::METRES_PER_FRAME));
    let over =
        [(16.0, 2.08), (18.5, 2.37), (21.0, 2.66), (23.5, 2.92), (26.0, 3.18), (31.0, 3.74), (LANDING, LANDING_Z)];
    let after = [(42.0, 4.99), (47.0, NEXT_Z)];
    let running = [52.0, LAST_FRAME, 147.0].map(|frame| (frame, END_Z + (frame - LAST_FRAME) * run::METRES_PER_FRAME));
    before.into_iter().chain(over).chain(after).chain(running).collect()
}

/// Returns the poses with their frames, ascending.
fn keys() -> Vec<(f64, Posing)> {
    let before = (-1..=0).flat_map(|turn| run::keys(f64::from(turn) * run::CYCLE_FRAMES)).filter(|key| key.0 < 5.0);
    let over = [
        (6.5, gather()),
        (11.5, plant()),
        (16.0, take_off()),
        (21.0, reach()),
        (26.0, push()),
        (31.0, over()),
        (LANDING, land()),
        (41.0, absorb()),
    ];
    let after = (0..=2).flat_map(|turn| run::keys(LAST_FRAME + f64::from(turn - 1) * run::CYCLE_FRAMES));
    before.chain(over).chain(after.filter(|key| key.0 > 46.0)).collect()
}

/// Returns the pose that sinks before the take-off, the left leg driving.
fn gather() -> Posing {
    Posing {
        hips: [0.008, -0.1, 0.0],
        hips_turn: [9.0, 4.0, 1.0],
        torso: [6.0, -8.0, 0.0],
        head: [-10.0, 4.0, 0.0],
        left: Arm { swing: -22.0, spread: 18.0, twist: 8.0, elbow: 74.0, ..Arm::default() },
        right: Arm { swing: -40.0, spread: 18.0, twist: 12.0, elbow: 66.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the lowest pose, on the right foot, with both arms behind the body.
fn plant() -> Posing {
    Posing {
        hips: [-0.016, -0.15, -0.02],
        hips_turn: [8.0, 6.0, -3.0],
        torso: [12.0, -6.0, 2.0],
        head: [-14.0, 0.0, 0.0],
        left: Arm { swing: -8.0, spread: 20.0, twist: 8.0, elbow: 62.0, ..Arm::default() },
        right: Arm { swing: -16.0, spread: 20.0, twist: 8.0, elbow: 60.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the pose at the take-off, with the arms thrown forward.
fn take_off() -> Posing {
    Posing {
        hips: [0.0, -0.005, -0.02],
        hips_turn: [24.0, -6.0, 0.0],
        torso: [14.0, 6.0, 0.0],
        head: [-28.0, 0.0, 0.0],
        left: Arm { swing: 66.0, spread: 14.0, twist: 14.0, elbow: 52.0, shrug: 4.0, reach: 8.0, ..Arm::default() },
        right: Arm { swing: 60.0, spread: 14.0, twist: 14.0, elbow: 56.0, shrug: 4.0, reach: 8.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the dive at the moment at which the hands touch the wall.
fn reach() -> Posing {
    let arm = Arm { swing: 102.0, spread: 12.0, twist: 20.0, elbow: 10.0, wrist: -30.0, reach: 12.0, ..Arm::default() };
    Posing {
        hips: [0.0, 0.3, 0.0],
        hips_turn: [46.0, 0.0, 0.0],
        torso: [16.0, 0.0, 0.0],
        head: [-46.0, 0.0, 0.0],
        left: arm,
        right: arm,
        ..Posing::default()
    }
}

/// Returns the pose at the end of the push, with the knees at the chest.
fn push() -> Posing {
    let arm = Arm { swing: 56.0, spread: 14.0, twist: 20.0, elbow: 4.0, wrist: -40.0, shrug: -8.0, ..Arm::default() };
    Posing {
        hips: [0.0, 0.45, 0.0],
        hips_turn: [45.0, 0.0, 0.0],
        torso: [35.0, 0.0, 0.0],
        head: [-56.0, 0.0, 0.0],
        left: arm,
        right: arm,
        ..Posing::default()
    }
}

/// Returns the pose over the far edge: the legs swing forward and the arms trail.
fn over() -> Posing {
    let arm = Arm { swing: -16.0, spread: 30.0, twist: 12.0, elbow: 24.0, ..Arm::default() };
    Posing {
        hips: [0.0, 0.3, 0.0],
        hips_turn: [6.0, 0.0, 0.0],
        torso: [30.0, 0.0, 0.0],
        head: [-26.0, 0.0, 0.0],
        left: arm,
        right: Arm { swing: -8.0, ..arm },
        ..Posing::default()
    }
}

/// Returns the pose at the touch of the left foot.
fn land() -> Posing {
    Posing {
        hips: [0.01, -0.09, 0.0],
        hips_turn: [6.0, -8.0, 1.0],
        torso: [10.0, 14.0, -2.0],
        head: [-12.0, -6.0, 0.0],
        left: Arm { swing: -34.0, spread: 34.0, twist: 10.0, elbow: 44.0, ..Arm::default() },
        right: Arm { swing: 14.0, spread: 32.0, twist: 10.0, elbow: 52.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the lowest pose after the landing.
fn absorb() -> Posing {
    Posing {
        hips: [0.018, -0.2, 0.0],
        hips_turn: [18.0, 0.0, 3.0],
        torso: [16.0, 4.0, -4.0],
        head: [-22.0, -2.0, 0.0],
        left: Arm { swing: -14.0, spread: 26.0, twist: 12.0, elbow: 70.0, ..Arm::default() },
        right: Arm { swing: -2.0, spread: 22.0, twist: 10.0, elbow: 76.0, ..Arm::default() },
        ..Posing::default()
    }
}

/// Returns the hold of one hand on the near edge. `out` is 1 for the left hand and −1 for the right.
fn hold(out: f64) -> Vec<Grip> {
    let wrist = [out * 0.25, WALL_HEIGHT_M + 0.084, WALL_Z[0] + 0.06];
    vec![Grip { from: HOLD[0], to: HOLD[1], fades: [4.0, 6.0], arc: 0.03, wrist, fingers: [8.0, 14.0], elbow: 50.0 }]
}

fn left_foot() -> Steps {
    let x = 0.05;
    let tucked = |frame: f64, [y, z]: [f64; 2], pitch: f64| AirKey { frame, position: [0.075, y, z], pitch, yaw: 2.0 };
    let over = [
        tucked(16.0, [0.5, 0.26], 30.0),
        tucked(18.5, [0.66, 0.0], 66.0),
        tucked(21.0, [0.84, -0.26], 92.0),
        tucked(24.0, [1.07, -0.06], 60.0),
        tucked(27.0, [1.175, 0.06], 14.0),
        tucked(30.0, [1.12, 0.22], 6.0),
        tucked(33.0, [0.8, 0.32], 0.0),
        tucked(35.2, [0.35, 0.29], -4.0),
    ];
    let land = Plant {
        flat: LANDING + 1.0,
        roll: LANDING + 3.6,
        off: LANDING + 6.6,
        off_angle: 58.0,
        position: [x, LANDING_Z + 0.27],
        ..run::plant(LANDING, x, 0.0)
    };
    let end = run::plant(LAST_FRAME, x, END_Z - LAST_FRAME * run::METRES_PER_FRAME);
    let before = run::air(0.0, x).into_iter().filter(|key| key.frame < 14.0);
    let after = run::air(LANDING, x).into_iter().filter(|key| key.frame > LANDING + 9.0);
    Steps { plants: vec![run::plant(0.0, x, 0.0), land, end], air: before.chain(over).chain(after).collect() }
}

fn right_foot() -> Steps {
    let x = -0.05;
    let tucked =
        |frame: f64, [y, z]: [f64; 2], pitch: f64| AirKey { frame, position: [-0.075, y, z], pitch, yaw: -2.0 };
    let over = [
        tucked(18.5, [0.52, -0.5], 90.0),
        tucked(21.0, [0.78, -0.44], 104.0),
        tucked(24.0, [1.06, -0.12], 74.0),
        tucked(26.0, [1.165, -0.04], 42.0),
        tucked(28.0, [1.195, 0.05], 16.0),
        tucked(30.5, [1.15, 0.16], 12.0),
        tucked(33.5, [0.86, 0.14], 40.0),
        tucked(37.0, [0.5, -0.12], 60.0),
        tucked(40.0, [0.46, -0.12], 56.0),
    ];
    let start = Plant { off: FLIGHTS[0][0], off_angle: 58.0, ..run::plant(10.0, x, 0.0) };
    let next = Plant { position: [x, NEXT_Z + 0.33], ..run::plant(47.0, x, 0.0) };
    let before = run::air(-10.0, x).into_iter();
    let after = run::air(27.0, x).into_iter().filter(|key| key.frame > 42.0);
    let last = run::plant(67.0, x, END_Z - LAST_FRAME * run::METRES_PER_FRAME);
    Steps {
        plants: vec![run::plant(-10.0, x, 0.0), start, next, last],
        air: before.chain(over).chain(after).chain(run::air(47.0, x)).collect(),
    }
}
