//! The export of every change: takes are exported again when they or their sources changed.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::SystemTime;

use super::{ExportChoice, ExportRequest, Exports};
use crate::batch::{BatchOutcome, OutcomeState, SetOutcome, TakeOutcome};
use crate::{JobKey, Session, Severity, WindowCommand};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;
use portamento_formats::export::Replace;
use portamento_takes::document::Document;

/// An export that repeats whenever takes or sources change.
#[derive(Debug)]
pub struct ExportAsIWork {
    choice: ExportChoice,
    /// The export that began it; its files may be replaced, because the user has just written them.
    first: Option<ExportRequest>,
    /// The document and the number of its last read that were exported last.
    exported: Option<(Document, usize)>,
    finished: Option<SystemTime>,
    failures: BTreeMap<String, Message>,
}

impl ExportAsIWork {
    /// Returns the time of the last export that wrote a file, or of the first export. `None` before the first ends.
    pub fn finished(&self) -> Option<SystemTime> {
        self.finished
    }

    /// Returns the destination. It is a folder.
    pub fn folder(&self) -> &str {
        &self.choice.folder
    }

    /// Returns the takes and sets that could not be exported, with the reasons. The map is keyed by name and covers the last
    /// export.
    pub fn failures(&self) -> &BTreeMap<String, Message> {
        &self.failures
    }
}

impl ExportChoice {
    /// Returns the export of every change that begins with `request`. `None` if it is off or if the takes share files, see
    /// [`ExportRequest::repeats`].
    pub(super) fn begin_as_i_work(&self, request: &ExportRequest) -> Option<ExportAsIWork> {
        let folder = request.destination.display().to_string();
        let is_wanted = self.as_i_work && request.repeats();
        is_wanted.then(|| ExportAsIWork {
            choice: ExportChoice { folder, ..self.clone() },
            first: Some(request.clone()),
            exported: None,
            finished: None,
            failures: BTreeMap::new(),
        })
    }
}

impl ExportRequest {
    /// True if takes can be exported one by one: to a folder, each to its own file, without an index of all.
    pub fn repeats(&self) -> bool {
        self.is_per_take() && !self.settings.sidecars.index
    }
}

impl Exports {
    /// Returns the export of every change, if it is on.
    pub fn as_i_work(&self) -> Option<&ExportAsIWork> {
        self.as_i_work.as_ref()
    }

    /// Turns the export of every change off.
    pub(crate) fn stop_as_i_work(&mut self) {
        (self.as_i_work, self.next_as_i_work) = (None, None);
    }
}

impl Session {
    /// Turns the export of every change off, with a notice, or opens the export dialog to turn it on.
    pub(crate) fn toggle_export_as_i_work(&mut self) {
        let is_on = self.exports.as_i_work.is_some();
        self.exports.choice.as_i_work = !is_on;
        if !is_on {
            return self.window_requests.push(WindowCommand::AskExport);
        }
        self.exports.stop_as_i_work();
        let message = message!("notice.as_i_work_off", "Changes are no longer exported automatically.");
        self.notices.add(Severity::Info, message);
    }

    /// Starts a job that exports the takes that changed since the last time. Call it while nothing is being edited. Does
    /// nothing while an export runs.
    pub(crate) fn follow_export_as_i_work(&mut self) {
        if self.exports.as_i_work.is_none() || self.exports.is_running(&self.jobs) {
            return;
        }
        let revision = self.read.revision();
        let Some(work) = &mut self.exports.as_i_work else { return };
        if work.exported.as_ref().is_some_and(|(document, number)| *number == revision && *document == self.document) {
            return;
        }
        work.exported = Some((self.document.clone(), revision));
        let mut request = work.choice.request(&self.document);
        if work.first.take().is_some_and(|first| first == request) {
            request.replace = Replace::Allow;
        }
        let mut session = self.copy_for_export();
        let bake = move |progress: &Progress| {
            let goes_on = |_: &TakeOutcome| match progress.is_cancelled() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            session.bake_while(&request, None, goes_on)
        };
        self.jobs.start(JobKey::Export, bake, |session, outcomes| match outcomes {
            Ok(outcomes) => session.take_exported(outcomes),
            Err(message) => {
                session.exports.stop_as_i_work();
                session.notices.add(Severity::Error, message);
            }
        });
    }

    /// Returns a copy that exports in a job, so that the user can edit meanwhile. It has the takes that are built already, and no
    /// notices.
    pub(crate) fn copy_for_export(&self) -> Self {
        let mut session = Self::inline();
        session.document = self.document.clone();
        session.library = self.library.clone();
        session.read = self.read.clone();
        session.evaluation.builds = self.evaluation.builds.with_same_takes();
        session.project.path.clone_from(&self.project.path);
        session
    }

    /// Stores which takes and sets could not be exported, and adds a notice for each new reason.
    fn take_exported(&mut self, outcomes: BatchOutcome) {
        let Some(work) = &mut self.exports.as_i_work else { return };
        let mut failures = BTreeMap::new();
        let takes = outcomes.takes.into_iter().map(|TakeOutcome { take, state, .. }| (take, state));
        let sets = outcomes.sets.into_iter().map(|SetOutcome { set, state, .. }| (set, state));
        let outcomes: Vec<(String, OutcomeState)> = takes.chain(sets).collect();
        let is_written = outcomes.iter().any(|(_, state)| *state == OutcomeState::Written);
        for (name, state) in outcomes {
            // An outdated take is exported as soon as its source is read again.
            let OutcomeState::Failed(why) = state else { continue };
            if work.failures.get(&name) != Some(&why) {
                let message = message!(
                    "notice.as_i_work_failed",
                    "“%{take}” was not exported, its earlier file stays: %{why}",
                    take = &name,
                    why = why.clone(),
                );
                self.notices.add(Severity::Warning, message);
            }
            failures.insert(name, why);
        }
        work.failures = failures;
        if is_written || work.finished.is_none() {
            work.finished = Some(SystemTime::now());
        }
    }
}

#[cfg(test)]
mod tests;
