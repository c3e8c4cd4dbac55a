//! Settings made ready for stepping: bones parents first, with every value of its own.

use glam::{DVec3, Vec3};

use super::error::BuildError;
use super::settings::{Chain, Collider, JointOverride, Limit, Profile, Settings, Shape, Teleport, Wind};
use crate::anim::Skeleton;

/// Bones shorter than this (metres, life size) are carried rigidly: no direction can be told from rounding.
const SHORTEST: f64 = 1e-6;

/// Length of the longest step, seconds: a whole number of them fits a frame at 15, 20, 24, 30, 40, 48, 60, 80, 120 and 240 fps.
pub const STEP: f64 = 1.0 / 240.0;

/// Where a bone ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tip {
    /// At this joint.
    Joint(usize),
    /// At a made-up point this many metres along a unit direction of the joint's own space.
    Added(DVec3, f64),
}

/// One joint that turns, and the end it turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The joint.
    pub joint: usize,
    /// Its end.
    pub tip: Tip,
    /// The bone of the joint's parent; `None` for the first joint of a tree.
    pub parent: Option<usize>,
    /// Which of [`Rig::anchors`] carries the tree.
    pub tree: usize,
    /// Which chain of the settings it belongs to.
    pub chain: usize,
    /// Share of the speed lost per 1/60 s, 0…1.
    pub drag: f64,
    /// Pull towards the animated direction, m/s².
    pub stiffness: f64,
    /// Factor on gravity.
    pub gravity: f64,
    /// Radius around the tip, metres.
    pub radius: f64,
    /// How far it may turn.
    pub limit: Limit,
}

/// A skeleton's dynamic bones.
#[derive(Clone, Debug, PartialEq)]
pub struct Rig {
    /// Parents first.
    pub bones: Vec<Bone>,
    /// Per tree of bones: slot of the joint above its first joint in [`Rig::carriers`]; `None` for the world.
    pub anchors: Vec<Option<usize>>,
    /// Joints whose animated place matters, parents first: (joint, slot of its parent).
    pub carriers: Vec<(usize, Option<usize>)>,
    /// Colliders with the slot of their joint; lengths are world metres.
    pub colliders: Vec<(Option<usize>, Shape)>,
    /// Per chain, whether it meets each collider.
    pub meets: Vec<Vec<bool>>,
    /// Per chain, slot of the joint as seen from which inertia counts.
    pub centres: Vec<Option<usize>>,
    /// m/s².
    pub gravity: DVec3,
    /// Moving air, scaled.
    pub wind: Wind,
    /// Seconds.
    pub smoothing: f64,
    /// Whole bones collide.
    pub segment_contact: bool,
    /// Jumps.
    pub teleport: Teleport,
    /// Metres per unit of the file.
    pub metres_per_unit: f64,
    /// Into how many parts each step is cut so that |a|·h²/len stays at most ½ (a power of two, at most 64).
    pub parts: u32,
    /// The largest |a|·h²/len with that many parts.
    pub stability: f64,
}

impl Rig {
    /// Checks the settings against the skeleton and lays the bones out.
    pub fn new(skeleton: &Skeleton, settings: &Settings, metres_per_unit: f64) -> Result<Self, BuildError> {
        super::error::check(skeleton, settings, metres_per_unit)?;
        let chain_of = chain_of_joints(skeleton, settings)?;
        let mut rig = Self {
            bones: Vec::new(),
            anchors: Vec::new(),
            carriers: Vec::new(),
            colliders: Vec::new(),
            meets: Vec::new(),
            centres: Vec::new(),
            gravity: settings.gravity * settings.scale,
            wind: Wind { strength: settings.wind.strength * settings.scale, ..settings.wind },
            smoothing: settings.smoothing,
            segment_contact: settings.segment_contact,
            teleport: Teleport { speed: settings.teleport.speed * settings.scale, ..settings.teleport },
            metres_per_unit,
            parts: 1,
            stability: 0.0,
        };
        rig.lay_out_bones(skeleton, settings, &chain_of);
        rig.lay_out_carriers(skeleton, settings);
        rig.choose_parts(skeleton);
        Ok(rig)
    }

    fn lay_out_bones(&mut self, skeleton: &Skeleton, settings: &Settings, chain_of: &[Option<usize>]) {
        let below = included_below(skeleton, chain_of);
        let depth = depths(skeleton, settings, chain_of);
        let mut bone_of = vec![None; skeleton.len()];
        for joint in 0..skeleton.len() {
            let Some(chain) = chain_of[joint] else { continue };
            let Some(tip) = tip_of(skeleton, &settings.chains[chain], joint, &below) else { continue };
            let parent = skeleton.joints[joint].parent.and_then(|parent| bone_of[parent]);
            let tree = parent.map_or(self.anchors.len(), |parent: usize| self.bones[parent].tree);
            if parent.is_none() {
                self.anchors.push(None);
            }
            bone_of[joint] = Some(self.bones.len());
            self.bones.push(bone(settings, (chain, joint, depth[joint]), tip, (parent, tree)));
        }
    }

