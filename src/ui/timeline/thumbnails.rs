//! Small pictures of an image sequence along its frames, read beside the window.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use egui::{Align2, ColorImage, Context, Pos2, Rangef, Rect, TextureHandle, TextureOptions, Vec2};
use image::RgbaImage;
use image::imageops::thumbnail;

use crate::anim::footage;
use crate::media::ImageClip;
use crate::session::Session;
use crate::ui::theme;
use crate::ui::timeline::lanes::{LaneCanvas, Lanes};
use crate::ui::timeline::model::Model;
use crate::ui::timeline::scale::TimeScale;

/// Pictures kept; at most 16 MB, since none is longer than [`LONGEST`] and a lane is about 36 pixels high.
const MOST: usize = 512;

/// The longest a picture may be beside its height.
const LONGEST: f32 = 6.0;

/// How much of a picture's width is seen at least: rather a little less of each than every other one only.
const LEAST: f32 = 0.75;

/// Pictures of one sequence.
#[derive(Default)]
pub(super) struct Thumbnails {
    of: Option<(ImageClip, [u32; 2])>,
    /// By frame; nothing where a frame cannot be read.
    pictures: BTreeMap<usize, Option<TextureHandle>>,
    asked: Vec<usize>,
    coming: Option<Receiver<Read>>,
}

/// A frame that was read, and its small picture if that went well.
type Read = (usize, Option<ColorImage>);

/// The sequence that `session` shows, before any loop.
pub(super) fn shown_images(session: &Session) -> Option<ImageClip> {
    match &session.frame()?.built.as_ref()?.content {
        crate::evaluate::Content::Images(images) => Some(images.clip.clone()),
        _ => None,
    }
}

/// A picture's place: the frame it shows, and where the frames that it stands for lie on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    frame: usize,
    range: Rangef,
}

/// Points across and down that a picture of `clip` takes in a lane of that height; `None` where nothing would be seen: a low
/// panel leaves no height, or less than none, between the lane's edges.
fn size_of(clip: &ImageClip, height: f32) -> Option<Vec2> {
    if height < 1.0 {
        return None;
    }
    let aspect = clip.info.width as f32 / clip.info.height.max(1) as f32;
    let width = (height * aspect).clamp(1.0, height * LONGEST);
    Some(Vec2::new(width, (width / aspect).min(height)))
}

/// The pictures of a lane: as many as fit, each in the middle of the frames it stands for. Which frames are shown depends on
/// the scale alone, so that moving along shows the same ones.
fn cells(model: &Model, scale: &TimeScale, lanes: &Lanes, width: f32, frames: usize) -> Vec<Cell> {
    let x = |frame: f32| match &model.cycles {
        Some(cycles) => cycles.x(lanes.times, frame),
        None => scale.x_of(f64::from(frame) / model.fps) as f32,
    };
    let per_frame = (x(1.0) - x(0.0)).max(1e-3);
    let every = (width * LEAST / per_frame).ceil().max(1.0) as usize;
    let from = |first: usize| x(first as f32 - 0.5);
    let cell = |first: usize| Cell {
        frame: (first + every / 2).min(frames - 1),
        range: Rangef::new(from(first), from((first + every).min(frames))),
    };
    (0..frames).step_by(every).map(cell).filter(|cell| cell.range.intersection(lanes.times).span() > 0.0).collect()
}

impl Thumbnails {
    /// Draws the pictures that are there and asks for the others.
    pub fn paint(&mut self, canvas: &LaneCanvas) {
        let &LaneCanvas { painter, model, scale, lanes, tokens } = canvas;
        let Some(clip) = &model.thumbnails else { return };
        let lane = lanes.thumbnails.shrink2(Vec2::new(0.0, 2.0));
        let Some(size) = size_of(clip, lane.height()) else { return };
        let cells = cells(model, scale, lanes, size.x, clip.info.frames);
        let pixels = (size * painter.pixels_per_point()).round().max(Vec2::splat(1.0));
        // A picture that is smaller itself is not made larger.
        let pixels = [(pixels.x as u32).min(clip.info.width), (pixels.y as u32).min(clip.info.height)];
        self.request(painter.ctx(), clip, pixels, &cells.iter().map(|cell| cell.frame).collect::<Vec<_>>());
        let painter = painter.with_clip_rect(lane.intersect(painter.clip_rect()));
        for cell in &cells {
            let rect = Rect::from_x_y_ranges(cell.range, lane.y_range());
            // As dark in both themes as behind the picture in the viewport.
            painter.rect_filled(rect.shrink2(Vec2::new(0.5, 0.0)), 0.0, theme::view().floor);
            let place = Rect::from_center_size(rect.center(), size);
            let seen = place.intersect(rect);
            match self.pictures.get(&cell.frame) {
                Some(Some(picture)) => {
                    let part = |at: Pos2| ((at - place.min) / size).to_pos2();
                    let part = Rect::from_min_max(part(seen.min), part(seen.max));
                    painter.image(picture.id(), seen, part, egui::Color32::WHITE);
                }
                Some(None) => {
                    painter.text(place.center(), Align2::CENTER_CENTER, "!", theme::strong(), tokens.error);
                }
                None => {}
            }
        }
    }

