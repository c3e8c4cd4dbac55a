//! What is measured on the bones at one moment.

use glam::DQuat;

use super::rig::DynamicsRig;
use super::state::{BoneTurn, State};
use crate::anim::Pose;

/// The numbers of one moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    /// Seconds.
    pub time: f64,
    /// As [`super::Report::length_error`].
    pub length_error: f64,
    /// As [`super::Report::position_error`].
    pub position_error: f64,
    /// As [`super::Report::penetration`].
    pub penetration: f64,
    /// As [`super::Report::twist`].
    pub twist: f64,
    /// How many bones touch something.
    pub touching: u32,
    /// Where bones had no way out of a collider.
    pub infeasible: Vec<Infeasible>,
    /// Joints whose bones point nearly straight against their animation.
    pub folded: Vec<usize>,
}

/// Cosine of half of 165°: the shortest arc to what lies further back changes its axis in a frame or two.
const FOLDED: f64 = 0.1305;

/// A bone that has no way out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Infeasible {
    pub joint: usize,
    /// Metres.
    pub depth: f64,
    /// Whether only the angle limit leaves none.
    pub limited: bool,
}

impl Measured {
    /// What `state` shows at `time` seconds, where the animation has `pose`.
    pub fn of(rig: &DynamicsRig, state: &State, pose: &Pose, time: f64) -> Self {
        let touching = state.contacts.iter().filter(|contact| contact.touching).count() as u32;
        let mut measured = Self { time, touching, ..Self::default() };
        let rotations: Vec<DQuat> = (0..rig.bones.len()).map(|index| state.local_rotation(rig, index)).collect();
        let ends = state.forward_kinematics(rig, pose, &rotations);
        let mut most_twisted = BoneTurn::NONE;
        for (index, bone) in rig.bones.iter().enumerate() {
            let shown = &state.shown[index];
            if shown.length == 0.0 {
                continue;
            }
            let [start, tip] = ends[index];
            let wrong = (tip.distance(start) - shown.length).abs() / shown.length;
            measured.length_error = measured.length_error.max(wrong);
            measured.position_error = measured.position_error.max(tip.distance(shown.tip()) / shown.length);
            let turn = State::turn(rig, index, rotations[index], pose);
            most_twisted = most_twisted.more_twisted(turn);
            if turn.cosine < FOLDED {
                measured.folded.push(bone.joint);
            }
            let colliders = state.colliders().iter().zip(&rig.collides[bone.chain]);
            let met = colliders.filter_map(|(collider, collides)| collides.then_some(collider));
            for collider in met.filter(|collider| !collider.is_clear_of(tip, bone.radius)) {
                let depth = collider.depth(tip, bone.radius);
                let contact = state.contacts[index];
                if depth > 0.0 && contact.infeasible {
                    measured.infeasible.push(Infeasible { joint: bone.joint, depth, limited: contact.limited });
                } else if depth > 0.0 {
                    let share = depth / collider.depth_unit(bone.radius, shown.length);
                    measured.penetration = measured.penetration.max(share);
                }
            }
        }
        measured.twist = most_twisted.twist();
        measured
    }
}
