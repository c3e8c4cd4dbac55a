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

/// Appends `value` to `text` as lines `name: value`. Objects are indented two spaces deeper than their name. A list of plain
/// objects is a table; an empty line follows each other entry of a list. Entries without a value are left out.
fn add_lines(text: &mut String, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(entries) => {
            for (name, entry) in entries.iter().filter(|(_, entry)| !is_empty(entry)) {
                let name = one_line(&name.replace('_', " "));
                if is_nested(entry) {
                    *text += &format!("{indent}{name}\n");
                    add_lines(text, entry, depth + 1);
                } else {
                    *text += &format!("{indent}{name}: {}\n", word(entry));
                }
            }
        }
        Value::Array(list) if is_table(list) => add_table(text, list, &indent),
        Value::Array(list) => list.iter().for_each(|entry| {
            add_lines(text, entry, depth);
            text.push('\n');
        }),
        other => *text += &format!("{indent}{}\n", word(other)),
    }
}

/// Appends a list of objects as aligned columns, one for each name that has a value in any of them.
fn add_table(text: &mut String, list: &[Value], indent: &str) {
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in list.iter().filter_map(Value::as_object).flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.retain(|name| list.iter().any(|row| row.get(*name).is_some_and(|value| !is_empty(value))));
    let cell = |row: &Value, name: &str| row.get(name).filter(|value| !is_empty(value)).map_or("–".into(), word);
    let head: Vec<String> = names.iter().map(|name| one_line(&name.replace('_', " "))).collect();
    let rows = list.iter().map(|row| names.iter().map(|name| cell(row, name)).collect());
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..names.len()).filter_map(width).collect();
    for row in &rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
        *text += &format!("{indent}{}\n", cells.join("  ").trim_end());
    }
}

/// True for lists of at least two objects without objects in them.
fn is_table(list: &[Value]) -> bool {
    let is_plain = |value: &Value| {
        value.as_object().is_some_and(|entries| !entries.is_empty() && !entries.values().any(is_nested))
    };
    list.len() > 1 && list.iter().all(is_plain)
}

fn is_nested(value: &Value) -> bool {
    value.is_object() || value.as_array().is_some_and(|list| list.iter().any(Value::is_object))
}

/// True for a value about which there is nothing to read.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    }
}

/// Returns a value as text on one line.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text),
        Value::Number(number) if number.is_f64() => rounded(number.as_f64().unwrap_or_default()),
        Value::Array(list) => list.iter().map(word).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Returns a number with four significant digits and at most four decimals, which is enough to read. `--json` prints all digits.
fn rounded(number: f64) -> String {
    let magnitude = number.abs().log10().floor().max(-1.0) as i32;
    let decimals = usize::try_from(3 - magnitude).unwrap_or_default();
    let text = format!("{number:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".into() } else { text.into() }
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

    #[test]
    fn a_report_is_readable_lines_and_tables_without_empty_entries() {
        let mut text = String::new();
        let report = serde_json::json!({
            "end_error_m": 1.07e-14, "seconds": 2.466_641_902_923_584, "cost": 174_273.844_064, "bytes": 974_088,
            "none": null, "warnings": [], "target": [0.0, -0.0, 5.25],
            "joints": [{ "name": "root", "parent": null }, { "name": "跑", "parent": "root" }],
            "takes": [{ "clip": "walk", "stretch": { "ratio": 2.0 } }],
        });
        add_lines(&mut text, &report, 0);
        let expected = "end error m: 0\nseconds: 2.467\ncost: 174274\nbytes: 974088\ntarget: 0, 0, 5.25\njoints\n  name  parent\n  \
                        root  –\n  跑     root\ntakes\n  clip: walk\n  stretch\n    ratio: 2\n\n";
        assert_eq!(text, expected);
    }
}
