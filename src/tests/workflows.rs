//! User workflows without a window: documents, commands and expected results.

#[cfg(unix)]
mod farm;
use portamento_test_support as support;

use std::path::{Path, PathBuf};

use glam::DVec3;
use portamento::anim::{RootMotion, root_motion};
use portamento::document::stage::{RootChoice, Stretch};
use portamento::progress::Progress;
use portamento::session::{
    Command, EditCommand, ExportRequest, ExportSettings, FileCommand, Keep, Session, Severity, Shown, TransportCommand,
};
use portamento::systems::stretch::Target;
use portamento::{import, samples};

/// Opens the hero in a temporary folder.
fn with_hero() -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    samples::write_all(folder.path()).unwrap();
    let mut session = Session::inline();
    session.preferences.autosave_seconds = 0.0;
    open(&mut session, folder.path().join("hero.glb"));
    (folder, session)
}

fn open(session: &mut Session, path: PathBuf) {
    session.perform(Command::File(FileCommand::Open(vec![path])));
    step(session);
}

fn step(session: &mut Session) {
    session.update(0.0, true);
}

/// Adds a stretch of `clip` with the target `target`.
fn stretch(session: &mut Session, clip: &str, target: DVec3) {
    let file = session.document.files[0].id;
    let clip = clip.to_owned();
    session.perform(Command::Edit(EditCommand::AddStretch { character: file, clip_file: file, clip }));
    step(session);
    edit(session).settings.target = Some(Target::World(target));
    step(session);
}

fn edit(session: &mut Session) -> &mut Stretch {
    session.document.takes.last_mut().unwrap().stretch_mut(None).unwrap()
}

fn errors(session: &Session) -> Vec<String> {
    let notices = session.notices.all().iter();
    notices.filter(|notice| notice.severity == Severity::Error).map(|notice| notice.text()).collect()
}

fn export(session: &mut Session, destination: PathBuf, keep: Keep) {
    let takes = session.document.takes.iter().map(|take| take.id).collect();
    let settings = ExportSettings { keep, ..Default::default() };
    let request = ExportRequest { takes, destination, settings, ..Default::default() };
    session.perform(Command::File(FileCommand::Export(request)));
}

/// Returns the key positions of the root in a clip of a file.
fn root_path(file: &Path, clip: &str) -> Vec<DVec3> {
    let model = import::import(file).unwrap().model;
    let clip = model.clip(clip).unwrap();
    let roles = portamento::anim::Roles::find(&model.skeleton, &model.clips);
    let root = RootMotion::find(&model.skeleton, clip, &roles).unwrap();
    let times = root_motion::frame_times(clip, [root.joint], 30.0);
    root_motion::path(&model.skeleton, clip, root.joint, &times)
}

#[test]
fn a_dragged_target_is_met_by_the_exported_file_and_pauses_stay_pauses() {
    let (folder, mut session) = with_hero();
    let source = root_path(&folder.path().join("hero.glb"), "leap_strike");
    let target = DVec3::new(1.5, 0.0, 5.0);
    stretch(&mut session, "leap_strike", target);
    let out = folder.path().join("out.glb");
    export(&mut session, out.clone(), Keep::Append);
    assert_eq!(errors(&session), Vec::<String>::new());
    let exported = root_path(&out, &session.document.takes[0].name);
    assert_eq!(exported.len(), source.len());
    assert!(exported.last().unwrap().distance(target) < 1e-5, "{:?}", exported.last());
    let pauses: Vec<usize> = (1..source.len()).filter(|&i| source[i] == source[i - 1]).collect();
    assert!(pauses.len() > 5, "the leap has a wind-up and a hang: {pauses:?}");
    assert!(pauses.iter().all(|&i| exported[i] == exported[i - 1]));
}

#[test]
fn one_drag_is_one_undo_step_and_redo_brings_it_back() {
    let (_folder, mut session) = with_hero();
    stretch(&mut session, "leap_strike", DVec3::Z);
    let before = session.document.clone();
    for i in 0..50 {
        edit(&mut session).settings.target = Some(Target::World(DVec3::new(0.0, 0.0, f64::from(i) * 0.1)));
        session.update(0.016, false);
    }
    step(&mut session);
    let after = session.document.clone();
    session.perform(Command::Edit(EditCommand::Undo));
    assert_eq!(session.document, before);
    session.perform(Command::Edit(EditCommand::Redo));
    assert_eq!(session.document, after);
}

