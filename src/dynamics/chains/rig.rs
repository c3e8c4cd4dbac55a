//! A rig for stepping: bones with resolved values, parents before children.

use glam::{DVec3, Vec3};

use super::bone::{Bone, Tip};
use super::bone_group::BoneGroup;
use crate::error::{BuildError, check};
use crate::settings::{AngleLimit, Chain, Collider, ColliderShape, Settings, Teleport, Wind};
use portamento_anim::{Pose, Skeleton};

/// Length below which bones are carried rigidly, metres at life size: shorter bones have no direction beyond rounding.
const MIN_BONE_LENGTH_M: f64 = 1e-6;

/// Length of the longest step, seconds. A frame at 15, 20, 24, 30, 40, 48, 60, 80, 120 or 240 fps is a whole number of
/// steps.
pub const STEP: f64 = 1.0 / 240.0;

/// Maximum number of substeps per step. No derivation recorded.
const MAX_SUBSTEPS: u32 = 64;

/// A joint that follows the animation and has simulated bones or colliders attached.
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
    /// Index of the carrying joint in [`DynamicsRig::kinematic`]; `None` for the world.
    pub carrier: Option<usize>,
    /// Shape in the carrier's axes.
    pub shape: ColliderShape,
}

/// Dynamic bones of a skeleton: all data that is constant between steps.
#[derive(Clone, Debug, PartialEq)]
pub struct DynamicsRig {
    /// The simulated bones, parents first.
    pub bones: Vec<Bone>,
    /// Per tree of bones, the index of the parent of its first joint in [`DynamicsRig::kinematic`]; `None` for the world.
    pub anchors: Vec<Option<usize>>,
    /// Animated joints that chains hang on or that carry colliders, with all their ancestors, parents first.
    pub kinematic: Vec<KinematicJoint>,
    /// Colliders, in the order of the settings.
    pub colliders: Vec<RigCollider>,
    /// Per chain and collider, true if they collide.
    pub collides: Vec<Vec<bool>>,
    /// Per chain, the index in [`DynamicsRig::kinematic`] of the joint relative to which inertia counts.
    pub centers: Vec<Option<usize>>,
    /// Acceleration by gravity, scaled to the character's size, m/s².
    pub gravity: DVec3,
    /// Moving air, scaled to the character's size.
    pub wind: Wind,
    /// Share of a step's rotation that shown joints make, above 0, at most 1.
    pub slerp_buffer: f64,
    /// Time constant of the smoothing, seconds.
    pub smoothing: f64,
    /// True if bones collide over their full length and not only at their tips.
    pub segment_contact: bool,
    /// Thresholds of a jump, scaled to the character's size.
    pub teleport: Teleport,
    /// Metres per unit of the file.
    pub metres_per_unit: f64,
    /// Substeps per step (a power of two, at most 64), chosen so that |a|·h²/length stays at most ½.
    pub substeps: u32,
    /// Largest |a|·h²/length with that many substeps.
    pub stability: f64,
    /// Bones that are stepped in parallel lanes.
    pub(crate) groups: Vec<BoneGroup>,
}

