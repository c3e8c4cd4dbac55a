//! The contract of a watch: the files of a take that breaks it are not replaced.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::{Failure, check};
use portamento_base::budget::Budget;
use portamento_base::message::{Message, Tell as _, message};
use portamento_base::progress::Progress;
use portamento_session::Exports;
use portamento_session::batch::TakeCheck;
use portamento_session::delivery::Delivery;
use portamento_sets::{Contract, Verdict};

/// A contract with its text.
pub(super) struct Requirements {
    contract: Contract,
    text: String,
}

/// The function of a check.
type Check<'c> = dyn Fn(&Exports) -> Result<(), Message> + 'c;

impl Requirements {
    /// Reads the contract at `path`. Returns [`Failure::Usage`] if it cannot be read or is no contract.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let contract = check::read(path)?.contract;
        Ok(Self { text: format!("{contract:?}"), contract })
    }

    /// Returns `check` with the text of the contract, by which exports know whether a take was checked against the same
    /// one.
    pub fn as_check<'c>(&'c self, check: &'c Check<'c>) -> TakeCheck<'c> {
        TakeCheck { requirements: &self.text, check }
    }

    /// Checks the clips of the last export. Requirements of sets need all their clips and are not checked.
    ///
    /// Returns `Err` with the broken requirements. Returns `Err` too if a file cannot be measured.
    pub fn check(&self, exports: &Exports) -> Result<(), Message> {
        let reports = exports.reports();
        let files: Vec<PathBuf> =
            reports.iter().filter(|report| report.bytes.is_some()).map(|report| PathBuf::from(&report.file)).collect();
        if files.is_empty() {
            return Ok(());
        }
        let delivery = Delivery::measure(&files, &Progress::new())?;
        if let Some((_, why)) = delivery.failures.first() {
            return Err(why.clone());
        }
        let report = portamento_sets::check(&self.contract, &delivery.members, &Budget::new());
        let report = report.map_err(|error| error.message())?;
        let clips: BTreeSet<&str> = reports.iter().flat_map(|report| &report.takes).map(|take| &*take.clip).collect();
        let is_own = |row: &&portamento_sets::Row| {
            row.set.is_none() && row.clip.as_ref().is_some_and(|clip| clips.contains(&*clip.clip))
        };
        let rows = report.rows.iter().filter(|row| row.verdict() == Verdict::Broken).filter(is_own);
        let broken: Vec<String> = rows.map(check::sentence).collect();
        if broken.is_empty() {
            return Ok(());
        }
        Err(message!(
            "error.watch.contract",
            "The take breaks the contract, so the earlier file stays. %{broken}",
            broken = broken.join(" "),
        ))
    }
}
