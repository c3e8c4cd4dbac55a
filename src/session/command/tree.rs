//! Commands that edit a blend tree.

/// A command that edits the tree of the shown blend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeCommand {
    /// Converts a standard tree to an editable graph; its events still drive it.
    Free,
    /// Resets all nodes to the automatic layout.
    Arrange,
    /// Adds an unconnected node; converts a standard tree first.
    Add(NewNode),
    /// Adds a state; converts a standard tree first.
    AddState,
}

/// Kinds of nodes that can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewNode {
    /// A weighted average.
    Blend,
    /// An additive layer over the current root.
    Additive,
    /// A blend space over a parameter.
    Space,
    /// A standard tree with its own events.
    Standard,
}
