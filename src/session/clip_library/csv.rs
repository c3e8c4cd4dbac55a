//! Rows of clips for programs that read tables.

use super::ClipRow;
use super::columns::Column;

/// `columns` of `rows` below their names, values separated by commas.
pub fn csv<'r>(columns: &[&Column], rows: impl IntoIterator<Item = &'r ClipRow>) -> String {
    let quoted = |text: String| {
        if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
    };
    let head = columns.iter().map(|column| quoted(column.name.to_owned())).collect::<Vec<_>>().join(",");
    let line = |row| columns.iter().map(|column| quoted(column.text(row))).collect::<Vec<_>>().join(",");
    std::iter::once(head).chain(rows.into_iter().map(line)).map(|line| line + "\n").collect()
}
