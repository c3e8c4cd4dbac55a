use super::job::{Job, PARTS, PROJECT, read_parts};
use super::parts::{Chunks, Parts};
use super::report::{BatchReport, RowState};
use super::template::INPUTS;
use super::*;
use crate::variants::Index;
use crate::{ExportFormat, ExportSettings, Keep};
use portamento_formats::export::Replace;
use portamento_takes::document::clip_ref::take_ref;
use portamento_takes::document::{ReferenceMesh, TakeId, TakeSource};
use std::collections::BTreeMap;

/// Takes that build quickly: joints and images.
const FAST_TAKES: [&str; 4] = ["leap to 5 m", "leap at the dummy", "dash 4 m after the back-step", "flame"];

fn opened(project: &Path) -> Session {
    let mut session = Session::inline();
    session.preferences.autosave_seconds = 0.0;
    session.perform(Command::File(FileCommand::Open(vec![project.to_owned()])));
    assert!(session.notices.all().iter().all(|notice| notice.severity != Severity::Error));
    session
}

/// Opens the samples in a temporary folder.
fn samples() -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::write_all(folder.path()).unwrap();
    let session = opened(&folder.path().join("samples.portamento"));
    (folder, session)
}

fn request(session: &Session, names: &[&str], destination: &Path) -> ExportRequest {
    let id = |name: &&str| {
        session.document.takes.iter().find(|take| take.name == *name).unwrap_or_else(|| panic!("{name}")).id
    };
    ExportRequest {
        takes: names.iter().map(id).collect(),
        destination: destination.to_owned(),
        settings: ExportSettings { keep: Keep::Alone, ..Default::default() },
        ..ExportRequest::default()
    }
}

fn states(session: &mut Session, request: &ExportRequest) -> Vec<&'static str> {
    session.bake_each(request, |_| ()).unwrap().takes.iter().map(|outcome| outcome.state.name()).collect()
}

/// Returns the content of every file below `folder` that is not a receipt.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() && path.ends_with(".portamento") => {}
                path if path.is_dir() => folders.push(path),
                path => {
                    found.insert(path.strip_prefix(folder).unwrap().to_owned(), std::fs::read(path).unwrap());
                }
            }
        }
    }
    found
}

#[test]
fn finished_and_unchanged_takes_are_kept_and_the_others_exported() {
    let (folder, mut session) = samples();
    let out = folder.path().join("out");
    let request = request(&session, &FAST_TAKES, &out);
    assert_eq!(states(&mut session, &request), ["written"; 4]);
    let exported = files(&out);
    assert_eq!(states(&mut session, &request), ["kept"; 4]);
    // One setting of a take changed, in another session and with another folder path.
    let take = session.document.takes.iter_mut().find(|take| take.id == request.takes[1]).unwrap();
    take.stages.iter_mut().for_each(|stage| stage.on = false);
    assert_eq!(states(&mut session, &request), ["kept", "written", "kept", "kept"]);
    let changed: Vec<PathBuf> =
        files(&out).into_iter().filter(|(path, bytes)| exported[path] != *bytes).map(|(path, _)| path).collect();
    assert_eq!(changed, [PathBuf::from("leap_at_the_dummy.glb")]);
    // A missing file and a file written by another program.
    std::fs::remove_file(out.join("leap_to_5_m.glb")).unwrap();
    std::fs::write(out.join("dash_4_m_after_the_back-step.glb"), "the user's own").unwrap();
    assert_eq!(states(&mut session, &request), ["written", "kept", "failed", "kept"]);
    assert_eq!(std::fs::read(out.join("dash_4_m_after_the_back-step.glb")).unwrap(), b"the user's own");
    assert_eq!(files(&out)[Path::new("leap_to_5_m.glb")], exported[Path::new("leap_to_5_m.glb")]);
    // A missing receipt, as if the process was killed before writing it.
    std::fs::remove_file(out.join(".portamento").join("leap_to_5_m.json")).unwrap();
    assert_eq!(states(&mut session, &request)[0], "written");
    let forced = ExportRequest { replace: Replace::Allow, ..request.clone() };
    assert_eq!(states(&mut session, &forced), ["kept", "kept", "written", "kept"]);
    let mut as_text = request;
    as_text.settings.format = ExportFormat::Gltf;
    assert_eq!(states(&mut session, &as_text), ["written", "written", "written", "written"]);
}

