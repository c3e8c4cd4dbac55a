//! Arrangements of the window.

use serde::{Deserialize, Serialize};

/// An arrangement of the five places for one kind of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Workspace {
    /// Bringing clips to other ends.
    #[default]
    Stretch,
    /// Mixing clips by events and weights.
    Blend,
    /// Hair, cloth and tails that swing.
    #[serde(alias = "Bones")]
    Dynamics,
    /// Closing clips, meshes and images to seamless loops.
    Loop,
    /// Ways through levels.
    Walk,
    /// All room to the character.
    Free,
}

/// Every workspace with its word in translations.
pub(super) const WORKSPACES: [(Workspace, &str); 6] = [
    (Workspace::Stretch, "stretch"),
    (Workspace::Blend, "blend"),
    (Workspace::Dynamics, "dynamics"),
    (Workspace::Loop, "loop"),
    (Workspace::Walk, "walk"),
    (Workspace::Free, "free"),
];
