//! Image sequences that are read frame by frame and are never completely in memory.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Channels, Depth, Pixels};
use portamento_base::message::{message, messages};

/// Properties of all frames of a sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImageInfo {
    /// Width of every frame in pixels.
    pub width: u32,
    /// Height of every frame in pixels.
    pub height: u32,
    /// Bits per channel.
    pub depth: Depth,
    /// Channels of the source's files, which numbered files are written with.
    pub channels: Channels,
    /// True if colours are premultiplied by alpha, as in EXR.
    pub premultiplied: bool,
    /// True if colours are linear light, as in EXR, and not sRGB.
    pub linear: bool,
    /// Number of frames.
    pub frames: usize,
    /// Frames per second, above 0.
    pub fps: f64,
}

impl ImageInfo {
    /// Returns the number of pixels per frame.
    pub fn pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Returns the number of bytes per frame in memory.
    pub fn frame_bytes(&self) -> usize {
        self.pixels() * self.depth.bytes_per_pixel()
    }

    /// Returns the number of frames to compute in parallel: one per thread, while they and their inputs stay within
    /// 512 MiB.
    pub fn parallel_frames(&self) -> usize {
        ((128 << 20) / self.frame_bytes().max(1)).clamp(1, rayon::current_num_threads())
    }
}

messages! {
/// Error of reading a frame.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct FrameError {
    /// Index of the frame, from 0.
    pub frame: usize,
    /// The file of the frame.
    pub file: String,
    /// The reason and the remedy, as the rest of the sentence.
    pub reason: String,
} => message!("error.frame", "Frame %{frame} (%{file}) %{reason}", frame, file, reason)
}

/// A source of frames in any order. A frame always has the same pixels.
pub trait FrameSource: Send + Sync {
    /// Returns the properties of all frames.
    fn info(&self) -> ImageInfo;

    /// Returns frame `index`, `info().pixels()` pixels of `info().depth`. Returns `Err` if it is missing, damaged or
    /// of another size.
    fn read(&self, index: usize) -> Result<Pixels, FrameError>;
}

/// Default cache size of [`ImageClip`]: 256 MiB, 30 frames of 2K at 8 bits.
pub const CACHE_BYTES: usize = 256 << 20;

/// An image sequence with a bounded cache of recently used frames. Clones share both.
#[derive(Clone)]
pub struct ImageClip {
    /// The file's or folder's name.
    pub name: String,
    /// Properties of all frames.
    pub info: ImageInfo,
    /// The named animations in it, such as the tags of a sprite sheet; usually empty.
    pub tags: Arc<[FrameTag]>,
    source: Arc<dyn FrameSource>,
    recent: Arc<Mutex<Recent>>,
}

/// A named animation within an image sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameTag {
    /// The animation's name.
    pub name: String,
    /// The frames that it shows, in order.
    pub frames: Vec<usize>,
    /// Frames per second, above 0.
    pub fps: f64,
}

/// Cached frames, the most recently used last.
#[derive(Default)]
struct Recent {
    /// Maximum number of frames, at least 1.
    limit: usize,
    /// The index of each frame and its pixels.
    frames: Vec<(usize, Arc<Pixels>)>,
}

impl ImageClip {
    /// Creates a clip over `source` that caches at most `cache_bytes` of decoded frames, but at least one frame.
    pub fn new(name: impl Into<String>, source: Arc<dyn FrameSource>, cache_bytes: usize) -> Self {
        let info = source.info();
        let limit = (cache_bytes / info.frame_bytes().max(1)).max(1);
        let recent = Arc::new(Mutex::new(Recent { limit, frames: Vec::new() }));
        Self { name: name.into(), info, tags: Arc::default(), source, recent }
    }

    /// Returns the animation called `tag` as a clip of that name; `None` if there is none.
    pub fn tagged(&self, tag: &str) -> Option<Self> {
        let FrameTag { name, frames, fps } = self.tags.iter().find(|each| each.name == tag)?.clone();
        let info = ImageInfo { frames: frames.len(), fps, ..self.info };
        // All frames are cached; caching those of the tag too would keep them twice.
        Some(Self::new(name, Arc::new(TaggedFrames { clip: self.clone(), info, frames }), 0))
    }

    /// Returns frame `index`: from the cache if it was used recently, else read from the source and cached. Returns `Err` if it
    /// cannot be read or differs in size or depth.
    pub fn frame(&self, index: usize) -> Result<Arc<Pixels>, FrameError> {
        let cached = self.recent().reuse(index);
        if let Some(cached) = cached {
            return Ok(cached);
        }
        // Decoded outside the lock, so that two frames can be decoded in parallel.
        let pixels = self.read(index)?;
        self.recent().put(index, pixels.clone());
        Ok(pixels)
    }

