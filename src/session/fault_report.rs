//! What the program says of a fault of its own: a file to send, beside the kept work.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::export::whole_file;

/// What the last panic of any thread said, for the report.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

thread_local! {
    /// What the last panic of this thread said.
    static LAST_HERE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Remembers what a panic says, and where, from now on.
pub fn note_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let said = format!("{info}\n\n{}", Backtrace::force_capture());
            LAST_HERE.with_borrow_mut(|here| here.clone_from(&said));
            if let Ok(mut last) = LAST_PANIC.lock() {
                *last = said;
            }
            before(info);
        }));
    });
}

/// What the last panic of this thread said; else that of whatever thread, which may have worked for this one.
pub(super) fn last_panic() -> String {
    let here = LAST_HERE.take();
    if here.is_empty() { LAST_PANIC.lock().map(|last| last.clone()).unwrap_or_default() } else { here }
}

/// Writes a report to `folder` of what the last panic said; answers where, if the disk takes it.
pub fn write(folder: &Path) -> Option<PathBuf> {
    write_about(folder, &last_panic())
}

/// The same for a panic that `said` this.
pub(super) fn write_about(folder: &Path, said: &str) -> Option<PathBuf> {
    let report = format!("Portamento {}\n{}\n\n{said}\n", env!("PORTAMENTO_VERSION"), std::env::consts::OS);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let path = folder.join(format!("{PREFIX}{}-{}{ENDING}", now.as_millis(), std::process::id()));
    whole_file::write(&path, report.as_bytes()).ok().map(|()| path)
}

/// The newest report in `folder`, where it is no older than `since`.
pub fn newest(folder: &Path, since: SystemTime) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let since = since.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let dated = entries.filter_map(|path| Some((written(&path)?, path)));
    dated.filter(|(millis, _)| *millis >= since).max().map(|(_, path)| path)
}

/// When the report at `path` was written, milliseconds since 1970; `None` where it is no report.
fn written(path: &Path) -> Option<u128> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix(PREFIX)?.strip_suffix(ENDING)?.split_once('-')?.0.parse().ok()
}

/// How the names of reports begin and end.
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
