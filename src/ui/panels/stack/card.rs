//! Card of one stage: name, result figure and buttons.

use egui::containers::menu::MenuButton;
use egui::{Button, DragAndDrop, Key, Label, Modifiers, Rect, Response, RichText, Sense, Ui, Vec2};
use egui_material_icons::MaterialIcon;
use egui_material_icons::icons::{
    ICON_CONTENT_COPY, ICON_CONTENT_PASTE, ICON_DELETE, ICON_DRAG_INDICATOR, ICON_FILE_COPY, ICON_MORE_VERT,
    ICON_VISIBILITY, ICON_VISIBILITY_OFF,
};

use crate::dialogs::guide;
use crate::i18n::tr;
use crate::panels::stages::stage_icon;
use crate::widgets::{Figure, middle};
use crate::{theme, widgets};
use portamento_session::command::stage::StageCommand;
use portamento_takes::document::StageId;

/// Data of one card.
#[derive(Clone, Debug)]
pub(super) struct Card {
    /// Id of the stage.
    pub id: StageId,
    /// Name of the stage kind.
    pub kind: &'static str,
    /// True if the stage is enabled.
    pub on: bool,
    /// Result figure, if the stage was built.
    pub figure: Option<Figure>,
}

/// Draws the card of the stage at `index` and returns the requested command: that of a button or key, opening by a click, or the
/// move of a dropped card.
pub fn card(ui: &mut Ui, shown: &Card, index: usize, is_open: bool) -> Option<StageCommand> {
    let tokens = theme::of(ui);
    let mut asked = None;
    let frame = egui::Frame::new().fill(tokens.raised).corner_radius(6).inner_margin(theme::GAP_SMALL);
    let response = frame.show(ui, |ui| {
        ui.set_min_width(ui.available_width());
        ui.horizontal(|ui| {
            handle(ui, shown.id);
            let buttons = Buttons::fitting(ui, shown);
            let room = room(ui, buttons as usize);
            asked = title(ui, shown, TitlePlacement { index, is_open, room }).or(asked);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                asked = buttons.ui(ui, shown).or(asked);
            });
        });
        if figure_row(ui, shown) {
            asked = Some(StageCommand::Open(shown.id));
        }
    });
    dropped(ui, &response.response, index).or(asked)
}

/// Draws the result of the stage, or that it is muted, and the question mark. Returns true if the result was clicked.
fn figure_row(ui: &mut Ui, shown: &Card) -> bool {
    let tokens = theme::of(ui);
    // The row is kept before the first build and while the stage is muted so that cards do not move.
    let figure = match &shown.figure {
        _ if !shown.on => Figure::new(tr("stack.muted"), tokens.dim),
        Some(figure) => figure.clone(),
        None => Figure::unmeasured(tokens),
    };
    ui.horizontal(|ui| {
        let room = Vec2::new(ui.available_width() - theme::ROW - ui.spacing().item_spacing.x, theme::ROW);
        let line = ui.allocate_ui_with_layout(room, egui::Layout::left_to_right(egui::Align::Center), |ui| {
            ui.set_min_width(room.x);
            let (dot, _) = ui.allocate_exact_size(Vec2::new(theme::ROW, 14.0), Sense::hover());
            ui.painter().circle_filled(dot.center(), 3.5, figure.color);
            let text = RichText::new(&figure.text).font(theme::caption()).color(tokens.dim);
            ui.add(Label::new(text).truncate().selectable(false));
        });
        guide::mark(ui, guide::of_stage_named(shown.kind), &tr(&format!("stage.{}", shown.kind)));
        let line = ui.interact(line.response.rect, ui.id().with("figure"), Sense::CLICK);
        line.on_hover_text(&figure.text).clicked()
    })
    .inner
}

/// Draws the drag handle of the card.
fn handle(ui: &mut Ui, id: StageId) {
    let tokens = theme::of(ui);
    let text = RichText::new(ICON_DRAG_INDICATOR.codepoint).color(tokens.dim);
    let response = ui.add(Label::new(text).selectable(false).sense(Sense::DRAG));
    let response = widgets::named(response, &tr("stack.move")).on_hover_cursor(egui::CursorIcon::Grab);
    response.dnd_set_drag_payload(id);
}

/// Button layout of a card. Narrow cards move buttons into a menu; the value is the number of buttons shown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Buttons {
    /// All buttons.
    All = 3,
    /// Mute is shown, duplicate and remove are in the menu.
    Folded = 2,
    /// Only the menu.
    Menu = 1,
}

/// Minimum visible width of the title, points: icon and a few letters. Tuned; no derivation recorded.
const MIN_TITLE_WIDTH: f32 = 72.0;

