//! Allowed dependencies between modules: a table and a text search.

use std::path::{Path, PathBuf};

/// Modules, and the modules of this crate that they may name.
const LAYERS: &[(&str, &[&str])] = &[
    ("budget", &[]),
    ("message", &[]),
    ("progress", &[]),
    ("regular_file", &[]),
    ("math", &[]),
    ("geometry", &["math"]),
    ("media", &["math", "geometry"]),
    ("anim", &["math", "geometry", "media"]),
    ("import", &["math", "geometry", "media", "anim"]),
    ("systems", &["math", "geometry", "media", "anim"]),
    ("document", &["math", "geometry", "media", "anim", "systems"]),
    ("evaluate", &["math", "geometry", "media", "anim", "systems", "document"]),
    ("export", &["math", "geometry", "media", "anim", "systems", "evaluate"]),
    ("samples", &["math", "geometry", "media", "anim", "systems", "document", "export", "import"]),
    (
        "session",
        &["math", "geometry", "media", "anim", "import", "systems", "document", "evaluate", "export", "samples"],
    ),
    (
        "cli",
        &[
            "math", "geometry", "media", "anim", "import", "systems", "document", "evaluate", "export", "samples",
            "session",
        ],
    ),
    ("render", &["math", "geometry", "media", "anim", "evaluate"]),
];

/// Modules that every module may name.
const EVERYWHERE: [&str; 4] = ["budget", "message", "progress", "regular_file"];

