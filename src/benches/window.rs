//! Frame times of the real window: start screen, sample take standing still and playing, scrubbing, dragging and
//! painting, and scrolling a library of ten thousand clips. Needs a display; without a graphics card this includes
//! the software renderer, so the program's own time is measured separately.

use std::path::{Path, PathBuf};
use std::time::Instant;

use eframe::{CreationContext, Frame};
use egui::{Context, Event, Modifiers, MouseWheelUnit, PointerButton, Pos2, RawInput, TouchPhase, Ui, Vec2};
use portamento::samples;
use portamento::session::{Command, FileCommand, TransportCommand};
use portamento::ui::app::{App, Start};
use portamento::ui::picture::Outcome;

#[path = "window/hands.rs"]
mod hands;
#[path = "shared/sheet.rs"]
mod sheet;

use hands::Hand;

/// Measured frames per scene, after the same number of warm-up frames.
const FRAMES: usize = 120;
/// Number of copies of the sample character with sixteen clips: 10 016 rows.
const COPIES: usize = 626;
/// Environment variable with the folder for settings and recovery data.
const HOME: &str = "PORTAMENTO_HOME";
/// Mouse wheel movement per frame, lines.
const WHEEL: f32 = -3.0;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scene {
    Start,
    Still,
    Playing,
    Library,
    Hand(Hand),
    Done,
}

struct Stopwatch {
    app: App,
    folder: PathBuf,
    scene: Scene,
    /// True while the files of the scene are still loading.
    waits: bool,
    /// Frames since loading finished.
    acted: usize,
    /// True while the mouse button is down.
    is_held: bool,
    last: Instant,
    /// Time from frame to frame, milliseconds.
    frames: Vec<f64>,
    /// Time from frame to frame without drawing, milliseconds.
    own: Vec<f64>,
    /// Mean of the start screen, milliseconds.
    first_mean: Option<f64>,
}

impl Stopwatch {
    fn new(context: &CreationContext<'_>, folder: PathBuf) -> Self {
        let app = App::new(context, Start::Files(Vec::new()), Outcome::default());
        let (frames, own, scene) = (Vec::new(), Vec::new(), Scene::Start);
        let (waits, is_held, last) = (true, false, Instant::now());
        Self { app, folder, scene, waits, acted: 0, is_held, last, frames, own, first_mean: None }
    }

    fn tick(&mut self, ctx: &Context) {
        self.frames.push(self.last.elapsed().as_secs_f64() * 1000.0);
        self.last = Instant::now();
        if self.waits {
            // Frames during loading are not measured.
            self.frames.clear();
            self.own.clear();
            self.waits = self.app.is_working();
            if let (Scene::Hand(hand), false) = (self.scene, self.waits) {
                hand.begin(self.app.session());
            }
        }
        if self.frames.len() < 2 * FRAMES {
            return;
        }
        self.print();
        self.frames.clear();
        self.own.clear();
        self.next(ctx);
    }

    fn print(&mut self) {
        let frames = Summary::from_samples(&self.frames[FRAMES..]);
        let own = Summary::from_samples(&self.own[self.own.len() - FRAMES..]);
        let first = *self.first_mean.get_or_insert(frames.mean);
        println!(
            "{:?}: {:.2} ms per frame, 95 % within {:.2} ms, {:.1} × start screen; the program itself {:.2} ms, 95 % within {:.2} ms",
            self.scene,
            frames.mean,
            frames.slow,
            frames.mean / first,
            own.mean,
            own.slow
        );
    }

    fn next(&mut self, ctx: &Context) {
        let play = Command::Transport(TransportCommand::PlayPause);
        self.scene = match self.scene {
            Scene::Start => {
                self.app.perform(Command::File(FileCommand::OpenSamples));
                Scene::Still
            }
            Scene::Still => {
                self.app.perform(play);
                Scene::Playing
            }
            Scene::Playing => {
                self.app.perform(play);
                Scene::Hand(Hand::Scrub)
            }
            Scene::Hand(Hand::Scrub) => Scene::Hand(Hand::Drag),
            Scene::Hand(Hand::Drag) => Scene::Hand(Hand::Paint),
            Scene::Hand(Hand::Paint) => Scene::Hand(Hand::Goal),
            Scene::Hand(Hand::Goal) => {
                self.app.list_clips(vec![self.folder.join("clips")]);
                Scene::Library
            }
            Scene::Library | Scene::Done => {
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
                Scene::Done
            }
        };
        (self.waits, self.acted) = (true, 0);
        if let Scene::Hand(hand) = self.scene {
            hand.take_up(self.app.session(), &self.folder);
        }
    }
}

