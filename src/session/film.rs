//! Recording of the viewport as an animated file, as a video or as numbered images.

mod video;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, ImageFormat};

use super::{JobKey, Session, Severity, Topic};
use portamento_anim::media::image_clip::FrameError;
use portamento_anim::media::{Channels, Depth, ImageInfo, Pixels};
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
use portamento_formats::export::animated_webp::animated_webp;
use portamento_formats::export::image_sequence::{Numbered, Still, sequence};
use portamento_formats::export::images::{ImageFrames, apng, gif};
use portamento_formats::export::point_cache::ClosingKey;
use portamento_formats::export::{ExportError, FileSet, Replace};

/// Recorded viewport images of equal size.
#[derive(Clone, Debug, PartialEq)]
pub struct Film {
    width: u32,
    height: u32,
    fps: f64,
    /// PNG-compressed, because all frames stay in memory until the end.
    frames: Vec<Vec<u8>>,
}

/// File extensions of recordings that the program encodes: animated formats and numbered images.
const OWN_EXTENSIONS: [&str; 4] = ["apng", "webp", "gif", "png"];

/// Returns the file extensions of recordings; those of videos only where `ffmpeg` is installed.
pub fn film_extensions() -> Vec<&'static str> {
    let videos = if video::is_available() { &video::EXTENSIONS[..] } else { &[] };
    OWN_EXTENSIONS.iter().chain(videos).copied().collect()
}

impl Film {
    /// Returns an empty recording with `fps` frames per second.
    pub fn new(fps: f64) -> Self {
        Self { width: 0, height: 0, fps, frames: Vec::new() }
    }

    /// Returns the number of images.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// True if there are no images yet.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Adds an RGB image, rows from top to bottom. Returns `Err` if its size differs from the first one, because the
    /// window was resized. `rgb` has three bytes per pixel.
    pub fn push(&mut self, [width, height]: [u32; 2], rgb: &[u8]) -> Result<(), Message> {
        if self.is_empty() {
            (self.width, self.height) = (width, height);
        }
        if (width, height) != (self.width, self.height) {
            return Err(message!("error.film_resized", "The viewport was resized during the recording. Record again."));
        }
        let mut packed = Vec::new();
        let encoder = PngEncoder::new_with_quality(&mut packed, CompressionType::Fast, FilterType::Sub);
        encoder.write_image(rgb, width, height, ExtendedColorType::Rgb8).map_err(encoding_failed)?;
        self.frames.push(packed);
        Ok(())
    }

    /// Decodes frame `index`. Returns `Err` if there is no such frame or its data is damaged.
    fn frame(&self, index: usize) -> Result<Arc<Pixels>, FrameError> {
        let packed = self.frames.get(index).map_or(&[][..], Vec::as_slice);
        let image = image::load_from_memory_with_format(packed, ImageFormat::Png);
        let failed =
            |error: image::ImageError| FrameError { frame: index, file: String::new(), reason: error.to_string() };
        let image = image.map_err(failed)?.into_rgba8();
        Ok(Arc::new(Pixels::U8(image.pixels().map(|pixel| pixel.0).collect())))
    }

    /// Writes the recording to `path` in the format of its extension. A single image with `.png` is one file. Existing
    /// files are replaced only if `replace` allows it. Returns `Err` if a frame cannot be encoded, the file cannot be
    /// written, or the user cancels.
    fn write(&self, path: &Path, mut files: FileSet, replace: Replace, progress: &Progress) -> Result<(), ExportError> {
        let info = ImageInfo {
            width: self.width,
            height: self.height,
            depth: Depth::U8,
            channels: Channels::Rgba,
            premultiplied: false,
            linear: false,
            frames: self.len(),
            fps: self.fps,
        };
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let frame = |index: usize| self.frame(index);
        let frames = ImageFrames { name: &name, info, frame: &frame };
        let bytes = match extension(path).as_deref() {
            Some("png") if self.len() > 1 => {
                let numbered = Numbered { folder: path.parent().unwrap_or(Path::new("")), stem: &name, first: 0 };
                sequence(&mut files, &frames, ClosingKey::Without, Still::Png, numbered, progress)?;
                None
            }
            Some("png") => self.frames.first().cloned(),
            Some(video) if video::EXTENSIONS.contains(&video) => {
                Some(video::encoded(&self.frames, self.fps, video, progress)?)
            }
            Some("gif") => Some(gif(&frames, progress)?),
            Some("webp") => Some(animated_webp(&frames, progress)?),
            _ => Some(apng(&frames, progress)?),
        };
        bytes.map_or(Ok(()), |bytes| files.write(path, &bytes))?;
        files.commit(replace).map(drop)
    }
}

