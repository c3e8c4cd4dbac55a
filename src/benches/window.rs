//! How long a frame of the real window takes: the start screen, the sample take standing still, the sample take playing.
//! Needs a display; on one without a graphics card this measures the software renderer.

use std::time::Instant;

use eframe::{CreationContext, Frame};
use egui::{Context, Ui};
use portamento::session::{Command, FileCommand, TransportCommand};
use portamento::ui::app::{App, Start};
use portamento::ui::picture::Outcome;

/// Frames that are measured per scene, after as many that are not.
const FRAMES: usize = 120;

/// What is on screen.
const SCENES: [&str; 3] = ["start screen", "take standing still", "take playing"];

struct Stopwatch {
    app: App,
    scene: usize,
    last: Instant,
    milliseconds: Vec<f64>,
    means: Vec<f64>,
}

impl Stopwatch {
    fn new(context: &CreationContext<'_>) -> Self {
        let app = App::new(context, Start::Files(Vec::new()), Outcome::default());
        Self { app, scene: 0, last: Instant::now(), milliseconds: Vec::new(), means: Vec::new() }
    }

    fn tick(&mut self, ctx: &Context) {
        self.milliseconds.push(self.last.elapsed().as_secs_f64() * 1000.0);
        self.last = Instant::now();
        if self.milliseconds.len() < 2 * FRAMES {
            return;
        }
        let mut measured = self.milliseconds.split_off(FRAMES);
        self.milliseconds.clear();
        measured.sort_by(f64::total_cmp);
        let mean = measured.iter().sum::<f64>() / FRAMES as f64;
        self.means.push(mean);
        let (scene, slowest) = (SCENES[self.scene], measured[FRAMES * 95 / 100]);
        println!(
            "{scene}: {mean:.2} ms per frame, 95 % within {slowest:.2} ms, {:.1} × start screen",
            mean / self.means[0]
        );
        self.scene += 1;
        match self.scene {
            1 => self.app.perform(Command::File(FileCommand::OpenSamples)),
            2 => self.app.perform(Command::Transport(TransportCommand::PlayPause)),
            _ => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
        }
    }
}

impl eframe::App for Stopwatch {
    fn logic(&mut self, ctx: &Context, frame: &mut Frame) {
        self.app.logic(ctx, frame);
    }

    fn ui(&mut self, ui: &mut Ui, frame: &mut Frame) {
        if self.scene < SCENES.len() {
            self.tick(&ui.ctx().clone());
        }
        self.app.ui(ui, frame);
        ui.ctx().request_repaint();
    }
}

fn main() {
    if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
        println!("skipped: no display");
        return;
    }
    let folder = std::env::temp_dir().join(format!("portamento-bench-{}", std::process::id()));
    let mut options = portamento::ui::options([1280.0, 800.0], Some(folder.join("window.ron")));
    // As fast as it goes, not as fast as the screen refreshes.
    options.glow_options.vsync = false;
    let outcome = eframe::run_native("Portamento", options, Box::new(|context| Ok(Box::new(Stopwatch::new(context)))));
    if let Err(error) = outcome {
        println!("skipped: the window did not open: {error}");
    }
}
