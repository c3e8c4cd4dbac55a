//! Thumbnails of an image sequence, read on a background thread.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use egui::{Align2, ColorImage, Context, Pos2, Rangef, Rect, TextureHandle, TextureOptions, Vec2};
use image::RgbaImage;
use image::imageops::thumbnail;

use crate::theme;
use crate::timeline::lanes::{LaneCanvas, Lanes};
use crate::timeline::model::Model;
use crate::timeline::scale::TimeScale;
use portamento_anim::footage;
use portamento_anim::media::ImageClip;
use portamento_session::Session;

/// Maximum number of cached thumbnails; at most 16 MB, given [`MAX_ASPECT`] and a lane height of about 36 points.
const MAX_CACHED: usize = 512;

/// Maximum aspect ratio of a thumbnail.
const MAX_ASPECT: f32 = 6.0;

/// Minimum visible fraction of a thumbnail's width. Cropping slightly avoids showing only every other one.
const MIN_VISIBLE_FRACTION: f32 = 0.75;

/// Thumbnail cache of one sequence.
#[derive(Default)]
pub(super) struct Thumbnails {
    /// The sequence and the thumbnail size in pixels.
    source: Option<(ImageClip, [u32; 2])>,
    /// Thumbnails by frame; `None` if a frame cannot be read.
    pictures: BTreeMap<usize, Option<TextureHandle>>,
    /// Frames that the running thread reads.
    asked: Vec<usize>,
    /// Receives the thumbnails of the running thread.
    coming: Option<Receiver<Read>>,
}

/// A frame number and its thumbnail, if it could be read.
type Read = (usize, Option<ColorImage>);

/// Returns the image sequence of the current take, before any loop; `None` if it is no image sequence or not built.
pub(super) fn shown_images(session: &Session) -> Option<ImageClip> {
    match &session.frame()?.built.as_ref()?.content {
        portamento_takes::evaluate::Content::Images(images) => Some(images.clip.clone()),
        _ => None,
    }
}

/// A thumbnail position: the shown frame and the x range of the frames it represents.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    frame: usize,
    range: Rangef,
}

/// Returns the thumbnail size, points, for a lane of `height` points. Returns `None` if the lane is lower than one point.
fn size_of(clip: &ImageClip, height: f32) -> Option<Vec2> {
    if height < 1.0 {
        return None;
    }
    let aspect = clip.info.width as f32 / clip.info.height.max(1) as f32;
    let width = (height * aspect).clamp(1.0, height * MAX_ASPECT);
    Some(Vec2::new(width, (width / aspect).min(height)))
}

/// Returns the thumbnails, `width` points wide, that fit into the lane, each centred on its frames. The frames depend only on the
/// scale, so that panning shows the same ones.
fn cells(model: &Model, scale: &TimeScale, lanes: &Lanes, width: f32, frames: usize) -> Vec<Cell> {
    let x = |frame: f32| match &model.cycles {
        Some(cycles) => cycles.x(lanes.times, frame),
        None => scale.x_of(f64::from(frame) / model.fps) as f32,
    };
    let per_frame = (x(1.0) - x(0.0)).max(1e-3);
    let every = (width * MIN_VISIBLE_FRACTION / per_frame).ceil().max(1.0) as usize;
    let from = |first: usize| x(first as f32 - 0.5);
    let cell = |first: usize| Cell {
        frame: (first + every / 2).min(frames - 1),
        range: Rangef::new(from(first), from((first + every).min(frames))),
    };
    (0..frames).step_by(every).map(cell).filter(|cell| cell.range.intersection(lanes.times).span() > 0.0).collect()
}

