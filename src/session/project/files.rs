//! Opening and saving files.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::opened::{Opened, Unread, read_all, shown_name};
use super::recovery;
use super::unreadable::unreadable;
use crate::dynamics::presets;
use crate::lessons::{Lesson, LessonRequest};
use crate::notices::about;
use crate::recipe::is_recipe;
use crate::rigs::rig_question::RigQuestions;
use crate::{ExportChoice, FileCommand, JobKey, Session, Severity, Shown, Topic};
use portamento_anim::Rig;
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
use portamento_base::regular_file;
use portamento_takes::document::{Character, Document, FileId, History, Library, SourceFile, Take, file};

impl Session {
    /// Performs a file command. Long work runs as jobs; failures are notices.
    pub(crate) fn perform_file(&mut self, command: FileCommand) {
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
                let saved = self.clips.tag_chosen(&tag, holds);
                self.notices.add_all(Severity::Warning, saved.err());
            }
            FileCommand::StackClips(rows, like) => self.stack_clips_like(rows, like),
            FileCommand::RetargetClips(rows, character) => self.retarget_rows(rows, character),
            FileCommand::FinishClips(rows) => self.ask_to_finish_rows(rows),
            FileCommand::ApplyRecipe(rows, path) => self.apply_recipe(rows, &path),
            FileCommand::SaveRecipe(take, path) => self.save_recipe(take, &path),
            FileCommand::OpenSamples => self.open_samples(),
            FileCommand::OpenLesson(request) => self.open_lesson(request),
            FileCommand::Save => match self.project.path.clone() {
                Some(path) => self.save(&path),
                None => self.window_requests.push(crate::WindowCommand::AskSaveAs),
            },
            FileCommand::SaveAs(path) => self.save(&path),
            FileCommand::SavePreset(index, path) => self.save_preset(index, &path),
            FileCommand::SaveAddOn(path) => self.save_add_on(&path),
            FileCommand::Export(request) => self.export(request),
            FileCommand::ExportAsIWork => self.toggle_export_as_i_work(),
            FileCommand::Replace(replaces) => self.exports.answer(replaces, &mut self.notices),
            FileCommand::Resolve(journal, resolution) => {
                let sources = self.sources();
                let on = (&*self.disk, &sources);
                self.exports.resolve(&journal, resolution, on, &mut self.notices);
            }
            FileCommand::SaveAnyway(saves) => self.answer_changed(saves),
            FileCommand::Reload(file) => self.read_again(file),
            FileCommand::ReplaceFile(file, path) => self.replace_file(file, path),
            FileCommand::FindMissing(folder) => self.find_missing(folder),
            FileCommand::DiscardRecovery(work) => recovery::discard(&work),
        }
    }

    /// Opens projects, presets and recipes immediately, and all other files in one job, so that they are added in the given
    /// order. A path that is given many times is read once. A project replaces the document.
    fn open(&mut self, mut paths: Vec<PathBuf>) {
        let mut known = HashSet::new();
        paths.retain(|path| known.insert(file::absolute(path)));
        let (projects, others): (Vec<PathBuf>, Vec<PathBuf>) =
            paths.into_iter().partition(|path| file::is_project(path));
        projects.iter().for_each(|path| self.open_project(path));
        let is_preset = |path: &PathBuf| path.extension().is_some_and(|extension| extension == presets::EXTENSION);
        let (preset_files, others): (Vec<PathBuf>, Vec<PathBuf>) = others.into_iter().partition(is_preset);
        preset_files.iter().for_each(|path| self.open_preset(path));
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

    /// Shows a clip of a file; opens the file in a job first if needed.
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

    /// Opens `paths` in a job without changing what is shown, then calls `done`, also after failures. Calls it immediately
    /// without paths.
    pub(crate) fn open_then(&mut self, paths: Vec<PathBuf>, done: impl FnOnce(&mut Session) + Send + 'static) {
        self.open_files(paths, true, done);
    }

    /// Opens `paths` in a job, shows the last one, then calls `done`.
    fn open_and_show(&mut self, paths: Vec<PathBuf>, done: impl FnOnce(&mut Session) + Send + 'static) {
        self.open_files(paths, false, done);
    }

    /// Reads `paths` in a job, adds them and calls `done`; calls it at once without paths. With `keep_shown`, the selection
    /// stays if its item still exists.
    fn open_files(&mut self, paths: Vec<PathBuf>, keep_shown: bool, done: impl FnOnce(&mut Session) + Send + 'static) {
        if paths.is_empty() {
            return done(self);
        }
        let key = JobKey::Open(paths.clone());
        let add = move |session: &mut Session, opened: Vec<Result<Opened, Unread>>| {
            let (has_others, before) = (!session.document.files.is_empty(), session.selection.clone());
            session.add_files(opened, has_others);
            if keep_shown && session.opened().has(&before.shown) {
                session.selection = before;
            }
            done(session);
        };
        self.jobs.start(key, move |progress: &Progress| read_all(&paths, progress), add);
    }

    /// Adds files and shows the last one. Adds notices for failures and remarks, and for each file if other files were open
    /// (`has_others`).
    pub(super) fn add_files(&mut self, all: Vec<Result<Opened, Unread>>, has_others: bool) {
        let (mut paths, mut remarks) = (Vec::new(), Vec::new());
        for opened in all {
            match opened {
                Ok(opened) => {
                    let notice = added(&opened);
                    paths.push(opened.path.clone());
                    remarks.extend(self.add_file(opened));
                    notice.into_iter().filter(|_| has_others).for_each(|note| self.notices.add(Severity::Done, note));
                }
                Err(unread) => self.report_unread(unread),
            }
        }
        remarks.extend(self.caches_without_mesh(&paths));
        self.notices.add_opening(remarks);
    }

    /// Adds an opened file to the document and shows it. Returns the remarks about it. A file that is open already gets the
    /// new content. A new avatar with spring bones gets a take.
    fn add_file(&mut self, opened: Opened) -> Vec<Message> {
        // A file that was removed although takes use it is theirs again.
        let files = &mut self.document.files;
        files.extend(self.document.removed_files.extract_if(.., |file| file.path == opened.path));
        let known = files.iter().find(|file| file.path == opened.path).map(|file| file.id);
        let mut remarks = if known.is_some() { opened.warnings_after_reload() } else { opened.warnings() };
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
                up: None,
                fps: None,
                sheet: None,
            });
            self.ask_about_new_sheet(id, &opened.loaded);
            let rig = Rig::of_model(model);
            remarks.extend(self.rig_questions.ask(id, &rig, &name));
            self.document.characters.push(Character { file: id, roles: rig.roles });
            let notes = self.add_spring_bones(id, &opened.loaded, metres_per_unit);
            remarks.extend(notes.into_iter().map(|note| about(&name, note)));
            id
        });
        self.selection.shown = match opened.loaded.model.clips.first() {
            Some(clip) => Shown::Clip { character: id, file: id, clip: clip.name.clone() },
            None => Shown::File(id),
        };
        self.selection.joint = None;
        self.note_read(id, &opened);
        self.library.insert(id, opened.loaded);
        remarks
    }

    /// Replaces the document by the project at `path`, shows the take that it names, and starts a job that reads its files.
    /// If the project cannot be read, the document stays and an error is added. Files that the project may not read are
    /// refused with a notice each.
    fn open_project(&mut self, path: &Path) {
        let read = regular_file::all(path).map_err(|error| unreadable(path, &error));
        let read = read.and_then(|bytes| match file::from_bytes(&bytes, path) {
            Ok(document) => Ok((document, bytes)),
            Err(error) => Err(error.message()),
        });
        let (document, bytes) = match read {
            Ok(read) => read,
            Err(reason) => return self.report_unread(Unread { path: file::absolute(path), reason }),
        };
        self.notices.succeed(&Topic::Read(file::absolute(path)));
        let has_damaged_paint = |take: &&Take| take.has_damaged_paint();
        document
            .takes
            .iter()
            .filter(has_damaged_paint)
            .for_each(|take| self.notices.add(Severity::Warning, unpainted(&take.name)));
        let recovered = path.extension().is_some_and(|extension| extension == "autosave");
        // An autosave path is trusted only if this program wrote the file: sources are read from there.
        let project = if recovered {
            recovery::project_of(&bytes).filter(|_| self.project.keeps(path))
        } else {
            Some(path.to_owned())
        };
        let lesson = Lesson::at(path);
        if !recovered && lesson.is_none() {
            self.preferences.remember(path);
        }
        let wanted: Vec<SourceFile> = document.files.clone();
        let allowed: Vec<PathBuf> = self.preferences.recent.clone();
        self.replace_document(document);
        self.lesson = lesson;
        let state = file::window_state(&bytes);
        if let Some(take) = state.shown.filter(|&take| self.document.take(take).is_some()) {
            self.selection.show(Shown::Take(take));
        }
        if recovered {
            self.history = History::new(&Document::default());
        }
        let folder = project.clone().unwrap_or_else(|| path.to_owned());
        project.iter().for_each(|project| self.settle_at(project));
        state.export.into_iter().for_each(|stored| self.restore_export(stored, path));
        // Listing the clips of a folder counts as opening everything in it.
        let may_open = |source: &SourceFile| file::may_read(&folder, &source.path, &allowed);
        let (wanted, refused): (Vec<SourceFile>, Vec<SourceFile>) = wanted.into_iter().partition(may_open);
        refused.iter().for_each(|source| self.notices.add(Severity::Error, outside(&source.path)));
        self.load_for_project(wanted);
    }

    /// Restores the export settings that the project file at `path` stores. Adds a notice if they cannot be read.
    fn restore_export(&mut self, stored: Value, path: &Path) {
        match ExportChoice::from_stored(stored, path) {
            Some(choice) => {
                self.project.saved_export.clone_from(&choice);
                self.exports.choice = choice;
            }
            None => self.notices.add(
                Severity::Warning,
                message!(
                    "notice.export_settings_unread",
                    "The export settings of %{file} cannot be read. The defaults are used.",
                    file = shown_name(path),
                ),
            ),
        }
    }

    /// Reads the files of `sources`, which the document already names, in a job. Adds notices about files that are missing or
    /// have changed.
    pub(super) fn load_for_project(&mut self, sources: Vec<SourceFile>) {
        if sources.is_empty() {
            return;
        }
        // A file named by many sources is read only once.
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
        let done = move |session: &mut Session, all: Vec<Result<Opened, Unread>>| {
            let (mut reasons, mut remarks) = (Vec::new(), Vec::new());
            for (path, opened) in in_order.iter().zip(all) {
                let same = ids.remove(path).unwrap_or_default();
                match opened {
                    Ok(opened) => remarks.extend(session.fill_in(&same, &opened)),
                    Err(unread) => {
                        same.iter().for_each(|source| session.read.note_unread(source.id));
                        reasons.push(unread);
                    }
                }
            }
            remarks.extend(session.caches_without_mesh(&in_order));
            session.notices.add_opening(remarks);
            session.report_missing(reasons);
        };
        self.jobs.start(JobKey::Open(paths.clone()), move |progress: &Progress| read_all(&paths, progress), done);
    }

    /// Loads the content of a file that the document already names, possibly as several sources. Returns the remarks about it.
    fn fill_in(&mut self, sources: &[SourceFile], opened: &Opened) -> Vec<Message> {
        let mut remarks = opened.warnings_after_reload();
        remarks.extend(sources.iter().find(|source| source.hash != opened.hash).map(|source| changed(&source.path)));
        for source in sources {
            self.note_read(source.id, opened);
            self.library.insert(source.id, opened.loaded.clone());
        }
        remarks
    }

    /// Replaces the current document and resets everything that belongs to it: history, selection, stored poses, questions
    /// and export settings. Cancels all jobs except an export and the measuring of clip folders.
    fn replace_document(&mut self, document: Document) {
        // Jobs of the old document must not change the new one, which uses the same ids. An export has all its input, and clip
        // folders belong to no document.
        self.jobs.cancel_all_but(&[JobKey::Export, JobKey::MeasureClips]);
        self.history = History::new(&document);
        self.selection.joint = None;
        self.pair = None;
        self.copied_stages = None;
        (self.stored_pose, self.copied_correction) = (None, None);
        self.lesson = None;
        self.document_number += 1;
        self.rig_questions = RigQuestions::default();
        self.sheet_questions.clear();
        self.selection.shown = Shown::first(&document);
        self.document = document;
        self.library = Library::default();
        self.read.forget();
        self.project.leave();
        self.exports.choice = ExportChoice::default();
        self.exports.stop_as_i_work();
        (self.playback.time, self.playback.playing, self.playback.range) = (0.0, false, None);
    }

    /// Completes the samples of the user, then opens their project.
    fn open_samples(&mut self) {
        self.write_samples(None, |session, folder| session.open_project(&folder.join("samples.portamento")));
    }

    /// Writes missing samples, then opens the project of a lesson; its take gets the title of the request. The export of an
    /// earlier one does not count for its steps.
    fn open_lesson(&mut self, request: LessonRequest) {
        let name = request.lesson.file_name();
        self.write_samples(request.reset.then(|| name.clone()), move |session, folder| {
            session.exports.forget_reports();
            session.open_project(&folder.join(&name));
            if let Some(take) = session.document.takes.first_mut().filter(|_| !request.title.is_empty()) {
                take.name = request.title;
                session.history = History::new(&session.document);
            }
        });
    }

    /// Completes the user's samples and writes the one named `reset` again, then calls `done` with their folder. Adds a
    /// notice if they cannot be written.
    fn write_samples(&mut self, reset: Option<String>, done: impl FnOnce(&mut Session, &Path) + Send + 'static) {
        let Some(folder) = crate::samples::folder() else {
            let message = message!(
                "notice.no_home",
                "The samples need a user folder, but the system does not define one. Set the environment variable PORTAMENTO_HOME.",
            );
            return self.notices.add(Severity::Error, message);
        };
        let write = move |_: &Progress| match crate::samples::complete(&folder, reset.as_deref()) {
            Ok(()) => Ok(folder),
            Err(error) => Err(error.message()),
        };
        self.jobs.start(JobKey::WriteSamples, write, |session, written: Result<PathBuf, Message>| match written {
            Ok(folder) => done(session, &folder),
            Err(message) => session.notices.add(Severity::Error, message),
        });
        self.poll();
    }
}

