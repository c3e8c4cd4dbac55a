//! Crash safety: user data is never lost, however the program ends, and damaged files give an error message.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use portamento::document::{Document, History, SceneObject, TakeId, file};
use portamento::export::file_system::Disk;
use portamento::export::{FileSet, Replace, Sources, file_set};
use portamento::math::random::{SplitMix64, spread};
use portamento::samples;
use portamento::session::project::recovery;
use portamento::session::{Command as Request, EditCommand, FileCommand, NewCollider, Session, Shown};
use portamento::systems::cloth::ClothShape;
use portamento::systems::dynamics::Preset;
use serde_json::Value;

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portamento"));
    command.args(arguments);
    command
}

fn samples() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    samples::write_all(folder.path()).unwrap();
    folder
}

/// Returns the content of every file below `folder`.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut all, mut open) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for path in std::fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else {
                all.insert(path.strip_prefix(folder).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    all
}

/// Environment variable with the folder in which a child process saves, autosaves and exports repeatedly until
/// killed.
const FOLDER_VARIABLE: &str = "PORTAMENTO_KILLED";
/// Number of files that the child writes as one export.
const FILES_PER_EXPORT: usize = 12;

fn project(folder_path: &Path) -> PathBuf {
    folder_path.join("a.portamento")
}

fn save(session: &mut Session, command: FileCommand) {
    session.perform(Request::File(command));
}

#[test]
#[ignore = "started by the tests that kill it"]
fn child_that_is_killed() {
    let folder_path = PathBuf::from(std::env::var_os(FOLDER_VARIABLE).expect("a place to save to"));
    let mut session = Session::inline();
    session.project.keep_work(&folder_path.join("recovery"));
    save(&mut session, FileCommand::Open(vec![project(&folder_path)]));
    for number in 0_u64.. {
        let position = glam::DVec3::splat(number as f64);
        session.document.objects.push(SceneObject::point(&format!("mark {number}"), position));
        session.document.objects.truncate(200);
        session.document.next_id += 1;
        session.autosave_now();
        save(&mut session, FileCommand::Save);
        let mut files = FileSet::new(Arc::new(Sources::default()));
        for file in 0..FILES_PER_EXPORT {
            // Different sizes, all of the same generation.
            let bytes = format!("{} ", session.document.next_id).repeat(1 + 2000 * file);
            files.write(&folder_path.join(format!("out/{}/{file}.bin", file % 2)), bytes.as_bytes()).unwrap();
        }
        files.commit(Replace::Allow).unwrap();
    }
}

