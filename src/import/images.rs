//! Images that move: numbered files (PNG, JPEG, WebP, EXR, TGA), GIF, APNG, animated WebP; and single images, which may be
//! sprite sheets.
//!
//! Numbered files are decoded when a frame is asked for. Animations store only what changes from frame to frame, so they
//! are unpacked once, into a temporary file that nobody else sees, and read from there in any order.

use std::fs::File;
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use image::codecs::{gif::GifDecoder, png::PngDecoder, webp::WebPDecoder};
use image::{AnimationDecoder, DynamicImage, Frames, ImageDecoder, ImageFormat, ImageReader, Limits};

use super::sequence::{self, Sequence};
use super::{Fault, ImportError, file, file_name};
use crate::media::image_clip::{FrameError, FrameSource};
use crate::media::{Depth, ImageClip, ImageInfo, Pixels};
use crate::message::{Message, message};
use crate::progress::Progress;
use crate::system_reason::without_code;

mod unpacked;

/// Extensions that a numbered sequence may have.
const SEQUENCE: [&str; 6] = ["png", "jpg", "jpeg", "webp", "exr", "tga"];

/// Frame rate of animations that do not say how long their frames are shown; what browsers do.
const SILENT_DELAY: f64 = 100.0;

/// Frames that take more than this in memory are refused: mixing holds several at a time.
const MOST_FRAME_BYTES: u64 = 512 << 20;

/// What any file may unpack to, however small it is.
const SMALL_BYTES: u64 = 128 << 20;

/// What each byte of a file may unpack to beyond that: no picture that somebody drew packs better.
const UNPACKED_PER_BYTE: u64 = 2000;

/// Bytes that a frame of an animation may take beyond those of its canvas.
const BESIDE_CANVAS: u64 = 16 << 20;

/// An opened sequence.
#[derive(Clone, Debug)]
pub struct ImportedImages {
    /// The sequence; its frames are decoded when they are asked for.
    pub clip: ImageClip,
    /// Sentences about what was left out or made up.
    pub warnings: Vec<Message>,
}

/// Opens an animation, the numbered sequence that `path` (a folder or one file) belongs to, or a single image without a number.
///
/// `fps` (frames per second) is for files that know no time; `cache_bytes` bounds the decoded frames in memory. Errors name the
/// frame that is missing, damaged or of another size.
pub fn read(path: &Path, fps: f64, cache_bytes: usize, progress: &Progress) -> Result<ImportedImages, ImportError> {
    let clip = |name, source: Arc<dyn FrameSource>, warnings| ImportedImages {
        clip: ImageClip::new(name, source, cache_bytes),
        warnings,
    };
    if path.is_file()
        && let Some(frames) = animation(path)?
    {
        let (source, warnings) =
            unpacked::unpacked(path, frames, unpacked::TemporaryFolder::at(&std::env::temp_dir()), progress)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(clip(name, Arc::new(source), warnings));
    }
    if path.is_file() && !sequence::is_numbered(path) {
        return Ok(ImportedImages { clip: still_clip(path, fps, cache_bytes)?, warnings: Vec::new() });
    }
    let sequence = sequence::find(path, &SEQUENCE)?;
    let name = sequence.title().to_owned();
    Ok(clip(name, Arc::new(Files::open(sequence, fps, progress)?), Vec::new()))
}

/// One image by itself. Errors with what is wrong, as the rest of a sentence.
pub fn still(path: &Path) -> Result<(ImageInfo, Pixels), String> {
    let image = decoded(path)?;
    let size = [image.width(), image.height()];
    let pixels = pixels_of(image, None);
    Ok((info(path, size, pixels.depth(), 1, 1.0), pixels))
}

/// One image as a clip of one frame; `fps` is for what is cut out of it.
pub(super) fn still_clip(path: &Path, fps: f64, cache_bytes: usize) -> Result<ImageClip, ImportError> {
    let files = vec![path.to_owned()];
    let sequence = Sequence { name: file_name(path), first: 0, files };
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(ImageClip::new(name, Arc::new(Files::open(sequence, fps, &Progress::new())?), cache_bytes))
}

fn info(path: &Path, [width, height]: [u32; 2], depth: Depth, frames: usize, fps: f64) -> ImageInfo {
    let exr = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("exr"));
    ImageInfo { width, height, depth, premultiplied: exr, linear: exr, frames, fps }
}

/// Numbered files, decoded when asked for.
struct Files {
    files: Vec<PathBuf>,
    info: ImageInfo,
}