impl Buttons {
    /// Returns the layout with the most buttons that leaves room for the title.
    fn fitting(ui: &Ui, shown: &Card) -> Self {
        let title = title_width(ui, shown);
        match () {
            () if title <= room(ui, Self::All as usize) => Self::All,
            () if title.min(MIN_TITLE_WIDTH) <= room(ui, Self::Folded as usize) => Self::Folded,
            () => Self::Menu,
        }
    }

    /// Draws the buttons of a stage. Returns the command of the clicked one.
    fn ui(self, ui: &mut Ui, shown: &Card) -> Option<StageCommand> {
        match self {
            Self::All => buttons(ui, shown),
            Self::Folded => {
                let chosen = menu(ui, shown, false);
                mute(ui, shown).or(chosen)
            }
            Self::Menu => menu(ui, shown, true),
        }
    }
}

/// Returns the width left of `buttons` buttons, points.
fn room(ui: &Ui, buttons: usize) -> f32 {
    (ui.available_width() - buttons as f32 * (theme::ROW + ui.spacing().item_spacing.x)).max(0.0)
}

/// Returns the icon and the translated kind of the stage.
fn title_text(shown: &Card) -> String {
    format!("{}  {}", stage_icon(shown.kind).codepoint, tr(&format!("stage.{}", shown.kind)))
}

/// Returns the full width of the title, points.
fn title_width(ui: &Ui, shown: &Card) -> f32 {
    middle::width(ui, &title_text(shown), &theme::strong()) + 2.0 * ui.spacing().button_padding.x
}

/// Index, open state and available width (points) of a title.
struct TitlePlacement {
    index: usize,
    is_open: bool,
    room: f32,
}

/// Draws the title and its context menu. Returns the command of a click (open), of a menu item, or of a key while the
/// title has the focus.
fn title(ui: &mut Ui, shown: &Card, TitlePlacement { index, is_open, room }: TitlePlacement) -> Option<StageCommand> {
    let tokens = theme::of(ui);
    let name = tr(&format!("stage.{}", shown.kind));
    let color = match (shown.on, is_open) {
        (false, _) => tokens.dim,
        (true, true) => tokens.selection,
        (true, false) => tokens.text,
    };
    let text = title_text(shown);
    let ink = if shown.on { RichText::new(&text) } else { RichText::new(&text).strikethrough() };
    let button = Button::new(ink.font(theme::strong()).color(color)).frame(false).truncate();
    // The title fills the row so that the whole row is clickable.
    let button = button.min_size(Vec2::new(room, theme::ROW));
    let layout = egui::Layout::left_to_right(egui::Align::Center).with_main_align(egui::Align::Min);
    let response = ui.allocate_ui_with_layout(Vec2::new(room, theme::ROW), layout, |ui| ui.add(button)).inner;
    let is_cut = title_width(ui, shown) > room;
    let response = widgets::named(response, &name);
    let response = if is_cut { response.on_hover_text(&name) } else { response };
    let command = key_command(ui, &response, shown, index).or(context_menu(&response, shown));
    if response.clicked() {
        response.request_focus();
        return Some(StageCommand::Open(shown.id));
    }
    command
}

/// Returns the command of a key that is pressed while the card has the focus; `None` without either. The arrow keys
/// move the stage, Ctrl+C copies it, Ctrl+D duplicates it and Delete removes it. `index` is the position of its
/// stage.
fn key_command(ui: &Ui, response: &Response, shown: &Card, index: usize) -> Option<StageCommand> {
    if !response.has_focus() {
        return None;
    }
    if ui.input(|input| input.events.contains(&egui::Event::Copy)) {
        return Some(StageCommand::Copy(shown.id));
    }
    // Without the focus lock, the arrow keys would also move the focus.
    let own = egui::EventFilter { vertical_arrows: true, ..egui::EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, own));
    let pressed = |modifiers, key| ui.input_mut(|input| input.consume_key(modifiers, key));
    match () {
        () if pressed(Modifiers::NONE, Key::ArrowUp) => Some(StageCommand::Move(shown.id, index.saturating_sub(1))),
        () if pressed(Modifiers::NONE, Key::ArrowDown) => Some(StageCommand::Move(shown.id, index + 1)),
        () if pressed(Modifiers::NONE, Key::Delete) => Some(StageCommand::Remove(shown.id)),
        () if pressed(Modifiers::COMMAND, Key::D) => Some(StageCommand::Duplicate(shown.id)),
        () => None,
    }
}

