//! Inverse kinematics: legs, chains, and feet on a pose.

pub mod chain_ik;
pub mod foot_place;
pub mod ik;
pub mod limb_ik;
