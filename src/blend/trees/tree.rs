//! A freely drawn blend tree.

use serde::{Deserialize, Serialize};

use super::state::{State, StateEvent, StateWeight};
use crate::space::blend_space::BlendSpace;
use crate::standard::scenario::{Interrupt, Scenario};
use portamento_anim::MaskChoice;

/// Nodes and the root node, whose pose is the result. A node may feed several others. Cycles are refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// Nodes, in order of creation.
    pub nodes: Vec<Node>,
    /// Index of the node whose pose is the result.
    pub root: usize,
    /// Named sets of weights and parameters that events switch to. Names are unique.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<State>,
    /// Events that switch states, in any order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<StateEvent>,
    /// Treatment of a weight change that an event interrupts: restart from its current value, or also keep its speed.
    #[serde(default)]
    pub interrupt: Interrupt,
}

/// A named operation. Other nodes refer to it by its index in [`Tree::nodes`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Name shown in the graph and in messages.
    pub name: String,
    /// Operation of the node, with its settings.
    pub kind: NodeKind,
}

/// The operation of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// Plays one clip.
    Source(Source),
    /// The weighted mean of its children, per joint.
    Blend(Vec<Link>),
    /// A base pose plus the weighted difference of a second pose from a reference.
    Additive(Additive),
    /// Clips weighted by the position of a parameter.
    Space(Box<BlendSpace>),
    /// The standard tree with its events.
    Standard(Box<Scenario>),
}

/// Playback settings of one clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// Name of the clip.
    pub clip: String,
    /// Playback speed in clip seconds per second; negative plays backwards.
    pub speed: f64,
    /// True if the clip loops; otherwise it stays at its last frame.
    pub looping: bool,
    /// Clip time at time 0, seconds.
    pub offset: f64,
    /// States on entry to which the clip restarts at its offset. In all other states it continues.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub restarts: Vec<String>,
}

/// A child of a blend node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Link {
    /// Index of the child.
    pub child: usize,
    /// W: weight of the child over all joints, ≥ 0.
    pub weight: f32,
    /// W per state, where it differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_states: Vec<StateWeight>,
    /// BW: the weight per joint.
    pub mask: MaskChoice,
    /// True if the connection is ignored, including faults in the nodes behind it.
    pub muted: bool,
    /// True if only solo connections of this node are active.
    pub solo: bool,
}

/// An additive layer, applied per joint; translation and scale likewise:
///
/// ```text
/// q = q_base · slerp(1, q_reference⁻¹ · q_delta, w)
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Additive {
    /// Index of the base node.
    pub base: usize,
    /// Index of the node whose difference is added.
    pub delta: usize,
    /// Reference pose of the difference.
    pub reference: Reference,
    /// w, ≥ 0; at 0 the result is the base.
    pub weight: f32,
    /// w per state, where it differs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_states: Vec<StateWeight>,
    /// Factor of w per joint.
    pub mask: MaskChoice,
    /// True if the result is exactly the base.
    pub muted: bool,
}

/// Reference pose of an additive difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reference {
    /// The rest pose of the skeleton.
    #[default]
    Rest,
    /// The delta node's pose at time 0.
    FirstFrame,
}

impl Default for Source {
    fn default() -> Self {
        Self { clip: String::new(), speed: 1.0, looping: true, offset: 0.0, restarts: Vec::new() }
    }
}

impl Default for Link {
    fn default() -> Self {
        Self { child: 0, weight: 1.0, in_states: Vec::new(), mask: MaskChoice::default(), muted: false, solo: false }
    }
}

impl Tree {
    /// Largest number of levels; limits the recursion depth, so that no tree overflows the stack.
    pub(crate) const MAX_LEVELS: usize = 256;

    /// Adds a node without inputs and returns its index.
    pub fn add(&mut self, name: &str, kind: NodeKind) -> usize {
        self.nodes.push(Node { name: name.into(), kind });
        self.nodes.len() - 1
    }

    /// Returns the active connections of a blend with their slots: those that are not muted, or only the solo ones if any is
    /// solo.
    pub fn active_links(links: &[Link]) -> impl Iterator<Item = (usize, &Link)> {
        let any_solo = links.iter().any(|link| link.solo && !link.muted);
        links.iter().enumerate().filter(move |(_, link)| !link.muted && (link.solo || !any_solo))
    }
}
