//! Sampling of one frame of a motion with a skill over it.

use glam::{DQuat, Quat};

use super::input::LayerInput;
use super::settings::LayerMode;
use crate::clips::mix::mix;
use crate::standard::timeline::{BodyParts, CompiledTimeline};
use crate::{Built, Plan, RootMotionOwner, RootTrajectory, Scratch};
use portamento_anim::math::mean::slerp;
use portamento_anim::{Clip, Pose, RootKind, Skeleton};

/// One frame of the result.
pub(super) struct LayeredFrame {
    pub pose: Pose,
    /// Per joint, true if the skill has any weight on it.
    pub affected: Vec<bool>,
}

/// One blend compiled with different transition times (at least one), and the index of the variant that each joint uses.
#[derive(Clone, Copy)]
pub(super) struct Groups<'a> {
    pub builts: &'a [Built],
    pub of_joint: &'a [usize],
}

/// Samples the frames of a layered motion.
pub(super) struct Sampler<'a> {
    input: &'a LayerInput<'a>,
    mode: LayerMode,
    groups: Groups<'a>,
    trajectory: Option<RootTrajectory>,
    /// Upper-body share per joint.
    upper: Vec<f32>,
    /// The joints that carry the root motion and their ancestors. They always follow the motion.
    carriers: Vec<bool>,
    /// First frame of the skill.
    reference: Pose,
}

impl<'a> Sampler<'a> {
    /// Prepares sampling. `groups` are the compiled blends, `skill` is the skill's clip, `upper` the upper-body shares.
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

    /// Returns the layered pose at `time` (seconds) and the joints that the skill changes. All other joints are as in the
    /// motion.
    pub fn frame(&self, time: f64) -> LayeredFrame {
        let skeleton = self.input.skeleton;
        let base_pose = self.input.motion.pose_at(skeleton, time);
        let (mut scratch, mut pose) = (Scratch::default(), Pose::rest(skeleton));
        let weights: Vec<f32> = (0..skeleton.len()).map(|joint| self.weight(time, joint)).collect();
        let skill =
            if self.mode == LayerMode::Override { None } else { self.groups.builts[0].upper_body(time, &mut scratch) };
        match (self.mode, skill) {
            (LayerMode::Additive, Some(skill)) => self.apply_additive(&base_pose, &skill, &weights, &mut pose),
            (LayerMode::MeshSpace, Some(skill)) => self.apply_mesh_space(&base_pose, &skill, &weights, &mut pose),
            _ => {
                for (group, built) in self.groups.builts.iter().enumerate() {
                    self.copy_group(group, built, time, &mut scratch, &mut pose);
                }
            }
        }
        let affected: Vec<bool> = weights.iter().map(|&weight| weight > 0.0).collect();
        for (joint, row) in skeleton.joints.iter().enumerate().filter(|(joint, _)| !affected[*joint]) {
            pose.locals[joint] = base_pose.locals[joint];
            let morphs = row.first_morph..row.first_morph + row.morph_count;
            pose.morphs[morphs.clone()].copy_from_slice(&base_pose.morphs[morphs]);
        }
        LayeredFrame { pose, affected }
    }

    /// Copies the joints of a group with their morphs from `built` at `time` (seconds) to `pose`.
    fn copy_group(&self, group: usize, built: &Built, time: f64, scratch: &mut Scratch, pose: &mut Pose) {
        let mut group_pose = Pose::rest(self.input.skeleton);
        built.sample(time, scratch, &mut group_pose);
        if let Some(trajectory) = &self.trajectory {
            built.apply_root_motion(trajectory, time, &mut group_pose);
        }
        for (joint, row) in self.input.skeleton.joints.iter().enumerate() {
            if self.groups.of_joint[joint] == group {
                pose.locals[joint] = group_pose.locals[joint];
                let morphs = row.first_morph..row.first_morph + row.morph_count;
                pose.morphs[morphs.clone()].copy_from_slice(&group_pose.morphs[morphs]);
            }
        }
    }

    /// Returns the weight of the skill on `joint` at `time` (seconds), 0…1. It is 0 where the skill has no curve, and for
    /// joints that carry the body.
    fn weight(&self, time: f64, joint: usize) -> f32 {
        let built = &self.groups.builts[self.groups.of_joint[joint]];
        let Some(weights) = built.weights(time).filter(|_| !self.carriers[joint]) else { return 0.0 };
        let upper = self.upper.get(joint).copied().unwrap_or(0.0);
        let weight = BodyParts { upper: weights.skill_on_upper, lower: weights.skill_on_lower };
        if built.skill_has(time, joint) { weight.on_joint(upper) } else { 0.0 }
    }

