//! What of a job is there: each take's files, compared with what was written.

use std::path::Path;

use serde_json::{Value, json};

use super::job::{PARTS, PROJECT, VARIANTS, read_parts};
use super::receipt::Receipt;
use crate::document::file;
use crate::message::{Message, Tell};
use crate::regular_file;
use crate::session::variants::Index;

/// A job as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchReport {
    /// One per take, in the order of the parts.
    pub rows: Vec<BatchRow>,
    /// Where the takes are variants of one: which clip has which values, in which file, and its figures.
    pub index: Index,
}

/// One take of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchRow {
    /// The take's name.
    pub take: String,
    /// Whether its files are there.
    pub state: RowState,
    /// What was written of it, if anything was.
    pub receipt: Option<Receipt>,
}

/// Whether the files of a take are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowState {
    /// As they were written.
    Done,
    /// Nothing was written.
    Missing,
    /// Another length or content, or gone.
    Changed,
}

impl RowState {
    /// The word of reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Missing => "missing",
            Self::Changed => "changed",
        }
    }
}

impl BatchReport {
    /// Reads what the tasks of the job with these `inputs` left in `output`, and compares every file with its receipt.
    ///
    /// Errors where the inputs are none.
    pub fn read(inputs: &Path, output: &Path) -> Result<Self, Message> {
        let path = inputs.join(PROJECT);
        let bytes = regular_file::all(&path).map_err(|error| crate::session::project::unreadable(&path, &error))?;
        let document = file::from_bytes(&bytes, &path).map_err(|error| error.message())?;
        let receipts = Receipt::all(output);
        let row = |id| {
            let take = document.take(id).map(|take| take.name.clone()).unwrap_or_default();
            let receipt = receipts.iter().find(|receipt| receipt.id == id && receipt.take == take).cloned();
            let state = match &receipt {
                None => RowState::Missing,
                Some(receipt) if receipt.has_all(output) => RowState::Done,
                Some(_) => RowState::Changed,
            };
            BatchRow { take, state, receipt }
        };
        let rows: Vec<BatchRow> = read_parts(&inputs.join(PARTS))?.all().copied().map(row).collect();
        let index = told(read_index(&inputs.join(VARIANTS)), &rows);
        Ok(Self { rows, index })
    }

    /// How many takes are in that state.
    pub fn count(&self, state: RowState) -> usize {
        self.rows.iter().filter(|row| row.state == state).count()
    }

    /// The same for programs.
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

/// The variants of a job; empty where its takes are none.
fn read_index(path: &Path) -> Index {
    regular_file::all(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// `index` with files and figures of what is done of it.
fn told(mut index: Index, rows: &[BatchRow]) -> Index {
    for at in 0..index.rows.len() {
        let named = |row: &&BatchRow| index.clip(at) == Some(&row.take) && row.state == RowState::Done;
        let receipt = rows.iter().find(named).and_then(|row| row.receipt.as_ref());
        if let Some((receipt, file)) = receipt.and_then(|receipt| Some((receipt, receipt.files.first()?))) {
            index.tell(at, &file.path, &receipt.figures);
        }
    }
    index
}
