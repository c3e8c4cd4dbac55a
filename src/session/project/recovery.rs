//! Work that was not saved: kept aside while a window is open, listed at the next start, removed only when it is safe elsewhere
//! or the user says so.
//!
//! Every state is a file of its own, `KEY-TIME-TOKEN.autosave`: KEY stands for the project, TOKEN for the window. A window holds
//! the lock of its token, so that nobody offers what somebody is still working on.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::document::{Document, file};
use crate::export::file_system::FileSystem;
use crate::export::{ExportError, whole_file};

/// Where a window keeps unsaved work; nowhere for the command line, which has none.
#[derive(Debug, Default)]
pub(in crate::session) struct Recovery {
    place: Option<RecoveryFolder>,
    /// Since when there is unsaved work that is not kept.
    since: Option<Instant>,
    written: Option<Document>,
    /// In the name of the last state, milliseconds since 1970: no two have the same.
    last: u128,
}

#[derive(Debug)]
struct RecoveryFolder {
    folder: PathBuf,
    token: String,
    _lock: Option<File>,
}

/// Unsaved work that can be opened again.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoverableWork {
    /// The file to open.
    pub path: PathBuf,
    /// The project it belongs to; `None` where that was never saved.
    pub project: Option<PathBuf>,
    /// When it was written.
    pub written: SystemTime,
    /// Size of the kept work in bytes.
    pub bytes: u64,
    /// A picture of the window, where one was taken.
    pub picture: Option<PathBuf>,
}

/// The project that work belongs to.
#[derive(Clone, Copy)]
pub(in crate::session) struct Home<'a> {
    /// Its file; `None` where it was never saved.
    pub project: Option<&'a Path>,
    /// Fingerprint of that file as it was opened or saved last.
    pub base: Option<&'a str>,
}

/// What an autosave says of itself besides its document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct About {
    project: Option<PathBuf>,
    /// Fingerprint of the project file that was opened or saved before.
    base: Option<String>,
    /// Fingerprint of the document.
    state: String,
}

/// States kept per project.
const KEPT: usize = 5;
/// How far the clock of a disk may lag behind that of the system.
const COARSE: Duration = Duration::from_millis(10);
/// The extension of kept states.
const EXTENSION: &str = "autosave";

impl Recovery {
    /// Keeps work in `folder` from now on.
    pub fn keep_in(folder: &Path) -> Self {
        let _ = std::fs::create_dir_all(folder);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let token = format!("{:x}x{:x}", std::process::id(), now.as_nanos());
        let lock = File::create(folder.join(format!("{token}.lock"))).ok();
        let lock = lock.filter(|lock| lock.try_lock().is_ok());
        Self { place: Some(RecoveryFolder { folder: folder.to_owned(), token, _lock: lock }), ..Self::default() }
    }

    /// Whether a state of the project is due, `every` after it changed or was kept last.
    pub(super) fn is_due(&mut self, is_unsaved: bool, every: Duration, now: Instant) -> bool {
        if self.place.is_none() || !is_unsaved || every.is_zero() {
            self.since = None;
            return false;
        }
        let since = *self.since.get_or_insert(now);
        now.saturating_duration_since(since) >= every
    }

    /// How long until the next state is due.
    pub(super) fn due_in(&self, every: Duration, now: Instant) -> Option<Duration> {
        Some(every.saturating_sub(now.saturating_duration_since(self.since?)))
    }

    /// Keeps `document` of `project`, unless its present state is kept already; answers where.
    pub fn keep(
        &mut self,
        system: &Arc<dyn FileSystem>,
        document: &Document,
        Home { project, base }: Home,
    ) -> Result<Option<PathBuf>, ExportError> {
        let Some(place) = &self.place else { return Ok(None) };
        self.since = Some(Instant::now());
        if self.written.as_ref() == Some(document) {
            return Ok(None);
        }
        let key = key(project, &place.token);
        self.last = millis().max(self.last + 1);
        let path = place.folder.join(format!("{key}-{:013}-{}.{EXTENSION}", self.last, place.token));
        let base = base.map(str::to_owned);
        let about = About { project: project.map(Path::to_owned), base, state: state(document) };
        whole_file::write_on(system.clone(), &path, &with_about(&file::to_bytes(document, &path), &about))?;
        self.written = Some(document.clone());
        let mut of_project = kept(&place.folder, |name| name.starts_with(&key));
        of_project.sort();
        let superfluous = of_project.len().saturating_sub(KEPT);
        of_project[..superfluous].iter().for_each(|path| remove(path));
        Ok(Some(path))
    }

