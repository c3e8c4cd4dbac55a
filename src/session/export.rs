//! Writing takes as clips.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::form::{ImageForm, MeshForm};
use super::output::{Wanted, outputs};
use super::{Beside, Level, Notice, Session};
use crate::anim::Tolerance;
use crate::document::TakeId;
use crate::export::gltf::Placement;
use crate::progress::Progress;

/// What to write and where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportRequest {
    /// Takes, in the order of the clips in the file.
    pub takes: Vec<TakeId>,
    /// The file to write; all takes must then be of one character. A folder gets one file per take.
    pub destination: PathBuf,
    /// GLB or glTF, where `destination` is a folder; else its extension decides.
    pub format: ExportFormat,
    /// What takes of vertices become, where `destination` is a folder.
    pub meshes: MeshForm,
    /// What takes of images become, where `destination` is a folder.
    pub images: ImageForm,
    /// What becomes of the clips the source has.
    pub keep: Keep,
    /// Keys on every frame at this rate; `None` keeps the keys of the source.
    pub fps: Option<f64>,
    /// Write the takes' dynamic bones as spring bones of avatars too; a .vrm always gets them.
    pub springs: bool,
    /// Leave out the keys of what the takes changed that are not needed within this error; `None` keeps all.
    pub tolerance: Option<Tolerance>,
    /// Whether a loop's first frame is written once more at its end; `None` as each format is usually read: clips of joints
    /// and morph targets close, caches, textures and images do not.
    pub closing: Option<bool>,
    /// What is written beside each clip.
    pub beside: Beside,
}

/// The file formats for clips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExportFormat {
    /// One binary file.
    #[default]
    Glb,
    /// JSON with a `.bin` beside it.
    Gltf,
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

impl ExportFormat {
    /// Without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Gltf => "gltf",
        }
    }
}

impl ExportRequest {
    fn wants_springs(&self) -> bool {
        self.springs || self.destination.extension().is_some_and(|it| it.eq_ignore_ascii_case("vrm"))
    }

    /// Whether one file per take goes into a folder.
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

impl Session {
    /// The command line that writes the same files, for a project saved at `project`.
    pub fn command_line(&self, request: &ExportRequest, project: &Path) -> String {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
        let mut words = vec!["portamento bake".to_owned(), quoted(&project.display().to_string())];
        let takes = request.takes.iter().filter_map(|&id| self.document.take(id));
        words.extend(takes.map(|take| format!("--take {}", quoted(&take.name))));
        words.extend(request.fps.map(|fps| format!("--fps {fps}")));
        words.extend(request.tolerance.map(|it| format!("--tolerance {},{}", it.degrees, it.metres)));
        words.extend(request.springs.then(|| "--springs".to_owned()));
        if request.keep != Keep::default() {
            words.push(format!("--keep {}", request.keep.name()));
        }
        if request.meshes != MeshForm::default() {
            words.push(format!("--meshes {}", request.meshes.name()));
        }
        if request.images != ImageForm::default() {
            words.push(format!("--images {}", request.images.name()));
        }
        words.extend(request.closing.map(|closing| format!("--closing {closing}")));
        words.extend(request.beside.flags());
        words.push(format!("--out {}", quoted(&request.destination.display().to_string())));
        words.join(" ")
    }

    pub(super) fn export(&mut self, request: ExportRequest) {
        // Long work ahead: what the user has made so far is safe first.
        if self.is_unsaved() {
            self.autosave_now();
        }
        let nothing = |sentence: String| format!("Nothing was exported: {sentence}");
        let takes = match self.takes_to_export(&request) {
            Ok(takes) => takes,
            Err(sentence) => return self.notices.say(Level::Error, nothing(sentence)),
        };
        let work = move |progress: &Progress| -> Result<Vec<Value>, String> {
            let outputs = outputs(&request, takes, progress).map_err(nothing)?;
            let total = outputs.len();
            let write = |(i, output): (usize, &super::output::Output)| {
                progress.step(i, total).map_err(|stopped| stopped.to_string())?;
                output.write(&request, progress)
            };
            outputs
                .iter()
                .enumerate()
                .map(write)
                .collect::<Result<_, _>>()
                .map_err(|error| format!("Export failed: {error}"))
        };
        self.jobs.start("Export", work, |session, written| match written {
            Ok(reports) => session.say_exported(reports),
            Err(sentence) => session.notices.say(Level::Error, sentence),
        });
    }

    /// What the last successful export wrote, one report per file.
    pub fn exported(&self) -> &[Value] {
        &self.exported
    }

    fn say_exported(&mut self, reports: Vec<Value>) {
        for report in &reports {
            let path = PathBuf::from(report["file"].as_str().unwrap_or_default());
            let exact = report["texture"]["largest_error"].as_f64();
            let exact =
                exact.map(|off| format!(" Its texels put no vertex further than {off:.1e} units off its place."));
            let beside = report["beside"].as_array().map_or(0, Vec::len);
            let files = report["files"].as_u64().unwrap_or(1) as usize + beside;
            let text = format!("{}{}", exported(&path, files), exact.unwrap_or_default());
            self.notices.push(Notice { level: Level::Done, text, folder: path.parent().map(Path::to_owned) });
        }
        self.exported = reports;
    }

    /// The wanted takes, as far as they are built: the rest is the job's.
    fn takes_to_export(&mut self, request: &ExportRequest) -> Result<Vec<Wanted>, String> {
        let mut takes = Vec::new();
        for &id in &request.takes {
            let take =
                self.document.take(id).cloned().ok_or("the take is no longer in the project. Choose another.")?;
            let found = self.memo.find(&self.document, &self.library, &take).map_err(|error| error.to_string())?;
            let springs = if request.wants_springs() { self.spring_bones_of(&take)? } else { None };
            let walk = take.walk().cloned();
            takes.push(Wanted { name: take.name, found, springs, walk });
        }
        if takes.is_empty() { Err("no take was chosen. Choose at least one.".into()) } else { Ok(takes) }
    }
}

/// The sentence for `files` files, of which `first` is the first.
fn exported(first: &Path, files: usize) -> String {
    match (first.parent().filter(|folder| !folder.as_os_str().is_empty()), first.file_name()) {
        (Some(folder), Some(name)) if files > 1 => {
            format!("Exported {files} files to {}, {} first.", folder.display(), name.display())
        }
        _ if files > 1 => format!("Exported {files} files, {} first.", first.display()),
        _ => format!("Exported {}.", first.display()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_files_are_counted_and_one_is_named() {
        assert_eq!(exported(Path::new("out/a.glb"), 1), "Exported out/a.glb.");
        assert_eq!(exported(Path::new("out/fire/0.png"), 23), "Exported 23 files to out/fire, 0.png first.");
        assert_eq!(exported(Path::new("0.png"), 2), "Exported 2 files, 0.png first.");
    }
}
