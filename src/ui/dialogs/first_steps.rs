//! What is done first in a workspace; what is done is ticked by itself.

use egui::{Label, RichText, Ui};
use egui_material_icons::icons::{ICON_CHECK_CIRCLE, ICON_RADIO_BUTTON_UNCHECKED};

use crate::session::Session;
use crate::session::first_steps::Lesson;
use crate::ui::i18n::{tr, tr_with};
use crate::ui::theme;
use crate::ui::workspace::Workspace;

/// Lists the steps of `workspace`; of the one without a system those of stretching.
pub(super) fn list(ui: &mut Ui, session: &Session, workspace: Workspace) {
    let (lesson, name) = match workspace {
        Workspace::Stretch | Workspace::Free => (Lesson::Stretch, "stretch"),
        Workspace::Blend => (Lesson::Blend, "blend"),
        Workspace::Dynamics => (Lesson::Dynamics, "dynamics"),
        Workspace::Loop => (Lesson::Loop, "loop"),
        Workspace::Walk => (Lesson::Walk, "walk"),
    };
    let title = tr_with("help.first_steps", &[("workspace", tr(&format!("workspace.{name}")))]);
    ui.label(RichText::new(title).font(theme::strong()).color(theme::of(ui).accent));
    let steps = session.first_steps(lesson);
    let next = steps.iter().position(|step| !step.is_done);
    for (place, step) in steps.iter().enumerate() {
        let tokens = theme::of(ui);
        let (icon, color) = match step.is_done {
            true => (ICON_CHECK_CIRCLE, tokens.ok),
            false if next == Some(place) => (ICON_RADIO_BUTTON_UNCHECKED, tokens.accent),
            false => (ICON_RADIO_BUTTON_UNCHECKED, tokens.dim),
        };
        let ink = if next == Some(place) { tokens.text } else { tokens.dim };
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = theme::MEDIUM;
            ui.label(RichText::new(icon.codepoint).color(color).font(theme::icon()));
            ui.add(Label::new(RichText::new(tr(&format!("step.{}", step.key))).color(ink)).wrap());
        });
    }
    ui.add_space(theme::LARGE);
}
