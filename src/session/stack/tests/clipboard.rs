//! Stages on the clipboard.

use super::*;
use crate::stack::clipboard::paste_command;

fn stages_of(session: &Session, take: TakeId) -> Vec<Stage> {
    session.document.take(take).unwrap().stages.clone()
}

#[test]
fn stages_are_pasted_with_their_settings_and_one_undo_removes_them() {
    let (_folder, mut session) = with_hero("run");
    stage(&mut session, StageCommand::Add(StageType::Stretch));
    stage(&mut session, StageCommand::Add(StageType::Close));
    let Shown::Take(from) = session.selection.shown else { panic!("a take is shown") };
    let stretch = session.document.take(from).unwrap().stages[0].id;
    session.document.take_mut(from).unwrap().stage_mut(stretch).unwrap().influence = 0.5;
    session.update(0.0, true);
    edit(&mut session, EditCommand::CopyStages(from));
    let file = session.document.files[0].id;
    session.selection.show(Shown::Clip { character: file, file, clip: "walk".into() });
    session.update(0.0, true);
    let before = session.document.clone();
    // Onto a clip: a take of it.
    edit(&mut session, EditCommand::PasteStages(Vec::new()));
    assert_eq!(kinds(&session), ["stretch", "close"]);
    let Shown::Take(to) = session.selection.shown else { panic!("a take is shown") };
    assert_eq!(stages_of(&session, to)[0].influence, 0.5);
    assert_eq!(stages_of(&session, to), stages_of(&session, from));
    edit(&mut session, EditCommand::Undo);
    assert_eq!(session.document, before);
}

#[test]
fn one_stage_is_pasted_after_the_open_one_of_several_takes() {
    let (_folder, mut session) = with_hero("run");
    for kind in [StageType::Stretch, StageType::Close] {
        stage(&mut session, StageCommand::Add(kind));
    }
    let Shown::Take(id) = session.selection.shown else { panic!("a take is shown") };
    let [stretch, close] = [0, 1].map(|at| session.document.take(id).unwrap().stages[at].id);
    stage(&mut session, StageCommand::Copy(close));
    stage(&mut session, StageCommand::Open(stretch));
    stage(&mut session, StageCommand::Paste);
    assert_eq!(kinds(&session), ["stretch", "close", "close"]);
    let ids: std::collections::BTreeSet<_> = stages_of(&session, id).iter().map(|stage| stage.id).collect();
    assert_eq!(ids.len(), 3, "every stage has its own id");
    edit(&mut session, EditCommand::Duplicate(vec![id]));
    let all: Vec<TakeId> = session.document.takes.iter().map(|take| take.id).collect();
    edit(&mut session, EditCommand::PasteStages(all.clone()));
    assert!(all.iter().all(|&take| stages_of(&session, take).len() == 4));
}

#[test]
fn only_the_text_of_the_copied_stages_pastes_them() {
    let (_folder, mut session) = with_hero("run");
    stage(&mut session, StageCommand::Add(StageType::Trim));
    let Shown::Take(id) = session.selection.shown else { panic!("a take is shown") };
    assert_eq!(paste_command(&session, "run", vec![id]), None);
    edit(&mut session, EditCommand::CopyStages(id));
    let text = session.copied_stages.as_ref().unwrap().text.clone();
    assert_eq!(paste_command(&session, &text, vec![id]), Some(Command::Edit(EditCommand::PasteStages(vec![id]))));
    assert_eq!(paste_command(&session, "something else", vec![id]), None);
    session.perform(Command::File(FileCommand::New));
    assert_eq!(paste_command(&session, &text, vec![id]), None, "stages of another project are not pasted");
}

#[test]
fn stages_for_another_rig_find_their_joints_by_name_or_say_which_is_missing() {
    let (_folder, mut session) = with_hero("run");
    let hair = shown(&session).character.model.skeleton.find("hair.1").unwrap();
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
    let Shown::Take(from) = session.selection.shown else { panic!("a take is shown") };
    edit(&mut session, EditCommand::CopyStages(from));
    let Some(other) = portamento_test_support::corpus("characters/knight.glb") else { return };
    session.perform(Command::File(FileCommand::Open(vec![other])));
    session.update(0.0, true);
    session.notices.take_new();
    let takes = session.document.takes.len();
    edit(&mut session, EditCommand::PasteStages(Vec::new()));
    let notices = session.notices.take_new();
    let said = notices.iter().any(|notice| notice.text().contains("hair.1"));
    assert!(said, "{notices:?}");
    assert_eq!(session.document.takes.len(), takes, "nothing is added if the stages do not fit");
}
