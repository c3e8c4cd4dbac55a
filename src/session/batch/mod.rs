//! Batch export: each take is exported independently. Takes whose inputs are unchanged are skipped, and a failed take
//! does not stop the others.
//!
//! A receipt next to the files of each take records their inputs. Render farms export parts of the takes, see
//! [`job`]; the files are byte-identical on every machine.

pub mod job;
pub mod parts;
pub(crate) mod receipt;
pub mod report;
mod strip;
mod take_key;
pub(super) mod template;

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

pub use self::receipt::{Receipt, WrittenFile};
pub(super) use self::strip::strip_path;
pub use self::strip::{Strip, StripPath, strip};
use super::clip_library::quality_of;
use super::{Command, ExportRequest, FileCommand, Session, Severity};
use portamento_anim::quality::Quality;
use portamento_base::message::{Message, Tell, message};

/// The result of one take.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeOutcome {
    /// The take's name.
    pub take: String,
    /// The outcome: written, unchanged or failed.
    pub state: OutcomeState,
    /// The duration of the export, seconds.
    pub seconds: f64,
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
}

impl OutcomeState {
    /// Returns the word for this state in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Kept => "kept",
            Self::Failed(_) => "failed",
        }
    }
}

impl Session {
    /// Exports each of `request.takes` independently to a folder and calls `each` with every outcome. Takes whose
    /// receipt shows unchanged inputs and intact files are skipped. Requires a session that runs jobs synchronously.
    ///
    /// Returns `Err` if the destination is not a folder.
    pub fn bake_each(
        &mut self,
        request: &ExportRequest,
        mut each: impl FnMut(&TakeOutcome),
    ) -> Result<Vec<TakeOutcome>, Message> {
        if !request.is_folder() {
            return Err(message!(
                "error.batch.folder",
                "A batch export needs a folder, but %{file} is a file. Choose a folder.",
                file = request.destination.display().to_string(),
            ));
        }
        let (stems, mut outcomes) = (self.opened().stems(request), Vec::new());
        let together = if request.together.is_empty() { &request.takes } else { &request.together };
        for &id in &request.takes {
            let Some(stem) = stems.get(&id) else { continue };
            let begun = Instant::now();
            let single = ExportRequest { takes: vec![id], together: together.clone(), ..request.clone() };
            let state = self.bake_one(&single, stem);
            let take = self.document.take(id).map(|take| take.name.clone()).unwrap_or_default();
            let outcome = TakeOutcome { take, state, seconds: begun.elapsed().as_secs_f64() };
            each(&outcome);
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    fn bake_one(&mut self, request: &ExportRequest, stem: &str) -> OutcomeState {
        let (folder, id) = (&request.destination, request.takes[0]);
        let key = match self.opened().take_key(request, id) {
            Ok(key) => key,
            Err(why) => return OutcomeState::Failed(why),
        };
        let before = Receipt::read(folder, stem);
        if before.as_ref().is_some_and(|receipt| receipt.key == key && receipt.has_all(folder)) {
            return OutcomeState::Kept;
        }
        let begun = Instant::now();
        let files = match self.export_over(request, folder, before.as_ref().map_or(&[], |before| &before.files)) {
            Ok(files) => files,
            Err(why) => return OutcomeState::Failed(why),
        };
        let seconds = begun.elapsed().as_secs_f64();
        let take = self.document.take(id).cloned();
        let built = take.as_ref().and_then(|take| self.built(take).ok());
        let figures = built.as_deref().and_then(quality_of).as_ref().map_or(json!({}), figures);
        let strip = built.as_deref().and_then(strip_path);
        let take = take.map(|take| take.name).unwrap_or_default();
        let receipt = Receipt { id, take, key, seconds, files, figures, strip };
        match receipt.write(folder, stem) {
            Ok(()) => OutcomeState::Written,
            Err(error) => OutcomeState::Failed(error.message()),
        }
    }

    /// Exports to `folder`, replacing files listed in `written` unless they were modified since. Returns the files
    /// written now.
    pub(super) fn export_over(
        &mut self,
        request: &ExportRequest,
        folder: &Path,
        written: &[WrittenFile],
    ) -> Result<Vec<WrittenFile>, Message> {
        self.perform(Command::File(FileCommand::Export(request.clone())));
        if let Some(conflicting) = self.exports.conflicting_files() {
            let is_ours = |path: &PathBuf| WrittenFile::read(folder, path).is_ok_and(|now| written.contains(&now));
            let foreign: Vec<PathBuf> = conflicting.into_iter().filter(|path| !is_ours(path)).collect();
            self.perform(Command::File(FileCommand::Replace(foreign.is_empty())));
            if !foreign.is_empty() {
                let refused = portamento_formats::export::ExportError::WouldReplace { files: foreign }.message();
                return Err(message!(
                    "error.batch.foreign",
                    "%{refused} These files were modified since the last export or were not written by Portamento. Move them elsewhere, or use --force to replace them.",
                    refused,
                ));
            }
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

/// Returns length, travel and findings of a motion as JSON.
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
