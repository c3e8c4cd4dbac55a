//! Stores times measured by the benches themselves next to those of criterion, in the same format.

use std::path::PathBuf;
use std::time::Duration;

/// Returns the folder of criterion's results.
pub fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target")).join("criterion")
}

/// Returns criterion's folder name for a benchmark name.
fn folder_name(name: &str) -> String {
    name.replace(['?', '"', '/', '\\', '*', '<', '>', ':', '|', '^'], "_")
}

/// Returns the file with the time of `name`; each part between ` → ` is a folder.
pub fn file(name: &str) -> PathBuf {
    let parts = name.split(" → ").map(folder_name);
    parts.fold(folder(), |folder, part| folder.join(part)).join("new/estimates.json")
}

/// Stores a time.
pub fn keep(name: &str, time: Duration) {
    let file = file(name);
    let text = format!("{{\"median\":{{\"point_estimate\":{}}}}}\n", time.as_secs_f64() * 1e9);
    let written = file.parent().map(std::fs::create_dir_all).and_then(Result::ok).map(|()| std::fs::write(&file, text));
    if !matches!(written, Some(Ok(()))) {
        println!("{} was not written", file.display());
    }
}

/// Returns the last measured time in nanoseconds; `None` if not measured.
pub fn stored(name: &str) -> Option<f64> {
    let text = std::fs::read_to_string(file(name)).ok()?;
    let values: serde_json::Value = serde_json::from_str(&text).ok()?;
    values["median"]["point_estimate"].as_f64()
}
