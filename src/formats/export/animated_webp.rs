//! Writes image loops as animated WebP: every frame complete and lossless, with display times in whole milliseconds.
//!
//! This module writes the container (RIFF, developers.google.com/speed/webp/docs/riff_container).
//! The `image` crate encodes the frames. Colours are straight sRGB of 8 bits.

use std::io::Write;

use image::ExtendedColorType;
use image::codecs::webp::WebPEncoder;

use super::ExportError;
use super::images::{ImageFrames, bytes_of, check_frame, each, image_error};
use portamento_anim::media::Pixels;
use portamento_base::budget::BudgetedBytes;
use portamento_base::progress::Progress;

/// Bytes of the file header: `RIFF`, the size of the rest, `WEBP`.
const HEADER_BYTES: usize = 12;
/// Feature flags: animation and alpha.
const ANIMATION_AND_ALPHA: u8 = 0b1_0010;
/// Frame flag: the frame replaces the canvas, including alpha, instead of being blended.
const NO_BLENDING: u8 = 0b10;

/// Returns the display time in milliseconds of each of `frames` frames at `fps`. Their sum is the duration to 1 ms, as long
/// as no frame is shown longer than the 24 bits of the format (4.6 hours).
pub fn delays(frames: usize, fps: f64) -> Vec<u32> {
    let end = |frame: usize| (1000.0 * frame as f64 / fps).round();
    // The format stores 24 bits for each.
    (0..frames).map(|frame| (end(frame + 1) - end(frame)).clamp(0.0, f64::from(0xFF_FFFF)) as u32).collect()
}

/// Returns the bytes of an animated WebP that repeats endlessly.
///
/// Returns `Err` for frames wider or higher than 16 383 pixels, the limit of the format. Returns `Err` too if a frame
/// cannot be read, has another size than the sequence, or is over the memory budget, and if the file would exceed 4 GiB.
pub fn animated_webp(frames: &ImageFrames, progress: &Progress) -> Result<Vec<u8>, ExportError> {
    let (width, height) = (frames.info.width, frames.info.height);
    let failed = |reason: String| ExportError::Image { name: frames.name.into(), reason };
    let mut bytes = BudgetedBytes::new(progress.budget(), frames.name);
    let mut add = |chunk: &[u8]| bytes.write_all(chunk).map_err(|error| failed(error.to_string()));
    add(b"RIFF____WEBP")?;
    let size = [low_24_bits(width.saturating_sub(1)), low_24_bits(height.saturating_sub(1))].concat();
    add(&chunk(*b"VP8X", &[&[ANIMATION_AND_ALPHA, 0, 0, 0], &size[..]].concat()))?;
    // Background colour 0 and loop count 0, which means endless.
    add(&chunk(*b"ANIM", &[0; 6]))?;
    let delays = delays(frames.info.frames, frames.info.fps);
    let encode_frame = |frame: usize, pixels: &Pixels| {
        let image = check_frame(bytes_of(pixels, &frames.info), frames.name)?;
        let mut still = Vec::new();
        let encoder = WebPEncoder::new_lossless(&mut still);
        encoder.encode(&image, width, height, ExtendedColorType::Rgba8).map_err(image_error(frames.name))?;
        let head = [&[0; 6], &size[..], &low_24_bits(delays[frame]), &[NO_BLENDING]].concat();
        let picture = still.get(HEADER_BYTES..).unwrap_or_default();
        Ok(chunk(*b"ANMF", &[&head, picture].concat()))
    };
    let order: Vec<usize> = (0..frames.info.frames).collect();
    each(frames, &order, progress, encode_frame, |_, frame| add(&frame))?;
    let mut file = bytes.bytes;
    let following = u32::try_from(file.len() - 8).map_err(|_| failed("it would be larger than 4 GiB".into()))?;
    file[4..8].copy_from_slice(&following.to_le_bytes());
    Ok(file)
}

/// Returns a RIFF chunk: name, size and content, padded to an even number of bytes. The size does not count the padding.
fn chunk(name: [u8; 4], content: &[u8]) -> Vec<u8> {
    let size = (content.len() as u32).to_le_bytes();
    let fill: &[u8] = if content.len() % 2 == 1 { &[0] } else { &[] };
    [&name, &size, content, fill].concat()
}

/// Returns the lowest 24 bits.
fn low_24_bits(number: u32) -> [u8; 3] {
    let [a, b, c, _] = number.to_le_bytes();
    [a, b, c]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::images::tests::{source, with};
    use crate::import::images::read as open;
    use portamento_anim::media::Depth;

    #[test]
    fn an_animated_webp_is_exact_in_pixels_and_to_a_millisecond_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("robot.webp");
        let source = source(Depth::U8, 6, 24.0);
        let bytes = with(&source, |frames| animated_webp(frames, &Progress::new())).unwrap();
        assert_eq!(bytes.len() as u32, 8 + u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]));
        std::fs::write(&path, bytes).unwrap();
        let clip = open(&path, 1.0, 1 << 20, &Progress::new()).unwrap().clip;
        assert_eq!(clip.info.frames, 6);
        (0..6).for_each(|k| assert_eq!(clip.frame(k).unwrap(), source.1[k], "frame {k}"));
        assert_eq!((delays(6, 24.0), delays(3, 30.0)), (vec![42, 41, 42, 42, 41, 42], vec![33, 34, 33]));
    }
}