/// Returns the extension of `path` in lower case.
fn extension(path: &Path) -> Option<String> {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase())
}

/// True if a recording can be written to `path`.
pub fn is_film(path: &Path) -> bool {
    extension(path).is_some_and(|extension| film_extensions().contains(&&*extension))
}

fn encoding_failed(error: image::ImageError) -> Message {
    Message::verbatim(error.to_string())
}

impl Session {
    /// Starts a job that writes `film` to `path`: one file, or one numbered file per image for `.png`. A notice tells the
    /// result.
    pub fn write_film(&mut self, film: Film, path: PathBuf, replace: Replace) {
        let (files, to) = (FileSet::new(self.sources().into()), path.clone());
        let frames = film.len();
        let work = move |progress: &Progress| film.write(&to, files, replace, progress);
        self.jobs.start(JobKey::WriteFilm, work, move |session, outcome| match outcome {
            Ok(()) => {
                session.notices.succeed(&Topic::SaveFilm);
                let file = path.display().to_string();
                let message = message!(
                    "notice.filmed",
                    "Saved %{file} with %{frames} %{frames|image|images}.",
                    file = file,
                    frames = frames
                );
                session.notices.add(Severity::Done, message);
            }
            Err(error) => session.notices.fail(Topic::SaveFilm, error.message()),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns three single-colour images of 4 × 2 pixels.
    fn film() -> Film {
        let mut film = Film::new(24.0);
        for shade in [0_u8, 100, 200] {
            film.push([4, 2], &[shade; 4 * 2 * 3]).unwrap();
        }
        film
    }

    #[test]
    fn every_format_contains_every_image() {
        let folder = tempfile::tempdir().unwrap();
        let mut session = Session::inline();
        for name in ["a.apng", "a.webp", "a.gif"] {
            let path = folder.path().join(name);
            session.write_film(film(), path.clone(), Replace::Refuse);
            session.poll();
            let footage = portamento_formats::import::import(&path).unwrap().footage.unwrap();
            assert_eq!(footage.frames(), 3, "{name}");
            assert!((footage.fps() - 24.0).abs() < 1.0, "{name}: {}", footage.fps());
        }
        session.write_film(film(), folder.path().join("b.png"), Replace::Refuse);
        session.poll();
        let shade = |name: &str| image::open(folder.path().join(name)).unwrap().into_rgb8().get_pixel(3, 1).0[0];
        assert_eq!(["b_0000.png", "b_0001.png", "b_0002.png"].map(shade), [0, 100, 200]);
        assert!(!folder.path().join("b.png").exists());
    }

    #[test]
    fn a_single_image_is_one_file_and_a_different_size_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut still = Film::new(30.0);
        still.push([2, 2], &[9; 12]).unwrap();
        assert!(still.push([2, 1], &[9; 6]).is_err());
        let mut session = Session::inline();
        session.write_film(still.clone(), folder.path().join("c.png"), Replace::Refuse);
        session.poll();
        assert_eq!(image::open(folder.path().join("c.png")).unwrap().into_rgb8().as_raw(), &[9; 12]);
        std::fs::write(folder.path().join("c.png"), "the user's").unwrap();
        session.write_film(still, folder.path().join("c.png"), Replace::Refuse);
        session.poll();
        assert_eq!(std::fs::read(folder.path().join("c.png")).unwrap(), b"the user's");
        assert!(is_film(Path::new("x.APNG")) && !is_film(Path::new("x.avi")));
    }
}
