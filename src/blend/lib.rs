//! Layered skeletal blending. Example: a character casts a skill while it runs, stops in mid-cast and runs on, without a pop.
//!
//! ```
//! use glam::{Quat, Vec3};
//! use portamento_anim::math::Transform;
//! use portamento_anim::math::mean::angle_between;
//! use portamento_anim::{Clip, Curve, Joint, JointTracks, Pose, Roles, Skeleton};
//! use portamento_base::progress::Progress;
//! use portamento_blend::{Input, Link, NodeKind, Scratch, Settings, Source, Tree, build};
//!
//! // A walk, and a limp that bends the knee by 0.8 rad.
//! let joint = |name: &str, parent: Option<usize>, at: Vec3| Joint {
//!     name: name.into(),
//!     parent,
//!     rest: Transform::from_translation(at),
//!     node: 0,
//!     first_morph: 0,
//!     morph_count: 0,
//! };
//! let joints = vec![joint("hips", None, Vec3::Y), joint("knee", Some(0), Vec3::NEG_Y * 0.5)];
//! let skeleton = Skeleton { joints, rest_morphs: Vec::new() };
//! let clip = |name: &str, bend: f32| {
//!     let mut tracks = vec![JointTracks::default(); 2];
//!     tracks[1].rotation = Some(Curve::linear(vec![0.0, 1.0], vec![Quat::from_rotation_x(bend); 2]));
//!     Clip { name: name.into(), duration: 1.0, tracks }
//! };
//! let [walk, limp] = [clip("walk", 0.0), clip("limp", 0.8)];
//! let clips = [&walk, &limp];
//! let input = Input { skeleton: &skeleton, clips: &clips, roles: &Roles::default(), markers: &[], travels: &[] };
//!
//! // The weights follow the health that the character has now.
//! let health = 0.75;
//! let mut tree = Tree::default();
//! let source = |clip: &str| NodeKind::Source(Source { clip: clip.into(), ..Source::default() });
//! let links = [("walk", health), ("limp", 1.0 - health)]
//!     .map(|(clip, weight)| Link { child: tree.add(clip, source(clip)), weight, ..Link::default() });
//! tree.root = tree.add("gait", NodeKind::Blend(links.to_vec()));
//! let gait = build(&input, &Settings::Tree(tree), &Progress::new())?;
//!
//! // Each frame samples into the same buffers, without an allocation.
//! let (mut scratch, mut pose) = (Scratch::default(), Pose::default());
//! for frame in 0..120 {
//!     gait.sample(f64::from(frame) / 60.0, &mut scratch, &mut pose);
//!     let expected = Quat::from_rotation_x(0.25 * 0.8);
//!     assert!(angle_between(pose.locals[1].rotation, expected) < 1e-3);
//! }
//! # Ok::<(), portamento_blend::BuildError>(())
//! ```
//!
//! A blend tree consists of nodes. Each child `i` of a node has a weight `W` and per-joint weights `BW`. The node's pose of joint
//! `j` is the weighted mean over the children that have a track for `j`:
//!
//! ```text
//! M(j) = Σ W(i)·BW(i)(j)·M(i)(j) / Σ W(i)·BW(i)(j)
//! ```
//!
//! A tree is either drawn freely ([`Tree`]) or the standard tree driven by events ([`Scenario`]). Both are compiled before they
//! play: a drawn tree to steps over pose layers (`compiled_tree`), a scenario to a timeline of blend stacks (`timeline`). `mix`
//! defines the mean of rotations, `kernel` computes blocks of eight joints, and `inertialization` handles interrupted
//! transitions.
//!
//! A scenario mixes at most two sides at a time, so each rotation follows one arc. The shortest arc is chosen when the transition
//! begins, and its side is kept until the end (`arc_track`). The rotation therefore does not flip when the two sides drift more
//! than half a turn apart.
//!
//! A joint without an active source takes the rest pose. The rest pose fades in continuously: it starts to fill in when less than
//! a thousandth of the node's largest weight reaches the joint. A clip with at least one curve for a joint controls all channels
//! of that joint. Its missing curves mean the rest pose, as in glTF.
//!
//! Sources: per-joint blend masks and partial blending as in ozz-animation's blending job; layered blend per bone, blend stacks,
//! sync markers and root motion as in Unreal Engine; slerp by K. Shoemake, "Animating Rotation with Quaternion Curves" (SIGGRAPH
//! 1985); inertialisation by D. Bollo (GDC 2018).
//!
//! The seam of a looped scenario clip that is not a cycle is smoothed (`seam`).
//!
//! Limits: a scenario has one run, one stand and one skill side at a time. Arcs are tracked for the first 60 s of a transition.
//! Trees are at most 256 levels deep.

