//! The add-on for Blender in Blender itself, against a session with remote control on.
//!
//! Needs Pythons with the module `bpy` (PyPI) of one Blender each. `PORTAMENTO_BLENDER_PYTHON` lists them as `PATH` lists folders.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Session;
use portamento_test_support as support;

/// Returns the Pythons that have Blender.
fn pythons() -> Vec<PathBuf> {
    let list = std::env::var_os("PORTAMENTO_BLENDER_PYTHON").unwrap_or_default();
    let programs: Vec<PathBuf> = std::env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect();
    if programs.is_empty() {
        support::skipped("PORTAMENTO_REQUIRE_BLENDER", "PORTAMENTO_BLENDER_PYTHON names no Python with bpy");
    }
    programs
}

/// Runs the tests of the add-on, and answers them if `is_served`.
fn run(python: &Path, is_served: bool) {
    let home = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut session = Session::inline();
    if is_served {
        session.begin_remote(home.path(), || ());
    }
    let (tests, add_on) = (root.join("tests/blender/add_on.py"), root.join("bridge/blender"));
    let mut command = Command::new(python);
    // Importing characters takes most of the time; all of them make the whole round trip.
    let characters = characters().into_iter().step_by(if is_served { 1 } else { 4 });
    command.arg(tests).arg(add_on).arg(support::asset("hero.glb")).args(characters);
    command.env("PORTAMENTO_HOME", home.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("PORTAMENTO_TESTS", if is_served { "Served" } else { "Local ControlRigs" });
    let said = home.path().join("said.txt");
    let output = std::fs::File::create(&said).unwrap();
    command.stdout(output.try_clone().unwrap()).stderr(output).stdin(Stdio::null());
    let mut running = command.spawn().unwrap();
    let status = loop {
        if let Some(status) = running.try_wait().unwrap() {
            break status;
        }
        session.update(0.0, true);
        std::thread::sleep(std::time::Duration::from_millis(2));
    };
    let said = std::fs::read_to_string(said).unwrap();
    assert!(status.success() && said.contains("\nOK"), "{said}");
}

/// Returns the characters of the corpus: GLB, and FBX of one clip each.
fn characters() -> Vec<PathBuf> {
    let folders = ["characters", "pack"].into_iter().filter_map(support::corpus);
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let is_character = |path: &PathBuf| path.extension().is_some_and(|end| end == "glb" || end == "fbx");
    let mut files: Vec<PathBuf> = files.filter(is_character).collect();
    files.sort();
    files
}

#[test]
fn the_add_on_writes_what_it_reads_and_keeps_keys_names_and_selection() {
    pythons().iter().for_each(|python| run(python, false));
}

#[test]
fn the_add_on_sends_and_fetches_characters_through_a_session() {
    pythons().iter().for_each(|python| run(python, true));
}
