//! Dynamic bones in a session: adding, changing and pulling.

mod other_motion;

use glam::DVec3;

use crate::{
    Command, DynamicsMode, EditCommand, ExportRequest, FileCommand, NewCollider, OpenDocument, Session, Shown,
};
use portamento_anim::{Pose, Roles};
use portamento_dynamics::{ColliderShape, Profile, Wind};
use portamento_takes::document::TakeSource;

fn with_clip(clip: &str) -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.path().join("hero.glb")])));
    let file = session.document.files[0].id;
    session.selection.shown = Shown::Clip { character: file, file, clip: clip.into() };
    session.update(0.0, true);
    (folder, session)
}

fn joint(session: &Session, name: &str) -> usize {
    session.opened().shown_character(&session.selection.shown).unwrap().1.model.skeleton.find(name).unwrap()
}

fn clip_called(session: &Session, clip: &str) -> TakeSource {
    TakeSource::Clip { file: session.document.files[0].id, clip: clip.into() }
}

fn roles(session: &Session) -> Roles {
    session.document.characters[0].roles.clone()
}

fn edit(session: &mut Session, edit: EditCommand) {
    session.perform(Command::Edit(edit));
    session.update(1.0 / 60.0, true);
}

#[test]
fn adding_a_dynamic_joint_creates_a_take_and_can_be_undone() {
    let (_folder, mut session) = with_clip("run");
    let hair = joint(&session, "hair.1");
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
    let take = session.shown_take().unwrap();
    let dynamics = take.dynamics(None).unwrap();
    assert!(dynamics.looping, "a run repeats");
    assert!(dynamics.settings.chains[0].end_length > 0.0);
    assert!(session.frame().unwrap().built.as_ref().unwrap().dynamics(None).is_some());
    assert!(!session.frame().unwrap().dynamics.as_ref().unwrap().bones.is_empty());
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
    assert_eq!(session.shown_take().unwrap().dynamics(None).unwrap().settings.chains.len(), 1);
    edit(&mut session, EditCommand::Undo);
    assert!(session.document.takes.is_empty());
}

#[test]
fn a_collider_is_fitted_to_the_chest_and_none_to_a_joint_without_mesh() {
    let (_folder, mut session) = with_clip("idle");
    let hair = joint(&session, "hair.1");
    let head = joint(&session, "head");
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
    edit(&mut session, EditCommand::AddCollider(NewCollider::Fitted(head)));
    let colliders =
        |session: &Session| session.shown_take().unwrap().dynamics(None).unwrap().settings.colliders.clone();
    let radius = match colliders(&session)[0].shape {
        ColliderShape::Sphere { radius, .. } | ColliderShape::Capsule { radius, .. } => radius,
        other => panic!("{other:?}"),
    };
    assert!((0.05..0.25).contains(&radius), "{radius}");
    let root =
        session.opened().shown_character(&session.selection.shown).unwrap().1.model.skeleton.roots().next().unwrap();
    edit(&mut session, EditCommand::AddCollider(NewCollider::Fitted(root)));
    assert_eq!(colliders(&session).len(), 1);
}

#[test]
fn a_setting_change_keeps_the_live_motion_and_off_shows_the_animation() {
    let (_folder, mut session) = with_clip("run");
    let hair = joint(&session, "hair.1");
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
    session.dynamics.mode = DynamicsMode::Live;
    session.playback.playing = true;
    (0..30).for_each(|_| session.update(1.0 / 60.0, true));
    let tip = |session: &Session| session.frame().unwrap().dynamics.as_ref().unwrap().bones.last().unwrap().tip;
    let before = tip(&session);
    let Shown::Take(id) = session.selection.shown else { panic!() };
    session.document.take_mut(id).unwrap().dynamics_mut(None).unwrap().settings.chains[0].stiffness.value += 1.0;
    session.update(1.0 / 240.0, true);
    assert!(tip(&session).distance(before) < 0.05, "{} {before}", tip(&session));
    session.dynamics.mode = DynamicsMode::Off;
    session.update(0.0, true);
    let frame = session.frame().unwrap();
    assert!(frame.dynamics.is_none());
    let source = frame.built.as_ref().unwrap().source.pose_at(&frame.character.model.skeleton, frame.time);
    assert_eq!(frame.pose.locals[hair], source.locals[hair]);
}