impl Thumbnails {
    /// Draws available thumbnails and requests the others.
    pub fn paint(&mut self, canvas: &LaneCanvas) {
        let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
        let Some(clip) = &model.thumbnails else { return };
        let lane = lanes.thumbnails.shrink2(Vec2::new(0.0, 2.0));
        let Some(size) = size_of(clip, lane.height()) else { return };
        let cells = cells(model, scale, lanes, size.x, clip.info.frames);
        let pixels = (size * painter.pixels_per_point()).round().max(Vec2::splat(1.0));
        // Thumbnails are not enlarged beyond the image size.
        let pixels = [(pixels.x as u32).min(clip.info.width), (pixels.y as u32).min(clip.info.height)];
        self.request(painter.ctx(), clip, pixels, &cells.iter().map(|cell| cell.frame).collect::<Vec<_>>());
        let painter = painter.with_clip_rect(lane.intersect(painter.clip_rect()));
        for cell in &cells {
            let rect = Rect::from_x_y_ranges(cell.range, lane.y_range());
            // Same background as behind the image in the viewport, in both themes.
            painter.rect_filled(rect.shrink2(Vec2::new(0.5, 0.0)), 0.0, theme::view().floor);
            let image_rect = Rect::from_center_size(rect.center(), size);
            let visible = image_rect.intersect(rect);
            match self.pictures.get(&cell.frame) {
                Some(Some(picture)) => {
                    let part = |at: Pos2| ((at - image_rect.min) / size).to_pos2();
                    let part = Rect::from_min_max(part(visible.min), part(visible.max));
                    painter.image(picture.id(), visible, part, egui::Color32::WHITE);
                }
                Some(None) => {
                    painter.text(image_rect.center(), Align2::CENTER_CENTER, "!", theme::strong(), tokens.error);
                }
                None => {}
            }
        }
    }

    /// Receives finished thumbnails and requests the missing ones of the frames `wanted` in `pixels` size. Another sequence or
    /// size clears the cache.
    fn request(&mut self, ctx: &Context, clip: &ImageClip, pixels: [u32; 2], wanted: &[usize]) {
        if !self.source.as_ref().is_some_and(|(source, size)| source == clip && *size == pixels) {
            *self = Self { source: Some((clip.clone(), pixels)), ..Self::default() };
        }
        self.take(ctx);
        let missing: Vec<usize> = wanted.iter().copied().filter(|frame| !self.pictures.contains_key(frame)).collect();
        let on_the_way = self.coming.is_some() && missing.iter().all(|frame| self.asked.contains(frame));
        if missing.is_empty() || on_the_way {
            return;
        }
        if self.pictures.len() + missing.len() > MAX_CACHED {
            self.pictures.retain(|frame, _| wanted.contains(frame));
        }
        // The thread that reads for an earlier view stops when its receiver is dropped.
        self.coming = Some(read(ctx, clip, pixels, missing.clone()));
        self.asked = missing;
    }

    /// Loads the pictures that the thread has finished, without waiting for more.
    fn take(&mut self, ctx: &Context) {
        while let Some(coming) = &self.coming {
            match coming.try_recv() {
                Ok((frame, picture)) => {
                    let load = |picture| ctx.load_texture("thumbnails", picture, TextureOptions::LINEAR);
                    self.pictures.insert(frame, picture.map(load));
                }
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => self.coming = None,
            }
        }
    }
}

/// Reads `frames` on a separate thread, because other work waits for the shared threads. The thread stops when the receiver is
/// dropped.
fn read(ctx: &Context, clip: &ImageClip, pixels: [u32; 2], frames: Vec<usize>) -> Receiver<Read> {
    let (sender, receiver) = channel();
    let (ctx, clip) = (ctx.clone(), clip.clone());
    let run = move || {
        for frame in frames {
            if sender.send((frame, small(&clip, frame, pixels))).is_err() {
                return;
            }
            ctx.request_repaint();
        }
    };
    // If the thread cannot start, the thumbnails are requested again in the next frame.
    let _ = std::thread::Builder::new().name("thumbnails".into()).spawn(run);
    receiver
}

