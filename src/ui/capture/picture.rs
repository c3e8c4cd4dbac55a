//! Screenshot of the window after all jobs have finished.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use egui::{ColorImage, Event, UserData, ViewportCommand};

use portamento_cli::Screenshot;
use portamento_formats::export::{FileSet, Replace};
use portamento_session::clip_library::ClipRow;
use portamento_session::{Command, FileCommand, PairCommand, Session, Severity, Shown, WindowCommand};

/// The reason why no picture was written, shared with the caller that opened the window.
#[derive(Clone, Debug, Default)]
pub struct Outcome(Arc<Mutex<Option<String>>>);

impl Outcome {
    /// Returns the error, if the picture was not written.
    pub fn failure(&self) -> Option<String> {
        self.0.lock().ok().and_then(|failure| failure.clone())
    }

    /// Stores the error.
    pub fn fail(&self, sentence: String) {
        if let Ok(mut failure) = self.0.lock() {
            *failure = Some(sentence);
        }
    }
}

/// Frames to wait after the last job, so that sizes, fonts and animations settle. Tuned; no derivation recorded.
const SETTLE_FRAMES: u32 = 24;
/// The one of these frames in which a character to follow is framed: what is shown is there, and the rest is left to settle.
const FRAMING_FRAME: u32 = SETTLE_FRAMES / 2;

/// A pending screenshot.
#[derive(Debug)]
pub struct Picture {
    wanted: Screenshot,
    outcome: Outcome,
    /// Number of frames since the last job ended.
    calm_frames: u32,
    /// True once the requested takes or clips are shown.
    has_chosen: bool,
    /// True once the screenshot or the film was requested.
    asked: bool,
}

impl Picture {
    /// Creates a pending screenshot.
    pub fn new(wanted: Screenshot, outcome: Outcome) -> Self {
        Self { wanted, outcome, calm_frames: 0, has_chosen: false, asked: false }
    }

    /// True if the camera of a film follows the character.
    pub fn follows(&self) -> bool {
        self.wanted.follow
    }

    /// Waits, requests the picture, writes it and closes the window. Call once per frame. Returns the film's path once if a
    /// film is to be recorded. `is_filming` is true while it is recorded.
    pub fn step(&mut self, ctx: &egui::Context, session: &mut Session, is_filming: bool) -> Option<(PathBuf, Replace)> {
        ctx.request_repaint();
        if is_filming {
            return None;
        }
        if self.wanted.film && self.asked {
            self.end_film(ctx, session);
            return None;
        }
        let taken = ctx.input(|input| {
            input.events.iter().find_map(|event| match event {
                Event::Screenshot { image, .. } => Some(image.clone()),
                _ => None,
            })
        });
        if let Some(image) = taken {
            let written = || has_room(image.size, self.wanted.size).and_then(|()| write(&image, &self.wanted, session));
            if let Some(sentence) = error(session).or_else(|| written().err()) {
                self.outcome.fail(sentence);
            }
            ctx.send_viewport_cmd(ViewportCommand::Close);
            return None;
        }
        let busy = session.jobs.running().next().is_some();
        if !busy && !std::mem::replace(&mut self.has_chosen, true) {
            choose(session, &self.wanted.take).unwrap_or_else(|sentence| self.outcome.fail(sentence));
        }
        self.calm_frames = if busy { 0 } else { self.calm_frames + 1 };
        if let Some(time) = self.wanted.time
            && !busy
        {
            session.playback.time = time.clamp(0.0, session.playback.duration);
        }
        if self.wanted.follow && self.calm_frames == FRAMING_FRAME && !self.asked {
            session.perform(Command::Window(WindowCommand::FrameSelection));
        }
        if self.calm_frames <= SETTLE_FRAMES || self.asked {
            return None;
        }
        self.asked = true;
        if self.wanted.film {
            return Some((self.wanted.out.clone(), self.wanted.force.into()));
        }
        ctx.send_viewport_cmd(ViewportCommand::Screenshot(UserData::default()));
        None
    }

    /// Closes the window once the film is written.
    fn end_film(&self, ctx: &egui::Context, session: &Session) {
        if session.jobs.running().next().is_none() {
            error(session).into_iter().for_each(|sentence| self.outcome.fail(sentence));
            ctx.send_viewport_cmd(ViewportCommand::Close);
        }
    }
}

