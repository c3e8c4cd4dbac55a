//! Settings made ready for stepping: bones parents first, each with values of its own.

use glam::{DVec3, Vec3};

use super::bone::{Bone, Tip};
use super::bone_group::BoneGroup;
use super::error::{BuildError, check};
use super::settings::{AngleLimit, Chain, Collider, ColliderShape, Settings, Teleport, Wind};
use crate::anim::{Pose, Skeleton};

/// Bones shorter than this (metres, life size) are carried rigidly: no direction can be told from rounding.
const SHORTEST: f64 = 1e-6;

/// Length of the longest step, seconds: a whole number of them fits a frame at 15, 20, 24, 30, 40, 48, 60, 80, 120 and 240 fps.
pub const STEP: f64 = 1.0 / 240.0;

/// Steps are cut into at most this many substeps.
const MOST_SUBSTEPS: u32 = 64;

/// A joint that follows the animation and that simulated bones or colliders hang on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KinematicJoint {
    /// Index in the skeleton.
    pub joint: usize,
    /// Index of its parent in [`DynamicsRig::kinematic`].
    pub parent: Option<usize>,
}

/// A collider with lengths in world metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigCollider {
    /// Index of the joint that carries it in [`DynamicsRig::kinematic`]; `None` for the world.
    pub carrier: Option<usize>,
    /// Its form in the carrier's axes.
    pub shape: ColliderShape,
}

/// A skeleton's dynamic bones: all that stays the same from step to step.
#[derive(Clone, Debug, PartialEq)]
pub struct DynamicsRig {
    /// The simulated bones, parents first.
    pub bones: Vec<Bone>,
    /// Per tree of bones: index of the joint above its first joint in [`DynamicsRig::kinematic`]; `None` for the world.
    pub anchors: Vec<Option<usize>>,
    /// The animated joints above chains and under colliders, parents first.
    pub kinematic: Vec<KinematicJoint>,
    /// In the order of the settings.
    pub colliders: Vec<RigCollider>,
    /// Per chain, whether it collides with each collider.
    pub collides: Vec<Vec<bool>>,
    /// Per chain, index in [`DynamicsRig::kinematic`] of the joint as seen from which inertia counts.
    pub centers: Vec<Option<usize>>,
    /// Acceleration by gravity, scaled, m/s².
    pub gravity: DVec3,
    /// Moving air, scaled.
    pub wind: Wind,
    /// Share of a step's rotation that shown joints take over, above 0, up to 1.
    pub slerp_buffer: f64,
    /// Time constant, seconds.
    pub smoothing: f64,
    /// Whether whole bones collide and not only their tips.
    pub segment_contact: bool,
    /// What counts as a jump, scaled.
    pub teleport: Teleport,
    /// Metres per unit of the file.
    pub metres_per_unit: f64,
    /// Into how many parts each step is cut so that |a|·h²/length stays at most ½ (a power of two, at most 64).
    pub substeps: u32,
    /// The largest |a|·h²/length with that many substeps.
    pub stability: f64,
    /// Which bones are stepped side by side.
    pub(super) groups: Vec<BoneGroup>,
}

impl DynamicsRig {
    /// Checks the settings against the skeleton and lays the bones out.
    pub fn new(skeleton: &Skeleton, settings: &Settings, metres_per_unit: f64) -> Result<Self, BuildError> {
        check(skeleton, settings, metres_per_unit)?;
        let chain_of = chain_of_joints(skeleton, settings)?;
        let mut rig = Self {
            bones: Vec::new(),
            anchors: Vec::new(),
            kinematic: Vec::new(),
            colliders: Vec::new(),
            collides: Vec::new(),
            centers: Vec::new(),
            gravity: settings.gravity * settings.scale,
            wind: Wind { strength: settings.wind.strength * settings.scale, ..settings.wind },
            slerp_buffer: settings.slerp_buffer,
            smoothing: settings.smoothing,
            segment_contact: settings.segment_contact,
            teleport: Teleport { speed: settings.teleport.speed * settings.scale, ..settings.teleport },
            metres_per_unit,
            substeps: 1,
            stability: 0.0,
            groups: Vec::new(),
        };
        rig.lay_out_bones(skeleton, settings, &chain_of);
        rig.groups = BoneGroup::all(rig.bones.iter().map(|bone| bone.parent));
        rig.lay_out_kinematic_joints(skeleton, settings);
        rig.choose_substeps(skeleton);
        Ok(rig)
    }

