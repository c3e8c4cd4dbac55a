//! The menu bar: menus, workspaces, undo and command search.

use egui::{Align, Button, Color32, Layout, RichText, ScrollArea, Sense, Ui, Vec2};
use egui_material_icons::icons::{ICON_KEYBOARD_ARROW_DOWN, ICON_REDO, ICON_SEARCH, ICON_UNDO};

use super::dock::Panel;
use super::shortcuts::{key_text, keys_of};
use super::workspace::{WORKSPACES, Workspace};
use crate::i18n::tr;
use crate::widgets::submenu;
use crate::{theme, widgets};
use portamento_session::command::{self, CommandEntry};
use portamento_session::{Command, EditCommand, FileCommand, Session, WindowCommand};

/// The user's choices in the bar.
#[derive(Debug, Default)]
pub struct BarChoices {
    /// Commands from menus and buttons.
    pub commands: Vec<Command>,
    /// The chosen workspace.
    pub workspace: Option<Workspace>,
    /// The panel to activate.
    pub panel: Option<Panel>,
}

/// Draws the bar and returns the choices. `workspace` is the current one.
pub fn bar(ui: &mut Ui, session: &Session, workspace: Workspace) -> BarChoices {
    let mut asked = BarChoices::default();
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.label(RichText::new("Portamento").font(theme::strong()).color(theme::of(ui).accent));
        ui.add_space(theme::GAP_MEDIUM);
        menus(ui, session, &mut asked);
        ui.add_space(theme::GAP_LARGE);
        asked.workspace = workspaces(ui, workspace);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            right_end(ui, session, &mut asked.commands);
        });
    });
    asked
}

/// Draws the menus of the bar. Adds the choices of the user to `asked`.
fn menus(ui: &mut Ui, session: &Session, asked: &mut BarChoices) {
    let menus = [
        ("menu.file", command::file_entries()),
        ("menu.edit", command::edit_entries()),
        ("menu.playback", command::transport_entries()),
        ("menu.view", command::view_entries()),
        ("menu.help", command::help_entries()),
    ];
    for (title, entries) in menus {
        let button = Button::new(tr(title)).fill(Color32::TRANSPARENT).stroke(egui::Stroke::NONE);
        egui::containers::menu::MenuButton::from_button(button).ui(ui, |ui| {
            // Menus scroll in low windows.
            let room = ui.ctx().content_rect().height() - BAR;
            // Without this, egui limits the menu to its default height.
            ui.set_max_height(room);
            ScrollArea::vertical().max_height(room).show(ui, |ui| {
                if title == "menu.view" {
                    asked.panel = panels(ui).or(asked.panel);
                }
                for entries in entries.chunk_by(|one, next| one.submenu == next.submenu) {
                    items(ui, session, entries, &mut asked.commands);
                }
            });
        });
    }
}

/// Height of the bar including menu margins, points.
const BAR: f32 = 56.0;

/// Draws entries that lie side by side in the same submenu, or in the menu itself. Adds the commands of clicked ones to `commands`.
fn items(ui: &mut Ui, session: &Session, entries: &[CommandEntry], commands: &mut Vec<Command>) {
    if let Some(title) = entries.first().and_then(|entry| entry.submenu) {
        submenu(ui, tr(title), |ui| entries.iter().for_each(|entry| item(ui, entry, commands)));
        return;
    }
    for entry in entries {
        item(ui, entry, commands);
        if entry.name == "open" {
            recent(ui, session, commands);
        }
    }
}

/// Draws the list of panels. Returns the chosen one.
fn panels(ui: &mut Ui) -> Option<Panel> {
    let mut chosen = None;
    submenu(ui, tr("menu.panels"), |ui| {
        for panel in Panel::ALL {
            if ui.button(tr(&format!("panel.{}", panel.name()))).clicked() {
                chosen = Some(panel);
            }
        }
    });
    chosen
}

/// Maximum number of files in the menu of recent ones.
const MAX_RECENT_FILES: usize = 12;

/// Draws the menu of the recently opened files and projects that still exist. Adds the command that opens the clicked one to
/// `commands`.
fn recent(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    if session.preferences.recent.is_empty() {
        return;
    }
    submenu(ui, tr("menu.recent"), |ui| {
        let existing = session.preferences.recent.iter().filter(|path| path.exists());
        for path in existing.take(MAX_RECENT_FILES) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if ui.button(name).on_hover_text(path.display().to_string()).clicked() {
                commands.push(Command::File(FileCommand::Open(vec![path.clone()])));
                ui.close();
            }
        }
    });
}

/// Draws a menu entry with its first shortcut. Adds its command to `commands` if it is clicked.
fn item(ui: &mut Ui, entry: &CommandEntry, commands: &mut Vec<Command>) {
    if entry.begins_group {
        ui.separator();
    }
    let keys = keys_of(entry).first().map(|keys| key_text(keys)).unwrap_or_default();
    let dim = theme::of(ui).dim;
    let button = Button::new(tr(&format!("command.{}", entry.name))).wrap_mode(egui::TextWrapMode::Extend);
    let button = button.shortcut_text(RichText::new(keys).color(dim));
    if ui.add(button).clicked() {
        commands.push(entry.command.clone());
    }
}

/// Minimum width of a workspace button, points.
const WORKSPACE: f32 = 64.0;

