use std::sync::{Arc, Weak};

use super::*;
use crate::{Command, EditCommand, FileCommand, Shown};
use portamento_anim::Model;
use portamento_formats::export::{FileSet, gltf};
use portamento_takes::document::{Loaded, TakeSource};

fn save(model: &Model, path: &std::path::Path) {
    FileSet::write_now(|files| gltf::save(files, path, &gltf::from_model(model, None))).unwrap();
}

/// Opens `a.glb` and adds a take of its first clip. `b.glb` in the same folder lacks the last clip.
fn opened() -> (tempfile::TempDir, Session, FileId) {
    let folder = tempfile::tempdir().unwrap();
    let mut model = portamento_test_support::hero();
    save(&model, &folder.path().join("a.glb"));
    model.clips.pop();
    save(&model, &folder.path().join("b.glb"));
    let mut session = Session::inline();
    perform(&mut session, Command::File(FileCommand::Open(vec![folder.path().join("a.glb")])));
    let (character, clip) = (session.document.files[0].id, model.clips[0].name.clone());
    perform(&mut session, Command::Edit(EditCommand::AddStretch { character, clip_file: character, clip }));
    (folder, session, character)
}

fn perform(session: &mut Session, command: Command) {
    session.perform(command);
    session.update(0.0, true);
}

fn steps(session: &Session) -> usize {
    session.history.entries().len()
}

#[test]
fn a_removed_file_leaves_its_takes_which_name_it_and_one_undo_brings_it_back() {
    let (_folder, mut session, file) = opened();
    let before = (session.document.clone(), steps(&session));
    perform(&mut session, Command::Edit(EditCommand::RemoveFile(None)));
    assert_eq!((session.asked_file_removal, &session.document), (Some(file), &before.0), "a take uses it");
    perform(&mut session, Command::Edit(EditCommand::RemoveUsedFile(file)));
    assert_eq!((session.document.files.len(), session.document.takes.len()), (0, 1));
    let failure = session.evaluation.failure().unwrap().to_string();
    assert!(failure.contains("a.glb was removed"), "{failure}");
    let take = &session.document.takes[0];
    assert_eq!(session.opened().missing_files_of(take).iter().map(|file| file.id).collect::<Vec<_>>(), [file]);
    assert_eq!(steps(&session), before.1 + 1);
    perform(&mut session, Command::Edit(EditCommand::Undo));
    assert_eq!((&session.document, session.evaluation.failure()), (&before.0, None));
}

#[test]
fn a_removed_file_stays_named_in_the_saved_project_and_opening_it_again_is_enough() {
    let (folder, mut session, file) = opened();
    let [project, source] = ["p.portamento", "a.glb"].map(|name| folder.path().join(name));
    session.perform(Command::Edit(EditCommand::RemoveUsedFile(file)));
    session.perform(Command::File(FileCommand::SaveAs(project.clone())));
    perform(&mut session, Command::File(FileCommand::Open(vec![project])));
    let missing = session.opened().missing_files_of(&session.document.takes[0]);
    assert_eq!(missing.iter().map(|file| &file.path).collect::<Vec<_>>(), [&source]);
    perform(&mut session, Command::File(FileCommand::Open(vec![source])));
    session.selection.show(Shown::Take(session.document.takes[0].id));
    session.update(0.0, true);
    assert_eq!((session.evaluation.failure(), session.document.removed_files.len()), (None, 0));
}

#[test]
fn a_file_that_nothing_uses_is_removed_at_once() {
    let (folder, mut session, _) = opened();
    perform(&mut session, Command::File(FileCommand::Open(vec![folder.path().join("b.glb")])));
    perform(&mut session, Command::Edit(EditCommand::RemoveFile(None)));
    assert_eq!((session.asked_file_removal, session.document.files.len()), (None, 1));
    assert!(session.document.removed_files.is_empty() && session.document.characters.len() == 1);
    assert!(session.opened().has(&session.selection.shown));
}

#[test]
fn a_replaced_file_gives_its_place_its_settings_and_its_takes_to_the_other() {
    let (folder, mut session, file) = opened();
    session.document.files[0].metres_per_unit = 0.5;
    session.document.characters[0].roles.head = Some(2);
    session.update(0.0, true);
    let before = (session.document.clone(), steps(&session));
    let other = folder.path().join("b.glb");
    perform(&mut session, Command::File(FileCommand::ReplaceFile(file, other.clone())));
    let new = session.document.files[0].clone();
    assert_eq!((session.document.files.len(), &new.path, new.metres_per_unit), (1, &other, 0.5));
    assert_eq!(session.document.characters[0].roles.head, Some(2), "the skeletons are equal");
    assert!(matches!(&session.document.takes[0].source, TakeSource::Clip { file, .. } if *file == new.id));
    assert_eq!((session.evaluation.failure(), steps(&session)), (None, before.1 + 1));
    perform(&mut session, Command::Edit(EditCommand::Undo));
    assert_eq!((&session.document, session.evaluation.failure()), (&before.0, None));
}

