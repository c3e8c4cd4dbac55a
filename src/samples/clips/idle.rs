//! Standing at ease: weight on the right leg, slow breath, the head wanders.

use crate::samples::motion::feet::{Plant, Steps};
use crate::samples::motion::plan::Plan;
use crate::samples::motion::posing::{Arm, Posing};

/// Where the feet stand: ankles x, z and the way the toes point.
pub const STANCE: [([f64; 2], f64); 2] = [([0.135, 0.06], 16.0), ([-0.125, -0.05], -24.0)];

/// The pose that everything starts from and returns to.
pub fn stance() -> Posing {
    Posing {
        hips: [-0.016, -0.024, -0.012],
        hips_turn: [4.0, -5.0, 2.0],
        torso: [-4.0, 3.0, -3.0],
        head: [3.0, 3.0, 0.0],
        left: Arm { swing: 2.0, spread: 17.0, twist: 22.0, elbow: 22.0, wrist: 4.0, ..Arm::default() },
        right: Arm { swing: -3.0, spread: 16.0, twist: 18.0, elbow: 18.0, wrist: 4.0, ..Arm::default() },
        knees: [4.0, 4.0],
        ..Posing::default()
    }
}

/// Three seconds, repeating.
pub fn plan() -> Plan {
    let rest = stance();
    let breath = Posing {
        hips: [-0.02, -0.021, -0.01],
        torso: [-7.0, 2.0, -3.5],
        head: [4.5, 1.0, 0.5],
        left: Arm { spread: 19.5, elbow: 24.0, shrug: 3.5, ..rest.left },
        right: Arm { spread: 18.5, elbow: 20.0, shrug: 3.5, ..rest.right },
        ..rest
    };
    let sway = Posing {
        hips: [0.006, -0.027, -0.012],
        hips_turn: [2.0, -3.0, 0.6],
        torso: [-5.5, 2.0, -1.0],
        head: [3.0, 11.0, 1.5],
        ..rest
    };
    let lift = Posing { head: [2.0, 9.0, 1.0], hips: [0.0, -0.022, -0.01], hips_turn: sway.hips_turn, ..breath };
    Plan {
        name: "idle",
        frames: 90,
        cyclic: true,
        keys: vec![(0.0, rest), (20.0, breath), (45.0, sway), (66.0, lift)],
        way: vec![(0.0, 0.0)],
        facing: vec![(0.0, 0.0)],
        feet: STANCE.map(|(place, yaw)| Steps { plants: vec![Plant::flat(-10.0, 100.0, place, yaw)], air: Vec::new() }),
    }
}
