//! Opening and saving.

use std::path::{Path, PathBuf};

use super::recovery;
use super::reload::Stamp;
use crate::anim::Rig;
use crate::document::{Asset, Character, Document, FileId, History, Library, Loaded, SourceFile, Take, file};
use crate::export::{ExportError, Replace};
use crate::import::{self, Imported};
use crate::message::message;
use crate::progress::Progress;
use crate::session::dynamics::presets;
use crate::session::{ExportChoice, FileCommand, Level, Preferences, Session, Shown};

/// A file as a job brings it in.
pub(super) struct Opened {
    pub path: PathBuf,
    pub hash: String,
    /// What the file looked like before it was read.
    pub stamp: Option<Stamp>,
    pub loaded: Loaded,
    pub metres_per_unit: f64,
    pub warnings: Vec<String>,
}

impl Session {
    pub(in crate::session) fn perform_file(&mut self, command: FileCommand) {
        match command {
            FileCommand::New => self.replace_document(Document::default()),
            FileCommand::Open(paths) => self.open(paths),
            FileCommand::OpenSamples => self.open_samples(),
            FileCommand::Save => match self.project_path.clone() {
                Some(path) => self.save(&path),
                None => self.window_requests.push(crate::session::WindowCommand::AskSaveAs),
            },
            FileCommand::SaveAs(path) => self.save(&path),
            FileCommand::SavePreset(index, path) => self.save_preset(index, &path),
            FileCommand::Export(request) => self.export(request),
            FileCommand::Replace(replaces) => self.answer_replace(replaces),
            FileCommand::SaveAnyway(saves) => self.answer_changed(saves),
            FileCommand::DiscardRecovery(work) => recovery::discard(&work),
        }
    }

    /// Opens projects at once and all other files in one job, so that they come in the order they were given.
    fn open(&mut self, paths: Vec<PathBuf>) {
        let (projects, others): (Vec<PathBuf>, Vec<PathBuf>) =
            paths.into_iter().partition(|path| file::is_project(path));
        projects.iter().for_each(|path| self.open_project(path));
        let is_preset = |path: &PathBuf| path.extension().is_some_and(|extension| extension == presets::EXTENSION);
        let (kept, others): (Vec<PathBuf>, Vec<PathBuf>) = others.into_iter().partition(is_preset);
        kept.iter().for_each(|path| self.open_preset(path));
        if others.is_empty() {
            return;
        }
        let done = |session: &mut Session, all: Vec<Result<Opened, String>>| {
            for opened in all {
                match opened {
                    Ok(opened) => session.add_file(opened),
                    Err(sentence) => session.notices.say(Level::Error, sentence),
                }
            }
        };
        self.jobs.start(&opening(&others), move |progress: &Progress| read_all(&others, progress), done);
    }

    /// Adds an opened file to the document and shows it.
    fn add_file(&mut self, opened: Opened) {
        self.say_warnings(&opened);
        self.preferences.remember(&opened.path);
        let name = shown_name(&opened.path);
        let known = self.document.files.iter().find(|file| file.path == opened.path).map(|file| file.id);
        let id = known.unwrap_or_else(|| {
            let id = FileId(self.document.fresh_id());
            let model = &opened.loaded.model;
            let metres_per_unit = opened.metres_per_unit;
            self.document.files.push(SourceFile { id, path: opened.path, hash: opened.hash.clone(), metres_per_unit });
            let rig = Rig::of_model(model, opened.loaded.source.as_deref());
            self.ask_unsure(&rig, &name);
            self.document.characters.push(Character { file: id, roles: rig.roles });
            for note in self.add_spring_bones(id, &opened.loaded, metres_per_unit) {
                self.notices.say(Level::Warning, format!("{name}: {note}"));
            }
            id
        });
        self.selection.shown = match opened.loaded.model.clips.first() {
            Some(clip) => Shown::Clip { character: id, file: id, clip: clip.name.clone() },
            None => Shown::File(id),
        };
        self.selection.joint = None;
        self.stamps.extend(opened.stamp.map(|stamp| (id, stamp)));
        self.hashes.insert(id, opened.hash);
        self.library.insert(id, Asset::new(opened.loaded));
    }

