//! The report of an exported file, as the command line prints it.

use serde::Serialize;
use serde_json::Value;

use super::sets::SetClip;
use crate::dynamics::spring_bone::SpringBoneReport;
use portamento_anim::reduce::KeyReduction;

/// The report of an exported file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ExportReport {
    /// The first file written.
    pub file: String,
    /// The exported takes.
    pub takes: Vec<TakeReport>,
    /// Number of files, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// Size of the file and its companions, bytes; `None` for vertex and image takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// The constant curves that were left out, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub still_curves: Option<StillCurves>,
    /// Precision of a vertex animation texture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texture: Option<TextureReport>,
    /// Number of frames of a GIF that leaves frames out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gif_frames: Option<usize>,
    /// Notes about the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// A settings file edited in Godot that was not overwritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// The sidecar files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sidecars: Vec<String>,
    /// The conversion to VRM spring bones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spring_bones: Option<SpringBoneReport>,
    /// Number of files that already had the same content.
    #[serde(skip_serializing_if = "is_zero")]
    pub unchanged_files: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl ExportReport {
    /// Takes the measured clips out of the report.
    pub(super) fn take_set_clips(&mut self) -> Vec<SetClip> {
        self.takes.iter_mut().filter_map(|take| take.set_clip.take()).map(|clip| *clip).collect()
    }
}

/// The report of an exported take.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TakeReport {
    /// Name of the clip.
    #[serde(skip)]
    pub clip: String,
    /// The clip as a member of sets, if sets are exported.
    #[serde(skip)]
    pub set_clip: Option<Box<SetClip>>,
    /// The measurements of its stages.
    #[serde(flatten)]
    pub motion: Value,
    /// Length, travel and findings, if requested; null for content without joints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures: Option<Value>,
    /// The result of key reduction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<KeyReduction>,
    /// The written duration, if it was adjusted to end on a frame, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_seconds: Option<f64>,
}

/// Constant curves that were left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StillCurves {
    /// Number of curves that lost keys.
    pub count: usize,
    /// Bytes of their values.
    pub bytes_left_out: usize,
}

/// Precision of a vertex animation texture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TextureReport {
    /// Name of the texel format.
    pub texels: &'static str,
    /// Largest position error of a vertex, in the unit of the mesh.
    pub largest_error: f64,
    /// Upper bound of that error.
    pub error_bound: f64,
}
