//! Files read by an opening job.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rayon::prelude::*;

use super::stamp::{Stamp, Stamps};
use super::unreadable::unreadable;
use crate::background::in_background;
use crate::export::files_read;
use crate::notices::about;
use crate::{Session, Topic};
use portamento_base::message::{Message, Tell};
use portamento_base::progress::Progress;
use portamento_base::regular_file;
use portamento_formats::import::{self, Imported};
use portamento_takes::document::{Asset, FileId, Loaded, file};

/// A file read by an opening job.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    pub path: PathBuf,
    /// Fingerprint of the file at `path`.
    pub hash: String,
    /// Stamps of the file and of all files that it refers to, before they were read.
    pub stamps: Stamps,
    pub loaded: Asset<Loaded>,
    pub metres_per_unit: f64,
    pub warnings: Vec<Message>,
    /// Messages about guesses, see [`Imported::guesses`].
    pub guesses: Vec<Message>,
}

impl Opened {
    /// Returns the warnings of a file that the project already contains, without guesses, which may have been
    /// corrected since.
    pub fn warnings_after_reload(&self) -> Vec<Message> {
        self.named(self.warnings.iter())
    }

    /// Returns all warnings, each with the file's name.
    pub fn warnings(&self) -> Vec<Message> {
        self.named(self.warnings.iter().chain(&self.guesses))
    }

    /// Returns `warnings`, each with the file's name unless it mentions the name already.
    fn named<'a>(&self, warnings: impl Iterator<Item = &'a Message>) -> Vec<Message> {
        let name = shown_name(&self.path);
        let with_name = |warning: &Message| {
            if warning.mentions(&name) { warning.clone() } else { about(&name, warning.clone()) }
        };
        warnings.map(with_name).collect()
    }
}

/// A file that an opening job could not read.
#[derive(Clone, Debug)]
pub(super) struct Unread {
    pub path: PathBuf,
    pub reason: Message,
}

/// Reads `paths` in parallel; results are in the order of `paths`. Cancelled reads are omitted, because their results
/// are not used.
pub(super) fn read_all(paths: &[PathBuf], progress: &Progress) -> Vec<Result<Opened, Unread>> {
    let read = |path: &Path, progress: &Progress| {
        read(path, progress).map_err(|reason| Unread { path: file::absolute(path), reason })
    };
    if let [only] = paths {
        return vec![read(only, progress)];
    }
    let opened = |path: &PathBuf| {
        let part = progress.one_of(paths.len());
        part.step(0, 1).ok()?;
        let opened = read(path, &part);
        part.finish().ok()?;
        Some(opened)
    };
    in_background(|| paths.par_iter().filter_map(opened).collect())
}

impl Session {
    /// Records that source `id` was read as `opened`, see [`ReadFiles::note`](super::ReadFiles), and removes errors about
    /// the file from the screen.
    pub(super) fn note_read(&mut self, id: FileId, opened: &Opened) -> bool {
        self.notices.succeed(&Topic::Read(opened.path.clone()));
        self.read.note(id, opened)
    }

    /// Adds an error about a file that could not be read.
    pub(super) fn report_unread(&mut self, Unread { path, reason }: Unread) {
        self.notices.fail(Topic::Read(path), reason);
    }
}

/// Maximum number of times that a file is read while another program writes it.
const MAX_READS: usize = 3;
/// Age from which a file counts as finished although its stamp before reading is unknown, seconds. Some file systems round
/// times to two seconds.
const FINISHED_AGE: Duration = Duration::from_secs(3);

/// Reads the file at `path`. If another program writes it or a file that it refers to meanwhile, reads again, so that
/// content, fingerprint and stamps belong together. Returns the last attempt after [`MAX_READS`] attempts.
fn read(path: &Path, progress: &Progress) -> Result<Opened, Message> {
    let mut before = Stamp::of_all([file::absolute(path)]);
    for _ in 1..MAX_READS {
        let finished = SystemTime::now() - FINISHED_AGE;
        let result = read_once(path, progress);
        let files = result.as_ref().map_or_else(|_| vec![path.to_owned()], |opened| files_read(path, &opened.loaded));
        let after = Stamp::of_all(files.iter().map(|read| file::absolute(read)));
        let is_old = |stamp: &Option<Stamp>| stamp.is_none_or(|stamp| stamp.is_before(finished));
        if after.iter().all(|(file, stamp)| before.get(file).map_or_else(|| is_old(stamp), |known| known == stamp)) {
            return result.map(|opened| Opened { stamps: after, ..opened });
        }
        before = after;
    }
    read_once(path, progress).map(|opened| Opened { stamps: before, ..opened })
}

/// Reads the file at `path`, without stamps. Returns `Err` if it cannot be read, or if cancelled.
fn read_once(path: &Path, progress: &Progress) -> Result<Opened, Message> {
    // Before the import: content that is newer than its fingerprint is read again, older content would not be.
    let hash = fingerprint(path, progress);
    let imported = import::import_within(path, progress).map_err(|error| error.message())?;
    let hash = hash.map_err(|error| unreadable(path, &error))?;
    let Imported { model, source, footage, level, images, up, .. } = imported;
    let loaded = Asset::new(Loaded { model, source, footage, level, images, up, ..Loaded::default() });
    Ok(Opened {
        path: file::absolute(path),
        hash,
        stamps: Stamps::new(),
        loaded,
        metres_per_unit: imported.metres_per_unit,
        warnings: imported.warnings,
        guesses: imported.guesses,
    })
}

/// Returns the fingerprint of a file's bytes; for a folder, that of file names, sizes and the first file's bytes. Returns
/// `Err` if they cannot be read, or if cancelled.
pub(crate) fn fingerprint(path: &Path, progress: &Progress) -> std::io::Result<String> {
    let check_cancelled = || progress.step(1, 1).map_err(std::io::Error::other);
    if !path.is_dir() {
        return file::fingerprint_of(regular_file::open(path)?.0, check_cancelled);
    }
    let entries = std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files: Vec<PathBuf> = entries.collect::<Result<_, std::io::Error>>()?;
    files.retain(|file| file.is_file());
    files.sort();
    let mut text = String::new();
    for file in &files {
        text += &format!("{} {}\n", shown_name(file), file.metadata()?.len());
    }
    match files.first() {
        Some(first) => file::fingerprint_of(regular_file::open(first)?.0.chain(text.as_bytes()), check_cancelled),
        None => Ok(file::fingerprint(text.as_bytes())),
    }
}

/// Returns the name of the file at `path` for display, or the whole path if it has no name.
pub(crate) fn shown_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_files_are_returned_in_order_with_progress() {
        let assets = portamento_test_support::asset("");
        let files = ["hero.glb", "missing.glb", "yard.glb", "hero.glb"].map(|name| assets.join(name));
        let progress = Progress::new();
        let all = read_all(&files, &progress);
        let names: Vec<Option<String>> =
            all.iter().map(|opened| opened.as_ref().ok().map(|opened| shown_name(&opened.path))).collect();
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(names, [named("hero.glb"), None, named("yard.glb"), named("hero.glb")]);
        assert_eq!(progress.fraction(), 1.0);
        progress.cancel();
        assert!(read_all(&files, &progress).is_empty());
    }
}
