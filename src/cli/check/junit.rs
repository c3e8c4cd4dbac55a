//! The result of a check as JUnit XML.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Checked, sentence, subject};
use crate::generate::page::escaped;
use portamento_sets::{Row, Verdict};

/// Returns one suite per set, one for requirements on single clips, and one for files that could not be read.
pub(super) fn text(checked: &Checked) -> String {
    let mut suites: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in &checked.report.rows {
        suites.entry(row.set.as_deref().unwrap_or("clips")).or_default().push(case(row));
    }
    for (file, why) in &checked.delivery.failures {
        let case = format!(
            "<testcase classname=\"{0}\" name=\"readable\"><error message=\"{1}\"/></testcase>",
            attribute(file),
            attribute(&why.to_string())
        );
        suites.entry("files").or_default().push(case);
    }
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    for (name, cases) in suites {
        let count = |tag: &str| cases.iter().filter(|case| case.contains(tag)).count();
        let (failures, errors) = (count("<failure "), count("<error "));
        let _ = writeln!(
            text,
            "<testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\">\n{}\n</testsuite>",
            attribute(name),
            cases.len(),
            cases.join("\n")
        );
    }
    text + "</testsuites>\n"
}

/// Returns the test case of a row. A broken row is a failure, and one that could not be measured is an error.
fn case(row: &Row) -> String {
    let tag = match row.verdict() {
        Verdict::Met => None,
        Verdict::Broken => Some("failure"),
        Verdict::NotMeasured => Some("error"),
    };
    let outcome = tag.map(|tag| format!("<{tag} message=\"{}\"/>", attribute(&sentence(row))));
    format!(
        "<testcase classname=\"{}\" name=\"{}\">{}</testcase>",
        attribute(&subject(row)),
        row.requirement.id(),
        outcome.unwrap_or_default()
    )
}

/// Escapes `text` for an attribute. XML cannot contain control characters and U+FFFE and U+FFFF, so they become spaces.
fn attribute(text: &str) -> String {
    escaped(&text.replace(|letter: char| letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}'), " "))
}
