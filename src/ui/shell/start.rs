//! Start screen: lessons, open a file, try the samples, recent files.

use std::path::Path;

use egui::{Align, Button, Layout, RichText, ScrollArea, Ui, Vec2};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{
    ICON_AUTO_AWESOME, ICON_DESCRIPTION, ICON_FOLDER_OPEN, ICON_MENU_BOOK, ICON_MOVIE, ICON_TABLE,
};

use super::lesson;
use super::shortcuts::key_text;
use crate::i18n::tr;
use crate::widgets::canvas::picture_at;
use crate::{focus, theme, widgets};
use portamento_session::lessons::{Lesson, LessonRequest};
use portamento_session::{Command, FileCommand, Session, WindowCommand};

/// Widths of the two columns and of the gap between them, points.
const COLUMN_WIDTHS: (f32, f32, f32) = (304.0, 380.0, 48.0);

/// Largest width of the content, points.
const MAX_WIDTH: f32 = 1080.0;
/// Height of the content with one row of cards, points.
const HEIGHT: f32 = 560.0;
/// Widths of a card, points.
const MIN_CARD_WIDTH: f32 = 140.0;
const MAX_CARD_WIDTH: f32 = 240.0;
/// Height of the words below the picture of a card, points.
const CARD_TEXT_HEIGHT: f32 = 56.0;
/// Size of a picture in its own units.
const PICTURE: Vec2 = Vec2::new(108.0, 56.0);
/// Duration of a moving picture, seconds.
const CARD_SECONDS: f64 = 4.0;
/// Time without pointer movement after which the pictures rest, seconds.
const MAX_MOVING_SECONDS: f64 = 20.0;
/// Time in its course at which a picture rests.
const RESTING: f32 = 0.48;
/// Rate of the moving pictures, frames per second: low, because each frame draws the whole window.
const CARD_FPS: f32 = 15.0;

/// Draws the start screen and returns the requested commands. Its pictures move only if `may_move`, which is false behind dialogs.
pub fn screen(ui: &mut Ui, session: &Session, may_move: bool) -> Vec<Command> {
    let mut asked = Vec::new();
    let room = ui.available_size();
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let width = (room.x - 2.0 * theme::GAP_LARGE).min(MAX_WIDTH);
        let left = (room.x - width) * 0.5;
        ui.add_space(((room.y - HEIGHT) * 0.5).max(theme::GAP_MEDIUM));
        ui.horizontal(|ui| {
            ui.add_space(left);
            ui.vertical(title);
        });
        ui.add_space(theme::GAP_LARGE);
        let moves = may_move && is_watched(ui);
        cards(ui, (left, width), moves, &mut asked);
        ui.add_space(theme::GAP_LARGE);
        ui.horizontal_top(|ui| {
            ui.add_space(left);
            column(ui, COLUMN_WIDTHS.0.min(width), |ui| actions(ui, &mut asked));
            if width >= COLUMN_WIDTHS.0 + COLUMN_WIDTHS.1 + COLUMN_WIDTHS.2 {
                ui.add_space(COLUMN_WIDTHS.2 - 2.0 * theme::GAP_MEDIUM);
                column(ui, COLUMN_WIDTHS.1, |ui| recent(ui, session, &mut asked));
            }
        });
        focus::scroll_to_focus(ui);
    });
    asked
}

/// Draws a card per lesson, in as many rows as needed. `left` and `width` are the margin and the room for a row, points. Adds the
/// command of a click to `asked`.
fn cards(ui: &mut Ui, (left, width): (f32, f32), moves: bool, asked: &mut Vec<Command>) {
    let gap = theme::GAP_LARGE;
    let fitting = (((width + gap) / (MIN_CARD_WIDTH + gap)) as usize).clamp(1, Lesson::ALL.len());
    let rows = Lesson::ALL.len().div_ceil(fitting);
    // Rows of equal length: six cards are split 3 + 3, not 4 + 2.
    let columns = Lesson::ALL.len().div_ceil(rows);
    let card_width = ((width + gap) / columns as f32 - gap).min(MAX_CARD_WIDTH);
    for row in Lesson::ALL.chunks(columns) {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = gap;
            ui.add_space(left);
            for &lesson in row {
                if card(ui, lesson, card_width, moves) {
                    let request = LessonRequest { lesson, title: String::new(), reset: false };
                    asked.push(Command::File(FileCommand::OpenLesson(request)));
                }
            }
        });
        ui.add_space(theme::GAP_MEDIUM);
    }
    if moves {
        ui.ctx().request_repaint_after_secs(1.0 / CARD_FPS);
    }
}

/// True if the window opened or the pointer moved in the last [`MAX_MOVING_SECONDS`]. Later the pictures rest, as each frame
/// costs time.
fn is_watched(ui: &Ui) -> bool {
    ui.input(|input| input.time.min(f64::from(input.pointer.time_since_last_movement())) < MAX_MOVING_SECONDS)
}

