//! Comma-separated values (RFC 4180) that spreadsheets show as they are.

use std::borrow::Cow;

/// Characters with which a spreadsheet begins a formula, some only in East Asian languages.
const FORMULA_STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Returns `text` as one field, quoted if it contains a comma, a quote or a line break.
///
/// A text that a spreadsheet would take for a formula gets an apostrophe in front, and so does one that begins with an
/// apostrophe. A reader gets the text back by removing one apostrophe from the start of a field. Numbers stay numbers.
/// Numbers are texts that parse as finite numbers, such as `-1.5`.
pub fn field(text: &str) -> Cow<'_, str> {
    let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
    let text = match text.starts_with(FORMULA_STARTS) && !is_number || text.starts_with('\'') {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    };
    if text.contains([',', '"', '\n', '\r']) { Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_separators_are_quoted() {
        let fields = ["walk", "", "run, fast", "the \"run\"", "two\nlines", "two\rlines"].map(field);
        assert_eq!(fields, ["walk", "", "\"run, fast\"", "\"the \"\"run\"\"\"", "\"two\nlines\"", "\"two\rlines\""]);
    }

    #[test]
    fn no_text_is_a_formula_for_a_spreadsheet_and_every_text_can_be_read_back() {
        let texts = [
            "=1+1",
            "+run",
            "-run",
            "@sum",
            "\t=1",
            "\r=1",
            "=HYPERLINK(\"x\",\"y\")",
            "'quoted",
            "''",
            "-inf",
            "+nan",
            "-",
            "\n=1",
            "＝1+1",
            "＠sum",
        ];
        for text in texts {
            let field = field(text);
            let inner = field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let cell = inner.map_or(field.to_string(), |inner| inner.replace("\"\"", "\""));
            assert!(cell.starts_with('\''), "{text:?}: {cell:?}");
            assert_eq!(&cell[1..], text);
        }
        assert_eq!(["-0.5", "+3", "-1e-7", "0"].map(field), ["-0.5", "+3", "-1e-7", "0"]);
    }
}
