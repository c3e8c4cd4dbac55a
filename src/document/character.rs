//! Source files, and what holds of a rig whatever the take.

use std::path::PathBuf;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::FileId;
use crate::anim::Roles;

/// A file the user opened. Its content is never written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceFile {
    /// How takes refer to it.
    pub id: FileId,
    /// Where it is; relative to the project file in a saved project.
    pub path: PathBuf,
    /// Fingerprint of the bytes (see [`super::file::fingerprint`]), to notice that the file has changed.
    pub hash: String,
    /// Length of one file unit in metres: 1 for glTF by the letter, 0.01 for rigs built in centimetres.
    pub metres_per_unit: f64,
}

/// A rig with its roles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Character {
    /// The file that holds the rig.
    pub file: FileId,
    /// Which joint plays which part.
    pub roles: Roles,
}

/// A named point that takes can aim at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneObject {
    /// Shown in the outliner; targets refer to it by this name.
    pub name: String,
    /// World position, metres.
    pub position: DVec3,
}