/// Returns the notice that a project may not read the file at `path`, which is outside its folder.
fn outside(path: &Path) -> Message {
    message!(
        "notice.outside",
        "%{file} is outside the project folder and was never opened on this computer, so the project may not read it. \
         Open the file once directly, then open the project again.",
        file = path.display().to_string(),
    )
}

/// Returns the notice that damaged weights of the loop in `take` were discarded.
fn unpainted(take: &str) -> Message {
    message!(
        "notice.unpainted",
        "The painted weights of the loop in “%{take}” are damaged in the project file and were discarded. \
         Restore a backup of the project, or paint them again.",
        take = take,
    )
}

/// Returns the notice for an opened file; `None` for footage, which is its own clip.
fn added(opened: &Opened) -> Option<Message> {
    let (file, clips) = (shown_name(&opened.path), opened.loaded.model.clips.len());
    let notice = match clips {
        0 => message!("notice.opened_still", "Opened %{file}. It has no clips.", file),
        _ => message!("notice.opened", "Opened %{file} with %{clips} %{clips|clip|clips}.", file, clips = clips),
    };
    Some(notice).filter(|_| opened.loaded.footage.is_none())
}

/// Returns the notice that the file at `path` has changed since the project was saved.
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
    fn a_project_opens_with_the_take_that_was_shown() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let [samples, saved] = ["samples.portamento", "saved.portamento"].map(|name| folder.path().join(name));
        let mut session = Session::inline();
        let open = |session: &mut Session, path: &Path| {
            session.perform(crate::Command::File(FileCommand::Open(vec![path.to_owned()])));
            session.update(0.0, true);
        };
        open(&mut session, &samples);
        let last = session.document.takes.last().unwrap().id;
        session.selection.show(Shown::Take(last));
        session.perform(crate::Command::File(FileCommand::SaveAs(saved.clone())));
        open(&mut session, &samples);
        assert_ne!(session.selection.shown, Shown::Take(last));
        open(&mut session, &saved);
        assert_eq!((session.selection.shown.clone(), session.is_unsaved()), (Shown::Take(last), false));
    }

    #[test]
    fn a_guessed_unit_is_reported_once_and_not_by_a_project_that_stores_it() {
        let folder = tempfile::tempdir().unwrap();
        let [walk, project] = ["walk.bvh", "walk.portamento"].map(|name| folder.path().join(name));
        std::fs::copy(portamento_test_support::fixture("doubtful_head.bvh"), &walk).unwrap();
        let guesses = |session: &mut Session| {
            let new = session.notices.take_new();
            new.iter().filter(|notice| notice.text().contains("does not say its unit")).count()
        };
        let mut session = Session::inline();
        session.perform(crate::Command::File(FileCommand::Open(vec![walk.clone()])));
        assert_eq!(guesses(&mut session), 1);
        session.document.files[0].metres_per_unit = 0.0254;
        for opened in [
            vec![FileCommand::SaveAs(project.clone()), FileCommand::Open(vec![project])],
            vec![FileCommand::Open(vec![walk])],
        ] {
            opened.into_iter().for_each(|command| session.perform(crate::Command::File(command)));
            assert!(session.library.get(session.document.files[0].id).is_some());
            assert_eq!((guesses(&mut session), session.document.files[0].metres_per_unit), (0, 0.0254));
        }
    }
}
