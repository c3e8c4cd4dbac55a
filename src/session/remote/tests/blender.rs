//! The add-on for Blender in Blender itself, against a session with remote control on.
//!
//! Needs a Python with the module `bpy` (PyPI), named by `PORTAMENTO_BLENDER_PYTHON`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Session;
use portamento_test_support as support;

/// Returns the Python that has Blender.
fn python() -> Option<PathBuf> {
    let program = std::env::var_os("PORTAMENTO_BLENDER_PYTHON").map(PathBuf::from);
    if program.is_none() {
        support::skipped("PORTAMENTO_REQUIRE_BLENDER", "PORTAMENTO_BLENDER_PYTHON names no Python with bpy");
    }
    program
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
    command.arg(tests).arg(add_on).arg(support::asset("hero.glb")).args(characters());
    command.env("PORTAMENTO_HOME", home.path()).env("PYTHONDONTWRITEBYTECODE", "1");
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

fn characters() -> Vec<PathBuf> {
    let folder = support::corpus("characters").into_iter();
    let files = folder.flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "glb")).collect();
    files.sort();
    files
}

#[test]
fn the_add_on_writes_what_it_reads_and_keeps_keys_names_and_selection() {
    python().into_iter().for_each(|python| run(&python, false));
}

#[test]
fn the_add_on_sends_and_fetches_characters_through_a_session() {
    python().into_iter().for_each(|python| run(&python, true));
}
