//! Script that imports sets of clips into Unity: loops, root transforms, events, curves and Animator controllers.
//!
//! Unity compiles scripts in folders named `Editor`. `Editor/PortamentoSets.cs` is the same for all sets: it reads every
//! `SET.set.json` in the folder above it, so no name of a clip becomes code. It uses the documented API of Unity 6 only.

use std::path::{Path, PathBuf};

use super::{ExportError, FileSet};

/// The script.
const SCRIPT: &str = include_str!("PortamentoSets.cs");

/// Adds the script for the sets in `folder` to `set`. Returns its path, or `Err` if it cannot be written.
pub fn write(set: &mut FileSet, folder: &Path) -> Result<PathBuf, ExportError> {
    let path = folder.join("Editor").join("PortamentoSets.cs");
    set.write(&path, SCRIPT.as_bytes())?;
    Ok(path)
}

#[cfg(test)]
mod tests;
