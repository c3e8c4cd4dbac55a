//! Preview of a clip at the pointer: poses, findings and the result of its fix.

use egui::{Align2, Response, RichText, Sense, Vec2};

use super::cell::finding_words;
use super::clicked::name;
use crate::i18n::{tr, tr_with};
use crate::widgets::strip;
use crate::{theme, widgets};
use portamento_session::Session;
use portamento_session::clip_library::Picture;

/// Size of the pose strip, points.
const STRIP_SIZE: Vec2 = Vec2::new(300.0, 72.0);

/// Shows the preview of the clip at `row`, an index among all rows, while `response` is hovered. The first time starts the job
/// that draws it.
pub(super) fn picture(response: Response, session: &mut Session, row: usize) {
    response.on_hover_ui_at_pointer(|ui| {
        let Some(of) = session.clips.rows().get(row).cloned() else { return };
        ui.set_max_width(STRIP_SIZE.x);
        ui.label(RichText::new(format!("{} · {}", name(&of.file), of.clip)).font(theme::caption()));
        let (room, _) = ui.allocate_exact_size(STRIP_SIZE, Sense::hover());
        let ink = theme::of(ui).text;
        let middle = |words: &str| {
            ui.painter().text(room.center(), Align2::CENTER_CENTER, words, theme::caption(), theme::of(ui).dim)
        };
        match session.clips.picture(row, &mut session.jobs) {
            Picture::Strip(strip) => strip::draw(ui.painter(), strip, room, ink),
            Picture::Waiting => drop(middle("…")),
            Picture::Nothing => drop(middle(&tr("clips.no_picture"))),
        }
        let found = finding_words(&of);
        if !found.is_empty() {
            ui.label(RichText::new(found).font(theme::caption()).color(theme::of(ui).warning));
        }
        if let Some(after) = session.clips.after(row) {
            let left = finding_words(after);
            let key = if left.is_empty() { "clips.mended_all" } else { "clips.mended_left" };
            widgets::caption(ui, tr_with(key, &[("findings", left)]));
        }
    });
}
