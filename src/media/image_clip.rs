//! A sequence of images that is read frame by frame and never held whole.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Depth, Pixels};
use crate::message::{Message, Tell, display_in_english, message};

/// What is true of every frame of a sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImageInfo {
    /// Width of every frame in pixels.
    pub width: u32,
    /// Height of every frame in pixels.
    pub height: u32,
    /// Bits per channel.
    pub depth: Depth,
    /// Whether colours are multiplied by alpha already, as EXR has them.
    pub premultiplied: bool,
    /// Whether colours are linear light, as EXR has them, and not sRGB.
    pub linear: bool,
    /// Number of frames.
    pub frames: usize,
    /// Frames per second, above 0.
    pub fps: f64,
}

impl ImageInfo {
    /// Pixels in one frame.
    pub fn pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Bytes of one frame in memory.
    pub fn frame_bytes(&self) -> usize {
        self.pixels() * self.depth.bytes_per_pixel()
    }

    /// Frames worth making at the same time: one per thread, as long as they and what they are made of stay within 512 MiB.
    pub fn at_once(&self) -> usize {
        ((128 << 20) / self.frame_bytes().max(1)).clamp(1, rayon::current_num_threads())
    }
}

/// Why a frame could not be had.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct FrameError {
    /// Counted from 0.
    pub frame: usize,
    /// The file it is in.
    pub file: String,
    /// What is wrong and what to do, as the rest of the sentence.
    pub reason: String,
}

display_in_english!(FrameError);

impl Tell for FrameError {
    fn message(&self) -> Message {
        let Self { frame, file, reason } = self;
        message!("error.frame", "Frame %{frame} (%{file}) %{reason}", frame, file, reason)
    }
}

/// Something that gives frames in any order. The same frame is always the same pixels.
pub trait FrameSource: Send + Sync {
    /// What is true of every frame.
    fn info(&self) -> ImageInfo;

    /// Frame `index`, `info().pixels()` pixels of `info().depth`. Errors when it is missing, damaged or of another size.
    fn read(&self, index: usize) -> Result<Pixels, FrameError>;
}

/// Bytes of decoded frames that [`ImageClip`] keeps unless told otherwise: 256 MiB, 30 frames of 2K at 8 bits.
pub const CACHE_BYTES: usize = 256 << 20;

/// An image sequence with a bounded memory of the frames used last. Cloning shares both.
#[derive(Clone)]
pub struct ImageClip {
    /// The file's or folder's name.
    pub name: String,
    /// What is true of every frame.
    pub info: ImageInfo,
    source: Arc<dyn FrameSource>,
    recent: Arc<Mutex<Recent>>,
}

/// Frames in memory, the one used last at the end.
#[derive(Default)]
struct Recent {
    limit: usize,
    frames: Vec<(usize, Arc<Pixels>)>,
}

impl ImageClip {
    /// A clip over `source` that keeps at most `cache_bytes` of decoded frames, but always one.
    pub fn new(name: impl Into<String>, source: Arc<dyn FrameSource>, cache_bytes: usize) -> Self {
        let info = source.info();
        let limit = (cache_bytes / info.frame_bytes().max(1)).max(1);
        Self { name: name.into(), info, source, recent: Arc::new(Mutex::new(Recent { limit, frames: Vec::new() })) }
    }

    /// Frame `index`, from memory where it was used lately.
    pub fn frame(&self, index: usize) -> Result<Arc<Pixels>, FrameError> {
        let known = self.recent().reuse(index);
        if let Some(known) = known {
            return Ok(known);
        }
        // Decoded outside the lock, so that two frames can be decoded at once.
        let pixels = self.read(index)?;
        self.recent().put(index, pixels.clone());
        Ok(pixels)
    }

    /// Frame `index` for a single look: from memory where it is there, else read and not kept.
    pub fn peek(&self, index: usize) -> Result<Arc<Pixels>, FrameError> {
        let known = self.recent().frames.iter().find(|(known, _)| *known == index).map(|(_, pixels)| pixels.clone());
        known.map_or_else(|| self.read(index), Ok)
    }

