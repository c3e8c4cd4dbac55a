//! Measurements on the bones at one moment.

use glam::{DAffine3, DQuat, DVec3, Quat};

use crate::chains::bone::Tip;
use crate::chains::rig::DynamicsRig;
use crate::chains::state::{BoneTurn, State};
use portamento_anim::Pose;

/// Measurements at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measurements {
    /// Time, seconds.
    pub time: f64,
    /// Maximum of the bones' length errors; see [`crate::Report::length_error`].
    pub length_error: f64,
    /// Maximum of the position errors; see [`crate::Report::position_error`].
    pub position_error: f64,
    /// Maximum penetration; see [`crate::Report::penetration`].
    pub penetration: f64,
    /// Maximum twist, radians; see [`crate::Report::twist`].
    pub twist: f64,
    /// Number of bones in contact.
    pub touching: u32,
    /// Bones without any direction outside the colliders.
    pub infeasible: Vec<Infeasible>,
    /// Joints whose bones point nearly straight against their animation.
    pub folded: Vec<usize>,
}

/// Cosine of half of 165°. For a larger angle, the axis of the shortest arc can change within a frame or two.
const FOLDED_MAX_HALF_ANGLE_COSINE: f64 = 0.1305;

/// A bone without any direction outside the colliders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Infeasible {
    pub joint: usize,
    /// Penetration depth, metres.
    pub depth: f64,
    /// True if a direction exists but the angle limit forbids it.
    pub limited: bool,
}

/// Measures the bones at consecutive moments and reuses its memory.
#[derive(Debug, Default)]
pub(crate) struct MeasuringBuffers {
    rotations: Vec<DQuat>,
    placed: Vec<PlacedBone>,
}

/// World transform and end of a bone by the joint matrices, which every other program multiplies too.
#[derive(Clone, Copy, Debug)]
struct PlacedBone {
    /// World transform, metres.
    joint: DAffine3,
    /// World position of the end, metres.
    tip: DVec3,
}

impl MeasuringBuffers {
    /// Measures `state` at `time` seconds, where the animation has `pose`.
    pub fn measure(&mut self, rig: &DynamicsRig, state: &State, pose: &Pose, time: f64) -> Measurements {
        self.update_bones(rig, state, pose);
        self.measure_bones(rig, state, pose, time, 0..rig.bones.len())
    }

    /// Measures only `bones` after [`MeasuringBuffers::update_bones`] with the same state. `pose` is the animation at `time`
    /// seconds.
    pub fn measure_bones(
        &self,
        rig: &DynamicsRig,
        state: &State,
        pose: &Pose,
        time: f64,
        bones: impl Iterator<Item = usize>,
    ) -> Measurements {
        let mut measured = Measurements { time, ..Measurements::default() };
        let mut most_twisted = BoneTurn::NONE;
        for index in bones {
            let (bone, shown) = (&rig.bones[index], &state.shown[index]);
            measured.touching += u32::from(state.contacts[index].touching);
            if shown.length == 0.0 {
                continue;
            }
            let PlacedBone { joint, tip } = self.placed[index];
            let error = (tip.distance(joint.translation) - shown.length).abs() / shown.length;
            measured.length_error = measured.length_error.max(error);
            measured.position_error = measured.position_error.max(tip.distance(shown.tip()) / shown.length);
            let turn = State::turn(rig, index, self.rotations[index], pose);
            most_twisted = most_twisted.with_more_twist(turn);
            if turn.cosine < FOLDED_MAX_HALF_ANGLE_COSINE {
                measured.folded.push(bone.joint);
            }
            measured.add_depths(rig, state, index, tip);
        }
        measured.twist = most_twisted.twist();
        measured
    }

    /// Returns the shown rotation of every joint relative to its parent, at the last measured moment.
    pub fn rotations(&self) -> impl Iterator<Item = Quat> {
        self.rotations.iter().map(|rotation| rotation.as_quat().normalize())
    }

    /// Computes the world transforms of the bones from their rotations alone, independent of the positions of the solver.
    pub fn update_bones(&mut self, rig: &DynamicsRig, state: &State, pose: &Pose) {
        self.rotations.clear();
        self.rotations.extend((0..rig.bones.len()).map(|index| state.local_rotation(rig, index)));
        self.placed.clear();
        for (bone, &rotation) in rig.bones.iter().zip(&self.rotations) {
            let parent_joint = match (bone.parent, rig.anchors[bone.tree]) {
                (Some(parent), _) => self.placed[parent].joint,
                (None, Some(anchor)) => {
                    let anchor = &state.kinematic[anchor];
                    DAffine3::from_mat3_translation(anchor.linear, anchor.position)
                }
                (None, None) => DAffine3::from_scale(DVec3::splat(rig.metres_per_unit)),
            };
            let local = pose.locals[bone.joint];
            let (scale, translation) = (local.scale.as_dvec3(), local.translation.as_dvec3());
            let joint = parent_joint * DAffine3::from_scale_rotation_translation(scale, rotation, translation);
            let tip = match bone.tip {
                Tip::Joint(tip) => joint.transform_point3(pose.locals[tip].translation.as_dvec3()),
                Tip::Added { direction, length } => {
                    joint.translation + (joint.matrix3 * direction).normalize_or(DVec3::Y) * length
                }
            };
            self.placed.push(PlacedBone { joint, tip });
        }
    }
}

impl Measurements {
    /// Adds the depths of the end of bone `index`, at the world position `tip` (metres), in all colliders.
    fn add_depths(&mut self, rig: &DynamicsRig, state: &State, index: usize, tip: DVec3) {
        let (bone, contact) = (&rig.bones[index], state.contacts[index]);
        let colliders = state.colliders().iter().zip(&rig.collides[bone.chain]);
        let in_chain = colliders.filter_map(|(collider, collides)| collides.then_some(collider));
        for collider in in_chain.filter(|collider| !collider.is_clear_of(tip, bone.radius)) {
            let depth = collider.depth(tip, bone.radius);
            if depth > 0.0 && contact.infeasible {
                self.infeasible.push(Infeasible { joint: bone.joint, depth, limited: contact.limited });
            } else if depth > 0.0 {
                let share = depth / collider.depth_unit(bone.radius, state.shown[index].length);
                self.penetration = self.penetration.max(share);
            }
        }
    }
}