    fn lay_out_bones(&mut self, skeleton: &Skeleton, settings: &Settings, chain_of: &[Option<usize>]) {
        let below = included_below(skeleton, chain_of);
        let depth = depths(skeleton, settings, chain_of);
        let mut bone_of = vec![None; skeleton.len()];
        for joint in 0..skeleton.len() {
            let Some(chain) = chain_of[joint] else { continue };
            let own = &settings.chains[chain];
            let Some(tip) = tip_of(skeleton, own, joint, &below) else { continue };
            let parent = skeleton.joints[joint].parent.and_then(|parent| bone_of[parent]);
            let tree = parent.map_or(self.anchors.len(), |parent: usize| self.bones[parent].tree);
            // Filled in once the kinematic joints are numbered.
            if parent.is_none() {
                self.anchors.push(None);
            }
            bone_of[joint] = Some(self.bones.len());
            let tip = scaled_tip(tip, settings.scale);
            let (depth, limit) = (depth[joint], AngleLimit::Free);
            let [drag, stiffness, gravity, radius] = [0.0; 4];
            let mut bone = Bone { joint, tip, parent, tree, chain, depth, drag, stiffness, gravity, radius, limit };
            bone.take_values(settings);
            self.bones.push(bone);
        }
    }

    /// Takes over the numbers of `settings` that may change from step to step; which bones and colliders there are stays, and with
    /// what period the wind repeats.
    pub(super) fn take_values(&mut self, settings: &Settings) {
        let scale = settings.scale;
        self.gravity = settings.gravity * scale;
        let (strength, period) = (settings.wind.strength * scale, self.wind.period);
        self.wind = Wind { strength, period, ..settings.wind };
        (self.slerp_buffer, self.smoothing) = (settings.slerp_buffer, settings.smoothing);
        self.bones.iter_mut().for_each(|bone| bone.take_values(settings));
    }

    /// Lists anchors, collider joints and all their ancestors, and finds the indices of those in the list.
    fn lay_out_kinematic_joints(&mut self, skeleton: &Skeleton, settings: &Settings) {
        let roots = self.bones.iter().filter(|bone| bone.parent.is_none());
        let above: Vec<Option<usize>> = roots.map(|bone| skeleton.joints[bone.joint].parent).collect();
        let carriers = settings.colliders.iter().filter_map(|collider| collider.joint);
        let centers = settings.chains.iter().filter_map(|chain| chain.center);
        let mut needed = vec![false; skeleton.len()];
        // With all their ancestors: world places are found parents first, without the rest of the skeleton.
        let wanted = above.iter().flatten().copied().chain(carriers).chain(centers);
        wanted.flat_map(|joint| skeleton.ancestors(joint)).for_each(|joint| needed[joint] = true);
        let mut index_of = vec![None; skeleton.len()];
        for joint in (0..skeleton.len()).filter(|&joint| needed[joint]) {
            index_of[joint] = Some(self.kinematic.len());
            let parent = skeleton.joints[joint].parent.and_then(|parent| index_of[parent]);
            self.kinematic.push(KinematicJoint { joint, parent });
        }
        let found = |joint: Option<usize>| joint.and_then(|joint| index_of[joint]);
        self.anchors = above.into_iter().map(found).collect();
        let placed = |collider: &Collider| RigCollider {
            carrier: found(collider.joint),
            shape: scaled_shape(collider.shape, settings.scale),
        };
        self.colliders = settings.colliders.iter().map(placed).collect();
        let count = settings.colliders.len();
        let collides = |chain: &Chain| (0..count).map(|index| !chain.ignored_colliders.contains(&index)).collect();
        self.collides = settings.chains.iter().map(collides).collect();
        self.centers = settings.chains.iter().map(|chain| found(chain.center)).collect();
    }

    fn choose_substeps(&mut self, skeleton: &Skeleton) {
        let lengths = self.rest_lengths(skeleton);
        self.cut_steps(self.pull_per_length(&lengths));
    }

