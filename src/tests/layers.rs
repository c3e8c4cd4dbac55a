//! The rules that the compiler does not check: who may use an outside crate, what no source may name, how long a file may be, and how
//! many files a folder may hold.

use std::path::{Path, PathBuf};

/// Outside crates and the only members that may depend on them.
const OWNERS: &[(&str, &[&str])] = &[
    ("egui", &["ui"]),
    ("eframe", &["ui", "render"]),
    ("three-d", &["render"]),
    ("rfd", &["ui"]),
    ("fontdb", &["ui"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("rmcp", &["cli"]),
    ("tokio", &["cli"]),
    ("ufbx", &["formats"]),
    ("draco-core", &["formats"]),
    ("draco-gltf", &["formats"]),
    ("toml", &["sets"]),
    ("pulldown-cmark", &["guide"]),
];

/// Members that a game can use as a library, and the members of ours that they may use.
const LIBRARY: &[&str] =
    &["base", "anim", "stretch", "repair", "blend", "dynamics", "looping", "walk", "retarget", "sets"];

/// Names that start programs or reach a network.
const FORBIDDEN: [&str; 7] =
    ["process::Command", "process::{", "std::net", "TcpStream", "UdpSocket", "UnixStream", "dlopen"];

/// Lines of a source file.
const MAX_FILE_LINES: usize = 600;

/// Files side by side in a folder.
const MAX_FOLDER_FILES: usize = 20;

/// Folders of data, of any number of files.
const DATA_FOLDERS: [&str; 3] = ["fixtures", "fonts", "locales"];

#[test]
fn outside_crates_are_used_only_by_their_owners() {
    let mut wrong = Vec::new();
    for (member, dependencies) in members() {
        for (name, owners) in OWNERS {
            if dependencies.iter().any(|dependency| dependency == name) && !owners.contains(&member.as_str()) {
                wrong.push(format!("{member} depends on {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_system_uses_no_other_system() {
    // A crossing stretches the clip that a walk plays.
    let is_allowed =
        |member: &str, name: &str| ["base", "anim"].contains(&name) || (member, name) == ("walk", "stretch");
    for (member, dependencies) in members().into_iter().filter(|(member, _)| LIBRARY.contains(&member.as_str())) {
        let ours: Vec<_> = dependencies.iter().filter_map(|name| name.strip_prefix("portamento_")).collect();
        assert!(ours.iter().all(|name| is_allowed(&member, name)), "{member} depends on {ours:?}");
    }
}

#[test]
fn nothing_is_executed_and_nothing_is_fetched() {
    let mut wrong = Vec::new();
    // The first asks another program about the same grids, in tests only. The second encodes a film that the user records as a video.
    // The third listens on the loopback interface while the user allows remote control; the others are its tests.
    const ALLOWED: [&str; 6] = [
        "navigation/search/grids.rs",
        "session/film/video.rs",
        "session/remote/listener.rs",
        "session/remote/tests.rs",
        "session/remote/tests/blender.rs",
        "ui/tests/files/remote.rs",
    ];
    let is_allowed = |file: &Path| ALLOWED.iter().any(|allowed| file.ends_with(allowed));
    for (file, text) in sources().into_iter().filter(|(file, _)| !is_allowed(file)) {
        let code = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
        let lines = code.lines().enumerate();
        let found = lines.filter(|(_, line)| FORBIDDEN.iter().any(|word| line.contains(word)));
        wrong.extend(found.map(|(number, line)| format!("{}:{}: {}", file.display(), number + 1, line.trim())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Nor is anything linked that could.
    let lock = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock")).unwrap();
    let clients = ["reqwest", "ureq", "hyper", "curl", "isahc", "attohttpc", "minreq"];
    let linked: Vec<_> = clients.iter().filter(|name| lock.contains(&format!("name = \"{name}\"\n"))).collect();
    assert!(linked.is_empty() && lock.contains("name = \"glam\"\n"), "{linked:?}");
}

#[test]
fn no_source_file_is_longer_than_six_hundred_lines() {
    let long: Vec<String> = sources()
        .into_iter()
        .map(|(file, text)| (file, text.lines().count()))
        .filter(|(_, lines)| *lines > MAX_FILE_LINES)
        .map(|(file, lines)| format!("{}: {lines}", file.display()))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn no_folder_has_more_than_twenty_files_side_by_side() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let (mut seen, mut full) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        let paths = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let (inner, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
        folders.extend(inner.into_iter().filter(|path| !DATA_FOLDERS.iter().any(|name| path.ends_with(name))));
        seen += 1;
        if files.len() > MAX_FOLDER_FILES {
            full.push(format!("{}: {}", folder.display(), files.len()));
        }
    }
    assert!(seen > 100, "the folders were not found");
    assert!(full.is_empty(), "{full:#?}");
}

/// The members of the workspace by the name of their folder, each with the names in its `[dependencies]`.
fn members() -> Vec<(String, Vec<String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut members = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let Ok(manifest) = std::fs::read_to_string(entry.path().join("Cargo.toml")) else { continue };
        let table = manifest.split("\n[").find_map(|table| table.strip_prefix("dependencies]\n"));
        let names = table.unwrap_or_default().lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        let names: Vec<String> = names.filter(|name| !name.is_empty()).map(str::to_owned).collect();
        members.push((entry.file_name().to_string_lossy().into_owned(), names));
    }
    assert!(members.len() > 10 && members.iter().any(|(_, names)| names.contains(&"glam".to_owned())));
    members
}

/// Path below `src` and text of every source file, without the folders of tests and benches.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let relative = path.strip_prefix(&root).unwrap().to_owned();
            if ["tests", "tests.rs", "benches"].iter().any(|name| relative.ends_with(name)) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push((relative, text));
            }
        }
    }
    assert!(files.len() > 10, "the sources were not found");
    files
}
