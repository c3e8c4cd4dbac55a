//! Writing takes as clips.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::springs::Springs;
use super::{Level, Notice, Session, footage};
use crate::anim::{Clip, GltfSource, JointTracks, Tolerance, reduce};
use crate::document::{Asset, Loaded, TakeId};
use crate::evaluate::{BuiltTake, Content, bake};
use crate::export::ExportError;
use crate::export::gltf::{self, ClipEdit, ClipEdits, Placement};
use crate::export::spring_bone;
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
    /// Write the takes' dynamic bones as spring bones of avatars too; a .vrm always gets them.
    pub springs: bool,
    /// Leave out the keys of what the takes changed that are not needed within this error; `None` keeps all.
    pub tolerance: Option<Tolerance>,
    /// Whether a loop's first frame is written once more at its end; `None` as each format is usually read: clips of joints
    /// and morph targets close, caches, textures and images do not.
    pub closing: Option<bool>,
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
    springs: Option<Springs>,
    closing: Option<bool>,
}

impl ExportFormat {
    fn extension(self) -> &'static str {
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
        let keep = request.keep;
        let work = move |progress: &Progress| -> Result<Vec<Value>, String> {
            let total = outputs.len();
            let write = |(i, output): (usize, &Output)| {
                progress.step(i, total).map_err(|stopped| stopped.to_string())?;
                output.write(keep, progress)
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
        let closing = request.closing;
        for &id in &request.takes {
            let take =
                self.document.take(id).cloned().ok_or("the take is no longer in the project. Choose another.")?;
            let built = self.built(&take).map_err(|error| error.to_string())?;
            let mut clip = bake::clip(&built, request.fps);
            if let Some(tolerance) = request.tolerance {
                reduce_changed(&mut clip, &built, tolerance);
            }
            if closing == Some(false) && built.looped().is_some() {
                clip = bake::unclosed(clip);
            }
            // A blend was made from several clips; it can only take the place of the one of its own name.
            if request.keep == Keep::Replace && built.blended.is_none() {
                clip.name.clone_from(&built.clip_name);
            }
            let asset = built.character.clone();
            let mut springs = if request.wants_springs() { self.springs_of(&take)? } else { None };
            let is_joints = matches!(built.content, Content::Joints);
            if request.is_folder() {
                let extension = match built.content {
                    // A folder of its own for the images of each take.
                    Content::Images(_) => "",
                    _ => request.format.extension(),
                };
                let path = request.destination.join(file_name(&take.name, extension));
                outputs.push(Output { path, asset, clips: vec![(built, clip)], closing, springs });
            } else if let Some(output) = outputs.first_mut() {
                if output.asset != asset || !is_joints {
                    return Err("the takes belong to different characters. Export them to a folder instead.".into());
                }
                output.springs = output.springs.take().or_else(|| springs.take());
                output.clips.push((built, clip));
            } else {
                outputs.push(Output {
                    path: request.destination.clone(),
                    asset,
                    clips: vec![(built, clip)],
                    closing,
                    springs,
                });
            }
        }
        if request.springs && outputs.iter().any(|output| output.springs.is_none()) {
            return Err("spring bones were asked for, but the take has no dynamic bones. Add them to it first.".into());
        }
        if outputs.is_empty() { Err("no take was chosen. Choose at least one.".into()) } else { Ok(outputs) }
    }
}

impl Output {
    fn write(&self, keep: Keep, progress: &Progress) -> Result<Value, String> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let unmade = |error| format!("the folder {} could not be made: {error}. Choose another.", folder.display());
        std::fs::create_dir_all(folder).map_err(unmade)?;
        let takes: Vec<Value> = self.clips.iter().map(|(built, _)| built.report()).collect();
        let files = match self.clips.first().map(|(built, _)| &built.content) {
            Some(Content::Vertices(vertices)) => footage::vertices(vertices, &self.path, self.closing, progress),
            Some(Content::Images(images)) => footage::images(images, &self.path, self.closing, progress),
            Some(Content::Joints) | None => self.clips(keep).map(|()| vec![self.path.clone()]),
        };
        let files = files.map_err(|error| error.to_string())?;
        let first = files.first().unwrap_or(&self.path).display().to_string();
        let mut report = json!({ "file": first, "takes": takes });
        if files.len() > 1 {
            report["files"] = files.len().into();
        }
        if let Some(springs) = &self.springs {
            report["spring_bones"] = springs.report.clone();
        }
        Ok(report)
    }

