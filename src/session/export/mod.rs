//! Writing takes as clips.

mod choice;
mod clip_format;
pub(super) mod command_line;
mod exports;
mod file_stem;
mod footage;
mod formats;
mod image_layout;
mod markers;
mod plan;
mod preset;
mod request;
mod sidecars;
mod staging;
mod write;

pub use choice::{Asks, ExportChoice};
pub use clip_format::ClipFormat;
pub use exports::Exports;
pub use formats::{ExportFormat, ImageFormat, MeshFormat};
pub use image_layout::ImageLayout;
pub use preset::Preset;
pub use request::{ClipNames, ExportRequest, Keep};
pub use sidecars::{RouteFormat, Sidecars, route_lines};

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

pub use self::file_stem::file_stems;
use self::plan::Wanted;
use self::staging::{Report, Staged, nothing};
use super::variants::Index;
use super::{Notice, OpenDocument, Session, Severity};
use crate::anim::uri::{Target, resolve};
use crate::document::{Loaded, SourceFile, Take, TakeId};
use crate::export::{ExportError, FileSet, PlacedFile, Replace, Sources};
use crate::message::{Message, Tell, message};
use crate::progress::Progress;

impl Session {
    pub(super) fn export(&mut self, request: ExportRequest) {
        // Long work ahead: what the user has made so far is safe first.
        self.autosave_now();
        let takes = match self.takes_to_export(&request) {
            Ok(takes) => takes,
            Err(why) => return self.notices.say(Severity::Error, nothing(why)),
        };
        let files = FileSet::on(self.disk.clone(), self.sources().into());
        let index = request.sidecars.index.then(|| self.opened().index_of(&request));
        let work = move |progress: &Progress| {
            let staged = staging::stage(&request, takes, files, progress)?;
            match index {
                Some(index) => staged.with_index(index, &request),
                None => Ok(staged),
            }
        };
        self.jobs.start(job_name(), work, |session, staged| match staged {
            Ok(staged) => session.put_in_place(staged),
            Err(message) => session.notices.say(Severity::Error, message),
        });
    }

    /// Answers for [`Exports::files_in_the_way`]: replaces all of them, or writes nothing.
    pub(super) fn answer_replace(&mut self, replaces: bool) {
        let Some(mut staged) = self.exports.staged.take() else { return };
        if replaces {
            staged.replace = Replace::Allow;
            self.put_in_place(staged);
        }
    }

    fn put_in_place(&mut self, mut staged: Staged) {
        match staged.files.commit(staged.replace) {
            Ok(placed) => {
                let (reports, written): (Vec<Value>, Vec<usize>) =
                    staged.reports.into_iter().map(|report| with_unchanged(report, &placed)).unzip();
                self.exports.files = placed.into_iter().map(|file| file.path).collect();
                self.say_exported(reports, &written);
                if let Some(failure) = staged.failure {
                    self.notices.say(Severity::Error, failure);
                }
            }
            Err(ExportError::WouldReplace { .. }) => self.exports.staged = Some(staged),
            Err(error) => self.notices.say(Severity::Error, nothing(error.message())),
        }
    }

    /// Every file that the project is made from, and the project.
    pub fn sources(&self) -> Sources {
        let mut sources = self.file_sources();
        self.project.path.iter().for_each(|project| sources.add(project));
        sources
    }

    /// Every file that the project is made from.
    pub(super) fn file_sources(&self) -> Sources {
        let mut sources = Sources::default();
        self.read.also_read().iter().for_each(|path| sources.add(path));
        for file in &self.document.files {
            self.opened().files_of_source(file).iter().for_each(|path| sources.add(path));
        }
        sources
    }

    /// Tells of each report, for which that many files were `written`.
    fn say_exported(&mut self, reports: Vec<Value>, written: &[usize]) {
        for (report, &written) in reports.iter().zip(written) {
            let path = PathBuf::from(report["file"].as_str().unwrap_or_default());
            let exact = report["texture"]["largest_error"].as_f64();
            let told = told(&path, written, report["unchanged_files"].as_u64().unwrap_or(0) as usize);
            let message = match exact {
                Some(off) => message!(
                    "notice.exported_texture",
                    "%{exported} Its texels put no vertex further than %{off} units off its place.",
                    exported = told,
                    off = format!("{off:.1e}"),
                ),
                None => told,
            };
            self.notices.push(Notice { severity: Severity::Done, message, folder: path.parent().map(Path::to_owned) });
            if let Some(kept) = report["kept"].as_str() {
                self.notices.say(Severity::Info, settings_kept(kept));
            }
        }
        self.exports.reports = reports;
    }

    /// The wanted takes, as far as they are built: the rest is the job's.
    fn takes_to_export(&mut self, request: &ExportRequest) -> Result<Vec<Wanted>, Message> {
        let gone = || message!("notice.take_gone", "the take is no longer in the project. Choose another.");
        let chosen = request.takes.iter().map(|&id| self.document.take(id).cloned().ok_or_else(gone));
        let chosen = chosen.collect::<Result<Vec<Take>, _>>()?;
        let mut stems = self.opened().stems(request);
        let mut takes = Vec::new();
        for take in chosen {
            let found = self.cache.find(&self.document, &self.library, &take).map_err(|error| error.message());
            let springs = if request.wants_springs() { self.spring_bones_of(&take) } else { Ok(None) };
            let (stem, character) = (stems.remove(&take.id).unwrap_or_default(), self.opened().character_name(&take));
            let walk = take.walk().cloned();
            takes.push(Wanted { name: take.name, stem, character, found, springs, walk });
        }
        if takes.is_empty() {
            return Err(message!("notice.no_take", "no take was chosen. Choose at least one."));
        }
        Ok(takes)
    }
}