impl Files {
    /// Reads the head of every file, so that one of another size is named now and not while playing.
    fn open(Sequence { name, files, .. }: Sequence, fps: f64, progress: &Progress) -> Result<Self, ImportError> {
        let wrong = |frame: usize, reason: String| ImportError::Sequence {
            files: name.clone(),
            fault: Fault::new(format!("frame {frame} ({})", file_name(&files[frame])), reason),
        };
        let first = decoded(&files[0]).map_err(|reason| wrong(0, reason))?;
        let size = (first.width(), first.height());
        for (frame, file) in files.iter().enumerate().skip(1) {
            progress.step(frame, files.len())?;
            let found = opened(file).and_then(|reader| reader.into_dimensions().map_err(|error| unreadable(&error)));
            let found = found.map_err(|reason| wrong(frame, reason))?;
            if found != size {
                let reason = format!("has {} × {} pixels but frame 0 has {} × {}", found.0, found.1, size.0, size.1);
                return Err(wrong(frame, reason));
            }
        }
        let depth = depth_of(&first);
        let info = info(&files[0], [size.0, size.1], depth, files.len(), fps);
        Ok(Self { files, info })
    }
}

impl FrameSource for Files {
    fn info(&self) -> ImageInfo {
        self.info
    }

    fn read(&self, index: usize) -> Result<Pixels, FrameError> {
        let wrong = |file: String, reason: String| FrameError { frame: index, file, reason };
        let Some(path) = self.files.get(index) else {
            return Err(wrong("none".into(), format!("does not exist; there are {}.", self.files.len())));
        };
        let retry = |reason: String| wrong(file_name(path), format!("{reason}. Put it right or export it again."));
        Ok(pixels_of(decoded(path).map_err(retry)?, Some(self.info.depth)))
    }
}

fn unreadable(error: &dyn std::fmt::Display) -> String {
    format!("could not be read ({})", without_code(&error.to_string()))
}

fn opened(path: &Path) -> Result<ImageReader<BufReader<File>>, String> {
    let (file, _) = file::open(path).map_err(|error| unreadable(&error))?;
    let mut reader = ImageReader::new(BufReader::new(file));
    // TGA does not say what it is.
    ImageFormat::from_path(path).into_iter().for_each(|format| reader.set_format(format));
    reader.with_guessed_format().map_err(|error| unreadable(&error))
}

fn decoded(path: &Path) -> Result<DynamicImage, String> {
    let decoder = opened(path)?.into_decoder().map_err(|error| unreadable(&error))?;
    check_size(&decoder, most_unpacked(path).min(MOST_FRAME_BYTES))?;
    DynamicImage::from_decoder(decoder).map_err(|error| unreadable(&error))
}

/// Bytes that the file at `path` may unpack to, all frames of it together.
fn most_unpacked(path: &Path) -> u64 {
    let packed = path.metadata().map_or(0, |file| file.len());
    packed.saturating_mul(UNPACKED_PER_BYTE).saturating_add(SMALL_BYTES)
}

/// Refuses frames of more than `most` bytes, before any of them is taken.
fn check_size(decoder: &impl ImageDecoder, most: u64) -> Result<(), String> {
    let (width, height) = decoder.dimensions();
    // As four channels of what the file has, which is what frames are kept as.
    let color = decoder.color_type();
    let channel = u64::from(color.bytes_per_pixel()) / u64::from(color.channel_count().max(1));
    let bytes = u64::from(width).saturating_mul(u64::from(height)).saturating_mul(4 * channel.max(1));
    if bytes <= most {
        return Ok(());
    }
    let [bytes, most] = [bytes, most].map(|bytes| bytes as f64 / 1e9);
    Err(format!(
        "has {width} × {height} pixels, which take {bytes:.1} GB in memory; frames of up to {most:.1} GB can be opened. Make \
         it smaller"
    ))
}

fn depth_of(image: &DynamicImage) -> Depth {
    match image {
        DynamicImage::ImageRgb32F(_) | DynamicImage::ImageRgba32F(_) => Depth::F32,
        DynamicImage::ImageLuma16(_)
        | DynamicImage::ImageLumaA16(_)
        | DynamicImage::ImageRgb16(_)
        | DynamicImage::ImageRgba16(_) => Depth::U16,
        _ => Depth::U8,
    }
}