#[test]
fn pulling_the_character_shakes_its_hair_and_releasing_returns_it() {
    let (_folder, mut session) = with_clip("idle");
    let hair = joint(&session, "hair.1");
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
    session.dynamics.mode = DynamicsMode::Live;
    (0..900).for_each(|_| session.update(1.0 / 60.0, true));
    let apart = |session: &Session| {
        let bone = session.frame().unwrap().dynamics.as_ref().unwrap().bones.last().unwrap().clone();
        bone.tip.distance(bone.head + (bone.rest_tip - bone.head))
    };
    let calm = apart(&session);
    (session.dynamics.held, session.dynamics.pull) = (true, DVec3::X * 0.3);
    session.update(1.0 / 30.0, true);
    assert!((apart(&session) - calm).abs() > 1e-3, "{calm} {}", apart(&session));
    session.dynamics.held = false;
    (0..900).for_each(|_| session.update(1.0 / 60.0, true));
    assert!(session.dynamics.pull.length() < 1e-6);
    assert!((apart(&session) - calm).abs() < 1e-2, "{calm} {}", apart(&session));
}

#[test]
fn a_long_build_runs_in_the_background_and_can_be_stopped_and_restarted() {
    let (_folder, mut session) = with_clip("idle");
    let hair = joint(&session, "hair.1");
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
    session.jobs = crate::Jobs::default();
    let Shown::Take(id) = session.selection.shown else { panic!() };
    let dynamics = |session: &mut Session, pre_roll: f64| {
        let dynamics = session.document.take_mut(id).unwrap().dynamics_mut(None).unwrap();
        dynamics.looping = false;
        dynamics.settings.pre_roll = pre_roll;
    };
    let old = session.frame().unwrap().built.clone().unwrap();
    dynamics(&mut session, 600.0);
    session.playback.time = 0.5;
    session.update(0.0, true);
    let frame = session.frame().unwrap();
    assert!(std::sync::Arc::ptr_eq(frame.built.as_ref().unwrap(), &old), "the old result stays");
    assert_eq!(frame.time, 0.5);
    session.jobs.running().for_each(|job| job.progress.cancel());
    session.update(0.0, true);
    assert!(
        session.evaluation.failure().unwrap().to_string().contains("Cancelled"),
        "{:?}",
        session.evaluation.failure()
    );
    assert_eq!(session.notices.take_resolved(), []);
    let failure = session.evaluation.failure().unwrap().clone();
    dynamics(&mut session, 0.0);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while std::sync::Arc::ptr_eq(session.frame().unwrap().built.as_ref().unwrap(), &old) {
        assert!(std::time::Instant::now() < deadline, "it was not begun again");
        session.update(0.0, true);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(session.evaluation.failure(), None);
    assert_eq!(session.notices.take_resolved(), [failure], "it is told that the failure is over");
}

/// Returns a sample walk that has not been built yet.
fn unseen_walk() -> (tempfile::TempDir, Session, portamento_takes::document::TakeId) {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![folder.path().join("samples.portamento")])));
    let walk = session.document.takes.iter().find(|take| take.walk().is_some()).unwrap().id;
    session.selection.show(Shown::Take(walk));
    session.jobs = crate::Jobs::default();
    (folder, session, walk)
}

#[test]
fn dynamic_bones_wait_for_a_running_build_without_blocking() {
    let (_folder, mut session, walk) = unseen_walk();
    let before = session.document.clone();
    session.perform(Command::Edit(EditCommand::MakeDynamic { character: None, joint: 3 }));
    assert!(session.document == before);
    let text = session.notices.all().last().unwrap().text();
    assert!(text.contains("still being built"), "{text}");
    let take = session.document.take(walk).cloned().unwrap();
    let opened = OpenDocument { document: &session.document, library: &session.library };
    assert!(matches!(session.evaluation.builds.quick(opened, &take), Ok(None)), "the window waited for it");
}