/// Returns the first error notice; `None` without errors.
fn error(session: &Session) -> Option<String> {
    session.notices.all().iter().find(|notice| notice.severity == Severity::Error).map(|notice| notice.text())
}

/// Shows the named takes, or the named clips of a listed folder: the first one, and a second one next to it. Without names, the
/// shown take stays. The export dialog then ticks the first take. Returns `Err` if a name is unknown.
fn choose(session: &mut Session, names: &[String]) -> Result<(), String> {
    if !session.clips.is_empty() {
        return choose_rows(session, names);
    }
    let find = |name: &String| {
        let take = session.document.takes.iter().find(|take| take.name == *name);
        let none = || format!("the project has no take {name}. Look up its name in the outliner.");
        take.map(|take| Shown::Take(take.id)).ok_or_else(none)
    };
    let mut shown = names.iter().map(find).collect::<Result<Vec<_>, _>>()?.into_iter();
    if let Some(first) = shown.next() {
        // The export dialog ticks the shown take, as when it is opened by its command.
        if let Shown::Take(id) = first {
            session.exports.choice.only(&session.document, &[id]);
        }
        session.selection.show(first);
    }
    shown.next().into_iter().for_each(|second| session.perform(Command::Pair(PairCommand::With(second))));
    Ok(())
}

/// Selects the clips with these names in the listed folder, or its first clip without names. Opens a single clip; several are
/// shown as a pair. Returns `Err` if a name is unknown.
fn choose_rows(session: &mut Session, names: &[String]) -> Result<(), String> {
    let order = session.clips.shown();
    let rows = session.clips.rows();
    let find = |name: &String| {
        let row = order.iter().copied().find(|&row| rows[row].clip == *name);
        row.ok_or_else(|| format!("the folder has no clip {name}. Look up its name in the library."))
    };
    let named = names.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let chosen: Vec<usize> = if named.is_empty() { order.first().copied().into_iter().collect() } else { named };
    let open = |row: &ClipRow| FileCommand::OpenClip { file: row.file.clone(), clip: row.clip.clone() };
    let opens = chosen.first().map(|&row| open(&rows[row]));
    session.clips.chosen = chosen.iter().copied().collect();
    match opens {
        _ if chosen.len() > 1 => session.perform(Command::Pair(PairCommand::Toggle)),
        Some(opens) => session.perform(Command::File(opens)),
        None => {}
    }
    Ok(())
}

/// Returns `Err` if the picture is narrower or lower than `wanted` (width and height in pixels), because the display is smaller
/// than the window.
fn has_room(size: [usize; 2], wanted: (u32, u32)) -> Result<(), String> {
    let ([width, height], (wide, high)) = (size, wanted);
    if width >= wide as usize && height >= high as usize {
        return Ok(());
    }
    Err(format!(
        "the display can show only {width}x{height} of the requested {wide}x{high} pixels. Use a smaller --size or a larger display."
    ))
}

/// Writes the picture as PNG to `wanted.out`. Returns `Err` if that is a source file, or if it exists and `wanted.force` is
/// false.
fn write(image: &ColorImage, wanted: &Screenshot, session: &Session) -> Result<(), String> {
    let path = &wanted.out;
    let bytes: Vec<u8> = image.pixels.iter().flat_map(|pixel| pixel.to_array()).collect();
    let [width, height] = image.size;
    let picture = image::RgbaImage::from_raw(width as u32, height as u32, bytes)
        .ok_or_else(|| "the window returned an invalid picture. Try again.".to_owned())?;
    let mut png = Cursor::new(Vec::new());
    let encoded = image::DynamicImage::from(picture).to_rgb8().write_to(&mut png, image::ImageFormat::Png);
    encoded.map_err(|error| format!("{} was not written: {error}. Choose another file.", path.display()))?;
    let mut files = FileSet::new(session.sources().into());
    let written = files.write(path, png.get_ref()).and_then(|()| files.commit(wanted.force.into()));
    written.map(|_| ()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::has_room;

    #[test]
    fn a_picture_smaller_than_requested_is_an_error_and_a_finer_one_is_accepted() {
        assert_eq!([[1280, 800], [2560, 1600]].map(|size| has_room(size, (1280, 800))), [Ok(()), Ok(())]);
        for size in [[1280, 800], [2560, 800], [1280, 1440]] {
            let message = has_room(size, (2560, 1440)).unwrap_err();
            assert!(message.contains(&format!("{}x{}", size[0], size[1])) && message.contains("--size"), "{message}");
        }
    }
}
