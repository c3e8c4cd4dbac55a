//! Copies stages from a take to others.

use super::stage_position;
use crate::command::stage::may_add;
use crate::command::{EditCommand, WindowCommand};
use crate::{Command, Session, Severity, Shown};
use portamento_base::message::{Message, message};
use portamento_takes::document::{FileId, Stage, StageId, Take, TakeId};

/// Stages on the clipboard. They stay until a project is opened or begun.
#[derive(Clone, Debug)]
pub struct CopiedStages {
    /// The text on the clipboard of the system, which tells whether the stages were the last that was copied.
    pub text: String,
    character: FileId,
    stages: Vec<Stage>,
}

impl Session {
    /// Copies one stage of take `id`, or all of them, here and as text to the clipboard of the system. Adds a notice.
    pub(crate) fn copy_stages(&mut self, id: TakeId, stage: Option<StageId>) {
        let Some(take) = self.document.take(id) else { return };
        let stages: Vec<Stage> =
            take.stages.iter().filter(|each| stage.is_none_or(|stage| each.id == stage)).cloned().collect();
        if stages.is_empty() {
            return self.notices.add(Severity::Info, no_stages(&take.name));
        }
        let text = match (&stages[..], stage) {
            ([only], Some(_)) => format!("{}: {}", take.name, only.kind.name()),
            _ => take.name.clone(),
        };
        let copied = message!(
            "notice.stages_copied",
            "Copied %{count} %{count|stage|stages}. Paste with Ctrl+V on other takes.",
            count = stages.len()
        );
        let character = take.character;
        self.notices.add(Severity::Done, copied);
        self.copied_stages = Some(CopiedStages { text, character, stages });
        self.perform(Command::Window(WindowCommand::CopyStagesText));
    }

    /// Adds the copied stages at the end of each of `takes`. If the list is empty, adds them to the shown clip or take instead,
    /// after the open stage or else at the end. Adds a notice for each take that they do not fit, and if none were copied.
    pub(crate) fn paste_stages(&mut self, takes: Vec<TakeId>) {
        let Some(copied) = self.copied_stages.clone() else {
            let message = message!("notice.no_copied_stages", "No stages were copied. Copy a stage or a take first.");
            return self.notices.add(Severity::Info, message);
        };
        if takes.is_empty() {
            return self.paste_to_shown(&copied);
        }
        for id in takes {
            let Some(character) = self.document.take(id).map(|take| take.character) else { continue };
            match self.stages_for(&copied, character) {
                Ok(stages) => drop(self.document.take_mut(id).and_then(|take| insert(take, stages, None))),
                Err(reason) => self.notices.add(Severity::Warning, reason),
            }
        }
    }

    /// Adds `copied` to the shown take, or to a new take of the shown clip, after the open stage or
    /// else at the end. Adds a notice and changes nothing if a stage does not fit. The last stage is opened.
    fn paste_to_shown(&mut self, copied: &CopiedStages) {
        let take = self.shown_take();
        let kinds = copied.stages.iter().filter_map(|stage| stage.kind.stage_type());
        let refused = kinds.into_iter().find_map(|kind| may_add(kind, take.as_ref(), self.frame()).err());
        if let Some(reason) = refused {
            return self.notices.add(Severity::Info, reason);
        }
        let Some(take) = take else { return };
        let stages = match self.stages_for(copied, take.character) {
            Ok(stages) => stages,
            Err(reason) => return self.notices.add(Severity::Warning, reason),
        };
        let after = self.selection.stage;
        let id = match self.selection.shown {
            Shown::Take(id) => id,
            _ => self.add_take(take),
        };
        self.selection.stage = self.document.take_mut(id).and_then(|take| insert(take, stages, after));
        (self.selection.chain, self.selection.collider, self.selection.event) = (None, None, None);
    }

    /// Returns the copied stages, converted to `character`. Returns `Err` if they do not fit.
    fn stages_for(&self, copied: &CopiedStages, character: FileId) -> Result<Vec<Stage>, Message> {
        self.opened().stages_for(&copied.stages, copied.character, character)
    }
}

/// Inserts `stages` with new ids after the stage `after` of `take`, else at the end. Returns the id of the last one; `None`
/// without stages.
fn insert(take: &mut Take, stages: Vec<Stage>, after: Option<StageId>) -> Option<StageId> {
    let mut at = after.and_then(|after| stage_position(take, after)).map_or(take.stages.len(), |at| at + 1);
    let mut last = None;
    for stage in stages {
        let id = take.add_stage(stage.kind.clone());
        take.stages.pop();
        take.stages.insert(at, Stage { id, ..stage });
        (at, last) = (at + 1, Some(id));
    }
    last
}

/// Returns the notice that `take` has no stages to copy.
fn no_stages(take: &str) -> Message {
    message!("notice.no_stages_to_copy", "“%{take}” has no stages to copy.", take)
}

/// Returns the command that pastes to `takes` if `text` is that of the copied stages; `None` if something else was copied
/// since.
pub fn paste_command(session: &Session, text: &str, takes: Vec<TakeId>) -> Option<Command> {
    let is_copied = session.copied_stages.as_ref().is_some_and(|copied| copied.text == text);
    is_copied.then_some(Command::Edit(EditCommand::PasteStages(takes)))
}
