//! Which module may name which: a table and a text search.

use std::path::{Path, PathBuf};

/// Module, the modules of ours it may name, and the outside crates that only it may name.
const LAYERS: &[(&str, &[&str])] = &[
    ("progress", &[]),
    ("math", &[]),
    ("geometry", &["math", "progress"]),
    ("media", &["math", "geometry", "progress"]),
    ("anim", &["math", "geometry", "media", "progress"]),
    ("import", VALUES),
    ("systems", VALUES),
    ("document", &["math", "geometry", "media", "anim", "progress", "systems"]),
    ("evaluate", &["math", "geometry", "media", "anim", "progress", "systems", "document"]),
    ("export", &["math", "geometry", "media", "anim", "progress", "systems", "evaluate"]),
    ("samples", &["math", "geometry", "media", "anim", "progress", "systems", "document", "export", "import"]),
    (
        "session",
        &[
            "math", "geometry", "media", "anim", "progress", "import", "systems", "document", "evaluate", "export",
            "samples",
        ],
    ),
    (
        "cli",
        &[
            "math", "geometry", "media", "anim", "progress", "import", "systems", "document", "evaluate", "export",
            "samples", "session",
        ],
    ),
    ("render", &["math", "geometry", "media", "anim", "progress", "evaluate"]),
];

/// Immutable values and what they are made of.
const VALUES: &[&str] = &["math", "geometry", "media", "anim", "progress"];

/// Outside crates and the only modules that may name them.
const OWNERS: &[(&str, &[&str])] = &[
    ("egui", &["ui"]),
    ("eframe", &["ui", "render"]),
    ("three_d", &["render"]),
    ("rfd", &["ui"]),
    ("clap", &["cli", "main"]),
];

const SYSTEMS: &[&str] = &["stretch", "blend", "dynamics", "looping", "cloth", "pathing"];

#[test]
fn no_module_names_one_above_it() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let module = top_module(&file);
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == module) else { continue };
        for (number, line) in code_lines(&text) {
            for named in crate_paths(line) {
                if named != module && is_module(&named) && !allowed.contains(&named.as_str()) {
                    wrong.push(format!("{}:{number} names crate::{named}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn outside_crates_are_named_only_by_their_owners() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let module = top_module(&file);
        for (number, line) in code_lines(&text) {
            for (name, owners) in OWNERS {
                let names = line.contains(&format!("{name}::")) && !line.contains(&format!("_{name}::"));
                if names && !owners.contains(&module.as_str()) {
                    wrong.push(format!("{}:{number} names {name}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_system_names_a_sibling() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let mut parts = file.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let (Some(first), Some(system)) = (parts.next(), parts.next()) else { continue };
        if first != "systems" {
            continue;
        }
        for sibling in SYSTEMS.iter().filter(|name| !system.starts_with(*name)) {
            if text.contains(&format!("systems::{sibling}")) {
                wrong.push(format!("{} names {sibling}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_file_is_longer_than_four_hundred_lines() {
    let long: Vec<String> = sources()
        .into_iter()
        .map(|(file, text)| (file, text.lines().count()))
        .filter(|(_, lines)| *lines > 400)
        .map(|(file, lines)| format!("{}: {lines}", file.display()))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

/// Every source file, relative to `src`, but tests and benches: those may name what they like.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("src can be read").map(|entry| entry.expect("an entry").path()) {
            let relative = entry.strip_prefix(&root).expect("below src").to_owned();
            if relative.ends_with("tests") || relative.ends_with("tests.rs") || relative.ends_with("benches") {
                continue;
            }
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                files.push((relative, std::fs::read_to_string(&entry).expect("text")));
            }
        }
    }
    assert!(files.len() > 10, "the sources were not found");
    files.sort();
    files
}

fn top_module(file: &Path) -> String {
    let first = file.components().next().expect("a name");
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

fn is_module(name: &str) -> bool {
    name == "ui" || LAYERS.iter().any(|(module, _)| *module == name)
}

/// Lines above the tests at a file's foot, without comments.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    code.enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")).map(|(i, line)| (i + 1, line))
}

/// The first names after `crate::` in a line.
fn crate_paths(line: &str) -> Vec<String> {
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    line.split("crate::").skip(1).map(name).collect()
}
