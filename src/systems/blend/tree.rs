//! A free-form tree of playing clips: what the user draws.

use serde::{Deserialize, Serialize};

use super::blend_space::BlendSpace;
use super::scenario::{Interrupt, Scenario};
use super::state::{State, StateEvent, StateWeight};
use crate::anim::MaskChoice;

/// Nodes and the one that gives the pose. A node may feed several others; a circle is refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// Nodes, in the order they were made.
    pub nodes: Vec<Node>,
    /// Index of the node whose pose is the result.
    pub root: usize,
    /// Sets of weights and parameters that events go to, no two of one name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<State>,
    /// What goes to which state when, in any order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<StateEvent>,
    /// How a weight goes on whose change an event interrupts: from where it is, or with its speed too.
    #[serde(default)]
    pub interrupt: Interrupt,
}

/// A named operation; others refer to it by its index in [`Tree::nodes`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Shown in the graph and named in messages.
    pub name: String,
    /// Source, blend or additive, with its settings.
    pub kind: NodeKind,
}

/// What a node does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// Plays one clip.
    Source(Source),
    /// The weighted mean of its children, per joint.
    Blend(Vec<Link>),
    /// A pose with another one's difference from its reference on top.
    Additive(Additive),
    /// Clips by where a parameter is.
    Space(Box<BlendSpace>),
    /// The standard tree with its events.
    Standard(Box<Scenario>),
}

/// How a clip is played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// Name of the clip.
    pub clip: String,
    /// Clip seconds per second, may be negative.
    pub speed: f64,
    /// Starts again at its end; otherwise the end is held.
    pub looping: bool,
    /// Clip seconds at time 0.
    pub offset: f64,
    /// The states in which it starts again at its offset; in all others it goes on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub restarts: Vec<String>,
}

/// A child of a blend node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Link {
    /// Index of the child.
    pub child: usize,
    /// W: the weight of the child as a whole, ≥ 0.
    pub weight: f32,
    /// W in states that have another.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_states: Vec<StateWeight>,
    /// BW: the weight per joint.
    pub mask: MaskChoice,
    /// Left out, together with whatever is wrong below it.
    pub muted: bool,
    /// Only solo children are active, where there is one.
    pub solo: bool,
}

/// An additive layer: q = q_base · slerp(1, q_reference⁻¹ · q_delta, w), in that order; translation and scale likewise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Additive {
    /// Index of the node that is added to.
    pub base: usize,
    /// Index of the node whose difference is added.
    pub delta: usize,
    /// What the difference is measured from.
    pub reference: Reference,
    /// w, ≥ 0; at 0 the base is untouched.
    pub weight: f32,
    /// w in states that have another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_states: Vec<StateWeight>,
    /// Factor of w per joint.
    pub mask: MaskChoice,
    /// The base alone, bit for bit.
    pub muted: bool,
}

/// What an additive difference is measured from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reference {
    /// The rest pose of the skeleton.
    #[default]
    Rest,
    /// The added node's own pose at time 0.
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
    /// Deeper trees than this are refused, so that no drawing can overflow the stack.
    pub(super) const DEEPEST: usize = 256;

    /// Adds a node without connections into it; answers its index.
    pub fn add(&mut self, name: &str, kind: NodeKind) -> usize {
        self.nodes.push(Node { name: name.into(), kind });
        self.nodes.len() - 1
    }

    /// The connections of a blend that count, with their slots: not muted, and solo where any is.
    pub fn active_links(links: &[Link]) -> impl Iterator<Item = (usize, &Link)> {
        let any_solo = links.iter().any(|link| link.solo && !link.muted);
        links.iter().enumerate().filter(move |(_, link)| !link.muted && (link.solo || !any_solo))
    }
}
