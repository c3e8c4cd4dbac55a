//! Image animations: numbered files (PNG, JPEG, WebP, EXR, TGA), GIF, APNG and animated WebP.
//! Single images are read too; they may be sprite sheets.
//!
//! Numbered files are decoded on demand. GIF, APNG and WebP store only the changes from frame to frame.
//! They are therefore unpacked once into an unnamed temporary file, from which any frame can be read.

use std::fs::File;
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use image::codecs::{gif::GifDecoder, png::PngDecoder, webp::WebPDecoder};
use image::{AnimationDecoder, DynamicImage, Frames, ImageDecoder, ImageFormat, ImageReader, Limits};

use super::sequence::{self, NumberPosition, Sequence};
use super::{Fault, ImportError, file, file_name};
use portamento_anim::media::image_clip::{FrameError, FrameSource};
use portamento_anim::media::{Channels, Depth, ImageClip, ImageInfo, Pixels};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;
use portamento_base::system_reason::without_code;

mod unpacked;

/// Extensions that a numbered sequence may have.
const SEQUENCE_EXTENSIONS: [&str; 6] = ["png", "jpg", "jpeg", "webp", "exr", "tga"];

/// Display time of frames that give none, in milliseconds. Browsers use the same value.
const DEFAULT_DELAY_MS: f64 = 100.0;

/// Maximum bytes of a decoded frame. Mixing keeps several frames in memory.
const MAX_FRAME_BYTES: u64 = 512 << 20;

/// Decoded bytes allowed for a file of any size. Tuned; no derivation recorded.
const MIN_UNPACKED_LIMIT_BYTES: u64 = 128 << 20;

/// Further decoded bytes allowed per byte of the file. Real pictures do not compress better. Tuned; no derivation recorded.
const MAX_UNPACKED_PER_BYTE: u64 = 2000;

/// Memory allowed for a GIF frame in addition to its canvas, in bytes. Tuned; no derivation recorded.
const GIF_FRAME_EXTRA_BYTES: u64 = 16 << 20;

/// Memory allowed for the unpacked chunks of a PNG other than its pixels, in bytes. The colour profile of a picture takes
/// some megabytes at most.
const MAX_PNG_CHUNK_BYTES: u64 = 64 << 20;

/// The result of opening an image animation.
#[derive(Clone, Debug)]
pub struct ImportedImages {
    /// The animation. Its frames are decoded on demand.
    pub clip: ImageClip,
    /// Messages about what was left out or replaced by defaults.
    pub warnings: Vec<Message>,
    /// Messages about a guessed frame rate.
    pub guesses: Vec<Message>,
}

/// Opens an animation, the numbered sequence that `path` (a folder or one file) belongs to, or a single image without a number.
///
/// `fps` (frames per second) applies to files that store no time. `cache_bytes` limits the decoded frames in memory.
/// Errors name the frame that is missing, damaged or has a different size. Animations are unpacked into the temporary
/// folder.
pub fn read(path: &Path, fps: f64, cache_bytes: usize, progress: &Progress) -> Result<ImportedImages, ImportError> {
    let clip = |name, source: Arc<dyn FrameSource>, warnings| ImportedImages {
        clip: ImageClip::new(name, source, cache_bytes),
        warnings,
        guesses: Vec::new(),
    };
    if path.is_file()
        && let Some(frames) = animation(path)?
    {
        let (source, warnings) =
            unpacked::unpack(path, frames, unpacked::TemporaryFolder::at(&std::env::temp_dir()), progress)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(clip(name, Arc::new(source), warnings));
    }
    if path.is_file() && !sequence::is_frame(path, &SEQUENCE_EXTENSIONS) {
        return Ok(ImportedImages {
            clip: still_clip(path, fps, cache_bytes)?,
            warnings: Vec::new(),
            guesses: Vec::new(),
        });
    }
    let sequence = sequence::find(path, &SEQUENCE_EXTENSIONS, NumberPosition::Anywhere)?;
    let name = sequence.title().to_owned();
    Ok(clip(name, Arc::new(Files::open(sequence, fps, progress)?), Vec::new()))
}

/// Reads a single image. Returns `Err` with what is wrong, as the rest of a sentence. The rate of the info is 1.
pub fn still(path: &Path) -> Result<(ImageInfo, Pixels), String> {
    let image = decode(path)?;
    let size = [image.width(), image.height()];
    let channels = channels_of(&image);
    let pixels = to_pixels(image, None);
    Ok((info(path, size, (pixels.depth(), channels), 1, 1.0), pixels))
}

