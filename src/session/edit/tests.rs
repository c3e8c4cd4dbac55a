//! The shown item after takes are removed and files are opened.

use super::*;
use crate::{Command, FileCommand, JobKey};
use portamento_dynamics::cloth::ClothShape;

/// Opens the hero with a take of each of these clips in one folder.
fn with_takes(clips: &[&str]) -> (tempfile::TempDir, Session, Vec<TakeId>) {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.path().join("hero.glb")])));
    session.update(0.0, true);
    let file = session.document.files[0].id;
    for clip in clips {
        let command = EditCommand::AddStretch { character: file, clip_file: file, clip: (*clip).into() };
        session.perform(Command::Edit(command));
    }
    let take_ids: Vec<TakeId> = session.document.takes.iter().map(|take| take.id).collect();
    session.document.group_takes(0, "made");
    session.update(0.0, true);
    (folder, session, take_ids)
}

#[test]
fn after_removing_a_take_its_neighbour_is_shown() {
    let (_folder, mut session, take_ids) = with_takes(&["walk", "run", "cast"]);
    let mut remove = |id: TakeId| {
        session.selection.show(Shown::Take(id));
        session.perform(Command::Edit(EditCommand::Remove(vec![id])));
        session.update(0.0, true);
        session.selection.shown.clone()
    };
    assert_eq!(remove(take_ids[1]), Shown::Take(take_ids[2]));
    assert_eq!(remove(take_ids[2]), Shown::Take(take_ids[0]));
    assert!(matches!(remove(take_ids[0]), Shown::File(_)));
}

#[test]
fn after_undoing_a_new_take_its_clip_is_shown() {
    let (_folder, mut session, take_ids) = with_takes(&["walk", "run"]);
    session.selection.show(Shown::Take(take_ids[1]));
    session.update(0.0, true);
    while session.document.take(take_ids[1]).is_some() {
        session.perform(Command::Edit(EditCommand::Undo));
        session.update(0.0, true);
    }
    let file = session.document.files[0].id;
    assert_eq!(session.selection.shown, Shown::Clip { character: file, file, clip: "run".into() });
}

#[test]
fn files_opened_indirectly_do_not_change_the_shown_item() {
    let (folder, mut session, take_ids) = with_takes(&["walk"]);
    session.selection.show(Shown::Take(take_ids[0]));
    let yard = folder.path().join("yard.glb");
    session.open_then(vec![yard.clone()], move |session| {
        assert!(session.document.files.iter().any(|file| file.path == yard));
        assert_eq!(session.selection.shown, Shown::Take(take_ids[0]));
    });
    session.update(0.0, true);
    assert_eq!(session.document.files.len(), 2);
    // In an empty session the opened file is shown.
    let mut session = Session::inline();
    session.open_then(vec![folder.path().join("hero.glb")], |_| {});
    session.update(0.0, true);
    assert!(matches!(session.selection.shown, Shown::Clip { .. }));
}

#[test]
fn undo_and_redo_bring_back_what_was_shown() {
    let (_folder, mut session, take_ids) = with_takes(&["walk", "run", "cast"]);
    let show = |session: &mut Session, id: TakeId| {
        session.selection.show(Shown::Take(id));
        session.update(0.0, true);
    };
    show(&mut session, take_ids[1]);
    session.document.take_mut(take_ids[1]).unwrap().name = "renamed".into();
    session.update(0.0, true);
    show(&mut session, take_ids[2]);
    session.perform(Command::Edit(EditCommand::Undo));
    assert_eq!(session.selection.shown, Shown::Take(take_ids[1]), "the renamed take");
    session.perform(Command::Edit(EditCommand::Redo));
    assert_eq!(session.selection.shown, Shown::Take(take_ids[2]), "what was shown after it");
    session.perform(Command::Edit(EditCommand::Remove(vec![take_ids[2]])));
    session.update(0.0, true);
    assert_ne!(session.selection.shown, Shown::Take(take_ids[2]));
    session.perform(Command::Edit(EditCommand::Undo));
    assert_eq!(session.selection.shown, Shown::Take(take_ids[2]), "the removed take");
}

#[test]
fn a_joint_is_not_carried_to_another_file_by_its_index() {
    let (folder, mut session, take_ids) = with_takes(&["walk", "run"]);
    session.selection.show(Shown::Take(take_ids[0]));
    session.selection.joint = Some(3);
    session.update(0.0, true);
    session.selection.show(Shown::Take(take_ids[1]));
    session.update(0.0, true);
    assert_eq!(session.selection.joint, Some(3), "the same character");
    session.open_then(vec![folder.path().join("yard.glb")], |_| {});
    session.update(0.0, true);
    session.selection.show(Shown::File(session.document.files[1].id));
    session.update(0.0, true);
    assert_eq!(session.selection.joint, None, "another file");
}

#[test]
fn undoing_a_new_cloth_stops_its_simulation() {
    let mut session = Session::default();
    session.update(0.0, true);
    session.perform(Command::Edit(EditCommand::AddCloth(ClothShape::Flag)));
    session.update(0.0, true);
    assert!(session.jobs.running().any(|job| matches!(job.key, JobKey::Cloth(_))));
    session.perform(Command::Edit(EditCommand::Undo));
    session.update(0.0, true);
    assert!(session.document.takes.is_empty());
    assert!(session.jobs.running().all(|job| job.progress.is_cancelled()));
}

#[test]
fn images_become_a_take_without_a_loop_that_can_be_exported() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::inline();
    let flame = portamento_test_support::asset("flame.apng");
    session.perform(Command::File(FileCommand::Open(vec![flame])));
    session.perform(Command::Edit(EditCommand::AddTake));
    session.update(0.0, true);
    let take = session.document.takes[0].clone();
    assert!(matches!(take.source, TakeSource::Images { .. }) && take.stages.is_empty());
    let destination = folder.path().join("flame.gif");
    let request = crate::ExportRequest { takes: vec![take.id], destination: destination.clone(), ..Default::default() };
    session.perform(Command::File(FileCommand::Export(request)));
    assert!(destination.is_file(), "{:?}", session.notices.all().last());
    session.perform(Command::Edit(EditCommand::AddTake));
    assert_eq!(session.document.takes.len(), 1, "a take is shown already");
}
