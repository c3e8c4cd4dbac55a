//! Search for missing sources by name and content in a folder chosen by the user.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::opened::{Unread, fingerprint, shown_name};
use crate::{JobKey, OpenDocument, Session, Severity, Topic};
use portamento_base::message::{Tell, message};
use portamento_base::progress::{Cancelled, Progress};
use portamento_takes::document::{FileId, SourceFile};

/// Maximum number of files and folders to examine, so that searching a whole disk ends.
const MAX_SCANNED_PATHS: usize = 200_000;
/// Maximum number of missing files listed by name; the others are counted.
const MAX_LISTED_FILES: usize = 8;
/// Maximum number of files with another name whose content is compared, per missing source.
const MAX_COMPARED_FILES: usize = 500;

impl Session {
    /// Starts a job that searches `folder` and its subfolders for the missing sources and loads the best match of each, see
    /// [`find`]. Takes are not changed. Adds a notice instead if nothing is missing or another job runs.
    pub(super) fn find_missing(&mut self, folder: PathBuf) {
        let is_reading = self.jobs.running().next().is_some();
        let missing: Vec<SourceFile> = self.opened().missing_sources().filter(|_| !is_reading).cloned().collect();
        if missing.is_empty() {
            let message = message!("notice.nothing_missing", "No file of the project is missing.");
            return self.notices.add(Severity::Info, message);
        }
        let work = move |progress: &Progress| find(&folder, &missing, progress);
        self.jobs.start(JobKey::FindMissing, work, |session, found: Result<Found, Cancelled>| match found {
            Ok(found) => session.take_found(&found),
            Err(stopped) => session.notices.add(Severity::Info, stopped.message()),
        });
        self.poll();
    }

    /// Gives the missing files of `found` their new paths and reads them. Adds a notice with the files that are still missing.
    fn take_found(&mut self, found: &Found) {
        let still_missing = named(self.opened().missing_sources().filter(|file| !found.contains_key(&file.id)));
        for file in &mut self.document.files {
            if let Some(path) = found.get(&file.id) {
                self.notices.succeed(&Topic::Read(file.path.clone()));
                file.path.clone_from(path);
                self.preferences.remember(path);
            }
        }
        let sources = self.document.files.iter().filter(|file| found.contains_key(&file.id)).cloned().collect();
        self.load_for_project(sources);
        if let Some(files) = still_missing {
            let message = message!(
                "notice.still_missing",
                "Not found: %{files}. Choose another folder. The takes are kept.",
                files = files,
            );
            self.notices.add(Severity::Warning, message);
        }
    }

    /// Adds a notice with the missing sources of an opened project, and one for each of the first `reasons` why files could
    /// not be read.
    pub(super) fn report_missing(&mut self, reasons: Vec<Unread>) {
        reasons.into_iter().take(MAX_LISTED_FILES).for_each(|unread| self.report_unread(unread));
        if let Some(files) = named(self.opened().missing_sources()) {
            let message = message!(
                "notice.missing",
                "Missing: %{files}. The takes are kept. Use Find missing files in the File menu and choose a folder.",
                files = files,
            );
            self.notices.add(Severity::Warning, message);
        }
    }
}

impl<'a> OpenDocument<'a> {
    /// Iterates over the project sources that are not loaded, also while they are being read.
    fn missing_sources(self) -> impl Iterator<Item = &'a SourceFile> {
        self.document.files.iter().filter(move |file| self.library.get(file.id).is_none())
    }
}

/// Returns the names of the first few `files` as a list; `None` if there are none. Each name occurs once, sorted.
fn named<'f>(files: impl Iterator<Item = &'f SourceFile>) -> Option<String> {
    let names: BTreeSet<String> = files.map(|file| shown_name(&file.path)).collect();
    let mut words: Vec<String> = names.iter().take(MAX_LISTED_FILES).cloned().collect();
    if names.len() > MAX_LISTED_FILES {
        words.push(format!("… (+{})", names.len() - MAX_LISTED_FILES));
    }
    (!words.is_empty()).then(|| words.join(", "))
}

/// The new path of each missing source.
type Found = BTreeMap<FileId, PathBuf>;

/// Returns the best match for each of `missing` in `folder`: same name and content, otherwise same content and extension,
/// otherwise same name. Files without a match are missing in the result. Returns `Err` if `progress` is cancelled.
fn find(folder: &Path, missing: &[SourceFile], progress: &Progress) -> Result<Found, Cancelled> {
    let all = scan(folder, progress)?;
    let mut found = Found::new();
    for (index, source) in missing.iter().enumerate() {
        progress.step(index, missing.len())?;
        let is_same = |path: &&PathBuf| fingerprint(path, &progress.part()).is_ok_and(|hash| hash == source.hash);
        let named: Vec<&PathBuf> = all.iter().filter(|path| path.file_name() == source.path.file_name()).collect();
        let same_name = named.iter().copied().find(is_same);
        let kind = source.path.extension().map(OsStr::to_ascii_lowercase);
        let of_kind = |path: &&PathBuf| kind.is_some() && path.extension().map(OsStr::to_ascii_lowercase) == kind;
        let same_content = || all.iter().filter(of_kind).take(MAX_COMPARED_FILES).find(is_same);
        if let Some(path) = same_name.or_else(same_content).or_else(|| named.first().copied()) {
            found.insert(source.id, path.clone());
        }
    }
    Ok(found)
}

