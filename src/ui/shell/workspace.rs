//! Window layouts.

use serde::{Deserialize, Serialize};

/// A window layout for one kind of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Workspace {
    /// Stretch clips to targets.
    #[default]
    Stretch,
    /// Blend clips by events and weights.
    Blend,
    /// Hair, cloth and tails with dynamics.
    #[serde(alias = "Bones")]
    Dynamics,
    /// Make clips, meshes and images loop seamlessly.
    Loop,
    /// Paths through levels.
    Walk,
    /// The character only.
    Free,
}

/// All workspaces with their names in translation keys.
pub(crate) const WORKSPACES: [(Workspace, &str); 6] = [
    (Workspace::Stretch, "stretch"),
    (Workspace::Blend, "blend"),
    (Workspace::Dynamics, "dynamics"),
    (Workspace::Loop, "loop"),
    (Workspace::Walk, "walk"),
    (Workspace::Free, "free"),
];
