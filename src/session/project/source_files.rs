//! Source files of a project: removing, reloading and replacing them, each with one undo step.

use std::path::PathBuf;

use super::opened::shown_name;
use super::opened::{Opened, Unread, read_all};
use crate::{JobKey, OpenDocument, Session, Severity, Shown, Topic};
use portamento_base::message::{Tell, message};
use portamento_base::progress::Progress;
use portamento_takes::document::{FileId, SourceFile, Take, TakeId, file};

impl Session {
    /// Returns `file`, or the file of the shown item; `None` with a notice if none is shown.
    pub fn file_or_shown(&mut self, file: Option<FileId>) -> Option<FileId> {
        let found = file.or_else(|| self.opened().file_of(&self.selection.shown));
        if found.is_none() {
            let message = message!("notice.no_file_shown", "No file is shown. Select a file, or a clip of it, first.");
            self.notices.add(Severity::Info, message);
        }
        found
    }

    /// Removes a file; asks first if takes or reference meshes use it. `None` means the file of the shown item; without
    /// one, adds a notice.
    pub(crate) fn ask_to_remove_file(&mut self, file: Option<FileId>) {
        let Some(file) = self.file_or_shown(file) else { return };
        if self.opened().users_of_file(file).is_empty() {
            self.remove_file(file);
        } else {
            self.asked_file_removal = Some(file);
        }
    }

    /// Removes a file without asking. Takes that use it are kept and report it as missing. Adds a notice and shows another
    /// item if the shown one is gone. Does nothing if there is no such file.
    pub(crate) fn remove_file(&mut self, file: FileId) {
        self.asked_file_removal = None;
        let Some(source) = self.document.file(file) else { return };
        self.notices.succeed(&Topic::Read(source.path.clone()));
        let message = message!(
            "notice.file_removed",
            "%{file} was removed from the project. The file on disk is unchanged.",
            file = shown_name(&source.path),
        );
        self.document.remove_file(file);
        self.library.follow(&self.document);
        if !self.opened().has(&self.selection.shown) {
            self.selection.joint = None;
            self.show_instead(None);
        }
        self.notices.add(Severity::Done, message);
    }

    /// Makes take `id` use the open file `to` instead of the missing file `from`, which is removed if no take uses it any
    /// more.
    pub(crate) fn give_file(&mut self, id: TakeId, from: FileId, to: FileId) {
        self.document.give_file(id, from, to);
    }

    /// Starts a job that reads a file again from disk. `None` means the file of the shown item; without one, adds a notice.
    pub(crate) fn read_again(&mut self, file: Option<FileId>) {
        let Some(source) = self.file_or_shown(file).and_then(|id| self.document.file(id)).cloned() else { return };
        if self.library.get(source.id).is_none() {
            return self.load_for_project(vec![source]);
        }
        let (id, paths) = (source.id, vec![source.path]);
        let key = JobKey::Open(paths.clone());
        let done = move |session: &mut Session, all: Vec<Result<Opened, Unread>>| {
            for opened in all {
                match opened {
                    Ok(opened) => session.take_read_again(id, opened),
                    Err(unread) => session.report_unread(unread),
                }
            }
        };
        self.jobs.start(key, move |progress: &Progress| read_all(&paths, progress), done);
        self.poll();
    }

    /// Replaces the content of file `id`, which the user read again, and keeps the version before for undo. Adds a notice, also
    /// if nothing changed.
    fn take_read_again(&mut self, id: FileId, opened: Opened) {
        let name = shown_name(&opened.path);
        let Some(before) = self.library.get(id).cloned() else { return };
        let Some(source) = self.document.files.iter_mut().find(|file| file.id == id) else { return };
        let hash = self.read.hash(id).cloned().unwrap_or_default();
        source.hash.clone_from(&opened.hash);
        if !self.note_read(id, &opened) {
            let message = message!("notice.reload_same", "%{file} was read again. It has not changed.", file = name);
            return self.notices.add(Severity::Info, message);
        }
        self.read.keep_version(id, hash, before);
        self.notices.add_opening(opened.warnings_after_reload());
        self.library.insert(id, opened.loaded);
        self.notices.add(Severity::Done, message!("notice.reload_new", "%{file} was reloaded.", file = name));
        self.report_unbuildable();
    }

    /// Shows the files as the document describes them. Files that undo brought back return, with the content of that time,
    /// and files turn to the chosen upward axes.
    pub(crate) fn follow_files(&mut self) {
        self.library.follow(&self.document);
        for file in &self.document.files {
            let Some(loaded) = self.library.get(file.id).cloned() else { continue };
            if let Some(version) = self.read.exchange_version(file, loaded) {
                self.library.insert(file.id, version);
            }
        }
        self.turn_files();
    }

