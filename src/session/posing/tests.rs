use super::*;
use crate::command::stage::StageCommand;
use crate::command::{FileCommand, TransportCommand};
use portamento_anim::Pose;
use portamento_anim::math::mean::angle_between;
use portamento_takes::document::StageType;

/// Returns a session that shows a take of the hero's `clip` with an open pose stage.
fn with_pose_stage(clip: &str) -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.path().join("hero.glb")])));
    show_clip(&mut session, clip);
    edit(&mut session, EditCommand::Stage(StageCommand::Add(StageType::Pose)));
    (folder, session)
}

fn show_clip(session: &mut Session, clip: &str) {
    let file = session.document.files[0].id;
    session.selection.show(Shown::Clip { character: file, file, clip: clip.into() });
    session.update(0.0, true);
    session.perform(Command::Transport(TransportCommand::ToStart));
}

fn edit(session: &mut Session, command: EditCommand) {
    session.perform(Command::Edit(command));
    session.update(1.0 / 60.0, true);
}

fn pose_command(session: &mut Session, command: PoseCommand) {
    edit(session, EditCommand::Pose(command));
}

/// Moves the playhead and returns the pose there.
fn pose_at(session: &mut Session, seconds: f64) -> Pose {
    session.playback.playing = false;
    session.playback.time = seconds;
    session.update(0.0, true);
    session.frame().unwrap().pose.clone()
}

fn turn(session: &mut Session, joint: &str, turn: [f64; 3]) {
    let site = session.pose_site().unwrap();
    session.set_correction(&site, Correction { turn: Some(turn), ..Correction::of(joint) });
    session.update(1.0 / 60.0, true);
}

fn keys(session: &Session) -> Vec<PoseKey> {
    session.pose_settings(&session.pose_site().unwrap()).unwrap().keys.clone()
}

fn joint(session: &Session, name: &str) -> usize {
    session.frame().unwrap().character.model.skeleton.find(name).unwrap()
}

/// Returns the largest angle between the joints of two poses, radians.
fn apart(a: &Pose, b: &Pose) -> f64 {
    a.locals.iter().zip(&b.locals).map(|(a, b)| angle_between(a.rotation, b.rotation)).fold(0.0, f64::max)
}

#[test]
fn a_joint_turned_at_the_playhead_is_keyed_there_and_undo_takes_it_back() {
    let (_folder, mut session) = with_pose_stage("run");
    let elbow = joint(&session, "lower_arm.L");
    let incoming = pose_at(&mut session, 0.2);
    turn(&mut session, "lower_arm.L", [30.0, 0.0, -10.0]);
    let corrected = pose_at(&mut session, 0.2);
    let wanted = incoming.locals[elbow].rotation * euler::rotation([30.0, 0.0, -10.0]).as_quat();
    assert!(angle_between(corrected.locals[elbow].rotation, wanted) < 1e-6);
    // A second change at the same frame changes the same key.
    turn(&mut session, "lower_arm.L", [40.0, 0.0, 0.0]);
    turn(&mut session, "head", [5.0, 0.0, 0.0]);
    assert_eq!((keys(&session).len(), keys(&session)[0].joints.len()), (1, 2));
    pose_at(&mut session, 0.4);
    turn(&mut session, "head", [0.0, 20.0, 0.0]);
    assert_eq!(keys(&session).iter().map(|key| key.time).collect::<Vec<_>>(), [0.2, 0.4]);
    for _ in 0..4 {
        edit(&mut session, EditCommand::Undo);
    }
    assert!(keys(&session).is_empty());
    assert!(pose_at(&mut session, 0.2) == incoming);
}

#[test]
fn a_key_added_within_a_fade_keeps_the_pose_that_is_shown() {
    let (_folder, mut session) = with_pose_stage("run");
    pose_at(&mut session, 0.2);
    turn(&mut session, "head", [0.0, 60.0, 0.0]);
    let shown = pose_at(&mut session, 0.3);
    pose_command(&mut session, PoseCommand::AddKey);
    assert_eq!(keys(&session).len(), 2);
    let head = joint(&session, "head");
    let stored = pose_at(&mut session, 0.3);
    // Corrections are rounded to 0.001°.
    assert!(angle_between(stored.locals[head].rotation, shown.locals[head].rotation) < 2e-5);
    let site = session.pose_site().unwrap();
    assert!(session.correction_at(&site, "head").unwrap().turn.unwrap()[1] > 5.0);
    pose_command(&mut session, PoseCommand::RemoveKey);
    assert_eq!(keys(&session).len(), 1);
    assert!(pose_at(&mut session, 0.3) == shown);
}

#[test]
fn a_key_mirrored_twice_is_the_key_again() {
    let (_folder, mut session) = with_pose_stage("run");
    pose_at(&mut session, 0.2);
    turn(&mut session, "lower_arm.L", [30.0, 12.0, -10.0]);
    turn(&mut session, "head", [10.0, 5.0, 0.0]);
    let site = session.pose_site().unwrap();
    let moved = Correction { translation: Some([0.1, 0.02, 0.0]), ..Correction::of("hips") };
    session.set_correction(&site, moved);
    let before = keys(&session);
    pose_command(&mut session, PoseCommand::MirrorKey);
    let mirrored = keys(&session);
    assert!(mirrored[0].correction("lower_arm.R").is_some() && mirrored[0].correction("lower_arm.L").is_none());
    assert!((mirrored[0].correction("hips").unwrap().translation.unwrap()[0] + 0.1).abs() < 1e-6);
    pose_command(&mut session, PoseCommand::MirrorKey);
    let twice = keys(&session);
    for (was, is) in before[0].joints.iter().zip(&twice[0].joints) {
        assert_eq!(was.joint, is.joint);
        assert!(was.rotation().dot(is.rotation()).abs() > 1.0 - 1e-12);
        assert!(was.offset().abs_diff_eq(is.offset(), 1e-6));
    }
}

