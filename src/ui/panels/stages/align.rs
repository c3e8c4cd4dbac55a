//! Inspector of the align stage.

use egui::Ui;

use crate::i18n::tr_with;
use crate::panels::blend::{Choice, choices, clip_choice};
use crate::setting::setting_rows;
use crate::theme::{self, Tokens};
use crate::widgets::number::Unit;
use crate::widgets::{self, Figure, Readout, form};
use portamento_repair::align::{Built, Report};
use portamento_session::Session;
use portamento_takes::document::stage::Align;
use portamento_takes::document::{FileId, TakeId};

use super::{OpenStage, inspect};

/// Returns the distance to the aligned clips before and after, in millimetres. It is a warning if the report warns.
pub(super) fn figure(tokens: &Tokens, report: &Report) -> Figure {
    let [before, after] = report.distance().map(|metres| Unit::Millimetres.text(metres * 1e3, 1));
    let part = [("before", before), ("after", after)];
    Figure::judged(tokens, tr_with("stack.align", &part), !report.warns(), tokens.warning)
}

/// Draws the align stage of take `id` that is open, or its first one; nothing if it has none.
pub(crate) fn align_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let clips = choices(session, id);
    inspect(ui, session, id, |ui, align: &mut Align, stage: OpenStage<Built>| {
        form::section(ui, "align", true, |ui| {
            stage.result.into_iter().for_each(|result| outcome(ui, &result.report));
            let Align { settings, files } = align;
            clip_row(ui, "align_begin", &mut settings.begin, files, &clips);
            setting_rows(ui, align, |path| path == "begin_at");
            let Align { settings, files } = align;
            clip_row(ui, "align_end", &mut settings.end, files, &clips);
            setting_rows(ui, align, |path| ["end_at", "seconds", "feet"].contains(&path));
        });
        None
    });
}

/// Draws a row with a clip; reset empties it. `key` is its translation key.
fn clip_row(ui: &mut Ui, key: &'static str, clip: &mut String, files: &mut Vec<FileId>, clips: &[Choice]) {
    let reset = form::row(ui, key, |ui| clip_choice(ui, key, clip, files, clips));
    if reset {
        clip.clear();
    }
}

/// Draws the distances to the aligned clips before and after, and the foot slide, in millimetres.
fn outcome(ui: &mut Ui, report: &Report) {
    let tokens = theme::of(ui);
    let [before, after] = report.distance().map(|metres| Unit::Millimetres.text(metres * 1e3, 1));
    let slide = Unit::Millimetres.text(report.slide() * 1e3, 1);
    let values = [
        Readout::new("align_before", before, tokens.text),
        Readout::of("align_after", Figure::judged(tokens, after, report.distance()[1] <= 1e-3, tokens.warning)),
        Readout::of("align_slide", Figure::judged(tokens, slide, !report.warns(), tokens.warning)),
    ];
    widgets::readouts(ui, &values);
}
