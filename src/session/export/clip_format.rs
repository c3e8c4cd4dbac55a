//! Settings for clips of joints.

use super::Keep;
use super::formats::ExportFormat;
use super::request::ClipNames;
use portamento_anim::Tolerance;
use portamento_formats::export::fbx;

/// The settings for clips of joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipFormat {
    /// The file format for exports to a folder.
    pub format: ExportFormat,
    /// The rule for other clips of the source file.
    pub keep: Keep,
    /// Sample rate in frames per second; `None` keeps the keys of the source.
    pub fps: Option<f64>,
    /// True if resampled clips end exactly on a frame.
    pub whole_frames: bool,
    /// Maximum error of key reduction; `None` keeps all keys.
    pub tolerance: Option<Tolerance>,
    /// True if loops repeat their first frame at the end; `None` for the default of the format.
    pub closing: Option<bool>,
    /// The name pattern of clips and files.
    pub names: ClipNames,
    /// True to export markers for foot contacts, events and seams.
    pub markers: bool,
    /// True to write import settings for Godot next to a GLB.
    pub godot_import: bool,
    /// The length unit of an FBX.
    pub unit: fbx::LengthUnit,
    /// True to omit static joints above the root of an FBX.
    pub root_on_top: bool,
}