    /// `document` is safe in `project` now: its kept states go, and others of this window belong to that project.
    pub fn saved(&mut self, system: &Arc<dyn FileSystem>, document: &Document, project: &Path) {
        let Some(place) = &self.place else { return };
        (self.since, self.written) = (None, None);
        let saved = state(document);
        for path in kept(&place.folder, |_| true) {
            let Ok(bytes) = std::fs::read(&path) else { continue };
            let about = about(&bytes);
            if about.state == saved {
                remove(&path);
            } else if about.project.is_none() && is_of(&path, &place.token) {
                // What was never saved is older than the project that it has become.
                let named = About { project: Some(project.to_owned()), ..about };
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let rest = name.split_once('-').map_or("", |(_, rest)| rest);
                let home = place.folder.join(format!("{}-{rest}", key(Some(project), &place.token)));
                if whole_file::write_on(system.clone(), &home, &with_about(&bytes, &named)).is_ok() {
                    let _ = std::fs::rename(picture(&path), picture(&home));
                    remove(&path);
                }
            }
        }
    }

    /// The user gave up this window's work on `project`.
    pub fn discard(&mut self, project: Option<&Path>) {
        let Some(place) = &self.place else { return };
        (self.since, self.written) = (None, None);
        let key = key(project, &place.token);
        kept(&place.folder, |name| name.starts_with(&key))
            .iter()
            .filter(|path| is_of(path, &place.token))
            .for_each(|path| remove(path));
    }

    /// Another document is edited from now on.
    pub fn begin(&mut self) {
        (self.since, self.written) = (None, None);
    }
}

impl Drop for RecoveryFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.folder.join(format!("{}.lock", self.token)));
    }
}

/// All work in `folder` that is newer than its project and that no window is still working on, newest first.
pub fn recoverable(folder: &Path) -> Vec<RecoverableWork> {
    let of_nobody = |path: &PathBuf| !is_alive(folder, path);
    let mut all: Vec<RecoverableWork> =
        kept(folder, |_| true).into_iter().filter(of_nobody).filter_map(described).collect();
    all.sort_by(|a, b| b.written.cmp(&a.written).then_with(|| b.path.cmp(&a.path)));
    all
}

/// Removes one state, as the user asked.
pub fn discard(work: &RecoverableWork) {
    remove(&work.path);
}

/// The project that the autosave `bytes` belongs to.
pub(super) fn project_of(bytes: &[u8]) -> Option<PathBuf> {
    about(bytes).project
}

/// Where the picture of the state at `path` is kept.
pub fn picture(path: &Path) -> PathBuf {
    path.with_extension("png")
}

fn described(path: PathBuf) -> Option<RecoverableWork> {
    let (written, bytes) = (written_at(&path)?, std::fs::metadata(&path).ok()?.len());
    let About { project, base, .. } = about(&std::fs::read(&path).ok()?);
    let saved = project.as_ref().and_then(|project| std::fs::metadata(project).ok()?.modified().ok());
    // A project that is still what the work began with is older in any case.
    let present = || Some(file::fingerprint(&crate::regular_file::all(project.as_ref()?).ok()?));
    let is_newer = saved.is_none_or(|saved| written > saved + COARSE || base.is_some() && present() == base);
    let picture = Some(picture(&path)).filter(|picture| picture.exists());
    is_newer.then_some(RecoverableWork { path, project, written, bytes, picture })
}

fn kept(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_kept = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.extension().is_some_and(|end| end == EXTENSION) && is_wanted(&name)
    };
    entries.filter(is_kept).collect()
}

/// When the state at `path` was written, as its name says: it may have moved to another name since.
fn written_at(path: &Path) -> Option<SystemTime> {
    let name = path.file_stem()?.to_string_lossy().into_owned();
    let millis: u64 = name.split('-').nth(1)?.parse().ok()?;
    UNIX_EPOCH.checked_add(Duration::from_millis(millis))
}

fn token_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    stem.rsplit('-').next().unwrap_or_default().to_owned()
}

fn is_of(path: &Path, token: &str) -> bool {
    token_of(path) == token
}

/// Whether the window that wrote the state at `path` is still open.
fn is_alive(folder: &Path, path: &Path) -> bool {
    let lock = File::open(folder.join(format!("{}.lock", token_of(path))));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(std::fs::TryLockError::WouldBlock)))
}

fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
    let _ = std::fs::remove_file(picture(path));
}

fn key(project: Option<&Path>, token: &str) -> String {
    let text = project.map_or_else(|| token.to_owned(), |project| project.display().to_string());
    file::fingerprint(text.as_bytes())[..16].to_owned()
}

fn state(document: &Document) -> String {
    file::fingerprint(&serde_json::to_vec(document).unwrap_or_default())
}

fn about(bytes: &[u8]) -> About {
    let json: Option<Value> = serde_json::from_slice(bytes).ok();
    json.and_then(|json| serde_json::from_value(json.get("recovery")?.clone()).ok()).unwrap_or_default()
}

fn with_about(bytes: &[u8], about: &About) -> Vec<u8> {
    let Ok(mut json) = serde_json::from_slice::<Value>(bytes) else { return bytes.to_vec() };
    json["recovery"] = serde_json::to_value(about).unwrap_or_default();
    serde_json::to_vec_pretty(&json).unwrap_or_else(|_| bytes.to_vec())
}

fn millis() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}

#[cfg(test)]
mod tests;