mod error;
mod input;
mod standard;
mod space;
mod trees;
mod clip_names;
mod clips;
mod fades;
mod layered;
mod figures;
mod steps;
mod root;
mod validated;

use serde::{Deserialize, Serialize};

pub use clips::clip_bank::Scratch;
pub use clips::pose_search::{Entry, PoseSearch};
pub use clips::sync_markers;
pub use error::BuildError;
pub use fades::fast_fade::FastFade;
pub use fades::fast_turn::FastTurn;
pub use fades::inertialization::FastInterruption;
pub use figures::pop_meter::FrameStep;
pub use figures::weights::{Share, Weights};
pub use input::{ClipTravel, Input};
pub use layered::{BlendTime, LayerInput, LayerMode, LayerSettings, Layered, layer as layer_over_motion};
pub use root::contributions::RootMotionOwner;
pub use root::posed_root::travels;
pub use root::root_motion::{RootPose, RootTrajectory};
pub use space::blend_space::{Axes, BlendSpace, Drive, ParameterKey, SpaceSample, SpeedDrive};
pub use standard::scenario::{Action, Event, Interrupt, Scenario, TimedEvent};
pub use steps::compiled_tree::Wire;
pub use trees::node_name::node_name;
pub use trees::state::{State, StateEvent, StatePosition, StateWeight};
pub use trees::tree::{Additive, Link, Node, NodeKind, Reference, Source, Tree};
pub use trees::tree_edit::Extract;
pub use trees::tree_state::{set_weight, weight_in};

use clips::clip_bank::ClipBank;
use portamento_anim::mirrored_scale::with_equal_signs;
use portamento_anim::{Clip, Curve, Interpolation, JointTracks, Pose, Roles, Skeleton};
use portamento_base::message::message;
use portamento_base::progress::Progress;
use standard::timeline::CompiledTimeline;
use steps::compiled_tree::{CompiledTree, RuleDifference};

/// The blend to play: the standard tree or a drawn tree.
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
    /// Returns the scenario if the result is the standard tree alone, either directly or as the root node of a drawn
    /// tree. `None` otherwise.
    pub fn as_standard(&self) -> Option<&Scenario> {
        match self {
            Self::Scenario(scenario) => Some(scenario),
            Self::Tree(tree) => match &tree.nodes.get(tree.root)?.kind {
                NodeKind::Standard(scenario) => Some(scenario),
                _ => None,
            },
        }
    }

    /// Returns the scenario whose events are edited: the only one, or the first standard node of a drawn tree. Returns
    /// `None` if a drawn tree has none.
    pub fn standard(&self) -> Option<&Scenario> {
        match self {
            Self::Scenario(scenario) => Some(scenario),
            Self::Tree(tree) => tree.nodes.iter().find_map(|node| match &node.kind {
                NodeKind::Standard(scenario) => Some(&**scenario),
                _ => None,
            }),
        }
    }

    /// Returns the drawn tree, or `None` for a scenario.
    pub fn tree(&self) -> Option<&Tree> {
        if let Self::Tree(tree) = self { Some(tree) } else { None }
    }

    /// Returns the drawn tree for editing, or `None` for a scenario.
    pub fn tree_mut(&mut self) -> Option<&mut Tree> {
        if let Self::Tree(tree) = self { Some(tree) } else { None }
    }

    /// Returns all events, sorted by time: those of [`Settings::standard`] and those of the drawn tree.
    pub fn events(&self) -> Vec<Event> {
        let mut events = self.standard().map(|scenario| scenario.events.clone()).unwrap_or_default();
        if let Self::Tree(tree) = self {
            events.extend(tree.resolved_events());
        }
        events.sort_by(|a, b| a.time.total_cmp(&b.time));
        events
    }

    /// Returns the scenario of [`Settings::standard`] for editing.
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

/// A compiled blend, ready to be sampled.
#[derive(Clone, Debug)]
pub struct Built {
    settings: Settings,
    bank: ClipBank,
    plan: Plan,
    roles: Roles,
    /// Foot-down times by clip name, seconds.
    markers: Vec<(String, Vec<f64>)>,
    travels: Vec<ClipTravel>,
}

