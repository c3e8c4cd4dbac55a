//! Keeps what benches measure on their own beside what criterion measured, in the same files, so that one reader finds all.

use std::path::PathBuf;
use std::time::Duration;

/// Where criterion keeps its numbers.
pub fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target")).join("criterion")
}

/// The folder that criterion makes of a name.
fn folder_name(name: &str) -> String {
    name.replace(['?', '"', '/', '\\', '*', '<', '>', ':', '|', '^'], "_")
}

/// The file that holds the time of `name`, of which every part between ` → ` has a folder.
pub fn file(name: &str) -> PathBuf {
    let parts = name.split(" → ").map(folder_name);
    parts.fold(folder(), |folder, part| folder.join(part)).join("new/estimates.json")
}

/// Keeps one time.
pub fn keep(name: &str, time: Duration) {
    let file = file(name);
    let text = format!("{{\"median\":{{\"point_estimate\":{}}}}}\n", time.as_secs_f64() * 1e9);
    let written = file.parent().map(std::fs::create_dir_all).and_then(Result::ok).map(|()| std::fs::write(&file, text));
    if !matches!(written, Some(Ok(()))) {
        println!("{} was not written", file.display());
    }
}

/// Nanoseconds that were measured last; `None` where nothing was.
pub fn kept(name: &str) -> Option<f64> {
    let text = std::fs::read_to_string(file(name)).ok()?;
    let values: serde_json::Value = serde_json::from_str(&text).ok()?;
    values["median"]["point_estimate"].as_f64()
}
