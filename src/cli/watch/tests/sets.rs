//! The files of sets are renewed with their members.

use super::*;

/// Returns the files of a new export of the set to the folder `name` beside the project.
fn baked(folder: &Path, name: &str) -> BTreeMap<String, Vec<u8>> {
    let [project, out] = ["gaits.portamento", name].map(|name| folder.join(name).display().to_string());
    let words = [&*project, "--set", "gaits", "--preset", "godot", "--out", &*out];
    parsed::<bake::Arguments>(&words).and_then(bake::Arguments::run).unwrap();
    outputs(Path::new(&out))
}

#[test]
fn the_index_of_a_set_follows_its_members_and_equals_that_of_a_fresh_export() {
    let folder = bake::tests::project_with_a_set();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (project, out) = (at("gaits.portamento"), at("out"));
    let running = Running::start(&[&*project, "--set", "gaits", "--preset", "godot", "--out", &out]);
    let begun = baked(folder.path(), "begun");
    assert!(begun.contains_key("gaits.set.json") && begun.contains_key("gaits.tree.tres"), "{:?}", begun.keys());
    wait_for("the first export", || outputs(Path::new(&out)) == begun);
    std::fs::write(at("hero.glb"), changed_hero(|position| position.z *= 1.1)).unwrap();
    let faster = baked(folder.path(), "faster");
    assert_ne!(faster["gaits.set.json"], begun["gaits.set.json"]);
    wait_for("the export of the faster gaits", || outputs(Path::new(&out)) == faster);
    // The user's own file is not replaced. A pass that was begun before it is written may still replace what it found.
    std::thread::sleep(std::time::Duration::from_secs(2));
    std::fs::write(Path::new(&out).join("gaits.set.json"), "the user's own").unwrap();
    std::fs::write(at("hero.glb"), hero(0.0)).unwrap();
    let walk = |files: &BTreeMap<String, Vec<u8>>| files["walk.glb"].clone();
    let back = walk(&baked(folder.path(), "back"));
    wait_for("the export of the old gaits", || walk(&outputs(Path::new(&out))) == back);
    running.stop().unwrap();
    assert_eq!(outputs(Path::new(&out))["gaits.set.json"], b"the user's own");
}
