//! Time span in which a stage acts.

use egui::Ui;

use crate::widgets::form;
use crate::widgets::number::{Field, Unit};
use crate::widgets::rows::number_row;
use portamento_session::Session;
use portamento_takes::document::{Span, StageId, TakeId};

/// Draws the span (seconds of the stage's input) of stage `stage` of take `id` if its kind supports one. Switching it on covers
/// the whole input.
pub(super) fn span_ui(ui: &mut Ui, session: &mut Session, id: TakeId, stage: StageId) {
    let built = session.evaluation.built_for_open_stage(&session.document, &session.selection);
    let index = session.document.take(id).map(|take| take.active_stages_before(stage));
    let incoming = built.zip(index).map(|(built, index)| built.before_stage(index).duration);
    let length = incoming.unwrap_or(session.playback.duration);
    let stage = session.document.take_mut(id).and_then(|take| take.stage_mut(stage));
    let Some(span) = stage.and_then(|stage| stage.kind.span_mut()) else { return };
    form::section(ui, "span", span.is_some(), |ui| {
        let mut on = span.is_some();
        form::row(ui, "span", |ui| {
            form::tick(ui, &mut on);
        });
        if on != span.is_some() {
            *span = on.then(|| Span::soft(0.0, length));
        }
        let Some(span) = span else { return };
        let full = Span::soft(0.0, length);
        let field = |low: f64, high: f64| Field::new(Unit::Seconds).within(low, high.max(low));
        let end = span.end;
        number_row(ui, "span_start", &mut span.start, field(0.0, end - MIN_SPAN_SECONDS), full.start);
        number_row(ui, "span_end", &mut span.end, field(span.start + MIN_SPAN_SECONDS, length), full.end);
        let room = span.end - span.start;
        number_row(ui, "span_fade_in", &mut span.fade_in, field(0.0, room), full.fade_in);
        number_row(ui, "span_fade_out", &mut span.fade_out, field(0.0, room), full.fade_out);
    });
}

/// Shortest span, seconds.
const MIN_SPAN_SECONDS: f64 = 0.01;
