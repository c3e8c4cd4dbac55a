//! Writes image loops as numbered files. PNG and TGA store straight sRGB colours, EXR premultiplied linear light.
//! Other sources are converted. Grey and opaque sources keep their channels.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use image::{DynamicImage, ImageBuffer, ImageFormat, Pixel, Primitive, Rgba};

use super::images::{ImageFrames, each, image_error, to_straight_srgb, to_unit_floats, unpremultiplied};
use super::point_cache::ClosingKey;
use super::{ExportError, FileSet};
use portamento_anim::math::srgb::light_of;
use portamento_anim::media::{Channels, ImageInfo, Pixels};
use portamento_base::progress::Progress;

/// File format of a numbered frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Still {
    /// 8 or 16 bits; float images become 16.
    #[default]
    Png,
    /// OpenEXR with 32-bit floats, lossless.
    Exr,
    /// Targa, 8 bits with alpha.
    Tga,
}

impl Still {
    /// Returns the file extension without the dot.
    fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Exr => "exr",
            Self::Tga => "tga",
        }
    }
}

/// Folder, name and first number of a numbered sequence.
#[derive(Clone, Copy, Debug)]
pub struct Numbered<'a> {
    /// The folder for the frames.
    pub folder: &'a Path,
    /// The file name before `_0000.png`.
    pub stem: &'a str,
    /// The number of the first frame.
    pub first: usize,
}

/// Adds the files `stem_0000.png` … in `folder` to `files`, starting at `first`, and returns their paths.
/// Numbers have four digits, or more if needed. The files of an earlier, longer export are removed on commit.
pub fn sequence(
    files: &mut FileSet,
    frames: &ImageFrames,
    closing: ClosingKey,
    still: Still,
    Numbered { folder, stem, first }: Numbered,
    progress: &Progress,
) -> Result<Vec<PathBuf>, ExportError> {
    let order: Vec<usize> = closing.order(frames.info.frames).collect();
    let last = first.saturating_add(order.len().saturating_sub(1));
    let digits = last.to_string().len().max(4);
    let extension = still.extension();
    let mut paths = Vec::with_capacity(order.len());
    let bytes = |_, pixels: &Pixels| encode(pixels, &frames.info, still, frames.name);
    each(frames, &order, progress, bytes, |number, bytes| {
        let path = folder.join(format!("{stem}_{:0digits$}.{extension}", first + number));
        files.write(&path, &bytes)?;
        paths.push(path);
        Ok(())
    })?;
    // Frames of an earlier, longer export would be read as the end of this one.
    stale_frames(folder, stem, still, first + paths.len()).into_iter().for_each(|path| files.retire(path));
    Ok(paths)
}

/// Returns the frames of an earlier, longer export with the same name: files of [`sequence`] with numbers from `end` on.
/// The paths are sorted; a folder that cannot be read has none.
fn stale_frames(folder: &Path, stem: &str, still: Still, end: usize) -> Vec<PathBuf> {
    let is_stale = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let number = name
            .strip_prefix(stem)
            .and_then(|rest| rest.strip_prefix('_'))
            .and_then(|rest| rest.strip_suffix(still.extension())?.strip_suffix('.'));
        let number = number.filter(|number| number.len() >= 4 && number.bytes().all(|byte| byte.is_ascii_digit()));
        number.and_then(|number| number.parse::<usize>().ok()).is_some_and(|number| number >= end)
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(is_stale).collect();
    found.sort();
    found
}

/// Encodes one frame in the format `still`. Returns `Err` if the frame has another size than `info` says. `name` is for
/// messages.
fn encode(pixels: &Pixels, info: &ImageInfo, still: Still, name: &str) -> Result<Vec<u8>, ExportError> {
    let (image, format) = match still {
        Still::Png => (to_straight_srgb(pixels, info), ImageFormat::Png),
        Still::Exr => (to_linear_light(pixels, info), ImageFormat::OpenExr),
        Still::Tga => (
            to_straight_srgb(pixels, info).map(DynamicImage::into_rgba8).map(DynamicImage::ImageRgba8),
            ImageFormat::Tga,
        ),
    };
    let mut bytes = Cursor::new(Vec::new());
    let image =
        image.ok_or_else(|| ExportError::Image { name: name.into(), reason: "a frame has a different size".into() })?;
    // OpenEXR files have colours.
    let channels = match (info.channels, still) {
        (Channels::Grey, Still::Exr) => Channels::Rgb,
        (Channels::GreyAlpha, Still::Exr) => Channels::Rgba,
        (channels, _) => channels,
    };
    let image = with_channels(image, channels);
    image.write_to(&mut bytes, format).map_err(image_error(name))?;
    Ok(bytes.into_inner())
}