#[test]
fn a_take_is_exported_again_when_its_file_or_a_used_take_changed() {
    let (folder, session) = samples();
    let project = folder.path().join("samples.portamento");
    let out = folder.path().join("out");
    let mut session = session;
    let [used, user] = [4, 5].map(TakeId);
    let walker = session.document.takes.iter_mut().find(|take| take.id == user).unwrap();
    walker.source.replace_clip("leap_strike", &take_ref(used));
    let request = ExportRequest { takes: vec![used, user], ..request(&session, &FAST_TAKES, &out) };
    assert_eq!(session.document.take(user).unwrap().used_takes(), [used]);
    let keys = |session: &Session| {
        let key = |&id: &TakeId| session.opened().take_key(&request, id).unwrap();
        request.takes.iter().map(key).collect::<Vec<String>>()
    };
    let before = keys(&session);
    let mut changed = opened(&project);
    changed.document = session.document.clone();
    assert_eq!(before, keys(&changed), "the same in another session");
    let take = changed.document.takes.iter_mut().find(|take| take.id == used).unwrap();
    take.stages.iter_mut().for_each(|stage| stage.on = !stage.on);
    let after = keys(&changed);
    assert!(before.iter().zip(&after).all(|(before, after)| before != after), "what is used counts for its user");
    let take = changed.document.takes.iter_mut().find(|take| take.id == used).unwrap();
    take.stages.iter_mut().for_each(|stage| stage.on = !stage.on);
    let take = changed.document.takes.iter_mut().find(|take| take.id == user).unwrap();
    take.stages.iter_mut().for_each(|stage| stage.on = !stage.on);
    let after = keys(&changed);
    assert!(before[0] == after[0] && before[1] != after[1], "but not the other way round");
    let mut other_session = opened(&project);
    other_session.document = session.document.clone();
    let mesh = ReferenceMesh { heading: 1.0, ..ReferenceMesh::of(other_session.document.files[0].id) };
    other_session.document.objects[0].mesh = Some(mesh);
    assert_eq!(before, keys(&other_session), "what only stands beside a take is not in its files");
    // The hero's file, one byte longer.
    let hero = folder.path().join("hero.glb");
    let mut bytes = std::fs::read(&hero).unwrap();
    bytes.push(0);
    std::fs::write(&hero, bytes).unwrap();
    let after = keys(&session);
    assert!(before.iter().zip(&after).all(|(before, after)| before != after));
}

#[test]
fn a_failed_take_does_not_stop_the_others_and_a_single_file_is_refused() {
    let (folder, mut session) = samples();
    let out = folder.path().join("out");
    let request = request(&session, &FAST_TAKES, &out);
    let broken = session.document.takes.iter_mut().find(|take| take.id == request.takes[0]).unwrap();
    broken.source = TakeSource::Clip { file: broken.character, clip: "gone".into() };
    let outcomes = session.bake_each(&request, |_| ()).unwrap().takes;
    assert!(matches!(&outcomes[0].state, OutcomeState::Failed(why) if why.to_string().contains("gone")));
    assert!(outcomes[1..].iter().all(|outcome| outcome.state == OutcomeState::Written));
    let one = ExportRequest { destination: folder.path().join("one.glb"), ..request };
    assert!(session.bake_each(&one, |_| ()).is_err());
}

#[test]
fn the_parts_of_a_moved_job_give_the_same_bytes_as_a_single_process() {
    let (folder, mut session) = samples();
    let (whole, job) = (folder.path().join("whole"), folder.path().join("job"));
    // Two takes with the same name get different files.
    let mut twin = session.document.takes[1].clone();
    (twin.id, twin.name) = (TakeId(session.document.fresh_id()), FAST_TAKES[0].into());
    session.document.takes.push(twin.clone());
    let mut request = request(&session, &FAST_TAKES, &whole);
    request.takes.push(twin.id);
    session.perform(Command::File(FileCommand::Export(request.clone())));
    let wanted =
        Job { request: request.clone(), folder: job.clone(), chunks: Chunks::Count(2), index: Index::default() };
    let mut planned = session.plan_job(&wanted).unwrap();
    planned.files.commit(Replace::Refuse).unwrap();
    let parts = planned.parts;
    assert_eq!(parts.parts.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
    let other = Job { chunks: Chunks::Count(3), ..wanted };
    let refused = session.plan_job(&other).unwrap().files.commit(Replace::Refuse);
    assert!(refused.is_err_and(|why| why.to_string().contains("parts.json")));
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().join("moved");
    std::fs::rename(&job, &moved).unwrap();
    let expected = files(&whole);
    folder.close().unwrap();
    let (inputs, output) = (moved.join(INPUTS), elsewhere.path().join("output"));
    let parts: Parts<TakeId> = read_parts(&inputs.join(PARTS)).unwrap();
    let report = || BatchReport::read(&inputs, &output).unwrap();
    assert_eq!(report().count(RowState::Missing), 5);
    for part in parts.parts.iter().rev() {
        let mut session = opened(&inputs.join(PROJECT));
        let request = ExportRequest {
            takes: part.clone(),
            together: parts.all().copied().collect(),
            destination: output.clone(),
            ..request.clone()
        };
        assert!(
            session.bake_each(&request, |_| ()).unwrap().takes.iter().all(|one| one.state == OutcomeState::Written)
        );
    }
    assert!(files(&output) == expected && expected.len() > 5);
    assert_eq!(report().count(RowState::Done), 5);
    assert!(report().rows[0].receipt.as_ref().is_some_and(|receipt| receipt.strip.is_some()));
    let changed = output.join(files(&output).into_keys().next().unwrap());
    std::fs::write(changed, "changed").unwrap();
    assert_eq!((report().count(RowState::Done), report().count(RowState::Changed)), (4, 1));
}

#[test]
fn takes_with_the_same_file_name_get_separate_files_also_one_by_one() {
    let (folder, mut session) = samples();
    let out = folder.path().join("out");
    let request = request(&session, &FAST_TAKES[..3], &out);
    for (&id, name) in request.takes.iter().zip(["a/b", "a:b", "a_b"]) {
        session.document.take_mut(id).unwrap().name = name.into();
    }
    assert_eq!(states(&mut session, &request), ["written"; 3]);
    assert_eq!(files(&out).into_keys().collect::<Vec<_>>(), ["a_b.glb", "a_b_2.glb", "a_b_3.glb"].map(PathBuf::from));
    assert_eq!(states(&mut session, &request), ["kept"; 3]);
}
