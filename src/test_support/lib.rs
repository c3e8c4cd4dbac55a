//! Support shared by tests and benches: the location of the corpus, and skipping tests.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by that")]

pub mod allocations;
mod damage;
mod faulty_disk;
mod figure;
mod half_new;
mod json_damage;
mod small_inputs;

pub use damage::{damaged, number, random_below};
pub use faulty_disk::{Fault, FaultyDisk};
pub use figure::{Figure, cut};
pub use half_new::half_new_export;
pub use json_damage::{damaged_json, damaged_toml, mutants};
pub use small_inputs::{LEGGED, image_info, in_smaller_unit, skeleton_of, treadmill};

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use portamento_anim::Model;
use portamento_formats::import::import;

/// The folder of the checkout.
pub fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of `assets`; the folder itself for an empty name.
pub fn asset(name: &str) -> PathBuf {
    checkout().join("assets").join(name)
}

/// The sample character with all clips.
pub fn hero() -> Model {
    static HERO: LazyLock<Model> = LazyLock::new(|| import(&asset("hero.glb")).expect("the sample's character").model);
    HERO.clone()
}

/// Returns the path of a file or folder in the corpus: third-party files in `shared/corpus` next to the checkout.
///
/// If it is missing, the test is skipped: returns `None` and prints a line. With `PORTAMENTO_REQUIRE_CORPUS` the test
/// fails instead.
pub fn corpus(path: &str) -> Option<PathBuf> {
    let full_path = checkout().join("../shared/corpus").join(path);
    if full_path.exists() {
        return Some(full_path);
    }
    skipped("PORTAMENTO_REQUIRE_CORPUS", &format!("the corpus has no {path}"));
    None
}

/// Returns the file of a character: `hero` of the samples, or a path in the corpus.
pub fn character(name: &str) -> Option<PathBuf> {
    match name {
        "hero" => Some(asset("hero.glb")),
        path => corpus(path),
    }
}

/// Returns a test file in `src/tests/fixtures`.
pub fn fixture(name: &str) -> PathBuf {
    checkout().join("src/tests/fixtures").join(name)
}

/// Returns all glTF files for tests: fixtures, samples and the corpus.
pub fn gltf_files() -> Vec<PathBuf> {
    let own = [fixture(""), asset("")];
    let folders = own.into_iter().chain(["characters", "morph", "springs"].into_iter().filter_map(corpus));
    let mut files: Vec<PathBuf> = folders
        .flat_map(|folder| std::fs::read_dir(folder).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "glb" || extension == "gltf"))
        .collect();
    files.sort();
    files
}

/// Writes eleven numbered files, `wave0.obj` to `wave10.obj`, with a waving strip of ten squares; the first two are
/// equal.
pub fn wave() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for frame in 0..11_i32 {
        let phase = f64::from((frame - 1).max(0)) * 0.6;
        let corner = |at: i32| {
            let (x, y) = (f64::from(at / 2) * 0.1, f64::from(at % 2));
            format!("v {x:.6} {y:.6} {:.6}\nvt {x:.6} {y:.6}\n", 0.2 * (9.0 * x + phase).sin())
        };
        let face = |square: i32| {
            let [a, b, c, d] = [1, 3, 4, 2].map(|corner| 2 * square + corner);
            format!("f {a}/{a} {b}/{b} {c}/{c} {d}/{d}\n")
        };
        let text: String = (0..22).map(corner).chain((0..10).map(face)).collect();
        std::fs::write(folder.path().join(format!("wave{frame}.obj")), text).expect("a file");
    }
    folder
}

/// Prints that the calling test is skipped and why; fails the test if the environment variable `required` is 1.
///
/// Appends the test's name to the file named by `PORTAMENTO_SKIPPED`, if set, for a count over all test programs.
pub fn skipped(required: &str, reason: &str) {
    let test = std::thread::current().name().unwrap_or("unnamed").to_owned();
    assert!(!std::env::var(required).is_ok_and(|value| value == "1"), "{test} needs what is absent: {reason}");
    println!("skipped: {reason}");
    let Some(list) = std::env::var_os("PORTAMENTO_SKIPPED") else { return };
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(Path::file_stem).unwrap_or_default().to_string_lossy().into_owned();
    let line = format!("{program} {test}\t{reason}\n");
    let file = std::fs::OpenOptions::new().create(true).append(true).open(list);
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("PORTAMENTO_SKIPPED names a file");
}

/// Counts what the test of the counter asks of it.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: allocations::CountingAllocator = allocations::CountingAllocator;