#[test]
fn the_frame_follows_the_target_in_the_same_update() {
    let (_folder, mut session) = with_hero();
    stretch(&mut session, "leap_strike", DVec3::Z);
    session.perform(Command::Transport(TransportCommand::ToEnd));
    for z in [3.0, 7.5] {
        edit(&mut session).settings.target = Some(Target::World(DVec3::new(0.0, 0.0, z)));
        session.update(0.016, false);
        let frame = session.frame().unwrap();
        let root = frame.built.as_ref().unwrap().root.unwrap().joint;
        assert!((f64::from(frame.world[root].translation.z) - z).abs() < 1e-5);
        assert_eq!(frame.overlay.targets, [DVec3::new(0.0, 0.0, z)]);
    }
}

#[test]
fn a_saved_project_opens_with_the_same_bits() {
    let (folder, mut session) = with_hero();
    stretch(&mut session, "dash_back_step", DVec3::new(0.3, 0.0, 4.4));
    let path = folder.path().join("mine.portamento");
    session.perform(Command::File(FileCommand::SaveAs(path.clone())));
    assert!(!session.is_unsaved());
    let mut again = Session::inline();
    open(&mut again, path);
    assert_eq!(errors(&again), Vec::<String>::new());
    for session in [&mut session, &mut again] {
        session.selection.shown = Shown::Take(session.document.takes[0].id);
        session.playback.time = 0.7;
        step(session);
    }
    assert_eq!(again.document, session.document);
    assert_eq!(again.frame().unwrap().pose, session.frame().unwrap().pose);
}

#[test]
fn keyed_settings_are_undone_saved_shown_and_exported_consistently() {
    let (folder, mut session) = with_hero();
    stretch(&mut session, "leap_strike", DVec3::new(0.0, 0.0, 6.0));
    let plain = session.document.clone();
    let take = session.document.takes.last_mut().unwrap();
    let (id, name, stage) = (take.id, take.name.clone(), &mut take.stages[0]);
    for (time, value) in [(0.2, 0.0), (0.5, 1.0), (0.9, 0.3)] {
        stage.curve_mut("influence").unwrap().put(time, value, 0.0);
    }
    step(&mut session);
    let keyed = session.document.clone();
    session.perform(Command::Edit(EditCommand::Undo));
    assert_eq!(session.document, plain);
    session.perform(Command::Edit(EditCommand::Redo));
    assert_eq!(session.document, keyed);
    let (project, out) = (folder.path().join("keyed.portamento"), folder.path().join("out.glb"));
    session.perform(Command::File(FileCommand::SaveAs(project.clone())));
    export(&mut session, out.clone(), Keep::Alone);
    assert_eq!(errors(&session), Vec::<String>::new());
    let mut again = Session::inline();
    open(&mut again, project);
    assert_eq!(again.document, keyed);
    again.selection.shown = Shown::Take(id);
    let model = import::import(&out).unwrap().model;
    let clip = model.clip(&name).unwrap();
    let mut half_way = 0;
    for frame in 0..=40 {
        again.playback.time = f64::from((f64::from(frame) / 30.0) as f32);
        step(&mut again);
        let shown = again.frame().unwrap();
        let built = shown.built.as_ref().unwrap();
        let source = built.source.pose_at(&built.character.model.skeleton, again.playback.time);
        half_way += usize::from(shown.pose != source);
        let written = clip.pose_at(&model.skeleton, again.playback.time);
        for (joint, (shown, written)) in shown.pose.locals.iter().zip(&written.locals).enumerate() {
            assert!(shown.translation.distance(written.translation) < 1e-6, "frame {frame}, joint {joint}");
            assert!(shown.rotation.angle_between(written.rotation) < 1e-3, "frame {frame}, joint {joint}");
        }
    }
    assert!((15..40).contains(&half_way), "{half_way} frames differ from the source");
}

