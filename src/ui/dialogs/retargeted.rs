//! Table of the results after several clips were retargeted.

use egui::{Grid, Label, RichText, ScrollArea, Ui};

use super::{buttons, window};
use crate::app::App;
use crate::i18n::{localized, tr, tr_with};
use crate::units::Unit;
use crate::{focus, theme, widgets};
use portamento_session::{RetargetFigures, RetargetRow, Shown};
use portamento_takes::document::TakeId;

/// Width of the dialog and largest height of the table, points.
const WIDTH: f32 = 640.0;
const TABLE_MAX_HEIGHT: f32 = 420.0;

/// Angle between a bone and its source bone up to which the direction counts as equal, degrees.
const EQUAL_MAX_DEGREES: f64 = 1.0;

/// User choice in the dialog.
enum Answer {
    Show(TakeId),
    Close,
}

/// Draws the table of the last retarget of several clips, until it is closed.
pub fn ui(app: &mut App, ctx: &egui::Context) {
    let Some(table) = &app.session.retargeted else { return };
    let (answer, close) = window(ctx, "retargeted", WIDTH, |ui| {
        let made = table.rows.iter().filter(|row| row.outcome.is_ok()).count();
        let values = [
            ("count", made.to_string()),
            ("all", table.rows.len().to_string()),
            ("character", table.character.clone()),
        ];
        ui.add(Label::new(tr_with("retargeted.text", &values)).wrap());
        let mut shown = None;
        ScrollArea::vertical().auto_shrink([false, true]).max_height(TABLE_MAX_HEIGHT).show(ui, |ui| {
            Grid::new("retargeted").num_columns(5).striped(true).show(ui, |ui| {
                for key in ["take", "length", "joints", "direction", "slide"] {
                    ui.label(RichText::new(tr(&format!("retargeted.{key}"))).font(theme::strong()));
                }
                ui.end_row();
                for row in &table.rows {
                    shown = shown.or(row_ui(ui, row));
                    ui.end_row();
                }
            });
            focus::scroll_to_focus(ui);
        });
        let closes = buttons(ui, |ui| widgets::main_button(ui, &tr("dialog.close")).clicked());
        shown.map(Answer::Show).or(closes.then_some(Answer::Close))
    });
    match answer.or(close.then_some(Answer::Close)) {
        Some(Answer::Show(take)) => {
            app.session.retargeted = None;
            app.session.selection.show(Shown::Take(take));
        }
        Some(Answer::Close) => app.session.retargeted = None,
        None => {}
    }
}

/// Draws one row. Returns the take if it was clicked.
fn row_ui(ui: &mut Ui, row: &RetargetRow) -> Option<TakeId> {
    let tokens = theme::of(ui);
    match &row.outcome {
        Ok(figures) => {
            let name = ui.link(&row.name);
            values(ui, figures);
            if let Some(warning) = figures.warnings.first() {
                ui.colored_label(
                    tokens.warning,
                    tr_with("retargeted.warnings", &[("count", figures.warnings.len().to_string())]),
                )
                .on_hover_text(localized(warning));
            }
            name.clicked().then_some(figures.take)
        }
        Err(reason) => {
            ui.colored_label(tokens.error, &row.name);
            ui.colored_label(tokens.error, tr("retargeted.failed")).on_hover_text(localized(reason));
            None
        }
    }
}

/// Draws the figures of one retargeted take, one per column: length, linked joints, direction error (degrees) and foot slide.
fn values(ui: &mut Ui, figures: &RetargetFigures) {
    let tokens = theme::of(ui);
    let is_equal = figures.direction_degrees <= EQUAL_MAX_DEGREES;
    ui.label(Unit::Seconds.text(figures.seconds, 2));
    ui.label(figures.linked.to_string());
    let direction = format!("{:.1}°", figures.direction_degrees);
    ui.colored_label(if is_equal { tokens.ok } else { tokens.warning }, direction);
    ui.label(format!("{:.1} cm/s", 100.0 * figures.slide));
}
