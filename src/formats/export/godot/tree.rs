//! The animation tree of a set as a resource of Godot 4.5: a blend space for a ring, a state machine for a chain or strikes.
//!
//! `SET.tree.tres` is the `tree_root` of an `AnimationTree`. It names the clips of the set, which are in the library of the set that
//! the import scripts fill. A change that the game asks for waits for the condition `to_CLIP`.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{clip_name, quoted};
use crate::export::clip_set::{Begins, BlendSpace, IndexedClip, SetIndex, Transition, Trigger};

/// Distance of two states in the editor, pixels.
const STATE_DISTANCE: usize = 220;
/// Value of `AnimationNodeStateMachineTransition.switch_mode` that waits for the end of a state.
const SWITCH_AT_END: u8 = 2;
/// Value of `AnimationNodeStateMachineTransition.advance_mode` that advances on its own or when the condition is true.
const ADVANCE_AUTO: u8 = 2;
/// Value of `AnimationNodeBlendSpace2D.blend_mode` that plays the nearest clip: for clips that span no area.
const BLEND_DISCRETE: u8 = 1;

/// Returns the text of the tree resource of a set, a `.tres` file: a blend space if the set has one, else a state
/// machine. `None` if the set has neither space nor transitions.
pub fn tree(index: &SetIndex) -> Option<String> {
    match &index.blend_space {
        Some(space) => Some(blend_space(index, space)),
        None if !index.transitions.is_empty() => Some(state_machine(index)),
        None => None,
    }
}

/// A resource in Godot's text format.
struct Resource {
    class: &'static str,
    /// Properties and their values, as text.
    properties: Vec<(String, String)>,
}

impl Resource {
    fn new(class: &'static str) -> Self {
        Self { class, properties: Vec::new() }
    }

    /// Returns the resource with a further property. `value` is written as it is.
    fn with(mut self, property: &str, value: impl ToString) -> Self {
        self.properties.push((property.to_owned(), value.to_string()));
        self
    }

    /// Returns one line `property = value` per property.
    fn lines(&self) -> String {
        self.properties.iter().map(|(property, value)| format!("{property} = {value}\n")).collect()
    }

    /// Returns the file of this resource, which refers to `parts` by their position, from 0.
    fn file(&self, parts: &[Self]) -> String {
        let mut text = format!("[gd_resource type=\"{}\" load_steps={} format=3]\n", self.class, parts.len() + 1);
        for (id, part) in parts.iter().enumerate() {
            let _ = write!(text, "\n[sub_resource type=\"{}\" id=\"{id}\"]\n{}", part.class, part.lines());
        }
        text + "\n[resource]\n" + &self.lines()
    }
}

/// Returns a reference to the sub-resource `id`.
fn part(id: usize) -> String {
    format!("SubResource(\"{id}\")")
}

/// Returns `text` as a `StringName` literal.
fn name(text: &str) -> String {
    format!("&{}", quoted(text))
}

/// Returns the node that plays the clip.
fn clip_node(clip: &IndexedClip) -> Resource {
    Resource::new("AnimationNodeAnimation").with("animation", name(&clip_name(&clip.clip)))
}

