//! Export of takes as clips.

mod as_i_work;
mod choice;
pub(super) mod command_line;
pub mod distance_curve;
mod exports;
mod file_stem;
mod footage;
mod formats;
mod level;
mod markers;
mod plan;
mod preset;
mod report;
mod request;
mod sets;
mod sidecars;
mod staging;
mod warps;
mod write;

pub use as_i_work::ExportAsIWork;
pub use choice::{ExportChoice, RelevantSettings};
pub use exports::Exports;
pub use formats::{ExportFormat, ImageFormat, ImageLayout, MeshFormat};
pub use level::{crossings, voxel_map};
pub use portamento_formats::export::gltf::Keep;
pub use preset::Preset;
pub use report::{ExportReport, StillCurves, TakeReport, TextureReport};
pub use request::{ClipNames, ExportRequest, ExportSettings, TakeNames};
pub use sets::SetClip;
pub(crate) use sets::{ExportedSet, ExportedSets, incomplete_set};
pub use sidecars::{RouteFormat, Sidecars, route_lines};

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

pub use self::file_stem::file_stems;
use self::plan::Wanted;
use self::staging::nothing_exported;
use super::dynamics::spring_bone::SpringBoneWork;
use super::variants::Index;
use super::{JobKey, OpenDocument, ReadFiles, Session, Topic};
use portamento_anim::uri::{Target, resolve};
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
use portamento_formats::export::{FileSet, Sources};
use portamento_formats::import::sequence::{self, NumberPosition};
use portamento_takes::document::{Loaded, SourceFile, Take, TakeId, TakeSource};

impl Session {
    /// Starts a job that exports `request`; it waits for confirmation before it replaces files. Saves for recovery and ends
    /// the export of every change. A wrong request adds a notice.
    pub(super) fn export(&mut self, request: ExportRequest) {
        self.exports.stop_as_i_work();
        // Its outcome answers the error of the one before.
        self.notices.succeed(&Topic::Export);
        // The export may take long, so current work is saved for recovery first.
        self.autosave_now();
        let sets = self.opened().exported_sets(&request);
        let takes = match self.takes_to_export(&request, &sets) {
            Ok(takes) => takes,
            Err(why) => return self.notices.fail(Topic::Export, nothing_exported(why)),
        };
        self.exports.next_as_i_work = self.exports.choice.begin_as_i_work(&request);
        let mut files = FileSet::on(self.disk.clone(), self.sources().into());
        self.project.recovery_folder().into_iter().for_each(|folder| files.note_in(folder));
        let index = request.settings.sidecars.index.then(|| self.opened().index_of(&request));
        let work = move |progress: &Progress| {
            let staged = staging::stage(&request, takes, files, progress)?;
            let complete = match index {
                Some(index) => staged.with_index(index, &request)?,
                None => staged,
            };
            complete.with_sets(&sets, &request)?.synced()
        };
        self.jobs.start(JobKey::Export, work, |session, staged| match staged {
            Ok(staged) => session.exports.put_in_place(staged, &mut session.notices),
            Err(message) => session.notices.fail(Topic::Export, message),
        });
    }

    /// Returns every file that the project uses, including the project file.
    pub fn sources(&self) -> Sources {
        let mut sources = self.opened().file_sources(&self.read);
        self.project.path.iter().for_each(|project| sources.add(project));
        sources
    }

    /// Returns the takes to export, with finished builds; the job builds the rest. Returns `Err` if no take was chosen or
    /// one no longer exists.
    fn takes_to_export(&mut self, request: &ExportRequest, sets: &ExportedSets) -> Result<Vec<Wanted>, Message> {
        let opened = OpenDocument { document: &self.document, library: &self.library };
        let gone = || message!("notice.take_gone", "the take is no longer in the project. Choose another.");
        let chosen = request.takes.iter().map(|&id| opened.document.take(id).ok_or_else(gone));
        let chosen = chosen.collect::<Result<Vec<&Take>, _>>()?;
        if chosen.is_empty() {
            return Err(message!("notice.no_take", "no take was chosen. Choose at least one."));
        }
        let (mut stems, files) = (opened.stems(request), opened.files_per_character(request));
        let builds = &mut self.evaluation.builds;
        let wanted = |take: &Take| {
            let stem = stems.remove(&take.id).unwrap_or_default();
            Wanted {
                take: take.id,
                sets: sets.stems_with(take.id),
                loops: Some(true).filter(|_| sets.require_loop(take.id)).or(take.loops),
                name: take.name.clone(),
                file: files.get(&take.id).unwrap_or(&stem).clone(),
                stem,
                clip: opened.source_clip(take),
                character: opened.character_name(take),
                found: builds.find(opened, take).map_err(|error| error.message()),
                springs: if request.wants_springs() { SpringBoneWork::of(take, opened, builds) } else { Ok(None) },
                walk: take.walk().cloned(),
            }
        };
        Ok(chosen.into_iter().map(wanted).collect())
    }
}

impl<'a> OpenDocument<'a> {
    /// Returns every file that the project uses; `read` adds files that were read indirectly.
    pub(super) fn file_sources(self, read: &ReadFiles) -> Sources {
        let mut sources = Sources::default();
        read.also_read().iter().for_each(|path| sources.add(path));
        for file in &self.document.files {
            self.files_of_source(file).iter().for_each(|path| sources.add(path));
        }
        sources
    }