    fn read(&self, index: usize) -> Result<Arc<Pixels>, FrameError> {
        let pixels = self.source.read(index)?;
        if pixels.len() != self.info.pixels() || pixels.depth() != self.info.depth {
            let reason = "is not of the size the sequence began with. Export the sequence again at one size.".into();
            return Err(FrameError { frame: index, file: self.name.clone(), reason });
        }
        Ok(Arc::new(pixels))
    }

    /// Bytes of decoded frames held now.
    pub fn cached_bytes(&self) -> usize {
        self.recent().frames.len() * self.info.frame_bytes()
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recent {
    fn reuse(&mut self, index: usize) -> Option<Arc<Pixels>> {
        let at = self.frames.iter().position(|(known, _)| *known == index)?;
        self.frames[at..].rotate_left(1);
        self.frames.last().map(|(_, pixels)| pixels.clone())
    }

    fn put(&mut self, index: usize, pixels: Arc<Pixels>) {
        self.frames.retain(|(known, _)| *known != index);
        if self.frames.len() >= self.limit {
            self.frames.remove(0);
        }
        self.frames.push((index, pixels));
    }
}

impl std::fmt::Debug for ImageClip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ImageClip").field("name", &self.name).field("info", &self.info).finish_non_exhaustive()
    }
}

/// Two clips are equal when they read the same source, not when their pixels happen to agree.
impl PartialEq for ImageClip {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.source, &other.source)
    }
}

/// Frames that are already in memory.
#[derive(Clone, Debug)]
pub struct MemoryFrames {
    info: ImageInfo,
    frames: Vec<Pixels>,
}

impl MemoryFrames {
    /// `frames` described by `info`, whose frame count is set to theirs.
    pub fn new(info: ImageInfo, frames: Vec<Pixels>) -> Self {
        Self { info: ImageInfo { frames: frames.len(), ..info }, frames }
    }
}

impl FrameSource for MemoryFrames {
    fn info(&self) -> ImageInfo {
        self.info
    }

    fn read(&self, index: usize) -> Result<Pixels, FrameError> {
        self.frames.get(index).cloned().ok_or_else(|| FrameError {
            frame: index,
            file: "memory".into(),
            reason: format!("does not exist; there are {}.", self.frames.len()),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// An 8-bit sRGB description.
    pub(crate) fn info(width: u32, height: u32, frames: usize) -> ImageInfo {
        ImageInfo { width, height, depth: Depth::U8, premultiplied: false, linear: false, frames, fps: 24.0 }
    }

    struct Counting(AtomicUsize);

    impl FrameSource for Counting {
        fn info(&self) -> ImageInfo {
            info(4, 4, 1000)
        }

        fn read(&self, index: usize) -> Result<Pixels, FrameError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(Pixels::U8(vec![[index as u8; 4]; if index == 9 { 3 } else { 16 }]))
        }
    }

    #[test]
    fn only_as_many_frames_are_kept_as_the_limit_allows() {
        let source = Arc::new(Counting(AtomicUsize::new(0)));
        let clip = ImageClip::new("smoke", source.clone(), 3 * 64);
        for index in [0, 1, 2, 0, 3, 0, 1] {
            assert_eq!(*clip.frame(index).unwrap(), Pixels::U8(vec![[index as u8; 4]; 16]));
            assert!(clip.cached_bytes() <= 3 * 64);
        }
        // 0, 1, 2 and 3 are read once; 0 was used again before 3 pushed out 1, which is read twice.
        assert_eq!(source.0.load(Ordering::Relaxed), 5);
        // A peek at what is not there reads it and keeps nothing; one at what is there does not count as use.
        assert_eq!((*clip.peek(7).unwrap()).clone(), Pixels::U8(vec![[7; 4]; 16]));
        clip.peek(3).unwrap();
        clip.frame(7).unwrap();
        clip.frame(0).unwrap();
        assert_eq!(source.0.load(Ordering::Relaxed), 7);
    }

    #[test]
    fn a_frame_of_another_size_is_named() {
        let clip = ImageClip::new("smoke", Arc::new(Counting(AtomicUsize::new(0))), 0);
        let error = clip.frame(9).unwrap_err();
        assert_eq!(error.frame, 9);
        assert!(error.to_string().contains("size"), "{error}");
    }
}
