//! Exports for other programs.

use std::ops::ControlFlow;

use serde_json::{Value, json};

use super::{ExportWish, Reply};
use crate::batch::{SetOutcome, TakeOutcome};
use crate::{ExportRequest, Session};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;
use portamento_formats::export::Replace;
use portamento_takes::document::{Take, TakeId};

impl Session {
    /// Exports takes of a copy of the project in a job and answers with the outcomes. An empty list means all takes that
    /// move joints.
    pub(super) fn answer_export(&mut self, wish: &ExportWish, reply: Reply) {
        let settings = match wish.settings() {
            Ok(settings) => settings,
            Err(refusal) => return reply(Err(refusal)),
        };
        let moving = self.document.takes.iter().filter(|take| take.moves_joints());
        let takes = match wish.takes.is_empty() {
            true => moving.map(|take: &Take| take.id).collect(),
            false => wish.takes.iter().map(|&id| TakeId(id)).collect(),
        };
        let request = ExportRequest {
            takes,
            destination: wish.folder.clone(),
            settings,
            replace: if wish.replace { Replace::Allow } else { Replace::Refuse },
            ..ExportRequest::default()
        };
        let mut session = self.copy_for_export();
        self.answer_by_job(move |progress| exported(&mut session, &request, progress), reply);
    }
}

/// Exports the takes of `request` and returns their outcomes and those of their sets as JSON. Stops early if cancelled.
///
/// Returns `Err` if a take does not exist or the export fails as a whole.
fn exported(session: &mut Session, request: &ExportRequest, progress: &Progress) -> Result<Value, Message> {
    if let Some(&missing) = request.takes.iter().find(|&&id| session.document.take(id).is_none()) {
        return Err(message!(
            "error.remote.no_take",
            "There is no take with the id %{id}.",
            id = missing.0.to_string()
        ));
    }
    let (total, mut count) = (request.takes.len(), 0);
    let goes_on = |_: &TakeOutcome| {
        count += 1;
        if progress.step(count, total).is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let outcomes = session.bake_while(request, None, goes_on)?;
    let takes = outcomes.takes.iter().zip(&request.takes).map(|(outcome, id)| row(outcome, *id, request));
    let sets = outcomes.sets.iter().map(|outcome| set_row(outcome, request));
    Ok(json!({ "takes": takes.collect::<Vec<_>>(), "sets": sets.collect::<Vec<_>>() }))
}

/// Returns the outcome of a take as JSON.
fn row(outcome: &TakeOutcome, id: TakeId, request: &ExportRequest) -> Value {
    let files = outcome.receipt.iter().flat_map(|receipt| &receipt.files);
    let files: Vec<_> = files.map(|file| request.destination.join(&file.path)).collect();
    json!({
        "id": id.0,
        "name": outcome.take,
        "state": outcome.state.name(),
        "files": files,
        "seconds": outcome.seconds,
        "reason": outcome.state.failure().map(ToString::to_string),
    })
}

/// Returns the outcome of a set as JSON.
fn set_row(outcome: &SetOutcome, request: &ExportRequest) -> Value {
    let files: Vec<_> = outcome.files.iter().map(|file| request.destination.join(file)).collect();
    json!({
        "name": outcome.set,
        "state": outcome.state.name(),
        "files": files,
        "reason": outcome.state.failure().map(ToString::to_string),
    })
}