    /// The largest |a|·[`STEP`]²/length of bones that are `lengths` metres long.
    pub(super) fn pull_per_length(&self, lengths: &[f64]) -> f64 {
        // Gusts add up to `gust`, turbulence up to √3 times its value over three axes.
        let wind = self.wind.strength.abs() * (1.0 + self.wind.gust + 2.0 * self.wind.turbulence);
        let worst = self.bones.iter().zip(lengths).map(|(bone, &length)| {
            let pull = self.gravity.length() * bone.gravity.abs() + wind + bone.stiffness;
            if length > SHORTEST { pull * STEP * STEP / length } else { 0.0 }
        });
        worst.fold(0.0, f64::max)
    }

    /// Cuts steps into as many parts as `worst`, the largest |a|·[`STEP`]²/length, needs.
    pub(super) fn cut_steps(&mut self, worst: f64) {
        self.substeps = 1;
        // Halving the step quarters a·h², hence the square; powers of two keep substeps on the frames.
        while self.substeps < MOST_SUBSTEPS && worst / f64::from(self.substeps * self.substeps) > 0.5 {
            self.substeps *= 2;
        }
        self.stability = worst / f64::from(self.substeps * self.substeps);
    }

    /// Of every bone in the rest pose, metres.
    pub(super) fn rest_lengths(&self, skeleton: &Skeleton) -> Vec<f64> {
        let rest = Pose::rest(skeleton);
        self.bones.iter().map(|bone| self.rest_length(&rest, skeleton, bone)).collect()
    }

    fn rest_length(&self, rest: &Pose, skeleton: &Skeleton, bone: &Bone) -> f64 {
        let at = |joint| rest.world_from_joint(skeleton, joint).translation * self.metres_per_unit;
        match bone.tip {
            Tip::Joint(tip) => at(tip).distance(at(bone.joint)),
            Tip::Added { length, .. } => length,
        }
    }

    /// Whether a bone of this length (metres) is too short to have a direction.
    pub(super) fn is_rigid(&self, length: f64) -> bool {
        length <= self.shortest()
    }

    /// Metres up to which bones are too short to have a direction.
    pub(super) fn shortest(&self) -> f64 {
        SHORTEST * self.metres_per_unit.min(1.0)
    }
}

fn scaled_tip(tip: Tip, scale: f64) -> Tip {
    match tip {
        Tip::Added { direction, length } => Tip::Added { direction, length: length * scale },
        joint => joint,
    }
}

/// The chain of each joint: that of the nearest chain start at or above it, unless excluded there.
fn chain_of_joints(skeleton: &Skeleton, settings: &Settings) -> Result<Vec<Option<usize>>, BuildError> {
    let mut starts = vec![None; skeleton.len()];
    for (index, chain) in settings.chains.iter().enumerate() {
        if let Some(other) = starts[chain.joint].replace(index) {
            return Err(BuildError::SameStart {
                joint: skeleton.joints[chain.joint].name.clone(),
                one: settings.chains[other].name.clone(),
                other: chain.name.clone(),
            });
        }
    }
    let mut chain_of: Vec<Option<usize>> = Vec::with_capacity(skeleton.len());
    for (joint, start) in starts.into_iter().enumerate() {
        let inherited = skeleton.joints[joint].parent.and_then(|parent| chain_of[parent]);
        let inherited = inherited.filter(|&chain| !settings.chains[chain].excluded.contains(&joint));
        chain_of.push(start.or(inherited));
    }
    Ok(chain_of)
}

/// Per joint, how many simulated joints lie on the longest way down from it, itself included.
fn included_below(skeleton: &Skeleton, chain_of: &[Option<usize>]) -> Vec<usize> {
    let mut below = vec![0; skeleton.len()];
    for joint in (0..skeleton.len()).rev().filter(|&joint| chain_of[joint].is_some()) {
        below[joint] += 1;
        if let Some(parent) = skeleton.joints[joint].parent {
            below[parent] = below[parent].max(below[joint]);
        }
    }
    below
}

