//! Writes image loops as GIF and APNG, and reads and converts frames for all image formats.
//!
//! GIF stores hundredths of a second, which most rates do not fit. Its delays alternate so that the duration is right to 10 ms.
//! Browsers play delays below 2 as 10, so frames are left out above 50 frames per second.
//! APNG delays are fractions, exact for every usual rate.
//! Both have straight sRGB colours; other sources are converted.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, DynamicImage, Frame, ImageBuffer, RgbaImage};
use rayon::prelude::*;

use super::ExportError;
use portamento_anim::math::srgb::srgb_of;
use portamento_anim::media::image_clip::FrameError;
use portamento_anim::media::{Depth, ImageInfo, Pixels};
use portamento_base::budget::BudgetedBytes;
use portamento_base::progress::Progress;

/// The frames to write, read one by one.
pub struct ImageFrames<'a> {
    /// Name for messages and descriptions.
    pub name: &'a str,
    /// Size, depth, number of frames and rate.
    pub info: ImageInfo,
    /// Returns frame 0 … `info.frames` − 1 of the loop.
    pub frame: &'a (dyn Fn(usize) -> Result<Arc<Pixels>, FrameError> + Sync),
}

/// Prepares the frames of `order` in parallel and passes them to `take` in that order. Both get the position in `order`,
/// counted from 0, not the number of the frame. `take` runs on another thread, so that the processors stay busy while it
/// waits for the disk.
///
/// Returns `Err` if a frame cannot be read, if `prepare` or `take` fails, if the memory budget is exceeded, or if the user
/// cancels.
pub(super) fn each<T: Send>(
    frames: &ImageFrames,
    order: &[usize],
    progress: &Progress,
    prepare: impl Fn(usize, &Pixels) -> Result<T, ExportError> + Sync,
    mut take: impl FnMut(usize, T) -> Result<(), ExportError> + Send,
) -> Result<(), ExportError> {
    let prepare_frame = |number: usize| {
        let pixels = (frames.frame)(order[number]).map_err(|reason| ExportError::Frame { reason })?;
        prepare(number, &pixels)
    };
    let at_once = frames.info.parallel_frames();
    // Frames as read, as prepared, and waiting to be taken.
    let bytes = 3 * at_once as u64 * frames.info.frame_bytes() as u64;
    let _reservation = progress.budget().reserve(bytes, &|| frames.name.to_owned())?;
    let (sender, receiver) = sync_channel(at_once);
    std::thread::scope(|scope| {
        let consumer = scope.spawn(move || receiver.into_iter().try_for_each(|(number, item)| take(number, item)));
        let produce = || {
            for first in (0..order.len()).step_by(at_once) {
                progress.step(first, order.len())?;
                let batch: Vec<_> =
                    (first..(first + at_once).min(order.len())).into_par_iter().map(&prepare_frame).collect();
                for (number, item) in (first..).zip(batch) {
                    // The receiver is closed once `take` has failed; the error is reported below.
                    if sender.send((number, item?)).is_err() {
                        return Ok(());
                    }
                }
            }
            Ok(())
        };
        let produced = produce();
        drop(sender);
        produced.and(consumer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Converts an encoder error to an export error of the file `name`.
pub(super) fn image_error(name: &str) -> impl Fn(image::ImageError) -> ExportError {
    move |error| ExportError::Image { name: name.into(), reason: error.to_string() }
}

/// Converts to straight sRGB at the source's depth, or 16 bits for floats and whenever a conversion is needed. `None` if there
/// are fewer pixels than `info` says.
pub(super) fn to_straight_srgb(pixels: &Pixels, info: &ImageInfo) -> Option<DynamicImage> {
    let (width, height) = (info.width, info.height);
    let as_is = !info.premultiplied && !info.linear;
    match pixels {
        Pixels::U8(pixels) if as_is => {
            ImageBuffer::from_raw(width, height, pixels.concat()).map(DynamicImage::ImageRgba8)
        }
        Pixels::U16(pixels) if as_is => {
            ImageBuffer::from_raw(width, height, pixels.concat()).map(DynamicImage::ImageRgba16)
        }
        _ => {
            let store = |pixel: [f32; 4]| {
                to_srgb(pixel, info).map(|channel| (channel.clamp(0.0, 1.0) * 65_535.0).round() as u16)
            };
            let values = to_unit_floats(pixels).into_iter().flat_map(store).collect();
            ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageRgba16)
        }
    }
}

/// Converts channels to floats with 1 as the full value. Floats are unchanged and may exceed 1.
pub(super) fn to_unit_floats(pixels: &Pixels) -> Vec<[f32; 4]> {
    match pixels {
        Pixels::U8(pixels) => pixels.iter().map(|pixel| pixel.map(|channel| f32::from(channel) / 255.0)).collect(),
        Pixels::U16(pixels) => pixels.iter().map(|pixel| pixel.map(|channel| f32::from(channel) / 65_535.0)).collect(),
        Pixels::F32(pixels) => pixels.clone(),
    }
}

/// Converts a pixel to straight sRGB. The channels are not clamped.
fn to_srgb(pixel: [f32; 4], info: &ImageInfo) -> [f32; 4] {
    let [r, g, b, alpha] = if info.premultiplied { unpremultiplied(pixel) } else { pixel };
    let [r, g, b] = [r, g, b].map(|channel| if info.linear { srgb_of(channel) } else { channel });
    [r, g, b, alpha]
}

/// Divides the colour by alpha. Pixels with alpha 0 become 0.
pub(super) fn unpremultiplied([r, g, b, alpha]: [f32; 4]) -> [f32; 4] {
    if alpha > 0.0 { [r / alpha, g / alpha, b / alpha, alpha] } else { [0.0; 4] }
}

/// Converts the pixels to 8-bit sRGB with straight alpha. `None` if there are fewer pixels than `info` says.
pub(super) fn bytes_of(pixels: &Pixels, info: &ImageInfo) -> Option<RgbaImage> {
    to_straight_srgb(pixels, info).map(DynamicImage::into_rgba8)
}

/// Shortest delay in hundredths of a second that all browsers play as written. They play shorter ones as 10.
const GIF_MIN_DELAY: u32 = 2;

/// Highest rate in frames per second that a GIF shows frame by frame.
pub const GIF_MAX_FPS: f64 = 100.0 / GIF_MIN_DELAY as f64;

/// A frame of a GIF.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GifFrame {
    /// Index of the source's frame.
    frame: usize,
    /// Display time in hundredths of a second.
    delay: u16,
}

/// Returns the frames of a GIF of `frames` frames at `fps`. The sum of the delays is the duration to 10 ms.
///
/// Above [`GIF_MAX_FPS`] it shows fewer frames, each the one of its time. `frames` must be above 0.
fn gif_frames(frames: usize, fps: f64) -> Vec<GifFrame> {
    let duration = 100.0 * frames as f64 / fps;
    let count = match fps > GIF_MAX_FPS {
        true => ((duration.round() / f64::from(GIF_MIN_DELAY)).floor() as usize).max(1),
        false => frames,
    };
    let duration = if count == frames { duration } else { duration.round().max(f64::from(GIF_MIN_DELAY)) };
    let start = |index: usize| (duration * index as f64 / count as f64).round();
    let shown = |index: usize| {
        let frame = if count == frames { index } else { (start(index) / 100.0 * fps).round() as usize };
        let delay = (start(index + 1) - start(index)).clamp(f64::from(GIF_MIN_DELAY), f64::from(u16::MAX));
        GifFrame { frame: frame.min(frames - 1), delay: delay as u16 }
    };
    (0..count).map(shown).collect()
}

/// Returns the bytes of a GIF that repeats endlessly. Rates above [`GIF_MAX_FPS`] lose frames and keep their duration.
/// Returns `Err` if a frame cannot be read or has another size than the sequence.
pub fn gif(frames: &ImageFrames, progress: &Progress) -> Result<Vec<u8>, ExportError> {
    let mut bytes = BudgetedBytes::new(progress.budget(), frames.name);
    {
        // Speed 10 of 30: colours are chosen from a tenth of the pixels, which is not visible in photographs either.
        let mut encoder = GifEncoder::new_with_speed(&mut bytes, 10);
        encoder.set_repeat(Repeat::Infinite).map_err(image_error(frames.name))?;
        let shown = gif_frames(frames.info.frames, frames.info.fps);
        let order: Vec<usize> = shown.iter().map(|shown| shown.frame).collect();
        let image = |_: usize, pixels: &Pixels| check_frame(bytes_of(pixels, &frames.info), frames.name);
        each(frames, &order, progress, image, |index, image| {
            let delay = Delay::from_numer_denom_ms(u32::from(shown[index].delay) * 10, 1);
            encoder.encode_frame(Frame::from_parts(image, 0, 0, delay)).map_err(image_error(frames.name))
        })?;
    }
    Ok(bytes.bytes)
}

/// Returns the number of frames of a GIF of `info`: fewer than it has above [`GIF_MAX_FPS`].
pub fn gif_frame_count(info: &ImageInfo) -> usize {
    gif_frames(info.frames, info.fps).len()
}

/// Returns `image`, or an error about the sequence `name` if it is `None` because a frame has a different size.
pub(super) fn check_frame<T>(image: Option<T>, name: &str) -> Result<T, ExportError> {
    image.ok_or_else(|| ExportError::Image { name: name.into(), reason: "a frame has a different size".into() })
}

/// Returns 1/`fps` seconds as numerator and denominator of 16 bits, found by continued fractions. 1/24 and 1001/30000 are
/// exact.
fn apng_delay(fps: f64) -> (u16, u16) {
    let delay = 1.0 / fps;
    let (mut numerators, mut denominators, mut rest) = ((0.0, 1.0), (1.0, 0.0), delay);
    for _ in 0..24 {
        let integer: f64 = f64::floor(rest);
        let next = (integer * numerators.1 + numerators.0, integer * denominators.1 + denominators.0);
        if !(next.0 <= 65_535.0 && next.1 <= 65_535.0) {
            break;
        }
        (numerators, denominators) = ((numerators.1, next.0), (denominators.1, next.1));
        let close = (numerators.1 / denominators.1 - delay).abs() <= 1e-12 * delay;
        if close || rest - integer <= 0.0 {
            break;
        }
        rest = 1.0 / (rest - integer);
    }
    (numerators.1 as u16, denominators.1 as u16)
}

/// Returns the bytes of an APNG that repeats endlessly, at 8 bits, or at 16 if the source has more or must be converted to
/// straight sRGB. Returns `Err` if a frame cannot be read or has another size than the sequence.
pub fn apng(frames: &ImageFrames, progress: &Progress) -> Result<Vec<u8>, ExportError> {
    let image_error =
        |error: png::EncodingError| ExportError::Image { name: frames.name.into(), reason: error.to_string() };
    let mut bytes = BudgetedBytes::new(progress.budget(), frames.name);
    let info = &frames.info;
    let mut encoder = png::Encoder::new(&mut bytes, info.width, info.height);
    encoder.set_color(png::ColorType::Rgba);
    let deep = info.depth != Depth::U8 || info.premultiplied || info.linear;
    encoder.set_depth(if deep { png::BitDepth::Sixteen } else { png::BitDepth::Eight });
    encoder.set_animated(u32::try_from(info.frames).unwrap_or(u32::MAX), 0).map_err(image_error)?;
    let (numerator, denominator) = apng_delay(info.fps);
    encoder.set_frame_delay(numerator, denominator).map_err(image_error)?;
    let mut writer = encoder.write_header().map_err(image_error)?;
    let data = |_: usize, pixels: &Pixels| -> Result<Vec<u8>, ExportError> {
        let image = check_frame(to_straight_srgb(pixels, info), frames.name)?;
        Ok(match deep {
            true => image.into_rgba16().into_raw().into_iter().flat_map(u16::to_be_bytes).collect(),
            false => image.into_rgba8().into_raw(),
        })
    };
    let order: Vec<usize> = (0..info.frames).collect();
    each(frames, &order, progress, data, |_, data| writer.write_image_data(&data).map_err(image_error))?;
    writer.finish().map_err(image_error)?;
    Ok(bytes.bytes)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::import::images::read as open;
    use portamento_anim::media::Channels;

    pub fn source(depth: Depth, frames: usize, fps: f64) -> (ImageInfo, Vec<Arc<Pixels>>) {
        let float = depth == Depth::F32;
        let info = ImageInfo {
            width: 6,
            height: 4,
            depth,
            channels: Channels::Rgba,
            premultiplied: float,
            linear: float,
            frames,
            fps,
        };
        let pixel =
            |k: usize, i: usize| [(k * 40 + i) as u16, (i * 10) as u16, 77, if i.is_multiple_of(5) { 0 } else { 255 }];
        let frame = |k: usize| match depth {
            Depth::U8 => Pixels::U8((0..24).map(|i| pixel(k, i).map(|channel| channel as u8)).collect()),
            Depth::U16 => Pixels::U16(
                (0..24).map(|i| pixel(k, i).map(|channel| channel * 257 - u16::from(channel > 80))).collect(),
            ),
            Depth::F32 => Pixels::F32((0..24).map(|i| pixel(k, i).map(|channel| f32::from(channel) / 255.0)).collect()),
        };
        (info, (0..frames).map(|k| Arc::new(frame(k))).collect())
    }

    pub fn with<T>((info, pixels): &(ImageInfo, Vec<Arc<Pixels>>), write: impl FnOnce(&ImageFrames) -> T) -> T {
        write(&ImageFrames { name: "robot", info: *info, frame: &|k| Ok(pixels[k].clone()) })
    }

    #[test]
    fn delays_sum_up_to_the_duration_and_are_never_shorter_than_browsers_play() {
        for fps in
            [12.0, 15.0, 23.976, 24.0, 25.0, 29.97, 30.0, 48.0, 50.0, 50.01, 59.94, 60.0, 90.0, 100.0, 120.0, 240.0]
        {
            for frames in [1, 7, 48, 60, 101] {
                let shown = gif_frames(frames, fps);
                let sum: f64 = shown.iter().map(|shown| f64::from(shown.delay) / 100.0).sum();
                let duration = (frames as f64 / fps).max(0.02);
                assert!((sum - duration).abs() <= 0.005 + 1e-9, "{fps} {frames}");
                assert!(shown.iter().all(|shown| shown.delay >= 2), "{fps} {frames}: {shown:?}");
                let mut start = 0.0;
                for shown in &shown {
                    let time = shown.frame as f64 / fps;
                    assert!((time - start).abs() <= 0.005 + 0.5 / fps + 1e-9, "{fps} {frames}: {time} at {start}");
                    start += f64::from(shown.delay) / 100.0;
                }
                if fps <= 50.0 {
                    assert!(shown.iter().map(|shown| shown.frame).eq(0..frames), "{fps} {frames}");
                }
            }
        }
        let shown = |fps: f64| gif_frame_count(&source(Depth::U8, 48, fps).0);
        assert_eq!([25.0, 50.0, 60.0, 120.0].map(shown), [48, 48, 40, 20]);
        let delays: Vec<u16> = gif_frames(6, 24.0).iter().map(|shown| shown.delay).collect();
        assert_eq!(delays, [4, 4, 5, 4, 4, 4]);
    }

    #[test]
    fn a_gif_plays_as_long_as_the_loop_and_repeats_endlessly() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("robot.gif");
        let source = source(Depth::U8, 6, 24.0);
        let bytes = with(&source, |frames| gif(frames, &Progress::new())).unwrap();
        assert!(bytes.windows(11).any(|word| word == b"NETSCAPE2.0"));
        std::fs::write(&path, bytes).unwrap();
        let back = open(&path, 1.0, 1 << 20, &Progress::new()).unwrap();
        assert_eq!((back.clip.info.frames, back.clip.info.fps), (6, 24.0));
        assert!(back.warnings.is_empty(), "{:?}", back.warnings);
    }

    #[test]
    fn an_apng_is_exact_in_pixels_and_time() {
        let folder = tempfile::tempdir().unwrap();
        for fps in [24.0, 30_000.0 / 1001.0] {
            let path = folder.path().join("robot.png");
            let source = source(Depth::U8, 5, fps);
            std::fs::write(&path, with(&source, |frames| apng(frames, &Progress::new())).unwrap()).unwrap();
            let clip = open(&path, 1.0, 1 << 20, &Progress::new()).unwrap().clip;
            assert!((clip.info.fps - fps).abs() < 1e-9 * fps, "{}", clip.info.fps);
            (0..5).for_each(|k| assert_eq!(clip.frame(k).unwrap(), source.1[k]));
        }
        assert_eq!(
            (apng_delay(24.0), apng_delay(30_000.0 / 1001.0), apng_delay(0.5)),
            ((1, 24), (1001, 30_000), (2, 1))
        );
    }
}
