//! Export of the clip table as CSV.

use super::ClipRow;
use super::columns::Column;
use portamento_formats::export::csv::field;

/// Returns `rows` as CSV with the headings of `columns` in the first line. Headings and numbers do not depend on the language.
pub fn csv<'r>(columns: &[&Column], rows: impl IntoIterator<Item = &'r ClipRow>) -> String {
    let head = columns.iter().map(|column| field(column.name)).collect::<Vec<_>>().join(",");
    let line = |row| columns.iter().map(|column| field(&column.text(row)).into_owned()).collect::<Vec<_>>().join(",");
    std::iter::once(head).chain(rows.into_iter().map(line)).map(|line| line + "\n").collect()
}
