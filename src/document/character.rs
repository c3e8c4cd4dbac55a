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

/// A named point that takes can aim at, or a mesh that stands there to be compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneObject {
    /// Shown in the outliner; targets refer to it by this name.
    pub name: String,
    /// World position, metres.
    pub position: DVec3,
    /// The mesh that stands there; a bare point has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<ReferenceMesh>,
}

/// A mesh that is seen in the scene and never exported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferenceMesh {
    /// The file whose meshes are seen as they rest.
    pub file: FileId,
    /// How far it is turned about the vertical, radians.
    #[serde(default)]
    pub heading: f64,
    /// How many times as large as in its file it is.
    #[serde(default = "as_it_is")]
    pub size: f64,
    /// Whether it is not drawn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

impl SceneObject {
    /// A bare point, metres.
    pub fn point(name: &str, position: DVec3) -> Self {
        Self { name: name.to_owned(), position, mesh: None }
    }

    /// What takes that aim at it need of it.
    pub fn as_point(&self) -> Self {
        Self { mesh: None, ..self.clone() }
    }
}

impl ReferenceMesh {
    /// The meshes of `file` as they are there.
    pub fn of(file: FileId) -> Self {
        Self { file, heading: 0.0, size: as_it_is(), hidden: false }
    }
}

fn as_it_is() -> f64 {
    1.0
}
