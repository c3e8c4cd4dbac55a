//! Recovery of unsaved work: stored while a window is open, offered at the next start, and removed only when saved
//! elsewhere or discarded by the user.
//!
//! Every state is a file `KEY-TIME-TOKEN.autosave`: KEY identifies the project, TOKEN the window. A window locks its
//! token, so work of open windows is not offered.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use portamento_formats::export::file_system::FileSystem;
use portamento_formats::export::{ExportError, single_file};
use portamento_takes::document::file::WindowState;
use portamento_takes::document::{Document, file};

/// The recovery data of a window; disabled on the command line.
#[derive(Debug, Default)]
pub(crate) struct Recovery {
    target: Option<RecoveryFolder>,
    /// Time since which there is unsaved work that is not stored.
    since: Option<Instant>,
    written: Option<Document>,
    /// Time in the name of the last state, milliseconds since 1970; strictly increasing.
    last: u128,
}

/// The folder of stored states, with the token of this window and its lock. Dropping it removes the lock file.
#[derive(Debug)]
struct RecoveryFolder {
    folder: PathBuf,
    token: String,
    _lock: Option<File>,
}

/// Unsaved work that can be recovered.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoverableWork {
    /// The file to open.
    pub path: PathBuf,
    /// The project it belongs to; `None` if it was never saved.
    pub project: Option<PathBuf>,
    /// Time of writing.
    pub written: SystemTime,
    /// File size in bytes.
    pub bytes: u64,
    /// A screenshot of the window, if one was taken.
    pub picture: Option<PathBuf>,
}

/// The project that unsaved work belongs to.
#[derive(Clone, Copy)]
pub(crate) struct WorkOrigin<'a> {
    /// The project file; `None` if it was never saved.
    pub project: Option<&'a Path>,
    /// Fingerprint of that file when it was last opened or saved.
    pub base: Option<&'a str>,
}

/// Metadata of an autosave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct About {
    project: Option<PathBuf>,
    /// Fingerprint of the project file when it was last opened or saved.
    base: Option<String>,
    /// Fingerprint of the document.
    state: String,
}

/// Maximum number of states per project.
const MAX_STATES_PER_PROJECT: usize = 5;
/// Maximum lag of file system timestamps behind the system clock. Tuned; no derivation recorded.
const TIMESTAMP_TOLERANCE: Duration = Duration::from_millis(10);
/// File extension of stored states.
const EXTENSION: &str = "autosave";

impl Recovery {
    /// Returns a store of unsaved work in `folder`, which is created if missing. The lock of this session is held until it
    /// is dropped.
    pub fn keep_in(folder: &Path) -> Self {
        let _ = std::fs::create_dir_all(folder);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let token = format!("{:x}x{:x}", std::process::id(), now.as_nanos());
        let lock = File::create_new(folder.join(format!("{token}.lock"))).ok();
        let lock = lock.filter(|lock| lock.try_lock().is_ok());
        Self { target: Some(RecoveryFolder { folder: folder.to_owned(), token, _lock: lock }), ..Self::default() }
    }

    /// True if the interval `every` has passed since a call first found unsaved work, or since the project was last stored. Never
    /// true if `every` is zero, which turns storing off, or without a folder. Remembers the time of that call.
    pub(super) fn is_due(&mut self, is_unsaved: bool, every: Duration, now: Instant) -> bool {
        if self.target.is_none() || !is_unsaved || every.is_zero() {
            self.since = None;
            return false;
        }
        let since = *self.since.get_or_insert(now);
        now.saturating_duration_since(since) >= every
    }

    /// Returns the time until the next state is due, zero if it is overdue; `None` while nothing needs saving.
    pub(super) fn due_in(&self, every: Duration, now: Instant) -> Option<Duration> {
        Some(every.saturating_sub(now.saturating_duration_since(self.since?)))
    }