    /// Lists anchors, collider joints and all their ancestors, and resolves the slots.
    fn lay_out_carriers(&mut self, skeleton: &Skeleton, settings: &Settings) {
        let roots = self.bones.iter().filter(|bone| bone.parent.is_none());
        let above: Vec<Option<usize>> = roots.map(|bone| skeleton.joints[bone.joint].parent).collect();
        let wanted = above.iter().flatten().copied().chain(settings.colliders.iter().filter_map(|it| it.joint));
        let wanted = wanted.chain(settings.chains.iter().filter_map(|chain| chain.centre));
        let mut needed = vec![false; skeleton.len()];
        wanted.flat_map(|joint| skeleton.ancestors(joint)).for_each(|joint| needed[joint] = true);
        let mut slot = vec![None; skeleton.len()];
        for joint in (0..skeleton.len()).filter(|&joint| needed[joint]) {
            slot[joint] = Some(self.carriers.len());
            self.carriers.push((joint, skeleton.joints[joint].parent.and_then(|parent| slot[parent])));
        }
        self.anchors = above.into_iter().map(|joint| joint.and_then(|joint| slot[joint])).collect();
        let scaled = |it: &Collider| (it.joint.and_then(|joint| slot[joint]), scaled(it.shape, settings.scale));
        self.colliders = settings.colliders.iter().map(scaled).collect();
        let meets = |chain: &Chain| (0..settings.colliders.len()).map(|it| !chain.spared.contains(&it)).collect();
        self.meets = settings.chains.iter().map(meets).collect();
        let centre = |chain: &Chain| chain.centre.and_then(|joint| slot[joint]);
        self.centres = settings.chains.iter().map(centre).collect();
    }

    fn choose_parts(&mut self, skeleton: &Skeleton) {
        let rest = crate::anim::Pose::rest(skeleton);
        let wind = self.wind.strength.abs() * (1.0 + self.wind.gust + 2.0 * self.wind.turbulence);
        let worst = self.bones.iter().map(|bone| {
            let len = self.rest_length(&rest, skeleton, bone);
            let pull = self.gravity.length() * bone.gravity.abs() + wind + bone.stiffness;
            if len > SHORTEST { pull * STEP * STEP / len } else { 0.0 }
        });
        let worst = worst.fold(0.0, f64::max);
        while self.parts < 64 && worst / f64::from(self.parts * self.parts) > 0.5 {
            self.parts *= 2;
        }
        self.stability = worst / f64::from(self.parts * self.parts);
    }

    fn rest_length(&self, rest: &crate::anim::Pose, skeleton: &Skeleton, bone: &Bone) -> f64 {
        let at = |joint| rest.world_from_joint(skeleton, joint).translation * self.metres_per_unit;
        match bone.tip {
            Tip::Joint(tip) => at(tip).distance(at(bone.joint)),
            Tip::Added(_, len) => len,
        }
    }

    /// Whether a bone of this length (metres) is too short to have a direction.
    pub fn is_rigid(&self, len: f64) -> bool {
        len <= SHORTEST * self.metres_per_unit.min(1.0)
    }
}

fn bone(
    settings: &Settings,
    (chain, joint, depth): (usize, usize, f64),
    tip: Tip,
    (parent, tree): (Option<usize>, usize),
) -> Bone {
    let own = &settings.chains[chain];
    let special = own.overrides.iter().find(|it| it.joint == joint);
    let value = |profile: &Profile, pick: fn(&JointOverride) -> Option<f64>| {
        special.and_then(pick).unwrap_or_else(|| profile.at(depth))
    };
    let tip = match tip {
        Tip::Added(direction, len) => Tip::Added(direction, len * settings.scale),
        joint => joint,
    };
    Bone {
        joint,
        tip,
        parent,
        tree,
        chain,
        drag: value(&own.drag, |it| it.drag).clamp(0.0, 1.0),
        stiffness: value(&own.stiffness, |it| it.stiffness).max(0.0) * settings.scale,
        gravity: value(&own.gravity, |it| it.gravity),
        radius: value(&own.radius, |it| it.radius).max(0.0) * settings.scale,
        limit: special.and_then(|it| it.limit).unwrap_or(own.limit),
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

/// Per joint, how many turning joints lie on the longest way down from it, itself included.
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

/// The end that turns `joint`: the child with the longest way down; the others are carried rigidly.
fn tip_of(skeleton: &Skeleton, chain: &Chain, joint: usize, below: &[usize]) -> Option<Tip> {
    let apart = |child: &usize| skeleton.joints[*child].rest.translation.length() > 0.0;
    let children = || skeleton.children(joint);
    // `max_by_key` keeps the last of equals; the first child is what a user expects.
    let longest = |it: &mut dyn Iterator<Item = usize>| {
        it.fold(None, |best: Option<usize>, child| match best {
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
    Some(Tip::Added(ahead.as_dvec3(), chain.end_length))
}

fn scaled(shape: Shape, by: f64) -> Shape {
    match shape {
        Shape::Sphere { center, radius } => Shape::Sphere { center: center * by, radius: radius * by },
        Shape::Capsule { a, b, radius } => Shape::Capsule { a: a * by, b: b * by, radius: radius * by },
        Shape::Plane { point, normal } => Shape::Plane { point: point * by, normal: normal.normalize_or(DVec3::Y) },
        Shape::InsideSphere { center, radius } => Shape::InsideSphere { center: center * by, radius: radius * by },
        Shape::InsideCapsule { a, b, radius } => Shape::InsideCapsule { a: a * by, b: b * by, radius: radius * by },
    }
}