#[derive(Clone, Debug)]
enum Plan {
    Timeline(CompiledTimeline),
    Tree {
        tree: CompiledTree,
        /// Names of the tree's nodes, by node index.
        names: Vec<String>,
    },
}

/// Validates `settings` and compiles them.
///
/// Returns `Err` if
/// - a clip of the input fails [`check_clip`];
/// - a source, blend space or event names a clip that the input does not have, or the speed of one without a travel;
/// - a weight is negative or not finite, or a mask does not fit the rig;
/// - the upper-body mask of a standard tree has a weight above 1;
/// - the speed or offset of a source is not finite;
/// - the time, transition time or entry of an event is negative or not finite;
/// - the midpoint of a transition is not between 0 and 1, exclusive;
/// - an event of a drawn tree goes to a state that does not exist, or one of a standard tree is [`Action::Go`];
/// - a connection leads to a node that does not exist, or the tree has a cycle or more than 256 levels;
/// - a blend space has no sample, more than 64, or two at one position;
/// - a position, key or smoothing time of a blend space is not a valid number;
/// - `progress` is cancelled.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    progress.step(0, 1)?;
    input.clips.iter().try_for_each(|clip| check_clip(clip, input.skeleton))?;
    let alike = with_equal_signs(input.skeleton, input.clips);
    let clips: Vec<&Clip> = alike.iter().map(AsRef::as_ref).collect();
    let input = &Input { clips: &clips, ..*input };
    let mut bank = ClipBank::new(input.skeleton);
    let plan = match (settings.as_standard(), settings) {
        (Some(scenario), _) | (None, Settings::Scenario(scenario)) => {
            Plan::Timeline(standard::timeline_compile::compile(scenario, input, &mut bank)?)
        }
        (None, Settings::Tree(tree)) => {
            let names = tree.nodes.iter().map(|node| node.name.clone()).collect();
            Plan::Tree { tree: steps::tree_compile::compile(tree, input, &mut bank)?, names }
        }
    };
    progress.step(1, 1)?;
    let markers = input.markers.iter().map(|&(clip, times)| (clip.to_owned(), times.to_vec())).collect();
    let (roles, travels) = (input.roles.clone(), input.travels.to_vec());
    Ok(Built { settings: settings.clone(), bank, plan, roles, markers, travels })
}

/// Returns `Err` if
/// - the clip has another number of tracks than the skeleton has joints;
/// - its duration is negative or not finite;
/// - a curve lacks values, or a value is not finite.
pub fn check_clip(clip: &Clip, skeleton: &Skeleton) -> Result<(), BuildError> {
    let refuse = |reason| Err(BuildError::BadClip { clip: clip.name.clone(), reason });
    if clip.tracks.len() != skeleton.len() {
        return refuse(message!("reason.other_skeleton", "it was made for a skeleton with another number of joints"));
    }
    if !clip.duration.is_finite() || clip.duration < 0.0 {
        return refuse(message!("reason.length", "its length is not a number of seconds"));
    }
    let is_sound = |tracks: &JointTracks| {
        has_all_values(&tracks.translation, |value| value.is_finite())
            && has_all_values(&tracks.rotation, |value| value.is_finite())
            && has_all_values(&tracks.scale, |value| value.is_finite())
            && tracks.morphs.as_ref().is_none_or(|curve| curve.values.iter().all(|value| value.is_finite()))
    };
    if clip.tracks.iter().all(is_sound) {
        Ok(())
    } else {
        refuse(message!("reason.broken_curve", "a curve lacks values or holds numbers that are not finite"))
    }
}

/// True if the curve is absent, or has a finite value for every key.
fn has_all_values<T: Copy>(curve: &Option<Curve<T>>, is_finite: impl Fn(T) -> bool) -> bool {
    curve.as_ref().is_none_or(|curve| {
        let per_key = if curve.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        curve.values.len() == curve.times.len() * per_key && curve.values.iter().all(|&value| is_finite(value))
    })
}

impl Built {
    /// Returns the settings that the blend was built from.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Compiles other settings that play the same clips.
    ///
    /// Returns `Err` if [`build`] refuses them, or if they play another clip.
    pub fn with_settings(&self, settings: &Settings) -> Result<Self, BuildError> {
        let Self { bank, roles, travels, .. } = self;
        let clips: Vec<&Clip> = bank.clips.iter().collect();
        let markers: Vec<(&str, &[f64])> = self.markers.iter().map(|(clip, times)| (&**clip, &times[..])).collect();
        let input = Input { skeleton: &bank.skeleton, clips: &clips, roles, markers: &markers, travels };
        build(&input, settings, &Progress::new())
    }

