//! Batch export: each take is exported independently. Takes whose inputs are unchanged are skipped, and a failed take
//! does not stop the others.
//!
//! A receipt next to the files of each take records their inputs. Render farms export parts of the takes, see
//! [`job`]; the files are byte-identical on every machine.

pub mod job;
pub mod parts;
pub(crate) mod receipt;
pub mod report;
mod sets;
mod strip;
mod take_key;
pub(super) mod template;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

pub use self::receipt::{Receipt, WrittenFile};
pub use self::sets::SetOutcome;
pub(super) use self::strip::strip_path;
pub use self::strip::{Strip, StripPath, strip};
use super::clip_library::quality_of;
use super::{Command, ExportRequest, Exports, FileCommand, Session, Severity};
use portamento_anim::quality::Quality;
use portamento_base::fingerprint::fingerprint;
use portamento_base::message::{Message, Tell, message};
use portamento_formats::export::ExportError;
use portamento_takes::document::TakeId;

/// The results of a batch export.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchOutcome {
    /// The results of the takes, in their order.
    pub takes: Vec<TakeOutcome>,
    /// The results of the sets with an exported member.
    pub sets: Vec<SetOutcome>,
}

/// The result of one take.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeOutcome {
    /// The take's name.
    pub take: String,
    /// The outcome: written, unchanged, failed or outdated.
    pub state: OutcomeState,
    /// The duration of the export, seconds.
    pub seconds: f64,
    /// The receipt of the written or unchanged files; `None` if the export failed.
    pub receipt: Option<Receipt>,
}

/// The outcome of a take's export.
#[derive(Clone, Debug, PartialEq)]
pub enum OutcomeState {
    /// Exported in this run.
    Written,
    /// The files of an earlier run are present and up to date.
    Kept,
    /// The export failed, with the reason.
    Failed(Message),
    /// A source changed after it was read, so nothing was exported; the message says which.
    Outdated(Message),
}

impl From<Message> for OutcomeState {
    fn from(why: Message) -> Self {
        Self::Failed(why)
    }
}

/// A check of the files of a take before they replace earlier ones.
pub struct TakeCheck<'c> {
    /// The requirements as text. Takes are exported again when it changes.
    pub requirements: &'c str,
    /// Checks the last export, which went to a temporary folder; returns the reason if its files may not be used.
    pub check: &'c dyn Fn(&Exports) -> Result<(), Message>,
}

impl std::fmt::Debug for TakeCheck<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TakeCheck").field("requirements", &self.requirements).finish_non_exhaustive()
    }
}

impl OutcomeState {
    /// Returns the word for this state in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Kept => "kept",
            Self::Failed(_) => "failed",
            Self::Outdated(_) => "outdated",
        }
    }

    /// Returns the reason if the export failed or was refused; `None` if the files are up to date.
    pub fn failure(&self) -> Option<&Message> {
        match self {
            Self::Written | Self::Kept => None,
            Self::Failed(why) | Self::Outdated(why) => Some(why),
        }
    }
}

impl Session {
    /// Exports each of `request.takes` independently to a folder and calls `each` with every outcome. Takes whose
    /// receipt shows unchanged inputs and intact files are skipped. Then renews the files of sets, unless the takes are a
    /// part of those that are exported to the folder. Requires a session that runs jobs synchronously.
    ///
    /// Returns `Err` if the destination is not a folder. Takes that are gone are left out.
    pub fn bake_each(
        &mut self,
        request: &ExportRequest,
        mut each: impl FnMut(&TakeOutcome),
    ) -> Result<BatchOutcome, Message> {
        self.bake_while(request, None, |outcome| {
            each(outcome);
            ControlFlow::Continue(())
        })
    }

    /// Exports like [`Session::bake_each`] until `each` returns `Break`; the files of sets then stay as they are. The files
    /// of an earlier run stay if `check` refuses the new ones.
    ///
    /// Returns `Err` if the destination is not a folder.
    pub fn bake_while(
        &mut self,
        request: &ExportRequest,
        check: Option<&TakeCheck>,
        mut each: impl FnMut(&TakeOutcome) -> ControlFlow<()>,
    ) -> Result<BatchOutcome, Message> {
        if !request.is_folder() {
            return Err(message!(
                "error.batch.folder",
                "A batch export needs a folder, but %{file} is a file. Choose a folder.",
                file = request.destination.display().to_string(),
            ));
        }
        let (stems, mut outcomes) = (self.opened().stems(request), BatchOutcome::default());
        let together = if request.together.is_empty() { &request.takes } else { &request.together };
        for &id in &request.takes {
            let Some(stem) = stems.get(&id) else { continue };
            let begun = Instant::now();
            let single = ExportRequest { takes: vec![id], together: together.clone(), ..request.clone() };
            let (state, receipt) = match self.bake_one(&single, stem, check) {
                Ok((state, receipt)) => (state, Some(receipt)),
                Err(failure) => (failure, None),
            };
            let take = self.document.take(id).map(|take| take.name.clone()).unwrap_or_default();
            let outcome = TakeOutcome { take, state, seconds: begun.elapsed().as_secs_f64(), receipt };
            let goes_on = each(&outcome);
            outcomes.takes.push(outcome);
            if goes_on.is_break() {
                return Ok(outcomes);
            }
        }
        outcomes.sets = self.renew_sets(request, &stems);
        Ok(outcomes)
    }

