//! Offers of the outliner for the command palette.

use crate::i18n::{tr, tr_with};
use crate::shell::offer::Offer;
use portamento_session::{Command, EditCommand, Session, Shown};
use portamento_takes::document::{TakeDestination, TakeId};

/// Returns the offers for the selected takes, or for the current one.
pub fn offers(session: &Session) -> Vec<Offer> {
    let chosen = session.selection.chosen_takes(&session.document);
    match (chosen.as_slice(), &session.selection.shown) {
        ([], Shown::Take(id)) => of_one(*id).into_iter().chain(folders(session, &[*id])).collect(),
        ([], _) => Vec::new(),
        (takes, _) => of_many(takes).into_iter().chain(folders(session, takes)).collect(),
    }
}

/// Returns the offers that duplicate, derive or remove one take.
fn of_one(id: TakeId) -> Vec<Offer> {
    let offer = |key, edit| Offer::new(key, tr(key), Command::Edit(edit));
    vec![
        offer("take.duplicate", EditCommand::Duplicate(vec![id])),
        offer("take.derive", EditCommand::Derive(id)),
        offer("take.remove", EditCommand::Remove(vec![id])),
    ]
}

/// Returns the offers that duplicate or remove several takes.
fn of_many(takes: &[TakeId]) -> Vec<Offer> {
    let count = [("count", takes.len().to_string())];
    let offer = |key, edit| Offer::new(key, tr_with(key, &count), Command::Edit(edit));
    vec![
        offer("outliner.duplicate_takes", EditCommand::Duplicate(takes.to_vec())),
        offer("outliner.remove_takes", EditCommand::Remove(takes.to_vec())),
    ]
}

/// Returns the offers that move `takes` into a folder, into a new one, or out of their folder.
fn folders(session: &Session, takes: &[TakeId]) -> Vec<Offer> {
    let document = &session.document;
    let offer = |key, label, destination| {
        Offer::new(key, label, Command::Edit(EditCommand::Place { takes: takes.to_vec(), place: destination }))
    };
    let into = document.folders.iter().map(|folder| {
        let label = tr_with("outliner.move_into", &[("folder", folder.name.clone())]);
        offer("outliner.move_into", label, TakeDestination { folder: Some(folder.name.clone()), before: None })
    });
    let name = document.free_folder_name(&tr("outliner.folder"));
    let new = TakeDestination { folder: Some(name), before: takes.first().copied() };
    let new = offer("outliner.move_into_new", tr("outliner.move_into_new"), new);
    let is_in_one = takes.iter().any(|&take| document.folder_of(take).is_some());
    let out = is_in_one.then(|| offer("outliner.move_out", tr("outliner.move_out"), TakeDestination::default()));
    into.chain([new]).chain(out).collect()
}
