//! The journal of a set: the renames of a commit, with the content of each file before and after.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::content::Content;
use super::{PREFIX, Sources, StagedFile};
use crate::export::file_system::FileSystem;
use portamento_base::message::{Message, message};
use portamento_base::regular_file;

/// Maximum size of a journal, bytes: some 100 000 files.
const MAX_BYTES: u64 = 64 << 20;

#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    renames: Vec<StagedFile>,
}

/// The state of one rename of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The target has the new content.
    Done,
    /// The target has the old content, and the new content waits.
    Waiting,
    /// The target has the old content, and the new content is gone.
    Undone,
}

/// Encodes the journal of `renames`.
pub(super) fn to_bytes(renames: &[StagedFile]) -> Vec<u8> {
    serde_json::to_vec(&serde_json::json!({ "renames": renames })).unwrap_or_default()
}

/// Finishes the renames of the journal at `path` and removes their temporary files.
/// Returns false if a rename failed, so that the journal is still needed.
///
/// Returns `Err` with a report if a file is a source or has other content than the journal says. No file is then changed.
pub(super) fn finish(system: &dyn FileSystem, sources: &Sources, path: &Path) -> Result<bool, Message> {
    let bytes = regular_file::beginning(path, MAX_BYTES).map_err(|_| unreadable(path))?;
    let Journal { renames } = serde_json::from_slice(&bytes).map_err(|_| unreadable(path))?;
    if !renames.iter().all(|rename| is_below(path, rename)) {
        return Err(unreadable(path));
    }
    let mut states = Vec::new();
    for rename in &renames {
        let state = state(rename).filter(|state| *state == State::Done || sources.find(&rename.target).is_none());
        states.push(state.ok_or_else(|| changed(path, &rename.path))?);
    }
    let undone = states.iter().position(|state| *state == State::Undone);
    if let Some(undone) = undone.filter(|_| states.contains(&State::Done)) {
        return Err(changed(path, &renames[undone].path));
    }
    if undone.is_none() {
        for (rename, _) in renames.iter().zip(states).filter(|(_, state)| *state == State::Waiting) {
            if system.rename(&rename.part, &rename.target).is_err() {
                return Ok(false);
            }
        }
    }
    for rename in &renames {
        remove_own(system, &rename.part, Some(&rename.new));
        remove_own(system, &rename.old, rename.replaced.as_ref());
    }
    Ok(true)
}

/// Returns the state of `rename`; `None` if its target has neither the old nor the new content.
fn state(rename: &StagedFile) -> Option<State> {
    let target = Content::at(&rename.target);
    let waits = || Content::at(&rename.part).as_ref() == Some(&rename.new);
    match target {
        Some(content) if content == rename.new => Some(State::Done),
        content if content == rename.replaced && content.as_ref().is_none_or(Content::is_known) => {
            Some(if waits() { State::Waiting } else { State::Undone })
        }
        _ => None,
    }
}

/// Removes a temporary file if it has the content that the journal names.
fn remove_own(system: &dyn FileSystem, path: &Path, content: Option<&Content>) {
    if content.is_some() && Content::at(path).as_ref() == content {
        let _ = system.remove(path);
    }
}

/// True if `rename` has temporary files of the journal's own token, and all its files are below the journal's folder.
fn is_below(journal: &Path, rename: &StagedFile) -> bool {
    let token = journal.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    let is_temporary = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let is_own = name.strip_prefix(token).is_some_and(|rest| rest.starts_with('.'));
        is_own && name.starts_with(PREFIX) && path.parent() == rename.target.parent()
    };
    let climbs = rename.target.components().any(|part| matches!(part, Component::ParentDir));
    let is_inside = journal.parent().is_some_and(|folder| rename.target.starts_with(folder));
    !climbs && is_inside && is_temporary(&rename.part) && is_temporary(&rename.old)
}

fn unreadable(journal: &Path) -> Message {
    message!(
        "export.journal_unreadable",
        "An export was interrupted, and its journal %{journal} cannot be read. Its files were left as they are. Delete \
         the journal and export those takes again.",
        journal = journal.display().to_string(),
    )
}

fn changed(journal: &Path, file: &Path) -> Message {
    message!(
        "export.journal_changed",
        "An interrupted export was not finished, because %{file} was changed since, or is a source. All its files were \
         left as they are. Delete %{journal} and export those takes again.",
        file = file.display().to_string(),
        journal = journal.display().to_string(),
    )
}
