//! Stage list of a take: cards in order of application, and the settings of the open stage.

mod add;
mod card;
mod offers;
mod span;

use egui::Ui;
use egui_material_icons::icons::{ICON_COMPARE, ICON_RECEIPT_LONG};

use super::stages::{StageView, figure};
use crate::i18n::{localized, tr};
use crate::keys::rows::influence_row;
use crate::keys::scope::scoped;
use crate::widgets::Figure;
use crate::{theme, widgets};
use add::add_menu;
pub(super) use add::stage_items;
use card::{Card, card};
pub use offers::offers;
use portamento_session::stack::clipboard::paste_command;
use portamento_session::{Command, EditCommand, Session, WindowCommand};
use portamento_takes::document::{Stage, StageId, StageType, TakeId};
use span::span_ui;

/// Draws the stages of take `id`, the menu that adds stages, and the settings of the open stage. Handles pasted stages.
pub(super) fn stack_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let Some(take) = session.document.take(id) else { return };
    let cards: Vec<Card> =
        take.stages.iter().map(|stage| describe(ui, session, take.built_index(stage.id), stage)).collect();
    let open = session.selection.open_stage(&session.document);
    let mut asked = None;
    widgets::caption(ui, tr("stack.title"));
    let is_new = is_newly_open(ui, id, open);
    for (index, shown) in cards.iter().enumerate() {
        // The id depends on the stage, not on its index, so that a moved card keeps the focus.
        let card_builder = egui::UiBuilder::new().id(egui::Id::new(("stage", id.0, shown.id.0)));
        let drawn = ui.scope_builder(card_builder, |ui| {
            let command = card(ui, shown, index, open == Some(shown.id));
            asked = command.or(asked);
        });
        if is_new && open == Some(shown.id) {
            drawn.response.scroll_to_me(None);
        }
    }
    ui.add_space(theme::GAP_SMALL);
    let row = ui.horizontal_wrapped(|ui| {
        let command = add_menu(ui, session);
        before(ui, session);
        keep(ui, session, id);
        command
    });
    let asked = asked.map(|command| Command::Edit(EditCommand::Stage(command)));
    row.inner.or(asked).into_iter().for_each(|command| session.perform(command));
    if !ui.ctx().text_edit_focused() {
        let pasted = pasted(ui, session, Vec::new());
        pasted.into_iter().for_each(|command| session.perform(command));
    }
    ui.add_space(theme::GAP_SMALL);
    // The settings are below all cards so that the order stays visible.
    if let Some(shown) = cards.iter().find(|shown| open == Some(shown.id)) {
        ui.push_id(("stage settings", shown.id.0), |ui| {
            scoped(ui, session, id, shown.id, |ui, session| {
                influence_row(ui, session, id, shown.id);
                match StageType::named(shown.kind) {
                    Some(kind) => (StageView::of(kind).inspector)(ui, session, id),
                    None => {
                        widgets::caption(ui, tr("stack.unknown"));
                    }
                }
                span_ui(ui, session, id, shown.id);
            });
        });
    }
}

/// Returns the command that adds the copied stages to `takes` (the shown take if empty) if they are pasted in this frame. It
/// removes the paste event, so that a paste acts once.
pub(super) fn pasted(ui: &Ui, session: &Session, takes: Vec<TakeId>) -> Option<Command> {
    let paste = |event: &egui::Event| match event {
        egui::Event::Paste(text) => paste_command(session, text, takes.clone()),
        _ => None,
    };
    let command = ui.input(|input| input.events.iter().find_map(paste))?;
    // A paste acts once, whichever panel draws first.
    ui.input_mut(|input| input.events.retain(|event| !matches!(event, egui::Event::Paste(_))));
    Some(command)
}

/// True if the open stage of `take` changed since the last call for the same take. It is then scrolled into view.
fn is_newly_open(ui: &Ui, take: TakeId, open: Option<StageId>) -> bool {
    let at = ui.id().with("open stage");
    let last = ui.data_mut(|data| {
        let last = data.get_temp::<(TakeId, Option<StageId>)>(at);
        data.insert_temp(at, (take, open));
        last
    });
    last.is_some_and(|(of, before)| of == take && before != open)
}

/// Draws the button that previews the motion without the open stage while it or the key B is pressed. Draws nothing without an open
/// stage.
fn before(ui: &mut Ui, session: &mut Session) {
    if session.selection.open_stage(&session.document).is_none() {
        return;
    }
    let button = widgets::toggle_icon(ui, ICON_COMPARE, &tr("stack.before"), session.playback.is_before_stage());
    let key = ui.input(|input| input.key_down(egui::Key::B) && input.modifiers.is_none());
    let is_typing = ui.ctx().text_edit_focused() || egui::Popup::is_any_open(ui.ctx());
    session.playback.show_before_stage(button.is_pointer_button_down_on() || key && !is_typing);
}

/// Draws the button that saves the stages as a recipe.
fn keep(ui: &mut Ui, session: &mut Session, id: TakeId) {
    ui.add_enabled_ui(session.opened().may_be_recipe(id).is_ok(), |ui| {
        if widgets::icon_button(ui, ICON_RECEIPT_LONG, &tr("command.save_recipe")).clicked() {
            session.perform(Command::Window(WindowCommand::AskSaveRecipe(Some(id))));
        }
    });
}

/// Returns the card of a stage. `index` is its index among the built stages. Its figure is missing if the shown frame is
/// outdated, and is the reason if the stage fails.
fn describe(ui: &Ui, session: &Session, index: Option<usize>, stage: &Stage) -> Card {
    let is_current = !session.evaluation.is_outdated() || session.evaluation.failed_stage().is_some();
    let built = session.frame().and_then(|frame| frame.built.as_ref()).filter(|_| is_current);
    let tokens = theme::of(ui);
    let figure = built.zip(index).and_then(|(built, index)| figure(tokens, built, index));
    // The frame shows the stages below the one that fails.
    let figure = match session.evaluation.failed_stage() {
        Some(failed) if failed.stage == stage.id => Some(Figure::new(localized(&failed.reason), tokens.error)),
        Some(_) if figure.is_none() => Some(Figure::new(tr("stack.not_built"), tokens.dim)),
        _ => figure,
    };
    Card { id: stage.id, kind: stage.kind.name(), on: stage.on, figure }
}
