//! Warnings about the current take. A warning with a moment jumps there when clicked.

use egui::{Label, RichText, Sense, Ui};
use egui_material_icons::icons::ICON_WARNING;

use super::moment::go_to;
use crate::dialogs::guide;
use crate::i18n::{localized, tr};
use crate::theme;
use crate::widgets::{self, form};
use portamento_base::message::Message;
use portamento_session::Session;

/// Draws the warnings section, if there are warnings.
pub(crate) fn section(ui: &mut Ui, session: &mut Session) {
    if !shown_warnings(session).is_empty() {
        form::section(ui, "warnings", true, |ui| warning_list(ui, session));
    }
}

/// Draws the warnings of the shown take. A click on one with a moment jumps there.
pub(crate) fn warning_list(ui: &mut Ui, session: &mut Session) {
    let mut wanted = None;
    for (index, warning) in shown_warnings(session).iter().enumerate() {
        ui.push_id(("warning", index), |ui| {
            guide::marked_row(ui, guide::of_warning(warning), &tr("section.warnings"), |ui| {
                match warning.moment.as_deref().copied() {
                    Some(moment) if line(ui, &localized(warning)) => wanted = Some(moment),
                    Some(_) => {}
                    None => widgets::remark(ui, ICON_WARNING, theme::of(ui).warning, &localized(warning)),
                }
            });
        });
    }
    go_to(session, wanted);
}

/// Returns the warnings of the shown take; empty if it is not built.
pub(crate) fn shown_warnings(session: &Session) -> Vec<Message> {
    let built = session.frame().and_then(|frame| frame.built.as_ref());
    built.map(|built| built.warnings.clone()).unwrap_or_default()
}

/// Draws a clickable warning. Returns true if clicked.
fn line(ui: &mut Ui, text: &str) -> bool {
    let tokens = theme::of(ui);
    let response = ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
        ui.label(RichText::new(ICON_WARNING.codepoint).color(tokens.warning).font(theme::body()));
        ui.add(Label::new(RichText::new(text).font(theme::caption()).underline()).wrap().sense(Sense::click()))
    });
    let response = response.inner.on_hover_text(tr("tip.go_to_warning"));
    response.on_hover_cursor(egui::CursorIcon::PointingHand).clicked()
}
