//! The commands of the guide that are marked to be run.
//!
//! A block with the language `sh run` is run in a folder with the sample files. A block before it with the language
//! `json NAME` or `toml NAME` is the file of that name. A block after it with the language `text output` is what the
//! commands print; if it ends with a line `…`, it is the beginning of that. With `PORTAMENTO_WRITE_GUIDE=1` the test writes
//! these blocks.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::{file_name, files, guide, read, root};

/// Fewest pages with a command that is run.
const MIN_PAGES: usize = 20;

/// Fewest commands whose output is shown.
const MIN_OUTPUTS: usize = 10;

/// Fewest lines with a command on all pages.
const MIN_LINES: usize = 50;

#[test]
fn every_command_that_is_marked_runs_on_the_samples_and_prints_what_its_page_shows() {
    let mut pages = 0;
    let mut outputs = 0;
    for page in files(&guide().join("en"), "md").into_iter().filter(|page| read(page).contains("```sh run\n")) {
        let (name, text) = (file_name(&page), read(&page));
        let printed = printed(&name, &text);
        pages += 1;
        outputs += printed.len();
        if std::env::var_os("PORTAMENTO_WRITE_GUIDE").is_some() {
            for page in ["en", "zh-CN"].map(|language| guide().join(language).join(&name)) {
                std::fs::write(&page, with_outputs(&read(&page), &printed)).unwrap();
            }
        } else {
            assert_eq!(text, with_outputs(&text, &printed), "{name}: run this test with PORTAMENTO_WRITE_GUIDE=1");
        }
    }
    assert!(pages >= MIN_PAGES, "only {pages} pages have commands that are run");
    assert!(outputs >= MIN_OUTPUTS, "only {outputs} outputs are shown");
}

/// Runs the commands of a page in a folder with the sample files. Returns the text for each of its output blocks.
fn printed(name: &str, page: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    copy_samples(folder.path());
    let mut last = String::new();
    let mut shown = Vec::new();
    for (language, content) in page.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n')) {
        match language.split_once(' ') {
            Some(("sh", "run")) => last = content.lines().map(|line| run(line, folder.path(), name)).collect(),
            Some(("text", "output")) => shown.push(comparable(&last, folder.path())),
            Some(("json" | "toml", file)) => std::fs::write(folder.path().join(file), content).unwrap(),
            _ => {}
        }
    }
    shown
}

/// Returns a page with these texts in its output blocks. A block that ends with `…` keeps its number of lines.
fn with_outputs(page: &str, printed: &[String]) -> String {
    const MARK: &str = "text output\n";
    let mut printed = printed.iter();
    let filled = |block: &str| {
        let Some(shown) = block.strip_prefix(MARK) else { return block.to_owned() };
        let text = printed.next().cloned().unwrap_or_default();
        let Some(beginning) = shown.strip_suffix("…\n") else { return format!("{MARK}{text}") };
        let lines: String = text.split_inclusive('\n').take(beginning.lines().count()).collect();
        format!("{MARK}{lines}…\n")
    };
    page.split("```").map(filled).collect::<Vec<_>>().join("```")
}

/// Returns a text without what differs between runs: the temporary folder, and how long a take took.
fn comparable(text: &str, folder: &Path) -> String {
    let mut parts = text.split(" in ");
    let mut comparable = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_duration = rest.len() < part.len() && rest.starts_with(" s;");
        comparable += &if is_duration { format!(" in … {}", &rest[1..]) } else { format!(" in {part}") };
    }
    comparable.replace(&format!("{}/", folder.display()), "")
}

#[test]
fn every_command_is_on_a_page_and_every_command_line_has_flags_that_exist() {
    let helps = helps();
    let is_reference = |page: &&PathBuf| file_name(page) == "commands.md";
    let lines: Vec<(String, Vec<String>)> = files(&guide().join("en"), "md")
        .iter()
        .filter(|page| !is_reference(page))
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

/// Runs a line of the page and returns what it prints. It has to succeed and to write the file or folder after `-o`. Of a watch,
/// which does not end, it returns the first line.
fn run(line: &str, folder: &Path, page: &str) -> String {
    let words = words(line);
    assert_eq!(words.first().map(String::as_str), Some("portamento"), "{page}: {line}");
    if words.get(1).is_some_and(|command| command == "watch") {
        return first_line(&words[1..], folder);
    }
    let done = portamento(folder, &words[1..].iter().map(String::as_str).collect::<Vec<_>>());
    assert!(done.status.success(), "{page}: {line}\n{}", String::from_utf8_lossy(&done.stderr));
    let output = words.iter().position(|word| word == "-o").and_then(|index| words.get(index + 1));
    assert!(output.is_none_or(|output| folder.join(output).exists()), "{page}: {line} wrote nothing");
    String::from_utf8(done.stdout).unwrap()
}

/// Starts a command, returns the first line that it prints, and ends it.
fn first_line(words: &[String], folder: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portamento"));
    command.args(words).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    process.kill().unwrap();
    process.wait().unwrap();
    line
}

/// Splits a command line at spaces outside double quotes.
pub fn words(line: &str) -> Vec<String> {
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

#[test]
fn an_output_replaces_the_block_of_a_page_or_its_beginning() {
    let page = "```text output\nold\n```\n```sh\nls\n```\n```text output\nold\n…\n```\n";
    let filled = with_outputs(page, &["a\nb\n".into(), "c\nd\n".into()]);
    assert_eq!(filled, "```text output\na\nb\n```\n```sh\nls\n```\n```text output\nc\n…\n```\n");
}

#[test]
fn the_folder_and_the_duration_of_a_run_are_left_out() {
    let text = comparable("jog: written in 0.21 s; /tmp/a/jog.glb is in 2 parts\n", Path::new("/tmp/a"));
    assert_eq!(text, "jog: written in … s; jog.glb is in 2 parts\n");
}
