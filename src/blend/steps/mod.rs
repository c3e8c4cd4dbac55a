//! Compiled drawn trees: steps over pose layers, one for each node, and the weights that events change.

pub(super) mod weight_track;
mod source_step;
mod driven_blend;
mod additive_step;
pub(super) mod compiled_tree;
pub(super) mod tree_compile;
