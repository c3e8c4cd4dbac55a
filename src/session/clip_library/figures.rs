//! A disk cache of clip measurements, keyed by file content.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::ClipRow;
use crate::project::fingerprint;
use portamento_base::message::Message;
use portamento_base::progress::Progress;

/// Version of the measurement; increased when figures are computed differently, which invalidates the cache.
pub(super) const GENERATION: u32 = 17;
/// Maximum number of cached files; each takes some hundred bytes per clip.
const MAX_CACHED_FILES: usize = 20_000;
/// Extensions of self-contained files. A `.gltf` is not cached, because files it refers to may change.
const SELF_CONTAINED: [&str; 6] = ["glb", "vrm", "fbx", "bvh", "npz", "npy"];

/// A disk cache of figures; disabled by default.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    folder: Option<PathBuf>,
}

impl Figures {
    /// Returns a cache in `folder`, which is created on first use. Removes the entries written first beyond
    /// [`MAX_CACHED_FILES`].
    pub fn in_folder(folder: &Path) -> Self {
        let figures = Self { folder: Some(folder.join(format!("figures-{GENERATION}"))) };
        figures.remove_oldest();
        figures
    }

    /// Returns the cached figures of `file` if its content is known, otherwise those of `measure`, which are then cached.
    /// Returns `Err` if `measure` fails.
    pub(super) fn of_file(
        &self,
        file: &Path,
        progress: &Progress,
        measure: impl FnOnce() -> Result<Vec<ClipRow>, Message>,
    ) -> Result<Vec<ClipRow>, Message> {
        let Some(cached) = self.cache_path(file, progress) else { return measure() };
        if let Some(rows) = read(&cached, file) {
            return Ok(rows);
        }
        let rows = measure()?;
        // If writing fails, the file is measured again next time.
        let _ = write(&cached, &rows);
        Ok(rows)
    }

    /// Returns the path of the cached figures for the content of `file`. Returns `None` without a cache folder, for a format
    /// that refers to other files, if the file cannot be read, or if cancelled.
    fn cache_path(&self, file: &Path, progress: &Progress) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        let extension = file.extension()?.to_string_lossy().to_lowercase();
        if !SELF_CONTAINED.contains(&&*extension) {
            return None;
        }
        // The extension is part of the name because it selects the importer.
        Some(folder.join(format!("{}.{extension}.json", fingerprint(file, &progress.part()).ok()?)))
    }

    /// Removes the cache files that were written first, until [`MAX_CACHED_FILES`] are left.
    fn remove_oldest(&self) {
        let entries = self.folder.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let used = |entry: &std::fs::DirEntry| {
            entry.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
        };
        let mut cached: Vec<(SystemTime, PathBuf)> = entries.map(|entry| (used(&entry), entry.path())).collect();
        cached.sort();
        let superfluous = cached.len().saturating_sub(MAX_CACHED_FILES);
        cached.iter().take(superfluous).for_each(|(_, path)| drop(std::fs::remove_file(path)));
    }
}

/// Reads the rows cached at `cached` and assigns them to `file`; `None` if missing or invalid. Also `None` if the only clip
/// has the name of the file that was measured and `file` has another, because importers name such clips after their file.
fn read(cached: &Path, file: &Path) -> Option<Vec<ClipRow>> {
    let mut rows: Vec<ClipRow> =
        portamento_base::json::parse(&portamento_base::regular_file::all(cached).ok()?).ok()?;
    if let [only] = &rows[..]
        && only.file.file_stem() != file.file_stem()
        && only.file.file_stem().is_some_and(|stem| stem.to_string_lossy() == only.clip)
    {
        return None;
    }
    rows.iter_mut().for_each(|row| row.file = file.to_owned());
    Some(rows)
}

/// Writes `rows` atomically. Creates the folder if needed.
fn write(cached: &Path, rows: &[ClipRow]) -> std::io::Result<()> {
    let folder = cached.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut written = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut written, rows)?;
    written.persist(cached)?;
    Ok(())
}
