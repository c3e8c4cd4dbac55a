//! Interrupted exports: sets whose process died between the first rename and the last, so that some files are new and
//! the others old. The user decides whether to finish or to undo them.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::content::Content;
use super::{ExportError, Sources, StagedFile, cleanup, display};
use crate::export::file_system::FileSystem;
use portamento_base::message::{Message, message};
use portamento_base::system_reason::refused;

/// An export of which some files are new and the others old.
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupted {
    journal: PathBuf,
    renames: Vec<StagedFile>,
    /// The state of each rename when the journal was read.
    states: Vec<State>,
}

/// Decision about an interrupted export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Replaces the old files by the new ones that wait.
    Finish,
    /// Restores the files that were replaced, and removes the files that were added.
    Undo,
}

/// The state of one rename of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The target has the new content.
    Arrived,
    /// The target has the old content, and the new content waits.
    Waiting,
    /// The target has the old content, and the new content is gone.
    Undone,
    /// The target has other content, and the new content waits: it was changed before its rename.
    ChangedBefore,
    /// The target has other content, and the new content is gone: it was changed after its rename.
    ChangedAfter,
}

impl State {
    /// Compares the files on disk with those of `rename`.
    fn of(rename: &StagedFile) -> Self {
        let waits = || Content::at(&rename.part).as_ref() == Some(&rename.new);
        match Content::at(&rename.target) {
            Some(content) if content == rename.new => Self::Arrived,
            content if content == rename.replaced && content.as_ref().is_none_or(Content::is_known) => {
                if waits() {
                    Self::Waiting
                } else {
                    Self::Undone
                }
            }
            _ if waits() => Self::ChangedBefore,
            _ => Self::ChangedAfter,
        }
    }

    /// True if the rename to the target took place.
    fn was_renamed(self) -> bool {
        matches!(self, Self::Arrived | Self::ChangedAfter)
    }
}

impl Interrupted {
    /// Returns the export of the journal at `journal` with its `renames`, whose states are read from the disk now.
    pub(super) fn of(journal: &Path, renames: Vec<StagedFile>) -> Self {
        let states = renames.iter().map(State::of).collect();
        Self { journal: journal.to_owned(), renames, states }
    }

    fn with_states(&self) -> impl Iterator<Item = (&StagedFile, State)> {
        self.renames.iter().zip(self.states.iter().copied())
    }

    /// Returns the journal that describes the export.
    pub fn journal(&self) -> &Path {
        &self.journal
    }

    /// Returns the innermost folder that contains all files of the export.
    pub fn folder(&self) -> &Path {
        self.journal.parent().unwrap_or(Path::new("/"))
    }

    /// Returns the files that are still old. These are requested paths. A file that another program changed before its
    /// rename counts as old.
    pub fn old_files(&self) -> Vec<&Path> {
        self.with_states().filter(|(_, state)| !state.was_renamed()).map(|(rename, _)| &*rename.path).collect()
    }

    /// True if some files are new and unchanged since.
    pub(super) fn has_new_files(&self) -> bool {
        self.states.contains(&State::Arrived)
    }

    /// Returns what happened, as a sentence.
    pub fn message(&self) -> Message {
        message!(
            "export.interrupted",
            "An export to %{folder} was interrupted: %{new} of its %{count} files are new, the others are old.",
            folder = display(self.folder()),
            new = self.renames.len() - self.old_files().len(),
            count = self.renames.len(),
        )
    }

    /// True if no other process works on the export. Takes its lock for a moment.
    pub(super) fn is_dead(&self) -> bool {
        cleanup::lock_of_dead(&self.journal.with_extension("lock")).is_some()
    }

    /// True if some files are new and some old, apart from those in `rewritten`. `rewritten` has resolved paths.
    pub(super) fn is_half_new(&self, rewritten: &BTreeSet<PathBuf>) -> bool {
        let others = || self.with_states().filter(|(rename, _)| !rewritten.contains(&rename.target));
        others().any(|(_, state)| state.was_renamed()) && others().any(|(_, state)| !state.was_renamed())
    }

