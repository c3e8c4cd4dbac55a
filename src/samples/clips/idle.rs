//! Idle standing: weight on the right leg, slow breathing, the head moves about.

use crate::motion::feet::{Plant, Steps};
use crate::motion::plan::Plan;
use crate::motion::posing::{Arm, Posing};

/// Positions of the ankles (x, z) in the stance, and the direction of the toes in degrees to the left.
pub(super) const STANCE: [([f64; 2], f64); 2] = [([0.135, 0.06], 16.0), ([-0.125, -0.05], -24.0)];

/// The pose in which most clips start and end.
pub fn stance() -> Posing {
    Posing {
        hips: [-0.016, -0.017, -0.014],
        hips_turn: [4.0, -5.0, 2.0],
        torso: [-1.0, 3.0, -3.0],
        head: [3.0, 3.0, 0.0],
        left: Arm { swing: 2.0, spread: 17.0, twist: 22.0, elbow: 22.0, wrist: 4.0, ..Arm::default() },
        right: Arm { swing: -3.0, spread: 16.0, twist: 18.0, elbow: 18.0, wrist: 4.0, ..Arm::default() },
        knees: [4.0, 4.0],
        ..Posing::default()
    }
}

/// Three seconds, cyclic.
pub fn plan() -> Plan {
    let rest = stance();
    let inhale = Posing {
        hips: [-0.026, -0.013, -0.012],
        hips_turn: [3.0, -6.0, 2.8],
        torso: [-5.0, 2.0, -4.2],
        head: [6.5, 0.0, 1.5],
        left: Arm { swing: 0.0, spread: 18.8, elbow: 26.0, shrug: 3.5, ..rest.left },
        right: Arm { swing: -5.0, spread: 17.8, elbow: 21.0, shrug: 3.5, ..rest.right },
        ..rest
    };
    let exhale = Posing {
        hips: [0.004, -0.024, -0.016],
        hips_turn: [5.0, -2.0, 0.2],
        torso: [1.0, 1.0, 0.0],
        head: [2.0, 14.0, 2.0],
        left: Arm { swing: 4.0, spread: 15.5, elbow: 20.0, shrug: -1.5, ..rest.left },
        right: Arm { swing: 0.0, spread: 15.0, elbow: 16.0, shrug: -1.5, ..rest.right },
        ..rest
    };
    let again = Posing { hips: [0.002, -0.015, -0.012], head: [5.0, 12.0, 2.0], hips_turn: exhale.hips_turn, ..inhale };
    Plan {
        name: "idle",
        frames: 90,
        cyclic: true,
        rise: 0.0,
        keys: vec![(0.0, rest), (18.0, inhale), (42.0, exhale), (62.0, again)],
        path: vec![(0.0, 0.0)],
        facing: vec![(0.0, 0.0)],
        feet: STANCE
            .map(|(position, yaw)| Steps { plants: vec![Plant::flat(-10.0, 100.0, position, yaw)], air: Vec::new() }),
        ..Plan::default()
    }
}
