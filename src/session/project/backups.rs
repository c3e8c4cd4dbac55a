//! Backups of project files: a save replaces the file atomically and keeps the old version as `NAME.portamento.1`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use portamento_formats::export::file_system::FileSystem;
use portamento_formats::export::{ExportError, FileSet, Replace, Sources};

/// Number of backups per project.
const BACKUP_COUNT: usize = 3;

/// Writes `bytes` to `path` and keeps the previous file as a backup; older backups are renumbered.
///
/// Returns `Err` if `path` is one of `sources` or writing fails; project and backups are then unchanged. Backups are
/// renumbered only after the new file is in place.
pub(super) fn save(
    system: &Arc<dyn FileSystem>,
    sources: Sources,
    path: &Path,
    bytes: &[u8],
) -> Result<(), ExportError> {
    let mut files = FileSet::on(system.clone(), sources.into());
    files.write(path, bytes)?;
    // First finish a rotation that failed earlier.
    rotate(&**system, path);
    let pending = numbered(path, 0);
    let keeps = path.exists() && !pending.exists();
    if keeps {
        let unwritable = |reason| ExportError::Unwritable { file: pending.display().to_string(), reason };
        system.link(path, &pending).map_err(unwritable)?;
    }
    if let Err(error) = files.commit(Replace::Allow) {
        if keeps {
            let _ = system.remove(&pending);
        }
        return Err(error);
    }
    rotate(&**system, path);
    Ok(())
}

/// Renumbers the backups if a new one is pending. Stops on errors; nothing is lost, and the next save continues. The oldest
/// backup is overwritten.
fn rotate(system: &dyn FileSystem, path: &Path) {
    if !numbered(path, 0).exists() {
        return;
    }
    // Backups after the first gap need not move.
    let gap = (1..=BACKUP_COUNT).find(|&number| !numbered(path, number).exists()).unwrap_or(BACKUP_COUNT);
    for number in (0..gap).rev() {
        if system.rename(&numbered(path, number), &numbered(path, number + 1)).is_err() {
            return;
        }
    }
}

/// Returns the path of a backup; 0 is the pending newest one.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use portamento_formats::export::file_set;
    use portamento_formats::export::file_system::Disk;
    use portamento_test_support::{Fault, FaultyDisk};

    fn contents(folder: &Path) -> BTreeMap<String, String> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let read = |path: PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        };
        entries.map(read).collect()
    }

    /// Creates a project that was saved often enough to have all backups.
    fn saved_often() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.portamento");
        let disk: Arc<dyn FileSystem> = Arc::new(Disk);
        for number in 0..6 {
            save(&disk, Sources::default(), &path, number.to_string().as_bytes()).unwrap();
        }
        (folder, path)
    }

    #[test]
    fn backups_are_renumbered_and_the_oldest_is_removed() {
        let (folder, _) = saved_often();
        let names = ["a.portamento", "a.portamento.1", "a.portamento.2", "a.portamento.3"];
        let wanted = names.iter().zip(["5", "4", "3", "2"]).map(|(name, text)| ((*name).into(), text.into()));
        assert_eq!(contents(folder.path()), wanted.collect());
    }

    #[test]
    fn a_disk_error_at_any_step_keeps_the_project_and_all_backups() {
        let sound = Arc::new(FaultyDisk::sound());
        let (_folder, path) = saved_often();
        let disk: Arc<dyn FileSystem> = sound.clone();
        save(&disk, Sources::default(), &path, b"new").unwrap();
        let mut cases = 0;
        for fails_at in 0..sound.operations() {
            for fault in Fault::ALL {
                let (folder, path) = saved_often();
                let disk: Arc<dyn FileSystem> = Arc::new(FaultyDisk::new(fails_at, fault));
                let outcome = save(&disk, Sources::default(), &path, b"new");
                file_set::clean(&Disk, folder.path());
                let mut all = contents(folder.path());
                let project = all.remove("a.portamento").unwrap();
                let mut backups: Vec<String> = all.into_values().collect();
                backups.sort();
                let (wanted, kept): (&str, &[&str]) =
                    if outcome.is_ok() { ("new", &["3", "4", "5"]) } else { ("5", &["2", "3", "4"]) };
                assert_eq!(project, wanted, "{fault:?} at {fails_at}");
                assert!(kept.iter().all(|text| backups.iter().any(|known| known == text)), "{fails_at}: {backups:?}");
                // The next save works normally.
                save(&(Arc::new(Disk) as Arc<dyn FileSystem>), Sources::default(), &path, b"next").unwrap();
                assert_eq!(std::fs::read_to_string(&path).unwrap(), "next");
                assert_eq!(std::fs::read_to_string(numbered(&path, 1)).unwrap(), wanted);
                cases += 1;
            }
        }
        println!("{cases} faults");
        assert!(cases >= 40, "{cases}");
    }

    #[test]
    fn a_full_disk_does_not_rotate_backups() {
        let (folder, path) = saved_often();
        let before = contents(folder.path());
        for _ in 0..3 {
            // Writing the new bytes is the fifth operation, after those of the lock and opening the file.
            let disk: Arc<dyn FileSystem> = Arc::new(FaultyDisk::new(4, Fault::Full));
            assert!(save(&disk, Sources::default(), &path, b"new").is_err());
        }
        file_set::clean(&Disk, folder.path());
        assert_eq!(contents(folder.path()), before);
    }
}
