//! One frame of a motion with a skill over it.

use glam::{DQuat, Quat};

use super::input::LayerInput;
use super::settings::LayerMode;
use crate::anim::{Clip, Pose, RootKind, Skeleton};
use crate::math::mean::slerp;
use crate::systems::blend::mix::mix;
use crate::systems::blend::timeline::{BodyParts, CompiledTimeline};
use crate::systems::blend::{Built, Plan, RootMotionOwner, RootTrajectory, Scratch};

/// A frame of what comes out.
pub(super) struct LayeredFrame {
    pub pose: Pose,
    /// Per joint, whether the skill has any weight on it.
    pub held: Vec<bool>,
}

/// The same blend with transitions of different lengths, at least one, and which of them each joint shows.
#[derive(Clone, Copy)]
pub(super) struct Groups<'a> {
    pub builts: &'a [Built],
    pub of_joint: &'a [usize],
}

pub(super) struct Sampler<'a> {
    input: &'a LayerInput<'a>,
    mode: LayerMode,
    groups: Groups<'a>,
    trajectory: Option<RootTrajectory>,
    /// Per joint its share of the upper body.
    upper: Vec<f32>,
    /// The joint that carries the character and those above it: always the motion's own.
    carriers: Vec<bool>,
    /// The skill's first frame.
    reference: Pose,
}

impl<'a> Sampler<'a> {
    pub fn new(
        input: &'a LayerInput,
        mode: LayerMode,
        groups: Groups<'a>,
        skill: Option<&Clip>,
        upper: Vec<f32>,
    ) -> Self {
        let skeleton = input.skeleton;
        let mut carriers = vec![false; skeleton.len()];
        if let Some(root) = input.root {
            skeleton.ancestors(root.joint).for_each(|joint| carriers[joint] = true);
            carriers[root.joint] = root.kind == RootKind::Root;
        }
        let hips = input.root.filter(|root| root.kind == RootKind::HipsGroundPart);
        let length = input.motion.duration;
        let trajectory = hips.map(|root| groups.builts[0].root_trajectory(root, RootMotionOwner::WholeBody, length));
        let reference = skill.map_or_else(|| Pose::rest(skeleton), |clip| clip.pose_at(skeleton, 0.0));
        Self { input, mode, groups, trajectory, upper, carriers, reference }
    }

    pub fn frame(&self, time: f64) -> LayeredFrame {
        let skeleton = self.input.skeleton;
        let own = self.input.motion.pose_at(skeleton, time);
        let (mut scratch, mut pose) = (Scratch::default(), Pose::rest(skeleton));
        let weights: Vec<f32> = (0..skeleton.len()).map(|joint| self.weight(time, joint)).collect();
        let skill =
            if self.mode == LayerMode::Override { None } else { self.groups.builts[0].upper_body(time, &mut scratch) };
        match (self.mode, skill) {
            (LayerMode::Additive, Some(skill)) => self.add(&own, &skill, &weights, &mut pose),
            (LayerMode::MeshSpace, Some(skill)) => self.turn(&own, &skill, &weights, &mut pose),
            _ => {
                for (group, built) in self.groups.builts.iter().enumerate() {
                    self.put(group, built, time, &mut scratch, &mut pose);
                }
            }
        }
        let held: Vec<bool> = weights.iter().map(|&weight| weight > 0.0).collect();
        for (joint, row) in skeleton.joints.iter().enumerate().filter(|(joint, _)| !held[*joint]) {
            pose.locals[joint] = own.locals[joint];
            let morphs = row.first_morph..row.first_morph + row.morph_count;
            pose.morphs[morphs.clone()].copy_from_slice(&own.morphs[morphs]);
        }
        LayeredFrame { pose, held }
    }

    /// Writes the joints of a group over `pose`.
    fn put(&self, group: usize, built: &Built, time: f64, scratch: &mut Scratch, pose: &mut Pose) {
        let mut own = Pose::rest(self.input.skeleton);
        built.sample(time, scratch, &mut own);
        if let Some(trajectory) = &self.trajectory {
            built.apply_root_motion(trajectory, time, &mut own);
        }
        for (joint, row) in self.input.skeleton.joints.iter().enumerate() {
            if self.groups.of_joint[joint] == group {
                pose.locals[joint] = own.locals[joint];
                let morphs = row.first_morph..row.first_morph + row.morph_count;
                pose.morphs[morphs.clone()].copy_from_slice(&own.morphs[morphs]);
            }
        }
    }

    fn weight(&self, time: f64, joint: usize) -> f32 {
        let built = &self.groups.builts[self.groups.of_joint[joint]];
        let Some(weights) = built.weights(time).filter(|_| !self.carriers[joint]) else { return 0.0 };
        let upper = self.upper.get(joint).copied().unwrap_or(0.0);
        let weight = BodyParts { upper: weights.skill_on_upper, lower: weights.skill_on_lower };
        if built.skill_has(time, joint) { weight.on_joint(upper) } else { 0.0 }
    }

