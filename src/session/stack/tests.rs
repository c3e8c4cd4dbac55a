//! Stages in a session: adding, moving, muting and removing, and takes that use each other.

mod changes;
mod clipboard;
mod failing;
mod patrol;

use std::sync::Arc;

use super::*;
use crate::{Command, EditCommand, FileCommand};
use portamento_stretch::{retime, trim};
use portamento_takes::document::TakeSource;
use portamento_takes::document::clip_ref::take_ref;
use portamento_takes::evaluate::StageResult;

fn with_hero(clip: &str) -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.path().join("hero.glb")])));
    let file = session.document.files[0].id;
    session.selection.shown = Shown::Clip { character: file, file, clip: clip.into() };
    session.update(0.0, true);
    (folder, session)
}

fn edit(session: &mut Session, command: EditCommand) {
    session.perform(Command::Edit(command));
    session.update(1.0 / 60.0, true);
}

fn stage(session: &mut Session, command: StageCommand) {
    edit(session, EditCommand::Stage(command));
}

fn kinds(session: &Session) -> Vec<&'static str> {
    let Shown::Take(id) = session.selection.shown else { return Vec::new() };
    session.document.take(id).unwrap().stages.iter().map(|stage| stage.kind.name()).collect()
}

fn shown(session: &Session) -> Arc<BuiltTake> {
    session.frame().unwrap().built.clone().unwrap()
}

#[test]
fn stages_are_added_moved_muted_copied_and_removed_and_undo_restores_every_state() {
    let (_folder, mut session) = with_hero("run");
    let mut states = vec![session.document.clone()];
    stage(&mut session, StageCommand::Add(StageType::Stretch));
    let stretch = session.selection.stage.unwrap();
    assert_eq!((kinds(&session), session.document.takes.len()), (vec!["stretch"], 1));
    states.push(session.document.clone());
    stage(&mut session, StageCommand::Add(StageType::Layer));
    let layer = session.selection.stage.unwrap();
    assert!(layer != stretch && session.evaluation.failure().is_none(), "{:?}", session.evaluation.failure());
    states.push(session.document.clone());
    for (command, wanted) in [
        (StageCommand::Move(layer, 0), vec!["layer", "stretch"]),
        (StageCommand::SetOn(stretch, false), vec!["layer", "stretch"]),
        (StageCommand::Duplicate(layer), vec!["layer", "layer", "stretch"]),
        (StageCommand::Remove(layer), vec!["layer", "stretch"]),
    ] {
        stage(&mut session, command);
        assert_eq!(kinds(&session), wanted, "{command:?}");
        states.push(session.document.clone());
    }
    for state in states.iter().rev().skip(1) {
        edit(&mut session, EditCommand::Undo);
        assert_eq!(session.document, *state);
    }
    for state in &states[1..] {
        edit(&mut session, EditCommand::Redo);
        assert_eq!(session.document, *state);
    }
}

#[test]
fn undoing_everything_shows_nothing_and_redo_shows_the_take_again() {
    let (_folder, mut session) = with_hero("run");
    stage(&mut session, StageCommand::Add(StageType::Stretch));
    stage(&mut session, StageCommand::Add(StageType::Layer));
    let created = session.document.clone();
    let last = session.history.current();
    for _ in 0..last {
        edit(&mut session, EditCommand::Undo);
    }
    assert_eq!((session.is_empty(), &session.selection.shown), (true, &Shown::Nothing));
    assert!(session.frame().is_none(), "nothing of the last character is left");
    for _ in 0..last {
        edit(&mut session, EditCommand::Redo);
    }
    assert_eq!((&session.document, kinds(&session)), (&created, vec!["stretch", "layer"]));
    assert_eq!(shown(&session).stages.len(), 2);
}

#[test]
fn a_new_stretch_changes_nothing_until_its_target_moves() {
    let (_folder, mut session) = with_hero("run");
    let before = shown(&session).clip.clone();
    stage(&mut session, StageCommand::Add(StageType::Stretch));
    assert_eq!(shown(&session).clip.tracks, before.tracks);
}

#[test]
fn a_muted_stage_is_not_applied() {
    let (_folder, mut session) = with_hero("run");
    stage(&mut session, StageCommand::Add(StageType::Loop));
    let without = shown(&session).clip.clone();
    stage(&mut session, StageCommand::Add(StageType::Layer));
    let layer = session.selection.stage.unwrap();
    assert_ne!(shown(&session).clip.tracks, without.tracks);
    stage(&mut session, StageCommand::SetOn(layer, false));
    assert_eq!(shown(&session).clip.tracks, without.tracks);
    assert_eq!(session.selection.stage_index(&session.document), None);
}

