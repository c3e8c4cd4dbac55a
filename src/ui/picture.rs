//! Taking a picture of the window once it has settled.

use std::io::Cursor;
use std::path::Path;
use std::sync::{Arc, Mutex};

use egui::{ColorImage, Event, UserData, ViewportCommand};

use crate::cli::Screenshot;
use crate::export::{FileSet, Replace};
use crate::session::{Session, Severity};

/// Why no picture was written, if so; shared with whoever opened the window.
#[derive(Clone, Debug, Default)]
pub struct Outcome(Arc<Mutex<Option<String>>>);

impl Outcome {
    /// The sentence, if the picture was not written.
    pub fn failure(&self) -> Option<String> {
        self.0.lock().ok().and_then(|failure| failure.clone())
    }

    /// Says why there is no picture.
    pub fn fail(&self, sentence: String) {
        if let Ok(mut failure) = self.0.lock() {
            *failure = Some(sentence);
        }
    }
}

/// Frames to wait after the last job has ended, so that sizes, fonts and animations have settled.
const SETTLE: u32 = 24;

/// A picture that is still to be taken.
#[derive(Debug)]
pub struct Picture {
    wanted: Screenshot,
    outcome: Outcome,
    calm_frames: u32,
    asked: bool,
}

impl Picture {
    /// A picture as `wanted`.
    pub fn new(wanted: Screenshot, outcome: Outcome) -> Self {
        Self { wanted, outcome, calm_frames: 0, asked: false }
    }

    /// Waits, asks for the picture, writes it and closes the window; call once per frame.
    pub fn step(&mut self, ctx: &egui::Context, session: &mut Session) {
        ctx.request_repaint();
        let taken = ctx.input(|input| {
            input.events.iter().find_map(|event| match event {
                Event::Screenshot { image, .. } => Some(image.clone()),
                _ => None,
            })
        });
        if let Some(image) = taken {
            let wrong = session.notices.all().iter().find(|notice| notice.severity == Severity::Error);
            let wrong = wrong.map(|notice| notice.text());
            if let Some(sentence) = wrong.or_else(|| write(&image, &self.wanted.out, session).err()) {
                self.outcome.fail(sentence);
            }
            ctx.send_viewport_cmd(ViewportCommand::Close);
            return;
        }
        let busy = session.jobs.running().next().is_some();
        self.calm_frames = if busy { 0 } else { self.calm_frames + 1 };
        if let Some(time) = self.wanted.time
            && !busy
        {
            session.playback.time = time.clamp(0.0, session.playback.duration);
        }
        if self.calm_frames > SETTLE && !self.asked {
            self.asked = true;
            ctx.send_viewport_cmd(ViewportCommand::Screenshot(UserData::default()));
        }
    }
}

fn write(image: &ColorImage, path: &Path, session: &Session) -> Result<(), String> {
    let bytes: Vec<u8> = image.pixels.iter().flat_map(|pixel| pixel.to_array()).collect();
    let [width, height] = image.size;
    let picture = image::RgbaImage::from_raw(width as u32, height as u32, bytes)
        .ok_or_else(|| "the picture came back broken from the window. Try again.".to_owned())?;
    let mut png = Cursor::new(Vec::new());
    let encoded = image::DynamicImage::from(picture).to_rgb8().write_to(&mut png, image::ImageFormat::Png);
    encoded.map_err(|error| format!("{} was not written: {error}. Choose another place.", path.display()))?;
    let mut files = FileSet::new(session.sources().into());
    let written = files.write(path, png.get_ref()).and_then(|()| files.commit(Replace::Allow));
    written.map(|_| ()).map_err(|error| error.to_string())
}