#[test]
fn a_take_of_a_removed_file_is_given_another() {
    let (folder, mut session, file) = opened();
    perform(&mut session, Command::File(FileCommand::Open(vec![folder.path().join("b.glb")])));
    let other = session.document.files[1].id;
    let take = session.document.takes[0].id;
    session.selection.show(Shown::Take(take));
    perform(&mut session, Command::Edit(EditCommand::RemoveUsedFile(file)));
    assert!(session.evaluation.failure().is_some());
    perform(&mut session, Command::Edit(EditCommand::GiveFile { take, from: file, to: other }));
    assert_eq!((session.evaluation.failure(), session.document.removed_files.len()), (None, 0));
}

#[test]
fn a_reloaded_file_shows_its_new_content_and_undo_the_old() {
    let (folder, mut session, file) = opened();
    let path = folder.path().join("a.glb");
    let clips = |session: &Session| session.library.get(file).unwrap().model.clips.len();
    let (before, old) = (steps(&session), clips(&session));
    perform(&mut session, Command::File(FileCommand::Reload(None)));
    assert_eq!((steps(&session), clips(&session)), (before, old));
    assert!(session.notices.all().last().unwrap().text().contains("not changed"));
    std::fs::copy(folder.path().join("b.glb"), &path).unwrap();
    perform(&mut session, Command::File(FileCommand::Reload(None)));
    assert_eq!((steps(&session), clips(&session)), (before + 1, old - 1));
    for (command, count) in [(EditCommand::Undo, old), (EditCommand::Redo, old - 1), (EditCommand::Undo, old)] {
        perform(&mut session, Command::Edit(command));
        assert_eq!(clips(&session), count);
    }
}

#[test]
fn the_rate_of_a_file_applies_to_its_takes_without_their_own() {
    let mut session = Session::inline();
    let flame = portamento_test_support::asset("flame.apng");
    perform(&mut session, Command::File(FileCommand::Open(vec![flame])));
    let fps = |session: &Session| session.frame().unwrap().built.as_ref().unwrap().fps;
    let own = fps(&session);
    session.document.files[0].fps = Some(own * 2.0);
    session.update(0.0, true);
    assert_eq!(fps(&session), own * 2.0);
    perform(&mut session, Command::Edit(EditCommand::Undo));
    assert_eq!(fps(&session), own);
}

/// Returns the memory of the content of `file`, which is gone once nothing uses it.
fn content(session: &Session, file: FileId) -> Weak<Loaded> {
    Arc::downgrade(&session.library.get(file).unwrap().0)
}

#[test]
fn the_memory_of_a_file_that_another_program_changed_is_returned() {
    let (folder, mut session, file) = opened();
    let before = content(&session, file);
    assert!(session.frame().unwrap().built.is_some());
    std::fs::copy(folder.path().join("b.glb"), folder.path().join("a.glb")).unwrap();
    session.reload_changed();
    session.update(0.0, true);
    assert_eq!(before.strong_count(), 0);
    assert!(session.frame().unwrap().built.is_some());
}

#[test]
fn the_memory_of_a_closed_project_is_returned() {
    let (folder, mut session, file) = opened();
    let first = content(&session, file);
    perform(&mut session, Command::File(FileCommand::New));
    assert_eq!(first.strong_count(), 0);
    perform(&mut session, Command::File(FileCommand::Open(vec![folder.path().join("a.glb")])));
    let second = content(&session, session.document.files[0].id);
    // The clip of a file without a take, and its failed build.
    session.selection.shown = Shown::Clip { character: FileId(9), file: FileId(9), clip: "none".into() };
    session.update(0.0, true);
    perform(&mut session, Command::File(FileCommand::New));
    assert_eq!(second.strong_count(), 0);
}

/// Returns the only error of the session so far.
fn only_error(session: &Session) -> portamento_base::message::Message {
    let errors: Vec<_> = session.notices.all().iter().filter(|notice| notice.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors[0].message.clone()
}

#[test]
fn reading_a_file_again_removes_the_error_about_it() {
    let (folder, mut session, file) = opened();
    let path = folder.path().join("a.glb");
    let sound = std::fs::read(&path).unwrap();
    std::fs::write(&path, b"damaged").unwrap();
    perform(&mut session, Command::File(FileCommand::Reload(Some(file))));
    let error = only_error(&session);
    perform(&mut session, Command::File(FileCommand::Open(vec![folder.path().join("b.glb")])));
    assert_eq!(session.notices.take_resolved(), [], "another file was read");
    std::fs::write(&path, sound).unwrap();
    perform(&mut session, Command::File(FileCommand::Reload(Some(file))));
    assert_eq!(session.notices.take_resolved(), [error]);
}

#[test]
fn saving_elsewhere_removes_the_error_that_the_project_was_not_saved() {
    let (folder, mut session, _) = opened();
    let refused = folder.path().join("folder.portamento");
    std::fs::create_dir(&refused).unwrap();
    perform(&mut session, Command::File(FileCommand::SaveAs(refused)));
    let error = only_error(&session);
    perform(&mut session, Command::File(FileCommand::SaveAs(folder.path().join("mine.portamento"))));
    assert_eq!((session.notices.take_resolved(), session.is_unsaved()), (vec![error], false));
}