/// Returns the text of a `.tres` file whose root resource blends the samples of `space`. The resource is an
/// `AnimationNodeBlendSpace1D` for one axis, else an `AnimationNodeBlendSpace2D`. The limits of each axis contain all
/// samples and 0.
fn blend_space(index: &SetIndex, space: &BlendSpace) -> String {
    let parts: Vec<Resource> = space.samples.iter().map(|sample| clip_node(&index.members[sample.member])).collect();
    let is_plane = space.axes.len() > 1;
    let mut root = Resource::new(if is_plane { "AnimationNodeBlendSpace2D" } else { "AnimationNodeBlendSpace1D" });
    let vector = |values: &[f64]| match values {
        [x, y] => format!("Vector2({x}, {y})"),
        values => format!("{:?}", values.first().copied().unwrap_or(0.0)),
    };
    for (id, sample) in space.samples.iter().enumerate() {
        root = root.with(&format!("blend_point_{id}/node"), part(id));
        root = root.with(&format!("blend_point_{id}/pos"), vector(&sample.position));
    }
    // With 0 inside, no limit is beyond the other one while the engine sets one after the other.
    let limits = |limit: fn(f64, f64) -> f64| -> Vec<f64> {
        space.axes.iter().map(|axis| limit(limit(axis.min, axis.max), 0.0)).collect()
    };
    root = root.with("max_space", vector(&limits(f64::max))).with("min_space", vector(&limits(f64::min)));
    for (axis, property) in space.axes.iter().zip(if is_plane { ["x_label", "y_label"] } else { ["value_label", ""] }) {
        root = root.with(property, quoted(&format!("{} {}", axis.name, axis.unit)));
    }
    if is_plane && !space.spans_area() {
        root = root.with("blend_mode", BLEND_DISCRETE);
    }
    root.with("sync", true).file(&parts)
}

/// Returns the text of a `.tres` file whose root resource is an `AnimationNodeStateMachine`. It has a state per clip
/// and the transitions of `index`, and starts with the stance, or else the first clip.
fn state_machine(index: &SetIndex) -> String {
    let states = state_names(&index.members);
    let first = index.stance.unwrap_or(0);
    let mut parts: Vec<Resource> = index.members.iter().map(clip_node).collect();
    let mut root = Resource::new("AnimationNodeStateMachine");
    for (at, state) in states.iter().enumerate() {
        root = root.with(&format!("states/{state}/node"), part(at));
        let (x, y) = (STATE_DISTANCE * (at + 1), if Some(at) == index.stance { STATE_DISTANCE } else { 0 });
        root = root.with(&format!("states/{state}/position"), format!("Vector2({x}, {y})"));
    }
    let mut all = vec![format!("\"Start\", {}, {}", quoted(&states[first]), part(parts.len()))];
    parts.push(Resource::new(TRANSITION).with("advance_mode", ADVANCE_AUTO));
    for change in &index.transitions {
        all.push(format!("{}, {}, {}", quoted(&states[change.from]), quoted(&states[change.to]), part(parts.len())));
        parts.push(transition(change, &states[change.to]));
    }
    root.with("transitions", format!("[{}]", all.join(", "))).file(&parts)
}

/// Class of a change from state to state.
const TRANSITION: &str = "AnimationNodeStateMachineTransition";

/// Returns the resource of `change`, which leads to the state `to`.
fn transition(change: &Transition, to: &str) -> Resource {
    let mut transition = Resource::new(TRANSITION);
    if change.fade_s > 0.0 {
        transition = transition.with("xfade_time", change.fade_s);
    }
    if change.begins == Begins::AtEnd {
        transition = transition.with("switch_mode", SWITCH_AT_END);
    }
    transition = transition.with("advance_mode", ADVANCE_AUTO);
    if change.trigger == Trigger::Request {
        transition = transition.with("advance_condition", name(&format!("to_{to}")));
        if change.begins == Begins::AtEnd {
            // The end of a loop is the end of its cycle.
            transition = transition.with("break_loop_at_end", true);
        }
    }
    transition
}

/// Returns the name of the state of each clip: unique, of letters, digits, `_` and `-`, because it is part of a property's name.
fn state_names(clips: &[IndexedClip]) -> Vec<String> {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    // States of these names exist already.
    let mut taken = BTreeSet::from(["Start".to_owned(), "End".to_owned()]);
    let state = |(at, clip): (usize, &IndexedClip)| {
        let safe: String = clip_name(&clip.clip).chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
        let safe = if safe.trim_matches('_').is_empty() { format!("clip_{}", at + 1) } else { safe };
        let numbered = (2..).map(|number| format!("{safe}_{number}"));
        let mut names = std::iter::once(safe.clone()).chain(numbered);
        names.find(|name| taken.insert(name.clone())).unwrap_or_default()
    };
    clips.iter().enumerate().map(state).collect()
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