#[test]
fn replace_keeps_clip_names_alone_keeps_only_the_takes_and_append_keeps_all() {
    let (folder, mut session) = with_hero();
    stretch(&mut session, "leap_strike", DVec3::Z * 4.0);
    let names = |path: &Path| -> Vec<String> {
        import::import(path).unwrap().model.clips.into_iter().map(|clip| clip.name).collect()
    };
    let source = names(&folder.path().join("hero.glb"));
    let path = folder.path().join("replaced.glb");
    export(&mut session, path.clone(), Keep::Replace);
    assert_eq!(names(&path), source);
    let path = folder.path().join("alone.gltf");
    export(&mut session, path.clone(), Keep::Alone);
    assert_eq!(names(&path), [session.document.takes[0].name.clone()]);
    // A changed take that is called like a clip of the file is added beside it.
    session.document.takes[0].name = "leap_strike".into();
    let path = folder.path().join("appended.glb");
    export(&mut session, path.clone(), Keep::Append);
    assert_eq!(names(&path), [&source[..], &["leap_strike#2".into()]].concat());
    assert_eq!(errors(&session), Vec::<String>::new());
}

#[test]
fn unreadable_files_are_named_and_nothing_is_lost() {
    let (folder, mut session) = with_hero();
    stretch(&mut session, "leap_strike", DVec3::Z);
    let before = session.document.clone();
    let broken = folder.path().join("broken.glb");
    std::fs::write(&broken, b"glTF but not really").unwrap();
    open(&mut session, broken);
    open(&mut session, folder.path().join("absent.glb"));
    open(&mut session, folder.path().join("absent.portamento"));
    let errors = errors(&session);
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(errors[0].contains("broken.glb") && errors[1].contains("absent.glb"), "{errors:?}");
    assert_eq!(session.document, before);
}

#[test]
fn a_project_may_not_read_files_its_user_never_opened() {
    let (folder, mut session) = with_hero();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let path = inner.join("sly.portamento");
    stretch(&mut session, "leap_strike", DVec3::Z);
    session.perform(Command::File(FileCommand::SaveAs(path.clone())));
    let mut stranger = Session::inline();
    open(&mut stranger, path.clone());
    assert!(errors(&stranger)[0].contains("outside the project folder"), "{:?}", errors(&stranger));
    open(&mut stranger, folder.path().join("hero.glb"));
    open(&mut stranger, path.clone());
    assert_eq!(errors(&stranger).iter().filter(|error| error.contains("outside the project folder")).count(), 1);

    // The command line may read what the window has opened, and nothing else.
    let home = folder.path().join("home");
    std::fs::create_dir(&home).unwrap();
    let bake = || {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_portamento"));
        program.arg("bake").arg(&path).arg("--out").arg(folder.path().join("out"));
        program.env("PORTAMENTO_HOME", &home).output().unwrap()
    };
    let refused = bake();
    assert!(
        !refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("outside the project folder")
    );
    stranger.preferences.save(&home.join("preferences.json")).unwrap();
    let baked = bake();
    assert!(baked.status.success(), "{}", String::from_utf8_lossy(&baked.stderr));
}

#[test]
fn the_sample_project_builds_without_warnings() {
    let folder = tempfile::tempdir().unwrap();
    samples::write_all(folder.path()).unwrap();
    let mut session = Session::inline();
    open(&mut session, folder.path().join("samples.portamento"));
    for take in session.document.takes.clone() {
        let built = session.built(&take).unwrap();
        assert!(built.stretch(None).is_none_or(|stretch| stretch.report.end_error < 1e-7), "{}", take.name);
        let figures = built.blended.as_ref().map(|blended| blended.measured(&Progress::new()).unwrap());
        assert!(figures.is_none_or(|figures| figures.pops() == 0), "{}", take.name);
        if let Some(dynamics) = built.dynamics(None) {
            let report = &dynamics.report;
            assert!(report.length_error <= 1e-6 && report.penetration <= 1e-6, "{}", take.name);
            assert!(report.residue.unwrap() <= 1e-5 && report.cycles <= 64, "{:?}", report.residue);
        }
        let looped = built.looped(None).map(|looped| looped.report());
        assert!(looped.is_none_or(|report| report.value_gap == 0.0), "{}", take.name);
        let modified = built.stretch(None).is_some() || built.dynamics(None).is_some() || built.looped(None).is_some();
        let walks = built.walked.as_ref().is_some_and(|walked| walked.missing.is_none());
        assert!(modified || walks || built.blend().is_some(), "{}", take.name);
    }
    assert_eq!(errors(&session), Vec::<String>::new());
}

