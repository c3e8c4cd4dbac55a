//! Sprite sheets: one or more images with the frames of a sequence side by side.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::image_clip::{FrameError, FrameSource};
use super::{ImageClip, ImageInfo, Pixels};
use portamento_base::message::{message, messages};

/// Maximum number of frames of a sheet. Tuned; no derivation recorded.
const MAX_FRAMES: usize = 1 << 20;

/// A grid of equal frames on each sheet, read left to right and then down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetGrid {
    /// Frames per row, at least 1.
    pub columns: u32,
    /// Rows of frames, at least 1.
    pub rows: u32,
    /// Number of frames used, at least 1; `None` uses all.
    #[serde(default)]
    pub frames: Option<usize>,
}

/// A frame on a sheet, in pixels from the upper left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sprite {
    /// Index of the image, from 0.
    pub sheet: usize,
    /// Upper left corner on the image.
    pub corner: [u32; 2],
    /// Size on the image, without the margins that packers trimmed off.
    pub size: [u32; 2],
    /// Offset within the frame; the rest of the frame is transparent.
    pub offset: [u32; 2],
}

messages! {
/// Errors of cutting images into frames.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SheetError {
    /// The grid does not divide the image evenly.
    Uneven {
        /// Name of the image.
        name: String,
        /// Width of the image, pixels.
        width: u32,
        /// Height of the image, pixels.
        height: u32,
        /// The requested columns.
        columns: u32,
        /// The requested rows.
        rows: u32,
    } => message!(
        "error.sheet.uneven",
        "The sheet “%{name}” of %{width} × %{height} pixels cannot be divided into %{columns} × %{rows} equal frames. \
         Choose columns and rows that divide it.",
        name,
        width,
        height,
        columns,
        rows
    ),
    /// More frames are requested than there are, or none.
    Frames {
        /// Name of the image.
        name: String,
        /// The requested frames.
        frames: usize,
        /// The available frames.
        room: usize,
    } => message!(
        "error.sheet.frames",
        "The sheet “%{name}” has room for %{room} frames, not %{frames}. Choose 1 to %{room} frames.",
        name,
        frames,
        room
    ),
    /// A frame exceeds its image, or its own size.
    Outside {
        /// Name of the image.
        name: String,
        /// Index of the frame, from 0.
        frame: usize,
    } => message!(
        "error.sheet.outside",
        "Frame %{frame} is outside the sheet “%{name}”. Export the sheet again.",
        name,
        frame
    ),
}
}

/// Maximum number of columns or rows of a guessed grid.
const MAX_GUESSED_CELLS: u32 = 64;
/// Minimum side of a guessed frame, pixels.
const MIN_GUESSED_SIDE: u32 = 4;

impl SheetGrid {
    /// Returns the finest even grid whose lines between frames are transparent and whose columns and rows all show
    /// something, without the empty frames at its end. Returns `None` if the first image has no such lines or cannot
    /// be read.
    pub fn guess(sheets: &ImageClip) -> Option<Self> {
        let [width, height] = [sheets.info.width, sheets.info.height];
        let pixels = sheets.frame(0).ok()?;
        let at = |x: u32, y: u32| (y * width + x) as usize;
        let is_seen = |x: u32, y: u32| match &*pixels {
            Pixels::U8(pixels) => pixels[at(x, y)][3] > 0,
            Pixels::U16(pixels) => pixels[at(x, y)][3] > 0,
            Pixels::F32(pixels) => pixels[at(x, y)][3] > 0.0,
        };
        let seen_columns: Vec<bool> = (0..width).map(|x| (0..height).any(|y| is_seen(x, y))).collect();
        let seen_rows: Vec<bool> = (0..height).map(|y| (0..width).any(|x| is_seen(x, y))).collect();
        let (columns, rows) = (even_parts(&seen_columns), even_parts(&seen_rows));
        if columns * rows < 2 {
            return None;
        }
        let size = [width / columns, height / rows];
        let is_cell_seen = |cell: &u32| {
            let [left, top] = [cell % columns * size[0], cell / columns * size[1]];
            (top..top + size[1]).any(|y| (left..left + size[0]).any(|x| is_seen(x, y)))
        };
        let last = (0..columns * rows).rev().find(is_cell_seen)?;
        let frames = Some(last as usize + 1).filter(|&frames| frames < (columns * rows) as usize);
        Some(Self { columns, rows, frames })
    }

