//! A disk on which one operation fails, counted from 0 over all operations. `portamento_formats` compiles this file into its own tests too.

use std::fs::Metadata;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use portamento_formats::export::file_system::{Disk, FileSystem};

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No room is left.
    Full,
    /// It is not allowed.
    Denied,
    /// Half of the bytes arrive, then the disk fails.
    Torn,
    /// The disk fails.
    Broken,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Full, Self::Denied, Self::Torn, Self::Broken];

    fn error(self) -> Error {
        match self {
            Self::Full => Error::from(ErrorKind::StorageFull),
            Self::Denied => Error::from(ErrorKind::PermissionDenied),
            Self::Torn | Self::Broken => Error::other("input/output error"),
        }
    }
}

/// A disk that fails at one operation, and stays well before and after it.
#[derive(Debug)]
pub struct FaultyDisk {
    fails_at: usize,
    fault: Fault,
    done: AtomicUsize,
    log: Mutex<Vec<(&'static str, PathBuf)>>,
}

impl FaultyDisk {
    /// A disk whose operation number `fails_at` fails with `fault`.
    pub fn new(fails_at: usize, fault: Fault) -> Self {
        Self { fails_at, fault, done: AtomicUsize::new(0), log: Mutex::default() }
    }

    /// A disk that never fails and counts.
    pub fn sound() -> Self {
        Self::new(usize::MAX, Fault::Broken)
    }

    /// How many operations there were.
    pub fn operations(&self) -> usize {
        self.done.load(Ordering::SeqCst)
    }

    /// What was done to which file, in order.
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
    fn create(&self, path: &Path, pieces: &[&[u8]]) -> Result<()> {
        // Opening and writing are two places to fail.
        self.step("open", path)?;
        if let Err(error) = self.step("create", path) {
            if self.fault == Fault::Torn || self.fault == Fault::Full {
                let bytes = pieces.concat();
                std::fs::write(path, &bytes[..bytes.len() / 2])?;
            }
            return Err(error);
        }
        Disk.create(path, pieces)
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
