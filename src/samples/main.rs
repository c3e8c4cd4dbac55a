//! Writes the files of `assets/` again, into that folder or the one named as argument.

use std::path::{Path, PathBuf};

fn main() -> Result<(), String> {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let folder = std::env::args_os().nth(1).map_or(assets, PathBuf::from);
    let files = portamento_samples::files().map_err(|error| error.to_string())?;
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}
