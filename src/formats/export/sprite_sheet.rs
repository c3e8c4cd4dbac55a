//! Writes sprite sheets: all frames in one PNG, and a JSON in Aseprite's format with their positions.

use std::io::Cursor;

use image::{ImageFormat, RgbaImage};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ExportError;
use super::images::{ImageFrames, bytes_of, check_frame, each, image_error};
use portamento_anim::media::{ImageInfo, Pixels};
use portamento_base::progress::Progress;

/// Largest side of a sheet in pixels, supported by every current graphics card.
const MAX_SIDE_PIXELS: u32 = 16_384;

/// Layout of the frames on a sheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SheetLayout {
    /// Frames per row, or `None` for a sheet that is nearly square.
    pub columns: Option<u32>,
    /// Transparent pixels around every frame, so that filtering does not blend neighbouring frames.
    pub padding: u32,
    /// True if both sides of the sheet are powers of two.
    pub power_of_two: bool,
}

/// Positions of the frames in pixels.
struct Cells {
    columns: usize,
    /// Distance between neighbouring frames, horizontally and vertically.
    step: [usize; 2],
    padding: usize,
    /// Width and height of the sheet.
    size: [usize; 2],
}

impl SheetLayout {
    /// Returns the positions of all frames of `info`. Without a number of columns, the sheet is about square.
    fn cells(self, info: &ImageInfo) -> Cells {
        let padding = self.padding as usize;
        let step = [info.width, info.height].map(|side| side as usize + padding);
        let square = || (info.frames as f64 * step[1] as f64 / step[0].max(1) as f64).sqrt().ceil() as usize;
        let columns = self.columns.map_or_else(square, |columns| columns as usize).clamp(1, info.frames.max(1));
        let counts = [columns, info.frames.div_ceil(columns)];
        let side = |axis: usize| {
            let needed = counts[axis].saturating_mul(step[axis]).saturating_add(padding);
            if self.power_of_two { needed.checked_next_power_of_two().unwrap_or(usize::MAX) } else { needed }
        };
        Cells { columns, step, padding, size: [side(0), side(1)] }
    }
}

impl Cells {
    /// Returns the upper left corner of `frame` in pixels, x and y.
    fn corner(&self, frame: usize) -> [u32; 2] {
        let cell = [frame % self.columns, frame / self.columns];
        [0, 1].map(|axis| (self.padding + cell[axis] * self.step[axis]) as u32)
    }
}

/// Returns the PNG of a sheet and its JSON in Aseprite's format: frames, durations and one repeating tag.
/// `image` is the file name that the JSON refers to. Returns `Err` if a side would exceed [`MAX_SIDE_PIXELS`]. Returns
/// `Err` too if a frame cannot be read, has another size, or is over the memory budget.
pub fn sheet(
    frames: &ImageFrames,
    layout: SheetLayout,
    image: &str,
    progress: &Progress,
) -> Result<(Vec<u8>, String), ExportError> {
    let info = &frames.info;
    let cells = layout.cells(info);
    let [width, height] = cells.size;
    if width.max(height) > MAX_SIDE_PIXELS as usize {
        let reason = format!(
            "the sheet would be {width} × {height} pixels, more than {MAX_SIDE_PIXELS} on a side; use other columns or smaller frames"
        );
        return Err(ExportError::Image { name: frames.name.into(), reason });
    }
    // Memory of the pixels and, at worst, the same size encoded.
    let bytes = 2 * 4 * width as u64 * height as u64;
    let _reservation = progress.budget().reserve(bytes, &|| frames.name.to_owned())?;
    let mut sheet = RgbaImage::new(width as u32, height as u32);
    let mut described = Vec::with_capacity(info.frames);
    let order: Vec<usize> = (0..info.frames).collect();
    let cell = |_: usize, pixels: &Pixels| check_frame(bytes_of(pixels, info), frames.name);
    each(frames, &order, progress, cell, |frame, cell| {
        let [x, y] = cells.corner(frame);
        image::imageops::replace(&mut sheet, &cell, i64::from(x), i64::from(y));
        described.push(json!({
            "filename": format!("{} {frame}", frames.name),
            "frame": {"x": x, "y": y, "w": info.width, "h": info.height},
            "duration": milliseconds(frame, info.fps),
        }));
        Ok(())
    })?;
    let tag = json!({"name": "loop", "from": 0, "to": info.frames.saturating_sub(1), "direction": "forward"});
    let meta = json!({"image": image, "size": {"w": width, "h": height}, "fps": info.fps, "frameTags": [tag]});
    let mut bytes = Cursor::new(Vec::new());
    sheet.write_to(&mut bytes, ImageFormat::Png).map_err(image_error(frames.name))?;
    Ok((bytes.into_inner(), format!("{:#}", json!({"frames": described, "meta": meta}))))
}

