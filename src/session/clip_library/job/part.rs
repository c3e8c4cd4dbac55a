//! One part, made.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{JobFile, Wanted};
use crate::document::file::fingerprint;
use crate::export::{ExportError, FileSet, Replace};
use crate::message::{Message, Tell};
use crate::progress::Progress;
use crate::session::ExportRequest;
use crate::session::batch::WrittenFile;
use crate::session::batch::receipt::FOLDER;
use crate::session::batch::template::pretty;
use crate::session::clip_library::figures::GENERATION;
use crate::session::clip_library::{ClipRow, Figures, Mended, measured, mend_file};

/// What a task leaves of its part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartRecord {
    /// Everything that it depends on, as one number.
    pub key: String,
    /// One per file.
    pub files: Vec<FileRecord>,
}

/// What was made of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileRecord {
    /// One row per clip.
    pub clips: Vec<ClipRow>,
    /// Why it could not be read, where it could not.
    pub unread: Option<String>,
    /// Which of its clips were mended.
    pub mended: Vec<Mended>,
    /// Why they were not, where something could be.
    pub unmended: Option<String>,
    /// The mended file and those beside it.
    pub written: Vec<WrittenFile>,
}

/// Where a mended file goes.
pub(super) struct Mending<'a> {
    /// The folder of what is written.
    pub folder: &'a Path,
    /// That of mended files in it.
    pub inside: &'a Path,
    /// What was written before and may be replaced.
    pub written: &'a [WrittenFile],
    /// Whether everything else may be replaced too.
    pub replace: Replace,
}

/// Measures and mends `files`, which are part `number` of the job with these `inputs`, and leaves the record in `output`. Answers
/// none where that was done before from the same.
///
/// Errors where inputs are not those that the job was written with, and where the record cannot be written.
pub fn make_part(
    inputs: &Path,
    files: &[JobFile],
    number: usize,
    output: &Path,
) -> Result<Option<PartRecord>, Message> {
    let wanted = Wanted::read(inputs)?;
    files.iter().try_for_each(|file| file.check(inputs))?;
    let key = key(files, &wanted);
    let stem = stem(number);
    let before = PartRecord::read(output, &stem).unwrap_or_default();
    if before.key == key && before.is_whole(output) {
        return Ok(None);
    }
    let (progress, written) = (Progress::new(), before.written());
    let mending = || {
        let replace = Replace::Refuse;
        wanted.mend.as_deref().map(|inside| Mending { folder: output, inside, written: &written, replace })
    };
    let files = files.par_iter().map(|file| made(file, &file.copy_in(inputs), mending(), &progress.part())).collect();
    let record = PartRecord { key, files };
    let put = record.write(output, &stem);
    put.map(|()| Some(record)).map_err(|error| error.message())
}

/// `file`, which is at `path` now, measured and mended.
pub(super) fn made(file: &JobFile, path: &Path, mending: Option<Mending>, progress: &Progress) -> FileRecord {
    let mut record = FileRecord::default();
    match measured(path, &Figures::default(), progress).rows {
        Ok(rows) => record.clips = rows,
        Err(reason) => record.unread = Some(reason.to_string()),
    }
    if let Some(Mending { folder, inside, written, replace }) = mending {
        let name = Path::new(&file.mended_as).file_name().unwrap_or_default();
        let mended = mend_file(&record.clips, folder.join(inside).join(name), |session, request| {
            record.written = session.export_over(&ExportRequest { replace, ..request }, folder, written)?;
            Ok::<(), Message>(())
        });
        match mended {
            Ok(mended) => record.mended = mended,
            Err(reason) => record.unmended = Some(reason.to_string()),
        }
    }
    record.call(&file.file);
    record
}

/// What a part of `files` depends on. Tags do not count: they are given when all is put together.
pub(super) fn key(files: &[JobFile], wanted: &Wanted) -> String {
    let file = |file: &JobFile| json!({ "file": file.file, "copies": file.copies, "mended_as": file.mended_as });
    let whole = json!({
        "program": env!("CARGO_PKG_VERSION"),
        "figures": GENERATION,
        "mend": wanted.mend,
        "files": files.iter().map(file).collect::<Vec<_>>(),
    });
    fingerprint(whole.to_string().as_bytes())
}

/// What the record of part `number` is called.
pub(super) fn stem(number: usize) -> String {
    format!("part-{number}")
}

fn place(output: &Path, stem: &str) -> PathBuf {
    output.join(FOLDER).join(format!("{stem}.json"))
}

impl FileRecord {
    /// Calls the file that it is of `file`.
    pub(super) fn call(&mut self, file: &Path) {
        let named = self.clips.iter_mut().map(|row| &mut row.file);
        named.chain(self.mended.iter_mut().map(|mended| &mut mended.file)).for_each(|name| *name = file.to_owned());
    }
}

impl PartRecord {
    /// The record called `stem` in `output`; none where it cannot be read.
    pub(super) fn read(output: &Path, stem: &str) -> Option<Self> {
        serde_json::from_slice(&crate::regular_file::all(&place(output, stem)).ok()?).ok()
    }

    /// Puts it into `output` as `stem`.
    pub(super) fn write(&self, output: &Path, stem: &str) -> Result<(), ExportError> {
        FileSet::write_now(|set| set.write(&place(output, stem), &pretty(self)))
    }

    /// Whether all that was written is in `output` as it was, and nothing could not be.
    pub(super) fn is_whole(&self, output: &Path) -> bool {
        self.has_all(output) && self.files.iter().all(|file| file.unmended.is_none())
    }

    /// Whether all that was written is in `output` as it was.
    pub fn has_all(&self, output: &Path) -> bool {
        self.files.iter().flat_map(|file| &file.written).all(|written| written.is_in(output))
    }

    /// All that was written.
    pub(super) fn written(&self) -> Vec<WrittenFile> {
        self.files.iter().flat_map(|file| file.written.clone()).collect()
    }
}