/// RGBA at `depth`, or at the depth the image has. Float values that are NaN become 0.
fn pixels_of(image: DynamicImage, depth: Option<Depth>) -> Pixels {
    match depth.unwrap_or_else(|| depth_of(&image)) {
        Depth::U8 => Pixels::U8(image.into_rgba8().as_raw().as_chunks().0.to_vec()),
        Depth::U16 => Pixels::U16(image.into_rgba16().as_raw().as_chunks().0.to_vec()),
        Depth::F32 => {
            let finite = |channel: f32| if channel.is_finite() { channel } else { 0.0 };
            let image = image.into_rgba32f();
            Pixels::F32(image.as_raw().as_chunks::<4>().0.iter().map(|pixel| pixel.map(finite)).collect())
        }
    }
}

/// The frames of an animated file; `None` for stills.
fn animation(path: &Path) -> Result<Option<Frames<'static>>, ImportError> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !["gif", "png", "apng", "webp"].contains(&extension.as_str()) {
        return Ok(None);
    }
    let file = || {
        let bytes = file::all(path);
        bytes.map(Cursor::new).map_err(|reason| ImportError::Unreadable { file: path.display().to_string(), reason })
    };
    let too_large = |reason: String| Fault::new("the image", reason).in_file(path);
    let damaged = |error: image::ImageError| Fault::new("the image", unreadable(&error)).in_file(path);
    let most = most_unpacked(path).min(MOST_FRAME_BYTES);
    Ok(match extension.as_str() {
        "gif" => {
            let mut decoder = GifDecoder::new(file()?).map_err(damaged)?;
            check_size(&decoder, most).map_err(too_large)?;
            let mut limits = Limits::no_limits();
            // The canvas, a frame and both together; a frame may lie partly outside.
            limits.max_alloc = Some(3 * decoder.total_bytes() + BESIDE_CANVAS);
            decoder.set_limits(limits).map_err(damaged)?;
            Some(decoder.into_frames())
        }
        "webp" => {
            let decoder = WebPDecoder::new(file()?).map_err(damaged)?;
            check_size(&decoder, most).map_err(too_large)?;
            decoder.has_animation().then(|| decoder.into_frames())
        }
        _ => {
            let decoder = PngDecoder::new(file()?).map_err(damaged)?;
            check_size(&decoder, most).map_err(too_large)?;
            let moves = decoder.is_apng().map_err(damaged)?;
            if moves { Some(decoder.apng().map_err(damaged)?.into_frames()) } else { None }
        }
    })
}

