//! Modal dialogs.

pub mod export;
pub mod files;
mod finish;
pub(crate) mod guide;
mod interrupted;
pub mod help;
pub mod keymap;
mod path;
pub mod preferences;
pub mod recipes;
pub mod recovery;
mod removal;
mod remote;
pub mod replace;
mod retargeted;
pub mod sets;
pub mod source_files;
pub mod unsaved;
pub mod variants;

use egui::{Align2, Id, LayerId, Modal, Order, Popup, PopupAnchor, RichText, Ui, Vec2};

use super::app::App;
use super::i18n::tr;
use super::theme;
use portamento_session::{FileCommand, Session};

/// Action that waits for the decision whether to save.
#[derive(Clone, Debug, PartialEq)]
pub enum Leave {
    /// A command that replaces the project.
    File(Box<FileCommand>),
    /// Quitting the program.
    Quit,
}

/// Open dialogs.
#[derive(Debug, Default)]
pub(super) struct Dialogs {
    /// File dialogs of the system.
    pub files: files::Files,
    /// Path typed if the system has no file dialog.
    pub typed_path: String,
    /// Action that waits for the unsaved-changes dialog.
    pub unsaved: Option<Leave>,
    /// Action to perform as soon as saving succeeded.
    pub leave_after_save: Option<Leave>,
    /// True while the export dialog is open.
    pub export: bool,
    /// Scroll state of the export dialog.
    export_rows: export::Rows,
    /// Index of the motion whose steps the list of finished motions shows.
    pub finished_row: usize,
    /// The open dialog of sets.
    pub sets: Option<sets::Sets>,
    /// The open variants dialog.
    pub variants: Option<variants::Variants>,
    /// True while the dialog of remote control is open.
    pub remote: bool,
    /// True while the preferences are open.
    pub preferences: bool,
    /// The open guide.
    pub guide: Option<guide::Guide>,
    /// True while the page of workspaces, mouse and shortcuts is open.
    pub help: bool,
    /// True in the first frame of the help page, which begins at its top.
    pub help_opens: bool,
    /// The open shortcut editor.
    pub keymap: Option<keymap::KeymapEditor>,
    /// The recovery dialog.
    pub recovery: recovery::Recovery,
    /// True while the dialog about a running export is open.
    pub exporting: bool,
}

impl Dialogs {
    /// True if a dialog of the last frame covered the window: it has the keyboard.
    pub fn is_open(ctx: &egui::Context) -> bool {
        !ctx.memory(|memory| memory.is_above_modal_layer(LayerId::background()))
    }

    /// Draws all open dialogs.
    pub fn ui(app: &mut App, ctx: &egui::Context) {
        recovery::ui(app, ctx);
        export::ui(app, ctx);
        variants::ui(app, ctx);
        sets::ui(app, ctx);
        preferences::ui(app, ctx);
        remote::ui(app, ctx);
        keymap::ui(app, ctx);
        unsaved::ui(app, ctx);
        replace::ui(app, ctx);
        interrupted::ui(app, ctx);
        replace::changed_ui(app, ctx);
        replace::exporting_ui(app, ctx);
        removal::ui(app, ctx);
        source_files::ui(app, ctx);
        retargeted::ui(app, ctx);
        finish::ui(app, ctx);
        path::ui(app, ctx);
        // In front of all others, because it explains them.
        guide::ui(app, ctx);
        help::ui(app, ctx);
    }

    /// Performs the waiting action if the project is saved now. Otherwise the action keeps waiting.
    pub fn saved(&mut self, session: &mut Session, ctx: &egui::Context) {
        if session.is_unsaved() {
            return;
        }
        if let Some(leave) = self.leave_after_save.take() {
            unsaved::leave(session, ctx, leave);
        }
    }
}

/// Draws a dialog of `width` points with the title `dialog.NAME`. Returns the result of `body`, and true if it was closed by Esc or a click outside.
fn window<R>(ctx: &egui::Context, name: &str, width: f32, body: impl FnOnce(&mut Ui) -> R) -> (R, bool) {
    window_at(ctx, name, Placement { width, top: None, dims: true, stays: false }, body)
}

/// Placement of a dialog.
/// - `width`: points
/// - `top`: distance from the top of the window in points; centred if `None`
/// - `dims`: dims the background
/// - `stays`: stays open after a click outside
struct Placement {
    width: f32,
    top: Option<f32>,
    dims: bool,
    stays: bool,
}

/// Draws a dialog with a given placement and the title `dialog.NAME`. Returns the result of `body`, and true if it was closed by
/// Esc or a click outside.
fn window_at<R>(
    ctx: &egui::Context,
    name: &str,
    Placement { width, top, dims, stays }: Placement,
    body: impl FnOnce(&mut Ui) -> R,
) -> (R, bool) {
    let frame = egui::Frame::popup(&ctx.global_style()).inner_margin(16);
    let id = Id::new(name);
    // Below its own drop-down lists: a tap pressed and released in one frame would raise the dialog above them.
    let area = Modal::default_area(id).order(Order::Middle);
    let area = top.map_or(area.clone(), |top| area.anchor(Align2::CENTER_TOP, Vec2::new(0.0, top)));
    let modal = Modal::new(id).area(area).frame(frame);
    let modal = if dims { modal } else { modal.backdrop_color(egui::Color32::TRANSPARENT) };
    let modal = modal.show(ctx, |ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing.y = theme::GAP_MEDIUM;
        ui.label(RichText::new(tr(&format!("dialog.{name}"))).font(theme::title()));
        ui.add_space(theme::GAP_SMALL);
        body(ui)
    });
    settle(ctx, id, modal.response.rect);
    hide_tooltips(ctx);
    let is_missed = modal.backdrop_response.clicked();
    let close = if stays && is_missed { false } else { modal.should_close() };
    (modal.inner, close)
}

/// Hides tooltips of panels, which would stay visible over the dialog. egui hides them while a popup of their layer is open. This
/// popup is invisible.
fn hide_tooltips(ctx: &egui::Context) {
    let nowhere = Popup::new(Id::new("no tooltips"), ctx.clone(), PopupAnchor::PointerFixed, LayerId::background());
    nowhere.open(true).show(|_| ());
}

/// Repaints while the dialog `id` changes its size or position, so that its buttons do not move when the pointer arrives.
fn settle(ctx: &egui::Context, id: Id, rect: egui::Rect) {
    let before =
        ctx.data_mut(|data| std::mem::replace(data.get_temp_mut_or(id.with("rect"), egui::Rect::NOTHING), rect));
    if before != rect {
        ctx.request_repaint();
    }
}

/// Draws a row for the buttons that `body` adds. The first one is at the right edge. Returns the result of `body`.
fn buttons<R>(ui: &mut Ui, body: impl FnOnce(&mut Ui) -> R) -> R {
    ui.add_space(theme::GAP_MEDIUM);
    ui.allocate_ui_with_layout(
        Vec2::new(ui.available_width(), theme::ROW),
        egui::Layout::right_to_left(egui::Align::Center),
        body,
    )
    .inner
}
