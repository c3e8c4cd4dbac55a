//! The clip table as text, CSV and JSON.

use serde_json::json;

use crate::output::one_line;
use portamento_session::clip_library::columns::COLUMNS;
use portamento_session::clip_library::{self, ClipLibrary, ClipRow};

/// Returns the table with aligned columns, one line per clip.
pub(super) fn text(rows: &[ClipRow]) -> String {
    let shown: Vec<_> = COLUMNS.iter().filter(|column| column.is_short).collect();
    let mut lines = vec![shown.iter().map(|column| column.name.to_owned()).collect::<Vec<_>>()];
    lines.extend(rows.iter().map(|row| shown.iter().map(|column| one_line(&column.text(row))).collect()));
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..shown.len()).map(width).collect();
    let padded = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths).zip(&shown).map(|((cell, &width), column)| {
            if column.is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    lines.iter().map(padded).collect()
}

/// Returns the table as CSV.
pub(super) fn csv(rows: &[ClipRow]) -> String {
    clip_library::csv(&COLUMNS.iter().collect::<Vec<_>>(), rows)
}

/// Returns all figures as JSON.
pub(super) fn json(library: &ClipLibrary) -> serde_json::Value {
    let failures = library.failures.iter();
    let failures: Vec<_> =
        failures.map(|(file, why)| json!({ "file": file.display().to_string(), "reason": why.to_string() })).collect();
    json!({ "clips": library.rows, "failures": failures })
}
