//! Layered skeletal blending: a character casts while it runs, stops in mid-cast and runs on, without a jump.
//!
//! A tree of nodes, each with a weight W and a weight per joint BW, gives every joint
//! M(j) = Σ W(i)·BW(i)(j)·M(i)(j) / Σ W(i)·BW(i)(j) over the children that have a track for it. Trees are drawn freely
//! ([`Tree`]) or are the standard one driven by events ([`Scenario`]). How means of rotations are made is told in `mix`.
//!
//! In a scenario at most two sides meet at a time, so rotations go along one arc: the shortest at the instant the transition
//! begins, then followed through it, so that it goes on the same way where the two sides drift past half a turn from each
//! other (there the shortest arc would flip, a pop).
//!
//! A joint that nobody speaks for has the rest pose. It is reached continuously: once less than a quarter of the weight at a
//! node reaches the joint, the rest pose fills in. A clip with any curve for a joint speaks for all of it; its missing curves
//! mean the rest pose, as glTF has it.

mod arcs;
mod block;
mod echo;
mod faults;
mod meter;
mod mix;
mod pops;
mod program;
mod recipe;
mod reel;
mod rig;
pub mod scenario;
mod score;
mod shares;
pub mod transitions;
pub mod travel;
pub mod tree;
mod tree_edit;

use serde::{Deserialize, Serialize};

pub use meter::{Share, Weights, Wire};
pub use mix::REST_FADE;
pub use pops::FrameStep;
pub use rig::Scratch;
pub use scenario::{Action, Event, Interrupt, Scenario};
pub use travel::{Owner, Place, Travel};
pub use tree::{Additive, Link, Node, NodeKind, Reference, Source, Tree};

use crate::anim::mask::MaskError;
use crate::anim::{Clip, Curve, Interpolation, JointTracks, Pose, Roles, Skeleton};
use crate::progress::{Cancelled, Progress};
use program::Program;
use rig::Rig;
use score::Score;

/// What is blended.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The rig.
    pub skeleton: &'a Skeleton,
    /// Clips that nodes and events name; never changed.
    pub clips: &'a [&'a Clip],
    /// Where the body parts of masks begin.
    pub roles: &'a Roles,
    /// Foot-down times (seconds, rising, within the clip) by clip name; the first of each belongs to the same foot.
    pub markers: &'a [(&'a str, &'a [f64])],
}

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

/// Why nothing was built. Every sentence names the node or event.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A weight, time, speed or offset that is no usable number.
    #[error(
        "The {what} of \"{node}\" is {value}, which cannot be used. Enter a number from 0 up (speeds and offsets: any)."
    )]
    BadNumber {
        /// Node or event.
        node: String,
        /// The setting.
        what: &'static str,
        /// What it holds.
        value: f64,
    },
    /// A node that feeds itself.
    #[error("The node \"{node}\" feeds itself through its children. Disconnect or mute one connection of the circle.")]
    Cycle {
        /// The node.
        node: String,
    },
    /// A connection to nothing.
    #[error("\"{node}\" is connected to node number {child}, which does not exist. Connect it again.")]
    NoSuchNode {
        /// The node that asks.
        node: String,
        /// The number.
        child: usize,
    },
    /// More levels than can be computed.
    #[error("The node \"{node}\" lies more than {most} levels below the root. Make the tree flatter.")]
    TooDeep {
        /// The node.
        node: String,
        /// Levels allowed.
        most: usize,
    },
    /// A clip that is not there.
    #[error(
        "\"{node}\" plays the clip \"{clip}\", which this character does not have. Choose another clip or mute it."
    )]
    NoSuchClip {
        /// Node or event.
        node: String,
        /// The name.
        clip: String,
    },
    /// A mask that does not fit the rig.
    #[error("The joint weights of \"{node}\" cannot be used. {reason}")]
    BadMask {
        /// The node.
        node: String,
        /// Why.
        reason: MaskError,
    },
    /// A clip made for another skeleton, or with broken numbers.
    #[error("The clip \"{clip}\" cannot be played on this skeleton: {reason}.")]
    BadClip {
        /// The clip.
        clip: String,
        /// Why.
        reason: &'static str,
    },
    /// Stopped on request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// A blend ready to play.
