//! Processes one part of a library job.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{JobFile, Wanted};
use crate::ExportRequest;
use crate::batch::WrittenFile;
use crate::batch::receipt::{FOLDER, all_in};
use crate::batch::template::pretty;
use crate::clip_library::figures::GENERATION;
use crate::clip_library::{ClipRow, Figures, Mended, measured, mend_file};
use portamento_base::message::{Message, Tell};
use portamento_base::progress::Progress;
use portamento_formats::export::{ExportError, FileSet, Replace};
use portamento_takes::document::file::fingerprint;

/// The record of one part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartRecord {
    /// Fingerprint of everything the part depends on.
    pub key: String,
    /// One per file.
    pub files: Vec<FileRecord>,
}

/// The result of one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileRecord {
    /// One row per clip.
    pub clips: Vec<ClipRow>,
    /// The reason it could not be read, if so.
    pub unread: Option<String>,
    /// The fixed clips.
    pub mended: Vec<Mended>,
    /// The reason its clips could not be fixed, if so.
    pub unmended: Option<String>,
    /// The fixed file and its companion files.
    pub written: Vec<WrittenFile>,
}

/// The destination of a fixed file.
pub(super) struct Mending<'a> {
    /// The output folder.
    pub folder: &'a Path,
    /// The folder of fixed files, relative to the output folder.
    pub inside: &'a Path,
    /// Files of the previous run, which may be replaced.
    pub written: &'a [WrittenFile],
    /// The rule for replacing other files.
    pub replace: Replace,
}

/// Measures and fixes `files`, part `number` of the job with these `inputs`, and writes the record to `output`.
/// Returns `None` if an earlier record is still valid.
///
/// Returns `Err` if inputs differ from those the job was written with, or if the record cannot be written. Files that
/// cannot be read or fixed are reported in the record.
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
    if before.key == key && before.is_complete(output) {
        return Ok(None);
    }
    let (progress, written) = (Progress::new(), before.written());
    let mending = || {
        let replace = Replace::Refuse;
        wanted.mend.as_deref().map(|inside| Mending { folder: output, inside, written: &written, replace })
    };
    let files =
        files.par_iter().map(|file| process(file, &file.copy_in(inputs), mending(), &progress.part())).collect();
    let record = PartRecord { key, files };
    let written_record = record.write(output, &stem);
    written_record.map(|()| Some(record)).map_err(|error| error.message())
}

/// Measures `file`, whose current location is `path`, and fixes its clips if `mending` is given. Errors are part of the
/// record.
pub(super) fn process(file: &JobFile, path: &Path, mending: Option<Mending>, progress: &Progress) -> FileRecord {
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
    record.rename_file(&file.file);
    record
}

/// Returns the fingerprint of a part: program version, inputs and wanted fixes. Tags are excluded, because they are added
/// when the parts are merged.
pub(super) fn key(files: &[JobFile], wanted: &Wanted) -> String {
    let file = |file: &JobFile| json!({ "file": file.file, "copies": file.copies, "mended_as": file.mended_as });
    let inputs = json!({
        "program": env!("CARGO_PKG_VERSION"),
        "figures": GENERATION,
        "mend": wanted.mend,
        "files": files.iter().map(file).collect::<Vec<_>>(),
    });
    fingerprint(inputs.to_string().as_bytes())
}

/// Returns the file stem of the record of part `number`.
pub(super) fn stem(number: usize) -> String {
    format!("part-{number}")
}

/// Returns the path of the record `stem` in `output`.
fn record_path(output: &Path, stem: &str) -> PathBuf {
    output.join(FOLDER).join(format!("{stem}.json"))
}

impl FileRecord {
    /// Sets the file path in all rows to `file`.
    pub(super) fn rename_file(&mut self, file: &Path) {
        let named = self.clips.iter_mut().map(|row| &mut row.file);
        named.chain(self.mended.iter_mut().map(|mended| &mut mended.file)).for_each(|name| *name = file.to_owned());
    }
}

impl PartRecord {
    /// Reads the record `stem` from `output`; `None` if missing or invalid.
    pub(super) fn read(output: &Path, stem: &str) -> Option<Self> {
        portamento_base::json::parse(&portamento_base::regular_file::all(&record_path(output, stem)).ok()?).ok()
    }

    /// Writes the record to `output` as `stem`. An earlier record is replaced.
    pub(super) fn write(&self, output: &Path, stem: &str) -> Result<(), ExportError> {
        FileSet::write_now(|set| set.write(&record_path(output, stem), &pretty(self)))
    }

    /// True if all written files are unchanged in `output` and no fix failed.
    pub(super) fn is_complete(&self, output: &Path) -> bool {
        self.has_all(output) && self.files.iter().all(|file| file.unmended.is_none())
    }

    /// True if all written files are unchanged in `output`. True if nothing was written.
    pub fn has_all(&self, output: &Path) -> bool {
        all_in(self.files.iter().flat_map(|file| &file.written), output)
    }

    /// Returns all written files.
    pub(super) fn written(&self) -> Vec<WrittenFile> {
        self.files.iter().flat_map(|file| file.written.clone()).collect()
    }
}