struct Summary {
    mean: f64,
    /// 95th percentile of the frame times.
    slow: f64,
}

impl Summary {
    fn from_samples(milliseconds: &[f64]) -> Self {
        let mut sorted = milliseconds.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self { mean: sorted.iter().sum::<f64>() / sorted.len() as f64, slow: sorted[sorted.len() * 95 / 100] }
    }
}

impl eframe::App for Stopwatch {
    fn raw_input_hook(&mut self, _: &Context, input: &mut RawInput) {
        if self.scene == Scene::Library {
            let delta = Vec2::new(0.0, WHEEL);
            let (unit, phase, modifiers) = (MouseWheelUnit::Line, TouchPhase::Move, Modifiers::NONE);
            input.events.push(Event::PointerMoved(Pos2::new(640.0, 600.0)));
            input.events.push(Event::MouseWheel { unit, delta, phase, modifiers });
        }
        let is_held = matches!(self.scene, Scene::Hand(_)) && !self.waits;
        if is_held != self.is_held {
            self.is_held = is_held;
            // A position without widgets.
            let (pos, button, modifiers) = (Pos2::new(640.0, 10.0), PointerButton::Primary, Modifiers::NONE);
            input.events.push(Event::PointerMoved(pos));
            input.events.push(Event::PointerButton { pos, button, pressed: is_held, modifiers });
        }
    }

    fn logic(&mut self, ctx: &Context, frame: &mut Frame) {
        if self.scene == Scene::Done {
            // Otherwise the program asks about unsaved changes.
            return;
        }
        let start = Instant::now();
        if let (Scene::Hand(hand), false) = (self.scene, self.waits) {
            hand.act(self.app.session(), self.acted);
            self.acted += 1;
        }
        self.app.logic(ctx, frame);
        self.own.push(start.elapsed().as_secs_f64() * 1000.0);
    }

    fn ui(&mut self, ui: &mut Ui, frame: &mut Frame) {
        if self.scene == Scene::Done {
            return;
        }
        self.tick(&ui.ctx().clone());
        let start = Instant::now();
        self.app.ui(ui, frame);
        if let Some(own) = self.own.last_mut() {
            *own += start.elapsed().as_secs_f64() * 1000.0;
        }
        ui.ctx().request_repaint();
    }
}

/// Fills a folder with copies of the sample character and the files to edit.
fn fill(folder: &Path) -> std::io::Result<()> {
    let clips = folder.join("clips");
    std::fs::create_dir_all(&clips)?;
    std::fs::write(folder.join("sheet.glb"), hands::sheet())?;
    std::fs::write(folder.join("hills.obj"), hands::hills())?;
    samples::write_all(folder).map_err(std::io::Error::other)?;
    for number in 0..COPIES {
        std::fs::copy(folder.join("hero.glb"), clips.join(format!("{number}.glb")))?;
    }
    Ok(())
}

/// Restarts the bench with its own user folder, so that recovery data is neither offered nor stored.
fn with_own_home(home: &Path) -> std::io::Result<()> {
    let bench = std::env::current_exe()?;
    std::process::Command::new(bench).args(std::env::args_os().skip(1)).env(HOME, home).status().map(|_| ())
}

fn main() {
    if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
        println!("skipped: no display");
        return;
    }
    if std::env::var_os(HOME).is_none() {
        let again = tempfile::tempdir().and_then(|home| with_own_home(home.path()));
        return again.unwrap_or_else(|error| println!("skipped: {error}"));
    }
    let folder = std::env::temp_dir().join(format!("portamento-bench-{}", std::process::id()));
    if let Err(error) = fill(&folder) {
        return println!("skipped: {} was not written: {error}", folder.display());
    }
    let mut options = portamento::ui::options([1280.0, 800.0], Some(folder.join("window.ron")));
    // Without vertical sync.
    options.glow_options.vsync = false;
    let files = folder.clone();
    let outcome =
        eframe::run_native("Portamento", options, Box::new(|context| Ok(Box::new(Stopwatch::new(context, files)))));
    if let Err(error) = outcome {
        println!("skipped: the window did not open: {error}");
    }
    let _ = std::fs::remove_dir_all(folder);
}
