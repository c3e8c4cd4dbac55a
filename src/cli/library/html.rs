//! The HTML report of a clip library.

use crate::generate::page::{Head, Page, Row, escaped};
use portamento_session::clip_library::ClipLibrary;
use portamento_session::clip_library::columns::{COLUMNS, is_found};

/// Returns the library as a self-contained HTML page.
pub(super) fn page(library: &ClipLibrary) -> String {
    let (clips, found) = (library.rows.len(), library.rows.iter().filter(|row| is_found(row)).count());
    let rows = library.rows.iter().map(|row| Row {
        is_found: is_found(row),
        cells: COLUMNS.iter().map(|column| escaped(&column.text(row))).collect(),
    });
    let failures = library.failures.iter().map(|(file, reason)| format!("{}: {reason}", file.display()));
    Page {
        title: "Clips",
        heading: format!("{clips} {}, {found} with findings", if clips == 1 { "clip" } else { "clips" }),
        heads: COLUMNS.iter().map(|column| Head { name: column.name, is_number: column.is_number }).collect(),
        rows: rows.collect(),
        plotted: ["m/s", "slide cm/s"],
        dots: ["with findings", "no findings"],
        below: failures.collect(),
    }
    .html()
}
