//! Writing takes as clips.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Level, Notice, Session};
use crate::anim::{Clip, GltfSource};
use crate::document::{Asset, Loaded, TakeId};
use crate::evaluate::{BuiltTake, bake};
use crate::export::gltf::{self, ClipEdit, ClipEdits, Placement};
use crate::export::whole_file;
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
    /// What becomes of the clips the source has.
    pub keep: Keep,
    /// Keys on every frame at this rate; `None` keeps the keys of the source.
    pub fps: Option<f64>,
    /// Writes tree, joints and weight curves of blends as JSON beside them.
    pub weights: bool,
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

/// One file to be written, with everything the job needs.
struct Output {
    path: PathBuf,
    asset: Asset<Loaded>,
    clips: Vec<(Arc<BuiltTake>, Clip)>,
}

impl ExportRequest {
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
        if request.keep != Keep::default() {
            words.push(format!("--keep {}", request.keep.name()));
        }
        words.extend(request.weights.then(|| "--weights".to_owned()));
        words.push(format!("--out {}", quoted(&request.destination.display().to_string())));
        words.join(" ")
    }

    pub(super) fn export(&mut self, request: ExportRequest) {
        // Long work ahead: what the user has made so far is safe first.
        if self.is_unsaved() {
            self.autosave_now();
        }
        let outputs = match self.outputs(&request) {
            Ok(outputs) => outputs,
            Err(sentence) => return self.notices.say(Level::Error, format!("Nothing was exported: {sentence}")),
        };
        let (keep, weights) = (request.keep, request.weights);
        let work = move |progress: &Progress| -> Result<Vec<Value>, String> {
            let total = outputs.len();
            let write = |(i, output): (usize, &Output)| {
                progress.step(i, total).map_err(|stopped| stopped.to_string())?;
                let report = output.write(keep)?;
                if weights { output.write_weights().map(|()| report) } else { Ok(report) }
            };
            outputs.iter().enumerate().map(write).collect()
        };
        self.jobs.start("Export", work, |session, written| match written {
            Ok(reports) => session.say_exported(reports),
            Err(sentence) => session.notices.say(Level::Error, format!("Export failed: {sentence}")),
        });
    }

    /// What the last successful export wrote, one report per file.
    pub fn exported(&self) -> &[Value] {
        &self.exported
    }

    fn say_exported(&mut self, reports: Vec<Value>) {
        for report in &reports {
            let path = PathBuf::from(report["file"].as_str().unwrap_or_default());
            let text = format!("Exported {}.", path.display());
            self.notices.push(Notice { level: Level::Done, text, folder: path.parent().map(Path::to_owned) });
        }
        self.exported = reports;
    }

    fn outputs(&mut self, request: &ExportRequest) -> Result<Vec<Output>, String> {
        let mut outputs: Vec<Output> = Vec::new();
        for &id in &request.takes {
            let take =
                self.document.take(id).cloned().ok_or("the take is no longer in the project. Choose another.")?;
            let built = self.built(&take).map_err(|error| error.to_string())?;
            let mut clip = bake::clip(&built, request.fps);
            // A blend was made from several clips; it can only take the place of the one of its own name.
            if request.keep == Keep::Replace && built.blended.is_none() {
                clip.name.clone_from(&built.clip_name);
            }
            let asset = built.character.clone();
            if request.is_folder() {
                let path = request.destination.join(file_name(&take.name, request.format));
                outputs.push(Output { path, asset, clips: vec![(built, clip)] });
            } else if let Some(output) = outputs.first_mut() {
                if output.asset != asset {
                    return Err("the takes belong to different characters. Export them to a folder instead.".into());
                }
                output.clips.push((built, clip));
            } else {
                outputs.push(Output { path: request.destination.clone(), asset, clips: vec![(built, clip)] });
            }
        }
        if outputs.is_empty() { Err("no take was chosen. Choose at least one.".into()) } else { Ok(outputs) }
    }
}

impl Output {
    fn write<'a>(&'a self, keep: Keep) -> Result<Value, String> {
        let model = &self.asset.model;
        let made;
        let source: &GltfSource = match &self.asset.source {
            Some(source) => source,
            None => {
                made = gltf::from_model(model, None);
                &made
            }
        };
        let original = |built: &BuiltTake| {
            let index = model.clips.iter().position(|clip| built.is_own_clip && clip.name == built.clip_name)?;
            Some((index, &model.clips[index]))
        };
        let edit = |(built, clip): &'a (Arc<BuiltTake>, Clip)| ClipEdit { clip, original: original(built) };
        let edits = ClipEdits { placement: keep.into(), clips: self.clips.iter().map(edit).collect() };
        let edited = gltf::write(source, &model.skeleton, &edits).map_err(|error| error.to_string())?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let unmade = |error| format!("the folder {} could not be made: {error}. Choose another.", folder.display());
        std::fs::create_dir_all(folder).map_err(unmade)?;
        gltf::save(&self.path, &edited).map_err(|error| error.to_string())?;
        let takes: Vec<Value> = self.clips.iter().map(|(built, _)| built.report()).collect();
        Ok(json!({ "file": self.path.display().to_string(), "takes": takes }))
    }
}

impl Output {
    /// `NAME.weights.json` beside the file for every blend in it.
    fn write_weights(&self) -> Result<(), String> {
        for (built, clip) in &self.clips {
            let Some(blended) = &built.blended else { continue };
            let name = format!("{}.weights.json", file_stem(&clip.name));
            let path = self.path.parent().unwrap_or(Path::new("")).join(name);
            let text = format!("{:#}\n", blended.built.export_json(blended.fps, blended.length));
            whole_file::write(&path, text.as_bytes()).map_err(|error| error.to_string())?;
        }
        Ok(())
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

/// A take's name as a file name: what systems do not allow in names becomes `_`.
fn file_name(take: &str, format: ExportFormat) -> String {
    format!("{}.{}", file_stem(take), if format == ExportFormat::Glb { "glb" } else { "gltf" })
}

fn file_stem(take: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' };
    let stem: String = take.chars().map(safe).collect();
    stem.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_take_name_cannot_leave_the_folder() {
        assert_eq!(file_name("../leap: 5 m", ExportFormat::Glb), ".._leap_ 5 m.glb");
    }
}