impl<'a> OpenDocument<'a> {
    /// What tells the wanted takes from each other.
    fn index_of(self, request: &ExportRequest) -> Index {
        Index::between(request.takes.iter().filter_map(|&id| self.document.take(id)))
    }

    /// The file of the project with all that it refers to and the other frames of its sequence.
    pub(super) fn files_of_source(self, file: &SourceFile) -> Vec<PathBuf> {
        files_of(&file.path, self.library.get(file.id).map(|asset| &**asset))
    }

    /// What the files of each take are called, without extension: each of them apart from all others that go there.
    pub(super) fn stems(self, request: &ExportRequest) -> BTreeMap<TakeId, String> {
        let all = if request.together.is_empty() { &request.takes } else { &request.together };
        let takes: Vec<&Take> = all.iter().filter_map(|&id| self.document.take(id)).collect();
        let named = |take: &&Take| request.names.stem(&take.name, &self.character_name(take));
        let names: Vec<String> = takes.iter().map(named).collect();
        takes
            .iter()
            .map(|take| take.id)
            .zip(file_stems(names.iter().map(String::as_str), request.names.spaces))
            .collect()
    }

    fn character_name(self, take: &Take) -> String {
        self.library.get(take.character).map_or_else(String::new, |loaded| loaded.model.name.clone())
    }
}

/// The files that the glTF at `path` with that `json` names.
pub(super) fn named_in(json: &Value, path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let list = |key: &str| json.get(key).and_then(Value::as_array).into_iter().flatten();
    let uris = list("buffers").chain(list("images")).filter_map(|part| part.get("uri").and_then(Value::as_str));
    let file = |uri| if let Target::File(file) = resolve(folder, uri) { Some(file) } else { None };
    uris.filter_map(file).collect()
}

/// The file at `path`, which holds `loaded`, with everything it refers to and the other frames of its sequence; of a folder all
/// files in it.
fn files_of(path: &Path, loaded: Option<&Loaded>) -> Vec<PathBuf> {
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        files = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
        files.sort();
    }
    files.extend(loaded.iter().flat_map(|loaded| loaded.images.iter().cloned()));
    let json = loaded.and_then(|loaded| loaded.source.as_ref()).map(|source| &source.json);
    files.extend(json.into_iter().flat_map(|json| named_in(json, path)));
    if path.is_file() {
        let extensions: Vec<&str> = crate::import::extensions().collect();
        let frames = crate::import::sequence::find(path, &extensions).map(|sequence| sequence.files);
        files.extend(frames.into_iter().flatten());
        let is_cache = path.extension().is_some_and(|end| CACHES.iter().any(|cache| end.eq_ignore_ascii_case(cache)));
        // The mesh of a cache lies beside it under the same name.
        let meshes = extensions.iter().filter(|_| is_cache).map(|extension| path.with_extension(extension));
        files.extend(meshes.filter(|mesh| mesh.exists()));
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    files
}

/// The job that builds and encodes.
pub(super) fn job_name() -> Message {
    message!("job.export", "Export")
}

/// Extensions of caches that have points only.
const CACHES: [&str; 2] = ["mdd", "pc2"];

/// The report with the number of its files that were as they are, and how many were written.
fn with_unchanged(Report { mut told, files }: Report, placed: &[PlacedFile]) -> (Value, usize) {
    let placed = placed.get(files).unwrap_or_default();
    let unchanged = placed.iter().filter(|file| file.was_so).count();
    if unchanged > 0 {
        told["unchanged_files"] = unchanged.into();
    }
    (told, placed.len() - unchanged)
}

/// What is said of files of which `first` is the first: how many were `written`, and how many were so before.
fn told(first: &Path, written: usize, unchanged: usize) -> Message {
    match (written, unchanged) {
        (0, _) => message!(
            "notice.unchanged",
            "%{file} is as it was, so nothing was written.",
            file = first.display().to_string(),
        ),
        (_, 0) => exported(first, written),
        (_, _) => message!(
            "notice.exported_changed",
            "%{exported} Files that are as they were and were not written again: %{count}.",
            exported = exported(first, written),
            count = unchanged,
        ),
    }
}

/// Settings that an engine has made its own are not written over.
fn settings_kept(file: &str) -> Message {
    message!(
        "notice.godot_settings_kept",
        "%{file} is Godot's own by now and stays as it is. Choose the script beside it as its import script, and the key optimiser off.",
        file = file,
    )
}

/// The sentence for `files` files, of which `first` is the first.
fn exported(first: &Path, files: usize) -> Message {
    match (first.parent().filter(|folder| !folder.as_os_str().is_empty()), first.file_name()) {
        (Some(folder), Some(name)) if files > 1 => {
            message!(
                "notice.exported_to",
                "Exported %{count} files to %{folder}, %{first} first.",
                count = files,
                folder = folder.display().to_string(),
                first = name.display().to_string(),
            )
        }
        _ => {
            let first = first.display().to_string();
            match files {
                0 | 1 => message!("notice.exported", "Exported %{file}.", file = first),
                _ => message!(
                    "notice.exported_several",
                    "Exported %{count} files, %{first} first.",
                    count = files,
                    first = first,
                ),
            }
        }
    }
}

#[cfg(test)]
mod tests;