/// Draws the context menu of the title. Returns the command of the clicked item.
fn context_menu(response: &Response, shown: &Card) -> Option<StageCommand> {
    let mut asked = None;
    response.context_menu(|ui| {
        let items = [
            (ICON_FILE_COPY, "stack.copy", "Ctrl+C", StageCommand::Copy(shown.id)),
            (ICON_CONTENT_PASTE, "stack.paste", "Ctrl+V", StageCommand::Paste),
            (ICON_CONTENT_COPY, "stack.duplicate", "Ctrl+D", StageCommand::Duplicate(shown.id)),
            (ICON_DELETE, "stack.remove", "Delete", StageCommand::Remove(shown.id)),
        ];
        for (icon, key, keys, command) in items {
            let text = format!("{}  {}", icon.codepoint, tr(key));
            let keys = RichText::new(keys).color(theme::of(ui).dim);
            if ui.add(Button::new(text).shortcut_text(keys)).clicked() {
                asked = Some(command);
                ui.close();
            }
        }
    });
    asked
}

/// Returns the label of the button with the locale key `key`, followed by the kind of the stage.
fn named(shown: &Card, key: &str) -> String {
    format!("{}: {}", tr(key), tr(&format!("stage.{}", shown.kind)))
}

/// Draws the buttons that remove, duplicate and mute a stage, from right to left. Returns the command of the clicked one.
fn buttons(ui: &mut Ui, shown: &Card) -> Option<StageCommand> {
    if widgets::icon_button(ui, ICON_DELETE, &named(shown, "stack.remove")).clicked() {
        return Some(StageCommand::Remove(shown.id));
    }
    if widgets::icon_button(ui, ICON_CONTENT_COPY, &named(shown, "stack.duplicate")).clicked() {
        return Some(StageCommand::Duplicate(shown.id));
    }
    mute(ui, shown)
}

/// Draws the overflow menu, which has the mute item if `mutes` is true. Returns the command of the clicked item.
fn menu(ui: &mut Ui, shown: &Card, mutes: bool) -> Option<StageCommand> {
    let more = RichText::new(ICON_MORE_VERT.codepoint).font(theme::icon());
    let button = Button::new(more).frame(false).min_size(Vec2::splat(theme::ROW));
    let (response, menu) = MenuButton::from_button(button).ui(ui, |ui| {
        let muting = Some(muting(shown)).filter(|_| mutes);
        let others = [
            (ICON_FILE_COPY, "stack.copy", StageCommand::Copy(shown.id)),
            (ICON_CONTENT_COPY, "stack.duplicate", StageCommand::Duplicate(shown.id)),
            (ICON_DELETE, "stack.remove", StageCommand::Remove(shown.id)),
        ];
        let mut choices = muting.into_iter().chain(others);
        choices.find(|(icon, key, _)| widgets::text_button(ui, *icon, &named(shown, key)).clicked())
    });
    widgets::named(response, &named(shown, "stack.more")).on_hover_text(tr("stack.more"));
    menu.and_then(|menu| menu.inner).map(|(_, _, command)| command)
}

/// Draws the button that mutes or unmutes the stage. Returns its command if it was clicked.
fn mute(ui: &mut Ui, shown: &Card) -> Option<StageCommand> {
    let (icon, key, command) = muting(shown);
    widgets::icon_button(ui, icon, &named(shown, key)).clicked().then_some(command)
}

/// Returns icon, label key and command of the mute button.
fn muting(shown: &Card) -> (MaterialIcon, &'static str, StageCommand) {
    let (icon, key) = if shown.on { (ICON_VISIBILITY, "stack.mute") } else { (ICON_VISIBILITY_OFF, "stack.unmute") };
    (icon, key, StageCommand::SetOn(shown.id, !shown.on))
}

/// Returns the move of a card that is dropped on the one at `index`; `None` in other frames. While one is dragged over it, a line
/// marks the drop position.
fn dropped(ui: &Ui, response: &Response, index: usize) -> Option<StageCommand> {
    let over = ui.input(|input| input.pointer.hover_pos()).filter(|at| response.rect.contains(*at));
    if over.is_some() && DragAndDrop::has_payload_of_type::<StageId>(ui.ctx()) {
        let line = Rect::from_min_size(response.rect.left_top() - Vec2::Y * 3.0, Vec2::new(response.rect.width(), 2.0));
        ui.painter().rect_filled(line, 1.0, theme::of(ui).accent);
        if ui.input(|input| input.pointer.any_released()) {
            let moved = DragAndDrop::take_payload::<StageId>(ui.ctx())?;
            return Some(StageCommand::Move(*moved, index));
        }
    }
    None
}