    /// Writes `base_pose` to `out`, with the local change of `skill` since the first frame of its clip added. `weights` has
    /// the share of each joint, 0…1.
    fn apply_additive(&self, base_pose: &Pose, skill: &Pose, weights: &[f32], out: &mut Pose) {
        out.clone_from(base_pose);
        for (joint, &weight) in weights.iter().enumerate() {
            let (from, to) = (&self.reference.locals[joint], &skill.locals[joint]);
            let rotation = slerp(Quat::IDENTITY, from.rotation.conjugate() * to.rotation, weight);
            let local = &mut out.locals[joint];
            local.rotation = (local.rotation * rotation).normalize();
            local.translation += (to.translation - from.translation) * weight;
            local.scale += (to.scale - from.scale) * weight;
        }
        let changes = skill.morphs.iter().zip(&self.reference.morphs).map(|(to, from)| to - from);
        out.morphs.iter_mut().zip(changes).for_each(|(morph, change)| *morph += change * self.morph_weight(weights));
    }

    /// Returns the weight of the skill on all morphs: the largest of the joints, since morphs have no position in the body.
    fn morph_weight(&self, weights: &[f32]) -> f32 {
        weights.iter().copied().fold(0.0, f32::max)
    }

    /// Writes the motion with the skill's rotations by weight, taken relative to the character's heading and not to the
    /// parent joint.
    fn apply_mesh_space(&self, base_pose: &Pose, skill: &Pose, weights: &[f32], out: &mut Pose) {
        let skeleton = self.input.skeleton;
        let [base_heading, skill_heading] = [base_pose, skill].map(|pose| self.heading(pose));
        let mut out_world: Vec<DQuat> = Vec::with_capacity(skeleton.len());
        let (base_world, skill_world) = (world_rotations(skeleton, base_pose), world_rotations(skeleton, skill));
        for (joint, row) in skeleton.joints.iter().enumerate() {
            let (weight, parent_rotation) =
                (weights[joint], row.parent.map_or(DQuat::IDENTITY, |parent| out_world[parent]));
            let mut local = mix(&base_pose.locals[joint], &skill.locals[joint], weight, None);
            if weight > 0.0 {
                let from = base_heading.inverse() * base_world[joint];
                let to = skill_heading.inverse() * skill_world[joint];
                let to = if from.dot(to) < 0.0 { -to } else { to };
                let rotation = base_heading * from.slerp(to, f64::from(weight));
                local.rotation = (parent_rotation.inverse() * rotation).normalize().as_quat();
            }
            out_world.push(parent_rotation * local.rotation.as_dquat());
            out.locals[joint] = local;
        }
        let weight = self.morph_weight(weights);
        let pairs = base_pose.morphs.iter().zip(&skill.morphs);
        out.morphs.iter_mut().zip(pairs).for_each(|(out, (from, to))| *out = from + (to - from) * weight);
    }

    /// Returns the world heading of the root joint about +Y, relative to rest; the identity without root motion.
    fn heading(&self, pose: &Pose) -> DQuat {
        let Some(root) = self.input.root else { return DQuat::IDENTITY };
        let rotation = world_rotations(self.input.skeleton, pose)[root.joint];
        let rest = world_rotations(self.input.skeleton, &Pose::rest(self.input.skeleton))[root.joint];
        let rotation = rotation * rest.inverse();
        DQuat::from_rotation_y(2.0 * rotation.y.atan2(rotation.w))
    }
}

/// Returns the world rotation of each joint.
fn world_rotations(skeleton: &Skeleton, pose: &Pose) -> Vec<DQuat> {
    let mut world: Vec<DQuat> = Vec::with_capacity(skeleton.len());
    for (joint, row) in skeleton.joints.iter().enumerate() {
        let parent_rotation = row.parent.map_or(DQuat::IDENTITY, |parent| world[parent]);
        world.push(parent_rotation * pose.locals[joint].rotation.as_dquat());
    }
    world
}

impl Built {
    /// Returns the pose of UpperBody alone at `time` (seconds); `None` if it plays nothing.
    fn upper_body(&self, time: f64, scratch: &mut Scratch) -> Option<Pose> {
        let Plan::Timeline(timeline) = &self.plan else { return None };
        let segment = timeline.segment_at(time).filter(|segment| !segment.upper_body.is_empty())?;
        scratch.reserve(CompiledTimeline::SCRATCH_LAYERS, &self.bank);
        let [_, upper, single, ..] = &mut scratch.layers[..] else { return None };
        timeline.sample_stack(&self.bank, &segment.upper_body, time, upper, single);
        let mut pose = Pose::rest(&self.bank.skeleton);
        self.bank.unpack(upper, &mut pose);
        Some(pose)
    }

    /// True if a skill that is active at `time` (seconds) has a track for `joint`.
    fn skill_has(&self, time: f64, joint: usize) -> bool {
        let Plan::Timeline(timeline) = &self.plan else { return false };
        let layers = timeline.segment_at(time).map_or(&[][..], |segment| &segment.upper_body);
        let mut clips =
            layers.iter().filter_map(|layer| layer.instance).map(|instance| timeline.instances[instance].clip);
        clips.any(|clip| self.bank.coverage[clip][joint] > 0.0)
    }
}
