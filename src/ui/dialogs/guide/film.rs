//! Pictures and films on a page.

use std::collections::BTreeMap;
use std::io::Cursor;

use egui::{ColorImage, Image, Sense, TextureHandle, TextureOptions, Ui, WidgetInfo, WidgetType};
use image::codecs::webp::WebPDecoder;
use image::{AnimationDecoder, Frames, RgbaImage};

use crate::widgets;
use portamento_guide::picture;

/// The pictures and films that were drawn, by their paths.
#[derive(Default)]
pub(super) struct Films(BTreeMap<&'static str, Film>);

/// A picture, or a film that plays.
struct Film {
    texture: TextureHandle,
    /// The frames that come next; `None` for a picture.
    frames: Option<Frames<'static>>,
    /// Time of the next frame, seconds since the start of the window.
    next: f64,
    is_paused: bool,
}

/// Shortest display time of a frame, seconds.
const MIN_FRAME_SECONDS: f64 = 0.02;

impl Films {
    /// Draws the picture or film at `path`, as wide as the page at most. A film plays in a loop; a click pauses it. Pictures of
    /// unknown formats are drawn as their text `alt`.
    pub(super) fn picture(&mut self, ui: &mut Ui, path: &str, alt: &str) {
        let Some((name, bytes)) = picture(path) else { return drop(widgets::caption(ui, alt)) };
        if !self.0.contains_key(name) {
            let film = Film::read(ui, name, bytes);
            film.into_iter().for_each(|film| drop(self.0.insert(name, film)));
        }
        let Some(film) = self.0.get_mut(name) else { return drop(widgets::caption(ui, alt)) };
        film.play(ui, bytes);
        let native = film.texture.size_vec2();
        let size = native * (ui.available_width() / native.x).min(1.0);
        let image = Image::from_texture((film.texture.id(), size)).corner_radius(crate::theme::RADIUS);
        let sense = if film.frames.is_some() { Sense::click() } else { Sense::hover() };
        let response = ui.add(image.sense(sense));
        response.widget_info(|| WidgetInfo::labeled(WidgetType::Image, true, alt));
        if response.clicked() {
            film.is_paused = !film.is_paused;
        }
    }
}

impl Film {
    /// Returns the picture or film `name`; `None` if its format is not read.
    fn read(ui: &Ui, name: &'static str, bytes: &'static [u8]) -> Option<Self> {
        let mut frames = if name.ends_with(".webp") { frames(bytes) } else { None };
        let first = match &mut frames {
            Some(frames) => frames.next()?.ok()?.into_buffer(),
            None => image::load_from_memory(bytes).ok()?.into_rgba8(),
        };
        let options = TextureOptions { mipmap_mode: Some(egui::TextureFilter::Linear), ..TextureOptions::LINEAR };
        let texture = ui.ctx().load_texture(name, pixels(&first), options);
        Some(Self { texture, frames, next: 0.0, is_paused: false })
    }

    /// Shows the next frame if its time has come. `bytes` are those of the film, which begins again after its end.
    fn play(&mut self, ui: &Ui, bytes: &'static [u8]) {
        let Some(shown) = self.frames.as_mut().filter(|_| !self.is_paused) else { return };
        let now = ui.input(|input| input.time);
        if now >= self.next {
            let next = shown.next().or_else(|| {
                *shown = frames(bytes)?;
                shown.next()
            });
            let Some(Ok(frame)) = next else { return };
            let seconds = std::time::Duration::from(frame.delay()).as_secs_f64().max(MIN_FRAME_SECONDS);
            self.next = now + seconds;
            self.texture.set(pixels(frame.buffer()), TextureOptions::LINEAR);
        }
        ui.ctx().request_repaint_after_secs((self.next - now) as f32);
    }
}

/// Returns the frames of a film; `None` if it cannot be read.
fn frames(bytes: &'static [u8]) -> Option<Frames<'static>> {
    WebPDecoder::new(Cursor::new(bytes)).ok().map(AnimationDecoder::into_frames)
}

fn pixels(image: &RgbaImage) -> ColorImage {
    let size = [image.width() as usize, image.height() as usize];
    ColorImage::from_rgba_unmultiplied(size, image.as_raw())
}
