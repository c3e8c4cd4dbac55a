//! How clips of joints are written.

use super::formats::ExportFormat;
use super::request::{ClipNames, Keep};
use crate::anim::Tolerance;
use crate::export::fbx;

/// How clips of joints are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipFormat {
    /// The kind of file, where a folder is written to.
    pub format: ExportFormat,
    /// What becomes of the file's other clips.
    pub keep: Keep,
    /// Keys on every frame at this rate; `None` keeps those of the source.
    pub fps: Option<f64>,
    /// Whether clips with keys on every frame end on one too.
    pub whole_frames: bool,
    /// How far off a key that is left out may be; `None` leaves out none.
    pub tolerance: Option<Tolerance>,
    /// Whether a loop's first frame is written once more at its end; `None` as the format is usually read.
    pub closing: Option<bool>,
    /// What clips and files are called.
    pub names: ClipNames,
    /// Whether feet, events and seams are told.
    pub markers: bool,
    /// Whether Godot is told how to import a GLB, by files beside it.
    pub godot_import: bool,
    /// The unit of an FBX.
    pub unit: fbx::LengthUnit,
    /// Whether the root is the topmost bone of an FBX, without joints above it that stand still.
    pub root_on_top: bool,
}
