//! Source files, characters and scene objects.

use std::path::PathBuf;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{FileId, ObstacleBox};
use portamento_anim::Roles;
use portamento_anim::geometry::UpAxis;
use portamento_anim::media::SheetGrid;

/// A file the user opened. Its content is never modified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceFile {
    /// The id that takes use.
    pub id: FileId,
    /// The path; relative to the project file in a saved project.
    pub path: PathBuf,
    /// Fingerprint of the bytes (see [`super::file::fingerprint`]), used to detect changes of the file.
    pub hash: String,
    /// Length of one file unit in metres: 1 according to the glTF specification, 0.01 for rigs built in centimetres.
    pub metres_per_unit: f64,
    /// The axis of the file that points up; `None` as it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<UpAxis>,
    /// Frames per second of its images or vertex cache, 1…1000; `None` for the rate that the file states. The rate of a take
    /// has priority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// The grid of frames of a single image that is a sprite sheet, for new takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<SheetGrid>,
}

/// A rig with its joint roles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Character {
    /// The file with the rig.
    pub file: FileId,
    /// The roles of the joints, such as hips, feet and head.
    pub roles: Roles,
}

/// A named point that takes can aim at, a box on the ground of walks, or a reference mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneObject {
    /// The name, shown in the outliner. Targets refer to it.
    pub name: String,
    /// World position, metres.
    pub position: DVec3,
    /// The reference mesh; `None` for a point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<ReferenceMesh>,
    /// The box that stands with the centre of its base at the position; `None` for a point or a mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<ObstacleBox>,
}

/// A mesh that is displayed in the scene and never exported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferenceMesh {
    /// The file whose meshes are displayed in their rest pose.
    pub file: FileId,
    /// Rotation about the vertical axis, radians.
    #[serde(default)]
    pub heading: f64,
    /// Scale factor relative to the file.
    #[serde(default = "default_scale")]
    pub size: f64,
    /// True if the mesh is not displayed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

impl SceneObject {
    /// Creates a point without a mesh; `position` in metres.
    pub fn point(name: &str, position: DVec3) -> Self {
        Self { name: name.to_owned(), position, mesh: None, obstacle: None }
    }

    /// Returns a copy without its mesh: the part that takes depend on.
    pub fn as_point(&self) -> Self {
        Self { mesh: None, ..self.clone() }
    }
}

impl ReferenceMesh {
    /// Creates a reference mesh of `file` with heading 0 and scale 1.
    pub fn of(file: FileId) -> Self {
        Self { file, heading: 0.0, size: default_scale(), hidden: false }
    }
}

fn default_scale() -> f64 {
    1.0
}
