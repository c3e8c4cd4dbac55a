//! What can be done with the stages of the shown take, for the palette.

use crate::document::{Stage, Take};
use crate::session::command::stage::StageCommand;
use crate::session::{Command, EditCommand, Session, Shown};
use crate::ui::i18n::tr;
use crate::ui::offer::Offer;

/// What can be done with each stage of the shown take.
pub fn offers(session: &Session) -> Vec<Offer> {
    let Shown::Take(id) = session.selection.shown else { return Vec::new() };
    let Some(take) = session.document.take(id) else { return Vec::new() };
    (0..take.stages.len()).flat_map(|place| of_stage(take, place)).collect()
}

fn of_stage(take: &Take, place: usize) -> Vec<Offer> {
    let stage = &take.stages[place];
    let name = name(take, stage);
    let offer =
        |key, command| Offer::new(key, format!("{}: {name}", tr(key)), Command::Edit(EditCommand::Stage(command)));
    let mut offers = vec![
        offer("stack.open", StageCommand::Open(stage.id)),
        offer(if stage.on { "stack.mute" } else { "stack.unmute" }, StageCommand::SetOn(stage.id, !stage.on)),
        offer("stack.duplicate", StageCommand::Duplicate(stage.id)),
        offer("stack.remove", StageCommand::Remove(stage.id)),
    ];
    offers.extend((place > 0).then(|| offer("stack.earlier", StageCommand::Move(stage.id, place.saturating_sub(1)))));
    let is_last = place + 1 == take.stages.len();
    offers.extend((!is_last).then(|| offer("stack.later", StageCommand::Move(stage.id, place + 1))));
    offers
}

/// Its kind, with its number among several of that kind.
fn name(take: &Take, stage: &Stage) -> String {
    let alike: Vec<&Stage> = take.stages.iter().filter(|each| each.kind.name() == stage.kind.name()).collect();
    let word = tr(&format!("stage.{}", stage.kind.name()));
    let number = alike.iter().position(|each| each.id == stage.id).filter(|_| alike.len() > 1);
    number.map_or(word.clone(), |number| format!("{word} {}", number + 1))
}
