//! Recording of the viewport, one picture per played frame, without tools, lists and pointer.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use egui::{ColorImage, Event, Key, Modifiers, Rect, UserData, ViewportCommand};

use crate::app::App;
use crate::shell::dock::Panel;
use portamento_base::message::{Message, message};
use portamento_formats::export::Replace;
use portamento_session::film::{Film, film_extensions, is_film};
use portamento_session::{Session, Severity};

/// A recording in progress.
#[derive(Debug)]
pub(crate) struct Filming {
    path: PathBuf,
    replace: Replace,
    frames: RangeInclusive<i64>,
    /// The frame being recorded.
    pub(crate) now: i64,
    state: FilmState,
    film: Film,
    /// Playhead time in seconds and playing state before the recording.
    before: (f64, bool),
}

/// Progress of the current frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FilmState {
    /// The frame was drawn this many times.
    Shown(u32),
    /// The screenshot was requested.
    Asked,
}

/// Number of times a frame is drawn before its screenshot. The new playhead time is visible from the second time on.
const DRAWS_BEFORE_SCREENSHOT: u32 = 3;
/// Largest number of pictures: two minutes at 30 frames per second.
const MAX_PICTURES: i64 = 3600;

impl Filming {
    /// Creates a recording of all frames in the playback range, or of the current frame only with `still`. It starts with the
    /// first [`Self::step`].
    fn new(session: &Session, path: PathBuf, replace: Replace, still: bool) -> Self {
        let playback = &session.playback;
        let frame = |seconds: f64| (seconds * playback.fps).round() as i64;
        let (start, end) = playback.bounds();
        let frames = match still {
            true => playback.frame()..=playback.frame(),
            false => frame(start)..=frame(end).min(playback.last_frame()),
        };
        Self {
            path,
            replace,
            now: *frames.start(),
            frames,
            state: FilmState::Shown(0),
            film: Film::new(playback.fps),
            before: (playback.time, playback.playing),
        }
    }

    /// Returns the numbers of recorded frames and of all frames.
    pub fn progress(&self) -> (usize, usize) {
        (self.film.len(), (self.frames.end() - self.frames.start() + 1).max(0) as usize)
    }

    /// Pauses playback, shows the current frame, requests its screenshot, and stores the part of it inside `view`, the rectangle
    /// of the viewport in points. Call it once per frame.
    ///
    /// Returns true when all frames are recorded. Returns `Err` if `view` is `None` because the viewport is hidden, or if the
    /// film does not accept the picture.
    fn step(&mut self, ctx: &egui::Context, session: &mut Session, view: Option<Rect>) -> Result<bool, Message> {
        ctx.request_repaint();
        session.playback.playing = false;
        session.playback.go_to_frame(self.now);
        if let FilmState::Shown(times) = self.state {
            let is_busy = session.jobs.running().next().is_some();
            self.state = if is_busy { FilmState::Shown(0) } else { FilmState::Shown(times + 1) };
            if times + 1 >= DRAWS_BEFORE_SCREENSHOT && !is_busy {
                self.state = FilmState::Asked;
                ctx.send_viewport_cmd(ViewportCommand::Screenshot(UserData::default()));
            }
            return Ok(false);
        }
        let taken = ctx.input(|input| {
            input.events.iter().find_map(|event| match event {
                Event::Screenshot { image, .. } => Some(image.clone()),
                _ => None,
            })
        });
        let Some(image) = taken else { return Ok(false) };
        let view = view.ok_or_else(view_hidden)?;
        let (size, rgb) = cut_out(&image, view, ctx.pixels_per_point());
        self.film.push(size, &rgb)?;
        self.now += 1;
        self.state = FilmState::Shown(0);
        Ok(self.now > *self.frames.end())
    }
}

/// Returns the size (pixels) and the RGB rows of the part of `image` inside `rect`, which is in points. Parts outside `image` are
/// cut off.
fn cut_out(image: &ColorImage, rect: Rect, pixels_per_point: f32) -> ([u32; 2], Vec<u8>) {
    let [width, height] = image.size;
    let pixel = |points: f32, limit: usize| ((points * pixels_per_point).round().max(0.0) as usize).min(limit);
    let (columns, rows) =
        (pixel(rect.min.x, width)..pixel(rect.max.x, width), pixel(rect.min.y, height)..pixel(rect.max.y, height));
    let size = [columns.len() as u32, rows.len() as u32];
    let row = |y: usize| &image.pixels[y * width..][columns.clone()];
    let rgb = rows.flat_map(row).flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b()]).collect();
    (size, rgb)
}

