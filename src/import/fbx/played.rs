//! An animation stack as it is to be evaluated.
//!
//! `ufbx` looks for the curves of a node's property among those of the layer, which are sorted by node. Where the node's own end before
//! the property's name, it goes on to the next node and takes that one's curve if it bears the name. What no layer moves is therefore
//! fixed here at its own value, and what only some layers move is put together by [`super::layered`].
//!
//! Where anything is fixed, `ufbx` asked for one property gives its value at rest instead of what another property moves it to (a whole
//! scene it evaluates right). Weights of blend shapes, which before version 7 are moved so, are asked for with nothing fixed.

use std::collections::{BTreeMap, BTreeSet};

use ufbx::{AnimLayer, AnimOpts, AnimRoot, AnimStack, Node, PropOverrideDesc, Scene};

use super::layered::Layered;
use super::name::name;
use super::properties::{PROPERTIES, fixed};
use super::stack_times::StackTimes;
use crate::budget::{Budget, OverBudget};
use crate::message::{Message, message};

/// A stack with keys, by its name.
pub(super) struct Stack<'a> {
    pub name: String,
    pub played: Played<'a>,
    pub times: StackTimes,
}

/// A stack to evaluate.
pub(super) struct Played<'a> {
    scene: &'a Scene,
    stack: &'a AnimStack,
    pub anim: AnimRoot,
    /// The same with nothing fixed, for what is not a node.
    pub unfixed: AnimRoot,
    /// Nodes of which `ufbx` would take another's curves, by element.
    pub layered: BTreeMap<u32, Layered<'a>>,
}

/// Every stack of the scene that has keys.
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
        let Some(played) = played(scene, stack) else {
            budget.take(u64::MAX, &|| format!("The clip “{name}”"))?;
            continue;
        };
        stacks.push(Stack { name, played, times });
    }
    Ok(stacks)
}

/// The stack with what it does not move fixed; `None` where memory ends.
pub(super) fn played<'a>(scene: &'a Scene, stack: &'a AnimStack) -> Option<Played<'a>> {
    let layers: Vec<MovedBy> = stack.layers.iter().map(|layer| MovedBy::new(layer)).collect();
    let mut overrides = Vec::new();
    let mut layered = BTreeMap::new();
    for node in &scene.nodes {
        let id = node.element.element_id;
        let those: Vec<&Curves> = layers.iter().filter_map(|layer| layer.0.get(&id)).collect();
        for name in PROPERTIES.into_iter().filter(|_| !those.is_empty()) {
            if those.iter().all(|curves| !curves.own.contains(name)) {
                overrides.push(fixed(node, name));
            } else if those.iter().any(|curves| curves.takes_the_next(name)) {
                layered.entry(id).or_insert_with(|| Layered::new(node, stack));
            }
        }
    }
    let anim = |overrides: Vec<PropOverrideDesc>| {
        let options = AnimOpts { prop_overrides: overrides.into(), ..all_layers(stack) };
        ufbx::create_anim(scene, options).ok()
    };
    Some(Played { scene, stack, anim: anim(overrides)?, unfixed: anim(Vec::new())?, layered })
}

fn all_layers(stack: &AnimStack) -> AnimOpts<'static> {
    let layers: Vec<u32> = stack.layers.iter().map(|layer| layer.element.typed_id).collect();
    AnimOpts { layer_ids: layers.into(), ..AnimOpts::default() }
}

impl Played<'_> {
    /// The node's place below its parent at an absolute time.
    pub(super) fn transform(&self, node: &Node, time: f64) -> ufbx::Transform {
        let layered = self.layered.get(&node.element.element_id);
        let own = layered.and_then(|layered| layered.transform(self.scene, all_layers(self.stack), time));
        own.unwrap_or_else(|| ufbx::evaluate_transform(&self.anim, node, time))
    }
}

/// By element what a layer moves of it.
struct MovedBy<'a>(BTreeMap<u32, Curves<'a>>);

#[derive(Default)]
struct Curves<'a> {
    own: BTreeSet<&'a str>,
    /// The first property of the next element in the list.
    next: Option<&'a str>,
}

impl<'a> MovedBy<'a> {
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
    /// Whether the search for that property ends at the next element's.
    fn takes_the_next(&self, name: &str) -> bool {
        self.own.last().is_some_and(|last| *last < name) && self.next == Some(name)
    }
}
