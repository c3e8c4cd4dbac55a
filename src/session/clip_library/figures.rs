//! Figures of files by what is in them, kept on disk: what was measured once is not measured again.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::ClipRow;
use crate::message::Message;
use crate::progress::Progress;
use crate::session::project::fingerprint;

/// Raised when figures are computed in another way: those of before are not used then.
pub(super) const GENERATION: u32 = 17;
/// Files whose figures are kept, some hundred bytes per clip.
const MOST: usize = 20_000;
/// Files that hold all they are made of: what a `.gltf` names may change while it stays the same.
const WHOLE: [&str; 4] = ["glb", "vrm", "fbx", "bvh"];

/// Where figures are kept; nowhere by default.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    folder: Option<PathBuf>,
}

impl Figures {
    /// Figures kept in `folder`, which is made when the first are. Those that were used longest ago go where they are too many.
    pub fn in_folder(folder: &Path) -> Self {
        let figures = Self { folder: Some(folder.join(format!("figures-{GENERATION}"))) };
        figures.forget_oldest();
        figures
    }

    /// The figures of `file` from memory where its content was measured before, else by `measure`.
    pub(super) fn of_file(
        &self,
        file: &Path,
        progress: &Progress,
        measure: impl FnOnce() -> Result<Vec<ClipRow>, Message>,
    ) -> Result<Vec<ClipRow>, Message> {
        let Some(kept) = self.place(file, progress) else { return measure() };
        if let Some(rows) = read(&kept, file) {
            return Ok(rows);
        }
        let rows = measure()?;
        // What cannot be kept is measured again the next time.
        let _ = write(&kept, &rows);
        Ok(rows)
    }

    fn place(&self, file: &Path, progress: &Progress) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        let extension = file.extension()?.to_string_lossy().to_lowercase();
        if !WHOLE.contains(&&*extension) {
            return None;
        }
        // The same bytes under another extension are read by another importer.
        Some(folder.join(format!("{}.{extension}.json", fingerprint(file, &progress.part()).ok()?)))
    }

    fn forget_oldest(&self) {
        let entries = self.folder.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let used = |entry: &std::fs::DirEntry| {
            entry.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
        };
        let mut kept: Vec<(SystemTime, PathBuf)> = entries.map(|entry| (used(&entry), entry.path())).collect();
        kept.sort();
        let superfluous = kept.len().saturating_sub(MOST);
        kept.iter().take(superfluous).for_each(|(_, path)| drop(std::fs::remove_file(path)));
    }
}

/// The rows kept at `kept`, as those of `file`; none where there are none or they are damaged.
fn read(kept: &Path, file: &Path) -> Option<Vec<ClipRow>> {
    let mut rows: Vec<ClipRow> = serde_json::from_slice(&std::fs::read(kept).ok()?).ok()?;
    rows.iter_mut().for_each(|row| row.file = file.to_owned());
    Some(rows)
}

/// Writes `rows` as a whole or not at all.
fn write(kept: &Path, rows: &[ClipRow]) -> std::io::Result<()> {
    let folder = kept.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut written = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut written, rows)?;
    written.persist(kept)?;
    Ok(())
}
