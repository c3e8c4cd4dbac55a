//! Layered skeletal blending: a character casts while it runs, stops in mid-cast and runs on, without a jump.
//!
//! A tree of nodes, each with a weight W and a weight per joint BW, gives every joint
//! M(j) = Σ W(i)·BW(i)(j)·M(i)(j) / Σ W(i)·BW(i)(j) over the children that have a track for it. Trees are drawn freely
//! ([`Tree`]) or are the standard one driven by events ([`Scenario`]). Both are compiled: a tree to steps over layers of joints
//! (`compiled_tree`), a scenario to a timeline of blend stacks (`timeline`). How means of rotations are made is told in `mix`,
//! how blocks of eight joints are computed in `kernel`, what an interrupted transition becomes in `inertialization`.
//!
//! In a scenario at most two sides meet at a time, so rotations go along one arc: the shortest at the instant the transition
//! begins, whose side is then kept through it (`arc_track`), so that it does not flip where the two sides drift past half a turn
//! from each other.
//!
//! A joint that no active source has takes the rest pose. It is reached continuously: once less than a thousandth of the largest
//! weight at a node reaches the joint, the rest pose fills in. A clip with any curve for a joint has the whole joint; its missing curves
//! mean the rest pose, as glTF has it.
//!
//! Sources: per-joint blend masks and partial blending as in ozz-animation's blending job; layered blend per bone, blend stacks,
//! sync markers and root motion as in Unreal Engine; slerp by K. Shoemake, "Animating Rotation with Quaternion Curves" (SIGGRAPH
//! 1985); inertialisation by D. Bollo (GDC 2018).
//!
//! A looped clip of a scenario that is not a cycle jumps at its seam, which is smoothed (`seam`).
//!
//! Limits: a scenario has one run, one stand and one skill side at a time; arcs are followed for 60 s of a transition; trees are
//! at most 256 levels deep.

mod error;
mod input;
mod scenario;
mod blend_space;
mod triangulation;
mod tree;
mod state;
mod node_name;
mod tree_state;
mod tree_edit;
mod clip_names;
mod soa_transform;
mod irregular_curve;
mod soa_clip;
mod clock;
pub(crate) mod sync_markers;
mod transitions;
mod mix;
mod layer;
mod layered;
mod seam;
mod clip_bank;
mod kernel;
mod arc_track;
mod inertialization;
mod in_play;
mod fast_fade;
mod hurried_turn;
mod timeline;
mod shares;
mod timeline_compile;
mod space_map;
mod weight_track;
mod parameter_track;
mod space_step;
mod source_step;
mod driven_blend;
mod additive_step;
mod compiled_tree;
mod tree_compile;
mod played;
mod playable;
mod weights;
mod pop_meter;
mod tree_pops;
mod root_motion;
mod posed_root;
mod pose_search;

use serde::{Deserialize, Serialize};

pub use blend_space::{Axes, BlendSpace, Drive, ParameterKey, SpaceSample, SpeedDrive};
pub use clip_bank::Scratch;
pub use compiled_tree::Wire;
pub use error::BuildError;
pub use fast_fade::FastFade;
pub use hurried_turn::HurriedTurn;
pub use inertialization::FastInterruption;
pub use input::{ClipTravel, Input};
pub use layered::{BlendTime, LayerInput, LayerMode, LayerSettings, Layered, layer as lay_over_motion};
pub use node_name::node_name;
pub use played::RootMotionOwner;
pub use pop_meter::FrameStep;
pub use pose_search::{Entry, PoseSearch};
pub use posed_root::travels;
pub use root_motion::{RootPose, RootTrajectory};
pub use scenario::{Action, Event, Interrupt, Scenario};
pub use state::{State, StateEvent, StatePlace, StateWeight};
pub use tree::{Additive, Link, Node, NodeKind, Reference, Source, Tree};
pub use tree_edit::Extract;
pub use tree_state::{put_weight, weight_in};
pub use weights::{Share, Weights};

use crate::anim::{Clip, Curve, Interpolation, JointTracks, Pose, Skeleton};
use crate::message::message;
use crate::progress::Progress;
use clip_bank::ClipBank;
use compiled_tree::{CompiledTree, RuleDifference};
use timeline::CompiledTimeline;

/// What to play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settings {
    /// The standard tree, driven by events.
    Scenario(Scenario),
    /// A tree drawn by the user.
    Tree(Tree),
}

impl Default for Settings {
    fn default() -> Self {
        Self::Scenario(Scenario::default())
    }
}