    fn clips<'a>(&'a self, keep: Keep) -> Result<(), ExportError> {
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
        let mut edited = gltf::write(source, &model.skeleton, &edits)?;
        if let Some(springs) = &self.springs {
            spring_bone::write(&mut edited.json, &springs.bones);
        }
        gltf::save(&self.path, &edited)
    }
}

/// Leaves out keys, but not of curves that are still those of the source: they are not ours to change.
fn reduce_changed(clip: &mut Clip, built: &BuiltTake, tolerance: Tolerance) {
    let unchanged = JointTracks::default();
    for (joint, tracks) in clip.tracks.iter_mut().enumerate() {
        let source = built.source.tracks.get(joint).unwrap_or(&unchanged);
        let few = reduce::reduced(tracks, tolerance, built.metres_per_unit);
        if tracks.rotation != source.rotation {
            tracks.rotation = few.rotation;
        }
        if tracks.translation != source.translation {
            tracks.translation = few.translation;
        }
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
fn file_name(take: &str, extension: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' };
    let stem: String = take.chars().map(safe).collect();
    let dot = if extension.is_empty() { "" } else { "." };
    format!("{}{dot}{extension}", stem.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_take_name_cannot_leave_the_folder() {
        assert_eq!(file_name("../leap: 5 m", "glb"), ".._leap_ 5 m.glb");
    }

    /// The swinging joints' rotation curves in the file at `path`, by joint, and the take they should show.
    fn swung(tolerance: Option<Tolerance>) -> (Clip, Arc<BuiltTake>) {
        use crate::session::{Command, FileCommand};
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let mut session = Session::inline();
        session.preferences.autosave_seconds = 0.0;
        session.perform(Command::File(FileCommand::Open(vec![folder.path().join("samples.portamento")])));
        let fast = |take: &mut crate::document::Take| match take.modifiers.first_mut() {
            Some(crate::document::Modifier::Dynamics(dynamics)) => {
                dynamics.fps = Some(240.0);
                Some(take.clone())
            }
            _ => None,
        };
        let take = session.document.takes.iter_mut().find_map(fast).unwrap();
        let destination = folder.path().join("out.glb");
        let request =
            ExportRequest { takes: vec![take.id], destination: destination.clone(), tolerance, ..Default::default() };
        session.perform(Command::File(FileCommand::Export(request)));
        let clip = crate::import::import(&destination).unwrap().model.clip(&take.name).unwrap().clone();
        (clip, session.built(&take).unwrap())
    }

    /// The worst angle between the curves and the simulation at the keys of the unreduced file, degrees; and the number of keys.
    fn compare(clip: &Clip, built: &BuiltTake) -> (f64, usize) {
        let skeleton = &built.character.model.skeleton;
        let simulated = built.dynamics().unwrap();
        let (mut worst, mut keys) = (0.0_f64, 0);
        for &joint in &simulated.joints {
            let curve = clip.tracks[joint].rotation.as_ref().unwrap();
            keys += curve.times.len();
            for &time in &built.clip.tracks[joint].rotation.as_ref().unwrap().times {
                let mut pose = crate::anim::Pose::rest(skeleton);
                simulated.sample(f64::from(time), &mut pose);
                let angle = crate::math::mean::angle_between(
                    pose.locals[joint].rotation,
                    curve.sample(f64::from(time)).unwrap(),
                );
                worst = worst.max(angle.to_degrees());
            }
        }
        (worst, keys)
    }

    #[test]
    fn the_keys_in_the_file_are_the_simulation_and_fewer_keep_the_promise() {
        let (clip, built) = swung(None);
        let (worst, all) = compare(&clip, &built);
        assert!(worst.to_radians() <= 1e-4, "{worst} degrees");
        let (few, built) = swung(Some(Tolerance { degrees: 0.5, metres: 0.001 }));
        let (worst, some) = compare(&few, &built);
        assert!(worst <= 0.51 && worst > 0.0 && some < all / 2, "{worst} degrees with {some} of {all} keys");
        let untouched =
            clip.tracks.iter().enumerate().filter(|(joint, _)| !built.dynamics().unwrap().joints.contains(joint));
        assert!(untouched.into_iter().all(|(joint, tracks)| few.tracks[joint] == *tracks));
    }
}