#[test]
fn the_shipped_samples_match_the_code() {
    let folder = tempfile::tempdir().unwrap();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    for made in samples::write_all(folder.path()).unwrap() {
        let shipped = assets.join(made.file_name().unwrap());
        assert!(std::fs::read(&made).unwrap() == std::fs::read(&shipped).unwrap(), "make {} again", shipped.display());
    }
}

#[test]
fn an_in_place_walk_travels_by_its_foot_contacts() {
    let Some(kaiju) = support::corpus("characters/kaiju.glb") else { return };
    let mut session = Session::inline();
    open(&mut session, kaiju);
    stretch(&mut session, "Walk", DVec3::new(0.0, 0.0, 4.0));
    edit(&mut session).root = RootChoice::Made;
    step(&mut session);
    assert_eq!(session.evaluation.failure(), None);
    let report = session.frame().unwrap().built.as_ref().unwrap().report();
    assert!(report["stretch"]["end_error_m"].as_f64().unwrap() < 1e-5, "{report:#}");
    assert!(report["stretch"]["source_length_m"].as_f64().unwrap() > 0.5, "the feet carry it forward: {report:#}");
}

#[test]
fn files_opened_together_keep_their_order_even_with_equal_names() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = ["b", "a"].map(|name| folder.path().join(name).join("hero.glb")).to_vec();
    for path in &paths {
        samples::write_all(path.parent().unwrap()).unwrap();
    }
    let missing = folder.path().join("missing.glb");
    let mut session = Session::default();
    let wanted = [paths.clone(), vec![missing]].concat();
    session.perform(Command::File(FileCommand::Open(wanted)));
    while session.jobs.running().next().is_some() {
        std::thread::sleep(std::time::Duration::from_millis(5));
        step(&mut session);
    }
    let opened: Vec<PathBuf> = session.document.files.iter().map(|file| file.path.clone()).collect();
    assert_eq!(opened, paths);
    assert_eq!(errors(&session).len(), 1, "{:?}", errors(&session));
}

#[test]
fn motion_capture_in_centimetres_is_exported_in_metres() {
    let folder = tempfile::tempdir().unwrap();
    let capture = folder.path().join("walk.bvh");
    let hierarchy = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation \
        Yrotation\nJOINT Head\n{\nOFFSET 0 80 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 10 0\n}\n}\n\
        JOINT Foot\n{\nOFFSET 0 -90 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 -2 0\n}\n}\n}\n";
    let frames = "MOTION\nFrames: 2\nFrame Time: 0.5\n0 92 0 0 0 0 0 0 0 0 0 0\n0 92 150 0 0 0 0 0 0 0 0 0\n";
    std::fs::write(&capture, format!("{hierarchy}{frames}")).unwrap();
    let mut session = Session::inline();
    open(&mut session, capture);
    assert_eq!(session.document.files[0].metres_per_unit, 0.01);
    let character = session.document.files[0].id;
    let clip = "walk".to_owned();
    session.perform(Command::Edit(EditCommand::AddStretch { character, clip_file: character, clip }));
    step(&mut session);
    let out = folder.path().join("out.glb");
    export(&mut session, out.clone(), Keep::Alone);
    let model = import::import(&out).unwrap().model;
    let clip = &model.clips[0];
    let positions = |time: f64| {
        let mut world = Vec::new();
        clip.pose_at(&model.skeleton, time).world_from_joints(&model.skeleton, &mut world);
        let joint = |name: &str| world[model.skeleton.find(name).unwrap()].translation.as_dvec3();
        ["Hips", "Head"].map(joint)
    };
    assert!(positions(0.0)[1].abs_diff_eq(DVec3::new(0.0, 1.72, 0.0), 1e-5), "{:?}", positions(0.0));
    assert!(positions(0.5)[0].abs_diff_eq(DVec3::new(0.0, 0.92, 1.5), 1e-5), "{:?}", positions(0.5));
}