    /// What the skill changes since its first frame, on top of the motion.
    fn add(&self, own: &Pose, skill: &Pose, weights: &[f32], out: &mut Pose) {
        out.clone_from(own);
        for (joint, &weight) in weights.iter().enumerate() {
            let (from, to) = (&self.reference.locals[joint], &skill.locals[joint]);
            let turn = slerp(Quat::IDENTITY, from.rotation.conjugate() * to.rotation, weight);
            let local = &mut out.locals[joint];
            local.rotation = (local.rotation * turn).normalize();
            local.translation += (to.translation - from.translation) * weight;
            local.scale += (to.scale - from.scale) * weight;
        }
        let changes = skill.morphs.iter().zip(&self.reference.morphs).map(|(to, from)| to - from);
        out.morphs.iter_mut().zip(changes).for_each(|(morph, change)| *morph += change * self.morph_weight(weights));
    }

    /// Morphs move with the heaviest joint: they have no place in the body.
    fn morph_weight(&self, weights: &[f32]) -> f32 {
        weights.iter().copied().fold(0.0, f32::max)
    }

    /// The skill's rotations as the character's own frame sees them.
    fn turn(&self, own: &Pose, skill: &Pose, weights: &[f32], out: &mut Pose) {
        let skeleton = self.input.skeleton;
        let [facing_own, facing_skill] = [own, skill].map(|pose| self.facing(pose));
        let mut turned: Vec<DQuat> = Vec::with_capacity(skeleton.len());
        let (own_world, skill_world) = (rotations(skeleton, own), rotations(skeleton, skill));
        for (joint, row) in skeleton.joints.iter().enumerate() {
            let (weight, above) = (weights[joint], row.parent.map_or(DQuat::IDENTITY, |parent| turned[parent]));
            let mut local = mix(&own.locals[joint], &skill.locals[joint], weight, None);
            if weight > 0.0 {
                let from = facing_own.inverse() * own_world[joint];
                let to = facing_skill.inverse() * skill_world[joint];
                let to = if from.dot(to) < 0.0 { -to } else { to };
                let seen = facing_own * from.slerp(to, f64::from(weight));
                local.rotation = (above.inverse() * seen).normalize().as_quat();
            }
            turned.push(above * local.rotation.as_dquat());
            out.locals[joint] = local;
        }
        let weight = self.morph_weight(weights);
        let pairs = own.morphs.iter().zip(&skill.morphs);
        out.morphs.iter_mut().zip(pairs).for_each(|(out, (from, to))| *out = from + (to - from) * weight);
    }

    /// The heading of what carries the character, about +Y, against rest.
    fn facing(&self, pose: &Pose) -> DQuat {
        let Some(root) = self.input.root else { return DQuat::IDENTITY };
        let turn = rotations(self.input.skeleton, pose)[root.joint];
        let rest = rotations(self.input.skeleton, &Pose::rest(self.input.skeleton))[root.joint];
        let turn = turn * rest.inverse();
        DQuat::from_rotation_y(2.0 * turn.y.atan2(turn.w))
    }
}

fn rotations(skeleton: &Skeleton, pose: &Pose) -> Vec<DQuat> {
    let mut world: Vec<DQuat> = Vec::with_capacity(skeleton.len());
    for (joint, row) in skeleton.joints.iter().enumerate() {
        let above = row.parent.map_or(DQuat::IDENTITY, |parent| world[parent]);
        world.push(above * pose.locals[joint].rotation.as_dquat());
    }
    world
}

impl Built {
    /// What UpperBody alone shows at `time` (seconds); `None` while it plays nothing.
    fn upper_body(&self, time: f64, scratch: &mut Scratch) -> Option<Pose> {
        let Plan::Timeline { timeline, .. } = &self.plan else { return None };
        let segment = timeline.segment_at(time).filter(|segment| !segment.upper_body.is_empty())?;
        scratch.reserve(CompiledTimeline::SCRATCH_LAYERS, &self.bank);
        let [_, upper, single, ..] = &mut scratch.layers[..] else { return None };
        timeline.sample_stack(&self.bank, &segment.upper_body, time, upper, single);
        let mut pose = Pose::rest(&self.bank.skeleton);
        self.bank.unpack(upper, &mut pose);
        Some(pose)
    }

    /// Whether a skill that plays at `time` has a track for `joint`.
    fn skill_has(&self, time: f64, joint: usize) -> bool {
        let Plan::Timeline { timeline, .. } = &self.plan else { return false };
        let layers = timeline.segment_at(time).map_or(&[][..], |segment| &segment.upper_body);
        let mut clips =
            layers.iter().filter_map(|layer| layer.instance).map(|instance| timeline.instances[instance].clip);
        clips.any(|clip| self.bank.coverage[clip][joint] > 0.0)
    }
}
