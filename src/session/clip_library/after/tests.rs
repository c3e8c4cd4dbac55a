//! Fixed rows are derived from the project alone.

use std::path::{Path, PathBuf};

use super::*;
use crate::clip_library::MendRequest;
use crate::{Command, EditCommand, FileCommand, Session};
use portamento_anim::quality::Finding;
use portamento_takes::document::StageKind;

/// Creates a project folder and a clip folder that contains the hero's file.
fn folders() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let [project, clips] = ["project", "clips"].map(|name| root.path().join(name));
    [&project, &clips].into_iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    let hero = portamento_test_support::asset("hero.glb");
    std::fs::copy(hero, clips.join("hero.glb")).unwrap();
    (root, project, clips)
}

/// Lists `folder` and marks `cast` as an open loop.
fn list(session: &mut Session, folder: &Path) {
    session.perform(Command::File(FileCommand::MeasureClips(vec![folder.to_owned()])));
    session.poll();
    session.clips.find("cast", Finding::DoesNotClose);
    step(session);
}

fn step(session: &mut Session) {
    session.update(0.0, true);
    session.update(0.0, true);
}

fn edit(session: &mut Session, command: EditCommand) {
    session.perform(Command::Edit(command));
    step(session);
}

/// Returns true if a take fixes `cast`, and the row after the fix.
fn mended(session: &Session) -> (bool, Option<ClipRow>) {
    let at = session.clips.rows().iter().position(|row| row.clip == "cast").unwrap();
    (session.clips.is_mended(at), session.clips.after(at).cloned())
}

/// Fixes `cast` in `session`; returns the row after the fix.
fn mend(session: &mut Session) -> ClipRow {
    let rows = session.clips.rows().iter().filter(|row| row.clip == "cast").cloned().collect();
    session.perform(Command::File(FileCommand::MendClips(MendRequest::new(rows))));
    step(session);
    let (is_mended, after) = mended(session);
    assert!(is_mended && after.as_ref().unwrap().quality.as_ref().unwrap().findings.is_empty(), "{after:?}");
    after.unwrap()
}

#[test]
fn a_reopened_project_knows_the_fixed_clips_of_any_folder() {
    let (_root, folder, clips) = folders();
    let mut session = Session::inline();
    list(&mut session, &clips);
    let after = mend(&mut session);
    let path = folder.join("clips.portamento");
    session.perform(Command::File(FileCommand::SaveAs(path.clone())));
    drop(session);
    for (listed, opens_first) in [(clips.clone(), true), (clips.clone(), false), (folder.join("../clips"), true)] {
        let mut session = Session::inline();
        // The folder was listed before, so its files may be read.
        session.preferences.recent = vec![clips.clone()];
        if !opens_first {
            list(&mut session, &listed);
            assert_eq!(mended(&session), (false, None));
        }
        session.perform(Command::File(FileCommand::Open(vec![path.clone()])));
        if opens_first {
            list(&mut session, &listed);
        }
        step(&mut session);
        assert_eq!(mended(&session), (true, Some(after.clone())), "{listed:?} {opens_first}");
        let take = session.document.takes[0].id;
        assert!(session.clips.is_mended_by(take));
        session.clips.chosen = [session.clips.rows().iter().position(|row| row.clip == "cast").unwrap()].into();
        assert!(session.can_pair_chosen(), "it stands beside its clip");
        assert_eq!(mend(&mut session).quality, after.quality);
        assert_eq!(session.document.files.len(), 1, "the file is open already");
    }
}

#[test]
fn removing_undoing_and_editing_a_fixing_take_updates_the_row() {
    let (_root, _, clips) = folders();
    let mut session = Session::inline();
    list(&mut session, &clips);
    let after = mend(&mut session);
    let id = session.document.takes[0].id;
    edit(&mut session, EditCommand::Undo);
    assert_eq!(mended(&session), (false, None));
    edit(&mut session, EditCommand::Redo);
    assert_eq!(mended(&session), (true, Some(after.clone())));
    session.document.takes[0].name = "another name".into();
    step(&mut session);
    assert_eq!(mended(&session).1, Some(after.clone()), "its name changes nothing");
    let other = session.document.duplicate_take(id).unwrap();
    session.document.take_mut(other).unwrap().stages[0].kind = StageKind::Cleanup(Box::default());
    step(&mut session);
    let newest = mended(&session).1.unwrap();
    assert!(newest.quality.unwrap().findings.contains(&Finding::DoesNotClose), "the newest counts, and closes nothing");
    assert!(session.clips.is_mended_by(other) && !session.clips.is_mended_by(id));
    session.document.takes.retain(|take| take.id != other);
    step(&mut session);
    assert_eq!(mended(&session).1, Some(after));
    session.document.take_mut(id).unwrap().stages[0].kind = StageKind::Mirror(Box::default());
    step(&mut session);
    assert_eq!(mended(&session), (false, None), "left and right changed mends nothing");
}

#[test]
fn a_stage_that_was_not_applied_fixes_no_clip() {
    let Some(file) = portamento_test_support::character("pack/Dying.fbx") else { return };
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::MeasureClips(vec![file.clone()])));
    session.poll();
    let clip = session.clips.rows()[0].clip.clone();
    session.clips.find(&clip, Finding::FeetSlide);
    let rows = session.clips.rows().to_vec();
    session.perform(Command::File(FileCommand::MendClips(MendRequest::new(rows))));
    step(&mut session);
    for take in session.document.takes.clone() {
        let built = session.built(&take).unwrap();
        assert!(built.stages.iter().all(|stage| stage.undone.is_none()), "{:?}", take.stages);
    }
}