/// Returns `image` with these channels only, or unchanged if that would lose a colour or a transparent pixel.
fn with_channels(image: DynamicImage, channels: Channels) -> DynamicImage {
    use Channels::{Grey, GreyAlpha, Rgb};
    use DynamicImage::{
        ImageLuma8, ImageLuma16, ImageLumaA8, ImageLumaA16, ImageRgb8, ImageRgb16, ImageRgb32F, ImageRgba8,
        ImageRgba16, ImageRgba32F,
    };
    let reduced = match (&image, channels) {
        (ImageRgba8(full), Grey) => reduced(full, u8::MAX).map(ImageLuma8),
        (ImageRgba8(full), GreyAlpha) => reduced(full, u8::MAX).map(ImageLumaA8),
        (ImageRgba8(full), Rgb) => reduced(full, u8::MAX).map(ImageRgb8),
        (ImageRgba16(full), Grey) => reduced(full, u16::MAX).map(ImageLuma16),
        (ImageRgba16(full), GreyAlpha) => reduced(full, u16::MAX).map(ImageLumaA16),
        (ImageRgba16(full), Rgb) => reduced(full, u16::MAX).map(ImageRgb16),
        (ImageRgba32F(full), Rgb) => reduced(full, 1.0).map(ImageRgb32F),
        _ => None,
    };
    reduced.unwrap_or(image)
}

/// Returns the channels of pixel type `P`; `None` if the others hold more than alpha `opaque` and equal colours.
fn reduced<S: Primitive, P: Pixel<Subpixel = S>>(
    full: &ImageBuffer<Rgba<S>, Vec<S>>,
    opaque: S,
) -> Option<ImageBuffer<P, Vec<S>>>
where
    Rgba<S>: Pixel<Subpixel = S>,
{
    // One or three colours, and alpha if the count is even.
    let count = usize::from(P::CHANNEL_COUNT);
    let (colors, has_alpha) = (if count < 3 { 1 } else { 3 }, count.is_multiple_of(2));
    let mut raw = Vec::with_capacity(full.as_raw().len() / 4 * count);
    for &[r, g, b, alpha] in full.as_raw().as_chunks().0 {
        if (colors == 1 && (r != g || g != b)) || (!has_alpha && alpha != opaque) {
            return None;
        }
        raw.extend(&[r, g, b][..colors]);
        raw.extend(has_alpha.then_some(alpha));
    }
    ImageBuffer::from_raw(full.width(), full.height(), raw)
}

