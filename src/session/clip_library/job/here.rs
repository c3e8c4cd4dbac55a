//! A library mended here: a record beside each mended file tells what it was made from, so that the next time only what is missing or
//! changed is made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::part::{Mending, key, made};
use super::plan::referred;
use super::{FileRecord, JobFile, PartRecord, Wanted};
use crate::export::Replace;
use crate::message::{Message, Tell};
use crate::progress::Progress;
use crate::session::batch::WrittenFile;
use crate::session::batch::job::bytes_of;
use crate::session::clip_library::mended_names;

/// What became of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct MendedFile {
    /// Its clips, and which of them were mended.
    pub record: FileRecord,
    /// Whether that was done before from the same.
    pub is_kept: bool,
}

/// Measures `files` and mends them into `folder`, several at a time. What its record there tells to be made from the same is not made
/// again, unless all may be replaced; files that somebody changed since stay, which is told in place of what was mended.
pub fn mend_into(files: &[PathBuf], folder: &Path, replace: Replace) -> Vec<MendedFile> {
    let named: Vec<(&PathBuf, String)> = files.iter().zip(mended_names(files)).collect();
    named.into_par_iter().map(|(file, name)| mended_file(file, name, folder, replace)).collect()
}

fn mended_file(path: &Path, name: String, folder: &Path, replace: Replace) -> MendedFile {
    let copies = contents(path).unwrap_or_default();
    // Wherever it lies, its content decides.
    let file = JobFile { file: name.clone().into(), copies, mended_as: name.clone(), tags: BTreeMap::new() };
    let key = key(std::slice::from_ref(&file), &Wanted { mend: Some(PathBuf::new()), ..Wanted::default() });
    let mut before = PartRecord::read(folder, &name).unwrap_or_default();
    let written = before.written();
    let is_kept = replace == Replace::Refuse && before.key == key && before.is_whole(folder);
    let kept = before.files.pop().filter(|_| is_kept);
    let mut record = kept.unwrap_or_else(|| {
        let mending = Mending { folder, inside: Path::new(""), written: &written, replace };
        let mut record = made(&file, path, Some(mending), &Progress::new());
        // Without one, what stays in the way is still known by the last.
        if record.unread.is_none() && record.unmended.is_none() {
            let put = PartRecord { key, files: vec![record.clone()] }.write(folder, &name);
            record.unmended = put.err().map(|error| error.message().to_string());
        }
        record
    });
    record.call(path);
    MendedFile { record, is_kept }
}

/// The file at `path` and those that it refers to, by their names and contents.
fn contents(path: &Path) -> Result<Vec<WrittenFile>, Message> {
    let bytes = bytes_of(path)?;
    let name = |path: &Path| PathBuf::from(path.file_name().unwrap_or_default());
    let mut contents = vec![WrittenFile::of_bytes(&name(path), &bytes)];
    for file in referred(path, &bytes).into_iter().filter(|file| file.is_file()) {
        contents.push(WrittenFile::of_bytes(&name(&file), &bytes_of(&file)?));
    }
    Ok(contents)
}