    /// Takes what has been read and asks for what is missing of `wanted`, in `pixels` across and down.
    fn request(&mut self, ctx: &Context, clip: &ImageClip, pixels: [u32; 2], wanted: &[usize]) {
        if !self.of.as_ref().is_some_and(|(of, size)| of == clip && *size == pixels) {
            *self = Self { of: Some((clip.clone(), pixels)), ..Self::default() };
        }
        self.take(ctx);
        let missing: Vec<usize> = wanted.iter().copied().filter(|frame| !self.pictures.contains_key(frame)).collect();
        let on_the_way = self.coming.is_some() && missing.iter().all(|frame| self.asked.contains(frame));
        if missing.is_empty() || on_the_way {
            return;
        }
        if self.pictures.len() + missing.len() > MOST {
            self.pictures.retain(|frame, _| wanted.contains(frame));
        }
        // Who reads for an earlier view notices that nobody listens any more.
        self.coming = Some(read(ctx, clip, pixels, missing.clone()));
        self.asked = missing;
    }

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

/// Reads `frames` one after the other on a thread of its own, since others wait for the shared ones.
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
    // Without a thread the pictures stay away, and are asked for again with the next frame of the window.
    let _ = std::thread::Builder::new().name("thumbnails".into()).spawn(run);
    receiver
}

/// One frame made small, its colours multiplied by alpha before: what is invisible would tint edges.
fn small(clip: &ImageClip, frame: usize, [width, height]: [u32; 2]) -> Option<ColorImage> {
    let whole = footage::texture(&clip.info, &*clip.peek(frame).ok()?);
    let size = [whole.width as usize, whole.height as usize];
    let covering = ColorImage::from_rgba_unmultiplied(size, &whole.rgba);
    let image = RgbaImage::from_raw(whole.width, whole.height, covering.as_raw().to_vec())?;
    let small = thumbnail(&image, width, height);
    Some(ColorImage::from_rgba_premultiplied([width as usize, height as usize], small.as_raw()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::media::Pixels;
    use crate::media::image_clip::MemoryFrames;
    use crate::media::image_clip::tests::info;

    fn clip(width: u32, height: u32, frames: usize) -> ImageClip {
        let frame = |i: usize| Pixels::U8(vec![[i as u8, 0, 0, 255]; (width * height) as usize]);
        let frames: Vec<Pixels> = (0..frames).map(frame).collect();
        ImageClip::new("smoke", Arc::new(MemoryFrames::new(info(width, height, frames.len()), frames)), 0)
    }

    #[test]
    fn pictures_stand_side_by_side_over_their_frames() {
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
    fn long_pictures_stay_within_the_lane() {
        assert_eq!(size_of(&clip(64, 32, 1), 36.0), Some(Vec2::new(72.0, 36.0)));
        for height in [0.5, 0.0, -4.0, f32::NEG_INFINITY] {
            assert_eq!(size_of(&clip(64, 32, 1), height), None);
        }
        let panorama = size_of(&clip(100, 2, 1), 36.0).unwrap();
        assert_eq!(panorama, Vec2::new(216.0, 4.32));
    }

    #[test]
    fn only_what_is_seen_is_read_and_little_is_kept() {
        let (ctx, clip) = (Context::default(), clip(8, 8, 2000));
        let mut thumbnails = Thumbnails::default();
        for first in (0..1800).step_by(100) {
            let wanted: Vec<usize> = (first..first + 100).collect();
            thumbnails.request(&ctx, &clip, [4, 4], &wanted);
            while thumbnails.coming.is_some() {
                thumbnails.take(&ctx);
            }
            assert!(
                thumbnails.pictures.len() <= MOST && wanted.iter().all(|frame| thumbnails.pictures.contains_key(frame))
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
