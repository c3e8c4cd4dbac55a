use super::*;
use crate::{Command, EditCommand, FileCommand, WindowCommand};
use portamento_sets::{SetKind, Verdict};

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

/// Adds a take of `clip` of the first file, named `name`.
fn add_take(session: &mut Session, clip: &str, name: &str) -> TakeId {
    let file = session.document.files[0].id;
    let stack = crate::clip_library::Stack { name: name.into(), kinds: Vec::new() };
    session.add_stack(file, clip, stack)
}

/// Adds the selected takes to the set at that index, or to a new one.
fn add_selected(session: &mut Session, takes: &[TakeId], set: Option<usize>) {
    session.selection.takes = takes.to_vec();
    edit(session, EditCommand::AddToSet { set, members: Vec::new() });
}

fn members(session: &Session, set: usize) -> Vec<MemberClip> {
    session.document.sets[set].members.iter().map(|member| member.clip.clone()).collect()
}

#[test]
fn selected_takes_become_a_set_of_the_kind_that_their_own_names_suggest_in_one_undo_step() {
    let Some(mut session) = open("characters/knight.glb") else { return };
    let takes = [("Walking_A", "sneak"), ("Walking_Backwards", "sneak")];
    let takes = takes.map(|(clip, name)| add_take(&mut session, clip, name));
    for (id, name) in takes.into_iter().zip(["walk forward", "walk back"]) {
        session.document.take_mut(id).unwrap().name = name.into();
    }
    session.update(1.0 / 60.0, true);
    let start = session.document.clone();
    add_selected(&mut session, &takes, None);
    let set = &session.document.sets[0];
    assert_eq!((&*set.name, set.requirements.kind), ("walk", SetKind::Ring));
    assert_eq!(members(&session, 0), takes.map(MemberClip::Take));
    assert!(set.members.iter().all(|member| member.requirements.is_loop == Some(true)), "{set:#?}");
    assert_eq!((session.sets.extended, session.window_requests.last()), (Some(0), Some(&WindowCommand::AskSets)));
    edit(&mut session, EditCommand::Undo);
    assert_eq!(session.document, start);
}

#[test]
fn a_set_gets_further_members_once_and_no_take_without_joints() {
    let Some(mut session) = open("characters/knight.glb") else { return };
    let names = [("Jump_Land", "alpha_land low"), ("Walking_A", "alpha_walk"), ("Idle", "alpha_idle")];
    let takes = names.map(|(clip, name)| add_take(&mut session, clip, name));
    add_selected(&mut session, &takes[..2], None);
    let set = &session.document.sets[0];
    assert_eq!((&*set.name, set.requirements.kind), ("alpha", SetKind::Free));
    let before = session.document.clone();
    add_selected(&mut session, &takes, Some(0));
    assert_eq!(members(&session, 0), takes.map(MemberClip::Take));
    edit(&mut session, EditCommand::Undo);
    assert_eq!(session.document, before);
    // Both are members already, and cloth moves no joints.
    edit(&mut session, EditCommand::AddCloth(portamento_dynamics::cloth::ClothShape::Flag));
    let cloth = session.document.takes.last().unwrap().id;
    let before = session.document.clone();
    for ids in [vec![takes[0], takes[1]], vec![cloth, takes[0]]] {
        add_selected(&mut session, &ids, Some(0));
        assert_eq!(session.document, before);
    }
    // The shown clip of a file joins without a take.
    let file = session.document.files[0].id;
    session.selection.show_clip(file, "Idle".into());
    add_selected(&mut session, &[], Some(0));
    assert_eq!(members(&session, 0).last(), Some(&MemberClip::Clip { file, clip: "Idle".into() }));
}

#[test]
fn an_empty_set_keeps_its_name_and_a_chosen_kind_and_equal_names_are_measured_apart() {
    let Some(mut session) = open("characters/knight.glb") else { return };
    let takes = ["Walking_A", "Walking_Backwards"].map(|clip| add_take(&mut session, clip, clip));
    session.document.take_mut(takes[1]).unwrap().name = "Walking_A".into();
    session.document.add_set(ClipSet { name: "mine".into(), ..ClipSet::default() });
    session.document.add_set(ClipSet { name: "chain".into(), ..ClipSet::default() });
    session.document.sets[1].requirements.kind = SetKind::Chain;
    session.update(1.0 / 60.0, true);
    for set in 0..2 {
        add_selected(&mut session, &takes, Some(set));
    }
    let sets = session.document.sets.iter().map(|set| (&*set.name, set.requirements.kind));
    // Two equal names have no direction, so they are no ring.
    assert_eq!(sets.collect::<Vec<_>>(), [("mine", SetKind::Free), ("chain", SetKind::Chain)]);
    let cells = session.set_cells(0).unwrap();
    let measured = |member| cells.iter().filter(|cell| cell.member == Some(member)).count();
    assert!(measured(0) > 0 && measured(0) == measured(1), "{cells:#?}");
    let figures = |member| {
        let own = cells.iter().filter(|cell| cell.member == Some(member));
        own.map(|cell| cell.row.measured.clone()).collect::<Vec<_>>()
    };
    assert_ne!(figures(0), figures(1), "each member has its own figures");
}

#[test]
fn proposals_use_the_names_of_takes_and_a_take_replaces_its_clip() {
    let Some(mut session) = open("characters/knight.glb") else { return };
    let own = add_take(&mut session, "Walking_A", "Walking_A");
    let renamed = [("Walking_A", "jog fwd"), ("Walking_Backwards", "jog back")]
        .map(|(clip, name)| add_take(&mut session, clip, name));
    session.update(1.0 / 60.0, true);
    let start = session.document.clone();
    edit(&mut session, EditCommand::ProposeSets);
    let names: Vec<&str> = session.document.sets.iter().map(|set| &*set.name).collect();
    assert_eq!(names, ["jog", "jump", "running", "strikes", "walking"]);
    assert_eq!(members(&session, 0), renamed.map(MemberClip::Take));
    let walking = members(&session, 4);
    let file = session.document.files[0].id;
    assert!(walking.contains(&MemberClip::Take(own)));
    assert!(!walking.contains(&MemberClip::Clip { file, clip: "Walking_A".into() }), "{walking:?}");
    edit(&mut session, EditCommand::Undo);
    assert_eq!(session.document, start, "one undo step");
}

#[test]
fn a_search_without_result_is_a_note_of_the_table_while_it_is_shown_and_else_a_notice() {
    let mut session = Session::inline();
    for is_shown in [true, false] {
        session.sets.is_shown = is_shown;
        session.notices.take_new();
        edit(&mut session, EditCommand::ProposeSets);
        assert_eq!((session.sets.note.is_some(), session.notices.take_new().is_empty()), (is_shown, is_shown));
    }
}
