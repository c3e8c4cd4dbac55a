//! Hair and cape of the hero, and the obstacles they collide with.

use glam::{DVec3, dvec3};

use super::strand::{Feel, Obstacle, Strands};
use crate::hero::rig;

/// Returns hair and cape, with the first joint of each chain.
pub(super) fn garments() -> [(Strands, Vec<usize>); 2] {
    [(hair(), vec![rig::HAIR]), (cape(), rig::CAPE.to_vec())]
}

fn obstacle(joints: [usize; 2], offsets: [DVec3; 2], radius: f64) -> Obstacle {
    Obstacle { joints, offsets, radius }
}

/// Returns the hair: one chain on the head.
fn hair() -> Strands {
    let at = rig::positions();
    let chain = (0..rig::STRAND_JOINTS).map(|i| at[rig::HAIR + i]).chain([rig::HAIR_TIP]).collect();
    let skull = dvec3(0.0, 0.14, -0.01);
    let obstacles = vec![
        obstacle([rig::HEAD; 2], [skull, skull], 0.15),
        obstacle([rig::CHEST, rig::NECK], [dvec3(0.0, 0.05, 0.0), DVec3::ZERO], 0.145),
    ];
    let feel = Feel {
        rest: [1.0, 0.3],
        weight: 0.5,
        bend: 0.4,
        air: 0.3,
        swing: [12.0, 7.0],
        damping: 0.7,
        flutter: 0.1,
        weave: 0.0,
    };
    Strands { anchor: rig::HEAD, rest: vec![chain], feel, obstacles, behind: [0.1, 0.04], bends: [1.2, 0.6] }
}

/// Returns the cape: three chains on the chest.
fn cape() -> Strands {
    let rest =
        (0..3).map(|column| (0..=rig::STRAND_JOINTS).map(|row| rig::cape_point(column, row)).collect()).collect();
    let mut obstacles = vec![
        obstacle([rig::CHEST; 2], [dvec3(-0.06, 0.1, 0.01), dvec3(0.06, 0.1, 0.01)], 0.14),
        obstacle([rig::HIPS, rig::CHEST], [dvec3(0.0, 0.02, 0.005), DVec3::ZERO], 0.155),
    ];
    for side in 0..2 {
        obstacles.push(obstacle([rig::THIGH[side], rig::SHIN[side]], [DVec3::ZERO; 2], 0.11));
        obstacles.push(obstacle([rig::SHIN[side], rig::FOOT[side]], [DVec3::ZERO; 2], 0.085));
    }
    let feel = Feel {
        rest: [0.5, 0.12],
        weight: 1.0,
        bend: 0.35,
        air: 0.34,
        swing: [10.0, 6.0],
        damping: 0.84,
        flutter: 0.16,
        weave: 0.8,
    };
    Strands { anchor: rig::CHEST, rest, feel, obstacles, behind: [0.115, 0.03], bends: [1.25, 0.5] }
}
