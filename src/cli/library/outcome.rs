//! Outputs of a measured library: tables, messages and the exit code.

use std::path::Path;

use serde_json::{Value, json};

use super::{html, tables};
use crate::Failure;
use crate::output::one_line;
use portamento_formats::export::{ExportError, FileSet};
use portamento_session::clip_library::job::Wanted;
use portamento_session::clip_library::{ClipLibrary, Mended};

/// Adds the requested tables, relative to `folder`.
pub(super) fn write_tables(
    set: &mut FileSet,
    folder: &Path,
    wanted: &Wanted,
    library: &ClipLibrary,
) -> Result<(), ExportError> {
    if let Some(path) = &wanted.csv {
        set.write(&folder.join(path), tables::csv(&library.rows).as_bytes())?;
    }
    if let Some(path) = &wanted.html {
        set.write(&folder.join(path), html::page(library).as_bytes())?;
    }
    Ok(())
}

/// Returns the fixed clips and the failures as JSON.
pub(super) fn mended_json(mended: &[Mended], failures: &[String]) -> Value {
    json!({ "mended": mended, "failures": failures })
}

/// Warns about each file that could not be read. Returns `Err` if there is one; `files` is the number of all.
pub(super) fn all_read(library: &ClipLibrary, files: usize) -> Result<(), Failure> {
    for (file, why) in &library.failures {
        crate::warn(&one_line(&format!("warning: {}: {why}", file.display())));
    }
    match library.failures.len() {
        0 => Ok(()),
        count => Err(Failure::Failed(format!("{count} of {files} files could not be read."))),
    }
}

/// Returns a failure if a file or clip could not be fixed.
pub(super) fn all_mended(mended: &[Mended], failures: &[String]) -> Result<(), Failure> {
    let clip =
        |mended: &Mended| Some(format!("{}  {}: {}", mended.file.display(), mended.clip, mended.unmended.as_ref()?));
    let all: Vec<String> = failures.iter().cloned().chain(mended.iter().filter_map(clip)).collect();
    match &all[..] {
        [] => Ok(()),
        [only] => Err(Failure::Failed(only.clone())),
        [first, ..] => {
            Err(Failure::Failed(format!("{} files or clips could not be fixed. The first: {first}", all.len())))
        }
    }
}