#[test]
fn a_stored_pose_is_pasted_exactly_and_mirrored_as_the_mirror_stage_does() {
    let (_folder, mut session) = with_pose_stage("idle");
    let idle = session.selection.shown.clone();
    show_clip(&mut session, "run");
    let stored = pose_at(&mut session, 0.3);
    pose_command(&mut session, PoseCommand::Keep);
    edit(&mut session, EditCommand::Stage(StageCommand::Add(StageType::Mirror)));
    let mirrored = pose_at(&mut session, 0.3);
    session.selection.show(idle);
    session.update(0.0, true);
    let incoming = pose_at(&mut session, 0.5);
    pose_command(&mut session, PoseCommand::Paste);
    assert_eq!(keys(&session)[0].mode, Mode::Absolute);
    let pasted = pose_at(&mut session, 0.5);
    assert!(apart(&pasted, &stored) < 1e-6 && apart(&pasted, &incoming) > 0.1, "{}", apart(&pasted, &stored));
    pose_command(&mut session, PoseCommand::PasteMirrored);
    assert_eq!(keys(&session).len(), 1);
    let pasted = pose_at(&mut session, 0.5);
    assert!(apart(&pasted, &mirrored) < 1e-5, "{}", apart(&pasted, &mirrored));
}

#[test]
fn without_a_stage_a_key_or_a_stored_pose_the_commands_say_so_and_change_nothing() {
    let (_folder, mut session) = with_pose_stage("run");
    pose_command(&mut session, PoseCommand::RemoveKey);
    pose_command(&mut session, PoseCommand::MirrorKey);
    pose_command(&mut session, PoseCommand::Paste);
    let before = session.document.clone();
    show_clip(&mut session, "run");
    pose_command(&mut session, PoseCommand::AddKey);
    let notice_count = session.notices.all().iter().filter(|notice| notice.severity == Severity::Info).count();
    assert!(notice_count >= 4, "{notice_count}");
    assert!(session.document == before);
}

#[test]
fn a_keyed_pose_builds_before_and_after_every_stage_and_its_influence_is_exact() {
    let (_folder, mut session) = with_pose_stage("run");
    pose_at(&mut session, 0.2);
    turn(&mut session, "lower_arm.L", [30.0, 0.0, -10.0]);
    let pose = session.selection.stage.unwrap();
    let incoming = session.frame().unwrap().built.as_ref().unwrap().source.clone();
    // A run crosses nothing.
    for &kind in StageType::ALL.iter().filter(|kind| **kind != StageType::Cross) {
        let (document, selection) = (session.document.clone(), session.selection.clone());
        edit(&mut session, EditCommand::Stage(StageCommand::Add(kind)));
        assert_eq!(session.evaluation.failure(), None, "pose then {}", kind.name());
        edit(&mut session, EditCommand::Stage(StageCommand::Move(pose, 1)));
        assert_eq!(session.evaluation.failure(), None, "{} then pose", kind.name());
        let built = session.frame().unwrap().built.clone().unwrap();
        let arm = built.character.model.skeleton.find("lower_arm.L").unwrap();
        let at = |clip: &portamento_anim::Clip| clip.pose_at(&built.character.model.skeleton, 0.2).locals[arm].rotation;
        // A stage without effect, such as dynamics without chains, is not built.
        let last = built.stages.len() - 1;
        let turned = angle_between(at(built.before_stage(last)), at(&built.clip)).to_degrees();
        let wanted = 2.0 * euler::rotation([30.0, 0.0, -10.0]).w.abs().acos().to_degrees();
        assert!((turned - wanted).abs() < 0.01, "{}: {turned}° of {wanted}°", kind.name());
        (session.document, session.selection) = (document, selection);
    }
    let site = session.pose_site().unwrap();
    session.document.take_mut(site.take).unwrap().stage_mut(site.stage).unwrap().influence = 0.0;
    session.update(1.0 / 60.0, true);
    assert!(session.frame().unwrap().built.as_ref().unwrap().clip == incoming, "no influence");
    session.document.take_mut(site.take).unwrap().stage_mut(site.stage).unwrap().influence = 1.0;
    session.pose_settings_mut(&site).unwrap().keys[0].influence = 0.0;
    session.update(1.0 / 60.0, true);
    assert!(session.frame().unwrap().built.as_ref().unwrap().clip == incoming, "a key without influence");
}

#[test]
fn a_project_with_pose_keys_is_saved_and_opened_again() {
    let (folder, mut session) = with_pose_stage("run");
    pose_at(&mut session, 0.2);
    turn(&mut session, "lower_arm.L", [30.0, 0.0, -10.0]);
    pose_command(&mut session, PoseCommand::Keep);
    let saved = keys(&session);
    let path = folder.path().join("posed.portamento");
    session.perform(Command::File(FileCommand::SaveAs(path.clone())));
    session.update(1.0 / 60.0, true);
    session.perform(Command::File(FileCommand::New));
    session.update(1.0 / 60.0, true);
    assert!(session.stored_pose.is_none());
    session.perform(Command::File(FileCommand::Open(vec![path])));
    session.update(1.0 / 60.0, true);
    assert_eq!(keys(&session), saved);
}
