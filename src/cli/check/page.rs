//! The result of a check as an HTML page.

use super::{Checked, limit};
use crate::generate::page::{Head, Page, Row, escaped};
use portamento_sets::{self as sets, Measured, Verdict};

/// Headings of the table.
const HEADS: [Head; 8] = [
    Head { name: "set", is_number: false },
    Head { name: "clip", is_number: false },
    Head { name: "verdict", is_number: false },
    Head { name: "requirement", is_number: false },
    Head { name: "measured", is_number: true },
    Head { name: "unit", is_number: false },
    Head { name: "required", is_number: false },
    Head { name: "missing", is_number: false },
];

/// Returns an HTML page with a table of all rows, and the files that could not be read below it.
pub(super) fn text(checked: &Checked) -> String {
    let count = |verdict: Verdict| checked.report.count(verdict);
    let heading = format!(
        "{} clips: {} requirements met, {} broken, {} not measured",
        checked.delivery.members.len(),
        count(Verdict::Met),
        count(Verdict::Broken),
        count(Verdict::NotMeasured)
    );
    let failures = checked.delivery.failures.iter().map(|(file, why)| format!("{file}: {why}"));
    Page {
        title: "Contract",
        heading,
        heads: HEADS.into(),
        rows: checked.report.rows.iter().map(row).collect(),
        plotted: ["measured", "measured"],
        dots: ["not met", "met"],
        below: failures.collect(),
    }
    .html()
}

/// Returns the row of the HTML table for a row of the report.
fn row(row: &sets::Row) -> Row {
    let names = [&row.clip, &row.other].into_iter().flatten().map(ToString::to_string).collect::<Vec<_>>();
    let (number, missing) = match &row.measured {
        Some(Measured::Number(number)) => (format!("{number:.4}"), String::new()),
        Some(Measured::Missing(names)) => (String::new(), names.join(", ")),
        None => (String::new(), String::new()),
    };
    let cells = [
        row.set.clone().unwrap_or_default(),
        names.join(" → "),
        row.verdict().name().to_owned(),
        row.requirement.id().to_owned(),
        number,
        row.requirement.unit().to_owned(),
        limit(row),
        missing,
    ];
    Row { is_found: row.verdict() != Verdict::Met, cells: cells.iter().map(|cell| escaped(cell)).collect() }
}