    /// Stores `document` of the project, unless this state is already stored; returns the path. `window` is for any
    /// path in the folder of stored states.
    pub fn keep(
        &mut self,
        system: &Arc<dyn FileSystem>,
        document: &Document,
        window: WindowState,
        WorkOrigin { project, base }: WorkOrigin,
    ) -> Result<Option<PathBuf>, ExportError> {
        let Some(target) = &self.target else { return Ok(None) };
        self.since = Some(Instant::now());
        if self.written.as_ref() == Some(document) {
            return Ok(None);
        }
        let key = key(project, &target.token);
        self.last = millis().max(self.last + 1);
        let path = target.folder.join(format!("{key}-{:013}-{}.{EXTENSION}", self.last, target.token));
        let base = base.map(str::to_owned);
        let about = About { project: project.map(Path::to_owned), base, state: state(document) };
        let bytes = file::to_bytes_with(document, &path, window);
        single_file::write_on(system.clone(), &path, &with_about(&bytes, &about))?;
        self.written = Some(document.clone());
        let mut project_states = stored_states(&target.folder, |name| name.starts_with(&key));
        project_states.sort();
        let superfluous = project_states.len().saturating_sub(MAX_STATES_PER_PROJECT);
        project_states[..superfluous].iter().for_each(|path| remove(path));
        Ok(Some(path))
    }

    /// Called after `document` was saved to `project`: removes its stored states and assigns other states of this
    /// window to the project.
    pub fn saved(&mut self, system: &Arc<dyn FileSystem>, document: &Document, project: &Path) {
        let Some(target) = &self.target else { return };
        (self.since, self.written) = (None, None);
        let saved = state(document);
        for path in stored_states(&target.folder, |_| true) {
            let Ok(bytes) = portamento_base::regular_file::all(&path) else { continue };
            let about = about(&bytes);
            if about.state == saved {
                remove(&path);
            } else if about.project.is_none() && is_of(&path, &target.token) {
                // Work that was never saved is older than the project saved now.
                let named = About { project: Some(project.to_owned()), ..about };
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let rest = name.split_once('-').map_or("", |(_, rest)| rest);
                let renamed = target.folder.join(format!("{}-{rest}", key(Some(project), &target.token)));
                if single_file::write_on(system.clone(), &renamed, &with_about(&bytes, &named)).is_ok() {
                    let _ = std::fs::rename(picture(&path), picture(&renamed));
                    remove(&path);
                }
            }
        }
    }

    /// Deletes this window's stored work on `project`.
    pub fn discard(&mut self, project: Option<&Path>) {
        let Some(target) = &self.target else { return };
        (self.since, self.written) = (None, None);
        let key = key(project, &target.token);
        stored_states(&target.folder, |name| name.starts_with(&key))
            .iter()
            .filter(|path| is_of(path, &target.token))
            .for_each(|path| remove(path));
    }

    /// Resets the timer for another document. Stored states stay.
    pub fn begin(&mut self) {
        (self.since, self.written) = (None, None);
    }
}

impl Drop for RecoveryFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.folder.join(format!("{}.lock", self.token)));
    }
}

/// Returns the stored work of closed windows that is newer than its project, newest first.
pub fn recoverable(folder: &Path) -> Vec<RecoverableWork> {
    let is_abandoned = |path: &PathBuf| !is_alive(folder, path);
    let mut all: Vec<RecoverableWork> =
        stored_states(folder, |_| true).into_iter().filter(is_abandoned).filter_map(described).collect();
    all.sort_by(|a, b| b.written.cmp(&a.written).then_with(|| b.path.cmp(&a.path)));
    all
}

/// Deletes the autosave of `work` and its screenshot. Errors are ignored.
pub fn discard(work: &RecoverableWork) {
    remove(&work.path);
}

/// Returns the project that the autosave `bytes` belongs to; `None` for a project that was never saved.
pub(super) fn project_of(bytes: &[u8]) -> Option<PathBuf> {
    about(bytes).project
}