#[test]
fn a_walk_under_live_bones_is_planned_in_the_background() {
    use portamento_dynamics::{Chain, Settings};
    use portamento_takes::document::{StageKind, stage::Dynamics};
    let (_folder, mut session, walk) = unseen_walk();
    let hair = joint(&session, "hair.1");
    let settings = Settings { chains: vec![Chain { joint: hair, ..Chain::default() }], ..Settings::default() };
    let dynamics = StageKind::Dynamics(Box::new(Dynamics { settings, ..Dynamics::default() }));
    session.document.take_mut(walk).unwrap().add_stage(dynamics);
    session.dynamics.mode = DynamicsMode::Live;
    session.update(0.0, true);
    assert!(session.jobs.running().count() == 1 && !session.dynamics.is_live(), "the window waited for it");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !session.dynamics.is_live() {
        assert!(std::time::Instant::now() < deadline, "it is never live");
        session.update(1.0 / 60.0, true);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn live_bones_sleep_once_they_have_settled_until_something_changes() {
    let (_folder, mut session) = with_clip("idle");
    let hair = joint(&session, "hair.1");
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
    (session.dynamics.mode, session.playback.playing) = (DynamicsMode::Live, false);
    let moves_after = |session: &mut Session, seconds: f64| {
        (0..(seconds * 60.0) as usize).for_each(|_| session.update(1.0 / 60.0, true));
        session.dynamics.moves()
    };
    assert!(moves_after(&mut session, 0.2), "they fall into their place");
    assert!(!moves_after(&mut session, 20.0));
    assert!(session.dynamics.is_live());
    (session.dynamics.pull, session.dynamics.held) = (DVec3::X, true);
    assert!(moves_after(&mut session, 0.1), "somebody pulls");
    session.dynamics.held = false;
    assert!(!moves_after(&mut session, 20.0));
    let Shown::Take(id) = session.selection.shown else { panic!() };
    let settings = &mut session.document.take_mut(id).unwrap().dynamics_mut(None).unwrap().settings;
    settings.wind = Wind { strength: 6.0, gust: 0.5, ..Wind::default() };
    assert!(moves_after(&mut session, 20.0), "gusts come and go");
}

#[test]
fn a_motion_that_never_settles_is_blended_into_an_exact_loop() {
    let (_folder, mut session) = with_clip("run");
    let hair = joint(&session, "hair.1");
    let head = joint(&session, "head");
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
    edit(&mut session, EditCommand::AddCollider(NewCollider::Fitted(head)));
    let Shown::Take(id) = session.selection.shown else { panic!() };
    let settings = &mut session.document.take_mut(id).unwrap().dynamics_mut(None).unwrap().settings;
    settings.wind = Wind { strength: 6.0, gust: 1.0, turbulence: 0.5, ..Wind::default() };
    settings.chains[0].drag = Profile::constant(0.0);
    settings.chains[0].stiffness = Profile::constant(0.0);
    session.update(0.0, true);
    let take = session.shown_take().unwrap().clone();
    let built = session.built(&take).unwrap();
    let recording = built.dynamics(None).unwrap();
    let report = &recording.report;
    assert!(report.residue.unwrap() > 1e-2 && report.cycles == 64, "{:?} {}", report.residue, report.cycles);
    assert_eq!(report.closing, Some(0.0));
    assert!(report.length_error <= 1e-6 && report.twist <= 1e-5 && report.penetration <= 1e-6, "{report:?}");
    assert!(
        built.warnings.iter().any(|warning| warning.to_string().contains("blended so that the loop closes")),
        "{:?}",
        built.warnings
    );
    let tracks = |joint: usize| built.clip.tracks[joint].rotation.as_ref().unwrap().values.clone();
    for &joint in &recording.joints {
        let keys = tracks(joint);
        let (first, last) = (keys[0], keys[keys.len() - 1]);
        assert!(first == last || first == -last, "{first} {last}");
    }
    // The seam has the speed of both sides: no step there is larger than elsewhere.
    let rows: Vec<&[glam::Quat]> = recording.rows().collect();
    for bone in 0..recording.joints.len() {
        let steps: Vec<f32> = rows.windows(2).map(|pair| pair[0][bone].angle_between(pair[1][bone])).collect();
        let most = steps.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        let at_seam = (steps[0] - steps[steps.len() - 1]).abs();
        assert!(at_seam <= 0.5 * most, "{at_seam} of {most} rad");
    }
    let numbers = built.report();
    assert_eq!(numbers["dynamics"]["residue_after_mixing"], 0.0, "{numbers:#}");
    let settings = &mut session.document.take_mut(id).unwrap().dynamics_mut(None).unwrap().settings;
    settings.loop_clean = false;
    session.update(0.0, true);
    let take = session.shown_take().unwrap().clone();
    let built = session.built(&take).unwrap();
    assert_eq!(built.dynamics(None).unwrap().report.closing, None, "left as it is where that is wished");
    assert!(
        built.warnings.iter().any(|warning| warning.to_string().contains("does not repeat")),
        "{:?}",
        built.warnings
    );
}

#[test]
fn the_keys_of_an_exported_file_are_the_recording() {
    let (folder, mut session) = with_clip("run");
    let hair = joint(&session, "hair.1");
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
    let take = session.shown_take().unwrap();
    let built = session.built(&take).unwrap();
    let destination = folder.path().join("swinging.glb");
    let request = ExportRequest { takes: vec![take.id], destination: destination.clone(), ..ExportRequest::default() };
    session.perform(Command::File(FileCommand::Export(request)));
    let model = portamento_formats::import::import(&destination).unwrap().model;
    let clip = model.clips.iter().find(|clip| clip.name == take.name).unwrap();
    let recording = built.dynamics(None).unwrap();
    for &joint in &recording.joints {
        let curve = clip.tracks[joint].rotation.as_ref().unwrap();
        assert!(curve.times.len() > 10);
        for (&time, &key) in curve.times.iter().zip(&curve.values) {
            let mut pose = Pose::rest(&model.skeleton);
            recording.sample(f64::from(time), &mut pose);
            let apart = portamento_anim::math::mean::angle_between(pose.locals[joint].rotation, key);
            assert!(apart <= 1e-4, "{apart} rad at {time} s");
        }
    }
}

#[test]
fn muting_the_only_chain_leaves_the_animation() {
    let (_folder, mut session) = with_clip("run");
    let hair = joint(&session, "hair.1");
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
    let Shown::Take(id) = session.selection.shown else { panic!() };
    session.document.take_mut(id).unwrap().dynamics_mut(None).unwrap().settings.chains[0].muted = true;
    session.update(0.0, true);
    assert_eq!(session.evaluation.failure(), None);
    assert!(session.frame().unwrap().built.as_ref().unwrap().dynamics(None).is_none());
    edit(&mut session, EditCommand::RemoveChain(0));
    assert!(session.shown_take().unwrap().stages.is_empty());
}

#[test]
fn a_character_without_clips_is_simulated_on_its_rest_pose() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tail.gltf");
    let nodes = serde_json::json!([
        { "name": "hips", "translation": [0.0, 1.0, 0.0], "children": [1] },
        { "name": "tail.1", "translation": [0.0, 0.0, -0.1], "children": [2] },
        { "name": "tail.2", "translation": [0.0, 0.0, -0.4] },
    ]);
    let json = serde_json::json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": nodes,
    });
    std::fs::write(&path, json.to_string()).unwrap();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![path])));
    let tail = joint(&session, "tail.1");
    edit(&mut session, EditCommand::MakeDynamic { character: None, joint: tail });
    let id = session.shown_take().unwrap().id;
    let wind = Wind { strength: 8.0, ..Wind::default() };
    session.document.take_mut(id).unwrap().dynamics_mut(None).unwrap().settings.wind = wind;
    session.update(1.0 / 60.0, true);
    let take = session.shown_take().unwrap();
    let built = session.built(&take).unwrap();
    let tip = |time: f64| {
        let skeleton = &built.character.model.skeleton;
        built.clip.pose_at(skeleton, time).world_from_joint(skeleton, tail + 1).translation
    };
    let swung = (0..=120).map(|i| tip(f64::from(i) / 30.0).x).fold(0.0, f64::max);
    assert!(built.clip.duration == 4.0 && swung > 0.05, "the tip goes {swung} m with the wind");
}

