//! Crash reports: files next to the recovery data that the user can send.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};
use std::time::{SystemTime, UNIX_EPOCH};

use portamento_formats::export::single_file;

/// Text of the last panic of any thread.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

thread_local! {
    /// Text of the last panic of this thread.
    static LAST_HERE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Installs a panic hook that records the text and backtrace of every panic. Further calls do nothing. The hook that was
/// installed before is still called.
pub fn note_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let text = format!("{info}\n\n{}", Backtrace::force_capture());
            LAST_HERE.with_borrow_mut(|this_thread| this_thread.clone_from(&text));
            if let Ok(mut last) = LAST_PANIC.lock() {
                *last = text;
            }
            before(info);
        }));
    });
}

/// Returns the text of the last panic of this thread; otherwise that of any thread, which may have worked for this
/// one. The text of this thread is forgotten. Empty without a panic.
pub(super) fn last_panic() -> String {
    let this_thread = LAST_HERE.take();
    if this_thread.is_empty() { LAST_PANIC.lock().map(|last| last.clone()).unwrap_or_default() } else { this_thread }
}

/// Writes a report about the last panic to `folder`; returns its path if writing succeeded.
pub fn write(folder: &Path) -> Option<PathBuf> {
    write_about(folder, &last_panic())
}

/// Writes a report about a panic with the text `text` to `folder`; returns its path if writing succeeded.
pub(super) fn write_about(folder: &Path, text: &str) -> Option<PathBuf> {
    let report = format!("Portamento {}\n{}\n\n{text}\n", crate::VERSION, std::env::consts::OS);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let path = folder.join(format!("{PREFIX}{}-{}{ENDING}", now.as_millis(), std::process::id()));
    single_file::write(&path, report.as_bytes()).ok().map(|()| path)
}

/// Returns the newest report in `folder` that was not written before `since`; `None` if there is none or the folder cannot
/// be read.
pub fn newest(folder: &Path, since: SystemTime) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let since = since.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let dated = entries.filter_map(|path| Some((written(&path)?, path)));
    dated.filter(|(millis, _)| *millis >= since).max().map(|(_, path)| path)
}

/// Returns the time of the report at `path`, milliseconds since 1970; `None` if it is not a report.
fn written(path: &Path) -> Option<u128> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix(PREFIX)?.strip_suffix(ENDING)?.split_once('-')?.0.parse().ok()
}

/// Prefix and suffix of report file names.
const PREFIX: &str = "crash-";
const ENDING: &str = ".txt";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_failed_and_where_and_the_newest_is_found() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(newest(folder.path(), UNIX_EPOCH), None);
        std::fs::write(folder.path().join("crash-1-1.txt"), "old").unwrap();
        let before = SystemTime::now() - std::time::Duration::from_millis(1);
        assert_eq!((newest(folder.path(), UNIX_EPOCH).is_some(), newest(folder.path(), before)), (true, None));
        let path = write_about(folder.path(), "index out of bounds, src/here.rs:5").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("Portamento ") && text.contains("src/here.rs:5"), "{text}");
        assert_eq!(newest(folder.path(), before), Some(path));
    }
}
