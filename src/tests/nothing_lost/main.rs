//! Crash safety: user data is never lost, however the program ends, and damaged files give an error message.

mod undo;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use portamento::document::{Document, SceneObject, file};
use portamento::export::file_system::Disk;
use portamento::export::{FileSet, Replace, Resolution, Sources, file_set};
use portamento::math::random::{SplitMix64, spread};
use portamento::samples;
use portamento::session::project::recovery;
use portamento::session::{Command as Request, FileCommand, Session};

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
            for interrupted in file_set::clean(&Disk, &each).interrupted {
                let resolution = if number % 2 == 0 { Resolution::Finish } else { Resolution::Undo };
                let reports = interrupted.resolve(&Disk, &Sources::default(), resolution).unwrap();
                assert!(reports.is_empty(), "{reports:?}");
            }
            file_set::clean(&Disk, &each);
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

#[test]
fn the_command_line_reports_a_half_new_folder_and_finishes_or_undoes_it() {
    let folder = samples();
    let out = folder.path().join("out");
    let run = |arguments: &[&str]| {
        let output = program(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    for (flag, age) in [("--finish", "new"), ("--undo", "old")] {
        std::fs::create_dir_all(&out).unwrap();
        portamento_test_support::half_new_export(&out);
        let [hero, target, out_text] = [folder.path().join("hero.glb"), out.join(format!("{age}.glb")), out.clone()]
            .map(|path| path.display().to_string());
        let (code, _, warning) = run(&["stretch", &hero, "--clip", "run", "--to", "0,0,5", "--out", &target]);
        assert!(code == 0 && warning.contains("interrupted") && warning.contains("portamento recover"), "{warning}");
        let (code, _, why) = run(&["recover", &out_text]);
        assert!(code == 1 && why.contains("--finish") && why.contains("--undo"), "{why}");
        assert_eq!(std::fs::read_to_string(out.join("b.txt")).unwrap(), "old b");
        let (code, report, why) = run(&["recover", &out_text, flag]);
        assert!(code == 0 && report.contains("1 of its 2 files are new"), "{report} {why}");
        let texts = ["a.txt", "b.txt"].map(|name| std::fs::read_to_string(out.join(name)).unwrap());
        assert_eq!(texts, [format!("{age} a"), format!("{age} b")]);
        assert_eq!(run(&["recover", &out_text]).0, 0);
    }
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
