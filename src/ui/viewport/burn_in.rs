//! The caption burned into recorded pictures: name, frame and time.

use egui::{Align2, Rect, Ui, vec2};

use crate::i18n::tr_with;
use crate::theme;
use crate::viewport::readout;
use crate::viewport::subject::{name, shown_name};
use portamento_session::Session;

/// Writes name, frame and time into the upper left corner of the first view, and the name of the second item of a pair into the
/// second view.
pub fn paint(ui: &Ui, [first, second]: [Rect; 2], session: &Session) {
    let playback = &session.playback;
    let values = [
        ("name", shown_name(session)),
        ("frame", playback.frame().to_string()),
        ("last", playback.last_frame().to_string()),
        ("seconds", format!("{:.2}", playback.time)),
    ];
    let corner = |rect: Rect| rect.left_top() + vec2(theme::GAP_LARGE, theme::GAP_MEDIUM);
    readout::resting(&ui.painter_at(first), Align2::LEFT_TOP, corner(first), tr_with("view.burn_in", &values));
    if let Some(pair) = session.pair() {
        // In an overlay of both, the second name goes under the first.
        let offset = if first == second { vec2(0.0, theme::ROW) } else { egui::Vec2::ZERO };
        let at = corner(second) + offset;
        readout::resting(&ui.painter_at(second), Align2::LEFT_TOP, at, name(session, pair.second()));
    }
}