    /// Cuts the images of `sheets` into frames, at its rate. Returns `Err` if the grid does not divide the images, or if it asks
    /// for no frames or for more than the images have. The frames are cut when they are read.
    pub fn cut(&self, sheets: &ImageClip) -> Result<ImageClip, SheetError> {
        let (width, height) = (sheets.info.width, sheets.info.height);
        let Self { columns, rows, frames } = *self;
        let name = || sheets.name.clone();
        if columns == 0 || rows == 0 || width % columns != 0 || height % rows != 0 {
            return Err(SheetError::Uneven { name: name(), width, height, columns, rows });
        }
        let per_sheet = columns as usize * rows as usize;
        let room = per_sheet.saturating_mul(sheets.info.frames);
        let count = frames.unwrap_or(room);
        let room = room.min(MAX_FRAMES);
        if count == 0 || count > room {
            return Err(SheetError::Frames { name: name(), frames: count, room });
        }
        let size = [width / columns, height / rows];
        let sprite = |frame: usize| {
            let cell = (frame % per_sheet) as u32;
            let corner = [cell % columns * size[0], cell / columns * size[1]];
            Sprite { sheet: frame / per_sheet, corner, size, offset: [0, 0] }
        };
        cut(sheets, (0..count).map(sprite).collect(), size)
    }
}

/// Returns the largest number of equal parts of `seen` with nothing seen on both sides of each boundary and something
/// seen in each part; 1 if there is none.
fn even_parts(seen: &[bool]) -> u32 {
    let length = seen.len() as u32;
    let fits = |parts: &u32| {
        let side = length / parts;
        let is_clear = |part: u32| !seen[(part * side) as usize] && !seen[(part * side - 1) as usize];
        let mut shown = seen.chunks(side.max(1) as usize);
        length.is_multiple_of(*parts)
            && side >= MIN_GUESSED_SIDE
            && (1..*parts).all(is_clear)
            && shown.all(|part| part.contains(&true))
    };
    (2..=MAX_GUESSED_CELLS).rev().find(fits).unwrap_or(1)
}

/// Cuts `sprites` out of the images of `sheets` as frames of `size` (width, height in pixels), when they are read. Returns `Err`
/// if a sprite exceeds its image or frame.
pub fn cut(sheets: &ImageClip, sprites: Vec<Sprite>, size: [u32; 2]) -> Result<ImageClip, SheetError> {
    let fits =
        |start: u32, length: u32, sheet_size: u32| start.checked_add(length).is_some_and(|end| end <= sheet_size);
    let sheet_size = [sheets.info.width, sheets.info.height];
    let is_inside = |sprite: &Sprite| {
        let within = |axis: usize| {
            fits(sprite.corner[axis], sprite.size[axis], sheet_size[axis])
                && fits(sprite.offset[axis], sprite.size[axis], size[axis])
        };
        sprite.sheet < sheets.info.frames && within(0) && within(1)
    };
    if let Some(frame) = sprites.iter().position(|sprite| !is_inside(sprite)) {
        return Err(SheetError::Outside { name: sheets.name.clone(), frame });
    }
    let info = ImageInfo { width: size[0], height: size[1], frames: sprites.len(), ..sheets.info };
    // The sheets are cached; cutting again costs less than caching the frames too.
    let frames = SpriteFrames { sheets: sheets.clone(), info, sprites };
    Ok(ImageClip::new(sheets.name.clone(), Arc::new(frames), 0))
}

/// A source of frames that are cut out of sheets when they are read.
struct SpriteFrames {
    sheets: ImageClip,
    info: ImageInfo,
    sprites: Vec<Sprite>,
}

impl FrameSource for SpriteFrames {
    fn info(&self) -> ImageInfo {
        self.info
    }

    fn read(&self, index: usize) -> Result<Pixels, FrameError> {
        let Some(sprite) = self.sprites.get(index) else {
            let reason = format!("does not exist; there are {}.", self.sprites.len());
            return Err(FrameError { frame: index, file: self.sheets.name.clone(), reason });
        };
        Ok(match &*self.sheets.frame(sprite.sheet)? {
            Pixels::U8(pixels) => Pixels::U8(self.cut(pixels, sprite)),
            Pixels::U16(pixels) => Pixels::U16(self.cut(pixels, sprite)),
            Pixels::F32(pixels) => Pixels::F32(self.cut(pixels, sprite)),
        })
    }
}