impl DynamicsRig {
    /// Checks the settings against the skeleton and creates the rig.
    ///
    /// Returns `Err` if the settings are invalid, as [`crate::build`].
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
        rig.build_bones(skeleton, settings, &chain_of);
        rig.groups = BoneGroup::all(rig.bones.iter().map(|bone| bone.parent));
        rig.build_kinematic_joints(skeleton, settings);
        rig.choose_substeps(skeleton);
        Ok(rig)
    }

    /// Adds a bone for every joint of a chain that has an end, and an anchor for every bone without a parent. The anchors stay
    /// `None` here.
    fn build_bones(&mut self, skeleton: &Skeleton, settings: &Settings, chain_of: &[Option<usize>]) {
        let subtree_depth = subtree_depths(skeleton, chain_of);
        let depth = depths(skeleton, settings, chain_of);
        let mut bone_of = vec![None; skeleton.len()];
        for joint in 0..skeleton.len() {
            let Some(chain) = chain_of[joint] else { continue };
            let settings_of_chain = &settings.chains[chain];
            let Some(tip) = tip_of(skeleton, settings_of_chain, joint, &subtree_depth) else { continue };
            let parent = skeleton.joints[joint].parent.and_then(|parent| bone_of[parent]);
            let tree = parent.map_or(self.anchors.len(), |parent: usize| self.bones[parent].tree);
            // Set once the kinematic joints are numbered.
            if parent.is_none() {
                self.anchors.push(None);
            }
            bone_of[joint] = Some(self.bones.len());
            let tip = scaled_tip(tip, settings.scale);
            let (depth, limit) = (depth[joint], AngleLimit::Free);
            let [drag, stiffness, gravity, radius] = [0.0; 4];
            let length_correction = settings_of_chain.length_correction;
            let mut bone = Bone {
                joint,
                tip,
                parent,
                tree,
                chain,
                depth,
                drag,
                stiffness,
                gravity,
                radius,
                limit,
                length_correction,
            };
            bone.take_values(settings);
            self.bones.push(bone);
        }
    }

    /// Sets the numbers that may change from step to step. The lists of bones and colliders and the period of the wind
    /// stay.
    pub(crate) fn take_values(&mut self, settings: &Settings) {
        let scale = settings.scale;
        self.gravity = settings.gravity * scale;
        let (strength, period) = (settings.wind.strength * scale, self.wind.period);
        self.wind = Wind { strength, period, ..settings.wind };
        (self.slerp_buffer, self.smoothing) = (settings.slerp_buffer, settings.smoothing);
        self.bones.iter_mut().for_each(|bone| bone.take_values(settings));
    }

    /// Lists anchors, center joints, joints of colliders and all their ancestors, and resolves the indices into that list.
    /// Also sets the colliders and which chains they act on.
    fn build_kinematic_joints(&mut self, skeleton: &Skeleton, settings: &Settings) {
        let roots = self.bones.iter().filter(|bone| bone.parent.is_none());
        let anchor_joints: Vec<Option<usize>> = roots.map(|bone| skeleton.joints[bone.joint].parent).collect();
        let carriers = settings.colliders.iter().filter_map(|collider| collider.joint);
        let centers = settings.chains.iter().filter_map(|chain| chain.center);
        let mut needed = vec![false; skeleton.len()];
        // World transforms are computed parents first, without the rest of the skeleton.
        let wanted = anchor_joints.iter().flatten().copied().chain(carriers).chain(centers);
        wanted.flat_map(|joint| skeleton.ancestors(joint)).for_each(|joint| needed[joint] = true);
        let mut index_of = vec![None; skeleton.len()];
        for joint in (0..skeleton.len()).filter(|&joint| needed[joint]) {
            index_of[joint] = Some(self.kinematic.len());
            let parent = skeleton.joints[joint].parent.and_then(|parent| index_of[parent]);
            self.kinematic.push(KinematicJoint { joint, parent });
        }
        let found = |joint: Option<usize>| joint.and_then(|joint| index_of[joint]);
        self.anchors = anchor_joints.into_iter().map(found).collect();
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

    /// Sets the number of substeps for the bone lengths of the rest pose.
    fn choose_substeps(&mut self, skeleton: &Skeleton) {
        let lengths = self.rest_lengths(skeleton);
        self.set_substeps(self.pull_per_length(&lengths));
    }

    /// Returns the largest |a|·[`STEP`]²/length of bones that are `lengths` metres long.
    pub(crate) fn pull_per_length(&self, lengths: &[f64]) -> f64 {
        // Gusts add up to `gust`, turbulence up to √3 times its value over three axes.
        let wind = self.wind.strength.abs() * (1.0 + self.wind.gust + 2.0 * self.wind.turbulence);
        let worst = self.bones.iter().zip(lengths).map(|(bone, &length)| {
            let pull = self.gravity.length() * bone.gravity.abs() + wind + bone.stiffness;
            if length > MIN_BONE_LENGTH_M { pull * STEP * STEP / length } else { 0.0 }
        });
        worst.fold(0.0, f64::max)
    }

    /// Sets the number of substeps for `worst`, the largest |a|·[`STEP`]²/length. Also sets [`Self::stability`].
    pub(crate) fn set_substeps(&mut self, worst: f64) {
        self.substeps = 1;
        // Halving the step quarters a·h², hence the square; powers of two keep substeps on the frames.
        while self.substeps < MAX_SUBSTEPS && worst / f64::from(self.substeps * self.substeps) > 0.5 {
            self.substeps *= 2;
        }
        self.stability = worst / f64::from(self.substeps * self.substeps);
    }

    /// Returns the length of every bone in the rest pose, metres.
    pub(crate) fn rest_lengths(&self, skeleton: &Skeleton) -> Vec<f64> {
        let rest = Pose::rest(skeleton);
        self.bones.iter().map(|bone| self.rest_length(&rest, skeleton, bone)).collect()
    }

    /// Returns the length of `bone` in the pose `rest`, metres.
    fn rest_length(&self, rest: &Pose, skeleton: &Skeleton, bone: &Bone) -> f64 {
        let at = |joint| rest.world_from_joint(skeleton, joint).translation * self.metres_per_unit;
        match bone.tip {
            Tip::Joint(tip) => at(tip).distance(at(bone.joint)),
            Tip::Added { length, .. } => length,
        }
    }

    /// True if a bone of this length (metres) is too short to have a direction.
    pub(super) fn is_rigid(&self, length: f64) -> bool {
        length <= self.min_bone_length()
    }

    /// Returns the length in metres up to which bones are too short to have a direction.
    pub(crate) fn min_bone_length(&self) -> f64 {
        MIN_BONE_LENGTH_M * self.metres_per_unit.min(1.0)
    }
}

