//! Writing takes as clips.

use std::path::PathBuf;

use super::formats::{ExportFormat, ImageFormat, MeshFormat};
use super::image_layout::ImageLayout;
use super::sidecars::Sidecars;
use crate::anim::Tolerance;
use crate::document::TakeId;
use crate::evaluate::bake;
use crate::export::Replace;
use crate::export::fbx;
use crate::export::gltf::Placement;

/// What to write and where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportRequest {
    /// Takes, in the order of the clips in the file.
    pub takes: Vec<TakeId>,
    /// Every take that goes to the folder, where `takes` are only some of them: files keep their names apart from all.
    pub together: Vec<TakeId>,
    /// The file to write; all takes must then be of one character. A folder gets one file per take, or per character.
    pub destination: PathBuf,
    /// Whether a folder gets one file per character with the clips of all its takes.
    pub per_character: bool,
    /// GLB or glTF, where `destination` is a folder; else its extension decides.
    pub format: ExportFormat,
    /// What takes of vertices become, where `destination` is a folder.
    pub meshes: MeshFormat,
    /// What takes of images become, where `destination` is a folder.
    pub images: ImageFormat,
    /// How files of images are numbered and laid out.
    pub image_layout: ImageLayout,
    /// What becomes of the clips the source has.
    pub keep: Keep,
    /// Keys on every frame at this rate; `None` keeps the keys of the source.
    pub fps: Option<f64>,
    /// Whether clips with keys on every frame end on one too, as [`bake::Frames::whole`] says how.
    pub whole_frames: bool,
    /// Write the takes' dynamic bones as spring bones of avatars too; a .vrm always gets them.
    pub springs: bool,
    /// Leave out the keys of what the takes changed that are not needed within this error; `None` keeps all.
    pub tolerance: Option<Tolerance>,
    /// Whether a loop's first frame is written once more at its end; `None` as each format is usually read: clips of joints
    /// and morph targets close, caches, textures and images do not.
    pub closing: Option<bool>,
    /// Whether files that are there may be replaced; sources never are.
    pub replace: Replace,
    /// Which sidecar files each clip gets.
    pub sidecars: Sidecars,
    /// Whether reports tell the figures of each clip.
    pub measured: bool,
    /// What clips, and files in a folder, are called.
    pub names: ClipNames,
    /// Whether feet that stand, events, seams and the stop are told: in the file where it can hold them, and beside it as JSON.
    pub markers: bool,
    /// Whether Godot is told how to import a GLB: settings and a script beside it.
    pub godot_import: bool,
    /// The unit of an FBX.
    pub unit: fbx::LengthUnit,
    /// Whether the root is the topmost bone of an FBX, without joints above it that stand still.
    pub root_on_top: bool,
}

/// What written clips are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipNames {
    /// A name in which `{take}`, `{clip}` and `{character}` stand for theirs. Without the first two the take's name comes behind it.
    pub pattern: String,
    /// Whether names of clips that repeat end in `-loop`.
    pub loop_suffix: bool,
    /// Whether spaces in takes' names stay in the names of files.
    pub spaces: bool,
}

impl Default for ClipNames {
    fn default() -> Self {
        Self { pattern: "{take}".into(), loop_suffix: false, spaces: false }
    }
}

/// What a take is called by, each part for its place in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakeNames<'a> {
    /// The take itself.
    pub take: &'a str,
    /// The clip that it was made from; the take where it was made from none.
    pub clip: &'a str,
    /// Its character; empty where it has none.
    pub character: &'a str,
}

impl ClipNames {
    /// The name of the clip of the take called `of`.
    pub fn clip_name(&self, of: TakeNames, repeats: bool) -> String {
        let suffix = if self.loop_suffix && repeats { "-loop" } else { "" };
        format!("{}{suffix}", self.stem(of))
    }

    /// The name of its file.
    pub fn stem(&self, of: TakeNames) -> String {
        let pattern = self.pattern.trim();
        // Of two takes each needs a name of its own.
        let whole = match pattern {
            "" => "{take}".into(),
            pattern if ["{take}", "{clip}"].iter().any(|own| pattern.contains(own)) => pattern.to_owned(),
            pattern => format!("{pattern}_{{take}}"),
        };
        // Takes without a character leave no gap where its name would stand.
        let whole = if of.character.is_empty() { without_character(&whole) } else { whole };
        whole.replace("{character}", of.character).replace("{clip}", of.clip).replace("{take}", of.take)
    }
}

/// `pattern` without the places for a character's name, each with what sets it apart from what comes next, or from what came before.
fn without_character(pattern: &str) -> String {
    const APART: [char; 4] = ['_', '-', ' ', '.'];
    let mut parts = pattern.split("{character}");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.strip_prefix(APART) {
            Some(rest) => whole.push_str(rest),
            None if part.is_empty() => whole.truncate(whole.trim_end_matches(APART).len()),
            None => whole.push_str(part),
        }
    }
    whole
}

/// What becomes of the clips that the source file has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// All stay, ours come after them.
    #[default]
    Append,
    /// Ours takes the place of the clip it was made from.
    Replace,
    /// Only ours, with meshes and skeleton.
    Alone,
}

impl ExportRequest {
    /// On which frames clips are sampled; `None` where they keep their keys.
    pub(super) fn frames(&self) -> Option<bake::Frames> {
        self.fps.map(|fps| bake::Frames { fps, whole: self.whole_frames })
    }

    pub(super) fn wants_springs(&self) -> bool {
        self.springs || self.destination.extension().is_some_and(|end| end.eq_ignore_ascii_case("vrm"))
    }

    /// Whether each take has files of its own, in a folder.
    pub fn is_per_take(&self) -> bool {
        self.is_folder() && !self.per_character
    }

    /// Whether files go into a folder.
    pub fn is_folder(&self) -> bool {
        self.destination.extension().is_none()
    }
}

impl Keep {
    /// Every choice, in menu order.
    pub const ALL: [Self; 3] = [Self::Append, Self::Replace, Self::Alone];

    /// The word used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::Replace => "replace",
            Self::Alone => "alone",
        }
    }

    /// The choice of that name.
    pub fn parse(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|keep| keep.name() == name).ok_or_else(|| "use append, replace or alone".into())
    }
}

impl From<Keep> for Placement {
    fn from(keep: Keep) -> Self {
        match keep {
            Keep::Append => Self::Append,
            Keep::Replace => Self::Replace,
            Keep::Alone => Self::Alone { meshes: true },
        }
    }
}