/// Opens a single image as a clip of one frame. `fps` is the rate of the animation cut from it.
pub(super) fn still_clip(path: &Path, fps: f64, cache_bytes: usize) -> Result<ImageClip, ImportError> {
    let files = vec![path.to_owned()];
    let sequence = Sequence { name: file_name(path), first: 0, files };
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(ImageClip::new(name, Arc::new(Files::open(sequence, fps, &Progress::new())?), cache_bytes))
}

/// Returns the description of `frames` frames of the file at `path`. EXR counts as premultiplied and linear, other formats
/// as neither.
fn info(path: &Path, [width, height]: [u32; 2], kind: (Depth, Channels), frames: usize, fps: f64) -> ImageInfo {
    let (depth, channels) = kind;
    let exr = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("exr"));
    ImageInfo { width, height, depth, channels, premultiplied: exr, linear: exr, frames, fps }
}

/// Numbered image files, decoded on demand.
struct Files {
    files: Vec<PathBuf>,
    info: ImageInfo,
}

impl Files {
    /// Opens the files of `sequence` and reads the header of each, so that a frame of a different size is reported now.
    fn open(Sequence { name, files, .. }: Sequence, fps: f64, progress: &Progress) -> Result<Self, ImportError> {
        let wrong = |frame: usize, reason: String| ImportError::Sequence {
            files: name.clone(),
            fault: Fault::new(format!("frame {frame} ({})", file_name(&files[frame])), reason),
        };
        let first = decode(&files[0]).map_err(|reason| wrong(0, reason))?;
        let size = (first.width(), first.height());
        for (frame, file) in files.iter().enumerate().skip(1) {
            progress.step(frame, files.len())?;
            let found =
                open_reader(file).and_then(|reader| reader.into_dimensions().map_err(|error| unreadable(&error)));
            let found = found.map_err(|reason| wrong(frame, reason))?;
            if found != size {
                let reason = format!("has {} × {} pixels but frame 0 has {} × {}", found.0, found.1, size.0, size.1);
                return Err(wrong(frame, reason));
            }
        }
        let kind = (depth_of(&first), channels_of(&first));
        let info = info(&files[0], [size.0, size.1], kind, files.len(), fps);
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
        let retry = |reason: String| wrong(file_name(path), format!("{reason}. Correct it or export it again."));
        Ok(to_pixels(decode(path).map_err(retry)?, Some(self.info.depth)))
    }
}

/// Returns the reason of an image that cannot be read, as the rest of a sentence.
fn unreadable(error: &dyn std::fmt::Display) -> String {
    format!("could not be read ({})", without_code(&error.to_string()))
}

/// Opens an image file without decoding it. Returns `Err`, as the rest of a sentence about the file, if it cannot be read.
fn open_reader(path: &Path) -> Result<ImageReader<BufReader<File>>, String> {
    let (file, _) = file::open(path).map_err(|error| unreadable(&error))?;
    let mut reader = ImageReader::new(BufReader::new(file));
    // TGA files have no signature, so their format is taken from the extension.
    ImageFormat::from_path(path).into_iter().for_each(|format| reader.set_format(format));
    let mut reader = reader.with_guessed_format().map_err(|error| unreadable(&error))?;
    limit_chunks(&mut reader);
    Ok(reader)
}

/// Limits the colour profile and other chunks of a PNG, which may unpack to a thousand times their size.
pub(super) fn limit_chunks<R: std::io::BufRead + std::io::Seek>(reader: &mut ImageReader<R>) {
    if reader.format() == Some(ImageFormat::Png) {
        reader.limits(png_limits());
    }
}

/// Returns the limits on the chunks of a PNG other than its pixels.
fn png_limits() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_PNG_CHUNK_BYTES);
    limits
}

/// Decodes an image file after checking its size. Returns `Err`, as the rest of a sentence about the file, if it is too large
/// or damaged.
fn decode(path: &Path) -> Result<DynamicImage, String> {
    let decoder = open_reader(path)?.into_decoder().map_err(|error| unreadable(&error))?;
    check_size(&decoder, max_unpacked_bytes(path).min(MAX_FRAME_BYTES))?;
    DynamicImage::from_decoder(decoder).map_err(|error| unreadable(&error))
}

/// Returns the maximum number of bytes that all frames of the file at `path` may take when decoded.
fn max_unpacked_bytes(path: &Path) -> u64 {
    let packed = path.metadata().map_or(0, |file| file.len());
    packed.saturating_mul(MAX_UNPACKED_PER_BYTE).saturating_add(MIN_UNPACKED_LIMIT_BYTES)
}

