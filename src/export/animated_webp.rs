//! Image loops out as an animated WebP: every frame whole and lossless, shown for whole milliseconds.
//!
//! The container (RIFF, developers.google.com/speed/webp/docs/riff_container) is written here around frames that the `image` crate
//! packs. Colours are straight sRGB of 8 bits.

use std::io::Write;

use image::ExtendedColorType;
use image::codecs::webp::WebPEncoder;

use super::ExportError;
use super::images::{ImageFrames, bytes_of, each, refused, sized};
use crate::budget::BudgetedBytes;
use crate::media::Pixels;
use crate::progress::Progress;

/// A file's head: `RIFF`, the size of all that follows, `WEBP`.
const HEAD: usize = 12;
/// That it moves, and that pixels may be clear.
const FLAGS: u8 = 0b1_0010;
/// A frame takes the place of what was there before, alpha and all.
const IN_PLACE: u8 = 0b10;

/// Milliseconds that each of `frames` frames is shown at `fps`; their sum is the whole duration to 1 ms.
pub fn delays(frames: usize, fps: f64) -> Vec<u32> {
    let end = |frame: usize| (1000.0 * frame as f64 / fps).round();
    // The format has 24 bits for each.
    (0..frames).map(|frame| (end(frame + 1) - end(frame)).clamp(0.0, f64::from(0xFF_FFFF)) as u32).collect()
}

/// The bytes of an animated WebP that repeats for ever.
///
/// Errors for frames wider or higher than 16 383 pixels, which the format does not know.
pub fn animated_webp(frames: &ImageFrames, progress: &Progress) -> Result<Vec<u8>, ExportError> {
    let (width, height) = (frames.info.width, frames.info.height);
    let failed = |reason: String| ExportError::Image { name: frames.name.into(), reason };
    let mut bytes = BudgetedBytes::new(progress.budget(), frames.name);
    let mut add = |chunk: &[u8]| bytes.write_all(chunk).map_err(|error| failed(error.to_string()));
    add(b"RIFF____WEBP")?;
    let size = [least(width.saturating_sub(1)), least(height.saturating_sub(1))].concat();
    add(&chunk(*b"VP8X", &[&[FLAGS, 0, 0, 0], &size[..]].concat()))?;
    // No colour behind it, and no end.
    add(&chunk(*b"ANIM", &[0; 6]))?;
    let delays = delays(frames.info.frames, frames.info.fps);
    let packed = |frame: usize, pixels: &Pixels| {
        let image = sized(bytes_of(pixels, &frames.info), frames.name)?;
        let mut still = Vec::new();
        let encoder = WebPEncoder::new_lossless(&mut still);
        encoder.encode(&image, width, height, ExtendedColorType::Rgba8).map_err(refused(frames.name))?;
        let head = [&[0; 6], &size[..], &least(delays[frame]), &[IN_PLACE]].concat();
        let picture = still.get(HEAD..).unwrap_or_default();
        Ok(chunk(*b"ANMF", &[&head, picture].concat()))
    };
    let order: Vec<usize> = (0..frames.info.frames).collect();
    each(frames, &order, progress, packed, |_, frame| add(&frame))?;
    let mut whole = bytes.bytes;
    let following = u32::try_from(whole.len() - 8).map_err(|_| failed("it would be larger than 4 GiB".into()))?;
    whole[4..8].copy_from_slice(&following.to_le_bytes());
    Ok(whole)
}

/// A part of the file: its name, its size, itself, filled up to an even number of bytes.
fn chunk(name: [u8; 4], content: &[u8]) -> Vec<u8> {
    let size = (content.len() as u32).to_le_bytes();
    let fill: &[u8] = if content.len() % 2 == 1 { &[0] } else { &[] };
    [&name, &size, content, fill].concat()
}

/// The lowest 24 bits.
fn least(number: u32) -> [u8; 3] {
    let [a, b, c, _] = number.to_le_bytes();
    [a, b, c]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::images::tests::{source, with};
    use crate::import::images::read as open;
    use crate::media::Depth;

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
