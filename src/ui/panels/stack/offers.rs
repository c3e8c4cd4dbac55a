//! Offers for the stages of the current take, for the command palette.

use crate::i18n::tr;
use crate::shell::offer::Offer;
use portamento_session::command::stage::StageCommand;
use portamento_session::{Command, EditCommand, Session, Shown};
use portamento_takes::document::{Stage, Take};

/// Returns the offers for each stage of the shown take; empty if no take is shown.
pub fn offers(session: &Session) -> Vec<Offer> {
    let Shown::Take(id) = session.selection.shown else { return Vec::new() };
    let Some(take) = session.document.take(id) else { return Vec::new() };
    (0..take.stages.len()).flat_map(|index| of_stage(take, index)).collect()
}

/// Returns the offers for the stage at `index` of `take`: open, mute, duplicate, copy, remove and move.
fn of_stage(take: &Take, index: usize) -> Vec<Offer> {
    let stage = &take.stages[index];
    let name = name(take, stage);
    let offer =
        |key, command| Offer::new(key, format!("{}: {name}", tr(key)), Command::Edit(EditCommand::Stage(command)));
    let mut offers = vec![
        offer("stack.open", StageCommand::Open(stage.id)),
        offer(if stage.on { "stack.mute" } else { "stack.unmute" }, StageCommand::SetOn(stage.id, !stage.on)),
        offer("stack.duplicate", StageCommand::Duplicate(stage.id)),
        offer("stack.copy", StageCommand::Copy(stage.id)),
        offer("stack.remove", StageCommand::Remove(stage.id)),
    ];
    offers.extend((index > 0).then(|| offer("stack.earlier", StageCommand::Move(stage.id, index.saturating_sub(1)))));
    let is_last = index + 1 == take.stages.len();
    offers.extend((!is_last).then(|| offer("stack.later", StageCommand::Move(stage.id, index + 1))));
    offers
}

/// Returns the translated name of the stage kind, with its number from 1 if there are several of that kind.
fn name(take: &Take, stage: &Stage) -> String {
    let alike: Vec<&Stage> = take.stages.iter().filter(|each| each.kind.name() == stage.kind.name()).collect();
    let word = tr(&format!("stage.{}", stage.kind.name()));
    let number = alike.iter().position(|each| each.id == stage.id).filter(|_| alike.len() > 1);
    number.map_or(word.clone(), |number| format!("{word} {}", number + 1))
}