    /// Finishes or undoes the export. Returns reports about files that were left as they are: sources, and files that
    /// other programs changed since.
    ///
    /// Returns `Err` if another process works on it or a rename fails. It can then be resolved again. The journal and the
    /// temporary files are removed after success. Nothing happens if another process has resolved it.
    pub fn resolve(
        &self,
        system: &dyn FileSystem,
        sources: &Sources,
        resolution: Resolution,
    ) -> Result<Vec<Message>, ExportError> {
        let Some(_lock) = cleanup::lock_of_dead(&self.journal.with_extension("lock")) else {
            let reason = message!("export.resolved_elsewhere", "another process works on it");
            return Err(ExportError::Unwritable { file: display(self.folder()), reason: refused(reason) });
        };
        if !self.journal.exists() {
            return Ok(Vec::new());
        }
        let mut reports = Vec::new();
        for rename in &self.renames {
            let unwritable = |reason| ExportError::Unwritable { file: display(&rename.path), reason };
            let acts = match (State::of(rename), resolution) {
                (State::Waiting, Resolution::Finish) | (State::Arrived, Resolution::Undo) => true,
                (State::Arrived, Resolution::Finish) | (State::Waiting | State::Undone, Resolution::Undo) => continue,
                _ => false,
            };
            if !acts || sources.find(&rename.target).is_some() {
                reports.push(left_as_it_is(&rename.path));
                continue;
            }
            let is_done = match resolution {
                Resolution::Finish => finish(system, rename).map(|()| true),
                Resolution::Undo => undo(system, rename),
            };
            if !is_done.map_err(unwritable)? {
                reports.push(left_as_it_is(&rename.path));
            }
        }
        self.forget(system);
        Ok(reports)
    }

    /// Removes the journal and the temporary files of the export that have the content which the journal names.
    pub(super) fn forget(&self, system: &dyn FileSystem) {
        for rename in &self.renames {
            remove_own(system, &rename.part, Some(&rename.new));
            remove_own(system, &rename.old, rename.replaced.as_ref());
        }
        let _ = system.remove(&self.journal);
        let folders = self.renames.iter().filter_map(|rename| rename.target.parent()).chain([self.folder()]);
        let locks =
            folders.map(|folder| folder.join(self.journal.with_extension("lock").file_name().unwrap_or_default()));
        locks.collect::<BTreeSet<PathBuf>>().iter().for_each(|lock| drop(system.remove(lock)));
    }
}

/// Replaces the target by the new content. The old content stays at its temporary name, so that a process that dies here
/// leaves an export that can still be undone.
fn finish(system: &dyn FileSystem, rename: &StagedFile) -> io::Result<()> {
    if rename.replaced.is_some() && Content::at(&rename.old) != rename.replaced {
        // A copy may have been interrupted too.
        let _ = rename.old.exists().then(|| system.remove(&rename.old));
        system.link(&rename.target, &rename.old)?;
    }
    system.rename(&rename.part, &rename.target)
}

/// Restores the old content of the target, or removes the target if it is new. Returns false if the old content is gone.
fn undo(system: &dyn FileSystem, rename: &StagedFile) -> io::Result<bool> {
    match &rename.replaced {
        None => system.remove(&rename.target).map(|()| true),
        Some(replaced) if Content::at(&rename.old).as_ref() == Some(replaced) => {
            system.rename(&rename.old, &rename.target).map(|()| true)
        }
        Some(_) => Ok(false),
    }
}

/// Removes the temporary file at `path` if it has `content`, which the journal names. Errors are ignored.
fn remove_own(system: &dyn FileSystem, path: &Path, content: Option<&Content>) {
    if content.is_some() && Content::at(path).as_ref() == content {
        let _ = system.remove(path);
    }
}

/// Returns the notice that `file` was neither renamed nor restored.
fn left_as_it_is(file: &Path) -> Message {
    message!(
        "export.left_as_it_is",
        "%{file} was left as it is: it is a source, or was changed since, or its other content is gone. Check it, or \
         export its take again.",
        file = display(file),
    )
}