/// Returns every file and folder below `folder`, sorted by path. Symbolic links to folders are not followed, and unreadable
/// folders are skipped. Stops soon after [`MAX_SCANNED_PATHS`] paths. Returns `Err` if cancelled.
fn scan(folder: &Path, progress: &Progress) -> Result<Vec<PathBuf>, Cancelled> {
    let (mut all, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        progress.step(0, 1)?;
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                open.push(entry.path());
            }
            if kind.is_dir() || entry.path().is_file() {
                all.push(entry.path());
            }
        }
        if all.len() > MAX_SCANNED_PATHS {
            break;
        }
    }
    all.sort();
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, FileCommand};
    use portamento_takes::document::Document;

    fn perform(session: &mut Session, command: FileCommand) {
        session.perform(Command::File(command));
        session.update(0.0, true);
    }

    /// Writes the samples, moves and renames a character, and moves a level while a file with its name has other
    /// content.
    fn moved() -> (tempfile::TempDir, Session) {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        crate::samples::write_all(folder.path()).unwrap();
        std::fs::create_dir_all(at("other/deep")).unwrap();
        std::fs::create_dir_all(at("other/a")).unwrap();
        std::fs::rename(at("hero.glb"), at("other/deep/heroine.GLB")).unwrap();
        std::fs::write(at("other/a/yard.glb"), "something else").unwrap();
        std::fs::rename(at("yard.glb"), at("other/deep/yard.glb")).unwrap();
        let mut session = Session::inline();
        perform(&mut session, FileCommand::Open(vec![at("samples.portamento")]));
        (folder, session)
    }

    #[test]
    fn a_project_opens_without_its_sources_and_finds_them_by_content() {
        let (folder, mut session) = moved();
        let names = |session: &Session| -> Vec<String> {
            session.opened().missing_sources().map(|file| shown_name(&file.path)).collect()
        };
        assert_eq!(names(&session), ["hero.glb", "yard.glb"]);
        let texts: Vec<String> = session.notices.all().iter().map(|notice| notice.text()).collect();
        assert!(texts.iter().any(|text| text.contains("Missing: hero.glb, yard.glb.")), "{texts:?}");
        let takes = session.document.takes.clone();
        perform(&mut session, FileCommand::FindMissing(folder.path().join("other/a")));
        assert_eq!(names(&session), ["hero.glb", "yard.glb"], "a file that only has the name cannot be read");
        perform(&mut session, FileCommand::FindMissing(folder.path().join("other")));
        assert_eq!((names(&session), &session.document.takes), (vec![], &takes));
        let path_of = |name: &str| folder.path().join("other/deep").join(name);
        let paths: Vec<&PathBuf> = session.document.files.iter().map(|file| &file.path).collect();
        assert!(paths.contains(&&path_of("heroine.GLB")) && paths.contains(&&path_of("yard.glb")), "{paths:?}");
        assert!(session.is_unsaved() && session.built(&takes[0]).is_ok());
        perform(&mut session, FileCommand::FindMissing(folder.path().to_owned()));
        assert!(session.notices.all().last().unwrap().text().contains("No file"));
    }

    #[test]
    fn a_cancelled_search_finds_nothing() {
        let (folder, session) = moved();
        let missing: Vec<SourceFile> = session.opened().missing_sources().cloned().collect();
        let progress = Progress::new();
        progress.cancel();
        assert_eq!(find(folder.path(), &missing, &progress), Err(Cancelled));
    }

    #[cfg(unix)]
    #[test]
    fn a_named_pipe_with_the_right_name_is_skipped() {
        let (folder, session) = moved();
        let missing: Vec<SourceFile> = session.opened().missing_sources().cloned().collect();
        let pipe = folder.path().join("other").join("hero.glb");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let found = find(folder.path(), &missing, &Progress::new()).unwrap();
        assert!(found.values().any(|path| path.ends_with("heroine.GLB")), "{found:?}");
    }

    #[test]
    fn a_file_named_by_thousands_of_sources_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let path = folder.path().join("many.portamento");
        let file = |id| SourceFile {
            id: FileId(id),
            path: folder.path().join(if id % 2 == 0 { "flame.apng" } else { "gone.glb" }),
            hash: String::new(),
            metres_per_unit: 1.0,
            up: None,
            fps: None,
            sheet: None,
        };
        let document = Document { files: (0..30_000).map(file).collect(), next_id: 30_000, ..Document::default() };
        std::fs::write(&path, portamento_takes::document::file::to_bytes(&document, &path)).unwrap();
        let mut session = Session::inline();
        perform(&mut session, FileCommand::Open(vec![path]));
        let loaded = |id| session.library.get(FileId(id)).unwrap();
        assert_eq!(loaded(0), loaded(29_998), "the same in memory");
        let texts: Vec<String> = session.notices.all().iter().map(|notice| notice.text()).collect();
        assert!(texts.len() == 3 && texts.iter().any(|text| text.contains("Missing: gone.glb.")), "{texts:?}");
    }

    #[test]
    fn the_first_files_are_named_and_the_rest_is_counted() {
        let named = |count: u32| {
            let file = |id| SourceFile {
                id: FileId(id),
                path: format!("{id}.glb").into(),
                hash: String::new(),
                metres_per_unit: 1.0,
                up: None,
                fps: None,
                sheet: None,
            };
            super::named((0..count).map(file).collect::<Vec<_>>().iter())
        };
        assert_eq!((named(0), named(2)), (None, Some("0.glb, 1.glb".to_owned())));
        let all = named(MAX_LISTED_FILES as u32).unwrap();
        assert!(all.ends_with("7.glb"), "{all}");
        let more = named(MAX_LISTED_FILES as u32 + 3).unwrap();
        assert!(more.ends_with(", … (+3)"), "{more}");
    }
}
