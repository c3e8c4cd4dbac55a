//! Text for a terminal. Names of files, clips and joints may contain control characters, which would control the terminal or
//! add lines, so they are replaced. Build servers carry out lines that begin in certain ways, so no line begins so.

use std::io::Write;

use serde_json::Value;

use super::Failure;
use super::progress_bar::above_bar;
use portamento_base::system_reason::system_reason;

/// Prints a report as indented JSON or as `name: value` lines. A closed pipe is not an error.
pub(super) fn print(report: &Value, json: bool) -> Result<(), Failure> {
    let mut text = String::new();
    if json {
        text = format!("{report:#}\n");
    } else {
        add_lines(&mut text, report, 0);
    }
    print_text(&text)
}

/// Writes lines to standard output. A closed pipe is not an error, other write errors are.
pub(super) fn print_text(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    match above_bar(|| out.write_all(printable(text).as_bytes()).and_then(|()| out.flush())) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Failed(format!("The report could not be written: {}.", system_reason(&error))))
        }
        _ => Ok(()),
    }
}

/// Writes `text` as lines to standard error.
pub(super) fn warn(text: &str) {
    above_bar(|| eprintln!("{}", printable(text)));
}

/// Beginnings of lines that are commands for GitHub, Azure Pipelines and TeamCity.
const COMMANDS: [&str; 4] = ["::", "##[", "##vso[", "##teamcity["];

/// Returns `text` with its control characters replaced, except tabs and the ends of lines. No line is a command for a build server.
fn printable(text: &str) -> String {
    let is_harmful = |letter: char| letter.is_control() && letter != '\t';
    let is_command = |line: &str| COMMANDS.iter().any(|command| line.trim_start().starts_with(command));
    let of_line = |line: &str| {
        let line: String = line.chars().map(|letter| if is_harmful(letter) { '\u{fffd}' } else { letter }).collect();
        if is_command(&line) { format!("\u{fffd}{line}") } else { line }
    };
    text.split('\n').map(of_line).collect::<Vec<_>>().join("\n")
}

/// Returns `text` with all control characters replaced, so that it cannot begin another line.
pub(super) fn one_line(text: &str) -> String {
    printable(text).replace('\n', "\u{fffd}")
}

/// Appends `value` to `text` as lines `name: value`. Objects are indented two spaces deeper than their name, and an empty line
/// follows each entry of a list.
fn add_lines(text: &mut String, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    let nested =
        |value: &Value| value.is_object() || value.as_array().is_some_and(|list| list.iter().any(Value::is_object));
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), one_line);
    match value {
        Value::Object(entries) => {
            for (name, entry) in entries {
                let name = one_line(&name.replace('_', " "));
                if nested(entry) {
                    *text += &format!("{indent}{name}\n");
                    add_lines(text, entry, depth + 1);
                } else {
                    *text += &format!("{indent}{name}: {}\n", word(entry));
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|entry| {
            add_lines(text, entry, depth);
            text.push('\n');
        }),
        other => *text += &format!("{indent}{}\n", word(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_neither_control_the_terminal_nor_add_lines() {
        let mut text = String::new();
        let name = "\u{1b}[2Jwalk\r\n::error::x\u{9b}31m";
        add_lines(&mut text, &serde_json::json!({ name: [{ "clip": name, "of": [name] }] }), 0);
        assert!(!printable(&text).contains(|letter: char| letter.is_control() && letter != '\n'), "{text:?}");
        assert!(text.lines().all(|line| !line.trim_start().starts_with("::")), "{text:?}");
        assert_eq!(printable("a\tb\nc\u{7f}\n"), "a\tb\nc\u{fffd}\n");
        for line in ["::error::x", "  ::add-mask::x", "##vso[task.x]", "##[error]x", "##teamcity[x]"] {
            assert_eq!(printable(&format!("a\n{line}\nb")), format!("a\n\u{fffd}{line}\nb"));
        }
        assert_eq!(one_line("跑\nb"), "跑\u{fffd}b");
    }
}