#[test]
fn a_dynamic_arm_is_mirrored_only_once() {
    let (_folder, mut session) = with_clip("idle");
    let [left, right] = ["upper_arm.L", "upper_arm.R"].map(|name| joint(&session, name));
    // This does not require a build.
    session.perform(Command::Edit(EditCommand::MakeDynamic { character: None, joint: left }));
    session.notices.take_new();
    let mut mirrored = || {
        session.perform(Command::Edit(EditCommand::MirrorDynamics));
        let take = session.shown_take().unwrap();
        let joints: Vec<usize> = take.dynamics(None).unwrap().settings.chains.iter().map(|chain| chain.joint).collect();
        (joints, session.notices.take_new().len())
    };
    assert_eq!(mirrored(), (vec![left, right], 0));
    assert_eq!(mirrored(), (vec![left, right], 1), "it is said");
}

#[test]
fn the_preset_of_a_chain_follows_from_its_name() {
    let named = ["cape_01.L", "Scarf", "fox_tail", "ponytail", "ear.R", "rope_3", "strand"].map(super::preset_for);
    use portamento_dynamics::Preset::{Antenna, Chain, Cloth, Hair, Tail};
    assert_eq!(named, [Cloth, Cloth, Tail, Hair, Antenna, Chain, Hair]);
}