impl App {
    /// Starts recording the playback range to `path`, or a single picture with `still`, and shows the viewport panel. Reports an
    /// error if the extension is unknown, nothing is shown, or the range is too long.
    pub(crate) fn begin_film(&mut self, path: PathBuf, replace: Replace, still: bool) {
        let filming = Filming::new(&self.session, path, replace, still);
        let (_, count) = filming.progress();
        let refusal = match () {
            () if !is_film(&filming.path) => Some(unknown_form()),
            () if self.session.frame().is_none() || count == 0 => Some(nothing_to_film()),
            () if count as i64 > MAX_PICTURES => Some(too_long(count)),
            () => None,
        };
        match refusal {
            Some(refusal) => self.session.notices.add(Severity::Error, refusal),
            None => {
                self.dock.show_panel(Panel::Viewport);
                self.filming = Some(filming);
            }
        }
    }

    /// Advances the recording and writes the file once all frames are recorded. Esc or an error ends it without a file. The end
    /// restores the playhead.
    pub(crate) fn film(&mut self, ctx: &egui::Context) {
        let Some(filming) = &mut self.filming else { return };
        let is_given_up = ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
        let view = self.viewport.drawn_rect;
        let outcome = if is_given_up { Ok(false) } else { filming.step(ctx, &mut self.session, view) };
        if outcome == Ok(false) && !is_given_up {
            return;
        }
        let Some(Filming { film, path, replace, before, .. }) = self.filming.take() else { return };
        (self.session.playback.time, self.session.playback.playing) = before;
        match outcome {
            Ok(true) => self.session.write_film(film, path, replace),
            Ok(false) => {}
            Err(reason) => self.session.notices.add(Severity::Error, reason),
        }
    }
}

/// Returns the error that the extension of a recording is unknown, with the known ones.
fn unknown_form() -> Message {
    message!(
        "error.film_form",
        "The view can be saved as %{forms}. Use one of these file extensions; .mp4 and .webm need ffmpeg.",
        forms = film_extensions().iter().map(|form| format!(".{form}")).collect::<Vec<_>>().join(", "),
    )
}

/// Returns the error that the viewport was hidden during the recording.
fn view_hidden() -> Message {
    message!(
        "error.film_hidden",
        "The viewport was hidden during the recording. Bring its panel to the front and record again."
    )
}

/// Returns the error that nothing is shown that could be recorded.
fn nothing_to_film() -> Message {
    message!("error.film_nothing", "There is nothing to record. Choose a take or a clip.")
}

/// Returns the error that a recording of `count` frames exceeds [`MAX_PICTURES`].
fn too_long(count: usize) -> Message {
    message!(
        "error.film_too_long",
        "A recording of %{count} frames is too long; the maximum is %{most}. Set a shorter range (Ctrl+Home, Ctrl+End).",
        count = count,
        most = MAX_PICTURES.to_string(),
    )
}

#[cfg(test)]
mod tests {
    use egui::{Color32, pos2};

    use super::*;

    #[test]
    fn only_the_view_is_cut_out_pixel_by_pixel() {
        let pixels = (0..6 * 4).map(|i| Color32::from_rgb(i as u8, 0, 7)).collect();
        let image = ColorImage::new([6, 4], pixels);
        let view = Rect::from_min_max(pos2(1.0, 0.5), pos2(2.0, 1.5));
        let (size, rgb) = cut_out(&image, view, 2.0);
        assert_eq!(size, [2, 2]);
        assert_eq!(rgb, [8, 0, 7, 9, 0, 7, 14, 0, 7, 15, 0, 7]);
        let beyond = Rect::from_min_max(pos2(-5.0, -5.0), pos2(50.0, 50.0));
        assert_eq!(cut_out(&image, beyond, 1.0).0, [6, 4]);
    }
}
