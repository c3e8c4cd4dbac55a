//! A stage that fails: the stages below it are shown, and every remedy stays possible.

use super::*;

/// Adds a trim, a stretch to an object that does not exist, and a time warp to a clip of the hero. Returns the stages' ids.
fn with_failing_stage() -> (tempfile::TempDir, Session, Vec<StageId>) {
    let (folder, mut session) = with_hero("walk");
    for kind in [StageType::Trim, StageType::Stretch, StageType::Retime] {
        stage(&mut session, StageCommand::Add(kind));
    }
    let take = session.document.takes.last_mut().unwrap();
    take.stretch_mut(None).unwrap().aim_at = Some("gone".into());
    let ids = take.stages.iter().map(|stage| stage.id).collect();
    session.update(0.0, true);
    (folder, session, ids)
}

#[test]
fn the_stages_below_a_failing_one_are_shown_and_none_above() {
    let (_folder, session, ids) = with_failing_stage();
    let failed = session.evaluation.failed_stage().unwrap();
    assert_eq!(failed.stage, ids[1]);
    assert!(failed.reason.to_string().contains("gone"), "{}", failed.reason);
    let built = session.frame().unwrap().built.clone().unwrap();
    assert_eq!(built.stages.len(), 1);
    // The stages without a result have no figures of another one.
    assert!(built.stretch(Some(1)).is_none() && built.result::<portamento_stretch::retime::Built>(Some(2)).is_none());
}

#[test]
fn any_stage_can_be_added_muted_and_moved_while_one_fails() {
    let (_folder, mut session, ids) = with_failing_stage();
    stage(&mut session, StageCommand::Add(StageType::Ground));
    let count = |session: &Session| session.document.takes.last().unwrap().stages.len();
    assert_eq!(count(&session), 4);
    session.update(0.0, true);
    assert_eq!(session.evaluation.failed_stage().map(|failed| failed.stage), Some(ids[1]));
    stage(&mut session, StageCommand::Move(ids[1], 0));
    session.update(0.0, true);
    assert!(session.frame().unwrap().built.as_ref().unwrap().stages.is_empty());
    stage(&mut session, StageCommand::SetOn(ids[1], false));
    session.update(0.0, true);
    assert_eq!((session.evaluation.failed_stage(), session.evaluation.failure()), (None, None));
    assert_eq!(session.frame().unwrap().built.as_ref().unwrap().stages.len(), 3);
}