#[test]
fn bone_lengths_in_metres_do_not_depend_on_the_file_unit() {
    use portamento_test_support::{in_smaller_unit, skeleton_of};
    let skeleton = skeleton_of(&[("hips", None), ("spine", Some(0)), ("head", Some(1))]);
    let (centimetres, _) = in_smaller_unit(&skeleton, &portamento_anim::Clip::default(), 100.0);
    for (skeleton, metres) in [(&skeleton, 1.0), (&centimetres, 0.01)] {
        let [bone, tip] = [0, 2].map(|joint| super::longest_bone(skeleton, joint, metres));
        assert!(bone.abs_diff_eq(DVec3::Y, 1e-6), "{bone} at {metres} m");
        assert!(tip.length() > 0.0 && tip.length() < 1.0, "what ends has a length all the same: {tip}");
    }
}

#[test]
fn likely_chains_are_made_dynamic_at_once_and_one_undo_removes_them() {
    let (_folder, mut session) = with_clip("run");
    let likely = session.opened().likely_chains(&session.selection.shown, None);
    let skeleton = &session.opened().shown_character(&session.selection.shown).unwrap().1.model.skeleton.clone();
    let names: Vec<&str> = likely.iter().map(|&joint| skeleton.joints[joint].name.as_str()).collect();
    assert!(names.contains(&"hair.1") && names.iter().any(|name| name.starts_with("cape")), "{names:?}");
    edit(&mut session, EditCommand::MakeLikelyDynamic);
    let chains: Vec<usize> =
        session.shown_take().unwrap().dynamics(None).unwrap().settings.chains.iter().map(|c| c.joint).collect();
    assert_eq!(chains, likely);
    let left = session.opened().likely_chains(&session.selection.shown, None);
    assert!(left.is_empty(), "nothing is left to suggest: {left:?}");
    edit(&mut session, EditCommand::Undo);
    assert!(session.document.takes.is_empty());
}

#[test]
fn spring_bones_of_an_avatar_apply_to_any_take_of_it() {
    let Some(path) = portamento_test_support::corpus("wild/godette.vrm") else { return };
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![path])));
    session.update(0.0, true);
    let file = session.document.files[0].id;
    let own = session.opened().spring_bones(file).unwrap();
    let source = TakeSource::Rest { seconds: 2.0 };
    let take = portamento_takes::document::Take {
        id: portamento_takes::document::TakeId(0),
        name: "still".into(),
        character: file,
        source,
        stages: Vec::new(),
        loops: None,
    };
    let id = session.document.add_take(take);
    session.selection.show(Shown::Take(id));
    session.update(0.0, true);
    edit(&mut session, EditCommand::UseSpringBones);
    let settings = session.document.take(id).unwrap().dynamics(None).unwrap().settings.clone();
    assert_eq!((&settings.chains, &settings.colliders), (&own.chains, &own.colliders));
    assert!(!settings.chains.is_empty());
}
