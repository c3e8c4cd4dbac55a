use crate::command::stage::StageCommand;
use crate::{Command, EditCommand, FileCommand, Session};
use portamento_stretch::trim;
use portamento_takes::document::StageType;

#[test]
fn only_what_a_stage_changed_is_told_and_by_how_much() {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = Session::inline();
    let file = folder.path().join("hero.glb");
    session.perform(Command::File(FileCommand::OpenClip { file, clip: "run".into() }));
    session.update(0.0, true);
    for kind in [StageType::Cleanup, StageType::Mirror, StageType::Trim] {
        session.perform(Command::Edit(EditCommand::Stage(StageCommand::Add(kind))));
        session.update(0.0, true);
    }
    let id = session.document.takes[0].id;
    let trim = session.document.take_mut(id).and_then(|take| take.settings_mut::<trim::Settings>(None)).unwrap();
    trim.to = Some(0.5);
    let take = session.document.takes[0].clone();
    let built = session.built(&take).unwrap();
    let cleaned = built.changes(0).unwrap();
    assert!(cleaned.joints.is_empty(), "the sample needs no mending: {cleaned:?}");
    let mirrored = built.changes(1).unwrap();
    assert!(mirrored.largest().degrees > 10.0);
    let skeleton = &built.character.model.skeleton;
    let (row, frame) = (0, mirrored.times.len() / 2);
    let [before, after] = [built.before_stage(1), &built.stages[1].clip]
        .map(|clip| clip.pose_at(skeleton, mirrored.times[frame]).locals[mirrored.joints[row]]);
    let turn = before.rotation.angle_between(after.rotation).to_degrees();
    assert!((mirrored.at(row, frame).degrees - turn).abs() < 1e-2, "{turn}");
    assert_eq!(built.changes(2), None, "other times");
}
