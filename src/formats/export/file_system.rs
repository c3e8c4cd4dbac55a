//! The file operations of the export, as a trait so that tests can make each of them fail.

use std::fmt::Debug;
use std::fs::{File, Metadata};
use std::io::{Result, Write as _};
use std::path::Path;

use portamento_base::regular_file;

/// A file system to write to.
pub trait FileSystem: Debug + Send + Sync {
    /// Writes `pieces` one after another to a new file at `path`, which must not exist. [`sync`](Self::sync) makes them durable.
    fn create(&self, path: &Path, pieces: &[&[u8]]) -> Result<()>;
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
    fn create(&self, path: &Path, pieces: &[&[u8]]) -> Result<()> {
        let mut file = File::create_new(path)?;
        pieces.iter().try_for_each(|piece| file.write_all(piece))
    }

    fn sync(&self, path: &Path) -> Result<()> {
        // Some systems require write access for a flush.
        regular_file::open_with(File::options().append(true), path)?.0.sync_all()
    }

    fn permit(&self, path: &Path, like: &Metadata) -> Result<()> {
        std::fs::set_permissions(path, like.permissions())
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        std::fs::rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        std::fs::hard_link(from, to).or_else(|_| {
            let (mut old, _) = regular_file::open(from)?;
            std::io::copy(&mut old, &mut File::create_new(to)?).map(|_| ())
        })
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