/// The even rate that keeps the whole duration, and a word where frames were not shown equally long.
pub(super) fn rate_of(delays: &[f64]) -> (f64, Vec<Message>) {
    let delays: Vec<f64> = delays.iter().map(|&delay| if delay > 0.0 { delay } else { SILENT_DELAY }).collect();
    let mean = delays.iter().sum::<f64>() / delays.len() as f64;
    // Whole hundredths of a second cannot show most rates evenly; one of them up or down is still even.
    let uneven = delays.iter().any(|delay| (delay - mean).abs() > 10.0);
    let warning = message!(
        "warning.import.uneven_frames",
        "Frames were shown for unequal times; all are shown for %{mean} ms now, the whole as long as before.",
        mean = format!("{mean:.1}")
    );
    (1000.0 / mean, if uneven { vec![warning] } else { Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::corpus;

    fn open(path: &Path) -> Result<ImportedImages, ImportError> {
        read(path, 12.0, 1 << 20, &Progress::new())
    }

    fn write(path: &Path, width: u32, height: u32, value: u8) {
        image::RgbaImage::from_pixel(width, height, image::Rgba([value, 1, 2, 255])).save(path).unwrap();
    }

    #[test]
    fn a_robot_walks_through_eight_pictures() {
        let Some(folder) = corpus("images/robot_walk") else { return };
        let clip = open(&folder).unwrap().clip;
        assert_eq!((clip.info.width, clip.info.height, clip.info.frames, clip.info.depth), (96, 128, 8, Depth::U8));
        let Pixels::U8(pixels) = &*clip.frame(7).unwrap() else { panic!("8 bits") };
        assert!(pixels.iter().any(|pixel| pixel[3] == 0) && pixels.iter().any(|pixel| pixel[3] == 255));
        assert_ne!(clip.frame(0).unwrap(), clip.frame(3).unwrap());
        assert_eq!(open(&folder.join("robot_walk3.png")).unwrap().clip.info, clip.info);
    }

    #[test]
    fn another_size_a_gap_and_a_damaged_file_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        (0..4).for_each(|k| write(&file(&format!("smoke_{k:04}.png")), 6, 5, k));
        assert_eq!(open(folder.path()).unwrap().clip.info.frames, 4);
        write(&file("smoke_0002.png"), 7, 5, 0);
        let sentence = open(folder.path()).unwrap_err().to_string();
        assert!(sentence.contains("frame 2 (smoke_0002.png) has 7 × 5 pixels but frame 0 has 6 × 5"), "{sentence}");
        std::fs::remove_file(file("smoke_0002.png")).unwrap();
        assert!(open(folder.path()).unwrap_err().to_string().contains("number 2 is missing"));
        let whole = std::fs::read(file("smoke_0001.png")).unwrap();
        std::fs::write(file("smoke_0002.png"), &whole[..whole.len() - 20]).unwrap();
        let clip = open(folder.path()).unwrap().clip;
        assert!(clip.frame(1).is_ok());
        assert!(clip.frame(2).unwrap_err().to_string().contains("smoke_0002.png"));
        std::fs::write(file("smoke_0002.png"), b"no picture").unwrap();
        assert!(open(folder.path()).unwrap_err().to_string().contains("frame 2 (smoke_0002.png)"));
    }

    #[test]
    fn deep_and_float_sequences_keep_their_depth() {
        let folder = tempfile::tempdir().unwrap();
        let deep = image::ImageBuffer::from_pixel(3, 2, image::Rgba([60_001u16, 7, 0, 65_535]));
        deep.save(folder.path().join("deep0.png")).unwrap();
        let clip = open(&folder.path().join("deep0.png")).unwrap().clip;
        assert_eq!(*clip.frame(0).unwrap(), Pixels::U16(vec![[60_001, 7, 0, 65_535]; 6]));
        let light = image::Rgba32FImage::from_pixel(3, 2, image::Rgba([2.5, 0.25, 0.0, 0.5]));
        light.save(folder.path().join("light0.exr")).unwrap();
        let clip = open(&folder.path().join("light0.exr")).unwrap().clip;
        assert_eq!(*clip.frame(0).unwrap(), Pixels::F32(vec![[2.5, 0.25, 0.0, 0.5]; 6]));
        assert!(clip.info.linear && clip.info.premultiplied);
    }

    #[test]
    fn a_frame_far_larger_than_its_canvas_is_refused_before_it_is_unpacked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.gif");
        let mut bytes = huge_gif();
        bytes[6..10].copy_from_slice(&[2, 0, 2, 0]);
        let frame = bytes.iter().position(|&byte| byte == 0x2C).unwrap();
        bytes[frame + 5..frame + 9].fill(0xFF);
        std::fs::write(&path, bytes).unwrap();
        let sentence = open(&path).unwrap_err().to_string();
        assert!(sentence.contains("frame 0") && sentence.to_lowercase().contains("limit"), "{sentence}");
    }

    /// The head of a GIF of 65 535 × 65 535 pixels with one frame of one pixel.
    fn huge_gif() -> Vec<u8> {
        let mut bytes = b"GIF89a\xff\xff\xff\xff\x80\x00\x00\x00\x00\x00\xff\xff\xff".to_vec();
        bytes.extend(b"\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3b");
        bytes
    }

    #[test]
    fn images_that_would_fill_the_memory_are_refused_before_they_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.gif");
        std::fs::write(&path, huge_gif()).unwrap();
        let refused = open(&path).unwrap_err().to_string();
        assert!(refused.contains("65535 × 65535 pixels, which take 17.2 GB"), "{refused}");
        // 12 000 × 12 000 of one colour are a few hundred kilobytes as a file.
        let path = folder.path().join("wall.png");
        image::GrayImage::new(12_000, 12_000).save(&path).unwrap();
        assert!(path.metadata().unwrap().len() < 1 << 20);
        let refused = open(&path).unwrap_err().to_string();
        assert!(refused.contains("12000 × 12000 pixels, which take 0.6 GB"), "{refused}");
    }

    #[test]
    fn a_name_without_a_number_is_an_image_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leaf.png");
        write(&path, 6, 5, 9);
        let clip = open(&path).unwrap().clip;
        assert_eq!((clip.name.as_str(), clip.info.frames, clip.info.width), ("leaf", 1, 6));
        assert_eq!(*clip.frame(0).unwrap(), Pixels::U8(vec![[9, 1, 2, 255]; 30]));
    }
}