impl SpriteFrames {
    /// Returns the frame of `sprite`, cut from the pixels of its sheet. Pixels around the sprite are zero.
    fn cut<C: Copy + Default>(&self, pixels: &[[C; 4]], sprite: &Sprite) -> Vec<[C; 4]> {
        let mut frame = vec![[C::default(); 4]; self.info.pixels()];
        let [width, height] = sprite.size.map(|length| length as usize);
        let (sheet_width, frame_width) = (self.sheets.info.width as usize, self.info.width as usize);
        let start =
            |corner: [u32; 2], row: usize, width: usize| (corner[1] as usize + row) * width + corner[0] as usize;
        for row in 0..height {
            let (from, to) = (start(sprite.corner, row, sheet_width), start(sprite.offset, row, frame_width));
            frame[to..to + width].copy_from_slice(&pixels[from..from + width]);
        }
        frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::image_clip::MemoryFrames;
    use crate::small_inputs::image_info as info;

    /// Returns sheets of 6 × 4 pixels whose pixels are x, y and the sheet's number.
    fn sheets(count: usize) -> ImageClip {
        let sheet = |n: usize| Pixels::U8((0..24).map(|i| [(i % 6) as u8, (i / 6) as u8, n as u8, 255]).collect());
        ImageClip::new("walk", Arc::new(MemoryFrames::new(info(6, 4, 0), (0..count).map(sheet).collect())), 1 << 20)
    }

    #[test]
    fn sheets_are_cut_left_to_right_then_down_then_sheet_by_sheet() {
        let clip = SheetGrid { columns: 3, rows: 2, frames: Some(11) }.cut(&sheets(2)).unwrap();
        assert_eq!((clip.info.width, clip.info.height, clip.info.frames, clip.info.fps), (2, 2, 11, 24.0));
        let expected = |x: u8, y: u8, n: u8| {
            Pixels::U8([[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]].map(|[x, y]| [x, y, n, 255]).to_vec())
        };
        assert_eq!(*clip.frame(4).unwrap(), expected(2, 2, 0));
        assert_eq!(*clip.frame(7).unwrap(), expected(2, 0, 1));
        assert!(clip.frame(11).is_err());
        assert_eq!(SheetGrid { columns: 3, rows: 2, frames: None }.cut(&sheets(2)).unwrap().info.frames, 12);
    }

    #[test]
    fn a_grid_is_guessed_from_transparent_gutters_without_empty_frames_at_the_end() {
        // Frames of 8 × 8 pixels whose outermost pixels are transparent; `count` of 4 × 3 are drawn.
        let sheet = |count: u32, margin: u32| {
            let pixel = |i: u32| {
                let [x, y] = [i % 32, i / 32];
                let is_inside = [x % 8, y % 8].iter().all(|at| (margin..8 - margin).contains(at));
                [255, 0, 0, if is_inside && y / 8 * 4 + x / 8 < count { 255 } else { 0 }]
            };
            let pixels = Pixels::U8((0..32 * 24).map(pixel).collect());
            ImageClip::new("smoke", Arc::new(MemoryFrames::new(info(32, 24, 0), vec![pixels])), 1 << 20)
        };
        let grid = |frames| Some(SheetGrid { columns: 4, rows: 3, frames });
        assert_eq!(SheetGrid::guess(&sheet(12, 1)), grid(None));
        assert_eq!(SheetGrid::guess(&sheet(11, 1)), grid(Some(11)));
        assert_eq!(SheetGrid::guess(&sheet(12, 0)), None, "without gutters nothing can be told");
        assert_eq!(SheetGrid::guess(&sheet(1, 1)), None, "one frame is no sheet");
    }

    #[test]
    fn errors_describe_grids_that_do_not_fit() {
        let refused =
            |columns, rows, frames| SheetGrid { columns, rows, frames }.cut(&sheets(1)).unwrap_err().to_string();
        assert!(refused(4, 2, None).contains("6 × 4 pixels cannot be divided into 4 × 2"));
        assert!(refused(0, 2, None).contains("0 × 2"));
        assert!(refused(3, 2, Some(7)).contains("room for 6 frames, not 7"));
        assert!(refused(3, 2, Some(0)).contains("not 0"));
        let outside = Sprite { corner: [5, 0], size: [2, 1], ..Sprite::default() };
        assert!(cut(&sheets(1), vec![outside], [2, 2]).unwrap_err().to_string().contains("Frame 0 is outside"));
        let large = Sprite { size: [2, 2], offset: [1, 0], ..Sprite::default() };
        assert!(cut(&sheets(1), vec![large], [2, 2]).is_err());
    }

    #[test]
    fn trimmed_margins_are_transparent() {
        let sprite = Sprite { corner: [4, 3], size: [1, 1], offset: [1, 0], ..Sprite::default() };
        let clip = cut(&sheets(1), vec![sprite], [2, 2]).unwrap();
        let clear = [0; 4];
        assert_eq!(*clip.frame(0).unwrap(), Pixels::U8(vec![clear, [4, 3, 0, 255], clear, clear]));
    }
}
