//! The files of sets in a batch export: indices and animation trees.
//!
//! Takes are exported one by one, so the index of a set is made from the clips in the receipts of its members. A receipt
//! beside those of the takes lists the files of each set.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::receipt::{self, WrittenFile};
use super::{OutcomeState, Receipt};
use crate::export::{ExportedSet, ExportedSets, SetClip, incomplete_set};
use crate::{ExportRequest, Session};
use portamento_base::message::{Message, Tell};
use portamento_formats::export::{ExportError, FileSet, Replace};
use portamento_takes::document::TakeId;

/// Name of the folder for the receipts of sets inside that for the receipts of takes.
const FOLDER: &str = "sets";

/// The result of one set.
#[derive(Clone, Debug, PartialEq)]
pub struct SetOutcome {
    /// The name of the set.
    pub set: String,
    /// The outcome: written, unchanged or failed.
    pub state: OutcomeState,
    /// Names of its files; empty if it failed.
    pub files: Vec<String>,
    /// False if only some of its members were requested.
    pub is_requested: bool,
}

impl Session {
    /// Renews the files of all sets with an exported member from the receipts of the takes. `stems` are the names of these
    /// receipts. Returns nothing if the takes are a part of a batch.
    pub(super) fn renew_sets(&self, request: &ExportRequest, stems: &BTreeMap<TakeId, String>) -> Vec<SetOutcome> {
        if request.is_part() {
            return Vec::new();
        }
        let ExportedSets { sets, incomplete } = self.opened().exported_sets(request);
        let clip = |(&take, stem): (&TakeId, &String)| {
            let mut clip = Receipt::read(&request.destination, stem)?.set_clip?;
            clip.take = take;
            Some(*clip)
        };
        let clips: Vec<_> = if sets.is_empty() { Vec::new() } else { stems.iter().filter_map(clip).collect() };
        let renewed = sets.iter().map(|set| {
            let renewed = self.renew_set(set, &clips, request);
            let (state, files) = renewed.unwrap_or_else(|why| (OutcomeState::Failed(why), Vec::new()));
            SetOutcome { set: set.name.clone(), state, files, is_requested: true }
        });
        let incomplete = incomplete.iter().map(|name| SetOutcome {
            set: name.clone(),
            state: OutcomeState::Failed(incomplete_set(name)),
            files: Vec::new(),
            is_requested: false,
        });
        renewed.chain(incomplete).collect()
    }

    /// Writes the files of `set` and their receipt. Returns the names of the files, and whether one was written.
    ///
    /// Returns `Err` if a member is not among `clips`, if another file would be replaced, or if a file cannot be written.
    fn renew_set(
        &self,
        set: &ExportedSet,
        clips: &[SetClip],
        request: &ExportRequest,
    ) -> Result<(OutcomeState, Vec<String>), Message> {
        let (folder, path) = (&request.destination, receipt_path(&request.destination, &set.stem));
        let mut files = FileSet::on(self.disk.clone(), self.sources().into());
        let names = set.write(&mut files, clips, request)?.ok_or_else(|| incomplete_set(&set.name))?;
        request.write_shared_by_sets(&mut files)?;
        let known = portamento_base::regular_file::all(&path).ok();
        let known: Vec<WrittenFile> =
            known.and_then(|bytes| portamento_base::json::parse(&bytes).ok()).unwrap_or_default();
        if request.replace == Replace::Refuse {
            super::refuse_foreign(files.replaced().map(Path::to_owned), folder, &known)?;
        }
        let placed = files.commit(Replace::Allow).map_err(|error| error.message())?;
        let is_kept = placed.iter().all(|file| file.is_unchanged);
        let written = placed.iter().map(|file| WrittenFile::read(folder, &file.path)).collect::<Result<Vec<_>, _>>();
        written.and_then(|written| write_receipt(&path, &written)).map_err(|error| error.message())?;
        Ok((if is_kept { OutcomeState::Kept } else { OutcomeState::Written }, names))
    }
}

/// Writes the list of the files of a set to `path`. Returns `Err` if that fails.
fn write_receipt(path: &Path, written: &[WrittenFile]) -> Result<(), ExportError> {
    let bytes = serde_json::to_vec_pretty(written).unwrap_or_default();
    FileSet::write_now(|files| files.write(path, &bytes))
}

/// Returns the path of the receipt for the files of the set called `stem` in `folder`.
fn receipt_path(folder: &Path, stem: &str) -> PathBuf {
    folder.join(receipt::FOLDER).join(FOLDER).join(format!("{stem}.json"))
}
