//! The sample files, as `portamento_samples` made them: a hero, a flame, a yard and a project that uses them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use portamento_formats::export::{ExportError, FileSet, Replace};

const FILES: [(&str, &[u8]); 4] = [
    ("hero.glb", include_bytes!("../../assets/hero.glb")),
    ("flame.apng", include_bytes!("../../assets/flame.apng")),
    ("yard.glb", include_bytes!("../../assets/yard.glb")),
    ("samples.portamento", include_bytes!("../../assets/samples.portamento")),
];

/// Writes every sample to `folder`, which is created if absent, and replaces existing files. Returns the files' paths.
pub fn write_all(folder: &Path) -> Result<Vec<PathBuf>, ExportError> {
    write(folder, Replace::Allow)
}

/// Writes every sample to `folder`, which is created if absent. Replaces existing files that differ only if `replace` allows it.
/// Returns the files' paths.
pub fn write(folder: &Path, replace: Replace) -> Result<Vec<PathBuf>, ExportError> {
    let mut set = FileSet::new(Arc::default());
    for (name, bytes) in FILES {
        set.write(&folder.join(name), bytes)?;
    }
    set.commit(replace).map(|placed| placed.into_iter().map(|file| file.path).collect())
}
