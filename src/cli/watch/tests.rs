use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;

use super::*;
use crate::bake;
use crate::tests::parsed;
use portamento_formats::export::{FileSet, gltf};

mod sets;
mod storm;

/// A running watch.
struct Running {
    sender: Sender<Wake>,
    thread: std::thread::JoinHandle<Result<(), Failure>>,
}

impl Running {
    fn start(words: &[&str]) -> Self {
        let arguments = parsed::<Arguments>(words).unwrap();
        let (sender, receiver) = channel();
        let wakes = sender.clone();
        let thread = std::thread::spawn(move || arguments.watch(wakes, &receiver, &AtomicBool::new(false)));
        Self { sender, thread }
    }

    fn stop(self) -> Result<(), Failure> {
        // Sending fails if the watch has ended already.
        let _ = self.sender.send(Wake::Stop);
        self.thread.join().unwrap()
    }
}

/// Waits until `is_so`; returns the seconds, or panics after half a minute.
fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) -> f64 {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{what} does not happen");
        sleep(Duration::from_millis(10));
    }
    begun.elapsed().as_secs_f64()
}

/// Returns the hero as a GLB, with all positions of its root moved by `metres`.
fn hero(metres: f32) -> Vec<u8> {
    changed_hero(|position| position.x += metres)
}

/// Returns the hero as a GLB, after `change` of all positions of its root.
fn changed_hero(change: impl Fn(&mut glam::Vec3)) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hero.glb");
    let mut model = portamento_test_support::hero();
    for track in
        model.clips.iter_mut().filter_map(|clip| clip.tracks.iter_mut().find_map(|tracks| tracks.translation.as_mut()))
    {
        track.values.iter_mut().for_each(&change);
    }
    FileSet::write_now(|files| gltf::save(files, &path, &gltf::from_model(&model, None))).unwrap();
    std::fs::read(path).unwrap()
}

/// Returns a recipe with a stretch of each file to `metres`.
fn recipe(files: &[&str], metres: f64) -> String {
    let take = |(index, file): (usize, &&str)| {
        let name = file.trim_end_matches(".glb");
        json!({
            "name": format!("far {name}"), "character": index + 1,
            "source": { "clip": { "file": index + 1, "clip": "leap_strike" } },
            "stages": [{ "stretch": { "settings": { "target": { "world": [0, 0, metres] } } } }],
        })
    };
    json!({ "files": files, "takes": files.iter().enumerate().map(take).collect::<Vec<_>>() }).to_string()
}

/// Returns the exported files of a folder by name.
fn outputs(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| entry.path().is_file());
    let named = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        Some((name, std::fs::read(entry.path()).ok()?))
    };
    entries.filter_map(named).filter(|(name, _)| !name.starts_with('.')).collect()
}

struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    fn at(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.at(name), content).unwrap();
    }

    fn exported(&self) -> BTreeMap<String, Vec<u8>> {
        outputs(Path::new(&self.at("out")))
    }
}

#[test]
fn a_failing_source_leaves_the_old_file_and_the_next_good_save_goes_through() {
    let folder = Folder::new();
    let [first, second] = [0.0, 0.25].map(hero);
    folder.write("a.glb", &first);
    folder.write("b.glb", &first);
    folder.write("recipe.json", recipe(&["a.glb", "b.glb"], 6.0));
    let running = Running::start(&[&folder.at("recipe.json"), "--out", &folder.at("out"), "--keep", "alone"]);
    wait_for("the first export", || folder.exported().len() == 2);
    let begun = folder.exported();
    folder.write("a.glb", &first[..first.len() / 2]);
    sleep(Duration::from_millis(1500));
    assert_eq!(folder.exported(), begun);
    folder.write("a.glb", &second);
    wait_for("the next export", || folder.exported()["far_a.glb"] != begun["far_a.glb"]);
    assert_eq!(folder.exported()["far_b.glb"], begun["far_b.glb"]);
    std::fs::remove_file(folder.at("recipe.json")).unwrap();
    sleep(Duration::from_millis(500));
    folder.write("recipe.json", recipe(&["a.glb", "b.glb"], 8.0));
    wait_for("the export of a new recipe", || folder.exported()["far_b.glb"] != begun["far_b.glb"]);
    running.stop().unwrap();
}

#[test]
fn a_take_that_breaks_its_contract_keeps_its_old_file() {
    let folder = Folder::new();
    folder.write("a.glb", hero(0.0));
    folder.write("recipe.json", recipe(&["a.glb"], 6.0));
    let seconds = portamento_test_support::hero().clip("leap_strike").unwrap().duration;
    let contract =
        |metres: f64| format!("[clips.\"far*\"]\nspeed_mps = {{ value = {}, tolerance = 0.3 }}\n", metres / seconds);
    folder.write("contract.toml", contract(6.0));
    let words = [
        &*folder.at("recipe.json"),
        "--out",
        &folder.at("out"),
        "--keep",
        "alone",
        "--contract",
        &folder.at("contract.toml"),
    ];
    let running = Running::start(&words);
    wait_for("the first export", || folder.exported().len() == 1);
    let begun = folder.exported();
    folder.write("recipe.json", recipe(&["a.glb"], 8.0));
    sleep(Duration::from_millis(1500));
    assert_eq!(folder.exported(), begun);
    folder.write("contract.toml", contract(8.0));
    wait_for("the export with the new contract", || folder.exported() != begun);
    running.stop().unwrap();
}

#[test]
fn wrong_arguments_end_the_watch_at_once() {
    let folder = Folder::new();
    folder.write("a.glb", hero(0.0));
    folder.write("recipe.json", recipe(&["a.glb"], 6.0));
    folder.write("stack.json", json!({ "takes": [{ "name": "{clip}", "source": "slot:clip" }] }).to_string());
    let [recipe, out] = ["recipe.json", "out"].map(|name| folder.at(name));
    for (words, part) in [
        (vec![&*folder.at("missing.portamento"), "--out", &out], "missing.portamento"),
        (vec![&*folder.at("a.glb"), "--out", &out], "neither a project nor a recipe"),
        (vec![&*folder.at("stack.json"), "--out", &out], "stack for any clip"),
        (vec![&*recipe, "--out", &folder.at("out.glb")], "Choose a folder"),
        (vec![&*recipe, "--out", &out, "--take", "none"], "no take “none”"),
        (vec![&*recipe, "--out", &out, "--contract", &folder.at("none.toml")], "none.toml"),
    ] {
        let ended = Running::start(&words).thread.join().unwrap();
        let sentence = match ended {
            Err(Failure::Usage(sentence) | Failure::Failed(sentence)) => sentence,
            Ok(()) => String::new(),
        };
        assert!(sentence.contains(part), "{words:?}: {sentence}");
    }
    assert!(folder.exported().is_empty());
}
