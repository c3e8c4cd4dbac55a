//! Changes to the tree of a blend.

/// A change to the tree of the shown blend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeCommand {
    /// The standard tree becomes a node of a tree to change freely; its events still drive it.
    Free,
    /// Every node stands where it is put by itself.
    Arrange,
    /// A new node, to be connected; a standard tree is freed for it.
    Add(NewNode),
    /// A new state, whose weights are then edited; a standard tree is freed for it.
    AddState,
}

/// What kind of node is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewNode {
    /// A weighted mean.
    Blend,
    /// A difference on top of the result.
    Additive,
    /// Clips by where a parameter is.
    Space,
    /// A standard tree with events of its own.
    Standard,
}
