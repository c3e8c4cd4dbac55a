use std::path::Path;
use std::time::{Duration, Instant};

use super::*;
use crate::{Command, FileCommand};
use portamento_formats::export::{FileSet, gltf};
use portamento_takes::document::{FileId, Take, TakeId, TakeSource};

fn save(model: &portamento_anim::Model, path: &Path) {
    FileSet::write_now(|files| gltf::save(files, path, &gltf::from_model(model, None))).unwrap();
}

/// Returns a session that watches its sources, and the channel on which it is woken.
fn watching(paths: &[PathBuf]) -> (Session, Receiver<()>) {
    let (sender, woken) = channel();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(paths.to_vec())));
    session.watch_sources(move || {
        let _ = sender.send(());
    });
    session.update(0.0, true);
    session.notices.take_new();
    (session, woken)
}

fn clips(session: &Session, file: FileId) -> usize {
    session.library.get(file).unwrap().model.clips.len()
}

#[test]
fn a_saved_source_wakes_the_session_and_is_shown_when_a_drag_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hero.glb");
    let mut model = portamento_test_support::hero();
    save(&model, &path);
    let (mut session, woken) = watching(std::slice::from_ref(&path));
    let file = session.document.files[0].id;
    let lost = model.clips.pop().unwrap().name;
    let source = TakeSource::Clip { file, clip: lost };
    session.document.takes.push(Take {
        id: TakeId(90),
        name: "last".into(),
        character: file,
        source,
        stages: Vec::new(),
        loops: None,
    });
    let before = clips(&session, file);
    save(&model, &path);
    woken.recv_timeout(Duration::from_secs(10)).unwrap();
    session.update(0.0, false);
    assert_eq!(clips(&session, file), before, "nothing changes during a drag");
    session.update(0.0, true);
    assert_eq!(clips(&session, file), before - 1);
    let texts: Vec<String> = session.notices.take_new().iter().map(|notice| notice.text()).collect();
    assert!(texts.iter().any(|text| text.contains("last can no longer be built")), "{texts:?}");
    assert_eq!(session.document.takes.len(), 1);
    // Reading it was no change.
    assert!(woken.recv_timeout(Duration::from_secs(1)).is_err());
}

#[test]
fn content_that_arrives_during_a_drag_waits_for_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hero.glb");
    let mut model = portamento_test_support::hero();
    save(&model, &path);
    let (mut session, _woken) = watching(std::slice::from_ref(&path));
    let file = session.document.files[0].id;
    let before = clips(&session, file);
    session.update(0.0, false);
    model.clips.pop();
    save(&model, &path);
    session.reload_changed();
    assert_eq!(clips(&session, file), before);
    session.update(0.0, true);
    assert_eq!(clips(&session, file), before - 1);
}

/// A way in which a program saves a file.
type Way<'a> = &'a dyn Fn(&[u8]);

#[test]
fn every_kind_of_save_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let [path, part, away] = ["hero.glb", "part", "away"].map(|name| folder.path().join(name));
    let mut model = portamento_test_support::hero();
    save(&model, &path);
    let (mut session, woken) = watching(std::slice::from_ref(&path));
    let file = session.document.files[0].id;
    let elsewhere = tempfile::tempdir().unwrap();
    let bytes = |model: &portamento_anim::Model| {
        let saved = elsewhere.path().join("hero.glb");
        save(model, &saved);
        std::fs::read(saved).unwrap()
    };
    let wait = Duration::from_millis(120);
    let ways: [Way; 5] = [
        &|bytes| std::fs::write(&path, bytes).unwrap(),
        &|bytes| {
            std::fs::write(&part, bytes).unwrap();
            std::fs::rename(&part, &path).unwrap();
        },
        &|bytes| {
            std::fs::remove_file(&path).unwrap();
            std::thread::sleep(wait);
            std::fs::write(&path, bytes).unwrap();
        },
        &|bytes| {
            std::fs::rename(&path, &away).unwrap();
            std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
            std::thread::sleep(wait);
            std::fs::write(&path, bytes).unwrap();
        },
        &|bytes| {
            // The folder is replaced by another one.
            let other = folder.path().with_extension("other");
            std::fs::rename(folder.path(), &other).unwrap();
            std::fs::create_dir(folder.path()).unwrap();
            std::fs::write(&path, bytes).unwrap();
            std::fs::remove_dir_all(&other).unwrap();
        },
    ];
    for (number, way) in ways.into_iter().enumerate() {
        model.clips.pop();
        way(&bytes(&model));
        let begun = Instant::now();
        while clips(&session, file) != model.clips.len() && begun.elapsed() < Duration::from_secs(10) {
            let _ = woken.recv_timeout(Duration::from_millis(100));
            session.update(0.0, true);
        }
        assert_eq!(clips(&session, file), model.clips.len(), "save {number}");
        let errors = session.notices.take_new().into_iter().filter(|notice| notice.severity == crate::Severity::Error);
        assert_eq!(errors.map(|notice| notice.text()).collect::<Vec<_>>(), Vec::<String>::new(), "save {number}");
    }
}

#[test]
fn a_source_is_reloaded_when_only_its_buffer_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hero.gltf");
    let mut model = portamento_test_support::hero();
    save(&model, &path);
    let (mut session, woken) = watching(std::slice::from_ref(&path));
    let file = session.document.files[0].id;
    let buffers = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|end| end == "bin")).collect::<Vec<_>>()
    };
    let buffer = buffers(folder.path()).pop().expect("a glTF has its buffer beside it");
    let root = model.clips[0].tracks.iter_mut().find_map(|tracks| tracks.translation.as_mut()).unwrap();
    root.values.iter_mut().for_each(|value| value.x += 0.5);
    let other = tempfile::tempdir().unwrap();
    save(&model, &other.path().join("hero.gltf"));
    std::fs::copy(buffers(other.path()).pop().unwrap(), &buffer).unwrap();
    woken.recv_timeout(Duration::from_secs(10)).unwrap();
    session.update(0.0, true);
    assert_eq!(session.library.get(file).unwrap().model.clips[0], model.clips[0]);
}

#[test]
fn a_missing_source_is_read_when_it_appears() {
    let folder = tempfile::tempdir().unwrap();
    let [path, project] = ["hero.glb", "walk.portamento"].map(|name| folder.path().join(name));
    save(&portamento_test_support::hero(), &path);
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![path.clone()])));
    session.perform(Command::File(FileCommand::SaveAs(project.clone())));
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let (mut session, woken) = watching(&[project]);
    let file = session.document.files[0].id;
    assert!(session.library.get(file).is_none());
    std::fs::write(&path, bytes).unwrap();
    woken.recv_timeout(Duration::from_secs(10)).unwrap();
    session.update(0.0, true);
    assert!(session.library.get(file).is_some());
}
