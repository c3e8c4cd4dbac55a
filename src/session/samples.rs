//! The sample files, as `portamento_samples` made them: a hero, a flame, levels, recordings and the projects that use them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use portamento_formats::export::{ExportError, FileSet, Replace};

const FILES: [(&str, &[u8]); 14] = [
    ("hero.glb", include_bytes!("../../assets/hero.glb")),
    ("flame.apng", include_bytes!("../../assets/flame.apng")),
    ("yard.glb", include_bytes!("../../assets/yard.glb")),
    ("course.glb", include_bytes!("../../assets/course.glb")),
    ("samples.portamento", include_bytes!("../../assets/samples.portamento")),
    ("jog_on_the_spot.bvh", include_bytes!("../../assets/jog_on_the_spot.bvh")),
    ("mocap.bvh", include_bytes!("../../assets/mocap.bvh")),
    ("stretch.portamento", include_bytes!("../../assets/stretch.portamento")),
    ("blend.portamento", include_bytes!("../../assets/blend.portamento")),
    ("hair.portamento", include_bytes!("../../assets/hair.portamento")),
    ("loop.portamento", include_bytes!("../../assets/loop.portamento")),
    ("walk.portamento", include_bytes!("../../assets/walk.portamento")),
    ("mocap.portamento", include_bytes!("../../assets/mocap.portamento")),
    ("shortcut.portamento", include_bytes!("../../assets/shortcut.portamento")),
];

/// Returns the user's folder for samples, if the system defines a user folder.
pub fn folder() -> Option<PathBuf> {
    crate::Preferences::folder().map(|folder| folder.join("samples"))
}

/// Writes the samples that `folder` lacks and the one named `reset` again. Samples edited by the user are not overwritten.
/// Creates the folder if needed.
pub fn complete(folder: &Path, reset: Option<&str>) -> Result<(), ExportError> {
    let mut set = FileSet::new(Arc::default());
    for (name, bytes) in FILES {
        let path = folder.join(name);
        if reset == Some(name) || !path.exists() {
            set.write(&path, bytes)?;
        }
    }
    set.commit(Replace::Allow).map(drop)
}

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
