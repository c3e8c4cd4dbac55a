//! From the stance to the run: sinking back, falling forward, driving off.

use super::idle::{STANCE, stance};
use super::run;
use crate::motion::feet::{AirKey, Plant, Steps};
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};

/// The last frame, equal to frame 0 of the run.
const LAST_FRAME: f64 = 40.0;
/// Position of the root at frame 30, metres. From there it moves at full speed.
const Z_AT_FRAME_30: f64 = 1.5;

/// From standing to running, 40 frames.
pub fn plan() -> Plan {
    let path = [(-90.0, 0.0), (0.0, 0.0), (8.0, 0.0), (14.0, 0.09), (20.0, 0.43), (25.0, 0.92), (30.0, Z_AT_FRAME_30)];
    let running = [31.0, 35.0, LAST_FRAME, 60.0, 100.0]
        .map(|frame| (frame, Z_AT_FRAME_30 + (frame - 30.0) * run::METRES_PER_FRAME));
    Plan {
        name: "start_run",
        frames: LAST_FRAME as usize,
        cyclic: false,
        rise: 0.0,
        keys: keys(),
        path: path.into_iter().chain(running).collect(),
        facing: vec![(0.0, 0.0)],
        feet: [left_foot(), right_foot()],
        ..Plan::default()
    }
}

fn keys() -> Vec<(f64, Posing)> {
    let starting = [(0.0, stance()), (6.0, sink()), (13.0, fall())];
    let running =
        run::keys(20.0).into_iter().chain(run::keys(LAST_FRAME)).map(|(frame, posing)| (frame, leaning(frame, posing)));
    starting.into_iter().chain(running).collect()
}

/// Adds forward lean and a lower stance to the run while it accelerates.
fn leaning(frame: f64, posing: Posing) -> Posing {
    let more = ((37.0 - frame) / 17.0).clamp(0.0, 1.0);
    let [forward, left, tilt] = posing.hips_turn;
    let [x, y, z] = posing.hips;
    let [nod, turn, side] = posing.head;
    Posing {
        hips: [x, y - 0.055 * more, z + 0.03 * more],
        hips_turn: [forward + 16.0 * more, left, tilt],
        head: [nod - 10.0 * more, turn, side],
        ..posing
    }
}

/// Returns the pose that sinks back before the start.
fn sink() -> Posing {
    Posing {
        hips: [-0.02, -0.13, -0.055],
        hips_turn: [16.0, -10.0, 2.0],
        torso: [12.0, -12.0, 0.0],
        head: [-20.0, 14.0, 0.0],
        left: Arm { swing: 26.0, spread: 16.0, twist: 20.0, elbow: 54.0, ..Arm::default() },
        right: Arm { swing: -30.0, spread: 18.0, twist: 10.0, elbow: 50.0, ..Arm::default() },
        knees: [6.0, 6.0],
        ..Posing::default()
    }
}

/// Returns the pose that falls forward into the first step.
fn fall() -> Posing {
    Posing {
        hips: [-0.02, -0.14, 0.06],
        hips_turn: [26.0, 4.0, -2.0],
        torso: [14.0, -6.0, 0.0],
        head: [-26.0, 4.0, 0.0],
        left: Arm { swing: -6.0, spread: 18.0, twist: 16.0, elbow: 70.0, ..Arm::default() },
        right: Arm { swing: 6.0, spread: 16.0, twist: 16.0, elbow: 70.0, ..Arm::default() },
        ..Posing::default()
    }
}

fn left_foot() -> Steps {
    let (position, yaw) = STANCE[0];
    let start = Plant { roll: 8.0, off: 12.0, off_angle: 34.0, ..Plant::flat(-99.0, 12.0, position, yaw) };
    let first = Plant { off: 27.0, position: [0.07, 0.43 + 0.24], ..run::plant(20.0, 0.05, 0.0) };
    let step = AirKey { frame: 16.5, position: [0.09, 0.24, 0.2], pitch: 4.0, yaw: 8.0 };
    let air = std::iter::once(step).chain(run::air(20.0, 0.05)).collect();
    Steps { plants: vec![start, first, run::plant(LAST_FRAME, 0.05, shift())], air }
}

fn right_foot() -> Steps {
    let (position, yaw) = STANCE[1];
    let start = Plant { roll: 11.0, off: 20.5, off_angle: 68.0, ..Plant::flat(-99.0, 20.5, position, yaw) };
    let drive = [
        AirKey { frame: 24.0, position: [-0.06, 0.42, -0.4], pitch: 84.0, yaw: -6.0 },
        AirKey { frame: 27.0, position: [-0.05, 0.38, 0.24], pitch: 8.0, yaw: -4.0 },
        AirKey { frame: 29.0, position: [-0.05, 0.19, 0.37], pitch: -8.0, yaw: -3.0 },
    ];
    let air = drive.into_iter().chain(run::air(30.0, -0.05)).collect();
    Steps { plants: vec![start, run::plant(30.0, -0.05, shift()), run::plant(50.0, -0.05, shift())], air }
}

/// Distance in metres between this clip's path and that of a run that starts at frame 0.
fn shift() -> f64 {
    Z_AT_FRAME_30 - 30.0 * run::METRES_PER_FRAME
}