/// Per joint, its depth 0…1 in its chain, counted in joints.
fn depths(skeleton: &Skeleton, settings: &Settings, chain_of: &[Option<usize>]) -> Vec<f64> {
    let mut level = vec![0_usize; skeleton.len()];
    let mut deepest = vec![0_usize; settings.chains.len()];
    for joint in 0..skeleton.len() {
        let Some(chain) = chain_of[joint] else { continue };
        let parent = skeleton.joints[joint].parent.filter(|&parent| chain_of[parent] == Some(chain));
        level[joint] = parent.map_or(0, |parent| level[parent] + 1);
        deepest[chain] = deepest[chain].max(level[joint]);
    }
    let share = |(joint, chain): (usize, &Option<usize>)| {
        chain.map_or(0.0, |chain| level[joint] as f64 / deepest[chain].max(1) as f64)
    };
    chain_of.iter().enumerate().map(share).collect()
}

/// The end of the bone of `joint`: the child with the longest way down; the others are carried rigidly.
fn tip_of(skeleton: &Skeleton, chain: &Chain, joint: usize, below: &[usize]) -> Option<Tip> {
    let apart = |child: &usize| skeleton.joints[*child].rest.translation.length() > 0.0;
    let children = || skeleton.children(joint);
    // `max_by_key` keeps the last of equals; the first child is what a user expects.
    let longest = |children: &mut dyn Iterator<Item = usize>| {
        children.fold(None, |best: Option<usize>, child| match best {
            Some(old) if below[old] >= below[child] => Some(old),
            _ => Some(child),
        })
    };
    let child = longest(&mut children().filter(apart)).or_else(|| longest(&mut children()));
    if child.is_some() || chain.end_length <= 0.0 {
        return child.map(Tip::Joint);
    }
    let rest = skeleton.joints[joint].rest;
    let ahead = (rest.rotation.inverse() * rest.translation).try_normalize().unwrap_or(Vec3::Y);
    Some(Tip::Added { direction: ahead.as_dvec3(), length: chain.end_length })
}

fn scaled_shape(shape: ColliderShape, by: f64) -> ColliderShape {
    match shape {
        ColliderShape::Sphere { center, radius } => ColliderShape::Sphere { center: center * by, radius: radius * by },
        ColliderShape::Capsule { a, b, radius } => ColliderShape::Capsule { a: a * by, b: b * by, radius: radius * by },
        ColliderShape::Plane { point, normal } => {
            ColliderShape::Plane { point: point * by, normal: normal.normalize_or(DVec3::Y) }
        }
        ColliderShape::InsideSphere { center, radius } => {
            ColliderShape::InsideSphere { center: center * by, radius: radius * by }
        }
        ColliderShape::InsideCapsule { a, b, radius } => {
            ColliderShape::InsideCapsule { a: a * by, b: b * by, radius: radius * by }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_grows_about_its_joint_in_all_its_lengths() {
        let (a, b, radius) = (DVec3::new(0.1, 0.2, 0.3), DVec3::X, 0.4);
        let grown = |shape| scaled_shape(shape, 2.0);
        let (twice_a, twice_b) = (DVec3::new(0.2, 0.4, 0.6), DVec3::X * 2.0);
        assert_eq!(
            grown(ColliderShape::Sphere { center: a, radius }),
            ColliderShape::Sphere { center: twice_a, radius: 0.8 }
        );
        assert_eq!(
            grown(ColliderShape::InsideSphere { center: a, radius }),
            ColliderShape::InsideSphere { center: twice_a, radius: 0.8 }
        );
        assert_eq!(
            grown(ColliderShape::Capsule { a, b, radius }),
            ColliderShape::Capsule { a: twice_a, b: twice_b, radius: 0.8 }
        );
        assert_eq!(
            grown(ColliderShape::InsideCapsule { a, b, radius }),
            ColliderShape::InsideCapsule { a: twice_a, b: twice_b, radius: 0.8 }
        );
        // A plane's normal says which way it faces, however long it was entered.
        let plane = grown(ColliderShape::Plane { point: a, normal: DVec3::Z * 5.0 });
        assert_eq!(plane, ColliderShape::Plane { point: twice_a, normal: DVec3::Z });
    }
}
