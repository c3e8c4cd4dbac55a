//! The journal of a set: the renames of a commit, with the content of each file before and after.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{PREFIX, StagedFile};
use crate::export::sources::resolve_links;
use portamento_base::message::{Message, message};
use portamento_base::regular_file;

/// Maximum size of a journal, bytes: some 100 000 files.
const MAX_BYTES: u64 = 64 << 20;

/// Number of hex digits after the prefix in the names of a set's temporary files.
const TOKEN_DIGITS: usize = 32;

/// Extension of journals.
pub(super) const EXTENSION: &str = "journal";

#[derive(Debug, Serialize, Deserialize)]
struct Journal<'r> {
    renames: Cow<'r, [StagedFile]>,
}

/// Encodes the journal of `renames`.
pub(super) fn to_bytes(renames: &[StagedFile]) -> Vec<u8> {
    serde_json::to_vec(&Journal { renames: Cow::Borrowed(renames) }).unwrap_or_default()
}

/// Returns the renames of the journal at `path`.
///
/// Returns `Err` if it cannot be read, if it names files outside its folder or temporary files of other sets, or if a file is
/// not the one that the requested path leads to.
pub(super) fn read(path: &Path) -> Result<Vec<StagedFile>, Message> {
    let bytes = regular_file::beginning(path, MAX_BYTES).map_err(|_| unreadable(path))?;
    let Journal { renames } = portamento_base::json::parse(&bytes).map_err(|_| unreadable(path))?;
    let is_valid = is_token_journal(path) && renames.iter().all(|rename| is_below(path, rename));
    if is_valid { Ok(renames.into_owned()) } else { Err(unreadable(path)) }
}

/// True if the name is that of a set's journal.
fn is_token_journal(path: &Path) -> bool {
    let name = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    name.strip_prefix('.').is_some_and(is_token) && path.extension().is_some_and(|end| end == EXTENSION)
}

/// True for the prefix without its dot and hex digits. Other names are those of other programs.
pub(super) fn is_token(token: &str) -> bool {
    let digits = token.strip_prefix(PREFIX.trim_start_matches('.')).unwrap_or_default();
    digits.len() == TOKEN_DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// True if `rename` has temporary files of the journal's own token, all its files are below the journal's folder, and its
/// requested path leads to its target.
fn is_below(journal: &Path, rename: &StagedFile) -> bool {
    let token = journal.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    let is_temporary = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let is_own = name.strip_prefix(token).is_some_and(|rest| rest.starts_with('.'));
        is_own && name.starts_with(PREFIX) && path.parent() == rename.target.parent()
    };
    let climbs = rename.target.components().any(|part| matches!(part, Component::ParentDir));
    let is_inside = journal.parent().is_some_and(|folder| rename.target.starts_with(folder));
    let is_requested = resolve_links(&rename.path) == resolve_links(&rename.target);
    !climbs && is_inside && is_requested && is_temporary(&rename.part) && is_temporary(&rename.old)
}

/// Returns the notice that the file at `journal` cannot be read and that its export stays as it is.
fn unreadable(journal: &Path) -> Message {
    message!(
        "export.journal_unreadable",
        "An export was interrupted, and its journal %{journal} cannot be read. Its files were left as they are. Delete \
         the journal and export those takes again.",
        journal = journal.display().to_string(),
    )
}