    /// Replaces file `from` by the file at `path` in all takes and reference meshes. Opens it in a job if needed; reads it
    /// again if it is the same file.
    pub(crate) fn replace_file(&mut self, from: FileId, path: PathBuf) {
        let path = file::absolute(&path);
        let open = self.document.files.iter().find(|file| file.path == path).map(|file| file.id);
        if let Some(to) = open {
            return if to == from { self.read_again(Some(from)) } else { self.put_in_place_of(from, to) };
        }
        self.open_then(vec![path.clone()], move |session| {
            let opened = session.document.files.iter().find(|file| file.path == path).map(|file| file.id);
            opened.into_iter().for_each(|to| session.put_in_place_of(from, to));
        });
    }

    /// Replaces file `from` by the open file `to` in all takes and in the selection. Does nothing if the document has
    /// neither. Import settings carry over. Adds a notice, and a warning for each take that no longer builds.
    fn put_in_place_of(&mut self, from: FileId, to: FileId) {
        let source = |id: FileId| self.document.file(id).or(self.document.removed_file(id)).cloned();
        let (Some(old), Some(new)) = (source(from), source(to)) else { return };
        let is_same_rig = self.library.get(from).zip(self.library.get(to)).is_some_and(|(old, new)| {
            let names = |file: &portamento_takes::document::Loaded| {
                file.model.skeleton.joints.iter().map(|joint| joint.name.clone()).collect::<Vec<_>>()
            };
            names(old) == names(new)
        });
        // Import settings that the user chose apply to the new version of the file too.
        let has_own_unit = self.read.unit(from).is_some_and(|unit| unit != old.metres_per_unit);
        if let Some(file) = self.document.files.iter_mut().find(|file| file.id == to) {
            if has_own_unit {
                file.metres_per_unit = old.metres_per_unit;
            }
            (file.up, file.fps) = (file.up.or(old.up), file.fps.or(old.fps));
        }
        let count = self.document.takes_with_file(from).count();
        self.document.replace_file(from, to, is_same_rig);
        self.library.follow(&self.document);
        self.selection.shown = match self.selection.shown.clone() {
            Shown::File(file) if file == from => Shown::File(to),
            Shown::Clip { character, file, clip } => {
                let replaced = |id: FileId| if id == from { to } else { id };
                Shown::Clip { character: replaced(character), file: replaced(file), clip }
            }
            other => other,
        };
        self.notices.succeed(&Topic::Read(old.path.clone()));
        let [old, new] = [old, new].map(|file| shown_name(&file.path));
        let message = message!(
            "notice.file_replaced",
            "%{new} replaces %{old} in %{count} %{count|take|takes}.",
            new,
            old,
            count = count
        );
        self.notices.add(Severity::Done, message);
        self.follow_files();
        self.report_unbuildable();
    }

    /// Adds a warning for each take that can no longer be built. Builds fast takes now; slow ones are checked when they are
    /// shown.
    pub(super) fn report_unbuildable(&mut self) {
        let takes = self.document.takes.clone();
        for take in &takes {
            let opened = OpenDocument { document: &self.document, library: &self.library };
            if let Err(error) = self.evaluation.builds.quick(opened, take) {
                let message = message!(
                    "notice.no_longer_fits",
                    "%{take} can no longer be built: %{reason}",
                    take = &take.name,
                    reason = error.message(),
                );
                self.notices.add(Severity::Warning, message);
            }
        }
    }
}

impl<'a> OpenDocument<'a> {
    /// Returns the file of the shown item: the file itself, that of the clip, or that of the take's source, else its character.
    /// `None` if nothing is shown or the project has no such file.
    pub fn file_of(self, shown: &Shown) -> Option<FileId> {
        let file = match shown {
            Shown::Nothing => None,
            Shown::File(file) | Shown::Clip { file, .. } => Some(*file),
            Shown::Take(id) => self.document.take(*id).and_then(|take| take.source.file().or(Some(take.character))),
        };
        file.filter(|&file| self.document.file(file).is_some())
    }

    /// Returns the names of the takes and reference meshes that use a file.
    pub fn users_of_file(self, file: FileId) -> Vec<&'a str> {
        let takes = self.document.takes_with_file(file).map(|take| take.name.as_str());
        let objects = self
            .document
            .objects
            .iter()
            .filter(move |object| object.mesh.as_ref().is_some_and(|mesh| mesh.file == file));
        takes.chain(objects.map(|object| object.name.as_str())).collect()
    }

    /// Returns the files of `take` that are not loaded: missing on disk, or removed from the project.
    pub fn missing_files_of(self, take: &Take) -> Vec<&'a SourceFile> {
        let document = self.document;
        let named = take.named_files().into_iter().filter(|&id| self.library.get(id).is_none());
        named.filter_map(|id| document.file(id).or(document.removed_file(id))).collect()
    }
}

#[cfg(test)]
mod tests;