#[test]
fn a_used_take_is_removed_only_after_confirmation_and_undo_restores_it() {
    let (_folder, mut session) = with_hero("run");
    stage(&mut session, StageCommand::Add(StageType::Stretch));
    let Shown::Take(used) = session.selection.shown else { panic!("no take") };
    let character = session.document.files[0].id;
    let source = TakeSource::Clip { file: character, clip: take_ref(used) };
    let user = Take { id: TakeId(0), name: "user".into(), character, source, stages: Vec::new(), loops: None };
    session.add_take(user);
    session.update(0.0, true);
    let (before, clip) = (session.document.clone(), shown(&session).clip.clone());
    edit(&mut session, EditCommand::Remove(vec![used]));
    assert_eq!((session.asked_removals.clone(), session.document.takes.len()), (vec![used], 2));
    edit(&mut session, EditCommand::RemoveUsed(used));
    assert_eq!((session.asked_removals.clone(), session.document.takes.len()), (Vec::new(), 1));
    assert!(
        session
            .evaluation
            .failure()
            .unwrap()
            .to_string()
            .contains("“user” uses a take as a clip that no longer exists"),
        "{:?}",
        session.evaluation.failure()
    );
    edit(&mut session, EditCommand::Undo);
    assert_eq!(session.document, before);
    assert_eq!(shown(&session).clip, clip);
}

#[test]
fn dynamic_bones_added_to_a_loop_are_looping() {
    let (_folder, mut session) = with_hero("run");
    for (first, loops) in [(StageType::Ground, false), (StageType::Close, true)] {
        stage(&mut session, StageCommand::Add(first));
        stage(&mut session, StageCommand::Add(StageType::Dynamics));
        let take = session.shown_take().unwrap();
        let added = take.dynamics(session.selection.stage).unwrap();
        assert_eq!(added.looping, loops, "{}", first.name());
    }
}

#[test]
fn a_joint_stage_cannot_be_added_to_images() {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.path().join("flame.apng")])));
    session.selection.show(Shown::File(session.document.files[0].id));
    session.update(0.0, true);
    let refusal = |kind: StageType| {
        may_add(kind, session.shown_take().as_ref(), session.frame()).err().map(|reason| reason.to_string())
    };
    assert_eq!(refusal(StageType::Loop), None);
    assert!(refusal(StageType::Layer).unwrap().contains("the take contains images"));
    stage(&mut session, StageCommand::Add(StageType::Stretch));
    assert!(session.document.takes.is_empty());
}

#[test]
fn a_walk_with_several_stages_builds_and_a_muted_stage_leaves_no_trace() {
    let (_folder, mut session) = with_hero("walk");
    let source = session.frame().unwrap().built.clone().unwrap().clip.duration;
    for kind in [StageType::Retime, StageType::Trim, StageType::Ground] {
        stage(&mut session, StageCommand::Add(kind));
        assert!(session.evaluation.failure().is_none(), "{kind:?}: {:?}", session.evaluation.failure());
    }
    let Shown::Take(id) = session.selection.shown else { panic!("a take is shown") };
    let take = session.document.take_mut(id).unwrap();
    take.settings_mut::<retime::Settings>(None).unwrap().length = Some(2.0 * source);
    take.settings_mut::<trim::Settings>(None).unwrap().to = Some(1.3 * source);
    session.update(1.0 / 60.0, true);
    let before = shown(&session);
    assert!((before.clip.duration - 1.3 * source).abs() < 1e-5, "{} of {source}", before.clip.duration);
    stage(&mut session, StageCommand::Add(StageType::Close));
    let closed = shown(&session);
    let report = &closed.result::<close::Built>(None).unwrap().report;
    assert!(report.after.is_closed() && !report.closes_already && report.travel.z > 0.5, "{report:?}");
    let report = closed.report();
    let kinds: Vec<&String> =
        report["stages"].as_array().unwrap().iter().flat_map(|each| each.as_object().unwrap().keys()).collect();
    assert_eq!(kinds, ["retime", "trim", "ground", "close"]);
    assert!(report["close"]["after"]["place"].as_f64().unwrap() <= 1e-5, "{}", report["close"]);
    let close = session.selection.stage.unwrap();
    stage(&mut session, StageCommand::SetOn(close, false));
    assert_eq!(shown(&session).clip.tracks, before.clip.tracks);
}