/// Returns the path of the screenshot for the state at `path`. The file need not exist.
pub fn picture(path: &Path) -> PathBuf {
    path.with_extension("png")
}

/// Returns the unsaved work in the file at `path`. Returns `None` if it cannot be read or its project was saved later.
fn described(path: PathBuf) -> Option<RecoverableWork> {
    let (written, bytes) = (written_at(&path)?, std::fs::metadata(&path).ok()?.len());
    let About { project, base, .. } = about(&portamento_base::regular_file::all(&path).ok()?);
    let saved = project.as_ref().and_then(|project| std::fs::metadata(project).ok()?.modified().ok());
    // An unchanged project is older in any case, whatever its timestamp.
    let present = || Some(file::fingerprint(&portamento_base::regular_file::all(project.as_ref()?).ok()?));
    let is_newer =
        saved.is_none_or(|saved| written > saved + TIMESTAMP_TOLERANCE || base.is_some() && present() == base);
    let picture = Some(picture(&path)).filter(|picture| picture.exists());
    is_newer.then_some(RecoverableWork { path, project, written, bytes, picture })
}

/// Returns the paths of the recovery files in `folder` whose names are wanted, in no order; none if the folder cannot be read.
fn stored_states(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_state = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.extension().is_some_and(|end| end == EXTENSION) && is_wanted(&name)
    };
    entries.filter(is_state).collect()
}

/// Returns the time in the name of the state at `path`; the file itself may have been rewritten later. `None` if the name has
/// no time.
fn written_at(path: &Path) -> Option<SystemTime> {
    let name = path.file_stem()?.to_string_lossy().into_owned();
    let millis: u64 = name.split('-').nth(1)?.parse().ok()?;
    UNIX_EPOCH.checked_add(Duration::from_millis(millis))
}

/// Returns the part of the file name after the last hyphen, which identifies the session that wrote it.
fn token_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    stem.rsplit('-').next().unwrap_or_default().to_owned()
}

/// True if the session `token` wrote the state at `path`.
fn is_of(path: &Path, token: &str) -> bool {
    token_of(path) == token
}

/// True if the window that wrote the state at `path` is still open. False if it has no lock file.
fn is_alive(folder: &Path, path: &Path) -> bool {
    let lock = portamento_base::regular_file::open(&folder.join(format!("{}.lock", token_of(path))));
    lock.is_ok_and(|(lock, _)| matches!(lock.try_lock(), Err(std::fs::TryLockError::WouldBlock)))
}

/// Removes a state and its picture. Errors are ignored.
fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
    let _ = std::fs::remove_file(picture(path));
}

/// Returns the part of file names that identifies the project, or the session `token` if it was never saved.
fn key(project: Option<&Path>, token: &str) -> String {
    let text = project.map_or_else(|| token.to_owned(), |project| project.display().to_string());
    file::fingerprint(text.as_bytes())[..16].to_owned()
}

/// Returns the fingerprint of the document.
fn state(document: &Document) -> String {
    file::fingerprint(&serde_json::to_vec(document).unwrap_or_default())
}

/// Returns the recovery entry of a stored state; empty if it is missing or damaged.
fn about(bytes: &[u8]) -> About {
    let json: Option<Value> = portamento_base::json::parse(bytes).ok();
    json.and_then(|json| serde_json::from_value(json.get("recovery")?.clone()).ok()).unwrap_or_default()
}

/// Returns the stored state `bytes` with `about` in it, or unchanged if it is not JSON.
fn with_about(bytes: &[u8], about: &About) -> Vec<u8> {
    let Ok(mut json) = portamento_base::json::parse::<Value>(bytes) else { return bytes.to_vec() };
    json["recovery"] = serde_json::to_value(about).unwrap_or_default();
    serde_json::to_vec_pretty(&json).unwrap_or_else(|_| bytes.to_vec())
}

/// Returns the milliseconds since 1970.
fn millis() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}

#[cfg(test)]
mod tests;
