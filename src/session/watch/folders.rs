//! The watched folders: the system reports events in them, or their files are compared from time to time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

/// The folders of the watched files.
pub(super) struct Folders {
    /// `None` if the system offers no events.
    watcher: Option<RecommendedWatcher>,
    /// True for folders whose files must be compared from time to time, because events may be missing.
    is_polled: BTreeMap<PathBuf, bool>,
}

impl Folders {
    /// Returns an empty list of folders. Without `watcher`, all folders are polled.
    pub fn new(watcher: Option<RecommendedWatcher>) -> Self {
        Self { watcher, is_polled: BTreeMap::new() }
    }

    /// Watches exactly `folders`.
    pub fn follow(&mut self, folders: &BTreeSet<PathBuf>) {
        let old: Vec<PathBuf> = self.is_polled.keys().filter(|known| !folders.contains(*known)).cloned().collect();
        for folder in old {
            self.stop_watching(&folder);
            self.is_polled.remove(&folder);
        }
        for folder in folders {
            if !self.is_polled.contains_key(folder) {
                self.start_watching(folder);
            }
        }
    }

    /// True if `path` is a watched folder.
    pub fn contains(&self, path: &Path) -> bool {
        self.is_polled.contains_key(path)
    }

    /// Watches the folder that is now at `folder`, which may be another one than before.
    pub fn restart_watching(&mut self, folder: &Path) {
        self.stop_watching(folder);
        self.start_watching(folder);
    }

    /// Tries again to watch the folders that could not be watched.
    pub fn retry(&mut self) {
        let polled: Vec<PathBuf> =
            self.is_polled.iter().filter(|(_, polled)| **polled).map(|(path, _)| path.clone()).collect();
        polled.iter().for_each(|folder| self.restart_watching(folder));
    }

    /// True if the files of some folder must be compared from time to time.
    pub fn need_polling(&self) -> bool {
        self.is_polled.values().any(|&polled| polled)
    }

    /// Watches `folder`, and polls it as well if events may be missing.
    fn start_watching(&mut self, folder: &Path) {
        let watched =
            self.watcher.as_mut().is_some_and(|watcher| watcher.watch(folder, RecursiveMode::NonRecursive).is_ok());
        self.is_polled.insert(folder.to_owned(), !watched || is_remote(folder));
    }

    /// Ends the events of `folder`; it stays in the list.
    fn stop_watching(&mut self, folder: &Path) {
        // The folder may be gone, and with it the watch.
        let _ = self.watcher.as_mut().map(|watcher| watcher.unwatch(folder));
    }
}

/// True if other machines may change the folder without an event on this one.
#[cfg(target_os = "linux")]
fn is_remote(folder: &Path) -> bool {
    // Magic numbers of `statfs(2)`: NFS, SMB, CIFS, SMB2, FUSE, 9P, Coda, AFS, Ceph, VirtualBox, Lustre.
    const REMOTE: [u32; 11] = [
        0x6969,
        0x517b,
        0xff53_4d42,
        0xfe53_4d42,
        0x6573_5546,
        0x0102_1997,
        0x7375_7245,
        0x5346_414f,
        0x00c3_6400,
        0x786f_4256,
        0x0bd0_0bd0,
    ];
    // The type is signed on some machines and wider than 32 bits on most.
    rustix::fs::statfs(folder).is_ok_and(|data| REMOTE.contains(&(data.f_type as u32)))
}

/// True if other machines may change the folder without an event on this one.
#[cfg(not(target_os = "linux"))]
fn is_remote(_: &Path) -> bool {
    false
}