/// External crates, and the only modules that may name them.
const OWNERS: &[(&str, &[&str])] = &[
    ("egui", &["ui"]),
    ("eframe", &["ui", "render"]),
    ("three_d", &["render"]),
    ("rfd", &["ui"]),
    ("fontdb", &["ui"]),
    ("clap", &["cli", "main"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("ufbx", &["import"]),
    ("draco_core", &["import"]),
    ("draco_gltf", &["import"]),
];

struct Source {
    file: PathBuf,
    code: String,
}

#[test]
fn no_module_names_a_higher_one() {
    let wrong: Vec<String> = sources().iter().flat_map(climbs).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn outside_crates_are_named_only_by_their_owners() {
    let mut wrong = Vec::new();
    for Source { file, code } in sources() {
        let module = module_path(&file).swap_remove(0);
        for (number, line) in code.lines().enumerate() {
            for (name, owners) in OWNERS {
                let names = line.contains(&format!("{name}::")) && !line.contains(&format!("_{name}::"));
                if names && !owners.contains(&module.as_str()) {
                    wrong.push(format!("{}:{} names {name}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Names that start programs or open network connections.
const FORBIDDEN: [&str; 6] = ["process::Command", "std::net", "TcpStream", "UdpSocket", "UnixStream", "dlopen"];

#[test]
fn nothing_is_executed_and_nothing_is_fetched() {
    let mut wrong = Vec::new();
    // Compares grids with another program, in tests only.
    let of_tests = |source: &Source| source.file.ends_with("navigation/search/grids.rs");
    for Source { file, code } in sources().into_iter().filter(|source| !of_tests(source)) {
        let lines = code.lines().enumerate();
        let found = lines.filter(|(_, line)| FORBIDDEN.iter().any(|word| line.contains(word)));
        wrong.extend(found.map(|(number, line)| format!("{}:{}: {}", file.display(), number + 1, line.trim())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // No linked crate may do so either.
    let lock = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock")).unwrap();
    let clients = ["reqwest", "ureq", "hyper", "curl", "isahc", "attohttpc", "minreq"];
    let linked: Vec<_> = clients.iter().filter(|name| lock.contains(&format!("name = \"{name}\"\n"))).collect();
    assert!(linked.is_empty() && lock.contains("name = \"glam\"\n"), "{linked:?}");
}

#[test]
fn no_system_names_a_sibling() {
    let wrong: Vec<String> = sources().iter().flat_map(siblings).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_file_is_longer_than_four_hundred_lines() {
    let long: Vec<String> = files()
        .into_iter()
        .map(|(file, text)| (file, text.lines().count()))
        .filter(|(_, lines)| *lines > 400)
        .map(|(file, lines)| format!("{}: {lines}", file.display()))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

/// Returns the lines in which a file names a module that it may not use.
fn climbs(source: &Source) -> Vec<String> {
    let module = module_path(&source.file).swap_remove(0);
    let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == module) else { return Vec::new() };
    let known = |name: &str| name == "ui" || LAYERS.iter().any(|(module, _)| *module == name);
    let allowed = |name: &str| name == module || allowed.contains(&name) || EVERYWHERE.contains(&name);
    let wrong = |path: &[String]| known(&path[0]) && !allowed(&path[0]);
    violations(source, wrong)
}

/// Returns the lines in which a file of a system names another system.
fn siblings(source: &Source) -> Vec<String> {
    let own = module_path(&source.file);
    if own[0] != "systems" || own.len() < 2 {
        return Vec::new();
    }
    violations(source, |path| path[0] == "systems" && path.len() > 1 && path[1] != own[1] && is_system(&path[1]))
}

fn is_system(name: &str) -> bool {
    let systems = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/systems");
    systems.join(name).is_dir() || systems.join(format!("{name}.rs")).is_file()
}

fn violations(source: &Source, wrong: impl Fn(&[String]) -> bool) -> Vec<String> {
    let paths = named_paths(source).into_iter().filter(|(_, path)| wrong(path));
    paths.map(|(line, path)| format!("{}:{line} names {}", source.file.display(), path.join("::"))).collect()
}

/// Returns every source file relative to `src`, without tests and benches, which may name anything.
fn files() -> Vec<(PathBuf, String)> {
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

fn sources() -> Vec<Source> {
    files().into_iter().map(|(file, text)| Source { code: code(&text), file }).collect()
}

/// Returns the module path of a file: `systems/blend/mod.rs` is `systems::blend`.
fn module_path(file: &Path) -> Vec<String> {
    let names = file.with_extension("");
    let mut names: Vec<String> = names.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.last().is_some_and(|last| last == "mod") {
        names.pop();
    }
    names
}

/// Returns the text with comments and `#[cfg(test)]` items blanked, keeping line numbers.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        if line[indent..].starts_with("#[cfg(test)]") {
            code.push('\n');
            // rustfmt ends an item at its starting indentation.
            for inside in lines.by_ref() {
                code.push('\n');
                let start = inside.len() - inside.trim_start().len();
                let attribute = inside[start..].starts_with(['#', '/']);
                if start == indent && !attribute && inside.ends_with([';', '}']) {
                    break;
                }
            }
            continue;
        }
        if !line[indent..].starts_with("//") {
            code.push_str(line);
        }
        code.push('\n');
    }
    code
}

/// Returns every path that starts with `crate::` or `super::`, as an absolute path with its line.
fn named_paths(source: &Source) -> Vec<(usize, Vec<String>)> {
    let own = module_path(&source.file);
    let mut paths = Vec::new();
    let mut at = 0;
    let next = |rest: &str| rest.find("crate::").into_iter().chain(rest.find("super::")).min();
    while let Some(found) = next(&source.code[at..]) {
        let line = source.code[..at + found].matches('\n').count() + 1;
        let mut base = if source.code[at + found..].starts_with("crate") { Vec::new() } else { own.clone() };
        at += found;
        while let Some(rest) = source.code[at..].strip_prefix("super::") {
            base.pop();
            at = source.code.len() - rest.len();
        }
        at += if source.code[at..].starts_with("crate::") { "crate::".len() } else { 0 };
        paths.extend(tails(&source.code[at..]).into_iter().map(|tail| (line, [&base[..], &tail].concat())));
    }
    paths.retain(|(_, path)| !path.is_empty());
    paths
}

/// Returns the first two names of each path after `crate::`: one path, or a group in braces.
fn tails(text: &str) -> Vec<Vec<String>> {
    let Some(group) = text.strip_prefix('{') else { return vec![names(text)] };
    let (mut depth, mut begin, mut tails) = (0_i32, 0, Vec::new());
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            ',' if depth == 0 => {
                tails.push(names(&group[begin..at]));
                begin = at + 1;
            }
            '}' if depth == 0 => {
                tails.push(names(&group[begin..at]));
                break;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    tails
}

fn names(path: &str) -> Vec<String> {
    let segments = path.trim_start().split("::").take(2);
    let name = |segment: &str| segment.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    segments.map(name).take_while(|name| !name.is_empty()).collect()
}

fn planted(file: &str, text: &str) -> Source {
    Source { file: file.into(), code: code(text) }
}

#[test]
fn code_after_a_test_module_is_searched() {
    let text = "#[cfg(test)]\nmod tests;\n#[cfg(test)]\n#[path = \"x.rs\"]\nmod more {\n    use crate::ui;\n}\n\nuse crate::session::Session;\n";
    assert_eq!(climbs(&planted("anim/mod.rs", text)), ["anim/mod.rs:9 names session::Session"]);
    assert!(climbs(&planted("anim/clip.rs", "// crate::ui\nuse crate::math;\nuse super::pose;\n")).is_empty());
}

#[test]
fn groups_and_relative_paths_are_resolved() {
    let group = "use crate::{\n    math::{Transform, mean},\n    session::{Session, jobs},\n};\n";
    assert_eq!(climbs(&planted("anim/clip.rs", group)), ["anim/clip.rs:1 names session"]);
    assert_eq!(climbs(&planted("anim/mod.rs", "use super::export;")), ["anim/mod.rs:1 names export"]);
    let sibling = "use super::super::stretch::course;\nuse super::{mean, of};\n";
    assert_eq!(siblings(&planted("systems/blend/mod.rs", "use super::stretch::Built;")).len(), 1);
    assert_eq!(siblings(&planted("systems/blend/score.rs", sibling)).len(), 1);
    assert!(siblings(&planted("systems/blend/score.rs", "use crate::systems::blend::Built;")).is_empty());
}