/// Returns `Err`, as the rest of a sentence, if a frame of the image would take more than `most` bytes. Nothing is decoded
/// yet.
fn check_size(decoder: &impl ImageDecoder, most: u64) -> Result<(), String> {
    let (width, height) = decoder.dimensions();
    // Frames are kept as four channels of the file's depth.
    let color = decoder.color_type();
    let channel = u64::from(color.bytes_per_pixel()) / u64::from(color.channel_count().max(1));
    check_frame([width, height], channel, most)
}

/// Returns `Err`, as the rest of a sentence, if a frame of `size` (width and height) cut from the image at `path`, with
/// channels of `depth`, would take too much memory.
pub(super) fn check_cut(path: &Path, size: [u32; 2], depth: Depth) -> Result<(), String> {
    let channel = match depth {
        Depth::U8 => 1,
        Depth::U16 => 2,
        Depth::F32 => 4,
    };
    check_frame(size, channel, max_unpacked_bytes(path).min(MAX_FRAME_BYTES))
}

/// Returns `Err`, as the rest of a sentence, if a frame of this size with four channels of `channel` bytes would take more
/// than `most` bytes.
fn check_frame([width, height]: [u32; 2], channel: u64, most: u64) -> Result<(), String> {
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

/// Returns the depth of the image. All types but 16-bit and float are read with 8 bits.
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

/// Returns which channels `image` has.
fn channels_of(image: &DynamicImage) -> Channels {
    let color = image.color();
    match (color.has_color(), color.has_alpha()) {
        (false, false) => Channels::Grey,
        (false, true) => Channels::GreyAlpha,
        (true, false) => Channels::Rgb,
        (true, true) => Channels::Rgba,
    }
}

/// Converts `image` to RGBA at `depth`, or at its own depth. Float values that are not finite become 0.
fn to_pixels(image: DynamicImage, depth: Option<Depth>) -> Pixels {
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

/// Returns the frames of an animated file, or `None` for a still image. Other formats than GIF, PNG and WebP are still
/// images.
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
    let most = max_unpacked_bytes(path).min(MAX_FRAME_BYTES);
    Ok(match extension.as_str() {
        "gif" => {
            let mut decoder = GifDecoder::new(file()?).map_err(damaged)?;
            check_size(&decoder, most).map_err(too_large)?;
            let mut limits = Limits::no_limits();
            // The canvas, a frame and both composited; a frame may extend beyond the canvas.
            limits.max_alloc = Some(3 * decoder.total_bytes() + GIF_FRAME_EXTRA_BYTES);
            decoder.set_limits(limits).map_err(damaged)?;
            Some(decoder.into_frames())
        }
        "webp" => {
            let decoder = WebPDecoder::new(file()?).map_err(damaged)?;
            check_size(&decoder, most).map_err(too_large)?;
            decoder.has_animation().then(|| decoder.into_frames())
        }
        _ => {
            let mut decoder = PngDecoder::with_limits(file()?, png_limits()).map_err(damaged)?;
            // The size of the frames is checked below.
            decoder.set_limits(Limits::no_limits()).map_err(damaged)?;
            check_size(&decoder, most).map_err(too_large)?;
            let moves = decoder.is_apng().map_err(damaged)?;
            if moves { Some(decoder.apng().map_err(damaged)?.into_frames()) } else { None }
        }
    })
}

/// Returns the constant frame rate (frames per second) that preserves the total of `delays` (milliseconds), and a warning
/// if the display times differ by more than 10 ms from the mean. Delays that are not above 0 count as [`DEFAULT_DELAY_MS`].
pub(super) fn rate_of(delays: &[f64]) -> (f64, Vec<Message>) {
    let delays: Vec<f64> = delays.iter().map(|&delay| if delay > 0.0 { delay } else { DEFAULT_DELAY_MS }).collect();
    let mean = delays.iter().sum::<f64>() / delays.len() as f64;
    // GIF stores hundredths of a second, so most rates alternate by one of them. That still counts as even.
    let uneven = delays.iter().any(|delay| (delay - mean).abs() > 10.0);
    let warning = message!(
        "warning.import.uneven_frames",
        "The frames had different display times. Each is now shown for %{mean} ms; the total duration is unchanged.",
        mean = format!("{mean:.1}")
    )
    .harmless();
    (1000.0 / mean, if uneven { vec![warning] } else { Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_test_support::corpus;

    fn open(path: &Path) -> Result<ImportedImages, ImportError> {
        read(path, 12.0, 1 << 20, &Progress::new())
    }

    fn write(path: &Path, width: u32, height: u32, value: u8) {
        image::RgbaImage::from_pixel(width, height, image::Rgba([value, 1, 2, 255])).save(path).unwrap();
    }

    #[test]
    fn eight_numbered_pictures_open_as_eight_frames() {
        let Some(folder) = corpus("images/robot_walk") else { return };
        let clip = open(&folder).unwrap().clip;
        assert_eq!((clip.info.width, clip.info.height, clip.info.frames, clip.info.depth), (96, 128, 8, Depth::U8));
        let Pixels::U8(pixels) = &*clip.frame(7).unwrap() else { panic!("8 bits") };
        assert!(pixels.iter().any(|pixel| pixel[3] == 0) && pixels.iter().any(|pixel| pixel[3] == 255));
        assert_ne!(clip.frame(0).unwrap(), clip.frame(3).unwrap());
        assert_eq!(open(&folder.join("robot_walk3.png")).unwrap().clip.info, clip.info);
    }

    #[test]
    fn a_different_size_a_gap_and_a_damaged_file_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        (0..4).for_each(|k| write(&file(&format!("smoke_{k:04}.png")), 6, 5, k));
        assert_eq!(open(folder.path()).unwrap().clip.info.frames, 4);
        write(&file("smoke_0002.png"), 7, 5, 0);
        let sentence = open(folder.path()).unwrap_err().to_string();
        assert!(sentence.contains("frame 2 (smoke_0002.png) has 7 × 5 pixels but frame 0 has 6 × 5"), "{sentence}");
        std::fs::remove_file(file("smoke_0002.png")).unwrap();
        assert!(open(folder.path()).unwrap_err().to_string().contains("number 2 is missing"));
        let bytes = std::fs::read(file("smoke_0001.png")).unwrap();
        std::fs::write(file("smoke_0002.png"), &bytes[..bytes.len() - 20]).unwrap();
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
    fn images_over_the_memory_limit_are_refused_before_they_are_decoded() {
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

    /// Returns `length` zeros as a zlib stream of a thousandth of the size.
    fn packed_zeros(length: usize) -> Vec<u8> {
        // One block with fixed codes: a zero, then eight times "258 bytes from one byte back" in 13 bytes, and the end.
        let mut bits: Vec<bool> = Vec::new();
        let mut push = |code: u32, count: u32| bits.extend((0..count).rev().map(|bit| code >> bit & 1 == 1));
        push(0b1, 1);
        push(0b10, 2);
        push(0b0011_0000, 8);
        let copies = (length - 1) / 258;
        (0..copies).for_each(|_| push(0b1_1000_1010_0000, 13));
        (0..length - 1 - copies * 258).for_each(|_| push(0b0011_0000, 8));
        push(0, 7);
        let mut bytes = vec![0x78, 0x9c];
        bytes.extend(bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |sum, &bit| sum << 1 | u8::from(bit))));
        // Adler-32 of zeros.
        bytes.extend(((length % 65_521) as u32 * 65_536 + 1).to_be_bytes());
        bytes
    }

    fn crc(bytes: &[u8]) -> u32 {
        let step = |crc: u32, bit: u32| if (crc ^ bit) & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc, |crc, bit| step(crc, u32::from(byte) >> bit)))
    }

    #[test]
    fn a_colour_profile_that_unpacks_to_hundreds_of_megabytes_is_not_unpacked() {
        const PROFILE_BYTES: usize = 300 << 20;
        let folder = tempfile::tempdir().unwrap();
        let (plain, bomb) = (folder.path().join("plain.png"), folder.path().join("bomb.png"));
        write(&plain, 6, 5, 9);
        let mut bytes = std::fs::read(&plain).unwrap();
        let chunk = [&b"iCCPbig\0\0"[..], &packed_zeros(PROFILE_BYTES)].concat();
        let length = (chunk.len() as u32 - 4).to_be_bytes();
        let chunk_bytes = [&length[..], &chunk, &crc(&chunk).to_be_bytes()].concat();
        // The header chunk ends at byte 33.
        bytes.splice(33..33, chunk_bytes);
        std::fs::write(&bomb, bytes).unwrap();
        let resident = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:").map(str::to_owned));
            line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok()).unwrap_or(0)
        };
        let before = resident();
        let outcome = open(&bomb).map(|opened| opened.clip.info.width);
        assert!((resident() - before) << 10 < PROFILE_BYTES / 2, "{} KiB more: {outcome:?}", resident() - before);
    }

    #[test]
    fn a_file_without_a_number_opens_as_a_single_image() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leaf.png");
        write(&path, 6, 5, 9);
        let clip = open(&path).unwrap().clip;
        assert_eq!((clip.name.as_str(), clip.info.frames, clip.info.width), ("leaf", 1, 6));
        assert_eq!(*clip.frame(0).unwrap(), Pixels::U8(vec![[9, 1, 2, 255]; 30]));
    }
}