/// Returns the duration of frame `frame` in whole milliseconds. The sum over all frames is the total duration to 1 ms.
fn milliseconds(frame: usize, fps: f64) -> u64 {
    let end = |frame: usize| (1000.0 * frame as f64 / fps).round() as u64;
    end(frame + 1) - end(frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::images::tests::{source, with};
    use crate::import::sprite_sheet;
    use portamento_anim::media::Depth;

    fn in_rows_of(columns: u32) -> SheetLayout {
        SheetLayout { columns: Some(columns), ..SheetLayout::default() }
    }

    #[test]
    fn padding_separates_frames_and_transparent_pixels_fill_up_to_a_power_of_two() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheet.png");
        let source = source(Depth::U8, 5, 24.0);
        let [width, height] = [source.0.width, source.0.height];
        let layout = SheetLayout { columns: Some(2), padding: 3, power_of_two: true };
        let (bytes, json) = with(&source, |frames| sheet(frames, layout, "sheet.png", &Progress::new())).unwrap();
        std::fs::write(&path, &bytes).unwrap();
        std::fs::write(path.with_extension("json"), &json).unwrap();
        let picture = image::load_from_memory(&bytes).unwrap().to_rgba8();
        let least = [3 + 2 * (width + 3), 3 + 3 * (height + 3)];
        assert_eq!([picture.width(), picture.height()], least.map(u32::next_power_of_two));
        let in_a_frame = |at: u32, side: u32, count: u32| at % (side + 3) >= 3 && at / (side + 3) < count;
        for (x, y, pixel) in picture.enumerate_pixels() {
            if !(in_a_frame(x, width, 2) && in_a_frame(y, height, 3)) {
                assert_eq!(pixel.0[3], 0, "{x} {y}");
            }
        }
        let clip = sprite_sheet::read(&path.with_extension("json"), 1.0, 1 << 20).unwrap().clip;
        (0..5).for_each(|k| assert_eq!(clip.frame(k).unwrap(), source.1[k], "frame {k}"));
    }

    #[test]
    fn a_sheet_without_options_is_nearly_square() {
        let info = ImageInfo { width: 20, height: 10, frames: 32, ..source(Depth::U8, 1, 24.0).0 };
        let cells = SheetLayout::default().cells(&info);
        assert_eq!((cells.columns, cells.size, cells.corner(5)), (4, [80, 80], [20, 10]));
    }

    #[test]
    fn a_sheet_round_trips_with_its_duration() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheet.png");
        let source = source(Depth::U8, 5, 24.0);
        let (bytes, json) =
            with(&source, |frames| sheet(frames, in_rows_of(3), "sheet.png", &Progress::new())).unwrap();
        std::fs::write(&path, bytes).unwrap();
        std::fs::write(path.with_extension("json"), &json).unwrap();
        let clip = sprite_sheet::read(&path.with_extension("json"), 1.0, 1 << 20).unwrap().clip;
        assert_eq!((clip.info.frames, clip.info.fps, clip.name.as_str()), (5, 24.0, "sheet"));
        (0..5).for_each(|k| assert_eq!(clip.frame(k).unwrap(), source.1[k]));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let total: u64 =
            json["frames"].as_array().unwrap().iter().map(|frame| frame["duration"].as_u64().unwrap()).sum();
        assert_eq!(
            (total, &json["frames"][4]["frame"]["x"], &json["meta"]["frameTags"][0]["to"]),
            (208, &json!(6), &json!(4))
        );
        let huge = (ImageInfo { width: 9000, ..source.0 }, source.1.clone());
        assert!(
            with(&huge, |frames| sheet(frames, in_rows_of(2), "a.png", &Progress::new()))
                .unwrap_err()
                .to_string()
                .contains("18000")
        );
    }
}
