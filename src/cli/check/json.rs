//! The result of a check as JSON.

use serde_json::{Value, json};

use super::Checked;
use portamento_session::delivery::{Repaired, RepairedTake, Unmet};
use portamento_sets::{ClipName, Limit, Measured, Row, Verdict};

/// The JSON Schema of the result, version 1.
pub(super) const SCHEMA: &str = include_str!("report.schema.json");

/// Returns the result as JSON that fits [`SCHEMA`].
pub(super) fn of(checked: &Checked) -> Value {
    let count = |verdict: Verdict| checked.report.count(verdict);
    let failures = checked.delivery.failures.iter();
    json!({
        "version": 1,
        "verdict": name(checked.verdict()),
        "clips": checked.delivery.members.len(),
        "met": count(Verdict::Met),
        "broken": count(Verdict::Broken),
        "not_measured": count(Verdict::NotMeasured),
        "rows": checked.report.rows.iter().map(row).collect::<Vec<_>>(),
        "failures": failures.map(|(file, why)| json!({ "file": file, "reason": why.to_string() })).collect::<Vec<_>>(),
        "unchecked": checked.unchecked,
        "repaired": checked.repaired.iter().flat_map(repaired).collect::<Vec<_>>(),
        "unmet": checked.repaired.iter().flat_map(|repaired| &repaired.unmet).map(unmet).collect::<Vec<_>>(),
    })
}

/// Returns the repaired clips with the kinds of their stages.
fn repaired(repaired: &Repaired) -> Vec<Value> {
    let of_take = |repaired: &RepairedTake| json!({ "file": repaired.name.file, "name": repaired.name.clip, "stages": repaired.kinds() });
    repaired.takes.iter().filter(|repaired| repaired.added > 0).map(of_take).collect()
}

/// Returns a row that the repair could not meet, with its number before the repair and the reason.
fn unmet(unmet: &Unmet) -> Value {
    let before = unmet.before.as_ref().and_then(number);
    json!({ "row": row(&unmet.row), "before": before, "reason": unmet.why.to_string() })
}

/// Returns the measured number; `None` for missing names and for numbers that are not finite.
fn number(measured: &Measured) -> Option<f64> {
    match measured {
        Measured::Number(number) => Some(*number).filter(|number| number.is_finite()),
        Measured::Missing(_) => None,
    }
}

/// Returns the row as a JSON object; `null` where it has no value.
fn row(row: &Row) -> Value {
    let missing = match &row.measured {
        Some(Measured::Missing(names)) => Some(names),
        _ => None,
    };
    let limit = match row.limit {
        Limit::AtMost(most) => json!({ "at_most": most }),
        Limit::AtLeast(least) => json!({ "at_least": least }),
        Limit::Near(pin) => json!({ "value": pin.value, "tolerance": pin.tolerance }),
        Limit::NoneMissing => json!({ "missing": 0 }),
    };
    json!({
        "set": row.set,
        "clip": row.clip.as_ref().map(clip),
        "other": row.other.as_ref().map(clip),
        "requirement": row.requirement.id(),
        "unit": row.requirement.unit(),
        "measured": row.measured.as_ref().and_then(number),
        "missing": missing,
        "limit": limit,
        "verdict": name(row.verdict()),
    })
}

/// Returns the file and the name of the clip.
fn clip(name: &ClipName) -> Value {
    json!({ "file": name.file, "name": name.clip })
}

/// Returns the name of the verdict in the schema.
fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Met => "met",
        Verdict::Broken => "broken",
        Verdict::NotMeasured => "not_measured",
    }
}