#[derive(Clone, Debug)]
pub struct Built {
    settings: Settings,
    rig: Rig,
    plan: Plan,
}

#[derive(Clone, Debug)]
enum Plan {
    /// The scenario and the same without transitions.
    Score { score: Score, cut: Score },
    /// The tree and the names of its nodes.
    Program { program: Program, names: Vec<String> },
}

/// Checks `settings` and makes them playable.
pub fn build(input: &Input, settings: &Settings, progress: &Progress) -> Result<Built, BuildError> {
    progress.step(0, 1)?;
    input.clips.iter().try_for_each(|clip| check_clip(clip, input.skeleton))?;
    let mut rig = Rig::of(input.skeleton);
    let plan = match settings {
        Settings::Scenario(scenario) => {
            let score = score::write(scenario, input, &mut rig)?;
            Plan::Score { score, cut: score::write(&scenario.hard_cut(), input, &mut rig)? }
        }
        Settings::Tree(tree) => {
            let program = program::compile(tree, input, &mut rig)?;
            Plan::Program { program, names: tree.nodes.iter().map(|node| node.name.clone()).collect() }
        }
    };
    progress.step(1, 1)?;
    Ok(Built { settings: settings.clone(), rig, plan })
}

/// Refuses a clip of another skeleton and one with broken numbers.
pub fn check_clip(clip: &Clip, skeleton: &Skeleton) -> Result<(), BuildError> {
    let refuse = |reason| Err(BuildError::BadClip { clip: clip.name.clone(), reason });
    if clip.tracks.len() != skeleton.len() {
        return refuse("it was made for a skeleton with another number of joints");
    }
    if !clip.duration.is_finite() || clip.duration < 0.0 {
        return refuse("its length is not a number of seconds");
    }
    let sound = |tracks: &JointTracks| {
        whole(&tracks.translation, |value| value.is_finite())
            && whole(&tracks.rotation, |value| value.is_finite())
            && whole(&tracks.scale, |value| value.is_finite())
            && tracks.morphs.as_ref().is_none_or(|curve| curve.values.iter().all(|value| value.is_finite()))
    };
    if clip.tracks.iter().all(sound) {
        Ok(())
    } else {
        refuse("a curve lacks values or holds numbers that are not finite")
    }
}

/// Whether a curve has all its values and can be sampled without producing undefined numbers.
fn whole<T: Copy>(curve: &Option<Curve<T>>, is_finite: impl Fn(T) -> bool) -> bool {
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

    /// The pose at `time` (seconds); a function of the time alone. Allocates nothing once `scratch` and `pose` have their size.
    pub fn sample(&self, time: f64, scratch: &mut Scratch, pose: &mut Pose) {
        let time = if time.is_finite() { time } else { 0.0 };
        match &self.plan {
            Plan::Score { score, .. } => score.sample(&self.rig, time, scratch, pose),
            Plan::Program { program, .. } => program.sample(&self.rig, time, scratch, pose),
        }
    }
}

/// A joint whose rotation depends on the rule for three or more, because two rules would differ by more than a degree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// Seconds.
    pub time: f64,
    /// The blend node.
    pub node: String,
    /// The joint's name.
    pub joint: String,
    /// Radians between the rest-aligned mean, which is used, and the mean of the shortest arcs.
    pub angle: f64,
}

impl Built {
    /// Where a blend of three or more sides at `time` (seconds) is decided by the rule and not by the turns. A scenario never
    /// mixes more than two at a time and has none.
    pub fn disagreements(&self, time: f64) -> Vec<Disagreement> {
        let Plan::Program { program, names } = &self.plan else { return Vec::new() };
        let found = program.disagreements(&self.rig, time, 1.0_f64.to_radians());
        let named = found.into_iter().map(|(node, joint, angle)| Disagreement {
            time,
            node: names[node].clone(),
            joint: self.rig.skeleton.joints[joint].name.clone(),
            angle,
        });
        named.collect()
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
