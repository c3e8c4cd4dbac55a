//! Prepares an animation stack for evaluation.
//!
//! `ufbx` searches the curves of a node's property in the curves of a layer, which are sorted by node.
//! If the node's curves end before the property's name, the search goes on to the next node and may take its curve of that name.
//! Properties that no layer animates are therefore overridden here with the node's own value.
//! Properties that only some layers animate are evaluated by [`super::layered`].
//!
//! With any override, `ufbx` returns the rest value of a single property that another property drives (a whole scene is right).
//! Blend shape weights before version 7 are driven that way, so they are evaluated without overrides.

use std::collections::{BTreeMap, BTreeSet};

use ufbx::{AnimLayer, AnimOpts, AnimRoot, AnimStack, Node, PropOverrideDesc, Scene};

use super::layered::Layered;
use super::name::name;
use super::properties::{PROPERTIES, own_value_override};
use super::stack_times::StackTimes;
use portamento_base::budget::{Budget, OverBudget};
use portamento_base::message::{Message, message};

/// A stack with keys, prepared for evaluation.
pub(super) struct Stack<'a> {
    pub name: String,
    pub prepared: PreparedStack<'a>,
    pub times: StackTimes,
    /// Frame rate of the clip, frames per second.
    pub fps: f64,
}

/// A stack prepared for evaluation.
pub(super) struct PreparedStack<'a> {
    scene: &'a Scene,
    stack: &'a AnimStack,
    pub anim: AnimRoot,
    /// The animation without overrides, for everything that is not a node.
    pub without_overrides: AnimRoot,
    /// Nodes for which `ufbx` would take the curve of another node, by element.
    pub layered: BTreeMap<u32, Layered<'a>>,
}

/// Prepares every stack of the scene that has keys. The others give a warning. Returns `Err` if memory runs out.
pub(super) fn stacks<'a>(
    scene: &'a Scene,
    budget: &Budget,
    warnings: &mut Vec<Message>,
) -> Result<Vec<Stack<'a>>, OverBudget> {
    let mut stacks = Vec::new();
    for (index, stack) in scene.anim_stacks.iter().enumerate() {
        let name = name(&stack.element.name, "clip", index);
        let Some(times) = StackTimes::read(stack) else {
            let clip = name;
            warnings.push(message!("warning.import.fbx_still", "“%{clip}” is left out: it has no keys.", clip));
            continue;
        };
        let Some(prepared) = prepare(scene, stack) else {
            budget.take(u64::MAX, &|| format!("The clip “{name}”"))?;
            continue;
        };
        let fps = times.frame_rate(scene.settings.frames_per_second);
        stacks.push(Stack { name, prepared, times, fps });
    }
    Ok(stacks)
}

/// Prepares a stack by overriding what it does not animate. Returns `None` if memory runs out. `scene` is the scene of the
/// stack.
pub(super) fn prepare<'a>(scene: &'a Scene, stack: &'a AnimStack) -> Option<PreparedStack<'a>> {
    let layers: Vec<LayerCurveIndex> = stack.layers.iter().map(|layer| LayerCurveIndex::new(layer)).collect();
    let mut overrides = Vec::new();
    let mut layered = BTreeMap::new();
    for node in &scene.nodes {
        let id = node.element.element_id;
        let curves_of_node: Vec<&Curves> = layers.iter().filter_map(|layer| layer.0.get(&id)).collect();
        for name in PROPERTIES.into_iter().filter(|_| !curves_of_node.is_empty()) {
            if curves_of_node.iter().all(|curves| !curves.own.contains(name)) {
                overrides.push(own_value_override(node, name));
            } else if curves_of_node.iter().any(|curves| curves.finds_next_element(name)) {
                layered.entry(id).or_insert_with(|| Layered::new(node, stack));
            }
        }
    }
    let anim = |overrides: Vec<PropOverrideDesc>| {
        let options = AnimOpts { prop_overrides: overrides.into(), ..all_layers(stack) };
        ufbx::create_anim(scene, options).ok()
    };
    Some(PreparedStack { scene, stack, anim: anim(overrides)?, without_overrides: anim(Vec::new())?, layered })
}

/// Returns options that evaluate all layers of the stack.
fn all_layers(stack: &AnimStack) -> AnimOpts<'static> {
    let layers: Vec<u32> = stack.layers.iter().map(|layer| layer.element.typed_id).collect();
    AnimOpts { layer_ids: layers.into(), ..AnimOpts::default() }
}

impl PreparedStack<'_> {
    /// Returns the node's local transform at the absolute `time`, seconds.
    pub(super) fn transform(&self, node: &Node, time: f64) -> ufbx::Transform {
        let layered = self.layered.get(&node.element.element_id);
        let own = layered.and_then(|layered| layered.transform(self.scene, all_layers(self.stack), time));
        own.unwrap_or_else(|| ufbx::evaluate_transform(&self.anim, node, time))
    }
}

/// The curves of a layer by element.
struct LayerCurveIndex<'a>(BTreeMap<u32, Curves<'a>>);

/// The animated properties of one element in a layer, by name.
#[derive(Default)]
struct Curves<'a> {
    own: BTreeSet<&'a str>,
    /// The first property of the next element in the list.
    next: Option<&'a str>,
}

impl<'a> LayerCurveIndex<'a> {
    /// Indexes the animated properties of `layer`, which are sorted by element.
    fn new(layer: &'a AnimLayer) -> Self {
        let mut moved: BTreeMap<u32, Curves> = BTreeMap::new();
        let mut before: Option<u32> = None;
        for property in &layer.anim_props {
            let (element, name) = (property.element.element_id, &*property.prop_name);
            if let Some(last) = before.filter(|&last| last != element).and_then(|last| moved.get_mut(&last)) {
                last.next = Some(name);
            }
            moved.entry(element).or_default().own.insert(name);
            before = Some(element);
        }
        Self(moved)
    }
}

impl Curves<'_> {
    /// True if the search for `name` would end at the next element's property.
    fn finds_next_element(&self, name: &str) -> bool {
        self.own.last().is_some_and(|last| *last < name) && self.next == Some(name)
    }
}
