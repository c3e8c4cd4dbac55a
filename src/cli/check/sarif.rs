//! The result of a check as SARIF 2.1.0.

use serde_json::{Value, json};

use super::{Checked, sentence, subject};
use portamento_sets::{Requirement, Row, Verdict};

/// Returns a SARIF log with one result per requirement that is not met.
pub(super) fn text(checked: &Checked) -> String {
    let rules =
        Requirement::ALL.iter().map(|rule| json!({ "id": rule.id(), "shortDescription": { "text": rule.text() } }));
    let open = checked.report.rows.iter().filter(|row| row.verdict() != Verdict::Met).map(result);
    let unread = checked.delivery.failures.iter().map(|(file, why)| {
        json!({
            "level": "error",
            "descriptor": { "id": "unreadable" },
            "message": { "text": plain(&why.to_string()) },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } }],
        })
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Portamento",
                "version": portamento_session::VERSION,
                "rules": rules.collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": checked.delivery.failures.is_empty(),
                "toolExecutionNotifications": unread.collect::<Vec<_>>(),
            }],
            "results": open.collect::<Vec<_>>(),
        }],
    });
    format!("{log:#}\n")
}

/// Returns the result of a row that is not met: an error if it is broken, a warning if it could not be measured.
fn result(row: &Row) -> Value {
    let location = row.clip.as_ref().map(|clip| {
        json!({
            "physicalLocation": { "artifactLocation": { "uri": uri(&clip.file) } },
            "logicalLocations": [{ "name": clip.clip, "kind": "member" }],
        })
    });
    json!({
        "ruleId": row.requirement.id(),
        "level": if row.verdict() == Verdict::Broken { "error" } else { "warning" },
        "message": { "text": plain(&format!("{}: {}", subject(row), sentence(row))) },
        "locations": location.into_iter().collect::<Vec<_>>(),
    })
}

/// Escapes square brackets, which would make links in a message.
fn plain(text: &str) -> String {
    text.replace('[', "\\[").replace(']', "\\]")
}

/// Returns `path` as a relative URI: bytes other than letters, digits and `/-._~` are escaped.
fn uri(path: &str) -> String {
    let escaped = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    path.bytes().map(escaped).collect()
}