    /// Exports the first take of `request` and writes its receipt under the name `stem`. Exports nothing if the receipt of an
    /// earlier run still fits and its files exist: the state is then `Kept`. Returns `Err` with the state of a failure.
    fn bake_one(
        &mut self,
        request: &ExportRequest,
        stem: &str,
        check: Option<&TakeCheck>,
    ) -> Result<(OutcomeState, Receipt), OutcomeState> {
        let (folder, id) = (&request.destination, request.takes[0]);
        let key = self.opened().take_key(request, id)?;
        let key = check.map_or(key.clone(), |check| fingerprint(format!("{key} {}", check.requirements).as_bytes()));
        if let Some(file) = self.changed_file_of(id) {
            return Err(OutcomeState::Outdated(changed_meanwhile(&file)));
        }
        let before = Receipt::read(folder, stem);
        if let Some(receipt) = before.as_ref().filter(|receipt| receipt.key == key && receipt.has_all(folder)) {
            return Ok((OutcomeState::Kept, receipt.clone()));
        }
        let begun = Instant::now();
        if let Some(check) = check {
            self.check_take(request, check)?;
        }
        let files = self.export_over(request, folder, before.as_ref().map_or(&[], |before| &before.files))?;
        let seconds = begun.elapsed().as_secs_f64();
        let take = self.document.take(id).cloned();
        let built = take.as_ref().and_then(|take| self.built(take).ok());
        let figures = built.as_deref().and_then(quality_of).as_ref().map_or(json!({}), figures);
        let strip = built.as_deref().and_then(strip_path);
        let take = take.map(|take| take.name).unwrap_or_default();
        // Without a key the next run exports the take again: an export may copy from a source that changed meanwhile.
        let key = if self.changed_file_of(id).is_none() { key } else { String::new() };
        let set_clip = self.exports.take_set_clip().map(Box::new);
        let receipt = Receipt { id, take, key, seconds, files, figures, strip, set_clip };
        receipt.write(folder, stem).map_err(|error| error.message())?;
        Ok((OutcomeState::Written, receipt))
    }

    /// Exports the take to a temporary folder and checks the files.
    ///
    /// Returns `Err` if the export fails or if the files are refused.
    fn check_take(&mut self, request: &ExportRequest, check: &TakeCheck) -> Result<(), Message> {
        let unwritable =
            |reason| ExportError::Unwritable { file: std::env::temp_dir().display().to_string(), reason }.message();
        let folder = tempfile::tempdir().map_err(unwritable)?;
        let trial = ExportRequest { destination: folder.path().to_owned(), ..request.clone() };
        self.export_over(&trial, folder.path(), &[])?;
        (check.check)(&self.exports)
    }

    /// Returns a source of the take, or of the takes that it uses, which changed since it was read; `None` if none did.
    fn changed_file_of(&self, id: TakeId) -> Option<PathBuf> {
        let takes = self.opened().with_used(id);
        let changed =
            takes.iter().flat_map(|take| take_key::files_of(take)).find(|&file| !self.read.is_current(file))?;
        self.document.file(changed).map(|file| file.path.clone())
    }

    /// Exports to `folder`, replacing files listed in `written` unless they were modified since. Returns `Err`, without an
    /// export, if another file would be replaced. Returns the files written now.
    pub(super) fn export_over(
        &mut self,
        request: &ExportRequest,
        folder: &Path,
        written: &[WrittenFile],
    ) -> Result<Vec<WrittenFile>, Message> {
        self.perform(Command::File(FileCommand::Export(request.clone())));
        if let Some(conflicting) = self.exports.conflicting_files() {
            let refused = refuse_foreign(conflicting, folder, written);
            self.perform(Command::File(FileCommand::Replace(refused.is_ok())));
            refused?;
        }
        let notices = self.notices.take_new();
        match notices.into_iter().find(|notice| notice.severity == Severity::Error) {
            Some(error) => Err(error.message),
            None => {
                let files = self.exports.files().iter().map(|path| WrittenFile::read(folder, path));
                files.collect::<Result<_, _>>().map_err(|error| error.message())
            }
        }
    }
}

/// Returns `Err` if one of `files`, which would be replaced in `folder`, is not listed in `written` or was modified since.
fn refuse_foreign(
    files: impl IntoIterator<Item = PathBuf>,
    folder: &Path,
    written: &[WrittenFile],
) -> Result<(), Message> {
    let is_ours = |path: &PathBuf| WrittenFile::read(folder, path).is_ok_and(|now| written.contains(&now));
    let foreign: Vec<PathBuf> = files.into_iter().filter(|path| !is_ours(path)).collect();
    if foreign.is_empty() {
        return Ok(());
    }
    Err(message!(
        "error.batch.foreign",
        "%{refused} These files were modified since the last export or were not written by Portamento. Move them elsewhere, or use --force to replace them.",
        refused = ExportError::WouldReplace { files: foreign }.message(),
    ))
}

/// Returns the message that a source changed after it was read.
fn changed_meanwhile(file: &Path) -> Message {
    message!(
        "error.batch.changed",
        "%{file} was changed while the take was exported. Export it again.",
        file = file.display().to_string(),
    )
}

/// Returns length, travel and findings of a motion as JSON. The keys name the units.
pub fn figures(quality: &Quality) -> Value {
    let findings: Vec<&str> = quality.findings.iter().map(|finding| finding.name()).collect();
    json!({
        "seconds": quality.seconds,
        "travel_m": quality.way.travel,
        "climb_m": quality.way.climb,
        "turn_degrees": quality.way.turn,
        "speed_m_per_s": quality.way.speed,
        "findings": findings,
    })
}

#[cfg(test)]
mod tests;
