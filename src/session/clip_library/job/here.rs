//! Fixes a library on this machine. A record next to each fixed file stores its inputs, so the next run only
//! processes missing or changed files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::part::{Mending, key, process};
use super::{FileRecord, JobFile, PartRecord, Wanted};
use crate::batch::WrittenFile;
use crate::batch::job::bytes_of;
use crate::clip_library::files::referred;
use crate::clip_library::mended_names;
use portamento_base::message::{Message, Tell};
use portamento_base::progress::Progress;
use portamento_formats::export::Replace;

/// The result of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct MendedFile {
    /// Its clips and fixes.
    pub record: FileRecord,
    /// True if the record of an earlier run is still valid.
    pub is_kept: bool,
}

/// Measures `files` in parallel and writes fixed copies into `folder`. Files with an up-to-date record are skipped,
/// unless everything may be replaced. Output files that were modified since are not replaced; the record states this
/// instead. Cancelled files are reported as unreadable.
pub fn mend_into(files: &[PathBuf], folder: &Path, replace: Replace, progress: &Progress) -> Vec<MendedFile> {
    let named: Vec<(&PathBuf, String)> = files.iter().zip(mended_names(files)).collect();
    let each = |(file, name): (&PathBuf, String)| {
        let part = progress.one_of(files.len());
        let mended = mended_file(file, name, (folder, replace), &part);
        // Errors from cancellation are ignored here.
        let _ = part.finish();
        mended
    };
    named.into_par_iter().map(each).collect()
}

/// Measures one file and writes a repaired copy named `name` into `folder`. Returns the earlier record if it fits the content,
/// its files exist and `replace` refuses to replace them. Writes a new record only if the file was read and no fix failed.
fn mended_file(path: &Path, name: String, (folder, replace): (&Path, Replace), progress: &Progress) -> MendedFile {
    let copies = contents(path).unwrap_or_default();
    // The key depends on the content only, not on the path.
    let file = JobFile { file: name.clone().into(), copies, mended_as: name.clone(), tags: BTreeMap::new() };
    let key = key(std::slice::from_ref(&file), &Wanted { mend: Some(PathBuf::new()), ..Wanted::default() });
    let mut before = PartRecord::read(folder, &name).unwrap_or_default();
    let written = before.written();
    let is_kept = replace == Replace::Refuse && before.key == key && before.is_complete(folder);
    let retained = before.files.pop().filter(|_| is_kept);
    let mut record = retained.unwrap_or_else(|| {
        let mending = Mending { folder, inside: Path::new(""), written: &written, replace };
        let mut record = process(&file, path, Some(mending), progress);
        // If writing failed, the previous record stays and still identifies existing files.
        if record.unread.is_none() && record.unmended.is_none() {
            let written_record = PartRecord { key, files: vec![record.clone()] }.write(folder, &name);
            record.unmended = written_record.err().map(|error| error.message().to_string());
        }
        record
    });
    record.rename_file(path);
    MendedFile { record, is_kept }
}

/// Returns the name and content hash of the file at `path` and of each file it refers to. Missing files are left out.
/// Returns `Err` if an existing one cannot be read.
fn contents(path: &Path) -> Result<Vec<WrittenFile>, Message> {
    let bytes = bytes_of(path)?;
    let name = |path: &Path| PathBuf::from(path.file_name().unwrap_or_default());
    let mut contents = vec![WrittenFile::of_bytes(&name(path), &bytes)];
    for file in referred(path, &bytes).into_iter().filter(|file| file.is_file()) {
        contents.push(WrittenFile::of_bytes(&name(&file), &bytes_of(&file)?));
    }
    Ok(contents)
}