/// Returns `tip` with the length of an added end multiplied by `scale`.
fn scaled_tip(tip: Tip, scale: f64) -> Tip {
    match tip {
        Tip::Added { direction, length } => Tip::Added { direction, length: length * scale },
        joint => joint,
    }
}

/// Returns the index of each joint's chain: that of the nearest chain start among the joint and its ancestors, unless
/// excluded. A joint outside of chains has `None`. Returns `Err` if two chains start at one joint.
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

/// Returns, per joint, the number of simulated joints on the longest path down from it, including itself.
fn subtree_depths(skeleton: &Skeleton, chain_of: &[Option<usize>]) -> Vec<usize> {
    let mut subtree_depth = vec![0; skeleton.len()];
    for joint in (0..skeleton.len()).rev().filter(|&joint| chain_of[joint].is_some()) {
        subtree_depth[joint] += 1;
        if let Some(parent) = skeleton.joints[joint].parent {
            subtree_depth[parent] = subtree_depth[parent].max(subtree_depth[joint]);
        }
    }
    subtree_depth
}

/// Returns, per joint, its depth 0…1 in its chain, counted in joints; 0 outside of chains.
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

/// Returns the end of the bone of `joint`: the child with the deepest subtree. Other children are carried rigidly. Without
/// children it is an added end of the chain's `end_length`, or `None` if that is 0.
fn tip_of(skeleton: &Skeleton, chain: &Chain, joint: usize, subtree_depth: &[usize]) -> Option<Tip> {
    let has_length = |child: &usize| skeleton.joints[*child].rest.translation.length() > 0.0;
    let children = || skeleton.children(joint);
    // `max_by_key` would return the last of equals; users expect the first child.
    let longest = |children: &mut dyn Iterator<Item = usize>| {
        children.fold(None, |best: Option<usize>, child| match best {
            Some(old) if subtree_depth[old] >= subtree_depth[child] => Some(old),
            _ => Some(child),
        })
    };
    let child = longest(&mut children().filter(has_length)).or_else(|| longest(&mut children()));
    if child.is_some() || chain.end_length <= 0.0 {
        return child.map(Tip::Joint);
    }
    let rest = skeleton.joints[joint].rest;
    let ahead = (rest.rotation.inverse() * rest.translation).try_normalize().unwrap_or(Vec3::Y);
    Some(Tip::Added { direction: ahead.as_dvec3(), length: chain.end_length })
}

/// Returns `shape` with its points and radii multiplied by `by`. The normal of a plane becomes a unit vector.
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
