//! Writes the remaining distance of a stop clip as JSON or CSV, for engines with distance matching.

use std::path::Path;

use serde_json::{Value, json};

use portamento_formats::export::ExportError;
use portamento_walk::locomotion::{DistanceCurve, Sign};

/// Returns the bytes of `curve` in the format of the extension of `path`: `.json` or `.csv`. Returns `Err` for other extensions.
pub fn to_bytes(path: &Path, curve: &DistanceCurve, sign: Sign) -> Result<Vec<u8>, ExportError> {
    let ending = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let text = match ending.as_deref() {
        Some("json") => format!("{:#}\n", to_json(curve, sign)),
        Some("csv") => to_csv(curve, sign),
        _ => return Err(ExportError::UnknownCurveKind { file: path.display().to_string() }),
    };
    Ok(text.into_bytes())
}

/// Returns keys of seconds and remaining metres, the meaning of the sign, and the size of the repaired reversals in metres.
pub fn to_json(curve: &DistanceCurve, sign: Sign) -> Value {
    let keys: Vec<[f64; 2]> = curve.exported(sign).map(|(time, left)| [time, left]).collect();
    json!({ "unit": "metre", "sign": sign, "levelled": curve.repaired, "keys": keys })
}

/// Returns one line per key: seconds, remaining metres. The first line is a header.
pub(super) fn to_csv(curve: &DistanceCurve, sign: Sign) -> String {
    let rows = curve.exported(sign).map(|(time, left)| format!("{time},{left}\n"));
    std::iter::once("time_s,distance_m\n".to_owned()).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use portamento_walk::locomotion::Measure;

    fn curve() -> DistanceCurve {
        let path = [DVec3::ZERO, DVec3::Z * 2.0, DVec3::Z * 3.0];
        DistanceCurve::new(&path, &[0.0, 0.5, 1.0], Measure::Straight)
    }

    #[test]
    fn keys_count_down_to_zero_or_up_to_it() {
        assert_eq!(to_csv(&curve(), Sign::Positive), "time_s,distance_m\n0,3\n0.5,1\n1,0\n");
        assert_eq!(to_csv(&curve(), Sign::Negative), "time_s,distance_m\n0,-3\n0.5,-1\n1,0\n");
        let json = to_json(&curve(), Sign::Negative);
        assert_eq!((&json["sign"], &json["keys"][1]), (&json!("negative"), &json!([0.5, -1.0])));
    }

    #[test]
    fn the_extension_selects_the_format_and_an_unknown_one_is_refused() {
        let bytes = |name: &str| to_bytes(Path::new(name), &curve(), Sign::Positive);
        let read: Value = serde_json::from_slice(&bytes("stop.json").unwrap()).unwrap();
        assert_eq!(read["keys"].as_array().unwrap().len(), 3);
        assert_eq!(bytes("stop.CSV").unwrap(), to_csv(&curve(), Sign::Positive).into_bytes());
        let refused = bytes("stop.txt").unwrap_err().to_string();
        assert!(refused.contains(".json or .csv"), "{refused}");
    }
}
