//! The window. Only this folder uses egui. Panels edit [`portamento_session::Session::document`], request everything else through
//! [`portamento_session::Command`], and compute nothing.

pub mod app;
pub mod dialogs;
mod shell;
mod drag;
mod capture;
mod focus;
pub mod fonts;
mod graph;
mod keep_work;
mod keys;
pub mod i18n;
mod opening;
pub mod panels;
mod remote;
mod setting;
pub mod theme;
pub mod timeline;
pub mod units;
pub mod viewport;
pub mod widgets;

#[cfg(test)]
mod tests;
pub use capture::picture;
pub use shell::{dock, menu, palette, shortcuts, start, status, toasts};

use std::path::PathBuf;
use std::process::ExitCode;

use eframe::NativeOptions;
use egui::ViewportBuilder;

use portamento_cli::WindowTask;
use portamento_session::{Preferences, fault_report};

/// Opens the window for `task` and stays until it is closed.
pub fn run(task: WindowTask) -> ExitCode {
    let begins_remote = matches!(task, WindowTask::Open { remote_control: true, .. });
    let (options, start) = match task {
        WindowTask::Open { files, .. } => (options([1280.0, 800.0], state_file()), app::Start::Files(files)),
        WindowTask::Screenshot(wanted) => {
            let (width, height) = wanted.size;
            // A picture shows the window as it is on the first start, whatever the user's layout: nothing is read from an empty
            // path, and nothing is written without a window to keep.
            let options = options([width as f32, height as f32], Some(PathBuf::new()));
            (NativeOptions { persist_window: false, ..options }, app::Start::Picture(wanted))
        }
    };
    fault_report::note_panics();
    // The display takes as long to answer as the fonts to be read.
    fonts::look_for_chinese();
    let outcome = capture::picture::Outcome::default();
    let shared = outcome.clone();
    let result = eframe::run_native(
        "Portamento",
        options,
        Box::new(move |context| {
            let mut app = app::App::new(context, start, shared);
            if begins_remote {
                remote::begin(&mut app.session, &context.egui_ctx);
            }
            Ok(Box::new(app))
        }),
    );
    let failure = match result {
        Ok(()) => outcome.failure(),
        Err(error) => Some(format!(
            "the window did not open: {error}. A display with OpenGL is needed; `portamento --help` lists what works without."
        )),
    };
    match failure {
        None => ExitCode::SUCCESS,
        Some(sentence) => {
            eprintln!("portamento: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn state_file() -> Option<PathBuf> {
    Some(Preferences::folder()?.join("window.ron"))
}

/// Returns the window options: `size` in points and the file that stores the layout.
pub fn options(size: [f32; 2], persistence_path: Option<PathBuf>) -> NativeOptions {
    let viewport = ViewportBuilder::default()
        .with_title("Portamento")
        .with_app_id("portamento")
        .with_inner_size(size)
        .with_min_inner_size([720.0, 480.0])
        .with_drag_and_drop(true);
    NativeOptions {
        viewport,
        renderer: eframe::Renderer::Glow,
        // The viewport has its own framebuffer. Requesting depth or samples for the window fails on some systems.
        depth_buffer: 0,
        multisampling: 0,
        // Panels have no gradients, so dithering would only cost time.
        dithering: false,
        persistence_path,
        centered: true,
        ..NativeOptions::default()
    }
}
