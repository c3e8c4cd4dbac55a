//! The commands of the guide that are marked to be run.
//!
//! A block with the language `sh run` is run in a folder with the sample files. A block before it with the language
//! `json NAME` or `toml NAME` is the file of that name.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use super::{file_name, files, guide, read, root};

/// Fewest pages with a command that is run.
const MIN_PAGES: usize = 20;

/// Fewest lines with a command on all pages.
const MIN_LINES: usize = 50;

#[test]
fn every_command_that_is_marked_runs_on_the_samples() {
    let mut pages = 0;
    for page in files(&guide().join("en"), "md") {
        let text = read(&page);
        let blocks: Vec<(&str, &str)> =
            text.split("```").skip(1).step_by(2).filter_map(|b| b.split_once('\n')).collect();
        if !blocks.iter().any(|(language, _)| *language == "sh run") {
            continue;
        }
        pages += 1;
        let folder = tempfile::tempdir().unwrap();
        copy_samples(folder.path());
        for (language, content) in blocks {
            match language.split_once(' ') {
                Some(("sh", "run")) => content.lines().for_each(|line| run(line, folder.path(), &file_name(&page))),
                Some(("json" | "toml", name)) => std::fs::write(folder.path().join(name), content).unwrap(),
                _ => {}
            }
        }
    }
    assert!(pages >= MIN_PAGES, "only {pages} pages have commands that are run");
}

#[test]
fn every_command_is_on_a_page_and_every_command_line_has_flags_that_exist() {
    let helps = helps();
    let lines: Vec<(String, Vec<String>)> = files(&guide().join("en"), "md")
        .iter()
        .flat_map(|page| {
            let text = read(page);
            let code: Vec<String> = text.split("```").skip(1).step_by(2).map(str::to_owned).collect();
            let lines = code.iter().flat_map(|code| code.lines().map(words).collect::<Vec<_>>()).collect::<Vec<_>>();
            lines.into_iter().map(|line| (file_name(page), line)).collect::<Vec<_>>()
        })
        .filter(|(_, line)| line.first().is_some_and(|word| word == "portamento"))
        .collect();
    assert!(lines.len() >= MIN_LINES, "only {} lines were found", lines.len());
    let is_shown = |name: &&String| lines.iter().any(|(_, line)| line.get(1) == Some(*name));
    let missing: Vec<_> = helps.keys().filter(|name| !is_shown(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    for (page, line) in &lines {
        let help = helps.get(&line[1]).unwrap_or_else(|| panic!("{page}: there is no command {}", line[1]));
        let code = line.iter().take_while(|word| *word != "#");
        for flag in code.filter(|word| word.starts_with("--")).filter_map(|word| word.split('=').next()) {
            assert!(
                help.contains(&format!("{flag} ")) || help.contains(&format!("{flag}\n")),
                "{page}: {} {flag}",
                line[1]
            );
        }
    }
}

/// Returns the help of each command by its name.
fn helps() -> BTreeMap<String, String> {
    let text = |output: Output| String::from_utf8(output.stdout).unwrap();
    let main = text(portamento(Path::new("."), &["--help"]));
    let (_, list) = main.split_once("Commands:\n").unwrap();
    let names = list.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    let help = |name: &str| (name.to_owned(), text(portamento(Path::new("."), &[name, "--help"])));
    names.filter(|name| *name != "help").map(help).collect()
}

fn portamento(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_portamento")).args(arguments).current_dir(folder).output().unwrap()
}

fn copy_samples(folder: &Path) {
    for entry in std::fs::read_dir(root().join("assets")).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_file() {
            std::fs::copy(&entry, folder.join(file_name(&entry))).unwrap();
        }
    }
}

/// Runs a line of the page. It has to succeed and to write the file or folder after `-o`.
fn run(line: &str, folder: &Path, page: &str) {
    let words = words(line);
    assert_eq!(words.first().map(String::as_str), Some("portamento"), "{page}: {line}");
    let done = portamento(folder, &words[1..].iter().map(String::as_str).collect::<Vec<_>>());
    assert!(done.status.success(), "{page}: {line}\n{}", String::from_utf8_lossy(&done.stderr));
    let output = words.iter().position(|word| word == "-o").and_then(|index| words.get(index + 1));
    assert!(output.is_none_or(|output| folder.join(output).exists()), "{page}: {line} wrote nothing");
}

/// Splits a command line at spaces outside double quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (index, part) in line.split('"').enumerate() {
        if index % 2 == 1 {
            words.iter_mut().next_back().unwrap().push_str(part);
            continue;
        }
        let mut pieces = part.split(' ');
        words.iter_mut().next_back().unwrap().push_str(pieces.next().unwrap_or_default());
        words.extend(pieces.map(str::to_owned));
    }
    words.into_iter().filter(|word| !word.is_empty()).collect()
}

#[test]
fn quoted_words_of_a_command_stay_together() {
    assert_eq!(words("a --take \"b c\" -o d"), ["a", "--take", "b c", "-o", "d"]);
}
