//! Animations that can only be decoded in order, unpacked once for random access.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use image::Frames;

use super::{info, rate_of, unreadable};
use crate::import::{Fault, ImportError, file, file_name};
use portamento_anim::media::image_clip::{FrameError, FrameSource};
use portamento_anim::media::{Channels, Depth, ImageInfo, Pixels};
use portamento_base::message::Message;
use portamento_base::progress::Progress;

/// Maximum size of an unpacked animation in bytes. Tuned; no derivation recorded.
const MAX_UNPACKED_BYTES: u64 = 4 << 30;

/// An animation unpacked into a temporary file.
pub(super) struct Unpacked {
    file: Mutex<File>,
    name: String,
    info: ImageInfo,
}

/// The folder for unpacked animations.
#[derive(Clone, Copy)]
pub(super) struct TemporaryFolder<'f> {
    path: &'f Path,
    /// Free space there in bytes, or `None` if the system does not report it.
    free_bytes: Option<u64>,
}

impl<'f> TemporaryFolder<'f> {
    pub fn at(path: &'f Path) -> Self {
        Self { path, free_bytes: file::free_bytes(path) }
    }
}

/// Unpacks `frames` of the file at `path` into an unnamed file in `folder`. Returns it with warnings. Returns `Err` if a
/// frame is damaged or has another size than the first, if the frames take too much space, or if the user cancels.
pub(super) fn unpack(
    path: &Path,
    frames: Frames,
    TemporaryFolder { path: folder, free_bytes }: TemporaryFolder,
    progress: &Progress,
) -> Result<(Unpacked, Vec<Message>), ImportError> {
    let mut file = tempfile::tempfile_in(folder).map_err(|reason| no_temporary_file(path, folder, reason))?;
    let (mut delays, mut size) = (Vec::new(), [0, 0]);
    let most = super::max_unpacked_bytes(path).min(MAX_UNPACKED_BYTES);
    for frame in frames {
        progress.step(0, 1)?;
        let wrong = |reason: String| Err(Fault::new(format!("frame {}", delays.len()), reason).in_file(path));
        let frame = match frame {
            Ok(frame) => frame,
            Err(error) => return wrong(unreadable(&error)),
        };
        let (numerator, denominator) = frame.delay().numer_denom_ms();
        let found = [frame.buffer().width(), frame.buffer().height()];
        if !delays.is_empty() && found != size {
            return wrong(format!("has {} × {} pixels but frame 0 has {} × {}", found[0], found[1], size[0], size[1]));
        }
        let unpacked_bytes = (delays.len() as u64 + 1).saturating_mul(frame.buffer().as_raw().len() as u64);
        // At least half of the free space is left to other programs.
        if free_bytes.is_some_and(|free_bytes| unpacked_bytes > free_bytes / 2) {
            return Err(no_temporary_file(path, folder, ErrorKind::StorageFull.into()));
        }
        if unpacked_bytes > most {
            let most = most as f64 / 1e9;
            return wrong(format!("makes the unpacked animation larger than {most:.1} GB. Make it shorter or smaller"));
        }
        size = found;
        delays.push(f64::from(numerator) / f64::from(denominator.max(1)));
        let written = file.write_all(frame.buffer().as_raw());
        written.map_err(|reason| no_temporary_file(path, folder, reason))?;
    }
    if delays.is_empty() {
        return Err(Fault::new("the animation", "has no frames").in_file(path));
    }
    let (fps, warnings) = rate_of(&delays);
    let info = info(path, size, (Depth::U8, Channels::Rgba), delays.len(), fps);
    Ok((Unpacked { file: Mutex::new(file), name: file_name(path), info }, warnings))
}

impl FrameSource for Unpacked {
    fn info(&self) -> ImageInfo {
        self.info
    }

    fn read(&self, index: usize) -> Result<Pixels, FrameError> {
        let wrong = |reason: String| FrameError { frame: index, file: self.name.clone(), reason };
        if index >= self.info.frames {
            return Err(wrong(format!("does not exist; there are {}.", self.info.frames)));
        }
        let mut bytes = vec![0; self.info.frame_bytes()];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let position = SeekFrom::Start(index as u64 * bytes.len() as u64);
        let outcome = file.seek(position).and_then(|_| file.read_exact(&mut bytes));
        outcome.map_err(|error| wrong(format!("{}. Open the file again.", unreadable(&error))))?;
        Ok(Pixels::U8(bytes.as_chunks().0.to_vec()))
    }
}

/// Returns the error that the file at `path` could not be unpacked into `folder`.
fn no_temporary_file(path: &Path, folder: &Path, reason: std::io::Error) -> ImportError {
    ImportError::NoTemporaryFile { file: file_name(path), folder: folder.display().to_string(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_folder_that_takes_nothing_or_is_nearly_full_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("no such folder");
        let frame = || Ok(image::Frame::new(image::RgbaImage::new(2, 2)));
        let frames = || Frames::new(Box::new(std::iter::repeat_with(frame).take(3)));
        let unpack_to = |folder| unpack(Path::new("a.gif"), frames(), folder, &Progress::new());
        let refused = unpack_to(TemporaryFolder::at(&missing)).err().unwrap();
        let sentence = refused.to_string();
        assert!(sentence.contains("a.gif") && sentence.contains("temporary folder"), "{sentence}");
        assert!(sentence.contains("no such folder") && !sentence.contains("could not be read"), "{sentence}");
        let (clip, _) = unpack_to(TemporaryFolder::at(folder.path())).unwrap();
        assert_eq!(clip.info().frames, 3);
        // Three frames of 16 bytes need 48: at most half of the free space may be used.
        let with_free_bytes = |free_bytes| unpack_to(TemporaryFolder { path: folder.path(), free_bytes });
        assert!(with_free_bytes(Some(96)).is_ok() && with_free_bytes(None).is_ok());
        let sentence = with_free_bytes(Some(95)).err().unwrap().to_string();
        assert!(sentence.contains("a.gif") && sentence.contains("Make room there"), "{sentence}");
        assert!(file::free_bytes(folder.path()).is_none_or(|free_bytes| free_bytes > 0));
    }
}