    /// Returns frame `index` for a single use: from the cache if present, else read without caching. Returns `Err` if
    /// the frame cannot be read.
    pub fn peek(&self, index: usize) -> Result<Arc<Pixels>, FrameError> {
        let cached = self.recent().frames.iter().find(|(cached, _)| *cached == index).map(|(_, pixels)| pixels.clone());
        cached.map_or_else(|| self.read(index), Ok)
    }

    /// Reads frame `index` from the source without the cache. Returns `Err` also if its size or depth differs from that of the
    /// clip.
    fn read(&self, index: usize) -> Result<Arc<Pixels>, FrameError> {
        let pixels = self.source.read(index)?;
        if pixels.len() != self.info.pixels() || pixels.depth() != self.info.depth {
            let reason = "has another size than the first frame. Export the sequence again at one size.".into();
            return Err(FrameError { frame: index, file: self.name.clone(), reason });
        }
        Ok(Arc::new(pixels))
    }

    /// Returns the total bytes of cached frames.
    pub fn cached_bytes(&self) -> usize {
        self.recent().frames.len() * self.info.frame_bytes()
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recent {
    /// Returns frame `index` if it is cached, else `None`, and makes it the most recently used.
    fn reuse(&mut self, index: usize) -> Option<Arc<Pixels>> {
        let at = self.frames.iter().position(|(known, _)| *known == index)?;
        self.frames[at..].rotate_left(1);
        self.frames.last().map(|(_, pixels)| pixels.clone())
    }

    /// Caches frame `index`, and drops the least recently used one beyond the limit.
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

/// Clips are equal if they read the same source, not if their pixels happen to agree.
impl PartialEq for ImageClip {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.source, &other.source)
    }
}

/// The frames of a tag.
struct TaggedFrames {
    /// The sequence that contains them.
    clip: ImageClip,
    info: ImageInfo,
    /// Indices of the frames in `clip`.
    frames: Vec<usize>,
}

impl FrameSource for TaggedFrames {
    fn info(&self) -> ImageInfo {
        self.info
    }

    fn read(&self, index: usize) -> Result<Pixels, FrameError> {
        let Some(&frame) = self.frames.get(index) else {
            let reason = format!("does not exist; there are {}.", self.frames.len());
            return Err(FrameError { frame: index, file: self.clip.name.clone(), reason });
        };
        self.clip.frame(frame).map(Arc::unwrap_or_clone)
    }
}

/// A source of frames that are in memory.
#[derive(Clone, Debug)]
pub struct MemoryFrames {
    info: ImageInfo,
    frames: Vec<Pixels>,
}

impl MemoryFrames {
    /// Creates a source of `frames` described by `info`, whose frame count is set to theirs.
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
mod tests {
    use super::*;
    use crate::small_inputs::image_info;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Counting(AtomicUsize);

    impl FrameSource for Counting {
        fn info(&self) -> ImageInfo {
            image_info(4, 4, 1000)
        }

        fn read(&self, index: usize) -> Result<Pixels, FrameError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(Pixels::U8(vec![[index as u8; 4]; if index == 9 { 3 } else { 16 }]))
        }
    }

    #[test]
    fn only_as_many_frames_are_cached_as_the_limit_allows() {
        let source = Arc::new(Counting(AtomicUsize::new(0)));
        let clip = ImageClip::new("smoke", source.clone(), 3 * 64);
        for index in [0, 1, 2, 0, 3, 0, 1] {
            assert_eq!(*clip.frame(index).unwrap(), Pixels::U8(vec![[index as u8; 4]; 16]));
            assert!(clip.cached_bytes() <= 3 * 64);
        }
        // 0, 1, 2 and 3 are read once. 0 was used again before 3 replaced 1, which is read twice.
        assert_eq!(source.0.load(Ordering::Relaxed), 5);
        // A peek reads a missing frame without caching it, and does not count as use of a cached one.
        assert_eq!((*clip.peek(7).unwrap()).clone(), Pixels::U8(vec![[7; 4]; 16]));
        clip.peek(3).unwrap();
        clip.frame(7).unwrap();
        clip.frame(0).unwrap();
        assert_eq!(source.0.load(Ordering::Relaxed), 7);
    }

    #[test]
    fn an_error_names_the_frame_of_another_size() {
        let clip = ImageClip::new("smoke", Arc::new(Counting(AtomicUsize::new(0))), 0);
        let error = clip.frame(9).unwrap_err();
        assert_eq!(error.frame, 9);
        assert!(error.to_string().contains("size"), "{error}");
    }
}
