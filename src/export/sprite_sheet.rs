//! Sprite sheets: all frames on one PNG, and a JSON that says where, as Aseprite writes it.

use std::io::Cursor;

use image::{ImageFormat, RgbaImage};
use serde_json::json;

use super::ExportError;
use super::images::{ImageFrames, bytes_of, each, refused, sized};
use crate::media::Pixels;
use crate::progress::Progress;

/// Largest side of a sheet; what every current graphics card takes.
pub const MOST_PIXELS: u32 = 16_384;

/// The PNG of a sheet with `columns` frames in a row, and its JSON (frames, durations, one tag that repeats), as Aseprite
/// writes it. `image` is the file name the JSON refers to. Errors when a side would exceed [`MOST_PIXELS`].
pub fn sheet(
    frames: &ImageFrames,
    columns: usize,
    image: &str,
    progress: &Progress,
) -> Result<(Vec<u8>, String), ExportError> {
    let info = &frames.info;
    let columns = columns.clamp(1, info.frames.max(1));
    let rows = info.frames.div_ceil(columns);
    let (cell_width, cell_height) = (info.width as usize, info.height as usize);
    let (width, height) = (columns.saturating_mul(cell_width), rows.saturating_mul(cell_height));
    if width.max(height) > MOST_PIXELS as usize {
        let reason = format!(
            "the sheet would be {width} × {height} pixels, more than {MOST_PIXELS} on a side; use other columns or smaller frames"
        );
        return Err(ExportError::Image { name: frames.name.into(), reason });
    }
    // As pixels and, at worst, as large encoded.
    let bytes = 2 * 4 * width as u64 * height as u64;
    let _held = progress.budget().reserve(bytes, &|| frames.name.to_owned())?;
    let mut sheet = RgbaImage::new(width as u32, height as u32);
    let mut described = Vec::with_capacity(info.frames);
    let order: Vec<usize> = (0..info.frames).collect();
    let cell = |_: usize, pixels: &Pixels| sized(bytes_of(pixels, info), frames.name);
    each(frames, &order, progress, cell, |frame, cell| {
        let (x, y) = ((frame % columns * cell_width) as u32, (frame / columns * cell_height) as u32);
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
    sheet.write_to(&mut bytes, ImageFormat::Png).map_err(refused(frames.name))?;
    Ok((bytes.into_inner(), format!("{:#}", json!({"frames": described, "meta": meta}))))
}

/// Whole milliseconds of a frame; their sum is the whole duration to 1 ms.
fn milliseconds(frame: usize, fps: f64) -> u64 {
    let end = |frame: usize| (1000.0 * frame as f64 / fps).round() as u64;
    end(frame + 1) - end(frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::images::tests::{source, with};
    use crate::import::sprite_sheet;
    use crate::media::{Depth, ImageInfo};

    #[test]
    fn a_sheet_comes_apart_again_and_its_description_lasts_as_long() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheet.png");
        let source = source(Depth::U8, 5, 24.0);
        let (bytes, json) = with(&source, |frames| sheet(frames, 3, "sheet.png", &Progress::new())).unwrap();
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
            with(&huge, |frames| sheet(frames, 2, "a.png", &Progress::new()))
                .unwrap_err()
                .to_string()
                .contains("18000")
        );
    }
}
