use super::*;
use crate::{Command, EditCommand, FileCommand};
use portamento_sets::Verdict;

fn edit(session: &mut Session, command: EditCommand) {
    session.perform(Command::Edit(command));
    session.update(1.0 / 60.0, true);
    session.update(1.0 / 60.0, true);
}

fn open(name: &str) -> Option<Session> {
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![portamento_test_support::character(name)?])));
    session.sets.is_shown = true;
    session.update(1.0 / 60.0, true);
    Some(session)
}

fn broken(session: &Session, set: usize) -> Vec<Requirement> {
    let cells = session.set_cells(set).unwrap();
    cells.iter().filter(|cell| cell.row.verdict() == Verdict::Broken).map(|cell| cell.row.requirement).collect()
}

#[test]
fn sets_are_proposed_measured_and_brought_to_their_contract_in_one_undo_step() {
    let Some(mut session) = open("characters/knight.glb") else { return };
    edit(&mut session, EditCommand::ProposeSets);
    let names: Vec<&str> = session.document.sets.iter().map(|set| &*set.name).collect();
    assert_eq!(names, ["jump", "running", "strikes", "walking"]);
    let walking = 3;
    assert!(broken(&session, walking).contains(&Requirement::PhaseSpread));
    let proposed = session.document.clone();
    edit(&mut session, EditCommand::BringSet(BringRequest { set: walking, only: None }));
    assert_eq!(broken(&session, walking), []);
    let cells = session.set_cells(walking).unwrap();
    assert!(cells.iter().all(|cell| cell.row.verdict() == Verdict::Met), "{cells:#?}");
    assert!(!session.document.takes.is_empty() && session.document != proposed);
    edit(&mut session, EditCommand::Undo);
    assert_eq!(session.document, proposed);
    edit(&mut session, EditCommand::ProposeSets);
    assert_eq!(session.document.sets, proposed.sets, "known sets are not proposed again");
}

#[test]
fn one_requirement_alone_is_repaired_and_others_keep_their_figures() {
    let Some(mut session) = open("characters/knight.glb") else { return };
    edit(&mut session, EditCommand::ProposeSets);
    let running = 1;
    let lengths = broken(&session, running);
    assert!(lengths.contains(&Requirement::DurationSpread), "{lengths:?}");
    let cells = session.set_cells(running).unwrap();
    let cell = cells.iter().find(|cell| cell.row.requirement == Requirement::DurationSpread).unwrap();
    let only = Some(cell.row.clone());
    edit(&mut session, EditCommand::BringSet(BringRequest { set: running, only }));
    assert!(!broken(&session, running).contains(&Requirement::DurationSpread));
    assert_eq!(session.document.takes.len(), 1, "one member has another length");
}

#[test]
fn a_member_whose_file_is_closed_is_reported_and_nothing_is_measured_while_sets_are_hidden() {
    let Some(mut session) = open("characters/knight.glb") else { return };
    session.sets.is_shown = false;
    edit(&mut session, EditCommand::ProposeSets);
    assert_eq!(session.set_cells(0), None);
    session.sets.is_shown = true;
    let set = &mut session.document.sets[0];
    set.members[0].clip = MemberClip::Take(TakeId(77));
    session.update(1.0 / 60.0, true);
    session.update(1.0 / 60.0, true);
    assert!(broken(&session, 0).contains(&Requirement::Clips));
}