    /// Returns the skeleton and the joint roles that the blend was built for.
    pub fn rig(&self) -> (&Skeleton, &Roles) {
        (&self.bank.skeleton, &self.roles)
    }

    /// Returns the clip called `name`; `None` if the blend does not play it.
    pub fn clip(&self, name: &str) -> Option<&Clip> {
        self.bank.clips.iter().find(|clip| clip.name == name)
    }

    /// Writes the local pose at `time` (seconds) to `pose`. The result depends on the time only. A time that is not finite
    /// counts as 0. Allocates nothing once `scratch` and `pose` have their size.
    pub fn sample(&self, time: f64, scratch: &mut Scratch, pose: &mut Pose) {
        let time = if time.is_finite() { time } else { 0.0 };
        match &self.plan {
            Plan::Timeline(timeline) => timeline.sample(&self.bank, time, scratch, pose),
            Plan::Tree { tree, .. } => tree.sample(&self.bank, time, scratch, pose),
        }
    }
}

/// A joint of a blend of three or more inputs whose result depends on the rule used to average rotations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// Sample time, seconds.
    pub time: f64,
    /// Name of the blend node.
    pub node: String,
    /// The joint's name.
    pub joint: String,
    /// Angle in radians between the rest-aligned mean (the one used) and the mean along the shortest arcs.
    pub angle: f64,
}

impl Built {
    /// Returns the joints at `time` (seconds) for which the two rules to average three or more rotations differ by more than 1°.
    /// Always empty for a scenario, which mixes at most two sides at a time.
    pub fn disagreements(&self, time: f64) -> Vec<Disagreement> {
        let Plan::Tree { tree, names, .. } = &self.plan else { return Vec::new() };
        let differences = tree.disagreements(&self.bank, time, 1.0_f64.to_radians());
        let named = differences.into_iter().map(|RuleDifference { node, joint, angle }| Disagreement {
            time,
            node: names[node].clone(),
            joint: self.bank.skeleton.joints[joint].name.clone(),
            angle,
        });
        named.collect()
    }
}

impl Built {
    /// Returns the interruptions of a scenario in which a joint's speed had to decay faster than usual, with the fastest
    /// joint of each. They occur only under [`Interrupt::Inertial`]. The result is empty for a drawn tree.
    pub fn fast_interruptions(&self) -> Vec<FastInterruption> {
        let Plan::Timeline(timeline) = &self.plan else { return Vec::new() };
        let inertializations = timeline.instances.iter().filter_map(|instance| instance.inertialization.as_ref());
        inertializations.filter_map(|inertialization| inertialization.fastest(&self.bank.skeleton)).collect()
    }
}

/// A scenario clip that loops although its end does not match its beginning. Playback smooths the seam.
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
    /// Returns the looped clips of a scenario that are not cycles, each once. The result is empty for a drawn tree.
    pub fn open_seams(&self) -> Vec<SeamGap> {
        let Plan::Timeline(timeline) = &self.plan else { return Vec::new() };
        let is_looped =
            |&clip: &usize| timeline.instances.iter().any(|instance| instance.looping && instance.clip == clip);
        let gap = |clip: usize| {
            let seam = self.bank.seam(clip)?;
            let joint = self.bank.skeleton.joints[seam.joint].name.clone();
            Some(SeamGap { clip: self.bank.clips[clip].name.clone(), joint, angle: seam.gap })
        };
        (0..self.bank.clips.len()).filter(is_looped).filter_map(gap).collect()
    }
}

impl Input<'_> {
    /// Returns the foot-down times (seconds) of a clip. `None` unless they are usable: at least one, rising, not
    /// negative and less than `duration`.
    fn markers_of(&self, clip: &str, duration: f64) -> Option<&[f64]> {
        let (_, markers) = self.markers.iter().find(|(name, _)| *name == clip)?;
        let inside = markers.iter().all(|&marker| marker >= 0.0 && marker < duration);
        let rising = markers.windows(2).all(|pair| pair[0] < pair[1]);
        (!markers.is_empty() && inside && rising).then_some(*markers)
    }
}

#[cfg(test)]
mod tests;

/// Counts what tests ask of it.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: portamento_test_support::allocations::CountingAllocator =
    portamento_test_support::allocations::CountingAllocator;