    fn open_project(&mut self, path: &Path) {
        let unreadable =
            |error| format!("{} could not be read: {error}. Check that it exists and may be read.", path.display());
        let read = regular(path).and_then(|()| std::fs::read(path)).map_err(unreadable).and_then(|bytes| {
            let document = file::from_bytes(&bytes, path).map_err(|error| error.to_string())?;
            Ok((document, bytes))
        });
        let (document, bytes) = match read {
            Ok(read) => read,
            Err(sentence) => return self.notices.say(Level::Error, sentence),
        };
        let spoilt = |take: &&Take| take.has_damaged_paint();
        document.takes.iter().filter(spoilt).for_each(|take| self.notices.say(Level::Warning, unpainted(&take.name)));
        let recovered = path.extension().is_some_and(|extension| extension == "autosave");
        // What a stranger's file says of its place is not believed: sources are read from there.
        let is_own = self.recovery_folder.as_deref().is_some_and(|folder| path.parent() == Some(folder));
        let project = if recovered { recovery::project_of(&bytes).filter(|_| is_own) } else { Some(path.to_owned()) };
        if !recovered {
            self.preferences.remember(path);
        }
        let wanted: Vec<SourceFile> = document.files.clone();
        let allowed: Vec<PathBuf> = self.preferences.recent.clone();
        self.replace_document(document);
        if recovered {
            self.history = History::new(&Document::default());
        }
        let folder = project.clone().unwrap_or_else(|| path.to_owned());
        project.iter().for_each(|project| self.settle_at(project));
        let may_open = |source: &SourceFile| file::is_inside(&source.path, &folder) || allowed.contains(&source.path);
        let (wanted, refused): (Vec<SourceFile>, Vec<SourceFile>) = wanted.into_iter().partition(may_open);
        refused.iter().for_each(|source| self.notices.say(Level::Error, outside(&source.path)));
        self.load_for_project(wanted);
    }

    fn load_for_project(&mut self, sources: Vec<SourceFile>) {
        if sources.is_empty() {
            return;
        }
        let paths: Vec<PathBuf> = sources.iter().map(|source| source.path.clone()).collect();
        let done = move |session: &mut Session, all: Vec<Result<Opened, String>>| {
            for (source, opened) in sources.iter().zip(all) {
                match opened {
                    Ok(opened) => session.fill_in(source, opened),
                    Err(sentence) => session.notices.say(Level::Error, sentence),
                }
            }
        };
        self.jobs.start(&opening(&paths), move |progress: &Progress| read_all(&paths, progress), done);
    }

    /// The content of a file that the document already names.
    fn fill_in(&mut self, source: &SourceFile, opened: Opened) {
        self.say_warnings(&opened);
        if opened.hash != source.hash {
            self.notices.say(Level::Warning, changed(&source.path));
        }
        self.stamps.extend(opened.stamp.map(|stamp| (source.id, stamp)));
        self.hashes.insert(source.id, opened.hash);
        self.library.insert(source.id, Asset::new(opened.loaded));
    }

    /// Puts `document` in place of the present one, as freshly opened.
    fn replace_document(&mut self, document: Document) {
        self.history = History::new(&document);
        self.selection.joint = None;
        self.selection.shown = match (document.takes.first(), document.files.first()) {
            (Some(take), _) => Shown::Take(take.id),
            (None, Some(file)) => Shown::File(file.id),
            (None, None) => Shown::Nothing,
        };
        self.document = document;
        self.library = Library::default();
        (self.stamps, self.hashes) = Default::default();
        (self.project_path, self.saved_as, self.lock) = (None, None, None);
        self.recovery.begin();
        self.export_choice = ExportChoice::default();
        (self.playback.time, self.playback.playing, self.playback.range) = (0.0, false, None);
    }