/// Opens a clip of a corpus file and selects a joint for dynamics.
fn with_stranger(file: &str, clip: &str) -> Option<Session> {
    let path = portamento_test_support::corpus("characters")?.join(file);
    let mut session = Session::inline();
    session.preferences.autosave_seconds = 0.0;
    session.perform(Command::File(FileCommand::Open(vec![path])));
    let file = session.document.files[0].id;
    session.selection.shown = Shown::Clip { character: file, file, clip: clip.into() };
    session.update(0.0, true);
    let skeleton = &session.frame()?.character.model.skeleton;
    session.selection.joint = Some(skeleton.len() - 1);
    Some(session)
}

fn is_finite(clip: &portamento_anim::Clip) -> bool {
    let vectors = clip.tracks.iter().flat_map(|tracks| [&tracks.translation, &tracks.scale]).flatten();
    let turns = clip.tracks.iter().filter_map(|tracks| tracks.rotation.as_ref());
    vectors.flat_map(|curve| &curve.values).all(|value| value.is_finite())
        && turns.flat_map(|curve| &curve.values).all(|value| value.is_finite())
}

#[test]
fn every_pair_of_stages_builds_on_corpus_files_and_muting_and_undo_restore_the_bytes() {
    for (file, clip) in [("knight.glb", "Running_A"), ("fox.glb", "Run")] {
        let Some(mut session) = with_stranger(file, clip) else { return };
        // A run crosses nothing.
        let all = || StageType::ALL.iter().copied().filter(|kind| *kind != StageType::Cross);
        for (first, second) in all().flat_map(|a| all().map(move |b| (a, b))) {
            let about = format!("{file}: {} then {}", first.name(), second.name());
            let start = session.document.clone();
            let selection = session.selection.clone();
            stage(&mut session, StageCommand::Add(first));
            assert_eq!(session.evaluation.failure(), None, "{about}");
            let alone = shown(&session).clip.clone();
            stage(&mut session, StageCommand::Add(second));
            let both = shown(&session);
            assert!(
                session.evaluation.failure().is_none() && is_finite(&both.clip),
                "{about}: {:?}",
                session.evaluation.failure()
            );
            assert_eq!(kinds(&session), [first.name(), second.name()], "{about}");
            let last = session.selection.stage.unwrap();
            stage(&mut session, StageCommand::SetOn(last, false));
            assert_eq!(shown(&session).clip.tracks, alone.tracks, "{about}: the second is muted");
            edit(&mut session, EditCommand::Undo);
            stage(&mut session, StageCommand::Move(last, 0));
            edit(&mut session, EditCommand::Undo);
            assert_eq!(shown(&session).clip.tracks, both.clip.tracks, "{about}: moved and undone");
            let Shown::Take(id) = session.selection.shown else { panic!("{about}: no take") };
            let first_stage = session.document.take(id).unwrap().stages[0].id;
            stage(&mut session, StageCommand::SetOn(first_stage, false));
            let muted = (shown(&session).clip.tracks.clone(), session.evaluation.failure().cloned());
            edit(&mut session, EditCommand::Undo);
            stage(&mut session, StageCommand::Remove(first_stage));
            let removed = (shown(&session).clip.tracks.clone(), session.evaluation.failure().cloned());
            assert_eq!(removed, muted, "{about}: the first is muted, or not there");
            edit(&mut session, EditCommand::Undo);
            assert_eq!(shown(&session).clip.tracks, both.clip.tracks, "{about}: removed and undone");
            session.document = start;
            session.selection = selection;
        }
    }
}

/// Measures on `clip` what the first stage of `built` guarantees: metres from a stretch target, or the loop gap in
/// degrees. `None` if it guarantees neither.
fn promise(built: &BuiltTake, clip: &portamento_anim::Clip) -> Option<f64> {
    let skeleton = &built.character.model.skeleton;
    let [first, last] = [0.0, clip.duration].map(|time| clip.pose_at(skeleton, time));
    match &built.stages.first()?.result {
        StageResult::Stretch(stretch) => {
            let target = stretch.report.windows.last()?.target;
            let end = last.world_from_joint(skeleton, stretch.arriving_joint).translation;
            Some(end.distance(target) * built.metres_per_unit)
        }
        StageResult::Loop(_) | StageResult::Close(_) => {
            let carrier = built.root.filter(|root| root.kind == portamento_anim::RootKind::Root).map(|root| root.joint);
            let turn = |joint: usize| {
                let [a, b] = [&first, &last].map(|pose| pose.locals[joint].rotation.as_dquat());
                let turn = a.inverse() * b;
                2.0 * turn.xyz().length().atan2(turn.w.abs()).to_degrees()
            };
            (0..skeleton.len()).filter(|&joint| Some(joint) != carrier).map(turn).reduce(f64::max)
        }
        _ => None,
    }
}