impl Settings {
    /// The standard tree where nothing else is played: a tree of which it is the result is the same blend.
    pub fn as_standard(&self) -> Option<&Scenario> {
        match self {
            Self::Scenario(scenario) => Some(scenario),
            Self::Tree(tree) => match &tree.nodes.get(tree.root)?.kind {
                NodeKind::Standard(scenario) => Some(scenario),
                _ => None,
            },
        }
    }

    /// The standard tree whose events are edited: the only one, or the first of a drawn tree.
    pub fn standard(&self) -> Option<&Scenario> {
        match self {
            Self::Scenario(scenario) => Some(scenario),
            Self::Tree(tree) => tree.nodes.iter().find_map(|node| match &node.kind {
                NodeKind::Standard(scenario) => Some(&**scenario),
                _ => None,
            }),
        }
    }

    /// The tree that the user drew; `None` for the standard one.
    pub fn tree(&self) -> Option<&Tree> {
        if let Self::Tree(tree) = self { Some(tree) } else { None }
    }

    /// The tree that the user drew, to edit.
    pub fn tree_mut(&mut self) -> Option<&mut Tree> {
        if let Self::Tree(tree) = self { Some(tree) } else { None }
    }

    /// Everything that happens: the events of the standard tree, then those of a drawn one, in order of time.
    pub fn events(&self) -> Vec<Event> {
        let mut events = self.standard().map(|scenario| scenario.events.clone()).unwrap_or_default();
        if let Self::Tree(tree) = self {
            events.extend(tree.resolved_events());
        }
        events.sort_by(|a, b| a.time.total_cmp(&b.time));
        events
    }

    /// [`Settings::standard`], to edit.
    pub fn standard_mut(&mut self) -> Option<&mut Scenario> {
        match self {
            Self::Scenario(scenario) => Some(scenario),
            Self::Tree(tree) => tree.nodes.iter_mut().find_map(|node| match &mut node.kind {
                NodeKind::Standard(scenario) => Some(&mut **scenario),
                _ => None,
            }),
        }
    }
}

/// A blend ready to play.
#[derive(Clone, Debug)]
pub struct Built {
    settings: Settings,
    bank: ClipBank,
    plan: Plan,
}

#[derive(Clone, Debug)]
enum Plan {
    Timeline {
        timeline: CompiledTimeline,
        /// The same events without transitions, to be compared with.
        hard_cut: CompiledTimeline,
    },
    Tree {
        tree: CompiledTree,
        /// The same without transitions, to be compared with; `None` where nothing happens.
        hard_cut: Option<CompiledTree>,
        /// The names of its nodes.
        names: Vec<String>,
    },
}

/// Checks `settings` and makes them playable.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    progress.step(0, 1)?;
    input.clips.iter().try_for_each(|clip| check_clip(clip, input.skeleton))?;
    let mut bank = ClipBank::new(input.skeleton);
    let plan = match (settings.as_standard(), settings) {
        (Some(scenario), _) | (None, Settings::Scenario(scenario)) => {
            let timeline = timeline_compile::compile(scenario, input, &mut bank)?;
            let hard_cut = timeline_compile::compile(&scenario.hard_cut(), input, &mut bank)?;
            Plan::Timeline { timeline, hard_cut }
        }
        (None, Settings::Tree(tree)) => {
            let names = tree.nodes.iter().map(|node| node.name.clone()).collect();
            let hard_cut = tree.hard_cut().map(|cut| tree_compile::compile(&cut, input, &mut bank)).transpose()?;
            Plan::Tree { tree: tree_compile::compile(tree, input, &mut bank)?, hard_cut, names }
        }
    };
    progress.step(1, 1)?;
    Ok(Built { settings: settings.clone(), bank, plan })
}

/// Refuses a clip of another skeleton and one with broken numbers.
pub fn check_clip(clip: &Clip, skeleton: &Skeleton) -> Result<(), BuildError> {
    let refuse = |reason| Err(BuildError::BadClip { clip: clip.name.clone(), reason });
    if clip.tracks.len() != skeleton.len() {
        return refuse(message!("reason.other_skeleton", "it was made for a skeleton with another number of joints"));
    }
    if !clip.duration.is_finite() || clip.duration < 0.0 {
        return refuse(message!("reason.length", "its length is not a number of seconds"));
    }
    let is_sound = |tracks: &JointTracks| {
        is_complete(&tracks.translation, |value| value.is_finite())
            && is_complete(&tracks.rotation, |value| value.is_finite())
            && is_complete(&tracks.scale, |value| value.is_finite())
            && tracks.morphs.as_ref().is_none_or(|curve| curve.values.iter().all(|value| value.is_finite()))
    };
    if clip.tracks.iter().all(is_sound) {
        Ok(())
    } else {
        refuse(message!("reason.broken_curve", "a curve lacks values or holds numbers that are not finite"))
    }
}

