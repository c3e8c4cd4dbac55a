//! Drawn trees: nodes and their connections, the states that events switch to, and operations that edit a tree.

pub(super) mod tree;
pub(super) mod state;
pub(super) mod node_name;
pub(super) mod tree_state;
pub(super) mod tree_edit;
