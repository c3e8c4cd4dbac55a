//! Tables whose values are separated by commas, as RFC 4180 has them.

use std::borrow::Cow;

/// `text` as one value: in quotes where it holds what separates values or lines.
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
    fn what_separates_values_or_lines_stands_in_quotes() {
        let fields = ["walk", "", "run, fast", "the \"run\"", "two\nlines", "two\rlines"].map(field);
        assert_eq!(fields, ["walk", "", "\"run, fast\"", "\"the \"\"run\"\"\"", "\"two\nlines\"", "\"two\rlines\""]);
    }
}
