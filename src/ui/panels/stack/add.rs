//! The menu that adds stages, grouped by what one wants. A stage that does not fit says why, with a button that helps.

use egui::{Button, Ui};
use egui_material_icons::icons::{ICON_ADD, ICON_MOVE_DOWN};

use super::super::stages::StageView;
use crate::i18n::{localized, tr, tr_with};
use crate::widgets;
use portamento_session::command::stage::{StageCommand, may_add};
use portamento_session::{Command, EditCommand, Session, Shown, WindowCommand};
use portamento_takes::document::clip_ref::take_ref;
use portamento_takes::document::{FileId, StageKind, StageType};
use portamento_takes::evaluate::Content;

/// The groups of the menu: title key and stages.
const GROUPS: [(&str, &[StageType]); 5] = [
    (
        "stack.group_target",
        &[StageType::Stretch, StageType::Root, StageType::Stride, StageType::Align, StageType::Cross],
    ),
    ("stack.group_loop", &[StageType::Loop, StageType::Close, StageType::Offset]),
    ("stack.group_parts", &[StageType::Dynamics, StageType::Layer, StageType::Additive]),
    ("stack.group_time", &[StageType::Retime, StageType::Trim]),
    ("stack.group_fix", &[StageType::Pose, StageType::Cleanup, StageType::Ground, StageType::Mirror]),
];

/// Width of the reason below a stage that does not fit, points.
const REASON_WIDTH: f32 = 260.0;

/// Draws the button that opens the menu. Returns the chosen command.
pub(super) fn add_menu(ui: &mut Ui, session: &Session) -> Option<Command> {
    let title = format!("{}  {}", ICON_ADD.codepoint, tr("stack.add"));
    ui.menu_button(title, |ui| stage_items(ui, session)).inner.flatten()
}

/// Draws an item for each kind of stage, and for each other character that the shown motion can be retargeted to. Returns the
/// command of the clicked item.
pub(crate) fn stage_items(ui: &mut Ui, session: &Session) -> Option<Command> {
    let mut chosen = None;
    for (title, kinds) in GROUPS {
        widgets::caption(ui, tr(title));
        for &kind in kinds {
            chosen = item(ui, session, kind).or(chosen);
        }
    }
    widgets::caption(ui, tr("stack.group_rig"));
    rig_items(ui, session).or(chosen)
}

/// Draws the item of one kind of stage. If it does not fit, draws the reason with a button that helps. Returns the command of the
/// clicked button.
fn item(ui: &mut Ui, session: &Session, kind: StageType) -> Option<Command> {
    let text = format!("{}  {}", StageView::of(kind).icon.codepoint, tr(&format!("stage.{}", kind.name())));
    let fits = may_add(kind, session.shown_take().as_ref(), session.frame());
    let button = ui.add_enabled(fits.is_ok(), Button::new(text));
    match fits {
        Ok(()) => button
            .on_hover_text(tr(&format!("tip.stage_{}", kind.name())))
            .clicked()
            .then(|| closed(ui, Command::Edit(EditCommand::Stage(StageCommand::Add(kind))))),
        Err(reason) => refusal(ui, &localized(&reason), remedy(session, kind)),
    }
}

/// Draws the reason why an item does not fit, and the button `remedy` (label key and command). Returns the command of the clicked
/// button.
fn refusal(ui: &mut Ui, reason: &str, remedy: Option<(&str, Command)>) -> Option<Command> {
    ui.indent("reason", |ui| {
        ui.set_max_width(REASON_WIDTH);
        ui.add(egui::Label::new(egui::RichText::new(reason).font(crate::theme::caption())).wrap());
        let (name, command) = remedy?;
        ui.button(tr(name)).clicked().then(|| closed(ui, command))
    })
    .inner
}

/// Closes the menu and returns `command`.
fn closed(ui: &Ui, command: Command) -> Command {
    ui.close();
    command
}

/// Returns what makes a stage of this kind fit: label key and command; `None` if nothing does.
fn remedy(session: &Session, kind: StageType) -> Option<(&'static str, Command)> {
    let built = session.frame().and_then(|frame| frame.built.as_ref());
    if built.is_none_or(|built| !matches!(built.content, Content::Joints) && kind != StageType::Loop) {
        return Some(("stack.open_character", Command::Window(WindowCommand::AskOpen)));
    }
    if matches!(kind, StageType::Mirror | StageType::Ground) {
        let character = session.selection.shown.character(&session.document)?;
        return Some(("stack.set_joints", Command::Window(WindowCommand::ShowRig(character))));
    }
    let take = session.shown_take()?;
    let looped = take.stages.iter().find(|stage| matches!(stage.kind, StageKind::Loop(_)))?;
    Some(("stack.open_loop", Command::Edit(EditCommand::Stage(StageCommand::Open(looped.id)))))
}

/// Draws an item for each other character that the shown clip or take can be retargeted to, or a hint if there is none. Returns
/// the command of the clicked one.
fn rig_items(ui: &mut Ui, session: &Session) -> Option<Command> {
    let (character, file, clip) = match &session.selection.shown {
        Shown::Clip { character, file, clip } => (*character, *file, clip.clone()),
        Shown::Take(id) => {
            let take = session.document.take(*id).filter(|take| take.moves_joints())?;
            (take.character, take.character, take_ref(*id))
        }
        Shown::File(_) | Shown::Nothing => return None,
    };
    let others: Vec<(FileId, String)> = session.opened().other_characters(character);
    if others.is_empty() {
        return refusal(
            ui,
            &tr("stack.no_other_rig"),
            Some(("stack.open_character", Command::Window(WindowCommand::AskOpen))),
        );
    }
    let mut chosen = None;
    for (character, name) in others {
        let text = tr_with("outliner.retarget_to", &[("character", name)]);
        if ui.button(format!("{}  {text}", ICON_MOVE_DOWN.codepoint)).clicked() {
            let edit = EditCommand::AddRetarget { character, file, clip: clip.clone() };
            chosen = Some(closed(ui, Command::Edit(edit)));
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_stage_is_in_one_group() {
        for kind in StageType::ALL {
            let count = GROUPS.iter().flat_map(|(_, kinds)| *kinds).filter(|each| *each == kind).count();
            assert_eq!(count, 1, "{}", kind.name());
        }
    }
}
