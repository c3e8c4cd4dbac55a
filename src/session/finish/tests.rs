use super::*;
use crate::{Command, EditCommand, FileCommand};
use portamento_takes::document::Stage;

/// A session with these files; `None` where one is absent.
fn opened(files: &[&str]) -> Option<Session> {
    let files: Option<Vec<_>> = files.iter().map(|file| portamento_test_support::character(file)).collect();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(files?)));
    session.update(0.0, true);
    Some(session)
}

/// Finishes the only clip of each file after the first on the first one, and `more`.
fn finish(session: &mut Session, more: Vec<(FileId, String)>) -> FinishTable {
    let files: Vec<FileId> = session.document.files.iter().map(|file| file.id).collect();
    let clip = |&file: &FileId| (file, session.library.get(file).unwrap().model.clips[0].name.clone());
    let clips = files[1..].iter().map(clip).chain(more).collect();
    let request = FinishRequest::new(files[0], clips);
    session.perform(Command::Edit(EditCommand::FinishClips(request)));
    session.update(0.0, true);
    session.finished.clone().unwrap()
}

#[test]
fn captured_gaits_reach_the_marks_of_foot_skate_in_one_undo_step_and_muted_stages_change_nothing() {
    let mocap = ["walk", "jog", "run"].map(|gait| format!("mocap/media__fbx__pab__{gait}.fbx"));
    let files: Vec<&str> = ["characters/mannequiny.glb"].into_iter().chain(mocap.iter().map(String::as_str)).collect();
    let Some(mut session) = opened(&files) else { return };
    let start = session.document.clone();
    let table = finish(&mut session, Vec::new());
    assert_eq!((table.rows.len(), session.document.takes.len()), (3, 3));
    for row in &table.rows {
        let (id, finished) = row.outcome.as_ref().unwrap();
        let [before, after] = [finished.before, finished.after].map(|figures| figures.get(FinishFigure::FootSkate));
        let (before, after) = (before.unwrap(), after.unwrap());
        assert!(before > 4.0 && after <= 1.0 && after <= before / 5.0, "{}: {before} → {after}", row.name);
        assert!(finished.after.get(FinishFigure::Moved).unwrap() <= 3.0, "{finished:?}");
        let mut take = session.document.take(id.unwrap()).unwrap().clone();
        let done: Vec<&str> =
            finished.steps.iter().filter(|step| step.after().is_some()).map(|step| step.name).collect();
        let stages: Vec<&str> = take.stages.iter().map(|stage| stage.kind.name()).collect();
        assert_eq!(done, [&["retarget"], &stages[..]].concat());
        assert!(stages.contains(&"ground") && stages.contains(&"root"), "{}: {stages:?}", row.name);
        take.stages.iter_mut().for_each(|stage: &mut Stage| stage.on = false);
        let muted = session.built(&take).unwrap();
        assert_eq!(*muted.clip, *muted.source);
    }
    session.perform(Command::Edit(EditCommand::Undo));
    assert_eq!(session.document, start);
}

#[test]
fn every_step_is_done_or_left_with_a_reason() {
    let mut session = opened(&["hero"]).unwrap();
    let hero = session.document.files[0].id;
    let table = finish(&mut session, vec![(hero, "run".into()), (hero, "gone".into())]);
    let [run, gone] = &table.rows[..] else { panic!("{table:?}") };
    assert!(gone.outcome.as_ref().unwrap_err().to_string().contains("gone"));
    let (id, finished) = run.outcome.as_ref().unwrap();
    for name in ["cleanup", "ground", "root", "close"] {
        assert!(finished.steps.iter().any(|step| step.name == name), "{name}: {finished:?}");
    }
    let done = finished.steps.iter().filter(|step| step.after().is_some()).count();
    assert_eq!(
        session.document.take(id.unwrap()).unwrap().stages.len(),
        done,
        "a clip of the character is not retargeted"
    );
    for figure in [FinishFigure::FootSkate, FinishFigure::Slide, FinishFigure::Depth] {
        let [before, after] = [finished.before, finished.after].map(|figures| figures.get(figure));
        assert!(after <= before.map(|before| before + 1.0), "{figure:?}: {before:?} → {after:?}");
    }
    assert_eq!(session.document.takes.len(), 1);
}

#[test]
fn a_take_keeps_its_own_stages_below_the_new_ones() {
    let mut session = opened(&["hero"]).unwrap();
    let hero = session.document.files[0].id;
    let mirror = portamento_takes::document::StageKind::Mirror(Box::default());
    let stack = crate::clip_library::Stack { name: "mirrored".into(), kinds: vec![mirror] };
    let id = session.add_stack(hero, "run", stack);
    let table = finish(&mut session, vec![(hero, take_ref(id))]);
    let finished = table.rows[0].outcome.as_ref().unwrap().0.unwrap();
    let names = |id: TakeId| -> Vec<&str> {
        session.document.take(id).unwrap().stages.iter().map(|stage| stage.kind.name()).collect()
    };
    assert_eq!((names(id), names(finished)[0]), (vec!["mirror"], "mirror"));
    let ids: std::collections::BTreeSet<u32> =
        session.document.take(finished).unwrap().stages.iter().map(|stage| stage.id.0).collect();
    assert_eq!(ids.len(), names(finished).len(), "stage ids are unique");
}

#[test]
fn without_a_selection_the_shown_clip_waits_for_a_character() {
    let mut session = opened(&["hero"]).unwrap();
    let hero = session.document.files[0].id;
    session.selection.show(Shown::Clip { character: hero, file: hero, clip: "walk".into() });
    session.perform(Command::Edit(EditCommand::AskFinish(Vec::new())));
    let expected = FinishQuestion { clips: vec![(hero, "walk".into())], character: hero };
    assert_eq!(session.asked_finish, Some(expected));
    let mut empty = Session::inline();
    empty.perform(Command::Edit(EditCommand::AskFinish(Vec::new())));
    assert_eq!(empty.asked_finish, None);
}

#[test]
fn a_motion_that_no_stage_improves_gets_no_take_and_every_stage_has_its_reason() {
    let mut session = opened(&["hero"]).unwrap();
    let start = session.document.clone();
    let file = start.files[0].id;
    let clip = "run".to_owned();
    let request = FinishRequest { adds_unchanged: false, ..FinishRequest::new(file, vec![(file, clip)]) };
    session.perform(Command::Edit(EditCommand::FinishClips(request.clone())));
    session.update(0.0, true);
    let table = session.finished.clone().unwrap();
    let Ok((None, finished)) = &table.rows[0].outcome else { panic!("{table:#?}") };
    assert!(finished.steps.iter().all(|step| matches!(step.outcome, StepOutcome::Left(_))), "{finished:#?}");
    assert_eq!((session.document.clone(), finished.before), (start, finished.after));
    let notices: Vec<String> = session.notices.take_new().iter().map(|notice| notice.message.to_string()).collect();
    assert!(notices.iter().any(|notice| notice.contains("nothing was done")), "{notices:?}");
    assert!(!notices.iter().any(|notice| notice.starts_with("Finished")), "{notices:?}");
    // A file with the results has all motions.
    session.perform(Command::Edit(EditCommand::FinishClips(FinishRequest { adds_unchanged: true, ..request })));
    session.update(0.0, true);
    assert_eq!(session.document.takes.len(), 1);
}
