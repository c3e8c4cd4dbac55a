//! The report of a job: the files of each take, compared with their receipts.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::job::{PARTS, PROJECT, VARIANTS, read_parts};
use super::receipt::Receipt;
use crate::variants::Index;
use portamento_base::message::{Message, Tell};
use portamento_base::regular_file;
use portamento_takes::document::{TakeId, file};

/// The progress of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchReport {
    /// One row per take, in the order of the parts.
    pub rows: Vec<BatchRow>,
    /// Values, file and figures of each variant; empty if the takes are not variants.
    pub index: Index,
}

/// The report row of one take.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchRow {
    /// The take's name.
    pub take: String,
    /// The state of its files.
    pub state: RowState,
    /// The receipt of the take, if there is one.
    pub receipt: Option<Receipt>,
}

/// The state of a take's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowState {
    /// All files exist and are unchanged.
    Done,
    /// There is no receipt.
    Missing,
    /// A file is missing or was modified.
    Changed,
}

impl RowState {
    /// Returns the word for this state in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Missing => "missing",
            Self::Changed => "changed",
        }
    }
}

impl BatchReport {
    /// Reads the results of the job with these `inputs` from `output`, and compares every file with its receipt.
    ///
    /// Returns `Err` if the project or the part list cannot be read. Takes without a receipt are missing.
    pub fn read(inputs: &Path, output: &Path) -> Result<Self, Message> {
        let path = inputs.join(PROJECT);
        let bytes = regular_file::all(&path).map_err(|error| crate::project::unreadable(&path, &error))?;
        let document = file::from_bytes(&bytes, &path).map_err(|error| error.message())?;
        let mut receipts = BTreeMap::new();
        for receipt in Receipt::all(output) {
            receipts.entry((receipt.id, receipt.take.clone())).or_insert(receipt);
        }
        let names: BTreeMap<TakeId, &String> = document.takes.iter().rev().map(|take| (take.id, &take.name)).collect();
        let row = |id| {
            let take = names.get(&id).map(|name| (*name).clone()).unwrap_or_default();
            let receipt = receipts.get(&(id, take.clone())).cloned();
            let state = match &receipt {
                None => RowState::Missing,
                Some(receipt) if receipt.has_all(output) => RowState::Done,
                Some(_) => RowState::Changed,
            };
            BatchRow { take, state, receipt }
        };
        let rows: Vec<BatchRow> = read_parts(&inputs.join(PARTS))?.all().copied().map(row).collect();
        let index = with_results(read_index(&inputs.join(VARIANTS)), &rows);
        Ok(Self { rows, index })
    }

    /// Returns the number of takes in that state.
    pub fn count(&self, state: RowState) -> usize {
        self.rows.iter().filter(|row| row.state == state).count()
    }

    /// Returns the report as JSON.
    pub fn json(&self) -> Value {
        let row = |row: &BatchRow| match &row.receipt {
            None => json!({ "take": row.take, "state": row.state.name() }),
            Some(Receipt { key, seconds, files, figures, .. }) => json!({
                "take": row.take, "state": row.state.name(), "made_from": key, "made_in_seconds": seconds,
                "files": files, "figures": figures,
            }),
        };
        let counts =
            [RowState::Done, RowState::Missing, RowState::Changed].map(|state| (state.name(), self.count(state)));
        let counts: serde_json::Map<String, Value> =
            counts.into_iter().map(|(name, count)| (name.to_owned(), count.into())).collect();
        json!({ "counts": counts, "takes": self.rows.iter().map(row).collect::<Vec<_>>() })
    }
}

/// Reads the variant index of a job; empty if there is none. Also empty if it cannot be read.
fn read_index(path: &Path) -> Index {
    regular_file::all(path).ok().and_then(|bytes| portamento_base::json::parse(&bytes).ok()).unwrap_or_default()
}

/// Fills the files and figures of all finished variants into `index`.
fn with_results(mut index: Index, rows: &[BatchRow]) -> Index {
    let done = rows.iter().rev().filter(|row| row.state == RowState::Done);
    let receipts: BTreeMap<&str, &Option<Receipt>> = done.map(|row| (&*row.take, &row.receipt)).collect();
    for at in 0..index.rows.len() {
        let receipt = index.clip(at).and_then(|clip| receipts.get(clip)?.as_ref());
        if let Some((receipt, file)) = receipt.and_then(|receipt| Some((receipt, receipt.files.first()?))) {
            index.set_result(at, &file.path, &receipt.figures);
        }
    }
    index
}
