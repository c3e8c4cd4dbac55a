//! Comma-separated values (RFC 4180).

use std::borrow::Cow;

/// Returns `text` as one field, quoted if it contains a comma, a quote or a line break.
pub fn field(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_separators_are_quoted() {
        let fields = ["walk", "", "run, fast", "the \"run\"", "two\nlines", "two\rlines"].map(field);
        assert_eq!(fields, ["walk", "", "\"run, fast\"", "\"the \"\"run\"\"\"", "\"two\nlines\"", "\"two\rlines\""]);
    }
}