/// Whether a curve has all its values and can be sampled without producing undefined numbers.
fn is_complete<T: Copy>(curve: &Option<Curve<T>>, is_finite: impl Fn(T) -> bool) -> bool {
    curve.as_ref().is_none_or(|curve| {
        let per_key = if curve.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        curve.values.len() == curve.times.len() * per_key && curve.values.iter().all(|&value| is_finite(value))
    })
}

impl Built {
    /// What it was built from.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The clip of that name, if it plays in it.
    pub fn clip(&self, name: &str) -> Option<&Clip> {
        self.bank.clips.iter().find(|clip| clip.name == name)
    }

    /// The pose at `time` (seconds); a function of the time alone. Allocates nothing once `scratch` and `pose` have their size.
    pub fn sample(&self, time: f64, scratch: &mut Scratch, pose: &mut Pose) {
        let time = if time.is_finite() { time } else { 0.0 };
        match &self.plan {
            Plan::Timeline { timeline, .. } => timeline.sample(&self.bank, time, scratch, pose),
            Plan::Tree { tree, .. } => tree.sample(&self.bank, time, scratch, pose),
        }
    }
}

/// A joint whose sides are so far apart that the rules for the mean of three or more rotations differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// When they are furthest apart, seconds.
    pub time: f64,
    /// The blend node.
    pub node: String,
    /// The joint's name.
    pub joint: String,
    /// Radians between the rest-aligned mean, which is used, and the mean of the shortest arcs.
    pub angle: f64,
}

impl Built {
    /// Where the mean of three or more sides at `time` (seconds) depends on the rule by more than a degree. A scenario never
    /// mixes more than two at a time and has none.
    pub fn disagreements(&self, time: f64) -> Vec<Disagreement> {
        let Plan::Tree { tree, names, .. } = &self.plan else { return Vec::new() };
        let found = tree.disagreements(&self.bank, time, 1.0_f64.to_radians());
        let named = found.into_iter().map(|RuleDifference { node, joint, angle }| Disagreement {
            time,
            node: names[node].clone(),
            joint: self.bank.skeleton.joints[joint].name.clone(),
            angle,
        });
        named.collect()
    }
}

impl Built {
    /// The interruptions of a scenario in which a joint was too fast for its speed to be carried on for the usual time, the
    /// fastest joint of each. They occur only under [`Interrupt::Inertial`].
    pub fn fast_interruptions(&self) -> Vec<FastInterruption> {
        let Plan::Timeline { timeline, .. } = &self.plan else { return Vec::new() };
        let inertializations = timeline.instances.iter().filter_map(|instance| instance.inertialization.as_ref());
        inertializations.filter_map(|inertialization| inertialization.fastest(&self.bank.skeleton)).collect()
    }
}

/// A clip that a scenario loops though its end does not meet its beginning; the seam is smoothed.
#[derive(Clone, Debug, PartialEq)]
pub struct SeamGap {
    /// The clip's name.
    pub clip: String,
    /// The name of the joint with the widest gap.
    pub joint: String,
    /// Radians between the joint's last and first rotation.
    pub angle: f64,
}

impl Built {
    /// The clips of a scenario that are looped without being cycles, each once.
    pub fn open_seams(&self) -> Vec<SeamGap> {
        let Plan::Timeline { timeline, .. } = &self.plan else { return Vec::new() };
        let looped =
            |&clip: &usize| timeline.instances.iter().any(|instance| instance.looping && instance.clip == clip);
        let gap = |clip: usize| {
            let seam = self.bank.seam(clip)?;
            let joint = self.bank.skeleton.joints[seam.joint].name.clone();
            Some(SeamGap { clip: self.bank.clips[clip].name.clone(), joint, angle: seam.gap })
        };
        (0..self.bank.clips.len()).filter(looped).filter_map(gap).collect()
    }
}

impl Input<'_> {
    /// The usable foot-down times of a clip.
    fn markers_of(&self, clip: &str, duration: f64) -> Option<&[f64]> {
        let (_, markers) = self.markers.iter().find(|(name, _)| *name == clip)?;
        let inside = markers.iter().all(|&marker| marker >= 0.0 && marker < duration);
        let rising = markers.windows(2).all(|pair| pair[0] < pair[1]);
        (!markers.is_empty() && inside && rising).then_some(*markers)
    }
}

#[cfg(test)]
mod tests;
