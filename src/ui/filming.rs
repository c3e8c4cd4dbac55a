//! Taking pictures of the view, one per frame of what plays; tools, lists and pointer are not in them.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use egui::{ColorImage, Event, Key, Modifiers, Rect, UserData, ViewportCommand};

use super::app::App;
use portamento_base::message::{Message, message};
use portamento_formats::export::Replace;
use portamento_session::film::{Film, is_film};
use portamento_session::{Session, Severity};

/// Pictures that are being taken.
#[derive(Debug)]
pub(super) struct Filming {
    path: PathBuf,
    replace: Replace,
    frames: RangeInclusive<i64>,
    /// The frame that is taken now.
    now: i64,
    state: FilmState,
    film: Film,
    /// Where the playhead was, seconds, and whether it moved.
    before: (f64, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FilmState {
    /// The frame has been shown so many times.
    Shown(u32),
    /// The window was asked for its picture.
    Asked,
}

/// How often a frame is shown before its picture is taken: what is seen is that of the playhead from the second time on.
const SETTLED: u32 = 3;
/// Most pictures, two minutes at 30 per second.
const MOST: i64 = 3600;

impl Filming {
    /// All frames that play, or with `still` the shown one.
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

    /// How far it is, as frames taken and all.
    pub fn progress(&self) -> (usize, usize) {
        (self.film.len(), (self.frames.end() - self.frames.start() + 1).max(0) as usize)
    }

    /// Shows the frame, asks for its picture, takes that; answers whether all are there.
    fn step(&mut self, ctx: &egui::Context, session: &mut Session, view: Rect) -> Result<bool, Message> {
        ctx.request_repaint();
        session.playback.playing = false;
        session.playback.go_to_frame(self.now);
        if let FilmState::Shown(times) = self.state {
            let is_busy = session.jobs.running().next().is_some();
            self.state = if is_busy { FilmState::Shown(0) } else { FilmState::Shown(times + 1) };
            if times + 1 >= SETTLED && !is_busy {
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
        let (size, rgb) = cut_out(&image, view, ctx.pixels_per_point());
        self.film.push(size, &rgb)?;
        self.now += 1;
        self.state = FilmState::Shown(0);
        Ok(self.now > *self.frames.end())
    }
}

/// The part of `image` that `place`, points, is in: its size in pixels, and RGB row by row.
fn cut_out(image: &ColorImage, place: Rect, pixels_per_point: f32) -> ([u32; 2], Vec<u8>) {
    let [width, height] = image.size;
    let pixel = |points: f32, most: usize| ((points * pixels_per_point).round().max(0.0) as usize).min(most);
    let (columns, rows) =
        (pixel(place.min.x, width)..pixel(place.max.x, width), pixel(place.min.y, height)..pixel(place.max.y, height));
    let size = [columns.len() as u32, rows.len() as u32];
    let row = |y: usize| &image.pixels[y * width..][columns.clone()];
    let rgb = rows.flat_map(row).flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b()]).collect();
    (size, rgb)
}

impl App {
    /// Begins to film what plays to `path`, or to take a single picture; says so where it cannot.
    pub(super) fn begin_film(&mut self, path: PathBuf, replace: Replace, still: bool) {
        let filming = Filming::new(&self.session, path, replace, still);
        let (_, count) = filming.progress();
        let refusal = match () {
            () if !is_film(&filming.path) => Some(unknown_form()),
            () if self.session.frame().is_none() || count == 0 => Some(nothing_to_film()),
            () if count as i64 > MOST => Some(too_long(count)),
            () => None,
        };
        match refusal {
            Some(refusal) => self.session.notices.say(Severity::Error, refusal),
            None => self.filming = Some(filming),
        }
    }

    /// One step of the film that is being taken, if one is: once all pictures are there it is written. Esc gives it up.
    pub(super) fn film(&mut self, ctx: &egui::Context) {
        let Some(filming) = &mut self.filming else { return };
        let is_given_up = ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
        let view = self.viewport.place.unwrap_or(Rect::NOTHING);
        let outcome = if is_given_up { Ok(false) } else { filming.step(ctx, &mut self.session, view) };
        if outcome == Ok(false) && !is_given_up {
            return;
        }
        let Some(Filming { film, path, replace, before, .. }) = self.filming.take() else { return };
        (self.session.playback.time, self.session.playback.playing) = before;
        match outcome {
            Ok(true) => self.session.write_film(film, path, replace),
            Ok(false) => {}
            Err(reason) => self.session.notices.say(Severity::Error, reason),
        }
    }
}

fn unknown_form() -> Message {
    message!(
        "error.film_form",
        "The view can be written as .apng, .webp, .gif, or as numbered .png. Give the file one of these endings.",
    )
}

fn nothing_to_film() -> Message {
    message!("error.film_nothing", "Nothing is shown that could be filmed. Choose a take or a clip.")
}

fn too_long(count: usize) -> Message {
    message!(
        "error.film_too_long",
        "%{count} pictures are too many for a film; %{most} are the most. Set a shorter range (Ctrl+Home, Ctrl+End).",
        count = count,
        most = MOST.to_string(),
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
