//! The file operations of the export, as a trait so that tests can make each of them fail.

use std::fmt::Debug;
use std::fs::{File, Metadata};
use std::io::{Result, Write as _};
use std::path::Path;

/// A file system to write to.
pub trait FileSystem: Debug + Send + Sync {
    /// Writes `bytes` to a new file at `path`, which must not exist. [`sync`](Self::sync) makes them durable.
    fn create(&self, path: &Path, bytes: &[u8]) -> Result<()>;
    /// Flushes the bytes of the file at `path` to the disk.
    fn sync(&self, path: &Path) -> Result<()>;
    /// Sets the permissions of the file at `path` to those of `like`.
    fn permit(&self, path: &Path, like: &Metadata) -> Result<()>;
    /// Renames `from` to `to`, replacing an existing file.
    fn rename(&self, from: &Path, to: &Path) -> Result<()>;
    /// Creates a hard link `to` to the file `from`, or a copy if hard links are not supported.
    fn link(&self, from: &Path, to: &Path) -> Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> Result<()>;
    /// Creates a folder and its missing parents.
    fn create_folder(&self, path: &Path) -> Result<()>;
    /// Flushes the entries of `folder` to the disk.
    fn sync_folder(&self, folder: &Path) -> Result<()>;
}

/// The local disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl FileSystem for Disk {
    fn create(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        File::create_new(path)?.write_all(bytes)
    }

    fn sync(&self, path: &Path) -> Result<()> {
        // Some systems require write access for a flush.
        File::options().append(true).open(path)?.sync_all()
    }

    fn permit(&self, path: &Path, like: &Metadata) -> Result<()> {
        std::fs::set_permissions(path, like.permissions())
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        std::fs::rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        std::fs::hard_link(from, to).or_else(|_| std::fs::copy(from, to).map(|_| ()))
    }

    fn remove(&self, path: &Path) -> Result<()> {
        std::fs::remove_file(path)
    }

    fn create_folder(&self, path: &Path) -> Result<()> {
        std::fs::create_dir_all(path)
    }

    fn sync_folder(&self, folder: &Path) -> Result<()> {
        // On Unix a folder can be opened and flushed.
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }
}

/// A file system on which one operation fails, counted from 0 over all operations.
#[cfg(test)]
pub(crate) mod faulty {
    use std::io::{Error, ErrorKind};
    use std::path::PathBuf;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// The kind of failure.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Fault {
        /// No space is left.
        Full,
        /// Permission is denied.
        Denied,
        /// Half of the bytes are written, then the disk fails.
        Torn,
        /// The disk fails.
        Broken,
    }

    impl Fault {
        /// Every kind of failure.
        pub const ALL: [Self; 4] = [Self::Full, Self::Denied, Self::Torn, Self::Broken];

        fn error(self) -> Error {
            match self {
                Self::Full => Error::from(ErrorKind::StorageFull),
                Self::Denied => Error::from(ErrorKind::PermissionDenied),
                Self::Torn | Self::Broken => Error::other("input/output error"),
            }
        }
    }

    /// A file system that fails at one operation and works before and after it.
    #[derive(Debug)]
    pub struct FaultyDisk {
        fails_at: usize,
        fault: Fault,
        done: AtomicUsize,
        log: Mutex<Vec<(&'static str, PathBuf)>>,
    }

    impl FaultyDisk {
        /// Creates a file system whose operation number `fails_at` fails with `fault`.
        pub fn new(fails_at: usize, fault: Fault) -> Self {
            Self { fails_at, fault, done: AtomicUsize::new(0), log: Mutex::default() }
        }

        /// Creates a file system that never fails and counts the operations.
        pub fn sound() -> Self {
            Self::new(usize::MAX, Fault::Broken)
        }

        /// Returns the number of operations so far.
        pub fn operations(&self) -> usize {
            self.done.load(Ordering::SeqCst)
        }

        /// Returns the operations and their files, in order.
        pub fn log(&self) -> Vec<(&'static str, PathBuf)> {
            self.log.lock().unwrap().clone()
        }

        fn step(&self, what: &'static str, path: &Path) -> Result<()> {
            self.log.lock().unwrap().push((what, path.to_owned()));
            let number = self.done.fetch_add(1, Ordering::SeqCst);
            if number == self.fails_at { Err(self.fault.error()) } else { Ok(()) }
        }
    }

    impl FileSystem for FaultyDisk {
        fn create(&self, path: &Path, bytes: &[u8]) -> Result<()> {
            // Opening and writing count as two operations.
            self.step("open", path)?;
            let half = &bytes[..bytes.len() / 2];
            if let Err(error) = self.step("create", path) {
                if self.fault == Fault::Torn || self.fault == Fault::Full {
                    std::fs::write(path, half)?;
                }
                return Err(error);
            }
            Disk.create(path, bytes)
        }

        fn sync(&self, path: &Path) -> Result<()> {
            self.step("sync", path)?;
            Disk.sync(path)
        }

        fn permit(&self, path: &Path, like: &Metadata) -> Result<()> {
            self.step("permit", path)?;
            Disk.permit(path, like)
        }

        fn rename(&self, from: &Path, to: &Path) -> Result<()> {
            self.step("rename", to)?;
            Disk.rename(from, to)
        }

        fn link(&self, from: &Path, to: &Path) -> Result<()> {
            self.step("link", to)?;
            Disk.link(from, to)
        }

        fn remove(&self, path: &Path) -> Result<()> {
            self.step("remove", path)?;
            Disk.remove(path)
        }

        fn create_folder(&self, path: &Path) -> Result<()> {
            self.step("create folder", path)?;
            Disk.create_folder(path)
        }

        fn sync_folder(&self, folder: &Path) -> Result<()> {
            self.step("sync folder", folder)?;
            Disk.sync_folder(folder)
        }
    }
}