/// Returns a frame scaled to the given pixel size, or `None` if it cannot be read. Colours are premultiplied first, because
/// invisible pixels would tint edges.
fn small(clip: &ImageClip, frame: usize, [width, height]: [u32; 2]) -> Option<ColorImage> {
    let full_image = footage::texture(&clip.info, &*clip.peek(frame).ok()?);
    let size = [full_image.width as usize, full_image.height as usize];
    let covering = ColorImage::from_rgba_unmultiplied(size, &full_image.rgba);
    let image = RgbaImage::from_raw(full_image.width, full_image.height, covering.as_raw().to_vec())?;
    let small = thumbnail(&image, width, height);
    Some(ColorImage::from_rgba_premultiplied([width as usize, height as usize], small.as_raw()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use portamento_anim::media::Pixels;
    use portamento_anim::media::image_clip::MemoryFrames;
    use portamento_test_support::image_info as info;

    fn clip(width: u32, height: u32, frames: usize) -> ImageClip {
        let frame = |i: usize| Pixels::U8(vec![[i as u8, 0, 0, 255]; (width * height) as usize]);
        let frames: Vec<Pixels> = (0..frames).map(frame).collect();
        ImageClip::new("smoke", Arc::new(MemoryFrames::new(info(width, height, frames.len()), frames)), 0)
    }

    #[test]
    fn thumbnails_are_side_by_side_above_their_frames() {
        let model = Model { duration: 10.0, fps: 30.0, ..Model::default() };
        let times = Rangef::new(0.0, 1000.0);
        let room = Rect::from_x_y_ranges(times, 0.0..=200.0);
        let lanes = Lanes { times, ..Lanes::within(room, &model, 0.0) };
        let mut scale = TimeScale::default();
        for (zoom, pan) in [(1.0, 0.0), (0.3, 0.0), (9.0, -700.0)] {
            scale.zoom_at(0.0, zoom, times);
            scale.pan(pan);
            let cells = cells(&model, &scale, &lanes, 64.0, 300);
            assert!(cells.len() <= 21 && cells.iter().all(|cell| cell.range.span() >= 48.0 || cell.frame == 299));
            assert!(cells.windows(2).all(|pair| (pair[0].range.max - pair[1].range.min).abs() < 1e-2));
            let middle = |cell: &Cell| scale.x_of(cell.frame as f64 / 30.0) as f32;
            assert!(cells.iter().all(|cell| cell.range.contains(middle(cell))), "{zoom}");
            assert!(!cells.is_empty());
        }
    }

    #[test]
    fn wide_thumbnails_stay_within_the_lane() {
        assert_eq!(size_of(&clip(64, 32, 1), 36.0), Some(Vec2::new(72.0, 36.0)));
        for height in [0.5, 0.0, -4.0, f32::NEG_INFINITY] {
            assert_eq!(size_of(&clip(64, 32, 1), height), None);
        }
        let panorama = size_of(&clip(100, 2, 1), 36.0).unwrap();
        assert_eq!(panorama, Vec2::new(216.0, 4.32));
    }

    #[test]
    fn only_visible_thumbnails_are_read_and_the_cache_is_limited() {
        let (ctx, clip) = (Context::default(), clip(8, 8, 2000));
        let mut thumbnails = Thumbnails::default();
        for first in (0..1800).step_by(100) {
            let wanted: Vec<usize> = (first..first + 100).collect();
            thumbnails.request(&ctx, &clip, [4, 4], &wanted);
            while thumbnails.coming.is_some() {
                thumbnails.take(&ctx);
            }
            assert!(
                thumbnails.pictures.len() <= MAX_CACHED
                    && wanted.iter().all(|frame| thumbnails.pictures.contains_key(frame))
            );
        }
        assert!(!thumbnails.pictures.contains_key(&1900) && thumbnails.pictures.values().all(Option::is_some));
    }

    #[test]
    fn a_small_picture_has_the_colours_of_the_large_one() {
        let small = small(&clip(64, 32, 200), 130, [16, 8]).unwrap();
        assert_eq!(small.size, [16, 8]);
        assert!(small.pixels.iter().all(|pixel| pixel.to_array() == [130, 0, 0, 255]));
        assert_eq!(super::small(&clip(4, 4, 2), 2, [4, 4]), None, "there is no such frame");
    }
}
