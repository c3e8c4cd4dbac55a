//! The README and the guide: all files, headings, tests and labels that they name exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Limits of the README.
const MAX_README_LINES: usize = 150;
const MAX_README_WORDS: usize = 1500;

#[test]
fn the_readme_is_short() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let (lines, words) = (text.lines().count(), text.split_whitespace().count());
    assert!(lines <= MAX_README_LINES && words <= MAX_README_WORDS, "{lines} lines, {words} words");
}

#[test]
fn every_relative_link_anchor_and_picture_exists() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (file, text) in pages() {
        for target in links(&text).into_iter().filter(|target| !target.contains("://")) {
            count += 1;
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = if path.is_empty() { file.clone() } else { file.parent().unwrap().join(path) };
            let is_found = match anchor {
                "" => path.exists(),
                _ => std::fs::read_to_string(&path).is_ok_and(|text| anchors(&text).contains(anchor)),
            };
            if !is_found {
                wrong.push(format!("{}: {target}", file.display()));
            }
        }
    }
    assert!(count > 50, "only {count} links were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_source_path_exists() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (file, text) in pages() {
        for path in code_spans(&text).into_iter().filter(|span| span.starts_with("src/")) {
            count += 1;
            if !root().join(&path).exists() {
                wrong.push(format!("{}: {path}", file.display()));
            }
        }
    }
    assert!(count > 20, "only {count} paths were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_test_named_in_safety_exists() {
    let safety = std::fs::read_to_string(guide().join("en/safety.md")).unwrap();
    let is_test =
        |span: &String| span.matches('_').count() >= 2 && span.chars().all(|c| c == '_' || c.is_ascii_lowercase());
    let named: Vec<_> = code_spans(&safety).into_iter().filter(is_test).collect();
    assert!(named.len() > 20, "only {} tests are named", named.len());
    let sources: Vec<String> = files(&root().join("src"), "rs").iter().map(|file| read(file)).collect();
    let exists = |name: &str| sources.iter().any(|text| text.contains(&format!("fn {name}()")));
    let missing: Vec<_> = named.iter().filter(|name| !exists(name)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_label_in_italics_is_in_the_window() {
    let app = read(&root().join("src/ui/locales/app.json"));
    let english = app.split("\"en\": \"").skip(1).filter_map(|rest| rest.split("\", \"").next());
    let labels: BTreeSet<&str> = english.map(|label| label.trim_end_matches('…')).collect();
    let mut wrong = Vec::new();
    let mut count = 0;
    for (file, text) in pages() {
        let italics = italics(&text);
        for label in italics.iter().flat_map(|path| path.split(" → ")) {
            count += 1;
            if !labels.contains(label.trim_end_matches('…')) {
                wrong.push(format!("{}: {label}", file.display()));
            }
        }
    }
    assert!(count > 50, "only {count} labels were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn guide() -> PathBuf {
    root().join("assets/guide")
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

/// Returns the README and the pages of the guide, each with its text outside code blocks.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages = files(&guide(), "md");
    assert!(pages.len() > 10, "the guide was not found");
    pages.push(root().join("README.md"));
    pages.into_iter().map(|file| (file.clone(), without_code_blocks(&read(&file)))).collect()
}

/// Returns all files below `folder` with this extension.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|end| end == extension) {
            found.push(path);
        }
    }
    found
}

fn without_code_blocks(text: &str) -> String {
    let outside = text.split("```").step_by(2);
    outside.collect::<Vec<_>>().join("\n")
}

/// Returns the text between pairs of backticks.
fn code_spans(text: &str) -> Vec<String> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// Returns the targets of links and pictures.
fn links(text: &str) -> Vec<String> {
    let prose = text.lines().flat_map(|line| line.split('`').step_by(2).collect::<Vec<_>>());
    let targets =
        prose.flat_map(|part| part.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect::<Vec<_>>());
    targets.map(str::to_owned).collect()
}

/// Returns the anchors of the headings, as code hosts derive them: lower case, spaces as hyphens, no punctuation.
fn anchors(text: &str) -> BTreeSet<String> {
    let outside = without_code_blocks(text);
    let headings =
        outside.lines().filter_map(|line| line.strip_prefix('#')).map(|line| line.trim_start_matches('#').trim());
    let is_kept = |c: &char| c.is_alphanumeric() || "-_ ".contains(*c);
    headings
        .map(|heading| heading.to_lowercase().chars().filter(is_kept).collect::<String>().replace(' ', "-"))
        .collect()
}

/// Returns the text between single asterisks on one line.
fn italics(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code").replace("**", "");
        found.extend(prose.split('*').skip(1).step_by(2).map(str::to_owned));
    }
    found
}