/// Draws the workspaces as a row, or as a menu if they do not fit. Returns the clicked one.
fn workspaces(ui: &mut Ui, current: Workspace) -> Option<Workspace> {
    let (padding, gap) = (ui.spacing().button_padding.x, ui.spacing().item_spacing.x);
    let width = |name: &str| {
        let word = ui.painter().layout_no_wrap(workspace_word(name), theme::strong(), Color32::WHITE);
        (word.size().x + 2.0 * padding).max(WORKSPACE) + gap
    };
    let all: f32 = WORKSPACES.iter().map(|(_, name)| width(name)).sum();
    // Width of undo, redo and the search icon.
    let right_end = 3.0 * theme::ROW + 3.0 * theme::GAP_MEDIUM;
    if all + right_end > ui.available_width() { workspace_menu(ui, current) } else { workspace_row(ui, current) }
}

/// Returns the translated name of the workspace `name`, one of those in [`WORKSPACES`].
fn workspace_word(name: &str) -> String {
    tr(&format!("workspace.{name}"))
}

/// Draws the workspaces as a menu. Returns the clicked one.
fn workspace_menu(ui: &mut Ui, current: Workspace) -> Option<Workspace> {
    let name = WORKSPACES.iter().find(|(workspace, _)| *workspace == current).map_or("", |(_, name)| name);
    let text = format!("{} {}", workspace_word(name), ICON_KEYBOARD_ARROW_DOWN.codepoint);
    let mut chosen = None;
    let button = Button::new(RichText::new(text).font(theme::strong())).fill(theme::of(ui).raised);
    egui::containers::menu::MenuButton::from_button(button).ui(ui, |ui| {
        for (workspace, name) in WORKSPACES {
            if ui.selectable_label(workspace == current, workspace_word(name)).clicked() {
                chosen = Some(workspace);
                ui.close();
            }
        }
    });
    chosen
}

/// Draws the workspaces side by side. Returns the clicked one.
fn workspace_row(ui: &mut Ui, current: Workspace) -> Option<Workspace> {
    let mut chosen = None;
    for (workspace, name) in WORKSPACES {
        let tokens = theme::of(ui);
        let on = workspace == current;
        let text = RichText::new(workspace_word(name));
        let text = if on { text.font(theme::strong()).color(tokens.text) } else { text.color(tokens.dim) };
        let fill = if on { tokens.raised } else { Color32::TRANSPARENT };
        let response =
            ui.add(Button::new(text).fill(fill).stroke(egui::Stroke::NONE).min_size(Vec2::new(WORKSPACE, theme::ROW)));
        if on {
            let rect = response.rect;
            let under = egui::Rect::from_min_max(rect.left_bottom() - Vec2::new(0.0, 2.0), rect.right_bottom());
            ui.painter().rect_filled(under.shrink2(Vec2::new(8.0, 0.0)), 1.0, tokens.accent);
        }
        if response.clicked() {
            chosen = Some(workspace);
        }
    }
    chosen
}

/// Draws command search, redo and undo, from right to left. Adds the command of a click to `commands`.
fn right_end(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    if search_field(ui) {
        commands.push(Command::Window(WindowCommand::Palette));
    }
    ui.add_space(theme::GAP_MEDIUM);
    let history = &session.history;
    let redo = history.current() + 1 < history.entries().len();
    let undo = history.current() > 0 || !history.is_saved(&session.document);
    ui.add_enabled_ui(redo, |ui| {
        if widgets::icon_button(ui, ICON_REDO, &label_with_shortcut("redo")).clicked() {
            commands.push(Command::Edit(EditCommand::Redo));
        }
    });
    ui.add_enabled_ui(undo, |ui| {
        if widgets::icon_button(ui, ICON_UNDO, &label_with_shortcut("undo")).clicked() {
            commands.push(Command::Edit(EditCommand::Undo));
        }
    });
}

/// Returns the label of the command `name` with its first shortcut in brackets, for tooltips.
pub(crate) fn label_with_shortcut(name: &str) -> String {
    let label = tr(&format!("command.{name}"));
    let all = command::catalogue();
    let entry = all.iter().find(|entry| entry.name == name);
    match entry.and_then(|entry| keys_of(entry).into_iter().next()) {
        Some(keys) => format!("{label} ({})", key_text(&keys)),
        None => label,
    }
}

/// Width of the command search, points.
const SEARCH: f32 = 208.0;

/// Draws a button that looks like a search field. Returns true if clicked.
fn search_field(ui: &mut Ui) -> bool {
    let tokens = theme::of(ui);
    // Narrow windows show only the icon.
    let room = ui.available_width() - 2.0 * theme::ROW - 3.0 * theme::GAP_MEDIUM;
    let width = if room < SEARCH { theme::ROW + theme::GAP_MEDIUM } else { SEARCH };
    let (rect, response) = ui.allocate_exact_size(Vec2::new(width, theme::ROW), Sense::click());
    let name = tr("menu.search");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &name));
    let fill = if response.hovered() { theme::mix(tokens.window, tokens.text, 0.06) } else { tokens.window };
    let painter = ui.painter();
    painter.rect_filled(rect, theme::RADIUS, fill);
    let left = rect.left_center() + Vec2::new(theme::GAP_MEDIUM, 0.0);
    painter.text(left, egui::Align2::LEFT_CENTER, ICON_SEARCH.codepoint, theme::body(), tokens.dim);
    if width < SEARCH {
        return response.on_hover_text(label_with_shortcut("palette")).clicked();
    }
    painter.text(left + Vec2::new(22.0, 0.0), egui::Align2::LEFT_CENTER, &name, theme::body(), tokens.dim);
    let right = rect.right_center() - Vec2::new(theme::GAP_MEDIUM, 0.0);
    painter.text(right, egui::Align2::RIGHT_CENTER, key_text("Ctrl+P"), theme::caption(), tokens.dim);
    response.clicked()
}
