//! Inspector of the additive stage.

use egui::Ui;

use crate::i18n::tr_with;
use crate::panels::blend::{choices, clip_choice};
use crate::setting::setting_rows;
use crate::theme::{self, Tokens};
use crate::widgets::number::Unit;
use crate::widgets::{self, Figure, Readout, form};
use portamento_session::Session;
use portamento_stretch::additive::{Built, Reference, Report};
use portamento_takes::document::TakeId;
use portamento_takes::document::stage::Additive;

use super::{OpenStage, inspect};

/// Returns the number of changed joints and the largest rotation. It is a warning if the report warns.
pub(super) fn figure(tokens: &Tokens, report: &Report) -> Figure {
    let part = [("joints", report.joints.to_string()), ("turn", Unit::Degrees.text(report.turn, 1))];
    Figure::judged(tokens, tr_with("stack.additive", &part), !report.warns(), tokens.warning)
}

/// Draws the additive stage of take `id` that is open, or its first one; nothing if it has none.
pub(crate) fn additive_ui(ui: &mut Ui, session: &mut Session, id: TakeId) {
    let clips = choices(session, id);
    inspect(ui, session, id, |ui, additive: &mut Additive, stage: OpenStage<Built>| {
        form::section(ui, "additive", true, |ui| {
            if let Some(Built { report, .. }) = stage.result {
                let tokens = theme::of(ui);
                let joints = Figure::judged(tokens, report.joints.to_string(), !report.warns(), tokens.warning);
                let turn = Unit::Degrees.text(report.turn, 1);
                let turn = report.most_turned.as_ref().map_or(turn.clone(), |joint| format!("{turn} · {joint}"));
                let values = [Readout::of("additive_joints", joints), Readout::new("additive_turn", turn, tokens.text)];
                widgets::readouts(ui, &values);
            }
            setting_rows(ui, additive, |path| path == "reference");
            if additive.settings.reference == Reference::Clip {
                let Additive { settings, files } = additive;
                let reset = form::row(ui, "additive_clip", |ui| {
                    clip_choice(ui, "additive_clip", &mut settings.clip, files, &clips)
                });
                if reset {
                    settings.clip.clear();
                }
                setting_rows(ui, additive, |path| path == "at");
            }
            setting_rows(ui, additive, |path| path == "space");
        });
        None
    });
}
