//! Log of all messages.

use egui::{RichText, ScrollArea, Ui};
use egui_material_icons::icons::{ICON_CONTENT_COPY, ICON_DELETE, ICON_DESCRIPTION};

use crate::dialogs::guide;
use crate::i18n::{localized, tr};
use crate::toasts::mark;
use crate::widgets::form;
use crate::{theme, widgets};
use portamento_session::{Notice, Session, Severity};

/// Filter of the log.
#[derive(Debug, Default)]
pub struct Log {
    query: String,
    only_problems: bool,
}

impl Log {
    /// Draws the messages that fit the filter, newest at the bottom. Buttons copy or clear all messages.
    pub fn ui(&mut self, ui: &mut Ui, session: &mut Session) {
        if session.notices.all().is_empty() {
            return widgets::empty(ui, ICON_DESCRIPTION, &tr("log.empty"), &tr("log.empty_hint"));
        }
        ui.horizontal(|ui| {
            let query = ui.add(widgets::text_field(&mut self.query, &tr("log.search")).desired_width(180.0));
            form::with_name(query, &tr("log.search"));
            ui.checkbox(&mut self.only_problems, tr("log.problems"));
            if widgets::icon_button(ui, ICON_CONTENT_COPY, &tr("log.copy")).clicked() {
                let lines: Vec<String> =
                    session.notices.all().iter().flat_map(Notice::messages).map(localized).collect();
                ui.copy_text(lines.join("\n"));
            }
            if widgets::icon_button(ui, ICON_DELETE, &tr("log.clear")).clicked() {
                session.notices.clear();
            }
        });
        ScrollArea::vertical().auto_shrink(false).stick_to_bottom(true).show(ui, |ui| {
            session.notices.all().iter().filter(|notice| self.fits(notice)).for_each(|notice| line(ui, notice));
        });
    }

    /// True if the notice passes the filter: severe enough, and one of its messages contains the query in any case.
    fn fits(&self, notice: &Notice) -> bool {
        let query = self.query.to_lowercase();
        (!self.only_problems || notice.severity >= Severity::Warning)
            && notice.messages().iter().any(|message| localized(message).to_lowercase().contains(&query))
    }
}

/// Draws the messages of a notice with the icon of its severity.
fn line(ui: &mut Ui, notice: &Notice) {
    let (icon, color) = mark(notice.severity, theme::of(ui));
    ui.horizontal_top(|ui| {
        ui.label(RichText::new(icon.codepoint).color(color));
        ui.vertical(|ui| {
            for message in notice.messages() {
                guide::marked_row(ui, guide::of_warning(message), &tr("section.warnings"), |ui| {
                    ui.add(egui::Label::new(localized(message)).wrap().selectable(true));
                });
            }
        });
    });
}
