//! The named arrays of an `.npz` archive, or the only one of an `.npy` file.

use std::io::{Cursor, Read as _};
use std::path::Path;

use glam::{Quat, Vec3};
use zip::ZipArchive;

use super::array::{self, Array};
use crate::import::{Fault, ImportError, file_name};
use portamento_base::progress::Progress;

/// Name of the array of an `.npy` file, and the name that NumPy gives to an array saved without one.
pub(super) const UNNAMED: &str = "arr_0";

/// Maximum ratio between unpacked and packed bytes of the Deflate method: 258 bytes take two bits at least.
const MAX_DEFLATE_RATIO: u64 = 1032;

/// The arrays of a file. An array is unpacked when it is asked for, so that others cost nothing and may be of any kind.
pub(super) struct Arrays<'a> {
    path: &'a Path,
    content: Content<'a>,
    progress: &'a Progress,
}

enum Content<'a> {
    Single(&'a [u8]),
    Archive(ZipArchive<Cursor<&'a [u8]>>),
}

impl<'a> Arrays<'a> {
    /// Opens the bytes of an `.npz` or `.npy` file. Returns `Err` if they are neither.
    pub fn open(path: &'a Path, bytes: &'a [u8], progress: &'a Progress) -> Result<Self, ImportError> {
        let content = if bytes.starts_with(array::MAGIC) {
            Content::Single(bytes)
        } else {
            let archive = ZipArchive::new(Cursor::new(bytes));
            let fault = |error| Fault::new("the archive", format!("cannot be opened ({error})")).not_motion(path);
            Content::Archive(archive.map_err(fault)?)
        };
        Ok(Self { path, content, progress })
    }

    /// Returns the names of all arrays, in the order of the file.
    pub fn names(&self) -> Vec<String> {
        match &self.content {
            Content::Single(_) => vec![UNNAMED.to_owned()],
            Content::Archive(archive) => {
                let names = archive.file_names_raw().map(|name| String::from_utf8_lossy(name).into_owned());
                names.filter_map(|name| Some(name.strip_suffix(".npy")?.to_owned())).collect()
            }
        }
    }

    /// Returns the first of `names` that the file has; `None` if it has none of them.
    pub fn first_of(&self, names: &[&'static str]) -> Option<&'static str> {
        let known = self.names();
        names.iter().copied().find(|name| known.iter().any(|one| one == name))
    }

    /// Reads the array `name`.
    ///
    /// Returns `Err` if it is missing or damaged, is no array of finite numbers, exceeds the budget, or the import was cancelled.
    pub fn read(&mut self, name: &str) -> Result<Array, ImportError> {
        let (path, progress) = (self.path, self.progress);
        let array = match &mut self.content {
            Content::Single(bytes) => array::read(name, bytes, path, progress)?,
            Content::Archive(archive) => {
                let not_motion = |fault: Fault| fault.not_motion(path);
                let missing = || Fault::new("the archive", format!("has no array \"{name}\"")).not_motion(path);
                let index = archive.index_for_name(&format!("{name}.npy")).ok_or_else(missing)?;
                let size = unpacked_bytes(archive, index, name).map_err(not_motion)?;
                let _reserved = progress.budget().reserve(size, &|| file_name(path))?;
                let bytes = unpacked(archive, index, size, name).map_err(not_motion)?;
                array::read(name, &bytes, path, progress)?
            }
        };
        progress.step(1, 2)?;
        match array.values.iter().position(|value| !value.is_finite() || value.abs() >= MAX_VALUE) {
            Some(index) => Err(bad_value(name, &array, index).not_motion(self.path)),
            None => Ok(array),
        }
    }

    /// Returns an error about the array `name`. `reason` is the rest of the sentence.
    pub fn fault(&self, name: &str, reason: String) -> ImportError {
        Fault::new(format!("array \"{name}\""), reason).not_motion(self.path)
    }

    /// Takes the memory for the keys of `joints` joints in `frames` frames from the budget. Returns `Err` if the
    /// budget is exceeded.
    pub fn reserve_keys(&self, frames: usize, joints: usize) -> Result<(), ImportError> {
        let keys = (frames as u64).saturating_mul(joints as u64);
        let bytes = keys.saturating_mul((size_of::<Quat>() + size_of::<Vec3>() + size_of::<f32>()) as u64);
        Ok(self.progress.budget().take(bytes, &|| file_name(self.path))?)
    }

    /// Returns the only value of the first of `names` that the file has, or `None` if it is missing or no single number.
    /// `None` too if it cannot be read.
    pub fn number(&mut self, names: &[&'static str]) -> Option<f64> {
        let name = self.first_of(names)?;
        match self.read(name).ok()?.values[..] {
            [value] => Some(f64::from(value)),
            _ => None,
        }
    }
}

/// Values of this size or more are damage: no joint is so far away or turns so often.
const MAX_VALUE: f32 = 1e9;

/// Returns the fault of an array with a value that is not finite or too large. `index` is that of the value; the message
/// names its row.
fn bad_value(name: &str, array: &Array, index: usize) -> Fault {
    let per_frame = array.values.len() / array.shape.first().copied().unwrap_or(1).max(1);
    let (value, frame) = (array.values[index], index / per_frame.max(1));
    Fault::new(format!("array \"{name}\""), format!("has the value {value} in row {frame}"))
}

/// Returns the declared unpacked size of an entry. Returns `Err` if its packed bytes cannot hold that much.
fn unpacked_bytes(archive: &mut ZipArchive<Cursor<&[u8]>>, index: usize, name: &str) -> Result<u64, Fault> {
    let entry = archive.by_index(index).map_err(|error| unreadable(name, &error))?;
    let (size, packed) = (entry.size(), entry.compressed_size());
    if size > packed.saturating_mul(MAX_DEFLATE_RATIO).saturating_add(MAX_DEFLATE_RATIO) {
        let reason = format!("declares {size} bytes, more than its {packed} packed bytes can hold");
        return Err(Fault::new(format!("array \"{name}\""), reason));
    }
    Ok(size)
}

/// Unpacks an entry of `size` bytes. Returns `Err` if it is damaged or has another size.
fn unpacked(archive: &mut ZipArchive<Cursor<&[u8]>>, index: usize, size: u64, name: &str) -> Result<Vec<u8>, Fault> {
    let entry = archive.by_index(index).map_err(|error| unreadable(name, &error))?;
    let mut bytes = Vec::new();
    let reserved = bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX));
    reserved.map_err(|error| unreadable(name, &error))?;
    // One byte more shows that the entry is longer than it says.
    entry.take(size.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| unreadable(name, &error))?;
    if bytes.len() as u64 != size {
        return Err(Fault::new(
            format!("array \"{name}\""),
            format!("does not have the {size} bytes that it declares"),
        ));
    }
    Ok(bytes)
}

/// Returns the fault of the array `name` that cannot be unpacked.
fn unreadable(name: &str, error: &dyn std::fmt::Display) -> Fault {
    Fault::new(format!("array \"{name}\""), format!("cannot be unpacked ({error})"))
}
