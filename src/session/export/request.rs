//! Export requests.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::formats::{ExportFormat, ImageFormat, ImageLayout, MeshFormat};
use super::sidecars::Sidecars;
use portamento_anim::Tolerance;
use portamento_formats::export::Replace;
use portamento_formats::export::fbx;
use portamento_formats::export::gltf::Keep;
use portamento_takes::document::TakeId;
use portamento_takes::evaluate::bake;

/// An export request: takes, destination and settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportRequest {
    /// The takes, in the order of the clips in the file.
    pub takes: Vec<TakeId>,
    /// All takes exported to the folder, if `takes` is a subset; file names are unique among all of them.
    pub together: Vec<TakeId>,
    /// The destination: a file for takes of one character, or a folder with one file per take or character.
    pub destination: PathBuf,
    /// The settings of the files.
    pub settings: ExportSettings,
    /// True to export dynamic bones as VRM spring bones; always done for .vrm files.
    pub springs: bool,
    /// The rule for existing files; source files are never replaced.
    pub replace: Replace,
    /// True if reports include the figures of each clip.
    pub measured: bool,
    /// Further files and their contents, which are put in place together with the takes.
    pub further: Vec<(PathBuf, Vec<u8>)>,
}

/// The settings of exported files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportSettings {
    /// True if a folder gets one file per character with the clips of all its takes.
    pub per_character: bool,
    /// The clip format for folders; for a file, its extension decides.
    pub format: ExportFormat,
    /// The format of vertex animations for folders.
    pub meshes: MeshFormat,
    /// The format of image takes for folders.
    pub images: ImageFormat,
    /// Numbering and sheet layout of images.
    pub image_layout: ImageLayout,
    /// The rule for clips already in the source file.
    pub keep: Keep,
    /// Sample rate in frames per second; `None` keeps the keys of the source.
    pub fps: Option<f64>,
    /// True if resampled clips end exactly on a frame, see [`bake::Frames::whole`].
    pub whole_frames: bool,
    /// Maximum error of key reduction for changed curves; `None` keeps all keys.
    pub tolerance: Option<Tolerance>,
    /// True if loops repeat their first frame at the end. `None` for the default of each format: clips of joints and
    /// morph targets do, caches, textures and images do not.
    pub closing: Option<bool>,
    /// The sidecar files of each clip.
    pub sidecars: Sidecars,
    /// The name pattern of clips, and of files in a folder.
    pub names: ClipNames,
    /// True to export markers for foot contacts, events, seams and the stop: in the file if possible, and as JSON
    /// next to it.
    pub markers: bool,
    /// True to write an index of each set whose takes are all exported.
    pub set_index: bool,
    /// True to write import settings and a script for Godot next to a GLB.
    pub godot_import: bool,
    /// True to write a script for Unity that imports the sets of FBX files.
    pub unity_import: bool,
    /// True to write a script next to an FBX that imports it into Unreal.
    pub unreal_import: bool,
    /// The length unit of an FBX.
    pub unit: fbx::LengthUnit,
    /// True to omit static joints above the root of an FBX.
    pub root_on_top: bool,
}

/// The name pattern of exported clips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClipNames {
    /// A pattern with the placeholders `{take}`, `{clip}` and `{character}`. The take's name is appended if neither
    /// of the first two occurs.
    pub pattern: String,
    /// True if names of looping clips end in `-loop`.
    pub loop_suffix: bool,
    /// True to keep spaces in file names.
    pub spaces: bool,
}

impl Default for ClipNames {
    fn default() -> Self {
        Self { pattern: "{take}".into(), loop_suffix: false, spaces: false }
    }
}

/// The values of the placeholders in a name pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakeNames<'a> {
    /// The take's name.
    pub take: &'a str,
    /// The source clip's name; the take's name without one.
    pub clip: &'a str,
    /// The character's name; empty without one.
    pub character: &'a str,
}

impl ClipNames {
    /// Returns the clip name for `of`. `repeats` is true for a looping clip.
    pub fn clip_name(&self, of: TakeNames, repeats: bool) -> String {
        let suffix = if self.loop_suffix && repeats { "-loop" } else { "" };
        format!("{}{suffix}", self.stem(of))
    }

    /// Returns the name for `of` by the pattern. It may contain characters that file names do not allow, see
    /// [`file_stems`](super::file_stems).
    pub fn stem(&self, of: TakeNames) -> String {
        let pattern = self.pattern.trim();
        // Names of several takes must differ.
        let name = match pattern {
            "" => "{take}".into(),
            pattern if ["{take}", "{clip}"].iter().any(|own| pattern.contains(own)) => pattern.to_owned(),
            pattern => format!("{pattern}_{{take}}"),
        };
        // Without a character the separator of its name is removed too.
        let name = if of.character.is_empty() { without_character(&name) } else { name };
        name.replace("{character}", of.character).replace("{clip}", of.clip).replace("{take}", of.take)
    }
}

/// Removes the placeholder `{character}` from `pattern`, with the separator after it, or before it at the end.
fn without_character(pattern: &str) -> String {
    const SEPARATORS: [char; 4] = ['_', '-', ' ', '.'];
    let mut parts = pattern.split("{character}");
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.strip_prefix(SEPARATORS) {
            Some(rest) => name.push_str(rest),
            None if part.is_empty() => name.truncate(name.trim_end_matches(SEPARATORS).len()),
            None => name.push_str(part),
        }
    }
    name
}

impl ExportRequest {
    /// Returns the sample frames of clips; `None` if they keep their keys.
    pub(super) fn frames(&self) -> Option<bake::Frames> {
        self.settings.fps.map(|fps| bake::Frames { fps, whole: self.settings.whole_frames })
    }

    /// True if spring bones are exported: on request, and always for a VRM.
    pub(super) fn wants_springs(&self) -> bool {
        self.springs || self.destination.extension().is_some_and(|end| end.eq_ignore_ascii_case("vrm"))
    }

    /// Returns the folder of the files.
    pub(crate) fn folder(&self) -> &Path {
        match self.is_folder() {
            true => &self.destination,
            false => self.destination.parent().unwrap_or(Path::new("")),
        }
    }

    /// Returns all takes that are exported to the destination, also by other requests.
    pub(super) fn all_takes(&self) -> &[TakeId] {
        if self.together.is_empty() { &self.takes } else { &self.together }
    }

    /// True if the takes are a part of those that are exported to the folder.
    pub(crate) fn is_part(&self) -> bool {
        !self.together.is_empty()
    }

    /// True if each take is exported to its own file in a folder.
    pub fn is_per_take(&self) -> bool {
        self.is_folder() && !self.settings.per_character
    }

    /// True if the destination is a folder: a path without extension. It need not exist.
    pub fn is_folder(&self) -> bool {
        self.destination.extension().is_none()
    }
}