/// Draws the card of a lesson, `width` points wide: a picture, which moves if `moves`, the title and a sentence. Returns true if
/// it was clicked.
fn card(ui: &mut Ui, lesson: Lesson, width: f32, moves: bool) -> bool {
    let tokens = *theme::of(ui);
    let size = Vec2::new(width, width * PICTURE.y / PICTURE.x + CARD_TEXT_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click());
    let name = lesson::title(lesson);
    let response = widgets::named(response, &name);
    if response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect.expand(4.0), theme::RADIUS, tokens.raised);
    }
    let picture = egui::Rect::from_min_size(rect.min, Vec2::new(width, width * PICTURE.y / PICTURE.x));
    let t = if moves { (ui.input(|input| input.time) / CARD_SECONDS).fract() as f32 } else { RESTING };
    picture_at(ui, picture, PICTURE, |canvas| lesson::drawing(lesson)(canvas, t));
    let words = egui::Rect::from_min_max(picture.left_bottom() + Vec2::new(0.0, theme::GAP_SMALL), rect.max);
    let mut words = ui.new_child(egui::UiBuilder::new().max_rect(words).layout(Layout::top_down(Align::Min)));
    words.add(egui::Label::new(RichText::new(name).font(theme::strong()).color(tokens.text)).truncate());
    let sentence = RichText::new(tr(&format!("lesson.about_{}", lesson.name()))).font(theme::caption());
    words.add(egui::Label::new(sentence.color(tokens.dim)).wrap().selectable(false));
    response.clicked()
}

/// Draws `body` in a column of `width` points.
fn column(ui: &mut Ui, width: f32, body: impl FnOnce(&mut Ui)) {
    let size = Vec2::new(width, 0.0);
    ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
        ui.set_width(width);
        body(ui);
    });
}

/// Draws the name of the program and a sentence about it.
fn title(ui: &mut Ui) {
    let tokens = theme::of(ui);
    ui.label(RichText::new("Portamento").font(theme::display()).color(tokens.text));
    ui.add_space(2.0);
    ui.label(RichText::new(tr("start.claim")).color(tokens.dim));
}

/// Draws the buttons that begin something. Adds the command of the clicked one to `asked`.
fn actions(ui: &mut Ui, asked: &mut Vec<Command>) {
    heading(ui, "start.begin");
    let rows = [
        (ICON_FOLDER_OPEN, "open", "Ctrl+O", Command::Window(WindowCommand::AskOpen)),
        (ICON_TABLE, "clips", "Ctrl+Shift+O", Command::Window(WindowCommand::AskClips)),
        (ICON_AUTO_AWESOME, "samples", "", Command::File(FileCommand::OpenSamples)),
        (ICON_MENU_BOOK, "guide", "F1", Command::Window(WindowCommand::Guide)),
    ];
    for (icon, key, keys, command) in rows {
        if action(ui, icon, &tr(&format!("start.{key}")), &key_text(keys)) {
            asked.push(command);
        }
    }
    ui.add_space(theme::GAP_LARGE);
    let dim = theme::of(ui).dim;
    let drop = RichText::new(tr("start.drop")).font(theme::caption()).color(dim);
    ui.add(egui::Label::new(drop).wrap());
}

/// Draws a heading with the text of the locale key `key`.
fn heading(ui: &mut Ui, key: &str) {
    let dim = theme::of(ui).dim;
    ui.label(RichText::new(tr(key)).font(theme::strong()).color(dim));
    ui.add_space(theme::GAP_SMALL);
}

/// Draws a button with an icon, `text` and the shortcut `keys`. Returns true if it was clicked.
fn action(ui: &mut Ui, icon: MaterialIcon, text: &str, keys: &str) -> bool {
    let tokens = theme::of(ui);
    let label = RichText::new(format!("{}   {text}", icon.codepoint));
    let button = Button::new(label).truncate().shortcut_text(RichText::new(keys).color(tokens.dim));
    let response = ui.add(button.min_size(Vec2::new(COLUMN_WIDTHS.0, 36.0)));
    widgets::named(response, text).clicked()
}

/// Maximum number of recent files listed.
const MAX_RECENT_FILES: usize = 20;

/// Draws the recent files. Adds the command that opens the clicked one to `asked`.
fn recent(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    heading(ui, "start.recent");
    if session.preferences.recent.is_empty() {
        let dim = theme::of(ui).dim;
        ui.label(RichText::new(tr("start.no_recent")).color(dim));
        return;
    }
    ScrollArea::vertical().max_height(204.0).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for path in session.preferences.recent.iter().take(MAX_RECENT_FILES) {
            if recent_row(ui, path) {
                asked.push(Command::File(FileCommand::Open(vec![path.clone()])));
            }
        }
        focus::scroll_to_focus(ui);
    });
}

/// Draws a recent file. Returns true if it was clicked and still exists.
fn recent_row(ui: &mut Ui, path: &Path) -> bool {
    let tokens = theme::of(ui);
    let exists = path.exists();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = path.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    let is_project = path.extension().is_some_and(|extension| extension == portamento_takes::document::file::EXTENSION);
    let icon = match () {
        () if is_project => ICON_MOVIE,
        () if path.is_dir() => ICON_TABLE,
        () => ICON_DESCRIPTION,
    };
    let (rect, response) = ui.allocate_exact_size(Vec2::new(COLUMN_WIDTHS.1, 40.0), egui::Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, exists, &name));
    if response.hovered() && exists {
        ui.painter().rect_filled(rect, theme::RADIUS, tokens.raised);
    }
    let ink = if exists { tokens.text } else { theme::mix(tokens.panel, tokens.dim, 0.5) };
    let at = rect.left_center() + Vec2::new(theme::GAP_MEDIUM, 0.0);
    let painter = ui.painter().with_clip_rect(rect);
    painter.text(at, egui::Align2::LEFT_CENTER, icon.codepoint, theme::icon(), tokens.dim);
    painter.text(at + Vec2::new(28.0, -1.0), egui::Align2::LEFT_BOTTOM, &name, theme::body(), ink);
    painter.text(at + Vec2::new(28.0, 3.0), egui::Align2::LEFT_TOP, &folder, theme::caption(), tokens.dim);
    let tip = if exists { path.display().to_string() } else { tr("start.missing") };
    response.on_hover_text(tip).clicked() && exists
}
