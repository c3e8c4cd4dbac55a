//! Windows above the window.

pub mod export;
pub mod files;
mod first_steps;
pub mod help;
pub mod keymap;
mod path;
pub mod preferences;
pub mod recipes;
pub mod recovery;
mod removal;
pub mod replace;
pub mod unsaved;
pub mod variants;

use std::path::PathBuf;

use egui::{Align2, Id, LayerId, Modal, Order, Popup, PopupAnchor, RichText, Ui, Vec2};

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
    /// Open the files that were chosen.
    Open(Vec<PathBuf>),
    /// The end of the program.
    Quit,
}

/// What is open.
#[derive(Debug, Default)]
pub(super) struct Dialogs {
    /// File dialogs of the system.
    pub files: files::Files,
    /// What is typed where the system has no file dialog.
    pub typed_path: String,
    /// Save before leaving?
    pub unsaved: Option<Leave>,
    /// Leave as soon as the save has succeeded.
    pub leave_after_save: Option<Leave>,
    /// Whether the export dialog is open.
    pub export: bool,
    /// Its rows while it is.
    export_rows: export::Rows,
    /// Which variants of a take are wanted.
    pub variants: Option<variants::Variants>,
    /// Whether the preferences are open.
    pub preferences: bool,
    /// The help page.
    pub help: bool,
    /// The keys of all commands, to be changed.
    pub keymap: Option<keymap::KeymapEditor>,
    /// Work that was not saved when a window ended.
    pub recovery: recovery::Recovery,
    /// Leave though an export is running?
    pub exporting: bool,
}

impl Dialogs {
    /// Whether a dialog keeps the keyboard to itself.
    pub fn is_open(&self) -> bool {
        self.unsaved.is_some()
            || self.files.without_dialog.is_some()
            || self.export
            || self.variants.is_some()
            || self.preferences
            || self.help
            || self.keymap.is_some()
            || self.exporting
            || self.recovery.is_open()
    }

    /// Draws what is open.
    pub fn ui(app: &mut App, ctx: &egui::Context) {
        recovery::ui(app, ctx);
        export::ui(app, ctx);
        variants::ui(app, ctx);
        preferences::ui(app, ctx);
        help::ui(app, ctx);
        keymap::ui(app, ctx);
        unsaved::ui(app, ctx);
        replace::ui(app, ctx);
        replace::changed_ui(app, ctx);
        replace::exporting_ui(app, ctx);
        removal::ui(app, ctx);
        path::ui(app, ctx);
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
    window_at(ctx, name, Place { width, top: None, dims: true, stays: false }, body)
}

/// How wide a dialog is and how far from the top of the window, points, in its middle where that is not told; whether it dims what is
/// behind it, and whether it stays when that is clicked.
struct Place {
    width: f32,
    top: Option<f32>,
    dims: bool,
    stays: bool,
}

/// The same, at a place.
fn window_at<R>(
    ctx: &egui::Context,
    name: &str,
    Place { width, top, dims, stays }: Place,
    body: impl FnOnce(&mut Ui) -> R,
) -> (R, bool) {
    let frame = egui::Frame::popup(&ctx.global_style()).inner_margin(16);
    let id = Id::new(name);
    // Below the lists that are opened from it: a tap, pressed and let go in one frame, would raise it over its own list.
    let area = Modal::default_area(id).order(Order::Middle);
    let area = top.map_or(area.clone(), |top| area.anchor(Align2::CENTER_TOP, Vec2::new(0.0, top)));
    let modal = Modal::new(id).area(area).frame(frame);
    let modal = if dims { modal } else { modal.backdrop_color(egui::Color32::TRANSPARENT) };
    let modal = modal.show(ctx, |ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing.y = theme::MEDIUM;
        ui.label(RichText::new(tr(&format!("dialog.{name}"))).font(theme::title()));
        ui.add_space(theme::SMALL);
        body(ui)
    });
    settle(ctx, id, modal.response.rect);
    hide_tooltips(ctx);
    let is_missed = modal.backdrop_response.clicked();
    let close = if stays && is_missed { false } else { modal.should_close() };
    (modal.inner, close)
}

/// Takes tooltips of panels away, which would shine over the dialog for as long as the pointer rests: egui hides them where a popup of
/// their layer is open. This one has no place, so nothing of it is drawn.
fn hide_tooltips(ctx: &egui::Context) {
    let nowhere = Popup::new(Id::new("no tooltips"), ctx.clone(), PopupAnchor::PointerFixed, LayerId::background());
    nowhere.open(true).show(|_| ());
}

/// Draws once more while a dialog still grows: else it would go on when the pointer comes, and its buttons slip away from under it.
fn settle(ctx: &egui::Context, id: Id, rect: egui::Rect) {
    let before =
        ctx.data_mut(|data| std::mem::replace(data.get_temp_mut_or(id.with("rect"), egui::Rect::NOTHING), rect));
    if before != rect {
        ctx.request_repaint();
    }
}

/// Buttons at the lower right, the first the rightmost.
fn buttons<R>(ui: &mut Ui, body: impl FnOnce(&mut Ui) -> R) -> R {
    ui.add_space(theme::MEDIUM);
    ui.allocate_ui_with_layout(
        Vec2::new(ui.available_width(), theme::ROW),
        egui::Layout::right_to_left(egui::Align::Center),
        body,
    )
    .inner
}