    /// Returns the index of the values in which the exported takes differ.
    fn index_of(self, request: &ExportRequest) -> Index {
        Index::between(request.takes.iter().filter_map(|&id| self.document.take(id)))
    }

    /// Returns a project file with all files it refers to and the other frames of its sequence.
    pub(super) fn files_of_source(self, file: &SourceFile) -> Vec<PathBuf> {
        files_of(&file.path, self.library.get(file.id).map(|asset| &**asset))
    }

    /// Returns the file stem of each take, unique among all takes of the export. Takes that no longer exist are left out.
    pub(super) fn stems(self, request: &ExportRequest) -> BTreeMap<TakeId, String> {
        let takes: Vec<&Take> = request.all_takes().iter().filter_map(|&id| self.document.take(id)).collect();
        let named = |take: &&Take| {
            let (clip, character) = (self.source_clip(take), self.character_name(take));
            request.settings.names.stem(TakeNames { take: &take.name, clip: &clip, character: &character })
        };
        let names: Vec<String> = takes.iter().map(named).collect();
        takes
            .iter()
            .map(|take| take.id)
            .zip(file_stems(names.iter().map(String::as_str), request.settings.names.spaces))
            .collect()
    }

    /// Returns the file stem of each take if a folder gets one file per character: the character's name, or the take's name
    /// if it moves no joints. Empty otherwise.
    fn files_per_character(self, request: &ExportRequest) -> BTreeMap<TakeId, String> {
        let takes =
            request.takes.iter().filter_map(|&id| self.document.take(id)).filter(|_| request.settings.per_character);
        let takes: Vec<&Take> = takes.collect();
        let key = |take: &Take| match take.source.moves_joints() {
            true => (Some(take.character), None),
            false => (None, Some(take.id)),
        };
        let name = |take: &Take| match take.source.moves_joints() {
            true => self.character_name(take),
            false => take.name.clone(),
        };
        let names: BTreeMap<_, String> = takes.iter().map(|take| (key(take), name(take))).collect();
        let stems = file_stems(names.values().map(String::as_str), request.settings.names.spaces);
        let files: BTreeMap<_, String> = names.keys().zip(stems).collect();
        takes.iter().map(|take| (take.id, files[&key(take)].clone())).collect()
    }

    /// Returns the name of the source clip of `take`, or the take's name without one.
    fn source_clip(self, take: &Take) -> String {
        match &take.source {
            TakeSource::Clip { clip, .. } => self.document.clip_title(clip),
            TakeSource::Retarget(retarget) => self.document.clip_title(&retarget.clip),
            _ => take.name.clone(),
        }
    }

    /// Returns the name of the character of `take`; empty if it is not loaded.
    fn character_name(self, take: &Take) -> String {
        self.library.get(take.character).map_or_else(String::new, |loaded| loaded.model.name.clone())
    }
}

/// Returns the files named in the glTF `json` at `path`. Embedded data is left out; the files may be missing.
pub(super) fn named_in(json: &Value, path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let list = |key: &str| json.get(key).and_then(Value::as_array).into_iter().flatten();
    let uris = list("buffers").chain(list("images")).filter_map(|part| part.get("uri").and_then(Value::as_str));
    let file = |uri| if let Target::File(file) = resolve(folder, uri) { Some(file) } else { None };
    uris.filter_map(file).collect()
}

/// Returns the file at `path` with all files it refers to and the other frames of its sequence; for a folder, all
/// files in it.
fn files_of(path: &Path, loaded: Option<&Loaded>) -> Vec<PathBuf> {
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        files = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
        files.sort();
    }
    files.extend(loaded.into_iter().flat_map(|loaded| named_by(path, loaded)));
    if path.is_file() {
        let extensions: Vec<&str> = portamento_formats::import::extensions().collect();
        let frames = sequence::find(path, &extensions, NumberPosition::Anywhere);
        files.extend(frames.into_iter().flat_map(|sequence| sequence.files));
        let is_cache = path.extension().is_some_and(|end| CACHES.iter().any(|cache| end.eq_ignore_ascii_case(cache)));
        // The mesh of a point cache has the same name and another extension.
        let meshes = extensions.iter().filter(|_| is_cache).map(|extension| path.with_extension(extension));
        files.extend(meshes.filter(|mesh| mesh.exists()));
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    files
}

/// Returns the files that `loaded`, read from `path`, refers to.
fn named_by(path: &Path, loaded: &Loaded) -> Vec<PathBuf> {
    let json = loaded.source.as_ref().map(|source| &source.json);
    let named = json.into_iter().flat_map(|json| named_in(json, path));
    loaded.images.iter().cloned().chain(named).collect()
}

/// Returns the file or folder at `path` and the other files that its import read. Only footage has further frames, so the
/// folders of other files are not listed.
pub(super) fn files_read(path: &Path, loaded: &Loaded) -> Vec<PathBuf> {
    let further = match loaded.footage {
        Some(_) => files_of(path, Some(loaded)),
        None => named_by(path, loaded),
    };
    std::iter::once(path.to_owned()).chain(further).collect()
}

/// Extensions of caches that contain points only.
const CACHES: [&str; 2] = ["mdd", "pc2"];

#[cfg(test)]
mod tests;