    fn open_samples(&mut self) {
        let Some(folder) = Preferences::folder().map(|folder| folder.join("samples")) else {
            return self.notices.say(
                Level::Error,
                "The samples need a folder of your own and the system names none. Set PORTAMENTO_HOME.",
            );
        };
        let make = move |_: &Progress| match crate::samples::write(&folder, Replace::Refuse) {
            // What the user made of the samples stays.
            Ok(_) | Err(ExportError::WouldReplace { .. }) => Ok(folder),
            Err(error) => Err(error.to_string()),
        };
        self.jobs.start("Make samples", make, |session, made: Result<PathBuf, String>| match made {
            Ok(folder) => session.open_project(&folder.join("samples.portamento")),
            Err(sentence) => session.notices.say(Level::Error, sentence),
        });
        self.poll();
    }

    /// Asks for the roles on which names and shape disagree; until they are chosen the likelier one is shown as unsure.
    fn ask_unsure(&mut self, rig: &Rig, name: &str) {
        for role in rig.unsure() {
            self.notices.say(
                Level::Warning,
                message!(
                    "warning.rig.unsure",
                    "%{file}: names and shape disagree about the %{role}. Choose it in the inspector under Rig.",
                    file = name,
                    role = role.message()
                )
                .to_string(),
            );
        }
    }

    pub(super) fn say_warnings(&mut self, opened: &Opened) {
        let name = shown_name(&opened.path);
        for warning in &opened.warnings {
            let says_where = warning.contains(&name);
            let text = if says_where { warning.clone() } else { format!("{name}: {warning}") };
            self.notices.say(Level::Warning, text);
        }
    }
}

/// What the job that opens `paths` is called.
pub(super) fn opening(paths: &[PathBuf]) -> String {
    match paths {
        [only] => format!("Open {}", shown_name(only)),
        several => format!("Open {} files", several.len()),
    }
}

/// Every file in order; those after a cancel are left out.
pub(super) fn read_all(paths: &[PathBuf], progress: &Progress) -> Vec<Result<Opened, String>> {
    let not_cancelled = |(index, _): &(usize, &PathBuf)| progress.step(*index, paths.len()).is_ok();
    paths.iter().enumerate().take_while(not_cancelled).map(|(_, path)| read(path)).collect()
}

/// Refuses what is neither file nor folder: reading from a pipe or a device may never end.
fn regular(path: &Path) -> std::io::Result<()> {
    let data = std::fs::metadata(path)?;
    if data.is_file() || data.is_dir() { Ok(()) } else { Err(std::io::Error::other("it is no plain file")) }
}

fn read(path: &Path) -> Result<Opened, String> {
    regular(path).map_err(|error| format!("{} could not be read: {error}. Choose another file.", path.display()))?;
    let stamp = Stamp::of(path);
    let imported = import::import(path).map_err(|error| error.to_string())?;
    let hash = fingerprint(path).map_err(|error| error.to_string())?;
    let Imported { model, source, footage, level, .. } = imported;
    let loaded = Loaded { model, source, footage, level };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    Ok(Opened { path, hash, stamp, loaded, metres_per_unit: imported.metres_per_unit, warnings: imported.warnings })
}

/// A file's by its bytes; a folder's by the names and sizes of its files and the bytes of the first: frames are many.
fn fingerprint(path: &Path) -> std::io::Result<String> {
    if !path.is_dir() {
        return Ok(file::fingerprint(&std::fs::read(path)?));
    }
    let entries = std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files: Vec<PathBuf> = entries.collect::<Result<_, std::io::Error>>()?;
    files.retain(|file| file.is_file());
    files.sort();
    let mut text = files.first().map(std::fs::read).transpose()?.unwrap_or_default();
    for file in files {
        text.extend(format!("{} {}\n", shown_name(&file), file.metadata()?.len()).bytes());
    }
    Ok(file::fingerprint(&text))
}

pub(super) fn shown_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn outside(path: &Path) -> String {
    format!(
        "{} lies outside the project's folder and was never opened here, so the project may not read it. \
         Open that file once yourself, then open the project again.",
        path.display()
    )
}

fn unpainted(take: &str) -> String {
    format!(
        "What was painted for the loop of \"{take}\" is damaged in the project file and is left out. \
         Restore a backup beside the project, or paint it again."
    )
}

fn changed(path: &Path) -> String {
    format!(
        "{} has changed since the project was saved. Takes use the new content; check their results.",
        path.display()
    )
}