/// Converts to premultiplied linear light in floats; `None` if there are fewer pixels than `info` says.
fn to_linear_light(pixels: &Pixels, info: &ImageInfo) -> Option<DynamicImage> {
    let to_light = |[r, g, b, alpha]: [f32; 4]| {
        if info.premultiplied && info.linear {
            return [r, g, b, alpha];
        }
        let [r, g, b, alpha] = if info.premultiplied { unpremultiplied([r, g, b, alpha]) } else { [r, g, b, alpha] };
        let [r, g, b] = [r, g, b].map(|channel| if info.linear { channel } else { light_of(channel) } * alpha);
        [r, g, b, alpha]
    };
    let values = to_unit_floats(pixels).into_iter().flat_map(to_light).collect();
    ImageBuffer::from_raw(info.width, info.height, values).map(DynamicImage::ImageRgba32F)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::export::images::tests::{source, with};
    use crate::import::images::read as open;
    use portamento_anim::media::Depth;

    #[test]
    fn numbered_files_give_every_depth_back_exactly_with_or_without_the_closing_frame() {
        for (depth, still) in
            [(Depth::U8, Still::Png), (Depth::U8, Still::Tga), (Depth::U16, Still::Png), (Depth::F32, Still::Exr)]
        {
            for (closing, count) in [(ClosingKey::Without, 5), (ClosingKey::With, 6)] {
                let folder = tempfile::tempdir().unwrap();
                let source = source(depth, 5, 24.0);
                let progress = Progress::new();
                let location = Numbered { folder: folder.path(), stem: "robot", first: 0 };
                let mut files = FileSet::new(Arc::default());
                let write = |frames: &ImageFrames| sequence(&mut files, frames, closing, still, location, &progress);
                let paths = with(&source, write).unwrap();
                files.commit(crate::export::Replace::Refuse).unwrap();
                assert!(paths.len() == count && paths[1].to_string_lossy().contains("robot_0001."));
                let back = open(folder.path(), 24.0, 1 << 20, &progress).unwrap().clip;
                for k in 0..count {
                    assert_eq!(back.frame(k).unwrap(), source.1[k % 5], "{depth:?} {k}");
                }
            }
        }
    }

    #[test]
    fn grey_and_opaque_sources_come_out_with_their_channels() {
        let (grey, alpha, rgb) = (image::Luma([90_u8]), image::LumaA([90_u8, 7]), image::Rgb([90_u8, 2, 3]));
        let deep = image::ImageBuffer::from_pixel(3, 2, image::Luma([60_001_u16]));
        let images: [DynamicImage; 5] = [
            image::GrayImage::from_pixel(3, 2, grey).into(),
            image::GrayAlphaImage::from_pixel(3, 2, alpha).into(),
            image::RgbImage::from_pixel(3, 2, rgb).into(),
            image::RgbaImage::from_pixel(3, 2, image::Rgba([1, 2, 3, 255])).into(),
            deep.into(),
        ];
        for picture in images {
            for (still, extension) in [(Still::Png, "png"), (Still::Tga, "tga")] {
                let is_deep = picture.color().bytes_per_pixel() > picture.color().channel_count();
                if is_deep && still == Still::Tga {
                    continue;
                }
                let [before, after] = [0; 2].map(|_| tempfile::tempdir().unwrap());
                (0..3).for_each(|k| picture.save(before.path().join(format!("smoke_{k:04}.{extension}"))).unwrap());
                let clip = open(before.path(), 24.0, 1 << 20, &Progress::new()).unwrap().clip;
                let frames = ImageFrames { name: "smoke", info: clip.info, frame: &|k| clip.frame(k) };
                let mut files = FileSet::new(Arc::default());
                let location = Numbered { folder: after.path(), stem: "smoke", first: 0 };
                sequence(&mut files, &frames, ClosingKey::Without, still, location, &Progress::new()).unwrap();
                files.commit(crate::export::Replace::Refuse).unwrap();
                let back = image::open(after.path().join(format!("smoke_0001.{extension}"))).unwrap();
                assert_eq!(back, picture, "{extension} {:?}", picture.color());
            }
        }
        // A frame that is not grey keeps its colours.
        let colored = image::RgbaImage::from_pixel(1, 1, image::Rgba([1, 2, 3, 255])).into();
        assert_eq!(with_channels(colored, Channels::Grey).color(), image::ColorType::Rgba8);
    }

    #[test]
    fn only_frames_of_a_longer_export_are_stale() {
        let folder = tempfile::tempdir().unwrap();
        let names =
            ["robot_0002.png", "robot_0003.png", "robot_0003.exr", "robot_12.png", "robot_00x4.png", "other_0009.png"];
        names.into_iter().for_each(|name| std::fs::write(folder.path().join(name), "").unwrap());
        let found = |still, count| stale_frames(folder.path(), "robot", still, count);
        assert_eq!(found(Still::Png, 3), [folder.path().join("robot_0003.png")]);
        assert_eq!(found(Still::Exr, 0), [folder.path().join("robot_0003.exr")]);
        assert_eq!(found(Still::Png, 4), [] as [PathBuf; 0]);
    }

    #[test]
    fn numbers_start_at_first_and_have_enough_digits_for_the_last() {
        for (first, names) in
            [(1, ["robot_0001.png", "robot_0003.png"]), (9998, ["robot_09998.png", "robot_10000.png"])]
        {
            let folder = tempfile::tempdir().unwrap();
            let location = Numbered { folder: folder.path(), stem: "robot", first };
            let mut files = FileSet::new(Arc::default());
            let (closing, progress) = (ClosingKey::Without, Progress::new());
            let write = |frames: &ImageFrames| sequence(&mut files, frames, closing, Still::Png, location, &progress);
            let paths = with(&source(Depth::U8, 3, 24.0), write).unwrap();
            assert_eq!([&paths[0], &paths[2]], names.map(|name| folder.path().join(name)).each_ref());
        }
    }
}