/// Returns the figure in the warning about a violated guarantee.
fn broken(built: &BuiltTake) -> Option<f64> {
    let sentences = built.warnings.iter().map(ToString::to_string);
    let number = |text: &str| text.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect::<String>();
    sentences.into_iter().find_map(|sentence| {
        let arrives =
            sentence.strip_prefix("After this stage the character ends ").and_then(|rest| rest.split(" m ").next());
        let closes =
            sentence.contains("no longer closes").then(|| sentence.split("turns ").nth(1)?.split('°').next()).flatten();
        number(arrives.or(closes)?).parse().ok()
    })
}

#[test]
fn guarantees_of_the_first_stage_that_the_second_violates_are_reported() {
    let mut broken_count = 0;
    for (file, clip) in [("knight.glb", "Running_A"), ("fox.glb", "Run")] {
        let Some(mut session) = with_stranger(file, clip) else { return };
        for first in [StageType::Stretch, StageType::Loop, StageType::Close] {
            for &second in StageType::ALL {
                let about = format!("{file}: {} then {}", first.name(), second.name());
                let (start, selection) = (session.document.clone(), session.selection.clone());
                stage(&mut session, StageCommand::Add(first));
                let alone = shown(&session);
                stage(&mut session, StageCommand::Add(second));
                let both = shown(&session);
                let limit = if first == StageType::Stretch { 1e-3 } else { 0.5 };
                let (was, is) = (promise(&alone, &alone.clip), promise(&both, &both.clip));
                if let (Some(was), Some(is)) = (was, is) {
                    let broke = was <= limit && is > limit;
                    assert_eq!(broken(&both).is_some(), broke, "{about}: {was} {is} {:?}", both.warnings);
                    if let Some(figure) = broken(&both) {
                        assert!((figure - is).abs() <= 0.06, "{about}: told {figure}, measured {is}");
                        broken_count += 1;
                    }
                }
                (session.document, session.selection) = (start, selection);
            }
        }
    }
    assert!(broken_count > 0, "no pair breaks a promise");
}

#[test]
fn the_input_of_the_open_stage_is_shown_while_requested() {
    let (_folder, mut session) = with_hero("run");
    stage(&mut session, StageCommand::Add(StageType::Stretch));
    let stretch = session.selection.stage.unwrap();
    stage(&mut session, StageCommand::Add(StageType::Trim));
    let trim = session.selection.stage.unwrap();
    let Shown::Take(id) = session.selection.shown else { panic!("a take is shown") };
    session.document.take_mut(id).unwrap().settings_mut::<trim::Settings>(Some(trim)).unwrap().to = Some(0.5);
    session.update(0.0, true);
    session.playback.time = 0.4;
    session.update(0.0, true);
    let after = shown(&session);
    session.selection.stage = Some(stretch);
    session.playback.show_before_stage(true);
    session.update(0.0, true);
    assert_eq!((shown(&session).stages.len(), session.playback.time), (0, 0.4));
    assert!(shown(&session).clip.duration > after.clip.duration && session.playback.is_before_stage());
    session.playback.show_before_stage(false);
    session.update(0.0, true);
    assert!(Arc::ptr_eq(&shown(&session), &after), "what comes out of the last stage was kept");
    // A shorter input moves the playhead only while it is shown.
    stage(&mut session, StageCommand::Add(StageType::Retime));
    let retime = session.selection.stage.unwrap();
    session.document.take_mut(id).unwrap().settings_mut::<retime::Settings>(Some(retime)).unwrap().length = Some(2.0);
    session.update(0.0, true);
    session.playback.time = 1.5;
    session.update(0.0, true);
    for before in [true, true, false] {
        session.playback.show_before_stage(before);
        session.update(0.0, true);
        assert_eq!(session.playback.time, if before { 0.5 } else { 1.5 });
    }
}

#[test]
fn a_muted_stage_has_no_figures_but_its_settings_stay_open() {
    let (_folder, mut session) = with_hero("run");
    stage(&mut session, StageCommand::Add(StageType::Stretch));
    let first = session.selection.stage.unwrap();
    stage(&mut session, StageCommand::Duplicate(first));
    let second = session.selection.stage.unwrap();
    assert!(session.evaluation.built_for_open_stage(&session.document, &session.selection).is_some());
    stage(&mut session, StageCommand::SetOn(second, false));
    assert_eq!(session.selection.open_stage(&session.document), Some(second));
    assert!(
        session.evaluation.built_for_open_stage(&session.document, &session.selection).is_none(),
        "they would be those of the other stretch"
    );
    stage(&mut session, StageCommand::Open(first));
    assert!(session.evaluation.built_for_open_stage(&session.document, &session.selection).is_some());
}
