//! Windows above the window.

pub mod export;
pub mod files;
pub mod help;
pub mod preferences;
pub mod recovery;
pub mod unsaved;

use std::path::PathBuf;

use egui::{Id, Modal, RichText, Ui};

use super::app::App;
use super::i18n::tr;
use super::theme;
use crate::session::Session;

/// What waits for the answer whether to save.
#[derive(Clone, Debug, PartialEq)]
pub enum Leave {
    /// An empty project.
    New,
    /// The sample project.
    Samples,
    /// Other files.
    Open(Vec<PathBuf>),
    /// The end of the program.
    Quit,
}

/// What is open.
#[derive(Debug, Default)]
pub struct Dialogs {
    /// File dialogs of the system.
    pub files: files::Files,
    /// Save before leaving?
    pub unsaved: Option<Leave>,
    /// Leave as soon as the save has succeeded.
    pub leave_after_save: Option<Leave>,
    /// Export.
    pub export: Option<export::Export>,
    /// Preferences.
    pub preferences: bool,
    /// Keys and mouse.
    pub help: bool,
    /// An autosave that is newer than its project.
    pub recovery: Option<PathBuf>,
    /// The autosave was left for later, so leaving must not remove it.
    pub recovery_later: bool,
}

impl Dialogs {
    /// Whether a dialog keeps the keyboard to itself.
    pub fn is_open(&self) -> bool {
        self.unsaved.is_some() || self.export.is_some() || self.preferences || self.help || self.recovery.is_some()
    }

    /// Draws what is open.
    pub fn ui(app: &mut App, ctx: &egui::Context) {
        recovery::ui(app, ctx);
        export::ui(app, ctx);
        preferences::ui(app, ctx);
        help::ui(app, ctx);
        unsaved::ui(app, ctx);
    }

    /// The folder that was chosen for the export.
    pub fn export_to(&mut self, folder: PathBuf) {
        if let Some(export) = &mut self.export {
            export.folder = folder.display().to_string();
        }
    }

    /// A project was saved: goes on with what waited for it.
    pub fn saved(&mut self, session: &mut Session, ctx: &egui::Context) {
        if session.is_unsaved() {
            return;
        }
        if let Some(leave) = self.leave_after_save.take() {
            unsaved::leave(session, ctx, leave);
        }
    }
}

/// A dialog with a title; answers what `body` does, and whether it was closed by Esc or a click outside.
fn window<R>(ctx: &egui::Context, name: &str, width: f32, body: impl FnOnce(&mut Ui) -> R) -> (R, bool) {
    let frame = egui::Frame::popup(&ctx.global_style()).inner_margin(16);
    let modal = Modal::new(Id::new(name)).frame(frame).show(ctx, |ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing.y = theme::MEDIUM;
        ui.label(RichText::new(tr(&format!("dialog.{name}"))).font(theme::title()));
        ui.add_space(theme::SMALL);
        body(ui)
    });
    let close = modal.should_close();
    (modal.inner, close)
}

/// Buttons at the lower right, the first the rightmost.
fn buttons<R>(ui: &mut Ui, body: impl FnOnce(&mut Ui) -> R) -> R {
    ui.add_space(theme::MEDIUM);
    ui.allocate_ui_with_layout(
        egui::Vec2::new(ui.available_width(), theme::ROW),
        egui::Layout::right_to_left(egui::Align::Center),
        body,
    )
    .inner
}
