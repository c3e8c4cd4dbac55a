//! Estimates the processing time of library files.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use super::JobFile;
use super::part::{Mending, process};
use crate::batch::job::Copy;
use crate::batch::parts::{Chunks, Cost};
use portamento_base::progress::Progress;
use portamento_formats::export::Replace;

/// A file of a job, and the source paths of its copies; the file itself comes first.
pub(super) struct Listed {
    pub file: JobFile,
    pub copies: Vec<Copy>,
}

/// Number of files of each kind that are timed to estimate the others. Tuned; no derivation recorded.
const TIMED_FILES_PER_KIND: usize = 4;

/// Estimates the seconds that each of `listed` takes on one core; 0 if `chunks` is a count. A few files of each extension,
/// spread over all sizes, are processed now; the others are estimated from their size in bytes.
pub(super) fn costs(listed: Vec<Listed>, mends: bool, chunks: Chunks) -> Vec<Cost<JobFile>> {
    let mut kinds: BTreeMap<String, Vec<&Listed>> = BTreeMap::new();
    if matches!(chunks, Chunks::Seconds(_)) {
        listed.iter().for_each(|listed| kinds.entry(kind(&listed.file)).or_default().push(listed));
    }
    let rates: BTreeMap<String, f64> =
        kinds.into_iter().map(|(kind, files)| (kind, seconds_per_byte(files, mends))).collect();
    let seconds = |file: &JobFile| rates.get(&kind(file)).map_or(0.0, |rate| rate * bytes(file) as f64);
    listed.into_iter().map(|listed| Cost { seconds: seconds(&listed.file), of: listed.file }).collect()
}

/// Returns the kind of a file: its extension in lower case.
fn kind(file: &JobFile) -> String {
    file.file.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Returns the size of a file and of all files it refers to, in bytes.
fn bytes(file: &JobFile) -> u64 {
    file.copies.iter().map(|copy| copy.bytes).sum()
}

/// Processes up to [`TIMED_FILES_PER_KIND`] of `files`, spread over all sizes, and returns their seconds per byte; 0 without
/// files.
fn seconds_per_byte(mut files: Vec<&Listed>, mends: bool) -> f64 {
    files.sort_by_key(|listed| bytes(&listed.file));
    let count = files.len().min(TIMED_FILES_PER_KIND);
    // Pick the middle of `count` equal ranges.
    let sample = (0..count).map(|at| files[(2 * at + 1) * files.len() / (2 * count)]);
    let (mut seconds, mut read) = (0.0, 0);
    for Listed { file, copies } in sample {
        let Some(source) = copies.first() else { continue };
        seconds += seconds_of(file, &source.from, mends);
        read += bytes(file);
    }
    seconds / read.max(1) as f64
}

/// Processes one file from `source` and returns the seconds it takes. If `mends` is true, repaired files go to a temporary
/// folder.
fn seconds_of(file: &JobFile, source: &Path, mends: bool) -> f64 {
    let folder = tempfile::tempdir().ok().filter(|_| mends);
    let mending = folder.as_ref().map(|folder| Mending {
        folder: folder.path(),
        inside: Path::new(""),
        written: &[],
        replace: Replace::Refuse,
    });
    let begun = Instant::now();
    process(file, source, mending, &Progress::new());
    begun.elapsed().as_secs_f64()
}
