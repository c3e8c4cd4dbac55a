//! Merges the results of all tasks of a library job.

use std::path::{Path, PathBuf};

use super::part::{key, stem};
use super::{FileRecord, JobFile, PartRecord, Wanted};
use crate::batch::job::{PARTS, read_parts};
use crate::batch::parts::Parts;
use crate::batch::report::RowState;
use crate::clip_library::columns::is_found;
use crate::clip_library::{ClipLibrary, Mended};
use portamento_base::message::Message;

/// The progress of a library job.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryReport {
    /// The outputs of the job.
    pub wanted: Wanted,
    /// One per part, in order.
    pub rows: Vec<PartRow>,
}

/// One part of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct PartRow {
    /// Its 1-based number.
    pub number: usize,
    /// The state of its record and fixed files.
    pub state: RowState,
    files: Vec<JobFile>,
    record: PartRecord,
}

impl LibraryReport {
    /// Reads the results of the job with these `inputs` from `output`, and compares them with the inputs.
    ///
    /// Returns `Err` if the inputs cannot be read or differ from those the job was written with.
    pub fn read(inputs: &Path, output: &Path) -> Result<Self, Message> {
        let (wanted, parts): (_, Parts<JobFile>) = (Wanted::read(inputs)?, read_parts(&inputs.join(PARTS))?);
        parts.all().try_for_each(|file| file.check(inputs))?;
        let row = |(at, files): (usize, Vec<JobFile>)| {
            let record = PartRecord::read(output, &stem(at + 1));
            let state = match &record {
                None => RowState::Missing,
                Some(record) if record.key == key(&files, &wanted) && record.has_all(output) => RowState::Done,
                Some(_) => RowState::Changed,
            };
            PartRow { number: at + 1, state, files, record: record.unwrap_or_default() }
        };
        let rows = parts.parts.into_iter().enumerate().map(row).collect();
        Ok(Self { wanted, rows })
    }

    /// Returns the number of parts in that state.
    pub fn count(&self, state: RowState) -> usize {
        self.rows.iter().filter(|row| row.state == state).count()
    }

    /// Returns all clips with their tags, and the files that could not be read. Only clips with findings are listed if the
    /// job asks for that.
    pub fn library(&self) -> ClipLibrary {
        let mut library = ClipLibrary::default();
        for (file, record) in self.records() {
            library.rows.extend(record.clips.iter().cloned().map(|mut row| {
                row.tags = file.tags.get(&row.clip).into_iter().flatten().cloned().collect();
                row
            }));
            let unread = record.unread.iter().map(|why| (file.file.clone(), Message::verbatim(why.clone())));
            library.failures.extend(unread);
        }
        if self.wanted.findings {
            library.rows.retain(is_found);
        }
        library
    }

    /// Returns the fixed clips, and the reasons for files that were not fixed.
    pub fn mended(&self) -> (Vec<Mended>, Vec<String>) {
        let mended = self.records().flat_map(|(_, record)| record.mended.iter().cloned());
        (mended.collect(), self.records().filter_map(|(_, record)| record.unmended.clone()).collect())
    }

    /// Returns the number of files of all parts.
    pub fn files(&self) -> usize {
        self.rows.iter().map(|row| row.files.len()).sum()
    }

    /// Iterates over all files with their records. Files without a record are skipped.
    fn records(&self) -> impl Iterator<Item = (&JobFile, &FileRecord)> {
        self.rows.iter().flat_map(|row| row.files.iter().zip(&row.record.files))
    }
}

impl PartRow {
    /// Iterates over its files as tables name them.
    pub fn names(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().map(|file| &file.file)
    }
}
