//! Opening and saving.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use std::io::Read as _;

use super::opened::{Opened, read_all};
use super::recovery;
use super::unreadable::unreadable;
use crate::anim::Rig;
use crate::document::{Character, Document, FileId, History, Library, SourceFile, Take, file};
use crate::export::{ExportError, Replace};
use crate::message::{Message, Tell, message};
use crate::progress::Progress;
use crate::regular_file;
use crate::session::dynamics::presets;
use crate::session::export;
use crate::session::notices::about;
use crate::session::recipe::is_recipe;
use crate::session::rig_question::RigQuestions;
use crate::session::{ExportChoice, FileCommand, Preferences, Session, Severity, Shown};

impl Session {
    pub(in crate::session) fn perform_file(&mut self, command: FileCommand) {
        match command {
            FileCommand::New => self.replace_document(Document::default()),
            FileCommand::Open(paths) => self.open(paths),
            FileCommand::OpenClip { file, clip } => self.open_clip(file, clip),
            FileCommand::MeasureClips(paths) => {
                paths.iter().for_each(|path| self.preferences.remember(path));
                self.clips.measure(paths, &mut self.jobs);
            }
            FileCommand::MendClips(request) => self.mend_clips(request),
            FileCommand::TagClips { tag, holds } => {
                let kept = self.clips.tag_chosen(&tag, holds);
                self.notices.say_all(Severity::Warning, kept.err());
            }
            FileCommand::StackClips(rows, like) => self.stack_clips_like(rows, like),
            FileCommand::ApplyRecipe(rows, path) => self.apply_recipe(rows, &path),
            FileCommand::SaveRecipe(take, path) => self.save_recipe(take, &path),
            FileCommand::OpenSamples => self.open_samples(),
            FileCommand::Save => match self.project.path.clone() {
                Some(path) => self.save(&path),
                None => self.window_requests.push(crate::session::WindowCommand::AskSaveAs),
            },
            FileCommand::SaveAs(path) => self.save(&path),
            FileCommand::SavePreset(index, path) => self.save_preset(index, &path),
            FileCommand::Export(request) => self.export(request),
            FileCommand::Replace(replaces) => self.exports.answer(replaces, &mut self.notices),
            FileCommand::SaveAnyway(saves) => self.answer_changed(saves),
            FileCommand::FindMissing(folder) => self.find_missing(folder),
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
        let (recipes, others): (Vec<PathBuf>, Vec<PathBuf>) = others.into_iter().partition(|path| is_recipe(path));
        self.open_recipes(&recipes);
        let asked = others.clone();
        self.open_and_show(others, move |session| {
            let is_open = |path: &Path| session.document.files.iter().any(|file| file.path == path);
            let opened = asked.into_iter().rev().map(|path| file::absolute(&path));
            let opened: Vec<PathBuf> = opened.filter(|path| is_open(path)).collect();
            opened.iter().for_each(|path| session.preferences.remember(path));
        });
    }

    /// Shows a clip of a file, which is opened first where it is not open yet.
    fn open_clip(&mut self, path: PathBuf, clip: String) {
        let path = file::absolute(&path);
        if let Some(file) = self.document.files.iter().find(|file| file.path == path).map(|file| file.id) {
            return self.selection.show_clip(file, clip);
        }
        self.open_and_show(vec![path], move |session| {
            if let Shown::Clip { file, .. } = session.selection.shown {
                session.selection.show_clip(file, clip);
            }
        });
    }

    /// Opens `paths` for something else that was asked for, so that what is shown stays, then goes on with `done`; at once where there
    /// is nothing to open.
    pub(in crate::session) fn open_then(
        &mut self,
        paths: Vec<PathBuf>,
        done: impl FnOnce(&mut Session) + Send + 'static,
    ) {
        self.open_files(paths, true, done);
    }

    /// The same with the last one shown.
    fn open_and_show(&mut self, paths: Vec<PathBuf>, done: impl FnOnce(&mut Session) + Send + 'static) {
        self.open_files(paths, false, done);
    }

    fn open_files(&mut self, paths: Vec<PathBuf>, stays: bool, done: impl FnOnce(&mut Session) + Send + 'static) {
        if paths.is_empty() {
            return done(self);
        }
        let name = opening(&paths);
        let add = move |session: &mut Session, opened: Vec<Result<Opened, Message>>| {
            let (beside, before) = (!session.document.files.is_empty(), session.selection.clone());
            session.add_files(opened, beside);
            if stays && session.opened().has(&before.shown) {
                session.selection = before;
            }
            done(session);
        };
        self.jobs.start(name, move |progress: &Progress| read_all(&paths, progress), add);
    }

    /// Adds files, and says so where they stand `beside` others.
    pub(super) fn add_files(&mut self, all: Vec<Result<Opened, Message>>, beside: bool) {
        for opened in all {
            match opened {
                Ok(opened) => {
                    let told = added(&opened);
                    self.add_file(opened);
                    told.into_iter().filter(|_| beside).for_each(|told| self.notices.say(Severity::Done, told));
                }
                Err(message) => self.notices.say(Severity::Error, message),
            }
        }
    }

    /// Adds an opened file to the document and shows it.
    fn add_file(&mut self, opened: Opened) {
        let known = self.document.files.iter().find(|file| file.path == opened.path).map(|file| file.id);
        let told = if known.is_some() { opened.told_again() } else { opened.told() };
        self.notices.say_all(Severity::Warning, told);
        self.preferences.remember_last(&opened.path);
        let name = shown_name(&opened.path);
        let id = known.unwrap_or_else(|| {
            let id = FileId(self.document.fresh_id());
            let model = &opened.loaded.model;
            let metres_per_unit = opened.metres_per_unit;
            self.document.files.push(SourceFile {
                id,
                path: opened.path.clone(),
                hash: opened.hash.clone(),
                metres_per_unit,
            });
            let rig = Rig::of_model(model);
            let unsure = self.rig_questions.ask(id, &rig, &name);
            self.notices.say_all(Severity::Warning, unsure);
            self.document.characters.push(Character { file: id, roles: rig.roles });
            for note in self.add_spring_bones(id, &opened.loaded, metres_per_unit) {
                self.notices.say(Severity::Warning, about(&name, note));
            }
            id
        });
        self.selection.shown = match opened.loaded.model.clips.first() {
            Some(clip) => Shown::Clip { character: id, file: id, clip: clip.name.clone() },
            None => Shown::File(id),
        };
        self.selection.joint = None;
        self.read.note(id, &opened);
        self.library.insert(id, opened.loaded);
    }

    fn open_project(&mut self, path: &Path) {
        let read = regular_file::all(path).map_err(|error| unreadable(path, &error));
        let read = read.and_then(|bytes| match file::from_bytes(&bytes, path) {
            Ok(document) => Ok((document, bytes)),
            Err(error) => Err(error.message()),
        });
        let (document, bytes) = match read {
            Ok(read) => read,
            Err(message) => return self.notices.say(Severity::Error, message),
        };
        let spoilt = |take: &&Take| take.has_damaged_paint();
        document
            .takes
            .iter()
            .filter(spoilt)
            .for_each(|take| self.notices.say(Severity::Warning, unpainted(&take.name)));
        let recovered = path.extension().is_some_and(|extension| extension == "autosave");
        // What a stranger's file says of its place is not believed: sources are read from there.
        let project = if recovered {
            recovery::project_of(&bytes).filter(|_| self.project.keeps(path))
        } else {
            Some(path.to_owned())
        };
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
        // A folder whose clips were listed was opened with all that is in it.
        let was_opened = |path: &Path| path.ancestors().any(|place| allowed.iter().any(|known| known == place));
        let may_open = |source: &SourceFile| file::is_inside(&source.path, &folder) || was_opened(&source.path);
        let (wanted, refused): (Vec<SourceFile>, Vec<SourceFile>) = wanted.into_iter().partition(may_open);
        refused.iter().for_each(|source| self.notices.say(Severity::Error, outside(&source.path)));
        self.load_for_project(wanted);
    }

    pub(super) fn load_for_project(&mut self, sources: Vec<SourceFile>) {
        if sources.is_empty() {
            return;
        }
        // A file that is named a thousand times is read once.
        let mut ids: BTreeMap<PathBuf, Vec<SourceFile>> = BTreeMap::new();
        let mut paths = Vec::new();
        for source in sources {
            let same = ids.entry(source.path.clone()).or_default();
            if same.is_empty() {
                paths.push(source.path.clone());
            }
            same.push(source);
        }
        let in_order = paths.clone();
        let done = move |session: &mut Session, all: Vec<Result<Opened, Message>>| {
            let mut reasons = Vec::new();
            for (path, opened) in in_order.iter().zip(all) {
                let same = ids.remove(path).unwrap_or_default();
                match opened {
                    Ok(opened) => session.fill_in(&same, &opened),
                    Err(message) => reasons.push(message),
                }
            }
            session.say_missing(reasons);
        };
        self.jobs.start(opening(&paths), move |progress: &Progress| read_all(&paths, progress), done);
    }

    /// The content of a file that the document already names, as several sources if it likes.
    fn fill_in(&mut self, sources: &[SourceFile], opened: &Opened) {
        self.notices.say_all(Severity::Warning, opened.told_again());
        if let Some(source) = sources.iter().find(|source| source.hash != opened.hash) {
            self.notices.say(Severity::Warning, changed(&source.path));
        }
        for source in sources {
            self.read.note(source.id, opened);
            self.library.insert(source.id, opened.loaded.clone());
        }
    }

    /// Puts `document` in place of the present one, as freshly opened.
    fn replace_document(&mut self, document: Document) {
        // What is read or built for the old one must not come into the new one, whose files have the same numbers. An export has
        // all it needs.
        self.jobs.cancel_all_but(&export::job_name());
        self.history = History::new(&document);
        self.selection.joint = None;
        self.pair = None;
        self.rig_questions = RigQuestions::default();
        self.selection.shown = Shown::first(&document);
        self.document = document;
        self.library = Library::default();
        self.read.forget();
        self.project.leave();
        self.exports.choice = ExportChoice::default();
        (self.playback.time, self.playback.playing, self.playback.range) = (0.0, false, None);
    }

    fn open_samples(&mut self) {
        let Some(folder) = Preferences::folder().map(|folder| folder.join("samples")) else {
            let message = message!(
                "notice.no_home",
                "The samples need a folder of your own and the system names none. Set PORTAMENTO_HOME.",
            );
            return self.notices.say(Severity::Error, message);
        };
        let make = move |_: &Progress| match crate::samples::write(&folder, Replace::Refuse) {
            // What the user made of the samples stays.
            Ok(_) | Err(ExportError::WouldReplace { .. }) => Ok(folder),
            Err(error) => Err(error.message()),
        };
        let name = message!("job.samples", "Make samples");
        self.jobs.start(name, make, |session, made: Result<PathBuf, Message>| match made {
            Ok(folder) => session.open_project(&folder.join("samples.portamento")),
            Err(message) => session.notices.say(Severity::Error, message),
        });
        self.poll();
    }
}

/// What the job that opens `paths` is called.
pub(super) fn opening(paths: &[PathBuf]) -> Message {
    let file = paths.first().map(|path| shown_name(path)).unwrap_or_default();
    match paths.len() {
        0 | 1 => message!("job.open", "Open %{file}", file),
        // Named by a file too: a job of the same name is taken for the same work.
        count => message!("job.open_several", "Open %{file} and %{count} more", file, count = count - 1),
    }
}

/// A file's by its bytes; a folder's by the names and sizes of its files and the bytes of the first: frames are many.
pub(in crate::session) fn fingerprint(path: &Path, progress: &Progress) -> std::io::Result<String> {
    let go_on = || progress.step(1, 1).map_err(std::io::Error::other);
    if !path.is_dir() {
        return file::fingerprint_of(regular_file::open(path)?.0, go_on);
    }
    let entries = std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files: Vec<PathBuf> = entries.collect::<Result<_, std::io::Error>>()?;
    files.retain(|file| file.is_file());
    files.sort();
    let mut text = String::new();
    for file in &files {
        text += &format!("{} {}\n", shown_name(file), file.metadata()?.len());
    }
    match files.first() {
        Some(first) => file::fingerprint_of(regular_file::open(first)?.0.chain(text.as_bytes()), go_on),
        None => Ok(file::fingerprint(text.as_bytes())),
    }
}

pub(super) fn shown_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn outside(path: &Path) -> Message {
    message!(
        "notice.outside",
        "%{file} lies outside the project's folder and was never opened here, so the project may not read it. \
         Open that file once yourself, then open the project again.",
        file = path.display().to_string(),
    )
}

fn unpainted(take: &str) -> Message {
    message!(
        "notice.unpainted",
        "What was painted for the loop of “%{take}” is damaged in the project file and is left out. \
         Restore a backup beside the project, or paint it again.",
        take = take,
    )
}

/// What was opened, unless it is footage, which is its own clip.
fn added(opened: &Opened) -> Option<Message> {
    let (file, clips) = (shown_name(&opened.path), opened.loaded.model.clips.len());
    let told = match clips {
        0 => message!("notice.opened_still", "%{file} was opened. It has no clips.", file),
        _ => message!("notice.opened", "%{file} was opened with %{clips} %{clips|clip|clips}.", file, clips = clips),
    };
    Some(told).filter(|_| opened.loaded.footage.is_none())
}

fn changed(path: &Path) -> Message {
    message!(
        "notice.changed",
        "%{file} has changed since the project was saved. Takes use the new content; check their results.",
        file = path.display().to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guess_of_a_unit_is_told_once_and_not_again_by_the_project_that_knows_it() {
        let folder = tempfile::tempdir().unwrap();
        let [walk, project] = ["walk.bvh", "walk.portamento"].map(|name| folder.path().join(name));
        std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/fixtures/doubtful_head.bvh"), &walk)
            .unwrap();
        let guesses = |session: &mut Session| {
            let new = session.notices.take_new();
            new.iter().filter(|notice| notice.text().contains("does not say its unit")).count()
        };
        let mut session = Session::inline();
        session.perform(crate::session::Command::File(FileCommand::Open(vec![walk.clone()])));
        assert_eq!(guesses(&mut session), 1);
        session.document.files[0].metres_per_unit = 0.0254;
        for opened in [
            vec![FileCommand::SaveAs(project.clone()), FileCommand::Open(vec![project])],
            vec![FileCommand::Open(vec![walk])],
        ] {
            opened.into_iter().for_each(|command| session.perform(crate::session::Command::File(command)));
            assert!(session.library.get(session.document.files[0].id).is_some());
            assert_eq!((guesses(&mut session), session.document.files[0].metres_per_unit), (0, 0.0254));
        }
    }

    #[test]
    fn files_are_not_opened_in_place_of_others() {
        let named = |files: &[&str]| opening(&files.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(named(&["a.glb", "b.glb"]), named(&["a.glb", "b.glb"]));
        let all = [named(&["a.glb"]), named(&["b.glb"]), named(&["a.glb", "b.glb"]), named(&["c.glb", "d.glb"])];
        assert!((1..all.len()).all(|at| !all[..at].contains(&all[at])), "{all:?}");
        assert_eq!(all[3].to_string(), "Open c.glb and 1 more");
    }
}