fn started(folder_path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_that_is_killed", "--ignored", "--nocapture"])
        .env(FOLDER_VARIABLE, folder_path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Returns the number of the state in a project; panics if the file is incomplete.
fn state(path: &Path) -> u32 {
    let document: Document = file::from_bytes(&std::fs::read(path).unwrap(), path).unwrap();
    document.next_id
}

/// Kills a process that saves, autosaves and exports `count` times at different moments, and checks the files.
fn kill(count: u64) {
    let folder = tempfile::tempdir().unwrap();
    let folder_path = folder.path();
    let mut session = Session::inline();
    save(&mut session, FileCommand::SaveAs(project(folder_path)));
    let mut before = state(&project(folder_path));
    let mut cut_short = 0;
    for number in 0..count {
        let mut random = SplitMix64::new(spread(number));
        let mut child = started(folder_path);
        let begin = Instant::now();
        // Interrupt only after the work has begun.
        while state(&project(folder_path)) == before && begin.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(random.bits() % 60_000));
        child.kill().unwrap();
        child.wait().unwrap();
        cut_short += usize::from(contents(folder_path).keys().any(|path| path.to_string_lossy().contains(".part")));
        for each in ["", "out", "out/0", "out/1", "recovery"].map(|folder| folder_path.join(folder)) {
            file_set::clean(&Disk, &Sources::default(), &each);
        }
        check(folder_path, before);
        before = state(&project(folder_path));
    }
    println!("{count} kills, {cut_short} of them while files were being written");
}

/// Checks that everything in `folder_path` is complete and not older than state `before`.
fn check(folder_path: &Path, before: u32) {
    let newest = state(&project(folder_path));
    assert!(newest >= before, "the project went back from {before} to {newest}");
    let all = contents(folder_path);
    let litter: Vec<&PathBuf> = all.keys().filter(|path| path.to_string_lossy().contains(".portamento-")).collect();
    assert_eq!(litter, Vec::<&PathBuf>::new());
    let backups = all.keys().filter(|path| path.to_string_lossy().starts_with("a.portamento."));
    let backups: Vec<u32> = backups.map(|path| state(&folder_path.join(path))).collect();
    assert!(backups.iter().all(|&backup| backup <= newest) && backups.len() <= 4, "{backups:?}");
    for work in recovery::recoverable(&folder_path.join("recovery")) {
        assert!(state(&work.path) >= before, "work that is older than the project is offered");
    }
    let exported = all.iter().filter(|(path, _)| path.starts_with("out"));
    let generations: Vec<&str> =
        exported.map(|(_, bytes)| std::str::from_utf8(bytes).unwrap().split_once(' ').unwrap().0).collect();
    let is_whole = generations.len() == FILES_PER_EXPORT && generations.iter().all(|each| *each == generations[0]);
    assert!(generations.is_empty() || is_whole, "old and new are mixed: {generations:?}");
}

#[test]
fn a_killed_process_leaves_all_files_old_or_all_new() {
    kill(8);
}

#[test]
#[ignore = "a minute: 200 kills"]
fn a_process_killed_many_times_leaves_all_files_old_or_all_new() {
    kill(200);
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_is_a_failure() {
    let folder = samples();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let hero = folder.path().join("hero.glb").display().to_string();
    let output = program(&["inspect", &hero]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("report could not be written"));
    let gone = program(&["inspect", &hero]).stdout(Stdio::piped()).spawn().unwrap();
    // A closed pipe is not a failure.
    let mut gone = gone;
    drop(gone.stdout.take());
    assert_eq!(gone.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_pipe_or_device_in_place_of_a_file_is_refused_without_blocking() {
    let folder = samples();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let names = portamento::import::extensions().chain(["portamento", "autosave", "bonepreset"]);
    let mut paths: Vec<String> = names.map(|extension| at(&format!("pipe.{extension}"))).collect();
    // Files named by a source, and companion files.
    std::fs::write(at("buffer.gltf"), r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"pipe.bin","byteLength":4}]}"#)
        .unwrap();
    std::fs::write(at("faces.obj"), "mtllib pipe.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    paths.extend([at("pipe.bin"), at("pipe.mtl")]);
    for path in &paths {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }
    std::os::unix::fs::symlink("/dev/zero", at("zero.glb")).unwrap();
    paths.extend([at("zero.glb"), at("buffer.gltf"), at("faces.obj")]);
    for path in &paths {
        let mut child = program(&["inspect", path]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begin = Instant::now();
        let code = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status.code(),
                None if begin.elapsed() > Duration::from_secs(60) => break None,
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let _ = child.kill();
        let is_source = path.ends_with("faces.obj") || path.ends_with("buffer.gltf");
        assert!(code.is_some_and(|code| is_source || code == 1), "{path}: {code:?}");
    }
}

/// Returns the files that `program` exports from the samples in a temporary folder with that many threads.
fn baked_by(program: &Path, threads: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let folder = samples();
    let (project, out) = (folder.path().join("samples.portamento"), folder.path().join("out"));
    let mut command = Command::new(program);
    command.arg("bake").arg(&project).arg("--out").arg(&out).args(["--weights", "--routes", "json", "--voxels"]);
    let output = command.env("RAYON_NUM_THREADS", threads).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    contents(&out)
}

fn assert_same(one: &BTreeMap<PathBuf, Vec<u8>>, two: &BTreeMap<PathBuf, Vec<u8>>) {
    assert!(one.len() > 20 && one.keys().eq(two.keys()), "{}", one.len());
    for (path, bytes) in one {
        assert!(two[path] == *bytes, "{}", path.display());
    }
    println!("{} files are the same", one.len());
}

const OURS: &str = env!("CARGO_BIN_EXE_portamento");

#[test]
fn the_samples_are_baked_to_the_same_bytes_by_one_thread_and_two_from_any_folder() {
    assert_same(&baked_by(OURS.as_ref(), "1"), &baked_by(OURS.as_ref(), "2"));
}

#[test]
#[ignore = "set PORTAMENTO_RELEASE to the program as `cargo build --release` makes it of the same source"]
fn the_samples_are_baked_to_the_same_bytes_by_a_release_build() {
    let release = PathBuf::from(std::env::var_os("PORTAMENTO_RELEASE").expect("a program"));
    assert_same(&baked_by(OURS.as_ref(), "2"), &baked_by(&release, "2"));
}

/// Returns a random command that changes the document; some refer to missing items.
fn command(session: &Session, random: &mut SplitMix64) -> EditCommand {
    let document = &session.document;
    let mut up_to = |count: usize| (random.bits() % count.max(1) as u64) as usize;
    let take = document.takes.get(up_to(document.takes.len() + 1)).map_or(TakeId(9999), |take| take.id);
    let file = document.files[up_to(document.files.len())].id;
    let clips = session.library.get(file).map(|loaded| loaded.model.clips.len()).unwrap_or_default();
    let clip = session.library.get(file).and_then(|loaded| loaded.model.clips.get(up_to(clips)));
    let clip = clip.map_or_else(|| "no such clip".to_owned(), |clip| clip.name.clone());
    let joint = up_to(40);
    match up_to(22) {
        0 => EditCommand::AddStretch { character: file, clip_file: file, clip },
        1 => EditCommand::AddScenario { character: Some(file), with: None },
        2 => EditCommand::AddScenario { character: None, with: Some((file, clip)) },
        3 => EditCommand::AddObject,
        4 => EditCommand::RemoveObject(up_to(3)),
        5 => EditCommand::AddLoop,
        6 => EditCommand::AddVertices,
        7 => EditCommand::AddCloth([ClothShape::Flag, ClothShape::Strip, ClothShape::Cape][up_to(3)]),
        8 => EditCommand::HangMesh,
        9 => EditCommand::AddWalk,
        10 => EditCommand::WalkHere(file),
        11 => EditCommand::MakeDynamic { character: Some(file), joint },
        12 => EditCommand::MakeSelectedDynamic,
        13 => EditCommand::UsePreset(Preset::ALL[up_to(Preset::ALL.len())]),
        14 => EditCommand::RemoveChain(up_to(3)),
        15 => EditCommand::MirrorDynamics,
        16 => EditCommand::FitSelected,
        17 => EditCommand::AddCollider(NewCollider::Sphere(Some(joint))),
        18 => EditCommand::AddCollider(NewCollider::Plane(None)),
        19 => EditCommand::AddCollider(NewCollider::Capsule(Some(joint))),
        20 => EditCommand::Duplicate(vec![take]),
        _ => EditCommand::Remove(vec![take]),
    }
}

/// Changes a random number of the document, like a panel.
fn change_a_number(document: &mut Document, random: &mut SplitMix64) {
    fn numbers<'v>(value: &'v mut Value, all: &mut Vec<&'v mut Value>) {
        match value {
            Value::Number(_) => all.push(value),
            Value::Array(list) => list.iter_mut().for_each(|value| numbers(value, all)),
            Value::Object(entries) => entries.values_mut().for_each(|value| numbers(value, all)),
            _ => {}
        }
    }
    let mut json = serde_json::to_value(&document.takes).unwrap();
    let mut all = Vec::new();
    numbers(&mut json, &mut all);
    let count = all.len().max(1) as u64;
    if let Some(number) = all.get_mut((random.bits() % count) as usize) {
        **number = if number.is_f64() { Value::from(random.unit() * 3.0) } else { Value::from(random.bits() % 9) };
    }
    // Values that cannot be parsed again are not possible in a panel.
    if let Ok(takes) = serde_json::from_value(json) {
        document.takes = takes;
    }
}

/// Returns the document as saved: equal documents give equal bytes.
fn saved(document: &Document) -> Vec<u8> {
    file::to_bytes(document, Path::new("/a.portamento"))
}

/// Performs random commands and edits, undoes all and redoes all, `count` times.
fn undo_and_redo(count: u64) {
    let folder = samples();
    let mut session = Session::inline();
    save(&mut session, FileCommand::Open(vec![folder.path().join("samples.portamento")]));
    let start = session.document.clone();
    let mut changes = 0;
    for number in 0..count {
        let mut random = SplitMix64::new(spread(number));
        session.document = start.clone();
        session.history = History::new(&start);
        for _ in 0..12 {
            let take = &session.document.takes[(random.bits() % session.document.takes.len() as u64) as usize];
            session.selection.show(Shown::Take(take.id));
            session.selection.joint = Some((random.bits() % 40) as usize);
            if random.unit() < 0.4 {
                change_a_number(&mut session.document, &mut random);
            } else {
                let command = command(&session, &mut random);
                session.perform(Request::Edit(command));
            }
            session.history.observe(&session.document);
            if session.document.takes.is_empty() {
                break;
            }
        }
        let (end, steps) = (session.document.clone(), session.history.current());
        (0..steps).for_each(|_| session.perform(Request::Edit(EditCommand::Undo)));
        assert!(session.document == start && saved(&session.document) == saved(&start), "undone: {number}");
        (0..steps).for_each(|_| session.perform(Request::Edit(EditCommand::Redo)));
        assert!(session.document == end && saved(&session.document) == saved(&end), "redone: {number}");
        changes += steps;
    }
    println!("{count} sequences, {changes} changes");
    assert!(changes as u64 > 4 * count, "{changes}");
}

#[test]
fn undo_and_redo_restore_start_and_end_after_random_commands() {
    undo_and_redo(30);
}

#[test]
#[ignore = "minutes: 10 000 sequences"]
fn undo_and_redo_restore_start_and_end_after_many_random_commands() {
    undo_and_redo(10_000);
}
